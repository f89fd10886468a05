"""Accounts of an organisation (OpenID Connect), by Streamlit's own sign-in, where its secrets set them up.

``[auth]`` in ``.streamlit/secrets.toml`` names the provider as for `st.login`, and ``people`` in ``[neyman]`` who may
come in: addresses ("ann@example.org") and whole domains ("@example.org").
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st
from streamlit.auth_util import get_cookie_with_chunks, get_secrets_auth_section
from streamlit.user_info import generate_login_redirect_url
from streamlit.web.server.server_util import get_cookie_secret
from streamlit.web.server.starlette.starlette_app_utils import decode_signed_value
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

# Streamlit's routes to the provider and back.
ROUTES = frozenset({"/auth/login", "/oauth2callback"})
_PROVIDER = "default"


@dataclass(frozen=True, slots=True)
class Accounts:
    """Who may sign in.

    Parameters
    ----------
    people : tuple of str
        Addresses, and domains that begin with "@".
    """

    people: tuple[str, ...]

    @staticmethod
    def configured() -> Accounts | None:
        """Return the accounts that the secrets set up; None without a provider, or where nobody may sign in."""
        if not get_secrets_auth_section():
            return None
        people = st.secrets.get("neyman", {}).get("people", ())
        return Accounts(tuple(str(person).strip().casefold() for person in people)) if people else None

    def sign_in(self) -> str:
        """Return the path at which signing in begins; it works for a few minutes."""
        return generate_login_redirect_url(_PROVIDER)

    def signed_in(self, cookies: Mapping[str, str]) -> bool:
        """Whether Streamlit signed these cookies for somebody who may come in."""

        def cookie(name: str) -> bytes | None:
            value = cookies.get(name)
            return None if value is None else decode_signed_value(get_cookie_secret(), name, value.encode("latin-1"))

        try:
            user = json.loads(get_cookie_with_chunks(cookie, USER_COOKIE_NAME) or b"null")
        except ValueError:
            return False
        if not isinstance(user, dict) or user.get("is_logged_in") is not True:
            return False
        return user.get("email_verified") is not False and self.admit(str(user.get("email") or ""))

    def admit(self, email: str) -> bool:
        """Whether somebody with this address may come in."""
        name, at, domain = email.strip().casefold().rpartition("@")
        return bool(name and domain) and not {f"{name}@{domain}", f"{at}{domain}"}.isdisjoint(self.people)
