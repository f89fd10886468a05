"""What labels say of a pool's target already comes first on every page that is about a list to label."""

from __future__ import annotations

import pytest

from tests.pages.conftest import bare, press
from tests.pages.label.test_back import JUDGED, LABEL, filled, upload
from tests.pages.pools import plan_of, pool, records, without


@pytest.fixture(scope="module")
def answered():
    rows = [{**row, "targets": {"one": {"answer": "A"}}} for row in records(80, target=None)]
    for row in rows:
        row.pop("answer")
    return pool(rows, "answered")


def test_labels_of_a_model_that_the_file_does_not_name_come_first_as_well(open_page):
    unnamed = pool(without("answer", records(80, target=None)), "unnamed")
    plan = plan_of(unnamed, 8)[0]
    press(upload(open_page(LABEL, unnamed, **JUDGED), filled(plan, "right", "Ann")), "Keep these labels")
    for page in ("app.py", "pages/lab.py"):
        app = open_page(page, unnamed)
        assert "Your model is right on about" in bare([*app.title, *app.markdown]), page


def test_labels_come_first_on_every_page_before_labels(open_page, answered):
    assert "right on about" not in open_page("app.py", answered).title[0].value
    plan = plan_of(answered, 8)[0]
    said = ["right", "wrong", *["right"] * 6]
    press(upload(open_page(LABEL, answered, **JUDGED), filled(plan, said, "Ann")), "Keep these labels")
    for page in ("app.py", "pages/plan.py", "pages/pool.py", "pages/explore.py", "pages/lab.py"):
        app = open_page(page, answered)
        shown = bare([*app.title, *app.markdown])
        assert "one is right on about" in shown and "(95 % confidence), from 8 labels." in shown.replace("\xa0", " ")
        assert [one for one in app.get("page_link") if one.proto.label == "See the estimate"]
