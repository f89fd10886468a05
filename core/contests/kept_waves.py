"""Labels of a contest's lists in the archive: kept under the plan of each wave, and read back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd

from ..archive.archive import Archive
from ..labels.formats.label_file import LabelFile
from ..labels.options import AnswerWords
from ..labels.targets import ANSWERS_OF, target_code
from ..labels.vocabulary import translated
from .choice import Best, Standing

_KEPT = ["item_id", "label", "annotator", "note", "status", "kind", "target"]


def keep(standing: Standing, archive: Archive, created: str) -> int:
    """Keep the labels of all waves; return how many were new or different.

    Parameters
    ----------
    standing : Standing
        Of `Best.decide`.
    archive : Archive
        Where plans and labels are kept.
    created : str
        ISO time.
    """
    changed = 0
    for study in standing.studies:
        log = study.labels.log
        for source, rows in log[log["item_id"].isin(study.labels.ids)].groupby("source"):
            changed += study.labels.save(archive, rows[_KEPT], str(source), created)
    return changed


def in_words(planned: Best, file: LabelFile, words: Mapping[str, str]) -> LabelFile:
    """Return a file of labels with its words read as somebody has said; ``words`` that it does not have do not count.

    Parameters
    ----------
    planned : Best
        The contest.
    file : LabelFile
        A filled list.
    words : mapping
        As in `core.study.labelled`.
    """
    rows = translated(file.rows, words, planned.kind, AnswerWords(planned.pool, planned.parser))
    return replace(file, rows=rows)


def with_kept(planned: Best, archive: Archive, files: Sequence[LabelFile] = ()) -> Standing:
    """Return what the kept labels and those of files decide; a file's label replaces a kept one by the same person.

    Parameters
    ----------
    planned : Best
        The contest.
    archive : Archive
        Where labels are kept.
    files : sequence of LabelFile
        Filled lists that are not kept yet.

    Raises
    ------
    LabelError
        As `Best.decide`.
    """
    kept, standing = list[LabelFile](), planned.unlabelled()
    for number in range(len(planned.contest.rule.sizes) + 1):
        if standing.next_wave is None:
            break
        one = _kept(archive, planned.plan(standing.next_wave).plan_id, files)
        kept += [one] if one is not None else []
        # Files are refused here if none is of the first list.
        if not kept and (number or not files):
            break
        before, standing = standing, planned.decide([*kept, *files])
        if len(standing.course.waves) == len(before.course.waves):
            break
    return standing


def _kept(archive: Archive, plan_id: str, files: Sequence[LabelFile]) -> LabelFile | None:
    """Return the kept labels of a plan that no file replaces; None if there are none."""
    rows = archive.labels.of(plan_id)
    if rows.empty:
        return None
    coded = rows["target"].map(lambda name: target_code(name) if name else None)
    rows = rows.assign(row=range(1, len(rows) + 1), **{ANSWERS_OF: coded})
    key = ["item_id", "annotator", ANSWERS_OF]
    given = pd.concat([one.rows for one in files]) if files else rows.head(0)
    given = given.loc[given["label"].notna() & given["plan_id"].isin([plan_id]), key]
    new = set(given.itertuples(index=False, name=None))
    rows = rows[[one not in new for one in rows[key].itertuples(index=False, name=None)]]
    return LabelFile(rows, "csv") if rows["label"].notna().any() else None
