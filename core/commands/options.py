"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Iterable

from cyclopts import Group, Parameter
from cyclopts.validators import mutually_exclusive

from ..errors import DesignError

# One option, several values after it: --accuracy 0.7 0.85.
Several = Parameter(consume_multiple=True)
# How a result is printed, by default as text.
FORM = Group("Output", validator=mutually_exclusive)


def meanings(given: Iterable[str], good: str = "right", bad: str = "wrong") -> dict[str, str]:
    """Read what is said of words of labels, each as WORD=MEANING, or =MEANING of a blank; a word may hold “=” itself.

    Parameters
    ----------
    given : iterable of str
        As typed.
    good, bad : str
        How the command calls both verdicts, for the error.

    Raises
    ------
    DesignError
        One gives no meaning, or another one than before.
    """
    said = dict[str, str]()
    for one in given:
        word, sign, meaning = one.rpartition("=")
        if not sign or not meaning:
            ways = f"--word=WORD={good}, --word=WORD={bad} or --word=WORD=skip (no verdict)"
            raise DesignError(f"“{one}” gives no meaning. Write {ways}.")
        if said.setdefault(word, meaning) != meaning:
            raise DesignError(f"“{word}” is given as {said[word]} and as {meaning}. Say one.")
    return said
