"""Verdicts that judges left in the logs of evaluation tools, from which a list is drawn at once."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from core.judge import judge, judges, read_with_judge, request, verdicts

FAILS = [place % 4 == 0 for place in range(12)]


def inspect() -> str:
    """As `model_graded_qa` grades."""
    samples = [
        {"id": n, "epoch": 1, "input": f"Q{n}", "target": "a", "output": {"completion": f"said {n}"}}
        | {"scores": {"model_graded_qa": {"value": "I" if fails else "C", "explanation": f"since {n}"}}}
        for n, fails in enumerate(FAILS)
    ]
    return json.dumps({"version": 2, "status": "success", "eval": {"model": "m"}, "samples": samples})


def promptfoo() -> str:
    """As an assertion `llm-rubric` grades."""
    rows: list[dict[str, Any]] = [
        {"testIdx": n, "promptIdx": 0, "vars": {"question": f"Q{n}"}, "prompt": {"raw": f"Q{n}", "label": "p"}}
        | {"provider": {"id": "m", "label": ""}, "response": {"output": f"said {n}"}, "success": not fails}
        | {"score": 1 - fails, "failureReason": int(fails), "testCase": {"vars": {"question": f"Q{n}"}}}
        | {"gradingResult": {"pass": not fails, "score": 1 - fails, "reason": f"since {n}"}}
        for n, fails in enumerate(FAILS)
    ]
    return json.dumps({"evalId": "e", "results": {"version": 3, "results": rows, "stats": {}}, "config": {}})


def langfuse() -> str:
    """Traces with a score."""
    facts = {"timestamp": "2026-01-01T00:00:00Z", "name": "qa", "sessionId": None}
    rows = [
        {
            "id": f"t{n}",
            "input": f"Q{n}",
            "output": f"said {n}",
            "scores": [{"name": "correctness", "value": 1 - fails}],
        }
        for n, fails in enumerate(FAILS)
    ]
    return "\n".join(json.dumps(row | facts) for row in rows)


def phoenix() -> str:
    """Spans with an evaluation."""
    rows = [
        {"context.span_id": f"s{n}", "attributes.input.value": f"Q{n}", "attributes.output.value": f"said {n}"}
        | {"annotation_name": "correctness", "result.label": "bad" if fails else "good", "result.score": 1 - fails}
        for n, fails in enumerate(FAILS)
    ]
    return table(rows)


def deepeval() -> str:
    """The file of a test run."""
    cases = [
        {"name": f"c{n}", "input": f"Q{n}", "actualOutput": f"said {n}", "expectedOutput": "a", "success": not fails}
        | {"metricsData": [{"name": "Right", "threshold": 0.5, "success": not fails, "score": 1 - fails}]}
        for n, fails in enumerate(FAILS)
    ]
    return json.dumps({"testRunData": {"testCases": cases, "metricsScores": []}})


def ragas() -> str:
    """The exported table."""
    rows = [
        {"user_input": f"Q{n}", "response": f"said {n}", "reference": "a", "answer_correctness": 1 - fails}
        for n, fails in enumerate(FAILS)
    ]
    return table(rows)


def plain() -> str:
    """A spreadsheet."""
    rows = [
        {"question": f"Q{n}", "output": f"said {n}", "judge": "fail" if fails else "pass"}
        for n, fails in enumerate(FAILS)
    ]
    return table(rows)


def table(rows: list[dict[str, Any]]) -> str:
    stream = io.StringIO()
    writer = csv.DictWriter(stream, rows[0])
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("name", "log"),
    [
        ("log.json", inspect),
        ("results.json", promptfoo),
        ("traces.jsonl", langfuse),
        ("spans.csv", phoenix),
        ("latest_test_run.json", deepeval),
        ("ragas.csv", ragas),
        ("outputs.csv", plain),
    ],
    ids=lambda one: getattr(one, "__name__", ""),
)
def test_what_a_tools_judge_said_is_a_judge(name: str, log: Any, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(log(), encoding="utf-8")
    pool = read_with_judge(path, "judge")
    first = judges(pool)[0]
    said = verdicts(pool, first)
    assert said.fails.sum() == sum(FAILS) and said.fails.size == len(FAILS)
    listed = request(judge(pool, first, 8, seed=1))
    assert listed["prompt"].str.startswith("Q").all() and listed["target_answer"].str.startswith("said").all()
