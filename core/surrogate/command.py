"""A job as a command line, and back: what a page shows runs on another machine too.

No option takes a key; ``--key-variable`` names the environment variable that holds it.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Collection, Iterator
from dataclasses import Field, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, get_args, get_type_hints

from ..answers.equivalence import RULES
from ..words import shell_line
from .faults import SurrogateError
from .job.parameters import (
    ANSWER_TOKENS,
    JUDGING,
    THINKING_TOKENS,
    VERDICT_SAMPLING,
    WIDTH,
    Connection,
    Grouping,
    Prices,
    Prompting,
    Sampling,
    Serving,
)
from .job.presets import PRESETS
from .job.shards import shard_of
from .job.spec import WEIGHTS, JobSpec

_OPERATION: tuple[type[Any], ...] = (Connection, Serving, Prices)
_PARTS: tuple[type[Any], ...] = (Sampling, Connection, Serving, Prompting, Prices)
# Fields whose option is not simply named like them; None: not an option of one value, see below.
_NAMES: dict[tuple[type[Any], str], str | None] = {
    (Sampling, "logprobs"): None,
    (Sampling, "thinking"): None,
    (Sampling, "repetition_detection"): None,
    (Connection, "base_urls"): None,
    (Serving, "model"): "--serve",
    (Serving, "max_model_length"): "--max-model-len",
    (Serving, "trust_remote_code"): None,
    (Serving, "arguments"): None,
    (Prompting, "templates"): None,
    (Prompting, "shots"): None,
    (Prompting, "base_model"): None,
    (Prompting, "letters_only"): None,
    (Prompting, "max_image_megabytes"): "--max-image-mb",
    (Prices, "prompt"): "--price-prompt",
    (Prices, "completion"): "--price-completion",
}
_HELP = {
    "--k": "generations per item",
    "--temperature": "how much the answers to an item may differ, 0 to 2 (none: the server decides)",
    "--top-p": "sample from the likeliest tokens with this total probability (none: the server decides)",
    "--top-k": "sample from this many of the likeliest tokens (none: the server decides)",
    "--presence-penalty": "above 0, tokens that an answer already has become rarer",
    "--repetition-penalty": "above 1, repeated tokens become rarer, those of the prompt included",
    "--seed": "make the run repeatable, and slower",
    "--extra": "further fields of the request, a JSON object",
    "--concurrency": f"requests at a time to each address (default {WIDTH}; with --serve as many as keep vLLM busy)",
    "--timeout": "seconds for one request",
    "--attempts": "how often one request is tried",
    "--backoff": "seconds before the second try of a request; each further pause is twice as long",
    "--patience": "seconds after the first refused connection until a server counts as gone",
    "--pause-share": "pause when more than this share of the last 50 items failed (1: never)",
    "--drain": "seconds that answers under way may take when the run ends early",
    "--key-variable": "environment variable with the key (default NEYMAN_API_KEY)",
    "--serve": "start vLLM with this model, a name on the Hub or a folder",
    "--revision": "branch, tag or commit of the model on the Hub",
    "--tensor-parallel": "GPUs that share one copy of the model",
    "--data-parallel": "copies of the model, each on separate GPUs",
    "--dtype": "number format of the weights, as vLLM calls it, such as bfloat16",
    "--quantization": "how the weights are quantized, as vLLM calls it, such as awq",
    "--max-model-len": "longest prompt and answer together, in tokens",
    "--gpu-memory": "share of each GPU’s memory that vLLM may use",
    "--start-timeout": "seconds that vLLM may take to start",
    "--system": "system prompt, before the first question",
    "--template": "template of the question; fields {question}, {choices}, {instruction}",
    "--images": "folder that the paths of images are relative to",
    "--max-image-mb": "largest image that is sent, in megabytes",
    "--max-image-side": "most pixels of the longer side of an image that is sent",
    "--price-prompt": "price per million tokens of prompts",
    "--price-completion": "price per million tokens of completions",
    "--max-tokens": f"most tokens in a generation, reasoning included (default {ANSWER_TOKENS:,}, with --thinking on"
    f" {THINKING_TOKENS:,}; none: no limit)",
    "--max-num-seqs": "most sequences that vLLM works on at a time (default: vLLM decides)",
    "--max-cost": "pause before the job costs more",
    "--max-total-tokens": "pause before the job takes more, prompts and completions together",
}
# Fields without a meaning if a model groups answers.
_NOT_OF_GROUPINGS = ("k", "logprobs")
_BASE, _LETTERS = "--base-model", "--letters-only"
_THINKING, _NO_DETECTION = "--thinking", "--no-repetition-detection"
_MODELS_DEFAULT = "default"
_ADDRESS, _TRUST, _ARGUMENTS = "--base-url", "--trust-remote-code", "--server-arguments"
_NONE = "none"
_TWO_SERVERS = "Give either --base-url or --serve: one server is enough."
_NOT_SERVED = "{} is for a server that Neyman starts: give --serve, or leave it out."


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that describe a job."""
    parser.add_argument("--model", help="its name on the server (default: the model that is served)")
    for part in _PARTS:
        _add_fields(parser, part)
    parser.add_argument(
        "--template-for", action="append", default=[], metavar="KIND=TEXT", help="template for one answer kind"
    )
    parser.add_argument(
        "--shots", metavar="FILE", help="examples before each item: JSON Lines with prompt, answer and maybe choices"
    )
    parser.add_argument(
        "--preset",
        choices=tuple(PRESETS),
        help="sampling settings of a family of models; other options override them",
    )
    parser.add_argument("--target", metavar="NAME", help="the answers are those of the model to evaluate: one per item")
    parser.add_argument("--items", metavar="FILE", help="only these items: a label request, or one id per line")
    parser.add_argument(
        "--judge", metavar="TARGET", help="judge whether this target's answers are right, and how surely"
    )
    add_shard_option(parser)


def add_grouping_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that describe a job that groups answers by meaning."""
    add = partial(parser.add_argument, default=argparse.SUPPRESS)
    parser.add_argument("--model", help="name of the judge on the server (default: the model that is served)")
    add(
        "--rule",
        dest=_dest(Grouping, "rule"),
        choices=RULES,
        help="strict (default): each answer entails the other; "
        "lenient: neither contradicts the other, and not both are neutral",
    )
    add(
        "--parser",
        dest=_dest(Grouping, "parser"),
        metavar="KIND",
        help="how texts become answers (default: each item's own answer kind)",
    )
    add(
        "--place",
        dest=_dest(Grouping, "targets"),
        action="append",
        metavar="TARGET",
        help="place this target's answers among the classes; may be repeated",
    )
    parser.add_argument(
        "--prompt", type=Path, metavar="FILE", help="the judge's question, a text with {question}, {first} and {second}"
    )
    one_word = "the server holds the judge to one of the three words (vLLM)"
    add(_LETTERS, dest=_dest(Prompting, "letters_only"), action="store_true", help=one_word)
    for part in (Sampling, Connection, Serving, Prices):
        _add_fields(parser, part, _NOT_OF_GROUPINGS)
    for name, text in (("system", _HELP["--system"]), ("template", "as --prompt")):
        add(f"--{name}", dest=_dest(Prompting, name), metavar="TEXT", help=text)


def add_shard_option(parser: argparse.ArgumentParser) -> None:
    """Add the option that names a shard, and so the home that it has to itself."""
    parser.add_argument(
        "--shard", metavar="I/N", help="only this part of the items, from 0/N (default: the task of a Slurm array)"
    )


def add_operation_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that may change from one start of a job to the next."""
    for part in _OPERATION:
        _add_fields(parser, part, WEIGHTS)


def _add_fields(parser: argparse.ArgumentParser, part: type[Any], without: Collection[str] = ()) -> None:
    # An option that is not given sets nothing, so that the field's own default holds.
    add = partial(parser.add_argument, default=argparse.SUPPRESS)
    kinds = get_type_hints(part)
    for field, option in _options(part):
        if field.name not in without:
            kind = next(kind for kind in (float, int, str) if kind in (kinds[field.name], *get_args(kinds[field.name])))
            metavar = {int: "N", float: "X", str: "TEXT"}[kind]
            add(option, dest=_dest(part, field.name), type=_reader(kind), metavar=metavar, help=_HELP[option])
    if part is Sampling and "logprobs" not in without:
        add(
            "--no-logprobs", dest=_dest(part, "logprobs"), action="store_false", help="do not request log-probabilities"
        )
    if part is Sampling:
        add(
            _THINKING,
            dest=_dest(part, "thinking"),
            type=_thinking,
            metavar="on|off|default",
            help="whether the model thinks before it answers, by its chat template (default: as the model does)",
        )
        text = "let a generation repeat itself up to the token limit (vLLM would end it)"
        add(_NO_DETECTION, dest=_dest(part, "repetition_detection"), action="store_false", help=text)
    if part is Prompting:
        base, letters = _dest(part, "base_model"), _dest(part, "letters_only")
        add(_BASE, dest=base, action="store_true", help="the model continues a text, by the completions endpoint")
        add(_LETTERS, dest=letters, action="store_true", help="items with options are answered with a letter alone")
    if part is Connection:
        text = "address of a server that is running (…/v1); may be repeated for several servers of the same model"
        add(_ADDRESS, dest=_dest(part, "base_urls"), action="append", metavar="URL", help=text)
    if part is Serving:
        trust, words = _dest(part, "trust_remote_code"), _dest(part, "arguments")
        add(_TRUST, dest=trust, action="store_true", help="run code that comes with the model")
        add(_ARGUMENTS, dest=words, type=_words, metavar="TEXT", help="more arguments of vLLM, in one text")


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
    if options.preset is not None:
        values[Sampling] = {**PRESETS[options.preset], **values[Sampling]}
    model, served = _model_of(options, values)
    if options.target is not None:
        values[Sampling].setdefault("k", 1)
    if options.judge is not None:
        values[Sampling] = {"k": 1, "extra": JUDGING, **values[Sampling]}
    if options.shots:
        # It takes memory that a worker without examples does not need.
        from .job.selection import read_shots

        values[Prompting]["shots"] = read_shots(Path(options.shots))
    values[Prompting]["templates"] = tuple(_template(text) for text in options.template_for)
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
        shard_of(options.shard, {}),
        judge=options.judge,
    )


def grouping_spec_of(options: argparse.Namespace, digest: str) -> JobSpec:
    """The job that options of :func:`add_grouping_options` describe; parameters and errors as :func:`spec_of`."""
    values = {part: _values(options, part) for part in _PARTS}
    model, served = _model_of(options, values)
    if options.prompt is not None:
        values[Prompting]["template"] = _text_of(options.prompt)
    if values[Sampling].get("thinking") == "on":
        values[Sampling].setdefault("max_tokens", THINKING_TOKENS)
    return JobSpec(
        digest,
        model,
        Connection(**values[Connection]),
        None if served is None else Serving(**values[Serving]),
        replace(VERDICT_SAMPLING, **values[Sampling]),
        Prompting(**values[Prompting]),
        Prices(**values[Prices]),
        grouping=grouping_of(options),
    )


def grouping_of(options: argparse.Namespace) -> Grouping:
    """How options of :func:`add_grouping_options` group answers.

    Raises
    ------
    SurrogateError
        One makes no sense.
    """
    return Grouping(**_values(options, Grouping))


def sampling_given(options: argparse.Namespace) -> frozenset[str]:
    """Return the names of the sampling settings that parsed options set, those of a preset apart."""
    return frozenset(_values(options, Sampling))


def revised(spec: JobSpec, options: argparse.Namespace) -> JobSpec:
    """The job with the operation that parsed options describe.

    Parameters
    ----------
    spec : JobSpec
        The job so far.
    options : argparse.Namespace
        What a parser with :func:`add_operation_options` returned; what was not given stays.

    Raises
    ------
    SurrogateError
        The options contradict each other or the job, or one makes no sense.
    """
    values = {part: _values(options, part) for part in _OPERATION}
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


def changes(before: JobSpec, after: JobSpec) -> list[str]:
    """What of a job's operation differs, each as “--option before → after”."""
    old, new = _operation(before), _operation(after)
    return [
        f"{option} {old.get(option, _NONE)} → {new.get(option, _NONE)}"
        for option in dict.fromkeys([*old, *new])
        if old.get(option) != new.get(option)
    ]


def _operation(spec: JobSpec) -> dict[str, str]:
    """Option → value of all that may change from one start of a job to the next, as far as it is set."""
    parts: tuple[Any, ...] = (spec.connection, spec.serving, spec.prices)
    values = {
        option: getattr(part, field.name)
        for part in filter(None, parts)
        for field, option in _options(type(part))
        if field.name not in WEIGHTS
    }
    values[_ADDRESS] = ", ".join(spec.connection.base_urls) or None
    if spec.serving is not None:
        values[_ARGUMENTS] = shlex.join(spec.serving.arguments) or None
        values[_TRUST] = "on" if spec.serving.trust_remote_code else None
    return {option: str(value) for option, value in values.items() if value is not None}


def arguments(spec: JobSpec) -> list[str]:
    """The options that :func:`spec_of` makes the job from, pool and items apart; defaults are left out."""
    serving = spec.serving
    words = [] if serving is not None and serving.model == spec.model else [f"--model={spec.model}"]
    words += [f"{_ADDRESS}={url}" for url in spec.connection.base_urls]
    parts: tuple[Any, ...] = (spec.connection, serving, spec.sampling, spec.prompting, spec.prices)
    for part in filter(None, parts):
        for field, option in _options(type(part)):
            value = getattr(part, field.name)
            if spec.grouping is not None and part is spec.sampling:
                if value != getattr(VERDICT_SAMPLING, field.name):
                    words.append(f"{option}={_NONE if value is None else value}")
                continue
            default = 1 if option == "--k" and (spec.target or spec.judge) is not None else field.default
            default = JUDGING if option == "--extra" and spec.judge is not None else default
            if option == "--max-tokens":
                default = Sampling(extra=spec.sampling.extra, thinking=spec.sampling.thinking).max_tokens
            if value != default:
                words.append(f"{option}={_NONE if value is None else value}")
    words += [] if spec.sampling.logprobs or spec.grouping is not None else ["--no-logprobs"]
    words += [] if spec.sampling.thinking is None else [f"{_THINKING}={spec.sampling.thinking}"]
    words += [] if spec.sampling.repetition_detection or spec.grouping is not None else [_NO_DETECTION]
    words += [_BASE] if spec.prompting.base_model else []
    words += [_LETTERS] if spec.prompting.letters_only else []
    words += [f"--template-for={kind}={template}" for kind, template in spec.prompting.templates]
    if serving is not None:
        words += [_TRUST] if serving.trust_remote_code else []
        words += [f"{_ARGUMENTS}={shlex.join(serving.arguments)}"] if serving.arguments else []
    if spec.grouping is not None:
        words += [f"--rule={spec.grouping.rule}"]
        words += [] if spec.grouping.parser is None else [f"--parser={spec.grouping.parser}"]
        words += [f"--place={target}" for target in spec.grouping.targets]
    words += [] if spec.judge is None else [f"--judge={spec.judge}"]
    words += [] if spec.shard is None else [f"--shard={spec.shard}"]
    return words + ([f"--target={spec.target}"] if spec.target is not None else [])


def command_line(spec: JobSpec, pool: str | None = None) -> str:
    """The command to type; of a checkout, in its folder.

    Parameters
    ----------
    spec : JobSpec
        The job; if it has items, their ids are to be in ``items.txt``, its examples in ``shots.jsonl``.
    pool : str, optional
        The pool's file there; by default the beginning of its digest, for this machine.
    """
    name = pool or spec.digest[:16]
    start = ["run", f"--pool={name}"] if spec.grouping is None else ["classes", name]
    words = ["python", "-m", "neyman", "surrogate", *start, *arguments(spec)]
    words += ["--shots=shots.jsonl"] if spec.prompting.shots else []
    return shell_line(words if spec.items is None else [*words, "--items=items.txt"])


def _options(part: type[Any]) -> Iterator[tuple[Field[Any], str]]:
    """The fields of a part that are options of one value, and the options."""
    for field in fields(part):
        option = _NAMES.get((part, field.name), f"--{field.name.replace('_', '-')}")
        if option is not None:
            yield field, option


def _values(options: argparse.Namespace, part: type[Any]) -> dict[str, Any]:
    """The fields of a part whose options are given."""
    names = {_dest(part, field.name): field.name for field in fields(part)}
    values = {names[dest]: value for dest, value in vars(options).items() if dest in names}
    return {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}


def _given(values: dict[str, Any]) -> str:
    """The option of the first of these fields of :class:`Serving`."""
    names = {field.name: option for field, option in _options(Serving)}
    names |= {"trust_remote_code": _TRUST, "arguments": _ARGUMENTS}
    return names[next(iter(values))]


def _dest(part: type[Any], field: str) -> str:
    return f"{part.__name__}.{field}"


def _reader(kind: type[Any]) -> Any:
    def read(text: str) -> Any:
        # Of texts, "none" is one like any other: those that may be absent are absent by default.
        return None if text == _NONE and kind is not str else kind(text)

    read.__name__ = {int: "whole number", float: "number", str: "text"}[kind]
    return read


def _thinking(word: str) -> str | None:
    if word not in ("on", "off", _MODELS_DEFAULT):
        raise argparse.ArgumentTypeError(f"“{word}” is not on, off or {_MODELS_DEFAULT}")
    return None if word == _MODELS_DEFAULT else word


def _model_of(options: argparse.Namespace, values: dict[type[Any], dict[str, Any]]) -> tuple[str, str | None]:
    """The model as the server calls it, and what is served here, None if a server is named."""
    served = values[Serving].get("model")
    if served is not None and "base_urls" in values[Connection]:
        raise SurrogateError(_TWO_SERVERS)
    if served is None and values[Serving]:
        raise SurrogateError(_NOT_SERVED.format(_given(values[Serving])))
    model = options.model or served
    if model is None:
        raise SurrogateError("Name the model with --model.")
    return model, served


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


def _words(text: str) -> tuple[str, ...]:
    """Words as a shell would split them; no shell is involved."""
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise SurrogateError(f"The arguments for vLLM cannot be split ({error}).") from error
