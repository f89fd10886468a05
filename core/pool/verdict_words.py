"""The one vocabulary of verdicts: words that say right or wrong, and words that say neither.

Three sets: `CERTAIN` always counts. `SAYS_RIGHT` holds pairs of many languages, which a person confirms before they
count as labels. `SAYS_NOTHING` is known to be no verdict.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import lru_cache

# Pairs, right before wrong, of the languages with the most speakers and of others with many annotators.
_PAIRS = {
    "English": "pass/fail passed/failed good/bad ok/nok okay/bad accept/reject valid/invalid",
    "Mandarin Chinese": "对/错 對/錯 正确/错误 正確/錯誤 是/否 是/不是",
    "Hindi": "सही/गलत सही/ग़लत हाँ/नहीं हां/नही",
    "Spanish": "correcto/incorrecto correcta/incorrecta sí/no si/no verdadero/falso verdadera/falsa bien/mal",
    "French": "correct/incorrect correcte/incorrecte juste/faux vrai/faux bon/mauvais oui/non exact/inexact",
    "Arabic": "صحيح/خطأ صح/خطأ نعم/لا",
    "Bengali": "সঠিক/ভুল ঠিক/ভুল হ্যাঁ/না",
    "Portuguese": "certo/errado certa/errada correto/incorreto correta/incorreta sim/não verdadeiro/falso",
    "Russian": "верно/неверно правильно/неправильно да/нет",
    "Urdu": "درست/غلط صحیح/غلط ہاں/نہیں",
    "Indonesian": "benar/salah betul/salah ya/tidak",
    "German": "richtig/falsch korrekt/inkorrekt wahr/falsch ja/nein",
    "Japanese": "正しい/間違い 正解/不正解 正/誤 合格/不合格 はい/いいえ ○/× ◯/✕",
    "Korean": "정답/오답 맞음/틀림 합격/불합격 예/아니요 예/아니오",
    "Italian": "corretto/sbagliato corretta/sbagliata giusto/errato giusta/errata vero/falso",
    "Turkish": "doğru/yanlış evet/hayır",
}
# Signs of people of all languages.
_SIGNS = "✓/✗ ✔/✘ ☑/☒ ✅/❌ √/✖ 👍/👎"
# In columns of files, where what is no verdict of a person may be a grade of a judge.
_NO_VALUE = (
    "skip skipped unsure unclear unknown n/a na none - ? ?? idk 不确定 不清楚 不明 no_sé неясно unklar weiß_nicht"
)
# By people who saw the answer and gave no verdict; programs that write "no value" have words besides.
_UNKNOWN = (
    "skip skipped unsure not_sure unclear unknown undecided uncertain maybe perhaps possibly n/a na n.a none null "
    "nan nil #n/a <na> not_applicable - -- – — … ... ? ?? ??? idk dk dunno don't_know dont_know i_don't_know "
    "do_not_know no_idea can't_tell cant_tell cannot_tell can_not_tell can't_say cannot_say hard_to_say "
    "can't_judge cannot_judge cannot_be_judged can't_determine cannot_determine cannot_be_determined "
    "indeterminate no_verdict no_label no_opinion unlabeled unlabelled ambiguous tbd todo 🤷 ❓ ❔ "
    "不确定 不清楚 不明 不知道 わからない 分からない no_sé no_se "
    "je_ne_sais_pas ne_sais_pas não_sei nao_sei неясно не_знаю unklar weiß_nicht "
    "weiss_nicht keine_ahnung نہیں_معلوم لا_أعرف पता_नहीं জানি_না tidak_tahu"
)
_SPACES = re.compile(r"\s+")
_MARKS = ".!,;: \ufe0f"
_SHORT = 24


def spelling(text: str) -> str:
    """Return a word as verdicts are compared: without white space and punctuation around it, in lower case.

    The mark that makes a sign an emoji is no part of it. All apostrophes are alike.
    """
    return _spelling(text) if len(text) <= _SHORT else _spelled(text)


# Tables say the same few words in millions of cells.
@lru_cache(maxsize=4_096)
def _spelling(text: str) -> str:
    return _spelled(text)


def _spelled(text: str) -> str:
    bare = text.strip()
    return _SPACES.sub(" ", (bare.rstrip(_MARKS) or bare).replace("’", "'")).casefold()


def number_in(text: str) -> float | None:
    """Return the finite number that a text writes, perhaps with a decimal comma or in per cent; None for none."""
    bare = text.strip()
    is_share = bare.endswith("%")
    try:
        value = float(bare.removesuffix("%").replace(",", "."))
    except ValueError:
        return None
    # 7 % is 0.07, not 0.07 plus an error in the sixteenth digit.
    value = float(f"{value / 100:.15g}") if is_share else value
    return value if math.isfinite(value) else None


# Word to whether it says right; as `spelling` writes them.
SAYS_RIGHT: Mapping[str, bool] = {
    spelling(word): says
    for pairs in (*_PAIRS.values(), _SIGNS)
    for pair in pairs.split()
    for word, says in zip(pair.split("/"), (True, False), strict=True)
}
# Word to whether it says right, wherever verdicts are asked for.
CERTAIN: Mapping[str, bool] = {
    **dict.fromkeys(("right", "correct", "true", "yes", "y", "1", "1.0", "r", "✓", "✔"), True),
    **dict.fromkeys(("wrong", "incorrect", "false", "no", "n", "0", "0.0", "w", "✗", "✘"), False),
}
SAYS_NO_VALUE = frozenset(spelling(word.replace("_", " ")) for word in _NO_VALUE.split())
SAYS_NOTHING = frozenset(spelling(word.replace("_", " ")) for word in _UNKNOWN.split())
