"""Results and scores of BFCL."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.errors import PoolError
from core.readers import read, read_outputs, read_results
from tests.core.readers.json_lines import lines
from tests.core.readers.scored import FIRST_RIGHT, LOGS, NUMBERS, QUESTIONS, results_of
from tests.core.readers.toy import ITEMS, right

RESULT, SCORE, ASKED = (f"BFCL_v4_simple_python{part}.json" for part in ("_result", "_score", ""))
IN_PLACE = {
    f"{kind}/gpt-4o/non_live/{name}": LOGS / name for kind, name in (("result", RESULT), ("score", SCORE))
}  # fmt: skip


@pytest.mark.parametrize("files", [IN_PLACE, {name: LOGS / name for name in (SCORE, RESULT)}])
def test_what_a_score_of_bfcl_does_not_name_is_right(files: dict[str, Path]) -> None:
    results = read_results(dict(files))
    model = "gpt-4o" if files is IN_PLACE else "gpt-4o-2024-11-20"
    assert results.models == (model,) and results.items == (len(ITEMS),)
    pool = results.pool([], [model])
    losses = dict(zip(pool.items.index, pool.losses(model), strict=True))
    assert losses == {f"simple_python_{number - 1}": float(not right(number, 0)) for number in NUMBERS}
    assert results.accuracy == (pytest.approx(FIRST_RIGHT),)
    account = results.account
    assert account is not None and [total.agrees for total in account.totals] == [True]
    assert "5 scores" in account.lines[-1]


def test_questions_of_bfcl_come_from_its_own_file_or_with_the_failures() -> None:
    asked = results_of(RESULT, SCORE).pool([], ["gpt-4o-2024-11-20"]).table.column("prompt").to_pylist()
    assert asked == [None if right(number, 0) else QUESTIONS[number - 1] for number in NUMBERS]
    whole = results_of(RESULT, SCORE, ASKED)
    assert whole.models == ("gpt-4o-2024-11-20",)
    assert whole.pool([], whole.models).items["prompt"].tolist() == QUESTIONS


def test_failures_of_bfcl_alone_are_no_model_of_accuracy_0() -> None:
    with pytest.raises(PoolError, match="only its failures, 3 of 5 entries") as caught:
        read(LOGS / SCORE)
    assert "result/<model>" in caught.value.problems[0].remedy
    counts = lines({"accuracy": 1.0, "correct_count": 5, "total_count": 5})
    assert read_results({RESULT: LOGS / RESULT, SCORE: counts}).accuracy == (1.0,)
    for damaged in (
        {"accuracy": 1.0, "correct_count": 4, "total_count": 4},
        {"accuracy": 1, "correct_count": 0, "total_count": 0},
    ):
        with pytest.raises(PoolError, match=r"entries|counts"):
            read_results({RESULT: LOGS / RESULT, SCORE: lines(damaged)})


def test_calls_of_several_turns_are_texts_and_categories_are_groups() -> None:
    calls = [[["a()"], ["b()"]], [["c()"]]]
    row = {"id": "multi_turn_base_0", "result": calls, "latency": [[1]], "input_token_count": [[1]]}
    outputs = read_outputs(lines(row, {**row, "id": "live_simple_0-0-0", "result": [{"f": "{}"}]}), "log.json")
    assert outputs.table.column("generations").to_pylist() == [[json.dumps(calls)], ['[{"f": "{}"}]']]
    assert outputs.table.column("group").to_pylist() == ["multi_turn_base", "live_simple"]


def test_right_calls_of_bfcl_are_shown_and_name_where_outputs_are() -> None:
    ids = [json.loads(line)["id"] for line in (LOGS / ASKED).read_text(encoding="utf-8").splitlines()]
    right_calls = lines(*({"id": name, "ground_truth": [{"choose": {"letter": ["A"]}}]} for name in ids))
    run = {f"{kind}/m/{name}": LOGS / name for kind, name in (("result", RESULT), ("score", SCORE))}
    whole = read_results({**run, ASKED: LOGS / ASKED, f"possible_answer/{ASKED}": right_calls})
    assert whole.models == ("m",) and whole.accuracy == (0.4,)
    items = whole.pool([], ["m"]).items
    assert items["prompt"].tolist() == QUESTIONS and set(items["reference"]) == {'[{"choose": {"letter": ["A"]}}]'}
    alone = read(right_calls, ASKED)
    assert alone.n_items == 5 and any("Outputs and scores are in the results" in note for note in alone.notes)
