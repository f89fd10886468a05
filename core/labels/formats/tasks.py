"""Annotation tasks: the content of one, the same in every tool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ...errors import LabelError
from ..kinds import GOLD, KINDS, RIGHT, WRONG, letter
from .escaping import plain

# Names of the question and the note that no tool and no pool uses itself.
CONTROL, NOTE = "neyman_label", "neyman_note"
# How likely the item was drawn: carried, never shown.
PROBABILITY = "inclusion_probability"
VERDICTS = {RIGHT: "Right", WRONG: "Wrong"}
_UNSHOWN = object()
# How a task's text names the answer that is judged, and one that is empty.
_ANSWER, _NONE = "The model's answer: ", "(none)"


@dataclass(frozen=True, slots=True)
class Task:
    """One item as a task.

    Parameters
    ----------
    payload : dict
        item_id, plan_id, position and the further columns of the request.
    prompt : str
        The item's prompt, "" if it has none.
    options : tuple of (str, str)
        Letter and text of each option.
    images : tuple of str
        Paths or addresses.
    answer : str or None
        The target's answer, None if annotators do not see it.
    """

    payload: dict[str, Any]
    prompt: str
    options: tuple[tuple[str, str], ...]
    images: tuple[str, ...]
    answer: str | None

    @property
    def question(self) -> str:
        """Everything there is to read, as one text; the item's id if it has no prompt."""
        return self._text(self.listed)

    @property
    def unlisted(self) -> str:
        """Everything there is to read except the options."""
        return self._text("")

    def _text(self, listed: str) -> str:
        answer = "" if self.answer is None else f"{_ANSWER}{self.answer or _NONE}"
        return "\n\n".join(filter(None, (self.prompt or str(self.payload["item_id"]), listed, answer)))

    @property
    def listed(self) -> str:
        """The options, one a line."""
        return "\n".join(f"{name}. {text}" for name, text in self.options)


def tasks_of(frame: pd.DataFrame) -> Iterator[Task]:
    """Yield the tasks of a request, in its order."""
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


def with_shown(payload: Mapping[str, Any], text: object) -> dict[str, Any]:
    """Return a payload with the prompt and the target_answer that the ``text`` of its task shows.

    Names that it has already stay: somebody made the tasks from a list.
    """
    if not isinstance(text, str):
        return dict(payload)
    read, mark, answer = text.replace("\r\n", "\n").rpartition(f"\n\n{_ANSWER}")
    prompt = (read if mark else answer).split(f"\n\n{letter(0)}. ", 1)[0]
    return {"prompt": prompt, "target_answer": answer if mark and answer.strip() != _NONE else "", **payload}


def check_request(frame: pd.DataFrame, kind: str) -> None:
    """Check that a request can be labelled in this way.

    Raises
    ------
    LabelError
        If there is no such kind, or annotators are to judge answers that the request does not have.
    """
    if KINDS[kind].judges and "target_answer" not in frame.columns:
        raise LabelError(
            f"“{kind}” labels judge the target's answers. Add its answers to these items, or ask for the right answers "
            f"instead (“{GOLD.name}”)."
        )


def most_images(items: list[Task]) -> int:
    """Return the most images that one item has."""
    return max((len(task.images) for task in items), default=0)


def image_name(number: int) -> str:
    """Return the name of an item's first, second … image (1, 2 …)."""
    return "image" if number == 1 else f"image_{number}"


def all_have_choices(items: list[Task]) -> bool:
    """Whether every item is multiple-choice, so that its options can be the labels."""
    return bool(items) and all(task.options for task in items)
