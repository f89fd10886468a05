"""Versions over time: how accurate each is, by what is known of it, and which differences are certain.

Each version has its own interval; differences of pairs are shown with limits that hold for all pairs at once. With V
versions, intervals of level 1 − α/V hold together (Bonferroni), and so does every difference of two of them; if two
versions gave equal answers they have equal losses, so that no difference exceeds the share of unequal answers. A
difference that is known exactly is one of these items: what it tells of other questions like these has limits, too.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import NormalDist

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..allocation.optimum import uniform_size
from ..estimation.contrasts import paired_shares
from ..estimation.intervals import Limits
from ..gates.version_plan import same_answers
from ..pool.pool import Pool
from ..pool.target_sets import are_versions, by_number
from ..words import counted, per_cent, width
from .bank import LEVELS, Bank

COLUMNS = ("version", "date", "value", "low", "high", "labels", "saved", "carried", "audited", "basis")
# Of a version without a date, which nobody has graded yet.
_LAST = "~"
# Shares that differ by less differ by how they were added up.
_SAME = 1e-12
EXACT, LABELS, BOUNDS = "every verdict is known", "labels", "limits whatever the open items are"


@dataclass(frozen=True, slots=True)
class _Version:
    """A version's accuracy as it is known: its value, limits for each number of versions, and what it rests on."""

    name: str
    date: str
    value: float
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    labels: int
    carried: int
    audited: int
    basis: str


def history(bank: Bank, pool: Pool) -> pd.DataFrame:
    """Tabulate the accuracy of each version that a pool or a bank knows, oldest first (`oldest_first`).

    Parameters
    ----------
    bank : Bank
        Verdicts, and estimates of labelled lists.
    pool : Pool
        The items; its targets are the versions.

    Returns
    -------
    DataFrame
        A row a version: version, date (ISO; "" if it is not known), value (accuracy; NaN if it was never estimated),
        low, high (95 %), labels (spent on its list), saved (how many more a uniform list of the same half-width takes;
        negative if it takes fewer, 0 without a list), carried (verdicts taken over from equal answers), audited, basis:
        every verdict is known, labels, or limits that hold whatever the open items are.
    """
    rows = []
    for one in _versions(bank, pool):
        found, work = (one.value, one.low[0], one.high[0]), (one.labels, _saved(one, pool.n_items))
        rows.append((one.name, one.date, *found, *work, one.carried, one.audited, one.basis))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def oldest_first(bank: Bank, names: Iterable[str]) -> tuple[str, ...]:
    """Sort versions: by the numbers in their names if these alone tell them apart, otherwise by the newest verdict.

    Those without a date come last, and then names count, numbers by their value. Which of “v1” and “v2” is graded, or
    was graded last, does not turn them round.

    Parameters
    ----------
    bank : Bank
        Verdicts with their dates.
    names : iterable of str
        The versions.
    """
    given = tuple(names)
    if are_versions(given):
        return tuple(sorted(given, key=by_number))
    dated = bank.rows[(bank.rows["date"] != "").to_numpy()]
    dates = dated.groupby("model")["date"].max().to_dict()
    return tuple(sorted(given, key=lambda name: (str(dates.get(name, _LAST)), by_number(name))))


def predecessors(names: Sequence[str], new: str) -> tuple[str, ...]:
    """List what a new version may be compared with, the one just before it first.

    Parameters
    ----------
    names : sequence of str
        Versions, oldest first.
    new : str
        One of them.
    """
    place = names.index(new)
    return (*reversed(names[:place]), *names[place + 1 :])


def limits_of(table: pd.DataFrame, pairs: pd.DataFrame, noun: str = "version") -> str:
    """Say which limits of versions over time hold alone, and which together; of exact accuracies, that they have none.

    Parameters
    ----------
    table : DataFrame
        Of `history`.
    pairs : DataFrame
        Of `differences`.
    noun : str
        What versions are called.
    """
    exact = bool((table["basis"] == EXACT).all())
    alone = f"Each {noun}’s interval holds with {per_cent(LEVELS[0])} confidence, by itself."
    if exact:
        alone = f"Every verdict is known, so that each {noun}’s accuracy is exact on these items."
    if pairs.empty or (exact and pairs["other_low"].isna().all()):
        return alone
    whose, sure = "for other questions " if exact else "", f"with {per_cent(LEVELS[0])} confidence"
    if len(pairs) == 1:
        said = f"{alone} The limits of the difference {whose}hold {sure}."
    else:
        said = (
            f"{alone} The limits of all {len(pairs):,} differences {whose}hold at once, {sure} (Bonferroni), so you "
            "may pick out certain ones afterwards."
        )
    if exact:
        return said
    return (
        f"{said} To look at labels while they come in, use the version gate “after any label”: its limits are a "
        "confidence sequence."
    )


def differences_title(pairs: pd.DataFrame) -> str:
    """Say how many differences are certain, or which one is if there is no other, as a headline.

    Parameters
    ----------
    pairs : DataFrame
        Of `differences`.
    """
    certain, exact = int(pairs["certain"].sum()), bool((pairs["high"] - pairs["low"] < _SAME).all())
    if len(pairs) == 1 and (certain or exact):
        one = pairs.iloc[0]
        size, way = f"{abs(100 * one['value']):.1f} points", "better" if one["value"] > 0 else "worse"
        if exact and abs(one["value"]) < _SAME:
            return f"{one['later']} is as accurate as {one['earlier']} on these items"
        if exact:
            return f"{one['later']} is {size} {way} than {one['earlier']} on these items"
        return f"{one['later']} is certainly {way} than {one['earlier']}, by about {size}"
    count = f"{certain:,} of {counted(len(pairs), 'difference')}" if certain else "No difference"
    said = f"{count} in accuracy {'are' if certain > 1 else 'is'} certain"
    if not exact:
        return said
    if pairs["other_low"].isna().any():
        return f"{said} on these items"
    return f"For other questions like these, {said[0].lower()}{said[1:]}"


def elsewhere(pairs: pd.DataFrame) -> str:
    """Say what exact differences tell of other questions like these; "" if there are none of right and wrong verdicts.

    Parameters
    ----------
    pairs : DataFrame
        Of `differences`.
    """
    known = pairs[pairs["other_low"].notna()]
    if known.empty:
        return ""
    if len(known) == 1:
        low, high = (f"{100 * known[end].iloc[0]:+.1f}".replace("-", "−") for end in ("other_low", "other_high"))
        exact = "The difference is exact"
        said = f"the difference lies between {low} and {high} points ({per_cent(LEVELS[0])} limits"
    else:
        certain = int(known["certain"].sum())
        exact = f"{'All' if len(known) == len(pairs) else f'{len(known):,}'} differences are exact"
        said = f"{certain:,} of {len(known):,} are certain (their {per_cent(LEVELS[0])} limits exclude 0"
    return f"{exact} on these items. For other questions like these, {said}, if these were drawn at random)."


def best_first(table: pd.DataFrame) -> pd.DataFrame:
    """Sort models that are no versions of each other: the most accurate first, those never estimated last.

    Parameters
    ----------
    table : DataFrame
        Of `history`.
    """
    return table.sort_values("value", ascending=False, kind="stable", ignore_index=True)


def best_title(table: pd.DataFrame, pairs: pd.DataFrame) -> str:
    """Name the most accurate model and its lead, as a headline; "" if fewer than two are estimated.

    It is the best if it is certainly better than every other one, by the joint limits.

    Parameters
    ----------
    table : DataFrame
        Of `best_first`.
    pairs : DataFrame
        Of `differences`.
    """
    if table["value"].notna().sum() < 2:
        return ""
    first, second = table.iloc[0], table.iloc[1]
    name = first["version"]
    later = pairs[(pairs["later"] == name) & (pairs["low"] > 0)]
    earlier = pairs[(pairs["earlier"] == name) & (pairs["high"] < 0)]
    if first["value"] - second["value"] < _SAME:
        return f"No model is best: {name} and {second['version']} are equally accurate"
    points = width(first["value"] - second["value"], True)
    if (table["high"] - table["low"] < _SAME).all():
        # However many models there are: the pairs are those of forty alone.
        return f"{name} is best on these items, {points} ahead of {second['version']}"
    if len(later) + len(earlier) < len(table) - 1:
        return f"No model is certainly the best: {name} leads {second['version']} by {points}"
    beside = pairs[(pairs["later"] == second["version"]) | (pairs["earlier"] == second["version"])]
    lead = beside[(beside["later"] == name) | (beside["earlier"] == name)].iloc[0]
    about = "" if lead["high"] - lead["low"] < _SAME else "about "
    return f"{name} is best, {about}{points} ahead of {second['version']}"


def informative(table: pd.DataFrame) -> list[str]:
    """List the columns that say something: no counts that are all 0, nothing empty, and no limits that are the value.

    Parameters
    ----------
    table : DataFrame
        Of `history` or `differences`.
    """
    exact = {end for end in ("low", "high") if ((table[end] - table["value"]).abs() < _SAME).all()}
    # A value or a limit of 0 says something.
    nothing = {name: [0] if table[name].dtype.kind == "i" else [""] for name in table.columns}
    empty = {name for name in table.columns if (table[name].isna() | table[name].isin(nothing[name])).all()}
    return [name for name in table.columns if name not in exact | empty]


def differences(bank: Bank, pool: Pool) -> pd.DataFrame:
    """Tabulate the difference in accuracy of each pair of versions, the later less the earlier, with joint limits.

    Parameters
    ----------
    bank, pool
        As in `history`; of more than forty versions the newest forty, for which joint limits are kept.

    Returns
    -------
    DataFrame
        A row a pair: earlier, later, value, low, high, other_low, other_high (of an exact difference of right and wrong
        verdicts, its limits for other questions like these; else NaN), certain (whether the limits, of an exact
        difference those for other questions, exclude 0; all hold at once with 95 % confidence), neighbours (whether no
        version stands between them).
    """
    versions = _versions(bank, pool)[-len(LEVELS) :]
    others, open_ = _elsewhere(versions, pool), sum(one.basis != EXACT for one in versions)
    # If labelled versions stand beside exact ones, both kinds of limits share the level.
    shared = 2 * open_ if len(versions) - open_ > 1 else 0
    level = min(max(len(versions), shared), len(LEVELS)) - 1
    rows = []
    for (place, one), (next_place, other) in combinations(enumerate(versions), 2):
        unequal = 1.0
        if one.name in pool.targets and other.name in pool.targets:
            unequal = 1 - float(same_answers(pool.target_answers(one.name), pool.target_answers(other.name)).mean())
        low = max(other.low[level] - one.high[level], -unequal)
        high = min(other.high[level] - one.low[level], unequal)
        elsewhere = float(others.low[next_place, place]), float(others.high[next_place, place])
        least, most = (low, high) if math.isnan(elsewhere[0]) else elsewhere
        certain, beside = least > 0 or most < 0, next_place == place + 1
        rows.append((one.name, other.name, other.value - one.value, low, high, *elsewhere, certain, beside))
    ends = ["low", "high", "other_low", "other_high"]
    return pd.DataFrame(rows, columns=["earlier", "later", "value", *ends, "certain", "neighbours"])


def _elsewhere(versions: Sequence[_Version], pool: Pool) -> Limits:
    """Limits (V, V) of each version’s accuracy less each other’s on other questions, joint for all pairs."""
    wrong = np.full((len(versions), pool.n_items), np.nan)
    for row, one in zip(wrong, versions, strict=True):
        losses = pool.losses(one.name) if one.basis == EXACT else row
        if np.isin(losses, (0.0, 1.0)).all():
            row[:] = losses
    pairs = max(1, math.comb(len(versions), 2)) * (1 if all(one.basis == EXACT for one in versions) else 2)
    won, lost = (1 - wrong) @ wrong.T, wrong @ (1 - wrong).T
    return paired_shares(won, lost, pool.n_items, 1 - (1 - LEVELS[0]) / pairs)


def _versions(bank: Bank, pool: Pool) -> list[_Version]:
    """Each version once, by the best that is known of it, oldest first."""
    found = [_version(bank, pool, name) for name in pool.targets]
    known = {one.name: one for one in found if one is not None}
    return [known[name] for name in oldest_first(bank, known)]


def _version(bank: Bank, pool: Pool, name: str) -> _Version | None:
    own = bank.rows[(bank.rows["model"] == name).to_numpy()]
    newest = max(own["date"].astype(str), default="")
    loss = pool.losses(name).copy()
    lists = bank.estimates
    listed = lists[((lists["items"] == pool.items_digest) & (lists["target"] == name)).to_numpy()]
    labels = int(listed["labels"].max()) if len(listed) else 0
    if not np.isnan(loss).any() and ((loss >= 0) & (loss <= 1)).all():
        value = 1 - float(loss.mean())
        ends = np.full(len(LEVELS), value)
        return _Version(name, newest, value, ends, ends, labels, 0, 0, EXACT)
    if len(listed):
        row = listed.iloc[int(listed["labels"].to_numpy().argmax())]
        lower, upper = np.array(row["limits"], dtype=np.float64).reshape(2, -1)
        date, value, carried, audited = str(row["date"]) or newest, row["value"], row["carried"], row["audited"]
        return _Version(name, date, float(value), lower, upper, labels, int(carried), int(audited), LABELS)
    known = bank.lookup(pool, name)
    loss = np.where(np.isnan(loss), known.loss, loss)
    if np.isnan(loss).all():
        return None
    least, most = 1 - np.nan_to_num(loss, nan=1.0).mean(), 1 - np.nan_to_num(loss, nan=0.0).mean()
    ends = np.ones(len(LEVELS))
    return _Version(name, newest, math.nan, least * ends, most * ends, 0, known.n_known, 0, BOUNDS)


def _saved(one: _Version, n_items: int) -> int:
    """Labels of a uniform list with the same half-width, less those of the version's list."""
    half, variance = (one.high[0] - one.low[0]) / 2, one.value * (1 - one.value)
    if not one.labels or not half > 0:
        return 0
    z = NormalDist().inv_cdf((1 + LEVELS[0]) / 2)
    return round(uniform_size((half / z) ** 2, variance, n_items) if variance > 0 else 0.0) - one.labels
