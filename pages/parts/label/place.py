"""Where a label belongs: the list, what is asked of whose answers, and who answers.

A browser keeps it beside every label that is not saved yet, so that the label finds its list whatever is open by then.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import astuple, dataclass
from typing import Self

from core.archive import AnnotatorLink
from core.errors import HomeError, NeymanError
from core.labels import KINDS, NOBODY, is_reserved, target_code
from core.pool import Pool
from core.study import Labelling, Study, kept_plan
from pages.parts import targets
from pages.parts.app import session, state, visitor

LINK = "link"
_NUMBER = re.compile(r"[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class LabelPlace:
    """Where a label belongs.

    Parameters
    ----------
    pool : str
        Digest of the pool that the plan was drawn from.
    plan : str
        Id of the plan.
    kind : str
        Kind of the label, of `core.labels.KINDS`.
    target : str
        Code of the target whose answers are judged, "" for none.
    person : str
        Who labels.
    """

    pool: str
    plan: str
    kind: str
    target: str
    person: str

    @classmethod
    def of(cls, study: Study, person: str) -> Self:
        """Return the place of a person's labels of a list."""
        judged = target_code(study.labels.judged) if study.labels.judged else ""
        return cls(study.labels.origin.digest, study.plan.plan_id, study.kind, judged, person)

    @classmethod
    def read(cls, text: object) -> Self | None:
        """Read what a browser has kept; None for anything else."""
        try:
            parts = json.loads(text) if isinstance(text, str) else None
        except (ValueError, RecursionError):
            return None
        if not isinstance(parts, list) or len(parts) != 5 or not all(map(is_storable, parts)):
            return None
        place = cls(*parts)
        return place if place.kind in KINDS else None

    def __str__(self) -> str:
        """Write it for a browser, as the browser itself writes it."""
        return json.dumps(astuple(self), ensure_ascii=False, separators=(",", ":"))


def is_storable(text: object) -> bool:
    """Whether something is a text that a database takes: a surrogate alone, which JSON may hold, is none."""
    return isinstance(text, str) and text == text.encode("utf-8", "replace").decode()


def study_of(place: LabelPlace, near: Iterable[Study]) -> Study:
    """Return the study that a label belongs to, if the visitor may label it.

    Parameters
    ----------
    place : LabelPlace
        Where the label belongs.
    near : iterable of Study
        Studies that are open already.

    Raises
    ------
    NeymanError
        The visitor has no right to it, or its plan or pool is not kept here.
    """
    _check_right(place)
    open_ones = [one for one in near if (one.labels.origin.digest, one.plan.plan_id) == (place.pool, place.plan)]
    for one in open_ones:
        if LabelPlace.of(one, place.person) == place:
            return one
    if open_ones:
        return with_question(open_ones[0].plan.plan_id, open_ones[0].pool, place.kind, place.target, open_ones[0])
    try:
        pool = state.by_digest(place.pool)
    except HomeError:
        raise
    except NeymanError as error:
        raise NeymanError(_hidden(f"Their pool is not here: {error}")) from error
    if place.plan not in set(state.archive().plans.table(pool.items_digest)["plan_id"]):
        raise NeymanError(f"Their list, plan {place.plan}, is not kept here.")
    return with_question(place.plan, targets.known(pool), place.kind, place.target)


def with_question(plan: str, known: Pool, kind: str, code: str, near: Study | None = None) -> Study:
    """Return the study of a kept plan, or of the one that is open, that asks this of the target with this code."""
    archive = state.archive()
    drawn = kept_plan(archive, plan, known) if near is None else near.plan
    known = targets.asked(drawn, known)
    target = targets.by_code(known, kind, code)
    if kind != "gold" and target is None:
        raise NeymanError("The target whose answers they judge is not known here.")
    return Study(Labelling.load(archive, drawn, known, kind, target))


def opened_link() -> AnnotatorLink | None:
    """Return the link that the address names, if the visitor came with it and it opens its list now."""
    number, allowed = session.parameter(LINK), visitor.links()
    # More digits than that are no number of SQLite's.
    if number is None or not _NUMBER.fullmatch(number) or (allowed is not None and int(number) not in allowed):
        return None
    return state.archive().links.numbered(int(number), state.now())


def _check_right(place: LabelPlace) -> None:
    """Check that whoever looks at the page may give a label there: by a link its own labels alone."""
    allowed = visitor.links()
    if allowed is None:
        if place.person != NOBODY and is_reserved(place.person):
            raise NeymanError(f"The name “{place.person}” is reserved.")
        return
    shown, archive, now = opened_link(), state.archive(), state.now()
    links = [link for number in sorted(allowed) if (link := archive.links.numbered(number, now)) is not None]
    if shown is None or shown.annotator != place.person or not any(_opens(link, place) for link in links):
        raise NeymanError("Your link does not open their list: it has expired or was revoked.")


def _opens(link: AnnotatorLink, place: LabelPlace) -> bool:
    target = target_code(link.target) if link.target else ""
    return LabelPlace(link.digest, link.plan_id, link.kind, target, link.annotator) == place


def _hidden(sentence: str) -> str:
    """A sentence that may name files and pools, which an annotator is not shown."""
    return sentence if visitor.links() is None else "Their list cannot be opened."
