"""Items on which people disagree: walked through, decided, and decisions withdrawn."""

from __future__ import annotations

import pandas as pd

from core.archive import Archive
from core.words import value
from tests.core.wording import Saying
from tests.pages.conftest import table
from tests.pages.estimate.conftest import (
    ESTIMATE,
    FIRST,
    SECOND,
    bare,
    gold,
    headline_number,
    judged,
    keep,
    plan_of,
    press,
    text,
    two_targets,
)
from tests.pages.pools import pool, records


def test_a_decision_about_one_target_decides_nothing_about_another(open_page, neyman_home):
    questions = two_targets()
    plan, _ = plan_of(questions, 40)
    item = str(plan.ids[3])
    for name in ("one", "two"):
        given = judged(questions, plan.ids, name)
        keep(neyman_home, questions, plan, given, "right-wrong", name)
        other = {"right": "wrong", "wrong": "right"}[given[item]]
        keep(neyman_home, questions, plan, {item: other}, "right-wrong", name, annotator="Ben")
    app = open_page(ESTIMATE, questions, target="one")
    press(app, "“wrong” counts")
    assert "undecided" not in text(app) and "of 40 planned labels" not in text(app)
    app = open_page(ESTIMATE, questions, target="two")
    assert text(app) == Saying("1 item is undecided") and "of 40 planned labels" not in text(app)
    rows = Archive(neyman_home).labels.of(plan.plan_id)
    assert rows.loc[rows["annotator"] == "(decision)", "target"].tolist() == ["one"]


def test_ties_are_walked_through_decided_and_decisions_withdrawn(open_page, neyman_home):
    questions = two_targets()
    plan, _ = plan_of(questions, 40)
    tied = [str(item) for item in plan.ids[2:5]]
    given = judged(questions, plan.ids, "two")
    keep(neyman_home, questions, plan, given, "right-wrong", "two")
    turned = {item: {"right": "wrong", "wrong": "right"}[given[item]] for item in tied}
    rows = pd.DataFrame(
        {"item_id": tied, "label": turned.values(), "annotator": "Ben", "note": [None, "why not", None]}
    )
    Archive(neyman_home).labels.save(plan.plan_id, rows, SECOND, "csv", "right-wrong", "two")
    app = open_page(ESTIMATE, questions, target="two")
    assert text(app) == Saying("3 items wait", "3 disputed") and app.tabs[0].label == "Disputes (3)"
    assert "3 items are undecided" in text(app) and "1 of 3" in text(app)
    assert text(app).index(headline_number(app)) < text(app).index("3 items are undecided"), "the number comes first"
    assert " % to " in headline_number(app) and text(app) == Saying("depending on", "3 disputed items")
    # The headline's range is not the interval, which stands below.
    low, high = headline_number(app).split(" to ")
    assert f" gets {low} to {high} right" in text(app)
    assert text(app) == Saying("95 % confidence interval", "whichever way they are settled")
    press(app, "Next")
    item = questions.items.loc[tied[1]]
    shown = "\n".join(t.value for t in app.text)
    assert item["prompt"] in shown and "A. w" in shown and "Answer to judge" in text(app)
    assert table(app, 0)["Note"].tolist() == ["", "why not"] and table(app, 0)["Person"].tolist() == ["Ann", "Ben"]
    assert app.button(key="disputed-next").disabled is False and "2 of 3" in text(app)
    press(app, "“right” counts")
    assert "2 items are undecided" in text(app) and "3 of 3" in text(app), "the next one that waits"
    press(app, "“right” counts")
    press(app, "“right” counts")
    assert "undecided" not in text(app) and "from 40 labels" in text(app) and " to " not in headline_number(app)
    assert app.button(key="disputed-previous").disabled
    press(app, "Next")
    assert "What counts, by decision: right" in text(app) and "2 of 3" in text(app)
    press(app, "Withdraw the decision")
    assert "1 item is undecided" in text(app) and "Undecided: " in text(app)
    assert (Archive(neyman_home).labels.of(plan.plan_id)["annotator"] == "(decision)").sum() == 2
    press(app, "“wrong” counts")
    assert "undecided" not in text(app) and "What counts, by decision: wrong" in text(app)


def test_decisions_under_several_budgets_are_one(open_page, neyman_home):
    """A for 20 labels, then B for 40, then A again for 20; and once withdrawn, neither counts."""
    questions = two_targets()
    small, large = (plan_of(questions, budget)[0] for budget in (20, 40))
    item = str(small.ids[2])
    for plan in (small, large):
        keep(neyman_home, questions, plan, judged(questions, plan.ids, "two"), "right-wrong", "two")
    ours = judged(questions, [item], "two")[item]
    other = {"right": "wrong", "wrong": "right"}[ours]
    keep(neyman_home, questions, large, {item: other}, "right-wrong", "two", SECOND, "Ben")

    def opened(plan):
        return open_page(ESTIMATE, questions, target="two", says="Right or wrong", plan=plan.plan_id, about="disputes")

    press(opened(small), f"“{ours}” counts")
    press(opened(large), f"“{other}” counts")
    app = opened(small)
    assert f"What counts, by decision: {other}" in text(app)
    press(app, f"“{ours}” counts")
    app = opened(large)
    assert f"What counts, by decision: {ours}" in text(app)
    press(app, "Withdraw the decision")
    for shown in (app, opened(small)):
        assert "1 item is undecided" in text(shown)


def test_a_tie_between_answers_with_commas_is_decided(open_page, neyman_home):
    rows = [{**row, "answer": "1, 2", "targets": {"one": {"answer": "1, 2"}}} for row in records()]
    questions = pool(rows, "commas")
    plan, _ = plan_of(questions, 20)
    item = str(plan.ids[0])
    keep(neyman_home, questions, plan, gold(questions, plan.ids), "gold")
    keep(neyman_home, questions, plan, {item: "2: 1, 3"}, "gold", annotator="Ben")
    app = open_page(ESTIMATE, questions)
    assert questions.items.at[item, "prompt"] in [t.value for t in app.text]
    shown = [bare(button.label) for button in app.button if "counts" in button.label]
    assert shown == ["“1, 2” counts", "“2: 1, 3” counts"]
    press(app, "“2: 1, 3” counts")
    assert "from 20 labels" in text(app) and headline_number(app) != value(1.0, True)


def test_where_every_item_is_tied_the_page_says_that_there_is_no_estimate_yet(open_page, neyman_home):
    questions = two_targets()
    plan, _ = plan_of(questions, 12)
    for person, label in (("Ann", "right"), ("Ben", "wrong")):
        keep(
            neyman_home, questions, plan, dict.fromkeys(map(str, plan.ids), label), "right-wrong", "two", FIRST, person
        )
    app = open_page(ESTIMATE, questions, target="two")
    assert text(app) == Saying("no estimate", "ties", "12 labelled items")
    assert text(app) == Saying("12 items wait", "12 disputed") and not headline_number(app)
    press(app, "Back to the list")
    assert app.title[0].value == "Label"


PAGES = ("app.py", "pages/plan.py", "pages/pool.py", "pages/explore.py", "pages/lab.py")


def test_every_page_shows_the_range_while_disputes_are_open(open_page, neyman_home):
    rows = [{**row, "targets": {"two": {"text": f"said {place}"}}} for place, row in enumerate(records(300))]
    questions = pool([{name: one for name, one in row.items() if name != "answer"} for row in rows], "new questions")
    plan, _ = plan_of(questions, 60)
    given = {str(item): "wrong" if place % 4 == 0 else "right" for place, item in enumerate(plan.ids)}
    keep(neyman_home, questions, plan, given, "right-wrong", "two")
    keep(neyman_home, questions, plan, dict.fromkeys(list(given)[1:4], "wrong"), "right-wrong", "two", annotator="Ben")
    query = {"target": "two", "plan": plan.plan_id, "kind": "right-wrong"}
    number = headline_number(open_page(ESTIMATE, questions, **query))
    shown = bare(number)
    assert " to " in shown
    for page in PAGES:
        app = open_page(page, questions, target="two")
        said = bare("\n".join([text(app), *(one.value for one in (*app.title, *app.subheader))]))
        assert f"right on {shown} of all items" in said, page
        assert "depends on how 3 disputed items are settled" in said, page
