"""The list that checks a judge: which items people label, what they see, and what they say (docs/judge.md, 2)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ..archive.archive import Archive
from ..design.design import Design, Plan, drawn
from ..design.judging import FAIL, PASS, Criterion, Judging, class_labels, n_strata
from ..design.sampling import permanent_random_numbers, some_seed
from ..design.scheme import PAPER, pool_profile, weights_of_items, whole
from ..errors import DesignError, LabelError, NoLabelError
from ..labels.criteria import asked, asked_kind, asked_pool, with_columns
from ..labels.kinds import RIGHT, RIGHT_WRONG, WRONG
from ..labels.targets import ANSWERS_OF, target_code
from ..labels.texts import columns_of
from ..labels.vocabulary import contradictions
from ..pool.pool import Pool
from ..stratification.equal_mass import bands
from ..stratification.profiles import Stratification
from ..study import files
from ..study.files import LabelSource, labelled_as_usual
from ..study.labelling import Labelling
from ..study.record import pool_of
from ..study.study import Study
from ..words.scale import GradeScale
from ..words.verdict_words import number_in, spelling, word_key
from .belief import forecast
from .decision import check_other
from .grades import JudgeGrades, grade_classes, grades_of
from .judge_verdicts import JudgeVerdicts, judges_own, judging_of, meanings, said_in, verdicts, verdicts_of
from .judgement import ELSEWHERE, WORDS, Judgement
from .measures import TNR

LEAST_BUDGET = 4
# Labels that each band of like weight in a class takes.
LABELS_OF_A_BAND = 4
# The column of a pool that says how likely each item fails, whatever made it; with a judge's name before it, of that
# judge alone.
RISK = "risk"
HumanLabels: TypeAlias = Mapping[str, bool | str | float] | LabelSource | Study


def judge(
    pool: Pool,
    column: str | Criterion | Sequence[Criterion],
    budget: int,
    risk: ArrayLike | str | None = None,
    seed: int | None = None,
    *,
    threshold: float | None = None,
    words: Mapping[str, str] = MappingProxyType({}),
    target: str | None = None,
    scale: GradeScale | tuple[float, float] | str | None = None,
) -> Plan:
    """Draw the items that people label, to find out how far a judge can be trusted.

    Parameters
    ----------
    pool : Pool
        With a verdict of the judge on every item.
    column : str, Criterion or several
        The judge: a column of the items, or a target whose outcomes a judge gave (`core.judge.verdicts`). Or a
        criterion with its rubric; or several, which people decide on one pass through the items: the list is drawn for
        the one whose rate of failures caught would be known worst.
    budget : int
        M ≥ 4, the number of labels.
    risk : (N,) float or str, optional
        How doubtful each verdict is, the higher the more, or the column that says so. By default the judge's score,
        else the column “risk”, else the semantic entropy of the pool's generations; without any of these each class of
        verdicts is one stratum.
    seed : int, optional
        At least 0; without it a random one, which the plan records.
    threshold : float, optional
        The score from which on the judge passes, if it gives other numbers than 0 and 1.
    words : mapping, optional
        What other words than pass and fail mean, as ``{"gut": "pass"}``.
    target : str, optional
        The target whose answers the judge has seen and people are shown; by default ``column`` if it is a target, or
        the only one of the pool that has answers.
    scale : (float, float), optional
        The worst and the best grade, such as (1, 5), of a judge that grades. People grade on it too, and items with the
        same or neighbouring grades are strata.

    Returns
    -------
    Plan
        Hand it to ``neyman.judge.request`` for the list, and to ``neyman.judged`` with the labels; of grades to
        ``neyman.judge.graded``.

    Raises
    ------
    DesignError
        The budget is out of its range, there is no such target, or as `core.judge.verdicts`, and of grades as
        `core.judge.grades.grades_of`.
    """
    if scale is not None:
        if not isinstance(column, str) or threshold is not None or words:
            raise DesignError(
                "A judge that grades is one column, without a threshold and words for pass and fail: leave these out, "
                "or the scale. Criteria pass or fail; check each column of grades with a list of its own."
            )
        return _graded_list(pool, column, budget, risk, seed, target, GradeScale.read(scale))
    criteria = () if isinstance(column, str) else (column,) if isinstance(column, Criterion) else tuple(column)
    if len(criteria) > 1:
        pool.check_unweighted("A list for several criteria")
    if criteria and threshold is not None:
        raise DesignError("Several criteria have no common threshold. Give each criterion its threshold.")
    read = [verdicts_on(pool, one, words) for one in criteria] or [verdicts(pool, str(column), threshold, words)]
    number, labels = _seed_and_labels(pool, budget, seed)
    _check_apart(criteria)
    said = max(read, key=lambda one: forecast(one.n_fail, one.n_pass, labels).half_width(TNR)) if criteria else read[0]
    doubt = _risk(pool, said.judge, said.scores, risk)
    classes = [np.flatnonzero(said.fails), np.flatnonzero(~said.fails)]
    weights = pool.weights
    share = None if weights is None else float(weights[said.fails].sum() / weights.sum())
    shared = class_labels(classes[0].size, classes[1].size, labels, share)
    stratum = _strata(classes, shared, doubt, number, weights)
    failing = int(stratum[classes[0]].max(initial=-1)) + 1
    judging = Judging(said.judge, failing, said.threshold, _target(pool, said.target, target), criteria)
    return _drawn(pool, Design(labels, seed=number, judging=judging), _described(stratum, doubt))


def _graded_list(
    pool: Pool,
    column: str,
    budget: int,
    risk: ArrayLike | str | None,
    seed: int | None,
    target: str | None,
    scale: GradeScale,
) -> Plan:
    """Draw the items that people grade as the judge did; parameters as in `judge`."""
    grades, scored = grades_of(pool, column, scale)
    number, labels = _seed_and_labels(pool, budget, seed)
    judging = Judging(column, 0, target=_target(pool, scored, target), scale=scale)
    weights = pool.weights
    classes = grade_classes(grades, judging, labels, weights)
    mass = None if weights is None else np.array([weights[one].sum() for one in classes])
    shared = judging.shares(np.array([one.size for one in classes]), labels, mass)
    stratum = _strata(classes, shared.tolist(), _risk(pool, column, None, risk), number, weights)
    strata = _described(stratum, grades)
    # Of a class's strata all have its grades.
    of_class = [(grades[one].min(), grades[one].max(), np.unique(stratum[one]).size) for one in classes]
    low, high = (np.repeat(ends, [count for *_, count in of_class]) for ends in list(zip(*of_class, strict=True))[:2])
    return _drawn(pool, Design(labels, seed=number, judging=judging), replace(strata, low=low, high=high))


def _seed_and_labels(pool: Pool, budget: int, seed: int | None) -> tuple[int, int]:
    number = some_seed() if seed is None else whole("seed", seed, 0)
    labels = whole("budget", budget, LEAST_BUDGET)
    if labels > pool.n_items:
        raise DesignError(f"The budget of {labels:,} labels is above the number of items, {pool.n_items:,}.")
    return number, labels


def _drawn(pool: Pool, design: Design, strata: Stratification) -> Plan:
    weights = None if pool.weights is None else weights_of_items(pool.weights)
    weighted = replace(design, weights=weights)
    return replace(drawn(weighted, pool.items_digest, pool.ids, strata, strata.of_level), pool=pool)


def follows_risk(plan: Plan) -> bool:
    """Whether the strata of a list that checks a judge are cut along a risk."""
    return bool(np.isfinite(plan.strata.low).any())


def verdicts_on(pool: Pool, criterion: Criterion, words: Mapping[str, str] = MappingProxyType({})) -> JudgeVerdicts:
    """Read a judge's verdicts on a criterion.

    Parameters
    ----------
    pool : Pool
        The pool.
    criterion : Criterion
        What is judged.
    words : mapping, optional
        As in `core.judge.verdicts`; the criterion's own come first.

    Raises
    ------
    DesignError
        As `core.judge.verdicts`.
    """
    said = dict(words)
    if criterion.passing is not None:
        said |= meanings(pool, criterion.column, criterion.passing)
    return verdicts(pool, criterion.column, criterion.threshold, said)


def _check_apart(criteria: Sequence[Criterion]) -> None:
    """Check that criteria have different names and columns."""
    for what in ("name", "column"):
        given = [getattr(one, what) for one in criteria]
        twice = next((one for one in given if given.count(one) > 1), None)
        if twice is not None:
            raise DesignError(f"Two criteria have the {what} “{twice}”. Give each its own.")


def _risk(
    pool: Pool, judge: str, scores: NDArray[np.float64] | None, risk: ArrayLike | str | None
) -> NDArray[np.float64] | None:
    """Return how doubtful each verdict is; None if nothing says so."""
    if isinstance(risk, str):
        return _column(pool, risk)
    if risk is not None:
        try:
            given = np.asarray(risk, dtype=np.float64)
        except (TypeError, ValueError):
            raise DesignError("The risk must be numbers, one for each item.") from None
        if given.shape != (pool.n_items,):
            raise DesignError(f"There are {given.size:,} risks for {pool.n_items:,} items. Give one for each item.")
        return given
    if scores is not None:
        return -scores
    for name in (f"{judge} {RISK}", RISK):
        if name in pool.item_columns:
            return _column(pool, name)
    return pool_profile(pool, PAPER).signal if pool.n_generations else None


def _column(pool: Pool, name: str) -> NDArray[np.float64]:
    if name not in pool.item_columns:
        raise DesignError(f"This pool has no column “{name}” for the risk. Leave risk out, or name one that it has.")
    try:
        return np.array([math.nan if one in (None, "") else float(one) for one in pool.items[name]])
    except (TypeError, ValueError):
        raise DesignError(f"The column “{name}” is no risk: it must hold numbers.") from None


def _strata(
    classes: Sequence[NDArray[np.int64]],
    shared: Sequence[int],
    risk: NDArray[np.float64] | None,
    seed: int,
    weights: NDArray[np.float64] | None,
) -> NDArray[np.int64]:
    """Stratum of every item: those of each class along the risk, as many as its share of the labels allows.

    Of items with weights, each band of like weight in a class is cut like a class.
    """
    size = sum(places.size for places in classes)
    # Not the numbers by which items are drawn: of equal risks, the first drawn would all be in the lower stratum.
    ties = permanent_random_numbers(seed, size, wave=2)
    stratum, first = np.empty(size, dtype=np.int64), 0
    pairs = list(zip(classes, shared, strict=True))
    if weights is not None:
        pairs = [one for places, labels in pairs for one in _bands(places, labels, weights)]
    for places, labels in pairs:
        if places.size:
            of_class = None if risk is None else risk[places]
            parts = 1 if of_class is None or np.unique(of_class[~np.isnan(of_class)]).size < 2 else n_strata(labels)
            order = places if of_class is None else places[np.lexsort((ties[places], of_class))]
            for part in np.array_split(order, parts):
                stratum[part] = first
                first += 1
    return stratum


def _bands(
    places: NDArray[np.int64], labels: int, weights: NDArray[np.float64]
) -> Iterator[tuple[NDArray[np.int64], int]]:
    """Cut a class into bands of like weight and equal mass, each with its share of the labels."""
    if not places.size:
        return
    band = bands(weights[places], max(1, labels // LABELS_OF_A_BAND))
    for number in range(int(band.max()) + 1):
        inside = places[band == number]
        yield inside, round(labels * float(weights[inside].sum() / weights[places].sum()))


def _described(stratum: NDArray[np.int64], risk: NDArray[np.float64] | None) -> Stratification:
    sizes = np.bincount(stratum).astype(np.int64)
    ends = np.full((2, sizes.size), math.nan)
    if risk is not None:
        ends = pd.Series(risk).groupby(stratum).agg(["min", "max"]).to_numpy(dtype=np.float64).T
    # Without generations there is no self-consistency: 1/2, as elsewhere.
    return Stratification(stratum, sizes, np.full(sizes.size, 0.5), ends[0], ends[1], by_item=True)


def _target(pool: Pool, scored: str, target: str | None) -> str:
    if target is not None and target not in pool.targets:
        raise DesignError(f"This pool has no target “{target}”.")
    if target is not None or scored:
        return target or scored
    answered = pool.targets.answered
    return answered[0] if len(answered) == 1 else ""


def request(plan: Plan, criterion: str | None = None) -> pd.DataFrame:
    """Give the list to hand out to the people who label; it shows nothing that the judge says.

    Parameters
    ----------
    plan : Plan
        Of `core.judge.judge`.
    criterion : str, optional
        Of several criteria the only one to be decided, for tools that take one label an item; by default all.

    Returns
    -------
    DataFrame
        A row each item in labelling order: position, item_id, plan_id, what the pool has of group, prompt, choices and
        image, the answer as target_answer, and an empty label, to be filled with pass or fail; of several criteria, a
        column “label: NAME” each. Of a judge that grades, the label is a grade on its scale.

    Raises
    ------
    DesignError
        The plan checks no judge.
    """
    judging = judging_of(plan)
    one = None if criterion is None else judging.criterion(criterion)
    known, target = asked_pool(judging, pool_of(plan)), asked(judging)[0] if one is None else one.labelled_as
    if target in known.targets:
        frame = files.request(replace(plan, pool=known), asked_kind(judging), target)
        prompt = columns_of(known, judging.judge).get("prompt")
        if prompt is not None:
            frame["prompt"] = known.rows(known.places(frame["item_id"]))[prompt].array
    else:
        frame = files.request(plan, "gold")
    if one is None and len(judging.criteria) > 1:
        return with_columns(frame, judging.criteria)
    return frame.assign(label="") if one is None else frame.assign(**{ANSWERS_OF: target_code(target), "label": ""})


def judged(
    plan: Plan,
    labels: HumanLabels,
    words: Mapping[str, str] = MappingProxyType({}),
    beside: str | JudgeVerdicts | None = None,
    criterion: str | None = None,
) -> Judgement:
    """Hold a judge against people's labels.

    Parameters
    ----------
    plan : Plan
        Of `core.judge.judge`.
    labels : mapping, file or Study
        Item id → whether people pass the item: True or False, 1 or 0, "pass" or "fail"; None or NaN is no label, and
        items outside the list are ignored. Or a filled list, as `core.study.labelled` reads them: a path, bytes, a
        DataFrame or `core.labels.LabelFile`, or several of them; or a study, which has read its labels.
    words : mapping, optional
        What other words of a file mean, as ``{"gut": "pass"}``. Of words that always mean the same where people say
        them, such as 1 and “no”, the judge's alone.
    beside : str or JudgeVerdicts, optional
        Another judge, compared on the same labelled items: a column or target of the plan's pool whose verdicts are
        words (``words`` count here too) or 0 and 1, or what `core.judge.verdicts` reads of it.
    criterion : str, optional
        Which of several criteria; by default the one that the list was drawn for.

    Raises
    ------
    DesignError
        The plan checks no judge, or the other judge cannot be read or is the same.
    LabelError
        No label is of an item of the list, one of the verdicts has no label, or as `core.study.labelled`.
    """
    judging = judging_of(plan)
    if judging.scale is not None:
        raise DesignError("People grade on this list: read its labels with neyman.judge.graded(plan, labels).")
    if twice := contradictions(words):
        raise LabelError(twice)
    second = verdicts(pool_of(plan), beside, words=words) if isinstance(beside, str) else beside
    chosen = judging.planned if criterion is None else judging.criterion(criterion)
    if second is not None:
        check_other(judging.judge if chosen is None else chosen.column, second, pool_of(plan).n_items)
    other = None
    if chosen is not None and chosen.column != judging.judge:
        other = verdicts_on(pool_of(plan), chosen, words)
    if isinstance(labels, Study):
        return Judgement(labels, other, second)
    target = judging.target or None if chosen is None else chosen.labelled_as
    source = _rows(plan, labels, chosen) if isinstance(labels, Mapping | pd.Series) else labels
    columns = [(judging.judge, judging.threshold), *((one.column, one.threshold) for one in judging.criteria)]
    # Of a judge that gives scores, what grades mean is said of people's.
    without = [column for column, threshold in columns if threshold is None]
    own = judges_own(pool_of(plan), verdicts_of(plan), without, words)
    everything = {spelling(word): {PASS: RIGHT, FAIL: WRONG}.get(meaning, meaning) for word, meaning in words.items()}
    said = {word: meaning for word, meaning in everything.items() if word not in set(map(spelling, own))}
    known = replace(plan, pool=asked_pool(judging, pool_of(plan)))
    there = said_in(pool_of(plan), [*(column for column, _ in columns), *([beside] if isinstance(beside, str) else [])])
    usual = WORDS | {word: meaning for word, meaning in said.items() if word_key(word) in there}
    said = {word: meaning for word, meaning in said.items() if word not in usual}
    try:
        study = labelled_as_usual(known, source, target, RIGHT_WRONG.name, said, usual)
    except NoLabelError:
        raise
    except LabelError:
        if not own or not all(number_in(word) is not None for word in own):
            raise
        # People grade on the judge's scale: its numbers are theirs.
        study = labelled_as_usual(known, source, target, RIGHT_WRONG.name, {}, WORDS | everything)
    return Judgement(study, other, second)


def graded(
    plan: Plan, labels: HumanLabels, words: Mapping[str, str] = MappingProxyType({}), at_least: float | None = None
) -> JudgeGrades:
    """Hold a judge that grades against people's grades.

    Parameters
    ----------
    plan : Plan
        Of ``core.judge.judge(…, scale=…)``.
    labels : mapping, file or Study
        As in `judged`, with grades on the plan's scale.
    words : mapping, optional
        What words of a file mean, as of `core.study.labelled`.
    at_least : float, optional
        The grade from which on an answer is good; by default three quarters up the scale.

    Raises
    ------
    DesignError
        The plan checks no judge that grades, or ``at_least`` is off the scale.
    LabelError
        No label is of an item of the list, some items of one stratum have no label, or as `core.study.labelled`.
    """
    judging = judging_of(plan)
    if judging.scale is None:
        raise DesignError("The judge of this list passes and fails: read its labels with neyman.judged.")
    if isinstance(labels, Study):
        study = labels
    else:
        source = _rows(plan, labels, None, _number) if isinstance(labels, Mapping | pd.Series) else labels
        known = replace(plan, pool=asked_pool(judging, pool_of(plan)))
        study = labelled_as_usual(known, source, judging.target or None, asked_kind(judging), words, {})
    return JudgeGrades(study if at_least is None else Study(replace(study.labels, threshold=at_least)))


def by_criterion(
    plan: Plan,
    labels: HumanLabels,
    words: Mapping[str, str] = MappingProxyType({}),
    beside: str | JudgeVerdicts | None = None,
) -> dict[str, Judgement]:
    """Hold a judge against people's labels on each criterion of a list.

    Parameters
    ----------
    plan, labels, words, beside
        As in `judged`; a mapping says the same of every criterion. Lists of one criterion each, of `request`, are given
        together.

    Returns
    -------
    dict of str to Judgement
        By the criterion's name, in their order. A criterion is left out while it has no label, or none on one of the
        judge's verdicts; the remarks of the others say so, and why.

    Raises
    ------
    DesignError
        The list has no criteria, or as `judged`.
    LabelError
        No criterion has labels that say anything, or as `judged`.
    """
    results, waiting = each_criterion(plan, labels, words, beside)
    left_out = tuple(f"Criterion “{name}” has no result: {why}" for name, why in waiting.items())
    return {name: with_notes(one, left_out) for name, one in results.items()}


def each_criterion(
    plan: Plan,
    labels: HumanLabels,
    words: Mapping[str, str] = MappingProxyType({}),
    beside: str | JudgeVerdicts | None = None,
) -> tuple[dict[str, Judgement], dict[str, NoLabelError]]:
    """Hold a judge against people's labels on each criterion as `by_criterion`, and say of the others what is missing.

    Parameters
    ----------
    plan, labels, words, beside
        As in `by_criterion`, with the same errors.

    Returns
    -------
    tuple of dict
        By the criterion's name the judgements, and why there is none of the others.
    """
    judging = plan.design.judging
    if judging is None or not judging.criteria:
        raise DesignError("This list has no criteria. Draw one with neyman.judge(pool, [Criterion(…), …], budget).")
    results, waiting = dict[str, Judgement](), dict[str, NoLabelError]()
    for one in judging.criteria:
        try:
            results[one.name] = judged(plan, labels, words, beside, one.name)
        except NoLabelError as error:
            waiting[one.name] = error
    if not results:
        raise next(iter(waiting.values()))
    return results, waiting


def with_notes(one: Judgement, notes: tuple[str, ...]) -> Judgement:
    """Return the judgement with notes that its remarks repeat."""
    labels = one.study.labels
    return replace(one, study=replace(one.study, labels=replace(labels, notes=(*labels.notes, *notes))))


def labelling(archive: Archive, plan: Plan, pool: Pool, criterion: str | None = None) -> Labelling:
    """Read the kept labels of a list that checks a judge.

    Parameters
    ----------
    archive : Archive
        Where labels are kept.
    plan : Plan
        Of `core.judge.judge`.
    pool : Pool
        Its pool, with the answers of targets that were run since.
    criterion : str, optional
        As in `judged`.
    """
    judging, target, kind = plan.design.judging, None, RIGHT_WRONG.name
    known = asked_pool(judging, pool)
    if judging is not None:
        kind = asked_kind(judging)
        chosen = judging.planned if criterion is None else judging.criterion(criterion)
        target = asked(judging)[0] if chosen is None else chosen.labelled_as
    return Labelling.load(archive, plan, known, kind, target if target in known.targets else None)


def _rows(
    plan: Plan,
    labels: Mapping[str, bool | str | float] | pd.Series,
    criterion: Criterion | None,
    write: Callable[[float], str] = lambda number: {1.0: RIGHT, 0.0: WRONG}.get(number) or _number(number),
) -> pd.DataFrame:
    """Rows of a file, of the items of the list, as labels of a criterion if there are several."""
    listed = {str(item) for item in plan.ids}
    said = {str(item): _text(label, write) for item, label in labels.items()}
    rows = [(item, text) for item, text in said.items() if item in listed and text]
    if not rows:
        raise LabelError(ELSEWHERE) if any(said.values()) else NoLabelError("No item has a label yet.")
    frame = pd.DataFrame(rows, columns=["item_id", "label"])
    return frame if criterion is None else frame.assign(**{ANSWERS_OF: target_code(criterion.labelled_as)})


def _text(label: object, write: Callable[[float], str]) -> str:
    """A label as text; "" for none."""
    if label is None or label is pd.NA or label != label:
        return ""
    if isinstance(label, str):
        return label
    return write(float(label))  # type: ignore[arg-type]


def _number(number: float) -> str:
    return f"{number:.15g}"
