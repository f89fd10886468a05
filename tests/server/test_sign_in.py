"""Signing in with an account, from the porter to the provider and back, with a provider that stands here."""

from __future__ import annotations

import json
import secrets
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.cookiejar import CookieJar
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from joserfc import jwt
from joserfc.jwk import RSAKey

from tests.browser.servers import Server, forked


class Provider(BaseHTTPRequestHandler):
    """An OpenID provider at which everybody is signed in already, as ``email``."""

    key: ClassVar[RSAKey] = RSAKey.generate_key(2048, {"kid": "one"})
    email: ClassVar[str] = ""
    nonces: ClassVar[dict[str, str]] = {}
    issuer: ClassVar[str] = ""

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        if address.path == "/authorize":
            given = {name: values[0] for name, values in parse_qs(address.query).items()}
            code = f"code-{len(self.nonces)}"
            self.nonces[code] = given["nonce"]
            self.send_response(302)
            self.send_header(
                "Location", f"{given['redirect_uri']}?{urlencode({'code': code, 'state': given['state']})}"
            )
            self.end_headers()
        elif address.path == "/jwks":
            self._send({"keys": [self.key.as_dict(private=False)]})
        else:
            ends = {
                "authorization_endpoint": "authorize",
                "token_endpoint": "token",
                "jwks_uri": "jwks",
            }
            self._send(
                {"issuer": self.issuer, "id_token_signing_alg_values_supported": ["RS256"]}
                | {name: f"{self.issuer}/{path}" for name, path in ends.items()}
            )

    def do_POST(self) -> None:
        given = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        claims = {
            "iss": self.issuer,
            "sub": self.email,
            "aud": "neyman",
            "exp": 4_000_000_000,
            "iat": 1_700_000_000,
            "nonce": self.nonces.pop(given["code"][0]),
            "email": self.email,
            "email_verified": True,
        }
        token = jwt.encode({"alg": "RS256", "kid": "one"}, claims, self.key)
        self._send({"access_token": "a", "token_type": "Bearer", "id_token": token})

    def log_message(self, format: str, *arguments: Any) -> None:
        """Say nothing."""

    def _send(self, answer: object) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())


@pytest.fixture(scope="module")
def provider() -> Iterator[type[Provider]]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Provider) as server:
        Provider.issuer = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield Provider
        server.shutdown()
        thread.join()


def started(provider: type[Provider], folder: Path, secret: str) -> Server:
    """A shared app whose secrets set up the provider, with this secret for cookies."""
    (folder / ".streamlit").mkdir()
    (folder / ".streamlit" / "secrets.toml").write_text(
        f"""
[auth]
redirect_uri = "http://127.0.0.1:{{port}}/oauth2callback"
cookie_secret = "{secret}"
client_id = "neyman"
client_secret = "hush"
server_metadata_url = "{provider.issuer}/.well-known/openid-configuration"

[neyman]
people = ["ann@example.org"]
""",
        encoding="utf-8",
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(folder))
        return forked(folder, "--share", "127.0.0.1", ahead=False)


@pytest.fixture(scope="module")
def shared(provider: type[Provider], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = started(provider, tmp_path_factory.mktemp("accounts"), secrets.token_urlsafe(32))
    server.wait_until_healthy(shared=True)
    yield server
    server.stop()
    assert server.complaints() == []


def test_who_may_come_in_signs_in_and_nobody_else(shared: Server, provider: type[Provider]) -> None:
    for email, status in (("ann@example.org", 200), ("eve@example.org", 401)):
        provider.email = email
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        try:
            with browser.open(f"{shared.url}/sign-in", timeout=60) as answer:
                assert answer.url == f"{shared.url}/"
                assert (answer.status, status) == (200, 200) and "Access code" not in answer.read().decode()
        except urllib.error.HTTPError as refused:
            assert (refused.code, status) == (401, 401) and refused.url == f"{shared.url}/"


def test_an_answer_that_nobody_asked_the_provider_for_opens_nothing(shared: Server) -> None:
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
    with pytest.raises(urllib.error.HTTPError, match="401"):
        browser.open(f"{shared.url}/oauth2callback?code=code-0&state=forged", timeout=60)
