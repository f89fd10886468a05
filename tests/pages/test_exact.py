"""A slider's fields: a typed number stays, whatever the browser reports before it shows it."""

from __future__ import annotations

import pytest

from pages.parts import exact
from tests.pages.conftest import run

PLAN = "pages/plan.py"


@pytest.fixture
def clock(monkeypatch):
    """A list whose one number is the time."""
    now = [0.0]
    monkeypatch.setattr(exact.time, "monotonic", lambda: now[0])
    return now


def field(app, end):
    return app.number_input(key=f"exact-believed-{end}")


def shown(app):
    """The slider's range, which is that of the fields."""
    assert app.slider(key="believed").value == (field(app, "from").value, field(app, "to").value)
    return app.slider(key="believed").value


@pytest.fixture
def typed(open_page, clock):
    """Page Plan with 55 typed into the first field, 70 before."""
    app = open_page(PLAN)
    assert app.slider(key="believed").value == (70, 85)
    field(app, "from").set_value(55)
    run(app)
    assert shown(app) == (55, 85)
    return app


def test_the_other_end_that_is_typed_before_the_slider_has_moved(typed):
    typed.slider(key="believed").set_value((70, 85))
    field(typed, "to").set_value(77)
    assert shown(run(typed)) == (55, 77)
    # Even twice.
    typed.slider(key="believed").set_value((70, 85))
    field(typed, "from").set_value(50)
    assert shown(run(typed)) == (50, 77)


def test_both_ends_that_arrive_together(open_page, clock):
    app = open_page(PLAN)
    field(app, "from").set_value(55)
    field(app, "to").set_value(77)
    assert shown(run(app)) == (55, 77)


def test_another_control_that_is_used_before_the_slider_has_moved(typed):
    typed.slider(key="believed").set_value((70, 85))
    typed.number_input(key="budget").set_value(200)
    assert shown(run(typed)) == (55, 85)
    # The browser may be later still.
    typed.slider(key="believed").set_value((70, 85))
    typed.number_input(key="budget").set_value(300)
    assert shown(run(typed)) == (55, 85)


def test_the_slider_can_go_back_to_where_it_was(typed, clock):
    clock[0] += 10
    typed.slider(key="believed").set_value((70, 85))
    assert shown(run(typed)) == (70, 85)


def test_the_slider_can_go_back_at_once_when_the_browser_has_shown_the_number(typed):
    run(typed)
    typed.slider(key="believed").set_value((70, 85))
    assert shown(run(typed)) == (70, 85)


def test_a_moving_slider_is_not_stopped_by_its_fields(typed):
    typed.slider(key="believed").set_value((40, 85))
    run(typed)
    typed.slider(key="believed").set_value((30, 85))
    field(typed, "from").set_value(55)
    assert shown(run(typed)) == (30, 85)
    typed.slider(key="believed").set_value((70, 85))
    assert shown(run(typed)) == (70, 85)


def test_a_number_between_the_steps_stays_where_the_browser_reports_the_one_before(open_page, clock):
    app, typed = open_page("pages/explore.py", design="paper"), "exact-budget"
    for number in (130, 137):
        app.number_input(key=typed).set_value(number)
        run(app)
    slider = app.select_slider(key="budget")
    assert {"130", "137"} <= set(slider.options)
    slider.set_value(130)
    run(app)
    assert app.select_slider(key="budget").value == app.number_input(key=typed).value == 137
    # Later it is no step any more.
    clock[0] += 10
    run(run(app))
    assert "130" not in app.select_slider(key="budget").options


def test_a_single_number_stays_too(open_page, clock):
    app = open_page("pages/explore.py", design="paper")
    app.number_input(key="exact-strata").set_value(7)
    run(app)
    app.slider(key="strata").set_value(5)
    app.number_input(key="exact-strata").set_value(9)
    run(app)
    assert app.slider(key="strata").value == app.number_input(key="exact-strata").value == 9
