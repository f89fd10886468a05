"""Pools to label right here, their plans, and what the page shows and offers."""

from __future__ import annotations

import pytest

from tests.pages.desk import desk
from tests.pages.pools import pool, records

LABEL = "pages/label.py"
HERE = {"part": "Label here"}
RIGHT_WRONG = {"label-kind": "Right or wrong"}
GOLD = {"label-kind": "gold"}


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


def offered(app):
    """The keys of each answer to the item that is shown."""
    shown = desk(app)
    return {one["label"]: one["keys"] for one in shown["items"][shown["order"][0]]["answers"]}


def progress(app):
    shown = desk(app)
    return f"{shown['done']} of {shown['total']} items"


def shown_item(app):
    return desk(app)["order"][0]
