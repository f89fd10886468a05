"""The record of a plan's labels: what is to be labelled, what has been, one label an item, and what is kept."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..answers import PARSER_VERSION
from ..archive.archive import Archive
from ..archive.label_log import BY_HAND
from ..design import manifest as manifests
from ..design.design import Plan
from ..design.families import family, related
from ..errors import DesignError, LabelError
from ..estimation.intervals import DEFAULT, Interval
from ..gates.version_pool import gate_of
from ..labels import requests
from ..labels.account import Remainder
from ..labels.comparison import readable
from ..labels.formats.records import DECISION, EMPTY, GIVEN_UP, POOL, by_people
from ..labels.kinds import GOLD, KINDS, RIGHT_WRONG, TIE, canonical
from ..labels.model_pair import SHOWN, both, by_name, check_order, parted
from ..labels.options import AnswerWords, are_words
from ..labels.outcomes import target_answers
from ..labels.proposals import is_word
from ..labels.right_answers import choices_of
from ..labels.rows import WITHDRAWN
from ..labels.settlement import Settlement, settle
from ..labels.targets import relevant
from ..labels.vocabulary import translated
from ..pool.outcomes import SILENT
from ..pool.pool import Pool
from ..pool.target_sets import ModelPair
from ..words import listed
from .readings import Reading


@dataclass(frozen=True, eq=False, repr=False)
class LabelRecord:
    """A plan, the labels given so far, and how they are read.

    Parameters
    ----------
    plan : Plan
        The drawn sample.
    pool : Pool
        Its pool, with the answers of targets that were run since.
    log : DataFrame
        Labels of the plan and its family, of every kind and about every target, as `Archive.labels.of` gives them.
    kind : str
        What a label says, of `core.labels.KINDS`.
    target : str or None
        The model examined; None if the pool has none.
    parser : str or None
        Answer kind by which answers are read and compared; None = the pool's own.
    interval : Interval
        How intervals are made; not ``bounded``: scores may lie outside 0 to 1.
    family : tuple of str
        Ids of the plans that share their labels, this plan first.
    earlier : tuple of int
        Budgets of the smaller lists of this design that had labels before this list was handed out, ascending.
    runs : mapping
        Answers of targets if the pool has none, by target and item id, as a bundle brings them.
    notes : tuple of str
        What a person should check of the files that the labels came from.
    remainders : tuple of Remainder
        What files held beside the rows of the log, of every kind and about every target.
    threshold : float or None
        As in `core.study.outcomes.Outcomes`.
    """

    plan: Plan
    pool: Pool
    log: pd.DataFrame
    kind: str = "gold"
    target: str | None = None
    parser: str | None = None
    interval: Interval = DEFAULT
    family: tuple[str, ...] = ()
    earlier: tuple[int, ...] = ()
    runs: Mapping[str, Mapping[str, str | None]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    remainders: tuple[Remainder, ...] = ()
    threshold: float | None = None

    @classmethod
    def load(cls, archive: Archive, plan: Plan, pool: Pool, kind: str = "gold", target: str | None = None) -> Self:
        """Read the labels that are kept for a plan and for plans of the same design with another budget."""
        designs = archive.plans.table(plan.items_digest)
        relatives = family(plan, designs)
        log = _opened(archive, archive.labels.of(*relatives), pool, plan.design.scheme.parser)
        begun = {*relatives} & {*log["plan_id"]}
        kept = zip(designs["plan_id"], designs["manifest"], strict=True)
        lists = manifests.intact([text for name, text in kept if name in begun])
        budgets = {one.n_labels for one in lists if related(plan, one)}
        earlier = tuple(sorted(budget for budget in budgets if budget < plan.ids.size))
        remainders, parser = archive.labels.remainders(*relatives), plan.design.scheme.parser
        record = cls(plan, pool, log, kind, target, parser, family=relatives, earlier=earlier)
        return replace(record, remainders=remainders)

    def about(self, reading: Reading) -> Self:
        """Read the same plan and log in another way."""
        return replace(self, kind=reading.kind, target=reading.target or self.target)

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """Ids of the list, in labelling order."""
        return tuple(map(str, self.plan.ids))

    @property
    def judged(self) -> str:
        """The target whose answers the labels judge; "" if they say what is right."""
        return "" if self.kind == "gold" else self.target or ""

    @property
    def measure(self) -> str:
        """The name of the values: "accuracy", "score" or "win rate"."""
        return KINDS[self.kind].measure

    @property
    def unbounded(self) -> bool:
        """Whether scores may lie outside 0 to 1."""
        return not self.interval.bounded

    @cached_property
    def of_gate(self) -> bool:
        """Whether the list is that of a version gate."""
        return gate_of(self.pool) is not None

    @property
    def asks_for_verdicts(self) -> bool:
        """Whether the list shows answers and takes nothing but what people say of them: of a judge, or of a gate."""
        return self.plan.design.judging is not None or self.of_gate

    @cached_property
    def relevant(self) -> pd.DataFrame:
        """The rows of the log that say what is asked of this target; equal answers of two targets are ties."""
        rows, known = relevant(self.log, self.kind, self.target), self.known_ties
        if not known:
            return rows
        of_pool = {"plan_id": self.plan.plan_id, "label": TIE, "annotator": POOL, "status": "", "source": "pool"}
        of_pool |= {"kind": self.kind, "target": self.judged, "created": ""}
        ties = [{**dict.fromkeys(rows.columns), **of_pool, "item_id": item} for item in known]
        return pd.concat([rows, pd.DataFrame(ties, columns=rows.columns)], ignore_index=True)

    @property
    def pair(self) -> ModelPair | None:
        """The two targets whose answers labels compare; None if they compare none."""
        return ModelPair.of(self.target, self.pool.targets) if KINDS[self.kind].compares else None

    def swapped(self, items: Sequence[str]) -> NDArray[np.bool_]:
        """Whether the second target's answer is shown first, for each of some items of the pool."""
        places = self.pool.places(items)
        return np.asarray(self.plan.swapped[places] & (places >= 0))

    def placed(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Return rows with labels that compare as places, such as “first”, of labels that name a target, too.

        Raises
        ------
        LabelError
            Rows name a place and no plan.
        """
        if self.pair is None:
            return rows
        check_order(rows, self.kind, self.pair)
        items = rows["item_id"].unique().tolist()
        return by_name(rows, self.pair, dict(zip(items, self.swapped(items).tolist(), strict=True)))

    @cached_property
    def equal(self) -> tuple[str, ...]:
        """Ids of the list to which both targets of a pair give the same answer, by the pool's rule: known ties."""
        return self._equal_among(self.ids)

    def _equal_among(self, ids: Sequence[str]) -> tuple[str, ...]:
        if self.pair is None:
            return ()
        one, other = (target_answers(self.pool, name, ids, self.parser) for name in (self.pair.one, self.pair.other))
        return tuple(item for item, answer in one.items() if answer is not None and other.get(item) == answer)

    @cached_property
    def apart(self) -> NDArray[np.bool_] | None:
        """Whether each item of the pool is a known tie, (N,), if the list is begun and has any (`begun_pairs`)."""
        design = self.plan.design
        if not self.equal or len(self.equal) == len(self.ids) or not self.not_yet:
            return None
        if design.scheme.in_waves or design.carried is not None or design.weights is not None:
            return None
        ties = np.zeros(self.pool.n_items, dtype=bool)
        ties[self.pool.places(self._equal_among([*map(str, self.pool.ids)]))] = True
        return ties

    @cached_property
    def known_ties(self) -> tuple[str, ...]:
        """Those of `equal` that count: up to the last item that anybody has come to, or all if no label is to come."""
        if not self.equal:
            return ()
        rows, ties = relevant(self.log, self.kind, self.target), set(self.equal)
        reached, ended = self._come_to(rows), ties.union(requests.lost(rows))
        last = max((place for place, item in enumerate(self.ids, 1) if item in reached), default=0)
        if ended.issuperset(self.ids[last:]):
            return self.equal
        return tuple(item for item in self.ids[:last] if item in ties)

    @cached_property
    def is_answer(self) -> AnswerWords:
        """Whether a label (item, label) that may be a verdict is among the item's options or the right answers."""
        return AnswerWords(self.pool, self.parser)

    @cached_property
    def answers_are_words(self) -> bool:
        """Whether some right answers of the pool or the list are words that may say right or wrong, such as “yes”."""
        return are_words(self.pool, self.ids, self.parser) or self.is_answer.in_sentences

    @property
    def left(self) -> tuple[Remainder, ...]:
        """Return the rests of `relevant` label files beside their labels."""
        return tuple(one for one in self.remainders if (one.kind, one.target) == (self.kind, self.judged))

    @cached_property
    def begun(self) -> bool:
        """Whether anybody has given a label to an item of the design, of whatever kind."""
        return bool(self.log["label"].notna().any())

    @cached_property
    def readable(self) -> pd.DataFrame:
        """The relevant rows with a label that can be read, of items of the pool."""
        if self.relevant.empty:
            return self.relevant
        rows = self.relevant[self.pool.places(self.relevant["item_id"]) >= 0]
        return rows[readable(rows, self.kind, self.pool.items_with(rows["item_id"]))]

    @cached_property
    def labelled(self) -> frozenset[str]:
        """Ids of the items that have a label that can be read, from anybody."""
        return frozenset(self.readable["item_id"])

    @property
    def n_people(self) -> int:
        """The number of people who gave them."""
        return by_people(self.readable)["annotator"].nunique()

    @property
    def n_illegible(self) -> int:
        """Further labels, which cannot be read."""
        return int(self.relevant["label"].notna().sum()) - len(self.readable)

    @cached_property
    def empty_strata(self) -> frozenset[int]:
        """Strata of the plan in which no item has a label that can be read."""
        places = self.pool.places(self.labelled)
        needed = np.flatnonzero(self.plan.allocation).tolist()
        return frozenset(needed).difference(self.plan.stratum[places].tolist())

    @property
    def n_further(self) -> int:
        """Labels that strata have beyond their first, of which an interval takes one."""
        return len(self.labelled) - (self.n_drawn - len(self.empty_strata))

    @property
    def n_drawn(self) -> int:
        """Strata of which the list has items: so many labels, one in each, give the first estimate."""
        return int((self.plan.allocation > 0).sum())

    @cached_property
    def lost(self) -> tuple[str, ...]:
        """Ids of the items that will get no label."""
        return tuple(requests.lost(self.relevant))

    @cached_property
    def given_up(self) -> NDArray[np.int64]:
        """Places in the pool of the items that were drawn, in either of two waves, and will get no label, (G,)."""
        plans = [self.plan] if self.plan.earlier is None else [self.plan.earlier, self.plan]
        return np.unique(np.concatenate([requests.given_up(plan, self.lost) for plan in plans]))

    @cached_property
    def spare(self) -> pd.DataFrame:
        """Return the items that take the place of lost ones, in the order of the design: item_id, stratum, place."""
        return requests.replacements(self.plan, self.lost)

    @cached_property
    def due(self) -> tuple[str, ...]:
        """Ids that are to be labelled: the list without the lost ones, then their replacements."""
        lost = set(self.lost)
        return (*(item for item in self.ids if item not in lost), *map(str, self.spare["item_id"]))

    @cached_property
    def items(self) -> tuple[str, ...]:
        """Ids of the items in the estimate: the list, then labelled replacements."""
        given = set(self.relevant.loc[self.relevant["label"].notna(), "item_id"])
        # Somebody may have labelled replacements without saying which item they are for.
        return self._with_replacements((*self.lost, *(item for item in self.ids if item not in given)), given)

    @cached_property
    def rows(self) -> pd.DataFrame:
        """The relevant rows about ``items``, and all that were given to this very plan or to none of its family."""
        rows = self.relevant
        relatives = set(self.family) - {self.plan.plan_id}
        return rows[rows["item_id"].isin(self.items) | ~rows["plan_id"].isin(relatives)]

    @cached_property
    def beyond(self) -> int:
        """The number of further items that are labelled for a larger list of the same design."""
        rows = self.relevant[~self.relevant["item_id"].isin({*self.items, *self.late}) & self.relevant["label"].notna()]
        return int(rows.loc[rows["plan_id"] != self.plan.plan_id, "item_id"].nunique())

    @cached_property
    def late(self) -> tuple[str, ...]:
        """Ids of the first wave's list that were labelled after the second wave was drawn, which may not have them."""
        first = () if self.plan.earlier is None else map(str, self.plan.earlier.ids)
        return tuple(item for item in first if item in self.labelled and item not in self.items)

    @cached_property
    def answers(self) -> dict[str, str | None]:
        """Answers of the target to these items, if it was asked; None: it gave none."""
        if self.target is None:
            return {}
        if self.pair is not None:
            return self._compared(self.pair)
        brought = dict(self.runs.get(self.target, {}))
        if self.target not in self.pool.targets:
            return brought
        ids = dict.fromkeys((*self.ids, *map(str, self.spare["item_id"]), *self.items))
        # People who check a judge see what it has seen.
        whole = self.plan.design.judging is not None
        return brought | target_answers(self.pool, self.target, list(ids), self.parser, whole)

    def _compared(self, pair: ModelPair) -> dict[str, str | None]:
        """Both answers to these items as one text, in the order in which they are shown."""
        ids = list(dict.fromkeys((*self.ids, *map(str, self.spare["item_id"]), *self.items)))
        one, other = (target_answers(self.pool, name, ids, whole=True) for name in (pair.one, pair.other))
        texts = dict[str, str | None]()
        for item, swapped in zip(ids, self.swapped(ids).tolist(), strict=True):
            if item in one and item in other:
                shown = [one[item] or SILENT, other[item] or SILENT]
                texts[item] = both(*(reversed(shown) if swapped else shown))
        return texts

    @cached_property
    def unasked(self) -> tuple[str, ...]:
        """Ids that are due and whose answer is to be judged, but that the target was not asked."""
        return () if self.kind == "gold" else tuple(item for item in self.due if item not in self.answers)

    def request(self) -> pd.DataFrame:
        """Give the list to hand out, then the replacements of lost items: a row each, with what annotators see.

        Without what the target was never asked, if its answers are judged: an empty answer would count as wrong.
        """
        positions = np.concatenate([self.plan.positions, self.spare["place"].to_numpy(dtype=np.int64)])
        known = self.answers if self.judged else {}
        ids = self.plan.pool_ids[positions]
        answers = [known.get(str(item)) or SILENT for item in ids] if known else None
        frame = requests.request(self.plan, self.pool, answers, self.judged or None, positions)
        if KINDS[self.kind].scale is not None or self.pair is not None:
            # Numbers do not say what the best one is, and words not whether one of two answers is better.
            frame = frame.assign(kind=self.kind)
        if self.pair is not None and known:
            parts = [parted(text) for text in frame["target_answer"]]
            shown = {name: [part[place] for part in parts] for place, name in enumerate(SHOWN)}
            frame = frame.assign(**shown).drop(columns="target_answer")
            frame = frame[~frame["item_id"].isin(self.equal)]
        return frame[frame["item_id"].isin(list(known))].reset_index(drop=True) if known else frame

    def with_budget(self, budget: int) -> Self:
        """Plan another number of labels of the same design, with the labels so far."""
        plan = self.plan.with_budget(budget)
        others = (name for name in self.family if name != plan.plan_id)
        lists = {*self.earlier, *([self.plan.ids.size] if self.labelled else [])}
        earlier = tuple(sorted(one for one in lists if one < plan.ids.size))
        return replace(self, plan=plan, family=(plan.plan_id, *others), earlier=earlier)

    @cached_property
    def settlement(self) -> Settlement:
        """One label an item, with what was decided if annotators disagree."""
        return self._settle(self.rows, self.items)

    def settle(self, rows: pd.DataFrame) -> Settlement:
        """One label an item from rows that come back, before they are kept.

        Parameters
        ----------
        rows : DataFrame
            Of `core.labels.read`, of this kind, with a column target. A replacement counts if the item that it
            replaces has no label.

        Raises
        ------
        LabelError
            No row belongs to this list.
        """
        given = self.labelled | set(rows.loc[rows["label"].notna(), "item_id"])
        waiting = [item for item in self.ids if item not in given]
        return self._settle(rows, self._with_replacements(waiting, set(rows["item_id"])), self.judged or None)

    @property
    def ties(self) -> tuple[str, ...]:
        """Ids whose annotators disagree and that wait for a decision."""
        return self.settlement.undecided

    @cached_property
    def missing(self) -> tuple[str, ...]:
        """Ids of the list that wait for a label: those that are neither lost nor tied."""
        without = {*self.settlement.missing} - {*self.lost, *self.ties}
        return tuple(item for item in self.ids if item in without)

    @cached_property
    def not_yet(self) -> tuple[str, ...]:
        """Ids of the list after the last one that anybody has come to: they have no label yet.

        Blank items before it are passed over. The beginning of a list is a valid sample, so what is not labelled
        yet makes an estimate less precise and no less sound.
        """
        reached = self.reached
        last = max((place for place, item in enumerate(self.ids, 1) if item in reached), default=0)
        waiting = set(self.missing)
        return tuple(item for item in self.ids[last:] if item in waiting)

    @cached_property
    def reached(self) -> frozenset[str]:
        """Ids of the items that anybody has come to: a row has a label, of whatever use, or says why there is none.

        Rows of a file that are not kept count as well.
        """
        return self._come_to(self.relevant)

    def _come_to(self, rows: pd.DataFrame) -> frozenset[str]:
        """Ids of the items that anybody has come to, by the relevant rows."""
        says_why = rows["status"].notna() & ~rows["status"].isin(["", EMPTY, GIVEN_UP, WITHDRAWN])
        beside = (item for one in self.left for item, fate in one.items if fate in ("unread", "foreign"))
        there = rows.loc[rows["label"].notna() | says_why, "item_id"]
        return frozenset(there).difference(self.equal).union(beside)

    @cached_property
    def passed_over(self) -> tuple[str, ...]:
        """Ids of the list without a label that counts before the last one that anybody has come to: no verdict."""
        later = set(self.not_yet)
        return tuple(item for item in self.missing if item not in later)

    def opinions(self, item: str) -> pd.DataFrame:
        """Select the labels of an item that count, decisions among them."""
        return self.rows[(self.rows["item_id"] == item) & self.rows["label"].notna()]

    def choices(self, item: str) -> list[str]:
        """List the different labels that people gave an item, as they count."""
        given = self.opinions(item)
        options = choices_of(self.pool.items_with([item]), [item])[0]
        labels = given.loc[given["annotator"] != DECISION, "label"]
        read = (canonical(str(label), self.kind, options) for label in labels)
        return list(dict.fromkeys(label for label in read if label is not None))

    @property
    def manifest(self) -> str:
        """The manifest of the plan, JSON."""
        return manifests.write(self.plan, self.pool.name, dict(PARSER_VERSION))

    @property
    def origin(self) -> Pool:
        """The pool that the plan was drawn from, without what was run since."""
        return pool_of(self.plan)

    def save_plan(self, archive: Archive, created: str) -> None:
        """Keep the plan, so that labels can be weighted when they come back."""
        plan = self.plan
        archive.plans.save(plan.plan_id, self.manifest, self.origin.digest, created, plan.items_digest, plan.stratum)

    def save(
        self,
        archive: Archive,
        rows: pd.DataFrame,
        source: str,
        created: str,
        step: str = "",
        remainders: Sequence[Remainder] = (),
    ) -> int:
        """Keep the plan and labels of it, as the step of this id; return how many were new or different.

        Parameters
        ----------
        remainders : sequence of Remainder
            What their file held beside them.
        """
        self.save_plan(archive, created)
        return self._save(archive, rows, source, created, step, remainders)

    def decide(self, archive: Archive, item: str, label: str, created: str) -> None:
        """Keep what counts if the annotators of an item disagree."""
        row = pd.DataFrame([{"item_id": item, "label": label, "annotator": DECISION}])
        self._save(archive, row, BY_HAND, created)

    def withdraw(self, archive: Archive, item: str, created: str) -> None:
        """Take back what was decided of an item, under every plan of the family: an older decision holds no more."""
        gone = pd.DataFrame([{"item_id": item, "label": None, "annotator": DECISION, "status": WITHDRAWN}])
        for plan in self.family:
            rows = relevant(archive.labels.of(plan, items=[item]), self.kind, self.target)
            for row in rows[rows["annotator"] == DECISION].to_dict("records"):
                archive.labels.save(plan, gone, created, BY_HAND, row["kind"], row["target"])

    def said(self, item: str, person: str) -> list[tuple[Any, ...]]:
        """List what a person has said of an item: label, status and time of each row."""
        rows = self.relevant
        rows = rows[(rows["item_id"] == item) & (rows["annotator"] == person)]
        return list(rows[["label", "status", "created"]].itertuples(index=False, name=None))

    def refreshed(self, archive: Archive, items: Collection[str] | None = None) -> Self:
        """Read the labels again, of these items or of all, as they are kept at this moment."""
        remainders = self.remainders if items is not None else archive.labels.remainders(*self.family)
        log = _opened(archive, archive.labels.of(*self.family, items=items), self.pool, self.plan.design.scheme.parser)
        return replace(self, log=log, remainders=remainders)

    def _save(
        self,
        archive: Archive,
        rows: pd.DataFrame,
        source: str,
        created: str,
        step: str = "",
        remainders: Sequence[Remainder] = (),
    ) -> int:
        others, about = [name for name in self.family if name != self.plan.plan_id], (self.kind, self.judged)
        return archive.labels.save(self.plan.plan_id, rows, created, source, *about, others, step, remainders)

    def _with_replacements(self, gone: Collection[str], named: set[str]) -> tuple[str, ...]:
        """Give the list, then those replacements of ``gone`` items that are ``named``."""
        if named <= set(self.ids):
            return self.ids
        spare = requests.replacements(self.plan, gone)["item_id"]
        return (*self.ids, *(str(item) for item in spare if str(item) in named))

    def _settle(self, rows: pd.DataFrame, ids: tuple[str, ...], target: str | None = None) -> Settlement:
        items, decided = self.pool.items_with({*ids, *rows["item_id"]}), rows["annotator"] == DECISION
        decisions = rows[decided]
        return settle(
            rows[~decided],
            ids,
            self.plan.plan_id,
            self.kind,
            choices_of(items, ids),
            family=self.family,
            decisions=dict(zip(decisions["item_id"], decisions["label"], strict=True)),
            target=target,
            unbounded=self.unbounded,
            items=items,
            parser=self.parser,
        )


def check_target(pool: Pool, target: str | None, kind: str = "") -> None:
    """Check that a pool knows a target, or both of a pair that labels of a kind compare.

    Raises
    ------
    LabelError
        It does not; the targets that it has are named.
    """
    if kind and KINDS[kind].compares:
        if ModelPair.of(target, pool.targets) is None:
            targets = listed([f"“{name}”" for name in pool.targets])
            raise LabelError(
                "These labels say which of two answers is better. Name both targets, the one that wins and the other: "
                f'target="…", against="…" in Python, --target … --against … in the shell. The pool has '
                f"{targets or 'none'}."
            )
    elif target not in pool.targets:
        known = f"Its targets are {listed([f'“{name}”' for name in pool.targets])}." if pool.targets else "It has none."
        fault = "Name the target." if target is None else f"This pool has no target “{target}”."
        raise LabelError(f"{fault} {known}")


def pool_of(plan: Plan) -> Pool:
    """Give the pool that a plan was drawn from, or raise :class:`core.errors.DesignError` if there is none."""
    if plan.pool is None:
        raise DesignError("This plan was drawn from a profile alone. Draw it from a pool.")
    return plan.pool


def _opened(archive: Archive, log: pd.DataFrame, pool: Pool, parser: str | None) -> pd.DataFrame:
    """Read kept labels again as labels that come in are read; what is kept does not change."""
    is_answer = AnswerWords(pool, parser)
    return translated(_as_verdicts(log, is_answer), archive.words.all(), is_answer=is_answer)


def _as_verdicts(log: pd.DataFrame, is_answer: AnswerWords) -> pd.DataFrame:
    """Take right answers for verdicts if most of a step are words for right and wrong, and no answers of the pool."""
    gold = log[(log["kind"] == GOLD.name) & log["label"].notna()]
    words = {label for label in gold["label"].unique() if is_word(label)}
    if not words:
        return log
    pairs = zip(gold["item_id"], gold["label"], strict=True)
    said = pd.Series([label in words and not is_answer(item, label) for item, label in pairs], index=gold.index)
    most = said.groupby([gold[name] for name in ("plan_id", "source", "annotator", "created")]).transform("mean") > 0.5
    return log.assign(kind=log["kind"].where(~log.index.isin(gold.index[most]), RIGHT_WRONG.name))
