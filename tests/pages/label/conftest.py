"""Pools to label right here, their plans, and what the page shows and offers."""

from __future__ import annotations

import pytest

from core.design import Design
from core.profile import profile
from tests.pages.conftest import run
from tests.pages.pools import pool, records

LABEL = "pages/label.py"
HERE = {"part": "Label here"}
RIGHT_WRONG = {"label-kind": "Right or wrong"}


@pytest.fixture(scope="module")
def letters():
    """A pool without choices whose truths are single letters."""
    rows = [{**row, "answer": "ABCD"[number % 4]} for number, row in enumerate(records(80))]
    return pool(rows, "letters")


@pytest.fixture(scope="module")
def two_targets():
    rows = [
        {**row, "targets": {"first": {"answer": "A"}, "second": {"answer": "B"}}} for row in records(60, target=None)
    ]
    return pool(rows, "two targets")


def plan_of(chosen, budget):
    found = profile(chosen.classes())
    return Design(budget).plan(chosen.digest, chosen.items.index.to_numpy(dtype=object), found), found


def button(app, label):
    return next(one for one in app.button if one.label == label)


def press(app, label):
    button(app, label).click()
    return run(app)


def offered(app):
    return {one.label: one.proto.shortcut for one in app.button}


def progress(app):
    return app.get("progress")[0].proto.text


def bare(elements):
    return "\n".join(str(e.value).replace("\\", "").replace("\u2060", "") for e in elements)


def shown_item(app):
    return next(c.value for c in app.caption if c.value.startswith("Item ")).replace("\\", "").removeprefix("Item ")
