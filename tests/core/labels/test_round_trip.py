"""Out and back through every tool: the same labels, and the same estimate."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.estimation import stratified
from core.labels import export, losses, read, request, settle
from tests.core.labels.conftest import HARD, ids_strategy, items_for, plan_for
from tests.core.labels.tools import TOOLS, Fill, studio_csv


@pytest.mark.parametrize(("format", "source", "fill"), TOOLS, ids=[f.__name__ for *_, f in TOOLS])
@pytest.mark.parametrize("kind", ["gold", "right-wrong", "score", "free"])
@settings(max_examples=settings().max_examples // 10, suppress_health_check=[HealthCheck.too_slow])
@given(ids=ids_strategy, seed=st.integers(0, 99))
def test_labels_and_estimate_survive_the_round_trip(
    format: str, source: str, fill: Fill, kind: str, ids: list[str], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    words = {
        "gold": ["A", "B", "C"],
        "right-wrong": ["right", "wrong"],
        "score": ["0.0", "0.1", "0.3333333333333333", "1.0"],
        "free": ["=SUM(A1)", "a,b", "-7", "naïve 🙂", "[1, 2]"],
    }[kind]
    plan = plan_for(ids)
    items = items_for(ids, choices=kind != "free")
    choices = [["=x", "y,z", "🙂"]] * len(ids) if kind == "gold" else None
    given_labels: dict[str, str | None] = {item: str(rng.choice(words)) for item in ids}
    answers: dict[str, str | None] = {item: str(rng.choice(words)) for item in ids}
    label_kind = "gold" if kind == "free" else kind
    shown = [answers[item] for item in plan.ids] if label_kind != "gold" else None
    frame = request(plan, items, shown)
    # Free texts and scores are typed, not chosen.
    data = export(frame, format, label_kind)
    if format == "label-studio" and kind in ("right-wrong", "score"):
        document = json.loads(data)
        for task in document:
            task["data"].setdefault("options", [])
        data = json.dumps(document).encode()
    returned = read(fill(data, given_labels))
    assert returned.source == source
    settled = settle(returned.rows, plan.ids.tolist(), plan.plan_id, label_kind, choices)
    assert settled.labels["item_id"].tolist() == plan.ids.tolist()
    assert settled.labels["label"].tolist() == [given_labels[item] for item in plan.ids]
    assert (settled.missing, len(settled.odd), len(settled.conflicts)) == ((), 0, 0)

    read_losses = losses(settled, answers, items)
    if label_kind == "gold":
        truth = [float(answers[item] != given_labels[item]) for item in plan.ids]
    elif kind == "score":
        truth = [1 - float(str(given_labels[item])) for item in plan.ids]
    else:
        truth = [float(given_labels[item] == "wrong") for item in plan.ids]
    one, other = (
        stratified(values, plan.items["stratum"].to_numpy(), plan.strata.sizes)
        for values in (read_losses["loss"], truth)
    )
    assert (one.n_labels, one.method) == (other.n_labels, other.method)
    numbers = [(e.value, e.standard_error, e.low, e.high) for e in (one, other)]
    np.testing.assert_allclose(*numbers, rtol=0, atol=1e-12)


@pytest.mark.parametrize(("format", "source", "fill"), TOOLS, ids=[f.__name__ for *_, f in TOOLS])
def test_the_hardest_ids_and_skipped_items(format: str, source: str, fill: Fill) -> None:
    plan = plan_for(HARD)
    given_labels: dict[str, str | None] = {item: (None if n % 3 == 0 else "B") for n, item in enumerate(HARD)}
    returned = read(fill(export(request(plan, items_for(HARD)), format), given_labels))
    assert returned.source == source
    settled = settle(returned.rows, plan.ids.tolist(), plan.plan_id, "gold", [["=x", "y,z", "🙂"]] * len(HARD))
    assert settled.missing == tuple(item for item in plan.ids if given_labels[item] is None)
    assert len(settled.labels) == len(HARD) - len(settled.missing)
    assert set(settled.odd["what"]) <= {"cancelled"}


def test_label_studio_shows_dollars_and_their_labels_come_back() -> None:
    ids = ["a", "b", "c"]
    choices = [["$5", "$x^2$", "${y}"]] * 3
    plan = plan_for(ids)
    document = json.loads(export(request(plan, items_for(ids).assign(choices=choices)), "label-studio"))
    shown = [option["value"] for option in document[0]["data"]["options"]]
    assert not any(re.search(r"\$[\w[\].{}]", text) for text in shown)
    # Versions that export what is shown instead of the alias.
    for task, text in zip(document, shown, strict=True):
        result = [{"from_name": "neyman_label", "type": "choices", "value": {"choices": [text]}}]
        task["annotations"] = [{"id": 1, "completed_by": 1, "was_cancelled": False, "result": result}]
    for content in (json.dumps(document).encode(), studio_csv(document)):
        settled = settle(read(content).rows, plan.ids.tolist(), plan.plan_id, "gold", choices)
        assert settled.labels["label"].tolist() == ["A", "B", "C"]
