"""The options of ``neyman surrogate`` that describe a job: one for each field of its parts, and a few more."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, TypedDict, get_args, get_type_hints

from cyclopts import Parameter, Token

from ..command import NONE, NOT_OF_GROUPINGS, OPTIONS
from ..faults import SurrogateError
from ..job.parameters import (
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


# How the words of an option are read, by its field if that has a reader, or else by the type of the field.
_READ: dict[Any, Any] = {
    "thinking": Annotated[Any, Parameter(metavar="on|off|default", converter=_thinking, n_tokens=1)],
    "arguments": Annotated[Any, Parameter(metavar="TEXT", converter=_words, n_tokens=1)],
    "base_urls": Annotated[tuple[str, ...], Parameter(metavar="URL")],
    bool: bool,
    float: Annotated[Any, Parameter(metavar="X", converter=_Number(float), n_tokens=1)],
    int: Annotated[Any, Parameter(metavar="N", converter=_Number(int), n_tokens=1)],
    str: Annotated[str, Parameter(metavar="TEXT")],
}


def key_of(part: type[Any], field: str) -> str:
    """Return the key of a field among the settings that are given."""
    return f"{part.__name__}.{field}"


def _settings(*parts: type[Any], without: Collection[str] = (), **helps: str) -> dict[str, Any]:
    """Types of the options that set the fields of these parts; ``helps``: what some do here."""
    found = dict[str, Any]()
    for part in parts:
        hints = get_type_hints(part)
        for name, (option, text) in OPTIONS[part].items():
            kinds = (name, hints[name], *get_args(hints[name]))
            read = next(read for kind, read in _READ.items() if kind in kinds)
            found[key_of(part, name)] = Annotated[read, Parameter(name=option, help=helps.get(name, text))]
    return {key: one for key, one in found.items() if key.partition(".")[2] not in without}


if TYPE_CHECKING:
    JobSettings: TypeAlias = dict[str, Any]
    GroupingSettings: TypeAlias = dict[str, Any]
    Operation: TypeAlias = dict[str, Any]
else:
    # An option that is not given sets nothing, so that the field's own default holds.
    JobSettings = TypedDict("JobSettings", _settings(*PARTS), total=False)
    Operation = TypedDict("Operation", _settings(*OPERATION, without=WEIGHTS), total=False)
    _JUDGE = _settings(
        *(Sampling, *OPERATION, Prompting),
        without=NOT_OF_GROUPINGS,
        letters_only="The server holds the judge to one of the three words (vLLM).",
        template="As --prompt.",
    )
    GroupingSettings = TypedDict("GroupingSettings", _JUDGE, total=False)
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
