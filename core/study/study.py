"""A plan with its labels: settled, estimated, compared, topped up."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from core.archive.label_log import COLUMNS
from core.design.design import Plan
from core.errors import DesignError, LabelError
from core.estimation.efficiency import TopUp
from core.estimation.groups import domains
from core.estimation.mean import Estimate
from core.labels.kinds import canonical
from core.labels.outcomes import losses
from core.labels.reader import read
from core.labels.right_answers import answer_pairs
from core.labels.targets import ANSWERS_OF, assign_targets, relevant
from core.study import metrics as measured
from core.study.comparison import Comparison, Judged, compare
from core.study.labelling import Labelling, pool_of
from core.study.metrics import Answered, Metrics
from core.study.outcomes import Outcomes
from core.study.partial import Partial, partial
from core.study.provenance import Provenance, provenance
from core.study.readings import split
from core.study.result import Result
from core.words import counted, listed

_BASES = {
    "gold": "labels that say what is right",
    "right-wrong": "labels that say right or wrong",
    "score": "labels that score",
}
_POOL = "the outcomes that the pool knows"


@dataclass(frozen=True, eq=False, repr=False)
class Study(Labelling):
    """A plan with its labels, and what follows from them.

    Values are on the scale that people read: accuracy (1 − loss), or the mean score where labels are scores. Every
    estimate raises :class:`core.errors.DesignError` while a stratum has no label; `partial` then says what is missing.
    The fields are those of `core.study.Labelling`.
    """

    def __repr__(self) -> str:
        """Show the estimate in a line and the strata, or why there is no estimate."""
        waiting = np.flatnonzero(self.outcomes.counts == 0)
        if not waiting.size:
            return repr(self.result())
        strata = f"{'stratum' if waiting.size == 1 else 'strata'} {listed([str(h) for h in waiting])}"
        return f"No estimate yet: no label of {strata}; {counted(len(self.outcomes.table), 'label')}"

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """Right answers and answers of the target, of `core.labels.answer_pairs`; empty unless labels are "gold"."""
        labels = self.settlement.labels
        if self.kind != "gold":
            return labels.head(0)
        return answer_pairs(labels, self.answers, self.pool.items, self.parser)

    @cached_property
    def unknown(self) -> tuple[str, ...]:
        """Ids with a right answer to which no answer of the target is known."""
        return tuple(item for item in self._right_answers if item not in self.answers)

    @cached_property
    def unreadable(self) -> tuple[str, ...]:
        """Ids whose right answer cannot be read, though an answer of the target is known."""
        comparable = set(self.pairs["item_id"])
        return tuple(item for item in self._right_answers if item in self.answers and item not in comparable)

    @property
    def _right_answers(self) -> tuple[str, ...]:
        """Ids of the settled right answers."""
        return tuple(self.settlement.labels["item_id"]) if self.kind == "gold" else ()

    @cached_property
    def values(self) -> pd.DataFrame:
        """A row for each settled label: item_id, label, value (1 − loss; NaN: not known), position, stratum."""
        table = losses(self.settlement, self.answers, self.pool.items, self.parser)
        # Also where the target gave no answer: what is right is not known.
        table.loc[table["item_id"].isin(self.unreadable), "loss"] = np.nan
        positions = self.pool.items.index.get_indexer(pd.Index(table["item_id"]))
        table = table.assign(value=1.0 - table["loss"], position=positions, stratum=self.plan.stratum[positions])
        return table.drop(columns="loss")

    @cached_property
    def outcomes(self) -> Outcomes:
        """The items whose value is known: the sample from which everything is estimated."""
        table = self.values[self.values["value"].notna()].reset_index(drop=True)
        columns = ["item_id", "position", "stratum", "value"]
        return Outcomes(self.plan, table[columns], self.target or "", self.measure, self.interval)

    def estimate(self, confidence: float | None = None) -> Estimate:
        """Accuracy (or mean score) on the whole pool, with its interval.

        Parameters
        ----------
        confidence : float, optional
            In (0, 1); by default the one of ``interval``.

        Raises
        ------
        DesignError
            A stratum has no label.
        """
        interval = self.interval if confidence is None else replace(self.interval, confidence=confidence)
        return replace(self.outcomes, interval=interval).estimate

    def by(self, column: str = "group") -> pd.DataFrame:
        """Estimates for each group of items, of `core.estimation.domains`.

        Parameters
        ----------
        column : str
            Of the items of the pool.
        """
        items, sample = self.pool.items, self.outcomes
        if column not in items:
            raise DesignError(f"The items of this pool have no “{column}”: choose one of {', '.join(items.columns)}.")
        groups = items[column].tolist()
        return domains(sample.values, sample.positions, self.plan.stratum, groups, sample.careful)

    def compare(self, other: str) -> Comparison:
        """Another target on the same labelled items, judged by what is known of most of them; labels come first.

        Raises
        ------
        DesignError
            No item is judged for both.
        """
        values = self.values
        first = Judged(self.target or "", values["value"].to_numpy(dtype=float), _BASES[self.kind])
        sources = [self._by_labels(other)]
        if self.interval.bounded:
            sources.append(self._by_pool(other))
        second = max(sources, key=lambda source: int((~np.isnan(source.values)).sum()))
        sizes, weights = self.plan.strata.sizes, self.plan.weights
        return compare(
            first, second, values["stratum"], sizes, measure=self.measure, interval=self.interval, weights=weights
        )

    @property
    def positives(self) -> tuple[str, ...]:
        """Answers that precision and recall can be asked of; none unless labels say what is right."""
        return measured.closed(self.pairs["true"].tolist()) if self.kind == "gold" and self.target is not None else ()

    def metrics(self, positive: str) -> Metrics:
        """Precision, recall and F1 of one answer.

        Raises
        ------
        DesignError
            A stratum has no label.
        """
        pairs = self.pairs
        strata = self.plan.stratum[self.pool.items.index.get_indexer(pd.Index(pairs["item_id"]))]
        said, true, sizes = pairs["said"].tolist(), pairs["true"].tolist(), self.plan.strata.sizes
        return measured.metrics(said, true, positive, strata, sizes, target=self.target or "", interval=self.interval)

    def answered(self) -> Answered | None:
        """Accuracy where the target answered; None where it answered every item, or where scores have no bounds."""
        sample = self.outcomes
        gave = [self.answers.get(item, "") is not None for item in sample.table["item_id"]]
        if all(gave) or self.unbounded:
            return None
        sizes = self.plan.strata.sizes
        return measured.answered(
            sample.values, gave, sample.strata, sizes, target=self.target or "", interval=self.interval
        )

    def partial(self) -> Partial | None:
        """Find what is missing where a stratum has no label; None where all have one."""
        return partial(self.outcomes, self.spare, self.lost)

    def top_up(self, half_width: float = 0.03) -> TopUp:
        """Labels for a wanted half-width of the interval, on the scale of the measure."""
        return self.result().top_up(half_width)

    def provenance(self) -> Provenance:
        """Where the labels come from."""
        return provenance(self.rows, self.settlement, self.unbounded, self.parser if self.kind == "gold" else None)

    def result(
        self, other: str | None = None, positive: str | None = None, half_width: float | None = None, made: str = ""
    ) -> Result:
        """All numbers at once, for a report.

        Parameters
        ----------
        other : str, optional
            Another target to compare with.
        positive : str, optional
            An answer for precision, recall and F1.
        half_width : float, optional
            A wanted half-width of the interval.
        made : str
            When and by whom, in words.

        Raises
        ------
        DesignError
            A stratum has no label, or as `compare`, `metrics` and `top_up`.
        """
        sample = self.outcomes
        result = Result(
            sample.plan,
            sample.table,
            sample.target,
            sample.measure,
            sample.interval,
            pool=self.pool.name,
            manifest=json.loads(self.manifest),
            groups=self.by() if "group" in self.pool.items else None,
            undecided=len(self.undecided),
            made=made,
            comparison=None if other is None else self.compare(other),
            metrics=None if positive is None else self.metrics(positive),
            answered=self.answered(),
        )
        return result if half_width is None else replace(result, more=result.top_up(half_width))

    def _by_labels(self, other: str) -> Judged:
        """Another target by labels of the same kind; right answers serve every target."""
        ids = self.values["item_id"].tolist()
        if self.kind == "gold":
            asked = replace(self, target=other)
            table = losses(self.settlement, asked.answers, self.pool.items, self.parser)
        else:
            rows = relevant(self.log, self.kind, other)
            # A label that names no target counts for the first one already.
            rows = rows[(rows["target"] == other) & rows["item_id"].isin(ids)]
            table = losses(self._settle(rows, tuple(ids)))
        values = 1.0 - table.set_index("item_id")["loss"].reindex(ids).to_numpy(dtype=float)
        return Judged(other, values, _BASES[self.kind])

    def _by_pool(self, other: str) -> Judged:
        """Another target by the outcomes of the pool, where they are right or wrong (for scores: from 0 to 1)."""
        outcome = np.array(self.pool.losses(other, self.parser)[self.values["position"]], dtype=float)
        known = outcome[~np.isnan(outcome)]
        fits = np.isin(known, (0.0, 1.0)) if self.kind != "score" else (known >= 0) & (known <= 1)
        return Judged(other, 1.0 - outcome if fits.all() else np.full(outcome.size, np.nan), _POOL)


def request(plan: Plan, kind: str = "right-wrong", target: str | None = None) -> pd.DataFrame:
    """Give the list of a plan, to hand out to the people who label.

    Parameters
    ----------
    plan : Plan
        Drawn from a pool.
    kind : str
        What a label says, of `core.labels.KINDS`.
    target : str, optional
        The model examined. "right-wrong" and "score" show its answers; items that it was not asked are left out.

    Returns
    -------
    DataFrame
        Of `core.labels.request`, for `core.labels.export`.

    Raises
    ------
    LabelError
        Answers are to be judged, and none of the target is known.
    """
    labelling = Labelling(plan, pool_of(plan), _EMPTY, kind, target, plan.design.scheme.parser)
    if kind != "gold" and not labelling.answers:
        known = ", ".join(labelling.pool.targets) or "none"
        raise LabelError(f"Labels of this kind judge answers: give a target whose answers the pool has ({known}).")
    return labelling.request()


def labelled(plan: Plan, file: str | Path | bytes, target: str | None = None, kind: str | None = None) -> Study:
    """Read the labels of a plan from a file.

    Parameters
    ----------
    plan : Plan
        Drawn from a pool.
    file : path or bytes
        A filled list (CSV, XLSX, JSON Lines), or an export of Label Studio, Argilla or Prodigy.
    target : str, optional
        The model examined; by default the one that the file names, or the only one of the pool.
    kind : str, optional
        What a label says, of `core.labels.KINDS`; by default what the file says. Without a kind: "right-wrong" if every
        label reads so, else "score" if the list showed the answers of a target, else "gold".

    Raises
    ------
    LabelError
        The file cannot be read, belongs to another plan or pool, or judges another target.
    """
    content = file if isinstance(file, bytes) else Path(file).read_bytes()
    returned = read(content, None if isinstance(file, bytes) else Path(file).name)
    rows = returned.rows
    pool, kind = pool_of(plan), kind or _kind_of(rows)
    targets = list(pool.targets)
    named = [name for name in assign_targets(rows, targets)["target"].unique() if name in targets]
    if target is None:
        choices = named if len(named) == 1 else targets
        target = choices[0] if len(choices) == 1 else None
    parts = split(rows, targets, kind, target).values()
    rows = pd.concat(parts).sort_index() if parts else rows.head(0).assign(target="")
    log = rows.assign(plan_id=rows["plan_id"].fillna(plan.plan_id), source=returned.source, created="")
    study = Study(plan, pool, log, kind, target, plan.design.scheme.parser, family=(plan.plan_id,))
    if study.relevant["label"].isna().all():
        about = f" about “{target}”" if study.judged else ""
        raise LabelError(f"No label of this file is of the kind “{kind}”{about}: give its kind and its target.")
    study.settle(study.relevant)
    return study


_EMPTY = pd.DataFrame(columns=list(COLUMNS), dtype=object)


def _kind_of(rows: pd.DataFrame) -> str:
    """Find the kind of label that the rows of a file are, as they say or as they read."""
    said = rows["kind"].dropna().unique()
    if len(said) == 1:
        return str(said[0])
    if len(said) > 1:
        raise LabelError(f"This file holds labels of several kinds ({', '.join(said)}): say which of them to use.")
    given = rows["label"].dropna()
    if len(given) and all(canonical(str(label), "right-wrong") is not None for label in given):
        return "right-wrong"
    return "score" if rows[ANSWERS_OF].notna().any() else "gold"
