"""The desk at which items are labelled: a component that has the next items before they are needed.

An answer shows the next item at once. It waits in the component's outbox, which sends all that waits in one message
and keeps it, in the browser's storage too, until this side has replied that it is on the disk; a message that comes
twice is done once. Every step says where it belongs, so that one that outlived a restart is saved whatever is open.

A fragment's messages reach only the session that has drawn it. The waker stands outside of the fragment: its message
has the page drawn in a session that has not, after a restart of the app.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from core.errors import HomeError, NeymanError
from core.judge import Criterion
from core.labels import KINDS, NOBODY, RIGHT_WRONG, criteria, remark, target_code
from core.study import Reading, Study, Worklist
from core.words import counted
from pages.parts.app import session, state
from pages.parts.label import item as label_item
from pages.parts.label import outbox
from pages.parts.label.place import LabelPlace, study_of
from pages.parts.widgets.controls import ANNOTATOR

KEY = "desk"
# Items that lie ready: so many, or so many characters.
_READY, _READY_CHARACTERS, _READY_AT_LEAST = 50, 300_000, 3
_DESKS = 4
_PASSES = "Does this pass?"
_HERE = Path(__file__).parent
_UNSOUND = (
    "This page comes from another version of Neyman. Reload the page: answers that are not saved yet stay in this "
    "browser, and are sent again."
)

_waker = st.components.v2.component(
    "neyman_waker",
    html="",
    js="""export default function ({ setTriggerValue }) {
        const wake = () => setTriggerValue("wake", Date.now());
        window.neymanWake = wake;
        return () => { if (window.neymanWake === wake) window.neymanWake = null; };
    }""",
)
_component = st.components.v2.component(
    "neyman_desk",
    html='<div class="desk"></div>',
    css=(_HERE / "desk.css").read_text(encoding="utf-8"),
    js=(_HERE / "desk.js").read_text(encoding="utf-8"),
)


@dataclass(slots=True)
class DeskState:
    """The messages that one browser tab's desk has sent, and its last answers.

    Parameters
    ----------
    token : str
        Another one for each session, so that the browser knows when it talks to a new one.
    studies : dict
        The study behind each of the last desks, by where its labels belong.
    replies : dict
        What became of each step that the desk still has, by its id.
    message : DeskMessage
        The last message.
    shown : dict
        What the desk was given last.
    """

    token: str = field(default_factory=partial(secrets.token_hex, 8))
    studies: dict[LabelPlace, Study] = field(default_factory=dict)
    replies: dict[str, outbox.Reply] = field(default_factory=dict)
    message: outbox.DeskMessage = field(default_factory=outbox.DeskMessage)
    shown: dict[str, Any] = field(default_factory=dict)

    def remember(self, place: LabelPlace, study: Study) -> None:
        """Keep the study of the desk that is shown, and those of the last few before it."""
        self.studies = {**{other: one for other, one in self.studies.items() if other != place}, place: study}
        for other in list(self.studies)[:-_DESKS]:
            del self.studies[other]


def person() -> str:
    """Who labels, as the field says now."""
    return ANNOTATOR.value.strip() or NOBODY


def draw(
    study: Study, truth: bool, free: bool, over: Callable[[list[str]], str], alone: bool, precision: str = ""
) -> None:
    """Draw the desk with the next items of this person's list; in a fragment, which each message redraws.

    Parameters
    ----------
    study : Study
        The list, with the labels at the time of the page.
    truth : bool
        Whether the right answers are shown.
    free : bool
        Whether items that others have labelled are left out.
    over : callable
        What is said at the end of the list, of the ids that were to be labelled.
    alone : bool
        Whether this is an annotator, whom the estimate does not concern.
    precision : str
        What all labels of the list give, such as “±5.5 points”.
    """
    desk, fresh = _state(), True
    try:
        now = Study(study.labels.refreshed(state.archive()))
        desk.shown = _content(now, truth, free, over, desk)
        # One label tells little if there are no strata, and a right answer nothing before a target has answered.
        if not alone and now.plan.strata.n_strata > 1 and (now.kind != "gold" or now.labels.answers):
            desk.shown |= _until_estimate(now, desk.shown["order"])
        desk.shown["precision"] = precision
    except HomeError:
        if desk.shown.get("list") != _name(study, truth):
            raise
        now, fresh = study, False
    desk.remember(LabelPlace.of(study, person()), study)
    # The rest of the page says more once labelling has begun, and where it ends.
    desk.shown["behind"] = _standing(now, free) != _standing(study, free)
    mount(fresh)
    if not desk.message.sound:
        st.error(_UNSOUND, icon=":material/error:")
    if desk.shown["behind"] and desk.message.redraw:
        st.rerun()


def mount(fresh: bool = False) -> None:
    """Put the desk on the page as it was shown last, with the replies of now.

    Parameters
    ----------
    fresh : bool
        Whether the order of the items knows of all that is saved.
    """
    _mount({**_state().shown, "fresh": fresh})


def mount_waiting() -> None:
    """Put only what waits to be saved on the page, without the list."""
    _mount({})


def _mount(shown: dict[str, Any]) -> None:
    desk = _state()
    data = {**shown, "replies": desk.replies, "session": desk.token, "person": person(), "nobody": NOBODY}
    _component(key=KEY, data=data, on_outbox_change=partial(_take, desk))


def mount_waker() -> None:
    """Put what has the whole page drawn on it, outside of every fragment."""
    _waker(key=f"{KEY}-waker", on_wake_change=lambda: None)


def _state() -> DeskState:
    return session.held(DeskState)


def _take(desk: DeskState) -> None:
    """Save what the desk has sent, in order; what follows a step of the same list that failed waits with it."""
    sent = getattr(session.widget(KEY), "outbox", None)
    if sent is None:
        return
    desk.message = outbox.DeskMessage.read(sent)
    before, desk.replies = desk.replies, {}
    waiting = set[LabelPlace]()
    for step in desk.message.steps:
        if step.place in waiting:
            continue
        reply = before.get(step.id, {})
        if not reply.get("saved"):
            reply = _save(desk, step)
        desk.replies[step.id] = reply
        if not reply.get("saved"):
            waiting.add(step.place)


def _save(desk: DeskState, step: outbox.Step) -> outbox.Reply:
    """Save a step where it belongs."""
    try:
        study = study_of(step.place, desk.studies.values())
    except NeymanError as error:
        return outbox.failed(error)
    desk.remember(step.place, study)
    return outbox.save(study, state.archive, step, state.now())


def left(study: Study, free: bool) -> list[str]:
    """Ids of the items that still wait for this person; with ``free``, without those that others have labelled."""
    return _left(study, _worklist(study, free))


def _worklist(study: Study, free: bool) -> Worklist:
    return Worklist(study.labels, person(), free)


def _left(study: Study, work: Worklist) -> list[str]:
    """Ids of this person's items without a label on each criterion, in the order of the first one's list."""
    others = criteria.passes(study.plan.design.judging)
    waiting = {item for one in others for item in replace(work, labels=study.labels.about(_about(one))).left}
    waiting -= {*work.left}
    return [*work.left, *(item for item in work.ids if item in waiting)]


def _about(one: Criterion) -> Reading:
    return Reading(RIGHT_WRONG.name, one.labelled_as)


def _name(study: Study, truth: bool) -> str:
    """A desk's name: where its labels belong, and how the items look."""
    return json.dumps([str(LabelPlace.of(study, person())), truth, label_item.folder()])


def _standing(study: Study, free: bool) -> tuple[bool, tuple[str, ...], bool]:
    """Return how far the labelling of a list is, as other parts of the page say it."""
    return bool(study.labels.labelled), study.labels.lost, bool(_worklist(study, free).left)


def _content(
    study: Study, truth: bool, free: bool, over: Callable[[list[str]], str], desk: DeskState
) -> dict[str, Any]:
    """Return the component's data: the order of the next items, those that it does not have, and how far it is."""
    work = _worklist(study, free)
    ids, left = list(work.ids), _left(study, work)
    name = _name(study, truth)
    same = desk.message.desk == name
    there, whole = (desk.message.have, desk.message.whole) if same else (frozenset[str](), frozenset[str]())
    back = outbox.last(study, person())
    passes = study.plan.design.judging is not None and bool(KINDS[study.kind].verdicts)
    return {
        "list": name,
        "to": str(LabelPlace.of(study, person())),
        "question": _PASSES if passes else KINDS[study.kind].short_question,
        "criteria": _criteria(study),
        "order": left[:_READY],
        "left": len(left),
        "done": len(ids) - len(left),
        "total": len(ids),
        "pace": _pace(work.minutes),
        "lost": _lost(study),
        "over": "" if left else over(ids),
        "items": _ready(study, left, there, whole, truth, work.given, back),
        "back": None
        if back is None
        else {"item": back["item_id"], "label": back["label"], "note": remark(back["note"]) or ""},
    }


def _criteria(study: Study) -> list[dict[str, str]]:
    """Return the criteria of each item, with rubric and the code under which labels are kept."""
    judging = study.plan.design.judging
    given = () if judging is None else judging.criteria
    return [{"name": one.name, "rubric": one.rubric, "code": target_code(one.labelled_as)} for one in given]


def _until_estimate(study: Study, order: list[str]) -> dict[str, Any]:
    """Return the number of labels until the first estimate, one in each empty stratum, and which next items bring one.

    An interval takes a second label in any stratum.
    """
    empty = study.labels.empty_strata
    stratum = study.plan.stratum[study.pool.places(order)].tolist()
    first = {number: item for number, item in zip(reversed(stratum), reversed(order), strict=True) if number in empty}
    return {
        "waiting": len(empty),
        "opening": list(first.values()),
        "further": study.labels.n_further,
        "strata": study.labels.n_drawn,
    }


def _ready(
    study: Study,
    left: list[str],
    there: frozenset[str],
    whole: frozenset[str],
    truth: bool,
    mine: pd.DataFrame,
    back: dict[str, Any] | None,
) -> dict[str, Any]:
    """The next items that the browser does not have, and the one to go back to."""
    items, characters = dict[str, Any](), 0
    latest = mine.drop_duplicates("item_id", keep="last").set_index("item_id")
    passes = criteria.passes(study.plan.design.judging)
    said = criteria.latest(study.labels.log, passes, person()) if passes else {}
    upcoming = [*left[:_READY], *([] if back is None else [str(back["item_id"])])]
    for item in dict.fromkeys([*(one for one in upcoming if one in whole), *upcoming]):
        if item in there and item not in whole:
            continue
        if characters > _READY_CHARACTERS and len(items) >= _READY_AT_LEAST:
            break
        one = label_item.content(study, item, truth, item in whole, study.labels.answers)
        known = latest.loc[item] if item in latest.index else None
        one["was"] = said.get(item) if passes else None if known is None else known["label"]
        one["note"] = "" if known is None else _note(known)
        items[item] = one
        characters += len(one["prompt"] or "") + sum(map(len, one["pictures"]))
    return items


def _note(row: Any) -> str:
    """Return a person's note beside a label."""
    return remark(row["note"]) or ""


def _lost(study: Study) -> str:
    lost, spare = len(study.labels.lost), len(study.labels.spare)
    if not lost:
        return ""
    said = f"{counted(lost, 'item')} cannot be labelled. "
    if spare:
        return said + f"{counted(spare, 'replacement stands', 'replacements stand')} at the end of the list."
    return said + "Nothing is left in their strata to replace them."


def _pace(minutes: float | None) -> str:
    if minutes is None:
        return ""
    return f"about {minutes:,.0f} min left" if minutes >= 1 else "less than a minute left"
