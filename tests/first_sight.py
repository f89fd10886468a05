"""Words that a newcomer does not know: where a text has them first, it says what they mean."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html.parser import HTMLParser

from tests.headlines import seen

# Each word as it may stand on a page, and how the block that has it first may explain it.
EXPLAINED = {
    r"(?<!-)\btargets?\b": r"(your|tested) models?|model under test|Target model|one answer to each",
    r"\bsurrogates?\b": r"cheap model|Run a surrogate",
    r"\bgenerations?\b": r"answers of|cheap model",
    r"\bk\b(?! = \d+$)": r"times|nswers",
    r"\bsemantic entropy\b": r"how much .*answers.* disagree|^\**Semantic entropy: 0 on",
    r"\bstrat(?:um|a)\b": r"group|similar items|alike|Strata H|signal and strata",
    r"\ballocations?\b": r"\bshar(e|es|ed|ing)\b",
    r"δ": r"evens out",
    r"\bsignals?\b": r"[Ss]ort|predict|Which signal",
    r"\bdigest\b": r"fingerprint",
    r"\bmanifest\b": r"reproduc",
    r"\bAUROC\b": r"[Tt]hat share|this share|ranks",
    r"\bTPR|TNR\b": r"passed|caught",
    r"\bverdicts?\b": r"graded|right or wrong|grader|pass(es)? (and|or) fail|(pass|fail) verdict|people|outcome",
    r"(?<!to )\bjudges?\b": r"grader|pass(es)? (and|or) fail|group .* answers|people",
    r"\bgates?\b": r"[Ss]hip or hold|worse",
    r"\bcarried over\b": r"equal answers|graded before",
    r"\bUniform\b": r"random sample|same chance|equally likely|uniformly|at random",
    r"\bProxy-Neyman\b": r"paper",
    r"\bOracle-Neyman\b": r"best",
}
_QUOTED = re.compile("“[^”]*”")
# Pictures, and what programs read.
_UNREAD = {"style", "script", "svg", "title", "pre", "code"}
_INLINE = {"a", "b", "em", "i", "small", "span", "strong", "sub", "sup"}


def unexplained(blocks: Iterable[str]) -> dict[str, str]:
    """The words that a text has first in a block that does not explain them, with that block."""
    read = [_QUOTED.sub("", block) for block in blocks]
    first = {word: next((b for b in read if re.search(word, b, re.IGNORECASE)), "") for word in EXPLAINED}
    return {word: block for word, block in first.items() if block and not re.search(EXPLAINED[word], block)}


class _Blocks(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.blocks, self.unread = [""], 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._tag(tag, 1)

    def handle_endtag(self, tag: str) -> None:
        self._tag(tag, -1)

    def _tag(self, tag: str, step: int) -> None:
        self.unread += step * (tag in _UNREAD)
        if tag not in _INLINE:
            self.blocks.append("")

    def handle_data(self, data: str) -> None:
        self.blocks[-1] += "" if self.unread else data


def blocks(html: str) -> list[str]:
    """What is read of an HTML page, from its top to its end."""
    page = _Blocks()
    page.feed(html)
    return [text for block in page.blocks if (text := " ".join(seen(block).split()))]
