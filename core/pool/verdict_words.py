"""Words by which people say right, wrong, or that they do not know, in the languages of most speakers."""

from __future__ import annotations

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
_UNKNOWN = (
    "skip skipped unsure unclear unknown n/a na none - ? ?? idk 不确定 不清楚 不明 no_sé неясно unklar weiß_nicht"
)

_MARKS = ".!,;: \ufe0f"
_SHORT = 24


def spelling(text: str) -> str:
    """Return a word as verdicts are compared: without white space and punctuation around it, in lower case.

    The mark that makes a sign an emoji is no part of it.
    """
    return _spelling(text) if len(text) <= _SHORT else text.strip().rstrip(_MARKS).casefold()


# Tables say the same few words in millions of cells.
@lru_cache(maxsize=4_096)
def _spelling(text: str) -> str:
    return text.strip().rstrip(_MARKS).casefold()


# Word to whether it says right; as `spelling` writes them.
SAYS_RIGHT: Mapping[str, bool] = {
    spelling(word): says
    for pairs in (*_PAIRS.values(), _SIGNS)
    for pair in pairs.split()
    for word, says in zip(pair.split("/"), (True, False), strict=True)
}
SAYS_NOTHING = frozenset(spelling(word.replace("_", " ")) for word in _UNKNOWN.split())
