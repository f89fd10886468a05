"""Files of every format, from a seed, of which it is known what becomes of their records."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from core.readers import FORMATS, FieldMap
from core.readers.benchmarks import BENCHMARKS
from tests.core.readers import test_batches, test_evalscope, test_every_eval_ever, test_langfuse
from tests.core.readers import test_benchmarks as benchmarks
from tests.core.readers import test_inspect_log as inspect
from tests.core.readers import test_lm_eval as lm_eval
from tests.core.readers import test_tools as tools

WORDS = ("red", "blue", "It is 4", "", "{}", '{"a": 1}', "4", "B", "n/a", "Ünïcode", "two\nlines", "a,b;c")


class Known(NamedTuple):
    """What became of the records of a file."""

    items: int
    further: int = 0
    repeated: int = 0
    left_out: int = 0
    completing: int = 0


class Generated(NamedTuple):
    """A file and what it holds; ``fields`` is the map of one of no known format."""

    name: str
    content: bytes
    known: Known
    fields: FieldMap | None = None


def said(rng: Random) -> str:
    return rng.choice(WORDS)


def numbers(rng: Random, most: int = 7) -> list[int]:
    return rng.sample(range(1, 60), rng.randint(1, most))


def lines(rng: Random, rows: Iterable[Any]) -> bytes:
    """JSON Lines, with blank lines here and there, sometimes gzipped."""
    parts = [json.dumps(row, ensure_ascii=rng.random() < 0.5) + "\n" * rng.choice((1, 1, 1, 3)) for row in rows]
    content = "".join(parts).encode()
    return gzip.compress(content) if rng.random() < 0.1 else content


def shuffled(rng: Random, rows: Sequence[Any]) -> list[Any]:
    return rng.sample(rows, len(rows))


def zipped(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def native_records(rng: Random) -> list[dict[str, Any]]:
    k = rng.randint(0, 3)
    extras = rng.sample(["difficulty", "note", "generation_answers"], rng.randint(0, 2))
    rows = []
    for number in numbers(rng):
        row: dict[str, Any] = {"id": f"q{number}", "targets": {"m": {"loss": rng.randint(0, 1)}}}
        row |= {"generations": [said(rng) for _ in range(k)]} if k else {}
        row |= {"prompt": said(rng), "answer": "B"} if rng.random() < 0.8 else {}
        row |= {name: number for name in extras if name != "generation_answers"}
        rows.append(row)
    return rows


def native_lines(rng: Random) -> Generated:
    rows = native_records(rng)
    content = json.dumps(rows).encode() if rng.random() < 0.3 else lines(rng, rows)
    return Generated("pool.jsonl", content, Known(len(rows)))


def native_table(rng: Random) -> Generated:
    k, some = rng.randint(1, 3), numbers(rng)
    rows = [
        {"id": f"q{n}", "prompt": said(rng), "m:loss": n % 2, **{f"generation_{i}": said(rng) for i in range(1, k + 1)}}
        for n in some
    ]
    return Generated("pool.csv", benchmarks.table(rows, rng.choice(",;\t")), Known(len(rows)))


def native_parquet(rng: Random) -> Generated:
    rows = native_records(rng)
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), sink, row_group_size=rng.randint(1, 4))
    return Generated("pool.parquet", sink.getvalue(), Known(len(rows)))


def of_lm_eval(rng: Random) -> Generated:
    k, filters = rng.randint(1, 3), rng.sample(["none", "strict", "maj@3", "flexible"], rng.randint(1, 3))
    docs = [lm_eval.doc(n, [said(rng) for _ in range(k)], rng.choice((0.0, 1.0, None))) for n in numbers(rng)]
    rows = [{**one, "filter": kind} for kind in filters for one in docs]
    again = rng.sample(rows, rng.randint(0, min(2, len(rows))))
    name = f"org__m/samples_sums_{lm_eval.STAMP}.jsonl"
    known = Known(len(docs), 0, len(docs) * (len(filters) - 1) + len(again))
    return Generated(name, lines(rng, shuffled(rng, rows + again)), known)


def of_inspect(rng: Random) -> Generated:
    """Samples in any order; some ended without an output, some stand in the log twice."""
    samples, seen = list[dict[str, Any]](), set[tuple[int, int]]()
    for n in numbers(rng):
        for epoch in range(1, rng.randint(1, 4) + 1):
            text = None if rng.random() < 0.2 else said(rng) or "x"
            samples += [inspect.sample(n, epoch, text, rng.choice("CI"))] * (2 if rng.random() < 0.1 else 1)
    samples = shuffled(rng, samples)
    items = {one["id"] for one in samples}
    fates, known = dict.fromkeys(("further", "repeated", "left_out"), 0), set[int]()
    for one in samples:
        is_silent, key = not one["scores"], (one["id"], one["epoch"])
        first = one["id"] not in known
        known.add(one["id"])
        if not is_silent:
            fates["repeated" if key in seen else "further"] += not first
            seen.add(key)
        else:
            fates["left_out"] += not first
    # An epoch that is there twice without an output is left out twice.
    content = inspect.as_json(*samples) if rng.random() < 0.5 else _as_eval(samples)
    return Generated("log", content, Known(len(items), **fates))


def _as_eval(samples: Sequence[dict[str, Any]]) -> bytes:
    members = {f"samples/{place}_epoch_{one['epoch']}.json": one for place, one in enumerate(samples)}
    return zipped({name: json.dumps(one).encode() for name, one in {"header.json": inspect.HEADER, **members}.items()})


def of_promptfoo(rng: Random) -> Generated:
    rows = []
    for n in numbers(rng, 5):
        for provider in rng.sample(["small", "big", "other"], rng.randint(1, 3)):
            for repeat in range(rng.randint(1, 3)):
                failed = {"failureReason": 2, "response": {}, "error": "busy"} if rng.random() < 0.2 else {}
                rows.append(tools.result(n, 10 * repeat + n, provider, said(rng), **failed))
    rows = shuffled(rng, rows)
    named, left_out = set[tuple[str, str]](), 0
    for one in rows:
        key = (one["provider"]["id"], one["vars"]["question"])
        left_out += key in named and "failureReason" in one
        named.add(key)
    items = len({question for _, question in named})
    content = tools.whole(rows) if rng.random() < 0.5 else lines(rng, rows)
    return Generated("results", content, Known(items, len(rows) - items - left_out, 0, left_out))


def of_promptfoo_table(rng: Random) -> Generated:
    providers, some = rng.sample(["small", "big", "other"], rng.randint(1, 3)), numbers(rng, 5)
    rows = [
        {"question": f"What is {n}?", "repeat": ""}
        | {f"[{one}] Answer": [said(rng), rng.choice(("PASS", "FAIL", "ERROR")), "1"] for one in providers}
        for n in some
        for _ in range(2)
    ]
    header = ["question", *(cell for one in providers for cell in (f"[{one}] Answer", "Status", "Score"))]
    cells = [[row["question"], *(cell for one in providers for cell in row[f"[{one}] Answer"])] for row in rows]
    taken = 0
    named = set[tuple[str, str]]()
    for row in rows:
        fates = [one for one in providers if row[f"[{one}] Answer"][1] != "ERROR"]
        fates += [one for one in providers if (one, row["question"]) not in named]
        named |= {(one, row["question"]) for one in providers}
        taken += bool(fates)
    known = Known(len(some), taken - len(some), 0, len(rows) - taken)
    return Generated("results.csv", _csv([header, *cells]), known)


def _csv(rows: Sequence[Sequence[Any]]) -> bytes:
    import csv

    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue().encode()


def of_helm(rng: Random) -> Generated:
    states, items, left_out = dict[str, bytes](), 0, 0
    for subject in rng.sample(["law", "math", "art"], rng.randint(1, 3)):
        texts = {f"id{n}": [said(rng) for _ in range(2)] for n in numbers(rng, 5)}
        value = json.loads(tools.state("m", texts))
        for one in rng.sample(value["request_states"], rng.randint(0, 2) if len(texts) > 2 else 0):
            value["request_states"].append({**one, "instance": {**one["instance"], "perturbation": {"name": "typos"}}})
        states[f"runs/v1/mmlu:subject={subject},model=m/scenario_state.json"] = json.dumps(value).encode()
        items, left_out = items + len(texts), left_out + len(value["request_states"]) - len(texts)
    alone = len(states) == 1 and rng.random() < 0.5
    content = next(iter(states.values())) if alone else zipped(states)
    return Generated("scenario_state.json" if alone else "suite.zip", content, Known(items, 0, 0, left_out))


def of_batches(rng: Random) -> Generated:
    rows, known = list[dict[str, Any]](), Known(0)
    for n in numbers(rng):
        for sample in range(rng.randint(1, 3)):
            failed = {"response": None, "error": test_batches.EXPIRED} if rng.random() < 0.2 else {}
            rows += [test_batches.answer(f"q{n}#s{sample}", said(rng), **failed)] * (2 if rng.random() < 0.1 else 1)
    rows = shuffled(rng, rows)
    named, answered = set[str](), set[str]()
    for one in rows:
        item, is_failed = one["custom_id"].partition("#")[0], one["response"] is None
        first, again = item not in named, one["custom_id"] in answered
        named.add(item)
        answered |= set() if is_failed else {one["custom_id"]}
        known = Known(
            known.items + first,
            known.further + (not first and not is_failed and not again),
            known.repeated + (not first and not is_failed and again),
            known.left_out + (not first and is_failed),
        )
    return Generated("batch.jsonl", lines(rng, rows), known)


def of_langfuse(rng: Random) -> Generated:
    rows, second = list[dict[str, Any]](), 0
    some = numbers(rng)
    for n in some:
        for _ in range(rng.randint(1, 3)):
            second += 1
            rows.append(test_langfuse.observation(n, said(rng) or "x", second))
    others = [test_langfuse.observation(1, None, second + 1 + place, "SPAN") for place in range(rng.randint(0, 3))]
    rows = shuffled(rng, rows + others)
    content = json.dumps(rows).encode() if rng.random() < 0.5 else lines(rng, rows)
    known = Known(len(some), len(rows) - len(others) - len(some), 0, len(others))
    return Generated("export.json", content, known)


def of_evalscope(rng: Random) -> Generated:
    k, items = rng.randint(1, 3), rng.randint(1, 6)
    make = rng.choice([_review, _prediction])
    rows = [make(rng, index, index // k) for index in range(k * items)]
    again = rng.sample(rows, rng.randint(0, 1))
    folder = "reviews" if make is _review else "predictions"
    known = Known(items, items * (k - 1), len(again))
    return Generated(f"{folder}/m/sums_main.jsonl", lines(rng, shuffled(rng, rows + again)), known)


def _review(rng: Random, index: int, group: int) -> dict[str, Any]:
    return test_evalscope.review(index, group, said(rng), "4", float(rng.randint(0, 1)))


def _prediction(rng: Random, index: int, group: int) -> dict[str, Any]:
    return test_evalscope.prediction(index, group, said(rng))


def of_opencompass(rng: Random) -> Generated:
    some, times = numbers(rng, 5), rng.randint(1, 3)
    rows = [
        {"origin_prompt": f"What is {n}?", "prediction": [said(rng)] * rng.randint(1, 2), "gold": str(n)}
        for _ in range(times)
        for n in some
    ]
    content = json.dumps({str(place): row for place, row in enumerate(rows)}).encode()
    known = Known(len(some), len(some) * (times - 1))
    return Generated("predictions/m/sums.json", content, known)


def of_every_eval_ever(rng: Random) -> Generated:
    some = [test_every_eval_ever.instance(f"s{n}", [said(rng)] * rng.randint(1, 2), 1.0) for n in numbers(rng)]
    others = [{**one, "evaluation_result_id": "f1"} for one in rng.sample(some, rng.randint(0, len(some)))]
    return Generated("x_samples.jsonl", lines(rng, some + others), Known(len(some), 0, len(others)))


def of_lighteval(rng: Random) -> Generated:
    some = numbers(rng)
    docs = [{"query": f"What is {n}?", "choices": [str(n)], "gold_index": 0, "id": str(n)} for n in some]
    texts = [{"text": [said(rng) for _ in range(2)], "logprobs": [0.0]} for _ in some]
    content = tools.details(docs, texts, [{"acc": float(rng.randint(0, 1))} for _ in some])
    return Generated("details_sums_2026-01-31T10-00-00.0.parquet", content, Known(len(some)))


def of_vlmevalkit(rng: Random) -> Generated:
    rows = [{"index": n, "question": f"What is {n}?", "answer": "4", "prediction": said(rng)} for n in numbers(rng)]
    content = json.dumps(rows).encode() if rng.random() < 0.5 else benchmarks.table(rows, "\t")
    return Generated("m_MMStar.json", content, Known(len(rows)))


def of_leaderboards(rng: Random) -> Generated:
    names = rng.sample(["small", "big", "other", "last"], rng.randint(2, 4))
    rows = [{"item_id": f"q{n}", **{name: rng.choice(("1", "0", "")) for name in names}} for n in numbers(rng)]
    rows[0] |= dict.fromkeys(names, "1")
    empty = sum(not any(row[name] for name in names) for row in rows)
    return Generated("board.csv", benchmarks.table(rows), Known(len(rows) - empty, 0, 0, empty))


def of_mmlu_pro(rng: Random) -> Generated:
    rows = [
        {"question_id": n, "question": f"What is {n}?", "options": ["a", "b"], "answer": "A", "category": "law"}
        | {"pred": rng.choice(("A", "B", None)), "generated_text": said(rng), "src": "s", "cot_content": ""}
        for n in numbers(rng)
    ]
    content = json.dumps(rows).encode()
    content = content if rng.random() < 0.5 else zipped({"model_outputs_m_5shots.json": content})
    return Generated("model_outputs_m_5shots.zip", content, Known(len(rows)))


def of_bfcl(rng: Random) -> Generated:
    rows = [{"id": f"simple_{n}", "result": said(rng), "latency": 0.5} for n in numbers(rng)]
    return Generated("result/m/BFCL_v4_simple_result.json", lines(rng, rows), Known(len(rows)))


def of_mt_bench(rng: Random) -> Generated:
    """Judgments of several models; those of a second judge are left out."""
    some, names = numbers(rng, 5), rng.sample(["small", "big", "other"], rng.randint(1, 3))
    rows = [
        {"question_id": n, "model": name, "judge": ["j", "p"], "judgment": said(rng), "score": rng.randint(1, 10)}
        for n in some
        for name in names
    ]
    others = [{**row, "judge": ["k", "p"]} for row in rng.sample(rows, rng.randint(0, 2) if len(rows) > 2 else 0)]
    known = Known(len(some), len(rows) - len(some), 0, len(others))
    return Generated("j_single.jsonl", lines(rng, rows + others), known)


def of_humaneval(rng: Random) -> Generated:
    some, k = numbers(rng), rng.randint(1, 3)
    rows = [
        {"task_id": f"HumanEval/{n}", "completion": said(rng), "passed": n % 2 == 0} for n in some for _ in range(k)
    ]
    known = Known(len(some), len(some) * (k - 1))
    if rng.random() < 0.5:
        return Generated("m.jsonl_results.jsonl", lines(rng, shuffled(rng, rows)), known)
    tasks = {
        f"HumanEval/{n}": [{"solution": said(rng), "base_status": "pass", "plus_status": "fail"}] * k for n in some
    }
    return Generated("m_eval_results.json", json.dumps({"date": "2026", "eval": tasks}).encode(), known)


def of_swe_bench(rng: Random) -> Generated:
    names = [f"a__b-{n}" for n in numbers(rng)]
    resolved, rest = names[: len(names) // 2], names[len(names) // 2 :]
    report = {"resolved_ids": resolved, "unresolved_ids": rest[1:], "submitted_ids": shuffled(rng, names)}
    report |= {rng.choice(["error_ids", "empty_patch_ids"]): rest[:1], "total_instances": len(names)}
    return Generated("m.run.json", json.dumps(report).encode(), Known(len(names)))


def of_openai_evals(rng: Random) -> Generated:
    """Events of samples in any order, some of which ended without an output, around the run and its report."""
    some, rows = numbers(rng), list[dict[str, Any]]()
    for n in some:
        events: list[tuple[str, dict[str, Any]]] = [("error", {"type": "Timeout"})]
        if rng.random() < 0.8:
            outputs = [said(rng) or "x" for _ in range(rng.randint(1, 3))]
            scored = ("match", {"correct": n % 2 == 0, "expected": "4"}) if rng.random() < 0.5 else ("raw_sample", {})
            events = [("sampling", {"prompt": f"What is {n}?", "sampled": outputs}), scored]
        rows += [
            {"run_id": "r", "event_id": 0, "sample_id": f"s.{n}", "type": kind, "data": data} for kind, data in events
        ]
    spec, report = {"spec": {"completion_fns": ["m"], "eval_name": "s.v0"}}, {"final_report": {"accuracy": 0.5}}
    events_and_report = shuffled(rng, [*rows, report])
    return Generated(
        "log.jsonl", lines(rng, [spec, *events_and_report]), Known(len(some), completing=len(rows) + 2 - len(some))
    )


def of_alpaca_eval(rng: Random) -> Generated:
    some = numbers(rng)
    rows = [
        {"instruction": f"Say {n}.", "output_1": said(rng), "output_2": said(rng), "generator_1": "base"}
        | {"generator_2": "m", "preference": rng.choice((1.0, 2.0, 1.5, None)), "annotator": "j"}
        for n in some
    ]
    return Generated("annotations.json", json.dumps(rows).encode(), Known(len(rows)))


def of_comparisons(rng: Random) -> Generated:
    some = numbers(rng)
    rows = [
        {
            "question_id": n,
            "prompt": f"Say {n}.",
            "model_a": "x",
            "model_b": "y",
            "response_a": "So.",
            "response_b": "Thus.",
        }
        | {"winner": rng.choice(("model_a", "model_b", "tie", "tie (bothbad)"))}
        for n in some
    ]
    return Generated("votes.json", json.dumps(rows).encode(), Known(len(rows)))


def of_ragas(rng: Random) -> Generated:
    some, k = numbers(rng), rng.randint(1, 3)
    rows = [
        {"user_input": f"What is {n}?", "response": said(rng) or "x", "retrieved_contexts": "['a']"}
        | {"reference": str(n), "faithfulness": rng.choice((0.0, 0.5, 1.0))}
        for n in some
        for _ in range(k)
    ]
    content = benchmarks.table(rows) if rng.random() < 0.5 else lines(rng, rows)
    return Generated("ragas.csv", content, Known(len(some), len(some) * (k - 1)))


def of_deepeval(rng: Random) -> Generated:
    some, k = numbers(rng), rng.randint(1, 3)
    cases = [
        {"name": f"test {n}", "input": f"What is {n}?", "actualOutput": said(rng), "expectedOutput": str(n)}
        | {"success": n % 2 == 0, "metricsData": [{"name": "Fit", "score": 0.5}]}
        for n in some
        for _ in range(k)
    ]
    run = {"testCases": cases, "conversationalTestCases": [], "metricsScores": [], "identifier": "night"}
    return Generated("run.json", json.dumps(run).encode(), Known(len(some), len(some) * (k - 1)))


def benchmark_mmlu_redux(rng: Random) -> Generated:
    kinds = ["ok", "ok", "bad_question_clarity", "no_correct_answer", "expert"]
    rows = [{"answer": 1, "error_type": rng.choice(kinds)} for _ in range(rng.randint(1, 8))] + [
        {"answer": 0, "error_type": "ok"}
    ]
    dropped = sum(row["error_type"] != "ok" for row in rows)
    content = json.dumps(benchmarks.redux(rows)).encode()
    return Generated("law.json", content, Known(len(rows) - dropped, 0, 0, dropped))


def benchmark_mmbench(rng: Random) -> Generated:
    options = ["cat", "dog", "cow", "hen"]
    questions = [benchmarks.circular(n, options[: rng.randint(2, 4)], 1) for n in numbers(rng, 4)]
    rows = [row for question in questions for row in question]
    return Generated(
        "m.tsv", benchmarks.table(rows, "\t"), Known(len(questions), completing=len(rows) - len(questions))
    )


def benchmark_gpqa(rng: Random) -> Generated:
    rows = rng.sample(benchmarks.GPQA_ROWS, rng.randint(1, 6))
    return Generated("gpqa.csv", benchmarks.table(rows), Known(len(rows)))


def benchmark_mmlu_pro(rng: Random) -> Generated:
    rows = rng.sample(benchmarks.QUESTIONS, rng.randint(1, 3))
    return Generated("test.json", json.dumps(rows).encode(), Known(len(rows)))


def other_rows(rng: Random) -> Generated:
    """Rows of no known format: as many a question as there are samples, or models."""
    k, some = rng.randint(1, 3), numbers(rng)
    rows = [
        {"case": f"case {n}", "inputs": {"question": f"What is {n}, please?"}, "output": f"It is {n + s} of {s}."}
        | {"correct": s % 2 == 0}
        for n in some
        for s in range(k)
    ]
    if rng.random() < 0.5:
        content = benchmarks.table([{**row, "inputs": json.dumps(row["inputs"])} for row in rows])
    else:
        content = lines(rng, rows)
    fields = FieldMap({"id": "case", "prompt": "inputs.question", "generations": "output"}, judges=("correct",))
    return Generated("other", content, Known(len(some), len(some) * (k - 1)), fields)


def other_models(rng: Random) -> Generated:
    """Rows that name their models, which may answer an item several times or not at all."""
    rows, known = list[dict[str, Any]](), Known(0)
    for n in numbers(rng):
        for model in rng.sample(["small", "big", "other"], rng.randint(1, 3)):
            for _ in range(rng.randint(1, 2)):
                rows.append({"case": n, "who": model, "out": said(rng) if rng.random() < 0.8 else None})
    rows = [{"case": 0, "who": "small", "out": "x"}, *shuffled(rng, rows)]
    # Rows that say the same are one, unless a model has other rows on some item: then they are its samples.
    different = list({json.dumps(row): row for row in rows}.values())
    if len({(row["case"], row["who"]) for row in different}) == len(different):
        known, rows_read = Known(0, repeated=len(rows) - len(different)), different
    else:
        rows_read = rows
    for case in {row["case"] for row in rows}:
        said_something = [row["out"] is not None for row in rows_read if row["case"] == case]
        answers, silent = sum(said_something), len(said_something) - sum(said_something)
        known = known._replace(
            items=known.items + 1,
            further=known.further + max(answers - 1, 0),
            left_out=known.left_out + silent - (answers == 0),
        )
    fields = FieldMap({"id": "case"}, {"": {"text": "out"}}, model="who")
    return Generated("other", lines(rng, rows), known, fields)


def other_pieces(rng: Random) -> Generated:
    """Rows that say a part of an item each: its question, its output, its score; some say what another one says."""
    some, rows, known = numbers(rng), list[dict[str, Any]](), Known(0)
    for n in some:
        parts: list[dict[str, Any]] = [{"question": f"What is {n}?"}, {"output": said(rng)}, {"correct": n % 2}]
        chosen = rng.sample(parts, rng.randint(1, 3))
        again = rng.randint(0, 1)
        rows += [{"case": n, **part} for part in [*chosen, *chosen[:again]]]
        known = Known(known.items + 1, 0, known.repeated + again, 0, known.completing + len(chosen) - 1)
    whole = {"case": 0, "question": "Why?", "output": "x", "correct": 1}
    fields = FieldMap({"id": "case", "prompt": "question"}, {"m": {"text": "output", "right": "correct"}})
    return Generated("other", lines(rng, [*rows, whole]), known._replace(items=known.items + 1), fields)


# By the names of the formats, of the benchmarks, and of what Neyman reads otherwise.
MAKERS: dict[str, tuple[Callable[[Random], Generated], ...]] = {
    "native": (native_lines, native_table, native_parquet),
    "other": (other_rows, other_models, other_pieces),
    "lm-evaluation-harness samples": (of_lm_eval,),
    "promptfoo results": (of_promptfoo, of_promptfoo_table),
    "Inspect log": (of_inspect,),
    "lighteval details": (of_lighteval,),
    "HELM scenario states": (of_helm,),
    "OpenAI and vLLM batch output": (of_batches,),
    "Langfuse exports": (of_langfuse,),
    "EvalScope reviews and predictions": (of_evalscope,),
    "OpenCompass predictions": (of_opencompass,),
    "every_eval_ever records": (of_every_eval_ever,),
    "VLMEvalKit results": (of_vlmevalkit,),
    "leaderboard tables": (of_leaderboards,),
    "MMLU-Pro results": (of_mmlu_pro,),
    "BFCL results and scores": (of_bfcl,),
    "MT-bench judgments": (of_mt_bench,),
    "HumanEval and EvalPlus results": (of_humaneval,),
    "SWE-bench report": (of_swe_bench,),
    "OpenAI evals logs": (of_openai_evals,),
    "AlpacaEval annotations": (of_alpaca_eval,),
    "comparisons of two models": (of_comparisons,),
    "Ragas tables": (of_ragas,),
    "DeepEval test runs": (of_deepeval,),
    "MMLU-Pro": (benchmark_mmlu_pro,),
    "MMLU-Redux": (benchmark_mmlu_redux,),
    "GPQA": (benchmark_gpqa,),
    "MMBench": (benchmark_mmbench,),
}
ALL = [(name, make) for name, makers in MAKERS.items() for make in makers]
READ = {"native", "other", *(one.name for one in FORMATS), *(one.title for one in BENCHMARKS)}


def generated(number: int) -> tuple[str, Generated]:
    """The file with this number, of each kind in turn."""
    name, make = ALL[number % len(ALL)]
    return name, make(Random(number))
