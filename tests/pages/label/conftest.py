"""Pools to label right here, their plans, and what the page shows and offers."""

from __future__ import annotations

import pytest

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


def offered(app):
    return {one.label: one.proto.shortcut for one in app.button}


def progress(app):
    return app.get("progress")[0].proto.text


def shown_item(app):
    return next(c.value for c in app.caption if c.value.startswith("Item ")).replace("\\", "").removeprefix("Item ")
