"""What answers alone let one assume of a target's accuracy: how often the surrogate gives its answer, or its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from ..planning.belief import Range
from ..pool.pool import Pool
from ..signals.entropy import share_agreeing
from ..signals.past import answered
from ..words import per_cent
from .knowledge import Sorted
from .question import Question

# On five pools, logits of accuracies lay so far above those of a share, and 80 % of a further pool's within the second
# number of that. The share is that of generations with the target's answer, or with the commonest one.
_AGREEMENT, _CONSISTENCY = (0.75, 1.15), (0.15, 1.25)
_LEAST = 0.01
# Below this share the texts are written in different ways: they say nothing of the accuracy.
_COMPARABLE = 0.05


@dataclass(frozen=True, slots=True)
class Likeness:
    """A target's accuracy as answers let one assume it.

    Parameters
    ----------
    accuracy : Range
        Where it probably lies: an assumption that few pools bear out (docs/planning.md, 1).
    why : str
        What it follows from, in words.
    """

    accuracy: Range
    why: str


def likeness(pool: Pool, question: Question, own: Sorted) -> Likeness | None:
    """Return what answers let one assume; None without several generations of any item.

    None also if hardly a generation is the target's answer: sentences beside short answers, for example, are never
    equal however right they are.

    Parameters
    ----------
    pool : Pool
        The pool. No losses are looked at.
    question : Question
        Whose target may have answers.
    own : Sorted
        The target's own design.
    """
    if pool.n_generations < 2:
        return None
    target, parser = question.target, question.parser
    if target is not None and answered(pool, target, parser):
        shares = share_agreeing(pool.agreeing(target, parser), pool.class_counts(parser))
        if not np.isnan(shares).all() and np.nanmean(shares) < _COMPARABLE:
            return None
        return _likeness(shares, *_AGREEMENT, "of a cheap model’s answers are those of your model")
    return _likeness(own.profile.consistency, *_CONSISTENCY, "of a cheap model’s answers agree")


def _likeness(shares: NDArray[np.float64], above: float, reach: float, of: str) -> Likeness | None:
    # Items without an answer have no share.
    known = shares[~np.isnan(shares)]
    if not known.size:
        return None
    share = float(known.mean())
    middle = logit(np.clip(share, _LEAST, 1 - _LEAST)) + above
    low, centre, high = (float(end) for end in expit(np.array([middle - reach, middle, middle + reach])))
    return Likeness(Range(low, centre, high), f"since {per_cent(share)} {of}")
