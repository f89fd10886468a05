"""Accounts of an organisation (OpenID Connect), by Streamlit's own sign-in, if its secrets set them up.

``[auth]`` in ``.streamlit/secrets.toml`` names the provider as for `st.login`, and ``people`` in ``[neyman]`` who may
come in: addresses ("ann@example.org") and whole domains ("@example.org"). The provider has to say that it has verified
an address. If it never says so, ``trust_addresses = true`` in ``[neyman]`` takes its addresses as they are.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.auth_util import get_cookie_with_chunks, get_secrets_auth_section
from streamlit.user_info import generate_login_redirect_url
from streamlit.web.server.server_util import get_cookie_secret
from streamlit.web.server.starlette.starlette_app_utils import decode_signed_value
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from core.errors import NeymanError

# Streamlit's routes to the provider and back.
ROUTES = frozenset({"/auth/login", "/oauth2callback"})
_PROVIDER = "default"
# Of a cookie secret: characters, different ones among them, and what examples and people's own inventions hold.
_LENGTH, _DISTINCT = 32, 8
_PLACEHOLDERS = ("change", "replace", "placeholder", "example", "secret", "your-", "your_", "1234567")
# Characters that do not follow from those before them: some 24 of a random secret of 32.
_FREE = 13
_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiop", "yxcvbnm", "azertyuiop", "1234567890")
_COLUMNS = ("1qaz", "2wsx", "3edc", "4rfv", "5tgb", "6yhn", "7ujm", "8ik", "9ol", "0p")
_MAKE_SECRET = 'python3 -c "import secrets; print(secrets.token_urlsafe(32))"'


@dataclass(frozen=True, slots=True)
class Accounts:
    """Who may sign in.

    Parameters
    ----------
    people : tuple of str
        Addresses, and domains that begin with "@"; in lower case, as far as the letters are ASCII.
    trusting : bool
        Whether an address counts of which the provider does not say whether it has verified it.
    """

    people: tuple[str, ...]
    trusting: bool = False

    @staticmethod
    def configured() -> Accounts | None:
        """Return the accounts that the secrets set up; None without a provider, or if nobody may sign in.

        Raises
        ------
        NeymanError
            The secret that signs cookies is none, or the people are no list.
        """
        if not (auth := get_secrets_auth_section()):
            return None
        neyman = st.secrets.get("neyman", {})
        if not (people := neyman.get("people", ())):
            return None
        if isinstance(people, str):
            raise NeymanError(f'people in [neyman] of .streamlit/secrets.toml must be a list: people = ["{people}"].')
        _check_secret(auth.get("cookie_secret"))
        names = tuple(_lower(str(person).strip()) for person in people)
        return Accounts(names, neyman.get("trust_addresses") is True)

    def sign_in(self) -> str:
        """Return the path at which signing in begins; it works for a few minutes."""
        return generate_login_redirect_url(_PROVIDER)

    def signed_in(self, cookies: Mapping[str, str]) -> str | None:
        """Return the address of somebody who may come in, if Streamlit signed these cookies for them; else None."""

        def cookie(name: str) -> bytes | None:
            value = cookies.get(name)
            return None if value is None else decode_signed_value(get_cookie_secret(), name, value.encode("latin-1"))

        try:
            user = json.loads(get_cookie_with_chunks(cookie, USER_COOKIE_NAME) or b"null")
        except ValueError:
            return None
        if not isinstance(user, dict) or user.get("is_logged_in") is not True or not self._verified(user):
            return None
        email = user.get("email")
        return _lower(email) if isinstance(email, str) and self.admit(email) else None

    def admit(self, email: str) -> bool:
        """Whether somebody with this address may come in; nothing but the case of ASCII letters is overlooked."""
        name, at, domain = _lower(email).rpartition("@")
        return bool(name and domain) and not {f"{name}@{domain}", f"{at}{domain}"}.isdisjoint(self.people)

    def _verified(self, user: Mapping[str, Any]) -> bool:
        if "email_verified" not in user:
            return self.trusting
        said = user["email_verified"]
        return said is True or said == "true"


def _lower(address: str) -> str:
    # `str.lower` and `casefold` take other letters for ASCII ones: K (Kelvin) for k, a ligature for two letters.
    return address.encode(errors="surrogatepass").lower().decode(errors="surrogatepass")


def _free_characters(text: str) -> int:
    """Count the characters that continue no run of the keyboard or the alphabet and repeat nothing before them."""
    count = 0
    for place, character in enumerate(text):
        before = text[place - 1] if place else ""
        pair = before + character
        runs = before and (
            abs(ord(character) - ord(before)) <= 1 or any(pair in row or pair[::-1] in row for row in _ROWS + _COLUMNS)
        )
        count += not runs and (place < 2 or text.find(text[place - 2 : place + 1], 0, place) < 0)
    return count


def _check_secret(secret: object) -> None:
    """Check that nobody can guess the secret that signs cookies."""
    if secret is None or secret == "":
        problem = "is missing"
    elif not isinstance(secret, str) or len(secret) < _LENGTH:
        problem = f"is shorter than {_LENGTH} characters"
    elif len(set(secret)) < _DISTINCT or any(word in secret.lower() for word in _PLACEHOLDERS):
        problem = "is a placeholder, or made up by a person"
    elif _free_characters(secret.lower()) < _FREE:
        problem = "repeats itself, or follows the keyboard or the alphabet"
    else:
        return
    raise NeymanError(
        f"The cookie_secret in [auth] of .streamlit/secrets.toml {problem}: whoever guesses it gets in. Put there what "
        f"this prints: {_MAKE_SECRET}"
    )
