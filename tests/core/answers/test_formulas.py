"""Formulas: what means the same has one key, and nothing else does."""

from __future__ import annotations

import pytest

from core.answers import parse
from core.answers.formulas import formula_key


def key(text: str) -> str:
    return formula_key(parse(text, "text") or "")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (r"\frac{11+9a}{20}", r"\boxed{\dfrac{9a + 11}{20}}"),
        (r"x \in [-2,7]", r"\boxed{[-2, 7]}"),
        (r"(3, \frac{\pi}{2})", r"\boxed{\left( 3, \frac{\pi}{2} \right)}"),
        (r"2\sqrt{3}", r"\boxed{\sqrt{12}}"),
        (r"\{1, 2\}", r"\boxed{\{2,1\}}"),
        (r"(x+1)^2", r"\boxed{x^2 + 2x + 1}"),
        (r"\frac12", r"\boxed{0.5}"),
        (r"3\frac{1}{2}", r"\boxed{3.5}"),
        (r"90^\circ", r"\boxed{90}"),
        (r"\$18.90", r"\boxed{18.9}"),
        (r"y = 2x + 3", r"\boxed{y=2x+3}"),
        (r"-\frac{\sqrt{3}}{2}", r"\boxed{-\tfrac{\sqrt 3}{2}}"),
        (r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}", r"\boxed{\begin{pmatrix}1\\2\end{pmatrix}}"),
        (r"10,\!080", r"\boxed{10080}"),
        (r"e^{i\pi}", r"\boxed{-1}"),
        (r"(-\infty, 2) \cup (3, \infty)", r"\boxed{(-\infty,2)\cup(3,\infty)}"),
        (r"\text{east}", r"\boxed{\text{East}}"),
        (r"864 \mbox{ inches}^2", r"\boxed{864}"),
        (r"2^{40}", r"\boxed{1{,}099{,}511{,}627{,}776}"),
        (r"\frac{1234567891}{100}", r"\boxed{12345678.91}"),
        (r"10^{12}", r"\boxed{1,000,000,000,000}"),
        ("(5,6)", "(5, 6)"),
        ("(6,31,-1)", r"\boxed{(6, 31, -1)}"),
        ("(-1,2)", "(−1 , 2)"),
        ("1,-2", r"\boxed{1, -2}"),
        ("1.5, 2", "1.50,2"),
        ("1/2, 3", "(0.5,3)"),
        ("p - q", r"\boxed{p-q}"),
        ("6 - 5i", r"\boxed{6-5i}"),
        ("6 - 5i", "-5i + 6"),
        ("-x", "- x"),
        ("x - 2y", "x−2y"),
        ("a, b", "a,b"),
        ("1990 - 2000", "1990-2000"),
        ("10:30", "10 : 30"),
    ],
)
def test_formulas_that_mean_the_same_have_one_key(first: str, second: str) -> None:
    assert key(first) == key(second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("x^2", "x^3"),
        (r"\frac{1}{2}", r"\frac{1}{3}"),
        ("[1,2]", "(1,2)"),
        ("(1,2]", "[1,2]"),
        ("(1, 2)", "(2, 1)"),
        ("2024-01-05", "2018"),
        ("24-7", "17"),
        ("covid-19", "covid"),
        ("Vitamin B12", "12"),
        ("C++", "C"),
        ("0,125", "125"),
        ("Apollo 11", "11"),
        ("the value of x^2 is positive", "x^2"),
        (r"\sqrt{3}", "3"),
        (r"\pi", "3.14"),
        ("b2", "2b"),
        ("\\frac{1}{0}", "\\frac{2}{0}"),
        ("12345678901", "12345678902"),
        ("4111111111111111", "4111111111111112"),
        ("2^{40}", "1099511627777"),
        ("a-b-c", "a-c-b"),
        ("a - b - c", "a - c - b"),
        ("p - q", "q - p"),
        ("1, 2", "2, 1"),
        ("1 2", "12"),
        ("24 - 7", "17"),
        ("a b", "ab"),
        ("1/2/2024, 3", "2/4/2024, 3"),
        ("e2-e4", "e4-e6"),
        ("12345678.91", "12345678.92"),
    ],
)
def test_others_have_not(first: str, second: str) -> None:
    assert key(first) != key(second)


@pytest.mark.parametrize(
    "text", ["^" * 150, "\\frac" * 30, "(" * 150, "x^" * 80, "9^9^9^9^9", "100!!!!", "\\sqrt{" * 30]
)
def test_odd_formulas_have_a_key_too(text: str) -> None:
    assert formula_key(text)
