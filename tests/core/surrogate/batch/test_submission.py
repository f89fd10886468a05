"""A job by the Batch API, from its first file to its last result."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from core.surrogate import cli
from core.surrogate.batch import create, fetch, poll, submission, submit
from core.surrogate.batch_results import BatchService
from core.surrogate.faults import SurrogateError
from core.surrogate.job.parameters import KEY_VARIABLE, Connection
from core.surrogate.job.progress import progress
from core.surrogate.job.store import Store
from tests.core.surrogate.batch.fake_service import BatchFake, batch_service
from tests.core.surrogate.conftest import pool_of, spec_for


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[BatchFake]:
    with batch_service() as running:
        monkeypatch.setenv(KEY_VARIABLE, running.key)
        yield running


@pytest.fixture
def service(fake: BatchFake) -> Iterator[BatchService]:
    with closing(BatchService(Connection((fake.url,), timeout=20))) as connected:
        yield connected


@pytest.fixture
def job(store: Store, neyman_home: Path, fake: BatchFake) -> str:
    """A job for 25 items, whose files may have 10 requests each."""
    return create(store, spec_for(pool_of(25), neyman_home, fake.url, seed=3, k=4))


@pytest.fixture(autouse=True)
def small_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.surrogate.batch.MAX_LINES", 10)


def test_a_job_is_submitted_polled_and_fetched(store: Store, job: str, fake: BatchFake, service: BatchService) -> None:
    submitted = submit(store, job, service)
    assert [file.state for file in submitted.files] == ["validating"] * 3
    assert [len(fake.requests(batch)) for batch in fake.batches] == [10, 10, 5]
    assert {batch["metadata"]["neyman_job"] for batch in fake.batches.values()} == {job}
    fake.end("batch-1")
    now = poll(store, job, service)
    assert now.open and [file.answered for file in now.files] == [0, 10, 0]
    first = fetch(store, job, service)
    assert (first.stored, first.missing_items) == (10, 15)
    assert [file.batch for file in submission(store, job).files] == ["batch-0", "batch-2"]
    # Nothing is submitted twice while its batch is under way.
    submit(store, job, service)
    assert len(fake.batches) == 3
    fake.end("batch-0")
    fake.end("batch-2")
    last = fetch(store, job, service)
    assert (last.stored, last.missing_items) == (15, 0)
    done = progress(store, job)
    assert (done.state, done.generations) == ("done", 100)
    assert submission(store, job).files == () and not (store.folder / "batches" / job).exists()


def test_only_what_expired_or_broke_is_submitted_again(
    store: Store, job: str, fake: BatchFake, service: BatchService
) -> None:
    submit(store, job, service)
    fake.end("batch-0", "expired", answered=4, broken=2)
    fake.end("batch-1")
    with pytest.raises(SurrogateError, match="Fetch"):
        poll(store, job, service)
        submit(store, job, service)
    report = fetch(store, job, service)
    assert (report.stored, report.passing, report.missing_items) == (14, 6, 11)
    again = submit(store, job, service)
    assert [file.batch for file in again.files] == ["batch-2", "batch-3"]
    assert [request["custom_id"].split("-")[1] for request in fake.requests("batch-3")] == [
        str(i) for i in range(4, 10)
    ]
    for batch in ("batch-2", "batch-3"):
        fake.end(batch)
    assert fetch(store, job, service).missing_items == 0
    with store.database.connection() as database:
        assert database.execute("SELECT count(*), count(DISTINCT position) FROM surrogate_generations").fetchone() == (
            100,
            25,
        )


@pytest.mark.parametrize("what", ["batch-0", "file-output_file_id-batch-0"])
def test_what_the_service_no_longer_has_costs_no_other_batch_and_is_requested_again_on_demand(
    what: str, neyman_home: Path, store: Store, job: str, fake: BatchFake, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["batch", "fetch", job]
    assert cli.main(["batch", "submit", "--job", job]) == 0
    for batch in ("batch-0", "batch-1", "batch-2"):
        fake.end(batch, "expired", answered=4)
    fake.gone.add(what)
    assert cli.main(["batch", "poll", job, "--wait=0.01"]) == 0
    assert cli.main(words) == 0
    printed = capsys.readouterr()
    assert "8 results stored" in printed.out and f"No such object: {what}" in printed.out
    assert f"batch fetch {job} --give-up" in printed.err
    # Whoever comes with the right key finds it after all.
    fake.gone.clear()
    assert cli.main(words) == 0 and "4 results stored" in capsys.readouterr().out
    assert cli.main(["batch", "submit", "--job", job]) == 0
    for batch in ("batch-3", "batch-4"):
        fake.end(batch)
    fake.gone.add("batch-3")
    assert cli.main(words) == 0 and progress(store, job).done == 4 * 3 + 3
    # Not twice, as long as nobody says that it is lost.
    assert cli.main(["batch", "submit", "--job", job]) == 1 and len(fake.batches) == 5
    assert cli.main([*words, "--give-up"]) == 0
    assert cli.main(["batch", "submit", "--job", job]) == 0 and len(fake.requests("batch-5")) == 10
    fake.end("batch-5")
    assert cli.main(words) == 0
    done = progress(store, job)
    assert (done.state, done.done, done.generations) == ("done", 25, 100)


def test_a_submission_that_was_interrupted_makes_no_batch_twice(
    store: Store, job: str, fake: BatchFake, service: BatchService
) -> None:
    # Of other jobs; the batch to be found is listed behind them.
    fake.page = 1
    fake.batches |= {name: {"id": name, "status": "completed", "input_file_id": "other"} for name in ("a", "b")}
    fake.drop = 1
    # The service has made the batch, but its answer was lost.
    with pytest.raises(SurrogateError, match="cannot be reached"):
        submit(store, job, service)
    assert (len(fake.files), len(fake.batches)) == (1, 3)
    submit(store, job, service)
    assert (len(fake.files), len(fake.batches)) == (3, 5)
    assert len({batch["input_file_id"] for batch in fake.batches.values()}) == 4


def test_a_refused_batch_says_why_and_is_submitted_again(
    store: Store, job: str, fake: BatchFake, service: BatchService
) -> None:
    fake.refuse = "Enqueued token limit reached for m."
    assert "Enqueued token limit" in str(submit(store, job, service))
    report = fetch(store, job, service)
    assert (report.stored, report.missing_items) == (0, 25)
    assert report.reasons == {"failed: Enqueued token limit reached for m.": 3}
    fake.refuse = ""
    submit(store, job, service)
    assert len(fake.batches) == 6


def test_a_wrong_key_and_a_service_that_is_away_are_told_in_a_sentence(
    store: Store, job: str, fake: BatchFake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "sk-wrong-secret-4711")
    with closing(BatchService(Connection((fake.url,)))) as wrong, pytest.raises(SurrogateError) as refused:
        submit(store, job, wrong)
    assert "refuses the key" in str(refused.value) and "4711" not in str(refused.value)
    monkeypatch.setattr("core.web.client.FIRST_PAUSE", 0.001)
    away = BatchService(Connection(("http://127.0.0.1:9/v1",)))
    with closing(away), pytest.raises(SurrogateError, match="cannot be reached"):
        submit(store, job, away)


def test_a_stranger_at_the_address_is_told(
    store: Store, job: str, service: BatchService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BatchFake, "create", lambda self, body: {"welcome": "home"})
    with pytest.raises(SurrogateError, match="batch service"):
        submit(store, job, service)


def test_the_commands_do_all_of_it(
    neyman_home: Path, tmp_path: Path, fake: BatchFake, capsys: pytest.CaptureFixture[str]
) -> None:
    pool_of(12).write(tmp_path / "asked.jsonl")
    words = [f"--pool={tmp_path / 'asked.jsonl'}", "--model=m", f"--base-url={fake.url}", "--k=2", "--seed=1"]
    assert cli.main(["batch", "submit", *words]) == 0
    assert cli.main(["batch", "submit", *words]) == 0
    assert len(fake.batches) == 2
    (row,) = Store(neyman_home).rows()
    assert cli.main(["batch", "poll", row.id]) == 5
    fake.end("batch-0", "expired", answered=3)
    assert cli.main(["batch", "fetch", row.id]) == 5
    fake.end("batch-1")
    assert cli.main(["batch", "poll", row.id, "--wait=0.01"]) == 0
    assert cli.main(["batch", "fetch", row.id]) == 0
    assert f"batch submit --job {row.id}" in capsys.readouterr().err
    assert cli.main(["batch", "submit", "--job", row.id]) == 0
    fake.end("batch-2")
    assert cli.main(["batch", "fetch", row.id]) == 0
    assert cli.main(["export", row.id, "--rows", f"--out={tmp_path / 'part.parquet'}"]) == 0
    assert "12 complete" in capsys.readouterr().err
    assert cli.main(["batch", "submit", *words]) == 1
    assert "--new" in capsys.readouterr().err


def test_two_processes_do_not_submit_one_job_at_once(
    store: Store, job: str, fake: BatchFake, service: BatchService, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload, refused = BatchService.upload, list[str]()

    def meanwhile(self: BatchService, path: Path) -> str:
        for other in (submit, fetch):
            with pytest.raises(SurrogateError, match=job):
                other(store, job, service)
            refused.append(other.__name__)
        return upload(self, path)

    monkeypatch.setattr(BatchService, "upload", meanwhile)
    submit(store, job, service)
    assert len(fake.batches) == 3 and refused == ["submit", "fetch"] * 3


def test_polling_ends_where_requests_were_never_submitted(
    store: Store, job: str, service: BatchService, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(self: BatchService, file: str, job: str) -> None:
        raise SurrogateError("The batch service cannot be reached.")

    with monkeypatch.context() as patch, pytest.raises(SurrogateError):
        patch.setattr(BatchService, "create", broken)
        submit(store, job, service)
    assert cli.main(["batch", "poll", job, "--wait", "60"]) == 5
    assert f"batch submit --job {job}" in capsys.readouterr().err


def test_a_file_of_answers_that_is_larger_than_honest_ones_is_refused(
    store: Store, job: str, fake: BatchFake, service: BatchService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.surrogate.batch.largest", lambda body: 100_000)
    submit(store, job, service)
    fake.end("batch-0")
    fake.files["file-output_file_id-batch-0"] += b" " * 1_000_000
    (reason,) = fetch(store, job, service).bad
    assert "batch-0" in reason and "more than" in reason
    assert not list((store.folder / "batches").rglob("*.part"))


def too_large(fake: BatchFake, file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.surrogate.batch.largest", lambda body: 100_000)
    fake.files[file] += b" " * 1_100_000


def not_given(fake: BatchFake, file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.web.client.FIRST_PAUSE", 0.001)
    fake.broken.add(file)


def garbage(fake: BatchFake, file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fake.files[file] = b"<html>502 Bad Gateway</html>\n" * 12


def of_another_job(fake: BatchFake, file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [json.loads(line) for line in fake.files[file].splitlines()]
    others = [line | {"custom_id": "0" * 16 + line["custom_id"][16:]} for line in lines]
    fake.files[file] = b"".join(json.dumps(line).encode() + b"\n" for line in others)


@pytest.mark.parametrize("spoil", [too_large, not_given, garbage, of_another_job])
def test_a_bad_file_of_results_blocks_no_other_and_is_named(
    store: Store,
    job: str,
    fake: BatchFake,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    spoil: Callable[[BatchFake, str, pytest.MonkeyPatch], None],
) -> None:
    assert cli.main(["batch", "submit", "--job", job]) == 0
    for batch in ("batch-0", "batch-1", "batch-2"):
        fake.end(batch)
    spoil(fake, "file-output_file_id-batch-0", monkeypatch)
    capsys.readouterr()
    assert cli.main(["batch", "fetch", job]) == 1
    printed = capsys.readouterr()
    assert "15 results stored" in printed.out and "Batch batch-0: " in printed.err
    assert f"batch fetch {job} --give-up" in printed.err
    # Nobody pays for it again before saying so.
    assert cli.main(["batch", "submit", "--job", job]) == 1 and len(fake.batches) == 3
    assert cli.main(["batch", "fetch", job, "--give-up"]) == 0
    assert cli.main(["batch", "submit", "--job", job]) == 0 and len(fake.requests("batch-3")) == 10
    fake.end("batch-3")
    assert cli.main(["batch", "fetch", job]) == 0
    done = progress(store, job)
    assert (done.state, done.done, done.generations) == ("done", 25, 100)


def test_a_service_that_lists_the_same_batches_for_ever_has_none(fake: BatchFake, service: BatchService) -> None:
    fake.batches |= {name: {"id": name, "status": "completed", "input_file_id": "other"} for name in ("a", "b")}
    fake.page, fake.stuck = 1, True
    assert service.of_file("file-none") is None
