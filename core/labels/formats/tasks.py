"""What one annotation task shows, the same in every tool."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from core.errors import LabelError
from core.labels.formats.escaping import plain
from core.labels.kinds import RIGHT, WRONG, check_kind, letter

# The names of the question, chosen so that no tool's own keys and no column of a pool is called so.
CONTROL, NOTE = "neyman_label", "neyman_note"
QUESTIONS = {
    "right-wrong": "Is the model's answer right?",
    "gold": "What is the right answer?",
    "score": "How good is the model's answer, from 0 (worst) to 1 (best)?",
}
VERDICTS = {RIGHT: "Right", WRONG: "Wrong"}
_UNSHOWN = object()


@dataclass(frozen=True, slots=True)
class Task:
    """One item as a task: ``payload`` has item_id, plan_id, position, and what else was asked for; ``options`` are
    (letter, text) pairs; ``images``: paths or addresses; ``answer``: the target's, None where it is not shown.
    """

    payload: dict[str, Any]
    prompt: str
    options: tuple[tuple[str, str], ...]
    images: tuple[str, ...]
    answer: str | None

    @property
    def question(self) -> str:
        """Everything there is to read, as one text; the item's id where the pool has no prompts."""
        return self._text(self.listed)

    @property
    def unlisted(self) -> str:
        """What there is to read besides the options."""
        return self._text("")

    def _text(self, listed: str) -> str:
        answer = "" if self.answer is None else f"The model's answer: {self.answer or '(none)'}"
        return "\n\n".join(filter(None, (self.prompt or str(self.payload["item_id"]), listed, answer)))

    @property
    def listed(self) -> str:
        """The options, one a line."""
        return "\n".join(f"{name}. {text}" for name, text in self.options)


def tasks_of(frame: pd.DataFrame) -> Iterator[Task]:
    """The tasks of a request, in its order."""
    for row in frame.itertuples(index=False, name=None):
        record = {name: plain(value) for name, value in zip(frame.columns, row, strict=True)}
        prompt, image = record.pop("prompt", None), record.pop("image", None)
        choices = record.pop("choices", None) or []
        answer = record.pop("target_answer", None) if "target_answer" in record else _UNSHOWN
        yield Task(
            payload=record,
            prompt="" if prompt is None else str(prompt),
            options=tuple((letter(number), str(text)) for number, text in enumerate(choices)),
            images=tuple(map(str, image if isinstance(image, list) else [image] if image else [])),
            answer=None if answer is _UNSHOWN else str(answer or ""),
        )


def check_request(frame: pd.DataFrame, kind: str) -> None:
    """Raise :class:`LabelError` where a request cannot be labelled in this way."""
    check_kind(kind)
    if kind in ("right-wrong", "score") and "target_answer" not in frame.columns:
        raise LabelError(
            f"Labels of the kind “{kind}” judge the target's answers: give the target's answers to these items, or "
            "let the annotators give the right answer instead (“gold”)."
        )


def most_images(found: list[Task]) -> int:
    """The most images that one item has."""
    return max((len(task.images) for task in found), default=0)


def image_name(number: int) -> str:
    """Where an item's first, second … image stands (1, 2 …)."""
    return "image" if number == 1 else f"image_{number}"


def all_have_choices(found: list[Task]) -> bool:
    """Whether every item is multiple-choice, so that its options can be the labels."""
    return bool(found) and all(task.options for task in found)
