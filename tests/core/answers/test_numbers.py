"""Numbers: which number of an output is the answer, and one spelling for equal values."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context, Decimal, localcontext

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.answers import languages, parse


def as_read(value: Decimal) -> Decimal:
    """Return a value as it is, or with 15 digits if it is not whole and has 16 or 17."""
    digits = "".join(map(str, value.as_tuple().digits)).strip("0")
    is_float = value != value.to_integral_value() and len(digits) in (16, 17)
    return Context(prec=15, rounding=ROUND_HALF_UP).plus(value) if is_float else value


class TestNumber:
    @pytest.mark.parametrize(
        ("text", "answer"),
        [
            # spelling
            ("1,234", "1234"),
            ("1,234,567.80", "1234567.8"),
            ("1,00,000", "100000"),
            ("10{,}000", "10000"),
            ("10\\,000", "10000"),
            ("10\u202f000", "10000"),
            ("$18", "18"),
            ("\\$18.00", "18"),
            ("-$10,000", "-10000"),
            ("$-5", "-5"),
            ("£3.50", "3.5"),
            ("−5", "-5"),
            ("–5", "-5"),
            ("+5", "5"),
            ("3.50", "3.5"),
            (".5", "0.5"),
            ("18.", "18"),
            ("18.0", "18"),
            ("007", "7"),
            # floats as programs write them; whole numbers and longer ones keep all digits
            ("0.30000000000000004", "0.3"),
            ("7.999999999999999", "8"),
            ("2.9999999999999996", "3"),
            ("-1.1000000000000001e-05", "-0.000011"),
            ("9007199254740993", "9007199254740993"),
            ("9007199254740993.0", "9007199254740993"),
            ("3.14159265358979323846", "3.14159265358979323846"),
            ("0.000", "0"),
            ("-0", "0"),
            ("-0.0", "0"),
            ("# 18", "18"),
            ("**18**", "18"),
            ("_18_", "18"),
            ("50%", "50"),
            ("50\\%", "50"),
            ("18 dollars", "18"),
            ("18th", "18"),
            ("５，０００", "5000"),
            ("١٢٣", "123"),
            ("٣٫٥", "3.5"),
            # fractions, powers, exponents
            ("3/4", "0.75"),
            ("6/8", "0.75"),
            ("-1/3", "-1/3"),
            ("2/6", "1/3"),
            ("10/5", "2"),
            ("2 1/2", "2.5"),
            ("1 1/3", "4/3"),
            ("\\frac{3}{4}", "0.75"),
            ("-\\frac{1}{3}", "-1/3"),
            ("2\\frac{1}{2}", "2.5"),
            ("\\dfrac{10}{4}", "2.5"),
            ("3/0", None),
            ("1e3", "1000"),
            ("1.5E-3", "0.0015"),
            ("3 × 10⁸", "300000000"),
            ("1.5 \\times 10^{-3}", "0.0015"),
            ("10^6", "1000000"),
            ("1e999999999", "1e999999999"),
            ("10e999999998", "1e999999999"),
            ("-2.50e-400", "-2.5e-400"),
            ("0e999999999", "0"),
            ("1e99999999999999999999", None),
            ("7 or 1e99999999999999999999", "7"),
            ("1e" + "0" * 5000 + "3", "1000"),
            # which number
            ("She has 3 apples and buys 4, so 7.", "7"),
            ("16-3-4", "4"),
            ("10-15", "15"),
            ("(3,4)", "4"),
            ("x^2", None),
            ("CO2", None),
            ("The answer is 18 because 3 x 6.", "18"),
            ("The answer is 18. Then 20 - 2 = 18, see 5.", "18"),
            ("The answer is 16 - 3 - 4 = 9.", "9"),
            ("the answer is x = 5, or not 6", "5"),
            ("Answer: 42\nThanks! 1 2 3", "42"),
            ("Answer: She sells 16 - 3 - 4 = 9 eggs.\nShe makes 9 * 2 = $18 every day.", "18"),
            ("**Final Answer:** 18 dollars", "18"),
            ("**Answer**\n\n**18**", "18"),
            ("Answer: **$1,050.00**", "1050"),
            ("answer is approximately 3.14 m", "3.14"),
            ("The answer to 2 + 2 is 4, not 5", "4"),
            ("The answer is not 5. It is 6.", "6"),
            ("Answer: 5\nWait. Answer: 6", "6"),
            ("She makes 9 * 2 = <<9*2=18>>18 dollars.\n#### 18", "18"),
            ("#### -1,234.5", "-1234.5"),
            ("#### 4. Compute\nThus 18", "18"),
            ("#### Step 4: add\n9 + 9 = 18", "18"),
            ("So $\\boxed{18}$ eggs, out of 30.", "18"),
            ("\\boxed{x = \\frac{6}{8}}", "0.75"),
            ("\\boxed{18\\text{ eggs}}", "18"),
            ("\\boxed{\\text{18}}", "18"),
            ("\\boxed{-5^\\circ}", "-5"),
            ("\\boxed{ 3", "3"),
            ("<think>maybe 5</think>The answer is 6", "6"),
            ("<think>5 or 6, let me", None),
            ("<answer>1,200</answer> or 3", "1200"),
            ("The answer is 12, since 05/12/2024 is past", "12"),
            ("Date: 05/12/2024", "2024"),
            ("2:00 pm", "2"),
            ("Answer: 11:00", "11"),
            ("", None),
            ("I cannot answer that.", None),
            ("The answer is unknown.", None),
            ("∞", None),
            ("NaN", None),
            ("...", None),
            ("The answer is as follows: see above. 7", "7"),
        ],
    )
    def test_outputs(self, text: str, answer: str | None) -> None:
        assert parse(text, "number") == answer

    @example(Decimal("0.009183710990416671"))
    @example(Decimal("9.999999999999999"))
    @given(st.decimals(allow_nan=False, allow_infinity=False, min_value=Decimal(-(10**25)), max_value=Decimal(10**25)))
    @example(Decimal("0E+20"))
    @example(Decimal("1E-31"))
    def test_equal_values_have_equal_spellings(self, value: Decimal) -> None:
        spellings = {str(value), f"{value:f}", f"{value:,f}", f"${value:f}".replace("$-", "-$"), f"Answer: {value:e}."}
        answers = {parse(spelling, "number") for spelling in spellings}
        assert len(answers) == 1
        assert Decimal(answers.pop() or "NaN") == as_read(value)

    @example(1, 2**24, 1)
    @given(st.integers(-(10**9), 10**9), st.integers(1, 10**9), st.integers(1, 1000))
    def test_fractions_are_values(self, top: int, bottom: int, factor: int) -> None:
        answer = parse(f"{top}/{bottom}", "number")
        assert answer == parse(f"{top * factor}/{bottom * factor}", "number")
        assert answer is not None
        numerator, _, denominator = answer.partition("/")
        with localcontext(prec=99):
            value = Decimal(top) / Decimal(bottom)
        same = Decimal(numerator) * bottom == Decimal(top) * Decimal(denominator or 1)
        assert same or (not denominator and Decimal(numerator) == as_read(value))


def test_the_language_of_an_output_is_looked_for_once_however_many_numbers_it_has() -> None:
    looked_for = languages._has_decimal_comma.cache_info().misses
    assert parse("Points: " + "3,5x " * 500 + "so the answer is 7", "number") == "7"
    assert languages._has_decimal_comma.cache_info().misses <= looked_for + 10
