"""Parts of an output that are no block of thoughts, and why these have no answer.

Blocks stand between tags (``<think>``, ``<thought>``, ``<seed:think>``, ``<|begin_of_thought|>``, ``[THINK]``,
``◁think▷`` …), in the channels of harmony (``<|channel|>analysis``, and the same with its marks stripped:
"analysis…assistantfinal…"), or above a heading that announces the reply ("## Final Response").
"""

from __future__ import annotations

import re
from types import MappingProxyType

_TAG = re.compile(
    r"""(?:<\|?|◁|\[(?=/?THINK\])|(?P<unused>(?=<unused9[45]>)<))
        (?P<close>/|end_(?:of_)?)?(?:(?:begin|start)_(?:of_)?)?
        (?: (?:seed:|ant|inner_|longcat_|o1_)?(?:think(?:ing)?|thoughts?|reason(?:ing)?|reflection|scratchpad|analysis
              |monologue|cot)
            (?:_(?:start|begin|(?P<closing>end)))?(?P<attributes>\s[^<>\n]{0,80})?
          | unused94>thought | (?P<closed>unused95))
        (?:\|?>|▷|(?<=THINK)\]|(?<=>thought))""",
    re.IGNORECASE | re.VERBOSE,
)
_OPENINGS = ("<", "◁", "[THINK]", "[/THINK]", "[think]", "[/think]")
# What announces the thoughts of a model that has no tags for them, and its reply.
_ANNOUNCED = re.compile(r"\s*+(?:#{1,4}\s?Thinking[^\S\n]*+\n|Here(?: is|['’]s) my thought process:)")
_REPLY = re.compile(r"\n#{1,4}\s?Final Response[^\S\n]*+\n|\bHere(?: is|['’]s) my response:")

_CHANNEL = re.compile(
    r"<\|?channel\|?>\s*+(?P<name>[a-z]++)(?:[^<>\n]{0,80}<\|constrain\|>)?[^<>\n]{0,80}<\|?message\|?>|"
    r"<\|?channel\|?>\s*+(?P<bare>analysis|thought|commentary|final)\b"
)
_END_OF_MESSAGE = re.compile(r"<\|(?:end|return|call|start|channel)\|>|<channel\|>")
_STRIPPED = re.compile(r"\s*+(?:assistant\s?)?(?:analysis(?P<glued>(?=[^\sa-z:.,;!?]))?|commentary(?=\s?to=))")
_STRIPPED_FINAL = re.compile(r"assistant(?:final|\s{1,2}final(?![a-z]))(?:\s?json(?=\W))?")
_BARE_FINAL = re.compile(r"\s*+(?:assistant\s{0,2})?final(?=[A-Z0-9*\\$(\[{\"'“]|\s*\n)")


def without_reasoning(text: str) -> str:
    """Return the text without its reasoning: nothing if a block is opened and never closed before anything is said."""
    parts = said_parts(text)
    return next((part for part in reversed(parts) if part.strip()), "")


def said_parts(text: str) -> list[str]:
    """Return the parts of a text that are no reasoning, in order; the last that says something is the reply."""
    text = _in_channels(text)
    if not any(map(text.__contains__, _OPENINGS)):
        return [_announced(text)]
    parts, start, is_open = list[str](), 0, False
    for tag in _TAG.finditer(text):
        if tag["close"] or tag["closing"] or tag["closed"]:
            # Before a block that only closes, everything is reasoning.
            parts, is_open = ([*parts] if is_open else []), False
        elif not is_open:
            parts.append(text[start : tag.start()])
            is_open = True
        start = tag.end()
    return parts if is_open else [*parts, _announced(text[start:]) if start == 0 else text[start:]]


def _announced(text: str) -> str:
    """Return what follows the announcement of the reply, if thoughts are announced at the start."""
    start = _ANNOUNCED.match(text)
    if not start:
        return text
    reply = _REPLY.search(text, start.end() - 1)
    return text[reply.end() :] if reply else ""


def _in_channels(text: str) -> str:
    """Return what stands in the first final channel; the text itself if it has no channels."""
    channels = list(_CHANNEL.finditer(text)) if "channel" in text else []
    if channels:
        final = next((one for one in channels if (one["name"] or one["bare"]) == "final"), None)
        # Behind the thoughts of a model that has no channel for its reply.
        if final is None:
            *_, behind = text.rpartition("<channel|>")
            return behind if "<channel|>" in text else text[: channels[0].start()].removesuffix("<|start|>assistant")
        end = _END_OF_MESSAGE.search(text, final.end())
        return text[final.end() : end.start() if end else len(text)]
    start = _STRIPPED.match(text)
    if start:
        final_mark = _STRIPPED_FINAL.search(text, start.end())
        if final_mark:
            return re.split(r"assistant(?=analysis|final|commentary)", text[final_mark.end() :], maxsplit=1)[0]
        return "" if start.end() == len(text.rstrip()) or start["glued"] is not None else text
    bare = _BARE_FINAL.match(text)
    return text[bare.end() :] if bare else text


EMPTY, ENDLESS, REFUSAL, SEVERAL = "empty", "reasoning never ends", "refusal", "several letters"
UNMARKED, CUT, NO_LETTER, NO_NUMBER, OTHER = "letter without marker", "cut off", "no letter", "no number", "other"
# What each pattern means, in the order in which they are looked for.
PATTERNS = MappingProxyType(
    {
        EMPTY: "No text at all.",
        ENDLESS: "A reasoning block is opened and never closed, as at a length limit.",
        REFUSAL: "The model declines, or says that it cannot tell.",
        SEVERAL: "More than one option is named, and none is marked as the answer.",
        UNMARKED: "One option is named, without “the answer is” or the like.",
        CUT: "The text ends in the middle of a sentence, as at a length limit.",
        NO_LETTER: "No option is named.",
        NO_NUMBER: "There is no number.",
        OTHER: "None of these.",
    }
)
_LETTERED = frozenset({"choice", "mmlu-pro", "mmlu-redux", "gpqa", "mmbench"})
_REFUSAL = re.compile(
    r"\bI(?:['’]m| am) (?:sorry|unable|not able)|\bI (?:cannot|can['’]?t|can not|do not know|don['’]t know)\b"
    r"|\bas an AI\b|\bunable to (?:answer|determine|assist|help)|\bcannot be determined\b",
    re.IGNORECASE,
)
# The article and the pronoun count only if brackets or a stop set them apart.
_LETTER = re.compile(r"(?<![A-Za-z0-9'’])(?:\(([A-J])\)|([AI])(?=[).:*]|\s*$)|([B-HJ])(?![A-Za-z0-9'’]))")
_ENDED = re.compile(r"[.!?:;)\]}>\"'”’`*_$…。0-9]\s*$")
_LOOKED_AT = 2_000
_LONG = 200


def pattern(text: str, kind: str) -> str:
    """Name the pattern of a text in which a parser finds no answer.

    Parameters
    ----------
    text : str
        The text; of a long one the first and last 2,000 characters count.
    kind : str
        The parser, one of `core.answers.KINDS`.

    Returns
    -------
    str
        One of `PATTERNS`.
    """
    if not text.strip():
        return EMPTY
    said = without_reasoning(text)
    if not said.strip():
        return ENDLESS
    if _REFUSAL.search(said[:_LOOKED_AT]):
        return REFUSAL
    end = said[-_LOOKED_AT:]
    is_cut = len(said) >= _LONG and _ENDED.search(end[-10:]) is None
    if kind in _LETTERED:
        letters = {letter for match in _LETTER.finditer(end) for letter in match.groups() if letter}
        if not letters or is_cut:
            return CUT if is_cut else NO_LETTER
        return SEVERAL if len(letters) > 1 else UNMARKED
    if is_cut:
        return CUT
    return NO_NUMBER if kind == "number" and not any(sign.isdigit() for sign in said) else OTHER
