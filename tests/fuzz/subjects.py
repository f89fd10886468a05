"""What is fuzzed: every reader of files and answers, valid files to begin with, and what must hold of the result."""

from __future__ import annotations

import atexit
import functools
import gzip
import io
import json
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from core import labels
from core.answers import KINDS, parse
from core.design import Design, Plan, manifest, recommend
from core.errors import NeymanError
from core.files.jsontext import BadJson, decode
from core.pool import Pool, picture
from core.readers import FieldMap, Shape, read, read_mapped, read_or_shape, read_results
from core.surrogate import batch, batch_results
from core.surrogate.client.replies import read_reply
from core.surrogate.faults import TransientFault
from core.surrogate.job.selection import read_ids
from core.surrogate.job.store import Store
from tests.core.files import test_encoding
from tests.core.readers import (
    json_lines,
    test_batches,
    test_benchmarks,
    test_bundle,
    test_evalscope,
    test_every_eval_ever,
    test_field_map,
    test_guessed_chats,
    test_inspect_log,
    test_langfuse,
    test_lm_eval,
    test_opencompass,
    test_tools,
    test_vlmevalkit,
)
from tests.core.readers.guessed import lines
from tests.core.readers.test_fuzz import BASE, MMLU, check_pool
from tests.core.readers.test_fuzz import zipped as zip_of
from tests.core.surrogate.batch.test_batch import NOWHERE, answer_to
from tests.core.surrogate.conftest import pool_of, spec_for

FIXTURES = Path(__file__).parents[1] / "core" / "labels" / "formats" / "fixtures"
TOOL_LOGS = Path(__file__).parents[1] / "core" / "readers" / "fixtures" / "tools"
_SCORED = ("BFCL", "alpaca_eval", "deepeval", "evalplus", "humaneval", "mt_bench", "openai_evals")
_MEMORY = Path("/dev/shm")
EPOCHS = [test_inspect_log.sample(name, epoch, "4") for name in ("a", "b") for epoch in (1, 2)]
LOGS = [
    test_lm_eval.lines(test_lm_eval.doc(0, ["(A)", "(B)"]), test_lm_eval.likelihoods(1, -1.0, -2.0)),
    test_inspect_log.as_json(*EPOCHS),
    test_tools.whole(test_tools.RUNS),
    test_tools.state("m", {"a": [" B", " A"]}),
]
BENCHMARKS = [
    test_benchmarks.table(test_benchmarks.mmbench(), "\t"),
    test_benchmarks.table(test_benchmarks.GPQA_ROWS[:4]),
    test_benchmarks.table([{**row, "choices": str(row["choices"])} for row in test_benchmarks.redux()], ";"),
]
_DOC = {"query": "Which?", "choices": ["red", "blue"], "gold_index": 1, "id": "a"}
DETAILS = test_tools.details([_DOC], [{"text": ["A"], "logprobs": [-3.0, -1.0]}], [{"acc": 1}])
REFUSED = (NeymanError, BadJson, TransientFault)


class Subject(NamedTuple):
    """A reader: what it is given at first, by form, and what is done with an input."""

    originals: Callable[[], Mapping[str, list[bytes]]]
    check: Callable[[bytes], None]


@functools.cache
def plan() -> Plan:
    return Design(10).draw(pool(), seed=0)


@functools.cache
def pool() -> Pool:
    rng = np.random.default_rng(0)
    rows = [{"id": f"q{n}", "prompt": "?", "generations": rng.choice(list("AB"), 4).tolist()} for n in range(40)]
    return Pool.from_records(rows)


def _pools() -> Mapping[str, list[bytes]]:
    lines = "\n".join(map(json.dumps, BASE)).encode()
    table = "id,prompt,generation_1,generation_2,logprob_1,logprob_2,m:answer,m:loss,answer,choice_A,choice_B,x\n"
    table += "a,why,A,B,-1,-2,A,0,A,x,y,1\nb,,C,,-1,-0.5,B,1,A,x,y,\n"
    stream = io.BytesIO()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pool.parquet"
        read(lines).write(path)
        stream.write(path.read_bytes())
    return {
        "json": [lines, json.dumps(BASE).encode(), json.dumps(MMLU).encode(), *LOGS],
        "csv": [table.encode(), table.replace(",", ";").encode(), *BENCHMARKS],
        "parquet": [stream.getvalue(), DETAILS],
        "zip": [zip_of(json.dumps(MMLU).encode()), test_inspect_log.as_eval(*EPOCHS)],
    }


def _check_pool(content: bytes) -> None:
    check_pool(read(content, "fuzz"))


@functools.cache
def _exports() -> Mapping[str, list[bytes]]:
    samples = ["\n".join(map(json.dumps, rows)).encode() for rows in test_field_map.SAMPLES.values()]
    table = b'qid,question,samples,score\n1,Why?,"[""a"",""b""]",yes\n2,How?,"[""a"",""c""]",no\n'
    exports = test_field_map.EXPORTS
    tables = [export for export in exports if not export.startswith((b"[", b"{"))]
    chats = [lines(test_guessed_chats.messages(4)), test_guessed_chats.chats()]
    others = [test_encoding.TABLE.encode(), *(board[0].encode() for board in test_tools.BOARDS.values())]
    zips = [test_bundle.zipped({"a/b.csv": table, "c.json": samples[0]}), test_bundle.book(A=test_bundle.ROWS)]
    zips += [test_bundle.zipped({f"{n}.json": json.dumps({"question": f"{n}?", "answer": "x"}) for n in range(3)})]
    others_of_json = [*(export for export in exports if export not in tables), *samples, *chats]
    return {"json": others_of_json, "csv": [table, *tables, *others], "zip": zips}


def _check_mapped(content: bytes) -> None:
    opened = read_or_shape(content, "fuzz")
    fields = Shape.of(content, "fuzz").guess if isinstance(opened, Pool) else opened.guess
    assert FieldMap.of_json(json.loads(json.dumps(fields.as_json()))) == fields
    pool = read_mapped(content, fields, "fuzz")
    check_pool(pool)
    assert read_mapped(content, fields, "fuzz", 1).n_items == 1 and pool.unparsed()["texts"].ge(1).all()


def _check_results(content: bytes) -> None:
    results = read_results({"a.zip": content, "b.zip": zip_of(json.dumps(MMLU).encode())})
    split = results.default_split()
    check_pool(results.pool(split.committee, split.targets))


def _runs() -> Mapping[str, list[bytes]]:
    """Files of the tools whose items or models are named by other files, at least one of every reader."""
    numbered = json_lines.lines(test_batches.answer("q1#s0", "1"), test_batches.answer("q1#s1", "2", "3"))
    answers = json_lines.lines(test_batches.answer("0123456789abcdef-1-0-2", "3", "4"))
    failed = json_lines.lines(test_batches.answer("q2", "1"), test_batches.answer("q3", response=None, error="expired"))
    requests = json_lines.lines({"custom_id": "q1", "body": {"messages": [{"role": "user", "content": "What is 1?"}]}})
    instances = json_lines.lines(
        test_every_eval_ever.instance("a", ["B", "red"], 1.0), test_every_eval_ever.instance("b", ["A"], 0.0)
    )
    predictions = test_vlmevalkit.bench(prediction=["B", "A", "C. blue"], hit=[1, 0, 1])
    tables = (test_langfuse.OBSERVED, test_langfuse.RUN, test_langfuse.DATASET)
    promptfoo = gzip.decompress((TOOL_LOGS / "promptfoo.csv.gz").read_bytes())
    ragas = (TOOL_LOGS / "ragas.csv").read_bytes()
    return {
        "json": [
            *(numbered, answers, failed, requests, instances),
            *(json.dumps(table).encode() for table in tables),
            json.dumps({"data": test_langfuse.OBSERVED, "meta": {}}).encode(),
            json_lines.lines(*test_evalscope.REVIEWS),
            json_lines.lines(*test_evalscope.PREDICTIONS),
            test_opencompass.compass("0", ["1", "2"], "0", "2"),
            test_opencompass.compass("A", "B", **{"label: A": {"PPL": 1.5}, "label: B": {"PPL": 2.5}}),
            json_lines.lines({"idx": 0, "origin_prompt": [[{"prompt": "?"}]], "prediction": ["1"], "gold": ["2"]}),
            json_lines.lines(
                test_every_eval_ever.instance("a", [], 0.0, output=None, messages=[{"role": "assistant"}])
            ),
            test_vlmevalkit.written(predictions, "json"),
            *(path.read_bytes() for path in sorted(TOOL_LOGS.glob("*")) if path.name.startswith(_SCORED)),
        ],
        "csv": [*map(test_langfuse.as_csv, tables), test_vlmevalkit.written(predictions, "csv"), promptfoo, ragas],
        "zip": [test_vlmevalkit.written(predictions, "xlsx")],
    }


def _check_run(content: bytes) -> None:
    results = read_results({"predictions/m/x.jsonl": content, "items.jsonl": test_batches.ITEMS})
    split = results.default_split()
    check_pool(results.pool(split.committee, split.targets))


@functools.cache
def _label_files() -> Mapping[str, list[bytes]]:
    records = [{"item_id": i, "label": "A", "annotator": "Ann", "status": "", "note": None} for i in plan().ids]
    frame = labels.request(plan(), pool().items).head(4)
    exports = {name: labels.export(frame, name) for name in ("xlsx", "csv", "jsonl")}
    prodigy = [{"item_id": "q1", "accept": ["A"], "answer": "accept", "_task_hash": 1, "_session_id": "db-ann"}] * 2
    json_files = [path.read_bytes() for path in sorted(FIXTURES.rglob("*.json"))]
    return {
        "json": [
            *json_files,
            *("\n".join(map(json.dumps, some)).encode() for some in (records, prodigy)),
            test_inspect_log.as_json(*EPOCHS),
        ],
        "csv": [path.read_bytes() for path in sorted(FIXTURES.rglob("*.csv"))]
        + [exports["csv"].decode("utf-8-sig").encode()],
        "zip": [
            exports["xlsx"],
            test_inspect_log.as_eval(*EPOCHS),
            *(path.read_bytes() for path in sorted(FIXTURES.rglob("*.xlsx"))),
        ],
    }


def _check_labels(content: bytes) -> None:
    file = labels.read(content, "fuzz")
    assert len(file.rows) and file.rows["item_id"].map(type).eq(str).all()
    for kind in labels.KINDS:
        try:
            settled = labels.settle(file.rows, plan().ids.tolist(), plan().plan_id, kind, items=pool().items)
        except NeymanError:
            continue
        assert len(settled.labels) + len(settled.missing) == plan().ids.size
        assert all(sentence.encode() for sentence in settled.sentences)
    for text in pd.concat([file.rows["item_id"], file.rows["label"].dropna()]).map(str):
        assert labels.unescape(labels.escape(text)) == text


def _manifests() -> Mapping[str, list[bytes]]:
    fine = recommend(pool(), 12).draw(pool(), seed=1)
    return {"json": [manifest.write(one, "fuzz").encode() for one in (plan(), fine)]}


def _check_manifest(content: bytes) -> None:
    drawn = manifest.reproduce(manifest.read(content), pool())
    assert set(drawn.ids) <= set(pool().ids)


def _check_ids(content: bytes) -> None:
    with tempfile.NamedTemporaryFile() as file:
        Path(file.name).write_bytes(content)
        ids = read_ids(Path(file.name))
    assert ids and len(set(ids)) == len(ids)


def _replies() -> Mapping[str, list[bytes]]:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "The answer is (A)."}}
    tokens = {"content": [{"token": "A", "logprob": -0.5, "bytes": [65], "top_logprobs": []}]}
    body = {"model": "m", "choices": [{**choice, "logprobs": tokens}], "usage": {"completion_tokens": 3}}
    return {"json": [json.dumps(body).encode()]}


class Waiting(NamedTuple):
    """A job whose results are on their way, with its database as it was then."""

    store: Store
    job: str
    database: bytes


@functools.cache
def waiting() -> Waiting:
    # In memory if that can be: every result is written to the disk, and waited for.
    folder = Path(tempfile.mkdtemp(prefix="neyman-fuzz-", dir=_MEMORY if _MEMORY.is_dir() else None))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    store = Store(folder)
    job = batch.create(store, spec_for(pool_of(4), folder, NOWHERE, k=2))
    return Waiting(store, job, (folder / "neyman.sqlite").read_bytes())


def _batches() -> Mapping[str, list[bytes]]:
    names = [f"JOB-{item}-0-2" for item in range(4)]
    lines = [json.dumps(answer_to({"custom_id": name, "body": {"n": 2}})) for name in names]
    refused = {"custom_id": names[3], "response": {"status_code": 400, "body": None}, "error": {"message": "too long"}}
    return {"json": ["\n".join(lines).encode(), "\n".join([*lines[:2], json.dumps(refused)]).encode()]}


def _check_batch(content: bytes) -> None:
    store, job, database = waiting()
    (store.folder / "neyman.sqlite").write_bytes(database)
    path = store.folder / "results.jsonl"
    path.write_bytes(content.replace(b"JOB", job.encode()))
    report = batch_results.read(store, job, [path])
    assert 0 <= report.missing_items <= 4


def _check_answer(content: bytes) -> None:
    text = content.decode("utf-8", "replace")
    for kind in KINDS:
        answer = parse(text, kind, ["one", "two", text[:20]])
        assert answer is None or isinstance(answer, str)


def _check_json(content: bytes) -> None:
    text = content.decode("utf-8", "replace")
    value = decode(text)
    assert json.loads(text) == value


def _check_picture(content: bytes) -> None:
    shown = picture(content.decode("utf-8", "replace"))
    assert shown.width > 0 and shown.height > 0


SUBJECTS: dict[str, Subject] = {
    "pools": Subject(_pools, _check_pool),
    "mapped": Subject(_exports, _check_mapped),
    "results": Subject(lambda: {"zip": [zip_of(json.dumps(MMLU).encode())]}, _check_results),
    "runs": Subject(_runs, _check_run),
    "labels": Subject(_label_files, _check_labels),
    "manifests": Subject(_manifests, _check_manifest),
    "items": Subject(lambda: {"csv": _label_files()["csv"], "json": _label_files()["json"]}, _check_ids),
    "replies": Subject(_replies, lambda content: assert_reply(content)),
    "batches": Subject(_batches, _check_batch),
    "answers": Subject(
        lambda: {"json": [b'{"answer": "B", "x": [1, "The answer is (A)"]}', *_replies()["json"]]}, _check_answer
    ),
    "json": Subject(lambda: {"json": [*_pools()["json"], *_replies()["json"]]}, _check_json),
    "pictures": Subject(
        lambda: {"csv": [b"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"]}, _check_picture
    ),
}


def assert_reply(content: bytes) -> None:
    assert read_reply(content).completions


def survives(subject: str, content: bytes) -> None:
    """Give an input to its reader; anything but a valid result or a refusal raises."""
    try:
        SUBJECTS[subject].check(content)
    except REFUSED as error:
        assert str(error)
