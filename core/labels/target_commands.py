"""Command lines that run a target on just the sampled items."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..words import shell_line

_INDEX = re.compile(r"0|[1-9][0-9]{0,8}")
# Ids that Inspect would change: it splits its list at commas and trims the parts.
_NOT_IN_A_LIST = re.compile(r"[,\x00]|^\s|\s$|^-|^$")
# Inspect reads ids as patterns (fnmatch), and the text before a colon as the name of a task if there is one.
_PATTERN = re.compile(r"[\[*?:]")
# Longest argument that Linux takes, in bytes.
_LONGEST = 131_071
_TOO_LONG = " The list is too long for a shell:"


@dataclass(frozen=True, slots=True)
class Command:
    """A command line that runs a target.

    Parameters
    ----------
    tool : str
        The tool's name.
    line : str
        The command, for a POSIX shell.
    assumes : str
        Sentences about what must hold for it to run on the right items.
    """

    tool: str
    line: str
    assumes: str


def commands(ids: Sequence[str], positions: NDArray[np.int64], task: str, model: str = "MODEL") -> tuple[Command, ...]:
    """Return the commands that run a target on just these items, with lm-evaluation-harness and Inspect.

    Parameters
    ----------
    ids : (M,) sequence of str
        The items' ids.
    positions : (M,) int
        Their places in the pool, 0 … N−1.
    task : str
        The task's name in the tool.
    model : str
        The model's name in the tool.
    """
    return (_lm_eval(ids, positions, task, model), _inspect(ids, task, model))


def _lm_eval(ids: Sequence[str], positions: NDArray[np.int64], task: str, model: str) -> Command:
    if all(_INDEX.fullmatch(item) for item in ids):
        indices, assumes = [int(item) for item in ids], "The item ids must be the indices (doc_id) of the task's docs."
    else:
        indices = [int(position) for position in positions]
        assumes = (
            "The item ids are not doc indices, so the command uses the items' places in the pool, counted from 0. The "
            "pool must list the task's docs in the task's order."
        )
    samples = json.dumps({task: sorted(indices)}, separators=(",", ":"))
    if len(samples.encode()) > _LONGEST:
        assumes += f"{_TOO_LONG} write it to a file and pass the file to --samples."
    assumes += " The task must be a single task: for a group, all docs would run."
    line = shell_line(["lm_eval", "--model_args", f"pretrained={model}", "--tasks", task, "--samples", samples])
    # Without an output path, the harness refuses to log the samples.
    return Command("lm-evaluation-harness", line + " --log_samples --output_path results", assumes)


def _inspect(ids: Sequence[str], task: str, model: str) -> Command:
    assumes = "The task's sample ids must be the item ids."
    patterns = [_PATTERN.sub(r"[\g<0>]", item) for item in ids]
    if patterns != list(ids):
        assumes += " Inspect warns that ids with * ? [ : are not found, but runs them."
    joined = ",".join(patterns)
    if not any(_NOT_IN_A_LIST.search(item) for item in ids) and len(joined.encode()) <= _LONGEST:
        line = shell_line(["inspect", "eval", task, "--model", model, "--sample-id", joined])
        return Command("Inspect", line, assumes)
    # As a Python text, an id that the option would split stays whole.
    code = f"from inspect_ai import eval; eval({task!r}, model={model!r}, sample_id={patterns!r})"
    if len(code.encode()) > _LONGEST:
        assumes += f"{_TOO_LONG} save the program to a file."
    return Command("Inspect", shell_line(["python", "-c", code]), assumes)
