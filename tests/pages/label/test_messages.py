"""Messages that no desk sends: what is left out is said, what can be read is saved, and nothing breaks."""

from __future__ import annotations

import json
import uuid

import pytest

from core.archive import Archive
from pages.parts.label.outbox import DeskMessage
from tests.pages.desk import desk, send
from tests.pages.label.conftest import HERE, LABEL, RIGHT_WRONG, progress
from tests.pages.pools import plan_of

TO = json.dumps(["p" * 64, "plan", "gold", "", "Ann"])
STEP = {"id": "a", "to": TO, "item": "q1", "label": "A", "status": "", "note": None, "was": None, "undo": False}
NESTED = "[" * 100_000
BROKEN = [
    {"have": 5},
    {"have": [[]]},
    {"have": {"q1": 1}},
    {"have": "q1"},
    {"whole": None},
    {"whole": [None]},
    {"list": ["x"]},
    {"list": {}},
    {"ops": 5},
    {"ops": {"id": "a"}},
    {"ops": [None, 5, "x", []]},
    {"ops": [{"id": 5}]},
    {"ops": [STEP | {"to": NESTED}]},
    {"ops": [STEP | {"to": "9" * 5000}]},
    {"ops": [STEP | {"to": json.dumps(["\ud800"] * 2 + ["gold"] + ["\ud800"] * 2)}]},
    {"ops": [STEP | {"item": ["q1"]}]},
    {"ops": [STEP | {"id": "A B"}]},
]


def test_messages_that_no_desk_sends_are_said_in_a_sentence(open_page, letters):
    app = open_page(LABEL, letters, budget=8, annotator="Ann", **HERE)
    for broken in BROKEN[::8]:
        send(app, **broken)
        assert [("Reload the page" in error.value) for error in app.error] == [True], broken
        assert progress(app) == "0 of 8 items"
    send(app, {"item": desk(app)["order"][0], "label": "A"})
    assert not app.error and progress(app) == "1 of 8 items"


def test_what_can_be_read_of_it_is_saved(open_page, neyman_home, letters):
    plan, _ = plan_of(letters, 8)
    app = open_page(LABEL, letters, budget=8, annotator="Ann", **HERE)
    send(app, {"item": plan.ids[0], "label": "A"}, {"item": 5}, {"item": plan.ids[1], "label": "B"}, have=5)
    rows = Archive(neyman_home).labels.of(plan.plan_id)
    assert rows[["item_id", "label"]].to_numpy().tolist() == [[plan.ids[0], "A"], [plan.ids[1], "B"]]
    assert app.error


@pytest.mark.parametrize("broken", BROKEN, ids=lambda one: str(one)[:40])
def test_what_no_desk_sends_is_left_out(broken):
    message = DeskMessage.read({"list": "x", "ops": [], "have": [], "whole": []} | broken)
    assert not message.sound and message.steps == () and message.have == message.whole == frozenset()


@pytest.mark.parametrize("given", [None, 5, "text", [], [[]], {}, {"ops": None}])
def test_anything_else_is_no_message(given):
    message = DeskMessage.read(given)
    assert not message.sound and message.steps == () and message.have == message.whole == frozenset()


def test_a_message_of_the_desk_is_read_whole():
    message = DeskMessage.read({"list": "x", "ops": [STEP], "have": ["q1"], "whole": [], "redraw": False, "at": 1})
    assert message.sound and message.have == {"q1"} and [step.item for step in message.steps] == ["q1"]


def test_of_a_flood_of_steps_the_first_are_done_and_the_others_wait():
    message = DeskMessage.read({"ops": [STEP] * 5000})
    assert message.sound and len(message.steps) == 1000


def test_what_changed_on_the_way_is_no_label(open_page, neyman_home, two_targets):
    plan, _ = plan_of(two_targets, 8)
    app = open_page(LABEL, two_targets, budget=8, target="first", annotator="Ann", **HERE, **RIGHT_WRONG)
    values = ("maybe", "rightish", "0.5", "1e-400", "\u0000", "right\ud800", " ", 1, True, ["right"])
    send(app, ops=[sent(app, plan, label=value) for value in values])
    to = json.loads(desk(app)["to"])
    changes = ((0, "f" * 64), (1, "another"), (2, "score"), (3, "0" * 8), (4, "(decision)"))
    places = [json.dumps([*to[:part], value, *to[part + 1 :]]) for part, value in changes]
    send(app, ops=[sent(app, plan, label="right", to=one) for one in places])
    assert Archive(neyman_home).labels.of(plan.plan_id).empty and progress(app) == "0 of 8 items"
    send(app, ops=[sent(app, plan, label="right")])
    assert progress(app) == "1 of 8 items"


def sent(app, plan, **changed):
    """A step as the desk of a page sends it, but for what is changed."""
    return STEP | {"id": uuid.uuid4().hex, "to": desk(app)["to"], "item": plan.ids[0]} | changed
