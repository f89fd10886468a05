"""The figure of page Overview: the pool as dots, its strata, the labelled items, and two intervals on one scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.design import Plan
from core.figures import style
from core.prospect import Dots, Prospect
from core.simulation import Courses
from pages.parts import player

_MOUNT = player.component("neyman_stage", Path(__file__).with_name("stage"))
# As many strata as the eye tells apart, with five labels in each at least.
_STRATA, _LABELS_EACH = 10, 5
# Rounds of which the typical one is shown first.
_ROUNDS, _LARGE, _FEW_ROUNDS = 61, 50_000, 3
OURS = "Neyman"


@dataclass(frozen=True, slots=True)
class Lane:
    """One interval of the figure, in the unit of its axis.

    Parameters
    ----------
    name : str
        Of the method.
    colour : str
        Of its bar.
    low, high : float
        Limits.
    value : float or None
        The estimate; None if only the width is known.
    text : str
        The number beside it.
    """

    name: str
    colour: str
    low: float
    high: float
    value: float | None
    text: str


def few(budget: int) -> int:
    """Return how many strata the figure has with so many labels."""
    return max(1, min(_STRATA, budget // _LABELS_EACH))


def courses_of(prospect: Prospect, frames: int = 1) -> Courses:
    """Return rounds of labelling in a few strata, by default their ends alone."""
    rounds = _ROUNDS if prospect.n_items <= _LARGE else _FEW_ROUNDS
    return prospect.courses(few(prospect.budget), rounds, frames)


def sample_of(prospect: Prospect) -> Plan:
    """Return a sample in as few strata from a pool whose outcomes nobody knows."""
    return prospect.sample(few(prospect.budget))


def ends(prospect: Prospect) -> tuple[str, ...]:
    """Return what stands below the sorted dots, from left to right."""
    middle = f"sorted by {prospect.signal}"
    return (middle,) if prospect.whole.scheme.signal == "group" else ("← looks easy", middle, "looks hard →")


def draw(
    key: str,
    pool_dots: Dots,
    alt: str,
    under: Sequence[str],
    *,
    is_sorted: bool = True,
    shaded: bool = True,
    labelled: list[Any] | None = None,
    lanes: Sequence[Lane] = (),
    scale: dict[str, Any] | None = None,
    rounds: list[Any] | None = None,
    outcome_known: bool = True,
    tall: bool = False,
) -> None:
    """Draw the figure.

    Parameters
    ----------
    key : str
        Of the element; the figure moves from what it showed before.
    pool_dots : Dots
        The pool.
    alt : str
        What it shows, in words.
    under : sequence of str
        What stands below the dots, from left to right.
    is_sorted, shaded : bool
        Whether dots stand in their strata, and whether their shade follows the signal.
    labelled : list, optional
        Of `Dots.lit`.
    lanes : sequence of Lane
        The intervals, or with ``rounds`` whose they are.
    scale : dict, optional
        Of `pages.parts.player.axis`.
    rounds : list, optional
        Of `Dots.rounds`, each with its scale (``axis``): the figure plays them label by label.
    outcome_known : bool
        Whether labels are right or wrong yet.
    tall : bool
        Whether the dots fill the window.
    """
    legend = [["none", f"{pool_dots.each:,} items a dot"]] if pool_dots.each > 1 else []
    if labelled is not None or rounds is not None:
        named = [["right", "labelled, right"], ["wrong", "labelled, wrong"]]
        legend = [*(named if outcome_known else [["right", "to label"]]), *(legend or [["none", "not labelled"]])]
    _MOUNT(
        key=key,
        data={
            "strata": list(pool_dots.strata),
            "shades": pool_dots.shades,
            "alt": alt,
            "under": list(under),
            "key": legend,
            "sorted": is_sorted,
            "shaded": shaded,
            "lit": labelled,
            "lanes": [{name: getattr(lane, name) for name in Lane.__slots__} for lane in lanes],
            "axis": scale,
            "rounds": rounds,
            "tall": tall,
        },
    )


def lane_pair(half_uniform: float, half_ours: float, middle: float | None, share: bool) -> tuple[Lane, Lane]:
    """Return the two methods' intervals around a value, or around 0 if it is not known; half-widths as fractions."""
    scale, at = (100.0 if share else 1.0), middle or 0.0
    looks = ((style.METHOD_STYLES["uniform"], half_uniform), (style.METHOD_STYLES["recommended"], half_ours))
    names = ("Uniform", OURS)
    unit = " points" if share else ""
    return tuple(  # type: ignore[return-value]
        Lane(
            name,
            look.colour,
            scale * (at - half),
            scale * (at + half),
            None if middle is None else scale * at,
            f"±{scale * half:.1f}{unit}" if share else f"±{half:.3g}",
        )
        for name, (look, half) in zip(names, looks, strict=True)
    )
