"""What is forecast before any label: what is believed of the target and the signal, and what it makes labels worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import pandas as pd

from ..allocation.ways import RECOMMENDED
from ..design.scheme import PAPER
from ..planning.belief import Belief, belief
from ..planning.forecast import curve, grid
from ..planning.outlook import Outlook, from_labels
from ..planning.sampling_frame import CHOSEN, TYPICAL, Partition, SamplingFrame, assumed_frame, beside, design_frame
from .curves import Compared
from .known_part import KnownPart, known_items
from .likeness import Likeness, likeness
from .question import USUALLY
from .record import Record, as_good_as, record

_Self = TypeVar("_Self", bound="Forecast")
_SORTING = "Sorting the items by what is known …"


class Forecast(Compared):
    """A design with what is believed of its target, whatever outcome is known."""

    __slots__ = ()

    @property
    def forecast(self) -> Outlook:
        """What is forecast of the labels, whatever outcome is known.

        Raises
        ------
        DesignError
            The budget is out of the range of the design.
        """
        items, asked = self.frame, self.question
        measured = self.ranks or (asked.auroc is None and self.record is not None)
        return from_labels(items, self.belief, self.budget, asked.costs, asked.interval, self.forecast_method, measured)

    @property
    def forecast_method(self) -> str:
        """What the design is called among the rows of a forecast."""
        return RECOMMENDED.name if self._is_usual else CHOSEN

    def forecast_curve(self, budgets: Sequence[int] | None = None) -> pd.DataFrame:
        """Forecast half-widths over budgets, as of `core.planning.curve`, whatever outcome is known."""
        items = self.frame
        return curve(
            items, self.belief, grid(items, self.budget) if budgets is None else budgets, self.question.interval
        )

    @property
    def size(self) -> int | None:
        """The number of items, also of a pool that is not there yet; None for very many."""
        return self.pool.n_items if self.has_pool else self.question.n_items

    @property
    def record(self) -> Record | None:
        """How models whose outcomes are known would have fared, each left out once; None without any."""
        if not self.has_pool:
            return None
        pool, basis, own = self.pool, self.question.basis, self._sorted
        elsewhere = self._learned(basis) if basis.others else None
        title = "Trying the design on models whose results are known …"
        return self.memo.once("record", self._key, lambda: record(pool, basis, own, elsewhere), title)

    @property
    def belief(self) -> Belief:
        """What is believed of the target and of the signal."""
        asked = self.question
        seen = self.record if asked.auroc is None or asked.expected is None else None
        scheme = self._sorted.design.scheme if self.has_pool else PAPER
        auroc = scheme.along.usual if seen is None else seen.auroc
        shown = self.likeness if seen is None else seen
        accuracy = USUALLY if shown is None else shown.accuracy
        usual, part = belief(accuracy, auroc), self.part
        if part is not None:
            ranked = part.ranking(self._fitted(part), usual.auroc, seen is not None) if self.ranks else usual.auroc
            usual = Belief(part.accuracy(usual.accuracy), ranked)
        return belief(
            usual.accuracy if asked.expected is None else asked.expected,
            usual.auroc if asked.auroc is None else asked.auroc,
        )

    @property
    def part(self) -> KnownPart | None:
        """What is known of the target if its outcome is known on some items alone; else None."""
        known = self.outcome
        return None if known is None or not known.partial else KnownPart(str(self.question.target), known)

    @property
    def ranks(self) -> bool:
        """Whether known outcomes of some items say how well the signal ranks them, and the question does not."""
        part = self.part
        asked = part is not None and part.ranks and self.question.auroc is None
        return asked and not self._sorted.design.scheme.uniform

    def _fitted(self, part: KnownPart) -> float:
        """The AUROC with which the model of forecasts has the exact error of the design on the known items."""
        pool, own, parser = self.pool, self._sorted, self.question.parser
        key = (*self._key, "part")
        return self.memo.once("part", key, lambda: as_good_as(pool, own, pool.losses(part.target, parser)), _SORTING)

    @property
    def evidence(self: _Self) -> _Self | None:
        """The same question about the items alone whose outcome is known, as a pool of their own; None if all are."""
        part = self.part
        if part is None:
            return None
        pool, target, parser = self.pool, part.target, self.question.parser
        key, other = (pool.digest, target, parser), self.asking(self.question)
        other._pool = self.memo.once("known items", key, lambda: known_items(pool, target, parser))
        other._earlier, other.budget = None, min(self.budget, other.n_items)
        return other

    @property
    def likeness(self) -> Likeness | None:
        """What answers let one assume of the target's accuracy; None if they are not known."""
        if not self.has_pool:
            return None
        pool, basis, own = self.pool, self.question.basis, self._sorted
        return self.memo.once("likeness", self._key, lambda: likeness(pool, basis, own))

    @property
    def rests_on(self) -> str:
        """What the forecast rests on, in a sentence."""
        asked, seen = self.question, self.record
        shown = self.likeness if asked.expected is None and seen is None else None
        models = 0 if seen is None or asked.auroc is not None else seen.models
        accuracy_too = seen is not None and asked.expected is None
        signal = "" if self.has_pool and self.uniform else self.frame.signal if self.has_pool else TYPICAL
        # A first sight of it explains it.
        signal = PAPER.along.said_plainly() if signal == PAPER.along.noun else signal
        why, part = "" if shown is None else shown.why, self.part
        known = "" if part is None or asked.expected is not None or not part.is_share else part.said
        return self.belief.rests_on(signal, models, accuracy_too, why, known, self.ranks)

    @property
    def frame(self) -> SamplingFrame:
        """What forecasts are made of: the items along the recommended design's signal, and this design beside it."""
        if not self.has_pool:
            size = self.question.n_items
            return self.memo.once("frame", ("assumed", size), lambda: assumed_frame(size))
        if not self._is_usual:
            key = (*self._along, self.question.basis, self.scheme, self._drawn and self._drawn.plan_id)
            return self.memo.once("frame", key, self._beside)
        pool, design, profile = self.pool, self.whole, self.profile
        return self.memo.once("frame", self._along, lambda: design_frame(pool, design, profile), _SORTING)

    def _beside(self) -> SamplingFrame:
        """The frame of the recommended design with this one's strata beside it."""
        usual = self.asking(replace(self.question, scheme=None, gate=False))
        if self._drawn is None:
            strata = self.design.scheme.stratify(self.profile)
            chosen = Partition(self.design.scheme, strata, self.profile)
        else:
            chosen = Partition(self._drawn.design.scheme, self._drawn.strata, self._drawn.stratum)
        # Most strata need no items to stand for them but those that stand for the pool.
        frame = beside(usual.frame, chosen)
        return design_frame(self.pool, usual.whole, usual.profile, chosen) if frame is None else frame

    @property
    def _is_usual(self) -> bool:
        """Whether this is the recommended design."""
        return self.question.scheme is None and not self.question.gate and self._drawn is None
