"""MMLU-Pro: ``test-….parquet`` of TIGER-Lab/MMLU-Pro (12,032 questions), also as CSV or JSON Lines.

Columns, from the data set's card: question_id, question, options, answer (a letter), answer_index, cot_content,
category, src. Options “N/A” at the end are removed, as the official scripts do.
"""

from __future__ import annotations

from collections.abc import Iterator
from string import ascii_uppercase

from ...pool.problems import Problems
from .benchmark import Benchmark, BenchmarkChoices, Rows, text, texts, without_nothing
from .literals import listed

_REMEDY = "Use the file as TIGER-Lab published it."


class MmluPro:
    """Makes the items of MMLU-Pro; there is nothing to choose."""

    def __init__(self, choices: BenchmarkChoices) -> None:
        pass

    def items(self, subject: str, rows: Rows, problems: Problems) -> Rows:
        """Make the items of a file."""
        for row, values in rows:
            options, answer = texts(listed(values.get("options"))), text(values.get("answer"))
            while options and options[-1] == "N/A":
                options = options[:-1]
            if not options or answer is None or answer not in ascii_uppercase[: len(options)]:
                problems.add(
                    "the options are not a list, or the answer is not one of their letters.", row, remedy=_REMEDY
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


BENCHMARK = Benchmark(
    "mmlu-pro",
    "MMLU-Pro",
    frozenset({"question_id", "question", "options", "answer", "answer_index", "category"}),
    frozenset({"id", "pred", "model_outputs", "generations"}),
    {"id": "question_id", "prompt": "question", "choices": "options", "answer": "answer", "group": "category"},
    MmluPro,
    r"cot_content|src|split",
)
