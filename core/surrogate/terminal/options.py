"""The options of ``neyman surrogate`` that describe a job: one for each field of its parts, and a few more."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, TypedDict, get_args, get_type_hints

from cyclopts import Parameter, Token

from ..command import ADDRESS, ARGUMENTS, BASE, LETTERS, NO_DETECTION, NO_LOGPROBS, NONE, THINKING, TRUST, options_of
from ..faults import SurrogateError
from ..job.parameters import (
    ANSWER_TOKENS,
    THINKING_TOKENS,
    WIDTH,
    Connection,
    Prices,
    Prompting,
    Sampling,
    Serving,
)
from ..job.presets import PRESETS
from ..job.spec import WEIGHTS

OPERATION: tuple[type[Any], ...] = (Connection, Serving, Prices)
PARTS: tuple[type[Any], ...] = (Sampling, Connection, Serving, Prompting, Prices)
_HELP = {
    "--k": "Generations per item.",
    "--temperature": "How much the answers to an item may differ, 0 to 2 (none: the server decides).",
    "--top-p": "Sample from the likeliest tokens with this total probability (none: the server decides).",
    "--top-k": "Sample from this many of the likeliest tokens (none: the server decides).",
    "--presence-penalty": "Above 0, tokens that an answer already has become rarer.",
    "--repetition-penalty": "Above 1, repeated tokens become rarer, those of the prompt included.",
    "--seed": "Make the run repeatable, and slower.",
    "--extra": "Further fields of the request, a JSON object.",
    "--concurrency": f"Requests at a time to each address (default {WIDTH}; with --serve as many as keep vLLM busy).",
    "--timeout": "Seconds for one request.",
    "--attempts": "How often one request is tried.",
    "--backoff": "Seconds before the second try of a request; each further pause is twice as long.",
    "--patience": "Seconds after the first refused connection until a server counts as gone.",
    "--pause-share": "Pause when more than this share of the last 50 items failed (1: never).",
    "--drain": "Seconds that answers under way may take when the run ends early.",
    "--key-variable": "Environment variable with the key (default NEYMAN_API_KEY).",
    "--serve": "Start vLLM with this model, a name on the Hub or a folder.",
    "--revision": "Branch, tag or commit of the model on the Hub.",
    "--tensor-parallel": "GPUs that share one copy of the model.",
    "--data-parallel": "Copies of the model, each on separate GPUs.",
    "--dtype": "Number format of the weights, as vLLM calls it, such as bfloat16.",
    "--quantization": "How the weights are quantized, as vLLM calls it, such as awq.",
    "--max-model-len": "Longest prompt and answer together, in tokens.",
    "--gpu-memory": "Share of each GPU’s memory that vLLM may use.",
    "--start-timeout": "Seconds that vLLM may take to start.",
    "--system": "System prompt, before the first question.",
    "--template": "Template of the question; fields {question}, {choices}, {instruction}.",
    "--images": "Folder that the paths of images are relative to.",
    "--max-image-mb": "Largest image that is sent, in megabytes.",
    "--max-image-side": "Most pixels of the longer side of an image that is sent.",
    "--price-prompt": "Price per million tokens of prompts.",
    "--price-completion": "Price per million tokens of completions.",
    "--max-tokens": f"Most tokens in a generation, reasoning included (default {ANSWER_TOKENS:,}, with --thinking on"
    f" {THINKING_TOKENS:,}; none: no limit).",
    NO_LOGPROBS: "Do not request log-probabilities.",
    THINKING: "Whether the model thinks before it answers, by its chat template (default: as the model does).",
    NO_DETECTION: "Let a generation repeat itself up to the token limit (vLLM would end it).",
    BASE: "The model continues a text, by the completions endpoint.",
    LETTERS: "Items with options are answered with a letter alone.",
    ADDRESS: "Address of a server that is running (…/v1); may be repeated for several servers of the same model.",
    TRUST: "Run code that comes with the model.",
    ARGUMENTS: "More arguments of vLLM, in one text.",
    "--max-num-seqs": "Most sequences that vLLM works on at a time (default: vLLM decides).",
    "--max-cost": "Pause before the job costs more.",
    "--max-total-tokens": "Pause before the job takes more, prompts and completions together.",
}
# Fields without a meaning if a model groups answers.
_NOT_OF_GROUPINGS = ("k", "logprobs")
# Fields that an option can only switch off.
SWITCHED_OFF = ("logprobs", "repetition_detection")
_MODELS_DEFAULT = "default"


@dataclass(frozen=True)
class _Number:
    """Reads a number or “none”. Of texts, “none” is one like any other: those that may be absent are so by default."""

    kind: type[Any]

    def __call__(self, _: Any, tokens: Sequence[Token]) -> Any:
        text = tokens[0].value
        try:
            return None if text == NONE else self.kind(text)
        except ValueError:
            raise ValueError(f"“{text}” is not a {'whole ' * (self.kind is int)}number") from None


def _thinking(_: Any, tokens: Sequence[Token]) -> str | None:
    word = tokens[0].value
    if word not in ("on", "off", _MODELS_DEFAULT):
        raise ValueError(f"“{word}” is not on, off or {_MODELS_DEFAULT}")
    return None if word == _MODELS_DEFAULT else word


def _words(_: Any, tokens: Sequence[Token]) -> tuple[str, ...]:
    """Words as a shell would split them; no shell is involved."""
    try:
        return tuple(shlex.split(tokens[0].value))
    except ValueError as error:
        raise SurrogateError(f"The arguments for vLLM cannot be split ({error}).") from error


def _option(option: str, hint: Any = str, **how: Any) -> Any:
    return Annotated[hint, Parameter(name=option, **{"help": _HELP[option], **how})]


# What an option sets if it is no number and no text.
_OTHERS: dict[str, Any] = {
    "Sampling.logprobs": _option(NO_LOGPROBS, bool),
    "Sampling.thinking": _option(THINKING, Any, converter=_thinking, n_tokens=1, metavar="on|off|default"),
    "Sampling.repetition_detection": _option(NO_DETECTION, bool),
    "Prompting.base_model": _option(BASE, bool),
    "Prompting.letters_only": _option(LETTERS, bool),
    "Connection.base_urls": _option(ADDRESS, tuple[str, ...], metavar="URL"),
    "Serving.trust_remote_code": _option(TRUST, bool),
    "Serving.arguments": _option(ARGUMENTS, Any, converter=_words, n_tokens=1, metavar="TEXT"),
}


def key_of(part: type[Any], field: str) -> str:
    """Return the key of a field among the settings that are given."""
    return f"{part.__name__}.{field}"


def _settings(*parts: type[Any], without: Collection[str] = ()) -> dict[str, Any]:
    """Types of the options that set the fields of these parts."""
    found = dict[str, Any]()
    for part in parts:
        hints = get_type_hints(part)
        for one, option in options_of(part):
            kinds = (hints[one.name], *get_args(hints[one.name]))
            kind = next(kind for kind in (float, int, str) if kind in kinds)
            number = {} if kind is str else {"hint": Any, "converter": _Number(kind), "n_tokens": 1}
            metavar = {int: "N", float: "X", str: "TEXT"}[kind]
            found[key_of(part, one.name)] = _option(option, metavar=metavar, **number)
        found |= {dest: one for dest, one in _OTHERS.items() if dest.startswith(f"{part.__name__}.")}
    return {dest: one for dest, one in found.items() if dest.partition(".")[2] not in without}


if TYPE_CHECKING:
    JobSettings: TypeAlias = dict[str, Any]
    GroupingSettings: TypeAlias = dict[str, Any]
    Operation: TypeAlias = dict[str, Any]
else:
    # An option that is not given sets nothing, so that the field's own default holds.
    JobSettings = TypedDict("JobSettings", _settings(*PARTS), total=False)
    Operation = TypedDict("Operation", _settings(*OPERATION, without=WEIGHTS), total=False)
    GroupingSettings = TypedDict(
        "GroupingSettings",
        _settings(Sampling, *OPERATION, without=_NOT_OF_GROUPINGS)
        | {
            "Prompting.letters_only": _option(
                LETTERS, bool, help="The server holds the judge to one of the three words (vLLM)."
            ),
            "Prompting.system": _option("--system", metavar="TEXT"),
            "Prompting.template": _option("--template", metavar="TEXT", help="As --prompt."),
        },
        total=False,
    )
# What several commands take.
ALL = Parameter(name="*")
PoolName: TypeAlias = Annotated[str, Parameter(help="A pool's file, or the beginning of a kept pool's digest.")]
JobName: TypeAlias = Annotated[str, Parameter(help="The job's name, as `neyman surrogate list` shows it.")]
ShardName: TypeAlias = Annotated[
    str | None, Parameter(help="Only this part of the items, I/N from 0/N (default: the task of a Slurm array).")
]
Rows: TypeAlias = Annotated[bool, Parameter(help="Write the generations alone, one row each (.parquet), for `merge`.")]


@ALL
@dataclass(frozen=True, slots=True, kw_only=True)
class JobOptions:
    """The options that describe a job.

    Parameters
    ----------
    model : str
        Its name on the server (default: the model that is served).
    template_for : str
        Template for one answer kind, as KIND=TEXT; may be repeated.
    shots : path
        Examples before each item: JSON Lines with prompt, answer and maybe choices.
    preset : str
        Sampling settings of a family of models; other options override them.
    target : str
        The answers are those of the model to evaluate: one per item.
    items : path
        Only these items: a label request, or one id per line.
    judge : str
        Judge whether this target's answers are right, and how surely.
    settings : JobSettings
        Whatever else is set.
    """

    model: str | None = None
    template_for: tuple[str, ...] = ()
    shots: Path | None = None
    preset: Annotated[str | None, Parameter(choices=tuple(PRESETS))] = None
    target: str | None = None
    items: Path | None = None
    judge: str | None = None
    shard: ShardName = None
    settings: Annotated[JobSettings, ALL] = field(default_factory=dict)


@ALL
@dataclass(frozen=True, slots=True, kw_only=True)
class BatchOptions(JobOptions):
    """The options that describe what is asked for in batches.

    Parameters
    ----------
    job : str
        An old job: only what it lacks.
    one_each : bool
        One request per sample, for servers that refuse n.
    leave_out : str
        Parameter that is not sent, since the model refuses it; may be repeated.
    """

    pool: PoolName | None = None
    job: str | None = None
    one_each: bool = False
    leave_out: tuple[str, ...] = ()


@ALL
@dataclass(frozen=True, slots=True, kw_only=True)
class GroupingOptions:
    """The options that describe a job that groups answers by meaning.

    Parameters
    ----------
    model : str
        Name of the judge on the server (default: the model that is served).
    rule : str
        strict: each answer entails the other; lenient: neither contradicts the other, and not both are neutral.
    parser : str
        The answer kind by which texts become answers (default: each item's own).
    place : str
        Place this target's answers among the classes; may be repeated.
    prompt : path
        The judge's question, a text with {question}, {first} and {second}.
    settings : GroupingSettings
        Whatever else is set.
    """

    model: str | None = None
    rule: Literal["strict", "lenient"] = "strict"
    parser: str | None = None
    place: tuple[str, ...] = ()
    prompt: Path | None = None
    settings: Annotated[GroupingSettings, ALL] = field(default_factory=dict)
