"""Labels that may be verdicts on a model's answers, or answers to the items."""

from __future__ import annotations

import pandas as pd
import pytest

import neyman
from core.design import Plan
from core.errors import LabelError
from core.pool import Pool
from core.study import Study

N = 48


def plan_of(right: list[str], said: list[str], known: bool = True, **more: object) -> Plan:
    """A plan of a pool whose right answers and answers of the target are these in turn."""
    records = [
        {"id": str(n), "generations": [right[n % len(right)]], "targets": {"M": {"answer": said[n % len(said)]}}}
        | ({"answer": right[n % len(right)]} if known else {})
        | more
        for n in range(N)
    ]
    return neyman.Design(budget=24).draw(Pool.from_records(records), seed=0)


def beside_answers(plan: Plan, labels: list[str], **more: object) -> Study:
    """A list that showed the target's answers, filled with labels by item in turn."""
    table = neyman.request(plan, "right-wrong", "M")
    table["label"] = [labels[int(item) % len(labels)] for item in table["item_id"]]
    return neyman.labelled(plan, table, "M", **more)


def value(study: Study) -> float:
    return round(100 * study.estimate().value, 1)


@pytest.mark.parametrize(
    ("right", "said", "labels", "remarked"),
    [
        (["yes", "no", "no"], ["yes", "no", "yes"], ["yes", "no", "no"], True),
        (["yes", "no", "no"], ["yes", "no", "yes"], ["y", "n", "n"], True),
        (["True", "False", "False"], ["True", "False", "True"], ["TRUE", "FALSE", "FALSE"], True),
        (["1", "0", "0"], ["1", "0", "1"], ["1", "0", "0"], True),
        (["yes", "no", "no"], ["yes", "no", "yes"], ["right", "no", "no"], True),
        (["yes", "no", "no"], ["yes", "no", "yes"], ["yes", "yes", "no"], False),
        (["yes", "no", "no"], ["yes", "no", "yes"], ["1", "1", "0"], False),
        (["yes", "no", "no"], ["yes", "no", "yes"], ["right", "right", "wrong"], False),
        (["Rome", "Oslo", "Bonn"], ["Rome", "Oslo", "Kiel"], ["yes", "yes", "no"], False),
    ],
)
def test_answers_that_are_read_as_verdicts_are_remarked(
    right: list[str], said: list[str], labels: list[str], remarked: bool
) -> None:
    plan = plan_of(right, said)
    study = beside_answers(plan, labels)
    assert study.kind == "right-wrong"
    assert ("are read as verdicts on the model’s answer, not as answers to the question" in repr(study)) == remarked
    if remarked and "right" not in labels:
        # What the remark says to do.
        answered = beside_answers(plan, labels, kind="gold")
        assert value(answered) == value(beside_answers(plan, ["right", "right", "wrong"])) != value(study)


def test_where_no_right_answer_is_known_nobody_can_say_what_yes_means() -> None:
    plan = plan_of(["yes", "no"], ["yes", "no", "yes"], known=False)
    assert "are read as verdicts" in repr(beside_answers(plan, ["yes", "no"]))
    assert "are read as verdicts" not in repr(beside_answers(plan, ["right", "wrong"]))


def test_right_answers_beside_the_answers_of_a_model_are_read_once_somebody_says_so() -> None:
    plan = plan_of(["Rome", "Oslo", "Bonn"], ["Rome", "Oslo", "Kiel"])
    verdicts = beside_answers(plan, ["right", "right", "wrong"])
    answers = beside_answers(plan, ["Rome", "Oslo", "Bonn"], kind="gold")
    assert value(answers) == value(verdicts) and answers.kind == "gold"
    with pytest.raises(LabelError, match="--kind right-wrong"):
        beside_answers(plan, ["right", "right", "wrong"], kind="gold")


@pytest.mark.parametrize("stray", ["right", "correct", "wrong", "R"])
def test_one_stray_verdict_does_not_settle_what_yes_means(stray: str) -> None:
    plan = plan_of(["yes", "no", "no"], ["yes", "no", "yes"])
    ids = [str(item) for item in plan.ids]
    labels = [stray, *(["yes", "no", "no"][int(item) % 3] for item in ids[1:])]
    with pytest.raises(LabelError, match="may be verdicts, or right answers of this pool"):
        neyman.labelled(plan, pd.DataFrame({"item_id": ids, "label": labels}), "M")
