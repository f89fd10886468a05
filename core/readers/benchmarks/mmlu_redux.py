"""MMLU-Redux 1.0 and 2.0: one file a subject, Arrow, CSV, Parquet or JSON Lines.

Columns, from the cards of edinburgh-dawg/mmlu-redux and -2.0: question, choices, answer (0…3), error_type, source,
correct_answer, potential_reason. The files of the authors' repository (aryopg/mmlu-redux) spell error types
“OK”, “Wrong Groundtruth” …, separate columns by commas or semicolons, and print lists as Python or as JSON.
The id is the subject and the place in its file from 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from string import ascii_uppercase
from typing import Any

from ...pool.problems import Problems
from ...words import counted
from .benchmark import Benchmark, BenchmarkChoices, Rows, text, texts, without_nothing
from .literals import listed

_OK, _WRONG = "ok", "wrong_groundtruth"
_REMEDY = "Use the files as their authors published them."


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
            options, answer = texts(listed(values.get("choices"))), _letter(values.get("answer"), 4)
            error = _error_type(values.get("error_type"))
            if options is None or answer is None or answer not in ascii_uppercase[: len(options)] or error is None:
                message = (
                    "the choices are not a list of texts, the answer is not among them, or the error type is missing."
                )
                problems.add(message, row, remedy=_REMEDY)
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


BENCHMARK = Benchmark(
    "mmlu-redux",
    "MMLU-Redux",
    frozenset({"question", "choices", "answer", "error_type"}),
    frozenset({"id", "generations"}),
    {"prompt": "question", "choices": "choices", "answer": "answer, or correct_answer", "group": "name of the file"},
    MmluRedux,
    r"source|correct_answer|potential_reason|subject|config",
)
