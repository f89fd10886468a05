"""The models of an unknown file, by names and by values: in columns, rows or keys."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ..pool.problems import shown
from ..words import listed
from .doubt import FreePaths
from .field_map import RIGHT, TEXT, WRONG
from .field_names import NAMES, WORDS, is_of_people, last_key, last_name, words_of
from .first_rows import FirstRows
from .judge_columns import are_mentioned, is_called_judge
from .model_names import are_models, has_size, is_model, is_named_model, of_model, says_right, versions_among
from .shared_choices import shared_choices
from .side_by_side import below_outputs, called_as_models, says_answers, side_by_side, twins
from .tool_formats.leaderboard import is_other, may_be_output, may_be_truth
from .total_shapes import is_sum, sums_up

# So many cells of a column of verdicts are 0 or 1.
_MOSTLY = 0.75


def unknown_scale(rows: FirstRows, free: Sequence[str], are_all: bool = False) -> tuple[list[str], str]:
    """Return columns of numbers that are called by models, and why nobody can tell whether these are scores.

    Parameters
    ----------
    rows : FirstRows
        The first rows of a file.
    free : sequence of str
        Paths that are nothing else.
    are_all : bool, default False
        Whether the file has nothing beside them: then columns of other names may be those of models, if most of their
        cells are 0 or 1.

    Returns
    -------
    tuple of list of str and str
        Their paths, and a sentence with the first number outside 0 to 1; "" if there is none, or only one column.
    """
    named = [path for path in free if is_named_model(path) and rows.is_single(path) and rows.is_numeric(path)]
    named = [path for path in named if WORDS["others"].isdisjoint({*words_of(path)[-1]} - {"model"})]
    if not named and are_all and all(_are_mostly_verdicts(rows, path) for path in free):
        named = [*free]
    numbers = [
        (row, path, one)
        for path in named
        for row, one in enumerate(rows.numbers(path), start=1)
        if one is not None and one == one
    ]
    odd = [(row, path, one) for row, path, one in numbers if not 0 <= one <= 1]
    if len(named) < 2 or not odd:
        return named, ""
    (row, first, value), values = min(odd), [one for *_, one in numbers]
    return named, (
        f"{listed([shown(path) for path in named])} hold numbers from {min(values):g} to {max(values):g} ({value:g} in "
        f"row {row} of {shown(first)}). They may be answers, or scores on a scale that the file does not name. Scores "
        "have to be between 0 and 1, or per cent with the sign %; write n/a if there is none. Ranks, times and amounts "
        "are no scores."
    )


def _are_mostly_verdicts(rows: FirstRows, path: str) -> bool:
    if not rows.is_single(path) or not rows.is_numeric(path) or is_other(last_key(path)):
        return False
    return sum(one in (0, 1) for one in rows.numbers(path)) >= _MOSTLY * rows.filled(path)


def says_as_models(rows: FirstRows, free: Sequence[str], said: Sequence[str]) -> str:
    """Return the first column that is called as people or a total, and mostly says what models say; "" for none.

    So may the only other column of 0 and 1 beside several models' of nothing else: nobody can tell verdicts from right
    answers and outputs there.

    Parameters
    ----------
    rows, free
        As in `unknown_scale`.
    said : sequence of str
        Paths of what models say; if there are none, columns that are called by models are.
    """
    models = said or [path for path in free if is_named_model(path)]
    words = {_word(value) for path in models for value in rows.known[path]}
    odd = [path for path in free if path not in models and may_be_truth(path) and rows.is_zero_or_one(path)]
    # “gpt-4 correct” says what it is.
    are_bare = all(rows.is_zero_or_one(path) and of_model(path) is None for path in models)
    alone = odd[0] if len(odd) == 1 < len(models) and are_bare else ""
    for path in free:
        called = is_of_people(path) or is_sum(last_key(path)) or path == alone
        if path in models or not rows.is_single(path) or not called:
            continue
        alike = sum(_word(value) in words for value in rows.known[path])
        if 2 * alike >= rows.filled(path) and not (is_sum(last_key(path)) and _is_total(rows, path, models)):
            return path
    return ""


def _word(value: object) -> str:
    return str(value).strip().casefold()


def _is_total(rows: FirstRows, path: str, parts: Sequence[str]) -> bool:
    cells = [[str(one) for one in some] for some in zip(*(rows.values[part] for part in parts), strict=True)]
    return sums_up([str(one) for one in rows.values[path]], cells)


# So often at least what a model says is the right answer, if no other key is a part of its output.
_OFTEN = 0.2
# So many columns of nothing but 0 and 1 may be models' verdicts.
_SEVERAL = 3
# Beside names of models, what is called by one of these holds no model's answers.
_WRONG = frozenset({"distractor", "wrong", "incorrect", "false", "alternative"})
_FORMS = frozenset({"form", "version", "variant", "booklet", "condition", "arm", "position", "option"})
_NAMED_OUTPUTS = (*NAMES["output"], *NAMES["model"])
# What people put into a cell and leave it empty elsewhere.
_MARKS = frozenset("x*+•●■")
_HAS_DIGIT = re.compile(r".*\d").match


class ModelPaths:
    """Paths of models, taken or asked about.

    Parameters
    ----------
    rows : FirstRows
        What the values look like.
    free : FreePaths
        The paths that are not yet taken for a field.
    """

    def __init__(self, rows: FirstRows, free: FreePaths) -> None:
        self._rows, self._free = rows, free
        self.may_be_scores: tuple[str, ...] = ()
        self.by_choices: tuple[str, ...] = ()

    def texts(self, answer: str | None) -> list[str]:
        """List the free columns that are called by models alone and hold texts."""
        return [path for path, paths in called_as_models(self._rows, list(self._free), answer).items() if TEXT in paths]

    def question_texts(self, answer: str | None) -> None:
        """Ask which of several columns, called as models or their versions, is what the one score is about."""
        if len(called := self.texts(answer) or self.versions(list(self._free))) > 1:
            self._free.doubt(TEXT, called)

    def question_twins(self, output: str) -> bool:
        """Ask whether an output is the only one, if others stand under another key in its place."""
        rows = self._rows
        alike = [path for path in twins(output, self._free) if rows.is_prose(path)]
        alike = [
            path for path in alike if WORDS["of-judges"].isdisjoint(word for some in words_of(path) for word in some)
        ]
        if alike:
            self._free.mark(alike)
            self._free.doubt(TEXT, [output, *alike])
        return bool(alike)

    def question_scales(self, identity: str | None, are_all: bool) -> None:
        """Ask what numbers of models are, of which some are no shares: answers, or scores."""
        named, why = unknown_scale(self._rows, [path for path in self._free if path != identity], are_all)
        if why:
            self._free.doubt(TEXT, named, why=why)

    def question_people(self, wide: Mapping[str, Mapping[str, str]], output: str | None) -> bool:
        """Ask whether what people say, beside models that say the same, is right or one more answer."""
        said = [path for paths in wide.values() for path in paths.values()] or [path for path in (output,) if path]
        people = says_as_models(self._rows, list(self._free), said)
        if people:
            why = (
                f"{shown(people)} says what the models say too. It may hold the right answers, or the answers of one "
                "more. Nothing in the file tells which."
            )
            self._free.doubt("answer", [people], why=why)
        return bool(people)

    def versions(self, free: Sequence[str]) -> list[str]:
        """Versions of something, which may be what a model said."""
        return [path for path in versions_among(free) if self._rows.is_words(path) and not is_called_judge(path)]

    def side_by_side(self) -> dict[str, dict[str, str]]:
        """Take outputs and scores of several models that stand beside each other in each row."""
        chosen = side_by_side(self._rows, list(self._free))
        self._free.mark(path for paths in chosen.values() for path in paths.values())
        for meaning in (RIGHT, WRONG):
            scores = {paths[meaning]: paths.get(TEXT) for paths in chosen.values() if meaning in paths}
            if scores and all(self._rows.are_marks(path, output) for path, output in scores.items()):
                self._free.doubt(meaning, list(scores), marks=True)
                chosen = {
                    model: {field: path for field, path in paths.items() if path not in scores}
                    for model, paths in chosen.items()
                }
        return self._without_judges({model: paths for model, paths in chosen.items() if paths})

    def _without_judges(self, chosen: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
        """Ask whether scores called by models without outputs are these models', or judge the only output."""
        said = [paths[TEXT] for paths in chosen.values() if TEXT in paths and len(paths) == 1]
        scores = {model: paths[RIGHT] for model, paths in chosen.items() if TEXT not in paths and RIGHT in paths}
        if len(said) != 1 or len(said) + len(scores) < len(chosen):
            return chosen
        for model, path in scores.items():
            why = (
                f"{shown(path)} may say how often {shown(model)} is right, or be the verdict of {shown(model)} on "
                f"{shown(said[0])}. Nothing in the file tells which."
            )
            self._free.doubt(RIGHT, [path], why=why)
        return {model: paths for model, paths in chosen.items() if model not in scores}

    def called_as_models(self, answer: str | None) -> dict[str, dict[str, str]]:
        """Take columns that are called by models alone; what has the same answers under other names is in doubt."""
        rows, free = self._rows, self._free
        chosen = called_as_models(rows, list(free), answer)
        alike = [
            path for path in free if path not in chosen and answer is not None and says_answers(rows, path, answer)
        ]
        if truths := [path for path in alike if says_right(path)]:
            # Nothing that is called as right answers is a model.
            free.mark(truths)
            free.doubt("answer", [answer or "", *truths])
            alike = [path for path in alike if path not in truths]
        doubted = [
            path for path in (*chosen, *alike) if answer and rows.is_zero_or_one(path) and rows.is_zero_or_one(answer)
        ]
        if doubted and answer:
            named = listed([shown(path) for path in (answer, *doubted)])
            why = (
                f"{named} hold 0 and 1. If a column of a model says what the model answered, take "
                f"it as its {TEXT}; if it says how right the model was, take it as its score (in a shell: --target "
                f"MODEL:right={doubted[0]}), and {shown(answer)} for nothing (--answer=)."
            )
            self._free.doubt(TEXT, list(dict.fromkeys([*chosen, *alike])), why=why)
            return {}
        if any(map(_is_odd, alike)) or (alike and not are_models([*chosen, *alike])):
            self._free.doubt(TEXT, list(dict.fromkeys([*chosen, *alike])))
            return {}
        said = {str(one).strip().casefold() for path in chosen for one in rows.known[path]}
        if len(chosen) > 1 and len(said) == 1 and said <= _MARKS and TEXT in next(iter(chosen.values())):
            # A cross in a cell says that the model is right there, or that it is not.
            self._free.doubt(RIGHT, list(chosen), marks=True)
            return {}
        if not (chosen or alike) and (below := below_outputs(rows, list(free))):
            if not all(answer is not None and self._says_some(path, answer) for path in below):
                free.doubt(TEXT, below)
                return {}
            chosen = {last_key(path): {TEXT: path} for path in below}
        if not (chosen or alike) and (versions := self.versions(list(free))):
            self._free.doubt(TEXT, versions)
        elif not (chosen or alike or answer or any(last_name(path) in _NAMED_OUTPUTS for path in free)):
            chosen = self._by_choices()
        chosen = {**chosen, **{path: {TEXT: path} for path in alike}}
        self._free.mark(path for paths in chosen.values() for path in paths.values())
        return chosen

    def _by_choices(self) -> dict[str, dict[str, str]]:
        """Take columns of any names that share the letters of options; of other short answers they are in doubt."""
        shared = shared_choices(self._rows, list(self._free))
        if shared.paths and not shared.are_sure:
            self._free.doubt(TEXT, shared.paths)
        self.by_choices = shared.paths if shared.are_sure else ()
        return {path: {TEXT: path} for path in self.by_choices}

    def _says_some(self, path: str, answer: str) -> bool:
        """Whether texts are the right answers in some rows."""
        pairs = zip(self._rows.values[path], self._rows.values[answer], strict=True)
        return _OFTEN * self._rows.size <= sum(_word(said) == _word(right) for said, right in pairs if said is not None)

    def question_truth(self, outputs: Sequence[str]) -> None:
        """Ask whether what is called as right, and stands in what models said, is the right answers."""
        rows = self._rows
        called = [path for path in self._free if says_right(path) and last_name(path) != "key" and rows.varies(path)]
        said = [path for path in outputs if path in rows.values and rows.is_text(path)]
        for path in (path for path in called if rows.is_single(path)):
            is_verdict = rows.is_zero_or_one(path) or rows.are_words_of_verdicts(path) or rows.is_share(path)
            if not is_verdict and any(are_mentioned(rows, path, output) for output in said):
                self._free.mark([path])
                self._free.doubt("answer", [path])

    def verdicts(self) -> dict[str, dict[str, str]]:
        """Take columns of 0 and 1 that are called as models if there are several and nothing else scores an output.

        The others may be flags of the items as well: ``may_be_scores`` names them.
        """
        free, rows = list(self._free), self._rows
        scores = [path for path in free if rows.is_zero_or_one(path) and rows.is_single(path)]
        scores = [path for path in scores if last_key(path) == path and not (is_other(path) or rows.are_marks(path))]
        others = [
            one for one in free if may_be_output(last_key(one)) or not WORDS["of-judges"].isdisjoint(words_of(one)[-1])
        ]
        # Settings and flags are often the same in all rows.
        varied = sum(len({*rows.numbers(path)} - {None}) > 1 for path in scores)
        if others or "id" in rows.values or varied < _SEVERAL:
            return {}
        named = [path for path in scores if is_model(path) or has_size(path)]
        # Of several flags, one may be called as a model by chance, such as “solar”.
        named = named if len(named) > 1 or any(map(_HAS_DIGIT, named)) else []
        self.may_be_scores = tuple(path for path in scores if path not in named)
        self._free.mark(named)
        return {path: {RIGHT: path} for path in named}

    def are_all(self, identity: str | None) -> bool:
        """Whether a file has ids, and beside them nothing but verdicts on several models, in words that are known."""
        named = [path for path in self._rows.values if path != identity]
        are_models = len(named) > 1 and all(map(is_named_model, named))
        return identity is not None and are_models and all(map(self._rows.is_zero_or_one, named))

    def names(self, identity: str) -> str | None:
        """Take the path that names several models, whose outputs stand in separate rows."""
        rows, named = self._rows, []
        for path in self._free:
            known, name = rows.known[path], last_name(path)
            several = 1 < len(set(map(str, known))) < len(known) and rows.is_text(path)
            # What may be something else too names models if it tells the rows of an item apart.
            if several and (
                name in NAMES["model"] or (name in NAMES["model-like"] and rows.are_distinct(identity, path))
            ):
                named.append(path)
        others = [path for path in self._rows.values if last_name(path) in NAMES["model"][:-1]]
        # A file in a zip is a model only if no column says which model it is.
        named = [path for path in named if last_name(path) != NAMES["model"][-1] or not others]
        ranks = (*NAMES["model"], *NAMES["model-like"])
        return self._free.take_path(min(named, key=lambda path: ranks.index(last_name(path)))) if named else None

    def model(self) -> str | None:
        """Return the name of the model if a column has the same in all rows."""
        for path in self._rows.values:
            known = self._rows.known[path]
            # A judge's model is none that is judged.
            if any(not WORDS["judge-holders"].isdisjoint(words) for words in words_of(path)[:-1]):
                continue
            if last_name(path) in NAMES["model"] and len(set(map(str, known))) == 1:
                return known[0].strip() or None if isinstance(known[0], str) else None
        return None


def _is_odd(path: str) -> bool:
    """Whether a column beside models' may say the same as right answers by chance, or on purpose wrong ones."""
    words = {word.removesuffix("s") for word in words_of(path)[-1]}
    return not (is_model(path) or words.isdisjoint(_WRONG | _FORMS | WORDS["of-items"])) or is_other(last_key(path))
