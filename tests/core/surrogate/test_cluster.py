"""What a run on a cluster does besides Ray; tests/cluster has the rest, on a real one."""

from __future__ import annotations

import asyncio
import importlib.util
import json
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from core.surrogate import cli
from core.surrogate.client.replies import Reply, read_reply
from core.surrogate.cluster import ClusterReport, Present, engine_options, generate, replies_to, store_replies
from core.surrogate.cluster import _of_engine as of_engine
from core.surrogate.cluster import _sampling as sampling
from core.surrogate.cluster import _write as write
from core.surrogate.faults import ItemFault, SurrogateError, TransientFault
from core.surrogate.job.events import Generation
from core.surrogate.job.parameters import Connection, Sampling, Serving
from core.surrogate.job.request import RequestFormat, SampleRange
from core.surrogate.job.source import Item, ItemSource
from core.surrogate.job.spec import JobSpec, Shard
from core.surrogate.job.store import Store
from core.surrogate.merge import merge
from core.surrogate.parts import GenerationRow, PartFile, Place, table_of
from tests.core.surrogate.conftest import Fake, pool_of, spec_for

URL = "http://127.0.0.1:9/v1"


def row(item: str, sample: int) -> GenerationRow:
    return GenerationRow(item, Generation(sample, f"{item} {sample}", None), None)


def test_what_a_folder_holds_is_known_by_sample(tmp_path: Path) -> None:
    spec = JobSpec("0123456789abcdef" * 4, "m", sampling=Sampling(k=3))
    rows = tmp_path / "rows"
    parts = [
        [row("whole", 0), row("whole", 1), row("whole", 2), row("split", 2), row("part", 1)],
        [row("split", 0), row("split", 1), row("whole", 0)],
    ]
    for number, part in enumerate(parts):
        Place(str(rows / f"{number}.parquet")).write(table_of(part, spec))
    present = Present(Place(str(rows)).files(".parquet"), spec)
    assert present.complete_of(["whole", "part", "none", "split"]) == 2
    samples = {name: set(present.samples(name, 3)) for name in ("whole", "split", "part", "none")}
    assert samples == {"whole": {0, 1, 2}, "split": {0, 1, 2}, "part": {1}, "none": set()}
    with pytest.raises(SurrogateError, match="another job"):
        Present(Place(str(rows)).files(".parquet"), replace(spec, model="n"))


def test_nodes_are_given_the_items_of_the_job(store: Store, neyman_home: Path) -> None:
    spec = spec_for(pool_of(100), neyman_home, URL)
    for part in (spec, replace(spec, items=("i3", "i70")), replace(spec, shard=Shard(0, 4))):
        source = ItemSource(store.folder, part)
        tables = [pa.table(batch) for batch in source.batches(30)]
        ids = [item for table in tables for item in table.column("id").to_pylist()]
        assert ids == [item.id for item in source.items()] == list(source.job_ids())
        assert (len(tables), len(ids)) == (4, source.size)


ENGINE = Serving(
    "m", 2, 3, "bfloat16", None, 4096, 0.5, arguments=("--enforce-eager", "--max-num-seqs=64", "--seed", "3")
)


def test_an_engine_is_started_as_its_server_would_be() -> None:
    assert engine_options(ENGINE) == {
        "tensor_parallel_size": 2,
        "dtype": "bfloat16",
        "max_model_len": 4096,
        "gpu_memory_utilization": 0.5,
        "trust_remote_code": False,
        "enforce_eager": True,
        "max_num_seqs": 64,
        "seed": 3,
    }


def test_an_engine_samples_what_a_server_would(store: Store, neyman_home: Path) -> None:
    pool = pool_of(1)
    spec = replace(spec_for(pool, neyman_home, URL, seed=7, k=2, extra='{"min_p": 0.1}'), serving=Serving("m"))
    form = replace(RequestFormat.complete(spec.sampling), most=1)
    (item,) = ItemSource(store.folder, spec).items()
    body = form.body(spec, [{"role": "user", "content": "q"}], item, form.ranges(2)[1])
    request = sampling({"body": json.dumps(body)})
    assert request["messages"] == [{"role": "user", "content": "q"}]
    assert request["sampling_params"] == {
        "max_tokens": 4096,
        "temperature": 0.7,
        "top_p": 0.8,
        "top_k": 20,
        "presence_penalty": 1.5,
        "repetition_penalty": 1.0,
        "min_p": 0.1,
        "seed": form.seed(spec, item, 1),
        "logprobs": 0,
    }
    # A table gives each token's dictionary the keys of all others, without values.
    tokens = [{"logprob": -0.5, "decoded_token": "<think>So</think>"}, {"logprob": -1.5, "decoded_token": "Answer: 1"}]
    logprobs = [{1: tokens[0], 2: None}, {1: None, 2: tokens[1]}]
    output = {"generated_text": "<think>So</think>Answer: 1", "num_generated_tokens": 2, "num_input_tokens": 9}
    answer = of_engine({"asked": "a", "body": json.dumps(body), "logprobs": logprobs} | output)
    (completion,) = read_reply(answer["text"].encode()).completions
    assert (completion.text, completion.reasoning, completion.finish) == ("Answer: 1", "So", "stop")
    assert (completion.tokens, completion.logprob, completion.token_logprob) == (2, -1.5, -1.5)
    cut = of_engine({"asked": "a", "body": json.dumps(body | {"max_tokens": 2})} | output)
    assert read_reply(cut["text"].encode()).completions[0].finish == "length"


def test_answers_become_rows_and_refusals_reasons(store: Store, neyman_home: Path, tmp_path: Path) -> None:
    spec = spec_for(pool_of(3), neyman_home, URL, seed=7, k=2)
    form = RequestFormat.complete(spec.sampling)
    choices = [
        {"index": index, "message": {"content": f"Answer: {index}"}, "finish_reason": "stop"} for index in (0, 1)
    ]
    body = json.dumps({"choices": choices, "usage": {"prompt_tokens": 1, "completion_tokens": 4}})
    whole = read_reply(body.encode())
    faults = (TransientFault("connection", "no"), ItemFault("too long", "too long"))
    items = [(Item(-1, f"i{i}", "", (), "number"), SampleRange(0, 2)) for i in range(3)]

    def written(first: Reply) -> pa.Table:
        replies: list[Reply | Exception] = [first, *faults]
        answered = [(*asked, reply) for asked, reply in zip(items, replies, strict=True)]
        return store_replies(answered, spec, form, Place(str(tmp_path)))

    for _ in range(2):
        # A node that is lost does its part again, to the same file.
        table = written(whole)
    assert table.column("generations").to_pylist() == [2]
    assert json.loads(table.column("reasons")[0].as_py()) == {"no": 1, "too long": 1}
    (place,) = Place(str(tmp_path / "rows")).files(".parquet")
    rows = [row for batch in PartFile(place).batches() for row in batch]
    assert [(row.item, row.generation.answer, row.seed) for row in rows] == [
        ("i0", str(sample), form.seed(spec, next(iter(ItemSource(store.folder, spec).items())), sample))
        for sample in range(2)
    ]
    # Answered in part the second time: what was written before stays.
    written(read_reply(body.replace('"index": 1', '"index": 9').encode()))
    with pytest.raises(KeyError):
        store_replies([(*items[0], KeyError("a fault of this program"))], spec, form, Place(str(tmp_path)))
    # What an engine has answered to the same requests is the same.
    engine = pa.table({"asked": [json.dumps(["i0", [], "number", 0, 2])], "text": [body]})
    assert write(spec.to_json(), form.to_json(), str(tmp_path), engine).column("generations").to_pylist() == [2]
    assert sum(len(rows) for rows in PartFile(place).batches()) == 2
    merged = merge(store, [f"file://{tmp_path}"])
    assert (merged.added, merged.coverage.complete) == (2, 1)


def test_a_complete_folder_needs_no_ray(store: Store, neyman_home: Path, tmp_path: Path) -> None:
    spec = spec_for(pool_of(2), neyman_home, URL, k=1)
    Place(str(tmp_path / "rows" / "0.parquet")).write(table_of([row("i0", 0), row("i1", 0)], spec))
    assert generate(store, spec, Place(str(tmp_path))) == ClusterReport(0, 2, 2)


def test_an_engine_is_not_given_images(store: Store, neyman_home: Path, tmp_path: Path) -> None:
    spec = replace(spec_for(pool_of(2, image="a.png"), neyman_home, URL), serving=Serving("m"))
    with pytest.raises(SurrogateError, match="images need a server"):
        generate(store, spec, Place(str(tmp_path)))


def test_a_missing_server_and_a_missing_ray_are_told(
    neyman_home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool_of(2).write(tmp_path / "pool.parquet")
    words = ["ray", f"--pool=file://{tmp_path / 'pool.parquet'}", "--model=m", f"--out={tmp_path / 'out'}"]
    assert cli.main(words) == 1
    assert "--base-url" in capsys.readouterr().err
    if importlib.util.find_spec("ray") is None:
        assert cli.main([*words, f"--base-url={URL}"]) == 1
        assert "requirements/cluster.txt" in capsys.readouterr().err


def test_servers_are_asked_in_turn_and_for_each_other(fake: Fake) -> None:
    servers = [fake(deterministic=True, answers=1_000) for _ in range(2)]
    # Nobody listens at the discard port.
    urls = ("http://127.0.0.1:9/v1", *(server.url for server in servers))
    connection = Connection(urls, attempts=6, backoff=0.0, timeout=20)

    body = {"model": "m", "seed": 1, "messages": [{"role": "user", "content": "What is item 1?"}]}
    replies = asyncio.run(replies_to([body] * 30, connection, dict.fromkeys(urls)))
    assert [type(reply) for reply in replies] == [Reply] * 30
    shares = [sum(server.stats()["samples"].values()) for server in servers]
    assert sum(shares) == 30 and min(shares) >= 5


def test_a_reply_without_an_end_costs_its_request_alone(fake: Fake) -> None:
    server = fake(deterministic=True, answers=1_000, faults={"1": "bomb", "2": "endless"})
    connection = Connection((server.url,), timeout=60)

    chats = [[{"role": "user", "content": f"What is item {i}?"}] for i in range(4)]
    bodies = [{"model": "m", "seed": 1, "max_tokens": 5, "messages": chat} for chat in chats]
    first, bomb, endless, last = asyncio.run(replies_to(bodies, connection, {server.url: None}))
    for answer in (bomb, endless):
        assert isinstance(answer, ItemFault) and answer.kind == "too large" and "more than 16 MB" in answer.message
    assert isinstance(first, Reply) and isinstance(last, Reply)
