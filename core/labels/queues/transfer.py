"""Lists out to labelling tools, and labels back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import RLock
from types import MappingProxyType

from ...errors import LabelError
from ...pool.problems import shown
from ...web import wait
from ...words import counted
from ..formats.tasks import check_request
from .argilla import Dataset
from .assignment import Assignment, Container
from .client import QueueClient, Refused
from .label_studio import Project
from .langfuse import AnnotationQueue
from .services import Queue

_CONTAINERS: Mapping[str, type[Container]] = MappingProxyType(
    {"label-studio": Project, "argilla": Dataset, "langfuse": AnnotationQueue}
)

# Seconds, if another push makes the same dataset at the same moment.
_PAUSES = (1.0, 2.0, 4.0)
_ONE = RLock()


@dataclass(frozen=True, slots=True)
class Pushed:
    """The result of a push.

    Parameters
    ----------
    created : int
        Items of the list that were added.
    already : int
        Items of the list that were there.
    others : mapping
        Items of other plans or targets that are there and were left alone, by plan id.
    foreign : int
        Further items, of which no plan is known.
    twice : int
        Items of the list that are there more than once: another machine pushed the same list at the same moment, or a
        related plan.
    url : str
        Where people label.
    """

    created: int
    already: int
    others: Mapping[str, int] = field(default_factory=dict)
    foreign: int = 0
    twice: int = 0
    url: str = ""

    @property
    def sentences(self) -> tuple[str, ...]:
        """Return sentences on what was done, and what was left alone."""
        first = f"{counted(self.created, 'item')} sent"
        first += f", {self.already:,} already there." if self.already else "."
        left = [f"{counted(items, 'item')} of plan {shown(plan, 20)}" for plan, items in self.others.items()]
        left += [f"{counted(self.foreign, 'item')} of no known plan"] if self.foreign else []
        return (
            first,
            *([f"Left alone: {', '.join(left)}."] if left else []),
            *([f"{counted(self.twice, 'item')} there more than once: each counts once."] * bool(self.twice)),
        )


def push(queue: Queue, assignment: Assignment, report: Callable[[int, int], None] = lambda done, due: None) -> Pushed:
    """Send a list to be labelled: what is not there yet, in its order.

    Doing it again adds nothing, and completes what a lost connection has cut short. One push at a time leaves this
    process. If another machine pushes the same list at the same moment, items may be there twice: that is said, and
    their labels count as those of one item. Nothing is ever removed, because somebody may be labelling it.

    Parameters
    ----------
    queue : Queue
        Where it goes; a project that does not exist is made.
    assignment : Assignment
        The list.
    report : callable
        Takes how many items were sent, and how many are to be.

    Returns
    -------
    Pushed
        What was added and what was there.

    Raises
    ------
    LabelError
        The list cannot be labelled in this way, the server cannot be reached, refuses something or asks another
        question there, or the connection was lost.
    """
    check_request(assignment.frame, assignment.kind)
    _check_name(queue)
    with _ONE, _understood(_CONTAINERS[queue.service].connect(queue)) as client:
        for pause in _PAUSES:
            try:
                return _pushed(client, queue, assignment, report)
            except Refused as error:
                if not error.contested:
                    raise
                wait(pause)
        return _pushed(client, queue, assignment, report)


def _pushed(client: QueueClient, queue: Queue, assignment: Assignment, report: Callable[[int, int], None]) -> Pushed:
    kind, known = _CONTAINERS[queue.service], assignment.known
    place = kind.find(client, queue, assignment) or kind.make(client, queue, assignment)
    place.check()
    there = dict(place.items())
    present = {known[entry] for entry in there.values() if entry in known}
    due = [entry for entry in assignment.entries if entry not in present]
    report(0, len(due))
    for start in range(0, len(due), place.batch):
        place.add(due[start : start + place.batch])
        report(min(start + place.batch, len(due)), len(due))
    others = Counter(entry.plan_id for entry in there.values() if entry is not None and entry not in known)
    foreign = sum(entry is None for entry in there.values())
    now = dict(place.items()) if due else there
    copies = Counter(known[entry] for entry in now.values() if entry in known)
    twice = sum(number > 1 for number in copies.values())
    return Pushed(len(due), len(present), others, foreign, twice, place.url)


def pull(queue: Queue, assignment: Assignment) -> bytes:
    """Fetch the labels of a list.

    Parameters
    ----------
    queue : Queue
        If they were given.
    assignment : Assignment
        The list that was sent.

    Returns
    -------
    bytes
        A file for `core.labels.read`: in the form that Label Studio and Argilla export, or JSON Lines. It may hold
        labels of other lists, which settling leaves out.

    Raises
    ------
    LabelError
        There is no such project, the server cannot be reached or refuses something, or the connection was lost.
    """
    _check_name(queue)
    kind = _CONTAINERS[queue.service]
    with _understood(kind.connect(queue)) as client:
        place = kind.find(client, queue, assignment)
        if place is None:
            title, container = queue.about.title, queue.about.container
            raise LabelError(f"{title} has no {container} “{shown(queue.project, 60)}”. Send the list first.")
        return place.labels()


@contextmanager
def _understood(client: QueueClient) -> Iterator[QueueClient]:
    """Close the client at the end; what it reads and is not formed as expected comes from a stranger."""
    try:
        yield client
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise LabelError(client.stranger) from error
    finally:
        client.close()


def _check_name(queue: Queue) -> None:
    service = queue.about
    if not queue.project.strip():
        raise LabelError(f"Give the {service.container} a name.")
