"""Rounds of labelling, label by label: every frame is the estimate of a plan that stopped there."""

from __future__ import annotations

import numpy as np
import pytest

from core.design import Design, Scheme
from core.errors import DesignError
from core.estimation import stratified, uniform
from core.simulation import courses
from core.simulation.replications import round_seeds
from core.stratification import outcome, signal_profile

SCHEME = Scheme("column", "equal-mass", 4, "equal", column="judge")


@pytest.fixture(scope="module", params=[True, False], ids=["binary", "real"])
def known(request: pytest.FixtureRequest):
    rng = np.random.default_rng(3)
    risk = rng.beta(0.7, 0.9, 300)
    losses = (rng.random(300) < risk).astype(float) if request.param else risk + rng.normal(0, 0.2, 300)
    return outcome(signal_profile(risk, np.full(300, np.nan), risk), losses)


def test_every_frame_is_the_estimate_of_the_plan_of_so_many_labels(known):
    runs = courses(known, SCHEME, 40, rounds=3, seed=5)
    bounded = set(known.losses) <= {0.0, 1.0}
    ids = np.arange(300).astype(str).astype(object)
    for number, seed in enumerate(round_seeds(3, 5).tolist()):
        plan = Design(40, SCHEME, seed).plan("0" * 64, ids, known.profile)
        assert runs.positions[number].tolist() == plan.positions.tolist()
        assert len(set(runs.uniform[number])) == 40
        for labels in (8, 9, 23, 40):
            head, beside = plan.positions[:labels], runs.uniform[number, :labels]
            assert head.tolist() == plan.with_budget(labels).positions.tolist()
            expected = {
                "design": stratified(known.losses[head], plan.stratum[head], plan.strata.sizes, bounded=bounded),
                "uniform": uniform(known.losses[beside], 300, bounded=bounded),
            }
            rows = runs.frames.query("round == @number and labels == @labels").set_index("method")
            for method, one in expected.items():
                limits = rows.loc[method, ["value", "low", "high"]].to_numpy(dtype=float)
                np.testing.assert_allclose(limits, [one.value, one.low, one.high], rtol=1e-9, atol=1e-12)


def test_frames_begin_with_two_labels_a_stratum_and_come_for_every_label(known):
    runs = courses(known, SCHEME, 30, rounds=2)
    counts = runs.frames.groupby(["round", "method"])["labels"].agg(list)
    assert counts.tolist() == [list(range(8, 31))] * 4
    assert courses(known, SCHEME, 30, rounds=2).frames.equals(runs.frames)


@pytest.mark.parametrize(("frames", "labels"), [(1, [30]), (2, [8, 30]), (3, [8, 19, 30])])
def test_fewer_frames_are_some_of_all(known, frames, labels):
    every, some = courses(known, SCHEME, 30, rounds=2), courses(known, SCHEME, 30, rounds=2, frames=frames)
    expected = every.frames[every.frames["labels"].isin(labels)].reset_index(drop=True)
    assert some.frames.equals(expected) and some.typical == every.typical


def test_the_typical_round_misses_as_most_do(known):
    runs = courses(known, SCHEME, 30, rounds=41)
    last = runs.frames[runs.frames["labels"] == 30].pivot(index="round", columns="method", values="value")
    rank = (last - runs.mean).abs().rank(pct=True).loc[runs.typical]
    assert rank.between(0.25, 0.75).all()


def test_estimates_are_centred_on_the_truth(known):
    runs = courses(known, SCHEME, 20, rounds=400, seed=1)
    for _, values in runs.frames.groupby(["method", "labels"])["value"]:
        assert abs(values.mean() - known.losses.mean()) < 4.5 * values.std() / 20


@pytest.mark.parametrize(("scheme", "budget"), [(SCHEME, 7), (SCHEME, 301), (Scheme(waves=2), 40)])
def test_what_cannot_be_shown_is_refused(known, scheme, budget):
    with pytest.raises(DesignError):
        courses(known, scheme, budget)
