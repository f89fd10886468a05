"""Trials of carried verdicts, on pools whose outcomes are known.

A round of carried verdicts is a labelled list of the recommended design: the numbers of wrong answers in each stratum
and among the audits are drawn without replacement, and estimate and limits are those of `core.estimation.carried`, for
all rounds at once. Losses are 0 or 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.bank.bank import Bank
from core.bank.known import Known
from core.design.recommend import recommend
from core.errors import DesignError
from core.estimation.carried import Audit
from core.estimation.intervals import DEFAULT
from core.estimation.samples import Samples
from core.lab.against.methods import carried_rounds
from core.lab.against.simulated_lists import past_of
from core.pool.pool import Pool

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class CarryTrial:
    """A way to carry verdicts over in a trial.

    Parameters
    ----------
    past : tuple of str
        Models whose verdicts are in the bank.
    follows : bool
        Whether nothing is audited.
    logged : int
        Audits of earlier lists, which found as many wrong verdicts as chance has it.
    wrong : float
        Share of the carried verdicts that are wrong, all in one direction: a wrong answer passes for right, or, if
        there are too few wrong ones, the other way round.
    """

    past: tuple[str, ...]
    follows: bool = False
    logged: int = 0
    wrong: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class _Carrying:
    """A bank with the verdicts of a trial."""

    verdicts: Known
    logged: int
    wrong: float

    def lookup(self, pool: Pool, target: str, parser: str | None = None) -> Known:
        return self.verdicts

    def log(self, pool: Pool) -> Audit | None:
        return Audit(self.logged, up=self.logged * self.wrong) if self.logged else None


def carried_trial(
    pool: Pool,
    target: str,
    setting: CarryTrial,
    budget: int,
    rounds: int = 2000,
    seed: int = 0,
    parser: str | None = None,
) -> dict[str, float]:
    """Label a target's list many times, with carried verdicts, and a uniform one beside it.

    Parameters
    ----------
    pool : Pool
        Every outcome of the target is known, 0 or 1.
    target : str
        The target.
    setting : CarryTrial
        What is carried over.
    budget : int
        M.
    rounds : int
        Lists.
    seed : int
        Of the rounds.
    parser : str, optional
        Answer kind of all items.

    Returns
    -------
    dict
        error and width (Uniform = 1), coverage, coverage_error (its standard error), error_error (that of ``error``),
        known (share), audits; the same of the recommended design without a bank as fresh_error, fresh_width and
        fresh_error_error.

    Raises
    ------
    DesignError
        An outcome is not known, or is neither 0 nor 1.
    """
    truth = pool.losses(target, parser)
    if not np.isin(truth, (0.0, 1.0)).all():
        raise DesignError(f"The trial needs every outcome of “{target}”, right or wrong.")
    rng = np.random.default_rng(seed)
    bank = Bank.of(pool)
    past = bank.without(~bank.rows["model"].isin(setting.past).to_numpy())
    verdicts = _spoilt(past.lookup(pool, target, parser), truth, setting.wrong, rng)
    carrying = _Carrying(verdicts, setting.logged, setting.wrong)
    design = recommend(pool, budget, target, setting.past, parser=parser, bank=carrying, follows=setting.follows)
    fresh = recommend(pool, budget, target, setting.past, parser=parser).draw(pool, seed=seed)
    mean = float(truth.mean())
    uniform = _uniform(truth, budget, rounds, rng)
    how = (setting.follows, setting.logged, setting.wrong)
    ours = carried_rounds(design.draw(pool, seed=seed), truth, rounds, rng, *how)
    plain = carried_rounds(fresh, truth, rounds, rng, *how)
    exact = mean * (1 - mean) * truth.size / (truth.size - 1) * (1 / budget - 1 / truth.size)
    squares = (ours["value"] - mean) ** 2 / exact
    others = (plain["value"] - mean) ** 2 / exact
    covered = float(((ours["low"] <= mean + 1e-9) & (mean - 1e-9 <= ours["high"])).mean())
    width = float((uniform["high"] - uniform["low"]).mean())
    return {
        "error": float(squares.mean()),
        "error_error": float(squares.std() / np.sqrt(rounds)),
        "width": float((ours["high"] - ours["low"]).mean()) / width,
        "coverage": covered,
        "coverage_error": float(np.sqrt(max(covered * (1 - covered), 1e-9) / rounds)),
        "known": verdicts.share,
        "audits": float(0 if design.carried is None else design.carried.audits(budget)),
        "fresh_error": float(others.mean()),
        "fresh_error_error": float(others.std() / np.sqrt(rounds)),
        "fresh_width": float((plain["high"] - plain["low"]).mean()) / width,
    }


def _spoilt(known: Known, truth: Array, wrong: float, rng: np.random.Generator) -> Known:
    """Carried verdicts that are right but for a share of them."""
    loss = np.where(known.known, truth, np.nan)
    count = round(wrong * known.n_known)
    for value in (1.0, 0.0):
        places = np.flatnonzero(loss == value)
        chosen = rng.permutation(places)[:count]
        if places.size >= count:
            loss[chosen] = 1.0 - value
            break
    return replace(known, loss=loss, vetoed=np.zeros(truth.size, dtype=bool))


def _uniform(truth: Array, budget: int, rounds: int, rng: np.random.Generator) -> pd.DataFrame:
    ones = int(truth.sum())
    drawn = rng.hypergeometric(ones, truth.size - ones, budget, (rounds, 1))
    sizes, counts = np.array([truth.size]), np.array([budget])
    return Samples(counts, sizes, drawn / budget, drawn * (budget - drawn) / budget).estimates(DEFAULT)


def settings(pool: Pool, target: str, counts: Sequence[int], parser: str | None = None) -> list[CarryTrial]:
    """Return the trials for a target: verdicts that follow, audits without a log, and with one, perfect or not."""
    every = []
    for count in counts:
        past = past_of(pool, target, count, parser)
        every.append(CarryTrial(past, follows=True))
        every += [
            CarryTrial(past, logged=logged, wrong=wrong) for logged in (0, 100) for wrong in (0.0, 0.005, 0.01, 0.03)
        ]
    return every
