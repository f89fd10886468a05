"""Outputs, samples and scores of several models beside each other in one row.

``gpt_output`` and ``claude_output``; ``results.gpt-4.output`` and ``results.claude.output``; ``outputs.gpt-4`` and
``outputs.claude``; ``models[gpt-4].output``; and ``gpt-4`` and ``claude`` alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ..files.foreign_names import plain_key
from .field_map import RIGHT, TEXT, WRONG
from .field_names import NAMES, WORDS, keys_of, last_name, may_be_said, words_of
from .first_rows import FirstRows
from .json_records import kind_of
from .model_names import are_models, is_named_model, is_of_family, of_model, said_by, verdict_on
from .verdicts import number, says_nothing

_NUMBERED = re.compile(r"([^.\[\]]*[^\W\d_])[\s_-]?(\d{1,3})")
_LETTERED = re.compile(r"([^.\[\]]*[^\W\d_][\s_-])([A-Z]|[a-z])")
# So many are samples; of each item their texts are short; in this share of the items two of them say the same.
_FEWEST, _LONGEST, _ALIKE = 3, 80, 0.3


def numbered_like_samples(rows: FirstRows, free: Iterable[str]) -> tuple[str, ...]:
    """Find the columns that are numbered like samples and hold one text or number each; the most of one stem."""
    stems: dict[str, dict[int, str]] = {}
    for path in free:
        match = _match(path)
        if (
            match
            and WORDS["no-samples"].isdisjoint(words_of(match[1])[-1])
            and rows.is_single(path)
            and rows.is_common(path)
        ):
            stems.setdefault(match[1], {})[_number(match[2])] = path
    series = {stem: numbers for stem, numbers in stems.items() if len(numbers) >= _FEWEST and _is_counted(numbers)}
    best = max(series, key=lambda stem: (_sounds(stem), len(series[stem])), default=None)
    return () if best is None else tuple(series[best][number] for number in sorted(series[best]))


def sound_like_samples(paths: Sequence[str]) -> bool:
    """Whether numbered columns are called as samples, such as “mini_1”, or by a known model, such as “qwen7b_1”."""
    return bool(paths) and _sounds(_stem(paths[0]))


def may_be_samples(rows: FirstRows, paths: Sequence[str]) -> bool:
    """Whether numbered columns hold words and sound like samples, or often agree and are of no versions or systems."""
    if sound_like_samples(paths) and all(map(rows.is_words, paths)):
        return True
    words = words_of(_stem(paths[0]))[-1] if paths else ()
    return (
        bool(paths) and (sound_like_samples(paths) or WORDS["systems"].isdisjoint(words)) and say_the_same(rows, paths)
    )


def _match(path: str) -> re.Match[str] | None:
    return _NUMBERED.fullmatch(path) or _LETTERED.fullmatch(path)


def _number(mark: str) -> int:
    """Return the number of a column, that of a letter in the alphabet from 1 on."""
    return int(mark) if mark.isdigit() else ord(mark.upper()) - ord("A") + 1


def _stem(path: str) -> str:
    match = _match(path)
    return match[1] if match else path


def _sounds(stem: str) -> bool:
    rest = [word for word in words_of(stem)[-1] if not word.isdigit() and word not in WORDS["of-samples"]]
    if not stem[-1:].isalpha():
        # Letters follow behind a sign.
        return bool(rest) and WORDS["lettered-samples"].issuperset(rest)
    named = [word for word in rest if is_of_family(word) and is_named_model(word)]
    known = all(word in WORDS["samples"] or word in named for word in rest)
    return bool(rest) and known and (bool(named) or words_of(stem)[-1][-1] not in WORDS["systems"])


def say_the_same(rows: FirstRows, samples: Sequence[str]) -> bool:
    """Whether columns hold short answers, of which two are often the same in a row, and not 0 and 1 alone."""
    columns = [rows.values[path] for path in samples]
    values = [[str(cell).strip() for cell in row if not says_nothing(cell)] for row in zip(*columns, strict=True)]
    several = [row for row in values if len(row) > 1]
    short = all(len(text) <= _LONGEST for row in several for text in row)
    alike = sum(len(set(row)) < len(row) for row in several)
    return short and alike >= _ALIKE * len(several) > 0 and not all(map(rows.is_zero_or_one, samples))


def _is_counted(numbers: Iterable[int]) -> bool:
    """Whether numbers go up by one from 0 or 1."""
    order = sorted(numbers)
    return order[0] in (0, 1) and order == list(range(order[0], order[0] + len(order)))


# A dot between digits is that of a version, as in “gpt-4.1”.
_KEYS = re.compile(r"[^.\[\]]+(?:(?<=\d)\.\d[^.\[\]]*)*")

# A column that is called by a model alone, which may have a version in its name.
_ALONE = re.compile(r"[^.\[\]]+(?:\.\d[^.\[\]]*)*")
# What is called an output of what stands before it, as “2026-01 answer”.
_OUTPUT = re.compile(rf"[\s_:/|(-]+(?:{'|'.join(sorted(WORDS['output']))})$", re.IGNORECASE)
# So many different right answers at most are those of a choice, of which other columns may hold some.
_MOST_CHOICES, _FEWEST_ROWS, _MOST_OTHERS = 10, 4, 0.1

# Names of fields, and words for parts of an item or for whoever is no model: other keys may be those of models.
_FIELDS = frozenset(name for key, names in NAMES.items() if key not in ("family", "benchmark") for name in names)
_METRICS = (
    WORDS["measures"] | WORDS["criteria"] | WORDS["faults"] | WORDS["judges"] | {*NAMES["score"], *NAMES["judge"]}
)
_PARTS = (
    WORDS["no-samples"] | WORDS["measures"] | WORDS["criteria"] | WORDS["turns"] | WORDS["items"] | WORDS["not-a-model"]
) - {"model"} | WORDS["steps"]

Targets = dict[str, dict[str, str]]


class _Part(NamedTuple):
    """A path of one model: where the models stand, the model, and what the path holds of it."""

    place: tuple[str, ...]
    model: str
    role: str
    path: str


def side_by_side(rows: FirstRows, free: Sequence[str]) -> Targets:
    """Find the paths of several models in one row.

    Parameters
    ----------
    rows : FirstRows
        The first rows of a file.
    free : sequence of str
        Paths that are nothing else.

    Returns
    -------
    dict of str to dict of str to str
        For each model the paths of its text, and of ``right`` or ``wrong``; empty if there are not several models.
    """
    chosen = _in_columns(rows, free) or _beside_verdicts(rows, free) or _under_keys(rows, free)
    return _with_verdicts(rows, free, chosen)


def called_as_models(rows: FirstRows, free: Sequence[str], answer: str | None) -> Targets:
    """Find columns that are called by models alone: what these said, or how right it was.

    Parameters
    ----------
    rows, free
        As in `side_by_side`.
    answer : str or None
        Path of the right answers.

    Returns
    -------
    dict of str to dict of str to str
        As of `side_by_side`; a single column is one if its name has a number or its values are answers.
    """
    # Beside a model's output, or a column that says whose rows these are, such columns may be its judges'.
    if any(last_name(path) in (*NAMES["output"], *NAMES["model"]) for path in free):
        return {}
    targets: Targets = {}
    for path in free:
        words = set(words_of(path)[-1]) - {"model"}
        others = WORDS["others"] | WORDS["of-calls"] | WORDS["judges"] | WORDS["people"]
        if _ALONE.fullmatch(path) and is_named_model(path) and others.isdisjoint(words) and rows.is_single(path):
            role = _role_by_values(rows, path, answer)
            targets |= {path: {role: path}} if role else {}
    only = next(iter(targets)) if len(targets) == 1 else None
    sure = only is None or any(map(str.isdigit, only)) or (answer is not None and says_answers(rows, only, answer))
    return targets if sure else {}


def below_outputs(rows: FirstRows, free: Sequence[str]) -> list[str]:
    """List the texts under keys that somebody made up below one name of outputs, as “predictions.base” and “.tuned”."""
    places: dict[str, list[str]] = {}
    for path in free:
        outer, dot, _ = path.rpartition(".")
        role = _role(last_name(outer)) or _role(last_name(outer).removesuffix("s")) if dot and "[" not in path else None
        if role == TEXT and rows.is_prose(path):
            places.setdefault(outer, []).append(path)
    named = (paths for paths in places.values() if len(paths) > 1 and no_names(_KEYS.findall(one)[-1] for one in paths))
    return next(named, [])


def said_by_each(rows: FirstRows, free: Sequence[str]) -> frozenset[str]:
    """Find the answers of several models under their names, which differ, so that none is the right one.

    They are called as what a model says or as right answers, such as ``gpt-4.answer`` and ``claude.answer``.
    """
    places: dict[tuple[tuple[str, ...], str], dict[str, str]] = {}
    for path in free:
        keys = _KEYS.findall(path)
        if len(keys) > 1 and "[]" not in path and may_be_said(path):
            place = tuple(map(plain_key, keys[:-2])), plain_key(keys[-1])
            places.setdefault(place, {}).setdefault(keys[-2], path)
    return frozenset(
        path
        for place, paths in places.items()
        if len(paths) > 1 and (are_models(paths) or place[0][-1:] in [(holder,) for holder in WORDS["holders"]])
        if any(rows.values[path] != rows.values[next(iter(paths.values()))] for path in paths.values())
        for path in paths.values()
    )


def says_answers(rows: FirstRows, path: str, answer: str) -> bool:
    """Whether a column holds the choices that the right answers are, and not the right ones in every row."""
    if not (_ALONE.fullmatch(path) and rows.is_single(path) and rows.is_single(answer)):
        return False
    right, said = rows.values[answer], rows.values[path]
    choices = {str(one).strip().lower() for one in rows.known[answer]}
    if not 1 < len(choices) <= _MOST_CHOICES or rows.filled(answer) < max(_FEWEST_ROWS, len(choices)):
        return False
    known = [str(one).strip().lower() for one in rows.known[path]]
    others = sum(one not in choices for one in known)
    return len(set(known)) > 1 and others <= _MOST_OTHERS * len(known) and said != right


def _role_by_values(rows: FirstRows, path: str, answer: str | None) -> str | None:
    """Return what a column holds of a model, by its values; None if they are neither answers nor shares."""
    if answer is not None and says_answers(rows, path, answer):
        return TEXT
    if not rows.is_numeric(path) and not rows.is_zero_or_one(path):
        return TEXT if rows.is_words(path) else None
    if answer is not None and not rows.is_zero_or_one(path) and _are_numbers(rows, answer):
        return TEXT
    known = [number(value) for value in rows.known[path] if not says_nothing(value)]
    return RIGHT if known and all(one is not None and 0 <= one <= 1 for one in known) else None


def _are_numbers(rows: FirstRows, answer: str) -> bool:
    """Whether right answers are numbers, or end in one as those of GSM8K do."""
    return rows.is_numeric(answer) or all(kind_of(one, None) == "number" for one in rows.texts_known(answer))


def _in_columns(rows: FirstRows, free: Sequence[str]) -> Targets:
    targets: Targets = {}
    is_foreign = False
    for path in free:
        named = of_model(path)
        if named is None or not WORDS["others"].isdisjoint(set(words_of(named.model)[-1]) - {"model"}):
            continue
        role = _role(named.what) or TEXT
        if _fits(rows, role, path) and (role != WRONG or RIGHT not in targets.get(named.model, ())):
            targets.setdefault(named.model, {}).setdefault(role, path)
            is_foreign |= named.is_foreign
    chosen = {model: paths for model, paths in targets.items() if TEXT in paths}
    if len(chosen) < 2 and are_models(targets):
        # Scores alone are those of models if they are called as such.
        chosen = _with_texts(rows, free, targets)
    taken = {path for paths in chosen.values() for path in paths.values()}
    others = any(last_name(path) in NAMES["output"] for path in free if not is_foreign or path not in taken)
    if len(chosen) < 2 or others or (is_foreign and not are_models(chosen)):
        return {}
    return chosen


def _with_texts(rows: FirstRows, free: Sequence[str], scored: Targets) -> Targets:
    """Add what scored models said, and call them by it, if each has one column of texts with its name."""
    scores = {path for paths in scored.values() for path in paths.values()}
    texts = [(said_by(path, scored), path) for path in free if path not in scores and _fits(rows, TEXT, path)]
    said = {model: path for model, path in texts if model is not None}
    if len(said) < len(scored) or len(said) < sum(model is not None for model, _ in texts):
        return scored
    return {said[model]: {TEXT: said[model], **paths} for model, paths in scored.items()}


def _beside_verdicts(rows: FirstRows, free: Sequence[str]) -> Targets:
    """Find columns of texts each of which has verdicts beside it, as “old” has “old_verdict”."""
    paths = [path for path in free if last_name(path) not in NAMES["output"] and _fits(rows, TEXT, path)]
    texts = {_OUTPUT.sub("", path): path for path in paths if not rows.is_zero_or_one(path)}
    said = {text for path in free if _fits(rows, RIGHT, path) and (text := verdict_on(path, texts)) is not None}
    return {text: {TEXT: path} for text, path in texts.items() if text in said} if len(said) > 1 else {}


def _with_verdicts(rows: FirstRows, free: Sequence[str], said: Targets) -> Targets:
    """Add verdicts on what models said that have another name than scores, as “v1_verdict” beside “v1_output”."""
    taken = {path for paths in said.values() for path in paths.values()}
    chosen = {model: dict(paths) for model, paths in said.items()}
    for path in free:
        model = _verdict_on(path, said) if path not in taken and _fits(rows, RIGHT, path) else None
        if model is not None and not {RIGHT, WRONG} & chosen[model].keys():
            chosen[model][RIGHT] = path
    return chosen


def _verdict_on(path: str, said: Targets) -> str | None:
    """Return the model on whose output a path has verdicts: by its name, or as “verdict” in the same object."""
    outer, dot, _ = path.rpartition(".")
    beside = [model for model, paths in said.items() if dot and paths.get(TEXT, "").rpartition(".")[0] == outer]
    return (
        beside[0]
        if len(beside) == 1 and WORDS["of-verdicts"].issuperset(words_of(path)[-1])
        else verdict_on(path, said)
    )


def _under_keys(rows: FirstRows, free: Sequence[str]) -> Targets:
    places: dict[tuple[str, ...], Targets] = {}
    # An “answer” beside an output may be what was read from it.
    for part in (one for path in sorted(free, key=may_be_said) for one in _parts(path)):
        if plain_key(part.model) not in WORDS["others"] and _fits(rows, part.role, part.path):
            places.setdefault(part.place, {}).setdefault(part.model, {}).setdefault(part.role, part.path)
    named = {
        place: targets
        for place, targets in places.items()
        if len(targets) > 1
        and (
            are_models(targets)
            or place[-1:] in [(holder,) for holder in WORDS["holders"]]
            or (no_names(targets) and (_are_of_one_kind(targets, free) or _are_in_several(targets, places)))
        )
    }
    chosen: Targets = {}
    for targets in named.values():
        if not chosen or targets.keys() == chosen.keys():
            for model, paths in targets.items():
                chosen[model] = {**paths, **chosen.get(model, {})}
    known = {path for paths in chosen.values() for path in paths.values()}
    others = (path for path in free if path not in known and len(keys_of(path)) == 1)
    return {} if any(last_name(path) in NAMES["output"] for path in others) else chosen


def no_names(keys: Iterable[str]) -> bool:
    """Whether keys are names that somebody gave, as “base_llm” and “m1”, and none that a vocabulary has."""
    return all(plain_key(key) not in _FIELDS and _PARTS.isdisjoint(words_of(key)[-1]) for key in keys)


def twins(path: str, free: Iterable[str]) -> list[str]:
    """List the paths that differ from one in a holder that is no metric, or in a key that somebody made up.

    So do “human.answer” and “ai.answer”, “scores.m1” and “scores.m2”.
    """
    keys = _KEYS.findall(path)
    if len(keys) < 2 or "[" in path:
        return []
    found = []
    for other, names in ((one, _KEYS.findall(one)) for one in free if one != path and "[" not in one):
        apart = [place for place, pair in enumerate(zip(keys, names, strict=False)) if pair[0] != pair[1]]
        if len(names) != len(keys) or len(apart) != 1:
            continue
        both = (keys[apart[0]], names[apart[0]])
        if no_names(both) or (apart[0] < len(keys) - 1 and _METRICS.isdisjoint(map(plain_key, both))):
            found.append(other)
    return found


def _are_of_one_kind(targets: Targets, free: Sequence[str]) -> bool:
    """Whether the objects of several keys hold the same, an output among it."""
    held = [paths[TEXT].rpartition(".")[0] + "." if TEXT in paths else "" for paths in targets.values()]
    inside = {frozenset(path.removeprefix(one) for path in free if path.startswith(one)) for one in held}
    return all(held) and len(set(held)) == len(held) and len(inside) == 1


def _are_in_several(targets: Targets, places: Mapping[tuple[str, ...], Targets]) -> bool:
    """Whether the same keys stand under outputs and under scores."""
    return sum(other.keys() == targets.keys() for other in places.values()) > 1


def _parts(path: str) -> Iterator[_Part]:
    """Yield what a path may be of a model: ``….MODEL.output``, or ``….outputs.MODEL``."""
    keys, plain = _KEYS.findall(path), [plain_key(key) for key in _KEYS.findall(path)]
    if len(keys) < 2 or "[]" in path:
        return
    if role := _role(plain[-1]) or (TEXT if may_be_said(path) else None):
        yield _Part(tuple(plain[:-2]), keys[-2], role, path)
    if role := _role(plain[-2].removesuffix("s")) or _role(plain[-2]):
        yield _Part((*plain[:-2], role), keys[-1], role, path)


def _role(name: str) -> str | None:
    """Return what a key of this name holds of a model, None for anything else."""
    if name in NAMES["score"]:
        return RIGHT
    return WRONG if name in NAMES["wrong"] else TEXT if name in NAMES["output"] or name == "text" else None


def _fits(rows: FirstRows, role: str, path: str) -> bool:
    if role == WRONG:
        return rows.is_zero_or_one(path) and not rows.says_itself(path)
    fits = {RIGHT: rows.is_binary, TEXT: rows.is_prose}
    return fits[role](path)
