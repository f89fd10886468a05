"""What Lab keeps between reruns: frames that take a while, by digests and small parameters."""

from __future__ import annotations

from collections import OrderedDict

import pandas as pd
import streamlit as st

from core.lab import Computation, Experiment
from pages.parts.progress import Progress

_KEPT = 64


@st.cache_resource
def _frames() -> OrderedDict[tuple[object, ...], pd.DataFrame]:
    # Not st.cache_data: a cached function may not move a progress bar that stands outside of it.
    return OrderedDict()


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
    frames = _frames()
    if key not in frames:
        with Progress(computation.title, computation.work(experiment), computation.unit) as progress:
            frames[key] = computation.run(experiment, progress)
        while len(frames) > _KEPT:
            frames.popitem(last=False)
    return frames[key]
