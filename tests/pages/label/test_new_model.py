"""Results of a model that has not run yet: a list to run it on, kept under its name, and never another model's."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest

from core.archive import Archive
from core.design import recommend
from core.pool import with_models
from core.study import Labelling
from pages.parts.app.address import VERSION
from tests.core.wording import Saying
from tests.pages.conftest import CREATED, bare, button, press, run
from tests.pages.estimate.conftest import headline_number
from tests.pages.pools import pool

LABEL, ESTIMATE = "pages/label.py", "pages/estimate.py"
NEW = {"budget": 40, "target": "new", "label-kind": "Right or wrong", "v": VERSION}
BACK = {**NEW, "part": "Take labels back"}


@pytest.fixture(scope="module")
def versions():
    """Verdicts of three versions of an agent on 200 tasks: no answers, no right answers."""
    rng = np.random.default_rng(4)
    hard = rng.random(200)
    rates = {"agent-1.0": 0.5, "agent-1.1": 0.6, "agent-1.2": 0.7}
    return pool(
        [
            {"id": f"t{n}", "targets": {name: {"loss": float(hard[n] > rate)} for name, rate in rates.items()}}
            for n in range(200)
        ],
        "agents",
    )


def returned(app, downloads, right):
    """Fill the list that was downloaded: the first ``right`` runs went well."""
    rows = list(csv.DictReader(io.StringIO(downloads["CSV"]())))
    text = io.StringIO()
    writer = csv.DictWriter(text, rows[0])
    writer.writeheader()
    writer.writerows([{**row, "label": "pass" if n < right else "fail"} for n, row in enumerate(rows)])
    return text.getvalue().encode()


def test_results_of_a_new_model_are_kept_under_its_name(open_page, downloads, neyman_home, versions):
    """They were kept without one, and page Estimate gave them to the first model of the pool."""
    app = open_page(LABEL, versions, **NEW)
    assert "Name the new model" in bare(app.warning)
    files = {one.proto.label: one.proto.disabled for one in app.get("download_button")}
    assert files["CSV"], "nobody could tell whose results they are"
    app = open_page(LABEL, versions, **NEW, **{"new-model": "agent-1.3"})
    assert Saying("No answer of “agent-1.3”", "Run it on them", "“label”") == bare(app.caption) and not app.warning
    content = returned(app, downloads, 30)
    # Without the name, nothing is kept; with it, under the name.
    for named in (False, True):
        app = open_page(LABEL, versions, **BACK, **({"new-model": "agent-1.3"} if named else {}))
        app.file_uploader(key="labels-file").upload("runs.csv", content)
        run(app)
        if any(one.label == "Use these meanings" for one in app.button):
            press(app, "Use these meanings")
        assert button(app, "Keep these labels").disabled == (not named)
        assert ("Whose results are these?" in bare(app.warning)) == (not named)
    press(app, "Keep these labels")
    archive = Archive(neyman_home)
    assert archive.labels.judged(versions.items_digest) == ("agent-1.3",)
    app = open_page(ESTIMATE, versions, v=VERSION, target="new", **{"new-model": "agent-1.3"})
    assert app.selectbox(key="target").value == "agent-1.3" and not app.exception
    assert "not offered" not in bare(app.caption)
    assert "“agent-1.3”" in bare(app.markdown) and headline_number(app).startswith("75")
    # The number is nobody else's.
    app.selectbox(key="target").set_value("agent-1.0")
    run(app)
    assert not headline_number(app) and "“agent-1.0” gets" not in bare(app.markdown)
    assert Saying("No label of this plan") == bare(app.info)
    # A later list of the same pool offers the model, but does not begin with it; without its labels it is gone.
    chooser = open_page(LABEL, versions, budget=40, v=VERSION, seed=77).selectbox(key="target")
    assert chooser.options[3:4] == ["agent-1.3"] and chooser.value == "agent-1.2"
    app = open_page("pages/plan.py", versions, v=VERSION, target="agent-1.3", **{"plan-for": "pool"})
    assert app.query_params["target"] == "agent-1.3", "other pages are about it"
    plan = str(archive.plans.table(versions.items_digest)["plan_id"].iloc[0])
    archive.labels.undo(plan)
    assert archive.labels.judged(versions.items_digest) == ()
    reserved = open_page(LABEL, versions, **NEW, **{"new-model": "t20250101"})
    assert "reserved" in bare(reserved.error)


def test_labels_that_name_no_model_are_said_to_count_for_each(open_page, neyman_home, versions):
    """As an earlier version kept results of a new model."""
    plan = recommend(versions, 40, None).draw(versions, seed=2)
    archive = Archive(neyman_home)
    record = Labelling.load(archive, plan, versions, "right-wrong", None)
    record.save(archive, record.request().assign(label="right", annotator="Ann"), "csv", CREATED)
    app = open_page(ESTIMATE, versions, v=VERSION)
    assert Saying("40 labels name no model", "for “agent-1.0” and for every other target") == bare(app.warning)


def test_a_model_that_only_labels_name_has_no_outcome(versions):
    more = with_models(versions, ["agent-1.3", "agent-1.0"])
    assert [*more.targets] == [*versions.targets, "agent-1.3"]
    assert (
        np.isnan(more.losses("agent-1.3")).all()
        and not more.targets.answered
        and more.items_digest == versions.items_digest
    )
    np.testing.assert_array_equal(more.losses("agent-1.0"), versions.losses("agent-1.0"))
