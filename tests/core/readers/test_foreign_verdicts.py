"""Outputs and verdicts under the names that people of many languages use."""

from __future__ import annotations

import math

import pytest

from core.files import foreign_names as foreign
from core.readers import Shape, read_mapped
from core.words.verdict_words import SAYS_RIGHT, spelling
from tests.core.readers.guessed import guess, table

WORDS = {
    "Mandarin Chinese": ("正确", "错误"),
    "Hindi": ("सही", "गलत"),
    "Spanish": ("correcto", "incorrecto"),
    "French": ("juste", "faux"),
    "Arabic": ("صحيح", "خطأ"),
    "Bengali": ("সঠিক", "ভুল"),
    "Portuguese": ("certo", "errado"),
    "Russian": ("верно", "неверно"),
    "Urdu": ("درست", "غلط"),
    "Indonesian": ("benar", "salah"),
    "German": ("richtig", "falsch"),
    "Japanese": ("合格", "不合格"),
    "Korean": ("정답", "오답"),
    "Italian": ("giusto", "errato"),
    "Turkish": ("doğru", "yanlış"),
}
NAMES = [
    (language, output, verdict)
    for language in foreign.LANGUAGES
    for output in foreign.of_language(foreign.OUTPUT, language)
    for verdict in foreign.of_language(foreign.VERDICT, language)[:1]
] + [
    (language, foreign.of_language(foreign.OUTPUT, language)[0], verdict)
    for language in foreign.LANGUAGES
    for verdict in foreign.of_language(foreign.VERDICT, language)[1:]
]


@pytest.mark.parametrize(("language", "output", "verdict"), NAMES)
def test_outputs_and_verdicts_are_known_in_every_language(language: str, output: str, verdict: str) -> None:
    prompt, words = foreign.of_language(foreign.PROMPT, language)[0], WORDS[language]
    rows = [{prompt: f"{n}?", output: f"{n} 1 2", verdict: words[n % 3 == 0]} for n in range(12)]
    found = guess(table(rows))
    assert found.fields == {"prompt": prompt} and found.targets == {"m": {"text": output}}
    assert found.judges == (verdict,)
    assert read_mapped(table(rows), found).items[verdict].tolist() == [float(n % 3 > 0) for n in range(12)]


@pytest.mark.parametrize("language", WORDS)
def test_the_words_of_the_verdicts_are_known(language: str) -> None:
    assert [SAYS_RIGHT[spelling(word)] for word in WORDS[language]] == [True, False]


@pytest.mark.parametrize(
    ("name", "words", "share"),
    [
        ("falsch", ("falsch",), None),
        ("wrong", ("falsch",), None),
        ("faux", ("faux",), None),
        ("errore", ("falso",), None),
        ("wrong", ("falsch", "richtig"), 1 / 2),
        ("falsch", ("falsch", "wahr"), 1 / 2),
        ("falsch", ("nein", "ja"), 1 / 2),
        ("faux", ("wrong",), 0),
    ],
)
def test_one_word_that_says_wrong_or_untrue_is_asked_about(
    name: str, words: tuple[str, ...], share: float | None
) -> None:
    rows = [{"id": n, "question": f"{n}?", "output": "x", name: words[n % len(words)]} for n in range(20)]
    fields = guess(table(rows))
    accuracy = read_mapped(table(rows), fields).targets["m"].accuracy()
    assert accuracy == pytest.approx(math.nan if share is None else share, nan_ok=True)
    assert bool(Shape.of(table(rows), "m").doubts) is (share is None)
