"""Classes in an unknown file: those of a person beside those of a model, lists of them, and probabilities."""

from __future__ import annotations

from collections.abc import Sequence

from ..pool.problems import shown
from ..words.verdict_words import spelling
from .doubt import FreePaths
from .field_map import RIGHT, TEXT
from .field_names import NAMES, WORDS, is_said, keys_of, last_name, name_rank, words_of
from .first_rows import FirstRows
from .model_names import is_of_family

# Scores of two are no classes.
_NUMBERS = WORDS["amounts"] | {*NAMES["score"], *NAMES["judge"], *NAMES["reward"]}
# Who codes by hand, and what codes in their place, in names such as “manual code” and “GPT code”.
_PEOPLE = WORDS["agreed"]
_MODELS = WORDS["speakers"] | WORDS["models"] | {"auto", "automatic", "automated", "automatically", "machine", "chat"}
# What is so, beside what a model tells: “actual” and “predicted”.
_REAL = frozenset({"actual", "true", "real", "gold"})
_LISTS = WORDS["labels"] | {*NAMES["answer"], "intent", "topic", "entity", "emotion"}
_IDS = (*NAMES["id"], *WORDS["codes"])
_PROBABILITIES = frozenset({"prob", "probs", "proba", "probability", "probabilities"})


class LabelPaths:
    """Paths of classes, taken or asked about.

    Parameters
    ----------
    rows : FirstRows
        What the values look like.
    free : FreePaths
        The paths that are not yet taken for a field.
    """

    def __init__(self, rows: FirstRows, free: FreePaths) -> None:
        self._rows, self._free = rows, free

    def pair(self, answer: str | None) -> tuple[str, str] | None:
        """Take the right classes and a model’s, as “intent” and “predicted_intent”, by their names and values.

        Beside right answers that are known (``answer``), take the model’s classes alone.
        """
        rows = self._rows
        single = [path for path in self._free if rows.is_prose(path) and rows.is_single(path)]
        facts = {word for path in single for word in words_of(path)[-1]} & _REAL
        told = {path: frozenset(words_of(path)[-1]) for path in single}
        for right in [answer] if answer else single:
            words = frozenset(words_of(right)[-1])
            of = words - WORDS["true"] - {"is"}
            if not of.isdisjoint(_NUMBERS) or not (of or words & facts):
                continue
            classes = {spelling(one) for one in rows.texts_known(right)}
            for said in (path for path in told if path != right):
                is_told = (
                    told[said] - WORDS["told"] - {"is"} == of
                    and told[said] not in (of, words)
                    and words.isdisjoint(told[said] & WORDS["told"])
                )
                if is_told and self._are_of(said, classes):
                    self._free.mark([right, said])
                    return right, said
        return None if answer else self._of_one_model(single)

    def _of_one_model(self, single: Sequence[str]) -> tuple[str, str] | None:
        """Take classes and those of the only known model, as “topic” and “gpt_topic”."""
        rests = {path: rest for path in single if _is_class(path) and (rest := _rest(path, _MODELS))}
        pairs = [
            (path, said)
            for path in single
            for said, rest in rests.items()
            if rest == frozenset(words_of(path)[-1]) and rest.isdisjoint(_NUMBERS | WORDS["output"])
        ]
        alike = [
            pair for pair in pairs if self._are_of(pair[1], {spelling(one) for one in self._rows.texts_known(pair[0])})
        ]
        if len(alike) != 1 or len(rests) > 1:
            return None
        self._free.mark(alike[0])
        return alike[0]

    def by_hand(self) -> tuple[str, str | None] | None:
        """Take a person's classes beside a model's, as “manual code” and “GPT code”; None if there are none.

        Beside several models, or several people, take a person's classes alone, and ask whose if there are several.
        """
        rows = self._rows
        single = [path for path in self._free if rows.is_prose(path) and rows.is_single(path) and _is_class(path)]
        people = {path: rest for path in single if (rest := _rest(path, _PEOPLE))}
        models = {path: rest for path in single if (rest := _rest(path, _MODELS)) and path not in people}
        both = [path for path, rest in people.items() if rest in models.values()]
        texts = (path for path in rows.values if path not in (*people, *models) and not name_rank(path, _IDS))
        coded = (path for path in texts if rows.may_be_a_question(path))
        # What a model said is judged.
        if not both or next(coded, None) is None or any(_is_output(rows, path) for path in rows.values):
            return None
        classes = {spelling(one) for one in rows.texts_known(both[0])}
        said = [path for path, rest in models.items() if rest == people[both[0]] and self._are_of(path, classes)]
        if not said:
            return None
        self._free.mark(both)
        if len(both) > 1:
            self._free.doubt("answer", both)
            return None
        if len(said) > 1:
            return both[0], None
        self._free.mark(said)
        return both[0], said[0]

    def _are_of(self, path: str, classes: set[str]) -> bool:
        """Whether half of what a path holds is among some classes."""
        known = [spelling(one) in classes for one in self._rows.texts_known(path)]
        return bool(known) and 2 * sum(known) >= len(known)

    def question_lists(self, output: str | None) -> None:
        """Ask whether lists of classes are right answers, of which one is enough."""
        rows = self._rows
        for path in self._free:
            words = words_of(path)[-1]
            named = {*words} | {word.removesuffix("s") for word in words}
            is_list = len(keys_of(path)) == 1 and rows.is_list(path) and rows.has_several(path)
            if not is_list or named.isdisjoint(_LISTS) or not named.isdisjoint(WORDS["told"]) or not rows.varies(path):
                continue
            told = (one for one in self._free if is_said(one) or not WORDS["told"].isdisjoint(words_of(one)[-1]))
            if output is None and not any(map(rows.is_list, told)):
                continue
            why = (
                f"{shown(path)} holds lists. If one of its elements is enough for a right answer, take it for “answer” "
                f"(in a shell: --answer {path}). If an output has to name all of them, give a score of each output."
            )
            self._free.mark([path])
            self._free.doubt("answer", [path], why=why)
            return

    def question_probabilities(self, answer: str, output: str | None, right: str | None) -> bool:
        """Ask whether fractions beside classes are the probabilities that a model gives, and no answers or scores."""
        rows = self._rows
        said = [path for path in (output, None if output else right) if path and self._are_fractions(path)]
        said = said if rows.is_zero_or_one(answer) else []
        if not (said or output or right):
            said = [path for path in self._free if not _PROBABILITIES.isdisjoint(words_of(path)[-1])]
            said = [path for path in said if self._are_fractions(path)]
        for path in said[:1]:
            why = (
                f"{shown(path)} holds fractions beside the classes in {shown(answer)}, so it may be the probability "
                "that a model gives to a class. Write the class that the model decides for in a column, and take that "
                f"as its answer. If {shown(path)} says how right each output is, take it for “{RIGHT}” (in a shell: "
                f"--target MODEL:right={path})."
            )
            self._free.mark([path])
            self._free.doubt(RIGHT if path == right else TEXT, [path], why=why)
        return bool(said)

    def _are_fractions(self, path: str) -> bool:
        known = [one for one in self._rows.numbers(path) if one is not None]
        return bool(known) and all(0 <= one <= 1 for one in known) and any(not one.is_integer() for one in known)


def _is_class(path: str) -> bool:
    """Whether a plain column may hold classes by its name."""
    words = set(words_of(path)[-1])
    return len(keys_of(path)) == 1 and words.isdisjoint(_NUMBERS | WORDS["others"] - {"model"} | {*NAMES["reason"]})


def _is_output(rows: FirstRows, path: str) -> bool:
    """Whether a column holds what a model said, in many different texts."""
    named = last_name(path) not in WORDS["answers"] and (name_rank(path, NAMES["output"]) or is_said(path))
    return bool(named) and rows.is_prose(path) and 2 * rows.distinct([path]) > rows.size


def _rest(path: str, whose: frozenset[str]) -> frozenset[str]:
    """Return the words of a name beside those that say whose it is; none if nothing or only that is said."""
    words = [word for word in words_of(path)[-1] if not word.isdecimal() and len(word) > 1]
    rest = [word for word in words if word not in whose and not (whose is _MODELS and is_of_family(word))]
    return frozenset(rest) if len(rest) < len(words) else frozenset()
