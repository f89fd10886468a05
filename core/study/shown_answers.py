"""Answers that a filled list shows beside its labels, and those of the target that the labels count for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..labels.formats.label_file import LabelFile
from ..labels.kinds import KINDS
from ..labels.shown_rows import check_shown, items_shown, same_answer, shown_ways
from ..labels.texts import columns_of
from ..pool.outcomes import SILENT
from ..pool.problems import shown
from ..words import counted
from .labelling import Labelling

_EXAMPLES, _LONGEST = 3, 30


def check_rows(labels: Labelling, files: Sequence[LabelFile]) -> None:
    """Check that rows of filled lists show the prompts of their items, and the answers of the target that they judge.

    Parameters
    ----------
    labels : Labelling
        The list, with its kind and target.
    files : sequence of LabelFile
        With the labels.

    Raises
    ------
    LabelError
        Rows contradict themselves, as of `core.labels.shown_rows.check_shown`.
    """
    pool, design, answers = labels.pool, labels.plan.design, dict[str, dict[str, set[str]]]()
    prompt = "prompt" if design.judging is None else columns_of(pool, design.judging.judge).get("prompt", "prompt")
    if KINDS[labels.kind].judges and labels.target is not None and (items := items_shown(files, pool)):
        runs = labels.answers if labels.pair is not None else labels.runs.get(labels.target, {})
        ways = {item: {text or SILENT} for item, text in runs.items()}
        if labels.target in pool.targets:
            ways |= shown_ways(pool, labels.target, items, (labels.parser, design.scheme.parser, None))
        answers[labels.target] = ways
    check_shown(files, pool, answers, prompt=prompt, letters=not KINDS[labels.kind].judges)


def other_answers(labels: Labelling, files: Sequence[LabelFile]) -> str:
    """Say that a file shows other answers than those of the target that its labels count for; "" if it does not.

    Parameters
    ----------
    labels : Labelling
        The list, with the target.
    files : sequence of LabelFile
        With the labels; those that name no target are looked at.
    """
    if not labels.judged or labels.plan.design.judging is not None:
        return ""
    pairs = [(row.item_id, row.answer) for one in files for row in one.shown if row.answer and not row.answers_of]
    unlike = _unlike(labels, pairs)
    if not unlike:
        return ""
    others = (name for name in labels.pool.targets if name != labels.judged)
    other = next((name for name in others if not _unlike(replace(labels, target=name), pairs)), "")
    examples = ", ".join(
        f"item {shown(item, _LONGEST)}: {shown(text, _LONGEST)} beside {shown(said, _LONGEST)}"
        for item, text, said in unlike[:_EXAMPLES]
    )
    known = len({item for item, _ in pairs if item in labels.answers})
    remedy = f"They are those of “{other}”: choose it" if other else "If the labels judge another model, choose that"
    return (
        f"Of {counted(known, 'answer')} that this file shows, {len(unlike):,} differ from what “{labels.judged}” "
        f"answered ({examples}{', …' * (len(unlike) > _EXAMPLES)}). {remedy} as the target."
    )


def _unlike(labels: Labelling, pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str, str]]:
    """List the items with another answer than the target's: item, answer shown, the target's."""
    said = {item: answer or SILENT for item, answer in labels.answers.items()}
    there = dict.fromkeys((item, text) for item, text in pairs if item in said)
    return [(item, text, said[item]) for item, text in there if not same_answer(text, said[item])]
