"""One request to a server with OpenAI's interface, and what an error status means.

Servers word their refusals freely. Recognised are OpenAI's error objects (``param``, ``code``), vLLM's, the lists of
FastAPI-like servers ({"detail": [{"loc": ["body", "top_k"], …}]}), and plain sentences.

OpenAI's library sends a request as bytes and hands over its answer as bytes: typed objects of ten completions with
log-probabilities would take longer than everything else the worker does, and are built unchecked. Tries are counted by
the caller.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar
from urllib.parse import urlsplit

from ...web import ParallelClient, Redirected, TooLarge, WebError, bearer, clean, fits_header, retry_after
from ..faults import ItemFault, ParameterFault, SurrogateError, TransientFault
from ..job.parameters import KEY_VARIABLE, LIMITS, Connection
from .replies import Reply, largest, read_reply

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


_Seen = TypeVar("_Seen")
_OPENAI = "api.openai.com"
_LOOK_SECONDS = 5.0
_LOOK_BYTES = 4_000_000
_SHOWN_MODELS = 8
_MUCH = (
    "That is several times as long as such answers usually are. If yours are that long, set a token limit that"
    " allows it, or ask for fewer samples."
)
_TRUST = "Have it renewed, or trust its authority: SSL_CERT_FILE names a file with certificates."


class Client:
    """A server of chat completions.

    Parameters
    ----------
    url : str
        Its address, …/v1.
    key : str or None
        None if the server needs none.
    connection : Connection
        Timeout.

    Attributes
    ----------
    url : str
        Its address.
    """

    def __init__(self, url: str, key: str | None, connection: Connection) -> None:
        self.url = url
        self._base = url.rstrip("/")
        self._secrets = (key,) if key else ()
        self._server = ParallelClient(url, bearer(key), connection.timeout)

    async def aclose(self) -> None:
        """Close its connections."""
        await self._server.aclose()

    async def complete(self, body: Mapping[str, Any]) -> Reply:
        """Send one request.

        Raises
        ------
        TransientFault
            Another try may help.
        ItemFault
            This item cannot be generated.
        ParameterFault
            The server refuses parameters.
        SurrogateError
            No request will ever succeed (wrong key, unknown model, no credit left, a redirection to another server, a
            certificate that nobody vouches for).
        """
        path = "/completions" if "prompt" in body else "/chat/completions"
        content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        try:
            answer = await self._server.send(path, content, largest(body))
        except TooLarge as error:
            raise ItemFault("too large", f"The server's answer has {error.size}. {_MUCH}", False) from None
        except Redirected as error:
            raise SurrogateError(error.reason) from None
        except WebError as error:
            raise self._fault(error) from None
        if answer.is_success:
            return read_reply(answer.content, self._secrets)
        wait = retry_after(answer.headers, datetime.now(UTC))
        fault = fault_of(answer.status, answer.text, wait, body, self._secrets)
        if isinstance(fault, TransientFault) and fault.kind == "not found" and (models := await self.models()):
            more = f" and {len(models) - _SHOWN_MODELS:,} more" if len(models) > _SHOWN_MODELS else ""
            fault.message += f" It offers {', '.join(f'“{name}”' for name in models[:_SHOWN_MODELS])}{more}."
        raise fault

    async def vllm_version(self) -> str | None:
        """The version of vLLM behind the address; None if it is no vLLM, or does not say."""
        place = f"{self._base.removesuffix('/v1')}/version"
        version = await self._look(place, lambda shown: json.loads(shown)["version"])
        return clean(version, self._secrets, 40) if isinstance(version, str) else None

    async def models(self) -> tuple[str, ...]:
        """The models that the server offers, in its order; empty if it does not say."""
        names = await self._look("/models", lambda shown: [str(model["id"]) for model in json.loads(shown)["data"]])
        return tuple(clean(name, self._secrets) for name in names or ())

    async def _look(self, url: str, read: Callable[[bytes], _Seen]) -> _Seen | None:
        """Read what a server shows at an address; None if it shows nothing there, or nothing that can be read."""
        try:
            answer = await self._server.send(url, most=_LOOK_BYTES, seconds=_LOOK_SECONDS)
            return read(answer.content) if answer.is_success else None
        except (WebError, ValueError, KeyError, TypeError, RecursionError):
            return None

    def _fault(self, error: WebError) -> SurrogateError | TransientFault:
        """Return the fault behind a request without an answer."""
        if error.distrust:
            return SurrogateError(f"The certificate of {self.url} is not trusted: {error.distrust}. {_TRUST}")
        reason = clean(error.reason, self._secrets)
        if not error.reached:
            return TransientFault("unreachable", f"The server cannot be reached ({reason}).")
        if error.late:
            return TransientFault("timeout", "The server did not answer in time.")
        return TransientFault("connection", f"The connection was cut ({reason}).")


def api_key(connection: Connection, url: str) -> str | None:
    """The key for the server at ``url``, from the environment; None if there is none.

    OPENAI_API_KEY goes to OpenAI alone, unless ``key_variable`` names it.

    Raises
    ------
    SurrogateError
        The named variable is not set, or what it contains cannot be a key.
    """
    names = [connection.key_variable or KEY_VARIABLE]
    if connection.key_variable is None and urlsplit(url).hostname == _OPENAI:
        names.append("OPENAI_API_KEY")
    key = next(filter(None, (os.environ.get(name, "").strip() for name in names)), None)
    if key is None and connection.key_variable is not None:
        raise SurrogateError(f"The environment variable {connection.key_variable} is not set. Put the key into it.")
    if key is not None and not fits_header(key):
        raise SurrogateError(f"The value of {' or '.join(names)} cannot be a key: it has blanks or line breaks.")
    return key
