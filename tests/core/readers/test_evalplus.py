"""Results of HumanEval and EvalPlus."""

from __future__ import annotations

import json

import pytest

from core.readers import read_results
from tests.core.readers.json_lines import lines
from tests.core.readers.scored import EVERY_RIGHT, LOGS, NUMBERS, losses_of, results_of
from tests.core.readers.toy import ITEMS, SAMPLES, right


def passes(number: int, sample: int) -> bool:
    """Whether a solution passes the tests that were added, too."""
    return right(number, sample) and number % 2 == 1


def test_a_solution_is_right_if_it_passes_the_tests_that_evalplus_added_too() -> None:
    results = results_of("evalplus_eval_results.json")
    assert results.models == ("evalplus",) and results.samples == (SAMPLES,)
    losses = results.pool([], ["evalplus"]).losses("evalplus")
    assert losses.tolist() == [float(not passes(number, 0)) for number in NUMBERS]


@pytest.mark.parametrize(("reported", "agrees"), [(0.1, True), (0.3, False)])
def test_pass_at_1_of_evalplus_is_the_mean_over_tasks(reported: float, agrees: bool) -> None:
    value = json.loads((LOGS / "evalplus_eval_results.json").read_bytes())
    own = sum(passes(number, sample) for number in NUMBERS for sample in range(SAMPLES)) / (len(ITEMS) * SAMPLES)
    value["pass_at_k"] = {"base": {"pass@1": EVERY_RIGHT}, "plus": {"pass@1": reported}}
    account = read_results({"m.json": json.dumps(value).encode()}).account
    assert account is not None and own == 0.1
    assert [(total.own, total.agrees) for total in account.totals] == [(pytest.approx(own), agrees)]


def test_results_of_evalplus_before_0_2_1_and_without_added_tests() -> None:
    old = {"date": "2023", "hash": "x", "eval": {
        "HumanEval/0": {"nfiles": 2, "base": [["pass", []], ["pass", []]], "plus": [["fail", [False]], ["pass", []]]},
        "HumanEval/1": {"nfiles": 1, "base": [["pass", []]], "plus": []},
    }}  # fmt: skip
    assert losses_of(json.dumps(old).encode()) == [1, 0]
    base = {"date": "2024", "eval": {"Mbpp/1": [{"solution": "x", "base_status": "pass", "plus_status": None}]}}
    assert losses_of(json.dumps(base).encode()) == [0]


def test_samples_without_results_have_no_score_and_files_name_their_models() -> None:
    samples = lines(*({"task_id": f"HumanEval/{n % 2}", "completion": f"    return {n}"} for n in range(4)))
    for name, model in (
        ("org--m_vllm_temp_0.8.jsonl", "org--m_vllm_temp_0.8"),
        ("humaneval/m/samples.jsonl", "m"),
        ("m_samples.jsonl", "m"),
        ("a/m.jsonl_results.jsonl", "m"),
    ):
        results = read_results({name: samples})
        assert results.models == (model,) and results.items == (2,) and results.samples == (2,)
        assert results.accuracy[0] != results.accuracy[0]
