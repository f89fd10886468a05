"""Rates of a judge without any label: its verdicts beside right answers, or beside a column of people's."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
import pandas as pd

from ..design.judging import PASS
from ..errors import DesignError
from ..pool.columns import leaf
from ..pool.pool import Pool
from ..words import PER_CENT, counted, share_span, value
from .belief import AS_MANY, JudgeBelief
from .decision import JudgeDecision, decide
from .judge_verdicts import JudgeVerdicts, column_of, everything, has_verdict, verdicts
from .measures import MEASURES, PASS_RATE, TNR, TPR, VerdictPair
from .rates import NOTHING, VerdictSample
from .summary import limits, number


@dataclass(frozen=True, slots=True)
class KnownRates:
    """A judge held against verdicts that the pool has already.

    Parameters
    ----------
    judge : str
        The judge.
    beside : str
        The target whose right answers are known, or the column of people's verdicts.
    keyed : bool
        Whether the verdicts follow from right answers.
    sizes : (int, int)
        Items of the pool that the judge fails and passes, N in all; the pair may be of fewer.
    pair : VerdictPair
        Every item with both verdicts.
    """

    judge: str
    beside: str
    keyed: bool
    sizes: tuple[int, int]
    pair: VerdictPair

    @property
    def n_items(self) -> int:
        """N of the pool."""
        return sum(self.sizes)

    @property
    def drawn(self) -> VerdictPair | None:
        """The whole pool, if the known items were drawn at random: within each verdict they are a random sample.

        Cochran (1977, 5A.9). None if the pool has items with a verdict of which no truth is known, or with weights.
        """
        parts = tuple(zip(self.sizes, (self.pair.fails, self.pair.passes), strict=True))
        if self.pair.weighted or any(size and not part.size for size, part in parts):
            return None
        return VerdictPair(
            *(VerdictSample((size,), (part.n_labels,), (part.n_fails,)) if size else NOTHING for size, part in parts)
        )

    @property
    def truth(self) -> float | None:
        """Pass rate by these verdicts; None unless all items have one."""
        return self.pair.value(PASS_RATE) if self.pair.size == self.n_items else None

    @property
    def title(self) -> str:
        """The true pass rate beside the judge's own if all items are known, otherwise the lower of both rates."""
        whose = f" of {self.beside}" if self.keyed else ""
        if self.truth is not None:
            return f"True pass rate{whose} {value(self.truth, True)}; the judge says {value(self.pair.q, True)}"
        return f"“{self.judge}” {self._rates[0]}{whose} whose truth is known"

    @property
    def because(self) -> str:
        """Who says so, of how many items, the other rate, and what labels are still for."""
        who = "The right answers say so" if self.keyed else f"The column “{self.beside}” says so"
        if self.truth is not None:
            fails, passes = self.pair.fails, self.pair.passes
            same = not self.keyed and fails.n_fails == fails.size and not passes.n_fails
            copy = " Both columns say the same of every item: check that neither is a copy of the other." * same
            every = f"{who}, on all {counted(self.n_items, 'item')}: no labels are needed for that."
            return f"{every} The judge {' and '.join(self._rates)}.{copy}"
        other = "".join(f" It {rate}." for rate in self._rates[1:])
        known = f"{who}, on the {self.pair.size:,} of {counted(self.n_items, 'item')} that have one.{other}"
        return f"{known} {self._of_all} Label the items of a list to know it of all."

    def of_all(self) -> list[tuple[str, str, str]]:
        """Write each measure of all items with its 95 % limits, if the known ones were drawn at random (`drawn`).

        Empty if all items are known, or if these cannot say it.
        """
        drawn = None if self.pair.size == self.n_items else self.drawn
        if drawn is None:
            return []
        known = [one for one in map(MEASURES.__getitem__, MEASURES) if not math.isnan(drawn.value(one))]
        return [
            (one.title, number(drawn.value(one), one.title), limits(*drawn.limits(one), one.title)) for one in known
        ]

    @property
    def _of_all(self) -> str:
        """Say what the known items tell of the others."""
        chosen = "Unless these items were drawn at random, they cannot speak for the others."
        if self.drawn is None:
            return chosen
        rate, limits, said = self.drawn.value(PASS_RATE), self.drawn.limits(PASS_RATE), self.sizes[1] / self.n_items
        return (
            f"If these items were drawn at random, {value(rate, True)} of all answers are good "
            f"(95{PER_CENT} interval {share_span(*limits)}); the judge passes {value(said, True)}. If they were chosen "
            "in another way, they cannot speak for the others."
        )

    @property
    def _rates(self) -> list[str]:
        """Both rates in words, the lower one first; one of them if there is nothing to measure the other by."""
        good, caught = (self.pair.value(measure) for measure in (TPR, TNR))
        if self.pair.size == self.n_items:
            shares = f"{value(caught, True)} of the failures", f"{value(good, True)} of the good answers"
        else:
            found, right = self.pair.found, self.pair.size - self.pair.found
            passed = self.pair.passes.size - self.pair.passes.n_fails
            shares = (
                f"{self.pair.fails.n_fails:,.0f} of {found:,.0f} failures",
                f"{passed:,.0f} of {right:,.0f} good answers",
            )
        both = [(caught, f"catches {shares[0]}"), (good, f"passes {shares[1]}")]
        return [words for rate, words in sorted(both, key=lambda one: one[0]) if not math.isnan(rate)]

    def decide(self, tpr: float, tnr: float) -> JudgeDecision | None:
        """Whether the judge can be trusted, by these rates; None unless all items are known."""
        return decide(self.pair, self.pair.size, tpr, tnr) if self.pair.size == self.n_items else None

    @property
    def complete(self) -> bool:
        """Whether every item says both how often failures are caught and how often good answers are passed."""
        return self.pair.size == self.n_items and len(self._rates) == 2

    def disagreement(self, pool: Pool, labels: pd.DataFrame) -> str:
        """Say on how many items people’s labels are not what the right answers say; "" if the rates have none.

        Parameters
        ----------
        pool : Pool
            The pool.
        labels : DataFrame
            Of `core.judge.Judgement`, each with its item_id and what people say.
        """
        if not self.keyed:
            return ""
        losses = pool.losses(self.beside)[pool.places(labels["item_id"])]
        passed = (labels["people"] == PASS).to_numpy()
        known = np.isfinite(losses)
        differ = int((passed == (losses > 0))[known].sum())
        return f"Your labels disagree with the file’s right answers on {differ:,} of {int(known.sum()):,}."

    def belief(self, usual: JudgeBelief) -> JudgeBelief:
        """Beliefs for a forecast: these rates, and what is usually believed in place of one that is not known.

        If they are of some items, these count as drawn at random (`drawn`), and what is usually believed as four more
        good answers and four more failures.
        """
        whole = self.pair.size == self.n_items
        of, more = (self.pair, 0.0) if whole else (self.drawn, AS_MANY)
        if of is None:
            return usual
        good, caught, rate = (of.value(measure) for measure in (TPR, TNR, PASS_RATE))
        right, found = self.pair.size - self.pair.found, self.pair.found
        return replace(
            usual,
            tpr=usual.tpr if math.isnan(good) else (right * good + more * usual.tpr) / (right + more),
            tnr=usual.tnr if math.isnan(caught) else (found * caught + more * usual.tnr) / (found + more),
            fails=1 - rate if 0 < rate < 1 else usual.fails,
            worth=(right + AS_MANY, found + AS_MANY),
        )


def keyed_targets(pool: Pool) -> tuple[str, ...]:
    """List the targets of which right answers say where they are right, on some items at least."""
    found = (name for name in pool.targets if leaf(pool.source, name, "loss") is None)
    return tuple(name for name in found if np.isfinite(pool.losses(name)).any())


def known_rates(
    pool: Pool, judge: JudgeVerdicts, beside: str, words: Mapping[str, str] = MappingProxyType({})
) -> KnownRates | None:
    """Hold a judge against what the pool knows; None if that is nothing.

    Parameters
    ----------
    pool : Pool
        The pool.
    judge : JudgeVerdicts
        What the judge says of every item.
    beside : str
        One of `keyed_targets`, or a column or a target's scores with people's verdicts, on some items at least.
    words : mapping, optional
        What other words of people mean, as in `core.judge.verdicts`.
    """
    keyed = beside in keyed_targets(pool)
    if keyed:
        losses = pool.losses(beside)
        known, fails = np.isfinite(losses), losses > 0
    else:
        try:
            fails = verdicts(pool, beside, words=words, some=True).fails
        except DesignError:
            return None
        known = has_verdict(pool, beside, words)
    if not known.any():
        return None
    of_judge, of_people = (
        JudgeVerdicts(name, one[known]) for name, one in ((judge.judge, judge.fails), (beside, fails))
    )
    named = beside if keyed else column_of(pool, beside)
    weights = None if pool.weights is None else pool.weights[known]
    pair = everything(of_judge, of_people, weights)
    return KnownRates(judge.judge, named, keyed, (judge.n_fail, judge.n_pass), pair)
