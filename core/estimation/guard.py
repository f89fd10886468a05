"""Whether a design spreads its labels too unevenly, known before anything is labelled (docs/method.md, 6.7)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.allocation.optimum import allocate, proxy_neyman
from core.estimation.variance import uneven
from core.words import counted, per_cent

# Labels of a stratum relative to its share of the pool, below which few labels that agree pass for certainty.
FLOOR = 0.5
# Offsets that can be proposed, ascending.
_OFFSETS = (0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0)


@dataclass(frozen=True, slots=True)
class Guard:
    """Why a design is not safe.

    Parameters
    ----------
    offset : float
        Its δ.
    budget : int
        Its number of labels, M.
    stratum : int
        The stratum with the fewest labels for its size.
    share : float
        That stratum's share of the pool, W_h.
    labels : int
        That stratum's labels, m_h.
    floor, lowest : float
        What m_h/(M W_h) should be at least, and what it is there.
    safe_offset : float or None
        The smallest δ of a grid whose design passes; None where none does, and Proportional is the way out.
    """

    offset: float
    budget: int
    stratum: int
    share: float
    labels: int
    floor: float
    lowest: float
    safe_offset: float | None

    @property
    def sentence(self) -> str:
        """The warning, with the way out."""
        way = (
            "Choose Proportional"
            if self.safe_offset is None
            else f"Use δ = {self.safe_offset:g}, the smallest that is safe here"
        )
        return (
            f"With δ = {self.offset:g}, stratum {self.stratum} is {per_cent(self.share)} of the pool and gets "
            f"{counted(self.labels, 'label')} of {self.budget:,}. So few can agree by chance: the interval is widened "
            f"for that, and the error can exceed Uniform’s. {way}."
        )


def guard(sizes: ArrayLike, consistency: ArrayLike, budget: int, offset: float = 0.75) -> Guard | None:
    """Whether Proxy-Neyman's labels are spread too unevenly; None where they are not.

    Parameters
    ----------
    sizes : (H,) int
        Items N_h ≥ 1.
    consistency : (H,) float
        Mean self-consistency p_h.
    budget : int
        M, from H to N.
    offset : float
        δ ≥ 0.

    Returns
    -------
    Guard or None
        A warning where a stratum has less than half of its share of the labels, m_h/(M W_h) < 1/2, and labels are
        `core.estimation.variance.uneven` as a whole, so that one label too few in a small stratum is none.

    Raises
    ------
    DesignError
        The budget is below H or above N, δ is negative, or a p_h lies outside [0, 1].
    """
    size = np.asarray(sizes, dtype=np.int64)
    share = size / size.sum()

    def counts(delta: float) -> NDArray[np.int64]:
        return allocate(proxy_neyman(size, consistency, delta), size, budget)

    def unsafe(labels: NDArray[np.int64]) -> bool:
        return bool(uneven(labels, size)) and float((labels / (budget * share)).min()) < FLOOR

    labels = counts(offset)
    if not unsafe(labels):
        return None
    relative = labels / (budget * share)
    stratum = int(np.argmin(relative))
    safe = next((delta for delta in _OFFSETS if delta > offset and not unsafe(counts(delta))), None)
    return Guard(
        offset, budget, stratum, float(share[stratum]), int(labels[stratum]), FLOOR, float(relative[stratum]), safe
    )
