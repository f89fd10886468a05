"""Lists that check an automatic judge: how labels are shared between its fail and its pass verdicts.

With N_F items that the judge fails and N_P that it passes, u = N_F/N and q = N_P/N, fail verdicts get the share
√u/(√u + √q) of the labels: what the pass rate needs, at little cost to the rate of failures caught. A class of which
more than four fifths would be labelled is labelled whole (docs/judge.md, 2).
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from ..allocation import optimum
from ..errors import DesignError
from ..words.scale import GradeScale
from .scheme import scattered

FAIL, PASS = "fail", "pass"
# Fewest labels of a class that has as many items, and the share of a class from which on all of it is labelled.
LEAST_OF_A_CLASS, NEARLY_ALL = 5, 0.8
# Strata of a class along the risk, and the labels that each of them takes.
MOST_STRATA, LABELS_OF_A_STRATUM = 3, 8


# What the target of a criterion's labels begins with.
CRITERION = "criterion "
# What a criterion's name may not hold, since it stands in the header of a list; nor may it hold control characters.
_NO_NAME = ",;"


@dataclass(frozen=True, slots=True)
class Criterion:
    """A criterion by which people decide of each item, pass or fail, beside other criteria.

    Parameters
    ----------
    name : str
        What it is called.
    column : str
        The column of the pool, or the target, with the judge's verdicts on it; "" takes the name.
    rubric : str
        What passes, as people are shown it.
    threshold : float or None
        The score from which on the judge passes.
    passing : tuple of str or None
        Words that mean pass, all others fail. “Pass”, “yes” and their like still pass, unless one of these words says
        fail by itself, such as “no”. None: words that say so by themselves.

    Raises
    ------
    DesignError
        The name is empty or cannot stand in a header.
    """

    name: str
    column: str = ""
    rubric: str = ""
    threshold: float | None = None
    passing: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if not self.name.strip() or any(sign in _NO_NAME or sign < " " for sign in self.name):
            raise DesignError(
                f"A criterion’s name is a short text without commas, semicolons and line breaks. Found “{self.name}”."
            )
        object.__setattr__(self, "column", self.column or self.name)
        # As the header of a list is read back.
        object.__setattr__(self, "name", self.name.strip())
        # As a manifest reads it back.
        object.__setattr__(self, "threshold", None if self.threshold is None else float(self.threshold))

    @classmethod
    def of(
        cls, column: str, rubric: str = "", threshold: float | None = None, passing: tuple[str, ...] | None = None
    ) -> Criterion:
        """The criterion of a column, called like it but for what a name may not hold."""
        name = "".join(" " if sign in _NO_NAME or sign < " " else sign for sign in column)
        return cls(" ".join(name.split()), column, rubric, threshold, passing)

    @property
    def labelled_as(self) -> str:
        """The target under which its labels are kept."""
        return f"{CRITERION}{self.name}"


@dataclass(frozen=True, slots=True)
class Judging:
    """The judge that a list checks, whose verdicts the strata keep apart.

    Parameters
    ----------
    judge : str
        The column of the pool, or the target, whose verdicts these are.
    failing : int
        How many strata hold the items that the judge fails; they come first.
    threshold : float or None
        The score from which on the judge passes; None if its verdicts are words or 0 and 1.
    target : str
        The target whose answers the judge has seen; "" if nobody is named.
    criteria : tuple of Criterion
        What people decide of each item, one of them by the verdicts of ``judge``; () of a judge without a rubric.
    scale : GradeScale or None
        The scale on which the judge and people grade; strata then follow its grades, and none is of fail verdicts.
        None: both pass or fail.
    """

    judge: str
    failing: int
    threshold: float | None = None
    target: str = ""
    criteria: tuple[Criterion, ...] = ()
    scale: GradeScale | None = None

    @property
    def facts(self) -> dict[str, object]:
        """All of it as plain values; without criteria and scale if there are none, as earlier versions wrote it."""
        given = {"criteria": bool(self.criteria), "scale": self.scale is not None}
        return {name: fact for name, fact in asdict(self).items() if given.get(name, True)}

    @property
    def planned(self) -> Criterion | None:
        """The criterion that the list was drawn for; None without criteria."""
        return next((one for one in self.criteria if one.column == self.judge), None)

    def criterion(self, name: str) -> Criterion:
        """The criterion of this name.

        Raises
        ------
        DesignError
            There is none.
        """
        found = next((one for one in self.criteria if one.name == name), None)
        if found is None:
            known = ", ".join(f"“{one.name}”" for one in self.criteria) or "none"
            raise DesignError(f"This list has no criterion “{name}”. Its criteria: {known}.")
        return found

    def shares(
        self, sizes: NDArray[np.int64], budget: int, mass: NDArray[np.float64] | None = None
    ) -> NDArray[np.int64]:
        """Labels of each stratum, (H,), for a budget.

        Parameters
        ----------
        sizes : (H,) int
            Items of each stratum, those of fail verdicts first.
        budget : int
            M.
        mass : (H,) float, optional
            Weight of the items of each; by default each item counts once.

        Raises
        ------
        DesignError
            The budget is above the number of items, or too small for the strata.
        """
        return np.concatenate([labels for _, labels in self._classes(sizes, budget, mass)])

    def turns(
        self, sizes: NDArray[np.int64], budget: int, mass: NDArray[np.float64] | None = None
    ) -> NDArray[np.int64]:
        """Stratum of each label in turn, (M,): both classes are spread evenly, so that the list may be cut anywhere.

        Parameters and errors as in `shares`.
        """
        turns, ranks, first = [], [], 0
        for part, labels in self._classes(sizes, budget, mass):
            order = _scattered(part.size)
            turn = order[optimum.label_order(part[order], labels[order])] if part.size else order
            turns.append(turn + first)
            ranks.append((np.arange(turn.size) + 0.5) / max(turn.size, 1))
            first += part.size
        return np.asarray(np.concatenate(turns)[np.argsort(np.concatenate(ranks), kind="stable")])

    def verdicts(self, n_strata: int) -> list[str]:
        """Return the judge's verdict on the items of each stratum, "fail" or "pass", (H,)."""
        return [FAIL] * self.failing + [PASS] * (n_strata - self.failing)

    def least_budget(self, sizes: NDArray[np.int64], mass: NDArray[np.float64] | None = None) -> int:
        """Fewest labels that cover these strata; parameters as in `shares`."""
        total = int(sizes.sum())
        for budget in range(int(np.minimum(sizes, 2).sum()), total):
            with suppress(DesignError):
                self.shares(sizes, budget, mass)
                return budget
        return total

    def _classes(
        self, sizes: NDArray[np.int64], budget: int, mass: NDArray[np.float64] | None
    ) -> list[tuple[NDArray[np.float64], NDArray[np.int64]]]:
        """Mass of the strata of either class, and their labels."""
        total = int(sizes.sum())
        if budget > total:
            raise DesignError(f"The budget of {budget:,} labels is above the number of items, {total:,}.")
        weight = sizes.astype(np.float64) if mass is None else mass
        parts = slice(self.failing), slice(self.failing, None)
        n_fail, n_pass = (int(sizes[part].sum()) for part in parts)
        share = float(weight[parts[0]].sum()) / float(weight.sum())
        labels = class_labels(n_fail, n_pass, budget, None if mass is None else share)
        return [
            (weight[part], _proportional(weight[part], sizes[part], of)) for part, of in zip(parts, labels, strict=True)
        ]


def class_labels(n_fail: int, n_pass: int, budget: int, share: float | None = None) -> tuple[int, int]:
    """m_F and m_P, the labels of items that the judge fails and of those that it passes.

    Parameters
    ----------
    n_fail, n_pass : int
        N_F and N_P, at least one item in all.
    budget : int
        M ≤ N_F + N_P.
    share : float, optional
        u, the share of the first class in the weight of all items; N_F/N by default.

    Notes
    -----
    m_F = ⌊M √u/(√u + √q) + ½⌋; at least min(N_v, ⌊M/2⌋, 5) of a class, at most all of it.
    """
    u, q = (n_fail, n_pass) if share is None else (share, max(1 - share, 0.0))
    wanted = budget * math.sqrt(u) / (math.sqrt(u) + math.sqrt(q))
    least_fail, least_pass = (min(size, budget // 2, LEAST_OF_A_CLASS) for size in (n_fail, n_pass))
    labels = min(max(math.floor(wanted + 0.5), least_fail, budget - n_pass), n_fail, budget - least_pass)
    if NEARLY_ALL * n_fail < labels < n_fail and budget - n_fail >= least_pass:
        return n_fail, budget - n_fail
    if NEARLY_ALL * n_pass < budget - labels < n_pass and budget - n_pass >= least_fail:
        return budget - n_pass, n_pass
    return labels, budget - labels


def n_strata(labels: int) -> int:
    """Return how many risk strata a class with so many labels has: G = max(1, min(3, ⌊m/8⌋))."""
    return max(1, min(MOST_STRATA, labels // LABELS_OF_A_STRATUM))


def _proportional(mass: NDArray[np.float64], sizes: NDArray[np.int64], labels: int) -> NDArray[np.int64]:
    """Labels in proportion to the strata's mass, at least two of each that has two if all weigh about the same."""
    least = int(np.minimum(sizes, 2).sum())
    if labels < least:
        raise DesignError(
            f"{labels:,} labels cannot cover {sizes.size:,} strata with two labels each. Take more labels, or a new "
            "list."
        )
    if not sizes.size:
        return sizes
    order = _scattered(sizes.size)
    shared = np.empty_like(sizes)
    shared[order] = optimum.allocate(mass[order], sizes[order], labels)
    return shared


def _scattered(count: int) -> NDArray[np.int64]:
    return scattered(count) if count else np.empty(0, dtype=np.int64)
