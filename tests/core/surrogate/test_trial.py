"""One generation before a run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from core.surrogate.faults import ItemFault, SurrogateError
from core.surrogate.job.parameters import JUDGING, Connection
from core.surrogate.job.source import Item
from core.surrogate.trial import offered, try_out
from tests.core.surrogate.conftest import Fake, pool_of, spec_for

ITEM = Item(0, "i0", "What is item 0?", kind="number")


def test_a_trial_says_what_the_server_takes(neyman_home: Path, fake: Fake) -> None:
    server = fake(refuse={"top_k": "openai", "repetition_penalty": "fastapi"}, answers=1, tokens=5, latency=0.4)
    (trial,) = try_out(spec_for(pool_of(3), neyman_home, server.url), ITEM)
    assert (trial.error, trial.model, trial.models) == ("", "fake-1", ("m",))
    assert (trial.text, trial.answer) == ("So it is.\nAnswer: 0", "0")
    assert set(trial.refused) == {"top_k", "repetition_penalty"}
    assert set(trial.taken) == {
        *("temperature", "top_p", "presence_penalty", "logprobs", "max_tokens", "repetition_detection", "n", "seed")
    }
    assert (trial.prompt_tokens, trial.completion_tokens) == (11, 10)
    # Only the last of three requests, which was answered, is timed.
    assert 0.4 <= trial.seconds < 0.8
    last = server.stats()["bodies"][-1]
    assert last["n"] == 2 and "seed" in last


def test_what_a_server_ignores_is_not_taken(neyman_home: Path, fake: Fake) -> None:
    (trial,) = try_out(spec_for(pool_of(3), neyman_home, fake(ignore_n=True, refuse={"seed": "plain"}).url), ITEM)
    assert set(trial.refused) == {"n", "seed"} and not {"n", "seed"} & set(trial.taken)


def test_a_judges_verdict_is_its_answer(neyman_home: Path, fake: Fake) -> None:
    spec = spec_for(pool_of(3), neyman_home, fake(yes=0.6).url, k=1, extra=JUDGING)
    (trial,) = try_out(replace(spec, judge="t"), replace(ITEM, response="Two."))
    assert trial.answer == "0.750000" and "top_logprobs" in trial.taken


def test_every_address_is_tried(neyman_home: Path, fake: Fake) -> None:
    good, locked, dead = fake(key="secret-key-1"), fake(key="secret-key-2"), fake()
    dead.process.kill()
    spec = spec_for(pool_of(3), neyman_home, good.url)
    urls = (good.url, locked.url, dead.url)
    trials = try_out(replace(spec, connection=replace(spec.connection, base_urls=urls)), ITEM, "secret-key-1")
    assert [trial.url for trial in trials] == list(urls)
    assert trials[0].error == "" and trials[0].answer is not None
    assert "refuses the key" in trials[1].error and "cannot be reached" in trials[2].error
    assert "secret-key" not in repr(trials)


def test_the_models_of_a_server_are_named(neyman_home: Path, fake: Fake) -> None:
    server = fake(model="other")
    assert offered(server.url) == ("m",)
    (trial,) = try_out(spec_for(pool_of(3), neyman_home, server.url), ITEM)
    assert "does not know the model “m”" in trial.error and trial.error.endswith("It offers “m”.")


def test_a_trial_without_address_or_prompt_is_refused(neyman_home: Path) -> None:
    spec = spec_for(pool_of(3), neyman_home, "http://127.0.0.1:1/v1")
    with pytest.raises(SurrogateError, match="no address"):
        try_out(replace(spec, connection=Connection()), ITEM)
    with pytest.raises(ItemFault, match="no prompt"):
        try_out(spec, Item(0, "i0", " "))
