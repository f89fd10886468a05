"""Ways to answer: buttons with keys, a field for free text, and scores."""

from __future__ import annotations

import pytest

from core.archive import Archive
from pages.parts.label.answers import keys_of
from tests.pages.desk import desk, label
from tests.pages.label.conftest import GOLD, HERE, LABEL, offered
from tests.pages.pools import plan_of, pool, records


@pytest.fixture(scope="module")
def texts():
    rows = [{**row, "answer": f"answer {number}"} for number, row in enumerate(records(60, k=6))]
    return pool(rows, "texts")


def test_answers_of_a_closed_set_are_buttons_with_keys(open_page, neyman_home, letters):
    plan, _ = plan_of(letters, 8)
    app = open_page(LABEL, letters, budget=8, **HERE)
    assert offered(app) == {"A": ["1", "a"], "B": ["2", "b"], "C": ["3", "c"], "D": ["4", "d"]}
    label(app, "B")
    assert desk(app)["items"][plan.ids[1]]["field"]["title"] == "Another answer"
    label(app, "none of them")
    rows = Archive(neyman_home).labels.of(plan.plan_id)
    assert rows[["item_id", "label"]].to_numpy().tolist() == [[plan.ids[0], "B"], [plan.ids[1], "none of them"]]
    assert set(rows["kind"]) == {"gold"} and set(rows["target"]) == {""}


def test_keys_are_the_answers_own_digits_or_those_left():
    assert keys_of(["A", "B"]) == ["1", "2"]
    assert keys_of(["0", "1", "A"]) == ["0", "1", "2"]
    assert keys_of([str(number) for number in range(10)]) == list("0123456789")
    assert keys_of([*"ABCDEFGHIJ"]) == list("1234567890")


def field(app):
    shown = desk(app)
    return shown["items"][shown["order"][0]]["field"]


def test_free_text_has_a_field_and_no_choice(open_page, neyman_home, texts):
    plan, _ = plan_of(texts, 8)
    app = open_page(LABEL, texts, budget=8, **HERE)
    assert offered(app) == {} and field(app) == {"title": "The right answer", "score": False}
    for expected in ("Lisbon", "=1+1", "half \ud800 a pair"):
        label(app, expected)
    label(app, "  ")
    assert Archive(neyman_home).labels.of(plan.plan_id)["label"].tolist() == ["Lisbon", "=1+1", "half ? a pair"], (
        "nothing typed, nothing kept"
    )


def test_a_score_is_typed(open_page, neyman_home, two_targets):
    plan, _ = plan_of(two_targets, 8)
    app = open_page(LABEL, two_targets, budget=8, **HERE, **{"label-kind": "A score, 0 to 1"})
    assert offered(app) == {} and field(app)["score"]
    label(app, "0.25")
    label(app, "much")
    rows = Archive(neyman_home).labels.of(plan.plan_id)
    assert rows[["label", "kind", "target"]].to_numpy().tolist() == [["0.25", "score", "first"]]


def test_grades_of_a_scale_have_their_digits_and_a_field(open_page, neyman_home, two_targets):
    plan, _ = plan_of(two_targets, 8)
    app = open_page(LABEL, two_targets, budget=8, **HERE, **{"label-kind": "score:1-5"})
    assert offered(app) == {grade: [grade] for grade in "12345"}
    assert field(app) == {"title": "Grade, 1 to 5", "score": True, "low": 1.0, "high": 5.0}
    label(app, "4")
    label(app, "6")
    rows = Archive(neyman_home).labels.of(plan.plan_id)
    assert rows[["label", "kind", "target"]].to_numpy().tolist() == [["4", "score:1-5", "first"]]
    assert field(open_page(LABEL, two_targets, budget=8, **HERE, **{"label-kind": "score:0-7"}))["high"] == 7.0


def test_an_item_offers_the_options_of_its_own_prompt_and_no_letter_that_a_model_said(open_page):
    rows = [
        {
            "id": str(number),
            "prompt": f"Which is {number}?"
            + "".join(f"\n{letter}. {number}{letter}" for letter in "ABCDE"[: 3 + number % 3]),
            "answer": "A",
            "generations": ["A", "B", "N", "C", "E"],
            "targets": {"m": {"answer": "E"}},
        }
        for number in range(40)
    ]
    exams = pool(rows, "exams")
    app = open_page(LABEL, exams, **HERE, **GOLD)
    for item in desk(app)["items"].values():
        letters = [one["label"] for one in item["answers"]]
        assert letters == list("ABCDE"[: len(letters)]) and f"\n{letters[-1]}. " in exams.items.at[item["id"], "prompt"]
        assert all(one["title"] for one in item["answers"]) and "\nA. " not in item["prompt"]


def test_what_models_say_is_no_choice(open_page):
    rows = [
        {"id": str(n), "prompt": "?", "generations": ["yes", "N"], "targets": {"m": {"answer": "yes"}}}
        for n in range(40)
    ]
    assert offered(open_page(LABEL, pool(rows, "unknown truths"), budget=8, **HERE, **GOLD)) == {}


def test_choices_are_offered_with_their_texts_and_nothing_is_typed(open_page):
    rows = [{**row, "choices": ["this", "that", "both", "neither"]} for row in records(40)]
    app = open_page(LABEL, pool(rows, "choices"), budget=8, **HERE)
    shown = desk(app)
    item = shown["items"][shown["order"][0]]
    assert [one["title"] for one in item["answers"]] == ["this", "that", "both", "neither"]
    assert item["field"] is None and "this" not in item["prompt"]


def test_right_and_wrong_have_a_digit_and_a_letter(open_page, two_targets):
    app = open_page(LABEL, two_targets, budget=8, **HERE, **{"label-kind": "Right or wrong"})
    assert offered(app) == {"right": ["1", "r"], "wrong": ["0", "w"]}


def test_the_desk_counts_the_labels_until_the_first_estimate(open_page, two_targets):
    plan, _ = plan_of(two_targets, 8)
    strata = plan.strata.n_strata
    app = open_page(LABEL, two_targets, budget=8, **HERE, **GOLD)
    shown = desk(app)
    assert shown["waiting"] == strata > 1
    assert sorted(plan.stratum[two_targets.items.index.get_indexer(shown["opening"])]) == list(range(strata))
    label(app, "Skip")
    assert desk(app)["waiting"] == strata
    for more in range(strata - 1, -1, -1):
        # What was skipped comes last, so that its stratum is opened by another item if there is one.
        while desk(app)["order"][0] not in desk(app)["opening"]:
            label(app, "A")
        label(app, "A")
        assert desk(app)["waiting"] == len(desk(app)["opening"]) == more
    # An interval takes a label beyond the first of each stratum.
    assert desk(app)["further"] == desk(app)["done"] - strata


def test_no_estimate_is_promised_where_no_answer_of_a_target_is_known(open_page, texts):
    assert "waiting" not in desk(open_page(LABEL, texts, budget=8, **HERE))
