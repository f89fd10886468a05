"""Files that people have from the first version: manifests, filled lists and reports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.archive import Archive
from tests.compatibility import observed
from tests.compatibility.conftest import assert_same

EXPECTED = observed.expected()
MANIFESTS = sorted((observed.V1 / "manifests").glob("*.json"))
# The plan of the filled lists, and whose answers they judge.
PLAN, TARGET = next(iter(EXPECTED["plans"])), "alpha"
ADDRESSES = [one["address"] for one in EXPECTED["addresses"]]


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.stem)
def test_a_manifest_draws_the_same_sample(archive: Archive, path: Path) -> None:
    says = observed.plan_says(archive, path.read_text(encoding="utf-8"))
    assert says["plan_id"] == path.stem
    assert_same(says, {key: value for key, value in EXPECTED["plans"][path.stem].items() if key != "name"})


def test_there_is_a_manifest_of_every_plan() -> None:
    assert {path.stem for path in MANIFESTS} == set(EXPECTED["plans"])


@pytest.mark.parametrize("name", EXPECTED["filled"])
def test_a_filled_list_says_the_same(archive: Archive, name: str) -> None:
    expected = EXPECTED["filled"][name]
    says = observed.file_says(archive, observed.V1 / "filled" / name, PLAN, expected["kind"], TARGET)
    assert_same(says, expected)


def test_every_form_of_filled_list_is_held() -> None:
    assert {path.name for path in (observed.V1 / "filled").iterdir()} == set(EXPECTED["filled"])


def without_limits(value: Any) -> Any:
    """A value of a report without the ends of its intervals."""
    if isinstance(value, dict):
        return {key: without_limits(inner) for key, inner in value.items() if key not in ("low", "high", "width")}
    return [without_limits(inner) for inner in value] if isinstance(value, list) else value


def report(name: str) -> dict[str, Any]:
    """A report as it was handed out."""
    document: dict[str, Any] = json.loads((observed.V1 / "reports" / name).read_text(encoding="utf-8"))
    return document


@pytest.mark.parametrize(("name", "part"), [("gold.json", "compare="), ("score.json", "unbounded=true")])
@pytest.mark.usefixtures("archive")
@pytest.mark.usefixtures("without_disputes")
def test_the_report_of_the_same_labels_says_the_same_numbers(name: str, part: str) -> None:
    before = report(name)
    now = json.loads(observed.report_at(next(address for address in ADDRESSES if part in address)))
    # Limits are another matter: those of few strata have moved outward since, if errors are few.
    numbers = [
        without_limits({key: observed.without_prose(one[key]) for key in observed.NUMBERS_OF_A_REPORT})
        for one in (now, before)
    ]
    assert_same(*numbers)
    for key in ("pool", "labels_as_given", "people"):
        assert_same(now[key], before[key], key)


@pytest.mark.usefixtures("archive")
def test_a_report_in_the_first_format_holds_todays_numbers() -> None:
    before = report("first-format.json")
    assert before["format"] == "neyman-result/1"
    address = next(one for one in ADDRESSES if f"plan={before['plan_id']}&says=right-wrong&target=alpha" in one)
    now = json.loads(observed.report_at(address))
    same = ("target", "measure", "confidence", "interval", "estimate", "uniform", "design_effect", "effective_size")
    for key in (*same, "uniform_needed", "strata", "groups", "planned", "missing"):
        assert_same(observed.without_prose(now[key]), observed.without_prose(before[key]), key)
    for row, label in zip(now["labels"], before["labels"], strict=True):
        assert_same(row, {"pool_position": label.pop("position"), **label})


@pytest.mark.parametrize("name", ["first-format.json", "gold.json", "score.json"])
def test_the_manifest_in_a_report_draws_its_sample(archive: Archive, name: str) -> None:
    document = report(name)
    says = observed.plan_says(archive, json.dumps(document["manifest"]))
    assert says["plan_id"] == document["plan_id"]
    for row in document["labels"]:
        # The first format does not say where an item stands in the list, later ones only of those that do.
        place = row.get("list_position")
        assert place is None or says["items"][place - 1] == row["item_id"]
