"""Files that say which of two outputs is better, and grade neither: known by names, or by what is said in them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from ..files.foreign_names import plain_key
from .field_names import SCORE_NAMES, words_of

_COMPARED = ("model", "response", "answer", "output", "completion", "conversation", "generation", "text")
_PAIRS = ("ab", "12")
_PREFERRED = frozenset({"winner", "preference", "preferred"} | {f"winnermodel{side}" for side in "ab12"})
# Pairs of which the better one is said by the name of its column.
_CHOSEN = frozenset({"chosen", "rejected"})
# Words in the names of what says which is better; and names under which the sides have to be spelt out.
_NAMED = frozenset({"winner", "preference"})
_BETTER = frozenset({"winner", "preference", "preferred", "better", "pairwise"})
_SAID = frozenset(
    {"label", "verdict", "decision", "judgment", "judgement", "choice", "result", "outcome", "vote", "pick", "rating"}
    | {"preference", "comparison", "winner", "score"}
)
_SIDE = r"(?:(?:model|assistant|response|answer|output|system|candidate|completion)[ _-]?)?(?:a|b|1|2)"
_NAMED_SIDE = re.compile(r"(?:model|assistant|response|answer|output|system|candidate|completion)[ _-]?(?:a|b|1|2)")
_OF_BOTH = re.compile(rf"{_SIDE}\s*(?:>{{1,3}}|<{{1,3}}|=+|≻|≺|~)\s*{_SIDE}|\[\[(?:a|b|c|tie|[ab][<>=]+[ab])\]\]")
_SIDES = frozenset({"a", "b", "1", "2", "left", "right", "first", "second"})
_TIE = re.compile(r"(?:tie|draw|both|neither|same|equal|none)[\w ()-]*|c|0|3")
_LONGEST, _DEEPEST, _MOST_OBJECTS = 40, 6, 50


def names_pairs(names: Collection[str]) -> bool:
    """Whether columns or keys are of two models, or two answers to a question, with the better one, but no grade."""
    spelt = [words_of(name)[-1] for name in names]
    names = {plain_key(name) for name in names}
    compared, graded = (
        any(names >= {f"{what}{side}" for side in pair} for what in some for pair in _PAIRS)
        for some in (_COMPARED, SCORE_NAMES)
    )
    if graded or not names.isdisjoint(SCORE_NAMES):
        return False
    says = not names.isdisjoint(_PREFERRED) or any(not _NAMED.isdisjoint(words) for words in spelt)
    return (compared and says) or names >= _CHOSEN


def say_which_is_better(rows: Iterable[Mapping[str, Any]]) -> bool:
    """Whether records, or what is within them, say which of two outputs is better: “winner: A”, “label: A>B”."""
    said: dict[str, set[str]] = {}
    graded, objects = set[str](), set[frozenset[str]]()
    for row in rows:
        _gather(row, said, graded, objects)
    if graded:
        return False
    if any(map(names_pairs, objects)):
        return True
    keys = {plain_key(name) for name in said}
    in_pairs = any(keys >= {f"{what}{side}" for side in pair} for what in _COMPARED for pair in _PAIRS)
    return any(_are_sides(name, words, in_pairs) for name, words in said.items())


def _gather(
    value: Any,
    said: dict[str, set[str]],
    graded: set[str],
    objects: set[frozenset[str]],
    key: str = "",
    depth: int = 0,
) -> None:
    """Collect short texts and whole numbers by their keys, the keys of scores of one output, and those of objects."""
    if isinstance(value, Mapping) and depth < _DEEPEST:
        if len(objects) < _MOST_OBJECTS:
            objects.add(frozenset(map(str, value)))
        for name, one in value.items():
            if plain_key(str(name)) in SCORE_NAMES and isinstance(one, (int, float)):
                graded.add(str(name))
            _gather(one, said, graded, objects, str(name), depth + 1)
    elif isinstance(value, list) and depth < _DEEPEST:
        for one in value:
            _gather(one, said, graded, objects, key, depth + 1)
    elif isinstance(value, (str, int)) and not isinstance(value, bool) and str(value).strip():
        words = said.setdefault(key, set())
        words.add(str(value).strip().casefold() if len(str(value)) <= _LONGEST else "…")


def _are_sides(name: str, words: Collection[str], in_pairs: bool) -> bool:
    """Whether all that is said under a name is one of two sides, or a tie."""
    called = {*words_of(name)[-1]}
    better = not called.isdisjoint(_BETTER) or (in_pairs and not called.isdisjoint(_SAID))
    both = {word for word in words if _OF_BOTH.fullmatch(word) or _NAMED_SIDE.fullmatch(word)}
    sides = both | {word for word in words if word in _SIDES} if better else both
    if called.isdisjoint(_BETTER | _SAID) or not sides or sides <= {"1"}:
        return False
    return all(word in sides or _TIE.fullmatch(word) for word in words)
