"""A pool as dots, and rounds of labelling that light them: what a figure draws, as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..simulation.courses import Courses
from ..stratification.profiles import Profile, Stratification

# Dots beyond these melt into one another; each then stands for several items.
_DOTS = 12_500
_SHADES = 10
# Rounds that are shown.
_SHOWN = 9


@dataclass(frozen=True, slots=True, eq=False)
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

    def lit(self, positions: Sequence[int] | NDArray[np.int64], losses: NDArray[np.float64] | None) -> list[list[int]]:
        """Return labelled items as pairs: the dot, and 1 if the answer is wrong; without ``losses`` none is."""
        wrong = np.zeros(len(positions)) if losses is None else losses[positions] > 0
        pairs: list[list[int]] = np.column_stack([self.place[positions], wrong]).astype(int).tolist()
        return pairs

    def rounds(self, simulated: Courses, losses: NDArray[np.float64] | None, share: bool) -> list[dict[str, Any]]:
        """Return rounds as a figure plays them, the typical one first and then those that follow it.

        Each has the labelled items in order (``lit``), and both methods' value, low and high (``lanes``) at some
        numbers of labels (``at``): accuracies in per cent for a ``share``, else losses.
        """
        count = len(simulated.positions)
        first = simulated.typical
        shown = [(first + number) % count for number in range(min(_SHOWN, count))]
        frames = simulated.frames[simulated.frames["round"].isin(shown)]
        if share:
            frames = frames.assign(value=1 - frames["value"], low=1 - frames["high"], high=1 - frames["low"])
        estimates = (frames[["value", "low", "high"]] * (100 if share else 1)).round(3)
        rows = {pair: rows.to_numpy().tolist() for pair, rows in estimates.groupby([frames["round"], frames["method"]])}
        at = sorted(set(frames["labels"].tolist()))
        return [
            {
                "lit": self.lit(simulated.positions[number], losses),
                "at": at,
                "lanes": [rows[number, "uniform"], rows[number, "design"]],
            }
            for number in shown
        ]


def dots(profile: Profile, strata: Stratification) -> Dots:
    """Return a pool as dots, in each stratum by its signal; beyond 12,500 items a dot stands for several."""
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
