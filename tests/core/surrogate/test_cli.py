"""The commands themselves."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from core.pool import Pool
from core.readers import read
from core.surrogate import cli
from core.surrogate.client import retries
from core.surrogate.job.progress import progress
from core.surrogate.job.store import Store
from core.words import printable
from tests.core.schema import checked
from tests.core.surrogate.conftest import Fake, pool_of, save_pool
from tests.core.wording import Saying


@dataclass(frozen=True, slots=True)
class Run:
    """What came of a command."""

    returncode: int
    stdout: str
    stderr: str


Surrogate = Callable[..., Run]


@pytest.fixture
def surrogate(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Surrogate:
    """A function that runs a command in this process, with further variables in the environment."""

    monkeypatch.setattr(retries, "LONGEST_PAUSE", 0.02)

    def run(*words: str, **environment: str) -> Run:
        with monkeypatch.context() as patch:
            for name, value in environment.items():
                patch.setenv(name, value)
            status = cli.main(words)
        return Run(status, *capsys.readouterr())

    return run


def test_the_command_turns_a_file_into_a_pool_with_generations(
    neyman_home: Path, tmp_path: Path, fake: Fake, surrogate: Surrogate
) -> None:
    server = fake()
    pool_of(20).write(tmp_path / "asked.jsonl")
    words = ["run", f"--pool={tmp_path / 'asked.jsonl'}", "--model=m", f"--base-url={server.url}", "--k=3"]
    done = surrogate(*words, f"--out={tmp_path / 'made.parquet'}")
    assert done.returncode == 0, done.stderr
    completed = read(tmp_path / "made.parquet")
    assert (completed.n_items, completed.n_generations) == (20, 3)
    assert completed.logprobs is not None and completed.logprobs.shape == (20, 3)
    assert list(completed.items.index) == [f"i{i}" for i in range(20)]
    again = surrogate(*words)
    assert again.returncode == 1
    assert "--new" in again.stderr and "Traceback" not in again.stderr
    listed = surrogate("list")
    job = listed.stdout.split()[0]
    assert "20/20" in listed.stdout
    shown = surrogate("show", job)
    assert "20 of 20 items answered;" in shown.stdout
    (one,) = checked(surrogate("list", "--json").stdout, "neyman-jobs/1")["jobs"]
    assert checked(surrogate("show", job, "--json").stdout, "neyman-job/1").items() >= one.items()
    assert (one["job"], one["state"], one["done"]) == (job, "done", 20)
    assert surrogate("export", job, f"--out={tmp_path / 'again.jsonl'}").returncode == 0
    assert read(tmp_path / "again.jsonl").digest == completed.digest


@pytest.mark.parametrize("name", ["made.xlsx", "none/made.parquet", "folder.jsonl"])
def test_a_file_that_cannot_be_written_is_refused_before_the_first_request(
    name: str, neyman_home: Path, tmp_path: Path, fake: Fake, surrogate: Surrogate
) -> None:
    server = fake()
    (tmp_path / "folder.jsonl").mkdir()
    words = ["run", pool_option(tmp_path, 3), "--model=m", f"--base-url={server.url}"]
    refused = surrogate(*words, f"--out={tmp_path / name}")
    assert refused.returncode == 1 and name.rpartition("/")[2] in refused.stderr
    assert server.stats()["asked"] == {} and Store(neyman_home).rows() == []
    assert surrogate(*words).returncode == 0
    (row,) = Store(neyman_home).rows()
    assert surrogate("export", row.id, f"--out={tmp_path / name}").returncode == 1


def test_the_file_can_be_written_again_after_the_run(
    neyman_home: Path, tmp_path: Path, fake: Fake, surrogate: Surrogate
) -> None:
    server = fake()
    words = ["run", pool_option(tmp_path, 6), "--model=m", f"--base-url={server.url}", "--k=2"]
    first = surrogate(*words, f"--out={tmp_path / 'first.parquet'}")
    assert first.stderr == Saying("6 complete", "0 partial", "0 empty")
    for _ in range(2):
        again = surrogate(*words, f"--out={tmp_path / 'again.jsonl'}")
        assert again.returncode == 0, again.stderr
    assert read(tmp_path / "again.jsonl").digest == read(tmp_path / "first.parquet").digest
    assert len(server.stats()["asked"]) == sum(server.stats()["asked"].values()) == 6
    assert len(Store(neyman_home).rows()) == 1


def test_a_run_that_stops_short_says_what_to_do_for_the_file(
    neyman_home: Path, tmp_path: Path, fake: Fake, surrogate: Surrogate
) -> None:
    words = ["run", pool_option(tmp_path, 9), "--model=m", "--k=2", "--patience=0.1", "--concurrency=1"]
    out = tmp_path / "made.jsonl"
    short = surrogate(*words, f"--base-url={fake(die_after=4).url}", f"--out={out}")
    assert short.returncode == 1 and not out.exists()
    (row,) = Store(neyman_home).rows()
    assert f"export {row.id} --out=FILE" in short.stderr
    partial = surrogate("export", row.id, f"--out={out}")
    assert partial.returncode == 0 and partial.stderr == Saying("4 complete", "0 partial", "5 empty")
    assert read(out).n_items == 9


def test_the_same_command_resumes_the_job(neyman_home: Path, tmp_path: Path, fake: Fake, surrogate: Surrogate) -> None:
    pool_of(30).write(tmp_path / "asked.jsonl")
    server = fake(key="sesame")
    words = ["run", f"--pool={tmp_path / 'asked.jsonl'}", "--model=m", f"--base-url={server.url}"]
    refused = surrogate(*words)
    assert refused.returncode == 1 and "refuses the key" in refused.stderr
    done = surrogate(*words, NEYMAN_API_KEY="sesame")
    assert done.returncode == 0 and "Resuming" in done.stderr
    assert len(Store(neyman_home).rows()) == 1


def pool_option(tmp_path: Path, n: int) -> str:
    """The option that names a file of n questions."""
    pool_of(n).write(tmp_path / "asked.jsonl")
    return f"--pool={tmp_path / 'asked.jsonl'}"


def test_a_server_at_another_port_goes_on_with_the_same_job(
    neyman_home: Path, tmp_path: Path, fake: Fake, surrogate: Surrogate
) -> None:
    first, second = fake(die_after=12), fake()
    words = ["run", pool_option(tmp_path, 30), "--model=m", "--k=2", "--patience=0.5", "--backoff=0"]
    assert surrogate(*words, f"--base-url={first.url}", "--concurrency=2").returncode == 1
    (row,) = Store(neyman_home).rows()
    assert 0 < row.done < 30
    done = surrogate(*words, f"--base-url={second.url}", "--concurrency=3", "--price-prompt=1.5")
    assert done.returncode == 0, done.stderr
    assert f"--base-url {first.url} → {second.url}" in done.stderr
    assert "--concurrency 2 → 3" in done.stderr and "--price-prompt none → 1.5" in done.stderr
    (after,) = Store(neyman_home).rows()
    assert (after.id, after.done) == (row.id, 30)
    assert (after.spec.connection.concurrency, after.spec.prices.prompt) == (3, 1.5)
    assert len(second.stats()["asked"]) == 30 - row.done


def test_resume_takes_another_operation_and_no_other_work(
    neyman_home: Path, tmp_path: Path, fake: Fake, surrogate: Surrogate
) -> None:
    server = fake(key="sesame")
    words = ["run", pool_option(tmp_path, 5), "--model=m", "--base-url=http://127.0.0.1:9/v1", "--patience=0.1"]
    assert surrogate(*words).returncode == 1
    (row,) = Store(neyman_home).rows()
    refused = surrogate("resume", row.id, "--temperature=1")
    assert refused.returncode == 2 and "--temperature" in refused.stderr
    change = [f"--base-url={server.url}", "--key-variable=SESAME"]
    done = surrogate("resume", row.id, *change, SESAME="sesame")
    assert done.returncode == 0, done.stderr
    assert done.stderr == Saying(f"--base-url http://127.0.0.1:9/v1 → {server.url}", "--key-variable none → SESAME")
    spec = Store(neyman_home).row(row.id).spec
    assert (spec.connection.base_urls, spec.connection.key_variable) == ((server.url,), "SESAME")


def test_items_that_failed_have_an_exit_status_and_are_asked_again(
    neyman_home: Path, tmp_path: Path, fake: Fake, surrogate: Surrogate
) -> None:
    records = pool_of(12).table.to_pylist()
    records[3]["prompt"], records[7]["prompt"], records[8]["prompt"] = "TOO LONG 3", "FORBIDDEN 7", "FORBIDDEN 8"
    Pool.from_records(records).write(tmp_path / "asked.jsonl")
    server = fake()
    words = ["run", f"--pool={tmp_path / 'asked.jsonl'}", "--model=m", f"--base-url={server.url}", "--k=2"]
    ended = surrogate(*words, f"--out={tmp_path / 'made.parquet'}")
    assert ended.returncode == 4
    assert ended.stderr == Saying("9 of 12 items", "3 failed (2 content filter, 1 too long)")
    assert (tmp_path / "made.parquet").exists()
    (row,) = Store(neyman_home).rows()
    # What failed for good is asked again only if somebody says so, and then without what has answers.
    assert surrogate("resume", row.id).returncode == 4
    requests = len(server.stats()["bodies"])
    wrong = surrogate("resume", row.id, "--retry-failed=short")
    assert wrong.returncode == 1 and "“too long”" in wrong.stderr
    assert surrogate("resume", row.id, "--retry-failed=too long").returncode == 4
    assert len(server.stats()["bodies"]) == requests + 1
    assert surrogate("resume", row.id, "--retry-failed").returncode == 4
    assert len(server.stats()["bodies"]) == requests + 4
    assert progress(Store(neyman_home), row.id).failed == 3


def test_a_run_that_pauses_or_is_stopped_has_an_exit_status_of_its_own(
    neyman_home: Path, tmp_path: Path, fake: Fake, surrogate: Surrogate
) -> None:
    server, store = fake(hold_after=5, fail={"after": 25, "status": 400}), Store(neyman_home)
    words = ["run", pool_option(tmp_path, 90), "--model=m", f"--base-url={server.url}", "--concurrency=4"]

    def stop() -> None:
        while not store.rows() or store.rows()[0].done < 5:
            time.sleep(0.02)
        store.ask_to_stop(store.rows()[0].id)
        while "under way" not in store.rows()[0].phase:
            time.sleep(0.02)
        server.release()

    with ThreadPoolExecutor(1) as threads:
        stopping = threads.submit(stop)
        stopped = surrogate(*words)
        stopping.result()
    assert stopped.returncode == 3 and "Stopped: 9 of 90 items answered" in stopped.stderr
    paused = surrogate(*words)
    assert paused.returncode == 5 and "Paused: 25 of 90 items answered" in paused.stderr
    assert "items failed (" in paused.stderr
    assert surrogate("resume", store.rows()[0].id).returncode == 5
    server.behave(fail=None)
    assert surrogate(*words).returncode == 0
    assert set(server.stats()["asked"].values()) == {1}


def test_what_failed_for_a_passing_reason_is_asked_again_without_a_flag(
    neyman_home: Path, tmp_path: Path, fake: Fake, surrogate: Surrogate
) -> None:
    pool_of(12).write(tmp_path / "asked.jsonl")
    server = fake(fail={"after": 6, "status": 400, "times": 12})
    words = ["run", f"--pool={tmp_path / 'asked.jsonl'}", "--model=m", f"--base-url={server.url}", "--concurrency=1"]
    ended = surrogate(*words)
    assert ended.returncode == 4 and "6 failed (6 refused)" in ended.stderr
    again = surrogate(*words)
    assert again.returncode == 0 and "12 of 12 items answered" in again.stderr
    assert set(server.stats()["asked"].values()) == {1}


PRICES = ("--price-prompt=1", "--price-completion=2")


def test_a_run_pauses_at_its_largest_cost_and_goes_on_when_it_is_raised(
    neyman_home: Path, tmp_path: Path, fake: Fake, surrogate: Surrogate
) -> None:
    server = fake()
    words = ["run", pool_option(tmp_path, 30), "--model=m", f"--base-url={server.url}", *PRICES]
    # 11 tokens of prompt and 30 written: 71 millionths an item.
    paused = surrogate(*words, "--max-cost=0.001")
    assert paused.returncode == 5 and "a cost of 0.001" in paused.stderr
    (row,) = Store(neyman_home).rows()
    assert (row.state, row.done) == ("paused", 14)
    assert surrogate("resume", row.id).returncode == 5
    done = surrogate("resume", row.id, "--max-cost=0.01", "--max-total-tokens=1000000")
    assert done.returncode == 0, done.stderr
    assert "--max-cost 0.001 → 0.01" in done.stderr
    assert set(server.stats()["asked"].values()) == {1}


@pytest.mark.parametrize(
    ("words", "limit"),
    [
        (PRICES, 4096),
        ((*PRICES, "--max-tokens=50"), 50),
        ((*PRICES, "--max-tokens=none"), None),
        ((*PRICES, '--extra={"max_completion_tokens": 70}'), None),
        (("--price-completion=2",), 4096),
        ((), 4096),
        (("--thinking=on",), 16_384),
        (("--preset=qwen3.5-thinking", "--thinking=off"), 4096),
        (("--thinking=on", "--max-tokens=50"), 50),
    ],
)
def test_generations_have_a_limit_by_default(
    words: tuple[str, ...], limit: int | None, neyman_home: Path, tmp_path: Path, fake: Fake, surrogate: Surrogate
) -> None:
    server = fake()
    run = ["run", pool_option(tmp_path, 1), "--model=m", f"--base-url={server.url}", "--k=2", *words]
    done = surrogate(*run)
    assert done.returncode == 0, done.stderr
    assert server.stats()["bodies"][0].get("max_tokens") == limit
    assert ("a longer one is cut" in done.stderr) == (limit in (4096, 16_384))


FORMER_DEFAULTS = ("--max-tokens=none", "--no-repetition-detection")


def test_what_an_earlier_version_began_without_a_limit_is_not_begun_again(
    neyman_home: Path, tmp_path: Path, fake: Fake, surrogate: Surrogate
) -> None:
    server = fake(die_after=4)
    words = ["run", pool_option(tmp_path, 9), "--model=m", "--k=2", "--patience=0.1", "--concurrency=1"]
    assert surrogate(*words, f"--base-url={server.url}", *PRICES, *FORMER_DEFAULTS).returncode == 1
    second = fake()
    done = surrogate(*words, f"--base-url={second.url}", *PRICES)
    assert done.returncode == 0, done.stderr
    (row,) = Store(neyman_home).rows()
    assert row.spec.sampling.max_tokens is None and "4,096 tokens" not in done.stderr
    assert len(second.stats()["asked"]) == 5
    # The same words still find it when it is done.
    again = surrogate(*words, f"--base-url={second.url}", *PRICES, f"--out={tmp_path / 'made.jsonl'}")
    assert again.returncode == 0 and len(Store(neyman_home).rows()) == 1


def test_the_preview_bounds_tokens_and_cost(neyman_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    digest = save_pool(pool_of(8), neyman_home)
    words = ["preview", f"--pool={digest[:12]}", "--model=m"]
    assert cli.main(words) == 0 and re.search(r"at most 3\d\d,\d{3} tokens", capsys.readouterr().out)
    assert cli.main([*words, *PRICES, "--max-tokens=100"]) == 0
    assert re.search(r"at most [1-9]\d,\d{3} tokens in all, a cost of 0\.0\d+$", capsys.readouterr().out.strip())


def test_a_target_answers_only_the_items_of_a_label_request(
    neyman_home: Path, tmp_path: Path, fake: Fake, surrogate: Surrogate
) -> None:
    pool = pool_of(30, answer="1")
    pool.write(tmp_path / "asked.jsonl")
    (tmp_path / "request.csv").write_text("position,item_id,plan_id,label\n1,i7,p,\n2,i3,p,\n")
    server = fake(answers=2)
    words = ["run", f"--pool={tmp_path / 'asked.jsonl'}", "--model=m", f"--base-url={server.url}", "--target=big"]
    file = tmp_path / "made.jsonl"
    done = surrogate(*words, f"--items={tmp_path / 'request.csv'}", f"--out={file}")
    assert done.returncode == 0, done.stderr
    assert server.stats()["asked"] == {"3": 1, "7": 1}
    assert "n" not in server.stats()["bodies"][0]
    losses = read(file).losses("big")
    assert [position for position, loss in enumerate(losses) if loss == loss] == [3, 7]


def test_openais_key_goes_to_openai_alone(neyman_home: Path, tmp_path: Path, fake: Fake, surrogate: Surrogate) -> None:
    pool_of(1).write(tmp_path / "asked.jsonl")
    server = fake()
    words = ["run", f"--pool={tmp_path / 'asked.jsonl'}", "--model=m", f"--base-url={server.url}"]
    openai = {"OPENAI_API_KEY": "sk-4711-openai", "OPENAI_ORG_ID": "org-4711", "OPENAI_PROJECT_ID": "proj-4711"}
    assert surrogate(*words, **openai).returncode == 0
    assert "4711" not in "".join(server.stats()["headers"])
    named = surrogate(*words, "--key-variable=OPENAI_API_KEY", "--new", **openai)
    assert named.returncode == 0
    assert "sk-4711-openai" in "".join(server.stats()["headers"])


def test_a_trial_keeps_nothing(neyman_home: Path, tmp_path: Path, fake: Fake, surrogate: Surrogate) -> None:
    server, locked = fake(answers=1), fake(key="sesame")
    words = ["run", pool_option(tmp_path, 4), "--model=m", "--trial", f"--base-url={server.url}"]
    done = surrogate(*words)
    assert done.returncode == 0 and "answer: 0" in done.stdout and "repetition_detection, n, seed" in done.stdout
    assert surrogate(*words, f"--base-url={locked.url}").returncode == 1
    assert Store(neyman_home).rows() == [] and server.stats()["asked"] == {"0": 2}
    refused = surrogate("run", pool_option(tmp_path, 4), "--serve=m", "--trial")
    assert refused.returncode == 1 and "--base-url" in refused.stderr


def test_the_models_of_a_server_are_listed(neyman_home: Path, fake: Fake, surrogate: Surrogate) -> None:
    server = fake()
    assert surrogate("models", f"--base-url={server.url}").stdout == "m\n"
    server.process.kill()
    assert surrogate("models", f"--base-url={server.url}").returncode == 1


def test_what_a_server_says_commands_no_terminal(
    neyman_home: Path, tmp_path: Path, fake: Fake, surrogate: Surrogate
) -> None:
    hostile = "\x1b[2J\x1b]0;owned\x07\u202etxt.exe\ud83d"
    server = fake(models=[hostile], name=hostile, content=hostile)
    pool_of(1).write(tmp_path / "asked.jsonl")
    words = ["run", f"--pool={tmp_path / 'asked.jsonl'}", "--model=m", f"--base-url={server.url}", "--k=2"]
    for command in (["models", "--base-url", server.url], [*words, "--trial"], words, ["show"]):
        job = [Store(neyman_home).rows()[0].id] if command == ["show"] else []
        done = surrogate(*command, *job)
        printed = done.stdout + done.stderr
        assert printable(printed) == printed
        assert command == words or r"\u001b]0;owned\u0007\u202etxt.exe" in printed, command


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["run", "--pool=nothing.jsonl", "--model=m", "--base-url=http://127.0.0.1:1/v1"], "neither a pool's file"),
        (["run", "--pool=POOL", "--model=m"], "has no server"),
        (["run", "--pool=POOL", "--model=m", "--serve=m", "--base-url=http://127.0.0.1:1/v1"], "one server is enough"),
        (["run", "--pool=POOL", "--base-url=http://127.0.0.1:1/v1"], "--model"),
        (["run", "--pool=POOL", "--serve=--help"], "begins with a dash"),
        (["run", "--pool=POOL", "--model=m", "--items=none.txt"], "cannot be read"),
        (["run", "--pool=POOL", "--serve=m", "--server-arguments=a 'b"], "cannot be split"),
        (["run", "--pool=POOL", "--model=m", "--base-url=http://127.0.0.1:1/v1", "--dtype=half"], "--dtype is for"),
        (["run", "--pool=POOL", "--model=m", "--base-url=http://127.0.0.1:1/v1", "--max-cost=1"], "needs both prices"),
        (["show", "0000"], "no job whose id begins"),
        (["export", "0000", "--out=x.jsonl"], "no job whose id begins"),
    ],
)
def test_what_a_user_gets_wrong_is_one_sentence(
    words: list[str], sentence: str, neyman_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    digest = save_pool(pool_of(1), neyman_home)
    assert cli.main([word.replace("POOL", digest) for word in words]) == 1
    message = capsys.readouterr().err
    assert sentence in message
    assert "Traceback" not in message


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nonsense"], "nonsense"),
        (["--nonsense"], "--nonsense"),
        (["run", "--model=m"], "--pool"),
        (["run", "--pool=p", "--temp=1"], "--temp"),
        (["run", "--pool=p", "more"], "`neyman surrogate run --help`"),
        (["run", "--pool=p", "--k=many"], "“many” is not a whole number"),
        (["run", "--pool=p", "--k=2.0"], "“2.0” is not a whole number"),
        (["run", "--pool=p", "--top-p=high"], "“high” is not a number"),
        (["run", "--pool=p", "--k"], "--k"),
        (["run", "--pool=p", "--thinking=maybe"], "“maybe” is not on, off or default"),
        (["run", "--pool=p", "--preset=gemma"], "gemma3"),
        (["run", "--pool=p", "--logprobs"], "--no-logprobs"),
        (["run", "--pool=p", "--leave-out=n"], "--leave-out"),
        (["resume"], "JOB"),
        (["resume", "0000", "--dtype=half"], "--dtype"),
        (["resume", "0000", "--retry-failed", "too long", "more"], "more"),
        (["classes", "p", "--rule=loose"], "lenient"),
        (["classes", "p", "--k=3"], "--k"),
        (["export", "0000"], "--out"),
        (["merge", "--out=x.jsonl"], "PART"),
        (["ray", "--pool=p", "--out=o", "--workers=two"], "two"),
        (["batch", "write", "--out=o", "--format=other"], "vllm"),
        (["batch", "poll", "0000", "--wait=long"], "long"),
        (["batch", "read"], "JOB"),
    ],
)
def test_wrong_usage_is_a_sentence_and_exit_status_2(
    words: list[str], said: str, neyman_home: Path, surrogate: Surrogate
) -> None:
    ended = surrogate(*words)
    assert ended.returncode == 2 and ended.stdout == ""
    assert said in ended.stderr and "Traceback" not in ended.stderr


def test_a_group_of_commands_lists_them_and_ends_with_2(neyman_home: Path, surrogate: Surrogate) -> None:
    for words, part in (([], "install-vllm"), (["batch"], "submit")):
        ended = surrogate(*words)
        assert ended.returncode == 2 and part in ended.stdout


def test_of_an_option_that_is_given_twice_the_last_holds(
    neyman_home: Path, tmp_path: Path, fake: Fake, surrogate: Surrogate
) -> None:
    server = fake()
    words = ["run", pool_option(tmp_path, 1), "--model=x", f"--base-url={server.url}", "--k=9"]
    assert surrogate(*words, "--model=m", "--k", "2", "--temperature", "none", "--temperature=0.5").returncode == 0
    (row,) = Store(neyman_home).rows()
    assert (row.spec.model, row.spec.sampling.k, row.spec.sampling.temperature) == ("m", 2, 0.5)


def test_the_preview_shows_messages_and_a_rough_size(neyman_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    digest = save_pool(pool_of(8), neyman_home)
    assert cli.main(["preview", f"--pool={digest[:12]}", "--model=m", "--item=i3", "--system=Be brief."]) == 0
    shown, _, size = capsys.readouterr().out.rpartition("]\n")
    messages = json.loads(shown + "]")
    assert messages[0] == {"role": "system", "content": "Be brief."}
    assert messages[1]["content"].startswith("What is item 3?")
    assert size.startswith("8 requests, about ")
