"""Files of any other shape: which column or JSON path holds the id, the prompt, the samples … of an item.

Paths are those of `core.readers.paths`. Rows with the same id are samples of one item, or the outputs of several
models if a path names these.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from ..errors import PoolError, Problem
from ..pool.columns import ANSWER_LISTS, COLUMNS, RUN_LOSSES, RUN_TEXTS, TARGET_FIELDS, TARGETS
from ..pool.origin import Origin
from ..pool.problems import Problems, shown
from ..words import listed
from ..words.verdict_words import number_in
from .chats import options_in
from .judge_columns import is_judges, is_peoples
from .model_outputs import OF_RESULTS
from .paths import accept, answers_in, at
from .resolve_ids import plain_id
from .verdicts import alone, number, says_nothing

TEXT, RIGHT, WRONG = "text", "right", "wrong"
# In place of a path of runs, if nothing but their order in the file tells the rows of an item apart.
ROWS = "order of rows"
OF_TARGETS = (*(name for name in TARGET_FIELDS if name not in ("unscored", RUN_TEXTS, RUN_LOSSES)), RIGHT, WRONG)
_SCORES = frozenset({"loss", RIGHT, WRONG})
# What the paths of a target are for; the others are scores.
_OF_TARGET: Mapping[str, str] = {TEXT: "the answer", "answer": "the answer", "meaning": "the meaning"}
# What a column is for no other of, and how to leave one out.
_APART: Mapping[str, tuple[str, ...]] = {
    "the prompt": ("prompt",),
    "the right answer": ("answer",),
    "samples": ("generations", "generation_answers"),
}
_APART_ONCE = (
    "Compared with itself, it would agree everywhere. Choose it for one of them (in a shell, an empty path such as "
    "--answer= leaves a field out)."
)
# Fields that several paths may make up, one value each.
SEVERAL = frozenset({"choices", "generations", "generation_answers", "image"})
_LISTS = SEVERAL | {"meanings", "logprobs", "token_logprobs"}
_AS_OPTIONS = (
    "Write them as a list, with their letters (“A) Paris; B) Rome”) or with “|” between them, or leave the column out "
    "(in a shell: --choices=)."
)
_ONE = "Choose the one by what 1 means there."
_ONE_VERDICT = (
    "Keep the rows of one reviewer, or one row with the verdict that counts for each output, and leave the reviewer "
    "out (in a shell: --reviewer=)."
)

# What records have, whether or not the map names it.
_FIELDS = frozenset({*COLUMNS, TARGETS})

Paths = str | tuple[str, ...]


def of_the_file(name: str) -> str:
    """Return what a file's column is called beside a field of the same name."""
    return f"{name} (of the file)"


@dataclass(frozen=True, slots=True)
class FieldMap:
    """Where the fields of items are in another file.

    Parameters
    ----------
    fields : mapping of str to str or tuple of str
        Path of each native field (``core.pool.columns.COLUMNS``); ``generations``, ``choices`` and other lists may have
        several.
    targets : mapping of str to mapping
        For each model the paths of its ``text``, ``answer``, ``loss``, or of ``right`` (1, true or “correct”; a share
        from 0 to 1) or ``wrong`` (the same, and 1 means wrong). A model "" is named by each file (:meth:`named`).
    columns : tuple of str
        Paths that are kept as separate columns, unchanged.
    judges : tuple of str
        Paths of verdicts, scores or probabilities of other models, kept as columns of numbers (:meth:`column`); one
        that is among ``columns`` too is kept unchanged.
    model : str or tuple of str, default ""
        Path of the name of the model that a row is about, if rows are about several: each is then a model, with the
        outcome that ``targets`` has paths for, whatever it is called there. Of several paths, such as a model and its
        prompt, the names are put together.
    keeps_repeated : bool, default False
        Whether a row that says the same as an earlier one, in a file without ids, is another item.
    words : mapping of str to str
        What words of scores mean (``core.words.verdict_words.word_key``), as a person said: “right”, “wrong” or “skip”.
    run : str or tuple of str, default ""
        Path that numbers or names the runs (trials, attempts, epochs) of a target, if each row is a run: the first run
        of each item counts. If a row has all runs of its item, the paths of their scores, or that of a list of them.
        `ROWS` if nothing numbers the runs: the first row of each item counts.
    reviewer : str, default ""
        Path that says who gave the verdicts in a row, if several people or judges have rows about the same output: what
        is kept (``columns`` and ``judges``) then has a column for each of them.
    """

    fields: Mapping[str, Paths]
    targets: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    model: Paths = ""
    keeps_repeated: bool = False
    words: Mapping[str, str] = field(default_factory=dict)
    run: Paths = ""
    reviewer: str = ""

    def __post_init__(self) -> None:
        """Raise :class:`core.errors.PoolError` for a field that there is not."""
        names = [*self.fields, *(name for one in self.targets.values() for name in one)]
        known = {*COLUMNS, *OF_TARGETS}
        unknown = [name for name in names if name not in known]
        if unknown:
            remedy = f"Use some of {', '.join(COLUMNS)}."
            raise PoolError([Problem(f"there is no field {shown(name)}.", remedy=remedy) for name in unknown])
        twice = [model for model, paths in self.targets.items() if {RIGHT, WRONG} <= paths.keys()]
        if twice:
            raise PoolError(
                [Problem(f"{shown(model)} has a score twice, as right and as wrong.", remedy=_ONE) for model in twice]
            )

    @classmethod
    def of_json(cls, value: Mapping[str, Any]) -> FieldMap:
        """Make the map that :meth:`as_json` wrote."""
        fields = {name: _of_json(path) for name, path in value["fields"].items()}
        lists = tuple(value["columns"]), tuple(value["judges"])
        return cls(
            *(fields, value["targets"], *lists, _of_json(value.get("model", "")), value.get("keeps_repeated", False)),
            value.get("words", {}),
            _of_json(value.get("run", "")),
            value.get("reviewer", ""),
        )

    def as_json(self) -> dict[str, Any]:
        """Write the map as what JSON can hold."""
        return {
            "fields": dict(self.fields),
            "targets": {model: dict(paths) for model, paths in self.targets.items()},
            "columns": self.columns,
            "judges": self.judges,
            "model": self.model,
            "keeps_repeated": self.keeps_repeated,
            "words": dict(self.words),
            "run": self.run,
            "reviewer": self.reviewer,
        }

    def named(self, model: str) -> FieldMap:
        """Return the map with this name in place of a model "", as a map that is kept for other files has."""
        return replace(self, targets={name or model: paths for name, paths in self.targets.items()})

    def unnamed(self, model: str) -> FieldMap:
        """Return the map with "" in place of this name, which is that of one file, and without words, which change."""
        targets = {"" if name == model else name: paths for name, paths in self.targets.items()}
        return replace(self, targets=targets, words={})

    def within(self, paths: Collection[str]) -> FieldMap:
        """Return the map without what none of these paths is, as for a file of which optional fields are empty."""
        fields = {name: tuple(part for part in self.parts(name) if part in paths) for name in self.fields}
        targets = {
            model: {name: path for name, path in one.items() if path in paths} for model, one in self.targets.items()
        }
        columns, judges = (tuple(path for path in some if path in paths) for some in (self.columns, self.judges))
        return FieldMap(
            {name: _alone_or_all(parts) for name, parts in fields.items() if parts},
            {model: one for model, one in targets.items() if one},
            columns,
            judges,
            _alone_or_all([path for path in self.models if path in paths]),
            self.keeps_repeated,
            self.words,
            _alone_or_all([path for path in self.runs if path in paths]),
            self.reviewer if self.reviewer in paths else "",
        )

    def paths(self) -> list[str]:
        """List every path."""
        of_targets = [path for one in self.targets.values() for path in one.values()]
        of_fields = [part for name in self.fields for part in self.parts(name)]
        others = [*self.models, *(path for path in self.runs if path != ROWS), self.reviewer]
        return [*of_fields, *of_targets, *self.columns, *self.judges, *filter(None, others)]

    def parts(self, name: str) -> tuple[str, ...]:
        """Return the paths of a field, none if it has none."""
        return _several(self.fields.get(name, ()))

    @property
    def models(self) -> tuple[str, ...]:
        """Paths that name the model of a row together."""
        return _several(self.model)

    @property
    def runs(self) -> tuple[str, ...]:
        """Path that names the run of a row, or the paths of the scores of a row's runs."""
        return _several(self.run)

    @property
    def subset(self) -> tuple[str, ...]:
        """Paths within which the ids are unique, if they are not unique everywhere."""
        return self.parts("id")[:-1]

    def parts_of_id(self, source: Mapping[str, Any]) -> tuple[str, ...] | None:
        """Return what the paths of the id hold in a row; None if one is missing."""
        values = [at(source, path) for path in self.parts("id")]
        return None if None in values else tuple(str(_whole(_alone(one, "id"))) for one in values)

    def model_of(self, source: Mapping[str, Any]) -> Any:
        """Return the name of the model that a row is about; of several paths, what they hold, put together."""
        names = [at(source, path) for path in self.models]
        return names[0] if len(names) == 1 else None if None in names else ", ".join(map(str, names))

    @property
    def run_name(self) -> str:
        """Path that tells the runs of an item apart, each of which is a row; "" if no row is a run."""
        paths = self.runs
        return paths[0] if len(paths) == 1 and not self._scores_within(paths[0]) else ""

    @property
    def run_scores(self) -> tuple[str, ...]:
        """Paths of the scores of an item's runs, if a row has all of them."""
        return () if self.run_name else tuple(one for path in self.runs for one in self._scores_within(path) or (path,))

    def _scores_within(self, path: str) -> list[str]:
        """List the scores of targets that a path holds: the path itself, or those in its list."""
        within = [one for one in self._scores if one.startswith((f"{path}[", f"{path}.")) and "[]" in one[len(path) :]]
        return [path] if path in self._scores else within

    @property
    def _scores(self) -> dict[str, None]:
        return {path: None for paths in self.targets.values() for name, path in paths.items() if name in _SCORES}

    def runs_in(self, source: Mapping[str, Any]) -> int:
        """Number of runs whose scores stand in one row."""
        values = [at(source, path) for path in self.run_scores]
        return sum(len(value) if isinstance(value, list) else not says_nothing(value) for value in values)

    @property
    def may_repeat(self) -> bool:
        """Whether a row may repeat another one: whoever repeats a question on purpose gives it an id."""
        return "prompt" in self.fields and not (self.model or {"id", "generations"} & self.fields.keys())

    @property
    def judging(self) -> tuple[str, ...]:
        """Paths of judges, and of kept columns that are called as a judge's verdicts."""
        return tuple(dict.fromkeys([*self.judges, *filter(is_judges, self.columns)]))

    @property
    def numeric_judges(self) -> tuple[str, ...]:
        """Paths of judges that are kept as numbers."""
        return tuple(path for path in self.judges if path not in self.columns)

    @property
    def words_of_judges(self) -> Mapping[str, str]:
        """Return the meanings of words of judges: their numbers are ratings, whatever a number means among scores."""
        return {word: meaning for word, meaning in self.words.items() if number_in(word) is None}

    @property
    def is_empty(self) -> bool:
        """Whether no path is a question, an answer, a score or another fact: a pool of it would say nothing."""
        return not (self.fields.keys() - {"id", "group"} or self.targets or self.columns or self.judges)

    @property
    def lacks(self) -> str:
        """A warning if no path is a model's answer or score, else empty."""
        if "generations" in self.fields or self.targets:
            return ""
        if self.is_empty:
            return "No field is taken for a question, an answer or a score. Choose at least one."
        if self.judging and any(map(is_peoples, self.columns)):
            return ""
        has = {"questions": "prompt" in self.fields or not self.judging, "a judge’s verdicts": bool(self.judging)}
        known = listed([name for name, there in has.items() if there])
        return (
            f"No field is taken for a model’s answers, samples or scores: the pool will have {known} alone. Choose "
            "the field of the answers if the file has one."
        )

    @property
    def compared(self) -> str:
        """A sentence that names people's verdicts beside a judge's, which only page Judge uses; else empty."""
        people = [shown(path) for path in self.columns if is_peoples(path)]
        judging = [shown(path) for path in self.judging]
        if not (people and judging):
            return ""
        kept = f"{listed(people)} {'is' if len(people) == 1 else 'are'} kept as people’s verdicts"
        return (
            f"{kept}, beside {listed(judging)}: page Judge (neyman judge) compares them. They are no target’s score, "
            "unless you choose one as such."
        )

    def of_first_rows(self, model: str) -> FieldMap:
        """Return the map whose run is `ROWS`: if each row has one sample and no target an answer, it is the target's.

        Parameters
        ----------
        model : str
            What the target is called if there is none.
        """
        fields, targets = dict(self.fields), {one: dict(paths) for one, paths in self.targets.items()}
        sample = fields.get("generations")
        is_free = len(targets) < 2 and not any(TEXT in one for one in targets.values())
        if isinstance(sample, str) and "[]" not in sample and is_free:
            del fields["generations"]
            targets = targets or {model: {}}
            next(iter(targets.values()))[TEXT] = sample
        return replace(self, fields=fields, targets=targets, run=ROWS)

    def check(self) -> None:
        """Raise :class:`core.errors.PoolError` for each path in two roles that one column cannot have.

        These are the prompt, the right answer, samples, and a target's answer, its meaning and its score. Reviewers of
        several models' outputs are refused too.
        """
        if self.model and self.reviewer:
            who = f"{shown(self.reviewer)} names several people who judge each output of several models"
            raise PoolError(
                [Problem(f"{who}: nothing says whose verdict counts.", field=self.reviewer, remedy=_ONE_VERDICT)]
            )
        roles: dict[str, list[str]] = {}
        for role, names in _APART.items():
            for path in dict.fromkeys(path for name in names for path in self.parts(name)):
                roles.setdefault(path, []).append(role)
        for model, one in self.targets.items():
            for name, path in one.items():
                role = f"{_OF_TARGET.get(name, 'a score')} of {shown(model)}"
                # A score that is given twice is two scores, of which one may be the opposite of the other.
                if name in _SCORES and role in roles.get(path, ()):
                    role = f"another score of {shown(model)}"
                if role not in roles.setdefault(path, []):
                    roles[path].append(role)
        twice = {path: some for path, some in roles.items() if len(some) > 1}
        if twice:
            raise PoolError(
                [
                    Problem(f"{shown(path)} is chosen for {listed(some)}.", field=path, remedy=_APART_ONCE)
                    for path, some in twice.items()
                ]
            )

    def origin(self) -> Origin:
        """Say which field of the file became what of the pool."""
        fields = {name: ", ".join(self.parts(name)) for name in self.fields}
        for model, paths in self.targets.items():
            fields |= {f"{model} · {name}": path for name, path in paths.items()}
        fields |= {"model": ", ".join(self.models)} if self.model else {}
        fields |= {"run": ", ".join(self.runs)} if self.run else {}
        fields |= {"reviewer": self.reviewer} if self.reviewer else {}
        columns = {self.column(path): path for path in (*self.judges, *self.columns)}
        return Origin("", fields | columns)

    def column(self, path: str) -> str:
        """Return what a column that is kept is called: as its path, unless a field is called so, taken or not.

        Of verdicts in words that somebody chose as a judge's, the name says so.
        """
        said = path in self.judges and path in self.columns and not is_judges(path)
        name = f"{path} (judge)" if said else path
        while name in _FIELDS or (self.model and name in OF_RESULTS) or (name != path and name in self._kept):
            name = of_the_file(name)
        return name

    @property
    def _kept(self) -> tuple[str, ...]:
        return (*self.columns, *self.judges)

    def record(self, source: Mapping[str, Any], row: int, problems: Problems) -> dict[str, Any]:
        """Make the native record of one of the file's; without a path of the id, the row is the id."""
        record: dict[str, Any] = {"id": row}
        for name in self.fields:
            values = [at(source, path) for path in self.parts(name)]
            if name in _LISTS:
                if name == "generations":
                    values = [_whole_samples(source, path) for path in self.parts(name)]
                if name == "choices" and len(values) == 1 and isinstance(values[0], str):
                    values = [self._options_in(values[0], row, problems)]
                parts = [part for value in values for part in (value if isinstance(value, list) else [value])]
                # In a list of answers, None stands for no answer.
                whole = name in ANSWER_LISTS and len(values) == 1
                record[name] = [part for part in parts if whole or part is not None] or None
                if whole and values[0] is None:
                    record[name] = None
            elif name == "id" and len(values) > 1:
                # Ids that are unique within a subset alone, such as a task or a language.
                parts_of_id = self.parts_of_id(source)
                record[name] = None if parts_of_id is None else plain_id(parts_of_id)
            else:
                value = _alone(values[0], name)
                record[name] = _whole(value) if name == "id" else value
        first = {*self.run_scores}
        targets = {
            model: _outcome(source, paths, row, problems, self.words, first) for model, paths in self.targets.items()
        }
        for model, paths in self.targets.items() if first else ():
            if losses := self._losses_of_runs(source, paths):
                targets[model][RUN_LOSSES] = losses
        if targets:
            record[TARGETS] = targets
        alternatives = self.right_answers(source, record)
        if len(alternatives) == 1 and isinstance(record["answer"], str):
            record["answer"] = alternatives[0]
        elif len(alternatives) > 1:
            accept(alternatives, record, row, problems)
        kept = {self.column(path): at(source, path) for path in self.columns}
        judged = {self.column(path): _number(at(source, path), self.words_of_judges) for path in self.numeric_judges}
        return record | kept | judged

    def _losses_of_runs(self, source: Mapping[str, Any], paths: Mapping[str, str]) -> list[float | None]:
        """Return the losses of a target's runs if a row has all of them: a list of scores, or a column for each run."""
        name, path = next(((name, path) for name, path in paths.items() if path in self.run_scores), ("", ""))
        if name not in (RIGHT, WRONG):
            return []
        given = at(source, path)
        if not isinstance(given, list):
            others = {one for of_it in self.targets.values() if of_it is not paths for one in of_it.values()}
            given = [at(source, one) for one in self.run_scores if one not in others]
        known = [_number(one, self.words if name == RIGHT else turned(self.words)) for one in given]
        if any(one is not None and not 0 <= one <= 1 for one in known) or len(known) < 2:
            return []
        return [one if one is None or name == WRONG else 1 - one for one in known]

    def _options_in(self, text: str, row: int, problems: Problems) -> list[str] | None:
        """Return the options in a text; those of a question may be missing."""
        (path,) = self.parts("choices")
        is_question = path in self.parts("prompt")
        options = options_in(text, apart=not is_question)
        if options is None and text.strip() and not is_question:
            problems.add(f"{shown(text, 40)} lists no options.", row, path, _AS_OPTIONS)
        return options

    def right_answers(self, source: Mapping[str, Any], record: Mapping[str, Any]) -> list[Any]:
        """Return the right answers of a row that lists some, also in a text, beside the record that is made of it."""
        if "answer" not in self.fields:
            return []
        outcomes = record.get(TARGETS, {}).values()
        said = chain((one.get("text") for one in outcomes), record.get("generations") or ())
        answers = answers_in(at(source, self.parts("answer")[0]), said)
        return answers if isinstance(answers, list) else []


def _whole_samples(source: Mapping[str, Any], path: str) -> Any:
    """Look samples up; one that is JSON and has nothing at the path within it, or is cut, is empty."""
    value = at(source, path)
    outer, is_list, _ = path.partition("[].")
    given = at(source, outer) if is_list else None
    if isinstance(value, list) and isinstance(given, list) and len(given) == len(value):
        pairs = zip(value, given, strict=True)
        return ["" if one is None and isinstance(text, str) and text.strip() else one for one, text in pairs]
    text = None if path in source else at(source, path.rpartition(".")[0])
    return "" if value is None and isinstance(text, str) and text.strip() else value


def _alone(value: Any, name: str) -> Any:
    """Return the only one of a list; of the texts of a prompt or an id, such as the turns of a chat, all of them."""
    if isinstance(value, list) and name in ("prompt", "id") and value and all(isinstance(part, str) for part in value):
        return "\n\n".join(value)
    return alone(value)


def _whole(value: Any) -> Any:
    """Return a whole number as such: pandas writes it as a decimal one if a column has gaps."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _several(paths: Paths) -> tuple[str, ...]:
    return ((paths,) if paths else ()) if isinstance(paths, str) else tuple(paths)


def _of_json(paths: str | Sequence[str]) -> Paths:
    return paths if isinstance(paths, str) else tuple(paths)


def _alone_or_all(paths: Sequence[str]) -> Paths:
    return tuple(paths) if len(paths) > 1 else "".join(paths)


def _outcome(
    source: Mapping[str, Any],
    paths: Mapping[str, str],
    row: int,
    problems: Problems,
    words: Mapping[str, str],
    of_runs: Collection[str],
) -> dict[str, Any]:
    outcome = {name: _alone(at(source, path), name) for name, path in paths.items() if name not in (RIGHT, WRONG)}
    for name in {RIGHT, WRONG} & paths.keys():
        given, meant = at(source, paths[name]), words if name == RIGHT else turned(words)
        if paths[name] in of_runs and isinstance(given, list):
            given = next(iter(given), None)
        score = _number(given, meant)
        if score is not None and not 0 <= score <= 1:
            word = f"{score:g}"
            remedy = f"A score of a target is 1 ({name}), 0 or between; keep another number as a judge’s."
            if score > 1:
                remedy += (
                    " Divide per cent by 100, and grades by the highest one. If each number means right or wrong, "
                )
                remedy += f"say so (in a shell: --word={word}={RIGHT})."
            if score < 0:
                remedy += f" If {word} means “not scored”, say so (in a shell: --word={word}=skip)."
            words_asked = (word,) if score < 0 else ()
            problems.add(f"the score {word} is not between 0 and 1.", row, paths[name], remedy, words=words_asked)
            score = None
        outcome["loss"] = 1 - score if score is not None and name == RIGHT else score
    if says_nothing(outcome.get("loss")) and not _SCORES.isdisjoint(paths):
        # Whoever scored the outputs left this one open.
        outcome |= {"loss": None, "unscored": True}
    return outcome


def turned(words: Mapping[str, str]) -> Mapping[str, str]:
    """Return what words mean in a column whose 1 means wrong: what a person calls right is right there too."""
    return {word: {RIGHT: WRONG, WRONG: RIGHT}.get(meaning, meaning) for word, meaning in words.items()}


def _number(value: Any, words: Mapping[str, str]) -> float | None:
    """Return the number of a score, None for none and for words that nobody knows, which `score_direction` counts."""
    known = number(value, words)
    return None if known is None or known != known else known
