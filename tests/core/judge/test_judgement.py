"""From labels to what is said of a judge: estimates, words, refusals, files of labels, failures to read."""

from __future__ import annotations

import math
from pathlib import Path

import pandas as pd
import pytest

import core as neyman
from core.design import Design
from core.errors import DesignError, LabelError
from core.judge import Judgement, request
from core.judge.summary import rows_of
from core.pool import Pool
from tests.core.judge.pools import people_of, pool_of
from tests.core.wording import Saying
from tests.headlines import faults

SIZE = 400


@pytest.fixture(scope="module")
def plan() -> neyman.Plan:
    return neyman.judge(pool_of(SIZE, risk=True), "judge", 100, seed=5)


@pytest.fixture(scope="module")
def judgement(plan: neyman.Plan) -> Judgement:
    return neyman.judged(plan, people_of(SIZE))


def test_with_every_label_all_numbers_are_exact() -> None:
    pool, people = pool_of(SIZE), people_of(SIZE)
    one = neyman.judged(neyman.judge(pool, "judge", SIZE, seed=1), people)
    judge = {item: verdict == "pass" for item, verdict in pool.items["judge"].items()}
    good, bad = [i for i, passes in people.items() if passes], [i for i, passes in people.items() if not passes]
    assert one.pass_rate.value == pytest.approx(len(good) / SIZE)
    assert one.tpr.value == pytest.approx(sum(judge[i] for i in good) / len(good))
    assert one.tnr.value == pytest.approx(sum(not judge[i] for i in bad) / len(bad))
    assert one.agreement.value == pytest.approx(sum(judge[i] == people[i] for i in people) / SIZE)
    assert one.pass_rate.low == one.pass_rate.high == pytest.approx(one.pass_rate.value)


def test_the_pass_rate_is_that_of_the_plan(plan: neyman.Plan, judgement: Judgement) -> None:
    losses = {item: 1.0 - passes for item, passes in people_of(SIZE).items()}
    assert judgement.pass_rate.value == pytest.approx(1 - plan.estimate(losses).value)


def test_parts_belong_together(judgement: Judgement) -> None:
    table = judgement.confusion()
    assert table["share"].sum() == pytest.approx(1) and table["labels"].sum() == 100
    assert table["items"].sum() == pytest.approx(SIZE)
    assert judgement.bias.value == pytest.approx(judgement.judge_only - judgement.pass_rate.value)
    fails = table[table["judge"] == "fail"].set_index("people")["share"]
    assert judgement.precision_fail.value == pytest.approx(fails["fail"] / fails.sum())
    passes = table[table["judge"] == "pass"].set_index("people")["share"]
    assert judgement.precision_pass.value == pytest.approx(passes["pass"] / passes.sum())


def test_estimates_say_what_they_are(judgement: Judgement) -> None:
    assert repr(judgement.pass_rate).startswith("Estimate of Corrected pass rate")
    assert judgement.tnr.n_labels == 100 and judgement.tnr.standard_error > 0


def test_a_file_a_frame_and_a_mapping_say_the_same(plan: neyman.Plan, judgement: Judgement, tmp_path: Path) -> None:
    people = people_of(SIZE)
    filled = request(plan)
    filled["label"] = ["pass" if people[item] else "fail" for item in filled["item_id"]]
    path = tmp_path / "filled.csv"
    filled.to_csv(path, index=False)
    words = {item: "pass" if passes else "fail" for item, passes in people.items()}
    for labels in (path, filled, path.read_bytes(), words, pd.Series(people)):
        assert neyman.judged(plan, labels).pass_rate == judgement.pass_rate


def test_other_words_count_once_they_have_a_meaning(plan: neyman.Plan, judgement: Judgement) -> None:
    filled = request(plan)
    filled["label"] = ["bien" if people_of(SIZE)[item] else "mal" for item in filled["item_id"]]
    with pytest.raises(LabelError, match="bien"):
        neyman.judged(plan, filled)
    assert neyman.judged(plan, filled, {"bien": "pass", "mal": "fail"}).pass_rate == judgement.pass_rate


def test_people_who_disagree_are_settled_by_the_majority(plan: neyman.Plan, judgement: Judgement) -> None:
    people = people_of(SIZE)
    rows = [
        {"item_id": item, "label": "pass" if people[item] == agrees else "fail", "annotator": person}
        for item in plan.ids
        for person, agrees in (("ann", True), ("bob", True), ("eve", False))
    ]
    assert neyman.judged(plan, pd.DataFrame(rows)).pass_rate == judgement.pass_rate


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ({"annotator": "bob", "label": "pass"}, "in dispute"),
        ({"status": "rejected"}, "without a verdict"),
        ({"status": "discarded"}, "without a verdict"),
        ({"plan_id": "p000000000000"}, "without a verdict"),
    ],
    ids=str,
)
def test_misses_whose_label_does_not_count_widen_the_limits(
    plan: neyman.Plan, judgement: Judgement, cells: dict[str, str], said: str
) -> None:
    labels = judgement.labels
    missed = set(labels.loc[(labels["judge"] == "pass") & (labels["people"] == "fail"), "item_id"])
    rows = [{"item_id": row.item_id, "label": row.people, "annotator": "ann"} for row in labels.itertuples()]
    odd = [{**row, **cells} for row in rows if row["item_id"] in missed]
    kept = rows if "annotator" in cells else [row for row in rows if row["item_id"] not in missed]
    one = neyman.judged(plan, pd.DataFrame([*kept, *odd]))
    assert missed and f", {len(missed)} {said}" in one.title
    assert one.tnr.low <= judgement.tnr.low and one.tnr.value == 1


def test_part_of_the_labels_is_enough_and_is_said(plan: neyman.Plan) -> None:
    people = people_of(SIZE)
    one = neyman.judged(plan, {item: people[item] for item in plan.ids[:60]})
    assert one.n_labels == 60 and any("60 of 100 items" in remark for remark in one.remarks)


def test_labels_of_items_chosen_elsewhere_are_refused(plan: neyman.Plan) -> None:
    others = {item: True for item in people_of(SIZE) if item not in set(plan.ids)}
    with pytest.raises(LabelError, match="by up to 35 points"):
        neyman.judged(plan, others)
    frame = pd.DataFrame({"item_id": list(others), "label": "pass"})
    with pytest.raises(LabelError, match="by up to 35 points"):
        neyman.judged(plan, frame)


def test_labels_of_items_chosen_elsewhere_do_not_count_beside_those_of_the_list(plan: neyman.Plan) -> None:
    people = people_of(SIZE)
    rows = [{"item_id": item, "label": "pass" if people[item] else "fail"} for item in people]
    whole, some = pd.DataFrame(rows), [row for row in rows if row["item_id"] in set(plan.ids[:50])]
    others = [row for row in rows if row["item_id"] not in set(plan.ids)]
    assert neyman.judged(plan, whole).n_labels == 100
    assert neyman.judged(plan, pd.DataFrame(some + others)).n_labels == 50


def test_one_verdict_without_any_label_is_refused(plan: neyman.Plan) -> None:
    verdicts = dict(zip(plan.ids, [plan.verdicts[h] for h in plan.stratum[plan.positions]], strict=True))
    with pytest.raises(LabelError, match="No item that the judge fails has a label"):
        neyman.judged(plan, {item: True for item, verdict in verdicts.items() if verdict == "pass"})


def test_another_plan_is_refused() -> None:
    pool = pool_of(50, generations=True)
    with pytest.raises(DesignError, match="checks no judge"):
        neyman.judged(Design(10, seed=0).draw(pool), people_of(50))


def test_the_sentence_says_both_rates_and_both_pass_rates(judgement: Judgement) -> None:
    tpr, tnr = (f"{100 * one.value:.0f}\u00a0%" for one in (judgement.tpr, judgement.tnr))
    assert judgement.sentence == Saying(tpr, "good answers", tnr)
    assert judgement.sentence == Saying(f"{100 * judgement.pass_rate.value:.1f}", f"{100 * judgement.judge_only:.1f}")


def test_without_a_failure_it_says_what_follows(plan: neyman.Plan) -> None:
    one = neyman.judged(plan, dict.fromkeys(plan.ids, True))
    assert math.isnan(one.tnr.value) and (one.tnr.low, one.tnr.high) == (0, 1)
    most = math.floor(SIZE * (1 - one.pass_rate.low))
    assert any("not measurable" in remark and f"at most {most} items fail" in remark for remark in one.remarks)
    assert one.verdict(tpr=0.5, tnr=0.5) == "undecided"


def test_few_failures_are_counted_beside_the_rate(plan: neyman.Plan) -> None:
    labels = dict.fromkeys(plan.ids, True) | dict.fromkeys(plan.ids[:3], False)
    one = neyman.judged(plan, labels)
    assert "3 found" in one.sentence and any("rests on 3 failures" in remark for remark in one.remarks)


def test_single_annotators_understate_what_is_caught(judgement: Judgement) -> None:
    assert any("probably understated" in remark for remark in judgement.remarks)
    pool = pool_of(100, tnr=1.0)
    every = neyman.judged(neyman.judge(pool, "judge", 100, seed=1), people_of(100))
    assert every.tnr.value == 1 and not any("understated" in remark for remark in every.remarks)


def test_the_headline_is_the_corrected_pass_rate_beside_the_judges_own(judgement: Judgement) -> None:
    headline, others = (line.replace("\u00a0", " ") for line in judgement.lines)
    assert faults(headline) == [] and "95" in others
    own, rate = (f"{100 * share:.1f} %" for share in (judgement.judge_only, judgement.pass_rate.value))
    assert headline.startswith(f"Corrected pass rate {rate} (") and headline.endswith(f"; the judge says {own}.")
    assert f"catches {100 * judgement.tnr.value:.0f} % of the failures" in others
    assert f"passes {100 * judgement.tpr.value:.0f} % of the good answers" in others


def test_a_bias_is_in_points(judgement: Judgement) -> None:
    rows = {measure: (value, limits) for measure, value, limits in rows_of(judgement)}
    assert all(part.endswith(" points") for part in rows[judgement.bias.measure])
    assert all("points" not in part for part in rows[judgement.tpr.measure])


def test_a_judge_that_says_one_thing_alone_is_named() -> None:
    pool = pool_of(100, tpr=1.0, tnr=0.0)
    one = neyman.judged(neyman.judge(pool, "judge", 60, seed=1), people_of(100))
    assert any("never says fail" in remark for remark in one.remarks)
    assert (one.tpr.value, one.tnr.value) == (1.0, 0.0)


def test_failures_come_with_what_was_asked_answered_and_said(judgement: Judgement) -> None:
    table = judgement.disagreements()
    assert table["what"].tolist() == sorted(
        table["what"], key=["missed failure", "false alarm", "caught failure"].index
    )
    first = table.iloc[0]
    assert first["prompt"] == f"question {first['item_id']}" and first["output"] == f"answer {first['item_id']}"
    assert first["reason"] == f"because of {first['item_id']}"
    assert (table["people"] == "fail").sum() == judgement.pair.found


def test_groups_have_corrected_pass_rates(judgement: Judgement) -> None:
    groups = judgement.study.by("group")
    assert (groups["items"] / SIZE) @ groups["value"] == pytest.approx(judgement.pass_rate.value, abs=0.02)


def test_it_shows_itself(judgement: Judgement, tmp_path: Path) -> None:
    text, page = repr(judgement), judgement._repr_html_()
    assert "Corrected pass rate" in text and "Failures caught (TNR)" in text and "Cohen’s κ" in page
    assert judgement.plot().save(tmp_path / "judge.svg").read_text(encoding="utf-8").startswith("<svg")


def test_what_is_missing_in_a_column_is_no_label(plan: neyman.Plan) -> None:
    labels = pd.Series(people_of(SIZE), dtype="boolean")
    labels[plan.ids[:10]] = pd.NA
    assert neyman.judged(plan, labels).n_labels == 90


def test_without_a_good_answer_the_sentence_still_says_who_catches_failures(plan: neyman.Plan) -> None:
    one = neyman.judged(plan, dict.fromkeys(plan.ids, False))
    assert math.isnan(one.tpr.value)
    assert one.sentence == Saying("No good answer", "catches", f"{100 * one.tnr.value:.0f}\u00a0%")


def test_what_a_judges_numbers_mean_is_not_said_of_peoples_labels() -> None:
    """A column “hallucination” holds 1 where the judge fails the item; people still write 1 for a pass."""
    judge = pool_of(SIZE).items["judge"]
    rows = [{"id": str(item), "hallucination": int(said == "fail")} for item, said in judge.items()]
    words, people = {"1": "fail", "0": "pass"}, people_of(SIZE)
    plan = neyman.judge(Pool.from_records(rows, "numbers"), "hallucination", 60, seed=1, words=words)
    filled = pd.DataFrame({"item_id": plan.ids, "label": ["1" if people[item] else "0" for item in plan.ids]})
    one = neyman.judged(plan, filled, words=words)
    assert one.judge_only == (judge == "pass").mean()
    assert one.measures_frame().equals(neyman.judged(plan, people).measures_frame())
    said = "People’s labels are read as usual, “0” as fail and “1” as pass"
    assert sum(remark.startswith(said) for remark in one.remarks) == 1
    assert not any(remark.startswith("People’s") for remark in neyman.judged(plan, people).remarks)
    with pytest.raises(LabelError, match="“yes” always means right and “no” always means wrong"):
        neyman.judged(plan, filled, words={"yes": "fail", "no": "pass"})


def test_people_may_grade_on_the_scale_of_a_judge_whose_numbers_have_a_meaning() -> None:
    words = {"1": "fail", "0": "pass", "2": "fail"}
    rows = [{"id": f"q{n}", "prompt": "?", "output": "o", "bad": [1, 0, 0, 2][n % 4]} for n in range(80)]
    plan = neyman.judge(Pool.from_records(rows), "bad", 60, words=words)
    passes = {item: int(str(item)[1:]) % 4 in (1, 2) for item in plan.ids}
    for good, bad, rate in (("0", "2", 0.5), ("pass", "fail", 0.5), ("0", "1", 0.5), ("no", "yes", 0.5)):
        table = pd.DataFrame({"item_id": list(passes), "label": [good if one else bad for one in passes.values()]})
        found = neyman.judged(plan, table, words=words)
        assert found.pass_rate.value == pytest.approx(rate, abs=0.02)
        turned = "the judge’s column means the opposite" in str(found.remarks)
        assert turned == ((good, bad) in (("0", "1"), ("no", "yes")))


def test_what_a_blank_may_mean_is_said_although_a_verdict_has_no_label() -> None:
    rows = [{"id": f"q{n}", "prompt": "?", "output": "o", "good": n % 2} for n in range(80)]
    plan = neyman.judge(Pool.from_records(rows), "good", 40)
    # The last one is labelled, so that blanks before it are no items to come.
    places = [int(str(item)[1:]) % 2 for item in plan.ids]
    table = pd.DataFrame({"item_id": plan.ids, "label": ["pass" if one else "" for one in places]})
    table = pd.concat([table[table["label"] == ""], table[table["label"] != ""]])
    with pytest.raises(LabelError, match="--word==wrong in the shell"):
        neyman.judged(plan, table)
