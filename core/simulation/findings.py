"""What the figures say, in sentences: the finding above a figure, and the plain word where the method does not help.

All numbers here come from the exact formulas; nothing is simulated.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from core.allocation.methods import METHODS, method_allocations, method_moments
from core.design.design import Plan
from core.simulation.exact import labels_for, stratified_mse
from core.stratification.moments import Moments

LABELS = {
    "uniform": "Uniform",
    "equal": "Equal",
    "proportional": "Proportional",
    "power": "Power",
    "proxy-neyman": "Proxy-Neyman",
    "oracle-neyman": "Oracle-Neyman",
}
# Below this share of labels saved a stakeholder would not notice; the sentence then says so.
_SMALL_SAVING = 0.03
# A difference of relative error that the figure cannot show and nobody could act on.
_NEGLIGIBLE = 0.0005
# Share of items whose generations all differ above which they are taken for raw texts.
_RAW_SHARE = 0.8


@dataclass(frozen=True, slots=True)
class Comparison:
    """All methods at one budget, exact.

    ``relative``: method → squared error relative to Uniform’s (NaN where Uniform’s is 0); ``uniform_needed``: labels
    Uniform needs for Proxy-Neyman's error; ``standard_error``: of Proxy-Neyman's estimate; ``mean_loss``: of the
    pool, the number estimated.
    """

    budget: int
    n_items: int
    relative: Mapping[str, float]
    uniform_needed: int
    standard_error: float
    mean_loss: float

    @property
    def saved(self) -> float:
        """Share of Uniform’s labels that Proxy-Neyman saves at equal error, in (−∞, 1)."""
        return 1.0 - self.budget / self.uniform_needed

    @property
    def better_rules(self) -> list[str]:
        """Simpler feasible rules with a smaller error than Proxy-Neyman, the best first."""
        proxy = self.relative["proxy-neyman"]
        simpler = [m for m in ("proportional", "equal", "power", "uniform") if self.relative[m] < proxy - _NEGLIGIBLE]
        return sorted(simpler, key=lambda m: self.relative[m])


def compare(found: Moments, consistency: ArrayLike, budget: int, offset: float = 0.75) -> Comparison:
    """All methods at one budget.

    Parameters
    ----------
    found : moments of the target's losses in the strata. consistency : (H,) p_h. budget : H ≤ M ≤ N. offset : δ.

    Raises
    ------
    DesignError : a budget below H or above N.
    """
    errors = {
        m: float(
            stratified_mse(method_moments(found, m), method_allocations(found, consistency, m, [budget], offset))[0]
        )
        for m in METHODS
    }
    uniform, proxy = errors["uniform"], errors["proxy-neyman"]
    return Comparison(
        budget,
        found.n_items,
        {m: e / uniform if uniform > 0 else math.nan for m, e in errors.items()},
        labels_for(found, consistency, "uniform", proxy),
        math.sqrt(max(proxy, 0.0)),
        found.mean,
    )


def headline(found: Comparison) -> str:
    """The finding above the main figure, one or two sentences."""
    proxy = found.relative["proxy-neyman"]
    if found.budget == found.n_items:
        return "With every item labelled all methods are exact: there is nothing left to save."
    if math.isnan(proxy):
        return "Every item of this pool has the same loss, so any sample, however small, gives the exact answer."
    error = f"With {found.budget:,} labels the squared error is {_percent(proxy)} of Uniform’s"
    optimum = f"the infeasible optimum for these strata is {_percent(found.relative['oracle-neyman'])}"
    if found.uniform_needed <= found.budget:
        return f"{error}: on this pool the method does not help; {optimum}."
    needs = f"Uniform would need {found.uniform_needed:,} labels for the same precision"
    saved = f"{100 * found.saved:.0f} %" if found.saved >= _SMALL_SAVING else f"only {_percent(found.saved)}"
    return f"{error}; {optimum}. {needs}: {saved} saved."


def in_plain_words(found: Comparison) -> str | None:
    """The headline for somebody who has never heard of squared errors; None where there is nothing to gain."""
    if math.isnan(found.relative["proxy-neyman"]) or found.budget == found.n_items:
        return None
    if found.uniform_needed <= found.budget:
        return f"On this pool {found.budget:,} labels drawn at random do as well as {found.budget:,} placed by Neyman."
    return f"{found.budget:,} labels placed by Neyman are worth {found.uniform_needed:,} drawn at random."


def caveat(found: Comparison) -> str | None:
    """A plain word where a simpler rule beats Proxy-Neyman at this budget; None where none does."""
    better = found.better_rules
    if not better:
        return None
    listed = _and([f"{LABELS[m]} ({_percent(found.relative[m])})" for m in better])
    proxy = _percent(found.relative["proxy-neyman"])
    verb = "beats" if len(better) == 1 else "beat"
    return f"On this pool, at this budget, {listed} {verb} Proxy-Neyman ({proxy} of Uniform’s squared error)."


def strata_finding(table: pd.DataFrame, asked: int) -> str:
    """The finding above the strata figure, from the frame of `core.stratification.profiles.stratum_table`."""
    lift = (table["share_of_budget"] / table["share_of_pool"]).to_numpy()
    favoured, spared = int(np.argmax(lift)), int(np.argmin(lift))
    count = f"{len(table)} {'stratum' if len(table) == 1 else 'strata'}"
    if len(table) < asked:
        count += f" instead of {asked} (equal values of the signal stay together)"
    if len(table) == 1:
        return f"{count}: every item has the same chance of being drawn, so this is Uniform sampling."
    most = f"stratum {favoured} gets {lift[favoured]:.2f} times its share of the pool"
    least = f"stratum {spared} gets {lift[spared]:.2f} times"
    alike = f"{lift[favoured]:.2f}" == f"{lift[spared]:.2f}"
    sentence = f"{count}: each gets its share of the pool." if alike else f"{count}: {most}, {least}."
    if "sd" in table and table["sd"].max() > 0:
        true, proxy = table["sd"].to_numpy(), table["proxy"].to_numpy()
        sentence += f" The true spread runs from {true.min():.2f} to {true.max():.2f}"
        sentence += f", the proxy with its offset from {proxy.min():.2f} to {proxy.max():.2f}."
    return sentence


def request_finding(plan: Plan) -> str:
    """The finding above a label list."""
    n, strata = int(plan.ids.size), plan.strata.n_strata
    if n == plan.strata.n_items:
        return f"All {n:,} items to label." if n > 1 else "The pool’s only item to label."
    items = f"{n:,} of {plan.strata.n_items:,} items to label"
    least, most = _percent(plan.inclusion_probabilities.min()), _percent(plan.inclusion_probabilities.max())
    source = "" if strata == 1 else f", from {strata} strata"
    if least == most:
        return f"{items}{source}, each with the same chance of being drawn, {least}."
    return f"{items}{source}, each with a chance of {least} to {most} of being drawn."


def pool_finding(n_items: int, n_generations: int, share_agreeing: float | None, complete: bool = True) -> str:
    """The finding above the figures of page Pool.

    ``share_agreeing``: share of items with SE = 0, None without generations; ``complete``: every item has all k.
    """
    size = f"{n_items:,} {'item' if n_items == 1 else 'items'}"
    if share_agreeing is None:
        return f"{size}, no generations yet: semantic entropy, and with it strata, need a surrogate's answers."
    if n_generations == 1:
        return f"{size}, one generation each: semantic entropy is 0 everywhere, so all items fall into one stratum."
    each = f"{n_generations} generations each" if complete else f"up to {n_generations} generations each"
    agreed = f"{size}, {each}; on {100 * share_agreeing:.0f} % of them all generations agree"
    if share_agreeing == 1:
        return f"{agreed}: the surrogate never disagrees with itself, so all items fall into one stratum."
    return f"{agreed} (semantic entropy 0)."


def _percent(ratio: float) -> str:
    return f"{100 * ratio:.1f} %"


def _and(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def looks_raw(signal: ArrayLike, n_generations: int) -> bool:
    """Whether on most items every generation is a class of its own, as unparsed texts are."""
    values = np.asarray(signal, dtype=np.float64)
    known = values[np.isfinite(values)]
    if n_generations < 2 or known.size == 0:
        return False
    return bool(np.mean(known >= math.log(n_generations) - 1e-9) > _RAW_SHARE)


def spread(signal: ArrayLike) -> str:
    """Where the signal lies, for a title: share at zero and the median of the others, of the items that have one."""
    values = np.asarray(signal, dtype=np.float64)
    known = values[np.isfinite(values)]
    above = known[known > 0]
    if above.size == 0:
        return "0 everywhere"
    items = "items" if known.size == values.size else "items with generations"
    agreeing = 100 * (1 - above.size / known.size)
    return f"{agreeing:.0f} % of the {items} at 0, the others around {np.median(above):.2f} nats"


def consistency_finding(consistency: ArrayLike) -> str:
    """How united the surrogate is, for a title."""
    values = np.asarray(consistency, dtype=np.float64)
    known = values[np.isfinite(values)]
    if known.size == 0:
        return "unknown, no item has generations"
    return f"on average {100 * known.mean():.0f} % of an item’s generations give the same answer"
