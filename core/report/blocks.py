"""The blocks of a page's sections, as plain values: templates write them as HTML, and escape every text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ..figures import prints
from ..figures.style import Figure


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph: its words, a class of the style sheet, and an id to which links lead."""

    kind: ClassVar[str] = "paragraph"
    words: str
    look: str = ""
    anchor: str = ""

    def __bool__(self) -> bool:
        return bool(self.words)


@dataclass(frozen=True, slots=True)
class Table:
    """A table, which the arrow keys scroll if it is wide.

    Parameters
    ----------
    head : sequence of str
        Its head; none if all are empty.
    rows : sequence of sequences of str
        Its cells.
    links : sequence of str
        Ids to which the first cells lead, "" for none; empty for no links at all.
    look : str
        A class of the style sheet.
    """

    kind: ClassVar[str] = "table"
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    links: Sequence[str] = ()
    look: str = ""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A figure as SVG, of `drawing`."""

    kind: ClassVar[str] = "drawing"
    figure: Markup


@dataclass(frozen=True, slots=True)
class Text:
    """Text whose spaces and line breaks count."""

    kind: ClassVar[str] = "text"
    words: str


@dataclass(frozen=True, slots=True)
class Fold:
    """A section that is closed on a screen and open on paper; empty without parts."""

    kind: ClassVar[str] = "fold"
    title: str
    parts: tuple[Any, ...]
    hint: str = ""

    def __bool__(self) -> bool:
        return bool(self.parts)


def fold(title: str, parts: Sequence[Any], hint: str = "") -> Iterator[Fold]:
    """Yield a section of its parts but the empty ones; nothing for no parts."""
    section = Fold(title, tuple(filter(None, parts)), hint)
    if section:
        yield section


def drawing(figure: Figure, words: str, width: float = 760) -> Markup:
    """Draw a figure for a page; parameters as of `core.figures.prints.inline`, which escapes every text."""
    return Markup(prints.inline(figure, words, width))


def render(template: str, values: Mapping[str, Any]) -> str:
    """Write a page of a template of this room.

    Parameters
    ----------
    template : str
        Its file.
    values : mapping
        What it shows: every text is escaped, only `Markup` is not.
    """
    return _templates().get_template(template).render(values)


@cache
def _templates() -> Environment:
    return Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
