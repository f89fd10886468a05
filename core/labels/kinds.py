"""What a label means: the three kinds of label, and the spellings in which they come back."""

from __future__ import annotations

import math
from collections.abc import Sequence

from core.errors import LabelError

KINDS: tuple[str, ...] = ("right-wrong", "gold", "score")
RIGHT, WRONG = "right", "wrong"
_SPELLINGS = {
    **dict.fromkeys(("right", "correct", "true", "yes", "y", "1", "1.0", "r", "✓", "✔"), RIGHT),
    **dict.fromkeys(("wrong", "incorrect", "false", "no", "n", "0", "0.0", "w", "✗", "✘"), WRONG),
}


def check_kind(kind: str) -> None:
    """Raise :class:`LabelError` where ``kind`` is not one of `KINDS`."""
    if kind not in KINDS:
        raise LabelError(f"There is no label kind “{kind}”: choose one of {', '.join(KINDS)}.")


def canonical(label: str, kind: str, options: Sequence[str] | None = None) -> str | None:
    """The one spelling of a label, None where it is no label of this kind.

    Parameters
    ----------
    kind : "right-wrong" → "right" or "wrong"; "score" → a finite number as Python writes it (a decimal comma and %
        are read);
        "gold" → the letter of the option where the item has ``options``, else the text without outer white space.
    """
    text = label.strip()
    if kind == "right-wrong":
        return _SPELLINGS.get(text.rstrip(".!,;: ").casefold())
    if kind == "score":
        return _number(text)
    return (option_letter(text, options) if options else text) or None


def option_letter(text: str, options: Sequence[str]) -> str | None:
    """The letter of the option that is meant; None where it is none, or the text of several.

    Parameters
    ----------
    text : what was given: "b", "B.", "(B)", "B. its text", or its text; a letter wins over an option of that text.
    options : the item's options, in order.

    Returns
    -------
    Its name of `letter`: A … Z, then 27, 28 …
    """
    bare = text.strip()
    letters = [letter(number) for number in range(len(options))]
    short = bare.strip("().: ").upper()
    if short in letters:
        return short
    for name, option in zip(letters, options, strict=True):
        if bare == shown_option(name, option):
            return name
    same = [name for name, option in zip(letters, options, strict=True) if option.strip() == bare]
    return same[0] if len(same) == 1 else None


def shown_option(name: str, option: str) -> str:
    """An option as annotators see it."""
    return f"{name}. {option.strip()}".strip()


def letter(number: int) -> str:
    """Name of the option ``number`` = 0, 1, 2 …: A … Z, then 27, 28 …"""
    return chr(ord("A") + number) if number < 26 else str(number + 1)


def _number(text: str) -> str | None:
    percent = text.endswith("%")
    try:
        value = float(text.removesuffix("%").replace(",", "."))
        # 7 % is 0.07, and not 0.07 and something at the sixteenth place.
        value = float(f"{value / 100:.15g}") if percent else value
    except ValueError:
        return None
    return repr(value) if math.isfinite(value) else None
