"""Lab's results kept between reruns: frames that take a while, by digests and small parameters."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from core.design import Scheme
from core.lab import Computation, Experiment, across
from core.pool import MOST_COMPARED, Pool
from pages.parts.app import kept, state
from pages.parts.app.progress import Progress

_SHELF = "lab"


def computed(name: str, computation: Computation, experiment: Experiment) -> pd.DataFrame:
    """Return the frame of a computation, with a progress bar while it is made; read-only.

    Parameters
    ----------
    name : str
        The computation's own, for the cache.
    computation : Computation
        How the frame is made, and what it depends on.
    experiment : Experiment
        What it is made of.
    """
    parameters = (getattr(experiment, field) for field in computation.depends)
    key = (name, experiment.pool.digest, experiment.scheme.parser, *parameters)
    work = computation.work(experiment)
    return _once(key, lambda progress: computation.run(experiment, progress), computation.title, work, computation.unit)


def compared(current: Pool, parser: str | None) -> pd.DataFrame:
    """Return `core.lab.across.compare` of the current pool and the archive's, with a progress bar; read-only.

    Parameters
    ----------
    current : Pool
        The current pool.
    parser : str or None
        Answer kind of all pools.
    """
    targets = state.with_targets(current)
    number = sum(min(count, MOST_COMPARED) for count in targets.values())

    def make(progress: Progress) -> pd.DataFrame:
        pools = state.opened(current, targets)
        return across.compare(pools, scheme=Scheme(parser=parser), progress=progress)

    return _once(("across", parser, *targets), make, "Comparing the pools", number, "targets")


def _once(
    key: tuple[object, ...], make: Callable[[Progress], pd.DataFrame], title: str, work: int, unit: str
) -> pd.DataFrame:
    """Return the frame of a key, made with a progress bar if it is not kept."""
    frames = kept.memo().shelf(_SHELF)
    frame: pd.DataFrame | None = frames.get(key)
    if frame is None:
        with Progress(title, work, unit) as progress:
            frame = frames.put(key, make(progress))
    return frame
