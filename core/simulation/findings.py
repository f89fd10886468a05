"""Findings in sentences: the one above a figure, and a caution if the method does not help.

Every number here comes from the exact formulas; nothing is simulated.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ..allocation.ways import (
    METHODS,
    ORACLE_NEYMAN,
    PROXY_NEYMAN,
    RECOMMENDED,
    UNIFORM,
    WAYS,
    method_allocations,
    method_moments,
)
from ..design.design import Plan
from ..design.scheme import PAPER
from ..pool.pool import Pool
from ..stratification.moments import Moments
from ..stratification.profiles import Profile
from ..words import counted, listed, per_cent
from .exact import labels_for, stratified_mse

# What a stratum is, for somebody who reads the word for the first time.
_ALIKE = " (groups of items that look alike)"
# No sample has another mean, and yet its labels alone do not say so.
SAME_LOSS = (
    "Every item in this pool has the same loss: any sample has the mean of the pool, and choosing the items saves no "
    "labels. An interval is wide all the same, since a sample does not show that the other items are alike."
)
# What Uniform is, beside its error.
_RANDOM = " (a plain random sample)"
_ONE_STRATUM = "1 stratum (all items in one group): each is equally likely to be drawn, which is Uniform."
# Below this share of labels saved a stakeholder would not notice; the sentence then says so.
SMALL_SAVING = 0.03
# Share of items whose generations all differ above which they are taken for raw texts.
_RAW_SHARE = 0.8


@dataclass(frozen=True, slots=True)
class Gain:
    """Exact gain of a method over Uniform at one budget.

    Parameters
    ----------
    budget : int
        M, the number of labels.
    n_items : int
        N, the number of items.
    relative : Mapping[str, float]
        Squared error of each method relative to Uniform's; NaN if Uniform's is 0.
    uniform_needed : int
        Labels with which Uniform is as precise: with fewer its error is larger, and its interval is wider.
    standard_error : float
        Standard error of the method's estimate of the mean loss.
    method : str
        The method: "proxy-neyman", the paper's, "recommended" or "gate".
    offset : float, optional
        δ of "proxy-neyman".
    usual : float, optional
        Its relative error with the paper's δ, if another one makes it worse than Uniform.
    """

    budget: int
    n_items: int
    relative: Mapping[str, float]
    uniform_needed: int
    standard_error: float
    method: str = PROXY_NEYMAN.name
    offset: float | None = None
    usual: float | None = None

    @property
    def saved(self) -> float:
        """Share of Uniform's labels that the method saves at equal precision, in (−∞, 1)."""
        return 1.0 - self.budget / self.uniform_needed

    @property
    def nothing(self) -> str:
        """Why no labels can be saved, whatever they tell; "" if some can."""
        if self.budget == self.n_items:
            return "With every item labelled, every method is exact: there is nothing left to save."
        if math.isnan(self.relative[self.method]):
            return SAME_LOSS
        return "Items are drawn uniformly: no labels are saved." if self.method == UNIFORM.name else ""

    @property
    def better_rules(self) -> list[str]:
        """Other feasible methods that need over 3 % fewer labels for the same error, the best first."""
        # Labels go as the error does, but for the finite-population correction.
        most = self.relative[self.method] * (1 - SMALL_SAVING)
        others = (m for m in self.relative if m != self.method and WAYS[m].feasible)
        return sorted((m for m in others if self.relative[m] < most), key=lambda m: self.relative[m])


def gain(moments: Moments, consistency: ArrayLike, budget: int, offset: float = 0.75, narrow: float = math.inf) -> Gain:
    """The exact error of every method at one budget.

    Parameters
    ----------
    moments : Moments
        Moments of the target's losses in the H strata.
    consistency : (H,) array_like
        p_h, mean self-consistency of each stratum.
    budget : int
        M, from H to N.
    offset : float
        δ of Proxy-Neyman, at least 0.
    narrow : float
        As in `recommended_gain`.

    Raises
    ------
    DesignError
        The budget is below H or above N.
    """

    def error(method: str, delta: float = offset) -> float:
        allocations = method_allocations(moments, consistency, method, [budget], delta)
        return float(stratified_mse(method_moments(moments, method), allocations)[0])

    errors = {method: error(method) for method in METHODS}
    uniform, proxy = errors[UNIFORM.name], errors[PROXY_NEYMAN.name]
    usual = error(PROXY_NEYMAN.name, PAPER.offset) if proxy >= uniform > 0 and offset != PAPER.offset else math.inf
    relative = {method: one / uniform for method, one in errors.items()} if uniform > 0 else {}
    one = recommended_gain(moments, budget, proxy, relative, PROXY_NEYMAN.name, narrow)
    return replace(one, offset=offset, usual=usual / uniform if usual < uniform else None)


def recommended_gain(
    whole: Moments,
    budget: int,
    error: float,
    others: Mapping[str, float],
    method: str = RECOMMENDED.name,
    narrow: float = math.inf,
) -> Gain:
    """Return the exact gain of the recommended design, or of the one for a gate, at one budget.

    Parameters
    ----------
    whole : Moments
        Moments of the target's losses, in any groups.
    budget : int
        M, from 1 to N.
    error : float
        Its mean squared error, of `core.simulation.exact_mse`.
    others : Mapping[str, float]
        Squared errors of other methods relative to Uniform's.
    method : str
        "recommended" or "gate".
    narrow : float
        Labels with which Uniform's interval is as narrow; without them errors alone are compared.
    """
    pool = whole.pooled()
    uniform = float(stratified_mse(pool, np.array([[budget]]))[0])
    relative = {UNIFORM.name: 1.0, **others, method: error / uniform} if uniform > 0 else {method: math.nan}
    needed = min(labels_for(pool, [0.5], UNIFORM.name, error), narrow)
    return Gain(budget, whole.n_items, relative, int(needed), math.sqrt(max(error, 0.0)), method)


def headline(gain: Gain) -> str:
    """The finding above the main figure, one or two sentences."""
    if gain.nothing:
        return gain.nothing
    proxy = gain.relative[gain.method]
    error = f"With {counted(gain.budget, 'label')} the squared error is {per_cent(proxy, 1)} of Uniform’s{_RANDOM}"
    beside = ""
    if gain.method == PROXY_NEYMAN.name:
        beside = (
            f"; the best way to share them among these strata reaches {per_cent(gain.relative[ORACLE_NEYMAN.name], 1)}"
        )
    elif PROXY_NEYMAN.name in gain.relative:
        whose = f"{PROXY_NEYMAN.title} on these strata" if gain.method in METHODS else "the paper’s design"
        beside = f"; that of {whose} is {per_cent(gain.relative[PROXY_NEYMAN.name], 1)}"
    if gain.usual is not None:
        return (
            f"{error}. The cause is δ = {gain.offset:g}: it leaves too few labels where the surrogate agrees with "
            f"itself. With δ = {PAPER.offset:g} the error is {per_cent(gain.usual, 1)}{beside}."
        )
    if proxy >= 1:
        return f"{error}: the method does not help on this pool{beside}."
    if gain.uniform_needed <= gain.budget:
        return f"{error}{beside}. Its interval is no narrower: so few labels of a stratum hardly show its spread."
    saved = per_cent(gain.saved) if gain.saved >= SMALL_SAVING else f"only {per_cent(gain.saved, 1)}"
    needs = f"Uniform would need {counted(gain.uniform_needed, 'label')} for the same precision"
    return f"{error}{beside}. {needs}: {saved} saved."


def comparison(gain: Gain, name: str, other: Gain | None = None, other_name: str = "") -> str:
    """Write the error of a design beside that of another one, in few words.

    Parameters
    ----------
    gain, other : Gain
        At the same budget; `nothing` of neither.
    name, other_name : str
        What the designs are called after “with”.
    """
    error = f"{per_cent(gain.relative[gain.method], 1)} of Uniform’s error with {name}"
    return error if other is None else f"{error}, {per_cent(other.relative[other.method], 1)} with {other_name}"


def promise(gain: Gain, share: bool = True, whose: str = "your model’s", place: str = "") -> str:
    """Write the promise of a gain for somebody who has never heard of squared errors: the title of a pool.

    Parameters
    ----------
    gain : Gain
        At one budget.
    share : bool
        Losses are 0 and 1, so that people read an accuracy.
    whose, place : str
        Whose accuracy it is, and on which benchmark, such as " on MMLU-Pro".
    """
    measure, labels = "accuracy" if share else "mean loss", counted(gain.budget, "label")
    if gain.budget == gain.n_items:
        return f"Know {whose} {measure}{place} exactly"
    if math.isnan(gain.relative[gain.method]):
        return "Every item has the same loss, so choosing the items saves no labels"
    if gain.uniform_needed <= gain.budget:
        return "Choosing the items saves no labels on this pool"
    if gain.saved < SMALL_SAVING:
        return f"Choosing the items saves few labels here: {gain.budget:,} instead of {gain.uniform_needed:,}"
    return f"Know {whose} {measure}{place} from {labels} instead of {gain.uniform_needed:,}"


def saving(gain: Gain, compared: bool = True) -> str:
    """Whether the method helps, from known outcomes, as `core.prospect.Promise.verdict` forecasts it without them.

    Parameters
    ----------
    gain : Gain
        At one budget.
    compared : bool
        Whether to say how many labels Uniform takes, unless that stands above.
    """
    labels = counted(gain.budget, "label")
    if gain.nothing:
        return gain.nothing
    if gain.uniform_needed <= gain.budget:
        needed = counted(gain.uniform_needed, "label")
        return f"Choosing the items this way does not help: the same precision takes {needed} drawn uniformly."
    drawn = f": {labels} instead of {gain.uniform_needed:,} drawn uniformly, for the same precision" if compared else ""
    if gain.saved < SMALL_SAVING:
        return f"Choosing the items this way hardly helps. It saves {per_cent(gain.saved)} of the labels{drawn}."
    return f"Choosing the items this way saves {per_cent(gain.saved)} of the labels{drawn}."


def caveat(gain: Gain) -> str | None:
    """A caution if another method would do with over 3 % fewer labels at this budget; None if none does."""
    better = gain.better_rules
    if not better:
        return None
    paper = {PROXY_NEYMAN.name: "the paper’s rule, "}
    names = listed([f"{WAYS[m].title} ({paper.get(m, '')}{per_cent(gain.relative[m], 1)})" for m in better])
    verb = "beats" if len(better) == 1 else "beat"
    share = per_cent(gain.relative[gain.method], 1)
    name = WAYS[gain.method].within + (", the paper’s rule" if gain.method == PROXY_NEYMAN.name else "")
    cause = "On this pool" if gain.usual is None else f"With δ = {gain.offset:g}"
    return f"{cause}, at this budget, {names} {verb} {name} ({share} of Uniform’s squared error)."


def strata_finding(table: pd.DataFrame, n_requested: int) -> str:
    """Describe the spread of the budget over the strata.

    Parameters
    ----------
    table : DataFrame
        Frame of `core.stratification.profiles.stratum_table`.
    n_requested : int
        H that was requested; equal values of the signal may leave fewer.
    """
    lift = (table["share_of_budget"] / table["share_of_pool"]).to_numpy()
    favoured, spared = int(np.argmax(lift)), int(np.argmin(lift))
    fewer = len(table) < n_requested
    why = f" {n_requested} were requested, but items with equal values stay together." if fewer else ""
    if len(table) == 1:
        return f"{_ONE_STRATUM}{why}"
    most, least = f"{lift[favoured]:.2f}", f"{lift[spared]:.2f}"
    sentence = f"{len(table):,} strata{_ALIKE}.{why}"
    if most == least:
        sentence += " All are sampled equally densely."
    else:
        sentence += (
            f" Stratum {favoured} is sampled {most} times as densely as the whole pool, stratum {spared} {least} times."
        )
    if "sd" in table and table["sd"].max() > 0:
        true, proxy = table["sd"].to_numpy(), table["proxy"].to_numpy()
        sentence += f" The losses’ true standard deviation runs from {true.min():.2f} to {true.max():.2f}"
        sentence += f", the one assumed, with its offset δ, from {proxy.min():.2f} to {proxy.max():.2f}."
    return sentence


def fine_finding(table: pd.DataFrame, signal: str) -> str:
    """Describe the shares of fine strata in the pool and the budget.

    Parameters
    ----------
    table : DataFrame
        Frame of `core.stratification.stratum_table`.
    signal : str
        What the items are sorted by, in words.
    """
    if len(table) == 1:
        return _ONE_STRATUM
    sizes, labels = (_from_to(table[column]) for column in ("items", "labels"))
    each = f"{sizes} {_noun(sizes, 'item')} and {labels} {_noun(labels, 'label')}"
    return f"{len(table):,} strata{_ALIKE}. They are sorted by {signal}; each has {each}."


def _noun(number: str, noun: str) -> str:
    return noun if number == "1" else f"{noun}s"


def request_finding(plan: Plan) -> str:
    """Write the number of items of a label list, and the probabilities with which they are drawn."""
    n, strata, chances = int(plan.ids.size), plan.strata.n_strata, plan.inclusion_probabilities
    if n == plan.strata.n_items:
        return f"All {n:,} items to label." if n > 1 else "The pool’s only item to label."
    items = f"{n:,} of {plan.strata.n_items:,} items to label"
    if plan.earlier is not None:
        # Stratum 0 is what the first wave labelled.
        before, strata, chances = int(plan.strata.sizes[0]), strata - 1, chances[1:]
        items = f"{n - before:,} of the other {plan.strata.n_items - before:,} items to label now"
    least, most = (per_cent(p, 1) for p in (chances.min(), chances.max()))
    if plan.earlier is None and n == 1:
        return f"{items}. Its chance of being drawn is {least if least == most else f'{least} to {most}'}."
    source = "They" if strata == 1 else f"They come from {strata:,} strata{_ALIKE} and"
    if least == most:
        return f"{items}. {source} all have the same chance of being drawn, {least}."
    return f"{items}. {source} have a chance of {least} to {most} of being drawn."


def pool_finding(pool: Pool, profile: Profile | None, why: str = "") -> str:
    """Write the share of items on which the surrogate agrees with itself, or what else is known of them.

    Parameters
    ----------
    pool : Pool
        The pool.
    profile : Profile or None
        Its profile; None without generations.
    why : str
        What a design without generations rests on, a sentence; "" if that is not known.
    """
    size = counted(pool.n_items, "item")
    if profile is None and why:
        return f"{size}, without answers of a second, cheap model. {why}"
    if profile is None:
        return (
            f"{size}, without answers of a second, cheap model. Such a model (the surrogate) shows by its disagreement "
            "which items are hard."
        )
    if pool.n_generations == 1:
        return (
            f"{size}, with one answer of the surrogate (a second, cheap model). One answer cannot disagree with "
            "itself, so its semantic entropy (how much answers disagree) is 0 and all items are one group (stratum)."
        )
    agreed = f"All answers of the surrogate (a second, cheap model) agree on {per_cent(profile.agreeing)} of the items"
    if profile.agreeing == 1:
        return f"{agreed}. Their semantic entropy (how much answers disagree) is 0: all items are one group (stratum)."
    return f"{agreed}. The semantic entropy (how much answers disagree) of these items is 0."


def looks_raw(signal: ArrayLike, n_generations: int) -> bool:
    """Whether every generation is a separate class on most items, as with texts that were never parsed.

    Parameters
    ----------
    signal : (N,) array_like
        Semantic entropy in nats; NaN if it is not known.
    n_generations : int
        k, the number of generations of an item.
    """
    known = _finite(signal)
    if n_generations < 2 or known.size == 0:
        return False
    return bool(np.mean(known >= math.log(n_generations) - 1e-9) > _RAW_SHARE)


def signal_finding(signal: ArrayLike) -> str:
    """Where the signal lies, for a title: the share at 0 and the median of the others.

    Parameters
    ----------
    signal : (N,) array_like
        Semantic entropy in nats; NaN if it is not known.
    """
    known = _finite(signal)
    above = known[known > 0]
    if above.size == 0:
        return "0 everywhere."
    items = "items" if known.size == np.size(signal) else "items with generations"
    at_zero = per_cent(1 - above.size / known.size)
    return f"0 on {at_zero} of the {items}. The others have a median of {np.median(above):.2f} nats."


def consistency_finding(consistency: ArrayLike) -> str:
    """Write the mean self-consistency of the surrogate, for a title.

    Parameters
    ----------
    consistency : (N,) array_like
        Self-consistency in [0, 1]; NaN if it is not known.
    """
    known = _finite(consistency)
    if known.size == 0:
        return "unknown, no item has generations"
    return f"on average {per_cent(float(known.mean()))} of the answers to an item are the same"


def _finite(values: ArrayLike) -> NDArray[np.float64]:
    """Values that are known."""
    given = np.asarray(values, dtype=np.float64)
    return np.asarray(given[np.isfinite(given)])


def _from_to(counts: pd.Series[int]) -> str:
    low, high = int(counts.min()), int(counts.max())
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
