"""What a sentence says, whatever its words."""

from __future__ import annotations


class Saying:
    """Equal to every text that holds all of these parts."""

    def __init__(self, *parts: str) -> None:
        self.parts = parts

    def __eq__(self, text: object) -> bool:
        return isinstance(text, str) and all(part in text for part in self.parts)

    def __hash__(self) -> int:
        return hash(self.parts)

    def __repr__(self) -> str:
        return f"Saying{self.parts}"
