"""Messages of the desk, which comes from a browser, and the answers in them: each is saved in turn and gets a reply."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import pandas as pd

from core.archive import BY_HAND, Archive, is_by_hand
from core.errors import HomeError, NeymanError
from core.labels import GIVEN_UP, KINDS, SKIPPED, canonical, criteria
from core.study import Study
from pages.parts.app import visitor
from pages.parts.label.place import LabelPlace

_LONGEST, _LONGEST_NOTE = 2000, 500
_TROUBLE = "The app cannot save labels just now. Yours stay in this browser: tell whoever sent you the link."
# Steps of one message.
_MOST = 1000
_ID = re.compile(r"[0-9a-z-]{1,64}")
Reply = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that a person did at the desk.

    Parameters
    ----------
    id : str
        Its id, which no other step of any browser has.
    place : LabelPlace
        Where it belongs: a list, a question and a person.
    item : str
        The item's id.
    label : str or None
        The answer; None if the item was skipped or replaced, or if the answer was taken back.
    status : str
        Why there is no answer.
    note : str or None
        A note beside it.
    was : str or None
        The person's earlier answer, as the desk showed it.
    undo : bool
        Whether it takes back the last answer instead of giving one.
    """

    id: str
    place: LabelPlace
    item: str
    label: str | None
    status: str
    note: str | None
    was: str | None
    undo: bool


@dataclass(frozen=True, slots=True)
class DeskMessage:
    """A message of a desk; it may say anything, and what the desk of this version would not say is left out.

    Parameters
    ----------
    desk : str or None
        The desk's name.
    steps : tuple of Step
        What was done there, in order.
    have, whole : frozenset of str
        Ids of the items that lie in the browser, and of those wanted in full.
    redraw : bool
        Whether the rest of the page may be redrawn.
    sound : bool
        Whether nothing was left out.
    """

    desk: str | None = None
    steps: tuple[Step, ...] = ()
    have: frozenset[str] = frozenset()
    whole: frozenset[str] = frozenset()
    redraw: bool = False
    sound: bool = True

    @classmethod
    def read(cls, given: object) -> Self:
        """Read a message."""
        parts = given if isinstance(given, Mapping) else {}
        name, ops = parts.get("list"), parts.get("ops")
        have, whole = (parts.get(part, []) for part in ("have", "whole"))
        # The others come with the next message: those that got no reply are sent again.
        done = [_step(one) for one in ops[:_MOST]] if isinstance(ops, list) else [None]
        return cls(
            name if isinstance(name, str) else None,
            tuple(step for step in done if step is not None),
            _texts(have),
            _texts(whole),
            bool(parts.get("redraw")),
            None not in done and _is_texts(have) and _is_texts(whole) and (name is None or isinstance(name, str)),
        )


def save(study: Study, opened: Callable[[], Archive], step: Step, created: str) -> Reply:
    """Save one step.

    Parameters
    ----------
    study : Study
        The study behind the desk at which it was done.
    opened : callable
        Opens the archive, which may fail as well.
    step : Step
        The step. One that was saved before, and not undone, changes nothing.
    created : str
        ISO time.

    Returns
    -------
    dict
        ``saved`` if it is done, with a ``message`` for the person if there is one; ``busy`` if it has to be
        tried again; or the ``error``.
    """
    try:
        if not _offered(study, step):
            return {"saved": True, "message": "An answer that this list does not offer was left out."}
        archive = opened()
        if step.undo:
            _undo(study, archive, step)
            return {"saved": True}
        message = _keep(study, archive, step, created)
    except NeymanError as error:
        return failed(error)
    return {"saved": True, "message": message}


def failed(error: NeymanError) -> Reply:
    """Reply that a step is not saved: ``busy`` if it has to be tried again, or the ``error``."""
    if not isinstance(error, HomeError):
        return {"error": str(error)}
    if error.busy:
        return {"busy": True}
    # What is wrong names the folder, which is none of an annotator's business.
    return {"error": str(error) if visitor.links() is None else _TROUBLE}


def last(study: Study, person: str) -> dict[str, Any] | None:
    """The last row of a person's labels, if it was given here and says what is asked here."""
    log, passes = study.labels.log, criteria.passes(study.plan.design.judging)
    mine = log[log["annotator"] == person]
    asked = {one.labelled_as for one in passes}
    here = study.labels.relevant.index.union(log.index[log["target"].isin(asked)])
    if mine.empty or not is_by_hand(str(mine["source"].iloc[-1])) or mine.index[-1] not in here:
        return None
    row = {str(name): value for name, value in mine.iloc[-1].items()}
    return row | {"label": criteria.latest(mine, passes, person).get(row["item_id"])} if passes else row


def _offered(study: Study, step: Step) -> bool:
    """Whether the desk could have sent a step: it comes from a browser, which may say anything."""
    if step.undo:
        return True
    if not any(step.item in ids for ids in (study.labels.due, study.labels.ids, study.labels.items)):
        return False
    if step.label is None:
        return step.status in (SKIPPED, GIVEN_UP)
    if passes := criteria.passes(study.plan.design.judging):
        return criteria.apart(step.label, passes) is not None
    label, kind = canonical(step.label, study.kind), KINDS[study.kind]
    return label is not None and (kind.scale is None or kind.allows(float(label)))


def _keep(study: Study, archive: Archive, step: Step, created: str) -> str | None:
    # Sent twice, it is done once, whatever came between.
    if archive.labels.given(study.plan.plan_id, step.item, step.id):
        return None
    person = step.place.person
    now, passes = study.labels.refreshed(archive, [step.item]), criteria.passes(study.plan.design.judging)
    given = [label for label, *_ in now.said(step.item, person) if label is not None]
    if passes:
        given = list(filter(None, [criteria.latest(now.log, passes, person).get(step.item)]))
    if given and given[-1] not in (step.was, step.label):
        return (
            f"Item {step.item} was labelled as “{given[-1]}” in the meantime, under the same name ({person}): that "
            "label stays. People who label at the same time need different names."
        )
    row = {
        "item_id": step.item,
        "label": step.label,
        "annotator": person,
        "note": step.note,
        "status": "" if step.label is not None else step.status,
    }
    # The labels of one pass are kept in one step, so that all of them are there or none, and one undo takes them back.
    rows = criteria.rows_of(step.label, passes, row) if passes else pd.DataFrame([row])
    study.labels.save(archive, rows, BY_HAND, created, step.id)
    return None


def _undo(study: Study, archive: Archive, step: Step) -> None:
    person = step.place.person
    row = last(Study(study.labels.refreshed(archive)), person)
    # Sent twice, it is done once: what stands before is another item or another answer.
    if row is not None and (row["item_id"], row["label"]) == (step.item, step.label):
        archive.labels.undo(str(row["plan_id"]), person, by_hand=True)


def _step(given: object) -> Step | None:
    if not isinstance(given, Mapping):
        return None
    number, item, status = (given.get(name) for name in ("id", "item", "status"))
    label, was = _text(given.get("label"), _LONGEST), _text(given.get("was"), _LONGEST)
    place = LabelPlace.read(given.get("to"))
    if not isinstance(number, str) or not _ID.fullmatch(number) or place is None or not isinstance(item, str):
        return None
    note = _text(given.get("note"), _LONGEST_NOTE)
    return Step(number, place, item, label, str(status or ""), note, was, given.get("undo") is True)


def _is_texts(given: object) -> bool:
    return isinstance(given, list) and all(isinstance(one, str) for one in given)


def _texts(given: object) -> frozenset[str]:
    return frozenset(given) if isinstance(given, list) and _is_texts(given) else frozenset()


def _text(value: object, longest: int) -> str | None:
    """A text that holds something, cut to a length; surrogates alone cannot be stored."""
    text = value[:longest].encode("utf-8", "replace").decode().strip() if isinstance(value, str) else ""
    return text or None
