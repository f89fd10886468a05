"""A total that a tool reports, in the log or beside it, is compared with the scores that were read."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import pytest

from core.errors import PoolError
from core.pool import FileAccount
from core.pool.account import ToolTotal, matched
from core.readers import read, read_results
from tests.core.readers.json_lines import lines
from tests.core.readers.test_evalscope import review
from tests.core.readers.test_every_eval_ever import instance
from tests.core.readers.test_lm_eval import STAMP, doc
from tests.core.readers.test_opencompass import compass
from tests.core.readers.test_tools import details, state

DATE = "2026-01-31T10-00-00.0"


def of_lm_eval(total: float, folder: str = "org__m/") -> dict[str, bytes]:
    metrics = {"alias": "sums", "exact_match,none": total, "exact_match_stderr,none": 0.1}
    results = {"results": {"sums": metrics}, "versions": {}, "configs": {}, "n-shot": {}, "model_name": "org/m"}
    docs = lines(*(doc(number, ["(A)"], float(number % 2)) for number in range(4)))
    return {
        f"{folder}samples_sums_{STAMP}.jsonl": docs,
        f"{folder}results_{STAMP}.json": json.dumps(results).encode(),
    }


def of_lm_eval_without_folders(total: float) -> dict[str, bytes]:
    return of_lm_eval(total, "")


def of_evalscope(total: float) -> dict[str, bytes]:
    subset = {"name": "main", "score": total, "num": 4}
    metric = {"name": "mean_acc", "num": 4, "score": total, "categories": [{"name": ["default"], "subsets": [subset]}]}
    report = {"name": "r", "dataset_name": "sums", "model_name": "served", "score": total, "metrics": [metric]}
    # Half of the repeats are right, though each first one is.
    reviews = [review(2 * n + again, n, "text", str(n), 1.0 - again) for n in (0, 1) for again in (0, 1)]
    return {"reviews/m/sums_main.jsonl": lines(*reviews), "reports/m/sums.json": json.dumps(report).encode()}


def stats(total: float) -> bytes:
    one = {"name": {"name": "exact_match", "split": "test"}, "count": 1, "sum": total, "sum_squared": 1, "mean": total}
    perturbed = {**one, "name": {**one["name"], "perturbation": {"name": "typos"}}, "mean": 0.125}  # type: ignore[dict-item]
    return json.dumps([perturbed, one]).encode()


def of_helm(total: float) -> dict[str, bytes]:
    folder = "runs/mmlu:subject=law,model=openai_m"
    scenario = state("openai/m", {"id1": [" B"], "id2": ["A"]})
    return {f"{folder}/scenario_state.json": scenario, f"{folder}/stats.json": stats(total)}


def of_helm_in_a_zip(total: float) -> dict[str, bytes]:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in of_helm(total).items():
            archive.writestr(name, content)
    return {"suite.zip": buffer.getvalue()}


def of_opencompass(total: float) -> dict[str, bytes]:
    summary = f"dataset,version,metric,mode,m\nsums,abc,accuracy,gen,{100 * total:.2f}\nother,-,-,-,-\n"
    return {"predictions/m/sums.json": compass("0", "x"), "summary.csv": summary.encode()}


def of_every_eval_ever(total: float) -> dict[str, bytes]:
    result = {"evaluation_name": "colours", "score_details": {"score": total}}
    record = {"schema_version": "0.2.2", "evaluation_id": "e", "model_info": {"id": "org/m"}}
    whole = json.dumps({**record, "evaluation_results": [result]}).encode()
    return {"x_samples.jsonl": lines(instance("a", ["B"], 1.0), instance("b", ["A"], 0.0)), "x.json": whole}


def of_lighteval(total: float) -> dict[str, bytes]:
    docs = [{"query": f"What is {n}?", "choices": [str(n)], "gold_index": 0, "id": str(n)} for n in (1, 2)]
    metrics = [{"extractive_match": 1.0}, {"extractive_match": 0.0}]
    results = {"config_general": {}, "results": {"sums|0": {"extractive_match": total}, "all": {}}}
    return {
        f"details/org/m/2026-01-31T10-00-00/details_sums|0_{DATE}.parquet": details(
            docs, [{"text": ["1"], "logprobs": []}] * 2, metrics
        ),
        f"results/org/m/results_{DATE}.json": json.dumps(results).encode(),
    }


TOOLS = [
    of_lm_eval,
    of_lm_eval_without_folders,
    of_evalscope,
    of_helm,
    of_helm_in_a_zip,
    of_opencompass,
    of_every_eval_ever,
    of_lighteval,
]


def account_of(files: dict[str, bytes]) -> FileAccount:
    account = read_results(files).account
    assert account is not None
    return account


@pytest.mark.parametrize("of_tool", TOOLS)
def test_a_total_that_is_the_same_is_said_to_be(of_tool: Any) -> None:
    account = account_of(of_tool(0.5))
    assert [(total.reported, total.own) for total in account.totals if total.is_compared] == [(0.5, 0.5)]
    assert account.differences == () and account.lines[-1].endswith(" 50.0\u00a0%, is the same.")


@pytest.mark.parametrize("of_tool", TOOLS)
def test_a_total_that_differs_is_shown_with_both_numbers(of_tool: Any) -> None:
    (difference,) = account_of(of_tool(0.75)).differences
    assert "75.0\u00a0%" in difference and difference.endswith("the records read have 50.0\u00a0%.")


def test_a_zip_is_read_with_the_totals_in_it() -> None:
    (content,) = of_helm_in_a_zip(0.75).values()
    account = read(content, "suite").account
    assert account is not None and len(account.differences) == 1 and account.skipped == ()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, file in of_lm_eval(0.75).items():
            archive.writestr(name, file)
    account = read(buffer.getvalue(), "run").account
    assert account is not None and len(account.differences) == 1


def test_totals_alone_are_refused_with_the_file_that_has_the_items() -> None:
    files = {name: content for name, content in of_lm_eval(0.5).items() if "results" in name}
    with pytest.raises(PoolError, match=r"results_.*json: the file is a results file .*Choose samples_"):
        read_results(files)


def test_totals_of_other_models_and_tasks_are_not_compared() -> None:
    own = [ToolTotal("m", "acc", own=0.5, task="a"), ToolTotal("n", "acc", own=0.25, task="a")]
    others = [ToolTotal("m", "acc", 0.5, task="b"), ToolTotal("x", "acc", 0.75, task="a")]
    assert [one for one in matched([*own, *others]) if one.is_compared] == []
    (both,) = [one for one in matched([*own, ToolTotal("n", "acc", 0.75, task="a")]) if one.is_compared]
    assert (both.model, both.reported, both.own) == ("n", 0.75, 0.25)


def test_totals_of_other_tasks_are_compared_with_nothing() -> None:
    files = of_lm_eval(0.5)
    samples, totals = files
    reported = json.loads(files[totals])
    reported["results"]["other"] = {"alias": "other", "exact_match,none": 0.25}
    unscored = lines(*(doc(number, ["(A)"], None) for number in range(4)))
    results = read_results({samples: unscored, totals: json.dumps(reported).encode()})
    assert results.account is not None
    assert {one.task for one in results.account.totals if one.is_compared} <= {"sums"}
