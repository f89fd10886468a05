"""Benchmarks, as their authors publish them: GPQA, MMBench and its like, MMLU-Pro, MMLU-Redux.

**GPQA.** Columns, from the data set's card: Question, Correct Answer, Incorrect Answer 1 … 3, Subdomain, High-level
domain, Record ID, and others that are not read. The right answer comes first in the file, so the options are shuffled:
the order of an item follows from the seed and its Record ID, is the same in ``gpqa_diamond.csv``, ``gpqa_main.csv`` and
``gpqa_extended.csv``, and is kept in the column ``options_order``.

**MMBench.** Columns (VLMEvalKit, ``vlmeval/dataset/image_mcq.py`` and ``image_base.py``): index, image (base64, or the
index of the row that has it) or image_path, question, hint, A … D, answer, category, l2-category, split. A circular
copy, with its options rotated, has an index of at least 10⁶; index modulo 10⁶ is its question.
``core.readers.option_orders`` joins results to questions by the column ``rotations``.

**MMLU-Pro.** Columns, from the data set's card: question_id, question, options, answer (a letter), answer_index,
cot_content, category, src. Options “N/A” at the end are removed, as the official scripts do.

**MMLU-Redux.** Columns, from the cards of edinburgh-dawg/mmlu-redux and -2.0: question, choices, answer (0…3),
error_type, source, correct_answer, potential_reason. The files of the authors' repository (aryopg/mmlu-redux) spell
error types “OK”, “Wrong Groundtruth” …, separate columns by commas or semicolons, and print lists as Python or as JSON.
The id is the subject and the place in its file from 0.
"""

from __future__ import annotations

import base64
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any, Literal, Protocol

import numpy as np

from ...files.sniff import WORKBOOK, ZIP, Beginning
from ...pool.problems import Problems, shown
from ...words import counted, listed
from ..field_names import NAMES, WORDS, last_name
from ..json_records import FileRow, filled
from ..model_names import is_named_model
from ..option_orders import ROTATIONS, rotation, written
from ..paths import list_in

# Places of rows, as tables have them.
_PLACES = r"index|idx|id|no|unnamed: \d+|__index_level_\d+__"
_MOST_NAMED = 5
Rows = Iterator[FileRow]


@dataclass(frozen=True, slots=True)
class BenchmarkChoices:
    """The choices that a benchmark's files leave open.

    Parameters
    ----------
    errors : {"correct", "drop", "keep"}, default "correct"
        MMLU-Redux: what happens to questions with an error. ``"correct"`` takes the corrected answer if the
        published one is wrong and drops the other errors, ``"drop"`` drops every error, ``"keep"`` keeps every question
        with the published answer.
    seed : int, default 0
        GPQA: seed of the order of the options.
    circular : {"questions", "rows"}, default "questions"
        MMBench: whether a question with its circular copies is one item, or every row is.
    """

    errors: Literal["correct", "drop", "keep"] = "correct"
    seed: int = 0
    circular: Literal["questions", "rows"] = "questions"


class BenchmarkReader(Protocol):
    """Makes items of the rows of one or several files."""

    def items(self, subject: str, rows: Rows, problems: Problems) -> Rows:
        """Make the native records of a file, each with its row; ``subject`` is what the file's name says."""

    def notes(self) -> Iterator[str]:
        """Say what was chosen, once all files are read."""


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A benchmark as its authors publish it.

    Parameters
    ----------
    name : str
        Its name on the command line, which is its kind of answer too.
    title : str
        What people call it.
    needed : frozenset of str
        Columns by which its files are recognised.
    foreign : frozenset of str
        Columns that its files never have.
    fields : mapping of str to str
        Its columns by what becomes of them.
    reader : callable
        Makes a reader for some choices.
    beside : str
        Regular expression of other columns that its files have.
    has_parts : bool
        Whether a file is a part by itself that its name names, such as “gpqa_diamond”.
    """

    name: str
    title: str
    needed: frozenset[str]
    foreign: frozenset[str]
    fields: Mapping[str, str]
    reader: Callable[[BenchmarkChoices], BenchmarkReader]
    beside: str
    has_parts: bool = False

    def recognises(self, beginning: Beginning) -> bool:
        """Whether a file of this beginning is the benchmark's."""
        is_text = beginning.container not in (ZIP, WORKBOOK)
        is_whole = beginning.keys >= self.needed and not beginning.keys & self.foreign
        # With a model's outputs beside it, the file is no longer as published.
        return is_text and is_whole and not any(map(_is_output, beginning.keys - self.needed))

    def unread(self, columns: Iterable[str]) -> str:
        """Name the columns that its files do not have, and how to read what a model said there; "" for none."""
        published = re.compile(f"{self.beside}|{_PLACES}", re.IGNORECASE)
        names = [name for name in columns if name and name not in self.needed and not published.fullmatch(name)]
        if not names:
            return ""
        named = listed([shown(name, 40) for name in names[:_MOST_NAMED]] + ["others"] * (len(names) > _MOST_NAMED))
        option = f"--target MODEL:text={names[0] if len(names) == 1 and ' ' not in names[0] else 'COLUMN'}"
        return (
            f"Not read, as {self.title} has no such column: {named}. If a model answers there, say so: neyman pool map "
            f"FILE {option}."
        )


def _is_output(column: str) -> bool:
    """Whether a column is called as a model, or as what one said."""
    return is_named_model(column) or (
        last_name(column) in NAMES["output"] and last_name(column) not in WORDS["answers"]
    )


def text(value: Any) -> str | None:
    """Return a text without the white space around it, None for an empty one and for what is no text or number."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)) or value != value:
        return None
    return str(value).strip() or None


def texts(value: Any) -> list[str] | None:
    """Return a list of texts as it is, None for anything else."""
    return value if isinstance(value, list) and value and all(isinstance(one, str) for one in value) else None


def without_nothing(record: dict[str, Any]) -> dict[str, Any]:
    """Leave out what is not known."""
    return filled(record)


_OPTIONS = ("Correct Answer", "Incorrect Answer 1", "Incorrect Answer 2", "Incorrect Answer 3")
# Earlier versions of a question, what its writer and those who checked it say, and a mark against training on it.
_BESIDE = (
    r"(pre-revision|extra revised) .*|.*_n?ev_?\d*|.*explanation|.*difficulty estimate|revision comments.*"
    r"|self-reported .*|.*validator accuracy|majority .*|question writer.*|canary.*"
    r"|subdomain|high-level domain|record id|split"
)


class Gpqa:
    """Makes the items of GPQA with shuffled options."""

    def __init__(self, choices: BenchmarkChoices) -> None:
        self._seed = choices.seed

    def items(self, subject: str, rows: Rows, problems: Problems) -> Rows:
        """Make the items of a file."""
        for row, values in rows:
            options = [text(values.get(name)) for name in _OPTIONS]
            question = text(values.get("Question"))
            if question is None or any(option is None for option in options):
                message = "the question or one of its four answers is missing."
                problems.add(message, row, remedy="Use the file as its authors published it.")
                continue
            name = text(values.get("Record ID")) or str(row)
            order = np.random.default_rng([self._seed, zlib.crc32(name.encode())]).permutation(len(options)).tolist()
            record = {
                "id": name,
                "prompt": question,
                "choices": [options[place] for place in order],
                "answer": ascii_uppercase[order.index(0)],
                "group": text(values.get("Subdomain")),
                "answer_kind": "gpqa",
                "domain": text(values.get("High-level domain")),
                "options_order": "".join(map(str, order)),
            }
            yield row, without_nothing(record)

    def notes(self) -> Iterator[str]:
        """Say how the options were shuffled."""
        yield (
            f"The options are shuffled with seed {self._seed}. Column options_order has each item's order: "
            "0 is the right answer, 1 to 3 are the wrong ones."
        )
        yield "For another order: python -m neyman pool benchmark gpqa FILE --seed 1."


GPQA = Benchmark(
    "gpqa",
    "GPQA",
    frozenset({"Question", *_OPTIONS}),
    frozenset({"id", "generations"}),
    {
        "id": "Record ID",
        "prompt": "Question",
        "choices": "Correct Answer, Incorrect Answer 1 to 3, shuffled",
        "answer": "Correct Answer",
        "group": "Subdomain",
        "domain": "High-level domain",
    },
    Gpqa,
    _BESIDE,
    True,
)


_COPY = 1_000_000
_REFERENCE = 64
_MMBENCH_REMEDY = "Use the TSV file as VLMEvalKit downloads it."


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
                        problems.add(message, one.place, remedy=_MMBENCH_REMEDY)
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
        problems.add("the index is not a whole number.", row, "index", _MMBENCH_REMEDY)
        return None
    if len(options) < 2 or list(options) != list(ascii_uppercase[: len(options)]):
        problems.add("the options are not A, B, … without a gap.", row, remedy=_MMBENCH_REMEDY)
        return None
    if answer is not None and answer not in options:
        problems.add("the answer is not one of the options' letters.", row, "answer", _MMBENCH_REMEDY)
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


MMBENCH = Benchmark(
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


_MMLU_PRO_REMEDY = "Use the file as TIGER-Lab published it."


class MmluPro:
    """Makes the items of MMLU-Pro; there is nothing to choose."""

    def __init__(self, choices: BenchmarkChoices) -> None:
        pass

    def items(self, subject: str, rows: Rows, problems: Problems) -> Rows:
        """Make the items of a file."""
        for row, values in rows:
            options, answer = texts(list_in(values.get("options"))), text(values.get("answer"))
            while options and options[-1] == "N/A":
                options = options[:-1]
            if not options or answer is None or answer not in ascii_uppercase[: len(options)]:
                problems.add(
                    "the options are not a list, or the answer is not one of their letters.",
                    row,
                    remedy=_MMLU_PRO_REMEDY,
                )
                continue
            record = {
                "id": text(values.get("question_id")),
                "prompt": text(values.get("question")),
                "choices": options,
                "answer": answer,
                "group": text(values.get("category")),
                "answer_kind": "mmlu-pro",
                "src": text(values.get("src")),
            }
            yield row, without_nothing(record)

    def notes(self) -> Iterator[str]:
        """There are none."""
        yield from ()


MMLU_PRO = Benchmark(
    "mmlu-pro",
    "MMLU-Pro",
    frozenset({"question_id", "question", "options", "answer", "answer_index", "category"}),
    frozenset({"id", "pred", "model_outputs", "generations"}),
    {"id": "question_id", "prompt": "question", "choices": "options", "answer": "answer", "group": "category"},
    MmluPro,
    r"cot_content|src|split",
)


_OK, _WRONG = "ok", "wrong_groundtruth"
_MMLU_REDUX_REMEDY = "Use the files as their authors published them."


class MmluRedux:
    """Makes the items of MMLU-Redux, and counts what becomes of the errors."""

    def __init__(self, choices: BenchmarkChoices) -> None:
        self._errors = choices.errors
        self._included: Counter[str] = Counter()
        self._dropped: Counter[str] = Counter()
        self._subject: str | None = None

    def items(self, subject: str, rows: Rows, problems: Problems) -> Rows:
        """Make the items of a file."""
        places: Counter[str] = Counter()
        # Of several subjects the notes speak together.
        self._subject = subject if self._subject is None else ""
        for row, values in rows:
            group = text(values.get("subject")) or text(values.get("config")) or subject
            place = places[group]
            places[group] += 1
            options, answer = texts(list_in(values.get("choices"))), _letter(values.get("answer"), 4)
            error = _error_type(values.get("error_type"))
            if options is None or answer is None or answer not in ascii_uppercase[: len(options)] or error is None:
                message = (
                    "the choices are not a list of texts, the answer is not among them, or the error type is missing."
                )
                problems.add(message, row, remedy=_MMLU_REDUX_REMEDY)
                continue
            if error != _OK and self._errors != "keep":
                corrected = _corrected(values.get("correct_answer"), options)
                if error != _WRONG or self._errors == "drop" or corrected is None:
                    self._dropped[error] += 1
                    problems.tally.leave_out(f"questions with an error ({error})", row)
                    continue
                answer = corrected
            self._included[error] += 1
            record = {
                "id": f"{group}-{place}",
                "prompt": text(values.get("question")),
                "choices": options,
                "answer": answer,
                "group": group,
                "answer_kind": "mmlu-redux",
                "error_type": error,
                "source": text(values.get("source")),
            }
            yield row, without_nothing(record)

    def notes(self) -> Iterator[str]:
        """Say what became of the questions with an error."""
        size, errors = self._included.total() + self._dropped.total(), self._included.total() - self._included[_OK]
        where = f"{self._subject}: " if self._subject else ""
        answers = "the published answers" if self._errors == "keep" else "corrected answers"
        included = f"{self._included[_OK]:,} without an error and {errors:,} with {answers} (--errors {self._errors})"
        dropped = ", ".join(f"{error} {count:,}" for error, count in self._dropped.most_common())
        dropped = f" Dropped: {dropped}." if dropped else ""
        yield f"{where}{self._included.total():,} of {counted(size, 'question')} are items: {included}.{dropped}"
        others = " or ".join(f"--errors {one}" for one in ("correct", "drop", "keep") if one != self._errors)
        yield f"For another choice: python -m neyman pool benchmark mmlu-redux FILE … {others}."


def _error_type(value: Any) -> str | None:
    name = text(value)
    return None if name is None else "_".join(name.lower().split())


def _letter(value: Any, most: int) -> str | None:
    place = text(value)
    return ascii_uppercase[int(place)] if place is not None and place in map(str, range(most)) else None


def _corrected(value: Any, options: Sequence[str]) -> str | None:
    """Find the option that the annotators name: by its letter, its text, or its place from 0; None if two differ."""
    name = text(value)
    letters = ascii_uppercase[: len(options)]
    if name is None:
        return None
    if len(name) == 1 and name in letters:
        return name
    meant = {letters[place] for place, option in enumerate(options) if option.strip() == name}
    place = _letter(name, len(options))
    meant |= {place} if place is not None else set()
    return meant.pop() if len(meant) == 1 else None


MMLU_REDUX = Benchmark(
    "mmlu-redux",
    "MMLU-Redux",
    frozenset({"question", "choices", "answer", "error_type"}),
    frozenset({"id", "generations"}),
    {"prompt": "question", "choices": "choices", "answer": "answer, or correct_answer", "group": "name of the file"},
    MmluRedux,
    r"source|correct_answer|potential_reason|subject|config",
)
