"""Labels that come back: nothing good is lost, nobody's labels pass for another's, and there is a way back."""

from __future__ import annotations

import pytest

from core import labels
from core.archive import Archive
from core.archive.stored_labels import Labels
from core.design import manifest
from core.study import Labelling
from pages.parts.label.mismatch import person_of
from tests.core.wording import Saying
from tests.pages.conftest import bare, button, press, run
from tests.pages.desk import label
from tests.pages.pools import plan_of, pool, records

LABEL = "pages/label.py"
BACK = {"part": "Take labels back", "budget": 8, "label-kind": "gold"}
JUDGED = {**BACK, "label-kind": "Right or wrong"}


@pytest.fixture(scope="module")
def chosen():
    rows = [{**row, "answer": "ABCD"[n % 4]} for n, row in enumerate(records(80, target=None))]
    return pool([{**row, "targets": {"one": {"answer": "A"}}} for row in rows], "back")


def filled(plan, said, annotator=None, plan_id=None):
    """A filled list; ``said``: one label for all, or one for each item."""
    said = [said] * len(plan.ids) if isinstance(said, str) else said
    lines = ["item_id,label,plan_id,annotator"]
    lines += [f"{item},{label},{plan_id or ''},{annotator or ''}" for item, label in zip(plan.ids, said, strict=True)]
    return "\n".join(lines).encode()


def upload(app, content, name="anna.csv"):
    app.file_uploader(key="labels-file").upload(name, content)
    return run(app)


def labels_in(home, plan):
    rows = Archive(home).labels.of(plan.plan_id)
    return [tuple(row) for row in rows[["annotator", "label"]].drop_duplicates().to_numpy().tolist()]


def test_labels_that_cannot_be_read_replace_none(open_page, neyman_home, chosen):
    plan = plan_of(chosen, 8)[0]
    app = upload(open_page(LABEL, chosen, **JUDGED), filled(plan, "right", "Ann"))
    press(app, "Keep these labels")
    upload(app, filled(plan, "korrekt", "Ann"), "unread.csv")
    assert button(app, "Keep these labels").disabled
    assert "until every label is understood" in bare(app.caption) and "8 labels are not understood" in bare(app.warning)
    assert "Say below what each means" in bare(app.warning) and "in the shell" not in bare(app.warning)
    assert bare(app.caption) == Saying("answers of one", "8 items", "1 person")
    upload(app, filled(plan, ["wrong", *["korrekt"] * 7], "Ann"), "half.csv")
    assert bare(app.warning) == Saying("1 label kept before differs", "the same person", "will be replaced")
    assert "7 labels are not understood: “korrekt” (rows 3–9)" in bare(app.warning)
    assert button(app, "Keep these labels").disabled
    press(app, "Use these meanings")
    press(app, "Keep these labels")
    values = Archive(neyman_home).labels.of(plan.plan_id)["label"].tolist()
    assert sorted(values) == ["right"] * 7 + ["wrong"]


def test_words_are_asked_for_once_and_remembered(open_page, neyman_home, chosen):
    plan = plan_of(chosen, 8)[0]
    said = ["richtig"] * 5 + ["Falsch"] * 2 + ["unleserlich"]
    app = upload(open_page(LABEL, chosen, **JUDGED), filled(plan, said, "Ann"))
    asked = {one.label.replace("\\", ""): one.value for one in app.button_group if "label" in one.label}
    assert asked == {"“richtig” (5 labels)": "right", "“falsch” (2 labels)": "wrong", "“unleserlich” (1 label)": None}
    # Proposed, but nothing counts yet; nor is the file taken for one of another question.
    assert button(app, "Keep these labels").disabled and "words other than right and wrong" not in bare(app.warning)
    app.button_group(key="unknown-word-unleserlich").set_value("skip")
    press(app, "Use these meanings")
    assert bare(app.markdown) == Saying(
        "“richtig” as right (5)", "“falsch” as wrong (2)", "“unleserlich” as no verdict"
    )
    press(app, "Keep these labels")
    assert labels_in(neyman_home, plan) == [("Ann", "right"), ("Ann", "wrong"), ("Ann", None)]
    # Another visitor of this home, another file: read at once, until somebody forgets the words.
    app = upload(open_page(LABEL, chosen, **JUDGED), filled(plan, "richtig", "Ben"), "ben.csv")
    assert not [one for one in app.button_group if "label" in one.label]
    assert not button(app, "Keep these labels").disabled
    press(app, "Forget these words")
    assert button(app, "Keep these labels").disabled and Archive(neyman_home).words.all().keys() == {
        "falsch",
        "unleserlich",
    }


def test_both_pages_account_for_every_row_of_a_file(open_page, neyman_home, chosen):
    plan = plan_of(chosen, 8)[0]
    lines = filled(plan, ["right"] * 6 + ["perhaps", ""], "Ann").decode().replace("annotator\n", "annotator,second\n")
    lines += f"\nnobody,right,,Ann\n{plan.ids[0]},right,,Ann,wrong"
    app = upload(open_page(LABEL, chosen, **JUDGED), lines.encode())
    account = "10 rows = 6 labels used + 1 repeated + 1 of another list, item, target or kind + 1 without a label"
    account += " + 1 without a verdict"
    assert account in bare(app.caption) and "“second” (1 label) is not read" in bare(app.warning)
    press(app, "Keep these labels")
    kept = open_page("pages/estimate.py", chosen, about="labels")
    assert account in bare(kept.caption) and "“second” (1 label) is not read" in bare(kept.warning)
    press(app, "Undo the last import")
    assert "rows =" not in bare(open_page("pages/estimate.py", chosen, about="labels").caption)


def test_a_file_that_was_read_waits_on_other_pages_until_it_is_kept(open_page, neyman_home, chosen):
    plan = plan_of(chosen, 8)[0]
    app = upload(open_page(LABEL, chosen, **JUDGED), filled(plan, "right", "Ann"))
    assert not any("Estimate from the labels" in str(link.proto) for link in app.get("page_link"))
    app = run(app.switch_page("pages/estimate.py"))
    assert "“anna.csv” was read, but its 8 labels are not kept yet. Until you keep them, a reload" in bare(app.warning)
    press(app, "Keep 8 labels")
    assert labels_in(neyman_home, plan) == [("Ann", "right")]
    assert "not kept yet" not in bare(app.warning) and "no labels yet" not in bare(app.info)


def test_the_list_is_fixed_in_the_run_that_keeps_its_labels(open_page, chosen, monkeypatch):
    app = upload(open_page(LABEL, chosen, **JUDGED), filled(plan_of(chosen, 8)[0], "right", "Ann"))
    reads, labels_of = [], Labels.of
    monkeypatch.setattr(Labels, "of", lambda *args, **names: reads.append(args) or labels_of(*args, **names))
    press(app, "Keep these labels")
    assert len(reads) == 1
    assert button(app, "Make a new list") and "8 new or changed labels kept" in bare(app.success)


def test_a_file_is_settled_again_only_where_what_is_asked_of_it_changes(open_page, chosen, monkeypatch):
    calls, settle = [], Labelling.settle
    monkeypatch.setattr(Labelling, "settle", lambda *args: calls.append(args) or settle(*args))
    app = upload(open_page(LABEL, chosen, **JUDGED), filled(plan_of(chosen, 8)[0], "right"))
    run(app)
    assert len(calls) == 1
    app.text_input(key="whose-anna.csv").set_value("Bob")
    run(app)
    assert len(calls) == 2
    press(app, "Keep these labels")
    assert len(calls) == 2 and "8 of 8 items" in bare(app.markdown)
    upload(app, filled(plan_of(chosen, 8)[0], "wrong"), "bob.csv")
    assert len(calls) == 3 and "8 labels kept before" not in bare(app.warning)


def test_right_answers_that_no_item_has_are_named(open_page, chosen):
    plan = plan_of(chosen, 8)[0]
    given = ["maybe??", "b", "ZZ", *"ABCDA"]
    app = upload(open_page(LABEL, chosen, **BACK), filled(plan, given, "Ann"))
    said = bare(app.warning)
    assert said == Saying("2 labels", "A, B, C, D (row 2: “", "Correct slips", "2 labels are not understood")
    assert all(f"= “{label}”" in said for label in ("maybe??", "ZZ")) and "count as right answers" not in said
    assert "write an option of the item" in said and "in the shell" not in said
    assert not upload(app, filled(plan, "A", "Ann"), "sound.csv").warning


def test_labels_that_were_kept_unread_do_not_count(open_page, neyman_home, chosen):
    plan = plan_of(chosen, 8)[0]
    Archive(neyman_home).plans.save(plan.plan_id, manifest.write(plan, "p"), chosen.digest, "2026-01-01T00:00:00+00:00")
    rows = labels.read(filled(plan, ["right", *["korrekt"] * 7], "Ann")).rows
    Archive(neyman_home).labels.save(plan.plan_id, rows, "2026-01-01T00:00:00+00:00", "csv", "right-wrong", "one")
    app = open_page(LABEL, chosen, **JUDGED)
    assert bare(app.caption) == Saying("on 1 item by 1 person", "7 further labels cannot be read")


def test_a_second_person_s_list_stands_beside_the_first_s(open_page, neyman_home, chosen):
    plan = plan_of(chosen, 8)[0]
    app = upload(open_page(LABEL, chosen, **JUDGED), filled(plan, "right"), "neyman-p0123456789ab-anna (1).csv")
    assert app.text_input[0].label == "Who gave these labels?" and app.text_input[0].value == "anna"
    press(app, "Keep these labels")
    upload(app, filled(plan, "wrong"), "ben.csv")
    assert bare(app.warning) == Saying("8 labels differ from other labels", "the most frequent counts")
    app.text_input[0].input("Ben")
    press(run(app), "Keep these labels")
    assert labels_in(neyman_home, plan) == [("anna", "right"), ("Ben", "wrong")]
    upload(app, filled(plan, "wrong"), "anna.csv")
    assert bare(app.warning) == Saying("8 labels kept before differ", "the same person", "will be replaced")


def test_a_file_that_names_its_people_asks_for_none(open_page, chosen):
    app = upload(open_page(LABEL, chosen, **JUDGED), filled(plan_of(chosen, 8)[0], "right", "Ann"))
    assert not app.text_input


def test_nobody_is_called_as_the_program_calls_its_own(open_page, chosen):
    app = upload(open_page(LABEL, chosen, **JUDGED), filled(plan_of(chosen, 8)[0], "right"))
    for name in ("(decision)", "(Pool)", "( no name )", "(no name)"):
        app.text_input[0].input(name)
        run(app)
        reserved = "( " not in name
        assert button(app, "Keep these labels").disabled == reserved, name
        assert ("is reserved" in bare(app.error)) == reserved, name


def test_the_last_import_is_taken_back_and_what_was_given_by_hand_stays(open_page, neyman_home, chosen):
    plan = plan_of(chosen, 8)[0]
    app = upload(open_page(LABEL, chosen, **JUDGED), filled(plan, "right", "Ann"))
    assert "Undo the last import" not in [one.label for one in app.button]
    press(app, "Keep these labels")
    press(upload(open_page(LABEL, chosen, **JUDGED), filled(plan, "wrong", "Ann")), "Keep these labels")
    by_hand = open_page(LABEL, chosen, **{**JUDGED, "part": "Label here"}, annotator="Ben")
    label(by_hand, "Wrong")
    app = open_page(LABEL, chosen, **JUDGED)
    assert bare(app.caption) == Saying("last import", "right/wrong")
    assert bare(app.caption) == Saying("changed 8 labels of Ann", "brings back")
    press(app, "Undo the last import")
    assert bare(app.success) == Saying("8 labels", "taken back")
    assert sorted(labels_in(neyman_home, plan)) == [("Ann", "right"), ("Ben", "wrong")]
    press(app, "Undo the last import")
    assert labels_in(neyman_home, plan) == [("Ben", "wrong")]
    assert "Undo the last import" not in [one.label for one in app.button]


def test_verdicts_given_as_right_answers_are_told(open_page, chosen):
    plan = plan_of(chosen, 8)[0]
    app = upload(open_page(LABEL, chosen, **BACK), filled(plan, ["right", "Wrong."] * 4, "Ann"))
    assert bare(app.warning) == Saying("this file", "right or wrong")
    press(app, "Read them as right/wrong labels")
    assert app.selectbox(key="label-kind").value == "right-wrong"
    assert "8 of 8 items" in bare(app.markdown) and not app.warning


def test_right_answers_given_as_verdicts_are_told(open_page, chosen):
    plan = plan_of(chosen, 8)[0]
    app = upload(open_page(LABEL, chosen, **JUDGED), filled(plan, [*"ABCDABCD"], "Ann"))
    assert bare(app.warning) == Saying("words other than right and wrong", "offered above")
    press(app, "Read them as right answers")
    assert app.selectbox(key="label-kind").value == "gold" and not app.warning


@pytest.mark.parametrize(("said", "offered"), [("0.7", "Read them as scores"), ("ganz gut", None)])
def test_a_list_of_verdicts_with_other_words_is_no_list_of_right_answers(open_page, chosen, said, offered):
    code = labels.target_code("one")
    lines = "".join(f"{item},{said},{code}\n" for item in plan_of(chosen, 8)[0].ids)
    app = upload(open_page(LABEL, chosen, **JUDGED), f"item_id,label,answers_of\n{lines}".encode())
    assert bare(app.warning) == Saying("words other than right and wrong")
    titles = [one.label for one in app.button if one.label.startswith("Read them")]
    assert titles == ([offered] if offered else [])
    if offered:
        press(app, offered)
        assert app.selectbox(key="label-kind").value == "score" and "8 of 8 items" in bare(app.markdown)


def test_answers_that_are_true_or_false_are_right_answers(open_page):
    rows = [{**row, "answer": ("true", "false")[n % 2]} for n, row in enumerate(records(40))]
    chosen = pool(rows, "true or false")
    app = upload(open_page(LABEL, chosen, **BACK), filled(plan_of(chosen, 8)[0], "true", "Ann"))
    assert not app.warning


def test_a_list_of_another_plan_leads_there(open_page, neyman_home, chosen):
    other = plan_of(chosen, 12, n_strata=3)[0]
    archive = Archive(neyman_home)
    archive.plans.save(other.plan_id, manifest.write(other, "p"), chosen.digest, "2026-01-01T00:00:00+00:00")
    content = filled(other, "A", "Ann", other.plan_id)
    app = upload(open_page(LABEL, chosen, **BACK), content)
    assert f"plan “{other.plan_id}”" in bare(app.error)
    press(app, f"Open plan {other.plan_id}")
    assert "12 of 12 items" in bare(app.markdown) and not app.error


def test_a_list_of_another_pool_names_it(open_page, neyman_home, chosen):
    there = pool(records(40, seed=9), "The other one")
    other, archive = plan_of(there, 8)[0], Archive(neyman_home)
    archive.pools.save(there, "2026-01-01T00:00:00+00:00")
    archive.plans.save(other.plan_id, manifest.write(other, "p"), there.digest, "2026-01-01T00:00:00+00:00")
    app = upload(open_page(LABEL, chosen, **BACK), filled(other, "A", "Ann", other.plan_id))
    assert bare(app.caption) == Saying("the pool “The other one”")


def test_outcomes_that_the_pool_cannot_know_are_not_offered(open_page):
    rows = [{**row, "targets": {"one": {"answer": "A"}}} for row in records(40, target=None)]
    for row in rows:
        row.pop("answer", None)
    truthless = pool(rows, "no truths")
    app = open_page(LABEL, truthless, **JUDGED)
    assert "Take the outcomes that the pool knows" not in [one.label for one in app.button]
    assert bare(app.caption) == Saying("cannot say", "answers are right")
    # Whoever has labels needs no others.
    app = press(upload(app, filled(plan_of(truthless, 8)[0], "right")), "Keep these labels")
    assert "8 new or changed labels kept" in bare(app.success) and "cannot say" not in bare(app.caption)


def test_outcomes_of_the_pool_are_nobody_s_labels(open_page, neyman_home, chosen):
    app = press(open_page(LABEL, chosen, **JUDGED), "Take the outcomes that the pool knows")
    assert set(Archive(neyman_home).labels.of(plan_of(chosen, 8)[0].plan_id)["annotator"]) == {"(pool)"}
    assert "on 8 items." in bare(app.caption), "by nobody"


def test_a_file_s_name_says_whose_it_is():
    assert person_of("neyman-p0123456789ab.csv") == ""
    assert person_of("neyman-p0123456789ab (2).csv") == ""
    assert person_of("neyman-p0123456789ab-without-label_Ben.xlsx") == "Ben"
    assert person_of("anna_b.csv") == "anna b"
    assert person_of("neyman-p0123456789ab.label-studio.json") == ""
