"""Times of parsing and of meaning classes, on synthetic answers shaped like MMLU-Pro and like a million items."""

from __future__ import annotations

from functools import partial

import numpy as np

from bench import Row, median
from core.answers import classes_of_codes, meaning_classes, parse

CHAIN = "First we add 16 and 3 to get 19. Then we take away 4 eggs, which leaves 15, and so on.\n" * 8
OUTPUTS = (
    ("number", CHAIN + "The answer is **$1,234.50**."),
    ("choice", CHAIN + "The answer is (B)."),
    ("mmlu-pro", CHAIN + "The answer is (B)."),
    ("text", CHAIN + "The answer is **New York**."),
)


def rows() -> list[Row]:
    """Return name, median seconds and the limit in seconds of every measurement."""
    measured: list[Row] = []
    rng = np.random.default_rng(0)
    for n_items, limit_codes, limit_answers in ((12_032, 0.02, 0.05), (1_000_000, 1.5, 3.0)):
        codes = rng.integers(-1, 10, (n_items, 10)).astype(np.int32)
        letters = [None, *"ABCDEFGHIJ"]
        answers = [[letters[code + 1] for code in row] for row in codes.tolist()]
        measured += [
            (f"classes of codes, {n_items:,} × 10", median(partial(classes_of_codes, codes)), limit_codes),
            (f"classes of answers, {n_items:,} × 10", median(partial(meaning_classes, answers)), limit_answers),
        ]
    options = [f"the option number {i}" for i in range(10)]
    for kind, output in OUTPUTS:
        texts = [f"{output} {i}" for i in range(12_032)]
        seconds = median(lambda kind=kind, texts=texts: [parse(text, kind, options) for text in texts])
        measured.append((f"parse 12,032 outputs of 700 characters as {kind}", seconds, 2.0))
    return measured
