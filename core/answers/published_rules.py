"""The benchmarks' own extraction rules, so that scores equal the published ones.

The rules are those of their authors, with their known faults: they read reasoning blocks like any other text,
``mmlu-pro`` takes "answer is Because" for B and the pronoun "I" for option I, and ``gpqa`` takes the first "Answer:"
even if the model corrects itself. Use kind ``choice`` if agreement with a leaderboard does not matter.

MMLU-Pro and GPQA are linear-time restatements of the published patterns; ``tests/core/answers/test_benchmarks.py``
compares them with the patterns themselves.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from string import ascii_uppercase

from .output_parts import without_reasoning

_FOUR_OPTIONS = ascii_uppercase[:4]

_MMLU_PRO_SENTENCE = re.compile(r"answer is \(?([A-J])")
_MMLU_PRO_LABEL = re.compile(r"(?=[aA]nswer:\s*+([A-J]))")
_MMLU_PRO_LETTER = re.compile(r"\b[A-J]\b")

_GPQA_LABEL = re.compile(r"Answer[ \t]*+:[ \t]*+\$?([A-D])", re.IGNORECASE)

_BRACE = re.compile(r"[{}]")
_REDUX_QUOTED = re.compile(r'"answer"\s*+:\s*+"([^"]*+)"')
_REDUX_LOOSE = re.compile(r'"?answer"?\s*+:\s*+"?([^",\s}]++)')
_REDUX_MARKUP = re.compile(r"\*\*|\\(?:boxed|text|mathrm|mathbf)\b|[${}]|\\[()]")
_REDUX_LABEL = re.compile(r"(?i:answer)\s*+:\s*+\(?([A-Z])(?![A-Za-z])")

_MMBENCH_FAILURE = "Failed to obtain answer via API"
_MMBENCH_REFUSALS = (
    "Sorry, I can't help with images of people yet.",
    "I can't process this file.",
    "I'm sorry, but without the image provided",
    "Cannot determine the answer",
)
_MMBENCH_BLANKS = str.maketrans(dict.fromkeys(".()[],:;!*#{}", " "))
_MMBENCH_BOLD = re.compile(r"answer is \*\*([A-D])\*\*", re.IGNORECASE)
_MMBENCH_LAST_TOKENS = 4


def parse_mmlu_pro(text: str, stages: int = 3) -> str | None:
    """Return the letter A…J by MMLU-Pro's three stages (case-sensitive), or None.

    1. The first "answer is X" or "answer is (X"; 2. on the first line with "answer: X" or "Answer: X", the last of
    them; 3. the last stand-alone capital. If the official script then picks a random option, this is "no answer".
    Earlier versions of the script had the first one or two stages only: ``stages``.
    """
    sentence = _MMLU_PRO_SENTENCE.search(text)
    if sentence:
        return sentence[1]
    label = None
    for candidate in _MMLU_PRO_LABEL.finditer(text) if stages > 1 else ():
        if label is not None and "\n" in text[label.start() : candidate.start()]:
            break
        label = candidate
    if label:
        return label[1]
    letters = _MMLU_PRO_LETTER.findall(text) if stages > 2 else []
    return letters[-1] if letters else None


def parse_gpqa(text: str) -> str | None:
    """Return the letter A…D behind the first "Answer:" in any case (simple-evals), or None.

    A small letter stays small: the official comparison is case-sensitive and counts it as wrong.
    """
    label = _GPQA_LABEL.search(text)
    return label[1] if label else None


def parse_mmlu_redux(text: str, choices: Sequence[str] | None = None) -> str | None:
    """Return the letter by the rules in use for MMLU-Redux, which has no official extractor, or None.

    ZeroEval's rules come first: the key ``answer`` of the first complete JSON object, else the first ``answer`` key and
    value; the value must be a letter or contain "X)" for one letter. Then comes simple-evals' MMLU rule: the first
    "Answer: X" after bold and LaTeX are removed. A letter beyond the options (A…D if ``choices`` is None) is no answer.
    """
    text = without_reasoning(text)
    letters = ascii_uppercase[: len(choices)] if choices is not None else _FOUR_OPTIONS
    value = _json_answer(text)
    if value is None:
        pair = _REDUX_QUOTED.search(text) or _REDUX_LOOSE.search(text)
        value = pair[1] if pair else ""
    letter = _letter_of_value(value.strip(), letters)
    if letter is None:
        label = _REDUX_LABEL.search(_REDUX_MARKUP.sub("", text))
        letter = label[1] if label and label[1] in letters else None
    return letter


def parse_mmbench(text: str, choices: Sequence[str] | None = None) -> str | None:
    """Return the letter by VLMEvalKit's ``can_infer`` (rules of May 2026), or None.

    A failed request, a refusal and the toolkit's letter Z are all "no answer", and so is an output in which the rules
    find nothing, for which the toolkit asks a judge model.
    """
    letters = ascii_uppercase[: len(choices)] if choices is not None else _FOUR_OPTIONS
    if _MMBENCH_FAILURE in text or any(refusal in text for refusal in _MMBENCH_REFUSALS):
        return None
    tokens = text.translate(_MMBENCH_BLANKS).split()
    named = [letter for letter in letters if letter in tokens]
    if len(named) == 1 and tokens.index(named[0]) >= len(tokens) - _MMBENCH_LAST_TOKENS:
        return named[0]
    if not named and "Z" in tokens:
        return None
    bold = _MMBENCH_BOLD.search(text)
    if bold and bold[1].upper() in letters:
        return bold[1].upper()
    return _option_contained(text.lower(), choices or ())


def _json_answer(text: str) -> str | None:
    """Return the value of ``answer`` in the first complete brace group, if that is JSON with such a key."""
    depth = start = 0
    for brace in _BRACE.finditer(text):
        if brace[0] == "{":
            start = brace.start() if depth == 0 else start
            depth += 1
        elif depth:
            depth -= 1
            if depth == 0:
                return _answer_key(text[start : brace.end()])
    return None


def _answer_key(group: str) -> str | None:
    try:
        record = json.loads(group, strict=False)
    except (ValueError, RecursionError):
        return None
    return str(record["answer"]) if isinstance(record, dict) and "answer" in record else None


def _letter_of_value(value: str, letters: str) -> str | None:
    if len(value) == 1:
        return value if value in letters else None
    contained = [letter for letter in letters if f"{letter})" in value]
    return contained[0] if len(contained) == 1 else None


def _option_contained(text: str, choices: Sequence[str]) -> str | None:
    """Return the letter of the one option whose text occurs, unless the text is over twice as long as all options."""
    if len(text) > 2 * sum(map(len, choices)):
        return None
    contained = [i for i, choice in enumerate(choices) if choice and choice.lower() in text]
    return ascii_uppercase[contained[0]] if len(contained) == 1 and contained[0] < len(ascii_uppercase) else None
