"""The target that a label judges: codes that keep annotators blind to its name, and the labels of one target."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

import pandas as pd

from ..design.judging import CRITERION
from .kinds import KINDS, SCORE

ANSWERS_OF = "answers_of"
# What the columns of labels in a list of several criteria begin with.
LABEL_OF = "label: "
_CODE = re.compile("t[0-9a-f]{8}")
_OF_CRITERION = re.compile(r"label\s*:\s*(\S.*)", re.IGNORECASE)


def target_code(name: str) -> str:
    """Return a target's code for lists: "t" and 8 hex digits of the name's SHA-256. A name would sway annotators."""
    return "t" + hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def is_code(name: str) -> bool:
    """Whether a target's name is a code of a model that is not known, or stands for a criterion."""
    return name.startswith(CRITERION) or _CODE.fullmatch(name) is not None


def columns_of_criteria(names: Iterable[object]) -> dict[str, str]:
    """Return the columns of a list that hold the labels of a criterion, each with the code of its labels' target.

    Case and white space do not matter, unless several columns differ in nothing else.
    """
    titles = {title: led[1] for name in names if (led := _OF_CRITERION.fullmatch(title := str(name).strip()))}
    keys = [_key(f"{CRITERION}{name}") for name in titles.values()]
    alike = len({*keys}) < len(keys)
    codes = [f"{CRITERION}{name}" for name in titles.values()] if alike else keys
    return dict(zip(titles, map(target_code, codes), strict=True))


def _key(name: str) -> str:
    return " ".join(name.split()).casefold()


def codes_of(targets: Iterable[str]) -> dict[str, str]:
    """Return the targets by their codes; criteria also by those that `columns_of_criteria` gives to other spellings."""
    names = list(dict.fromkeys(targets))
    keys = [_key(name) if name.startswith(CRITERION) else name for name in names]
    alike = {key: name for key, name in zip(keys, names, strict=True) if keys.count(key) == 1}
    return {target_code(key): name for key, name in alike.items()} | {target_code(name): name for name in names}


def assign_targets(rows: pd.DataFrame, targets: Iterable[str], default: str = "") -> pd.DataFrame:
    """Return the rows with a column ``target``: the target whose answers each judges.

    Parameters
    ----------
    rows : DataFrame
        `core.labels.LabelFile.rows`; the column answers_of holds a target's code or None.
    targets : iterable of str
        Names of the pool's targets.
    default : str
        The target of rows without a code ("": no target).

    Returns
    -------
    DataFrame
        A copy of ``rows``. An unknown code stays in ``target``, and `core.labels.settle` reports it.
    """
    names = codes_of(targets)
    if ANSWERS_OF not in rows.columns:
        return rows.assign(target=default)
    codes = [None if code is None or code != code else str(code).strip() for code in rows[ANSWERS_OF]]
    judged = [names.get(code, code) if code else default for code in codes]
    return rows.assign(target=pd.Series(judged, index=rows.index, dtype=object))


def relevant(rows: pd.DataFrame, kind: str, target: str | None = None) -> pd.DataFrame:
    """Return the kept labels of one kind and target.

    Parameters
    ----------
    rows : DataFrame
        Kept labels, with the columns kind and target; "" is unknown and fits every kind or target.
    kind : str
        One of `core.labels.KINDS`.
    target : str, optional
        The target's name. Right answers ("gold") are the same for every target.

    Raises
    ------
    LabelError
        If there is no such kind.
    """
    judges = KINDS[kind].judges
    if rows.empty:
        return rows
    # Grades that came as scores are read on the scale that somebody chooses.
    of_kind = rows["kind"].isin(["", kind, *([SCORE.name] if KINDS[kind].scale is not None else [])])
    if not judges:
        return rows[of_kind & ((rows["target"] == "") | (rows["kind"] == kind))]
    return rows[of_kind & rows["target"].isin(["", target or ""])]
