"""Where the labels of a result come from: what each says, who gave them, how they agree, and how they were settled."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

import pandas as pd

from core.labels.formats.escaping import keep, keep_id
from core.labels.formats.records import DECISION, NOBODY, POOL
from core.labels.settlement import Settlement
from core.labels.targets import target_code
from core.words import counted, listed, per_cent, shortened

_SAYS = {
    "gold": "A label says what the right answer is; the target’s answer is compared with it.",
    "right-wrong": "A label says whether the target’s answer is right.",
    "score": "A label is a score of the target’s answer.",
}
_COLUMNS = ("item_id", "plan_id", "label", "annotator", "note", "status", "kind", "target", "source", "created")
_MOST, _LONGEST = 20, 40


@dataclass(frozen=True, slots=True)
class Note:
    """A remark that somebody wrote beside a label (None: beside a skip)."""

    item_id: str
    annotator: str
    label: str | None
    note: str


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where labels come from.

    ``kind`` of label; ``unbounded``: scores may lie outside 0 to 1; ``read_as``: the answer kind by which answers were
    compared, None = the pool's own or none were; ``labels`` that people gave to ``items`` items; ``people``: each with
    how many, most first; ``from_pool``: labels that are outcomes which the pool knew; ``several``: items with two
    labels or more, ``alike``: of those, items on which all labels agree; ``conflicts``: items on which they do not, of
    which ``by_most_frequent`` answer, ``by_mean`` (of scores) and ``by_decision`` were settled and ``undecided`` not;
    ``notes``.
    """

    kind: str
    unbounded: bool
    read_as: str | None
    labels: int
    items: int
    people: tuple[tuple[str, int], ...]
    from_pool: int
    several: int
    alike: int
    conflicts: int
    by_most_frequent: int
    by_mean: int
    by_decision: int
    undecided: int
    notes: tuple[Note, ...]


def provenance(
    rows: pd.DataFrame, settled: Settlement, unbounded: bool = False, read_as: str | None = None
) -> Provenance:
    """Where the labels of a result come from.

    Parameters
    ----------
    rows : of `Archive.labels`, those that are `relevant` and on the list, decisions among them. settled : of the same
    rows without the decisions. unbounded, read_as : as in `Provenance`.
    """
    decisions = set(rows.loc[rows["annotator"] == DECISION, "item_id"])
    own = rows[rows["annotator"] != DECISION]
    given = own[own["label"].notna()]
    of_pool = (given["annotator"] == POOL) | (given["source"] == "pool")
    by_people = given[~of_pool]
    people = by_people["annotator"].replace("", NOBODY).value_counts()
    undecided = len(settled.undecided)
    differing = set(settled.conflicts["item_id"])
    if settled.kind == "score":
        differing = set(settled.odd.loc[settled.odd["what"] == "several scores", "item_id"])
    by_decision = len((differing & decisions) - set(settled.undecided))
    settled_alone = len(differing) - by_decision - undecided
    several = int((settled.labels["voters"] > 1).sum()) + undecided
    noted = own[own["note"].notna()]
    return Provenance(
        kind=settled.kind,
        unbounded=unbounded,
        read_as=read_as,
        labels=len(by_people),
        items=int(by_people["item_id"].nunique()),
        people=tuple((str(name), int(count)) for name, count in people.items()),
        from_pool=int(of_pool.sum()),
        several=several,
        alike=several - len(differing),
        conflicts=len(differing),
        by_most_frequent=0 if settled.kind == "score" else settled_alone,
        by_mean=settled_alone if settled.kind == "score" else 0,
        by_decision=by_decision,
        undecided=undecided,
        notes=tuple(
            Note(str(row["item_id"]), str(row["annotator"]) or NOBODY, row["label"], str(row["note"]))
            for row in noted[["item_id", "annotator", "label", "note"]].to_dict("records")
        ),
    )


def sentences(found: Provenance) -> list[str]:
    """The same in sentences."""
    said = [_SAYS[found.kind]]
    if found.kind == "score":
        said[0] = said[0][:-1] + (", without bounds." if found.unbounded else ", from 0 to 1.")
    if found.read_as is not None:
        said.append(f"Answers were read by the rules for “{found.read_as}”.")
    said += [given(found)] if found.labels else []
    if found.from_pool:
        said.append(
            f"{counted(found.from_pool, 'label is an outcome', 'labels are outcomes')} that the "
            "pool knew; such a label counts where nobody has labelled."
        )
    said += [words for words in (agreement(found), _settled(found)) if words]
    if found.notes:
        said.append(f"{counted(len(found.notes), 'note')} came with the labels; the JSON file holds them.")
    return said


def given(found: Provenance) -> str:
    """How many people gave how many labels."""
    named = [f"{shortened(name, _LONGEST)} {count:,}" for name, count in found.people[:_MOST]]
    if len(found.people) > _MOST:
        named.append(counted(len(found.people) - _MOST, "other"))
    who = counted(len(found.people), "person", "people")
    return f"{counted(found.labels, 'label')} of {counted(found.items, 'item')} by {who}: {listed(named)}."


def agreement(found: Provenance) -> str:
    """How often people agree, where an item has two labels or more; "" where none has."""
    if not found.several:
        return ""
    where = counted(found.several, "item has", "items have")
    return (
        f"{where} two labels or more; on {found.alike:,} of them ({per_cent(found.alike / found.several)}) all agree."
    )


def labels_csv(rows: pd.DataFrame) -> str:
    """Kept labels as they were given, as CSV that page Label takes back (RFC 4180, UTF-8).

    ``rows``: of `Archive.labels`. Texts are escaped as in `core.labels.to_csv`. ``answers_of`` is the code of the
    target that a label judges.
    """
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow([*_COLUMNS, "answers_of"])
    for row in rows[list(_COLUMNS)].to_dict("records"):
        texts = ["" if value is None or value != value else str(value) for value in row.values()]
        code = target_code(row["target"]) if row["target"] else ""
        writer.writerow([keep_id(texts[0]), *map(keep, texts[1:]), code])
    return stream.getvalue()


def _settled(found: Provenance) -> str:
    if not found.conflicts:
        return ""
    ways = (
        (found.by_most_frequent, "settled by the most frequent answer"),
        (found.by_mean, "settled by their mean"),
        (found.by_decision, "settled by a decision"),
        (found.undecided, "not settled yet"),
    )
    told = listed([f"{count:,} {how}" for count, how in ways if count])
    return f"{counted(found.conflicts, 'conflict')}: {told}."
