"""A page of a few sentences, without scripts, in place of the app; and what somebody typed into its one field."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qs

from jinja2 import Environment
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from server.door import foreign

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
_LONGEST = 1024
_TEMPLATE = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(
    Path(__file__).with_name("door.html").read_text(encoding="utf-8")
)


def notice(status: int, said: str, retry_after: int | None = None, **more: str) -> Response:
    """Return a page.

    Parameters
    ----------
    status : int
        Of HTTP.
    said : str
        Its first sentences.
    retry_after : int, optional
        Seconds after which the same may be asked again.
    **more : str
        What else it shows: ``enter``, the address of a field for the access code, or ``token``, of one for the token;
        ``sign_in``, the way to an account; ``again``, a link that opens the app.
    """
    headers = {"content-security-policy": _POLICY, "cache-control": "no-store"}
    if retry_after is not None:
        headers["retry-after"] = str(retry_after)
    return HTMLResponse(_TEMPLATE.render(said=said, **more), status, headers)


async def posted(request: Request, field: str) -> str | Response:
    """Return what was typed into the field of a page; a refusal if another site sent it, or it is far too long."""
    origin = request.headers.get("origin")
    if origin is None or foreign(origin, request.headers.get("host")):
        return PlainTextResponse("Another site sent this request.", 403)
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > _LONGEST:
            return PlainTextResponse("This is too long.", 413)
    return parse_qs(body.decode(errors="replace")).get(field, [""])[0]
