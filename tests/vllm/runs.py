"""A run of the tiny surrogate over a part of the demo pool: its job, its progress, its rows."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from core.archive import Archive
from core.pool import Pool
from core.signals import self_consistency, semantic_entropy
from core.surrogate.job.parameters import Prompting, Sampling
from core.surrogate.job.progress import JobProgress, progress
from core.surrogate.job.spec import JobSpec
from core.surrogate.job.store import Store

N_ITEMS = 200
CREATED = "2026-11-20T12:00:00+00:00"
SAMPLING = Sampling(presence_penalty=0.0, max_tokens=192)


def spec_for(demo: Pool, home: Path, **more: Any) -> JobSpec:
    digest = Archive(home).pools.save(demo, CREATED)
    return JobSpec(digest, sampling=SAMPLING, prompting=Prompting(template="{question}"), **more)


def until(store: Store, job: str, reached: Callable[[JobProgress], bool], seconds: float = 400) -> JobProgress:
    deadline = time.monotonic() + seconds
    while not reached(state := progress(store, job)):
        assert time.monotonic() < deadline, f"{state}\n{state.log.read_text()}"
        time.sleep(0.1)
    return state


def ended(job: JobProgress) -> bool:
    return not job.active


def rows(store: Store) -> dict[tuple[int, int], tuple[Any, ...]]:
    with store.database.connection() as database:
        query = "SELECT position, sample, text, logprob, token_logprob, tokens FROM surrogate_generations"
        return {(position, sample): tuple(rest) for position, sample, *rest in database.execute(query)}


def every_sample() -> set[tuple[int, int]]:
    return {(position, sample) for position in range(N_ITEMS) for sample in range(SAMPLING.k)}


def compare(ours: Pool, theirs: Pool) -> None:
    """The signals of two sets of samples of one model agree within four standard errors of their mean difference."""
    for signal_of in (semantic_entropy, self_consistency):
        gaps = signal_of(ours.classes()) - signal_of(theirs.classes())
        print(f"{signal_of.__name__}: {gaps.mean():.4f} ± {gaps.std(ddof=1) / math.sqrt(len(gaps)):.4f}")
        assert abs(gaps.mean()) < 4 * gaps.std(ddof=1) / math.sqrt(len(gaps))
    spread = np.std(semantic_entropy(theirs.classes()))
    assert spread > 0.1
