"""A judge on items with weights; `pytest tests/core/judge/test_weighted_judge.py -m trial -rP` prints coverage."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pyarrow as pa
import pytest

from core.design import manifest
from core.errors import DesignError, NoLabelError
from core.judge import Criterion, as_json, graded, judge, judged, judging_of, known_rates, markdown, reproduce, verdicts
from core.judge.measures import MEASURES, PASS_RATE, VerdictPair
from core.judge.rates import VerdictSample, VerdictWeights
from core.pool import Pool
from core.report import judgement_bundle, judgement_html

# Shares of items that people fail, TPR and TNR.
JUDGES = ((0.1, 0.9, 0.8), (0.3, 0.9, 0.8), (0.05, 0.97, 0.6))


def made(size: int, cv: float, fail: float, tpr: float, tnr: float, seed: int = 1) -> tuple[Pool, np.ndarray]:
    """A weighted pool, and which items people fail."""
    rng = np.random.default_rng(seed)
    weights = rng.lognormal(0, np.sqrt(np.log(1 + cv**2)), size) if cv else np.ones(size)
    fails = rng.random(size) < fail
    by_judge = np.where(fails, rng.random(size) < tnr, rng.random(size) >= tpr)
    said = {"judge": np.where(by_judge, "fail", "pass").tolist(), "other": ["pass", "fail"] * (size // 2)}
    said |= {"truth": np.where(fails, "fail", "pass").tolist()}
    columns = {"id": [f"i{place}" for place in range(size)], **said, "traffic": weights.tolist()}
    return Pool("made", pa.table(columns)).weighted("traffic"), fails


def people(plan, fails):
    return {item: bool(not fails[place]) for item, place in zip(plan.ids, plan.positions, strict=True)}


def truth(pool: Pool, fails: np.ndarray) -> dict[str, float]:
    w, by_judge = pool.weights, verdicts(pool, "judge").fails
    good, passed = w * ~fails, ~by_judge
    return {
        "pass_rate": good.sum() / w.sum(),
        "tpr": (good * passed).sum() / good.sum(),
        "tnr": (w * fails * by_judge).sum() / (w * fails).sum(),
        "agreement": (w * (fails == by_judge)).sum() / w.sum(),
    }


@pytest.mark.parametrize("centre", [0.0, 1.0])
def test_over_all_samples_the_rate_of_a_class_is_unbiased(centre: float) -> None:
    rng = np.random.default_rng(4)
    # One item of each stratum is not as the judge says, so that no sample is cut to the ends.
    strata = [(rng.uniform(0.5, 1.5, size), (np.arange(size) == 1) != bool(centre)) for size in (5, 4, 3)]
    drawn = [list(combinations(range(w.size), 2)) for w, _ in strata]
    rates = []
    for places in product(*drawn):
        chosen = [(w[list(some)], f[list(some)]) for (w, f), some in zip(strata, places, strict=True)]
        weights = VerdictWeights(
            tuple(float(w.sum()) for w, _ in strata),
            tuple(float(w.max()) for w, _ in strata),
            tuple(tuple(w.tolist()) for w, _ in chosen),
            tuple(tuple(f.tolist()) for _, f in chosen),
            centre,
        )
        fails = tuple(int(f.sum()) for _, f in chosen)
        rates.append(VerdictSample((5, 4, 3), (2, 2, 2), fails, weights).rate)
    w, f = (np.concatenate(parts) for parts in zip(*strata, strict=True))
    assert 0 < max(rates) < 1 if centre == 0 else 0 < min(rates) < 1
    assert np.mean(rates) == pytest.approx(w @ f / w.sum(), abs=1e-12)


def test_weights_of_one_give_the_limits_of_items_without_weights() -> None:
    plain, ones = [], []
    for sizes, labels, fails, centre in (
        ((300, 300, 220), (23, 23, 17), (0, 1, 3), 0.0),
        ((60, 60), (10, 12), (3, 8), 1.0),
    ):
        given = tuple((True,) * k + (False,) * (m - k) for m, k in zip(labels, fails, strict=True))
        weights = VerdictWeights(
            tuple(map(float, sizes)), (1.0,) * len(sizes), tuple((1.0,) * m for m in labels), given, centre
        )
        plain.append(VerdictSample(sizes, labels, fails))
        ones.append(replace(plain[-1], weights=weights))
    two = [VerdictPair(pair[1], pair[0]) for pair in (plain, ones)]
    for measure in MEASURES.entries:
        assert two[1].value(measure) == pytest.approx(two[0].value(measure), abs=1e-12)
        assert two[1].limits(measure) == pytest.approx(two[0].limits(measure), abs=1e-9)


def test_equal_weights_draw_todays_list_and_say_the_same() -> None:
    pool, fails = made(300, 0.0, 0.2, 0.9, 0.8)
    plan, plain = judge(pool, "judge", 60, seed=3), judge(pool.weighted(None), "judge", 60, seed=3)
    assert plan.plan_id == plain.plan_id and plan.ids.tolist() == plain.ids.tolist()
    one, other = (judged(of, people(of, fails)) for of in (plan, plain))
    assert one.measures_frame().equals(other.measures_frame()) and one.weights_line == ""


def test_a_judge_that_people_always_agree_with_is_known_exactly_to_be_right() -> None:
    pool, _ = made(300, 1.8, 0.2, 0.9, 0.8)
    by_judge = verdicts(pool, "judge").fails
    plan = judge(pool, "judge", 60, seed=2)
    result = judged(plan, people(plan, by_judge))
    assert result.pass_rate.value == pytest.approx(result.judge_only, abs=1e-12)
    assert result.judge_only == pytest.approx(pool.weights @ ~by_judge / pool.n_items)
    assert result.tpr.value == pytest.approx(1) and result.tnr.value == pytest.approx(1)


def test_every_door_says_that_items_count_by_weights(tmp_path) -> None:
    pool, fails = made(400, 1.8, 0.2, 0.9, 0.8)
    plan = judge(pool, "judge", 80, seed=1)
    again = manifest.reproduce(manifest.read(manifest.write(plan, "made")), pool)
    assert again.ids.tolist() == plan.ids.tolist()
    result = judged(plan, people(plan, fails))
    once = result.counted_once
    assert once.counted_once is None and once.pass_rate.value != result.pass_rate.value
    decision = result.decide()
    line = "Items count by their weights. With every item counted once: corrected pass rate"
    for text in (repr(result), markdown(result, decision), judgement_html(result, decision)):
        assert line in text
    assert "sampled in proportion to it" in judgement_html(result, decision)
    facts = json.loads(as_json(result, decision))
    assert facts["counted_once"]["pass_rate"]["value"] == once.pass_rate.value
    assert decision.needed is None and "not forecast" in decision.sentence
    bundle = judgement_bundle(result, decision, "", "bundle.zip")
    assert reproduce(bundle, pool).pass_rate == result.pass_rate
    # What the list was drawn for holds whatever weights the pool gets later.
    plain = judge(pool.weighted(None), "judge", 80, seed=1)
    later = judged(replace(plain, pool=pool), people(plain, fails))
    assert "drawn before the items had weights" in later.weights_line


def test_known_truths_count_by_weight() -> None:
    pool, fails = made(200, 1.8, 0.2, 0.9, 0.8)
    known = known_rates(pool, verdicts(pool, "judge"), "truth")
    assert known.truth == pytest.approx(pool.weights @ ~fails / pool.n_items)
    assert known.decide(0.5, 0.5) is not None and known.of_all() == []


def test_what_does_not_follow_weights_is_refused() -> None:
    pool, fails = made(200, 1.8, 0.2, 0.9, 0.8)
    with pytest.raises(DesignError, match="several criteria"):
        judge(pool, [Criterion("judge"), Criterion("other")], 60)
    plan = judge(pool, "judge", 60, seed=0)
    with pytest.raises(DesignError, match="Two judges on one list"):
        judged(plan, people(plan, fails), beside="other")
    with pytest.raises(NoLabelError, match="strata of items of like weight have no label"):
        judged(plan, dict(list(people(plan, fails).items())[:8]))


def test_grades_count_by_weight() -> None:
    pool, _ = made(400, 1.8, 0.2, 0.9, 0.8)
    rng = np.random.default_rng(0)
    true = rng.integers(1, 6, 400)
    given = np.clip(true + rng.integers(-1, 2, 400), 1, 5)
    table = pool.source.select(["id", "traffic"]).append_column("score", pa.array(given.astype(float)))
    graded_pool = Pool("grades", pa.table(table)).weighted("traffic")
    means = []
    for seed in range(30):
        plan = judge(graded_pool, "score", 80, scale=(1, 5), seed=seed)
        labels = {item: float(true[place]) for item, place in zip(plan.ids, plan.positions, strict=True)}
        means.append(graded(plan, labels).corrected.value)
    result = graded(plan, labels)
    assert judging_of(plan).scale is not None and result.counted_once is not None
    assert result.judge_only == pytest.approx(pool.weights @ given / 400)
    error = np.std(means, ddof=1) / np.sqrt(len(means))
    assert abs(np.mean(means) - pool.weights @ true / 400) <= 3 * error


def covered(cv: float, of: tuple[float, float, float], lists: int, budget: int = 100) -> tuple[dict[str, float], float]:
    """Shares of lists whose limits hold the truth, and the bias of the pass rate in standard errors."""
    pool, fails = made(1000, cv, *of)
    true, inside, rates = truth(pool, fails), dict.fromkeys(MEASURES, 0.0), []
    for seed in range(lists):
        plan = judge(pool, "judge", budget, seed=seed)
        result = judged(plan, people(plan, fails))
        rates.append(result.pass_rate.value)
        for name, value in true.items():
            one = result.estimate(name)
            inside[name] += (one.low - 1e-12 <= value <= one.high + 1e-12) / lists
    bias = (np.mean(rates) - true[PASS_RATE.name]) / (np.std(rates, ddof=1) / np.sqrt(lists))
    return {name: inside[name] for name in true}, float(bias)


def test_limits_hold_the_truth() -> None:
    shares, bias = covered(1.8, JUDGES[1], 60)
    assert min(shares.values()) >= 0.94 - 2 * np.sqrt(0.94 * 0.06 / 60) and abs(bias) <= 3


@pytest.mark.trial
@pytest.mark.parametrize("of", JUDGES)
@pytest.mark.parametrize("cv", [0.8, 1.8, 5.0])
def test_limits_hold_the_truth_of_more_weights(cv: float, of: tuple[float, float, float]) -> None:
    shares, bias = covered(cv, of, 400)
    print(cv, of, {name: round(share, 3) for name, share in shares.items()}, round(bias, 1))
    assert min(shares.values()) >= 0.94 - 2 * np.sqrt(0.94 * 0.06 / 400) and abs(bias) <= 3
