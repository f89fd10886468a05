"""What a study shows of itself: its report, its summaries, and every object of it in a few lines."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import pandas as pd
import pytest

import neyman
from core.archive import Archive
from core.design import Plan, recommend
from core.errors import DesignError
from core.estimation import Interval
from core.pool import Pool
from core.report import sentences
from core.report.sections import sentences as provenance_sentences
from core.study import Labelling, Study, labelled, request
from tests.core.study.conftest import CREATED, rows, truths, verdicts
from tests.core.wording import Saying


@pytest.fixture(scope="module")
def study(plan: Plan, pool: Pool) -> Study:
    return labelled(plan, request(plan, "gold").assign(label=truths(pool, plan.ids)), "one", "gold")


@pytest.fixture(scope="module")
def waiting(plan: Plan, pool: Pool) -> Study:
    """The labels of one stratum alone."""
    listed = request(plan, "gold").assign(label=truths(pool, plan.ids))
    return labelled(plan, listed[(plan.stratum[plan.positions] == 0)], "one", "gold")


def test_the_report_begins_the_table_of_precision_with_the_wanted_half_width(study: Study, tmp_path: Path) -> None:
    path = neyman.report(study, tmp_path / "r.html", half_width=0.05)
    more = path.read_text(encoding="utf-8").split("More precision")[1]
    assert more.split("</thead>")[1].split("<td>")[1].startswith("5")
    assert f"<td>{study.top_up(0.05).further:,}</td>" in more


def test_the_json_holds_the_labels_that_the_page_gives_it(archive: Archive, plan: Plan, pool: Pool, tmp_path) -> None:
    larger = plan.with_budget(100)
    whole = Study(Labelling.load(archive, larger, pool, "right-wrong", "one"))
    whole.labels.save(archive, rows(larger.ids, verdicts(pool, larger.ids, "one")), "csv", CREATED)
    study = Study(Labelling.load(archive, plan, pool, "right-wrong", "one"))
    document = json.loads(neyman.report(study, tmp_path / "r.json").read_text(encoding="utf-8"))
    assert len(study.labels.log) == 100 and len(document["labels_as_given"]) == len(study.labels.rows) == 60


@pytest.mark.parametrize("name", ["r.html", "r.HTM", "r.JSON"])
def test_a_report_is_html_or_json_by_its_name(study: Study, tmp_path: Path, name: str) -> None:
    text = neyman.report(study, tmp_path / name).read_text(encoding="utf-8")
    assert text.startswith("{" if "json" in name.lower() else "<!doctype html>")


def test_a_report_elsewhere_or_of_something_else_is_refused(study: Study, plan: Plan, tmp_path: Path) -> None:
    for name in ("r.txt", "r"):
        with pytest.raises(DesignError, match=r"\.html, \.json or \.zip"):
            neyman.report(study, tmp_path / name)
    with pytest.raises(DesignError, match="Plan"):
        neyman.report(plan, tmp_path / "r.html")  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


def test_a_report_that_has_to_wait_says_where_to_look(waiting: Study, tmp_path: Path) -> None:
    with pytest.raises(DesignError, match=r"Strata 1.*partial"):
        neyman.report(waiting, tmp_path / "r.html")


def test_the_report_names_its_arguments() -> None:
    names = list(inspect.signature(neyman.report).parameters)
    assert names == ["study", "path", "other", "positive", "half_width", "made", "price", "tpr", "tnr", "most_bias"]


def test_labels_that_cannot_be_used_are_not_called_missing(plan: Plan, pool: Pool) -> None:
    given = verdicts(pool, plan.ids, "one")
    given[5], given[9] = "perhaps", None
    study = labelled(plan, request(plan, "right-wrong", "one").assign(label=given), "one", "right-wrong")
    said = sentences.remarks(study.result())[0]
    # One says so, the other was passed over.
    assert said == Saying("2 items have no verdict", "whichever way") and "missing" not in said


def test_labels_of_nobody_have_no_annotator(study: Study) -> None:
    said = " ".join(provenance_sentences(study.labels.provenance()))
    assert said == Saying("60 labels of 60 items", "not named") and "person" not in said


def test_a_study_accounts_for_the_rows_of_its_file(plan: Plan, pool: Pool) -> None:
    listed = request(plan, "right-wrong", "one")
    whole = listed.assign(label=verdicts(pool, listed["item_id"], "one"), annotator="Ann")
    other = whole.head(2).assign(label="unclear", annotator="Bob")
    tied = whole.iloc[[5]].assign(annotator="Bob", label=[{"right": "wrong", "wrong": "right"}[whole["label"].iloc[5]]])
    study = labelled(plan, pd.concat([whole, other, tied, whole.tail(3)]), "one", "right-wrong")
    account = study.labels.account
    assert (account.used, account.ties, account.repeated, account.without_verdict, account.empty) == (59, 2, 3, 2, 0)
    assert account.used == study.estimate().n_labels and account.rows == 66
    assert account.sentence in repr(study).splitlines() and account.sentence.startswith("66 rows = 59 labels used + 2")
    assert "rows =" not in repr(labelled(plan, whole, "one", "right-wrong"))


def test_summaries_have_the_same_columns(study: Study) -> None:
    columns = ["measure", "value", "standard_error", "low", "high", "n_labels"]
    pair, metrics = study.compare("two"), study.metrics("A")
    assert metrics.summary_frame().columns.tolist() == columns
    assert metrics.summary_frame()["measure"].tolist() == ["precision", "recall", "F1"]
    assert metrics.summary_frame()["value"].tolist() == [one.value for one in metrics.estimates]
    assert pair.summary_frame().columns.tolist() == ["target", *columns]
    assert pair.summary_frame()["target"].tolist() == ["one", "two"]
    assert set(pair.summary_frame()["measure"]) == {"accuracy"} and pair.gap.measure == "difference in accuracy"
    assert set(columns) < set(study.estimate().summary_frame().columns)


def test_everything_is_shown_in_a_few_short_lines(study: Study, waiting: Study, pool: Pool) -> None:
    partial = waiting.partial()
    objects = [
        study.compare("two"),
        study.metrics("A"),
        study.outcomes,
        study.labels.settlement,
        partial,
        waiting.labels.settlement,
    ]
    for one in objects:
        lines = repr(one).splitlines()
        assert len(lines) <= 8 and max(map(len, lines)) <= 90, repr(one)
    assert f"{study.compare('two').gap.value:.3f}" in repr(study.compare("two"))
    assert "60 labels" in repr(study.labels.settlement) and repr(study.outcomes) == repr(study)
    assert "4 of 5 strata" in repr(partial)
    assert "No estimate yet" in repr(waiting.outcomes)
    many = recommend(pool, 60, "one", ()).draw(pool, seed=0)
    filled = request(many, "gold").assign(label=truths(pool, many.ids))
    assert many.strata.n_strata == 30
    for rows_given, lines in ((filled, 23), (filled.head(3), 1)):
        shown = repr(labelled(many, rows_given, "one", "gold").outcomes).splitlines()
        assert len(shown) == lines and max(map(len, shown)) <= 90


def test_a_line_and_a_top_up_need_no_groups_and_no_manifest(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(Study, "by", refuse)
    monkeypatch.setattr(Labelling, "manifest", property(refuse))
    assert "60 labels" in repr(study) and study.top_up(0.05).further > 0


def test_groups_are_by_columns_that_group(study: Study) -> None:
    with pytest.raises(DesignError, match="“group”") as error:
        study.by("subject")
    assert "prompt" not in str(error.value) and "“answer”" not in str(error.value)


def test_a_top_up_of_scores_without_bounds(plan: Plan, pool: Pool) -> None:
    scores = pd.Series(range(60), index=plan.ids).map(str)
    listed = request(plan, "score", "one").assign(label=scores.to_numpy())
    free = labelled(plan, listed, interval=Interval(bounded=False))
    assert free.top_up(5.0) == free.result().top_up(5.0)
