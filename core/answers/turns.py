"""The first turn of an output: what a model says before it goes on with turns and exercises that it invents.

A model that does not stop writes the next question of a series ("Question: …", "### Instruction:"), plays both sides of
a chat ("Human: …", ``<|im_start|>user``) or invents another exercise. The first answer counts.

Tokens of a chat template always end the turn. A label ends it if something was said before that does not introduce it;
a weak label, which stands in reasoning as well ("Problem:", "Example 2:"), and a new exercise without any label end it
only behind an answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice

# Tokens of chat templates: of a turn's role, of the start of a reply, of its end, and those that say nothing.
_TOKEN = re.compile(
    r"""<\|(?:im_start|start_header_id|start|role|header_start)\|>\s*+(?P<role>\w*+)
          (?:\s*+<\|(?:im_middle|im_sep|end_header_id|header_end|message|sep)\|>)?
      | <\|(?P<speaker>user|assistant|system|human|bot|observation|tool|prompter)\|>
      | <(?:start_of_turn>|\|turn>)\s*+(?P<turn>\w*+)
      | <\|START_OF_TURN_TOKEN\|>\s*+<\|(?P<cohere>\w+?)_TOKEN\|>
      | <｜(?P<deepseek>User|Assistant)｜>
      | (?P<instruction>\[INST\]) | (?P<reply>\[/INST\])
      | (?P<end><\|(?:im_end|endoftext|eot_id|eom_id|end|end_of_text|end_of_sentence|endofprompt|return|call|eos|eot
          |end_of_solution|END_OF_TURN_TOKEN|END_RESPONSE)\|>|<end_of_turn>|<turn\|>|</s>|<eos>|<EOS_TOKEN>|<EOS>
          |<｜end▁of▁sentence｜>|\[EOS\])
      | <\|(?:begin_of_(?:solution|text|sentence|box)|end_of_box|START_RESPONSE)\|>|<｜begin▁of▁sentence｜>|<bos>|<s>
          |<\[?PAD\]?>|<pad>|\[PAD\]""",
    re.VERBOSE,
)
_ROLES = ("role", "speaker", "turn", "cohere", "deepseek")
_OWN_ROLES = frozenset({"assistant", "model", "bot", "chatbot", "gpt", "ai", ""})
_TOKEN_STARTS = (
    "<|",
    "<s",
    "<e",
    "</s>",
    "<b",
    "<E",
    "<｜",
    "<pad>",
    "<[",
    "<P",
    "<turn|>",
    "[INST",
    "[/INST",
    "[PAD",
    "[EOS",
)

_STRONG = (
    r"(?:(?:New|Next|Another) )?(?:Question|Exercise|Instructions?)|Q|Human|User|Pregunta|Frage|Pytanie|Domanda"
    r"|Pergunta"
    r"|Vraag|Вопрос|问题|题目|問題|질문|سؤال|السؤال|प्रश्न|Soru|Câu hỏi|Pertanyaan"
)
_WEAK = (
    r"(?:(?:New|Next|Another|Similar|Practice) )?(?:Problem|Example|Task|Input|Prompt|Query|Puzzle)|Context|Passage"
    r"|Premise|Sentence|Statement|Claim|Text|Article|Review|Tweet|Document|System|Aufgabe|Exercice|Ejercicio|Problema"
    r"|Задача|问|例|예제|문제"
)
_LABEL = re.compile(
    r"""\n(?P<mark>[\#>*_ \t]{0,8}+)(?:(?P<strong>STRONG)|WEAK)
         (?P<number>[ \t]?(?:[\#№]|No\.)?[ \t]?(?:[0-9]{1,3}|[IVX]{1,4})\b)?
         (?:[*_]{0,3}[ \t]?[:：]|(?<=[0-9])[.)](?=\s)|(?P<bare>[*_]{0,3}[ \t]*+(?=\n)))""".replace(
        "STRONG", _STRONG.replace(" ", "[ ]")
    ).replace("WEAK", _WEAK.replace(" ", "[ ]")),
    re.IGNORECASE | re.VERBOSE,
)
# On the line of the answer itself, as where line breaks were lost.
_INLINE = re.compile(r"(?:Question|Q|Human|User|###[ ](?:Instruction|Question|Human|User))[0-9 ]{0,4}:\s")
_AFTER_WORDS = re.compile(r"[.!?0-9)*%$\w] $")
_OWN_LABEL = re.compile(
    r"(?:(?<=\n)|\A)[#>*_ \t]{0,8}+(?:Assistant|AI|Bot|Answer|A|Response|Solution|Antwort|Respuesta|Réponse"
    r"|回答|答|Ответ)"
    r"(?:[ \t]?[0-9]{1,3})?[*_]{0,3}[ \t]?[:：][*_]{0,3}",
    re.IGNORECASE,
)
_SPEAKER = re.compile(r"\s*+\W{0,3}(?:Assistant|AI|Bot|Response)\W{0,3}:[*_]{0,3}\s")
# What announces that a question is said again, before it is answered.
_INTRODUCES = re.compile(r"(?:[:：]|\b(?:restate|rephrase|repeat|re-?read|recall|rewrite)\b[^\n]{0,60})[*_\s]*$", re.I)
_QUESTION_LINE = re.compile(r"\n(?=\S)(?P<line>[^\n]{25,1200}\?)[*_ \t]*+(?=\n)")
_RECONSIDERS = re.compile(
    r"\W*(?:but|wait|hmm|however|is (?:it|this|that)|are|let|so|now|can|could|did|do|does|what about|why|would you|hold"
    r"|actually|alternatively|since|if i|right|ok(?:ay)?|am i|should|want|need|have|shall|any)\b",
    re.IGNORECASE,
)
_ANSWERED_AGAIN = re.compile(
    r"\n\W{0,4}(?:A|Answer|Solution|ANSWER)\s?[:：]|\n[(]?A[).:] [^\n]*\n+[(]?B[).:] |####|answer is|\\boxed"
)
_SECOND_THOUGHTS = re.compile(r"\b(?:wait|actually|mistake|recheck|re-check|double-check|correction)\b", re.IGNORECASE)
# The line that closes a solution in GSM8K's notation.
_RESULT = re.compile(r"####[ ]?[-−+]?[$€£]?(?P<number>[0-9][0-9,]*+(?:\.[0-9]+)?)[ ]?%?[*_ \t]*+\n(?=[\s\S]*?\S)")
# What follows an answer that stands alone, about it.
_EXPLAINS = re.compile(
    r"\n\s*[#*_ ]{0,6}(?:Note|Explanation|Reason(?:ing)?|Justification|Rationale|Here['’]s why|Erklärung"
    r"|Hinweis|Explication"
    r"|Explicación|Explicação|Spiegazione|Пояснение|Объяснение|解释|解析|説明|解説|설명|해설)\b[^\n:：]{0,30}[:：]"
)
_SHORT = 60
_MOST = 20
_LOOKED_AT = 2_000


def first_turn(text: str, answered: Callable[[str], int | None]) -> str:
    """Return the first turn of an output, without the tokens of a chat template.

    Parameters
    ----------
    text : str
        The output, without its reasoning.
    answered : callable
        Says where the first marked answer of a text begins, None if it has none.
    """
    if any(map(text.__contains__, _TOKEN_STARTS)):
        text = _own_turn(text)
    speaker = _SPEAKER.match(text)
    return _before_labels(text[speaker.end() :] if speaker else text, answered)


def _own_turn(text: str) -> str:
    """Return the first turn of the model itself, by the tokens of chat templates."""
    said, start, own = "", 0, True
    for token in _TOKEN.finditer(text):
        said += text[start : token.start()] if own else ""
        start = token.end()
        role = next((token[name] for name in _ROLES if token[name] is not None), None)
        if role is None and not (token["instruction"] or token["reply"] or token["end"]):
            continue
        if said.strip():
            return said
        if not token["end"]:
            own = token["reply"] is not None or (role is not None and role.casefold() in _OWN_ROLES)
    return said + text[start:] if own else said


def _before_labels(text: str, answered: Callable[[str], int | None]) -> str:
    first = _LABEL.match(f"\n{text[:_LOOKED_AT].lstrip()}")
    if first is not None and _is_label(first):
        # The output says its question again, or answers a series of questions.
        own = _OWN_LABEL.search(text)
        if first["number"] or own is None:
            return text
        text = text[own.end() :]
    result = _RESULT.search(text) if "####" in text else None
    if result and (result["number"] != "1" or "#### 2" not in text):
        text = text[: result.end()]
    answer = _First(text, answered)
    reason = _EXPLAINS.search(text[:_LOOKED_AT])
    if reason and answer.is_alone(reason.start()):
        return text[: reason.start()]
    for label in islice(_LABEL.finditer(text), _MOST):
        if _is_label(label) and _ends(text, label.start(), label["strong"] is not None, answer):
            return text[: label.start()]
    for label in islice(_INLINE.finditer(text), _MOST):
        start = label.start()
        if _AFTER_WORDS.search(text[max(0, start - 2) : start]) and _ends(text, start, False, answer):
            return text[:start]
    return _before_exercise(text, answer)


def _is_label(label: re.Match[str]) -> bool:
    """Whether a word that begins a line is a label: by its colon or number, or as a heading."""
    return label["bare"] is None or "#" in label["mark"] or "**" in label["mark"]


def _ends(text: str, start: int, is_strong: bool, answer: _First) -> bool:
    """Whether a label ends the turn."""
    before = text[max(0, start - _LOOKED_AT) : start]
    return (
        bool(before.strip(" \t\n*_#>-"))
        and not _INTRODUCES.search(before[-120:])
        and (is_strong or answer.is_before(start))
    )


class _First:
    """Where the first answer of a text stands: a marked one, or all that it begins with."""

    def __init__(self, text: str, answered: Callable[[str], int | None]) -> None:
        self._text, self._answered = text, answered
        self._place: int | None = None
        self._is_known = False

    def is_before(self, end: int) -> bool:
        """Whether there is an answer before a place: a short line alone, or a marked one."""
        if self.is_alone(end):
            return True
        if not self._is_known:
            self._place, self._is_known = self._answered(self._text), True
        return self._place is not None and self._place < end

    def is_alone(self, end: int) -> bool:
        """Whether nothing but one short line stands before a place."""
        alone = self._text[:end].strip() if end <= 2 * _SHORT else ""
        return bool(alone) and len(alone) <= _SHORT and "\n" not in alone


def _before_exercise(text: str, first: _First) -> str:
    """Return what stands before an invented exercise: another question, with its answer, behind an answer."""
    for question in islice(_QUESTION_LINE.finditer(text), _MOST):
        if _RECONSIDERS.match(question["line"]) or not first.is_before(question.start()):
            continue
        after = text[question.end() : question.end() + _LOOKED_AT]
        return (
            text[: question.start()] if _ANSWERED_AGAIN.search(after) and not _SECOND_THOUGHTS.search(after) else text
        )
    return text
