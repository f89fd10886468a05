"""The plan of a version gate: which items tell, how many of them are graded, and which."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from statistics import NormalDist
from typing import TYPE_CHECKING, Protocol

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..allocation.optimum import allocate, label_order, uniform_size
from ..answers import OPEN, TITLES
from ..design.sampling import permanent_random_numbers, sampled_positions
from ..design.scheme import whole
from ..errors import DesignError
from ..pool.columns import leaf
from ..pool.parsing import DEFAULT_KIND
from ..pool.pool import Pool
from ..words import counted
from .version_gate import VersionGate
from .version_list import LOOKS, ONCE

if TYPE_CHECKING:
    from ..estimation.item_runs import ItemRuns

# Variance of d within a stratum before any label: of seventeen pairs of neighbouring versions, .11 to .21 if the old
# verdict is known, .22 to .71 if it is not.
GRADED_VARIANCE, UNGRADED_VARIANCE = 0.2, 0.7
LEAST_LABELS = 20
# Kinds of answers that people write in many ways, and a share of equal answers that suggests it.
_FREE, _HARDLY_ALIKE = frozenset({"text", OPEN, DEFAULT_KIND}), 0.05


class _KnownLosses(Protocol):
    """Losses that a bank knows (`core.bank.Known`)."""

    @property
    def loss(self) -> NDArray[np.float64]: ...


class _VerdictsOfVersions(Protocol):
    """A bank of verdicts as a gate asks it (`core.bank.Bank`)."""

    def own(self, pool: Pool, target: str, parser: str | None = None) -> _KnownLosses: ...
    def lookup(self, pool: Pool, target: str, parser: str | None = None) -> _KnownLosses: ...


def gate(
    pool: Pool,
    old: str,
    new: str,
    margin: float = 0.02,
    confidence: float = 0.95,
    power: float = 0.8,
    bank: _VerdictsOfVersions | None = None,
    looks: str = ONCE,
    *,
    follows: bool = False,
    seed: int = 0,
    parser: str | None = None,
    banked: bool = False,
    partial: bool = False,
    varies: bool | None = None,
) -> VersionGate:
    """Plan the decision whether a new version is worse than an old one by more than a margin.

    Parameters
    ----------
    pool : Pool
        With the answers of both versions. The new version's losses count only in place of an answer.
    old, new : str
        Targets of the pool.
    margin : float
        m in (0, 1): the largest loss of accuracy that may pass; 0.02 is two points.
    confidence : float
        One-sided, in (0.5, 1): the chance that a version worse by the margin does not pass.
    power : float
        Planned chance that a version as good as the old one passes, in (0, 1), if the list is looked at once.
    bank : Bank, optional
        Where else verdicts on the old version's own answers may be known.
    looks : str
        "once": the list is graded whole, then decided. "any": it may be decided after any label; the list is no longer
        for that, so its chance is smaller than ``power`` (`core.gates.version_chances.reached`).
    follows : bool
        Whether a verdict follows from the answer alone, as with an answer key: the bank's verdicts on equal answers of
        other models then count for both versions, without an audit.
    seed : int
        Of the list.
    parser : str, optional
        Answer kind of all items; by default each item's own.
    banked : bool
        Whether the old version's answers are those of a bank (`core.bank.with_version`).
    partial : bool
        Whether the items with answers of both decide even if more items are left out.
    varies : bool, optional
        Whether a version answers differently each time; by default, whether the pool has several runs of one, and not
        the same outputs of both in all runs, as in copies of one log. If right or wrong is known of every item, run
        noise is then in the difference; else the list is of the first runs.

    Returns
    -------
    VersionGate

    Raises
    ------
    DesignError
        A number is out of its range, there is no such way of looking, both versions are the same, or no item has
        answers of both.
    PoolError
        The pool has no such target.

    Notes
    -----
    Items of which a version has no output, outcome or answer are left out: nobody could grade them. An outcome in place
    of an answer is its verdict.

    n₀ = (z_α + z_β)² δ² s²/m², n = max(20, ⌈n₀/(1 + n₀/D)⌉), at most D, proportional to the strata (docs/versions.md).
    """
    pool.check_unweighted("A gate between versions")
    _check(old, new, margin, confidence, power, looks)
    number = whole("seed", seed, 0)
    said_old, said_new = (answered_items(pool, name) for name in (old, new))
    outcomes = pool.losses(new, parser)
    has_old, has_new = said_old | ~np.isnan(pool.losses(old, parser)), said_new | ~np.isnan(outcomes)
    compared = np.flatnonzero(has_old & has_new)
    if not compared.size:
        raise DesignError(f"No item has an answer of both “{old}” and “{new}”, so nothing can be compared.")
    if varies is None:
        varies = pool.vary(old, new)
    agents = _runs_of(pool, (new, old), compared, parser) if varies else None
    answers = [pool.target_answers(name, parser)[compared] for name in (old, new)]
    unequal = np.flatnonzero(~same_answers(*answers))
    places = compared[unequal]
    graded = pool.losses(old, parser)
    carried = np.full(unequal.size, np.nan)
    if bank is not None:
        graded = _or(graded, bank.own(pool, old, parser).loss)
    if bank is not None and follows:
        graded = _or(graded, bank.lookup(pool, old, parser).loss)
        carried = bank.lookup(pool, new, parser).loss[places]
    losses, old_graded = graded[places], int((~np.isnan(graded[compared])).sum())
    # Without the old version's verdict an item tells nothing, whatever the new one's is.
    known = np.where(np.isnan(losses), np.nan, _or(_follows(pool, answers[0][unequal], places, losses), carried))
    # A list knows whole verdicts alone of the items that it does not have.
    alone = ~said_new[places] & np.isin(losses, (0.0, 1.0))
    with_outcomes = np.where(alone, _or(known, outcomes[places]), known)
    ids, nothing = np.asarray(pool.ids, dtype=object)[compared], np.empty(0, dtype=np.int64)
    rule, items = (old, new, margin, confidence, power, looks, number), (ids, unequal, losses, with_outcomes, nothing)
    absent = [int(gone.sum()) for gone in (~has_old & has_new, has_old & ~has_new, ~has_old & ~has_new)]
    planned = VersionGate(*rule, *items, old_graded, (absent[0], absent[1], absent[2]), banked, partial, varies, agents)
    least, most = planned.reach
    if agents is not None or not least <= margin <= most:
        return planned
    # The rest of a random list is a random list of the rest, for which filled lists of earlier versions count.
    waiting, order, kinds = np.isnan(with_outcomes), _listed(planned, known), planned.kinds
    order = order[waiting[order]]
    if order.size < min(LEAST_LABELS, waiting.sum()) or {*kinds[order]} != {*kinds[waiting]}:
        order = _listed(planned, with_outcomes)
    return replace(planned, order=order)


def _runs_of(
    pool: Pool, targets: Sequence[str], places: NDArray[np.int64], parser: str | None
) -> tuple[ItemRuns, ItemRuns] | None:
    """Count the runs of two targets on some items; None unless each item has one that is right or wrong."""
    from ..estimation.item_runs import ItemRuns

    losses = [pool.run_losses(target, parser)[places] for target in targets]
    if any(np.isnan(one).all(axis=1).any() or not np.isin(one[~np.isnan(one)], (0.0, 1.0)).all() for one in losses):
        return None
    return ItemRuns.of(losses[0]), ItemRuns.of(losses[1])


def by_words(planned: VersionGate, pool: Pool, parser: str | None = None) -> str:
    """Say that free texts are compared word for word, if that leaves hardly an equal answer; "" if not.

    Parameters
    ----------
    planned : VersionGate
        The gate.
    pool : Pool
        Its pool.
    parser : str, optional
        As in `gate`.
    """
    kinds = {parser or DEFAULT_KIND}
    if parser is None and "answer_kind" in pool.source.column_names:
        kinds = {kind or DEFAULT_KIND for kind in pool.source.column("answer_kind").unique().to_pylist()}
    if planned.share <= 1 - _HARDLY_ALIKE or not kinds <= _FREE or "choices" in pool.source.column_names:
        return ""
    same = planned.n_items - planned.n_unequal
    some = f"only {same:,}" if same else "none"
    return (
        f"Both versions gave the same answer to {some} of {counted(planned.n_items, 'item')}. Their texts are "
        "compared word for word, so that other words count as another answer. If each text holds a short answer, "
        f"choose how it is found under “Answers are read as”, such as {TITLES['number']}. Otherwise nearly every item "
        "may have to be graded."
    )


def same_answers(one: NDArray[np.object_], other: NDArray[np.object_]) -> NDArray[np.bool_]:
    """Whether two targets gave the same answer, (N,); never if either gave none.

    Parameters
    ----------
    one, other : (N,) str or None
        Of `core.pool.Pool.target_answers`.
    """
    given = np.array([bool(a) for a in one], dtype=bool)
    return np.asarray(given & (one == other), dtype=bool)


def labels_needed(
    share: float, variance: float, n_unequal: int, margin: float, confidence: float = 0.95, power: float = 0.8
) -> int:
    """Return how many of the items whose answers differ are to be graded.

    Parameters
    ----------
    share : float
        δ, of the items to be sampled among all.
    variance : float
        s², of new − old loss within strata.
    n_unequal : int
        D, the items to be sampled from.
    margin, confidence, power
        As in `gate`.
    """
    z = NormalDist().inv_cdf(confidence) + NormalDist().inv_cdf(power)
    if not n_unequal:
        return 0
    needed = uniform_size((margin / (z * share)) ** 2, variance, n_unequal)
    return min(max(LEAST_LABELS, math.ceil(needed - 1e-9)), n_unequal)


def _or(losses: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    """Losses, and others if they are not known."""
    return np.where(np.isnan(losses), others, losses)


def _check(old: str, new: str, margin: float, confidence: float, power: float, looks: str) -> None:
    if old == new:
        raise DesignError(f"“{old}” is both the old and the new version. Choose two.")
    if not 0 < margin < 1:
        raise DesignError(f"The margin must lie between 0 and 1, such as 0.02 for two points. Found {margin:g}.")
    if not 0.5 < confidence < 1 or not 0 < power < 1:
        raise DesignError("The confidence must lie between 0.5 and 1, and the power between 0 and 1.")
    if looks not in LOOKS:
        raise DesignError(f"There are two ways of looking, {' and '.join(LOOKS)}. Found “{looks}”.")


def answered_items(pool: Pool, target: str) -> NDArray[np.bool_]:
    """Items of which a target has an answer or an output that is not empty, (N,)."""
    said = np.zeros(pool.n_items, dtype=bool)
    for field in ("answer", "text"):
        column = leaf(pool.source, target, field)
        if column is not None:
            said |= np.asarray(pc.fill_null(pc.not_equal(column, ""), False))
    return said


def _follows(
    pool: Pool, answers: NDArray[np.object_], places: NDArray[np.int64], old: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The new version's losses that follow from the old one's answers: another option than the right one is wrong."""
    known = np.full(places.size, np.nan)
    if "choices" in pool.source.column_names:
        closed = np.asarray(pool.source.column("choices").is_valid())[places]
        said = np.array([bool(answer) for answer in answers], dtype=bool)
        known[closed & said & (old == 0)] = 1.0
    return known


def _listed(gate: VersionGate, known: NDArray[np.float64]) -> NDArray[np.int64]:
    """The list, in labelling order: proportional to the strata of the items that have to be graded."""
    places = np.flatnonzero(np.isnan(known))
    if not places.size:
        return places
    numbers, part = np.unique(gate.kinds[places], return_inverse=True)
    sizes = np.bincount(part)
    variance = float(np.where(np.isnan(gate.old_loss[places]), UNGRADED_VARIANCE, GRADED_VARIANCE).mean())
    needed = labels_needed(places.size / gate.n_items, variance, places.size, gate.margin, gate.confidence, gate.power)
    needed = max(needed, min(2 * numbers.size, places.size))
    labels = allocate(sizes, sizes, needed)
    turns = label_order(sizes.astype(np.float64), labels)
    positions = sampled_positions(part, turns, labels, permanent_random_numbers(gate.seed, part.size))
    return places[positions]
