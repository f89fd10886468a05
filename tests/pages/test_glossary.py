"""What the terms in a sentence mean, in its tooltip."""

from __future__ import annotations

import pytest

from core.words import GLOSSARY, PLURALS
from pages.parts.markup import meanings, plain
from tests.pages.test_recommended import EXPLORE


def terms(text: str) -> list[str]:
    return [paragraph.split("**")[1].lower() for paragraph in (meanings(text) or "").split("\n\n") if paragraph]


@pytest.mark.parametrize("term", GLOSSARY)
def test_every_term_is_known_alone_in_the_plural_and_in_escaped_text(term):
    plural = PLURALS.get(term, f"{term}s")
    assert all(term.lower() in terms(plain(f"About {word} here.")) for word in (term, *([plural] * term.isalpha())))
    assert term.lower() in terms(f"{term[0].upper()}{term[1:]} first.")


def test_words_that_are_no_terms_mean_nothing():
    assert meanings("drawn uniformly, on targeted substrata") is None


def test_the_sentence_above_a_figure_says_what_its_terms_mean(open_page):
    app = open_page(EXPLORE, design="paper")
    tips = {element.value: element.help for element in app.markdown if element.value.startswith("## ")}
    (strata,) = (tip for words, tip in tips.items() if "strata (groups of items that look alike)" in words)
    assert GLOSSARY["stratum"] in strata and all(
        "**Uniform**" in tip for words, tip in tips.items() if "Uniform" in words
    )
