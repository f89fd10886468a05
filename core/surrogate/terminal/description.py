"""The job that the options of ``neyman surrogate`` describe."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from ..command import OPTIONS
from ..faults import SurrogateError
from ..job.parameters import (
    JUDGING,
    THINKING_TOKENS,
    VERDICT_SAMPLING,
    Connection,
    Grouping,
    Prices,
    Prompting,
    Sampling,
    Serving,
)
from ..job.presets import PRESETS
from ..job.spec import JobSpec, shard_of
from .options import OPERATION, PARTS, GroupingOptions, JobOptions, key_of

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
