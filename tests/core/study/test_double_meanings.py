"""Labels that may be verdicts on a model's answers, or answers to the items."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import pytest

import neyman
from core.design import Plan
from core.errors import LabelError
from core.pool import Pool
from core.study import Labelling, Study
from core.study.record import pool_of

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


@pytest.mark.parametrize("good", ["right", "correct"])
@pytest.mark.parametrize("known", [True, False])
def test_right_answers_in_place_of_wrong_are_asked_about(good: str, known: bool) -> None:
    plan = plan_of(["yes", "no", "no", "yes", "no"], ["yes", "no", "yes", "no", "no"], known)
    with pytest.raises(LabelError, match=r"“no” .* and “yes”|“yes” .* and “no”") as refused:
        beside_answers(plan, [good, good, "no", "yes", good])
    said = ("Answers to these items are among them", "equal an answer that a model gave")
    assert any(one in str(refused.value) for one in said)
    # Read as either, they say the same.
    for labels in (["wrong", "wrong"], ["no", "wrong"]):
        assert "are read as verdicts" not in repr(beside_answers(plan, [good, good, *labels, good]))


@pytest.mark.parametrize(
    ("said", "labels", "remarked"),
    [
        (["yes", "no", "yes"], ["yes", "no"], True),
        (["yes", "no", "yes"], ["TRUE", "FALSE"], True),
        (["yes", "no", "yes"], ["1", "0"], True),
        (["True", "False", "True"], ["yes", "no"], True),
        (["True", "False", "True"], [True, False], True),
        (["1", "0", "1"], ["TRUE", "FALSE"], True),
        (["yes", "no", "yes"], ["right", "wrong"], False),
        (["yes", "no", "yes"], ["✓", "✗"], False),
        (["Rome", "Oslo", "Bonn"], ["TRUE", "FALSE"], False),
    ],
)
def test_where_no_right_answer_is_known_nobody_can_say_what_yes_means(
    said: list[str], labels: list[str], remarked: bool
) -> None:
    plan = plan_of(said, said, known=False)
    assert ("are read as verdicts" in repr(beside_answers(plan, labels))) == remarked


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


@pytest.mark.parametrize(
    ("yes", "no"), [("ja", "nein"), ("oui", "non"), ("sí", "no"), ("TRUE", "FALSE"), ("да", "нет"), ("はい", "いいえ")]
)
def test_yes_and_no_in_other_words_are_proposed_as_the_answers_of_the_pool(yes: str, no: str) -> None:
    plan = plan_of(["yes", "no", "no"], ["yes", "no", "yes"], known=False)
    table = neyman.request(plan, "gold", "M")
    table["label"] = [[yes, no, no][int(item) % 3] for item in table["item_id"]]
    with pytest.raises(LabelError, match="may be verdicts, or right answers of this pool"):
        neyman.labelled(plan, table, "M")
    with pytest.raises(LabelError, match=f"--word={yes.lower()}=yes"):
        neyman.labelled(plan, table, "M", "gold")
    words = {yes: "yes"} | ({no: "no"} if no != "no" else {})
    study = neyman.labelled(plan, table, "M", "gold", words=words)
    assert value(study) == value(beside_answers(plan, ["right", "right", "wrong"]))


def test_answers_in_other_words_that_count_as_verdicts_are_remarked() -> None:
    plan = plan_of(["yes", "no", "no"], ["yes", "no", "yes"])
    words = {"ja": "right", "nein": "wrong"}
    answered = beside_answers(plan, ["ja", "nein", "nein"], words=words)
    assert "labels “ja” and “nein” are read as verdicts" in repr(answered).replace("“nein” and “ja”", "“ja” and “nein”")
    assert "are read as verdicts" not in repr(beside_answers(plan, ["ja", "ja", "nein"], words=words))


OPTIONS = {"answer_kind": "choice", "choices": ["mercury", "venus", "mars"]}


@pytest.mark.parametrize(
    ("more", "odd", "meant"),
    [
        ({}, "A?", "A"),
        ({}, "A because it fits", "A"),
        ({}, "(A), I think", "A"),
        ({}, "A/B", None),
        ({}, "A or B", None),
        ({}, "not A", None),
        ({}, "I saw a C", None),
        (OPTIONS, "mercurry", "mercury"),
        (OPTIONS, "mecrury", "mercury"),
        (OPTIONS, "surely venus", "venus"),
        (OPTIONS, "not venus", None),
        (OPTIONS, "venus or mars", None),
    ],
)
def test_the_answer_that_a_label_most_likely_means_is_proposed(
    more: dict[str, object], odd: str, meant: str | None
) -> None:
    plan = plan_of(["A", "B", "C"], ["A", "B", "C"], **more)
    table = neyman.request(plan, "gold", "M")
    table["label"] = [odd if place == 3 else "ABC"[int(item) % 3] for place, item in enumerate(table["item_id"])]
    with pytest.raises(LabelError) as refused:
        neyman.labelled(plan, table, "M", "gold")
    said = str(refused.value)
    assert f"“{odd}”" in said and f': "{odd}"' not in said
    if meant is None:
        assert f'"{odd.lower()}": "skip"' in said and "is read as what you say" not in said
        return
    assert f'words={{"{odd.lower()}": "{meant}"}}' in said
    study = neyman.labelled(plan, table, "M", "gold", words={odd: meant})
    assert len(study.labels.ids) == 24 and study.estimate().n_labels == 24


NUMBERS = [str(number * 37 % 1009) for number in range(N)]


@pytest.mark.parametrize("answers", [NUMBERS, ["A", "B", "C", "D"], ["Rome", "Oslo", "Bonn"]], ids=len)
def test_a_refusal_of_verdicts_says_that_labels_equal_answers(answers: list[str]) -> None:
    plan = plan_of(answers, [*answers[1:], answers[0]])
    hint = "Of these labels, 24 equal an answer that a model gave to the item, or its right answer."
    with pytest.raises(LabelError) as refused:
        beside_answers(plan, answers)
    assert hint in str(refused.value) and len(refused.value.problems) > 0
    assert beside_answers(plan, answers, kind="gold").estimate().n_labels == 24
    with pytest.raises(LabelError) as refused:
        beside_answers(plan, ["good", "bad"])
    assert "Of these labels" not in str(refused.value)


@pytest.mark.parametrize("form", ["{}.", "({})", " {} ", "{}:"])
@pytest.mark.parametrize("case", [str.upper, str.lower])
def test_right_answers_in_another_spelling_are_not_asked_about(form: str, case: Callable[[str], str]) -> None:
    plan = plan_of(["A", "B", "C", "D"], ["A", "B", "C", "D"], known=False)
    ids = [str(item) for item in plan.ids]
    table = pd.DataFrame({"item_id": ids, "label": [form.format(case("ABCD"[int(item) % 4])) for item in ids]})
    study = neyman.labelled(plan, table, "M")
    assert study.kind == "gold" and value(study) == 100.0


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("listed", [True, False])
@pytest.mark.parametrize(
    ("answers", "kind", "read_as"),
    [
        (["correct", "incorrect"], "right-wrong", "verdicts on"),
        (["right", "wrong"], "right-wrong", "verdicts on"),
        (["yes", "no", "unknown"], "right-wrong", "verdicts on"),
        (["0", "0.25", "0.5", "0.75", "1"], "score", "scores of"),
        (["ja", "nein"], "", "--kind gold. If they judge the model’s answer, say what each means"),
        (["pass", "fail"], "", "--kind gold. If they judge the model’s answer, say what each means"),
        (["pass", "fail", "unsure"], "", "--kind gold. If they judge the model’s answer, say what each means"),
    ],
)
def test_answers_that_are_words_of_verdicts_are_remarked_or_asked_about(
    answers: list[str], kind: str, read_as: str, listed: bool, known: bool
) -> None:
    options = {"choices": answers} if listed else {}
    plan = plan_of(answers, [*answers[1:], *answers], known=known, **options)
    if not kind:
        with pytest.raises(LabelError, match=read_as) as refused:
            beside_answers(plan, answers)
        assert "=right" not in str(refused.value) and "=wrong" not in str(refused.value)
        return
    study = beside_answers(plan, answers)
    assert study.kind == kind
    assert f"are read as {read_as} the model’s answer, not as answers to the question" in repr(study)
    answered = beside_answers(plan, answers, kind="gold")
    assert "without a verdict" not in repr(answered) and answered.estimate().n_labels == 24


@pytest.mark.parametrize(
    ("answers", "labels"),
    [
        ([str(number) for number in range(8)], ["1", "0"]),
        (["0", "0.5", "1"], ["right", "wrong"]),
        (["0", "0.5", "1"], ["0.8", "0.3"]),
        (["yes", "no", "unknown"], ["right", "wrong", "unsure"]),
    ],
)
def test_verdicts_and_scores_that_are_no_answers_are_not_remarked(answers: list[str], labels: list[str]) -> None:
    assert "are read as" not in repr(beside_answers(plan_of(answers, answers, known=False), labels))


def test_numbers_beside_verdicts_on_numbers_are_no_grades() -> None:
    answers = [str(2_000 + 37 * number) for number in range(N)]
    plan = plan_of(answers, answers, known=False, answer_kind="number")
    labels = ["right" if number % 3 else str(2_554 + 71 * number) for number in range(N)]
    with pytest.raises(LabelError, match="--kind gold") as refused:
        beside_answers(plan, labels)
    assert "Grades" not in str(refused.value) and "=wrong" not in str(refused.value)
    with pytest.raises(LabelError, match="Grades from 1 to 5 were given"):
        beside_answers(plan, ["5", "1"])


@pytest.mark.parametrize("answers", [["yes", "no"], ["Rome", "Oslo", "Bonn"], NUMBERS], ids=len)
def test_a_verdict_among_right_answers_can_be_left_out_by_the_remedy(answers: list[str]) -> None:
    """The remedy says the kind again: without it the words make the list look like verdicts."""
    plan = plan_of(answers, [*answers[1:], answers[0]])
    ids = [str(item) for item in plan.ids]
    labels = ["right" if place in (3, 9) else answers[int(item) % len(answers)] for place, item in enumerate(ids)]
    table = pd.DataFrame({"item_id": ids, "label": labels})
    with pytest.raises(LabelError) as refused:
        neyman.labelled(plan, table, "M", "gold")
    assert 'kind="gold", words={"right": "skip"} in Python, --kind gold --word=right=skip in the shell' in str(
        refused.value
    )
    study = neyman.labelled(plan, table, "M", "gold", words={"right": "skip"})
    assert study.labels.rows["label"].notna().sum() == 22


def test_a_list_of_wrong_rows_alone_is_told_to_put_the_others_back() -> None:
    """That a blank means right is no remedy for rows that are not there."""
    plan = plan_of(["Rome", "Oslo"], ["Rome", "Bern"], known=False)
    ids = [str(item) for item in plan.ids]
    wrong = pd.DataFrame({"item_id": ids, "label": ["wrong" if int(item) % 2 else None for item in ids]})
    wrong.loc[23, "label"] = "wrong"
    said = repr(neyman.labelled(plan, wrong, "M", "right-wrong"))
    assert 'words={"": "right"}' in said and "in no row" not in said
    assert "Every verdict" not in repr(neyman.labelled(plan, wrong, "M", "right-wrong", words={"": "right"}))
    few = wrong[wrong["label"].notna()]
    study = neyman.labelled(plan, few, "M", "right-wrong")
    if study.labels.without_verdict:
        said = repr(study)
        assert "of the list are in no row" in said and 'words={"": "right"}' not in said


def test_right_answers_given_where_the_model_is_wrong_ask_what_a_blank_means() -> None:
    answers = ["Rome", "Rome", "Bonn"]
    plan = plan_of(answers, ["Rome", "Bonn", "Bonn"], known=False)
    ids = [str(item) for item in plan.ids]
    full = pd.DataFrame({"item_id": ids, "label": [answers[int(item) % 3] for item in ids]})
    assert "If a blank means" not in repr(neyman.labelled(plan, full, "M", "gold"))
    some = full.assign(label=full["label"].where([int(item) % 3 == 1 for item in ids]))
    last = some["label"].last_valid_index()
    blank = int(some["label"].iloc[:last].isna().sum())
    said = repr(neyman.labelled(plan, some, "M", "gold"))
    assert f"Every right answer is another than that of “M”, and {blank} items have none" in said
    assert "If a blank means that the model is right, write its answer for them." in said


@pytest.mark.parametrize("answers", [["ja", "nein"], ["pass", "fail"], ["Rome", "Oslo"]], ids=str)
def test_the_page_proposes_no_verdict_for_words_that_are_answers(answers: list[str]) -> None:
    plan = plan_of(answers, answers)
    labels = Labelling(plan, pool_of(plan), pd.DataFrame(), "right-wrong", "M")
    bad = pd.DataFrame({"item_id": list(map(str, plan.ids))[:4], "label": ["ja", "nein", "pass", "rigth"]})
    proposals = {one.word: one.meaning for one in labels.words_to_ask(bad)}
    own = not {"ja", "pass"}.isdisjoint(answers)
    assert proposals == dict(
        zip(bad["label"], [None] * 4 if own else ["right", "wrong", "right", "right"], strict=True)
    )


# Outputs that say yes and no, and a right answer of each.
SENTENCES = [
    (
        ["Yes, it dissolves readily.", "No, it does not.", "Yes, it is. {n}", "No. It stays as it is. {n}"],
        ["yes", "no"],
    ),
    (["Let me think. So the answer is yes.", "Let me think. So the answer is no."], ["Yes", "No"]),
    (["Yes, it is.", "No, it is not."], ["y", "n"]),
    (["The claim {n} is true. So the answer is true.", "It is not so. So the answer is false."], ["TRUE", "FALSE"]),
]


@pytest.mark.parametrize(("outputs", "labels"), SENTENCES, ids=str)
def test_words_that_outputs_say_in_sentences_are_asked_about(outputs: list[str], labels: list[str]) -> None:
    said = [outputs[n % len(outputs)].format(n=n) for n in range(N)]
    records = [{"id": str(n), "generations": [one], "targets": {"M": {"text": one}}} for n, one in enumerate(said)]
    plan = neyman.Design(budget=24).draw(Pool.from_records(records), seed=0)
    table = neyman.request(plan, "gold", "M")
    # Every fourth output is wrong.
    places = [int(item) % 2 ^ (int(item) % 4 == 3) for item in table["item_id"]]
    table["label"] = [labels[place] for place in places]
    wrong = sum(int(item) % 4 == 3 for item in table["item_id"])
    for rows in (table, table[["item_id", "label"]]):
        with pytest.raises(LabelError, match=r'may be verdicts, or right answers .*parser="text", --parser text'):
            neyman.labelled(plan, rows, "M")
        if len(labels[0]) > 1:
            with pytest.raises(LabelError, match=r'not understood.*parser="text", --parser text'):
                neyman.labelled(plan, rows, "M", "gold")
        study = neyman.labelled(plan, rows, "M", "gold", parser="text")
        assert value(study) == round(100 * (1 - wrong / 24), 1)
    # As verdicts they are remarked.
    assert "read as verdicts on the model’s answer, not as answers" in repr(
        neyman.labelled(plan, table, "M", "right-wrong")
    )


@pytest.mark.parametrize("labels", [["yes", "no"], ["right", "wrong"], ["1", "0"]])
def test_verdicts_in_a_list_that_asked_for_right_answers_are_asked_about(labels: list[str]) -> None:
    plan = plan_of(["Rome", "Oslo", "Bonn"], ["Rome", "Oslo", "Kiel"], known=False)
    table = neyman.request(plan, "gold", "M")
    table["label"] = [labels[int(item) % 3 == 2] for item in table["item_id"]]
    with pytest.raises(LabelError, match="nothing in this file says that its list showed a model’s answers"):
        neyman.labelled(plan, table, "M")
    share = value(neyman.labelled(plan, table, "M", "right-wrong"))
    # Without its plan a list may be anybody's, and one with answers asks for verdicts.
    assert value(neyman.labelled(plan, table[["item_id", "label"]], "M")) == share
    assert value(beside_answers(plan, [labels[0], labels[0], labels[1]])) == share


@pytest.mark.parametrize("answers", [["yes", "no", "no"], ["True", "False", "False"]])
def test_a_few_answers_among_verdicts_are_asked_about_until_somebody_says_what_they_are(answers: list[str]) -> None:
    plan, verdicts = plan_of(answers, [answers[0], answers[1], answers[0]]), ["right", "right", "wrong"] * 6
    labels = [*verdicts, *answers]
    with pytest.raises(
        LabelError, match=r"Answers to these items are among them|equal an answer that a model gave"
    ) as error:
        beside_answers(plan, labels)
    assert f"“{answers[0]}” (row" in str(error.value)
    words = {answers[0]: "right", answers[1]: "wrong"}
    stated = [beside_answers(plan, labels, words=words), beside_answers(plan, labels, kind="right-wrong")]
    meant = beside_answers(plan, [*verdicts, "right", "wrong", "wrong"])
    assert {value(one) for one in stated} == {value(meant)}
    towns = plan_of(["Rome", "Oslo", "Bonn"], ["Rome", "Oslo", "Kiel"])
    assert beside_answers(towns, labels).estimate().n_labels == 24
