"""GPQA: ``gpqa_diamond.csv``, ``gpqa_main.csv``, ``gpqa_extended.csv`` of Idavidrein/gpqa, also as Parquet.

Columns, from the data set's card: Question, Correct Answer, Incorrect Answer 1 … 3, Subdomain, High-level domain,
Record ID, and others that are not read. The right answer comes first in the file, so the options are shuffled: the
order of an item follows from the seed and its Record ID, is the same in all three files, and is kept in the column
``options_order``.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from string import ascii_uppercase

import numpy as np

from ...pool.problems import Problems
from .benchmark import Benchmark, BenchmarkChoices, Rows, text, without_nothing

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


BENCHMARK = Benchmark(
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
