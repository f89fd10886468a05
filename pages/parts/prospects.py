"""The prospect that pages show: the pool with what the address asks, kept from run to run."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from core.allocation import default_budget
from core.archive import Archive
from core.design import PAPER
from core.errors import NeymanError
from core.pool import Pool, named_versions, newest_first
from core.prospect import Pilot, Prospect, Question
from core.stratification import Profile
from core.study import next_seed, pilot
from pages.parts.app import kept, state
from pages.parts.plan.controls import AUROC, BELIEVED, USUAL
from pages.parts.widgets import controls, prices

# Larger pools take seconds to sort: a list says what it promises if somebody asks.
LARGE = 50_000
# Lists of which a rehearsal has the typical one.
_SEEDS = 9


def of(pool: Pool, target: str | None, kind: str | None, labels: int | None = None, **asked: Any) -> Prospect:
    """Return what is asked of a pool, at what is believed on page Plan and paid.

    Parameters
    ----------
    pool : Pool
        The pool.
    target : str or None
        The model to be evaluated; None if it has not run.
    kind : str or None
        Answer kind of all items.
    labels : int, optional
        The budget; by default `budget` of the pool.
    **asked
        Further fields of `core.prospect.Question`.
    """
    question = Question(target, parser=kind, floor=controls.floor(), **(_believed() | asked))
    others, labelled = partial(state.opened, pool), partial(_earlier, pool, target)
    prospect = Prospect(pool, None, 1, question, others=others, earlier=labelled, memo=kept.memo())
    return prospect.at(budget(pool.n_items) if labels is None else labels)


def to_choose(pool: Pool, target: str | None, kind: str | None) -> Prospect:
    """Return what is asked if the design may be chosen, also by the archive's other pools."""
    return of(pool, target, kind, others=others(pool))


def current(pool: Pool, **asked: Any) -> Prospect:
    """Return what pages ask of a pool that have no controls for it; ``asked``: as in `of`."""
    return of(pool, target(pool), controls.current_parser(), **asked)


def without_pool(n_items: int | None, **asked: Any) -> Prospect:
    """Return what is asked of a pool that is not there yet; ``asked``: as in `of`."""
    return Prospect(None, None, 1, Question(n_items=n_items, **(_believed() | asked)), memo=kept.memo())


def _believed() -> dict[str, Any]:
    """Return the beliefs and prices that hold wherever labels are counted."""
    low, high = BELIEVED.value
    auroc, said = AUROC.value, BELIEVED.address is not None
    known = {"expected": (low / 100, high / 100) if said else None, "auroc": None if auroc == USUAL else auroc}
    return known | {"costs": prices.current()}


def target(pool: Pool) -> str | None:
    """Return the target of the address, else the newest version, the first with a known outcome, or the first."""
    given = controls.TARGET.address
    if given in pool.targets:
        return str(given)
    if given in (controls.NEW, controls.NEW_NAME):
        return None
    names, kind = newest_first(pool.targets), controls.current_parser()
    known = () if named_versions(names) else (name for name in names if pool.targets[name].known(kind))
    return next(iter(known), next(iter(names), None))


def budget(size: int) -> int:
    """Return the number of labels that the address has, if so many items have room for it."""
    least = min(2, size)
    return min(max(controls.BUDGET.settle(default_budget(least, size)), least), size)


def first_seed(pool: Pool) -> int:
    """Return the seed of a list that nobody chose one for: the same at every visit until the list has labels.

    The first list of a pool that comes with the app is a rehearsal, so it is a typical one and no unlucky one.
    """
    archive = state.archive()
    if state.is_bundled(pool) and archive.plans.table(pool.items_digest).empty:
        here = Prospect(pool, next(iter(pool.targets), None), default_budget(2, pool.n_items), memo=kept.memo())
        if here.is_exact:
            return kept.once("typical seeds", pool.digest, lambda: here.typical_seed(_SEEDS))
    return next_seed(archive, pool, controls.SEED.below)


def seed_is_chosen(pool: Pool) -> bool:
    """Whether the address has another seed than lists begin with here."""
    return controls.SEED.value not in (None, first_seed(pool))


def profile(pool: Pool, kind: str | None) -> Profile:
    """Return signal and self-consistency of a pool under an answer kind, as the paper's design stratifies them."""
    return Prospect(pool, None, 1, Question(parser=kind, scheme=replace(PAPER, parser=kind)), memo=kept.memo()).profile


def others(pool: Pool) -> tuple[str, ...]:
    """Return the digests of the archive's pools with targets, without those on the same items."""
    digests = tuple(digest for digest in state.with_targets(pool) if digest != pool.digest)
    folder = str(state.archive().folder)
    key = (folder, pool.items_digest, digests)
    return kept.once("other pools", key, lambda: _on_other_items(*key))


def _earlier(pool: Pool, target: str | None) -> Pilot | None:
    """Read what earlier labels say of a target; None if there are none."""
    archive = state.archive()
    labels = archive.labels.state()
    if not labels:
        return None
    key = (str(archive.folder), pool.digest, target, labels)
    return kept.once("pilots", key, lambda: pilot(archive, pool, target))


def _on_other_items(folder: str, items_digest: str, digests: tuple[str, ...]) -> tuple[str, ...]:
    elsewhere = []
    for digest in digests:
        # One whose file is damaged is named where it is opened.
        with suppress(NeymanError):
            if Archive(folder).pools.load(digest).items_digest != items_digest:
                elsewhere.append(digest)
    return tuple(elsewhere)
