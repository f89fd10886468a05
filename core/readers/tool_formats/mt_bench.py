"""MT-bench: judgments of single answers, ``<judge>_single.jsonl``, and of pairs, ``<judge>_pair.jsonl``.

An item is a turn of a question. A grade from 1 to 10 counts as its tenth, so that the mean grade is ten times the
accuracy; −1 says that the judge gave none. Of a pair, the first model is judged: it wins if it wins in both orders, and
loses too; all else is a draw, which is half. Question and answer stand in what the judge was asked.

Source: lm-sys/FastChat 0.2.36, run; ``llm_judge/common.py`` and ``show_result.py``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...files.open import Source
from ...files.sniff import Beginning
from ...pool.problems import Problems, shown
from ...words import counted
from ..item_rows import ItemOutputs, Output
from ..joining import MODEL
from ..json_records import FileRow, text_of, tool_lines
from ..model_outputs import Record, ResultsFormat, has_keys
from ..verdicts import ScoreScale

_SINGLE = frozenset({"question_id", "model", "judgment", "score"})
_PAIR = frozenset({"question_id", "model_1", "model_2", "g1_winner", "g2_winner"})
_FIRST, _SECOND, _ERROR = "model_1", "model_2", "error"
_UNRATED, _TOP = -1, 10
# What stands before and behind each part of what a judge is asked, of one turn and of two.
_QUESTION = ("Question]\n", "\n\n[The Start of ")
_ANSWERS = (
    ("[The Start of Assistant's Answer]\n", "\n[The End of Assistant's Answer]"),
    ("[The Start of Assistant A's Answer]\n", "\n[The End of Assistant A's Answer]"),
)
_CHAT = ("<|The Start of Assistant A's Conversation with User|>\n", "\n<|The End of Assistant A's Conversation")
_REFERENCE = ("[The Start of Reference Answer]\n", "\n[The End of Reference Answer]")
_REFERENCES = ("<|The Start of Reference Answer|>\n", "\n<|The End of Reference Answer|>")
_LAST = "### Reference answer:\n"
_TURN = re.compile(r"^### (User|Assistant A):\n", re.MULTILINE)
_REMEDY = "Use the file as MT-bench wrote it."


def outputs(source: Source, beginning: Beginning, problems: Problems) -> Iterator[Record]:
    """Read one judge's judgments of several models."""
    given = [(row, line) for row, _, line in tool_lines(source, problems)]
    needed = _PAIR if beginning.keys >= _PAIR else _SINGLE
    for row, line in given:
        if not isinstance(line, dict) or not line.keys() >= needed:
            problems.add("the line is not a judgment from MT-bench.", row, remedy=_REMEDY)
    problems.stop()
    return _records(given, problems)


FORMAT = ResultsFormat.declared("mt_bench", has_keys(_SINGLE, _PAIR), outputs)


def _records(given: Sequence[FileRow], problems: Problems) -> Iterator[Record]:
    judges = list(dict.fromkeys(_judge(line) for _, line in given))
    baselines = list(dict.fromkeys(str(line["model_2"]) for _, line in given if "model_2" in line))
    shares = _shares([line for _, line in given], problems)
    samples = ItemOutputs(problems.tally)
    for (row, line), share in zip(given, shares, strict=True):
        if _judge(line) != judges[0]:
            problems.tally.leave_out(f"judgments by judges other than {shown(judges[0])}", row)
            continue
        asked = str(line.get("user_prompt") or line.get("g1_user_prompt") or "")
        question, answer = _asked(asked)
        model = str(line.get("model", line.get("model_1")))
        record = {
            MODEL: model if len(baselines) < 2 else f"{model} against {line['model_2']}",
            "id": f"{line['question_id']}:{line.get('turn', 1)}",
            "prompt": question,
            "group": text_of(line.get("category")),
            "reference": _reference(asked),
            "answer_kind": "text",
        }
        samples.add(row, record, None if answer is None and share is None else Output.of(answer or "", share), 0)
    if len(baselines) == 1:
        problems.note(f"Scores are shares of wins against {shown(baselines[0])}: a draw is half.")
    picks = [{line.get("g1_winner"), line.get("g2_winner")} for _, line in given]
    if changed := sum(one == {_FIRST, _SECOND} for one in picks):
        problems.note(f"{counted(changed, 'pick changes', 'picks change')} with the order of the answers: a draw.")
    unrated = sum(share is None for share in shares)
    if unrated:
        problems.note(f"Judgments without a grade or a winner have no score: {unrated:,}.")
    return samples.records()


def _judge(line: Mapping[str, Any]) -> str:
    judge = line.get("judge")
    return str(judge[0] if isinstance(judge, list) and judge else judge)


def _shares(given: Sequence[Mapping[str, Any]], problems: Problems) -> list[float | None]:
    """Return the tenth of each grade, or the share of a win of each pair."""
    if any("g1_winner" in line for line in given):
        return [_won(line.get("g1_winner"), line.get("g2_winner")) for line in given]
    grades = [line.get("score") for line in given]
    tenths = [one / _TOP if isinstance(one, (int, float)) and one != _UNRATED else None for one in grades]
    problems.note("Grades from 1 to 10 are divided by 10: 8 is 80 %.")
    return ScoreScale("a tenth of the grade").shares(tenths, problems)


def _won(one: Any, other: Any) -> float | None:
    if _ERROR in (one, other) or None in (one, other):
        return None
    return {_FIRST: 1.0, _SECOND: 0.0}.get(one, 0.5) if one == other else 0.5


def _asked(prompt: str) -> tuple[str | None, str | None]:
    """Take question and answer out of what the judge was asked; of two turns both questions, and the last answer."""
    chat = _between(prompt, *_CHAT)
    if chat is None:
        return _between(prompt, *_QUESTION), next(filter(None, (_between(prompt, *one) for one in _ANSWERS)), None)
    _, *parts = _TURN.split(chat)
    turns = [(role, text.strip()) for role, text in zip(parts[::2], parts[1::2], strict=True)]
    questions = [text for role, text in turns if role == "User"]
    answers = [text for role, text in turns if role != "User"]
    return "\n\n".join(questions) or None, answers[-1] if answers else None


def _reference(prompt: str) -> str | None:
    references = _between(prompt, *_REFERENCES)
    return _between(prompt, *_REFERENCE) if references is None else references.rpartition(_LAST)[2].strip() or None


def _between(text: str, start: str, end: str) -> str | None:
    """Return what stands between two marks, None if they are not there."""
    _, found, rest = text.partition(start)
    inner, closed, _ = rest.partition(end)
    return inner.strip() or None if found and closed else None
