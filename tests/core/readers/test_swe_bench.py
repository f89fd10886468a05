"""Reports of SWE-bench: resolved instances are right, and what became of the others is said."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from core.errors import PoolError
from core.readers import read, read_results

REPORT: dict[str, Any] = {
    "total_instances": 8,
    "submitted_instances": 7,
    "completed_instances": 5,
    "resolved_instances": 3,
    "completed_ids": ["a-1", "a-2", "a-3", "a-4", "a-5"],
    "incomplete_ids": ["a-8"],
    "empty_patch_ids": ["a-6"],
    "submitted_ids": [f"a-{n}" for n in range(1, 8)],
    "resolved_ids": ["a-2", "a-3", "a-5"],
    "unresolved_ids": ["a-1", "a-4"],
    "error_ids": ["a-7"],
    "schema_version": 2,
}
RIGHT = {"a-2", "a-3", "a-5"}
OLD = {"no_generation": ["a-6"], "no_logs": ["a-8"], "generated": REPORT["submitted_ids"][:5], "resolved": [*RIGHT]}
OLD |= {"applied": ["a-1", "a-2", "a-3", "a-5"], "test_errored": ["a-7"]}


@pytest.mark.parametrize(
    "report",
    [
        REPORT,
        OLD,
        {name: REPORT[name] for name in ("resolved_ids", "submitted_ids", "incomplete_ids")},
        {name: part for name, part in REPORT.items() if name.endswith("_ids")},
        {name: part for name, part in REPORT.items() if name != "submitted_ids"},
    ],
)
@pytest.mark.parametrize("indent", [None, 4])
def test_resolved_instances_are_right_and_all_others_that_ran_are_wrong(report: dict[str, Any], indent: Any) -> None:
    pool = read(json.dumps(report, indent=indent).encode(), "swe-agent.run7.json")
    assert list(pool.targets) == ["swe-agent"] and pool.n_items == 8
    losses = dict(zip(pool.ids.tolist(), pool.losses("swe-agent").tolist(), strict=True))
    assert math.isnan(losses.pop("a-8"))
    assert losses == {f"a-{n}": float(f"a-{n}" not in RIGHT) for n in range(1, 8)}
    assert any("1 instance was not run" in note for note in pool.notes)


def test_what_counts_as_not_resolved_is_said_and_the_tools_total_is_compared() -> None:
    pool = read(json.dumps(REPORT).encode(), "m")
    said = {
        "1 instance with an empty patch counts as not resolved.",
        "1 instance with an error counts as not resolved.",
    }
    assert said <= {*pool.notes}
    assert pool.account is not None and not pool.account.differences and "is the same" in pool.account.lines[-1]
    other = read(json.dumps(REPORT | {"resolved_instances": 4}).encode(), "m")
    assert other.account is not None and len(other.account.differences) == 1


def test_reports_of_two_models_are_put_side_by_side() -> None:
    second = REPORT | {"resolved_ids": ["a-1"], "unresolved_ids": ["a-2", "a-3", "a-4", "a-5"], "resolved_instances": 1}
    results = read_results({"one.r": json.dumps(REPORT).encode(), "two.r": json.dumps(second).encode()})
    assert results.models == ("one", "two") and results.accuracy == pytest.approx((3 / 7, 1 / 7))


@pytest.mark.parametrize("ids", ["a-1", [["a-1"]], {"a-1": 1}])
def test_lists_that_are_no_lists_of_ids_are_refused(ids: Any) -> None:
    with pytest.raises(PoolError, match="does not hold their ids"):
        read(json.dumps(REPORT | {"unresolved_ids": ids}).encode(), "m")
