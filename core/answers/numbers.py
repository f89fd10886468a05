r"""Kind ``number``: the number that is the answer, in one exact spelling.

Which number: the one behind the last answer marker (*answer is*, *Answer:*, *####*, ``\boxed{…}``), else the last
number of the text; a number behind "not" or "≠" is none. Behind *answer is* and inside a box it is the first number, or
the one behind the last "=" of that sentence; behind *Answer:* the number that follows at once, else the last number of
the passage (a chain of steps).

Which spelling: equal values are equal strings. Sign, digits, one decimal point, no leading or trailing zeros, no
grouping ("1,234", "1,00,000"), no currency, no unit, no "≈" or "about" before it: who grades "≈ 5" takes it for 5. A
**percent sign is dropped** ("50%" is "50"): published answers are mostly bare numbers. **Fractions are values**:
"6/8" and "0.75" are "0.75"; one without a finite decimal stays a fraction in lowest terms ("1/3"); "2 1/2" is "2.5".
Values that would need more than 30 padding zeros are written d.ddde±n. All of it is string work and integers, and an
exponent is never expanded. Only a number that is not whole and has 16 or 17 significant digits, as programs write
floats, is rounded to 15: "0.30000000000000004" is "0.3".
A full hour is its number ("2:00 pm" is "2"). Numbers in English words, scales ("5 million"), small powers and multiples
of π and of roots are numbers as well; an expression, a pair or several numbers in a box are none. A formula of numbers
is computed ("2 + 3 · 4" is "14"); one that may mean several things ("2 × 3", a size) is no number, and its parts are
none. What grouping and commas mean is in `core.answers.digits`.
"""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import pairwise
from math import isqrt

from .digits import number_in_words, plain_digits
from .final import Segment, answer_segments, reply
from .formulas import exact_value

_LOOKED_AT = 400
_NO_NUMBER = ""
# A number in words stands so near to its marker.
_HEAD = 50
_FEW_WORDS = 4
_MAX_POWER_DIGITS = 300
_LARGEST_ROOT = 300
_SCALES = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_MAX_PADDING = 30
_MAX_EXPONENT_DIGITS = 15
_MAX_FRACTION_DIGITS = 40
_MAX_MIXED_DIGITS = 15
_CERTAIN_DIGITS, _FLOAT_DIGITS = 15, 17

_TOKEN = re.compile(
    r"""(?>(?:(?<![0-9A-Za-z)\]}%^])(?P<sign>[-+])(?:[$€£¥₹]\s?)?)?)
        (?<![0-9A-Za-z^])(?<![A-Za-z0-9]_)(?<![\^_]\{)
        (?: (?:(?P<whole>[0-9]++)\s)?(?<!/)(?P<top>[0-9]++)\s?/\s?(?P<bottom>[0-9]++)(?!\s?/|\.[0-9])
          | 10\s?(?:\^|\*\*)\s?\{?(?P<power_of_ten>[-+]?[0-9]++)
          | (?P<integer>[0-9]++)?(?>(?:\.(?P<decimals>[0-9]++))?)(?<=[0-9])
            (?: [eE](?P<exponent>[-+]?[0-9]++)
              | \s?(?:\\times|\\cdot|[x×*·])\s?10\s?(?:\^|\*\*)\s?\{?(?P<power>[-+]?[0-9]++)
              | (?:\^|\*\*)\{?(?P<power_of_it>[0-9]{1,3}+)(?![0-9])
              | \s(?P<scale>thousand|million|billion|trillion)s?\b
            )?
          | (?=π(?![A-Za-z])|√[0-9])
        )(?:[ ]?[*·×]?[ ]?(?P<irrational>π(?![A-Za-z])|√(?P<under_root>[0-9]{1,15}+)))?""",
    re.VERBOSE,
)
_LEADING = re.compile(r"[\s*_`$€£¥₹(\[\"'“≈~:\\]*+")
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|\n")
_NUMBERED_HEADING = re.compile(r"[.):]\s*+[A-Za-z]")
# What is between the numbers of a list; an expression of letters, such as "3x + 2"; and a word, which explains.
_SEPARATORS = re.compile(r"\s*(?:[,;]|\\pm|±|\\(?:text\s?)?(?:and|or)|and|or)\s*")
_VARIABLE = re.compile(
    r"(?<![A-Za-z\\])[xyznkab](?![A-Za-z])(?=\s?[-+*/^_()]|\s*$)|(?<=[-+*/^])\s?[xyznkab](?![A-Za-z])"
)
_WORD = re.compile(r"(?<!\\)\b[^\W\d_]{3,}")
# Directly before a number it says what the answer is not: "not 5", "x ≠ 5".
_DENIED = re.compile(
    r"(?:\b(?:not|never|nicht|niet|pas|não|inte|ikke|nie|не)|n['’]t|!=|≠|\\neq?)[\s*_]*"
    r"(?:(?:be|equal(?:\sto)?|exactly|actually|really)\s)?[\s*_$€£¥(\"]*\Z",
    re.IGNORECASE,
)
_FARTHEST = 30
# Beside an operator and another number, perhaps with a unit, or behind a function a number is a part of a formula.
_COMMAND = r"\\(?:times|cdot|div|ast|b?mod)(?![A-Za-z])"
# “5 **6**” is two numbers, the other in bold.
_OPERATOR = rf"(?:[ \t]?(?:{_COMMAND}|\(?\\?[bp]?mod\b|[x×·⋅∗÷^+])[ \t]?|\*\*?(?! )|[ \t]\*\*?[ \t])"
_FUNCTION = (
    r"\\(?:[dt]?binom\s?\{(?:[0-9]{1,9}\}\s?\{)?|(?:log|ln|lg|exp|(?:arc)?(?:sin|cos|tan)|gcd|lcm|max|min|lfloor|lceil)"
    r"(?![A-Za-z])(?:_\{?[0-9]{1,3}\}?)?\s?)"
)
_BEFORE = re.compile(rf"(?:[0-9)\]}}](?:[ \t]?(?:[%€$]|[a-z]{{1,3}}))?{_OPERATOR}|{_FUNCTION})[$€£({{\[]*\Z")
_BEHIND = re.compile(rf"(?:[ \t]?(?:[%€$]|(?!x[ \t]?[0-9])[a-z]{{1,3}}))?[)\]}}]*{_OPERATOR}[$€£({{\[]*[-+]?\.?[0-9]")
_FORMULA = re.compile(
    rf"(?:[-0-9.()\[\]{{}}+*/^×·⋅∗÷ \t]|{_COMMAND}|\\(?:pmod|[dt]?binom)(?![A-Za-z])"
    r"|(?<=[0-9\s)])(?:x|mod)(?=[\s0-9(]))+"
)
_ENDS = " \t.-+"
_APPLIED, _UNFINISHED = re.compile(r"[^\W_]\Z|√\Z"), re.compile(r"[ \t]*[=%!πi√…]|[^\W\d_]")
# In a box these make a number no number: “10 − 4” and “5!”.
_BOXED_FORMULA = re.compile(r"[0-9)]\s?-\s?[0-9(]|[0-9)]!")
_ASIDE = re.compile(r"[ \t]\([^()\n]{1,200}\)[.!?]?[*_ \t]*$")
_SHORT = 60


def parse_number(text: str) -> str | None:
    """Return the number that is the answer, in canonical form, or None if the text has no number."""
    prepared = plain_digits(reply(text, _is_answer, _is_bare))
    for segment in answer_segments(prepared):
        value = _in_segment(segment)
        if value is not None:
            return value or None
    value = _last_number(prepared)
    if value is None and len(prepared.strip()) <= _SHORT:
        value = _in_words(prepared)
    return value or None


def is_unclear(text: str) -> bool:
    """Whether a text has no number as its answer, but a formula of numbers that may mean several things."""
    if parse_number(text) is not None:
        return False
    return any(map(_is_part, _TOKEN.finditer(plain_digits(text))))


def _in_segment(segment: Segment) -> str | None:
    """Return the number behind a marker, ``_NO_NUMBER`` if what stands there is none, None if nothing is known."""
    if segment.form == "hashes":
        token = _TOKEN.match(segment.text, _start(segment.text))
        heading = token is not None and _NUMBERED_HEADING.match(segment.text, token.end())
        return None if token is None or heading else _value(token)
    if segment.form == "enclosed":
        return _NO_NUMBER if _is_expression(segment.text) else _result_or_words(segment.text, segment.text)
    start = _start(segment.text)
    if segment.form == "colon" and not _TOKEN.match(segment.text, start):
        value = _last_number(segment.text)
        return value if value is not None else _in_words(segment.text[:_HEAD])
    end = _SENTENCE_END.search(segment.text, start)
    sentence = segment.text[start : end.start() if end else None]
    return _result_or_words(sentence, sentence[:_HEAD])


def _result_or_words(sentence: str, head: str) -> str | None:
    result = _result_of(sentence)
    return _in_words(head) if result is None else result


def _is_answer(segment: Segment) -> bool:
    return _in_segment(Segment(plain_digits(segment.text[:_LOOKED_AT]), segment.form)) is not None


def _is_bare(line: str) -> bool:
    return (
        len(line.split()) <= _FEW_WORDS
        and any(sign.isdigit() for sign in line)
        and not line.rstrip().endswith((":", "="))
    )


def _is_expression(text: str) -> bool:
    """Whether an enclosed answer is several numbers, or an expression that is no number."""
    result = text.rpartition("=")[2]
    if _WORD.search(result):
        return False
    tokens = list(_TOKEN.finditer(result))
    if len(tokens) > 1 and any(token["irrational"] for token in tokens):
        return True
    between = [result[one.end() : other.start()] for one, other in pairwise(tokens)]
    return (
        any(map(_SEPARATORS.fullmatch, between))
        or "±" in result
        or "\\pm" in result
        or _VARIABLE.search(result) is not None
        or _BOXED_FORMULA.search(result) is not None
    )


def _in_words(text: str) -> str | None:
    value = number_in_words(text)
    return None if value is None else str(value)


def _start(text: str) -> int:
    """Return where the answer starts after decorations such as ``**`` or ``$``; a sign belongs to the answer."""
    leading = _LEADING.match(text)
    return leading.end() if leading else 0


def _result_of(sentence: str) -> str | None:
    """Return the number behind the last "=" of the sentence, else its first number."""
    before, equals, after = sentence.rpartition("=")
    result = None if before.endswith("!") else _first_number(after)
    return result if result is not None or not equals else _first_number(before)


def _first_number(text: str) -> str | None:
    return next((value for token in _TOKEN.finditer(text) if (value := _meant(token)) is not None), None)


def _last_number(text: str) -> str | None:
    for line in reversed(text.splitlines()):
        # "3 boxes (each holds 12 eggs)" says 3.
        for said in (_ASIDE.sub("", line), line) if line.rstrip(".!?*_ \t").endswith(")") else (line,):
            for token in reversed(list(_TOKEN.finditer(said))):
                value = _meant(token)
                if value is not None:
                    return value
    return None


def _meant(token: re.Match[str]) -> str | None:
    """Return the token's value in canonical form; None for a number that the words before it deny."""
    start = token.start()
    return None if _DENIED.search(token.string[max(0, start - _FARTHEST) : start]) else _value(token)


def _value(token: re.Match[str]) -> str | None:
    """Return the token's value, or that of the formula it is a part of; ``_NO_NUMBER`` if that is not clear."""
    if not _is_part(token):
        return _canonical(token)
    text, start = token.string, token.start()
    line = text.rfind("\n", 0, start) + 1
    run = next(one for one in _FORMULA.finditer(text, line) if one.end() > start)
    formula = run[0].strip(_ENDS)
    begin = run.start() + run[0].index(formula)
    is_apart = _APPLIED.search(text[max(0, begin - 1) : begin]) or _UNFINISHED.match(text, begin + len(formula))
    value = None if is_apart or _TOKEN.fullmatch(formula) else exact_value(formula)
    if value is None:
        return _NO_NUMBER
    return _canonical_fraction(value < 0, "0", str(abs(value.numerator)), str(value.denominator)) or _NO_NUMBER


def _is_part(token: re.Match[str]) -> bool:
    """Whether a token is a part of a formula."""
    start = token.start()
    # “5 +3” is a sum as well.
    before = token.string[max(0, start - _FARTHEST) : start] + ("+" if token["sign"] == "+" else "")
    return bool(_BEFORE.search(before) or _BEHIND.match(token.string, token.end()))


def _canonical(token: re.Match[str]) -> str | None:
    """Return the token's value in canonical form; None if it is not a number that anybody means."""
    value = _rational(token)
    if token["irrational"] is None or value is None or value == "0":
        return value
    return _irrational(value, token["irrational"], int(token["under_root"] or 1))


def _rational(token: re.Match[str]) -> str | None:
    negative = token["sign"] == "-"
    if token["bottom"]:
        return _canonical_fraction(negative, token["whole"] or "0", token["top"], token["bottom"])
    if token["power_of_ten"]:
        return _scaled("1", "", token["power_of_ten"], negative)
    integer, decimals = token["integer"] or "", token["decimals"] or ""
    if not integer and not decimals:
        return "-1" if negative else "1"
    if token["power_of_it"]:
        digits, power = integer + decimals, int(token["power_of_it"])
        if len(digits) * power > _MAX_POWER_DIGITS:
            return None
        return _decimal(str(int(digits) ** power), -len(decimals) * power, negative)
    exponent = token["exponent"] or token["power"] or str(_SCALES.get(token["scale"], 0))
    return _scaled(integer, decimals, exponent, negative)


def _irrational(factor: str, sign: str, under_root: int) -> str | None:
    """Return a multiple of π or of a root, which has no square below it: "2√3" for √12."""
    if "e" in factor:
        return None
    value = Fraction(factor)
    if sign != "π":
        if under_root == 0:
            return "0"
        for root in range(_LARGEST_ROOT, 1, -1):
            if under_root % root**2 == 0:
                value, under_root = value * root, under_root // root**2
        if isqrt(under_root) ** 2 == under_root:
            value, under_root = value * isqrt(under_root), 1
        sign = "" if under_root == 1 else f"√{under_root}"
    multiple = _canonical_fraction(value < 0, "0", str(abs(value.numerator)), str(value.denominator))
    if multiple is None or "e" in multiple:
        return None
    return f"{multiple.removesuffix('1') if multiple in ('1', '-1') and sign else multiple}{sign}"


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
    surplus = len(significant) - _CERTAIN_DIGITS
    if exponent < 0 < surplus <= _FLOAT_DIGITS - _CERTAIN_DIGITS:
        rounded = str((int(significant) + 10**surplus // 2) // 10**surplus)
        significant = rounded.rstrip("0")
        exponent += surplus + len(rounded) - len(significant)
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
