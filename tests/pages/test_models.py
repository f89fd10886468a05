"""Page Models: the best of several models before labels, from its lists back, and what cannot be compared."""

from __future__ import annotations

import functools
import io
import json
import shlex

import numpy as np
import pandas as pd
import pytest

from core.commands import main
from core.contests import DECIDED, Best, best
from core.pool import Pool
from core.words import first_sentence
from pages.parts.app import state
from pages.parts.app.address import VERSION
from tests.core.wording import Saying
from tests.pages.conftest import BARE, bare, button, figures, messages, press, run

MODELS, NEWEST = "pages/models.py", {"v": VERSION}
RIGHT, NAMES = "42", ("a", "b", "c")


@functools.cache
def models(outcomes: bool = False, n: int = 400) -> Pool:
    """Three models: a is right on 90 % of the items, b on 83 %, c on 50 %."""
    rng, records = np.random.default_rng(5), []
    for place in range(n):
        targets = {}
        for name, share in zip(NAMES, (0.9, 0.83, 0.5), strict=True):
            right = rng.random() < share
            given = {"answer": RIGHT if right else str(rng.integers(3))}
            targets[name] = given | ({"loss": float(not right)} if outcomes else {})
        records.append({"id": f"q{place}", "prompt": f"What is {place}?", "targets": targets})
    return Pool.from_records(records, "models.csv")


def text(app) -> str:
    return bare([*app.main.markdown, *app.main.caption, *app.main.info]).replace("\u00a0", " ").replace("\n", " ")


def race(app):
    """The rows of the race with what is said beside each; None before the first list is labelled."""
    for figure in figures(app):
        notes = figure["layout"].get("annotations", [])
        notes = {note["y"]: note["text"] for note in notes if note.get("yref") != "paper"}
        if "leads" in notes.values():
            return dict(
                zip(figure["layout"]["yaxis"]["ticktext"], (notes[row] for row in range(len(notes))), strict=False)
            )
    return None


def filled(planned: Best, wave=None) -> bytes:
    return planned.request(wave).assign(label=RIGHT, annotator="Ann").to_csv(index=False).encode()


def upload(app, *lists: bytes):
    app.file_uploader(key="contest-labels").set_value(
        [(f"wave-{n}.csv", one, "text/csv") for n, one in enumerate(lists)]
    )
    return run(app)


def test_before_labels_it_says_how_many_of_which_items_and_who_leads(open_page):
    app, planned = open_page(MODELS, models(), **NEWEST), best(models())
    first, rest = first_sentence(planned.sentence)
    assert f"## {first.removesuffix('.')}" in text(app)
    for said in (rest, planned.favourite, planned.assurance, planned.not_needed):
        assert said.replace("\u00a0", " ") in text(app)
    (bar,) = (one for one in figures(app) if one["data"][0].get("name") == "Same answer")
    assert sum(trace["x"][0] for trace in bar["data"]) == planned.contest.n_items and race(app) is None


def test_lists_lead_wave_by_wave_to_the_best_model_and_are_kept(open_page, downloads):
    app, planned = open_page(MODELS, models(), **NEWEST), best(models())
    assert list(pd.read_csv(io.StringIO(downloads["List of wave 1 as CSV"]()))["item_id"]) == [
        *planned.request()["item_id"]
    ]
    lists, standing = [], planned.begin()
    while standing.next_wave is not None:
        lists.append(filled(planned, standing.next_wave))
        standing = planned.decide(lists)
        app = upload(app, *lists)
        assert first_sentence(standing.sentence)[0].removesuffix(".") in text(app)
        out = {row["model"]: row["out_after_wave"] for row in standing.table().to_dict("records")}
        assert race(app) == {
            name: f"out, wave {wave}" if wave else "leads" if name == standing.leader else "still in"
            for name, wave in out.items()
        }
    assert standing.verdict == DECIDED and standing.leader == "a" and len(lists) > 1
    report = downloads["Report as HTML"]()
    assert standing.sentence in report and "neyman best models.csv" in report and "<svg" in report
    press(app, f"Keep {standing.n_labels} labels")
    again = open_page(MODELS, models(), **NEWEST)
    assert race(again) == race(app) and f"labels on {standing.n_labels} items" in text(again)
    press(again, "Undo the last import")
    assert not race(again) or race(again) != race(app)


def test_the_page_begins_with_the_settings_of_the_labels_that_are_kept(open_page):
    planned = best(models(), within=0.03)
    app = open_page(MODELS, models(), within="3", **NEWEST)
    assert "Column “label”: right answers." in text(app)
    app = upload(app, filled(planned))
    kept = f"{planned.decide(filled(planned)).n_labels} labels"
    app = press(app, f"Keep {kept}")
    assert f"{kept} kept." in text(app) and "a reload of the page forgets them" not in text(app)
    again = open_page(MODELS, models(), **NEWEST)
    assert again.number_input(key="within").value == 3 and race(again) is not None
    # Other settings are a choice, too.
    assert open_page(MODELS, models(), within="2", **NEWEST).number_input(key="within").value == 2


def test_a_rehearsal_runs_the_race_with_known_outcomes(open_page, downloads):
    planned = best(models(outcomes=True))
    app = open_page(MODELS, models(outcomes=True), **NEWEST)
    assert planned.rehearsal and planned.begin().truth.split(". ")[0] in text(app)
    assert "A rehearsal" in text(app) and set(race(app)) == set(NAMES)
    assert (
        len(pd.read_csv(io.StringIO(downloads["List of wave 1 as CSV"]()))) == planned.unlabelled().next_wave.order.size
    )


def test_it_opens_on_published_models_with_a_typical_rehearsal(open_page):
    app = open_page(MODELS, BARE)
    planned = best(state.published())
    assert first_sentence(planned.sentence)[0].removesuffix(".") in text(app)
    assert planned.size.labels < planned.size.uniform and planned.begin().truth in text(app)
    typical = planned.typical(9)
    looks = [len(best(state.published(), seed=seed).begin().course.looks) for seed in range(3)]
    middle = sum(chance < 0.5 for chance in planned.size.chances[:-1]) + 1
    assert len(typical.begin().course.looks) == middle and typical.contest.rule.seed == looks.index(middle)
    assert typical.begin().sentence in text(app)
    assert "neyman best data/mmlu-pro.parquet" in app.code[0].value and button(app, "Use your models’ answers")


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"models": "b", "within": 3, "label-waves": 1, "confidence": 0.9, "chance": 0.95, "contest-seed": 4},
        {"within": 0, "label-waves": 5, "parser": "text"},
    ],
)
def test_the_command_line_says_the_same(open_page, tmp_path, capsys, query):
    pool, query = models(), dict(query)
    chosen = ["a", "b"] if query.pop("models", None) else []
    app = open_page(MODELS, pool, **query, **NEWEST)
    if chosen:
        app.multiselect(key="models").set_value(chosen)
        app = run(app)
    (line,) = (one.value for one in app.code)
    program, command, file, *words = shlex.split(line)
    assert (program, command, file) == ("neyman", "best", pool.name)
    path = tmp_path / "models.jsonl"
    pool.write(path)
    assert main(["best", str(path), *words, "--json"]) == 3
    said = json.loads(capsys.readouterr().out)
    assert f"{said['labels_planned']:,} labels" in text(app)
    (wave,) = said["lists"]
    kept = best(
        pool,
        chosen or None,
        query.get("within", 1) / 100,
        query.get("confidence", 0.95),
        query.get("chance", 0.8),
        query.get("label-waves", 3),
        seed=query.get("contest-seed", 0),
        parser=query.get("parser"),
    )
    assert kept.plan(kept.begin().next_wave).plan_id == wave


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"models": "a"}, "two models or more"),
        ({"within": "nan"}, "cannot be used"),
        ({"label-waves": 7}, "cannot be used"),
    ],
)
def test_what_cannot_be_asked_is_said_and_the_tabs_stay(open_page, query, said):
    app = open_page(MODELS, models(), **query, **NEWEST)
    assert said in " ".join([text(app), *messages(app, "error")])
    assert "Compare two models" in [tab.label for tab in app.tabs]


@pytest.mark.parametrize(
    ("pool", "said"),
    [
        (Pool.from_records([{"id": f"i{n}"} for n in range(9)], "none"), "no model’s answers"),
        (Pool.from_records([{"id": f"i{n}", "targets": {"a": {"answer": "A"}}} for n in range(9)]), "of one model"),
    ],
)
def test_fewer_than_two_models_lead_to_the_pool_and_to_the_example(open_page, pool, said):
    app = open_page(MODELS, pool, **NEWEST)
    assert said in text(app) and not messages(app, "error") and not app.multiselect
    assert {"pool", "models"} <= {link.proto.page for link in app.main.get("page_link")}


def test_too_many_items_lead_to_the_command_line(open_page, monkeypatch):
    from pages.parts.models import contest

    monkeypatch.setattr(contest, "_MOST_ITEMS", 300)
    app = open_page(MODELS, models(), **NEWEST)
    assert text(app) == Saying("400 items", "neyman best models.csv") and "one model" not in text(app)


def test_labels_of_another_list_and_files_without_labels_are_refused(open_page):
    other = filled(best(models(), within=0.05))
    app = upload(open_page(MODELS, models(), **NEWEST), other)
    assert "another list" in " ".join(messages(app, "error")) and race(app) is None
    app = upload(open_page(MODELS, models(), **NEWEST), b"no list at all")
    assert messages(app, "error")


def test_words_that_nobody_knows_are_asked_for_and_then_count(open_page):
    texts = [
        {"id": f"q{n}", "targets": {name: {"answer": f"{name} says {n} {'so' * n}"} for name in ("a", "b")}}
        for n in range(60)
    ]
    pool = Pool.from_records(texts, "texts")
    planned = best(pool, looks=1)
    rows = planned.request()
    rows["label"] = ["jawollja" if " a says" in f" {answer}" else "neenee" for answer in rows["target_answer"]]
    app = open_page(MODELS, pool, **{"label-waves": 1}, **NEWEST)
    app = upload(app, rows.assign(annotator="Ann").to_csv(index=False).encode())
    assert "jawollja" in " ".join(messages(app, "error")) and race(app) is None
    for word, meaning in {"jawollja": "right", "neenee": "wrong"}.items():
        app.button_group(key=f"unknown-word-{word}").set_value(meaning)
    press(app, "Use these meanings")
    assert not messages(app, "error") and list(race(app)) == ["a", "b"] and "a is the best model" in text(app)
    press(app, next(one.label for one in app.button if one.label.startswith("Keep ")))
    assert race(open_page(MODELS, pool, **{"label-waves": 1}, **NEWEST)) == race(app)


@pytest.mark.parametrize("tab", ["Side by side", "Compare two models"])
def test_links_to_tabs_that_page_versions_had_open_here(open_page, tab):
    app = open_page("pages/versions.py", models(), versions=tab, **NEWEST)
    assert app.title[0].value.startswith("Models") and app.query_params["versions"] == tab
