"""The pools that the fixtures of ``v1/`` are about."""

from __future__ import annotations

from typing import Any

import pandas as pd

from core.pool import Pool

PIXEL = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"
    "+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
ODD_IDS = {
    3: "ünïcode Ω 🙂",
    8: "a,b",
    14: "=1+1",
    19: "+49",
    23: "0012",
    28: 'say "hi"',
    33: "two\nlines",
    41: "1e5",
    47: "'quoted",
    52: "ｆｕｌｌ",
}
LETTERS = "ABCD"
RICHER = "with the answers of a job"
ALPHA, BETA, GAMMA = "alpha", "β/2, = large", "gamma"


def at(hour: int, minute: int = 0) -> str:
    return f"2026-11-19T{hour:02}:{minute:02}:00+00:00"


def exam() -> Pool:
    """Sixty items: 48 multiple-choice, 12 with numbers; odd ids; one item without generations, one with three."""
    records: list[dict[str, Any]] = []
    for number in range(60):
        # Difficulty goes through 0 … 5: so many of the six generations go astray.
        hard = (number * 7) % 11 % 6
        record: dict[str, Any] = {
            "id": ODD_IDS.get(number, f"q{number:03}"),
            "prompt": f"Question {number}: what is {number} + {hard}?",
            "group": ("algebra", "histoire naturelle", "=group, 3")[number % 3],
            "difficulty": hard,
        }
        if number < 48:
            truth = LETTERS[number % 4]
            record |= {"choices": [f"option {number}", "=x", "y,z", "🙂"], "answer": truth, "answer_kind": "choice"}
            others = [letter for letter in LETTERS if letter != truth]
        else:
            truth = str(number + hard)
            record |= {"answer": truth, "answer_kind": "number"}
            others = [str(number + hard + step) for step in (1, 2, 3)]
        astray = [others[(number + step) % 3] for step in range(hard)]
        texts = [f"Let us see.\nAnswer: {said}" for said in [*[truth] * (6 - hard), *astray]]
        if number == 30:
            texts[5] = "I do not know."
        if number != 11:
            record["generations"] = texts[:3] if number == 22 else texts
        wrong = (number * 5 + hard) % 9 < hard
        alpha: dict[str, Any] = {"answer": others[number % 3] if wrong else truth}
        if number % 13 == 5:
            alpha = {"text": "No idea." if number < 40 else f"I think so.\nAnswer: {truth}"}
        targets = {ALPHA: alpha, BETA: {"loss": float((number * 3 + hard) % 7 < hard)}}
        if number == 37:
            del targets[BETA]
        record["targets"] = targets
        if number == 17:
            record["image"] = [PIXEL]
        if number == 44:
            del record["answer"]
        records.append(record)
    return Pool.from_records(records, "Exam – Prüfung, = 60")


def asked_pool() -> Pool:
    """Fourteen items without generations, of which one is too long for the server."""
    return Pool.from_records(
        [
            {
                "id": f"i{number}",
                "prompt": f"What is item {number}?" + " TOO LONG" * (number == 5),
                "answer_kind": "number",
                "answer": str(number % 3),
            }
            for number in range(14)
        ],
        "To be asked",
    )


def truth(pool: Pool, item: str) -> str:
    known = pool.items.at[item, "answer"]
    return "A" if pd.isna(known) else str(known)


def other(pool: Pool, item: str) -> str:
    return "B" if truth(pool, item) == "A" else "A"
