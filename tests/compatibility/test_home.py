"""A home of the first version: its pools, plans and labels are found and say the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core import labels
from core.archive import Archive
from tests.compatibility import observed
from tests.compatibility.conftest import assert_same

EXPECTED = observed.expected()
LABELS = EXPECTED["labels"]


@pytest.mark.parametrize("digest", EXPECTED["pools"])
def test_a_pool_is_found_by_its_digest_and_holds_the_same(archive: Archive, digest: str) -> None:
    expected = EXPECTED["pools"][digest]
    for given in (digest, digest[:16]):
        pool = archive.pools.load(given)
        assert (pool.name, pool.items.index.tolist()) == (expected["name"], expected["items"])
    assert list(pool.targets) == expected["targets"]
    assert list(pool.notes) == expected["notes"]
    for name, losses in expected["losses"].items():
        assert_same(observed.plain(pool.losses(name).tolist()), losses, name)
    if expected["classes"] is None:
        assert pool.generations is None
    else:
        assert np.array_equal(pool.classes(), expected["classes"])


@pytest.mark.parametrize("plan_id", EXPECTED["plans"])
def test_a_kept_plan_draws_the_same_sample_with_the_same_probabilities(archive: Archive, plan_id: str) -> None:
    expected = {key: value for key, value in EXPECTED["plans"][plan_id].items() if key != "name"}
    assert_same(observed.plan_says(archive, observed.kept_manifest(archive, plan_id)), expected)


@pytest.mark.parametrize("plan_id", EXPECTED["counts"])
def test_labels_are_counted_and_imports_named_as_before(archive: Archive, plan_id: str) -> None:
    assert_same(observed.counts_say(archive, plan_id), EXPECTED["counts"][plan_id])


@pytest.mark.parametrize("case", LABELS, ids=lambda case: f"{case['plan']} {case['question']}")
def test_kept_labels_settle_to_the_same(archive: Archive, case: dict) -> None:
    assert_same(observed.labels_say(archive, case["plan"], tuple(case["question"])), case["says"])


def test_the_last_import_can_be_undone(archive: Archive) -> None:
    plan_id, counts = next(iter(EXPECTED["counts"].items()))
    family = counts["family"]
    last = archive.labels.last_import(*family)
    assert last is not None and archive.labels.undo_import(last) == counts["last_import"]["changes"]
    given = labels.relevant(archive.labels.of(*family), "gold")
    assert "Ben" not in set(given["annotator"]) and {"Ann", "Čapek"} <= set(given["annotator"])
    before = archive.labels.last_import(*family)
    assert before is not None and (before.plan_id, before.source, before.people) == (plan_id, "csv", ("Ann",))


def test_labels_that_left_as_a_file_come_back_as_nothing_new(archive: Archive) -> None:
    plan_id, counts = next(iter(EXPECTED["counts"].items()))
    path = observed.V1 / "filled" / "labels-as-given.csv"
    pool, *_ = observed.redraw(archive, observed.kept_manifest(archive, plan_id))
    rows = labels.assign_targets(labels.read(path.read_bytes(), path.name).rows, pool.targets)
    before = archive.labels.of(*counts["family"])
    also = [name for name in counts["family"] if name != plan_id]
    assert archive.labels.save(plan_id, rows, "2027-01-01T00:00:00+00:00", "csv", "gold", "", also) == 0
    assert archive.labels.of(*counts["family"]).equals(before)


@pytest.mark.parametrize("version", EXPECTED["schemas"])
def test_a_home_with_earlier_tables_says_the_same(tmp_path: Path, version: str) -> None:
    archive = observed.home_of_schema(int(version), tmp_path / "home")
    expected = EXPECTED["schemas"][version]
    plan_id = expected["counts"]["family"][0]
    assert_same(observed.counts_say(archive, plan_id), expected["counts"])
    plan = {key: value for key, value in EXPECTED["plans"][plan_id].items() if key != "name"}
    assert_same(observed.plan_says(archive, observed.kept_manifest(archive, plan_id)), plan)
    for case in expected["labels"]:
        assert_same(observed.labels_say(archive, plan_id, tuple(case["question"])), case["says"], str(case["question"]))
