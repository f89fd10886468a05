"""Whom a batch service is told about."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from core.surrogate import batch_results
from core.surrogate.batch_results import BatchService
from core.surrogate.faults import SurrogateError
from core.surrogate.job.parameters import Connection
from tests.core.test_openai_servers import ACCOUNT, serving

BATCH = b'{"id": "b", "status": "failed", "input_file_id": "f"}'


@pytest.mark.parametrize("is_openai", [True, False])
def test_an_account_is_named_to_openai_alone(is_openai: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, value in ACCOUNT.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "requests.jsonl").write_bytes(b"{}\n")
    with serving(content=BATCH) as (address, seen):
        if is_openai:
            monkeypatch.setattr(batch_results, "OPENAI", address)
        with closing(BatchService(Connection((address,)))) as asked:
            asked.upload(tmp_path / "requests.jsonl")
            asked.create("f", "job")
            asked.status("b")
            with pytest.raises(SurrogateError, match="does not answer as a batch service"):
                asked.of_file("f")
            asked.download("f", tmp_path / "results", 1_000)
    named = {"openai-organization": "org-4711", "openai-project": "proj-4711"} if is_openai else {}
    assert [path.partition("?")[0].removeprefix("/v1") for path, _, _ in seen] == [
        "/files",
        "/batches",
        "/batches/b",
        "/batches",
        "/files/f/content",
    ]
    for _, headers, _ in seen:
        assert {name: value for name, value in headers.items() if name.startswith("openai-")} == named
        assert not [name for name in headers if name.startswith("x-")] and "authorization" not in headers
    assert (tmp_path / "results").read_bytes() == BATCH


def test_a_batch_without_a_name_is_none(tmp_path: Path) -> None:
    with (
        serving(content=BATCH.replace(b'"b"', b'""')) as (address, _),
        closing(BatchService(Connection((address,)))) as asked,
        pytest.raises(SurrogateError, match="does not answer as a batch service"),
    ):
        asked.create("f", "job")
