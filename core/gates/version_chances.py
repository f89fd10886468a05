"""Chance of each verdict of a version gate, before any label, beside a usual gate with the same number of labels.

Of the items whose answers differ, the new version is taken to be wrong on the same share q in every stratum: of all
populations with the same difference this one has the largest variance within strata. If neither version is graded,
the versions' verdicts differ on as many items as the size of the list assumes, or on more if the difference needs it.
Lists are drawn from that population and decided as the gate decides: at their end, or as soon as a confidence sequence
allows. The usual gate grades both versions on uniformly
drawn items and decides by Wald's limits of the paired difference at the same level, and the same margin. Both gates are
counted in labels, each a verdict on one version; a verdict on the old one that is known already costs neither a label.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ..allocation.optimum import uniform_size
from ..words import counted, per_cent
from . import betting
from .version_gate import VersionGate
from .version_list import ANY, OLD_RIGHT, OLD_UNKNOWN, ONCE, ROUNDING, STRATA
from .version_plan import UNGRADED_VARIANCE

Whole = NDArray[np.int64]
_NORMAL = NormalDist()

# A regression that people speak of.
REGRESSION = 0.05
_GRID = 21
# Simulated lists that are looked at after every label.
_EARLY_ROUNDS = 500
# A chance that nobody asks to be larger.
_SURE = 0.99
# Columns of a population, d = −1, 0, 1, that items of each of `STRATA` can have.
_REACH = ((0, 1), (1, 2), (0, 2))


@dataclass(frozen=True, slots=True, eq=False)
class Chances:
    """Shares of lists of a version gate that pass and fail.

    Parameters
    ----------
    table : DataFrame
        A row a true difference, ascending: difference (in mean loss, new − old), passed, failed, usual_passed,
        usual_failed (shares of lists).
    gate : VersionGate
        The gate.
    as_good, regression : DataFrame
        One row each of the same columns: of a version as good as the old one, and of one five points worse; empty if
        the items whose answers differ cannot make up such a difference.
    usual_needed : int or None
        Labels with which the usual gate passes a version as good as the old one as often, up to 99 %; None if there is
        no such version, if this gate passes it in less than half of lists, or if it has no list.
    """

    table: pd.DataFrame
    gate: VersionGate
    as_good: pd.DataFrame
    regression: pd.DataFrame
    usual_needed: int | None

    @property
    def about(self) -> str:
        """Say what the usual gate is, and what is assumed."""
        once = ""
        if self.gate.looks != ONCE:
            once = " This gate is decided after any label, up to the end of the list, and the usual one once."
        return (
            f"Dotted: the usual gate, which compares both versions on {counted(_usual_items(self.gate), 'item')} drawn "
            "from all, with the same number of labels and the same margin. A verdict on the old version that is known "
            "already costs neither gate a label. "
            f"Assumed: the new version errs equally often wherever the answers differ.{once}{self._too_short}"
        )

    @property
    def _too_short(self) -> str:
        """Sentence on a usual gate whose limits promise more than they hold; "" of another one."""
        at_margin = float(np.interp(self.gate.margin, self.table["difference"], self.table["usual_passed"]))
        if at_margin <= 2 * (1 - self.gate.confidence):
            return ""
        return (
            f" With so few labels the usual gate’s limits (Wald’s) are too short: it passes a version at the margin "
            f"{per_cent(at_margin)} of the time, where {per_cent(1 - self.gate.confidence)} is promised."
        )

    @property
    def sentence(self) -> str:
        """Say how often a version passes or fails that is as good, or five points worse."""
        said: list[str] = []
        items = counted(_usual_items(self.gate), "item")
        # What the margin promises is said of any list.
        at_margin = math.isclose(self.gate.margin, REGRESSION)
        for rows, what, ours, usual in (
            (self.regression.head(0 if at_margin else 1), "5 points worse fails", "failed", "usual_failed"),
            (self.as_good, "as good as the old one passes", "passed", "usual_passed"),
        ):
            if len(rows):
                row = rows.iloc[0]
                with_usual = "with the usual gate"
                if not said:
                    with_usual += f", which spends the same number of labels on {items} drawn from all"
                said.append(f"A version {what} {_often(row[ours])} of the time; {with_usual}, {_often(row[usual])}.")
        if self.usual_needed is not None:
            needed, ours = counted(self.usual_needed, "label"), f"{self.gate.n_labels:,}"
            said.append(f"To pass it as often, the usual gate needs {needed} instead of {ours}.")
        return " ".join(filter(None, (*said, _size(self.gate))))


def chances(gate: VersionGate, rounds: int = 2000, seed: int = 0) -> Chances:
    """Simulate how often lists pass and fail, by the true difference.

    Parameters
    ----------
    gate : VersionGate
        The gate.
    rounds : int
        Lists for each difference; a chance has a standard error of at most ½/√rounds. Of lists that are looked at after
        any label there are at most 500.
    seed : int
        Of the lists.
    """
    least, most = (_true(gate, _population(gate, share)) for share in (0.0, 1.0))
    wide = max(3 * gate.margin, REGRESSION + gate.margin)
    low, high = max(least, -wide / 2), min(most, wide)
    grid = np.linspace(low, high, _GRID if high > low else 1)
    table = _rows(gate, grid, rounds, seed).drop_duplicates("difference", ignore_index=True)
    as_good, regression = (
        _rows(gate, [true] if least <= true <= most else [], rounds, seed) for true in (0.0, REGRESSION)
    )
    passed = 0.0 if as_good.empty else float(as_good["passed"].iloc[0])
    needed = _usual_needed(gate, passed) if gate.order.size and passed >= 0.5 else None
    return Chances(table, gate, as_good, regression, needed)


def decided_at(gate: VersionGate, difference: float, rounds: int = 2000, seed: int = 0) -> tuple[float, float] | None:
    """Shares of lists that pass and that fail at one true difference.

    Parameters
    ----------
    gate : VersionGate
        The gate.
    difference : float
        In mean loss, new − old.
    rounds, seed
        As in `chances`.

    Returns
    -------
    (float, float) or None
        None if the items whose answers differ cannot make up the difference.
    """
    least, most = (_true(gate, _population(gate, share)) for share in (0.0, 1.0))
    if not least <= difference <= most:
        return None
    return _decided(gate, _people(gate, difference), rounds, np.random.default_rng(seed))


def reached(gate: VersionGate) -> str:
    """Say how often a list that is looked at after any label passes a version as good as the old one; else "".

    Its size is planned as if it were looked at once.
    """
    passed = None if gate.looks == ONCE or not gate.order.size else decided_at(gate, 0.0)
    if passed is None:
        return ""
    often = f"this list passes a version as good as the old one {_often(passed[0])} of the time"
    return f"Looked at after any label, {often}. {_size(gate)}"


def _size(gate: VersionGate) -> str:
    """Say for what the size of a list is planned that is looked at after any label; "" of another one."""
    if gate.looks == ONCE or not gate.order.size:
        return ""
    return (
        "The list is as long as one that is looked at once, which is planned to pass such a version "
        f"{per_cent(gate.power)} of the time."
    )


def _often(share: float) -> str:
    """A simulated share, which is never certain."""
    if share > 0.99:
        return f"more than {per_cent(0.99)}"
    return per_cent(share) if share >= 0.01 else f"less than {per_cent(0.01)}"


def _rows(gate: VersionGate, differences: ArrayLike, rounds: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    rows = []
    for wanted in np.asarray(differences, dtype=np.float64).tolist():
        people = _people(gate, wanted)
        rows.append((_true(gate, people), *_decided(gate, people, rounds, rng), *_usual(gate, people, rounds, rng)))
    return pd.DataFrame(rows, columns=["difference", "passed", "failed", "usual_passed", "usual_failed"])


def _known_gaps(gate: VersionGate) -> NDArray[np.float64]:
    """D of the items that are known without a label."""
    gaps = gate.known_loss - gate.old_loss
    return np.asarray(gaps[~np.isnan(gaps)])


def _people(gate: VersionGate, difference: float) -> Whole:
    """The population with a difference, exact to an item."""
    part = gate.gaps
    wrong, right, unknown = (int(part.sizes[part.strata == kind].sum()) for kind in range(len(STRATA)))
    # The new version is wrong on this share of the items that have to be graded.
    moved = wrong + right + 2 * unknown
    needed = (difference - part.fixed) * gate.n_items + wrong + unknown
    people = _population(gate, min(max(needed / moved, 0.0), 1.0) if moved else 0.0)
    missing = round((difference - _true(gate, people)) * gate.n_items)
    # Rounding leaves an item or two: other verdicts on as many of them.
    way = 1 if missing > 0 else -1
    for row, kind in zip(people, part.strata, strict=True):
        least, most = _REACH[kind]
        for start in (1, 1 - way):
            if least <= start + way <= most and least <= start <= most:
                moved = min(abs(missing), int(row[start]))
                row[start] -= moved
                row[start + way] += moved
                missing -= way * moved
    return people


def _population(gate: VersionGate, share: float) -> Whole:
    """Open items of each stratum with d = −1, 0 and 1, (H, 3), if the new version is wrong on this share of them."""
    rows = []
    part = gate.gaps
    for kind, size in zip(part.strata, part.sizes.tolist(), strict=True):
        name = STRATA[kind]
        if name == OLD_UNKNOWN:
            gap = 2 * share - 1
            differ = max(UNGRADED_VARIANCE, abs(gap))
            minus, plus = round(size * (differ - gap) / 2), round(size * (differ + gap) / 2)
        elif name == OLD_RIGHT:
            minus, plus = 0, round(size * share)
        else:
            minus, plus = size - round(size * share), 0
        rows.append((minus, size - minus - plus, plus))
    return np.array(rows, dtype=np.int64).reshape(-1, 3)


def _true(gate: VersionGate, people: Whole) -> float:
    return (float((people[:, 2] - people[:, 0]).sum()) + float(_known_gaps(gate).sum())) / gate.n_items


def _decided(gate: VersionGate, people: Whole, rounds: int, rng: np.random.Generator) -> tuple[float, float]:
    """Shares of lists that pass and that fail: exact if their verdicts are, otherwise simulated."""
    part = gate.gaps
    at = np.searchsorted(part.strata, gate.kinds[gate.order])
    counts = np.bincount(at, minlength=part.sizes.size)
    if gate.looks == ANY:
        return _decided_early(gate, people, at, min(rounds, _EARLY_ROUNDS), rng)
    test = gate.margin_test()
    if test is not None:
        wrong, right, unknown = (people[part.strata == kind].sum(axis=0) for kind in range(len(STRATA)))
        return test.chances((wrong[0], right[2], unknown[0], unknown[2]))
    low, high = (np.full(rounds, end) for end in gate.reach)
    if counts.size and counts.all() and (np.array_equal(counts, part.sizes) or counts.max() > 1):
        drawn = [
            rng.multivariate_hypergeometric(some, count, rounds)
            for some, count in zip(people, counts.tolist(), strict=True)
        ]
        limits = part.limits(np.array([-1.0, 0.0, 1.0]), np.stack(drawn, axis=1), 2 * gate.confidence - 1)
        low, high = limits.low, limits.high
    return float((high < gate.margin - ROUNDING).mean()), float((low > gate.margin + ROUNDING).mean())


def _decided_early(
    gate: VersionGate, people: Whole, at: Whole, rounds: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Shares of simulated lists that pass and that fail if they are looked at after every label."""
    part, true = gate.gaps, _true(gate, people)
    if at.size == part.sizes.sum():
        # Every item that is open is listed, so that the end is exact.
        return float(true < gate.margin), float(true > gate.margin)
    if np.unique(at).size < part.sizes.size:
        return 0.0, 0.0
    values = np.empty((rounds, at.size))
    for number, some in enumerate(people):
        places = np.flatnonzero(at == number)
        found = rng.multivariate_hypergeometric(some, places.size, rounds)
        kinds = (np.arange(places.size) >= found.cumsum(axis=1)[:, :2, None]).sum(axis=1)
        values[:, places] = rng.permuted(kinds / 2, axis=1)
    bar = part.mean(gate.margin)
    labels = betting.blocks(values, at, part.sizes)
    passed = betting.first(betting.log_capital(labels, np.full(rounds, bar)), gate.confidence)
    flipped = betting.log_capital(betting.flipped(labels), np.full(rounds, 1 - bar))
    failed = betting.first(flipped, gate.confidence)
    return float((passed < failed).mean()), float((failed < passed).mean())


def _usual_needed(gate: VersionGate, passed: float) -> int:
    """Labels on uniform items with which Wald's upper limit is so often below the margin, if the difference is 0."""
    people = _people(gate, 0.0)
    gap = _known_gaps(gate)
    spread = (float(people[:, [0, 2]].sum()) + float(np.square(gap).sum())) / gate.n_items
    z = _NORMAL.inv_cdf(gate.confidence) + _NORMAL.inv_cdf(min(passed, _SURE))
    needed = uniform_size((gate.margin / z) ** 2, spread, gate.n_items) if spread else 0.0
    return math.ceil(max(1, math.ceil(needed - 1e-9)) * gate.labels_each - 1e-9)


def _usual_items(gate: VersionGate) -> int:
    """Items of the usual gate that take the same number of labels as this gate's list."""
    return min(max(2, round(gate.n_labels / gate.labels_each)), gate.n_items)


def _usual(gate: VersionGate, people: Whole, rounds: int, rng: np.random.Generator) -> tuple[float, float]:
    """The same of uniform items on which both versions are graded."""
    minus, _, plus = people.sum(axis=0).tolist()
    gap = _known_gaps(gate)
    minus, plus = minus + int((gap < 0).sum()), plus + int((gap > 0).sum())
    n = _usual_items(gate)
    found = rng.multivariate_hypergeometric([minus, gate.n_items - minus - plus, plus], n, rounds) / n
    mean = found[:, 2] - found[:, 0]
    spread = np.maximum(found[:, 0] + found[:, 2] - mean**2, 0.0) * (1 - n / gate.n_items) / max(n - 1, 1)
    half = _NORMAL.inv_cdf(gate.confidence) * np.sqrt(spread)
    return float((mean + half < gate.margin).mean()), float((mean - half > gate.margin).mean())
