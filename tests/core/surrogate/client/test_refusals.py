"""What servers say when they refuse, as they word it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core.surrogate.client.http import fault_of
from core.surrogate.faults import ItemFault, ParameterFault, SurrogateError, TransientFault
from core.web import clean

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
        (400, error("max_tokens=4096 cannot be greater than max_model_len=256.", param="max_tokens"), {"max_tokens"}),
        (400, error("max_tokens is too large: 99. This model supports at most 9 completion tokens"), {"max_tokens"}),
    ],
)
def test_refused_parameters_are_named(status: int, text: str, names: set[str]) -> None:
    fault = fault_of(status, text, None, BODY)
    assert isinstance(fault, ParameterFault)
    assert set(fault.reasons) == names


@pytest.mark.parametrize(
    ("status", "text", "kind"),
    [
        (400, error(LONG, code="context_length_exceeded"), "no room"),
        (400, error(LARGE), "no room"),
        (400, error("The decoder prompt (length 600) is longer than the maximum model length of 256."), "too long"),
        (413, "", "too long"),
        (400, error(POLICY, code="content_filter"), "content filter"),
        (403, error("Your input was flagged by moderation"), "content filter"),
        (400, error("Invalid image data"), "refused"),
        (418, "teapot", "refused"),
        (400, "", "refused"),
    ],
)
def test_items_that_cannot_be_generated_are_told_from_parameters(status: int, text: str, kind: str) -> None:
    fault = fault_of(status, text, None, BODY)
    assert isinstance(fault, ItemFault)
    # Whatever else a server refuses, it may answer the next time.
    assert (fault.kind, fault.final) == (kind, kind != "refused")


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (401, error("Incorrect API key provided")),
        (403, ""),
        (402, error("Payment required")),
        (429, error("You exceeded your current quota", code="insufficient_quota")),
        (405, ""),
    ],
)
def test_what_no_request_survives_stops_the_job(status: int, text: str) -> None:
    assert isinstance(fault_of(status, text, None, BODY), SurrogateError)


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
def test_what_passes_is_tried_again(status: int) -> None:
    fault = fault_of(status, "<html>upstream</html>", 3.0, BODY)
    assert isinstance(fault, TransientFault)
    assert fault.retry_after == 3.0


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (404, error("The model `m` does not exist.")),
        (404, json.dumps({"detail": "Not Found"})),
        (400, error("The model `m` does not exist or you do not have access to it.", code="model_not_found")),
    ],
)
def test_a_model_that_is_not_there_may_come_back(status: int, text: str) -> None:
    fault = fault_of(status, text, None, BODY)
    assert isinstance(fault, TransientFault) and fault.kind == "not found"


def test_messages_carry_no_secret_and_no_novel() -> None:
    message = str(
        fault_of(
            401,
            error("Bad key my-own-key and sk-abcdefgh12345 Bearer xyz789 " + "x" * 5000),
            None,
            BODY,
            ["my-own-key"],
        )
    )
    for secret in ("my-own-key", "abcdefgh12345", "xyz789"):
        assert secret not in message
    assert len(message) < 450
    assert clean("a\n\tb\0c", ["", None or ""]) == r"a b\u0000c"
