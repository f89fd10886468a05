"""The one rule for every label that comes in: it is read, it is known to be no verdict, or it is not understood.

`core.labels.vocabulary.translated` marks what is known to be no verdict. Here is what is not understood, and the error
that names every such row with its remedy: no number is computed while there is one.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import pandas as pd

from ..errors import LabelError, Problem
from ..pool.problems import MOST, shown
from ..words import counted, listed, shell_line
from ..words.verdict_words import number_in, word_key
from .kinds import GOLD, KINDS, NO_OPTION, RIGHT, RIGHT_WRONG, SCORE, WRONG, canonical, hints_at_no_option
from .oddities import NOT_A_LABEL, OUT_OF_RANGE
from .proposals import answers_within, is_word, proposed
from .rows import column, named_rows, row_numbers
from .vocabulary import RIGHT_OR_WRONG, Word, words_of, written

# Why a label is not understood.
UNKNOWN, OFF_SCALE, NO_ANSWER, NO_READING = "unknown", "off scale", "no answer", "no reading"
_COLUMNS = ("row", "item_id", "annotator", "label", "why")
# Longer texts are cut in messages; of more words, no typed remedy is given.
_LONGEST, _MOST_TYPED = 60, 12
# So many different numbers that lie outside, or one in so many labels, are a scale; fewer are slips.
_GRADES, _ONE_IN = 3, 4
_OF_WHOLE = re.compile(r"([0-9]{1,9}) ?[/⁄] ?([0-9]{1,9})")
_TRUE_OR_FALSE = {"t": RIGHT, "f": WRONG}
_FRACTION = re.compile(r"0?[.,][0-9]+|[01][.,][0-9]*[1-9][0-9]*|[0-9.,]+ ?%")
# What repeats the cell above, and what a spreadsheet writes where it cannot compute: no right answers.
_DITTO = re.compile(r"""[-–— ]*(?:["“”„″〃״]{1,2}|''|,,)[-–— ]*|do\.|dit?to|idem|(?:same )?as above""", re.IGNORECASE)
_ERROR = re.compile(r"#(?:NULL!|DIV/0!|VALUE!|REF!|NAME\?|NUM!|SPILL!|CALC!|ERROR!)|Err:5[0-9]{2}", re.IGNORECASE)
_REPEATED = 2


class GradeRange(NamedTuple):
    """The lowest and the highest of grades, of which some lie outside 0 to 1."""

    low: float
    high: float

    @classmethod
    def of(
        cls, texts: Sequence[str], is_outside: Callable[[float], bool] = lambda number: not 0 <= number <= 1
    ) -> GradeRange | None:
        """Find the range of the numbers among texts; None if hardly any lies outside, by default outside 0 to 1."""
        numbers = [number for text in texts if (number := number_in(text)) is not None]
        outside = [number for number in numbers if is_outside(number)]
        if not outside or (_ONE_IN * len(outside) < len(texts) and len(set(outside)) < _GRADES):
            return None
        return cls(min(numbers), max(numbers))

    def __str__(self) -> str:
        said = f"of {self.low:g}" if self.low == self.high else f"from {self.low:g} to {self.high:g}"
        return said.replace("-", "−")


def off_scale(rows: pd.DataFrame, kind: str = SCORE.name) -> GradeRange | None:
    """Find the range of the grades that were given; None if hardly any number lies outside the scale.

    Parameters
    ----------
    rows : DataFrame
        With the columns label and note; of labels that somebody gave a meaning, what was written counts.
    kind : str
        Of `core.labels.KINDS`, whose scale it is; 0 to 1 unless it has one.
    """
    allows = KINDS[kind].allows
    pairs = zip(column(rows, "label"), column(rows, "note"), strict=True)
    texts = [label if (text := written(note)) is None else text for label, note in pairs]
    return GradeRange.of([text for text in texts if text is not None], lambda number: not allows(number))


def not_understood(
    rows: pd.DataFrame,
    odd: pd.DataFrame,
    kind: str,
    items: Iterable[str],
    unreadable: Iterable[str] = (),
    is_answer: Callable[[str, str], bool] = lambda item, label: True,
    understands: Callable[[str, str], bool] = lambda item, label: True,
    unbounded: bool = False,
    doubtful: Collection[str] = (),
) -> pd.DataFrame:
    """Select the labels that are not understood.

    Parameters
    ----------
    rows : DataFrame
        Labels of one kind, of `core.labels.vocabulary.translated`.
    odd : DataFrame
        Their oddities, of `core.labels.Settlement`.
    kind : str
        Of `core.labels.KINDS`.
    items : iterable of str
        The items that count; labels of others are left out elsewhere.
    unreadable : iterable of str
        Items whose right answer cannot be read by the item's rule.
    is_answer : callable
        Whether a label (item, label) may be a right answer of its item: a verdict word is none.
    understands : callable
        Whether a right answer (item, label) is one that the pool's rule and its other answers allow.
    unbounded : bool
        Whether scores may lie outside 0 to 1: then no word is right or wrong, and no per cent stand beside grades.
    doubtful : collection of str
        Of `core.labels.double_meanings.doubtful`: verdicts that may be right answers, unless somebody said what they
        mean.

    Returns
    -------
    DataFrame
        row, item_id, annotator, label, why ("unknown", "off scale", "no answer" or "no reading"), in the file's order.
    """
    whys = {NOT_A_LABEL: UNKNOWN, OUT_OF_RANGE: OFF_SCALE}
    bad = odd[odd["what"].isin(list(whys))]
    found = bad.assign(why=bad["what"].map(whys))[list(_COLUMNS)]
    listed_items, wanting = set(items), set(unreadable)
    scale = off_scale(rows) if kind == RIGHT_WRONG.name else None
    half = _half_given(rows) if KINDS[kind].judges else frozenset[str]()
    free = unbounded and KINDS[kind].averaged
    shares_too = free and off_scale(rows[[label is None or "%" not in label for label in column(rows, "label")]])
    signs = frozenset[str]() if KINDS[kind].judges else _signs_in(column(rows, "label"))
    more = []
    columns = (column(rows, name) for name in ("item_id", "annotator", "label", "status", "note"))
    for number, item, person, label, status, note in zip(row_numbers(rows), *columns, strict=True):
        if label is None or status or item not in listed_items:
            continue
        why = None
        if scale is not None and number_in(label) is not None:
            why = OFF_SCALE
        elif (half and word_key(label) in half) or (label in doubtful and written(note) is None):
            why = UNKNOWN
        elif free and label in RIGHT_OR_WRONG.values() and (text := written(note)) is not None:
            label, why = text, UNKNOWN
        elif shares_too and "%" in label:
            why = UNKNOWN
        elif not KINDS[kind].judges and is_word(label) and not is_answer(item, label):
            why = NO_ANSWER
        elif item in wanting or (
            not KINDS[kind].judges
            and not (understands(item, label) and (label not in signs or is_answer(item, label)))
            and not _confirmed(label, note)
        ):
            why = NO_READING
        if why is not None:
            more.append((number, item, person or "", label, why))
    if more:
        added = pd.DataFrame(more, columns=list(_COLUMNS), dtype=object)
        found = pd.concat([added, found], ignore_index=True).drop_duplicates(["row", "item_id", "annotator", "label"])
    return found.sort_values("row", kind="stable").reset_index(drop=True)


def _signs_in(labels: Iterable[str | None]) -> frozenset[str]:
    """Return the labels that are errors of a spreadsheet, and the ditto marks if there are several."""
    given = [label for label in labels if label is not None]
    ditto = [label for label in given if _DITTO.fullmatch(label.strip())]
    errors = [label for label in given if _ERROR.fullmatch(label.strip())]
    return frozenset(errors + ditto * (len(ditto) >= _REPEATED))


def _confirmed(label: str, note: str | None) -> bool:
    """Whether somebody said of a right answer that it means itself; a number has to be one all the same."""
    return (text := written(note)) is not None and word_key(text) == word_key(label) and not re.search("[0-9]", label)


def _half_given(rows: pd.DataFrame) -> frozenset[str]:
    """Return the digits of 0 and 1 that nobody gave a meaning although other numbers have one.

    If one digit was turned round, both might mean the same; if a number outside 0 to 1 is right or wrong, they are
    grades, of which only their author knows the meaning.
    """
    pairs = zip(column(rows, "label"), column(rows, "note"), strict=True)
    read = {
        (word_key(text), canonical(label or "", RIGHT_WRONG.name)) for label, note in pairs if (text := written(note))
    }
    said = {word for word, _ in read}
    graded = any(means and not 0 <= (number_in(word) or 0) <= 1 for word, means in read)
    turned = {other for other, usual in (("1", WRONG), ("0", RIGHT)) if (other, usual) in read}
    return frozenset({"0", "1"} - said) if graded or turned else frozenset()


def words_in(cells: pd.DataFrame, answers: Iterable[str] = ()) -> list[Word]:
    """List the different labels that are not understood, the most frequent first, each with what is proposed.

    Nothing is proposed if any of them is among ``answers``, those of the pool: they may all be answers.
    """
    found, own = Counter(word_key(label) for label in cells["label"]), set(map(word_key, answers))
    free = own.isdisjoint(found)
    return [Word(word, count, proposed(word) if free else None) for word, count in found.most_common()]


def named(cells: pd.DataFrame) -> str:
    """Name every label that is not understood: its text, and the rows (of which file) or items where it stands."""
    words = cells["label"].map(word_key)
    parts = []
    for _, group in cells.groupby(words, sort=False):
        by_file = group.groupby("file", sort=False) if "file" in group else [("", group)]
        places = "; ".join(_places(part) + (f" of {shown(str(file), 60)}" if file else "") for file, part in by_file)
        parts.append(f"{shown(group['label'].iloc[0], _LONGEST)} ({places})")
    return listed(parts)


def _places(cells: pd.DataFrame) -> str:
    if rows := {int(row) for row in cells["row"] if row}:
        return named_rows(rows)
    places = [shown(item, 30) for item in dict.fromkeys(cells["item_id"])]
    return f"item{'' if len(places) == 1 else 's'} {', '.join(places)}"


def with_files(cells: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """Return cells of `not_understood` with a column file, each once for each file where it stands.

    Parameters
    ----------
    cells : DataFrame
        Of `not_understood`.
    rows : DataFrame
        The rows they are of; of one file, they have no column file, and the cells stay as they are.
    """
    if "file" not in rows.columns or cells.empty:
        return cells
    keys = ["row", "item_id", "label"]
    files = rows[[*keys, "file"]].drop_duplicates().astype({"row": "int64"})
    cells = cells.astype({"row": "int64"}).drop_duplicates([*keys, "annotator"])
    return cells.merge(files, on=keys, how="left").fillna({"file": ""})


def verdicts_or_scores(labels: Iterable[str], bounded: bool = True) -> str:
    """Return the kind of labels that judge answers and do not say it: scores if most are fractions of 1, else verdicts.

    Parameters
    ----------
    labels : iterable of str
        Without those that are no verdict. What is neither does not decide.
    bounded : bool
        Whether scores lie in 0 to 1; if they need not, all numbers but 0 and 1 count as fractions do.
    """
    given = list(labels)
    numbers = [number for label in given if (number := number_in(label)) is not None]
    fractions = sum(0 < number < 1 or (not bounded and number not in (0, 1)) for number in numbers)
    return SCORE.name if 2 * fractions > len(given) else RIGHT_WRONG.name


def refusal(
    cells: pd.DataFrame,
    kind: str,
    scale: GradeRange | None = None,
    kinds: bool = True,
    answers: Sequence[str] = (),
    unbounded: bool = False,
    nearest: Callable[[str, str], str | None] | None = None,
    repeated: Mapping[str, str] = MappingProxyType({}),
    first: str = "",
    alone: bool = False,
) -> LabelError:
    """Return the error that names every label that is not understood, where it stands, and what to do.

    Parameters
    ----------
    cells : DataFrame
        Of `not_understood`; at least one.
    kind : str
        What the labels were read as.
    scale : GradeRange or None
        Of the grades, if some lie outside 0 to 1.
    kinds : bool
        Whether the caller takes labels of other kinds.
    answers : sequence of str
        The few right answers of the pool, if it has few; of verdicts, the labels that are answers of the pool, of which
        no meaning is proposed.
    unbounded : bool
        Whether scores may lie outside 0 to 1.
    nearest : callable, optional
        The answer that a label (item, label) that is no right answer most likely means, if any; by default none.
    repeated : mapping, optional
        Of `to_repeat`: what every remedy says besides.
    first : str, optional
        What is said before the remedy.
    alone : bool
        Whether there is no other label: skipping all of them would leave none.
    """
    rows = zip(*(column(cells, name) for name in ("row", "label", "file")), strict=True)
    problems = [
        Problem(f"{shown(label, _LONGEST)} is not understood.", row or None, "label", file=file or None)
        for row, label, file in rows
    ]
    what_to_do = remedy(cells, kind, scale, kinds, answers, unbounded, nearest, repeated, alone)
    said = " ".join(filter(None, [statement(cells), first, what_to_do]))
    return LabelError(said, problems[:MOST], len(problems))


def statement(cells: pd.DataFrame) -> str:
    """Name every label that is not understood and where it stands, without a remedy; as `refusal`."""
    many = f"{counted(len(cells), 'label')} {'is' if len(cells) == 1 else 'are'} not understood"
    return f"{many}: {named(cells)}."


def remedy(
    cells: pd.DataFrame,
    kind: str,
    scale: GradeRange | None = None,
    kinds: bool = True,
    answers: Sequence[str] = (),
    unbounded: bool = False,
    nearest: Callable[[str, str], str | None] | None = None,
    repeated: Mapping[str, str] = MappingProxyType({}),
    alone: bool = False,
) -> str:
    """Say what to do about labels that are not understood, in Python, in the shell and in the file; as `refusal`."""
    repeated = repeated if len(repeated) <= _MOST_TYPED else {}
    whys, words = set(cells["why"]), [one.word for one in words_in(cells)]
    if not KINDS[kind].judges:
        unread = cells.loc[cells["why"] == NO_READING, "label"].tolist()
        return _about_answers(whys, words, answers, unread, _meant(cells, nearest), repeated, alone)
    if unbounded and KINDS[kind].averaged:
        each = _each(words, dict.fromkeys(words, ""), repeated, kind)
        return f"Say which score each means, or skip (no verdict): {each}. Or correct the file."
    if scale is not None:
        return _about_grades(scale, words, kinds, repeated, kind)
    options = _typed(words, kind, repeated, set(map(word_key, answers)))
    if kinds and KINDS[kind].averaged and any(canonical(word, RIGHT_WRONG.name) is not None for word in words):
        options += f' If labels say right or wrong: kind="{RIGHT_WRONG.name}", --kind {RIGHT_WRONG.name}.'
    if kinds and kind == RIGHT_WRONG.name and any(_FRACTION.fullmatch(word) for word in words):
        options += ' If labels are scores from 0 to 1: kind="score", --kind score.'
    return options


def to_repeat(rows: pd.DataFrame, cells: pd.DataFrame, kind: str, scale: GradeRange | None = None) -> dict[str, str]:
    """Return the meanings that a remedy says again, so that it is complete.

    They are those that a person gave, and those of 0 and 1 beside other numbers, of which nobody knows what they mean
    once the others mean right or wrong; "" for one that only a person knows.

    Parameters
    ----------
    rows : DataFrame
        All labels: label, note.
    cells : DataFrame
        Those of them that are not understood.
    kind : str
        What the labels were read as.
    scale : GradeRange or None
        Of the grades, if some lie outside 0 to 1 and each of them is to be said right or wrong.
    """
    said = {one.word: one.meaning or "" for one in words_of(rows)}
    numbers = [number for label in cells["label"] if (number := number_in(label)) is not None]
    if (scale is None and not KINDS[kind].verdicts) or all(0 <= number <= 1 for number in numbers):
        return said
    digits = {"0": WRONG, "1": RIGHT}
    there = {word_key(label) for label in rows["label"].dropna()} & digits.keys()
    return {digit: digits[digit] if len(there) == 2 else "" for digit in sorted(there)} | said


def _meant(cells: pd.DataFrame, nearest: Callable[[str, str], str | None] | None) -> dict[str, str]:
    """Return the words that most likely mean the same answer wherever they stand, with this answer."""
    found = dict[str, set[str | None]]()
    for item, label in zip(cells["item_id"], cells["label"], strict=True):
        found.setdefault(word_key(label), set()).add(nearest(item, label) if nearest is not None else None)
    return {word: next(iter(near)) or "" for word, near in found.items() if len(near) == 1 and None not in near}


def _about_answers(
    whys: set[str],
    words: Sequence[str],
    answers: Sequence[str],
    labels: Sequence[str],
    meant: Mapping[str, str],
    repeated: Mapping[str, str],
    alone: bool,
) -> str:
    said = ["The labels are read as right answers."]
    if NO_ANSWER in whys:
        said.append(
            "Words for right and wrong are answers only where they are among the item’s options or the pool’s right "
            f'answers. If labels say whether the model’s answer is right: kind="{RIGHT_WRONG.name}", --kind '
            f"{RIGHT_WRONG.name}."
        )
    plain = [label for label in labels if not any(sign.fullmatch(label.strip()) for sign in (_DITTO, _ERROR))]
    if len(plain) < len(labels):
        said.append("Write the answer itself in place of a ditto mark, or of an error of a spreadsheet.")
    if plain or whys - {NO_ANSWER, NO_READING}:
        said.append(
            "Write an option of the item, one of the answers of the pool, or one number where numbers are asked for."
        )
    own = meant if 0 < len(meant) <= _MOST_TYPED else {}
    # Each way to go on says all words, so that none is asked about later.
    left, known = {word: "" for word in words if word not in own}, {**repeated, **own}
    left = left if len(left) <= _MOST_TYPED else {}
    if own:
        each = both_ways({**own, **left}, repeated, GOLD.name)
        said.append(f"A slip or another word for an answer is read as what you say: {each}.")
    if any(hints_at_no_option(word) for word in words if word not in meant):
        said.append(
            f"If no option of an item is right, every answer to it is wrong: write “{NO_OPTION}” where the item has "
            f'options, or judge the model’s answers instead (kind="{RIGHT_WRONG.name}", --kind {RIGHT_WRONG.name}), or '
            "skip the item."
        )
    new = [
        label
        for label in dict.fromkeys(plain)
        if word_key(label) not in meant and not re.search("[0-9]", label) and not answers_within(label, answers)
    ]
    if NO_READING in whys and 0 < len(new) <= _MOST_TYPED and not all(number_in(one) is not None for one in answers):
        each = both_ways({**left, **{word_key(one): one for one in new}}, known, GOLD.name)
        said.append(f"A new right answer is read once you say it: {each}.")
    if left and (own or not alone):
        each = both_ways(dict.fromkeys(left, "skip"), known, GOLD.name)
        said.append(f"What is no answer has no verdict: {each}.")
    return " ".join(said)


def _about_grades(scale: GradeRange, words: Sequence[str], kinds: bool, repeated: Mapping[str, str], kind: str) -> str:
    own = KINDS[kind].scale
    read = f"grades from {own}" if own is not None else "scores from 0 (worst) to 1 (best)"
    said = [f"Grades {scale} were given, and Neyman reads {read}."]
    if kinds:
        said.append(
            "Say the scale that people were given, from the worst grade to the best, such as 1 to 5: scale=(1, 5) in "
            "Python, --scale 1-5 in the shell, or the kind of label on page Label. Of a scale without ends say "
            f'kind="{SCORE.name}" with interval=neyman.Interval(bounded=False) in Python, or turn on “Scores may lie '
            "outside 0 to 1” on page Estimate."
        )
    if own is not None:
        return " ".join([*said, "Or correct the file."])
    if len(words) <= _MOST_TYPED:
        each = dict.fromkeys(words, "")
        # Whoever called them scores says that they are verdicts then.
        ways = both_ways(each, repeated, is_said=KINDS[kind].averaged)
        said.append(f"Say of each grade whether it is right, wrong or skip (no verdict): {ways}.")
    return " ".join(said)


def _typed(words: Sequence[str], kind: str, repeated: Mapping[str, str], answers: Collection[str]) -> str:
    averaged, own = KINDS[kind].averaged, KINDS[kind].scale
    # Beside other letters these are options.
    letters = _TRUE_OR_FALSE if {word for word in words if len(word) == 1} <= _TRUE_OR_FALSE.keys() else {}
    meanings = {word: proposed(word) or letters.get(word) or (fraction_in(word) if averaged else "") for word in words}
    if answers or own is not None:
        # A word such as “yes” means nothing else as a verdict.
        meanings = {word: "" if averaged or number_in(word) is not None else _certain(word) for word in words}
    may_be = "right (1), wrong (0), a score such as 0.5" if averaged else "right, wrong"
    may_be = may_be if own is None else f"a grade from {own}"
    if KINDS[kind].compares:
        may_be, meanings = ", ".join(KINDS[kind].verdicts), dict.fromkeys(words, "")
    each = _each(words, meanings, repeated, kind)
    say = f"ay what each means, {may_be} or skip (no verdict): {each}. Or correct the file."
    if not answers:
        return f"S{say}"
    return f"If they judge the model’s answer, s{say}"


def _certain(word: str) -> str:
    return canonical(word, RIGHT_WRONG.name) or ""


def fraction_in(word: str) -> str:
    """Return the share that a word writes as a fraction, such as “½” and “3/4”, as a decimal; "" if it is none."""
    parts = _OF_WHOLE.fullmatch(unicodedata.normalize("NFKC", word))
    if parts is None or not 0 < int(parts[2]) >= int(parts[1]):
        return ""
    return f"{int(parts[1]) / int(parts[2]):.15g}"


def _each(words: Sequence[str], meanings: Mapping[str, str], repeated: Mapping[str, str], kind: str) -> str:
    """Write the meanings of words as `both_ways`; of many, the first ones and how many follow."""
    each = both_ways({word: meanings[word] for word in words[:_MOST_TYPED]}, repeated, kind)
    left = len(words) - _MOST_TYPED
    return f"{each}, and so on for {counted(left, 'more word')}" if left > 0 else each


def both_ways(
    meanings: Mapping[str, str],
    repeated: Mapping[str, str] = MappingProxyType({}),
    kind: str = RIGHT_WRONG.name,
    is_said: bool = False,
) -> str:
    """Write meanings as they are given in Python and in the shell; “…” for one that only a person knows.

    Those of ``repeated`` stand first, unless there are others for their words; before them the kind of labels that they
    are for, since words may make labels look like another one; verdicts only if that ``is_said``.
    """
    said = [(word, meaning or "…") for word, meaning in {**repeated, **meanings}.items()]
    python = ", ".join(f'{json.dumps(word, ensure_ascii=False)}: "{meaning}"' for word, meaning in said)
    of_kind = [] if kind == RIGHT_WRONG.name and not is_said else ["--kind", kind]
    shell = shell_line([*of_kind, *(f"--word={word}={meaning}" for word, meaning in said)])
    led = f'kind="{kind}", ' if of_kind else ""
    return f"{led}words={{{python}}} in Python, {shell} in the shell"
