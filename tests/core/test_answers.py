"""Answers: the kinds' rules on realistic outputs, the official patterns as oracles, and the classes' invariants."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.answers import KINDS, PARSER_VERSION, classes_of_codes, meaning_classes, parse
from core.errors import DesignError

CITIES = ["Paris", "London", "Rome", "Vitamin C"]
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
STAGE_ONE_MODELS = (
    *("Llama-2-13b-hf", "Llama-2-70b-hf", "Meta-Llama-3-70B", "Meta-Llama-3-8B", "Mistral-7B-Instruct-v0.2"),
    *("Mistral-7B-v0.1", "Mixtral-8x7B-v0.1", "Phi-3-mini-4k-instruct", "Yi-6b-Chat", "gemma-7b"),
)
OUTPUTS = st.one_of(st.text(), st.lists(MODEL_WORDS).map("".join), st.lists(MODEL_WORDS).map(" ".join))


def mmlu_pro_records(shared_pool: Callable[[str], Path], model: str) -> list[dict[str, Any]]:
    """The published records of one model, with the raw output under the key ``text``."""
    with zipfile.ZipFile(shared_pool(f"mmlu-pro/model_outputs_{model}_5shots.zip")) as archive:
        records = json.loads(archive.read(archive.namelist()[0]))
    assert len(records) == 12_032
    return [{**record, "text": record.get("model_outputs", record.get("generated_text"))} for record in records]


class TestParse:
    def test_unknown_kind_names_the_kinds(self) -> None:
        with pytest.raises(DesignError, match="'roman'"):
            parse("B", "roman")

    def test_every_kind_has_a_version(self) -> None:
        assert set(PARSER_VERSION) == set(KINDS)
        assert {"choice", "number", "text", "as-is", "mmlu-pro", "mmlu-redux", "gpqa", "mmbench"} == set(KINDS)

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

    @pytest.mark.parametrize("kind", KINDS)
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
        ],
    )
    def test_long_repetitions_are_read_to_the_end(self, kind: str, fragment: str) -> None:
        text = fragment * (100_000 // len(fragment))
        for tail in ("x", " Answer: B"):
            answer = parse(text + tail, kind, CITIES)
            assert answer is None or isinstance(answer, str)


class TestAsIs:
    @pytest.mark.parametrize(
        ("text", "answer"),
        [("  B \n", "B"), ("The answer is B", "The answer is B"), ("", None), (" \t\n\u00a0", None), ("b", "b")],
    )
    def test_only_the_surrounding_white_space_goes(self, text: str, answer: str | None) -> None:
        assert parse(text, "as-is") == answer


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

    @given(st.decimals(allow_nan=False, allow_infinity=False, min_value=Decimal(-(10**25)), max_value=Decimal(10**25)))
    @example(Decimal("0E+20"))
    @example(Decimal("1E-31"))
    def test_equal_values_have_equal_spellings(self, value: Decimal) -> None:
        spellings = {str(value), f"{value:f}", f"{value:,f}", f"${value:f}".replace("$-", "-$"), f"Answer: {value:e}."}
        answers = {parse(spelling, "number") for spelling in spellings}
        assert len(answers) == 1
        assert Decimal(answers.pop() or "NaN") == value

    @given(st.integers(-(10**9), 10**9), st.integers(1, 10**9), st.integers(1, 1000))
    def test_fractions_are_values(self, top: int, bottom: int, factor: int) -> None:
        answer = parse(f"{top}/{bottom}", "number")
        assert answer == parse(f"{top * factor}/{bottom * factor}", "number")
        assert answer is not None
        numerator, _, denominator = answer.partition("/")
        assert Decimal(numerator) * bottom == Decimal(top) * Decimal(denominator or 1)


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
            *((model, 1, None) for model in STAGE_ONE_MODELS),
        ],
    )
    def test_equals_the_published_answers(
        self, shared_pool: Callable[[str], Path], model: str, stages: int, instead_of_none: str | None
    ) -> None:
        """All 12,032 answers of each model, exactly, once the script's age is known.

        The results were published over months, with the script as it was: of the twelve models only jamba and
        Llama-3.1 have stages 2 and 3. The other ten are null where stage 1 fails (305 to 1,171 items each, 2.5–9.7 %,
        are items in which today's stages 2 and 3 find a letter). Llama-3.1's file has the script's "random" option in
        place of null: G for all 694 items, because the seed was set anew for each.
        """
        for record in mmlu_pro_records(shared_pool, model):
            answer = parse(record["text"], "mmlu-pro")
            if stages == 1 and not re.search(r"answer is \(?([A-J])\)?", record["text"]):
                answer = None
            assert record["pred"] == (instead_of_none if answer is None else answer), record["question_id"]


class TestRealPools:
    def test_choice_agrees_with_the_official_sentence(self, shared_pool: Callable[[str], Path]) -> None:
        """Where jamba ends on "answer is (X)", choice says the same or, where several letters follow, nothing."""
        official, ours = [], []
        for record in mmlu_pro_records(shared_pool, "jamba-1.5-large"):
            if sentence := re.search(r"answer is \(?([A-J])\)?", record["text"]):
                official.append(sentence[1])
                ours.append(parse(record["text"], "choice", record["options"]))
        assert all(answer is None or answer == letter for answer, letter in zip(ours, official, strict=True))
        assert ours.count(None) <= 0.002 * len(ours)

    def test_number_reproduces_the_published_losses(self, shared_pool: Callable[[str], Path]) -> None:
        """4 × 1,319 published 0/1 losses; the one that differs was scored wrong because it shows its working."""
        differing = []
        for line in shared_pool("gsm8k-committee10.jsonl").read_text("utf-8").splitlines():
            item = json.loads(line)
            truth = parse(item["answer"], "number")
            for target in item["targets"].values():
                wrong = parse(target["answer"] or "", "number") != truth
                if wrong != bool(target["loss"]):
                    differing.append(target["answer"])
        assert differing == ["20 * 40 + 80 * 30 = 800 + 2400 = 3200"]


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


def first_appearance_labels(row: list[object]) -> list[int]:
    """The definition, the slow way."""
    seen: list[object] = []
    for value in row:
        if value not in seen:
            seen.append(value)
    return [seen.index(value) for value in row]


class TestMeaningClasses:
    def test_labels_follow_the_first_appearance(self) -> None:
        classes = meaning_classes([["B", "A", "B", None], [None, None, "A", "C"]])
        assert classes.tolist() == [[0, 1, 0, 2], [0, 0, 1, 2]]
        assert np.issubdtype(classes.dtype, np.signedinteger)

    def test_short_lists_are_padded_on_the_right(self) -> None:
        assert meaning_classes([["A", None], [], ["C", "C", "A"]]).tolist() == [[0, 1, -1], [-1, -1, -1], [0, 0, 1]]

    def test_nothing_to_label(self) -> None:
        assert meaning_classes([]).shape == (0, 0)
        assert meaning_classes([[], []]).shape == (2, 0)

    def test_no_answer_differs_from_the_empty_answer_and_the_word(self) -> None:
        assert meaning_classes([[None, "", "None", None]]).tolist() == [[0, 1, 2, 0]]

    @given(st.lists(st.lists(st.none() | st.text(max_size=1), max_size=8), max_size=6))
    def test_equals_the_definition(self, answers: list[list[str | None]]) -> None:
        classes = meaning_classes(answers)
        width = max(map(len, answers), default=0)
        assert classes.shape == (len(answers), width)
        for row, item in zip(classes.tolist(), answers, strict=True):
            assert row == first_appearance_labels(item) + [-1] * (width - len(item))

    @given(st.lists(st.lists(st.none() | st.sampled_from("ABC"), min_size=3, max_size=3), min_size=1), st.randoms())
    def test_the_order_of_the_items_does_not_matter(self, answers: list[list[str | None]], random: object) -> None:
        order = list(range(len(answers)))
        random.shuffle(order)  # type: ignore[attr-defined]
        shuffled = meaning_classes([answers[i] for i in order])
        assert np.array_equal(shuffled, meaning_classes(answers)[order])


class TestClassesOfCodes:
    @given(st.data(), st.integers(0, 5), st.sampled_from([0, 1, 2, 10, 47, 48, 49, 60]))
    def test_equals_the_definition_for_any_width(self, data: st.DataObject, n_items: int, width: int) -> None:
        cells = st.integers(-1, 5) | st.integers(-(2**40), 2**40).filter(lambda code: code != -2)
        rows = [[data.draw(cells) for _ in range(width)] for _ in range(n_items)]
        codes = np.array(rows, dtype=np.int64).reshape(n_items, width)
        before = codes.copy()
        assert classes_of_codes(codes).tolist() == [first_appearance_labels(row) for row in rows]
        assert np.array_equal(codes, before)

    @pytest.mark.parametrize("repeat", [1, 15])
    @given(rows=st.lists(st.lists(st.sampled_from([-2, -1, 0, 1]), min_size=4, max_size=4), min_size=1, max_size=5))
    def test_pads_anywhere_take_no_label(self, rows: list[list[int]], repeat: int) -> None:
        rows = [row * repeat for row in rows]
        for row, labels in zip(rows, classes_of_codes(np.array(rows)).tolist(), strict=True):
            assert [label for label in labels if label != -1] == first_appearance_labels([c for c in row if c != -2])
            assert [label == -1 for label in labels] == [code == -2 for code in row]

    def test_more_rows_than_one_block(self) -> None:
        codes = np.random.default_rng(7).integers(-2, 4, (60_000, 10)).astype(np.int8)
        classes = classes_of_codes(codes)
        for i in np.random.default_rng(8).integers(0, len(codes), 500):
            real = codes[i] != -2
            assert classes[i][real].tolist() == first_appearance_labels(codes[i][real].tolist())

    @pytest.mark.parametrize("codes", [np.zeros(3, dtype=int), np.zeros((2, 2)), np.array([["A"]])])
    def test_anything_but_a_table_of_integers_is_refused(self, codes: np.ndarray) -> None:
        with pytest.raises(ValueError, match="two-dimensional integer array"):
            classes_of_codes(codes)
