"""One item as the person who labels sees it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from core import labels
from core.labels import columns_of, letter
from core.pool import ImageError, picture, several
from core.study import Study
from core.words import textless
from pages.parts import markup
from pages.parts.app import session
from pages.parts.label import answers
from pages.parts.markup import plain

_NAMED = 80


@dataclass(slots=True)
class Passages:
    """Texts of an item as far as they are shown, and how many characters are not.

    Parameters
    ----------
    whole : bool
        Whether they are shown in full.
    hidden : int
        Characters that are left out so far.
    """

    whole: bool
    hidden: int = field(default=0)

    def cut(self, text: str) -> str:
        """The beginning of a text, and all of it if it is short or all is shown."""
        beginning = text if self.whole else markup.beginning(text)
        self.hidden += len(text) - len(beginning)
        return beginning


def content(study: Study, item: str, truth: bool, whole: bool, said: dict[str, str | None]) -> dict[str, Any]:
    """Return the desk's content for an item.

    Parameters
    ----------
    truth : bool
        Whether the right answer is shown.
    whole : bool
        Whether even a huge text is shown in full.
    said : dict
        The target's answers by item, if they are judged.
    """
    row, shown = study.pool.items_with([item]).loc[item], Passages(whole)
    prompt, images = row.get(_question(study)), _images(row.get("image"))
    choices = [shown.cut(option) for option in options(study, item)]
    parts = []
    if truth:
        known = row.get("answer")
        parts.append(_part(shown, "Truth", known if isinstance(known, str) else None, "not in this pool"))
    two = said.get(item) if labels.KINDS[study.kind].compares else None
    if two is not None:
        titles = ("First answer", "Second answer")
        parts += [_part(shown, title, text, "") for title, text in zip(titles, labels.parted(two), strict=True)]
    elif study.kind != "gold":
        # Without the target's name, which would sway whoever judges.
        parts.append(_part(shown, "Answer to judge", said.get(item), "the target was asked, but gave no answer"))
    offers = answers.offered(study, item, choices)
    pictures, problems = _pictures(images)
    stem = answers.listed(study, item).stem if study.kind == "gold" and not choices else prompt
    text = shown.cut(stem) if isinstance(prompt, str) and isinstance(stem, str) else None
    if choices and (study.kind != "gold" or not offers):
        # Options that are no buttons are part of the question.
        listing = "\n".join(f"{letter(number)}. {option}" for number, option in enumerate(choices))
        text = listing if text is None else f"{text}\n\n{listing}"
    return {
        "id": item,
        "prompt": text,
        "parts": parts,
        "beside": two is not None,
        "pictures": pictures,
        "problems": problems,
        "nothing": "" if text is not None or choices or images else textless(item, row.get("group")),
        "answers": offers,
        "field": answers.field(study, offers, choices),
        "hidden": shown.hidden,
    }


def _question(study: Study) -> str:
    """The column of what was asked; tables of colleagues that hold a judge's verdicts call it by any name."""
    judging = study.plan.design.judging
    return "prompt" if judging is None else columns_of(study.pool, judging.judge).get("prompt", "prompt")


def show(study: Study, item: str) -> None:
    """Prompt, options and pictures on a page that decides about labels, and the answer to judge."""
    shown = content(study, item, False, True, study.labels.answers)
    with st.container(border=True):
        st.caption(plain(f"Item {item}"))
        listing = [f"{letter(number)}. {option}" for number, option in enumerate(options(study, item))]
        prompt = study.pool.items_with([item]).loc[item].get("prompt")
        markup.show("\n".join([*([prompt] if isinstance(prompt, str) else []), *listing]), f"disputed-{item}")
        if shown["nothing"]:
            st.caption(plain(shown["nothing"]))
        with st.container(horizontal=True):
            for image in shown["pictures"]:
                st.image(image)
        for problem in shown["problems"]:
            st.warning(plain(problem), icon=":material/image_not_supported:")
        for part in shown["parts"]:
            with st.container(border=True, gap="xsmall"):
                st.caption(part["title"])
                if part["text"] is not None:
                    markup.show(part["text"], f"disputed-{item}-{part['title']}")


def options(study: Study, item: str) -> list[str]:
    """The options of an item, [] if it has none."""
    return labels.choices_of(study.pool.items_with([item]), [item])[0] or []


def needs_folder(study: Study) -> bool:
    """Whether pictures of the pool are files, in a folder that a person has to name."""
    if "image" not in study.pool.item_columns:
        return False
    drawn: pd.Series[Any] = study.pool.rows(study.plan.positions)["image"].dropna()
    return any(not str(image).startswith("data:") for value in drawn for image in _images(value))


def folder() -> str | None:
    """The folder that the images' paths are relative to, as the person has named it."""
    given = str(session.widget("images") or "").strip()
    return str(Path(given).expanduser()) if given else None


def _part(shown: Passages, title: str, text: str | None, otherwise: str) -> dict[str, Any]:
    if text is None:
        return {"title": f"{title}: {otherwise}", "text": None}
    return {"title": title, "text": shown.cut(text)}


def _pictures(images: list[object]) -> tuple[list[str], list[str]]:
    """Pictures that are in the pool, or in the folder that its paths are relative to; what cannot be shown is named."""
    pictures, problems = list[str](), list[str]()
    for image in map(str, images):
        try:
            pictures.append(picture(image, folder()).data_url)
        except ImageError as error:
            named = "An image inside the pool" if image.startswith("data:") else f"“{image[:_NAMED]}”"
            problems.append(f"{named} is not shown. {error}")
    return pictures, problems


def _images(value: object) -> list[object]:
    return [value] if isinstance(value, str) else list(value) if several(value) else []
