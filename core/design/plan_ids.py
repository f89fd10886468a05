"""Ids of plans: a hash of the items, the strata and the design, so that equal plans have equal ids."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..pool.class_counts import blocks
from .judging import Judging
from .known_verdicts import Carried
from .scheme import PAPER, Scheme

# The choices that ``neyman-plan/1`` knew.
FIRST_CHOICES = ("signal", "stratifier", "n_strata", "allocation", "offset", "parser")


class _Drawn(Protocol):
    """The parts of a `core.design.Design` that name its plan."""

    @property
    def budget(self) -> int: ...
    @property
    def scheme(self) -> Scheme: ...
    @property
    def seed(self) -> int | None: ...
    @property
    def carried(self) -> Carried | None: ...
    @property
    def judging(self) -> Judging | None: ...
    @property
    def weights(self) -> tuple[float, ...] | None: ...


def plan_id(
    items_digest: str,
    strata: str,
    design: _Drawn,
    earlier: str | None = None,
    spelled: Mapping[str, str] | None = None,
) -> str:
    """Name a plan: “p” and twelve hex digits, a hash of the items, the strata and the design.

    The letter keeps spreadsheets from taking an id such as 123456e78901 for a number.

    Parameters
    ----------
    items_digest : str
        `Pool.items_digest` of the pool.
    strata : str
        `Plan.strata_digest`.
    design : Design
        With its seed.
    earlier : str, optional
        Plan id of the first wave, for the plan of the second.
    spelled : mapping, optional
        Choices under the earlier names with which an earlier version named the plan.
    """
    choices: dict[str, object] = {f.name: getattr(design.scheme, f.name) for f in fields(Scheme)}
    # Defaults are left out, so that a choice which a later version adds changes no name.
    changed = {name: choice for name, choice in choices.items() if choice != getattr(PAPER, name)}
    before = {} if earlier is None else {"earlier": earlier}
    names = {"items": items_digest, "strata": strata, "budget": design.budget, "seed": design.seed}
    carried = {} if design.carried is None else {"carried": design.carried.digest}
    judging = {} if design.judging is None else {"judging": design.judging.facts}
    weights = {} if design.weights is None else {"weights": numbers_digest(design.weights)}
    return _named({**names, **changed, **(spelled or {}), **before, **carried, **judging, **weights})


def first_plan_id(pool_digest: str, design: _Drawn, spelled: Mapping[str, str] | None = None) -> str:
    """The name that the same plan has in format ``neyman-plan/1``, which hashed the whole pool's digest."""
    choices = {name: getattr(design.scheme, name) for name in FIRST_CHOICES}
    return _named({"pool": pool_digest, "budget": design.budget, "seed": design.seed, **choices, **(spelled or {})})


def numbers_digest(numbers: ArrayLike) -> str:
    """SHA-256 of a number of each item, hex."""
    return hashlib.sha256(np.asarray(numbers, dtype="<f8").tobytes()).hexdigest()


def strata_digest(stratum: NDArray[np.int64]) -> str:
    """SHA-256 of the stratum of every item, hex."""
    digest = hashlib.sha256()
    for block in blocks(stratum.size):
        digest.update(stratum[block].astype("<i4").tobytes())
    return digest.hexdigest()


def _named(parameters: dict[str, object]) -> str:
    return "p" + hashlib.sha256(json.dumps(parameters, sort_keys=True).encode()).hexdigest()[:12]
