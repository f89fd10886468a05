"""A few numbers as bars on one scale, below the answer that they give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from core.figures import style
from pages.parts import player

_MOUNT = player.component("neyman_bars", Path(__file__).with_name("bars"))
GREY, OURS = style.METHOD_STYLES["uniform"].colour, style.METHOD_STYLES["recommended"].colour


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar: its name, its number in words, its share of the longest possible one, and limits of that."""

    name: str
    text: str
    share: float
    colour: str
    limits: tuple[float, float] | None = None


def draw(key: str, answer: str, bars: Sequence[Bar]) -> None:
    """Draw the answer with its bars below each other."""
    _MOUNT(key=key, data={"answer": answer, "bars": list(map(asdict, bars))})
