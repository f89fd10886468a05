"""A job as a command line, and back."""

from __future__ import annotations

import argparse
import shlex
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.surrogate import command
from core.surrogate.job.spec import Connection, JobSpec, Prices, Prompting, Sampling, Serving

DIGEST = "0123456789abcdef" * 4
SPECS = {
    "plain": JobSpec(DIGEST, "m", Connection("http://127.0.0.1:1/v1")),
    "served": JobSpec(
        DIGEST,
        "Qwen/Qwen3-8B",
        serving=Serving("Qwen/Qwen3-8B", 2, 4, "bfloat16", "fp8", 8192, 0.5, True, ("--enforce-eager", "a b", "$(x)")),
    ),
    "renamed": JobSpec(DIGEST, "short", serving=Serving("/models/some model")),
    "sampling": JobSpec(DIGEST, "m", sampling=Sampling(5, None, 1.0, None, 0.0, None, 64, 9, False, '{"min_p": 0.05}')),
    "prompting": JobSpec(
        DIGEST,
        "m",
        prompting=Prompting(
            "Be\nbrief; 'no' \"quotes\"", "{question} $HOME", (("number", "--{question}\n=1"),), "/img", 5.0, 99
        ),
    ),
    "target": JobSpec(DIGEST, "m", sampling=Sampling(k=1), target="-odd name=", items=("a", "b")),
    "patient": JobSpec(DIGEST, "m", Connection(None, 7, 1.5, 3, 0.0, 9.0, "MY_KEY"), prices=Prices(0.1, 2.5)),
}


def parsed(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--pool")
    command.add_options(parser)
    return parser.parse_args(words)


@pytest.mark.parametrize("name", SPECS)
def test_a_job_survives_the_command_line_and_json(name: str) -> None:
    spec = SPECS[name]
    words = shlex.split(command.command_line(spec))
    assert words[:4] == ["python", "-m", "core.surrogate", "run"]
    options = parsed([word for word in words[4:]])
    assert options.pool == DIGEST[:16]
    assert command.spec_of(options, DIGEST, spec.items) == spec
    assert JobSpec.from_json(spec.to_json()) == spec
    assert JobSpec.from_json(spec.to_json()).key == spec.key


@example("none", "none")
@given(st.text(min_size=1), st.text())
def test_any_text_survives_the_command_line(system: str, template: str) -> None:
    spec = replace(SPECS["plain"], prompting=Prompting(system, template + "{question}"))
    try:
        words = shlex.split(command.command_line(spec))
    except UnicodeEncodeError:
        return
    assert command.spec_of(parsed(words[4:]), DIGEST) == spec
