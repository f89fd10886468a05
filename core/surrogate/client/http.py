"""One request to a server with OpenAI's interface, and what its answer means.

OpenAI's library sends a request as bytes and hands over its answer as bytes: typed objects of ten completions with
log-probabilities would take longer than everything else the worker does, and are built unchecked. Tries are counted by
the caller.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar
from urllib.parse import urlsplit

from ...web import ParallelClient, Redirected, TooLarge, WebError, bearer, clean, fits_header, retry_after
from ..faults import ItemFault, SurrogateError, TransientFault
from ..job.parameters import KEY_VARIABLE, Connection
from .refusals import fault_of
from .replies import Reply, largest, read_reply

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
