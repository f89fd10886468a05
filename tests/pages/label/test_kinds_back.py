"""The program's own file of kept labels, of several kinds and targets, comes back as what it is."""

from __future__ import annotations

import pandas as pd
import pytest

from core.archive import Archive
from core.design import manifest
from core.labels import labels_csv
from tests.core.wording import Saying
from tests.pages.conftest import bare, button, press, run
from tests.pages.label.conftest import LABEL
from tests.pages.pools import plan_of
from tests.sampled import sampled

CREATED = "2026-01-01T00:00:00+00:00"
ASKED = ["The right answer", "Right or wrong", "A score, 0 to 1"]


@pytest.fixture
def exported(neyman_home, two_targets):
    """An archive with labels of three kinds and two targets by one person, and its file of them."""
    plan, _ = plan_of(two_targets, 8)
    archive, ids = Archive(neyman_home), [str(item) for item in plan.ids]
    archive.plans.save(plan.plan_id, manifest.write(plan, "p"), two_targets.digest, CREATED)
    given = [("gold", "", "A"), ("right-wrong", "first", "right"), ("right-wrong", "second", "wrong")]
    for kind, target, label in [*given, ("score", "first", "0.5")]:
        rows = pd.DataFrame({"item_id": ids[:6], "label": label, "annotator": "Ann"})
        rows = pd.concat(
            [
                rows,
                pd.DataFrame([{"item_id": ids[6], "label": None, "annotator": "Ann", "status": "given up"}]),
                pd.DataFrame([{"item_id": ids[7], "label": None, "annotator": "(no name)", "status": "skipped"}]),
                pd.DataFrame([{"item_id": ids[0], "label": label, "annotator": "(no name)", "note": "sure"}]),
            ],
            ignore_index=True,
        )
        archive.labels.save(plan.plan_id, rows, CREATED, "csv", kind, target)
    return plan, labels_csv(archive.labels.of(plan.plan_id)).encode()


def given_back(open_page, chosen, content, kind):
    app = open_page(LABEL, chosen, budget=8, **{"part": "Take labels back", "label-kind": kind})
    app.file_uploader(key="labels-file").upload("neyman-p0123456789ab-labels.csv", content)
    return run(app)


@pytest.mark.parametrize("kind", ASKED)
def test_taking_back_what_is_kept_changes_nothing(open_page, neyman_home, two_targets, exported, kind):
    plan, content = exported
    before = Archive(neyman_home).labels.of(plan.plan_id)
    app = given_back(open_page, two_targets, content, kind)
    assert not app.text_input, "everybody is named"
    assert "differ" not in bare(app.warning)
    bare_list = bare(app.info)
    assert (bare_list == Saying("right answer", "6 of 8")) == (kind != ASKED[0])
    assert (bare_list == Saying("scores", "first", "6 of 8")) == (kind != ASKED[2])
    press(app, "Keep these labels")
    assert bare(app.success) == Saying("Nothing new")
    pd.testing.assert_frame_equal(Archive(neyman_home).labels.of(plan.plan_id), before)


@pytest.mark.parametrize("kind", sampled(ASKED, "A score, 0 to 1".__eq__))
def test_each_kind_is_brought_back_as_itself_in_one_step(open_page, neyman_home, two_targets, exported, tmp_path, kind):
    plan, content = exported
    archive = Archive(neyman_home)
    before = archive.labels.of(plan.plan_id).drop(columns=["created", "source"])
    while archive.labels.undo(plan.plan_id):
        pass
    app = press(given_back(open_page, two_targets, content, kind), "Keep these labels")
    after = archive.labels.of(plan.plan_id).drop(columns=["created", "source"])
    order = ["kind", "target", "item_id", "annotator"]
    pd.testing.assert_frame_equal(
        after.sort_values(order, ignore_index=True), before.sort_values(order, ignore_index=True)
    )
    assert bare(app.caption) == Saying("last import", "right answers", "right/wrong labels", "scores", "(no name), Ann")
    press(app, "Undo the last import")
    assert archive.labels.of(plan.plan_id).empty


def test_what_judges_a_target_is_no_right_answer(open_page, two_targets, exported):
    plan, _ = exported
    rows = "".join(f"{item},right,t00000000\n" for item in plan.ids)
    app = given_back(open_page, two_targets, f"item_id,label,answers_of\n{rows}".encode(), ASKED[0])
    assert bare(app.warning) == Saying("do not say what is right", "left out")
    assert bare(app.markdown) == Saying("No row of this file")
    assert button(app, "Keep these labels").disabled


def test_what_is_told_to_be_replaced_is_replaced(open_page, neyman_home, two_targets, exported):
    plan, _ = exported
    one, two = plan.ids[:2]
    content = f"item_id,label,annotator,kind\n{one},A,Ann,gold\n{one},B,Ann,gold\n{two},C,Ann,gold\n"
    app = given_back(open_page, two_targets, content.encode(), ASKED[0])
    said = bare(app.warning)
    assert said == Saying("1 label kept before differs", "will be replaced")
    assert said == Saying("1 label stands beside another", "both count")
    press(app, "Keep these labels")
    rows = Archive(neyman_home).labels.of(plan.plan_id)
    answers = rows[(rows["annotator"] == "Ann") & (rows["kind"] == "gold")].groupby("item_id")["label"].agg(list)
    assert answers[one] == ["A", "B"] and answers[two] == ["C"]
