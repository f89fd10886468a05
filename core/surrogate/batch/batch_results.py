"""Results of a batch, line by line: what each means for its item, whatever the order and however many are missing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from core.surrogate.client.asking import Run
from core.surrogate.client.refusals import meaning
from core.surrogate.client.replies import reply_of
from core.surrogate.faults import ItemFault, SurrogateError, Trouble
from core.surrogate.job.claim import Claim
from core.surrogate.job.events import Event, Failure, Present
from core.surrogate.job.settings import JobSpec
from core.surrogate.job.source import Item, Source
from core.surrogate.job.store import Store
from core.surrogate.worker.generating import Answers, arrival

_NAME = re.compile(r"([0-9a-f]{16})-(\d{1,9})-(\d{1,4})-(\d{1,4})")
_PASSING = ("batch_expired", "batch_cancelled", "batch_canceled")
_TOGETHER = 500


@dataclass(slots=True)
class Report:
    """What reading results came to. Lines: ``taken``, ``repeated`` (had before), ``failed`` (item recorded with its
    reason), ``passing`` (expired and the like: to be asked again), ``foreign`` (of another job), ``unreadable``."""

    taken: int = 0
    repeated: int = 0
    failed: int = 0
    passing: int = 0
    foreign: int = 0
    unreadable: int = 0
    missing_items: int = 0
    reasons: dict[str, int] = field(default_factory=dict)


def source_of(store: Store, spec: JobSpec) -> Source:
    """The items of a job's pool."""
    return Source(store.folder / "pools" / f"{spec.digest}.parquet")


def open_items(store: Store, spec: JobSpec, present: Present) -> Iterator[Item]:
    """The items of a job that are not settled yet."""
    source = source_of(store, spec)
    wanted = None if spec.items is None else source.positions(spec.items)
    return source.items(lambda position: position not in present.settled and (wanted is None or position in wanted))


class Reading:
    """One reading of result files: what each line means for its item."""

    def __init__(self, store: Store, claim: Claim, report: Report) -> None:
        self.spec = claim.row.spec
        self._claim, self._report = claim, report
        self._present = claim.present(self.spec.sampling.k)
        # Prompts and images are not needed to read answers, and may be large.
        self._items = {
            item.position: replace(item, prompt="", images=()) for item in open_items(store, self.spec, self._present)
        }
        self._answers: dict[int, Answers] = {}
        self._failed: set[int] = set()
        self._events: list[Event] = []
        self._model = ""

    def file(self, path: Path) -> None:
        try:
            with path.open("rb") as lines:
                for line in lines:
                    if line.strip():
                        self._line(line)
                        if len(self._events) >= _TOGETHER:
                            self._flush()
        except OSError as error:
            raise SurrogateError(f"“{path.name}” cannot be read ({error.strerror}).") from error
        finally:
            self._flush()

    def _flush(self) -> None:
        if self._events:
            self._claim.add(self._events)
            self._events = []
        if self._model:
            self._claim.note(server_model=self._model)

    def _line(self, line: bytes) -> None:
        try:
            result = json.loads(line)
            name = _NAME.fullmatch(str(result["custom_id"]))
        except (ValueError, KeyError, TypeError, RecursionError):
            self._report.unreadable += 1
            return
        if name is None or name[1] != self._claim.row.id:
            self._report.foreign += 1
            return
        position, run = int(name[2]), Run(int(name[3]), int(name[4]))
        item = self._items.get(position)
        if item is None or position in self._failed:
            self._report.repeated += 1
            return
        try:
            self._take(item, run, result)
        except Trouble as trouble:
            self._report.passing += 1
            self._count(trouble.message)
        except (ItemFault, SurrogateError) as fault:
            self._fail(position, fault)

    def _take(self, item: Item, run: Run, result: dict[str, Any]) -> None:
        reply = reply_of(_body(result))
        answers = self._answers.get(item.position)
        if answers is None:
            there = sorted(self._present.partial.get(item.position, ()))
            answers = dict(zip(there, self._claim.answers(item.position), strict=True)) if there else {}
            self._answers[item.position] = answers
        event = arrival(item, run, reply, answers, self.spec.sampling.k)
        self._model = self._model or reply.model
        if event.generations:
            self._events.append(event)
            self._report.taken += 1
        else:
            self._report.repeated += 1
        if event.counts is not None:
            del self._items[item.position], self._answers[item.position]
        elif any(choice.filtered for choice in reply.choices):
            raise ItemFault("content filter", "A content filter took an answer away.")

    def _fail(self, position: int, fault: ItemFault | SurrogateError) -> None:
        failure = Failure("refused", str(fault), False)
        if isinstance(fault, ItemFault):
            failure = Failure(fault.kind, fault.message, fault.final)
        self._failed.add(position)
        self._events.append(Event(position, failure=failure, requests=0))
        self._report.failed += 1
        self._count(failure.message)

    def _count(self, reason: str) -> None:
        self._report.reasons[reason] = self._report.reasons.get(reason, 0) + 1


def _body(result: dict[str, Any]) -> Any:
    """The chat completion in a line of results.

    Raises
    ------
    Trouble : it expired or failed for a passing reason. ItemFault, SurrogateError : the request was refused.
    """
    response, error = result.get("response") or {}, result.get("error")
    status = int(response.get("status_code") or (200 if response.get("body") else 400))
    body = response.get("body")
    if isinstance(error, dict) and error.get("code") in _PASSING:
        raise Trouble("server error", f"The batch ended before this request ({error['code']}).")
    if error is None and status == 200 and body is not None:
        return body
    told = error if error is not None else body
    text = told if isinstance(told, str) else json.dumps(told if told is not None else {})
    fault = meaning(status if status != 200 else 400, text, None, {})
    if isinstance(fault, (Trouble, ItemFault, SurrogateError)):
        raise fault
    raise ItemFault("refused", f"The request was refused ({fault}).")
