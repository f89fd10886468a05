"""A study of items with weights: every number of it counts them, with the estimate of items counted once beside it."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from core.design import recommend
from core.pool import Pool
from core.report import report_bundle, report_html, report_json
from core.study import labelled
from core.study.bundle import reproduce
from tests.core.study.conftest import records, rows, truths, verdicts


@pytest.fixture(scope="module")
def weighted() -> Pool:
    rng = np.random.default_rng(1)
    weights = rng.lognormal(0, 1.2, 300)
    return Pool.from_records(
        [{**row, "traffic": float(w)} for row, w in zip(records(), weights, strict=True)]
    ).weighted("traffic")


@pytest.fixture(scope="module")
def study(weighted):
    plan = recommend(weighted, 80, "one").draw(weighted, seed=2)
    return labelled(plan, rows(plan.ids, verdicts(weighted, plan.ids, "one")), "one")


def test_a_study_estimates_the_weighted_accuracy(weighted, study):
    losses = weighted.losses("one")
    truth = 1 - np.average(losses, weights=weighted.weights)
    estimate = study.estimate()
    assert estimate.low < truth < estimate.high
    assert estimate.value == pytest.approx(1 - study.plan.estimate(losses).value)
    once = study.outcomes.counted_once
    assert once.value != estimate.value
    assert once.low < 1 - losses.mean() < once.high
    assert any(line.startswith("Items count by their weights. With every item counted once:") for line in study.remarks)


def test_all_items_labelled_give_every_weighted_number(weighted):
    """Of a census each number is exact, so weights can be checked one by one."""
    plan = recommend(weighted, 300, "one").draw(weighted, seed=2)
    study = labelled(plan, rows(plan.ids, truths(weighted, plan.ids)), "one", "gold")
    w, right = weighted.weights, 1 - weighted.losses("one")
    assert study.estimate().value == pytest.approx(np.average(right, weights=w))
    for row in study.by("group").to_dict("records"):
        member = weighted.items["group"].to_numpy() == row["group"]
        assert row["value"] == pytest.approx(np.average(right[member], weights=w[member]))
    said, true = weighted.target_answers("one"), weighted.items["answer"].to_numpy()
    precision, recall, _ = study.metrics("A").estimates
    assert precision.value == pytest.approx(w[(said == "A") & (true == "A")].sum() / w[said == "A"].sum())
    assert recall.value == pytest.approx(w[(said == "A") & (true == "A")].sum() / w[true == "A"].sum())
    gap = study.compare("two").gap
    assert gap.value == pytest.approx(np.average(right - (1 - weighted.losses("two")), weights=w))
    share = study.outcomes.strata_table["share_of_pool"]
    assert share.sum() == pytest.approx(1)
    assert share.to_numpy() == pytest.approx(np.bincount(plan.stratum, weights=w) / 300)


def test_the_report_and_its_bundle_say_both(weighted, study):
    result = study.result()
    document = json.loads(report_json(result, study.labels.provenance(), study.labels.rows, study.remarks))
    assert document["counted_once"]["value"] == study.outcomes.counted_once.value
    assert document["estimate"]["value"] == study.estimate().value
    assert "With every item counted once" in report_html(result)
    assert result.precision.uniform.high - result.precision.uniform.low > 0
    bundle = report_bundle(study, result)
    assert reproduce(bundle, weighted).estimate() == study.estimate()


def test_fewer_labels_and_lost_ones(study):
    plan = study.plan
    assert study.top_up(study.outcomes.half_width * 0.8).further > 0
    cut = labelled(plan, rows(plan.ids[:30], verdicts(study.pool, plan.ids[:30], "one")), "one")
    joined = cut.outcomes.joined
    assert joined is not None
    assert joined.low < 1 - np.average(study.pool.losses("one"), weights=study.pool.weights) < joined.high
    assert cut.partial().known == pytest.approx(plan.shares[cut.outcomes.counts > 0].sum())


def test_a_longer_list_has_no_estimate_by_waves(study):
    result = replace(study.result(), earlier=(40,))
    assert result.in_waves is None
    assert "counts each item by its weight" in report_html(result).replace("\n", " ")


def test_a_list_from_before_the_weights_says_so(weighted):
    pool = weighted.weighted(None)
    plan = recommend(pool, 60, "one").draw(pool, seed=0)
    study = labelled(replace(plan, pool=weighted), rows(plan.ids, verdicts(pool, plan.ids, "one")), "one")
    assert study.outcomes.counted_once is None
    assert any("drawn before the items had weights" in line for line in study.remarks)
