"""A job on a Ray cluster: `ray.data.llm` asks servers, or runs vLLM on the cluster's GPUs, and rows come out.

    <out>/items-…/….parquet   the job's items, for the nodes to read
    <out>/rows/….parquet      what was generated (`core.surrogate.parts`), a file for some hundred requests

A node needs this project, its requirements (requirements/cluster.txt) and ``out``, nothing else: no home and no
database. What ``out`` holds is not asked again, so the same command resumes a run that ended, however it ended. Ray is
imported when a run begins.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import cycle
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..web import ParallelClient, TooLarge, WebError, bearer, clean
from ..words import counted
from .client.http import api_key
from .client.prompting import messages
from .client.refusals import fault_of
from .client.replies import largest, read_reply
from .client.retries import pause
from .faults import ItemFault, ParameterFault, SurrogateError, TransientFault
from .job.parameters import Connection, Serving
from .job.request import RequestFormat, SampleRange
from .job.shards import hash_of
from .job.source import Item, ItemSource, item_of
from .job.spec import JobSpec
from .job.store import Store
from .parts import ITEMS, ROWS, SUFFIX, GenerationRow, PartFile, table_of
from .places import Place

_ANSWER = ("asked", "text", "status")
# Items that are read and asked for together: what a node that fails has to do again.
_FILE = 512
# Fields of a request that an engine takes elsewhere, or not at all.
_NOT_OF_ENGINES = ("model", "messages", "chat_template_kwargs", "repetition_detection", "thinking_token_budget")


@dataclass(frozen=True, slots=True)
class ClusterReport:
    """What came of a run.

    Parameters
    ----------
    generations : int
        Rows that were written.
    complete, total : int
        Items that have all their generations, and all items of the job.
    reasons : Counter
        Why requests were not answered → how many.
    """

    generations: int
    complete: int
    total: int
    reasons: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        return f"{counted(self.generations, 'generation')} written; {self.complete:,} of {self.total:,} items complete"


class Present:
    """Which samples of which items a folder of rows holds; 8 bytes for an item that is complete.

    Parameters
    ----------
    files : iterable of Place
        The rows.
    spec : JobSpec
        The job.

    Raises
    ------
    SurrogateError
        A file cannot be read, or is of other work.
    """

    def __init__(self, files: Iterable[Place], spec: JobSpec) -> None:
        k = spec.sampling.k
        self._partial: dict[int, set[int]] = {}
        complete: list[NDArray[np.uint64]] = []
        for place in files:
            part = PartFile(place)
            if part.spec.work != spec.work:
                raise SurrogateError(
                    f"“{place}” belongs to another job. Give another --out, or the options of that job."
                )
            for items, samples in part.hashes():
                pairs = np.unique(np.stack([items, samples.astype(np.uint64)]), axis=1)
                names, starts, counts = np.unique(pairs[0], return_index=True, return_counts=True)
                complete.append(names[counts == k])
                for place_of in np.flatnonzero(counts < k):
                    start = starts[place_of]
                    there = self._partial.setdefault(int(names[place_of]), set())
                    there.update(pairs[1, start : start + counts[place_of]].tolist())
        whole = [name for name, there in self._partial.items() if len(there) == k]
        complete.append(np.array(whole, dtype=np.uint64))
        self._complete = np.unique(np.concatenate(complete))
        for name in whole:
            del self._partial[name]

    def complete_of(self, items: Iterable[str]) -> int:
        """How many of some items have all their samples."""
        names = np.fromiter(map(hash_of, items), np.uint64)
        return int(np.isin(names, self._complete).sum())

    def samples(self, item: str, k: int) -> Collection[int]:
        """The samples of an item that are there."""
        name = hash_of(item)
        rank = int(np.searchsorted(self._complete, np.uint64(name)))
        whole = rank < len(self._complete) and self._complete[rank] == name
        return range(k) if whole else self._partial.get(name, ())


def generate(
    store: Store,
    spec: JobSpec,
    out: Place,
    *,
    workers: int = 1,
    address: str | None = None,
    most: int | None = None,
    leave_out: Iterable[str] = (),
) -> ClusterReport:
    """Generate what ``out`` lacks, and write it there.

    Parameters
    ----------
    store, spec
        Where the pool is kept, and the job.
    out : Place
        A folder that every node can reach.
    workers : int
        Processes that ask servers, or copies of the model.
    address : str, optional
        The cluster's; by default what RAY_ADDRESS says, or one on this machine.
    most : int, optional
        Samples that one request asks for at most; vLLM's engine gives one.
    leave_out : iterable of str
        Parameters that the server refuses; nothing is tried out beforehand here.

    Raises
    ------
    SurrogateError
        Ray is not installed, ``out`` is of other work or cannot be written, or the job has no server, or items with
        images and none but the engine.
    """
    # Each node works in a separate folder.
    out = out.absolute()
    source = ItemSource(store.folder, spec)
    if not spec.connection.base_urls and spec.serving is None:
        raise SurrogateError("The job has no server: give --base-url, or --serve for vLLM on the cluster.")
    on_cluster = spec.serving is not None
    if spec.judge is not None or spec.prompting.base_model or (spec.prompting.letters_only and on_cluster):
        raise SurrogateError(
            "A cluster supports chats only, and with --serve free text only. Use `run` for anything else."
        )
    if spec.serving is not None and "image" in source.columns:
        raise SurrogateError("Items with images need a server: start vLLM on the nodes, and give --base-url.")
    present = Present((out / ROWS).files(SUFFIX), spec)
    if present.complete_of(source.job_ids()) == source.size:
        return ClusterReport(0, source.size, source.size)
    ray = load_ray()
    items = _write_items(source, out / f"{ITEMS}-{spec.key[:12]}")
    form = RequestFormat.complete(spec.sampling).without(dict.fromkeys(leave_out, "Left out on request."))
    form = replace(form, most=1 if spec.serving is not None else min(most or form.most, form.most))
    reasons: Counter[str] = Counter()
    logging.getLogger("ray.data").setLevel(logging.WARNING)
    ray.init(address=address, ignore_reinit_error=True, log_to_driver=False, logging_level=logging.WARNING)
    ray.data.DataContext.get_current().enable_progress_bars = False
    system, paths = items[0].resolve()[0], [place.resolve()[1] for place in items]
    job, sent = spec.to_json(), form.to_json()
    generations = 0
    try:
        rows = ray.data.read_parquet(paths, filesystem=system, override_num_blocks=len(paths))
        requests = rows.map_batches(
            partial(_ask, job, sent, ray.put(present)), batch_format="pyarrow", batch_size=_FILE
        )
        answered = _processor(spec, workers)(requests)
        written = answered.map_batches(partial(_write, job, sent, out.url), batch_format="pyarrow", batch_size=_FILE)
        for batch in written.iter_batches(batch_size=None, batch_format="pyarrow"):
            generations += sum(batch.column("generations").to_pylist())
            for text in batch.column("reasons").to_pylist():
                reasons.update(json.loads(text))
    except ray.exceptions.RayError as error:
        raise SurrogateError(f"The cluster failed ({clean(str(error))}). The same command resumes the run.") from error
    complete = Present((out / ROWS).files(SUFFIX), spec).complete_of(source.job_ids())
    return ClusterReport(generations, complete, source.size, reasons)


def load_ray() -> Any:
    """Ray with its data pipelines, which are no part of what Neyman itself needs.

    Raises
    ------
    SurrogateError
        It is not installed.
    """
    # Nothing leaves the cluster but requests.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
        import ray.data.llm
    except ImportError as error:
        raise SurrogateError(
            f"Ray is not installed here ({error}). Install it with: pip install 'neyman[cluster]' (in a checkout: -r "
            "requirements/cluster.txt)."
        ) from error
    return ray


def _write_items(source: ItemSource, folder: Place) -> list[Place]:
    """Copy the job's items to where nodes can read them, as far as they are not there."""
    there = {place.url for place in folder.files(SUFFIX)}
    places = []
    for number, batch in enumerate(source.batches(_FILE)):
        if not len(batch):
            continue
        places.append(folder / f"{number:06d}{SUFFIX}")
        if places[-1].url not in there:
            places[-1].write(pa.table(batch))
    return places


def _ask(job: str, sent: str, present: Any, batch: pa.Table) -> pa.Table:
    """The requests for what some items lack: what is asked for, and in which words."""
    import ray

    spec, form, there = JobSpec.from_json(job), RequestFormat.from_json(sent), ray.get(present)
    items, bodies = [], []
    for row in range(len(batch)):
        item = item_of(batch.slice(row, 1), -1)
        ranges = form.ranges(spec.sampling.k, there.samples(item.id, spec.sampling.k))
        for samples in ranges:
            try:
                body = json.dumps(form.body(spec, messages(item, spec.prompting), item, samples), ensure_ascii=False)
            except ItemFault:
                # It has no prompt, say: the report counts it among the items that are not complete.
                break
            # Its prompt is not needed any more, and may be long.
            short = [item.id, list(item.choices), item.kind, samples.first, samples.count]
            items.append(json.dumps(short, ensure_ascii=False))
            bodies.append(body)
    return pa.table({"asked": pa.array(items, pa.string()), "body": pa.array(bodies, pa.string())})


def _processor(spec: JobSpec, workers: int) -> Any:
    """The pipeline of `ray.data.llm`: column ``body`` in, ``text`` and ``status`` out, as a server would answer."""
    from ray.data.llm import HttpRequestProcessorConfig, build_processor, vLLMEngineProcessorConfig

    if spec.serving is None:
        keys = {url: api_key(spec.connection, url) for url in spec.connection.base_urls}
        served = HttpRequestProcessorConfig(
            url=spec.connection.base_urls[0],
            batch_size=spec.width,
            concurrency=workers,
            session_factory=partial(RequestSession, spec.connection, keys),
        )
        return build_processor(served, preprocess=_payload, postprocess=_of_server)
    engine = vLLMEngineProcessorConfig(
        model_source=spec.serving.model,
        engine_kwargs=engine_options(spec.serving),
        concurrency=workers * spec.serving.data_parallel,
        batch_size=64,
        accelerator_type=None,
        log_engine_metrics=False,
        tokenize_stage=False,
        detokenize_stage=False,
        chat_template_stage={"chat_template_kwargs": spec.sampling.parameters().get("chat_template_kwargs")},
        placement_group_config=_bundles(spec.serving),
    )
    return build_processor(engine, preprocess=_sampling, postprocess=_of_engine)


def engine_options(serving: Serving) -> dict[str, Any]:
    """The options of vLLM's engine that a server of ours would be started with."""
    options: dict[str, Any] = {
        "tensor_parallel_size": serving.tensor_parallel,
        "dtype": serving.dtype,
        "quantization": serving.quantization,
        "max_model_len": serving.max_model_length,
        "gpu_memory_utilization": serving.gpu_memory,
        "trust_remote_code": serving.trust_remote_code,
        "revision": serving.revision,
    }
    words = list(serving.arguments)
    while words:
        name, mark, value = words.pop(0).partition("=")
        if not mark and words and not words[0].startswith("-"):
            value = words.pop(0)
        options[name.lstrip("-").replace("-", "_")] = _value(value) if value else True
    return {name: value for name, value in options.items() if value is not None}


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _bundles(serving: Serving) -> dict[str, Any] | None:
    """Where an engine runs: on GPUs, or on CPUs if the cluster has no GPU."""
    import ray

    if ray.cluster_resources().get("GPU"):
        return None
    return {"bundles": [{"CPU": 1}] * serving.tensor_parallel}


def _payload(row: Mapping[str, Any]) -> dict[str, Any]:
    # As one text: columns of a table would add to each request what only others have.
    return {"payload": {"body": row["body"]}}


def _of_server(row: Mapping[str, Any]) -> dict[str, Any]:
    return {"asked": row["asked"], **row["http_response"]}


def _sampling(row: Mapping[str, Any]) -> dict[str, Any]:
    body = json.loads(row["body"])
    given = {name: value for name, value in body.items() if name not in _NOT_OF_ENGINES}
    # As vLLM's server reads them: no limit but the model's, and log-probabilities of the sampled tokens alone.
    logprobs = {"logprobs": 0} if given.pop("logprobs", False) else {}
    return {"messages": body["messages"], "sampling_params": {"max_tokens": None} | given | logprobs}


def _of_engine(row: Mapping[str, Any]) -> dict[str, Any]:
    limit = json.loads(row["body"]).get("max_tokens")
    tokens = int(row["num_generated_tokens"])
    sampled = [next(filter(None, of_token.values())) for of_token in row.get("logprobs") or ()]
    logprobs = [{"token": one.get("decoded_token"), "logprob": float(one["logprob"])} for one in sampled]
    choice = {
        "index": 0,
        "message": {"content": row["generated_text"]},
        "finish_reason": "length" if limit is not None and tokens >= limit else "stop",
        "logprobs": {"content": logprobs},
    }
    usage = {"prompt_tokens": int(row["num_input_tokens"]), "completion_tokens": tokens}
    return {"asked": row["asked"], "text": json.dumps({"choices": [choice], "usage": usage}), "status": 200}


class RequestSession:
    """Connections of one batch, with `aiohttp`'s methods as far as `ray.data.llm` uses them.

    Requests of a batch run side by side, not one after the other, go to the servers in turn, are tried again at the
    next one, and never raise: a request without an answer costs no other of its batch.

    Parameters
    ----------
    connection : Connection
        Timeout and tries.
    keys : mapping
        Address of each server → its key, None if it needs none.
    """

    def __init__(self, connection: Connection, keys: Mapping[str, str | None]) -> None:
        self._connection = connection
        self._servers = {url: ParallelClient(url, bearer(key), connection.timeout) for url, key in keys.items()}
        self._turns = cycle(self._servers)

    async def __aenter__(self) -> RequestSession:
        return self

    async def __aexit__(self, *error: object) -> None:
        await asyncio.gather(*(server.aclose() for server in self._servers.values()))

    def post(self, url: str, *, headers: Mapping[str, str], data: str) -> asyncio.Task[ServerAnswer]:
        """Begin to send one request, to the server whose turn it is."""
        return asyncio.ensure_future(self._answer(json.loads(data)["body"]))

    async def _answer(self, body: str) -> ServerAnswer:
        answer = ServerAnswer("", 0)
        for attempt in range(self._connection.attempts):
            answer = await self._try(next(self._turns), body)
            if answer.code == 200 or not isinstance(_fault(answer.text, answer.code), TransientFault):
                break
            await asyncio.sleep(pause(attempt, self._connection.backoff))
        return answer

    async def _try(self, url: str, body: str) -> ServerAnswer:
        try:
            answer = await self._servers[url].send("/chat/completions", body.encode(), largest(json.loads(body)))
            return ServerAnswer(answer.text, answer.status)
        except TooLarge as error:
            return ServerAnswer(json.dumps({"error": f"its answer has {error}"}), 200)
        except WebError as error:
            return ServerAnswer(clean(error.reason), 0 if error.answer is None else error.answer.status)


def _fault(text: str, status: int, model: str = "") -> Exception:
    """What an answer that is no success means; a request without one is worth another try."""
    return fault_of(status or 503, text, None, {"model": model})


@dataclass(frozen=True, slots=True)
class ServerAnswer:
    """What a server answered, with `aiohttp`'s methods as far as `ray.data.llm` uses them.

    Parameters
    ----------
    text : str
        The body, or what went wrong.
    code : int
        HTTP's status; 0 if there was no answer.
    """

    text: str
    code: int
    status: ClassVar[int] = 200

    async def __aenter__(self) -> ServerAnswer:
        return self

    async def __aexit__(self, *error: object) -> None:
        pass

    async def json(self) -> dict[str, Any]:
        """The answer as a row of a table."""
        return {"text": self.text, "status": self.code}


def _write(job: str, sent: str, out: str, batch: pa.Table) -> pa.Table:
    """Store answers as rows; the table says how many, and why some are none."""
    spec, form = JobSpec.from_json(job), RequestFormat.from_json(sent)
    rows: list[GenerationRow] = []
    reasons: Counter[str] = Counter()
    for facts, text, status in zip(*(batch.column(name).to_pylist() for name in _ANSWER), strict=True):
        name, choices, kind, first, count = json.loads(facts)
        item = Item(-1, name, "", tuple(choices), kind)
        try:
            if status != 200:
                raise _fault(text, status, spec.model)
            event = read_reply(text.encode()).event(item, SampleRange(first, count), {}, spec, form.thinks)
        except (ItemFault, TransientFault, ParameterFault, SurrogateError) as fault:
            reasons[str(fault)] += 1
        else:
            rows += [GenerationRow(name, one, form.seed(spec, item, one.sample)) for one in event.generations]
    if rows:
        # A batch that is answered twice, because a node was lost, is stored once, and never gives way to a part of it.
        written = hash_of(json.dumps([(row.item, row.generation.sample) for row in rows]))
        (Place(out) / ROWS / f"{written:016x}{SUFFIX}").write(table_of(rows, spec))
    return pa.table({"generations": [len(rows)], "reasons": [json.dumps(reasons)]})
