"""The design that a question leads to: its signal, its strata and its labels, for any budget."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, Generic, TypeAlias, TypeVar, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..allocation.optimum import bernoulli_proxy
from ..allocation.ways import GATE, RECOMMENDED
from ..design.design import Design, Plan
from ..design.guard import Guard, guard
from ..design.recommend import fine
from ..design.scheme import Scheme, pool_profile
from ..errors import DesignError
from ..pool.pool import Pool
from ..signals.risk_transfer import Transfer, transfer
from ..stratification.profiles import EQUAL_MASS, Outcome, Profile, Stratification, outcome, stratum_table
from . import knowledge
from .knowledge import Knowledge, Sorted
from .memo import Memo
from .question import ELSEWHERE, Pilot, Question
from .sampling_frame import gate_scheme

Pools: TypeAlias = Sequence[Pool] | Callable[[tuple[str, ...]], Sequence[Pool]]
_Self = TypeVar("_Self", bound="Proposal")
_T = TypeVar("_T")

# How many of each are kept: what takes memory as the pool does, a few; numbers, so many as people try.
KEPT = (
    dict.fromkeys(("design", "profile", "known items", "frame", "courses", "sample", "stage"), 6)
    | dict.fromkeys(("worth", "elsewhere", "strata", "record", "likeness"), 12)
    | dict.fromkeys(("knowledge", "outcome", "part"), 24)
    | {"labels": 64, "lines": 256, "simulated": 1024}
    | dict.fromkeys(("errors", "half-widths", "rounds"), 4096)
)


class Steady(Generic[_T]):
    """A property that no budget changes: read once for a proposal and all that differ from it by their budget."""

    def __init__(self, read: Callable[[Any], _T]) -> None:
        self._read, self._name, self.__doc__ = read, read.__name__, read.__doc__

    def __get__(self, proposal: Any, owner: type | None = None) -> _T:
        if proposal is None:
            return cast(_T, self)
        read = proposal._steady
        if self._name not in read:
            read[self._name] = self._read(proposal)
        return cast(_T, read[self._name])


class Proposal:
    """A question about a pool, and the design that follows from it; what takes a while is kept in a memo."""

    __slots__ = ("_drawn", "_earlier", "_others", "_pool", "_steady", "budget", "memo", "question")

    def __init__(
        self,
        pool: Pool | None,
        budget: int,
        question: Question,
        others: Pools = (),
        earlier: Callable[[], Pilot | None] | None = None,
        memo: Memo | None = None,
    ) -> None:
        if pool is not None and not callable(others):
            others = [other for other in others if other.items_digest != pool.items_digest]
            question = replace(question, others=tuple(other.digest for other in others) or question.others)
        self._pool, self._others, self._earlier, self.question = pool, others, earlier, question
        self.memo = Memo(KEPT) if memo is None else memo
        self.budget = self._fitting(budget)
        self._drawn: Plan | None = None
        self._steady: dict[str, Any] = {}

    def at(self: _Self, budget: int) -> _Self:
        """Return the same question with another budget; nothing is computed again that does not depend on it."""
        other = copy(self)
        other.budget = self._fitting(budget)
        return other

    def asking(self: _Self, question: Question) -> _Self:
        """Return the same pool and budget with another question."""
        other = copy(self)
        other.question, other._drawn, other._steady = question, None, {}
        return other

    def drawn(self: _Self, plan: Plan) -> _Self:
        """Return the same question about a plan’s own strata and labels; waves count as one, nothing as carried."""
        prospect = self.at(plan.design.budget).asking(self.question.of_best)
        if (plan.design.weights is None) != (self._pool is None or self._pool.weights is None):
            raise DesignError(
                "This list was drawn with other weights of the items than the pool has now, so nothing is forecast of "
                "it. Its estimate counts items as they counted when it was drawn."
            )
        usual = (prospect.design.scheme, prospect.whole.risk) == (plan.design.scheme, plan.design.risk)
        whole = usual or plan.design.scheme.in_waves or plan.design.carried is not None
        prospect._drawn = None if whole else plan
        return prospect

    @property
    def pool(self) -> Pool:
        """The pool; DesignError if there is none yet."""
        if self._pool is None:
            raise DesignError("There is no pool yet, so nothing can be drawn. Give a pool.")
        return self._pool

    @property
    def has_pool(self) -> bool:
        """Whether there is a pool."""
        return self._pool is not None

    @property
    def knowledge(self) -> Knowledge:
        """Signals that the pool has, past models and columns of numbers."""
        pool, asked = self.pool, self.question
        key, title = (pool.digest, asked.target, asked.parser), "Looking for what is known of the items …"
        return self.memo.once("knowledge", key, lambda: knowledge.knowledge(pool, asked.target, asked.parser), title)

    @property
    def earlier(self) -> Pilot | None:
        """Estimate of the target from earlier labels; None if there are none."""
        return None if self._earlier is None else self._earlier()

    @property
    def signals(self) -> pd.DataFrame:
        """Worth of each signal that the pool has before any label, the best first.

        One row a signal: signal, error (expected squared error, Uniform = 1), low, high, why, how.
        """
        asked = replace(self.question.basis, signal=ELSEWHERE, others=self.question.others)
        title = "Trying each signal on models whose results are known …"

        def tabulate() -> pd.DataFrame:
            # What no other pool can teach is left out.
            try:
                elsewhere = self._learned(asked) if asked.others else None
            except DesignError:
                elsewhere = None
            return knowledge.worths(self.pool, asked, elsewhere)

        return self.memo.once("worth", (self.pool.digest, asked), tabulate, title)

    @property
    def whole(self) -> Design:
        """The design of a budget of all N items, of which other budgets have the signal."""
        return self._sorted.design if self.question.scheme is None else Design(self.pool.n_items, self.question.scheme)

    @property
    def best(self) -> str:
        """The signal that is recommended, of `core.signals.SIGNALS`, even if another one is asked for."""
        return self._sorted.best

    @property
    def why(self) -> str:
        """One sentence: why this design is recommended; "" for one that is asked for."""
        return self.whole.why

    @property
    def how(self) -> str:
        """The making of the signal in words; "" if there is nothing to say."""
        return self._sorted.how if self.question.scheme is None else ""

    @property
    def signal(self) -> str:
        """The order of the items, in words."""
        scheme = self.whole.scheme
        if self.question.scheme is None and self.question.signal == ELSEWHERE:
            return "the risk that your other pools predict"
        return scheme.sorted_by

    @property
    def uniform(self) -> bool:
        """Whether items are drawn uniformly: by the recommended design, if nothing is known of them."""
        return self.whole.scheme.uniform

    @property
    def method(self) -> str:
        """Name of the design in tables and figures: "recommended", "gate", or the rule of the one asked for."""
        scheme = self.question.scheme if self._drawn is None else self._drawn.design.scheme
        if scheme is not None:
            return scheme.method
        return GATE.name if self.question.gate else RECOMMENDED.name

    @Steady
    def profile(self) -> Profile:
        """Profile of all items of the pool, which the design stratifies."""
        asked, pool = self.question.scheme, self.pool
        if asked is None:
            return self._sorted.profile
        self._read(asked.parser)
        title = "Measuring the surrogate’s disagreement …"
        return self.memo.once("profile", self._along, lambda: pool_profile(pool, asked), title)

    @property
    def known(self) -> Outcome | None:
        """The target's outcome, by which errors are exact; None unless it is known on every item."""
        known = self.outcome
        return None if known is None or known.partial else known

    @Steady
    def outcome(self) -> Outcome | None:
        """The target's outcome on the items of which it is known; None if that is none."""
        if self._pool is None:
            return None
        asked, pool = self.question, self._pool
        if asked.target is None or asked.target not in pool.targets or pool.weights is not None:
            return None
        profile, target, title = self.profile, asked.target, "Reading the target’s outcomes …"
        key = (self._along, target, asked.parser)
        return self.memo.once("outcome", key, lambda: outcome(profile, pool.losses(target, asked.parser)), title)

    @property
    def n_items(self) -> int:
        """N, the items of the pool."""
        return self.pool.n_items

    @property
    def least(self) -> int:
        """The fewest labels that the design allows."""
        if self.question.gate or self.question.scheme is not None or self._drawn is not None:
            return self.strata.n_strata
        return min(2, self.n_items)

    @property
    def scheme(self) -> Scheme:
        """The scheme of the budget."""
        if self._drawn is not None:
            return self._drawn.design.scheme
        if self.question.scheme is not None:
            return self.question.scheme
        whole = self._sorted.design.scheme
        return gate_scheme(whole) if self.question.gate else fine(whole, self.budget, self.n_items)

    @property
    def design(self) -> Design:
        """The design of the budget on the pool, without a seed."""
        if self._drawn is not None:
            return replace(self._drawn.design, budget=self.budget)
        return replace(self.whole, budget=self.budget, scheme=self.scheme, seed=None)

    @property
    def strata(self) -> Stratification:
        """The strata of the budget."""
        if self._drawn is not None:
            return self._drawn.strata
        scheme, profile = self.scheme, self.profile
        return self.memo.once("strata", (self._along, scheme), lambda: scheme.stratify(profile))

    @property
    def stratum(self) -> NDArray[np.int64]:
        """Stratum of each item, (N,)."""
        return self.profile.stratum(self.strata) if self._drawn is None else self._drawn.stratum

    @property
    def labels(self) -> NDArray[np.int64]:
        """Labels of each stratum, (H,)."""
        if self._drawn is not None and self.budget == self._drawn.design.budget:
            return self._drawn.allocation
        scheme, strata = self.scheme, self.strata
        key = (self._along, scheme, self.budget, None if self._drawn is None else self._drawn.plan_id)
        return self.memo.once("labels", key, lambda: scheme.allocate(strata, self.budget))

    @property
    def guard(self) -> Guard | None:
        """Why the design is not safe, and a safe one near it; None if it is safe."""
        return guard(self.scheme, self.strata, self.budget)

    @property
    def table(self) -> pd.DataFrame:
        """One row a stratum, as of `core.stratification.stratum_table`; risk is the mean predicted one."""
        strata, known, risk = self.strata, self.known, self.profile.risk
        paper = self.question.scheme is not None
        proxy = bernoulli_proxy(strata.consistency, self.scheme.offset)
        moments = None if known is None else known.moments_in(strata)
        table = stratum_table(strata, self.labels, proxy, moments)
        if not paper:
            table = table.drop(columns=["proxy"] if self.pool.n_generations else ["proxy", "consistency"])
        if risk is None or not strata.by_item:
            return table
        return table.assign(risk=np.bincount(strata.of_level, risk) / strata.sizes)

    def plan(self, seed: int | None = None, waves: int = 1) -> Plan:
        """Draw the items to label from the whole pool; without a seed, at random.

        Parameters
        ----------
        seed : int, optional
            The plan records it.
        waves : int
            1, or 2 if a first quarter of the labels decides where the others go.
        """
        design = replace(self.design, seed=seed)
        if waves > 1:
            # The floor was chosen for a risk that is known before any label, not for what a first wave teaches.
            design = replace(design, scheme=replace(design.scheme, waves=waves, floor=1.0))
        return replace(design.plan(self.pool.items_digest, self.pool.ids, self.profile), pool=self.pool)

    def sample(self, n_strata: int, seed: int = 0) -> Plan:
        """Draw a sample in so many strata along the design's signal, to be shown."""
        scheme, pool = replace(self.whole.scheme, n_strata=n_strata), self.pool
        key = (*self._along, n_strata, self.budget, seed)
        design = Design(self.budget, scheme, seed)
        return self.memo.once("sample", key, lambda: design.plan(pool.items_digest, pool.ids, self.profile))

    def _fitting(self, budget: int) -> int:
        if self._pool is not None and not 1 <= budget <= self._pool.n_items:
            n_items = self._pool.n_items
            raise DesignError(f"A pool of {n_items:,} items takes a budget from 1 to {n_items:,}. Found {budget!r}.")
        return budget

    @Steady
    def _key(self) -> tuple[str, Question]:
        return self.pool.digest, self.question.basis

    @Steady
    def _along(self) -> tuple[Hashable, ...]:
        """Key of the profile."""
        asked = self.question.scheme
        if asked is None:
            return self._key
        made_from = (asked.signal, asked.target, asked.past, asked.accuracy, asked.column, asked.parser)
        return self.pool.digest, *made_from, asked.stratifier == EQUAL_MASS or asked.in_waves, self.uniform

    @Steady
    def _items(self) -> tuple[Hashable, ...]:
        """Key of exact errors, but for the budget."""
        return (*self._along, None if self.known is None else self.question.target)

    @Steady
    def _sorted(self) -> Sorted:
        pool, basis = self.pool, self.question.basis
        self._read(basis.parser)
        elsewhere = self._learned(basis) if basis.others else None
        title = "Sorting the items by what is known …"
        return self.memo.once("design", self._key, lambda: knowledge.along(pool, basis, elsewhere), title)

    def _learned(self, basis: Question) -> Transfer:
        pool, others = self.pool, self._others
        title = "Training a risk model on your other pools …"

        def learn() -> Transfer:
            given = others(basis.others) if callable(others) else others
            return transfer(given, pool, basis.target, basis.past, accuracy=basis.accuracy, parser=basis.parser)

        return self.memo.once("elsewhere", (pool.digest, basis), learn, title)

    def _read(self, parser: str | None) -> None:
        """Read the answers while a bar can move; the pool keeps what it read."""
        pool = self.pool
        if pool.n_generations:
            with self.memo.watch("Reading the answers", pool.n_items * pool.n_generations, "texts") as progress:
                pool.class_counts(parser, progress)
