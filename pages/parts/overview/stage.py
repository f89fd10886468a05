"""The figure of page Overview: the pool as dots, its strata, the labelled items, and two intervals on one scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.design import Plan
from core.figures import style
from core.prospect import Prospect
from core.simulation import Courses
from core.stratification import Profile, Stratification
from pages.parts import player

_MOUNT = player.component("neyman_stage", Path(__file__).with_name("stage"))
# As many strata as the eye tells apart, with five labels in each at least.
_STRATA, _LABELS_EACH = 10, 5
# Dots beyond these melt into one another; each then stands for several items.
_DOTS = 12_500
_SHADES = 10
# Rounds of which the typical one is shown first, and how many of them are shown.
_ROUNDS, _LARGE, _FEW_ROUNDS, _SHOWN = 61, 50_000, 3, 9
OURS = "Neyman"


@dataclass(frozen=True, slots=True)
class Dots:
    """A pool as dots in the order of its strata.

    Parameters
    ----------
    strata : tuple of int
        Dots of each stratum.
    shades : str
        A digit for each dot, 0 to 9 along the signal.
    place : (N,) int
        Dot of each item.
    each : int
        Items that a dot stands for.
    """

    strata: tuple[int, ...]
    shades: str
    place: NDArray[np.int32]
    each: int


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
        The estimate; None where only the width is known.
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


def dots_of(prospect: Prospect, strata: Stratification) -> Dots:
    """Return the pool as dots, in each of the few strata by its signal."""
    key, profile = (prospect.pool.digest, prospect.question, prospect.budget), prospect.described
    return prospect.memo.once("stage", key, lambda: dots(profile, strata))


def dots(profile: Profile, strata: Stratification) -> Dots:
    """Return a pool as dots, in each stratum by its signal."""
    member, n_items = profile.levels.member, profile.signal.size
    # Equal signals have one shade: the middle of their ranks.
    ends = np.cumsum(profile.levels.counts)
    shade = np.minimum(_SHADES * (2 * ends - profile.levels.counts) // (2 * n_items), _SHADES - 1)
    # NumPy sorts numbers of two bytes several times as fast, and in a quarter of the memory.
    kind = np.dtype("uint16" if strata.n_strata * ends.size <= 1 << 16 else "int64")
    key: NDArray[np.integer[Any]] = profile.stratum(strata).astype(kind)
    key *= ends.size
    key += member.astype(key.dtype)
    order = np.argsort(key, kind="stable")
    each, sizes = -(-n_items // _DOTS), strata.sizes
    counts = -(-sizes // each)
    # Of each dot: how many come before it in its stratum, its first item, and how many items it stands for.
    before = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    first = np.repeat(np.cumsum(sizes) - sizes, counts) + before * each
    items = np.minimum(np.repeat(sizes, counts) - before * each, each)
    place = np.empty(n_items, dtype=np.int32)
    place[order] = np.repeat(np.arange(items.size, dtype=np.int32), items)
    shades = "".join(map(str, shade[member[order[first]]].tolist()))
    return Dots(tuple(counts.tolist()), shades, place, each)


def lit(pool_dots: Dots, positions: Sequence[int] | NDArray[np.int64], losses: NDArray[np.float64] | None) -> list[Any]:
    """Return labelled items as pairs: the dot, and 1 where the answer is wrong."""
    wrong = np.zeros(len(positions)) if losses is None else losses[positions] > 0
    pairs: list[Any] = np.column_stack([pool_dots.place[positions], wrong]).astype(int).tolist()
    return pairs


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
        Of `lit`.
    lanes : sequence of Lane
        The intervals, or with ``rounds`` whose they are.
    scale : dict, optional
        Of `pages.parts.player.axis`.
    rounds : list, optional
        Of `rounds_of`: the figure plays them label by label.
    outcome_known : bool
        Whether labels are right or wrong yet.
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
        },
    )


def rounds_of(pool_dots: Dots, simulated: Courses, losses: NDArray[np.float64] | None, share: bool) -> list[Any]:
    """Return rounds as the figure plays them, the typical one first and then those that follow it.

    Each has the labelled items in order, and both methods' estimates at some numbers of labels.
    """
    count = len(simulated.positions)
    shown = [(simulated.typical + number) % count for number in range(min(_SHOWN, count))]
    frames = simulated.frames[simulated.frames["round"].isin(shown)]
    if share:
        frames = frames.assign(value=1 - frames["value"], low=1 - frames["high"], high=1 - frames["low"])
    estimates = (frames[["value", "low", "high"]] * (100 if share else 1)).round(3)
    rows = {pair: rows.to_numpy().tolist() for pair, rows in estimates.groupby([frames["round"], frames["method"]])}
    at = sorted(set(frames["labels"].tolist()))
    return [
        {
            "lit": lit(pool_dots, simulated.positions[number], losses),
            "at": at,
            "lanes": [rows[number, "uniform"], rows[number, "design"]],
        }
        for number in shown
    ]


def lane_pair(half_uniform: float, half_ours: float, middle: float | None, share: bool) -> tuple[Lane, Lane]:
    """Return the two methods' intervals around a value, or around 0 where it is not known; half-widths as fractions."""
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
