"""The path that names a row's item: an id, or the prompt if rows repeat it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from .field_names import ID_NAMES, MODEL_NAMES, OF_RUNS, RUNS, keys_of, last_name, name_rank, words_of
from .first_rows import LOOKED_AT, FirstRows
from .runs import names_a_run

# What a first column of codes is called, and the share of its rows that may repeat another row's code by mistake.
_OF_CODES = frozenset(
    {"item", "ticket", "case", "ident", "identifier", "sample", "record", "number", "row", "uid", "key", "ref"}
    | {"id", "itemid", "questionid", "caseid", "ticketid", "qid"}
)
# What may be of several turns, too: it names items only if nothing repeats. So does what consists of such words, as
# “case_ref” or “conv_id”.
_OF_TURNS = frozenset({"chat", "conversation", "dialog", "dialogue", "thread", "session", "conv"})
_PARTS = _OF_CODES | _OF_TURNS | {"no", "nr", "code"}
_IDS = frozenset({"id", "uuid"})
_MISTAKEN = 0.1
_CODE = re.compile(r"\d{1,40}|(?=.*[^\W\d_])\S{1,40}")


def item_name(rows: FirstRows, prompt: str | None, answer: str | None) -> str | None:
    """Return the path that names each item; the prompt if rows repeat it and nothing names more than its run."""
    prompts = rows.texts(prompt) if prompt is not None else []
    ranks = {path: rank for path in rows.values if (rank := name_rank(path, ID_NAMES)) is not None}
    complete = [
        path
        for path in sorted(
            ranks, key=lambda path: (ranks[path], not RUNS.isdisjoint(keys_of(path)), len(keys_of(path)))
        )
        if rows.is_key(path) and not is_constant(rows, path, prompt)
    ]
    models = [path for path in rows.values if last_name(path) in MODEL_NAMES and rows.repeats(path)]
    for path in complete:
        if any(rows.are_pieces([path, *model]) for model in ([], *([one] for one in models))):
            return path
    distinct = len(set(prompts))
    if distinct < len(prompts):
        for path in complete:
            keys = rows.texts(path)
            if len(set(keys)) == distinct == len(set(zip(keys, prompts, strict=True))):
                return path
    for path in complete:
        if rows.repeats(path) and any(rows.are_distinct(path, model) for model in models):
            return path
    unique = next((path for path in complete if not rows.repeats(path)), None)
    codes = _first_codes(rows, prompt, answer)
    if prompt is None:
        items = (path for path in complete if last_name(path) not in OF_RUNS or _repeats_often(rows, path))
        return next((path for path in items if _follows_from(rows, answer, rows.texts(path))), unique or codes)
    runs = unique is None or (last_name(unique) in OF_RUNS and _follows_from(rows, answer, prompts))
    runs = runs and rows.filled(prompt) >= (1 - _MISTAKEN) * rows.size
    repeats = distinct < len(prompts) / 1.5 or _are_numbered(rows, prompt)
    return prompt if runs and repeats and 1 < distinct < len(prompts) else unique or called_id(rows) or codes


def _are_numbered(rows: FirstRows, prompt: str) -> bool:
    """Whether a column numbers the rows of each prompt, most of which have one: second attempts, say."""
    most = max(Counter(rows.texts(prompt)).values())
    runs = (path for path in rows.values if names_a_run(path) and rows.filled(path) == rows.size)
    return any(rows.distinct([path]) <= most and rows.are_distinct(prompt, path) for path in runs)


def _repeats_often(rows: FirstRows, path: str) -> bool:
    """Whether an id is that of what several rows are about: one of rows, or of runs, is different in nearly all."""
    return last_name(path) in _IDS and rows.distinct([path]) < (1 - _MISTAKEN) * rows.size


def is_constant(rows: FirstRows, path: str, prompt: str | None) -> bool:
    """Whether several rows have the same at a path, and not the same prompt: that is the name of a run or a file."""
    asked = rows.texts(prompt) if prompt is not None else rows.texts(path)
    return rows.size > 1 == len(set(rows.texts(path))) and (prompt is None or len(set(asked)) > 1)


def is_of_codes(rows: FirstRows, path: str) -> bool:
    """Whether a path is the first, has a name for items, and holds codes: “ticket” with T100, T101."""
    first = next(iter(rows.values), None)
    named = last_name(path) in _OF_CODES or {*words_of(path)[-1]} <= _PARTS
    if path != first or not named or not rows.is_key(path):
        return False
    codes = rows.texts(path)
    most = _MISTAKEN if last_name(path) in _OF_CODES else 0
    return len(codes) - len(set(codes)) <= most * len(codes) and all(map(_CODE.fullmatch, codes))


def is_mistaken(rows: FirstRows, path: str, prompt: str | None) -> bool:
    """Whether codes that hardly ever repeat do so in rows with different prompts."""
    if prompt is None or path == prompt or not rows.repeats(path) or not is_of_codes(rows, path):
        return False
    codes = rows.texts(path)
    return len(set(zip(codes, rows.texts(prompt), strict=True))) > len(set(codes))


def _first_codes(rows: FirstRows, prompt: str | None, answer: str | None) -> str | None:
    """Return the first path if it holds codes of the items that differ, or are mistaken.

    Further models, each with all the items, may follow the first rows.
    """
    first = next(iter(rows.values), "")
    may_follow = rows.size >= LOOKED_AT and any(last_name(path) in MODEL_NAMES[:-1] for path in rows.values)
    is_free = first not in (prompt, answer) and not may_follow and is_of_codes(rows, first)
    return first if is_free and (not rows.repeats(first) or is_mistaken(rows, first, prompt)) else None


def called_id(rows: FirstRows, prompt: str | None = None) -> str | None:
    """Return the first path whose name ends with “id” and that is different in each row, or for each prompt."""
    named = (path for path in rows.values if words_of(path)[-1][-1:] == ("id",) and rows.is_key(path))
    size = rows.size if prompt is None else rows.distinct([prompt])
    both = [] if prompt is None else [prompt]
    return next((path for path in named if rows.distinct([path]) == rows.distinct([path, *both]) == size), None)


def _follows_from(rows: FirstRows, path: str | None, keys: Sequence[str]) -> bool:
    """Whether each prompt, or each id, has one value at a path."""
    pairs = zip(keys, rows.texts(path), strict=True) if path is not None else ()
    return len(set(pairs)) <= len(set(keys))
