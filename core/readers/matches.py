"""Outputs beside right answers: how many say one of them, answers that are free texts, and cells without an answer.

If the outputs that no tool has scored say none of them in the same words, right or wrong stays unknown (the answer kind
``open``) until people or a judge say so: compared word by word, the model would be wrong everywhere. It does as well if
somebody has graded the outputs by letters: A may be right, or just the best mark.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..answers import EXTRACTED, OPEN, TITLES, parse
from ..files.foreign_names import plain_key
from ..pool.columns import ANSWER_LISTS, TARGETS, TEXT, Loose
from ..pool.near_misses import LONGEST, holds
from ..pool.problems import Problems, shown
from ..words import counted, listed
from ..words.verdict_words import spelling
from . import field_map
from .field_map import RIGHT, WRONG, FieldMap
from .field_names import is_of_people
from .joining import MODEL
from .json_records import FileRow, kind_of, text_of
from .judge_columns import is_graded
from .model_names import says_right
from .verdicts import number, says_nothing

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
    said = list[str]()
    for (model, name), column in loose.targets.items():
        if name == "text":
            found = pc.match_substring_regex(column.cast(pa.string()), _FAILED, ignore_case=True)
            found = pc.and_(found, loose.columns["answer"].is_valid())
            # Whoever scored an output, or left its score open, does not compare it.
            if (loss := loose.targets.get((model, "loss"))) is not None:
                found = pc.and_(found, loss.is_null())
            if (unscored := loose.targets.get((model, "unscored"))) is not None:
                found = pc.and_(found, pc.invert(pc.fill_null(unscored.cast(pa.bool_()), False)))
            found = column.filter(found)
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


# Cells and rows of a table that hold no answer: “N/A” as a right answer, errors as outputs, “gold” as a model.

_ANSWER, _CHOICES = "answer", "choices"
# What spreadsheets write in place of a value, and others in a cell that is to be filled, beside words for no value.
_CELLS = "#ref! #value! #name? #div/0! #null! #num! tbd todo missing (missing) (none) (blank) -- – — … ... ???"
_MISSING = frozenset(map(spelling, _CELLS.split()))
# A chemical element.
_SODIUM = "Na"
# Answers of so few words, each of several items, are classes.
_CLASSES, _EACH = 10, 2
_LOOKED_AT, _MOST_WORDS = 1_000, 4


def without_missing_answers(loose: Loose, problems: Problems) -> Loose:
    """Empty the right answers that say that there is none, with a note.

    Parameters
    ----------
    loose : Loose
        The columns of a file.
    problems : Problems
        Where the note is added.

    Returns
    -------
    Loose
        The same columns but ``answer``.
    """
    if _ANSWER not in loose.columns:
        return loose
    texts = [column for (_, name), column in loose.targets.items() if name in ("text", "answer")]
    if "generations" in loose.columns:
        texts.append(pc.list_flatten(loose.columns["generations"].slice(0, _LOOKED_AT)))
    ids = loose.columns.get("id")
    column = emptied(loose.columns[_ANSWER], loose.columns.get(_CHOICES), texts, ids, problems)
    return replace(loose, columns={**loose.columns, _ANSWER: column})


def emptied(
    answer: pa.ChunkedArray,
    choices: pa.ChunkedArray | None,
    outputs: Sequence[pa.ChunkedArray],
    ids: pa.ChunkedArray | None,
    problems: Problems,
) -> pa.ChunkedArray:
    """Return right answers without those that say that there is none.

    An answer that is an option of its item stays, a class that outputs say as well, and what most answers are.

    Parameters
    ----------
    answer : (N,) ChunkedArray
        The right answers.
    choices : (N,) ChunkedArray or None
        The options of each item.
    outputs : sequence of ChunkedArray
        What models said.
    ids : (N,) ChunkedArray or None
        The name of each item, which may have several rows.
    problems : Problems
        Where the note is added.
    """
    words = {one: spelling(one) for one in pc.unique(answer).to_pylist() if one and _is_missing(one)}
    if not words:
        return answer
    given = answer.to_pylist()
    others = Counter(one for one in given if one and one not in words)
    if len(given) - given.count(None) > 2 * others.total():
        return answer
    if others and len(others) <= _CLASSES and min(others.values()) >= _EACH:
        said = _words(outputs)
        words = {one: word for one, word in words.items() if word not in said}
    options = [None] * len(given) if choices is None else choices.to_pylist()
    pairs = enumerate(zip(given, options, strict=True))
    places = [place for place, (one, some) in pairs if one in words and words[one] not in map(spelling, some or ())]
    if not places:
        return answer
    names = [place if ids is None else ids[place].as_py() for place in places]
    named = [shown(one) for one in dict.fromkeys(str(given[place]) for place in places)]
    named = named[:_MOST_WORDS] + ["the like"] * (len(named) > _MOST_WORDS)
    problems.note(
        f"{counted(len(set(names)), 'item has', 'items have')} {listed(named)} in place of a right answer"
        f"{'' if ids is None else f' (the first is item {names[0]})'}: right or wrong is unknown there."
    )
    empty = set(places)
    values = [None if place in empty else one for place, one in enumerate(given)]
    return pa.chunked_array([pa.array(values, TEXT)])


def _is_missing(text: str) -> bool:
    return (says_nothing(text) and text.strip() != _SODIUM) or spelling(text) in _MISSING


def _words(outputs: Iterable[pa.ChunkedArray]) -> set[str]:
    """Return what models said, as words are compared."""
    return {spelling(text) for column in outputs for text in column.cast(TEXT).to_pylist() if text}


_ERRORS = frozenset({"error", "errors", "errormessage", "errormsg", "errortext", "exception", "failurereason"})


class FailedRequests:
    """Leaves the outcome of rows open that have no output, but the text of an error.

    Parameters
    ----------
    fields : FieldMap
        Where outputs are.
    """

    def __init__(self, fields: FieldMap) -> None:
        self._models = [model for model, paths in fields.targets.items() if field_map.TEXT in paths]
        self._used = {*fields.paths()}
        self._rows, self._first, self._error = 0, 0, ""

    def leave_open(self, value: Mapping[str, Any], record: Mapping[str, Any], row: int) -> None:
        """Say in the record of a row that nobody scored the outputs that an error stands for."""
        outcomes = [one for model in self._models if (one := record.get(TARGETS, {}).get(model)) is not None]
        if len(outcomes) != 1 or str(outcomes[0].get("text") or "").strip() or not (error := self._error_in(value)):
            return
        outcomes[0] |= {"text": None, "loss": None, "unscored": True}
        self._rows += 1
        self._first, self._error = self._first or row, self._error or error

    def _error_in(self, value: Mapping[str, Any]) -> str:
        named = (one for key, one in value.items() if plain_key(key) in _ERRORS and key not in self._used)
        texts = [one.strip() for one in named if isinstance(one, str) and number(one) is None]
        return next((one for one in texts if not says_nothing(one)), "")

    @property
    def remark(self) -> str:
        """Say how many rows have an error and no output; "" for none."""
        if not self._rows:
            return ""
        return (
            f"{counted(self._rows, 'row has', 'rows have')} an error in place of an output (the first is row "
            f"{self._first}: {shown(self._error, 40)}), so right or wrong is unknown there."
        )


# What may be the name of a system, too.
_MAY_BE_MODELS = frozenset({"oracle", "key", "official"})


def with_right_answers(
    rows: Sequence[FileRow], item_of: Callable[[dict[str, Any]], Any], problems: Problems
) -> list[FileRow]:
    """Take what is called as right out of the models, and give it to the rows of its item as their right answer.

    Parameters
    ----------
    rows : sequence of (int, dict)
        Place in the file, and record with its model and outcome.
    item_of : callable
        Returns what names the item of a record.
    problems : Problems
        Where notes are added.

    Returns
    -------
    list of (int, dict)
        The rows of models; all rows if no other model is among them.
    """
    names = dict.fromkeys(str(record.get(MODEL)) for _, record in rows if record.get(MODEL) is not None)
    called = [name for name in names if says_right(name) and name.strip().casefold() not in _MAY_BE_MODELS]
    if people := [name for name in names if is_of_people(name)] if len(names) > 1 and not called else []:
        problems.note(_of_people(people, rows))
    if not called or len(called) == len(names):
        return list(rows)
    answers, kept, used = dict[Any, str | None](), list[FileRow](), list[int]()
    truths = [(row, record) for row, record in rows if str(record.get(MODEL)) in called]
    for _, record in truths:
        answers[item_of(record)] = answers.get(item_of(record)) or _text(record)
    for row, record in rows:
        if str(record.get(MODEL)) not in called:
            answer = answers.get(item_of(record)) if record.get("answer") is None else None
            used += [row] * (answer is not None)
            kept.append((row, record if answer is None else {**record, "answer": answer}))
    for row, _ in truths:
        if used:
            problems.tally.complete(row)
        else:
            problems.tally.leave_out("rows of right answers among those of models", row)
    read = "they are read as the right answers" if used else "they are left out"
    problems.note(
        f"{counted(len(truths), 'row is', 'rows are')} called {listed(list(map(shown, called)))} where others name a "
        f"model: {read}. If that is a model, name it otherwise in the file."
    )
    return kept


def _text(record: dict[str, Any]) -> str | None:
    """Return the output of a row, or the first of its samples."""
    outcome: dict[str, Any] = next(iter(record.get(TARGETS, {}).values()), {})
    said = outcome.get("text") or outcome.get("answer") or next(iter(record.get("generations") or ()), None)
    return None if said is None or not str(said).strip() else text_of(said)


def _of_people(people: Sequence[str], rows: Sequence[FileRow]) -> str:
    """Say that what people answered is read as a model's outputs; "" if right answers or scores are known."""
    outcomes = [one for _, record in rows for one in record.get(TARGETS, {}).values()]
    if any(one.get("loss") is not None for one in outcomes) or any(record.get("answer") for _, record in rows):
        return ""
    named = listed(list(map(shown, people)))
    return (
        f"{named} {'is' if len(people) == 1 else 'are'} read as a model. If these are the right answers, call them "
        "“gold” in the file."
    )
