"""MMBench: ``MMBench_DEV_EN.tsv`` and its like, with images in base64; also other multiple-choice TSVs of VLMEvalKit.

Columns (VLMEvalKit, ``vlmeval/dataset/image_mcq.py`` and ``image_base.py``): index, image (base64, or the index of the
row that has it) or image_path, question, hint, A … D, answer, category, l2-category, split. A circular copy, with its
options rotated, has an index of at least 10⁶; index modulo 10⁶ is its question. ``core.readers.circular`` joins results
to questions by the column ``rotations``.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

from ...pool.problems import Problems
from ...words import counted
from ..circular import ROTATIONS, rotation, written
from .benchmark import Benchmark, BenchmarkChoices, Rows, text, without_nothing

_COPY = 1_000_000
_REFERENCE = 64
_REMEDY = "Use the TSV file as VLMEvalKit downloads it."


@dataclass(frozen=True, slots=True)
class _Rotation:
    place: int
    index: int
    options: dict[str, str]
    record: dict[str, Any]
    image: str | None


class MmBench:
    """Makes the items of MMBench: a question with its circular copies is one, or every row is."""

    def __init__(self, choices: BenchmarkChoices) -> None:
        self._questions = choices.circular == "questions"
        self._rows = 0
        self._items = 0

    def items(self, subject: str, rows: Rows, problems: Problems) -> Rows:
        """Make the items of a file."""
        read = [one for row, values in rows if (one := _read(row, values, problems)) is not None]
        images = {one.index: one.image for one in read}
        groups: dict[int, list[_Rotation]] = {}
        for one in read:
            groups.setdefault(one.index % _COPY if self._questions else one.index, []).append(one)
        self._rows += len(read)
        self._items += len(groups)
        circular = self._questions and len(groups) < len(read)
        for one in read:
            problems.tally.complete(one.place)
        for group in groups.values():
            first = min(group, key=lambda one: one.index)
            record = {"id": str(first.index % _COPY if self._questions else first.index), **first.record}
            record["image"] = _image(first, images)
            if circular:
                letters = [(one, rotation(first.options, one.options)) for one in group]
                for one, turned in letters:
                    if turned is None:
                        message = f"the options are not those of row {first.place}, in another order."
                        problems.add(message, one.place, remedy=_REMEDY)
                record[ROTATIONS] = written({str(one.index): turned or "" for one, turned in letters})
            yield first.place, without_nothing(record)

    def notes(self) -> Iterator[str]:
        """Say what became of the circular copies."""
        copies = self._rows - self._items
        if self._questions and copies:
            yield (
                f"{counted(self._items, 'question')} with {copies:,} circular copies: one item a question "
                "(--circular questions). A model is right if it is right in every rotation; results of all "
                f"{self._rows:,} rows are joined to their questions."
            )
            yield "For one item a row: python -m neyman pool benchmark mmbench FILE --circular rows."
        elif not self._questions:
            yield f"Every row is an item, circular copies too ({self._items:,}, --circular rows)."


def _read(row: int, values: Mapping[str, Any], problems: Problems) -> _Rotation | None:
    # pandas writes whole numbers with a point if a column has gaps.
    index = (text(values.get("index")) or "").removesuffix(".0")
    options = {letter: option for letter in ascii_uppercase if (option := text(values.get(letter))) is not None}
    answer = text(values.get("answer"))
    if not (index.isascii() and index.isdecimal()) or len(index) > 15:
        problems.add("the index is not a whole number.", row, "index", _REMEDY)
        return None
    if len(options) < 2 or list(options) != list(ascii_uppercase[: len(options)]):
        problems.add("the options are not A, B, … without a gap.", row, remedy=_REMEDY)
        return None
    if answer is not None and answer not in options:
        problems.add("the answer is not one of the options' letters.", row, "answer", _REMEDY)
        return None
    hint, question = text(values.get("hint")), text(values.get("question"))
    record = {
        "prompt": f"Hint: {hint}\nQuestion: {question}" if hint else question,
        "choices": list(options.values()),
        "answer": answer,
        "group": text(values.get("category")),
        "answer_kind": "mmbench",
        "l2-category": text(values.get("l2-category") or values.get("L2-category")),
        "split": text(values.get("split")),
    }
    return _Rotation(row, int(index), options, record, _picture(values))


def _picture(values: Mapping[str, Any]) -> str | None:
    image = values.get("image")
    content = image.get("bytes") if isinstance(image, dict) else image
    if isinstance(content, bytes):
        return base64.b64encode(content).decode()
    return text(content) or text(values.get("image_path"))


def _image(row: _Rotation, images: Mapping[int, str | None]) -> str | None:
    """Return the image of a row: its own, or that of the row it names."""
    image = row.image
    if image is not None and len(image) <= _REFERENCE and image.isdecimal():
        return images.get(int(image))
    return image


BENCHMARK = Benchmark(
    "mmbench",
    "MMBench",
    frozenset({"index", "question", "A", "B"}),
    frozenset({"id", "prediction", "hit", "generations"}),
    {
        "id": "index",
        "prompt": "hint, question",
        "choices": "A, B …",
        "answer": "answer",
        "group": "category",
        "image": "image, or image_path",
    },
    MmBench,
    r"[a-z]|answer|hint|image|image_path|category|l2[-_]category|split|source|comment",
    True,
)
