"""Generating: a pool of prompts in, k generations per item out, kept in NEYMAN_HOME.

One client speaks to every server with OpenAI's interface; a local GPU means a vLLM server that is started, watched and
ended here. A job is a row of ``neyman.sqlite`` and a separate process (``python -m core.surrogate``); its progress is
read from the row.

    control ──► worker ──► client ──► server (a child of vllm/, or somebody else's)
                   └─────► job.store ──► progress; results (back into a pool); parts (one row a generation)

Many machines share a piece of work as shards, by files of requests (batch) or on a Ray cluster (cluster), and merge
brings together what they have made.

A job may also be about pairs of a pool's answers (job.pairs): a judge's verdicts on them are kept by question and pair,
and meaning makes classes of them.

Imports run one way: faults ← job ← client, vllm ← worker, batch, parts, meaning ← command, control, results ← merge,
cluster, classes ← terminal ← cli. Names are loaded when they are used, because a worker needs few of them and stays
small.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .client.prompting import STANDARD, STANDARD_OF_JUDGES, messages
    from .command import changes, command_line
    from .control import (
        Workload,
        first_pair,
        forget_pool,
        item_at,
        pool_holdings,
        preview,
        resume,
        start,
        stop,
        workload,
    )
    from .faults import ItemFault, SurrogateError
    from .filled_pool import coverage, pool_with, pool_with_targets
    from .job.parameters import (
        ANSWER_TOKENS,
        JUDGING,
        PRESETS,
        STANDARD_OF_BASE_MODELS,
        THINKING_TOKENS,
        VERDICT_SAMPLING,
        Connection,
        Grouping,
        Prices,
        Prompting,
        Sampling,
        Serving,
    )
    from .job.progress import (
        JobProgress,
        Partitions,
        cut_in_reasoning,
        examples,
        failures,
        jobs,
        log_tail,
        partitions,
        progress,
    )
    from .job.selection import shots_of
    from .job.source import STANDARD_OF_PAIRS
    from .job.spec import JobSpec
    from .job.store import Store
    from .meaning import Meanings, item_answers, judged_meanings
    from .trial import Trial, offered, try_out
    from .vllm.installation import (
        GIGABYTES,
        cancel_installation,
        install,
        installation,
        serving_python,
    )
    from .vllm.launch import PYTHON_VARIABLE, Gpu, gpus, vllm_version
    from .vllm.server import Server, serve
    from .worker.run import run_job

# Where the names are, light modules first.
_MODULES = (
    "faults",
    *(f"job.{name}" for name in ("parameters", "spec", "source", "store", "progress")),
    *("client.prompting", "vllm.launch", "vllm.installation", "command", "control", "meaning", "filled_pool", "trial"),
    *("job.selection", "vllm.server", "worker.run"),
)

__all__ = [
    "ANSWER_TOKENS",
    "GIGABYTES",
    "JUDGING",
    "PRESETS",
    "PYTHON_VARIABLE",
    "STANDARD",
    "STANDARD_OF_BASE_MODELS",
    "STANDARD_OF_JUDGES",
    "STANDARD_OF_PAIRS",
    "THINKING_TOKENS",
    "VERDICT_SAMPLING",
    "Connection",
    "Gpu",
    "Grouping",
    "ItemFault",
    "JobProgress",
    "JobSpec",
    "Meanings",
    "Partitions",
    "Prices",
    "Prompting",
    "Sampling",
    "Server",
    "Serving",
    "Store",
    "SurrogateError",
    "Trial",
    "Workload",
    "cancel_installation",
    "changes",
    "command_line",
    "coverage",
    "cut_in_reasoning",
    "examples",
    "failures",
    "first_pair",
    "forget_pool",
    "gpus",
    "install",
    "installation",
    "item_answers",
    "item_at",
    "jobs",
    "judged_meanings",
    "log_tail",
    "messages",
    "offered",
    "partitions",
    "pool_holdings",
    "pool_with",
    "pool_with_targets",
    "preview",
    "progress",
    "resume",
    "run_job",
    "serve",
    "serving_python",
    "shots_of",
    "start",
    "stop",
    "try_out",
    "vllm_version",
    "workload",
]


def __getattr__(name: str) -> Any:
    if name in __all__:
        for module in _MODULES:
            loaded = import_module(f"{__name__}.{module}")
            if hasattr(loaded, name):
                return getattr(loaded, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
