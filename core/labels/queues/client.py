"""The HTTP interface of a labelling tool: JSON out and in, and one sentence if it does not answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from ...errors import LabelError
from ...files.jsontext import BadJson, decode
from ...pool.problems import shown
from ...web import TOO_MANY, Answer, WebClient, WebError, clean, fits_header
from .services import Queue

_CONTESTED = frozenset({409, 422})
_LONGEST = 200
# If error objects say what is wrong, the closest first.
_SAYING = ("validation_errors", "detail", "message", "error", "params")


class Refused(LabelError):
    """An answer with an error status; ``status`` is that of HTTP.

    ``contested``: two may have written at the same moment, so that what is there should be read again.
    """

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status
        self.contested = status in _CONTESTED


class Changed(Refused):
    """Something was added or removed while it was read; ``place`` says where."""

    def __init__(self, place: str) -> None:
        super().__init__(f"The {place} changed while it was read. Try again.", 409)


class QueueClient:
    """A server, with the key that it knows us by.

    Parameters
    ----------
    queue : Queue
        The service, its address and its keys.
    headers : mapping, optional
        Of every request, such as the one with the key.
    basic : (str, str), optional
        User name and password of every request.

    Raises
    ------
    LabelError
        The address is not one of HTTP, or a key is missing or cannot be one.
    """

    def __init__(
        self,
        queue: Queue,
        headers: Mapping[str, str] | None = None,
        basic: tuple[str, str] | None = None,
    ) -> None:
        self._service, self._address = queue.about, queue.root
        parts = urlsplit(self._address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            example = self._service.address
            raise LabelError(f"“{shown(queue.address, 60)}” is not an address. Write it like {example}.")
        for name, key in zip(self._service.keys, queue.keys, strict=True):
            if not key:
                raise LabelError(f"The key for {self._service.title} is missing. Put it into {name}.")
            if not fits_header(key):
                raise LabelError(f"The value of {name} cannot be a key: it has blanks or line breaks.")
        self._secrets = list(queue.keys)
        self._renew: Callable[[], None] | None = None
        self._client = WebClient(self._address, headers, basic)

    def close(self) -> None:
        """Close its connections."""
        self._client.close()

    def authorize(self, scheme: str, secret: str) -> None:
        """Send ``secret`` with every request from now on, under a scheme such as "Bearer", and in no message."""
        self._secrets.append(secret)
        self._client.authorize(scheme, secret)

    def renew_with(self, renew: Callable[[], None]) -> None:
        """Call this if the server no longer knows the key, and then send the same request again, once."""
        self._renew = renew

    def get(self, path: str, **parameters: Any) -> Any:
        """Read a document.

        Parameters
        ----------
        path : str
            Below the server's address, from "/" on.
        **parameters
            Of the query; None is left out.

        Returns
        -------
        object
            What its JSON says.

        Raises
        ------
        Refused
            The server answers with an error.
        LabelError
            It cannot be reached, or it answers no JSON.
        """
        return self._send("GET", path, parameters=parameters, safe=True)

    def post(self, path: str, body: Any, safe: bool = False) -> Any:
        """Write a document.

        Parameters
        ----------
        path : str
            Below the server's address.
        body : object
            The document, sent as JSON.
        safe : bool
            Doing it twice is as doing it once, so that it may be repeated.

        Returns
        -------
        object
            What its JSON says; None if the answer is empty.

        Raises
        ------
        Refused, LabelError
            As in `get`; or the connection was lost, and nobody knows whether the server has acted.
        """
        return self._send("POST", path, body, safe=safe)

    def put(self, path: str, body: Any = None) -> Any:
        """Write a document if doing it twice is as doing it once; as `post`."""
        return self._send("PUT", path, body, safe=True)

    def delete(self, path: str, **parameters: Any) -> None:
        """Delete something, or find it gone; as `put`."""
        try:
            self._send("DELETE", path, parameters=parameters, safe=True)
        except Refused as error:
            if error.status != 404:
                raise

    def _send(
        self, method: str, path: str, body: Any = None, *, parameters: Mapping[str, Any] | None = None, safe: bool
    ) -> Any:
        given = {name: value for name, value in (parameters or {}).items() if value is not None}
        try:
            return self._document(self._client.send(method, path, safe, json=body, params=given or None))
        except WebError as error:
            if error.answer is None:
                raise self._unanswered(error, safe) from None
            if error.answer.status != 401 or self._renew is None:
                failure = self._refused(error.answer)
                # A database may refuse what its server has not foreseen.
                failure.contested |= not safe and error.answer.status >= 500
                raise failure from None
        renew, self._renew = self._renew, None
        try:
            renew()
            return self._send(method, path, body, parameters=parameters, safe=safe)
        finally:
            self._renew = renew

    def _document(self, answer: Answer) -> Any:
        if not answer.content:
            return None
        try:
            return decode(answer.content.decode())
        except (BadJson, UnicodeDecodeError):
            raise LabelError(self.stranger) from None

    def _unanswered(self, error: WebError, safe: bool) -> LabelError:
        title, reason = self._service.title, self._clean(error.reason)
        if not error.reached:
            return LabelError(f"{title} cannot be reached at {self._address} ({reason}). Check the address.")
        remedy = "Try again." if safe else "Send the list again: what has arrived is not sent twice."
        return LabelError(f"The connection to {title} was lost ({reason}). {remedy}")

    def _refused(self, answer: Answer) -> Refused:
        status, title, keys = answer.status, self._service.title, " and ".join(self._service.keys)
        reason = self._clean(_words(answer))
        said = f" ({reason})" if reason else ""
        if status == 401:
            return Refused(f"{title} does not know the key in {keys}{said}. Make a new one there.", status)
        if status == 403:
            return Refused(f"{title} does not let the owner of the key in {keys} do this{said}.", status)
        if answer.location:
            place = self._clean(answer.location)
            return Refused(
                f"{self._address} leads to {place}, and lists go only where you say. Give that address.", status
            )
        if status == TOO_MANY:
            return Refused(f"{title} asks for fewer requests{said}. Try again in a minute.", status)
        if status == 404:
            return Refused(f"{self.stranger}{said}", status)
        if status >= 500:
            return Refused(f"{title} failed with status {status}{said}. Try again.", status)
        return Refused(f"{title} refuses this with status {status}{said}.", status)

    @property
    def stranger(self) -> str:
        """Return the error for a server that is not the one expected."""
        return f"The server at {self._address} does not answer as {self._service.title} does. Check the address."

    def _clean(self, text: str) -> str:
        """Return a server's words on one short line without any key."""
        return shown(clean(text, self._secrets), _LONGEST).rstrip(".")


def _words(answer: Answer) -> str:
    """Return the sentence in an error's body, "" if there is none: a page of HTML says nothing."""
    try:
        body = decode(answer.content.decode())
    except (BadJson, UnicodeDecodeError):
        return ""
    while isinstance(body, dict):
        body = next((body[name] for name in _SAYING if body.get(name)), "")
    return body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
