"""Pool: files of no known format, what their fields are taken for, and what is said of it."""

from __future__ import annotations

import pytest

from core.answers import TITLES
from core.archive import Archive
from core.pool import Pool
from core.signals import numeric_columns
from pages.parts.pool import summary
from tests.conftest import ROOT
from tests.core.wording import Saying
from tests.pages.conftest import bare, button, messages, press, run, table
from tests.pages.first_sight import in_sight
from tests.pages.pools import pool, records, without
from tests.pages.uploads import as_lines, contents, current, log_of_another_tool, role, upload


def test_a_file_of_no_known_format_is_mapped_and_the_next_of_its_shape_opens_at_once(open_page, neyman_home):
    app = upload(open_page("pages/pool.py"), ("runs.jsonl", as_lines(log_of_another_tool())))
    assert not app.error and "next-step" not in [one.key for one in app.button]
    # The boxes that something was found for are in sight.
    of_fields = [key.split("-")[1] for key in in_sight(app.main) if key.startswith("map-")]
    assert of_fields == ["id", "prompt", "answer", "generations", "judges", "text", "score", "meaning", "name"]
    assert role(app, "Prompt").value == "input.question" and role(app, "Samples of the surrogate").value == ["output"]
    preview = table(app, 0)
    assert len(preview) == 10 and list(preview["samples"][1]) == ["A", "A"]
    # What cannot be read is said before the file is used.
    role(app, "Target’s score").set_value("reference")
    run(app)
    assert (
        "is chosen for the right answer and a score of" in messages(app, "error")[0]
        and button(app, "Use this file").disabled
    )
    role(app, "Target’s score").set_value("scores.match")
    app.text_input[-1].set_value("big")
    run(app)
    press(app, "Use this file")
    assert "runs.jsonl" in current(app)
    saved = Archive(neyman_home).pools.load(app.query_params["pool"])
    assert saved.n_items == 12 and saved.n_generations == 2 and saved.losses("big").mean() == pytest.approx(1 / 3)
    assert saved.origin.fields["prompt"] == "input.question" and numeric_columns(saved) == ("scores.helpfulness",)

    app = upload(open_page("pages/pool.py"), ("more.jsonl", as_lines(log_of_another_tool(20))))
    assert "more.jsonl" in current(app) and "an earlier file" in bare(app.caption)
    both = upload(
        open_page("pages/pool.py"), ("a.jsonl", as_lines(log_of_another_tool())), ("b.jsonl", as_lines(records(12)))
    )
    assert {"a", "big"} <= {*both.multiselect(key="committee").value, *both.multiselect(key="target-models").value}
    press(contents(app, "fields"), "Change the fields")
    assert app.text_input[-1].value == "big" and button(app, "Use this file")
    press(app, "Add a target")
    [box for box in app.selectbox if box.label == "Target’s answer"][1].set_value("output")
    run(app)
    # Samples that are the target's own answers would agree with it everywhere.
    assert messages(app, "error")[0] == Saying("“output”", "samples", "answer of “output”")
    assert button(app, "Use this file").disabled and app.text_input[-1].value == "output"
    press(app, "Cancel")
    assert "more.jsonl" in current(app) and "next-step" in [one.key for one in app.button]


def test_fields_of_several_files_are_asked_for_once(open_page, neyman_home):
    """Outputs of two versions, a file each, were refused: each had to be uploaded alone first."""
    files = [
        (f"{name}.jsonl", as_lines([{"case": f"T{n}", "asked": f"{n}?", "said": f"{name}"} for n in range(9)]))
        for name in ("agent-v9", "agent-v10")
    ]
    app = upload(open_page("pages/pool.py"), *files)
    said = "**agent-v9.jsonl** is not in a format"
    assert said in (text := bare(app.markdown)) and "Other files with the same fields" in text
    role(app, "Prompt").set_value("asked")
    role(app, "Samples of the surrogate").set_value([])
    role(app, "Target’s answer").set_value("said")
    run(app)
    press(app, "Use this file")
    # Versions of one model err together: neither stands in for a surrogate.
    assert app.multiselect(key="committee").value == []
    assert set(app.multiselect(key="target-models").value) == {"agent-v9", "agent-v10"}
    press(app, "Build the pool")
    saved = Archive(neyman_home).pools.load(app.query_params["pool"])
    assert saved.n_items == 9 and set(saved.targets) == {"agent-v9", "agent-v10"}


def test_words_of_a_score_that_nobody_knows_are_asked_for(open_page, neyman_home):
    """The only way out was to replace the words in the file."""
    said = ("solved", "escalated", "abandoned", "solved")
    rows = [{"task": f"t{n}", "goal": f"Do {n}.", "end": said[n % 4]} for n in range(40)]
    app = upload(open_page("pages/pool.py"), ("agent.jsonl", as_lines(rows)))
    role(app, "Target’s score").set_value("end")
    run(app)
    assert button(app, "Use this file").disabled and "What do these words mean?" in bare(app.markdown)
    for word, meaning in zip(said, ("right", "wrong", "skip"), strict=False):
        app.button_group(key=f"unknown-word-{word}").set_value(meaning)
    press(app, "Use these meanings")
    assert Archive(neyman_home).words.all() == {"solved": "right", "escalated": "wrong", "abandoned": "skip"}
    assert not app.error and "“escalated” as wrong" in bare(app.markdown)
    press(app, "Forget these words")
    assert "What do these words mean?" in bare(app.markdown) and not Archive(neyman_home).words.all()
    app.button_group(key="unknown-word-abandoned").set_value("wrong")
    app.button_group(key="unknown-word-escalated").set_value("wrong")
    app.button_group(key="unknown-word-solved").set_value("right")
    press(app, "Use these meanings")
    press(app, "Use this file")
    saved = Archive(neyman_home).pools.load(app.query_params["pool"])
    assert saved.losses("agent").tolist() == [0, 1, 1, 0] * 10
    # A file of the same fields is read alike, alone and among others.
    app = upload(open_page("pages/pool.py"), ("next.jsonl", as_lines(rows[:-1])))
    assert "next.jsonl" in current(app)
    app = upload(
        open_page("pages/pool.py"),
        ("v1.jsonl", as_lines(rows)),
        ("v2.jsonl", as_lines([row | {"end": "solved"} for row in rows])),
    )
    assert set(app.multiselect(key="target-models").value) == {"v1", "v2"}


def test_versions_in_words_of_their_own_are_taken_together(open_page, neyman_home):
    """Each of four columns had to be chosen by hand, and the first was called like the file."""
    said = ("solved", "escalated", "solved")
    rows = [{"case_ref": f"C-{n}", "agent-2025.11": said[n % 3], "agent-2026.02": said[(n + 1) % 3]} for n in range(30)]
    app = upload(open_page("pages/pool.py"), ("runs.jsonl", as_lines(rows)))
    assert role(app, "Item id").value == "case_ref"
    press(app, "All of them are verdicts")
    assert "What do these words mean?" in bare(app.markdown) and "several fields" not in bare(app.warning)
    app.button_group(key="unknown-word-solved").set_value("right")
    app.button_group(key="unknown-word-escalated").set_value("wrong")
    press(app, "Use these meanings")
    press(app, "Use this file")
    saved = Archive(neyman_home).pools.load(app.query_params["pool"])
    assert [*saved.targets] == ["agent-2025.11", "agent-2026.02"] and saved.ids[0] == "C-0"
    assert saved.losses("agent-2026.02").tolist() == [1, 0, 0] * 10


def test_a_file_that_nobody_explains_is_given_up_with_those_beside_it(open_page):
    unknown = as_lines([{"case": f"T{n}", "asked": f"{n}?", "said": "a"} for n in range(9)])
    app = upload(open_page("pages/pool.py"), ("broken.jsonl", b'{"id": }'), ("a.jsonl", unknown))
    press(app, "Cancel")
    assert not app.error and "next-step" in [one.key for one in app.button] and not app.file_uploader[0].value


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
    assert "keep repeated rows" in bare(app.caption)
    press(contents(app, "fields"), "Change the fields")
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


def test_what_1_means_is_asked_once_for_a_table_of_models(open_page, neyman_home):
    names = ["alpha-70b", "beta-7b", "gamma-13b"]
    rows = [{"ticket": f"T{n}"} | {name: int(n % (k + 2) > 0) for k, name in enumerate(names)} for n in range(20)]
    app = upload(open_page("pages/pool.py"), ("board.jsonl", as_lines(rows)))
    (meaning,) = [one for one in app.button_group if "1 means" in one.label]
    assert not app.warning and "in each score" in meaning.label
    meaning.set_value("wrong")
    press(run(app), "Use this file")
    saved = Archive(neyman_home).pools.load(app.query_params["pool"])
    assert list(saved.targets) == names and saved.ids[3] == "T3" and saved.losses("alpha-70b").mean() == 0.5
    assert saved.losses("gamma-13b").mean() == 0.75


def test_several_problems_are_counted_once_and_told_by_their_table(open_page):
    rows = [{"case": f"c{n}", "question": f"{n}?", "verdict": "right" if n % 3 else "wrong"} for n in range(40)]
    rows[8]["verdict"], rows[15]["question"] = "maybe", ""
    app = upload(open_page("pages/pool.py"), ("broken.jsonl", as_lines(rows)))
    assert bare(app.markdown) == Saying("“verdict”", "row 9", "“maybe”")
    assert bare(app.markdown) == Saying("“question”", "row 16")
    app = upload(open_page("pages/pool.py"), ("broken.jsonl", as_lines([*rows, rows[5] | {"question": "other?"}])))
    role(app, "Target’s score").set_value("verdict")
    run(app)
    assert (
        bare(app.error) == "There are 2 problems. Each row of the table is one."
        and button(app, "Use this file").disabled
    )
    told = table(app, 0)
    assert list(told["row"]) == [9, 41] and "file" not in told and not any("problem" in c.value for c in app.caption)


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
    assert button(app, "Use this file").disabled and "questions alone" not in bare(app.warning)


def test_free_texts_are_not_compared_and_lead_to_a_judge(open_page):
    text = "a long answer that may be said in quite other words, number"
    rows = [{"question": f"{n}?", "reference": f"{text} {n}", "response": f"In short: no. {n}"} for n in range(12)]
    app = upload(open_page("pages/pool.py"), ("runs.jsonl", as_lines(rows)))
    assert "runs: no outcome known" in bare(app.markdown) and "Right answers are free text" in bare(app.markdown)
    press(app, "Use this file")
    assert bare(app.caption) == Saying("a judge", "answers") and not app.exception
    press(contents(app, "answers"), "Have a judge look at the answers")
    assert app.session_state["role"] == "judge"


def test_a_file_with_the_names_of_the_last_one_begins_with_its_map(open_page):
    """Whether a file was similar depended on a few names: fields of one file were taken for those of another."""
    rows = log_of_another_tool()
    app = upload(open_page("pages/pool.py"), ("runs.jsonl", as_lines(rows)))
    role(app, "Group").set_value("reference")
    run(app)
    press(app, "Use this file")
    # Other kinds of values under the same names.
    others = [row | {"reference": number} for number, row in enumerate(rows)]
    app = upload(open_page("pages/pool.py"), ("more.jsonl", as_lines(others)))
    assert "you chose for a similar file" in bare(app.markdown) and role(app, "Group").value == "reference"
    for content in (without("scores", rows), [row | {"note": "x"} for row in rows]):
        app = upload(open_page("pages/pool.py"), ("other.jsonl", as_lines(content)))
        assert "filled in a guess" in bare(app.markdown) and role(app, "Group").value is None


def test_another_parser_is_tried_before_it_is_used(open_page):
    rows = [
        {**row, "answer_kind": "mmlu-pro", "generations": [f"My option is: {g.lower()}" for g in row["generations"]]}
        for row in records()
    ]
    app = open_page("pages/pool.py", pool(without("targets", rows)), contents="answers")
    patterns = next(frame.value for frame in app.dataframe if "pattern" in frame.value)
    assert patterns["texts"].sum() == 360 and "Recognized" not in bare(app.markdown)
    app.selectbox(key="try-parser").set_value("as-is")
    run(app)
    shown = {metric.label: (metric.value, metric.delta) for metric in app.metric}
    assert shown["Generations without an answer"] == ("0.0\u00a0%", "now 100.0\u00a0%")
    assert float(shown["Mean semantic entropy"][0]) > 0 and app.selectbox(key="parser").value == "own"
    press(app, f"Use “{TITLES['as-is']}”")
    assert app.selectbox(key="parser").value == "as-is" and app.selectbox(key="try-parser").value is None


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"judge": "pass"}, "3 items, judge “judge”"),
        ({}, "3 items, no model’s answers"),
        ({"targets": {"gpt": {"answer": "A"}}}, "3 items, answers of 1 model, no right answers"),
        ({"answer": "A", "targets": {"gpt": {"answer": "A"}}}, "3 items, answers of 1 model, right answers"),
        ({"targets": {"gpt": {"answer": "A", "loss": 1}}}, "3 items, answers and scores of 1 model"),
        (
            {"targets": {"gpt": {"loss": 1}}, "generations": ["A"]},
            "scores of 1 model, 1 answer of a cheap model",
        ),
    ],
)
def test_what_a_file_has_is_one_sentence(row, said):
    rows = [{"id": str(place), **row} for place in range(3)]
    assert summary.contents(Pool.from_records(rows, "shop.csv")).endswith(said)


def test_what_a_log_was_recognized_as_is_said(open_page):
    log = ROOT / "tests/core/readers/fixtures/lm_eval_repeats10_two_filters.jsonl"
    app = contents(upload(open_page("pages/pool.py"), (log.name, log.read_bytes())), "fields")
    assert bare(app.caption) == Saying("Recognized", "lm-evaluation-harness samples")
    became = next(frame.value for frame in app.dataframe if "became" in frame.value)
    assert dict(became.values)["target"] == "right answer"
    app = contents(app, "account")
    (lines,) = [bare([caption]) for caption in app.caption if "records" in caption.value]
    assert lines.startswith("8 records: 4 items") and lines.count("  \n") == 1


def test_a_preview_has_items_with_each_field_that_is_filled_later(open_page):
    """The first ten rows had no verdict, so the preview said that no outcome is known."""
    rows = [{"case": f"T{n}", "asked": f"Is {n} odd?", "bot_said": "yes"} for n in range(60)]
    rows = [row | {"expert_verdict": None if n < 40 else ("right", "wrong")[n % 2]} for n, row in enumerate(rows)]
    app = upload(open_page("pages/pool.py"), ("runs.jsonl", as_lines(rows)))
    role(app, "Target’s score").set_value("expert_verdict")
    run(app)
    assert [*table(app, 0)["id"]] == ["T0", *(f"T{n}" for n in range(1, 9)), "T40"]
    said = bare(app.markdown).replace("\u00a0", " ")
    assert "no outcome known" not in said and Saying("A preview of 10 items", "1 outcome known") == said


def test_a_judge_in_words_that_is_not_called_so_stays_in_its_box(open_page):
    """It was moved to the other columns, and page Pool knew of no judge."""
    rows = [{"chat_no": f"c{n}", "opinion of x": ("correct", "wrong")[n % 2], "tone": "kind"} for n in range(30)]
    app = upload(open_page("pages/pool.py"), ("runs.jsonl", as_lines(rows)))
    role(app, "Judge’s verdict or score").set_value(["opinion of x"])
    role(app, "Other columns to keep").set_value(["tone"])
    run(app)
    press(app, "Use this file")
    assert "judge “opinion of x (judge)”" in bare(app.markdown)
    press(contents(app, "fields"), "Change the fields")
    assert role(app, "Judge’s verdict or score").value == ["opinion of x"]
    assert role(app, "Other columns to keep").value == ["tone"]
    role(app, "Target’s score").set_value("opinion of x")
    run(app)
    assert any(Saying("Another box has “opinion of x” as well") == said for said in messages(app, "warning"))


def test_an_answer_beside_a_question_is_asked_about_and_every_box_can_be_emptied(open_page, neyman_home):
    """“Right answer” held the model's answers and could not be emptied: everything was right, without a label."""
    rows = [{"id": f"q{n}", "question": f"What is {n}?", "answer": str(n)} for n in range(20)]
    app = upload(open_page("pages/pool.py"), ("answers.jsonl", as_lines(rows)))
    assert "may hold the right answers" in bare(app.warning) and role(app, "Right answer").value is None
    press(app, "They are the right answers")
    assert role(app, "Right answer").value == "answer" and "may hold" not in bare(app.warning)
    role(app, "Target’s answer").set_value("answer")
    run(app)
    assert messages(app, "error")[0] == Saying("“answer”", "the right answer", "the answer of “answers”")
    assert button(app, "Use this file").disabled
    role(app, "Right answer").select_index(0)
    role(app, "Item id").select_index(0)
    run(app)
    assert role(app, "Right answer").value is None and not button(app, "Use this file").disabled
    role(app, "Item id").set_value("id")
    run(app)
    press(app, "Use this file")
    saved = Archive(neyman_home).pools.load(app.query_params["pool"])
    assert [*saved.targets] == ["answers"] and saved.targets["answers"].known() == 0 and "answer" not in saved.items


def test_the_fields_of_a_native_pool_can_be_changed(open_page, neyman_home):
    """A native pool had no way to say that its answers are those of a model."""
    rows = [
        {**row, "note": row["id"], "targets": {"gpt-3.5": {"text": row["answer"], "loss": n % 2}}}
        for n, row in enumerate(records(12))
    ]
    app = upload(open_page("pages/pool.py"), ("mine.jsonl", as_lines(rows)))
    before = Archive(neyman_home).pools.load(app.query_params["pool"])
    press(contents(app, "fields"), "Change the fields")
    assert role(app, "Target’s answer").value == "gpt-3.5:text" and role(app, "Target’s score").value == "gpt-3.5:loss"
    press(app, "Use this file")
    same = Archive(neyman_home).pools.load(app.query_params["pool"])
    assert same.items_digest == before.items_digest and same.losses("gpt-3.5").tolist() == [0, 1] * 6
    assert same.items["note"].tolist() == before.items["note"].tolist()
    # The pool is the current one in a later session, too.
    app = run(open_page("pages/pool.py", same))
    press(contents(app, "fields"), "Change the fields")
    role(app, "Right answer").select_index(0)
    run(app)
    press(app, "Use this file")
    assert "answer" not in Archive(neyman_home).pools.load(app.query_params["pool"]).items


@pytest.mark.parametrize(
    ("file", "target", "share", "known"),
    [
        ("chat_history_column.jsonl", "chat_history_column", 0.65, 20),
        ("phoenix_evals.csv", "attributes.output.value", 2 / 3, 15),
        ("history_in_one_row.json", "bot-v1", None, 0),
        ("evalscope_old/reviews/Qwen2.5/gsm8k_main.jsonl", "Qwen2.5", 0.65, 20),
        ("native_no_kind.jsonl", "m", 1.0, 20),
    ],
)
def test_cases_of_public_reports_have_their_values_on_the_page(open_page, neyman_home, file, target, share, known):
    path = ROOT / "tests" / "cases" / file
    app = upload(open_page("pages/pool.py"), (path.name, path.read_bytes()))
    if any(one.label == "Use this file" for one in app.button):
        press(app, "Use this file")
    saved = Archive(neyman_home).pools.load(app.query_params["pool"])
    assert not app.exception and [*saved.targets] == [target] and saved.targets[target].known() == known
    assert share is None or saved.targets[target].accuracy() == pytest.approx(share)
    press(contents(app, "fields"), "Change the fields")
    assert button(app, "Use this file") and not app.exception


_SIX = ("alpha", "beta", "gamma", "delta", "eps", "zeta")


def six_models(words: str = "ABCD") -> bytes:
    """Rows of six models' answers under names of no known model; each errs on other items, and nothing is graded."""
    cells = [{name: words[(n + (n % (place + 3) == 0)) % 4] for place, name in enumerate(_SIX)} for n in range(60)]
    return as_lines([{"id": f"q{n}", "question": f"{n}: which option holds?", **row} for n, row in enumerate(cells)])


def test_six_models_of_any_name_are_taken_at_once(open_page, neyman_home):
    """Each was a box of its own: 17 actions."""
    app = upload(open_page("pages/pool.py"), ("six.jsonl", six_models()))
    assert role(app, "Columns with models’ answers").value == [*_SIX]
    assert bare(app.warning) == Saying("“alpha”", "look like answers of 6 models")
    assert "Target’s answer" not in [box.label for box in app.selectbox]
    press(app, "Use this file")
    saved = Archive(neyman_home).pools.load(app.query_params["pool"])
    assert [*saved.targets] == [*_SIX] and saved.n_items == 60
    press(contents(app, "fields"), "Change the fields")
    role(app, "Columns with models’ answers").set_value(["alpha", "beta"])
    run(app)
    assert "look like" not in bare(app.warning)
    press(app, "Use this file")
    assert [*Archive(neyman_home).pools.load(app.query_params["pool"]).targets] == ["alpha", "beta"]


def test_six_columns_of_words_are_asked_about_and_taken_at_once(open_page, neyman_home):
    words = ("joy", "anger", "fear", "calm")
    app = upload(open_page("pages/pool.py"), ("six.jsonl", six_models(words)))
    assert role(app, "Columns with models’ answers").value == [] and "each is a target" in bare(app.warning)
    press(app, "All of them are answers")
    assert role(app, "Columns with models’ answers").value == [*_SIX]
    press(app, "Use this file")
    assert [*Archive(neyman_home).pools.load(app.query_params["pool"]).targets] == [*_SIX]


def test_columns_that_an_earlier_choice_leaves_out_are_named_with_the_way_back(open_page, neyman_home):
    """The wrong choice was used again without a word, and the fields of the pool had none of the other columns."""
    app = upload(open_page("pages/pool.py"), ("six.jsonl", six_models()))
    role(app, "Columns with models’ answers").set_value([])
    run(app)
    press(app, "Use this file")
    wrong = Archive(neyman_home).pools.load(app.query_params["pool"])
    assert not wrong.targets
    later = run(open_page("pages/pool.py", wrong))
    press(contents(later, "fields"), "Change the fields")
    assert "upload the file again" in bare(later.info)
    app = upload(open_page("pages/pool.py"), ("again.jsonl", six_models()))
    assert bare(app.warning) == Saying("Columns not used: “alpha”", "“zeta”", "for an earlier file")
    press(app, "Change the fields")
    role(app, "Columns with models’ answers").set_value([*_SIX])
    run(app)
    press(app, "Use this file")
    assert [*Archive(neyman_home).pools.load(app.query_params["pool"]).targets] == [*_SIX]
