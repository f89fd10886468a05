"""Likely names of models, and columns that are called by a model and by what they hold of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

from ..files import foreign_names
from ..files.foreign_names import plain_key
from .field_names import NAMES, WORDS, last_key, words_of

_WHAT = (
    r"output|response|answer|prediction|completion|reply|is[ _]?correct|correct|right|passed|score|accuracy|acc|grade"
    r"|pred|em|exact[ _]?match|is[ _]?wrong|wrong|incorrect|failed|errors?|says?|said|answered|replied|responded"
)
_ROLES = (foreign_names.OUTPUT, foreign_names.ANSWER, foreign_names.RIGHT, foreign_names.WRONG, foreign_names.SCORE)


def _pattern(what: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?P<model>[^.\[]+?)[\s_:/|(-]+(?P<what>{what})\W*|(?P<first>{what})[\s_:/|(-]+(?P<other>[^.\[]+?)\)?",
        re.IGNORECASE,
    )


_OF_A_MODEL = _pattern(_WHAT)
_IN_OTHER_WORDS = _pattern("|".join(re.escape(name) for role in _ROLES for name in foreign_names.names(role)))
# What is called so may be an answer, and is no verdict on one.
_ANSWERED = WORDS["output"] - {"generated"}
_VALUES = frozenset({"text", "value", "string"})
# Words that say of an answer that it is right, what may stand beside them, and names that say so in other languages.
_RIGHT = WORDS["answer"] | {"correct", "right", "true", "actual", "official", "oracle", "solution", "key", "verified"}
_BESIDE_RIGHT = WORDS["truths"] | _RIGHT | WORDS["answer-forms"] | _ANSWERED | _VALUES | {"is", "choice", "class"}
_CALLED_RIGHT = frozenset(
    plain_key(name) for role in (foreign_names.RIGHT, foreign_names.RIGHT_ANSWER) for name in foreign_names.names(role)
)
# What stands around a model in “what gpt said”, “answer by gpt” and “gpt said (correct)”.
_AROUND = re.compile(r"^(?:(?:what|said|by|of|from)[\s_-]+)+|[\s_-]+said$", re.IGNORECASE)
# An original answer may be that of a model before another one’s.
_NO_MODEL_WORDS = WORDS["answer-forms"] - {"original"}
_FAMILY = re.compile(rf"(?<![a-z])(?:{'|'.join(NAMES['family'])})(?![a-z])", re.IGNORECASE)
_SIZE = re.compile(r"(?<![^\W_])\d+(?:\.\d+)?b(?![^\W_])", re.IGNORECASE)
_SPEAKER = r"(?:model|system|llm|agent|candidate|assistant|bot|chatbot|baseline)s?"
_NUMBERED = re.compile(
    rf"(?:the[ _-])?{_SPEAKER}[ _-]?\w{{0,3}}|(?:[^.\[]+[ _-])?{_SPEAKER}[ _-]?v?\d[\d._-]*", re.IGNORECASE
)
# What tells versions of one thing apart: “v2”, “release 3”, “2026-01”.
_VERSION = re.compile(r"(?<![a-z\d])(?:v|version|release)[ ._-]?\d|(?<!\d)20\d\d[-_.]?[01]\d(?!\d{3})", re.IGNORECASE)
# Of any model, or of something else.
_ANY_MODEL = frozenset(
    f"{the}{name}{s}"
    for the in ("", "the")
    for name in ("model", "system", "llm", "agent", "candidate", "assistant", "bot", "baseline", "command", "bloom")
    for s in ("", "s", "id", "ids", "msg", "log")
)
# Words beside the name of a model in those of texts that it did not say.
_NOT_SAID = (
    WORDS["people"]
    | WORDS["judges"]
    | WORDS["of-items"]
    | WORDS["others"] - {"model", "version"}
    | {*NAMES["reason"], *(f"{one}s" for one in NAMES["reason"])}
)


class OfModel(NamedTuple):
    """A column's model, and what the column holds of it, such as “iscorrect”, in English or another language."""

    model: str
    what: str
    is_foreign: bool = False


def of_model(name: str) -> OfModel | None:
    """Split “gpt_output” or “correct (gpt)” into the model and what is of it; None for another name."""
    match = _OF_A_MODEL.fullmatch(name) or _IN_OTHER_WORDS.fullmatch(name)
    model, what = (match["model"] or match["other"], match["what"] or match["first"]) if match else ("", "")
    model = _AROUND.sub("", model)
    words = words_of(model)[-1]
    if not any(map(str.isalpha, model)) or model.lower() in WORDS["not-a-model"] or _NO_MODEL_WORDS.issuperset(words):
        return None
    if WORDS["truths"].issuperset(words) or is_of_truth(name):
        return None
    if not WORDS["judges"].isdisjoint(words) or (
        not is_model(model) and not (WORDS["no-models"] | WORDS["people"]).isdisjoint(words)
    ):
        return None
    return OfModel(model, plain_key(what), match is not None and match.re is _IN_OTHER_WORDS)


def is_of_truth(path: str) -> bool:
    """Whether a path is called as right answers, with a word for an answer: “ground_truth_answer”."""
    words = set(words_of(path)[-1])
    called = not words.isdisjoint(_ANSWERED) and not words.isdisjoint(WORDS["truths"])
    return called and words <= WORDS["truths"] | _ANSWERED | _VALUES


def says_right(path: str) -> bool:
    """Whether a path is called as what is right, and so as no model: “correct”, “gold 2”, “official key”."""
    words = {word for word in words_of(path)[-1] if not word.isdecimal()}
    return plain_key(last_key(path)) in _CALLED_RIGHT or (not words.isdisjoint(_RIGHT) and words <= _BESIDE_RIGHT)


def said_by(name: str, models: Collection[str]) -> str | None:
    """Return the model that said the texts of a column, as “v1” those of “support-bot v1”; None if none or several."""
    model, rest = _within(name, models)
    return model if _NOT_SAID.isdisjoint(rest) else None


def verdict_on(name: str, models: Collection[str]) -> str | None:
    """Return the model whose output a column gives verdicts on, as “v1 verdict” does of “v1”; None if of none."""
    model, rest = _within(name, models)
    words = set(rest) - {"is"}
    return (
        model
        if words & WORDS["of-verdicts"] and words <= WORDS["of-verdicts"] | WORDS["people"] | WORDS["output"]
        else None
    )


def _within(name: str, models: Collection[str]) -> tuple[str | None, Sequence[str]]:
    """Return the model that a name has most words of, and its other words; None if none or several."""
    words = words_of(name)[-1]
    rests = {model: rest for model in models if (rest := _without(words_of(model)[-1], words)) is not None}
    longest = [model for model, rest in rests.items() if len(rest) == min(map(len, rests.values()))]
    return (longest[0], rests[longest[0]]) if len(longest) == 1 else (None, ())


def _without(part: Sequence[str], words: Sequence[str]) -> Sequence[str] | None:
    """Words without those that follow each other in them; None if these do not."""
    for place in range(len(words) - len(part) + 1):
        if words[place : place + len(part)] == part:
            return [*words[:place], *words[place + len(part) :]]
    return None


def is_model(name: str) -> bool:
    """Whether a name is one of a known family, such as “gpt-4”, or numbers a model, such as “model_a”."""
    return is_of_family(name) or is_numbered_model(name)


def is_of_family(name: str) -> bool:
    """Whether a name is one of a known family, such as “gpt-4”."""
    return bool(_FAMILY.search(name))


def has_size(name: str) -> bool:
    """Whether a name says how many parameters a model has, as “alpha-7b” does."""
    return bool(_SIZE.search(name))


def is_numbered_model(name: str) -> bool:
    """Whether a name numbers a model, such as “model_1” and “bot 2”, and not one of its answers."""
    return bool(_NUMBERED.fullmatch(name.strip()))


def is_named_model(name: str) -> bool:
    """Whether a name tells one model from others, as “model_a” and “gpt-4” do, and “model” does not."""
    return is_model(name) and plain_key(name) not in _ANY_MODEL


def are_models(names: Collection[str]) -> bool:
    """Whether at least half of the names are such, or all are versions of one thing."""
    several = len(names) > 1 and len(versions_among(names)) == len(names)
    return several or (bool(names) and 2 * sum(map(is_model, names)) >= len(names))


def versions_among(names: Collection[str]) -> list[str]:
    """List the names that differ from another one in nothing but the number of a version."""
    letters = {name: re.sub(r"[\W\d_]", "", name.casefold()) for name in names if _VERSION.search(name)}
    counts = Counter(letters.values())
    return [name for name, alike in letters.items() if counts[alike] > 1]
