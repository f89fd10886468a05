"""Label: the list, its manifest, and the same list again from the manifest."""

from __future__ import annotations

import csv
import io
import json
from threading import Thread

import numpy as np
import pytest

from core import labels
from core.archive import Archive
from core.design import manifest
from core.pool import Pool
from core.stratification import profile
from pages.parts import downloads as files
from pages.parts.app.address import VERSION
from tests.pages.conftest import BARE, dials, messages, run, sentences
from tests.pages.first_sight import blocks, in_sight
from tests.pages.pools import odd, plan_of, pool, records

SETTINGS = {
    "budget": (40, "40"),
    "strata": (3, "3"),
    "stratifier": ("quantile", "Quantile"),
    "allocation": ("equal", "Equal"),
    "offset": (0.3, "0.3"),
    "seed": (7, "7"),
    "parser": ("as-is", "as-is"),
}


# Words of the page before its details stood in tabs.
BEFORE = 257
STRATA, REPRODUCE = {"list-detail": "strata"}, {"list-detail": "reproduce"}


@pytest.fixture(scope="module")
def chosen():
    return pool(records(80, seed=2), "chosen")


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def with_manifest(open_page, chosen, content):
    """The page with a manifest handed to "Reproduce"."""
    return handed(open_page("pages/label.py", chosen, **REPRODUCE), content)


def handed(app, content, name="plan.json"):
    app.file_uploader(key="manifest").upload(name, content)
    return run(app)


def test_the_list_is_core_s_plan(open_page, downloads, chosen):
    app = open_page("pages/label.py", chosen, budget=20)
    plan = plan_of(chosen, budget=20)[0]
    shown = app.dataframe[0].value
    assert shown["item_id"].tolist() == plan.ids.tolist()
    assert shown["position"].tolist() == list(range(1, 21))
    assert set(shown["plan_id"]) == {plan.plan_id}
    expected = labels.request(plan, chosen.items)
    assert downloads["CSV"]() == labels.to_csv(expected)
    assert downloads["JSON Lines"]() == labels.to_jsonl(expected)
    assert any("20 of 80 items to label" in sentence for sentence in sentences(app))


@pytest.mark.parametrize("query", [{}, {"target": "new"}])
def test_six_controls_and_few_words_are_in_sight(open_page, query):
    app = open_page("pages/label.py", BARE, v=VERSION, **query)
    assert 2 < len(in_sight(app.main)) <= 6, in_sight(app.main)
    words = sum(len(block.split()) for block in blocks(app.main))
    assert words <= 0.6 * BEFORE, words


def test_both_lists_hold_the_items_and_an_empty_label(open_page, downloads, chosen):
    open_page("pages/label.py", chosen, budget=20)
    read = rows(downloads["CSV"]())
    lossless = [json.loads(line) for line in downloads["JSON Lines"]().splitlines()]
    assert len(read) == len(lossless) == 20
    for row, record in zip(read, lossless, strict=True):
        assert row["item_id"] == record["item_id"] and row["prompt"] == record["prompt"]
        assert row["label"] == "" and record["label"] is None
        assert record["prompt"] == chosen.items.loc[record["item_id"], "prompt"]


def test_neither_list_shows_what_would_sway_an_annotator(open_page, downloads, chosen):
    open_page("pages/label.py", chosen, budget=20)
    (columns,) = {tuple(row) for row in rows(downloads["CSV"]())}
    known = {"position", "item_id", "plan_id", "group", "prompt", "choices", "image"}
    assert set(columns) <= known | {"label", "annotator"}


def test_every_control_changes_the_plan_and_can_be_set_by_the_address(open_page, downloads, chosen):
    open_page("pages/label.py", chosen)
    before = json.loads(downloads["Manifest"]())
    for control, (setting, written) in SETTINGS.items():
        open_page("pages/label.py", chosen, **{control: written})
        after = json.loads(downloads["Manifest"]())
        name = {"strata": "n_strata"}.get(control, control)
        flat = [{**document["design"], **document["design"]["scheme"]} for document in (before, after)]
        changed = {key: value for key, value in flat[1].items() if flat[0][key] != value and key != "scheme"}
        assert changed == {name: setting} and after["plan_id"] != before["plan_id"]


def test_the_manifest_reproduces_the_sample_bit_for_bit(open_page, downloads, chosen):
    open_page("pages/label.py", chosen, **{key: written for key, (_, written) in SETTINGS.items()})
    content = manifest.read(downloads["Manifest"]())
    plan = manifest.reproduce(content, chosen, profile(chosen.classes(content.design.scheme.parser)))
    assert downloads["CSV"]() == labels.to_csv(labels.request(plan, chosen.items))
    assert content.document["sample"]["n_labels"] == 40
    assert sum(row["items"] for row in content.document["strata"]) == 80


def test_strata_of_one_signal_are_said_to_share_its_items(open_page):
    said = [{"id": str(n), "generations": list("AAAB" if n % 4 else "AABB")} for n in range(120)]
    app = open_page("pages/label.py", Pool.from_records(said, "two signals"), design="recommended", budget=30, **STRATA)
    strata = app.dataframe[-1].value
    assert strata.duplicated(["se_low", "se_high"]).any()
    assert "Rows with the same range share the items of that range." in app.dataframe[-1].proto.columns


def test_a_larger_budget_keeps_the_items_and_adds_at_the_end(open_page, chosen):
    small = open_page("pages/label.py", chosen, budget=20).dataframe[0].value["item_id"].tolist()
    large = open_page("pages/label.py", chosen, budget=40).dataframe[0].value["item_id"].tolist()
    assert large[:20] == small


def test_a_list_that_is_taken_is_kept(open_page, downloads, chosen, neyman_home):
    app = open_page("pages/label.py", chosen, budget=20)
    assert Archive(neyman_home).plans.table().empty
    app.download_button(key="csv-made").click()
    run(app)
    (design,) = Archive(neyman_home).plans.table().to_dict("records")
    assert design["plan_id"] == plan_of(chosen, budget=20)[0].plan_id
    assert design["digest"] == chosen.digest and design["manifest"] == downloads["Manifest"]()


def test_a_manifest_gives_its_list_again_whatever_the_controls_say(open_page, downloads, chosen):
    parameters = {"n_strata": 4, "stratifier": "equal-width", "allocation": "power", "seed": 11, "parser": "as-is"}
    plan, _ = plan_of(chosen, 30, **parameters)
    app = with_manifest(open_page, chosen, manifest.write(plan, chosen.name).encode())
    (success,) = messages(app, "success")
    assert "30 items" in success and plan.plan_id in success
    assert app.download_button(key="csv-again") and app.download_button(key="jsonl-again")
    # The list that the controls ask for is still there, and drawn first.
    assert len(app.dataframe[0].value) != 30
    assert downloads["List as CSV"]() == labels.to_csv(labels.request(plan, chosen.items))


def test_a_tampered_manifest_is_refused_in_a_sentence(open_page, chosen):
    changes = (
        (lambda d: d["design"].update(seed=1), "changed"),
        (lambda d: d["design"].update(budget=0), "impossible"),
        (lambda d: d["design"]["scheme"].update(offset="much"), "impossible"),
        (lambda d: d["design"].update(secret=1), "does not know"),
        (lambda d: d["strata"][0].update(items=1), "cannot draw the sample"),
        (lambda d: d.pop("sample"), "damaged"),
        (lambda d: d.update(format="neyman-plan/9"), "neyman-plan/1"),
    )
    app, sound = open_page("pages/label.py", chosen, **REPRODUCE), plan_of(chosen, budget=30)[0]
    for number, (change, sentence) in enumerate(changes):
        document = json.loads(manifest.write(sound, chosen.name))
        change(document)
        (error,) = messages(handed(app, json.dumps(document).encode(), f"{number}.json"), "error")
        assert sentence in error.replace("\\", "") and not app.success
        assert len(app.dataframe[0].value) == dials(app)["budget"]


def test_a_file_that_is_no_manifest_is_refused_in_a_sentence(open_page, chosen):
    app = open_page("pages/label.py", chosen, **REPRODUCE)
    broken = (b"", b"null", b"\xff\xfe\x00", b"[" * 100_000, b'{"format": "neyman-plan/1"}')
    for number, content in enumerate((*broken, b"1" * 5000)):
        assert len(messages(handed(app, content, f"{number}.json"), "error")) == 1 and not app.success, content[:50]


def test_a_manifest_of_another_pool_is_refused_and_names_both(open_page, chosen):
    other = pool(records(90, seed=2), "other")
    app = with_manifest(open_page, chosen, manifest.write(plan_of(other, budget=30)[0], other.name).encode())
    (error,) = messages(app, "error")
    assert "another pool" in error and other.items_digest[:12] in error and chosen.items_digest[:12] in error


def test_a_list_with_text_that_a_spreadsheet_would_run(open_page, downloads):
    rng = np.random.default_rng(0)
    starts = ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", 'plain, with "quotes"\nand a line', "💥", "'=quoted")
    odd_rows = [
        {"id": f"{start} {number}", "prompt": start, "generations": [str(g) for g in rng.integers(0, 2, 4)]}
        for number, start in enumerate(starts * 3)
    ]
    chosen = pool(odd_rows, "formulas")
    open_page("pages/label.py", chosen, budget=len(odd_rows), allocation="Uniform")
    read = rows(downloads["CSV"]())
    assert {labels.unescape(row["item_id"]) for row in read} == {row["id"] for row in odd_rows}
    for row in read:
        assert row["item_id"].lstrip()[0] not in "=+-@" and row["prompt"].lstrip()[0] not in "=+-@"
    lossless = [json.loads(line) for line in downloads["JSON Lines"]().splitlines()]
    assert {record["item_id"] for record in lossless} == {row["id"] for row in odd_rows}


def test_more_items_than_are_shown_are_all_in_the_files(open_page, downloads):
    chosen = pool(records(300, seed=1), "many")
    app = open_page("pages/label.py", chosen, budget=300)
    shown = app.dataframe[0].value
    assert len(shown) < 300 == len(rows(downloads["CSV"]()))
    assert any(f"{len(shown)} of 300" in sentence for sentence in sentences(app))


def test_every_item_once_where_all_are_asked_for(open_page, downloads):
    chosen = odd("ragged and missing generations")
    open_page("pages/label.py", chosen, budget=60)
    assert sorted(row["item_id"] for row in rows(downloads["CSV"]())) == sorted(chosen.items.index)


def test_the_plan_is_kept_once_its_list_is_made(monkeypatch):
    monkeypatch.setattr(files, "_MAKING", 60.0)
    monkeypatch.setattr("streamlit.runtime.exists", lambda: True)
    done = []
    make, keep = files.in_turn(lambda: done.append("made"), lambda: done.append("kept"))
    click = Thread(target=keep)
    click.start()
    click.join(0.05)
    assert done == []
    make()
    click.join()
    assert done == ["made", "kept"]
