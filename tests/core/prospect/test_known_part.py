"""A target whose outcome is known on some items alone: nothing is exact for the pool, and forecasts rest on those."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from core.allocation import METHODS
from core.design import Scheme
from core.errors import DesignError
from core.pool import Pool
from core.prospect import Prospect, Question
from core.prospect.knowledge import along
from core.prospect.leave_one_out import KnownPart, as_good_as
from core.prospect.prior import Range
from core.prospect.promise import ASSUMPTION, RANGE
from core.readers import read
from core.stratification import outcome, signal_profile
from data.mmlu_pro import FILE
from tests.core.prospect.test_prospect import pool_of, records
from tests.core.prospect.test_record import Cell, cells, share
from tests.core.wording import Saying
from tests.pools import path_of

# The share of the items that is known.
KNOWN = (0.05, 0.2, 0.6, 0.95)


@pytest.mark.parametrize("known", [3, 239])
def test_plan_strata_list_and_forecast_are_over_all_items(known: int) -> None:
    """They are those of a target of which nothing is known, up to the last item; only what is expected differs."""
    prospect, new = Prospect(pool_of(known=known), "one", 40), Prospect(pool_of(known=0), None, 40)
    for budget in (40, known, 240):
        at, same = prospect.at(max(budget, 2)), new.at(max(budget, 2))
        assert at.stratum.tolist() == same.stratum.tolist() and at.labels.tolist() == same.labels.tolist()
        assert at.plan(0).ids.tolist() == same.plan(0).ids.tolist()
        assert not at.promise.exact and at.gain is None and at.fact is None and at.known is None
        assert f"{known:,} of 240 items" in at.promise.rests_on and "xact" not in repr(at).replace("y exactly", "")
    assert prospect.n_items == prospect.strata.n_items == 240 and set(prospect.curve()["budget"]) >= {40, 240}
    assert prospect.at(240).promise.half_width == 0 < prospect.at(239).promise.half_width
    with pytest.raises(DesignError, match="No outcome"):
        prospect.errors([40])
    for scheme in (Scheme(), None):
        chosen = prospect.asking(replace(prospect.question, scheme=scheme, gate=scheme is None))
        assert not chosen.promise.exact and not prospect.drawn(chosen.plan(0)).promise.exact
        assert not set(chosen.curve()["method"]) & ({*METHODS} - {"uniform", "proxy-neyman"})
    assert prospect.gate_known(prospect.gate(0.5).rule) is None


def test_what_is_exact_for_the_known_items_is_that_of_a_pool_of_them() -> None:
    pool = pool_of(known=120)
    prospect = Prospect(pool, "one", 200)
    evidence, alone = prospect.evidence, Prospect(pool.part(range(120)), "one", 120)
    assert evidence is not None and evidence.n_items == evidence.budget == 120
    assert evidence.at(40).promise == alone.at(40).promise and evidence.at(40).promise.exact
    assert evidence.evidence is None and Prospect(pool_of(), "one", 200).evidence is None


def test_a_part_says_of_the_signal_what_the_whole_pool_says() -> None:
    """Strata of a low floor are nearly full of a part's labels; of random fifths the AUROC came out above .98."""
    pool, target, rng = whole("gsm8k-committee10"), "gpt-4o-mini-2024-07-18", np.random.default_rng(0)
    own, losses = along(pool, Question(target), None), pool.losses(target)
    parts = [as_good_as(own, np.where(rng.random(losses.size) < 0.2, losses, np.nan)) for _ in range(10)]
    assert own.design.scheme.floor < 0.5 and np.mean(parts) == pytest.approx(as_good_as(own, losses), abs=0.015)


def part_of(losses: list[float], n_items: int) -> KnownPart:
    known = np.r_[losses, np.full(n_items - len(losses), np.nan)]
    found = outcome(signal_profile(np.arange(n_items, dtype=float), np.ones(n_items)), known)
    assert found is not None
    return KnownPart("m", found)


def test_the_more_is_known_the_less_of_the_accuracy_is_believed() -> None:
    believed = Range(0.4, 0.5, 0.6)
    ranges = [part_of([0.0] * n, 1000).accuracy(believed) for n in (3, 30, 300, 999)]
    assert [one.middle for one in ranges] == sorted(one.middle for one in ranges)
    spans = [one.high - one.low for one in ranges]
    assert spans == sorted(spans, reverse=True) and spans[-1] < 0.001 and ranges[-1].low > 0.998
    # Of half of a pool, the variance is half that of as many draws.
    half, whole = (part_of([0.0, 1.0] * 250, size).accuracy(believed) for size in (1000, 10**6))
    assert (half.high - half.low) / (whole.high - whole.low) == pytest.approx(0.5**0.5, rel=0.01)


def test_what_other_models_show_counts_more_than_an_assumption() -> None:
    part, believed = part_of([0.0] * 30 + [1.0] * 10, 1000), Range(0.6, 0.65, 0.7)
    assert part.ranks and not part_of([0.0] * 30 + [1.0] * 9, 1000).ranks and not part_of([0.5] * 40, 1000).ranks
    measured, assumed = (part.ranking(0.9, believed, one) for one in (True, False))
    assert 0.65 < measured.middle < assumed.middle < 0.9 and measured.high < assumed.high


def test_what_you_expect_wins_over_what_is_known() -> None:
    prospect = Prospect(pool_of(known=120), "one", 40)
    assert prospect.forecast.ranges == RANGE and prospect.rests_on == Saying(
        "120 of 240 items", ", and by", "looks riskier"
    )
    said = prospect.asking(Question("one", expected=(0.4, 0.5), auroc=0.7))
    assert said.belief.accuracy.low == 0.4 and said.belief.auroc.middle == 0.7
    assert "120" not in said.rests_on and said.forecast.ranges == ASSUMPTION
    half = prospect.asking(Question("one", expected=0.5))
    assert half.rests_on == Saying("expected accuracy", "On the items whose outcome is known")


def test_a_few_outcomes_leave_the_rest_an_assumption() -> None:
    rows = records(known=3)
    alone = Pool.from_records([row | {"targets": {"one": row["targets"].get("one", {})}} for row in rows], "alone")
    prospect = Prospect(alone, "one", 40)
    assert prospect.forecast.ranges == ASSUMPTION and prospect.rests_on == Saying(
        "the 3 of 240 items", "also assumes that, by"
    )
    assert Prospect(pool_of(known=3), "one", 40).rests_on == Saying("the 3 of 240 items", "As 2 other models fared")


def test_known_scores_are_no_accuracy() -> None:
    said = part_of([0.25, 0.5], 4).sentence(assumed=False)
    assert said == Saying("mean loss of 0.3750", "2 items", "of 4 in all", "right or wrong")
    believed = Range(0.6, 0.65, 0.7)
    assert part_of([-2.0, 3.0], 4).accuracy(believed) == believed


@cache
def whole(name: str) -> Pool:
    return read(FILE) if name == "mmlu-pro" else read(path_of(name))


def partly(pool: Pool, target: str, known: float) -> Pool:
    """The pool with the target's verdicts on a random share of the items, and all others'."""
    keep = np.random.default_rng(7).random(pool.n_items) < known
    losses, rows = {name: pool.losses(name) for name in pool.targets}, []
    for number, row in enumerate(pool.table.to_pylist()):
        targets: dict[str, dict[str, Any]] = {}
        for name, loss in losses.items():
            answer = ((row.get("targets") or {}).get(name) or {}).get("answer")
            targets[name] = {} if answer is None else {"answer": str(answer)}
            targets[name] |= {"loss": float(loss[number])} if keep[number] or name != target else {}
        kept = {name: row[name] for name in ("id", "group", "generations", "choices") if row.get(name) is not None}
        rows.append(kept | {"targets": targets})
    return Pool.from_records(rows, pool.name)


def found(name: str, target: str, known: float, **asked: Any) -> list[Cell]:
    """What labels of the whole pool truly give, with the forecast of the same pool with some verdicts."""
    pool = whole(name)
    truth, prospect = (
        partly(pool, target, 2.0),
        Prospect(partly(pool, target, known), target, 20, Question(target, **asked)),
    )
    return [replace(cell, prospect=prospect.at(cell.prospect.budget)) for cell in cells(truth, target, **asked)]


@pytest.mark.parametrize("known", [0.2, *(pytest.param(share, marks=pytest.mark.trial) for share in KNOWN[2:])])
def test_a_range_that_rests_on_known_outcomes_holds(known: int) -> None:
    """Half-widths and savings of both targets of a real pool, from agreement alone."""
    name = "exams-gpt35-k10"
    every = [cell for target in whole(name).targets for cell in found(name, target, known, past=())]
    assert min(share(every)) >= 0.75


@pytest.mark.trial
def test_ranges_that_rest_on_known_outcomes_hold_on_every_pool() -> None:
    for name in ("exams-gpt35-k10", "gsm8k-committee10", "blink-vlm-committee10", "mmlu-pro"):
        targets = list(whole(name).targets)
        for known in KNOWN:
            some = targets[:: max(1, len(targets) // 5)]
            every = [cell for one in some for past in (None, ()) for cell in found(name, one, known, past=past)]
            measured = [cell for cell in every if cell.prospect.forecast.ranges == RANGE]
            if measured:
                saved, half_width = share(measured)
                print(
                    f"{name}, {known:.0%} known: {len(measured)} cells, saved {saved:.0%}, half-width {half_width:.0%}"
                )
                assert min(saved, half_width) >= 0.75
