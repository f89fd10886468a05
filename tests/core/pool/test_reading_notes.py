"""Remarks on how answers are read: official rules beside outputs that run on, and formulas that nobody can compute."""

from __future__ import annotations

from typing import Any

import pytest

from core.pool import Pool

RUNS_ON = "I take B.\n\nQuestion: Which is next?\nA. this\nB. that\nAnswer: C"


def pool(text: str, **record: Any) -> Pool:
    return Pool.from_records([{"id": f"q{n}", "targets": {"m": {"text": text}}, **record} for n in range(3)])


@pytest.mark.parametrize("kind", ["mmlu-pro", "gpqa"])
def test_official_rules_read_on_and_the_pool_says_so(kind: str) -> None:
    some = pool(RUNS_ON, answer="B", answer_kind=kind, choices=["a", "b", "c", "d"])
    assert some.losses("m").tolist() == [1.0] * 3, "to the letter"
    (note,) = some.remarks
    assert (
        note.startswith("3 outputs go on behind their answer") and "first: item q0" in note and "Option letter" in note
    )


def test_nothing_is_said_where_a_cut_changes_nothing() -> None:
    options = {"answer": "B", "choices": ["a", "b", "c", "d"]}
    assert pool("The answer is (B).\n\nQuestion: Next?\nAnswer: C", answer_kind="mmlu-pro", **options).remarks == ()
    assert pool("Answer: B", answer_kind="gpqa", **options).remarks == ()
    cut = pool(RUNS_ON, answer_kind="choice", **options)
    assert cut.remarks == () and cut.losses("m").tolist() == [0.0] * 3


def test_formulas_that_cannot_be_computed_are_named_with_the_package_that_may() -> None:
    matrix = r"\begin{{{0}}}1\\2\end{{{0}}}".format
    some = pool(rf"\boxed{{{matrix('bmatrix')}}}", answer=matrix("pmatrix"), answer_kind="text")
    (note,) = some.remarks
    assert note.startswith("3 answers differ from their right answer") and "math-verify" in note
    assert pool(r"\boxed{\sqrt{12}}", answer=r"2\sqrt{3}", answer_kind="text").remarks == ()
    assert pool(r"\boxed{2\sqrt{5}}", answer=r"2\sqrt{3}", answer_kind="text").remarks == ()


def numbered(golds: list[int], said: list[int]) -> Pool:
    rows = enumerate(zip(golds, said, strict=True))
    return Pool.from_records(
        [
            {"id": f"q{n}", "answer": str(gold), "answer_kind": "number", "targets": {"m": {"text": str(one)}}}
            for n, (gold, one) in rows
        ]
    )


WRONG = [n % 10 in (1, 4, 8) for n in range(40)]


@pytest.mark.parametrize("size", [2, 3, 4, 10])
@pytest.mark.parametrize(("first", "other", "how"), [(1, 0, "less"), (0, 1, "more")])
def test_answers_that_count_from_another_number_are_named(size: int, first: int, other: int, how: str) -> None:
    """Of right answers 1 to 4 and outputs 0 to 3, a model that was right on 70 % of the items had 10 %."""
    golds = [n * 7 // 3 % size for n in range(40)]
    said = [(gold + wrong) % size for gold, wrong in zip(golds, WRONG, strict=True)]
    some = numbered([one + first for one in golds], [one + other for one in said])
    assert any(f"“m” are 1 {how} than the right ones for 28 of 40 items" in note for note in some.remarks)
    alike = numbered([one + first for one in golds], [one + first for one in said])
    assert alike.remarks == () and alike.targets["m"].accuracy() == pytest.approx(0.7)


@pytest.mark.parametrize(
    ("golds", "said"),
    [
        ([n % 5 + 1 for n in range(40)], [max(1, n % 5) for n in range(40)]),
        ([n % 5 for n in range(40)], [0] * 40),
        ([2 * n for n in range(40)], [2 * n + n % 2 for n in range(40)]),
        ([n % 4 + 1 for n in range(40)], [n % 3 for n in range(40)]),
    ],
    ids=["one class too low", "always the same", "sums", "at random"],
)
def test_numbers_that_are_merely_wrong_are_no_remark(golds: list[int], said: list[int]) -> None:
    assert not any("count from 0" in note for note in numbered(golds, said).remarks)


def compared(right: str, said: str, kind: str = "number", size: int = 3) -> Pool:
    return Pool.from_records(
        [{"id": f"q{n}", "answer": right, "answer_kind": kind, "targets": {"m": {"text": said}}} for n in range(size)]
    )


@pytest.mark.parametrize(
    ("right", "said"),
    [
        ("5 km", "5 m"), ("5 km", "5 meters"), ("5km", "It is 5 miles."), ("€5", "$5"), ("5 kg", "5 lbs"),
        ("2 hours", "2 minutes"), ("5 dollars", "5 cents"), ("20 °C", "20 °F"), ("3 feet", "3 inches"),
        ("50 km/h", "50 mph"), ("£5", "5 euros"), ("12.50 EUR", "12.50 USD"),
    ],
)  # fmt: skip
def test_numbers_that_are_equal_but_for_their_units_are_named(right: str, said: str) -> None:
    (note,) = compared(right, said).remarks
    assert note.startswith("3 outputs of “m” count as right although their unit differs") and "item q0" in note


@pytest.mark.parametrize(
    ("right", "said"),
    [
        ("5 km", "5 kilometers"), ("5 km", "5"), ("5", "5 km"), ("5 apples", "5 fruits"), ("$5", "5 dollars"),
        ("50%", "50 percent"), ("2 hours", "In 3 minutes they go 1 m, so 2 hours."), ("5 km", "6 m"), ("5", "m = 5"),
    ],
)  # fmt: skip
def test_units_that_are_the_same_or_missing_are_no_remark(right: str, said: str) -> None:
    assert not any("unit differs" in note for note in compared(right, said).remarks)


@pytest.mark.parametrize(
    ("right", "said"),
    [
        ("4A", "4B"), ("4 pm", "4 am"), ("140 AD", "140 BC"), ("140 A.D.", "140 BC"), ("$5 profit", "$5 loss"),
        ("< 5", "> 5"), ("5y", "5x"), ("5", "5i"), ("5", "log 5"), ("5", "half of 5"), ("5", "5 dozen"), ("5", "≥ 5"),
        ("5", "at least 5"), ("5", "±5"), ("5", "5 (incorrect)"), ("5", "3 to 5"),
        ("5", "between 3 and 5 km"), ("5", "3–5"),
        ("5 N", "5 W"), ("2° N", "2° S"), ("5", "1 out of 5"), ("5", "The total is 56, of which 5"),
        ("5", "8, up from 5"), ("5", "It is 9 instead of 5."), ("5", "There are 9, compared with 5."),
    ],
)  # fmt: skip
def test_numbers_that_stand_with_another_word_or_sign_are_named(right: str, said: str) -> None:
    (note,) = compared(right, said).remarks
    assert note.startswith("3 outputs of “m” count as right although another word or sign stands") and "item q0" in note


@pytest.mark.parametrize(
    ("right", "said"),
    [
        ("5 points", "5 pts"), ("5 apples", "There are 5 red apples."), ("5", "It is 5!"), ("5", "5 eggs in all"),
        ("5 pm", "5 p.m."), ("5 apples", "5"), ("5", "3 of the boxes hold 5"), ("1 out of 5", "2 out of 5"),
        ("5 apples", "The answer is 5, since 2 + 3 = 5."), ("< 5", "<5"),
    ],
)  # fmt: skip
def test_numbers_with_the_same_words_or_none_are_no_remark(right: str, said: str) -> None:
    assert compared(right, said).remarks == ()


@pytest.mark.parametrize(
    ("right", "said"),
    [("79", "79k"), ("79", "79 k"), ("79", "79M"), ("79 bn", "79"), ("79", "It is 79mn.")],
)
def test_a_number_beside_one_with_a_letter_for_its_zeros_is_named(right: str, said: str) -> None:
    (note,) = compared(right, said).remarks
    assert "another word or sign stands with the number" in note


@pytest.mark.parametrize(
    ("right", "said"),
    [
        ("5!", "5"), ("5", "5!"), ("k!", "k"), ("5!", "The answer is 5."), ("f''", "f'"),
        ("5'", '5"'), ("~p", "p"), ("p", "¬p"), ("O(n)", "o(n)"), ("5 mW", "5 MW"), ("x³", "x3"), ("007", "7"),
    ],
)  # fmt: skip
def test_texts_that_are_equal_but_for_a_sign_that_means_something_are_named(right: str, said: str) -> None:
    pool = compared(right, said, "text")
    named = any("3 outputs of “m” count as right although other signs stand there" in note for note in pool.remarks)
    assert named != pool.losses("m").any()


@pytest.mark.parametrize(
    ("right", "said"),
    [
        ("Paris", "Paris!"), ("5", "It is 5!"), ("5", '"5"'), ("f", "'f'"), ("Paris", "paris."), ("x^2", "x²"),
        ("5 m²", "5 m2"), ("H₂O", "H2O"), ("B", 'The answer is "B".'), ("5", "**5**"), ("5", "5.0"), ("Yes", "yes!"),
        ("dogs", "dogs'"), ("Oslo", "Answer: ‘Oslo’"), ("B", "B!"), ("5 MB", "5 mb"),
        ("(Paris, Rome)", "[Paris, Rome]"),
    ],
)  # fmt: skip
def test_punctuation_around_equal_texts_is_no_remark(right: str, said: str) -> None:
    assert not any("other signs stand" in note for note in compared(right, said, "text").remarks)


CITIES = ["Oslo", "Bern", "Lima", "Cairo"]


@pytest.mark.parametrize(
    ("said", "noted"),
    [
        ("В", "name the right option and no other"),
        ("Bern, as everybody knows", "name the right option and no other"),
        ("Oslo is in Norway, and Lima in Peru. Bern it must be", "name the right option and no other"),
        ("0", "numbers of options from 1"),
        ("A", ""),
        ("Bern or Lima", ""),
        ("Not Bern", ""),
        ("Answer: A. Oslo, not Bern", ""),
    ],
)
def test_options_that_outputs_name_although_they_count_as_wrong_are_named(said: str, noted: str) -> None:
    some = pool(said, answer="B", answer_kind="choice", choices=CITIES)
    assert some.losses("m").tolist() == [1.0] * 3
    assert len(some.remarks) == bool(noted) and all(noted in note for note in some.remarks)


@pytest.mark.parametrize(("first", "second"), [("3.1", "3.10"), ("7", "007"), ("2.0", "2")])
def test_right_answers_that_are_one_number_in_other_digits_are_named(first: str, second: str) -> None:
    some = numbered([1, 2], [1, 2])
    assert some.remarks == ()
    records = [
        {"id": one, "answer": one, "answer_kind": "number", "targets": {"m": {"text": one}}} for one in (first, second)
    ]
    (note,) = Pool.from_records(records).remarks
    assert f"“{first}” and “{second}”" in note and "versions or codes" in note


@pytest.mark.parametrize(
    ("said", "noted"),
    [
        ("Bern", True),
        ("The answer is Bern.", True),
        ("2", True),
        ("A", False),
        ("A or C", False),
        ("I cannot say.", False),
    ],
)
def test_outputs_without_a_letter_are_counted_where_options_are_not_known(said: str, noted: bool) -> None:
    some = pool(said, answer="B", answer_kind="choice")
    assert some.losses("m").tolist() == [1.0] * 3
    counted = "3 outputs of “m” that count as wrong hold no letter"
    assert len(some.remarks) == noted and all(note.startswith(counted) for note in some.remarks)


SENTIMENTS = ("positive", "negative", "neutral")
OTHER_WORDS = [
    (("pos", "negative", "neutral"), "8 outputs of “m” that count as wrong say “pos” (8)"),
    (("pos.", "neg", "neutral"), "say “pos” (8) and “neg” (8), which none of the 3 different right answers is"),
    (("It is pos", "negative", "neutral"), "“pos” (8)"),
    (("mixed", "mixed", "neutral"), "“mixed” (16)"),
]
# Other right answers, one in a sentence, answers of which no two are alike, and letters.
PLAIN_WORDS = [
    (SENTIMENTS, SENTIMENTS),
    (SENTIMENTS, ("negative", "neutral", "positive")),
    (SENTIMENTS, ("It is positive.", "Negative", "neutral")),
    (("A", "B", "C"), ("D", "E", "F")),
    (("1", "2", "3"), ("4", "4", "4")),
]


def worded(truths: tuple[str, ...], said: tuple[str, ...], kind: str = "text") -> tuple[str, ...]:
    rows = [
        {"id": f"q{n}", "answer": truths[n % 3], "answer_kind": kind, "targets": {"m": {"text": said[n % 3]}}}
        for n in range(24)
    ]
    return tuple(note for note in Pool.from_records(rows).remarks if "different right answers" in note)


@pytest.mark.parametrize(("said", "named"), OTHER_WORDS)
def test_words_that_no_right_answer_is_are_named(said: tuple[str, ...], named: str) -> None:
    (note,) = worded(SENTIMENTS, said)
    assert named in note


@pytest.mark.parametrize(("truths", "said"), PLAIN_WORDS)
def test_right_answers_of_other_items_are_merely_wrong(truths: tuple[str, ...], said: tuple[str, ...]) -> None:
    assert worded(truths, said) == ()


def test_answers_of_which_no_two_are_alike_are_no_classes() -> None:
    rows = [
        {"id": f"q{n}", "answer": f"city {n}", "answer_kind": "text", "targets": {"m": {"text": "Oslo"}}}
        for n in range(24)
    ]
    assert not any("different right answers" in note for note in Pool.from_records(rows).remarks)


def test_one_output_that_is_right_but_for_its_form_is_named() -> None:
    rows = [
        {"id": f"q{n}", "answer": f"2024-03-{n + 1:02}", "answer_kind": "text", "targets": {"m": {"text": said}}}
        for n, said in enumerate(["March 1, 2024", *(f"2024-03-{n + 1:02}" for n in range(1, 20))])
    ]
    (note,) = Pool.from_records(rows).remarks
    assert note.startswith("1 output of “m” that counts as wrong names the right date in another spelling, “March 1")


@pytest.mark.parametrize("said", ["Not spam.", "not spam", "NOT SPAM"])
def test_another_right_answer_contains_none(said: str) -> None:
    rows = [
        {"id": f"q{n}", "answer": ("spam", "not spam")[n % 2], "answer_kind": "text", "targets": {"m": {"text": said}}}
        for n in range(20)
    ]
    assert Pool.from_records(rows).remarks == ()
