"""Doubts about an unknown file that names and values cannot settle, and the paths that are not yet taken."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..pool.problems import shown
from ..words import counted, listed
from .field_map import RIGHT, TEXT, WRONG
from .field_names import has_word, is_said, keys_of, last_name, name_rank, words_of
from .first_rows import FirstRows

ANSWER = "answer"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A path that a field may be, and how many of the first rows have a value there."""

    path: str
    rows: int


@dataclass(frozen=True, slots=True)
class Doubt:
    """A field of which it is not clear which path it is.

    Parameters
    ----------
    field : str
        A native column; `TEXT`, `RIGHT` or `WRONG` of a target.
    candidates : tuple of Candidate
        The paths, the likeliest by its name first.
    rows : int
        Number of rows that were looked at.
    sounds : str
        Of scores of which 1 is likely to mean wrong: what they are called.
    marks : bool
        Whether the candidates are scores that all say the same, and are empty elsewhere or may be about calls.
    why : str
        What else a single candidate may be, in a sentence; "" for another doubt.
    """

    field: str
    candidates: tuple[Candidate, ...]
    rows: int
    sounds: str = ""
    marks: bool = False
    why: str = ""

    @classmethod
    def of_json(cls, value: Mapping[str, Any]) -> Doubt:
        """Make the doubt that `dataclasses.asdict` wrote."""
        candidates = tuple(Candidate(**one) for one in value["candidates"])
        return cls(
            value["field"],
            candidates,
            value["rows"],
            value.get("sounds", ""),
            *(value.get("marks", False), value.get("why", "")),
        )

    @property
    def is_optional(self) -> bool:
        """Whether nothing has to be chosen: right or wrong stays open."""
        return bool(self.sounds or self.marks)

    @property
    def is_of_answers(self) -> bool:
        """Whether a column holds right answers or those of a model, and nothing tells which."""
        return bool(self.why) and self.field == ANSWER and len(self.candidates) == 1

    def is_settled(self, chosen: Collection[str], paths: Collection[str]) -> bool:
        """Whether fields or paths that somebody chose settle it.

        Parameters
        ----------
        chosen : collection of str
            The fields that have a path.
        paths : collection of str
            The paths of all fields.
        """
        taken = not {one.path for one in self.candidates}.isdisjoint(paths)
        if self.why and not self.is_of_answers:
            return taken
        return self.field in chosen or (taken and (self.field == TEXT or self.is_of_answers))

    @property
    def command(self) -> str:
        """Return the options of a shell that take each candidate for a model's answers; "" if only one is chosen."""
        if self.field != TEXT or len(self.candidates) < 2:
            return ""
        return " ".join(f"--target {shlex.quote(f'{one.path}:{TEXT}={one.path}')}" for one in self.candidates)

    @property
    def sentence(self) -> str:
        """Return the doubt in words, and how much each path holds or how to decide."""
        if self.why:
            return self.why
        if self.sounds:
            names = listed([shown(one.path) for one in self.candidates])
            return (
                f"1 in {names} sounds as if it meant wrong ({self.sounds}), so it is not taken as a score. Choose it "
                f"as “{WRONG}” if 1 means wrong there, or as “{RIGHT}” if 1 means right."
            )
        if self.marks and all(one.rows == self.rows for one in self.candidates):
            names = listed([shown(one.path) for one in self.candidates])
            return (
                f"{names} is {int(self.field == RIGHT)} in all of the first {counted(self.rows, 'row')}, which may "
                "only say that the calls went well, so it is not taken as a score. Take it for "
                f"“{self.field}” if it is about the answers."
            )
        if self.marks:
            filled = listed([f"{shown(one.path)} in {one.rows:,}" for one in self.candidates])
            return (
                f"All that is filled, {filled} of the first {counted(self.rows, 'row')}, says {self.field}, and the "
                f"other cells are empty, so it is not taken as a score. If an empty cell means the opposite, fill it, "
                f"with 0 for instance; or take it for “{self.field}”, and the others stay unknown."
            )
        if len(self.candidates) == 1 and self.field in (RIGHT, WRONG):
            return f"{shown(self.candidates[0].path)} is the only score beside the outputs of several models."
        paths = [f"{shown(one.path)} in {one.rows:,}" for one in self.candidates]
        if len(paths) == 1:
            return f"{paths[0]} of the first {counted(self.rows, 'row')} may be the {self.field}, or not."
        if self.field == TEXT:
            return (
                f"several fields may be what a model said, filled {listed(paths)} of the first "
                f"{counted(self.rows, 'row')}. If they are several models or versions, each is a target."
            )
        named = (
            "have this name"
            if len({last_name(one.path) for one in self.candidates}) == 1
            else f"may be the {self.field}"
        )
        each = " If they belong to several models, choose each as a separate model." * (self.field in (RIGHT, WRONG))
        return f"several fields {named}, filled {listed(paths)} of the first {counted(self.rows, 'row')}.{each}"


# Of two columns with the same name, one is chosen only if it fills at least this share of the other's rows.
ENOUGH = 0.9
# Names of columns that may hold anything, or a verdict.
_OF_ANYTHING = frozenset({"text", "content", "label", "task"})


class FreePaths:
    """Paths, each of which is taken for one field at most.

    Parameters
    ----------
    rows : FirstRows
        What the values at the paths look like.
    """

    def __init__(self, rows: FirstRows) -> None:
        self._rows = rows
        self._taken: set[str] = set()
        self.doubts: list[Doubt] = []

    def __iter__(self) -> Iterator[str]:
        return iter([path for path in self._rows.values if path not in self._taken])

    def mark(self, paths: Iterable[str]) -> None:
        """Say that paths are taken."""
        self._taken.update(paths)

    def doubt(self, field: str, paths: Sequence[str], sounds: str = "", marks: bool = False, why: str = "") -> None:
        """Say of which paths it is not clear whether they are a field, as `Doubt` has it."""
        candidates = tuple(Candidate(path, self._rows.filled(path)) for path in paths)
        self.doubts.append(Doubt(field, candidates, self._rows.size, sounds, marks, why))

    def is_doubted(self, field: str) -> bool:
        """Whether a field is in doubt."""
        return any(one.field == field for one in self.doubts)

    def take_path(self, path: str) -> str | None:
        """Take a path that is there."""
        if path not in self._rows.values:
            return None
        self._taken.add(path)
        return path

    def take(self, field: str, names: Sequence[str], fits: Callable[[str], bool]) -> str | None:
        """Take the free path whose last key, or else an outer one, is the first of the names and whose values fit."""
        return self.take_ranked(field, lambda path: name_rank(path, names), fits)

    def take_ranked(
        self, field: str, rank_of: Callable[[str], tuple[int, ...] | None], fits: Callable[[str], bool]
    ) -> str | None:
        """Take the free path of the lowest rank whose values fit; of several the one that is the least deep.

        A plain column of the meaning is taken before a nested field, unless it is clearly emptier. None if another path
        of its name holds more: all that do are in doubt, and free for no other field.
        """
        if self.is_doubted(field):
            return None
        ranked = sorted(
            (rank, len(keys_of(path)), place, path)
            for place, path in enumerate(self)
            if (rank := rank_of(path)) is not None
        )
        first = next(((rank, path) for rank, *_, path in ranked if fits(path)), None)
        if first is None:
            return None
        lowest, best = first
        plain = (path for rank, *_, path in ranked if rank[:-2] == lowest[:-2] and self.is_plain_as(path, best))
        best = next(filter(fits, plain), best)
        level = lowest[0]
        fuller = [path for rank, *_, path in ranked if self._is_fuller(path, best, rank[0] == level and fits(path))]
        self._taken.update([best, *fuller])
        if not fuller:
            return best
        self.doubt(field, [best, *fuller])
        return None

    def is_plain_as(self, path: str, nested: str) -> bool:
        """Whether a path is a plain column that may stand for a nested field: it is hardly emptier."""
        is_plain = len(keys_of(path)) == 1 < len(keys_of(nested)) and not nested.startswith((f"{path}.", f"{path}["))
        known = self._rows.filled(path) >= ENOUGH * self._rows.filled(nested)
        return is_plain and known and last_name(path) not in _OF_ANYTHING

    def _is_fuller(self, path: str, best: str, fits: bool) -> bool:
        """Whether a path has the name of another one and fits as well, or stands around it, and has more values."""
        same = best.startswith((f"{path}.", f"{path}[")) or (fits and last_name(path) == last_name(best))
        return same and self._rows.filled(best) < ENOUGH * self._rows.filled(path)

    def by_words(self, field: str, words: str, fits: Callable[[str], bool]) -> str | None:
        """Take the free path that has such a word in its name and whose values fit."""

        def rank(path: str) -> tuple[int, ...] | None:
            inside = words_of(path)[-1]
            named = is_said(path) if words == "output" else has_word(path, words)
            return (len(inside),) if named else None

        return self.take_ranked(field, rank, fits)
