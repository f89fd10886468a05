"""Names of columns in languages other than English: those of most speakers, and three more of many annotators.

As in English, “answer” alone may be the right one or a model's: what stands beside it decides.
"""

from __future__ import annotations

import unicodedata
from configparser import ConfigParser
from functools import lru_cache
from pathlib import Path

PROMPT, RIGHT_ANSWER, ANSWER, OUTPUT, RIGHT, WRONG = "prompt", "right answer", "answer", "output", "right", "wrong"
SCORE, CHOICES, GROUP, NUMBER, MODEL, VERDICT = "score", "choices", "group", "number", "model", "verdict"
RUN, REFERENCE = "run", "reference"
_NAMES = ConfigParser(delimiters=("=",), interpolation=None)
_NAMES.optionxform = str  # type: ignore[assignment, method-assign]
_NAMES.read_string(Path(__file__).with_name("foreign_names.ini").read_text(encoding="utf-8"))
LANGUAGES = tuple(_NAMES[PROMPT])


@lru_cache(maxsize=16_384)
def plain_key(key: str) -> str:
    """Return a key without case, signs and accents: “Réponse correcte?” → “reponsecorrecte”."""
    return "".join(char for char in unicodedata.normalize("NFKD", key.casefold()) if char.isalnum())


def of_language(role: str, language: str) -> tuple[str, ...]:
    """List the names of a role in one of `LANGUAGES`, the likeliest first."""
    return tuple(_NAMES[role][language].split())


def names(role: str) -> tuple[str, ...]:
    """List the names of a role in all languages, as people write them, each once."""
    return tuple(dict.fromkeys(name for language in LANGUAGES for name in of_language(role, language)))
