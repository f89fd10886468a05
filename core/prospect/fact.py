"""Facts that a file states of a target: its accuracy on every item, which no label has to find out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..pool.columns import leaf
from ..pool.pool import Pool
from ..words import counted, level, listed, per_cent, value

# Of so many further targets, their accuracies are named.
_MOST = 4
RIGHT_ANSWERS, VERDICTS, SCORES = "right answers", "verdicts", "scores"


@dataclass(frozen=True, slots=True)
class PoolFact:
    """The outcome of a target that is known on every item of a pool.

    Parameters
    ----------
    target, pool : str
        Names of both.
    n_items : int
        N.
    mean : float
        The accuracy if losses are 0 and 1, else the mean loss.
    share : bool
        Losses are 0 and 1.
    source : str
        What says so: `RIGHT_ANSWERS`, `VERDICTS` or `SCORES`.
    others : tuple of (str, float)
        Further targets of which the same is known, with their accuracies.
    varies : bool
        Whether the target was run several times: this is known of the first run.
    """

    target: str
    pool: str
    n_items: int
    mean: float
    share: bool
    source: str
    others: tuple[tuple[str, float], ...] = ()
    varies: bool = False

    @classmethod
    def of(cls, pool: Pool, target: str, mean: float, share: bool, parser: str | None = None) -> PoolFact:
        """Return the fact of a pool that knows every outcome of a target."""
        losses = leaf(pool.source, target, "loss")
        graded = losses is not None and losses.null_count < len(losses)
        source = RIGHT_ANSWERS if not graded else VERDICTS if share else SCORES
        further = [name for name in pool.targets if name != target] if share else []
        known = {name: pool.losses(name, parser) for name in further}
        others = tuple((name, 1 - float(one.mean())) for name, one in known.items() if np.isin(one, (0.0, 1.0)).all())
        return cls(target, pool.name, pool.n_items, mean, share, source, others, pool.varies(target))

    @property
    def title(self) -> str:
        """The fact, as a headline."""
        if self.share:
            return f"{self.target} is right on {per_cent(self.mean, 1)} of all items"
        return f"{self.target} has a mean loss of {value(self.mean, False)} on all items"

    @property
    def because(self) -> str:
        """Who says so, and what that leaves for labels to find out."""
        named = [f"{name} is right on {per_cent(share, 1)}" for name, share in self.others[:_MOST]]
        more = len(self.others) - _MOST
        beside = listed(named) + f", and how right {counted(more, 'more model is', 'more models are')}" * (more > 0)
        first = " That is the first run of each item, and other runs may differ." if self.varies else ""
        return (
            f"The {self.source} of {counted(self.n_items, 'item')} in “{self.pool}” say so: no labels are needed for "
            f"that.{first}{f' They also say that {beside}.' if beside else ''} Labels can still check a judge (an "
            "automatic grader), or measure a model whose outcomes are unknown."
        )

    def beside(self, low: float, high: float, confidence: float) -> str:
        """Say whether an interval from labels contains what the file says; "" of scores.

        Parameters
        ----------
        low, high : float
            Its limits.
        confidence : float
            How often such an interval contains the true value.
        """
        if not self.share:
            return ""
        known = f"By the {self.source} in the file, the accuracy is {per_cent(self.mean, 1)}."
        if low <= self.mean <= high:
            return f"{known} The interval contains it."
        missed = level(round(1 - confidence, 6))
        return f"{known} The interval misses it. {missed} of intervals do, even if every label agrees with the file."

    @property
    def rehearsal(self) -> str:
        """Remark that a plan is a rehearsal if the truth is known."""
        return (
            f"What follows is a rehearsal: every answer of {self.target} is graded already, so you see how close a few "
            "labels come to the truth."
        )
