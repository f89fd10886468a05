"""What holds on real pools; the figures are printed with `pytest -s`."""

from __future__ import annotations

import numpy as np
import pytest

from core.lab import ablations, baselines
from core.lab.settings import BUDGETS, default_budgets, variants
from core.pool import Pool
from core.readers import read
from tests.core.lab.conftest import outcome_of


@pytest.fixture(scope="module")
def exams(real_pool) -> Pool:
    return read(real_pool("exams-gpt35-k10.jsonl"))


@pytest.fixture(scope="module")
def mmlu(official) -> Pool:
    split = official.default_split()
    return official.pool(split.committee, split.targets)


@pytest.mark.parametrize("target", ["gpt-3.5-turbo T=0.0", "gpt-3.5-turbo T=1.0"])
def test_on_the_exams_proxy_neyman_is_within_a_point_of_the_oracle(exams, target):
    budgets = [m for m in default_budgets(5, exams.n_items) if m <= exams.n_items / 2]
    cells = ablations.exact(outcome_of(exams, target), variants("allocation"), budgets)
    relative = 100 * cells.pivot(index="budget", columns="variant", values="relative_mse")
    print(f"\n{target}, relative MSE in %\n{relative.round(2)}")
    gap = relative["proxy-neyman"] - relative["oracle-neyman"]
    assert budgets == [50, 100, 200, 400]
    assert np.all(gap <= 1.0)
    # The reference figures of the pools’ first measurement, mean over these budgets up to N/3.
    known = {"gpt-3.5-turbo T=0.0": 78.1, "gpt-3.5-turbo T=1.0": 74.0}[target]
    assert relative.loc[[50, 100, 200], "proxy-neyman"].mean() == pytest.approx(known, abs=0.1)


def test_on_the_mmlu_pro_committee_se_lure_does_not_beat_uniform(mmlu):
    assert mmlu.n_items == 12_032
    for target in mmlu.targets:
        outcome = outcome_of(mmlu, target)
        given = {"se-lure": outcome.profile.signal}
        table = baselines.simulated(outcome.losses, given, BUDGETS).set_index("budget")
        relative = 100 * table[["relative_mse", "relative_standard_error"]]
        print(f"\nSE-LURE on {target}, % of Uniform’s error, ± standard error\n{relative.round(1)}")
        assert np.all(relative["relative_mse"] > 100 + 2 * relative["relative_standard_error"])
        exact = baselines.exact(outcome, BUDGETS, methods=["proxy-neyman"])["relative_mse"]
        assert np.all(exact < 0.93)
