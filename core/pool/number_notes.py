"""Remarks on numbers that are compared: units that differ, numbering from 0 beside 1, and codes that are no numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from ..answers import parse
from ..answers.numbers import is_unclear
from ..words import counted, listed, shown
from .columns import leaf, models
from .parsing import Context, contexts
from .stored import StoredTable

# Texts that are looked at: the first of each column; longer ones are no bare answers.
_MOST, _LONGEST = 20_000, 200
_NUMBER = "number"
# Numbers of options or classes: so many at most; so large a share of the others lies among them, moved by 1.
_CODE = re.compile(r"\d{1,3}")
_MOST_CODES, _NEARLY = 100, 0.95
_MOST_NAMED = 3
# Units, each in all its spellings.
_SPELLINGS = """
km kilometer kilometers kilometre kilometres|m meter meters metre metres|cm centimeter centimeters centimetre
centimetres|mm millimeter millimeters millimetre millimetres|mi mile miles|ft foot feet|inch inches|yd yard yards|kg
kilogram kilograms kilo kilos|g gram grams|mg milligram milligrams|lb lbs pound pounds £ gbp|oz ounce ounces|t ton tons
tonne tonnes|s sec secs second seconds|ms millisecond milliseconds|min mins minute minutes|h hr hrs hour hours|day
days|week weeks|month months|year years yr yrs|l liter liters litre litres|ml milliliter milliliters|gal gallon
gallons|€ eur euro euros|$ usd dollar dollars|cent cents ¢|¥ yen jpy|% percent|°c celsius|°f fahrenheit|kb|mb|gb|tb|kwh
|mph|km/h kmh|m/s|thousand|million|billion
"""
UNITS = {word: group.split()[0] for group in _SPELLINGS.split("|") for word in group.split()}
# What stands before or behind a number and changes it, each in all its spellings.
_CHANGES = {
    word: group.split("|")[0]
    for group in (
        r"<|less than|fewer than|under|below|\lt",
        r">|more than|greater than|over|above|\gt",
        r"≤|<=|at most|no more than|up to|\le|\leq",
        r"≥|>=|at least|no less than|\ge|\geq",
        r"±|+/-|\pm|plus or minus",
        r"log|\log",
        r"ln|\ln",
        r"sin|\sin",
        r"cos|\cos",
        r"tan|\tan",
        r"half of|half",
        r"twice|double",
        # Behind these stands the part or the rest of what is meant, or what it is compared with.
        r"of which|of whom|of them|out of",
        r"instead of|rather than",
        r"compared to|compared with|versus|vs|vs.|up from|down from",
    )
    for word in group.split("|")
}
_BEFORE = re.compile(
    rf"(?<![\w<>=])({'|'.join(map(re.escape, sorted(_CHANGES, key=len, reverse=True)))})[\s(${{]*\Z", re.IGNORECASE
)
_BEHIND = re.compile(
    r"\s?(?P<times>dozens?|squared|cubed)\b|(?P<variable>[xyzni](?![^\W_])|_\{?\d{1,2}\b|[₀-₉]+|\s?[‰‱])"
    # Letters for its zeros; “m” alone is a unit, and so is “K” behind a space.
    r"|(?P<zeros>\s?(?:bn|mn|mln|mio|tn)|(?-i:\s?k|[KMB]))(?![^\W_])"
    r"|[)\s]{0,2}(?:\(|,\s(?:which|that)\sis\s)(?P<verdict>incorrect|wrong|false)\b",
    re.IGNORECASE,
)
# A word behind a number, as "pm", "AD" or "profit", and words that begin something else.
_WORDS = re.compile(r"[\s°-]*((?:[^\W\d_]\.){2,}|[^\W\d_]+)")
_ELSE = frozenset(
    re.findall(
        r"\w+",
        """a an and are as at because been by for from had has have hence i if in is it of on or per since so than that
        the then therefore they this thus to total altogether was we were when which while who with x times plus minus
        be each more he she you il der die das ist und les la le el et y de por on para""",
    )
)
# A range, and nothing else, is no number at its end.
_RANGE = re.compile(
    r"\s*(?:(?:from|between)\s)?[€$£¥]?\d[\d.,]*\s?(?:to|and|bis|[–-])\s?[€$£¥]?\d[\d.,]*(?:\s?[^\W\d_]+)?\W*",
    re.IGNORECASE,
)
_VALUE = re.compile(r"([€$£¥])?\s?(\d[\d.,]*(?<![.,]))[\s-]?(km/h|m/s|[€$£¥%¢]|°[cf]\b|[^\W\d_]+)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Remedy:
    """The remedy of a person for answers that are read in another way than meant.

    Parameters
    ----------
    where : str
        Where it is said how answers are read.
    instead : str
        What makes all comparisons needless.
    """

    where: str = "the key “answer_kind”, or the choice on page Pool"
    instead: str = "label these items"


OF_POOL = Remedy()


def number_notes(table: pa.Table | StoredTable, remedy: Remedy = OF_POOL) -> list[str]:
    """Say where numbers that are compared may be other things than they seem.

    Parameters
    ----------
    table : pyarrow.Table or StoredTable
        The canonical table with right answers; of long columns the first 20,000 texts count.
    remedy : Remedy
        What is advised.

    Returns
    -------
    list of str
        Sentences; empty if there is nothing to say.
    """
    return [*_one_number(table, remedy), *_unclear(table, remedy), *_differing(table, remedy), *_shifted(table)]


def answered(table: pa.Table | StoredTable, model: str) -> pa.ChunkedArray | None:
    """Return what a model said of each item: its answer, or else its text."""
    answer, text = leaf(table, model, "answer"), leaf(table, model, "text")
    if answer is None or text is None:
        return text if answer is None else answer
    return pc.if_else(answer.is_valid(), answer, text)


def _compared(table: pa.Table | StoredTable, model: str) -> Iterator[tuple[str, str, str, Context]]:
    """Yield the id, output, right answer and way of reading of items of which nobody has scored the output."""
    text, given = answered(table, model), leaf(table, model, "loss")
    if text is None:
        return
    of, ids, truths = contexts(table, None), table.column("id"), table.column("answer").slice(0, _MOST).to_pylist()
    scores = [None] * len(truths) if given is None else given.slice(0, _MOST).to_pylist()
    for place, (said, truth, score) in enumerate(zip(text.slice(0, _MOST).to_pylist(), truths, scores, strict=True)):
        if said is not None and truth is not None and score is None:
            yield str(ids[place].as_py()), said, truth, of.distinct[of.of_item[place]]


def _one_number(table: pa.Table | StoredTable, remedy: Remedy) -> list[str]:
    """Name right answers that are one number in different digits, as versions 3.1 and 3.10 are."""
    if "answer_kind" not in table.column_names:
        return []
    pairs = pa.table({"answer": table.column("answer"), "kind": table.column("answer_kind")}).slice(0, _MOST)
    known: dict[str, dict[str, None]] = {}
    for truth in pc.unique(pairs.filter(pc.equal(pairs["kind"], _NUMBER))["answer"]).to_pylist():
        if truth is not None and re.fullmatch(r"\d+(\.\d+)?", truth):
            known.setdefault(parse(truth, _NUMBER) or truth, {})[truth] = None
    several = [[*some] for some in known.values() if len(some) > 1]
    if not several:
        return []
    named = listed([" and ".join(map(shown, some[:2])) for some in several[:_MOST_NAMED]])
    return [
        f"Right answers that differ in their digits count as one number: {named}. If they are versions or codes, have "
        f"them read as text ({remedy.where})."
    ]


def _unclear(table: pa.Table | StoredTable, remedy: Remedy) -> list[str]:
    """Count outputs and right answers that are no number, for they are formulas that may mean several things."""
    if not _has_numbers(table):
        return []
    notes, truths = list[str](), dict[str, str]()
    for model in models(table):
        outputs = list[str]()
        for name, said, truth, context in _compared(table, model):
            if context.kind != _NUMBER:
                continue
            if len(said) <= _LONGEST and is_unclear(said):
                outputs.append(f"item {name}, {shown(said, 30)}")
            if name not in truths and is_unclear(truth):
                truths[name] = f"item {name}, {shown(truth, 30)}"
        if outputs:
            notes.append(_of_formulas(outputs, counted(len(outputs), "output") + f" of “{model}”", remedy))
    if truths:
        notes.append(_of_formulas([*truths.values()], counted(len(truths), "right answer"), remedy))
    return notes


def _of_formulas(places: list[str], many: str, remedy: Remedy) -> str:
    verb, they = ("is a formula", "it counts") if len(places) == 1 else ("are formulas", "they count")
    return (
        f"{many} {verb} of numbers without a result, and may mean several things ({places[0]}): {they} as no "
        f"answer. {remedy.instead.capitalize()}, or have answers read as text ({remedy.where})."
    )


def _has_numbers(table: pa.Table | StoredTable) -> bool:
    kinds = table.column("answer_kind") if "answer_kind" in table.column_names else None
    return kinds is not None and bool(pc.any(pc.equal(kinds, _NUMBER)).as_py())


def _differing(table: pa.Table | StoredTable, remedy: Remedy) -> list[str]:
    """Count outputs that count as right although their unit, or what else stands with the number, is another one."""
    if not _has_numbers(table):
        return []
    notes = []
    for model in models(table):
        differ, others = list[str](), list[str]()
        for name, said, truth, context in _compared(table, model):
            if context.kind != _NUMBER or len(said) > _LONGEST or said == truth:
                continue
            read, right = parse(said, _NUMBER), parse(truth, _NUMBER)
            if read is None or read != right:
                continue
            meant, units = _units(truth), _units(said, right)
            pair = f"item {name}, {shown(said, 30)} beside {shown(truth, 30)}"
            if units and meant and units.isdisjoint(meant):
                differ.append(pair)
            elif _is_changed(said, truth, right):
                others.append(pair)
        if others:
            notes.append(
                f"{counted(len(others), 'output')} of “{model}” {'counts' if len(others) == 1 else 'count'} as right "
                f"although another word or sign stands with the number than in the right answer ({others[0]}): only "
                f"numbers are compared. {remedy.instead.capitalize()}, or have answers read as text ({remedy.where})."
            )
        if differ:
            notes.append(
                f"{counted(len(differ), 'output')} of “{model}” {'counts' if len(differ) == 1 else 'count'} as right "
                f"although {'its' if len(differ) == 1 else 'their'} unit differs from that of the "
                f"right answer ({differ[0]}): numbers are compared without units. {remedy.instead.capitalize()}, or "
                f"have answers read as text ({remedy.where})."
            )
    return notes


def _is_changed(said: str, truth: str, value: str) -> bool:
    """Whether other words or signs stand with a value in an output, such as “<”, “pm” or “dozen”, than in the truth."""
    if (_RANGE.fullmatch(said) is None) != (_RANGE.fullmatch(truth) is None):
        return True
    places, right = _places(said, value), _places(truth, value)
    if not places or not right:
        return False
    if {_change(said, *place) for place in places}.isdisjoint(_change(truth, *place) for place in right):
        return True
    meant = set().union(*(_words(truth, end) for _, end in right))
    within = {_stem(word) for word in re.findall(r"[^\W\d_]+", said)}
    words = [_words(said, end) for _, end in places]
    return (
        bool(meant)
        and all(words)
        and not any(_is_same(one, other) for one in meant for other in within | set().union(*words))
    )


def _places(text: str, value: str) -> list[tuple[int, int]]:
    """Return where the numbers of a text that are a value begin and end."""
    return [one.span(2) for one in _VALUE.finditer(text) if parse(one[2], _NUMBER) == value]


def _change(text: str, start: int, end: int) -> tuple[str, str]:
    """Return what changes the number at a place: a sign or a word before it, and one behind it."""
    before, behind = _BEFORE.search(text[max(0, start - 30) : start]), _BEHIND.match(text, end)
    found = (behind["times"] or behind["variable"] or behind["zeros"] or behind["verdict"]) if behind else ""
    return _CHANGES[before[1].casefold()] if before else "", found.strip().casefold().removesuffix("s")


def _words(text: str, end: int) -> set[str]:
    """Return the first word behind a number, if it can be a unit or the like."""
    word = _WORDS.match(text, end)
    is_apart = word is not None and word.start(1) > end
    return set() if word is None or (is_apart and word[1].casefold() in _ELSE) else {_stem(word[1])}


def _stem(word: str) -> str:
    """Return a word without its plural, a unit by its first spelling."""
    plain = word.casefold().replace(".", "")
    return UNITS.get(plain, plain.removesuffix("s") if len(plain) > 2 else plain)


def _is_same(one: str, other: str) -> bool:
    """Whether two words are one, or one abbreviates the other, as pts does points."""
    short, long = sorted((one, other), key=len)
    signs = iter(long)
    return one == other or (len(short) > 1 and short[0] == long[0] and all(sign in signs for sign in short))


def _units(text: str, value: str | None = None) -> set[str]:
    """Return the units of the numbers in a text, or of those that are a value."""
    units = set()
    for sign, number, word in _VALUE.findall(text):
        if value is None or parse(number, _NUMBER) == value:
            units |= {UNITS[one.casefold()] for one in (sign, word) if one.casefold() in UNITS}
    return units


def _shifted(table: pa.Table | StoredTable) -> list[str]:
    """Name targets whose answers number the right ones from 0 in place of 1, or the other way round."""
    truths = table.column("answer").slice(0, _MOST)
    known = [one for one in pc.unique(truths).to_pylist() if one is not None]
    if not 1 < len(known) <= _MOST_CODES or not all(map(_CODE.fullmatch, known)):
        return []
    notes = []
    for model in models(table):
        pairs = []
        for _, said, truth, context in _compared(table, model):
            read = parse(said, context.kind, context.choices)
            if read is not None and _CODE.fullmatch(read):
                pairs.append((int(read), int(truth)))
        codes = {truth for _, truth in pairs}
        others = {said for said, _ in pairs} - codes
        equal = sum(said == truth for said, truth in pairs)
        for shift, how in ((1, "more"), (-1, "less")):
            within = sum(said - shift in codes for said, _ in pairs)
            near = sum(said == truth + shift for said, truth in pairs)
            if others and within >= _NEARLY * len(pairs) and near - equal > 1.5 * math.sqrt(near + equal):
                notes.append(
                    f"Answers of “{model}” are 1 {how} than the right ones for {near:,} of {len(pairs):,} items, and "
                    f"equal for {equal:,}: one may count from 0 and the other from 1. Then equal numbers mean "
                    "different answers: number both alike in the file."
                )
    return notes
