"""Columns that seem to name models, or tasks with several runs, and that nothing reads: a person says what they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..pool.problems import shown
from ..words import counted
from .field_names import ID_NAMES, JUDGES, MODEL_LIKE, OF_VERDICTS, PEOPLE, keys_of, last_name, words_of
from .first_rows import FirstRows
from .free_paths import ENOUGH
from .row_keys import may_name_items, names_a_model

_OF_JUDGES = JUDGES | PEOPLE | OF_VERDICTS


def unread_models(rows: FirstRows, free: Sequence[str], used: Sequence[str]) -> tuple[str, str] | None:
    """Return a path that names several models whose results would be averaged, and a sentence on it; None for none.

    Parameters
    ----------
    rows : FirstRows
        The first rows of a file.
    free : sequence of str
        Paths that are nothing else.
    used : sequence of str
        Paths of the outputs and scores of the only target.
    """
    lists = {path.partition("[]")[0] for path in used if "[]" in path}
    for path in (one for one in free if used and names_a_model(one) and last_name(one) not in MODEL_LIKE):
        outer = {word for words in words_of(path)[:-1] for word in words}
        if not _OF_JUDGES.isdisjoint(outer) or not rows.is_text(path):
            continue
        inside = [one for some in rows.known[path] if isinstance(some, list) for one in some]
        names = {str(one) for one in inside or rows.known[path] if one is not None}
        within = path.partition("[]")[0] in lists if "[" in path else bool(lists) and len(names) == rows.size
        often = "[" not in path and 2 * len(names) <= rows.filled(path) >= ENOUGH * rows.size
        if len(names) < 2 or not (within or often):
            continue
        why = f"{shown(path)} names {counted(len(names), 'model')}, "
        if within:
            return path, f"{why}and a row holds a list of results. Write a row for each item and model, with an id."
        return path, (
            f"{why}but each row would be an item of one target, so that the results of the models would be averaged. "
            "Take it as the name of the model, and as the id what the rows of an item have in common. If each row is "
            f"an item of one system that uses several models, keep the column (in a shell: --column {path})."
        )
    return None


def unread_tasks(rows: FirstRows, paths: Sequence[str]) -> tuple[str, str] | None:
    """Return a path that names many tasks with a few rows each, and a sentence on it; None for none.

    Without ids, the rows of a task may be its runs or different items.
    """
    for path in paths:
        times = set(Counter(rows.texts(path)).values()) if may_name_items(rows, path) else set[int]()
        size = rows.distinct([path])
        if len(times) == 1 and 1 < max(times) <= size:
            return path, (
                f"{shown(path)} names {size:,} tasks with {max(times):,} rows each, and no field is named as the id. "
                f"If the rows of a task are runs of it, take {shown(path)} as the id, and as the run what tells them "
                f"apart (in a shell: --id {path} --run PATH). If they are different items, take it as the group "
                f"(--group {path})."
            )
    return None


def unread_ids(rows: FirstRows, free: Sequence[str]) -> tuple[str, str] | None:
    """Return a plain column that is called as an id and has the same in several rows, and a sentence; None for none.

    Nothing else tells its rows apart, so they may be samples, runs, models or different items.
    """
    for path in free:
        is_called = len(keys_of(path)) == 1 and (last_name(path) in ID_NAMES or last_name(path) == "id")
        if is_called and rows.is_key(path) and 1 < (size := rows.distinct([path])) <= rows.size / 2:
            return path, (
                f"{shown(path)} has {size:,} values in {counted(rows.size, 'row')}, and nothing says what tells the "
                f"rows of one apart. If they are runs, models or reviewers, take {shown(path)} as the id and name the "
                f"column that tells them apart (in a shell: --id {path} with --run, --model or --reviewer PATH); if "
                f"they are samples of one model, their outputs as samples (--id {path} --generations PATH). If they "
                f"are different items, keep it (--column {path})."
            )
    return None
