"""Whether a design spreads its labels too unevenly, known before anything is labelled (docs/method.md, 6.7)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ..allocation.optimum import budget_options
from ..allocation.ways import PROPORTIONAL
from ..stratification.profiles import EQUAL_MASS, Stratification
from ..words import counted, per_cent
from .scheme import Scheme

# Labels of a stratum relative to its share of the pool, below which few labels that agree pass for certainty.
FLOOR = 0.5
# Kish's design effect, the variance relative to an equal-probability sample if all strata were alike, above which the
# error is not safe. Rules that spread labels unevenly without looking at risk are compared with Proportional.
MOST, MOST_BLIND = 1.25, 1.05
_UNEVEN = 1.1
# How large the error, Uniform's = 1, may be if all wrong answers lie in one stratum of this share of the pool or more.
_WORST = ((0.1, 1.8), (0.05, 2.0))
# Offsets that can be proposed, ascending.
_OFFSETS = (0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0)
# Masses √(q(1 − q)) + 1/2 lie between 1/2 and 1: no stratum of equal mass has twice the items of the mean one. Past
# models, each left out, may choose a floor down to 1/8 (`core.design.recommend`).
_SAFE_MASS, _CHOSEN = 0.5, 0.125


@dataclass(frozen=True, slots=True)
class Guard:
    """Why a design is not safe, and a safe one near it.

    Parameters
    ----------
    scheme : Scheme
        The design's scheme.
    budget : int
        Its number of labels, M.
    stratum : int
        The stratum with the fewest labels for its size.
    share : float
        That stratum's share of the pool, W_h.
    labels : int
        That stratum's labels, m_h.
    lowest : float
        m_h/(M W_h) there.
    safe : Scheme
        A safe scheme: the smallest δ of a grid, a floor of 1/2, or Proportional; the same if only more labels help.
    safe_budget : int
        Its number of labels; more than M if no scheme is safe with M.
    """

    scheme: Scheme
    budget: int
    stratum: int
    share: float
    labels: int
    lowest: float
    safe: Scheme
    safe_budget: int

    @property
    def way(self) -> str:
        """The way out, without a full stop."""
        labels = "" if self.safe_budget == self.budget else counted(self.safe_budget, "label")
        if self.safe == self.scheme:
            return f"Take {labels}"
        way = f"Use {PROPORTIONAL.title}"
        if self.safe.offset != self.scheme.offset:
            way = f"Use δ = {self.safe.offset:g}"
        elif self.safe.floor != self.scheme.floor:
            way = f"Use a floor of {self.safe.floor:g}"
        return f"{way} and {labels}" if labels else way

    @property
    def sentence(self) -> str:
        """The warning, with the way out."""
        cause = f"{self.scheme.rule.title} allocation"
        if "offset" in self.scheme.rule.choices:
            cause = f"δ = {self.scheme.offset:g}"
        elif self.safe.floor != self.scheme.floor:
            cause = f"a floor of {self.scheme.floor:g}"
        why = "So few can agree by chance"
        if self.lowest >= FLOOR:
            why = f"Its share would be {self.share * self.budget:,.0f}"
        return (
            f"With {cause}, stratum {self.stratum} is {per_cent(self.share)} of the pool and gets "
            f"{counted(self.labels, 'label')} of {self.budget:,}. {why}, and the error can exceed Uniform’s. "
            f"{self.way}: that is safe here."
        )


def guard(scheme: Scheme, strata: Stratification, budget: int) -> Guard | None:
    """Whether a design's labels are spread too unevenly; None if they are not.

    Parameters
    ----------
    scheme : Scheme
        The scheme. Of one in two waves nothing is said: the strata of the second are not known yet.
    strata : Stratification
        Its H strata.
    budget : int
        M, from H to N.

    Returns
    -------
    Guard or None
        A warning if Kish's design effect M Σ W_h²/m_h exceeds 1.25; if it exceeds 1.1 and a stratum has less than half
        of its share of labels, m_h/(M W_h) < 1/2 (one label too few in a small stratum is none); and, in strata that
        are not of equal mass, if the rule gives a stratum less than 1/1.8 of its share, before rounding (1/2 if it has
        less than a tenth of the pool, none below a twentieth), or if a rule that spreads blindly (Equal, Power) has
        more than 1.05 times the effect of
        Proportional.

    Raises
    ------
    DesignError
        The budget is below H or above N, or the allocation needs the losses.
    """
    if scheme.in_waves or not _unsafe(scheme, strata, budget):
        return None
    labels, share = scheme.allocate(strata, budget), strata.sizes / strata.n_items
    relative = labels / (budget * share)
    stratum = int(np.argmin(relative))
    return Guard(
        scheme,
        budget,
        stratum,
        float(share[stratum]),
        int(labels[stratum]),
        float(relative[stratum]),
        *_way_out(scheme, strata, budget),
    )


def _way_out(scheme: Scheme, strata: Stratification, budget: int) -> tuple[Scheme, int]:
    """The nearest scheme that is safe, with as few more labels as it takes; with all of them each is."""
    if scheme.stratifier == EQUAL_MASS and scheme.floor < _SAFE_MASS:
        return replace(scheme, floor=_SAFE_MASS), budget
    more = [option for option in budget_options(strata.n_strata, strata.n_items) if option > budget]
    return next(
        (nearby, labels)
        for labels in (budget, *more)
        for nearby in _nearby(scheme)
        if not _unsafe(nearby, strata, labels)
    )


def _nearby(scheme: Scheme) -> Iterator[Scheme]:
    """Schemes in the same strata that spread the labels more and more evenly, from the scheme itself on."""
    yield scheme
    if "offset" in scheme.rule.choices:
        yield from (replace(scheme, offset=offset) for offset in _OFFSETS if offset > scheme.offset)
    if scheme.allocation != PROPORTIONAL.name:
        yield replace(scheme, allocation=PROPORTIONAL.name)


def _unsafe(scheme: Scheme, strata: Stratification, budget: int) -> bool:
    # Here, so that drawing does not wait for SciPy.
    from ..estimation.variance import unequal_weighting

    if scheme.stratifier == EQUAL_MASS and scheme.floor >= _CHOSEN:
        return False
    labels = scheme.allocate(strata, budget)
    effect = unequal_weighting(labels, strata.sizes)
    low = (labels / strata.sizes).min() * strata.n_items < FLOOR * budget
    if effect > MOST or (low and effect > _UNEVEN):
        return True
    if scheme.stratifier == EQUAL_MASS:
        return False
    if _thin(scheme, strata):
        return True
    if not scheme.rule.blind:
        return False
    even = replace(scheme, allocation=PROPORTIONAL.name).allocate(strata, budget)
    return bool(effect > MOST_BLIND * unequal_weighting(even, strata.sizes))


def _thin(scheme: Scheme, strata: Stratification) -> bool:
    """Whether the rule gives a stratum so few labels that the error would be large if all wrong answers lay there."""
    share, due = strata.sizes / strata.n_items, scheme.weights(strata)
    error = share * due.sum() / np.where(due > 0, due, np.nan)
    return any(bool((error[share >= least] > worst).any()) for least, worst in _WORST)
