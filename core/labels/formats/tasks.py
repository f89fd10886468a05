"""Annotation tasks: the content of one, the same in every tool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ...errors import LabelError
from ..kinds import GOLD, KINDS, PREFERENCE, letter
from ..model_pair import FIRST_ANSWER, SHOWN, both
from .escaping import plain

# Names of the question and the note that no tool and no pool uses itself.
CONTROL, NOTE = "neyman_label", "neyman_note"
# How likely the item was drawn: carried, never shown.
PROBABILITY = "inclusion_probability"
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
        The target's answer, or two that are compared, as one text; None if annotators see none.
    compares : bool
        Whether these are two.
    """

    payload: dict[str, Any]
    prompt: str
    options: tuple[tuple[str, str], ...]
    images: tuple[str, ...]
    answer: str | None
    compares: bool = False

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
        answer = answer if not self.compares else self.answer or ""
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
        shown = [str(record.pop(name)) for name in SHOWN if name in record]
        yield Task(
            payload=record,
            prompt="" if prompt is None else str(prompt),
            options=tuple((letter(number), str(text)) for number, text in enumerate(choices)),
            images=tuple(map(str, image if isinstance(image, list) else [image] if image else [])),
            answer=both(*shown) if shown else None if answer is _UNSHOWN else str(answer or ""),
            compares=bool(shown),
        )


def label_choices(kind: str) -> dict[str, str]:
    """Return the labels from which annotators choose, with what a tool calls them; none if there are others."""
    return {label: label.capitalize() for label in KINDS[kind].verdicts}


def with_shown(payload: Mapping[str, Any], text: object) -> dict[str, Any]:
    """Return a payload with the prompt and the target_answer that the ``text`` of its task shows.

    Names that it has already stay: somebody made the tasks from a list.
    """
    if not isinstance(text, str):
        return dict(payload)
    read, mark, answer = text.replace("\r\n", "\n").rpartition(f"\n\n{_ANSWER}")
    prompt, pair = read if mark else answer, ""
    if payload.get("kind") == PREFERENCE.name:
        prompt, _, pair = answer.partition(f"\n\n{FIRST_ANSWER}")
    said = f"{FIRST_ANSWER}{pair}" if pair else answer if mark and answer.strip() != _NONE else ""
    return {"prompt": prompt.split(f"\n\n{letter(0)}. ", 1)[0], "target_answer": said, **payload}


def check_request(frame: pd.DataFrame, kind: str) -> None:
    """Check that a request can be labelled in this way.

    Raises
    ------
    LabelError
        If there is no such kind, or annotators are to judge answers that the request does not have.
    """
    if KINDS[kind].compares and SHOWN[0] not in frame.columns:
        raise LabelError(f"“{kind}” labels compare two targets’ answers. Ask for them with request(…, against=…).")
    if KINDS[kind].judges and not KINDS[kind].compares and "target_answer" not in frame.columns:
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
