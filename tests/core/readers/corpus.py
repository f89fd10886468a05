"""Inputs of kinds that were once read wrongly, one a line, with what is read from them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq

SIZE = 20
# Whether the model is right on each item: 65 %.
RIGHT = tuple(n % 20 not in (0, 3, 7, 9, 12, 15, 18) for n in range(SIZE))
GOLD = tuple(str(2 * n + 3) for n in range(SIZE))
SAID = tuple(gold if right else str(int(gold) + 1) for gold, right in zip(GOLD, RIGHT, strict=True))
_HISTORY = [{"role": "user", "content": "Hello?"}, {"role": "assistant", "content": "Hi, how can I help?"}]

Row = Callable[[int], Mapping[str, Any]]


class Case(NamedTuple):
    """Rows, and what is right of them.

    Parameters
    ----------
    row : callable
        Number of a row, from 0 → the row.
    fields : mapping
        Paths of the fields that are right, those of targets among them.
    share : float or None
        Share of right answers of the only target; None if nothing is known.
    asked : str or tuple of str
        The column that is asked about, or several; "" if nothing is.
    """

    row: Row
    fields: Mapping[str, str | tuple[str, ...]]
    share: float | None = None
    asked: str | tuple[str, ...] = ""


def _asked(n: int) -> str:
    return f"What is {n} plus {n + 3}?"


def _prose(n: int) -> str:
    return f"Add them up{'.' * (n + 1)}"


def _chat(n: int, said: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": _asked(n)}, {"role": "assistant", "content": said}]


_ITEM = {"id": "id", "prompt": "question"}

HISTORIES: Mapping[str, Case] = {
    "beside prompt and response": Case(
        lambda n: {"id": f"c{n}", "history": _HISTORY, "prompt": _asked(n), "response": SAID[n], "expected": GOLD[n]},
        {"id": "id", "prompt": "prompt", "answer": "expected", "text": "response"}, 0.65,
    ),
    "in one row of many": Case(
        lambda n: {"id": f"c{n}", "chat_history": _HISTORY if n == 0 else None, "prompt": _asked(n), "output": SAID[n],
                   "gold": GOLD[n]},
        {"id": "id", "prompt": "prompt", "answer": "gold", "text": "output"}, 0.65,
    ),
    "in JSON in half of the rows": Case(
        lambda n: {"id": f"c{n}", "context": json.dumps(_HISTORY) if n % 2 else "", "question": _asked(n),
                   "model_answer": SAID[n], "reference": GOLD[n]},
        {**_ITEM, "answer": "reference", "text": "model_answer"}, 0.65,
    ),
    "in Spanish": Case(
        lambda n: {"id": n, "historial": _HISTORY, "pregunta": _asked(n), "respuesta del modelo": SAID[n],
                   "respuesta correcta": GOLD[n]},
        {"id": "id", "prompt": "pregunta", "answer": "respuesta correcta", "text": "respuesta del modelo"}, 0.65,
    ),
    "in Chinese": Case(
        lambda n: {"编号": f"q{n}", "历史": _HISTORY, "问题": _asked(n), "模型回答": SAID[n], "标准答案": GOLD[n]},
        {"id": "编号", "prompt": "问题", "answer": "标准答案", "text": "模型回答"}, 0.65,
    ),
    "within a trace": Case(
        lambda n: {"id": f"c{n}", "trace": {"messages": _HISTORY, "prompt": "You are kind.", "output": "Hi."},
                   "question": _asked(n), "response": SAID[n], "expected": GOLD[n]},
        {**_ITEM, "answer": "expected", "text": "response"}, 0.65,
    ),
    "a nested id, prompt and output": Case(
        lambda n: {"meta": {"id": n % 3, "prompt": "system", "response": "none"}, "id": f"c{n}", "query": _asked(n),
                   "reply": SAID[n], "gold": GOLD[n]},
        {"id": "id", "prompt": "query", "answer": "gold", "text": "reply"}, 0.65,
    ),
    "a nested right answer": Case(
        lambda n: {"id": f"c{n}", "row": {"expected_output": "see below"}, "question": _asked(n), "output": SAID[n],
                   "expected": GOLD[n]},
        {**_ITEM, "answer": "expected", "text": "output"}, 0.65,
    ),
    "a chat that is the exchange itself": Case(
        lambda n: {"id": f"c{n}", "messages": _chat(n, SAID[n]), "expected": GOLD[n]},
        {"id": "id", "prompt": "messages[prompt]", "answer": "expected", "text": "messages[reply]"}, 0.65,
    ),
    "a chat that repeats the question": Case(
        lambda n: {"id": f"c{n}", "question": _asked(n), "messages": _chat(n, SAID[n]), "expected": GOLD[n]},
        {**_ITEM, "answer": "expected", "text": "messages[reply]"}, 0.65,
    ),
    "a question that follows, and whose answer it is unclear": Case(
        lambda n: {"id": f"c{n}", "history": _HISTORY, "question": _asked(n), "answer": SAID[n]}, _ITEM, None, "answer"
    ),
    "a log with a plain question": Case(
        lambda n: {"id": f"c{n}", "inputs": {"question": "rewritten"}, "question": _asked(n),
                   "outputs": {"answer": "draft"}, "output": SAID[n], "gold": GOLD[n]},
        {**_ITEM, "answer": "gold", "text": "output"}, 0.65,
    ),
}  # fmt: skip

_LABELS = {
    "words of Phoenix": ("incorrect", "correct", "NOT_PARSABLE"),
    "true and false": ("false", "true", "n/a"),
    "German": ("falsch", "richtig", "unklar"),
    "Chinese": ("错误", "正确", "-"),
    "good and bad": ("bad", "good", ""),
}


def _evaluated(words: tuple[str, str, str], label: str = "label", score: str = "score") -> Row:
    def row(n: int) -> dict[str, Any]:
        known = n % 4 > 0
        return {
            "span_id": f"s{n}",
            "input": _asked(n),
            "output": SAID[n],
            label: words[RIGHT[n]] if known else words[2],
            score: int(RIGHT[n]) if known else None,
            "explanation": f"Because of {n}.",
        }

    return row


_KNOWN = [right for n, right in enumerate(RIGHT) if n % 4]
_SHARE = sum(_KNOWN) / len(_KNOWN)
_EVALUATED = {"id": "span_id", "prompt": "input", "text": "output", "right": "score"}


def _rated(name: str, value: Callable[[int], Any], said: Callable[[int], str] = _prose) -> Row:
    return lambda n: {"id": f"c{n}", "question": _asked(n), "response": said(n), name: value(n)}


def _annotated(of: Mapping[str, Any]) -> Row:
    """Return rows as Label Studio exports them, whose annotation says more than the verdict."""

    def row(n: int) -> dict[str, Any]:
        result = [{"type": "choices", "value": {"choices": ["Correct" if RIGHT[n] else "Incorrect"]}}]
        data = {"prompt": _asked(n), "response": f"It is {SAID[n]}."}
        return {"id": n, "data": data, "annotations": [{**of, "result": result}]}

    return row


_FACTS: Mapping[str, Mapping[str, Any]] = {
    "the number of an annotator": {"completed_by": 1},
    "an annotator's record": {"completed_by": {"id": 1, "email": "a@b.c"}},
    "an annotator, a cancellation and a ground truth": {
        "id": 3, "completed_by": 1, "was_cancelled": False, "ground_truth": False, "lead_time": 2.5,
    },
    "who changed it": {"updated_by": 1, "user": 1, "annotator": 0, "was_postponed": False},
    "who sent it": {"submitted_by_id": 0, "draft": False, "annotator_id": 1},
}  # fmt: skip

VERDICTS: Mapping[str, Case] = {
    **{
        f"an annotation with {name}": Case(
            _annotated(of),
            {"id": "id", "prompt": "data.prompt", "text": "data.response",
             "right": "annotations[].result[].value.choices"},
            0.65,
        )
        for name, of in _FACTS.items()
    },
    **{f"a label, {name}": Case(_evaluated(words), _EVALUATED, _SHARE) for name, words in _LABELS.items()},
    "an evaluator with a name": Case(
        _evaluated(_LABELS["words of Phoenix"], "correctness_label", "correctness_score"),
        {"id": "span_id", "prompt": "input", "text": "output"},
    ),
    "a label whose 1 is a fault": Case(
        _evaluated(("factual", "hallucinated", "NOT_PARSABLE")), {"id": "span_id", "prompt": "input", "text": "output"},
        None, "score",
    ),
    "which of two is better": Case(
        lambda n: {"id": f"p{n}", "question": _asked(n), "response_A": SAID[n], "response_B": GOLD[n],
                   "label": "A>B" if n % 2 else "B>A"},
        _ITEM,
    ),
    "a right answer that is a word": Case(
        lambda n: {"id": f"p{n}", "question": _asked(n), "output": ["up", "down"][n % 2],
                   "label": ["up", "down"][n % 2]},
        {**_ITEM, "text": "output", "answer": "label"}, 1.0,
    ),
}  # fmt: skip

_TRUTHS = (
    *("ground_truth_answer", "gold_standard_answer", "reference output", "GroundTruthAnswer", "true_answer"),
    *("gt_answer", "y_true response", "official_answer", "answer (reference)", "solution answer"),
    *("expected response", "answer (ground truth)", "correct_answer_text", "oracle_answer", "golden answer"),
    *("respuesta de referencia", "réponse de référence", "Referenz-Antwort", "参考_答案", "эталонный ответ"),
    *("resposta de referência", "risposta di riferimento", "正解 回答", "参照_回答"),
)
TRUTHS: Mapping[str, Case] = {
    **{
        name: Case(
            lambda n, name=name: {"id": f"q{n}", "question": _asked(n), name: GOLD[n], "gpt-4o answer": SAID[n]},
            {**_ITEM, "answer": name, "text": "gpt-4o answer"}, 0.65,
        )
        for name in _TRUTHS
    },
    "numbers": Case(
        lambda n: {"id": f"q{n}", "question": _asked(n), "ground_truth_answer": int(GOLD[n]), "output": SAID[n]},
        {**_ITEM, "answer": "ground_truth_answer", "text": "output"}, 0.65,
    ),
    "beside two models": Case(
        lambda n: {"id": f"q{n}", "question": _asked(n), "ground_truth_answer": GOLD[n], "gpt-4_answer": SAID[n],
                   "claude_answer": GOLD[n]},
        {**_ITEM, "answer": "ground_truth_answer"},
    ),
}  # fmt: skip

_RATED = {**_ITEM, "text": "response"}
_VALUES: Mapping[str, Callable[[int], Any]] = {
    "0 and 1": lambda n: int(RIGHT[n]),
    "truth values": lambda n: RIGHT[n],
    "good and bad": lambda n: "good" if RIGHT[n] else "bad",
    "grades": lambda n: n % 5 + 1,
}


def _next_to(n: int) -> str:
    """Return the right one of three letters, or the one before it."""
    return "ABC"[n % 3 - (not RIGHT[n])]


RATINGS: Mapping[str, Case] = {
    **{
        f"{values} called {name}": Case(_rated(name, _VALUES[values]), _RATED, None, name)
        for values in _VALUES
        for name in ("label", "gold_label", "answer", "expected")
    },
    **{
        name: Case(_rated(name, _VALUES["0 and 1"]), {**_RATED, "right": name}, 0.65)
        for name in ("answer_correct", "response_correct", "label_correct", "answer_right", "correct_response")
    },
    "losses of 0 and 1": Case(_rated("loss", lambda n: int(not RIGHT[n])), {**_RATED, "wrong": "loss"}, 0.65),
    "a prompt of the system above that of the user": Case(
        lambda n: {"id": n, "system_prompt": f"You are kind to user {n}.", "user_prompt": _asked(n), "output": SAID[n],
                   "gold": GOLD[n]},
        {"id": "id", "prompt": "user_prompt", "answer": "gold", "text": "output"}, 0.65,
    ),
    "right answers of 0 and 1 that outputs say": Case(
        _rated("label", _VALUES["0 and 1"], lambda n: f"The label is {n % 2}."), {**_RATED, "answer": "label"}
    ),
    "right answers of 0 and 1 beside yes and no": Case(
        _rated("label", _VALUES["0 and 1"], lambda n: f"Yes, so it is ({n})."), {**_RATED, "answer": "label"}
    ),
    "right answers called correct": Case(
        _rated("correct_answer", lambda n: ("no", "yes")[n % 2], lambda n: f"No, number {n} is none."),
        {**_RATED, "answer": "correct_answer"}, 0.5,
    ),
    "small right answers": Case(
        _rated("answer", lambda n: n % 5, lambda n: f"It is {n % 4}."), {**_RATED, "answer": "answer"}
    ),
    "places of options": Case(
        lambda n: {**_rated("answer", lambda n: n % 2)(n), "A": f"up {n}", "B": f"down {n}"},
        {**_RATED, "answer": "answer", "choices": ("A", "B")},
    ),
    **{
        f"MedMCQA’s places of options from {first}": Case(
            lambda n, first=first: {**_rated("cop", lambda n: n % 3 + first, _next_to)(n), "opb": f"up {n}",
                                    "opa": f"down {n}", "opc": f"left {n}"},
            {**_RATED, "answer": "cop", "choices": ("opa", "opb", "opc")}, 0.65,
        )
        for first in (0, 1)
    },
}  # fmt: skip


def _several(right: str, said: str, **others: Callable[[int], Any]) -> Row:
    def row(n: int) -> dict[str, Any]:
        more = {name: value(n) for name, value in others.items()}
        return {"id": f"t{n}", "question": _asked(n), right: [f"one {n}", GOLD[n]], said: SAID[n], **more}

    return row


_WRONG = {"incorrect_answers": lambda n: ["No"] if n % 3 else ["No", "Never"]}
SEVERAL: Mapping[str, Case] = {
    **{
        f"{right} beside {said}": Case(_several(right, said, **_WRONG), {**_ITEM, "answer": right, "text": said}, 0.65)
        for right in ("correct_answers", "golden_answers", "accepted_answers", "reference answers", "valid_aliases")
        for said in ("model_answer", "prediction")
    },
    "with the best one": Case(
        _several("correct_answers", "output", best_answer=lambda n: GOLD[n], incorrect_answers=lambda n: ["No"]),
        {**_ITEM, "answer": "correct_answers", "text": "output"}, 0.65,
    ),
    "wrong ones alone": Case(
        lambda n: {"id": f"t{n}", "question": _asked(n), "correct_answer": GOLD[n],
                   "incorrect_answers": [f"w{n}", "x", "y"], "model_answer": SAID[n]},
        {**_ITEM, "answer": "correct_answer", "text": "model_answer"}, 0.65,
    ),
    "distractors": Case(
        lambda n: {"id": f"t{n}", "question": _asked(n), "gold": GOLD[n], "distractor_answers": [f"w{n}", "x"],
                   "output": SAID[n]},
        {**_ITEM, "answer": "gold", "text": "output"}, 0.65,
    ),
}  # fmt: skip

OF_ITEMS: Mapping[str, Case] = {
    "in the row of a dataset": Case(
        lambda n: {"id": f"q{n}", "doc": {"question": _asked(n), "answer": GOLD[n]}, "review": {"gold": GOLD[n]},
                   "choices": [{"message": {"role": "assistant", "content": SAID[n]}}]},
        {"id": "id", "prompt": "doc.question", "answer": "review.gold", "text": "choices[].message.content"}, 0.65,
    ),
    "among the inputs": Case(
        lambda n: {"id": f"q{n}", "inputs": {"question": _asked(n), "answer": GOLD[n]}, "reference": GOLD[n],
                   "prediction": SAID[n]},
        {"id": "id", "prompt": "inputs.question", "answer": "reference", "text": "prediction"}, 0.65,
    ),
    "in metadata": Case(
        lambda n: {"id": f"q{n}", "question": _asked(n), "metadata": {"answer": GOLD[n]}, "target": GOLD[n]},
        {**_ITEM, "answer": "target"},
    ),
    "in metadata alone": Case(
        lambda n: {"id": f"q{n}", "question": _asked(n), "metadata": {"answer": GOLD[n]}, "output": SAID[n]},
        {**_ITEM, "answer": "metadata.answer", "text": "output"}, 0.65,
    ),
    "under two names": Case(
        lambda n: {"id": f"q{n}", "question": _asked(n), "answer": GOLD[n], "gold": GOLD[n]},
        {**_ITEM, "answer": "gold"}, None, "answer",
    ),
}  # fmt: skip

_ANSWERS = ("answer", "Answer", "respuesta", "réponse", "Antwort", "答案", "ответ", "resposta", "जवाब", "cevap")
ANSWERS: Mapping[str, Case] = {
    **{
        name: Case(lambda n, name=name: {"id": f"q{n}", "question": _asked(n), name: SAID[n]}, _ITEM, None, name)
        for name in _ANSWERS
    },
    "of a named model": Case(
        lambda n: {"id": f"q{n}", "question": _asked(n), "model": "gpt-4o", "answer": SAID[n]}, _ITEM, None, "answer"
    ),
    "beside options": Case(
        lambda n: {"id": f"q{n}", "question": _asked(n), "A": "3", "B": "4", "answer": "AB"[n % 2]},
        {**_ITEM, "choices": ("A", "B"), "answer": "answer"},
    ),
    "beside its score": Case(
        lambda n: {"id": f"q{n}", "question": _asked(n), "answer": SAID[n], "correct": RIGHT[n]},
        {**_ITEM, "text": "answer", "right": "correct"}, 0.65,
    ),
}  # fmt: skip


def _scored(name: str, low: float) -> Row:
    return lambda n: {
        "id": f"q{n}",
        "question": _asked(n),
        "expected": GOLD[n],
        "response": SAID[n],
        name: low if n % 5 == 0 else int(RIGHT[n]),
    }


NEGATIVE: Mapping[str, Case] = {
    f"{name}, {low}": Case(_scored(name, low), {**_ITEM, "answer": "expected", "text": "response"}, None, name)
    for name in ("score", "correct", "accuracy", "passed", "得分", "puntuación", "gpt-4 score")
    for low in (-1, -99, -0.5)
}


def _named_verdicts(name: str, words: tuple[Any, Any]) -> Case:
    def row(n: int) -> dict[str, Any]:
        return {"id": f"p{n}", "question": _asked(n), "response": SAID[n], name: words[not RIGHT[n]]}

    return Case(row, {**_ITEM, "text": "response", "right": name}, 0.65)


# Verdicts whose name has the opposite in it, and what they say: right, wrong.
OPPOSITES: Mapping[str, Case] = {
    f"{name}, {words[0]}": _named_verdicts(name, words)
    for name, words in (
        ("Pass/Fail", ("Pass", "Fail")), ("Pass/Fail", ("1", "0")), ("Fail/Pass", ("Pass", "Fail")),
        ("Correct/Incorrect", ("Correct", "Incorrect")), ("Right/Wrong", ("Right", "Wrong")),
        ("right or wrong", ("right", "wrong")), ("Richtig/Falsch", ("Richtig", "Falsch")),
        ("vrai/faux", ("vrai", "faux")), ("对/错误", ("对", "错")), ("failed", ("passed", "failed")),
        ("incorrect", ("Correct", "Incorrect")), ("mistake", ("right", "wrong")), ("Error", ("Correct", "Incorrect")),
        ("Fehler", ("richtig", "falsch")),
    )
} | {
    f"{name}, {words[0]}": Case(_named_verdicts(name, words).row, {**_ITEM, "text": "response", "wrong": name}, 0.65)
    for name, words in (
        ("failed", ("no", "yes")), ("incorrect", ("false", "true")), ("Error", ("0", "1")),
        ("erreur", ("faux", "vrai")),
    )
}  # fmt: skip

_LETTERS, _CITIES = "ABCD", ("Paris", "Rome", "Berlin", "Madrid", "Lisbon")


def _native(gold: Callable[[int], Any], other: Callable[[int], Any], said: str, **more: Any) -> Row:
    """Rows of a native pool with raw outputs: ``said`` holds the answer, the right one on 65 % of the items."""

    def row(n: int) -> dict[str, Any]:
        text = said.format(gold(n) if RIGHT[n] else other(n))
        samples = [said.format(gold(n)), said.format(other(n))]
        return {"id": f"q{n}", "prompt": _asked(n), "answer": gold(n), "generations": samples, "m:text": text, **more}

    return row


def _letter(n: int) -> str:
    return _LETTERS[n % 4]


def _next_letter(n: int) -> str:
    return _LETTERS[(n + 1) % 4]


def _city(n: int) -> str:
    return _CITIES[n % 5]


def _next_city(n: int) -> str:
    return _CITIES[(n + 1) % 5]


_OPTIONS = {"choices": ["w", "x", "y", "z"]}
# Raw outputs of native pools without a kind of answer, right on 65 % of the items.
RAW: Mapping[str, Row] = {
    "numbers in sentences": _native(lambda n: GOLD[n], lambda n: f"{GOLD[n]}5", "So the answer is {}."),
    "numbers in a box": _native(lambda n: GOLD[n], lambda n: f"{GOLD[n]}5", r"\boxed{{{}}}"),
    "numbers with a unit": _native(lambda n: GOLD[n], lambda n: f"{GOLD[n]}5", "It costs {} dollars"),
    "numbers with a decimal point": _native(lambda n: GOLD[n], lambda n: f"{GOLD[n]}5", "{}.0"),
    "letters in sentences": _native(_letter, _next_letter, "The answer is ({}).", **_OPTIONS),
    "letters in brackets": _native(_letter, _next_letter, "({})"),
    "letters after reasons": _native(_letter, _next_letter, "It is warm.\nAnswer: {}", **_OPTIONS),
    "texts in sentences": _native(_city, _next_city, "Answer: {}"),
    "texts in capitals": _native(lambda n: _city(n).upper(), lambda n: _next_city(n).upper(), "{}"),
    "yes and no": _native(
        lambda n: "yes" if n % 2 else "no", lambda n: "no" if n % 2 else "yes", "{}, because of that."
    ),
}
# Native pools that are compared word for word, as before.
BARE: Mapping[str, Row] = {
    "numbers": _native(lambda n: GOLD[n], lambda n: f"{GOLD[n]}5", "{}"),
    "letters": _native(_letter, _next_letter, "{}", **_OPTIONS),
    "texts": _native(_city, _next_city, "{}"),
}
# Names of questions and right answers beside native generations.
FOREIGN: Sequence[tuple[str, str]] = (
    ("question", "gold"),
    ("query", "expected"),
    ("input", "reference"),
    ("instruction", "ground_truth"),
    ("pregunta", "respuesta correcta"),
    ("question", "réponse correcte"),
    ("Frage", "richtige Antwort"),
    ("问题", "标准答案"),
    ("вопрос", "правильный ответ"),
    ("質問", "正解"),
    ("user_question", "ground_truth_answer"),
)

_OPTIONS = ("red", "blue", "green", "pink")
_COLOURS = tuple(_OPTIONS[7 * n // 3 % 4] for n in range(SIZE))
_SAID_COLOURS = tuple(_OPTIONS[(7 * n // 3 + (not right)) % 4] for n, right in enumerate(RIGHT))
_LETTERS = tuple("ABCD"[_OPTIONS.index(colour)] for colour in _COLOURS)
_SAID_LETTERS = tuple("ABCD"[_OPTIONS.index(colour)] for colour in _SAID_COLOURS)


def _again(**more: Sequence[object]) -> Row:
    return lambda n: {"id": f"q{n}", "question": _asked(n), **{name: values[n] for name, values in more.items()}}


_CALCULATED = tuple(f"We add and get {gold}\n#### {gold}" for gold in GOLD)
_LETTERED = {letter: (option,) * SIZE for letter, option in zip("ABCD", _OPTIONS, strict=True)}
_OF_GPT = {**_ITEM, "answer": "answer", "text": "gpt-4o"}

# What holds the right answers once more, and is no output.
REPEATED: Mapping[str, Case] = {
    **{f"as {name}": Case(_again(answer=_COLOURS, **{name: values, "gpt-4o": _SAID_COLOURS}), _OF_GPT, 0.65)
       for name, values in {"answer_idx": _LETTERS, "answer letter": _LETTERS, "answer_index": [*range(SIZE)],
                            "answer_label": _LETTERS, "normalized_answer": _COLOURS, "original_answer": _COLOURS,
                            "answer_clean": _COLOURS, "final_answer": _COLOURS, "answer_explanation": _CALCULATED,
                            "short_answer": _COLOURS, "answer_en": _COLOURS}.items()},
    "of a calculation, beside a model": Case(
        _again(answer=_CALCULATED, final_answer=GOLD, **{"gpt-4o": SAID}), _OF_GPT, 0.65),
    "of a calculation, beside an output": Case(
        _again(answer=_CALCULATED, final_answer=GOLD, pred=SAID), {**_ITEM, "answer": "answer", "text": "pred"}, 0.65),
    "of a calculation": Case(_again(answer=_CALCULATED, final_answer=GOLD), {**_ITEM, "answer": "answer"}, None,
                             "final_answer"),
    "as the text of a letter": Case(
        _again(**_LETTERED, answer_text=_COLOURS, answer_key=_LETTERS, Claude=_SAID_LETTERS),
        {**_ITEM, "choices": tuple("ABCD"), "answer": "answer_key", "text": "Claude"}, 0.65),
    "as the letter of a text": Case(
        _again(**_LETTERED, answer=_COLOURS, answer_idx=_LETTERS),
        {**_ITEM, "choices": tuple("ABCD"), "answer": "answer"}),
    "beside an answer of a model by name": Case(
        _again(answer=_LETTERS, answer_letter=_LETTERS, gpt4_answer=_SAID_LETTERS),
        {**_ITEM, "answer": "answer", "text": "gpt4_answer"}, 0.65),
    "which a model says under a name of its kind": Case(
        _again(answer=_COLOURS, final_answer=_SAID_COLOURS), {**_ITEM, "answer": "answer", "text": "final_answer"},
        0.65),
    "which a model always says": Case(
        _again(answer=_COLOURS, prediction=_COLOURS), {**_ITEM, "answer": "answer", "text": "prediction"}, 1.0),
    "a letter that a model said": Case(
        _again(gold=_LETTERS, answer_letter=_SAID_LETTERS), {**_ITEM, "answer": "gold", "text": "answer_letter"}, 0.65),
}  # fmt: skip


def _aliased(answer: Callable[[int], Mapping[str, object]], **more: Sequence[object]) -> Row:
    asked = _again(**more)
    return lambda n: {**asked(n), **answer(n)}


# Lists of right answers under an answer are more of them, and no samples of a model.
ALIASES: Mapping[str, Case] = {
    "as TriviaQA has them": Case(
        _aliased(lambda n: {"answer": {"value": GOLD[n], "aliases": [GOLD[n], f"x{n}"], "normalized_value": GOLD[n]}},
                 pred=SAID),
        {**_ITEM, "answer": "answer.aliases", "text": "pred"}, 0.65),
    "as TriviaQA has them, beside a model": Case(
        _aliased(lambda n: {"answer": {"value": GOLD[n], "aliases": [GOLD[n], f"x{n}"], "normalized_aliases": [f"x{n}"],
                            "normalized_value": GOLD[n]}}, **{"gpt-4o": SAID}),
        {**_ITEM, "answer": "answer.aliases", "text": "gpt-4o"}, 0.65),
}  # fmt: skip

# Scores called by a model that has no output, beside the output of another one, may be those of a judge.
SCORED_BY: Mapping[str, Case] = {
    f"{said}, {score}": Case(
        lambda n, said=said, score=score: {"id": f"q{n}", "question": _asked(n), said: _prose(n), score: int(RIGHT[n])},  # type: ignore[misc]
        {**_ITEM, "text": said}, None, score)
    for said, score in (("llama_response", "gpt4_score"), ("mistral_output", "gpt4_correct"),
                        ("claude_answer", "gpt-4o_grade"), ("response_llama", "score_gpt4"))
}  # fmt: skip


def _trials(number: str, score: str, first: int) -> Row:
    def row(n: int) -> dict[str, Any]:
        trials = [{number: first + place, score: int(RIGHT[n] if place == 0 else n % 2)} for place in range(2 + n % 2)]
        return {"task_id": f"t{n}", "instruction": _prose(n), "trials": trials}

    return row


def _retried(number: str) -> Row:
    """Rows of 16 questions, of which the first four have a second attempt, which is always right."""

    def row(n: int) -> dict[str, Any]:
        item, again = n % 16, n >= 16
        return {
            "question": _asked(item),
            "expected": GOLD[item],
            number: 1 + again,
            "response": GOLD[item] if again else SAID[item],
            "correct": int(again or RIGHT[item]),
        }

    return row


# What numbers the runs of an item is no score of them, and no output; a few second attempts are no items.
NUMBERED_RUNS: Mapping[str, Case] = {
    **{
        f"{number} from {first} beside {score}": Case(
            _trials(number, score, first),
            {"id": "task_id", "prompt": "instruction", "right": f"trials[].{score}"}, 0.65,
        )
        for number, score, first in (("trial", "reward", 0), ("attempt", "passed", 1), ("run", "score", 0),
                                     ("seed", "correct", 0), ("index", "correct", 0), ("nth", "success", 1))
    },
    **{
        f"a second {number}": Case(
            _retried(number), {"id": "question", "prompt": "question", "answer": "expected", "generations": "response",
                               "right": "correct"}, 0.625
        )
        for number in ("attempt", "retry", "run")
    },
}  # fmt: skip

# Verdicts on something else than the output, by a further word in their name.
OF_OTHERS: Mapping[str, Case] = {
    f"{name}{' beside a right answer' * bool(gold)}": Case(
        lambda n, name=name, gold=gold: {"id": f"q{n}", "question": _asked(n), **({"gold": GOLD[n]} if gold else {}),  # type: ignore[misc]
                                         "prediction": SAID[n], name: int(n % 3 > 0)},
        {**_ITEM, "text": "prediction", **({"answer": "gold"} if gold else {})}, 0.65 if gold else None, name,
    )
    for name in ("baseline_correct", "predicted_correct", "self_reported_correct", "citation correct", "lint_passed",
                 "passed_moderation", "top5_correct", "is_correct_confidence", "p_correct", "student_correct")
    for gold in (True, False)
} | {
    name: Case(lambda n, name=name: {"id": f"q{n}", "question": _asked(n), "prediction": SAID[n], name: int(RIGHT[n])},
               {**_ITEM, "text": "prediction", "right": name}, 0.65)
    for name in ("prediction_correct", "is_answer_correct", "tests_passed", "fully_correct", "marked correct",
                 "gpt-4 correct")
}  # fmt: skip


def _without_gold(word: str, says: bool) -> Row:
    def row(n: int) -> dict[str, Any]:
        known = n % 4 > 0
        return {
            "id": f"q{n}",
            "question": _asked(n),
            "gold": GOLD[n] if known else word,
            "prediction": SAID[n] if known or not says else word,
        }

    return row


# Words in place of a right answer, which make no output wrong or right; an option and a class are right answers.
MISSING: Mapping[str, Case] = {
    f"{word}{', as outputs say' * says}": Case(
        _without_gold(word, says), {**_ITEM, "answer": "gold", "text": "prediction"}, _SHARE
    )
    for word in ("N/A", "-", "null", "nan", "None", "#N/A", "TBD", "?", "unknown", "#REF!")
    for says in (False, True)
} | {
    "none as a class": Case(
        lambda n: {"id": f"q{n}", "question": _asked(n), "gold": ("none", "mild")[n % 2],
                   "prediction": ("none", "mild")[(n + (not RIGHT[n])) % 2]},
        {**_ITEM, "answer": "gold", "text": "prediction"}, 0.65,
    ),
    "an output that failed": Case(
        lambda n: {"id": f"q{n}", "question": _asked(n), "gold": GOLD[n], "output": SAID[n] if n % 4 else "",
                   "error": "" if n % 4 else "Timeout", "correct": int(RIGHT[n] and n % 4 > 0)},
        {**_ITEM, "answer": "gold", "text": "output", "right": "correct"}, _SHARE,
    ),
}  # fmt: skip

# Columns of 0 and 1 that are no models' results.
NO_MODELS: Mapping[str, Case] = {
    **{name: Case(lambda n, name=name: {"question": _asked(n), f"{name}_gpt4": n % 2, f"{name}_claude": n % 3 % 2},
                  {"prompt": "question"}) for name in ("judge", "grader", "reviewer")},
    "a truth beside predictions": Case(
        lambda n: {"text": _asked(n), "needs_escalation": n % 2, "gpt-4o": n % 3 % 2, "claude-3": (n + 1) % 2},
        {"prompt": "text"}, None, "needs_escalation"),
    "how the request went": Case(
        lambda n: {"qid": f"q{n}", "question": _asked(n), "gpt-4o": n % 2, "gpt-4o_timeout": n % 3 % 2,
                   "claude-3": (n + 1) % 2},
        {"id": "qid", "prompt": "question"}),
}  # fmt: skip

_CALLED = {"id": "id", "prompt": "question", "answer": "gold", "text": "output"}
# What is said of calls, and not of answers: it is asked about, and outputs are compared.
OF_CALLS: Mapping[str, Case] = {
    name: Case(
        lambda n, name=name, well=well: {"id": f"q{n}", "question": _asked(n), "gold": GOLD[n], "output": SAID[n],
                                         name: well},
        _CALLED, 0.65, name,
    )
    for name, well in (("success", True), ("ok", 1), ("is_success", 1), ("successful", 1), ("error", 0),
                       ("has_error", 0), ("failed", 0))
} | {
    name: Case(
        lambda n, name=name, well=well: {"id": f"q{n}", "question": _asked(n), "gold": GOLD[n], "output": SAID[n],
                                         name: well},
        _CALLED, 0.65,
    )
    for name, well in (("status", "success"), ("api_status", "ok"), ("finish_reason", "stop"), ("state", "completed"))
}  # fmt: skip

_CLASSES = ("entailment", "neutral", "contradiction")


def _entailed(n: int) -> dict[str, Any]:
    return {"label": _CLASSES[n % 3], "prediction": _CLASSES[(n + (not RIGHT[n])) % 3]}


_ENTAILED = {"answer": "label", "text": "prediction"}
# A premise that several rows have, with another right answer each, is no id.
PREMISES: Mapping[str, Case] = {
    "ids": Case(
        lambda n: {"id": n, "premise": f"A man {n // 3} walks his dog.", "hypothesis": f"P{n} sleeps"} | _entailed(n),
        {"id": "id", "prompt": "premise", **_ENTAILED}, 0.65,
    ),
    "an id without a value": Case(
        lambda n: {"id": None if n == 5 else f"i{n}", "premise": f"A man {n // 3} walks his dog.",
                   "hypothesis": f"P{n} sleeps"} | _entailed(n),
        {"prompt": "premise", **_ENTAILED}, 0.65,
    ),
    "an id twice": Case(
        lambda n: {"id": f"i{4 if n == 5 else n}", "premise": f"A man {n // 3} walks his dog.",
                   "hypothesis": f"P{n} sleeps"} | _entailed(n),
        {"prompt": "premise", **_ENTAILED}, 0.65,
    ),
    "no id": Case(
        lambda n: {"premise": f"A man {n // 3} walks his dog.", "hypothesis": f"P{n} sleeps"} | _entailed(n),
        {"prompt": "premise", **_ENTAILED}, 0.65,
    ),
}  # fmt: skip

_OPTIONS = ("Oslo", "Rome", "Bern", "Kyiv")


def _listed(n: int, form: str, between: str, names: str = "ABCD") -> str:
    return between.join(form.format(name, f"{text} {n}") for name, text in zip(names, _OPTIONS, strict=True))


_FORMS_OF_OPTIONS = {
    "letters and bars": ("{}. {}", " | "),
    "letters and semicolons": ("{}) {}", "; "),
    "letters in brackets": ("({}) {}", " "),
    "letters in lines": ("{}: {}", "\n"),
    "letters and commas": ("{}) {}", ", "),
    "bars": ("{1}", " | "),
    "lines": ("{1}", "\n"),
}
_OF_OPTIONS = {"id": "id", "prompt": "question", "answer": "answer", "text": "output"}


def _chosen(n: int, letters: str) -> dict[str, str]:
    """The right answer and the output, one of them as a letter (``letters``: which), the other one as a text."""
    right, said = n % 4, (n + (not RIGHT[n])) % 4
    texts = {"answer": f"{_OPTIONS[right]} {n}", "output": f"{_OPTIONS[said]} {n}"}
    return texts | {letters: "ABCD"[right if letters == "answer" else said]}


# Objects with the same parts, of which one is the answer.
IN_PARTS: Mapping[str, Case] = {
    "an answer beside its reason": Case(
        lambda n: {"id": f"q{n}", "text": _asked(n), "gold": {"answer": f"A{n}", "reason": "it is so"},
                   "output": {"answer": f"A{n}" if RIGHT[n] else "B", "reason": f"since {n}"}},
        {"id": "id", "prompt": "text", "answer": "gold.answer", "text": "output.answer"}, 0.65,
    ),
}  # fmt: skip

# Options in one text: of a column, or at the end of a question.
IN_ONE_TEXT: Mapping[str, Case] = {
    f"{name}, {letters} in letters": Case(
        lambda n, form=form, letters=letters: {"id": f"q{n}", "question": _asked(n), "options": _listed(n, *form)}
        | _chosen(n, letters),
        {**_OF_OPTIONS, "choices": "options"}, 0.65,
    )
    for name, form in _FORMS_OF_OPTIONS.items()
    for letters in ("answer", "output")
} | {
    f"{name} in the question, {letters} in letters": Case(
        lambda n, form=form, letters=letters: {"id": f"q{n}", "question": f"{_asked(n)}\n{_listed(n, *form)}"}
        | _chosen(n, letters),
        {**_OF_OPTIONS, "choices": "question"}, 0.65,
    )
    for name, form in _FORMS_OF_OPTIONS.items() if "letters" in name
    for letters in ("answer", "output")
} | {
    "in the question, and all say letters": Case(
        lambda n: {"id": f"q{n}", "question": f"{_asked(n)}\n{_listed(n, '{}. {}', chr(10))}", "answer": "ABCD"[n % 4],
                   "output": "ABCD"[(n + (not RIGHT[n])) % 4]},
        _OF_OPTIONS, 0.65,
    ),
    "two options of PIQA": Case(
        lambda n: {"id": f"q{n}", "goal": _asked(n), "sol1": f"this {n}", "sol2": f"that {n}", "label": n % 2,
                   "prediction": f"{('this', 'that')[(n + (not RIGHT[n])) % 2]} {n}"},
        {"id": "id", "prompt": "goal", "choices": ("sol1", "sol2"), "answer": "label", "text": "prediction"}, 0.65,
    ),
    "objects of CommonsenseQA": Case(
        lambda n: {"id": f"q{n}", "question": {"question_concept": "x", "stem": _asked(n), "choices": [
                       {"label": name, "text": f"{text} {n}"} for name, text in zip("ABCD", _OPTIONS, strict=True)]},
                   "answerKey": "ABCD"[n % 4], "prediction": f"{_OPTIONS[(n + (not RIGHT[n])) % 4]} {n}"},
        {"id": "id", "prompt": "question.stem", "choices": "question.choices[].text", "answer": "answerKey",
         "text": "prediction"}, 0.65,
    ),
}  # fmt: skip


def _scored(name: str, score: Callable[[int], float], said: str = "prediction") -> Row:
    return lambda n: {"id": f"q{n}", "question": _asked(n), "gold": GOLD[n], said: SAID[n], name: score(n)}


# Numbers between 0 and 1 that are no scores: what is the right answer itself has less than 1.
CONFIDENCES: Mapping[str, Case] = {
    f"{name}, {which}": Case(_scored(name, score), {**_ITEM, "answer": "gold", "text": "prediction"}, 0.65, name)
    for name in ("score", "accuracy")
    for which, score in {"confidence": lambda n: 0.9 + n / 1000, "similarity": lambda n: 0.5 + 0.4 * RIGHT[n]}.items()
} | {
    "a share that is 1 where the output is right": Case(
        _scored("score", lambda n: 1 if RIGHT[n] else 0.5), {**_ITEM, "answer": "gold", "text": "prediction",
                                                             "right": "score"}, 0.825,
    ),
}  # fmt: skip

_STEPS_OF = (
    "1. Sit down.\n2. Ask {n} friends.",
    "Step 1: wait {n} days.",
    "At 1 pm or 0 am, {n} times",
    "Of 0 or 1, {n} say so.",
)

# Verdicts 0 and 1 beside outputs with numerals, which are no answers.
NUMERALS: Mapping[str, Case] = {
    f"{text!r}, {name}": Case(
        lambda n, text=text, name=name: {"id": f"q{n}", "question": _asked(n), "generation": text.format(n=n),
                                         name: int(RIGHT[n])},
        {**_ITEM, "text": "generation"}, None, name,
    )
    for text in _STEPS_OF for name in ("label", "answer")
} | {
    f"classes, {form!r}": Case(
        lambda n, form=form: {"id": f"q{n}", "question": _asked(n), "label": n % 2,
                              "generation": form.format(n % 2 if RIGHT[n] else 1 - n % 2)},
        {**_ITEM, "answer": "label", "text": "generation"}, 0.65,
    )
    for form in ("{0}", "Label: {0}", "The class is {0}.", "I think it is {0}")
}  # fmt: skip


def _two(one: str, two: str, known: bool, said: Callable[[int], str] = SAID.__getitem__) -> Row:
    scored = (lambda n: {"correct": int(RIGHT[n])}) if known else (lambda n: {})
    return lambda n: {"id": f"q{n}", "question": _asked(n), one: GOLD[n], two: said(n), **scored(n)}


# Two columns that are called as outputs: one of them has the right answers.
TWO_OUTPUTS: Mapping[str, Case] = {
    f"{one} and {two}{', scored' * known}": Case(
        _two(one, two, known), {**_ITEM, **({"right": "correct"} if known else {})}, None, (one, two)
    )
    for one, two in (("output", "prediction"), ("response", "model_response"), ("completion", "generated_output"))
    for known in (True, False)
} | {
    "an answer within its reasoning": Case(
        lambda n: {"id": f"q{n}", "question": _asked(n), "response": f"So it is {SAID[n]}.", "prediction": SAID[n],
                   "correct": int(RIGHT[n])},
        {**_ITEM, "text": "response", "right": "correct"}, 0.65,
    ),
}  # fmt: skip


def _under(*keys: str, **more: Any) -> Row:
    """Return the row whose two keys hold the same: what each said, and whether that is right."""

    def held(n: int, right: bool) -> dict[str, Any]:
        said = GOLD[n] if right else str(int(GOLD[n]) + 1)
        return {name: one(said, right) for name, one in more.items()}

    return lambda n: {"id": f"q{n}", "question": _asked(n), "gold": GOLD[n],
                      keys[0]: held(n, RIGHT[n]), keys[1]: held(n, n > 3)}  # fmt: skip


def _score(said: str, right: bool) -> int:
    return int(right)


# What stands under two keys of any name is of two, and never of the first alone.
UNDER_KEYS: Mapping[str, Case] = {
    "scores under made-up keys": Case(
        lambda n: {"id": f"q{n}", "question": _asked(n), "scores": {"m1": int(RIGHT[n]), "m2": int(n > 3)}},
        {"id": "id", "prompt": "question"}, None, ("scores.m1", "scores.m2"),
    ),
} | {
    f"scores of {one} and {two}": Case(
        _under(one, two, score=_score), {**_ITEM, "answer": "gold"}, None, (f"{one}.score", f"{two}.score")
    )
    for one, two in (("base", "rag"), ("human", "ai"), ("turn_1", "turn_2"), ("judge_1", "judge_2"))
} | {
    f"texts of {one} and {two}": Case(
        _under(one, two, answer=lambda said, right: f"It is {said}."), {**_ITEM, "answer": "gold"}, None,
        (f"{one}.answer", f"{two}.answer"),
    )
    for one, two in (("human", "ai"), ("turn_1", "turn_2"), ("draft", "final"))
}  # fmt: skip

# Two rows of each item, told apart by a column that may be a model, a run or a fact.
OF_SOMETHING: Mapping[str, Case] = {
    name: Case(
        lambda n, name=name: {"id": f"q{n // 2}", "question": _asked(n // 2), name: ("a", "b")[n % 2],
                              "output": f"{n}", "correct": int(RIGHT[n])},
        {"id": "id", "prompt": "question", "generations": "output", "right": "correct"}, None, name,
    )
    for name in ("retriever", "embedding", "who")
}  # fmt: skip

_INTENTS = ("book", "cancel", "ask")


def _classed(right: str, said: str, **more: Any) -> Row:
    return lambda n: {"id": f"u{n}", "text": f"please book flight number {n}", right: _INTENTS[n % 3],
                      said: _INTENTS[(n + (not RIGHT[n])) % 3], **more}  # fmt: skip


# A class and a model's, by the words that tell them apart.
CLASSES: Mapping[str, Case] = {
    f"{right} and {said}": Case(
        _classed(right, said), {"id": "id", "prompt": "text", "answer": right, "text": said}, 0.65
    )
    for right, said in (
        ("intent", "predicted_intent"), ("intent", "intent_pred"), ("category", "model_category"),
        ("true_intent", "predicted_intent"), ("gold topic", "llm topic"), ("sentiment", "sentiment (predicted)"),
        ("entity", "detected_entity"), ("reference", "hypothesis"),
    )
}  # fmt: skip
# Scores of two are no classes.
SCORES_OF_TWO: Mapping[str, Case] = {
    "numbers": Case(
        lambda n: {"id": f"i{n}", "gold_score": str(n % 2), "llm_score": str(n % 3 % 2)},
        {"id": "id", "answer": "gold_score"},
        None,
        "llm_score",
    ),
}
_REPLY = "You bought {} marbles at the market."
# What is read from an output is the model's, and so is a hypothesis without a premise; who answered is no output.
READ_FROM: Mapping[str, Case] = {
    "a provider beside a text": Case(
        lambda n: {"id": f"q{n}", "question": _asked(n), "gold": GOLD[n],
                   "result": {"provider": f"p{n % 2}", "text": f"It is {SAID[n]}."}},
        {**_ITEM, "answer": "gold", "text": "result.text"}, 0.65,
    ),
    "a parsed answer": Case(
        lambda n: {"id": f"q{n}", "question": _asked(n), "response_text": f"I say {SAID[n]}",
                   "parsed_json": {"answer": SAID[n]}},
        {**_ITEM, "text": "parsed_json.answer"}, None,
    ),
    "hypotheses": Case(
        lambda n: {"question_id": f"q{n}", "question": _asked(n), "answer": GOLD[n],
                   "hypothesis": _REPLY.format(SAID[n])},
        {"id": "question_id", "prompt": "question", "answer": "answer", "text": "hypothesis"}, 0.65,
    ),
    "hypotheses alone": Case(
        lambda n: {"question_id": f"q{n}", "hypothesis": _REPLY.format(SAID[n])},
        {"id": "question_id", "text": "hypothesis"}, None,
    ),
}  # fmt: skip


def _gpqa(n: int) -> dict[str, Any]:
    return {"Record ID": f"r{n}", "Question": f"Is compound {n} stable?", "Correct Answer": ("Yes.", "No.")[n % 2],
            "Incorrect Answer 1": ("No.", "Yes.")[n % 2], "Incorrect Answer 2": "Only in acid.",
            "model_answer": ("Yes.", "No.")[(n + (not RIGHT[n])) % 2]}  # fmt: skip


# Wrong answers to choose from are no verdicts, and a model's answers no models.
WRONG_ANSWERS: Mapping[str, Case] = {
    "yes and no": Case(
        _gpqa, {"id": "Record ID", "prompt": "Question", "answer": "Correct Answer", "text": "model_answer"}, 0.65
    ),
}

# How a test went is a score; how a call went is none.
STATUSES: Mapping[str, Case] = {
    "of tests": Case(
        lambda n: {"Test case": _asked(n), "Expected result": f"about {GOLD[n]}", "Actual result": f"say {SAID[n]}",
                   "Status": "Pass" if RIGHT[n] else "Fail"},
        {"id": "Test case", "answer": "Expected result", "right": "Status"}, 0.65,
    ),
    "of tests, some skipped": Case(
        lambda n: {"id": n, "test": _asked(n), "status": "skipped" if n == 1 else "passed" if RIGHT[n] else "failed"},
        {"id": "test", "right": "status"}, 12 / 19,
    ),
    "of calls": Case(
        lambda n: {"id": n, "question": _asked(n), "gold": GOLD[n], "output": SAID[n],
                   "status": "failed" if n == 3 else "success"},
        {**_ITEM, "answer": "gold", "text": "output"}, 0.65,
    ),
}  # fmt: skip

FAMILIES: Mapping[str, Mapping[str, Case]] = {
    "statuses": STATUSES,
    "wrong answers": WRONG_ANSWERS,
    "classes": CLASSES,
    "scores of two": SCORES_OF_TWO,
    "read from outputs": READ_FROM,
    "settings of any name": OF_SOMETHING,
    "under two keys": UNDER_KEYS,
    "confidences": CONFIDENCES,
    "numerals": NUMERALS,
    "two outputs": TWO_OUTPUTS,
    "what is said of calls": OF_CALLS,
    "premises": PREMISES,
    "options in one text": IN_ONE_TEXT,
    "right answers in parts": IN_PARTS,
    "histories": HISTORIES,
    "verdicts": VERDICTS,
    "ratings": RATINGS,
    "several right answers": SEVERAL,
    "right answers": TRUTHS,
    "answers of the item": OF_ITEMS,
    "answers": ANSWERS,
    "scores below 0": NEGATIVE,
    "names of opposites": OPPOSITES,
    "right answers once more": REPEATED,
    "scores called by a model": SCORED_BY,
    "aliases of right answers": ALIASES,
    "numbers of runs": NUMBERED_RUNS,
    "verdicts on something else": OF_OTHERS,
    "no right answer": MISSING,
    "no models": NO_MODELS,
}


class Whole(NamedTuple):
    """A file that is no list of rows, and what is right of it.

    Parameters
    ----------
    value : object
        The JSON value of the file, of which a list is written in lines, too; or the text of a table.
    items : int
        Items of the pool; 0 if it is refused.
    shares : mapping
        Share of right answers of each target; None if nothing is known.
    said : tuple of str
        What is in the remarks or the account, or in the refusal.
    """

    value: Any
    items: int
    shares: Mapping[str, float | None]
    said: tuple[str, ...] = ()


def _answered(n: int, right: bool | None = None, **more: Any) -> dict[str, Any]:
    is_right = RIGHT[n] if right is None else right
    said = GOLD[n] if is_right else str(int(GOLD[n]) + 1)
    return {"id": f"q{n}", "question": _asked(n), "gold": GOLD[n], "prediction": said, "correct": is_right, **more}


_ALL, _LAW, _ART = (tuple(range(*some)) for some in ((SIZE,), (12,), (12, SIZE)))
_PARTS = {name: [_answered(n) for n in part] for name, part in (("law", _LAW), ("art", _ART))}
_BASE, _TUNED = [_answered(n) for n in _ALL], [_answered(n, n > 3) for n in _ALL]
_M65, _M80 = {"m": 0.65}, ("has 65 % of 20 items right", "has 80 % of 20 items right")
_OTHERS = [{"id": n, "stem": "Which?", "key": "A", "picked": "AB"[n % 2], "is_correct": n % 2 == 0} for n in range(6)]


def _without(name: str, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{key: value for key, value in row.items() if key != name} for row in rows]


# Parts of an object: each list that is clearly of the same kind is read, and others are named.
OF_PARTS: Mapping[str, Whole] = {
    "metrics beside each list": Whole(
        {name: {"metrics": {"acc": 0.65}, "samples": rows} for name, rows in _PARTS.items()}, SIZE, _M65
    ),
    "a summary of all": Whole(
        {"summary": {"overall": 0.65}} | {name: {"n": 3, "predictions": rows} for name, rows in _PARTS.items()}, SIZE,
        _M65,
    ),
    "tasks of models": Whole(
        {model: {name: {"samples": [_answered(n, n > 3) for n in part] if model == "m2" else _PARTS[name]}
                 for name, part in (("law", _LAW), ("art", _ART))} for model in ("m1", "m2")},
        SIZE, {"m2": 0.8}, _M80,
    ),
    "models by any name": Whole(
        {"base": {"metrics": {"acc": 0.65}, "predictions": _BASE}, "lora": {"predictions": _TUNED}}, SIZE,
        {"lora": 0.8}, _M80,
    ),
    "lists of two models": Whole({"before_results": _BASE, "after_results": _TUNED}, SIZE, {"after_results": 0.8},
                                 _M80),
    "runs": Whole({"run_1": _BASE, "run_2": _TUNED}, SIZE, _M65, ("20 items × 2 runs",)),
    "a list of another kind": Whole({"qa": _BASE, "mcq": _OTHERS}, SIZE, _M65,
                                    ("6 records of another list, “mcq”",)),
    "subjects that number their items alike": Whole(
        {name: [_answered(n, question=f"{name} {n}?") for n in range(10)] for name in ("law", "art")}, SIZE,
        {"m": 0.6},
    ),
}  # fmt: skip

# Groups that list their items: each item counts, not the first of each group.
IN_GROUPS: Mapping[str, Whole] = {
    "tasks": Whole({"tasks": [{"task": name, "samples": rows} for name, rows in _PARTS.items()]}, SIZE, _M65),
    "tasks in lines": Whole([{"task": name, "results": rows} for name, rows in _PARTS.items()], SIZE, _M65),
    "passages with their own ids": Whole(
        [{"id": f"p{n}", "passage": f"P{n}", "qas": _BASE[4 * n : 4 * n + 4]} for n in range(5)], SIZE, _M65
    ),
    "items without ids": Whole(
        [{"id": f"p{n}", "qas": _without("id", _BASE[4 * n : 4 * n + 4])} for n in range(5)], SIZE, _M65
    ),
    "one suite": Whole({"suites": [{"name": "s", "cases": _BASE}]}, SIZE, _M65),
    "groups within groups": Whole(
        {"suites": [{"name": "s", "tasks": [{"task": name, "items": rows} for name, rows in _PARTS.items()]}]}, SIZE,
        _M65,
    ),
    "models by name": Whole(
        {"models": [{"name": name, "accuracy": 0.5, "results": rows}
                    for name, rows in (("m1", _BASE), ("m2", _TUNED))]},
        SIZE, {"m2": 0.8}, _M80,
    ),
    "versions of one thing by date": Whole(
        [{"date": f"2026-0{n}-01", "items": rows} for n, rows in ((1, _BASE), (2, _TUNED))], SIZE,
        {"2026-01-01": 0.65, "2026-02-01": 0.8},
    ),
    "runs by number": Whole(
        {"runs": [{"run_id": n, "results": rows} for n, rows in ((1, _BASE), (2, _TUNED))]}, SIZE, _M65,
        ("20 items × 2 runs",),
    ),
    "a line that lists nothing": Whole(
        [*({"task": name, "samples": rows} for name, rows in _PARTS.items()), {"task": "total", "n": SIZE}], SIZE,
        _M65, ("Left out: 1 record without a list of items",),
    ),
    "trials of an item": Whole(
        [{"task_id": f"t{n}", "trials": [{"id": f"t{n}-{k}", "passed": RIGHT[n] == (k == 0)} for k in range(3)]}
         for n in _ALL],
        SIZE, _M65, ("20 items × 3 runs",),
    ),
}  # fmt: skip

_WRONG = [row for row in _BASE if not row["correct"]]
_PART = ("the file lists only a part of its items", "20 items and lists 7", "65.0 %", "0.0 %")

# Totals that a file states beside its list of items.
BESIDE_TOTALS: Mapping[str, Whole] = {
    "failures alone": Whole({"accuracy": 0.65, "total": SIZE, "correct": 13, "errors": _without("correct", _WRONG)}, 0,
                            {}, _PART),
    "failures with verdicts, and a summary": Whole({"summary": {"total": SIZE, "passed": 13}, "failures": _WRONG}, 0,
                                                   {}, _PART),
    "a few samples": Whole({"acc": 40.5, "num_examples": 200, "sample_outputs": _BASE}, 0, {},
                           ("200 items and lists 20", "40.5 %", "65.0 %")),
    "another share": Whole({"model": "x", "accuracy": 0.2, "n": SIZE, "results": _BASE}, SIZE, _M65,
                           ("The tool reports accuracy 20.0 % for m, and the records read have 65.0 %",)),
    "the same share": Whole({"metrics": {"accuracy": 65.0}, "results": _BASE}, SIZE, _M65,
                            ("The tool’s accuracy, 65.0 %, is the same",)),
    "more items, and the same share": Whole({"accuracy": 0.65, "n": 400, "results": _BASE}, SIZE, _M65,
                                            ("The file says that it is about 400 items and lists 20.",)),
    "a share rounded to one digit": Whole({"accuracy": 0.7, "results": _BASE}, SIZE, _M65, ("is the same",)),
    "lists side by side": Whole({"model": "m", "acc": 0.65, "predictions": list(SAID), "labels": list(GOLD)}, SIZE,
                                _M65, ("is the same",)),
    "lists side by side, with ids and questions": Whole(
        {"config": "x", "ids": [f"q{n}" for n in _ALL], "questions": [_asked(n) for n in _ALL],
         "references": list(GOLD), "outputs": list(SAID)}, SIZE, _M65,
    ),
}  # fmt: skip

# Lines that are no items, before and behind them.
BESIDE_ITEMS: Mapping[str, Whole] = {
    "a summary that says so, with the number of right items": Whole(
        [{"type": "header", "model": "m", "n": SIZE}, *_BASE, {"type": "summary", "accuracy": 0.65, "correct": 13}],
        SIZE, _M65, ("1 record of totals (row 22)", "1 row without any of the fields (row 1)"),
    ),
    "a summary with a number that an item may have": Whole(
        [*_BASE, {"accuracy": 0.65, "correct": 1, "total": 2}], SIZE, _M65, ("1 row of totals at the end (row 21)",),
    ),
    "items of a kind that is called summary": Whole(
        [{"id": n, "type": "summary" if n % 2 else "qa", "score": int(RIGHT[n])} for n in _ALL], SIZE, _M65
    ),
}  # fmt: skip


def _metrics(*names: str, said: bool = True) -> str:
    def cells(n: int, right: bool) -> list[str]:
        return [
            *([GOLD[n] if right else "x"] if said else []),
            *(str(int(right)) if name == "em" else "0.9" for name in names),
        ]

    header = [
        "id",
        "question",
        "gold",
        *(f"{model}_{name}" for model in ("gpt4", "llama") for name in [*(["pred"] if said else []), *names]),
    ]
    rows = [[f"q{n}", _asked(n), GOLD[n], *cells(n, RIGHT[n]), *cells(n, n > 3)] for n in _ALL]
    return "\n".join(map(",".join, [header, *rows]))


# Several metrics of each model, which are no models.
OF_METRICS: Mapping[str, Whole] = {
    f"{', '.join(names)}{', with outputs' * said}": Whole(
        _metrics(*names, said=said), SIZE, {"gpt4": 0.65, "llama": 0.8}
    )
    for names in (("em", "f1"), ("f1", "em"), ("em", "rouge_l", "bleu"))
    for said in (True, False)
}


def _runs(**facts: Callable[[int], Any]) -> list[dict[str, Any]]:
    return [{name: of(n) for name, of in facts.items()} for n in range(8)]


_RUN_TOTALS = ("a table with a row for each run", "it has totals but no items")
# A row for each run, with how many items it had and how it did.
OF_RUNS: Mapping[str, Whole] = {
    ", ".join(rows[0]): Whole(rows, 0, {}, _RUN_TOTALS)
    for rows in (
        _runs(run="run{}".format, n=lambda n: 200, accuracy=lambda n: 0.5 + n / 100),
        _runs(run=int, n=lambda n: 200, score=lambda n: 0.5 + n / 100, cost=lambda n: 1.5 * n),
        _runs(run_id=int, num_examples=lambda n: 200, correct=lambda n: 100 + n, accuracy=lambda n: 0.5 + n / 200),
        _runs(experiment="e{}".format, total=lambda n: 200, passed=lambda n: 100 + n),
        _runs(pipeline="p{}".format, dataset=lambda n: "gsm8k", n=lambda n: 200, acc=lambda n: 0.5 + n / 100),
        _runs(checkpoint="step-{}".format, accuracy=lambda n: 0.5 + n / 100),
    )
}

# Two systems by keys that somebody made up.
BY_KEYS: Mapping[str, Whole] = {
    f"{one} and {two}, {', '.join(more)}": Whole([_under(one, two, **more)(n) for n in _ALL], SIZE,
                                                 {one: 0.65, two: 0.8})
    for one, two in (("base_llm", "vector_rag"), ("control", "treatment"), ("A", "B"))
    for more in (
        {"output": lambda said, right: said, "score": _score},
        {"answer": lambda said, right: f"It is {said}.", "correct": _score},
        {"answer": lambda said, right: f"It is {said}.", "contexts": lambda said, right: ["a", "b"]},
    )
} | {
    "outputs and scores by the same keys": Whole(
        [{"id": f"q{n}", "gold": GOLD[n], "outputs": {"m1": SAID[n], "m2": SAID[n]},
          "scores": {"m1": int(RIGHT[n]), "m2": int(RIGHT[n])}} for n in _ALL],
        SIZE, {"m1": 0.65, "m2": 0.65},
    ),
}  # fmt: skip


def _left_open(word: Any, rows: int = 4) -> list[dict[str, Any]]:
    """Return rows whose score is 0 or 1, but for the last few, whose output failed."""
    return [
        {"id": f"q{n}", "question": _asked(n), "gold": GOLD[n], "output": SAID[n] if n < SIZE - rows else "error",
         "correct": int(RIGHT[n]) if n < SIZE - rows else word}
        for n in _ALL
    ]  # fmt: skip


_OF_16 = sum(RIGHT[:16]) / 16
# Scores in words that leave it open are counted, and words that nobody knows are asked about.
WITHOUT_VERDICT: Mapping[str, Whole] = {
    f"“{word}”": Whole(_left_open(word), SIZE, {"m": _OF_16}, ("16 items right. 4 items have no verdict.",))
    for word in ("", "N/A", "?", "-", "—", "skip", "unclear", None)
} | {
    f"“{word}”": Whole(_left_open(word), 0, {}, (f"“{word}” (4 rows) is neither a number nor a known verdict",))
    for word in ("error", "rigth", "partially")
}  # fmt: skip


def _bare(*columns: Callable[[int], Any]) -> str:
    return "\n".join(",".join(f'"{of(n)}"' for of in columns) for n in _ALL)


def _of_settings(name: str, **more: Callable[[int, bool], Any]) -> list[dict[str, Any]]:
    """Return two rows of each question, which a column tells apart."""
    return [
        {"id": f"q{n}", "question": _asked(n), name: value} | {key: of(n, right) for key, of in more.items()}
        for n in _ALL
        for value, right in (("base", RIGHT[n]), ("tuned", n > 3))
    ]


_AN_ITEM = ("row 1: the first row looks like an item, not like names of columns",)
# Tables without names of columns, whose first item would be taken for them.
HEADLESS: Mapping[str, Whole] = {
    "ids, questions, answers and verdicts": Whole(
        _bare("q{}".format, _asked, GOLD.__getitem__, SAID.__getitem__, lambda n: int(RIGHT[n])), 0, {}, _AN_ITEM
    ),
    "questions and letters": Whole(_bare(_asked, _letter, _next_letter), 0, {}, _AN_ITEM),
    "questions and letters, twice the same": Whole(_bare(_asked, _letter, _letter), 0, {}, _AN_ITEM),
    "ids and verdicts": Whole(_bare("q{}".format, lambda n: 1, lambda n: int(RIGHT[n])), 0, {}, _AN_ITEM),
}
# A column that tells apart the rows of an item names systems.
OF_SETTINGS: Mapping[str, Whole] = {
    name: Whole(
        _of_settings(name, output=lambda n, right: f"{n} {right}", correct=lambda n, right: int(right)), SIZE,
        {"tuned": 0.8}, _M80,
    )
    for name in ("policy", "mode", "pipeline", "variant")
} | {
    f"{name}, scores alone": Whole(_of_settings(name, correct=lambda n, right: int(right)), SIZE,
                                   {"base": 0.65, "tuned": 0.8}, _M80)
    for name in ("policy", "pipeline")
}  # fmt: skip


def _choose(**more: Callable[[int], Any]) -> list[dict[str, Any]]:
    return [{"id": f"q{n}", "question": _asked(n)} | {name: of(n) for name, of in more.items()} for n in _ALL]


def _lettered(key: str, value: str) -> Callable[[int], list[dict[str, str]]]:
    return lambda n: [{key: letter, value: f"{city} {n}"} for letter, city in zip("ABCD", _TOWNS, strict=True)]


_TOWNS = ("Rome", "Oslo", "Bern", "Kyiv")
# Options as objects.
OPTIONS: Mapping[str, Whole] = {
    f"{key} and {value}": Whole(
        _choose(options=_lettered(key, value), answer=lambda n: f"{_TOWNS[n % 4]} {n}",
                output=lambda n: "ABCD"[(n + (not RIGHT[n])) % 4]), SIZE, _M65,
    )
    for key, value in (("key", "value"), ("label", "text"), ("id", "content"), ("name", "option"))
} | {
    "which is right": Whole(
        _choose(options=lambda n: [{"text": city, "correct": place == n % 4} for place, city in enumerate(_TOWNS)],
                prediction=lambda n: _TOWNS[n % 4]), SIZE, {"m": None},
    ),
}  # fmt: skip

# Who answered is no output.
PROVIDERS: Mapping[str, Whole] = {
    "beside scores": Whole(
        [{"id": f"q{n}", "gold": GOLD[n], "result": {"provider": f"p{n % 2}"}, "score": int(RIGHT[n])} for n in _ALL],
        SIZE, _M65, ("no outputs",),
    ),
}  # fmt: skip

WHOLE: Mapping[str, Mapping[str, Whole]] = {
    "providers": PROVIDERS,
    "options as objects": OPTIONS,
    "tables without a header": HEADLESS,
    "settings": OF_SETTINGS,
    "scores without a verdict": WITHOUT_VERDICT,
    "totals of runs": OF_RUNS,
    "systems by keys": BY_KEYS,
    "metrics": OF_METRICS,
    "parts of an object": OF_PARTS,
    "groups": IN_GROUPS,
    "totals": BESIDE_TOTALS,
    "lines that are no items": BESIDE_ITEMS,
}


def in_lines(rows: Sequence[Mapping[str, Any]]) -> bytes:
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode()


def in_array(rows: Sequence[Mapping[str, Any]]) -> bytes:
    return json.dumps(rows).encode()


def in_native_lines(rows: Sequence[Mapping[str, Any]]) -> bytes:
    return in_lines([_nested(row) for row in rows])


def in_native_parquet(rows: Sequence[Mapping[str, Any]]) -> bytes:
    return in_parquet([_nested(row) for row in rows])


def _nested(row: Mapping[str, Any]) -> dict[str, Any]:
    targets = {"m": {"text": row["m:text"]}}
    return {name: value for name, value in row.items() if name != "m:text"} | {"targets": targets}


def in_wide_csv(rows: Sequence[Mapping[str, Any]]) -> bytes:
    return in_csv([_wide(row) for row in rows])


def in_wide_workbook(rows: Sequence[Mapping[str, Any]]) -> bytes:
    return in_workbook([_wide(row) for row in rows])


def _wide(row: Mapping[str, Any]) -> dict[str, Any]:
    samples = {f"generation_{place}": text for place, text in enumerate(row["generations"], start=1)}
    return {name: value for name, value in row.items() if name != "generations"} | samples


NATIVE_FORMS: Mapping[str, Callable[[Sequence[Mapping[str, Any]]], bytes]] = {
    "JSON Lines": in_native_lines,
    "Parquet": in_native_parquet,
    "CSV": in_wide_csv,
    "Excel": in_wide_workbook,
}


def in_csv(rows: Sequence[Mapping[str, Any]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerows([[*rows[0]], *([_cell(value) for value in row.values()] for row in rows)])
    return text.getvalue().encode()


def in_workbook(rows: Sequence[Mapping[str, Any]]) -> bytes:
    stream, book = io.BytesIO(), openpyxl.Workbook()
    for row in [[*rows[0]], *([_cell(value) for value in row.values()] for row in rows)]:
        book.active.append(row)
    book.save(stream)
    return stream.getvalue()


def in_parquet(rows: Sequence[Mapping[str, Any]]) -> bytes:
    stream = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(list(rows)), stream)
    return stream.getvalue()


def _cell(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (dict, list)) else value


FORMS: Mapping[str, Callable[[Sequence[Mapping[str, Any]]], bytes]] = {
    "JSON Lines": in_lines,
    "JSON": in_array,
    "CSV": in_csv,
    "Excel": in_workbook,
    "Parquet": in_parquet,
}
