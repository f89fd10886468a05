"""Fields that name a row's item, and those that tell the rows of an item apart.

Rows with one id are a mistake, samples of one model, or one of these. Names say what a column may be, values whether it
is: with it, no two rows have the same key.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from ..files.foreign_names import plain_key
from .chats import PROMPT
from .field_names import NAMES, WORDS, is_said, keys_of, last_name, name_rank, words_of
from .first_rows import LOOKED_AT, FirstRows
from .model_names import is_model
from .runs import columns_of_runs, names_a_run

_PARTS = WORDS["codes"] | WORDS["turns"] | {"no", "nr", "code"}
_IDS = frozenset({"id", "uuid"})
_MISTAKEN_NAMES = 0.1
# A run that is numbered, dated or named as such.
_NAMED_RUN = re.compile(
    r"\d|(?<![^\W_])(?:run|trial|attempt|epoch|seed|rep|repeat|try|first|second|third|last|[a-h]|[ivx]+)(?![^\W_])",
    re.IGNORECASE,
)
_CODE = re.compile(r"\d{1,40}|(?=.*[^\W\d_])\S{1,40}")


def item_name(rows: FirstRows, prompt: str | None, answer: str | None) -> str | None:
    """Return the path that names each item; the prompt if rows repeat it and nothing names more than its run."""
    prompts = rows.texts(prompt) if prompt is not None else []
    ranks = {path: rank for path in rows.values if (rank := name_rank(path, NAMES["id"])) is not None}
    complete = [
        path
        for path in sorted(
            ranks, key=lambda path: (ranks[path], not WORDS["runs"].isdisjoint(keys_of(path)), len(keys_of(path)))
        )
        if rows.is_key(path) and not is_constant(rows, path, prompt)
    ]
    models = [path for path in rows.values if last_name(path) in NAMES["model"] and rows.repeats(path)]
    for path in complete:
        if any(rows.are_pieces([path, *model]) for model in ([], *([one] for one in models))):
            return path
    distinct = len(set(prompts))
    if distinct < len(prompts):
        for path in complete:
            keys = rows.texts(path)
            if len(set(keys)) == distinct == len(set(zip(keys, prompts, strict=True))):
                return path
    for path in complete:
        if rows.repeats(path) and any(rows.are_distinct(path, model) for model in models):
            return path
    unique = next((path for path in complete if not rows.repeats(path)), None)
    codes = _first_codes(rows, prompt, answer)
    if prompt is None:
        items = (path for path in complete if last_name(path) not in WORDS["of-runs"] or _repeats_often(rows, path))
        return next((path for path in items if _follows_from(rows, answer, rows.texts(path))), unique or codes)
    # What is called “answer” may be a model's, another one in each run.
    right = None if answer is not None and unique is None and last_name(answer) in WORDS["answers"] else answer
    runs = last_name(unique) in WORDS["of-runs"] if unique else not any(_is_nearly_unique(rows, path) for path in ranks)
    runs = runs and _follows_from(rows, right, prompts, _MISTAKEN_NAMES * (unique is None))
    runs = runs and rows.filled(prompt) >= (1 - _MISTAKEN_NAMES) * rows.size
    repeats = distinct < len(prompts) / 1.5 or _are_numbered(rows, prompt)
    return prompt if runs and repeats and 1 < distinct < len(prompts) else unique or called_id(rows) or codes


def _are_numbered(rows: FirstRows, prompt: str) -> bool:
    """Whether a column numbers the rows of each prompt, most of which have one: second attempts, say."""
    most = max(Counter(rows.texts(prompt)).values())
    runs = (path for path in rows.values if names_a_run(path) and rows.filled(path) == rows.size)
    return any(rows.distinct([path]) <= most and rows.are_distinct(prompt, path) for path in runs)


def _repeats_often(rows: FirstRows, path: str) -> bool:
    """Whether an id is that of what several rows are about: one of rows, or of runs, is different in nearly all."""
    return last_name(path) in _IDS and rows.distinct([path]) < (1 - _MISTAKEN_NAMES) * rows.size


def is_constant(rows: FirstRows, path: str, prompt: str | None) -> bool:
    """Whether several rows have the same at a path, and not the same prompt: that is the name of a run or a file."""
    asked = rows.texts(prompt) if prompt is not None else rows.texts(path)
    return rows.size > 1 == len(set(rows.texts(path))) and (prompt is None or len(set(asked)) > 1)


def is_of_codes(rows: FirstRows, path: str) -> bool:
    """Whether a path is the first, has a name for items, and holds codes: “ticket” with T100, T101."""
    first = next(iter(rows.values), None)
    named = last_name(path) in WORDS["codes"] or {*words_of(path)[-1]} <= _PARTS
    if path != first or not named or not rows.is_key(path):
        return False
    codes = rows.texts(path)
    most = _MISTAKEN_NAMES if last_name(path) in WORDS["codes"] else 0
    return len(codes) - len(set(codes)) <= most * len(codes) and all(map(_CODE.fullmatch, codes))


def is_mistaken(rows: FirstRows, path: str, prompt: str | None) -> bool:
    """Whether codes that hardly ever repeat do so in rows with different prompts."""
    if prompt is None or path == prompt or not rows.repeats(path) or not is_of_codes(rows, path):
        return False
    codes = rows.texts(path)
    return len(set(zip(codes, rows.texts(prompt), strict=True))) > len(set(codes))


def _first_codes(rows: FirstRows, prompt: str | None, answer: str | None) -> str | None:
    """Return the first path if it holds codes of the items that differ, or are mistaken.

    Further models, each with all the items, may follow the first rows.
    """
    first = next(iter(rows.values), "")
    may_follow = rows.size >= LOOKED_AT and any(last_name(path) in NAMES["model"][:-1] for path in rows.values)
    is_free = first not in (prompt, answer) and not may_follow and is_of_codes(rows, first)
    return first if is_free and (not rows.repeats(first) or is_mistaken(rows, first, prompt)) else None


def called_id(rows: FirstRows, prompt: str | None = None) -> str | None:
    """Return the first path whose name ends with “id” and that is different in each row, or for each prompt."""
    named = (path for path in rows.values if words_of(path)[-1][-1:] == ("id",) and rows.is_key(path))
    size = rows.size if prompt is None else rows.distinct([prompt])
    both = [] if prompt is None else [prompt]
    return next((path for path in named if rows.distinct([path]) == rows.distinct([path, *both]) == size), None)


def _is_nearly_unique(rows: FirstRows, path: str) -> bool:
    """Whether a column that is called an id has one in nearly all rows, a different one in each."""
    known = [value for value in rows.values[path] if value is not None and str(value).strip()]
    may_be = len(keys_of(path)) == 1 and (1 - _MISTAKEN_NAMES) * rows.size <= len(known) < rows.size
    return may_be and last_name(path) in _IDS and len(set(map(str, known))) == len(known) > 1


def _follows_from(rows: FirstRows, path: str | None, keys: Sequence[str], mistaken: float = 0) -> bool:
    """Whether each prompt, or each id, has one value at a path, but for a share that has several by mistake."""
    pairs = zip(keys, rows.texts(path), strict=True) if path is not None else ()
    return len(set(pairs)) <= (1 + mistaken) * len(set(keys))


# What repeats in fewer rows may be a mistake; so many runs at most are expected behind the first rows.
_MISTAKEN, _MOST_RUNS = 0.1, 100
# Runs of all items have the same numbers, of which some items lack a few.
_CROSSED = 2


@dataclass(frozen=True, slots=True)
class RowKeys:
    """The paths that tell rows with one id apart, "" for what the rows do not have.

    Parameters
    ----------
    subset : str
        Within which the ids are unique.
    models : tuple of str
        Of the model, and of its prompt or another setting if only both tell the rows apart.
    run : str
        Of the run of a target.
    reviewer : str
        Of whoever gave the verdicts in a row.
    metric : str
        Of what the score in a row measures.
    """

    subset: str = ""
    models: tuple[str, ...] = ()
    run: str = ""
    reviewer: str = ""
    metric: str = ""

    @property
    def paths(self) -> tuple[str, ...]:
        """All of them."""
        return tuple(filter(None, (self.subset, *self.models, self.run, self.reviewer, self.metric)))


def row_keys(rows: FirstRows, free: Sequence[str], identity: str, prompt: str | None, output: Sequence[str]) -> RowKeys:
    """Find what tells rows with one id apart.

    Parameters
    ----------
    rows : FirstRows
        The first rows of a file.
    free : sequence of str
        Paths that are nothing else but perhaps a group.
    identity : str
        Path of the ids.
    prompt : str or None
        Path of the questions.
    output : sequence of str
        Paths that may be what a model said.
    """
    every = [path for path in free if path not in (identity, prompt)]
    free = [path for path in every if _may_be_key(rows, path)]
    named = {
        role: [path for path in free if is_called(path)]
        for role, is_called in (
            ("run", lambda path: names_a_run(path) or _are_files_of_runs(rows, path)),
            ("model", names_a_model),
            ("variant", _names_a_variant),
            ("metric", _names_a_metric),
        )
    }
    reviewers = [path for path in free if _names_a_reviewer(path) and _are_names(rows, path)]
    systems = [path for path in named["run"] if _are_systems(rows, path)]
    named["run"] = [path for path in named["run"] if path not in systems]
    named["model"] += [path for path in systems if path not in named["model"] and _are_models(rows, path)]
    known = {path for some in (*named.values(), reviewers, systems) for path in some}
    others = [path for path in free if path not in known]
    subset = _subset(rows, others, identity, prompt, [*known]) if rows.repeats(identity) else ""
    key = [identity, *filter(None, [subset])]
    if not rows.repeats_together(key):
        # Behind the first rows, further runs may follow.
        may_follow = rows.size >= LOOKED_AT
        runs = (path for path in every if may_follow and names_a_run(path) and _are_few(rows, path))
        return RowKeys(subset, run=next(runs, ""))
    models = [path for path in named["model"] if rows.is_text(path)]
    roles = (models, named["variant"], named["run"], reviewers, named["metric"])
    # The fewest that do.
    for some in sorted(product(*(("", *paths) for paths in roles)), key=lambda some: sum(map(bool, some))):
        model, variant, run, who, metric = some
        chosen = [path for path in some if path]
        if not chosen or rows.repeats_together([*key, *chosen]):
            continue
        of_models = [path for path in (model, variant) if path]
        if who and not _say_the_same(rows, [*key, *of_models, *filter(None, [run, metric])], output):
            continue
        if run and not _say_the_same(rows, key, [prompt] if prompt else []):
            continue
        return RowKeys(subset, tuple(of_models), run, who, metric)
    return RowKeys(subset)


def item_of_rows(rows: FirstRows, prompt: str | None) -> str | None:
    """Return the path that names the items if no other path does and the rows differ.

    With the run, the model, its prompt or the reviewer, no two rows have the same; None for none.
    """
    apart = [path for path in rows.values if _may_be_key(rows, path) and _tells_apart(rows, path)]
    called = [path for path in rows.values if name_rank(path, NAMES["id"]) or plain_key(path) in WORDS["items"]]
    named = (path for path in called if path not in (prompt, *apart) and _may_be_key(rows, path))
    named = (path for path in named if rows.distinct([path]) < (1 - _MISTAKEN) * rows.size)
    several = [one for size in (1, 2) for one in combinations(apart, size)]
    return next((path for path in named if any(not rows.repeats_together([path, *some]) for some in several)), None)


def item_of_runs(rows: FirstRows, identity: str, prompt: str | None, answer: str | None) -> str | None:
    """Return the path that names the items of a file whose ids are those of runs; None for any other file.

    A field numbers the runs, no two of an item have the same number, and all have its question and right answer.
    """
    single = [path for path in rows.values if path not in (identity, prompt, answer) and _may_be_key(rows, path)]
    runs = [path for path in single if names_a_run(path) and _are_few(rows, path)]
    facts = [path for path in (prompt, answer) if path is not None and not path.endswith(PROMPT)]
    for path in (path for path in single if path not in runs):
        items = rows.distinct([path])
        is_called = name_rank(path, NAMES["id"]) or plain_key(path) in WORDS["items"] - {"group"}
        if not is_called or last_name(path) in WORDS["shared-ids"] or not 1 < items < (1 - _MISTAKEN) * rows.size:
            continue
        crossed = [run for run in runs if rows.distinct([run]) * items <= _CROSSED * rows.size]
        if any(rows.distinct([path, run]) == rows.size for run in crossed) and _say_the_same(rows, [path], facts):
            return path
    return None


def _tells_apart(rows: FirstRows, path: str) -> bool:
    is_reviewer = _names_a_reviewer(path) and _are_names(rows, path)
    return is_reviewer or names_a_run(path) or names_a_model(path) or _names_a_variant(path)


def may_name_items(rows: FirstRows, path: str) -> bool:
    """Whether each row has one value at a path that is called as tasks or problems, and some have the same."""
    return plain_key(path) in WORDS["items"] - {"group"} and _may_be_key(rows, path) and rows.repeats(path)


def item_in_subset(rows: FirstRows, prompt: str | None) -> str | None:
    """Return the path of ids that are unique within a subset; None for none."""
    # Numbers beside a question, or of samples, count what is said of one item.
    numbers = WORDS["items"] - {"group", "sample", "i"} if prompt is None else frozenset[str]()
    called = (path for path in rows.values if name_rank(path, NAMES["id"]) or plain_key(path) in numbers)
    named = (path for path in called if _may_be_key(rows, path))
    named = (
        path for path in named if path != prompt and rows.repeats(path) and last_name(path) not in WORDS["shared-ids"]
    )
    others = [path for path in rows.values if _may_be_key(rows, path)]
    apart = [path for path in others if names_a_run(path) or names_a_model(path) or _names_a_reviewer(path)]
    free = [path for path in others if path not in apart]
    return next((path for path in named if _subset(rows, free, path, prompt, apart)), None)


def names_a_model(path: str) -> bool:
    """Whether a path is called as the name of the model that answered: “source_model”, “model_under_test”."""
    words = {word for word in words_of(path)[-1] if not word.isdecimal()}
    if last_name(path) in (*NAMES["model"], *NAMES["model-like"]):
        return last_name(path) != NAMES["model"][-1]
    # “answer model” says which model it was, “model answer” what it said.
    return not words.isdisjoint(WORDS["models"]) and words <= WORDS["of-models"] and not is_said(path)


def is_of_group(path: str) -> bool:
    """Whether a path is called as groups of items are, such as “question_group”."""
    words = words_of(path)[-1]
    return len(words) > 1 and words[-1] in {"group", "category", "subject", "topic", "domain", "subset", "cluster"}


def is_of_variants(path: str) -> bool:
    """Whether a path is called as the variant of a prompt, and not as the prompt."""
    words = words_of(path)[-1]
    return len(words) > 1 and not WORDS["variants"].isdisjoint(words) and WORDS["of-variants"].issuperset(words)


def _names_a_variant(path: str) -> bool:
    words = {word for word in words_of(path)[-1] if not word.isdecimal()}
    named = not words.isdisjoint(WORDS["variants"]) or words in ({"prompt"}, {"prompt", "id"}, {"prompt", "name"})
    return named and words <= WORDS["of-variants"] and WORDS["amounts"].isdisjoint(words)


def _names_a_metric(path: str) -> bool:
    words = {word for word in words_of(path)[-1] if not word.isdecimal()}
    named = not words.isdisjoint(WORDS["metrics"]) or plain_key(path) in {"scorename", "scoretype", "evalname"}
    return named and words <= WORDS["of-metrics"]


def _names_a_reviewer(path: str) -> bool:
    words = {word for word in words_of(path)[-1] if not word.isdecimal()}
    return not words.isdisjoint(WORDS["reviewers"]) and words <= WORDS["reviewers"] | WORDS["naming"] | {
        "model",
        "human",
    }


def _names_a_subset(path: str) -> bool:
    words = {word for word in words_of(path)[-1] if not word.isdecimal()}
    named = plain_key(path) in WORDS["subsets"] or not words.isdisjoint(WORDS["subsets"])
    return named and WORDS["of-verdicts"].isdisjoint(words) and WORDS["amounts"].isdisjoint(words)


def _may_be_key(rows: FirstRows, path: str) -> bool:
    """Whether each row has one value at a path, of which there are several, some more than once."""
    known = rows.known[path]
    return len(known) == rows.size and rows.is_key(path) and len({*map(str, known)}) > 1


def _are_systems(rows: FirstRows, path: str) -> bool:
    """Whether what is called a run is named by words, as “baseline” and “finetuned”: each may be another system."""
    names = {*rows.texts(path)}
    is_named = _are_models(rows, path) or all(_NAMED_RUN.search(name) is None for name in names)
    return is_named and 2 * len(names) <= rows.size


def _are_files_of_runs(rows: FirstRows, path: str) -> bool:
    """Whether each file of a zip is another run: “run_1”, “run_2”."""
    names = {*rows.texts(path)}
    return last_name(path) == NAMES["model"][-1] and len(columns_of_runs([*names])) == len(names)


def _are_models(rows: FirstRows, path: str) -> bool:
    names = {*rows.texts(path)}
    return 2 * sum(map(is_model, names)) >= len(names)


def _are_few(rows: FirstRows, path: str) -> bool:
    """Whether each row has one of a few values."""
    known = rows.known[path]
    return len(known) == rows.size and rows.is_key(path) and len({*map(str, known)}) <= _MOST_RUNS


def _are_names(rows: FirstRows, path: str) -> bool:
    """Whether these are names or numbers of several people or judges, and not what they say."""
    said = rows.are_words_of_verdicts(path) or rows.is_zero_or_one(path)
    return not said and not any("." in str(value) and rows.is_numeric(path) for value in rows.known[path][:1])


def _subset(rows: FirstRows, free: Sequence[str], identity: str, prompt: str | None, others: Sequence[str]) -> str:
    """Return the path within which the ids are unique, since they mean other questions elsewhere; "" for none."""
    ids = len({*rows.texts(identity)})
    if rows.size - ids <= _MISTAKEN * rows.size:
        return ""
    for path in (path for path in free if path != identity and _names_a_subset(path)):
        pairs = rows.distinct([identity, path])
        if pairs == ids or not rows.repeats(path):
            continue
        if prompt is not None:
            # Each has its own question, of which an id alone has several.
            asked = rows.distinct([identity, prompt])
            if asked == pairs == rows.distinct([identity, path, prompt]) > (1 + _MISTAKEN) * ids:
                return path
        elif last_name(path) in WORDS["shared-ids"]:
            # Without questions, nothing says that a file of a zip is no model.
            continue
        elif all(rows.repeats_together([identity, other]) for other in others) and not all(
            rows.repeats_together([identity, path, *other]) for other in ([], *([one] for one in others))
        ):
            return path
    return ""


def _say_the_same(rows: FirstRows, key: Sequence[str], paths: Iterable[str]) -> bool:
    """Whether rows with one key have one value at each of some paths."""
    return all(rows.distinct([*key, path]) == rows.distinct(key) for path in paths)
