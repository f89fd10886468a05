"""The desk at which items are labelled, driven without a browser: what it was given, and what it sends."""

from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING, Any

from tests.pages.conftest import components

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest


def desks(app: AppTest) -> list[Any]:
    """The desk at which items are labelled, if one is drawn; not what stands in for it if the page fails."""
    return [one for one in components(app, "neyman_desk") if "list" in json.loads(one.json)]


def desk(app: AppTest) -> dict[str, Any]:
    """What the desk at which items are labelled was given."""
    (component,) = desks(app)
    shown: dict[str, Any] = json.loads(component.json)
    return shown


def place(app: AppTest) -> list[int]:
    """Where the desk stands on the page: from the root, which child of which. Elsewhere, a browser makes it again."""

    def below(node: Any) -> list[int] | None:
        if node.type == "bidi_component" and node.proto.component_name == "neyman_desk":
            return []
        ways = ((number, below(child)) for number, child in getattr(node, "children", {}).items())
        return next(([number, *way] for number, way in ways if way is not None), None)

    way = below(app._tree)
    assert way is not None
    return way


def send(app: AppTest, *steps: dict[str, Any], **more: Any) -> AppTest:
    """Have the desk send steps, and run the page; those that were not saved go first, as in a browser."""
    (component,) = desks(app)
    shown = desk(app)
    sent = app.session_state.get("sent", [])
    sent = [step for step in sent if not shown["replies"].get(step["id"], {}).get("saved")]
    to = json.loads(shown["to"])
    # As the browser's part does: the field may name somebody since.
    to[-1] = next((one.value.strip() or shown["nobody"] for one in app.text_input if one.key == "annotator"), to[-1])
    place = json.dumps(to, ensure_ascii=False, separators=(",", ":"))
    sent += [{"label": None, "status": "", "id": uuid.uuid4().hex, "to": place, **step} for step in steps]
    app.session_state["sent"] = sent
    states = app._tree.get_widget_states()
    trigger = states.widgets.add()
    trigger.id = f"$$STREAMLIT_INTERNAL_KEY_{component.id}__events"
    message = {"list": shown["list"], "ops": sent, "have": [], "whole": [], **more}
    trigger.json_trigger_value = json.dumps([{"event": "outbox", "value": message}])
    app._run(states)
    assert [error.value for error in app.exception] == []
    return app


def label(app: AppTest, action: str, note: str = "") -> AppTest:
    """Do at the desk what a person does with the item that is shown: answer it, Skip, Replace item or Undo."""
    shown = desk(app)
    if action == "Undo":
        back = shown["back"]
        return send(app, {"item": back["item"], "label": back["label"], "undo": True}) if back else app
    item = shown["items"][shown["order"][0]]
    statuses = {"Skip": "skipped", "Replace item": "given up"}
    step = {"item": item["id"], "note": note, "was": item["was"], "status": statuses.get(action, "")}
    titles = {one["title"]: one["label"] for one in item["answers"]}
    return send(app, step | ({} if action in statuses else {"label": titles.get(action, action)}))
