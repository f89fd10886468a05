"""Which field each path of an unknown file is likely to be, by names and by values.

The names are those of `core.readers.field_names`. By the values, an id is different for each prompt, outputs are texts,
verdicts are right or wrong, and scores of judges are numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .field_map import RIGHT, FieldMap, Paths, number
from .field_names import (
    AMOUNTS,
    ID_NAMES,
    INPUTS,
    JUDGE_NAMES,
    MODEL_NAMES,
    NAMES,
    NO_MODELS,
    NUMBERED,
    OF_A_MODEL,
    OF_RUNS,
    OPTION,
    OTHERS,
    OUTPUT_NAMES,
    RUNS,
    SCORE_NAMES,
    VALUES,
    VERDICTS,
    WORDS,
    answer_rank,
    is_fault,
    keys_of,
    last_key,
    last_name,
    name_rank,
    score_rank,
    words_of,
)
from .paths import entered


class Guess:
    """Which paths the fields of items are likely to be.

    Parameters
    ----------
    values : mapping of str to sequence
        The values at each path, None if a row has none.
    """

    def __init__(self, values: Mapping[str, Sequence[Any]]) -> None:
        self._values = values
        self._known = {path: [one for one in column if one is not None] for path, column in values.items()}
        self._taken: set[str] = set()

    def field_map(self, model: str) -> FieldMap:
        """Return the map; ``model`` is the target's name."""
        numbered = self._numbered(NUMBERED)
        prompt = self._text(INPUTS, "prompt")
        choices = self._take(NAMES["choices"], self._is_choices) or self._options()
        answer = self._take_ranked(answer_rank, self._is_answer) or self._by_words("answer", self._is_prose)
        fields: dict[str, Paths | None] = {
            "prompt": prompt,
            "choices": choices,
            "answer": answer,
            "group": self._take(NAMES["group"], self._is_single),
            "generations": self._take(NAMES["generations"], self._is_samples) or numbered,
        }
        if prompt is None:
            fields["prompt"] = prompt = self._longest_text()
        identity = self._identity(prompt, answer)
        repeats = identity is not None and self._repeats(identity)
        models = self._models() if repeats else None
        wide = self._side_by_side()
        output = None if wide else self._text(OUTPUT_NAMES, "output")
        if output is not None and fields["generations"] is None and repeats and models is None:
            fields["generations"], output = output, None
        right = (
            None
            if wide
            else (
                self._take(SCORE_NAMES, self._is_binary)
                or self._take_ranked(score_rank, self._is_binary)
                or self._by_words("right", self._is_binary)
                or self._take(SCORE_NAMES, self._is_share)
            )
        )
        columns = {self._numbers(path) for path in (right, answer) if path is not None}
        judges = []
        for path in sorted(self._free(), key=lambda path: len(keys_of(path))):
            if self._judges(path) and (column := self._numbers(path)) not in columns:
                judges.append(path)
                columns.add(column)
        paths = {native: path for native, path in (("text", output), (RIGHT, right)) if path is not None}
        fields = {"id": identity, **fields}
        return FieldMap(
            {native: path for native, path in fields.items() if path is not None},
            wide or ({model: paths} if paths else {}),
            judges=tuple(judges),
            model=models or "",
        )

    def _free(self) -> list[str]:
        return [path for path in self._values if path not in self._taken]

    def _take(self, names: Sequence[str], fits: Callable[[str], bool]) -> str | None:
        """Take the free path whose last key, or else an outer one, is the first of the names and whose values fit."""
        return self._take_ranked(lambda path: name_rank(path, names), fits)

    def _take_ranked(self, rank_of: Callable[[str], tuple[int, ...] | None], fits: Callable[[str], bool]) -> str | None:
        """Take the free path of the lowest rank whose values fit; of several the one that is the least deep."""
        ranked = sorted(
            (rank, len(keys_of(path)), place, path)
            for place, path in enumerate(self._free())
            if (rank := rank_of(path)) is not None
        )
        best = next((path for *_, path in ranked if fits(path)), None)
        if best is not None:
            self._taken.add(best)
        return best

    def _text(self, names: Sequence[str], field: str) -> str | None:
        named = self._take(names, self._is_words) or self._take(names, self._is_text)
        return named or self._by_words(field, self._is_prose)

    def _by_words(self, field: str, fits: Callable[[str], bool]) -> str | None:
        """Take the free path that has such a word in its name and whose values fit."""

        def rank(path: str) -> tuple[int, ...] | None:
            words = words_of(path)[-1]
            return None if WORDS[field].isdisjoint(words) or not OTHERS.isdisjoint(words) else (len(words),)

        return self._take_ranked(rank, fits)

    def _numbered(self, pattern: re.Pattern[str]) -> tuple[str, ...] | None:
        paths = tuple(
            path for path in self._values if pattern.fullmatch(last_key(path).lower()) and self._is_single(path)
        )
        if len(paths) < 2:
            return None
        self._taken.update(paths)
        return paths

    def _options(self) -> tuple[str, ...] | None:
        """Return columns A, B, C … or option 1, option 2 … where there are such."""
        paths = [path for path in self._free() if OPTION.fullmatch(last_key(path).lower()) and self._is_single(path)]
        lettered = [path for path in paths if len(last_key(path)) > 1 or last_key(path).isupper()]
        if len(lettered) < 2 or (len(last_key(lettered[0])) == 1 and last_key(lettered[0]) != "A"):
            return None
        self._taken.update(lettered)
        return tuple(lettered)

    def _identity(self, prompt: str | None, answer: str | None) -> str | None:
        """Return the path that names each item; the prompt where rows repeat it and nothing names more than its run."""
        prompts = [str(value) for value in self._values[prompt]] if prompt is not None else []
        ranks = {path: rank for path in self._values if (rank := name_rank(path, ID_NAMES)) is not None}
        complete = [
            path
            for path in sorted(ranks, key=lambda path: (ranks[path], not RUNS.isdisjoint(keys_of(path))))
            if self._is_key(path)
        ]
        distinct = len(set(prompts))
        if distinct < len(prompts):
            for path in complete:
                keys = [str(value) for value in self._values[path]]
                if len(set(keys)) == distinct == len(set(zip(keys, prompts, strict=True))):
                    return path
        unique = next((path for path in complete if not self._repeats(path)), None)
        if prompt is None:
            return complete[0] if complete and last_name(complete[0]) not in OF_RUNS else unique
        runs = unique is None or (last_name(unique) in OF_RUNS and self._follows_from(answer, prompts))
        return prompt if runs and 1 < distinct < len(prompts) / 1.5 else unique or self._called_id()

    def _called_id(self) -> str | None:
        """Return the first path whose name ends with “id” and that is different in each row."""
        named = (path for path in self._values if words_of(path)[-1][-1:] == ("id",))
        return next((path for path in named if self._is_key(path) and not self._repeats(path)), None)

    def _follows_from(self, path: str | None, prompts: Sequence[str]) -> bool:
        """Whether each prompt has one value at a path."""
        pairs = zip(prompts, map(str, self._values[path]), strict=True) if path is not None else ()
        return len(set(pairs)) <= len(set(prompts))

    def _is_key(self, path: str) -> bool:
        values = self._values[path]
        return all(
            isinstance(value, (str, int)) or (isinstance(value, float) and value.is_integer()) for value in values
        ) and not any(isinstance(value, bool) for value in values)

    def _repeats(self, path: str) -> bool:
        values = [str(value) for value in self._values[path]]
        return len(set(values)) < len(values)

    def _is_single(self, path: str) -> bool:
        several = any(isinstance(value, (list, dict)) and len(value) != 1 for value in self._known[path])
        return not several and not self._is_flag(path)

    def _is_answer(self, path: str) -> bool:
        """Whether each has one value, not all of them verdicts, as labels of people have."""
        objects = any(isinstance(entered(value), dict) for value in self._known[path])
        verdicts = {str(value).lower() for value in self._known[path]} <= VERDICTS
        return self._is_single(path) and not objects and not verdicts

    def _is_flag(self, path: str) -> bool:
        """Whether this is true of every row, or false of every row."""
        known = self._known[path]
        return len(known) > 1 and isinstance(known[0], bool) and all(value is known[0] for value in known)

    def _is_text(self, path: str) -> bool:
        return all(_is_words(value) for value in self._known[path])

    def _is_words(self, path: str) -> bool:
        """Whether these are texts of people, not JSON that may be entered."""
        texts = [value for value in self._known[path] if isinstance(value, str)]
        return self._is_text(path) and not any(isinstance(entered(text), (dict, list)) for text in texts)

    def _is_prose(self, path: str) -> bool:
        """Whether these are texts, not fractions written as such."""
        fractions = any("." in str(value) for value in self._known[path])
        return self._is_words(path) and not (fractions and all(map(_is_numeral, self._known[path])))

    def _is_list(self, path: str) -> bool:
        return all(
            isinstance(value, list) and not any(isinstance(part, (dict, list)) for part in value)
            for value in self._known[path]
        )

    def _is_samples(self, path: str) -> bool:
        """Whether each is a list; of one value of each of several objects, some are to have several."""
        return self._is_list(path) and ("[]." not in path or any(len(value) > 1 for value in self._known[path]))

    def _is_choices(self, path: str) -> bool:
        """Whether each is a list of one item's, not one value of each of several objects."""
        return "[]." not in path and self._is_list(path)

    def _is_binary(self, path: str) -> bool:
        known = {number(value) for value in self._known[path]}
        return known <= {0.0, 1.0} and AMOUNTS.isdisjoint(words_of(path)[-1]) and not is_fault(path)

    def _is_share(self, path: str) -> bool:
        known = [number(value) for value in self._known[path]]
        named = last_name(path) in (*SCORE_NAMES, *VALUES) and not is_fault(path)
        return named and all(value is not None and 0 <= value <= 1 for value in known)

    def _judges(self, path: str) -> bool:
        keys = keys_of(path)
        if score_rank(path) is None and not any(name in JUDGE_NAMES for name in keys):
            return False
        # A word beside a score says the same once more.
        verdicts = keys[-1] in (*VALUES, *JUDGE_NAMES) and all(number(value) is not None for value in self._known[path])
        words = words_of(path)[-1]
        others = self._is_flag(path) or not AMOUNTS.isdisjoint(words) or not OTHERS.isdisjoint(words[-1:])
        return not others and (verdicts or all(_is_numeral(value) for value in self._known[path]))

    def _numbers(self, path: str) -> tuple[float | None, ...]:
        return tuple(map(number, self._values[path]))

    def _longest_text(self) -> str | None:
        texts = [
            path
            for path in self._free()
            if self._is_words(path)
            and not all(map(_is_numeral, self._known[path]))
            and name_rank(path, (*ID_NAMES, *OUTPUT_NAMES)) is None
            and OTHERS.isdisjoint(words_of(path)[-1][-1:])
        ]
        lengths = {path: sum(map(len, map(str, self._known[path]))) for path in texts}
        best = max(texts, key=lambda path: lengths[path], default=None)
        if best is not None:
            self._taken.add(best)
        return best

    def _side_by_side(self) -> dict[str, dict[str, str]]:
        """Take outputs and scores of several models in separate columns: “gpt_output”, “claude_output”."""
        targets: dict[str, dict[str, str]] = {}
        for path in self._free():
            match = OF_A_MODEL.fullmatch(path)
            model, what = (match["model"] or match["other"], match["what"] or match["first"]) if match else ("", "")
            is_score = re.sub(r"[^a-z]", "", what.lower()) in SCORE_NAMES
            fits = self._is_binary(path) if is_score else self._is_prose(path)
            if model and model.lower() not in NO_MODELS and OTHERS.isdisjoint(words_of(model)[-1]) and fits:
                targets.setdefault(model, {}).setdefault(RIGHT if is_score else "text", path)
        answered = {model: paths for model, paths in targets.items() if "text" in paths}
        if len(answered) < 2 or any(last_name(path) in OUTPUT_NAMES for path in self._free()):
            return {}
        self._taken.update(path for paths in answered.values() for path in paths.values())
        return answered

    def _models(self) -> str | None:
        """Take the path that names several models, whose outputs stand in separate rows."""
        for path in self._free():
            known = self._known[path]
            if last_name(path) in MODEL_NAMES and self._is_text(path) and 1 < len(set(map(str, known))) < len(known):
                self._taken.add(path)
                return path
        return None

    def model(self) -> str | None:
        """Return the name of the model where a column has the same in all rows."""
        for path in self._values:
            if last_name(path) in MODEL_NAMES and len({str(value) for value in self._known[path]}) == 1:
                value = self._known[path][0]
                return value.strip() or None if isinstance(value, str) else None
        return None


def _is_words(value: Any) -> bool:
    parts = value if isinstance(value, list) and value else [value]
    return all(isinstance(part, str) for part in parts)


def _is_numeral(value: Any) -> bool:
    """Whether this is a number or a truth value, not a word that stands for one."""
    known = value[0] if isinstance(value, list) and len(value) == 1 else value
    return number(known) is not None and not (isinstance(known, str) and known.strip().isalpha())
