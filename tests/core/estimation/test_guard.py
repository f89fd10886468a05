"""Warnings of uneven designs: whom they spare, what they propose, and that they come where intervals fall short."""

from __future__ import annotations

import numpy as np
import pytest

from core.allocation import allocate, proxy_neyman
from core.errors import DesignError
from core.estimation import Interval, guard
from core.estimation.guard import FLOOR
from core.estimation.samples import Samples

# Strata of four real pools (ten exams, GSM8K, BLINK, MMLU-Pro) with their self-consistency.
POOLS = {
    "exams": ((321, 173, 175, 169, 162), (1.0, 0.87, 0.71, 0.55, 0.40)),
    "gsm8k": ((198, 290, 266, 278, 287), (1.0, 0.87, 0.74, 0.61, 0.37)),
    "blink": ((84, 477, 402, 499, 439), (1.0, 0.80, 0.61, 0.53, 0.40)),
    "mmlu": ((690, 2678, 2873, 3010, 2781), (1.0, 0.78, 0.55, 0.45, 0.30)),
}


@pytest.mark.parametrize("name", POOLS)
@pytest.mark.parametrize("budget", [20, 50, 100, 200])
def test_the_papers_offset_is_never_warned_of_and_a_safe_one_is_safe(name: str, budget: int) -> None:
    sizes, consistency = POOLS[name]
    assert all(guard(sizes, consistency, budget, offset) is None for offset in (0.5, 0.75, 1, 2))
    for offset in (0.02, 0.05, 0.1, 0.2, 0.3):
        found = guard(sizes, consistency, budget, offset)
        if found is None:
            continue
        assert found.lowest < FLOOR == found.floor
        assert found.safe_offset is not None and found.safe_offset > offset
        assert guard(sizes, consistency, budget, found.safe_offset) is None
        labels = allocate(proxy_neyman(sizes, consistency, offset), sizes, budget)
        assert found.labels == labels[found.stratum]
        assert found.lowest == pytest.approx(found.labels / (budget * sizes[found.stratum] / sum(sizes)))
        assert f"δ = {found.safe_offset:g}" in found.sentence


def test_a_small_offset_is_warned_of() -> None:
    found = guard(*POOLS["exams"], 100, 0.05)
    assert found is not None and found.stratum == 0 and found.lowest < 0.2
    assert guard(*POOLS["blink"], 50, 0.4) is None, "one label too few in a small stratum"


def test_intervals_fall_short_where_it_warns_and_hold_where_it_does_not() -> None:
    """Uncalibrated surrogate: 44 % of the items on which it always agrees are wrong; plain Wilson, 4,000 draws."""
    sizes, consistency = POOLS["exams"]
    size, ones = np.array(sizes), np.rint(np.array(sizes) * (0.44, 0.3, 0.3, 0.3, 0.4)).astype(int)
    truth, rng = ones.sum() / size.sum(), np.random.default_rng(2)
    covered = {}
    for offset in (0.02, 0.75):
        counts = allocate(proxy_neyman(sizes, consistency, offset), sizes, 100)
        drawn = rng.hypergeometric(ones, size - ones, counts, size=(4000, 5))
        rows = Samples(counts, size, drawn / counts, drawn * (counts - drawn) / counts)
        limits = rows.estimates(Interval(conservative=False))
        covered[offset] = float(((limits["low"] <= truth) & (truth <= limits["high"])).mean())
    assert guard(sizes, consistency, 100, 0.02) is not None and covered[0.02] < 0.85
    assert guard(sizes, consistency, 100, 0.75) is None and covered[0.75] >= 0.94


def test_without_a_safe_offset_it_names_proportional() -> None:
    """The 20 labels of a stratum beside nineteen tiny ones, which take one each."""
    found = guard((400, *[1] * 19), (1.0, *[0.5] * 19), 22, 0.1)
    assert found is not None and found.safe_offset is None and "Proportional" in found.sentence


def test_guard_errors() -> None:
    with pytest.raises(DesignError, match="too small"):
        guard(*POOLS["exams"], 4, 0.75)
    with pytest.raises(DesignError, match="offset"):
        guard(*POOLS["exams"], 40, -0.1)
