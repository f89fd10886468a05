"""Texts: what is left of an output that is a free text."""

from __future__ import annotations

import pytest

from core.answers import parse


class TestAsIs:
    @pytest.mark.parametrize(
        ("text", "answer"),
        [("  B \n", "B"), ("The answer is B", "The answer is B"), ("", None), (" \t\n\u00a0", None), ("b", "b")],
    )
    def test_only_the_surrounding_white_space_goes(self, text: str, answer: str | None) -> None:
        assert parse(text, "as-is") == answer


class TestText:
    @pytest.mark.parametrize(
        ("text", "answer"),
        [
            ("Paris", "paris"),
            ("  PARIS!\n", "paris"),
            ('"Paris"', "paris"),
            ("“Paris”", "paris"),
            ("**Paris**.", "paris"),
            ("(Paris)", "paris"),
            ("New \n\t York", "new york"),
            ("ﬁne ①", "fine 1"),
            ("Straße", "strasse"),
            ("Café", "café"),
            ("Cafe\u0301", "café"),
            ("c++", "c++"),
            ("C#", "c#"),
            ("-5", "-5"),
            ("50%", "50%"),
            ("f(x)", "f(x)"),
            ("", None),
            ("...", None),
            ('" "', None),
            ("Answer: Paris", "paris"),
            ("The answer is Paris.", "paris"),
            ("The answer is **Paris**. It lies on the Seine.", "paris"),
            ("The answer is St. Louis. It lies on the Mississippi.", "st. louis"),
            ("Answer: J. R. R. Tolkien", "j. r. r. tolkien"),
            ("Answer:\n\nParis\n\nIt lies on the Seine.", "paris"),
            ("**Answer**\nParis", "paris"),
            ("#### Paris", "paris"),
            ("\\boxed{\\text{New York}}", "new york"),
            ("\\boxed{\\text{a \\textbf{b}}}", "a b"),
            ("$x^{2}$", "x^{2}"),
            ("\\boxed{\\frac{1}{2}} is it", "\\frac{1}{2}"),
            ("<answer> Paris </answer>", "paris"),
            ("Answer: Rome. Answer: Paris", "paris"),
            ("<think>Rome</think> Paris", "paris"),
            ("<think>Rome", None),
            ("Answer:", "answer"),
            ("The answer is not Rome", "the answer is not rome"),
            ("One step.\nAnother step.", "one step. another step"),
        ],
    )
    def test_outputs(self, text: str, answer: str | None) -> None:
        assert parse(text, "text") == answer
