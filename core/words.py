"""How numbers are written in page, report and figures: shares in per cent, other losses with significant digits."""

from __future__ import annotations

import math

# A number and its unit stay on one line.
SPACE = "\u00a0"
PER_CENT = f"{SPACE}%"
UNKNOWN = "–"
_MOST = 12


def per_cent(share: float, digits: int = 0) -> str:
    """A share, “71 %”."""
    return UNKNOWN if math.isnan(share) else f"{100 * share:.{digits}f}{PER_CENT}"


def level(confidence: float) -> str:
    """A confidence, “95 %”, with as many digits as it has."""
    return f"{100 * confidence:g}{PER_CENT}"


def value(number: float, unit: bool, beside: float = 0.0) -> str:
    """A value: per cent with one digit where values are shares (``unit``), else four significant digits.

    ``beside`` : a width that is told with it; of that two digits are seen, so that limits do not look alike.
    """
    if math.isnan(number):
        return UNKNOWN
    if unit:
        return per_cent(number, 1)
    digits = 4
    if 0 < beside < math.inf and number and math.isfinite(number):
        digits = max(digits, math.floor(math.log10(abs(number))) - math.floor(math.log10(beside)) + 2)
    return significant(number, min(digits, _MOST))


def span(low: float, high: float, unit: bool) -> str:
    """Two limits, “70.7 % to 86.6 %”."""
    return f"{value(low, unit, high - low)} to {value(high, unit, high - low)}"


def width(number: float, unit: bool) -> str:
    """A width, an error or a difference: percentage points where values are shares.

    Down to a tenth of a point; what is smaller, but not 0, keeps a significant digit.
    """
    if math.isnan(number):
        return UNKNOWN
    return f"{bare(number, unit)}{SPACE}points" if unit else bare(number, unit)


def bare(number: float, unit: bool) -> str:
    """The same without its unit."""
    if not unit:
        return significant(number, 3)
    points = 100 * number
    return f"{points:.1f}".replace("-", "−") if points == 0 or abs(points) >= 0.05 else significant(points, 1)


def signed(number: float, unit: bool) -> str:
    """A difference without its unit, with its sign: “+3.1”, “−0.4”, “0.0”."""
    return f"+{bare(number, unit)}" if number > 0 else bare(number, unit)


def points(unit: bool) -> str:
    """The unit of widths and differences, to be put behind a number without one."""
    return f"{SPACE}points" if unit else ""


def half(number: float, unit: bool) -> float:
    """A half-width to aim at, rounded to two significant digits of what is shown, so that all plan for the same."""
    scale = 100.0 if unit else 1.0
    return float(f"{scale * number:.2g}") / scale


def significant(number: float, digits: int) -> str:
    """A number with so many significant digits, zeros among them; minus and infinity as signs of their own."""
    if math.isinf(number):
        written = "-∞" if number < 0 else "∞"
    else:
        written = f"{number:,.0f}" if abs(number) >= 10**digits else f"{number:#,.{digits}g}".rstrip(".")
    return written.replace("-", "−")


def counted(count: int, one: str, many: str | None = None) -> str:
    """A number with its noun: “1 label”, “2,000 labels”."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def shortened(name: str, most: int) -> str:
    """A name of at most so many signs."""
    return name if len(name) <= most else name[: most - 1] + "…"


def listed(words: list[str]) -> str:
    """Words in a row: “0”, “0 and 2”, “0, 1 and 2”."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
