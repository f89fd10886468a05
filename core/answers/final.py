"""Where in a model's output the final answer stands: what the kinds ``choice``, ``number`` and ``text`` share.

Every pattern here is anchored at a literal and uses possessive or bounded repeats, and the segments do not overlap, so
the work is linear in the length of the output, whatever it contains.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Form = Literal["is", "colon", "hashes", "enclosed"]

_REASONING = re.compile(r"<(?P<close>/)?(?:think|thinking|reasoning)>", re.IGNORECASE)

_MARKER = re.compile(
    r"""(?P<heading>^[\#*_ \t]{0,8}+(?:final[ ]|correct[ ])?answer[*_: \t]{0,4}+\n)
      | (?P<boxed>\\f?boxed\s*+\{)
      | (?P<tag><answer>)
      | (?P<hashes>\#{4}(?!\#))
      | \b(?:answer|(?:correct|right|best|final)\s++(?:option|choice))\b[*_]{0,3}+
        (?: (?P<colon>\s*+[:=：])
          | (?P<is>(?:\s++to\s[^.:?!\n]{1,80}?)?\s++(?:is|would\s++be|should\s++be)\b(?!\s++not\b)\s*+[:：]?+)
        )""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)

_GROUP = re.compile(r"(?P<wrapper>\\(?:text|math)(?:bf|it|rm|sf|tt)?\s*+\{)|(?P<open>\{)|\}")


@dataclass(frozen=True, slots=True)
class Segment:
    """The text behind one answer marker, up to the next marker.

    ``form`` says which marker: "is" (*answer is …*), "colon" (*Answer: …*), "hashes" (*#### …*), or "enclosed": the
    content of ``\\boxed{…}`` or ``<answer>…</answer>``, which is the answer and nothing else.
    """

    text: str
    form: Form


def without_reasoning(text: str) -> str:
    """Return what follows the last closed reasoning block; nothing where a block was opened and never closed."""
    tags = list(_REASONING.finditer(text)) if "<" in text else []
    if not tags:
        return text
    return text[tags[-1].end() :] if tags[-1]["close"] else ""


def answer_segments(text: str) -> Iterator[Segment]:
    """Yield the segments behind the answer markers, the last one first."""
    end = len(text)
    for marker in reversed(list(_MARKER.finditer(text))):
        segment = text[marker.end() : end]
        end = marker.start()
        if marker["boxed"]:
            yield Segment(_up_to_closing_brace(segment), "enclosed")
        elif marker["tag"]:
            yield Segment(re.split(r"</answer>", segment, maxsplit=1, flags=re.IGNORECASE)[0], "enclosed")
        elif marker["hashes"]:
            yield Segment(segment, "hashes")
        else:
            yield Segment(segment, "is" if marker["is"] else "colon")


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
    """Return the content of a brace group that is already open, or the first line where it never closes."""
    depth = 1
    for brace in re.finditer(r"[{}]", segment):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return segment[: brace.start()]
    return segment.partition("\n")[0]
