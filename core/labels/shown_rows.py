"""Rows of a filled list beside what its list showed there: the prompt of the item and the answer that was judged.

A row says of which item it is, and perhaps of which target. If it shows the prompt of another item, or another answer
than the target's, its label says nothing of that item: it was moved within the file, or the target was run again.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from unicodedata import normalize

import numpy as np
import pandas as pd

from ..errors import LabelError, Problem
from ..pool.outcomes import SILENT
from ..pool.pool import Pool
from ..pool.problems import MOST, shown
from ..words import counted
from ..words.verdict_words import number_in
from .formats.label_file import LabelFile, ShownRow
from .outcomes import target_answers
from .rows import spelled
from .targets import codes_of

# Item id to the ways in which a list may show the target's answer.
Answers = Mapping[str, Collection[str]]

_LETTER = re.compile(r"\W*[A-Za-z]\W*")
_NO_SIGN = re.compile(r"[^a-z0-9]+")
# Programs cut texts that are longer.
_CUT = 30
_NAMED, _LONGEST = 3, 30
# So many digits are rounded by programs.
_MANY_DIGITS = 9
_ROUNDED = 1e-7
_GROUPED = re.compile(r"[-+]?\d{1,3}(?:[,.'’\s]\d{3})+")
_MONTH = r"(?:jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz])[a-zä]*\.?"
# What a spreadsheet may make of an answer: a date, an error, or a number with its exponent.
_CHANGED = re.compile(
    rf"\d{{1,2}}[-/. ]{{1,2}}{_MONTH}(?:[-/. ]\d{{2,4}})?|{_MONTH}[-/. ]\d{{2,4}}"
    r"|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[ t]\d{1,2}:\d{2}(?::\d{2})?)?|#[a-z0-9/]+[!?]?|-?\d[.,]\d{1,5}e\+\d{2}",
    re.IGNORECASE,
)


def check_shown(
    files: Iterable[LabelFile],
    pool: Pool,
    answers: Mapping[str, Answers],
    default: str = "",
    prompt: str = "prompt",
    letters: bool = False,
) -> None:
    """Check that no labelled row shows the prompt of another item, another answer than its target's, or other options.

    Parameters
    ----------
    files : iterable of LabelFile
        As `core.labels.read` gives them.
    pool : Pool
        The pool of the list.
    answers : mapping
        Of each target whose answers labels judge, `shown_ways`; other targets are not checked, and neither are items
        that it does not have.
    default : str
        The target of rows that name none ("": they are not checked).
    prompt : str
        The column of the pool that the list shows as the prompt.
    letters : bool
        Whether labels may be letters of options: then the options stand in the pool's order.

    Raises
    ------
    LabelError
        Rows contradict themselves; they are named, with the remedy.
    """
    files = list(files)
    rows = _of(files, pool)
    error = _other_prompts(rows, pool, prompt) or _other_answers(rows, answers, default)
    error = error or (_other_options(_of(map(_lettered, files), pool), pool) if letters else None)
    if error is not None:
        raise error


def shown_ways(
    pool: Pool, target: str, items: Collection[str], parsers: Iterable[str | None] = (None,)
) -> dict[str, set[str]]:
    """Give the ways in which a list may show a target's answers, by item id: as each rule finds them, or whole.

    Parameters
    ----------
    pool : Pool
        The pool.
    target : str
        One of its targets.
    items : collection of str
        Ids; those that the pool does not have are left out.
    parsers : iterable of str or None
        Answer kinds by which lists may have been written, None for each item's own.
    """
    places = pool.places(list(items))
    ids = [item for item, place in zip(items, places.tolist(), strict=True) if place >= 0]
    found = [target_answers(pool, target, ids, parser) for parser in dict.fromkeys(parsers)]
    found.append(target_answers(pool, target, ids, whole=True))
    ways = dict[str, set[str]]()
    for one in found:
        for item, text in one.items():
            ways.setdefault(item, set()).add(text or SILENT)
    return ways


def items_shown(files: Iterable[LabelFile], pool: Pool) -> list[str]:
    """Return the ids of the items whose rows in the files show an answer."""
    rows = _of(files, pool)
    return list(dict.fromkeys(row.item_id for row in rows if row.answer))


def same_answer(one: str, other: str) -> bool:
    """Whether two texts are one answer, in whatever way a program writes it; a long one may be cut."""
    numbers = number_in(one), number_in(other)
    if None not in numbers:
        return _same_number(one, other)
    ends = [text.strip().removesuffix("...").removesuffix("…") for text in (one, other)]
    bare = [_NO_SIGN.sub("", text.casefold()) for text in (one, other)]
    if not all(bare):
        bare = ["".join(normalize("NFKC", text).casefold().split()) for text in (one, other)]
    short, long = sorted(bare, key=len)
    is_cut = len(short) >= _CUT or any(end != text.strip() for end, text in zip(ends, (one, other), strict=True))
    return short == long or (bool(short) and is_cut and long.startswith(short))


def _same_number(one: str, other: str) -> bool:
    """Whether two texts write one number; programs round those of many digits."""
    first, second = number_in(one), number_in(other)
    if first is None or second is None or first == second:
        return first == second
    if any(_GROUPED.fullmatch(text.strip()) for text in (one, other)):
        digits = [re.sub(r"[,.'’\s]", "", text) for text in (one, other)]
        return digits[0] == digits[1]
    many = max(sum(sign.isdigit() for sign in text) for text in (one, other)) >= _MANY_DIGITS
    return many and math.isclose(first, second, rel_tol=_ROUNDED)


def _of(files: Iterable[LabelFile], pool: Pool) -> list[ShownRow]:
    """Rows that files show, of items as the pool spells them; without rows that were taken from a file since."""
    there = [(set(file.rows["row"]), file.shown) for file in files]
    rows = [row for numbers, some in there for row in some if row.row in numbers]
    if not rows:
        return []
    ids = spelled(pd.DataFrame({"item_id": pd.Series([row.item_id for row in rows], dtype=object)}), pool)["item_id"]
    return [row._replace(item_id=str(item)) for row, item in zip(rows, ids, strict=True)]


def _other_prompts(rows: Sequence[ShownRow], pool: Pool, column: str) -> LabelError | None:
    """Name the rows that show the prompt of another item of the pool; texts that are none's are not compared."""
    rows = [row for row in rows if row.prompt]
    if not rows or column not in pool.item_columns:
        return None
    places = pool.places([row.item_id for row in rows])
    rows = [row for row, place in zip(rows, places.tolist(), strict=True) if place >= 0]
    own = pool.rows(places[places >= 0])[column].tolist() if rows else []
    unlike = [row for row, text in zip(rows, own, strict=True) if text and not same_answer(row.prompt or "", str(text))]
    if not unlike:
        return None
    every = pool.rows(np.arange(pool.n_items))[column].tolist()
    items = {_folded(str(text)): str(item) for item, text in zip(pool.ids, every, strict=True) if text}
    found = [(row, item) for row in unlike if (item := items.get(_folded(row.prompt or "")))]
    if not found:
        return None
    named = [
        f"row {row.row:,}: {shown(row.item_id, _LONGEST)} beside that of {shown(it, _LONGEST)}" for row, it in found
    ]
    shows, its = ("row shows", "its item") if len(found) == 1 else ("rows show", "their items")
    return _error(
        f"{len(found):,} {shows} the prompt of another item than {its} ({_listed(named)}). Somebody sorted or moved "
        "item ids or prompts without the rest of each row: undo that, or label the list again.",
        [row.row for row, _ in found],
        "item_id",
    )


def _other_answers(rows: Sequence[ShownRow], answers: Mapping[str, Answers], default: str) -> LabelError | None:
    """Name the rows that show another answer than that of the target that they judge."""
    names = codes_of(answers)
    found = list[tuple[ShownRow, str, str]]()
    for row in rows:
        target = names.get(row.answers_of, "") if row.answers_of else default
        ways = answers.get(target, {}).get(row.item_id, ())
        if not row.answer or not ways or any(same_answer(row.answer, way) for way in ways):
            continue
        if not _CHANGED.fullmatch(row.answer.strip()):
            found.append((row, min(ways, key=len), target))
    if not found:
        return None
    whose = " or ".join(f"“{name}”" for name in dict.fromkeys(target for *_, target in found))
    named = [
        f"row {row.row:,}: item {shown(row.item_id, _LONGEST)}, {shown(row.answer or '', _LONGEST)} in place of "
        f"{shown(way, _LONGEST)}"
        for row, way, _ in found
    ]
    shows = "row shows" if len(found) == 1 else "rows show"
    return _error(
        f"{len(found):,} {shows} another answer than that of {whose} ({_listed(named)}), so that the "
        f"{'label says' if len(found) == 1 else 'labels say'} nothing of it. If the answers are those of an earlier "
        "run, write a new list and label it; if somebody sorted columns without the rest of each row, undo that. If "
        "the column target_answer alone was rewritten, remove it.",
        [row.row for row, *_ in found],
        "target_answer",
    )


def _other_options(rows: Sequence[ShownRow], pool: Pool) -> LabelError | None:
    """Name the rows that show the options of their item in another order, in which letters mean other ones."""
    rows = [row for row in rows if row.choices]
    if not rows or "choices" not in pool.item_columns:
        return None
    own = pool.items_with([row.item_id for row in rows])["choices"].to_dict()
    found = [row for row in rows if _is_reordered((row.choices or "").splitlines(), own.get(row.item_id))]
    if not found:
        return None
    named = [f"row {row.row:,}: item {shown(row.item_id, _LONGEST)}" for row in found]
    shows = "row shows the options of its item" if len(found) == 1 else "rows show the options of their items"
    return _error(
        f"{len(found):,} {shows} in another order than the pool ({_listed(named)}), so that a letter means another "
        "option there. Write the texts of the options as labels, or label a list in the order of the pool.",
        [row.row for row in found],
        "choices",
    )


def _lettered(file: LabelFile) -> LabelFile:
    """Return a file with what it shows beside labels that are single letters."""
    labels = dict(zip(file.rows["row"], file.rows["label"], strict=True))
    return replace(file, shown=tuple(one for one in file.shown if _LETTER.fullmatch(labels.get(one.row) or "")))


def _is_reordered(lines: Sequence[str], options: Sequence[str] | None) -> bool:
    there, own = ([_folded(str(one)) for one in some] for some in (lines, [] if options is None else options))
    return there != own and sorted(there) == sorted(own)


def _error(message: str, rows: Sequence[int], column: str) -> LabelError:
    problems = [Problem("It is not that of its item.", row, column) for row in rows]
    return LabelError(message, problems[:MOST], len(problems))


def _listed(named: Sequence[str]) -> str:
    more = len(named) - _NAMED
    return "; ".join([*named[:_NAMED], *([counted(more, "other")] if more > 0 else [])])


def _folded(text: str) -> str:
    return "".join(normalize("NFKC", text).casefold().split())
