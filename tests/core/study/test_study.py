"""A plan with its labels, from an archive and from files: what counts, and what follows."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from core import labels
from core.archive import Archive
from core.design import Design, Plan, Scheme
from core.design.two_waves import corrected
from core.errors import DesignError, LabelError
from core.estimation import Interval, domains, stratified
from core.estimation.contrasts import difference
from core.labels.formats.records import GIVEN_UP
from core.pool import Pool
from core.report import promised, report, report_html
from core.study import Labelling, Study, judged_items, labelled, request
from core.words import SPACE
from tests.core.labels.tools import TOOLS, Fill, fill_csv
from tests.core.study.conftest import CREATED, rows, truths, verdicts
from tests.core.study.examples import accuracy, numbers


def filled(listed: pd.DataFrame, given: list[str]) -> bytes:
    """The list as CSV, filled in its order."""
    return fill_csv(labels.export(listed, "csv"), dict(zip(listed["item_id"], given, strict=True)))


def values(pool: Pool, ids, target: str) -> np.ndarray:
    return 1 - pool.losses(target)[pool.items.index.get_indexer(list(ids))]


def complete(archive: Archive, plan: Plan, pool: Pool, kind: str = "right-wrong", target: str = "one") -> Study:
    """All labels of a plan, kept."""
    given = truths(pool, plan.ids) if kind == "gold" else verdicts(pool, plan.ids, target)
    Labelling.load(archive, plan, pool, kind, target).save(archive, rows(plan.ids, given), "csv", CREATED)
    return Study(Labelling.load(archive, plan, pool, kind, target))


def test_groups_are_predicted_by_the_risk_of_the_design_as_the_labels_correct_it(archive: Archive, pool: Pool) -> None:
    risk = np.clip(np.random.default_rng(2).normal(0.3 + 0.4 * pool.losses("two"), 0.1), 0, 1)
    scheme = Scheme("risk", stratifier="equal-mass", n_strata=20, allocation="equal", target="one")
    plan = Design(40, scheme, 4, tuple(risk)).draw(pool)
    table = complete(archive, plan, pool).by()
    right, groups = values(pool, plan.ids, "one"), pool.items["group"].tolist()
    expected = 1 - corrected(np.array(plan.design.risk), plan.positions, 1 - right)
    pd.testing.assert_frame_equal(table, domains(right, plan.positions, plan.stratum, groups, predicted=expected))
    without = domains(right, plan.positions, plan.stratum, groups)
    assert (table["model_value"] != without["model_value"]).all()
    assert table[["value", "low", "high"]].equals(without[["value", "low", "high"]])


def test_strata_wait_for_a_label_that_can_be_read(archive: Archive, plan: Plan, pool: Pool) -> None:
    study = Study(Labelling.load(archive, plan, pool, "right-wrong", "one"))
    assert study.labels.empty_strata == set(range(plan.strata.n_strata))
    first = [str(plan.ids[plan.items["stratum"] == h][0]) for h in range(plan.strata.n_strata)]
    study.labels.save(archive, rows(first[1:], ["right"] * (len(first) - 2) + ["perhaps"]), "csv", CREATED)
    assert Labelling.load(archive, plan, pool, "right-wrong", "one").empty_strata == {0, plan.strata.n_strata - 1}


@pytest.mark.parametrize("kind", ["gold", "right-wrong"])
def test_the_estimate_is_that_of_the_targets_outcomes(archive: Archive, plan: Plan, pool: Pool, kind: str) -> None:
    study = complete(archive, plan, pool, kind)
    right, strata = values(pool, plan.ids, "one"), plan.stratum[plan.positions]
    assert study.labels.missing == study.labels.ties == () and study.partial() is None
    assert study.estimate() == accuracy(right, strata, plan.strata.sizes)
    assert study.estimate(0.8) == accuracy(right, strata, plan.strata.sizes, 0.8)
    groups = domains(right, plan.positions, plan.stratum, pool.items["group"].tolist())
    assert study.by("group").equals(groups)
    assert study.by("answer")["items"].sum() == 300
    assert study.top_up(0.03).total > 60
    line = repr(study).replace(SPACE, " ").splitlines()[0]
    estimate = study.estimate()
    limits = f"{100 * estimate.low:.1f} % to {100 * estimate.high:.1f} %"
    assert line == f"Accuracy {100 * estimate.value:.1f} % ({limits}), 60 labels ({labels.KINDS[kind].brief})"
    with pytest.raises(DesignError, match="nonsense"):
        study.by("nonsense")


@pytest.mark.parametrize("kind", ["gold", "right-wrong"])
def test_another_target_is_compared_on_the_same_items(archive: Archive, plan: Plan, pool: Pool, kind: str) -> None:
    study = complete(archive, plan, pool, kind)
    strata = plan.stratum[plan.positions]
    one, two = (values(pool, plan.ids, name) for name in ("one", "two"))
    assert numbers(study.compare("two").gap) == numbers(difference(one, two, strata, plan.strata.sizes))
    # Labels of the other target win over what the pool knows.
    turned = [{"right": "wrong", "wrong": "right"}[label] for label in verdicts(pool, plan.ids, "two")]
    other = Study(Labelling.load(archive, plan, pool, "right-wrong", "two"))
    other.labels.save(archive, rows(plan.ids, turned), "csv", CREATED)
    gap = Study(Labelling.load(archive, plan, pool, kind, "one")).compare("two").gap
    other = two if kind == "gold" else 1 - two
    assert numbers(gap) == numbers(difference(one, other, strata, plan.strata.sizes))


def test_metrics_are_of_right_answers_alone(archive: Archive, plan: Plan, pool: Pool) -> None:
    study = complete(archive, plan, pool, "gold")
    assert set(study.labels.positives) == {"A", "B", "C"}
    metrics = study.metrics("A")
    assert metrics.true == truths(pool, plan.ids).count("A") and metrics.n_labels == 60
    part = study.result().answered
    silent = sum(int(str(item)[1:]) % 11 == 0 for item in plan.ids)
    assert part is not None and part.silent == silent > 0
    assert complete(archive, plan, pool).labels.positives == ()


def test_labels_of_other_kinds_and_targets_do_not_count(archive: Archive, plan: Plan, pool: Pool) -> None:
    complete(archive, plan, pool, "right-wrong", "two")
    study = Study(Labelling.load(archive, plan, pool, "right-wrong", "one"))
    assert study.labels.labelled == frozenset() and len(study.labels.log) == 60 and len(study.labels.missing) == 60
    assert "No estimate yet" in repr(study)
    with pytest.raises(DesignError, match="No item of strat"):
        study.estimate()
    waiting = study.partial()
    assert waiting is not None and len(waiting.empty) == plan.strata.n_strata and waiting.estimate is None


def test_disputes_wait_for_a_decision_that_can_be_withdrawn(archive: Archive, plan: Plan, pool: Pool) -> None:
    item = str(plan.ids[0])
    study = complete(archive, plan, pool)
    (label,) = verdicts(pool, [item], "one")
    other = "wrong" if label == "right" else "right"
    study.labels.save(archive, rows([item], [other], "Ben"), "here", CREATED)
    disputed = Study(study.labels.refreshed(archive))
    assert disputed.labels.ties == (item,) and disputed.labels.missing == ()
    assert set(disputed.labels.choices(item)) == {"right", "wrong"}
    assert disputed.estimate().n_labels == 59 and disputed.result().undecided == 1
    disputed.labels.decide(archive, item, other, CREATED)
    decided = Study(disputed.labels.refreshed(archive))
    assert decided.labels.ties == () and decided.labels.choices(item) == disputed.labels.choices(item)
    assert decided.labels.settlement.labels.set_index("item_id").at[item, "label"] == other
    assert decided.labels.provenance().by_decision == 1
    decided.labels.withdraw(archive, item, CREATED)
    assert decided.labels.refreshed(archive).ties == (item,)


def test_lost_items_are_replaced_in_the_order_of_the_design(archive: Archive, plan: Plan, pool: Pool) -> None:
    gone = [str(item) for item in plan.ids[:3]]
    Labelling.load(archive, plan, pool, "right-wrong", "one").save(
        archive, rows(gone, [None] * 3, status=GIVEN_UP), "here", CREATED
    )
    study = Study(Labelling.load(archive, plan, pool, "right-wrong", "one"))
    instead = study.labels.spare["item_id"].astype(str).tolist()
    assert study.labels.lost == tuple(gone) and study.labels.due == (*map(str, plan.ids[3:]), *instead)
    assert [plan.stratum[place] for place in study.labels.spare["place"]] == plan.stratum[plan.positions[:3]].tolist()
    listed = study.labels.request()
    assert listed["item_id"].tolist() == [*map(str, plan.ids), *instead]
    assert listed["position"].tolist() == list(range(1, 64))
    study.labels.save(archive, rows(study.labels.due, verdicts(pool, study.labels.due, "one")), "csv", CREATED)
    again = Study(Labelling.load(archive, plan, pool, "right-wrong", "one"))
    assert again.labels.items == (*map(str, plan.ids), *instead) and again.estimate().n_labels == 60
    assert again.labels.missing == () and set(again.result().missing) == set(gone)


def test_labels_of_a_larger_budget_count_and_those_beyond_are_told(archive: Archive, plan: Plan, pool: Pool) -> None:
    larger = plan.with_budget(100)
    complete(archive, larger, pool)
    study = Study(Labelling.load(archive, plan, pool, "right-wrong", "one"))
    assert larger.plan_id in study.labels.family and study.labels.beyond == 40
    assert study.estimate().n_labels == 60 and study.labels.missing == ()
    whole = Study(Labelling.load(archive, larger, pool, "right-wrong", "one"))
    assert Study(study.labels.with_budget(100)).estimate() == whole.estimate()
    more = study.labels.with_budget(120)
    assert len(more.missing) == 20 and set(more.due) - more.labelled == set(more.missing)


def test_scores_may_lie_outside_0_to_1_only_where_that_is_said(archive: Archive, plan: Plan, pool: Pool) -> None:
    scores = np.random.default_rng(0).normal(5, 2, 60).round(3)
    Labelling.load(archive, plan, pool, "score", "one").save(
        archive, rows(plan.ids, [str(score) for score in scores]), "csv", CREATED
    )
    study = Study(Labelling.load(archive, plan, pool, "score", "one"))
    outside = int(((scores < 0) | (scores > 1)).sum())
    with pytest.raises(LabelError, match=f"{outside} labels are not understood.*Grades from"):
        study.estimate()
    free = Study(replace(study.labels, interval=Interval(bounded=False)))
    strata = plan.stratum[plan.positions]
    assert free.estimate().value == pytest.approx(stratified(scores, strata, plan.strata.sizes, bounded=False).value)
    assert repr(free).startswith("Mean score ") and free.result().answered is None


@pytest.mark.parametrize(("form", "source", "fill"), TOOLS, ids=[fill.__name__ for *_, fill in TOOLS])
@pytest.mark.parametrize("kind", ["gold", "right-wrong"])
def test_a_request_goes_out_and_comes_back(
    plan: Plan, pool: Pool, form: str, source: str, fill: Fill, kind: str
) -> None:
    listed = request(plan, kind, "one")
    given = truths(pool, plan.ids) if kind == "gold" else verdicts(pool, plan.ids, "one")
    data = labels.export(listed, form, kind)
    if form == "label-studio" and kind == "right-wrong":
        tasks = json.loads(data)
        for task in tasks:
            task["data"].setdefault("options", [])
        data = json.dumps(tasks).encode()
    content = fill(data, dict(zip(map(str, plan.ids), given, strict=True)))
    study = labelled(plan, content, "one", kind)
    assert set(study.labels.log["source"]) == {source} and (study.kind, study.target) == (kind, "one")
    strata = plan.stratum[plan.positions]
    assert study.estimate() == accuracy(values(pool, plan.ids, "one"), strata, plan.strata.sizes)


def test_a_file_says_its_kind_and_its_target(plan: Plan, pool: Pool) -> None:
    judged = labelled(plan, filled(request(plan, "right-wrong", "two"), verdicts(pool, plan.ids, "two")))
    assert (judged.kind, judged.target) == ("right-wrong", "two")
    scored = labelled(plan, filled(request(plan, "score", "two"), ["0.5"] * 60))
    assert (scored.kind, scored.target) == ("score", "two")
    with pytest.raises(LabelError, match="“one” and “two”"):
        labelled(plan, filled(request(plan, "gold"), truths(pool, plan.ids)))


def test_a_file_and_an_archive_give_the_same_result(archive: Archive, plan: Plan, pool: Pool, tmp_path) -> None:
    study = complete(archive, plan, pool, "gold")
    path = tmp_path / "filled.csv"
    path.write_bytes(filled(request(plan, "gold"), truths(pool, plan.ids)))
    assert labelled(plan, path, "one").estimate() == study.estimate()
    assert report(study, tmp_path / "report.html").read_text(encoding="utf-8") == report_html(
        replace(study.result(), promise=promised(study)), study.labels.provenance(), items=judged_items(study)
    )
    assert '"neyman-result/2"' in report(study, tmp_path / "report.json", half_width=0.05).read_text(encoding="utf-8")


def test_a_file_that_does_not_fit_is_refused(plan: Plan, pool: Pool) -> None:
    other = Design(60, seed=9).draw(pool)
    lines = "\n".join(["item_id,label,plan_id", *(f"{item},right,{other.plan_id}" for item in plan.ids)])
    with pytest.raises(LabelError, match=other.plan_id):
        labelled(plan, lines.encode(), "one", "right-wrong")
    with pytest.raises(LabelError, match="nobody"):
        labelled(plan, b"item_id,label\nnobody,right\n", "one")
    judged = filled(request(plan, "right-wrong", "two"), ["right"] * 60)
    with pytest.raises(LabelError, match="one"):
        labelled(plan, judged, "one")
    with pytest.raises(LabelError, match="target"):
        request(plan, "right-wrong")
    with pytest.raises(DesignError, match="profile"):
        request(Plan(**{name: getattr(plan, name) for name in plan.__dataclass_fields__} | {"pool": None}), "gold")


def test_what_the_target_was_never_asked_is_not_handed_out(pool: Pool, plan: Plan) -> None:
    records = pool.items.reset_index().to_dict("records")
    for number, record in enumerate(records):
        record["generations"] = pool.generations[number]
        if number % 2:
            record["targets"] = {"half": {"answer": "A"}}
        for name, value in list(record.items()):
            if isinstance(value, np.ndarray):
                record[name] = value.tolist()
    half = Pool.from_records(records, "half")
    small = Design(40, seed=1).draw(half)
    listed = request(small, "right-wrong", "half")
    assert listed["item_id"].map(lambda item: int(item[1:]) % 2).all() and 0 < len(listed) < 40
    assert len(request(small, "gold")) == 40


def test_the_result_says_what_the_study_says(archive: Archive, plan: Plan, pool: Pool) -> None:
    study = complete(archive, plan, pool, "gold")
    result = study.result(other="two", positive="B", half_width=0.05, made="today")
    assert result.estimate == study.estimate() and result.groups is not None
    assert result.comparison == study.compare("two") and result.metrics == study.metrics("B")
    assert result.answered == study.result().answered and result.more == study.top_up(0.05)
    assert result.pool == "two targets" and result.manifest["plan_id"] == plan.plan_id


def test_a_list_knows_the_smaller_ones_that_were_labelled_before(pool: Pool, plan: Plan, archive: Archive) -> None:
    first = Study(Labelling.load(archive, plan, pool, "right-wrong", "one"))
    assert first.labels.with_budget(100).earlier == (), "nothing was labelled yet"
    first.labels.save(archive, rows(plan.ids, verdicts(pool, plan.ids, "one")), "csv", CREATED)
    study = Study(Labelling.load(archive, plan, pool, "right-wrong", "one"))
    more = Study(study.labels.with_budget(100))
    assert (study.labels.earlier, more.labels.earlier, more.labels.with_budget(50).earlier) == ((), (60,), ())
    left = [str(item) for item in more.plan.ids[60:]]
    more.labels.save(archive, rows(left, verdicts(pool, left, "one")), "csv", CREATED)
    again = Study(Labelling.load(archive, more.plan, pool, "right-wrong", "one"))
    assert again.labels.earlier == (60,) and again.labels.with_budget(120).earlier == (60, 100)
    assert again.result().in_waves is not None and study.result().in_waves is None
    ended = pd.DataFrame([{"item_id": str(plan.ids[3]), "label": None, "annotator": "Ann", "status": "cancelled"}])
    other = Study(Labelling.load(archive, plan, pool, "right-wrong", "two"))
    given = rows(plan.ids[4:], verdicts(pool, plan.ids[4:], "two"))
    other.labels.save(archive, pd.concat([given, ended], ignore_index=True), "csv", CREATED)
    bounded = Study(Labelling.load(archive, plan, pool, "right-wrong", "two")).result()
    # The limits hold whichever way the item would have gone, like the three that nobody labelled.
    assert bounded.n_given_up == 1 and bounded.n_open == 4 and bounded.worst_case is None


def test_labels_of_two_waves_are_estimated_with_the_weights_of_the_waves(archive: Archive, pool: Pool) -> None:
    losses = pool.losses("one")
    first = Design(60, Scheme(waves=2, n_strata=30), 3).draw(pool)
    Labelling.load(archive, first, pool, "right-wrong", "one").save(
        archive, rows(first.ids, verdicts(pool, first.ids, "one")), "csv", CREATED
    )
    second = first.next_wave(losses)
    study = Study(Labelling.load(archive, second, pool, "right-wrong", "one"))
    labels = study.labels
    assert len(labels.missing) == 45 and labels.labelled == {*map(str, first.ids)} and labels.earlier == ()
    labels.save(archive, rows(labels.missing, verdicts(pool, labels.missing, "one")), "csv", CREATED)
    study = Study(study.labels.refreshed(archive))
    plain = second.estimate(losses)
    estimate, result = study.estimate(), study.result()
    assert estimate.value == pytest.approx(1 - plain.value) and estimate.n_labels == 60
    assert estimate.standard_error == pytest.approx(plain.standard_error)
    assert result.estimate == estimate and result.in_waves is None
    assert result.precision.uniform.value == estimate.value and result.top_up(0.05).total > 60
    usual = result.intervals.set_index("interval").loc["tilted"]
    assert (usual["low"], usual["high"]) == (estimate.low, estimate.high)
    assert study.labels.with_budget(90).earlier == (60,)
    table = study.by().set_index("group")
    items = pool.items["group"].value_counts()
    assert table["labels"].sum() == 60 and (table["estimator"] == "ratio").all()
    assert table["value"] @ items[table.index] / 300 == pytest.approx(estimate.value, abs=0.03)
    assert ((table["low"] < table["value"]) & (table["value"] < table["high"])).all()
    # A list that is extended once more has three waves.
    more = Study(study.labels.with_budget(120))
    more.labels.save(archive, rows(more.labels.missing, verdicts(pool, more.labels.missing, "one")), "csv", CREATED)
    again = Study(Labelling.load(archive, more.plan, pool, "right-wrong", "one")).result()
    assert again.earlier == (60,) and again.in_waves is not None
    assert again.in_waves.value != again.estimate.value and "3 waves" in again.in_waves.method
