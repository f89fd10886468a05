"""What a pool says of a judge without any label: by right answers, or by a column of people's verdicts."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from core.errors import DesignError
from core.judge import (
    JudgeBelief,
    judge,
    keyed_targets,
    known_rates,
    request,
    verdicts,
    words_given,
    words_to_ask,
)
from core.judge.measures import KAPPA, MEASURES, PASS_RATE, TNR, TPR
from core.pool import Pool
from core.report import known_rates_html
from tests.core.wording import Saying

# What the model said if B is right, whether the judge passes it, and what people say.
ROWS = [("B", True), ("B", True), ("B", False), ("C", False), ("C", False), ("C", True)]


def pool_of(known: int = len(ROWS), **more: Any) -> Pool:
    rows: list[dict[str, Any]] = []
    for place, (said, passes) in enumerate(ROWS):
        row = {"id": str(place), "judge": passes, "human": "pass" if said == "B" else "fail", **more}
        row["targets"] = {"bot": {"answer": said}}
        rows.append(row | ({"answer": "B"} if place < known else {}))
    return Pool.from_records(rows, "mine")


@pytest.mark.parametrize(
    ("beside", "said"),
    [
        ("bot", ("True pass rate of bot 50.0", "the judge says 50.0", "catches 66.7", "passes 66.7")),
        ("human", ("column “human”",)),
    ],
)
def test_the_rates_are_those_of_every_item(beside: str, said: tuple[str, ...]) -> None:
    pool = pool_of()
    rates = known_rates(pool, verdicts(pool, "judge"), beside)
    assert rates is not None and rates.keyed == (beside == "bot")
    believed = rates.belief(JudgeBelief())
    assert (believed.tpr, believed.tnr, believed.fails) == pytest.approx((2 / 3, 2 / 3, 1 / 2))
    assert f"{rates.title} {rates.because}" == Saying(*said)
    assert rates.because == Saying("on all 6 items: no labels are needed")
    labels = pd.DataFrame({"item_id": ["0", "1", "3"], "people": ["fail", "pass", "pass"]})
    said = "Your labels disagree with the file’s right answers on 2 of 3."
    assert rates.disagreement(pool, labels) == (said if rates.keyed else "")
    verdicts_of = [rates.decide(least, least) for least in (0.6, 0.7)]
    assert [one and one.verdict for one in verdicts_of] == ["trusted", "not trusted"]


def test_right_answers_of_some_items_speak_of_those_alone() -> None:
    pool = pool_of(known=3)
    rates = known_rates(pool, verdicts(pool, "judge"), "bot")
    assert (
        rates is not None
        and rates.title == Saying("passes 2 of 3 good answers of bot")
        and "catches" not in rates.title
    )
    assert rates.because == Saying("on the 3 of 6 items that have one", "Label the items of a list to know it of all")
    assert rates.decide(0.5, 0.5) is None
    assert rates.title == Saying("whose truth is known") and not rates.complete
    # Nothing is known of failures, so the usual belief stays.
    assert rates.belief(JudgeBelief()).tnr == JudgeBelief().tnr


def test_a_column_of_people_who_judged_some_items_speaks_of_those_alone() -> None:
    rows = [{"id": str(place), "judge": passes} for place, (_, passes) in enumerate(ROWS)]
    for place, (said, _) in enumerate(ROWS[:4]):
        rows[place]["human"] = "pass" if said == "B" else "fail"
    pool = Pool.from_records(rows, "mine")
    rates = known_rates(pool, verdicts(pool, "judge"), "human")
    assert (
        rates is not None
        and rates.title == Saying("passes 2 of 3 good answers", "whose truth is known")
        and not rates.complete
    )
    assert rates.because == Saying("column “human” says so, on the 4 of 6 items", "catches 1 of 1 failures")


def test_verdicts_on_a_random_sample_correct_the_pass_rate_of_all_items() -> None:
    """The same numbers as of a list with as many labels of each verdict (docs/judge.md, 8)."""
    rows: list[dict[str, Any]] = [{"id": str(place), "judge": place >= 170} for place in range(1000)]
    for first, labels, fails in ((0, 31, 15), (170, 69, 5)):
        for place in range(labels):
            rows[first + place]["human"] = "fail" if place < fails else "pass"
    pool = Pool.from_records(rows, "mine")
    rates = known_rates(pool, verdicts(pool, "judge"), "human")
    assert rates is not None and rates.drawn is not None
    assert rates.drawn.value(PASS_RATE) == pytest.approx(0.857597, abs=1e-6)
    assert rates.drawn.limits(PASS_RATE) == pytest.approx((0.786283, 0.906655), abs=1e-6)
    rows_of_all = {title: (value, limits) for title, value, limits in rates.of_all()}
    assert rows_of_all["Corrected pass rate"] == ("85.8 %", "78.6 % to 90.7 %")
    page = known_rates_html(rates, None, "<mine>").replace("\u00a0", " ")
    assert all(text in page for text in ("“judge”", "85.8 %", "78.6 % to 90.7 %", "&lt;mine&gt;"))
    assert len(rows_of_all) == len(MEASURES) and rows_of_all["Cohen’s κ"][0] == f"{rates.drawn.value(KAPPA):.2f}"
    # The forecast starts from the same, with the usual belief as four good answers and four failures.
    believed = rates.belief(JudgeBelief())
    assert believed.fails == pytest.approx(1 - 0.857597, abs=1e-6)
    assert believed.tpr == pytest.approx((80 * rates.drawn.value(TPR) + 4 * 0.9) / 84)
    assert believed.tnr == pytest.approx((20 * rates.drawn.value(TNR) + 4 * 0.8) / 24)
    # Nothing is known of what the judge fails.
    few = known_rates(pool_of(known=2), verdicts(pool_of(), "judge"), "bot")
    assert few is not None and few.drawn is None and few.of_all() == []
    assert few.because == Saying("Unless these items were drawn at random")
    said = "If these items were drawn at random, 85.8 % of all answers are good (95 % interval 79 % to 91 %)"
    assert said in rates.because.replace("\u00a0", " ") and "the judge passes 83.0" in rates.because


def test_nothing_is_known_without_right_answers() -> None:
    pool = pool_of(known=0)
    assert not keyed_targets(pool)
    assert known_rates(pool_of(note="x"), verdicts(pool, "judge"), "note") is None


def test_a_right_answer_is_never_shown_to_people_as_the_output_of_a_model() -> None:
    rows = [
        {"id": str(n), "answer": "B", "judge": n > 2, "targets": {"v1": {"answer": "C"}, "v2": {"answer": "D"}}}
        for n in range(9)
    ]
    pool = Pool.from_records(rows)
    shown = [request(judge(pool, "judge", 4, seed=1, target=target)) for target in (None, "v2")]
    assert "target_answer" not in shown[0] and set(shown[1]["target_answer"]) == {"D"}


def test_words_of_a_judge_mean_the_same_in_a_column_of_people_and_other_words_may_be_given() -> None:
    """People's “ok” and “nok” were no verdicts, though somebody had said what the judge means by them."""
    rows = [{"id": str(place), "judge": "ok" if passes else "NOK"} for place, (_, passes) in enumerate(ROWS)]
    for row, (said, _) in zip(rows, ROWS, strict=True):
        row["reviewer"] = "OK" if said == "B" else "nok"
    pool = Pool.from_records([*rows, {"id": "more", "judge": "ok", "reviewer": "egal"}], "mine")
    read = verdicts(pool, "judge", words={"ok": "pass", "nok": "fail"})
    given = words_given(pool, read)
    assert given == {"ok": "pass", "nok": "fail"} and known_rates(pool, read, "reviewer", given) is None
    assert [(one.word, one.labels, one.meaning) for one in words_to_ask(pool, ["reviewer"])] == [
        ("ok", 3, "right"),
        ("nok", 3, "wrong"),
        ("egal", 1, None),
    ]
    rates = known_rates(pool, read, "reviewer", given | {"egal": "skip"})
    assert rates is not None and rates.title == Saying("catches 2 of 3 failures")
    assert rates.because == Saying("on the 6 of 7 items that have one", "passes 2 of 3 good answers")


def test_a_word_that_is_no_verdict_counts_as_missing() -> None:
    pool = Pool.from_records([{"id": str(n), "human": word} for n, word in enumerate(["pass", "egal"])], "mine")
    with pytest.raises(DesignError, match="1 of 2 items has no verdict"):
        verdicts(pool, "human", words={"egal": "skip"})


@pytest.mark.parametrize("slips", [0, 1])
def test_a_copy_of_the_judge_as_peoples_verdicts_is_said(slips: int) -> None:
    rows = [
        {"id": str(n), "judge": "pass" if n % 4 else "fail", "human": "pass" if n % 4 or n < slips else "fail"}
        for n in range(60)
    ]
    pool = Pool.from_records(rows)
    rates = known_rates(pool, verdicts(pool, "judge"), "human")
    assert rates is not None and ("check that neither is a copy" in rates.because) == (slips == 0)
