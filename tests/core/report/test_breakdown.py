"""The sentences above strata and groups state what the figures show."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from core.report import report_html
from core.report.details import group_intervals, groups_finding, strata_finding
from core.study import Result
from core.words import SPACE
from tests.core.study.examples import result_of, shown
from tests.core.wording import Saying


@pytest.fixture
def result() -> Result:
    return result_of()


def plain(words: str) -> str:
    return words.replace(SPACE, " ")


def with_groups(result: Result, **columns: list[object]) -> Result:
    """The result with these groups; joint limits are the plain ones unless given."""
    table = pd.DataFrame({"items": 50, "labels": 20, "standard_error": 0.05} | columns)
    for side in ("low", "high"):
        table[f"joint_{side}"] = columns.get(f"joint_{side}", table[side])
    return replace(result, groups=table)


def strata_of(result: Result, parts: list[float]) -> Result:
    table = pd.DataFrame(
        {
            "stratum": range(len(parts)),
            "share_of_pool": 1 / len(parts),
            "labels": range(1, len(parts) + 1),
            "share_of_variance": parts,
        }
    )
    return shown(result, strata_table=table)


def test_the_stratum_with_most_of_the_variance_is_named(result: Result) -> None:
    changed = strata_of(result, [0.2, 0.5, 0.1, 0.2])
    assert plain(strata_finding(changed)) == Saying("Stratum 1", "50 %", "25 % of the pool", "20 % of the labels")
    assert Saying("Stratum 0", "50 %", "as much as another") == plain(strata_finding(strata_of(result, [0.5, 0.5])))


def test_strata_of_which_nothing_can_be_told_say_why(result: Result) -> None:
    assert "agree" in strata_finding(strata_of(result, [math.nan] * 3))
    assert "single stratum" in strata_finding(strata_of(result, [1.0]))
    full = replace(result.sample, counts=result.sample.sizes)
    assert "Every item is labelled" in strata_finding(shown(result, sample=full))


def test_groups_are_told_apart_by_limits_that_hold_for_all(result: Result) -> None:
    numbers = {"group": ["a", "b", "c"], "value": [0.5, 0.3, 0.9], "low": [0.4, 0.2, 0.8], "high": [0.6, 0.4, 0.95]}
    extremes = ("lowest in “b” (30.0 %, 20.0 % to 40.0 %)", "highest in “c” (90.0 %, 80.0 % to 95.0 %)")
    wide = {"joint_low": [0.2, 0.1, 0.3], "joint_high": [0.8, 0.5, 0.99]}
    apart, together = with_groups(result, **numbers), with_groups(result, **numbers, **wide)
    assert plain(groups_finding(apart)) == Saying(*extremes, " can tell", "all 3 groups")
    assert plain(groups_finding(together)) == Saying(*extremes, " cannot tell", "3 groups")
    near = with_groups(result, **numbers | {"low": [0.1] * 3, "high": [0.95] * 3})
    assert plain(groups_finding(near)) == Saying(" cannot tell")
    pair = with_groups(result, **{name: values[1:] for name, values in numbers.items()})
    assert plain(groups_finding(pair)) == Saying(" can tell")


def test_groups_without_an_interval_are_not_ranked(result: Result) -> None:
    numbers = {"group": ["a", "b"], "value": [0.5, 0.0], "low": [0.4, 0.0], "high": [0.6, 1.0]}
    one = with_groups(result, **numbers, standard_error=[0.05, math.nan])
    assert plain(groups_finding(one)).startswith("Only “a” (50.0 %, 40.0 % to 60.0 %) has ")
    none = with_groups(result, **numbers, standard_error=[math.nan, math.nan])
    assert groups_finding(none).startswith("No group ")
    same = with_groups(result, **numbers | {"value": [0.5, 0.5]})
    assert plain(groups_finding(same)) == Saying("50.0 %", "all 2 groups")
    assert groups_finding(replace(result, groups=None)) == ""


def test_of_groups_with_the_same_value_the_one_that_is_known_best_is_named(result: Result) -> None:
    ends = {"low": [0.0, 0.3, 0.7, 0.2], "high": [0.5, 1.0, 1.0, 1.0]}
    numbers = {"group": ["a", "b", "c", "d"], "value": [0.0, 1.0, 1.0, 1.0]} | ends
    said = plain(groups_finding(with_groups(result, **numbers)))
    assert said == Saying("highest in “c” (100.0 %, 70.0 % to 100.0 %)", "2 others", "can tell the two apart")


def test_the_figure_of_groups_leaves_out_what_has_no_limits(result: Result) -> None:
    numbers = {"group": ["a", "b", "c"], "value": [5.0, 7.0, math.nan], "labels": [20, 2, 0]}
    ends = {"low": [4.0, -math.inf, -math.inf], "high": [6.0, math.inf, math.inf]}
    table = group_intervals(with_groups(result, **numbers, **ends))
    assert table["label"].tolist() == ["a", "b"] and np.isnan(table.loc[1, ["low", "high"]].astype(float)).all()
    assert group_intervals(replace(result, groups=None)).empty


def test_the_report_states_the_findings(result: Result) -> None:
    page = report_html(result)
    assert strata_finding(result) in page
    assert "Accuracy is lowest in" in page and "tell the two apart" in page
