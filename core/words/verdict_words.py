"""The one vocabulary of verdicts: words that say right or wrong, by language, and words that say neither.

`core.words.verdict_words` says what they mean in labels; `core.files.encoding` knows code pages by them.

Four sets: `CERTAIN` always counts. `SAYS_RIGHT` holds pairs of many languages, which a person confirms before they
count as labels. `SAYS_NOTHING` is known to be no verdict. `SAYS_NO_OPTION` says of an item that no option is right.
`PREFERRED` says which of two answers is better.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import lru_cache

# Pairs, right before wrong, of the languages with the most speakers and of others with many annotators.
PAIRS = {
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
    "Dutch": "goed/fout juist/onjuist",
    "Swedish": "rätt/fel",
    "Polish": "dobrze/źle poprawne/niepoprawne",
    "Danish": "rigtig/forkert",
    "Norwegian": "riktig/feil",
    "Vietnamese": "đúng/sai",
    "Turkish": "doğru/yanlış evet/hayır",
}
# Signs of people of all languages.
SIGNS = "✓/✗ ✔/✘ ☑/☒ ✅/❌ √/✖ 👍/👎"
# In columns of files, where what is no verdict of a person may be a grade of a judge.
NO_VALUE = (
    "skip skipped unsure unclear unknown n/a na none - – — ? ?? idk 不确定 不清楚 不明 no_sé неясно unklar weiß_nicht"
)
# By people who saw the answer and gave no verdict; programs that write "no value" have words besides.
UNKNOWN = (
    "skip skipped unsure not_sure unclear unknown undecided uncertain maybe perhaps possibly n/a na n.a none null "
    "nan nil #n/a <na> not_applicable - -- – — … ... ? ?? ??? idk dk dunno don't_know dont_know i_don't_know "
    "do_not_know no_idea can't_tell cant_tell cannot_tell can_not_tell can't_say cannot_say hard_to_say "
    "can't_judge cannot_judge cannot_be_judged can't_determine cannot_determine cannot_be_determined "
    "indeterminate no_verdict no_label no_opinion unlabeled unlabelled ambiguous tbd todo 🤷 ❓ ❔ "
    "不确定 不清楚 不明 不知道 わからない 分からない no_sé no_se "
    "je_ne_sais_pas ne_sais_pas não_sei nao_sei неясно не_знаю unklar weiß_nicht "
    "weiss_nicht keine_ahnung نہیں_معلوم لا_أعرف पता_नहीं জানি_না tidak_tahu"
)
# By people who give the right answer of an item with options, none of which is right.
NO_OPTION = (
    "none none_of_the_above none_of_above none_of_these none_of_those none_of_them none_of_the_options "
    "none_of_the_answers none_of_the_choices none_of_the_given_options none_of_the_given_answers none_is_right "
    "none_is_correct none_are_right none_are_correct neither neither_of_them neither_of_these no_option "
    "no_option_is_right no_option_is_correct no_right_option no_correct_option no_right_answer no_correct_answer "
    "keine keine_davon keine_der_optionen keine_der_antworten keine_der_genannten keine_von_diesen keine_richtig "
    "keine_ist_richtig keine_antwort_ist_richtig aucune aucune_de_ces_réponses aucune_des_réponses "
    "aucune_des_options aucun ninguna ninguno ninguna_de_las_anteriores ninguna_de_las_opciones nenhuma "
    "nenhuma_das_anteriores nenhuma_das_opções nessuna nessuna_delle_precedenti nessuna_delle_opzioni geen "
    "geen_van_deze geen_van_bovenstaande 以上都不是 以上皆非 都不是 該当なし いずれでもない ни_один "
    "ничего_из_перечисленного ни_один_из_вариантов"
)


_SPACES = re.compile(r"\s+")
_MARKS = ".!,;: \ufe0f"
_SHORT = 24
_FULL_WIDTH = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)}


def spelling(text: str) -> str:
    """Return a word as verdicts are compared: without white space and punctuation around it, in lower case.

    The mark that makes a sign an emoji is no part of it. All apostrophes are alike, and so are full-width signs of East
    Asian keyboards and the usual ones.
    """
    return _spelling(text) if len(text) <= _SHORT else _spelled(text)


# Tables say the same few words in millions of cells.
@lru_cache(maxsize=4_096)
def _spelling(text: str) -> str:
    return _spelled(text)


def _spelled(text: str) -> str:
    bare = (text if text.isascii() else text.translate(_FULL_WIDTH)).strip()
    return _SPACES.sub(" ", (bare.rstrip(_MARKS) or bare).replace("’", "'")).casefold()


def number_in(text: str) -> float | None:
    """Return the finite number that a text writes, perhaps with a decimal comma or in per cent; None for none."""
    bare = text.strip()
    is_share = bare.endswith("%")
    if "_" in bare:
        return None
    try:
        value = float(bare.removesuffix("%").replace(",", "."))
    except ValueError:
        return None
    # 7 % is 0.07, not 0.07 plus an error in the sixteenth digit.
    value = float(f"{value / 100:.15g}") if is_share else value
    return value if math.isfinite(value) else None


def word_key(text: str) -> str:
    """Return a label as words are compared: of a number, the number however it is written."""
    number = None if "%" in text else number_in(text)
    return spelling(text) if number is None else f"{number:.15g}"


# Word to whether it says right; as `spelling` writes them.
SAYS_RIGHT: Mapping[str, bool] = {
    spelling(word): says
    for pairs in (*PAIRS.values(), SIGNS)
    for pair in pairs.split()
    for word, says in zip(pair.split("/"), (True, False), strict=True)
}
# Word to whether it says right, wherever verdicts are asked for.
CERTAIN: Mapping[str, bool] = {
    **dict.fromkeys(("right", "correct", "true", "yes", "y", "1", "1.0", "r", "✓", "✔", "✅"), True),
    **dict.fromkeys(("wrong", "incorrect", "false", "no", "n", "0", "0.0", "w", "✗", "✘", "✖", "❌"), False),
}
# Which of two answers is better, by their places: word to "first", "second" or "tie"; as `spelling` writes them.
PREFERRED: Mapping[str, str] = {
    word: says
    for says, words in (
        ("first", "first,1st,the first,first answer,1,1.0,a,answer 1,answer a,model_a,assistant_a"),
        ("second", "second,2nd,the second,second answer,2,2.0,b,answer 2,answer b,model_b,assistant_b"),
        (
            "tie",
            "tie,tied,ties,draw,=,==,equal,equally good,equally bad,same,the same,both,neither,both good,both bad,"
            "both are good,both are bad,bothbad,tie (bothbad),tie (both bad),tie (bothgood),tie (both good),"
            "no difference,no preference,a=b",
        ),
    )
    for word in words.split(",")
}
SAYS_NO_VALUE = frozenset(spelling(word.replace("_", " ")) for word in NO_VALUE.split())
SAYS_NOTHING = frozenset(spelling(word.replace("_", " ")) for word in UNKNOWN.split())
# Of an item with options: none of them is right.
SAYS_NO_OPTION = frozenset(spelling(word.replace("_", " ")) for word in NO_OPTION.split())
