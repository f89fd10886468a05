"""Lists out to labelling tools and labels back, by stand-ins that answer as the tools do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest

from core.design import Plan
from core.errors import LabelError
from core.labels import read, request, settle
from core.labels.queues import (
    SERVICES,
    Assignment,
    Pushed,
    Queue,
    argilla,
    label_studio,
    langfuse,
    pull,
    push,
    transfer,
)
from core.labels.queues.argilla import Dataset
from core.labels.queues.label_studio import Project
from core.labels.queues.langfuse import AnnotationQueue
from tests.core.labels.conftest import items_for, plan_for
from tests.core.labels.queues.servers import SECRET, SERVERS, Accident, Argilla, LabelStudio, Langfuse, Server, running
from tests.core.wording import Saying

IDS = [*(f"item {number}" for number in range(36)), "a,b", "é🙂", "=1+1", "0012"]
KEYS = {"langfuse": ("pk-1", SECRET)}
PLACES: dict[str, Any] = {"label-studio": Project, "argilla": Dataset, "langfuse": AnnotationQueue}


@pytest.fixture(autouse=True)
def _hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.web.client.FIRST_PAUSE", 0.001)
    monkeypatch.setattr(transfer, "_PAUSES", (0.0, 0.0, 0.0))
    for place in PLACES.values():
        monkeypatch.setattr(place, "batch", 10)
    for module in (label_studio, argilla, langfuse):
        monkeypatch.setattr(module, "_PAGE", 10)


@pytest.fixture(params=SERVERS)
def service(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def server(service: str) -> Iterator[Server]:
    with running(SERVERS[service]()) as one:
        yield one


def queue_of(server: Server, service: str, project: str = "Round 1") -> Queue:
    return Queue(service, f"{server.address}/", project, KEYS.get(service, (SECRET,)))


def assignment_of(plan: Plan, kind: str = "right-wrong", choices: bool = True, target: str = "model") -> Assignment:
    judged = ["A"] * plan.ids.size if kind != "gold" else None
    frame = request(plan, items_for(IDS, choices), judged, target if judged else None)
    return Assignment(plan, frame, kind)


def payloads(server: Server) -> list[dict[str, Any]]:
    """What each item in the tool carries, in the tool's order."""
    if isinstance(server, LabelStudio):
        return [task["data"] for task in server.tasks]
    if isinstance(server, Argilla):
        return [record["metadata"] for record in server.records]
    assert isinstance(server, Langfuse)
    spans = {ids[0]: span["attributes"] for ids, span in server.spans.items()}
    assert len(spans) == len(server.spans)
    prefix = "langfuse.trace.metadata."
    return [
        {one["key"].removeprefix(prefix): next(iter(one["value"].values())) for one in spans[item["objectId"]]}
        for item in server.items
    ]


class Removal(Accident):
    """Removes the first ten of the items before the request."""

    def __init__(self, pattern: str, items: list[Any], spared: int) -> None:
        super().__init__(pattern, 0, spared=spared)
        self.items = items

    def strikes(self, request: str) -> bool:
        if super().strikes(request):
            del self.items[:10]
        return False


PLAN = plan_for(IDS, 24)
LISTED = [str(item) for item in PLAN.ids]


def test_a_list_goes_out_once_and_in_its_order(server: Server, service: str) -> None:
    queue, assignment, steps = queue_of(server, service), assignment_of(PLAN), list[tuple[int, int]]()
    first = push(queue, assignment, lambda done, due: steps.append((done, due)))
    assert (first.created, first.already, first.others, first.foreign) == (24, 0, {}, 0)
    assert steps[0] == (0, 24) and steps[-1] == (24, 24) and len(steps) > 2
    again = push(queue, assignment)
    assert (again.created, again.already) == (0, 24)
    assert again.url == first.url and first.url.startswith(f"{server.address}/") and "//" not in first.url[7:]
    carried = payloads(server)
    assert [one["item_id"] for one in carried] == LISTED
    assert {one["plan_id"] for one in carried} == {PLAN.plan_id}
    drawn = PLAN.items.set_index("item_id")["probability"]
    assert {one["item_id"]: one["inclusion_probability"] for one in carried} == pytest.approx(drawn.to_dict())


# Each place where the connection is lost, before the tool acts and after it.
@pytest.mark.parametrize("kind", ["cut", "gone"])
@pytest.mark.parametrize("spared", [0, 1])
def test_a_lost_connection_loses_and_doubles_nothing(server: Server, service: str, kind: str, spared: int) -> None:
    writing = {"label-studio": "POST .*/import", "argilla": "POST .*/questions", "langfuse": "POST .*/items"}
    server.accidents = [Accident(writing[service], kind, spared=spared)]
    queue, assignment = queue_of(server, service), assignment_of(PLAN)
    with pytest.raises(LabelError, match="lost"):
        push(queue, assignment)
    second = push(queue, assignment)
    assert second.created + second.already == 24
    assert Counter(one["item_id"] for one in payloads(server)) == Counter(LISTED)


def test_making_the_project_survives_a_lost_answer(server: Server, service: str) -> None:
    making = {"label-studio": "projects$", "argilla": "datasets$", "langfuse": "queues$"}[service]
    server.accidents = [Accident(f"POST .*{making}", "cut")]
    queue, assignment = queue_of(server, service), assignment_of(PLAN)
    with pytest.raises(LabelError, match="lost"):
        push(queue, assignment)
    assert push(queue, assignment).created == 24
    assert sum(request.startswith("POST") and request.endswith(making[:-1]) for request in server.requests) == 1


def test_patience_where_repeating_is_safe(server: Server, service: str) -> None:
    server.accidents = [Accident("POST|PUT", 429, 2, spared=1), Accident("GET", "cut", 2), Accident("GET", 503)]
    queue, assignment = queue_of(server, service), assignment_of(PLAN)
    assert push(queue, assignment).created == 24
    assert Counter(one["item_id"] for one in payloads(server)) == Counter(LISTED)


def test_labels_come_back_and_settle(server: Server, service: str) -> None:
    queue, assignment = queue_of(server, service), assignment_of(PLAN)
    push(queue, assignment)
    for item in LISTED[:3]:
        server.label(item, "right")  # type: ignore[attr-defined]
    server.label(LISTED[1], "wrong", person=2)  # type: ignore[attr-defined]
    unfinished: dict[str, dict[str, Any]] = {"argilla": {"status": "draft"}, "langfuse": {"done": False}}
    server.label(LISTED[3], None if service == "label-studio" else "right", **unfinished.get(service, {}))  # type: ignore[attr-defined]
    back = read(pull(queue, assignment))
    assert set(back.rows["item_id"]) == set(LISTED)
    assert set(back.rows["plan_id"]) == {PLAN.plan_id}
    assert back.rows["answers_of"].nunique() == 1
    if service != "langfuse":
        # Langfuse tells no more of an item than its trace.
        prompts = assignment.frame.set_index("item_id")["prompt"]
        shown = {row.item_id: (row.answer, row.prompt) for row in back.shown}
        assert {*LISTED[:3]} <= shown.keys() and shown == {item: ("A", prompts[item]) for item in shown}
    settled = settle(back.rows, LISTED, PLAN.plan_id, "right-wrong")
    assert settled.labels["item_id"].tolist() == [LISTED[0], LISTED[2]]
    assert settled.undecided == (LISTED[1],)
    assert LISTED[3] in settled.missing and len(settled.missing) == 22


@pytest.mark.parametrize(("kind", "choices"), [("gold", True), ("gold", False), ("score", True)])
def test_every_kind_of_label_has_a_place_of_its_own(server: Server, service: str, kind: str, choices: bool) -> None:
    labels = {"gold": "B", "score": "0.5"}
    queue, assignment = queue_of(server, service), assignment_of(PLAN, kind, choices)
    push(queue, assignment)
    server.label(LISTED[0], 0.5 if (kind, service) == ("score", "langfuse") else labels[kind])  # type: ignore[attr-defined]
    settled = settle(read(pull(queue, assignment)).rows, LISTED, PLAN.plan_id, kind)
    assert settled.labels[["item_id", "label"]].values.tolist() == [[LISTED[0], labels[kind]]]
    with pytest.raises(LabelError, match="another question"):
        push(queue, assignment_of(PLAN))


def test_items_of_other_plans_are_left_alone_and_named(server: Server, service: str) -> None:
    other, queue = plan_for(IDS, 7), queue_of(server, service)
    assert other.plan_id != PLAN.plan_id
    push(queue, assignment_of(other))
    pushed = push(queue, assignment_of(PLAN))
    assert pushed.created == 24
    # A queue of Langfuse holds ids of traces alone.
    left = ({}, 7) if service == "langfuse" else ({other.plan_id: 7}, 0)
    assert (pushed.others, pushed.foreign) == left
    assert "7 items" in pushed.sentences[1]
    rows = read(pull(queue, assignment_of(PLAN))).rows
    assert set(rows.loc[rows["plan_id"] == PLAN.plan_id, "item_id"]) == set(LISTED)


def test_a_larger_list_of_the_same_design_only_adds(server: Server, service: str) -> None:
    queue, smaller = queue_of(server, service), plan_for(IDS, 20)
    first = set(smaller.ids) & set(PLAN.ids)
    push(queue, assignment_of(smaller))
    server.label(str(smaller.ids[0]), "right")  # type: ignore[attr-defined]
    larger = assignment_of(PLAN)
    larger = Assignment(PLAN, larger.request, larger.kind, (PLAN.plan_id, smaller.plan_id))
    pushed = push(queue, larger)
    assert (pushed.created, pushed.already) == (24 - len(first), len(first))
    family = {PLAN.plan_id, smaller.plan_id}
    settled = settle(read(pull(queue, larger)).rows, LISTED, PLAN.plan_id, "right-wrong", family=family)
    assert settled.labels["item_id"].tolist() == [str(smaller.ids[0])]


def test_pushes_of_one_process_at_the_same_moment_double_nothing(server: Server, service: str) -> None:
    queue, assignment, ready = queue_of(server, service), assignment_of(PLAN), Barrier(3)

    def one_push() -> Pushed:
        ready.wait()
        return push(queue, assignment)

    with ThreadPoolExecutor(3) as people:
        pushes = [future.result() for future in [people.submit(one_push) for _ in range(3)]]
    assert sorted(pushed.created for pushed in pushes) == [0, 0, 24]
    assert Counter(one["item_id"] for one in payloads(server)) == Counter(LISTED)


# Another machine's push of the same list while this one has looked and sent nothing, or its first batch.
@pytest.mark.parametrize("moment", [0, 10])
def test_what_another_machine_pushes_at_the_same_moment_counts_once(server: Server, service: str, moment: int) -> None:
    queue, assignment, other = queue_of(server, service), assignment_of(PLAN), list[Pushed]()

    def meanwhile(done: int, due: int) -> None:
        if done == moment and not other:
            other.append(push(queue, assignment))

    pushed = push(queue, assignment, meanwhile)
    twice = 0 if service == "argilla" else 24 - moment
    assert (other[0].created, pushed.twice) == (24 - moment, twice)
    assert set(one["item_id"] for one in payloads(server)) == set(LISTED)
    assert len(payloads(server)) == 24 + twice
    assert push(queue, assignment).created == 0


def test_a_place_made_at_the_same_moment_is_shared(
    server: Server, service: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue, assignment, kind = queue_of(server, service), assignment_of(PLAN), PLACES[service]
    find, looks = kind.find, list[object]()

    def find_late(*arguments: Any) -> Any:
        looks.append(arguments)
        place = find(*arguments)
        if place is None and len(looks) == 1:
            assert push(queue, assignment).created == 24
        return place

    monkeypatch.setattr(kind, "find", find_late)
    assert (pushed := push(queue, assignment)).already == 24 and pushed.created == 0
    places = {"label-studio": "projects", "argilla": "datasets", "langfuse": "queues"}
    assert len(getattr(server, places[service])) == 1
    assert Counter(one["item_id"] for one in payloads(server)) == Counter(LISTED)


@pytest.mark.parametrize("service", ["label-studio", "langfuse"])
def test_copies_that_people_label_stay_and_count_as_one_item(server: Server, service: str) -> None:
    assert isinstance(server, (LabelStudio, Langfuse))
    queue, assignment = queue_of(server, service), assignment_of(PLAN)
    push(queue, assignment)
    if isinstance(server, LabelStudio):
        server.tasks += [{**task, "id": 100 + task["id"], "annotations": [], "drafts": []} for task in server.tasks[:4]]
        server.tasks[-1]["drafts"].append({})
    else:
        server.items += [{**item, "id": f"j{item['id']}"} for item in server.items[:4]]
        server.items[-1]["status"] = "COMPLETED"
    server.label(LISTED[0], "right", copy=1)
    server.label(LISTED[1], "right", copy=0)
    server.label(LISTED[1], "right", copy=1)
    pushed = push(queue, assignment)
    assert (pushed.created, pushed.already, pushed.twice) == (0, 24, 4)
    assert pushed.sentences[1:] == (Saying("4 items", "once"),)
    settled = settle(read(pull(queue, assignment)).rows, LISTED, PLAN.plan_id, "right-wrong")
    assert settled.labels[["item_id", "label", "voters"]].values.tolist() == [[id_, "right", 1] for id_ in LISTED[:2]]
    assert settled.ratings.empty and len(settled.missing) == 22


@pytest.mark.parametrize("service", ["label-studio", "langfuse"])
def test_what_is_removed_while_it_is_read_is_read_again(server: Server, service: str) -> None:
    queue, assignment = queue_of(server, service), assignment_of(PLAN)
    push(queue, assignment)
    items: list[Any] = server.tasks if isinstance(server, LabelStudio) else server.items  # type: ignore[attr-defined]
    server.accidents = [Removal("GET .*/(tasks|items)$", items, spared=1)]
    assert push(queue, assignment).sentences == ("10 items sent, 14 already there.",)
    assert Counter(one["item_id"] for one in payloads(server)) == Counter(LISTED)


def test_a_server_that_fails_where_two_pushes_meet_is_tried_again(server: Server, service: str) -> None:
    making = {"label-studio": "projects$", "argilla": "datasets$", "langfuse": "queues$"}[service]
    server.accidents = [Accident(f"POST .*{making}", 500, 2)]
    assert push(queue_of(server, service), assignment_of(PLAN)).created == 24


def test_another_target_of_the_same_plan_is_another_item(server: Server, service: str) -> None:
    queue = queue_of(server, service)
    push(queue, assignment_of(PLAN))
    assert push(queue, assignment_of(PLAN, target="another")).created == 24


@pytest.mark.parametrize("accident", [401, 403, 404, 302, 400])
def test_a_refusal_is_one_sentence_that_keeps_the_key(server: Server, service: str, accident: int) -> None:
    server.accidents = [Accident(".", accident, 9)]
    with pytest.raises(LabelError) as refusal:
        push(queue_of(server, service), assignment_of(PLAN))
    assert SERVICES[service].title in str(refusal.value) or server.address in str(refusal.value)
    assert SECRET not in str(refusal.value)


def test_a_wrong_key_names_its_variable_and_is_not_shown(server: Server, service: str) -> None:
    queue = queue_of(server, service)
    wrong = Queue(service, queue.address, queue.project, tuple(f"{key}-wrong" for key in queue.keys))
    with pytest.raises(LabelError, match=SERVICES[service].keys[-1]) as refusal:
        pull(wrong, assignment_of(PLAN))
    assert "wrong" not in str(refusal.value)
    assert not any(key in repr(wrong) for key in wrong.keys)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"address": "ftp://host"}, "address"),
        ({"address": "localhost:8080"}, "address"),
        ({"address": "http://127.0.0.1:9"}, "reached"),
        ({"project": " "}, "name"),
        ({"keys": ("",)}, "LABEL_STUDIO_API_KEY"),
        ({"keys": ("a\nb",)}, "line breaks"),
        ({"service": "prodigy"}, "service"),
    ],
)
def test_what_cannot_be_sent_anywhere(change: dict[str, Any], problem: str) -> None:
    given = {"service": "label-studio", "address": "http://127.0.0.1:9", "project": "P", "keys": (SECRET,)}
    with pytest.raises(LabelError, match=problem):
        push(Queue(**{**given, **change}), assignment_of(PLAN))


def test_pulling_what_was_never_sent_makes_nothing(server: Server, service: str) -> None:
    with pytest.raises(LabelError, match="Round 1"):
        pull(queue_of(server, service), assignment_of(PLAN))
    assert not any(request.startswith("POST") for request in server.requests)


def test_a_stranger_at_the_address(server: Server, service: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for said in ("<!doctype html><html>Hello</html>", {}, [], {"data": [], "items": [{}], "results": None}):
        monkeypatch.setattr(server, "answer", lambda *_, said=said: (200, said))
        with pytest.raises(LabelError, match=r"does not answer as|is in no workspace"):
            push(queue_of(server, service), assignment_of(PLAN))


def test_a_personal_access_token_is_exchanged_whenever_it_runs_out() -> None:
    with running(LabelStudio()) as server:
        queue = Queue("label-studio", server.address, "Round 1", (f"personal.{SECRET}.token",))
        assert push(queue, assignment_of(PLAN)).created == 24
        assert server.requests.count("POST /api/token/refresh") > 1
        wrong = Queue("label-studio", server.address, "Round 1", ("personal.wrong.token",))
        with pytest.raises(LabelError, match="LABEL_STUDIO_API_KEY"):
            push(wrong, assignment_of(PLAN))


def test_a_dataset_of_argilla_names_its_workspace_where_there_are_several() -> None:
    with running(Argilla()) as server:
        assert isinstance(server, Argilla)
        server.workspaces = ["one", "two"]
        with pytest.raises(LabelError, match="“one”, “two”"):
            push(queue_of(server, "argilla"), assignment_of(PLAN))
        assert push(queue_of(server, "argilla", "two/Round 1"), assignment_of(PLAN)).created == 24
        assert server.datasets[0]["workspace_id"] == "w-two"
        hidden = {one["name"]: one["visible_for_annotators"] for one in server.parts["d0", "metadata-properties"]}
        assert hidden["inclusion_probability"] is False and hidden["item_id"] is True


def test_an_older_langfuse_has_the_second_form_of_scores() -> None:
    with running(Langfuse(third=False)) as server:
        assert isinstance(server, Langfuse)
        queue, assignment = queue_of(server, "langfuse"), assignment_of(PLAN)
        push(queue, assignment)
        server.label(LISTED[5], "wrong")
        settled = settle(read(pull(queue, assignment)).rows, LISTED, PLAN.plan_id, "right-wrong")
        assert settled.labels[["item_id", "label"]].values.tolist() == [[LISTED[5], "wrong"]]


def test_an_item_that_langfuse_rejects_is_not_queued() -> None:
    with running(Langfuse()) as server:
        assert isinstance(server, Langfuse)
        server.rejects = True
        with pytest.raises(LabelError, match="too large"):
            push(queue_of(server, "langfuse"), assignment_of(PLAN))
        assert server.items == []


def test_images_of_a_later_list_must_be_shown() -> None:
    with running(LabelStudio()) as server:
        queue = queue_of(server, "label-studio")
        pictured = items_for(IDS).assign(image=["a.png"] * len(IDS))
        frame = request(PLAN, pictured)
        push(queue, Assignment(PLAN, frame, "gold"))
        other = plan_for(IDS, 7)
        with running(Langfuse()) as other_server:
            assert push(queue_of(other_server, "langfuse"), Assignment(PLAN, frame, "gold")).created == 24
            assert sum("otel" in request for request in other_server.requests) == 24
        # A list without images goes into a project that shows them, not the other way round.
        assert push(queue, Assignment(other, request(other, items_for(IDS)), "gold")).created == 7
        plain = queue_of(server, "label-studio", "Without")
        push(plain, Assignment(other, request(other, items_for(IDS)), "gold"))
        with pytest.raises(LabelError, match="fewer images"):
            push(plain, Assignment(PLAN, frame, "gold"))


def test_an_import_behind_the_scenes_is_waited_for() -> None:
    with running(LabelStudio()) as server:
        assert isinstance(server, LabelStudio)
        queue = queue_of(server, "label-studio")
        server.behind = 2, "completed"
        assert push(queue, assignment_of(PLAN)).created == 24
        assert sum("/imports/" in request for request in server.requests) == 9
        server.behind = 2, "failed"
        with pytest.raises(LabelError, match="disk full"):
            push(queue_of(server, "label-studio", "Round 2"), assignment_of(PLAN))
