"""Outputs that are objects in JSON: the path of the answer is proposed, and no sample is lost that has none."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core.readers import FieldMap, Shape, read, read_mapped
from tests.conftest import ROOT
from tests.core.readers.guessed import guess, lines, table

ANSWERS = [["Rome", "Rome", "Paris"], ["Oslo", "Oslo", "Oslo"], ["Bern", "Wien", "Rome"], ["Riga", "Riga", "Oslo"]]
THOUGHT = "I recall number {}.".format
# What an output is, by its answer and a number that is another one in each.
OUTPUTS: dict[str, tuple[str, Any]] = {
    "reasoning, answer": ("answer", lambda said, n: {"reasoning": THOUGHT(n), "answer": said}),
    "answer, reasoning": ("answer", lambda said, n: {"answer": said, "reasoning": THOUGHT(n)}),
    "rationale, label": ("label", lambda said, n: {"rationale": THOUGHT(n), "label": said}),
    "thinking, final_answer": ("final_answer", lambda said, n: {"thinking": THOUGHT(n), "final_answer": said}),
    "steps and answer": ("answer", lambda said, n: {"steps": [THOUGHT(n), "So."], "answer": said}),
    "confidence and choice": ("choice", lambda said, n: {"choice": said, "confidence": n / 100}),
    "explanation and prediction": ("prediction", lambda said, n: {"explanation": THOUGHT(n), "prediction": said}),
    "verdict": ("verdict", lambda said, n: {"analysis": THOUGHT(n), "verdict": said}),
    "nothing but the answer": ("answer", lambda said, n: {"answer": said}),
    "a name of its own beside thoughts": ("capital", lambda said, n: {"thought": THOUGHT(n), "capital": said}),
    "理由, 答え": ("答え", lambda said, n: {"reasoning": THOUGHT(n), "答え": said}),
    "raciocínio": ("resposta", lambda said, n: {"reasoning": THOUGHT(n), "resposta": said}),
}
WRITTEN = {
    "plain": json.dumps,
    "fenced": lambda value: f"```json\n{json.dumps(value, indent=1)}\n```",
    "pretty": lambda value: f"\n{json.dumps(value, indent=2)}",
}


def rows(kind: str, written: str, form: str) -> list[dict[str, Any]]:
    made, write = OUTPUTS[kind][1], WRITTEN[written]
    given = []
    for n, said in enumerate(ANSWERS):
        outputs = [write(made(one, 10 * n + k)) for k, one in enumerate(said)]
        item = {"id": f"q{n}", "question": f"Which capital is number {n}?", "gold": said[0]}
        if form == "list":
            given.append({**item, "samples": outputs, "response": outputs[0]})
        elif form == "columns":
            given.append(item | {f"sample_{k}": one for k, one in enumerate(outputs, start=1)})
        else:
            given += [{**item, "output": one} for one in outputs]
    return given


@pytest.mark.parametrize("form", ["list", "columns", "rows"])
@pytest.mark.parametrize("written", WRITTEN)
@pytest.mark.parametrize("kind", OUTPUTS)
def test_the_answer_within_an_output_is_proposed(kind: str, written: str, form: str) -> None:
    given, part = rows(kind, written, form), OUTPUTS[kind][0]
    content = lines(given) if form == "list" else table(given)
    shape = Shape.of(content, "m")
    paths = {
        "list": f"samples[].{part}",
        "columns": tuple(f"sample_{k}.{part}" for k in (1, 2, 3)),
        "rows": f"output.{part}",
    }
    assert shape.guess.fields["generations"] == paths[form] and not shape.doubts
    pool = read_mapped(content, shape.guess, "m")
    assert pool.generations == ANSWERS
    if form == "list":
        assert shape.guess.targets == {"m": {"text": f"response.{part}"}} and pool.losses("m").tolist() == [0] * 4


def test_a_sample_without_an_answer_stays_an_empty_one() -> None:
    given = rows("reasoning, answer", "plain", "list")
    given[1]["samples"][0] = '{"reasoning": "It is cut of'
    given[2]["samples"][1] = '{"reasoning": "I refuse."}'
    pool = read_mapped(lines(given), guess(lines(given)))
    assert pool.generations == [ANSWERS[0], ["", *ANSWERS[1][1:]], [ANSWERS[2][0], "", ANSWERS[2][2]], ANSWERS[3]]
    columns = rows("reasoning, answer", "plain", "columns")
    columns[1]["sample_1"] = given[1]["samples"][0]
    pool = read_mapped(table(columns), guess(table(columns)))
    assert pool.generations == [ANSWERS[0], ["", *ANSWERS[1][1:]], *ANSWERS[2:]]


def test_samples_whose_answer_has_no_known_name_are_asked_about() -> None:
    given = [
        {"id": n, "question": f"Q{n}?", "samples": [json.dumps({"thought": f"t{n}{k}", "x": 1, "y": 2}) for k in "ab"]}
        for n in range(4)
    ]
    shape = Shape.of(lines(given), "m")
    assert [one.path for one in shape.doubts[0].candidates][:2] == ["samples", "samples[].thought"]
    assert shape.doubts[0].field == "generations" and "generations" not in shape.guess.fields


def test_objects_that_are_the_answer_stay_whole() -> None:
    given = [
        {"id": n, "question": f"Q{n}?", "samples": [json.dumps({"city": f"c{n}", "zip": k}) for k in "ab"]}
        for n in range(4)
    ]
    assert guess(lines(given)).fields["generations"] == "samples"


def test_the_case_of_structured_samples() -> None:
    content = (ROOT / "tests" / "cases" / "structured_reasoning.jsonl").read_bytes()
    shape = Shape.of(content, "m")
    assert shape.guess == FieldMap(
        {"id": "id", "prompt": "question", "answer": "gold", "generations": "samples[].answer"},
        {"m": {"text": "response.answer"}},
    )
    pool = read_mapped(content, shape.guess)
    assert pool.generations is not None
    # Of fifty samples, as many say the same as most others of their item.
    assert sum(max(map(some.count, some)) for some in pool.generations) == 39


# What an output says that a JSON file does not write as one text, by the number that it says.
SAID: dict[str, Any] = {
    "whole numbers": int,
    "numbers and texts": lambda n: n if n % 2 else f"It is {n}.",
    "one part": lambda n: [{"type": "text", "text": str(n)}],
    "two parts": lambda n: [{"type": "text", "text": "Let me see."}, {"type": "text", "text": f"It is {n}."}],
    "reasoning": lambda n: [{"type": "reasoning", "text": "Is it 99?"}, {"type": "output_text", "text": str(n)}],
    "thinking": lambda n: [{"type": "thinking", "thinking": "99"}, {"type": "text", "text": str(n)}],
    "a message": lambda n: {"role": "assistant", "content": [{"type": "text", "text": str(n)}]},
    "messages": lambda n: [{"role": "assistant", "content": [{"type": "text", "text": str(n)}]}],
}


@pytest.mark.parametrize("gold", [int, str])
@pytest.mark.parametrize("kind", SAID)
def test_numbers_and_parts_of_a_message_are_read_as_one_text(kind: str, gold: Any) -> None:
    given = [
        {"id": f"q{n}", "question": f"What is {n}?", "gold": gold(n), "output": SAID[kind](n + (n % 3 == 0))}
        for n in range(12, 36)
    ]
    pool = read(lines(given), "m")
    assert pool.n_generations == 0
    assert pool.losses("m").tolist() == [float(n % 3 == 0) for n in range(12, 36)]


@pytest.mark.parametrize("said", [lambda n: n % 2 == 0, lambda n: (n % 7) / 10])
def test_verdicts_and_shares_are_no_outputs(said: Any) -> None:
    given = [{"question": f"What is {n}?", "gold": str(n), "output": said(n)} for n in range(12, 36)]
    assert not guess(lines(given)).targets
