"""What servers say when they refuse, as they word it, and how long they want to be left alone."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from core.surrogate.client.client import retry_after
from core.surrogate.client.refusals import meaning
from core.surrogate.client.throttle import Throttle, pause
from core.surrogate.faults import ItemFault, Refused, SurrogateError, Trouble, clean
from core.surrogate.job.store import datetime_now

INSTEAD = "'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
ONLY_ONE = "'temperature' does not support 0.7 with this model. Only the default (1) value is supported."
NOT_ALLOWED = {"loc": ["body", "top_k"], "msg": "Not permitted"}, {"loc": ["body", "seed"], "msg": "Not permitted"}
LONG = (
    "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (1000 in the completion)."
)
LARGE = "'max_tokens' is too large: 300. This model's maximum context length is 256 tokens and your request has 20"
POLICY = "The response was filtered due to the prompt triggering Azure OpenAI's content management policy."
TWO = "Unrecognized request arguments supplied: repetition_penalty, top_k"

BODY = {
    "model": "m",
    "messages": [],
    "n": 10,
    "temperature": 0.7,
    "top_p": 0.8,
    "top_k": 20,
    "presence_penalty": 1.5,
    "repetition_penalty": 1.0,
    "max_tokens": 99,
    "logprobs": True,
    "seed": 1,
}


def error(message: str, **more: Any) -> str:
    return json.dumps({"error": {"message": message} | more})


@pytest.mark.parametrize(
    ("status", "text", "names"),
    [
        (400, error(f"Unsupported parameter: {INSTEAD}", param="max_tokens"), {"max_tokens"}),
        (400, error(f"Unsupported parameter: {INSTEAD}"), {"max_tokens"}),
        (400, error(f"Unsupported value: {ONLY_ONE}", param="temperature", code="unsupported_value"), {"temperature"}),
        (400, error(TWO), {"repetition_penalty", "top_k"}),
        (400, error("You are not allowed to request logprobs from this model."), {"logprobs"}),
        (400, error("Invalid value for 'n': must be 1", param="n"), {"n"}),
        (400, error("n must be 1"), {"n"}),
        (400, error("property 'repetition_penalty' is unsupported"), {"repetition_penalty"}),
        (422, json.dumps({"detail": NOT_ALLOWED}), {"top_k", "seed"}),
        (400, json.dumps({"object": "error", "message": "presence_penalty must be 0"}), {"presence_penalty"}),
        (400, "top_p is not supported", {"top_p"}),
    ],
)
def test_refused_parameters_are_named(status: int, text: str, names: set[str]) -> None:
    found = meaning(status, text, None, BODY)
    assert isinstance(found, Refused)
    assert set(found.reasons) == names


@pytest.mark.parametrize(
    ("status", "text", "kind"),
    [
        (400, error(LONG, code="context_length_exceeded"), "too long"),
        (400, error(LARGE), "too long"),
        (400, error("The decoder prompt (length 600) is longer than the maximum model length of 256."), "too long"),
        (413, "", "too long"),
        (400, error(POLICY, code="content_filter"), "content filter"),
        (403, error("Your input was flagged by moderation"), "content filter"),
        (400, error("Invalid image data"), "refused"),
        (418, "teapot", "refused"),
    ],
)
def test_items_that_cannot_be_generated_are_told_from_parameters(status: int, text: str, kind: str) -> None:
    found = meaning(status, text, None, BODY)
    assert isinstance(found, ItemFault)
    assert found.kind == kind and found.final


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (401, error("Incorrect API key provided")),
        (403, ""),
        (402, error("Payment required")),
        (429, error("You exceeded your current quota", code="insufficient_quota")),
        (404, error("The model `m` does not exist.")),
        (404, json.dumps({"detail": "Not Found"})),
        (400, error("The model `m` does not exist or you do not have access to it.", code="model_not_found")),
        (405, ""),
    ],
)
def test_what_no_request_survives_stops_the_job(status: int, text: str) -> None:
    assert isinstance(meaning(status, text, None, BODY), SurrogateError)


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
def test_what_passes_is_tried_again(status: int) -> None:
    found = meaning(status, "<html>upstream</html>", 3.0, BODY)
    assert isinstance(found, Trouble)
    assert found.retry_after == 3.0


def test_messages_carry_no_secret_and_no_novel() -> None:
    told = str(
        meaning(
            401,
            error("Bad key my-own-key and sk-abcdefgh12345 Bearer xyz789 " + "x" * 5000),
            None,
            BODY,
            ["my-own-key"],
        )
    )
    for secret in ("my-own-key", "abcdefgh12345", "xyz789"):
        assert secret not in told
    assert len(told) < 450
    assert clean("a\n\tb\0c", ["", None or ""]) == "a b\0c"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": format_datetime(datetime_now() - timedelta(hours=1), usegmt=True)}, None),
    ],
)
def test_retry_after_is_read_in_every_form(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds


def test_a_date_to_retry_after_is_a_wait() -> None:
    wait = retry_after({"retry-after": format_datetime(datetime_now() + timedelta(seconds=90), usegmt=True)})
    assert wait is not None and 60 < wait <= 90


def test_the_limit_halves_once_for_a_burst_and_recovers() -> None:
    async def scenario() -> tuple[float, float, float]:
        throttle = Throttle(32)
        for _ in range(20):
            throttle.overloaded()
        halved = throttle.limit
        for _ in range(300):
            throttle.succeeded()
        recovered = throttle.limit
        for _ in range(40):
            throttle._cut_at = -1.0
            throttle.overloaded()
        return halved, recovered, throttle.limit

    assert asyncio.run(scenario()) == (16.0, 32.0, 1.0)


def test_no_more_than_the_limit_are_under_way_and_all_get_their_turn() -> None:
    async def scenario() -> tuple[int, int]:
        throttle = Throttle(8)
        most = done = 0

        async def request(number: int) -> None:
            nonlocal most, done
            async with throttle.slot():
                most = max(most, throttle.active)
                await asyncio.sleep(0)
                if number == 10:
                    throttle.overloaded(0.01)
                throttle.succeeded()
            done += 1

        tasks = [asyncio.create_task(request(number)) for number in range(200)]
        for task in tasks[20:40]:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert throttle.active == 0
        return most, done

    assert asyncio.run(scenario()) == (8, 180)


def test_a_requested_wait_is_kept() -> None:
    async def scenario() -> float:
        loop = asyncio.get_running_loop()
        throttle = Throttle(4)
        began = loop.time()
        throttle.overloaded(0.2)
        async with throttle.slot():
            return loop.time() - began

    assert asyncio.run(scenario()) >= 0.2


def test_pauses_double_vary_and_are_bounded() -> None:
    pauses = [[pause(attempt, 0.5) for _ in range(200)] for attempt in range(12)]
    assert all(0.25 * 2**a <= p <= 0.5 * 2**a for a in range(5) for p in pauses[a])
    assert all(p <= 30 for p in pauses[11])
    assert len(set(pauses[3])) > 100
