"""GAT: True/False uncertainty of a proxy task as LURE's acquisition score; one log-probability call an item.

Each item is rewritten as a statement, a question with a proposed answer, that a model judges True or False. The entropy
of its first token is the score by which LURE draws, so the estimate stays unbiased; the score tells how sure the model
is of one answer, not how often its generations agree.

Source: Ramakrishnan, Saeedi, Hassanzadeh, Mohaghegh & Lee 2026, "Generative Active Testing"; the paper, section 2;
docs/designs.md, GAT. The rewriting model of the source is replaced by `prompt`, which needs no further call.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import DesignError
from ..pool.pool import Pool
from ..signals.columns import column_values

# Columns that are looked for: P(True), or the log-probabilities of the two first tokens.
P_TRUE = "p_true"
LOGPROBS = ("logprob_true", "logprob_false")
LACKS = (
    f"GAT is not shown: it needs the probability that a model gives to “True” as its first token. Add it as a column "
    f"“{P_TRUE}”, or the log-probabilities of both answers as “{LOGPROBS[0]}” and “{LOGPROBS[1]}”."
)


def prompt(question: str, answer: str) -> str:
    """Ask a model whether a proposed answer, such as the surrogate's most frequent one, is right.

    Parameters
    ----------
    question : str
        The item's prompt.
    answer : str
        The proposed answer.

    Returns
    -------
    str
        Ask for one token with log-probabilities; P(True) is that of “True” over the sum of both.
    """
    instruction = "Is the proposed answer True or False? Reply with one word."
    return f"Question: {question}\n\nProposed answer: {answer}\n\n{instruction}"


def true_probability(true: ArrayLike, false: ArrayLike | None = None) -> NDArray[np.float64]:
    """Probability of “True” among the two answers.

    Parameters
    ----------
    true : (N,) float
        Probabilities of “True” in [0, 1]; with ``false`` log-probabilities, at most 0. NaN if unknown.
    false : (N,) float, optional
        Log-probabilities of “False”.

    Returns
    -------
    (N,) float
        In [0, 1]; NaN if unknown.

    Raises
    ------
    DesignError
        A number is not what it must be.
    """
    first = np.asarray(true, dtype=np.float64)
    if false is None:
        if np.any((first < 0) | (first > 1)):
            raise DesignError(
                "A probability of “True” lies outside 0 to 1. Give log-probabilities of both answers instead."
            )
        return first
    second = np.asarray(false, dtype=np.float64)
    if np.any(first > 0) or np.any(second > 0):
        raise DesignError("A log-probability is above 0. Give natural logarithms of the first token's probabilities.")
    # Log-probabilities of a token that was not among the logged ones are −∞; both of them say nothing.
    with np.errstate(invalid="ignore"):
        return np.asarray(1.0 / (1.0 + np.exp(second - first)))


def scores(probability: ArrayLike) -> NDArray[np.float64]:
    """Entropy of the True/False answer, −p ln p − (1−p) ln(1−p), in nats.

    Parameters
    ----------
    probability : (N,) float
        P(True) in [0, 1]; NaN if unknown.

    Returns
    -------
    (N,) float
        0 if the model is certain, ln 2 if it is undecided, NaN if unknown (LURE draws such items as the
        least certain ones).
    """
    p = np.asarray(probability, dtype=np.float64)
    both = np.stack([p, 1.0 - p])
    terms = np.where(both > 0, both * np.log(np.where(both > 0, both, 1.0)), 0.0)
    return np.where(np.isnan(p), np.nan, -terms.sum(axis=0))


def proxy(pool: Pool, column: str | None = None) -> NDArray[np.float64] | None:
    """P(True) of a pool's items; None if the pool does not have it.

    Parameters
    ----------
    pool : Pool
        The pool.
    column : str, optional
        The column of P(True). By default “p_true”, or else “logprob_true” with “logprob_false”.

    Raises
    ------
    PoolError
        The pool does not have the named column, or it holds something else than numbers.
    DesignError
        As `true_probability`.
    """
    names = set(pool.source.column_names)
    if column is not None or P_TRUE in names:
        return true_probability(column_values(pool, column or P_TRUE))
    if names.issuperset(LOGPROBS):
        return true_probability(*(column_values(pool, name) for name in LOGPROBS))
    return None
