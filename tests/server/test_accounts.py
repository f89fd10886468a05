"""Accounts of an organisation: who may sign in, and that nobody signs their own cookie."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import streamlit as st
from starlette.testclient import TestClient
from streamlit.runtime.secrets import secrets_singleton
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from pages.parts.app import visitor
from server.accounts import Accounts
from server.entrance import Entrance
from server.porter import Porter
from tests.server.test_porter import ADDRESS, behind

SECRET = "a-secret-that-is-longer-than-thirty-two-bytes"
SECRETS = f"""
[auth]
redirect_uri = "{ADDRESS}/oauth2callback"
cookie_secret = "{SECRET}"
client_id = "neyman"
client_secret = "hush"
server_metadata_url = "https://id.example.org/.well-known/openid-configuration"
"""
PEOPLE = '[neyman]\npeople = ["Ann@Example.org", "@team.example.org"]\n'
ANN = {"is_logged_in": True, "email": "ann@example.org", "origin": ADDRESS}


@pytest.fixture
def secrets(tmp_path, monkeypatch) -> Iterator[Any]:
    """A function that writes Streamlit's secrets."""
    path = tmp_path / "secrets.toml"
    original = st.config.get_option
    monkeypatch.setattr(st.config, "get_option", lambda key: [str(path)] if key == "secrets.files" else original(key))
    secrets_singleton._reset()

    def write(text: str) -> None:
        path.write_text(text, encoding="utf-8")
        secrets_singleton._reset()

    yield write
    secrets_singleton._reset()


def cookie(user: object, secret: str = SECRET, name: str = USER_COOKIE_NAME) -> str:
    signed = create_signed_value(secret, name, json.dumps(user)).decode("latin-1")
    return f"{USER_COOKIE_NAME}={signed}"


@pytest.fixture
def client(secrets) -> TestClient:
    secrets(SECRETS + PEOPLE)
    porter = Porter(behind, lambda: Entrance(lambda code: None), _no_link, lambda: ADDRESS)
    return TestClient(porter, base_url=ADDRESS, follow_redirects=False)


async def _no_link(token: str) -> None:
    return None


@pytest.mark.parametrize("email", ["ann@example.org", "ANN@example.ORG", "ben@team.example.org"])
def test_people_who_may_come_in_need_no_code(client: TestClient, email: str) -> None:
    answer = client.get("/", headers={"cookie": cookie(ANN | {"email": email})})
    assert answer.json() == {visitor.LINKS: None, visitor.ADDRESS: ADDRESS}


@pytest.mark.parametrize(
    "user",
    [
        ANN | {"email": "eve@example.org"},
        ANN | {"email": "eve@evil.team.example.org"},
        ANN | {"email": "@team.example.org"},
        ANN | {"email": "ann@example.org@evil.example"},
        ANN | {"email": None},
        ANN | {"is_logged_in": False},
        ANN | {"is_logged_in": "yes"},
        ANN | {"email_verified": False},
        {},
        [],
        "ann@example.org",
    ],
)
def test_nobody_else_comes_in(client: TestClient, user: object) -> None:
    assert client.get("/", headers={"cookie": cookie(user)}).status_code == 401


@pytest.mark.parametrize("signed", [cookie(ANN, "another secret"), cookie(ANN, name="other"), f"{USER_COOKIE_NAME}=x"])
def test_a_cookie_that_streamlit_did_not_sign_opens_nothing(client: TestClient, signed: str) -> None:
    assert client.get("/", headers={"cookie": signed}).status_code == 401


def test_signing_in_begins_at_the_porter(client: TestClient) -> None:
    assert "href=/sign-in" in client.get("/").text
    answer = client.get("/sign-in")
    assert answer.status_code == 303
    assert client.get(answer.headers["location"]).status_code == 200
    assert client.get("/oauth2callback?code=x&state=y").status_code == 200


@pytest.mark.parametrize("path", ["/auth/logout", "/auth/login/", "/auth", "/oauth2callback/x"])
def test_only_the_way_to_the_provider_and_back_is_open(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 401


@pytest.mark.parametrize("text", ["", SECRETS, SECRETS + "[neyman]\npeople = []\n", PEOPLE])
def test_without_provider_or_people_nobody_signs_in(secrets, text: str) -> None:
    secrets(text)
    assert Accounts.configured() is None
    porter = Porter(behind, lambda: Entrance(lambda code: None), _no_link, lambda: ADDRESS)
    client = TestClient(porter, base_url=ADDRESS, follow_redirects=False)
    for path in ("/sign-in", "/auth/login", "/oauth2callback"):
        assert client.get(path, headers={"cookie": cookie(ANN)}).status_code == 401
