"""Two waves on page Estimate: from the first to the second, and a top-up of both."""

from __future__ import annotations

import re

from core.archive import Archive
from core.design import Design, Scheme
from core.study import Labelling, Study, kept_plan
from tests.core.wording import Saying
from tests.pages.conftest import bare, dials, run
from tests.pages.estimate.conftest import (
    ESTIMATE,
    SECOND,
    gold,
    keep,
    text,
    two_targets,
)


def test_the_first_wave_leads_to_the_second_which_can_be_topped_up(open_page, neyman_home):
    pool = two_targets(240)
    plan = Design(80, Scheme(waves=2, n_strata=40), 3).draw(pool)
    keep(neyman_home, pool, plan, gold(pool, plan.ids), "gold")
    app = open_page(ESTIMATE, pool, target="one")
    assert app.selectbox(key="plan").options[0] == Saying("40 strata", "semantic entropy", "first wave", "seed 3")
    assert text(app) == Saying("first of two waves", "60 more labels")
    assert not [one for one in app.number_input if one.key == "half-width"]
    archive = Archive(neyman_home)
    study = Study(Labelling.load(archive, kept_plan(archive, plan.plan_id, pool), pool, "gold", "one"))
    after = study.next_wave()
    app.button(key="second-wave").click()
    run(app)
    assert app.title[0].value == "Label" and app.selectbox(key="design").value == plan.plan_id
    assert app.button(key="second-wave").label == "Draw the second wave"

    after.labels.save_plan(archive, SECOND)
    app = open_page(ESTIMATE, pool, target="one", plan=plan.plan_id)
    app.button(key="second-wave").click()
    run(app)
    assert app.selectbox(key="plan").value == after.plan.plan_id and "no label yet" in text(app)
    keep(neyman_home, pool, after.plan, gold(pool, after.plan.ids[20:]), "gold", created=SECOND)
    app = open_page(ESTIMATE, pool, target="one", about="precision", **{"half-width": 5})
    assert app.selectbox(key="plan").value == after.plan.plan_id and "from 80 labels" in text(app)
    total = int(re.search(r"more labels?\*\*, ([\d,]+) in all", text(app))[1])
    app.button(key="label-more").click()
    run(app)
    assert app.title[0].value == "Label" and dials(app)["budget"] == total
    assert bare(app.markdown) == Saying(f"{total - 20} of", "220 items to label now")
