"""Words of other languages around an answer: its name with its verb, the names and letters of options, yes and no."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

# What the answer is called in languages that write a decimal comma, and in those that write a point.
_WITH_COMMA = (
    r"antwort|l[öo]sung|r[ée]ponse|respuesta|resposta|risposta|antwoord|svaret|svar|odpowied[źz]|odpov[ěe][ďd]"
    r"|cevap|cevabı"
    r"|yanıt|jawaban(?:nya)?|đáp án|câu trả lời|ответ|відповідь|απάντηση|vastaus|răspuns(?:ul)?|válasz"
    r"|opción correcta|option correcte|opção correta|opzione corretta|richtige option|правильный вариант"
)
_WITH_POINT = (
    r"(?:ال)?[إا]جابة|(?:ال)?جواب|الخيار الصحيح|پاسخ|ה?תשובה|उत्तर|जवाब|सही विकल्प|উত্তর|คำตอบ|答案|答え|答"
    r"|正解|解答|回答"
    r"|正确选项|正確選項|正しい選択肢|정답|답|올바른 선택지"
)
_VERB = (
    r"(?<![^\W\d_])(?:ist|lautet|wäre|est|serait|es|sería|é|seria|è|sarebbe|is|är|er|to|jest|brzmi|je|zní"
    r"|adalah|ialah|là"
    r"|είναι|on|este)(?![^\W\d_])|هي|هو|است|היא|הוא|है|হল|হলো|คือ|应该是|應該是|应为|應為|应是|是|为|為|选|選"
    r"|は|が|은|는|이"
    r"|[—–-](?=\s)"
)
_ADVERB = (
    r"(?:daher|also|somit|folglich|donc|por[ ](?:lo[ ])?tanto|entonces|portanto"
    r"|quindi|dus|więc|поэтому|因此|therefore)(?=\s)"
)
_MARKER = re.compile(
    r"""(?:(?<![^\W\d_])(?:WITH_COMMA)(?![^\W\d_])|(?:WITH_POINT))[*_"»]{0,3}
        (?: (?P<bare>(?:[ ][^\s:：.,。!?\n]{1,20})?\s+(?=[*("]{0,3}(?:(?-i:[A-Z])(?![^\W_])|[-−$€]?\d)))
          | (?P<is>(?:(?:[ ][^\s:：.,。，!?\n]{1,20}){0,5}?[ ]|[^\s:：.,。，!?\n]{0,14}?)
                   (?:VERB)\s*(?:FOLLOWING)?\s*[:：]?)
          | (?P<colon>(?:[ ][^\s:：.,。!?\n]{1,20}){0,3}\s*[:：])
          | (?P<heading>[ \t]{0,8}\n)
        )
        | (?:故|应|應|因此|所以|因而|则)?[选選](?:择|擇)?\s*[:：]?\s*(?=[(（*]{0,3}[A-J](?![A-Za-z]))""".replace(
        "WITH_COMMA", _WITH_COMMA.replace(" ", "[ ]")
    )
    .replace("WITH_POINT", _WITH_POINT.replace(" ", "[ ]"))
    .replace("VERB", _VERB)
    .replace("FOLLOWING", _ADVERB),
    re.IGNORECASE | re.VERBOSE,
)
_DENIES = re.compile(
    r"\b(?:no|non|não|nicht|kein|niet|inte|ikke|nie|není|не|değil|bukan|không|nu)\b|n['’]est|不|ليس|לא|नहीं|아니|ない"
)
_DENIES_IT = re.compile(
    r"\b(?:no es|nicht|n['’]est pas|não é|non è|niet|inte|ikke|не|nie jest|není|değil|bukan)\b|不是|ではな"
    r"|じゃな|아니|ليس|नहीं"
)
# Behind "Antwort C" it says that this is no answer.
_DENIED_LETTER = re.compile(
    r"[*(\"]{0,3}[A-Z][*)\"]{0,3}\s(?:ist|es|est|é|è|está|is|är|er|jest)\s(?:falsch|nicht|incorrect[aoe]|incorret[ao]"
    r"|fausse|falsa|pas"
    r"|errad[ao]|sbagliata|scorretta|errata|onjuist|fout|niet|fel|inte|forkert|ikke|błędna|nie)\b"
)
_DENIED = re.compile(r"\s*+(?:nicht|niet|inte|ikke|pas|kein\w*)\b", re.IGNORECASE)
_COMMA_NOUN = re.compile(rf"(?<![^\W\d_])(?:{_WITH_COMMA})(?![^\W\d_])", re.IGNORECASE)
# Parts of the nouns above, so that most texts need no search.
_HINTS = (
    "ntwort", "ösung", "losung", "éponse", "eponse", "espuesta", "esposta",
    "isposta", "ntwoord", "svar", "Svar", "dpowied",
    "dpov", "evap", "evab", "anıt", "awaban", "áp án", "rả lời", "твет",
    "ідповід", "πάντηση", "astaus", "ăspuns", "álasz",
    "correct", "richtige Option", "вариант", "جابة", "جواب", "الخيار", "پاسخ",
    "תשובה", "उत्तर", "जवाब", "विकल्प", "উত্তর",
    "คำตอบ", "答", "正解", "正确", "正確", "正し", "选", "選", "답", "선택지",
)  # fmt: skip
# Small words of languages with a decimal comma; two of them, and no English article, tell the language.
_SMALL_WORDS = re.compile(
    r"\b(?:der|das|und|ist|beträgt|ergibt|wir|sind|einen?|le|les|des|est|sont|donc|nous|une|el|los|las|es|son"
    r"|por|una|tanto"
    r"|il|che|sono|quindi|di|o|os|são|portanto|uma|het|een|dus|och|och|det|blir|jest|to|więc|wynosi|и|это|равно"
    r"|что|итак)\b",
    re.IGNORECASE,
)
_ENGLISH = re.compile(r"\b(?:the|of|and|is|are|answer|so)\b", re.IGNORECASE)
_FEW = 2
_LOOKED_AT = 1_000
OPTION_NOUNS = (
    r"(?:die |der |la |le |el |the |a |l['’]|o )?(?:option|choice|letter|answer|statement|opción|letra"
    r"|alternativa|opção"
    r"|opzione|lettera|lettre|buchstabe|antwort|respuesta|réponse|вариант|ответ|opsi|pilihan|seçenek|optie|选项"
    r"|選項|选|選"
    r"|الخيار|विकल्प|선택지|옵션)"
)
# Letters that other alphabets number options with; what looks like another Latin letter is left out. The Cyrillic С
# is the Latin C: no list of options comes to it.
_ALPHABETS = (
    "АБСГ\0",
    "أبجده",
    "ا",
    "אבגדה",
    "अबसद",
    "कखगघङ",
    "কখগঘঙ",
    "กขคงจ",
    "가나다라마",
    "甲乙丙丁戊",
    "アイウエオ",
    "αβγδε",
    "ΑΒΓΔΕ",
)
_LETTERS = {sign: "ABCDE"[place] for alphabet in _ALPHABETS for place, sign in enumerate(alphabet) if sign != "\0"} | {
    sign: "ABCDEFGHIJ"[place] for place, sign in enumerate("①②③④⑤⑥⑦⑧⑨⑩")
}
_SIGNS = "".join(_LETTERS)
_FOREIGN_LETTER = re.compile(r"[\s(\[*_\"'«:：]*+(?P<letter>[" + _SIGNS + r"])(?=[\s)\]*_\"'»]*(?:[.)\]:,،。]|\n|$))")
YES = frozenset(
    (
        *("yes", "ja", "oui", "sí", "si", "sim", "да", "так", "evet"),
        *("ya", "có", "ναι", "نعم", "بله", "כן", "हाँ", "हां", "হ্যাঁ"),
        *("ใช่", "是", "是的", "对", "對", "はい", "네", "예"),
    )
)
NO = frozenset(
    (
        *("no", "nein", "non", "não", "nao", "нет", "ні", "hayır", "hayir"),
        *("tidak", "không", "όχι", "لا", "خیر", "לא", "नहीं", "না", "ไม่ใช่"),
        *("否", "不是", "不对", "いいえ", "아니요", "아니오", "nee", "nej", "nie"),
    )
)


def markers(text: str) -> Iterator[re.Match[str]]:
    """Yield the marks of an answer in other languages than English, in order; the answer stands behind each."""
    if any(map(text.__contains__, _HINTS)):
        for marker in _MARKER.finditer(text):
            if not _DENIES.search(marker[0].casefold()) and not any(
                denied.match(text, marker.end()) for denied in (_DENIED, _DENIED_LETTER)
            ):
                yield marker


def form_of(marker: re.Match[str]) -> Literal["is", "colon", "enclosed"]:
    """Return the form of a mark, as `core.answers.final.Segment` names it."""
    if marker["bare"]:
        return "enclosed"
    return "colon" if marker["colon"] or marker["heading"] else "is"


def denies(text: str) -> bool:
    """Whether a short text says in another language than English that something is not so."""
    return _DENIES_IT.search(text) is not None


def has_decimal_comma(text: str) -> bool:
    """Whether a text is in a language that writes a decimal comma, by the name of the answer or its small words."""
    return _has_decimal_comma(text[-_LOOKED_AT:])


# Asked for each of the numbers of a text.
@lru_cache(maxsize=256)
def _has_decimal_comma(text: str) -> bool:
    if any(map(text.__contains__, _HINTS)) and _COMMA_NOUN.search(text) is not None:
        return True
    return len({word.casefold() for word in _SMALL_WORDS.findall(text)}) >= _FEW and _ENGLISH.search(text) is None


def latin_letter(text: str) -> str | None:
    """Return the Latin letter of the option that a text begins with by the letter of another alphabet, set apart."""
    head = _FOREIGN_LETTER.match(text)
    return None if head is None else _LETTERS[head["letter"]]
