"""The place of the final answer in a model's output, for the kinds ``choice``, ``number`` and ``text``.

Every pattern is anchored at a literal and uses possessive or bounded repeats, and the segments do not overlap, so the
work is linear in the length of any output.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Form = Literal["is", "colon", "hashes", "enclosed"]

_REASONING = re.compile(r"<(?P<close>/)?(?:think|thinking|reasoning)>", re.IGNORECASE)

# Scanned over the whole text, so it is case-sensitive and starts with plain letters: that is twenty times as fast.
_KEYWORD = re.compile(r"answer|Answer|ANSWER|option|Option|choice|Choice|\\boxed|\\fbox|####")
_QUALIFIED = re.compile(r"\b(?:correct|right|best|final)\s{1,3}$", re.IGNORECASE)
_HEADING = re.compile(r"(?:^|\n)[#*_ \t]{0,8}(?:final |correct )?$", re.IGNORECASE)
_BEHIND_KEYWORD = re.compile(
    r"""\b[*_]{0,3}+
        (?: (?P<colon>\s*+[:=：])
          | (?P<is>(?:\s++to\s[^.:?!\n]{1,80}?)?\s++(?:is|would\s++be|should\s++be)\b(?!\s++not\b)\s*+[:：]?+)
          | (?P<heading>[ \t]{0,8}+\n)
        )""",
    re.IGNORECASE | re.VERBOSE,
)
_OPENING_BRACE = re.compile(r"\s*+\{")
_END_TAG = re.compile(r"</answer>", re.IGNORECASE)

_GROUP = re.compile(r"(?P<wrapper>\\(?:text|math)(?:bf|it|rm|sf|tt)?\s*+\{)|(?P<open>\{)|\}")


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
    """

    text: str
    form: Form


def without_reasoning(text: str) -> str:
    """Return the text after the last closed reasoning block; nothing if a block is opened and never closed."""
    tags = list(_REASONING.finditer(text)) if "<" in text else []
    if not tags:
        return text
    return text[tags[-1].end() :] if tags[-1]["close"] else ""


def answer_segments(text: str) -> Iterator[Segment]:
    """Yield the segments behind the answer markers, the last one first."""
    end = len(text)
    for keyword in reversed(list(_KEYWORD.finditer(text))):
        marker = _marker(text, keyword)
        if marker is None:
            continue
        form, start = marker
        segment = text[start:end]
        end = keyword.start()
        if form == "enclosed":
            segment = _up_to_closing_brace(segment) if keyword[0][0] == "\\" else _END_TAG.split(segment, 1)[0]
        yield Segment(segment, form)


def _marker(text: str, keyword: re.Match[str]) -> tuple[Form, int] | None:
    """Return the form of the marker that this keyword belongs to and the start of its segment, None if it has none."""
    start, end = keyword.span()
    word = keyword[0].lower()
    if word == "####":
        return None if "#" in (text[start - 1 : start], text[end : end + 1]) else ("hashes", end)
    if word[0] == "\\":
        brace = _OPENING_BRACE.match(text, end)
        return ("enclosed", brace.end()) if brace else None
    before = text[max(0, start - 20) : start]
    if before[-1:] == "<" and text[end : end + 1] == ">":
        return "enclosed", end + 1
    behind = _BEHIND_KEYWORD.match(text, end)
    if behind is None or before[-1:].isalnum() or before[-1:] == "/":
        return None
    if behind["heading"]:
        return ("colon", behind.end()) if word == "answer" and _HEADING.search(before) else None
    if word != "answer" and not _QUALIFIED.search(before):
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


def _up_to_closing_brace(segment: str) -> str:
    """Return the content of a brace group that is already open, or the first line if it never closes."""
    depth = 1
    for brace in re.finditer(r"[{}]", segment):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return segment[: brace.start()]
    return segment.partition("\n")[0]
