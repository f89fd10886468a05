"""Jobs and kept pools as a page handles them: start, resume, stop, look ahead, forget."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import psutil
import pyarrow as pa
import pyarrow.compute as pc

from ..archive import Archive
from ..errors import PoolError, Problem
from ..pool.columns import TARGETS, leaf
from ..pool.pool import Pool
from ..words import counted, listed, shown
from .client.prompting import INSTRUCTIONS, STANDARD_OF_JUDGES, Message, messages, rough_item_tokens, template_of
from .faults import SurrogateError
from .job.parameters import KEY_VARIABLE, Grouping, Prompting
from .job.process import detached, is_alive
from .job.source import (
    ITEM_COLUMNS,
    NOTHING_TO_COMPARE,
    STANDARD_OF_PAIRS,
    Item,
    PairKeys,
    item_of,
    questions_about,
    source_of,
    verdicts_on,
)
from .job.spec import ARRAY, JobSpec
from .job.store import ACTIVE, Store, state_of
from .meaning import item_answers


@dataclass(frozen=True, slots=True)
class PoolHoldings:
    """Counts of a pool's plans, labels and generations in a home.

    Parameters
    ----------
    digest, name : str
        Of the pool.
    plans, labels : int
        Plans on its items, and the labelled items of each of them.
    generations : int
        Generations of runs on it.
    running : tuple of str
        Runs that are not over yet.
    """

    digest: str
    name: str
    plans: int
    labels: int
    generations: int
    running: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """Sentence about everything that stays if the pool is forgotten."""
        parts = ((self.labels, "labelled item"), (self.plans, "plan"), (self.generations, "generation"))
        held = listed([counted(number, noun) for number, noun in parts if number])
        back = "Open its file again, and it is back."
        return f"{shown(self.name, 60)} holds {held}. They stay. {back}" if held else f"It holds no labels. {back}"


def pool_holdings(archive: Archive, store: Store, digest: str) -> PoolHoldings:
    """Count what a home holds of a pool.

    Parameters
    ----------
    archive, store : Archive, Store
        Of the home.
    digest : str
        The pool's, or at least 8 of its hex digits.

    Raises
    ------
    PoolError
        The home has no such pool, or several.
    """
    kept = archive.pools.row(digest)
    plans = set(archive.plans.table(kept.items)["plan_id"]) if kept.items is not None else set()
    counts = archive.labels.counts()
    labels = int(counts[counts["plan_id"].isin(plans)]["items"].sum())
    runs = [run for run in store.rows() if run.digest == kept.digest]
    running = tuple(run.id for run in runs if state_of(run) in (*ACTIVE, "waiting"))
    return PoolHoldings(kept.digest, kept.name, len(plans), labels, sum(run.generations for run in runs), running)


def forget_pool(archive: Archive, store: Store, digest: str) -> PoolHoldings:
    """Take a pool off the lists of a home, until it is saved again; return what the home holds of it.

    Raises
    ------
    PoolError
        As `pool_holdings`; or a run on the pool is not over.
    HomeError
        The home cannot be written.
    """
    held = pool_holdings(archive, store, digest)
    if held.running:
        message = f"{shown(held.name, 60)} cannot be forgotten: the run {held.running[0]} works on it."
        raise PoolError([Problem(message, remedy="Stop it, or wait until it is over.")])
    archive.pools.forget(held.digest)
    return held


# Where the package `core` stands, of a checkout or of an installed `neyman`.
_ROOT = Path(__file__).resolve().parents[2]
_SAMPLED = 200
# What a model's chat template puts around the messages: roles, a default system prompt, today's date …
_TEMPLATE_TOKENS = 200
_BYTES_PER_TOKEN = 4
# An option's line: a letter or number, a full stop, a blank and the line's end.
_OPTION_BYTES = 12
# What a chat template puts around the two turns of an example.
_TURN_BYTES = 64


@dataclass(frozen=True, slots=True)
class Workload:
    """Requests, tokens and cost of a job.

    Parameters
    ----------
    requests : int
        One for each item, if the server gives all samples at once.
    prompt_tokens : int
        A rough count (four bytes a token), without images.
    most_tokens : int or None
        What it takes at most, prompts and completions together, without images and repeated requests: each sample asked
        for on its own, each byte of a prompt a token, each completion as long as it may be. None: nothing limits a
        completion.
    most_cost : float or None
        What these cost; None: unknown.
    images : bool
        Whether the pool has images, whose tokens nobody but the server knows.
    known : int
        Requests that would be made if the store had not their answers already; ``requests`` are the others.
    samples : int
        Samples of an item: how often a server may process its prompt.
    """

    requests: int
    prompt_tokens: int
    most_tokens: int | None
    most_cost: float | None
    images: bool
    known: int = 0
    samples: int = 1

    def __str__(self) -> str:
        without = " without the images" if self.images else ""
        known = f" ({self.known:,} more are answered already)" if self.known else ""
        text = f"{self.requests:,} requests{known}, about {self.prompt_tokens:,} tokens of prompts{without}"
        text += f", each processed up to {self.samples:,} times" if self.samples > 1 else ""
        if self.most_tokens is None:
            return f"{text}; nothing limits the answers: set a token limit"
        cost = "" if self.most_cost is None else f", a cost of {self.most_cost:,.4g}"
        return f"{text}; at most {self.most_tokens:,} tokens in all{cost}{without}"


def start(store: Store, spec: JobSpec, key: str | None = None) -> str:
    """Start a job in a separate process, which outlives this one; return its id.

    Parameters
    ----------
    store : Store
        Where the job and its pool are kept.
    spec : JobSpec
        The job.
    key : str, optional
        The server's key, passed on by environment and kept nowhere.

    Raises
    ------
    SurrogateError
        The same job runs already or waits to be resumed, its pool is not kept, or it has no server.
    """
    total = source_of(store.folder, spec).size
    if not spec.connection.base_urls and spec.serving is None:
        raise SurrogateError("The job has no server: give an address, or a model to serve.")
    job = store.create(spec, total)
    _spawn(store, job, spec, key)
    return job


def resume(store: Store, job: str, key: str | None = None, spec: JobSpec | None = None) -> None:
    """Continue a job that failed, was stopped or lost its worker; only what is missing is asked for.

    Parameters
    ----------
    store, job
        Where the job is, and its id.
    key : str, optional
        As in :func:`start`.
    spec : JobSpec, optional
        The same work with another address, concurrency, memory, price …; by default all stays.

    Raises
    ------
    SurrogateError
        It is running, or ``spec`` describes other work.
    """
    if spec is not None:
        store.revise(job, spec)
    row = store.row(job)
    store.queue(row.id)
    _spawn(store, row.id, row.spec, key)


def stop(store: Store, job: str, force: bool = False) -> None:
    """Ask a job to stop once the answers under way are there; ``force`` ends its process at once. It can be resumed."""
    row = store.row(job)
    store.ask_to_stop(row.id)
    if force and row.process is not None and is_alive(row.process):
        with suppress(psutil.Error):
            psutil.Process(row.process.pid).kill()


def preview(pool: Pool, position: int, prompting: Prompting, judge: str | None = None) -> list[Message]:
    """The messages for the item at ``position``, exactly what is sent.

    Raises
    ------
    ItemFault
        An image cannot be sent.
    SurrogateError
        The template has no place for the question.
    """
    return messages(item_at(pool, position, judge), prompting)


def item_at(pool: Pool, position: int, judge: str | None = None) -> Item:
    """The item at ``position``, as far as a model is asked about it, or about the answer of the target ``judge``.

    Raises
    ------
    SurrogateError
        The pool has no answers of this target.
    """
    (item,) = _items(pool, [position], judge)
    return item


def first_pair(pool: Pool, spec: JobSpec) -> Item:
    """The first pair of answers that a job which groups answers asks about.

    Raises
    ------
    SurrogateError
        There is nothing to compare.
    """
    assert spec.grouping is not None
    first = next(questions_about(item_answers(pool, spec.grouping), PairKeys(spec)), None)
    if first is None:
        raise SurrogateError(NOTHING_TO_COMPARE)
    return first


def workload(pool: Pool, spec: JobSpec, store: Store | None = None) -> Workload:
    """Return the workload of a job: roughly, counted on some of its items, and at most, counted on all.

    Parameters
    ----------
    pool, spec
        The job and its pool.
    store : Store, optional
        Where verdicts on pairs of answers are, which a job that groups answers does not ask for again.

    Raises
    ------
    SurrogateError
        The template has no place for the question, or there is nothing to compare.
    """
    if spec.grouping is not None:
        return _grouping_workload(pool, spec, spec.grouping, store)
    requests = pool.n_items if spec.items is None else len(spec.items)
    sample = range(0, pool.n_items, max(1, pool.n_items // _SAMPLED))
    tokens = sum(rough_item_tokens(item, spec.prompting) for item in _items(pool, sample, spec.judge)) / max(
        1, len(sample)
    )
    k = spec.sampling.k
    prompts = k * (requests * (_TEMPLATE_TOKENS + len(spec.prompting.system.encode())) + _question_bytes(pool, spec))
    most = _most(spec, prompts, k * requests)
    return Workload(requests, round(requests * tokens), *most, "image" in pool.source.column_names, samples=k)


def _most(spec: JobSpec, prompt_tokens: int, answers: int) -> tuple[int | None, float | None]:
    """The most tokens that a job takes, and their cost, as a :class:`Workload` has them."""
    longest = spec.sampling.longest or (None if spec.serving is None else spec.serving.max_model_length)
    if longest is None:
        return None, None
    return prompt_tokens + answers * longest, spec.prices.cost(prompt_tokens, answers * longest)


def _grouping_workload(pool: Pool, spec: JobSpec, grouping: Grouping, store: Store | None) -> Workload:
    """Both directions of every pair that has no verdict yet; each byte of a text at most a token."""
    template, system = spec.prompting.template or STANDARD_OF_PAIRS, len(spec.prompting.system.encode())
    fixed = len(template.encode()) + system
    of_question, of_first, of_second = (template.count(f"{{{name}}}") for name in ("question", "first", "second"))
    sizes: dict[str, int] = {}
    for item in questions_about(item_answers(pool, grouping), PairKeys(spec)):
        first, second = item.pair or ("", "")
        answers = of_first * len(first.encode()) + of_second * len(second.encode())
        sizes[item.id] = fixed + of_question * len(item.prompt.encode()) + answers
    known: Collection[str] = ()
    if store is not None:
        with store.database.connection() as database:
            known = verdicts_on(sizes, database)
    open_sizes = [size for key, size in sizes.items() if key not in known]
    requests, already = len(open_sizes), len(known)
    tokens = sum(-(-size // _BYTES_PER_TOKEN) for size in open_sizes)
    most = _most(spec, sum(open_sizes) + _TEMPLATE_TOKENS * requests, requests)
    return Workload(requests, tokens, *most, False, already)


def _question_bytes(pool: Pool, spec: JobSpec) -> int:
    """Bytes of all questions of a job at most, without building them."""
    table = pool.source.select([name for name in ("id", "prompt", "choices") if name in pool.source.column_names])
    if spec.items is not None:
        table = table.filter(pc.is_in(table.column("id"), value_set=pa.array(spec.items, pa.string())))
    fields = {name: table.column(name) for name in table.column_names}
    prompt = _bytes_of(fields.get("prompt"))
    choices, options = 0, fields.get("choices")
    if options is not None:
        flat = pc.list_flatten(options)
        choices = _bytes_of(flat) + _OPTION_BYTES * len(flat)
    instruction = max(len(text.encode()) for text in INSTRUCTIONS.values())
    prompting, n_items = spec.prompting, int(table.num_rows)
    templates = (template_of(prompting), *dict(prompting.templates).values())

    def most(field: str) -> int:
        return max(template.count(field) for template in templates)

    shots = sum(
        most("{question}") * len(shot.prompt.encode())
        + most("{choices}") * sum(len(choice.encode()) + _OPTION_BYTES for choice in shot.choices)
        + len(shot.answer.encode())
        + _TURN_BYTES
        for shot in prompting.shots
    )
    each = max(len(template.encode()) for template in templates) + most("{instruction}") * instruction
    each += shots + each * len(prompting.shots)
    if spec.judge is not None:
        prompt += _bytes_of(_responses(pool, spec.judge))
        each += len(STANDARD_OF_JUDGES.encode())
    return most("{question}") * prompt + most("{choices}") * choices + n_items * each


def _bytes_of(texts: pa.ChunkedArray | None) -> int:
    return 0 if texts is None else int(pc.sum(pc.binary_length(texts)).as_py() or 0)


def _items(pool: Pool, positions: Sequence[int], judge: str | None = None) -> Iterator[Item]:
    columns = [name for name in ITEM_COLUMNS if name in pool.source.column_names]
    rows = pool.part(positions, columns).table
    items = (item_of(rows.slice(row, 1), position) for row, position in enumerate(positions))
    if judge is None:
        return items
    responses = _responses(pool.part(positions, ("id", TARGETS)), judge).to_pylist()
    return (replace(item, response=response or "") for item, response in zip(items, responses, strict=True))


def _responses(pool: Pool, target: str) -> pa.ChunkedArray:
    """The texts of a target's answers."""
    responses = leaf(pool.source, target, "text")
    if responses is None:
        raise SurrogateError(f"The pool has no answers of “{target}”, so there is nothing to judge.")
    return responses


def _spawn(store: Store, job: str, spec: JobSpec, key: str | None) -> None:
    # What a page starts is no task of an array, even if the app is one.
    environment = {name: value for name, value in os.environ.items() if not name.startswith(ARRAY)}
    environment["NEYMAN_HOME"] = str(store.folder.resolve())
    if key:
        environment[spec.connection.key_variable or KEY_VARIABLE] = key
    words = [sys.executable, "-m", "core.surrogate", "resume", job]
    process = detached(words, store.logs / f"{job}.log", _ROOT, environment)
    if process is not None:
        store.spawned(job, process)
