"""Pool: every way in, what is refused and how, and what is shown of a pool."""

from __future__ import annotations

import gzip
import io
import json
import zipfile

import numpy as np
import pytest

from core.allocation import default_budget
from core.answers import TITLES
from core.archive import Archive
from core.judge import named_judge
from core.pool import Pool
from core.readers import READABLE, read
from core.signals import numeric_columns
from pages.parts.app.address import VERSION
from pages.parts.pool import example, recognized
from tests.conftest import ROOT
from tests.core.wording import Saying
from tests.pages.conftest import PAGES, bare, button, figure, figures, messages, press, run, sentences, table
from tests.pages.pools import odd, pool, records, without


def as_lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def as_csv(rows):
    header = "id,prompt,answer,group,generation_1,generation_2,model:loss"
    lines = [
        f"{row['id']},{row['prompt']},{row['answer']},g,{','.join(row['generations'][:2])},"
        f"{row['targets']['model']['loss']}"
        for row in rows
    ]
    return "\n".join([header, *lines]).encode()


def as_parquet(rows, folder):
    pool(rows).write(folder / "pool.parquet")
    return (folder / "pool.parquet").read_bytes()


def a_zip(content, name="results.json"):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return stream.getvalue()


def upload(app, *files):
    (uploader,) = [widget for widget in app.file_uploader if widget.key.startswith("upload")]
    for file in files:
        uploader.upload(*file)
    return run(app)


def current(app):
    return [text.value for text in app.sidebar.text]


def results(model, right, n_items=40):
    """One model's MMLU-Pro results: right on the first ``right`` of the questions."""
    rng = np.random.default_rng(right)
    return [
        {
            "question_id": number,
            "question": f"Question {number}?",
            "options": ["w", "x", "y", "z"],
            "answer": "B",
            "answer_index": 1,
            "category": "law" if number % 2 else "math",
            "src": "ori",
            "pred": "B" if number < right else str(rng.choice(list("ACD"))),
            "generated_text": f"{model} says so",
        }
        for number in range(n_items)
    ]


def result_zips(*models):
    return [(f"model_outputs_{name}_5shots.zip", a_zip(json.dumps(results(name, right)))) for name, right in models]


@pytest.mark.parametrize("form", ["jsonl", "jsonl.gz", "csv", "csv.gz", "parquet", "json"])
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
    run(app.switch_page("pages/explore.py"))
    assert f"mine.{form}" in current(app)


def test_the_real_exams_can_be_uploaded(open_page, real_pool):
    path = real_pool("exams-gpt35-k10.jsonl")
    app = upload(open_page("pages/pool.py"), (path.name, path.read_bytes()))
    assert path.name in current(app)
    assert {metric.label: metric.value for metric in app.metric}["Items"] == "1,000"


def broken_lines():
    rows = records(8)
    del rows[1]["id"]
    rows[3]["id"] = rows[2]["id"]
    rows[5]["targets"]["model"]["loss"] = float("nan")
    rows[6]["targets"]["model"]["loss"] = float("inf")
    return as_lines(rows) + b"not json\n" + b"[1, 2]\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.jsonl", b""),
        ("blank.jsonl", b"\n\n\n"),
        ("broken.jsonl", broken_lines()),
        ("damaged.csv", "id,prompt\n1,café\n".encode() + b"2,caf\xe9\n"),
        ("header.csv", b"name,age\n"),
        ("half.jsonl.gz", gzip.compress(as_lines(records(30)))[:-20]),
        ("fake.parquet", b"PAR1 and nothing else"),
        ("fake.zip", b"PK\x03\x04 and nothing else"),
        ("other.zip", a_zip("hello", "readme.txt")),
        ("picture.json", b"\x89PNG\r\n\x1a\n" + bytes(100)),
        ("number.json", b"42"),
    ],
)
def test_a_file_that_cannot_be_read_is_told_and_the_pool_loaded_before_stays(open_page, neyman_home, name, content):
    assert_refused(open_page, neyman_home, name, content)


def assert_refused(open_page, neyman_home, name, content):
    before = pool(records(20), "before")
    app = upload(open_page("pages/pool.py", before), (name, content))
    assert len(messages(app, "error")) == 1
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
    app = open_page("pages/pool.py", pool(records(20), "mine"))
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


def test_the_newest_version_is_what_pages_begin_with(open_page):
    rows = [
        {**row, "targets": {"bot v9": {"answer": "A"}, "bot v10": {"answer": "B"}}} for row in records(60, target=None)
    ]
    several = pool(rows, "versions")
    assert open_page("pages/label.py", several).selectbox(key="target").value == "bot v10"
    assert "bot v10 is right on" in open_page("app.py", several).title[0].value


def test_what_is_in_the_pool(open_page):
    chosen = odd("three distinct values of SE")
    app = open_page("pages/pool.py", chosen)
    shown = {metric.label: metric.value for metric in app.metric}
    assert shown["Items"] == "60" and shown["Cheap model’s answers"] == "6" and shown["Models tested"] == "1"
    (entropy,), (consistency,) = figure(app, 0)["data"], figure(app, 1)["data"]
    np.testing.assert_allclose(entropy["x"], [0, np.log(2), np.log(3)])
    np.testing.assert_allclose(entropy["y"], [100 / 3] * 3)
    np.testing.assert_allclose(consistency["x"], [1 / 3, 1 / 2, 1])


def test_without_generations_the_pool_page_shows_the_items_alone(open_page):
    app = open_page("pages/pool.py", odd("no generations"))
    assert not figures(app)
    assert any("without answers of a second, cheap model" in sentence for sentence in sentences(app))
    assert len(app.dataframe[-1].value) == 60


@pytest.mark.parametrize(
    ("kind", "first"),
    [("no targets", "explore"), ("two items", "explore"), ("no generations", "surrogate"), ("only ids", "surrogate")],
)
def test_every_pool_leads_on(open_page, kind, first):
    links = [link.proto for link in open_page("pages/pool.py", odd(kind)).main.get("page_link")]
    assert [link.page for link in links] == [first, "plan", "label"]
    assert "plan-for=pool" in links[1].query_string


def test_groups_and_parse_report_open(open_page):
    rows = [{**row, "group": "odd" if number % 2 else "even"} for number, row in enumerate(records())]
    app = open_page("pages/pool.py", pool(rows), ["groups", "report"])
    groups = next(frame.value for frame in app.dataframe if "group" in frame.value.columns and len(frame.value) == 2)
    assert groups["items"].tolist() == [30, 30]
    assert any("unparsed_share" in frame.value.columns for frame in app.dataframe)


def test_items_can_be_searched_and_ordered(open_page):
    app = open_page("pages/pool.py", pool(records()))
    app.text_input(key="find").set_value("QUESTION 1")
    run(app)
    assert set(app.dataframe[-1].value["id"]) == {"q1", *(f"q{n}" for n in range(10, 20))}
    app.selectbox(key="order").set_value("most disagreement first")
    run(app)
    assert app.dataframe[-1].value["semantic entropy"].is_monotonic_decreasing
    app.selectbox(key="order").set_value("most agreement first")
    run(app)
    assert app.dataframe[-1].value["semantic entropy"].is_monotonic_increasing
    app.text_input(key="find").set_value("(no such [text")
    run(app)
    assert any("No item" in info for info in messages(app, "info"))


def test_the_answer_kind_changes_classes_and_is_kept_on_the_other_pages(open_page):
    rows = [
        {**row, "generations": [f"I say ({g}), {i}" for i, g in enumerate(row["generations"])]} for row in records()
    ]
    app = open_page("pages/pool.py", pool(without("targets", rows)))
    assert any("raw texts" in warning for warning in messages(app, "warning"))
    app.selectbox(key="parser").set_value("choice")
    run(app)
    assert not any("raw texts" in warning for warning in messages(app, "warning"))
    run(app.switch_page("pages/label.py"))
    assert app.selectbox(key="parser").value == "choice"


def test_numbers_in_several_spellings_are_read_as_numbers_at_a_click(open_page):
    rows = [{**row, "generations": ["18", "$18", "18.0"]} for row in without("targets", records())]
    app = open_page("pages/pool.py", pool(rows))
    assert bare(app.markdown).replace("\u00a0", " ") == Saying("100 % of the items", "several ways")
    press(app, "Read them as numbers")
    assert app.selectbox(key="parser").value == "number" and "cheap model) agree on" in bare(app.markdown)
    assert "Read them as numbers" not in [one.label for one in app.button]


def test_the_examples_of_a_file_are_pools_that_can_be_read():
    for text, name in ((example.LINES, "lines.jsonl"), (example.COLUMNS, "columns.csv")):
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


def test_a_huge_prompt_is_shown_in_part_with_a_way_to_all_of_it(open_page):
    rows = [{"id": str(n), "prompt": "word " * 10_000, "generations": ["a", "b"]} for n in range(4)]
    app = open_page("pages/pool.py", pool(rows, "huge"))
    assert sum(len(text.value) for text in app.main.text) < 30_000
    assert not {"a", "b"} & {text.value for text in app.main.text}, "the heading says what a generation says"
    (switch,) = [one for one in app.toggle if one.label.startswith("Show all")]
    switch.set_value(True)
    assert sum(len(text.value) for text in run(app).main.text) >= 49_990


def log_of_another_tool(n_items=12):
    """One row a sample, as some tools write it: two samples of each item."""
    return [
        {
            "example_id": f"e{number}",
            "input": {"question": f"Question {number}?"},
            "reference": "A",
            "output": "A" if (number + sample) % 3 else "B",
            "scores": {"match": bool((number + sample) % 3), "helpfulness": 0.5},
        }
        for number in range(n_items)
        for sample in range(2)
    ]


def role(app, label):
    return next(box for box in (*app.selectbox, *app.multiselect) if box.label == label)


def test_a_file_of_no_known_format_is_mapped_and_the_next_of_its_shape_opens_at_once(open_page, neyman_home):
    app = upload(open_page("pages/pool.py"), ("runs.jsonl", as_lines(log_of_another_tool())))
    assert not app.error and not app.metric
    assert role(app, "Prompt").value == "input.question" and role(app, "Samples of the surrogate").value == ["output"]
    preview = table(app, 0)
    assert len(preview) == 10 and list(preview["samples"][1]) == ["A", "A"]
    # What cannot be read is said before the file is used.
    role(app, "Target’s score").set_value("reference")
    run(app)
    assert "neither a number nor a known verdict" in messages(app, "error")[0] and button(app, "Use this file").disabled
    role(app, "Target’s score").set_value("scores.match")
    app.text_input[-1].set_value("big")
    run(app)
    press(app, "Use this file")
    assert "runs.jsonl" in current(app)
    saved = Archive(neyman_home).pools.load(app.query_params["pool"])
    assert saved.n_items == 12 and saved.n_generations == 2 and saved.losses("big").mean() == pytest.approx(1 / 3)
    assert saved.origin.fields["prompt"] == "input.question" and numeric_columns(saved) == ("scores.helpfulness",)

    app = upload(open_page("pages/pool.py"), ("more.jsonl", as_lines(log_of_another_tool(20))))
    assert "more.jsonl" in current(app) and "an earlier file" in bare(app.markdown)
    both = upload(
        open_page("pages/pool.py"), ("a.jsonl", as_lines(log_of_another_tool())), ("b.jsonl", as_lines(records(12)))
    )
    assert {"a", "big"} <= {*both.multiselect(key="committee").value, *both.multiselect(key="target-models").value}
    press(app, "Change the fields")
    assert app.text_input[-1].value == "big" and button(app, "Use this file")
    press(app, "Add a target")
    [box for box in app.selectbox if box.label == "Target’s answer"][1].set_value("output")
    run(app)
    assert "output: answer" in table(app, 0) and "output" in bare(app.markdown)
    press(app, "Cancel")
    assert "more.jsonl" in current(app) and app.metric


def test_targets_chosen_by_hand_are_called_like_their_columns(open_page, neyman_home):
    """A gate took “target 2” for the old version, and the file's name for the new one."""
    rows = [{"question": f"{n}?", "gold": "a", "response": "b", "model-v1": "a", "model-v2": "b"} for n in range(20)]
    app = upload(open_page("pages/pool.py"), ("versions.jsonl", as_lines([*rows, rows[0]])))
    assert [box.value for box in app.text_input if box.label == "Name of the target"] == ["versions"]
    press(app, "Add a target")
    boxes = [box for box in app.selectbox if box.label == "Target’s answer"]
    for box, column in zip(boxes, ("model-v1", "model-v2"), strict=True):
        box.set_value(column)
    run(app)
    assert [box.value for box in app.text_input if box.label == "Name of the target"] == ["model-v1", "model-v2"]
    app.text_input[-2].set_value("mine")
    run(app)
    # A name that somebody typed stays.
    next(box for box in app.selectbox if box.label == "Target’s answer").set_value("response")
    run(app)
    press(app, "Use this file")
    saved = Archive(neyman_home).pools.load(app.query_params["pool"])
    assert list(saved.targets) == ["mine", "model-v2"] and saved.n_items == 20
    assert "keep repeated rows" in bare(app.info)
    press(app, "Change the fields")
    names = [box.value for box in app.text_input if box.label == "Name of the target"]
    assert names == ["mine", "model-v2"] and "your last choices" in bare(app.markdown)
    next(box for box in app.checkbox if box.label == "Keep repeated rows").check()
    run(app)
    press(app, "Use this file")
    assert Archive(neyman_home).pools.load(app.query_params["pool"]).n_items == 21


def test_reasons_and_other_verdicts_beside_a_judge_are_kept(open_page, neyman_home):
    """The form says which column is the judge’s, and which others are kept."""
    rows = [
        {"id": str(n), "question": f"{n}?", "output": "x", "judge": "fail" if n % 3 else "pass", "polite": n % 2}
        | {"reason": f"since {n}"}
        for n in range(20)
    ]
    rows = [row | {"expert_verdict": "correct" if number % 2 else "wrong"} for number, row in enumerate(rows)]
    app = upload(open_page("pages/pool.py"), ("judge.jsonl", as_lines(rows)))
    assert role(app, "Judge’s verdict or score").value == ["judge"] and "“judge” is the judge" in bare(app.markdown)
    assert role(app, "Other columns to keep").value == ["expert_verdict", "polite", "reason"]
    assert [box.value for box in app.text_input if box.label == "Name of the target"] == ["target"]
    press(app, "Use this file")
    kept = Archive(neyman_home).pools.load(app.query_params["pool"])
    assert {"judge", "polite", "reason", "expert_verdict"} <= set(kept.item_columns)
    # As a column too, the target's own score would sort the items.
    app = upload(open_page("pages/pool.py"), ("other.jsonl", as_lines(without("reason", rows))))
    role(app, "Target’s score").set_value("polite")
    press(run(app), "Use this file")
    kept = Archive(neyman_home).pools.load(app.query_params["pool"])
    assert kept.losses("other").mean() == 0.5 and "polite" not in kept.item_columns


def test_what_1_means_is_said_and_chosen_on_the_page(open_page, neyman_home):
    rows = [{"question": f"{n}?", "output": "x", "failed": int(n < 3)} for n in range(20)]
    app = upload(open_page("pages/pool.py"), ("runs.jsonl", as_lines(rows)))
    (meaning,) = [one for one in app.button_group if one.label == "1 means"]
    assert role(app, "Target’s score").value == "failed" and meaning.value == "wrong"
    assert bare(app.markdown) == Saying("read as wrong", "runs", "70\u00a0% of 10 items")
    meaning.set_value("right")
    run(app)
    assert "sounds as if 1 meant wrong" in bare(app.markdown)
    next(one for one in app.button_group if one.label == "1 means").set_value("wrong")
    run(app)
    press(app, "Use this file")
    saved = Archive(neyman_home).pools.load(app.query_params["pool"])
    assert saved.losses("runs").mean() == pytest.approx(3 / 20) and any("read as wrong" in note for note in saved.notes)
    # A file of the same shape opens with the same meaning.
    app = upload(open_page("pages/pool.py"), ("more.jsonl", as_lines(rows[:18])))
    assert Archive(neyman_home).pools.load(app.query_params["pool"]).losses("more").mean() == pytest.approx(3 / 18)


def test_a_field_that_two_columns_may_be_and_a_file_without_answers_are_warned_of(open_page):
    rows = [{"question": f"{n}?", "answer": '{"a": 1}' if n < 20 else "x"} for n in range(50)]
    app = upload(open_page("pages/pool.py"), ("runs.jsonl", as_lines(rows)))
    doubt, lacks = [warning.replace("\\", "") for warning in messages(app, "warning")]
    assert doubt == Saying("“answer.a” in 20", "“answer” in 50", "first 50 rows") and "questions alone" in lacks
    assert role(app, "Right answer").value is None and not button(app, "Use this file").disabled
    role(app, "Right answer").set_value("answer")
    run(app)
    assert [warning for warning in messages(app, "warning") if "first 50" in warning] == []
    app = upload(open_page("pages/pool.py"), ("runs.jsonl", as_lines([{"x": 1, "y": 2}, {"x": 3, "y": 4}])))
    assert button(app, "Use this file").disabled


def test_free_texts_are_not_compared_and_lead_to_a_judge(open_page):
    text = "a long answer that may be said in quite other words, number"
    rows = [{"question": f"{n}?", "reference": f"{text} {n}", "response": f"In short: no. {n}"} for n in range(12)]
    app = upload(open_page("pages/pool.py"), ("runs.jsonl", as_lines(rows)))
    assert "runs: no outcome known" in bare(app.markdown) and "Right answers are free text" in bare(app.markdown)
    press(app, "Use this file")
    assert bare(app.info) == Saying("a judge", "answers") and not app.exception
    press(app, "Have a judge look at the answers")
    assert app.session_state["role"] == "judge"


def test_a_file_that_lacks_a_field_of_the_last_one_begins_with_its_map(open_page):
    rows = log_of_another_tool()
    app = upload(open_page("pages/pool.py"), ("runs.jsonl", as_lines(rows)))
    role(app, "Group").set_value("reference")
    run(app)
    press(app, "Use this file")
    bare_rows = [without("scores", [row])[0] for row in rows]
    app = upload(open_page("pages/pool.py"), ("more.jsonl", as_lines(bare_rows)))
    assert "you chose for a similar file" in bare(app.markdown) and role(app, "Group").value == "reference"


def test_another_parser_is_tried_before_it_is_used(open_page):
    rows = [
        {**row, "answer_kind": "mmlu-pro", "generations": [f"My option is: {g.lower()}" for g in row["generations"]]}
        for row in records()
    ]
    app = open_page("pages/pool.py", pool(without("targets", rows)), ["parsers"])
    patterns = next(frame.value for frame in app.dataframe if "pattern" in frame.value)
    assert patterns["texts"].sum() == 360 and "Recognized" not in bare(app.markdown)
    app.selectbox(key="try-parser").set_value("as-is")
    run(app)
    shown = {metric.label: (metric.value, metric.delta) for metric in app.metric}
    assert shown["Generations without an answer"] == ("0.0\u00a0%", "now 100.0\u00a0%")
    assert float(shown["Mean semantic entropy"][0]) > 0 and app.selectbox(key="parser").value == "own"
    press(app, f"Use “{TITLES['as-is']}”")
    assert app.selectbox(key="parser").value == "as-is" and app.selectbox(key="try-parser").value is None


def test_a_judges_verdicts_are_counted_among_what_was_read():
    rows = [{"id": str(place), "judge": ("pass", "fail", None)[place]} for place in range(3)]
    assert recognized.counts(Pool.from_records(rows)) == [
        "3 items",
        "no model to test",
        "2 verdicts of the judge “judge”",
    ]


def test_what_a_log_was_recognized_as_is_said(open_page):
    log = ROOT / "tests/core/readers/fixtures/lm_eval_repeats10_two_filters.jsonl"
    app = upload(open_page("pages/pool.py", None, ["origin"]), (log.name, log.read_bytes()))
    assert bare(app.markdown) == Saying("Recognized", "lm-evaluation-harness samples")
    became = next(frame.value for frame in app.dataframe if "became" in frame.value)
    assert dict(became.values)["target"] == "right answer"
    (lines,) = [bare([caption]) for caption in app.caption if "records" in caption.value]
    assert lines.startswith("8 records: 4 items") and lines.count("  \n") == 1


def test_versions_lead_to_their_gate_from_the_pool(open_page):
    def linked(*names):
        rows = [{**row, "targets": {name: {"answer": "A"} for name in names}} for row in records(12, target=None)]
        links = open_page("pages/pool.py", pool(rows, "versions")).main.get("page_link")
        return [link.proto.query_string for link in links if link.proto.label == "Is the new version worse?"]

    (query,) = linked("bot v9", "bot v10")
    assert "gate-old=bot+v9" in query and "gate-new=bot+v10" in query
    assert not linked("one", "other")
