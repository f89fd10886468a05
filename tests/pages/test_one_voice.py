"""Every page is opened with one pool, target and budget: a figure that stands on several pages is the same on all."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from contextlib import redirect_stdout
from functools import cache
from html import unescape
from io import StringIO
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from core.allocation import USUAL_BUDGET
from core.commands import main
from core.design import ALLOCATIONS
from core.pool import Pool
from core.prospect import Costs, Prospect, Question
from core.readers import read
from pages.parts.app.address import VERSION
from pages.parts.widgets.controls import DESIGN, PAPERS
from tests.conftest import ROOT
from tests.pages.conftest import bare, components, messages
from tests.pages.estimate.conftest import judged, keep
from tests.pools import path_of
from tests.sampled import sampled

PAGES = {
    "Overview": "app.py",
    "Plan": "pages/plan.py",
    "Pool": "pages/pool.py",
    "Explore": "pages/explore.py",
    "Label": "pages/label.py",
}
LAB, ESTIMATE = "pages/lab.py", "pages/estimate.py"
# Wherever somebody writes one of these figures, in the words that he may use.
WRITTEN = {
    "labels of Uniform": (
        r"instead of ([\d,]+)(?![\d,.])",
        r"Uniform would need ([\d,]+) labels",
        r"it would take ([\d,]+) labels",
        r"of Uniform’s ([\d,]+)",
        r"\(Uniform\) needs (?:about )?([\d,]+) labels",
    ),
    "share saved": (
        r"saves ([\d.]+) % of the labels",
        r"should save ([\d.]+) % of the labels",
        r"precision: ([\d.]+) % saved",
    ),
    "half-width": (
        r"labels: (?:about )?±([\d.]+) points",
        r"±([\d.]+) points: [\d,]+ labels",
        r"to about ±([\d.]+) points",
        r"Neyman ±([\d.]+) points",
        r"before labelling: ±([\d.]+) points",
    ),
    "half-width of Uniform": (r"Uniform \(a plain random sample\): ±([\d.]+)", r"Uniform ±([\d.]+) points"),
    "squared error": (r"squared error is ([\d.]+) % of Uniform’s", r"the smallest error, ([\d.]+) % of"),
    "squared error of the paper’s design": (
        r"that of the paper’s design is ([\d.]+) %",
        r"Proxy-Neyman has ([\d.]+) %",
    ),
    "strata": (r"from ([\d,]+) strata", r"your list has ([\d,]+)", r"## ([\d,]+) strata"),
    "past models": (r"(\d+) (?:other )?models? ha(?:s|ve) known results",),
    "accuracy of the target": (r"True accuracy ([\d.]+)", r"which is known here: ([\d.]+)"),
    "what items are sorted by": (r"sort(?:ed|s them) by (predicted risk|agreement|semantic entropy|past results)",),
    "items on which all answers agree": (
        r"(?:all answers|each other) (?:agree )?on ([\d.]+) % of",
        r"cheap model\) agree on ([\d.]+) % of the items",
        r"All answers agree ([\d.]+) %",
    ),
    "believed accuracy and AUROC": (
        r"(?:on|assumes|like them:|fared here.*?:) an (?:expected )?accuracy of (.+?) of the time",
    ),
    "money and hours": (
        r"100 labels(?: cost|:|: (?:about )?±[\d.]+ points,) ([\d,]+ €, [\d.]+ hours)",
        r"from 100 labels \(([\d,]+ €, [\d.]+ hours)",
        r"points: 100 labels, ([\d,]+ €, [\d.]+ hours)",
    ),
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


def partly(pool: Pool, known: int) -> Pool:
    """The pool with its last target's verdicts on so many of its items, and no right answers."""
    last, some = list(pool.targets)[-1], set(np.random.default_rng(2).permutation(pool.n_items)[:known].tolist())
    rows = pool.table.select([name for name in pool.table.column_names if name != "answer"]).to_pylist()
    losses = {name: pool.losses(name) for name in pool.targets}
    for number, row in enumerate(rows):
        for name, loss in losses.items():
            row["targets"][name]["loss"] = float(loss[number]) if name != last or number in some else None
    return Pool.from_records(rows, f"{known} known")


@cache
def pool_of(name: str) -> Pool:
    if name in PARTLY:
        return partly(pool_of(PARTLY[name][0]), PARTLY[name][1])
    return leaderboard() if name == "leaderboard" else read(file_of(name))


def file_of(name: str) -> Path:
    return path_of("exams-gpt35-k10") if name == "exams" else ROOT / "data" / name


# Pools of whose last target some verdicts are known.
PARTLY = {"3 known": ("leaderboard", 3), "600 known": ("exams", 600)}
POOLS = ("demo.jsonl.gz", "mmlu-pro.parquet", "exams", "leaderboard")


def text(app) -> str:
    """All that a page says, its numbers with their names, and what headlines and captions say behind their marks."""
    said = [bare([*app.title, *app.main.markdown, *app.main.caption])]
    said += [one.proto.help.replace("\\", "") for one in app.main.markdown if one.value.startswith("## ")]
    said += [one.proto.help.replace("\\", "") for one in app.main.caption]
    said += [json.loads(component.json)["alt"] for component in components(app, "neyman_stage")]
    said += [f"{metric.label} {metric.value} {metric.delta}" for metric in app.metric]
    return plainly("\n".join(said))


def html(page: str) -> str:
    """What a page of HTML says, without its drawings."""
    return unescape(re.sub(r"<[^>]+>", " ", re.sub(r"<(style|svg)\b.*?</\1>", "", page, flags=re.DOTALL)))


def plainly(said: str) -> str:
    return said.replace("\u00a0", " ").replace("**", "")


def figures_in(said: str) -> dict[str, set[str]]:
    """The figures of a text, by what they are."""
    return {name: {found for one in ways for found in re.findall(one, said)} for name, ways in WRITTEN.items()}


def contradictions(voices: dict[str, str]) -> tuple[dict[str, set[str]], dict[str, dict[str, set[str]]]]:
    """Who writes each figure, and those that not all write alike."""
    found: dict[str, dict[str, set[str]]] = defaultdict(dict)
    for voice, said in voices.items():
        for figure, values in figures_in(said).items():
            if values:
                found[figure][voice] = values
    different = {figure: by for figure, by in found.items() if len(set().union(*by.values())) > 1}
    return {figure: set(by) for figure, by in found.items()}, different


def commanded(name: str, folder: Path, *words: object) -> str:
    """What `neyman plan` says of a pool."""
    if name == "leaderboard" or name in PARTLY:
        pool_of(name).write(file := folder / "pool.jsonl.gz")
    else:
        file = file_of(name)
    with redirect_stdout(StringIO()) as said:
        assert main(["plan", "--pool", str(file), *map(str, words)]) == 0
    return plainly(said.getvalue())


@pytest.mark.parametrize("name", sampled(POOLS, ("mmlu-pro.parquet", "leaderboard").__contains__))
def test_nobody_contradicts_another_about_a_known_target(open_page, downloads, neyman_home, tmp_path, name):
    """Pages, their downloads, Lab, the tour, `print`, the command, and after the labels Estimate and its report."""
    pool, budget = pool_of(name), 100
    target = list(pool.targets)[-1]
    query = {"target": target, "budget": budget, "plan-for": "pool", "v": VERSION, "price": 12, "minutes": 6}
    question = Question(target, costs=Costs(12, 6))
    prospect = Prospect(pool, None, budget, question)
    voices = {page: text(open_page(script, pool, **query)) for page, script in PAGES.items()}
    assert not any("drawn uniformly as" in said or "items are drawn uniformly" in said for said in voices.values())
    voices["plan as HTML"] = plainly(html(downloads["One page as HTML"]()))
    voices["tour"] = text(open_page("app.py", pool, **query, tour=4)) + text(open_page("app.py", pool, **query, tour=5))
    voices["Lab"] = text(open_page(LAB, pool, **query))
    voices["print"] = plainly(f"{prospect}\n{prospect.promise.headline}\n{prospect.promise.verdict}")
    words = ("--target", target, "--labels", budget, "--price", 12, "--minutes", 6)
    voices["command"] = commanded(name, tmp_path, *words)
    plan = prospect.plan(seed=1)
    keep(neyman_home, pool, plan, judged(pool, plan.ids, target), "right-wrong", target)
    of_study = {"target": target, "plan": plan.plan_id, "kind": "right-wrong", "v": VERSION}
    said = text(open_page(ESTIMATE, pool, **of_study))
    # All else there follows from the labels.
    for voice, whole in (("Estimate", said), ("report", plainly(html(downloads["Report (HTML)"]())))):
        voices[voice] = "\n".join(re.findall(r"before labelling: ±[\d.]+ points on average from [\d,]+ labels", whole))

    said_by, different = contradictions(voices)
    assert different == {}
    promise, of_pool = prospect.promise, pool.n_generations > 0
    assert promise.exact
    everywhere = {*PAGES, "plan as HTML", "print", "command"}
    assert said_by["labels of Uniform"] >= everywhere | {"tour"}
    assert said_by["half-width"] >= {
        "Overview",
        "Plan",
        "Label",
        "plan as HTML",
        "print",
        "command",
        "Estimate",
        "report",
    }
    assert said_by["half-width of Uniform"] >= {"Overview", "Plan", "Label", "plan as HTML", "print", "command"}
    assert said_by["share saved"] >= {"Plan", "Pool", "Explore", "print", "command"}
    assert said_by["money and hours"] >= {
        "Overview",
        "Plan",
        "Explore",
        "Label",
        "plan as HTML",
        "tour",
        "print",
        "command",
    }
    assert said_by["strata"] >= {"Label", "Explore"}
    assert said_by["what items are sorted by"] >= {"Plan", "Pool", "Explore"}
    assert said_by["accuracy of the target"] >= {"Overview", "tour"}
    assert said_by["squared error"] >= {"Overview", "Explore", "print", *({"Lab"} if of_pool else ())}
    if of_pool:
        assert said_by["squared error of the paper’s design"] >= {"Overview", "Explore", "Lab"}
        assert said_by["items on which all answers agree"] >= {"Overview", "Plan", "Pool"}
    if name == "leaderboard":
        assert said_by["past models"] >= {"Overview", "Pool", "Label"}
        assert figures_in(voices["Pool"])["past models"] == {"13"}


@pytest.mark.parametrize("name", sampled(POOLS, ("demo.jsonl.gz", "leaderboard").__contains__))
def test_nobody_contradicts_another_about_a_new_model(open_page, downloads, tmp_path, name):
    pool, budget = pool_of(name), 200
    query = {"target": "new", "budget": budget, "plan-for": "pool", "v": VERSION}
    prospect = Prospect(pool, None, budget)
    voices = {page: text(open_page(script, pool, **query)) for page, script in PAGES.items()}
    voices["plan as HTML"] = plainly(html(downloads["One page as HTML"]()))
    voices["print"] = plainly(f"{prospect}\n{prospect.promise.verdict}")
    voices["command"] = commanded(name, tmp_path, "--labels", budget)
    said_by, different = contradictions(voices)
    assert different == {} and not prospect.promise.exact
    assert said_by["half-width"] >= {"Overview", "Plan", "Explore", "Label", "plan as HTML", "print", "command"}
    assert said_by["share saved"] >= {"Plan", "Pool", "print", "command"}
    assert said_by["believed accuracy and AUROC"] >= {"Plan", "Pool", "Explore", "print", "command"}
    # What is forecast is not called unknowable beside it.
    assert not any("cannot be known" in said or "not what they save" in said for said in voices.values())


@pytest.mark.parametrize("name", PARTLY)
def test_what_is_known_of_some_items_is_nowhere_exact_for_all(open_page, downloads, tmp_path, name):
    """All figures are one forecast for all items, also of more labels than there are known ones."""
    pool, known = pool_of(name), PARTLY[name][1]
    target, budget = list(pool.targets)[-1], known + 50
    query = {"target": target, "budget": budget, "plan-for": "pool", "v": VERSION}
    prospect = Prospect(pool, target, budget)
    voices, apps = dict[str, str](), {page: open_page(script, pool, **query) for page, script in PAGES.items()}
    for page, app in apps.items():
        voices[page] = text(app)
    voices["plan as HTML"] = plainly(html(downloads["One page as HTML"]()))
    voices["print"] = plainly(f"{prospect}\n{prospect.promise.verdict}")
    voices["command"] = commanded(name, tmp_path, "--target", target, "--labels", budget)
    said_by, different = contradictions(voices)
    assert different == {} and not prospect.promise.exact
    everywhere = {"Overview", "Plan", "Explore", "Label", "plan as HTML", "print", "command"}
    assert said_by["half-width"] >= everywhere
    assert said_by["believed accuracy and AUROC"] >= {"Plan", "Pool", "Explore", "print", "command"}
    warned = [
        page for page, app in apps.items() if any("whose outcome is known" in one for one in messages(app, "warning"))
    ]
    assert warned == ["Overview", "Plan", "Pool", "Explore"]
    of_all = f"{known:,} of {pool.n_items:,} items whose outcome is known"
    assert all(of_all in voices[name] for name in ("Plan", "Pool", "Explore", "plan as HTML", "print", "command"))
    claims = r"[^.\n]*(?:(?<!error rates are )\b[Ee]xact\b|True accuracy|knows no outcome)[^.\n]*"
    assert {voice: found for voice, said in voices.items() if (found := re.findall(claims, said))} == {}
    assert f"{budget:,} of {pool.n_items:,} items to label" in voices["Label"]
    lab = open_page(LAB, pool, **query)
    assert any(f"{known:,} of {pool.n_items:,} items" in one for one in messages(lab, "warning"))


@pytest.mark.parametrize(
    ("name", "budget"), sampled(product(POOLS[:-1], (100, 150)), lambda *case: case == ("exams", 150))
)
def test_lab_finds_what_overview_promises(open_page, name, budget):
    pool = pool_of(name)
    query = {"target": list(pool.targets)[-1], "budget": budget, "v": VERSION}
    promised, found = (
        figures_in(text(open_page(page, pool, **query)))["squared error"] for page in (PAGES["Overview"], LAB)
    )
    assert promised == found and len(found) == 1


@pytest.mark.parametrize("name", sampled(POOLS, POOLS[2:].__contains__))
def test_what_is_offered_is_the_same_wherever_it_is_offered(open_page, name):
    pool = pool_of(name)
    target = list(pool.targets)[-1]
    query = {"target": target, "budget": 100, "v": VERSION}
    explore, label = (open_page(PAGES[page], pool, **query) for page in ("Explore", "Label"))
    for key in ("signal", "target"):
        here, there = explore.selectbox(key=key), label.selectbox(key=key)
        assert (here.value, here.options) == (there.value, there.options)


def test_all_begin_with_the_same_number_of_labels(open_page, tmp_path):
    pool = pool_of("demo.jsonl.gz")
    begins = rf"\b{USUAL_BUDGET} labels"
    for page, script in PAGES.items():
        if page != "Pool":
            assert re.search(begins, text(open_page(script, pool, v=VERSION))), page
    assert re.search(begins, commanded(POOLS[0], tmp_path))
    assert re.search(begins, repr(Prospect(pool)))


@pytest.mark.parametrize("allocation", sampled(ALLOCATIONS, ("proxy-neyman", "equal").__contains__))
def test_label_draws_what_explore_says_of_these_settings(open_page, allocation):
    query = {"design": PAPERS, "allocation": allocation, "strata": 3, "budget": 100, "v": VERSION}
    pool = pool_of("demo.jsonl.gz")
    explore, label = (open_page(PAGES[page], pool, **query) for page in ("Explore", "Label"))
    (switch,) = (radio for radio in explore.radio if radio.key == "design")
    chosen = plainly(switch.proto.captions[switch.options.index(DESIGN.names[PAPERS])]).replace("\\", "")
    (promised,) = figures_in(text(label))["half-width"]
    assert chosen.startswith(f"±{promised} points")
