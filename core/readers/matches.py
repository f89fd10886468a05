"""Outputs beside right answers: how many say one of them, word for word or by the kind of each answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..answers import EXTRACTED, OPEN, TITLES, parse
from ..pool.columns import ANSWER_LISTS, Loose
from ..pool.problems import shown
from ..words import counted, listed
from .answers import kind_of

_ITEMS, _FEWEST_ITEMS, _TEXTS = 300, 30, 4
# So many outputs are looked at before few of them, or none, are one of the right answers; this share of them is few.
_ENOUGH, _SOME, _HARDLY = 10, 4, 0.02
_MOST_NAMED = 6
_LITERAL = "as-is"
_TRIED = ("number", "text", "choice")
# What stands in place of an output, by RE2.
_FAILED = (
    r"^\s*$"
    r"|^\s*[\[(<#*]*(?:(?:n/a|nan|null|none|no (?:answer|response|output)|missing|-+|timeout|timed out)[\])>*.!]*\s*$"
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
