"""The place of the final answer in a model's output, for the kinds ``choice``, ``number`` and ``text``.

Every pattern is anchored at a literal and uses possessive or bounded repeats, and the segments do not overlap, so the
work is linear in the length of any output.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from .languages import form_of, markers
from .output_parts import first_turn, said_parts

Form = Literal["is", "colon", "hashes", "enclosed"]

# Scanned over the whole text, so it is case-sensitive and starts with plain letters: that is twenty times as fast.
_KEYWORD = re.compile(
    r"answer|Answer|ANSWER|option|Option|OPTION|choice|Choice|CHOICE|\\boxed|\\fbox|####|\b(?:Ans|ANS)\b"
    r"|<(?:solution|final|response|output|result)>"
)
_QUALIFIED = re.compile(r"\b(?:correct|right|best|final|answer)\s{1,3}$", re.IGNORECASE)
_HEADING = re.compile(r"(?:^|\n)[#*_ \t]{0,8}(?:final |correct )?$", re.IGNORECASE)
_BEHIND_KEYWORD = re.compile(
    r"""\b[*_"']{0,3}+
        (?: (?P<colon>\s*+(?:[:=：]|->|→|[ ][–—-]+(?=[ ])))
          | (?P<is>(?:\s++(?:to|for|from|among|in|of)\b[^.:?!\n]{1,80}?|\s++(?:here|choice|option|letter))?
              (?:,[^,.:?!\n]{1,40},)?
              \s++(?:is|was|(?:would|should|must|has\s+to|seems\s+to|appears\s+to)\s++be)\b
              (?!\s++not\b)\s*+(?:therefore|thus|then|hence|clearly|simply|definitely)?\s*+[:：]?+)
          | (?P<heading>[ \t]{0,8}+\n)
        )""",
    re.IGNORECASE | re.VERBOSE,
)
_OPENING_BRACE = re.compile(r"\s*+\{")
_JSON_STRING = re.compile(r'\s*+"((?>(?:[^"\\\n]|\\.){0,400}))"')
_SHORT = 60
_END_TAG = re.compile(r"</(?:final_)?(?:answer|solution|final|response|output|result)>", re.IGNORECASE)

_GROUP = re.compile(
    r"(?P<wrapper>\\(?:(?:text|math)(?:bf|it|rm|sf|tt|normal)?|mbox|operatorname)\s*+\{)|(?P<open>\{)|\}"
)


@dataclass(frozen=True, slots=True)
class Segment:
    r"""The text behind one answer marker, up to the next marker.

    Parameters
    ----------
    text : str
        The text.
    form : {"is", "colon", "hashes", "enclosed"}
        The marker: *answer is …*, *Answer: …*, *#### …*, or the content of ``\boxed{…}`` or ``<answer>…</answer>``,
        which is the answer and nothing else.
    start : int
        Where the segment starts.
    """

    text: str
    form: Form
    start: int = 0


def reply(text: str, is_answer: Callable[[Segment], bool], is_bare: Callable[[str], bool]) -> str:
    """Return what a model says in its first turn (`core.answers.output_parts`), without its reasoning.

    Parameters
    ----------
    text : str
        The output.
    is_answer : callable
        Whether the segment behind a marker holds an answer.
    is_bare : callable
        Whether a line is an answer and nothing else.
    """

    def answered(said: str) -> int | None:
        line = said.strip().partition("\n")[0]
        if line and len(line) <= _SHORT and is_bare(line):
            return 0
        starts = [segment.start for segment in answer_segments(said) if is_answer(segment)]
        return starts[-1] if starts else None

    *parts, last = said_parts(text) or [""]
    for part in parts:
        # Thoughts that follow an invented turn belong to it.
        turn = first_turn(part, answered)
        if turn.strip() and len(turn.rstrip()) < len(part.rstrip()):
            return turn
    if last.strip():
        return first_turn(last, answered)
    return next((first_turn(part, answered) for part in reversed(parts) if part.strip()), "")


def answer_segments(text: str) -> Iterator[Segment]:
    """Yield the segments behind the answer markers, the last one first."""
    end = len(text)
    for start, behind, form, closing in reversed(_markers(text)):
        if behind > end:
            continue
        segment = text[behind:end]
        end = start
        if form == "enclosed":
            segment = _enclosed(segment, closing)
        elif quoted := _JSON_STRING.match(text, behind) if text[behind - 2 : behind] == '":' else None:
            segment, form = quoted[1].replace("\\\\", "\\"), "enclosed"
        yield Segment(segment, form, behind)


def _markers(text: str) -> list[tuple[int, int, Form, str]]:
    """Return start, end, form and closing bracket of the answer markers, in order."""
    found: list[tuple[int, int, Form, str]] = []
    for keyword in _KEYWORD.finditer(text):
        marker = _marker(text, keyword)
        if marker is not None:
            found.append((keyword.start(), marker[1], marker[0], "}" if keyword[0][0] == "\\" else ">"))
    foreign: list[tuple[int, int, Form, str]] = [(one.start(), one.end(), form_of(one), "") for one in markers(text)]
    return sorted(found + foreign) if foreign else found


def _marker(text: str, keyword: re.Match[str]) -> tuple[Form, int] | None:
    """Return the form of the marker that this keyword belongs to and the start of its segment, None if it has none."""
    start, end = keyword.span()
    word = keyword[0].lower()
    if word == "####":
        return None if "#" in (text[start - 1 : start], text[end : end + 1]) else ("hashes", end)
    if word[0] == "\\":
        brace = _OPENING_BRACE.match(text, end)
        return ("enclosed", brace.end()) if brace else None
    if word[0] == "<":
        return "enclosed", end
    before = text[max(0, start - 20) : start]
    if text[end : end + 1] == ">" and before.endswith(("<", "<final_")):
        return "enclosed", end + 1
    behind = _BEHIND_KEYWORD.match(text, end)
    if behind is None or before[-1:].isalnum() or before[-1:] == "/":
        return None
    if behind["heading"]:
        return ("colon", behind.end()) if word == "answer" and _HEADING.search(before) else None
    if word not in ("answer", "ans") and not _QUALIFIED.search(before):
        return None
    return "is" if behind["is"] else "colon", behind.end()


def unwrap_latex(text: str) -> str:
    r"""Return the text with ``\text{…}``, ``\mathbf{…}`` and their like replaced by their content, at every depth."""
    if "\\" not in text:
        return text
    dropped: list[tuple[int, int]] = []
    opened: list[re.Match[str]] = []
    for group in _GROUP.finditer(text):
        if group["wrapper"] or group["open"]:
            opened.append(group)
        elif opened and (wrapper := opened.pop())["wrapper"]:
            dropped += [wrapper.span(), group.span()]
    ends = [0] + [end for _, end in sorted(dropped)]
    starts = [start for start, _ in sorted(dropped)] + [len(text)]
    return "".join(text[end:start] for end, start in zip(ends, starts, strict=True))


def _enclosed(segment: str, closing: str) -> str:
    """Return an enclosed answer: the content of braces or a tag, or a letter or number that stands alone."""
    if closing == "}":
        return _up_to_closing_brace(segment)
    if closing == ">":
        return _END_TAG.split(segment, maxsplit=1)[0]
    return re.split(r"(?<=\w)(?:[^\w.,]|[.,](?!\d))", segment, maxsplit=1)[0]


def _up_to_closing_brace(segment: str) -> str:
    """Return the content of a brace group that is already open, or the first line if it never closes."""
    depth = 1
    for brace in re.finditer(r"[{}]", segment):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return segment[: brace.start()]
    return segment.partition("\n")[0]
