"""The list of a version gate as a pool: it holds the gate, and its labels decide it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from core.archive import Archive
from core.archive.label_log import COLUMNS
from core.design import Design, Scheme
from core.errors import LabelError
from core.gates import VersionGate, gate, gate_of, listed_pool, pool_of
from core.gates.version_gate import VersionDecision
from core.labels import read
from core.pool import Pool
from core.prospect import Prospect
from core.study import BegunGate, Incoming, Labelling, begun, labelled, request
from tests.core.gates.test_version_gate import versions, without_answers
from tests.core.wording import Saying

NOW = "2026-11-25T12:00:00+00:00"


@pytest.fixture(params=["graded", "not graded", "options"])
def planned(request: pytest.FixtureRequest) -> tuple[Pool, VersionGate]:
    pool = versions(600, 90, 40, graded=request.param != "not graded", options=request.param == "options")
    return pool, gate(pool, "v1", "v2", 0.03, looks="once", seed=4)


def losses_of(planned: VersionGate, seed: int = 0) -> dict[object, float]:
    rng = np.random.default_rng(seed)
    return {(item, name): float(rng.random() < 0.5) for item, name in planned.gradings.itertuples(index=False)}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("n_items", 10**15),
        ("n_items", 1),
        ("sizes", ["a", "b"]),
        ("known", [[], [5.0]]),
        ("stratum", [7] * 500),
        ("old_loss", [2.0]),
        ("looks", "never"),
        ("margin", "x"),
        ("names", ["old version right", "nobody"]),
        ("old", None),
        ("known", [1, 2]),
        ("old_graded", 601),
        ("old_graded", "all"),
        ("absent", [1]),
        ("absent", [1, -1, 0]),
        ("absent", [1, "all", 0]),
        ("banked", "yes"),
    ],
)
def test_what_a_hostile_file_says_is_no_gate(field: str, value: object) -> None:
    pool = versions(600, 90, 40)
    listed = listed_pool(gate(pool, "v1", "v2", 0.03), pool)
    told = json.loads(listed.table.column("version_gate")[0].as_py()) | {field: value}
    column = pa.array([json.dumps(told)] + [None] * (listed.n_items - 1), pa.string())
    table = listed.table.drop_columns(["version_gate"]).append_column("version_gate", column)
    assert gate_of(Pool("evil", table)) is None


def limits(decision: VersionDecision) -> tuple[float, ...]:
    one = decision.difference
    return one.value, one.low, one.high, one.n_labels


def test_the_gate_comes_back_from_its_list_and_decides_the_same(planned: tuple[Pool, VersionGate]) -> None:
    pool, one = planned
    listed = listed_pool(one, pool)
    again = gate_of(listed)
    assert again is not None
    assert list(listed.ids) == one.items["item_id"].tolist() == again.items["item_id"].tolist()
    assert again.strata_table().equals(one.strata_table())
    assert (again.n_items, again.n_labels, again.sentence) == (one.n_items, one.n_labels, one.sentence)
    for seed in range(5):
        losses = losses_of(one, seed)
        first, second = one.decide(losses), again.decide(losses)
        assert first.verdict == second.verdict
        assert limits(first) == pytest.approx(limits(second))
    assert pool_of(listed) == pool.digest
    assert "list of the gate" in listed.name and again.selection == one.selection


def test_a_list_says_which_items_were_left_out() -> None:
    pool = versions(600, 90, 40)
    one = gate(without_answers(pool, {"v2": tuple(pool.ids[:5])}), "v1", "v2", 0.03)
    again = gate_of(listed_pool(one, pool))
    assert again is not None and again.left_out == one.left_out == Saying("5 of 600 items", "no answer of v2")
    assert (again.n_items, again.sentence) == (595, one.sentence)


@pytest.mark.parametrize(("wrong", "verdict"), [(0, "pass"), (12, "undecided")])
def test_a_list_of_an_earlier_version_with_items_that_nobody_can_grade_is_decided_all_the_same(
    tmp_path: Path, wrong: int, verdict: str
) -> None:
    """Such lists had items that a version has no answer to: the limits hold for both ways of grading them."""
    whole = versions(600, 90, 40)
    one = gate(whole, "v1", "v2", 0.03)
    ids = one.items["item_id"].tolist()
    gaps = tuple(ids[:3])
    pool = without_answers(whole, {"v2": gaps})
    archive, listed = Archive(tmp_path), listed_pool(one, pool)
    archive.pools.save(pool, NOW)
    losses = {(item, "v2"): float(place < wrong) for place, item in enumerate(ids[3:])}
    _labelled(archive, listed, losses, [item for item in ids[3:-1]])
    some = begun(archive, listed, "v1", "v2")
    assert some is not None and some.decision.sentence == Saying("Undecided", "1 item of the list is not graded")
    _labelled(archive, listed, losses, ids[3:])
    found = begun(archive, listed, "v1", "v2")
    assert found is not None and set(found.losses) == set(losses)
    ends = [one.decide(losses | {(item, "v2"): loss for item in gaps}).difference for loss in (0.0, 1.0)]
    decided = found.decision
    assert (decided.verdict, decided.difference.n_labels) == (verdict, len(ids) - 3)
    assert (decided.difference.low, decided.difference.high) == pytest.approx((ends[0].low, ends[1].high))
    assert "not graded" not in decided.sentence
    assert found.remark == Saying("3 items", "no answer of v2", ", ".join(gaps), "“(no answer)”")


@pytest.mark.parametrize("looks", ["once", "any"])
@pytest.mark.parametrize("graded", [True, False])
@pytest.mark.parametrize("places", [[0], [0, 10], [0, 1, 2, 8], None])
def test_labels_and_items_are_counted_without_those_that_nobody_can_grade(
    looks: str, graded: bool, places: list[int] | None
) -> None:
    """Of a list whose fourth to eighth item have no answer of v2, with labels at these places, or all."""
    pool, each = versions(600, 90, 40, graded=graded), 1 if graded else 2
    one = gate(pool, "v1", "v2", 0.03, looks=looks)
    ids = one.items["item_id"].tolist()
    gaps = tuple(ids[3:8])
    listed = listed_pool(one, without_answers(pool, {"v2": gaps}))
    labelled = {ids[place] for place in places or range(len(ids))} - {*gaps}
    losses: dict[object, float] = {
        (item, name): 0.0 for item, name in one.gradings.itertuples(index=False) if item in labelled
    }
    decided = BegunGate(one, listed, "", losses, tuple((item, "v2") for item in gaps)).decision
    assert (decided.n_graded, decided.n_listed) == (len(labelled), len(ids) - 5)
    counting = 1 if looks == "any" and places == [0, 10] else len(labelled)
    assert decided.difference.n_labels == counting * each
    if looks == "once" and places is not None:
        assert decided.sentence == Saying("Undecided", f"{len(ids) - 5 - len(labelled)} items", "not graded")
    else:
        assert "not graded" not in decided.sentence
    # A label of the old version that such an item can have counts, and nobody waits for it.
    if not graded and places is None:
        more = BegunGate(
            one, listed, "", losses | {(gaps[0], "v1"): 1.0}, tuple((item, "v2") for item in gaps)
        ).decision
        assert (more.n_graded, more.n_listed) == (decided.n_graded, decided.n_listed)
        assert more.difference.n_labels == decided.difference.n_labels + 1
        assert more.difference.low <= more.difference.high <= decided.difference.high


@pytest.mark.parametrize("graded", [True, False])
def test_an_outcome_in_place_of_an_answer_counts_on_a_list_that_has_it(tmp_path: Path, graded: bool) -> None:
    pool = versions(600, 90, 40, graded=graded)
    one = gate(pool, "v1", "v2", 0.03)
    ids = one.items["item_id"].tolist()
    listed = listed_pool(one, without_answers(pool, {"v2": tuple(ids[:3])}, loss=0.0))
    losses: dict[object, float] = dict.fromkeys(one.gradings.itertuples(index=False, name=None), 0.0)
    archive = Archive(tmp_path)
    if not graded:
        _labelled(archive, listed, losses, ids, "v1")
    _labelled(archive, listed, losses, ids[3:])
    found = begun(archive, listed, "v1", "v2")
    assert found is not None and (found.unanswered, found.remark, found.losses) == ((), "", losses)
    assert limits(found.decision) == pytest.approx(limits(one.decide(losses)))


def test_a_list_of_a_gate_has_no_accuracy() -> None:
    """Its items are those that the versions answer differently: 46.8 % there, of a model that is right on 80.8 %."""
    pool = versions(600, 90, 40)
    listed = listed_pool(gate(pool, "v1", "v2", 0.03), pool)
    assert Prospect(pool, "v1", 20).fact is not None and Prospect(listed, "v1", 20).fact is None


def test_a_pool_that_is_no_list_has_no_gate() -> None:
    assert gate_of(versions(20, 5, 2)) is None
    odd = Pool.from_records([{"id": "1", "version_gate": "mine"}, {"id": "2", "version_gate": "3"}])
    assert gate_of(odd) is None and pool_of(odd) is None


def _labelled(
    archive: Archive,
    listed: Pool,
    losses: dict[object, float],
    count: int | list[str],
    target: str = "v2",
    now: str = NOW,
) -> str:
    archive.pools.save(listed, now)
    plan = Design(listed.n_items, Scheme(allocation="uniform", n_strata=1)).draw(listed, seed=2)
    Labelling(plan, listed, pd.DataFrame(), "right-wrong", target).save_plan(archive, now)
    ids = list(plan.ids)[:count] if isinstance(count, int) else count
    said = ["wrong" if losses[(item, target)] else "right" for item in ids]
    archive.labels.save(plan.plan_id, pd.DataFrame({"item_id": ids, "label": said}), now, "csv", "right-wrong", target)
    return plan.plan_id


def test_labels_of_the_list_decide_the_gate(tmp_path: Path) -> None:
    pool = versions(600, 90, 40)
    one = gate(pool, "v1", "v2", 0.03)
    archive, losses = Archive(tmp_path), losses_of(one)
    archive.pools.save(pool, NOW)
    assert begun(archive, pool, "v1", "v2") is None
    listed = listed_pool(one, pool)
    _labelled(archive, listed, losses, listed.n_items - 1)
    some = begun(archive, pool, "v1", "v2")
    assert some is not None and some.decision.verdict == "undecided" and "1 item" in some.decision.sentence
    _labelled(archive, listed, losses, listed.n_items)
    for start in (pool, listed):
        found = begun(archive, start, "v1", "v2")
        assert found is not None and found.losses == losses
        assert limits(found.decision) == pytest.approx(limits(one.decide(losses)))
    assert begun(archive, pool, "v2", "v1") is None
    # As earlier versions named it.
    archive.pools.save(Pool(f"{pool.name}: v1 → v2", listed.table), NOW)
    assert begun(archive, pool, "v1", "v2") is not None


def test_kept_labels_that_are_the_same_on_both_versions_are_refused_as_by_the_command(tmp_path: Path) -> None:
    """They say what the right answer is, and once decided the gate."""
    answers = ["yes", "no"]
    records = [
        {"id": f"i{n}", "targets": {"v1": {"answer": answers[n % 2]}, "v2": {"answer": answers[(n + (n < 30)) % 2]}}}
        for n in range(60)
    ]
    pool = Pool.from_records(records)
    listed = listed_pool(gate(pool, "v1", "v2", 0.03), pool)
    archive = Archive(tmp_path)
    losses: dict[object, float] = {(f"i{n}", name): float(n % 3 == 0) for n in range(60) for name in ("v1", "v2")}
    for target in ("v1", "v2"):
        plan_id = _labelled(archive, listed, losses, listed.n_items, target)
        table = pd.DataFrame({"item_id": listed.ids, "label": [answers[losses[one, "v1"] > 0] for one in listed.ids]})
        archive.labels.save(plan_id, table, NOW, "csv", "right-wrong", target)
    with pytest.raises(LabelError, match="30 items have the same label on both versions’ answers"):
        begun(archive, listed, "v1", "v2")


def test_both_versions_are_graded_where_the_old_one_was_not(tmp_path: Path) -> None:
    pool = versions(600, 90, 40, graded=False)
    one = gate(pool, "v1", "v2", 0.03)
    archive, losses = Archive(tmp_path), losses_of(one)
    listed = listed_pool(one, pool)
    for target in ("v1", "v2"):
        _labelled(archive, listed, losses, listed.n_items, target)
    found = begun(archive, listed, "v1", "v2")
    assert found is not None and found.losses == losses
    assert limits(found.decision) == pytest.approx(limits(one.decide(losses)))


def test_right_answers_are_refused_and_kept_ones_count(tmp_path: Path) -> None:
    """The command refused them, and page Label and Python took them."""
    pool = versions(600, 90, 40)
    one = gate(pool, "v1", "v2", 0.03)
    listed = listed_pool(one, pool)
    plan = Design(listed.n_items, Scheme(allocation="uniform")).draw(listed, seed=1)
    answers = dict(zip(listed.ids, listed.target_answers("v2"), strict=True))
    rows = pd.DataFrame({"item_id": plan.ids, "label": [answers[item] for item in plan.ids], "annotator": "Ann"})
    said = "The list of a gate asks how good answers are, so its labels are not of the kind “gold”."
    with pytest.raises(LabelError, match=said):
        request(plan, "gold")
    with pytest.raises(LabelError, match=said):
        labelled(plan, rows, "v2", "gold")
    asked = Labelling(plan, listed, pd.DataFrame(columns=list(COLUMNS), dtype=object), "right-wrong", "v2")
    content = rows.assign(kind="gold").to_csv(index=False).encode()
    with pytest.raises(LabelError, match=said):
        Incoming(asked, read(content).rows).settlements  # noqa: B018
    archive = Archive(tmp_path)
    asked.save_plan(archive, NOW)
    archive.pools.save(listed, NOW)
    archive.labels.save(plan.plan_id, rows, NOW, "csv", "gold")
    found = begun(archive, pool, "v1", "v2")
    assert found is not None and {found.losses[(item, "v2")] for item in plan.ids} == {0.0}


def test_looks_at_any_label_follow_the_order_in_which_the_list_is_labelled(tmp_path: Path) -> None:
    pool = versions(600, 200, 100)
    one = gate(pool, "v1", "v2", 0.05, looks="any")
    archive, losses = Archive(tmp_path), losses_of(one)
    listed = listed_pool(one, pool)
    _labelled(archive, listed, losses, 30)
    found = begun(archive, listed, "v1", "v2")
    assert found is not None and found.decision.difference.n_labels == 30
    # What becomes known of the items meanwhile changes neither the list nor its rule.
    assert found.gate.n_labels == one.n_labels and found.gate.looks == "any"


@pytest.mark.parametrize("graded", [True, False])
def test_a_list_that_left_it_undecided_leads_to_its_rest_which_is_exact(tmp_path: Path, graded: bool) -> None:
    """61 of 76 items were graded, the verdict was “undecided”, and nothing said that 15 more decide exactly."""
    pool, archive = versions(500, 76, 38, graded=graded), Archive(tmp_path)
    one = gate(pool, "v1", "v2", 0.02)
    ids = one.pool_ids[one.unequal].tolist()
    # The new version loses 34 items and mends 24: ten more, the margin itself.
    losses: dict[object, float] = {
        (item, name): float(place < 38 if name == "v1" else place < 14 or 38 <= place < 72)
        for name in ("v1", "v2")
        for place, item in enumerate(item for kind in (1.0, 0.0) for item in _by_place(pool, ids, kind))
    }
    asked = ("v2",) if graded else ("v1", "v2")
    for target in asked:
        listed = listed_pool(one, pool)
        _labelled(archive, listed, losses, listed.n_items, target)
    found = begun(archive, pool, "v1", "v2")
    assert found is not None and found.decision.verdict == "undecided"
    left = 76 - one.order.size
    assert found.next_step == Saying(f"the other {left} items", "known exactly")
    rest = found.further(one)
    assert rest is not None and {*rest.items["item_id"]} == {*ids} - {*one.items["item_id"]}
    assert rest.rates == Saying("All 76 items", "exact") and not rest.why_rates and not rest.or_all
    for target in asked:
        _labelled(archive, listed_pool(rest, pool), losses, rest.order.size, target, "2026-11-26T12:00:00+00:00")
    last = begun(archive, pool, "v1", "v2")
    assert last is not None and not last.next_step
    exact = sum(losses[(item, "v2")] - losses[(item, "v1")] for item in ids) / 500
    assert limits(last.decision)[:3] == pytest.approx((exact,) * 3) and "exactly" in last.decision.sentence
    # Answers that are read otherwise are other items.
    assert found.further(gate(versions(500, 75, 38, graded=graded), "v1", "v2")) is None


def _by_place(pool: Pool, ids: list[str], loss: float) -> list[str]:
    """The differing items whose old answer is wrong (1) or right (0); if none is graded, each half of them."""
    old = dict(zip(pool.ids.tolist(), pool.losses("v1").tolist(), strict=True))
    if np.isnan(old[ids[0]]):
        return ids[:38] if loss else ids[38:]
    return [item for item in ids if old[item] == loss]
