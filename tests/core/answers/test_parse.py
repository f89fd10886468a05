"""Parsing: every kind reads any text to its end, and an answer parses to itself."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.answers import KINDS, PARSER_VERSION, parse
from core.errors import DesignError
from tests.core.answers.conftest import CITIES

TEN = [f"option {i}" for i in range(10)]

# Pieces that the rules look for, so that random outputs meet the rules.
MODEL_WORDS = st.sampled_from(
    [
        *("answer", "Answer", "answer is", "Answer:", '"answer": "B"', "####", "\\boxed{", "\\text{", "\\frac{1}{2}"),
        *(
            "<think>",
            "</think>",
            "<answer>",
            "{",
            "}",
            "(",
            ")",
            "**",
            "\n",
            " ",
            ".",
            ",",
            "-",
            "−",
            "'",
            "$",
            "%",
            "/",
            "=",
        ),
        *(
            "A",
            "B",
            "I",
            "a",
            "J",
            "is",
            "not",
            "or",
            "option",
            "1",
            "1,234",
            "3.50",
            "1e3",
            "e",
            "10^",
            "²",
            "５",
            "ﬁ",
            "İ",
        ),
    ]
)

OUTPUTS = st.one_of(st.text(), st.lists(MODEL_WORDS).map("".join), st.lists(MODEL_WORDS).map(" ".join))


class TestParse:
    def test_unknown_kind_names_the_kinds(self) -> None:
        with pytest.raises(DesignError, match=r"“roman”.*mmlu-pro"):
            parse("B", "roman")

    def test_every_kind_has_a_version(self) -> None:
        assert set(PARSER_VERSION) == set(KINDS)
        assert {"choice", "number", "text", "open", "as-is", "mmlu-pro", "mmlu-redux", "gpqa", "mmbench"} == set(KINDS)

    @pytest.mark.parametrize("kind", KINDS)
    @given(text=OUTPUTS, choices=st.none() | st.lists(st.text(max_size=5) | MODEL_WORDS, max_size=30))
    def test_never_raises_and_never_returns_an_empty_answer(
        self, kind: str, text: str, choices: list[str] | None
    ) -> None:
        answer = parse(text, kind, choices)
        assert answer is None or answer.strip()

    @pytest.mark.parametrize("kind", ["text", "number", "as-is", "choice"])
    @given(text=OUTPUTS)
    def test_an_answer_parses_to_itself(self, kind: str, text: str) -> None:
        answer = parse(text, kind)
        if answer is not None:
            assert parse(answer, kind) == answer

    @pytest.mark.parametrize("kind", ["choice", "mmlu-redux", "mmbench"])
    @given(text=OUTPUTS, n=st.integers(0, 12))
    def test_a_letter_beyond_the_options_is_no_answer(self, kind: str, text: str, n: int) -> None:
        answer = parse(text, kind, TEN[:n])
        assert answer is None or answer in "ABCDEFGHIJ"[:n]

    @pytest.mark.parametrize(
        "fragment",
        [
            "a",
            "A ",
            "a. paris ",
            "1",
            "1,",
            "1,234,",
            "12,34,",
            "1/",
            "1.",
            ".",
            "-",
            " ",
            "\n",
            "(",
            "((B)",
            "\\boxed{",
            "\\text{",
            "{",
            "}",
            '{"answer":',
            '"answer": "',
            "answer",
            "answer is ",
            "Answer:",
            "answer: \n",
            "answer to ",
            "answer to     ",
            "####",
            "**",
            "** A",
            "**A. ",
            "<think>",
            "</think>",
            "<answer>",
            "A or ",
            "10^",
            "1 1/",
            "1e",
            "st. ",
            "\\frac{",
            "\\boxed {answer is 1/0 ",
            "Answer",
            "Answer \t",
            "²",
            "١",
            "1\u00a0000",
            '"',
            "B.\n",
            "(A)\n",
            "1/0 ",
            "1e99999999999999999999 ",
            "Question: x\n",
            "<|im_start|>user\n",
            "[THINK]",
            "analysis",
            "assistantfinal",
            "<|channel|>",
            "antwort ",
            "答案",
            "الإجابة ",
            "la respuesta correcta es ",
            "yes, ",
            "1 000 ",
            "1.000,",
            "√3",
            "½",
            "\\frac12",
            "(A) is correct and ",
            "####1\n",
            "A) x - yes\n",
            "one hundred ",
            '{"answer": "',
            "\nHow many dogs and cats has Tom?\n",
            "A: ",
            "a: ",
            "Assistant: ",
            "so yes. ",
            "2^2",
            "10,\\!",
            "it's ",
        ],
    )
    def test_long_repetitions_are_read_to_the_end(self, fragment: str) -> None:
        text = fragment * (10_000 // len(fragment))
        for kind in KINDS:
            before = time.process_time()
            for tail in ("x", " Answer: B"):
                answer = parse(text + tail, kind, CITIES)
                assert answer is None or isinstance(answer, str), kind
            # A pattern that reads every rest of the text again would take a second or more.
            assert time.process_time() - before < 0.5, kind
