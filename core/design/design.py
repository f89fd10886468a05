"""Designs and the samples that they draw.

Draws use permanent random numbers: each item of the pool gets one fixed random number from the design's seed, and a
stratum's sample is its m_h smallest. A larger budget therefore only adds items. The list is in the order in which the
greedy algorithm gives the labels to the strata, so the first M' items are exactly the sample of the budget M'
(Ohlsson 1995 for permanent random numbers; docs/method.md, 5.5, for the order).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ..allocation.ways import RULES
from ..errors import DesignError
from ..pool.digest import ItemIds, StoredIds, among
from ..pool.outcomes import in_unit
from ..pool.pool import Pool
from ..signals.entries import SIGNALS
from ..stratification.equal_mass import bands
from ..stratification.profiles import Profile, Stratification
from ..words import counted, listed, notebook
from ..words.scale import grade_span
from . import known_verdicts
from .judging import Judging
from .known_verdicts import Carried, without_known
from .losses import drawn_losses, pool_losses
from .plan_ids import plan_id, strata_digest
from .sampling import in_turn, permanent_random_numbers, sampled_positions, some_seed
from .scheme import (
    PAPER,
    Scheme,
    check_follows_weights,
    pool_profile,
    probabilities,
    weighted_as,
    weights_of_items,
    whole,
)
from .two_waves import LEAST_BUDGET, first_strata, joined, second_strata, wave_budget, wave_turns, wave_weights

if TYPE_CHECKING:
    from ..estimation.carried import CarriedSample
    from ..estimation.mean import Estimate, Sample
    from ..estimation.waves import Waves
    from ..estimation.weighting import WeightedStrata
    from ..figures.plot import Plot

# What can be drawn before any outcome is known.
ALLOCATIONS = tuple(rule.name for rule in reversed(RULES.entries) if rule.feasible)
# Parts of a list with carried verdicts.
OPEN, AUDIT = "open", "audit"


@dataclass(frozen=True, slots=True, repr=False, init=False)
class Design:
    """A budget and how it is spent. Equal designs with a seed draw the same sample of the same pool.

    Parameters
    ----------
    budget : int
        M ≥ 1, the number of labels.
    scheme : Scheme
        How the pool is stratified and the budget shared; by default the paper's.
    seed : int or None
        At least 0. With None, each draw picks a random seed, and the plan records it.
    risk : (N,) float or None
        Predicted probability p̂ that the target fails each item, in [0, 1], for the signal "risk"; without it the draw
        predicts it (`core.signals.risk_model`). Kept as a tuple, so that the plan's manifest holds it.
    why : str
        One sentence: why `core.design.recommend` chose this design.
    carried : Carried or None
        Verdicts that are taken over from equal answers: strata are those of the other items alone, and some labels
        audit the verdicts (`core.design.known_verdicts`).
    weights : (N,) float or None
        Weights of the items, above 0; those of the pool by default (`Pool.weighted`). Estimates then count each item by
        its weight. Kept as a tuple, in the plan's manifest; None if all items count the same.
    judging : Judging or None
        An automatic judge that the list checks: strata keep its fail and pass verdicts apart, and it decides how labels
        are shared (`core.judge.judge` draws such a list).
    **choices
        Parameters of `Scheme` that differ from those of ``scheme``: ``Design(100, n_strata=4)``.

    Raises
    ------
    DesignError
        A parameter is out of its range, a choice is none of a scheme's, or the allocation is "oracle-neyman", which
        needs the losses.
    """

    budget: int
    scheme: Scheme = PAPER
    seed: int | None = None
    risk: tuple[float, ...] | None = None
    why: str = field(default="", compare=False)
    carried: Carried | None = None
    judging: Judging | None = None
    weights: tuple[float, ...] | None = None

    def __init__(
        self,
        budget: int,
        scheme: Scheme = PAPER,
        seed: int | None = None,
        risk: tuple[float, ...] | None = None,
        why: str = "",
        carried: Carried | None = None,
        judging: Judging | None = None,
        weights: tuple[float, ...] | None = None,
        **choices: Any,
    ) -> None:
        if not isinstance(scheme, Scheme):
            raise DesignError(f"The scheme is {scheme!r}: give a Scheme, for instance Scheme(n_strata=3).")
        given = {"budget": budget, "scheme": _chosen(scheme, choices), "seed": seed, "risk": risk, "why": why}
        given |= {"carried": carried, "judging": judging, "weights": weights}
        for name, value in given.items():
            object.__setattr__(self, name, value)
        self._check()

    def _check(self) -> None:
        """Refuse what is out of its range, and normalise numbers."""
        if not self.scheme.rule.feasible:
            raise DesignError(
                f"The allocation “{self.scheme.allocation}” needs the losses that you are about to label: choose one "
                f"of {', '.join(ALLOCATIONS)}."
            )
        # Equal plans must have equal plan ids, whether a number came as 1 or as a NumPy scalar.
        object.__setattr__(self, "budget", whole("budget", self.budget, 1))
        if self.scheme.in_waves and self.budget < LEAST_BUDGET:
            raise DesignError(f"Two waves need at least {LEAST_BUDGET} labels. Found a budget of {self.budget}.")
        if self.carried is not None and self.scheme.in_waves:
            raise DesignError("Verdicts are carried over in one wave. Choose Scheme(waves=1).")
        if self.seed is not None:
            object.__setattr__(self, "seed", whole("seed", self.seed, 0))
        if self.risk is not None:
            object.__setattr__(self, "risk", probabilities(self.risk))
        if self.weights is not None:
            object.__setattr__(self, "weights", weights_of_items(self.weights))
        self._check_weights()
        if self.risk is not None and not self.scheme.along.kept:
            kept = listed([f"“{one.name}”" for one in SIGNALS.entries if one.kept])
            raise DesignError(
                f"A predicted risk is given, but the scheme's signal is “{self.scheme.signal}”: choose {kept}."
            )

    def _check_weights(self) -> None:
        # The strata of a judge's verdicts are cut in bands of like weight (`core.judge.judge`).
        if self.weights is None or self.judging is not None:
            return
        check_follows_weights(self.scheme, "Two waves do" if self.scheme.in_waves else "This design does")
        if self.carried is not None:
            raise DesignError("Verdicts that are carried over do not follow weights of items. Carry nothing over.")

    def __repr__(self) -> str:
        words = [str(self.budget)]
        words += [repr(self.scheme)] if self.scheme != PAPER else []
        words += [f"seed={self.seed}"] if self.seed is not None else []
        words += ["risk=…"] if self.risk is not None else []
        words += ["weights=…"] if self.weights is not None else []
        words += [f"carried={self.carried!r}"] if self.carried is not None else []
        words += [f"judge={self.judging.judge!r}"] if self.judging is not None else []
        return f"Design({', '.join(words)})"

    def draw(self, pool: Pool, seed: int | None = None, *, profile: Profile | None = None) -> Plan:
        """Draw the items to label from a pool: those of the first wave if the scheme has two.

        Parameters
        ----------
        pool : Pool
            A pool with generations.
        seed : int, optional
            Wins over the design's own; without either, a random one is taken. The plan's design records it.
        profile : Profile, optional
            Of the pool under the scheme's parser, if it is known already.

        Raises
        ------
        DesignError
            The budget is below the number of strata or above the number of items, the seed is negative, or ``pool`` is
            not a `Pool`.
        PoolError
            The pool has no generations.
        """
        if not isinstance(pool, Pool):
            raise DesignError(f"A design draws from a pool, such as core.readers.read gives. Found {pool!r:.40}.")
        known = pool_profile(pool, self.scheme, self.risk) if profile is None else profile
        return replace(self.plan(pool.items_digest, pool.ids, known, seed), pool=pool)

    def plan(self, items_digest: str, ids: ItemIds, profile: Profile, seed: int | None = None) -> Plan:
        """Draw the items to label from a profile alone.

        Parameters
        ----------
        items_digest : str
            `Pool.items_digest` of the pool.
        ids : (N,) str
            Item ids in the pool's order.
        profile : Profile
            Of the N items.
        seed : int, optional
            As in `draw`.

        Raises
        ------
        DesignError
            As in `draw`, or the profile describes another number of items.
        """
        if profile.signal.size != len(ids):
            raise DesignError(
                f"The profile describes {profile.signal.size} items and the pool has {len(ids)}. Profile this pool."
            )
        if self.weights is None and profile.weight is not None:
            return replace(self, weights=weights_of_items(profile.weight)).plan(items_digest, ids, profile, seed)
        if self.weights is not None and (profile.weight is None or not np.array_equal(profile.weight, self.weights)):
            return self.plan(items_digest, ids, weighted_as(profile, self.weights), seed)
        if self.judging is not None:
            raise DesignError(
                "A list that checks a judge is drawn from its verdicts. Call neyman.judge(pool, column, M)."
            )
        if self.carried is not None:
            strata = self.carried.strata(self.scheme, profile)
        elif self.scheme.in_waves:
            if self.budget > len(ids):
                raise DesignError(f"The budget of {self.budget:,} labels is above the number of items, {len(ids):,}.")
            strata = first_strata(profile, self.scheme.n_strata, self.budget)
        else:
            strata = self.scheme.stratify(profile)
        return drawn(self, items_digest, ids, strata, profile.stratum(strata), seed)

    def turns(
        self, strata: Stratification, second: bool = False, stratum: NDArray[np.int64] | None = None
    ) -> NDArray[np.int64]:
        """Share the budget among strata: the stratum of each label in turn, (M,).

        Every beginning is that of a smaller budget, so the list may be cut anywhere.

        Parameters
        ----------
        strata : Stratification
            Of all items.
        second : bool
            Whether they are those of a second wave.
        stratum : (N,) int, optional
            Stratum of every item, of a list that checks a judge on items with weights.

        Raises
        ------
        DesignError
            The budget is below the number of strata, above the number of items, or below what the first wave has taken.
        """
        if self.carried is not None:
            return self.carried.turns(self.scheme, strata, self.budget)
        if self.judging is not None:
            mass = None
            if self.weights is not None and stratum is not None:
                mass = np.bincount(stratum, weights=self.weights).astype(np.float64)
            return self.judging.turns(strata.sizes, self.budget, mass)
        turn = wave_turns(self.scheme, strata, second)
        budget = wave_budget(self.scheme, strata, second, self.budget)
        return in_turn(wave_weights(self.scheme, strata, second), strata.sizes, turn, budget)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Plan:
    """A drawn sample: which items to label, in which order, and with which probability each was drawn.

    Parameters
    ----------
    plan_id : str
        “p” and twelve hex digits that name the plan.
    design : Design
        Its seed is the one that was used.
    items_digest : str
        `Pool.items_digest` of the pool.
    strata : Stratification
        The H strata.
    stratum : (N,) int
        Stratum of every item of the pool.
    allocation : (H,) int
        m_h, the labels of each stratum.
    positions : (M,) int
        Places of the sampled items in the pool, in labelling order.
    ids : (M,) str
        Their ids.
    pool_ids : (N,) str
        Ids of all items in the pool's order.
    pool : Pool or None
        The pool; None if the plan was drawn from a profile alone.
    document : dict or None
        The manifest that the plan was reproduced from, None for one that was drawn afresh.
    earlier : Plan or None
        The plan of the first wave, if this is the second. Stratum 0 then holds all items labelled in the first wave,
        and ``positions`` starts with them. The design's budget covers both waves.
    """

    plan_id: str
    design: Design
    items_digest: str
    strata: Stratification
    stratum: NDArray[np.int64]
    allocation: NDArray[np.int64]
    positions: NDArray[np.int64]
    ids: NDArray[np.object_]
    pool_ids: ItemIds
    pool: Pool | None = None
    document: Mapping[str, object] | None = None
    earlier: Plan | None = None

    def __repr__(self) -> str:
        judging = self.design.judging
        table = pd.DataFrame(
            {
                "stratum": np.arange(self.strata.n_strata),
                "N_h": self.strata.sizes,
                **({"p_h": self.strata.consistency} if judging is None else {"verdict": self.verdicts}),
                "m_h": self.allocation,
                "π_h": [f"{probability:.3g}" for probability in self.inclusion_probabilities],
            }
        )
        text = table.to_string(index=False, float_format="{:.3f}".format, max_rows=20)
        return f"{self._title}, {self.design!r}\n{text}"

    def _repr_html_(self) -> str:
        table = self.summary_frame()[["stratum", "items", "consistency", "labels", "inclusion_probability"]]
        if self.design.judging is not None:
            table = table.drop(columns="consistency").assign(verdict=self.verdicts)
        names = {"inclusion_probability": "chance of being drawn"}
        return notebook.table(self._title, table.rename(columns=names), [repr(self.design)])

    @property
    def _title(self) -> str:
        return f"Plan {self.plan_id}: {self.ids.size:,} of {self.strata.n_items:,} items"

    def plot(self) -> Plot:
        """Draw each stratum's share of the pool and of the labels."""
        # Here, so that drawing a sample does not wait for figures.
        from ..figures.plot import Plot
        from ..figures.strata import shares

        table = self.summary_frame()
        table["share_of_pool"] = table["items"] / table["items"].sum()
        return Plot(shares(table), "Share of pool and of labels in each stratum", (self._title,))

    @property
    def items(self) -> pd.DataFrame:
        """The sampled items in labelling order: item_id, stratum, probability (π_i, of being drawn).

        With carried verdicts also ``part``: "open", or "audit" of an item whose verdict is carried over.
        """
        stratum = self.stratum[self.positions]
        table = pd.DataFrame(
            {"item_id": self.ids, "stratum": stratum, "probability": self.inclusion_probabilities[stratum]}
        )
        carried = self.design.carried
        return table if carried is None else table.assign(part=np.where(carried.known[self.positions], AUDIT, OPEN))

    @property
    def inclusion_probabilities(self) -> NDArray[np.float64]:
        """π_h = m_h/N_h of each stratum, (H,); of a second wave, given the first."""
        return self.allocation / self.strata.sizes

    @property
    def shares(self) -> NDArray[np.float64]:
        """Share of each stratum in the pool, (H,): of its items, or of their weights."""
        if self.design.weights is None:
            return self.strata.sizes / self.strata.n_items
        weights = np.bincount(self.stratum, weights=self.design.weights)
        return np.asarray(weights / weights.sum())

    @property
    def seed(self) -> int:
        """The seed that was used."""
        assert self.design.seed is not None
        return self.design.seed

    @property
    def weights(self) -> NDArray[np.float64]:
        """Allocation weights of the strata, (H,); with carried verdicts those of the open items' strata."""
        if self.design.judging is not None:
            return self.allocation.astype(np.float64)
        strata = self.strata if self.design.carried is None else without_known(self.strata)
        return wave_weights(self.design.scheme, strata, self.earlier is not None)

    @property
    def turns(self) -> NDArray[np.int64]:
        """Order in which strata of equal weight get their labels, (H,)."""
        return wave_turns(self.design.scheme, self.strata, self.earlier is not None)

    @property
    def verdicts(self) -> list[str]:
        """Return the judge's verdict on each stratum, (H,); [] of a list that checks no judge.

        It is "fail" or "pass", or the grades, such as "4" or "1 to 2".
        """
        judging, strata = self.design.judging, self.strata
        if judging is not None and judging.scale is not None:
            return [grade_span(*ends) for ends in zip(strata.low.tolist(), strata.high.tolist(), strict=True)]
        return [] if judging is None else judging.verdicts(strata.n_strata)

    @property
    def waits(self) -> bool:
        """Whether a second wave follows, drawn from this one's labels (`next_wave`)."""
        return self.design.scheme.in_waves and self.earlier is None

    @property
    def least_budget(self) -> int:
        """Fewest labels that `with_budget` allows."""
        if self.earlier is not None:
            return int(self.strata.sizes[0]) + self.strata.n_strata - 1
        if self.design.carried is not None:
            least = self.strata.n_strata - 1
            return least if self.design.carried.follows else max(known_verdicts.LEAST_BUDGET, 2 * least)
        if self.design.judging is not None:
            mass = None if self.design.weights is None else self.shares
            return self.design.judging.least_budget(self.strata.sizes, mass)
        return max(LEAST_BUDGET, 4 * self.strata.n_strata) if self.waits else self.strata.n_strata

    @property
    def numbers(self) -> NDArray[np.uint64]:
        """The items' permanent random numbers, (N,): in each stratum the items with the smallest are drawn."""
        return permanent_random_numbers(self.seed, self.stratum.size, 1 if self.earlier is None else 2)

    @property
    def swapped(self) -> NDArray[np.bool_]:
        """Whether the second of two targets that are compared is shown first, (N,): by chance, from the seed alone."""
        return np.asarray(permanent_random_numbers(self.seed, self.stratum.size, 3) >> np.uint64(63) == 1)

    @property
    def sample_digest(self) -> str:
        """SHA-256 of the sampled ids in labelling order, hex."""
        return hashlib.sha256(json.dumps(self.ids.tolist()).encode()).hexdigest()

    @property
    def strata_digest(self) -> str:
        """SHA-256 of the stratum of every item, hex."""
        return strata_digest(self.stratum)

    def summary_frame(self) -> pd.DataFrame:
        """One row a stratum: stratum, se_low, se_high, items, consistency, labels, inclusion_probability."""
        return pd.DataFrame(
            {
                "stratum": np.arange(self.strata.n_strata),
                "se_low": self.strata.low,
                "se_high": self.strata.high,
                "items": self.strata.sizes,
                "consistency": self.strata.consistency,
                "labels": self.allocation,
                "inclusion_probability": self.inclusion_probabilities,
            }
        )

    def with_budget(self, budget: int) -> Plan:
        """The plan of the same strata and seed with another budget; the smaller list is the head of the larger."""
        design = replace(self.design, budget=budget)
        plan = drawn(design, self.items_digest, self.pool_ids, self.strata, self.stratum, earlier=self.earlier)
        return replace(plan, pool=self.pool)

    def next_wave(
        self,
        losses: Mapping[str, float] | pd.Series | ArrayLike,
        *,
        replacements: Collection[str] = (),
        profile: Profile | None = None,
    ) -> Plan:
        """Draw the second wave, which goes where the labels of the first say that it is uncertain.

        Parameters
        ----------
        losses : Series or mapping of item id → loss, or (N,) float over the pool
            As in `estimate`, of this plan’s items. One without a label, or with a loss of NaN, may be drawn again.
        replacements : collection of str
            Ids of items with a loss that were labelled in place of items of this plan that get no label
            (`core.labels.replacements`): they count as labelled in the first wave.
        profile : Profile, optional
            Of the pool under the scheme's parser, if it is known already; needed if the plan has no pool.

        Returns
        -------
        Plan
            Over the whole pool, of the design's M labels. Its list begins with the items labelled in this one.

        Raises
        ------
        DesignError
            The design has one wave, this plan is the second, a stratum or a replacement has no label, or as
            `pool_losses`.
        """
        if not self.waits:
            which = "This is the second wave already" if self.earlier is not None else "This design has one wave"
            raise DesignError(f"{which}. Draw a design with Scheme(waves=2) and label its first wave.")
        loss = pool_losses(losses, self.pool_ids)
        also = np.flatnonzero(among(self.pool_ids, replacements) & ~np.isnan(loss))
        if also.size < len(set(replacements)):
            raise DesignError("A replacement is not in the pool or has no loss. Give the losses of the replacements.")
        places = np.r_[self.positions[~np.isnan(loss[self.positions])], np.setdiff1d(also, self.positions)]
        waiting = self.strata.n_strata - np.unique(self.stratum[places]).size
        if waiting:
            raise DesignError(
                f"{counted(waiting, 'stratum', 'strata')} of the first wave {'has' if waiting == 1 else 'have'} no "
                "label. Label at least one item of every stratum before you draw the second wave."
            )
        if profile is None and self.pool is None:
            raise DesignError("This plan was drawn from a profile alone. Give the profile of its pool.")
        if profile is None:
            assert self.pool is not None
            profile = pool_profile(self.pool, self.design.scheme, self.design.risk)
        scheme, more = self.design.scheme, self.design.budget - places.size
        strata = second_strata(profile, places, loss[places], more, scheme.n_strata, scheme.floor)
        plan = drawn(self.design, self.items_digest, self.pool_ids, strata, strata.of_level, earlier=self)
        return replace(plan, pool=self.pool)

    def in_waves(
        self,
        positions: NDArray[np.int64],
        losses: NDArray[np.float64],
        bounded: bool = True,
        given_up: ArrayLike = (),
    ) -> Waves:
        """Labels of a second wave's plan as waves, weighted w and 1 − w with w = M₁/M.

        M is the plan's budget, so that the weights follow a top-up; below the design's, w stays as it was drawn.

        Parameters
        ----------
        positions : (m,) int
            Places in the pool of labelled items, at least one in each stratum of either wave. Items that the first wave
            labelled may be missing: the others then stand for them.
        losses : (m,) float
            Their losses.
        bounded : bool
            Whether losses lie in [0, 1].
        given_up : (g,) int
            Those of ``positions`` that the first wave drew and that got no label, with the losses to assume.

        Raises
        ------
        DesignError
            A stratum of either wave has no label.
        """
        first, stratum = self.earlier, self.stratum.copy()
        assert first is not None
        stratum[np.asarray(given_up, dtype=np.int64)] = 0
        share = first.positions.size / max(self.design.budget, first.design.budget)
        strata = (first.stratum, first.strata.sizes), (stratum, np.bincount(stratum, minlength=self.strata.n_strata))
        return joined(*strata, positions, losses, share, bounded)

    def with_carried(
        self, positions: NDArray[np.int64], values: NDArray[np.float64], losses: bool = True
    ) -> CarriedSample:
        """Labels of a plan with carried verdicts, as the estimate needs them.

        Parameters
        ----------
        positions : (m,) int
            Places in the pool of labelled items, at least one in each stratum of open items.
        values : (m,) float
            Their losses in [0, 1], or 1 − loss.
        losses : bool
            Whether values are losses.

        Raises
        ------
        DesignError
            A stratum of open items has no label.
        """
        assert self.design.carried is not None
        return self.design.carried.sample(positions, values, self.stratum, self.strata.sizes, losses)

    def sample(
        self,
        positions: NDArray[np.int64],
        losses: NDArray[np.float64],
        bounded: bool = True,
        values: bool = False,
        joined: NDArray[np.int64] | None = None,
    ) -> Sample:
        """Stratified sample of labelled items; items count by the weights of the design.

        Parameters
        ----------
        positions : (m,) int
            Their places in the pool, at least one in each stratum.
        losses : (m,) float
            Their losses.
        bounded : bool
            Whether losses lie in [0, 1].
        values : bool
            Whether they are values, 1 − loss.
        joined : (H,) int, optional
            The stratum that each becomes, if some are joined.

        Raises
        ------
        DesignError
            A stratum has no label.
        """
        # Here, so that drawing does not wait for SciPy.
        from ..estimation.mean import sample

        stratum = self.stratum if joined is None else joined[self.stratum]
        if self.design.weights is not None:
            return self.weighted_strata(stratum).sample(losses, positions, bounded, centre=float(values))
        sizes = self.strata.sizes if joined is None else np.bincount(joined, weights=self.strata.sizes).astype(np.int64)
        return sample(losses, stratum[positions], sizes, bounded)

    def weighted_strata(self, stratum: NDArray[np.int64] | None = None) -> WeightedStrata:
        """Strata with the weights of the items; of each item the plan's by default."""
        from ..estimation.weighting import WeightedStrata

        assert self.design.weights is not None
        weights = np.asarray(self.design.weights)
        # Strata of a judge's verdicts or grades have one order of risk.
        n_bands = self.design.scheme.n_strata if self.design.judging is None else 1
        band = bands(weights, n_bands)
        return WeightedStrata.of(weights, self.stratum if stratum is None else stratum, band)

    def estimate(self, losses: Mapping[str, float] | pd.Series | ArrayLike, confidence: float = 0.95) -> Estimate:
        """Estimate the mean loss of the pool from the labels of the plan.

        Parameters
        ----------
        losses : Series or mapping of item id → loss, or (N,) float over the pool
            Losses of the labelled items: 0 = right, 1 = wrong, or any number. An item that a Series or mapping lacks
            is not labelled yet: the estimate is then of a smaller sample. A loss of NaN is an error.
            Losses of items outside the plan count for one thing alone: limits are those of losses in [0, 1] if all
            losses given lie there.
        confidence : float
            In (0, 1).

        Raises
        ------
        DesignError
            A drawn item has a loss of NaN, a stratum has no label, or as `pool_losses`.

        Notes
        -----
        The estimate of a second wave's plan is that of both waves, w R̂₁ + (1 − w) R̂₂ (docs/method.md, 6.5).
        """
        loss = drawn_losses(losses, self.pool_ids, self.positions)
        labelled = self.positions[~np.isnan(loss[self.positions])]
        # Here, so that drawing does not wait for SciPy.
        from ..estimation.intervals import Interval

        interval = Interval(confidence=confidence, bounded=in_unit(loss))
        if self.design.carried is not None:
            return self.with_carried(labelled, loss[labelled]).estimate(interval)
        labels = self.sample(labelled, loss[labelled], interval.bounded)
        if self.earlier is None:
            return labels.estimate(interval)
        return labels.warned(self.in_waves(labelled, loss[labelled], interval.bounded).estimate(interval), interval)


def _chosen(scheme: Scheme, choices: Mapping[str, Any]) -> Scheme:
    """A scheme with some of its parameters changed."""
    names = [one.name for one in fields(Scheme)]
    for name in choices:
        if name not in names:
            raise DesignError(f"A design has no choice “{name}”. Choose among {listed(names)}.")
    return replace(scheme, **choices) if choices else scheme


def drawn(
    design: Design,
    items_digest: str,
    ids: ItemIds,
    strata: Stratification,
    stratum: NDArray[np.int64],
    seed: int | None = None,
    earlier: Plan | None = None,
) -> Plan:
    """Draw a design's sample from strata.

    Parameters
    ----------
    design : Design
        The design; its seed is resolved here.
    items_digest : str
        `Pool.items_digest` of the pool.
    ids : (N,) str
        Item ids in the pool's order.
    strata : Stratification
        The strata.
    stratum : (N,) int
        Stratum of every item.
    seed : int, optional
        As in `Design.draw`.
    earlier : Plan, optional
        The plan of the first wave, if the strata are those of the second.

    Raises
    ------
    DesignError
        The budget is below the number of strata, above the number of items, or below what the first wave has taken.
    """
    used = next((s for s in (seed, design.seed) if s is not None), None)
    number = some_seed() if used is None else used
    resolved = replace(design, seed=number)
    order = resolved.turns(strata, earlier is not None, stratum)
    labels = np.bincount(order, minlength=strata.n_strata)
    wave = 1 if earlier is None else 2
    positions = sampled_positions(stratum, order, labels, permanent_random_numbers(number, stratum.size, wave))
    if earlier is not None:
        before = stratum[positions] == 0
        # What the first wave labelled in the order of its list, then what took the place of others.
        listed = earlier.positions[stratum[earlier.positions] == 0]
        instead = np.setdiff1d(np.flatnonzero(stratum == 0), listed)
        positions = np.r_[listed, instead, positions[~before]]
    everything = ids if isinstance(ids, StoredIds) else np.asarray(ids, dtype=object)
    name = plan_id(items_digest, strata_digest(stratum), resolved, None if earlier is None else earlier.plan_id)
    chosen = everything[positions]
    return Plan(name, resolved, items_digest, strata, stratum, labels, positions, chosen, everything, earlier=earlier)
