"""Parts of an output: its first turn, the reply beside the reasoning, and why a reply has no answer.

A model that does not stop writes the next question of a series ("Question: …", "### Instruction:"), plays both sides of
a chat ("Human: …", ``<|im_start|>user``) or invents another exercise. The first answer counts.

Tokens of a chat template always end the turn. A label ends it if something was said before that does not introduce it;
a weak label, which stands in reasoning as well ("Problem:", "Example 2:"), and a new exercise without any label end it
only behind an answer.

Blocks of reasoning stand between tags (``<think>``, ``<thought>``, ``<seed:think>``, ``<|begin_of_thought|>``,
``[THINK]``, ``◁think▷`` …), in the channels of harmony (``<|channel|>analysis``, and the same with its marks stripped:
"analysis…assistantfinal…"), or above a heading that announces the reply ("## Final Response").
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice
from types import MappingProxyType

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


_TAG = re.compile(
    r"""(?:<\|?|◁|\[(?=/?THINK\])|(?P<unused>(?=<unused9[45]>)<))
        (?P<close>/|end_(?:of_)?)?(?:(?:begin|start)_(?:of_)?)?
        (?: (?:seed:|ant|inner_|longcat_|o1_)?(?:think(?:ing)?|thoughts?|reason(?:ing)?|reflection|scratchpad|analysis
              |monologue|cot)
            (?:_(?:start|begin|(?P<closing>end)))?(?P<attributes>\s[^<>\n]{0,80})?
          | unused94>thought | (?P<closed>unused95))
        (?:\|?>|▷|(?<=THINK)\]|(?<=>thought))""",
    re.IGNORECASE | re.VERBOSE,
)
_OPENINGS = ("<", "◁", "[THINK]", "[/THINK]", "[think]", "[/think]")
# What announces the thoughts of a model that has no tags for them, and its reply.
_ANNOUNCED = re.compile(r"\s*+(?:#{1,4}\s?Thinking[^\S\n]*+\n|Here(?: is|['’]s) my thought process:)")
_REPLY = re.compile(r"\n#{1,4}\s?Final Response[^\S\n]*+\n|\bHere(?: is|['’]s) my response:")

_CHANNEL = re.compile(
    r"<\|?channel\|?>\s*+(?P<name>[a-z]++)(?:[^<>\n]{0,80}<\|constrain\|>)?[^<>\n]{0,80}<\|?message\|?>|"
    r"<\|?channel\|?>\s*+(?P<bare>analysis|thought|commentary|final)\b"
)
_END_OF_MESSAGE = re.compile(r"<\|(?:end|return|call|start|channel)\|>|<channel\|>")
_STRIPPED = re.compile(r"\s*+(?:assistant\s?)?(?:analysis(?P<glued>(?=[^\sa-z:.,;!?]))?|commentary(?=\s?to=))")
_STRIPPED_FINAL = re.compile(r"assistant(?:final|\s{1,2}final(?![a-z]))(?:\s?json(?=\W))?")
_BARE_FINAL = re.compile(r"\s*+(?:assistant\s{0,2})?final(?=[A-Z0-9*\\$(\[{\"'“]|\s*\n)")


def without_reasoning(text: str) -> str:
    """Return the text without its reasoning: nothing if a block is opened and never closed before anything is said."""
    parts = said_parts(text)
    return next((part for part in reversed(parts) if part.strip()), "")


def said_parts(text: str) -> list[str]:
    """Return the parts of a text that are no reasoning, in order; the last that says something is the reply."""
    text = _in_channels(text)
    if not any(map(text.__contains__, _OPENINGS)):
        return [_announced(text)]
    parts, start, is_open = list[str](), 0, False
    for tag in _TAG.finditer(text):
        if tag["close"] or tag["closing"] or tag["closed"]:
            # Before a block that only closes, everything is reasoning.
            parts, is_open = ([*parts] if is_open else []), False
        elif not is_open:
            parts.append(text[start : tag.start()])
            is_open = True
        start = tag.end()
    return parts if is_open else [*parts, _announced(text[start:]) if start == 0 else text[start:]]


def _announced(text: str) -> str:
    """Return what follows the announcement of the reply, if thoughts are announced at the start."""
    start = _ANNOUNCED.match(text)
    if not start:
        return text
    reply = _REPLY.search(text, start.end() - 1)
    return text[reply.end() :] if reply else ""


def _in_channels(text: str) -> str:
    """Return what stands in the first final channel; the text itself if it has no channels."""
    channels = list(_CHANNEL.finditer(text)) if "channel" in text else []
    if channels:
        final = next((one for one in channels if (one["name"] or one["bare"]) == "final"), None)
        # Behind the thoughts of a model that has no channel for its reply.
        if final is None:
            *_, behind = text.rpartition("<channel|>")
            return behind if "<channel|>" in text else text[: channels[0].start()].removesuffix("<|start|>assistant")
        end = _END_OF_MESSAGE.search(text, final.end())
        return text[final.end() : end.start() if end else len(text)]
    start = _STRIPPED.match(text)
    if start:
        final_mark = _STRIPPED_FINAL.search(text, start.end())
        if final_mark:
            return re.split(r"assistant(?=analysis|final|commentary)", text[final_mark.end() :], maxsplit=1)[0]
        return "" if start.end() == len(text.rstrip()) or start["glued"] is not None else text
    bare = _BARE_FINAL.match(text)
    return text[bare.end() :] if bare else text


EMPTY, ENDLESS, REFUSAL, SEVERAL = "empty", "reasoning never ends", "refusal", "several letters"
UNMARKED, CUT, NO_LETTER, NO_NUMBER, OTHER = "letter without marker", "cut off", "no letter", "no number", "other"
# What each pattern means, in the order in which they are looked for.
PATTERNS = MappingProxyType(
    {
        EMPTY: "No text at all.",
        ENDLESS: "A reasoning block is opened and never closed, as at a length limit.",
        REFUSAL: "The model declines, or says that it cannot tell.",
        SEVERAL: "More than one option is named, and none is marked as the answer.",
        UNMARKED: "One option is named, without “the answer is” or the like.",
        CUT: "The text ends in the middle of a sentence, as at a length limit.",
        NO_LETTER: "No option is named.",
        NO_NUMBER: "There is no number.",
        OTHER: "None of these.",
    }
)
_LETTERED = frozenset({"choice", "mmlu-pro", "mmlu-redux", "gpqa", "mmbench"})
_REFUSAL = re.compile(
    r"\bI(?:['’]m| am) (?:sorry|unable|not able)|\bI (?:cannot|can['’]?t|can not|do not know|don['’]t know)\b"
    r"|\bas an AI\b|\bunable to (?:answer|determine|assist|help)|\bcannot be determined\b",
    re.IGNORECASE,
)
# The article and the pronoun count only if brackets or a stop set them apart.
_LETTER = re.compile(r"(?<![A-Za-z0-9'’])(?:\(([A-J])\)|([AI])(?=[).:*]|\s*$)|([B-HJ])(?![A-Za-z0-9'’]))")
_ENDED = re.compile(r"[.!?:;)\]}>\"'”’`*_$…。0-9]\s*$")
_LONG = 200


def pattern(text: str, kind: str) -> str:
    """Name the pattern of a text in which a parser finds no answer.

    Parameters
    ----------
    text : str
        The text; of a long one the first and last 2,000 characters count.
    kind : str
        The parser, one of `core.answers.KINDS`.

    Returns
    -------
    str
        One of `PATTERNS`.
    """
    if not text.strip():
        return EMPTY
    said = without_reasoning(text)
    if not said.strip():
        return ENDLESS
    if _REFUSAL.search(said[:_LOOKED_AT]):
        return REFUSAL
    end = said[-_LOOKED_AT:]
    is_cut = len(said) >= _LONG and _ENDED.search(end[-10:]) is None
    if kind in _LETTERED:
        letters = {letter for match in _LETTER.finditer(end) for letter in match.groups() if letter}
        if not letters or is_cut:
            return CUT if is_cut else NO_LETTER
        return SEVERAL if len(letters) > 1 else UNMARKED
    if is_cut:
        return CUT
    return NO_NUMBER if kind == "number" and not any(sign.isdigit() for sign in said) else OTHER
