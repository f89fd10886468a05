"""Where a design spreads its labels unevenly, the table of coverage says so, and a sentence does."""

from __future__ import annotations

from core.design import Scheme
from core.lab.coverage import coverage
from core.lab.sentences import widened
from core.pool import Pool
from tests.core.lab.conftest import outcome_of


def test_widened_limits_are_told_by_budget(binary: Pool) -> None:
    outcome = outcome_of(binary)
    table = coverage(outcome, [20, 60, 400], Scheme(offset=0.05), trials=50)
    assert table.groupby("budget")["widened"].first().tolist() == [True, True, False], "a census is even"
    some, every = widened(table), widened(table[table["budget"] < 400])
    assert "20 and 60 labels" in some and "400" not in some
    assert "every budget" in every and "20" not in every
    assert widened(coverage(outcome, [20, 60], trials=50)) == ""
