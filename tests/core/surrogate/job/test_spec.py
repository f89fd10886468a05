"""A job's parameters: what is refused, its key, its JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from core.surrogate.faults import SurrogateError
from core.surrogate.job.parameters import Connection, Prices, Prompting, Sampling, Serving, Shot
from core.surrogate.job.spec import JobSpec
from tests.core.surrogate.specs import DIGEST, SPECS


def test_remarks_tell_what_a_user_may_not_expect() -> None:
    quiet = SPECS["plain"]
    assert quiet.remarks() == []
    assert quiet.connection.base_urls
    far = replace(quiet, connection=Connection(("http://far.example/v1",)))
    for spec, word in (
        (replace(quiet, sampling=Sampling(temperature=0.0)), "temperature 0"),
        (replace(quiet, sampling=Sampling(k=1)), "one generation"),
        (far, "not encrypted"),
        (SPECS["served"], "Code that comes with the model"),
    ):
        (remark,) = spec.remarks()
        assert word in remark


SERVED = JobSpec(DIGEST, "m", serving=Serving("m"))


@pytest.mark.parametrize(
    "same",
    [
        JobSpec(DIGEST, "m", Connection(("http://127.0.0.1:1/v1",))),
        JobSpec(DIGEST, "m", Connection(("http://127.0.0.1:2/v1",), 3, 5.0, 2, 1.0, 9.0, "MY_KEY")),
        replace(SERVED, prices=Prices(1.0, 1.0)),
        JobSpec(DIGEST, "m", serving=Serving("m", 2, 2, max_model_length=4096, gpu_memory=0.5, start_timeout=9.0)),
        JobSpec(DIGEST, "m", serving=Serving("m", trust_remote_code=True, arguments=("--enforce-eager", "--seed=1"))),
    ],
)
def test_how_a_job_is_run_is_no_part_of_its_key(same: JobSpec) -> None:
    assert same.key == SERVED.key


def test_what_decides_the_answers_is_the_key() -> None:
    others = (
        SERVED,
        replace(SERVED, model="n"),
        replace(SERVED, digest=DIGEST[::-1]),
        replace(SERVED, sampling=Sampling(temperature=0.8)),
        replace(SERVED, sampling=Sampling(k=1), target="t"),
        replace(SERVED, sampling=Sampling(k=1), target="u"),
        replace(SERVED, sampling=Sampling(k=1)),
        replace(SERVED, prompting=Prompting("Be brief.")),
        replace(SERVED, prompting=Prompting(base_model=True)),
        replace(SERVED, prompting=Prompting(letters_only=True)),
        replace(SERVED, prompting=Prompting(shots=(Shot("q", "a"),))),
        replace(SERVED, items=("a",)),
        *(
            replace(SERVED, serving=serving)
            for serving in (
                Serving("another/model"),
                Serving("m", dtype="bfloat16"),
                Serving("m", quantization="fp8"),
                Serving("m", revision="v2"),
                Serving("m", revision="refs/pr/3"),
                Serving("m", arguments=("--kv-cache-dtype", "fp8")),
                Serving("m", arguments=("--kv_cache_dtype=fp8_e5m2",)),
                Serving("m", arguments=("--chat-template", "a.jinja")),
            )
        ),
    )
    assert len({job.key for job in others}) == len(others)


def test_the_order_and_spelling_of_arguments_is_no_part_of_the_key() -> None:
    ways = (
        ("--dtype", "half", "--tokenizer-mode", "slow", "--enforce-eager"),
        ("--enforce-eager", "--tokenizer_mode=slow", "--dtype=half"),
    )
    first, second = (replace(SERVED, serving=Serving("m", arguments=arguments)) for arguments in ways)
    assert first.key == second.key != SERVED.key


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Sampling(k=0), "generations .* at least 1. Found 0"),
        (lambda: Sampling(k=True), "whole number"),
        (lambda: Sampling(temperature=float("nan")), "temperature"),
        (lambda: Sampling(top_p=0.0), "above 0"),
        (lambda: Sampling(extra="{"), "not JSON"),
        (lambda: Sampling(extra="[]"), "not a JSON object"),
        (lambda: Sampling(extra='{"n": 3, "stream": true}'), "n, stream"),
        (lambda: Sampling(k=0, temperature=3.0, seed=-1), "generations .*temperature .* at most 2.*seed"),
        (lambda: Sampling(beams=4), "beams"),  # type: ignore[call-arg]
        (lambda: Connection(("file:///etc/passwd",)), "http:// or https://"),
        (lambda: Connection(("http://",)), "name a host"),
        (lambda: Connection(("http://host:port/v1",)), "cannot be read"),
        (lambda: Connection(("http://h/v1",), concurrency=0), "requests at a time"),
        (lambda: Serving("-rf"), "begins with a dash"),
        (lambda: Serving(" "), "empty"),
        (lambda: Serving("m", dtype="--help"), "dtype or quantization"),
        (lambda: Serving("m", revision="--help"), "not a revision"),
        (lambda: Serving("m", gpu_memory=1.5), "GPU memory"),
        (lambda: Serving("m", arguments=("--api-key=x",)), "--api-key"),
        (lambda: Serving("m", arguments=("--host", "0.0.0.0")), "--host"),
        (lambda: Serving("m", arguments=("--trust_remote_code",)), "--trust-remote-code"),
        (lambda: Serving("m", arguments=("--hf-token=x",)), "--hf-token"),
        (lambda: Prompting(templates=(("riddle", "{question}"),)), "no answer kind"),
        (lambda: Shot("q", " "), "prompt and an answer"),
        (lambda: JobSpec(DIGEST, "-m"), "begins with a dash"),
        (lambda: JobSpec("../x", "m"), "whole digest"),
        (lambda: JobSpec(DIGEST, "m", target="t"), "answers once"),
        (lambda: JobSpec(DIGEST, "m", items=()), "list of items is empty"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(make: Any, sentence: str) -> None:
    with pytest.raises(SurrogateError, match=sentence.replace("(", r"\(")):
        make()


@pytest.mark.parametrize(
    "url", ["http://user:pass-4711@host/v1", "https://host/v1?key=pass-4711", "https://host/v1#pass-4711"]
)
def test_an_address_with_a_secret_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(SurrogateError) as refused:
        Connection((url,))
    assert "4711" not in str(refused.value)


def test_a_key_given_as_a_variables_name_is_not_repeated() -> None:
    with pytest.raises(SurrogateError) as refused:
        Connection(key_variable="sk-proj-4711")
    assert "4711" not in str(refused.value)


def test_a_job_of_an_earlier_version_knows_one_address() -> None:
    spec = SPECS["plain"]
    values = json.loads(spec.to_json())
    (values["connection"]["base_url"],) = values["connection"].pop("base_urls")
    assert JobSpec.from_json(json.dumps(values)) == spec
    values["connection"]["base_url"] = None
    assert JobSpec.from_json(json.dumps(values)).connection.base_urls == ()
    quoting = replace(spec, prompting=Prompting('{"base_url": "x"}'))
    assert JobSpec.from_json(quoting.to_json()) == quoting


def test_an_address_counts_once() -> None:
    urls = ("http://a/v1", "http://b/v1/", "http://a/v1/", "http://b/v1/")
    assert Connection(urls).base_urls == ("http://a/v1", "http://b/v1/")
