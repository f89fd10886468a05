"""A judge's verdicts as a pool has them: words, numbers, thresholds, targets, and what is missing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.errors import DesignError
from core.judge import Criterion, judges, scores, verdicts, words_given, words_without_meaning
from core.judge.checklist import verdicts_on
from core.pool import Pool


def pool_with(values: list[Any], **more: Any) -> Pool:
    return Pool.from_records([{"id": str(place), "judge": one, **more} for place, one in enumerate(values)])


@pytest.mark.parametrize(
    "values", [["pass", "fail", "Pass."], [True, False, True], [1, 0, 1], ["1", "0", "1"], ["yes", "no", "correct"]]
)
def test_words_and_zero_and_one_are_verdicts(values: list[Any]) -> None:
    assert verdicts(pool_with(values), "judge").fails.tolist() == [False, True, False]


def test_scores_pass_from_the_threshold_on() -> None:
    read = verdicts(pool_with([5, 3, 4, 1]), "judge", threshold=4)
    assert read.fails.tolist() == [False, True, False, True]
    assert read.scores is not None and read.scores.tolist() == [5, 3, 4, 1]


def test_scores_without_a_threshold_are_refused() -> None:
    with pytest.raises(DesignError, match=r"from 1 to 5.*threshold"):
        verdicts(pool_with([5, 3, 1]), "judge")


def test_a_threshold_for_words_is_refused() -> None:
    with pytest.raises(DesignError, match="holds words"):
        verdicts(pool_with(["pass", "fail"]), "judge", threshold=0.5)


def test_unknown_words_are_named_with_a_proposal_and_read_once_somebody_says_so() -> None:
    pool = pool_with(["bien", "mal", "bien"])
    remedy = r'"bien": "pass", "mal": "fail".*--word=bien=pass --word=mal=fail'
    with pytest.raises(DesignError, match=rf"“bien” \(2 items: .*\) and “mal” \(1 item: “1”\).*{remedy}"):
        verdicts(pool, "judge")
    assert verdicts(pool, "judge", words={"Bien": "pass", "mal": "fail"}).fails.tolist() == [False, True, False]


def test_a_word_means_pass_or_fail() -> None:
    with pytest.raises(DesignError, match="pass or fail"):
        verdicts(pool_with(["bien"]), "judge", words={"bien": "good"})


def test_items_without_a_verdict_are_counted_and_refused() -> None:
    with pytest.raises(DesignError, match=r"2 of 4 items have no verdict in “judge” \(.*1.*, .*3.*\)"):
        verdicts(pool_with(["pass", None, "fail", "n/a"]), "judge")


def test_items_may_lack_a_score_if_some_may() -> None:
    read = verdicts(pool_with([5, None, 1]), "judge", threshold=4, some=True)
    assert read.fails.tolist() == [False, False, True]
    with pytest.raises(DesignError, match="holds words"):
        verdicts(pool_with([5, None, "good"]), "judge", threshold=4, some=True)


def test_a_target_is_a_judge_by_its_outcomes() -> None:
    rows = [{"id": str(place), "targets": {"gpt": {"loss": loss}}} for place, loss in enumerate([0.0, 1.0, 0.0])]
    read = verdicts(Pool.from_records(rows), "gpt")
    assert read.fails.tolist() == [False, True, False] and read.target == "gpt"


def test_a_targets_graded_losses_take_a_threshold_of_its_score() -> None:
    rows = [{"id": str(place), "targets": {"gpt": {"loss": loss}}} for place, loss in enumerate([0.25, 0.75])]
    assert verdicts(Pool.from_records(rows), "gpt", threshold=0.5).fails.tolist() == [False, True]


def test_an_unknown_column_is_refused_with_those_that_may_be_judges() -> None:
    with pytest.raises(DesignError, match=r"no column or target “grader”.*“judge”"):
        verdicts(pool_with(["pass", "fail"]), "grader")


def test_likely_judges_are_words_first_then_targets_then_scores() -> None:
    rows = [
        {
            "id": str(n),
            "length": n,
            "why": f"since {n}",
            "verdict": "yes" if n % 2 else "no",
            "targets": {"m": {"loss": 0, "text": "so"}, "of a leaderboard": {"loss": 0}, "compared": {"text": "so"}},
            "answer": "so",
        }
        for n in range(20)
    ]
    # Nobody can check a verdict on an output that is not there.
    assert judges(Pool.from_records(rows)) == ("verdict", "m", "length")


def test_a_column_that_is_called_a_judge_comes_before_others_of_verdicts() -> None:
    assert judges(Pool.from_records([{"id": str(n), "polite": n % 2, "judge": n % 3 % 2} for n in range(9)])) == (
        "judge",
        "polite",
    )


def test_counts_add_up() -> None:
    read = verdicts(pool_with(["pass", "fail", "pass"]), "judge")
    assert (read.n_fail, read.n_pass) == (1, 2) and isinstance(read.fails, np.ndarray)


@pytest.mark.parametrize("values", [["no", "yes", "no"], [0, 1, 0], ["0", "1", "0"], ["pass", "fail", "so-so"]])
def test_words_of_a_criterion_that_pass_win_over_their_usual_meaning(values: list[Any]) -> None:
    """“Harmful: no” passes; if nothing is turned round, what says pass by itself still passes."""
    passing = "so-so" if "so-so" in values else str(values[0]).upper()
    read = verdicts_on(pool_with(values), Criterion("harmless", "judge", passing=(passing,)))
    assert read.fails.tolist() == [False, True, False]


def test_numbers_may_be_given_a_meaning() -> None:
    pool = pool_with([0, 1, 0])
    assert verdicts(pool, "judge", words={"0": "pass", "1.0": "fail"}).fails.tolist() == [False, True, False]
    given = {"1": "pass", "2": "fail"}
    assert verdicts(pool_with([1, 2, 1]), "judge", words=given).fails.tolist() == [False, True, False]
    with pytest.raises(DesignError, match="threshold"):
        verdicts(pool_with([1, 2, 3]), "judge", words={"2": "fail"})


def test_a_column_that_is_called_as_peoples_verdicts_may_hold_words_that_nobody_knows() -> None:
    said = {
        "reviewer": "top",
        "human_label_2": "flop",
        "reviewer_initials": "ab",
        "user_tier": "one",
        "annotator": "Ann",
    }
    rows = [{"id": str(n), **{name: [word, "other"][n % 2] for name, word in said.items()}} for n in range(9)]
    for row in rows:
        row["my_judge"] = "gut"
    # The judge is the first one, wherever its column stands.
    assert judges(Pool.from_records(rows)) == ("my_judge", "reviewer", "human_label_2")


CORPUS = Path(__file__).parents[2] / "cases" / "labels" / "judges.jsonl"
CASES = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_what_a_judge_says_is_read_or_asked_about(case: dict[str, Any]) -> None:
    pool = Pool.from_records([{"id": str(n), "judge": str(one)} for n, one in enumerate(case["says"])])
    if not any(isinstance(one, str) for one in case["says"]):
        pool = pool_with(case["says"])
    asked = {"threshold": case.get("threshold"), "words": case.get("words", {})}
    if "fails" in case:
        assert verdicts(pool, "judge", **asked).fails.tolist() == list(map(bool, case["fails"]))
        return
    with pytest.raises(DesignError) as caught:
        verdicts(pool, "judge", **asked)
    assert all(text in str(caught.value) for text in case["asks"]), str(caught.value)
    assert case.get("lacks", "\0") not in str(caught.value)


def test_a_slip_among_digits_is_asked_about_and_no_scale() -> None:
    pool = pool_with([1, 0, 1, 1, 0, 1, 5])
    assert scores(pool, "judge") is None and words_without_meaning(pool, "judge") == ("5",)
    read = verdicts(pool, "judge", words={"5": "fail"})
    assert words_given(pool, read) == {"5": "fail"}
    assert scores(pool_with([1, 2, 3, 5]), "judge") == (1, 5)
    assert words_without_meaning(pool_with([1, 2, 3, 5]), "judge") == ()


@pytest.mark.parametrize(
    ("words", "fails"),
    [
        ({"5": "right", "1": "wrong"}, [0, 1]),
        ({"1": "right", "2": "wrong"}, [0, 1]),
        ({"5": "right", "1": "wrong", "0": "fail"}, [0, 1]),
        ({"5": "right", "3": "skip", "1": "wrong"}, [0, 1]),
        ({"1": "fail", "0": "pass"}, [1, 0]),
        ({"5": "pass", "1": "fail", "0": "pass"}, [1, 0]),
        ({"good": "right", "bad": "wrong"}, [0, 1]),
        ({"1": "fail"}, None),
    ],
)
def test_grades_of_people_change_no_column_of_0_and_1(words: dict[str, str], fails: list[int] | None) -> None:
    pool = pool_with(["1", "0"] * 4)
    if fails is None:
        with pytest.raises(DesignError, match="holds numbers without a meaning: “0”"):
            verdicts(pool, "judge", words=words)
        return
    assert verdicts(pool, "judge", words=words).fails.tolist() == [bool(one) for one in fails * 4]
