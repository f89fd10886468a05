"""Printing by commands and workers: results on standard output, and on standard error what else people need.

Much of it comes from elsewhere: the words of a server, the name of a model, the text of a file. All of it goes through
`core.words.printable`, so that nothing of it commands a terminal. No other module prints.
"""

from __future__ import annotations

import logging
import sys
import threading
import traceback
import warnings
from contextlib import suppress
from types import TracebackType

from . import printable


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
