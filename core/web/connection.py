"""How a server is reached: who asks, by which way, and whose certificates are trusted."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from .. import __version__

LOCAL_HOSTS = frozenset({"127.0.0.1", "localhost", "::1"})
CONNECT_SECONDS = 10.0


def options(
    address: str, headers: Mapping[str, str] | None, timeout: float, connect: float = CONNECT_SECONDS
) -> dict[str, Any]:
    """What every client of a server is made with: who asks, how long it waits, and by which way.

    Parameters
    ----------
    address : str
        Of the server.
    headers : mapping or None
        Of every request.
    timeout : float
        Seconds of silence.
    connect : float
        Seconds to reach it in.

    Returns
    -------
    dict
        Arguments of ``httpx2.Client`` and ``httpx2.AsyncClient``.
    """
    import httpx2

    return {
        "headers": {"User-Agent": f"neyman/{__version__}", **(headers or {})},
        "verify": _certificates(),
        "timeout": httpx2.Timeout(timeout, connect=min(connect, timeout)),
        # A proxy that the environment names stands between this machine and others, not between its own processes.
        "trust_env": urlsplit(address).hostname not in LOCAL_HOSTS,
    }


def bearer(key: str | None) -> dict[str, str]:
    """The header that carries a key; none without a key."""
    return {"Authorization": f"Bearer {key}"} if key else {}


@cache
def _certificates() -> ssl.SSLContext:
    """Reading the authorities' certificates takes longer than a request."""
    import httpx2

    return httpx2.create_ssl_context()
