"""From a list that checks a judge to its labels: what people see, and what they say."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import pandas as pd

from ..archive.archive import Archive
from ..design.design import Plan
from ..design.judging import FAIL, PASS
from ..errors import DesignError, LabelError
from ..labels.kinds import RIGHT, RIGHT_WRONG, WRONG
from ..pool.pool import Pool
from ..pool.verdict_words import spelling
from ..study.files import LabelSource, labelled
from ..study.files import request as study_request
from ..study.labelling import Labelling
from ..study.record import pool_of
from ..study.study import Study
from .columns import JudgeVerdicts, verdicts
from .comparison import check_other
from .judgement import Judgement
from .remarks import WORDS
from .tally import ELSEWHERE
from .texts import columns_of

HumanLabels = Mapping[str, bool | str | float] | LabelSource | Study


def request(plan: Plan) -> pd.DataFrame:
    """Give the list to hand out to the people who label; it shows nothing that the judge says.

    Parameters
    ----------
    plan : Plan
        Of `core.judge.judge`.

    Returns
    -------
    DataFrame
        A row each item in labelling order: position, item_id, plan_id, what the pool has of group, prompt, choices and
        image, the answer as target_answer, and an empty label, to be filled with pass or fail.

    Raises
    ------
    DesignError
        The plan checks no judge.
    """
    judging = plan.design.judging
    if judging is None:
        raise DesignError("This list checks no judge. Draw one with neyman.judge(pool, column, budget).")
    pool = pool_of(plan)
    if judging.target:
        frame = study_request(plan, RIGHT_WRONG.name, judging.target)
    else:
        frame = study_request(plan, "gold")
        texts, rows = columns_of(pool, judging.judge), pool.rows(plan.positions)
        if "prompt" in texts:
            frame["prompt"] = rows[texts["prompt"]].array
        if "output" in texts:
            frame["target_answer"] = rows[texts["output"]].array
    return frame.assign(label="")


def judged(
    plan: Plan,
    labels: HumanLabels,
    words: Mapping[str, str] = MappingProxyType({}),
    beside: str | JudgeVerdicts | None = None,
) -> Judgement:
    """Hold a judge against people's labels.

    Parameters
    ----------
    plan : Plan
        Of `core.judge.judge`.
    labels : mapping, file or Study
        Item id → whether people pass the item: True or False, 1 or 0, "pass" or "fail"; None or NaN is no label, and
        items outside the list are ignored. Or a filled list, as `core.study.labelled` reads them: a path, bytes, a
        DataFrame or `core.labels.LabelFile`, or several of them; or a study, whose labels are read already.
    words : mapping, optional
        What other words of a file mean, as ``{"gut": "pass"}``.
    beside : str or JudgeVerdicts, optional
        Another judge, compared on the same labelled items: a column or target of the plan's pool whose verdicts are
        words (``words`` count here too) or 0 and 1, or what `core.judge.verdicts` reads of it.

    Raises
    ------
    DesignError
        The plan checks no judge, or the other judge cannot be read or is the same.
    LabelError
        No label is of an item of the list, one of the verdicts has no label, or as `core.study.labelled`.
    """
    if plan.design.judging is None:
        raise DesignError("This list checks no judge. Draw one with neyman.judge(pool, column, budget).")
    second = verdicts(pool_of(plan), beside, words=words) if isinstance(beside, str) else beside
    if second is not None:
        check_other(plan, second)
    if isinstance(labels, Study):
        return Judgement(labels, beside=second)
    source = _rows(plan, labels) if isinstance(labels, Mapping | pd.Series) else labels
    said = {spelling(word): {PASS: RIGHT, FAIL: WRONG}.get(meaning, meaning) for word, meaning in words.items()}
    target = plan.design.judging.target or None
    return Judgement(labelled(plan, source, target, RIGHT_WRONG.name, words=WORDS | said), beside=second)


def labelling(archive: Archive, plan: Plan, pool: Pool) -> Labelling:
    """Read the kept labels of a list that checks a judge.

    Parameters
    ----------
    archive : Archive
        Where labels are kept.
    plan : Plan
        Of `core.judge.judge`.
    pool : Pool
        Its pool, with the answers of targets that were run since.
    """
    judging = plan.design.judging
    target = None if judging is None else judging.target or None
    return Labelling.load(archive, plan, pool, RIGHT_WRONG.name, target)


def _rows(plan: Plan, labels: Mapping[str, bool | str | float] | pd.Series) -> pd.DataFrame:
    """Rows of a file, of the items of the list."""
    listed = {str(item) for item in plan.ids}
    said = {str(item): _text(label) for item, label in labels.items()}
    rows = [(item, text) for item, text in said.items() if item in listed and text]
    if not rows:
        raise LabelError(ELSEWHERE if any(said.values()) else "No item has a label yet.")
    return pd.DataFrame(rows, columns=["item_id", "label"])


def _text(label: object) -> str:
    """A label as text; "" for none."""
    if label is None or label != label:
        return ""
    if isinstance(label, str):
        return label
    return {1.0: RIGHT, 0.0: WRONG}.get(float(label), str(label))  # type: ignore[arg-type]
