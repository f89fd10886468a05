"""The labels of a plan as they count: what came in, what it says of the target, and what is left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..answers import EXTRACTED, rules
from ..errors import LabelError
from ..labels import (
    blanks,
    cells,
    double_meanings,
    endings,
    hundredths,
    likeness,
    literal,
    oddities,
    reversals,
    rounding,
    separators,
)
from ..labels.account import Account
from ..labels.formats.records import DECISION, EMPTY, by_people
from ..labels.kinds import GOLD, KINDS, NO_OPTION, RIGHT_WRONG
from ..labels.options import respelled
from ..labels.outcomes import losses, target_answers
from ..labels.right_answers import answer_pairs, kinds_of
from ..labels.settlement import Settlement
from ..labels.vocabulary import Word, only_verdict, words_of, written
from ..pool.problems import shown
from ..words import counted, listed
from ..words.verdict_words import word_key
from .metrics import closed
from .provenance import Provenance, provenance
from .record import LabelRecord

_SHOWN = 3
# So many labels are answers by no chance.
_ENOUGH = 5
# Of fewer right answers nothing follows.
_SEVERAL = 2
# Grades go no further.
_TOP_GRADE = 100


class Labelling(LabelRecord):
    """The labels of a plan, read as one kind and for one target.

    The fields are those of `core.study.record.LabelRecord`.
    """

    @property
    def odd(self) -> pd.DataFrame:
        """The rows that are odd, of `core.labels.Settlement.odd`: what, row, item_id, annotator, label, status."""
        return self.settlement.odd

    @cached_property
    def account(self) -> Account:
        """The account of each row that came in, decisions aside, also of those that are not kept: the parts add up."""
        beside = (self.log["annotator"] != DECISION).sum() - (self.rows["annotator"] != DECISION).sum()
        unknown, ties = int(self._values["value"].isna().sum()), len(self.known_ties)
        kept = self.settlement.account.with_foreign(int(beside) + ties).without_values(unknown)
        if ties:
            # No file has them.
            told = len({*self.known_ties} & {*self.log["item_id"]})
            kept = replace(kept, used=kept.used - ties + told, repeated=kept.repeated - told)
        return sum((one.without(self._replaced(place)) for place, one in enumerate(self.left)), kept)

    def _replaced(self, place: int) -> set[str]:
        """Items of which a file that came after one of `left`, or a label given since, says more."""
        since = self.relevant.loc[self.relevant["created"] > self.left[place].created, "item_id"]
        later = {item for one in self.left[place + 1 :] for item, _ in one.items}
        return later.union(since) if self.left[place].created else later

    @property
    def to_check(self) -> tuple[str, ...]:
        """Remarks on the files that the labels came from, for a person to check, a sentence each."""
        unlike = literal.remark(self.given_by_none, self.answers)
        people = [self._by_majority, self._in_other_orders, self._people_alike, self._unnamed]
        notes = (
            *filter(None, [self._contradicted]),
            *self._nameless,
            *self._equal,
            *filter(None, [self._own_scores, unlike, self._as_verdicts, self._one_sided, self._all_alike, *people]),
            *filter(None, [self._ending, self._separators, self._hundredths, self._rounded, self._no_option]),
            *self._spelled_otherwise,
            *self.notes,
            *(one for left in self.left for one in left.notes),
        )
        return tuple(dict.fromkeys(notes))

    @property
    def _equal(self) -> tuple[str, ...]:
        """A sentence about items to which both targets of a pair give the same answer."""
        many = counted(len(self.equal), "item of the list has", "items of the list have")
        return (f"{many} twice the same answer: a tie that needs no label.",) if self.equal else ()

    @cached_property
    def given_by_none(self) -> pd.DataFrame:
        """Right answers that are compared as they are written and equal no model's, of `core.labels.literal`."""
        labels = self.settlement.labels
        if self.kind != GOLD.name or self.target is None:
            return labels.head(0)
        # One of the few answers of the pool is spelled as models spell it.
        free = labels["item_id"].isin(list(self.answers)) & ~labels["label"].isin(self.is_answer.known)
        return literal.given_by_none(labels[free], self.pool, self.parser)

    @cached_property
    def _contradicted(self) -> str:
        """A sentence if labels say the opposite of what else is known of the answers, or fit those of other rows."""
        table, target = self._values[self._values["value"].notna()], self.target
        if not KINDS[self.kind].judges or self.plan.design.judging is not None or target not in self.pool.targets:
            return ""
        found = reversals.signs(self.plan, self.pool, str(target), table["position"].to_numpy(), self.parser)
        right = (table["value"] > (0.5 if KINDS[self.kind].verdicts else table["value"].mean())).to_numpy(dtype=bool)
        return "" if found is None else reversals.remark(right, found, self._turned_back, table["item_id"], self.rows)

    @property
    def _turned_back(self) -> str:
        """Remedy for labels that are turned round."""
        rows = self.of_list(self.rows, self.settlement)
        if KINDS[self.kind].averaged:
            return "Scores and grades are the higher the better: if a low one is good, turn them round in the file."
        given = rows.loc[rows["label"].notna() & rows["status"].isin([""])]
        return reversals.remedy(given["label"], given["note"])

    @property
    def _as_verdicts(self) -> str:
        """A sentence if verdicts, or scores, are words that answer the items as well; else ""."""
        if not KINDS[self.kind].judges or KINDS[self.kind].compares:
            return ""
        rows = self.of_list(self.rows, self.settlement)
        asked_for = double_meanings.OF_JUDGES if self.plan.design.judging is not None else ()
        return double_meanings.remark(rows, self.kind, self.answers, self.is_answer, self._if_answers, asked_for)

    @property
    def _one_sided(self) -> str:
        """A sentence if labels say what is wrong alone, or right alone, and items are left blank or have a dash."""
        rows = self.of_list(self.rows, self.settlement)
        without = set(self.without_verdict) - set(self.lost)
        if not without:
            return ""
        if self.kind == GOLD.name:
            all_wrong = len(self.pairs) >= _SEVERAL and not (self.pairs["true"] == self.pairs["said"]).any()
            blank = rows.loc[rows["label"].isna() & rows["status"].isin([EMPTY]), "item_id"]
            return blanks.of_answers(len(without & set(blank)), self.target or "") if all_wrong else ""
        only = only_verdict(rows) if self.kind == RIGHT_WRONG.name else ""
        pairs = zip(rows["item_id"], rows["note"], strict=True)
        said = {item: written(note) or "" for item, note in pairs if item in without}
        absent = "" if only and said else blanks.absent(only, len(without))
        return blanks.remark(only, list(said.values()), page=True) if only and said else absent

    @property
    def _all_alike(self) -> str:
        """A sentence if words that a person gave a meaning make all verdicts the same, with others; else ""."""
        rows = self.of_list(self.rows, self.settlement)
        only = only_verdict(rows) if self.kind == RIGHT_WRONG.name else ""
        given = [one.word for one in words_of(rows) if one.meaning == only]
        pairs = zip(rows["label"], rows["note"], strict=True)
        said = list(dict.fromkeys(word_key(written(note) or label) for label, note in pairs if label is not None))
        if not only or not given or len(said) < 2:
            return ""
        texts = listed([shown(text, 30) for text in said[:5]])
        return f"Every verdict is “{only}”: {texts} all say it. Check what they mean."

    @property
    def _ending(self) -> str:
        """A sentence if the list ends in too many equal verdicts to be so by chance; else ""."""
        given = self.settlement.labels
        # No file has the ties of equal answers.
        given = given[~given["item_id"].isin(list(self.known_ties))]
        return endings.remark(given["label"].tolist()) if KINDS[self.kind].verdicts else ""

    @property
    def _by_majority(self) -> str:
        """A sentence if people disagree on items of which the most frequent label counts, decisions aside; else ""."""
        disputed = self.settlement.conflicts
        by_hand = set(self.rows.loc[self.rows["annotator"] == DECISION, "item_id"])
        settled = disputed[disputed["label"].notna() & ~disputed["item_id"].isin(list(by_hand))]
        if settled.empty:
            return ""
        first = settled.head(_SHOWN).itertuples(index=False)
        examples = ", ".join(f"{shown(str(row.item_id), 30)} {row.votes}" for row in first)
        many = len(settled)
        return (
            f"People disagree on {counted(many, 'item')} of which the most frequent label counts "
            f"({examples}{', …' * (many > _SHOWN)})."
        )

    @cached_property
    def contradicted(self) -> tuple[str, ...]:
        """Ids of items to which one person, or several who give no name, gave different scores."""
        if not KINDS[self.kind].averaged:
            return ()
        by_hand = set(self.rows.loc[self.rows["annotator"] == DECISION, "item_id"])
        given = self.settlement.ratings[~self.settlement.ratings["item_id"].isin(list(by_hand))]
        scores = given.groupby(["item_id", "annotator"], sort=False)["label"].nunique()
        return tuple(dict.fromkeys(str(item) for item, _ in scores[scores > 1].index))

    @property
    def _own_scores(self) -> str:
        """A sentence about the scores of one person that contradict each other; "" if there are none."""
        if not self.contradicted:
            return ""
        of_item = self.settlement.ratings.groupby("item_id", sort=False)["label"]
        examples = ", ".join(
            f"{shown(item, 30)}: {listed(list(dict.fromkeys(map(str, of_item.get_group(item)))))}"
            for item in self.contradicted[:_SHOWN]
        )
        many = len(self.contradicted)
        return (
            f"{counted(many, 'item has', 'items have')} different scores of the same person, or of nobody named "
            f"({examples}{', …' * (many > _SHOWN)}). Their mean counts. If one of them is the score, empty the others; "
            "if they are of several people, name each in the column `annotator`."
        )

    @property
    def _in_other_orders(self) -> str:
        """A sentence if several people label, and nobody has come to items before the last labelled one; else ""."""
        blank = len(set(self.passed_over) - self.reached)
        if self.n_people < 2 or not blank:
            return ""
        which, still, count = (
            ("1 item that is", "it is", "it counts")
            if blank == 1
            else (f"{blank:,} items that are", "they are", "they count")
        )
        return (
            f"{self.n_people:,} people labelled this list, perhaps in other orders. Of {which} blank before the last "
            f"labelled one nobody can say whether {still} still to come: {count} as without a verdict."
        )

    @property
    def _people_alike(self) -> str:
        """A sentence if names of people differ only in case; else ""."""
        spellings = dict[str, list[str]]()
        for name in sorted(by_people(self.rows[self.rows["label"].notna()])["annotator"].unique()):
            spellings.setdefault(name.casefold(), []).append(name)
        alike = [listed([f"“{name}”" for name in names]) for names in spellings.values() if len(names) > 1]
        if not alike:
            return ""
        return f"Annotators {'; '.join(alike)} count as several people. If it is one, write one name."

    @property
    def _unnamed(self) -> str:
        """A sentence if nobody signed some labels of an item that are equal and some that differ; else ""."""
        odd = self.odd[self.odd["annotator"] == ""]
        equal, unlike = odd["what"] == "duplicate", odd["what"].isin(["conflict", "several scores"])
        items = sorted({*odd.loc[equal, "item_id"]} & {*odd.loc[unlike, "item_id"]})
        if not items:
            return ""
        examples = ", ".join(shown(item, 30) for item in items[:3]) + (", …" if len(items) > 3 else "")
        return (
            f"{counted(len(items), 'item')} ({examples}) {'has' if len(items) == 1 else 'have'} several labels without "
            "an annotator: equal labels of an item count once. If they are of several people, name each in the column "
            "annotator."
        )

    @property
    def _separators(self) -> str:
        """A sentence if numbers have a comma or a point that may part thousands or be a decimal sign; else ""."""
        rows = self.of_list(self.rows, self.settlement)
        rows = rows[rows["label"].notna()]
        if KINDS[self.kind].averaged and self.unbounded:
            return separators.remark(rows["label"], separators.OF_SCORES)
        if self.kind != GOLD.name or not any("." in label or "," in label for label in rows["label"]):
            return ""
        ids = rows["item_id"].tolist()
        kinds = kinds_of(self.pool.items_with(ids), ids, self.parser)
        rows = rows[[kind == "number" for kind in kinds]]
        right = self.pairs.loc[self.pairs["true"] == self.pairs["said"], "item_id"]
        return separators.remark(rows["label"], separators.OF_NUMBERS, rows.loc[rows["item_id"].isin(right), "label"])

    @property
    def _hundredths(self) -> str:
        """A sentence if right answers are a hundred times the target's, one of them in per cent; else ""."""
        if self.kind != GOLD.name or self.target is None or self.pairs.empty:
            return ""
        labels = self.settlement.labels
        given = dict(zip(labels["item_id"], labels["label"], strict=True))
        return hundredths.remark(self.pairs, given, self._texts, self.target)

    @cached_property
    def _texts(self) -> Mapping[str, str | None]:
        """The target's whole outputs by item id, of the items with a right answer."""
        if self.target is None or self.target not in self.pool.targets:
            return {}
        return target_answers(self.pool, self.target, self.pairs["item_id"].tolist(), self.parser, whole=True)

    @cached_property
    def _spelled_otherwise(self) -> tuple[str, ...]:
        """Sentences about right answers that are the target's, or another, in another spelling, of `likeness`."""
        if self.kind != GOLD.name or self.target is None or self.pairs.empty:
            return ()
        rows = self.of_list(self.relevant, self.settlement)
        rows = rows[rows["label"].notna()]
        read = respelled(rows, self.kind, self.is_answer)["label"]
        settled = dict(zip(self.settlement.labels["item_id"], self.settlement.labels["label"], strict=True))
        # A unit is no part of a right answer that is read.
        given = {
            item: label if settled.get(item) in (one, label) else settled.get(item, label)
            for item, label, one in zip(rows["item_id"], rows["label"], read, strict=True)
        }
        pairs = self.pairs[~self.pairs["item_id"].isin(self.given_by_none["item_id"])]
        texts = {**self.answers, **self._texts}
        return likeness.remarks(pairs, given, texts, self.pool.items_with(pairs["item_id"]), self.target, self.parser)

    @property
    def _rounded(self) -> str:
        """A sentence if right answers are the target's with other digits, beside those of `given_by_none`; else ""."""
        if self.kind != GOLD.name or self.target is None or self.pairs.empty:
            return ""
        labels, pairs = self.settlement.labels, self.pairs[~self.pairs["item_id"].isin(self.given_by_none["item_id"])]
        return rounding.remark(pairs, dict(zip(labels["item_id"], labels["label"], strict=True)), self.target)

    @property
    def _no_option(self) -> str:
        """A sentence if right answers say that no option of their item is right; else ""."""
        count = int((self.settlement.labels["label"] == NO_OPTION).sum()) if self.kind == GOLD.name else 0
        if not count:
            return ""
        say, these = ("says", "this item") if count == 1 else ("say", "these items")
        return (
            f"{counted(count, 'right answer')} {say} that no option is right: every answer to {these} counts as wrong. "
            "Where somebody could not tell, write skip."
        )

    @property
    def _nameless(self) -> tuple[str, ...]:
        """A sentence if labels name no model, so that they count for each of several."""
        rows = self.relevant
        count = int((rows["label"].notna() & (rows["target"] == "")).sum())
        if not count or not self.judged or len(self.pool.targets) < 2:
            return ()
        said = "1 label names no model: it counts" if count == 1 else f"{count:,} labels name no model: they count"
        return (
            f"{said} for “{self.target}” and for every other target. If they are about another one, take them back and "
            "keep them under its name.",
        )

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
        return self.unreadable_in(self.settlement)

    def unreadable_in(self, settlement: Settlement) -> tuple[str, ...]:
        """Ids of right answers of a settlement that cannot be read, though an answer of the target is known."""
        if self.kind != GOLD.name:
            return ()
        labels = settlement.labels[settlement.labels["item_id"].isin(list(self.answers))]
        pairs = answer_pairs(labels, self.answers, self.pool.items_with(labels["item_id"]), self.parser)
        comparable = set(pairs["item_id"])
        return tuple(item for item in labels["item_id"] if item not in comparable)

    @property
    def _right_answers(self) -> tuple[str, ...]:
        """Ids of the settled right answers."""
        return tuple(self.settlement.labels["item_id"]) if self.kind == "gold" else ()

    @cached_property
    def not_understood(self) -> pd.DataFrame:
        """The labels that are not understood, of `core.labels.cells.not_understood`: no number is computed with any."""
        return self.cells_of(self.rows, self.settlement, self.unreadable)

    def cells_of(self, rows: pd.DataFrame, settlement: Settlement, unreadable: Iterable[str] = ()) -> pd.DataFrame:
        """Select the labels of some rows that are not understood; parameters as of `core.labels.cells`."""
        rows = self.of_list(rows, settlement)
        items, words = rows["item_id"], self.is_answer
        if self.kind == GOLD.name:
            words.look_up(items)
        doubtful = double_meanings.doubtful(rows, self.kind, words, self.answers)
        bad = cells.not_understood(
            rows, settlement.odd, self.kind, items, unreadable, words, words.understands, self.unbounded, doubtful
        )
        return cells.with_files(bad, rows)

    def of_list(self, rows: pd.DataFrame, settlement: Settlement) -> pd.DataFrame:
        """Select the rows that a settlement of them may count: those of its items, of this plan's family and target."""
        items = {*settlement.labels["item_id"], *settlement.missing}
        plans, targets = {self.plan.plan_id, *self.family}, {"", self.judged}
        of_plan = rows["plan_id"].isna() | rows["plan_id"].isin(plans)
        return rows[rows["item_id"].isin(items) & of_plan & (rows["target"].isna() | rows["target"].isin(targets))]

    def words_to_ask(self, bad: pd.DataFrame) -> list[Word]:
        """List the words of labels that are not understood; of answers of the pool, no verdict is proposed."""
        answers = double_meanings.answers_among(bad, self.is_answer) if KINDS[self.kind].judges else ()
        return cells.words_in(bad, answers)

    def check(self) -> None:
        """Check that every label is understood.

        Raises
        ------
        LabelError
            Labels are not understood; all of them are named.
        """
        if len(self.not_understood):
            rows = self.of_list(self.rows, self.settlement)
            scale = cells.off_scale(rows, self.kind)
            words, bad = self.is_answer, self.not_understood
            # Numbers of such a range answer the questions; nobody grades by them.
            asks = scale is not None and words.ask_for_numbers(bad["item_id"].tolist())
            scale = None if asks and scale is not None and scale.high > _TOP_GRADE else scale
            repeated = cells.to_repeat(rows, bad, self.kind, None if self.unbounded else scale)
            # A gate takes scores, but of one scale alone.
            kinds = not self.asks_for_verdicts or (self.of_gate and scale is None)
            answers, first = list(words.known), ""
            if KINDS[self.kind].compares:
                answers = []
            elif KINDS[self.kind].judges:
                answers = double_meanings.answers_among(bad, words, asks) if scale is None else []
                first = double_meanings.are_answers(bad, answers, words, self.kind, self._if_answers)
            else:
                first = self.of_sentences
            alone = rows.loc[rows["label"].notna(), "item_id"].isin(list(bad["item_id"])).all()
            nearest = words.nearest
            raise cells.refusal(
                bad, self.kind, scale, kinds, answers, self.unbounded, nearest, repeated, first, bool(alone)
            )

    @property
    def _if_answers(self) -> str:
        """Return what to do about labels that are answers to the items, and no verdicts."""
        if self.asks_for_verdicts:
            return double_meanings.WRITE_VERDICTS
        return " ".join(filter(None, [double_meanings.SAY_SO, self.of_sentences]))

    @property
    def of_sentences(self) -> str:
        """Sentence on how right answers are compared with outputs that say yes or no; "" where that needs no word."""
        return double_meanings.of_sentences(self.is_answer)

    @cached_property
    def without_verdict(self) -> tuple[str, ...]:
        """Ids that are due and of which people gave no verdict that counts, for whatever reason.

        Of lost items, those that no labelled replacement stands for.
        """
        labelled = {*self.settlement.labels["item_id"], *self.ties}
        without = {*self.reached, *self.passed_over} - labelled - self._stood_for(labelled)
        return tuple(item for item in dict.fromkeys((*self.due, *self.items)) if item in without)

    def _stood_for(self, labelled: set[str]) -> set[str]:
        """Lost items in whose stratum as many replacements have a label."""
        spare = self.spare[self.spare["item_id"].isin(list(labelled))]["stratum"].value_counts()
        lost = [item for item in self.lost if item in set(self.ids)]
        strata = pd.Series(self.plan.stratum[self.pool.places(lost)], index=lost)
        number = strata.groupby(strata).cumcount()
        return set(number.index[number < strata.map(spare).fillna(0)])

    @cached_property
    def open(self) -> pd.DataFrame | None:
        """A row for each item without a verdict: item_id, position, stratum, least and most; None without any.

        Least and most are its value if it was wrong and if it was right. Scores without bounds have none.
        """
        items = [item for item in self.without_verdict if self.kind != GOLD.name or item in self.answers]
        if not items or self.unbounded:
            return None
        places = self.pool.places(items)
        columns = {"item_id": items, "position": places, "stratum": self.plan.stratum[places]}
        return pd.DataFrame({**columns, "least": 0.0, "most": 1.0})

    @cached_property
    def unread(self) -> tuple[str, ...]:
        """Ids of the list whose label came back but cannot be read or compared."""
        known = self._values.loc[self._values["value"].notna(), "item_id"]
        given = set(self.rows.loc[self.rows["label"].notna(), "item_id"]) - {*known, *self.ties, *self.without_verdict}
        return tuple(item for item in self.ids if item in given)

    @cached_property
    def left_out(self) -> tuple[str, ...]:
        """Return the labels that do not count and why, a sentence for each reason."""
        odd = self.odd
        settled = odd["what"].isin(["conflict", "several scores"]) & ~odd["item_id"].isin(self.ties)
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
            sentences.append(f"{labels} of the first wave came after the second wave was drawn, and are left out.")
        return tuple(sentences)

    @property
    def values(self) -> pd.DataFrame:
        """A row for each settled label: item_id, label, value (1 − loss; NaN: not known), position, stratum.

        Raises
        ------
        LabelError
            As `check`.
        """
        self.check()
        return self._values

    @cached_property
    def _values(self) -> pd.DataFrame:
        items = self.pool.items_with(self.settlement.labels["item_id"])
        table = self._turned(losses(self.settlement, self.answers, items, self.parser))
        # Even if the target gave no answer: what is right is not known.
        table.loc[table["item_id"].isin(self.unreadable), "loss"] = np.nan
        positions = self.pool.places(table["item_id"])
        table = table.assign(value=1.0 - table["loss"], position=positions, stratum=self.plan.stratum[positions])
        return table.drop(columns="loss")

    def _turned(self, table: pd.DataFrame) -> pd.DataFrame:
        """Losses of the first target of a pair, from those of the answer that was shown first."""
        if not KINDS[self.kind].compares:
            return table
        if self.pair is None:
            raise LabelError(f"The pool has not both targets of “{self.target}”. Load the pool with both.")
        return table.assign(loss=table["loss"].where(~self.swapped(table["item_id"].tolist()), 1 - table["loss"]))

    @cached_property
    def disputed(self) -> pd.DataFrame | None:
        """A row for each tie: item_id, position, stratum, least and most (its value by either way of settling it).

        None if nothing is tied. A tie whose answers cannot be compared with the target's is left out, as its label is.
        """
        ways = {item: self.choices(item) for item in self.ties}
        found = dict[str, list[float]]()
        for number in range(max(map(len, ways.values()), default=0)):
            some = {item: labels[number] for item, labels in ways.items() if number < len(labels)}
            for item, value in self._values_if(some).items():
                found.setdefault(item, []).append(value)
        if not found:
            return None
        places = self.pool.places(list(found))
        least, most = [min(values) for values in found.values()], [max(values) for values in found.values()]
        columns = {"item_id": list(found), "position": places, "stratum": self.plan.stratum[places]}
        return pd.DataFrame({**columns, "least": least, "most": most})

    def _values_if(self, labels: Mapping[str, str]) -> dict[str, float]:
        """Values of items if these were their labels; without those that cannot be compared."""
        frame = pd.DataFrame({"item_id": list(labels), "label": list(labels.values())}, dtype=object)
        if verdicts := KINDS[self.kind].verdicts:
            of_label = dict(zip(verdicts, KINDS[self.kind].losses, strict=True))
            table = self._turned(frame.assign(loss=frame["label"].map(of_label).astype(float)))
            return dict(zip(table["item_id"], (1 - table["loss"]).tolist(), strict=True))
        pairs = answer_pairs(frame, self.answers, self.pool.items_with(frame["item_id"]), self.parser)
        same = (pairs["true"] == pairs["said"]).astype(float)
        return dict(zip(pairs["item_id"], same, strict=True))

    def values_of(self, other: str) -> NDArray[np.float64]:
        """Values of another target on the items of ``values``, (M,), by labels of the same kind; NaN: not known.

        Right answers serve every target.
        """
        ids = self.values["item_id"].tolist()
        if self.kind == "gold":
            items = self.pool.items_with(self.settlement.labels["item_id"])
            table = losses(self.settlement, replace(self, target=other).answers, items, self.parser)
        else:
            of_other = replace(self, target=other)
            rows = of_other.relevant
            of_other.check()
            # A label that names no target counts for the first one already.
            rows = rows[(rows["target"] == other) & rows["item_id"].isin(ids)]
            table = self._turned(losses(self._settle(rows, tuple(ids))))
        return 1.0 - table.set_index("item_id")["loss"].reindex(ids).to_numpy(dtype=float)

    @property
    def positives(self) -> tuple[str, ...]:
        """Answers that precision and recall can be asked of; none unless labels say what is right."""
        if self.kind != GOLD.name or self.target is None:
            return ()
        return closed([true for true in self.pairs["true"] if true != NO_OPTION])

    @property
    def gradings(self) -> int:
        """Number of labels that people gave to the items of the list, which is what labelling cost."""
        return len(by_people(self.rows[self.rows["label"].notna()]))

    def provenance(self) -> Provenance:
        """Where the labels come from."""
        parser = self.parser if self.kind == "gold" else None
        said = tuple(filter(None, (self.account.sentence, *self.to_check, *self.left_out)))
        compared: tuple[str, ...] = ()
        if self.kind == "gold" and self.target is not None:
            ids = self.settlement.labels["item_id"].tolist()
            kinds = dict.fromkeys(kinds_of(self.pool.items_with(ids), ids, self.parser))
            compared = tuple(rules(EXTRACTED.get(kind, kind)) for kind in kinds)
        return provenance(self.rows, self.settlement, self.unbounded, parser, said, compared)
