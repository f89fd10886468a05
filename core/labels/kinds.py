"""The three kinds of label, and the spellings in which they come back."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..errors import LabelError

KINDS: tuple[str, ...] = ("right-wrong", "gold", "score")
RIGHT, WRONG = "right", "wrong"
_SPELLINGS = {
    **dict.fromkeys(("right", "correct", "true", "yes", "y", "1", "1.0", "r", "✓", "✔"), RIGHT),
    **dict.fromkeys(("wrong", "incorrect", "false", "no", "n", "0", "0.0", "w", "✗", "✘"), WRONG),
}


def check_kind(kind: str) -> None:
    """Check that ``kind`` is one of `KINDS`.

    Raises
    ------
    LabelError
        If it is not.
    """
    if kind not in KINDS:
        raise LabelError(f"There is no label kind “{kind}”. Choose one of {', '.join(KINDS)}.")


def canonical(label: str, kind: str, options: Sequence[str] | None = None) -> str | None:
    """Return the canonical spelling of a label, None if it is not a label of this kind.

    Parameters
    ----------
    label : str
        The label as given.
    kind : {"right-wrong", "gold", "score"}
        The kind of label.
    options : sequence of str, optional
        The item's options ("gold" only).

    Returns
    -------
    str or None
        "right" or "wrong"; the letter of an option, or without ``options`` the text without outer white space; or a
        finite number as Python writes it (decimal commas and % are read).
    """
    text = label.strip()
    if kind == "right-wrong":
        return _SPELLINGS.get(text.rstrip(".!,;: ").casefold())
    if kind == "score":
        return _number(text)
    return (option_letter(text, options) if options else text) or None


def option_letter(text: str, options: Sequence[str]) -> str | None:
    """Return the letter of the option that a text means, None if it means none, or is the text of several.

    Parameters
    ----------
    text : str
        Such as "b", "B.", "(B)", "B. Rome" or "Rome"; a letter wins over an option with that letter as its text.
    options : sequence of str
        The item's options, in order.

    Returns
    -------
    str or None
        A letter as in `letter`.
    """
    bare = text.strip()
    letters = [letter(number) for number in range(len(options))]
    short = bare.strip("().: ").upper()
    if short in letters:
        return short
    for name, option in zip(letters, options, strict=True):
        if bare == f"{name}. {option.strip()}".strip():
            return name
    same = [name for name, option in zip(letters, options, strict=True) if option.strip() == bare]
    return same[0] if len(same) == 1 else None


def letter(number: int) -> str:
    """Return the letter of option ``number`` (0, 1, 2 …): A … Z, then the numbers 27, 28 and so on."""
    return chr(ord("A") + number) if number < 26 else str(number + 1)


def _number(text: str) -> str | None:
    percent = text.endswith("%")
    try:
        value = float(text.removesuffix("%").replace(",", "."))
        # 7 % is 0.07, not 0.07 plus an error in the sixteenth digit.
        value = float(f"{value / 100:.15g}") if percent else value
    except ValueError:
        return None
    return repr(value) if math.isfinite(value) else None
