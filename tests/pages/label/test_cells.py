"""Small filled lists on the pages: read, set aside with a word, or asked about before anything is kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import neyman
from core.archive import Archive
from core.design import Design, Scheme, manifest
from core.pool import Pool
from tests.core.study.test_models import as_lines
from tests.core.wording import Saying
from tests.pages.conftest import bare, button, press, run
from tests.pages.estimate.conftest import headline_number, keep, text
from tests.pages.label.conftest import LABEL

CASES = Path(__file__).parents[2] / "cases" / "labels"
CREATED = "2026-11-28T00:00:00+00:00"


@pytest.fixture(scope="module")
def chosen():
    return neyman.read(CASES / "pool.jsonl")


def plan_of(pool, name):
    return manifest.reproduce(manifest.read((CASES / f"{name}_manifest.json").read_bytes()), pool)


def given_back(open_page, home, pool, file, kind="Right or wrong", name="cli"):
    """Page Label with a file of a kept plan, before it is kept."""
    plan, archive = plan_of(pool, name), Archive(home)
    text_of = (CASES / f"{name}_manifest.json").read_text()
    archive.pools.save(pool, CREATED)
    archive.plans.save(plan.plan_id, text_of, pool.digest, CREATED, plan.items_digest, plan.stratum)
    asked = {"plan": plan.plan_id, "budget": 24, "part": "Take labels back", "label-kind": kind, "target": "M"}
    app = open_page(LABEL, pool, **asked)
    app.file_uploader(key="labels-file").upload(
        f"neyman-{plan.plan_id} ann{Path(file).suffix}", (CASES / file).read_bytes()
    )
    return run(app), plan


@pytest.mark.parametrize("names", [("N", "M"), ("N",), ("gpt-9",)])
def test_a_column_of_models_says_whose_answers_are_judged(open_page, neyman_home, tmp_path, names):
    records = [json.loads(line) for line in (CASES / "pool.jsonl").read_text().splitlines()]
    pool = Pool.from_records([{**one, "targets": {**one["targets"], "N": {"answer": "A"}}} for one in records], "two")
    plan = Design(24).draw(pool, seed=0)
    says = {"M": "right", "N": "wrong", "gpt-9": "wrong"}
    rows = [(str(item), name, says[name]) for name in names for item in plan.ids]
    archive = Archive(neyman_home)
    archive.pools.save(pool, CREATED)
    archive.plans.save(plan.plan_id, manifest.write(plan, "two"), pool.digest, CREATED, plan.items_digest, plan.stratum)
    asked = {"budget": 24, "part": "Take labels back", "label-kind": "Right or wrong", "target": "M"}
    app = open_page(LABEL, pool, plan=plan.plan_id, **asked)
    app.file_uploader(key="labels-file").upload("ann.jsonl", as_lines(rows, "model"))
    run(app)
    if names == ("gpt-9",):
        assert "“gpt-9” (rows 1–24), which is no target of this pool" in text(app)
        assert not [one for one in app.button if one.label == "Keep these labels"]
        return
    of_target = "24 of 24 items have a label in this file" if "M" in names else "No row of this file judges the answers"
    assert of_target in bare(app.markdown) and "judges the answers of N: 24 of 24 items" in bare(app.info)


def number(open_page, pool, plan):
    app = open_page("pages/estimate.py", pool, plan=plan.plan_id)
    return headline_number(app), text(app)


@pytest.mark.parametrize("file", ["cli_maybe.csv", "cli_yes_no_unk.csv", "own_skip.xlsx"])
def test_what_is_no_verdict_is_said_with_the_number(open_page, neyman_home, chosen, file):
    app, plan = given_back(open_page, neyman_home, chosen, file)
    assert "23 of 24 items have a label" in bare(app.markdown) and "1 item without a verdict" in bare(app.caption)
    press(app, "Keep these labels")
    value, said = number(open_page, chosen, plan)
    assert value == "65.0 %" and said == Saying("from 23 labels (right or wrong) of 80 items, 1 without a verdict")
    assert "whichever way" in said and "missing at random" not in said


@pytest.mark.parametrize(
    ("file", "word", "meaning", "value", "given"),
    [
        ("cli_typo.csv", "rigth", "right", "69.4 %", "24 labels (right or wrong)"),
        ("cli_typo.csv", "rigth", "skip", "65.0 %", "1 without a verdict"),
        ("cli_halves.csv", "0.5", "skip", "65.0 %", "1 without a verdict"),
    ],
)
def test_what_is_not_understood_is_asked_before_it_is_kept(
    open_page, neyman_home, chosen, file, word, meaning, value, given
):
    app, plan = given_back(open_page, neyman_home, chosen, file)
    assert button(app, "Keep these labels").disabled and f"“{word}” (row 5)" in bare(app.warning)
    app.button_group(key=f"unknown-word-{word}").set_value(meaning)
    press(app, "Use these meanings")
    press(app, "Keep these labels")
    shown, said = number(open_page, chosen, plan)
    assert shown == value and given in said
    # A number means what it does in its list alone.
    assert Archive(neyman_home).words.all() == ({} if word == "0.5" else {word: meaning})


@pytest.mark.parametrize(
    ("file", "name", "words"),
    [
        ("w_correct_hallucinated.csv", "w", ["hallucinated"]),
        ("w_likert.csv", "w", ["1", "5"]),
        ("w_zero_to_ten.csv", "w", ["0", "10"]),
    ],
)
def test_unknown_words_and_grades_are_kept_by_nobody(open_page, neyman_home, chosen, file, name, words):
    app, plan = given_back(open_page, neyman_home, chosen, file, name=name)
    assert button(app, "Keep these labels").disabled
    assert all(f"“{word}” (rows" in bare(app.warning) for word in words)
    for word in words:
        app.button_group(key=f"unknown-word-{word}").set_value("right" if word in ("5", "10") else "wrong")
    press(app, "Use these meanings")
    press(app, "Keep these labels")
    assert number(open_page, chosen, plan)[0] == "64.7 %"


def test_verdicts_that_were_kept_as_right_answers_are_read_as_verdicts(open_page, neyman_home, chosen):
    """Earlier versions took every verdict of a list with one odd cell for a right answer: “Accuracy 0.0 %”."""
    plan = plan_of(chosen, "cli")
    rows = dict(line.split(",") for line in (CASES / "cli_maybe.csv").read_text().splitlines()[1:])
    keep(neyman_home, chosen, plan, rows, "gold")
    before = Archive(neyman_home).labels.of(plan.plan_id)
    value, said = number(open_page, chosen, plan)
    assert value == "65.0 %" and "1 without a verdict" in said
    after = Archive(neyman_home).labels.of(plan.plan_id)
    assert after.equals(before) and set(after["kind"]) == {"gold"}


def test_blanks_beside_right_answers_that_all_differ_from_the_model_s_are_remarked(open_page, neyman_home, tmp_path):
    """Where people wrote the right answer only where the model is wrong, accuracy was 0 % of those items."""
    rows = [
        {"id": f"q{n}", "prompt": f"What is {n}?", "generations": ["x"], "targets": {"M": {"answer": f"town {n}"}}}
        for n in range(40)
    ]
    towns = Pool.from_records(rows, "towns")
    plan = Design(12, Scheme(allocation="uniform")).draw(towns, seed=0)
    ids = list(map(str, plan.ids))
    archive = Archive(neyman_home)
    archive.pools.save(towns, CREATED)
    archive.plans.save(plan.plan_id, manifest.write(plan, "p"), towns.digest, CREATED, plan.items_digest, plan.stratum)
    asked = {"plan": plan.plan_id, "budget": 12, "part": "Take labels back", "label-kind": "gold", "target": "M"}
    said = "Every right answer is another than that of “M”, and 5 items have none"
    for right, remarked in (({}, True), ({ids[0]: "town " + ids[0][1:]}, False)):
        lines = [f"{item},{right.get(item, '' if place % 2 else f'village {place}')}" for place, item in enumerate(ids)]
        app = open_page(LABEL, towns, **asked)
        app.file_uploader(key="labels-file").upload("half.csv", "\n".join(["item_id,label", *lines]).encode())
        app = run(app)
        assert (said in bare(app.warning)) == remarked, bare(app.warning)


@pytest.mark.parametrize(("blank", "title"), [("right", "Blank means wrong"), ("wrong", "Blank means right")])
def test_a_blank_beside_one_verdict_is_asked_about(open_page, neyman_home, chosen, tmp_path, blank, title):
    lines = (CASES / "cli_typo.csv").read_text().replace("rigth", "right").splitlines()
    empty = "right" if blank == "wrong" else "wrong"
    (tmp_path / "half.csv").write_text("\n".join(line.replace(f",{empty}", ",") for line in lines) + "\n")
    app, plan = given_back(open_page, neyman_home, chosen, tmp_path / "half.csv")
    assert f"Every verdict of this file is “{blank}”, and rows between them are blank" in bare(app.warning)
    press(app, title)
    assert "rows between them are blank" not in bare(app.warning)
    press(app, "Keep these labels")
    value, said = number(open_page, chosen, plan)
    assert value == "69.4 %" and "24 labels (right or wrong)" in said
    # A blank of another file means nothing.
    assert Archive(neyman_home).words.all() == {}


@pytest.mark.parametrize("file", ["w_likert.csv", "w_zero_to_ten.csv"])
def test_the_page_says_what_to_do_on_the_page(open_page, neyman_home, chosen, file):
    for kind in ("Right or wrong", "The right answer", "A score, 0 to 1"):
        said = bare(given_back(open_page, neyman_home, chosen, file, kind, "w")[0].warning)
        assert said and "--word" not in said and "--kind" not in said and "words={" not in said
