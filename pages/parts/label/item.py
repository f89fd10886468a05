"""One item as the person who labels sees it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import streamlit as st

from core import labels
from core.labels import letter
from core.pool import ImageError, Picture, picture
from core.study import Study
from core.words import textless
from pages.parts import visitor
from pages.parts.markup import plain

_TALLEST, _WIDEST = 340, 640
_NAMED = 80
_LINE, _LINES = 80, 18


def show(study: Study, item: str, truth: bool) -> None:
    """Prompt, options, pictures, and where asked for the truth and the target's answer."""
    row = study.pool.items.loc[item]
    with st.container(border=True):
        st.caption(plain(f"Item {item}"))
        prompt, answer = row.get("prompt"), row.get("answer")
        texts = [prompt] if isinstance(prompt, str) else []
        texts += [f"{letter(number)}. {option}" for number, option in enumerate(options(study, item))]
        # A long text scrolls in itself, so that the buttons stay in sight.
        with st.container(key=f"text-{item}", height=_TALLEST if _lines(texts) > _LINES else "content"):
            for text in texts:
                st.text(text)
        if not texts and not _images(row.get("image")):
            st.caption(plain(textless(item, row.get("group"))))
        _pictures(row.get("image"))
        if truth:
            _part("Truth", answer if isinstance(answer, str) else None, "not in this pool")
        if study.kind != "gold":
            # Without the target's name, which would sway whoever judges.
            _part("Answer to judge", study.answers.get(item), "the target was asked, and gave none")


def options(study: Study, item: str) -> list[str]:
    """The options of an item, [] where it has none."""
    return labels.choices_of(study.pool.items, [item])[0] or []


def _lines(texts: list[str]) -> int:
    """About how many lines these texts take."""
    return sum(1 + len(line) // _LINE for text in texts for line in text.splitlines())


def _part(title: str, text: str | None, otherwise: str) -> None:
    with st.container(border=True, gap="xsmall"):
        st.caption(title if text is not None else f"{title}: {otherwise}")
        if text is not None:
            st.text(text)


def _pictures(value: object) -> None:
    """Pictures that are in the pool, or in the folder that its paths are relative to; what cannot be shown is named."""
    given = _images(value)
    pictures: list[Picture] = []
    problems: list[str] = []
    absent = False
    for image in map(str, given):
        try:
            pictures.append(picture(image, _folder()))
        except ImageError as error:
            named = "An image inside the pool" if image.startswith("data:") else f"“{image[:_NAMED]}”"
            problems.append(f"{named} is not shown. {error}")
            absent = absent or not error.final
    with st.container(horizontal=True):
        for one in pictures:
            width = min(_WIDEST, one.width, max(1, _TALLEST * one.width // one.height))
            try:
                st.image(one.content, width=width)
            except (OSError, SyntaxError, ValueError) as error:
                problems.append(f"An image is damaged and not shown ({error}).")
    for problem in problems:
        st.warning(plain(problem), icon=":material/image_not_supported:")
    if absent and visitor.links() is None:
        # The same field as on page Surrogate: once said, it holds for both.
        st.text_input("Folder that the images’ paths are relative to", key="images", persist_state="session")


def _images(value: object) -> list[object]:
    return [value] if isinstance(value, str) else list(value) if isinstance(value, list | np.ndarray) else []


def _folder() -> str | None:
    given = str(st.session_state.get("images") or "").strip()
    return str(Path(given).expanduser()) if given else None
