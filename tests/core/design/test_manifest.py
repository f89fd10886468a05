"""Manifests: a plan written down draws the same sample again, and nothing else passes for it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.design import ALLOCATIONS, Design, Plan
from core.design.manifest import FORMAT, read, reproduce, write
from core.errors import DesignError, ManifestError, NeymanError
from core.stratification import METHODS as STRATIFIERS
from core.stratification import profile
from tests.core.design.test_design import DIGEST, ids_of, made_up, plan_of

POOL = made_up()
IDS = ids_of(300)
PLAN = plan_of(POOL, budget=50, seed=4, n_strata=4, offset=0.5)


def test_a_manifest_says_everything_needed() -> None:
    document = json.loads(write(PLAN, "demo", {"number": "number/3"}))
    assert document["format"] == FORMAT
    assert document["plan_id"] == PLAN.plan_id
    assert document["pool"] == {"digest": DIGEST, "name": "demo", "n_items": 300}
    assert document["design"] == {
        "budget": 50,
        "n_strata": 4,
        "stratifier": "adaptive",
        "allocation": "proxy-neyman",
        "offset": 0.5,
        "seed": 4,
        "parser": None,
        "signal": "semantic-entropy",
    }
    assert document["versions"]["parsers"] == {"number": "number/3"}
    assert set(document["versions"]) == {"neyman", "numpy", "python", "parsers"}
    rows = document["strata"]
    assert [row["items"] for row in rows] == PLAN.strata.sizes.tolist()
    assert [row["labels"] for row in rows] == PLAN.allocation.tolist()
    assert [row["inclusion_probability"] for row in rows] == PLAN.inclusion_probabilities.tolist()
    assert [row["consistency"] for row in rows] == PLAN.strata.consistency.tolist()
    assert document["sample"] == {"n_labels": 50, "digest": PLAN.sample_digest}


@given(
    st.integers(0, 2**70),
    st.integers(5, 300),
    st.integers(1, 5),
    st.sampled_from(STRATIFIERS),
    st.sampled_from(ALLOCATIONS),
    st.floats(0, 1e6),
    st.text(st.characters(codec="utf-8"), max_size=20),
)
def test_the_same_sample_comes_back_bit_for_bit(
    seed: int, budget: int, h: int, stratifier: str, allocation: str, offset: float, name: str
) -> None:
    plan = Design(budget, h, stratifier, allocation, offset, seed).plan(DIGEST, IDS, POOL)
    text = write(plan, name)
    for form in (text, text.encode()):
        found = read(form)
        assert found.design == plan.design
        again = reproduce(found, DIGEST, IDS, POOL)
        np.testing.assert_array_equal(again.positions, plan.positions)
        assert again.ids.tolist() == plan.ids.tolist()
        assert write(again, name) == text


def test_strata_without_any_signal_are_written() -> None:
    found = profile([[0, 0]] * 5 + [[-1, -1]] * 3)
    text = write(plan_of(found, budget=4), "p")
    assert json.loads(text)["strata"][1]["se_low"] is None
    assert reproduce(read(text), DIGEST, ids_of(8), found).plan_id == json.loads(text)["plan_id"]


def changed(change: Callable[[dict[str, Any]], None]) -> str:
    document = json.loads(write(PLAN, "demo"))
    change(document)
    return json.dumps(document)


def setter(*path: Any, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(document: dict[str, Any]) -> None:
        place: Any = document
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (setter("design", "seed", value=5), "plan id does not belong"),
        (setter("design", "budget", value=51), "plan id does not belong"),
        (setter("design", "offset", value=0.51), "plan id does not belong"),
        (setter("design", "parser", value="number"), "plan id does not belong"),
        (setter("pool", "digest", value="cd" * 32), "plan id does not belong"),
        (setter("plan_id", value="0" * 12), "plan id does not belong"),
        (setter("design", "budget", value=0), "something impossible: The budget is 0"),
        (setter("design", "stratifier", value="median"), "something impossible"),
        (setter("design", "stratifier", value=["adaptive"]), "something impossible"),
        (setter("design", "parser", value=["number"]), "something impossible"),
        (setter("design", "offset", value=float("nan")), "something impossible"),
        (setter("design", "temperature", value=0.7), "does not know: temperature"),
        (setter("design", value=[]), "incomplete or damaged"),
        (setter("design", value=None), "incomplete or damaged"),
        (setter("strata", value=None), "incomplete or damaged"),
        (setter("strata", 0, "items", value="many"), "incomplete or damaged"),
        (setter("strata", 0, "items", value=float("inf")), "incomplete or damaged"),
        (setter("sample", value={}), "incomplete or damaged"),
        (lambda document: document.pop("pool"), "incomplete or damaged"),
        (setter("format", value="neyman-plan/99"), "not a plan's manifest"),
    ],
)
def test_a_changed_manifest_is_refused_when_it_is_read(change: Callable[[dict[str, Any]], None], message: str) -> None:
    with pytest.raises(ManifestError, match=message):
        read(changed(change))


@pytest.mark.parametrize(
    "change",
    [
        setter("strata", 0, "items", value=7),
        setter("strata", 0, "labels", value=7),
        setter("sample", "digest", value="0" * 64),
        lambda document: document["strata"].pop(),
    ],
)
def test_a_changed_outcome_is_refused_when_it_is_drawn_again(change: Callable[[dict[str, Any]], None]) -> None:
    found = read(changed(change))
    with pytest.raises(ManifestError, match="cannot be drawn again"):
        reproduce(found, DIGEST, IDS, POOL)


def test_another_pool_is_refused() -> None:
    with pytest.raises(ManifestError, match=r"belongs to another pool .*abababababab…, not cdcdcdcdcdcd…"):
        reproduce(read(write(PLAN, "demo")), "cd" * 32, IDS, POOL)


def test_other_ids_or_classes_are_refused() -> None:
    found = read(write(PLAN, "demo"))
    with pytest.raises(ManifestError, match="cannot be drawn again"):
        reproduce(found, DIGEST, IDS[::-1], POOL)
    with pytest.raises(ManifestError, match="cannot be drawn again"):
        reproduce(found, DIGEST, IDS, made_up(300, seed=1))


@pytest.mark.parametrize(
    "text",
    ["", "{", "[1, 2]", "null", '"text"', "{}", b"\xff\xfe", b"PK\x03\x04", "[" * 100_000, "1" * 5000, '{"format": 1}'],
)
def test_anything_else_is_not_a_manifest(text: str | bytes) -> None:
    with pytest.raises(ManifestError):
        read(text)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(
    st.sampled_from(
        [
            ("design",),
            ("pool",),
            ("strata",),
            ("sample",),
            ("plan_id",),
            ("versions",),
            ("pool", "digest"),
            ("strata", 0),
            ("strata", 0, "labels"),
            *(("design", name) for name in Design.__slots__),
        ]
    ),
    json_values,
)
def test_damage_of_any_kind_is_told_as_such(path: tuple[Any, ...], value: object) -> None:
    try:
        drawn = reproduce(read(changed(setter(*path, value=value))), DIGEST, IDS, POOL)
    except NeymanError as error:
        assert isinstance(error, ManifestError | DesignError)
    else:
        assert isinstance(drawn, Plan)
        assert drawn.sample_digest == PLAN.sample_digest
