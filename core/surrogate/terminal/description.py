"""The options of ``neyman surrogate`` that describe a job, and the job that they describe."""

from __future__ import annotations

import os
import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, TypedDict, get_args, get_type_hints

from cyclopts import Parameter, Token

from ..command import NONE, NOT_OF_GROUPINGS, OPTIONS
from ..faults import SurrogateError
from ..job.parameters import (
    JUDGING,
    PRESETS,
    THINKING_TOKENS,
    VERDICT_SAMPLING,
    Connection,
    Grouping,
    Prices,
    Prompting,
    Sampling,
    Serving,
)
from ..job.spec import WEIGHTS, JobSpec, shard_of

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


_TWO_SERVERS = "Give either --base-url or --serve: one server is enough."
_NOT_SERVED = "{} is for a server that Neyman starts: give --serve, or leave it out."


def spec_of(options: JobOptions, digest: str, items: tuple[str, ...] | None = None) -> JobSpec:
    """The job that parsed options describe.

    Parameters
    ----------
    options : JobOptions
        As typed.
    digest : str
        Of the pool.
    items : tuple of str, optional
        Ids of the items; None: all.

    Raises
    ------
    SurrogateError
        The options contradict each other, or one makes no sense.
    """
    values = {part: _values(options.settings, part) for part in PARTS}
    if options.preset is not None:
        values[Sampling] = {**PRESETS[options.preset], **values[Sampling]}
    if options.target is not None:
        values[Sampling].setdefault("k", 1)
    if options.judge is not None:
        values[Sampling] = {"k": 1, "extra": JUDGING, **values[Sampling]}
    if options.shots:
        # It takes memory that a worker without examples does not need.
        from ..job.selection import read_shots

        values[Prompting]["shots"] = read_shots(options.shots)
    values[Prompting]["templates"] = tuple(_template(text) for text in options.template_for)
    return _spec(
        options.model,
        digest,
        values,
        Sampling(**values[Sampling]),
        target=options.target,
        items=items,
        shard=shard_of(options.shard, os.environ),
        judge=options.judge,
    )


def grouping_spec_of(options: GroupingOptions, digest: str) -> JobSpec:
    """The job that options describe which group answers; parameters and errors as :func:`spec_of`."""
    values = {part: _values(options.settings, part) for part in PARTS}
    if options.prompt is not None:
        values[Prompting]["template"] = _text_of(options.prompt)
    if values[Sampling].get("thinking") == "on":
        values[Sampling].setdefault("max_tokens", THINKING_TOKENS)
    sampling = replace(VERDICT_SAMPLING, **values[Sampling])
    return _spec(options.model, digest, values, sampling, grouping=grouping_of(options))


def grouping_of(options: GroupingOptions) -> Grouping:
    """Return the grouping that options describe.

    Raises
    ------
    SurrogateError
        One makes no sense.
    """
    return Grouping(options.rule, options.parser, options.place)


def sampling_given(settings: Mapping[str, Any]) -> frozenset[str]:
    """Return the names of the sampling settings that options set, those of a preset apart."""
    return frozenset(_values(settings, Sampling))


def revised(spec: JobSpec, given: Mapping[str, Any]) -> JobSpec:
    """The job with the operation that options describe.

    Parameters
    ----------
    spec : JobSpec
        The job so far.
    given : Operation
        As typed; what was not given stays.

    Raises
    ------
    SurrogateError
        The options contradict each other or the job, or one makes no sense.
    """
    values = {part: _values(given, part) for part in OPERATION}
    connection = replace(spec.connection, **values[Connection])
    serving, addressed = spec.serving, "base_urls" in values[Connection]
    if addressed and values[Serving]:
        raise SurrogateError(_TWO_SERVERS)
    if addressed:
        serving = None
    elif "model" in values[Serving]:
        serving, connection = serving or Serving(values[Serving]["model"]), replace(connection, base_urls=())
    if serving is None and values[Serving]:
        raise SurrogateError(_NOT_SERVED.format(_given(values[Serving])))
    serving = serving and replace(serving, **values[Serving])
    return replace(spec, connection=connection, serving=serving, prices=replace(spec.prices, **values[Prices]))


def _values(settings: Mapping[str, Any], part: type[Any]) -> dict[str, Any]:
    """The fields of a part whose options are given."""
    values = {field.name: settings[key] for field in fields(part) if (key := key_of(part, field.name)) in settings}
    # What is on by default, an option can only switch off.
    return values | {field.name: False for field in fields(part) if field.default is True and values.get(field.name)}


def _given(values: dict[str, Any]) -> str:
    """The option of the first of these fields of :class:`Serving`."""
    return OPTIONS[Serving][next(iter(values))][0]


def _spec(
    model: str | None, digest: str, values: dict[type[Any], dict[str, Any]], sampling: Sampling, **others: Any
) -> JobSpec:
    """The job of these parts; by default the model's name is that of what is served."""
    served = values[Serving].get("model")
    if served is not None and "base_urls" in values[Connection]:
        raise SurrogateError(_TWO_SERVERS)
    if served is None and values[Serving]:
        raise SurrogateError(_NOT_SERVED.format(_given(values[Serving])))
    model = model or served
    if model is None:
        raise SurrogateError("Name the model with --model.")
    return JobSpec(
        digest,
        model,
        Connection(**values[Connection]),
        None if served is None else Serving(**values[Serving]),
        sampling,
        Prompting(**values[Prompting]),
        Prices(**values[Prices]),
        **others,
    )


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SurrogateError(f"The prompt “{path.name}” cannot be read as text.") from error


def _template(text: str) -> tuple[str, str]:
    kind, mark, template = text.partition("=")
    if not mark:
        raise SurrogateError("Write --template-for as KIND=TEXT, for instance number='{question}'.")
    return kind, template
