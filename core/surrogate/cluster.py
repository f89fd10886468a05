"""A job on a Ray cluster: its nodes ask servers, or `ray.data.llm` runs vLLM on their GPUs, and rows come out.

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
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import AsyncExitStack, aclosing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..web import clean
from ..words import counted
from .client.http import Client, api_key
from .client.prompting import messages
from .client.replies import Reply, read_reply
from .client.retries import RetryingClient
from .faults import ItemFault, ParameterFault, SurrogateError, TransientFault
from .job.parameters import Connection, Serving
from .job.request import RequestFormat, SampleRange
from .job.source import Item, ItemSource, item_of
from .job.spec import JobSpec, hash_of, named_arguments
from .job.store import Store
from .parts import ITEMS, ROWS, SUFFIX, GenerationRow, PartFile, Place, table_of

# Items that are read and asked for together: what a node that fails has to do again.
_FILE = 512
# Fields of a request that an engine takes elsewhere, or not at all.
_NOT_OF_ENGINES = ("model", "messages", "chat_template_kwargs", "repetition_detection", "thinking_token_budget")


@dataclass(frozen=True, slots=True)
class ClusterReport:
    """The outcome of a run.

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
    """The samples that a folder of rows holds of each item; 8 bytes for an item that is complete.

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
        """Count those of some items that have all their samples."""
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
    if on_cluster and "image" in source.columns:
        raise SurrogateError("Items with images need a server: start vLLM on the nodes, and give --base-url.")
    present = Present((out / ROWS).files(SUFFIX), spec)
    if present.complete_of(source.job_ids()) == source.size:
        return ClusterReport(0, source.size, source.size)
    form = RequestFormat.complete(spec.sampling).without(dict.fromkeys(leave_out, "Left out on request."))
    form = replace(form, most=1 if on_cluster else min(most or form.most, form.most))
    reasons: Counter[str] = Counter()
    generations = 0
    logging.getLogger("ray.data").setLevel(logging.WARNING)
    with connected(address) as ray:
        items = _write_items(source, out / f"{ITEMS}-{spec.key[:12]}")
        ray.data.DataContext.get_current().enable_progress_bars = False
        system, paths = items[0].resolve()[0], [place.resolve()[1] for place in items]
        job, sent, shared = spec.to_json(), form.to_json(), ray.put(present)
        size = {"batch_format": "pyarrow", "batch_size": _FILE}
        rows = ray.data.read_parquet(paths, filesystem=system, override_num_blocks=len(paths))
        if on_cluster:
            asked = rows.map_batches(partial(_bodies, job, sent, shared), **size)
            written = _engine(spec, workers)(asked).map_batches(partial(_write, job, sent, out.url), **size)
        else:
            keys = {url: api_key(spec.connection, url) for url in spec.connection.base_urls}
            written = rows.map_batches(partial(_ask, job, sent, shared, out.url, keys), concurrency=workers, **size)
        for batch in written.iter_batches(batch_size=None, batch_format="pyarrow"):
            generations += sum(batch.column("generations").to_pylist())
            for text in batch.column("reasons").to_pylist():
                reasons.update(json.loads(text))
    complete = Present((out / ROWS).files(SUFFIX), spec).complete_of(source.job_ids())
    return ClusterReport(generations, complete, source.size, reasons)


@contextmanager
def connected(address: str | None) -> Iterator[Any]:
    """Connect to a cluster; yields Ray with its data pipelines, which are no part of what Neyman itself needs.

    Raises
    ------
    SurrogateError
        It is not installed, or the cluster failed.
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
    try:
        ray.init(address=address, ignore_reinit_error=True, log_to_driver=False, logging_level=logging.WARNING)
        yield ray
    except ray.exceptions.RayError as error:
        raise SurrogateError(f"The cluster failed ({clean(str(error))}). The same command resumes.") from error


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


def _requests(
    spec: JobSpec, form: RequestFormat, present: Present, batch: pa.Table
) -> Iterator[tuple[Item, SampleRange, dict[str, Any]]]:
    """Yield the requests for what some items lack."""
    for row in range(len(batch)):
        item = item_of(batch.slice(row, 1), -1)
        for samples in form.ranges(spec.sampling.k, present.samples(item.id, spec.sampling.k)):
            try:
                body = form.body(spec, messages(item, spec.prompting), item, samples)
            except ItemFault:
                # It has no prompt, say: the report counts it among the items that are not complete.
                break
            # Its prompt is not needed any more, and may be long.
            yield replace(item, prompt="", images=()), samples, body


def _ask(job: str, sent: str, present: Any, out: str, keys: Mapping[str, str | None], batch: pa.Table) -> pa.Table:
    """Ask servers for what some items lack, and store it."""
    import ray

    spec, form = JobSpec.from_json(job), RequestFormat.from_json(sent)
    asked = list(_requests(spec, form, ray.get(present), batch))
    connection = replace(spec.connection, concurrency=spec.width)
    replies = asyncio.run(replies_to([body for _, _, body in asked], connection, keys))
    return store_replies([(*one[:2], reply) for one, reply in zip(asked, replies, strict=True)], spec, form, Place(out))


async def replies_to(
    bodies: Iterable[Mapping[str, Any]], connection: Connection, keys: Mapping[str, str | None]
) -> list[Reply | BaseException]:
    """Ask servers side by side; return what each request brings, or why it brings nothing, which costs no other.

    Parameters
    ----------
    bodies : iterable of mapping
        The requests.
    connection : Connection
        Tries, pauses and requests at a time.
    keys : mapping
        Address of each server → its key, None if it needs none.
    """
    async with AsyncExitStack() as stack:
        clients = [Client(url, key, connection) for url, key in keys.items()]
        for one in clients:
            await stack.enter_async_context(aclosing(one))
        return await asyncio.gather(*map(RetryingClient(clients, connection).complete, bodies), return_exceptions=True)


def _bodies(job: str, sent: str, present: Any, batch: pa.Table) -> pa.Table:
    """The requests for what some items lack, for an engine: what is asked for, and in which words."""
    import ray

    spec, form, asked, bodies = JobSpec.from_json(job), RequestFormat.from_json(sent), [], []
    for item, samples, body in _requests(spec, form, ray.get(present), batch):
        short = [item.id, item.choices, item.kind, samples.first, samples.count]
        asked.append(json.dumps(short, ensure_ascii=False))
        bodies.append(json.dumps(body, ensure_ascii=False))
    return pa.table({"asked": pa.array(asked, pa.string()), "body": pa.array(bodies, pa.string())})


def _engine(spec: JobSpec, workers: int) -> Any:
    """The pipeline of `ray.data.llm`: column ``body`` in, ``text`` out, as a server would answer."""
    from ray.data.llm import build_processor, vLLMEngineProcessorConfig

    assert spec.serving is not None
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
    for name, value, _ in named_arguments(serving.arguments):
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
    return {"asked": row["asked"], "text": json.dumps({"choices": [choice], "usage": usage})}


def _write(job: str, sent: str, out: str, batch: pa.Table) -> pa.Table:
    """Store what an engine has answered."""
    answered = list[tuple[Item, SampleRange, Reply | BaseException]]()
    for facts, text in zip(*(batch.column(name).to_pylist() for name in ("asked", "text")), strict=True):
        name, choices, kind, first, count = json.loads(facts)
        item = Item(-1, name, "", tuple(choices), kind)
        answered.append((item, SampleRange(first, count), read_reply(text.encode())))
    return store_replies(answered, JobSpec.from_json(job), RequestFormat.from_json(sent), Place(out))


def store_replies(
    answered: Iterable[tuple[Item, SampleRange, Reply | BaseException]], spec: JobSpec, form: RequestFormat, out: Place
) -> pa.Table:
    """Store replies as rows of a file in ``out``; the table says how many, and why some are none."""
    rows: list[GenerationRow] = []
    reasons: Counter[str] = Counter()
    for item, samples, reply in answered:
        if isinstance(reply, ItemFault | TransientFault | ParameterFault | SurrogateError):
            reasons[str(reply)] += 1
        elif isinstance(reply, BaseException):
            raise reply
        else:
            event = reply.event(item, samples, {}, spec, form.thinks)
            rows += [GenerationRow(item.id, one, form.seed(spec, item, one.sample)) for one in event.generations]
    if rows:
        # A batch that is answered twice, because a node was lost, is stored once, and never gives way to a part of it.
        written = hash_of(json.dumps([(row.item, row.generation.sample) for row in rows]))
        (out / ROWS / f"{written:016x}{SUFFIX}").write(table_of(rows, spec))
    return pa.table({"generations": [len(rows)], "reasons": [json.dumps(reasons)]})
