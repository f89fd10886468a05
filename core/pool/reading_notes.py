"""Remarks on how the answers of a pool are read.

Outputs that run on, formulas that are left to their spelling, right answers in outputs that count as wrong, answers
that are numbered from 0 beside 1, and losses on another scale than 0 to 1.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..answers import OFFICIAL, TITLES, cut_changes, parse
from ..answers.formulas import formula_key, is_computed, is_formula
from ..answers.output_parts import NO_LETTER, pattern, without_reasoning
from ..words import counted
from .columns import leaf, lengths, models
from .near_misses import LONGEST, MISSES, holds, is_same_date, is_same_json, is_same_time, miss
from .number_notes import OF_POOL, Remedy, answered, number_notes
from .option_labels import letter_of, names_only
from .other_words import classes_of, other_words
from .outcomes import in_unit, losses
from .parsing import DEFAULT_KIND, Context, Contexts, contexts
from .problems import shown
from .sign_notes import sign_notes
from .stored import StoredTable

# Texts that are looked at: the first of each column.
_MOST = 20_000
Way = Callable[[str, str], bool]
_WORDED, _LETTER = "text", "choice"
_CAPITAL = re.compile(r"[A-J]")
_ZERO = re.compile(r"\W*(?:(?:option|choice|answer)\W*)?0\W*", re.IGNORECASE)
# A right answer of more words is a sentence.
_WORD, _SEVERAL = re.compile(r"[^\W\d_]{2,}"), 5
# Kinds whose right answers are looked for in outputs that count as wrong.
_LOOKED_FOR = frozenset({_WORDED, "number", DEFAULT_KIND})
_SHARE, _LEAST = 0.05, 2
# Ways to miss of which one output is worth a word: it is right; and verbs of what one output does.
_CERTAIN = frozenset({is_same_date, is_same_time, is_same_json})
_SINGULAR = {"name": "names", "are": "is"}
UNGRADED = "The pool has outputs, but no right answers and no scores."
_ADD = "add right answers under the key “answer”"
_CHOOSE = (
    "choose the field of the right answers (“Change the fields” on page Pool; in a shell: neyman pool map FILE "
    "--answer PATH)"
)


def reading_notes(table: pa.Table | StoredTable, is_mapped: bool = False) -> tuple[str, ...]:
    """Say where outputs run on under official rules, and where losses may be others than meant.

    Parameters
    ----------
    table : pyarrow.Table or StoredTable
        The canonical table; of long columns the first 20,000 texts count.
    is_mapped : bool, default False
        Whether the pool is of a file of another shape, whose fields were chosen.

    Returns
    -------
    tuple of str
        Sentences; () if there is nothing to say.
    """
    compared = answer_notes(table) if _has_answers(table) else ()
    doubts = (*_ungraded(table, is_mapped), *_outside_unit(table), *compared)
    if "answer_kind" not in table.column_names:
        return doubts
    kinds = set(pc.unique(table.column("answer_kind")).to_pylist())
    notes = _run_on(table) if kinds & set(OFFICIAL) else []
    return (*doubts, *notes, *(_formulas(table) if _WORDED in kinds and "answer" in table.column_names else []))


def answer_notes(
    table: pa.Table | StoredTable,
    remedy: Remedy = OF_POOL,
    wrong: NDArray[np.bool_] | None = None,
    beside: Collection[Way] = (),
) -> tuple[str, ...]:
    """Say where outputs beside right answers may count as wrong, or as right, by their spelling alone.

    Parameters
    ----------
    table : pyarrow.Table or StoredTable
        The canonical table with right answers; of long columns the first 20,000 texts count.
    remedy : Remedy
        What is advised.
    wrong : (N,) bool, optional
        Whether the output of the only model counts as wrong, if it is compared otherwise than in a pool.
    beside : collection of callables
        Ways of `core.pool.near_misses.MISSES` of which nothing is said, since somebody else does.
    """
    return (
        *_nearly_right(table, remedy, wrong, beside),
        *number_notes(table, remedy),
        *sign_notes(table, remedy, wrong),
    )


def _has_answers(table: pa.Table | StoredTable) -> bool:
    return "answer" in table.column_names and table.column("answer").null_count < table.num_rows


def _ungraded(table: pa.Table | StoredTable, is_mapped: bool) -> list[str]:
    """Say what to do with outputs that nothing grades: no item has a right answer, and no model a loss."""
    named = models(table)
    has_outputs = "generations" in table.column_names or any(answered(table, model) is not None for model in named)
    given = (leaf(table, model, "loss") for model in named)
    if not has_outputs or _has_answers(table) or any(one is not None and one.null_count < len(one) for one in given):
        return []
    add = _CHOOSE if is_mapped else _ADD
    return [f"{UNGRADED} Have a few items labelled (pages Plan and Label), or {add}."]


def _outside_unit(table: pa.Table | StoredTable) -> list[str]:
    """Name targets whose given losses do not lie between 0 and 1."""
    notes = []
    for model in models(table):
        column = leaf(table, model, "loss")
        values = np.empty(0) if column is None else np.asarray(column.to_numpy(), dtype=np.float64)
        known = values[~np.isnan(values)]
        if known.size and not in_unit(known):
            notes.append(
                f"Losses of “{model}” lie between {known.min():g} and {known.max():g}. Accuracy needs 0 (right) to 1 "
                "(wrong): divide them by their largest value, or use their mean and no accuracy."
            )
    return notes


def _nearly_right(
    table: pa.Table | StoredTable, remedy: Remedy, wrong: NDArray[np.bool_] | None, beside: Collection[Way]
) -> list[str]:
    """Count short outputs that count as wrong, but may be the right answer in another spelling."""
    of, truths = contexts(table, None), table.column("answer").slice(0, _MOST).to_pylist()
    offered = table.column("choices").slice(0, _MOST).to_pylist() if "choices" in table.column_names else None
    # Without options in the file, all right answers are letters of some.
    are_letters = all(map(_CAPITAL.fullmatch, filter(None, truths)))
    classes, notes = classes_of(truths), []
    for model in models(table):
        said, given = answered(table, model), leaf(table, model, "loss")
        if said is None:
            continue
        others, texts = list[str](), said.slice(0, _MOST).to_pylist()
        values = losses(table, model, None) if wrong is None else wrong.astype(np.float64)
        compared = ~np.isnan(values) & (True if given is None else np.asarray(given.is_null()))
        least = max(_LEAST, _SHARE * compared[: len(texts)].sum())
        named, zeros, unnamed = list[int](), list[int](), list[int]()
        missed: dict[Way, list[int]] = {way: [] for way in MISSES}
        for place in np.flatnonzero((compared & (values == 1))[: len(texts)]).tolist():
            text, truth = texts[place] or "", truths[place]
            kind, options = of.distinct[of.of_item[place]].kind, of.distinct[of.of_item[place]].choices or ()
            text = without_reasoning(text)
            if kind == DEFAULT_KIND and truth is not None:
                options = tuple((offered[place] if offered is not None else None) or ())
                name = letter_of(truth, options) or (truth if are_letters and not options else "")
                if name and (names_only(text, name, options) or parse(text, _LETTER, options or None) == name):
                    named.append(place)
                    continue
            if kind == _LETTER and truth is not None:
                if names_only(text, truth.strip(), options):
                    named.append(place)
                elif options and _ZERO.fullmatch(text) and parse("1", _LETTER, options):
                    zeros.append(place)
                elif not options and pattern(text, _LETTER) == NO_LETTER and parse(text, _LETTER) is None:
                    unnamed.append(place)
            if len(text) > LONGEST or kind not in _LOOKED_FOR:
                continue
            if (
                (way := miss(text, truth)) is not None
                and way not in beside
                and not (way is holds and parse(text, _WORDED) in classes)
            ):
                missed[way].append(place)
            elif way is None:
                others.append(text)
        if len(named) >= least:
            is_letter = of.distinct[of.of_item[named[0]]].kind == _LETTER
            how = "check how answers are read" if is_letter else "have them read as letters, the kind “choice”"
            notes.append(
                f"{len(named):,} outputs of “{model}” that count as wrong name the right option and no other, such as "
                f"{shown(texts[named[0]])} beside {shown(truths[named[0]])} (item "
                f"{table.column('id')[named[0]].as_py()}): {how} ({remedy.where}), or "
                f"{remedy.instead}."
            )
        if len(unnamed) >= least:
            notes.append(
                f"{len(unnamed):,} outputs of “{model}” that count as wrong hold no letter, such as "
                f"{shown(texts[unnamed[0]])} beside {shown(truths[unnamed[0]])} (item "
                f"{table.column('id')[unnamed[0]].as_py()}), and options are not known. If these are texts of options, "
                "give each item its options as a list (the key “choices”), or label these items."
            )
        if zeros:
            notes.append(
                f"{counted(len(zeros), 'output')} of “{model}” {'is' if len(zeros) == 1 else 'are'} 0 (first: item "
                f"{table.column('id')[zeros[0]].as_py()}), and outputs that are numbers are read as numbers of "
                "options from 1. If they count from 0, write them as letters."
            )
        notes += _worded(model, texts, truths, values, compared, of)
        notes += other_words(model, others, classes, int(compared[: len(texts)].sum()))
        for way, places in missed.items():
            if len(places) >= (1 if way in _CERTAIN else least):
                pair = f"{shown(texts[places[0]])} beside {shown(truths[places[0]])}"
                said_of = MISSES[way].format(
                    pair=pair,
                    item=table.column("id")[places[0]].as_py(),
                    where=remedy.where,
                    instead=remedy.instead,
                )
                if len(places) == 1:
                    verb, _, rest = said_of.replace(" such as ", " ", 1).partition(" ")
                    notes.append(f"1 output of “{model}” that counts as wrong {_SINGULAR.get(verb, verb)} {rest}")
                else:
                    notes.append(f"{len(places):,} outputs of “{model}” that count as wrong {said_of}")
    return notes


def _worded(
    model: str,
    texts: Sequence[str | None],
    truths: Sequence[str | None],
    values: NDArray[np.float64],
    compared: NDArray[np.bool_],
    of: Contexts,
) -> list[str]:
    """Say that right answers are sentences, and that most outputs have other words and count as wrong.

    Parameters
    ----------
    model : str
        Name of the target.
    texts, truths : sequence of str or None
        Outputs and right answers of the first items.
    values : (N,) float
        Losses.
    compared : (N,) bool
        Items whose loss follows from the output and the right answer.
    of : Contexts
        How answers are read.
    """
    places = np.flatnonzero(compared[: len(texts)]).tolist()
    kinds = [of.distinct[of.of_item[place]] for place in places]
    long = [
        place
        for place, one in zip(places, kinds, strict=True)
        if one.kind == _WORDED and not one.choices and len(_WORD.findall(truths[place] or "")) > _SEVERAL
    ]
    known = set(truths)
    # The right answer of another item is wrong, not said in other words.
    differ = [place for place in long if values[place] == 1 and texts[place] and texts[place] not in known]
    if 2 * len(long) < len(places) or 2 * len(differ) <= len(long) or len(differ) < _LEAST:
        return []
    return [
        f"Right answers are sentences, and outputs are compared with them word for word: {len(differ):,} of "
        f"{len(long):,} outputs of “{model}” have other words, such as {shown(texts[differ[0]])} beside "
        f"{shown(truths[differ[0]])}, and count as wrong. If they may say the same, have answers read as “open” and "
        "label items, or have a judge look at the answers (neyman surrogate run --judge)."
    ]


def _run_on(table: pa.Table | StoredTable) -> list[str]:
    changed, example = Counter[str](), dict[str, str]()
    for name, text, context in _outputs(table):
        if context.kind in OFFICIAL and cut_changes(text, context.kind, context.choices):
            changed[context.kind] += 1
            example.setdefault(context.kind, name)
    return [
        f"{counted(number, 'output goes on behind its answer', 'outputs go on behind their answer')}, as with another "
        f"question (first: item {example[kind]}), and "
        f"“{TITLES[kind]}” reads them to the end. Cut where the next turn begins, their answers would be others. To "
        f"cut them, have answers read as “{TITLES['choice']}”."
        for kind, number in changed.items()
    ]


def _outputs(table: pa.Table | StoredTable) -> Iterator[tuple[str, str, Context]]:
    """Yield the texts of which the pool reads the answer itself: the item's id, the text and how it is read."""
    of, ids = contexts(table, None), table.column("id")
    columns = []
    if "generations" in table.column_names:
        given = table.column("generations")
        read = np.zeros(table.num_rows, dtype=bool)
        if "generation_answers" in table.column_names:
            read = np.asarray(table.column("generation_answers").is_valid())
        places = np.repeat(np.arange(table.num_rows), lengths(given))
        columns.append((pc.list_flatten(given), places, read))
    for model in models(table):
        texts = leaf(table, model, "text")
        if texts is not None:
            read = np.zeros(table.num_rows, dtype=bool)
            for field in ("answer", "loss"):
                known = leaf(table, model, field)
                read |= False if known is None else np.asarray(known.is_valid())
            columns.append((texts, np.arange(table.num_rows), read))
    for texts, places, read in columns:
        for text, place in zip(texts.slice(0, _MOST).to_pylist(), places.tolist(), strict=False):
            if text and not read[place]:
                yield str(ids[place].as_py()), text, of.distinct[of.of_item[place]]


def _formulas(table: pa.Table | StoredTable) -> list[str]:
    of, truths = contexts(table, None), table.column("answer").slice(0, _MOST).to_pylist()
    unsure, example = 0, ""
    for model in models(table):
        for field in ("answer", "text"):
            column = leaf(table, model, field)
            for place, text in enumerate([] if column is None else column.slice(0, _MOST).to_pylist()):
                if text is None or truths[place] is None or of.distinct[of.of_item[place]].kind != _WORDED:
                    continue
                pair = [parse(one, _WORDED) or "" for one in (truths[place], text)]
                keys = list(map(formula_key, pair))
                if keys[0] != keys[1] and any(map(is_formula, pair)) and not all(map(is_computed, keys)):
                    unsure, example = unsure + 1, example or f"{pair[1]} beside {pair[0]}"
    if not unsure:
        return []
    return [
        f"{counted(unsure, 'answer differs from its right answer', 'answers differ from their right answers')} and "
        f"cannot be computed, such as {example}: {'it counts' if unsure == 1 else 'they count'} as wrong by the "
        "spelling. The package math-verify knows more of them: pip install 'math-verify[antlr4_13_2]', then neyman "
        "surrogate classes POOL --math; or judge these items."
    ]
