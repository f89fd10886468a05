"""Labelling right here: ways to answer, pictures, items given up, and labels that stay with their target."""

from __future__ import annotations

import base64
import csv
import io
import json
from urllib.parse import parse_qsl

import pytest
from PIL import Image

from core import labels
from core.archive import Archive
from core.design import Design
from core.profile import profile
from core.readers import read
from pages.parts.label_answers import keys_of
from tests.pages.conftest import run
from tests.pages.pools import pool, records

LABEL = "pages/label.py"
HERE = {"part": "Label here"}
RIGHT_WRONG = {"label-kind": "Right or wrong"}


@pytest.fixture(scope="module")
def letters():
    """A pool without choices whose truths are single letters."""
    rows = [{**row, "answer": "ABCD"[number % 4]} for number, row in enumerate(records(80))]
    return pool(rows, "letters")


@pytest.fixture(scope="module")
def texts():
    rows = [{**row, "answer": f"answer {number}"} for number, row in enumerate(records(60, k=6))]
    return pool(rows, "texts")


@pytest.fixture(scope="module")
def two_targets():
    rows = [
        {**row, "targets": {"first": {"answer": "A"}, "second": {"answer": "B"}}} for row in records(60, target=None)
    ]
    return pool(rows, "two targets")


def plan_of(chosen, budget):
    found = profile(chosen.classes())
    return Design(budget).plan(chosen.digest, chosen.items.index.to_numpy(dtype=object), found), found


def button(app, label):
    return next(one for one in app.button if one.label == label)


def press(app, label):
    button(app, label).click()
    return run(app)


def offered(app):
    return {one.label: one.proto.shortcut for one in app.button}


def progress(app):
    return app.get("progress")[0].proto.text


def bare(elements):
    return "\n".join(str(e.value).replace("\\", "").replace("\u2060", "") for e in elements)


def shown_item(app):
    return next(c.value for c in app.caption if c.value.startswith("Item ")).replace("\\", "").removeprefix("Item ")


def test_answers_of_a_closed_set_are_buttons_with_keys(open_page, neyman_home, letters):
    plan, _ = plan_of(letters, 8)
    app = open_page(LABEL, letters, budget=8, **HERE)
    found = offered(app)
    assert [found[letter] for letter in "ABCD"] == ["1", "2", "3", "4"]
    assert found["Skip"] == "s" and found["Give up on this item"] == "g"
    press(app, "B")
    app.text_input(key=f"another-answer-{plan.ids[1]}").input("none of them")
    press(app, "Keep")
    kept = Archive(neyman_home).labels(plan.plan_id)
    assert kept[["item_id", "label"]].to_numpy().tolist() == [[plan.ids[0], "B"], [plan.ids[1], "none of them"]]
    assert set(kept["kind"]) == {"gold"} and set(kept["target"]) == {""}


def test_keys_are_the_answers_own_digits_or_those_left():
    assert keys_of(["A", "B"]) == ["1", "2"]
    assert keys_of(["0", "1", "A"]) == ["0", "1", "2"]
    assert keys_of([str(number) for number in range(10)]) == list("0123456789")
    assert keys_of([*"ABCDEFGHIJ"]) == list("1234567890")


def test_free_text_has_a_field_and_no_key_that_is_a_letter(open_page, neyman_home, texts):
    plan, _ = plan_of(texts, 8)
    app = open_page(LABEL, texts, budget=8, **HERE)
    for expected in ("Lisbon", "=1+1"):
        app.text_input(key="given-answer").input(expected)
        press(app, "Keep")
    press(app, "Keep")
    assert Archive(neyman_home).labels(plan.plan_id)["label"].tolist() == ["Lisbon", "=1+1"], (
        "nothing typed, nothing kept"
    )
    assert all(not key or "+" in key for key in offered(app).values())


def test_a_score_is_typed_and_none_is_given_beforehand(open_page, neyman_home, two_targets):
    plan, _ = plan_of(two_targets, 8)
    app = open_page(LABEL, two_targets, budget=8, **HERE, **{"label-kind": "A score, 0 to 1"})
    press(app, "Keep")
    app.number_input(key="given-score").set_value(0.25)
    press(app, "Keep")
    kept = Archive(neyman_home).labels(plan.plan_id)
    assert kept[["label", "kind", "target"]].to_numpy().tolist() == [["0.25", "score", "first"]]


def png(size=(40, 30)):
    stream = io.BytesIO()
    Image.new("RGB", size, "blue").save(stream, "PNG")
    return stream.getvalue()


def test_pictures_of_a_folder_are_shown_and_what_cannot_be_is_named(open_page, tmp_path):
    (tmp_path / "images" / "figs").mkdir(parents=True)
    (tmp_path / "images" / "figs" / "a.png").write_bytes(png())
    (tmp_path / "secret.png").write_bytes(png())
    inside = "data:image/png;base64," + base64.b64encode(png()).decode()
    images = [inside, "figs/a.png", "figs/none.png", "../secret.png", "https://example.org/a.png", "figs/a.png"]
    rows = [{"id": str(n), "image": images, "generations": ["1", "2"]} for n in range(4)]
    app = open_page(LABEL, pool(rows, "pictures"), budget=4, **HERE)
    assert len(app.get("image")) == 1 and "which folder" in bare(app.warning)
    app.text_input(key="images").input(str(tmp_path / "images"))
    run(app)
    assert len(app.get("image")) == 3
    told = bare(app.warning)
    assert len(app.warning) == 3
    assert "“figs/none.png” is not shown" in told and "“../secret.png” is not shown" in told
    assert "leaves the folder" in told and "not fetched" in told
    press(app, "Skip")
    assert len(app.get("image")) == 3, "the folder is asked for once"


def test_a_folder_is_not_asked_for_where_pictures_are_in_the_pool(open_page):
    inside = "data:image/png;base64," + base64.b64encode(png()).decode()
    rows = [{"id": str(n), "image": inside, "generations": ["1", "2"]} for n in range(4)]
    app = open_page(LABEL, pool(rows, "pictures"), budget=4, **HERE)
    assert not app.warning and not [field for field in app.text_input if field.key == "images"]


def test_what_is_given_up_is_replaced_in_the_designs_order_and_can_be_undone(open_page, neyman_home, letters):
    plan, found = plan_of(letters, 8)
    ids = letters.items.index.to_numpy(dtype=object)
    first = str(plan.ids[0])
    spare = labels.replacements(plan, found, ids, [first])["item_id"].tolist()
    app = open_page(LABEL, letters, budget=8, **HERE)
    press(app, "Give up on this item")
    assert Archive(neyman_home).labels(plan.plan_id)["status"].tolist() == ["given up"]
    assert "1 item was given up. 1 replacement stands at the end of the list." in bare(app.caption)
    assert progress(app).startswith("0 of 8 items")
    seen = []
    for _ in range(8):
        seen.append(shown_item(app))
        press(app, "A")
    assert seen == [*(str(item) for item in plan.ids[1:]), *spare]
    assert "Every item of the list has your label" in bare(app.success)
    for _ in range(8):
        press(app, "Undo the last")
    press(app, "Undo the last")
    assert shown_item(app) == first and "given up" not in bare(app.caption)
    assert Archive(neyman_home).labels(plan.plan_id).empty


def test_a_replacement_that_is_given_up_is_replaced_too_until_the_stratum_is_empty(open_page):
    chosen = pool(records(6, seed=3), "small")
    app = open_page(LABEL, chosen, budget=5, allocation="Uniform", **HERE)
    press(app, "Give up on this item")
    for _ in range(5):
        press(app, "Give up on this item")
    assert "Every item was given up" in bare(app.success)
    assert "6 items were given up. Nothing is left in their strata to replace them." in bare(app.caption)


def test_the_replacements_can_be_downloaded_alone(open_page, downloads, letters):
    plan, found = plan_of(letters, 8)
    app = open_page(LABEL, letters, budget=8, **HERE)
    lost = [str(item) for item in plan.ids[:2]]
    for _ in lost:
        press(app, "Give up on this item")
    spare = labels.replacements(plan, found, letters.items.index.to_numpy(dtype=object), lost)["item_id"].tolist()
    app = open_page(LABEL, letters, budget=8)
    assert app.dataframe[0].value["item_id"].tolist() == plan.ids.tolist()
    app.toggle(key="only-new").set_value(True)
    to_do = run(app).dataframe[0].value
    assert to_do["item_id"].tolist() == [*plan.ids[2:], *spare]
    assert to_do["position"].tolist() == [3, 4, 5, 6, 7, 8, 9, 10]
    app.toggle(key="only-spare").set_value(True)
    assert run(app).dataframe[0].value["item_id"].tolist() == spare
    rows = list(csv.DictReader(io.StringIO(downloads["List as CSV"]())))
    assert [row["item_id"] for row in rows] == spare and {row["plan_id"] for row in rows} == {plan.plan_id}


def test_what_was_given_up_by_one_and_labelled_by_another_is_not_lost(open_page, letters):
    plan, _ = plan_of(letters, 8)
    app = open_page(LABEL, letters, budget=8, annotator="Ann", **HERE)
    press(app, "Give up on this item")
    app = open_page(LABEL, letters, budget=8, annotator="Ben", **HERE)
    assert shown_item(app) == str(plan.ids[1])


def test_what_is_skipped_comes_again_at_the_end(open_page, letters):
    plan, _ = plan_of(letters, 8)
    app = open_page(LABEL, letters, budget=8, **HERE)
    press(app, "Skip")
    for _ in range(7):
        press(app, "A")
    assert shown_item(app) == str(plan.ids[0]) and progress(app).startswith("7 of 8 items")


def test_the_name_is_in_the_address(open_page, neyman_home, letters):
    plan, _ = plan_of(letters, 8)
    app = open_page(LABEL, letters, budget=8, annotator="Ann", **HERE)
    assert app.text_input(key="annotator").value == "Ann"
    press(app, "A")
    assert Archive(neyman_home).labels(plan.plan_id)["annotator"].tolist() == ["Ann"]
    assert open_page(LABEL, letters, budget=8, **HERE).text_input(key="annotator").value == ""


def test_strata_and_entropy_are_shown_to_annotators_only_where_asked_for(open_page, downloads, letters):
    plan, found = plan_of(letters, 8)
    app = open_page(LABEL, letters, budget=8)
    assert not {"stratum", "semantic_entropy"} & set(app.dataframe[0].value)
    app.multiselect(key="also-show").set_value(["semantic_entropy", "stratum"])
    run(app)
    assert "sways annotators" in bare(app.caption)
    expected = labels.request(plan, letters.items, profile=found)
    assert downloads["List as CSV"]() == labels.to_csv(expected)
    app.multiselect(key="also-show").set_value(["stratum"])
    run(app)
    record = json.loads(downloads["List as JSON Lines"]().splitlines()[0])
    assert record["stratum"] == expected["stratum"].iloc[0] and "semantic_entropy" not in record


def test_each_target_has_its_own_labelling(open_page, neyman_home, two_targets):
    plan, _ = plan_of(two_targets, 8)
    query = {"budget": 8, **HERE, **RIGHT_WRONG}
    app = open_page(LABEL, two_targets, target="first", **query)
    assert "A" in [text.value for text in app.text] and "first" not in bare(app.caption), (
        "nobody sees whose answer it is"
    )
    press(app, "Right")
    press(app, "Give up on this item")
    assert progress(app).startswith("1 of 8 items")
    app.selectbox(key="target").set_value("second")
    run(app)
    assert progress(app).startswith("0 of 8 items") and shown_item(app) == str(plan.ids[0])
    assert "given up" not in bare(app.caption) and "Undo the last" not in offered(app)
    press(app, "Wrong")
    assert progress(app).startswith("1 of 8 items")
    app.selectbox(key="target").set_value("first")
    assert progress(run(app)).startswith("1 of 8 items")
    kept = Archive(neyman_home).labels(plan.plan_id)
    own = kept[["item_id", "target", "label", "kind"]].to_numpy().tolist()
    assert [plan.ids[0], "first", "right", "right-wrong"] in own
    assert [plan.ids[0], "second", "wrong", "right-wrong"] in own
    app.selectbox(key="label-kind").set_value("gold")
    assert progress(run(app)).startswith("0 of 8 items")


def judged(rows):
    """A filled list: (item, label, code of the target)."""
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow(["item_id", "label", "answers_of"])
    writer.writerows(rows)
    return stream.getvalue().encode()


def given_back(open_page, chosen, content, **query):
    app = open_page(LABEL, chosen, budget=8, **{"part": "Take labels back", **RIGHT_WRONG, **query})
    app.file_uploader(key="labels-file").upload("filled.csv", content)
    return run(app)


def test_a_list_names_its_target_by_a_code(open_page, downloads, two_targets):
    open_page(LABEL, two_targets, budget=8, target="second", **RIGHT_WRONG)
    rows = list(csv.DictReader(io.StringIO(downloads["List as CSV"]())))
    assert {row["answers_of"] for row in rows} == {labels.target_code("second")}
    assert {row["target_answer"] for row in rows} == {"B"}
    assert "second" not in downloads["List as CSV"]()


def test_rows_that_judge_another_target_are_kept_under_it(open_page, neyman_home, two_targets):
    plan, _ = plan_of(two_targets, 8)
    first, second = (labels.target_code(name) for name in ("first", "second"))
    rows = [(item, "right", first) for item in plan.ids[:3]] + [(item, "wrong", second) for item in plan.ids[:5]]
    app = given_back(open_page, two_targets, judged([*rows, (plan.ids[0], "right", "t00000000")]))
    assert "3 of 8 items of the list have a label in this file" in bare(app.markdown)
    assert "also judges the answers of second: 5 of 8 items" in bare(app.info)
    assert "1 row judges another target" in bare(app.warning)
    press(app, "Keep these labels")
    assert "8 new or changed labels kept" in bare(app.success)
    kept = Archive(neyman_home).labels(plan.plan_id)
    assert kept.groupby("target")["label"].agg(list).to_dict() == {"first": ["right"] * 3, "second": ["wrong"] * 5}
    assert "on 3 items by 1 person" in bare(app.caption)


def test_a_file_of_another_target_alone_says_so(open_page, neyman_home, two_targets):
    plan, _ = plan_of(two_targets, 8)
    rows = [(item, "wrong", labels.target_code("second")) for item in plan.ids[:1]]
    app = given_back(open_page, two_targets, judged(rows))
    assert "No row of this file judges the answers of first" in bare(app.markdown)
    press(app, "Keep these labels")
    assert "1 new or changed label kept" in bare(app.success)
    assert Archive(neyman_home).labels(plan.plan_id)["target"].tolist() == ["second"]


def test_a_file_of_unknown_targets_is_refused(open_page, two_targets):
    plan, _ = plan_of(two_targets, 8)
    app = given_back(open_page, two_targets, judged([(plan.ids[0], "right", "t00000000")]))
    assert len(app.error) == 1 and "Nothing that was kept has changed" in bare(app.caption)


def test_a_list_of_verdicts_is_not_taken_for_right_answers_in_silence(open_page, two_targets):
    plan, _ = plan_of(two_targets, 8)
    content = judged([(plan.ids[0], "right", labels.target_code("first"))])
    app = given_back(open_page, two_targets, content, **{"label-kind": "The right answer"})
    assert "asked whether a target’s answers are right" in bare(app.warning)


def test_a_file_without_a_code_belongs_to_the_target_that_is_chosen(open_page, neyman_home, two_targets):
    plan, _ = plan_of(two_targets, 8)
    content = f"item_id,label\n{plan.ids[0]},right\n".encode()
    press(given_back(open_page, two_targets, content, target="second"), "Keep these labels")
    assert Archive(neyman_home).labels(plan.plan_id)["target"].tolist() == ["second"]


def test_a_replacement_comes_back_beside_the_cancelled_row_that_it_replaces(open_page, two_targets):
    plan, found = plan_of(two_targets, 8)
    lost = str(plan.ids[2])
    ids = two_targets.items.index.to_numpy(dtype=object)
    spare = str(labels.replacements(plan, found, ids, [lost])["item_id"].iloc[0])
    rows = [(item, "" if item == lost else "right", "") for item in [*map(str, plan.ids), spare]]
    app = given_back(open_page, two_targets, judged(rows))
    assert "8 of 8 items" in bare(app.markdown) and not app.warning


def test_exams_without_choices_offer_their_letters(open_page, shared_pool):
    found = offered(open_page(LABEL, read(shared_pool("exams-gpt35-k10.jsonl")), **HERE))
    assert [found[letter] for letter in "ABCDE"] == list("12345") and "1" not in found


def test_a_folder_said_on_page_surrogate_holds_here(open_page, tmp_path):
    (tmp_path / "a.png").write_bytes(png())
    rows = [{"id": str(n), "prompt": "?", "image": "a.png", "generations": ["1", "2"]} for n in range(4)]
    app = open_page("pages/surrogate.py", pool(rows, "pictures"))
    app.text_input(key="images").input(str(tmp_path))
    run(app)
    app.query_params["part"] = "Label here"
    app.switch_page(LABEL)
    assert len(run(app).get("image")) == 1 and not app.warning


@pytest.fixture(scope="module")
def half_asked():
    """A target that was asked every second item, and gave no answer to every fourth."""
    rows = []
    for number, row in enumerate(records(60, target=None)):
        text = "The answer is 7." if number % 4 else "I cannot say."
        rows.append({**row, "answer_kind": "number", **({"targets": {"m": {"text": text}}} if number % 2 == 0 else {})})
    return pool(rows, "half asked")


def test_without_an_answer_there_is_nothing_to_judge(open_page, letters):
    unasked = pool([{key: value for key, value in row.items() if key != "targets"} for row in records(40)], "unasked")
    for kind in ("Right or wrong", "A score, 0 to 1"):
        app = open_page(LABEL, unasked, budget=8, **HERE, **{"label-kind": kind})
        assert "there is nothing to judge" in bare(app.warning)
        assert not {"Right", "Wrong", "Keep", "Skip"} & set(offered(app))
        assert "Run a target on these items" in offered(app)
    press(app, "Ask for the right answer")
    assert app.selectbox(key="label-kind").value == "gold" and "Skip" in offered(app)
    listed = open_page(LABEL, unasked, budget=8, **RIGHT_WRONG)
    files = {one.proto.label: one.proto.disabled for one in listed.get("download_button")}
    assert files["List as CSV"] and files["List as JSON Lines"] and not files["Manifest"]


def test_what_the_target_was_never_asked_waits(open_page, downloads, half_asked):
    plan, _ = plan_of(half_asked, 12)
    asked = [str(item) for item in plan.ids if half_asked.targets["m"].texts[half_asked.items.index.get_loc(item)]]
    assert 0 < len(asked) < 12
    app = open_page(LABEL, half_asked, budget=12, **RIGHT_WRONG)
    rows = list(csv.DictReader(io.StringIO(downloads["List as CSV"]())))
    assert [row["item_id"] for row in rows] == asked
    silent = {item for item in asked if half_asked.items.index.get_loc(item) % 4 == 0}
    assert {row["target_answer"] for row in rows if row["item_id"] in silent} == {"(no answer)"}
    assert f"{12 - len(asked)} items wait" in bare(app.caption)
    app = open_page(LABEL, half_asked, budget=12, **HERE, **RIGHT_WRONG)
    assert f"{12 - len(asked)} items wait" in bare(app.caption)
    seen = []
    for _ in asked:
        seen.append(shown_item(app))
        told = "the target was asked, and gave none" in bare(app.caption)
        assert told == (seen[-1] in silent)
        press(app, "Wrong")
    assert seen == asked and progress(app).startswith(f"{len(asked)} of {len(asked)} items")


def test_a_label_given_in_another_tab_is_not_overwritten(open_page, neyman_home, letters):
    plan, _ = plan_of(letters, 8)
    one, two = (open_page(LABEL, letters, budget=8, annotator="Ann", **HERE) for _ in range(2))
    press(one, "A")
    press(two, "B")
    assert "was labelled as “A” in the meantime, under the same name (Ann)" in bare(two.info)
    assert shown_item(two) == str(plan.ids[1])
    press(two, "B")
    kept = Archive(neyman_home).labels(plan.plan_id)
    assert kept[["item_id", "label"]].to_numpy().tolist() == [[plan.ids[0], "A"], [plan.ids[1], "B"]]


@pytest.mark.parametrize("name", ["(pool)", " (Decision) ", "(no name)"])
def test_nobody_is_called_as_the_program_calls_its_own(open_page, letters, name):
    app = open_page(LABEL, letters, budget=8, annotator=name, **HERE)
    assert "Nobody can be called so" in bare(app.error) and "Skip" not in offered(app)


def test_several_people_can_share_the_items(open_page, letters):
    plan, _ = plan_of(letters, 8)
    app = open_page(LABEL, letters, budget=8, annotator="Ann", **HERE)
    for _ in range(3):
        press(app, "A")
    app = open_page(LABEL, letters, budget=8, annotator="Ben", **HERE)
    assert shown_item(app) == str(plan.ids[0])
    app.toggle(key="only-free").set_value(True)
    run(app)
    assert shown_item(app) == str(plan.ids[3]) and progress(app).startswith("0 of 5 items")


def test_undo_brings_the_note_back(open_page, letters):
    plan, _ = plan_of(letters, 8)
    key = f"note-{plan.plan_id}-{plan.ids[0]}"
    app = open_page(LABEL, letters, budget=8, **HERE)
    app.text_input(key=key).input("looks odd")
    press(app, "A")
    press(app, "Undo the last")
    assert app.text_input(key=key).value == "looks odd"


def test_an_item_without_prompt_and_image_says_so(open_page):
    rows = [{"id": str(n), "generations": ["1", "2"]} for n in range(4)]
    assert "neither a prompt nor an image" in bare(open_page(LABEL, pool(rows, "bare"), budget=4, **HERE).caption)


def test_another_plan_with_labels_is_told_with_the_way_back(open_page, letters):
    plan, _ = plan_of(letters, 8)
    app = open_page(LABEL, letters, budget=8, **HERE)
    assert "other settings" not in bare(app.markdown)
    press(app, "A")
    app.slider(key="strata").set_value(7)
    run(app)
    assert progress(app).startswith("0 of 8") and f"1 label belongs to plan {plan.plan_id} (other" in bare(app.markdown)
    press(app, "Back to that plan")
    assert progress(app).startswith("1 of 8") and "other settings" not in bare(app.markdown)


def test_a_link_for_annotators_shows_labelling_alone(open_page, neyman_home, two_targets):
    plan = Design(8, n_strata=3, seed=4).plan(
        two_targets.digest, two_targets.items.index.to_numpy(dtype=object), profile(two_targets.classes())
    )
    app = open_page(LABEL, two_targets, budget=8, strata=3, seed=4, target="second", **RIGHT_WRONG)
    assert Archive(neyman_home).designs().empty
    app.session_state["annotators"] = True
    run(app)
    (link,) = [one.value for one in app.code if "only=label" in one.value]
    query = dict(parse_qsl(link.partition("?")[2]))
    assert query.pop("pool") == two_targets.digest[:16] and "second" not in link
    app = open_page(LABEL, two_targets, **query, annotator="Ann")
    assert not app.slider and not app.selectbox and shown_item(app) == str(plan.ids[0])
    assert "Show the truth" not in [one.label for one in app.toggle]
    press(app, "Wrong")
    kept = Archive(neyman_home).labels(plan.plan_id)
    assert kept[["annotator", "target", "label"]].to_numpy().tolist() == [["Ann", "second", "wrong"]]
    assert "second" not in bare(app.caption) + bare(app.text) + bare(app.markdown)


def test_a_link_to_a_plan_that_is_not_kept_says_so(open_page, letters):
    app = open_page(LABEL, letters, only="label", plan="p000000000000", asks="gold")
    assert "plan of this link is not kept here" in bare(app.error)
