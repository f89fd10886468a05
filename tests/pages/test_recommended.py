"""The recommended design on Explore and Label: its errors, its list, what it may rest on, seeds and kept plans."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from core.archive import Archive
from core.design import manifest, recommend
from core.readers import read
from core.signals import SIGNALS, Given, quality, transfer, worth
from core.study import Labelling, Study
from pages.parts.app.address import VERSION
from tests.pages.conftest import CREATED, bare, dials, figure, messages, press, run, sentences, turn
from tests.pages.estimate.conftest import headline_number
from tests.pages.pools import ODD, ODDEST, odd, pool, records, without
from tests.pages.reference import known_losses
from tests.sampled import sampled

EXPLORE, LABEL, NEWEST = "pages/explore.py", "pages/label.py", {"v": VERSION}


def past_rows(n_items: int = 120, models: int = 4, ease_of: tuple[float, float] = (0.8, 0.6)):
    """Items that all models fail more often than not if one does, with a judge's verdict."""
    rng, rows = np.random.default_rng(4), records(n_items, target=None)
    for row in rows:
        ease = rng.beta(*ease_of)
        row["targets"] = {f"m{j}": {"loss": float(rng.random() > ease), "answer": "A"} for j in range(models)}
        row["group"], row["verdict"] = f"g{rng.integers(3)}", float(rng.random() < ease)
    return rows


@pytest.fixture(scope="module")
def rich():
    return pool(past_rows(), "4 models")


@pytest.fixture(scope="module")
def without_generations():
    return pool(without("generations", past_rows()), "4 models")


def lines(app):
    drawn = (trace for trace in figure(app)["data"] if trace["mode"] == "lines")
    return {trace["name"]: dict(zip(trace["x"], trace["y"], strict=True)) for trace in drawn}


def listed(app):
    return app.dataframe[0].value["item_id"].tolist()


def drawn_design(downloads):
    return manifest.read(downloads["Manifest"]()).design


@pytest.mark.parametrize("chosen", ["rich", "without_generations"])
def test_the_line_is_the_exact_error_of_the_plan_that_would_be_drawn(open_page, request, chosen):
    questions = request.getfixturevalue(chosen)
    drawn = lines(open_page(EXPLORE, questions, budget=40, **NEWEST))
    losses = known_losses(questions, "m0")
    for budget in (40, max(b for b in drawn["Recommended"] if b < 60)):
        plan = recommend(questions, budget, "m0").draw(questions, seed=0)
        sizes = plan.strata.sizes
        spread = np.array([losses[plan.stratum == h].var(ddof=1) for h in range(sizes.size)])
        error = ((sizes / losses.size) ** 2 * (1 / plan.allocation - 1 / sizes) * spread).sum()
        uniform = losses.var(ddof=1) * (1 / budget - 1 / losses.size)
        assert drawn["Recommended"][budget] == pytest.approx(100 * error / uniform)
    assert ("Paper’s design" in drawn) == (chosen == "rich")


def test_the_headline_is_about_the_recommended_design_with_the_paper_s_beside_it(open_page, rich):
    app = open_page(EXPLORE, rich, **NEWEST)
    (budget,) = (mark["x0"] for mark in figure(app)["layout"]["shapes"] if mark["line"].get("dash") == "dot")
    drawn = {name: line[budget] for name, line in lines(app).items()}
    said = " ".join(sentences(app)).replace("\u00a0", " ")
    assert f"is {drawn['Recommended']:.1f} % of Uniform’s" in said
    assert f"the paper’s design is {drawn['Paper’s design']:.1f} %" in said


def test_the_list_is_the_recommended_plan_and_is_made_again_from_its_manifest(open_page, downloads, rich):
    app = open_page(LABEL, rich, budget=20, seed=5, **NEWEST)
    plan = recommend(rich, 20, "m0").draw(rich, seed=5)
    assert listed(app) == plan.ids.tolist()
    document = downloads["Manifest"]()
    assert manifest.read(document).plan_id == plan.plan_id
    app = open_page(LABEL, rich, budget=20, seed=5, **NEWEST, **{"list-detail": "reproduce"})
    app.file_uploader(key="manifest").upload("plan.json", document.encode())
    assert plan.plan_id in messages(run(app), "success")[0]


@pytest.mark.parametrize(
    ("chosen", "scheme"),
    [
        ({"signal": "semantic-entropy"}, {"signal": "semantic-entropy"}),
        ({"signal": "agreement"}, {"signal": "agreement", "target": "m0"}),
        ({"signal": "past-results", "past": "m2", "accuracy": 75}, {"past": ("m2",), "accuracy": 0.75}),
        ({"signal": "column"}, {"signal": "column", "column": "verdict"}),
        ({"signal": "group"}, {"signal": "group"}),
        ({"past": ["m1", "m3"], "accuracy": 40}, {"signal": "risk", "past": ("m1", "m3"), "accuracy": 0.4}),
    ],
    ids=str,
)
def test_what_is_known_can_be_chosen_and_stands_in_the_address_and_the_plan(open_page, downloads, rich, chosen, scheme):
    app = open_page(LABEL, rich, budget=20, seed=1, **NEWEST)
    for key, value in chosen.items():
        app.get_by_key(key).set_value([value] if key == "past" and isinstance(value, str) else value)
        run(app)
    design = drawn_design(downloads)
    assert {name: getattr(design.scheme, name) for name in scheme} == scheme
    assert design.scheme.stratifier == "equal-mass" and design.scheme.n_strata == 10
    assert ("Recommended here" in bare(app.caption)) == ("signal" in chosen)


def test_links_from_before_past_models_chose_the_floor_keep_their_list(open_page, downloads):
    alike, query = pool(past_rows(300, ease_of=(0.3, 0.05)), "alike"), {"seed": 3, "budget": 30, "target": "m0"}
    app = open_page(LABEL, alike, **query, v="6")
    assert app.query_params["floor"] == "1"
    before, design = listed(app), drawn_design(downloads)
    assert design.scheme.floor == 1.0
    app.selectbox(key="floor").set_value("chosen")
    changed = listed(run(app))
    chosen = recommend(alike, 30, "m0")
    assert drawn_design(downloads).scheme == chosen.scheme
    assert changed == listed(open_page(LABEL, alike, **query, **NEWEST))
    assert chosen.scheme.floor < 1 and changed != before


def test_only_what_the_pool_has_is_offered(open_page):
    offered = {
        kind: open_page(EXPLORE, odd(kind), **NEWEST).selectbox(key="signal").options
        for kind in ("a target without any known outcome", "no targets")
    }
    there = [signal.title for signal in SIGNALS.entries if signal.there(odd("no targets"), Given())]
    assert offered["no targets"] == ["Best known", *there]
    assert set(offered["a target without any known outcome"]) == {*offered["no targets"], "Agreement"}


def test_a_target_s_losses_change_neither_list_nor_design(open_page, downloads):
    ids = []
    for seed in (0, 1):
        rows, rng = records(60), np.random.default_rng(seed)
        for row in rows:
            row["targets"] = {"model": {"loss": float(rng.random() < 0.5), "answer": "A"}}
        ids.append(listed(open_page(LABEL, pool(rows, f"seed {seed}"), budget=20, seed=3, **NEWEST)))
    assert ids[0] == ids[1]


@pytest.mark.parametrize("page", [EXPLORE, LABEL])
@pytest.mark.parametrize("kind", sampled(ODD, lambda kind: kind in ODDEST or kind == "no targets"))
def test_every_pool_is_drawn(open_page, page, kind):
    app = open_page(page, odd(kind), **NEWEST)
    assert app.title and not app.error
    assert any("Nothing is known" in info for info in messages(app, "info")) == (
        recommend(odd(kind), 1, "model" if "model" in odd(kind).targets else None).scheme.uniform and page == EXPLORE
    )


def test_150_strata_of_a_real_pool_stay_readable(open_page, real_pool):
    app = open_page(EXPLORE, read(real_pool("exams-gpt35-k10.jsonl")), budget=300, design="recommended", **NEWEST)
    assert len(app.dataframe[0].value) == 5
    assert any(text.startswith("## 150 strata") for text in sentences(app))


def test_a_model_that_has_not_run_yet_is_labelled_by_all_past_results(open_page, downloads, without_generations):
    app = open_page(LABEL, without_generations, budget=20, target="new", **NEWEST)
    scheme = drawn_design(downloads).scheme
    assert scheme.target is None and scheme.past == ("m0", "m1", "m2", "m3")
    assert len(listed(app)) == 20
    run(app.switch_page(EXPLORE))
    assert not app.exception and not app.error


def test_labels_without_generations_are_estimated(open_page, neyman_home, without_generations):
    plan = recommend(without_generations, 20, "m0").draw(without_generations, seed=2)
    label(neyman_home, without_generations, plan)
    app = open_page("pages/estimate.py", without_generations, **NEWEST)
    assert not app.error and headline_number(app)


def label(home, questions, plan, kind="gold"):
    """Keep the right answer of every item of a plan."""
    archive = Archive(home)
    study = Study(Labelling.load(archive, plan, questions, kind, "m0"))
    answers = questions.items["answer"].loc[list(plan.ids)]
    study.labels.save(archive, study.labels.request().assign(label=answers.tolist(), annotator="Ann"), "csv", CREATED)


def test_a_labelled_plan_is_opened_again_and_only_grows(open_page, downloads, neyman_home, rich):
    plan = recommend(rich, 20, "m0").draw(rich, seed=5)
    label(neyman_home, rich, plan)
    app = open_page(LABEL, rich, budget=30, seed=6, **NEWEST)
    assert listed(app)[:20] != plan.ids.tolist()
    press(app, "Back to that plan")
    assert listed(app) == plan.ids.tolist() and app.selectbox(key="design").value == plan.plan_id
    more = listed(turn(app, "budget", 33))
    assert more == plan.with_budget(33).ids.tolist() and more[:20] == plan.ids.tolist()
    assert drawn_design(downloads).scheme == plan.design.scheme


def test_the_way_from_an_estimate_to_more_labels_keeps_the_plan(open_page, neyman_home, rich):
    plan = recommend(rich, 20, "m0").draw(rich, seed=5)
    label(neyman_home, rich, plan)
    app = open_page("pages/estimate.py", rich, plan=plan.plan_id, says="gold", about="labels", **NEWEST)
    app.button(key="label-list").click()
    assert run(app).title[0].value == "Label"
    assert app.selectbox(key="design").value == plan.plan_id
    assert dials(app)["budget"] == 20


def test_a_list_is_the_same_at_every_visit(open_page, rich):
    first, second = (open_page(LABEL, rich, budget=20, **NEWEST) for _ in range(2))
    seeds = [app.number_input(key="seed").value for app in (first, second)]
    assert seeds[0] == seeds[1] and [app.query_params["seed"] for app in (first, second)] == list(map(str, seeds))
    assert listed(first) == listed(second)
    assert open_page(LABEL, rich, budget=20).number_input(key="seed").value == 0
    first.number_input(key="seed").set_value(None)
    assert run(first).number_input(key="seed").value not in (None, seeds[0])


@pytest.mark.parametrize("page", [EXPLORE, LABEL])
def test_labels_spread_too_unevenly_are_warned_of_with_a_way_out(open_page, real_pool, page):
    exams = read(real_pool("exams-gpt35-k10.jsonl"))
    app = open_page(page, exams, design="paper", offset=0.0, budget=200, **NEWEST)
    (way,) = (one for one in app.button if one.key == "make-safe")
    way.click()
    run(app)
    assert dials(app)["offset"] > 0 and not [one for one in app.button if one.key == "make-safe"]


def test_equal_numbers_in_unlike_strata_are_warned_of(open_page, real_pool):
    exams = read(real_pool("exams-gpt35-k10.jsonl"))
    app = open_page(LABEL, exams, design="paper", allocation="Equal", strata=2, budget=50, **NEWEST)
    app.button(key="make-safe").click()
    run(app)
    assert app.selectbox(key="allocation").value == "proportional" and dials(app)["strata"] == 2
    assert not [one for one in app.button if one.key == "make-safe"]


def test_a_kept_plan_without_a_floor_is_warned_of(open_page, neyman_home, rich):
    design = recommend(rich, 20, "m0")
    plan = replace(design, scheme=replace(design.scheme, floor=0.0), risk=tuple([0.0] * 100 + [0.5] * 20)).draw(rich, 1)
    label(neyman_home, rich, plan)
    app = open_page(LABEL, rich, design=plan.plan_id, **NEWEST)
    assert "floor of 0" in bare(app.warning)
    app.button(key="make-safe").click()
    assert run(app).selectbox(key="design").value == "recommended"
    assert not [one for one in app.button if one.key == "make-safe"]


@pytest.mark.parametrize("scores", [False, True], ids=["0 and 1", "scores"])
def test_the_simulated_point_is_near_the_exact_line(open_page, scores):
    rows, rng = records(300), np.random.default_rng(8)
    for row in rows:
        row["targets"] = {"model": {"loss": float(rng.random() if scores else rng.random() < 0.3)}}
    app = open_page(EXPLORE, pool(rows, f"points {scores}"), budget=50, trials=1000, **NEWEST)
    exact = lines(app)["Recommended"]
    (point,) = (t for t in figure(app)["data"] if t["name"] == "simulated")
    (budget,), (value,), (error,) = point["x"], point["y"], point["error_y"]["array"]
    assert budget == 50 and abs(value - exact[budget]) < 4.5 * error and 0 < error < 10
    app.toggle(key="simulate").set_value(False)
    assert not [t for t in figure(run(app))["data"] if t["name"] == "simulated"]


def test_the_manifest_says_why(open_page, downloads, rich):
    open_page(LABEL, rich, budget=20, **NEWEST)
    assert json.loads(downloads["Manifest"]())["design"]["why"] == recommend(rich, 20, "m0").why


def test_each_signal_is_previewed_before_any_label(open_page, rich):
    app = open_page(EXPLORE, rich, detail="signals", **NEWEST)
    table = app.dataframe[0].value
    assert {"past results of other models", "semantic entropy", "predicted risk", "verdict"} <= set(table["signal"])
    assert (table["low"] <= table["error"]).all() and table["error"].is_monotonic_increasing
    ranked = figure(app, 1)["data"]
    assert [trace["x"][0] for trace in ranked] == pytest.approx(table["error"].tolist())


@pytest.fixture
def elsewhere(neyman_home):
    """Two other pools in the archive, newest first."""
    others = []
    for name in ("older", "newer"):
        rows = [{**row, "id": f"{name}-{row['id']}"} for row in past_rows(90, 3)]
        others.append(pool(rows, name))
        Archive(neyman_home).pools.save(others[-1], f"2025-0{len(others)}-01T00:00:00+00:00")
    return others[::-1]


def test_a_model_of_other_pools_is_chosen_by_people_alone_and_stands_in_the_manifest(
    open_page, downloads, rich, elsewhere
):
    app = open_page(LABEL, rich, budget=20, seed=1, **NEWEST)
    assert drawn_design(downloads).risk == recommend(rich, 20, "m0").risk
    app.selectbox(key="signal").set_value("elsewhere")
    run(app)
    transferred = transfer(elsewhere, rich, "m0")
    design = drawn_design(downloads)
    expected = recommend(rich, 20, "m0", risk=transferred.model)
    assert design.risk == expected.risk != recommend(rich, 20, "m0").risk
    assert design.scheme == expected.scheme and listed(app) == expected.draw(rich, seed=1).ids.tolist()
    assert transferred.why in design.why and "“newer” and “older”" in design.why
    assert transferred.why in bare(app.caption) and "Recommended here: predicted risk" in bare(app.caption)


def test_nothing_is_offered_of_other_pools_where_there_are_none(open_page, rich, neyman_home):
    again = pool([{**row, "verdict": 0.5} for row in past_rows()], "the same items")
    Archive(neyman_home).pools.save(again, CREATED)
    assert again.items_digest == rich.items_digest
    app = open_page(LABEL, rich, budget=20, **NEWEST)
    assert "Your other pools" not in app.selectbox(key="signal").options


def test_the_preview_shows_groups_and_other_pools_and_how_each_is_made(open_page, rich, elsewhere):
    app = open_page(EXPLORE, rich, detail="signals", **NEWEST)
    table = app.dataframe[0].value.set_index("signal")
    assert {"groups", "risk by your other pools"} <= set(table.index)
    assert table["how"].str.endswith(".").all() and table["why"].str.len().gt(0).all()
    row = worth(rich, "risk", target="m0", risk=transfer(elsewhere, rich, "m0").model)
    assert table.loc["risk by your other pools", "error"] == pytest.approx(100 * row.error)


def test_earlier_labels_offer_a_belief_and_a_new_draw(open_page, downloads, neyman_home, rich):
    plan = recommend(rich, 30, "m0").draw(rich, seed=5)
    assert not [one for one in open_page(LABEL, rich, budget=20, seed=5, **NEWEST).button if one.key == "from-labels"]
    label(neyman_home, rich, plan)
    believed = round(100 * Study(Labelling.load(Archive(neyman_home), plan, rich, "gold", "m0")).estimate().value, 1)
    app = open_page(LABEL, rich, budget=20, seed=5, **NEWEST)
    press(app, "From your 30 earlier labels")
    assert app.number_input(key="accuracy").value == believed
    design = drawn_design(downloads)
    assert design.scheme.accuracy == believed / 100 and design.seed != 5
    assert not [one for one in app.button if one.key == "from-labels"]


def test_known_outcomes_judge_the_signal(open_page, rich):
    app = open_page(EXPLORE, rich, budget=40, detail="signals", **NEWEST)
    risk = recommend(rich, 40, "m0").risk
    assert quality(risk, risk, known_losses(rich, "m0")).finding in bare(app.markdown)
    app.selectbox(key="signal").set_value("semantic-entropy")
    assert "AUROC" in bare(run(app).markdown)
    app.selectbox(key="signal").set_value("group")
    assert "AUROC" not in bare(run(app).markdown)
    assert "AUROC" not in bare(open_page(EXPLORE, rich, target="new", detail="signals", **NEWEST).markdown)
