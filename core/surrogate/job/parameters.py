"""A job's parameters: frozen, and checked when they are made; and the sampling of families of models.

Secrets are no part of them: a job names the environment variable of its key, never the key.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import Field

from ..faults import SurrogateError
from .checks import (
    Addresses,
    Arguments,
    Extra,
    Kind,
    ModelName,
    Real,
    Revision,
    Templates,
    Variable,
    Word,
    extra_fields,
    parameters,
)


def _preset(
    temperature: float,
    top_p: float | None,
    top_k: int | None,
    presence_penalty: float = 0.0,
    thinking: str | None = None,
) -> Mapping[str, Any]:
    sampling = {"temperature": temperature, "top_p": top_p, "top_k": top_k}
    penalties = {"presence_penalty": presence_penalty, "repetition_penalty": 1.0}
    return MappingProxyType({**sampling, **penalties, "thinking": thinking})


PRESETS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "paper": _preset(0.7, 0.8, 20, 1.5),
        "qwen3.5": _preset(0.7, 0.8, 20, 1.5, "off"),
        "qwen3.5-thinking": _preset(1.0, 0.95, 20, 1.5, "on"),
        "qwen3": _preset(0.7, 0.8, 20, thinking="off"),
        "qwen3-thinking": _preset(0.6, 0.95, 20, thinking="on"),
        "llama3": _preset(0.6, 0.9, None),
        "gemma4": _preset(1.0, 0.95, 64, thinking="off"),
        "gemma4-thinking": _preset(1.0, 0.95, 64, thinking="on"),
        "gemma3": _preset(1.0, 0.95, 64),
        "mistral-small": _preset(0.15, None, None),
        "magistral": _preset(0.7, 0.95, None),
        "deepseek-r1": _preset(0.6, 0.95, None),
    }
)
"""Name → fields of :class:`core.surrogate.job.parameters.Sampling`.

====================  ===========  =====  =====  ========  ==================================================
preset                temperature  top_p  top_k  thinking  source
====================  ===========  =====  =====  ========  ==================================================
``paper``             0.7          0.8    20               docs/method.md, 2, with a presence penalty of 1.5
``qwen3.5``           0.7          0.8    20     off       model card of Qwen3.5, with the same penalty
``qwen3.5-thinking``  1.0          0.95   20     on        model card of Qwen3.5, with the same penalty
``qwen3``             0.7          0.8    20     off       model card of Qwen3
``qwen3-thinking``    0.6          0.95   20     on        model card of Qwen3
``llama3``            0.6          0.9                     generation settings of Llama 3.1 Instruct
``gemma4``            1.0          0.95   64     off       model card of Gemma 4
``gemma4-thinking``   1.0          0.95   64     on        model card of Gemma 4
``gemma3``            1.0          0.95   64               model card of Gemma 3
``mistral-small``     0.15                                 model card of Mistral Small 3
``magistral``         0.7          0.95                    model card of Magistral Small
``deepseek-r1``       0.6          0.95                    model card of DeepSeek-R1
====================  ===========  =====  =====  ========  ==================================================
"""


KEY_VARIABLE = "NEYMAN_API_KEY"
_REQUEST_FIELDS = (
    "temperature", "top_p", "top_k", "presence_penalty", "repetition_penalty", "max_tokens", "logprobs",
)  # fmt: skip
LIMITS = ("max_tokens", "max_completion_tokens")
"""The names of a request's limit of tokens."""
ANSWER_TOKENS, THINKING_TOKENS = 4_096, 16_384
"""Most tokens of a generation by default: of a model that answers at once, and of one that thinks first."""
WIDTH = 64
"""Requests at a time at each address by default."""
_BY_DEFAULT = 0
# A sample ends when it has repeated the same words, up to 64 tokens of them, 32 times in a row.
_REPETITION = {"max_pattern_size": 64, "min_pattern_size": 1, "min_count": 32}
JUDGING = '{"top_logprobs": 20}'
"""Further fields of a judge's request by default: what the probability of its verdict is read from."""
STANDARD_OF_BASE_MODELS = "Question: {question}\n\n{choices}\n\nAnswer:"


@parameters
class Sampling:
    """Sampling of the model; the defaults are the paper's (docs/method.md, 2). None: not sent, the server decides.

    Parameters
    ----------
    k : int
        Generations per item, 1 … 1,000.
    temperature : float or None
        0 … 2.
    top_p : float or None
        Above 0, up to 1.
    top_k : int or None
        0 … 1,000,000; 0 and −1 mean no limit.
    presence_penalty : float or None
        −2 … 2.
    repetition_penalty : float or None
        Above 0, up to 10.
    max_tokens : int or None
        Most tokens of a generation, reasoning included. By default :data:`ANSWER_TOKENS`, :data:`THINKING_TOKENS` if
        ``thinking`` is on, and none if ``extra`` sets a limit.
    seed : int or None
        Makes a run repeatable at the price of speed: a server that gets a seed samples request by request.
    logprobs : bool
        Whether log-probabilities are requested.
    extra : str
        A JSON object of further fields of the request (``chat_template_kwargs``, ``min_p``, ``reasoning_effort`` …).
    thinking : {"on", "off"} or None
        Whether the chat template has the model think before it answers (``enable_thinking``); None: the model's
        default. If it is on, thinking ends in time for the last :data:`ANSWER_TOKENS` of the limit
        (``thinking_token_budget``, which only a vLLM server with a reasoning parser takes).
    repetition_detection : bool
        Whether the server ends a generation that repeats itself without an end (vLLM).

    Raises
    ------
    SurrogateError
        A value is outside these limits, ``extra`` is no such object, sets what Neyman sets or carries a secret, or
        thinking is set twice.
    """

    k: Annotated[int, Field(ge=1, le=1_000, title="The number of generations")] = 10
    temperature: Annotated[Real | None, Field(ge=0, le=2, title="The temperature")] = 0.7
    top_p: Annotated[Real | None, Field(gt=0, le=1)] = 0.8
    top_k: Annotated[int | None, Field(ge=-1, le=1_000_000)] = 20
    presence_penalty: Annotated[Real | None, Field(ge=-2, le=2, title="The presence penalty")] = 1.5
    repetition_penalty: Annotated[Real | None, Field(gt=0, le=10, title="The repetition penalty")] = 1.0
    max_tokens: Annotated[int | None, Field(ge=1, le=10_000_000, title="The number of tokens")] = _BY_DEFAULT
    seed: Annotated[int | None, Field(ge=0, le=2**31 - 1, title="The seed")] = None
    logprobs: bool = True
    extra: Extra = "{}"
    thinking: Literal["on", "off"] | None = None
    repetition_detection: bool = True

    def __post_init__(self) -> None:
        extra = extra_fields(self.extra)
        if self.max_tokens == _BY_DEFAULT:
            limited = any(name in extra for name in LIMITS)
            object.__setattr__(self, "max_tokens", None if limited else default_limit(self.thinking))
        if self.thinking is not None and "enable_thinking" in _template_fields(extra):
            raise SurrogateError("Thinking is set twice: leave `enable_thinking` out of the extra fields.")

    def parameters(self) -> dict[str, Any]:
        """The fields of the request, number of generations and seed apart."""
        named = {name: getattr(self, name) for name in _REQUEST_FIELDS}
        sent = {name: value for name, value in named.items() if value is not None and value is not False}
        extra = extra_fields(self.extra)
        if self.repetition_detection:
            sent["repetition_detection"] = _REPETITION
        if self.thinking is not None:
            extra["chat_template_kwargs"] = {**_template_fields(extra), "enable_thinking": self.thinking == "on"}
        longest = min(limits_in(sent | extra), default=None)
        if self.thinking == "on" and longest is not None and longest > ANSWER_TOKENS:
            sent["thinking_token_budget"] = longest - ANSWER_TOKENS
        return sent | extra

    @property
    def longest(self) -> int | None:
        """Most tokens of a generation, in whatever words; None if the request sets no limit."""
        return min(limits_in(self.parameters()), default=None)


def default_limit(thinking: str | None) -> int:
    """Return the most tokens of a generation for which a job sets no limit."""
    return THINKING_TOKENS if thinking == "on" else ANSWER_TOKENS


def limits_in(fields: Mapping[str, Any]) -> list[int]:
    """Return the limits of a generation's tokens that a request sets."""
    return [limit for name in LIMITS if isinstance(limit := fields.get(name), int)]


def _template_fields(extra: Mapping[str, Any]) -> Mapping[str, Any]:
    """The variables of the chat template that further fields of a request set."""
    given = extra.get("chat_template_kwargs")
    return given if isinstance(given, Mapping) else {}


@parameters
class Connection:
    """The connection to a server: its addresses, tries and times.

    Parameters
    ----------
    base_urls : tuple of str
        Addresses of the same model, each …/v1; empty if we serve the model ourselves.
    concurrency : int or None
        Requests at a time at each address, 1 … 4,096; None: :attr:`core.surrogate.job.spec.JobSpec.width` says.
    timeout : float
        Seconds for one request.
    attempts : int
        Tries of one request before its item counts as failed, 1 … 100.
    backoff : float
        Seconds before the second try, 0 … 60; the pause doubles from try to try.
    patience : float
        Seconds after the first refused connection, without any answer since, after which a server counts as gone; the
        run ends once all of them are.
    key_variable : str or None
        The environment variable with the key; by default NEYMAN_API_KEY, and for OpenAI itself OPENAI_API_KEY too.
    pause_share : float
        The run pauses when more than this share of the last 50 items failed, 0 … 1; at 1 it never pauses.
    drain : float
        Seconds that answers under way may still take to arrive when the run ends early.

    Raises
    ------
    SurrogateError
        A value is outside these limits, or an address is none or carries a secret; the message does not repeat it.
    """

    base_urls: Addresses = ()
    concurrency: Annotated[int | None, Field(ge=1, le=4096, title="The number of requests at a time")] = None
    timeout: Annotated[Real, Field(gt=0, le=86_400, title="The time for one request")] = 900.0
    attempts: Annotated[int, Field(ge=1, le=100, title="The number of attempts")] = 6
    backoff: Annotated[Real, Field(ge=0, le=60, title="The pause before another attempt")] = 0.5
    patience: Annotated[Real, Field(ge=0, le=86_400, title="The patience with a silent server")] = 60.0
    key_variable: Variable | None = None
    pause_share: Annotated[Real, Field(ge=0, le=1, title="The share of failures at which a run pauses")] = 0.5
    drain: Annotated[Real, Field(ge=0, le=86_400, title="The time for answers under way")] = 60.0


@parameters
class Serving:
    """A vLLM server of our own.

    Parameters
    ----------
    model : str
        A name on the Hugging Face Hub, or a folder.
    tensor_parallel, data_parallel : int
        GPUs that share one copy of the model, and copies, 1 … 1,024.
    dtype : str
        Number format, in vLLM's words.
    quantization : str or None
        In vLLM's words.
    max_model_length : int or None
        Longest text in tokens, prompt and answer; None: the model's.
    gpu_memory : float
        Share of a GPU's memory, above 0, up to 1.
    trust_remote_code : bool
        Whether code that comes with the model is run.
    arguments : tuple of str
        Further arguments, passed to vLLM unchanged.
    start_timeout : float
        Seconds until it must answer.
    revision : str or None
        Branch, tag or commit of the model on the Hub; None: its main branch.
    max_num_seqs : int or None
        Most sequences that vLLM works on at a time; None: vLLM decides.

    Raises
    ------
    SurrogateError
        A value is outside these limits, or an argument is one that Neyman sets or carries a secret.
    """

    model: ModelName
    tensor_parallel: Annotated[int, Field(ge=1, le=1024, title="The tensor parallel size")] = 1
    data_parallel: Annotated[int, Field(ge=1, le=1024, title="The data parallel size")] = 1
    dtype: Word = "auto"
    quantization: Word | None = None
    max_model_length: Annotated[int | None, Field(ge=1, le=100_000_000, title="The model length")] = None
    gpu_memory: Annotated[Real, Field(gt=0, le=1, title="The share of GPU memory")] = 0.9
    trust_remote_code: bool = False
    arguments: Arguments = ()
    start_timeout: Annotated[Real, Field(gt=0, le=86_400, title="The time for the start")] = 1800.0
    revision: Revision | None = None
    max_num_seqs: Annotated[int | None, Field(ge=1, le=100_000, title="The number of sequences at a time")] = None


@parameters
class Shot:
    """A question with its answer, which a model is shown before the item.

    Parameters
    ----------
    prompt, answer : str
        The question, and what a model should have said.
    choices : tuple of str
        The question's options.

    Raises
    ------
    SurrogateError
        The question or the answer is blank.
    """

    prompt: str
    answer: str
    choices: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.prompt.strip() or not self.answer.strip():
            raise SurrogateError("An example needs both a prompt and an answer.")


@parameters
class Prompting:
    """Prompts: templates by which an item becomes messages (:mod:`core.surrogate.client.prompting`).

    Parameters
    ----------
    system : str
        The system prompt; none if it is blank.
    template : str or None
        Template of the question for all answer kinds without a separate one; None: the standard one.
    templates : tuple of (str, str)
        Answer kinds and their templates.
    images : str or None
        The folder that paths of images are relative to.
    max_image_megabytes : float
        Largest image that is sent, above 0, up to 100.
    max_image_side : int
        Most pixels of its longer side.
    shots : tuple of Shot
        Examples that come before the item: turns of the chat, or the beginning of a base model's text.
    base_model : bool
        Whether the model continues a text (the completions endpoint) and knows no chat.
    letters_only : bool
        Whether an item with options is answered with a letter alone, which the server enforces (vLLM's structured
        outputs).

    Raises
    ------
    SurrogateError
        A value is outside these limits, or there is no such answer kind.
    """

    system: str = ""
    template: str | None = None
    templates: Templates = ()
    images: str | None = None
    max_image_megabytes: Annotated[Real, Field(gt=0, le=100, title="The size of an image")] = 20.0
    max_image_side: Annotated[int, Field(ge=1, le=100_000, title="The side of an image")] = 8192
    shots: tuple[Shot, ...] = ()
    base_model: bool = False
    letters_only: bool = False


@parameters
class Prices:
    """Prices per million tokens, in the user's currency, and what a job may spend.

    Parameters
    ----------
    prompt, completion : float or None
        Of prompts and of what the model writes; None: unknown.
    max_cost : float or None
        What the job may cost, above 0, up to 1e12; None: no limit.
    max_total_tokens : int or None
        Tokens that it may take, of prompts and completions together, 1 … 1e15; None: no limit.

    Raises
    ------
    SurrogateError
        A price or limit is outside these limits, or the cost is limited and a price is unknown.
    """

    prompt: Annotated[Real | None, Field(ge=0, le=1e9, title="The price of prompt tokens")] = None
    completion: Annotated[Real | None, Field(ge=0, le=1e9, title="The price of completion tokens")] = None
    max_cost: Annotated[Real | None, Field(gt=0, le=1e12, title="The largest cost")] = None
    max_total_tokens: Annotated[int | None, Field(ge=1, le=10**15, title="The largest number of tokens")] = None

    def __post_init__(self) -> None:
        if self.max_cost is not None and self.cost(1, 1) is None:
            raise SurrogateError(
                "A limit of the cost needs both prices: that of prompt tokens and of completion tokens."
            )

    @property
    def charged(self) -> bool:
        """Whether tokens cost anything, as far as is known."""
        return bool(self.prompt or self.completion)

    @property
    def limited(self) -> bool:
        """Whether cost or tokens have a limit."""
        return self.max_cost is not None or self.max_total_tokens is not None

    def cost(self, prompt_tokens: float, completion_tokens: float) -> float | None:
        """Cost of so many tokens; None if a price is unknown."""
        if self.prompt is None or self.completion is None:
            return None
        return (self.prompt * prompt_tokens + self.completion * completion_tokens) / 1e6

    def excess(self, prompt_tokens: int, completion_tokens: int) -> str:
        """Say which limit so many tokens exceed; empty if they exceed none."""
        tokens, cost = prompt_tokens + completion_tokens, self.cost(prompt_tokens, completion_tokens)
        if self.max_total_tokens is not None and tokens > self.max_total_tokens:
            limit = f"{self.max_total_tokens:,} tokens"
        elif self.max_cost is not None and cost is not None and cost > self.max_cost:
            limit = f"a cost of {self.max_cost:,.6g}"
        else:
            return ""
        return (
            f"The job is limited to {limit}, which the next request may exceed. Raise the limit, then resume the job."
        )


@parameters
class Grouping:
    """Grouping of a pool's answers by meaning (docs/method.md, 7.6).

    Parameters
    ----------
    rule : {"strict", "lenient"}
        When two answers mean the same (``core.answers.classes``).
    parser : str or None
        A kind of ``core.answers`` by which all texts become answers; None: each item's own.
    targets : tuple of str
        Targets whose answers are placed among the classes.

    Raises
    ------
    SurrogateError
        There is no such rule or kind.
    """

    rule: Literal["strict", "lenient"] = "strict"
    parser: Kind | None = None
    targets: tuple[str, ...] = ()


VERDICT_SAMPLING = Sampling(
    k=1,
    temperature=0.0,
    top_p=None,
    top_k=None,
    presence_penalty=None,
    repetition_penalty=None,
    max_tokens=64,
    logprobs=False,
    repetition_detection=False,
)
"""Sampling by default if a model says whether one answer entails another."""
