"""Outputs that are objects in JSON, with their reasoning beside the answer: which path holds the answer."""

from __future__ import annotations

from collections.abc import Sequence

from ..files.foreign_names import plain_key
from .field_map import Paths
from .field_names import ANSWER_PARTS, BESIDE_ANSWERS, last_key, words_of
from .first_rows import FirstRows
from .free_paths import FreePaths


def answers_within(rows: FirstRows, free: FreePaths, samples: Paths | None) -> Paths | None:
    """Return the paths of the answers within samples that are objects; in doubt if no name is an answer's.

    Beside the answer, such samples have their reasoning, which differs in all of them.
    """
    paths = (samples,) if isinstance(samples, str) else samples or ()
    if not paths or not all(map(rows.are_objects, paths)) or any("[]" in path for path in paths):
        return samples
    insides = [f"{path}[]" if rows.is_list(path) and isinstance(samples, str) else path for path in paths]
    parts = _parts_of(rows, insides[0])
    part = _answer_part(parts)
    free.mark(path for path in rows.values if path.startswith(tuple(f"{one}." for one in insides)))
    if part is None and any(map(_is_beside_answers, parts)):
        free.doubt("generations", [paths[0], *(f"{insides[0]}.{part}" for part in parts)])
        return None
    chosen = tuple(f"{inside}.{part}" for inside in insides if f"{inside}.{part}" in rows.values)
    return samples if len(chosen) < len(insides) else chosen if len(chosen) > 1 else chosen[0]


def answer_within(rows: FirstRows, free: FreePaths, output: str) -> str:
    """Return the path of the answer within an output that is an object, or the path of the output."""
    holder, dot, _ = output.rpartition(".")
    holder = output if output in rows.values and rows.are_objects(output) else holder
    if holder not in rows.values or not rows.are_objects(holder):
        return output
    part = _answer_part(_parts_of(rows, holder))
    if part is None or (dot and plain_key(last_key(output)) in ANSWER_PARTS):
        return output
    free.mark([f"{holder}.{part}"])
    return f"{holder}.{part}"


def _parts_of(rows: FirstRows, holder: str) -> list[str]:
    """List the keys of single values within objects."""
    inner = [path.removeprefix(f"{holder}.") for path in rows.values if path.startswith(f"{holder}.")]
    return [key for key in inner if not set(key) & {".", "["}]


def _answer_part(parts: Sequence[str]) -> str | None:
    """Return which part of an output is its answer: by its name, or as the only one beside reasons."""
    named = [part for part in parts if plain_key(part) in ANSWER_PARTS]
    others = [part for part in parts if not _is_beside_answers(part)]
    best = min(named, key=lambda part: ANSWER_PARTS.index(plain_key(part)), default=None)
    return best or (others[0] if len(others) == 1 < len(parts) else None)


def _is_beside_answers(part: str) -> bool:
    return not BESIDE_ANSWERS.isdisjoint(words_of(part)[-1])
