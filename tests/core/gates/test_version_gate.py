"""The version gate: its vector, its sizes, its error rates, and what needs no label."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy import stats

from core.bank import Bank, bank_versions, with_version
from core.errors import BankError, DesignError
from core.gates import by_words, chances, gate
from core.gates.version_chances import _people, decided_at, reached
from core.gates.version_gate import VersionGate
from core.gates.version_plan import labels_needed, same_answers
from core.pool import Pool
from core.prospect.pairs import answers_differ
from core.readers import read
from core.words import per_cent
from tests.conftest import ROOT
from tests.core.wording import Saying


def versions(n: int, differ: int, old_wrong: int, graded: bool = True, seed: int = 0, options: bool = False) -> Pool:
    """A pool of n items on the first of which the answers differ; the old version is wrong on the first of those."""
    order = np.random.default_rng(seed).permutation(n)
    records = []
    for place, number in enumerate(order.tolist()):
        old = {"answer": "A"} | ({"loss": float(place < old_wrong)} if graded else {})
        new = {"answer": "B" if place < differ else "A"}
        record = {"id": f"i{number}", "prompt": f"q{number}", "targets": {"v1": old, "v2": new}}
        records.append(record | ({"choices": ["x", "y", "z"]} if options else {}))
    return Pool.from_records(records)


def test_vector_of_the_decision() -> None:
    """N = 2,000; 100 items each with the old version right and wrong; 20 and 30 labels, 19 and 15 of them wrong."""
    pool = versions(2000, 200, 100)
    planned = gate(pool, "v1", "v2", 0.02)
    places = np.arange(200)
    right, wrong = places[planned.old_loss == 0][:20], places[planned.old_loss == 1][:30]
    listed = replace(planned, order=np.r_[right, wrong])
    ids = planned.pool_ids[planned.unequal]
    losses = {ids[place]: float(number < 19) for number, place in enumerate(right)}
    losses |= {ids[place]: float(number < 15) for number, place in enumerate(wrong)}
    decision = listed.decide(losses)
    one = decision.difference
    assert (one.value, one.low, one.high) == pytest.approx((0.0225, 0.013361, 0.030280), abs=5e-7)
    assert decision.verdict == "undecided"
    assert one.n_labels == 50


def test_known_outcomes_say_little_of_other_questions() -> None:
    """Seven answers lost and four won of 100: (4 − 7)/102 ± 1.96 √((12/102 − (3/102)²)/102) (Agresti and Min 2005)."""
    pool = versions(100, 11, 4)
    planned = gate(pool, "v1", "v2", 0.02)
    losses = {item: 1.0 - old for item, old in zip(planned.pool_ids[planned.unequal], planned.old_loss, strict=True)}
    assert planned.elsewhere(losses) == Saying(
        "Right before and wrong now: 7 items", "right now: 4", "too few to tell", "between −9.6 and +3.7 points"
    )
    better = versions(2000, 200, 150)
    planned = gate(better, "v1", "v2", 0.02)
    losses = {item: 1.0 - old for item, old in zip(planned.pool_ids[planned.unequal], planned.old_loss, strict=True)}
    assert planned.elsewhere(losses) == Saying("enough to tell", "between +3.6 and +6.4 points")
    # Partial credit is no count.
    assert planned.elsewhere(losses | {planned.pool_ids[planned.unequal][0]: 0.5}) == ""


def test_vector_of_the_size() -> None:
    """δ = .1, m = .02, s² = .14875: n₀ = 22.991385, n = 21 of D = 200."""
    assert labels_needed(0.1, 0.14875, 200, 0.02) == 21


@pytest.mark.parametrize(
    ("n", "margin", "shares", "labels"),
    [
        (500, 0.03, (5, 10, 20, 40), (20, 20, 35, 103)),
        (2000, 0.02, (5, 10, 20, 40), (20, 26, 92, 299)),
        (12032, 0.02, (5, 10, 20, 40), (20, 30, 114, 434)),
    ],
)
def test_table_of_sizes(n: int, margin: float, shares: tuple[int, ...], labels: tuple[int, ...]) -> None:
    """The table of docs/versions.md, whose pairs of versions have s² = .1925 if the old one is graded."""
    differ = [round(n * share / 100) for share in shares]
    assert tuple(labels_needed(count / n, 0.1925, count, margin) for count in differ) == labels


def test_only_items_that_differ_are_listed_and_an_ungraded_old_version_costs_two() -> None:
    pool = versions(400, 60, 30)
    planned = gate(pool, "v1", "v2")
    assert set(planned.items["item_id"]) <= {f"i{n}" for n in np.random.default_rng(0).permutation(400)[:60].tolist()}
    assert planned.n_labels == len(planned.items) == planned.strata_table()["labels"].sum()
    blind = gate(versions(400, 60, 30, graded=False), "v1", "v2")
    assert blind.n_labels == 2 * len(blind.items) == len(blind.gradings)
    assert blind.names == ("old version not graded",)


def test_a_bank_grades_the_old_version() -> None:
    graded, blind = versions(300, 40, 10), versions(300, 40, 10, graded=False)
    known = gate(blind, "v1", "v2", bank=Bank.of(_renamed(graded)), follows=True)
    assert known.n_labels == len(known.items)


def _renamed(pool: Pool) -> Pool:
    records = [
        {"id": item, "prompt": row["prompt"], "targets": {"v0": {"answer": "A", "loss": float(loss)}}}
        for (item, row), loss in zip(pool.items.iterrows(), pool.losses("v1"), strict=True)
    ]
    return Pool.from_records(records)


def test_equal_answers_everywhere_pass_without_a_label() -> None:
    planned = gate(versions(100, 0, 0), "v1", "v2")
    assert planned.n_labels == 0
    decision = planned.decide({})
    assert (decision.verdict, decision.difference.value) == ("pass", 0.0)


@pytest.mark.parametrize(("wrong", "verdict", "limits"), [(60, "pass", (-0.1, 0.0)), (0, "fail", (0.05, 0.1))])
def test_known_verdicts_that_decide_leave_nothing_to_grade(
    wrong: int, verdict: str, limits: tuple[float, float]
) -> None:
    """Of 600 items 60 differ. The old version got all of them wrong; or right, and the new one 30 of them wrong."""
    pool = versions(600, 60, wrong)
    bank = None if wrong else Bank.of(_new_version(pool, 30))
    planned = gate(pool, "v1", "v2", bank=bank, follows=bank is not None)
    assert planned.order.size == planned.n_labels == 0 and planned.reach == pytest.approx(limits)
    decision = planned.decide({})
    assert decision.verdict == verdict
    assert (decision.difference.low, decision.difference.high) == pytest.approx(limits)
    assert "Nothing has to be graded" in planned.sentence and "nan" not in decision.sentence
    undecided = gate(pool, "v1", "v2", margin=0.09 if wrong == 0 else 0.02, bank=bank, follows=bank is not None)
    assert (undecided.n_labels > 0) == (wrong == 0)


def _new_version(pool: Pool, graded: int) -> Pool:
    """Another model with the new version's answers, of which the first of those that differ are graded wrong."""
    answers = pool.target_answers("v2")
    differ = np.flatnonzero(answers == "B")[:graded]
    records = [
        {"id": pool.ids[n], "prompt": pool.items["prompt"].iloc[n], "targets": {"v0": {"answer": "B", "loss": 1.0}}}
        for n in differ.tolist()
    ]
    return Pool.from_records(records)


def test_of_options_the_old_version_got_right_nothing_is_to_be_asked() -> None:
    planned = gate(versions(500, 80, 30, options=True), "v1", "v2")
    table = planned.strata_table().set_index("what")
    assert table.loc["old version right", "known"] == 50 and table.loc["old version right", "labels"] == 0
    losses = dict.fromkeys(planned.items["item_id"], 0.0)
    # All 30 that were wrong may be right now, and 50 are wrong for sure.
    assert planned.decide(losses).difference.low >= (50 - 30) / 500 - 1e-12


def test_a_plan_says_where_all_items_that_differ_take_hardly_more_labels() -> None:
    """76 of 500 answers differed, 61 of them were on the list, and nothing said that all 76 are exact."""
    planned = gate(versions(500, 76, 38), "v1", "v2", 0.01)
    assert planned.or_all == Saying("All 76 items whose answers differ: exact", f"{76 - planned.n_labels} more labels")
    assert "exact," not in planned.rates
    assert not gate(versions(2000, 700, 300), "v1", "v2", 0.02).or_all
    whole = gate(versions(500, 20, 8), "v1", "v2", 0.02)
    assert whole.order.size == 20 and not whole.or_all
    assert whole.rates == Saying("All 20 items whose answers differ: exact") and not whole.why_rates


def test_free_texts_that_are_hardly_ever_equal_are_said_to_be_compared_word_for_word() -> None:
    records = [
        {"id": f"i{n}", "prompt": f"q{n}"}
        | {"targets": {"v1": {"text": f"That is {n}."}, "v2": {"text": f"It is {n}." if n else "That is 0."}}}
        for n in range(100)
    ]
    pool = Pool.from_records(records)
    assert by_words(gate(pool, "v1", "v2"), pool) == Saying("only 1 of 100 items", "word for word", "such as Number")
    numbers = gate(pool, "v1", "v2", parser="number")
    assert not numbers.n_unequal and not by_words(numbers, pool, "number")
    some = versions(100, 90, 40)
    assert not by_words(gate(some, "v1", "v2"), some)
    options = versions(100, 99, 40, options=True)
    assert not by_words(gate(options, "v1", "v2"), options)


def test_once_decides_on_the_full_list_alone() -> None:
    planned = gate(versions(1000, 100, 50), "v1", "v2")
    some = dict.fromkeys(planned.items["item_id"][:-1], 0.0)
    decision = planned.decide(some)
    assert decision.verdict == "undecided" and decision.sentence == Saying("1 item", "not graded")
    assert planned.decide(dict.fromkeys(planned.items["item_id"], 0.0)).verdict == "pass"


@pytest.mark.parametrize("listed", [15, 40])
@pytest.mark.parametrize("graded", [True, False])
def test_the_difference_lies_within_its_limits_whatever_has_no_verdict(graded: bool, listed: int) -> None:
    planned = gate(versions(120, 40, 12, graded=graded), "v1", "v2", 0.05)
    planned = replace(planned, order=np.arange(listed))
    pairs = list(planned.gradings.itertuples(index=False, name=None))
    random = np.random.default_rng(3)
    for without in (1, 2, 5):
        gone = [pairs[place] for place in random.choice(len(pairs), without, replace=False)]
        losses = {pair: float(random.random() < 0.4) for pair in pairs if pair not in gone}
        one = planned.decide(losses, gone).difference
        assert one.low <= one.value <= one.high


def test_every_grade_makes_the_difference_exact() -> None:
    pool = versions(1000, 100, 50)
    planned = gate(pool, "v1", "v2")
    rng = np.random.default_rng(3)
    losses = {item: float(rng.random() < 0.6) for item in pool.ids}
    decision = planned.decide(losses)
    differ = planned.pool_ids[planned.unequal]
    truth = (sum(losses[item] for item in differ) - 50) / 1000
    assert (decision.difference.low, decision.difference.high) == pytest.approx((truth, truth))


def test_no_answer_is_never_the_same() -> None:
    one = np.array(["A", None, "", "B"], dtype=object)
    assert same_answers(one, one).tolist() == [True, False, False, True]


def without_answers(pool: Pool, gaps: dict[str, tuple[str, ...]], **instead: object) -> Pool:
    """The pool without some versions' answers to some items; ``instead``: what stands in their place."""
    records = [
        {
            "id": item,
            "prompt": prompt,
            "targets": {
                name: instead if item in gaps.get(name, ()) else {"answer": answer[place]} | graded(loss[place])
                for name, (answer, loss) in columns.items()
            },
        }
        for columns in [{name: (pool.target_answers(name), pool.losses(name)) for name in ("v1", "v2")}]
        for place, (item, prompt) in enumerate(zip(pool.ids, pool.items["prompt"], strict=True))
    ]
    return Pool.from_records(records, pool.name)


def graded(loss: float) -> dict[str, float]:
    return {} if np.isnan(loss) else {"loss": float(loss)}


def test_items_that_a_version_has_no_answer_to_are_left_out_and_counted() -> None:
    """Of 400 items 60 differ; of these three have no answer of v2, and of the others two, and one has none of v1."""
    pool = versions(400, 60, 30)
    differ = pool.ids[np.flatnonzero(pool.target_answers("v2") == "B")]
    alike = pool.ids[np.flatnonzero(pool.target_answers("v2") == "A")]
    gaps = {"v2": (*differ[:3].tolist(), *alike[:2].tolist()), "v1": (alike[2],)}
    planned = gate(without_answers(pool, gaps), "v1", "v2")
    assert (planned.n_items, planned.n_unequal, planned.absent) == (394, 57, (1, 5, 0))
    gone = {item for items in gaps.values() for item in items}
    assert not gone & {*planned.pool_ids} and set(planned.items["item_id"]) <= {*differ}
    assert planned.sentence == Saying(
        "same answer to 337 of 394 items", "6 of 400 items have no answer of v1 (1) or of v2 (5)", "left out", "graded"
    )
    # What people wrote in its place is an answer, and so is an output in which none was found, or an outcome.
    for instead in ({"answer": "(no answer)"}, {"text": "…"}, {"text": "", "loss": 1.0}, {"loss": 1.0}):
        whole = gate(without_answers(pool, {"v2": gaps["v2"]}, **instead), "v1", "v2")
        assert (whole.n_items, whole.n_unequal, whole.left_out) == (400, 62, "")
    with pytest.raises(DesignError, match="No item has an answer of both"):
        gate(without_answers(pool, {"v1": tuple(pool.ids[:200]), "v2": tuple(pool.ids[200:])}), "v1", "v2")


def test_an_empty_output_is_left_out_as_it_always_was() -> None:
    """Filled lists of earlier versions have none of these items, so they still decide."""
    pool = versions(400, 60, 30)
    gone = pool.ids[np.flatnonzero(pool.target_answers("v2") == "B")[:5]].tolist()
    planned = gate(without_answers(pool, {"v2": tuple(gone)}, text=""), "v1", "v2")
    rest = pool.part(np.array([place for place, item in enumerate(pool.ids) if item not in gone]))
    assert planned.items.equals(gate(rest, "v1", "v2").items)
    assert planned.left_out == Saying("5 of 400 items", "no answer of v2")


def test_an_item_that_both_versions_lack_is_counted_for_each_and_left_out_once() -> None:
    pool = without_answers(versions(400, 60, 30), {"v1": ("i1", "i2"), "v2": ("i2", "i3")})
    planned = gate(pool, "v1", "v2")
    assert planned.absent == (1, 1, 1)
    assert planned.left_out == Saying("3 of 400 items", "no answer of v1 (2) or of v2 (2)", "If a version gave none")
    banked = gate(pool, "v1", "v2", banked=True).left_out
    assert banked == Saying("3 of 400 items", "If v2 gave none")
    alone = without_answers(versions(400, 60, 30), {"v1": ("i1", "i2")})
    assert gate(alone, "v1", "v2", banked=True).left_out.endswith("left out."), "no file has v1"


@pytest.mark.parametrize("loss", [0.0, 1.0])
@pytest.mark.parametrize("count", [3, 15])
def test_an_outcome_in_place_of_an_answer_needs_no_label(loss: float, count: int) -> None:
    pool = versions(400, 60, 30)
    before = gate(pool, "v1", "v2")
    settled = {*before.items["item_id"].tolist()[:count]}
    planned = gate(without_answers(pool, {"v2": tuple(settled)}, loss=loss), "v1", "v2")
    listed = planned.items["item_id"].tolist()
    assert (planned.n_items, planned.n_unequal) == (400, 60) and not settled & {*listed}
    if count == 3:
        assert listed == [item for item in before.items["item_id"] if item not in settled], "so filled lists count"
    exact = {item: float(place % 3 == 0) for place, item in enumerate(pool.ids)}
    assert len(listed) >= 20 and planned.decide({item: exact[item] for item in listed}).n_graded == len(listed)
    rest = {item: exact[item] for item in pool.ids if item not in settled}
    whole = before.decide(rest | dict.fromkeys(settled, loss)).difference.value
    assert planned.decide(rest).difference.value == pytest.approx(whole)


@pytest.mark.parametrize(
    ("choices", "what"),
    [
        ({"margin": 0.0}, "margin must lie between 0 and 1"),
        ({"confidence": 0.4}, "confidence must lie between"),
        ({"looks": "never"}, "two ways of looking"),
        ({"old": "v2"}, "both the old and the new"),
        ({"seed": -1}, "seed must be a whole number"),
    ],
)
def test_impossible_questions_are_refused(choices: dict[str, object], what: str) -> None:
    with pytest.raises(DesignError, match=what):
        gate(versions(20, 5, 2), **{"old": "v1", "new": "v2", **choices})  # type: ignore[arg-type]


@cache
def _planned(n: int, differ: int, margin: float, looks: str, rounds: int) -> list[VersionGate]:
    """One gate for each of the seeds."""
    pool = versions(n, differ, differ // 2)
    return [gate(pool, "v1", "v2", margin, looks=looks, seed=seed) for seed in range(rounds)]


def _verdicts(n: int, differ: int, margin: float, truth: float, rounds: int, looks: str = "once") -> list[str]:
    """Verdicts of simulated lists if the new version is worse by ``truth``."""
    half = differ // 2
    loss = np.zeros(n)
    # As many old mistakes mended as leaves the wanted difference.
    lost = min(differ - half, round((truth * n + half) / 2))
    mended = lost - round(truth * n)
    planned = _planned(n, differ, margin, looks, rounds)
    places = planned[0].unequal
    old = planned[0].old_loss
    wrong = np.r_[places[old == 1][mended:], places[old == 0][:lost]]
    loss[wrong] = 1.0
    by_id = dict(zip(planned[0].pool_ids.tolist(), loss.tolist(), strict=True))
    return [one.decide({item: by_id[item] for item in one.items["item_id"]}).verdict for one in planned]


@pytest.mark.parametrize(
    ("n", "differ", "margin"),
    [
        (2000, 200, 0.02),
        *(pytest.param(*cell, marks=pytest.mark.trial) for cell in ((500, 100, 0.03), (2000, 400, 0.02))),
    ],
)
def test_a_version_worse_by_the_margin_passes_rarely(n: int, differ: int, margin: float) -> None:
    rounds = 200
    passed = _verdicts(n, differ, margin, margin, rounds).count("pass")
    assert stats.binom.sf(passed - 1, rounds, 0.06) > 0.001


@pytest.mark.parametrize(
    ("n", "differ", "margin"),
    [
        (2000, 200, 0.02),
        *(pytest.param(*cell, marks=pytest.mark.trial) for cell in ((500, 100, 0.03), (2000, 400, 0.02))),
    ],
)
def test_a_version_as_good_passes_as_often_as_planned(n: int, differ: int, margin: float) -> None:
    rounds = 200
    passed = _verdicts(n, differ, margin, 0.0, rounds).count("pass")
    assert stats.binom.cdf(passed, rounds, 0.75) > 0.001


def test_looking_at_any_time_does_not_raise_the_error() -> None:
    """The confidence sequence, looked at after every twelfth label: ever passing a version worse by the margin."""
    pool = versions(400, 120, 60)
    rounds, passed = 25, 0
    for seed in range(rounds):
        planned = gate(pool, "v1", "v2", 0.05, looks="any", seed=seed)
        old, places = planned.old_loss, planned.unequal
        loss = np.zeros(400)
        loss[np.r_[places[old == 1][20:], places[old == 0][:40]]] = 1.0
        by_id = dict(zip(planned.pool_ids.tolist(), loss.tolist(), strict=True))
        listed = planned.items["item_id"].tolist()
        passed += any(
            planned.decide({item: by_id[item] for item in listed[:count]}).verdict == "pass"
            for count in range(4, len(listed), 12)
        )
    assert passed <= 0.05 * rounds, "limits of a single look would pass two"


def test_real_neighbours_take_far_fewer_labels_than_all_items() -> None:
    pool = read(ROOT / "tests" / "pools" / "gsm8k-committee10.jsonl.gz")
    planned = gate(pool, "gpt-4o-mini-2024-07-18", "Meta-Llama-3.1-70B-Instruct", parser="number")
    assert planned.n_unequal < 150 and planned.n_labels <= 30
    losses = dict(zip(pool.ids, pool.losses("Meta-Llama-3.1-70B-Instruct"), strict=True))
    exact = planned.decide(losses).difference
    truth = float(np.nanmean(pool.losses("Meta-Llama-3.1-70B-Instruct") - pool.losses("gpt-4o-mini-2024-07-18")))
    # An item has equal numbers and other verdicts: equal answers cancel, whatever is recorded.
    assert abs(exact.value - truth) <= 2 / pool.n_items and exact.low == exact.high


def test_a_long_list_with_some_old_verdicts_promises_what_every_list_does() -> None:
    """The exact test takes short lists, and those whose old verdicts are all known or all unknown; limits hold too."""
    records = [
        {
            "id": f"i{n}",
            "prompt": f"q{n}",
            "targets": {
                "v1": {"answer": "A"} | ({"loss": float(n % 2)} if n % 3 else {}),
                "v2": {"answer": "B" if n < 700 else "A"},
            },
        }
        for n in range(2000)
    ]
    mixed = gate(Pool.from_records(records), "v1", "v2", 0.02)
    assert len(mixed.names) == 3 and mixed.margin_test() is None and "6\u00a0%" in mixed.rates
    assert "6\u00a0%" in gate(versions(2000, 700, 300), "v1", "v2", 0.02).rates
    assert "5\u00a0%" in gate(Pool.from_records(records), "v1", "v2", 0.02, looks="any").rates


def test_one_label_is_on_an_item_and_limits_name_their_level() -> None:
    planned = gate(versions(60, 40, 20), "v1", "v2", 0.02)
    one = replace(planned, order=planned.order[:1])
    assert "1 label to tell whether v2" in one.sentence.replace("\u00a0", " ")
    assert "The label is on an item whose answers differ" in one.sentence
    decided = planned.decide({item: float(place % 2) for place, item in enumerate(planned.items["item_id"])})
    assert decided.difference.low < decided.difference.high and "(90\u00a0% limits: " in decided.sentence
    every = planned.decide({item: 0.0 for item in planned.pool_ids})
    assert "exactly " in every.sentence and "limits" not in every.sentence


def test_the_bank_offers_versions_with_answers_to_the_same_items_alone() -> None:
    def pool(name: str, items: range, outcome: dict[str, object]) -> Pool:
        return Pool.from_records(
            [{"id": f"i{place}", "prompt": f"q{place}", "targets": {name: outcome}} for place in items]
        )

    graded = {"answer": "A", "loss": 0.0}
    # The ids are the same, and the items are not.
    other = Pool.from_records(
        [{"id": f"i{place}", "prompt": f"another {place}", "targets": {"broken": graded}} for place in range(20)]
    )
    bank = Bank.of(other, pool("v1", range(10, 30), graded), pool("silent", range(20), {"loss": 0.0}))
    asked = pool("v2", range(20), {"answer": "B"})
    assert bank_versions(bank, asked) == ("v1",)
    with pytest.raises(BankError, match="no answer of “broken”"):
        with_version(asked, bank, "broken")
    assert bank_versions(Bank.of(other), asked) == ()


@pytest.mark.parametrize(("prefix", "offered"), [("", ()), ("question-", ("broken",))])
def test_row_numbers_do_not_make_items_of_two_files_the_same(prefix: str, offered: tuple[str, ...]) -> None:
    graded, new = (
        Pool.from_records([{"id": f"{prefix}{place}", "targets": {name: outcome}} for place in range(1, 21)])
        for name, outcome in (("broken", {"answer": "A", "loss": 0.0}), ("v2", {"answer": "B"}))
    )
    assert bank_versions(Bank.of(graded), new) == offered


def test_verdicts_that_are_known_and_equal_answers_are_told_apart() -> None:
    pool = versions(400, 60, 30)
    planned = gate(pool, "v1", "v2")
    assert "same answer to 340 of 400 items (85\N{NO-BREAK SPACE}%)" in planned.sentence
    said = Bank.of(pool).lookup(pool, "v2").beside("v1", 1 - planned.share)
    assert said == Saying("85", "of the verdicts on “v2”", "v1 itself gave the same answer to 85")


def test_a_loss_that_is_none_is_named() -> None:
    planned = gate(versions(400, 60, 30), "v1", "v2")
    with pytest.raises(DesignError, match=r"0 \(right\) and 1 \(wrong\)\. .* on “i\d+” of v2 \(1\.5\)\. Write"):
        planned.decide({planned.items["item_id"].iloc[0]: 1.5})


@pytest.mark.parametrize("written", ["(no answer)", "(No answer)", " (no answer)\n"])
@pytest.mark.parametrize("field", ["answer", "text"])
def test_two_items_without_an_answer_have_no_equal_answers(written: str, field: str) -> None:
    """Four items differ; to four others nobody answered."""
    records = [
        {"id": f"i{n}", "targets": {"v1": {"answer": "A"}, "v2": {"answer": "B" if n < 4 else "A"}}} for n in range(60)
    ]
    for record in records[10:14]:
        record["targets"] = {"v1": {field: written, "loss": 1.0}, "v2": {field: written}}
    pool = Pool.from_records(records, "silent")
    planned = gate(pool, "v1", "v2", margin=0.05)
    assert (planned.n_items, planned.n_unequal, planned.left_out) == (60, 8, "")
    assert {"i10", "i11", "i12", "i13"} <= set(planned.pool_ids[planned.unequal])
    # A verdict on silence is no verdict on another model's silence.
    bank = Bank.of(pool)
    assert not set(pool.item_digests[10:14]) & set(bank.rows["item"])
    assert np.isnan(bank.lookup(pool, "v2").loss[10:14]).all()
    assert pool.target_answers("v1")[9:15].tolist() == ["A", None, None, None, None, "A"]
    generated = Pool.from_records([record | {"generations": ["A", written]} for record in records], "silent")
    assert answers_differ(generated, "v1", "v2")[10:14].all()


@pytest.mark.parametrize(("items", "differ", "margin", "graded"), [(600, 120, 0.03, True), (600, 90, 0.03, False)])
def test_lists_that_are_looked_at_after_any_label_reach_what_is_said(
    items: int, differ: int, margin: float, graded: bool
) -> None:
    planned = gate(versions(items, differ, differ // 2, graded), "v1", "v2", margin=margin, looks="any")
    stated, rng = decided_at(planned, 0.0), np.random.default_rng(0)
    assert stated is not None
    ids, people, passed, lists = planned.pool_ids[planned.unequal], _people(planned, 0.0), 0, 60
    for _ in range(lists):
        losses: dict[object, float] = {}
        for number, row in enumerate(people):
            places = np.flatnonzero(planned.stratum == number)
            gaps = rng.permutation(np.repeat([-1, 0, 1], row))
            for place, gap in zip(places.tolist(), gaps.tolist(), strict=True):
                old = planned.old_loss[place] if graded else float(gap < 0)
                losses |= {(ids[place], "v2"): old + gap, (ids[place], "v1"): old}
        listed = set(planned.items["item_id"])
        verdict = planned.decide({key: loss for key, loss in losses.items() if key[0] in listed}).verdict
        passed += verdict == "pass"
    assert abs(passed / lists - stated[0]) <= 4 * (0.25 / lists + 0.25 / 500) ** 0.5
    once = replace(planned, looks="once")
    fewer, usual = (reached(one) for one in (planned, once))
    assert f"{per_cent(stated[0])} of the time" in fewer and "planned to pass such a version 80" in fewer
    assert usual == "" and decided_at(once, 0.0)[0] > stated[0] + 0.2
    shown = chances(planned)
    assert shown.as_good["passed"].iloc[0] == stated[0] and "as long as one that is looked at once" in shown.sentence
    assert "as long as" not in chances(once).sentence
