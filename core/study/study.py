"""A plan with its labels: settled, estimated, compared, topped up."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from ..design.waves import corrected
from ..errors import DesignError
from ..estimation.efficiency import TopUp
from ..estimation.groups import domains
from ..estimation.mean import Estimate
from ..estimation.waves import Waves
from ..labels import oddities, requests
from ..labels.kinds import KINDS
from ..labels.outcomes import losses
from ..labels.right_answers import answer_pairs, choices_of
from ..labels.targets import relevant
from ..pool.pool import Pool
from ..pool.problems import shown
from ..stratification.profiles import Profile
from ..words import counted, listed
from . import metrics as measured
from .comparison import Comparison, Judged, compare
from .labelling import Labelling, check_target
from .metrics import Answered, Metrics
from .outcomes import Outcomes
from .partial import Partial, partial
from .provenance import Provenance, provenance
from .result import Result

# Columns by which nobody groups items.
_CONTENT = ("prompt", "choices", "image", "answer")
_POOL = "the outcomes that the pool knows"


@dataclass(frozen=True, eq=False, repr=False)
class Study(Labelling):
    """A plan with its labels, and what follows from them.

    Values are on the scale that people read: accuracy (1 − loss), or the mean score where labels are scores. Every
    estimate raises :class:`core.errors.DesignError` while a stratum has no label; `partial` then says what is missing.
    The fields are those of `core.study.Labelling`.
    """

    def __repr__(self) -> str:
        """Show the estimate in a line and the strata, or why there is no estimate; then what is left out."""
        return "\n".join([repr(self.outcomes), *self.left_out])

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """Right answers and answers of the target, of `core.labels.answer_pairs`; empty unless labels are "gold"."""
        labels = self.settlement.labels
        if self.kind != "gold":
            return labels.head(0)
        return answer_pairs(labels, self.answers, self.pool.items_with(labels["item_id"]), self.parser)

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
    def unusable(self) -> tuple[str, ...]:
        """Ids of the list whose label came back but cannot be read or compared."""
        given = set(self.rows.loc[self.rows["label"].notna(), "item_id"]) - {*self.outcomes.table["item_id"]}
        return tuple(item for item in self.ids if item in given.difference(self.undecided))

    @cached_property
    def left_out(self) -> tuple[str, ...]:
        """What does not count and why, a sentence for each reason."""
        odd = self.settlement.odd
        settled = odd["what"].isin(["conflict", "several scores"]) & ~odd["item_id"].isin(self.undecided)
        sentences = list(oddities.sentences(odd[(odd["what"] != "duplicate") & ~settled]))
        for ids, why in (
            (self.unreadable, "cannot be read as the right answer of its item"),
            (self.unknown, f"has no answer of “{self.target}” in the pool to be compared with"),
        ):
            if ids:
                examples = ", ".join(shown(item, 30) for item in ids[:3]) + (", …" if len(ids) > 3 else "")
                sentences.append(f"{counted(len(ids), 'label')} left out: each {why} ({examples}).")
        if self.late:
            labels = counted(len(self.late), "label")
            sentences.append(f"{labels} of the first wave left out: given after the second wave was drawn.")
        return tuple(sentences)

    @cached_property
    def values(self) -> pd.DataFrame:
        """A row for each settled label: item_id, label, value (1 − loss; NaN: not known), position, stratum."""
        items = self.pool.items_with(self.settlement.labels["item_id"])
        table = losses(self.settlement, self.answers, items, self.parser)
        # Also where the target gave no answer: what is right is not known.
        table.loc[table["item_id"].isin(self.unreadable), "loss"] = np.nan
        positions = self.pool.places(table["item_id"])
        table = table.assign(value=1.0 - table["loss"], position=positions, stratum=self.plan.stratum[positions])
        return table.drop(columns="loss")

    @cached_property
    def outcomes(self) -> Outcomes:
        """The items whose value is known: the sample from which everything is estimated."""
        table = self.values[self.values["value"].notna()].reset_index(drop=True)
        columns = ["item_id", "position", "stratum", "value"]
        return Outcomes(self.plan, table[columns], self.target or "", self.measure, self.interval)

    def judged_items(self) -> pd.DataFrame:
        """Tabulate the items behind the estimate, the wrong ones first, else in the list's order.

        Columns: item_id, position (in the pool, from 0), stratum, group ("" where the pool has none), prompt and
        choices (None where the pool has none), surrogate (its answers and how often each was given, the most frequent
        first), target (its answer, "" for none), label, value, disputed (whether annotators disagree).
        """
        table = self.outcomes.table.sort_values("value", kind="stable").reset_index(drop=True)
        ids, settled = table["item_id"], self.settlement
        items = self.pool.rows(table["position"].to_numpy())
        group = items["group"].fillna("").astype(str).tolist() if "group" in items else ""
        said = [
            ", ".join(f"{answer or 'no answer'} ×{count}" for answer, count in Counter(answers).most_common())
            for answers in (
                self.pool.item_answers(place, self.parser) if self.pool.n_generations else []
                for place in table["position"].tolist()
            )
        ]
        prompts = items["prompt"] if "prompt" in items else [None] * len(table)
        return table.assign(
            group=group,
            prompt=pd.Series([text if isinstance(text, str) else None for text in prompts], dtype=object),
            choices=pd.Series(choices_of(items, ids.tolist()), dtype=object),
            surrogate=said,
            target=[self.answers.get(item) or "" for item in ids],
            label=ids.map(settled.labels.set_index("item_id")["label"]),
            disputed=ids.isin(settled.conflicts["item_id"]),
        )

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

        The model-based ones rest on the design's predicted risk where it has one, as the labels correct it.

        Parameters
        ----------
        column : str
            Of the items of the pool.
        """
        columns, sample = self.pool.item_columns, self.outcomes
        if column not in columns:
            names = [f"“{name}”" for name in columns if name not in _CONTENT]
            choice = f" Choose one of {listed(names)}." if names else ""
            raise DesignError(f"The items of this pool have no “{column}”.{choice}")
        groups, values, positions = _groups(self.pool, column), sample.values, sample.positions
        risk, predicted = self.plan.design.risk, None
        if risk is not None and sample.bounded and values.size:
            predicted = 1.0 - corrected(np.array(risk), positions, 1.0 - values)
        return domains(values, positions, self.plan.stratum, groups, sample.careful, predicted, sample.waves)

    def compare(self, other: str) -> Comparison:
        """Another target on the same labelled items, judged by what is known of most of them; labels come first.

        Raises
        ------
        DesignError
            It is the target itself, or no item is judged for both.
        LabelError
            The pool has no such target.
        """
        check_target(self.pool, other)
        if other == self.target:
            raise DesignError(f"“{other}” is the target of these labels. Compare it with another one.")
        values = self.values
        first = Judged(self.target or "", values["value"].to_numpy(dtype=float), KINDS[self.kind].basis)
        sources = [self._by_labels(other)]
        if self.interval.bounded:
            sources.append(self._by_pool(other))
        second = max(sources, key=lambda source: int((~np.isnan(source.values)).sum()))
        return compare(
            first,
            second,
            values["stratum"],
            self.plan.strata.sizes,
            measure=self.measure,
            interval=self.interval,
            weights=self.plan.weights,
            in_waves=self._in_waves(values["position"].to_numpy()),
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
            Labels are not "gold", neither labels nor target give this answer, or a stratum has no label.
        """
        pairs = self.pairs
        if self.kind != "gold":
            raise DesignError("Precision and recall need right answers: labels of the kind “gold”.")
        if positive not in {*pairs["true"], *pairs["said"]}:
            known = listed([f"“{answer}”" for answer in self.positives or sorted({*pairs["true"]})[:12]])
            raise DesignError(f"No labelled item has the answer “{positive}”. Choose one of {known}.")
        positions = self.pool.places(pairs["item_id"])
        return measured.metrics(
            pairs["said"].tolist(),
            pairs["true"].tolist(),
            positive,
            self.plan.stratum[positions],
            self.plan.strata.sizes,
            target=self.target or "",
            interval=self.outcomes.careful,
            in_waves=self._in_waves(positions),
        )

    def answered(self) -> Answered | None:
        """Accuracy where the target answered; None where it answered every item, or where scores have no bounds."""
        sample = self.outcomes
        gave = [self.answers.get(item, "") is not None for item in sample.table["item_id"]]
        if all(gave) or self.unbounded:
            return None
        return measured.answered(
            sample.values,
            gave,
            sample.strata,
            self.plan.strata.sizes,
            target=self.target or "",
            interval=sample.careful,
            in_waves=sample.waves,
        )

    def summary_frame(self) -> pd.DataFrame:
        """Tabulate the estimate, as `core.study.Result.summary_frame`."""
        return self.result().summary_frame()

    def partial(self) -> Partial | None:
        """Find what is missing where a stratum has no label; None where all have one."""
        return partial(self.outcomes, self.spare, self.lost, requests.given_up(self.plan, self.lost))

    def top_up(self, half_width: float = 0.03) -> TopUp:
        """Labels for a wanted half-width of the interval, on the scale of the measure."""
        return self.outcomes.top_up(half_width)

    def provenance(self) -> Provenance:
        """Where the labels come from."""
        parser = self.parser if self.kind == "gold" else None
        return provenance(self.rows, self.settlement, self.unbounded, parser, self.left_out)

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
        instead = sorted({*known.index} - {*self.ids})
        plan = self.plan.next_wave(1.0 - known, replacements=instead, profile=profile)
        family = (plan.plan_id, *(name for name in self.family or (self.plan.plan_id,)))
        return replace(self, plan=plan, family=family, earlier=())

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
            groups=self.by() if "group" in self.pool.item_columns else None,
            undecided=len(self.undecided),
            unusable=len(self.unusable),
            made=made,
            comparison=None if other is None else self.compare(other),
            metrics=None if positive is None else self.metrics(positive),
            answered=self.answered(),
            given_up=self.given_up,
            earlier=self.earlier,
        )
        return result if half_width is None else replace(result, more=result.top_up(half_width))

    def _in_waves(self, positions: NDArray[np.int64]) -> Waves | None:
        """Items of these places as both waves of a second wave's plan, with values of 0; None for any other plan."""
        return None if self.plan.earlier is None else self.plan.in_waves(positions, np.zeros(positions.size))

    def _by_labels(self, other: str) -> Judged:
        """Another target by labels of the same kind; right answers serve every target."""
        ids = self.values["item_id"].tolist()
        if self.kind == "gold":
            items = self.pool.items_with(self.settlement.labels["item_id"])
            table = losses(self.settlement, replace(self, target=other).answers, items, self.parser)
        else:
            rows = relevant(self.log, self.kind, other)
            # A label that names no target counts for the first one already.
            rows = rows[(rows["target"] == other) & rows["item_id"].isin(ids)]
            table = losses(self._settle(rows, tuple(ids)))
        values = 1.0 - table.set_index("item_id")["loss"].reindex(ids).to_numpy(dtype=float)
        return Judged(other, values, KINDS[self.kind].basis)

    def _by_pool(self, other: str) -> Judged:
        """Another target by the outcomes of the pool, where they are right or wrong (for scores: from 0 to 1)."""
        outcome = np.array(self.pool.losses(other, self.parser)[self.values["position"]], dtype=float)
        known = outcome[~np.isnan(outcome)]
        fits = np.isin(known, (0.0, 1.0)) if self.kind != "score" else (known >= 0) & (known <= 1)
        return Judged(other, 1.0 - outcome if fits.all() else np.full(outcome.size, np.nan), _POOL)


def _groups(pool: Pool, column: str) -> Sequence[object] | pd.Categorical:
    """Value of every item in a column; texts as categories, which take no memory for each item's."""
    values = pool.source.column(column)
    if not pa.types.is_string(values.type):
        return pool.items[column].tolist()
    return pd.Categorical(values.dictionary_encode().to_pandas())
