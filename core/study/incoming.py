"""Labels that came back, beside their list and the labels kept before: what they say, and what keeping them changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from ..gates.version_pool import check_asked
from ..labels import blanks, cells, options
from ..labels.account import Remainder
from ..labels.comparison import differences
from ..labels.formats.records import EMPTY
from ..labels.kinds import GOLD, KINDS, RIGHT, RIGHT_WRONG, SCORE, WRONG, LabelKind, canonical
from ..labels.proposals import is_word
from ..labels.right_answers import answer_pairs
from ..labels.rows import spelled
from ..labels.settlement import Settlement
from ..labels.targets import ANSWERS_OF
from ..labels.vocabulary import only_verdict, words_of
from ..pool.problems import shown
from ..words import counted
from .label_kind import names_no_target, no_right_answers
from .labelling import Labelling
from .readings import Reading, split

# A share of the labels from which they mean one thing, slips apart.
_NEARLY_ALL = 0.9
_EXAMPLES = 3
# Of fewer right answers nothing follows.
_SEVERAL = 2


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Why nearly all labels answer another question.

    Parameters
    ----------
    sentence : str
        Why.
    kind : str
        The kind that they are labels of, of `core.labels.KINDS`; "" if they are of none.
    """

    sentence: str
    kind: str = ""


@dataclass(frozen=True, eq=False)
class Incoming:
    """Rows of labels for a list, before they are kept.

    Parameters
    ----------
    labels : Labelling
        The list with the labels kept before, as they are asked for.
    rows : DataFrame
        Of `core.labels.LabelFile`.
    settled : mapping of Reading to Settlement, optional
        `settlements` of the same rows, if they are known already.
    shown : bool
        Whether the list showed answers.
    """

    labels: Labelling
    rows: pd.DataFrame
    settled: Mapping[Reading, Settlement] | None = field(default=None, repr=False)
    shown: bool = True

    @cached_property
    def parts(self) -> dict[Reading, pd.DataFrame]:
        """The rows of each kind and target that they say something of."""
        rows = spelled(self.rows, self.labels.pool)
        if self.labels.pair is not None:
            rows = self.labels.placed(rows)
        rows = options.respelled(rows, self.labels.kind, self.labels.is_answer)
        targets = {*self.labels.pool.targets, *filter(None, [self.labels.target])}
        return split(rows, sorted(targets), self.labels.kind, self.labels.target)

    @cached_property
    def depends_on(self) -> tuple[object, ...]:
        """The facts beside the rows that `settlements` depend on, as long as no item is beside the list."""
        labels = self.labels
        question = labels.kind, labels.target, labels.parser, labels.interval
        return labels.pool.digest, labels.family, question, *(words_of(part) for part in self.parts.values())

    @property
    def of_list(self) -> bool:
        """Whether no item is beside the list; such a one may replace another, as the labels kept by then have it."""
        listed = set(self.labels.ids)
        return all(listed.issuperset(part["item_id"]) for part in self.parts.values())

    @cached_property
    def settlements(self) -> Mapping[Reading, Settlement]:
        """One label an item, for each kind and target.

        Raises
        ------
        LabelError
            No row belongs to this list, or rows of a gate's list are right answers.
        """
        if self.settled is not None:
            return self.settled
        for reading in self.parts if self.labels.of_gate else ():
            check_asked(reading.kind)
        return {reading: self.labels.about(reading).settle(part) for reading, part in self.parts.items()}

    @cached_property
    def not_understood(self) -> pd.DataFrame:
        """The labels that are not understood, of `core.labels.cells.not_understood`, with the kind that they are of."""
        found = []
        for reading, settlement in self.settlements.items():
            labels = self.labels.about(reading)
            cells_there = labels.cells_of(self.parts[reading], settlement, labels.unreadable_in(settlement))
            found.append(cells_there.assign(kind=reading.kind))
        return (
            pd.concat(found, ignore_index=True) if found else pd.DataFrame(columns=["row", "item_id", "label", "kind"])
        )

    @property
    def scale(self) -> cells.GradeRange | None:
        """The range of the grades, if some lie outside the scale."""
        made = self.settlements.items()
        rows = pd.concat([self.labels.about(one).of_list(self.parts[one], by) for one, by in made])
        return cells.off_scale(rows, self.labels.kind)

    @property
    def present(self) -> Settlement | None:
        """Return the settlement of the rows on what is asked; None if they say nothing of it."""
        return self.settlements.get(self._present)

    @property
    def beside(self) -> int:
        """Rows that say nothing of what may be asked: those that judge answers are no right answers."""
        return len(self.rows) - sum(map(len, self.parts.values()))

    @property
    def others(self) -> dict[str, Settlement]:
        """Return the settlements on anything else, each with a sentence about it."""
        items = counted(len(self.labels.ids), "item")
        return {
            f"This file also {_says(reading)}: {len(settlement.labels):,} of {items} of the list. They are kept as "
            f"{_name(reading)}.": settlement
            for reading, settlement in self.settlements.items()
            if reading != self._present
        }

    @property
    def missing(self) -> str:
        """That no row says what is asked."""
        if not self._kind.judges:
            return "No row of this file says what a right answer is."
        return f"No row of this file {_verb(self._kind)} the answers of {self.labels.judged}."

    @property
    def mismatch(self) -> Mismatch | None:
        """Why nearly all labels answer another question than the one that is asked; None if they answer it."""
        kind, rows = self._kind, self.rows[self.rows["kind"].isna()]
        given = rows["label"].dropna()
        if given.empty:
            return None
        words = float(given.map(is_word).mean())
        is_free = not self.shown and not self.labels.asks_for_verdicts
        if kind.judges and is_free and names_no_target(self.rows, self.labels.pool):
            text = (
                "This file does not show that its list asked about answers, but its labels are read as {} the model’s."
            )
            return Mismatch(text.format("scores of" if kind.averaged else "verdicts on"), GOLD.name)
        if not kind.judges:
            return self._no_right_answers(words, bool(rows[ANSWERS_OF].notna().any()))
        if kind.averaged and words >= _NEARLY_ALL:
            text = "Nearly all labels of this file say right or wrong, but scores are asked for."
            return Mismatch(text, RIGHT_WRONG.name)
        if not kind.verdicts or _unread(given, kind) < _NEARLY_ALL:
            return None
        text = (
            "Nearly all labels of this file are words other than right and wrong. Neyman knows right, correct, yes, "
            "true and 1, and wrong, incorrect, no, false and 0."
        )
        if rows[ANSWERS_OF].isna().all():
            return Mismatch(text, "" if self.labels.asks_for_verdicts else GOLD.name)
        return Mismatch(text, SCORE.name if _unread(given, SCORE) < 1 - _NEARLY_ALL else "")

    def _no_right_answers(self, words: float, judged: bool) -> Mismatch | None:
        """Why labels are no right answers: ``words``, the share that says right or wrong."""
        if judged:
            text = (
                "This list asked whether a target’s answers are right. Such labels do not say what is right, so they "
                "are left out here. If people wrote right answers, remove the column `answers_of` from the file."
            )
            return Mismatch(text, RIGHT_WRONG.name)
        rows = options.respelled(self.rows, self.labels.kind, self.labels.is_answer)
        if said := no_right_answers(rows, self.labels.is_answer):
            return Mismatch(said, RIGHT_WRONG.name)
        if words < _NEARLY_ALL or self.labels.answers_are_words:
            return None
        text = "Nearly all labels of this file say right or wrong, but the labels are read as right answers."
        return Mismatch(text, RIGHT_WRONG.name)

    @property
    def blank_may_mean(self) -> str:
        """The other verdict, if all of the file say the same and rows between them are blank; "" if not."""
        rows = self.parts.get(self._present)
        if rows is None or not self._kind.verdicts or not (only := only_verdict(rows)):
            return ""
        given = np.flatnonzero(rows["label"].notna())
        blank = np.flatnonzero(rows["label"].isna() & rows["status"].isin([EMPTY]))
        # An item in whose place another one is labelled has no verdict for a reason.
        replaced = int((~rows["item_id"].iloc[given].isin(list(self.labels.ids))).sum())
        between = int((blank < given.max(initial=-1)).sum())
        return (WRONG if only == RIGHT else RIGHT) if between > replaced else ""

    @property
    def blank_beside_answers(self) -> str:
        """A sentence if right answers are all others than the target's, and rows between them blank; "" if not."""
        if self._kind.judges or self._present not in self.parts or self.labels.target is None:
            return ""
        rows = self.parts[self._present].reset_index(drop=True)
        given = rows[rows["label"].notna() & (rows["status"] == "")].drop_duplicates("item_id")
        pairs = answer_pairs(
            given, self.labels.answers, self.labels.pool.items_with(given["item_id"]), self.labels.parser
        )
        if len(pairs) < _SEVERAL or (pairs["true"] == pairs["said"]).any():
            return ""
        blank = rows["label"].isna() & rows["status"].isin([EMPTY]) & rows["item_id"].isin(list(self.labels.ids))
        return blanks.of_answers(int(blank.iloc[: int(given.index.max())].sum()), self.labels.target)

    @property
    def retyped(self) -> str:
        """A sentence if right answers are read with other zeros than they are written with; "" if none are."""
        rows = self.rows[self.rows["item_id"].isin(list(self.labels.ids))]
        return "" if self._kind.judges else options.retyped(rows, self.labels.kind, self.labels.is_answer)

    @property
    def strange(self) -> str:
        """Return the right answers that are none of the few that all items of the pool share; "" if there are none."""
        if self._kind.judges or self._present not in self.parts:
            return ""
        pool, parser = self.labels.pool, self.labels.parser
        known = options.known_answers(pool, parser)
        strange = options.outside(self.parts[self._present], pool, known, parser)
        if strange.empty:
            return ""
        first = strange.head(_EXAMPLES).itertuples(index=False)
        cells = [f"row {row.row}: {shown(str(row.item_id), 30)} = {shown(str(row.label), 20)}" for row in first]
        examples = ", ".join(cells) + (", …" if len(strange) > _EXAMPLES else "")
        many = len(strange) > 1
        verb, they = ("are", "They count as right answers") if many else ("is", "It counts as a right answer")
        pairs = zip(strange["item_id"], strange["label"], strict=True)
        counting = all(self.labels.is_answer.understands(item, label) for item, label in pairs)
        advice = f"{they} anyway: correct slips" if counting else "Correct slips"
        return (
            f"{counted(len(strange), 'label')} {verb} not among the answers of this pool, {', '.join(known)} "
            f"({examples}). {advice} in the file and upload it again."
        )

    @property
    def changes(self) -> tuple[str, ...]:
        """Return the changes that keeping the rows would make, a sentence each."""
        several = len(self.parts) > 1
        return tuple(
            f"{change}{f' ({_name(reading)})' if several else ''}."
            for reading, settlement in self.settlements.items()
            for change in _changes(self.labels.about(reading), settlement)
        )

    def remainders(self, file: str, notes: tuple[str, ...]) -> tuple[Remainder, ...]:
        """Return the rest of the file beside what is kept of it, for each way to read it.

        Parameters
        ----------
        file : str
            Its name.
        notes : tuple of str
            Of `core.labels.LabelFile`.
        """
        left = {reading: one.left for reading, one in self.settlements.items()}
        if self._present in left:
            left[self._present] = left[self._present].with_foreign(self.beside)
        return tuple(
            Remainder(file, one.kind, one.target, rows, notes, self.settlements[one].left_items)
            for one, rows in left.items()
        )

    @property
    def stored(self) -> pd.DataFrame:
        """The rows that are kept, with their kinds and targets."""
        rows = [one.rows for one in self.settlements.values()]
        return pd.concat(rows, ignore_index=True) if rows else self.rows.head(0)

    @property
    def _kind(self) -> LabelKind:
        return KINDS[self.labels.kind]

    @property
    def _present(self) -> Reading:
        return Reading(self.labels.kind, self.labels.judged)


def _changes(labels: Labelling, settlement: Settlement) -> list[str]:
    """Return the changes that rows would make to the labels kept before."""
    kind = KINDS[labels.kind]
    items = labels.pool.items_with({*settlement.rows["item_id"], *labels.relevant["item_id"]})
    apart = differences(settlement.rows, labels.relevant, labels.kind, items, labels.parser)
    rule = "their mean counts" if kind.averaged else "the most frequent counts, ties wait for a decision"
    they = "it" if apart.replaced == 1 else "they"
    return [
        f"{counted(count, 'label')} {one if count == 1 else many} {what}"
        for count, one, many, what in (
            (
                apart.replaced,
                "kept before differs",
                "kept before differ",
                f"from what the same person says in this file: {they} will be replaced",
            ),
            (apart.beside, "stands", "stand", "beside another of the same person: both count"),
            (apart.others, "differs", "differ", f"from other labels kept before: {rule}"),
        )
        if count
    ]


def _unread(given: pd.Series, kind: LabelKind) -> float:
    """The share of labels that are none of this kind."""
    return sum(canonical(str(label), kind.name) is None for label in given) / len(given)


def _verb(kind: LabelKind) -> str:
    return "scores" if kind.averaged else "judges"


def _says(reading: Reading) -> str:
    """Return the verb for a file that holds such labels."""
    kind = KINDS[reading.kind]
    if not kind.judges:
        return "says what the right answer is"
    return f"{_verb(kind)} the answers of {reading.target}" if reading.target else f"{_verb(kind)} answers"


def _name(reading: Reading) -> str:
    """Return the name of such labels."""
    noun = KINDS[reading.kind].noun
    return f"{noun} of {reading.target}" if reading.target else noun
