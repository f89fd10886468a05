"""What tools that score others' outputs wrote of the toy benchmark, and what is right there."""

from __future__ import annotations

from pathlib import Path

from core.readers import ModelResults, read_outputs, read_results
from tests.core.readers.toy import ITEMS, SAMPLES, right

LOGS = Path(__file__).parent / "fixtures" / "tools"
NUMBERS = range(1, len(ITEMS) + 1)
QUESTIONS = [item["question"] for item in ITEMS]
FIRST_RIGHT = sum(right(number, 0) for number in NUMBERS) / len(ITEMS)
EVERY_RIGHT = sum(right(number, sample) for number in NUMBERS for sample in range(SAMPLES)) / (len(ITEMS) * SAMPLES)


def results_of(*names: str) -> ModelResults:
    return read_results({name: LOGS / name for name in names})


def losses_of(content: bytes, name: str = "log") -> list[float | None]:
    column: list[float | None] = read_outputs(content, name).table.column("loss").to_pylist()
    return column
