"""Comparisons of two models: votes of an arena, LogicKor, and tables that say which of two outputs is better.

The pair is a target, “A against B”, whose score is 1 for a win of A, a half for a tie and 0 for a loss; the outputs of
both are targets, too. Of one judge who compares a pair in both orders, or several times, picks that differ are a tie.
Of several judges the verdict that most give counts.

Source: lm-sys/FastChat (arena votes, human judgments of MT-bench), instructkr/LogicKor.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...files.foreign_names import plain_key
from ...files.open import Source
from ...files.sniff import ARRAY, OBJECT, TABLE, WORKBOOK, Beginning
from ...pool.problems import Problems, shown
from ...pool.target_sets import ModelPair
from ...words import counted
from ...words.verdict_words import PREFERRED, spelling
from ..file_rows import rows_of
from ..item_rows import ItemOutputs, Output
from ..joining import MODEL
from ..json_records import FileRow, object_of, objects_in, text_of, whole
from ..model_outputs import Record, ResultsFormat
from ..totals import names_pairs

_VERDICTS = ("winner", "preference", "preferred", "better")
_ONE_HOT = {
    "first": ("winnermodela", "winnermodel1"),
    "second": ("winnermodelb", "winnermodel2"),
    "tie": ("winnertie",),
}
_SIDES = (("a", "b"), ("1", "2"))
_NAMES = ("model", "system", "assistant")
_TEXTS = ("response", "answer", "output", "completion", "conversation", "generation", "text")
_PROMPTS = ("prompt", "question", "instruction", "input")
_IDS = ("questionid", "itemid", "id", "pairid")
_JUDGES = ("judge", "annotator", "rater", "user", "reviewer")
_GROUPS = ("category", "language", "group")
_ARROWS = re.compile(r"\[*(?:(?:model|assistant|response|answer|output)[ _])?([abc12])(?: *([<>]+|=+) *[ab12])?\]*")
_TRUE = ("1", "1.0", "True", "true")
_SHARES = {"first": 1.0, "tie": 0.5, "second": 0.0}
_TURNED = {"first": "second", "second": "first", "tie": "tie"}
# Of more pairs nothing can be said of each.
_MOST_PAIRS = 12
_REMEDY = "Write A, B or tie, or the name of the better model."


@dataclass(frozen=True, slots=True)
class _Vote:
    """A verdict on two outputs: the models and texts as they stood, who is better, and who says so."""

    row: int
    item: str
    models: tuple[str, str]
    texts: tuple[str | None, str | None]
    says: str | None
    judge: str
    facts: Mapping[str, Any]


def recognises(beginning: Beginning) -> bool:
    """Whether keys or columns are of two models or two outputs, and of a winner."""
    keys = frozenset(map(plain_key, beginning.keys))
    if beginning.container == OBJECT and keys >= {"judge", "totals", "results"}:
        return {"turns", "winner"} <= beginning.inner or {"turns", "id"} <= beginning.inner
    said = not keys.isdisjoint(_VERDICTS) or any(not keys.isdisjoint(names) for names in _ONE_HOT.values())
    sided = _sides(keys, _NAMES) is not None or _sides(keys, _TEXTS) is not None
    return beginning.container in (ARRAY, OBJECT, TABLE, WORKBOOK) and said and sided and names_pairs(beginning.keys)


def outputs(source: Source, beginning: Beginning, problems: Problems) -> Iterator[Record]:
    """Read which output is better, and the outputs if the file has them."""
    lines = _turns(source, problems) if "totals" in beginning.keys else rows_of(source, problems)
    votes = [_vote(row, {plain_key(key): value for key, value in line.items()}, problems) for row, line in lines]
    if all(vote.says is None for vote in votes) and not problems.total:
        problems.add("no row says which output is better.", remedy=f"Fill in the column of the winner. {_REMEDY}")
    problems.stop()
    pairs = {frozenset(vote.models): vote.models for vote in reversed(votes)}
    if len(pairs) > _MOST_PAIRS:
        problems.add(
            f"the file compares {len(pairs):,} pairs of models.",
            remedy=f"Keep the rows of one pair, or of one baseline against at most {_MOST_PAIRS} models.",
        )
        problems.stop()
    return _records(votes, pairs, problems)


FORMAT = ResultsFormat.declared("comparisons", recognises, outputs)


def _sides(keys: Iterable[str], stems: Iterable[str]) -> tuple[str, str] | None:
    """Return the keys of both sides of the first of some stems that has both, such as “modela” and “modelb”."""
    there = set(keys)
    both = ((f"{stem}{one}", f"{stem}{other}") for stem in stems for one, other in _SIDES)
    return next((pair for pair in both if there.issuperset(pair)), None)


def _turns(source: Source, problems: Problems) -> Iterator[FileRow]:
    """Read the turns of LogicKor's questions, each an item."""
    questions = objects_in(object_of(whole(source, problems, "Use the file as LogicKor wrote it.")).get("results"))
    turns = [
        {**question, **turn, "id": f"{question.get('id')}:{turn.get('turn')}", "turn": None}
        for question in questions
        for turn in objects_in(question.get("turns"))
    ]
    yield from enumerate(problems.tally.records(turns), start=1)


def _vote(row: int, cells: Mapping[str, Any], problems: Problems) -> _Vote:
    names, texts = _sides(cells, _NAMES), _sides(cells, _TEXTS)
    models = ("A", "B") if names is None else (text_of(cells[names[0]]) or "A", text_of(cells[names[1]]) or "B")
    if models[0] == models[1]:
        problems.add(f"both outputs are of {shown(models[0])}.", row, remedy="Remove the row.")
    prompt = next((text for name in _PROMPTS if (text := _said(cells.get(name)))), None)
    said = (None, None) if texts is None else (_said(cells[texts[0]]), _said(cells[texts[1]]))
    prompt = prompt or (None if texts is None else _asked(cells[texts[0]]))
    item = next((text for name in _IDS if (text := text_of(cells.get(name)))), None) or prompt or str(row)
    turn = text_of(cells.get("turn"))
    facts = {"prompt": prompt, "group": next((text_of(cells[name]) for name in _GROUPS if name in cells), None)}
    judge = next((str(cells[name]) for name in _JUDGES if name in cells), "")
    says = _says(row, cells, models, problems)
    return _Vote(row, item if turn is None else f"{item}:{turn}", models, said, says, judge, facts)


def _says(row: int, cells: Mapping[str, Any], models: tuple[str, str], problems: Problems) -> str | None:
    """Return which side is better; None if the row does not say it, or that there is no verdict."""
    named = next((name for name in _VERDICTS if name in cells), None)
    if named is None:
        is_one = {side: any(str(cells.get(one)) in _TRUE for one in names) for side, names in _ONE_HOT.items()}
        hot = [side for side, says in is_one.items() if says]
        if len(hot) > 1:
            problems.add("several of the columns of the winner are 1.", row, remedy=_REMEDY)
        return hot[0] if len(hot) == 1 else None
    text = text_of(cells[named])
    if text is None:
        return None
    word = spelling(text)
    named_side, place = {spelling(models[0]): "first", spelling(models[1]): "second"}.get(word), PREFERRED.get(word)
    # A model called as the place of the other one may mean either.
    says = None if named_side and place and named_side != place else named_side or place
    if named_side is None and says is None and (arrow := _ARROWS.fullmatch(word)):
        side, sign = arrow[1], arrow[2] or ">"
        says = "tie" if side == "c" or "=" in sign else "first" if (side in "a1") == (">" in sign) else "second"
    if says is None:
        problems.add(f"{shown(text)} says of neither output that it is better.", row, named, _REMEDY)
    return says


def _records(
    votes: Sequence[_Vote], pairs: Mapping[frozenset[str], tuple[str, str]], problems: Problems
) -> Iterator[Record]:
    """Put the votes on each item and pair together, and the outputs of both models beside them."""
    samples, changed, split = ItemOutputs(problems.tally), 0, 0
    of_pair = dict[tuple[str, tuple[str, str]], list[_Vote]]()
    for vote in votes:
        of_pair.setdefault((vote.item, pairs[frozenset(vote.models)]), []).append(vote)
    for (item, pair), given in of_pair.items():
        picks = dict[str, set[str]]()
        for vote in given:
            if vote.says is not None:
                says = vote.says if vote.models == pair else _TURNED[vote.says]
                picks.setdefault(vote.judge, set()).add(says)
        changed += sum(len(said) > 1 for said in picks.values())
        counts = Counter(next(iter(said)) if len(said) == 1 else "tie" for said in picks.values()).most_common(2)
        is_split = len(counts) > 1 and counts[0][1] == counts[1][1]
        split += is_split
        share = None if not counts else _SHARES["tie" if is_split else counts[0][0]]
        first, facts = given[0], {"id": item, **given[0].facts, "answer_kind": "text"}
        verdict = Output.of(None, share, is_scored=True)
        samples.add(first.row, {MODEL: ModelPair(*pair).name, **facts}, verdict, 0)
        for model, text in zip(first.models, first.texts, strict=True):
            if text is not None:
                samples.add(first.row, {MODEL: model, **facts}, Output(text), 0)
        for vote in given[1:]:
            problems.tally.complete(vote.row)
    names = ", ".join(f"{shown(one)} against {shown(other)}" for one, other in pairs.values())
    problems.note(f"Scores are shares of wins, {names}: a tie is half.")
    if changed:
        problems.note(f"{counted(changed, 'pick changes', 'picks change')} with the order or between rows: a tie.")
    if split:
        problems.note(f"Judges are evenly split on {counted(split, 'pair')}: a tie.")
    return samples.records()


def _said(value: Any) -> str | None:
    """Return a text; of a chat what the model said last."""
    if isinstance(value, list):
        said = [one.get("content") for one in value if isinstance(one, dict) and one.get("role") != "user"]
        return text_of(said[-1]) if said else None
    return text_of(value)


def _asked(value: Any) -> str | None:
    """Return what the user said in a chat; None of anything else."""
    if not isinstance(value, list):
        return None
    asked = [text_of(one.get("content")) for one in value if isinstance(one, dict) and one.get("role") == "user"]
    return "\n\n".join(text for text in asked if text) or None
