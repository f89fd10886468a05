"""Checks of a job's parameters; errors are whole sentences, all at once."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, TypeVar, dataclass_transform
from urllib.parse import urlsplit

from pydantic import AfterValidator, AllowInfNan, ConfigDict, ValidationError, WrapValidator
from pydantic.dataclasses import dataclass as checked_dataclass

from ...answers import KINDS
from ...web import looks_secret
from ..faults import SurrogateError

_Class = TypeVar("_Class")
_SECRET_NAME = re.compile(
    r"api[-_]?key|(?<![a-z])(auth|access)[-_]?token|hf[-_]token|secret|password|authorization", re.I
)
_RESERVED_FIELDS = frozenset({"model", "messages", "n", "stream", "stream_options"})
_RESERVED_ARGUMENTS = (
    "--model",
    "--host",
    "--port",
    "--api-key",
    "--hf-token",
    "--uds",
    "--trust-remote-code",
    "--config",
)
_NO_DIGEST = "A job needs the whole digest of its pool."
_NO_VARIABLE = "The key's environment variable is not a name; give for instance MY_API_KEY."
_NO_WORD = "“{}” is not a dtype or quantization of vLLM; write for instance bfloat16."
_NO_REVISION = "“{}” is not a revision; give a branch, a tag or a commit of the model."
_REQUIREMENTS = {
    "missing": "given",
    "int_type": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "greater_than_equal": "at least {ge:,}",
    "greater_than": "above {gt:,}",
    "less_than_equal": "at most {le:,}",
}


@dataclass_transform(frozen_default=True)
def parameters(cls: type[_Class]) -> type[_Class]:
    """Make a class a frozen dataclass that refuses what its annotations do not allow with a SurrogateError."""
    checked: Any = checked_dataclass(frozen=True, slots=True, config=ConfigDict(strict=True, extra="forbid"))(cls)
    check = checked.__init__

    @wraps(check)
    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        try:
            check(self, *args, **kwargs)
        except ValidationError as error:
            raise SurrogateError(" ".join(_sentence(checked, details) for details in error.errors())) from None

    checked.__init__ = init
    return checked  # type: ignore[no-any-return]


def extra_fields(text: str) -> dict[str, Any]:
    """Read further fields of a request, a JSON object."""
    try:
        fields = json.loads(text)
    except ValueError as error:
        raise ValueError(f"The extra fields are not JSON ({error}); write {{}} for none.") from error
    if not isinstance(fields, dict):
        raise ValueError('The extra fields are not a JSON object; write for instance {"min_p": 0.05}.')
    return fields


def _sentence(cls: Any, details: Any) -> str:
    """Say what is wrong with one field; only numbers are repeated, because a text may be a secret."""
    if details["type"] == "value_error":
        return str(details["ctx"]["error"])
    place, fields = details["loc"][0], cls.__pydantic_fields__
    name = list(fields)[place] if isinstance(place, int) else place
    subject = (fields[name].title if name in fields else None) or f"`{name}`"
    requirement = _REQUIREMENTS.get(details["type"])
    if requirement is None:
        return f"{subject}: {details['msg']}."
    value = details["input"]
    input_value = f" Found {value}." if isinstance(value, int | float) else ""
    return f"{subject} must be {requirement.format(**details.get('ctx', {}))}.{input_value}"


def _unchanged(value: Any, check: Callable[[Any], float]) -> Any:
    # 1 stays 1 and does not become 1.0: a job's key is a digest of its JSON.
    check(value)
    return value


def _matching(pattern: str, sentence: str) -> AfterValidator:
    """Refuse texts of another form; the sentence repeats them at ``{}``, but not if they may be a key."""

    def check(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(sentence.format(text))
        return text

    return AfterValidator(check)


def _url(url: str) -> str:
    """Refuse an address that is none, or that carries a secret; the message does not repeat it."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 (raises if the port is no number)
    except ValueError as error:
        raise ValueError("The server's address cannot be read; write for instance http://host:8000/v1.") from error
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("The server's address must begin with http:// or https:// and name a host.")
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise ValueError(
            "The server's address contains a user name, password or parameters. Give the address alone, and the key in"
            " the environment variable NEYMAN_API_KEY."
        )
    return url


def _addresses(urls: tuple[str, ...]) -> tuple[str, ...]:
    """Each address once: a slash at its end makes no other one."""
    return tuple({url.rstrip("/"): url for url in reversed(urls)}.values())[::-1]


def _model(name: str) -> str:
    """Refuse a name that a command line would take for an option."""
    if not name.strip() or name.startswith("-") or not name.isprintable():
        raise ValueError(f"“{name[:40]}” is not the name of a model: it is empty, or begins with a dash.")
    return name


def _arguments(arguments: tuple[str, ...]) -> tuple[str, ...]:
    """Refuse arguments for vLLM that this program sets itself, or that carry a secret."""
    for argument in arguments:
        name = argument.partition("=")[0].replace("_", "-")
        reserved = next((option for option in _RESERVED_ARGUMENTS if len(name) > 3 and option.startswith(name)), None)
        if reserved:
            raise ValueError(f"vLLM's argument {reserved} cannot be given here: Neyman sets it, or it is a secret.")
    _no_secret("The arguments for vLLM", " ".join(arguments))
    return arguments


def _extra(text: str) -> str:
    _no_secret("The extra fields", text)
    reserved = _RESERVED_FIELDS & extra_fields(text).keys()
    if reserved:
        raise ValueError(f"The extra fields may not contain {', '.join(sorted(reserved))}: Neyman sets these.")
    return text


def _no_secret(subject: str, text: str) -> None:
    """Refuse text that is kept and shown if it looks like a key; the message does not repeat it."""
    if looks_secret(text) or _SECRET_NAME.search(text):
        raise ValueError(f"{subject} contain what looks like a secret. Put the key into the variable NEYMAN_API_KEY.")


def _kind(kind: str) -> str:
    if kind not in KINDS:
        raise ValueError(f"There is no answer kind “{kind}”; choose one of {', '.join(KINDS)}.")
    return kind


def _templates(templates: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    for kind, _ in templates:
        _kind(kind)
    return templates


Real = Annotated[float, AllowInfNan(False), WrapValidator(_unchanged)]
Digest = Annotated[str, _matching(r"[0-9a-f]{64}", _NO_DIGEST)]
Addresses = Annotated[tuple[Annotated[str, AfterValidator(_url)], ...], AfterValidator(_addresses)]
Variable = Annotated[str, _matching(r"[A-Za-z_][A-Za-z0-9_]{0,99}", _NO_VARIABLE)]
ModelName = Annotated[str, AfterValidator(_model)]
Word = Annotated[str, _matching(r"[A-Za-z0-9_][A-Za-z0-9_\-]*", _NO_WORD)]
Revision = Annotated[str, _matching(r"[A-Za-z0-9_][A-Za-z0-9_./\-]*", _NO_REVISION)]
Arguments = Annotated[tuple[str, ...], AfterValidator(_arguments)]
Kind = Annotated[str, AfterValidator(_kind)]
Extra = Annotated[str, AfterValidator(_extra)]
Templates = Annotated[tuple[tuple[str, str], ...], AfterValidator(_templates)]
