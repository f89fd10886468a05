"""Page Lab: every section on every kind of pool; what is shown is core's; closed sections compute nothing."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest

from core.allocation import RULES
from core.design import Scheme
from core.lab import TOPICS, ablations, across, baselines, captions, ladder, related, shown_tables, signals_compared
from core.lab.settings import variants
from core.pool import Pool
from core.prospect import Prospect
from core.readers import read
from core.signals import SIGNALS, Given, offered
from core.stratification import outcome, profile
from core.words import cell
from pages.parts.app import kept, session
from pages.parts.app.address import VERSION
from pages.parts.lab import settings as lab_settings
from tests.pages.conftest import bare, dials, figure, figures, messages, run, turn
from tests.pages.conftest import sentences as texts
from tests.pages.pools import ODD, ODDEST, odd, pool, records, with_losses
from tests.pages.reference import exact_errors, of_uniform, uniform_needs
from tests.sampled import sampled

PAGE = "pages/lab.py"
BUDGETS = (50, 100, 200, 400, 800)
SECTIONS = tuple(topic.name for topic in TOPICS if topic.name != "intervals")
TABLES = {"Allocation": "allocation", "Stratifier": "stratifier", "H": "strata", "δ": "offset"}


@pytest.fixture(scope="module")
def exams(real_pool):
    return read(real_pool("exams-gpt35-k10.jsonl"))


@pytest.fixture(scope="module")
def two_targets():
    rows = records(150, seed=2)
    for number, row in enumerate(rows):
        row["targets"]["other"] = {"loss": float(number % 3 == 0)}
        row["difficulty"] = number % 7
        row["generations:small"] = row["generations"][:3]
    return pool(rows, "two targets")


def outcome_of(chosen, target):
    simulated = outcome(profile(chosen.classes()), chosen.losses(target))
    assert simulated is not None
    return simulated


@pytest.mark.parametrize(
    "kind",
    sampled(
        (kind for kind in ODD if kind not in ("no generations", "only ids")),
        ODDEST.__contains__,
    ),
)
def test_every_section_is_drawn_on_every_kind_of_pool(open_page, kind):
    app = open_page(PAGE, odd(kind), section=SECTIONS[0], **{"lab-simulate": "true", "lab-trials": 300})
    for section in SECTIONS:
        if section != SECTIONS[0]:
            app.query_params["section"] = section
            run(app)
        assert app.title[0].value.startswith("Lab: ") and not app.error
        # Without outcomes there is none to open.
        assert "section" not in app.session_state or app.session_state["section"] == section


def test_other_tools_are_compared_where_past_models_are_known(open_page, two_targets):
    app = open_page(PAGE, two_targets, section="against", **{"lab-trials": 20}, budget=10)
    assert not app.error and len(figures(app)) == 1 and "recommended design" in texts(app)[0]
    (table,) = [one.value for one in app.dataframe]
    assert {"Uniform", "PPI++-like", "Neyman: + past results"} <= set(table["Method"]) and "FAQ-like" not in set(
        table["Method"]
    )


EARLIER_TABS = {
    "method": ("", "Baselines", "Ladder", "Savings"),
    "authors": (
        "Related",
        "Allocation",
        "Stratifier",
        "H",
        "Strata H",
        "δ",
        "Offset δ",
    ),
    "strata": ("H × δ", "H × δ map", "Signals"),
    "interval": ("Intervals",),
    "pools": ("Pools",),
}


@pytest.mark.parametrize("question", EARLIER_TABS)
def test_an_earlier_tab_leads_to_its_question(monkeypatch, question):
    for section in EARLIER_TABS[question]:
        monkeypatch.setattr(session, "address", lambda section=section: {"section": [section]} if section else {})
        assert lab_settings.questions().value == question and lab_settings.SECTION.misread is None


@pytest.mark.parametrize("kind", ["no generations", "only ids"])
def test_without_generations_the_next_step_is_shown(open_page, kind):
    app = open_page(PAGE, odd(kind))
    assert "no generations" in messages(app, "info")[0]
    assert not figures(app) and not app.dataframe


@pytest.mark.parametrize("kind", ["no targets", "a target without any known outcome"])
def test_without_outcomes_the_page_says_what_is_missing(open_page, kind):
    app = open_page(PAGE, odd(kind))
    assert "knows no outcome of your model" in messages(app, "info")[0]
    assert not figures(app) and [link.proto.page for link in app.main.get("page_link")] == ["pool"]


@pytest.mark.parametrize(
    ("item", "lacks"),
    [
        ({"targets": {"one": {"answer": "7"}}}, "right answers, or its scores."),
        ({"answer": "7", "targets": {"one": {"loss": None}}}, "its answers, or its scores."),
        ({"targets": {"one": {"loss": None}}}, "its answers and right answers, or its scores."),
    ],
)
def test_what_the_file_has_is_not_asked_for(open_page, item, lacks):
    pool = Pool.from_records([{"id": str(i), "group": "ab"[i % 2], **item} for i in range(60)], "Partly there")
    assert all(
        f"dd to the file {lacks}" in messages(open_page(page, pool), "info")[-1] for page in (PAGE, "pages/explore.py")
    )


def test_constant_losses_leave_nothing_to_compare(open_page):
    app = open_page(PAGE, odd("constant losses"))
    assert messages(app, "info") == [captions.CONSTANT] and not figures(app)
    few = pool(with_losses(records(), iter([0.0] * 3 + [None] * 57)), "three known outcomes")
    app = open_page(PAGE, few)
    assert "Too few outcomes are known to compare methods: 3 of 60" in messages(app, "info")[0] and not figures(app)


def test_a_partial_outcome_is_told(open_page):
    app = open_page(PAGE, odd("a target known for some items only"))
    assert any("40 of 60 items" in warning for warning in messages(app, "warning"))


def test_only_the_open_section_is_computed(open_page, monkeypatch, two_targets):
    # Without what another test had computed of the same pool.
    kept.memo().forget("lab")
    called: list[str] = []

    def watch(module, name):
        original = getattr(module, name)

        def noted(*args, **kwargs):
            called.append(f"{module.__name__.split('.')[-1]}.{name}")
            return original(*args, **kwargs)

        monkeypatch.setattr(module, name, noted)

    watch(baselines, "exact")
    watch(ladder, "savings")
    watch(ablations, "exact")
    watch(ablations, "map_exact")
    watch(signals_compared, "compare")
    expected = {
        "Baselines": "baselines.exact",
        "Savings": "ladder.savings",
        "δ": "ablations.exact",
        "H × δ": "ablations.map_exact",
        "Signals": "signals_compared.compare",
    }
    for section, name in expected.items():
        called.clear()
        open_page(PAGE, two_targets, section=section)
        assert set(called) == {name}
    called.clear()
    kept.memo().forget("lab")
    open_page(PAGE, two_targets)
    assert set(called) == {"baselines.exact"}


def test_baselines_are_exact_with_lure_simulated(open_page, exams):
    app = open_page(PAGE, exams, v=VERSION)
    target = next(iter(exams.targets))
    exact = outcome_of(exams, target)
    drawn = baselines.simulated(exact.losses, {"se-lure": exact.profile.signal}, BUDGETS)
    lines = {trace["name"]: trace for trace in figure(app)["data"]}
    for place, budget in enumerate(BUDGETS):
        expected = of_uniform(exams, target, budget=budget)
        assert {name: lines[name]["y"][place] for name in expected} == pytest.approx(expected, rel=1e-9)
    assert set(lines) == {*(rule.title for rule in RULES.entries), "Recommended", "SE-LURE"} >= set(expected)
    recommended = [Prospect(exams, target, budget).gain.relative["recommended"] for budget in BUDGETS]
    np.testing.assert_allclose(lines["Recommended"]["y"], 100 * np.array(recommended))
    np.testing.assert_allclose(lines["SE-LURE"]["y"], 100 * drawn["relative_mse"])
    np.testing.assert_allclose(lines["SE-LURE"]["error_y"]["array"], 100 * drawn["relative_standard_error"])
    text = " ".join(texts(app)).replace("\\", "")
    assert f"{of_uniform(exams, target)['Proxy-Neyman']:.1f}" in text
    assert f"{100 * drawn['relative_mse'].iloc[1]:.0f}\u00a0% of Uniform" in text and "token_logprobs" in text


def test_lure_can_be_switched_off(open_page, exams):
    app = open_page(PAGE, exams, **{"lab-lure": "false"})
    assert not any("LURE" in text for text in texts(app))
    assert "SE-LURE" not in app.dataframe[0].value.columns


@pytest.mark.parametrize(
    ("section", "columns"),
    [
        ("Allocation", {name: ({}, name) for name in ("Equal", "Proportional", "Power", "Proxy-Neyman")}),
        (
            "Stratifier",
            {
                "Equal width": ({"method": "equal-width"}, "Proxy-Neyman"),
                "k-means": ({"method": "k-means"}, "Proxy-Neyman"),
                "Quantile": ({"method": "quantile"}, "Proxy-Neyman"),
                "Adaptive": ({}, "Proxy-Neyman"),
            },
        ),
        ("H", {f"H = {n}": ({"n_strata": n}, "Proxy-Neyman") for n in (2, 3, 5, 8)}),
        ("δ", {f"δ = {d:g}": ({"offset": d}, "Proxy-Neyman") for d in (0.5, 0.75, 1.0, 2.0, 5.0)}),
    ],
)
def test_tables_are_exact_with_the_published_ones_beside_them(open_page, exams, section, columns):
    app = open_page(PAGE, exams, section=section)
    table, published = (frame.value for frame in app.dataframe)
    assert table["M"].tolist() == [*map(str, BUDGETS), "mean"] and columns.keys() <= set(table.columns)
    for column, (setting, method) in columns.items():
        expected = [of_uniform(exams, next(iter(exams.targets)), budget=m, **setting)[method] for m in BUDGETS]
        expected.append(np.mean(expected))
        assert [cell.split()[0] for cell in table[column]] == [f"{number:.1f}" for number in expected]
    both = [column for column in table.columns if column in published.columns]
    assert both == list(published.columns) and len(published) == 6
    text = " ".join(texts(app))
    assert "As published" in text and "MMLU" in text


def test_monte_carlo_is_shown_on_request_with_its_error(open_page, exams):
    before = open_page(PAGE, exams, section="δ")
    assert not any("s.e." in cell for cell in before.dataframe[0].value.iloc[:, 1:].to_numpy().ravel())
    app = open_page(PAGE, exams, section="δ", **{"lab-simulate": "true"})
    table = app.dataframe[0].value
    assert all("s.e." in cell for cell in table.drop(columns="(Recommended)").iloc[:-1, 1:].to_numpy().ravel())
    drawn = [trace for trace in figure(app)["data"] if trace["name"].endswith("simulated")]
    exact = {trace["name"]: trace["y"] for trace in figure(app)["data"]}
    for trace in drawn:
        gap = np.abs(np.subtract(trace["y"], exact[trace["name"].removesuffix(", simulated")]))
        assert np.all(gap < 4.5 * np.array(trace["error_y"]["array"]))
    assert len(drawn) == 5


def test_savings_are_those_at_equal_error(open_page, exams):
    app = open_page(PAGE, exams, section="Savings")
    target = next(iter(exams.targets))
    shown = app.dataframe[0].value.set_index(["Method", "M"])["Uniform needs"]
    for method in ("Equal", "Proportional", "Power", "Proxy-Neyman"):
        for budget in BUDGETS:
            needed = uniform_needs(exams, target, exact_errors(exams, target, budget=budget)[method])
            assert int(shown[method, budget]) == needed


@pytest.mark.parametrize("section", ["Ladder", "Signals", "H × δ"])
def test_a_field_takes_a_budget_between_those_of_the_tables(open_page, two_targets, section):
    app = open_page(PAGE, two_targets, section=section, **{"lab-budgets": "20, 60, 100"})
    turn(app, "lab-budget", 37)
    assert dials(app)["lab-budget"] == 37 and app.query_params["lab-budget"] == "37"
    assert "about 37 labels" in bare([*app.markdown, *app.caption])
    linked = open_page(PAGE, two_targets, section=section, **{"lab-budgets": "20, 60, 100", "lab-budget": 37})
    assert dials(linked)["lab-budget"] == 37 and figure(linked)["data"] == figure(app)["data"]
    # Where the tables no longer reach it, the nearest of their budgets takes its place.
    app.text_input(key="lab-budgets").set_value("50, 100")
    run(app)
    assert dials(app)["lab-budget"] == dials(app)["lab-budget"] == 50


@pytest.mark.parametrize("section", ["Baselines", "Ladder", "Signals", "H × δ"])
def test_figures_are_of_the_budget_of_all_pages(open_page, two_targets, section):
    app = open_page(PAGE, two_targets, section=section, budget=60, v=VERSION)
    assert "about 60 labels" in bare([*app.markdown, *app.caption])
    if "lab-budget" in dials(app):
        turn(app, "lab-budget", 100)
        assert dials(app)["lab-budget"] == 100 and "about 100 labels" in bare([*app.markdown, *app.caption])


def test_the_map_follows_its_budget(open_page, exams):
    app = open_page(PAGE, exams, section="H × δ", **{"lab-budget": 400})
    (cells, best, chosen) = figure(app)["data"]
    relative = np.array(
        [
            [
                of_uniform(exams, next(iter(exams.targets)), n_strata=int(h), offset=d, budget=400)["Proxy-Neyman"]
                for h in cells["x"]
            ]
            for d in cells["y"]
        ]
    )
    np.testing.assert_allclose(cells["z"], relative)
    row, column = np.unravel_index(relative.argmin(), relative.shape)
    assert (best["x"], best["y"]) == ([cells["x"][column]], [cells["y"][row]])
    assert (chosen["x"], chosen["y"]) == (["5"], [0.75])


def test_the_map_is_simulated_on_request(open_page, two_targets):
    query = {"section": "H × δ", "lab-simulate": "true", "lab-trials": 300}
    cells = open_page(PAGE, two_targets, **query).dataframe[0].value.iloc[:, 1:]
    assert cells.shape == (21, 9) and all("s.e." in cell for cell in cells.to_numpy().ravel())


def test_signals_of_every_surrogate_column_and_target_stand_side_by_side(open_page, two_targets):
    app = open_page(PAGE, two_targets, section="Signals")
    table = app.dataframe[0].value
    there = [given.column or one.noun for one, given in offered(two_targets, Given("model"))]
    expected = {("column" if name == "difficulty" else "own", name) for name in there}
    shown = set(zip(table["Surrogate"], table["Signal"], strict=True))
    small = {name for surrogate, name in shown if surrogate == "small"}
    assert {"semantic entropy", "1 − self-consistency"} <= small
    assert small <= {one.noun for one in SIGNALS.entries if one.of_surrogate}
    assert shown == expected | {("small", name) for name in small}
    assert set(table["Target"]) == {"model", "other"}
    assert {trace["name"] for trace in figure(app)["data"]} == {"model", "other"}


def test_the_ladder_is_cores(open_page, exams):
    app = open_page(PAGE, exams, section="Ladder")
    target = next(iter(exams.targets))
    expected = ladder.ladder(exams, target, BUDGETS)
    at = expected[expected["budget"] == 100]
    (bars,) = figure(app)["data"]
    np.testing.assert_allclose(bars["x"], 100 * at["relative_mse"])
    names = [name.replace("<br>", " ") for name in bars["y"]]
    assert names == at["label"].tolist() == app.dataframe[0].value["Design"].tolist()
    assert any("is left out" in text for text in texts(open_page(PAGE, section="Ladder")))


def test_related_methods_show_gats_prompt_and_what_the_pool_lacks(open_page, two_targets):
    app = open_page(PAGE, two_targets, section="Related")
    assert app.code[0].value == related.prompt("{question}", "{answer}")
    assert {"Control variate", "Uniform"} <= {trace["name"] for trace in figure(app)["data"]}
    assert any("GAT is not shown" in text and "AcTracer is not shown" in text for text in texts(app))
    rows = records(60)
    for number, row in enumerate(rows):
        row |= {"p_true": number % 7 / 7, "vector": [number % 5, number % 3]}
    app = open_page(PAGE, pool(rows, "vectors"), section="Related", **{"lab-trials": 300})
    assert {"GAT", "AcTracer"} <= {trace["name"] for trace in figure(app)["data"]}
    assert "AcTracer’s bias, points" in app.dataframe[0].value.columns


def test_your_pools_stand_side_by_side(open_page, downloads, two_targets, exams):
    open_page(PAGE, exams)
    app = open_page(PAGE, two_targets, section="Pools")
    expected = across.compare([two_targets, exams])
    panels = expected[["pool", "target"]].drop_duplicates()
    assert len(figures(app)) == len(panels) == 4
    assert app.dataframe[0].value["Pool"].tolist() == ["two targets", exams.name, across.ALL]
    names = ("Means", "Label savings", "Across pools")
    rows = [list(csv.DictReader(io.StringIO(downloads[f"{name} as CSV"]()))) for name in names]
    assert [len(table) for table in rows] == [len(across.means(expected)), 2 * len(panels), len(expected)]


def test_without_any_comparable_target_across_says_so(open_page):
    app = open_page(PAGE, pool(records(20), "small"), section="Pools")
    assert any("No target of your pools" in text for text in messages(app, "info")) and not figures(app)


# Each control, another setting than its default one, and how that reads in the address; LURE has settings of its own.
CONTROLS = {
    "target": (lambda app: app.selectbox(key="target").set_value("other").run(), "other"),
    "lab-budgets": (lambda app: app.text_input(key="lab-budgets").set_value("20; 30, 70").run(), "20; 30, 70"),
    "lab-stratifier": (lambda app: app.selectbox(key="lab-stratifier").set_value("equal-width").run(), "Equal width"),
    "lab-strata": (lambda app: turn(app, "lab-strata", 3), "3"),
    "lab-offset": (lambda app: turn(app, "lab-offset", 0.1), "0.1"),
    "lab-trials": (lambda app: turn(app, "lab-trials", 300), "300"),
    "lab-clip": (lambda app: turn(app, "lab-clip", 0.5), "0.5"),
    "lab-seed": (lambda app: app.number_input(key="lab-seed").set_value(7).run(), "7"),
    "lab-lure": (lambda app: app.toggle(key="lab-lure").set_value(False).run(), "false"),
}


def test_every_control_changes_the_figure_and_can_be_set_by_the_address(open_page, two_targets):
    """One after the other, so that in the end all of them stand in one address."""
    app, query = open_page(PAGE, two_targets), {}
    before, last = figure(app)["data"], list(CONTROLS)[-1]
    for control, (change, written) in CONTROLS.items():
        # It takes away what the controls before it change.
        if control == last:
            assert figure(open_page(PAGE, two_targets, **query))["data"] == before
        change(app)
        after = figure(app)["data"]
        assert after != before and not app.exception, control
        before = after
        query[control] = written
    linked = open_page(PAGE, two_targets, **query)
    assert figure(linked)["data"] == before and {key: linked.query_params[key] for key in query} == query
    assert linked.selectbox(key="lab-stratifier").value == "equal-width", "with so few strata the figure is alike"


@pytest.mark.parametrize(
    ("typed", "message"),
    [("2", "smallest possible budget is 5"), ("151", "more than the 150 items"), ("many", "Found “many”.")],
)
def test_budgets_that_do_not_fit_are_told(open_page, two_targets, typed, message):
    app = open_page(PAGE, two_targets, **{"lab-budgets": typed})
    assert message in messages(app, "error")[0].replace("\\", "") and not figures(app)


@pytest.mark.parametrize("section", SECTIONS)
def test_every_section_is_a_sentence_a_figure_and_a_table_that_can_be_taken_away(
    open_page, downloads, two_targets, section
):
    app = open_page(PAGE, two_targets, section=section, **{"lab-simulate": "true", "lab-trials": 300})
    assert not app.error and len(figures(app)) == 1 and app.dataframe
    assert any(text.startswith("## ") for text in texts(app))
    ((_, data),) = downloads.items()
    rows = list(csv.DictReader(io.StringIO(data())))
    assert len(rows) >= 8 and {"budget"} <= set(rows[0])


def test_what_comes_from_a_pool_is_no_markup(open_page):
    rows = records(80)
    for row in rows:
        row["generations:<b>*x*</b>"] = row["generations"]
        row["targets"] = {"<i>$y$</i>": row["targets"]["model"]}
    app = open_page(PAGE, pool(rows, "# <u>name</u>"), section="Signals")
    assert not any("<b>" in text or "<i>" in text for text in texts(app))
    spec = figure(app)
    assert not any("<i>" in trace["name"] or "<b>" in "".join(trace["y"]) for trace in spec["data"])


def test_a_further_surrogate_that_is_no_list_is_told_row_by_row(open_page):
    rows = records(30)
    for row in rows:
        row["generations:bad"] = "A"
    app = open_page(PAGE, pool(rows), section="Signals")
    assert "There are 30 problems" in messages(app, "error")[0]
    told = app.dataframe[0].value
    assert len(told) == 30 and told["what is wrong"].str.contains("not a list of texts").all()


def test_settings_reach_the_tables(open_page, exams):
    query = {"lab-strata": 3, "lab-offset": 2.0, "lab-stratifier": "k-means", "lab-budgets": "30, 60"}
    app = open_page(PAGE, exams, section="Allocation", v=VERSION, **query)
    columns = variants("allocation", Scheme(stratifier="k-means", n_strata=3, offset=2.0))
    target = next(iter(exams.targets))
    marks = ablations.marked(ablations.exact(outcome_of(exams, target), columns, (30, 60)))
    table = app.dataframe[0].value
    assert table.drop(columns="(Recommended)").to_numpy().tolist() == shown_tables.ablation(marks).to_numpy().tolist()
    curve = Prospect(exams, target).exact_curve([30, 60], ["recommended"])["relative_mse"]
    assert table["(Recommended)"].tolist() == [cell(value) for value in (*curve, curve.mean())]


def test_a_leaderboard_is_answered_as_far_as_it_can_be_and_leads_to_what_it_lacks(open_page):
    rows = [{"id": str(n), "targets": {f"m{m}": {"loss": (n + m) % (m + 2) > 0} for m in range(4)}} for n in range(90)]
    app = open_page(PAGE, pool(rows, "board"))
    assert not app.error and figures(app) and "no generations" in bare(app.main.caption)
    assert "surrogate" in [link.proto.page for link in app.main.get("page_link")]
    assert "lab-offset" not in dials(app)
    app.query_params["section"] = "signals"
    table = run(app).dataframe[0].value
    assert not app.error and table["Signal"].tolist() == ["predicted risk", "past results of other models"]
