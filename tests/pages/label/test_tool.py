"""A list that goes to a running labelling tool, and its labels that come back to the page."""

from __future__ import annotations

import pytest

from core.archive import Archive
from pages.parts.app import visitor
from tests.core.labels.queues.servers import SECRET, LabelStudio, running
from tests.core.wording import Saying
from tests.pages.conftest import bare, button, press
from tests.pages.pools import plan_of, pool, records

LABEL = "pages/label.py"


@pytest.fixture
def studio(monkeypatch):
    monkeypatch.setattr("core.web.client.FIRST_PAUSE", 0.001)
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", SECRET)
    with running(LabelStudio()) as server:
        monkeypatch.setenv("LABEL_STUDIO_URL", server.address)
        yield server


@pytest.fixture(scope="module")
def chosen():
    rows = [{**row, "targets": {"one": {"answer": "A"}}} for row in records(80, target=None)]
    return pool(rows, "sent")


def shown(app):
    """Everything that the page says."""
    return " ".join(bare(part) for part in (app.caption, app.success, app.error, app.warning, app.markdown))


def test_a_list_is_sent_and_its_labels_are_fetched_and_kept(open_page, neyman_home, chosen, studio):
    plan, query = plan_of(chosen, 8)[0], {"budget": 8, "label-kind": "Right or wrong"}
    app = open_page(LABEL, chosen, ["send-list"], **query)
    press(app, "Send the list")
    assert "8 items sent" in bare(app.success)
    assert [task["data"]["item_id"] for task in studio.tasks] == list(map(str, plan.ids))
    assert "semantic_entropy" not in studio.tasks[0]["data"] and SECRET not in shown(app)
    assert Archive(neyman_home).plans.table(plan.items_digest)["plan_id"].tolist() == [plan.plan_id]
    studio.label(str(plan.ids[0]), "right", person=3)
    studio.label(str(plan.ids[1]), "wrong", person=3)
    # A larger list of the same design adds its items to the same project.
    app = open_page(LABEL, chosen, ["send-list"], **query | {"budget": 10})
    press(app, "Send the list")
    assert "2 items sent, 8 already there" in bare(app.success)
    app = open_page(LABEL, chosen, ["fetch-labels"], part="Take labels back", **query)
    press(app, "Fetch labels")
    assert bare(app.markdown) == Saying("2 of 8 items")
    press(app, "Keep these labels")
    rows = Archive(neyman_home).labels.of(plan.plan_id)
    assert rows[["annotator", "label", "source"]].to_numpy().tolist() == [
        ["3", "right", "label-studio"],
        ["3", "wrong", "label-studio"],
    ]


def test_a_shared_app_sends_its_key_nowhere_else(open_page, chosen, studio, monkeypatch):
    monkeypatch.setattr(visitor, "address", lambda: "http://lab:8501")
    monkeypatch.delenv("LABEL_STUDIO_API_KEY")
    app = open_page(LABEL, chosen, ["send-list"], budget=8)
    field = app.text_input(key="queue-address-label-studio")
    assert (field.disabled, field.value) == (True, studio.address)
    assert bare(app.caption) == Saying("LABEL_STUDIO_API_KEY", "not set")
    press(app, "Send the list")
    assert "LABEL_STUDIO_API_KEY" in bare(app.error) and studio.requests == []
    assert button(app, "Send the list")
