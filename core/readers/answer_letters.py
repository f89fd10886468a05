"""Right answers in the words of outputs: places, letters or texts of options, yes or no, true or false."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from string import ascii_uppercase

import pyarrow as pa
import pyarrow.compute as pc

from ..answers import parse
from ..answers.free_texts import said_text, yes_or_no
from ..answers.languages import NO, YES
from ..pool.columns import TEXT, TEXTS, Loose
from ..pool.option_labels import OptionLabel, labelled, plain_text
from ..pool.problems import Problems, shown
from ..words import counted, listed
from ..words.verdict_words import SAYS_RIGHT
from .field_map import FieldMap
from .json_records import kind_of

# Other outputs refuse to answer, or say nothing.
_MOST = 0.9


def places_of_labels(
    answers: Sequence[str | None], outputs: Sequence[Sequence[str | None]]
) -> tuple[str, Mapping[int, int]] | None:
    """Return the options of right answers that all are a letter and a text, if outputs choose letters.

    They do if nearly all choose one, some in another spelling than the right answers, none is the text of an option
    alone, and none has another text behind the right letter, as “A. Johnson” beside “A. Lincoln”.

    Parameters
    ----------
    answers : sequence of str or None
        The right answers.
    outputs : sequence of sequence of str or None
        The outputs of each model; if they are as many as the right answers, they stand in their order.

    Returns
    -------
    tuple of str and mapping of int to int, or None
        A right answer, and the place of the option, from 0, for each place of a right answer.
    """
    known = {place: labelled(one) for place, one in enumerate(answers) if one is not None}
    labels = {place: one for place, one in known.items() if one is not None}
    if len(labels) < len(known) or len({one.letter for one in labels.values()}) < 2:
        return None
    said = [text for some in outputs for text in some[:_LOOKED_AT] if text and text.strip()]
    texts = {one.text for one in labels.values()}
    if not said or any(plain_text(text) in texts for text in said):
        return None
    if sum(parse(text, "choice") is not None for text in said) < _MOST * len(said):
        return None
    right = {one for one in answers if one is not None}
    if not any(_is_respelled(text, right, labels) for text in said) or _contradicts(labels, outputs, len(answers)):
        return None
    first = next(iter(labels))
    return answers[first] or "", {place: ascii_uppercase.index(one.letter) for place, one in labels.items()}


def _is_respelled(text: str, right: set[str], labels: Mapping[int, OptionLabel]) -> bool:
    """Whether an output chooses a letter without its text, or is a right answer whose letter is marked otherwise."""
    label = labelled(text)
    return (label is None and parse(text, "choice") is not None) or (
        text.strip() not in right and label in labels.values()
    )


def _contradicts(labels: Mapping[int, OptionLabel], outputs: Sequence[Sequence[str | None]], size: int) -> bool:
    """Whether an output has the right letter and another text behind it."""
    for some in outputs:
        if len(some) != size:
            continue
        for place, right in labels.items():
            said = labelled(some[place] or "")
            same = said is None or said.text in right.text or right.text in said.text
            if said is not None and said.letter == right.letter and not same:
                return True
    return False


_LOOKED_AT = 200
# A letter as people write it, “b”, “(B)” or “Option B.”, and perhaps the text of its option behind it.
_LABEL = re.compile(
    r"(?:(?:option|choice|answer)\s+)?[(\[（]?([A-Za-z])(?:[)\]）.．:：、]{0,2}|[)\]）.．:：、]{1,2}\s*(\S.*))",
    re.IGNORECASE | re.DOTALL,
)
_LETTERED = re.compile(r"\s*[(\[（]?([A-Za-z])[)\]）.．:：、]{1,2}\s*(?=\S)")
_CIRCLED = re.compile("[①-⑳](?=$|[ .])")
_NUMBERED = re.compile(r"(?:(?:option|choice|answer)\s*:?\s*)?[(\[]?\d{1,2}[)\].]?", re.IGNORECASE)
_LAST_UNNAMED = "J"
_NUMBER, _NONE = re.compile(r"(\d{1,3})(?:\.0+)?"), re.compile(r"-1(?:\.0+)?")


def with_letters(loose: Loose, fields: FieldMap, problems: Problems) -> Loose:
    """Write right answers as outputs say them, as :func:`as_said`."""
    if "answer" not in loose.columns or not may_letter(loose.columns.get("answer_kind"), fields):
        return loose
    texts = [column for (_, name), column in loose.targets.items() if name in ("text", "answer")]
    if "generations" in loose.columns:
        texts.append(pc.list_flatten(loose.columns["generations"].slice(0, _LOOKED_AT)))
    columns = as_said(loose.columns["answer"], loose.columns.get("choices"), texts, problems)
    return Loose({**loose.columns, **columns}, loose.targets, loose.extras, loose.rows)


def may_letter(kinds: pa.ChunkedArray | None, fields: FieldMap) -> bool:
    """Whether no field says how answers are read, or it says that they are letters of options."""
    said = [] if kinds is None else [one for one in pc.unique(kinds).to_pylist() if one is not None]
    return "answer_kind" not in fields.fields or said == ["choice"]


def as_said(
    answer: pa.ChunkedArray, choices: pa.ChunkedArray | None, outputs: Sequence[pa.ChunkedArray], problems: Problems
) -> dict[str, pa.ChunkedArray]:
    """Write right answers as outputs say them: options by their letters, true and false as yes and no.

    Returns
    -------
    dict of str to ChunkedArray
        The columns that replace others: answer, answer_kind, and choices without their letters; empty if all stay.
    """
    plain = None if choices is None else _texts_alone(choices)
    changed = {} if plain is None else {"choices": plain}
    choices = choices if plain is None else plain
    if said := _plain_letters(answer, choices, problems):
        return changed | said
    if choices is not None:
        return changed | _lettered(answer, choices, outputs, problems)
    if labels := places_of_labels(answer.to_pylist(), [column.to_pylist() for column in outputs]):
        problems.note(f"Right answers such as {shown(labels[0], 30)} are read as letters of options, like outputs.")
        return _columns(labels[1], [(one, None) for one in answer.to_pylist()])
    return {"answer": in_words_of_outputs(answer, outputs, problems)}


def without_letters(loose: Loose) -> Loose:
    """Remove the letters that options begin with, as in “A) Paris”, if all options have theirs."""
    choices = _texts_alone(loose.columns["choices"]) if "choices" in loose.columns else None
    if choices is None:
        return loose
    return Loose({**loose.columns, "choices": choices}, loose.targets, loose.extras, loose.rows)


def _texts_alone(choices: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Return options without the letters that they begin with; None if not all have theirs."""
    rows = choices.to_pylist()
    begun = [[_LETTERED.match(one or "") for one in some] for some in rows if some]
    letters = [[one[1].upper() if one else "" for one in some] for some in begun]
    if not begun or any(len(some) < 2 or some != [*ascii_uppercase[: len(some)]] for some in letters):
        return None
    texts = [None if some is None else [_LETTERED.sub("", one, count=1) for one in some] for some in rows]
    return pa.chunked_array([pa.array(texts, choices.type)])


def _plain_letters(
    answer: pa.ChunkedArray, choices: pa.ChunkedArray | None, problems: Problems
) -> dict[str, pa.ChunkedArray]:
    """Replace right answers that are letters of options in another spelling, if all are letters or texts of options.

    Without options, letters up to J are some if there are several of them.

    Returns
    -------
    dict of str to ChunkedArray
        The columns answer and answer_kind; empty if the answers stay.
    """
    pairs = list(
        zip(answer.to_pylist(), choices.to_pylist() if choices is not None else [None] * len(answer), strict=True)
    )
    known = [_Right(place, one, some or []) for place, (one, some) in enumerate(pairs) if one is not None]
    spelt = [one for one in known if not one.is_text and one.label is not None]
    odd = [one for one in spelt if one.text != ascii_uppercase[one.label or 0]]
    if not odd or 2 * len(spelt) < len(known) or any(one not in spelt and not one.is_text for one in known):
        return {}
    if len({one.label for one in spelt if not one.options}) == 1:
        return {}
    problems.note(f"Right answers such as {shown(odd[0].text, 30)} are read as letters of options.")
    return _columns({one.place: one.place_of_text if one.is_text else one.label for one in known}, pairs)


def _lettered(
    answer: pa.ChunkedArray, choices: pa.ChunkedArray, outputs: Sequence[pa.ChunkedArray], problems: Problems
) -> dict[str, pa.ChunkedArray]:
    """Replace right answers that are numbers or texts of options by their letters.

    Right answers that can only be one of the two show what the others are, such as 2 where an option is “2”. The
    numbers begin at 0 or at 1, as all of them together show. If most outputs are numbers too, they are compared as they
    are; so are texts of options, unless most outputs of some model choose a letter. Letters stay letters.

    Returns
    -------
    dict of str to ChunkedArray
        The columns answer and answer_kind; empty if the answers stay.
    """
    pairs = list(zip(answer.to_pylist(), choices.to_pylist(), strict=True))
    known = [_Right(place, one, some) for place, (one, some) in enumerate(pairs) if one is not None and some]
    numbers = [one for one in known if one.number is not None and not one.is_text]
    words = [one for one in known if one.is_text and not one.may_number and not one.is_letter]
    both = [one for one in known if one.is_text and one.may_number]
    said = [[text.strip() for text in column.slice(0, _LOOKED_AT).to_pylist() if text] for column in outputs]
    # The kind “choice” reads an option’s text as well, but no text is read from a letter.
    choose = any(2 * sum(map(_chooses, _no_options(some, known))) > len(some) for some in said)
    texts = [*chain.from_iterable(said)]
    if not numbers and choose and words and all(one.is_text or one.is_letter for one in known):
        problems.note(
            "Right answers are texts of options. They are read as letters, like outputs: the first option is A."
        )
        return _columns({one.place: one.place_of_text for one in known}, pairs)
    most = max((len(one.options) for one in known), default=0)
    if not numbers and not (both and choose and not words):
        return {}
    digits = [text for text in texts if text.isdecimal() and int(text) <= most]
    options = {option.strip() for one in known for option in one.options}
    first = _numbered_from([(one.number, len(one.options)) for one in numbers if one.number is not None])
    worded = [text for text in texts if text in options and not any(map(str.isdigit, text))]
    # The kind “choice” reads both where the numbers are from 1 and are no texts of options.
    are_words = not any(sign.isdigit() for option in options for sign in option)
    reads_both = worded and first == 1 and are_words
    if 2 * len(digits) > len(texts) and not reads_both:
        if worded:
            problems.note(
                f"Right answers and most outputs are numbers of options; {counted(len(worded), 'output')} "
                f"{'is the text of one' if len(worded) == 1 else 'are texts of them'}, such as {shown(worded[0], 30)}, "
                "and cannot be compared with numbers: write them alike."
            )
        if 2 * sum(text in options for text in digits) > len(texts):
            problems.note(
                "Right answers are compared with outputs as numbers of options. Outputs may be texts of options "
                "instead: write right answers as texts or letters."
            )
        return {}
    odd = [one for one in known if not (one.is_text or one.number is not None or one.is_letter or one.is_none)]
    if len(odd) > len(numbers):
        return {}
    if len(both) > len(numbers) or any(one.number is not None for one in words):
        problems.note("Right answers are numbers. Nothing shows whether they number the options or are their texts.")
        return {}
    if first is None:
        problems.note("Right answers are numbers. Nothing shows whether they number the options from 0 or from 1.")
        return {}
    problems.note(f"Right answers are numbers of options, and read as letters: {first} is A.")
    if first == 0 and are_words and (said_numbers := [*filter(_NUMBERED.fullmatch, texts)]):
        problems.note(
            f"Outputs that are numbers, such as {shown(said_numbers[0], 30)}, are read as numbers of options from 1, "
            "while right answers count from 0: write both alike."
        )
    if none := sum(one.is_none for one in known):
        problems.note(f"{counted(none, 'right answer is', 'right answers are')} -1, which is no option: left open.")
    if odd:
        are = counted(len(odd), "right answer is", "right answers are")
        problems.note(f"{are} neither a number nor a letter or text of an option, such as {shown(odd[0].text)}: check.")
    stay = {one.place for one in odd}
    return _columns({one.place: one.place_of_number(first) for one in known if one.place not in stay}, pairs)


@dataclass(frozen=True, slots=True)
class _Right:
    """A right answer beside its options."""

    place: int
    text: str
    options: list[str]

    @property
    def number(self) -> int | None:
        """The number that it is, which tables may write as 2.0."""
        found = _NUMBER.fullmatch(self.text)
        return int(found[1]) if found else None

    @property
    def may_number(self) -> bool:
        """Whether it is the number of an option from 0 or from 1."""
        return self.number is not None and self.number <= len(self.options)

    @property
    def is_text(self) -> bool:
        """Whether it is the text of one option."""
        return self.options.count(self.text) == 1 and len(self.options) <= len(ascii_uppercase)

    @property
    def is_letter(self) -> bool:
        """Whether it is the letter of an option."""
        return len(self.text) == 1 and self.text in ascii_uppercase[: len(self.options)]

    @property
    def label(self) -> int | None:
        """The place of the option, from 0, whose letter it is in any spelling; None if it is no letter."""
        found = _LABEL.fullmatch(_CIRCLED.sub(lambda sign: ascii_uppercase[ord(sign[0]) - ord("①")], self.text.strip()))
        if found is None:
            return None
        place = ascii_uppercase.index(found[1].upper())
        if not self.options:
            return place if found[2] is None and found[1].upper() <= _LAST_UNNAMED else None
        text = self.options[place].strip() if place < len(self.options) else None
        return (
            place if text is not None and (found[2] is None or found[2].strip().casefold() == text.casefold()) else None
        )

    @property
    def is_none(self) -> bool:
        """Whether it stands for no option, as in a test whose right answers are kept back."""
        return _NONE.fullmatch(self.text) is not None and self.text not in self.options

    @property
    def place_of_text(self) -> int:
        """The place of the option, from 0, of which it is the text or else the letter."""
        return self.options.index(self.text) if self.is_text else ascii_uppercase.index(self.text)

    def place_of_number(self, first: int) -> int | None:
        """Return the place of the option, from 0, where the first has the number 0 or 1; None if it is no option."""
        if self.is_none:
            return None
        place = None if self.number is None else self.number - first
        return place if place is not None and 0 <= place < len(self.options) else self.place_of_text


def _no_options(texts: Sequence[str], known: Sequence[_Right]) -> list[str]:
    """List the outputs that are no option’s text, which may look as if it began with a letter."""
    options = {option.strip() for one in known for option in one.options}
    return [text for text in texts if text not in options]


def _chooses(text: str) -> bool:
    """Whether an output chooses a letter, whatever the options are."""
    return parse(text, "choice") is not None


def _columns(
    options: Mapping[int, int | None], pairs: Sequence[tuple[str | None, list[str] | None]]
) -> dict[str, pa.ChunkedArray]:
    """Columns of right answers: the letter of the option at each place, the first of which is 0; others stay."""
    letters, kinds = list[str | None](), list[str | None]()
    for place, (one, some) in enumerate(pairs):
        option = options.get(place)
        stays = one is not None and place not in options
        letters.append(one if stays else None if option is None else ascii_uppercase[option])
        kinds.append(kind_of(one, some) if stays else None if option is None else "choice")
    return {
        name: pa.chunked_array([pa.array(one, TEXT)]) for name, one in (("answer", letters), ("answer_kind", kinds))
    }


def _numbered_from(numbers: Sequence[tuple[int, int]]) -> int | None:
    """Return the number of the first option, 0 or 1, by numbers of options and how many there are; None if unsure."""
    ranges = [first for first in (0, 1) if all(first <= one < min(size, 26) + first for one, size in numbers)]
    return ranges[0] if len(ranges) == 1 else None


# Right answers that are yes or no, true or false, beside outputs that say the other pair or whole sentences.

_PAIRS = (("true", "false"), ("yes", "no"))
_YES_OR_NO = frozenset(word for pair in _PAIRS for word in pair)
_WORDS = _YES_OR_NO | SAYS_RIGHT.keys() | YES | NO
_KIND = "text"
# The word that an answer begins with, but for “no doubt” and its like, and the one that it ends with.
_BEGINS = re.compile(
    r"(\w+)(?:\s*[^\w\s'’-]|\s+(?:it|this|that|these|those|they|he|she|we|you|i|there|the|an?|because)\b)"
)
_EDGE, _MARKS = 80, ("answer", "option", "choice", "\\", "<", "#")
_ENDS = re.compile(r"(?:[.!?:]\s|^)(?:(?:so|thus|hence|therefore),? )?(\w+)$")


def in_words_of_outputs(
    answer: pa.ChunkedArray, outputs: Sequence[pa.ChunkedArray], problems: Problems
) -> pa.ChunkedArray:
    """Put right answers into the words of the outputs.

    Parameters
    ----------
    answer : ChunkedArray
        The right answers.
    outputs : sequence of ChunkedArray
        Outputs of models.
    problems : Problems
        Where a note is added if anything changes.

    Returns
    -------
    ChunkedArray
        The answers in the other pair of words if all are of one pair and most outputs are of the other.
    """
    words = _words_of(answer)
    said = [text for column in outputs for text in column.slice(0, _LOOKED_AT).to_pylist() if text]
    for own, other in (_PAIRS, _PAIRS[::-1]):
        if words and words <= set(own) and 2 * sum(_word_in(text, other) in other for text in said) > len(said):
            problems.note(f"Right answers are {listed(own)}. They are read as {listed(other)}, like outputs.")
            meant = dict(zip(own, other, strict=True))
            values = [one if one is None else meant[one.casefold()] for one in answer.to_pylist()]
            return pa.chunked_array([pa.array(values, TEXT)])
    return answer


def with_words_of_sentences(loose: Loose, problems: Problems) -> Loose:
    """Read “Yes, it is even.” as yes if all right answers are such words, with a note.

    Parameters
    ----------
    loose : Loose
        Columns of a file that does not say itself how its answers are to be read.
    problems : Problems
        Where the note is added.

    Returns
    -------
    Loose
        The same columns, with the answers of outputs that are sentences beside their texts.
    """
    answer, kinds = loose.columns.get("answer"), loose.columns.get("answer_kind")
    words = _words_of(answer) if answer is not None and kinds is not None else set()
    if not words or not words <= _WORDS or kinds is None or pc.unique(kinds.drop_null()).to_pylist() != [_KIND]:
        return loose
    columns, targets, read = dict(loose.columns), dict(loose.targets), 0
    for model in dict.fromkeys(model for model, _ in loose.targets):
        texts, known = (loose.targets.get((model, name)) for name in ("text", "answer"))
        if texts is None or (known is not None and known.null_count < len(known)):
            continue
        answers = [_sentence(text, words) for text in texts.to_pylist()]
        if any(answers):
            targets[model, "answer"] = pa.chunked_array([pa.array(answers, TEXT)])
            read += sum(map(bool, answers))
    if "generations" in columns and "generation_answers" not in columns:
        given = columns["generations"].to_pylist()
        lists = [None if texts is None else [_sentence(text, words) for text in texts] for texts in given]
        if number := sum(map(bool, chain.from_iterable(filter(None, lists)))):
            read += number
            pairs = zip(given, lists, strict=True)
            parsed = [
                found and [word or parse(text, _KIND) for text, word in zip(texts, found, strict=True)]
                for texts, found in pairs
            ]
            columns["generation_answers"] = pa.chunked_array([pa.array(parsed, TEXTS)])
    if not read:
        return loose
    problems.note(
        f"Right answers are {listed(sorted(words, reverse=True))}. Outputs that are sentences are read as the word of "
        f"these that they begin or end with: {read:,}."
    )
    return Loose(columns, targets, loose.extras, loose.rows)


def _words_of(answer: pa.ChunkedArray) -> set[str]:
    return {one.casefold() for one in answer.unique().to_pylist() if one is not None}


def says_yes_or_no(text: str) -> bool:
    """Whether an output is yes or no, true or false, or a sentence that says, begins or ends with one of these."""
    return _word_in(text, _YES_OR_NO) is not None


def _word_in(text: str, words: Collection[str]) -> str | None:
    """Return which of some words an output says, alone or in a sentence."""
    said = parse(text, _KIND)
    return said if said in words else _sentence(text, words)


def _sentence(text: str | None, words: Collection[str]) -> str | None:
    """Return which of some words a sentence says, ends with or begins with; None for a word alone."""
    said = said_text(_shortened(text or ""))
    found = [yes_or_no(said), *(match[1] for match in (_ENDS.search(said), _BEGINS.match(said)) if match)]
    if said in words:
        return None
    return next((meant for word in found if (meant := _meant(word, words))), None)


def _meant(word: str | None, words: Collection[str]) -> str | None:
    """Return a word if it is one of some, or the only one of them that says yes or no in its language as it does."""
    if word is None or word in words:
        return word
    for same in (YES, NO):
        own = [one for one in words if one in same]
        if word in same and len(own) == 1:
            return own[0]
    return None


def _shortened(text: str) -> str:
    """Leave the middle of a long text out, which costs time and says nothing unless it may name the answer."""
    if len(text) <= 2 * _EDGE or any(map(text.lower().__contains__, _MARKS)):
        return text
    return f"{text[:_EDGE]}\n{text[-_EDGE:]}"
