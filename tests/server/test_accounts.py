"""Accounts of an organisation: who may sign in, and that nobody signs their own cookie."""

from __future__ import annotations

import json
import string
import sys
from collections.abc import Iterator
from random import Random
from secrets import token_urlsafe
from typing import Any

import pytest
import streamlit as st
from starlette.testclient import TestClient
from streamlit.runtime.secrets import secrets_singleton
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

import serve
from core.errors import NeymanError
from core.words import console
from pages.parts.app import visitor
from server.accounts import _FREE, Accounts, _free_characters
from server.annotator_links import Entrance, Porter
from tests.server.test_porter import ADDRESS, behind, key

SECRET = "r8Zt0aV5mKQy2LwXn7Pc4Gd9Bh1FsUeJ"
SECRETS = f"""
[auth]
redirect_uri = "{ADDRESS}/oauth2callback"
cookie_secret = "{SECRET}"
client_id = "neyman"
client_secret = "hush"
server_metadata_url = "https://id.example.org/.well-known/openid-configuration"
"""
PEOPLE = '[neyman]\npeople = ["Ann@Example.org", "@team.example.org", "finn@example.org", "kim@example.org"]\n'
ANN = {"is_logged_in": True, "email": "ann@example.org", "email_verified": True, "origin": ADDRESS}


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


def test_the_app_does_not_start_with_a_secret_that_anybody_can_guess(secrets, monkeypatch, capsys) -> None:
    secrets(SECRETS.replace(SECRET, "") + PEOPLE)
    monkeypatch.setattr(sys, "argv", ["serve.py", "--share", "127.0.0.1"])
    # For a process of its own.
    monkeypatch.setattr(console, "guard", lambda: None)
    with pytest.raises(SystemExit, match="2"):
        serve.main()
    said = capsys.readouterr().err
    assert "cookie_secret" in said and "token_urlsafe(32)" in said and "Traceback" not in said and "URL" not in said


def cookie(user: object, secret: str = SECRET, name: str = USER_COOKIE_NAME) -> str:
    signed = create_signed_value(secret, name, json.dumps(user)).decode("latin-1")
    return f"{USER_COOKIE_NAME}={signed}"


@pytest.fixture
def client(secrets) -> TestClient:
    secrets(SECRETS + PEOPLE)
    porter = Porter(behind, lambda: Entrance(lambda code: None), _no_link, lambda: ADDRESS, key)
    return TestClient(porter, base_url=ADDRESS, follow_redirects=False)


async def _no_link(token: str) -> None:
    return None


@pytest.mark.parametrize("email", ["ann@example.org", "ANN@example.ORG", "ben@team.example.org"])
def test_people_who_may_come_in_need_no_code(client: TestClient, email: str) -> None:
    answer = client.get("/", headers={"cookie": cookie(ANN | {"email": email})})
    assert answer.json() == {visitor.LINKS: None, visitor.ADDRESS: ADDRESS}


@pytest.mark.parametrize("said", [True, "true"])
def test_an_address_counts_once_the_provider_has_verified_it(client: TestClient, said: object) -> None:
    assert client.get("/", headers={"cookie": cookie(ANN | {"email_verified": said})}).status_code == 200


def test_an_address_of_which_the_provider_never_says_so_counts_if_the_secrets_trust_it(secrets) -> None:
    secrets(SECRETS + PEOPLE + "trust_addresses = true\n")
    accounts = Accounts.configured()
    assert accounts is not None
    silent = {name: value for name, value in ANN.items() if name != "email_verified"}
    users = (silent, ANN, ANN | {"email_verified": False}, ANN | {"email_verified": None})
    cookies = [cookie(user).partition("=")[2] for user in users]
    assert [accounts.signed_in({USER_COOKIE_NAME: one}) for one in cookies] == ["ann@example.org"] * 2 + [None] * 2


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
        *(ANN | {"email_verified": said} for said in (False, "false", "no", 0, 1, None, "", "True", "yes", [True], {})),
        {name: value for name, value in ANN.items() if name != "email_verified"},
        ANN | {"email": "\ufb01nn@example.org"},
        ANN | {"email": "\u212aim@example.org"},
        ANN | {"email": "ann@example.org "},
        ANN | {"email": "ann@ex\u00e4mple.org"},
        ANN | {"email": ["ann@example.org"]},
        {},
        [],
        "ann@example.org",
    ],
)
def test_nobody_else_comes_in(client: TestClient, user: object) -> None:
    assert client.get("/", headers={"cookie": cookie(user)}).status_code == 401


@pytest.mark.parametrize(
    ("secret", "problem"),
    [
        ("", "is missing"),
        ("xxx", "is shorter than 32"),
        (SECRET[:31], "is shorter than 32"),
        ("x" * 40, "is a placeholder"),
        ("changeme" * 5, "is a placeholder"),
        ("our-team-has-one-common-secret-4711", "is a placeholder"),
        ("k7Qz9mX2" * 5, "repeats itself"),
        ("k7Qz9mX2pL" * 4, "repeats itself"),
        ("qwertyuiopasdfghjklzxcvbnm0987654", "follows the keyboard"),
        ("QWERTZUIOPasdfghjklYXCVBNM-_098765", "follows the keyboard"),
        ("1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol", "follows the keyboard"),
        ("abcdefghijklmnopqrstuvwxyz9876543210", "follows the keyboard or the alphabet"),
        ("zyxwvutsrqponmlkjihgfedcba9876543210", "follows the keyboard or the alphabet"),
        ("aabbccddeeffgghhiijjkkllmmnnooppqqrr", "follows the keyboard or the alphabet"),
    ],
)
def test_a_cookie_secret_that_others_could_guess_is_refused_with_the_command_for_another(
    secrets, secret: str, problem: str
) -> None:
    secrets(SECRETS.replace(SECRET, secret) + PEOPLE)
    with pytest.raises(NeymanError, match=problem) as refused:
        Accounts.configured()
    assert "secrets.token_urlsafe(32)" in str(refused.value)


def test_what_the_command_prints_is_a_cookie_secret(secrets) -> None:
    for _ in range(100):
        secrets(SECRETS.replace(SECRET, token_urlsafe(32)) + PEOPLE)
        assert Accounts.configured() is not None


def test_one_person_in_place_of_a_list_is_refused(secrets) -> None:
    secrets(SECRETS + '[neyman]\npeople = "ann@example.org"\n')
    with pytest.raises(NeymanError, match=r'people = \["ann@example.org"\]'):
        Accounts.configured()


@pytest.mark.parametrize("signed", [cookie(ANN, "another secret"), cookie(ANN, name="other"), f"{USER_COOKIE_NAME}=x"])
def test_a_cookie_that_streamlit_did_not_sign_opens_nothing(client: TestClient, signed: str) -> None:
    assert client.get("/", headers={"cookie": signed}).status_code == 401


def test_signing_in_begins_at_the_porter(client: TestClient) -> None:
    assert 'href="/sign-in"' in client.get("/").text
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
    porter = Porter(behind, lambda: Entrance(lambda code: None), _no_link, lambda: ADDRESS, key)
    client = TestClient(porter, base_url=ADDRESS, follow_redirects=False)
    for path in ("/sign-in", "/auth/login", "/oauth2callback"):
        assert client.get(path, headers={"cookie": cookie(ANN)}).status_code == 401


@pytest.mark.parametrize("characters", ["0123456789abcdef", string.ascii_letters + string.digits + "-_"])
def test_a_random_secret_is_not_taken_for_a_pattern(characters: str) -> None:
    """A character is free with probability .75 or more: of 32, fewer than 13 are with probability 3e-6."""
    random = Random(0)
    free = [_free_characters("".join(random.choices(characters, k=32)).lower()) for _ in range(2_000)]
    assert min(free) >= _FREE and sum(free) / len(free) > 0.7 * 32
