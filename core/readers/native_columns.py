"""Complete a native pool: facts under other tools' names, and kinds by which raw outputs become answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from ..answers import EXTRACTED, OPEN, parse
from ..pool.columns import ANSWER_LISTS, COLUMNS, TEXT, Completion, Loose
from ..pool.problems import Problems, shown
from ..pool.values import native
from ..words import counted, listed
from .answers import kind_of
from .field_map import FieldMap
from .first_rows import LOOKED_AT
from .free_texts import with_open_answers
from .guess import Guess
from .judge_columns import verdict_like
from .lettering import with_letters
from .text_paths import is_called_question
from .truths import with_words_of_sentences

_NAMED = {"prompt": "the prompt", "answer": "the right answer"}
_ITEMS, _TEXTS = 300, 4
# Shares of outputs: so few are compared word for word with no use, and so many more are read by another kind.
_FEW, _MORE = 0.1, 0.1
_HARDLY, _ENOUGH = 0.02, 10
_LITERAL = "as-is"
_OF_TARGET = ("text", "answer", "meaning", "loss", "unscored")
_KINDS = {"number": "numbers", "choice": "letters of options", "text": "short texts"}


def completed(says_unread: bool, names: bool = True) -> Completion:
    """Return what completes the columns of a native pool.

    Parameters
    ----------
    names : bool
        Whether questions and right answers may have other names. In a pool that Neyman wrote they have none: reading it
        again must give the same items.
    says_unread : bool
        Whether a note names what looks like outputs or scores and is not read.
    """

    def complete(loose: Loose, problems: Problems) -> Loose:
        # A kind that the file names is its author's.
        named = with_names(loose, says_unread, problems) if names and loose.extras else loose
        kinds = with_answer_kinds(named, problems) if "answer_kind" not in loose.columns else named
        problems.note(few_matches(kinds))
        return kinds

    return complete


def with_names(loose: Loose, says_unread: bool, problems: Problems) -> Loose:
    """Take questions and right answers that have other tools' names, and name what else looks like outputs or scores.

    Parameters
    ----------
    loose : Loose
        The columns of a native pool.
    says_unread : bool
        As for `completed`.
    problems : Problems
        Where notes are added.

    Returns
    -------
    Loose
        With these columns under their native names.
    """
    first = {name: column.slice(0, LOOKED_AT).to_pylist() for name, column in {**loose.columns, **loose.extras}.items()}
    guess = Guess({name: values for name, values in first.items() if any(one is not None for one in values)})
    fields = guess.field_map("")
    columns, extras, taken = dict(loose.columns), dict(loose.extras), list[str]()
    for name, called in _NAMED.items():
        paths = fields.parts(name) if name not in columns else ()
        if len(paths) == 1 and paths[0] in extras and (name != "prompt" or is_called_question(paths[0])):
            values = extras.pop(paths[0]).to_pylist()
            rows = [loose.row(place) for place in range(len(values))]
            columns[name] = pa.chunked_array([native(name, values, COLUMNS[name], rows, problems, paths[0])], TEXT)
            taken.append(f"{shown(paths[0])} is read as {called}")
    if taken:
        problems.note(f"{listed(taken)}, which a pool calls {listed([f'“{name}”' for name in _NAMED])}.")
    targets = [path for paths in fields.targets.values() for path in paths.values()]
    doubted = [one.path for doubt in guess.doubts for one in doubt.candidates]
    seen = dict.fromkeys([*targets, *doubted, *sorted(verdict_like(guess.rows, fields.paths()))])
    unread = [name for name in seen if name in extras and name not in fields.judging]
    if unread and says_unread:
        problems.note(
            f"{listed(list(map(shown, unread[:8])))} {'looks' if len(unread) == 1 else 'look'} like outputs or scores, "
            "but a pool calls them by other names, so they are kept and not read. Say what they are: “Change the "
            "fields” on page Pool, or neyman pool map FILE --target MODEL:text=COLUMN."
        )
    return Loose(columns, loose.targets, extras, loose.rows)


def with_answer_kinds(loose: Loose, problems: Problems) -> Loose:
    """Choose the kind of each right answer if outputs hold more than the answers, so that word for word few agree.

    Parameters
    ----------
    loose : Loose
        The columns of a native pool without kinds.
    problems : Problems
        Where a note is added if kinds are chosen.

    Returns
    -------
    Loose
        With the column ``answer_kind``, or as before.
    """
    if "answer" not in loose.columns:
        return loose
    read, literal = _Readings.of(loose, _kind_at(loose)), _Readings.of(loose, lambda place: _LITERAL)
    is_raw = read.within > _MORE * read.size or read.right - literal.right > _HARDLY * read.size
    if not is_raw and literal.known >= max(1, _FEW * literal.size):
        return loose
    pairs = zip(loose.columns["answer"].to_pylist(), _options(loose), strict=True)
    kinds = [None if answer is None else kind_of(answer, some) for answer, some in pairs]
    column = pa.chunked_array([pa.array(kinds, TEXT)], TEXT)
    guessed = Loose({**loose.columns, "answer_kind": column}, loose.targets, loose.extras, loose.rows)
    of_trial = Problems()
    lettered = with_letters(guessed, FieldMap({}), of_trial)
    worded = with_words_of_sentences(lettered, of_trial)
    chosen = with_open_answers(worded, of_trial)
    is_said = worded is not lettered or lettered.columns["answer"] is not guessed.columns["answer"]
    if not (is_raw or is_said) and OPEN not in chosen.columns["answer_kind"].unique().to_pylist():
        # Answers that a parser found are other ones, or are written otherwise.
        return loose
    for note in of_trial.notes:
        problems.note(note)
    if is_raw:
        counts = Counter(chosen.columns["answer_kind"].to_pylist())
        named = [f"{counted(counts[kind], 'item')} as {plural}" for kind, plural in _KINDS.items() if counts[kind]]
        problems.note(
            f"Outputs say more than the right answers or write them otherwise, so they are not compared word for word: "
            f"{listed(named)}. To read them in another way, add the key “answer_kind” or choose it on page Pool."
        )
    return chosen


def few_matches(loose: Loose) -> str:
    """Return a warning if hardly any output is one of the right answers, else empty."""
    if "answer" not in loose.columns:
        return ""
    given = loose.columns.get("answer_kind")
    read = _Readings.of(loose, lambda place: _LITERAL if given is None else given[place].as_py() or _LITERAL, True)
    if read.size < _ENOUGH or read.known > _HARDLY * read.size:
        return ""
    few = f"{read.known:,} of {read.size:,}" if read.known else f"none of {read.size:,}"
    return (
        f"Hardly any output is one of the right answers ({few}). Check how answers are read: the key “answer_kind”, or "
        "the choice on page Pool."
    )


def _kind_at(loose: Loose) -> Callable[[int], str]:
    """Return what chooses the kind of an item by its right answer."""
    answers, options = loose.columns["answer"], loose.columns.get("choices")
    return lambda place: kind_of(answers[place].as_py(), None if options is None else options[place].as_py())


@dataclass(frozen=True, slots=True)
class _Readings:
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

    @classmethod
    def of(cls, loose: Loose, kind_at: Callable[[int], str], extracted: bool = False) -> _Readings:
        """Read a few outputs of many items, each by the kind of its item; ``extracted`` answers too."""
        answers, options = loose.columns["answer"], loose.columns.get("choices")
        places = np.flatnonzero(np.asarray(answers.is_valid()))
        chosen = places[np.unique(np.linspace(0, len(places) - 1, min(len(places), _ITEMS)).astype(int))].tolist()
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


def _options(loose: Loose) -> list[list[str] | None]:
    column = loose.columns.get("choices")
    return [None] * loose.size if column is None else column.to_pylist()
