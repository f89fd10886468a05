"""A plan with its labels: settled, estimated, compared, topped up."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from ..design.design import Plan
from ..design.two_waves import corrected
from ..errors import DesignError
from ..estimation.groups import domains, domains_carried
from ..estimation.intervals import Interval
from ..estimation.mean import Estimate
from ..estimation.top_ups import TopUp
from ..estimation.waves import Waves
from ..estimation.weighting import WeightedLabels
from ..figures import intervals
from ..figures.plot import Plot
from ..labels import requests
from ..labels.kinds import KINDS
from ..labels.vocabulary import statement, words_of
from ..pool.pool import Pool
from ..stratification.profiles import Profile
from ..words import listed, notebook, span
from ..words.scale import GradeScale
from . import metrics as measured
from .comparison import Comparison, Judged, compare
from .judged_pairs import JudgedPairs, judged_pairs
from .labelling import Labelling
from .metrics import Answered, Metrics
from .outcomes import Outcomes, in_unit
from .partial import Partial, partial
from .record import check_target
from .result import Result, unfinished
from .run_findings import TargetRuns, runs

# Columns by which nobody groups items.
_CONTENT = ("prompt", "choices", "image", "answer")
_POOL = "the outcomes that the pool knows"


@dataclass(frozen=True, eq=False, repr=False)
class Study:
    """A plan with its labels, and what follows from them.

    Values are on the scale that people read: accuracy (1 − loss), or the mean score if labels are scores. Every
    estimate raises :class:`core.errors.DesignError` while a stratum has no label; `partial` then says what is missing.

    Parameters
    ----------
    labels : Labelling
        The labels of a plan, read as one kind and for one target.
    """

    labels: Labelling

    def __repr__(self) -> str:
        """Show the estimate and the strata, or why there is none; then what became of the rows, if any is left out."""
        return "\n".join([repr(self.outcomes), *self.remarks])

    def _repr_html_(self) -> str:
        sample, left_out = self.outcomes, self.remarks
        waiting = self.partial()
        if waiting is not None:
            return notebook.table(repr(sample), waiting.strata, left_out)
        columns = ["stratum", "items", "planned", "labels", "value", "sd"]
        notes = [*filter(None, [sample.estimate.warning]), *left_out]
        return notebook.table(sample.line(), sample.shown_strata[columns], notes)

    @cached_property
    def runs(self) -> TargetRuns | None:
        """Runs of the target, if the pool has several of an item and knows right or wrong of every item; else None."""
        if self.target is None or self.target not in self.pool.targets:
            return None
        return runs(self.pool, self.target, self.labels.parser, self.labels.interval)

    @property
    def varies(self) -> bool:
        """Whether the target answers differently each time: labels are about the first run of each item."""
        return self.target is not None and self.target in self.pool.targets and self.pool.varies(self.target)

    @cached_property
    def judged_pairs(self) -> JudgedPairs | None:
        """The verdicts that the pool has on every pair, a judge's for instance, against people's; else None."""
        return judged_pairs(self.labels, self.outcomes)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Show the rest of the list, the fate of the rows that came in, their words, and why some do not count."""
        words, outcomes, later = statement(words_of(self.labels.rows)), self.outcomes, len(self.labels.not_yet)
        left = ""
        if later and not outcomes.waiting.size:
            left = unfinished(later, len(self.labels.ids), outcomes.estimate.has_interval)
        account = self.labels.account.sentence
        first = "The target has several runs of an item: these labels are about the first one." if self.varies else ""
        expected = "" if self.runs is None else self.runs.estimates()[0].line
        good = "" if outcomes.waiting.size else outcomes.shares_line
        once = "" if outcomes.waiting.size else outcomes.weights_line
        once = once or self.before_weights
        judged = "" if self.judged_pairs is None else self.judged_pairs.sentence
        told = (good, once, judged, left, first, expected, *self.labels.to_check, account, words, *self.labels.left_out)
        return tuple(filter(None, told))

    @property
    def before_weights(self) -> str:
        """Say that the pool has got weights since the list was drawn; "" otherwise."""
        if self.pool.weights is None or self.plan.design.weights is not None:
            return ""
        return "This list was drawn before the items had weights, and counts every item once. Draw a new list."

    @property
    def plan(self) -> Plan:
        """The drawn sample."""
        return self.labels.plan

    @property
    def pool(self) -> Pool:
        """The plan's pool, with the answers of targets that were run since."""
        return self.labels.pool

    @property
    def kind(self) -> str:
        """The kind of the labels, of `core.labels.KINDS`."""
        return self.labels.kind

    @property
    def target(self) -> str | None:
        """The model examined; None if the pool has none."""
        return self.labels.target

    @property
    def is_keyed(self) -> bool:
        """Whether the file has the right answer to every item of the list."""
        source = self.labels.origin.source
        if "answer" not in source.column_names:
            return False
        return not source.column("answer").take(self.plan.positions).null_count

    @cached_property
    def outcomes(self) -> Outcomes:
        """The items whose value is known: the sample from which everything is estimated."""
        table = self.labels.values[self.labels.values["value"].notna()].reset_index(drop=True)
        columns = ["item_id", "position", "stratum", "value"]
        labels = self.labels
        outcomes = Outcomes(
            self.plan,
            table[columns],
            self.target or "",
            labels.measure,
            labels.interval,
            labels.disputed,
            labels.open,
            len(labels.without_verdict),
            self.kind,
            len(labels.given_by_none),
            len(labels.contradicted),
            labels.threshold,
        )
        return outcomes if labels.apart is None else outcomes.beside(labels.apart)

    def estimate(self, confidence: float | Interval | None = None) -> Estimate:
        """Accuracy (or mean score) on the whole pool, with its interval.

        Parameters
        ----------
        confidence : float or Interval, optional
            In (0, 1), or how the interval is made; by default as the labels' ``interval``.

        Raises
        ------
        DesignError
            A stratum has no label; `partial` then has what `print(study)` shows.
        """
        how = self.labels.interval
        if confidence is not None:
            how = confidence if isinstance(confidence, Interval) else replace(how, confidence=confidence)
        outcomes = replace(self.outcomes, interval=how)
        try:
            return in_unit(outcomes.estimate, outcomes.unit)
        except DesignError as error:
            if not outcomes.provisional:
                raise
            raise DesignError(f"{error} Until then, study.partial().joined is {outcomes.provisional}.") from None

    def by(self, column: str | NDArray[np.generic] = "group") -> pd.DataFrame:
        """Estimates for each group of items, of `core.estimation.domains`; of grades on their scale.

        The model-based ones rest on the design's predicted risk if it has one, as the labels correct it. While
        disputes are open, limits hold by either way of settling all of them, and values are the middle of both.

        Parameters
        ----------
        column : str or (N,) array
            Of the items of the pool, or the group of each.
        """
        table, unit = self._by(column), self.outcomes.unit
        if not isinstance(unit, GradeScale):
            return table
        ends = [name for name in table if str(name).endswith(("value", "low", "high"))]
        table = table.assign(**{str(name): unit.grade(table[name]) for name in ends})
        return table.assign(standard_error=unit.span * table["standard_error"])

    def _by(self, column: str | NDArray[np.generic]) -> pd.DataFrame:
        """Estimates for each group of items, of values from 0 to 1."""
        columns = self.pool.item_columns
        if isinstance(column, str) and column not in columns:
            names = [f"“{name}”" for name in columns if name not in _CONTENT]
            choice = f" Choose one of {listed(names)}." if names else ""
            raise DesignError(f"The items of this pool have no “{column}”.{choice}")
        groups = _groups(self.pool, column) if isinstance(column, str) else column.tolist()
        decided = self.outcomes
        if decided.settled is None:
            return self._domains(decided, groups)
        least, most = (self._domains(one, groups) for one in decided.settled)
        middle = [self._domains(one, groups) for one in decided.by_disputes or (replace(decided, open=None),)]
        table = least.assign(standard_error=np.maximum(least["standard_error"], most["standard_error"]))
        # Of an item that is settled either way there is no label.
        table["labels"] = self._domains(replace(decided, disputed=None, open=None), groups)["labels"]
        for name in ("value", "model_value"):
            table[name] = sum(one[name] for one in middle) / len(middle)
        for name in ("low", "joint_low", "model_low"):
            table[name] = np.fmin(least[name], most[name])
        for name in ("high", "joint_high", "model_high"):
            table[name] = np.fmax(least[name], most[name])
        return table

    def _domains(self, sample: Outcomes, groups: Sequence[object] | pd.Categorical) -> pd.DataFrame:
        """Estimates for each group from some labels."""
        values, positions = sample.values, sample.positions
        risk, predicted = self.plan.design.risk, None
        if sample.carried is not None:
            plan, carried = sample.plan, sample.plan.design.carried
            assert carried is not None
            return domains_carried(
                values, positions, plan.stratum, groups, sample.interval, sample.carried, 1.0 - carried.values
            )
        if risk is not None and sample.bounded and values.size:
            predicted = 1.0 - corrected(np.array(risk), positions, 1.0 - values)
        return domains(
            values, positions, self.plan.stratum, groups, sample.interval, predicted, self._in_waves(positions)
        )

    def compare(self, other: str) -> Comparison:
        """Another target on the same labelled items, judged by what is known of most of them; labels come first.

        Raises
        ------
        DesignError
            It is the target itself, or no item is judged for both.
        LabelError
            The pool has no such target.
        """
        check_target(self.pool, other, self.kind)
        if other == self.target:
            raise DesignError(f"“{other}” is the target of these labels. Compare it with another one.")
        values = self.labels.values
        first = Judged(self.target or "", values["value"].to_numpy(dtype=float), KINDS[self.kind].basis)
        sources = [Judged(other, self.labels.values_of(other), KINDS[self.kind].basis)]
        if self.labels.interval.bounded and not KINDS[self.kind].compares:
            sources.append(self._by_pool(other))
        second = max(sources, key=lambda source: int((~np.isnan(source.values)).sum()))
        return compare(
            first,
            second,
            values["stratum"],
            self.plan.strata.sizes,
            measure=self.labels.measure,
            interval=self.labels.interval,
            in_waves=self._in_waves(values["position"].to_numpy()),
            unit=self.outcomes.unit,
        )

    def metrics(self, positive: str) -> Metrics:
        """Precision, recall and F1 of one answer.

        Raises
        ------
        DesignError
            Labels are not "gold", neither labels nor target give this answer, or a stratum has no label.
        """
        pairs = self.labels.pairs
        if self.kind != "gold":
            raise DesignError("Precision and recall need right answers: labels of the kind “gold”.")
        if positive not in {*pairs["true"], *pairs["said"]}:
            known = listed([f"“{answer}”" for answer in self.labels.positives or sorted({*pairs["true"]})[:12]])
            raise DesignError(f"No labelled item has the answer “{positive}”. Choose one of {known}.")
        positions = self.pool.places(pairs["item_id"])
        return measured.metrics(
            pairs["said"].tolist(),
            pairs["true"].tolist(),
            positive,
            self.plan.stratum[positions],
            self.plan.strata.sizes,
            target=self.target or "",
            interval=self.outcomes.interval,
            in_waves=self._in_waves(positions),
        )

    def _answered(self) -> Answered | None:
        """Accuracy where the target answered; None if it answered every item, or if scores have no bounds."""
        sample = self.outcomes
        gave = [self.labels.answers.get(item, "") is not None for item in sample.table["item_id"]]
        if all(gave) or self.labels.unbounded or sample.carried is not None:
            return None
        return measured.answered(
            sample.values,
            gave,
            sample.strata,
            self.plan.strata.sizes,
            target=self.target or "",
            interval=sample.interval,
            in_waves=self._in_waves(sample.positions),
        )

    def partial(self) -> Partial | None:
        """Find what is missing if a stratum has no label; None if all have one."""
        lost = self.labels.lost
        return partial(self.outcomes, self.labels.spare, lost, requests.given_up(self.plan, lost))

    def top_up(self, half_width: float = 0.03) -> TopUp:
        """Labels for a wanted half-width of the interval, on the scale of the measure."""
        return self.outcomes.top_up(half_width)

    def plot(self) -> Plot:
        """Draw the interval, and below it Uniform's with the same number of labels.

        Raises
        ------
        DesignError
            A stratum has no label.
        """
        result = self.result()
        table = result.beside_uniform
        limits = [
            "no interval yet" if math.isnan(low) else span(low, high, result.unit)
            for low, high in zip(table["low"], table["high"], strict=True)
        ]
        figure = intervals.compared(table, limits, result.unit)
        return Plot(figure, result.line(), (f"Pool “{self.pool.name}”, plan {self.plan.plan_id}",))

    def next_wave(self, profile: Profile | None = None) -> Study:
        """Draw the second of two waves from these labels, and carry the study over to its plan.

        Parameters
        ----------
        profile : Profile, optional
            As in `core.design.Plan.next_wave`.

        Raises
        ------
        DesignError
            As `core.design.Plan.next_wave`.
        """
        known = self.outcomes.table.set_index("item_id")["value"]
        instead = sorted({*known.index} - {*self.labels.ids})
        plan = self.plan.next_wave(1.0 - known, replacements=instead, profile=profile)
        family = (plan.plan_id, *(name for name in self.labels.family or (self.plan.plan_id,)))
        return Study(replace(self.labels, plan=plan, family=family, earlier=()))

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
            sample.disputed,
            sample.open,
            sample.n_open,
            sample.kind,
            sample.n_unlike,
            sample.n_averaged,
            sample.threshold,
            sample.drawn,
            pool=self.pool.name,
            manifest=json.loads(self.labels.manifest),
            groups=self._by("group") if "group" in self.pool.item_columns else None,
            undecided=len(self.labels.ties),
            unusable=len(self.labels.unread),
            made=made,
            comparison=None if other is None else self.compare(other),
            metrics=None if positive is None else self.metrics(positive),
            answered=self._answered(),
            given_up=self.labels.given_up,
            earlier=self.labels.earlier,
            not_yet=self.labels.not_yet,
            gradings=self.labels.gradings,
            varies=self.varies,
        )
        return result if half_width is None else replace(result, more=result.top_up(half_width))

    def _in_waves(self, positions: NDArray[np.int64]) -> Waves | WeightedLabels | None:
        """Items of these places as both waves of a second wave's plan, with values of 0; None for any other plan.

        Of a plan whose items have weights, with these.
        """
        if self.plan.design.weights is not None:
            return WeightedLabels(self.plan.weighted_strata(), positions)
        return None if self.plan.earlier is None else self.plan.in_waves(positions, np.zeros(positions.size))

    def _by_pool(self, other: str) -> Judged:
        """Another target by the outcomes of the pool, if they are right or wrong (for scores: from 0 to 1)."""
        outcome = np.array(self.pool.losses(other, self.labels.parser)[self.labels.values["position"]], dtype=float)
        known = outcome[~np.isnan(outcome)]
        fits = (known >= 0) & (known <= 1) if KINDS[self.kind].averaged else np.isin(known, (0.0, 1.0))
        return Judged(other, 1.0 - outcome if fits.all() else np.full(outcome.size, np.nan), _POOL)


def _groups(pool: Pool, column: str) -> Sequence[object] | pd.Categorical:
    """Value of every item in a column; texts as categories, which take no memory for each item's."""
    values = pool.source.column(column)
    if not pa.types.is_string(values.type):
        return pool.items[column].tolist()
    return pd.Categorical(values.dictionary_encode().to_pandas())
