r"""One spelling of the numbers in a text: plain digits, a decimal point, no grouping, fractions and roots on one line.

Grouping: Western, Indian, in LaTeX ("1,234", "1,00,000", "10,\!080", "1{,}234"), by points before a decimal comma
("1.234,50"), by spaces ("1 000 000") and by apostrophes. A comma that groups no digits separates numbers ("3,5" is 3
and 5) unless the text is in a language that writes a decimal comma ("Die Antwort ist 12,5."), a unit such as € or %
or an operator follows ("1,2 × 10^3"), or the text has no other number ("12,5", "x = 0,75").
"""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction
from itertools import pairwise

from .final import unwrap_latex
from .languages import has_decimal_comma

_DIGIT = re.compile("[0-9]")
_COMMA_RUN = re.compile(r"[0-9](?<![.0-9].)[0-9]*+(?:,[0-9]++)+")
# A digit comes first in these patterns, as few places of a text have one.
_WITH_DECIMALS = re.compile(r"([1-9](?<![0-9.,].)[0-9]{0,2}(?>(?:\.[0-9]{3})+)),([0-9]++)(?![0-9,])")
_MANY_POINTS = re.compile(r"[1-9](?<![0-9.,].)[0-9]{0,2}(?>(?:\.[0-9]{3}){2,})(?![0-9.])")
_ROUND_POINTS = re.compile(r"([1-9](?<![0-9.,].)[0-9]{0,2})\.([0-9]{2}0)(?![0-9.,])")
_SPACED = re.compile(r"[1-9](?<![0-9.,/^].)(?<![0-9] .)[0-9]{0,2}(?>(?: [0-9]{3})+)(?![0-9]| [0-9]|\s?/)")
_GROUP_SIGN = re.compile(r"(?<=[0-9])(?:,?\\[,;: ]|~|['’_\u00a0\u2009\u202f])(?=[0-9]{3}(?![0-9]))")
_ARGUMENT = r"(?:\{\s?(?P<of>[-−]?[0-9][0-9.,]{0,40})?(?P<of_root>\s?(?:π|√[0-9]{1,15}))?\s?\}|\s?(?P<of_digit>[0-9]))"
_LATEX_FRACTION = re.compile(
    r"(?P<whole>[0-9]\s?)?\\[dtcs]?(?:nice)?frac\s?"
    + _ARGUMENT.replace("<of", "<top")
    + _ARGUMENT.replace("<of", "<bottom")
)
_ROOT = re.compile(r"\\sqrt\s?(?:\{\s?([0-9]{1,15})\s?\}|([0-9]))|\bsqrt\(([0-9]{1,15})\)|√\s?\(\s?([0-9]{1,15})\s?\)")
_PI = re.compile(r"\\pi(?![A-Za-z])")
_REPEATING = re.compile(r"([0-9]{0,15})\.([0-9]{0,15})\\(?:overline|bar)\s?\{([0-9]{1,15})\}")
_OPENING, _CLOSING = frozenset("([{<"), frozenset(")]}>")
_OPERATOR = r"\s?(?:[x×*·⋅∗÷+^]|\\(?:times|cdot|div)(?![A-Za-z]))"
_AMOUNT = re.compile(rf"\s?(?:[€%]|EUR\b|Euros?\b|km\b|kg\b|cm\b|mm\b|°)|[eE][-+]?[0-9]|{_OPERATOR}\*?\s?[-+({{]?[0-9]")
_FACTOR = re.compile(rf"[0-9]{_OPERATOR}\s?\Z")
_FULL_HOUR = re.compile(r":00(?<=[0-9]:00)(?![0-9:])")
_MINUS = re.compile(r"(?<![0-9%)\]}])(?<![0-9%)\]}]\s)\b(?:negative|minus)\s(?=[$€£]?[0-9])", re.IGNORECASE)
_SUPERSCRIPT = re.compile("[⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹]++")
_SUPERSCRIPTS = str.maketrans("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "+-0123456789")
_VULGAR = re.compile(r"([0-9])?([¼½¾⅐-⅞↉])")
_SIGNS = str.maketrans(
    dict.fromkeys("−–‐‑﹣－", "-")
    | {"＋": "+", "．": ".", "，": ",", "٫": ".", "٬": ",", "＝": "=", "⁄": "/", "＄": "$", "％": "%"}
)

_SMALL = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"),
    *("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_VALUES = {word: value for value, word in enumerate(_SMALL)} | {word: 10 * n for n, word in enumerate(_TENS, 2)}
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 10**6, "billion": 10**9}
_WORD = "|".join([*_VALUES, *_SCALES])
_WORDS = re.compile(rf"(?<!\b[Nn]o )\b(?:{_WORD})\b(?:(?:[ -]|,? and )(?:{_WORD})\b){{0,12}}", re.IGNORECASE)


# "One" in these is no number.
_PRONOUN = re.compile(r"\s(?:of|that|who|which|can|could|should|must|may|might|has|would|or|more|another|with|by)\b")


def plain_digits(text: str) -> str:
    """Return the text with its numbers in one spelling."""
    is_ascii, has_latex = text.isascii(), "\\" in text
    if not is_ascii:
        text = _VULGAR.sub(_vulgar, text)
        text = _SUPERSCRIPT.sub(lambda run: "^" + run[0].translate(_SUPERSCRIPTS), text).translate(_SIGNS)
        text = "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in text)
    if has_latex:
        text = unwrap_latex(text).replace("\\$", "$").replace("\\%", "%").replace("\\left", "").replace("\\right", "")
        text = _REPEATING.sub(_repeating, text.replace("\\!", ""))
        text = _PI.sub("π", text)
    text = text.replace("{,}", ",")
    if has_latex or not is_ascii or "sqrt" in text:
        text = _ROOT.sub(lambda root: f"√{next(filter(None, root.groups()))}", text)
    if has_latex:
        text = _LATEX_FRACTION.sub(_fraction, text)
    if has_latex or not is_ascii or "'" in text or "_" in text or "~" in text:
        text = _GROUP_SIGN.sub("", text)
    text = _FULL_HOUR.sub("", text) if ":00" in text else text
    text = _MINUS.sub("-", text) if "inus " in text or "egative " in text else text
    text = _SPACED.sub(_without_spaces, text)
    if "," in text:
        text = _WITH_DECIMALS.sub(lambda number: f"{number[1].replace('.', '')}.{number[2]}", text)
        text = _COMMA_RUN.sub(_ungrouped, text)
    text = _MANY_POINTS.sub(lambda number: number[0].replace(".", ""), text)
    return _ROUND_POINTS.sub(r"\1\2", text) if _ROUND_POINTS.search(text) and has_decimal_comma(text) else text


def number_in_words(text: str) -> int | None:
    """Return the first number that a text spells out in English words, from 0 to billions; None if it has none."""
    words = _WORDS.search(text)
    if words is None or (words[0].casefold() == "one" and _PRONOUN.match(text, words.end())):
        return None
    total = current = 0
    for word in re.findall(r"[a-z]+", words[0].casefold()):
        if word in _VALUES:
            current += _VALUES[word]
        elif word == "hundred":
            current = max(current, 1) * 100
        elif word != "and":
            total, current = total + max(current, 1) * _SCALES[word], 0
    return total + current


def is_number_in_words(text: str) -> bool:
    """Whether English words spell out one number and nothing else, unlike “six or seven” and “six seven”."""
    words = _WORDS.fullmatch(text.strip())
    if words is None:
        return False
    values = [_VALUES.get(word) for word in re.findall(r"[a-z]+", words[0].casefold()) if word != "and"]
    # Before a unit stands a ten, or hundred, thousand ….
    pairs = ((one, other) for one, other in pairwise(values) if one is not None and other is not None)
    return all(one >= 20 and 0 < other < 10 for one, other in pairs)


def _vulgar(sign: re.Match[str]) -> str:
    value = unicodedata.normalize("NFKC", sign[2]).replace("⁄", "/")
    return f"{sign[1]} {value}" if sign[1] else value


def _fraction(match: re.Match[str]) -> str:
    """Return a fraction of numbers, which may be multiples of a root or of π, on one line; others as they are."""
    top, bottom = (match[name] or match[f"{name}_digit"] for name in ("top", "bottom"))
    root = (match["top_root"] or "").strip()
    if match["bottom_root"] or bottom is None or (top is None and not root):
        return match[0]
    try:
        value = Fraction((top or "1").replace(",", "").replace("−", "-")) / Fraction(bottom.replace(",", ""))
    except (ValueError, ZeroDivisionError):
        return match[0]
    whole = f"{match['whole'].strip()} " if match["whole"] else ""
    simple = (top or "1").isdecimal() and bottom.isdecimal()
    return f"{whole}{f'{top or 1}/{bottom}' if simple else f'{value.numerator}/{value.denominator}'}{root}"


def _repeating(match: re.Match[str]) -> str:
    whole, fixed, again = match.groups()
    value = Fraction(
        int(whole + fixed + again or "0") - int(whole + fixed or "0"), (10 ** len(again) - 1) * 10 ** len(fixed)
    )
    return f"{value.numerator}/{value.denominator}"


def _without_spaces(run: re.Match[str]) -> str:
    """Return "1 000 000" as one number, "120 230 450" as three."""
    first, *groups = run[0].split(" ")
    is_list = len(first) == 3 and len(groups) > 1 and "000" not in groups
    return run[0] if is_list else run[0].replace(" ", "")


def _ungrouped(match: re.Match[str]) -> str:
    """Return "1,234" as one number, "1,2,3" and "(3,4)" as several, "3,5" by what stands around it."""
    run = match[0]
    first, *middle, last = run.split(",")
    western = len(first) <= 3 and all(len(group) == 3 for group in middle)
    indian = len(first) <= 2 and all(len(group) == 2 for group in middle)
    if len(last) == 3 and first[0] != "0" and (western or indian):
        return run.replace(",", "")
    text, (start, end) = match.string, match.span()
    is_pair = bool(middle) or (text[start - 1 : start] in _OPENING and text[end : end + 1] in _CLOSING)
    is_decimal = not is_pair and (len(last) != 3 or first == "0")
    if is_decimal and (
        _AMOUNT.match(text, end)
        or text[max(0, start - 2) : start].strip() == "€"
        or _FACTOR.search(text[max(0, start - 10) : start])
        or has_decimal_comma(text)
        or not _DIGIT.search(text[:start] + text[end:])
    ):
        return run.replace(",", ".")
    return run.replace(",", " , ")
