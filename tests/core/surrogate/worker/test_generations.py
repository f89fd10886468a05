"""Ways to ask: base models, examples before the item, answers that the server holds to letters."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.surrogate.control import workload
from core.surrogate.job.parameters import Prompting, Sampling, Shot
from core.surrogate.job.spec import JobSpec
from core.surrogate.job.store import Store
from core.surrogate.worker.run import JobOutcome, run_job
from tests.core.surrogate.conftest import Fake, pool_of, spec_for

SHOTS = (Shot("What is item 7?", "Answer: 7"), Shot("What is item 8?", "Answer: 8", ("seven", "eight")))


def prompted(n: int, home: Path, url: str, prompting: Prompting, **pool: Any) -> JobSpec:
    spec = spec_for(pool_of(n, **pool), home, url)
    return replace(spec, sampling=Sampling(k=4), prompting=prompting)


def answers(store: Store) -> list[tuple[str, str | None, float | None]]:
    with store.database.connection() as database:
        query = "SELECT text, answer, logprob FROM surrogate_generations ORDER BY position, sample"
        return list(database.execute(query).fetchall())


def test_a_base_model_continues_a_text(store: Store, neyman_home: Path, fake: Fake) -> None:
    server = fake(answers=1, content="0")
    spec = prompted(6, neyman_home, server.url, Prompting("Questions and answers.", shots=SHOTS[:1], base_model=True))
    assert run_job(store, store.create(spec, 6), lambda line: None) == JobOutcome("done")
    first = server.stats()["bodies"][0]
    assert first["prompt"] == (
        "Questions and answers.\n\n\nQuestion: What is item 7?\n\nAnswer: Answer: 7\n\n\n"
        "Question: What is item 0?\n\nAnswer:"
    )
    assert "messages" not in first and (first["n"], first["logprobs"]) == (4, 1)
    assert (first["stop"], first["max_tokens"]) == (["\nQuestion:"], 4096)
    assert answers(store) == [(" 0", "0", -0.75)] * 24


def test_a_base_model_without_a_cue_has_no_stop_and_keeps_the_jobs_limit(
    store: Store, neyman_home: Path, fake: Fake
) -> None:
    server = fake()
    spec = prompted(2, neyman_home, server.url, Prompting(template="{question}", base_model=True))
    spec = replace(spec, sampling=Sampling(k=1, max_tokens=9, logprobs=False))
    run_job(store, store.create(spec, 2), lambda line: None)
    body = server.stats()["bodies"][0]
    assert body["max_tokens"] == 9 and not {"stop", "logprobs"} & set(body)


def test_examples_are_turns_of_the_chat(store: Store, neyman_home: Path, fake: Fake) -> None:
    server = fake()
    spec = prompted(3, neyman_home, server.url, Prompting("Be brief.", template="{question}\n\n{choices}", shots=SHOTS))
    assert run_job(store, store.create(spec, 3), lambda line: None) == JobOutcome("done")
    chat = server.stats()["bodies"][0]["messages"]
    assert [message["role"] for message in chat] == ["system", "user", "assistant", "user", "assistant", "user"]
    assert [message["content"] for message in chat[3:]] == [
        "What is item 8?\n\nA. seven\nB. eight", "Answer: 8", "What is item 0?",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("behaviour", "field"),
    [
        ({"guides": ["structured_outputs"]}, "structured_outputs"),
        # Older servers ignore the newer field, or refuse it.
        ({"guides": ["guided_choice"]}, "guided_choice"),
        ({"guides": ["guided_choice"], "refuse": {"structured_outputs": "fastapi"}}, "guided_choice"),
        ({}, None),
    ],
)
@pytest.mark.parametrize("kind", ["choice", "gpqa"])
def test_answers_are_held_to_the_items_letters(
    behaviour: dict[str, Any], field: str | None, kind: str, store: Store, neyman_home: Path, fake: Fake
) -> None:
    # GPQA's rules read no letter that stands alone.
    letters = [f"{'Answer: ' * (kind == 'gpqa')}{letter}" for letter in "ABC"]
    server = fake(**behaviour, content="I would say {}")
    prompting = Prompting(letters_only=True)
    spec = prompted(8, neyman_home, server.url, prompting, choices=["one", "two", "three"], answer_kind=kind)
    job = store.create(spec, 8)
    assert run_job(store, job, lambda line: None) == JobOutcome("done")
    sent = json.loads(store.row(job).sent or "")
    last = server.stats()["bodies"][-1]
    assert sent["guide"] == field
    assert last["messages"][-1]["content"].endswith("Answer with the letter of the right option alone.")
    if field is None:
        assert set(sent["dropped"]) == {"structured_outputs", "guided_choice"}
        assert not {"structured_outputs", "guided_choice"} & set(last)
    else:
        assert last[field] == ({"choice": letters} if field == "structured_outputs" else letters)
        assert {answer for _, answer, _ in answers(store)} == {"A", "B", "C"}
        assert {text for text, _, _ in answers(store)} == set(letters)


def test_items_without_options_are_held_to_nothing(store: Store, neyman_home: Path, fake: Fake) -> None:
    server = fake(guides=["structured_outputs"])
    spec = prompted(3, neyman_home, server.url, Prompting(letters_only=True))
    assert run_job(store, store.create(spec, 3), lambda line: None) == JobOutcome("done")
    assert not any("structured_outputs" in body for body in server.stats()["bodies"])


def test_the_workload_counts_the_examples(neyman_home: Path) -> None:
    pool = pool_of(4)
    bare = JobSpec(pool.digest, "m", sampling=Sampling(k=2, max_tokens=10))
    shown = replace(bare, prompting=Prompting(shots=SHOTS * 5))
    more = (workload(pool, shown).most_tokens or 0) - (workload(pool, bare).most_tokens or 0)
    assert more > 4 * 2 * sum(len(shot.prompt + shot.answer) for shot in SHOTS * 5)
    assert workload(pool, shown).prompt_tokens > workload(pool, bare).prompt_tokens
