"""Command lines that run a target on just the sampled items."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_INDEX = re.compile(r"0|[1-9][0-9]{0,8}")
# Inspect splits its list at commas and trims what it finds.
_NOT_IN_A_LIST = re.compile(r"[,\x00]|^\s|\s$|^-|^$")
# It reads ids as patterns (fnmatch), and what precedes a colon as the name of a task where there is such a task.
_PATTERN = re.compile(r"[\[*?:]")
# Longest single argument that Linux takes.
_LONGEST = 131_071


@dataclass(frozen=True, slots=True)
class Command:
    """``tool`` that runs; ``line`` for a POSIX shell; ``assumes``: what must hold for it to run on the right items."""

    tool: str
    line: str
    assumes: str


def commands(ids: Sequence[str], positions: NDArray[np.int64], task: str, model: str = "MODEL") -> tuple[Command, ...]:
    """How to run a target on just these items with lm-evaluation-harness and Inspect.

    Parameters
    ----------
    ids : (M,) the items' ids. positions : (M,) their places in the pool, 0 … N−1. task : its name in the tool.
    model : the model's name in the tool.
    """
    return (_lm_eval(ids, positions, task, model), _inspect(ids, task, model))


def _lm_eval(ids: Sequence[str], positions: NDArray[np.int64], task: str, model: str) -> Command:
    if all(_INDEX.fullmatch(item) for item in ids):
        indices, assumes = [int(item) for item in ids], "The items' ids are the indices (doc_id) of the task's docs."
    else:
        indices = [int(position) for position in positions]
        assumes = (
            "The pool lists the task's docs in the task's order: its ids are no doc indices, so the items' places in "
            "the pool, counted from 0, are used."
        )
    samples = json.dumps({task: sorted(indices)}, separators=(",", ":"))
    if len(samples.encode()) > _LONGEST:
        assumes += " The list is longer than a shell takes: write it to a file and name that after --samples."
    assumes += " It is one task: of a group of tasks, all docs would run."
    line = shlex.join(["lm_eval", "--model_args", f"pretrained={model}", "--tasks", task, "--samples", samples])
    # Without a place to write to, the harness refuses to keep the samples.
    return Command("lm-evaluation-harness", line + " --log_samples --output_path results", assumes)


def _inspect(ids: Sequence[str], task: str, model: str) -> Command:
    assumes = "The samples' ids in the task are the items' ids."
    patterns = [_PATTERN.sub(r"[\g<0>]", str(item)) for item in ids]
    if patterns != list(ids):
        assumes += " Inspect warns that ids with * ? [ : are not found, and runs them."
    joined = ",".join(patterns)
    if not any(_NOT_IN_A_LIST.search(item) for item in ids) and len(joined.encode()) <= _LONGEST:
        line = shlex.join(["inspect", "eval", task, "--model", model]) + " --sample-id " + shlex.quote(joined)
        return Command("Inspect", line, assumes)
    # An id that the option would tear apart stays whole as a Python text.
    code = f"from inspect_ai import eval; eval({task!r}, model={model!r}, sample_id={patterns!r})"
    if len(code.encode()) > _LONGEST:
        assumes += " The list is longer than a shell takes: save the program to a file."
    return Command("Inspect", "python -c " + shlex.quote(code), assumes)
