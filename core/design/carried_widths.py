"""Half-widths to expect of three ways to use known verdicts: audited, not audited, and not at all.

Each is that of the sample to expect: fine strata along the predicted risk, in which m_h p̂_h labels are wrong, and
audits that find half a wrong verdict more than the log has.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..allocation.optimum import allocate
from ..stratification.equal_mass import cut, fine_strata, masses
from ..words import counted
from .known_verdicts import Carried

if TYPE_CHECKING:
    from .design import Design

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
# Values, tallies (1, H, 2), counts and sizes of strata.
Sampled = tuple[Array, Array, Whole, Whole]

# Wrong verdicts that audits are expected to find beyond what the log shows.
_FOUND = 0.5


@dataclass(frozen=True, slots=True)
class CarriedWidths:
    """Half-widths to expect of a design and of what it may be exchanged for.

    Parameters
    ----------
    carried : float
        With carried verdicts, audited unless they follow from the answer.
    alone : float
        If the open items alone are graded, drawn uniformly, and earlier audits alone tell of the carried verdicts; ∞
        without any.
    fresh : float
        Without a bank.
    if_right : float
        As ``alone``, if every carried verdict is right.
    n_open : int
        Items whose verdict is not known.
    """

    carried: float
    alone: float
    fresh: float
    if_right: float
    n_open: int

    @property
    def sentence(self) -> str:
        """Say what each way gives, the narrowest first."""
        only = f"the {counted(self.n_open, 'item')} without a known verdict alone"
        ways = [(self.carried, "audited verdicts carried over"), (self.fresh, "a list without the bank")]
        ways += [(self.alone, f"{only}, with earlier audits")] if self.alone < math.inf else []
        said = [f"±{100 * half:.1f} points by {way}" for half, way in sorted(ways)]
        return f"Expected: {', '.join(said)}. If every carried verdict is right, ±{100 * self.if_right:.1f} by {only}."


def carried_widths(design: Design, carried: Carried) -> CarriedWidths:
    """Compute what carried verdicts promise for a design.

    Parameters
    ----------
    design : Design
        Without them.
    carried : Carried
        At least one verdict; not all, if they follow from the answer.
    """
    # Here, so that drawing does not wait for SciPy.
    from ..estimation.carried import Audit, AuditedStrata
    from ..estimation.intervals import DEFAULT, Limits

    known, budget = carried.known, design.budget
    floor = None if design.scheme.uniform else design.scheme.floor
    kept, n_open = int(known.sum()), int((~known).sum())
    risk = np.full(known.size, 0.5) if design.risk is None else np.array(design.risk)
    # Carried verdicts say more of their items than the predicted risk does.
    losses = np.where(known, carried.values, risk)
    labels, audits = carried.shares(budget)
    log = carried.log or Audit()
    strata = AuditedStrata(float(np.nansum(carried.values)), kept, known.size, bool(log.n))

    def half(limits: Limits) -> float:
        return float((limits.high - limits.low)[0]) / 2

    def expected(some: NDArray[np.bool_], budget: int, floor: float | None) -> Sampled | None:
        return _expected(risk[some], losses[some], budget, floor) if budget < some.sum() else None

    def of_open(part: Sampled | None) -> float:
        return 0.0 if part is None else half(DEFAULT.of_labels(*part)) * n_open / known.size

    def beside(audits: int, part: Sampled | None) -> float:
        return half(strata.limits(DEFAULT, audits, [min(log.up + _FOUND, audits)], [log.down], part))

    fresh, alone = expected(known | True, budget, floor), expected(~known, budget, None)
    ours = expected(~known, labels, floor)
    exact = carried.follows or audits >= kept
    return CarriedWidths(
        of_open(ours) if exact else beside(audits + log.n, ours),
        beside(log.n, alone) if log.n and not exact else math.inf,
        math.inf if fresh is None else half(DEFAULT.of_labels(*fresh)),
        of_open(alone),
        n_open,
    )


def _expected(risk: Array, losses: Array, budget: int, floor: float | None) -> Sampled:
    """The sample to expect of fine strata with a floor, or else of a single one: values, tallies, counts and sizes."""
    order = np.argsort(risk, kind="stable")
    n_strata = 1 if floor is None else fine_strata(budget, risk.size)
    stratum = cut(masses(risk[order], floor or 0.0), n_strata)
    sizes = np.bincount(stratum)
    counts = allocate(np.ones(sizes.size), sizes, max(budget, sizes.size))
    ones = np.bincount(stratum, weights=losses[order]) / sizes * counts
    return np.array([0.0, 1.0]), np.stack([counts - ones, ones], axis=-1)[None], counts, sizes
