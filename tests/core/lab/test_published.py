"""The published tables are what the paper prints."""

from __future__ import annotations

import numpy as np
import pytest

from core.lab import baselines
from core.lab.ablations import MEAN
from core.lab.settings import TABLES


@pytest.mark.parametrize("name", TABLES)
def test_cells_average_to_the_means_that_are_printed(name):
    table, marked = baselines.table(name), baselines.marked(name)
    means = marked[marked["row"] == MEAN].set_index("variant")["relative_mse"]
    averaged = table.groupby("variant")["relative_mse"].mean()[means.index]
    # One decimal is printed: cells and means are each rounded by up to 0.05 %.
    assert np.all(np.abs(averaged - means) < 0.001)
    assert means["H = 8" if name == "strata" else means.index[0]] == pytest.approx(
        {"allocation": 0.909, "stratifier": 0.861, "strata": 0.855, "offset": 0.840}[name]
    )


def test_the_paper_s_own_column_is_the_same_in_every_table():
    keys = {"allocation": "proxy-neyman", "stratifier": "adaptive", "strata": "H = 5", "offset": "δ = 0.75"}
    columns = [baselines.table(n).query("variant == @k")["relative_mse"].tolist() for n, k in keys.items()]
    assert all(column == columns[0] for column in columns)


def test_bold_cells_of_the_paper_are_the_best_ones():
    best = {name: baselines.marked(name).query("mark == 'best'")["variant"].tolist() for name in TABLES}
    proxy = "proxy-neyman"
    assert best["allocation"] == [proxy, proxy, proxy, "power", proxy, proxy]
    assert best["stratifier"] == ["adaptive", "adaptive", "quantile", "equal-width", "adaptive", "adaptive"]
    assert best["offset"] == ["δ = 0.75", "δ = 1", "δ = 0.75", "δ = 0.5", "δ = 0.5", "δ = 0.75"]


def test_published_savings():
    table = baselines.savings()
    assert table["fraction"].round(3).tolist() == [0.28, 0.218, 0.267, 0.15]
    assert table["fraction"].mean() == pytest.approx(0.229, abs=5e-4)
