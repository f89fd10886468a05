"""The settings that a comparison varies: the columns of the paper's tables, and the budgets that are their rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..allocation.rules import ON_STRATA, RULES
from ..design.scheme import PAPER, Scheme
from ..errors import DesignError
from ..stratification.cuts import METHODS
from ..stratification.profiles import STRATIFIERS

BUDGETS = (50, 100, 200, 400, 800)
TRIALS = 3000
STRATA = (2, 3, 5, 8)
OFFSETS = (0.5, 0.75, 1.0, 2.0, 5.0)
TABLES = ("allocation", "stratifier", "strata", "offset")
# In the order of the paper's table.
STRATIFIER_COLUMNS = METHODS[::-1]


@dataclass(frozen=True, slots=True)
class Variant:
    """One column of a table.

    Parameters
    ----------
    key : str
        Its key in frames.
    label : str
        The name people read.
    scheme : Scheme
        The scheme it stands for.
    """

    key: str
    label: str
    scheme: Scheme


def variants(table: str, scheme: Scheme = PAPER) -> tuple[Variant, ...]:
    """Columns of a table: the paper's, and the given scheme if it is not among them.

    Parameters
    ----------
    table : str
        One of `TABLES`.
    scheme : Scheme
        What all columns share but the one choice that the table varies.

    Raises
    ------
    DesignError
        There is no such table.
    """
    if table == "allocation":
        return tuple(Variant(rule, RULES[rule].title, replace(scheme, allocation=rule)) for rule in ON_STRATA)
    if table == "stratifier":
        return tuple(
            Variant(key, STRATIFIERS[key].title, replace(scheme, stratifier=key)) for key in STRATIFIER_COLUMNS
        )
    if table == "strata":
        counts = sorted({*STRATA, scheme.n_strata})
        return tuple(Variant(f"H = {h}", f"H = {h}", replace(scheme, n_strata=h)) for h in counts)
    if table == "offset":
        offsets = sorted({*OFFSETS, scheme.offset})
        return tuple(Variant(f"δ = {d:g}", f"δ = {d:g}", replace(scheme, offset=d)) for d in offsets)
    raise DesignError(f"There is no table called “{table}”. Choose one of {', '.join(TABLES)}.")


def chosen(table: str, scheme: Scheme) -> str:
    """Key of the column that is the given scheme."""
    return next(variant.key for variant in variants(table, scheme) if variant.scheme == scheme)


def default_budgets(n_strata: int, n_items: int) -> tuple[int, ...]:
    """The paper's budgets from H up to the pool's size, ascending; fractions of the pool if none fits.

    N itself is left out as long as there is another: with every item labelled, every method is exact.

    Parameters
    ----------
    n_strata : int
        H, the smallest budget.
    n_items : int
        N, the largest.
    """
    clipped = {min(max(budget, n_strata), n_items) for budget in BUDGETS}
    below = {budget for budget in clipped if budget < n_items}
    if not below:
        below = {m for m in (n_items // 4, n_items // 3, n_items // 2) if n_strata <= m < n_items}
    return tuple(sorted(below or {n_items}))


def checked_budgets(budgets: Sequence[int], n_strata: int, n_items: int) -> tuple[int, ...]:
    """Budgets ascending, each once.

    Parameters
    ----------
    budgets : sequence of int
        Numbers of labels.
    n_strata : int
        H, the smallest budget.
    n_items : int
        N, the largest.

    Raises
    ------
    DesignError
        A budget is below H or above N, or there is none at all.
    """
    ascending = tuple(sorted(set(budgets)))
    if not ascending:
        raise DesignError("No budget is given. Name at least one, such as 100.")
    least, most = ascending[0], ascending[-1]
    if least < n_strata:
        raise DesignError(
            f"A budget of {least} is too small for {n_strata} strata. The smallest possible budget is {n_strata}."
        )
    if most > n_items:
        raise DesignError(f"A budget of {most} is more than the {n_items} items whose outcome is known.")
    return ascending


def parsed_budgets(text: str) -> tuple[int, ...]:
    """Budgets from a text: whole numbers with commas, semicolons or blanks between them.

    Raises
    ------
    DesignError
        Something in the text is not a whole number above 0.
    """
    words = text.replace(",", " ").replace(";", " ").split()
    for word in words:
        if not (word.isascii() and word.isdigit() and 0 < len(word) < 12 and int(word) > 0):
            raise DesignError(f"Budgets must be whole numbers, such as 50, 100, 200. Found “{word[:30]}”.")
    return tuple(int(word) for word in words)
