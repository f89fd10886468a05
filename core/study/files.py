"""The list of a plan, and its labels from files."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pandas as pd

from ..archive.label_log import COLUMNS
from ..design.design import Plan
from ..design.families import relatives
from ..design.judging import CRITERION, Judging
from ..errors import LabelError, NoLabelError
from ..estimation.intervals import DEFAULT, Interval
from ..gates.version_pool import check_asked
from ..labels import cells, double_meanings
from ..labels.account import Account, Remainder
from ..labels.cells import verdicts_or_scores
from ..labels.formats.label_file import LabelFile
from ..labels.formats.list_reader import of_no_criterion
from ..labels.kinds import GOLD, KINDS, PREFERENCE, RIGHT_WRONG, canonical, check_kind, scored
from ..labels.model_pair import pair_names, put_against
from ..labels.models import left_out, of_models
from ..labels.options import respelled, retyped
from ..labels.reader import read, read_records
from ..labels.rows import spelled
from ..labels.targets import ANSWERS_OF, LABEL_OF, assign_targets, codes_of
from ..labels.vocabulary import translated, unused, without_effect, written
from ..pool.pool import Pool
from ..pool.target_sets import ModelPair
from ..words import counted, listed, shell_line, shown
from ..words.scale import GradeScale
from ..words.verdict_words import word_key
from .label_kind import OF_ANOTHER_KIND, kind_of_labels, no_right_answers
from .labelling import Labelling
from .readings import split
from .record import check_target, pool_of
from .shown_answers import check_rows, other_answers
from .study import Study

LabelSource = str | Path | bytes | pd.DataFrame | LabelFile

_MOST = 6
_NO_LABELS = pd.DataFrame(columns=list(COLUMNS), dtype=object)


def request(
    plan: Plan,
    kind: str = "right-wrong",
    target: str | None = None,
    scale: GradeScale | tuple[float, float] | str | None = None,
    against: str | None = None,
) -> pd.DataFrame:
    """Give the list of a plan, to hand out to the people who label.

    Parameters
    ----------
    plan : Plan
        Drawn from a pool.
    kind : str
        What a label says, of `core.labels.KINDS`.
    target : str, optional
        The model examined. "right-wrong" and "score" show its answers; items that it was not asked are left out.
    scale : (float, float), optional
        The worst and the best grade, of labels that are grades on it, such as (1, 5).
    against : str, optional
        Another target: labels say which of both answers is better. They stand in random order, which follows from the
        plan's seed; items to which both give the same answer are ties and left out.

    Returns
    -------
    DataFrame
        Of `core.labels.request`, for `core.labels.export`.

    Raises
    ------
    LabelError
        The kind or the target is unknown, or answers are to be judged and none of the target is known.
    """
    kind = kind if scale is None else on_scale(kind if kind != RIGHT_WRONG.name else None, scale)
    pool = pool_of(plan)
    if against is not None:
        kind, target = compared(pool, kind if kind != RIGHT_WRONG.name else None, target, against)
    check_kind(kind)
    labelling = Labelling(plan, pool, _NO_LABELS, kind, target, plan.design.scheme.parser)
    if labelling.of_gate:
        check_asked(kind)
    if kind != "gold":
        check_target(pool, target, kind)
    if kind != "gold" and not labelling.answers:
        raise LabelError(f"Labels of this kind judge answers, and the pool has none of “{target}” to these items.")
    return labelling.request()


def labelled(
    plan: Plan,
    file: LabelSource | Sequence[LabelSource],
    target: str | None = None,
    kind: str | None = None,
    *,
    interval: Interval = DEFAULT,
    parser: str | None = None,
    words: Mapping[str, str] = MappingProxyType({}),
    scale: GradeScale | tuple[float, float] | str | None = None,
    against: str | None = None,
) -> Study:
    """Read the labels of a plan from files.

    Labels of the same design with another budget count too. What a label says is not a loss: "1" is right, as are
    "right", "correct", "true", "yes", "y", "r", "✓" and "✅"; "0", "wrong", "incorrect", "false", "no", "n", "w", "✗"
    and "❌" are wrong. "skip", "unsure", "maybe", "n/a", "?" and the like are no verdict: the estimate is that of the
    other items, and its limits hold whichever way these would have gone. Nothing else is guessed: it is refused until
    ``words`` says what it means. Scores are the higher the better.

    Parameters
    ----------
    plan : Plan
        Drawn from a pool.
    file : path, bytes, DataFrame or LabelFile, or a list of them
        A filled list (CSV, XLSX, JSON Lines, or its DataFrame), an export of Label Studio, Argilla or Prodigy, or a
        graded log of Inspect.
    target : str, optional
        The model examined; by default the one that the file names, or the only one of the pool.
    kind : str, optional
        What a label says, of `core.labels.KINDS`; by default what the file says, or else as `kind_of_labels` finds.
    interval : Interval
        How intervals are made; not ``bounded``: scores may lie outside 0 to 1.
    parser : str, optional
        Answer kind by which answers are read and compared; by default the plan's.
    words : mapping, optional
        What words mean, as ``{"richtig": "right", "falsch": "wrong", "partly": "skip"}``; "skip" is no verdict.
    scale : (float, float), optional
        The worst and the best grade, of labels that are grades on it, such as (1, 5): values are then shown as grades,
        and a number off it is refused. The same as ``kind="score:1-5"``.
    against : str, optional
        Another target: labels say which of both answers is better, and the value is the win rate of ``target``, ties
        as half. They are the places of a list ("first", "second", "tie"), or the names of the targets.

    Raises
    ------
    LabelError
        A file cannot be read, holds labels that are not understood (every row is named, with the remedy), may hold
        labels of several kinds, belongs to another plan or pool, judges another target, or has no label that counts.
    """
    kind = kind if scale is None else on_scale(kind, scale)
    if against is not None:
        kind, target = compared(pool_of(plan), kind, target, against)
    return labelled_as_usual(plan, file, target, kind, words, {}, interval, parser)


def on_scale(kind: str | None, scale: GradeScale | tuple[float, float] | str) -> str:
    """Return the name of the kind of grades on a scale.

    Raises
    ------
    LabelError
        It is no scale, or labels of this kind are no grades.
    """
    if kind is not None and not KINDS[kind].averaged:
        raise LabelError(f"A scale is for grades: labels of the kind “{kind}” have none. Leave out one of both.")
    return scored(scale)


def compared(pool: Pool, kind: str | None, target: str | None, other: str) -> tuple[str, str]:
    """Return the kind and the target of labels that say whether a target's answer is better than another one's.

    Raises
    ------
    LabelError
        One of them is no target of the pool, or labels of this kind compare nothing.
    """
    if kind not in (None, PREFERENCE.name):
        raise LabelError(f"Labels of the kind “{kind}” compare no two targets. Leave out one of both.")
    pool.check_unweighted("Which of two answers is better")
    return PREFERENCE.name, put_against(target, other, list(pool.targets))


def labelled_as_usual(
    plan: Plan,
    file: LabelSource | Sequence[LabelSource],
    target: str | None,
    kind: str | None,
    words: Mapping[str, str],
    usual: Mapping[str, str],
    interval: Interval = DEFAULT,
    parser: str | None = None,
    beside: Collection[str] = (),
) -> Study:
    """Read files as `labelled` does, with ``usual`` words that have a meaning and need not stand in a file.

    Labels of the targets ``beside`` are read from the study, too, so that they are not called left out.
    """
    record = Labelling(plan, pool_of(plan), _NO_LABELS, parser=parser or plan.design.scheme.parser, interval=interval)
    files = [read_labels(one) for one in (file if isinstance(file, list | tuple) else [file])]
    without_use = unused(pd.concat([one.rows for one in files]), words) if files else ""
    said = tuple(dict.fromkeys(filter(None, [without_use, *(note for one in files for note in one.notes)])))
    try:
        return _study(record, files, target, kind, {**usual, **words}, said, beside)
    except LabelError as error:
        # What a person should check may be why.
        raise type(error)(" ".join([str(error), *said]), error.problems, error.total) from None


def _study(
    record: Labelling,
    files: Sequence[LabelFile],
    target: str | None,
    kind: str | None,
    words: Mapping[str, str],
    said: Sequence[str],
    also: Collection[str],
) -> Study:
    """Read the rows of files as `labelled` does, with notes on the files."""
    plan, interval = record.plan, record.interval
    rows = pd.concat([one.rows for one in files], ignore_index=True)
    if rows["label"].isna().all():
        raise NoLabelError("No row has a label yet. Fill in the column `label`.")
    judging, is_said = plan.design.judging, kind == GOLD.name
    criteria = {one.labelled_as for one in judging.criteria} if judging is not None else set[str]()
    if len(criteria) < 2:
        _check_none_asked(files, [*_names(record.pool, target), *criteria])
    rows = spelled(rows, record.pool)
    plans = rows["plan_id"].fillna(plan.plan_id)
    family = (plan.plan_id, *relatives(plan, set(plans)))
    of_family = plans.isin(family) & (record.pool.places(rows["item_id"]) >= 0)
    of_plan = rows[of_family] if rows.loc[of_family, "label"].notna().any() else rows
    answers_shown = any(one.answer for file in files for one in file.shown)
    states = kind is not None and judging is None
    if kind is None and record.of_gate and of_plan["kind"].isna().all():
        kind = verdicts_or_scores(translated(of_plan, words)["label"].dropna())
    kind = kind or kind_of_labels(of_plan, record.is_answer, words, interval.bounded, answers_shown)
    check_kind(kind)
    if states or of_plan["kind"].notna().any():
        # Whoever says that they are verdicts says what each means.
        doubtful = double_meanings.doubtful(of_plan, kind, record.is_answer)
        words = {word: canonical(word, kind) or "" for word in doubtful} | dict(words)
    if KINDS[kind].scale is not None and not interval.bounded:
        raise LabelError("Grades on a scale have bounds: leave out Interval(bounded=False), or the scale.")
    if record.of_gate:
        check_asked(kind)
    if KINDS[kind].judges and not KINDS[kind].compares:
        files = [of_judged(one, record.pool, target, judging) for one in files]
    rows, unsigned = _together(files)
    rows = spelled(rows, record.pool)
    here = rows[of_family]
    if words and (refusal := without_effect(here, words, kind, record.is_answer)):
        raise LabelError(refusal)
    names = _names(record.pool, target, kind)
    if KINDS[kind].compares:
        target = _target_of(rows, record.pool, kind, target, None)
        check_target(record.pool, target, kind)
        rows = replace(record, kind=kind, target=target).placed(rows)
    rows = translated(rows, words, kind, record.is_answer)
    other_zeros = retyped(rows.loc[here.index], kind, record.is_answer)
    rows = respelled(rows, kind, record.is_answer)
    if kind == GOLD.name and (refusal := no_right_answers(rows.loc[here.index], record.is_answer)):
        raise LabelError(f"{refusal} {OF_ANOTHER_KIND}")
    of_every_one = ""
    if len(criteria) > 1:
        of_every_one = _check_criteria(rows.loc[here.index], _names(record.pool, target), criteria)
    target = _target_of(rows, record.pool, kind, target, judging)
    if is_said and judging is None and rows.loc[rows["label"].notna(), ANSWERS_OF].notna().all():
        # Somebody wrote right answers beside the model's.
        rows = rows.assign(**{ANSWERS_OF: rows[ANSWERS_OF].where(rows["kind"].notna(), None)})
    parts, given = split(rows, names, kind, target), len(rows)
    rows = pd.concat(parts.values()).sort_index() if parts else rows.head(0).assign(target="")
    beside = Remainder("", kind, "" if kind == "gold" else target or "", Account(foreign=given - len(rows)))
    log = rows.assign(plan_id=rows["plan_id"].fillna(plan.plan_id), created="")
    whose = judging.target if judging is not None and target in criteria else target
    unread = rows["label"].notna() & rows["target"].isin([*{*record.pool.targets} - {*criteria, *also, whose}])
    notes = (
        *unsigned,
        *filter(None, [of_every_one, other_zeros, left_out(rows.loc[unread, "target"], f"“{whose}”")]),
        *said,
    )
    read_as = replace(record, log=log, kind=kind, target=target, family=family, notes=notes, remainders=(beside,))
    study = Study(read_as)
    beside_it = [_check(study.labels.about(one), one.target in ("", target or "")) for one in parts]
    check_rows(study.labels, files)
    beside_it.append(other_answers(study.labels, files))
    if any(beside_it):
        study = Study(replace(read_as, notes=(*notes, *filter(None, beside_it))))
    if study.labels.relevant["label"].isna().all():
        others = listed([f"“{name}”" for name in log["kind"].dropna().unique() if name in KINDS and name != kind])
        if not others and len(study.labels.relevant):
            of = "a right answer" if kind == "gold" else f"a label of “{target}”"
            raise NoLabelError(f"No row has {of} yet{_without_verdict(study.labels.relevant)}. Fill in its column.")
        if kind != "gold" and not others:
            whom = f"another target than “{target}”" if target else "a target that the pool does not have"
            raise LabelError(f"The labels of this file judge the answers of {whom}. Use the file of this list.")
        say = f"are of the kind {others}" if others else "judge answers of a target"
        raise LabelError(f"The labels of this file {say}, not of the kind “{kind}”. Choose their kind.")
    if study.outcomes.table.empty and not study.labels.ties:
        # Rows that belong to another list are named.
        study.labels.settle(study.labels.relevant)
        raise LabelError(" ".join(["No label of this file counts.", *study.labels.left_out]))
    return study


def of_judged(file: LabelFile, pool: Pool, target: str | None, judging: Judging | None = None) -> LabelFile:
    """Return a file whose rows have the codes of the models that a column names, for labels of answers.

    Parameters
    ----------
    file : LabelFile
        As `core.labels.read` gives it.
    pool : Pool
        The pool of the list.
    target : str or None
        The target examined, if it is known.
    judging : Judging or None
        The judge that the list checks, if it checks one.

    Raises
    ------
    LabelError
        As `core.labels.models.of_models`.
    """
    names = _names(pool, target)
    if judging is not None and judging.criteria:
        return of_models(file, [*names, *(one.labelled_as for one in judging.criteria)], judging.target)
    return of_models(file, names, target or (names[0] if len(names) == 1 else ""))


def _without_verdict(rows: pd.DataFrame) -> str:
    """Say how many labels are no verdict, and what they say; "" if none is."""
    texts = [text for note in rows["note"] if (text := written(note)) is not None]
    if not texts:
        return ""
    there = listed([shown(text, 30) for text in list(dict.fromkeys(texts))[:_MOST]])
    return f": {counted(len(texts), 'label is', 'labels are')} no verdict ({there}{', …' * (len({*texts}) > _MOST)})"


def _together(files: Sequence[LabelFile]) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Return the rows of files, and a note if files that name nobody disagree: then each counts as a person's."""
    rows = pd.concat([one.rows.assign(source=one.source) for one in files], ignore_index=True)
    if len(files) < 2:
        return rows, ()
    names = [one.name or f"file {number}" for number, one in enumerate(files, start=1)]
    names = [
        name if names.count(name) == 1 else f"{name} (file {number})" for number, name in enumerate(names, start=1)
    ]
    rows["file"] = [name for name, one in zip(names, files, strict=True) for _ in range(len(one.rows))]
    unsigned = rows[rows["label"].notna() & (rows["status"] == "") & (rows["annotator"] == "")]
    unsigned = unsigned.assign(label=unsigned["label"].map(word_key))
    of_item = unsigned.groupby(["item_id", "answers_of", "kind"], dropna=False)
    if not ((of_item["label"].nunique() > 1) & (of_item["file"].nunique() > 1)).any():
        return rows, ()
    people = rows["annotator"].where(rows["annotator"] != "", rows["file"])
    several = listed([f"“{name}”" for name in dict.fromkeys(unsigned["file"])])
    note = f"The files {several} name no annotator and differ: each counts as the labels of another person."
    return rows.assign(annotator=people), (note,)


def _check(labels: Labelling, of_target: bool) -> str:
    """Check that every label of one kind is understood, unless none of its rows is of this list.

    Of labels about another target, the sentence says it: they do not count here.
    """
    try:
        labels.settlement  # noqa: B018
    except LabelError:
        return ""
    try:
        labels.check()
    except LabelError:
        if of_target:
            raise
        bad = labels.not_understood
        many = f"{counted(len(bad), 'label')} {'is' if len(bad) == 1 else 'are'} not understood"
        return f"Of the labels about “{labels.target}”, which do not count here, {many}: {cells.named(bad)}."
    return ""


def _check_none_asked(files: Sequence[LabelFile], targets: Sequence[str]) -> None:
    """Check that no file has labels of criteria, of which a list asks for none."""
    for one in files:
        if refusal := of_no_criterion(one, targets):
            raise LabelError(refusal)


def _check_criteria(rows: pd.DataFrame, names: Sequence[str], criteria: set[str]) -> str:
    """Check that every label is of a criterion of the list, or of another target of the pool.

    Of labels that name none, the sentence says for what they count.
    """
    of = rows.loc[rows["label"].notna(), ANSWERS_OF]
    given = of.dropna()
    there = listed([f"“{LABEL_OF}{name.removeprefix(CRITERION)}”" for name in sorted(criteria)])
    unknown = given[~given.isin(list(codes_of([*names, *criteria])))]
    if len(unknown):
        raise LabelError(
            f"{counted(len(unknown), 'label')} of this file are of no criterion of this list. The columns of its "
            f"criteria are {there}: correct the header."
        )
    unnamed = len(of) - len(given)
    if not unnamed:
        return ""
    names, count = ("names", "it counts") if unnamed == 1 else ("name", "they count")
    return (
        f"{counted(unnamed, 'label')} in “label” {names} no criterion: {count} for every one. Labels of one criterion "
        f"stand in its own column: {there}."
    )


def read_labels(file: object) -> LabelFile:
    """Read labels from whatever `labelled` takes."""
    if isinstance(file, LabelFile):
        return file
    if isinstance(file, bytes):
        return read(file)
    if isinstance(file, pd.DataFrame):
        frame = file if "item_id" in file or file.index.names == [None] else file.reset_index()
        if twice := [
            f"“{name}”" if name else "without a name" for name in frame.columns[frame.columns.duplicated()].unique()
        ]:
            raise LabelError(f"The table has several columns {listed(twice)}: keep one of each.")
        columns = {
            str(name): [_plain(value) for value in _cells(frame[name])] for name in frame.columns if name != "row"
        }
        rows = (dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True))
        return read_records(dict(enumerate(rows, start=1)), "The table")
    if not isinstance(file, str | Path):
        raise LabelError(f"Give the path of a file, its bytes or a DataFrame. Found a {type(file).__name__}.")
    path = Path(file)
    try:
        return read(path.read_bytes(), path.name)
    except (OSError, ValueError) as error:
        raise LabelError(f"“{path}” cannot be read ({error}). Check the path.") from None


def _cells(values: pd.Series) -> Iterable[object]:
    """Return the cells of a column; of numbers with few digits those digits."""
    narrow = isinstance(values.dtype, np.dtype) and values.dtype.kind == "f" and values.dtype.itemsize < 8
    return [float(str(value)) for value in values.to_numpy()] if narrow else values


def _plain(value: object) -> object:
    """Return a cell of a table as JSON has it; None for nothing."""
    if isinstance(value, list | tuple | np.ndarray):
        return [_plain(one) for one in value]
    if value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, np.floating):
        value = float(str(value))
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float) and not value.is_integer():
        # 0.1 + 0.2 is 0.3.
        value = float(f"{value:.15g}")
    return value if isinstance(value, str | int | float) else str(value)


def _names(pool: Pool, target: str | None, kind: str = "") -> list[str]:
    """List the targets of the pool, or all pairs of them for labels that compare, and the one given."""
    there = pair_names(pool.targets) if kind and KINDS[kind].compares else pool.targets
    return list(dict.fromkeys([*there, *([target] if target else [])]))


def _target_of(rows: pd.DataFrame, pool: Pool, kind: str, target: str | None, judging: Judging | None) -> str | None:
    """Find the target that the labels of a file are to examine; None if labels judge one that nobody names."""
    names = _names(pool, target, kind)
    criteria = set() if judging is None else {one.labelled_as for one in judging.criteria}
    judged = [name for name in assign_targets(rows, names)["target"].unique() if name in names]
    if KINDS[kind].compares and target in pool.targets:
        # The file says against whom.
        of_target = [name for name in judged if (pair := ModelPair.of(name, pool.targets)) and pair.one == target]
        target = of_target[0] if len(of_target) == 1 else target
    if kind == "gold":
        if target is None:
            choices = judged if len(judged) == 1 else names
            target = choices[0] if len(choices) == 1 else None
        check_target(pool, target)
    elif target is None and judged:
        if len(judged) > 1:
            raise LabelError(
                f"This file judges the answers of {listed([f'“{name}”' for name in judged])}. Name one: "
                f"{_choices(judged)}."
            )
        target = judged[0]
    elif target is None:
        target = names[0] if len(names) == 1 else None
    elif judged and target not in judged:
        other = next((name for name in judged if name not in criteria), None)
        if other is None:
            raise NoLabelError(f"The labels of this file are about “{judged[0]}”, none about “{target}”.")
        others = [name for name in judged if name not in criteria]
        stands_for = judging.target if judging is not None and target in criteria else ""
        whose = stands_for if stands_for and stands_for not in others else target
        raise LabelError(
            f"The labels of this file judge the answers of {listed([f'“{name}”' for name in others])}, not of "
            f"“{whose}”. Examine what they judge ({_choices(others)}), or label the answers of “{whose}”."
        )
    return target


def _choices(targets: Sequence[str]) -> str:
    """Say how each of the targets is chosen, in Python and in the shell."""
    return " or ".join(f'target="{name}", --target {shell_line([name])}' for name in targets[:_MOST])
