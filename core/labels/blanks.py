"""Blanks that may be the other verdict: people who mark only what is right, or only what is wrong."""

from __future__ import annotations

from collections.abc import Collection

from ..words import counted
from .cells import both_ways
from .kinds import RIGHT, WRONG
from .proposals import DASHES


def remark(only: str, texts: Collection[str], page: bool = False) -> str:
    """Return a sentence about items without a verdict, which may mean the other one; "" if none is blank.

    Parameters
    ----------
    only : str
        The verdict that all labels say, "right" or "wrong"; "" if they differ.
    texts : collection of str
        What stands at each item without a verdict.
    page : bool
        Whether they are items without a verdict for an estimate, of which page Label asks as well.
    """
    empty = [text for text in texts if not text or text in DASHES]
    if not only or not empty:
        return ""
    other = WRONG if only == RIGHT else RIGHT
    items, has, they = ("1 item", "has", "it counts") if len(empty) == 1 else (None, "have", "they count")
    so_far = f": {they} as without a verdict" if page else ""
    meant = both_ways(dict.fromkeys(sorted(set(empty)), other))
    return (
        f"Every verdict is “{only}”, and {items or counted(len(empty), 'item')} {has} none{so_far}. "
        f"If a blank means {other}, say so: {meant}{f', “Blank means {other}” on page Label' * page}. Then "
        "every blank row does."
    )


def absent(only: str, items: int) -> str:
    """Return a sentence about items that stand in no row, while all labels say one verdict; "" if none does.

    Parameters
    ----------
    only : str
        As in `remark`.
    items : int
        How many items of the list the files leave out.
    """
    if not only or not items:
        return ""
    other = WRONG if only == RIGHT else RIGHT
    are, they = ("is", "it counts") if items == 1 else ("are", "they count")
    return (
        f"Every verdict is “{only}”, and {counted(items, 'item')} of the list {are} in no row: {they} as without a "
        f"verdict. If the rows of those that are {other} were taken out, put them back, with {other}."
    )


def of_answers(blank: int, target: str) -> str:
    """Return a sentence about blanks beside right answers that are all others than the target's; "" for no blank.

    Parameters
    ----------
    blank : int
        How many rows before the last right answer are blank.
    target : str
        The target's name.
    """
    if not blank:
        return ""
    items = counted(blank, "item has", "items have")
    they, its = ("it counts", "it") if blank == 1 else ("they count", "them")
    return (
        f"Every right answer is another than that of “{target}”, and {items} none: {they} as "
        f"without a verdict. If a blank means that the model is right, write its answer for {its}."
    )
