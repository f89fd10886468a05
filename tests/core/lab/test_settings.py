"""Columns and budgets of the tables."""

from __future__ import annotations

import pytest

from core.design import Scheme
from core.errors import DesignError
from core.lab import settings
from core.lab.settings import checked_budgets, default_budgets, parsed_budgets, variants


@pytest.mark.parametrize(
    ("n_strata", "n_items", "budgets"),
    [
        (5, 12032, (50, 100, 200, 400, 800)),
        (5, 800, (50, 100, 200, 400)),
        (5, 198, (50, 100)),
        (80, 500, (80, 100, 200, 400)),
        (5, 30, (7, 10, 15)),
        (5, 6, (6,)),
        (1, 1, (1,)),
    ],
)
def test_default_budgets_are_the_paper_s_clipped_to_the_pool(n_strata, n_items, budgets):
    assert default_budgets(n_strata, n_items) == budgets


def test_columns_of_every_table_vary_one_thing():
    base = Scheme(stratifier="quantile", n_strata=4, offset=0.3)
    for table in settings.TABLES:
        schemes = variants(table, base)
        assert len({variant.key for variant in schemes}) == len(schemes)
        for name in ("stratifier", "n_strata", "offset", "allocation"):
            values = {getattr(variant.scheme, name) for variant in schemes}
            varied = {"strata": "n_strata"}.get(table, table)
            assert (len(values) > 1) == (name == varied)
            assert getattr(base, name) in values


def test_the_paper_s_columns():
    assert [v.key for v in variants("strata")] == ["H = 2", "H = 3", "H = 5", "H = 8"]
    assert [v.key for v in variants("offset")] == ["δ = 0.5", "δ = 0.75", "δ = 1", "δ = 2", "δ = 5"]
    with pytest.raises(DesignError, match="no table called “best”"):
        variants("best")


def test_budgets_are_read_from_text():
    assert parsed_budgets(" 50, 100;200  7 ") == (50, 100, 200, 7)
    assert parsed_budgets("") == ()
    for text in ("0", "-5", "1.5", "ten", "٣", "1e3", "9" * 40):
        with pytest.raises(DesignError, match="whole numbers"):
            parsed_budgets(text)


def test_budgets_outside_the_pool_are_refused():
    assert checked_budgets([30, 5, 30], 5, 30) == (5, 30)
    for budgets, message in (
        ([], "No budget"),
        ([4], "smallest possible budget is 5"),
        ([31], "more than the 30 items"),
    ):
        with pytest.raises(DesignError, match=message):
            checked_budgets(budgets, 5, 30)
