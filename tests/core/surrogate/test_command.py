"""A job as a command line, and the commands themselves."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.readers import read
from core.surrogate import cli, command
from core.surrogate.faults import SurrogateError
from core.surrogate.job.settings import Connection, JobSpec, Prices, Prompting, Sampling, Serving
from core.surrogate.job.store import Store
from core.surrogate.job.wanted import read_ids
from tests.conftest import ROOT
from tests.core.surrogate.conftest import Fake, kept, pool_of, spec_for

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


def test_remarks_tell_what_a_user_may_not_expect() -> None:
    quiet = SPECS["plain"]
    assert quiet.remarks() == []
    assert quiet.connection.base_url is not None
    far = replace(quiet, connection=Connection("http://far.example/v1"))
    for spec, word in (
        (replace(quiet, sampling=Sampling(temperature=0.0)), "temperature 0"),
        (replace(quiet, sampling=Sampling(k=1)), "one generation"),
        (far, "not encrypted"),
        (SPECS["served"], "Code that comes with the model"),
    ):
        (remark,) = spec.remarks()
        assert word in remark


def test_the_key_of_a_job_depends_on_what_decides_its_outcome() -> None:
    spec = SPECS["plain"]
    same = (
        replace(spec, connection=replace(spec.connection, concurrency=3, timeout=5.0)),
        replace(spec, prices=Prices(1.0, 1.0)),
    )
    other = (
        replace(spec, model="n"),
        replace(spec, sampling=Sampling(temperature=0.8)),
        replace(spec, prompting=Prompting("Be brief.")),
        replace(spec, items=("a",)),
        replace(spec, connection=Connection("http://127.0.0.1:2/v1")),
    )
    assert {job.key for job in same} == {spec.key}
    assert len({spec.key, *(job.key for job in other)}) == 1 + len(other)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Sampling(k=0), "from 1 to 1,000"),
        (lambda: Sampling(k=True), "whole number"),
        (lambda: Sampling(temperature=float("nan")), "temperature"),
        (lambda: Sampling(top_p=0.0), "above 0"),
        (lambda: Sampling(extra="{"), "not JSON"),
        (lambda: Sampling(extra="[]"), "not a JSON object"),
        (lambda: Sampling(extra='{"n": 3, "stream": true}'), "n, stream"),
        (lambda: Connection("file:///etc/passwd"), "http:// or https://"),
        (lambda: Connection("http://"), "name a host"),
        (lambda: Connection("http://host:port/v1"), "cannot be read"),
        (lambda: Connection("http://h/v1", concurrency=0), "requests at a time"),
        (lambda: Serving("-rf"), "begins with a dash"),
        (lambda: Serving(" "), "empty"),
        (lambda: Serving("m", dtype="--help"), "no dtype"),
        (lambda: Serving("m", gpu_memory=1.5), "GPU memory"),
        (lambda: Serving("m", arguments=("--api-key=x",)), "--api-key"),
        (lambda: Serving("m", arguments=("--host", "0.0.0.0")), "--host"),
        (lambda: Serving("m", arguments=("--trust_remote_code",)), "--trust-remote-code"),
        (lambda: Serving("m", arguments=("--hf-token=x",)), "--hf-token"),
        (lambda: Prompting(templates=(("riddle", "{question}"),)), "no answer kind"),
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
        Connection(url)
    assert "4711" not in str(refused.value)


def test_a_key_given_as_a_variables_name_is_not_repeated() -> None:
    with pytest.raises(SurrogateError) as refused:
        Connection(key_variable="sk-proj-4711")
    assert "4711" not in str(refused.value)


def surrogate(home: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"NEYMAN_HOME": str(home)} | environment
    run = [sys.executable, "-m", "core.surrogate", *words]
    return subprocess.run(run, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False)


def test_the_command_turns_a_file_into_a_pool_with_generations(neyman_home: Path, tmp_path: Path, fake: Fake) -> None:
    server = fake()
    pool_of(20).write(tmp_path / "asked.jsonl")
    words = ["run", f"--pool={tmp_path / 'asked.jsonl'}", "--model=m", f"--base-url={server.url}", "--k=3"]
    done = surrogate(neyman_home, *words, f"--out={tmp_path / 'made.parquet'}")
    assert done.returncode == 0, done.stderr
    made = read(tmp_path / "made.parquet")
    assert (made.n_items, made.n_generations) == (20, 3)
    assert made.logprobs is not None and made.logprobs.shape == (20, 3)
    assert list(made.items.index) == [f"i{i}" for i in range(20)]
    again = surrogate(neyman_home, *words)
    assert again.returncode == 1
    assert "has done this" in again.stderr and "Traceback" not in again.stderr
    listed = surrogate(neyman_home, "list")
    job = listed.stdout.split()[0]
    assert "20/20" in listed.stdout
    shown = surrogate(neyman_home, "show", job)
    assert "items 20 of 20, failed 0" in shown.stdout
    assert surrogate(neyman_home, "export", job, f"--out={tmp_path / 'again.jsonl'}").returncode == 0
    assert read(tmp_path / "again.jsonl").digest == made.digest


def test_the_same_command_goes_on_where_it_stopped(neyman_home: Path, tmp_path: Path, fake: Fake) -> None:
    pool_of(30).write(tmp_path / "asked.jsonl")
    server = fake(key="sesame")
    words = ["run", f"--pool={tmp_path / 'asked.jsonl'}", "--model=m", f"--base-url={server.url}"]
    refused = surrogate(neyman_home, *words)
    assert refused.returncode == 1 and "refuses the key" in refused.stderr
    done = surrogate(neyman_home, *words, NEYMAN_API_KEY="sesame")
    assert done.returncode == 0 and "Going on with what was begun before" in done.stderr
    assert len(Store(neyman_home).rows()) == 1


def test_a_target_answers_only_the_items_of_a_label_request(neyman_home: Path, tmp_path: Path, fake: Fake) -> None:
    pool = pool_of(30, answer="1")
    pool.write(tmp_path / "asked.jsonl")
    (tmp_path / "request.csv").write_text("position,item_id,plan_id,label\n1,i7,p,\n2,i3,p,\n")
    server = fake(answers=2)
    words = ["run", f"--pool={tmp_path / 'asked.jsonl'}", "--model=m", f"--base-url={server.url}", "--target=big"]
    made = tmp_path / "made.jsonl"
    done = surrogate(neyman_home, *words, f"--items={tmp_path / 'request.csv'}", f"--out={made}")
    assert done.returncode == 0, done.stderr
    assert server.stats()["asked"] == {"3": 1, "7": 1}
    assert "n" not in server.stats()["bodies"][0]
    losses = read(made).losses("big")
    assert [position for position, loss in enumerate(losses) if loss == loss] == [3, 7]


def test_openais_key_goes_to_openai_alone(neyman_home: Path, tmp_path: Path, fake: Fake) -> None:
    pool_of(1).write(tmp_path / "asked.jsonl")
    server = fake()
    words = ["run", f"--pool={tmp_path / 'asked.jsonl'}", "--model=m", f"--base-url={server.url}"]
    openai = {"OPENAI_API_KEY": "sk-4711-openai", "OPENAI_ORG_ID": "org-4711", "OPENAI_PROJECT_ID": "proj-4711"}
    assert surrogate(neyman_home, *words, **openai).returncode == 0
    assert "4711" not in "".join(server.stats()["headers"])
    named = surrogate(neyman_home, *words, "--key-variable=OPENAI_API_KEY", "--new", **openai)
    assert named.returncode == 0
    assert "sk-4711-openai" in "".join(server.stats()["headers"])


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["run", "--pool=nothing.jsonl", "--model=m", "--base-url=http://127.0.0.1:1/v1"], "neither a pool's file"),
        (["run", "--pool=POOL", "--model=m"], "has no server"),
        (["run", "--pool=POOL", "--model=m", "--serve=m", "--base-url=http://127.0.0.1:1/v1"], "one server is enough"),
        (["run", "--pool=POOL", "--base-url=http://127.0.0.1:1/v1"], "--model"),
        (["run", "--pool=POOL", "--serve=--help"], "begins with a dash"),
        (["run", "--pool=POOL", "--model=m", "--items=none.txt"], "cannot be read"),
        (["show", "0000"], "no job whose id begins"),
        (["export", "0000", "--out=x.jsonl"], "no job whose id begins"),
    ],
)
def test_what_a_user_gets_wrong_is_one_sentence(
    words: list[str], sentence: str, neyman_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    digest = kept(pool_of(1), neyman_home)
    assert cli.main([word.replace("POOL", digest) for word in words]) == 1
    told = capsys.readouterr().err
    assert sentence in told
    assert "Traceback" not in told


def test_the_preview_shows_messages_and_a_rough_size(neyman_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    digest = kept(pool_of(8), neyman_home)
    assert cli.main(["preview", f"--pool={digest[:12]}", "--model=m", "--item=i3", "--system=Be brief."]) == 0
    shown, _, size = capsys.readouterr().out.rpartition("]\n")
    messages = json.loads(shown + "]")
    assert messages[0] == {"role": "system", "content": "Be brief."}
    assert messages[1]["content"].startswith("What is item 3?")
    assert size.startswith("8 requests, about ")


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("a\nb\n\na\n", ("a", "b")),
        ("position,item_id,label\n1,'=x,\n2,b,\n", ("=x", "b")),
        ('item_id;label\n\'0012;\n\'3-4;\n"""a\\r""";\n', ("0012", "3-4", "a\r")),
        ("id\n'quoted\n", ("'quoted",)),
        ('{"item_id": "a"}\n{"item_id": "b", "label": null}\n', ("a", "b")),
        ("\ufeffitem_id\nü\n", ("ü",)),
    ],
)
def test_items_are_read_from_requests_and_lists(text: str, ids: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "items").write_text(text, encoding="utf-8")
    assert read_ids(tmp_path / "items") == ids


def test_items_that_are_not_in_the_pool_are_told(store: Store, neyman_home: Path) -> None:
    from core.surrogate import control

    spec = replace(spec_for(pool_of(2), neyman_home, "http://127.0.0.1:1/v1"), items=("i0", "other"))
    with pytest.raises(SurrogateError, match="1 of the wanted items are not in this pool, for instance “other”"):
        control.start(store, spec)
