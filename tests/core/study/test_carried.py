"""A list with carried verdicts from the draw to the report: estimate, groups, top-up, bundle, and its audits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import core as neyman
from core.bank import Bank
from core.pool import Pool
from core.report import report_json
from core.report.sentences import carried
from core.study import Study, labelled, reproduce
from tests.core.study.test_bundle import same

N, BUDGET, SPOILT = 300, 40, 60


def versions(**more: object) -> Pool:
    """Items in three groups that an old, graded version and a new one answered; a fourth of the answers differ."""
    rng = np.random.default_rng(3)
    records = []
    for place in range(N):
        old = rng.choice(["A", "B"], p=[0.7, 0.3])
        new = rng.choice([*"AC"]) if rng.random() < 0.4 else old
        targets = {"old": {"answer": old, "loss": float(old != "A")}, "new": {"answer": new}}
        records.append({"id": f"i{place}", "prompt": f"q{place}", "group": "abc"[place % 3], "targets": targets} | more)
    return Pool.from_records(records, "versions")


POOL = versions()
TRUTH = pd.Series([float(answer != "A") for answer in POOL.target_answers("new")], index=list(POOL.ids))


def spoilt() -> Bank:
    """The bank of the pool, with some right verdicts turned into wrong ones."""
    bank = Bank.of(POOL)
    return bank.corrected((bank.rows["loss"] == 0).to_numpy().cumsum() <= SPOILT, 1.0)


def study_of(follows: bool, bank: Bank, count: int = BUDGET) -> Study:
    plan = neyman.recommend(POOL, BUDGET, "new", bank=bank, follows=follows).draw(POOL, seed=4)
    ids = plan.ids[:count]
    filled = pd.DataFrame({"item_id": ids, "label": np.where(TRUTH[ids] == 0, "right", "wrong")})
    return labelled(plan, filled, "new", "right-wrong")


@pytest.mark.parametrize("follows", [True, False])
def test_the_estimate_is_known_items_open_items_and_what_audits_found(follows: bool) -> None:
    study = study_of(follows, spoilt())
    items, choice = study.plan.items, study.plan.design.carried
    assert choice is not None
    audits = items.loc[items["part"] == "audit", "item_id"]
    gaps = TRUTH[audits].to_numpy() - choice.values[POOL.places(audits)]
    still = TRUTH[~choice.known]
    opened = items[items["part"] == "open"]
    means = TRUTH[opened["item_id"]].groupby(opened["stratum"].to_numpy()).mean()
    sizes = np.bincount(study.plan.stratum[~choice.known])
    loss = choice.values[choice.known].sum() + sizes @ means.to_numpy()
    loss += choice.known.sum() * gaps.mean() if len(gaps) else 0.0
    estimate = study.estimate()
    assert estimate.value == pytest.approx(1 - loss / N) and estimate.low < estimate.value < estimate.high
    assert (len(audits) == 0) == follows and sizes.sum() == still.size
    said = carried(study.result()).replace("\u00a0", " ")
    assert f"Verdicts of {int(choice.known.sum())} of {N} items" in said
    wrong = int((gaps != 0).sum())
    assert ("follows from the answer" in said) if follows else (f"{wrong} of {len(audits)} audited verdicts" in said)


@pytest.mark.parametrize("follows", [True, False])
def test_groups_take_the_carried_verdicts_of_their_items(follows: bool) -> None:
    study = study_of(follows, Bank.of(POOL))
    table = study.by().set_index("group")
    truth = 1 - TRUTH.groupby(np.tile([*"abc"], N // 3)).mean()
    assert truth.index.tolist() == table.index.tolist()
    assert (table["low"].to_numpy() <= truth).all() and (truth <= table["high"].to_numpy()).all()
    # Labels alone would be off by about .13 in a group of 13.
    assert (truth - table["value"].to_numpy()).abs().max() < 0.08


@pytest.mark.parametrize("follows", [True, False])
def test_more_labels_are_planned_and_only_added(follows: bool) -> None:
    study = study_of(follows, Bank.of(POOL))
    half_width = (study.estimate().high - study.estimate().low) / 2
    more = study.top_up(0.6 * half_width)
    assert not more.reached and more.total == BUDGET + more.further > BUDGET
    assert set(study.plan.ids) <= set(study.plan.with_budget(more.total).ids)


@pytest.mark.parametrize("follows", [True, False])
def test_bundle_and_pool_give_the_estimate_again(tmp_path: Path, follows: bool) -> None:
    study = study_of(follows, spoilt())
    again = reproduce(neyman.report(study, tmp_path / "b.zip"), POOL)
    assert same(again, study) and again.plan.design.carried == study.plan.design.carried
    pd.testing.assert_frame_equal(again.by(), study.by())
    assert '"carried": {' in report_json(study.result())


@pytest.mark.parametrize("count", [20, 27, 39])
def test_a_list_that_is_cut_holds_both_parts_in_proportion(count: int) -> None:
    study = study_of(False, Bank.of(POOL), count)
    audits = (study.plan.items["part"] == "audit").to_numpy()
    assert abs(audits[:count].sum() - audits.sum() * count / BUDGET) <= 1
    estimate = study.estimate()
    assert estimate.n_labels == count and estimate.low <= 1 - TRUTH.mean() <= estimate.high


def test_audits_are_logged_and_what_they_found_replaces_its_row() -> None:
    study, bank = study_of(False, spoilt()), spoilt()
    after = bank | Bank.of(study)
    log, sample = after.log(POOL), study.result().carried
    assert log is not None and sample is not None and sample.audit.wrong > 0
    assert (log.n, log.wrong) == (sample.audit.n, sample.audit.wrong) and bank.log(POOL) is None
    known = study.labels.values.set_index("item_id")["value"]
    own = after.own(POOL, "new").frame().set_index("item_id")["loss"]
    assert own[known.index].tolist() == (1 - known).tolist()


def test_new_generations_of_the_surrogate_change_nothing_that_is_known() -> None:
    other = versions(generations=["A", "B"])
    assert other.digest != POOL.digest
    pd.testing.assert_frame_equal(Bank.of(POOL).known(other, "new"), Bank.of(POOL).known(POOL, "new"))
