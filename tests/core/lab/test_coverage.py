"""Coverage by simulation: against its exact value, and on real models' outputs against what the interval promises."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from plotly.graph_objects import Figure
from scipy import stats

from core.allocation.ways import RECOMMENDED, method_allocations
from core.design import Scheme
from core.errors import DesignError
from core.estimation import Interval, stratified
from core.figures.lab import coverage as figure
from core.figures.style import INTERVAL_STYLES
from core.lab import captions, shown_tables
from core.lab.coverage import INTERVALS, TRIALS, coverage
from core.pool import Pool
from core.readers import ModelResults, read
from core.simulation.replications import Samples
from core.stratification import Outcome, outcome, profile
from core.words import INTERVAL_METHODS
from tests.core.lab.conftest import outcome_of, pool_of

Find = Callable[[str], Path]

DEFAULT, BOTH = [Interval()], [Interval(), Interval("wald")]
BUDGETS = (20, 30, 50, 100, 200, 400)
LEAST = 0.94


def exact(pool_outcome: Outcome, budget: int, name: str, method: str = "proxy-neyman") -> tuple[float, float]:
    """Coverage and mean width of an interval, summed over all numbers of ones that can be drawn."""
    strata = pool_outcome.profile.stratify(2)
    moments = pool_outcome.moments.merge(strata.of_level)
    counts = method_allocations(moments, strata.consistency, method, [budget])[0]
    populations = zip(moments.sizes, moments.ones, counts, strict=True)
    mass = [stats.hypergeom(n, k, m).pmf(np.arange(m + 1)) for n, k, m in populations]
    covered = width = 0.0
    for drawn in itertools.product(*(range(m + 1) for m in counts)):
        losses = np.concatenate([np.arange(m) < x for m, x in zip(counts, drawn, strict=True)]).astype(float)
        member = np.repeat(np.arange(counts.size), counts)
        one = stratified(losses, member, moments.sizes, interval=name)
        probability = math.prod(float(p[x]) for p, x in zip(mass, drawn, strict=True))
        covered += probability * (one.low <= moments.mean <= one.high)
        width += probability * (one.high - one.low)
    return covered, width


def test_simulation_meets_the_exact_coverage_and_width(binary: Pool) -> None:
    pool_outcome = outcome_of(binary)
    table = coverage(pool_outcome, [18], Scheme(n_strata=2))
    assert table["interval"].tolist() == [interval.name for interval in INTERVALS]
    for row in table.itertuples():
        covered, width = exact(pool_outcome, 18, row.interval)
        assert row.coverage == pytest.approx(covered, abs=4 * math.sqrt(covered * (1 - covered) / TRIALS))
        assert row.width == pytest.approx(width, abs=4 * row.width_error)
        assert row.coverage + row.missed_low + row.missed_high == pytest.approx(1)
        assert row.coverage_error == pytest.approx(math.sqrt(row.coverage * (1 - row.coverage) / TRIALS))


def test_a_design_that_spreads_labels_unevenly_is_simulated_with_its_own_limits() -> None:
    """Half the labels in a tenth of the pool."""
    wrong = [*(number % 17 == 0 for number in range(360)), *(number % 2 == 0 for number in range(40))]
    said = [["A"] * 10] * 360 + [["A"] * 5 + ["B"] * 5] * 40
    records = zip(range(400), said, wrong, strict=True)
    pool = Pool.from_records(
        [{"id": f"q{n}", "generations": g, "targets": {"model": {"loss": float(x)}}} for n, g, x in records]
    )
    pool_outcome = outcome_of(pool)
    table = coverage(pool_outcome, [20], Scheme(n_strata=2, allocation="equal"), DEFAULT).iloc[0]
    moments = pool_outcome.moments.merge(pool_outcome.profile.stratify(2).of_level)
    assert moments.sizes.tolist() == [360, 40]
    assert table["coverage"] >= LEAST
    counts = np.array([10, 10])
    draws = np.random.default_rng(1).hypergeometric(moments.ones, moments.sizes - moments.ones, counts, (TRIALS, 2))
    samples = Samples(counts, moments.sizes, draws / counts, draws * (1 - draws / counts))
    limits = samples.estimates()
    covered = ((limits["low"] <= moments.mean) & (moments.mean <= limits["high"])).mean()
    assert table["coverage"] == pytest.approx(covered, abs=5 * math.sqrt(covered * (1 - covered) / TRIALS))
    assert table["width"] == pytest.approx((limits["high"] - limits["low"]).mean(), rel=0.02)


def test_drawn_items_agree_with_hypergeometric_numbers(binary: Pool) -> None:
    """Losses of 0 and 1, once as such and once with one of them moved a hair, which takes the other way."""
    pool_outcome = outcome_of(binary)
    losses = pool_outcome.losses.copy()
    losses[int(np.argmax(losses == 0))] = 1e-9
    moved = outcome(pool_outcome.profile, losses)
    assert moved is not None and not moved.moments.binary
    first, second = coverage(pool_outcome, [20, 60]), coverage(moved, [20, 60])
    error = np.hypot(first["coverage_error"], second["coverage_error"])
    assert np.all(np.abs(first["coverage"] - second["coverage"]) <= 4 * error + 1e-9)
    width_error = np.hypot(first["width_error"], second["width_error"])
    assert np.all(np.abs(first["width"] - second["width"]) <= 4 * width_error)


def test_partial_losses_are_covered_too() -> None:
    rng = np.random.default_rng(5)
    pool = pool_of(300)
    whole = profile(pool.classes())
    simulated = outcome(whole, rng.beta(0.4, 0.6, 300))
    assert simulated is not None
    table = coverage(simulated, [20, 50, 100], intervals=DEFAULT)
    assert table["coverage"].min() >= LEAST - 3 * math.sqrt(LEAST * (1 - LEAST) / TRIALS)


def test_a_census_is_always_right_and_has_no_width(binary: Pool) -> None:
    table = coverage(outcome_of(binary), [400], trials=10)
    assert set(table["coverage"]) == {1.0}
    assert set(table["width"]) == {0.0}


@pytest.mark.parametrize("n_strata", [3, 5])
def test_an_estimate_that_is_the_truth_up_to_rounding_covers_it(n_strata: int) -> None:
    """Every loss of a stratum is the same, so any sample gives the truth, and Wald's limits have no width."""
    whole = profile(pool_of(300).classes())
    strata = whole.stratify(n_strata)
    for seed in range(6):
        levels = np.random.default_rng(seed).random(n_strata)
        simulated = outcome(whole, levels[strata.of_level[whole.levels.member]])
        assert simulated is not None
        table = coverage(simulated, [20, 50, 100, 300], Scheme(n_strata=n_strata), [Interval("wald")], trials=10)
        assert set(table["width"]) == {0.0} and set(table["coverage"]) == {1.0}


def test_a_census_of_partial_losses_is_right_up_to_rounding() -> None:
    whole = profile(pool_of(300).classes())
    for seed in range(6):
        simulated = outcome(whole, np.random.default_rng(seed).random(300))
        assert simulated is not None
        table = coverage(simulated, [300], trials=10)
        assert set(table["coverage"]) == {1.0} and set(table["width"]) == {0.0}


def test_the_seed_decides(binary: Pool) -> None:
    pool_outcome = outcome_of(binary)
    first, again, other = (coverage(pool_outcome, [30], trials=200, seed=s) for s in (1, 1, 2))
    pd.testing.assert_frame_equal(first, again)
    assert not first["width"].equals(other["width"])


def test_uniform_sampling_has_one_stratum(binary: Pool) -> None:
    pool_outcome = outcome_of(binary)
    table = coverage(pool_outcome, [40], Scheme(allocation="uniform"), intervals=[Interval("korn-graubard")])
    ones = int(pool_outcome.losses.sum())
    mass = stats.hypergeom(400, ones, 40).pmf(np.arange(41))
    x = np.arange(41) / 40
    limits = Interval("korn-graubard").limits(x, (1 - 0.1) * x * (1 - x) / 39, 40, 39)
    covered = float(mass[(limits.low <= ones / 400) & (ones / 400 <= limits.high)].sum())
    assert table["coverage"].item() == pytest.approx(covered, abs=4 * math.sqrt(covered * (1 - covered) / TRIALS))


def test_errors(binary: Pool, real: Pool) -> None:
    with pytest.raises(DesignError, match="at least 2"):
        coverage(outcome_of(binary), [30], trials=1)
    with pytest.raises(DesignError, match="outside 0 to 1"):
        coverage(outcome_of(real), [30])


def test_the_figure_shows_every_interval_at_every_budget(binary: Pool) -> None:
    table = coverage(outcome_of(binary), [20, 50], trials=100)
    drawn = Figure(figure(table))
    assert set(INTERVAL_STYLES) == set(INTERVAL_METHODS)
    assert len(drawn.data) == 2 * len(INTERVAL_METHODS)
    for left, right in zip(drawn.data[::2], drawn.data[1::2], strict=True):
        rows = table[table["label"].str.startswith(left.name.split(" (")[0])]
        assert list(left.x) == list(right.x) == [20, 50]
        assert {*left.y} <= {*(100 * rows["coverage"])}
        assert {*right.y} <= {*(100 * rows["width"])}


def measured(
    classes: NDArray[np.int64], losses: Mapping[str, NDArray[np.float64]], intervals: Sequence[Interval] = BOTH
) -> pd.DataFrame:
    """Coverage of intervals for every target (rows) at every budget M ≤ N/3 (columns)."""
    whole = profile(classes)
    tables = []
    # Few labels and many, unless all are asked for.
    budgets = BUDGETS if intervals == BOTH else BUDGETS[::2]
    for target, of_target in losses.items():
        simulated = outcome(whole, of_target)
        assert simulated is not None
        table = coverage(simulated, [m for m in budgets if m <= simulated.losses.size / 3], intervals=intervals)
        tables.append(table.assign(target=target))
    return pd.concat(tables).pivot(index=["target", "interval"], columns="budget", values="coverage")


def promised(cells: pd.DataFrame) -> None:
    """At least 94 % at every budget, within three standard errors of the simulation."""
    print(f"\nShare of {TRIALS:,} draws whose interval contains the truth, in %\n{(100 * cells).round(1).to_string()}")
    default = cells.xs("tilted", level="interval")
    assert default.notna().all(axis=None)
    assert default.min(axis=None) >= LEAST - 3 * math.sqrt(LEAST * (1 - LEAST) / TRIALS)


@pytest.mark.parametrize(
    ("name", "targets"),
    [
        ("gsm8k-committee10.jsonl", (0, 3)),
        *(
            pytest.param(f"{name}.jsonl", None, marks=pytest.mark.trial)
            for name in ("exams-gpt35-k10", "gsm8k-committee10", "blink-vlm-committee10")
        ),
    ],
)
def test_the_default_interval_keeps_its_promise(real_pool: Find, name: str, targets: Sequence[int] | None) -> None:
    pool = read(real_pool(name))
    names = list(pool.targets) if targets is None else [list(pool.targets)[place] for place in targets]
    promised(
        measured(pool.classes(), {name: pool.losses(name) for name in names}, BOTH if targets is None else DEFAULT)
    )


@pytest.mark.parametrize("targets", [(0, 11), pytest.param(range(12), marks=pytest.mark.trial)], ids=["two", "twelve"])
def test_the_default_interval_keeps_its_promise_for_models_of_mmlu_pro(
    official: ModelResults, targets: Sequence[int]
) -> None:
    """The least and the most accurate of twelve, or each, with the ten least accurate of the other eleven."""
    ranked = official.summary().sort_values("accuracy", kind="stable")["model"].tolist()
    assert len(ranked) == 12
    classes = official.pool(ranked, []).classes()
    intervals = BOTH if len(targets) == 12 else DEFAULT
    tables = []
    for target in targets:
        judged, other = ranked[target], ranked[11 if target == 0 else 0]
        committee = [number for number in range(12) if number != target][:10]
        losses = {judged: official.pool([other], [judged]).losses(judged)}
        tables.append(measured(classes[:, committee], losses, intervals))
    cells = pd.concat(tables)
    assert cells.shape == (len(intervals) * len(targets), len(BUDGETS if intervals == BOTH else BUDGETS[::2]))
    promised(cells)


def test_coverage_in_words_and_in_a_table(binary: Pool) -> None:
    table = coverage(outcome_of(binary), [30, 60], trials=200)
    numbers = re.findall(r"\d+(?:\.\d+)?", captions.coverage(table, 60))
    usual, _, wald = (table[table["interval"] == name].iloc[1] for name in INTERVAL_METHODS)
    shares = [f"{100 * row[name]:.1f}" for row in (usual, wald) for name in ("coverage", "coverage_error")]
    assert numbers == [shares[0], "95", shares[2], "60", max(shares[1::2], key=float)]
    ours = table[table["interval"] == "tilted"].assign(interval=RECOMMENDED.name, coverage=0.5)
    first = re.findall(r"\d+(?:\.\d+)?", captions.coverage(pd.concat([table, ours]), 60))
    assert first[:2] == ["50.0", "95"], "the recommended design comes first"
    cells = shown_tables.coverage(table)
    assert cells["M"].tolist() == [30] * 3 + [60] * 3
    assert cells["Mean width, points"].iloc[0] == f"{100 * table['width'].iloc[0]:.1f}"
    assert cells["Contains the truth, %"].iloc[3] == f"{shares[0]} (s.e. {shares[1]})"
