"""Agreement beyond chance, against published examples and sums by hand."""

from __future__ import annotations

from operator import mul

import pandas as pd
import pytest

from core.labels import beyond_chance, settle

# Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", section C: four observers, twelve units.
KRIPPENDORFF = {
    "A": "123321412...",
    "B": "1233224125.3",
    "C": ".3332342251.",
    "D": "12332441251.",
}


def ratings(people: dict[str, str]) -> pd.DataFrame:
    """A row for each label; a dot stands for none."""
    rows = [(f"q{n}", who, label) for who, said in people.items() for n, label in enumerate(said) if label != "."]
    return pd.DataFrame(rows, columns=["item_id", "annotator", "label"], dtype=object)


@pytest.mark.parametrize(("kind", "expected"), [("gold", 0.743), ("score", 0.849)])
def test_alpha_is_that_of_the_published_example(kind: str, expected: float) -> None:
    agreement = beyond_chance(ratings(KRIPPENDORFF), kind)
    assert agreement is not None and (agreement.coefficient, agreement.items, agreement.annotators) == ("alpha", 11, 4)
    assert agreement.value == pytest.approx(expected, abs=5e-4) and agreement.low is None


def test_kappa_and_its_limits_are_those_by_hand() -> None:
    # Table 20, 5, 10, 15: p_o = 0.7, p_e = 0.5. Fleiss, Cohen & Everitt: (0.10972 + 0.10188 - 0.01) / (0.25 · 50).
    people = {"Ann": "r" * 25 + "w" * 25, "Ben": "r" * 20 + "w" * 5 + "r" * 10 + "w" * 15}
    agreement = beyond_chance(ratings(people), "right-wrong")
    assert agreement is not None and (agreement.coefficient, agreement.items, agreement.annotators) == ("kappa", 50, 2)
    assert agreement.value == pytest.approx(0.4, abs=1e-12)
    assert agreement.low is not None and agreement.high is not None
    assert (agreement.high - agreement.low) / 2 == pytest.approx(1.96 * 0.016128**0.5, rel=1e-4)


def test_kappa_is_that_of_cohens_example() -> None:
    # Cohen (1960): p_o = 0.44 + 0.20 + 0.06 and p_e = 0.6 · 0.5 + 0.3 · 0.3 + 0.1 · 0.2 of 200 cases.
    table = [[88, 14, 18], [10, 40, 10], [2, 6, 12]]
    pairs = [(one, other) for one, row in zip("abc", table, strict=True) for other in "".join(map(mul, "abc", row))]
    agreement = beyond_chance(
        ratings(dict(zip(("Ann", "Ben"), map("".join, zip(*pairs, strict=True)), strict=True))), "gold"
    )
    assert agreement is not None and agreement.value == pytest.approx(0.29 / 0.59, abs=1e-12)


def test_kappa_tells_who_said_what() -> None:
    # Shares 1/2, 1/4 / 0, 1/4: p_o = 3/4, p_e = 1/2. Weights 3/8, -3/8 and 5/8: variance (13/64 - 1/16) / (1/4 · 32).
    said = {"Ann": "r" * 24 + "w" * 8, "Ben": "r" * 16 + "w" * 16}
    agreement, turned = (
        beyond_chance(ratings(dict(zip(names, said.values(), strict=True))), "gold") for names in ("AB", "BA")
    )
    assert agreement == turned and agreement is not None and agreement.value == pytest.approx(0.5, abs=1e-12)
    assert agreement.low is not None and agreement.low == pytest.approx(0.5 - 1.96 * (9 / 512) ** 0.5, abs=1e-4)


def test_two_people_who_score_have_an_alpha() -> None:
    # Pairs (0, 1) and (1, 1): D_o = (2·1/1 + 0) / 4 = 1/2; values 0 1 1 1: D_e = 2 · 0.75 / 3 = 1/2; alpha = 0.
    agreement = beyond_chance(ratings({"Ann": "01", "Ben": "11"}), "score")
    assert agreement is not None and (agreement.coefficient, agreement.value) == (
        "alpha",
        pytest.approx(0.0, abs=1e-12),
    )


def test_people_who_always_differ_agree_less_than_chance() -> None:
    agreement = beyond_chance(ratings({"Ann": "rwrw", "Ben": "wrwr"}), "right-wrong")
    assert agreement is not None and agreement.value == pytest.approx(-1.0)


@pytest.mark.parametrize("items", [1, 2, 30])
def test_each_saying_one_thing_of_all_items_is_chance(items: int) -> None:
    agreement = beyond_chance(ratings({"Ann": "r" * items, "Ben": "w" * items}), "right-wrong")
    assert agreement is not None and (agreement.value, agreement.low, agreement.high) == (0.0, None, None)


def test_full_agreement_has_no_limits() -> None:
    agreement = beyond_chance(ratings({"Ann": "rrw", "Ben": "rrw"}), "right-wrong")
    assert agreement is not None and (agreement.value, agreement.low, agreement.high) == (
        pytest.approx(1.0),
        None,
        None,
    )


def test_items_of_one_person_do_not_count() -> None:
    both = {"Ann": "rrwrw", "Ben": "rwwrr"}
    more = {"Ann": both["Ann"] + "rrw..", "Ben": both["Ben"] + "...ww"}
    assert beyond_chance(ratings(more), "right-wrong") == beyond_chance(ratings(both), "right-wrong")


@pytest.mark.parametrize(
    "people",
    [{}, {"Ann": "rw"}, {"Ann": "rw..", "Ben": "..wr"}, {"Ann": "rr", "Ben": "rr"}, {"Ann": "rw", "": "rr"}],
)
def test_nothing_is_said_where_nothing_can_be(people: dict[str, str]) -> None:
    assert beyond_chance(ratings(people), "right-wrong") is None


def test_who_contradicts_themselves_is_left_out_of_that_item() -> None:
    clear = ratings({"Ann": "rrwr", "Ben": "rwwr"})
    torn = pd.concat([clear, ratings({"Ann": "....rw", "Ben": "....rr"}).query("item_id == 'q4'")])
    torn.loc[len(torn) + 100] = ["q4", "Ann", "w"]
    assert beyond_chance(torn, "right-wrong") == beyond_chance(clear, "right-wrong")


def test_a_settlement_hands_over_what_answers_mean() -> None:
    rows = pd.DataFrame(
        [("a", "11", "Ann"), ("a", "11.0", "Ben"), ("b", "7", "Ann"), ("b", "8", "Ben"), ("c", "5", "Ann")],
        columns=["item_id", "label", "annotator"],
    )
    items = pd.DataFrame({"answer_kind": ["number"] * 3}, index=["a", "b", "c"])
    settlement = settle(rows, ["a", "b", "c"], "p", items=items, parser="number")
    assert settlement.ratings["item_id"].tolist() == ["a", "a", "b", "b"]
    first, second, *others = settlement.ratings["label"]
    assert first == second and len(set(others)) == 2
