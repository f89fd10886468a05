"""Ways to answer: buttons with keys, a field for free text, and scores."""

from __future__ import annotations

import pytest

from core.archive import Archive
from core.readers import read
from pages.parts.label.answers import keys_of
from tests.pages.conftest import press
from tests.pages.label.conftest import HERE, LABEL, offered
from tests.pages.pools import plan_of, pool, records


@pytest.fixture(scope="module")
def texts():
    rows = [{**row, "answer": f"answer {number}"} for number, row in enumerate(records(60, k=6))]
    return pool(rows, "texts")


def test_answers_of_a_closed_set_are_buttons_with_keys(open_page, neyman_home, letters):
    plan, _ = plan_of(letters, 8)
    app = open_page(LABEL, letters, budget=8, **HERE)
    found = offered(app)
    assert [found[letter] for letter in "ABCD"] == ["1", "2", "3", "4"]
    assert found["Skip"] == "s" and found["Give up on this item"] == "g"
    press(app, "B")
    app.text_input(key=f"another-answer-{plan.ids[1]}").input("none of them")
    press(app, "Keep")
    kept = Archive(neyman_home).labels(plan.plan_id)
    assert kept[["item_id", "label"]].to_numpy().tolist() == [[plan.ids[0], "B"], [plan.ids[1], "none of them"]]
    assert set(kept["kind"]) == {"gold"} and set(kept["target"]) == {""}


def test_keys_are_the_answers_own_digits_or_those_left():
    assert keys_of(["A", "B"]) == ["1", "2"]
    assert keys_of(["0", "1", "A"]) == ["0", "1", "2"]
    assert keys_of([str(number) for number in range(10)]) == list("0123456789")
    assert keys_of([*"ABCDEFGHIJ"]) == list("1234567890")


def test_free_text_has_a_field_and_no_key_that_is_a_letter(open_page, neyman_home, texts):
    plan, _ = plan_of(texts, 8)
    app = open_page(LABEL, texts, budget=8, **HERE)
    for expected in ("Lisbon", "=1+1"):
        app.text_input(key="given-answer").input(expected)
        press(app, "Keep")
    press(app, "Keep")
    assert Archive(neyman_home).labels(plan.plan_id)["label"].tolist() == ["Lisbon", "=1+1"], (
        "nothing typed, nothing kept"
    )
    assert all(not key or "+" in key for key in offered(app).values())


def test_a_score_is_typed_and_none_is_given_beforehand(open_page, neyman_home, two_targets):
    plan, _ = plan_of(two_targets, 8)
    app = open_page(LABEL, two_targets, budget=8, **HERE, **{"label-kind": "A score, 0 to 1"})
    press(app, "Keep")
    app.number_input(key="given-score").set_value(0.25)
    press(app, "Keep")
    kept = Archive(neyman_home).labels(plan.plan_id)
    assert kept[["label", "kind", "target"]].to_numpy().tolist() == [["0.25", "score", "first"]]


def test_exams_without_choices_offer_their_letters(open_page, shared_pool):
    found = offered(open_page(LABEL, read(shared_pool("exams-gpt35-k10.jsonl")), **HERE))
    assert [found[letter] for letter in "ABCDE"] == list("12345") and "1" not in found
