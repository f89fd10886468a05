"""Words for right and wrong: proposed in many languages, never read by guess."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import LabelError
from core.labels import KINDS, canonical, is_word, remark, translated, unknown_words, words_of
from core.labels.proposals import _PROPOSED, proposed
from core.labels.vocabulary import meanings_of


def rows(labels, kind=None, notes=None):
    columns = {"item_id": [str(place) for place in range(len(labels))], "label": labels, "status": "", "kind": kind}
    return pd.DataFrame({**columns, "note": notes or [None] * len(labels)}, dtype=object)


PAIRS = (
    "richtig/falsch ja/nein oui/non 对/错 pass/fail good/bad सही/गलत correcto/incorrecto صحيح/خطأ সঠিক/ভুল certo/errado"
)
PAIRS += " верно/неверно درست/غلط benar/salah 正しい/間違い"


@pytest.mark.parametrize("pair", PAIRS.split())
def test_common_pairs_are_proposed_and_do_not_count_by_themselves(pair):
    for word, meaning in zip(pair.split("/"), ("right", "wrong"), strict=True):
        found = {one.word: one.meaning for one in unknown_words(rows([word.upper(), f" {word}."]))}
        known = canonical(word, "right-wrong")
        assert found == ({} if known else {word: meaning}) and known in (None, meaning) and is_word(word)
        said = translated(rows([word]), {word: meaning})
        assert said["label"].tolist() == [meaning]


def test_no_proposal_says_another_thing_than_a_word_that_counts():
    certain = {word: canonical(word, "right-wrong") for word in _PROPOSED}
    assert all(meaning in (None, _PROPOSED[word]) for word, meaning in certain.items())


@pytest.mark.parametrize(
    ("words", "meaning"),
    [
        ("is correct|is valid|iscorrect|it correct|unvalid|is true|iswrong|inccorrect|in valid", None),
        ("wrong-ish|not wrong|not very good|partially|noe|nooo|mostly right|no way", None),
        ("rigth|corect|corretc|correctt|tru|yess", "right"),
        ("yep|yup|yeah|correctly|✓✓|✔\ufe0f✔|++|👍👍", "right"),
        ("incorect|incorrectt|worng|flase|invald|fial", "wrong"),
        ("nope|nopee|nah|incorrectly|wrongly|falsch|✗✗|👎👎", "wrong"),
        ("not right|not correct|is not true|isn't ok|nicht richtig|no correcto", "wrong"),
        ("skiped|unsrue|is it?|not sure|no verdict|——|??", "skip"),
    ],
)
def test_a_slip_of_one_letter_is_proposed_and_never_the_opposite(words, meaning):
    found = {word: proposed(word) for word in words.split("|")}
    assert found == dict.fromkeys(found, meaning)


def test_labels_of_other_kinds_keep_their_words():
    for kind in KINDS:
        said = translated(rows(["ja", "right"], kind), {"ja": "right"})
        read = {"right-wrong": ["right", "right"], "score": ["1", "right"], "gold": ["ja", "right"]}
        read["preference"] = ["ja", "right"]
        assert said["label"].tolist() == read[kind]
        assert bool(unknown_words(rows(["ja"], kind))) == (kind == "right-wrong")


@given(st.text(min_size=1, max_size=20), st.one_of(st.none(), st.text(min_size=1, max_size=20)))
def test_what_was_written_and_what_was_noted_stay(word, note):
    if canonical(word, "right-wrong") is not None or not word.strip():
        return
    before = rows([word, "right"], notes=[note, note])
    after = translated(before, {word: "wrong"})
    assert after["label"].tolist() == ["wrong", "right"]
    assert remark(after["note"][0]) == (note or None) and f"written “{word}”" in after["note"][0]
    assert [(one.labels, one.meaning) for one in words_of(after)] == [(1, "wrong")]


def test_every_bad_meaning_is_named():
    with pytest.raises(LabelError, match="“a” as “x” and “b” as “y”"):
        meanings_of({"a": "x", "b": "y", "c": "skip"})
    with pytest.raises(LabelError, match=r"“yes” .*“no”"):
        meanings_of({"yes": "wrong", "no": "skip"})


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"rigth": "right", "Rigth": "wrong"}, "“rigth” is given as right and as wrong"),
        ({"2": "right", "2.0": "wrong", "2,00": "skip"}, "“2” is given as right and as wrong and as skip"),
        ({"ja": "right", " JA.": "skip"}, "“ja” is given as right and as skip"),
    ],
)
def test_a_word_with_two_meanings_is_named(words, said):
    with pytest.raises(LabelError, match=said):
        meanings_of(words)
    assert meanings_of(dict.fromkeys(words, "right"))


@pytest.mark.parametrize("word", ["right", "correct", "yes", "wrong", "incorrect", "false", "no"])
def test_a_word_that_counts_is_proposed_where_it_does_not(word):
    assert proposed(word) == canonical(word, "right-wrong")
