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


def score(n: int) -> dict[str, Any]:
    prompt = {"question": [[{"role": "user", "content": _WORDS}]] * 3, "config": {"a": {"b": [1, 2, 3] * 9}}}
    failed = {"valid": False, "error": {"error_message": ["x"] * 9}, "model_result": [["ls()"]]}
    return {"id": f"multi_turn_{n}", "model_name": "m", "prompt": prompt, **failed}


def case(n: int) -> dict[str, Any]:
    metrics = [{"name": name, "score": 0.5, "success": True, "reason": _WORDS} for name in "ab"]
    return {"name": f"t{n}", "input": f"{n}: {_WORDS}", "actualOutput": _WORDS, "success": True, "metricsData": metrics}


def judged(n: int) -> dict[str, Any]:
    asked = f"[Question]\n{n // 3}?\n\n[The Start of Assistant's Answer]\n{_WORDS}\n[The End of Assistant's Answer]"
    return {"question_id": n // 3, "model": f"m{n % 3}", "judge": ["j", "p"], "user_prompt": asked, "judgment": _WORDS,
            "score": n % 10 + 1, "turn": 1}  # fmt: skip


def event(n: int) -> dict[str, Any]:
    data = {"prompt": [{"role": "user", "content": _WORDS}], "sampled": [_WORDS]} if n % 2 else {"correct": True}
    kind = "sampling" if n % 2 else "match"
    return {"run_id": "r", "event_id": n, "sample_id": f"s.{n // 2}", "type": kind, "data": data}


COUNTS = {"accuracy": 0.5, "correct_count": 500_000, "total_count": 1_000_000}
ASKED = {"latency": [[0.1] * 9] * 9, "inference_log": [{"content": {"root": {"a": [_WORDS]}}}] * 9}
LINES: dict[str, Callable[[int], Any]] = {
    "bfcl result": lambda n: {"id": f"multi_turn_{n}", "result": [[["ls()"] * 9] * 9], **ASKED},
    "bfcl score": lambda n: score(n) if n else COUNTS,
    "mt_bench": judged,
    "openai_evals": event,
    "humaneval": lambda n: {"task_id": f"t/{n % 99}", "completion": _WORDS, "passed": True, "result": "passed"},
    "evalscope reviews": lambda n: review(n, n, _WORDS, "x", 1.0),
    "evalscope predictions": lambda n: prediction(n, n, _WORDS),
    "lm_eval": lambda n: doc(n, [_WORDS], target="1"),
    "batch output": lambda n: answer(f"q{n}", _WORDS),
    "langfuse": lambda n: observation(n, _WORDS, n % 60),
    "every_eval_ever": lambda n: instance(f"s{n}", [_WORDS], 1.0),
    "ragas": lambda n: {"user_input": f"{n}?", "response": _WORDS, "retrieved_contexts": [_WORDS], "faithfulness": 0.5},
}
NESTED: dict[str, tuple[Callable[[int], Any], Callable[[list[Any]], Any]]] = {
    "deepeval": (case, lambda cases: {"testRunData": {"testCases": cases}}),
    "evalplus": (
        lambda n: {"solution": _WORDS, "base_status": "pass", "plus_status": "fail", "plus_fail_tests": [[1] * 50]},
        lambda some: {"date": "x", "eval": {f"t/{place}": some[place::99] for place in range(99)}},
    ),
    "alpaca_eval": (
        lambda n: {
            "instruction": f"{n}?",
            "output_1": _WORDS,
            "output_2": _WORDS,
            "preference": 1.5,
            "raw": [{"a": 1}] * 9,
        },
        lambda pairs: pairs,
    ),
    "inspect": (
        lambda n: sample(n, 1, _WORDS, {"a": 1, "b": 0}, events=[{"a": {"b": [1, 2]}}] * 9),
        lambda samples: {**HEADER, "samples": samples},
    ),
    "opencompass": (
        lambda n: {"origin_prompt": [{"role": "HUMAN", "prompt": f"{n}?"}], "prediction": _WORDS, "gold": "x"},
        lambda some: {str(place): one for place, one in enumerate(some)},
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
