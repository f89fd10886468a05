"""Precision, recall, F1, and accuracy where answered: the estimators' numbers in words that hold."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.errors import DesignError
from core.estimation.contrasts import metric, ratio
from core.report.sections import answered_headline, counts_in_words
from core.report.sections import metrics_headline as headline
from core.study.metrics import NAMES, answered, closed, metrics
from core.words import SPACE
from tests.core.study.examples import numbers
from tests.core.wording import Saying

SIZES = [50, 30]
STRATA = [0] * 10 + [1] * 10
TRUE = list("AABBAABBAA" + "ABABABABAB")
SAID = list("AABAAABBAB" + "ABABABAAAB")


def test_numbers_are_the_estimators_own() -> None:
    table = metrics(SAID, TRUE, "A", STRATA, SIZES)
    predicted, truth = [s == "A" for s in SAID], [t == "A" for t in TRUE]
    for name, answers in zip(NAMES, table.estimates, strict=True):
        assert answers == metric(name, predicted, truth, STRATA, SIZES)
    assert (table.said, table.true, table.both) == (12, 11, 10)
    assert table.table()["label"].tolist() == ["Precision", "Recall", "F1"]
    words = headline(table).replace(SPACE, " ")
    assert words == Saying("“A”", f" right {100 * table.estimates[0].value:.0f} %")
    assert "Ranges are 95 % confidence intervals." in words
    counts = "12 where the model says “A”, 11 whose right answer is “A” and 10 where both hold"
    assert counts in counts_in_words(table)


def test_what_never_occurs_is_not_known() -> None:
    never_said = metrics(["B"] * 20, TRUE, "A", STRATA, SIZES, target="model")
    assert headline(never_said) == Saying("no labelled item", "“model”", "“A”")
    assert math.isnan(never_said.estimates[0].value) and never_said.estimates[1].value == 0
    never_true = metrics(SAID, ["B"] * 20, "A", STRATA, SIZES)
    assert headline(never_true) == Saying("no labelled item", "“A” the right answer")
    neither = metrics(["B"] * 20, ["B"] * 20, "A", STRATA, SIZES)
    assert "F1" not in headline(neither)


def test_no_answer_is_not_the_positive_one() -> None:
    silent = metrics([None, *SAID[1:]], TRUE, "A", STRATA, SIZES)
    assert silent.said == 11 and silent.estimates[1].value < metrics(SAID, TRUE, "A", STRATA, SIZES).estimates[1].value


def test_accuracy_where_answered() -> None:
    right = np.array([s == t for s, t in zip(SAID, TRUE, strict=True)], dtype=float)
    gave = np.arange(20) % 4 != 0
    table = answered(right * gave, gave, STRATA, SIZES, target="model")
    assert table.silent == 5
    assert numbers(table.share) == numbers(ratio(gave, np.ones(20), STRATA, SIZES))
    assert numbers(table.right) == numbers(ratio(right * gave, gave, STRATA, SIZES))
    assert f"It answers {100 * table.share.value:.0f} % (" in answered_headline(table).replace(SPACE, " ")
    nothing = answered(np.zeros(20), np.zeros(20, dtype=bool), STRATA, SIZES)
    assert "answers none" in answered_headline(nothing)
    assert table.table()["label"].tolist() == ["Answered", "Right where answered"]


def test_a_closed_set_is_small_and_seen_often() -> None:
    assert closed(list("AABBB")) == ("B", "A")
    assert closed(list("BBAA")) == ("A", "B")
    assert closed([str(n) for n in range(20)]) == ()
    assert closed([str(n % 13) for n in range(100)]) == ()
    assert closed(["A"] * 20) == (), "one answer alone is no class"
    assert closed(["B", "A"]) == () == closed([]), "too few labels"


def test_errors() -> None:
    with pytest.raises(DesignError, match="No item of strat"):
        metrics(["A"], ["A"], "A", [0], SIZES)
    with pytest.raises(DesignError, match="1 values and 2 answers"):
        answered([1.0], [True, False], STRATA, SIZES)
