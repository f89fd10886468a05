"""What a job is: frozen parameters, checked when they are made, kept as JSON in the store.

Secrets are no part of it: a job names the environment variable of its key, never the key.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from core.answers import KINDS
from core.surrogate.faults import SurrogateError
from core.surrogate.job.checks import check_arguments, check_model, check_no_secret, check_url, real, whole

MAX_GENERATIONS = 1_000
LOCAL_HOSTS = frozenset({"127.0.0.1", "localhost", "::1"})
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_RESERVED = frozenset({"model", "messages", "n", "stream", "stream_options"})


@dataclass(frozen=True, slots=True)
class Sampling:
    """How the model samples; the defaults are the paper's (METHOD 2). None: not sent, the server decides.

    ``k`` generations per item; ``max_tokens`` per generation, reasoning included; ``seed`` makes a run repeatable at
    the price of speed (a server that gets one samples request by request); ``extra`` is a JSON object of further
    fields of the request (``chat_template_kwargs``, ``min_p``, ``reasoning_effort`` …).
    """

    k: int = 10
    temperature: float | None = 0.7
    top_p: float | None = 0.8
    top_k: int | None = 20
    presence_penalty: float | None = 1.5
    repetition_penalty: float | None = 1.0
    max_tokens: int | None = None
    seed: int | None = None
    logprobs: bool = True
    extra: str = "{}"

    def __post_init__(self) -> None:
        whole("The number of generations", self.k, 1, MAX_GENERATIONS)
        real("The temperature", self.temperature, 0.0, 2.0)
        real("top_p", self.top_p, 0.0, 1.0, above=True)
        if self.top_k is not None and self.top_k != -1:
            whole("top_k", self.top_k, 0, 1_000_000)
        real("The presence penalty", self.presence_penalty, -2.0, 2.0)
        real("The repetition penalty", self.repetition_penalty, 0.0, 10.0, above=True)
        if self.max_tokens is not None:
            whole("The number of tokens", self.max_tokens, 1, 10_000_000)
        if self.seed is not None:
            whole("The seed", self.seed, 0, 2**31 - 1)
        check_no_secret("The extra fields", self.extra)
        reserved = _RESERVED & self.extras().keys()
        if reserved:
            raise SurrogateError(f"The extra fields may not contain {', '.join(sorted(reserved))}: these are set here.")

    def extras(self) -> dict[str, Any]:
        """The extra fields of the request."""
        try:
            extras = json.loads(self.extra)
        except ValueError as error:
            raise SurrogateError(f"The extra fields are not JSON ({error}); write {{}} for none.") from error
        if not isinstance(extras, dict):
            raise SurrogateError('The extra fields are not a JSON object; write for instance {"min_p": 0.05}.')
        return extras

    def parameters(self) -> dict[str, Any]:
        """The fields of the request, number of generations and seed apart."""
        named = {
            "temperature": self.temperature,
            "top_p": self.top_p,
            "top_k": self.top_k,
            "presence_penalty": self.presence_penalty,
            "repetition_penalty": self.repetition_penalty,
            "max_tokens": self.max_tokens,
            "logprobs": self.logprobs or None,
        }
        return {name: value for name, value in named.items() if value is not None} | self.extras()


@dataclass(frozen=True, slots=True)
class Connection:
    """How the server is spoken to.

    ``base_url`` (…/v1) is None where we serve the model ourselves. ``key_variable`` names the environment variable with
    the key; by default NEYMAN_API_KEY, and for OpenAI itself OPENAI_API_KEY too. ``timeout`` seconds for one request,
    ``attempts`` for one request before its item counts as failed, ``backoff`` seconds before the second attempt,
    ``patience`` seconds without any answer after which a server counts as gone.
    """

    base_url: str | None = None
    concurrency: int = 32
    timeout: float = 900.0
    attempts: int = 6
    backoff: float = 0.5
    patience: float = 60.0
    key_variable: str | None = None

    def __post_init__(self) -> None:
        if self.base_url is not None:
            check_url(self.base_url)
        whole("The number of requests at a time", self.concurrency, 1, 4096)
        real("The time for one request", self.timeout, 0.0, 86_400.0, above=True)
        whole("The number of attempts", self.attempts, 1, 100)
        real("The pause before another attempt", self.backoff, 0.0, 60.0)
        real("The patience with a silent server", self.patience, 0.0, 86_400.0)
        if self.key_variable is not None and not _VARIABLE.fullmatch(self.key_variable):
            # Whoever gives the key itself here must not find it in the message.
            raise SurrogateError("The name of the key's environment variable is not one; give for instance MY_API_KEY.")


@dataclass(frozen=True, slots=True)
class Serving:
    """A vLLM server of our own. ``model`` is a name on the Hugging Face Hub or a folder.

    ``gpu_memory`` is the share of a GPU's memory, 0 … 1; ``arguments`` are handed to vLLM as they are.
    """

    model: str
    tensor_parallel: int = 1
    data_parallel: int = 1
    dtype: str = "auto"
    quantization: str | None = None
    max_model_length: int | None = None
    gpu_memory: float = 0.9
    trust_remote_code: bool = False
    arguments: tuple[str, ...] = ()
    start_timeout: float = 1800.0

    def __post_init__(self) -> None:
        check_model(self.model)
        whole("The tensor parallel size", self.tensor_parallel, 1, 1024)
        whole("The data parallel size", self.data_parallel, 1, 1024)
        for name in (self.dtype, self.quantization or "none"):
            if not re.fullmatch(r"[A-Za-z0-9_\-]+", name) or name.startswith("-"):
                raise SurrogateError(f"“{name}” is no dtype or quantization of vLLM; write for instance bfloat16.")
        if self.max_model_length is not None:
            whole("The model length", self.max_model_length, 1, 100_000_000)
        real("The share of GPU memory", self.gpu_memory, 0.0, 1.0, above=True)
        real("The time for the start", self.start_timeout, 0.0, 86_400.0, above=True)
        check_arguments(self.arguments)


@dataclass(frozen=True, slots=True)
class Prompting:
    """How an item becomes messages (``core.surrogate.client.prompting``).

    ``templates`` maps answer kinds to templates; a kind without one takes ``template``, or where that is None the one
    of its kind. ``images`` is the folder that paths of images are relative to.
    """

    system: str = ""
    template: str | None = None
    templates: tuple[tuple[str, str], ...] = ()
    images: str | None = None
    max_image_megabytes: float = 20.0
    max_image_side: int = 8192

    def __post_init__(self) -> None:
        for kind, _ in self.templates:
            if kind not in KINDS:
                raise SurrogateError(f"There is no answer kind “{kind}”; choose one of {', '.join(KINDS)}.")
        real("The size of an image", self.max_image_megabytes, 0.0, 100.0, above=True)
        whole("The side of an image", self.max_image_side, 1, 100_000)


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices per million tokens, in the user's currency; None: unknown."""

    prompt: float | None = None
    completion: float | None = None

    def __post_init__(self) -> None:
        real("The price of prompt tokens", self.prompt, 0.0, 1e9)
        real("The price of completion tokens", self.completion, 0.0, 1e9)

    def cost(self, prompt_tokens: float, completion_tokens: float) -> float | None:
        """Cost of so many tokens; None where a price is unknown."""
        if self.prompt is None or self.completion is None:
            return None
        return (self.prompt * prompt_tokens + self.completion * completion_tokens) / 1e6


@dataclass(frozen=True, slots=True)
class JobSpec:
    """One job: a model over the items of a pool.

    ``digest`` of the pool; ``model`` as the server calls it; ``target`` names the target whose answers these are (None:
    a surrogate's generations); ``items`` are the ids to generate (None: all).
    """

    digest: str
    model: str
    connection: Connection = field(default_factory=Connection)
    serving: Serving | None = None
    sampling: Sampling = field(default_factory=Sampling)
    prompting: Prompting = field(default_factory=Prompting)
    prices: Prices = field(default_factory=Prices)
    target: str | None = None
    items: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        check_model(self.model)
        if not re.fullmatch(r"[0-9a-f]{64}", self.digest):
            raise SurrogateError("A job needs the whole digest of its pool.")
        if self.target is not None and not self.target.strip():
            raise SurrogateError("The target has no name; write how it is to be called.")
        if self.target is not None and self.sampling.k != 1:
            raise SurrogateError("A target answers once: set the number of generations to 1.")
        if self.items is not None and not self.items:
            raise SurrogateError("The list of items is empty.")

    @property
    def key(self) -> str:
        """Hex digest of what decides the outcome: two jobs with the same key would do the same work."""
        parts = asdict(self)
        serving, connection = parts["serving"], parts["connection"]
        decisive = {name: parts[name] for name in ("digest", "model", "sampling", "prompting", "target", "items")}
        decisive |= {"base_url": connection["base_url"], "served": None if serving is None else serving["model"]}
        return hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()

    def remarks(self) -> list[str]:
        """What the user should know before the job starts; nothing that stops it."""
        found = []
        if self.sampling.k > 1 and self.sampling.temperature == 0:
            found.append("At temperature 0 all generations of an item are the same, so every semantic entropy is 0.")
        if self.sampling.k == 1 and self.target is None:
            found.append("With one generation per item every semantic entropy is 0.")
        if self.serving is not None and self.serving.trust_remote_code:
            found.append("Code that comes with the model is run on this machine.")
        url = urlsplit(self.connection.base_url or "")
        if url.scheme == "http" and url.hostname not in LOCAL_HOSTS:
            found.append("The connection to the server is not encrypted: others on the way can read prompts and key.")
        return found

    def to_json(self) -> str:
        """The job as JSON text."""
        return json.dumps(asdict(self), ensure_ascii=False, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> JobSpec:
        """The job that :meth:`to_json` wrote."""
        parts = json.loads(text)
        for name, kind in _PARTS.items():
            if parts[name] is not None:
                parts[name] = kind(**{key: _frozen(value) for key, value in parts[name].items()})
        return cls(**{key: _frozen(value) for key, value in parts.items()})


_PARTS: Mapping[str, type[Any]] = MappingProxyType(
    {
        "connection": Connection,
        "serving": Serving,
        "sampling": Sampling,
        "prompting": Prompting,
        "prices": Prices,
    }
)


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
