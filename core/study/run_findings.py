"""Runs of labelled items: accuracy to expect, pass@k and pass^k, the items that flip, and what more runs would give.

Page Pool, page Estimate, the commands and the report read these numbers and sentences here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..errors import DesignError
from ..estimation.intervals import DEFAULT, Interval
from ..estimation.item_runs import ALL, MEAN, SOME, ItemRuns, RunsSample, runs_per_item, runs_sample
from ..estimation.mean import Estimate
from ..pool.pool import Pool
from ..pool.problems import shown
from ..words import counted, listed, per_cent, span, value, width

EXPECTED = "expected accuracy"
# More tries than these are not asked for unless somebody does, and so many items are named.
_MOST_TRIES, _NAMED = 8, 6
_MEANS = {
    EXPECTED: "how often a run is right",
    SOME: "at least one of {} tries is right",
    ALL: "each of {} tries is right",
}


@dataclass(frozen=True, slots=True)
class RunsEstimate:
    """One measure of a target that answers differently each time.

    Parameters
    ----------
    name : str
        “expected accuracy”, “pass@4” or “pass^4”.
    means : str
        The same in words.
    expected : Estimate
        Of all items and of all runs that there could be.
    here : Estimate
        Of all items in these runs alone.
    left_out : int
        Items with fewer runs than tries, which do not count.
    """

    name: str
    means: str
    expected: Estimate
    here: Estimate
    left_out: int

    @property
    def line(self) -> str:
        """Write both in a line: “Expected accuracy 42.0 % (33.0 % to 51.3 %); in these runs 42.0 %.”."""
        least = f", without {counted(self.left_out, 'item')} of fewer runs" if self.left_out else ""
        name = f"{self.name[0].upper()}{self.name[1:]} ({self.means})"
        return f"{name} {_in_words(self.expected)}{least}; in these runs {self.here_in_words}."

    @property
    def here_in_words(self) -> str:
        """Write what holds of all items in these runs, with limits unless every item is labelled."""
        return _in_words(self.here)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TargetRuns:
    """Labelled items with their runs, and what follows from them.

    Parameters
    ----------
    ids : tuple of str
        The M items.
    runs : ItemRuns
        Their runs, and how many succeeded.
    strata : (M,) int
        Their strata.
    sizes : (H,) int
        Items of each stratum in the pool.
    interval : Interval
        How limits are made.
    """

    ids: tuple[str, ...]
    runs: ItemRuns
    strata: NDArray[np.int64]
    sizes: NDArray[np.int64]
    interval: Interval = DEFAULT

    def __repr__(self) -> str:
        return "\n".join(self.sentences())

    @property
    def size(self) -> str:
        """Items and runs, as “50 items × 4 runs”."""
        least, most = int(self.runs.total.min()), int(self.runs.total.max())
        return f"{counted(len(self.ids), 'item')} × {f'{least:,} to ' * (least < most)}{counted(most, 'run')}"

    @property
    def tries(self) -> int:
        """Tries that are shown at first: the runs of the item with the fewest, from 2 to 8."""
        return min(max(int(self.runs.total.min()), 2), _MOST_TRIES)

    def sample(self, measure: str = MEAN, tries: int = 1) -> RunsSample:
        """The sample of items as a measure sees it; raises :class:`core.errors.DesignError` if a stratum has none."""
        return runs_sample(self.runs, self.strata, self.sizes, measure, tries)

    @property
    def expected(self) -> Estimate:
        """Expected accuracy; raises as `sample`."""
        return self._estimate(MEAN, 1).expected

    def estimates(self, tries: int | None = None) -> tuple[RunsEstimate, ...]:
        """Expected accuracy, pass@k and pass^k, those that the runs suffice for.

        Parameters
        ----------
        tries : int, optional
            k; by default `tries`.
        """
        k = self.tries if tries is None else tries
        return tuple(self._each(k))

    def _each(self, tries: int) -> Iterator[RunsEstimate]:
        yield self._estimate(MEAN, 1)
        for measure in (SOME, ALL):
            try:
                yield self._estimate(measure, tries)
            except DesignError:
                if tries > self.runs.total.max():
                    most = counted(int(self.runs.total.max()), "run")
                    raise DesignError(f"No item has {tries:,} runs. Ask for at most {most}.") from None

    def _estimate(self, measure: str, tries: int) -> RunsEstimate:
        sample = self.sample(measure, tries)
        name = EXPECTED if measure == MEAN else measure.replace("k", str(tries))
        means = _MEANS[EXPECTED if measure == MEAN else measure].format(tries)
        both = (sample.estimate(self.interval), sample.items.estimate(self.interval))
        expected, here = (
            replace(one, value=1 - one.value, low=1 - one.high, high=1 - one.low, measure=name) for one in both
        )
        return RunsEstimate(name, means, expected, here, sample.left_out)

    def table(self, tries: int | None = None) -> pd.DataFrame:
        """Tabulate `estimates`: measure, means, value, low, high, low_here, high_here, left_out."""
        rows = [
            {
                "measure": one.name,
                "means": one.means,
                "value": one.expected.value,
                "low": one.expected.low,
                "high": one.expected.high,
                "low_here": one.here.low,
                "high_here": one.here.high,
                "left_out": one.left_out,
            }
            for one in self.estimates(tries)
        ]
        return pd.DataFrame(rows)

    @property
    def flips(self) -> tuple[str, ...]:
        """Ids of the items of which some runs succeeded and some failed."""
        return tuple(item for item, flips in zip(self.ids, self.runs.flips, strict=True) if flips)

    def runs_needed(self, price: float = 1.0) -> float:
        """Return how many runs of each item are worth their price; NaN if no item has two.

        Parameters
        ----------
        price : float
            Price of one more item in that of one more run.
        """
        between, within, runs = self._variances
        return math.nan if math.isnan(within) else runs_per_item(price, 1.0, between, within, runs)

    @property
    def _variances(self) -> tuple[float, float, int]:
        """Variance of the items' means, that of one run of an item, and runs of each."""
        items, several = self.sample().items, self.runs.total > 1
        if not several.any():
            return math.nan, math.nan, 1
        noise = self.runs.noise()[several] * self.runs.total[several]
        runs = max(1, round(float(1 / np.mean(1 / self.runs.total))))
        between = float(np.var(1 - items.losses, ddof=1)) if items.n_labels > 1 else math.nan
        return between, float(noise.mean()), runs

    @property
    def one_more(self) -> tuple[float, float]:
        """Half the width of the interval of the expected accuracy, now and about with one more run of each item."""
        sample, now = self.sample(), self.expected
        half = (now.high - now.low) / 2
        items, part = sample.items, sample.items.counts / sample.items.sizes
        weights = (items.sizes / items.sizes.sum()) ** 2 * items.variances / items.counts
        runs = self._variances[2]
        fewer = sample.share / (runs + 1)
        # The runs' part of the variance falls as one over their number.
        next_one = float((weights * ((1 - part) * (1 - fewer) + part * (sample.share - fewer))).sum())
        return half, half * math.sqrt(next_one / sample.variance) if sample.variance > 0 else half

    def sentences(self, tries: int | None = None) -> tuple[str, ...]:
        """Say everything of the runs, a sentence or line each.

        Parameters
        ----------
        tries : int, optional
            As in `estimates`.
        """
        return (*(one.line for one in self.estimates(tries)), self.of_flips, *self.of_more)

    @property
    def of_flips(self) -> str:
        """Sentence on the items that flip, with the first of them."""
        ids = self.flips
        if not ids:
            return f"No item flips: all runs of an item agree ({self.size})."
        named = [shown(item, 30) for item in ids[:_NAMED]] + ["others"] * (len(ids) > _NAMED)
        of_all = f"{len(ids):,} of {counted(len(self.ids), 'item')} ({per_cent(len(ids) / len(self.ids))})"
        which = "flips: some of its runs are" if len(ids) == 1 else "flip: some of their runs are"
        return f"{of_all} {which} right and some wrong ({listed(named)})."

    @property
    def of_more(self) -> tuple[str, ...]:
        """Sentences on what one more run of each item would give, and how many runs an item needs."""
        needed = self.runs_needed()
        if math.isnan(needed):
            return ("With one run of each item nothing says how much runs differ: run some items twice.",)
        now, then = self.one_more
        more = f"One more run of each item narrows the interval from ±{width(now, True)} to about ±{width(then, True)}."
        if math.isinf(needed):
            return (more, "Items differ in nothing but their runs: further runs are worth as much as further items.")
        ten = max(1, round(self.runs_needed(10.0)))
        need = (
            f"An item needs {counted(max(1, round(needed)), 'run')} if an item costs as much as a run, and {ten:,} if"
        )
        return more, f"{need} it costs ten times as much."


def runs(pool: Pool, target: str, parser: str | None = None, interval: Interval = DEFAULT) -> TargetRuns | None:
    """Return the runs of a target; None unless the pool has several of an item, and right or wrong of every item.

    Parameters
    ----------
    pool : Pool
        The pool.
    target : str
        One of its targets.
    parser : str, optional
        As in :meth:`core.pool.Pool.losses`.
    interval : Interval
        How limits are made.
    """
    # The expected accuracy counts every item the same.
    if not pool.varies(target) or pool.weights is not None:
        return None
    losses = pool.run_losses(target, parser)
    known = np.isfinite(losses)
    if not known.any(axis=1).all() or not np.isin(losses[known], (0.0, 1.0)).all():
        return None
    ids = tuple(map(str, pool.ids))
    zeros = np.zeros(pool.n_items, dtype=np.int64)
    return TargetRuns(ids, ItemRuns.of(losses), zeros, np.array([pool.n_items]), interval)


def _in_words(one: Estimate) -> str:
    limits = span(one.low, one.high, True) if one.has_interval else "no interval yet"
    exact = one.low == one.high
    return value(one.value, True, one.high - one.low) + ("" if exact else f" ({limits})")
