"""Half-widths from known outcomes, beside the mean ones of simulated samples of real pools."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.design import PAPER, Scheme
from core.estimation.intervals import DEFAULT
from core.prospect import Prospect, Question
from core.readers import read
from core.simulation.replications import Samples
from tests.pools import path_of

# A scheme and a floor, and between what the half-width lies with 20 and with 100 or more labels, over the mean
# simulated one.
# At a low floor, a wrong answer where none was expected widens the interval of a short list by much.
DESIGNS = {
    "recommended": (None, None, (0.94, 1.04), (0.97, 1.02)),
    "recommended, floor 1": (None, 1.0, (0.96, 1.04), (0.98, 1.02)),
    "Uniform": (replace(PAPER, n_strata=1), None, (0.96, 1.04), (0.98, 1.02)),
    "the paper’s": (PAPER, None, (0.8, 1.05), (0.95, 1.03)),
    "more uneven": (replace(PAPER, offset=0.25), None, (0.8, 1.05), (0.86, 1.03)),
}


@pytest.mark.parametrize("name", ["exams-gpt35-k10", "gsm8k-committee10", "blink-vlm-committee10"])
@pytest.mark.parametrize(("scheme", "floor", "few", "many"), DESIGNS.values(), ids=DESIGNS)
def test_half_widths_from_known_outcomes_are_those_of_simulated_samples(
    name: str, scheme: Scheme | None, floor: float | None, few: tuple[float, float], many: tuple[float, float]
) -> None:
    pool = read(path_of(name))
    target, rng = list(pool.targets)[-1], np.random.default_rng(0)
    for labels in (20, 100, 200):
        prospect = Prospect(pool, target, labels, Question(target, scheme=scheme, floor=floor))
        stratum, counts = prospect.stratum, prospect.labels
        sizes, losses = np.bincount(stratum), pool.losses(target)
        ones = np.bincount(stratum, losses).astype(np.int64)
        drawn = rng.hypergeometric(ones, sizes - ones, counts, (600, counts.size))
        rows = Samples(counts, sizes, drawn / counts, drawn * (counts - drawn) / counts).estimates(DEFAULT)
        given = float((rows["high"] - rows["low"]).mean()) / 2
        old = 1.959964 * float(prospect.errors([labels])[0]) ** 0.5
        ratio = prospect.promise.half_width / given
        print(f"{name}, {labels} labels: {ratio:.2f}; 1.96 standard errors {old / given:.2f}")
        low, high = few if labels < 100 else many
        assert low <= ratio <= high
