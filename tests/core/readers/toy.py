"""A toy benchmark and a toy model, of which every sample is known: what the tools' logs were written from.

Only the standard library, since ``write_logs`` runs in the environments of the tools.
"""

from __future__ import annotations

SAMPLES = 4
LETTERS = "ABCD"
ITEMS = [
    {
        "id": f"q{number}",
        "question": f"Which is number {number}, “{word}”?",
        "choices": [word, *others],
        "answer": key,
    }
    for number, (word, others, key) in enumerate(
        [
            ("café", ["tea", "milk", "water"], "A"),
            ("two\nlines", ["one", "none", "three"], "B"),
            ("红", ["blau", "vert", "giallo"], "C"),
            ('a "quote"', ["a comma,", "a semicolon;", "a tab"], "D"),
            ("naïve", ["wise", "old", "new"], "A"),
        ],
        start=1,
    )
]


def letter(number: int, sample: int) -> str | None:
    """Answer of the model in a sample, from 0, of question ``number``, from 1; None if it gives none."""
    return None if (number, sample) in ((3, 1), (5, 0)) else LETTERS[(number * number + sample * (number % 3) - 1) % 4]


def text(number: int, sample: int) -> str:
    """Text of the model: as the tools' own instructions ask for it, over two lines."""
    answer = letter(number, sample)
    return f"Let me see – number {number}, try {sample}.\n" + (f"ANSWER: {answer}" if answer else "I do not know.")


def right(number: int, sample: int) -> bool:
    """Whether the model is right in a sample."""
    return letter(number, sample) == ITEMS[number - 1]["answer"]
