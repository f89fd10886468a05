"""Overview: the promise of a pool, its figure, and the guided tour."""

from __future__ import annotations

import json
import re
from urllib.parse import parse_qsl

import numpy as np
import pytest

from core.allocation import budget_options, default_budget
from core.archive import Archive
from core.design import Design, Scheme, recommend
from core.labels import of_target
from core.prospect import Costs, Prospect, Question, own_scenario, scenarios
from core.readers import read
from core.simulation import exact_mse, rounds, uniform_mse
from core.study import labelled
from core.words import per_cent
from pages.parts.app import frame, state
from pages.parts.overview import stage as stage_part
from pages.parts.widgets import numbers
from tests.core.wording import Saying
from tests.pages.conftest import BARE, bare, button, components, press, run
from tests.pages.first_sight import blocks
from tests.pages.pools import odd, pool, records, with_losses
from tests.pages.reference import known_losses
from tests.pages.test_recommended import past_rows

STOPS = range(1, 6)


@pytest.fixture(scope="module")
def rich():
    return pool(past_rows(300), "4 models")


def stage(app):
    """What the figure is given."""
    (component,) = components(app, "neyman_stage")
    return json.loads(component.json)


def promised(app):
    """The promise: the title, or the finding below what the pool knows already."""
    found = [one.value for one in app.main.markdown if one.value.startswith("## ")]
    return (found if "is right on" in app.title[0].value else [app.title[0].value])[0]


def facts(app, budget=None):
    """Return the numbers saved at a budget, by default at that of the slider, by their names."""
    shown = stage(app)
    numbers = shown["moves"][str(shown["budget"] if budget is None else budget)]["facts"]
    return {name: plainly(number) for number, name in numbers}


def plainly(text):
    return text.replace("\u00a0", " ")


def saved(app):
    """Return how many labels are saved, and their cost in words."""
    (labels, *costs) = facts(app).values()
    return int(labels.split()[0].replace(",", "")), ", ".join(costs)


def behind(app):
    """Return the help of the figure's caption."""
    (caption,) = (one for one in app.main.caption if "Bars: " in one.value.replace("\\", ""))
    return plainly(caption.proto.help.replace("\\", ""))


def test_the_title_and_the_figure_are_those_of_the_plan_that_would_be_drawn(open_page, rich):
    app = open_page("app.py", rich, budget=40)
    losses = known_losses(rich, "m0")
    plan = recommend(rich, 40, "m0").draw(rich, seed=0)
    ours = exact_mse(losses, plan.stratum, plan.allocation)
    prospect = Prospect(rich, "m0", 40)
    narrow = prospect.half_widths_of("uniform", range(1, 301)) <= prospect.promise.half_width
    needed = next(m for m in range(1, 301) if uniform_mse(losses, m) <= ours or narrow[m - 1])
    right = per_cent(1 - losses.mean(), 1).replace(".", "\\.")
    assert app.title[0].value == f"m0 is right on {right} of all items"
    assert "no labels are needed for that" in bare(app.markdown)
    assert f"from 40 labels instead of {needed}" in promised(app)
    assert facts(app)[f"saved, of {needed}"] == f"{needed - 40} labels"
    shown = stage(app)
    assert sum(shown["strata"]) == len(shown["shades"]) == 300 and len(shown["strata"]) == 10
    assert len({place for place, _ in shown["lit"]}) == 300 and shown["budget"] == 40
    designs = Design(40, Scheme(allocation="uniform")), plan.design
    for lane, design in zip(shown["lanes"], designs, strict=True):
        drawn = rounds(design, rich, losses, 200, seed=1)
        assert (lane["high"] - lane["low"]) / 2 == pytest.approx(50 * (drawn["high"] - drawn["low"]).mean(), rel=0.03)
        assert lane["value"] == shown["axis"]["truth"] == pytest.approx(100 * (1 - losses.mean()))


def test_lit_dots_stand_in_the_strata_from_which_they_were_drawn(open_page, rich):
    """The figure lights as many as the slider says: each head of the sample is one of that size."""
    shown = stage(open_page("app.py", rich, budget=40))
    ends = np.cumsum(shown["strata"])
    for budget in (10, 40, 100):
        places = [place for place, _ in shown["lit"][:budget]]
        in_each = np.bincount(np.searchsorted(ends, places, side="right"), minlength=10)
        assert in_each.sum() == budget and np.ptp(in_each) <= 1 + budget // 20
    assert int(shown["shades"][0]) < int(shown["shades"][-1])


def test_the_numbers_of_every_budget_are_there_before_the_slider_moves(open_page, rich):
    """The browser shows while it moves the numbers that the server has for that budget."""
    shown = stage(open_page("app.py", rich, budget=40, price=2))
    prospect = Prospect(rich, "m0", 40)
    assert list(map(int, shown["moves"])) == sorted({40, *budget_options(30, 300)})
    for budget in (30, 100, 200):
        promise, here = prospect.at(budget).promise, stage(open_page("app.py", rich, budget=budget, price=2))
        one = shown["moves"][str(budget)]
        assert one == here["moves"][str(budget)]
        assert one["half"] == pytest.approx([100 * promise.uniform, 100 * promise.half_width])
        assert [plainly(text) for text in one["texts"]] == [
            f"±{100 * half:.1f} points" for half in (promise.uniform, promise.half_width)
        ]
        assert one["facts"][0] == [f"{promise.fewer} labels", f"saved, of {promise.uniform_labels}"]
        # One scale, on which the intervals of all budgets fit.
        low, middle, high = here["axis"]["low"], here["axis"]["truth"], here["axis"]["high"]
        assert max(middle - low, high - middle) >= max(one["half"])


def rates(app):
    """What is said of the price of a label, on the button that opens its fields."""
    return app.get("popover")[0].proto.popover.label.replace("\\", "").replace("\u2060", "").replace("\u00a0", " ")


@pytest.mark.parametrize(
    ("given", "costs", "said"),
    [
        ({}, Costs(5, 5), "Assumed: 5 €, 5 minutes a label"),
        ({"price": 2}, Costs(2, 5), "Assumed: 5 minutes a label"),
        ({"minutes": 3, "currency": "$"}, Costs(5, 3, currency="$"), "Assumed: $5 a label"),
        ({"price": 2, "minutes": 3}, Costs(2, 3), "2 €, 3 minutes a label"),
        ({"run-price": 4, "minutes": 3}, Costs(0, 3, 4), "4 €, 3 minutes a label"),
        ({"price": 0, "minutes": 3}, Costs(0, 3), "3 minutes a label"),
    ],
)
def test_money_and_hours_saved_are_at_prices_that_are_set_or_called_assumed(open_page, rich, given, costs, said):
    app = open_page("app.py", rich, budget=40, **given)
    fewer, cost = saved(app)
    assert cost == plainly(costs.spent(fewer)) and rates(app) == said


def test_what_is_free_saves_no_money(open_page, rich):
    app = open_page("app.py", rich, budget=40, price=0, minutes=0)
    assert len(facts(app)) == 1 and rates(app) == "Set the price of a label"


def test_a_price_that_is_assumed_is_on_no_other_part_of_the_app(open_page, rich):
    for page, query in (
        ("app.py", {"tour": 1}),
        ("app.py", {"tour": 5}),
        ("pages/explore.py", {}),
        ("pages/label.py", {"seed": 0}),
    ):
        assert "€" not in bare([one for one in open_page(page, rich, budget=40, **query).markdown])
    app = open_page("app.py", rich, budget=40)
    assert "€" not in bare([*app.markdown, *app.caption]) and "price" not in app.query_params


def test_page_plan_says_that_its_price_is_assumed(open_page, rich):
    app = open_page("pages/plan.py", rich, budget=40)
    assert "at 5\u00a0€ a label (assumed)" in bare(app.caption) and "price" not in app.query_params
    assert "assumed" not in bare(open_page("pages/plan.py", rich, budget=40, price=3).caption)


def test_a_price_is_set_on_the_first_screen(open_page, rich):
    app = open_page("app.py", rich, budget=40)
    app.number_input(key="price").set_value(2.0)
    run(app)
    assert app.query_params["price"] == "2"
    fewer, cost = saved(app)
    assert cost.startswith(plainly(Costs(2.0).spent(fewer)))
    assert "40 labels cost 80 €" in behind(app)
    # The guided tour and the other pages count with it as well, and their addresses have it.
    press(app, "Show me how it works")
    assert "600\u00a0€" in bare(app.markdown) and app.query_params["price"] == "2"
    app.switch_page("pages/plan.py")
    assert run(app).number_input(key="price").value == 2
    app.number_input(key="price").set_value(3.0)
    run(app)
    app.switch_page("app.py")
    del app.query_params["tour"]
    assert run(app).number_input(key="price").value == 3
    app.number_input(key="price").set_value(None)
    assert rates(run(app)).startswith("Assumed") and "price" not in app.query_params


def test_where_the_method_does_not_help_the_title_says_so(open_page):
    rng = np.random.default_rng(0)
    # Every other item is wrong, whatever the surrogate says: the groups of a stratum are as mixed as the pool.
    useless = pool(with_losses(records(120, seed=2), iter(rng.permutation([0.0, 1.0] * 60).tolist())), "noise")
    apps = [open_page("app.py", useless, budget=budget) for budget in (20, 30, 40)]
    assert all("saves no labels" in promised(app) or "saves few" in promised(app) for app in apps)
    nothing = [app for app in apps if "no labels" in promised(app)]
    assert nothing
    for app in nothing:
        assert facts(app) == {"saved": "No labels"}


@pytest.mark.parametrize("kind", ["no targets", "a target without any known outcome"])
def test_without_outcomes_it_is_a_forecast(open_page, kind):
    app = open_page("app.py", odd(kind), budget=20)
    shown = stage(app)
    assert "±" in app.title[0].value and "20 of them to label" in shown["alt"]
    assert [lane["value"] for lane in shown["lanes"]] == [None, None] and shown["axis"]["truth"] is None
    assert len(shown["lit"]) == 60 and {wrong for _, wrong in shown["lit"]} == {0}
    assert "forecast" in bare(app.caption)


@pytest.mark.parametrize(
    ("budget", "signal", "saves"), [(10, "weak", False), (20, "past results", True), (50, "weak", False)]
)
def test_a_forecast_shows_money_only_where_its_range_excludes_that_nothing_is_saved(open_page, budget, signal, saves):
    app = open_page("app.py", odd("no targets"), budget=budget, auroc=signal)
    verdict = behind(app)
    # A range of one number is not shown, nor one that leaves hardly any saving.
    low = re.search(r"range (\S+)\s%", verdict) or re.search(r"(\S+)\s% of the labels", verdict)
    least = int(low[1].replace("−", "-")) if low else 0
    assert low or "No saving is to be expected" in verdict
    assert (least > 0) == saves == (len(facts(app)) > 1)


def test_scores_have_their_own_unit(open_page):
    app = open_page("app.py", odd("real-valued losses"), budget=20)
    assert "mean loss" in app.title[0].value and "points" not in stage(app)["alt"]
    assert {wrong for _, wrong in stage(app)["lit"]} == {0}


def test_a_caution_appears_only_where_it_matters(open_page, rich):
    assert ":material/balance:" not in bare(open_page("app.py", rich, budget=40).caption)
    assert not open_page("app.py").warning


def report(app):
    """The report at the end of the tour."""
    (frame,) = app.get("iframe")
    return frame.proto.srcdoc


@pytest.mark.parametrize("number", STOPS)
def test_an_address_restores_its_stop(open_page, rich, number):
    app = open_page("app.py", rich, budget=40, tour=number)
    assert f"Stop {number} of 5" in bare(app.caption)
    if number == 5:
        # The report takes the place of the figure.
        assert not components(app, "neyman_stage") and "<!doctype html>" in report(app)
        return
    shown = stage(app)
    assert shown["sorted"] == (number > 2) and shown["shaded"] == (number > 1)
    assert bool(shown["rounds"]) == (number == 4) and shown["tall"] == (number < 4)
    assert (bare(app.markdown) == Saying("61 rounds", "typical")) == (number == 4)
    assert all("tour" not in link.proto.query_string for link in app.sidebar.get("page_link"))


def test_the_strata_of_the_tour_are_as_its_sentence_says(open_page, real_pool):
    shown = open_page("app.py", read(real_pool("gsm8k-committee10.jsonl")), tour=3)
    sizes = stage(shown)["strata"]
    assert len(sizes) == 10 and "**10 strata**" in bare(shown.markdown) and "10 items are drawn" in bare(shown.markdown)
    assert f"A label stands for {round(min(sizes) / 10)} to {round(max(sizes) / 10)} items" in bare(shown.markdown)
    # The surrogate is explained before anything is named after it.
    assert bare(open_page("app.py", tour=2).markdown) == Saying("cheap model (the surrogate)", "every item")
    about_equal = open_page("app.py", tour=3)
    assert max(stage(about_equal)["strata"]) < 1.25 * min(stage(about_equal)["strata"])
    assert "label stands for" not in bare(about_equal.markdown)


def test_the_labels_of_a_round_come_one_by_one_and_its_report_is_its_last_frame(open_page, rich):
    shown = stage(open_page("app.py", rich, budget=40, tour=4))
    assert len(shown["rounds"]) > 1
    for one in shown["rounds"]:
        assert len(one["lit"]) == 40 and one["at"] == list(range(16, 41))
        assert [len(lane) for lane in one["lanes"]] == [25] * 2
        # Each interval holds its estimate, is drawn whole, and ends narrower than it began.
        for lane in one["lanes"]:
            ends = one["axis"]
            assert all(ends["low"] <= low <= value <= high <= ends["high"] for value, low, high in lane)
            assert lane[-1][2] - lane[-1][1] < lane[0][2] - lane[0][1]
    # The report is that of the round which was played first.
    value, low, high = (f"{one:.1f} %" for one in shown["rounds"][0]["lanes"][1][-1])
    last = open_page("app.py", rich, budget=40, tour=5)
    assert plainly(bare(last.markdown)) == Saying(f"estimated at {value}", f"{low} to {high}")
    assert plainly(report(last)) == Saying(value, f"{low} to {high}", "40 labels")


@pytest.mark.parametrize("name", ["published", "practice"])
def test_a_rehearsals_first_list_is_a_typical_one(neyman_home, name):
    bundled = getattr(state, name)()
    target = next(iter(bundled.targets))
    prospect = Prospect(bundled, target, 200)
    lists = [prospect.plan(seed) for seed in range(9)]
    known = [labelled(one, of_target(bundled, target, one.ids), target, "right-wrong") for one in lists]
    misses = [abs(one.outcomes.estimate.value - prospect.truth) for one in known]
    assert misses[prospect.typical_seed(9)] == pytest.approx(np.median(misses))


def test_the_tour_is_walked_by_its_buttons_and_left(open_page, rich):
    app = press(open_page("app.py", rich), "Show me how it works")
    for number in STOPS:
        assert app.query_params["tour"] == str(number) and button(app, "Back").disabled == (number == 1)
        press(app, "Finish" if number == 5 else "Next")
    assert "tour" not in app.query_params and "instead of" in promised(app)
    press(press(press(app, "Show me"), "Next"), "Back")
    assert app.query_params["tour"] == "1"
    assert "tour" not in press(app, "Skip").query_params


@pytest.mark.parametrize("kind", ["no targets", "one item", "only ids"])
def test_where_the_truth_is_unknown_the_tour_is_that_of_the_practice_pool(open_page, kind):
    app = open_page("app.py", odd(kind), tour=4)
    assert len(stage(app)["shades"]) == 3000
    # The pool stays the one that was chosen.
    assert kind in [text.value for text in app.sidebar.text]


def test_an_address_with_another_stop_shows_the_first_screen(open_page, rich):
    for given in ("0", "6", "x", "²"):
        assert "Stop" not in bare(open_page("app.py", rich, tour=given).caption)


def test_the_first_screen_is_about_published_models(open_page, monkeypatch):
    steps, practice, draw = [], state.practice, stage_part.draw
    monkeypatch.setattr(state, "practice", lambda: steps.append("practice pool") or practice())
    monkeypatch.setattr(stage_part, "draw", lambda *given, **more: steps.append("figure") or draw(*given, **more))
    app = open_page("app.py", BARE)
    # What only a link needs is read after the figure has been sent; no list of all emojis is read for the tab.
    assert steps[:2] == ["figure", "practice pool"]
    assert frame._ICON.startswith("data:image/svg+xml,") and frame._ICON.isascii()
    promise = Prospect(state.published(), "Meta-Llama-3-70B", 200).promise
    needed = f"from 200 labels instead of {promise.uniform_labels}"
    assert bare(app.title) == Saying("Meta-Llama-3-70B’s accuracy", "MMLU-Pro", needed)
    assert "11 other models" in bare(app.caption) and sum(stage(app)["strata"]) == 12_032
    assert not app.error and not app.warning
    ways = {link.proto.label: link.proto for link in app.main.get("page_link")}
    assert f"pool={state.practice().digest[:16]}" in ways["Try labelling"].query_string


def test_the_stories_say_what_their_pages_say(open_page):
    """A card each for versions, models and a judge: with its answer, a figure, and the way to its page."""
    app = open_page("app.py", BARE)
    gate_of, best_of, judge_of = (json.loads(one.json) for one in components(app, "neyman_bars"))
    ways = {link.proto.label: link.proto for link in app.main.get("page_link")}
    names = "Compare two versions", "Choose among models", "Check a judge"
    to_gate, to_best, to_judge = (dict(parse_qsl(ways[name].query_string)) for name in names)
    gate_page = open_page(f"pages/{ways['Compare two versions'].page}.py", BARE, **to_gate)
    usual, ours = (bar["text"] for bar in gate_of["bars"])
    assert gate_of["answer"] == f"{ours} labels instead of {usual}"
    assert plainly(bare(gate_page.markdown)) == Saying(f"needs {usual} labels instead of {ours}")
    usual, ours = (bar["text"] for bar in best_of["bars"])
    assert best_of["answer"] == f"{ours} labels instead of {usual}"
    best_page = open_page(f"pages/{ways['Choose among models'].page}.py", BARE, **to_best)
    assert plainly(bare(best_page.markdown)) == Saying(f"{ours} labels instead of {usual} find the best model")
    said, corrected = (bar["text"] for bar in judge_of["bars"])
    assert judge_of["answer"] == f"{corrected}, not {said}"
    judge_page = open_page("pages/judge.py", BARE, **to_judge)
    assert bare(judge_page.markdown) == Saying(f"Corrected pass rate {corrected}", f"the judge says {said}")


def test_the_first_screen_is_short(open_page):
    """At most 200 words, six controls, and one filled button."""
    app = open_page("app.py", BARE)
    words = sum(len(block.split()) for block in blocks(app.main))
    assert words <= 169
    controls = [*components(app, numbers.NAME), *app.get("popover"), *app.main.button, *app.selectbox, *app.toggle]
    assert len(controls) <= 6 and sum(one.proto.type == "primary" for one in app.main.button) == 1


@pytest.mark.parametrize("price", [None, 4])
def test_a_pool_of_ones_own_comes_first_with_its_next_step(open_page, neyman_home, price):
    mine = pool([{key: one for key, one in row.items() if key != "targets"} for row in records(300)], "shop.csv")
    Archive(neyman_home).pools.save(mine, "2026-01-02T00:00:00+00:00")
    prices = {} if price is None else {"price": price}
    app = open_page("app.py", BARE, **prices)
    # The same words as on page Plan.
    promise = own_scenario(Prospect(mine, None, 100, Question(costs=Costs(price or 0))), 0.03)
    cost = f", {plainly(promise.payment.costs.amount(promise.payment.money))}" if price else ""
    assert promise.sentence in [one.sentence for one in scenarios(promise.prospect, 0.03)]
    sentence = (
        f"“**shop.csv**”: ±3 points = {promise.labels} labels{cost}, instead of {promise.payment.uniform_labels}."
    )
    assert plainly(bare(app.main.markdown)).splitlines()[0] == sentence
    assert [one.label for one in app.main.button if one.proto.type == "primary"] == ["Draw the list"]
    button(app, "Draw the list").click()
    label = run(app)
    assert label.title[0].value == "Label" and label.query_params["budget"] == str(promise.labels)
    assert f"{promise.labels} of 300 items to label" in bare(label.main.markdown)


def test_published_models_are_one_click_away(open_page, neyman_home):
    app = press(open_page("pages/pool.py", None, ["examples"]), "MMLU-Pro")
    assert app.query_params["pool"] == state.published().digest[:16]
    assert Archive(neyman_home).pools.table().empty
    # The first screen of the practice pool leads there as well.
    query = next(
        link.proto.query_string for link in open_page("app.py").main.get("page_link") if "MMLU" in link.proto.label
    )
    assert f"pool={state.published().digest[:16]}" in query and "budget=200" in query
    # An address finds it again, on pages that show items without a text as well.
    app = open_page("pages/pool.py", pool=state.published().digest[:16])
    assert bare(app.caption) == Saying("not part of this file", "id 70", "category business")


def test_use_my_data_leads_to_the_uploader_and_leaves_the_budget_of_the_story(open_page, neyman_home):
    mine = pool(records(300), "mine")
    Archive(neyman_home).pools.save(mine, "2026-01-01T00:00:00+00:00")
    app = open_page("app.py", BARE)
    button(app, "Use my data").click()
    assert run(app).title[0].value == "Pool" and app.query_params["budget"] == "200"
    next(box for box in app.selectbox if box.label == "Pools used before").set_value(mine.digest)
    first = str(default_budget(2, 300))
    assert run(app).query_params.get("budget", first) == first
