"""Items that have several rows, put together: samples or runs of an item, parts of what is known of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from unicodedata import normalize

from ..pool.account import WITHOUT_OUTPUT
from ..pool.columns import RUN_LOSSES, RUN_TEXTS, TARGETS
from ..pool.problems import Problems, RecordTally, shown
from ..words import counted
from .field_map import FieldMap
from .field_names import NAMES, last_key, last_name
from .first_rows import LOOKED_AT
from .joining import LOSS, LOSSES, MODEL, RUNS, UNSCORED
from .json_records import FileRow, list_of, object_of
from .row_keys import names_a_model
from .runs import FURTHER_RUNS, RunCounts, RunOrder

_FACTS = ("prompt", "choices", "answer")


@dataclass(frozen=True, slots=True)
class Output:
    """One output of a model: its text, and its answer, loss and log-probability if the file has them.

    It is ``unscored`` if it was scored and the score says neither right nor wrong. Without a text it is the score of an
    output that another row has, if there is one.
    """

    text: str | None
    answer: str | None = None
    loss: float | None = None
    logprob: float | None = None
    unscored: bool = False

    @classmethod
    def of(cls, text: str | None, share: float | None, is_scored: bool = False, answer: str | None = None) -> Output:
        """Make an output of which the share of a right answer is known, or that is open although it was scored."""
        return cls(text, answer, None if share is None else 1 - share, unscored=is_scored and share is None)

    def completed(self, other: Output) -> Output | None:
        """Return the output with what another row says of it; None if that is another output."""
        is_half = (self.text is None) != (other.text is None) and None in (self.loss, other.loss)
        if not is_half:
            return None
        of_text, of_score = (self, other) if other.text is None else (other, self)
        answer = of_text.answer if of_score.answer is None else of_score.answer
        loss = of_text.loss if of_score.loss is None else of_score.loss
        return replace(of_text, answer=answer, loss=loss, unscored=loss is None and of_score.unscored)


class ItemOutputs:
    """Collects samples by model and item; what is known of an item is what its first rows say.

    Parameters
    ----------
    tally : RecordTally
        The problems' tally, which counts the rows: one that brings a sample or a new item is taken, one that says more
        of either completes it, one whose sample is there already is repeated, and another one without an output is left
        out.
    """

    def __init__(self, tally: RecordTally) -> None:
        self._tally = tally
        self._items: dict[tuple[str | None, str], FileRow] = {}
        self._samples: dict[tuple[str | None, str], dict[int, Output]] = {}

    def add(self, row: int, record: Mapping[str, Any], sample: Output | None, place: int | None = None) -> bool:
        """Take one row.

        Parameters
        ----------
        row : int
            Its place in the file, from 1.
        record : mapping of str to Any
            The item's native keys with ``id``, and the model's name; None is unknown.
        sample : Output or None
            None if the row has no output.
        place : int, optional
            Which of the item's samples it is; by default the next.

        Returns
        -------
        bool
            False for a sample that is there already.
        """
        key = (record.get(MODEL), record["id"])
        facts = self._items.get(key, (row, None))[1]
        if sample is None:
            self._mark_without_output(row, record, facts)
        facts = self._items.setdefault(key, (row, {}))[1]
        for name, value in record.items():
            if value is not None:
                facts.setdefault(name, value)
        samples = self._samples.setdefault(key, {})
        if sample is None:
            return True
        if place is None:
            for number, known in samples.items():
                if (whole := known.completed(sample)) is not None:
                    samples[number] = whole
                    self._tally.complete(row)
                    return True
            place = len(samples)
        is_new = samples.setdefault(place, sample) is sample
        if is_new:
            self._tally.take(row)
        else:
            self._tally.repeat(row)
        return is_new

    def _mark_without_output(self, row: int, record: Mapping[str, Any], facts: Mapping[str, Any] | None) -> None:
        """Mark a row without an output, or whose outputs follow: the item's first row says what the item is."""
        if facts is None:
            self._tally.take(row)
        elif any(record.get(name) is not None and name not in facts for name in _FACTS):
            self._tally.complete(row)
        else:
            self._tally.leave_out(WITHOUT_OUTPUT, row)

    def records(self) -> Iterator[tuple[int, dict[str, Any], int]]:
        """Return the items as :meth:`core.readers.model_outputs.ModelOutputs.of` takes them."""
        for key, (row, item) in self._items.items():
            samples = [sample for _, sample in sorted(self._samples[key].items(), key=lambda pair: pair[0])]
            record = {
                **item,
                "generations": [sample.text or "" for sample in samples],
                RUNS: max(len(samples), item.get(RUNS, 1)),
            }
            if all(sample.text is None for sample in samples):
                record["generations"] = []
            if any(sample.answer is not None for sample in samples):
                record["generation_answers"] = [sample.answer for sample in samples]
            if samples and all(sample.logprob is not None for sample in samples):
                record["logprobs"] = [sample.logprob for sample in samples]
            record[LOSS] = samples[0].loss if samples else None
            if len(samples) > 1 and any(sample.loss is not None for sample in samples):
                record[LOSSES] = [sample.loss for sample in samples]
            if samples and samples[0].unscored:
                record[UNSCORED] = True
            yield row, record, sum(len(sample.text or "") for sample in samples)


def total_logprob(logprobs: Any) -> float | None:
    """Add the log-probabilities of the tokens, as OpenAI's chat completions have them; None unless all are known."""
    values = [object_of(token).get("logprob") for token in list_of(object_of(logprobs).get("content"))]
    known = [float(value) for value in values if isinstance(value, (int, float))]
    return sum(known) if len(known) == len(values) > 0 else None


# What a row has beside the record of its item: the run, and who gave the verdicts.
RUN, REVIEWER = "\0run", "\0reviewer"
# More reviewers than these have no columns by their names.
_MOST_REVIEWERS = 12
# What must be the same in all rows of an item.
_OF_THE_ITEM = ("prompt", "choices", "answer")


def merge_rows(rows: Iterable[FileRow], fields: FieldMap, problems: Problems, runs: RunCounts) -> Iterator[FileRow]:
    """Put the rows of each item together, and count its runs."""
    items: dict[str, list[FileRow]] = {}
    for row, record in rows:
        # An item without an id is reported separately.
        name = str(record["id"] if record["id"] is not None else f"\0{row}")
        items.setdefault(normalize("NFC", name), []).append((row, record))
    judges = [fields.column(path) for path in fields.numeric_judges]
    if fields.reviewer:
        _spread(items, fields, problems)
        judges = []
    are_samples, rescored = "generations" in fields.fields, list[int]()
    order = RunOrder([record[RUN] for _, record in members] for members in items.values() if fields.run_name)
    problems.note(order.remark(fields.run_name) if fields.targets else "")
    for members in items.values():
        if fields.run_name:
            members = order.ordered(members, lambda one: one[1][RUN])
        members = _first_run(members, fields, problems, runs)
        row, first = members[0]
        pieces, apart = [first], list[FileRow]()
        for other, record in members[1:]:
            if not are_samples and not fields.reviewer and not _is_piece(first, record):
                apart.append((other, record))
                continue
            if record.get("generations") is not None:
                problems.tally.take(other)
            elif known_facts(record).keys() <= known_facts(first).keys():
                problems.tally.repeat(other)
            else:
                problems.tally.complete(other)
            if _add(first, record, row, other, problems):
                rescored.append(other)
            pieces.append(record)
        yield row, first | mean_verdicts(pieces, judges)
        yield from apart
    several = sum(len(members) > 1 for members in items.values())
    if several and (are_samples or not fields.run_name):
        rows_of_items = counted(sum(map(len, items.values())), "row")
        what = "verdicts on" if fields.reviewer else "samples of" if are_samples else "parts of"
        problems.note(f"Rows with the same id are {what} one item: {rows_of_items}, {counted(len(items), 'item')}.")
    if rescored:
        problems.note(
            f"{counted(len(rescored), 'row gives', 'rows give')} a target a score other than an earlier row of the "
            f"same item (the first is row {rescored[0]}). The first score of each item counts. If these are scores of "
            "several models, metrics, runs or annotators, say which field tells them apart (in a shell: --model PATH, "
            "--run PATH or --reviewer PATH), or keep one of them, or their mean, in the file."
        )


def mean_verdicts(numbers: Sequence[Mapping[str, float | None]], names: Iterable[str]) -> dict[str, float | None]:
    """Average what each judge says of an item."""
    known = {name: [one[name] for one in numbers if one[name] is not None] for name in names}
    return {name: sum(filter(None, values)) / len(values) if values else None for name, values in known.items()}


def known_facts(record: Mapping[str, Any]) -> dict[Any, Any]:
    """List what a row says, that of targets by their names; a score that is left open says nothing."""
    of_targets = {
        (model, name): value
        for model, outcome in record.get(TARGETS, {}).items()
        for name, value in outcome.items()
        if name != "unscored"
    }
    facts = {name: value for name, value in record.items() if name not in (TARGETS, "id")}
    return {name: value for name, value in (facts | of_targets).items() if value is not None}


def check_item(first: FileRow, record: dict[str, Any], row: int, problems: Problems) -> None:
    """Check that a row says the same of an item as its first row does."""
    for name in _OF_THE_ITEM:
        known = first[1].get(name)
        if record.get(name) is not None and known is not None and record[name] != known:
            remedy = "Name a field as the id that is different for each item."
            problems.add(f"the {name} differs from that of row {first[0]}, which has the same id.", row, name, remedy)


def _first_run(members: list[FileRow], fields: FieldMap, problems: Problems, runs: RunCounts) -> list[FileRow]:
    """Return the rows of an item's first run, to which samples, losses and outputs of all runs are added in order."""
    if fields.run_scores:
        count, *_ = [record.pop(RUN) for _, record in members]
        row, first = members[0]
        runs.add(count, row, count > 0 and not any(map(_is_scored, first.get(TARGETS, {}).values())))
        return members
    if not fields.run_name:
        return members
    names = [str(record.pop(RUN)) for _, record in members]
    row, first = members[0]
    known: dict[str, FileRow] = {}
    of_first, is_scored = list[FileRow](), False
    for name, (other, record) in zip(names, members, strict=True):
        earlier = known.setdefault(name, (other, record))
        if name == names[0] and (other == row or _is_piece(first, record)):
            of_first.append((other, record))
        elif earlier[0] != other and not _is_piece(earlier[1], record):
            message = f"run {shown(name)} of item {shown(str(record['id']))} is in row {earlier[0]} too."
            problems.add(message, other, fields.run_name, "Keep one row for each run of an item.")
        elif earlier[0] != other:
            problems.tally.repeat(other)
        else:
            check_item((row, first), record, other, problems)
            is_scored |= any(map(_is_scored, record.get(TARGETS, {}).values()))
            if record.get("generations") is not None or any(
                _is_scored(one) or _has_output(one) for one in record.get(TARGETS, {}).values()
            ):
                problems.tally.take(other)
                _extend(first, record)
            else:
                problems.tally.leave_out(FURTHER_RUNS, other)
            for fact in _OF_THE_ITEM:
                if first.get(fact) is None and fact in record:
                    first[fact] = record[fact]
    is_open = is_scored and not any(map(_is_scored, first.get(TARGETS, {}).values()))
    runs.add(len(known), row, is_open)
    if len(known) > 1:
        _keep_runs(first, [record for _, record in known.values()])
    return of_first


def _keep_runs(first: dict[str, Any], records: Sequence[Mapping[str, Any]]) -> None:
    """Add the losses and outputs of all runs of an item to what is known of each target."""
    for model, outcome in first.get(TARGETS, {}).items():
        runs = [dict(record.get(TARGETS, {}).get(model, {})) for record in records]
        losses = [one.get("loss") for one in runs]
        texts = [one["answer"] if one.get("text") is None else one["text"] for one in runs if _has_output(one)]
        if any(loss is not None for loss in losses):
            outcome[RUN_LOSSES] = losses
        if len(texts) == len(runs):
            outcome[RUN_TEXTS] = texts


def _has_output(outcome: Mapping[str, Any]) -> bool:
    return outcome.get("text") is not None or outcome.get("answer") is not None


def _is_scored(outcome: Mapping[str, Any]) -> bool:
    return outcome.get("loss") is not None


def _spread(items: Mapping[str, list[FileRow]], fields: FieldMap, problems: Problems) -> None:
    """Give each reviewer columns of the verdicts: by name, or by number within the item if there are many."""
    word = last_key(fields.reviewer)
    kept = [fields.column(path) for path in dict.fromkeys([*fields.columns, *fields.judges])]
    records = [record for members in items.values() for _, record in members]
    names = dict.fromkeys(str(record[REVIEWER]) for record in records if record[REVIEWER] is not None)
    for members in items.values():
        earlier = dict[str, int]()
        for place, (row, record) in enumerate(members, start=1):
            who = str(record.pop(REVIEWER))
            if earlier.setdefault(who, row) != row:
                message = f"{shown(who)} has a verdict on this item in row {earlier[who]} too."
                problems.add(message, row, fields.reviewer, "Keep one row of each reviewer for each item.")
            _check_texts(members[0], record, row, problems)
            for name in [name for name in kept if name in record]:
                record[f"{name} ({word} {place if len(names) > _MOST_REVIEWERS else who})"] = record.pop(name)
    if names:
        each = "Each has" if len(names) <= _MOST_REVIEWERS else "The first, second … of each item have"
        problems.note(f"{shown(fields.reviewer)} names {counted(len(names), 'reviewer')}. {each} separate columns.")


def _check_texts(first: FileRow, record: Mapping[str, Any], row: int, problems: Problems) -> None:
    """Check that the rows of an item are about one output."""
    for model, outcome in record.get(TARGETS, {}).items():
        known = first[1][TARGETS][model].get("text")
        if None not in (known, outcome.get("text")) and known != outcome["text"]:
            remedy = "Name a field as the id that is different for each output."
            problems.add(f"the output differs from that of row {first[0]}, which has the same id.", row, model, remedy)


def _is_piece(first: Mapping[str, Any], record: Mapping[str, Any]) -> bool:
    """Whether a row says nothing else of an item than its first row does, which says something."""
    known = known_facts(first)
    return bool(known) and all(known.get(name, value) == value for name, value in known_facts(record).items())


def _add(first: dict[str, Any], record: dict[str, Any], row: int, other: int, problems: Problems) -> bool:
    """Add what another row says of an item to its first row; whether it gives a target another score."""
    check_item((row, first), record, other, problems)
    _extend(first, record)
    for name, value in record.items():
        if name != TARGETS and first.get(name) is None:
            first[name] = value
    differs = False
    for model, outcome in record.get(TARGETS, {}).items():
        known = first[TARGETS][model]
        differs |= None not in (losses := (known.get("loss"), outcome.get("loss"))) and losses[0] != losses[1]
        known.update({name: value for name, value in outcome.items() if known.get(name) is None})
        if known.get("loss") is not None:
            known.pop("unscored", None)
    return differs


def _extend(first: dict[str, Any], record: Mapping[str, Any]) -> None:
    """Add the samples of another row."""
    for name in ("generations", "generation_answers", "logprobs", "token_logprobs"):
        if record.get(name) is not None:
            first[name] = [*(first.get(name) or ()), *record[name]]


# A check that the rows of a file with one target are all about the same model.


class OneModel:
    """Columns that are not read and name one model in the first rows: further rows may be about another one.

    What differs in the first rows, a person has been asked about.

    Parameters
    ----------
    fields : FieldMap
        Where the fields of items are.
    """

    def __init__(self, fields: FieldMap) -> None:
        self._is_one = len(fields.targets) == 1 and not fields.model
        self._read, self._looked = {*fields.paths()}, 0
        self._names, self._several = dict[str, str](), set[str]()
        self._other = "", 0, ""

    def look(self, value: Mapping[str, Any], row: int) -> None:
        """Compare the names of models in a row with those of the first rows."""
        if not self._is_one or self._other[1]:
            return
        self._looked += 1
        is_first = self._looked <= LOOKED_AT
        for key in value if is_first else self._names:
            name = value.get(key)
            if not isinstance(name, str) or not name.strip() or key in self._read or key in self._several:
                continue
            if is_first and not (names_a_model(key) and last_name(key) not in NAMES["model-like"]):
                continue
            if self._names.setdefault(key, name.strip()) == name.strip():
                continue
            if not is_first:
                self._other = name.strip(), row, key
                return
            self._several.add(key)
            del self._names[key]

    def check(self, problems: Problems) -> None:
        """Refuse rows about another model, which would count as results of the first one."""
        name, row, key = self._other
        if row:
            first = self._names[key]
            message = f"the row is about the model {shown(name)}, and earlier rows are about {shown(first)}."
            remedy = (
                "Take the field as the name of the model, and as the id what the rows of an item have in common (in a "
                f"shell: --model {key} --id PATH). If it is one system that uses several models, keep the column "
                f"(--column {key})."
            )
            problems.add(message, row, key, remedy)
