"""What a sentence says, whatever its words."""

from __future__ import annotations

import re

# Parts further apart than this belong to different sentences.
APART = 240


class Saying:
    """Equal to every text in which these parts follow each other closely, no number of them cut off."""

    def __init__(self, *parts: str) -> None:
        self.parts = parts
        self._pattern = re.compile(f".{{0,{APART}}}?".join(map(_whole, parts)), re.DOTALL)

    def __eq__(self, text: object) -> bool:
        return isinstance(text, str) and self._pattern.search(text) is not None

    def __hash__(self) -> int:
        return hash(self.parts)

    def __repr__(self) -> str:
        return f"Saying{self.parts}"


def _whole(part: str) -> str:
    """A pattern of the part, at whose ends no longer number is cut off: 8 is neither in 18 nor in 8,000."""
    before, after = r"(?<!\d)(?<!\d[.,])" if part[:1].isdigit() else "", r"(?![.,]?\d)" if part[-1:].isdigit() else ""
    return before + re.escape(part) + after
