"""Servers whose certificate cannot be trusted: told at once, in a sentence, and nothing reaches them."""

from __future__ import annotations

import gc
import json
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from threading import Thread
from warnings import catch_warnings

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from core.surrogate.job.store import Store
from core.surrogate.worker.run import JobOutcome, run_job
from core.web import WebClient, WebError, client
from tests.core.surrogate.conftest import Fake, pool_of, spec_for

NAME = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "an authority")])


def certificate(folder: Path, days: int, host: str) -> Path:
    """A certificate for a host that has or had so many days left, signed with its own key, and that key."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(NAME)
        .issuer_name(NAME)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=30))
        .not_valid_after(now + timedelta(days=days))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address(host))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    plain = serialization.NoEncryption()
    secret = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    path = folder / f"{days}-{host}.pem"
    path.write_bytes(secret + made.public_bytes(serialization.Encoding.PEM))
    return path


@contextmanager
def serving(path: Path) -> Iterator[tuple[str, list[bytes]]]:
    """A server at 127.0.0.1 with this certificate; its address, and the requests that it got."""
    seen = list[bytes]()
    choice = {"index": 0, "message": {"content": "Answer: 1"}, "finish_reason": "stop"}

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            pass

        def do_POST(self) -> None:
            seen.append(self.rfile.read(int(self.headers["Content-Length"])))
            content = json.dumps({"model": "m", "choices": [choice]}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    class Server(ThreadingHTTPServer):
        def handle_error(self, *args: object) -> None:
            pass

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    with Server(("127.0.0.1", 0), Handler) as server:
        # Each connection agrees in its own thread, where nobody else waits for a client that has gone.
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield f"https://127.0.0.1:{server.server_address[1]}/v1", seen
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(autouse=True)
def trust(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Look again for whom this process trusts."""
    client._certificates.cache_clear()
    yield monkeypatch
    client._certificates.cache_clear()
    # The HTTP library leaves a connection open if its handshake is cancelled; here it is closed, beside no other test.
    with catch_warnings(action="ignore", category=ResourceWarning):
        gc.collect()


@pytest.mark.parametrize(
    ("days", "host", "trusted", "why"),
    [
        (-1, "127.0.0.1", True, "certificate has expired"),
        (30, "127.0.0.1", False, "self-signed certificate"),
        (30, "127.0.0.2", True, "IP address mismatch"),
    ],
)
def test_a_certificate_that_cannot_be_trusted_ends_a_run_with_its_reason(
    days: int,
    host: str,
    trusted: bool,
    why: str,
    store: Store,
    neyman_home: Path,
    tmp_path: Path,
    trust: pytest.MonkeyPatch,
) -> None:
    path = certificate(tmp_path, days, host)
    if trusted:
        trust.setenv("SSL_CERT_FILE", str(path))
    with serving(path) as (url, seen):
        spec = spec_for(pool_of(3), neyman_home, url, k=1)
        outcome = run_job(store, store.create(spec, 3), lambda line: None)
        waits = list[float]()
        trust.setattr(client, "wait", waits.append)
        with pytest.raises(WebError, match=why) as failure:
            WebClient(url).send("POST", "/", json={})
    assert outcome.state == "failed" and why in outcome.error and "SSL_CERT_FILE" in outcome.error
    assert not failure.value.reached and waits == [] and seen == []


def test_an_authority_of_ones_own_is_trusted_by_name(
    store: Store, neyman_home: Path, tmp_path: Path, trust: pytest.MonkeyPatch
) -> None:
    path = certificate(tmp_path, 30, "127.0.0.1")
    trust.setenv("SSL_CERT_FILE", str(path))
    with serving(path) as (url, seen):
        spec = spec_for(pool_of(3), neyman_home, url, k=1)
        assert run_job(store, store.create(spec, 3), lambda line: None) == JobOutcome("done")
    assert len(seen) == 3


def test_of_two_servers_one_without_a_trusted_certificate_costs_no_item(
    store: Store, neyman_home: Path, tmp_path: Path, fake: Fake
) -> None:
    honest = fake()
    with serving(certificate(tmp_path, 30, "127.0.0.1")) as (url, seen):
        spec = spec_for(pool_of(10), neyman_home, honest.url, k=1)
        spec = replace(spec, connection=replace(spec.connection, base_urls=(url, honest.url)))
        assert run_job(store, store.create(spec, 10), lambda line: None) == JobOutcome("done")
    assert seen == []
