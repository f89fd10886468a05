"""The catalogue of kinds of label, and the spellings in which they come back."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from ..answers import parse
from ..errors import LabelError
from ..files.foreign_names import ANSWER, names
from ..words.catalogue import Catalogue
from ..words.scale import GradeScale
from ..words.verdict_words import CERTAIN, PREFERRED, SAYS_NO_OPTION, number_in, spelling
from .one_number import one_number
from .separators import is_either

RIGHT, WRONG = "right", "wrong"
FIRST, SECOND, TIE = "first", "second", "tie"
_SHORT = 40
_GRADES = "score:"
_SHARES = GradeScale(0, 1)
_MOST_KEYS = 10
_OF_BEST = re.compile(r"([0-9.,]+) ?/ ?([0-9.,]+)")

# The right answer of an item none of whose options is right.
NO_OPTION = "none of the options"
# Words that may say so, of a label or of an option.
_NO_OPTION = re.compile(
    r"\b(?:none|neither|nothing|no (?:option|answer|choice|right|correct|one)|not (?:listed|there))\b"
)

# The number 1 or 0, such as 1.00 or 0,0.
_BIT = re.compile(r"([01])(?:[.,]0*)?")
# What is written around a number, such as its currency and unit.
_OF_NUMBERS = re.compile(r"[0-9.,\s'’_+−-]+")
# The letter of an option in front of its text.
_LED = re.compile(r"\(?([A-Za-z]|[0-9]{2,})\s?(?:[).:]|\s[-–])\s*(.+)", re.DOTALL)
# What stands before the letter of an option, and around it.
_BEFORE = ("option", "choice", "letter", "answer", "ans", "opt", "opción", "opção", "вариант", "选项", "選項", "選択肢")
_LEAD = "|".join(map(re.escape, sorted({*_BEFORE, *names(ANSWER)}, key=len, reverse=True)))
_AROUND = r"[\s()\[\]{}<>\"'“”‘’„«»*_`.,:;!]*"
_LETTER = re.compile(
    rf"(?:(?:the )?(?:(?:right|correct|best) )?(?:{_LEAD})(?: is)?(?:[\s:=.]+|(?=\W)|(?<=[^\x00-\u2e7f])))?"
    rf"{_AROUND}([a-z]){_AROUND}",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelKind:
    """A kind of label: a verdict, a right answer, a score, a preference.

    Parameters
    ----------
    name : str
        In lists, files, archives and addresses; it never changes.
    title : str
        In a box, after “Kind of label”.
    noun : str
        Labels of it, in the plural.
    brief : str
        What they say, in brackets behind their number.
    asked : str
        What is asked of each item, behind “items to label”.
    question : str
        What a tool asks annotators.
    short_question : str
        What page Label asks beside the answer that it shows.
    meaning : str
        What such a label says, in the report.
    done : str
        What people did, in a report for people who are no statisticians.
    basis : str
        Labels of it as what an estimate rests on.
    says : (str, str)
        What one label does, and several; “{}” is the target.
    says_of_nobody : (str, str)
        The same if no target is named.
    read : str
        A button that looks at such labels.
    measure : str
        What the mean is called: "accuracy", "score" or "win rate".
    reads : callable
        From a label's text without outer white space and the item's options or None to its canonical spelling; None:
        it is no label of this kind.
    judges : bool
        It is about the target's answer, which annotators then see; otherwise it is right for every target.
    averaged : bool
        Labels of several people count by their mean; otherwise by the most frequent one.
    scale : GradeScale or None
        The scale of grades; None of scores from 0 to 1, and of labels that are none.
    verdicts : tuple of str
        The labels from which annotators choose; empty if there are others.
    losses : tuple of float
        The loss of each of them, from 0 to 1; of a preference, that of the answer that is shown first.
    compares : bool
        It says which of two targets' answers is better: a tie is half a win.
    loose_title : str
        The title if scores may have no bounds; by default the title.
    aliases : tuple of str
        Earlier names, which are read and never written.
    """

    name: str
    title: str
    noun: str
    brief: str
    asked: str
    question: str
    short_question: str
    meaning: str
    done: str
    basis: str
    says: tuple[str, str]
    says_of_nobody: tuple[str, str]
    read: str
    measure: str
    reads: Callable[[str, Sequence[str] | None], str | None]
    judges: bool
    averaged: bool = False
    scale: GradeScale | None = None
    verdicts: tuple[str, ...] = ()
    losses: tuple[float, ...] = ()
    compares: bool = False
    loose_title: str = ""
    aliases: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "loose_title", self.loose_title or self.title)

    def allows(self, number: float) -> bool:
        """Whether a score lies on the scale, by default from 0 to 1."""
        return (self.scale or _SHARES).has(number)

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the grades of a scale if a digit gives each: whole ones, such as 1 to 5."""
        low, high = (0.5, 0.5) if self.scale is None else (self.scale.low, self.scale.high)
        digits = low.is_integer() and high.is_integer() and low >= 0 and high < _MOST_KEYS
        return tuple(map(str, range(int(low), int(high) + 1))) if digits else ()


def check_kind(kind: str) -> None:
    """Check that ``kind`` is one of `KINDS`.

    Raises
    ------
    LabelError
        If it is not.
    """
    KINDS[kind]


def canonical(label: str, kind: str, options: Sequence[str] | None = None) -> str | None:
    """Return the canonical spelling of a label, None if it is not a label of this kind.

    Parameters
    ----------
    label : str
        The label as given.
    kind : str
        One of `KINDS`.
    options : sequence of str, optional
        The item's options ("gold" only).

    Returns
    -------
    str or None
        "right" or "wrong"; the letter of an option, or without ``options`` the text without outer white space; or a
        finite number as Python writes it (decimal commas and % are read).
    """
    return KINDS[kind].reads(label.strip(), options)


def option_letter(text: str, options: Sequence[str]) -> str | None:
    """Return the letter of the option that a text means, None if it means none, or is the text of several.

    Parameters
    ----------
    text : str
        Such as "b", "B.", "(B)", "B. Rome", "b) rome", "Rome" or "rome."; a letter wins over an option with that letter
        as its text, and an option as it is written over one that differs in case or in the mark at its end, and this
        over one that is the same number in another spelling: "1,5" of "1.5", "1000" of "$1,000".
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
    if not same:
        key = _option_key(bare)
        same = [name for name, option in zip(letters, options, strict=True) if _option_key(option) == key]
    if not same and (led := _LED.fullmatch(bare)):
        key = _option_key(led[2])
        pairs = zip(letters, options, strict=True)
        same = [name for name, option in pairs if name == led[1].upper() and _option_key(option) == key]
    if not same and (values := _values(bare)):
        around = _around(bare)
        same = [
            name
            for name, option in zip(letters, options, strict=True)
            if _value(option) in values and ("" in (other := _around(option), around) or other == around)
        ]
    return same[0] if len(same) == 1 else None


def lone_letter(text: str) -> str | None:
    """Return the letter that is all that a text says, such as “(A)”, “Option a”, “Answer: A” or “Ａ”; None without."""
    found = _LETTER.fullmatch(unicodedata.normalize("NFKC", text).strip()) if len(text) <= _SHORT else None
    return found[1].upper() if found is not None and found[1].isascii() else None


def option_meant(text: str, options: Sequence[str]) -> str | None:
    """Return the letter of the option that a right answer means, or `NO_OPTION`; None if it means neither."""
    return NO_OPTION if says_no_option(text, options) else option_letter(text, options)


def says_no_option(text: str, options: Sequence[str]) -> bool:
    """Whether a right answer says that none of the options is right, and none of these may say so."""
    return spelling(text) in SAYS_NO_OPTION and not any(map(hints_at_no_option, options))


def hints_at_no_option(text: str) -> bool:
    """Whether a text has words that may say that no option is right."""
    word = spelling(text)
    return word in SAYS_NO_OPTION or _NO_OPTION.search(word) is not None


def _value(text: str) -> float | None:
    """Return the only number of a text, None if it is none."""
    number = one_number(text)
    return number_in(parse(number, "number") or "") if number is not None else None


def _values(text: str) -> set[float]:
    """Return the numbers that a label may mean: a comma or a point may part thousands, and per cent be a share."""
    value = _value(text)
    if value is None:
        return set()
    bare = "".join(sign for sign in text if sign.isdigit() or sign in ".,")
    values = {value, float(f"{value / 100:.15g}")} if "%" in text else {value}
    if is_either(bare):
        sign = -1.0 if value < 0 else 1.0
        values |= {sign * float(re.sub("[.,]", to, bare)) for to in ("", ".")}
    return values


def _around(text: str) -> str:
    return _OF_NUMBERS.sub("", text).casefold()


def _option_key(text: str) -> str | float:
    """Return what spellings of one option have in common: the number, or the words without case and a last mark."""
    number = None if "%" in text or "," in text else number_in(text)
    return " ".join(text.split()).rstrip(".,;: ").replace("’", "'").casefold() if number is None else number


def letter(number: int) -> str:
    """Return the letter of option ``number`` (0, 1, 2 …): A … Z, then the numbers 27, 28 and so on."""
    return chr(ord("A") + number) if number < 26 else str(number + 1)


def _number(text: str) -> str | None:
    value = number_in(text)
    return None if value is None else repr(value)


def _verdict(text: str) -> str | None:
    """Return what a word says, or the number 1 or 0 however it is written."""
    word = spelling(text)
    says = CERTAIN.get(word)
    if says is None and (bit := _BIT.fullmatch(word)):
        says = bit[1] == "1"
    return None if says is None else RIGHT if says else WRONG


RIGHT_WRONG = LabelKind(
    name="right-wrong",
    title="Right or wrong",
    noun="right/wrong labels",
    brief="right or wrong",
    asked=", right or wrong",
    question="Is the model's answer right?",
    short_question="Is this answer right?",
    meaning="A label says whether the tested model’s answer is right.",
    done="people judged the model’s answer to each of those",
    basis="labels that say right or wrong",
    says=("judges “{}”", "judge “{}”"),
    says_of_nobody=("says right or wrong", "say right or wrong"),
    read="Read right or wrong",
    measure="accuracy",
    reads=lambda text, options: _verdict(text),
    judges=True,
    verdicts=(RIGHT, WRONG),
    losses=(0.0, 1.0),
)
GOLD = LabelKind(
    name="gold",
    title="The right answer",
    noun="right answers",
    brief="right answers",
    asked=" with the right answer",
    question="What is the right answer?",
    short_question="What is the right answer?",
    meaning="A label says what the right answer is; the tested model’s answer is compared with it.",
    done="people gave the right answer to each of those",
    basis="labels that say what is right",
    says=("says what is right", "say what is right"),
    says_of_nobody=("says what is right", "say what is right"),
    read="Read the right answers",
    measure="accuracy",
    reads=lambda text, options: (option_meant(text, options) if options else text) or None,
    judges=False,
)
SCORE = LabelKind(
    name="score",
    title="A score, 0 to 1",
    loose_title="A score",
    noun="scores",
    brief="scores",
    asked=" with a score",
    question="How good is the model's answer, from 0 (worst) to 1 (best)?",
    short_question="How good is this answer?",
    meaning="A label is a score of the target’s answer.",
    done="people scored the model’s answer to each of those",
    basis="labels that score",
    says=("scores “{}”", "score “{}”"),
    says_of_nobody=("gives a score", "give a score"),
    read="Read the scores",
    measure="score",
    reads=lambda text, options: _number(text),
    judges=True,
    averaged=True,
)

PREFERENCE = LabelKind(
    name="preference",
    title="Which is better",
    noun="preferences",
    brief="which is better",
    asked=": which of two answers is better",
    question="Which answer is better?",
    short_question="Which answer is better?",
    meaning="A label says which of two models’ answers is better; a tie is half a win.",
    done="people compared the two models’ answers to each of those",
    basis="labels that compare",
    says=("compares “{}”", "compare “{}”"),
    says_of_nobody=("says which is better", "say which is better"),
    read="Read the preferences",
    measure="win rate",
    reads=lambda text, options: PREFERRED.get(spelling(text)),
    judges=True,
    verdicts=(FIRST, SECOND, TIE),
    losses=(0.0, 1.0, 0.5),
    compares=True,
)


def scored(scale: GradeScale | tuple[float, float] | str) -> str:
    """Return the name of the kind of grades on a scale, such as “score:1-5” of (1, 5) or “1-5”.

    Raises
    ------
    LabelError
        It is no scale.
    """
    one = GradeScale.read(scale)
    return SCORE.name if one == _SHARES else f"{_GRADES}{one.name}"


@cache
def _graded(name: str) -> LabelKind:
    scale = GradeScale.of(name.removeprefix(_GRADES))
    return replace(
        SCORE,
        name=scored(scale),
        title=f"A grade, {scale}",
        loose_title=f"A grade, {scale}",
        noun="grades",
        brief=f"grades {scale}",
        asked=" with a grade",
        question=f"How good is the model's answer, from {scale.low:.12g} (worst) to {scale.high:.12g} (best)?",
        short_question="How good is this answer?",
        meaning=f"A label is a grade of the target’s answer, {scale}, higher is better.",
        done="people graded the model’s answer to each of those",
        basis="labels that grade",
        says=("grades “{}”", "grade “{}”"),
        says_of_nobody=("gives a grade", "give a grade"),
        read="Read the grades",
        reads=lambda text, options: _grade(text, scale),
        scale=scale,
    )


def _grade(text: str, scale: GradeScale) -> str | None:
    """Return the grade that a text says, such as 4, 4.5, or 4/5 where 5 is the best; a per cent is none."""
    of_best = _OF_BEST.fullmatch(text)
    if of_best is not None and number_in(of_best[2]) == scale.high:
        text = of_best[1]
    value = None if "%" in text else number_in(text)
    return None if value is None else f"{value:.12g}"


class _Kinds(Catalogue[LabelKind]):
    """Kinds of label by name; grades on any scale are one, too, by names such as “score:1-5”."""

    __slots__ = ()

    def __getitem__(self, name: str) -> LabelKind:
        return _graded(name) if isinstance(name, str) and name.startswith(_GRADES) else super().__getitem__(name)

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str) or not name.startswith(_GRADES):
            return super().__contains__(name)
        try:
            return bool(_graded(name))
        except LabelError:
            return False


KINDS = _Kinds("label kind", (RIGHT_WRONG, GOLD, SCORE, PREFERENCE), LabelError)
