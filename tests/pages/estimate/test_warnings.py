"""What the server's log is spared."""

from __future__ import annotations

from streamlit.elements.lib import policies

from tests.pages.estimate.conftest import ESTIMATE, judged, keep, plan_of, press, two_targets


def test_the_way_from_estimate_to_label_leaves_no_warning_of_a_control_set_twice(
    open_page, neyman_home, monkeypatch, logged
):
    monkeypatch.setattr(policies, "_shown_default_value_warning", False)
    pool = two_targets()
    plan, _ = plan_of(pool, 40, n_strata=4)
    keep(neyman_home, pool, plan, judged(pool, plan.ids, "two"), "right-wrong", "two")
    app = press(open_page(ESTIMATE, pool), "Back to the list")
    assert app.title[0].value == "Label" and app.selectbox(key="design").value == plan.plan_id
    assert "was created with a default value" not in logged.stream.getvalue()
