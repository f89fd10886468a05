"""Lists to a real Label Studio and a real Argilla, and their labels back."""

from __future__ import annotations

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier

import numpy as np
import pytest

from core.design import Design, Scheme
from core.errors import LabelError
from core.labels import read, request, settle
from core.labels.queues import Assignment, Pushed, pull, push
from core.stratification import profile
from tests.core.labels.conftest import HARD, items_for
from tests.core.labels.queues.servers import Accident, running
from tests.queues.conftest import TOKEN, Proxy, Tool

# Ids that break files, but not what no database keeps.
IDS = [*(item for item in HARD if item.strip() and "\x00" not in item), *(f"item {number}" for number in range(260))]
PROFILE = profile(np.random.default_rng(0).integers(0, 3, (len(IDS), 4)))
PLAN = Design(230, Scheme(n_strata=3), seed=0).plan("ab" * 32, np.array(IDS, dtype=object), PROFILE)
LISTED = [str(item) for item in PLAN.ids]
CHOICES = [["=x", "y,z", "🙂"]] * len(LISTED)
LABELS = {"right-wrong": ("right", "wrong"), "gold": ("A", "C"), "score": (0.25, 1)}


def assignment_of(kind: str) -> Assignment:
    judged = None if kind == "gold" else ["A"] * len(LISTED)
    return Assignment(PLAN, request(PLAN, items_for(IDS), judged, None if kind == "gold" else "model"), kind)


@pytest.mark.parametrize("kind", LABELS)
def test_a_list_goes_out_and_its_labels_settle(tool: Tool, kind: str) -> None:
    queue, assignment = tool.queue(f"Trip {kind}"), assignment_of(kind)
    pushed = push(queue, assignment)
    assert (pushed.created, pushed.already, pushed.others, pushed.foreign) == (230, 0, {}, 0)
    assert push(queue, assignment).created == 0
    carried = tool.items(pushed.url)
    assert [payload["item_id"] for _, payload in carried] == LISTED
    drawn = PLAN.items.set_index("item_id")["probability"].to_dict()
    assert {payload["item_id"]: payload["inclusion_probability"] for _, payload in carried} == pytest.approx(drawn)
    first, second = LABELS[kind]
    tool.label(carried[0][0], kind, first)
    tool.label(carried[1][0], kind, second)
    tool.label(carried[2][0], kind, None)
    tool.label(carried[3][0], kind, first, "draft")
    back = read(pull(queue, assignment))
    assert back.source == tool.service
    settled = settle(back.rows, LISTED, PLAN.plan_id, kind, CHOICES if kind == "gold" else None)
    texts = [first, second] if kind != "score" else ["0.25", "1.0"]
    assert settled.labels[["item_id", "label"]].values.tolist() == [
        list(one) for one in zip(LISTED, texts, strict=False)
    ]
    assert len(settled.missing) == 228
    assert back.rows.loc[back.rows["label"].notna(), "note"].tolist() == ["n", "n"]


@pytest.mark.parametrize("kind", ["cut", "gone"])
@pytest.mark.parametrize("spared", [0, 1, 2])
def test_a_lost_connection_loses_and_doubles_nothing(tool: Tool, kind: str, spared: int) -> None:
    writing = {"label-studio": "POST .*/(projects|import)$", "argilla": "POST .*/(datasets|fields|questions)$"}
    assignment = assignment_of("gold")
    with running(Proxy(tool)) as proxy:
        proxy.accidents = [Accident(writing[tool.service], kind, spared=spared)]
        queue = tool.queue(f"Lost {kind} {spared}", proxy.address)
        with pytest.raises(LabelError, match="lost"):
            push(queue, assignment)
        pushed = push(queue, assignment)
    assert pushed.created + pushed.already == 230
    assert Counter(payload["item_id"] for _, payload in tool.items(pushed.url)) == Counter(LISTED)


@pytest.mark.parametrize("known", [False, True])
def test_pushes_at_the_same_moment_double_nothing(tool: Tool, known: bool) -> None:
    queue = tool.queue(f"At once {known}")
    if known:
        listed = assignment_of("gold")
        push(queue, replace(listed, request=listed.request[:10]))
    ready = Barrier(3)

    def one_push() -> Pushed:
        ready.wait()
        return push(queue, assignment_of("gold"))

    with ThreadPoolExecutor(3) as people:
        pushes = [future.result() for future in [people.submit(one_push) for _ in range(3)]]
    assert len({pushed.url for pushed in pushes}) == 1
    assert Counter(payload["item_id"] for _, payload in tool.items(pushes[0].url)) == Counter(LISTED)
    assert push(queue, assignment_of("gold")).sentences == ("0 items sent, 230 already there.",)


def test_label_studio_keeps_copies_that_people_label(label_studio: Tool) -> None:
    queue, assignment = label_studio.queue("Copies"), assignment_of("gold")
    pushed = push(queue, assignment)
    copies = [{"data": payload} for _, payload in label_studio.items(pushed.url)[:5]]
    label_studio.ask("POST", f"/api/projects/{pushed.url.split('/')[-2]}/import", copies)
    for (number, _), label, status in zip(
        label_studio.items(pushed.url)[-5:-2],
        ("A", None, "A"),
        ("submitted", "submitted", "draft"),
        strict=True,
    ):
        label_studio.label(number, "gold", label, status)
    pushed = push(queue, assignment)
    assert (pushed.created, pushed.twice) == (0, 5)
    assert [payload["item_id"] for _, payload in label_studio.items(pushed.url)] == [*LISTED, *LISTED[:5]]
    settled = settle(read(pull(queue, assignment)).rows, LISTED, PLAN.plan_id, "gold", CHOICES)
    assert settled.labels[["item_id", "label"]].values.tolist() == [[LISTED[0], "A"]]


def test_a_wrong_key_is_refused_in_one_sentence(tool: Tool) -> None:
    with pytest.raises(LabelError, match="_API_KEY") as refusal:
        push(tool.queue("Nobody's", key=TOKEN[::-1]), assignment_of("gold"))
    assert TOKEN[::-1] not in str(refusal.value)


def test_another_question_needs_another_place(tool: Tool) -> None:
    push(tool.queue("One question"), assignment_of("gold"))
    with pytest.raises(LabelError, match="another question"):
        push(tool.queue("One question"), assignment_of("right-wrong"))


def test_what_is_pulled_is_what_label_studio_exports(label_studio: Tool) -> None:
    queue, assignment = label_studio.queue("Exported"), assignment_of("gold")
    pushed = push(queue, assignment)
    for place, (number, _) in enumerate(label_studio.items(pushed.url)[:4]):
        label_studio.label(number, "gold", None if place == 2 else "B")
    project = pushed.url.split("/")[-2]
    query = {"exportType": "JSON", "download_all_tasks": "true"}
    exported = json.dumps(label_studio.ask("GET", f"/api/projects/{project}/export", **query)).encode()
    mine, theirs = (
        read(one).rows.sort_values("item_id", ignore_index=True) for one in (pull(queue, assignment), exported)
    )
    assert mine.drop(columns="row").equals(theirs.drop(columns="row"))


def test_a_personal_access_token_of_label_studio(label_studio: Tool) -> None:
    token = label_studio.ask("POST", "/api/token/", {})["token"]
    queue = label_studio.queue("Personal", key=token)
    assert push(queue, assignment_of("gold")).created == 230
    assert len(read(pull(queue, assignment_of("gold"))).rows) == 230
