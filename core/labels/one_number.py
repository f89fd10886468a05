"""The one number that a person wrote as a right answer; a cell that holds more, or something else, says none."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

from ..answers import parse
from ..answers.digits import is_number_in_words
from ..pool.number_notes import UNITS
from ..words.verdict_words import CERTAIN, SAYS_NOTHING, SAYS_RIGHT

_FRAME = re.compile(
    r"(?:#{2,4}|(?:the\s+)?(?:(?:right|correct|final)\s+)?answer(?:\s+is|\s*[:=])|it(?:\s+i|[’'])s|(?:[a-z]\s*)?=)\s*",
    re.IGNORECASE,
)
_DECIMAL_COMMA = re.compile(r"(?<![0-9.,])([0-9]+),([0-9]{1,2}|[0-9]{4,}|(?<=0,)(?<![0-9]0,)[0-9]+)(?![0-9.,])")
_CURRENCIES = """
USD EUR GBP CHF JPY CNY INR AUD CAD NZD SEK NOK DKK PLN CZK HUF RON BGN RUB UAH BRL MXN ARS CLP PEN ZAR KRW SGD HKD TWD
ILS THB IDR MYR PHP VND AED SAR EGP NGN KES PKR BDT
"""
_SIGNS_OF_MONEY = {"$", "€", "£", "¥", "₹", "us$", "r$", "rs", "rs.", "dollar", "dollars", "euro", "euros"}
_MONEY = _SIGNS_OF_MONEY.union(_CURRENCIES.casefold().split())
_CURRENCY = rf"(?:(?:US\$|R\$|Rs\.?\s|[$€£¥₹]|(?:{'|'.join(_CURRENCIES.split())})\s)\s?)?"
# Western, with one sign between all groups, or Indian.
_GROUPED = r"[1-9][0-9]{0,2}(?:(?:,[0-9]{3})+|(?:['’][0-9]{3})+|(?:[\s_][0-9]{3})+)|[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3}"
_PLAIN = rf"(?:(?:{_GROUPED}|[0-9]+)(?:\.[0-9]+|\.(?!\s?\w))?|\.[0-9]+)(?:e[-+]?[0-9]+)?"
_NUMBER = re.compile(
    r"(?P<sign>[-+]?)(?P<money>" + _CURRENCY + r")(?P<inner>[-+]?)"
    r"(?P<value>(?:[0-9]+\s)?[0-9]+\s?/\s?[0-9]+|" + _PLAIN + r")"
    r"(?:\s?(?P<unit>[^\s\d.,;:()\[\]!?=<>+-][^,;:()\[\]!?=<>+-]{0,14}))?",
    re.IGNORECASE,
)
# Words that change a number.
_CHANGE = """
hundred thousand million billion trillion dozen score lakh crore mio mrd bio tsd tausend millionen milliarden mille
millions milliards mil millones тыс млн млрд tenths tenth hundredths thousandths squared cubed factorial minus not pi
half halves thirds quarters t kilo
"""
NO_UNITS = frozenset(_CHANGE.split()).union(CERTAIN, SAYS_NOTHING, SAYS_RIGHT)
_FURTHER = """
° ‰ m2 m3 cm2 cm3 km2 W kW V A N J Pa Hz mhz ghz cal kcal rad deg px mol KM KG CM Km Kg KB MB GB TB degree degrees
people person persons student students child children item items piece pieces unit units point points time times page
pages word words letter letters step steps way ways prozent grad stück stunde stunden minute minuten sekunde sekunden
tag tage woche wochen monat monate jahr jahre pfund personen heure heures jour jours ans mètre mètres hora horas día
días años 円 元 人 個 个 年 日 度 歳 岁 秒 本 枚 つ 只 회 개 명 원 руб руб. лет кг км м см
"""
# What may stand behind a number and changes nothing of it.
_UNITS = frozenset(UNITS).difference(NO_UNITS).union(_MONEY, _FURTHER.split())
# Such a symbol means something else in capitals: M and MM are millions.
_SYMBOL = re.compile("[A-Za-z]{1,2}")
# Two numbers, or one in groups.
_TWO = re.compile(r"[+-]?[0-9]{3} (?!000)[0-9]{3}(?![0-9 ])")
# Formulas have several numbers and one value, which is that of kind `number`.
_FORMULA = re.compile(r"[\\^√π×]|\d\s?[*·⋅∗÷+]\s?\d")
# Nobody knows which number is meant by 2/3 ≈ 0.67, by 101₂ and by 1,234 × 10^5.
_UNCLEAR = re.compile(r"≈|\\approx|[₀-₉]|\d_\{?\d{1,2}\b|,\d{3}\s?(?:[eE][-+\d]|[×x*·^]|\\times|\\cdot)")
_SEVERAL = re.compile(r"[,;]\s|\b(?:and|or|to)\b")
_FEW_WORDS = 4
_PRODUCT = re.compile(r"[^\s;]+\s[x×*·⋅]\s[^\s;]+")
_FRACTION, _POWER = re.compile(r"(?<=\d)(?=[¼-¾⅐-⅞])"), re.compile(r"\d[⁰¹²³⁴-⁹]")
_BRACKETS, _SLASHED = re.compile(r"\([^()\[\];]*\d[^()\[\];]*\)"), re.compile(r"[0-9]{3}\s?/\s?[0-9]")
_WHOLE_FRACTION = re.compile(r"-?[0-9]+\s?/\s?[0-9]+")
_SIGNS = str.maketrans(dict.fromkeys("−–‐‑﹣－", "-") | {"⁄": "/"})


def one_number(text: str, units: Collection[str] = ()) -> str | None:
    """Return a text with its only number in a spelling that kind ``number`` reads; None if it is not one number.

    A decimal comma becomes a point. A currency, one unit and a short frame ("the answer is 5") are no further words;
    any other word may change the number ("5 million", "not 5", "5 squared") and makes it none.

    Parameters
    ----------
    text : str
        As a person wrote it.
    units : collection of str
        Further units in lower case, such as those of the pool's answers.
    """
    # A minus sign belongs to its number; a dash before a blank may be a bullet.
    raw = _FRACTION.sub(" ", re.sub(r"^([−﹣－])\s+(?=\d)", r"\1", text.strip()))
    if _UNCLEAR.search(raw):
        return None
    if _POWER.search(raw):
        is_one = len(raw.split()) == 1 or _PRODUCT.fullmatch(raw) is not None
        return raw if is_one and parse(raw, "number") is not None else None
    bare = unicodedata.normalize("NFKC", raw).translate(_SIGNS)
    framed = _FRAME.match(bare)
    said = (bare[framed.end() :] if framed else bare).strip().rstrip(".;, ")
    if len(said) > 1 and said[0] == "(" and said[-1] == ")":
        said = said[1:-1].strip()
    if _FORMULA.search(text):
        readable = parse(text, "number") is not None and len(said.split()) <= _FEW_WORDS
        return text.strip() if readable and not _SEVERAL.search(said) else None
    if not any(sign.isdigit() for sign in said):
        return text.strip() if is_number_in_words(said) else None
    pointed = _DECIMAL_COMMA.sub(r"\1.\2", said)
    found = _NUMBER.fullmatch(pointed)
    if found is None or (found["sign"] and found["inner"]) or (_TWO.match(pointed) and " " in text):
        return None
    unit, number = (found["unit"] or "").strip(), found["sign"] + found["inner"] + found["value"]
    if unit and not _is_unit(unit, _MONEY if found["money"] else _UNITS.union(units)):
        return None
    # As it was written, if that is read as this number: signs between digits may still be doubted.
    spellings = (one for one in (text.strip(), pointed) if parse(one, "number") == parse(number, "number"))
    return next(spellings, number)


def may_be_another(text: str, has_fractions: bool = False) -> bool:
    """Whether a text with a number may say another: a negative one in brackets, or two with a slash between them.

    A spreadsheet writes −5 as “(5)”. Of 3/4 and 22/7, both parts are one fraction; of 8574/8584 they are only where
    the answers of the pool are fractions.

    Parameters
    ----------
    text : str
        As a person wrote it.
    has_fractions : bool
        Whether answers of the pool are fractions.
    """
    bare = text.strip().translate(_SIGNS)
    slashed = _SLASHED.search(bare)
    return _BRACKETS.fullmatch(bare) is not None or (slashed is not None and not has_fractions)


def is_fraction(text: str) -> bool:
    """Whether a text is a fraction of whole numbers."""
    return _WHOLE_FRACTION.fullmatch(text.strip()) is not None


def _is_unit(text: str, known: Collection[str]) -> bool:
    return text in known or (_SYMBOL.fullmatch(text) is None and text.casefold() in known)
