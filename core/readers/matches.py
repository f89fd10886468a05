"""Outputs beside right answers: how many say one of them, and right answers that are free texts.

If the outputs that no tool has scored say none of them in the same words, right or wrong stays unknown (the answer kind
``open``) until people or a judge say so: compared word by word, the model would be wrong everywhere. It does as well if
somebody has graded the outputs by letters: A may be right, or just the best mark.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..answers import EXTRACTED, OPEN, TITLES, parse
from ..pool.columns import ANSWER_LISTS, TARGETS, TEXT, Loose
from ..pool.near_misses import LONGEST, holds
from ..pool.problems import Problems, shown
from ..words import counted, listed
from .field_map import RIGHT, WRONG, FieldMap
from .json_records import kind_of
from .judge_columns import is_graded

_ITEMS, _FEWEST_ITEMS, _TEXTS = 300, 30, 4
# So many outputs are looked at before few of them, or none, are one of the right answers; this share of them is few.
_ENOUGH, _SOME, _HARDLY = 10, 4, 0.02
_MOST_NAMED = 6
_LITERAL = "as-is"
_TRIED = ("number", "text", "choice")
# What stands in place of an output, by RE2.
_FAILED = (
    r"^\s*$"
    r"|^\s*[\[(<#*{\"']*"
    r"(?:(?:n/a|nan|null|none|no (?:answer|response|output)|missing|-+|timeout|timed out)[\])>*.!]*\s*$"
    r"|(?:api|http|request|runtime|generation|internal server)?[ _]?(?:error|exception|failure)(?:\b\W|\s*$)"
    r"|(?:request|generation|call) (?:failed|timed out)|traceback \(|rate limit|context length exceeded)"
)
_OF_TARGET = ("text", "answer", "meaning", "loss", "unscored")
_CHECK = "Check how answers are read: the key “answer_kind”, or the choice on page Pool."


def few_matches(loose: Loose) -> str:
    """Return a warning if hardly any output, of all or of one target, is one of the right answers, else empty.

    Of each target a few outputs are read: fewer of each if there are many.
    """
    if "answer" not in loose.columns:
        return ""
    given = loose.columns.get("answer_kind")

    def kind_at(place: int) -> str:
        return _LITERAL if given is None else given[place].as_py() or _LITERAL

    every = Readings.of(loose, kind_at, extracted=True)
    if every.are_few:
        return f"Hardly any output is one of the right answers ({every.said}). {_remedy(loose)}"
    columns = {name: column for name, column in loose.columns.items() if name != "generations"}
    models: dict[str, dict[tuple[str, str], pa.ChunkedArray]] = {}
    for (model, field), column in loose.targets.items():
        models.setdefault(model, {})[model, field] = column
    most = max(_FEWEST_ITEMS, _ITEMS // max(1, len(models)))
    each = {
        model: Readings.of(Loose(columns, targets), kind_at, extracted=True, most=most)
        for model, targets in (models.items() if len(models) > 1 or len(columns) < len(loose.columns) else ())
    }
    few = [f"of {shown(model)} ({one.said})" for model, one in each.items() if one.are_few]
    if not few:
        return ""
    named = listed(few[:_MOST_NAMED] + [f"of {len(few) - _MOST_NAMED:,} more"] * (len(few) > _MOST_NAMED))
    return f"Hardly any output {named} is one of the right answers. {_CHECK}"


def _remedy(loose: Loose) -> str:
    """Return what to do where hardly any output is right: the answer kind that would read most of them, if one does."""
    for kind in _TRIED:
        read = Readings.of(loose, lambda place, kind=kind: kind, extracted=True)  # type: ignore[misc]
        if read.known >= _ENOUGH and 2 * read.known >= read.size:
            how = f"“{TITLES[kind]}” (the answer kind “{kind}”, or the choice on page Pool)"
            return f"Read as {how}, {read.said} would be."
    return _CHECK


def failed_outputs(loose: Loose) -> str:
    """Return a remark on outputs of targets that are an error or “n/a”, and count as wrong; empty for none."""
    if "answer" not in loose.columns:
        return ""
    right = {str(one).strip().casefold() for one in pc.unique(loose.columns["answer"]).to_pylist()}
    known = {model for (model, name), column in loose.targets.items() if name == "loss" and column.null_count == 0}
    said = list[str]()
    for (model, name), column in loose.targets.items():
        if name == "text" and model not in known:
            found = pc.match_substring_regex(column.cast(pa.string()), _FAILED, ignore_case=True)
            found = column.filter(pc.and_(found, loose.columns["answer"].is_valid()))
            texts = [one for one in found.to_pylist() if one.strip().casefold() not in right]
            blank = sum(not one.strip() for one in texts)
            example = next((f" (such as {shown(one, 30)})" for one in texts if one.strip()), "")
            of_model = f"of {shown(model)}{example}"
            if blank < len(texts):
                said.append(f"{counted(len(texts) - blank, 'output')} {of_model}")
            if blank:
                said.append(f"{counted(blank, 'empty output')} of {shown(model)}")
    if not said:
        return ""
    named = listed(
        said[:_MOST_NAMED] + [f"those of {len(said) - _MOST_NAMED:,} more targets"] * (len(said) > _MOST_NAMED)
    )
    null = " (in JSON, write null)" * any("empty output" in one for one in said)
    return f"Counted as wrong: {named}. Leave a cell empty{null} if the model was not asked or its request failed."


def kind_of_item(loose: Loose) -> Callable[[int], str]:
    """Return what chooses the kind of an item by its right answer."""
    answers, options = loose.columns["answer"], loose.columns.get("choices")
    return lambda place: kind_of(answers[place].as_py(), None if options is None else options[place].as_py())


@dataclass(frozen=True, slots=True)
class Readings:
    """Counts of some outputs that are compared.

    Parameters
    ----------
    size : int
        How many there are.
    known : int
        In how many a right answer of the pool is read.
    within : int
        How many of these say more than the answer.
    right : int
        How many outputs of targets are right.
    """

    size: int
    known: int
    within: int
    right: int

    @property
    def are_few(self) -> bool:
        """Whether several outputs are compared, of which hardly any is a right answer."""
        return self.size >= (_ENOUGH if self.known else _SOME) and self.known <= _HARDLY * self.size

    @property
    def said(self) -> str:
        """Return how many of the outputs are right answers, in a sentence."""
        return f"{self.known:,} of {self.size:,}" if self.known else f"none of {self.size:,}"

    @classmethod
    def of(cls, loose: Loose, kind_at: Callable[[int], str], extracted: bool = False, most: int = _ITEMS) -> Readings:
        """Read a few outputs of many items, each by the kind of its item; ``extracted`` answers too."""
        answers, options = loose.columns["answer"], loose.columns.get("choices")
        places = np.flatnonzero(np.asarray(answers.is_valid()))
        chosen = places[np.unique(np.linspace(0, len(places) - 1, min(len(places), most)).astype(int))].tolist()
        right, said, own = set[str | None](), list[tuple[str, str | None]](), 0
        for place in chosen:
            kind, some = kind_at(place), None if options is None else options[place].as_py()
            if kind == OPEN:
                continue
            short = EXTRACTED.get(kind, kind)
            answer = parse(answers[place].as_py(), short, some)
            right.add(answer)
            samples, texts, taken = _outputs(loose, place)
            of_samples, of_texts, of_taken = (
                [(text, parse(text, how, some)) for text in texts_of]
                for texts_of, how in ((samples, kind), (texts, kind), (taken, short))
            )
            own += sum(one is not None and one == answer for _, one in (*of_texts, *of_taken))
            said += [*of_samples, *of_texts, *(of_taken if extracted else ())]
        known = [(text, one) for text, one in said if one is not None and one in right]
        return cls(len(said), len(known), sum(len(text.split()) > len(one.split()) for text, one in known), own)


def _outputs(loose: Loose, place: int) -> tuple[list[str], list[str], list[str]]:
    """Return samples of an item, outputs of targets and their answers, without what is parsed or scored already."""
    samples, texts, answers = list[str](), list[str](), list[str]()
    generations = loose.columns.get("generations")
    parsed = [loose.columns[name] for name in ANSWER_LISTS if name in loose.columns]
    if generations is not None and not any(column[place].is_valid for column in parsed):
        samples += [one for one in (generations[place].as_py() or [])[:_TEXTS] if one]
    for model in dict.fromkeys(model for model, _ in loose.targets):
        text, answer, *settled = (_value(loose, model, name, place) for name in _OF_TARGET)
        if not any(value is not None for value in settled):
            (texts if answer is None else answers).extend(filter(None, [text if answer is None else answer]))
    return samples, texts, answers


def _value(loose: Loose, model: str, name: str, place: int) -> Any:
    column = loose.targets.get((model, name))
    return None if column is None else column[place].as_py()


# Outputs that count as wrong, although they contain one of several right answers of their item.

_SHARE, _LEAST = 0.05, 2
_SCORES = frozenset({"loss", RIGHT, WRONG})


class AcceptedAnswers:
    """Counts the outputs of a file that are compared with lists of right answers, and those that only contain one.

    Parameters
    ----------
    fields : FieldMap
        Where the answers are.
    """

    def __init__(self, fields: FieldMap) -> None:
        self._fields = fields
        self._models = [model for model, paths in fields.targets.items() if _SCORES.isdisjoint(paths)]
        self._compared, self._within, self._first = 0, 0, 0

    def look(self, value: Any, record: Mapping[str, Any], row: int) -> None:
        """Look at the outputs of a row that have been compared."""
        answers = self._fields.right_answers(value, record)
        if len(answers) < 2:
            return
        outcomes = record.get(TARGETS, {})
        for outcome in (outcomes[model] for model in self._models if model in outcomes):
            said = outcome.get("answer") or outcome.get("text")
            if outcome.get("loss") is None or not isinstance(said, str):
                continue
            self._compared += 1
            if outcome["loss"] == 1 and len(said) <= LONGEST and any(holds(said, str(one)) for one in answers):
                self._within, self._first = self._within + 1, self._first or row

    @property
    def remark(self) -> str:
        """A sentence if a share of the outputs contains a right answer and counts as wrong, otherwise empty."""
        if self._within < max(_LEAST, _SHARE * self._compared):
            return ""
        return (
            f"{counted(self._within, 'output')} that count as wrong contain one of several right answers (the first is "
            f"in row {self._first}): an output is right only if it is one of them. Check these, or label the items."
        )


# Right answers that are free texts, which a model may say in other words: equal words tell nothing of them.

# A text of more words may be said otherwise; of long right answers, so few equal ones are copies.
_SHORT = 5
_FEW = 0.1
_MANY = 20
_COMPARED = 300
_WORDED = "text"
_SIGNS = re.compile(r"[\W_]+")


def with_open_answers(loose: Loose, problems: Problems) -> Loose:
    """Give right answers the kind ``open`` if words do not tell, with a note.

    Parameters
    ----------
    loose : Loose
        Columns of a file that does not say itself how its answers are to be read.
    problems : Problems
        Where the note is added.

    Returns
    -------
    Loose
        The same columns but ``answer_kind``.
    """
    pairs = {model: _pairs(loose, model) for model in dict.fromkeys(model for model, _ in loose.targets)}
    compared = {model: some for model, some in pairs.items() if some}
    graded = next((name for name, column in loose.extras.items() if is_graded(name, pc.unique(column))), None)
    if not compared or not (graded or _are_free([pair for some in compared.values() for pair in some])):
        return loose
    kinds = loose.columns["answer_kind"]
    is_worded = np.asarray(kinds.to_numpy()) == _WORDED
    column = pa.array(np.where(is_worded, OPEN, kinds.to_numpy()), TEXT, from_pandas=True)
    numbers = listed([f"{_other_words(some)} of {model}" for model, some in compared.items()])
    why = f"Right answers are free text, and {numbers} have other words."
    if graded:
        why = f"Outputs are graded by letters ({shown(graded)}), and nothing says which of them mean right."
    problems.note(
        f"{why} So right or wrong is not known: label items, or have a judge look at the answers on page Surrogate "
        "(neyman surrogate run --judge). To compare them word by word, have answers read as “text”."
    )
    return Loose({**loose.columns, "answer_kind": pa.chunked_array([column])}, loose.targets, loose.extras, loose.rows)


def _pairs(loose: Loose, model: str) -> list[tuple[str, str]]:
    """Return right answers and outputs of a model that are to be compared by their words, of many items some."""
    answers, kinds = loose.columns.get("answer"), loose.columns.get("answer_kind")
    given = [leaf for name in ("answer", "text") if (leaf := loose.targets.get((model, name))) is not None]
    if answers is None or kinds is None or not given:
        return []
    # What a tool took from the output, and the output of items from which it took nothing.
    texts = pc.coalesce(*given)
    losses = loose.targets.get((model, "loss"))
    worded = np.asarray(kinds.to_numpy()) == _WORDED
    known = np.asarray(answers.is_valid()) & np.asarray(texts.is_valid()) & worded
    if losses is not None:
        known &= np.asarray(losses.is_null())
    left_open = loose.targets.get((model, "unscored"))
    if left_open is not None:
        known &= np.asarray(left_open.is_null())
    places = np.flatnonzero(known)
    chosen = pa.array(places[np.linspace(0, len(places) - 1, min(len(places), _COMPARED)).astype(int)])
    return list(zip(answers.take(chosen).to_pylist(), texts.take(chosen).to_pylist(), strict=True))


def _other_words(pairs: Sequence[tuple[str, str]]) -> str:
    """Return how many outputs are not their right answers word for word."""
    differ = sum(parse(answer, _WORDED) != parse(text, _WORDED) for answer, text in pairs)
    return counted(differ, "output") if differ == len(pairs) else f"{differ:,} of {counted(len(pairs), 'output')}"


def _are_free(pairs: Sequence[tuple[str, str]]) -> bool:
    """Whether texts are long, and none or hardly any output is its right answer."""
    right, said = (median(len(text.split()) for text in texts) for texts in zip(*pairs, strict=True))
    read = [(parse(answer, _WORDED) or "", parse(text, _WORDED) or "") for answer, text in pairs]
    equal = sum(answer == text for answer, text in read)
    if max(right, said) <= _SHORT:
        return equal == 0 and len(pairs) >= _MANY and _may_be_said_otherwise(read)
    return equal <= (_FEW * len(pairs) if right > _SHORT else 0)


def _may_be_said_otherwise(read: Sequence[tuple[str, str]]) -> bool:
    """Whether short answers, none of them right, are of several words, or right but for signs, as “A, C” and “AC”.

    Letters, options, numbers and single words are wrong.
    """
    if any((bare := _SIGNS.sub("", answer)) and bare == _SIGNS.sub("", text) for answer, text in read):
        return True
    right = {answer for answer, _ in read}
    words = max(median(len(text.split()) for text in texts) for texts in zip(*read, strict=True))
    return words > 1 and 2 * sum(text in right for _, text in read) < len(read)
