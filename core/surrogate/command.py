"""A job as a command line, and back: the app starts what it shows, and the same runs on another machine.

No option takes a key; ``--key-variable`` names the environment variable that holds it.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator
from dataclasses import Field, fields
from functools import partial
from typing import Any, get_args, get_type_hints

from core.surrogate.faults import SurrogateError
from core.surrogate.job.spec import Connection, JobSpec, Prices, Prompting, Sampling, Serving

_PARTS: tuple[type[Any], ...] = (Sampling, Connection, Serving, Prompting, Prices)
# Fields whose option is not simply named like them; None: not an option of one value, see below.
_NAMES: dict[tuple[type[Any], str], str | None] = {
    (Sampling, "logprobs"): None,
    (Serving, "model"): "--serve",
    (Serving, "max_model_length"): "--max-model-len",
    (Serving, "trust_remote_code"): None,
    (Serving, "arguments"): None,
    (Prompting, "templates"): None,
    (Prompting, "max_image_megabytes"): "--max-image-mb",
    (Prices, "prompt"): "--price-prompt",
    (Prices, "completion"): "--price-completion",
}
_HELP = {
    "--k": "generations per item",
    "--seed": "make the run repeatable, and slower",
    "--extra": "further fields of the request, a JSON object",
    "--base-url": "address of a server that is running (…/v1)",
    "--concurrency": "requests at a time",
    "--timeout": "seconds for one request",
    "--attempts": "tries of one request",
    "--patience": "seconds without any answer after which a server counts as gone",
    "--key-variable": "environment variable with the key (default NEYMAN_API_KEY)",
    "--serve": "start vLLM with this model, a name on the Hub or a folder",
    "--template": "of the question; fields {question}, {choices}, {instruction}",
    "--images": "folder that the paths of images are relative to",
    "--price-prompt": "per million tokens of prompts",
    "--price-completion": "per million tokens of completions",
}
_NONE = "none"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that describe a job."""
    parser.add_argument("--model", help="as the server calls it (default: the model that is served)")
    # An option that is not given sets nothing, so that the field's own default holds.
    add = partial(parser.add_argument, default=argparse.SUPPRESS)
    for part in _PARTS:
        kinds = get_type_hints(part)
        for field, option in _options(part):
            kind = next(kind for kind in (float, int, str) if kind in (kinds[field.name], *get_args(kinds[field.name])))
            metavar = {int: "N", float: "X", str: "TEXT"}[kind]
            add(option, dest=_dest(part, field.name), type=_reader(kind), metavar=metavar, help=_HELP.get(option, ""))
    logprobs, trust = _dest(Sampling, "logprobs"), _dest(Serving, "trust_remote_code")
    add("--no-logprobs", dest=logprobs, action="store_false", help="do not request log-probabilities")
    add("--trust-remote-code", dest=trust, action="store_true", help="run code that comes with the model")
    parser.add_argument("--template-for", action="append", default=[], metavar="KIND=TEXT", help="for one answer kind")
    parser.add_argument("--server-arguments", default="", metavar="TEXT", help="more arguments of vLLM, in one text")
    parser.add_argument("--target", metavar="NAME", help="the answers are a target's: one per item")
    parser.add_argument("--items", metavar="FILE", help="only these items: a label request, or an id a line")


def spec_of(options: argparse.Namespace, digest: str, items: tuple[str, ...] | None = None) -> JobSpec:
    """The job that parsed options describe.

    Parameters
    ----------
    options : argparse.Namespace
        What a parser with :func:`add_options` returned.
    digest : str
        Of the pool.
    items : tuple of str, optional
        Ids of the items; None: all.

    Raises
    ------
    SurrogateError
        The options contradict each other, or one makes no sense.
    """
    values = {part: _values(options, part) for part in _PARTS}
    served = values[Serving].get("model")
    if served is not None and "base_url" in values[Connection]:
        raise SurrogateError("Give either --base-url or --serve: one server is enough.")
    model = options.model or served
    if model is None:
        raise SurrogateError("Name the model with --model.")
    if options.target is not None:
        values[Sampling].setdefault("k", 1)
    values[Prompting]["templates"] = tuple(_template(text) for text in options.template_for)
    values[Serving]["arguments"] = _words(options.server_arguments)
    return JobSpec(
        digest,
        model,
        Connection(**values[Connection]),
        None if served is None else Serving(**values[Serving]),
        Sampling(**values[Sampling]),
        Prompting(**values[Prompting]),
        Prices(**values[Prices]),
        options.target,
        items,
    )


def arguments(spec: JobSpec) -> list[str]:
    """The options that :func:`spec_of` makes the job from, pool and items apart; defaults are left out."""
    serving = spec.serving
    words = [] if serving is not None and serving.model == spec.model else [f"--model={spec.model}"]
    parts: tuple[Any, ...] = (spec.connection, serving, spec.sampling, spec.prompting, spec.prices)
    for part in filter(None, parts):
        for field, option in _options(type(part)):
            value = getattr(part, field.name)
            default = 1 if spec.target is not None and option == "--k" else field.default
            if value != default:
                words.append(f"{option}={_NONE if value is None else value}")
    words += [] if spec.sampling.logprobs else ["--no-logprobs"]
    words += [f"--template-for={kind}={template}" for kind, template in spec.prompting.templates]
    if serving is not None:
        words += ["--trust-remote-code"] if serving.trust_remote_code else []
        words += [f"--server-arguments={shlex.join(serving.arguments)}"] if serving.arguments else []
    return words + ([f"--target={spec.target}"] if spec.target is not None else [])


def command_line(spec: JobSpec, pool: str | None = None) -> str:
    """The command to type, in the folder of this program.

    Parameters
    ----------
    spec : JobSpec
        The job; where it has items, their ids are to be in ``items.txt``.
    pool : str, optional
        The pool's file there; by default the beginning of its digest, for this machine.
    """
    words = ["python", "-m", "core.surrogate", "run", f"--pool={pool or spec.digest[:16]}", *arguments(spec)]
    return shlex.join(words if spec.items is None else [*words, "--items=items.txt"])


def _options(part: type[Any]) -> Iterator[tuple[Field[Any], str]]:
    """The fields of a part that are options of one value, and the options."""
    for field in fields(part):
        option = _NAMES.get((part, field.name), f"--{field.name.replace('_', '-')}")
        if option is not None:
            yield field, option


def _values(options: argparse.Namespace, part: type[Any]) -> dict[str, Any]:
    """The fields of a part whose options are given."""
    names = {_dest(part, field.name): field.name for field in fields(part)}
    return {names[dest]: value for dest, value in vars(options).items() if dest in names}


def _dest(part: type[Any], field: str) -> str:
    return f"{part.__name__}.{field}"


def _reader(kind: type[Any]) -> Any:
    def read(text: str) -> Any:
        # Of texts, "none" is one like any other: those that may be absent are absent by default.
        return None if text == _NONE and kind is not str else kind(text)

    read.__name__ = {int: "whole number", float: "number", str: "text"}[kind]
    return read


def _template(text: str) -> tuple[str, str]:
    kind, mark, template = text.partition("=")
    if not mark:
        raise SurrogateError("Write --template-for as KIND=TEXT, for instance number='{question}'.")
    return kind, template


def _words(text: str) -> tuple[str, ...]:
    """Words as a shell would split them; no shell is involved."""
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise SurrogateError(f"The arguments for vLLM cannot be split ({error}).") from error
