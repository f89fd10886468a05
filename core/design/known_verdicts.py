"""Verdicts that a design takes over, and how many labels check them (docs/method.md, 6.8).

The pool is cut in two: *known* items, whose verdict is carried over from an equal answer, and *open* ones, among which
the design draws as if they were the whole pool. If verdicts do not follow from answers alone, some of the labels audit
known items. Open items and audits stand in one list, spread evenly, so that it may be cut anywhere.
"""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..errors import DesignError
from ..stratification.profiles import Profile, Stratification
from ..words import counted
from .sampling import in_turn
from .scheme import Scheme

if TYPE_CHECKING:
    from ..estimation.carried import Audit, CarriedSample

# Without a log half of the labels are audits, until so many have been made.
ENOUGH_AUDITS = 100
# Fewer labels leave no audit that says anything.
LEAST_BUDGET = 10


@dataclass(frozen=True)
class Carried:
    """Verdicts that are known before a list is drawn.

    Parameters
    ----------
    losses : (N,) float or None
        v of each known item, in [0, 1]; None of an open one.
    follows : bool
        Whether the verdict follows from the answer alone, as with an answer key, so that nothing has to be audited.
    log : Audit or None
        Audits of earlier lists of the same pool under the same grading; None if there is none.

    Raises
    ------
    DesignError
        A loss lies outside [0, 1].
    """

    losses: tuple[float | None, ...]
    follows: bool = False
    log: Audit | None = None

    def __post_init__(self) -> None:
        given = np.array(self.losses, dtype=np.float64)
        if np.any((given < 0) | (given > 1)):
            raise DesignError("Carried verdicts must be losses between 0 and 1.")
        losses = given.astype(object)
        losses[np.isnan(given)] = None
        object.__setattr__(self, "losses", tuple(losses.tolist()))

    def __repr__(self) -> str:
        return f"Carried({int(self.known.sum()):,} of {len(self.losses):,} items)"

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """Carried verdicts, (N,); NaN of open items. Read-only."""
        values = np.array(self.losses, dtype=np.float64)
        values.setflags(write=False)
        return values

    @cached_property
    def known(self) -> NDArray[np.bool_]:
        """Whether each item is known, (N,). Read-only."""
        known = ~np.isnan(self.values)
        known.setflags(write=False)
        return known

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the verdicts, how they were got and the log, hex."""
        log = None if self.log is None else [self.log.n, self.log.up, self.log.down]
        content = [self.losses, self.follows, log]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()

    def audits(self, budget: int) -> int:
        """a, the labels of a list that check carried verdicts.

        Parameters
        ----------
        budget : int
            M ≥ 1.

        Raises
        ------
        DesignError
            Verdicts have to be audited and there are fewer than ten labels.
        """
        known = int(self.known.sum())
        if self.follows or not known:
            return 0
        if budget < LEAST_BUDGET:
            raise DesignError(
                f"Carried verdicts are audited with at least {LEAST_BUDGET} labels in all. Found a budget of {budget}. "
                "Take more labels, or carry nothing over."
            )
        least, most = math.ceil(budget / 10), budget // 2
        logged = 0 if self.log is None else self.log.n
        audits = min(known, max(least, min(ENOUGH_AUDITS - logged, most)))
        n_open = len(self.losses) - known
        return min(known, budget - n_open) if n_open <= budget - audits else audits

    def shares(self, budget: int) -> tuple[int, int]:
        """Labels of open items and of known ones; with verdicts that follow, fewer than the budget may do."""
        audits = self.audits(budget)
        return min(budget - audits, len(self.losses) - int(self.known.sum())), audits

    def strata(self, scheme: Scheme, profile: Profile) -> Stratification:
        """Strata of the open items, and a last one of all known items."""
        known = self.known
        if known.size != profile.signal.size:
            raise DesignError(
                f"Verdicts are carried over for {known.size} items and the pool has {profile.signal.size}."
            )
        stratum = np.zeros(known.size, dtype=np.int64)
        sizes, consistency, low, high = (np.empty(0, dtype) for dtype in (np.int64, float, float, float))
        if not known.all():
            part = profile.subset(~known)
            cut = scheme.stratify(part)
            stratum[~known] = part.stratum(cut)
            sizes, consistency, low, high = cut.sizes, cut.consistency, cut.low, cut.high
        stratum[known] = sizes.size
        certain = profile.consistency[known]
        mean = float(np.where(np.isnan(certain), 0.5, certain).mean()) if known.any() else 0.5
        counts = np.append(sizes, int(known.sum())).astype(np.int64)
        least, most = np.append(low, math.nan), np.append(high, math.nan)
        return Stratification(stratum, counts, np.append(consistency, mean), least, most, by_item=True)

    def turns(self, scheme: Scheme, strata: Stratification, budget: int) -> NDArray[np.int64]:
        """Stratum of each label in turn, audits spread evenly among the others, (M,).

        Parameters
        ----------
        scheme : Scheme
            By which the open items are drawn.
        strata : Stratification
            Of `strata`.
        budget : int
            M.

        Raises
        ------
        DesignError
            The budget is above the number of items, or leaves too few labels for the open ones.
        """
        opened = without_known(strata)
        n_open, audits = self.shares(budget)
        if budget > strata.n_items:
            raise DesignError(f"The budget of {budget:,} labels is above the number of items, {strata.n_items:,}.")
        if n_open < opened.n_strata:
            raise DesignError(
                f"{counted(n_open, 'label')} for open items cannot cover {opened.n_strata:,} strata. Take more labels, "
                "or fewer strata."
            )
        open_turns = np.empty(0, dtype=np.int64)
        if opened.n_strata:
            open_turns = in_turn(scheme.weights(opened), opened.sizes, scheme.turns(opened), n_open)
        stratum = opened.n_strata
        ranks = np.r_[
            (np.arange(open_turns.size) + 0.5) / max(open_turns.size, 1), (np.arange(audits) + 0.5) / max(audits, 1)
        ]
        return np.asarray(np.r_[open_turns, np.full(audits, stratum)][np.argsort(ranks, kind="stable")])

    def sample(
        self,
        positions: NDArray[np.int64],
        values: NDArray[np.float64],
        stratum: NDArray[np.int64],
        sizes: NDArray[np.int64],
        losses: bool = True,
    ) -> CarriedSample:
        """Labels of a list, as the estimate needs them.

        Parameters
        ----------
        positions : (m,) int
            Places of the labelled items in the pool.
        values : (m,) float
            Their losses, or 1 − loss.
        stratum : (N,) int
            Of every item; known items have the last one.
        sizes : (H,) int
            Items of each stratum, the known ones last.
        losses : bool
            Whether values are losses; otherwise carried verdicts are turned around too.

        Raises
        ------
        DesignError
            A stratum of open items has no label.
        """
        # Here, so that drawing does not wait for SciPy.
        from ..estimation.carried import Audit, CarriedSample
        from ..estimation.mean import sample

        carried = self.values if losses else 1.0 - self.values
        audited = self.known[positions]
        rest = sizes[:-1]
        part = sample(values[~audited], stratum[positions[~audited]], rest) if rest.size else None
        audit = Audit.of(values[audited], carried[positions[audited]])
        log = Audit() if self.log is None else self.log
        log = log if losses else Audit(log.n, log.down, log.up)
        total = float(np.nansum(carried))
        return CarriedSample(part, total, int(sizes[-1]), Audit() if self.follows else audit, log, self.follows)


def without_known(strata: Stratification) -> Stratification:
    """The strata of the open items: all but the last one, of items whose verdict is carried over."""
    p, low, high = (part[:-1] for part in (strata.consistency, strata.low, strata.high))
    return Stratification(strata.of_level, strata.sizes[:-1], p, low, high, by_item=True)
