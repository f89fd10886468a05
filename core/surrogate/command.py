"""A job as a command line, and back: what a page shows runs on another machine too.

No option takes a key; ``--key-variable`` names the environment variable that holds it.
"""

from __future__ import annotations

import shlex
from dataclasses import fields
from typing import Any

from ..words import shell_line
from .job.parameters import (
    ANSWER_TOKENS,
    JUDGING,
    THINKING_TOKENS,
    VERDICT_SAMPLING,
    WIDTH,
    Connection,
    Prices,
    Prompting,
    Sampling,
    Serving,
)
from .job.spec import WEIGHTS, JobSpec

# What the option of each field of a job does.
_HELP: dict[type[Any], dict[str, str]] = {
    Connection: {
        "base_urls": "Address of a server that is running (…/v1); may be repeated for several servers of one model.",
        "concurrency": f"Requests at a time to each address (default {WIDTH}; with --serve as many as keep vLLM busy).",
        "timeout": "Seconds for one request.",
        "attempts": "How often one request is tried.",
        "backoff": "Seconds before the second try of a request; each further pause is twice as long.",
        "patience": "Seconds after the first refused connection until a server counts as gone.",
        "key_variable": "Environment variable with the key (default NEYMAN_API_KEY).",
        "pause_share": "Pause when more than this share of the last 50 items failed (1: never).",
        "drain": "Seconds that answers under way may take when the run ends early.",
    },
    Serving: {
        "model": "Start vLLM with this model, a name on the Hub or a folder.",
        "tensor_parallel": "GPUs that share one copy of the model.",
        "data_parallel": "Copies of the model, each on separate GPUs.",
        "dtype": "Number format of the weights, as vLLM calls it, such as bfloat16.",
        "quantization": "How the weights are quantized, as vLLM calls it, such as awq.",
        "max_model_length": "Longest prompt and answer together, in tokens.",
        "gpu_memory": "Share of each GPU’s memory that vLLM may use.",
        "trust_remote_code": "Run code that comes with the model.",
        "arguments": "More arguments of vLLM, in one text.",
        "start_timeout": "Seconds that vLLM may take to start.",
        "revision": "Branch, tag or commit of the model on the Hub.",
        "max_num_seqs": "Most sequences that vLLM works on at a time (default: vLLM decides).",
    },
    Sampling: {
        "k": "Generations per item.",
        "temperature": "How much the answers to an item may differ, 0 to 2 (none: the server decides).",
        "top_p": "Sample from the likeliest tokens with this total probability (none: the server decides).",
        "top_k": "Sample from this many of the likeliest tokens (none: the server decides).",
        "presence_penalty": "Above 0, tokens that an answer already has become rarer.",
        "repetition_penalty": "Above 1, repeated tokens become rarer, those of the prompt included.",
        "max_tokens": f"Most tokens in a generation, reasoning included (default {ANSWER_TOKENS:,}, with --thinking on"
        f" {THINKING_TOKENS:,}; none: no limit).",
        "seed": "Make the run repeatable, and slower.",
        "logprobs": "Do not request log-probabilities.",
        "extra": "Further fields of the request, a JSON object.",
        "thinking": "Whether the model thinks before it answers, by its chat template (default: as the model does).",
        "repetition_detection": "Let a generation repeat itself up to the token limit (vLLM would end it).",
    },
    Prompting: {
        "system": "System prompt, before the first question.",
        "template": "Template of the question; fields {question}, {choices}, {instruction}.",
        "images": "Folder that the paths of images are relative to.",
        "max_image_megabytes": "Largest image that is sent, in megabytes.",
        "max_image_side": "Most pixels of the longer side of an image that is sent.",
        "base_model": "The model continues a text, by the completions endpoint.",
        "letters_only": "Items with options are answered with a letter alone.",
    },
    Prices: {
        "prompt": "Price per million tokens of prompts.",
        "completion": "Price per million tokens of completions.",
        "max_cost": "Pause before the job costs more.",
        "max_total_tokens": "Pause before the job takes more, prompts and completions together.",
    },
}
# Those whose option is not simply named like them.
_NAMES = {
    (Connection, "base_urls"): "--base-url",
    (Serving, "model"): "--serve",
    (Serving, "max_model_length"): "--max-model-len",
    (Serving, "arguments"): "--server-arguments",
    (Sampling, "logprobs"): "--no-logprobs",
    (Sampling, "repetition_detection"): "--no-repetition-detection",
    (Prompting, "max_image_megabytes"): "--max-image-mb",
    (Prices, "prompt"): "--price-prompt",
    (Prices, "completion"): "--price-completion",
}
OPTIONS = {
    part: {name: (_NAMES.get((part, name), f"--{name.replace('_', '-')}"), text) for name, text in texts.items()}
    for part, texts in _HELP.items()
}
"""The options that describe a run, by part: field of a job → its option, and what the option does."""
NOT_OF_GROUPINGS = ("k", "logprobs", "images", "max_image_megabytes", "max_image_side", "base_model")
"""Fields without a meaning if a model groups answers."""
NONE = "none"


def changes(before: JobSpec, after: JobSpec) -> list[str]:
    """List the differences of a job's operation, each as “--option before → after”."""
    old, new = _operation(before), _operation(after)
    return [
        f"{option} {old.get(option, NONE)} → {new.get(option, NONE)}"
        for option in dict.fromkeys([*old, *new])
        if old.get(option) != new.get(option)
    ]


def _operation(spec: JobSpec) -> dict[str, str]:
    """Option → value of all that may change from one start of a job to the next, as far as it is set."""
    parts: tuple[Any, ...] = (spec.connection, spec.serving, spec.prices)
    values = {
        option: _said(field, getattr(part, field))
        for part in filter(None, parts)
        for field, (option, _) in OPTIONS[type(part)].items()
        if field not in WEIGHTS
    }
    return {option: value for option, value in values.items() if value is not None}


def _said(field: str, value: Any) -> str | None:
    """A value in words; None if it is not set."""
    if isinstance(value, tuple):
        return (", ".join(value) if field == "base_urls" else shlex.join(value)) or None
    return None if value is None or value is False else "on" if value is True else str(value)


def arguments(spec: JobSpec) -> list[str]:
    """The options that :func:`spec_of` makes the job from, pool and items apart; defaults are left out."""
    words = [] if spec.serving is not None and spec.serving.model == spec.model else [f"--model={spec.model}"]
    usual = _usual(spec)
    parts: tuple[Any, ...] = (spec.connection, spec.serving, spec.sampling, spec.prompting, spec.prices)
    for part in filter(None, parts):
        defaults = {field.name: field.default for field in fields(part)}
        for field, (option, _) in OPTIONS[type(part)].items():
            value, default = getattr(part, field), getattr(usual, field) if part is spec.sampling else defaults[field]
            # An option without a value says only what is not the field's own default.
            if value != default and not (isinstance(value, bool) and value == defaults[field]):
                words += _words(option, field, value)
    words += [f"--template-for={kind}={template}" for kind, template in spec.prompting.templates]
    if spec.grouping is not None:
        words += [f"--rule={spec.grouping.rule}"]
        words += [] if spec.grouping.parser is None else [f"--parser={spec.grouping.parser}"]
        words += [f"--place={target}" for target in spec.grouping.targets]
    others = {"--judge": spec.judge, "--shard": spec.shard, "--target": spec.target}
    return words + [f"{option}={value}" for option, value in others.items() if value is not None]


def _usual(spec: JobSpec) -> Sampling:
    """Sampling of a job of this kind if no option sets any."""
    if spec.grouping is not None:
        return VERDICT_SAMPLING
    limit = Sampling(extra=spec.sampling.extra, thinking=spec.sampling.thinking).max_tokens
    k = 10 if (spec.target or spec.judge) is None else 1
    return Sampling(k, extra="{}" if spec.judge is None else JUDGING, max_tokens=limit or 0)


def _words(option: str, field: str, value: Any) -> list[str]:
    """The words that set a field."""
    if field == "base_urls":
        return [f"{option}={url}" for url in value]
    if field == "arguments":
        value = shlex.join(value)
    return [option] if isinstance(value, bool) else [f"{option}={NONE if value is None else value}"]


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
