"""Where a server may send the requests."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from pathlib import Path

import httpx2
import pytest

from core.surrogate.job.store import Store
from core.surrogate.worker.run import run_job
from core.web import Redirected
from core.web.openai_servers import refuse_other_requests
from tests.core.surrogate.conftest import Fake, pool_of, spec_for


def test_prompts_are_not_handed_on_to_another_server(store: Store, neyman_home: Path, fake: Fake) -> None:
    elsewhere = fake()
    server = fake(redirect=(307, f"{elsewhere.url.removesuffix('/v1')}PATH"))
    outcome = run_job(store, store.create(spec_for(pool_of(5), neyman_home, server.url), 5), lambda line: None)
    assert outcome.state == "failed"
    assert "redirects" in outcome.error and elsewhere.url.removesuffix("/v1") in outcome.error
    assert elsewhere.stats()["bodies"] == []


@pytest.mark.parametrize(
    ("url", "location", "follows"),
    [
        ("https://h/v1/chat/completions", "/v2/chat/completions", True),
        ("https://h/v1/chat/completions", "https://h:443/v2", True),
        ("http://h/v1/chat/completions", "https://h/v1/chat/completions", True),
        ("http://h:8000/v1", "http://h:8001/v1", False),
        ("http://h:8000/v1", "https://h:8000/v1", False),
        ("https://h/v1", "http://h/v1", False),
        ("https://h/v1", "https://h.evil.example/v1", False),
        ("https://h/v1", "//evil.example/v1", False),
    ],
)
def test_a_redirection_stays_at_the_server(url: str, location: str, follows: bool) -> None:
    response = httpx2.Response(307, headers={"location": location}, request=httpx2.Request("POST", url))
    with nullcontext() if follows else pytest.raises(Redirected):
        asyncio.run(refuse_other_requests(response))
