"""The items of a job, streamed: those of a kept pool, or pairs of answers that a grouping asks about.

An item of the pool with d distinct answers has d (d − 1) ordered pairs. A target's answer that none of the generations
gives has two more with each of them. Equal answers need no question, and neither does the same pair of answers to the
same question in another item.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from itertools import combinations, compress, islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ...answers import EXTRACTED, parse
from ...answers.classes import VERDICTS
from ..faults import SurrogateError
from .parameters import Grouping
from .spec import JobSpec

ITEM_COLUMNS = ("id", "prompt", "choices", "answer_kind", "image")
"""Columns of the pool that an item is made of."""
_BATCH = 256
_DEFAULT_KIND = "as-is"
TARGETS = "targets"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class Item:
    """One item, as far as a model is asked about it.

    Parameters
    ----------
    position : int
        Its place in the pool, from 0.
    id, prompt : str
        Its name and question.
    choices : tuple of str
        Its options.
    kind : str
        Its answer kind.
    images : tuple of str
        Paths, data URLs or base64 texts.
    response : str or None
        The answer that a judge is to judge, empty if there is none; None: the model itself is to answer.
    pair : tuple of str, optional
        Two answers, of which a judge is to say whether the first entails the second; ``id`` is then the pair's key.
    """

    position: int
    id: str
    prompt: str
    choices: tuple[str, ...] = ()
    kind: str = _DEFAULT_KIND
    images: tuple[str, ...] = ()
    response: str | None = None
    pair: tuple[str, str] | None = None

    @property
    def letters(self) -> tuple[str, ...]:
        """The answers to choose from: letters, or "Answer: A" … if its kind reads no letter alone.

        Of a pair the three verdicts. Empty if it has no options, more than there are letters, or an answer kind that
        reads neither.
        """
        return VERDICTS if self.pair is not None else _letters_of(self.kind, len(self.choices))


class ItemSource:
    """The items of a job, in the Parquet file of its pool.

    Parameters
    ----------
    folder : Path
        NEYMAN_HOME.
    spec : JobSpec
        The job.

    Attributes
    ----------
    size : int
        Number of the job's items.
    columns : list of str
        Those of :data:`ITEM_COLUMNS` that the pool has.

    Raises
    ------
    SurrogateError
        There is no such file, its items have no prompts, or some of the job's items are not in it.
    """

    def __init__(self, folder: Path, spec: JobSpec) -> None:
        if spec.grouping is not None:
            raise SurrogateError("A run that groups answers by meaning cannot be split, merged or sent as a batch.")
        self._path = pool_file(folder, spec)
        with opened(self._path) as file:
            self.size = int(file.metadata.num_rows)
            schema = file.schema_arrow
            names = set(schema.names)
        if "prompt" not in names:
            raise SurrogateError("This pool has no prompts, so there is nothing to ask. Add the column `prompt`.")
        self.columns = [name for name in ITEM_COLUMNS if name in names]
        self._judge = spec.judge
        if spec.judge is not None:
            if not _has_text(schema, spec.judge):
                raise SurrogateError(f"The pool has no answers of “{spec.judge}”, so there is nothing to judge.")
            self.columns.append(f"{TARGETS}.{spec.judge}.text")
        # A byte for each item of the pool: whether it is one of the job's.
        self._chosen = None if spec.items is None and spec.shard is None else self._choose(spec)
        if self._chosen is not None:
            self.size = sum(self._chosen)

    def items(self, settled: frozenset[int] = frozenset()) -> Iterator[Item]:
        """The items whose positions are not ``settled``, in the pool's order."""
        position = 0
        for batch in self._pieces(_BATCH, self.columns):
            for row in range(batch.num_rows):
                if position not in settled and (self._chosen is None or self._chosen[position]):
                    # Not `take`, for which pyarrow would load pandas.
                    yield item_of(batch.slice(row, 1), position, self._judge)
                position += 1

    def ids(self) -> Iterator[str]:
        """The ids of all items of the pool, those of other jobs too, in its order."""
        for batch in self._pieces(8192, ["id"]):
            yield from batch.column(0).to_pylist()

    def _pieces(self, rows: int, columns: list[str]) -> Iterator[pa.RecordBatch]:
        with pq.ParquetFile(self._path) as file:
            yield from file.iter_batches(rows, columns=columns, use_threads=False)

    def job_ids(self) -> Iterator[str]:
        """The ids of the job's items, in the pool's order."""
        return self.ids() if self._chosen is None else compress(self.ids(), self._chosen)

    def batches(self, size: int) -> Iterator[pa.RecordBatch]:
        """The columns that items are made of, for so many places of the pool at a time, without those of other jobs."""
        start = 0
        for batch in self._pieces(size, self.columns):
            if self._chosen is None:
                yield batch
            else:
                yield batch.filter(pa.array([bool(one) for one in self._chosen[start : start + len(batch)]]))
            start += len(batch)

    def _choose(self, spec: JobSpec) -> bytearray:
        missing = None if spec.items is None else set(spec.items)
        chosen = bytearray(self.size)
        for position, name in enumerate(self.ids()):
            if missing is None or name in missing:
                chosen[position] = spec.shard is None or spec.shard.has(name)
            if missing is not None:
                missing.discard(name)
        if missing:
            named = ", ".join(f"“{name[:40]}”" for name in sorted(missing)[:3])
            raise SurrogateError(f"{len(missing):,} of the job's items are not in this pool, for instance {named}.")
        return chosen


def pool_file(folder: Path, spec: JobSpec) -> Path:
    """Where NEYMAN_HOME has the pool of a job."""
    return folder / "pools" / f"{spec.digest}.parquet"


def opened(path: Path) -> pq.ParquetFile:
    """Open the file of a job's pool.

    Raises
    ------
    SurrogateError
        There is no such file, or it cannot be read.
    """
    try:
        return pq.ParquetFile(path)
    except (OSError, pa.ArrowException) as error:
        raise SurrogateError("The job's pool is no longer in NEYMAN_HOME; open its file again.") from error


@cache
def _letters_of(kind: str, options: int) -> tuple[str, ...]:
    letters = LETTERS[:options]
    choices = [f"option {number}" for number in range(options)]
    for form in ("{}", "Answer: {}"):
        texts = tuple(form.format(letter) for letter in letters)
        read = tuple(parse(text, kind, choices) for text in texts)
        if len(letters) == options and read == tuple(letters):
            return texts
    return ()


def _has_text(schema: pa.Schema, target: str) -> bool:
    targets = schema.field(TARGETS).type if TARGETS in schema.names else pa.struct([])
    place = targets.get_field_index(target)
    return bool(place >= 0 and targets[place].type.get_field_index("text") >= 0)


def item_of(row: pa.RecordBatch | pa.Table, position: int, judge: str | None = None) -> Item:
    """The item in the one row of a canonical table, which stands at ``position`` in the pool.

    Parameters
    ----------
    row : RecordBatch or Table
        The row.
    position : int
        Its place.
    judge : str, optional
        The target whose answer is to be judged.
    """
    (values,) = row.to_pylist()
    response = None if judge is None else values[TARGETS][judge]["text"] or ""
    return Item(
        position,
        values["id"],
        values.get("prompt") or "",
        tuple(values.get("choices") or ()),
        values.get("answer_kind") or _DEFAULT_KIND,
        tuple(values.get("image") or ()),
        response,
    )


STANDARD_OF_PAIRS = (
    "We are evaluating answers to the question:\n\n{question}\n\nHere are two possible answers.\n\n"
    "Possible answer 1: {first}\n\nPossible answer 2: {second}\n\n"
    "Does possible answer 1 semantically entail possible answer 2? Respond with one word: entailment, contradiction or "
    "neutral."
)
"""The question of Farquhar et al. (2024)."""
NOTHING_TO_COMPARE = "All answers to every item are the same text, so there is nothing to compare."
_COLUMNS = ("prompt", "choices", "answer_kind", "generations", "generation_answers")
_AT_A_TIME = 500


@dataclass(frozen=True, slots=True)
class ItemAnswers:
    """The answers to one item of the pool.

    Parameters
    ----------
    question : str
        Its prompt.
    answers : tuple of str or None
        The surrogate's, one for each generation; None: no answer.
    targets : tuple of str or None
        Those of the grouping's targets; None: unknown, or no answer.
    """

    question: str
    answers: tuple[str | None, ...]
    targets: tuple[str | None, ...] = ()

    @property
    def distinct(self) -> tuple[str, ...]:
        """The generations' answers, each once, by first appearance."""
        return tuple(dict.fromkeys(answer for answer in self.answers if answer is not None))

    def pairs(self) -> list[tuple[str, str]]:
        """Pairs of answers, each in one direction: the generations' among each other, then with each target's."""
        distinct = self.distinct
        others = dict.fromkeys(answer for answer in self.targets if answer is not None and answer not in distinct)
        return [*combinations(distinct, 2), *((answer, other) for other in others for answer in distinct)]


class PairSource:
    """The pairs of a grouping's job, in the Parquet file of its pool.

    Parameters
    ----------
    folder : Path
        NEYMAN_HOME.
    spec : JobSpec
        The job.

    Attributes
    ----------
    size : int
        Number of ordered pairs, each question and pair once.

    Raises
    ------
    SurrogateError
        There is no such file, it has no prompts or generations, a target is not in it, or all answers to every item
        are the same text.
    """

    def __init__(self, folder: Path, spec: JobSpec) -> None:
        self._spec, self._path = spec, pool_file(folder, spec)
        self.size = sum(1 for _ in questions_about(self._rows(), PairKeys(spec)))
        if not self.size:
            raise SurrogateError(NOTHING_TO_COMPARE)

    def items(self, settled: Collection[int] = frozenset()) -> Iterator[Item]:
        """The pairs whose positions are not ``settled``, in the pool's order."""
        for item in questions_about(self._rows(), PairKeys(self._spec)):
            if item.position not in settled:
                yield item

    def _rows(self) -> Iterator[ItemAnswers]:
        assert self._spec.grouping is not None
        with closing(opened(self._path)) as file:
            columns = columns_of(file.schema_arrow, self._spec.grouping)
            yield from answers_in(file.iter_batches(_BATCH, columns=columns, use_threads=False), self._spec.grouping)


class PairKeys:
    """Keys of verdicts: digests of model, sampling, prompt, question and the pair in its order.

    Parameters
    ----------
    spec : JobSpec
        The job of a grouping; its pool, rule, parser and targets change no verdict.
    """

    def __init__(self, spec: JobSpec) -> None:
        identity = spec.identity()
        parts = {name: value for name, value in identity.items() if name not in ("digest", "grouping", "prompting")}
        parts |= {"system": spec.prompting.system, "template": spec.prompting.template or STANDARD_OF_PAIRS}
        self._judge = hashlib.sha256(json.dumps(parts, sort_keys=True).encode())

    def __call__(self, question: str, first: str, second: str) -> str:
        """The key of a pair, hexadecimal."""
        key = self._judge.copy()
        for text in (question, first, second):
            content = text.encode()
            key.update(len(content).to_bytes(8, "little") + content)
        return key.hexdigest()


def questions_about(items: Iterable[ItemAnswers], key_of: PairKeys) -> Iterator[Item]:
    """Both directions of every pair of answers to these items, each question and pair once."""
    keys: set[str] = set()
    for item in items:
        for pair in item.pairs():
            for first, second in (pair, pair[::-1]):
                key = key_of(item.question, first, second)
                if key not in keys:
                    yield Item(len(keys), key, item.question, pair=(first, second))
                    keys.add(key)


def source_of(folder: Path, spec: JobSpec) -> ItemSource | PairSource:
    """Return the source of a job's items: its pool, or pairs of the pool's answers; raises as either."""
    return ItemSource(folder, spec) if spec.grouping is None else PairSource(folder, spec)


def columns_of(schema: pa.Schema, grouping: Grouping) -> list[str]:
    """Names of the columns that a grouping looks at.

    Raises
    ------
    SurrogateError
        The pool has no prompts or generations, or no answers of a target.
    """
    for name, lack in (("prompt", "prompts"), ("generations", "generations")):
        if name not in schema.names:
            raise SurrogateError(f"This pool has no {lack}, so there are no answers to compare.")
    known = {field.name for field in schema.field(TARGETS).type} if TARGETS in schema.names else set()
    columns = [name for name in _COLUMNS if name in schema.names]
    for target in grouping.targets:
        fields = {field.name for field in schema.field(TARGETS).type.field(target).type} if target in known else set()
        if not fields & {"answer", "text"}:
            raise SurrogateError(f"The pool has no answers of “{target}”, so there is nothing to place.")
        columns += [f"{TARGETS}.{target}.{field}" for field in ("answer", "text") if field in fields]
    return columns


def answers_in(batches: Iterable[pa.RecordBatch], grouping: Grouping) -> Iterator[ItemAnswers]:
    """Read the answers in batches of a pool's rows, item by item, as ``core.pool.Pool`` reads them."""
    for batch in batches:
        for row in batch.to_pylist():
            yield _answers_of(row, grouping)


def verdicts_on(keys: Iterable[str], database: sqlite3.Connection) -> dict[str, str]:
    """Look up the verdicts that there are on pairs, by their hexadecimal keys."""
    known: dict[str, str] = {}
    remaining = iter(keys)
    while some := list(islice(remaining, _AT_A_TIME)):
        query = f"SELECT key, verdict FROM surrogate_verdicts WHERE key IN ({', '.join('?' * len(some))})"
        rows = database.execute(query, [bytes.fromhex(key) for key in some])
        known.update((key.hex(), verdict) for key, verdict in rows)
    return known


def _answers_of(row: dict[str, Any], grouping: Grouping) -> ItemAnswers:
    kind = grouping.parser or row.get("answer_kind") or "as-is"
    choices: Sequence[str] | None = row.get("choices")
    texts, of_texts = row["generations"] or (), kind
    if grouping.parser is None and row.get("generation_answers") is not None:
        texts, of_texts = row["generation_answers"], "as-is"
    answers = tuple(None if text is None else parse(text, of_texts, choices) for text in texts)
    targets = []
    for target in grouping.targets:
        outcome = row[TARGETS][target]
        if outcome.get("answer") is not None:
            targets.append(parse(outcome["answer"], EXTRACTED.get(kind, kind), choices))
        else:
            text = outcome.get("text")
            targets.append(None if text is None else parse(text, kind, choices))
    return ItemAnswers(row["prompt"] or "", answers, tuple(targets))
