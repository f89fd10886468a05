"""Page Judge: before labels, the list, after labels, and pools without a judge."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pandas as pd
import pytest

import core as neyman
from core.archive import Archive
from core.judge import labelling
from core.pool import Pool
from pages.parts.app.address import VERSION
from tests.core.judge.pools import people_of, records_of
from tests.core.wording import Saying
from tests.pages.conftest import CREATED, OpenPage, bare, button, figures, messages, press, run, sentences
from tests.pages.first_sight import crowded
from tests.pages.uploads import role, upload

PAGE, SIZE = "pages/judge.py", 400
LIST, NUMBERS, STORY = ({"judge-part": part} for part in ("list", "numbers", "story"))
FORECAST = "know the corrected pass rate within"


def pool_with(**more: object) -> Pool:
    """Outputs with a judge's verdicts and what people say, as page Pool reads a table."""
    people = people_of(SIZE)
    rows = []
    for row in records_of(SIZE):
        one = {"id": row["id"], "prompt": row["input"], "targets": {"bot": {"text": row["output"]}}}
        one |= {name: row[name] for name in ("judge", "reason", "group")}
        rows.append(one | {"human": "pass" if people[row["id"]] else "fail"} | more)
    return Pool.from_records(rows, "outputs")


def sentence_of(pool: Pool) -> str:
    """What the labels of everybody say of the judge, on the list that these tests draw."""
    judged = neyman.judged(neyman.judge(pool, "judge", 100, seed=3), people_of(SIZE))
    return "\n".join(judged.lines).replace("\u00a0", " ")


def plain(elements: Iterable[Any]) -> str:
    return bare(elements).replace("\u00a0", " ")


def labelled_plan(home: Path, pool: Pool, count: int = 100) -> str:
    """A list whose first items have labels in the archive."""
    plan, people = neyman.judge(pool, "judge", 100, seed=3), people_of(SIZE)
    archive = Archive(home)
    archive.pools.save(pool, CREATED)
    labels = ["right" if people[item] else "wrong" for item in plan.ids[:count]]
    rows = pd.DataFrame({"item_id": plan.ids[:count], "label": labels, "annotator": "ann"})
    labelling(archive, plan, pool).save(archive, rows, "csv", CREATED)
    return plan.plan_id


def test_people_who_judged_some_items_are_told_what_that_says_and_are_no_list(
    open_page: OpenPage, downloads: dict
) -> None:
    rows = [{"id": str(row), "judge": row % 4 > 0, "prompt": "?"} for row in range(40)]
    for row in rows[:12]:
        row["human"] = "pass" if row["judge"] else "fail"
    pool, query = Pool.from_records(rows, "outputs"), {"people": "human", "judge": "judge", "budget": 20, "seed": 3}
    app = open_page(PAGE, pool, **query)
    assert not app.error and "on the 12 of 40 items that have one" in bare(app.markdown)
    assert FORECAST in bare(app.markdown)
    # If they were drawn at random, they say it of all items; the forecast assumes what they say, unless somebody does.
    assumed = "the judge passes 97 % of the good answers and catches 89 % of the failures"
    assert assumed in bare(app.caption).replace("\u00a0", " ")
    app.number_input(key="believed-tnr").set_value(70.0).run()
    assert app.query_params["believed-tnr"] == "70" and "catches 70" in bare(app.caption)
    app = open_page(PAGE, pool, **query, **NUMBERS)
    assert app.dataframe[0].value.iloc[0].tolist() == ["Corrected pass rate", "75.0 %", "57.5 % to 89.2 %"]
    assert "57.5" in downloads["Report (HTML)"]() and "57.5" in downloads["Numbers as CSV"]()


def test_a_pool_without_a_judge_says_what_one_is_and_shows_one(open_page: OpenPage) -> None:
    app = open_page(PAGE, Pool.from_records([{"id": str(number), "prompt": "?"} for number in range(30)]))
    assert "pass and fail" in messages(app, "info")[0] and not app.error and crowded(app) == []
    assert "An example" in bare(app.caption) and "Corrected pass rate" in bare(app.markdown)
    (drawn,) = figures(app)
    # The judge's own pass rate, the corrected one, and the true one, each as a bar and a mark.
    assert len(drawn["data"]) == 6
    assert press(app, "Bring a file with a judge’s verdicts").title[0].value == "Pool"


def test_before_labels_it_says_what_a_budget_buys(open_page: OpenPage) -> None:
    app = open_page(PAGE, pool_with(), budget=100, seed=1)
    assert not app.error and FORECAST in bare(app.markdown) and crowded(app) == []
    assert "among 100 labels, and the share of failures caught within" in bare(app.caption)
    (drawn,) = figures(app)
    assert {trace["name"] for trace in drawn["data"]} == {"failures caught", "pass rate", "good answers passed"}


def test_beliefs_move_the_forecast(open_page: OpenPage) -> None:
    usual = open_page(PAGE, pool_with(), budget=100, seed=1)
    other = open_page(PAGE, pool_with(), budget=100, seed=1, **{"believed-fails": 40})
    assert bare(usual.caption) != bare(other.caption)


def test_the_tables_show_budgets_and_precisions(open_page: OpenPage) -> None:
    app = open_page(PAGE, pool_with(), budget=100, seed=1)
    assert not app.error and len(app.dataframe) == 2


def test_the_list_is_blind(open_page: OpenPage, downloads: dict) -> None:
    open_page(PAGE, pool_with(), budget=50, seed=1, **LIST)
    listed = downloads["List as CSV"]()
    assert "target_answer" in listed and "because of" not in listed
    assert len(listed.splitlines()) == 51


def test_the_list_goes_to_the_desk(open_page: OpenPage) -> None:
    app = press(open_page(PAGE, pool_with(), budget=50, seed=1), "Label 50 items")
    assert app.title[0].value == "Label" and not app.error
    assert any("Checks the judge" in bare([caption]) for caption in app.caption)


def test_labels_that_came_in_are_held_against_the_judge(open_page: OpenPage, neyman_home: Path) -> None:
    pool = pool_with()
    plan = labelled_plan(neyman_home, pool)
    app = open_page(PAGE, pool, plan=plan)
    assert not app.error and sentence_of(pool) in plain(app.markdown)
    assert re.search("(rusted|Undecided)\\]", " ".join(sentences(app)))
    assert crowded(app) == []
    # Pass rates, and both rates with what they have to reach.
    assert len(figures(app)) == 2 and not app.dataframe
    assert len(open_page(PAGE, pool, plan=plan, **NUMBERS).dataframe) == 2


def test_a_list_that_is_begun_says_how_many_items_are_left(open_page: OpenPage, neyman_home: Path) -> None:
    pool = pool_with()
    plan = labelled_plan(neyman_home, pool, 60)
    assert button(open_page(PAGE, pool, plan=plan), "Label 40 items")


def test_whoever_comes_back_goes_on_with_the_list_that_has_labels(open_page: OpenPage, neyman_home: Path) -> None:
    pool = pool_with()
    labelled_plan(neyman_home, pool)
    app = open_page(PAGE, pool, v=VERSION)
    assert sentence_of(pool) in plain(app.markdown) and button(app, "Make a new list")
    again = press(app, "Make a new list")
    assert not again.error and FORECAST in bare(again.markdown)


def test_thresholds_decide(open_page: OpenPage, neyman_home: Path) -> None:
    pool = pool_with()
    plan = labelled_plan(neyman_home, pool)
    low = open_page(PAGE, pool, plan=plan, **{"least-tpr": 60, "least-tnr": 30})
    assert "green-badge" in bare(low.markdown) and "Trusted]" in bare(low.markdown)


@pytest.mark.parametrize("score", [False, True])
def test_a_file_with_verdicts_of_a_judge_and_of_people_needs_no_list(open_page: OpenPage, score: bool) -> None:
    """People's verdicts that were chosen as a target's score could not be held against the judge."""
    good, bad = "correct", "incorrect"
    rows = [f"c{n},{bad if n % 4 else good},{(good if n % 5 else bad) if n % 8 == 7 else ''}" for n in range(160)]
    content = "\n".join(["chat_no,judge_verdict,human_verdict", *rows]).encode()
    app = upload(open_page("pages/pool.py"), ("verdicts.csv", content))
    if score:
        role(app, "Target’s score").set_value("human_verdict")
        run(app)
    press(app, "Use this file")
    assert "judge “judge_verdict”" in plain(app.markdown).replace("\\", "")
    app = open_page(PAGE, pool=app.query_params["pool"], budget=20, seed=3)
    assert app.selectbox(key="judge").value == "judge_verdict"
    press(app, "People gave the verdicts in “human")
    assert plain(app.markdown).replace("\\", "") == Saying("“human_verdict” says so, on the 20 of 160 items that have")


def test_peoples_verdicts_may_be_a_column(open_page: OpenPage, downloads: dict) -> None:
    app = open_page(PAGE, pool_with(), people="human", budget=100, seed=3, judge="judge")
    assert not app.error and sentence_of(pool_with()).replace("\n", " ")[1:] in plain(app.markdown)
    # All items have one, so that a sample's verdict is none beside theirs.
    assert len([one for one in app.main.markdown if one.value.startswith("## ")]) == 1
    assert len([one for one in app.main.markdown if "rusted]" in one.value or "Undecided]" in one.value]) == 1
    open_page(PAGE, pool_with(), people="human", budget=100, seed=3, judge="judge", **NUMBERS)
    document = json.loads(downloads["All numbers as JSON"]())
    assert document["labels"] == 100 and document["judge"] == "judge"
    open_page(PAGE, pool_with(), people="human", budget=100, seed=3, judge="judge", **{"judge-part": "read"})
    assert "because of" in downloads["Failures as CSV"]()


def keyed_pool(known: int = SIZE, **targets: str) -> Pool:
    """Outputs with a judge's verdicts, and right answers to the first items."""
    rows = []
    for place, row in enumerate(records_of(SIZE)):
        good = people_of(SIZE)[row["id"]]
        said = {name: {"answer": text if good else "C"} for name, text in (targets or {"bot": "B"}).items()}
        one = {"id": row["id"], "prompt": row["input"], "judge": row["judge"], "targets": said}
        rows.append(one | ({"answer": "B"} if place < known else {}))
    return Pool.from_records(rows, "keyed")


def test_what_right_answers_say_of_the_judge_comes_first_and_is_what_the_forecast_rests_on(
    open_page: OpenPage,
) -> None:
    app = open_page(PAGE, keyed_pool(), budget=100, seed=1)
    (found,) = [one.value for one in app.main.markdown if one.value.startswith("## ")]
    assert found.startswith("## True pass rate of bot") and "Expect" in plain(app.markdown)
    assert "no labels are needed for that" in plain(app.markdown) and "As known: the judge passes" in plain(app.caption)
    assert "believed-tpr" not in [one.key for one in app.number_input]
    assert "rusted]" in bare(open_page(PAGE, keyed_pool(), budget=100, seed=1, **{"judge-part": "trust"}).markdown)


def test_few_labels_make_no_second_headline_beside_what_right_answers_say(
    open_page: OpenPage, neyman_home: Path
) -> None:
    pool = keyed_pool()
    labelled_plan(neyman_home, pool)
    app = open_page(PAGE, pool, v=VERSION)
    (headline,) = [one.value for one in app.main.markdown if one.value.startswith("## ")]
    assert "of bot" in headline
    assert plain(app.markdown) == Saying("disagree with the file’s right answers on 0 of 100", "By the labels alone:")


def test_of_two_models_the_page_asks_which_one_the_judge_graded(open_page: OpenPage) -> None:
    pool = keyed_pool(v1="B", v2="B")
    app = open_page(PAGE, pool, budget=100, seed=1)
    assert plain(app.markdown) == Saying("of v1", "of v2")
    # Nobody labels answers of a model that the judge has not seen, or the right answers in their place.
    assert not any(one.label.startswith("Label 100") for one in app.button)
    chosen = press(app, "v2")
    assert "of v1" not in plain(chosen.markdown) and "of v2" in plain(chosen.markdown)
    assert button(chosen, "Label 100 items") and not messages(chosen, "info")


def test_a_column_of_peoples_verdicts_is_offered_in_sight(open_page: OpenPage) -> None:
    app = press(open_page(PAGE, pool_with(), budget=100, seed=3, judge="judge"), "People gave the verdicts in “human”")
    assert app.query_params["people"] == "human"
    assert plain(app.markdown) == Saying("The column “human” says so, on all 400 items")
    assert "of one person" not in plain(app.caption)


def test_another_judge_is_compared_and_the_report_is_a_file(open_page: OpenPage, downloads: dict) -> None:
    pool = pool_with(second="pass")
    query = {"people": "human", "budget": 100, "seed": 3, "judge": "judge", "beside": "second"}
    app = open_page(PAGE, pool, **query, **{"judge-part": "beside"})
    assert not app.error and bare(app.markdown) == Saying("compared with “second”")
    page = downloads["Report (HTML)"]()
    assert "Compared with another judge" in page and "Made " in page
    open_page(PAGE, pool, **query, **NUMBERS)
    assert neyman.judge.reproduce(downloads["Bundle to reproduce it"](), pool).n_labels == 100


def test_groups_are_shown_when_they_are_opened(open_page: OpenPage) -> None:
    app = open_page(PAGE, pool_with(), people="human", budget=100, seed=3, **{"judge-part": "groups"})
    assert not app.error and app.dataframe[0].value["group"].nunique() > 1


def test_scores_need_the_score_from_which_they_pass(open_page: OpenPage) -> None:
    rows = [{"id": str(number), "judge": number % 5 + 1} for number in range(60)]
    asking = open_page(PAGE, Pool.from_records(rows))
    assert messages(asking, "info")[0] == Saying("score from which", "passes")
    given = open_page(PAGE, Pool.from_records(rows), **{"pass-from": 4})
    assert not given.error and "It passes 40" in bare(given.caption)


def test_words_of_a_judge_are_asked_for_once(open_page: OpenPage) -> None:
    rows = [{"id": str(number), "my judge": "gut" if number % 4 else "schlecht"} for number in range(60)]
    asking = open_page(PAGE, Pool.from_records(rows))
    assert messages(asking, "info")[0] == Saying("which", "mean pass")
    given = open_page(PAGE, Pool.from_records(rows), **{"pass-words": "gut"})
    assert not given.error and "It passes 75" in bare(given.caption)


def test_a_slip_of_a_judge_may_mean_fail(open_page: OpenPage) -> None:
    """Of one word that nobody knows, page Judge once took pass alone."""
    for slip, rest in (("fail?", ("pass", "fail")), (5, (1, 0))):
        rows = [{"id": str(n), "judge": slip if n == 7 else rest[n % 2]} for n in range(60)]
        if isinstance(slip, str):
            rows = [row | {"judge": str(row["judge"])} for row in rows]
        asking = open_page(PAGE, Pool.from_records(rows))
        assert messages(asking, "info")[0] == Saying(f"“{slip}”", "mean pass", "others then mean fail")
        given = open_page(PAGE, Pool.from_records(rows), **{"pass-words": "None of these"})
        assert not given.error and "It passes 50" in bare(given.caption)


def test_people_who_use_the_words_of_the_judge_need_no_list(open_page: OpenPage) -> None:
    """A column of people was left out without a word where its words had a meaning by the judge's alone."""
    rows = [
        f"c{n},{'NOK' if n % 4 == 0 else 'OK'},{('OK' if n % 5 else 'NOK') if n % 8 > 5 else ''}" for n in range(160)
    ]
    content = "\n".join(["conv,grader_llm,reviewer", *rows]).encode()
    app = press(upload(open_page("pages/pool.py"), ("judged.csv", content)), "Use this file")
    app = open_page(PAGE, pool=app.query_params["pool"], budget=20, seed=3, **{"pass-words": "ok"})
    assert app.selectbox(key="judge").value == "grader_llm" and not app.error
    press(app, "People gave the verdicts in “reviewer”")
    assert plain(app.markdown) == Saying("“reviewer” says so, on the 40 of 160 items that have")


def test_words_of_people_that_nobody_knows_are_asked_for(open_page: OpenPage, neyman_home: Path) -> None:
    said = ["top", "flop", "egal"]
    rows = [f"c{n},{'fail' if n % 4 == 0 else 'pass'},{said[n % 3] if n % 8 > 5 else ''},ann" for n in range(160)]
    content = "\n".join(["conv,grader_llm,reviewer,reviewer_initials", *rows]).encode()
    app = press(upload(open_page("pages/pool.py"), ("judged.csv", content)), "Use this file")
    pool = app.query_params["pool"]
    app = open_page(PAGE, pool=pool, budget=20, seed=3)
    (asked,) = [one.label for one in app.expander if "does not know" in one.label]
    assert asked.startswith("“reviewer” has words") and all(f"“{word}”" in asked for word in said)
    assert not any("People gave" in one.label for one in app.button)
    for word, meaning in zip(said, ("right", "wrong", "skip"), strict=True):
        app.segmented_control(key=f"unknown-word-{word}").set_value(meaning)
    press(app, "Use these meanings")
    assert plain(app.markdown) == Saying("“top” as right (14)", "“egal” as no verdict (13)")
    press(app, "People gave the verdicts in “reviewer”")
    assert plain(app.markdown) == Saying("“reviewer” says so, on the 27 of 160 items that have")
    # The home remembers them; who forgets them is asked again.
    press(app, "Forget these words")
    assert any("does not know" in one.label for one in app.expander)


def test_items_without_a_verdict_are_counted(open_page: OpenPage) -> None:
    rows = [{"id": str(number), "judge": "pass" if number % 3 else None} for number in range(60)]
    app = open_page(PAGE, Pool.from_records(rows))
    assert "20 of 60 items have no verdict" in bare(app.info)


@pytest.mark.parametrize("query", [{"judge": "nobody"}, {"people": "nobody"}, {"plan": "p000000000000"}, {"seed": "x"}])
def test_nonsense_in_the_address_is_harmless(open_page: OpenPage, query: dict[str, str]) -> None:
    app = open_page(PAGE, pool_with(), **query)
    assert not app.error and app.title


@pytest.mark.parametrize("label", ["See it on answers of GPT-4", "See it on pairs of outputs"])
def test_a_bundled_judge_is_one_click_away_and_tells_its_story(open_page: OpenPage, label: str) -> None:
    link = next(one for one in open_page(PAGE, pool_with()).get("page_link") if one.proto.label.startswith(label))
    query = {name: values[-1] for name, values in parse_qs(link.proto.query_string).items()}
    app = open_page(PAGE, **query, **STORY)
    said = bare([*app.markdown, *app.caption])
    assert not app.error and said == Saying("catches", "failures", "good answers")
    assert "People’s verdicts on all" in said and "half passes and half fails" in said
    assert "licence" in said.lower()
    own = next(one for one in app.get("page_link") if one.proto.label.startswith("Check your own judge"))
    assert own.proto.page == "pool" and parse_qs(own.proto.query_string) == {"v": [str(VERSION)]}


def graded_pool() -> Pool:
    """Outputs with a lenient judge's grades."""
    rows = [
        {"id": f"i{number}", "prompt": f"q {number}", "targets": {"bot": {"text": f"a {number}"}}}
        | {"judge score": min(number % 5 + 1 + number % 2, 5)}
        for number in range(200)
    ]
    return Pool.from_records(rows, "graded")


def test_a_judge_that_grades_is_checked_in_grades(open_page: OpenPage, neyman_home: Path, downloads: dict) -> None:
    pool = graded_pool()
    asking = open_page(PAGE, pool)
    assert messages(asking, "info")[0] == Saying("score from which", "grades")
    chosen = {"judge-scale": "1-5", "budget": 60, "seed": 3}
    begun = open_page(PAGE, pool, **chosen, **LIST)
    assert not begun.error and "Grade 60 items to see" in bare(begun.markdown)
    assert "score:1-5" in downloads["List as CSV"]() and "judge score" not in downloads["List as CSV"]()
    desk = press(open_page(PAGE, pool, **chosen), "Label 60 items")
    assert desk.title[0].value == "Label" and not desk.error and "items to label with a grade" in bare(desk.markdown)

    plan = neyman.judge(pool, "judge score", 60, seed=3, scale=(1, 5))
    archive = Archive(neyman_home)
    archive.pools.save(pool, CREATED)
    given = {str(item): int(str(item)[1:]) % 5 + 1 for item in plan.ids}
    rows = pd.DataFrame({"item_id": list(given), "label": list(map(str, given.values())), "annotator": "ann"})
    labelling(archive, plan, pool).save(archive, rows, "csv", CREATED)
    one = neyman.judge.graded(plan, given, at_least=3)
    app = open_page(PAGE, pool, plan=plan.plan_id, **{"judge-good-from": 3, "most-bias": 2})
    said = plain(app.markdown)
    assert not app.error and len(figures(app)) == 1 and len(app.dataframe) == 1
    assert all(line.removesuffix(".").replace("\u00a0", " ") in said for line in one.lines)
    assert "green-badge" in said and "Trusted]" in said
    facts = json.loads(downloads["All numbers as JSON"]())
    assert facts["corrected"]["value"] == one.corrected.value and facts["most_bias"] == 2
    assert neyman.reproduce(downloads["Bundle to reproduce it"](), pool).estimate().value == one.corrected.value
    off = open_page(PAGE, pool, plan=plan.plan_id, **{"judge-good-from": 9})
    assert not off.error and "tell nothing apart" in bare(off.info)


def test_weights_are_followed_without_a_forecast(open_page: OpenPage) -> None:
    rows = [
        {"id": str(n), "judge": n % 4 > 0, "other": n % 3 > 0, "prompt": "?", "traffic": 1 + n % 5} for n in range(60)
    ]
    for row in rows:
        row["human"] = "pass" if (row["judge"]) != (int(row["id"]) % 7 == 0) else "fail"
    pool = Pool.from_records(rows, "outputs").weighted("traffic")
    app = open_page(PAGE, pool, judge="judge", budget=20, seed=3)
    assert not app.error and "is not forecast" in bare(app.markdown) and "by weight" in bare(app.caption)
    known = open_page(PAGE, pool, judge="judge", people="human", budget=20, seed=3)
    weights, right = pool.weights, [row["human"] == "pass" for row in rows]
    assert not known.error and f"{100 * (weights @ right) / 60:.1f}" in bare(known.markdown)
    assert "With every item counted once: corrected pass rate" in bare(known.caption)
