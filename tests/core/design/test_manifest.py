"""Manifests: a plan written down draws the same sample again, and nothing else passes for it."""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.answers import PARSER_VERSION
from core.design import ALLOCATIONS, Design, Plan, Scheme, first_plan_id
from core.design.manifest import FIRST_FORMAT, FORMAT, read, reproduce, write
from core.errors import DesignError, ManifestError, NeymanError
from core.pool import Pool
from core.stratification import METHODS as STRATIFIERS
from tests.core.design.test_design import classes_of, design, made_up, pool_of

PROFILE = made_up()
POOL = pool_of()
DESIGN = design(50, seed=4, n_strata=4, offset=0.5)
PLAN = DESIGN.draw(POOL)


def test_a_manifest_says_everything_needed() -> None:
    document = json.loads(write(PLAN, "demo", {"number": "number/3"}))
    assert document["format"] == FORMAT
    assert document["plan_id"] == PLAN.plan_id
    pool = {"digest": POOL.digest, "items": POOL.items_digest, "name": "demo", "n_items": 300}
    assert document["pool"] == pool
    scheme = {
        "signal": "semantic-entropy",
        "stratifier": "adaptive",
        "n_strata": 4,
        "allocation": "proxy-neyman",
        "offset": 0.5,
        "parser": None,
    }
    assert document["design"] == {"budget": 50, "seed": 4, "scheme": scheme}
    assert document["strata_digest"] == PLAN.strata_digest
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
    scheme = Scheme(n_strata=h, stratifier=stratifier, allocation=allocation, offset=offset)
    plan = Design(budget, scheme, seed).draw(POOL, profile=PROFILE)
    text = write(plan, name)
    for form in (text, text.encode()):
        pool = read(form)
        assert pool.design == plan.design
        again = reproduce(pool, POOL, PROFILE)
        np.testing.assert_array_equal(again.positions, plan.positions)
        assert again.ids.tolist() == plan.ids.tolist()
        assert write(again, name) == text


def test_strata_without_any_signal_are_written() -> None:
    rows = [{"id": str(i), **({"generations": ["A", "A"]} if i < 5 else {})} for i in range(8)]
    pool = Pool.from_records(rows)
    text = write(Design(4, seed=0).draw(pool), "p")
    assert json.loads(text)["strata"][1]["se_low"] is None
    assert reproduce(read(text), pool).plan_id == json.loads(text)["plan_id"]


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
        (setter("design", "scheme", "offset", value=0.51), "plan id does not belong"),
        (setter("design", "scheme", "parser", value="number"), "plan id does not belong"),
        (setter("pool", "items", value="cd" * 32), "plan id does not belong"),
        (setter("strata_digest", value="cd" * 32), "plan id does not belong"),
        (setter("plan_id", value="0" * 12), "plan id does not belong"),
        (setter("design", "budget", value=0), "budget .* at least 1"),
        (setter("design", "seed", value=None), "seed"),
        (setter("design", "scheme", "allocation", value="oracle-neyman"), "losses"),
        (setter("design", "scheme", "stratifier", value="median"), "stratifier"),
        (setter("design", "scheme", "stratifier", value=["adaptive"]), "stratifier"),
        (setter("design", "scheme", "parser", value=["number"]), "answer kind"),
        (setter("design", "scheme", "offset", value=float("nan")), "NaN is not a JSON number"),
        (setter("design", "temperature", value=0.7), "temperature"),
        (setter("design", "scheme", "temperature", value=0.7), "temperature"),
        (setter("design", "scheme", value=None), "incomplete or damaged"),
        (setter("design", value=[]), "incomplete or damaged"),
        (setter("design", value=None), "incomplete or damaged"),
        (setter("strata", value=None), "incomplete or damaged"),
        (setter("strata", 0, "items", value="many"), "incomplete or damaged"),
        (setter("strata", 0, "items", value=float("inf")), "Infinity is not a JSON number"),
        (setter("sample", value={}), "incomplete or damaged"),
        (lambda document: document.pop("pool"), "incomplete or damaged"),
        (setter("format", value="neyman-plan/99"), "not the manifest of a plan"),
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
    pool = read(changed(change))
    with pytest.raises(ManifestError, match="cannot draw the sample"):
        reproduce(pool, POOL, PROFILE)


@pytest.mark.parametrize(
    "strata", ["", "%", "AAAA", base64.b64encode(zlib.compress(bytes(30_000_000))).decode()], ids=len
)
def test_strata_that_are_damaged_or_a_bomb_are_refused(strata: str) -> None:
    document = json.loads(changed(lambda _: None)) | {"stratum_of_items": strata}
    with pytest.raises(ManifestError):
        reproduce(read(json.dumps(document)), POOL)


def test_strata_of_more_items_than_anybody_has_are_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.design.manifest.MAX_ITEMS", 1_000)
    strata = base64.b64encode(zlib.compress(bytes(30_000_000))).decode()
    stratum = read(changed(lambda document: document.update(stratum_of_items=strata))).stratum
    assert stratum is not None and stratum.size == 1_000


def test_a_file_too_large_for_a_manifest_is_refused() -> None:
    with pytest.raises(ManifestError, match="larger than 64 MiB"):
        read(changed(lambda _: None) + " " * 64 * 1024**2)


def test_another_pool_is_refused() -> None:
    other = pool_of(prompt="Another question?")
    with pytest.raises(
        ManifestError, match=f"another pool .*{POOL.items_digest[:12]}…, not {other.items_digest[:12]}…"
    ):
        reproduce(read(write(PLAN, "demo")), other)


def test_other_classes_are_refused() -> None:
    with pytest.raises(ManifestError, match="cannot draw the sample"):
        reproduce(read(write(PLAN, "demo")), POOL, made_up(300, seed=1))


def test_a_pool_with_other_targets_draws_the_same_plan() -> None:
    richer = pool_of(target="another")
    assert richer.digest != POOL.digest
    again = reproduce(read(write(PLAN, "demo")), richer)
    assert again.plan_id == PLAN.plan_id == DESIGN.draw(richer).plan_id
    assert again.ids.tolist() == PLAN.ids.tolist()


def test_with_its_kept_strata_a_plan_is_drawn_again_whatever_generations_the_pool_has_got() -> None:
    other = pool_of(classes=classes_of(seed=1))
    again = reproduce(read(write(PLAN, "demo")), other, stratum=PLAN.stratum)
    assert again.plan_id == PLAN.plan_id != DESIGN.draw(other).plan_id
    np.testing.assert_array_equal(again.positions, PLAN.positions)
    assert again.summary_frame().equals(PLAN.summary_frame())
    assert again.with_budget(60).plan_id == PLAN.with_budget(60).plan_id
    assert write(again, "demo") == write(PLAN, "demo")


@pytest.mark.parametrize("stratum", [np.zeros(300, dtype=np.int64), PLAN.stratum[:-1], PLAN.stratum[::-1]])
def test_other_strata_than_the_kept_ones_are_refused(stratum: np.ndarray) -> None:
    with pytest.raises(ManifestError):
        reproduce(read(write(PLAN, "demo")), POOL, stratum=stratum)


def first_format(pool: Pool = POOL, drawn: Design = DESIGN) -> str:
    """The manifest of a plan as the first version wrote it."""
    document = json.loads(write(drawn.draw(pool), "demo"))
    parameters = document["design"]
    document["format"] = FIRST_FORMAT
    document["plan_id"] = first_plan_id(pool.digest, drawn)
    document["design"] = {"budget": parameters["budget"], "seed": parameters["seed"], **parameters["scheme"]}
    del document["pool"]["items"], document["strata_digest"]
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def test_a_manifest_of_the_first_format_keeps_its_name() -> None:
    text = first_format()
    again = reproduce(read(text), POOL)
    assert again.plan_id == first_plan_id(POOL.digest, DESIGN) != PLAN.plan_id
    assert again.design == DESIGN and again.ids.tolist() == PLAN.ids.tolist()
    assert write(again, "demo") == text


def test_a_manifest_of_the_first_format_belongs_to_its_items_where_they_are_known() -> None:
    richer = pool_of(target="another")
    with pytest.raises(ManifestError, match="another pool"):
        reproduce(read(first_format()), richer)
    again = reproduce(read(first_format(), POOL.items_digest), richer)
    assert again.ids.tolist() == PLAN.ids.tolist()
    with pytest.raises(ManifestError, match="another pool"):
        reproduce(read(first_format(), POOL.items_digest), pool_of(prompt="Another question?"))


@pytest.mark.parametrize("path", [("design", "seed"), ("design", "offset"), ("pool", "digest")])
def test_a_changed_manifest_of_the_first_format_is_refused(path: tuple[str, ...]) -> None:
    document = json.loads(first_format())
    setter(*path, value=9)(document)
    with pytest.raises(ManifestError, match="plan id does not belong"):
        read(json.dumps(document))


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
            *(("design", "scheme", name) for name in Scheme.__slots__),
            ("strata", 0, "consistency"),
            ("strata", 0, "se_low"),
            ("strata_digest",),
        ]
    ),
    json_values,
)
def test_damage_of_any_kind_is_told_as_such(path: tuple[Any, ...], value: object) -> None:
    try:
        drawn = reproduce(read(changed(setter(*path, value=value))), POOL, PROFILE)
    except NeymanError as error:
        assert isinstance(error, ManifestError | DesignError)
    else:
        assert isinstance(drawn, Plan)
        assert drawn.sample_digest == PLAN.sample_digest


def test_an_earlier_name_of_a_signal_is_read_and_the_plan_keeps_its_id() -> None:
    rng = np.random.default_rng(2)
    rows = ({"id": str(n), "generations": list("ABA"), "logprobs": (-rng.random(3)).tolist()} for n in range(40))
    pool = Pool.from_records(rows)
    plan = Design(10, Scheme("likelihood-entropy", n_strata=3), seed=1).draw(pool)
    document = json.loads(write(plan, "pool"))
    choices = {"signal": "weighted-semantic-entropy", "n_strata": 3}
    named = {"items": pool.items_digest, "strata": plan.strata_digest, "budget": 10, "seed": 1} | choices
    document["design"]["scheme"]["signal"] = choices["signal"]
    document["plan_id"] = "p" + hashlib.sha256(json.dumps(named, sort_keys=True).encode()).hexdigest()[:12]
    found = read(json.dumps(document))
    assert found.design == plan.design and found.plan_id == document["plan_id"] != plan.plan_id
    again = reproduce(found, pool)
    assert again.ids.tolist() == plan.ids.tolist() and again.plan_id == found.plan_id
    document["plan_id"] = plan.plan_id
    with pytest.raises(ManifestError, match="changed"):
        read(json.dumps(document))


def test_a_plan_keeps_its_strata_when_answers_are_read_by_newer_rules() -> None:
    other = pool_of(classes=classes_of(seed=1))
    earlier = read(write(PLAN, "demo", {"number": "0"}))
    assert earlier.earlier_rules == {"number": "0"}
    again = reproduce(earlier, other)
    assert again.plan_id == PLAN.plan_id != DESIGN.draw(other).plan_id
    np.testing.assert_array_equal(again.stratum, PLAN.stratum)
    np.testing.assert_array_equal(again.positions, PLAN.positions)
    with pytest.raises(ManifestError, match="cannot draw the sample"):
        reproduce(read(write(PLAN, "demo", dict(PARSER_VERSION))), other)


def test_a_manifest_without_strata_names_the_rules_that_have_changed() -> None:
    document = json.loads(write(PLAN, "demo", {"number": "0"}))
    document.pop("stratum_as_read")
    with pytest.raises(ManifestError, match=r"earlier rules \(number 0\)"):
        reproduce(read(json.dumps(document)), pool_of(classes=classes_of(seed=1)))
