"""Inputs by number, each of which follows from the seed, its reader and its number; and those that broke a reader."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from tests.fuzz.mutations import mutated
from tests.fuzz.subjects import SUBJECTS

KEPT = Path(__file__).parent / "kept"


class Input(NamedTuple):
    subject: str
    content: bytes


class Inputs:
    """Inputs of some readers in turn, without end."""

    def __init__(self, seed: int, subjects: Sequence[str]) -> None:
        self._seed, self._subjects = seed, subjects

    def __getitem__(self, number: int) -> Input:
        turn, place = divmod(number, len(self._subjects))
        subject = self._subjects[place]
        rng = Random(f"{self._seed} {subject} {turn}")
        form, content = rng.choice(_originals(subject))
        return Input(subject, mutated(content, form, rng))


@functools.cache
def _originals(subject: str) -> list[tuple[str, bytes]]:
    return [(form, one) for form, ones in SUBJECTS[subject].originals().items() for one in ones]


def stored_inputs() -> list[Input]:
    """Inputs that once broke a reader."""
    return [Input(path.parent.name, path.read_bytes()) for path in sorted(KEPT.glob("*/*.bin"))]


def keep(one: Input) -> Path:
    """Keep an input where the ordinary tests find it."""
    path = KEPT / one.subject / f"{hashlib.sha256(one.content).hexdigest()[:16]}.bin"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(one.content)
    return path
