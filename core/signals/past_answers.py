"""Agreement of a target's answers with those of other models whose outcomes are not known: a risk without any verdict.

A model fails less if others give its answer. With s_i of the J_i other models that answered item i on the target's
side, and g_i of the k generations if the pool has some, the risk is one less the mean of (s_i + ½)/(J_i + 1) and
(g_i + ½)/(k + 1). On GSM8K, BLINK and MMLU-Pro the mean of both shares is better than either (docs/method.md, 7.7).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..pool.columns import leaf
from ..pool.pool import Pool
from .past import DIGITS, MOST_KNOWN


def agreeing_models(pool: Pool, target: str) -> tuple[str, ...]:
    """Other targets of a pool whose answers can be compared with a target's; none if its own are not known.

    Parameters
    ----------
    pool : Pool
        The pool.
    target : str
        One of its targets.
    """
    known = [name for name in pool.targets if _asked(pool, name)]
    return tuple(name for name in known if name != target) if target in known else ()


def past_answers_risk(pool: Pool, target: str, parser: str | None = None) -> NDArray[np.float64]:
    """Risk that a target fails, from the share of other models and of generations that give its answer.

    Parameters
    ----------
    pool, target
        As in `agreeing_models`, which names at least one model.
    parser : str, optional
        A kind of `core.answers` for all items.

    Returns
    -------
    (N,) float
        In (0, 1); ½ if nobody else answered.
    """
    own = pool.target_answers(target, parser)
    others = [pool.target_answers(name, parser) for name in agreeing_models(pool, target)]
    shares = [_share(own, np.array(others, dtype=object))]
    if pool.n_generations:
        rows = pool.answers(parser)
        filled = [[*row, *[None] * (pool.n_generations - len(row))] for row in rows]
        shares.append(_share(own, np.array(filled, dtype=object).T))
    return np.asarray(np.round(1.0 - np.mean(shares, axis=0), DIGITS))


def _asked(pool: Pool, name: str) -> bool:
    """Whether the answers of a target are there, right or wrong."""
    columns = [leaf(pool.source, name, field) for field in ("answer", "text")]
    return any(column is not None and column.null_count <= (1 - MOST_KNOWN) * len(column) for column in columns)


def _share(own: NDArray[np.object_], others: NDArray[np.object_]) -> NDArray[np.float64]:
    """(s + ½)/(J + 1) of each item; no answer equals none."""
    given = np.array([[bool(answer) for answer in row] for row in others], dtype=bool)
    same = given & (others == own)
    return np.asarray((same.sum(axis=0) + 0.5) / (given.sum(axis=0) + 1.0))
