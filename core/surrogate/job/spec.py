"""One job: its parameters (:mod:`core.surrogate.job.parameters`), its pool and part of the items."""

from __future__ import annotations

import hashlib
import json
import re
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import Field, TypeAdapter

from ...web import LOCAL_HOSTS
from ..faults import SurrogateError
from .checks import Digest, ModelName, parameters
from .parameters import (
    ANSWER_TOKENS,
    WIDTH,
    Connection,
    Grouping,
    Prices,
    Prompting,
    Sampling,
    Serving,
    default_limit,
)

_FORM = re.compile(r"(\d{1,6})/(\d{1,6})")
_FOLDER = "shards"
ARRAY = "SLURM_ARRAY_TASK_"


@parameters
class Shard:
    """The items whose hash leaves ``index`` when divided by ``count``: about one in ``count`` of any pool.

    Parameters
    ----------
    index : int
        Its number, 0 … count − 1.
    count : int
        How many shards there are, 1 … 100,000.

    Raises
    ------
    SurrogateError
        There is no such shard.
    """

    index: Annotated[int, Field(ge=0, title="The number of a shard")]
    count: Annotated[int, Field(ge=1, le=100_000, title="The number of shards")]

    def __post_init__(self) -> None:
        if self.index >= self.count:
            raise SurrogateError(
                f"There is no shard {self}: the {self.count} shards are numbered from 0 to {self.count - 1}."
            )

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"

    def has(self, item: str) -> bool:
        """Whether the item with this id belongs to the shard; the same on every machine."""
        return self.count == 1 or hash_of(item) % self.count == self.index

    def home(self, folder: Path) -> Path:
        """The shard's own folder in NEYMAN_HOME, which is a home too; ``folder`` itself if it is that one."""
        name = f"{self.index}-of-{self.count}"
        return folder if folder.parts[-2:] == (_FOLDER, name) else folder / _FOLDER / name


def outer_homes(folder: Path) -> list[Path]:
    """The home in which the home of a shard is; none for any other folder."""
    return [folder.parents[1]] if folder.parent.name == _FOLDER else []


def hash_of(text: str) -> int:
    """The first 64 bits of a text's BLAKE2b digest, the same on every machine."""
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest())


def shard_of(text: str | None, environment: Mapping[str, str]) -> Shard | None:
    """The shard that an option names, or by default the task of a Slurm array; None if neither says anything.

    Parameters
    ----------
    text : str or None
        "index/count" with an index from 0; "0/1" is the whole pool, also in an array.
    environment : mapping
        Where Slurm sets ``SLURM_ARRAY_TASK_ID``, ``…_COUNT``, ``…_MIN``, ``…_MAX`` and ``…_STEP``.

    Raises
    ------
    SurrogateError
        It is no shard, or the array is only a part of one (``--array=3``), which does not say how many shards there
        are.
    """
    if text is not None:
        form = _FORM.fullmatch(text)
        if form is None:
            raise SurrogateError(
                f"“{text[:40]}” is not a shard. Write its number, from 0, and how many there are: 3/8."
            )
        shard = Shard(int(form[1]), int(form[2]))
        return None if shard.count == 1 else shard
    if f"{ARRAY}ID" not in environment or f"{ARRAY}COUNT" not in environment:
        return None
    return _of_array({name: environment.get(f"{ARRAY}{name}", "") for name in ("ID", "COUNT", "MIN", "MAX", "STEP")})


def _of_array(array: Mapping[str, str]) -> Shard | None:
    task, count = int(array["ID"]), int(array["COUNT"])
    first, step = int(array["MIN"] or 0), int(array["STEP"] or 1)
    whole = first in (0, 1) and int(array["MAX"] or first + (count - 1) * step) == first + (count - 1) * step
    if not whole or (task - first) % step:
        raise SurrogateError(
            f"Task {task} of this Slurm array is one of {count}, but the array does not begin at 0 or 1, or has gaps."
            " So the number of shards is not known. Give --shard, for instance --shard $SLURM_ARRAY_TASK_ID/64."
        )
    return None if count == 1 else Shard((task - first) // step, count)


# Samples at a time that keep one copy of a model busy on any GPU of today.
_SAMPLES = 512
_LATER = frozenset({"shots", "base_model", "letters_only", "thinking", "repetition_detection"})
WEIGHTS = ("revision", "dtype", "quantization")
"""Fields of :class:`Serving` that belong to a job's identity."""
# Arguments of vLLM that decide what the model answers; all others only decide how it is served.
_DECISIVE_ARGUMENTS = frozenset(
    {"--revision", "--dtype", "--quantization", "-q", "--kv-cache-dtype", "--code-revision", "--hf-overrides"}
    | {"--tokenizer", "--tokenizer-revision", "--tokenizer-mode", "--chat-template", "--lora-modules"}
    | {"--generation-config", "--override-generation-config", "--rope-scaling", "--rope-theta"}
)


@parameters
class JobSpec:
    """One job: a model over the items of a pool.

    Parameters
    ----------
    digest : str
        The pool's.
    model : str
        As the server calls it.
    connection, serving, sampling, prompting, prices
        The parts; ``serving`` is None if the server runs already.
    target : str or None
        The target whose answers these are; None: a surrogate's generations.
    items : tuple of str or None
        Ids of the items to generate; None: all.
    shard : Shard or None
        The part of these items that this job generates; None: all.
    seeds : {"item", "position"}
        What the seeds of an item come from (:meth:`core.surrogate.job.request.RequestFormat.seed`): its id, or in jobs
        of versions before 0.3.0 its place in the pool.
    judge : str or None
        The target whose answers the model judges, instead of answering itself; None: it answers.
    grouping : Grouping or None
        How the model groups the answers that the pool has, pair by pair; None: it answers or judges. Such a job's items
        are the pairs (:mod:`core.surrogate.job.source`).
    rules : {1, 2}
        How answers are read and a model is served. Under 2 log-probabilities are of the answer without its reasoning,
        reasoning that the token limit cuts is no answer, and vLLM takes no sampling settings from the model's files.
        Jobs of versions before 0.3.0 keep rules 1 to their end.

    Raises
    ------
    SurrogateError
        A part of it makes no sense, or the parts contradict each other.
    """

    digest: Digest
    model: ModelName
    connection: Connection = Connection()
    serving: Serving | None = None
    sampling: Sampling = Sampling()
    prompting: Prompting = Prompting()
    prices: Prices = Prices()
    target: str | None = None
    items: tuple[str, ...] | None = None
    shard: Shard | None = None
    seeds: Literal["item", "position"] = "item"
    judge: str | None = None
    grouping: Grouping | None = None
    rules: Literal[1, 2] = 2

    def __post_init__(self) -> None:
        if self.prompting.base_model and self.sampling.thinking is not None:
            raise SurrogateError("A base model has no chat template, so thinking cannot be set: leave it out.")
        if self.target is not None and not self.target.strip():
            raise SurrogateError("The target has no name; give it one.")
        if self.target is not None and self.sampling.k != 1:
            raise SurrogateError("A target answers once: set the number of generations to 1.")
        if self.judge is not None and (self.target is not None or not self.judge.strip()):
            raise SurrogateError(
                "A judge's run needs the name of the target that it judges, and cannot be a target's run."
            )
        others = (self.target, self.judge, self.items, self.shard)
        if self.grouping is not None and (self.sampling.k != 1 or any(part is not None for part in others)):
            raise SurrogateError("A run that groups answers asks once about every pair, and has no target or list.")
        if self.items is not None and not self.items:
            raise SurrogateError("The list of items is empty.")

    @property
    def column(self) -> str:
        """The column of the pool that a judge's run brings: the probability that the target's answer is right."""
        return f"{self.judge} judged by {self.model}"

    @property
    def width(self) -> int:
        """Requests at a time at each address: what the user set, or 64.

        A server of our own gets 512 samples at a time for each copy of the model, or as many as `max_num_seqs` says.
        """
        if self.connection.concurrency is not None:
            return self.connection.concurrency
        if self.serving is None:
            return WIDTH
        return -(-(self.serving.max_num_seqs or _SAMPLES) // self.sampling.k) * self.serving.data_parallel

    def earlier(self, given: Collection[str] = ()) -> tuple[JobSpec, ...]:
        """Return the jobs that the same settings described in earlier versions, the likeliest first.

        Those limited no generation by default, unless tokens cost something, detected no repetition, and left thinking
        to the model. A run that they left half done is found by these jobs, and goes on as it began.

        Parameters
        ----------
        given : collection of str
            Names of the sampling settings that the user set, and that are not defaults or a preset's.
        """
        sampling = self.sampling
        if self.grouping is not None or (sampling.thinking is not None and "thinking" in given):
            return ()
        limits = [sampling.max_tokens]
        if "max_tokens" not in given and sampling.max_tokens == default_limit(sampling.thinking):
            limits = [ANSWER_TOKENS, None] if self.prices.charged else [None]
        return tuple(
            replace(self, sampling=replace(sampling, max_tokens=limit, thinking=None, repetition_detection=False))
            for limit in limits
        )

    @property
    def key(self) -> str:
        """Hex digest of the job's identity: its :attr:`work`, and for which items.

        Jobs with the same key do the same. Everything else (address, key, concurrency, timeouts, memory, model
        length, prices, arguments of the server) is operation, which may differ from one start to the next.
        """
        shard = {} if self.shard is None else {"shard": str(self.shard)}
        return _digest(self.identity() | {"items": self.items} | shard)

    @property
    def work(self) -> str:
        """Hex digest of what is asked and how, whichever the items: only parts of the same work can be merged."""
        return _digest(self.identity())

    def identity(self) -> dict[str, Any]:
        """Pool, model and its weights, sampling, prompt and target, by name."""
        parts = asdict(replace(self, items=None))
        identity = {name: parts[name] for name in ("digest", "model", "sampling", "prompting", "target")}
        # Fields of later versions count if they are used: what earlier ones began keeps its identity.
        for part in ("prompting", "sampling"):
            identity[part] = {name: value for name, value in parts[part].items() if value or name not in _LATER}
        identity |= {} if self.judge is None else {"judge": self.judge}
        identity |= {} if self.grouping is None else {"grouping": parts["grouping"]}
        serving = self.serving or Serving(self.model)
        identity |= {name: getattr(serving, name) for name in WEIGHTS}
        identity["served"] = None if serving.model == self.model else serving.model
        identity["arguments"] = _decisive(serving.arguments)
        return identity

    def remarks(self) -> list[str]:
        """List the remarks on a job for the user before it starts; none stops it."""
        urls = [urlsplit(url) for url in self.connection.base_urls]
        remarks = {
            "At temperature 0 all generations of an item are the same, so every semantic entropy is 0.": (
                self.sampling.k > 1 and self.sampling.temperature == 0
            ),
            "With one generation per item every semantic entropy is 0.": (
                self.sampling.k == 1 and self.target is None and self.judge is None and self.grouping is None
            ),
            "Code that comes with the model runs on this machine.": (
                self.serving is not None and self.serving.trust_remote_code
            ),
            "The connection to the server is not encrypted: others on the way can read prompts and key.": (
                any(url.scheme == "http" and url.hostname not in LOCAL_HOSTS for url in urls)
            ),
        }
        return [remark for remark, holds in remarks.items() if holds]

    def to_json(self) -> str:
        """The job as JSON text."""
        return json.dumps(asdict(self), ensure_ascii=False, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> JobSpec:
        """Read what :meth:`to_json` wrote, here or in an earlier version, which knew one address.

        Raises
        ------
        SurrogateError
            It is no such job.
        """
        try:
            values = {"seeds": "position", "rules": 1} | json.loads(text)
            values["sampling"] = {"repetition_detection": False} | values["sampling"]
            connection = values["connection"]
            if "base_url" in connection:
                url = connection.pop("base_url")
                connection.setdefault("base_urls", [] if url is None else [url])
            return _SPEC.validate_json(json.dumps(values))
        except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
            raise SurrogateError("The job is not described as this version of Neyman does it.") from error


def _digest(identity: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()


def _decisive(arguments: tuple[str, ...]) -> list[list[str]]:
    """Those of vLLM's arguments that decide the answers, each with its value, in any order."""
    return sorted([name, value] for name, value, _ in named_arguments(arguments) if name in _DECISIVE_ARGUMENTS)


def named_arguments(arguments: Sequence[str]) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield each of vLLM's arguments: its name with dashes, its value, empty if it has none, and its words."""
    remaining = deque(arguments)
    while remaining:
        word = remaining.popleft()
        name, mark, value = word.partition("=")
        follows = not mark and remaining and not remaining[0].startswith("-")
        following = (remaining.popleft(),) if follows else ()
        yield name.replace("_", "-"), value or "".join(following), (word, *following)


_SPEC = TypeAdapter(JobSpec)
