"""Columns with one stem and 1 … k or A … Z, as “mini_1” … “mini_5”, that look like samples of a cheap model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from .field_names import AMOUNTS, JUDGES, OF_ITEMS, OF_VERDICTS, OTHERS, PEOPLE, REASONS, words_of
from .first_rows import FirstRows
from .model_names import is_named_model, is_of_family
from .verdicts import says_nothing

_NUMBERED = re.compile(r"([^.\[\]]*[^\W\d_])[\s_-]?(\d{1,3})")
_LETTERED = re.compile(r"([^.\[\]]*[^\W\d_][\s_-])([A-Z]|[a-z])")
# So many are samples; of each item their texts are short; in this share of the items two of them say the same.
_FEWEST, _LONGEST, _ALIKE = 3, 80, 0.3
# Words in the names of numbered columns that hold something else: parts of a question, facts of items, judgements.
_NO_SAMPLES = PEOPLE | JUDGES | OF_VERDICTS | OTHERS - {"model"} | OF_ITEMS | AMOUNTS | {*REASONS}
_NO_SAMPLES |= frozenset(
    {"option", "choice", "question", "prompt", "turn", "hint", "step", "context", "document", "doc", "passage"}
    | {"rater", "coder", "vote", "expected", "gold", "reference", "keyword", "example", "shot", "part", "wrong"}
    | {"distractor", "ending", "alt", "opt", "likert", "criterion", "metric", "dim", "aspect", "item", "factor"}
    | {"annot", "worker", "student", "review"}
)
# Words of samples of one model, and what may stand beside them.
_OF_SAMPLES = frozenset(
    {"mini", "small", "cheap", "sample", "samples", "gen", "generation", "generations", "run", "try", "attempt"}
    | {"answer", "ans", "output", "response", "reply", "completion", "pred", "prediction"}
)
_BESIDE = frozenset(
    {"model", "llm", "ai", "b", "m", "o", "instruct", "chat", "turbo", "flash", "lite", "nano", "tiny", "pro"}
)
# Words of samples with letters: answers, outputs and runs with letters are options, or of several models.
_OF_LETTERED = frozenset({"sample", "samples", "generation", "generations", "gen"})
# Of versions or systems, each column is of another one.
_OF_SEVERAL = frozenset(
    {"v", "version", "release", "system", "agent", "baseline", "candidate", "bot", "assistant", "model", "llm"}
)


def numbered_like_samples(rows: FirstRows, free: Iterable[str]) -> tuple[str, ...]:
    """Find the columns that are numbered like samples and hold one text or number each; the most of one stem."""
    stems: dict[str, dict[int, str]] = {}
    for path in free:
        match = _match(path)
        if match and _NO_SAMPLES.isdisjoint(words_of(match[1])[-1]) and rows.is_single(path) and rows.is_common(path):
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
    return bool(paths) and (sound_like_samples(paths) or _OF_SEVERAL.isdisjoint(words)) and say_the_same(rows, paths)


def _match(path: str) -> re.Match[str] | None:
    return _NUMBERED.fullmatch(path) or _LETTERED.fullmatch(path)


def _number(mark: str) -> int:
    """Return the number of a column, that of a letter in the alphabet from 1 on."""
    return int(mark) if mark.isdigit() else ord(mark.upper()) - ord("A") + 1


def _stem(path: str) -> str:
    match = _match(path)
    return match[1] if match else path


def _sounds(stem: str) -> bool:
    rest = [word for word in words_of(stem)[-1] if not word.isdigit() and word not in _BESIDE]
    if not stem[-1:].isalpha():
        # Letters follow behind a sign.
        return bool(rest) and _OF_LETTERED.issuperset(rest)
    named = [word for word in rest if is_of_family(word) and is_named_model(word)]
    known = all(word in _OF_SAMPLES or word in named for word in rest)
    return bool(rest) and known and (bool(named) or words_of(stem)[-1][-1] not in _OF_SEVERAL)


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
