"""Outputs that count as wrong, but may be the right answer in another spelling.

They hold it, write its number, date or JSON in another way, list its parts in another order, say the same yes or no in
other words, or are one of several answers that stand in one cell.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal
from types import MappingProxyType

from ..answers import parse
from ..answers.formulas import formula_key
from ..answers.free_texts import yes_or_no
from ..words.verdict_words import CERTAIN, SAYS_RIGHT, spelling
from .number_notes import UNITS
from .option_labels import is_labelled

# Longer outputs are reasoning, in which anything may stand.
LONGEST = 200
_NUMERAL = re.compile(r"(?<![\w.,])([-−])?(\d[\d.,]*(?<=\d))(\s?%)?")
# Letters of scripts that put no spaces between words.
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u11ff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_WITHIN = re.compile(rf"(?!{_UNSPACED.pattern})\w|[.,]")
_GOES_ON = re.compile(rf"(?!{_UNSPACED.pattern})\w|[.,]\d")
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MONTH = r"(?P<month>" + "|".join(_MONTHS) + r")[a-z]*\.?"
_DATES = tuple(
    re.compile(rf"(?<!\d){form}(?!\d)")
    for form in (
        r"(?P<year>\d{4})\s?(?P<sign>[-/.年])\s?(?P<number>\d{1,2})\s?(?:(?P=sign)|月)\s?(?P<day>\d{1,2})日?",
        r"(?P<day>\d{1,2})(?P<sign>[-/.])(?P<number>\d{1,2})(?P=sign)(?P<year>\d{4})",
        r"(?P<number>\d{1,2})(?P<sign>[-/.])(?P<day>\d{1,2})(?P=sign)(?P<year>\d{4})",
        r"\b" + _MONTH + r" (?P<day>\d{1,2})(?:st|nd|rd|th)?,? (?P<year>\d{4})",
        r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?[ -](?:of )?" + _MONTH + r",?[ -](?P<year>\d{4})",
    )
)
_TIME = re.compile(r"(?<![\d:.])(\d{1,2})(?::(\d{2}))?(?::00)?(?:\s?([ap])\.?m\b)?(?![\d:])")
_FENCE = re.compile(r"^```[a-z]*\s|\s?```$")
_BETWEEN = re.compile(r"\s*[,;]\s*|\s+and\s+")
_CHINESE = MappingProxyType({sign: value for value, sign in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2})
_TENS = MappingProxyType({"十": 10, "百": 100, "千": 1_000})
_CHINESE_NUMBER = re.compile(rf"(?:百分之)?[{''.join([*_CHINESE, *_TENS])}万]+")
# Roman numerals below 90, alone or within a name; and signs that may be left out of names.
_ROMAN = re.compile(r"\b(?=[IVXL])(?P<tens>XL|L?X{0,3})(?P<units>IX|IV|V?I{0,3})(?<=[IVXL])\b")
_ROMAN_DIGITS = MappingProxyType({"I": 1, "V": 5, "X": 10, "L": 50})
_SIGNS_IN_NAMES = re.compile(r"[\s.,'’‘`´\-‐‑–]+")
_FRACTION = re.compile(r"[-−]?(\d{1,15})\s?/\s?(\d{1,15})")
_SCIENTIFIC = re.compile(r"[-−]?\d(?:\.\d{1,15})?[eE][-+]?\d{1,2}")
# A number with its unit, in a sentence.
_AMOUNT = re.compile(
    r"(?:[€$£¥]\s?)?(?<![\w.,])[-−]?\d[\d.,]*(?<=\d)(?:[eE][-+]?\d+)?(?:\s?(?P<unit>[€$£¥%]|[^\W\d_]+))?"
)
# What changes the number behind it.
_CHANGES = re.compile(r"(?:√|[-−–≠]|\b(?:minus|negative|not)\s)\Z")
# What denies the word behind it: “not spam”, “non-toxic”.
_DENIES = re.compile(
    r"(?:\b(?:not|no|non|never|neither|nor|without|nicht|kein\w{0,2})[\s-]|n['’]t\s)(?:(?:an?|the)\s)?\Z"
)
# Letters and words behind a number for its zeros.
_SCALES = MappingProxyType(
    {
        word: zeros
        for zeros, words in (
            (3, "k thousand tsd"),
            (4, "万 萬"),
            (5, "lakh lakhs"),
            (6, "m mm mn mio mln million millions"),
            (7, "crore crores cr"),
            (8, "亿 億"),
            (9, "b bn mrd billion billions"),
            (12, "t tn trillion trillions"),
        )
        for word in words.split()
    }
)
# What is measured in each unit, and how many of a common one it is.
_SIZES = MappingProxyType(
    {
        unit: (of, Decimal(size))
        for of, units in (
            ("length", "mm 10 cm 100 m 10000 km 10000000 inch 254 ft 3048 yd 9144 mi 16093440"),
            ("mass", "mg 1 g 1000 kg 1000000 t 1000000000"),
            ("time", "ms 1 s 1000 min 60000 h 3600000 day 86400000 week 604800000"),
            ("volume", "ml 1 l 1000"),
            ("speed", "km/h 1000 m/s 3600"),
            ("memory", "kb 1 mb 1000 gb 1000000 tb 1000000000"),
        )
        for unit, size in zip(units.split()[::2], units.split()[1::2], strict=True)
    }
)
_SCALED = re.compile(rf"(?<=\d)\s?({'|'.join(_SCALES)})\b\.?", re.IGNORECASE)
_LETTERS = re.compile(r"\(?[A-J]\)?(?:(?:[\s,;&+/]|and)*\(?[A-J]\)?)+")
_NOT = re.compile(r"(?:(?:it|this|that)(?:['’]s| is) |(?:it|this|that) isn['’]t |isn['’]t )?(?P<no>not )?(?P<word>\w+)")
_BRACKETED = re.compile(r"""(?<=["'“])[^"'“”]+(?=["'”](?:[\s,]|\]$))""")
_ALTERNATIVES = re.compile(r"\s*(?:\|+|;|\n|//)\s*|\s+or\s+|\s*/\s*")


def is_respelled(text: str, truth: str) -> bool:
    """Whether two texts may be one number in two spellings, with the same unit or without one."""
    return (
        _NUMERAL.findall(text) != _NUMERAL.findall(truth)
        and _have_one_unit(text, truth)
        and not _numbers(text).isdisjoint(_numbers(truth))
    )


def is_percentage(text: str, truth: str) -> bool:
    """Whether one of two texts that may be one number is written with a percent sign, and the other is not."""
    return ("%" in text) != ("%" in truth) and is_respelled(text, truth)


def is_same_date(text: str, truth: str) -> bool:
    """Whether an output names the date that the right answer is, which may put the month before the day or behind."""
    days = _dates(truth)
    return bool(days) and not days.isdisjoint(_dates(text))


def is_same_time(text: str, truth: str) -> bool:
    """Whether two texts name the same time of day: 2 pm beside 14:00."""
    times = _times(truth)
    return bool(times) and times == _times(text)


def is_same_json(text: str, truth: str) -> bool:
    """Whether two texts are the same JSON object or list, in another layout or order of keys."""
    values = []
    for one in (text, truth):
        try:
            values.append(json.loads(_FENCE.sub("", one.strip())))
        except (ValueError, RecursionError):
            return False
    return isinstance(values[0], (dict, list)) and values[0] == values[1]


def is_rounded(text: str, truth: str) -> bool:
    """Whether two texts may be one number with more digits in one of them: 0.1429 beside 0.14, 0.3333 beside 1/3."""
    if not _have_one_unit(text, truth):
        return False
    pairs = ((one, other) for one in _values(text) for other in _values(truth))
    return any(_rounds_to(*sorted(pair, key=_places)) for pair in pairs)


def is_converted(text: str, truth: str) -> bool:
    """Whether two texts are one amount in two units: 5000 m beside 5 km."""
    return not _amounts(text).isdisjoint(_amounts(truth))


def is_scaled(text: str, truth: str) -> bool:
    """Whether two texts are one number, in one of them with a letter or a word for its zeros: 3k beside 3000."""
    if not (_SCALED.search(text) or _SCALED.search(truth)):
        return False
    bare = [_SCALED.sub("", one) for one in (text, truth)]
    # "396" beside "396 million": the question may have said the zeros.
    is_left_out = (bare[0] != text) != (bare[1] != truth) and not _numbers(bare[0]).isdisjoint(_numbers(bare[1]))
    return _have_one_unit(*bare) and (is_left_out or not _scaled(text).isdisjoint(_scaled(truth)))


def in_digits(text: str) -> str | None:
    """Return the number that a text writes with a letter or a word for its zeros: 79000 of 79k; None for another."""
    values = _scaled(text) if _SCALED.search(text) else set()
    return f"{values.pop():f}" if len(values) == 1 and not _beside_number(_SCALED.sub("", text)) else None


def is_same_verdict(text: str, truth: str) -> bool:
    """Whether two texts say the same yes or no in other words: yes beside ja, “not true” beside false."""
    says = [_verdict(one) for one in (text, truth)]
    if says == [None, None] or len(truth) > _SHORT:
        return False
    # Beside a word, 1 and 0 are true and false.
    said, right = (
        _BITS.get(one.strip()) if word is None else word for one, word in zip((text, truth), says, strict=True)
    )
    return said is not None and said == right


def is_chinese_number(text: str, truth: str) -> bool:
    """Whether one text names the number in Chinese signs that the other has in digits: 十二 beside 12."""
    for written, digits in ((text, truth), (truth, text)):
        values = _chinese_numbers(written)
        if values and parse(digits, "number") in {str(one) for one in values}:
            return True
    return False


def is_roman(text: str, truth: str) -> bool:
    """Whether two texts are the same but for a Roman numeral in one of them: 4 beside IV."""
    said, right = (_ROMAN.sub(_in_digits, one) for one in (text, truth))
    return (said == text) != (right == truth) and _key(said) == _key(right)


def has_other_signs(text: str, truth: str) -> bool:
    """Whether two texts are the same but for apostrophes, hyphens, points, spaces, “&” or “the” in front."""
    said, right = map(_without_signs, (text, truth))
    return said == right and sum(map(str.isalpha, right)) > 1 and _NUMERAL.findall(text) == _NUMERAL.findall(truth)


def is_reordered(text: str, truth: str) -> bool:
    """Whether two texts list the same parts, in another order, as a set or with another sign between them.

    Several letters of options are parts: BA beside AB, “A, B” beside AB.
    """
    if all(_LETTERS.fullmatch(one.strip()) for one in (text, truth)):
        chosen, to_choose = (re.sub(r"[^A-J]", "", one) for one in (text, truth))
        return len(set(to_choose)) == len(to_choose) and sorted(chosen) == sorted(to_choose)
    if not (_BETWEEN.search(text) and _BETWEEN.search(truth)):
        return False
    said, right = (_BETWEEN.split(_bare(one)) for one in (text, truth))
    if len(said) != len(right):
        return False
    said, right = (list(map(_key, parts)) for parts in (said, right))
    return len(right) > 1 and all(right) and sorted(said) == sorted(right)


def is_alternative(text: str, truth: str) -> bool:
    """Whether an output is one of several texts that the right answer may list: “JFK|Kennedy”, “Au / gold”."""
    bare = truth.strip()
    split = _BRACKETED.findall(bare) if bare.startswith("[") else _ALTERNATIVES.split(bare)
    if len(split) < 2 or not all(split) or all(map(str.isdecimal, split)):
        return False
    within = text.casefold()
    return any(one.casefold() in within for one in split) and _key(text) in map(_key, split)


def holds(text: str, answer: str) -> bool:
    """Whether a text contains an answer as a whole word; a single letter does not count."""
    said, right = _plain(text), _plain(answer)
    if not right or (len(right) == 1 and right.isalpha()):
        return False
    start = said.find(right)
    while start >= 0:
        end = start + len(right)
        begins = _UNSPACED.match(right) or not _WITHIN.match(said[max(0, start - 1) : start])
        denies = _CHANGES if right[0].isdigit() else _DENIES
        begins = begins and not denies.search(said[:start][-12:])
        if begins and (_UNSPACED.match(right[-1]) or not _GOES_ON.match(said[end : end + 2])):
            return True
        start = said.find(right, start + 1)
    return False


_VERDICTS = MappingProxyType({word: says for word, says in {**SAYS_RIGHT, **CERTAIN}.items() if word[0] not in "01"})
_BITS = MappingProxyType({"1": True, "0": False})
# Digits that a rounded number has at least, where its decimals count twice; and letters of a word that says yes or no.
_FEWEST_DIGITS, _SHORT = 3, 12

# Each way to miss, the surest first, and what is said of outputs that do.
MISSES: Mapping[Callable[[str, str], bool], str] = MappingProxyType(
    {
        is_same_date: "name the right date in another spelling, such as {pair} (item {item}). Write dates alike.",
        is_same_time: "name the right time in another spelling, such as {pair} (item {item}). Write times alike.",
        is_same_json: "are the right JSON in another layout, such as {pair} (item {item}). Write both alike, or give a "
        "score of each output.",
        is_percentage: "may be the right share with a percent sign on one side only, such as {pair} (item {item}). "
        "Write both alike.",
        is_respelled: "may be the right number with another decimal sign or thousands separator, such as {pair} (item "
        "{item}). Write numbers with a decimal point and without thousands separators.",
        is_rounded: "may be the right number with more or fewer digits, such as {pair} (item {item}). Round both "
        "alike, or give a score of each output.",
        is_converted: "may be the right amount in another unit, such as {pair} (item {item}). Write both in one unit.",
        is_scaled: "may be the right number with a letter or a word for its zeros, such as {pair} (item {item}). "
        "Write numbers in digits, or {instead}.",
        is_same_verdict: "say the same yes or no as the right answer in other words, such as {pair} (item {item}). "
        "Write both alike.",
        is_chinese_number: "may be the right number in Chinese signs, such as {pair} (item {item}). Write numbers in "
        "digits.",
        is_reordered: "list the parts of the right answer in another way, such as {pair} (item {item}). If both mean "
        "the same, write them alike.",
        is_alternative: "are one of several texts in the right answer, such as {pair} (item {item}). If any of them "
        'is right, write right answers as lists: ["JFK", "Kennedy"].',
        is_roman: "may be the right number in Roman numerals or in digits, such as {pair} (item {item}). Write both "
        "alike.",
        has_other_signs: "are the right answer with other apostrophes, hyphens, points or spaces, or with “&” or “the” "
        "on one side only, such as {pair} (item {item}). Write both alike.",
        is_labelled: "are the letter or the text alone of the right answer, or mark its letter otherwise, such as "
        "{pair} (item {item}). Write both alike, or have them read as letters (the answer kind “choice”).",
        holds: "contain the right answer, for example item {item}: check how answers are read ({where}).",
    }
)


def miss(text: str, truth: str) -> Callable[[str, str], bool] | None:
    """Return the way in which an output that counts as wrong may be right, one of `MISSES`; None if there is none."""
    *ways, held = MISSES
    said = _amount(text)
    found = next((fits for fits in ways if fits(text, truth) or (fits in _OF_NUMBERS and fits(said, truth))), None)
    return found or (held if held(text, truth) else None)


_OF_NUMBERS = frozenset({is_percentage, is_respelled, is_rounded, is_converted})


def _amount(text: str) -> str:
    """Return the number that the kind “number” reads in a sentence, as it is written, with its unit; "" for none."""
    read = parse(text, "number")
    found = [one for one in _AMOUNT.finditer(text) if read is not None and parse(one[0], "number") == read]
    if not found:
        return ""
    unit = found[-1]["unit"]
    is_part = unit is None or unit.casefold() in UNITS or unit.casefold() in _SCALES
    return found[-1][0] if is_part else found[-1][0].removesuffix(unit).strip()


def _numbers(text: str) -> frozenset[Decimal]:
    """Return the numbers that a text may be, with a comma or a point as its decimal sign; a unit may stand beside."""
    written = _NUMERAL.findall(text)
    if len(written) != 1 or len(_NUMERAL.sub(" ", text).split()) > 1:
        return frozenset()
    sign, number, share = written[0]
    values = [
        Decimal(number.replace(group, "").replace(decimal, "."))
        for decimal, group in (".,", ",.")
        if re.fullmatch(rf"\d+(?:\{decimal}\d+)?|\d{{1,3}}(?:\{group}\d{{3}})+(?:\{decimal}\d+)?", number)
    ]
    shares = [value / 100 for value in values] if share else []
    return frozenset(-value if sign else value for value in (*values, *shares))


def _have_one_unit(*texts: str) -> bool:
    """Whether texts have the same unit behind their numbers, or none."""
    return len({_beside_number(one) for one in texts} - {""}) < 2


def _beside_number(text: str) -> str:
    """Return what stands beside the numbers of a text, in lower case."""
    return " ".join(_NUMERAL.sub(" ", text).split()).casefold()


def _amounts(text: str) -> frozenset[tuple[str, Decimal]]:
    """Return the amounts that a number with its unit may be, each with what is measured."""
    of, size = _SIZES.get(UNITS.get(_beside_number(text).rstrip("."), ""), ("", Decimal(0)))
    return frozenset((of, value * size) for value in _values(text) if of)


def _values(text: str) -> frozenset[Decimal]:
    """Return the numbers that a text may be, as a fraction as well."""
    if _SCIENTIFIC.fullmatch(text.strip()):
        return frozenset({Decimal(text.strip().replace("−", "-"))})
    fraction = _FRACTION.fullmatch(text.strip())
    if fraction is None or int(fraction[2]) == 0:
        return _numbers(text)
    value = Decimal(fraction[1]) / Decimal(fraction[2])
    return frozenset({-value if text.strip()[0] in "-−" else value})


def _scaled(text: str) -> set[Decimal]:
    """Return the numbers that a text may be, with the zeros that a letter or a word behind them stands for."""
    scale = _SCALED.search(text)
    zeros = _SCALES[scale[1].casefold()] if scale else 0
    return {value.scaleb(zeros) for value in _numbers(_SCALED.sub("", text))}


def _places(value: Decimal) -> int:
    """Return how many decimals a number is written with."""
    return -int(value.as_tuple().exponent)


def _rounds_to(short: Decimal, long: Decimal) -> bool:
    """Whether a number with more decimals is another one, rounded or cut; a digit or two alone may be any number."""
    if _places(short) == _places(long) or len(short.as_tuple().digits) + max(0, _places(short)) < _FEWEST_DIGITS:
        return False
    unit = Decimal(1).scaleb(-_places(short))
    rest = abs(long) - abs(short)
    return long * short > 0 and (0 < rest < unit or 0 < -rest <= unit / 2)


def _verdict(text: str) -> bool | None:
    """Return whether a text says yes (True) or no (False) in some language, perhaps as “not true”; None for neither."""
    said = spelling(text)
    if said not in _VERDICTS and (negated := _NOT.fullmatch(said)):
        says = _VERDICTS.get(negated["word"])
        return says if says is None else bool(says != ("not " in said or "isn" in said))
    return _VERDICTS.get(said, _VERDICTS.get(yes_or_no(said) or ""))


def _dates(text: str) -> set[date]:
    """Return the dates that a text may name; of 3/4/2024 both."""
    days = set()
    for form in _DATES:
        for found in form.finditer(text.casefold()):
            parts = found.groupdict()
            month = _MONTHS.index(parts["month"]) + 1 if "month" in parts else int(parts["number"])
            try:
                days.add(date(int(parts["year"]), month, int(parts["day"])))
            except ValueError:
                continue
    return days


def _times(text: str) -> list[tuple[int, int]]:
    """Return the times of day that a text names, as hours and minutes."""
    times = []
    for hours, minutes, half in _TIME.findall(text.casefold()):
        if half or minutes:
            hour = int(hours) % 12 + 12 * (half == "p") if half else int(hours)
            times.append((hour, int(minutes or 0)))
    return times


def _chinese_numbers(text: str) -> list[int]:
    """Return the numbers that stand in Chinese signs in a text: 三百二十, 百分之二十 as 20."""
    values = []
    for written in _CHINESE_NUMBER.findall(text):
        total = part = digit = 0
        for sign in written.removeprefix("百分之"):
            if sign in _CHINESE:
                digit = _CHINESE[sign]
            elif sign in _TENS:
                part, digit = part + (digit or 1) * _TENS[sign], 0
            else:
                total, part, digit = total + (part + digit) * 10_000, 0, 0
        values.append(total + part + digit)
    return values


def _in_digits(numeral: re.Match[str]) -> str:
    """Return a Roman numeral in digits."""
    values = [_ROMAN_DIGITS[sign] for sign in numeral[0]]
    return str(sum(-one if one < next_one else one for one, next_one in zip(values, [*values[1:], 0], strict=True)))


def _without_signs(text: str) -> str:
    """Return the short answer of a text without “the” in front and the signs that names are written with or without."""
    words = re.sub(r"\s*&\s*", " and ", parse(text, "text") or "").removeprefix("the ")
    return _SIGNS_IN_NAMES.sub("", words)


def _key(text: str) -> str:
    """Return what an answer of kind text is compared by."""
    return formula_key(parse(text, "text") or "")


def _bare(text: str) -> str:
    """Return the short answer of a text without the braces of a set."""
    return re.sub(r"\\?[{}]", "", parse(text, "text") or "")


def _plain(text: str) -> str:
    """Return a text without differences of case and accents."""
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(sign for sign in parts if not unicodedata.combining(sign)).strip()
