"""Times of reading large files of tools: 10 MB of lines, and 10 MB of nested JSON."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

from bench import Row
from core.readers import Shape, read_mapped, read_outputs
from tests.core.readers.test_batches import answer
from tests.core.readers.test_evalscope import prediction, review
from tests.core.readers.test_every_eval_ever import instance
from tests.core.readers.test_inspect_log import HEADER, sample
from tests.core.readers.test_langfuse import observation
from tests.core.readers.test_lm_eval import doc
from tests.core.readers.test_tools import result, state

_BYTES = 2_000_000
_WORDS = "Lorem ipsum, “dolor” sit amet; consectetur adipiscing elit. " * 8


LINES: dict[str, Callable[[int], Any]] = {
    "evalscope reviews": lambda n: review(n, n, _WORDS, "x", 1.0),
    "evalscope predictions": lambda n: prediction(n, n, _WORDS),
    "lm_eval": lambda n: doc(n, [_WORDS], target="1"),
    "batch output": lambda n: answer(f"q{n}", _WORDS),
    "langfuse": lambda n: observation(n, _WORDS, n % 60),
    "every_eval_ever": lambda n: instance(f"s{n}", [_WORDS], 1.0),
}
NESTED: dict[str, tuple[Callable[[int], Any], Callable[[list[Any]], Any]]] = {
    "inspect": (
        lambda n: sample(n, 1, _WORDS, {"a": 1, "b": 0}, events=[{"a": {"b": [1, 2]}}] * 9),
        lambda samples: {**HEADER, "samples": samples},
    ),
    "helm": (
        lambda n: json.loads(state("m", {f"id{n}": [_WORDS]}))["request_states"][0],
        lambda some: {**json.loads(state("m", {"id0": ["x"]})), "request_states": some},
    ),
    "promptfoo": (
        lambda n: result(n, n, "m", _WORDS, testCase={"assert": [{"type": "contains"}] * 9}),
        lambda results: {"evalId": "e", "results": {"results": results}},
    ),
}


def rows() -> list[Row]:
    """(what, CPU seconds for 10 MB, limit in seconds) of each format."""
    files = {name: (_lines(one), 1.0) for name, one in LINES.items()}
    files |= {name: (json.dumps(whole(_sized(one))), 3.0) for name, (one, whole) in NESTED.items()}
    other = _lines(lambda n: {"case": f"c{n}", "inputs": {"question": f"{n}?"}, "reply": _WORDS, "passed": n % 2 == 0})
    return [
        *((f"read 10 MB of {name}", _seconds(text.encode(), read_log), limit) for name, (text, limit) in files.items()),
        ("read 10 MB of lines of no known tool", _seconds(other.encode(), read_other), 1.0),
    ]


def read_log(content: bytes) -> int:
    return read_outputs(content, "log").table.num_rows


def read_other(content: bytes) -> int:
    return read_mapped(content, Shape.of(content, "log").guess, "log").n_items


def _lines(one: Callable[[int], Any]) -> str:
    return "\n".join(map(json.dumps, _sized(one)))


def _sized(one: Callable[[int], Any]) -> list[Any]:
    """As many records as make a file of 2 MB."""
    size = sum(len(json.dumps(one(n))) for n in range(1, 11)) / 10
    return [one(n) for n in range(int(_BYTES / size))]


def _seconds(content: bytes, reader: Callable[[bytes], int]) -> float:
    times = []
    for _ in range(3):
        before = time.process_time()
        assert reader(content)
        times.append(time.process_time() - before)
    return sorted(times)[1] / len(content) * 1e7
