"""Doubts about an unknown file that names and values cannot settle: which path a field is, or what 1 means there."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from ..pool.problems import shown
from ..words import counted, listed
from .field_map import RIGHT, TEXT, WRONG
from .field_names import last_name

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
        return bool(self.why) and self.field == ANSWER

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
    def sentence(self) -> str:
        """Return the doubt in words, and how much each path holds or how to decide."""
        if self.why:
            return self.why
        if self.sounds:
            names = listed([shown(one.path) for one in self.candidates])
            return (
                f"1 in {names} sounds as if it meant wrong ({self.sounds}), so right or wrong is left open. Choose it "
                f"as “{WRONG}” if 1 means wrong there, or as “{RIGHT}” if 1 means right."
            )
        if self.marks and all(one.rows == self.rows for one in self.candidates):
            names = listed([shown(one.path) for one in self.candidates])
            return (
                f"{names} is 1 in all of the first {counted(self.rows, 'row')}, which may only say that the calls went "
                f"well, so it is not taken as a score. Take it for “{self.field}” if it is about the answers."
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
        return f"several fields {named}, filled {listed(paths)} of the first {counted(self.rows, 'row')}."
