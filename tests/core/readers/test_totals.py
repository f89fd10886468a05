"""Files with totals are refused in one sentence that names the file with the items; files with items are not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.commands import main
from core.errors import PoolError
from core.readers import read, read_or_shape, read_results
from core.readers.shape import Shape


def pretty(value: Any) -> bytes:
    return json.dumps(value, indent=2).encode()


REPORT = {
    "name": "m@gsm8k",
    "dataset_name": "gsm8k",
    "model_name": "m",
    "score": 0.935,
    "metrics": [
        {"name": "acc", "num": 4, "score": 0.935, "categories": [{"name": ["default"], "num": 4, "score": 0.935}]}
    ],
    "analysis": "N/A",
}
LM_EVAL = {
    "results": {"gsm8k": {"alias": "gsm8k", "exact_match,strict": 0.935, "exact_match_stderr,strict": 0.007}},
    "group_subtasks": {"gsm8k": []},
    "configs": {"gsm8k": {"task": "gsm8k", "doc_to_text": "Question: {{question}}"}},
    "versions": {"gsm8k": 3.0},
    "n-shot": {"gsm8k": 5},
    "config": {"model": "hf", "model_args": "pretrained=org/m"},
}
HELM = [
    {
        "name": {"name": name, "split": "test"},
        "count": 1,
        "sum": 0.5,
        "sum_squared": 0.25,
        "min": 0.5,
        "max": 0.5,
        "mean": 0.5,
    }
    for name in ("exact_match", "quasi_exact_match")
]
INSPECT = {
    "version": 2,
    "status": "success",
    "eval": {"model": "org/m", "task": "sums"},
    "results": {"total_samples": 4},
}
LIGHTEVAL = {"config_general": {"lighteval_sha": "?"}, "results": {"gsm8k": {"em": 0.9}}, "versions": {}}
SUBJECTS = {name: {"num": 30, "acc": 0.9} for name in ("Overall", "Art", "Law", "Math")}
TABLES = {
    "bfcl": "Rank,Overall Acc,Model,Model Link,Total Cost ($)\n1,70.85%,a,https://x,10\n2,60.1%,b,https://y,N/A\n",
    "alpaca": ",win_rate,standard_error,n_total,mode\na,97.7,0.5,805,community\nb,50.0,0,805,minimal\n",
    "boards": "Model,Average ⬆️,ARC,MMLU,Type\na,70.1,60.2,80.0,chat\nb,65.3,61.2,69.4,base\n",
    "vlm": "split,Overall,AR\ntest,0.81,0.9\ndev,0.8,0.7\n",
    "compass": "dataset,version,metric,mode,m\ngsm8k,1d7fe4,accuracy,gen,93.5\nmmlu,-,-,-,-\n",
}


CHAT = [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "So."}]
ARENA = {"id": 1, "model_a": "gpt-4", "model_b": "llama", "conversation_a": CHAT, "conversation_b": CHAT}


@pytest.mark.parametrize(
    ("content", "kind", "items"),
    [
        (pretty(REPORT), "EvalScope report", "reviews/"),
        (pretty(LM_EVAL), "lm-evaluation-harness", "samples_<task>"),
        (pretty(HELM), "stats.json", "scenario_state.json"),
        (
            pretty([{"instance_id": "id1", "train_trial_index": 0, "stats": []}]),
            "per_instance_stats",
            "scenario_state.json",
        ),
        (pretty(INSPECT), "header of an Inspect log", ".eval"),
        (pretty(INSPECT | {"samples": []}), "no samples", ".eval"),
        (pretty(LIGHTEVAL), "lighteval", "details_<task>"),
        (pretty(SUBJECTS), "list of metrics", "items"),
        (
            pretty({"epoch": 1.0, "eval_accuracy": 0.935, "eval_loss": 0.2, "eval_runtime": 12.0}),
            "list of metrics",
            "items",
        ),
        (json.dumps({"model": "m", "accuracy": 0.935, "total_count": 4}).encode(), "list of metrics", "items"),
        (
            pretty([{"model": name, "accuracy": 0.9, "n_samples": 4} for name in "ab"]),
            "row for each model",
            "each item",
        ),
        *(
            (header + b"\n" + b"\n".join(rows), "row for each model", "each item")
            for header, rows in [
                (b"name,pass@1", [b"gpt-4o,0.61", b"claude-3,0.66"]),
                (b",pass@1", [b"gpt-4o,0.61", b"claude-3,0.66"]),
                (b"rank,model,maker,licence,size,link,pass@1", [b"1,a,x,mit,7B,/a,0.6", b"2,b,y,mit,8B,/b,0.5"]),
            ]
        ),
        (b"subject,accuracy,correct,total\nlaw,0.43,43,100\nart,0.68,68,100\n", "benchmarks", "items"),
        (b"language,model,exact_match\nen,m,0.658\nde,m,0.638\n", "benchmarks", "items"),
        (b"run,seed,accuracy\n0,7,0.559\n1,8,0.436\n", "row for each run", "each item"),
        (pretty({"score": 0.5, "metrics": {"chars": 3.0}, "convos": [CHAT, CHAT]}), "simple-evals", "each item"),
        (b"metric,score\nfaithfulness,1.0\nanswer_relevancy,0.97\n", "list of metrics", "items"),
        (TABLES["bfcl"].encode(), "BFCL", "score/<model>"),
        (TABLES["alpaca"].encode(), "AlpacaEval", "annotations.json"),
        (TABLES["boards"].encode(), "row for each model", "each item"),
        (TABLES["vlm"].encode(), "accuracies", "predictions"),
        (TABLES["compass"].encode(), "OpenCompass", "predictions/"),
        (json.dumps({"data": [{**ARENA, "winner": "model_a"}]}).encode(), "comparisons", "MODEL:right=PATH"),
    ],
)
def test_totals_are_no_items_and_the_file_with_the_items_is_named(content: bytes, kind: str, items: str) -> None:
    for reader in (read, read_or_shape, lambda content: read_results({"a": content})):
        with pytest.raises(PoolError) as caught:
            reader(content)
        (problem,) = caught.value.problems
        assert kind in problem.message and items in problem.remedy


SCORES = {"mmlu": 0.71, "gsm8k": 0.5}


@pytest.mark.parametrize(
    "value",
    [
        SCORES,
        {"model": "x", "scores": SCORES},
        [{"model": name, "scores": SCORES} for name in "xy"],
        {"x": SCORES, "y": SCORES},
        {f"fold{place}": {"acc": 0.1 * place} for place in range(9)},
        {"model": "x", "results": [{"task": name, "score": score} for name, score in SCORES.items()]},
        {
            "model": "x",
            "results": {"mmlu": {"score": 0.7, "ci": [0.6, 0.8]}},
            "config": {"shots": 5, "decoding": "greedy"},
        },
        {"model": "x", "score": 0.71},
        {"model": "x", "leaderboard": {"rank": 3, "elo": 1203}},
    ],
    ids=str,
)
@pytest.mark.parametrize("indent", [None, 1])
def test_an_object_of_names_and_numbers_is_no_item(value: Any, indent: int | None) -> None:
    content = json.dumps(value, indent=indent).encode()
    for reader in (read, read_or_shape):
        with pytest.raises(PoolError, match="it has totals but no items") as caught:
            reader(content)
        assert "item" in caught.value.problems[0].remedy


@pytest.mark.parametrize(
    "value",
    [
        {"question": "Why?", "scores": {"gpt-4": 0.5, "claude": 0}},
        {"frage": "Warum?", "score": 0.5},
        {f"q{place}": {"score": 0.1 * place, "note": "x"} for place in range(5)},
        {"model": "x", "scores": {f"q{place}": 0.1 * place for place in range(9)}},
        {f"q{place}": {"acc": place % 2, "latency": 0.3} for place in range(9)},
    ],
    ids=str,
)
def test_an_object_that_has_something_of_an_item_is_no_total(value: Any) -> None:
    assert isinstance(read_or_shape(json.dumps(value).encode()), Shape)


ITEMS = [{"question": f"What is {n}?", "expected": str(n), "answer": "1", "accuracy": float(n == 1)} for n in (1, 2, 3)]


@pytest.mark.parametrize(
    "content",
    [
        pretty({"model_name": "m", "dataset_name": "sums", "metrics": {"acc": 0.5}, "samples": ITEMS}),
        pretty({"config": {"model": "m"}, "accuracy": 0.5, "results": ITEMS}),
        pretty({str(place): item for place, item in enumerate(ITEMS)}),
        pretty([{"model": f"m{place}", **item} for place, item in enumerate(ITEMS)]),
        b"model,question,accuracy\na,What?,1\nb,Why?,0\nc,How?,1\n",
        b"model,item,accuracy\na,1,1\na,2,0\nb,1,1\nb,2,1\n",
    ],
)
def test_files_with_items_beside_totals_are_no_totals(content: bytes) -> None:
    assert isinstance(read_or_shape(content), Shape)


def test_the_command_that_reads_totals_alone_has_read_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "report.json"
    file.write_bytes(pretty(REPORT))
    assert main(["pool", "map", str(file)]) == 2 and "reviews/" in capsys.readouterr().err


def test_an_object_over_several_lines_is_one_problem() -> None:
    with pytest.raises(PoolError, match="one JSON object over several lines") as caught:
        read(pretty({"a": {"question": "What?"}, "b": [1, 2, 3]}))
    assert caught.value.total == 1


@pytest.mark.parametrize("more", [{"grade_a": 1}, {"winner": "a", "correct_a": 1, "correct_b": 0}])
def test_answers_side_by_side_that_are_graded_by_themselves_are_no_comparisons(more: dict[str, Any]) -> None:
    rows = [{"id": n, "question": f"{n}?", "response_a": "So.", "response_b": "Thus.", **more} for n in range(4)]
    assert isinstance(read_or_shape(json.dumps(rows).encode(), "m"), Shape)


@pytest.mark.parametrize(
    "more", [{"preferred_label": "x"}, {"preferred_language": "en"}, {"winner": "a", "correct": 1}]
)
def test_outputs_beside_two_texts_that_are_graded_are_no_comparisons(more: dict[str, Any]) -> None:
    rows = [
        {"prompt": f"{n}?", "text1": "So.", "text2": "Thus.", "output": "Both.", "answer": "One.", **more}
        for n in range(4)
    ]
    assert isinstance(read_or_shape(json.dumps(rows).encode(), "m"), Shape)
