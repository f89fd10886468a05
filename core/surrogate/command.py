"""A job as a command line, and back: what a page shows runs on another machine too.

No option takes a key; ``--key-variable`` names the environment variable that holds it.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import Field, fields
from typing import Any

from ..words import shell_line
from .job.parameters import (
    JUDGING,
    VERDICT_SAMPLING,
    Prices,
    Prompting,
    Sampling,
    Serving,
)
from .job.spec import WEIGHTS, JobSpec

# Fields whose option is not simply named like them; None: not an option of any word, see below.
_NAMES: dict[tuple[type[Any], str], str | None] = {
    (Sampling, "thinking"): None,
    (Serving, "model"): "--serve",
    (Serving, "max_model_length"): "--max-model-len",
    (Prompting, "max_image_megabytes"): "--max-image-mb",
    (Prices, "prompt"): "--price-prompt",
    (Prices, "completion"): "--price-completion",
}
BASE, LETTERS = "--base-model", "--letters-only"
THINKING, NO_DETECTION, NO_LOGPROBS = "--thinking", "--no-repetition-detection", "--no-logprobs"
ADDRESS, TRUST, ARGUMENTS = "--base-url", "--trust-remote-code", "--server-arguments"
NONE = "none"


def changes(before: JobSpec, after: JobSpec) -> list[str]:
    """What of a job's operation differs, each as “--option before → after”."""
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
        option: getattr(part, field.name)
        for part in filter(None, parts)
        for field, option in options_of(type(part))
        if field.name not in WEIGHTS
    }
    values[ADDRESS] = ", ".join(spec.connection.base_urls) or None
    if spec.serving is not None:
        values[ARGUMENTS] = shlex.join(spec.serving.arguments) or None
        values[TRUST] = "on" if spec.serving.trust_remote_code else None
    return {option: str(value) for option, value in values.items() if value is not None}


def arguments(spec: JobSpec) -> list[str]:
    """The options that :func:`spec_of` makes the job from, pool and items apart; defaults are left out."""
    serving = spec.serving
    words = [] if serving is not None and serving.model == spec.model else [f"--model={spec.model}"]
    words += [f"{ADDRESS}={url}" for url in spec.connection.base_urls]
    parts: tuple[Any, ...] = (spec.connection, serving, spec.sampling, spec.prompting, spec.prices)
    for part in filter(None, parts):
        for field, option in options_of(type(part)):
            value = getattr(part, field.name)
            if spec.grouping is not None and part is spec.sampling:
                if value != getattr(VERDICT_SAMPLING, field.name):
                    words.append(f"{option}={NONE if value is None else value}")
                continue
            default = 1 if option == "--k" and (spec.target or spec.judge) is not None else field.default
            default = JUDGING if option == "--extra" and spec.judge is not None else default
            if option == "--max-tokens":
                default = Sampling(extra=spec.sampling.extra, thinking=spec.sampling.thinking).max_tokens
            if value != default:
                words.append(f"{option}={NONE if value is None else value}")
    words += [] if spec.sampling.logprobs or spec.grouping is not None else [NO_LOGPROBS]
    words += [] if spec.sampling.thinking is None else [f"{THINKING}={spec.sampling.thinking}"]
    words += [] if spec.sampling.repetition_detection or spec.grouping is not None else [NO_DETECTION]
    words += [BASE] if spec.prompting.base_model else []
    words += [LETTERS] if spec.prompting.letters_only else []
    words += [f"--template-for={kind}={template}" for kind, template in spec.prompting.templates]
    if serving is not None:
        words += [TRUST] if serving.trust_remote_code else []
        words += [f"{ARGUMENTS}={shlex.join(serving.arguments)}"] if serving.arguments else []
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


def options_of(part: type[Any]) -> Iterator[tuple[Field[Any], str]]:
    """The fields of a part that are options of one value, and the options."""
    for field in fields(part):
        option = _NAMES.get((part, field.name), f"--{field.name.replace('_', '-')}")
        if option is not None and not isinstance(field.default, bool | tuple):
            yield field, option
