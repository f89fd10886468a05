"""Readers of benchmarks, and the choices that some of them leave."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from ...files.sniff import WORKBOOK, ZIP, Beginning
from ...pool.problems import Problems, shown
from ...words import listed
from ..field_names import NAMES, WORDS, last_name
from ..json_records import filled
from ..model_names import is_named_model

# Places of rows, as tables have them.
_PLACES = r"index|idx|id|no|unnamed: \d+|__index_level_\d+__"
_MOST_NAMED = 5
Rows = Iterator[tuple[int, dict[str, Any]]]


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
