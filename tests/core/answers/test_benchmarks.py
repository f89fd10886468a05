"""Benchmarks: the official rules against the published patterns and the published answers."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.answers import parse
from tests.core.answers.conftest import CITIES, mmlu_pro_records

STAGE_ONE_MODELS = (
    *("Llama-2-13b-hf", "Llama-2-70b-hf", "Meta-Llama-3-70B", "Meta-Llama-3-8B", "Mistral-7B-Instruct-v0.2"),
    *("Mistral-7B-v0.1", "Mixtral-8x7B-v0.1", "Phi-3-mini-4k-instruct", "Yi-6b-Chat", "gemma-7b"),
)


class TestMmluPro:
    @pytest.mark.parametrize(
        ("text", "answer"),
        [
            ("The answer is (B).", "B"),
            ("the answer is J", "J"),
            ("The answer is Because of it", "B"),
            ("answer is A. answer is B", "A"),
            ("The answer is **B**", "B"),
            ("The answer is K. C", "C"),
            ("Answer: C", "C"),
            ("answer: \n C", "C"),
            ("Answer: (C), not D", "D"),
            ("Answer: A, Answer: B\nAnswer: C", "B"),
            ("Answer: no\nAnswer: C Answer: Answer: D", "D"),
            ("Answer: Because", "B"),
            ("I think so", "I"),
            ("A dog and a B", "B"),
            ("\\boxed{D}", "D"),
            ("Option B1", None),
            ("answer: (b)", None),
            ("", None),
            ("<think>The answer is (A)</think>The answer is (B)", "A"),
        ],
    )
    def test_outputs(self, text: str, answer: str | None) -> None:
        assert parse(text, "mmlu-pro", CITIES) == answer

    @given(
        st.lists(
            st.sampled_from(["answer", "Answer", "nswer", ":", " is ", "(", ")", " ", "\n", "A", "J", "K", "x", "é"])
        )
    )
    def test_equals_the_published_patterns(self, parts: list[str]) -> None:
        text = "".join(parts)
        stages = [r"answer is \(?([A-J])\)?", r".*[aA]nswer:\s*([A-J])", r"(?s)\b([A-J])\b(?!.*\b[A-J]\b)"]
        match = next(filter(None, (re.search(stage, text) for stage in stages)), None)
        assert parse(text, "mmlu-pro") == (match[1] if match else None)

    @pytest.mark.parametrize(
        ("model", "stages", "instead_of_none"),
        [
            ("jamba-1.5-large", 3, None),
            ("Meta-Llama-3_1-8B-Instruct", 3, "G"),
            (STAGE_ONE_MODELS[-1], 1, None),
            *(pytest.param(model, 1, None, marks=pytest.mark.trial) for model in STAGE_ONE_MODELS[:-1]),
        ],
    )
    def test_equals_the_published_answers(
        self, real_pool: Callable[[str], Path], model: str, stages: int, instead_of_none: str | None
    ) -> None:
        """All 12,032 answers of each model, exactly, once the script's age is known.

        The results were published over months, with the script as it was: of the twelve models only jamba and
        Llama-3.1 have stages 2 and 3. The other ten are null where stage 1 fails (305 to 1,171 items each, 2.5–9.7 %,
        are items in which today's stages 2 and 3 find a letter). Llama-3.1's file has the script's "random" option in
        place of null: G for all 694 items, because the seed was set again for each.
        """
        for record in mmlu_pro_records(real_pool, model):
            answer = parse(record["text"], "mmlu-pro")
            if stages == 1 and not re.search(r"answer is \(?([A-J])\)?", record["text"]):
                answer = None
            assert record["pred"] == (instead_of_none if answer is None else answer), record["question_id"]


class TestGpqa:
    @pytest.mark.parametrize(
        ("text", "answer"),
        [
            ("Answer: B", "B"),
            ("so\nANSWER :\t$C$", "C"),
            ("Answer: A\nno, Answer: B", "A"),
            ("Answer: b", "b"),
            ("Answer:\nB", None),
            ("Answer: **B**", None),
            ("Answer: E", None),
            ("The answer is B", None),
            ("Answer: Because", "B"),
            ("", None),
        ],
    )
    def test_outputs(self, text: str, answer: str | None) -> None:
        assert parse(text, "gpqa") == answer

    @given(st.lists(st.sampled_from(["answer", "Answer", ":", " ", "\t", "\n", "$", "A", "d", "E", "x"])))
    def test_equals_the_published_pattern(self, parts: list[str]) -> None:
        text = "".join(parts)
        match = re.search(r"(?i)Answer[ \t]*:[ \t]*\$?([A-D])\$?", text)
        assert parse(text, "gpqa") == (match[1] if match else None)


class TestMmluRedux:
    @pytest.mark.parametrize(
        ("text", "answer"),
        [
            ('{"reasoning": "x", "answer": "B"}', "B"),
            ('```json\n{\n "reasoning": "a {b} c",\n "answer": "B"\n}\n```', "B"),
            ('{"answer": "B) London"}', "B"),
            ('{"answer": "(C)"}', "C"),
            ('{"answer": "A) or B)"}', None),
            ('{"answer": "E"}', None),
            ('{"answer": 2}', None),
            ('{"answer": "B"} {"answer": "C"}', "B"),
            ('{"reasoning": "line\nbreak", "answer": "D"}', "D"),
            ('{"reasoning": "5 \\times 3", "answer": "D"', "D"),
            ('"answer": "C",', "C"),
            ("answer: C", "C"),
            ("{'answer': 'C'}", None),
            ("Answer: **B**", "B"),
            ("Answer: $\\boxed{B}$", "B"),
            ("**Answer:** (D)", "D"),
            ("The answer is B", None),
            ("Answer: Because", None),
            ('<think>{"answer": "A"}</think>{"answer": "B"}', "B"),
            ("", None),
            ("{" * 3000 + "}" * 3000, None),
        ],
    )
    def test_outputs(self, text: str, answer: str | None) -> None:
        assert parse(text, "mmlu-redux", CITIES) == answer

    def test_nested_beyond_the_json_readers_depth(self) -> None:
        assert parse('{"answer": ' * 50_000 + '"B"' + "}" * 50_000, "mmlu-redux") == "B"

    def test_a_to_d_without_options(self) -> None:
        assert (parse('{"answer": "D"}', "mmlu-redux"), parse('{"answer": "E"}', "mmlu-redux")) == ("D", None)


class TestMmbench:
    @pytest.mark.parametrize(
        ("text", "answer"),
        [
            ("B", "B"),
            ("B.", "B"),
            ("(B)", "B"),
            ("B. London", "B"),
            ("The answer is B.", "B"),
            ("A dog", "A"),
            ("b", None),
            ("C is what I would choose", None),
            ("I would choose C, of course", "C"),
            ("A or B", None),
            ("Z", None),
            ("Z London", None),
            ("A or B? The correct answer is **b** as one sees here", "B"),
            ("A or B? The answer is b as one sees here", None),
            ("It is london.", "B"),
            ("paris and london", None),
            ("It is London, " + "of course " * 6, None),
            ("E", None),
            ("", None),
            ("Sorry, I can't help with images of people yet. B", None),
            ("Failed to obtain answer via API. London", None),
            ("Cannot determine the answer", None),
        ],
    )
    def test_outputs(self, text: str, answer: str | None) -> None:
        assert parse(text, "mmbench", CITIES) == answer

    def test_a_to_d_without_options(self) -> None:
        assert (parse("D", "mmbench"), parse("E", "mmbench")) == ("D", None)
