"""Choices: the letter of the chosen option, found in realistic outputs."""

from __future__ import annotations

import pytest

from core.answers import parse
from tests.core.answers.conftest import CITIES


class TestChoice:
    @pytest.mark.parametrize(
        ("text", "answer"),
        [
            # the whole output
            ("B", "B"),
            (" B\n", "B"),
            ("(B)", "B"),
            ("[B]", "B"),
            ("B.", "B"),
            ("B)", "B"),
            ("b)", "B"),
            ("(b)", "B"),
            ("b", "B"),
            ("d.", "D"),
            ("**B**", "B"),
            ("**(B)**", "B"),
            ("`B`", "B"),
            ('"B"', "B"),
            ("$B$", "B"),
            ("\\boxed{B}", "B"),
            ("\\boxed{\\text{(B)}}", "B"),
            ("Ｂ", "B"),
            ("A", "A"),
            ("a", "A"),
            ("Option C", "C"),
            ("option c", "C"),
            ("E", None),
            ("I", None),
            ("N", None),
            ("AB", None),
            # behind a marker
            ("The answer is (B).", "B"),
            ("The answer is B.", "B"),
            ("the answer is b.", "B"),
            ("The answer is: B", "B"),
            ("Answer: B", "B"),
            ("ANSWER: B", "B"),
            ("**Answer:** C", "C"),
            ("**Answer**: C", "C"),
            ("Answer: **C**", "C"),
            ("Answer: **C) Rome**", "C"),
            ("### Final Answer\n\nC", "C"),
            ("The correct answer is: **(C) Rome**", "C"),
            ("The answer is **C**, Rome.", "C"),
            ("Answer: C. Rome", "C"),
            ("Answer: C - Rome", "C"),
            ("The answer is option C because of Caesar.", "C"),
            ("The correct option is C.", "C"),
            ("The best choice would be B", "B"),
            ("the answer to the question is (D)", "D"),
            ("The answer is $\\boxed{C}$.", "C"),
            ("\\boxed{\\textbf{C}}", "C"),
            ("\\boxed{C. Rome}", "C"),
            ("<answer>C</answer>", "C"),
            ("The answer is B because it rains", "B"),
            ("The answer is A because it rains", "A"),
            ("Answer: A is correct", "A"),
            ("Answer: A, since nothing else fits", "A"),
            ("First I thought the answer is A. No: the answer is B.", "B"),
            ("The answer is (A). Let me know if this answer is helpful!", "A"),
            ("Answer: C\n\nA is wrong because it is cold.", "C"),
            ("Answer: (C)\n\n(A) is too early; (B) too late.", "C"),
            ("The answer is 'b'", "B"),
            ("The answer is (E).", None),
            ("The answer is N", None),
            ("The answer is (A) or (B).", None),
            ("The answer is B and C", None),
            ("Answer: A, B", None),
            ("Answer: B/C", None),
            ("\\boxed{A, C}", None),
            ("The answer is not (B).", None),
            ("The answer isn't B", None),
            # running words
            ("The answer is Because of the rain it was postponed, as we all know from the many earlier reports.", None),
            ("The answer is a dog", None),
            ("The answer is A dog", None),
            ("The answer is I think a dog", None),
            ("Answer: I'd say so", None),
            ("The answer is a", "A"),
            ("The answer is D = 5 metres", None),
            ("The answer is B12", None),
            ("The answer is C++", None),
            ("I think it is a good idea", None),
            ("A cat sat there.", None),
            ("I am sorry, I cannot help with that.", None),
            ("Answer: A-levels are hard", None),
            ("The answer is e.g. a dog", None),
            ("It's I", None),
            ("J. K. Rowling", None),
            # the option's text
            ("London", "B"),
            ("london.", "B"),
            ("The answer is London", "B"),
            ("The answer is London. It rains there.", "B"),
            ("Answer: **London**", "B"),
            ("\\boxed{\\text{London}}", "B"),
            ("Vitamin C", "D"),
            ("The answer is vitamin  c", "D"),
            ("Paris, London", None),
            ("The answer is Madrid", None),
            ("Not London", None),
            # lists, bold, last line, short outputs
            ("B. London", "B"),
            ("(B) London is in England.", "B"),
            ("b) London", "B"),
            ("A. no\nB. yes\nC. no", None),
            ("A: wrong. B: wrong. C: right. D: wrong.", "C"),
            ("A: wrong, of Spain. B: wrong, of Peru. C: right, as all know. D: wrong, as it is cold.", "C"),
            (
                "A: wrong. B: wrong. D: wrong. That leaves one option, and it is not hard to say which of them it is.",
                None,
            ),
            ("A: no. B: no. My choice: C", "C"),
            ("A: no", "A"),
            (
                "**B. London** is the capital, and has been for a very long time, as everybody in the country knows.",
                "B",
            ),
            (
                "Both **A** and **B** look possible at first sight, but one has to weigh all the evidence, I fear.",
                None,
            ),
            (
                "There were many reasons, among them the weather in the year of the great fire; so we conclude:\n\nB",
                "B",
            ),
            ("Of all the cities that one could name here, the one that lies on the Thames is clearly: B. London", "B"),
            (
                "The city on the Thames, about which so very much has been written over the years, is **(B) London**.",
                "B",
            ),
            ("A. Paris is wrong, since it lies on the Seine. B. London is right, because it lies on the Thames.", None),
            ("The answer is (a) 0.217, (b) 0.356.", None),
            ("a) first we add; b) then we divide", None),
            ("I would go with B", "B"),
            ("I choose (C)!", "C"),
            ("It is option A", "A"),
            ("I would go with A", "A"),
            ("Not A, but B.", "B"),
            ("It is not (A)", None),
            ("B or C", None),
            ("Either A or B?", None),
            ("It must be E", None),
            (
                "Long deliberation about A Tale of Two Cities, and about B as well, which I never finished reading.",
                None,
            ),
            # reasoning
            ("<think>The answer is A.</think>\nB", "B"),
            ("<think>The answer is A.", None),
            ("The answer is A.</think>The answer is D.", "D"),
            ("", None),
            ("\n", None),
            ("?", None),
            ("42", None),
        ],
    )
    def test_outputs_for_four_options(self, text: str, answer: str | None) -> None:
        assert parse(text, "choice", CITIES) == answer

    @pytest.mark.parametrize(
        ("text", "answer"),
        [
            ("N", "N"),
            ("Z.", "Z"),
            ("I", "I"),
            ("The answer is (I).", "I"),
            ("London", None),
            ("The answer is I and II", None),
        ],
    )
    def test_without_options_every_letter_counts(self, text: str, answer: str | None) -> None:
        assert parse(text, "choice") == answer

    def test_no_option_no_answer(self) -> None:
        assert parse("A", "choice", []) is None

    @pytest.mark.parametrize(
        ("text", "choices", "answer"),
        [
            ("The answer is I and II only", ["I only", "I and II only", "II only"], "B"),
            ("42", ["24", "42"], "B"),
            ("The answer is a large dog.", ["a small dog", "A large dog"], "B"),
            ("The answer is A large dog.", ["a small dog", "A large dog"], "B"),
            ("yes", ["Yes", "yes", "no"], None),
            ("\\boxed{\\frac{1}{2}}", ["$\\frac{1}{3}$", "$\\frac{1}{2}$"], "B"),
            ("...", ["...", "x"], None),
        ],
    )
    def test_an_option_named_by_its_text(self, text: str, choices: list[str], answer: str | None) -> None:
        assert parse(text, "choice", choices) == answer
