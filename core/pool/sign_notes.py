"""Remarks on texts that count as equal, though a sign that carries meaning stands in one of them alone.

Brackets, “!”, primes and signs of negation at the ends of a text are not compared, nor are case and leading zeros. Most
are punctuation; where they are not, [0, 2) is taken for [0, 2], 5! for 5, and mW for MW.
"""

from __future__ import annotations

import re
import unicodedata

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..answers.output_parts import without_reasoning
from ..words import counted, shown
from .columns import leaf, models
from .number_notes import OF_POOL, Remedy, answered
from .outcomes import losses
from .parsing import DEFAULT_KIND, contexts
from .stored import StoredTable

# Texts that are looked at: the first of each column; longer ones are no bare answers.
_MOST, _LONGEST = 20_000, 200
_KINDS = frozenset({"text", DEFAULT_KIND})
_PART = r"[^,;()\[\]{}]{1,40}"
_BRACKETS = re.compile(rf"([\[(\]{{])\s*({_PART}(?:[,;]{_PART})+?)\s*([\])\[}}])")
# What stands between brackets that carry meaning: numbers and symbols, no words.
_WORDS = re.compile(r"[^\W\d_]{2,}")
_SYMBOLS = re.compile(r"\\\w+|(?:inf(?:ty|inity)?|pi|sqrt|sin|cos|tan|log|ln|exp)\b", re.IGNORECASE)
_FACTORIAL = re.compile(r"(?:\d|(?<![^\W_])[a-z]|\))!(?![!=\w])")
_QUOTED = re.compile(r"""^(["'“‘«])(.*)(["'”’»])([.,;:?!]*)$""", re.DOTALL)
_PRIMES = re.compile(r"(?:(?<=[\d)])|(?<![^\W\d_]{2})(?<=[^\W\d_]))(['’′\"”″]+)(?![^\W_])")
_NOT = re.compile(r"(?<![\w~!])([~¬!]+)(?=[^\W\d_(])")
# Symbols that mean something else in the other case: o(n) beside O(n), mW beside MW, Gb beside GB.
_CASED = re.compile(r"\b[oO](?=\()|(?<=\d)\s?(?:[mM](?:W|V|A|Hz|N|Pa|J|Wh|Ω|eV)|[MGT][bB])\b")
_ZEROS = re.compile(r"0+(?=\d)")
_POWER = re.compile(r"(?<=[^\W_)])[⁰¹²³⁴-⁹]+")
_AREA = re.compile(r"\d\s?(?:[kcmd]?m|ft|in|mi|yd)\Z")
_TRIMMED = " \t\n*_`$.,;:?"


def sign_notes(
    table: pa.Table | StoredTable, remedy: Remedy = OF_POOL, wrong: NDArray[np.bool_] | None = None
) -> list[str]:
    """Count outputs that count as right although other signs that carry meaning stand in them.

    Parameters
    ----------
    table : pyarrow.Table or StoredTable
        The canonical table with right answers; of long columns the first 20,000 texts count.
    remedy : Remedy
        What is advised.
    wrong : (N,) bool, optional
        Whether the output of the only model counts as wrong, if it is compared otherwise than in a pool.

    Returns
    -------
    list of str
        Sentences, at most one of each model.
    """
    of, truths = contexts(table, None), table.column("answer").slice(0, _MOST).to_pylist()
    if all(one.kind not in _KINDS for one in of.distinct):
        return []
    notes = []
    for model in models(table):
        said, given = answered(table, model), leaf(table, model, "loss")
        if said is None:
            continue
        scores = [None] * len(truths) if given is None else given.slice(0, _MOST).to_pylist()
        texts = said.slice(0, _MOST).to_pylist()
        # Few pairs differ in such signs, and only of these it matters whether they count as equal.
        differ = [
            place
            for place, (text, truth, score) in enumerate(zip(texts, truths, scores, strict=True))
            if text is not None
            and truth is not None
            and score is None
            and text != truth
            and of.distinct[of.of_item[place]].kind in _KINDS
            and has_another_sign(text, truth)
        ]
        if not differ:
            continue
        values = losses(table, model, None) if wrong is None else wrong.astype(np.float64)
        places = [place for place in differ if values[place] == 0]
        if places:
            first = places[0]
            pair = (
                f"item {table.column('id')[first].as_py()}, {shown(texts[first], 30)} beside {shown(truths[first], 30)}"
            )
            notes.append(
                f"{counted(len(places), 'output')} of “{model}” {'counts' if len(places) == 1 else 'count'} as right "
                f"although other signs stand there than in the right answer ({pair}): brackets, “!”, primes, signs of "
                f"negation, leading zeros and case are not compared. If they matter, {remedy.instead}."
            )
    return notes


def has_another_sign(text: str, truth: str) -> bool:
    """Whether two texts that count as equal differ in a sign that carries meaning, and not in punctuation alone."""
    said = without_reasoning(text)
    if len(said) > _LONGEST or len(truth) > _LONGEST or "\\" in said + truth:
        return False
    said, right = (unicodedata.normalize("NFC", _unquoted(one.strip(_TRIMMED))) for one in (said, truth))
    return said != right and (
        _brackets_differ(said, right)
        or _marks_differ(said, right)
        or _case_differs(said, right)
        or (said.isdecimal() and right.isdecimal() and _ZEROS.sub("", said, 1) == _ZEROS.sub("", right, 1))
        or _power_differs(said, right)
        or _power_differs(right, said)
    )


def _unquoted(text: str) -> str:
    """Return a text without the quotes around the whole of it."""
    quoted = _QUOTED.match(text)
    return quoted[2] if quoted else text


def _brackets_differ(said: str, right: str) -> bool:
    """Whether the same numbers or symbols stand between brackets of another kind: [0, 2) beside [0, 2]."""
    meant = {_squeezed(one[2]): one[1] + one[3] for one in _BRACKETS.finditer(right) if _is_symbolic(one[2])}
    given = {_squeezed(one[2]): one[1] + one[3] for one in _BRACKETS.finditer(said) if _is_symbolic(one[2])}
    return any(within in meant and meant[within] != pair for within, pair in given.items())


def _is_symbolic(text: str) -> bool:
    return not _WORDS.search(_SYMBOLS.sub("", text))


def _marks_differ(said: str, right: str) -> bool:
    """Whether “!”, primes or signs of negation stand in one of two texts alone; a sentence may end in “5!”."""
    meant = len(_FACTORIAL.findall(right))
    factorials = bool(meant or not _WORDS.search(said)) and len(_FACTORIAL.findall(said)) != meant
    primes = [sorted(map(_strokes, _PRIMES.findall(one))) for one in (said, right)]
    negations = [sorted(_NOT.findall(one)) for one in (said, right)]
    is_bare = not _WORDS.search(said) or bool(primes[1] or negations[1])
    return factorials or (is_bare and (primes[0] != primes[1] or negations[0] != negations[1]))


def _strokes(primes: str) -> int:
    """Return how many strokes primes have."""
    return sum(2 if sign in '"”″' else 1 for sign in primes)


def _case_differs(said: str, right: str) -> bool:
    """Whether a symbol stands in another case: o(n) beside O(n), 5 mW beside 5 MW."""
    given, meant = (["".join(one.split()) for one in _CASED.findall(text)] for text in (said, right))
    return bool(meant) and len(given) == len(meant) and given != meant


def _power_differs(said: str, right: str) -> bool:
    """Whether a power in one text is a digit in the other: x² beside x2; 5 m2 is 5 m²."""
    powers = list(_POWER.finditer(said))
    if not powers or _AREA.search(said[: powers[0].start()]):
        return False
    return _squeezed(unicodedata.normalize("NFKC", said)) == _squeezed(right)


def _squeezed(text: str) -> str:
    return "".join(text.split()).casefold()
