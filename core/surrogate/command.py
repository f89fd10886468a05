"""A job as a command line, and back: what the page starts is what it shows, and what runs on another machine.

No option takes a key; ``--key-variable`` names the environment variable that holds it.
"""

from __future__ import annotations

import argparse
import shlex
from dataclasses import fields
from typing import Any

from core.surrogate.faults import SurrogateError
from core.surrogate.job.settings import Connection, JobSpec, Prices, Prompting, Sampling, Serving

MODULE = ("python", "-m", "core.surrogate")

# (part of the job, its field) → option. What is not here has an option of its own below.
_OPTIONS: dict[tuple[type[Any], str], str] = {
    (Sampling, "k"): "--k",
    (Sampling, "temperature"): "--temperature",
    (Sampling, "top_p"): "--top-p",
    (Sampling, "top_k"): "--top-k",
    (Sampling, "presence_penalty"): "--presence-penalty",
    (Sampling, "repetition_penalty"): "--repetition-penalty",
    (Sampling, "max_tokens"): "--max-tokens",
    (Sampling, "seed"): "--seed",
    (Sampling, "extra"): "--extra",
    (Connection, "base_url"): "--base-url",
    (Connection, "concurrency"): "--concurrency",
    (Connection, "timeout"): "--timeout",
    (Connection, "attempts"): "--attempts",
    (Connection, "backoff"): "--backoff",
    (Connection, "patience"): "--patience",
    (Connection, "key_variable"): "--key-variable",
    (Serving, "model"): "--serve",
    (Serving, "tensor_parallel"): "--tensor-parallel",
    (Serving, "data_parallel"): "--data-parallel",
    (Serving, "dtype"): "--dtype",
    (Serving, "quantization"): "--quantization",
    (Serving, "max_model_length"): "--max-model-len",
    (Serving, "gpu_memory"): "--gpu-memory",
    (Serving, "start_timeout"): "--start-timeout",
    (Prompting, "system"): "--system",
    (Prompting, "template"): "--template",
    (Prompting, "images"): "--images",
    (Prompting, "max_image_megabytes"): "--max-image-mb",
    (Prompting, "max_image_side"): "--max-image-side",
    (Prices, "prompt"): "--price-prompt",
    (Prices, "completion"): "--price-completion",
}
_HELP = {
    "--k": "generations per item",
    "--extra": "further fields of the request, a JSON object",
    "--base-url": "address of a server that runs already (…/v1)",
    "--serve": "start vLLM with this model, a name on the Hub or a folder",
    "--concurrency": "requests at a time",
    "--timeout": "seconds for one request",
    "--attempts": "tries of one request",
    "--patience": "seconds without any answer after which a server counts as gone",
    "--key-variable": "environment variable that holds the key (default NEYMAN_API_KEY)",
    "--template": "of the question; fields {question}, {choices}, {instruction}",
    "--images": "folder that the paths of images are relative to",
    "--price-prompt": "per million tokens of prompts",
    "--price-completion": "per million tokens of completions",
    "--seed": "makes a run repeatable, and slower",
}
_NONE = "none"
_NOTHING = object()


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that make a job."""
    parser.add_argument("--model", help="as the server calls it (default: the model that is served)")
    for (part, name), option in _OPTIONS.items():
        kind = _kind(part, name)
        metavar = {int: "N", float: "X", str: "TEXT"}[kind]
        described = _HELP.get(option, "")
        parser.add_argument(option, type=_reader(kind), default=None, metavar=metavar, help=described)
    parser.add_argument("--no-logprobs", action="store_true", help="do not ask for log-probabilities")
    parser.add_argument("--template-for", action="append", default=[], metavar="KIND=TEXT", help="for one answer kind")
    parser.add_argument("--trust-remote-code", action="store_true", help="run code that comes with the model")
    parser.add_argument("--server-arguments", default="", metavar="TEXT", help="more arguments of vLLM, in one text")
    parser.add_argument("--target", metavar="NAME", help="these are a target's answers: one per item")
    parser.add_argument("--items", metavar="FILE", help="only these items: a label request, or an id a line")


def spec_of(options: argparse.Namespace, digest: str, items: tuple[str, ...] | None = None) -> JobSpec:
    """The job that parsed options describe.

    Raises
    ------
    SurrogateError : they contradict each other.
    """
    if options.serve is not None and options.base_url is not None:
        raise SurrogateError("Give either --base-url or --serve: one server is enough.")
    model = options.model or options.serve
    if model is None:
        raise SurrogateError("Name the model with --model.")
    values = {part: _given(options, part) for part in (Sampling, Connection, Serving, Prompting, Prices)}
    if options.target is not None:
        values[Sampling].setdefault("k", 1)
    values[Sampling]["logprobs"] = not options.no_logprobs
    values[Prompting]["templates"] = tuple(_template(text) for text in options.template_for)
    serving = None
    if options.serve is not None:
        values[Serving] |= {
            "trust_remote_code": options.trust_remote_code,
            "arguments": tuple(_words(options.server_arguments)),
        }
        serving = Serving(**values[Serving])
    return JobSpec(
        digest,
        model,
        Connection(**values[Connection]),
        serving,
        Sampling(**values[Sampling]),
        Prompting(**values[Prompting]),
        Prices(**values[Prices]),
        options.target,
        items,
    )


def arguments(spec: JobSpec) -> list[str]:
    """The options that :func:`spec_of` makes the job from, pool and items apart; defaults are left out."""
    words = [] if spec.serving is not None and spec.serving.model == spec.model else [f"--model={spec.model}"]
    parts: tuple[Any, ...] = (spec.connection, spec.serving, spec.sampling, spec.prompting, spec.prices)
    for part in parts:
        for field in fields(part) if part is not None else ():
            option = _OPTIONS.get((type(part), field.name))
            value = getattr(part, field.name)
            default = 1 if spec.target is not None and option == "--k" else field.default
            if option is not None and value != default:
                words.append(f"{option}={_NONE if value is None else value}")
    words += [] if spec.sampling.logprobs else ["--no-logprobs"]
    words += [f"--template-for={kind}={template}" for kind, template in spec.prompting.templates]
    if spec.serving is not None:
        words += ["--trust-remote-code"] if spec.serving.trust_remote_code else []
        words += [f"--server-arguments={shlex.join(spec.serving.arguments)}"] if spec.serving.arguments else []
    return words + ([f"--target={spec.target}"] if spec.target is not None else [])


def command_line(spec: JobSpec, pool: str | None = None, items: str | None = None) -> str:
    """The command to type, in a folder that holds this program.

    Parameters
    ----------
    pool : its file there; by default the beginning of its digest, for this machine.
    items : the file with the items' ids, where the job has such.
    """
    words = [*MODULE, "run", f"--pool={pool or spec.digest[:16]}", *arguments(spec)]
    if spec.items is not None:
        words.append(f"--items={items or 'items.txt'}")
    return shlex.join(words)


def _given(options: argparse.Namespace, part: type[Any]) -> dict[str, Any]:
    """Fields of a part that were given, "none" as None."""
    found = {}
    for (owner, name), option in _OPTIONS.items():
        value = getattr(options, option.removeprefix("--").replace("-", "_"))
        if owner is part and value is not None:
            found[name] = None if value is _NOTHING else value
    return found


def _kind(part: type[Any], name: str) -> type[Any]:
    declared = next(str(field.type) for field in fields(part) if field.name == name)
    return {"int": int, "float": float, "str": str}[declared.split(" ")[0]]


def _reader(kind: type[Any]) -> Any:
    def read(text: str) -> Any:
        # Of texts, "none" is one like any other: those that may be absent are absent by default.
        return _NOTHING if text == _NONE and kind is not str else kind(text)

    read.__name__ = {int: "whole number", float: "number", str: "text"}[kind]
    return read


def _template(text: str) -> tuple[str, str]:
    kind, mark, template = text.partition("=")
    if not mark:
        raise SurrogateError("Write --template-for as KIND=TEXT, for instance number='{question}'.")
    return kind, template


def _words(text: str) -> list[str]:
    """Words as a shell would split them; no shell is involved."""
    try:
        return shlex.split(text)
    except ValueError as error:
        raise SurrogateError(f"The arguments for vLLM cannot be split ({error}).") from error
