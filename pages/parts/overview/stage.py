"""The figure of page Overview: the pool as dots, its strata, the labelled items, and two intervals on one scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from core import words
from core.design import Plan
from core.figures import style
from core.prospect import Dots, Promise, Prospect
from core.simulation import Courses
from pages.parts import player, prospects
from pages.parts.widgets import controls, prices

_MOUNT = player.component("neyman_stage", Path(__file__).with_name("stage"))
# As many strata as the eye tells apart, with five labels in each at least.
_STRATA, _LABELS_EACH = 10, 5
# Rounds of which the typical one is shown first.
_ROUNDS, _LARGE, _FEW_ROUNDS = 61, 50_000, 3
OURS = "Neyman"
# Items of one sample, of which the figure lights as many as the slider says: more melt into one another.
_LIT = 2000


@dataclass(frozen=True, slots=True)
class Lane:
    """One interval of the figure, in the unit of its axis.

    Parameters
    ----------
    name : str
        Of the method.
    colour : str
        Of its bar.
    low, high : float
        Limits.
    value : float or None
        The estimate; None if only the width is known.
    text : str
        The number beside it.
    """

    name: str
    colour: str
    low: float
    high: float
    value: float | None
    text: str


def few(budget: int) -> int:
    """Return how many strata the figure has with so many labels."""
    return max(1, min(_STRATA, budget // _LABELS_EACH))


def courses_of(prospect: Prospect, frames: int = 1) -> Courses:
    """Return rounds of labelling in a few strata, by default their ends alone."""
    rounds = _ROUNDS if prospect.n_items <= _LARGE else _FEW_ROUNDS
    return prospect.courses(few(prospect.budget), rounds, frames)


def typical_plan(prospect: Prospect, simulated: Courses) -> Plan:
    """Return the plan whose list is the typical one of `courses_of`."""
    return prospect.sample(few(prospect.budget), simulated.seeds[simulated.typical])


def ends(prospect: Prospect) -> tuple[str, ...]:
    """Return what stands below the sorted dots, from left to right."""
    middle = f"sorted by {prospect.signal}"
    return (middle,) if prospect.whole.scheme.signal == "group" else ("← looks easy", middle, "looks hard →")


@dataclass(frozen=True, slots=True)
class BudgetNumbers:
    """Outcome of a budget: the half-widths of Uniform and of ours in the axis's unit, in words, and what is saved.

    Each fact is a number and its name.
    """

    labels: int
    half: tuple[float, float]
    texts: tuple[str, str]
    facts: list[tuple[str, str]]

    @classmethod
    def of(cls, promise: Promise) -> BudgetNumbers:
        """Return what a promise gives."""
        half = (promise.uniform, promise.half_width)
        scale = 100.0 if promise.share else 1.0
        texts = tuple(f"±{words.width(one, promise.share)}" for one in half)
        return cls(promise.labels, (scale * half[0], scale * half[1]), (texts[0], texts[1]), _saved(promise))


def _saved(promise: Promise) -> list[tuple[str, str]]:
    """Return labels, money and hours that are saved; of a forecast the last two only if some are in all its range."""
    if not promise.fewer:
        return [("No labels", "saved" if promise.half_width > 0 else "saved: all are needed")]
    of = f"saved, of {promise.uniform_labels:,}" if promise.exact else f"saved, of about {promise.uniform_labels:,}"
    facts = [(words.counted(promise.fewer, "label"), of)]
    if promise.exact or promise.saved_low > 0:
        costs = prices.completed()
        money = replace(costs, minutes=0.0).spent(promise.fewer)
        time = replace(costs, label=0.0, target_run=0.0).spent(promise.fewer)
        facts += [*([(money, "saved")] if money else []), *([(time, "of labelling saved")] if time else [])]
    return facts


def first(prospect: Prospect, promise: Promise | None, budgets: Sequence[int]) -> None:
    """Draw the first screen's figure: a sample of the pool, and both intervals at the budget of the slider.

    Parameters
    ----------
    prospect : Prospect
        The pool, and the budget.
    promise : Promise, optional
        Of this budget; None of a pool that would take long.
    budgets : sequence of int
        Where the slider stops; the numbers of all go to the browser, unless the pool is large.
    """
    shown = prospect.at(max(prospect.budget, min(_LIT, prospect.n_items)))
    sample, known = shown.sample(_STRATA), prospect.known
    pool_dots = shown.dots(sample.strata)
    losses = known.losses if known is not None and prospect.share else None
    moves: list[BudgetNumbers] = []
    if promise is not None:
        is_quick = prospect.n_items <= prospects.LARGE
        moves = (
            [BudgetNumbers.of(prospect.at(budget).promise) for budget in budgets]
            if is_quick
            else [BudgetNumbers.of(promise)]
        )
    lanes: Sequence[Lane] = ()
    scale, said, half = None, "", max((one.half[0] for one in moves), default=0.0)
    if promise is not None and half > 0:
        truth = prospect.truth if promise.exact else None
        lanes, scale = (
            lane_pair(promise.uniform, promise.half_width, truth, promise.share),
            _axis(prospect, truth, half),
        )
        facts = [f"{name} {lane.text}" for name, lane in zip(("Uniform", OURS), lanes, strict=True)] + [
            " ".join(fact) for fact in _saved(promise)
        ]
        said = "".join(f" {fact}." for fact in [*facts, scale["named"]] if fact)
    done = "labelled" if losses is not None else "to label"
    draw(
        "stage",
        pool_dots,
        f"The pool as dots in {sample.strata.n_strata} strata, {prospect.budget:,} of them {done}.{said}",
        ends(prospect),
        labelled=pool_dots.lit(sample.positions, losses),
        lanes=lanes,
        scale=scale,
        outcome_known=losses is not None,
        moves=moves,
        budget=prospect.budget,
    )


def draw(
    key: str,
    pool_dots: Dots,
    alt: str,
    under: Sequence[str],
    *,
    is_sorted: bool = True,
    shaded: bool = True,
    labelled: list[Any] | None = None,
    lanes: Sequence[Lane] = (),
    scale: dict[str, Any] | None = None,
    rounds: list[Any] | None = None,
    outcome_known: bool = True,
    tall: bool = False,
    moves: Sequence[BudgetNumbers] = (),
    budget: int | None = None,
) -> None:
    """Draw the figure.

    Parameters
    ----------
    key : str
        Of the element; the figure moves from what it showed before.
    pool_dots : Dots
        The pool.
    alt : str
        What it shows, in words.
    under : sequence of str
        What stands below the dots, from left to right.
    is_sorted, shaded : bool
        Whether dots stand in their strata, and whether their shade follows the signal.
    labelled : list, optional
        Of `Dots.lit`.
    lanes : sequence of Lane
        The intervals, or with ``rounds`` whose they are.
    scale : dict, optional
        Of `pages.parts.player.axis`.
    rounds : list, optional
        Of `Dots.rounds`, each with its scale (``axis``): the figure plays them label by label.
    outcome_known : bool
        Whether labels are right or wrong yet.
    tall : bool
        Whether the dots fill the window.
    moves : sequence of BudgetNumbers
        What budgets of the slider give: the intervals and the facts beside them move with it.
    budget : int, optional
        The present one of these; of the labelled items as many are lit.
    """
    legend = [["none", f"{pool_dots.each:,} items a dot"]] if pool_dots.each > 1 else []
    if labelled is not None or rounds is not None:
        named = [["right", "labelled, right"], ["wrong", "labelled, wrong"]]
        legend = [*(named if outcome_known else [["right", "to label"]]), *(legend or [["none", "not labelled"]])]
    _MOUNT(
        key=key,
        data={
            "strata": list(pool_dots.strata),
            "shades": pool_dots.shades,
            "alt": alt,
            "under": list(under),
            "key": legend,
            "sorted": is_sorted,
            "shaded": shaded,
            "lit": labelled,
            "lanes": [{name: getattr(lane, name) for name in Lane.__slots__} for lane in lanes],
            "axis": scale,
            "rounds": rounds,
            "tall": tall,
            "moves": {str(one.labels): asdict(one) for one in moves},
            "budget": budget,
            "slider": controls.BUDGET.key,
        },
    )


def lane_pair(half_uniform: float, half_ours: float, middle: float | None, share: bool) -> tuple[Lane, Lane]:
    """Return the two methods' intervals around a value, or around 0 if it is not known; half-widths as fractions."""
    scale, at = (100.0 if share else 1.0), middle or 0.0
    looks = ((style.METHOD_STYLES["uniform"], half_uniform), (style.METHOD_STYLES["recommended"], half_ours))
    names = ("Uniform (a random sample)", OURS)
    return tuple(  # type: ignore[return-value]
        Lane(
            name,
            look.colour,
            scale * (at - half),
            scale * (at + half),
            None if middle is None else scale * at,
            f"±{words.width(half, share)}",
        )
        for name, (look, half) in zip(names, looks, strict=True)
    )


def _axis(prospect: Prospect, truth: float | None, half: float) -> dict[str, Any]:
    """Return a scale on which intervals up to a half-width fit around the truth, or around 0 if it is not known."""
    if truth is None:
        return player.axis(-half, half, "")
    return truth_axis(
        prospect, [(100 * truth - half, 100 * truth + half)] if prospect.share else [(truth - half, truth + half)]
    )


def truth_axis(prospect: Prospect, intervals: Sequence[Sequence[float]]) -> dict[str, Any]:
    """Return a scale on which intervals fit, with the truth."""
    named = f"True {prospect.measure} {words.value(prospect.truth, prospect.share)}"
    truth = 100 * prospect.truth if prospect.share else prospect.truth
    low, high = min(limits[0] for limits in intervals), max(limits[1] for limits in intervals)
    return player.axis(min(low, truth), max(high, truth), " %" if prospect.share else "", truth, named)
