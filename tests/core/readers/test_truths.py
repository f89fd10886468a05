"""Right answers that are yes or no beside outputs in other words."""

from __future__ import annotations

import math
from typing import Any

import pytest

from core.pool import Pool
from core.readers import Shape, read, read_mapped
from tests.core.readers.guessed import guess, lines, table


@pytest.mark.parametrize("model", [{}, {"model": "a"}])
@pytest.mark.parametrize(("right", "said"), [((True, False), ("Yes.", "no")), (("yes", "no"), ("True", "False"))])
def test_truth_values_meet_outputs_that_say_yes_or_no(
    right: tuple[Any, Any], said: tuple[str, str], model: dict[str, str]
) -> None:
    rows = [{"question": f"Is it so? {n}", "answer": right[n % 2], "prediction": said[n // 2 % 2]} for n in range(8)]
    rows = [row | model for row in rows] + [row | {"model": "b"} for row in rows if model]
    fields = guess(lines(rows))
    pool = read_mapped(lines(rows), fields, "m")
    assert pool.losses(next(iter(pool.targets))).tolist() == [0, 1, 1, 0] * 2
    assert any("like outputs" in note for note in pool.notes)


SENTENCES = ["Yes, it is.", "No. It is odd.", "**Yes** because so", "no it isn't", "I say: the answer is no, as 3 > 2."]
SENTENCES += ["It is odd, since 2 does not divide it. So, no.", "No doubt it is.", "I cannot tell.", "YES"]
SAID = ["yes", "no", "yes", "no", "no", "no", None, None, "yes"]
LONG = "It may well be, as one sees. " * 9
SENTENCES += [f"{LONG}No.", f"Yes, so. {LONG}", f"{LONG}The answer is no. {LONG}", LONG, f"<think>{LONG}</think>No."]
SAID += ["no", "yes", "no", None, "no"]
# The end counts if a sentence begins with the other word.
SENTENCES += ["No, wait. Thinking about it again, nothing is left. Therefore, yes."]
SENTENCES += ["Yes, one might think so, but 7 is odd. So no.", f"No, wait. {LONG}Therefore, yes."]
SAID += ["yes", "no", "yes"]


def of_sentences(samples: int = 0, **more: str) -> Pool:
    rows = []
    for n, text in enumerate(SENTENCES):
        said = {"samples": [text] * samples} if samples else {"prediction": text}
        rows.append({"question": f"Is {n} even?", "answer": "yes" if n % 2 == 0 else "no", **said, **more})
    return read_mapped(lines(rows), guess(lines(rows)), "m")


@pytest.mark.parametrize("model", [{}, {"model": "a"}])
def test_sentences_are_read_as_the_yes_or_no_that_they_begin_or_end_with(model: dict[str, str]) -> None:
    pool = of_sentences(**model)
    right = ["yes" if n % 2 == 0 else "no" for n in range(len(SAID))]
    losses = [float(one != other) for one, other in zip(right, SAID, strict=True)]
    assert pool.losses(next(iter(pool.targets))).tolist() == losses
    note = (
        "Right answers are yes and no. Outputs that are sentences are read as the word of these that they begin or end"
    )
    assert any(one == f"{note} with: 11." for one in pool.notes)


def test_samples_that_are_sentences_have_the_meaning_of_their_word() -> None:
    pool = of_sentences(samples=2)
    assert pool.generations is not None and pool.generations[0] == ["Yes, it is."] * 2
    table = pool.table.column("generation_answers").to_pylist()
    assert [one[0] for one in table][:9] == [*SAID[:6], "no doubt it is", "i cannot tell", "yes"]


def test_sentences_beside_other_right_answers_stay_sentences() -> None:
    rows = [{"question": f"Who? {n}", "answer": "no one" if n else "yes", "prediction": "Yes, I."} for n in range(6)]
    pool = read_mapped(lines(rows), guess(lines(rows)), "m")
    assert pool.losses("m").tolist() == [1.0] * 6 and not any("sentences" in note for note in pool.notes)


FOREIGN_WORDS = [
    (("是", "否"), ("是的，正确。", "否，不正确。")),
    (("是", "否"), ("是", "不是")),
    (("예", "아니오"), ("네", "아니요")),
    (("sí", "no"), ("Sí, claro que es.", "No, es falso.")),
    (("نعم", "لا"), ("نعم، هذا صحيح", "لا، هذا خطأ")),
]


@pytest.mark.parametrize(("right", "said"), FOREIGN_WORDS)
def test_another_word_of_the_language_is_read_as_the_right_answer(
    right: tuple[str, str], said: tuple[str, str]
) -> None:
    rows = [{"question": f"Q{n}?", "answer": right[n % 2], "prediction": said[n // 2 % 2]} for n in range(20)]
    pool = read_mapped(lines(rows), guess(lines(rows)), "m")
    assert pool.losses("m").tolist() == [0, 1, 1, 0] * 5


@pytest.mark.parametrize(
    ("right", "said", "number"),
    [
        ("Paris", "The capital of France is Paris.", 8),
        ("Málaga", "I would say it is malaga, Spain.", 8),
        ("103", "There are 103 apples in 3 boxes.", 8),
        ("103", "There are 1103 apples in 103.5 boxes.", 0),
        ("x", "The unknown is x here.", 0),
    ],
)
def test_a_remark_counts_wrong_outputs_that_contain_the_right_answer(right: str, said: str, number: int) -> None:
    outputs = [right, said, "none of them at all", "9"]
    rows = [
        {"id": f"q{n}", "prompt": f"Q{n}?", "answer": right, "targets": {"m": {"text": outputs[n % 4]}}}
        for n in range(32)
    ]
    pool = read(lines(rows), "m")
    found = [one.split()[0] for one in pool.remarks if "contain the right answer, for example item q1:" in one]
    assert pool.losses("m").tolist() == [0, 1, 1, 1] * 8 and found == [str(number)] * (number > 0)


@pytest.mark.parametrize(
    ("right", "said", "kind", "is_said"),
    [
        ("1.234", "1,234", None, True),
        ("31.420 m", "31420 m", "number", True),
        ("31.420 m", "31,42 m", "as-is", True),
        ("2.500 €", "2500", "number", True),
        ("0.5", "50 %", "number", False),
        ("1234.56", "1.234,56", "as-is", True),
        ("50", "5", "number", False),
        ("1.5", "15", "number", False),
        ("12", "21", "as-is", False),
        ("3", "1, 2 or 3", "number", False),
    ],
)
@pytest.mark.parametrize("field", ["text", "answer"])
def test_a_remark_names_numbers_with_another_decimal_sign(
    right: str, said: str, kind: str | None, is_said: bool, field: str
) -> None:
    rows = [
        {"id": f"q{n}", "prompt": "?", "answer": right, "answer_kind": kind, "targets": {"m": {field: said}}}
        for n in range(20)
    ] + [{"id": "last", "prompt": "?", "answer": "yes", "answer_kind": "text", "targets": {"m": {field: "yes"}}}]
    pool = read(lines(rows), "m")
    found = [one for one in pool.remarks if "another decimal sign" in one]
    assert bool(found) is is_said and all(said in one and "item q0" in one for one in found)


@pytest.mark.parametrize("right", ["1.234,56", "12,5", "0,125"])
def test_a_decimal_comma_is_a_number(right: str) -> None:
    said = [right, right.replace(".", "").replace(",", "."), f"Das Ergebnis ist {right}.", "9,5"]
    rows = [
        {"id": f"q{n}", "answer": right, "answer_kind": "number", "targets": {"m": {"text": said[n % 4]}}}
        for n in range(20)
    ]
    assert read(lines(rows), "m").losses("m").tolist() == [0, 0, 0, 1] * 5


@pytest.mark.parametrize(
    ("facts", "is_said"),
    [
        ({"generations": ["a", "b"]}, True),
        ({"targets": {"m": {"text": "It is a."}}}, True),
        ({"targets": {"m": {"answer": "a"}}, "answer": None}, True),
        ({"generations": ["a", "b"], "answer": "a"}, False),
        ({"generations": ["a", "b"], "targets": {"m": {"loss": 1}}}, False),
        ({"prompt": "?"}, False),
    ],
)
def test_a_remark_says_what_to_do_with_outputs_that_nothing_grades(facts: dict[str, Any], is_said: bool) -> None:
    pool = read(lines([{"id": f"q{n}"} | facts for n in range(12)]), "m")
    assert any("no right answers and no scores. Have" in one for one in pool.remarks) is is_said


@pytest.mark.parametrize(("worst", "is_said"), [(100.0, True), (1.0, False)])
def test_losses_outside_0_to_1_are_remarked_on(worst: float, is_said: bool) -> None:
    rows = [{"id": f"q{n}", "prompt": f"Q{n}?", "targets": {"m": {"loss": worst * (n % 3 == 0)}}} for n in range(20)]
    pool = read(lines(rows), "m")
    assert any("Losses of “m” lie between 0 and 100." in one for one in pool.remarks) is is_said
    assert math.isnan(pool.targets["m"].accuracy()) is is_said


_KEY, _SAID = "ABCDABCDABCDBBCDACDA", "ABCDABCDAACDBACDACDB"
# Columns with letters beside an id and a question; what is asked, and of which columns.
CALLED_RIGHT: dict[str, tuple[dict[str, str], str, list[str]]] = {
    "correct beside gold": ({"gold": _KEY, "correct": _SAID}, "answer", ["gold", "correct"]),
    "correct beside a model": ({"gold": _KEY, "correct": _SAID, "gpt-4": _KEY}, "answer", ["gold", "correct"]),
    "right beside answer": ({"answer": _KEY, "right": _SAID, "claude-3": _KEY}, "answer", ["answer", "right"]),
    "richtig": ({"gold": _KEY, "richtig": _SAID, "gpt-4": _SAID}, "answer", ["gold", "richtig"]),
    "is_correct": ({"gold": _KEY, "is_correct": _SAID, "gpt-4": _SAID}, "answer", ["gold", "is_correct"]),
    "key": ({"gold": _KEY, "key": _SAID, "gpt-4": _SAID}, "answer", ["gold", "key"]),
    "gold 2": ({"gold": _KEY, "gold 2": _SAID, "gpt-4": _SAID}, "answer", ["gold", "gold 2"]),
    "correct option": ({"gold": _KEY, "correct option": _SAID}, "answer", ["gold", "correct option"]),
    "right answer": (
        {"right answer": _KEY, "correct answer": _SAID},
        "answer",
        ["correct answer", "right answer"],
    ),
    "correct beside a response": ({"correct": _KEY, "response": _SAID}, "answer", ["correct"]),
    "correct beside models": ({"correct": _KEY, "gpt-4": _SAID, "claude-3": _KEY}, "answer", ["correct"]),
    "wrong answers": ({"gold": _KEY, "distractor": _SAID, "gpt-4": _SAID}, "text", ["gpt-4", "distractor"]),
    "gold fixed": ({"gold": _KEY, "gold_fixed": _SAID, "prediction": _SAID}, "answer", ["gold", "gold_fixed"]),
    "gold v2": ({"gold_v1": _KEY, "gold_v2": _SAID, "prediction": _SAID}, "answer", ["gold_v1", "gold_v2"]),
    "references": (
        {"reference_1": _KEY, "reference_2": _SAID, "response": _KEY},
        "answer",
        ["reference_1", "reference_2"],
    ),
    "category": ({"gold": _SAID, "gold_category": _KEY, "output": _SAID}, "answer", ["gold_category", "gold"]),
    "forms": ({"gold": _KEY, "form": _SAID, "gpt-4": _SAID}, "text", ["gpt-4", "form"]),
}


@pytest.mark.parametrize("name", CALLED_RIGHT)
def test_what_is_called_as_right_is_no_model(name: str) -> None:
    columns, field, asked = CALLED_RIGHT[name]
    rows = [
        {
            "id": f"q{n}",
            "question": f"What is the capital of land {n}?",
            **{one: said[n] for one, said in columns.items()},
        }
        for n in range(len(_KEY))
    ]
    shape = Shape.of(table(rows), "m")
    assert [(one.field, [path.path for path in one.candidates]) for one in shape.doubts] == [(field, asked)]
    taken = {path for paths in shape.guess.targets.values() for path in paths.values()}
    assert taken.isdisjoint(asked) and field not in shape.guess.fields
