"""The answers that people choose a right answer from: those an item lists, and those that all items of a pool share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd
import pyarrow.compute as pc

from ..answers import parse
from ..pool.columns import leaf
from ..pool.near_misses import in_digits
from ..pool.parsing import DEFAULT_KIND
from ..pool.pool import Pool
from ..pool.sign_notes import has_another_sign
from ..readers.answer_letters import says_yes_or_no
from ..words import counted, shown
from ..words.verdict_words import CERTAIN, SAYS_NOTHING, SAYS_RIGHT, number_in, spelling, word_key
from .kinds import GOLD, hints_at_no_option, lone_letter, option_letter, option_meant
from .one_number import NO_UNITS, is_fraction, may_be_another, one_number
from .proposals import answer_meant, answers_within, is_word
from .right_answers import choices_of, kinds_of
from .rows import column
from .separators import is_either

MOST = 10
# So many options of an item have letters.
LETTERS = 26
_LONGEST = 24
_DOUBT = r"\w\W*[?？]\s*$"
_ENOUGH = 20
_SAMPLED = 5000
_LOOKED_AT = 200
_COVERED = 0.98
_MOSTLY = 0.9
# Answers of this kind are the word that a sentence says.
OF_SENTENCES = "text"
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_SHOWN = 3
_WORD = re.compile(r"[^\W\d_]+")
# Short ways to say an answer, read where the pool or the item has both answers of a pair.
_SHORT_FOR = (
    {"yes": ("y", "yeah", "yep", "yup"), "no": ("n", "nope", "nah")},
    {"true": ("t",), "false": ("f",)},
)
_WITH_UNIT = re.compile(r"[-+]?[0-9][0-9.,]*\s([^\W\d_]{4,15})")
# Options stand at the end of a prompt, behind whatever is to be read.
_TAIL = 20_000
_AT_LINES = re.compile(r"^[^\S\n]*[*_]{0,2}\(?([A-Z])[).:](?=[*_\s]|$)", re.MULTILINE)
_IN_LINES = re.compile(r"\(([A-Z])\)(?=\s)")


@dataclass(frozen=True, slots=True)
class ListedOptions:
    """The options that a prompt lists.

    Parameters
    ----------
    letters : tuple of str
        Their letters, A first; () if the prompt lists none.
    texts : tuple of str
        What stands behind each, to the end of its line or the next option.
    stem : str
        The prompt without them, if nothing follows them; else all of it.
    """

    letters: tuple[str, ...]
    texts: tuple[str, ...]
    stem: str


def listed(prompt: str) -> ListedOptions:
    """Find the options that a prompt lists, of several lists the last.

    An option stands at the beginning of a line ("A. this", "(A) this"), or behind brackets in a line ("(A) this (B)
    that"). The last 20,000 characters are searched.
    """
    before = max(0, len(prompt) - _TAIL)
    for pattern in (_AT_LINES, _IN_LINES):
        run, last = list[re.Match[str]](), list[re.Match[str]]()
        for match in pattern.finditer(prompt, before):
            follows = bool(run) and ord(match[1]) == ord(run[-1][1]) + 1
            run = [*run, match] if follows else [match] if match[1] == "A" else []
            last = run if len(run) > 1 else last
        if last:
            ends = [*(match.start() for match in last[1:]), len(prompt)]
            texts = [prompt[match.end() : end].strip() for match, end in zip(last, ends, strict=True)]
            alone = "\n" not in texts[-1]
            texts[-1] = texts[-1].partition("\n")[0].strip()
            stem = prompt[: last[0].start()].rstrip() if alone else prompt
            return ListedOptions(tuple(match[1] for match in last), tuple(texts), stem)
    return ListedOptions((), (), prompt)


def known_answers(pool: Pool, parser: str | None = None, models: bool = True) -> tuple[str, ...]:
    """Return the answers from which nearly all right answers of a pool come, () if there are more than `MOST`.

    They are taken from the truths if at least 20 are known, else from the targets' answers, else from the surrogate's
    generations; in a large pool from 5,000 items spread over it. Only the smallest set that covers 98 % of them counts,
    so that a mistake among the truths is not an option.

    Parameters
    ----------
    pool : Pool
        The pool.
    parser : str or None
        Answer kind for all items, None for their own.
    models : bool, default True
        Whether answers of targets and of the surrogate count if truths are few.

    Returns
    -------
    tuple of str
        None or 2 to 10 canonical answers, numbers before texts, each in ascending order.
    """
    places = np.unique(np.linspace(0, pool.n_items - 1, min(pool.n_items, _SAMPLED)).astype(np.int64))
    if not models and "answer" not in pool.item_columns:
        return ()
    part = pool.part(places, None if models else ("id", "answer", "answer_kind", "choices"))
    for source in (_truths, _of_targets, _generated) if models else (_truths,):
        counts = source(part, parser)
        if counts.total() >= min(_ENOUGH, pool.n_items):
            return _few(counts)
    return ()


def are_words(pool: Pool, ids: Sequence[str], parser: str | None = None) -> bool:
    """Whether some right answers are themselves words that say right or wrong, such as “yes” (`is_word`).

    Parameters
    ----------
    pool : Pool
        The pool.
    ids : sequence of str
        The items whose options count.
    parser : str or None
        As in `known_answers`.
    """
    offered = (option for options in choices_of(pool.items_with(ids), ids) for option in options or ())
    return any(map(is_word, known_answers(pool, parser))) or any(map(is_word, offered))


@dataclass(frozen=True, eq=False)
class AnswerWords:
    """Whether words that may be verdicts, or no verdict, are right answers in a pool.

    Parameters
    ----------
    pool : Pool
        The pool.
    parser : str or None
        Answer kind for all items, None for their own.
    """

    pool: Pool
    parser: str | None = None
    _facts: dict[str, tuple[Sequence[str], str | None]] = field(default_factory=dict, init=False, repr=False)

    def __call__(self, item: str, label: str) -> bool:
        """Whether a label is among the item's options, or the right answers of the pool."""
        if spelling(label) in self.shared:
            return True
        options, _ = self._of(item)
        return bool(options) and option_meant(label, options) is not None

    def look_up(self, items: Iterable[str]) -> None:
        """Read the options and answer kinds of many items at once; others are read one by one."""
        new = [item for item in dict.fromkeys(items) if item not in self._facts]
        self._facts.update(dict.fromkeys(new, ((), None)))
        ids = [item for item, place in zip(new, self.pool.places(new), strict=True) if place >= 0]
        if {"choices", "answer_kind"}.isdisjoint(self.pool.item_columns):
            self._facts.update(dict.fromkeys(ids, ((), self.parser or DEFAULT_KIND)))
        elif ids:
            items_there = self.pool.items_with(ids)
            pairs = zip(choices_of(items_there, ids), kinds_of(items_there, ids, self.parser), strict=True)
            facts = ((options or (), None if options else kind) for options, kind in pairs)
            self._facts.update(zip(ids, facts, strict=True))

    @cached_property
    def shared(self) -> frozenset[str]:
        """Right answers of the pool, as `spelling` writes them; where it has few, also what its models answer."""
        said = {parse(text, kind) for text, kind in self._outputs} if self.in_sentences else set()
        words = [word for word in said if word is not None and is_word(word)]
        return frozenset(map(spelling, (*self.known, *self._written, *words)))

    @cached_property
    def _written(self) -> frozenset[str]:
        """The right answers as the pool writes them; where it has none, what its models answer."""
        source = self.pool.source
        if "answer" in source.column_names:
            return frozenset(text for text in source.column("answer").unique().to_pylist() if text is not None)
        columns = [found for name in self.pool.targets if (found := leaf(source, name, "answer")) is not None]
        texts = {text for answers in columns for text in answers.unique().to_pylist() if text is not None}
        # A model may decline to answer: that makes no right answer of “?”.
        return frozenset(text for text in texts if spelling(text) not in SAYS_NOTHING)

    @cached_property
    def known(self) -> tuple[str, ...]:
        """The answers from which nearly all right answers come, of `known_answers`."""
        return known_answers(self.pool, self.parser)

    @property
    def are_verdicts(self) -> bool:
        """Whether all of these are words or digits that may say right or wrong as well, such as yes and no."""
        return bool(self.known) and all(spelling(answer) in CERTAIN for answer in self.known)

    def may_be_verdicts(self, items: Iterable[str], among_others: bool = False) -> bool:
        """Whether `are_verdicts`, or the options of any of the items say both right and wrong, such as yes and no.

        Words of the pool's few answers may be verdicts as well where others stand beside them, such as “unknown”; 0 and
        1 among other numbers only if labels are such numbers too (``among_others``).
        """
        options = (self._of(item)[0] for item in items)
        few = [answer for answer in self.known if among_others or number_in(answer) is None]
        both = any({True, False} <= {_says(text) for text in texts} for texts in (few, *options))
        return self.are_verdicts or both or self.in_sentences

    @cached_property
    def in_sentences(self) -> bool:
        """Whether the pool has no right answers, and most outputs of models say yes or no, perhaps in sentences."""
        said = sum(says_yes_or_no(text) for text, _ in self._outputs)
        return 2 * said > len(self._outputs)

    @cached_property
    def reader_of_sentences(self) -> str:
        """The answer kind that reads most of these sentences as yes and no; "" if there are none, or they are read."""
        read = {
            kind: sum(is_word(parse(text, kind or own) or "") for text, own in self._outputs)
            for kind in ("", OF_SENTENCES)
        }
        few = 2 * read[""] <= len(self._outputs) < 2 * read[OF_SENTENCES]
        return OF_SENTENCES if self.in_sentences and few else ""

    @cached_property
    def _outputs(self) -> list[tuple[str, str]]:
        """Outputs of models to items spread over the pool, with their answer kinds; none of one with right answers."""
        if "answer" in self.pool.item_columns:
            return []
        part = self.pool.part(np.unique(np.linspace(0, self.pool.n_items - 1, _LOOKED_AT).astype(np.int64)))
        kinds = kinds_of(part.items, part.ids[:].tolist(), self.parser)
        outputs = (one.answers if one.answers is not None else one.texts for one in part.targets.values())
        pairs = (pair for texts in outputs if texts is not None for pair in zip(texts, kinds, strict=True))
        return [(text, kind) for text, kind in pairs if isinstance(text, str)]

    def ask_for_numbers(self, items: Sequence[str]) -> bool:
        """Whether the right answers of most of these items are numbers."""
        return 2 * sum(self._of(item)[1] == "number" for item in items) > len(items)

    def understands(self, item: str, label: str) -> bool:
        """Whether a right answer is one number where numbers are asked for, and else one of the few of the pool."""
        options, kind = self._of(item)
        if _is_doubtful(label) and not self._ask_back:
            return spelling(label) in self.shared or spelling(label) in map(spelling, options)
        if kind is None:
            return True
        if kind == "number":
            return self._number(item, label) == label.strip()
        closed = self.known and not all(map(_NUMBER.fullmatch, self.known))
        are_letters = closed and all(len(answer) == 1 for answer in self.known)
        # An output may weigh several letters; a label names one.
        if are_letters and (_is_doubtful(label) or len(answers_within(label, self.known)) > 1):
            return spelling(label) in self.shared
        return not closed or parse(label.strip(), kind) in self.known or spelling(label) in self.shared

    def respelled(self, item: str, label: str) -> str:
        """Return a right answer as the pool spells it, or itself.

        Equal numbers, case and marks around it are read, and “y” for yes where yes and no are answers; no marks or case
        that mean something. A spreadsheet drops leading zeros, and adds none.
        """
        spelled = self._respelled(item, label)
        is_shortened = spelled.isdecimal() and len(label) < len(spelled)
        is_other = self._of(item)[1] != "number" and not is_shortened and has_another_sign(spelled, label)
        return label if is_other else spelled

    def _respelled(self, item: str, label: str) -> str:
        if _is_doubtful(label) and not self._ask_back:
            return label
        options, kind = self._of(item)
        if kind is None:
            said = lone_letter(label) or ""
            if not options or option_letter(label, options):
                return label
            return said if said and option_letter(said, options) == said else _said_short(label, options)
        if kind == "number":
            return self._number(item, label) or label
        if parse(label.strip(), kind) in self.known or label.strip() in self._written or is_either(label, ","):
            return label
        found = self._spellings.get(_loose(label), frozenset())
        if len(found) == 1:
            return next(iter(found))
        if not found and self.known and (said := _said_short(label, self.known)) != label:
            return said
        number = number_in(label)
        return f"{number:.15g}" if number is not None and "%" not in label and not found and self._plain else label

    def nearest(self, item: str, label: str) -> str | None:
        """Return the option of the item, or of the few answers of the pool, that a label most likely means, if any."""
        options, _ = self._of(item)
        none = [option for option in options if hints_at_no_option(option)] if hints_at_no_option(label) else []
        if len(none) == 1 or options:
            return none[0] if len(none) == 1 else answer_meant(word_key(label), options)
        return answer_meant(word_key(label), self.known) or in_digits(label)

    def kind_of(self, item: str) -> str | None:
        """Return the answer kind of an item: None for one with options, or of no pool."""
        return self._of(item)[1]

    def _of(self, item: str) -> tuple[Sequence[str], str | None]:
        """Return the options of an item and its answer kind: None for one with options, or of no pool."""
        if item not in self._facts:
            self.look_up([item])
        return self._facts[item]

    @cached_property
    def _spellings(self) -> Mapping[str, frozenset[str]]:
        """The spellings of the pool's answers, by what they have in common."""
        found = dict[str, set[str]]()
        for answer in self.known or self._written:
            found.setdefault(_loose(answer), set()).add(answer)
        return {key: frozenset(spellings) for key, spellings in found.items()}

    def _number(self, item: str, label: str) -> str | None:
        """Return the only number of a label; words of the pool's answers or the question are units."""
        if may_be_another(label, self._has_fractions) and label.strip() not in self._written:
            return None
        found, led = one_number(label, self._units), _WITH_UNIT.fullmatch(label.strip())
        if found is not None or led is None or "prompt" not in self.pool.item_columns:
            return found
        unit, prompt = led[1].casefold(), self.pool.items_with([item])["prompt"].iloc[0]
        asked = isinstance(prompt, str) and unit in _WORD.findall(prompt.casefold())
        return one_number(label, {unit}) if asked and unit not in NO_UNITS else None

    @cached_property
    def _ask_back(self) -> bool:
        """Whether any right answer of the pool, or any answer or output of its models, is a question."""
        source = self.pool.source
        columns = [source.column("answer")] if "answer" in source.column_names else []
        columns += [leaf(source, name, field) for name in self.pool.targets for field in ("answer", "text")]
        return any(pc.any(pc.match_substring_regex(one, _DOUBT)).as_py() for one in columns if one is not None)

    @cached_property
    def _has_fractions(self) -> bool:
        """Whether the pool writes any of its answers as a fraction."""
        return any(map(is_fraction, self._written))

    @cached_property
    def _units(self) -> frozenset[str]:
        """The words that stand alone behind the numbers of the pool's answers."""
        found = (_WITH_UNIT.fullmatch(text.strip()) for text in self._written)
        return frozenset(match[1].casefold() for match in found if match) - NO_UNITS

    @cached_property
    def _plain(self) -> bool:
        """Whether nearly all answers of the pool are numbers in their shortest spelling."""
        plain = sum((number := number_in(text)) is not None and f"{number:.15g}" == text for text in self._written)
        return plain > 0 and plain >= _MOSTLY * len(self._written)


def _is_doubtful(label: str) -> bool:
    """Whether a label is an answer with a question mark behind it."""
    return re.search(_DOUBT, label) is not None


def _says(text: str) -> bool | None:
    """Return whether a word says right; None for one that says neither."""
    word = spelling(text)
    return CERTAIN.get(word, SAYS_RIGHT.get(word))


def respelled(rows: pd.DataFrame, kind: str, is_answer: AnswerWords) -> pd.DataFrame:
    """Return rows of labels (item_id, label, kind) with right answers as the pool spells them.

    Parameters
    ----------
    rows : DataFrame
        Of `core.labels.vocabulary.translated`.
    kind : str
        Kind of the rows that do not say theirs.
    is_answer : AnswerWords
        The answers of the pool.
    """
    kinds = [given or kind for given in column(rows, "kind")]
    is_answer.look_up(item for item, of_kind in zip(rows["item_id"], kinds, strict=True) if of_kind == GOLD.name)
    labels = [
        is_answer.respelled(item, label) if of_kind == GOLD.name and isinstance(label, str) else label
        for item, label, of_kind in zip(rows["item_id"], rows["label"], kinds, strict=True)
    ]
    return rows.assign(label=pd.Series(labels, index=rows.index, dtype=object))


def retyped(rows: pd.DataFrame, kind: str, is_answer: AnswerWords) -> str:
    """Say which labels `respelled` reads as an answer with other zeros, as “3.1” as “3.10”; "" if there are none."""
    rows = rows[rows["label"].notna() & (rows["kind"].fillna(kind) == GOLD.name)]
    read = respelled(rows, kind, is_answer)["label"]
    pairs = [
        (label.strip(), one)
        for item, label, one in zip(rows["item_id"], rows["label"], read, strict=True)
        if label.strip() != one and is_answer.kind_of(item) != "number"
    ]
    pairs = [pair for pair in pairs if all(map(_NUMBER.fullmatch, pair)) and len({*map(number_in, pair)}) == 1]
    if not pairs:
        return ""
    examples = [f"{shown(label, 30)} as {shown(one, 30)}" for label, one in dict.fromkeys(pairs)]
    are, answer = ("is", "an answer") if len(pairs) == 1 else ("are", "answers")
    return (
        f"{counted(len(pairs), 'label')} {are} read as {answer} with other zeros "
        f"({', '.join(examples[:_SHOWN])}{', …' * (len(examples) > _SHOWN)}): numbers are compared by their values, "
        "and spreadsheets drop zeros. If versions or codes differ in them, judge the answers with right and wrong."
    )


def outside(rows: pd.DataFrame, pool: Pool, known: Sequence[str], parser: str | None = None) -> pd.DataFrame:
    """Return the rows whose right answer is not among the answers that all items of a pool share.

    Parameters
    ----------
    rows : DataFrame
        item_id, label. Rows of other pools, without a label, or of items with choices are never outside.
    pool : Pool
        The pool.
    known : sequence of str
        Answers of `known_answers`; with () no row is outside.
    parser : str or None
        Answer kind for all items, None for their own.

    Returns
    -------
    DataFrame
        These rows of ``rows``.
    """
    if not known:
        return rows.iloc[:0]
    labelled = rows[rows["label"].notna() & (pool.places(rows["item_id"]) >= 0)]
    items = pool.items_with(labelled["item_id"])
    ids = labelled["item_id"].tolist()
    given = list(zip(labelled["label"], kinds_of(items, ids, parser), strict=True))
    answers = {(label, kind): parse(label.strip(), kind) for label, kind in set(given)}
    is_outside = [
        options is None and answers[label] not in known
        for label, options in zip(given, choices_of(items, ids), strict=True)
    ]
    return labelled[np.array(is_outside, dtype=bool)]


def _loose(text: str) -> str:
    """Return what different spellings of an answer have in common."""
    number = None if "%" in text or is_either(text, ",") else number_in(text)
    return spelling(lone_letter(text) or text).strip("()[]. ") if number is None else f"{number:.15g}"


def _said_short(label: str, answers: Sequence[str]) -> str:
    """Return the answer that a label is short for, if these have both answers of a pair; else the label."""
    by_word = {spelling(answer): answer for answer in answers}
    for pair in _SHORT_FOR:
        for word, short in pair.items():
            if pair.keys() <= by_word.keys() and spelling(label) in short and spelling(label) not in by_word:
                return by_word[word]
    return label


def _few(counts: Counter[str]) -> tuple[str, ...]:
    needed, answers = _COVERED * counts.total(), list[str]()
    for answer, count in counts.most_common():
        if needed <= 0:
            break
        answers.append(answer)
        needed -= count
        if len(answers) > MOST or len(answer) > _LONGEST:
            return ()
    return tuple(sorted(answers, key=_order)) if len(answers) > 1 else ()


def _order(answer: str) -> tuple[bool, float, str]:
    number = _NUMBER.fullmatch(answer) is not None
    return (not number, float(answer) if number else 0.0, answer)


def _truths(pool: Pool, parser: str | None) -> Counter[str]:
    if "answer" not in pool.item_columns:
        return Counter()
    return _counted(pool, parser, pool.items["answer"].tolist())


def _of_targets(pool: Pool, parser: str | None) -> Counter[str]:
    counts = Counter[str]()
    for target in pool.targets.values():
        outputs = target.answers if target.answers is not None else target.texts
        if outputs is not None:
            counts += _counted(pool, parser, outputs)
    return counts


def _generated(pool: Pool, parser: str | None) -> Counter[str]:
    if not pool.n_generations:
        return Counter()
    return Counter(answer for answers in pool.answers(parser) for answer in answers if answer is not None)


def _counted(pool: Pool, parser: str | None, texts: Sequence[object]) -> Counter[str]:
    kinds = kinds_of(pool.items, pool.ids[:].tolist(), parser)
    answers = (parse(text, kind) for text, kind in zip(texts, kinds, strict=True) if isinstance(text, str))
    return Counter(answer for answer in answers if answer is not None)
