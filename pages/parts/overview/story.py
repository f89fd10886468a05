"""What page Overview and the guided demo tell of a pool: its target, the recommended design and what it gains."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st

from core.allocation import default_budget
from core.pool import Pool
from core.simulation import findings
from core.stratification import Outcome
from pages.parts import comparison, recommendation
from pages.parts.app import state
from pages.parts.recommendation import Recommendation
from pages.parts.widgets import controls


@dataclass(frozen=True, slots=True)
class Story:
    """A pool with one target and one number of labels.

    Parameters
    ----------
    pool : Pool
        The pool.
    target : str or None
        The first one whose outcome is known, or that the address names; None where no outcome is known.
    chosen : Recommendation
        The recommended design.
    known : Outcome or None
        The target's outcome.
    budget : int
        M.
    """

    pool: Pool
    target: str | None
    chosen: Recommendation
    known: Outcome | None
    budget: int

    @property
    def playable(self) -> bool:
        """Whether rounds of labelling can be simulated: the truth is known, and there are labels enough to vary."""
        return self.known is not None and self.budget > 1

    @property
    def share(self) -> bool:
        """Whether losses are 0 and 1, so that people read an accuracy."""
        return self.known is None or self.known.moments.binary

    @property
    def measure(self) -> str:
        """What is estimated, in words."""
        return "accuracy" if self.share else "mean loss"

    @property
    def truth(self) -> float:
        """The accuracy or the mean loss of the items whose outcome is known."""
        assert self.known is not None
        return 1 - self.known.moments.mean if self.share else self.known.moments.mean

    @property
    def gain(self) -> findings.Gain:
        """What the recommended design gains, exact."""
        assert self.known is not None
        return comparison.gained(self.pool, self.chosen, self.known, self.budget)


def story_of(pool: Pool) -> Story:
    """Return what is story of a pool."""
    kind = state.answer_kind()
    names = [name for name in pool.targets if np.isfinite(pool.losses(name, kind)).any()]
    target = controls.TARGET.of({name: name for name in names}).current() if names else None
    chosen = recommendation.best(pool, target, kind)
    known = None if chosen.uniform else chosen.outcome(pool)
    size = pool.n_items if known is None else known.losses.size
    return Story(pool, target, chosen, known, _budget(size))


def _budget(size: int) -> int:
    """The number of labels that the session or the address has, where the pool has room for it."""
    least = min(2, size)
    given = str(st.session_state.get(controls.BUDGET.key, controls.BUDGET.address) or "")
    return int(given) if given.isdigit() and least <= int(given) <= size else default_budget(least, size)
