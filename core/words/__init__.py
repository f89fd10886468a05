"""The one room of words and numbers for people: what methods are called, and how numbers are written.

Shares are written in per cent, their differences in percentage points, other losses with significant digits. A number
and its unit stay on one line. An interval is “70.7 % to 86.6 %” (`span`), in whole per cent “71 % to 87 %”
(`share_span`), of a difference “−0.4 to +3.1 points” (`gap_span`), in sentences and in tables. "±" is the half-width of
an interval; a standard error is written as one (`with_error`).
"""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Iterable, Sequence
from numbers import Integral

from .scale import GradeScale, Number, Unit

# Of more strata than these, only the first are named.
_MOST_STRATA, _FIRST_STRATA = 8, 5

INTERVAL_NAMES = {
    "tilted": "Tilted model",
    "korn-graubard": "Korn–Graubard",
    "wald": "Wald",
}
# What may carry a claim; the others are there to be compared with.
RECOMMENDED = ("tilted",)
# With what it rests on, if the method is stated.
INTERVAL_METHODS = INTERVAL_NAMES | {
    "tilted": "Tilted model, saddlepoint",
    "wald": "Wald, t",
}
SPACE = "\u00a0"
PER_CENT = f"{SPACE}%"
UNKNOWN = "–"
# Of shares, which are often sums.
_ROUNDING = 1e-9
_MOST_DIGITS = 12
# The digits of a grade without an interval beside it show this share of its scale.
_GRADES = 0.1
# A full stop that ends a sentence stands neither in a name in quotes nor behind a title, such as “Dr.”.
_SENTENCE_END = re.compile(r"(?:“[^”]*”|\b(?:Dr|Mr|Mrs|Ms|Prof|St|vs|No|Jr|Sr)\. |[^“])*?(\. )")

# Characters that a terminal obeys instead of showing them, that turn the direction of what stands beside them, or that
# are only half of one. Line breaks and tabs stay.
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")

# What a newcomer stumbles on, a sentence or two each; with the plurals that take more than an s.
GLOSSARY = {
    "stratum": "A group of items that look alike before any label, for example because another model is equally unsure "
    "of them. Some labels go to every group, and more to those in which they say more.",
    "semantic entropy": "How much a model’s repeated answers to the same item disagree: 0 if all of them mean the "
    "same, higher the more different answers there are.",
    "allocation": "How the labels are shared among the strata.",
    "Uniform": "Every item has the same chance of being drawn, as in a plain random sample. Other designs are compared "
    "with it.",
    "±": f"Half the width of the interval. 80{PER_CENT} ±5 points means 75{PER_CENT} to 85{PER_CENT}.",
    "inclusion probability": "The chance that an item is drawn. The estimate weighs each label by its inverse, so that "
    "items drawn more often do not count more.",
    "surrogate": "A cheap model that answers every item several times. Where its answers disagree, the target is more "
    "likely to be wrong.",
    "target": "The model under test, whose accuracy you estimate.",
    "relative error": "The squared error of a design divided by Uniform’s with the same number of labels. Below "
    f"100{PER_CENT}, you need fewer labels for the same precision.",
    "squared error": "The expected squared distance between estimate and truth. With half of it, a design needs about "
    "half the labels for the same precision, and more in a small pool.",
    "standard error": f"How far an estimate typically is from the truth. About 95{PER_CENT} of estimates are within "
    "two standard errors of it.",
    "accuracy gate": "A rule set before labelling: ship the model if its accuracy is above a bar, hold it if it is "
    "below.",
    "version gate": "A rule set before labelling: a new version passes if it is not worse than the old one by more "
    "than a margin. Only items whose answers differ have to be labelled.",
    "golden set": "Items whose right answers experts have checked. Neyman chooses which items yours needs.",
}
PLURALS = {"stratum": "strata"}


def per_cent(share: float, digits: int = 0) -> str:
    """A share, “71 %”; “–” if it is not known. Only none is “0 %” and only all “100 %”: others get more digits."""
    if math.isnan(share):
        return UNKNOWN
    size = abs(share) if abs(share) > _ROUNDING else 0.0
    while 0 < size < 1 - _ROUNDING and float(f"{100 * size:.{digits}f}") in (0, 100):
        digits += 1
    return f"{'−' if size and share < 0 else ''}{100 * size:.{digits}f}{PER_CENT}"


def cell(share: float) -> str:
    """A share in per cent for a table whose heading names the unit, “70.7”; “–” if it is not known."""
    return UNKNOWN if math.isnan(share) else f"{100 * share:.1f}".replace("-", "−")


def with_error(share: float, standard_error: float) -> str:
    """The same with the standard error of a simulation, “77.1 (s.e. 2.0)”."""
    return UNKNOWN if math.isnan(share) else f"{cell(share)} (s.e. {cell(standard_error)})"


def level(confidence: float) -> str:
    """A confidence, “95 %”, with as many digits as it has."""
    return f"{100 * confidence:g}{PER_CENT}"


def value(number: float, unit: Unit, beside: float = 0.0) -> str:
    """A value: per cent with one digit if values are shares, a grade on its scale, else four significant digits.

    Parameters
    ----------
    unit : bool or GradeScale
        Whether values are shares, or the scale whose shares they are.
    beside : float
        Width of the interval shown with it. Two of its digits are shown, so that its limits do not look alike.
    """
    if math.isnan(number):
        return UNKNOWN
    if isinstance(unit, GradeScale):
        least = unit.span * (beside if 0 < beside < 1 else _GRADES)
        return f"{unit.grade(number):.{max(0, 1 - math.floor(math.log10(least)))}f}".replace("-", "−")
    if unit:
        return per_cent(number, 1)
    digits = 4
    if 0 < beside < math.inf and number and math.isfinite(number):
        digits = max(digits, math.floor(math.log10(abs(number))) - math.floor(math.log10(beside)) + 2)
    return significant(number, min(digits, _MOST_DIGITS))


def span(low: float, high: float, unit: Unit) -> str:
    """Two limits, “70.7 % to 86.6 %”."""
    return f"{value(low, unit, high - low)} to {value(high, unit, high - low)}"


def share_span(low: float, high: float, digits: int = 0) -> str:
    """Two shares, “71 % to 87 %”; once if they look alike."""
    first, last = (per_cent(end, digits) for end in (low, high))
    return first if first == last else f"{first} to {last}"


def gap_span(low: float, high: float, unit: Unit) -> str:
    """Two differences with their signs, “−0.4 to +3.1 points”."""
    return f"{signed(low, unit)} to {signed(high, unit)}{points(unit)}"


def width(number: float, unit: Unit) -> str:
    """A width, an error or a difference: percentage points if values are shares.

    Down to a tenth of a point; a smaller one that is not 0 keeps a significant digit.
    """
    return UNKNOWN if math.isnan(number) else f"{bare(number, unit)}{points(unit)}"


def bare(number: float, unit: Unit) -> str:
    """The same without its unit."""
    if unit is not True:
        return significant(factor(unit) * number, 3)
    points = 100 * number
    return f"{points:.1f}".replace("-", "−") if points == 0 or abs(points) >= 0.05 else significant(points, 1)


def signed(number: float, unit: Unit) -> str:
    """A difference with its sign and without its unit, “+3.1”, “−0.4”, “0.0”."""
    return f"+{bare(number, unit)}" if number > 0 else bare(number, unit)


def points(unit: Unit) -> str:
    """The unit of widths and differences, to follow a number without one."""
    return f"{SPACE}points" if unit is True else ""


def factor(unit: Unit) -> float:
    """Return a width of 1 in the unit: 100 points, the span of a scale, or itself."""
    return unit.span if isinstance(unit, GradeScale) else 100.0 if unit else 1.0


def drawn(number: Number, unit: Unit) -> Number:
    """A value on the axis of a figure: per cent, a grade, or itself."""
    return unit.grade(number) if isinstance(unit, GradeScale) else factor(unit) * number


def half(number: float, unit: Unit) -> float:
    """A half-width to aim at, rounded to two significant digits of what is shown, so that everybody plans for it."""
    return float(f"{factor(unit) * number:.2g}") / factor(unit)


def significant(number: float, digits: int) -> str:
    """A number with so many significant digits, zeros among them, and with “−” and “∞”."""
    if math.isinf(number):
        written = "-∞" if number < 0 else "∞"
    else:
        written = f"{number:,.0f}" if abs(number) >= 10**digits else f"{number:#,.{digits}g}".rstrip(".")
    return written.replace("-", "−")


def counted(count: int, one: str, many: str | None = None) -> str:
    """A number with its noun, “1 label”, “2,000 labels”; ``many`` if the plural takes more than an s."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def grouped(shown: object) -> str:
    """Write a whole number with its thousands apart, "1,600", and anything else as it is."""
    return f"{shown:,}" if isinstance(shown, Integral) else str(shown)


def shortened(name: str, most: int) -> str:
    """A name of at most so many characters."""
    return name if len(name) <= most else name[: most - 1] + "…"


def listed(words: Sequence[str]) -> str:
    """Words in a row, “0”, “0 and 2”, “0, 1 and 2”."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def printable(text: str) -> str:
    """A text that only shows: its control and bidirectional characters are escapes, of four hexadecimal digits.

    JSON stays JSON with the same meaning. Line breaks and tabs stay.
    """
    return _UNPRINTABLE.sub(lambda char: f"\\u{ord(char[0]):04x}", text)


def first_sentence(text: str) -> tuple[str, str]:
    """The first sentence of a text, and the rest; "" if there is none. Names in quotes, and “Dr. Zero”, stay whole."""
    end = _SENTENCE_END.match(text)
    first, rest = (text[: end.start(1)], text[end.end(1) :]) if end else (text, "")
    return first.removesuffix(".") + ".", rest


def textless(item: str, group: object = None) -> str:
    """Return the stand-in for a question that the pool does not have: “id 70, category law”."""
    category = f", category {group}" if isinstance(group, str) else ""
    return f"The question’s text is not part of this file: id {item}{category}."


def strata_named(places: Iterable[int]) -> str:
    """Strata by their places, “stratum 0”, “strata 0 and 2”; of more than eight the first five and how many others."""
    words = [str(place) for place in places]
    if len(words) > _MOST_STRATA:
        words = [*words[:_FIRST_STRATA], f"{len(words) - _FIRST_STRATA:,} others"]
    return f"{'stratum' if len(words) == 1 else 'strata'} {listed(words)}"


def shell_line(arguments: Sequence[str]) -> str:
    """A command to copy into a shell (bash, zsh, ksh): one line of characters that show.

    A line break or an escape inside of quotes would be obeyed by the terminal into which it is pasted, so anything that
    does not show is an octal escape in ``$'…'``.
    """
    return " ".join(shlex.quote(text) if text.isprintable() else _escaped(text) for text in arguments)


def _escaped(text: str) -> str:
    return (
        "$'"
        + "".join(
            char
            if char.isprintable() and char not in "\\'"
            else "".join(f"\\{byte:03o}" for byte in char.encode("utf-8", "surrogatepass"))
            for char in text
        )
        + "'"
    )


def shown(text: str, width: int = 60) -> str:
    """Quote a text, on one line and shortened, for a sentence."""
    line = text.encode("utf-8", "replace").decode("utf-8")
    line = "".join(char if char.isprintable() else " " for char in line)
    return f"“{line}”" if len(line) <= width else f"“{line[: width - 1]}…”"
