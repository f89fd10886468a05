"""Right answers that are yes or no, true or false, beside outputs that say the other pair or whole sentences."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import chain

import pyarrow as pa
import pyarrow.compute as pc

from ..answers import parse
from ..answers.free_texts import said_text, yes_or_no
from ..answers.languages import NO, YES
from ..pool.columns import TEXT, TEXTS, Loose
from ..pool.problems import Problems
from ..words import listed
from ..words.verdict_words import SAYS_RIGHT

_LOOKED_AT = 200
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
