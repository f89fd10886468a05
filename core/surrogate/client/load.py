"""What a vLLM server shows of its load at ``/metrics``."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass

# Gauges and counters of all versions; each engine of a data-parallel server has a separate line.
_LINE = re.compile(
    r"^vllm:(num_requests_running|num_requests_waiting|kv_cache_usage_perc|gpu_cache_usage_perc"
    r"|generation_tokens_total|prompt_tokens_total)(?:\{([^}]*)\})? ([0-9.eE+-]+)$",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Load:
    """A server's load at one moment, all its engines together.

    Parameters
    ----------
    running, waiting : float
        Sequences that are being generated, and that wait for their turn; a request for n samples counts n times.
    cache : float
        Share of the KV cache in use, 0 … 1, of the engine that uses most.
    tokens : float
        Tokens read and written since the server started.
    engines : int
        Copies of the model (its data-parallel size), at least 1.
    """

    running: float
    waiting: float
    cache: float
    tokens: float
    engines: int


def read_load(text: str) -> Load | None:
    """Read the load in Prometheus' text format; None if it is none of vLLM's."""
    values: defaultdict[str, list[float]] = defaultdict(list)
    for name, _, value in _LINE.findall(text):
        values[name].append(float(value))
    running = values["num_requests_running"]
    if not running:
        return None
    cache = values["kv_cache_usage_perc"] or values["gpu_cache_usage_perc"]
    tokens = sum(values["generation_tokens_total"]) + sum(values["prompt_tokens_total"])
    return Load(sum(running), sum(values["num_requests_waiting"]), max(cache, default=0.0), tokens, len(running))
