"""Results of promptfoo, HELM and lighteval, leaderboards, and results together with pools."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core.errors import PoolError
from core.pool import Pool
from core.readers import Shape, read, read_or_shape, read_results
from core.readers.json_records import kind_of
from tests.core.readers.test_inspect_log import as_json, sample
from tests.core.readers.test_lm_eval import STAMP, doc, lines


def result(number: int, test: int, provider: str, output: Any, success: bool = True, **other: Any) -> dict[str, Any]:
    return {
        "promptIdx": 0,
        "testIdx": test,
        "provider": {"id": provider, "label": ""},
        "prompt": {"raw": f"Answer: What is {number}?", "label": "Answer: {{question}}"},
        "vars": {"question": f"What is {number}?", "expected": str(number)},
        "response": {"output": output},
        "success": success,
        "score": float(success),
        **other,
    }


# Two tests, repeated three times by one provider, once by another.
RUNS = [result(number, 2 * repeat + number, "small", str(number + repeat)) for repeat in range(3) for number in (1, 2)]
RUNS += [result(1, 0, "big", "1"), result(2, 1, "big", "x", False)]


def whole(results: list[dict[str, Any]]) -> bytes:
    return json.dumps({"evalId": "eval-1", "results": {"version": 3, "results": results}, "config": {}}).encode()


@pytest.mark.parametrize(
    "content",
    [
        whole(RUNS),
        json.dumps({"version": 3, "timestamp": "2026", "results": RUNS, "stats": {}}).encode(),
        "\n".join(map(json.dumps, RUNS)).encode(),
    ],
)
def test_repeats_in_promptfoo_are_samples_of_the_test_with_the_same_variables(content: bytes) -> None:
    pool = read(content)
    assert pool.answers() == [["1", "2", "3"], ["2", "3", "4"]]
    assert pool.items["prompt"].tolist() == ["What is 1?", "What is 2?"] and pool.items["answer"].tolist() == ["1", "2"]
    assert pool.losses("big").tolist() == [0, 1]


def test_several_prompts_of_one_provider_are_several_models() -> None:
    other = [{**one, "promptIdx": 1, "prompt": {"raw": "Now!", "id": "rude"}} for one in RUNS[-2:]]
    results = read_results({"a.json": whole(RUNS + other)})
    assert sorted(results.models) == ["big, Answer: {{question}}", "big, rude", "small"]
    assert results.items == (2, 2, 2)


@pytest.mark.parametrize("ends", [("briefly", "at length"), ("", "")])
def test_prompts_of_one_provider_that_begin_alike_stay_apart(ends: tuple[str, str]) -> None:
    label = "You are a helpful assistant. Please answer the question "
    asked = [
        {**one, "promptIdx": place, "prompt": {"raw": "x", "label": label + end}, "success": place == 1}
        for place, end in enumerate(ends)
        for one in RUNS[-2:]
    ]
    results = read_results({"a.json": whole(asked)})
    assert results.models == tuple(f"big, {label[:40]} (prompt {place})" for place in (0, 1))
    assert results.accuracy == (0, 1) and results.samples == (1, 1)


def test_outputs_that_are_objects_and_tests_without_an_output_are_read() -> None:
    failed = result(3, 9, "small", None, False, error="timeout")
    pool = read(whole([*RUNS, result(4, 10, "small", {"a": 1}), failed]))
    assert pool.n_items == 4 and pool.generations is not None
    assert pool.generations[2:] == [['{"a": 1}'], []]


@pytest.mark.parametrize("ids", [("suite", "suite"), ("2", None)])
def test_ids_in_promptfoo_that_are_no_names_of_tests_join_nothing(ids: tuple[str, str | None]) -> None:
    tests = [result(place, place, "m", "x", True) for place in (1, 2)]
    for test, name in zip(tests, ids, strict=True):
        test["testCase"] = {"metadata": {"id": name}}
    assert read(whole(tests)).items.index.tolist() == ["1", "2"]


@pytest.mark.parametrize("reason", [None, 2])
def test_promptfoo_results_that_ended_with_an_error_are_unknown_and_counted(reason: int | None) -> None:
    errors = [
        result(3, 2, "m", None, False, error="timeout"),
        result(4, 3, "m", None, False, error="boom", response=None),
    ]
    errors = [one if reason is None else {**one, "failureReason": reason} for one in errors]
    results = read_results({"a.json": whole([result(1, 0, "m", "1"), result(2, 1, "m", "x", False), *errors])})
    assert results.accuracy == (0.5,) and results.items == (4,)
    assert any("error" in note and "2" in note for note in results.notes)


@pytest.mark.parametrize("output", ["", None])
def test_promptfoo_results_that_failed_without_an_output_are_wrong(output: str | None) -> None:
    failed = result(2, 1, "m", output, False, failureReason=1 if output is not None else 0)
    results = read_results({"a.json": whole([result(1, 0, "m", "1"), failed])})
    assert results.accuracy == (0.5,) and results.pool(["m"], []).generations == [["1"], [""]]
    assert any("without an output" in note and "1" in note for note in results.notes)


def test_prompts_with_different_tests_are_one_model_and_no_other_files_are_missed() -> None:
    def asked(name: str, *numbers: int) -> list[dict[str, Any]]:
        return [result(one, one, "m", "1", prompt={"raw": f"{name} {one}", "id": name}) for one in numbers]

    sums, products = asked("sum", 1, 2), asked("product", 3, 4, 5)
    results = read_results({"a.json": whole(sums + products)})
    assert results.models == ("m",) and results.items == (5,)
    results = read_results({"a.json": whole([*sums, *products, *asked("product", 1), *asked("quotient", 9)])})
    assert dict(zip(results.models, results.items, strict=True)) == {"m, sum": 2, "m, product": 4, "m, quotient": 1}


def test_a_table_of_promptfoo_has_no_result_where_a_prompt_was_not_tested() -> None:
    header = "question,[m] sum,Status,Score,Grader Reason,[m] product,Status,Score,Grader Reason"
    rows = (
        "one?,1,PASS,1.00,,,,,",
        "two?,2,FAIL,0.00,,,,,",
        ",,,,,,,,",
        "three?,,,,,3,PASS,1.00,",
        "four?,,ERROR,0.00,,,,,",
    )
    text = "\n".join((header, *rows))
    results = read_results({"a.csv": text.encode()})
    assert results.models == ("m",) and results.items == (4,) and results.accuracy == (pytest.approx(2 / 3),)


@pytest.mark.parametrize("damaged", [[{"vars": {}}], [3], [{"provider": "x", "vars": 3}]])
def test_promptfoo_results_without_a_provider_are_refused(damaged: list[Any]) -> None:
    with pytest.raises(PoolError) as caught:
        read(whole([*RUNS, *damaged]))
    assert caught.value.problems[0].row == len(RUNS) + 1


def state(model: str, texts: dict[str, list[str]], **other: Any) -> bytes:
    requests = [
        {
            "instance": {
                "id": name,
                "input": {"text": f"Question {name}"},
                "references": [
                    {"output": {"text": "yes"}, "tags": ["correct"]},
                    {"output": {"text": "no"}, "tags": []},
                ],
            },
            "train_trial_index": 0,
            "output_mapping": {"A": "no", "B": "yes"},
            "result": {"completions": [{"text": text, "logprob": -1.0} for text in some]},
        }
        for name, some in texts.items()
    ]
    requests.append({**requests[0], "train_trial_index": 1})
    return json.dumps(
        {"adapter_spec": {"model": model}, "scenario": {"name": "s"}, "request_states": requests, **other}
    ).encode()


def test_completions_of_helm_are_the_samples() -> None:
    small, big = state("small", {"id1": [" B", " A"], "id2": ["B", "B"]}), state("big", {"id1": ["A"], "id2": [" B"]})
    pool = read(small)
    assert pool.answers() == [["B", "A"], ["B", "B"]] and pool.items["answer"].tolist() == ["B", "B"]
    assert any("1 request with" in note for note in pool.notes)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("runs/a/scenario_state.json", small)
        archive.writestr("runs/a/run_spec.json", "{}")
        archive.writestr("runs/b/scenario_state.json", big)
    suite = io.BytesIO()
    with zipfile.ZipFile(suite, "w") as archive:
        for subject in ("law", "math"):
            archive.writestr(f"runs/mmlu:subject={subject},model=small/scenario_state.json", small)
    parts = read(suite.getvalue())
    assert parts.items.index.tolist()[::2] == ["mmlu:subject=law:id1", "mmlu:subject=math:id1"]
    both = read(buffer.getvalue())
    assert both.answers() == pool.answers() and both.losses("big").tolist() == [1, 0]
    with pytest.raises(PoolError) as caught:
        read(state("x", {"id1": ["B"]}, request_states=[{"instance": {"id": "a"}}]))
    assert caught.value.problems[0].row == 1


def details(docs: list[dict[str, Any]], responses: list[dict[str, Any]], metrics: list[dict[str, Any]]) -> bytes:
    sink = io.BytesIO()
    columns = {"__doc__": docs, "__model_response__": responses, "__metric__": metrics}
    pq.write_table(pa.table({name: pa.array(values) for name, values in columns.items()}), sink)
    return sink.getvalue()


def test_texts_of_lighteval_are_the_samples() -> None:
    docs = [{"query": f"What is {n}?", "choices": [str(n)], "gold_index": 0, "id": str(n)} for n in (1, 2)]
    texts = [{"text": ["1", "2"], "logprobs": []}, {"text": ["3", "2"], "logprobs": []}]
    content = details(docs, texts, [{"extractive_match": 1.0}, {"extractive_match": 0.0}])
    results = read_results({"org/m/2026-01-31T10-00-00/details_sums|0_2026-01-31T10-00-00.0.parquet": content})
    assert results.models == ("m",) and results.accuracy == (0.5,)
    pool = results.pool(["m"], [])
    assert pool.answers() == [["1", "2"], ["3", "2"]] and pool.items["answer"].tolist() == ["1", "2"]


def test_options_of_lighteval_are_answered_by_the_likeliest() -> None:
    docs = [{"query": "Which?", "choices": ["red", "blue"], "gold_index": 1, "id": "a"}]
    content = details(docs, [{"text": [], "logprobs": [-3.0, -1.0]}], [{"acc": 1}])
    results = read_results({"details_colours_2026-01-31T10-00-00.0.parquet": content})
    pool = results.pool([], results.models)
    assert pool.items["answer"].tolist() == ["B"] and pool.targets[results.models[0]].texts == ["B"]
    with pytest.raises(PoolError) as caught:
        read(details(docs, [{"text": [], "logprobs": [-3.0]}], [{"acc": 1}]))
    assert caught.value.problems[0].row == 1


def test_a_leaderboard_is_past_results() -> None:
    table = "question_id,category,one,two\nq1,law,1,0\nq2,law,0,\nq3,,1,1\n"
    pool = read(table.encode(), "board")
    assert pool.items.index.tolist() == ["q1", "q2", "q3"] and [*pool.targets] == ["one", "two"]
    results = read_results({"board.csv": table.encode()})
    assert results.models == ("one", "two") and results.accuracy == pytest.approx((2 / 3, 1 / 2))
    with pytest.raises(PoolError, match="only scores"):
        results.pool(["one"], ["two"])
    both = results.pool([], ["one", "two"])
    assert both.losses("one").tolist() == [0, 1, 0] and both.items["group"].tolist()[:2] == ["law", "law"]
    with pytest.raises(PoolError) as caught:
        read((table + "".join(f"r{number},,1,0\n" for number in range(60)) + "z,,1,maybe\n").encode())
    assert [(problem.row, problem.field) for problem in caught.value.problems] == [(65, "two")]


NAN = "task,gpt-4,claude-3\nt/1,1,NaN\nt/2,0,1\nt/3,n/a,1\n"
BOARDS = {
    "NaN": (NAN, [0, 1, None], ": gpt-4 has 50\u00a0% of 2 items right and claude-3 has 100"),
    "shares": (NAN.replace("2,0", "2,0.25"), [0, 0.75, None], "Some scores are read as shares."),
    "per cent": (NAN.replace("1,1,", "1,100,"), [0, 1, None], "Some scores are read as per cent."),
    "per cent with signs": (NAN.replace("2,0,1", "2,85%,100%"), [0, 0.15, None], "gpt-4 has 92"),
    "verdicts": (NAN.replace("2,0", "2,no").replace("1,1,", "1,yes,"), [0, 1, None], "gpt-4 has 50"),
    "scores behind": (NAN.replace("-4", "-4 correct").replace("-3", "-3 correct"), [0, 1, None], "gpt-4 has 50"),
}


@pytest.mark.parametrize("form", BOARDS)
def test_leaderboards_are_read_on_every_scale_and_say_what_1_means(form: str) -> None:
    table, losses, said = BOARDS[form]
    for content in (table, table.replace("task", "Question"), table.replace(",", ";")):
        pool = read(content.encode())
        assert [*pool.targets] == ["gpt-4", "claude-3"] and pool.items.index.tolist() == ["t/1", "t/2", "t/3"]
        found = [None if loss != loss else loss for loss in pool.losses("gpt-4").tolist()]
        assert found == [loss if loss is None else pytest.approx(loss) for loss in losses]
        assert any(said in note for note in pool.notes)
    assert "prompt" in read(table.replace("task", "question").encode()).items


@pytest.mark.parametrize(
    "table",
    [
        "task,gpt-4,claude-3\nt,1,0\nt,0,1\n",
        "id,error,correct\na,1,0\nb,0,1\n",
        "id,faithfulness,relevance\na,0.5,1\nb,0.7,0.2\n",
        "id,strict,loose\na,0.5,1\nb,0.7,0.2\n",
        "id,is_math,is_code\na,1,0\nb,0,1\n",
        "id,gpt-4 tokens,claude-3 tokens\na,17,30\nb,11,29\n",
        "task,gpt-4,claude-3\na,150,30\nb,11,29\n",
        "task,gpt-4,claude-3\na,15,3\nb,11,20\n",
        "task,gpt-4,claude-3\na,1,2\nb,2,1\n",
        "task,gpt-4,claude-3\na,0.85,12.4\nb,3.1,2.9\n",
        "task,gpt-4,claude-3\na,1,-1\nb,0,1\n",
    ],
)
def test_other_numbers_are_no_leaderboard(table: str) -> None:
    opened = read_or_shape(table.encode())
    assert not (isinstance(opened, Pool) and opened.targets)
    fields = Shape.of(table.encode()).guess
    assert "prompt" not in fields.fields and not any("gpt" in path for path in fields.paths())


@pytest.mark.parametrize(
    "table", ["id,a,b\nx,0.5,1\n", "id,one\nx,1\n", "id,m:loss,n:loss\nx,1,0\n", "id,a,b,generation_1\nx,1,0,A\n"]
)
def test_other_tables_are_pools(table: str) -> None:
    assert read(table.encode()).items.index.tolist() == ["x"]


def test_a_task_that_two_tools_call_differently_is_one() -> None:
    named = f"small/samples_sums_{STAMP}.jsonl"
    log = lines(*(doc(number, ["A", "B"], target="2 + 2 = 4\n#### 4") for number in range(4)))
    other = as_json(*(sample(f"s{number}", 1, "4", input=f"what is {number}?") for number in range(4)))
    pool = read_results({named: log, "big.json": other}).pool(["small"], ["org/m"])
    assert set(pool.items["answer_kind"]) == {"number"} and not any("edition" in note for note in pool.notes)
    assert pool.items.index.tolist() == ["0", "1", "2", "3"] and pool.losses("org/m").tolist() == [0] * 4


def test_a_template_around_the_questions_is_no_other_question() -> None:
    def file(**of_item: str) -> bytes:
        items = [
            {"id": str(n), "answer": str(n), **{key: text.format(n) for key, text in of_item.items()}} for n in range(9)
        ]
        return "\n".join(json.dumps(item | {"generations": [item["answer"]]}) for item in items).encode()

    plain, other = file(prompt="What is {}?"), file(prompt="Who is {}?")
    results = read_results({"a.jsonl": file(prompt="Question: WHAT is {}?\nAnswer:"), "b.jsonl": plain})
    assert results.items == (9, 9) and not any("edition" in note or "matched" in note for note in results.notes)
    with pytest.raises(PoolError, match="differ in question"):
        read_results({"a.jsonl": plain, "b.jsonl": other})


@pytest.mark.parametrize(("names", "versions"), [(("agent v9", "agent v10"), True), (("agent", "rival"), False)])
def test_versions_of_one_model_are_targets_and_no_committee(names: tuple[str, str], versions: bool) -> None:
    logs = [whole([result(n, n, name, str(n)) for n in (1, 2, 3)]) for name in names]
    split = read_results({f"{n}.json": log for n, log in enumerate(logs)}).default_split()
    assert (set(split.targets) == set(names), split.committee == ()) == (versions, versions)


def test_a_pool_of_generations_and_a_log_of_the_target_become_one_pool() -> None:
    lines = [{"id": f"q{n}", "prompt": f"What is {n}?", "answer": str(n), "generations": ["1", "2"]} for n in (1, 2)]
    native = "\n".join(map(json.dumps, lines)).encode()
    log = whole([result(number, number, "big", str(number), number == 1) for number in (2, 1)])
    results = read_results({"small.jsonl": native, "big.json": log})
    assert results.default_split().committee == ("small",)
    pool = results.pool(["small"], ["big"])
    assert pool.items.index.tolist() == ["q1", "q2"] and pool.losses("big").tolist() == [0, 1]
    again = read_results(
        {
            "all.jsonl": "\n".join(
                map(
                    json.dumps,
                    [
                        {**line, "targets": {"big": {"answer": "1", "loss": loss}}}
                        for line, loss in zip(lines, (0, 1), strict=True)
                    ],
                )
            ).encode()
        }
    )
    assert again.models == ("all", "big") and again.pool(["all"], ["big"]).losses("big").tolist() == [0, 1]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        *(
            ("1,000 $", "number"),
            ("3.5e-7", "number"),
            ("1/2 cup", "number"),
            ("so\n#### 7", "number"),
            ("B", "choice"),
        ),
        *(("Apollo 11", "text"), ("January 5, 2020", "text"), ("Paris", "text")),
    ],
)
def test_a_right_answer_is_a_number_where_it_is_nothing_else(answer: str, kind: str) -> None:
    assert kind_of(answer, None) == kind


@pytest.mark.parametrize(("passed", "agrees"), [(1, True), (2, False)])
def test_passes_that_promptfoo_counts_are_compared_with_those_of_its_results(passed: int, agrees: bool) -> None:
    runs = [result(1, 0, "m", "1"), result(2, 1, "m", "x", False), result(3, 2, "m", None, False, error="boom")]
    metrics = {"testPassCount": passed, "testFailCount": 2 - passed, "testErrorCount": 1}
    content = json.loads(whole(runs))
    content["results"]["prompts"] = [{"provider": "m", "label": "Answer", "metrics": metrics}]
    account = read_results({"a.json": json.dumps(content).encode()}).account
    assert account is not None and [(total.own, total.agrees) for total in account.totals] == [(0.5, agrees)]
