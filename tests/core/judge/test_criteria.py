"""Several criteria on one pass: one list for the worst known, labels of each, results of each."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import core as neyman
from core.design import manifest
from core.errors import DesignError, LabelError
from core.judge import Criterion, JudgeVerdicts, by_criterion, everything, request, verdicts
from core.judge.checklist import each_criterion
from core.judge.measures import MEASURES
from core.labels import asked_pool, export, read, target_code
from core.pool import Pool
from tests.conftest import ROOT
from tests.core.judge.pools import people_of, records_of
from tests.core.wording import Saying

SIZE = 300
HELPFUL = Criterion("Helpful", "judge", "It answers the question.")
SAFE = Criterion("Safe", "safe", "It harms nobody.", threshold=4)


@pytest.fixture(scope="module")
def pool() -> Pool:
    rng = np.random.default_rng(3)
    rows = [row | {"safe": int(rng.integers(1, 6))} for row in records_of(SIZE)]
    return Pool.from_records(rows, "answers")


@pytest.fixture(scope="module")
def plan(pool: Pool) -> neyman.Plan:
    return neyman.judge(pool, [HELPFUL, SAFE], 100, seed=4)


def safe_people() -> dict[str, bool]:
    rng = np.random.default_rng(5)
    return {item: bool(rng.random() < 0.9) for item in people_of(SIZE)}


def filled(plan: neyman.Plan) -> pd.DataFrame:
    frame, helpful, safe = request(plan), people_of(SIZE), safe_people()
    frame["label: Helpful"] = ["pass" if helpful[item] else "fail" for item in frame["item_id"]]
    frame["label: Safe"] = ["pass" if safe[item] else "fail" for item in frame["item_id"]]
    return frame


def test_the_list_is_drawn_for_the_criterion_that_is_known_worst(pool: Pool, plan: neyman.Plan) -> None:
    assert plan.design.judging is not None and plan.design.judging.planned is not None
    alone = {one.name: neyman.judge(pool, one, 100, seed=4) for one in (HELPFUL, SAFE)}
    widths = {
        name: neyman.judge.forecast(*np.bincount(~verdicts(pool, one.column, one.threshold).fails).tolist(), 100)
        for name, one in (("Helpful", HELPFUL), ("Safe", SAFE))
    }
    worst = max(widths, key=lambda name: widths[name].half_width(MEASURES["tnr"]))
    assert plan.design.judging.planned.name == worst
    assert sorted(plan.ids) == sorted(alone[worst].ids)


def test_each_criterion_has_its_column_and_its_result(plan: neyman.Plan, tmp_path: Path) -> None:
    assert not {"label", "judge", "safe", "answers_of"} & set(request(plan).columns)
    path = tmp_path / "filled.csv"
    filled(plan).to_csv(path, index=False)
    found = by_criterion(plan, path)
    assert list(found) == ["Helpful", "Safe"]
    for name, people in (("Helpful", people_of(SIZE)), ("Safe", safe_people())):
        one = neyman.judged(plan, people, criterion=name)
        assert found[name].measures_frame().equals(one.measures_frame())
        truth = np.mean(list(people.values()))
        assert found[name].pass_rate.low < truth < found[name].pass_rate.high
        assert found[name].n_labels == 100


@pytest.mark.parametrize("form", ["csv", "jsonl", "xlsx"])
def test_labels_of_every_format_come_back_to_their_criterion(plan: neyman.Plan, form: str) -> None:
    listed = request(plan).head(3)
    listed["label: Safe"] = "fail"
    content = export(listed, form, "right-wrong")
    rows = read(content if isinstance(content, bytes) else content.encode()).rows
    given = rows[rows["label"].notna()]
    assert given["label"].tolist() == ["fail"] * 3 and given["answers_of"].nunique() == 1
    assert rows["answers_of"].nunique() == 2


def test_with_every_label_a_criterion_is_exact(pool: Pool) -> None:
    plan = neyman.judge(pool, [HELPFUL, SAFE], SIZE, seed=4)
    people, fails = np.array(list(safe_people().values())), verdicts(pool, "safe", 4).fails
    one = neyman.judged(plan, safe_people(), criterion="Safe")
    assert one.tnr.value == pytest.approx(fails[~people].mean()) and one.tnr.low == one.tnr.high


def test_a_manifest_keeps_rubrics_and_a_list_without_them_keeps_its_name(pool: Pool, plan: neyman.Plan) -> None:
    document = manifest.read(manifest.write(plan, pool.name, {}))
    assert document.design.judging == plan.design.judging
    assert manifest.reproduce(document, pool, stratum=plan.stratum).plan_id == plan.plan_id
    simple = neyman.judge(pool, "judge", 50, seed=1)
    assert "criteria" not in manifest.write(simple, pool.name, {})


def test_a_bundle_gives_a_criterions_numbers(plan: neyman.Plan, pool: Pool, tmp_path: Path) -> None:
    for name, one in by_criterion(plan, filled(plan)).items():
        path = neyman.report(one, tmp_path / f"{name}.zip")
        assert neyman.judge.reproduce(path, pool).measures_frame().equals(one.measures_frame())


def test_what_cannot_be_a_criterion_is_refused(pool: Pool, plan: neyman.Plan) -> None:
    assert Criterion.of("a, b;c\td", "It is so.") == Criterion("a b c d", "a, b;c\td", "It is so.")
    for name in ("a, b", "a\rb", "a\x0bb", " "):
        with pytest.raises(DesignError, match="short text"):
            Criterion(name)
    with pytest.raises(DesignError, match="Two criteria have the name “a”"):
        neyman.judge(pool, [Criterion("a", "judge"), Criterion("a ", "safe", threshold=4)], 50)
    with pytest.raises(DesignError, match="Two criteria have the column “judge”"):
        neyman.judge(pool, [HELPFUL, Criterion("other", "judge")], 50)
    with pytest.raises(DesignError, match="no common threshold"):
        neyman.judge(pool, [HELPFUL, SAFE], 50, threshold=4)
    with pytest.raises(DesignError, match="“Helpful”, “Safe”"):
        neyman.judged(plan, people_of(SIZE), criterion="Kind")
    with pytest.raises(DesignError, match="no criteria"):
        by_criterion(neyman.judge(pool, "judge", 50, seed=1), people_of(SIZE))


def test_labels_of_a_name_with_blanks_around_it_come_back(pool: Pool) -> None:
    plan = neyman.judge(pool, [Criterion(" Helpful ", "judge"), SAFE], 60, seed=4)
    list_of = filled(plan)
    assert {name: one.n_labels for name, one in by_criterion(plan, list_of).items()} == {"Helpful": 60, "Safe": 60}
    with pytest.raises(LabelError, match="No row has a label of “criterion Safe” yet"):
        neyman.judged(plan, list_of.assign(**{"label: Safe": ""}), criterion="Safe")


def test_a_tool_that_takes_one_label_an_item_gets_a_list_of_each_criterion(plan: neyman.Plan) -> None:
    with pytest.raises(LabelError, match=r"Label Studio tasks take one criterion at a time.*criterion=.*JSON Lines"):
        export(request(plan), "label-studio", "right-wrong")
    with pytest.raises(DesignError, match="no criterion “Kind”"):
        request(plan, "Kind")
    files = []
    for name, people in (("Helpful", people_of(SIZE)), ("Safe", safe_people())):
        records = json.loads(export(request(plan, name), "argilla", "right-wrong"))
        for record in records:
            verdict = "right" if people[record["item_id"]] else "wrong"
            record["neyman_label.responses"], record["neyman_label.responses.users"] = [verdict], ["Ann"]
        files.append(json.dumps(records).encode())
    found, together = by_criterion(plan, files), by_criterion(plan, filled(plan))
    assert {name: one.pass_rate for name, one in found.items()} == {
        name: one.pass_rate for name, one in together.items()
    }
    assert list(by_criterion(plan, files[1])) == ["Safe"]


def test_criteria_without_a_label_yet_are_left_out(plan: neyman.Plan) -> None:
    empty = filled(plan).assign(**{"label: Safe": ""})
    assert list(by_criterion(plan, empty)) == ["Helpful"]
    with pytest.raises(LabelError, match="No row has a label yet"):
        by_criterion(plan, empty.assign(**{"label: Helpful": ""}))
    reasons = each_criterion(plan, empty)[1]
    assert {name: str(why) for name, why in reasons.items()} == {"Safe": Saying("No row has a label of")}
    with pytest.raises(LabelError, match="100 labels are not understood: “gut”"):
        by_criterion(plan, filled(plan).assign(**{"label: Safe": "gut"}))


def test_a_file_of_another_target_is_refused_beside_labels_of_a_criterion() -> None:
    rows = [
        row | {"safe": number % 5 + 1, "targets": {"bot": {"text": "else"}}}
        for number, row in enumerate(records_of(40))
    ]
    plan = neyman.judge(Pool.from_records(rows, "answers"), [HELPFUL, SAFE], 30, seed=4)
    people = people_of(40)
    safe = request(plan, "Safe").assign(
        label=lambda table: ["pass" if people[item] else "fail" for item in table["item_id"]]
    )
    bot = safe.assign(answers_of=target_code("bot"))
    files = [frame.to_csv(index=False).encode() for frame in (safe, bot)]
    assert list(by_criterion(plan, files[:1])) == ["Safe"]
    with pytest.raises(LabelError, match="judge the answers of “bot”, not of “criterion Helpful”"):
        by_criterion(plan, files)


@pytest.mark.parametrize("name", ["outputs", "criterion Helpful"])
def test_a_model_of_the_name_of_what_is_judged_is_another_one(name: str) -> None:
    """People were shown what the model “outputs” said, and not the column that the judge had seen."""
    rows = [row | {"targets": {name: {"text": "else"}, "other": {"text": "x"}}} for row in records_of(40)]
    pool = Pool.from_records(rows, "answers")
    plan = neyman.judge(pool, HELPFUL if "Helpful" in name else "judge", 20, seed=1, target=None)
    listed = request(plan)
    assert listed["target_answer"].tolist() == [f"answer {item}" for item in listed["item_id"]]
    assert plan.design.judging is not None
    known = asked_pool(plan.design.judging, pool)
    assert asked_pool(plan.design.judging, known) is known and "other" in known.targets
    people = people_of(40)
    assert neyman.judged(plan, people).n_labels == 20
    bare = pool.source.select([column for column in pool.source.column_names if column != "output"])
    assert (
        name not in asked_pool(plan.design.judging, Pool("bare", bare, pool.notes, pool.origin, pool.account)).targets
    )


def of_three(size: int) -> tuple[Pool, dict[str, np.ndarray]]:
    """Three criteria that items fail together, and a judge that is wrong on a quarter of what is hard to it."""
    rng = np.random.default_rng(size)
    hard = rng.random(size)
    people = {name: hard < share for name, share in (("a", 0.9), ("b", 0.7), ("c", 0.8))}
    said = {name: np.where(rng.random(size) < 0.85, good, rng.random(size) < 0.7) for name, good in people.items()}
    rows = [{"id": str(place)} | {name: int(one[place]) for name, one in said.items()} for place in range(size)]
    return Pool.from_records(rows, "items"), people


def of_llmbar(_: int) -> tuple[Pool, dict[str, np.ndarray]]:
    """What GPT-4 and PaLM2 say as verdicts on two criteria, which people decide alike."""
    pool = neyman.read(ROOT / "data" / "llmbar.parquet")
    good = ~verdicts(pool, "people").fails
    return pool, {"GPT-4": good, "PaLM2": good}


@pytest.mark.trial
@pytest.mark.parametrize(
    ("make", "size", "budget"),
    [(of_three, 300, 50), (of_three, 1_000, 100), (of_llmbar, 419, 50), (of_llmbar, 419, 100)],
)
def test_criteria_hold_their_truth(
    make: Callable[[int], tuple[Pool, dict[str, np.ndarray]]], size: int, budget: int
) -> None:
    """A list drawn for the worst known; the others are post-stratified by their verdicts.

    At most as many lists of 200 miss as limits of 95 % may: the chance of more than 19 is below 1 %.
    """
    pool, people = make(size)
    truth = {name: everything(verdicts(pool, name), JudgeVerdicts("people", ~good)) for name, good in people.items()}
    missed = Counter[str]()
    for seed in range(200):
        plan = neyman.judge(pool, [Criterion(name) for name in people], budget, seed=seed)
        for name, good in people.items():
            labels = {item: bool(good[place]) for item, place in zip(plan.ids, plan.positions, strict=True)}
            one = neyman.judged(plan, labels, criterion=name)
            for measure in ("pass_rate", "tpr", "tnr"):
                estimate = one.estimate(measure)
                missed[f"{name} {measure}"] += not estimate.low <= truth[name].value(MEASURES[measure]) <= estimate.high
    print({name: 1 - count / 200 for name, count in missed.items()})
    assert max(missed.values()) <= 19, missed


def table_forms(frame: pd.DataFrame) -> list[bytes | pd.DataFrame]:
    return [frame.to_csv(index=False).encode(), frame.to_json(orient="records", lines=True).encode(), frame]


@pytest.mark.parametrize("title", ["Label: Helpful", "label: helpful", "LABEL:Helpful", "label :  Helpful "])
def test_a_criterion_is_known_in_any_case(plan: neyman.Plan, title: str) -> None:
    frame = filled(plan)
    usual = by_criterion(plan, frame)
    for form in table_forms(frame.rename(columns={"label: Helpful": title}).assign(label=None)):
        found = by_criterion(plan, form)
        assert list(found) == ["Helpful", "Safe"] and "are not read" not in str(found["Helpful"].remarks)
        assert found["Helpful"].measures_frame().equals(usual["Helpful"].measures_frame())


def test_labels_of_no_criterion_or_of_every_one_are_refused(plan: neyman.Plan) -> None:
    for form in table_forms(filled(plan).rename(columns={"label: Helpful": "label: helpfull"})):
        with pytest.raises(LabelError, match=r"100 labels of this file are of no criterion .*“label: Helpful”"):
            by_criterion(plan, form)
    for form in table_forms(filled(plan).assign(label="pass")):
        with pytest.raises(LabelError, match="“label: Helpful” and “label: Safe”, and in “label”"):
            by_criterion(plan, form)


def test_a_criterion_without_a_result_is_named(plan: neyman.Plan) -> None:
    found = by_criterion(plan, filled(plan).drop(columns="label: Safe"))
    assert list(found) == ["Helpful"] and "Criterion “Safe” has no result: " in str(found["Helpful"].remarks)


@pytest.mark.parametrize("title", ["Safe", "label_Safe", "label..Safe", "Label Safe", "label - Safe"])
def test_a_column_of_a_criterion_with_another_header_is_named_with_the_right_one(plan: neyman.Plan, title: str) -> None:
    for form in table_forms(filled(plan).rename(columns={"label: Safe": title})):
        said = str(by_criterion(plan, form)["Helpful"].remarks).casefold()
        name = title.casefold()
        assert f"column “{name}” (100 labels) is not read, only “label: helpful”." in said
        assert f"if “{name}” holds labels of a criterion, call it “label: safe”." in said


@pytest.mark.parametrize("between", ["_", "..", " ", " - ", "/"])
def test_criteria_whose_headers_a_program_changed_are_no_people_alone(plan: neyman.Plan, between: str) -> None:
    changed = {f"label: {name}": f"label{between}{name}" for name in ("Helpful", "Safe")}
    for form in table_forms(filled(plan).rename(columns=changed)):
        with pytest.raises(LabelError) as refused:
            by_criterion(plan, form)
        said = str(refused.value).casefold()
        assert "hold labels of criteria, call them “label: helpful” and “label: safe”." in said


def test_labels_that_name_no_criterion_are_said_to_count_for_each(plan: neyman.Plan) -> None:
    people = people_of(SIZE)
    plain = pd.DataFrame({"item_id": plan.ids, "label": ["pass" if people[item] else "fail" for item in plan.ids]})
    for form in table_forms(plain):
        for one in by_criterion(plan, form).values():
            assert "100 labels in “label” name no criterion: they count for every one. " in str(one.remarks)
    for silent in (people, filled(plan)):
        assert not any("no criterion" in str(one.remarks) for one in by_criterion(plan, silent).values())
