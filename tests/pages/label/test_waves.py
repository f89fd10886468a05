"""Two waves on page Label: the first list, the button that draws the second, and the second list."""

from __future__ import annotations

import pytest

from core.archive import Archive
from core.labels.formats.records import GIVEN_UP
from core.study import Labelling, Study, kept_plan
from pages.parts.app.address import VERSION
from tests.core.wording import Saying
from tests.pages.conftest import CREATED, bare, press, run
from tests.pages.label.conftest import GOLD, LABEL
from tests.pages.pools import pool, records

TITLE = "Draw the second wave"


@pytest.fixture(scope="module")
def grouped():
    rows = enumerate(records(120, target=None))
    return pool([{**row, "group": f"g{n % 3}", "targets": {"one": {"answer": "AB"[n % 5 == 0]}}} for n, row in rows])


def listed(app):
    return app.dataframe[0].value["item_id"].tolist()


def buttons(app):
    return [one.label for one in app.button]


def test_the_second_wave_is_drawn_where_the_first_is_labelled(open_page, neyman_home, grouped):
    app = open_page(LABEL, grouped, budget=40, seed=3, target="one", v=VERSION, **GOLD)
    assert len(listed(app)) == 40
    app.toggle(key="waves").set_value(True)
    first = listed(run(app))
    assert len(first) == 10 and TITLE not in buttons(app) and "10 items of this list wait" in bare(app.caption)
    assert any("The second wave adds the other items." in one.help for one in app.caption)
    app.download_button(key="csv-made").click()
    run(app)
    archive = Archive(neyman_home)
    (name,) = archive.plans.table()["plan_id"]
    study = Study(Labelling.load(archive, kept_plan(archive, name, grouped), grouped, "gold", "one"))
    answers = grouped.items["answer"].loc[first].tolist()
    given = study.labels.request().assign(label=answers, annotator="Ann")
    study.labels.save(archive, given.head(9), "csv", CREATED)
    assert TITLE not in buttons(run(app)) and "1 item of this list waits" in bare(app.caption)
    gone = given.tail(1).assign(label=None, status=GIVEN_UP)
    study.labels.save(archive, gone, "here", CREATED)
    assert TITLE not in buttons(run(app)) and "1 item of this list waits" in bare(app.caption), "what replaces it"
    study.labels.save(archive, given, "csv", CREATED)
    run(app)
    assert TITLE in buttons(app)
    press(app, TITLE)
    second = kept_plan(archive, app.selectbox(key="design").value, grouped)
    assert second.earlier is not None and second.earlier.plan_id == name
    assert listed(app) == second.ids.tolist() and second.ids[:10].tolist() == first
    assert bare(app.caption) == Saying(f"after the first {9 + second.strata.n_strata}", "valid sample")
    assert TITLE not in buttons(app) and len(Labelling.load(archive, second, grouped).labelled) == 10
    # It is drawn once: from the first list there is a way to it.
    app = open_page(LABEL, grouped, design=name, target="one", v=VERSION, **GOLD)
    assert TITLE not in buttons(app)
    press(app, "Open the second wave")
    assert app.selectbox(key="design").value == second.plan_id
