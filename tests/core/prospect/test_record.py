"""Forecasts before any label hold what other pools and models with known outcomes say they hold."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

from core.pool import Pool
from core.prospect import Prospect, Question
from core.prospect import leave_one_out as module
from core.prospect.forecast import from_labels
from core.prospect.leave_one_out import Record
from core.prospect.promise import ASSUMPTION, RANGE
from core.readers import read
from core.simulation.replications import Samples
from core.stratification.moments import moments
from core.words import share_span
from data.mmlu_pro import FILE
from tests.pools import opened, path_of
from tests.sampled import sampled

BUDGETS = (20, 50, 100, 200, 400)
# What a range holds, as it is built.
BUILT = 0.8


@dataclass(frozen=True)
class Cell:
    """A forecast at one budget, the share of labels that is truly saved, and the half-width that labels truly give."""

    prospect: Prospect
    saved: float
    half_width: float

    def held(self) -> tuple[bool, bool]:
        """Whether its ranges hold what is saved, and the half-width."""
        forecast = self.prospect.forecast
        assert forecast.ranges == RANGE
        saved = forecast.saved_low - 1e-9 <= self.saved <= forecast.saved_high + 1e-9
        return saved, forecast.low <= self.half_width <= forecast.high


def cells(pool: Pool, target: str, budgets: Sequence[int] = BUDGETS, **asked: Any) -> Iterator[Cell]:
    """The budgets up to N/3; half-widths are means of 400 seeded samples."""
    prospect = Prospect(pool, None, 20, Question(target, **asked))
    assert prospect.known is not None
    for budget in (budget for budget in budgets if budget <= pool.n_items / 3):
        at, rng = prospect.at(budget), np.random.default_rng(budget)
        whole, counts = moments(prospect.known.losses, at.stratum), at.labels
        ones = rng.hypergeometric(whole.ones, whole.sizes - whole.ones, counts, (400, counts.size))
        table = Samples(counts, whole.sizes, ones / counts, ones * (counts - ones) / counts).estimates()
        yield Cell(at, at.promise.saved, float((table["high"] - table["low"]).mean() / 2))


def share(found: list[Cell]) -> tuple[float, float]:
    """How often ranges hold what is saved, and half-widths."""
    held = np.array([cell.held() for cell in found])
    return float(held[:, 0].mean()), float(held[:, 1].mean())


@pytest.mark.parametrize(
    ("name", "most"),
    sampled([("gsm8k-committee10", 1), ("gsm8k-committee10", 4), ("exams-gpt35-k10", 4)], lambda _, most: most == 1),
)
def test_a_range_that_is_offered_holds(name: str, most: int) -> None:
    """For the weakest targets; with the reach of a normal distribution, not one half-width of the weakest on GSM8K."""
    pool = read(path_of(name))
    weakest = sorted(pool.targets, key=lambda target: float(-np.nanmean(pool.losses(target))))[:most]
    for known in ({}, {"past": ()}):
        assert min(min(share(list(cells(pool, target, **known)))) for target in weakest) >= 0.75


def some_past(pool: Pool, target: str, rng: np.random.Generator) -> list[tuple[str, ...] | None]:
    """All other models, and some of them if there are many."""
    others = [name for name in pool.targets if name != target]
    some = [tuple(str(name) for name in rng.permutation(others)[:n]) for n in (1, 2, 3) if n < len(others)]
    return [None, *some]


@pytest.mark.trial
def test_ranges_hold_on_a_pool_that_did_not_choose_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ranges hold so much that 85 % of the cells of each of the other pools do, and never less than 80 %."""
    rng, found = np.random.default_rng(0), dict[str, list[Cell]]()
    names = ("exams-gpt35-k10", "gsm8k-committee10", "blink-vlm-committee10", "mmlu-pro")
    for name in names:
        pool = read(FILE) if name == "mmlu-pro" else read(path_of(name))
        asked: list[tuple[str, dict[str, Any]]] = []
        for target in pool.targets:
            asked += [(target, {"past": past}) for past in some_past(pool, target, rng)]
            asked += [(target, {"past": ()}), (target, {"past": (), "signal": "semantic-entropy"})]
        found[name] = [cell for target, known in asked for cell in cells(pool, target, **known)]
    contents = np.arange(0.3, 1, 0.05).round(2).tolist()
    held = dict[tuple[str, float], tuple[float, float]]()
    for content in contents:
        monkeypatch.setattr(module, "_WITHIN", content)
        held |= {(name, content): share(found[name]) for name in names}
    for left in names:
        others = [name for name in names if name != left]
        least = next(content for content in contents if all(min(held[name, content]) >= 0.85 for name in others))
        for content in (least, max(least, BUILT)):
            saved, width = held[left, content]
            print(f"{left}: {len(found[left])} cells, range {content:.0%}, saved {saved:.0%}, half-width {width:.0%}")
        assert min(saved, width) >= 0.75


def kinds_of_past(pool: Pool, target: str, rng: np.random.Generator) -> list[dict[str, Any]]:
    """Questions of a target, whose past models are all others, or the worse ones, or a few, or none."""
    rate = {name: float(pool.losses(name).mean()) for name in pool.targets}
    worse = [
        tuple(name for name in pool.targets if name != target and rate[name] >= rate[target] + ahead + 1e-9)
        for ahead in (0.0, 0.05)
    ]
    past = dict.fromkeys([*some_past(pool, target, rng), *(names for names in worse if names)])
    return [*({"past": names} for names in past), {"past": ()}, {"past": (), "signal": "semantic-entropy"}]


@dataclass(frozen=True)
class Held:
    """Of a forecast: whether the target is better than all its past models and the best of its pool, and what is held.

    ``usual`` is by the ranges of a model among the past ones, ``given`` by those that are shown: whether they hold the
    saving and the half-width, and how wide they are.
    """

    pool: str
    ahead: bool
    best: bool
    usual: tuple[bool, bool, float, float]
    given: tuple[bool, bool, float, float]
    overstated: float

    @classmethod
    def of(cls, cell: Cell, target: str, asked: dict[str, Any]) -> Held:
        at, pool = cell.prospect, cell.prospect.pool
        assert at.record is not None
        found = []
        for believed in (at.record.among, at.belief):
            one = from_labels(at.frame, believed, at.budget)
            saved = one.saved_low - 1e-9 <= cell.saved <= one.saved_high + 1e-9
            held = one.low <= cell.half_width <= one.high
            found.append((saved, held, one.saved_high - one.saved_low, one.high - one.low))
        rate = {name: float(pool.losses(name).mean()) for name in pool.targets}
        others = [rate[name] for name in asked["past"] or pool.targets if name != target]
        best = rate[target] == min(rate.values())
        over = at.forecast.saved - cell.saved
        return cls(pool.name, rate[target] < min(others), best and len(others) == len(rate) - 1, *found, over)


def subjects(pool: Pool) -> list[Pool]:
    """A pool of each group."""
    groups = pool.items["group"].to_numpy()
    return [Pool(str(one), pool.table.filter(pa.array(groups == one))) for one in np.unique(groups)]


def summed(held: list[Held]) -> tuple[float, float, float, float, float, float]:
    """Shares of savings and of half-widths in the usual ranges and in those given, and how much wider these are."""
    usual, given = (np.array([getattr(one, name) for one in held]) for name in ("usual", "given"))
    wider = given[:, 2:].mean(axis=0) / usual[:, 2:].mean(axis=0)
    return tuple([*usual[:, :2].mean(axis=0), *given[:, :2].mean(axis=0), *wider])  # type: ignore[return-value]


@pytest.mark.trial
def test_ranges_hold_for_models_that_are_better_than_all_past_ones() -> None:
    """On four pools and the subjects of one of them, of the best model three quarters and of all models four fifths."""
    rng, held = np.random.default_rng(0), dict[str, list[Held]]()
    whole = [opened(name) for name in ("exams-gpt35-k10", "gsm8k-committee10", "blink-vlm-committee10", "mmlu-pro")]
    for pool in [*whole, *subjects(whole[-1])]:
        held[pool.name] = [
            Held.of(cell, target, asked)
            for target in pool.targets
            for asked in kinds_of_past(pool, target, rng)
            for cell in cells(pool, target, BUDGETS if pool in whole else (50, 200), **asked)
        ]
    every = [one for found in held.values() for one in found]
    whose = {
        "all": every,
        "better than all past models": [one for one in every if one.ahead],
        "best of its pool, all others past": [one for one in every if one.best],
    }
    best = {name: [one for one in found if one.best] for name, found in held.items()}
    names = [pool.name for pool in whole]
    whose |= {f"best of {name}": best[name] for name in names}
    whose["best of the subjects"] = [one for name, found in best.items() if name not in names for one in found]
    for title, found in whose.items():
        saved, width, saved_now, width_now, wider, broader = summed(found)
        over = float(np.mean([one.overstated for one in found]))
        print(
            f"{title}: {len(found)} cells; saved in the range {saved:.2f}, now {saved_now:.2f}, {wider:.2f} times as "
            f"wide; half-width {width:.2f}, now {width_now:.2f}, {broader:.2f} times; saving overstated by {over:+.3f}"
        )
        assert min(saved_now, width_now) >= (0.8 if found is every else 0.75)
    # Of a single subject there are eight cells of four questions.
    for name in best.keys() - {*names}:
        print(f"best of {name}: half-width {summed(best[name])[1]:.2f}, now {summed(best[name])[3]:.2f}")
    assert max(summed(every)[4:]) <= 1.3


@pytest.mark.parametrize("asked", [{"past": None}, {"past": ()}], ids=["all others", "none"])
def test_the_best_model_of_a_benchmark_is_inside_its_ranges(asked: dict[str, Any]) -> None:
    """The best of twelve models is better than any of the others shows: ranges of a model like them miss it."""
    pool, found = opened("mmlu-pro"), []
    best = max(pool.targets, key=lambda name: -pool.losses(name).mean())
    for cell in cells(pool, best, (50, 100), **asked):
        record = cell.prospect.record
        assert record is not None and record.among.accuracy.high < 1 - pool.losses(best).mean() < record.accuracy.high
        found.append(cell)
    assert min(share(found)) == 1


def test_a_range_reaches_beyond_the_best_past_model() -> None:
    """However many models there are: among 30 of them, 80 % exclude the best three."""
    for models in (2, 3, 12, 30, 200):
        accuracies = tuple(stats.norm(0.6, 0.1).ppf((np.arange(models) + 0.5) / models))
        found = Record(accuracies, (0.8,) * 6, True)
        assert found.accuracy.high > max(accuracies) + 0.01 and found.accuracy.low == found.among.accuracy.low
    led = Record((0.6, 0.7, 0.8), (0.8, 0.8, 0.8), True, (0.8, 0.7)).auroc
    usual = Record((0.6, 0.7, 0.8), (0.8, 0.8, 0.8), True).auroc
    assert led.low < usual.low and (led.middle, led.high) == (usual.middle, usual.high)


def test_a_range_follows_its_models() -> None:
    """The more models and the closer they lie, the narrower; a single one says little."""
    alone, two = Record((0.7,), (0.8,), True), Record((0.7, 0.72), (0.8, 0.81), True)
    many = Record((0.7, 0.72, 0.71, 0.69) * 3, (0.8, 0.81, 0.8, 0.79, 0.8, 0.8), True)
    spans = [one.accuracy.high - one.accuracy.low for one in (alone, two, many)]
    assert spans == sorted(spans, reverse=True) and spans[-1] < spans[0] / 2
    ranked = [one.auroc.high - one.auroc.low for one in (alone, two, many)]
    assert ranked == sorted(ranked, reverse=True)
    for one in (alone, two, many):
        assert one.accuracy.low < 0.7 < one.accuracy.high and one.auroc.low < 0.8 < one.auroc.high < 1
    assert "12 models" in repr(many)


def test_a_range_by_hand() -> None:
    """Accuracies of 1/2 and of e/(1 + e): variance (2 · 0.6² + ½)/3 of models, times 3/2 for the mean of two.

    Another model leads the better one, 1, by an exponential distance of mean s/√(2 ln 2).
    """
    variance = (2 * 0.36 + 0.5) / 3
    reach = stats.t(3).ppf(0.9) * math.sqrt(variance * 1.5)
    record = Record((0.5, math.e / (1 + math.e)), (0.8, 0.8), False)
    low, usual, high = (
        math.log(end / (1 - end)) for end in (record.accuracy.low, record.among.accuracy.high, record.accuracy.high)
    )
    assert (low, usual) == pytest.approx((0.5 - reach, 0.5 + reach))
    assert high == pytest.approx(1 + math.log(10) * math.sqrt(variance / (2 * math.log(2))))


def test_past_models_that_make_the_signal_make_the_target_more_predictable_than_themselves() -> None:
    learned, not_learned = (Record((0.7, 0.7, 0.7), (0.8, 0.8, 0.8), one).auroc.middle for one in (True, False))
    assert learned > not_learned == pytest.approx(0.8)


def test_models_that_nothing_is_known_of_leave_an_assumption() -> None:
    pool = Pool.from_records(
        [{"id": str(n), "generations": ["a", "ab"[n % 2]], "targets": {"m": {"answer": "a"}}} for n in range(60)], "new"
    )
    prospect = Prospect(pool, "m", 20)
    assert prospect.record is None and prospect.forecast.ranges == ASSUMPTION
    assert "also assumes" in prospect.rests_on and ASSUMPTION in prospect.forecast.verdict
    said = prospect.asking(Question("m", expected=(0.4, 0.5), auroc=0.7))
    assert said.forecast.ranges == ASSUMPTION and share_span(0.4, 0.5) in said.rests_on


def test_without_outcomes_the_accuracy_is_assumed_from_answers() -> None:
    """It follows the share of the surrogate's answers that are the target's, and holds the truth on two pools."""
    for name in ("exams-gpt35-k10", "blink-vlm-committee10"):
        pool = read(path_of(name))
        for target in pool.targets:
            rows = [
                {"id": str(n), "generations": list(texts), "targets": {"m": {"answer": answer}}}
                for n, (texts, answer) in enumerate(
                    zip(pool.generations or (), pool.targets[target].answers or (), strict=True)
                )
            ]
            prospect = Prospect(Pool.from_records(rows, "open"), "m", 50)
            shown = prospect.likeness
            assert shown is not None and prospect.record is None and prospect.forecast.ranges == ASSUMPTION
            assert prospect.belief.accuracy == shown.accuracy and shown.why in prospect.rests_on
            assert shown.accuracy.low < 1 - pool.losses(target).mean() < shown.accuracy.high
    alone = [{"id": str(n), "generations": ["a"]} for n in range(20)]
    assert Prospect(Pool.from_records(alone, "one sample"), None, 5).likeness is None


def test_losses_of_the_target_are_not_looked_at() -> None:
    pool = read(path_of("exams-gpt35-k10"))
    target, other = pool.targets
    known = Prospect(pool, target, 20)
    rows = [
        {"id": str(item), "generations": pool.generations[n], "targets": {other: {"loss": float(loss)}}}
        for n, (item, loss) in enumerate(zip(pool.items.index, pool.losses(other), strict=True))
    ]
    assert known.record is not None
    unknown = Prospect(Pool.from_records(rows, "same"), None, 20, Question(past=(), signal="semantic-entropy")).record
    of_entropy = known.asking(Question(target, past=(), signal="semantic-entropy")).record
    assert unknown is not None and of_entropy is not None
    assert of_entropy.ahead == of_entropy.aurocs
    assert of_entropy.accuracies == pytest.approx(unknown.accuracies) and len(unknown.aurocs) == 1


def test_items_without_generations_have_no_say_in_an_assumed_accuracy() -> None:
    rows = [{"id": f"q{number}", "generations": ["A", "A", "B", "A"]} for number in range(30)]
    whole, gaps = Pool.from_records(rows, "a pool"), [{"id": f"none-{number}", "prompt": "?"} for number in range(10)]
    ragged = Prospect(Pool.from_records([*rows, *gaps], "gaps"), None, 5).likeness
    assert ragged is not None and ragged == Prospect(whole, None, 5).likeness
