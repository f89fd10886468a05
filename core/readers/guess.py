"""Which field each path of an unknown file is likely to be, by names and by values.

Names are those that fields have elsewhere (LangSmith, MLflow, Weave, Phoenix, Braintrust, spreadsheets of
colleagues), the one nearest to the value first. By the values, an id is different for each prompt, outputs are texts,
verdicts are right or wrong, and scores of judges are numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from core.readers.field_map import RIGHT, FieldMap, Paths, entered, number

# Names that fields have elsewhere, the likeliest first, without case and signs.
_NAMES: Mapping[str, tuple[str, ...]] = {
    "prompt": ("prompt", "question", "input", "query", "instruction", "problem", "userinput", "text", "content"),
    "answer": (
        "expected",
        "expectedoutput",
        "expectedoutputs",
        "expectedresponse",
        "expectedanswer",
        "correctanswer",
        "gold",
        "goldanswer",
        "groundtruth",
        "reference",
        "referenceanswer",
        "referenceoutput",
        "referenceoutputs",
        "answer",
        "label",
        "target",
        "targets",
        "ideal",
        "solution",
    ),
    "choices": ("choices", "options", "endings"),
    "group": ("group", "category", "subject", "topic", "domain", "task"),
    "generations": (
        "generations",
        "samples",
        "outputs",
        "responses",
        "completions",
        "predictions",
        "answers",
        "candidates",
        "runs",
        "trials",
    ),
}
# From this name on, what is called so may also be a model's.
_OWN = _NAMES["answer"].index("answer")
_INPUTS = (*_NAMES["prompt"], "inputs", "request", "example")
_ID = (
    "itemid",
    "questionid",
    "exampleid",
    "datasetexampleid",
    "sampleid",
    "instanceid",
    "docid",
    "testid",
    "id",
    "uuid",
    "key",
    "index",
    "qid",
    "traceid",
    "runid",
    "rowid",
    "nr",
    "no",
)
_OUTPUT = (
    "output",
    "outputs",
    "actualoutputs",
    "response",
    "prediction",
    "completion",
    "modeloutput",
    "modelanswer",
    "modelresponse",
    "final",
    "finalanswer",
    "reply",
    "actual",
    "generation",
    "actualoutput",
    "prediction",
    "answer",
    "result",
    "pred",
    "predicted",
)
_SCORE = (
    "correct",
    "iscorrect",
    "correctness",
    "right",
    "passed",
    "pass",
    "success",
    "score",
    "accuracy",
    "acc",
    "exactmatch",
    "grade",
)
_JUDGE = (
    "judge",
    "llmjudge",
    "judgescore",
    "verdict",
    "confidence",
    "pcorrect",
    "probability",
    "faithfulness",
    "factuality",
    "relevance",
    "helpfulness",
    "reward",
    "rating",
)
# Words in the names of what holds scores, and of amounts, which are none; how an object calls its score.
_OF_SCORES = frozenset(
    {"scores", "feedback", "annotation", "annotations", "evaluation", "evaluations", "assessments", "evals", "eval"}
)
_AMOUNTS = frozenset(
    {"n", "count", "total", "std", "stdev", "tokens", "cost", "latency", "duration", "seconds", "ms", "time"}
)
_VALUES = ("score", "value", "avg", "mean")
# Words in names that are in no list, such as “gpt4_answer” or “Expected result”; and those of something else.
_WORDS: Mapping[str, frozenset[str]] = {
    "prompt": frozenset({"prompt", "question", "query", "instruction", "problem"}),
    "answer": frozenset({"expected", "gold", "golden", "truth", "reference", "ideal"}),
    "output": frozenset({"output", "response", "answer", "prediction", "completion", "reply", "generated"}),
    "right": frozenset({"correct", "passed"}),
}
_OTHERS = _AMOUNTS | {
    "id",
    "ids",
    "type",
    "kind",
    "name",
    "model",
    "format",
    "length",
    "status",
    "url",
    "date",
    "version",
    "ref",
    "role",
}
_VERDICTS = frozenset({"correct", "incorrect", "right", "wrong", "pass", "passed", "fail", "failed"})
# Names of a run, not of the item that ran, and what holds them.
_RUNS = frozenset({"run", "runs", "trace", "span"})
_OF_RUNS = frozenset({"id", "uuid", "key", "index", "traceid", "runid", "rowid", "nr", "no"})
_MODEL = ("model", "modelname", "modelid")
_NUMBERED = re.compile(r"(output|response|generation|sample|completion|prediction|run|answer)s?_?\s?\d+")
_OPTION = re.compile(r"(?:(?:option|choice)[_ ]?)?([a-z])|(?:option|choice)[_ ]?\d+")
_WHAT = (
    r"output|response|answer|prediction|completion|reply|is[ _]?correct|correct|right|passed|score|accuracy|acc|grade"
)
_OF_A_MODEL = re.compile(
    rf"(?P<model>[^.\[]+?)[\s_:/|-]+(?P<what>{_WHAT})|(?P<first>{_WHAT})[\s_:/|(-]+(?P<other>[^.\[]+?)\)?",
    re.IGNORECASE,
)
# Words of scores that are bad where they are high.
_FAULTS = frozenset(
    {
        "hallucination",
        "hallucinated",
        "toxicity",
        "toxic",
        "error",
        "errors",
        "harm",
        "harmful",
        "bias",
        "incorrect",
        "wrong",
        "fail",
        "failed",
        "failure",
        "refusal",
        "refused",
        "flagged",
        "violation",
        "unsafe",
    }
)
# What stands before or behind such a word, and is no model.
_NO_MODELS = frozenset(
    {
        "model",
        "expected",
        "reference",
        "correct",
        "right",
        "gold",
        "target",
        "input",
        "user",
        "human",
        "final",
        "raw",
        "is",
    }
)
_LAST = re.compile(r"[^.\[\]]+(?=[\[\].\d]*$)")
_KEYS = re.compile(r"[^.\[\]/]+")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")


class Guess:
    """Which paths the fields of items are likely to be.

    Parameters
    ----------
    values : mapping of str to sequence
        The values at each path, None where a row has none.
    """

    def __init__(self, values: Mapping[str, Sequence[Any]]) -> None:
        self._values = values
        self._known = {path: [one for one in column if one is not None] for path, column in values.items()}
        self._taken: set[str] = set()

    def field_map(self, model: str) -> FieldMap:
        """Return the map; ``model`` is the target's name."""
        numbered = self._numbered(_NUMBERED)
        prompt = self._text(_INPUTS, "prompt")
        choices = self._take(_NAMES["choices"], self._is_choices) or self._options()
        answer = self._take_ranked(_answer_rank, self._is_answer) or self._by_words("answer", self._is_prose)
        fields: dict[str, Paths | None] = {
            "prompt": prompt,
            "choices": choices,
            "answer": answer,
            "group": self._take(_NAMES["group"], self._is_single),
            "generations": self._take(_NAMES["generations"], self._is_samples) or numbered,
        }
        if prompt is None:
            fields["prompt"] = prompt = self._longest_text()
        identity = self._identity(prompt, answer)
        repeats = identity is not None and self._repeats(identity)
        models = self._models() if repeats else None
        wide = self._side_by_side()
        output = None if wide else self._text(_OUTPUT, "output")
        if output is not None and fields["generations"] is None and repeats and models is None:
            fields["generations"], output = output, None
        right = (
            None
            if wide
            else (
                self._take(_SCORE, self._is_binary)
                or self._take_ranked(_score_rank, self._is_binary)
                or self._by_words("right", self._is_binary)
                or self._take(_SCORE, self._is_share)
            )
        )
        columns = {self._numbers(path) for path in (right, answer) if path is not None}
        judges = []
        for path in sorted(self._free(), key=lambda path: len(_keys(path))):
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
        return self._take_ranked(lambda path: _rank(path, names), fits)

    def _take_ranked(self, rank_of: Callable[[str], tuple[int, ...] | None], fits: Callable[[str], bool]) -> str | None:
        """Take the free path of the lowest rank whose values fit; of several the one that is the least deep."""
        ranked = sorted(
            (rank, len(_keys(path)), place, path)
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
            words = _words(path)[-1]
            return None if _WORDS[field].isdisjoint(words) or not _OTHERS.isdisjoint(words) else (len(words),)

        return self._take_ranked(rank, fits)

    def _numbered(self, pattern: re.Pattern[str]) -> tuple[str, ...] | None:
        paths = tuple(path for path in self._values if pattern.fullmatch(_last(path).lower()) and self._is_single(path))
        if len(paths) < 2:
            return None
        self._taken.update(paths)
        return paths

    def _options(self) -> tuple[str, ...] | None:
        """Return columns A, B, C … or option 1, option 2 … where there are such."""
        paths = [path for path in self._free() if _OPTION.fullmatch(_last(path).lower()) and self._is_single(path)]
        lettered = [path for path in paths if len(_last(path)) > 1 or _last(path).isupper()]
        if len(lettered) < 2 or (len(_last(lettered[0])) == 1 and _last(lettered[0]) != "A"):
            return None
        self._taken.update(lettered)
        return tuple(lettered)

    def _identity(self, prompt: str | None, answer: str | None) -> str | None:
        """Return the path that names each item; the prompt where rows repeat it and nothing names more than its run."""
        prompts = [str(value) for value in self._values[prompt]] if prompt is not None else []
        ranks = {path: rank for path in self._values if (rank := _rank(path, _ID)) is not None}
        complete = [
            path
            for path in sorted(ranks, key=lambda path: (ranks[path], not _RUNS.isdisjoint(_keys(path))))
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
            return complete[0] if complete and _last_name(complete[0]) not in _OF_RUNS else unique
        runs = unique is None or (_last_name(unique) in _OF_RUNS and self._follows_from(answer, prompts))
        return prompt if runs and 1 < distinct < len(prompts) / 1.5 else unique or self._called_id()

    def _called_id(self) -> str | None:
        """Return the first path whose name ends with “id” and that is different in each row."""
        named = (path for path in self._values if _words(path)[-1][-1:] == ("id",))
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
        verdicts = {str(value).lower() for value in self._known[path]} <= _VERDICTS
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
        return known <= {0.0, 1.0} and _AMOUNTS.isdisjoint(_words(path)[-1]) and not _is_fault(path)

    def _is_share(self, path: str) -> bool:
        known = [number(value) for value in self._known[path]]
        named = _last_name(path) in (*_SCORE, *_VALUES) and not _is_fault(path)
        return named and all(value is not None and 0 <= value <= 1 for value in known)

    def _judges(self, path: str) -> bool:
        keys = _keys(path)
        if _score_rank(path) is None and not any(name in _JUDGE for name in keys):
            return False
        # A word beside a score says the same once more.
        verdicts = keys[-1] in (*_VALUES, *_JUDGE) and all(number(value) is not None for value in self._known[path])
        words = _words(path)[-1]
        others = self._is_flag(path) or not _AMOUNTS.isdisjoint(words) or not _OTHERS.isdisjoint(words[-1:])
        return not others and (verdicts or all(_is_numeral(value) for value in self._known[path]))

    def _numbers(self, path: str) -> tuple[float | None, ...]:
        return tuple(map(number, self._values[path]))

    def _longest_text(self) -> str | None:
        texts = [
            path
            for path in self._free()
            if self._is_words(path)
            and not all(map(_is_numeral, self._known[path]))
            and _rank(path, (*_ID, *_OUTPUT)) is None
            and _OTHERS.isdisjoint(_words(path)[-1][-1:])
        ]
        lengths = {path: sum(map(len, map(str, self._known[path]))) for path in texts}
        best = max(texts, key=lambda path: lengths[path], default=None)
        if best is not None:
            self._taken.add(best)
        return best

    def _side_by_side(self) -> dict[str, dict[str, str]]:
        """Take outputs and scores of several models in columns of their own: “gpt_output”, “claude_output”."""
        targets: dict[str, dict[str, str]] = {}
        for path in self._free():
            match = _OF_A_MODEL.fullmatch(path)
            model, what = (match["model"] or match["other"], match["what"] or match["first"]) if match else ("", "")
            is_score = re.sub(r"[^a-z]", "", what.lower()) in _SCORE
            fits = self._is_binary(path) if is_score else self._is_prose(path)
            if model and model.lower() not in _NO_MODELS and _OTHERS.isdisjoint(_words(model)[-1]) and fits:
                targets.setdefault(model, {}).setdefault(RIGHT if is_score else "text", path)
        answered = {model: paths for model, paths in targets.items() if "text" in paths}
        if len(answered) < 2 or any(_last_name(path) in _OUTPUT for path in self._free()):
            return {}
        self._taken.update(path for paths in answered.values() for path in paths.values())
        return answered

    def _models(self) -> str | None:
        """Take the path that names several models, whose outputs stand in rows of their own."""
        for path in self._free():
            known = self._known[path]
            if _last_name(path) in _MODEL and self._is_text(path) and 1 < len(set(map(str, known))) < len(known):
                self._taken.add(path)
                return path
        return None

    def model(self) -> str | None:
        """Return the name of the model where a column has the same in all rows."""
        for path in self._values:
            if _last_name(path) in _MODEL and len({str(value) for value in self._known[path]}) == 1:
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


def _rank(path: str, names: Sequence[str]) -> tuple[int, int] | None:
    """Return how far from the value, and how late in the list, the first of the names stands; None for none.

    What such a key holds is none of it where the value is called an id, a type, a role …
    """
    keys = _keys(path)
    for distance, key in enumerate(reversed(keys)):
        if key in names:
            inner = _words(path)[len(keys) - distance :]
            return None if any(not _OTHERS.isdisjoint(words[-1:]) for words in inner) else (distance, names.index(key))
    return None


def _answer_rank(path: str) -> tuple[int, ...] | None:
    """Return the rank among names of right answers; what a model or a run has is likely to be its output."""
    rank, keys = _rank(path, _NAMES["answer"]), _keys(path)
    if rank is None:
        return None
    return not _RUNS.union(_OUTPUT).isdisjoint(keys[:-1]), set(_NAMES["answer"][:_OWN]).isdisjoint(keys), *rank


def _is_fault(path: str) -> bool:
    """Whether what a path holds is bad where it is true."""
    return any(not _FAULTS.isdisjoint(words) for words in _words(path))


def _score_rank(path: str) -> tuple[int, int] | None:
    """Return how far from the value the name of what holds scores stands, called as scores are first; None for none.

    A name such as ``exact_match/v1/score`` says that it is one.
    """
    keys, words = _keys(path), _words(path)
    distance = next((place for place, one in enumerate(reversed(words)) if not _OF_SCORES.isdisjoint(one)), None)
    called = keys[-1] in _SCORE or words[-1][-1:] in [(value,) for value in _VALUES]
    if distance is None and "/" in _last(path) and called:
        distance = 1
    return None if distance is None or not _AMOUNTS.isdisjoint(words[-1]) else (not called, distance)


def _words(path: str) -> list[tuple[str, ...]]:
    """Return the words of each key: “modelOutput” and “model_output” have two."""
    return [tuple(word.lower() for word in _WORD.findall(key)) for key in _KEYS.findall(path)] or [()]


def _keys(path: str) -> list[str]:
    return [re.sub(r"[^0-9a-z]", "", key.lower()) for key in _KEYS.findall(path)] or [""]


def _last(path: str) -> str:
    match = _LAST.search(path)
    return match[0] if match else path


def _last_name(path: str) -> str:
    return _keys(path)[-1] if _KEYS.search(path) else ""
