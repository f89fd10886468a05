r"""Kind ``number``: the number that is the answer, in one exact spelling.

Which number: the one behind the last answer marker (*answer is*, *Answer:*, *####*, ``\boxed{…}``), else the last
number of the text. Behind *answer is* and inside a box it is the first number, or the one behind the last "=" of that
sentence; behind *Answer:* the number that follows at once, else the last number of the passage (a chain of steps).

Which spelling: equal values are equal strings. Sign, digits, one decimal point, no leading or trailing zeros, no
grouping ("1,234", "1,00,000"), no currency, no unit. A **percent sign is dropped** ("50%" is "50"): published answers
are mostly bare numbers. **Fractions are values**: "6/8" and "0.75" are "0.75"; one without a finite decimal stays a
fraction in lowest terms ("1/3"); "2 1/2" is "2.5". Values that would need more than 30 padding zeros are written
d.ddde±n. All of it is string work and integers: nothing is rounded, and an exponent is never expanded.
A full hour is its number ("2:00 pm" is "2").
A comma that does not group digits in the Western or Indian way separates numbers ("3,5" is 3 and 5).
"""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction

from .final import Segment, answer_segments, reply, unwrap_latex

_LOOKED_AT = 400
_MAX_PADDING = 30
_MAX_EXPONENT_DIGITS = 15
_MAX_FRACTION_DIGITS = 40
_MAX_MIXED_DIGITS = 15

_TOKEN = re.compile(
    r"""(?>(?:(?<![0-9A-Za-z)\]}%^])(?P<sign>[-+])(?:[$€£¥₹]\s?)?)?)
        (?<![0-9A-Za-z^])(?<![A-Za-z0-9]_)(?<![\^_]\{)
        (?: (?:(?P<whole>[0-9]++)\s)?(?<!/)(?P<top>[0-9]++)\s?/\s?(?P<bottom>[0-9]++)(?!\s?/|\.[0-9])
          | 10\s?(?:\^|\*\*)\s?\{?(?P<power_of_ten>[-+]?[0-9]++)
          | (?P<integer>[0-9]++)?(?>(?:\.(?P<decimals>[0-9]++))?)(?<=[0-9])
            (?: [eE](?P<exponent>[-+]?[0-9]++)
              | \s?(?:\\times|\\cdot|[x×*·])\s?10\s?(?:\^|\*\*)\s?\{?(?P<power>[-+]?[0-9]++)
            )?
        )""",
    re.VERBOSE,
)
_LEADING = re.compile(r"[\s*_`$€£¥₹(\[\"'“≈~:\\]*+")
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|\n")
_NUMBERED_HEADING = re.compile(r"[.):]\s*+[A-Za-z]")

_COMMA_RUN = re.compile(r"[0-9](?<![.0-9].)[0-9]*+(?:,[0-9]++)+")
_LATEX_FRACTION = re.compile(r"(?P<whole>[0-9])?\\[dt]?frac\s?\{\s?([0-9]{1,40}+)\s?\}\s?\{\s?([0-9]{1,40}+)\s?\}")
_THIN_SPACE = re.compile(r"(?<=[0-9])(?:\\[,!]|[\u00a0\u2009\u202f])(?=[0-9]{3}(?![0-9]))")
_FULL_HOUR = re.compile(r":00(?<=[0-9]:00)(?![0-9:])")
_SUPERSCRIPT = re.compile("[⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹]++")
_SUPERSCRIPTS = str.maketrans("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "+-0123456789")
_SIGNS = str.maketrans(
    dict.fromkeys("−–‐‑﹣－", "-") | {"＋": "+", "．": ".", "，": ",", "٫": ".", "٬": ",", "＝": "="}
)


def parse_number(text: str) -> str | None:
    """Return the number that is the answer, in canonical form, or None if the text has no number."""
    prepared = _prepare(reply(text, _is_answer))
    for segment in answer_segments(prepared):
        value = _in_segment(segment)
        if value is not None:
            return value
    return _last_number(prepared)


def _prepare(text: str) -> str:
    """Return the text with one spelling of digits, signs, grouping and LaTeX fractions."""
    if not text.isascii():
        text = _SUPERSCRIPT.sub(lambda run: "^" + run[0].translate(_SUPERSCRIPTS), text).translate(_SIGNS)
        text = "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in text)
    if "\\" in text:
        text = unwrap_latex(text).replace("\\$", "$").replace("\\%", "%").replace("\\left", "").replace("\\right", "")
        text = _LATEX_FRACTION.sub(lambda m: f"{m['whole'] + ' ' if m['whole'] else ''}{m[2]}/{m[3]}", text)
    if "\\" in text or not text.isascii():
        text = _THIN_SPACE.sub("", text)
    text = _FULL_HOUR.sub("", text.replace("{,}", ","))
    return _COMMA_RUN.sub(lambda run: _ungrouped(run[0]), text)


def _ungrouped(run: str) -> str:
    """Return "1,234" as one number, "3,5" as two."""
    first, *middle, last = run.split(",")
    western = len(first) <= 3 and all(len(group) == 3 for group in middle)
    indian = len(first) <= 2 and all(len(group) == 2 for group in middle)
    grouped = len(last) == 3 and first[0] != "0" and (western or indian)
    return run.replace(",", "" if grouped else " , ")


def _in_segment(segment: Segment) -> str | None:
    if segment.form == "hashes":
        token = _TOKEN.match(segment.text, _start(segment.text))
        heading = token is not None and _NUMBERED_HEADING.match(segment.text, token.end())
        return None if token is None or heading else _canonical(token)
    if segment.form == "enclosed":
        return _result_of(segment.text)
    start = _start(segment.text)
    if segment.form == "colon" and not _TOKEN.match(segment.text, start):
        return _last_number(segment.text)
    end = _SENTENCE_END.search(segment.text, start)
    return _result_of(segment.text[start : end.start() if end else None])


def _is_answer(segment: Segment) -> bool:
    prepared = Segment(_prepare(segment.text[:_LOOKED_AT]), segment.form)
    return _in_segment(prepared) is not None


def _start(text: str) -> int:
    """Return where the answer starts after decorations such as ``**`` or ``$``; a sign belongs to the answer."""
    leading = _LEADING.match(text)
    return leading.end() if leading else 0


def _result_of(sentence: str) -> str | None:
    """Return the number behind the last "=" of the sentence, else its first number."""
    before, equals, after = sentence.rpartition("=")
    result = _first_number(after)
    return result if result is not None or not equals else _first_number(before)


def _first_number(text: str) -> str | None:
    return next((value for token in _TOKEN.finditer(text) if (value := _canonical(token)) is not None), None)


def _last_number(text: str) -> str | None:
    for line in reversed(text.splitlines()):
        for token in reversed(list(_TOKEN.finditer(line))):
            value = _canonical(token)
            if value is not None:
                return value
    return None


def _canonical(token: re.Match[str]) -> str | None:
    """Return the token's value in canonical form; None if it is not a number that anybody means."""
    negative = token["sign"] == "-"
    if token["bottom"]:
        return _canonical_fraction(negative, token["whole"] or "0", token["top"], token["bottom"])
    if token["power_of_ten"]:
        return _scaled("1", "", token["power_of_ten"], negative)
    exponent = token["exponent"] or token["power"] or "0"
    return _scaled(token["integer"] or "", token["decimals"] or "", exponent, negative)


def _scaled(integer: str, decimals: str, exponent: str, negative: bool) -> str | None:
    power = exponent.lstrip("+-0") or "0"
    if len(power) > _MAX_EXPONENT_DIGITS:
        return None
    shift = -int(power) if exponent.startswith("-") else int(power)
    return _decimal(integer + decimals, shift - len(decimals), negative)


def _canonical_fraction(negative: bool, whole: str, top: str, bottom: str) -> str | None:
    mixed = whole != "0"
    if max(len(whole), len(top), len(bottom)) > (_MAX_MIXED_DIGITS if mixed else _MAX_FRACTION_DIGITS):
        return None
    if int(bottom) == 0:
        return None
    value = Fraction(int(top), int(bottom))
    if mixed and value < 1:
        value += int(whole)
    twos_and_fives = value.denominator
    places = 0
    while twos_and_fives % 10 == 0 or twos_and_fives % 2 == 0 or twos_and_fives % 5 == 0:
        twos_and_fives //= 10 if twos_and_fives % 10 == 0 else 2 if twos_and_fives % 2 == 0 else 5
        places += 1
    if twos_and_fives != 1:
        return f"{'-' if negative else ''}{value.numerator}/{value.denominator}"
    return _decimal(str(value.numerator * 10**places // value.denominator), -places, negative)


def _decimal(digits: str, exponent: int, negative: bool) -> str:
    """Return ±digits·10^exponent, positional if that needs few padding zeros; it depends on the value alone."""
    digits = digits.lstrip("0")
    significant = digits.rstrip("0")
    exponent += len(digits) - len(significant)
    if not significant:
        return "0"
    sign = "-" if negative else ""
    point = len(significant) + exponent
    if max(exponent, -point) > _MAX_PADDING:
        mantissa = significant[0] + ("." + significant[1:] if len(significant) > 1 else "")
        return f"{sign}{mantissa}e{point - 1}"
    if exponent >= 0:
        return f"{sign}{significant}{'0' * exponent}"
    if point > 0:
        return f"{sign}{significant[:point]}.{significant[point:]}"
    return f"{sign}0.{'0' * -point}{significant}"
