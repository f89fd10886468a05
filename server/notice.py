"""A page of a sentence or two, without scripts, which says what to do; the app is not behind it."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment
from starlette.responses import HTMLResponse, Response

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
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
