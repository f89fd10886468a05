"""What this version says of the home, the files and the addresses in ``v1/``, as plain JSON values.

``make_fixtures.py`` wrote these answers to ``v1/expected.json`` with the version that made the fixtures; the tests ask
again. When something in ``core`` or in the pages moves, change how it is asked here; ``v1/`` stays as it is.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import parse_qs

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.testing.v1 import AppTest

from core import labels
from core.archive import Archive
from core.design import Plan, first_plan_id, manifest
from core.pool import Pool
from core.stratification import Profile, profile
from core.surrogate.job.progress import progress
from core.surrogate.job.store import Store
from tests.conftest import ROOT
from tests.pages.conftest import components, dials
from tests.pages.desk import desk

V1, V3 = (Path(__file__).with_name(name) for name in ("v1", "v3"))
EXAM_ITEMS = 60
# The labels of each plan: (kind, target, whether scores may lie outside 0 to 1).
Question = tuple[str, str | None, bool]
Offered = Mapping[str, Callable[[], Any]]
# Under this name decisions between annotators are kept.
DECISION = "(decision)"


def expected(folder: Path = V1) -> dict[str, Any]:
    """What the version that made the fixtures said."""
    document: dict[str, Any] = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    return document


def copy_files(folder: Path) -> None:
    """Copy the home of the fixtures to a folder that does not exist yet."""
    shutil.copytree(V1 / "home", folder)


def copy_home(folder: Path) -> Archive:
    """The home of the fixtures, copied and opened."""
    copy_files(folder)
    return Archive(folder)


def home_of_schema(version: int, folder: Path) -> Archive:
    """The home of an earlier version of the tables, with the same pools, opened."""
    shutil.copytree(V1 / "home" / "pools", folder / "pools")
    with closing(sqlite3.connect(folder / "neyman.sqlite")) as database:
        database.executescript((V1 / f"home-of-schema-{version}.sql").read_text(encoding="utf-8"))
    return Archive(folder)


def redraw(archive: Archive, document: str) -> tuple[Pool, Profile, Plan]:
    """The pool of a manifest, its profile, and the plan drawn again."""
    content = manifest.read(document)
    pool = archive.pools.load(content.pool_digest)
    whole = profile(pool.classes(content.design.scheme.parser))
    return pool, whole, manifest.reproduce(content, pool, whole)


def kept_manifest(archive: Archive, plan_id: str) -> str:
    """The manifest of a kept plan."""
    return str(archive.plans.table().set_index("plan_id").at[plan_id, "manifest"])


def plan_says(archive: Archive, document: str) -> dict[str, Any]:
    """The sample that a manifest draws, and its weights."""
    pool, whole, plan = redraw(archive, document)
    stratum = plan.items["stratum"]
    return {
        "plan_id": plan.plan_id,
        "pool": pool.digest,
        "sample_digest": plan.sample_digest,
        "items": list(map(str, plan.ids)),
        "stratum_of_item": stratum.tolist(),
        "inclusion_probability_of_item": plan.items["probability"].tolist(),
        "stratum_sizes": plan.strata.sizes.tolist(),
        "allocation": plan.allocation.tolist(),
        "semantic_entropy_of_item": plain(whole.signal[plan.positions].tolist()),
    }


def family_of(archive: Archive, plan_id: str) -> tuple[str, ...]:
    """The plan and those of the same design with another budget."""
    *_, plan = redraw(archive, kept_manifest(archive, plan_id))
    return labels.family(plan, archive.plans.table())


def labels_say(archive: Archive, plan_id: str, question: Question) -> dict[str, Any]:
    """The kept labels of a plan and its family that answer a question, settled."""
    kind, target, unbounded = question
    pool, _, plan = redraw(archive, kept_manifest(archive, plan_id))
    family = family_of(archive, plan_id)
    rows = labels.relevant(archive.labels.of(*family), kind, target)
    lost = labels.lost(rows)
    spare = labels.replacements(plan, lost)
    items = [str(item) for item in plan.ids]
    # Whoever labelled a replacement may not have said which item it is for.
    labelled = set(rows.loc[rows["label"].notna(), "item_id"])
    waiting = labels.replacements(plan, [*lost, *(item for item in items if item not in labelled)])
    items += [str(item) for item in waiting["item_id"] if item in labelled]
    rows = rows[rows["item_id"].isin(items) | (rows["plan_id"] == plan_id)]
    decided = rows[rows["annotator"] == DECISION]
    settled = labels.settle(
        rows[rows["annotator"] != DECISION],
        items,
        plan_id,
        kind,
        labels.choices_of(pool.items, items),
        family=family,
        decisions=dict(zip(decided["item_id"], decided["label"], strict=True)),
        unbounded=unbounded,
        items=pool.items,
        parser=plan.design.scheme.parser,
    )
    answers = labels.target_answers(pool, target, items, plan.design.scheme.parser) if target in pool.targets else None
    known = kind != "gold" or answers is not None
    losses = labels.losses(settled, answers, pool.items, plan.design.scheme.parser) if known else None
    return {
        "given": table(rows[["plan_id", "item_id", "annotator", "label", "note", "status", "source", "created"]]),
        "settled": table(settled.labels),
        "conflicts": table(settled.conflicts),
        "missing": list(settled.missing),
        "undecided": list(settled.undecided),
        "odd": sorted(map(list, zip(settled.odd["what"], settled.odd["item_id"], strict=True))),
        "lost": lost,
        "replacements": table(spare),
        "losses": None if losses is None else table(losses[["item_id", "loss"]]),
    }


def counts_say(archive: Archive, plan_id: str) -> dict[str, Any]:
    """How many items have a label, under the plan and under its family, and what the last import was."""
    family = family_of(archive, plan_id)
    last = archive.labels.last_import(*family)
    counts = archive.labels.counts().set_index("plan_id")
    columns = ("plan_id", "source", "created", "changes", "people", "kinds")
    return {
        "family": list(family),
        "labelled": int(counts.at[plan_id, "items"]) if plan_id in counts.index else 0,
        "newest": str(counts.at[plan_id, "newest"]) if plan_id in counts.index else None,
        "labelled_in_family": archive.labels.count(*family),
        "last_import": None if last is None else plain({name: getattr(last, name) for name in columns}),
    }


def file_says(archive: Archive, path: Path, plan_id: str, kind: str, target: str) -> dict[str, Any]:
    """A filled list: its rows, and what they settle to under their plan."""
    pool, _, plan = redraw(archive, kept_manifest(archive, plan_id))
    back = labels.read(path.read_bytes(), path.name)
    rows = labels.assign_targets(back.rows, pool.targets, target)
    items = [str(item) for item in plan.ids]
    settled = labels.settle(
        labels.relevant(rows.assign(kind=rows["kind"].fillna(kind)), kind, target),
        items,
        plan_id,
        kind,
        labels.choices_of(pool.items, items),
        family=family_of(archive, plan_id),
        target=target,
        items=pool.items,
    )
    return {"source": back.source, "rows": table(rows), "settled": table(settled.labels), "kind": kind}


def job_says(home: Path, job: str) -> dict[str, Any]:
    """A job as it stands: its counts, what it was asked to do, and what is stored."""
    store = Store(home)
    now = progress(store, job)
    counted = ("total", "done", "failed", "retryable", "generations", "unparsed", "truncated")
    used = ("requests", "retries", "prompt_tokens", "completion_tokens", "seconds")
    # Earlier versions knew one address.
    spec, urls = asdict(now.spec), now.spec.connection.base_urls
    return {
        **{name: getattr(now, name) for name in (*counted, *used)},
        "id": now.id,
        "state": now.state,
        "error": now.error,
        "resumable": now.resumable,
        "spec": plain(spec | {"connection": spec["connection"] | {"base_url": next(iter(urls), None)}}),
        "sent": now.request and plain(asdict(now.request) | {"together": now.request.most > 1}),
        "stored": stored(home, job),
    }


def stored(home: Path, job: str) -> list[list[Any]]:
    """What a job has brought: position, sample, text, answer, log-probability and its mean a token."""
    query = (
        "SELECT position, sample, text, answer, logprob, token_logprob FROM surrogate_generations WHERE job ="
        " (SELECT number FROM surrogate_jobs WHERE id = ?) ORDER BY position, sample"
    )
    with Store(home).database.connection() as database:
        return [list(row) for row in database.execute(query, (job,))]


def address_says(address: str) -> dict[str, Any]:
    """What a page shows at an address such as ``explore?pool=…``; NEYMAN_HOME is set."""
    page, _, query = address.partition("?")
    shown = _SHOWN["link" if "only=label" in query else page]
    with _opened(address) as (app, offered):
        return dict(plain({"errors": len(app.error), **shown(app, offered)}))


def report_at(address: str) -> str:
    """The report that page Estimate hands out as JSON, on its tab “How”."""
    with _opened(f"{address}&about=how") as (_, offered):
        return str(offered["Everything as JSON"]())


@contextmanager
def _opened(address: str) -> Iterator[tuple[AppTest, Offered]]:
    """A page at its address, and its downloads."""
    page, _, query = address.partition("?")
    with _downloads() as offered:
        app = AppTest.from_file(ROOT / "app.py", default_timeout=120)
        given: dict[str, list[str]] = parse_qs(query)
        app.query_params.update({name: values if len(values) > 1 else values[0] for name, values in given.items()})
        if page == "explore":
            # The tab of the numbers behind its figure.
            app.query_params["detail"] = "numbers"
        app.switch_page(f"pages/{page}.py")
        app.run()
        assert [error.value for error in app.exception] == []
        yield app, offered


def _explore(app: AppTest, offered: Offered) -> dict[str, Any]:
    budget = _control(app, "budget")
    controls = _controls(app, target="target", parser="parser", trials="trials", **_DESIGN)
    if any("whose outcome is known" in one.value for one in app.warning):
        # Of a target of which some outcomes are known, earlier versions showed the errors of those items alone.
        assert "Errors as CSV" not in offered
        return controls | {"trials": None}
    curve = _csv(offered["Errors as CSV"]())
    return {
        **controls,
        "relative_mse": {
            f"{row['method']} {name}": _number(row[name])
            for row in curve
            if row["budget"] == str(budget)
            for name in row
            if name not in ("method", "budget")
        },
        "strata": _columns(_csv(offered["Strata as CSV"]())),
    }


def _label(app: AppTest, offered: Offered) -> dict[str, Any]:
    rows = [json.loads(line) for line in offered["JSON Lines"]().splitlines()]
    drawn = manifest.read(offered["Manifest"]())
    assert rows[0]["plan_id"] == drawn.plan_id
    design = drawn.design
    return {
        **_controls(app, kind="label-kind", target="target"),
        # A list with labels is fixed, and has no controls.
        "allocation": design.scheme.allocation,
        "seed": design.seed,
        "parser": design.scheme.parser or "own",
        "stratifier": design.scheme.stratifier,
        "n_strata": design.scheme.n_strata,
        "offset": design.scheme.offset,
        "budget": design.budget,
        # A plan has another id today; its labels of then count for it.
        "plan_id": first_plan_id(str(drawn.pool_digest), drawn.design),
        "items": [row["item_id"] for row in rows],
        "answers": [row.get("target_answer") for row in rows],
        "answers_of": rows[0].get("answers_of"),
    }


def _link(app: AppTest, offered: Offered) -> dict[str, Any]:
    shown = desk(app) if components(app, "neyman_desk") else None
    return {
        "item": shown["order"][0] if shown else None,
        "progress": [shown["done"], shown["total"]] if shown else None,
        "annotator": _control(app, "annotator") if shown else None,
        "tells_nothing": not app.selectbox and "Accuracy" not in "".join(str(one.value) for one in app.markdown),
    }


def _estimate(app: AppTest, offered: Offered) -> dict[str, Any]:
    controls = _controls(
        app, plan="plan", kind="label-kind", target="target", interval="interval", confidence="confidence"
    )
    # The numbers are in a tab of their own.
    app.query_params["about"] = "how"
    app.run()
    if "Everything as JSON" not in offered:
        # A number of labels that are not understood is withdrawn.
        return {**controls, "withdrawn": " ".join(str(one.value).replace("\\", "") for one in app.warning)}
    report = json.loads(offered["Everything as JSON"]())
    return {
        **controls,
        "number": [float(n) for n in re.findall(r"\d+\.?\d*", _in_headline(app))],
        **{name: without_prose(report[name]) for name in NUMBERS_OF_A_REPORT if name not in _LONG},
    }


def _in_headline(app: AppTest) -> str:
    """The number in the headline of page Estimate, or the two between which it lies."""
    headline = next(str(one.value) for one in app.markdown if str(one.value).startswith("## "))
    found = re.search(r"(?:gets|mean score of) (.*?)(?: right| \(|$)", headline.replace("\\", ""))
    assert found is not None, headline
    return found[1]


def _lab(app: AppTest, offered: Offered) -> dict[str, Any]:
    names = {"stratifier": "lab-stratifier", "n_strata": "lab-strata", "offset": "lab-offset", "clip": "lab-clip"}
    names |= {"lure": "lab-lure", "trials": "lab-trials", "seed": "lab-seed", "simulate": "lab-simulate"}
    (table_of_section,) = (make() for label, make in offered.items() if label.endswith("as CSV"))
    return {
        **_controls(app, target="target", parser="parser", budgets="lab-budgets", **names),
        "table": _columns(_csv(table_of_section)),
    }


def _surrogate(app: AppTest, offered: Offered) -> dict[str, Any]:
    # A space has come before the per cent sign since.
    numbers = [str(one.value).replace("\N{NO-BREAK SPACE}%", "%") for one in app.metric]
    return {"run": _control(app, "run"), "numbers": numbers}


def _plan(app: AppTest, offered: Offered) -> dict[str, Any]:
    keys = {"question": "question", "points": "points", "money": "money", "price": "price", "believed": "believed"}
    keys |= {"plan_for": "plan-for", "items": "items", "target": "target", "auroc": "auroc"}
    asked = _controls(app, **keys)
    # Beyond the pool's items it stands for all of them.
    most = EXAM_ITEMS if asked["plan_for"] == "pool" else math.inf
    labels = min(int(app.query_params["budget"]), most) if asked["question"] == "labels" else None
    return asked | {"labels": labels}


_SHOWN: Mapping[str, Callable[[AppTest, Offered], dict[str, Any]]] = {
    "explore": _explore,
    "label": _label,
    "link": _link,
    "estimate": _estimate,
    "lab": _lab,
    "plan": _plan,
    "surrogate": _surrogate,
}
# Names of the parameters of a design → those of the pages' controls.
_DESIGN = {"stratifier": "stratifier", "n_strata": "strata", "offset": "offset", "budget": "budget"}
# The keys of a report that hold numbers and no sentences.
NUMBERS_OF_A_REPORT = (
    "target",
    "plan_id",
    "measure",
    "confidence",
    "interval",
    "estimate",
    "uniform",
    "design_effect",
    "effective_size",
    "uniform_needed",
    "intervals",
    "strata",
    "groups",
    "top_up",
    "comparison",
    "metrics",
    "answered",
    "planned",
    "missing",
    "labels",
    "undecided",
)
# Those that an address need not show again: two whole reports do.
_LONG = frozenset({"intervals", "strata", "groups", "labels"})
_PROSE = frozenset({"sentences", "label", "basis", "method", "note", "name", "names", "remark", "made"})


def without_prose(value: Any) -> Any:
    """A value of a report without what is written for people to read."""
    if isinstance(value, dict):
        return {key: without_prose(inner) for key, inner in value.items() if key not in _PROSE}
    return [without_prose(inner) for inner in value] if isinstance(value, list) else value


def table(frame: pd.DataFrame) -> dict[str, list[Any]]:
    """A frame as lists by column; what is missing is None."""
    return {str(name): plain(frame[name].tolist()) for name in frame.columns}


def plain(value: Any) -> Any:
    """The same as JSON gives it back: lists for tuples, None for NaN."""
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(inner) for inner in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    return None if value is pd.NA or (isinstance(value, float) and value != value) else value


def _controls(app: AppTest, **keys: str) -> dict[str, Any]:
    return {name: _control(app, key) for name, key in keys.items()}


def _control(app: AppTest, key: str) -> Any:
    """The value of the control with this key; None if the page has none."""
    if key in (shown := dials(app)):
        return shown[key]
    for kind in ("selectbox", "radio", "button_group", "number_input", "toggle", "text_input"):
        for one in app.get(kind):
            if one.key == key:
                return one.value
    return None


def _csv(content: str | bytes) -> list[dict[str, str]]:
    text = content.decode("utf-8-sig") if isinstance(content, bytes) else content
    return list(csv.DictReader(io.StringIO(text, newline="")))


def _columns(rows: list[dict[str, str]]) -> dict[str, list[float | str | None]]:
    return {name: [_number(row[name]) for row in rows] for name in rows[0] if name not in _PROSE}


def _number(text: str) -> float | str | None:
    try:
        return float(text) if text else None
    except ValueError:
        return text


@contextmanager
def _downloads() -> Iterator[dict[str, Callable[[], Any]]]:
    """What each download button hands out, by its label, while a page is drawn."""
    offered: dict[str, Callable[[], Any]] = {}
    original = st.download_button

    def noted(label: str, data: Any, *args: Any, **kwargs: Any) -> bool:
        offered[label] = data if callable(data) else lambda: data
        return original(label, data, *args, **kwargs)

    with patch.object(st, "download_button", noted):
        yield offered
