"""A job as a command line, and back."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any

import pytest
from cyclopts import UnknownOptionError
from hypothesis import example, given
from hypothesis import strategies as st

from core.surrogate import command
from core.surrogate.faults import SurrogateError
from core.surrogate.job.parameters import (
    JUDGING,
    PRESETS,
    VERDICT_SAMPLING,
    Connection,
    Grouping,
    Prices,
    Prompting,
    Sampling,
    Serving,
)
from core.surrogate.job.spec import JobSpec
from core.surrogate.terminal import description
from core.surrogate.terminal.description import ALL, GroupingOptions, JobOptions, Operation
from core.words.console import command as cyclopts_command
from tests.core.shell import words_of
from tests.core.surrogate.specs import DIGEST, SPECS

# No argument of a program has a zero byte.
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
COMMANDS = SPECS | {
    "shared": JobSpec(DIGEST, "m", Connection(("http://a:1/v1", "http://b:2/v1"), 64)),
    "base": JobSpec(DIGEST, "m", prompting=Prompting(base_model=True)),
    "letters": JobSpec(DIGEST, "m", prompting=Prompting(letters_only=True)),
    "judge": JobSpec(DIGEST, "m", sampling=Sampling(k=1, extra=JUDGING), judge="-gpt-4.1"),
    "judge without more": JobSpec(DIGEST, "m", sampling=Sampling(k=3), judge="gpt-4.1"),
    "revision": JobSpec(DIGEST, "org/m", serving=Serving("org/m", quantization="fp8", revision="refs/pr/3")),
}


def read(words: list[str], run: Callable[..., Any]) -> Any:
    """What a function returns whose parameters are the options in words."""
    app = cyclopts_command("surrogate", "")
    app.default(run)
    return app(words, exit_on_error=False, print_error=False)


def described(*, pool: str = "", options: JobOptions | None = None) -> tuple[str, JobOptions]:
    return pool, options or JobOptions()


def grouped(pool: str, /, options: GroupingOptions | None = None) -> GroupingOptions:
    return options or GroupingOptions()


def operated(settings: Annotated[Operation | None, ALL] = None) -> dict[str, Any]:
    return settings or {}


def parsed(words: list[str]) -> JobOptions:
    options: JobOptions = read(words, described)[1]
    return options


@pytest.mark.parametrize("name", COMMANDS)
def test_a_job_survives_the_command_line_and_json(name: str) -> None:
    spec = COMMANDS[name]
    words = words_of(command.command_line(spec))
    assert words[:5] == ["python", "-m", "neyman", "surrogate", "run"]
    pool, options = read(words[5:], described)
    assert pool == DIGEST[:16]
    assert description.spec_of(options, DIGEST, spec.items) == spec
    assert JobSpec.from_json(spec.to_json()) == spec
    assert JobSpec.from_json(spec.to_json()).key == spec.key


@pytest.mark.parametrize(
    "spec",
    [
        JobSpec(DIGEST, "m", sampling=VERDICT_SAMPLING, grouping=Grouping()),
        JobSpec(
            DIGEST,
            "m",
            Connection(("http://a:1/v1",), 3),
            sampling=replace(VERDICT_SAMPLING, max_tokens=None, top_p=0.5),
            prompting=Prompting("Be strict.", "{question} {first}\n\n{second}", letters_only=True),
            prices=Prices(1.0, 2.0),
            grouping=Grouping("lenient", "text", ("-odd", "a b")),
        ),
        JobSpec(DIGEST, "m", serving=Serving("m"), sampling=VERDICT_SAMPLING, grouping=Grouping(targets=("t",))),
    ],
)
def test_a_grouping_survives_the_command_line_and_json(spec: JobSpec) -> None:
    words = words_of(command.command_line(spec))
    assert words[4:6] == ["classes", DIGEST[:16]]
    assert description.grouping_spec_of(read(words[5:], grouped), DIGEST) == spec
    assert JobSpec.from_json(spec.to_json()) == spec
    assert JobSpec.from_json(spec.to_json()).key == spec.key


@example("none", "none")
@given(TEXT.filter(bool), TEXT)
def test_any_text_survives_the_command_line(system: str, template: str) -> None:
    spec = replace(COMMANDS["plain"], prompting=Prompting(system, template + "{question}"))
    try:
        words = words_of(command.command_line(spec))
    except UnicodeEncodeError:
        return
    assert description.spec_of(parsed(words[5:]), DIGEST) == spec


def operation(words: list[str]) -> dict[str, Any]:
    settings: dict[str, Any] = read(words, operated)
    return settings


@pytest.mark.parametrize(
    ("name", "words", "changes"),
    [
        ("plain", [], []),
        ("plain", ["--base-url=http://127.0.0.1:2/v1"], ["--base-url http://127.0.0.1:1/v1 → http://127.0.0.1:2/v1"]),
        (
            "plain",
            ["--base-url=http://a:1/v1", "--base-url=http://b:1/v1"],
            ["--base-url http://127.0.0.1:1/v1 → http://a:1/v1, http://b:1/v1"],
        ),
        ("plain", ["--concurrency=4", "--price-prompt=2"], ["--concurrency none → 4", "--price-prompt none → 2.0"]),
        (
            "patient",
            ["--price-completion=none", "--timeout=9"],
            ["--timeout 1.5 → 9.0", "--price-completion 2.5 → none"],
        ),
        (
            "served",
            ["--max-model-len=4096", "--server-arguments=--x 'a b'"],
            ["--max-model-len 8192 → 4096", "--server-arguments --enforce-eager 'a b' '$(x)' → --x 'a b'"],
        ),
    ],
)
def test_operation_is_revised_and_nothing_else(name: str, words: list[str], changes: list[str]) -> None:
    spec = COMMANDS[name]
    revised = description.revised(spec, operation(words))
    assert command.changes(spec, revised) == changes
    assert revised.key == spec.key
    assert command.changes(revised, revised) == []


def test_a_job_moves_between_a_server_of_our_own_and_an_address() -> None:
    spec = JobSpec(DIGEST, "org/m", serving=Serving("org/m", max_model_length=4096))
    away = description.revised(spec, operation(["--base-url=http://far:1/v1"]))
    assert (away.serving, away.connection.base_urls, away.key) == (None, ("http://far:1/v1",), spec.key)
    back = description.revised(away, operation(["--serve=org/m", "--max-model-len=4096"]))
    assert back == spec
    assert "--serve none → org/m" in command.changes(away, back)


@pytest.mark.parametrize(
    ("name", "words", "sentence"),
    [
        ("plain", ["--max-model-len=4096"], "--max-model-len is for a server that Neyman starts"),
        ("plain", ["--server-arguments=--x"], "--server-arguments is for a server that Neyman starts"),
        ("plain", ["--serve=m", "--base-url=http://h/v1"], "one server is enough"),
        ("served", ["--trust-remote-code", "--base-url=http://h/v1"], "one server is enough"),
    ],
)
def test_operation_that_contradicts_the_job_is_refused(name: str, words: list[str], sentence: str) -> None:
    with pytest.raises(SurrogateError, match=sentence):
        description.revised(COMMANDS[name], operation(words))


@pytest.mark.parametrize("option", ["--dtype=half", "--revision=v2", "--temperature=1", "--system=x"])
def test_what_decides_the_answers_is_no_operation(option: str) -> None:
    with pytest.raises(UnknownOptionError):
        operation([option])


def test_options_of_a_server_that_is_not_started_are_not_ignored() -> None:
    with pytest.raises(SurrogateError, match="--quantization"):
        description.spec_of(parsed(["--model=m", "--base-url=http://h/v1", "--quantization=fp8"]), DIGEST)


def test_a_preset_is_what_other_options_override() -> None:
    sampling = description.spec_of(parsed(["--model=m", "--preset=gemma3", "--top-p=0.5"]), DIGEST).sampling
    assert (sampling.temperature, sampling.top_p, sampling.top_k, sampling.presence_penalty) == (1.0, 0.5, 64, 0.0)
    assert description.spec_of(parsed(["--model=m", "--preset=paper"]), DIGEST).sampling == Sampling()


@pytest.mark.parametrize(
    ("words", "former"),
    [
        ([], {"max_tokens": None}),
        (["--max-tokens=50"], {"max_tokens": 50}),
        (["--max-tokens=4096"], {"max_tokens": 4096}),
        (["--price-prompt=1", "--price-completion=2"], {"max_tokens": 4096}),
        (["--price-prompt=1", "--price-completion=2"], {"max_tokens": None}),
        (["--preset=qwen3-thinking"], {"max_tokens": None, "thinking": None}),
    ],
)
def test_the_same_words_find_what_an_earlier_version_began(words: list[str], former: dict[str, Any]) -> None:
    options = parsed(["--model=m", "--base-url=http://h/v1", *words])
    spec = description.spec_of(options, DIGEST)
    began = replace(spec, sampling=replace(spec.sampling, repetition_detection=False, **former))
    values = json.loads(began.to_json())
    for name in ("thinking", "repetition_detection"):
        del values["sampling"][name]
    old = JobSpec.from_json(json.dumps(values))
    assert old.key != spec.key and old.key in {
        one.key for one in spec.earlier(description.sampling_given(options.settings))
    }
    identity = old.identity()["sampling"]
    assert not {"thinking", "repetition_detection"} & identity.keys()


def test_words_of_this_version_find_no_run_of_an_earlier_one() -> None:
    limited = parsed(["--model=m", "--base-url=http://h/v1", "--max-tokens=4096"])
    earlier = description.spec_of(limited, DIGEST).earlier(description.sampling_given(limited.settings))
    assert [one.sampling.max_tokens for one in earlier] == [4096]
    thinking = parsed(["--model=m", "--base-url=http://h/v1", "--thinking=on"])
    assert description.spec_of(thinking, DIGEST).earlier(description.sampling_given(thinking.settings)) == ()


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_survives_the_command_line(name: str) -> None:
    spec = JobSpec(DIGEST, "m", sampling=Sampling(**PRESETS[name]))
    assert description.spec_of(parsed(words_of(command.command_line(spec))[5:]), DIGEST) == spec
