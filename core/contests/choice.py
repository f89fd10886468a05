"""The best of K models of a pool: how many labels it takes, their lists, and what the labels decide."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from ..design.design import Design, Plan
from ..design.scheme import whole
from ..errors import DesignError, LabelError
from ..gates.version_plan import answered_items
from ..labels import reversals
from ..labels.formats.label_file import LabelFile
from ..labels.formats.records import EMPTY
from ..labels.kinds import GOLD, KINDS, RIGHT_WRONG, check_kind
from ..labels.models import of_models
from ..labels.targets import ANSWERS_OF, target_code
from ..pool.pool import Pool
from ..signals.past import agreeing_models, past_losses, past_models, past_risk
from ..study.files import LabelSource, labelled_as_usual, read_labels, request
from ..study.readings import Reading
from ..study.record import pool_of
from ..study.study import Study
from ..words import counted, listed, per_cent
from .contest import Array, Course, InterimLook, Mask, ModelContest, SelectionRule, Wave, Whole, planned, scheme_of
from .sample_size import SampleSize, likely_losses, sample_size

DECIDED, UNDECIDED = "decided", "undecided"
LOOKS = 3
# If models give the same answer to hardly any item, their answers are free texts: each is judged.
_HARDLY_ALIKE = 0.05
# So many models are named in a sentence.
_FEW = 4
# An answer that a model did not give, which is wrong.
_NONE = -1


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Best:
    """A contest of models on a pool, before its labels.

    Parameters
    ----------
    pool : Pool
        The items that all models were asked.
    contest : ModelContest
        The models, their answers, and the rule.
    size : SampleSize
        Labels to expect, by the outcomes that the pool knows, or else as the answers suggest.
    most : SampleSize or None
        Labels if all models were equally good; None of a rehearsal, or if the claim is strict.
    losses : (N, K) float or None
        The outcomes, if the pool knows all of them: then this is a rehearsal.
    kind : str
        Of labels, of `core.labels.KINDS`: right answers, or "right-wrong" for each distinct answer.
    left_out : int
        Items that not all models were asked.
    parser : str or None
        Answer kind of all items.
    """

    pool: Pool
    contest: ModelContest
    size: SampleSize
    most: SampleSize | None
    losses: Array | None
    kind: str
    left_out: int = 0
    parser: str | None = None

    @property
    def models(self) -> tuple[str, ...]:
        """The models."""
        return self.contest.rule.models

    @property
    def rehearsal(self) -> bool:
        """Whether the pool knows every outcome, so that nothing has to be labelled."""
        return self.losses is not None

    @property
    def sentence(self) -> str:
        """Say how many labels it takes, beside uniform pairing."""
        one, rule = self.size, self.contest.rule
        how = "by the outcomes that this pool knows" if self.rehearsal else "if models differ as their answers suggest"
        waves = f"In up to {len(one.sizes)} waves, about {one.expected:,.0f} to expect. " if len(one.sizes) > 1 else ""
        most = f" If all were equally good: {self.most.labels:,}." if self.most is not None else ""
        return (
            f"{counted(one.labels, 'label')} instead of {one.uniform:,} find the best model. {waves}The answer is the "
            f"best of {len(self.models)}{_or_within(rule)}, found with a chance of {per_cent(one.power)}, {how}.{most}"
        )

    @property
    def favourite(self) -> str:
        """Say which model leads by what is known before labels."""
        return f"By what is known before labels, {self.models[int(self.contest.expected.argmax())]} leads."

    @property
    def assurance(self) -> str:
        """Say how often a claim is wrong."""
        wrong = per_cent(1 - self.contest.rule.confidence)
        return f"Whatever the models are like, the answer is wrong at most {wrong} of the time."

    @property
    def not_needed(self) -> str:
        """Say on which items nobody has to label."""
        n_items = self.contest.n_items
        same = f"{n_items - self.size.differing:,} of {counted(n_items, 'item')}"
        alike = f"All models give the same answer to {same}: no label there."
        out = f" {counted(self.left_out, 'item')} that not all models answered left out." if self.left_out else ""
        return f"{alike}{out}"

    def plan(self, wave: Wave) -> Plan:
        """The plan of a wave's list, over the items on which survivors differ."""
        scheme = replace(scheme_of(wave.order.size, wave.places.size), parser=self.parser)
        return Design(wave.order.size, scheme, wave.seed, wave.risk).draw(self.pool.part(wave.places))

    def request(self, wave: Wave | None = None) -> pd.DataFrame:
        """Give the list of a wave, by default the first: a row an item, or one for each distinct answer to be judged.

        Parameters
        ----------
        wave : Wave, optional
            Of `Standing.next_wave`.
        """
        wave = self.standing(self._unlabelled).next_wave if wave is None else wave
        if wave is None:
            raise DesignError("Nothing has to be labelled: the models give the same answer to every item.")
        plan = self.plan(wave)
        if self.kind == GOLD.name:
            return request(plan, self.kind)
        position = {str(item): place for place, item in enumerate(plan.ids)}
        codes, parts, asked = self.contest.answers[wave.order], list[pd.DataFrame](), np.flatnonzero(wave.survivors)
        for place in asked:
            before = codes[:, asked[asked < place]]
            new = (codes[:, place] != _NONE) & (before != codes[:, [place]]).all(axis=1)
            rows = request(plan, self.kind, self.models[place])
            parts.append(rows[new[rows["item_id"].map(position).to_numpy()]])
        rows = pd.concat(parts, ignore_index=True)
        rows = rows.iloc[np.argsort(rows["item_id"].map(position), kind="stable")].reset_index(drop=True)
        return rows.assign(position=range(1, len(rows) + 1))

    def decide(
        self,
        file: LabelSource | Sequence[LabelSource],
        words: Mapping[str, str] = MappingProxyType({}),
        kind: str | None = None,
    ) -> Standing:
        """Decide from the labels of the lists.

        Parameters
        ----------
        file : path, bytes, DataFrame or LabelFile, or a list of them
            The filled lists of all waves so far.
        words, kind
            As in `core.study.labelled`.

        Raises
        ------
        LabelError
            As `core.study.labelled`, or the labels are of a list with other models, another pool or another rule.
        """
        files = [read_labels(one) for one in (file if isinstance(file, list | tuple) else [file])]
        losses, skipped, studies = self._unlabelled, np.zeros(self.contest.n_items, dtype=bool), list[Study]()
        for _ in range(len(self.contest.rule.sizes) + 1):
            course = self.contest.follow(losses, skipped)
            if not course.waiting.size:
                break
            plan = self.plan(course.waves[-1])
            own = _of_plan(files, plan)
            if not own and len(course.waves) == 1:
                raise LabelError(_OTHER_LIST)
            before = course.waiting.size
            if own:
                studies.append(self._fill(course.waves[-1], plan, own, words, kind, losses, skipped))
            if not own or self.contest.follow(losses, skipped).waiting.size == before:
                break
        return self.standing(losses, skipped, tuple(studies))

    def begin(self) -> Standing:
        """Return what is known before labels: of a rehearsal everything."""
        return self.standing(self._known)

    def unlabelled(self) -> Standing:
        """Return what is known before labels without the outcomes of a rehearsal."""
        return self.standing(self._unlabelled)

    def typical(self, seeds: int) -> Best:
        """Return a rehearsal with the first seed, of so many, that is decided at the look at which half of them are."""
        middle = 1 + sum(chance < 0.5 for chance in self.size.chances[:-1])
        for seed in range(seeds):
            contest = replace(self.contest, rule=replace(self.contest.rule, seed=seed))
            if len(contest.follow(self._known).looks) == middle:
                return replace(self, contest=contest)
        return self

    def command(self, file: str) -> str:
        """The command line that plans the same contest on a file."""
        rule, size, words = self.contest.rule, self.size, ["neyman", "best", file]
        words += [] if self.models == tuple(self.pool.targets) else self.models
        usual = {"confidence": "95", "power": "80", "looks": str(LOOKS), "seed": "0", "parser": "None"}
        asked = {
            "within": 100 * rule.within,
            "confidence": 100 * rule.confidence,
            "power": 100 * size.power,
            "looks": len(rule.sizes),
            "seed": rule.seed,
            "parser": self.parser,
        }
        for name, value in asked.items():
            text = f"{value:.6g}" if isinstance(value, float) else str(value)
            words += [f"--{name}", text] if text != usual.get(name) else []
        return shlex.join(words)

    def standing(self, losses: Array, skipped: Mask | None = None, studies: tuple[Study, ...] = ()) -> Standing:
        """Return what losses decide; parameters as of `core.contests.contest.ModelContest.follow`."""
        both = self._both_right(losses) if studies else ""
        return Standing(self, self.contest.follow(losses, skipped), studies, both)

    def _both_right(self, losses: Array) -> str:
        """Return a sentence about items of which answers that differ have no loss; "" if there are none."""
        right = dict[str, list[str]]()
        for row, column in np.argwhere(losses == 0).tolist():
            right.setdefault(str(self.pool.ids[row]), []).append(self.models[column])
        return reversals.both_right(right, self.pool, self.parser)

    @property
    def _known(self) -> Array:
        return self._unlabelled if self.losses is None else self.losses

    @property
    def _unlabelled(self) -> Array:
        """Losses before labels: known where all models agree, and of answers that were not given."""
        return np.where(self.contest.answers == _NONE, 1.0, np.nan)

    def _fill(
        self,
        wave: Wave,
        plan: Plan,
        files: list[LabelFile],
        words: Mapping[str, str],
        kind: str | None,
        losses: Array,
        skipped: Mask,
    ) -> Study:
        """Write the labels of a wave into losses and skipped items; return them as they were read."""
        about = [self.models[0]]
        kind = kind or next((str(one) for file in files for one in file.rows["kind"].dropna()), None) or self.kind
        if kind != GOLD.name:
            files = [of_models(file, pool_of(plan).targets) for file in files]
            given = pd.concat([file.rows for file in files])
            codes = set(given.loc[given["label"].notna(), ANSWERS_OF])
            about = [name for name in self.models if target_code(name) in codes] or about
        study = labelled_as_usual(plan, files, about[0], kind, words, {}, parser=self.parser, beside=about)
        place = dict(zip(plan.pool_ids, wave.places.tolist(), strict=True))
        on_list, answers = set(wave.order.tolist()), self.contest.answers
        for column, name in enumerate(self.models):
            if kind != GOLD.name and name not in about:
                continue
            values = study.labels.about(Reading(kind, name)).values
            for item, value in zip(values["item_id"], values["value"], strict=True):
                row = place[item]
                if row in on_list and answers[row, column] != _NONE and not np.isnan(value):
                    losses[row, answers[row] == answers[row, column]] = 1.0 - value
        rows = study.labels.log
        back = rows.loc[~rows["status"].isin(["", EMPTY]), "item_id"]
        ties = (item for name in about for item in study.labels.about(Reading(kind, name)).ties)
        for item in {*back, *ties} & {*plan.ids}:
            skipped[place[item]] |= np.isnan(losses[place[item]]).any()
        return study

    def __repr__(self) -> str:
        return f"{self.sentence}\n{self.assurance} {self.not_needed}"


@dataclass(frozen=True, eq=False, repr=False)
class Standing:
    """State of a contest by the labels so far.

    Parameters
    ----------
    best : Best
        The contest.
    course : Course
        Its waves and looks.
    studies : tuple of Study
        The labels of each wave as they were read.
    both_right : str
        A sentence about answers that differ and are all labelled right; "" if there are none.
    """

    best: Best
    course: Course
    studies: tuple[Study, ...] = ()
    both_right: str = ""

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks on the labels, for a person to check."""
        of_waves = dict.fromkeys(one for study in self.studies for one in study.labels.to_check)
        return tuple(filter(None, (self.both_right, *of_waves)))

    @property
    def look(self) -> InterimLook | None:
        """The last look; None before the first list is labelled."""
        return self.course.looks[-1] if self.course.looks else None

    @property
    def verdict(self) -> str:
        """Whether the best is found: "decided" or "undecided"."""
        return DECIDED if self.look is not None and self.look.decided else UNDECIDED

    @property
    def leader(self) -> str:
        """The model that leads, which is the best one if it is decided; "" before the first look."""
        return "" if self.look is None else self.best.models[self.look.leader]

    @property
    def n_labels(self) -> int:
        """Items of the lists that are labelled."""
        return sum(one.order.size for one in self.course.waves) - self.course.waiting.size

    @property
    def next_wave(self) -> Wave | None:
        """The wave whose list waits for labels; None if it is decided."""
        return self.course.waves[-1] if self.course.waiting.size else None

    @property
    def most_to_go(self) -> int:
        """Labels that the planned waves still take at most; those of the last wave if none is planned."""
        if self.next_wave is None:
            return 0
        return int(self.course.waiting.size) + sum(self.best.contest.rule.sizes[len(self.course.waves) :])

    @property
    def out(self) -> tuple[str, ...]:
        """Models that dropped out, the first first."""
        table = self.table()
        return tuple(table[table["out_after_wave"] > 0].sort_values("out_after_wave", kind="stable")["model"])

    @property
    def sentence(self) -> str:
        """Say which model is best, or what is open."""
        rule, look, n_models = self.best.contest.rule, self.look, len(self.best.models)
        labels = counted(self.n_labels, "label")
        if look is None:
            return f"Undecided: {counted(self.course.waiting.size, 'item')} of the first list wait for labels."
        if look.decided:
            if self._exact or rule.within:
                how = ", exactly" if self._exact else _or_within(rule)
                return f"{self.leader} is the best model{how}. {n_models} models, {labels}."
            return f"{self.leader} is better than all others. {n_models} models, {labels}."
        names = [name for name, left in zip(self.best.models, look.survivors, strict=True) if left]
        left = listed(names) if len(names) <= _FEW else f"{len(names)} of {n_models} models"
        return f"Undecided: {left} are left. {self.leader} leads, {labels}."

    @property
    def to_go(self) -> str:
        """Say which list comes next, and how many labels may follow; "" if it is decided."""
        wave = self.next_wave
        if wave is None:
            return ""
        sizes, number = self.best.contest.rule.sizes, len(self.course.waves)
        waiting = counted(self.course.waiting.size, "item")
        if number > len(sizes):
            return f"The planned looks are over. The other {waiting} on which these models differ make it exact."
        more = self.most_to_go - self.course.waiting.size
        return f"The list of wave {number} of {len(sizes)} has {waiting} to label, and {more:,} more may follow."

    @property
    def _exact(self) -> bool:
        look = self.look
        now = None if look is None else look.survivors | (look.out_at == look.number)
        return bool(look is not None and (look.high == look.low)[now].all())

    def table(self) -> pd.DataFrame:
        """A row a model, the best first: model, value, low, high, out_after_wave, wave, state.

        ``value`` is the accuracy less the leader's, with its limits; ``out_after_wave`` is 0 of a model that is left;
        ``wave`` is the look of the numbers; ``state`` says it in words: “leads”, “out, wave 2”, “still in”, or, once it
        is decided, “not told apart” from the leader.
        """
        look = self.look
        if look is None:
            return pd.DataFrame(columns=["model", "value", "low", "high", "out_after_wave", "wave", "state"])
        rows = pd.DataFrame(
            {
                "model": self.best.models,
                "value": look.value,
                "low": look.low,
                "high": look.high,
                "out_after_wave": look.out_at,
                "wave": np.where(look.out_at > 0, look.out_at, look.number),
            }
        )
        rows["left"] = rows["out_after_wave"].where(rows["out_after_wave"] > 0, np.inf)
        rows = rows.sort_values(["left", "value"], ascending=False, kind="stable", ignore_index=True)
        left = "not told apart" if look.decided else "still in"
        rows["state"] = [f"out, wave {out}" if out else left for out in rows["out_after_wave"]]
        rows.loc[0, "state"] = "leads"
        return rows.drop(columns="left")

    def document(self) -> dict[str, Any]:
        """The rule and the result for a program or a manifest."""
        rule, size = self.best.contest.rule, self.best.size
        return {
            "verdict": self.verdict,
            "best": self.leader if self.verdict == DECIDED else None,
            "leader": self.leader or None,
            "models": list(rule.models),
            "within": rule.within,
            "confidence": rule.confidence,
            "waves": list(rule.sizes),
            "seed": rule.seed,
            "items": self.best.contest.n_items,
            "differing": size.differing,
            "labels_planned": size.labels,
            "labels_expected": round(size.expected),
            "labels_uniform": size.uniform,
            "labels_if_equal": None if self.best.most is None else self.best.most.labels,
            "power": size.power,
            "rehearsal": self.best.rehearsal,
            "labels": self.n_labels,
            "waiting": int(self.course.waiting.size),
            "most_to_go": self.most_to_go,
            "lists": [self.best.plan(wave).plan_id for wave in self.course.waves if wave.order.size],
            "differences": self.table().to_dict("records"),
            "sentence": self.sentence,
            "remarks": list(self.remarks),
        }

    @property
    def truth(self) -> str:
        """Say of a rehearsal which model is best by all outcomes; "" of any other contest."""
        if self.best.losses is None:
            return ""
        accuracy = 1 - self.best.losses.mean(axis=0)
        first, second = np.argsort(-accuracy, kind="stable")[:2]
        return (
            f"{self.best.models[first]} is best, {100 * (accuracy[first] - accuracy[second]):.1f} points ahead of "
            f"{self.best.models[second]}. So say all {counted(self.best.contest.n_items, 'known outcome')}."
        )

    def markdown(self) -> str:
        """Summarise the result for a pull request."""
        rows = [
            f"| {one['model'].replace('|', '¦')} | {100 * one['value']:+.1f} ({100 * one['low']:+.1f} to "
            f"{100 * one['high']:+.1f}) | {one['out_after_wave'] or ''} |"
            for one in self.table().to_dict("records")
        ]
        head = ["| model | points behind the leader | out after wave |", "|---|---|---|"] if rows else []
        notes = [f"\n{one}" for one in (self.to_go, self.truth, *self.remarks) if one]
        return "\n".join([f"### {self.sentence}", "", *head, *rows, *notes]) + "\n"

    def __repr__(self) -> str:
        table = self.table()
        points = table.assign(**{name: 100 * table[name] for name in ("value", "low", "high")})
        text = points.to_string(index=False, float_format="{:+.1f}".format) if len(points) else ""
        return "\n".join(filter(None, [self.sentence, text, self.to_go, self.truth, *self.remarks]))


_OTHER_LIST = (
    "These labels are of another list: one of other models, of a changed pool, or of another rule (within, confidence, "
    "waves, seed). Give the pool, the models and the options with which the list was written."
)


def best(
    pool: Pool,
    models: Sequence[str] | None = None,
    within: float = 0.01,
    confidence: float = 0.95,
    power: float = 0.8,
    looks: int = LOOKS,
    labels: int | None = None,
    *,
    kind: str | None = None,
    seed: int = 0,
    parser: str | None = None,
) -> Best:
    """Plan which of K models is best, or within ε of the best, by few labels.

    Parameters
    ----------
    pool : Pool
        With the answers of the models. Items that one of them was not asked are left out.
    models : sequence of str, optional
        Two or more targets; by default all with answers.
    within : float
        ε in [0, 1), in accuracy: 0.01 is one point; 0 asks which model is better than all others.
    confidence : float
        In (0.5, 1): a claim is wrong at most 1 − confidence of the time.
    power : float
        Chance to decide that is planned for, in (0, 1).
    looks : int
        Number of waves. The labels are looked at after each; each has twice as many labels as the one before.
    labels : int, optional
        Labels of all waves; by default as many as ``power`` takes.
    kind : str, optional
        "gold", one right answer an item settles all models; or "right-wrong" or "score", each distinct answer is
        judged. By default right answers, unless models hardly ever give the same answer.
    seed : int
        Of the lists.
    parser : str, optional
        Answer kind of all items; by default each item's own.

    Raises
    ------
    DesignError
        A number is out of its range, a model is unknown or has no answers, or no item has answers of all.
    """
    pool.check_unweighted("The best of several models")
    whole("number of looks", looks, 1)
    if labels is not None:
        whole("number of labels", labels, 1)
    names = tuple(pool.targets if models is None else models)
    known = [pool.losses(name, parser) for name in _there(pool, names)]
    answered = [answered_items(pool, name) for name in names]
    asked = np.all([one | ~np.isnan(loss) for one, loss in zip(answered, known, strict=True)], axis=0)
    if not 0 < power < 1:
        raise DesignError(f"The power must lie between 0 and 1, such as 0.8. Found {power:g}.")
    if not asked.any():
        raise DesignError("No item has answers of all these models, so nothing can be compared.")
    part = pool if asked.all() else pool.part(np.flatnonzero(asked))
    outcomes = np.column_stack(known)[asked]
    rehearsal = not np.isnan(outcomes).any() and ((outcomes >= 0) & (outcomes <= 1)).all()
    codes = _codes(part, names, outcomes, parser)
    rule = SelectionRule(names, within, confidence, seed=seed)
    contest = ModelContest(codes, _chances(part, names, codes, parser), rule, part.groups)
    if kind is None:
        alike = np.mean([codes[:, 0] == codes[:, place] for place in range(1, len(names))])
        kind = GOLD.name if alike > _HARDLY_ALIKE else RIGHT_WRONG.name
    check_kind(kind)
    if KINDS[kind].compares:
        raise LabelError(
            "The best of several models is found by labels of each model’s answers. Preferences compare two: label "
            "each model against one baseline, and compare their win rates (docs/labels.md)."
        )
    losses, most = (outcomes if rehearsal else likely_losses(contest, seed)), None
    gaps = None if rehearsal else contest.expected.max() - contest.expected
    size = sample_size(contest, losses, looks, power, gaps)
    if not rehearsal and within:
        most = sample_size(contest, losses, looks, power, np.zeros(len(names)))
    contest = planned(contest, size.labels if labels is None else labels, looks)
    return Best(part, contest, size, most, outcomes if rehearsal else None, kind, int((~asked).sum()), parser)


def _of_plan(files: Sequence[LabelFile], plan: Plan) -> list[LabelFile]:
    """Return what files say of a plan's items, if they have a label of one; [] if none has."""
    ids, own = {*map(str, plan.ids)}, list[LabelFile]()
    for file in files:
        rows = file.rows[file.rows["plan_id"].isna() | (file.rows["plan_id"] == plan.plan_id)]
        if rows["item_id"].isin(ids).any():
            shown = {*rows["row"]}
            own.append(replace(file, rows=rows, shown=tuple(one for one in file.shown if one.row in shown)))
    return own if any(one.rows["label"].notna().any() for one in own) else []


def _there(pool: Pool, names: Collection[str]) -> Collection[str]:
    if unknown := [f"“{name}”" for name in names if name not in pool.targets]:
        there = ", ".join(f"“{name}”" for name in list(pool.targets)[:12])
        raise DesignError(f"The pool has no model {listed(unknown)}. Its models: {there or 'none'}.")
    if len(names) < 2:
        raise DesignError(f"Give two models or more to choose among. Found {counted(len(names), 'model')}.")
    return names


def _codes(pool: Pool, names: Sequence[str], outcomes: Array, parser: str | None) -> Whole:
    """Codes of answers, (N, K): equal if texts are; −1 of no answer, which is wrong.

    A model without answers, of which outcomes alone are known, agrees with nobody.
    """
    columns = list[Whole]()
    answers = [pool.target_answers(name, parser) for name in names]
    texts = pd.factorize(np.concatenate(answers))[0].reshape(len(names), -1)
    for place, codes in enumerate(texts):
        alone = codes.max(initial=-1) < 0 and not np.isnan(outcomes[:, place]).any()
        columns.append(np.full(codes.size, -2 - place) if alone else np.asarray(codes, dtype=np.int64))
    return np.column_stack(columns)


def _chances(pool: Pool, names: Sequence[str], codes: Whole, parser: str | None) -> Array:
    """Chance that each answer is right before labels, (N, K): the share of models and of generations that give it.

    If results of other models are known, it is that share of the chance that an item is not failed.
    """
    others = [name for name in agreeing_models(pool, names[0]) if name not in names] if names else []
    answers = [pool.target_answers(name, parser) for name in (*names, *others)]
    voters = pd.factorize(np.concatenate(answers))[0].reshape(len(answers), -1)
    given = np.maximum((voters >= 0).sum(axis=0), 1)
    own = voters[: len(names)]
    shares = np.column_stack([((voters == one) & (one >= 0)).sum(axis=0) / given for one in own])
    shares = np.where(codes < _NONE, 1 / len(names), shares)
    past = [name for name in past_models(pool, parser=parser) if name not in names]
    if past:
        shares = shares * (1 - past_risk(past_losses(pool, None, past, parser)))[:, None]
    return shares


def _or_within(rule: SelectionRule) -> str:
    size = 100 * rule.within
    return f", or within {size:g} {'point' if size == 1 else 'points'} of it" if rule.within else ""
