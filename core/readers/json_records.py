"""JSON of pools: records and native JSON Lines, parts of values of any shape, and the kind of an answer in them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from string import ascii_uppercase
from typing import Any, TypeAlias

from ..answers import EXTRACTED, parse
from ..answers.digits import plain_digits
from ..answers.formulas import formula_key
from ..files.jsontext import MAX_ARRAY_VALUES, BadJson, StrictDecoder, decoded, records_of, several_of
from ..files.open import MAX_ARRAY, UTF8_BOM, Position, Source
from ..pool.columns import OTHERWISE, Completion, as_it_is
from ..pool.pool import Pool
from ..pool.problems import Problems
from ..pool.records import MOST_COLUMNS, Records

# A record of a file, with its place there from 1.
FileRow: TypeAlias = tuple[int, dict[str, Any]]
EXAMPLE = 'Write one object a line, such as {"id": "q1", "generations": ["A", "B"]}.'


def array(content: bytes, problems: Problems, decoder: StrictDecoder | None = None) -> Iterator[tuple[int, int, Any]]:
    """Decode a JSON array element by element: place from 1, number of characters, value.

    Elements that are refused are problems of their rows. If the array cannot be read on, that is the last problem.
    """
    try:
        text = decoded(content)
        del content
        reach, position = Position(len(text)), 0
        for row, size, value in problems.tally.records((decoder or StrictDecoder()).elements(text, MAX_ARRAY_VALUES)):
            position += size
            reach(position)
            if isinstance(value, BadJson):
                problems.add(value.message, row, remedy=value.remedy or EXAMPLE)
            else:
                yield row, size, value
    except BadJson as error:
        problems.add(error.message, remedy=error.remedy or EXAMPLE)


def lines(source: Source, problems: Problems, decoder: StrictDecoder | None = None) -> Iterator[tuple[int, int, Any]]:
    """Decode the lines that are not blank, or objects one after another: row, length and value.

    Those that are refused are problems.
    """
    try:
        for row, size, value in problems.tally.records(records_of(source, decoder)):
            if isinstance(value, BadJson):
                problems.add(value.message, row, remedy=value.remedy or EXAMPLE)
            else:
                yield row, size, value
    except BadJson as error:
        problems.add(error.message, remedy=error.remedy or EXAMPLE)


def tool_lines(source: Source, problems: Problems) -> Iterator[tuple[int, int, Any]]:
    """Decode the lines of a tool's file, as `lines`; what other tools than Neyman write need not be strict JSON."""
    return lines(source, problems, StrictDecoder(lenient=True))


def whole(source: Source, problems: Problems, remedy: str = "") -> Any:
    """Decode the file of a tool at once; None with a problem if it cannot be read."""
    try:
        return StrictDecoder(lenient=True).decode(decoded(source.content(MAX_ARRAY)), MAX_ARRAY_VALUES)
    except BadJson as error:
        problems.add(error.message, remedy=remedy or error.remedy)
        return None


def load_array(content: bytes) -> list[Any]:
    """Decode all of a JSON array; raises :class:`core.errors.PoolError` with every row that is refused."""
    problems = Problems()
    rows = array(content, problems)
    del content
    values = [value for _, _, value in rows]
    problems.stop()
    return values


# Native JSON Lines: one item a line (or one JSON array of items), UTF-8, optionally gzipped.

_SHORT = 64


def read(source: Source, complete: Completion = as_it_is) -> Pool:
    """Read a pool; see ``core.readers.read``. ``complete`` adds to its columns."""
    problems = Problems()
    problems.note(source.remark)
    records = Records(problems)
    if source.head().lstrip().startswith(b"["):
        what, rows = "element", array(source.content(MAX_ARRAY), problems)
    else:
        what, rows = "line", lines(source, problems)
        if _is_one_object(source):
            problems.add(
                "the file is one JSON object over several lines, not a list of items.", remedy=f"{EXAMPLE} {OTHERWISE}"
            )
            problems.stop()
    for row, size, record in rows:
        if isinstance(record, dict) and len(record) > MOST_COLUMNS:
            problems.add(f"there are {len(record):,} keys.", row, remedy=f"Keep at most {MOST_COLUMNS:,}.")
            problems.stop()
        elif isinstance(record, dict):
            records.add(row, record, size)
        else:
            problems.add(f"the {what} is not a JSON object.", row, remedy=EXAMPLE)
    return Pool.from_loose(complete(records.loose().composed(), problems), problems, source.name)


def _is_one_object(source: Source) -> bool:
    """Whether the first line does nothing but open an object, and no other follows it."""
    with source.opened() as file:
        line = file.readline(_SHORT).removeprefix(UTF8_BOM)
    try:
        return line.endswith(b"\n") and line.strip() == b"{" and several_of(source) is None
    except BadJson:
        return False


def object_of(value: Any) -> dict[str, Any]:
    """Return an object as it is, for anything else an empty one."""
    return value if isinstance(value, dict) else {}


def list_of(value: Any) -> list[Any]:
    """Return a list as it is, for anything else an empty one."""
    return value if isinstance(value, list) else []


def objects_in(value: Any) -> list[dict[str, Any]]:
    """Return the objects in a list; none for anything else."""
    return [one for one in list_of(value) if isinstance(one, dict)]


def texts_in(value: Any) -> list[str] | None:
    """Return a list of texts as it is; None for anything else, and for an empty list."""
    return value if isinstance(value, list) and value and all(isinstance(one, str) for one in value) else None


def first_text(facts: Mapping[str, Any], names: Sequence[str]) -> str | None:
    """Return the first of some facts that is a text; None if none is."""
    return next((facts[name] for name in names if isinstance(facts.get(name), str)), None)


def truth(answer: str | None, choices: Sequence[str] | None = None) -> dict[str, Any]:
    """Make the columns of an item's right answer: the answer, its kind, and the options."""
    return {"choices": choices, "answer": answer, "answer_kind": kind_of(answer, choices)}


def filled(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record without what is None."""
    return {name: value for name, value in record.items() if value is not None}


# One number with signs around it and at most a word behind it: “12,5”, “0,125”, “7 8”, a date or \\frac{\\pi}{2} is
# none, though the kind “number” finds one in it; and marks of a result at the end of a calculation.
_WHOLE = r"(?:(?!0)(?:\d{1,3}(?:,\d{3})+|\d{1,2}(?:,\d{2})+,\d{3})|\d+)"
_FRACTION = r"(?:\d+\s+)?\d+\s*/\s*\d+|\d*\s*\\[dt]?frac\s*\{\s*\d+\s*\}\s*\{\s*\d+\s*\}"
_NUMBER = re.compile(
    rf"\W*(?:[a-z]\s*=\W*)?(?:{_FRACTION}|{_WHOLE}(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+)(?![.,/]?\d)\W*(?:[^\W\d]{{1,12}}(?:\^\{{?[23])?\W*)?"
)
# Codes such as a ZIP code; answers of competitions have up to three digits with zeros in front.
_PADDED = re.compile(r"\s*0\d{3,}\s*")
_SET = re.compile(r"[^{},]*\\\{[^{}]*,[^{}]*\\\}[^{},]*")
_LONGEST = 60
# A right answer of more words may be said in others.
LONGEST_COMPARED = 5
_RESULT = ("####", "\\boxed")


def kind_of(answer: str | None, choices: Sequence[str] | None) -> str:
    """Choose the kind of answer by the right one: a letter of an option, a number, or a text, as “Apollo 11” is."""
    if answer is not None and len(answer) == 1 and answer in ascii_uppercase[: len(choices or "ABCDEFGHIJ")]:
        return "choice"
    if answer is None or _PADDED.fullmatch(answer) or _SET.fullmatch(answer):
        return "text"
    result = (parse(answer, "text") or "") if any(mark in answer for mark in _RESULT) else answer
    plain = plain_digits(result) if "\\" in result or "{,}" in result or not result.isascii() else result
    result = result if "π" in plain or "√" in plain else plain
    is_number = len(result) <= _LONGEST and _NUMBER.fullmatch(result)
    return "number" if is_number and parse(answer, "number") is not None else "text"


def alike(answer: str, right: str, kind: str | None) -> bool:
    """Whether two answers are one, as a kind reads them, in different spellings."""
    if answer == right or kind not in ("text", "number"):
        return answer == right
    read, meant = parse(answer, kind), parse(right, kind)
    if kind == "text" and read is not None and meant is not None:
        return formula_key(read) == formula_key(meant)
    return read is not None and read == meant


def is_one_of(said: str, right: Sequence[str]) -> bool:
    """Whether an output is one of several right answers, each read by its own kind."""
    for answer in right:
        kind = kind_of(answer, None)
        read = parse(said, kind)
        if read is not None and read == parse(answer, EXTRACTED.get(kind, kind)):
            return True
    return False


def letter_of(answer: str | None, choices: Sequence[str] | None) -> str | None:
    """Return the letter of the option that the answer spells out, or else the answer as it is."""
    letters = ascii_uppercase[: len(choices or ())]
    if answer is None or answer in letters or choices is None or list(choices).count(answer) != 1:
        return answer
    place = list(choices).index(answer)
    return letters[place] if place < len(letters) else answer


def text_of(value: Any) -> str | None:
    """Return a text as it is and anything else as JSON; None for nothing."""
    if value is None or value == "":
        return None
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def loss_of(score: Any) -> float | None:
    """Return one less a score that is a share, or true or false; None for any other."""
    return 1 - float(score) if isinstance(score, (bool, int, float)) and 0 <= score <= 1 else None


def question_of(messages: Any) -> str | None:
    """Return the question: a text as it is, or what the user says in the messages of a chat."""
    if not isinstance(messages, list):
        return text_of(messages)
    chat = objects_in(messages)
    users = [message for message in chat if message.get("role") in ("user", "human", "HUMAN")] or chat
    texts = [said(message.get("content", message.get("prompt"))) for message in users]
    return "\n\n".join(text for text in texts if text) or None


def said(content: Any) -> str | None:
    """Return the text of a message's content, which may be a list of parts."""
    if isinstance(content, list):
        parts = [
            part if isinstance(part, str) else part.get("text") for part in content if isinstance(part, (str, dict))
        ]
        return "\n".join(part for part in parts if isinstance(part, str) and part) or None
    return text_of(content)
