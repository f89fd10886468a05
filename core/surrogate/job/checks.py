"""What parameters of a job may be; each check says in one sentence what is wrong."""

from __future__ import annotations

import math
import re
from urllib.parse import urlsplit

from core.surrogate.faults import SurrogateError, looks_secret

_SECRET_NAME = re.compile(
    r"api[-_]?key|(?<![a-z])(auth|access)[-_]?token|hf[-_]token|secret|password|authorization", re.I
)


def check_url(url: str) -> None:
    """Refuse an address that is none, or that carries a secret; the message does not repeat it."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 (raises where the port is no number)
    except ValueError as error:
        raise SurrogateError("The server's address cannot be read; write for instance http://host:8000/v1.") from error
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise SurrogateError("The server's address must begin with http:// or https:// and name a host.")
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise SurrogateError(
            "The server's address holds a user name, password or parameters; give the address alone, and the key in"
            " the environment variable NEYMAN_API_KEY."
        )


def check_model(model: str) -> None:
    """Refuse a model name that a command line would take for an option."""
    if not model.strip() or model.startswith("-") or not model.isprintable():
        raise SurrogateError(f"“{model[:40]}” is no name of a model; it is empty, or begins with a dash.")


def check_arguments(arguments: tuple[str, ...]) -> None:
    """Refuse arguments for vLLM that this program sets itself, or that hold a secret."""
    ours = {"--model", "--host", "--port", "--api-key", "--hf-token", "--uds", "--trust-remote-code", "--config"}
    for argument in arguments:
        name = argument.partition("=")[0].replace("_", "-")
        taken = next((option for option in ours if len(name) > 3 and option.startswith(name)), None)
        if taken:
            raise SurrogateError(f"The argument {taken} of vLLM is not passed on: it is set here, or is a secret.")
    check_no_secret("The arguments for vLLM", " ".join(arguments))


def check_no_secret(what: str, text: str) -> None:
    """Refuse text that is kept and shown where it looks like holding a key; the message does not repeat it."""
    if looks_secret(text) or _SECRET_NAME.search(text):
        raise SurrogateError(f"{what} hold what looks like a secret: give the key in the environment (NEYMAN_API_KEY).")


def whole(what: str, value: object, least: int, most: int) -> None:
    """Refuse what is no whole number in [least, most]."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise SurrogateError(f"{what} must be a whole number from {least:,} to {most:,}; it is {value}.")


def real(what: str, value: object, least: float, most: float, above: bool = False) -> None:
    """Refuse what is no number in [least, most], or in (least, most] where ``above``; None passes."""
    if value is None:
        return
    number = float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else math.nan
    if not least <= number <= most or (above and number == least):
        bounds = f"above {least:g} and up to {most:g}" if above else f"from {least:g} to {most:g}"
        raise SurrogateError(f"{what} must be a number {bounds}; it is {value}.")
