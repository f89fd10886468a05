"""Every page is opened with one pool, target and budget: a figure that stands on several pages is the same on all."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from functools import cache

import numpy as np
import pytest

from core.pool import Pool
from core.prospect import Prospect
from core.readers import read
from pages.parts.app.address import VERSION
from tests.conftest import ROOT
from tests.pages.conftest import bare, components
from tests.pages.estimate.conftest import judged, keep
from tests.pools import path_of

PAGES = {
    "Overview": "app.py",
    "Plan": "pages/plan.py",
    "Pool": "pages/pool.py",
    "Explore": "pages/explore.py",
    "Label": "pages/label.py",
}
# Wherever a page writes one of these figures, in the words that it may use.
WRITTEN = {
    "labels of Uniform": (
        r"instead of ([\d,]+)",
        r"Uniform would (?:take|need) ([\d,]+) labels",
        r"of Uniform’s ([\d,]+)",
    ),
    "share saved": (r"saves ([\d.]+) % of the labels", r"precision: ([\d.]+) % saved"),
    "half-width": (r"labels: (?:about )?±([\d.]+) points", r"Neyman ±([\d.]+) points"),
    "half-width of Uniform": (r"\(Uniform ±([\d.]+)\)", r"Uniform ±([\d.]+) points"),
    "strata": (r"from ([\d,]+) strata", r"the list that you get has ([\d,]+)", r"## ([\d,]+) strata"),
    "past models": (r"(\d+) (?:other )?models? ha(?:s|ve) known results",),
    "accuracy of the target": (r"Target’s accuracy ([\d.]+)",),
    "what items are sorted by": (r"sorted by (predicted risk|agreement|semantic entropy|past results)",),
}


def leaderboard() -> Pool:
    """Verdicts on 14 models, whose answers nobody kept."""
    rng = np.random.default_rng(3)
    hard, skill = rng.normal(size=420), rng.normal(1.0, 0.5, size=14)
    chance = 1 / (1 + np.exp(-1.6 * (skill[:, None] - hard)))
    right = rng.random(chance.shape) < chance
    rows = [
        {"id": f"q{item}", "targets": {f"model {m}": {"loss": float(not right[m, item])} for m in range(14)}}
        for item in range(420)
    ]
    return Pool.from_records(rows, "a leaderboard")


@cache
def pool_of(name: str) -> Pool:
    if name == "leaderboard":
        return leaderboard()
    return read(path_of("exams-gpt35-k10") if name == "exams" else ROOT / "data" / name)


POOLS = ("demo.jsonl.gz", "mmlu-pro.parquet", "exams", "leaderboard")


def text(app) -> str:
    """All that a page says, its numbers with their names."""
    said = [bare([*app.title, *app.main.markdown, *app.main.caption])]
    said += [json.loads(component.json)["alt"] for component in components(app, "neyman_stage")]
    said += [f"{metric.label} {metric.value} {metric.delta}" for metric in app.metric]
    return "\n".join(said).replace("\u00a0", " ").replace("**", "")


def written(app) -> dict[str, set[str]]:
    """The figures of a page, by what they are."""
    said = text(app)
    return {name: {found for one in ways for found in re.findall(one, said)} for name, ways in WRITTEN.items()}


@pytest.mark.parametrize("budget", [100, 200])
@pytest.mark.parametrize("name", POOLS)
def test_no_page_contradicts_another(open_page, name, budget):
    pool = pool_of(name)
    target = list(pool.targets)[-1]
    query = {"target": target, "budget": budget, "plan-for": "pool", "v": VERSION}
    pages = {page: open_page(script, pool, **query) for page, script in PAGES.items()}
    found = defaultdict(dict)
    for page, app in pages.items():
        for figure, values in written(app).items():
            if values:
                found[figure][page] = values
    different = {figure: by for figure, by in found.items() if len(set().union(*by.values())) > 1}
    assert different == {}

    promise = Prospect(pool, target, budget).promise
    assert promise.exact and found["labels of Uniform"]["Overview"] == {f"{promise.uniform_labels:,}"}
    assert found["labels of Uniform"].keys() == PAGES.keys()
    assert found["share saved"].keys() >= {"Plan", "Pool", "Explore"}
    assert found["half-width"].keys() >= {"Overview", "Plan", "Label"}
    assert found["strata"].keys() >= {"Label", "Explore"}
    if name == "leaderboard":
        assert found["past models"].keys() >= {"Overview", "Pool", "Label"} and found["past models"]["Pool"] == {"13"}
    for app in pages.values():
        assert "drawn uniformly as" not in text(app) and "items are drawn uniformly" not in text(app)


@pytest.mark.parametrize("budget", [100, 150])
@pytest.mark.parametrize("name", POOLS[:-1])
def test_lab_finds_what_overview_promises(open_page, name, budget):
    pool = pool_of(name)
    query = {"target": list(pool.targets)[-1], "budget": budget, "v": VERSION}
    promised = re.findall(
        r"squared error is ([\d.]+) % of Uniform’s", text(open_page(PAGES["Overview"], pool, **query))
    )
    found = re.findall(
        rf"At M = {budget}, the recommended design has the smallest feasible error, ([\d.]+) % of",
        text(open_page("pages/lab.py", pool, **query)),
    )
    assert promised == found and len(found) == 1


@pytest.mark.parametrize("name", POOLS)
def test_what_is_offered_is_the_same_wherever_it_is_offered(open_page, name):
    pool = pool_of(name)
    target = list(pool.targets)[-1]
    query = {"target": target, "budget": 100, "v": VERSION}
    explore, label = (open_page(PAGES[page], pool, **query) for page in ("Explore", "Label"))
    for key in ("signal", "target"):
        here, there = explore.selectbox(key=key), label.selectbox(key=key)
        assert (here.value, here.options) == (there.value, there.options)


@pytest.mark.parametrize("name", POOLS)
def test_a_new_model_is_forecast_alike_everywhere(open_page, name):
    pool = pool_of(name)
    query = {"target": "new", "budget": 100, "plan-for": "pool", "v": VERSION}
    pages = {page: written(open_page(script, pool, **query)) for page, script in PAGES.items()}
    for figure in ("half-width", "half-width of Uniform", "labels of Uniform", "strata", "past models"):
        values = set().union(*(found[figure] for found in pages.values()))
        assert len(values) <= 1, (figure, {page: found[figure] for page, found in pages.items()})
    assert pages["Overview"]["half-width"] | pages["Plan"]["half-width"]


@pytest.mark.parametrize("name", ["demo.jsonl.gz", "leaderboard"])
def test_estimate_and_report_repeat_what_label_promised(open_page, downloads, neyman_home, name):
    pool = pool_of(name)
    target = list(pool.targets)[-1]
    plan = Prospect(pool, target, 100).plan(seed=1)
    keep(neyman_home, pool, plan, judged(pool, plan.ids, target), "right-wrong", target)
    query = {"target": target, "plan": plan.plan_id, "kind": "right-wrong", "v": VERSION}
    (promised,) = written(open_page("pages/label.py", pool, **query))["half-width"]
    said = f"promised ±{promised}"
    assert said in text(open_page("pages/estimate.py", pool, **query))
    assert said in downloads["Report (HTML)"]().replace("\u00a0", " ")
