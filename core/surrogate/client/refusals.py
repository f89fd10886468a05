"""Meanings of an error status: who is at fault, and whether it is worth another try.

Servers word their refusals freely. Recognised are OpenAI's error objects (``param``, ``code``), vLLM's, the lists of
FastAPI-like servers ({"detail": [{"loc": ["body", "top_k"], …}]}), and plain sentences.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from ...web import clean
from ..faults import ItemFault, ParameterFault, SurrogateError, TransientFault
from ..job.parameters import LIMITS

# Without these there is no request; a refusal that names them is about something else.
_INDISPENSABLE = frozenset({"model", "messages", "prompt", "stream"})

_TOO_LONG = re.compile(
    r"context[_ ]length|context window|maximum (?:model )?(?:context )?length|max_model_len|too many (?:input )?tokens"
    r"|(?:prompt|input|message|request)\S* (?:is |are |was )?(?:too (?:long|large)|longer than)|is too large: \d",
    re.IGNORECASE,
)
# Words about the answer's length, which a refusal has that would take the item with a lower limit, or without one.
_NO_ROOM = re.compile(r"max_(?:completion_)?tokens|in the completion|(?:output|completion) tokens", re.IGNORECASE)
# The same, whatever the item: the limit is beyond what the model ever writes.
_LOWER_LIMIT = re.compile(
    r"at most [\d,]+ (?:completion|output) tokens|cannot be greater than max_model_len", re.IGNORECASE
)
_FILTER = re.compile(r"content[_ ](?:filter|policy|management)|responsible ?ai|safety system|moderation", re.IGNORECASE)
_NO_CREDIT = re.compile(
    r"insufficient_quota|exceeded your current quota|billing|insufficient (?:credit|balance|funds)", re.I
)
_NO_MODEL = re.compile(
    r"model_not_found|model .{0,200}(?:does not exist|not found|is not available)|unknown model", re.I
)
# "n" alone is too short a word to be looked for: it must be quoted, or stand where a parameter stands.
_N = re.compile(
    r"[`'\"“]n[`'\"”]|\bparameters?:? n\b|\bn\s*(?:=|>|<|must|should|is not|cannot|can only)", re.IGNORECASE
)


def fault_of(
    status: int, text: str, wait: float | None, body: Mapping[str, Any], secrets: Iterable[str] = ()
) -> SurrogateError | ItemFault | TransientFault | ParameterFault:
    """The fault behind an answer with an error status.

    Parameters
    ----------
    status : int
        Of HTTP.
    text : str
        The answer's body.
    wait : float or None
        Seconds the server asks to wait.
    body : mapping
        The request.
    secrets : iterable of str
        What no message may contain.
    """
    words, named = words_of(text)
    reason = clean(words, secrets) or f"HTTP status {status}"
    # Some gateways answer a moderated prompt with 403; it concerns the item, not the key.
    if status == 401 or (status == 403 and not _FILTER.search(text)):
        return SurrogateError(f"The server refuses the key ({status}: {reason}); set NEYMAN_API_KEY to one it takes.")
    if status == 402 or (status == 429 and _NO_CREDIT.search(text)):
        return SurrogateError(f"The account has no credit left ({status}: {reason}).")
    if status == 429:
        return TransientFault("rate limit", f"The server asks for fewer requests ({reason}).", wait)
    if status in (408, 409, 425) or status >= 500:
        return TransientFault("server error", f"The server failed ({status}: {reason}).", wait)
    if status == 404 or _NO_MODEL.search(words):
        unknown = f"The server does not know the model “{body.get('model')}”, or has no chat completions here"
        return TransientFault("not found", f"{unknown} ({status}: {reason}).")
    if status == 405:
        return SurrogateError(f"There are no chat completions at this address ({status}: {reason}).")
    limits = [name for name in LIMITS if name in body]
    if limits and _LOWER_LIMIT.search(words):
        return ParameterFault(dict.fromkeys(limits, reason))
    if status == 413 or _TOO_LONG.search(words):
        no_room = bool(limits) and status != 413 and _NO_ROOM.search(words) is not None
        kind = "no room" if no_room else "too long"
        return ItemFault(kind, f"The item does not fit into the model ({reason}).")
    if _FILTER.search(text):
        return ItemFault("content filter", f"A content filter refuses the item ({reason}).")
    refused = _refused_parameters(words, named, body) if status in (400, 422) else []
    if refused:
        return ParameterFault(dict.fromkeys(refused, reason))
    return ItemFault("refused", f"The server refuses the item ({status}: {reason}).", final=False)


def _refused_parameters(words: str, named: Iterable[str], body: Mapping[str, Any]) -> list[str]:
    """Fields of ``body`` that a refusal is about: those it names in its own fields, or else in its sentence."""
    sent = [name for name in body if name not in _INDISPENSABLE]
    refused = [name for name in sent if name in set(named)]
    if refused:
        return refused
    refused = [
        name
        for name in sent
        if len(name) > 1 and re.search(rf"(?<![A-Za-z0-9_]){re.escape(name)}(?![A-Za-z0-9_])", words)
    ]
    if "n" in sent and _N.search(words):
        refused.append("n")
    if "max_tokens" in refused and "max_completion_tokens" in words:
        return ["max_tokens"]
    return refused


def words_of(text: str) -> tuple[str, list[str]]:
    """The sentences in an error's body, and the names of parameters in its fields."""
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return text, []
    error = body.get("error", body) if isinstance(body, dict) else body
    if isinstance(error, str):
        return error, []
    if not isinstance(error, dict):
        return text, []
    named = [str(error[key]).rpartition(".")[2] for key in ("param", "parameter") if error.get(key)]
    details = error.get("detail")
    if isinstance(details, list):
        details = [detail for detail in details if isinstance(detail, dict)]
        named += [str(part) for detail in details for part in detail.get("loc") or ()]
        details = "; ".join(str(detail.get("msg")) for detail in details)
    code = error.get("code") if error.get("code") != error.get("message") else None
    sentences = (error.get("message"), details, code)
    return ". ".join(str(sentence).rstrip(".") for sentence in sentences if sentence) or text, named
