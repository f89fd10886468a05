"""From what came back to one label an item, and everything that is odd about it, told at once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from core.errors import LabelError
from core.labels.formats.records import EMPTY, POOL, SEVERAL, SKIPPED
from core.labels.kinds import canonical, check_kind
from core.labels.oddities import Odd, foreign, sentences
from core.labels.rows import as_texts, column, ids_as_texts, label_text, row_numbers, without_collection
from core.labels.votes import Given, mean, most_frequent, same_meaning

# What may be odd about a row that is stored all the same: a score out of range may be allowed later.
_STORED = frozenset({"", "duplicate", "cancelled", "score out of range"})
_POOL_SOURCE = "pool"


@dataclass(frozen=True, slots=True, eq=False)
class Settlement:
    """One label an item.

    ``kind`` of label; ``labels``: a row for each labelled item, in the list's order: item_id, label (canonical),
    votes (how many gave it), voters; ``odd``: the rows that are odd: what (a key of `ODD`), row, item_id, annotator,
    label, status (row 0: it came from no file); ``conflicts``: items whose annotators disagree: item_id, votes (text),
    label (None: undecided);
    ``missing``: ids without a label, in the list's order; ``undecided``: those of them whose votes tie;
    ``rows``: the rows to be stored: those of this list that hold a label that can be read, or say that there is none.
    """

    plan_id: str
    kind: str
    labels: pd.DataFrame
    odd: pd.DataFrame
    conflicts: pd.DataFrame
    missing: tuple[str, ...]
    undecided: tuple[str, ...]
    rows: pd.DataFrame

    @property
    def sentences(self) -> tuple[str, ...]:
        """What is odd, a sentence for each kind, with the first rows named."""
        return sentences(self.odd)


def settle(
    rows: pd.DataFrame,
    ids: Sequence[str],
    plan_id: str,
    kind: str = "gold",
    choices: Sequence[Sequence[str] | None] | None = None,
    family: Collection[str] = (),
    decisions: Mapping[str, str] | None = None,
    target: str | None = None,
    unbounded: bool = False,
    items: pd.DataFrame | None = None,
    parser: str | None = None,
) -> Settlement:
    """One label an item: the answer that its annotators gave most often, or the mean of their scores.

    The most frequent answer counts also where it is less than half of them; a tie for it counts as missing. Outcomes
    that the pool knew (`records.POOL`) count only where nobody has labelled.

    Parameters
    ----------
    rows : of `LabelFile.rows`, or of `Archive.labels`; the columns item_id and label are enough. Ids and labels are
        texts, or numbers and truth values, which count as the text that JSON has for them.
    ids : ids of the list in labelling order, then those of replacements. plan_id : of the plan.
    kind : of `kinds.KINDS`. choices : the options of each item of ``ids``, None for one without.
    family : ids of plans whose labels count as this plan's (the same design with another budget: `core.labels.family`).
    target : rows whose column ``target`` names another one are left out; None = the column says nothing.
    unbounded : scores may lie outside 0 … 1 ("score" only); otherwise such a score counts as missing.
    items : the pool's items; where given, right answers are the same vote that say the same by the pool's rule for
        answers ("11" and "11.0" of a number). parser : answer kind for all items, None = their own.
    decisions : labels for items whose annotators disagree, by item id; they win over the most frequent.

    Raises
    ------
    LabelError : no row belongs to this list (another plan's or another pool's), the kind is unknown, columns or ids are
        missing, values are neither text nor numbers (all rows are told), or ``choices`` does not fit ``ids``.
    """
    check_kind(kind)
    rows, ids = as_texts(rows), ids_as_texts(ids)
    options = _options(ids, choices)
    with without_collection():
        own, usable, odd, votes = _sorted_out(rows, set(ids), {plan_id, *family}, kind, options, target, unbounded)
    if len(rows) and not own:
        raise LabelError(foreign(odd, plan_id, column(rows, "plan_id")))
    by_hand = decisions or {}
    decided = {
        item: canonical(label_text(label) or "", kind, options.get(item))
        for item, label in zip(ids_as_texts(by_hand), by_hand.values(), strict=True)
    }
    meant = same_meaning(votes, items, parser) if kind == "gold" else {}
    labels, conflicts, disputed = [], [], set()
    for item in ids:
        given = votes.get(item)
        if not given:
            continue
        if len(given) == 1:
            labels.append((item, given[0][1], 1, 1))
            continue
        decision = decided.get(item)
        found = mean(given, decision) if kind == "score" else most_frequent(item, given, meant, decision)
        if found.differ:
            disputed.add(item)
            if kind != "score":
                conflicts.append((item, found.told, found.label))
        if found.label is not None:
            labels.append((item, found.label, found.votes, found.voters))
    labelled = {item for item, *_ in labels}
    return Settlement(
        plan_id,
        kind,
        pd.DataFrame(labels, columns=["item_id", "label", "votes", "voters"], dtype=object).astype(
            {"votes": "int64", "voters": "int64"}
        ),
        _odd_frame(odd, rows, own, disputed, "several scores" if kind == "score" else "conflict"),
        pd.DataFrame(conflicts, columns=["item_id", "votes", "label"], dtype=object),
        tuple(item for item in ids if item not in labelled),
        tuple(item for item in ids if item in disputed and item not in labelled),
        rows.iloc[usable].reset_index(drop=True),
    )


def _sorted_out(
    rows: pd.DataFrame,
    known: set[str],
    plans: set[str],
    kind: str,
    options: Mapping[str, Sequence[str] | None],
    target: str | None,
    unbounded: bool,
) -> tuple[list[int], list[int], Odd, Given]:
    """Positions of the rows of this list, of those to be stored, what is odd, and the votes (person, label)."""
    own: list[int] = []
    usable: list[int] = []
    odd: Odd = []
    votes, of_pool = Given(), Given()
    seen: set[tuple[str, str, str]] = set()
    read: dict[str, str | None] = {}
    names = ("item_id", "label", "annotator", "plan_id", "status", "target", "source")
    columns = [row_numbers(rows), *(column(rows, name) for name in names)]
    for place, (row, item, label, person, plan, status, judged, source) in enumerate(zip(*columns, strict=True)):
        meant = None
        if plan is not None and plan not in plans:
            what = "another plan"
        elif item not in known:
            what = "foreign id"
        elif target is not None and judged and judged != target:
            what = "another target"
        else:
            own.append(place)
            if label is None or status:
                what = _without_label(status)
            elif (meant := _read(label, kind, options.get(item), read)) is None:
                what = "unknown label"
            elif kind == "score" and not unbounded and not 0 <= float(meant) <= 1:
                what, meant = "score out of range", None
            else:
                vote = (item, person or "", meant)
                what = "duplicate" if vote in seen else ""
            if what in _STORED and status != EMPTY and (label or status):
                usable.append(place)
        if what:
            odd.append((what, row, item, person or "", label, status or ""))
        elif meant is not None:
            seen.add(vote)
            # Until the name was reserved, the target stood there as if it were a person.
            place_of = of_pool if person == POOL or source == _POOL_SOURCE else votes
            place_of.setdefault(item, []).append((person or "", meant))
    return own, usable, odd, of_pool | votes


def _read(label: str, kind: str, options: Sequence[str] | None, read: dict[str, str | None]) -> str | None:
    """`canonical`; labels that mean the same for every item are looked up in ``read``."""
    if options:
        return canonical(label, kind, options)
    if label not in read:
        read[label] = canonical(label, kind)
    return read[label]


def _without_label(status: str | None) -> str:
    """What is odd about a row without a label: nothing where it was left empty, or skipped and comes again."""
    if status in (None, "", EMPTY, SKIPPED):
        return ""
    return "several labels" if status == SEVERAL else "cancelled"


def _options(ids: Sequence[str], choices: Sequence[Sequence[str] | None] | None) -> Mapping[str, Sequence[str] | None]:
    if choices is None:
        return {}
    if len(choices) != len(ids):
        raise LabelError(f"There are {len(choices):,} lists of options for {len(ids):,} items: give one for each.")
    return dict(zip(ids, choices, strict=True))


def _odd_frame(odd: Odd, rows: pd.DataFrame, own: list[int], disputed: set[str], what: str) -> pd.DataFrame:
    """The odd rows and the labels of items whose annotators disagree, in the file's order."""
    if disputed:
        numbers = row_numbers(rows)
        items, people, labels, states = (column(rows, name) for name in ("item_id", "annotator", "label", "status"))
        for place in own:
            if items[place] in disputed and labels[place] is not None and not states[place]:
                odd.append((what, numbers[place], items[place], people[place] or "", labels[place], ""))
    odd.sort(key=lambda entry: entry[1])
    columns = ["what", "row", "item_id", "annotator", "label", "status"]
    return pd.DataFrame(odd, columns=columns, dtype=object).astype({"row": "int64"})
