"""The first rows of a file by their paths: what the values at each path look like."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from string import ascii_uppercase
from typing import Any

from ..words.verdict_words import SAYS_RIGHT, spelling
from .chats import options_in
from .field_names import CALLS_THAT_WENT_WELL, NAMES, WORDS, is_fault, last_name, score_rank, words_of
from .paths import entered
from .runs import holds_runs, names_a_run
from .verdicts import alone, are_wrong_or_false, number, say_themselves, says_nothing

# So many rows of a file are looked at.
LOOKED_AT = 200
# Share of a column's values that may be of another kind than the rest, such as an answer that looks like JSON.
_FEW = 0.1
# Share of outputs that are objects, beside others that are cut or malformed.
_MOST_OBJECTS = 0.5
# Of so many rows two are of one group.
_MANY = 20
# Names of so many scores in one list are those of metrics, not of runs.
_METRICS = 5
# What is called so may be of the model's answer, or of the request for it.
_SAMPLES = frozenset(NAMES["generations"]) - {"predictions"}
# How columns end that hold what an evaluator says, and how it scores and explains it.
_LABELS, _SCORED = {("label",), ("verdict",)}, {("score",), ("value",)}
_REASONS = {(word,) for word in NAMES["reason"]}
_FEW_WORDS = 6
# “A>B” and “model_a<model_b” say which of two outputs is better.
_COMPARES = re.compile(r"[\w-]{1,20}\s*(?:>{1,2}|<{1,2}|=)\s*[\w-]{1,20}").fullmatch
_NAMES = frozenset({"metric", "evaluator", "scorer", "criterion", "dimension", "measure"})


class FirstRows:
    """The values at each path.

    Parameters
    ----------
    values : mapping of str to sequence
        One value for each row, None if it has none.
    """

    def __init__(self, values: Mapping[str, Sequence[Any]]) -> None:
        self.values = values
        self.known = {path: [one for one in column if one is not None] for path, column in values.items()}
        self._numbers: dict[str, tuple[float | None, ...]] = {}
        self._entered: dict[str, tuple[int, int]] = {}
        self._names: dict[str, frozenset[str]] = {}

    @cached_property
    def size(self) -> int:
        """Number of rows."""
        return max(map(len, self.values.values()), default=0)

    def filled(self, path: str) -> int:
        """Number of rows with a value."""
        return len(self.known[path])

    def is_common(self, path: str) -> bool:
        """Whether half of the rows have a value."""
        return 2 * self.filled(path) >= self.size

    def texts(self, path: str) -> list[str]:
        """One text for each row."""
        return [str(value) for value in self.values[path]]

    def numbers(self, path: str) -> tuple[float | None, ...]:
        """The number in each row, None for none."""
        if path not in self._numbers:
            self._numbers[path] = tuple(map(number, self.values[path]))
        return self._numbers[path]

    def is_key(self, path: str) -> bool:
        """Whether each row has a text or a whole number."""
        values = self.values[path]
        return all(
            isinstance(value, (str, int)) or (isinstance(value, float) and value.is_integer()) for value in values
        ) and not any(isinstance(value, bool) for value in values)

    def repeats(self, path: str) -> bool:
        """Whether two rows have the same."""
        values = self.texts(path)
        return len(set(values)) < len(values)

    def varies(self, path: str) -> bool:
        """Whether two rows have different values, or there is but one."""
        return self.size < 2 or len(set(map(str, self.known[path]))) > 1

    def are_distinct(self, path: str, other: str) -> bool:
        """Whether no two rows have the same at both paths, and the other path has several values."""
        pairs = set(zip(self.texts(path), self.texts(other), strict=True))
        return len(pairs) == self.size and len(set(self.texts(other))) > 1

    def distinct(self, names: Sequence[str]) -> int:
        """Number of different combinations of what rows have at some paths."""
        return len(set(zip(*map(self.texts, names), strict=True)))

    def are_spellings(self, path: str, other: str) -> bool:
        """Whether each of a few values at a path comes with one value at another one, and the other way round."""
        few = self.distinct([path])
        return 2 * few <= self.size and few == self.distinct([other]) == self.distinct([path, other])

    def are_crossed(self, path: str, other: str) -> bool:
        """Whether each of a few values at a path comes with each of more values at another one."""
        few, many = self.distinct([path]), self.distinct([other])
        return 1 < few < many and self.distinct([path, other]) == few * many

    def repeats_together(self, names: Sequence[str]) -> bool:
        """Whether two rows have the same at all of some paths."""
        return self.distinct(names) < self.size

    def are_pieces(self, names: Sequence[str]) -> bool:
        """Whether rows that have the same at some paths complete or repeat each other: none says anything else."""
        keys = list(zip(*map(self.texts, names), strict=True))
        if len(set(keys)) == len(keys):
            return False
        for path in self.values.keys() - set(names):
            pairs = [(key, str(value)) for key, value in zip(keys, self.values[path], strict=True) if value is not None]
            if len(set(pairs)) > len({key for key, _ in pairs}):
                return False
        return True

    def is_single(self, path: str) -> bool:
        """Whether each is one value, not the same flag everywhere."""
        several = any(
            isinstance(value, (list, dict)) and (len(value) != 1 or isinstance(alone(value), list))
            for value in self.known[path]
        )
        return not several and not self.is_flag(path)

    def is_group(self, path: str) -> bool:
        """Whether each is one value, which of many rows some share."""
        return self.is_single(path) and (self.size < _MANY or self.repeats(path))

    def is_answer(self, path: str) -> bool:
        """Whether each has one value, and none of them is a verdict, as labels of people and judges are."""
        return self.is_single(path) and not self.is_json(path) and not self.is_verdict(path)

    def is_verdict(self, path: str) -> bool:
        """Whether these are verdicts on an output, by their words or by the score or the reasons beside them."""
        said = [spelling(str(alone(value))) for value in self.known[path] if not says_nothing(value)]
        named = len(WORDS["verdicts"].intersection(said)) > 1 and 2 * sum(
            word in WORDS["verdicts"] for word in said
        ) >= len(said)
        compared = bool(said) and all(map(_COMPARES, said))
        # “Partially correct” is one too.
        few = len({*said}) <= _FEW_WORDS and len(said) > _FEW_WORDS
        named = named or (few and all(not WORDS["verdicts"].isdisjoint(word.split()) for word in said))
        return not said or {*said} <= WORDS["verdicts"] or named or compared or self._is_of_a_score(path)

    def _is_of_a_score(self, path: str) -> bool:
        """Whether this is the label that an evaluator has given beside its score, or beside its reasons alone."""
        outer, dot, _ = path.rpartition(".")
        beside = any(f"{outer}.{value}" in self.values for value in NAMES["value"])
        if dot and last_name(path) == "label" and beside and (outer.endswith("]") or bool(score_rank(path))):
            return True
        if not self.is_label(path):
            return False
        others = [one for one in self.values if _before_last(one) == _before_last(path) and one != path]
        scores = [one for one in others if last_name(one) in NAMES["score"] or words_of(one)[-1][-1:] in _SCORED]
        has_reasons = any(words_of(one)[-1][-1:] in _REASONS for one in others)
        return any(self.words_of_numbers(path, one) for one in scores) and (has_reasons or self._is_said_of(path))

    def is_label(self, path: str) -> bool:
        """Whether a path is called a label, of few words."""
        words = set(map(str, self.known[path]))
        return words_of(path)[-1][-1:] in _LABELS and 1 < len(words) <= min(_FEW_WORDS, self.filled(path) / 2)

    def words_of_numbers(self, path: str, score: str) -> dict[float, set[str]]:
        """Return the words at a path by the number of a score, if each word has one or none; empty otherwise."""
        numbers: dict[str, set[float]] = {}
        for word, one in zip(self.values[path], self.numbers(score), strict=True):
            if word is not None and one is not None:
                numbers.setdefault(str(word), set()).add(one)
        words: dict[float, set[str]] = {}
        for word, some in numbers.items():
            for one in some:
                words.setdefault(one, set()).add(word)
        return words if len(words) > 1 and all(len(some) == 1 for some in numbers.values()) else {}

    def _is_said_of(self, path: str) -> bool:
        """Whether a label has a word for faults or for what was right."""
        said = {spelling(str(value)) for value in self.known[path]}
        return not said.isdisjoint(WORDS["verdicts"] | SAYS_RIGHT.keys()) or any(map(is_fault, said))

    def is_flag(self, path: str) -> bool:
        """Whether this is true of every row, or false of every row."""
        known = self.known[path]
        return len(known) > 1 and isinstance(known[0], bool) and all(value is known[0] for value in known)

    def is_text(self, path: str) -> bool:
        """Whether these are texts, or lists of them."""
        return all(_is_words(value) for value in self.known[path])

    def is_blank(self, path: str) -> bool:
        """Whether most of these are empty texts."""
        return 2 * sum(isinstance(value, str) and not value.strip() for value in self.known[path]) > self.filled(path)

    def is_json(self, path: str) -> bool:
        """Whether these are texts that stand for objects; a few among others are texts."""
        return self._inner(path)[0] > _FEW * self.filled(path)

    def are_objects(self, path: str) -> bool:
        """Whether nearly all of these, or of the texts in their lists, are texts that stand for objects."""
        flat = [one for value in self.known[path] for one in (value if isinstance(value, list) else [value])]
        objects = sum(isinstance(one, str) and isinstance(entered(one), dict) for one in flat)
        return len(flat) > 0 and objects >= _MOST_OBJECTS * len(flat)

    def is_words(self, path: str) -> bool:
        """Whether these are texts of people, not JSON that may be entered."""
        return self.is_text(path) and sum(self._inner(path)) <= _FEW * self.filled(path)

    def is_text_of_json(self, path: str) -> bool:
        """Whether these are texts that may be entered as JSON, or lists of texts."""
        return self.is_text(path) and not self.is_words(path)

    def _inner(self, path: str) -> tuple[int, int]:
        """Count the values that are objects, and the texts that stand for a list."""
        if path not in self._entered:
            inner = [(value, entered(value)) for value in self.known[path]]
            lists = sum(isinstance(one, list) and isinstance(value, str) for value, one in inner)
            self._entered[path] = sum(isinstance(one, dict) for _, one in inner), lists
        return self._entered[path]

    def is_prose(self, path: str) -> bool:
        """Whether these are texts, not fractions written as such."""
        fractions = any("." in str(value) for value in self.known[path])
        return self.is_words(path) and not (fractions and self.is_numeric(path))

    def is_numeric(self, path: str) -> bool:
        """Whether these are numbers or truth values, not words that stand for them."""
        return all(_is_numeral(value) for value in self.known[path])

    def may_be_a_question(self, path: str) -> bool:
        """Whether these are no numbers and no verdicts, and either several words or often another text."""
        texts = self.texts_known(path)
        words = sum(len(text.split()) > 1 for text in texts)
        several = 2 * words >= len(texts) or 2 * len(set(texts)) > len(texts)
        return several and not self.is_numeric(path) and any(number(text) is None for text in texts)

    def texts_known(self, path: str) -> list[str]:
        """The values as texts, without rows that have none."""
        return [str(value) for value in self.known[path]]

    def is_list(self, path: str) -> bool:
        """Whether each is a list of plain values."""
        return all(
            isinstance(value, list) and not any(isinstance(part, (dict, list)) for part in value)
            for value in self.known[path]
        )

    def is_samples(self, path: str) -> bool:
        """Whether each is a list; of one value of each of several objects, some are to have several."""
        several = self.has_several(path) if "[]." in path else self.is_list(path)
        return several and not self.are_likelihoods(path) and not self.are_scores_of_runs(path)

    def are_scores_of_runs(self, path: str) -> bool:
        """Whether each is one verdict, or a list of several, called as a score, and no 0 or 1 is a right answer."""
        several = self.has_several(path)
        called = last_name(path) in (*NAMES["score"], *NAMES["reward"]) or holds_runs(path)
        if several and not called:
            return False
        values = [one for value in self.known[path] for one in (value if isinstance(value, list) else [value])]
        said = {str(one).strip().casefold() for one in values if not says_nothing(one)}
        numbers = {number(one) for one in said}
        # Yes and no may be what a model said.
        verdicts = not said & {"yes", "no"} and numbers <= {0.0, 1.0} and bool(numbers)
        answers = (one for one in self.values if one != path and last_name(one) in NAMES["answer"])
        return (
            verdicts and WORDS["amounts"].isdisjoint(words_of(path)[-1]) and not any(map(self.is_zero_or_one, answers))
        )

    def are_likelihoods(self, path: str) -> bool:
        """Whether lists hold log-probabilities, as those of options: decimal numbers that are not above 0.

        What is called samples is none, nor are “predictions” of right answers that are such numbers.
        """
        answers = (name for name in self.values if last_name(name) in NAMES["answer"] and name != path)
        if last_name(path) in _SAMPLES or any(map(self._is_fraction_or_negative, answers)):
            return False
        values = [one for value in self.known[path] for one in (value if isinstance(value, list) else [value])]
        numbers = [one for one in values if isinstance(one, float)]
        return 0 < len(numbers) == len(values) and min(numbers) < 0 >= max(numbers)

    def _is_fraction_or_negative(self, path: str) -> bool:
        """Whether some of these numbers are below 0 or no whole ones."""
        known = [one for one in self.numbers(path) if one is not None]
        return self.is_numeric(path) and any(one < 0 or not one.is_integer() for one in known)

    def has_several(self, path: str) -> bool:
        """Whether each is a list of plain values, some of them of several."""
        return self.is_list(path) and any(len(value) > 1 for value in self.known[path])

    def counts_entries(self, path: str) -> bool:
        """Whether a field of the entries of lists names or numbers them, from 0 or 1 on: “trials[].trial”, no score."""
        if "[]." not in path or last_name(path) in (*NAMES["score"], *NAMES["reward"]):
            return False
        lists = [value for value in self.known[path] if isinstance(value, list)]
        counts = all(value in ([*range(len(value))], [*range(1, len(value) + 1)]) for value in lists)
        are_numbers = not any(isinstance(one, bool) for value in lists for one in value)
        return names_a_run(path) or (counts and are_numbers and any(len(value) > 1 for value in lists))

    def is_choices(self, path: str) -> bool:
        """Whether each is a list of one item's, not one value of each of several objects, unless letters name these."""
        return self.is_list(path) and ("[]." not in path or any(map(self._are_letters, self._beside(path))))

    def _beside(self, path: str) -> list[str]:
        """List the other paths within the objects of a list."""
        outer = path.rpartition(".")[0]
        return [one for one in self.values if one != path and one.rpartition(".")[0] == outer]

    def _are_letters(self, path: str) -> bool:
        """Whether each is a list of the letters of options, from A on."""
        known = self.known[path]
        lists = [one for one in known if isinstance(one, list) and len(one) > 1]
        return len(lists) == len(known) > 0 and all(one == [*ascii_uppercase[: len(one)]] for one in lists)

    def are_options(self, path: str, apart: bool = True) -> bool:
        """Whether each is a text that lists the options of an item, or else (not ``apart``) ends with them."""
        known = self.known[path]
        return bool(known) and all(isinstance(one, str) and options_in(one, apart) is not None for one in known)

    def is_zero_or_one(self, path: str) -> bool:
        """Whether these are verdicts: 1 and 0 or words that mean them, and perhaps words for unknown."""
        known = {number(value) for value in self.known[path] if not says_nothing(value)}
        return bool(known) and known <= {0.0, 1.0} and WORDS["amounts"].isdisjoint(words_of(path)[-1])

    def are_verdicts(self, path: str) -> bool:
        """Whether nearly all are words of verdicts, such as “right” and “wrong”, at least two of them."""
        several = len(WORDS["verdicts"].intersection(self._plain_words(path))) > 1
        return several and self.are_words_of_verdicts(path)

    def are_words_of_verdicts(self, path: str) -> bool:
        """Whether nearly all are words of verdicts; they may be the same everywhere."""
        words = self._plain_words(path)
        return 0 < (1 - _FEW) * len(words) <= sum(word in WORDS["verdicts"] for word in words)

    def _plain_words(self, path: str) -> list[str]:
        return [str(alone(value)).strip().casefold() for value in self.known[path]]

    def is_binary(self, path: str) -> bool:
        """Whether these are verdicts of which 1 is likely to mean right."""
        return self.is_zero_or_one(path) and not self.is_fault(path) and not self._is_mixed(path)

    def are_mostly_verdicts(self, path: str) -> bool:
        """Whether at least half are verdicts, and the others are short words that nobody knows."""
        said = [value for value in self.known[path] if not says_nothing(value)]
        known = [one for value in said if (one := number(value)) is not None]
        short = all(isinstance(one, str) and len(one.split()) <= _FEW_WORDS for one in said if number(one) is None)
        are_known = len(said) <= 2 * len(known) > 0 and {0.0, 1.0} >= {*known}
        return short and are_known and not (self.is_fault(path) or self._is_mixed(path))

    def is_of_calls(self, path: str) -> bool:
        """Whether all of many rows have a success, or no error, as calls that went well."""
        well = CALLS_THAT_WENT_WELL.get(last_name(path))
        return well is not None and self.size >= _MANY and set(self.numbers(path)) == {well}

    def are_marks(self, path: str, output: str | None = None) -> bool:
        """Whether all verdicts are the same, and rows with an output have none: an empty cell may mean the other."""
        said = {number(value) for value in self.known[path] if not says_nothing(value)}
        outputs = self.values[output or path]
        empty = any(
            value is None and (output is None or other is not None)
            for value, other in zip(self.values[path], outputs, strict=True)
        )
        return len(said) == 1 and said <= {0.0, 1.0} and empty

    def says_itself(self, path: str) -> bool:
        """Whether these are words such as “passed”, which decide where the name of the path says the opposite."""
        return last_name(path) in NAMES["wrong"] and say_themselves(self.known[path])

    def are_wrong_or_false(self, path: str) -> bool:
        """Whether all have one word such as “falsch”, of which the name of the path does not say what it answers."""
        return are_wrong_or_false(self.known[path])

    def is_fault(self, path: str) -> bool:
        """Whether 1 is likely to mean wrong, by the name of the path or by the one that stands beside the value."""
        if self.says_itself(path):
            return False
        return is_fault(path) or any(map(is_fault, self._called(path)))

    def called(self, path: str) -> str:
        """Return what the value is called beside it, as “toxicity” is in a list of one evaluator; "" for nothing."""
        names = self._called(path)
        return next(iter(names)) if len(names) == 1 else ""

    def _is_mixed(self, path: str) -> bool:
        """Whether different rows have different scores there."""
        return 1 < len(self._called(path)) <= min(_METRICS, self.filled(path) / 2)

    def _called(self, path: str) -> frozenset[str]:
        """Return the names beside the value in an object of a list, or the label that goes with its 1."""
        outer, dot, _ = path.rpartition(".")
        labels = (one for one in self.values if _before_last(one) == _before_last(path) and self.is_label(one))
        for words in (self.words_of_numbers(label, path) for label in labels if label != path):
            if words.keys() <= {0.0, 1.0} and words:
                return frozenset(words[1.0])
        if not (dot and outer.endswith("[]")):
            return frozenset()
        if outer not in self._names:
            beside = (one for one in self.values if one.startswith(f"{outer}.") and _is_name(one[len(outer) + 1 :]))
            column = next(beside, None)
            values = self.known[column] if column is not None else ()
            flat = (name for value in values for name in (value if isinstance(value, list) else [value]))
            self._names[outer] = frozenset(name for name in flat if isinstance(name, str))
        return self._names[outer]

    def is_share(self, path: str) -> bool:
        """Whether these are scores between 0 and 1 by their name too."""
        known = [number(value) for value in self.known[path] if not says_nothing(value)]
        named = (
            last_name(path) in (*NAMES["score"], *NAMES["value"])
            and not self.is_fault(path)
            and not self._is_mixed(path)
        )
        # The same share of every item is a total.
        is_total = len(known) >= _METRICS and len(set(known)) == 1 and known[0] not in (0, 1)
        return named and bool(known) and not is_total and all(value is not None and 0 <= value <= 1 for value in known)


def _before_last(path: str) -> tuple[object, ...]:
    """Return the keys around a path, and the words of its last key except the final one."""
    keys = words_of(path)
    return (*keys[:-1], keys[-1][:-1])


def _is_name(key: str) -> bool:
    return key.lower().endswith(("name", "key")) or key.lower() in _NAMES


def _is_words(value: Any) -> bool:
    parts = value if isinstance(value, list) and value else [value]
    return all(isinstance(part, str) for part in parts)


def _is_numeral(value: Any) -> bool:
    """Whether this is a number or a truth value, not a word that stands for one; or says nothing."""
    known = alone(value)
    if isinstance(known, str) and known.strip().isalpha():
        return known.strip().lower() == "nan"
    return says_nothing(known) or number(known) is not None
