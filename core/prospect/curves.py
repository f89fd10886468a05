"""A design beside others if the target's outcome is known: exact errors, its gain, and simulated rounds."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Self, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..allocation.optimum import budget_grid
from ..allocation.ways import (
    GATE,
    METHODS,
    ORACLE_NEYMAN,
    PROPORTIONAL,
    PROXY_NEYMAN,
    RECOMMENDED,
    UNIFORM,
    method_allocations,
)
from ..design.scheme import PAPER, Scheme
from ..errors import DesignError
from ..estimation.top_ups import half_widths
from ..pool.columns import GATE_COLUMN
from ..pool.outcomes import in_unit
from ..signals.quality import Quality, quality
from ..simulation import findings
from ..simulation.courses import Courses, Race, courses, race
from ..simulation.exact import curve, exact_mse, in_units
from ..simulation.findings import Gain
from ..simulation.trials import monte_carlo, prepare, simulated_curve, split
from ..stratification.moments import Moments, moments
from ..stratification.profiles import Outcome, Stratification
from .dots import Dots, dots
from .fact import PoolFact
from .forecast import fewest
from .proposal import Proposal
from .question import Pilot

_T = TypeVar("_T")
# Budgets of a line whose strata follow the budget: as many as take about a second; and of one whose strata stay.
_LARGE, _POINTS, _FEW, _MANY = 50_000, 16, 6, 30
# No other budget of such a line is nearer to the one asked for than this share of it.
_NEAR = 0.05
# Lines beside the recommended design's: the paper's design, and what its strata allow.
_OF_PAPER = (UNIFORM.name, PROPORTIONAL.name, PROXY_NEYMAN.name, ORACLE_NEYMAN.name)
_UNIFORM, _OURS = 1, 2
_FINE = (RECOMMENDED.name, GATE.name)
# Random numbers that a simulation may draw without a progress bar: about a second of work.
_QUIET_DRAWS = 30_000_000
_MOST_STRATA = 10
# Budgets that are simulated beside the one asked for, from so many labels on.
_SIMULATED, _LEAST = 3, 10
_SEED = 0


def apart(budgets: Iterable[int], asked: int) -> list[int]:
    """Leave out budgets beside the one asked for: each has its own strata, so that a line would jump between them."""
    return [int(budget) for budget in budgets if abs(budget - asked) >= _NEAR * asked]


class Compared(Proposal):
    """A proposed design beside others, by the known outcomes of its target."""

    __slots__ = ()

    @property
    def is_exact(self) -> bool:
        """Whether an outcome is known that this design at this budget has an exact error for."""
        known = self.known
        return known is not None and (self._drawn is not None or self.budget >= self.least)

    @property
    def varies(self) -> bool:
        """Whether the target's known losses differ, so that samples of them do."""
        return bool(self._outcome.moments.squares.sum() > 0)

    @property
    def gain(self) -> Gain | None:
        """Exact gain of the design over Uniform; None if the target's outcome is not known for it."""
        return self._once("gain", self._gain) if self.is_exact else None

    def _gain(self) -> Gain:
        known, scheme = self._outcome, self.scheme
        pool, paper, others = known.moments.pooled(), self._paper, {}
        if self.question.scheme is not None and self._drawn is None:
            moments, likely = known.moments_in(self.strata), self.strata.consistency
            gain = findings.gain(moments, likely, self.budget, scheme.offset, self._narrow)
            if self.method == gain.method:
                return gain
            others = dict(gain.relative)
        elif paper is not None and self.budget >= paper.strata.n_strata:
            others = paper._once("rules", paper._of_rules)
        error = float(self.errors([self.budget])[0])
        return findings.recommended_gain(pool, self.budget, error, others, self.method, self._narrow)

    @property
    def _narrow(self) -> int:
        """Labels with which Uniform's interval is as narrow, by the known outcome."""
        half_width, size = float(self.half_widths([self.budget])[0]), self.n_items
        return fewest(lambda m: float(self.half_widths_of(UNIFORM.name, [m])[0]), 1, size, half_width) or size

    def _of_rules(self) -> dict[str, float]:
        """Relative errors of the rules on these strata."""
        at = curve(self._outcome.moments_in(self.strata), self.strata.consistency, [self.budget], methods=_OF_PAPER)
        return dict(zip(at["method"], at["relative_mse"], strict=True))

    def errors(self, budgets: Sequence[int]) -> NDArray[np.float64]:
        """Exact mean squared errors at budgets, each with its own strata, (B,).

        Raises
        ------
        DesignError
            No outcome of the target is known.
        """
        losses = self._outcome.losses
        title = "Computing exact errors", 1, "budgets"
        return np.array(
            self._each("errors", budgets, (), title, lambda at, _: exact_mse(losses, at.stratum, at.labels))
        )

    def _each(
        self,
        shelf: str,
        budgets: Sequence[int],
        asked: tuple[Hashable, ...],
        title: tuple[str, int, str],
        compute: Callable[[Self, Callable[[float], None]], _T],
    ) -> list[_T]:
        """Compute something at budgets, each with its own strata, unless it is kept.

        ``asked`` is what it depends on beside the budget, ``title`` what is shown, the work of a budget and its unit.
        """
        store, (says, work, unit) = self.memo.shelf(shelf), title
        known = {at: one for at in budgets if (one := store.get((*self._at(at), *asked))) is not None}
        missing = [budget for budget in budgets if budget not in known]
        with self.memo.watch(says, len(missing) * work, unit) as progress:
            for number, budget in enumerate(missing):

                def report(share: float, before: int = number) -> None:
                    progress((before + share) / len(missing))

                here = self if budget == self.budget else self.at(budget)
                known[budget] = store.put((*self._at(budget), *asked), compute(here, report))
                report(1)
        return [known[budget] for budget in budgets]

    def half_widths(self, budgets: Sequence[int]) -> NDArray[np.float64]:
        """Half-widths of the interval to expect at budgets from the known outcomes, each with its own strata, (B,).

        They are forecasts: those of `core.estimation.top_ups.half_widths` at the strata's true means and variances.

        Raises
        ------
        DesignError
            No outcome of the target is known.
        """
        known, store, interval = self._outcome, self.memo.shelf("half-widths"), self.question.interval

        def expected(budget: int) -> float:
            here = self if budget == self.budget else self.at(budget)
            return self._expected(moments(known.losses, here.stratum), here.labels)

        keys = {budget: (*self._at(budget), interval) for budget in budgets}
        return np.array([store.once(key, partial(expected, budget)) for budget, key in keys.items()])

    def half_widths_of(self, method: str, budgets: Sequence[int]) -> NDArray[np.float64]:
        """Return the same of a line of the exact `curve`, (B,)."""
        if method in _FINE:
            return self.asking(replace(self.question, scheme=None, gate=method == GATE.name)).half_widths(budgets)
        within, consistency, offset = self._outcome.moments.pooled(), np.array([0.5]), PAPER.offset
        if method != UNIFORM.name and (paper := self._paper) is not None:
            within, consistency = paper._outcome.moments_in(paper.strata), paper.strata.consistency
            offset = paper.scheme.offset
        allocations = method_allocations(within, consistency, method, budgets, offset)
        return np.array([self._expected(within, labels) for labels in allocations])

    def _expected(self, within: Moments, labels: NDArray[np.int64]) -> float:
        interval = replace(self.question.interval, bounded=in_unit(self._outcome.losses))
        moments = within.means[None], within.variances[None]
        return float(half_widths(within.sizes, labels, *moments, interval, within.binary)[0])

    def smallest_error(self, most_strata: int) -> float:
        """The smallest relative error of the optimum on up to so many strata of the scheme's kind, at any budget."""
        scheme = replace(self.scheme, n_strata=most_strata)
        key = (*self._items, scheme.stratifier, most_strata)

        def least() -> float:
            known = self._outcome
            strata = known.profile.stratify(most_strata, scheme.stratifier)
            at = budget_grid(strata.n_strata, strata.n_items, _MANY)
            best = curve(known.moments_in(strata), strata.consistency, at, methods=["oracle-neyman"])
            return float(best["relative_mse"].min())

        return self.memo.once("least", key, least)

    @property
    def lines(self) -> tuple[str, ...]:
        """Methods of the exact `curve`: the design with those beside it, or each rule beside the recommended one."""
        if self.question.scheme is not None:
            return (*METHODS, RECOMMENDED.name)
        return (self.method, *(_OF_PAPER if self.pool.n_generations else (UNIFORM.name,)))

    def exact_curve(self, budgets: Sequence[int] | None = None, methods: Sequence[str] | None = None) -> pd.DataFrame:
        """Exact errors over budgets; parameters as of `Prospect.curve`."""
        names = tuple(self.lines if methods is None else methods)
        at = None if budgets is None else tuple(int(budget) for budget in budgets)
        return self._once(("curve", names, at), lambda: self._curve(names, at))

    def _curve(self, names: tuple[str, ...], budgets: tuple[int, ...] | None) -> pd.DataFrame:
        known, paper = self._outcome, self._paper
        size, stay = known.losses.size, 1 if paper is None else paper.strata.n_strata
        # Every line has the same budgets, so that one crosshair names them all.
        low = min(max(self.least if self.question.scheme is None else 2, stay), size)
        grid = budget_grid(low, size, _POINTS if size <= _LARGE else _FEW)
        usual = np.union1d([low, *apart(grid, self.budget), size], self.budget)
        fine_at = at = usual if budgets is None else np.asarray(budgets, dtype=np.int64)
        if budgets is None and self.question.scheme is not None:
            at = np.union1d(budget_grid(stay, size, _MANY), [*_usual_budgets(stay, size), self.budget])
        tables = []
        for name in (name for name in names if name in _FINE):
            fine = self.asking(replace(self.question, scheme=None, gate=name == GATE.name))
            tables.append(fine._line(name, fine_at))
        rules = [name for name in names if name not in _FINE]
        if rules and paper is not None:
            moments, strata = paper._outcome.moments_in(paper.strata), paper.strata
            tables.append(curve(moments, strata.consistency, at[at >= stay], paper.scheme.offset, rules))
        elif rules:
            tables.append(curve(known.moments.pooled(), [0.5], at, methods=[UNIFORM.name]))
        table = pd.concat(tables, ignore_index=True)
        order = table["method"].map(names.index)
        return in_units(table.loc[order.sort_values(kind="stable").index].reset_index(drop=True), size)

    def _line(self, name: str, budgets: NDArray[np.int64]) -> pd.DataFrame:
        """Errors of strata that follow the budget: method, budget, mse, relative_mse."""
        at = budgets[(budgets >= self.least) & (budgets <= self.n_items)]
        uniform = curve(self._outcome.moments.pooled(), [0.5], at, methods=[UNIFORM.name])
        mse = self.errors(at.tolist())
        return uniform.assign(method=name, mse=mse, relative_mse=mse / uniform["mse"].where(uniform["mse"] > 0))

    def rounds(self, trials: int) -> pd.DataFrame | None:
        """Simulate rounds of labelling at this budget and a few others.

        Parameters
        ----------
        trials : int
            T ≥ 2 at each budget; 0 for none.

        Returns
        -------
        DataFrame or None
            Tidy: method, budget, mse, standard_error, relative_mse, relative_standard_error, trials and the units of
            `core.simulation.in_units`; of every rule for a design that is asked for. None for no trials, and if
            nothing varies.
        """
        if not trials or not self.varies:
            return None
        return self._once(("rounds", trials), lambda: self._rounds(trials))

    def _rounds(self, trials: int) -> pd.DataFrame:
        size, scheme = self._outcome.losses.size, self.question.scheme
        if scheme is None:
            lines = self.exact_curve()
            line = lines[lines["method"] == self.method]
            budgets = _line_budgets(line["budget"].to_numpy(), self.budget, size, self.is_slow(trials))
            return in_units(_beside_exact(self._simulated(budgets, trials), line, self.method), size)
        usual = _usual_budgets(self.strata.n_strata, size)
        # On its own, so that a move of the budget simulates one budget and not all.
        parts = [usual] if self.budget in usual else [usual, [self.budget]]
        tables = [self._simulated_rules(scheme, at, trials) for at in parts]
        return in_units(pd.concat(tables).sort_values("budget", kind="stable"), size)

    def _simulated(self, budgets: list[int], trials: int) -> pd.DataFrame:
        """Squared errors of simulated rounds of this design: budget, mse, standard_error, trials."""
        known = self._outcome

        def error(at: Self, report: Callable[[float], None]) -> tuple[float, float]:
            values = monte_carlo(known.losses, at.stratum, at.labels, trials, _SEED, report)
            squared = (values - known.moments.mean) ** 2
            return float(squared.mean()), float(squared.std(ddof=1)) / math.sqrt(trials)

        title = "Simulating rounds of labelling", trials, "rounds"
        errors = pd.DataFrame(self._each("rounds", budgets, (trials,), title, error), columns=["mse", "standard_error"])
        return errors.assign(budget=budgets, trials=trials)[["budget", "mse", "standard_error", "trials"]]

    def _simulated_rules(self, scheme: Scheme, budgets: Sequence[int], trials: int) -> pd.DataFrame:
        """Simulate every rule on the scheme's strata; a rule's curve is kept while nothing changes for it."""
        known, strata = self._outcome, self.strata
        within, setting = known.moments_in(strata), (*self._items, tuple(budgets), trials)
        at = np.asarray(budgets, dtype=np.int64)
        simulate = partial(simulated_curve, within, strata.consistency, at, scheme.offset)

        def item_by_item() -> pd.DataFrame:
            parts = split(known.losses, known.profile.stratum(strata))
            with self.memo.watch("Simulating item by item", trials, "trials") as progress:
                return simulate(METHODS, trials, _SEED, parts, progress if self.is_slow(trials) else None)

        if not within.binary:
            return self.memo.once("simulated", (*setting, scheme), item_by_item)
        if len(budgets) > 1:
            # Once, with the first figure: a move of H then finds its random numbers drawn, whatever H is.
            prepared = partial(prepare, budgets, len(METHODS), _MOST_STRATA, trials, _SEED)
            self.memo.once("prepared", (tuple(budgets), trials), prepared)
        # What a method does not depend on leaves its curve as it is while a slider moves.
        curves = [
            self.memo.once("simulated", (*setting, scheme.relevant(one), one), partial(simulate, (one,), trials, _SEED))
            for one in METHODS
        ]
        return pd.concat(curves, ignore_index=True)

    def is_slow(self, trials: int) -> bool:
        """Whether a simulation draws item by item and takes more than about a second."""
        known = self._outcome
        return not known.moments.binary and known.losses.size * trials > _QUIET_DRAWS

    def courses(self, n_strata: int, rounds: int, frames: int | None = None) -> Courses:
        """Simulate rounds label by label in a few strata along the design's signal, as of `core.simulation.courses`."""
        scheme = replace(self.whole.scheme, n_strata=n_strata)
        key, title = (*self._at(self.budget), n_strata, rounds, frames), "Simulating rounds of labelling …"
        known, budget = self._outcome, self.budget
        return self.memo.once("courses", key, lambda: courses(known, scheme, budget, rounds, frames=frames), title)

    def typical_seed(self, seeds: int) -> int:
        """Return the seed, of so many from 0 on, whose list misses the true mean by most nearly their median miss."""
        losses, labels = self._outcome.losses, self.labels
        weights = (np.bincount(self.stratum) / losses.size / labels)[self.stratum]
        # A list without a label in a stratum estimates nothing.
        lists = [self.plan(seed).positions for seed in range(seeds)]
        misses = np.abs([float(weights[one] @ losses[one]) - self._outcome.moments.mean for one in lists])
        return int(np.abs(misses - np.median(misses)).argmin())

    def dots(self, strata: Stratification) -> Dots:
        """Return the items as dots, in each of some strata by the design's signal."""
        key, profile = (self.pool.digest, self.question, self.budget, strata.n_strata), self.profile
        return self.memo.once("stage", key, lambda: dots(profile, strata))

    def race(self, trials: int) -> Race:
        """Simulate rounds of Uniform and of this design, and count their estimates in bars."""
        moments, labels = self._outcome.moments, self.budget
        return self._once(("race", trials), lambda: race(*self.draws(trials), moments.mean, labels, moments.binary))

    def draws(self, trials: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Estimates of simulated rounds, (trials,) each: drawn uniformly, and by this design."""
        losses, labels = self._outcome.losses, [self.budget]

        def drawn() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
            one = np.zeros(losses.size, dtype=np.int64)
            # Streams of random numbers of their own, so that the two methods' errors are independent.
            uniform = monte_carlo(losses, one, labels, trials, _UNIFORM)
            return uniform, monte_carlo(losses, self.stratum, self.labels, trials, _OURS)

        return self._once(("draws", trials), drawn)

    @property
    def share(self) -> bool:
        """Whether losses are 0 and 1, or are not known, so that people read an accuracy."""
        return self.known is None or self.known.moments.binary

    @property
    def measure(self) -> str:
        """The estimated quantity, in words."""
        return "accuracy" if self.share else "mean loss"

    @property
    def truth(self) -> float:
        """The accuracy or the mean loss."""
        mean = self._outcome.moments.mean
        return 1 - mean if self.share else mean

    @property
    def fact(self) -> PoolFact | None:
        """Fact that the pool states of the target without labels; None unless its outcome is known on every item.

        None for a version gate's list, too: its items were chosen because the versions may differ there.
        """
        known, target = self.known, self.question.target
        if known is None or target is None or GATE_COLUMN in self.pool.source.column_names:
            return None
        return PoolFact.of(self.pool, target, self.truth, self.share, self.question.parser)

    @property
    def labelled(self) -> Pilot | None:
        """Estimate with an interval from labels of this pool; None if the pool itself says it, or there is none."""
        earlier = self.earlier if self.known is None else None
        return earlier if earlier is not None and earlier.here and earlier.low <= earlier.high else None

    @property
    def quality(self) -> Quality:
        """Quality of the design's signal, by the known outcomes."""
        known = self._outcome
        return self.memo.once(
            "quality", self._items, lambda: quality(known.profile.signal, known.profile.risk, known.losses)
        )

    @property
    def _outcome(self) -> Outcome:
        known = self.known
        if known is None and self._pool is not None:
            self._pool.check_unweighted("An exact error")
        if known is None:
            raise DesignError("No outcome of the target is known, so nothing is exact. See the forecast.")
        return known

    @property
    def _paper(self) -> Compared | None:
        """The strata that stay: those asked for, or the paper's if the pool has generations."""
        if self.question.scheme is not None:
            return self
        if not self.pool.n_generations:
            return None
        return self.asking(replace(self.question, scheme=replace(PAPER, parser=self.question.parser), gate=False))

    def _at(self, budget: int) -> tuple[Hashable, ...]:
        """Key of an error at a budget."""
        drawn = None if self._drawn is None else self._drawn.plan_id
        return (*self._items, self.question.scheme, self.question.gate, drawn, budget)

    def _once(self, what: Hashable, compute: Callable[[], _T]) -> _T:
        """Keep what depends on the design, the outcome and the budget."""
        return self.memo.once("lines", (what, *self._at(self.budget), self.question.basis), compute)


def _usual_budgets(least: int, n_items: int) -> list[int]:
    """Budgets at which a scheme is simulated, ascending: fixed ones, so that random numbers serve again."""
    half = max(n_items // 2, least)
    return [int(budget) for budget in budget_grid(min(max(_LEAST, least), half), half, _SIMULATED)]


def _line_budgets(budgets: NDArray[np.int64], budget: int, n_items: int, slow: bool) -> list[int]:
    """Budgets of a line at which fine strata are simulated, ascending, this one among them."""
    points = {budget}
    # If the losses have to be drawn item by item, one budget takes as long as all of them otherwise.
    if not slow:
        usual = budgets[(budgets >= _LEAST) & (2 * budgets <= n_items)]
        points.update(usual[np.linspace(0, len(usual) - 1, min(_SIMULATED, len(usual))).astype(int)].tolist())
    return sorted(points)


def _beside_exact(errors: pd.DataFrame, line: pd.DataFrame, method: str) -> pd.DataFrame:
    """Simulated errors with their ratios to Uniform's exact error, taken from the exact line of the same method."""
    at = line.set_index("budget").loc[errors["budget"]]
    scale = (at["relative_mse"] / at["mse"].where(at["mse"] > 0)).to_numpy()
    relative = {"relative_mse": errors["mse"] * scale, "relative_standard_error": errors["standard_error"] * scale}
    return errors.assign(method=method, **relative)
