"""Printing by commands and workers, and the command-line framework as the house uses it.

Much of it comes from elsewhere: the words of a server, the name of a model, the text of a file. All of it goes through
`core.words.printable`, so that nothing of it commands a terminal. No other module prints.
"""

from __future__ import annotations

import logging
import shlex
import sys
import threading
import traceback
import warnings
from collections.abc import Sequence
from contextlib import suppress
from types import TracebackType
from typing import Annotated, TypeAlias

from cyclopts import App, CycloptsError, Parameter, UnusedCliTokensError

from . import printable

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


def emit(text: object, end: str = "\n") -> None:
    """Print what was asked for."""
    print(printable(str(text)), end=end, flush=True)


def say(line: str) -> None:
    """Print a line for people beside it."""
    print(printable(line), file=sys.stderr, flush=True)


def count(line: str, over: bool) -> None:
    """Print a line in the place of the one before; ``over``: it is the last."""
    print(f"\r{printable(line)}", end="\n" if over else "", file=sys.stderr, flush=True)


def is_watched() -> bool:
    """Whether somebody sees what is said."""
    return sys.stderr.isatty()


def guard() -> None:
    """Have this process log, warn and end with an error in the same way, for whoever starts it."""
    sys.excepthook = _tell
    threading.excepthook = lambda told: _tell(told.exc_type, told.exc_value or told.exc_type(), told.exc_traceback)
    warnings.showwarning = lambda *told, **_: say(warnings.formatwarning(*told[:4]).rstrip())
    make = logging.getLogRecordFactory()

    def record(*args: object, **kwargs: object) -> logging.LogRecord:
        made = make(*args, **kwargs)
        # A message that does not fit its arguments is the handlers' to tell.
        with suppress(Exception):
            text = made.getMessage()
            if (shown := printable(text)) != text:
                made.msg, made.args = shown, ()
        if made.exc_info and made.exc_info[0] is not None:
            # A formatter takes the text that is there.
            made.exc_text = printable("".join(traceback.format_exception(*made.exc_info)).rstrip())
        return made

    logging.setLogRecordFactory(record)


def _tell(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    say("".join(traceback.format_exception(kind, error, trace)).rstrip())
