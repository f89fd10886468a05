"""Pool: every way in, and what is refused and how."""

from __future__ import annotations

import gzip
import json

import pytest

from core.allocation import default_budget
from core.archive import Archive
from core.judge import named_judge
from core.readers import READABLE, read
from pages.parts.app.address import VERSION
from pages.parts.pool.upload import COLUMNS, LINES
from tests.pages.conftest import PAGES, bare, button, messages, press, run, sentences
from tests.pages.pools import pool, records
from tests.pages.uploads import a_zip, as_csv, as_lines, as_parquet, current, result_zips, upload
from tests.sampled import sampled


@pytest.mark.parametrize(
    "form",
    sampled(["jsonl", "jsonl.gz", "csv", "csv.gz", "parquet", "json"], ("jsonl", "csv.gz", "parquet").__contains__),
)
def test_a_pool_in_every_form_becomes_the_current_one_and_is_kept(open_page, neyman_home, tmp_path, form):
    rows = records(30)
    content = {
        "jsonl": lambda: as_lines(rows),
        "jsonl.gz": lambda: gzip.compress(as_lines(rows)),
        "csv": lambda: as_csv(rows),
        "csv.gz": lambda: gzip.compress(as_csv(rows)),
        "parquet": lambda: as_parquet(rows, tmp_path),
        "json": lambda: json.dumps(rows).encode(),
    }[form]()
    app = upload(open_page("pages/pool.py"), (f"mine.{form}", content))
    assert f"mine.{form}" in current(app) and not app.error
    (saved,) = Archive(neyman_home).pools.table().to_dict("records")
    assert saved["name"] == f"mine.{form}" and saved["n_items"] == 30
    assert app.query_params["pool"] == saved["digest"][:16]
    assert saved["digest"] == read(content).digest
    if form == "jsonl":
        run(app.switch_page("pages/explore.py"))
        assert f"mine.{form}" in current(app)


def test_the_real_exams_can_be_uploaded(open_page, real_pool):
    path = real_pool("exams-gpt35-k10.jsonl")
    app = upload(open_page("pages/pool.py"), (path.name, path.read_bytes()))
    assert path.name in current(app)
    assert "1,000 items" in bare(app.markdown)


def broken_lines():
    rows = records(8)
    del rows[1]["id"]
    rows[3]["id"] = rows[2]["id"]
    rows[5]["targets"]["model"]["loss"] = float("nan")
    rows[6]["targets"]["model"]["loss"] = float("inf")
    return as_lines(rows) + b"not json\n" + b"[1, 2]\n"


def test_a_file_that_cannot_be_read_is_told_and_the_pool_loaded_before_stays(open_page, neyman_home):
    unreadable = {
        "empty.jsonl": b"",
        "blank.jsonl": b"\n\n\n",
        "broken.jsonl": broken_lines(),
        "damaged.csv": "id,prompt\n1,café\n".encode() + b"2,caf\xe9\n",
        "header.csv": b"name,age\n",
        "half.jsonl.gz": gzip.compress(as_lines(records(30)))[:-20],
        "fake.parquet": b"PAR1 and nothing else",
        "fake.zip": b"PK\x03\x04 and nothing else",
        "other.zip": a_zip("hello", "readme.txt"),
        "picture.json": b"\x89PNG\r\n\x1a\n" + bytes(100),
        "number.json": b"42",
    }
    assert_refused(open_page, neyman_home, unreadable)


def assert_refused(open_page, neyman_home, files):
    before = pool(records(20), "before")
    app = open_page("pages/pool.py", before)
    for name, content in files.items():
        assert len(messages(upload(app, (name, content)), "error")) == 1, name
        assert "before" in current(app) and app.query_params["pool"] == before.digest[:16]
        assert any("still the current one" in sentence for sentence in sentences(app))
        assert Archive(neyman_home).pools.table()["name"].tolist() == ["before"]
    run(app.switch_page("pages/explore.py"))
    assert "before" in current(app)


def test_a_file_of_another_type_is_refused_with_what_can_be_read(open_page):
    """The browser refused a picture by its type, with a red sign and no sentence."""
    app = open_page("pages/pool.py")
    assert not next(iter(app.get("file_uploader"))).proto.type
    (said,) = messages(upload(app, ("picture.png", b"\x89PNG\r\n\x1a\n")), "error")
    assert said.replace("\\", "") == f"The file is an image. These can be read: {READABLE}." and "Excel" in READABLE


def test_every_problem_of_a_broken_file_is_listed_with_its_row(open_page):
    app = upload(open_page("pages/pool.py"), ("broken.jsonl", broken_lines()))
    listed = app.dataframe[0].value
    assert list(listed.columns) == ["row", "field", "what is wrong", "what to do"]
    assert {2, 4, 6, 7, 9, 10} <= set(listed["row"])
    assert (listed["what is wrong"] != "").all() and (listed["what to do"] != "").all()
    # Its sentences break: on a phone they would be cut.
    assert app.dataframe[0].proto.row_height > 60


def test_problems_of_several_files_are_told_with_their_files(open_page):
    """Each file is named as it is written, and has its own problems alone."""
    broken = b'{"id": "1", "generations": }\n'
    app = upload(open_page("pages/pool.py"), ("v1_results.jsonl", broken), ("v2_results.jsonl", broken))
    assert bare(app.error) == "There are 2 problems. Each row of the table is one."
    assert list(app.dataframe[0].value["file"]) == ["v1_results.jsonl", "v2_results.jsonl"]
    known = as_lines(records(12))
    app = upload(open_page("pages/pool.py"), ("v1_results.jsonl", broken), ("pool.jsonl", known))
    (said,) = messages(app, "error")
    assert said.replace("\\", "").startswith("v1_results.jsonl, row 1: ")


def test_a_pool_and_a_log_become_one_pool(open_page):
    log = [
        {
            "doc_id": row["id"],
            "doc": {"question": row["prompt"]},
            "resps": [["A"]],
            "filtered_resps": ["A"],
            "metrics": ["acc"],
            "acc": number % 2,
        }
        for number, row in enumerate(records(20))
    ]
    app = upload(open_page("pages/pool.py"), ("mine.jsonl", as_lines(records(20))), ("big.jsonl", as_lines(log)))
    assert set(app.multiselect(key="target-models").value) == {"model", "big"}
    press(app, "Build the pool")
    assert any("big" in sentence for sentence in sentences(app))


def test_two_files_of_the_same_name_are_refused(open_page):
    ((name, weak),) = result_zips(("weak", 10))
    ((_, strong),) = result_zips(("strong", 30))
    (error,) = messages(upload(open_page("pages/pool.py"), (name, weak), (name, strong)), "error")
    assert "same name" in error


def test_one_result_zip_alone_is_a_pool_with_a_target(open_page):
    app = upload(open_page("pages/pool.py"), *result_zips(("weak", 10)))
    assert any("weak" in text for text in current(app)) and not messages(app, "error")


@pytest.mark.parametrize("page", PAGES)
def test_a_home_that_cannot_be_used_is_told(open_page, monkeypatch, tmp_path, page):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("NEYMAN_HOME", str(tmp_path / "file"))
    app = open_page(page)
    assert page != "pages/pool.py" or any("NEYMAN" in error for error in messages(app, "error"))


def test_three_result_zips_become_one_pool_of_the_chosen_models(open_page, neyman_home):
    zips = result_zips(("weak", 10), ("middling", 20), ("strong", 30))
    app = upload(open_page("pages/pool.py"), *zips)
    assert app.dataframe[0].value["model"].tolist() == ["strong", "middling", "weak"]
    assert app.multiselect(key="committee").value == ["weak", "middling"]
    assert app.multiselect(key="target-models").value == ["strong"]
    assert "Practice pool" in current(app)

    app.multiselect(key="committee").set_value(["strong", "weak"])
    run(app)
    app.multiselect(key="target-models").set_value(["middling"])
    run(app)
    (build,) = [button for button in app.button if button.label == "Build the pool"]
    build.click()
    run(app)
    assert "Practice pool" not in current(app)
    built = Archive(neyman_home).pools.load(app.query_params["pool"])
    assert built.n_items == 40 and built.n_generations == 2 and list(built.targets) == ["middling"]
    assert built.losses("middling").sum() == 20
    assert built.classes()[:10].max() == 0 and (built.classes()[10:30, 1] == 1).all()


def test_a_committee_without_anybody_is_refused(open_page):
    app = upload(open_page("pages/pool.py"), *result_zips(("weak", 10), ("strong", 30)))
    app.multiselect(key="target-models").set_value([])
    app.multiselect(key="committee").set_value([])
    run(app)
    (build,) = [button for button in app.button if button.label == "Build the pool"]
    build.click()
    run(app)
    assert len(messages(app, "error")) == 1 and "Practice pool" in current(app)


def test_zips_of_which_one_is_broken_are_refused(open_page):
    zips = [*result_zips(("weak", 10), ("strong", 30)), ("model_outputs_x_5shots.zip", a_zip("no json"))]
    app = upload(open_page("pages/pool.py"), *zips)
    assert len(messages(app, "error")) == 1 and "Practice pool" in current(app)


def test_the_practice_pool_can_be_taken_again(open_page):
    app = open_page("pages/pool.py", pool(records(20), "mine"), ["examples"])
    button(app, "Practice pool").click()
    run(app)
    assert "Practice pool" in current(app)
    run(app.switch_page("pages/explore.py"))
    assert "Practice pool" in current(app)


def test_a_pool_used_before_can_be_taken_again(open_page, neyman_home):
    earlier = pool(records(20), "earlier")
    Archive(neyman_home).pools.save(earlier, "2026-01-01T00:00:00+00:00")
    said = {
        "target": "model",
        "plan": "p0",
        "seed": 3,
        "budget": 12,
        "price": 4,
        "label-kind": "score",
        "gate-old": "v1",
    }
    app = open_page("pages/pool.py", pool(records(25), "later"), v=VERSION, **said)
    (chooser,) = [box for box in app.selectbox if box.label == "Pools used before"]
    chooser.set_value(earlier.digest)
    run(app)
    assert "earlier" in current(app) and app.query_params["pool"] == earlier.digest[:16]
    # What the address says of the pool that was left goes with it; the budget and what labels cost stay,
    assert not {"target", "plan", "seed", "label-kind", "gate-old"} & {*app.query_params}
    assert (app.query_params["budget"], app.query_params["price"]) == ("12", "4")
    # if that many labels are not every item of this pool, or what the other one begins with.
    for begun in (20, default_budget(2, 25)):
        app = open_page("pages/pool.py", pool(records(25), "later"), v=VERSION, budget=begun)
        next(box for box in app.selectbox if box.label == "Pools used before").set_value(earlier.digest)
        assert run(app).query_params.get("budget", str(default_budget(2, 20))) == str(default_budget(2, 20))


def test_other_answers_to_the_same_items_keep_what_the_address_says_of_them(open_page, neyman_home):
    again = pool(records(25, k=4), "the same items")
    Archive(neyman_home).pools.save(again, "2026-01-01T00:00:00+00:00")
    app = open_page("pages/pool.py", pool(records(25), "later"), v=VERSION, target="model", seed=3)
    (chooser,) = [box for box in app.selectbox if box.label == "Pools used before"]
    chooser.set_value(again.digest)
    assert run(app).query_params["seed"] == "3" and app.query_params["target"] == "model"


def test_the_examples_of_a_file_are_pools_that_can_be_read():
    for text, name in ((LINES, "lines.jsonl"), (COLUMNS, "columns.csv")):
        shown = read(text.encode(), name)
        assert shown.n_items == 2 and shown.n_generations == 3 and shown.losses("gpt").tolist() == [0.0, 1.0]
        assert named_judge(shown) == "judge" and [*shown.items["judge"]] == ["pass", "fail"]


def test_what_was_uploaded_is_what_is_planned_for(open_page):
    app = upload(open_page("pages/pool.py"), ("mine.jsonl", as_lines(records(30))))
    run(app.switch_page("pages/plan.py"))
    assert app.selectbox(key="plan-for").value == "pool" and "“mine.jsonl”" in bare(app.caption)


def test_a_mended_file_takes_the_place_of_the_one_that_was_refused(open_page):
    app = open_page("pages/pool.py")
    for _ in range(2):
        upload(app, ("mine.jsonl", b'{"id": "1", "generations": "no list"}\n'))
        assert len(app.error) == 1
    upload(app, ("mine.jsonl", as_lines(records(12))))
    assert "mine" in "".join(current(app)) and not app.error


def test_what_is_no_json_is_said_without_words_of_a_program(open_page):
    app = upload(open_page("pages/pool.py"), ("mine.jsonl", b'{"id": "1", "generations": }\n'))
    (error,) = messages(app, "error")
    assert "character 28" in error and "Expecting" not in error and "delimiter" not in error
