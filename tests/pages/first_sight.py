"""Words that a newcomer does not know: where a page has them first, it says what they mean."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from streamlit.testing.v1 import AppTest

from tests.headlines import seen

# Each word as it may stand on a page, and how the block that has it first may explain it.
EXPLAINED = {
    r"(?<!-)\btargets?\b": r"(your|tested) models?|model under test|Target model|one answer to each",
    r"\bsurrogates?\b": r"cheap model|Run a surrogate",
    r"\bgenerations?\b": r"answers of|cheap model|surrogate",
    r"\bk\b(?! = \d+$)": r"times|nswers",
    r"\bsemantic entropy\b": r"how much .*answers.* disagree|^\**Semantic entropy: 0 on",
    r"\bstrat(?:um|a)\b": r"group|similar items|alike|Strata H|signal and strata",
    r"\ballocations?\b": r"shar|to these strata",
    r"δ": r"evens out",
    r"\bsignals?\b": r"known|[Ss]ort|predict|Which signal",
    r"\bdigest\b": r"fingerprint",
    r"\bmanifest\b": r"reproduc",
    r"\bAUROC\b": r"[Aa]s a share|ranks",
    r"\bTPR|TNR\b": r"passed|caught",
    r"\bverdicts?\b": r"graded|right or wrong|judge|grader|people|outcome",
    r"(?<!to )\bjudges?\b": r"grader|verdict|judge.* column|group .* answers|people",
    r"\bgates?\b": r"[Ss]hip or hold|worse",
    r"\bcarried over\b": r"equal answers|graded before",
    r"\bUniform\b": r"random sample|same chance|equally likely|uniformly|at random",
    r"\bProxy-Neyman\b": r"paper",
    r"\bOracle-Neyman\b": r"best",
}
# What leads to a page or a file is called like it.
_LINKS = {"page_link", "button", "download_button"}
_QUOTED = re.compile("“[^”]*”")
_TEXTS = {"title", "header", "subheader", "markdown", "caption", "info", "warning", "error", "success"}


def blocks(parent: Any) -> Iterator[str]:
    """What is read of a page, from its top to its end; what stands behind question marks and in lists is not."""
    for child in parent.children.values():
        if hasattr(child, "children"):
            yield seen(str(getattr(child.proto, "label", "") or ""))
            yield from blocks(child)
        elif child.type in _TEXTS:
            # A page called by one word says what it is below.
            yield seen(str(child.value)) if child.type != "title" or " " in child.value else ""
        elif child.type == "metric":
            yield seen(f"{child.label}: {child.value} {child.delta}")
        elif child.type not in _LINKS:
            yield seen(str(getattr(child.proto, "label", "") or ""))
            if child.type in ("radio", "button_group"):
                yield from map(seen, child.options)


def unexplained(app: AppTest) -> dict[str, str]:
    """The words that a page has first in a block that does not explain them, with that block."""
    read = [_QUOTED.sub("", block) for block in blocks(app.main)]
    first = {word: next((b for b in read if re.search(word, b, re.IGNORECASE)), "") for word in EXPLAINED}
    return {word: block for word, block in first.items() if block and not re.search(EXPLAINED[word], block)}
