"""Names that fields have in files of other tools, and how near a path comes to one.

The names stand in ``vocabulary.ini``, in several languages. The rank of a path says how far from the value such a name
stands: the one nearest to the value is the likeliest.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from configparser import ConfigParser
from functools import lru_cache
from pathlib import Path

from ..files import foreign_names
from ..files.foreign_names import plain_key
from ..words.verdict_words import CERTAIN, SAYS_RIGHT, spelling


def _read() -> tuple[dict[str, tuple[str, ...]], dict[str, frozenset[str]]]:
    """Read the names, in their order, and the words in names."""
    file = ConfigParser(delimiters=("=",), interpolation=None)
    file.read_string(Path(__file__).with_name("vocabulary.ini").read_text(encoding="utf-8"))
    names, words = dict[str, tuple[str, ...]](), dict[str, frozenset[str]]()
    for key, text in file["names"].items():
        names[key] = tuple(_terms(text, names))
    for key, text in file["words"].items():
        without = {term[1:] for term in text.split() if term[0] == "-"}
        words[key] = frozenset(_terms(text, {**names, **words})) - without
    return names, words


def _terms(text: str, others: Mapping[str, Iterable[str]]) -> Iterator[str]:
    for term in text.split():
        if term[0] == "@":
            yield from map(plain_key, foreign_names.names(term[1:].replace("-", " ")))
        elif term[0] == "+":
            yield from others[term[1:]]
        elif term[0] != "-":
            yield term


NAMES, WORDS = _read()
# From this name on, what is called so may also be a model's.
_ALSO_OUTPUTS = NAMES["answer"].index("answer")
_OUTPUTS = frozenset(NAMES["output"]) - WORDS["answers"]
# Names of what may be said of a call as well as of an answer, and what is said of a call that went well.
CALLS_THAT_WENT_WELL: Mapping[str, float] = {
    **dict.fromkeys(("success", "issuccess", "issuccessful", "successful", "succeeded", "ok", "isok"), 1.0),
    **dict.fromkeys(("error", "iserror", "haserror", "errors", "failed", "isfailed", "failure"), 0.0),
}
_NOT_BESIDE = {"right": WORDS["no-verdicts"], "generations": WORDS["right-ones"] | WORDS["wrong-ones"]}
NUMBERED = re.compile(r"(output|response|generation|sample|completion|prediction|run|answer)s?_?\s?\d+")
OPTION = re.compile(r"(?:(?:option|choice|op)[_ ]?)?([a-z])|(?:option|choice|ending|sol)[_ ]?\d+")
_ANSWERS_AND_SCORES = frozenset((*NAMES["answer"], *NAMES["score"]))
_LAST = re.compile(r"(?<![^.\[\]])[^.\[\]]++(?=[\[\].\d]*$)")
_KEYS = re.compile(r"[^.\[\]/]+")
# What a column says of its values behind its name, such as “(1/0)” and “(yes/no)”.
_VALUES = re.compile(
    r"\s*\((?:[\W\d_]+|y/n|yes/no|true/false|ja/nein|wahr/falsch|oui/non|vrai/faux|s[ií]/no|sim/não)\)\s*$",
    re.IGNORECASE,
)
# A name of two opposites, such as “Pass/Fail” and “right or wrong”.
_PAIR = re.compile(r"(?<![^.\[\]])([^\W\d]+)\s*(?:/|\s(?:or|oder|ou|o|e)\s)\s*([^\W\d]+)\s*$", re.IGNORECASE)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+|[^\W\d_A-Za-z]+")


def has_more(keys: Iterable[str], own: Collection[str]) -> bool:
    """Whether a record has right answers or scores beside a tool's own fields, so that another tool wrote it."""
    return not _ANSWERS_AND_SCORES.isdisjoint(plain_key(key) for key in keys if key not in own)


def name_rank(path: str, names: Sequence[str]) -> tuple[int, int] | None:
    """Return how far from the value, and how late in the list, the first of the names stands; None for none.

    What such a key holds is none of it if the value is called an id, a type, a role …
    """
    keys = keys_of(path)
    for distance, key in enumerate(reversed(keys)):
        if key in names:
            inner = words_of(path)[len(keys) - distance :]
            return (
                None
                if any(not WORDS["others"].isdisjoint(words[-1:]) for words in inner)
                else (distance, names.index(key))
            )
    return None


def answer_rank(path: str) -> tuple[int, ...] | None:
    """Return the rank among names of right answers; what a model or a run has is likely to be its output."""
    rank, keys = name_rank(path, NAMES["answer"]), keys_of(path)
    outer = {word for words in words_of(path)[:-1] for word in words}
    # What a pool’s “targets” hold, “targets.gpt-4.correct”, is a model’s, and so is what is read from its output. Label
    # Studio’s “ground_truth” says whether an annotation is one.
    if (
        rank is None
        or not WORDS["read-from"].isdisjoint(outer)
        or (keys[0] == "targets" and len(keys) > 2)
        or keys[-2:] == ("annotations", "groundtruth")
    ):
        return None
    only_right = set(NAMES["answer"][:_ALSO_OUTPUTS])
    return not WORDS["runs"].union(NAMES["output"]).isdisjoint(keys[:-1]), only_right.isdisjoint(keys), *rank


def may_be_said(path: str) -> bool:
    """Whether a path is called as a right answer that may also be a model's, such as “answer” and “label”."""
    return last_name(path) in NAMES["answer"][_ALSO_OUTPUTS:]


def prompt_rank(path: str) -> tuple[int, int] | None:
    """Return the rank among names of questions; “text” and “content” within an output are the model’s."""
    rank, keys = name_rank(path, NAMES["input"]), keys_of(path)
    if rank is None or NAMES["input"][rank[1]] not in ("text", "content"):
        return rank
    return rank if _OUTPUTS.isdisjoint(keys[: len(keys) - 1 - rank[0]]) else None


def is_fault(path: str) -> bool:
    """Whether what a path holds, or a score of this name, is bad if it is true: “toxicity”, but not “non-toxic”."""
    faults = (words for words in words_of(path) if not WORDS["faults"].isdisjoint(words))
    return last_name(path) in NAMES["wrong"] or any(WORDS["turned"].isdisjoint(words) for words in faults)


def score_rank(path: str) -> tuple[int, int] | None:
    """Return how far from the value the name of what holds scores stands, called as scores are first; None for none.

    A name such as ``exact_match/v1/score`` says that it is one; one such as ``completed_by`` or ``was_cancelled`` says
    who scored, or how.
    """
    keys, words = keys_of(path), words_of(path)
    if not (WORDS["no-score-begins"].isdisjoint(words[-1][:1]) and WORDS["no-score-ends"].isdisjoint(words[-1][-1:])):
        return None
    if any(one[-1:] == ("by",) for one in words):
        return None
    distance = next(
        (place for place, one in enumerate(reversed(words)) if not WORDS["score-holders"].isdisjoint(one)), None
    )
    called = keys[-1] in NAMES["score"] or words[-1][-1:] in [(value,) for value in NAMES["value"]]
    if distance is None and "/" in last_key(path) and called:
        distance = 1
    return None if distance is None or not WORDS["amounts"].isdisjoint(words[-1]) else (not called, distance)


@lru_cache(4_096)
def words_of(path: str) -> tuple[tuple[str, ...], ...]:
    """Return the words of each key: “modelOutput” and “model_output” have two."""
    keys = ("".join(filter(_no_mark, unicodedata.normalize("NFKD", key))) for key in _keys(path))
    return tuple(tuple(word.casefold() for word in _WORD.findall(key)) for key in keys) or ((),)


def _no_mark(char: str) -> bool:
    return not unicodedata.combining(char)


@lru_cache(4_096)
def keys_of(path: str) -> tuple[str, ...]:
    """Return the keys of a path from the outermost on, without case and signs; one empty key if it has none."""
    return tuple(map(plain_key, _keys(path))) or ("",)


def _keys(path: str) -> list[str]:
    bare = _VALUES.sub("", path) if path.endswith(")") else path
    return _KEYS.findall(_PAIR.sub(_without_opposite, bare))


def _without_opposite(match: re.Match[str]) -> str:
    """Return “correct” for a name of two opposites, in which 1 means right whichever stands first."""
    said = {{**SAYS_RIGHT, **CERTAIN}.get(spelling(word)) for word in match.groups()}
    is_score = any(plain_key(word) in (*NAMES["score"], *NAMES["wrong"]) for word in match.groups())
    return "correct" if said == {True, False} and is_score else match[0]


def last_key(path: str) -> str:
    """Return the innermost key of a path as it is written."""
    match = _LAST.search(path)
    return match[0] if match else path


def last_name(path: str) -> str:
    """Return the innermost key of a path without case and signs."""
    return keys_of(path)[-1] if _KEYS.search(path) else ""


def has_word(path: str, meaning: str) -> bool:
    """Whether the name of a path has one of the words of a meaning (`WORDS`), and none of something else."""
    words = words_of(path)[-1]
    if meaning in _NOT_BESIDE and not _NOT_BESIDE[meaning].isdisjoint(words):
        return False
    return not WORDS[meaning].isdisjoint(words) and WORDS["others"].isdisjoint(words)


def holds_right_answers(path: str) -> bool:
    """Whether a path is called as a list of right answers: “correct_answers” and “aliases”, but not “wrong answers”."""
    words = words_of(path)[-1]
    is_right = words[-1:] == ("aliases",) or not WORDS["right-ones"].isdisjoint(words)
    return is_right and WORDS["wrong-ones"].isdisjoint(words) and words[-1] in WORDS["several-answers"]


def is_said(path: str) -> bool:
    """Whether a path is called as what a model said: “bot reply”, “my model’s answer”, “what the assistant said”.

    “Model” may be part of such a name, but “answer model” says which model it was.
    """
    words = words_of(path)[-1]
    named = words[-1:] == ("model",) and WORDS["whose"].isdisjoint(words)
    others = (
        (WORDS["others"] if named else WORDS["others"] - {"model"})
        | WORDS["no-models"]
        | WORDS["judges"]
        | WORDS["people"]
        | WORDS["wrong-choices"]
    )
    says = WORDS["output"] if WORDS["speakers"].isdisjoint(words) else WORDS["output"] | WORDS["saying"]
    return others.isdisjoint(words) and not says.isdisjoint(words)


def is_asked(path: str) -> bool:
    """Whether a path is called as what people said to a model: “what the customer said”, “user wrote”."""
    words = words_of(path)[-1]
    return (
        not WORDS["askers"].isdisjoint(words)
        and not WORDS["saying"].isdisjoint(words)
        and WORDS["others"].isdisjoint(words)
    )


def is_of_people(path: str) -> bool:
    """Whether a path is called as what people say, alone or in agreement: “human”, “expert label”, “majority vote”."""
    words = {word for word in words_of(path)[-1] if not word.isdecimal()}
    return not words.isdisjoint(WORDS["agreed"]) and words <= WORDS["agreed"] | WORDS["labels"]


def is_reason(path: str) -> bool:
    """Whether a path is called as what says why a judge decides."""
    return any(plain_key(path).endswith(word) for word in NAMES["reason"])
