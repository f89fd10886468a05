"""Methods, which are ways of spending labels, and rules, which share labels among strata."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .looks import Look

Array = NDArray[np.float64]


class StrataFacts(NamedTuple):
    """The facts about H strata that an allocation may use.

    Parameters
    ----------
    sizes : (H,) int
        N_h ≥ 1.
    consistency : (H,) float
        p_h, mean self-consistency.
    offset : float
        δ ≥ 0, a choice of the scheme.
    sds : (H,) float or None
        Standard deviations of the target's losses, if they are known.
    """

    sizes: NDArray[np.int64]
    consistency: Array
    offset: float
    sds: Array | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """A way of spending labels, as people meet it in tables and figures.

    Parameters
    ----------
    name : str
        In frames, schemes, manifests and addresses; it never changes.
    title : str
        In a legend, a table or a box.
    look : Look
        Its line in every figure.
    plainly : str
        Its name beside a forecast, for people who have heard of no method yet; by default the title.
    within : str
        Its name inside a sentence; by default the title.
    rung : str
        What follows its error in a sentence of the ladder; "" if it is no rung.
    feasible : bool
        Somebody without the losses can use it.
    aliases : tuple of str
        Earlier names, which are read and never written.
    """

    name: str
    title: str
    look: Look
    plainly: str = ""
    within: str = ""
    rung: str = ""
    feasible: bool = True
    aliases: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "plainly", self.plainly or self.title)
        object.__setattr__(self, "within", self.within or self.title)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule(Method):
    """A method that shares a budget among strata in proportion to weights, as whole numbers.

    Parameters
    ----------
    about : str
        What it does, as in the table of docs/designs.md.
    weights : callable
        From `StrataFacts` to the weights of the strata, (H,) float ≥ 0.
    choices : tuple of str
        Choices of a scheme on which it depends.
    blind : bool
        It can spread labels unevenly without looking at risk.
    whole : bool
        It draws from the pool as a single stratum.
    """

    about: str
    weights: Callable[[StrataFacts], Array]
    choices: tuple[str, ...] = ()
    blind: bool = False
    whole: bool = False
