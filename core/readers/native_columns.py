"""What a native pool leaves open: facts under other tools' names, and how raw outputs become answers."""

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
from .free_texts import with_open_answers
from .shape import Shape
from .truths import with_words_of_sentences

_NAMED = {"prompt": "the prompt", "answer": "the right answer"}
_ITEMS, _TEXTS = 300, 4
# Shares of outputs: so few are compared word for word with no use, and so many more are read by another kind.
_FEW, _MORE = 0.1, 0.1
_HARDLY, _ENOUGH = 0.02, 10
_LITERAL = "as-is"
_OF_TARGET = ("text", "answer", "meaning", "loss", "unscored")
_KINDS = {"number": "numbers", "choice": "letters of options", "text": "short texts"}


def completed(shape: Callable[[], Shape | None], says_unread: bool) -> Completion:
    """Return what completes the columns of a native pool.

    Parameters
    ----------
    shape : callable
        Looks at its file, if there is need to.
    says_unread : bool
        Whether a note names what looks like outputs or scores and is not read.
    """

    def complete(loose: Loose, problems: Problems) -> Loose:
        # A kind that the file names is its author's.
        named = with_names(loose, shape, says_unread, problems)
        kinds = with_answer_kinds(named, problems) if "answer_kind" not in loose.columns else named
        problems.note(few_matches(kinds))
        return kinds

    return complete


def with_names(loose: Loose, shape: Callable[[], Shape | None], says_unread: bool, problems: Problems) -> Loose:
    """Take questions and right answers that have other tools' names, and name what else looks like outputs or scores.

    Parameters
    ----------
    loose : Loose
        The columns of a native pool.
    shape : callable
        Looks at its file; None if that has no rows.
    says_unread : bool
        As for `completed`.
    problems : Problems
        Where notes are added.

    Returns
    -------
    Loose
        With these columns under their native names.
    """
    looked = shape() if loose.extras else None
    if looked is None:
        return loose
    columns, extras, taken = dict(loose.columns), dict(loose.extras), list[str]()
    for name, called in _NAMED.items():
        paths = looked.guess.parts(name)
        if name not in columns and len(paths) == 1 and paths[0] in extras:
            values = extras.pop(paths[0]).to_pylist()
            rows = [loose.row(place) for place in range(len(values))]
            columns[name] = pa.chunked_array([native(name, values, COLUMNS[name], rows, problems, paths[0])], TEXT)
            taken.append(f"{shown(paths[0])} is read as {called}")
    if taken:
        problems.note(f"{listed(taken)}, which a pool calls {listed([f'“{name}”' for name in _NAMED])}.")
    targets = [path for paths in looked.guess.targets.values() for path in paths.values()]
    doubted = [one.path for doubt in looked.doubts for one in doubt.candidates]
    verdicts = [place.path for place in looked.places if place.is_verdict]
    judging = set(looked.guess.judging)
    unread = [name for name in dict.fromkeys([*targets, *doubted, *verdicts]) if name in extras and name not in judging]
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
    is_raw = read.within > _MORE * read.size
    if not is_raw and literal.known >= max(1, _FEW * literal.size):
        return loose
    pairs = zip(loose.columns["answer"].to_pylist(), _options(loose), strict=True)
    kinds = [None if answer is None else kind_of(answer, some) for answer, some in pairs]
    column = pa.chunked_array([pa.array(kinds, TEXT)], TEXT)
    guessed = Loose({**loose.columns, "answer_kind": column}, loose.targets, loose.extras, loose.rows)
    of_trial = Problems()
    worded = with_words_of_sentences(guessed, of_trial)
    chosen = with_open_answers(worded, of_trial)
    if not is_raw and worded is guessed and OPEN not in chosen.columns["answer_kind"].unique().to_pylist():
        # Answers that a parser found are other ones, or are written otherwise.
        return loose
    for note in of_trial.notes:
        problems.note(note)
    if is_raw:
        counts = Counter(chosen.columns["answer_kind"].to_pylist())
        named = [f"{counted(counts[kind], 'item')} as {plural}" for kind, plural in _KINDS.items() if counts[kind]]
        problems.note(
            f"Outputs say more than the right answers, so answers are taken out of them: {listed(named)}. To read "
            "them in another way, add the key “answer_kind” or choose it on page Pool."
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
    """

    size: int
    known: int
    within: int

    @classmethod
    def of(cls, loose: Loose, kind_at: Callable[[int], str], extracted: bool = False) -> _Readings:
        """Read a few outputs of many items, each by the kind of its item; ``extracted`` answers too."""
        answers, options = loose.columns["answer"], loose.columns.get("choices")
        places = np.flatnonzero(np.asarray(answers.is_valid()))
        chosen = places[np.unique(np.linspace(0, len(places) - 1, min(len(places), _ITEMS)).astype(int))].tolist()
        right, said = set[str | None](), list[tuple[str, str | None]]()
        for place in chosen:
            kind, some = kind_at(place), None if options is None else options[place].as_py()
            if kind == OPEN:
                continue
            short = EXTRACTED.get(kind, kind)
            right.add(parse(answers[place].as_py(), short, some))
            texts, own = _outputs(loose, place)
            said += [(text, parse(text, kind, some)) for text in texts]
            said += [(text, parse(text, short, some)) for text in own if extracted]
        known = [(text, one) for text, one in said if one is not None and one in right]
        return cls(len(said), len(known), sum(len(text.split()) > len(one.split()) for text, one in known))


def _outputs(loose: Loose, place: int) -> tuple[list[str], list[str]]:
    """Return outputs of an item that are to be read, and answers of targets; without those that a score settles."""
    texts, answers = list[str](), list[str]()
    generations = loose.columns.get("generations")
    parsed = [loose.columns[name] for name in ANSWER_LISTS if name in loose.columns]
    if generations is not None and not any(column[place].is_valid for column in parsed):
        texts += [one for one in (generations[place].as_py() or [])[:_TEXTS] if one]
    for model in dict.fromkeys(model for model, _ in loose.targets):
        text, answer, *settled = (_value(loose, model, name, place) for name in _OF_TARGET)
        if not any(value is not None for value in settled):
            (texts if answer is None else answers).extend(filter(None, [text if answer is None else answer]))
    return texts, answers


def _value(loose: Loose, model: str, name: str, place: int) -> Any:
    column = loose.targets.get((model, name))
    return None if column is None else column[place].as_py()


def _options(loose: Loose) -> list[list[str] | None]:
    column = loose.columns.get("choices")
    return [None] * loose.size if column is None else column.to_pylist()
