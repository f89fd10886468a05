"""Answers of a target and right answers: how they are read, and what is said if they cannot be."""

from __future__ import annotations

from core.design import Design, Scheme
from core.estimation import stratified
from core.stratification import profile
from core.words import value
from tests.core.wording import Saying
from tests.pages.conftest import run
from tests.pages.estimate.conftest import (
    ESTIMATE,
    bare,
    gold,
    headline_number,
    keep,
    plan_of,
    text,
    two_targets,
)
from tests.pages.pools import LETTERS, pool, records


def test_labels_without_an_answer_of_the_target_are_told(open_page, neyman_home):
    plan, _ = plan_of(two_targets(), 60)
    questions = two_targets(unasked=set(map(str, plan.ids[5:7])))
    plan, _ = plan_of(questions, 60)
    keep(neyman_home, questions, plan, gold(questions, plan.ids), "gold")
    app = open_page(ESTIMATE, questions, target="two", compare="one", about="metrics")
    assert text(app) == Saying("2 labels cannot be compared", "no answer of “two”")
    assert "from 58 labels" in text(app)
    assert "58 items are judged for both" in text(app) and "2 items are left out" in text(app)


def test_right_answers_that_cannot_be_read_are_told_with_their_cause(open_page, neyman_home):
    rows = [
        {**row, "answer": str(n), "answer_kind": "number", "targets": {"m one": {"answer": str(n + n % 2)}}}
        for n, row in enumerate(records(target=None))
    ]
    questions = pool(rows, "numbers")
    plan, _ = plan_of(questions, 30)
    # One of each stratum is read.
    order = plan.items["stratum"].tolist()
    some = [str(plan.ids[n]) for n in range(30) if order[n] in order[:n]][:5]
    keep(neyman_home, questions, plan, gold(questions, plan.ids) | dict.fromkeys(some, "plenty"), "gold")
    said = text(open_page(ESTIMATE, questions))
    assert said == Saying("no number while labels are not understood", "5 right answers", "as a number")
    assert f"item {some[0]} = “plenty” by “Ann”" in said and "knows no answer" not in said
    assert "from 25 labels" not in said
    keep(neyman_home, questions, plan, dict.fromkeys(map(str, plan.ids), "plenty"), "gold")
    app = open_page(ESTIMATE, questions)
    assert (
        "30 right answers cannot be read" in text(app) and "Run a target" not in text(app) and not headline_number(app)
    )


def whole_sentences():
    """A pool with options and no answer kind, whose target says more than its answer."""
    rows = []
    for number, row in enumerate(records(target=None)):
        said = f"So it is. Answer: {LETTERS[number % 4]}"
        rows.append({**row, "answer": "B", "choices": list("wxyz"), "targets": {"m": {"text": said}}})
    return pool(rows, "sentences")


def test_how_a_targets_answers_are_read_can_be_chosen(open_page, neyman_home):
    questions = whole_sentences()
    plan, member = plan_of(questions, 30)
    keep(neyman_home, questions, plan, gold(questions, plan.ids), "gold")
    app = open_page(ESTIMATE, questions)
    assert text(app) == Saying("None of the 30 answers of “m”")
    assert "Answer: " in text(app) and headline_number(app).startswith("0.0")
    app.selectbox(key="read-as").set_value("choice")
    run(app)
    alone = stratified(plan.positions % 4 == 1, member[plan.positions], plan.strata.sizes)
    assert headline_number(app) == bare(value(alone.value, True)) and "look like answers" not in text(app)


def test_a_targets_answers_are_first_read_as_the_plans_generations(open_page, neyman_home):
    questions = whole_sentences()
    known = profile(questions.classes("choice"))
    plan = Design(30, Scheme(parser="choice"), seed=0).draw(questions, profile=known)
    keep(neyman_home, questions, plan, gold(questions, plan.ids), "gold")
    app = open_page(ESTIMATE, questions)
    assert app.selectbox(key="read-as").value == "choice" and not app.warning
    app = open_page(ESTIMATE, questions, **{"read-as": "own"})
    assert app.selectbox(key="read-as").value == "own" and headline_number(app).startswith("0.0")
