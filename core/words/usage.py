"""The command-line framework as the house uses it: how commands are listed, and what is said of wrong words."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Annotated, TypeAlias

from cyclopts import App, CycloptsError, Parameter, UnusedCliTokensError

_HELP = ("--help", "-h")
_VERSION = ("--version",)
OptionalText: TypeAlias = Annotated[bool | str, Parameter(converter=lambda _, tokens: tokens[0].value)]
"""An option with a value or without one, which is empty then; False: not given."""


class UsageError(Exception):
    """Words that are no command; the message says what to change."""


def command(name: str, text: str, parameter: Parameter | None = None, version: str = "") -> App:
    """Return a command without its parts.

    Parameters
    ----------
    name, text : str
        Its name, and what its list says of it.
    parameter : Parameter, optional
        What holds of the options of all parts.
    version : str
        What `--version` prints; without one there is no such option.
    """
    return App(
        name,
        help=text,
        help_flags=_HELP,
        version=version,
        version_flags=_VERSION if version else (),
        help_format="plaintext",
        default_parameter=Parameter.combine(Parameter(negative=(), show_default=_as_typed), parameter),
        result_action="return_value",
    )


def answer(app: App, words: Sequence[str]) -> int:
    """Run a command and return its exit status.

    Raises
    ------
    UsageError
        The words are wrong.
    """
    try:
        status = app(words, exit_on_error=False, print_error=False)
    except UnusedCliTokensError as error:
        asked = " ".join((*app.name, *(error.command_chain or ())))
        unused = shlex.join(error.unused_tokens or ())
        raise UsageError(f"No option takes {unused} here; `{asked} --help` lists the options.") from None
    except CycloptsError as error:
        raise UsageError(str(error)) from None
    # Without a status it was the list of commands that was printed.
    return status if isinstance(status, int) else 2 * {*_HELP, *_VERSION}.isdisjoint(words)


def _as_typed(default: object) -> str | None:
    """A default as it would be typed; None if an option that is left out has none."""
    if isinstance(default, tuple):
        return " ".join(map(str, default)) or None
    return None if default is None or default is False else str(default)
