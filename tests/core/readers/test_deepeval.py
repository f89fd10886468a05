"""Runs of DeepEval."""

from __future__ import annotations

import json

import pytest

from core.readers import read, read_results
from tests.core.readers.scored import EVERY_RIGHT, LOGS, results_of


def test_passes_that_deepeval_counts_are_those_of_its_test_cases() -> None:
    account = results_of("deepeval.json").account
    assert account is not None and account.differences == ()
    assert [(total.reported, total.own) for total in account.totals] == [(pytest.approx(EVERY_RIGHT),) * 2]
    changed = json.loads((LOGS / "deepeval.json").read_bytes())
    changed["testRunData"]["testPassed"] += 1
    account = read_results({"run.json": json.dumps(changed).encode()}).account
    assert account is not None and "passed tests" in account.differences[0]


def test_a_run_of_deepeval_without_its_wrapper_is_the_same() -> None:
    run = json.loads((LOGS / "deepeval.json").read_bytes())["testRunData"]
    pool = read(json.dumps(run).encode())
    assert pool.generations == read(LOGS / "deepeval.json").generations


def test_conversations_errors_of_metrics_and_names_of_deepeval_are_read() -> None:
    turns = [{"role": role, "content": said} for role, said in zip(("user", "assistant") * 2, "abcd", strict=True)]
    cases = [
        {"name": "sum", "input": "1+1?", "actualOutput": "2", "expectedOutput": "2", "success": True,
         "metricsData": [{"name": "Fit", "score": 0.75, "success": True}]},
        {"name": "product", "input": "2*3?", "actualOutput": "5", "success": False,
         "metricsData": [{"name": "Fit", "success": False, "error": "timeout"}]},
        {"name": "silent", "input": "3?", "success": None, "metricsData": []},
    ]  # fmt: skip
    chat = {"name": "chat", "turns": turns, "success": False, "metricsData": []}
    run = {"testCases": cases, "conversationalTestCases": [chat], "metricsScores": [], "identifier": "night"}
    results = read_results({"run.json": json.dumps(run).encode()})
    assert results.models == ("night",) and results.accuracy == (pytest.approx(1 / 3),)
    items = results.pool([], ["night"]).items
    assert items.index.tolist() == ["sum", "product", "silent", "chat"]
    assert (
        items.loc["chat", "prompt"] == "User: a\n\nAssistant: b\n\nUser: c" and items.loc["sum", "metric_Fit"] == 0.75
    )
    assert any("metric ended with an error" in note and "1" in note for note in results.notes)
    assert results.pool([], ["night"]).targets["night"].texts == ["2", "5", None, "d"]
