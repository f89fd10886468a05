"""The result of labelling: its numbers are those of the estimators; the report is one safe file; the JSON is whole."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser

import numpy as np
import pytest

from core import manifest
from core.design import Design, Plan
from core.domains import domains
from core.errors import DesignError
from core.estimation import stratified
from core.pool import Pool
from core.profile import Profile
from core.report import Labelled, Result, charts, comparison, numbers, report_html, report_json, result
from core.report.comparison import Judged, compare
from core.report.metrics import answered, metrics
from core.report.numbers import SPACE
from core.report.sentences import beside_uniform, headline, remarks, spread
from tests.core.report.conftest import members

NASTY = "<script>alert(1)</script> & \"q\" 'x' =1+1 😀"


def made(pool: Pool, plan: Plan, seen: Profile, first: int = 60, **more) -> Result:
    """The result of the plan's first labels, in groups of which one bears a name that would run as a script."""
    places = plan.positions[:first]
    labelled = Labelled([str(i) for i in plan.ids[:first]], places, pool.losses("model")[places])
    groups = [NASTY if i % 3 == 0 else None if i % 3 == 1 else "law" for i in range(500)]
    given = {"groups": groups, "target": "model", "manifest": manifest.write(plan, NASTY)} | more
    return result(plan, NASTY, labelled, members(plan, seen), **given)


def test_numbers_are_the_estimators_own(pool: Pool, plan: Plan, seen: Profile) -> None:
    found = made(pool, plan, seen)
    member = members(plan, seen)
    losses = pool.losses("model")[plan.positions]
    assert found.estimate == stratified(1 - losses, member[plan.positions], plan.strata.sizes)
    assert found.half_width == pytest.approx((found.estimate.high - found.estimate.low) / 2)
    for row in found.intervals.itertuples():
        own = stratified(1 - losses, member[plan.positions], plan.strata.sizes, interval=row.interval)
        assert (row.low, row.high) == (own.low, own.high)
    assert found.strata["share_of_variance"].sum() == pytest.approx(1)
    assert found.strata["labels"].tolist() == found.strata["planned"].tolist() == plan.allocation.tolist()
    weighted = (found.strata["value"] * found.strata["share_of_pool"]).sum()
    assert weighted == pytest.approx(found.estimate.value)
    groups = [NASTY if i % 3 == 0 else None if i % 3 == 1 else "law" for i in range(500)]
    own_groups = domains(1 - losses, plan.positions, member, groups)
    assert found.groups is not None and found.groups.equals(own_groups)
    assert found.missing == ()


def test_loss_mirrors_accuracy(pool: Pool, plan: Plan, seen: Profile) -> None:
    right, wrong = made(pool, plan, seen), made(pool, plan, seen, measure="loss")
    assert (wrong.estimate.value, wrong.estimate.low) == pytest.approx(
        (1 - right.estimate.value, 1 - right.estimate.high)
    )
    assert "mean loss" in headline(wrong) and "right" in headline(right)


def test_missing_labels_are_named_and_the_realised_sample_is_used(pool: Pool, plan: Plan, seen: Profile) -> None:
    found = made(pool, plan, seen, first=52)
    assert found.missing == tuple(str(i) for i in plan.ids[52:])
    assert found.estimate.n_labels == found.strata["labels"].sum() == 52
    assert found.planned == 60
    assert remarks(found)[0].startswith("8 of 60 planned labels are missing")
    assert found.cut_short and not found.short
    assert "sample of a smaller budget" in remarks(found)[0] and "by chance" not in " ".join(remarks(found))
    page = report_html(found)
    assert "Labels still missing" in page and str(plan.ids[52]) in page
    assert "Labels still missing" not in report_html(made(pool, plan, seen))


class Read(HTMLParser):
    """Every tag with its attributes, and the text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_the_report_is_one_file_that_asks_nobody_and_runs_nothing(pool: Pool, plan: Plan, seen: Profile) -> None:
    page = report_html(made(pool, plan, seen))
    read = Read()
    read.feed(page)
    assert not {"script", "link", "img", "iframe", "object", "b"} & set(read.tags)
    names = {name for name, _ in read.attributes}
    assert not {"src", "href", "srcset", "action"} & names
    assert not any(name.startswith("on") for name in names)
    assert "http" not in page.replace("http-equiv", "") and "url(" not in page and "@import" not in page
    assert read.tags.count("svg") == 3
    assert "default-src 'none'" in page
    assert "@media print" in page and "prefers-color-scheme: dark" in page


def test_texts_of_the_pool_are_shown_as_they_are(pool: Pool, plan: Plan, seen: Profile) -> None:
    page = report_html(made(pool, plan, seen, made=NASTY, target=NASTY))
    read = Read()
    read.feed(page)
    assert "<script" not in page
    assert NASTY in "".join(read.text)
    assert unescape(page).count(NASTY) >= 5


def test_the_report_shows_the_numbers(pool: Pool, plan: Plan, seen: Profile) -> None:
    found = made(pool, plan, seen)
    read = Read()
    read.feed(report_html(found))
    text = "".join(read.text).replace(SPACE, " ")
    own = found.estimate
    assert f"{100 * own.value:.1f} %" in text
    assert f"95 % interval: {100 * own.low:.1f} % to {100 * own.high:.1f} %" in text
    assert all(words.replace(SPACE, " ") in text for words in (headline(found), beside_uniform(found)))
    assert f"{found.precision.uniform_needed:,}" in text
    assert f"{found.top_up(found.half_width / 2).further:,}" in text
    assert '"sample"' in text and found.plan_id in text


def test_the_json_holds_everything(pool: Pool, plan: Plan, seen: Profile) -> None:
    found = made(pool, plan, seen)
    document = json.loads(report_json(found))
    assert document["format"] == "neyman-result/1"
    assert document["estimate"]["value"] == found.estimate.value
    assert document["manifest"] == json.loads(manifest.write(plan, NASTY))
    assert len(document["labels"]) == 60 and len(document["strata"]) == plan.strata.n_strata
    rows = document["labels"]
    again = stratified([r["value"] for r in rows], [r["stratum"] for r in rows], plan.strata.sizes)
    assert again == found.estimate
    assert document["groups"][0]["group"] in (NASTY, "law")


def extended(pool: Pool, plan: Plan, seen: Profile) -> Result:
    """With another target, metrics of one answer, and answers left out; names that would run as a script."""
    found = made(pool, plan, seen)
    own, sizes = members(plan, seen)[plan.positions], plan.strata.sizes
    loss, other = (pool.losses(name)[plan.positions] for name in ("model", "other"))
    both = compare(Judged("model", loss, "labels"), Judged(NASTY, other, "the pool’s outcomes"), own, sizes)
    said = [NASTY if x else "no" for x in loss]
    some = metrics(said, [NASTY if x else "no" for x in other], NASTY, own, sizes, "model")
    gave = np.arange(60) % 7 > 0
    return replace(found, comparison=both, metrics=some, answered=answered((1 - loss) * gave, gave, own, sizes, NASTY))


def test_the_further_sections_stand_in_the_report_and_in_the_json(pool: Pool, plan: Plan, seen: Profile) -> None:
    found = extended(pool, plan, seen)
    page, read = report_html(found), Read()
    read.feed(page)
    text = "".join(read.text)
    for title in ("Beside another target", "Precision, recall, F1", "Where the model answered"):
        assert title in text and title not in report_html(made(pool, plan, seen))
    assert comparison.headline(found.comparison) in text and "<script" not in page
    assert read.tags.count("svg") == 7 and "zero" in page
    document = json.loads(report_json(found))
    assert document["comparison"]["gap"]["value"] == found.comparison.gap.value
    assert document["comparison"]["separate_standard_error"] == found.comparison.separate_error
    assert [row["value"] for row in document["metrics"]["rows"]] == [e.value for e in found.metrics.estimates]
    assert document["answered"]["right"]["value"] == found.answered.right.value
    plain = json.loads(report_json(made(pool, plan, seen)))
    assert plain["comparison"] is plain["metrics"] is plain["answered"] is None
    assert len(document["method"]) == len(plain["method"]) + 2


def test_a_comparison_that_has_to_wait_is_told_in_the_report(pool: Pool, plan: Plan, seen: Profile) -> None:
    own = members(plan, seen)[plan.positions]
    loss = pool.losses("model")[plan.positions]
    waiting = np.where(own == 0, np.nan, loss)
    both = compare(Judged("model", loss, "labels"), Judged("other", waiting, "labels"), own, plan.strata.sizes)
    page = report_html(replace(made(pool, plan, seen), comparison=both))
    assert "cannot be compared yet" in page and page.count("<svg") == 3


def test_unknown_numbers_are_null(pool: Pool, plan: Plan, seen: Profile) -> None:
    """The first label of each stratum alone shows no spread."""
    found = made(pool, plan, seen, first=plan.strata.n_strata)
    assert math.isnan(found.estimate.standard_error)
    document = json.loads(report_json(found))
    assert document["estimate"]["standard_error"] is None and document["design_effect"] is None
    page = report_html(found)
    assert "there is no interval yet" in page and "nan" not in page.replace("finance", "")
    assert "More precision" not in page


def test_a_census_says_so(pool: Pool, seen: Profile) -> None:
    plan = Design(500).plan(pool.digest, pool.items.index.to_numpy(dtype=object), seen)
    found = made(pool, plan, seen, first=500)
    assert found.estimate.value == pytest.approx(1 - pool.losses("model").mean())
    assert "nothing is estimated" in headline(found)
    assert "all designs are exact" in beside_uniform(found)
    assert "More precision" not in report_html(found)


def test_what_the_design_saved_is_said_as_far_as_the_labels_tell(pool: Pool, plan: Plan, seen: Profile) -> None:
    found = made(pool, plan, seen)

    def said(needed: int, least: float, most: float) -> str:
        own = replace(found.precision, uniform_needed=needed, saved_least=least, saved_most=most)
        return beside_uniform(replace(found, precision=own)).replace(SPACE, " ")

    assert "did not help here (saved labels: 80 % range −40 % to −5 %)" in said(50, -0.4, -0.05)
    unsure = said(66, -0.1, 0.3)
    assert "cannot be told from these (saved labels: 80 % range −10 % to 30 %)" in unsure
    assert "about 66" not in unsure and "not help" not in unsure
    assert "about 100 labels for this precision (40 % saved, 80 % range 25 % to 50 %)" in said(100, 0.25, 0.5)


def part_of(pool: Pool, plan: Plan, seen: Profile, keep: np.ndarray, **more) -> Result:
    places = plan.positions[keep]
    labelled = Labelled([str(i) for i in plan.ids[keep]], places, pool.losses("model")[places])
    return result(plan, "p", labelled, members(plan, seen), **more)


def test_a_stratum_that_misses_most_labels_is_named_and_widens_the_interval(
    pool: Pool, plan: Plan, seen: Profile
) -> None:
    own = members(plan, seen)[plan.positions]
    largest = int(np.argmax(plan.strata.sizes))
    keep = np.flatnonzero((own != largest) | (np.cumsum(own == largest) <= 2))
    found = part_of(pool, plan, seen, keep)
    assert found.short == (largest,) and not found.cut_short
    assert found.estimate.method.endswith("widened for strata with far fewer labels than planned")
    plain = stratified(found.labels["value"], found.labels["stratum"], plan.strata.sizes)
    assert found.estimate.high - found.estimate.low > plain.high - plain.low
    assert found.intervals["low"].iloc[0] == found.estimate.low
    said = " ".join(remarks(found))
    assert "missing by chance" in said and "comparisons are not widened" in said
    assert f"Stratum {largest}, " in said and f"has 2 of its {plan.allocation[largest]} planned labels" in said
    assert found.top_up(0.9 * found.half_width).current == pytest.approx(found.half_width)


def test_items_missing_here_and_there_do_not_widen(pool: Pool, plan: Plan, seen: Profile) -> None:
    found = part_of(pool, plan, seen, np.arange(60)[np.arange(60) % 6 != 5])
    assert not found.short and not found.cut_short
    assert found.estimate == stratified(found.labels["value"], found.labels["stratum"], plan.strata.sizes)
    assert "missing by chance" in remarks(found)[0]


def test_every_budget_of_a_list_is_as_planned(pool: Pool, plan: Plan, seen: Profile) -> None:
    for first in range(plan.strata.n_strata, 61):
        found = part_of(pool, plan, seen, np.arange(first))
        assert not found.short and found.cut_short == (first < 60)


def test_undecided_items_are_told(pool: Pool, plan: Plan, seen: Profile) -> None:
    keep = np.arange(60)[np.arange(60) % 6 != 5]
    several, one = (part_of(pool, plan, seen, keep, undecided=n) for n in (10, 1))
    assert remarks(several)[1].startswith("10 items are undecided because their annotators disagree.")
    assert "is not missing by chance" in remarks(several)[1]
    assert remarks(one)[1].startswith("1 item is undecided because its annotators")
    assert "undecided" not in " ".join(remarks(part_of(pool, plan, seen, keep)))
    # Where the list ends because people disagree, it was not cut short by chance.
    ended = remarks(part_of(pool, plan, seen, np.arange(50), undecided=10))
    assert "smaller budget" not in ended[0] and "by chance" in ended[0]


def test_without_an_interval_there_is_one_remark_and_a_point(pool: Pool, plan: Plan, seen: Profile) -> None:
    found = made(pool, plan, seen, first=plan.strata.n_strata)
    said = " ".join(remarks(found))
    assert "no interval yet" in said and "pooled" not in said
    assert found.beside_uniform[["low", "high"]].isna().all(axis=None)
    drawn = charts.estimates(found.beside_uniform, compared=True)
    assert [trace.error_x.visible for trace in drawn.data] == [False, False]
    assert all("no interval yet" in trace.hovertemplate for trace in drawn.data)


def test_marks_at_the_ends_of_the_scale_are_whole(pool: Pool, plan: Plan, seen: Profile) -> None:
    axis = charts.estimates(made(pool, plan, seen).beside_uniform).layout.xaxis
    assert axis.range[0] < 0 and axis.range[1] > 100
    assert (axis.tickvals[0], axis.tickvals[-1]) == (0, 100)


def test_a_uniform_plan_has_nothing_to_compare(pool: Pool, seen: Profile) -> None:
    plan = Design(40, allocation="uniform").plan(pool.digest, pool.items.index.to_numpy(dtype=object), seen)
    labelled = Labelled([str(i) for i in plan.ids], plan.positions, pool.losses("model")[plan.positions])
    found = result(plan, "p", labelled, np.zeros(500, dtype=int))
    assert "uniform sample" in beside_uniform(found)
    assert found.groups is None
    assert "Groups" not in report_html(found)


def test_unbounded_losses_keep_their_scale(pool: Pool, plan: Plan, seen: Profile) -> None:
    rng = np.random.default_rng(0)
    labelled = Labelled([str(i) for i in plan.ids], plan.positions, rng.normal(7, 2, 60))
    found = result(plan, "p", labelled, members(plan, seen))
    assert not found.bounded and found.measure == "loss"
    assert "Satterthwaite" in found.estimate.method
    assert f"{found.estimate.value:.4g}" in report_html(found)
    assert found.top_up(0.1).further > 0
    shares = Labelled(labelled.ids, plan.positions, rng.random(60))
    assert "Satterthwaite" in result(plan, "p", shares, members(plan, seen), bounded=False).estimate.method


def test_the_figure_of_the_page_shows_the_same_intervals(pool: Pool, plan: Plan, seen: Profile) -> None:
    found = made(pool, plan, seen)
    drawn = charts.estimates(found.beside_uniform, compared=True)
    for trace, own in zip(drawn.data, (found.estimate, found.precision.uniform), strict=True):
        value, low, high = trace.x[0], trace.error_x.arrayminus[0], trace.error_x.array[0]
        assert (value, value - low, value + high) == pytest.approx((100 * own.value, 100 * own.low, 100 * own.high))
    assert drawn.data[0].marker.color != drawn.data[1].marker.color
    table = found.groups.rename(columns={"group": "label"})
    assert "<script" not in charts.estimates(table).to_json()
    empty = table.assign(value=math.nan)
    assert len(charts.estimates(empty).data) == 0
    assert charts.estimates(found.beside_uniform, unit=False).layout.xaxis.range is None


def test_errors(pool: Pool, plan: Plan, seen: Profile) -> None:
    labelled = Labelled(["a", "a"], np.array([3, 3]), np.zeros(2))
    with pytest.raises(DesignError, match="labelled twice"):
        result(plan, "p", labelled, members(plan, seen))
    with pytest.raises(DesignError, match="load the pool of the plan"):
        result(plan, "p", labelled, np.zeros(500, dtype=int))
    with pytest.raises(DesignError, match="no measure called"):
        result(plan, "p", labelled, members(plan, seen), measure="bleu")
    with pytest.raises(DesignError, match="No item of stratum"):
        result(plan, "p", Labelled(["a"], np.array([3]), np.zeros(1)), members(plan, seen))


def test_scores_have_a_mean_and_their_own_scale(pool: Pool, plan: Plan, seen: Profile) -> None:
    shares = made(pool, plan, seen, measure="score")
    assert shares.estimate == made(pool, plan, seen).estimate
    assert "has an estimated mean score of" in headline(shares) and "right" not in headline(shares)
    scores = np.random.default_rng(0).normal(7, 2, 60)
    labelled = Labelled([str(i) for i in plan.ids], plan.positions, 1 - scores)
    free = result(plan, "p", labelled, members(plan, seen), measure="score", bounded=False)
    own = stratified(scores, members(plan, seen)[plan.positions], plan.strata.sizes, bounded=False)
    assert free.estimate.value == pytest.approx(own.value) and free.measure == "score"


@pytest.mark.parametrize(("loss", "value"), [(0.0, "100.0 %"), (1.0, "0.0 %")])
def test_all_right_and_all_wrong(pool: Pool, plan: Plan, seen: Profile, loss: float, value: str) -> None:
    labelled = Labelled([str(i) for i in plan.ids], plan.positions, np.full(60, loss))
    found = result(plan, "p", labelled, members(plan, seen), target="model")
    assert f"gets an estimated {value} of all 500 items" in headline(found).replace(SPACE, " ")
    assert spread(found) == "60 labels, no spread to see a standard error from"
    assert found.top_up(found.half_width / 2).further > 0
    assert "nan" not in report_html(found).replace("finance", "")


def test_one_label_is_singular(pool: Pool, plan: Plan, seen: Profile) -> None:
    assert remarks(made(pool, plan, seen, first=59))[0].startswith("1 of 60 planned labels is missing")


@pytest.mark.parametrize(
    ("width", "unit", "written"),
    [
        (0.0312, True, "3.1 points"),
        (0.0, True, "0.0 points"),
        (0.00031, True, "0.03 points"),
        (-0.0312, True, "−3.1 points"),
        (math.nan, True, "–"),
        (0.000312, False, "0.000312"),
        (312.4, False, "312"),
        (5.0, False, "5.00"),
        (31240.0, False, "31,240"),
        (-math.inf, False, "−∞"),
    ],
)
def test_widths_keep_a_digit_that_says_something(width: float, unit: bool, written: str) -> None:
    assert numbers.width(width, unit).replace(SPACE, " ") == written


def test_words_in_a_row() -> None:
    assert [numbers.listed(words) for words in (["0"], ["0", "2"], ["0", "1", "2"])] == ["0", "0 and 2", "0, 1 and 2"]
    assert (numbers.counted(1, "label"), numbers.counted(2000, "label")) == ("1 label", "2,000 labels")
