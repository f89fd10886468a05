"""Runs in which a model judges a target's answers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.pool import Pool
from core.signals import numeric_columns
from core.surrogate import cli
from core.surrogate.client.prompting import messages
from core.surrogate.control import item_at, preview, workload
from core.surrogate.faults import SurrogateError
from core.surrogate.filled_pool import pool_with
from core.surrogate.job.parameters import JUDGING, Sampling
from core.surrogate.job.spec import JobSpec
from core.surrogate.job.store import Store
from core.surrogate.worker.run import JobOutcome, run_job
from tests.core.surrogate.conftest import Fake, spec_for


def answered(n: int) -> Pool:
    """A pool with answers of the target gpt-4.1 to all items but the last."""
    records = [
        {"id": f"i{i}", "prompt": f"What is item {i}?", "targets": {"gpt-4.1": {"text": f"It is {i}."}}}
        for i in range(n)
    ]
    return Pool.from_records([*records, {"id": "last", "prompt": "What is item 99?"}], "judged")


def judging(pool: Pool, home: Path, url: str, **sampling: Any) -> JobSpec:
    sampling = {"k": 1, "extra": JUDGING} | sampling
    return replace(spec_for(pool, home, url, **sampling), judge="gpt-4.1")


def column(store: Store, pool: Pool, job: str) -> tuple[str, list[float]]:
    judged = pool_with(store, pool, job)
    (name,) = numeric_columns(judged)
    assert judged.generations is None and list(judged.targets) == list(pool.targets)
    return name, judged.items[name].tolist()


def test_a_judge_brings_the_probability_that_an_answer_is_right(store: Store, neyman_home: Path, fake: Fake) -> None:
    server, pool = fake(yes=0.6), answered(5)
    job = store.create(judging(pool, neyman_home, server.url), 6)
    assert run_job(store, job, lambda line: None) == JobOutcome("done with failures")
    name, values = column(store, pool, job)
    assert name == "gpt-4.1 judged by m"
    # P(yes) = 0.6 over both spellings, P(no) = 0.2.
    np.testing.assert_allclose(values, [0.75] * 5 + [np.nan], atol=1e-6)
    body = server.stats()["bodies"][0]
    assert body["top_logprobs"] == 20 and "n" not in body
    prompt = body["messages"][-1]["content"]
    assert "What is item 0?" in prompt and "A model answered:\n\nIt is 0." in prompt and prompt.endswith("Yes or No.")


def test_without_log_probabilities_the_verdicts_are_averaged(store: Store, neyman_home: Path, fake: Fake) -> None:
    server = fake(refuse={"logprobs": "openai", "top_logprobs": "openai"}, content="No … yes, no? Yes.")
    pool = answered(3)
    job = store.create(judging(pool, neyman_home, server.url, k=3), 4)
    run_job(store, job, lambda line: None)
    np.testing.assert_allclose(column(store, pool, job)[1], [1.0] * 3 + [np.nan])
    other = store.create(judging(pool, neyman_home, fake(content="I cannot say.").url), 4)
    run_job(store, other, lambda line: None)
    # A judge that never says yes or no brings no column.
    assert numeric_columns(pool_with(store, pool, other)) == ()


def test_a_judge_of_nobody_is_refused(store: Store, neyman_home: Path) -> None:
    pool = answered(2)
    spec = replace(judging(pool, neyman_home, "http://127.0.0.1:9/v1"), judge="nobody")
    with pytest.raises(SurrogateError, match="no answers of “nobody”"):
        workload(pool, spec)
    with pytest.raises(SurrogateError, match="no answers of “nobody”"):
        item_at(pool, 0, "nobody")
    assert run_job(store, store.create(spec, 3), lambda line: None).state == "failed"
    with pytest.raises(SurrogateError, match="cannot be a target's run"):
        JobSpec(pool.digest, "m", sampling=Sampling(k=1), target="a", judge="b")


def test_a_judges_work_is_bounded_and_its_own(neyman_home: Path) -> None:
    pool = answered(40)
    spec = judging(pool, neyman_home, "http://127.0.0.1:9/v1", max_tokens=5)
    chats = [messages(item_at(pool, place, "gpt-4.1"), spec.prompting) for place in range(40)]
    assert preview(pool, 3, spec.prompting, "gpt-4.1") == chats[3]
    size = sum(len(message["content"].encode()) for chat in chats for message in chat)
    expected = workload(pool, spec)
    assert expected.most_tokens is not None and expected.most_tokens > size + 41 * 5
    assert len({spec.key, replace(spec, judge=None).key, replace(spec, judge="other").key}) == 3
    assert spec.remarks() == []


def test_a_judges_run_by_the_command(neyman_home: Path, tmp_path: Path, fake: Fake) -> None:
    server = fake(yes=0.5)
    answered(4).write(tmp_path / "pool.jsonl")
    words = ["run", f"--pool={tmp_path / 'pool.jsonl'}", "--model=m", "--judge=gpt-4.1", f"--base-url={server.url}"]
    assert cli.main([*words, f"--out={tmp_path / 'judged.parquet'}"]) == 4
    from core.readers import read

    judged = read(tmp_path / "judged.parquet")
    np.testing.assert_allclose(judged.items["gpt-4.1 judged by m"].astype(float), [2 / 3] * 4 + [np.nan], atol=1e-6)
