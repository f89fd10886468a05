"""Signals: rank quality against pairs and scipy, strata against the item-by-item route, several surrogates."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from core import simulation
from core.design import Scheme
from core.errors import DesignError, PoolError
from core.lab import shown_tables, signals_compared
from core.lab.signals_compared import OWN, surrogates
from core.pool import Pool
from core.readers import read
from core.signals import SIGNALS, self_consistency, semantic_entropy
from core.stratification import stratify
from core.stratification.cuts import levels
from tests.core.lab.conftest import pool_of

pairs = st.integers(2, 30).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 6).map(float), min_size=n, max_size=n),
        st.lists(st.integers(0, 1).map(float), min_size=n, max_size=n),
    )
)


@given(pairs)
def test_spearman_is_scipy_s(pair):
    signal, losses = map(np.array, pair)
    correlation = signals_compared.spearman(levels(signal), losses)
    if np.ptp(signal) == 0 or np.ptp(losses) == 0:
        assert math.isnan(correlation)
    else:
        assert correlation == pytest.approx(stats.spearmanr(signal, losses).statistic, abs=1e-12)


def test_real_losses_have_no_auroc(real):
    table = signals_compared.compare(real, signals_compared.signals(real), ["model"], [50])
    assert table["auroc"].isna().all() and table["spearman"].notna().all()


def test_every_signal_of_a_pool_is_found(binary):
    signals = signals_compared.signals(binary)
    found = {(s.surrogate, s.name): s.values for s in signals}
    of_surrogate = {(OWN, signal.name) for signal in SIGNALS.entries if signal.of_surrogate}
    assert found.keys() == of_surrogate | {(signals_compared.COLUMN, "difficulty")} and len(signals) == len(found)
    classes = binary.classes()
    np.testing.assert_array_equal(found[OWN, "semantic-entropy"], semantic_entropy(classes))
    np.testing.assert_array_equal(found[OWN, "likelihood-entropy"], semantic_entropy(classes, binary.logprobs))
    np.testing.assert_array_equal(found[OWN, "self-consistency"], 1 - self_consistency(classes))


def test_what_is_known_of_a_target_is_compared_for_that_target(binary):
    signals = signals_compared.signals(binary, targets=["model", "other"])
    made = {(s.name, s.target) for s in signals if s.target is not None}
    assert made >= {("past-results", "model"), ("past-results", "other")}
    table = signals_compared.compare(binary, signals, ["model", "other"], [60])
    assert set(table.loc[table["signal"] == "past-results", "target"]) == {"model", "other"}
    assert not table.duplicated(["surrogate", "signal", "target", "budget"]).any()


def test_signals_without_their_numbers_are_left_out(binary):
    bare = Pool("bare", binary.table.drop_columns(["logprobs", "token_logprobs", "difficulty"]))
    names = {signal.name for signal in signals_compared.signals(bare)}
    assert names >= {"semantic-entropy", "self-consistency"}
    assert names.isdisjoint({"likelihood-entropy", "predictive-entropy", "difficulty"})


@pytest.mark.parametrize("kind", ["binary", "real"])
def test_errors_are_exact_for_the_strata_of_the_signal(request, kind):
    pool = request.getfixturevalue(kind)
    base = Scheme(n_strata=4, offset=0.3)
    table = signals_compared.compare(pool, signals_compared.signals(pool), ["model", "other"], [4, 60], base)
    assert len(table) == len(signals_compared.signals(pool)) * 2 * 2
    consistency = self_consistency(pool.classes())
    for signal in signals_compared.signals(pool):
        strata = stratify(signal.values, 4)
        for target in ("model", "other"):
            rows = table[(table["signal"] == signal.name) & (table["target"] == target)].set_index("budget")
            expected = simulation.relative_mse_curve(
                pool.losses(target), strata, consistency, [4, 60], 0.3, ["proxy-neyman"]
            )
            np.testing.assert_allclose(rows["relative_mse"], expected["relative_mse"], rtol=1e-9)
            assert set(rows["zeros"]) == {np.mean(signal.values == 0)} and set(rows["strata"]) == {4}


def test_a_better_signal_ranks_and_saves_better(binary):
    """Difficulty is what the losses were drawn from; a signal of pure noise is worth nothing."""
    noise = np.random.default_rng(9).random(400)
    signals = [
        *signals_compared.signals(binary),
        signals_compared.SurrogateSignal(signals_compared.COLUMN, "noise", noise, self_consistency(binary.classes())),
    ]
    at = signals_compared.compare(binary, signals, ["model"], [60]).set_index("signal")
    assert at.loc["difficulty", "auroc"] > at.loc["noise", "auroc"] + 0.1
    assert at.loc["difficulty", "relative_mse"] < at.loc["noise", "relative_mse"] - 0.05


def test_partial_outcomes_and_budgets_that_do_not_fit(binary):
    rows = [
        {
            "id": f"q{n}",
            "generations": ["A", "AB"[n % 2]],
            **({"targets": {"model": {"loss": n % 3 / 2}}} if n < 9 else {}),
        }
        for n in range(20)
    ]
    pool = Pool.from_records([*rows, {"id": "none", "targets": {"empty": {"text": "A"}}}], "partial")
    table = signals_compared.compare(pool, signals_compared.signals(pool), list(pool.targets), [1, 5, 15])
    assert set(table["target"]) == {"model"} and set(table["items"]) == {9}
    assert table.set_index("budget")["relative_mse"].isna().groupby("budget").all().to_dict() == {
        1: True,
        5: False,
        15: True,
    }
    assert signals_compared.compare(pool, signals_compared.signals(pool), [], [5]).empty


def test_an_infinite_signal_is_named(binary):
    bad = signals_compared.SurrogateSignal(signals_compared.COLUMN, "length", np.full(400, np.inf), np.ones(400))
    with pytest.raises(DesignError, match=r"length.*infinite"):
        signals_compared.compare(binary, [bad], ["model"], [50])


def rows_with_second_surrogate() -> list[dict]:
    return [
        {
            "id": f"q{n}",
            "choices": ["ant", "bee"],
            "answer_kind": "choice",
            "generations": ["A", "B", "A"],
            "generations:small": ["The answer is (B)", "B", None if n else "b"],
            "generations: twin ": ["A", "B", "A"],
            "targets": {"model": {"loss": n % 2}},
        }
        for n in range(12)
    ]


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet", ".jsonl.gz"])
def test_further_surrogates_survive_every_format_and_are_parsed_as_the_pool_s_own(tmp_path, suffix):
    path = tmp_path / f"pool{suffix}"
    Pool.from_records(rows_with_second_surrogate(), "two").write(path)
    pool = read(path)
    by_name = surrogates(pool)
    assert list(by_name) == [OWN, "small", "twin"]
    assert by_name["small"].answers()[0] == ["B", "B", "B"] and by_name["small"].answers()[1] == ["B", "B", None]
    np.testing.assert_array_equal(by_name["twin"].classes(), pool.classes())
    table = signals_compared.compare(pool, signals_compared.signals(pool), ["model"], [6]).set_index(
        ["surrogate", "signal"]
    )
    first, twin = table.loc[(OWN, "semantic-entropy")], table.loc[("twin", "semantic-entropy")]
    assert first[["auroc", "zeros", "strata"]].equals(twin[["auroc", "zeros", "strata"]])


def test_a_list_column_of_parquet_is_a_surrogate_too(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({"id": ["a", "b"], "generations": [["x"], ["y"]], "generations:big": [["x", "y"], None]})
    pq.write_table(table, tmp_path / "pool.parquet")
    by_name = surrogates(read(tmp_path / "pool.parquet"))
    assert by_name["big"].answers() == [["x", "y"], []]


def test_generations_that_are_no_lists_are_named_row_by_row():
    rows = rows_with_second_surrogate()
    rows[2]["generations:small"] = "B"
    rows[5]["generations:small"] = {"a": 1}
    rows[7]["generations:small"] = [["nested"]]
    with pytest.raises(PoolError) as error:
        surrogates(Pool.from_records(rows, "bad"))
    assert [problem.row for problem in error.value.problems] == [3, 6, 8]
    assert all(problem.field == "generations:small" for problem in error.value.problems)
    assert json.dumps(["A"]) not in str(error.value)


def test_a_pool_without_generations_has_the_signals_of_past_results():
    """They share labels by the risk that they predict, and a column that predicts none by the strata's sizes."""
    assert signals_compared.signals(Pool.from_records([{"id": "a"}], "bare")) == []
    rows = [
        {"id": str(n), "hard": n % 4, "targets": {f"m{m}": {"loss": float(n % (m + 2) == 0)} for m in range(3)}}
        for n in range(60)
    ]
    board = Pool.from_records(rows, "board")
    found = {one.name: one for one in signals_compared.signals(board, targets=["m0"])}
    assert list(found) == ["hard", "risk", "past-results"] and (found["hard"].consistency == 0.5).all()
    np.testing.assert_array_equal(found["risk"].consistency, 1 - found["risk"].values)
    table = shown_tables.signals(signals_compared.compare(board, list(found.values()), ["m0"], [20]))
    assert table["Signal"].tolist() == ["hard", "predicted risk", "past results of other models"]
    assert "Surrogate" not in table


def test_signals_of_ragged_pools_are_compared():
    pool = pool_of(60)
    table = pool.table.to_pylist()
    for row in table[:5]:
        for name in ("generations", "logprobs", "token_logprobs"):
            row[name] = None
    ragged = Pool.from_records(table, "ragged")
    comparison = signals_compared.compare(ragged, signals_compared.signals(ragged), ["model"], [20])
    assert comparison["relative_mse"].notna().all() and "predictive-entropy" in set(comparison["signal"])
