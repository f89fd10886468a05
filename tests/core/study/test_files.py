"""Labels from files: several of them, of another budget, with slips, and files that do not fit."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from core import labels, report
from core.design import Design, Plan
from core.errors import DesignError, LabelError
from core.estimation import Interval
from core.pool import Pool
from core.study import labelled, request
from tests.core.study.conftest import truths, verdicts


def verdict_list(plan: Plan, pool: Pool, target: str = "one") -> pd.DataFrame:
    listed = request(plan, "right-wrong", target)
    return listed.assign(label=verdicts(pool, listed["item_id"], target))


def as_bytes(listed: pd.DataFrame) -> bytes:
    return listed.drop(columns=["choices"]).to_csv(index=False).encode()


def test_labels_count_after_a_top_up(plan: Plan, pool: Pool) -> None:
    larger = plan.with_budget(100)
    old, whole = verdict_list(plan, pool), verdict_list(larger, pool)
    new = whole[~whole["item_id"].isin(old["item_id"])]
    assert (len(old), len(new)) == (60, 40)
    expected = labelled(larger, as_bytes(whole)).estimate()
    assert labelled(larger, as_bytes(pd.concat([old, new]))).estimate() == expected
    assert labelled(larger, [as_bytes(old), as_bytes(new)]).estimate() == expected
    assert labelled(larger, as_bytes(old)).estimate().n_labels == 60
    # The larger list serves the smaller plan as well.
    smaller = labelled(plan, as_bytes(whole))
    assert smaller.estimate() == labelled(plan, as_bytes(old)).estimate() and not smaller.labels.left_out
    with pytest.raises(LabelError, match="plan"):
        labelled(Design(100, seed=4).draw(pool), as_bytes(old))


def test_one_slip_is_refused_with_its_row_and_its_remedy(plan: Plan, pool: Pool) -> None:
    listed = verdict_list(plan, pool)
    listed.loc[7, "label"] = "rihgt"
    with pytest.raises(LabelError, match=r"“rihgt” \(row 9\).*--word=rihgt=right") as refused:
        labelled(plan, as_bytes(listed))
    assert [problem.row for problem in refused.value.problems] == [9]
    study = labelled(plan, as_bytes(listed), words={"rihgt": "right"})
    assert study.kind == "right-wrong" and study.estimate().n_labels == 60
    scores = request(plan, "score", "one").assign(label="0.4")
    assert labelled(plan, as_bytes(scores)).kind == "score"
    scores.loc[7, "label"] = "right"
    with pytest.raises(LabelError, match=r"“right” \(row 9\).*right-wrong"):
        labelled(plan, as_bytes(scores), kind="score")


GERMAN = {"right": "Richtig", "wrong": "falsch."}


def test_words_of_another_language_count_once_somebody_says_what_they_mean(plan: Plan, pool: Pool) -> None:
    listed = verdict_list(plan, pool)
    expected = labelled(plan, as_bytes(listed)).estimate()
    german = listed.assign(label=listed["label"].map(GERMAN))
    for kind in (None, "right-wrong"):
        with pytest.raises(LabelError, match=r"Say what each means.*: words=.*falsch.* --word=\S+=\w+ in the shell"):
            labelled(plan, as_bytes(german), kind=kind)
    study = labelled(plan, as_bytes(german), words={"richtig": "right", "FALSCH": "wrong"})
    assert study.kind == "right-wrong" and study.estimate() == expected
    n_right = int((listed["label"] == "right").sum())
    (said,) = [line for line in repr(study).splitlines() if "Words" in line]
    assert f"“richtig” as right ({n_right})" in said and f"“falsch” as wrong ({60 - n_right})" in said
    sources = study.labels.provenance()
    assert said in report.sections.sentences(sources) and not sources.notes
    # The bundle and the exported list hold what was meant, and what was written.
    assert said in repr(labelled(plan, labels.labels_csv(study.labels.rows).encode()))


def test_a_word_may_say_that_there_is_no_label(plan: Plan, pool: Pool) -> None:
    listed = verdict_list(plan, pool)
    listed.loc[[2, 5], "label"] = "Unklar"
    study = labelled(plan, as_bytes(listed))
    assert study.estimate().n_labels == 58 and study.labels.account.without_verdict == 2
    assert repr(study).splitlines()[0].endswith("58 labels, 2 without a verdict (right or wrong)")
    assert study.labels.without_verdict == (str(plan.ids[2]), str(plan.ids[5]))
    listed.loc[[2, 5], "label"] = "teils"
    said = labelled(plan, as_bytes(listed), words={"teils": "skip"})
    assert said.estimate() == study.estimate() and "“teils” as no verdict (2)" in repr(said)


@pytest.mark.parametrize("words", [{"richtig": "good"}, {"yes": "wrong"}])
def test_a_meaning_that_cannot_be_is_refused(plan: Plan, pool: Pool, words: dict[str, str]) -> None:
    with pytest.raises(LabelError, match=r"good|yes"):
        labelled(plan, as_bytes(verdict_list(plan, pool)), words=words)


def test_merged_cells_and_a_second_label_column_are_told_with_the_estimate(plan: Plan, pool: Pool) -> None:
    listed = verdict_list(plan, pool).assign(label_2="right")
    study = labelled(plan, as_bytes(listed))
    assert "“label_2” (60 labels) is not read" in repr(study) and study.estimate().n_labels == 60


def test_rows_that_do_not_count_are_shown(plan: Plan, pool: Pool) -> None:
    listed = verdict_list(plan, pool).assign(annotator="Ann")
    other = listed.loc[[3]].assign(annotator="Ben", label="right" if listed.at[3, "label"] == "wrong" else "wrong")
    foreign = listed.loc[[4]].assign(item_id="nobody", plan_id=None)
    elsewhere = listed.loc[[5]].assign(item_id="nowhere", plan_id="p000000000000")
    study = labelled(plan, as_bytes(pd.concat([listed, other, foreign, elsewhere])))
    said = " ".join(study.labels.left_out)
    assert study.labels.ties == (listed.at[3, "item_id"],) and study.outcomes.table.shape[0] == 59
    for row in ("disagree", "nobody", "nowhere"):
        assert row in said
    assert all(sentence in repr(study) for sentence in study.labels.left_out)
    assert labelled(plan, as_bytes(listed)).labels.left_out == ()


def test_right_answers_of_other_items_are_shown(plan: Plan, pool: Pool) -> None:
    listed = request(plan, "gold").assign(label=truths(pool, plan.ids))
    listed.loc[len(listed)] = listed.loc[1].to_dict() | {"item_id": "nobody"}
    study = labelled(plan, as_bytes(listed), "one", "gold")
    assert study.estimate().n_labels == 60 and len(study.labels.left_out) == 1
    listed.loc[0, "label"] = "Z?"
    with pytest.raises(LabelError, match=r"“Z\?” \(row 2\)"):
        labelled(plan, as_bytes(listed), "one", "gold")


@pytest.mark.parametrize("kind", ["score", "gold"])
def test_a_file_without_any_label_that_counts_is_refused(plan: Plan, pool: Pool, kind: str) -> None:
    listed = verdict_list(plan, pool).drop(columns="answers_of")
    with pytest.raises(LabelError, match="60 labels are not understood"):
        labelled(plan, as_bytes(listed), "one", kind)
    gold = request(plan, "gold").assign(label=truths(pool, plan.ids))
    with pytest.raises(LabelError, match="60 labels are not understood"):
        labelled(plan, as_bytes(gold), "one", "right-wrong")


def test_what_does_not_fit_is_named(plan: Plan, pool: Pool) -> None:
    one, two = verdict_list(plan, pool), verdict_list(plan, pool, "two")
    with pytest.raises(LabelError, match="column `label`"):
        labelled(plan, as_bytes(one.assign(label=None)))
    with pytest.raises(LabelError, match="“two”, not of “one”"):
        labelled(plan, as_bytes(two), "one")
    with pytest.raises(LabelError, match="“one” and “two”"):
        labelled(plan, [as_bytes(one), as_bytes(two)])
    assert labelled(plan, [as_bytes(one), as_bytes(two)], "two").estimate() == labelled(plan, as_bytes(two)).estimate()
    with pytest.raises(LabelError, match="right-wrong"):
        labelled(plan, as_bytes(one.assign(kind="right-wrong")), "one", "gold")


@pytest.mark.parametrize("target", [None, "gpt-4"])
def test_a_target_that_the_pool_has_not_is_refused(plan: Plan, pool: Pool, target: str | None) -> None:
    with pytest.raises(LabelError, match="“one” and “two”"):
        request(plan, "right-wrong", target)
    gold = as_bytes(request(plan, "gold").assign(label=truths(pool, plan.ids)))
    with pytest.raises(LabelError, match="“one” and “two”"):
        labelled(plan, gold, target)
    with pytest.raises(LabelError, match="“one” and “two”"):
        labelled(plan, gold, "one").compare(target or "nobody")


def test_verdicts_may_be_of_a_target_that_the_pool_has_not(plan: Plan, pool: Pool) -> None:
    plain = as_bytes(verdict_list(plan, pool).drop(columns="answers_of"))
    study = labelled(plan, plain, "gpt-4")
    assert study.target == "gpt-4" and study.result().answered is None


def test_a_target_is_not_compared_with_itself(plan: Plan, pool: Pool) -> None:
    with pytest.raises(DesignError, match="one"):
        labelled(plan, as_bytes(verdict_list(plan, pool))).compare("one")


def test_metrics_need_right_answers_and_an_answer_that_occurs(plan: Plan, pool: Pool) -> None:
    with pytest.raises(DesignError, match="gold"):
        labelled(plan, as_bytes(verdict_list(plan, pool))).metrics("A")
    gold = as_bytes(request(plan, "gold").assign(label=truths(pool, plan.ids)))
    with pytest.raises(DesignError, match="“A”"):
        labelled(plan, gold, "one").metrics("E")


def test_intervals_and_answer_kind_may_be_chosen(plan: Plan, pool: Pool) -> None:
    scores = request(plan, "score", "one").assign(label=np.linspace(1, 10, 60))
    study = labelled(plan, as_bytes(scores), kind="score", interval=Interval(confidence=0.9, bounded=False))
    assert study.estimate().n_labels == 60 and study.result().confidence == 0.9
    gold = as_bytes(request(plan, "gold").assign(label=truths(pool, plan.ids)))
    assert labelled(plan, gold, "one", parser="as-is").labels.parser == "as-is"


def test_a_table_is_read_like_its_file(plan: Plan, pool: Pool) -> None:
    listed = verdict_list(plan, pool)
    assert labelled(plan, listed).estimate() == labelled(plan, as_bytes(listed)).estimate()
    assert labelled(plan, listed.set_index("item_id")).estimate() == labelled(plan, listed).estimate()
    numbers = listed.assign(label=(listed["label"] == "right").astype(float))
    assert labelled(plan, numbers).estimate() == labelled(plan, listed).estimate()
    with pytest.raises(LabelError, match="label"):
        labelled(plan, listed.drop(columns="label"))


def test_what_is_no_file_is_refused(plan: Plan, tmp_path: Path) -> None:
    for wrong in (tmp_path / "missing.csv", tmp_path, io.StringIO("item_id,label\n"), 7):
        with pytest.raises(LabelError):
            labelled(plan, wrong)  # type: ignore[arg-type]


def test_the_list_holds_the_replacements_of_lost_items(plan: Plan, pool: Pool) -> None:
    spare = labels.replacements(plan, [str(plan.ids[0])])
    listed = labels.request(plan, pool.items, positions=spare["place"].to_numpy())
    assert listed["item_id"].tolist() == spare["item_id"].tolist() and set(listed["plan_id"]) == {plan.plan_id}
