"""What is said of where labels come from, and the labels as they were given, out and back."""

from __future__ import annotations

import pandas as pd
import pytest

from core import labels
from core.labels.formats.records import DECISION, POOL
from core.report.sections import sentences
from core.study import Provenance, provenance
from core.words import SPACE
from tests.core.wording import Saying

COLUMNS = ["plan_id", "item_id", "annotator", "kind", "target", "label", "note", "status", "source", "created"]
IDS = ["a", "b", "c", "d", "e", "f"]


def rows(*given: tuple[str, str, str | None, str | None], kind: str = "right-wrong", target: str = "m") -> pd.DataFrame:
    """Kept labels: (item, person, label, note)."""
    rows = [
        ("p1", item, person, kind, target, label, note, "" if label else "skipped", "csv", "2026-01-01T00:00:00+00:00")
        for item, person, label, note in given
    ]
    return pd.DataFrame(rows, columns=COLUMNS, dtype=object)


SEEN = rows(
    ("a", "Ann", "right", None),
    ("a", "Ben", "right", None),
    ("b", "Ann", "right", "odd"),
    ("b", "Ben", "wrong", None),
    ("c", "Ann", "wrong", None),
    ("c", "Ben", "right", None),
    ("c", DECISION, "right", None),
    ("d", "Ann", "right", None),
    ("d", "Ben", "wrong", None),
    ("d", "", "wrong", None),
    ("e", "Ann", None, "no picture"),
    ("f", POOL, "right", None),
)


def provenance_of(log: pd.DataFrame, kind: str = "right-wrong", **more: object) -> Provenance:
    decided = log[log["annotator"] == DECISION]
    opinions = log[log["annotator"] != DECISION]
    decisions = dict(zip(decided["item_id"], decided["label"], strict=True))
    return provenance(log, labels.settle(opinions, IDS, "p1", kind, decisions=decisions), **more)


def test_everything_is_counted_once() -> None:
    sentence = provenance_of(SEEN)
    assert (sentence.labels, sentence.items, sentence.from_pool) == (9, 4, 1)
    assert sentence.people == (("Ann", 4), ("Ben", 4), ("(no name)", 1))
    assert (sentence.several, sentence.alike, sentence.conflicts) == (4, 1, 3)
    assert (sentence.by_most_frequent, sentence.by_decision, sentence.undecided) == (1, 1, 1)
    assert [(one.item_id, one.annotator, one.label, one.note) for one in sentence.notes] == [
        ("b", "Ann", "right", "odd"),
        ("e", "Ann", None, "no picture"),
    ]


def test_sentences() -> None:
    said = " ".join(sentences(provenance_of(SEEN))).replace(SPACE, " ")
    assert said.startswith("A label says whether ")
    assert said == Saying("9 labels of 4 items", "3 people", "Ann 4, Ben 4 and (no name) 1")
    assert said == Saying("1 label is an outcome")
    assert said == Saying("4 items have two labels", "1 of them (25 %)")
    # Ann says right of 3 in 4, Ben of 2: p_o = 1/4, p_e = 1/2.
    assert said == Saying("2 named people on 4 items", "kappa of −0.50 (95 % interval −1.00 to ")
    assert said == Saying("3 conflicts", "1 settled by the most frequent", "1 settled by a decision", "1 not settled")
    assert "2 notes came with the labels" in said


def test_three_people_have_an_alpha() -> None:
    given = [
        (item, who, label, None)
        for item, who, label in zip("aaabbb", "xyzxyz", ["right"] * 4 + ["wrong"] * 2, strict=True)
    ]
    # Within: 0 and 4/2; n = 6, D_o = 1/3; 4 right and 2 wrong: D_e = (36 - 20) / 30 = 8/15; alpha = 3/8.
    said = " ".join(sentences(provenance_of(rows(*given))))
    assert said == Saying("3 named people on 2 items", "alpha of 0.38")


def test_one_person_disagrees_with_nobody() -> None:
    said = sentences(provenance_of(rows(("a", "Ann", "0.5", None), kind="score"), "score", unbounded=True))
    assert said == [Saying("score", "without bounds"), Saying("1 label of 1 item", "1 person", "Ann 1")]
    said = sentences(provenance_of(rows(("a", "Ann", "B", None), kind="gold", target=""), "gold", read_as="choice"))
    assert said[:2] == [Saying("the right answer"), Saying("“choice”")]


def test_scores_that_differ_are_settled_by_their_mean() -> None:
    sentence = provenance_of(
        rows(*[("a", p, s, None) for p, s in (("Ann", "0.5"), ("Ben", "0.7"))], kind="score"), "score"
    )
    assert (sentence.several, sentence.alike, sentence.conflicts, sentence.by_mean, sentence.by_most_frequent) == (
        1,
        0,
        1,
        1,
        0,
    )
    assert Saying("1 conflict", "by their mean") in sentences(sentence)


@pytest.mark.parametrize("odd", ["=1+1", "-3", "1/2", "a,b", 'say "x"', "two\nlines", "’", "@x", "001", "'"])
def test_labels_come_back_as_they_were_given(odd: str) -> None:
    labelled = rows((odd, odd, odd, odd), ("b", "Ben", "right", None))
    text = labels.labels_csv(labelled)
    assert not any(cell.startswith(("=", "@")) for cell in text.split(","))
    back = labels.read(text.encode(), "labels.csv").rows
    for name in ("item_id", "annotator", "label", "note", "plan_id"):
        assert back[name].tolist() == labelled[name].tolist(), name
    assert labels.assign_targets(back, ["x", "m"])["target"].tolist() == ["m", "m"]
