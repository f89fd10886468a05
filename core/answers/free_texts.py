"""Kinds ``text``, ``open`` and ``as-is``: free-text answers, and sentences that say yes or no, true or false.

A ``text`` answer is what follows the last answer marker on its line, up to the end of the sentence, or the whole text
if there is no marker, and a sentence that says yes or no is that word: "No, that is not correct." is no, and "The claim
is false, so no.". NFKC, case-folded, white space squeezed, without surrounding quotes, brackets, emphasis and sentence
punctuation. Signs that can be part of an answer ("c++", "-5", "50%") stay.
"""

from __future__ import annotations

import re
import unicodedata

from .final import Segment, answer_segments, reply, unwrap_latex
from .languages import NO, YES
from .output_parts import without_reasoning

_EDGE = frozenset("\"'`´‘’‚“”„«»‹›*_.,;:!?…。、，：；！？~ \t\n\r\f\v\u00a0\u2028\u2029")
_PAIRS = frozenset({("(", ")"), ("[", "]"), ("{", "}"), ("<", ">"), ("$", "$")})
# Closed at both ends, unlike the open one: "[-2, 7]".
_INTERVAL = re.compile(r"\[(?=[^\]]*[0-9\\])[^,\[\]\"']{1,40},[^,\[\]\"']{1,40}\]")
_SENTENCE_END = re.compile(r"(?:(?<=\s)|^)(?P<word>\S{1,200}+)(?<=[.!?])\s|[。！？]")
_FEW_WORDS = 4
_CARRIES = re.compile(r"(?:it['’]s|it is|that['’]s|that would be|it would be) (?=\S)")
_POLITE = re.compile(r"(?<=[\u3040-\u30ff\u4e00-\u9fff0-9])です$|(?<=[\uac00-\ud7af0-9])입니다$")
_LABEL = re.compile(r"\s*+(?>(?:a\s?:\s+)+)(?![\s\S]*(?:\bb|\na)\s?:\s)")
_REFUSES = re.compile(
    r"(?:(?:i['’]m|i am)? ?(?:very |so |deeply )?sorry\b|i apologi[sz]e\b|my apologies\b|unfortunately\b)[^.\n]{0,60}"
    r"\b(?:can(?:not|['’]?t| not)|unable|not able|won['’]?t|do(?:n['’]?t| not) (?:have|know))\b"
    r"|i (?:can(?:not|['’]?t| not)|am unable to|am not able to|won['’]?t) (?:answer|help|assist|provide|fulfil"
    r"|comply|discuss"
    r"|engage|respond|do that|give)|as an ai\b"
)
_TITLES = frozenset({"dr", "mr", "mrs", "ms", "st", "jr", "sr", "prof", "gen", "col", "lt", "sgt", "rev", "capt"})
_ABBREVIATIONS = _TITLES | {
    "mt",
    "vs",
    "ave",
    "inc",
    "ltd",
    "co",
    "corp",
    "ft",
    "approx",
    "ca",
    "cf",
    "fig",
    "eq",
    "vol",
}


def parse_as_is(text: str) -> str | None:
    """Return the text without surrounding white space; None if nothing is left."""
    return text.strip() or None


def parse_open(text: str) -> str | None:
    """Return the whole text, folded, without its reasoning and the punctuation around it; None if nothing is left."""
    return normalise(without_reasoning(text)) or None


def parse_text(text: str) -> str | None:
    """Return the short answer in the text in folded form, or None if nothing is left; a sentence may be a yes or no."""
    said = said_text(text)
    return yes_or_no(said) or said or None


def said_text(text: str) -> str:
    """Return the words of the short answer in folded form, "" if nothing is left."""
    while True:
        again = _final_text(fold(reply(text, _is_answer, _is_bare)))
        if again == text:
            return text
        text = again


def _is_answer(segment: Segment) -> bool:
    return segment.form != "hashes" and bool(_strip_edges(_answer_in(segment)))


def _is_bare(line: str) -> bool:
    return len(line.split()) <= _FEW_WORDS and not line.rstrip("*_ ").endswith((":", "?"))


def normalise(text: str) -> str:
    """Return the text folded, squeezed and without surrounding punctuation: equal results mean the same words."""
    return _strip_edges(_squeeze(fold(unwrap_latex(text))))


def fold(text: str) -> str:
    """Return the text without differences of case and compatibility (NFKC and case folding, repeated until stable)."""
    for _ in range(4):
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
        if folded == text:
            break
        text = folded
    return text


def _final_text(text: str) -> str:
    for segment in answer_segments(text):
        answer = _bare(unwrap_latex(_answer_in(segment)))
        if answer:
            return answer
    if _REFUSES.match(text.strip()):
        return ""
    # The label of a series of questions and answers, but not of a list of options.
    label = _LABEL.match(text)
    return _bare(unwrap_latex(text[label.end() :] if label else text))


def _bare(text: str) -> str:
    """Return a short answer without the words that only carry it: "it's Paris", "パリです"."""
    answer = _strip_edges(_squeeze(text))
    carried = _CARRIES.match(answer)
    answer = answer[carried.end() :] if carried and len(answer.split()) <= _FEW_WORDS + 2 else answer
    return _strip_edges(_POLITE.sub("", answer))


def _answer_in(segment: Segment) -> str:
    """Return an enclosed answer whole, otherwise the first sentence of the first line that has any words."""
    if segment.form == "enclosed":
        return segment.text
    line = next((line for line in segment.text.splitlines() if _strip_edges(line)), "").strip()
    return first_sentence(line)


def first_sentence(line: str) -> str:
    """Return the line up to its first full stop that does not belong to an abbreviation or an initial."""
    for end in _SENTENCE_END.finditer(line):
        word = (end["word"] or "").rstrip(".!?").lstrip("\"'([{*_").casefold()
        initial = len(word) == 1 and word.isalpha() and end["word"].endswith(".")
        if not initial and word not in _ABBREVIATIONS and "." not in word:
            return line[: end.end()].strip()
    return line


def _squeeze(text: str) -> str:
    return " ".join(text.split())


def _strip_edges(text: str) -> str:
    start, end = 0, len(text)
    while start < end:
        if text[start] in _EDGE:
            start += 1
        elif text[end - 1] in _EDGE:
            end -= 1
        elif end - start > 1 and (text[start], text[end - 1]) in _PAIRS and not _INTERVAL.fullmatch(text, start, end):
            start, end = start + 1, end - 1
        else:
            break
    return text[start:end]


_ENGLISH = "yes|no|true|false"
_FOREIGN = "|".join(sorted((YES | NO) - {"yes", "no", "on"}, key=len, reverse=True))
# Words that mean yes or no if they are all that is said.
_MEANING = {
    **dict.fromkeys(("yeah", "yep", "yup", "yes indeed", "of course", "absolutely", "certainly", "definitely"), "yes"),
    **dict.fromkeys(("nope", "nah", "not really", "not at all", "no way", "of course not", "absolutely not"), "no"),
    **dict.fromkeys(("certainly not", "definitely not", "never", "probably not"), "no"),
}
_CONCLUDES = re.compile(
    r"(?:\b(?:so|thus|hence|therefore),?\s(?:(?:the answer is|it is|it['’]s|that is|that['’]s|i say|i would say):?\s)?"
    r"|(?P<mark>[.!?:;—–])\s(?:(?:so|thus|hence|therefore),?\s)?)[\"'“*]{0,3}(?P<word>" + f"{_ENGLISH}|{_FOREIGN})$"
)
_CLAIM = re.compile(
    r"(?:so,? |thus,? |therefore,? |hence,? )?(?:(?:that|this|it)|(?:the|this|that) (?:\w+ )?(?:statement|claim"
    r"|sentence|assertion|proposition|hypothesis)) is (?P<word>true|false)"
)
# What a sentence says behind its first word, but for "no doubt", "no. 5" and names such as "yes, prime minister".
_STARTS = (
    r"it|its|it['’]s|this|that|that['’]s|these|those|they|he|she|we|you|i['’]m|i\s\w+|there|the|a|an|because|as"
    r"|since|in|for|but|all|both"
    r"|not|if|when|while|based|according|although|though|his|her|their|my|your|our|one|some|most|many|every|each|only"
    r"|without|no doubt|absolutely|definitely|certainly|indeed|of course|sorry|thanks|sir|really|exactly"
    r"|correct|please|sometimes|always|never"
)
_SUBJECTS = r"it|this|that|these|those|they|he|she|we|you|i|there|the|an?|because|since|as"
_PREFIX = re.compile(
    r"(?:well|hmm|oh|so|then|definitely|absolutely|certainly|probably|most likely|likely|clearly|actually"
    r"|technically|in short"
    r"|simply|overall|sadly|unfortunately|i would say|i['’]d say|i think|i believe|my answer is|it is|it['’]s),?\s"
)
_BEGINS = re.compile(
    r"""(?P<word>ENGLISH)["'”*)]{0,3}
         (?: (?P<stop>\s?[.!;:—–]|\s-)\s(?![0-9]) | \s?\( | \n
           | ,\s(?:(?:STARTS)\b|(?:\S+\s){3}) | \s(?:SUBJECTS)\b)
       | (?P<foreign>FOREIGN)(?:[.!;:,—–]\s\S+\s\S|[。，、！,،]\s?\S)
       | (?P<idiom>no\ way|not\ really|not\ at\ all|nope|yep|yeah|yup|of\ course\ not)[.,!]""".replace(
        "ENGLISH", _ENGLISH
    )
    .replace("STARTS", _STARTS.replace(" ", "[ ]"))
    .replace("SUBJECTS", _SUBJECTS)
    .replace("FOREIGN", _FOREIGN),
    re.VERBOSE,
)
_OPPOSITE = {"yes": "no", "no": "yes", "true": "false", "false": "true"}


def yes_or_no(text: str) -> str | None:
    """Return the word that a folded text says in a sentence: one of yes, no, true and false, or of another language.

    None if it says neither, or both ("yes and no").
    """
    if text in _MEANING:
        return _MEANING[text]
    prefix = _PREFIX.match(text)
    said = text[prefix.end() :] if prefix else text
    if said in _MEANING or (prefix and said in _OPPOSITE):
        return _MEANING.get(said, said)
    claim = _CLAIM.fullmatch(text)
    if claim:
        return claim["word"]
    conclusion = _CONCLUDES.search(text[-80:])
    if conclusion and (conclusion["mark"] != ":" or text.count(":") == 1):
        return conclusion["word"]
    start = _BEGINS.match(said)
    if start is None:
        return None
    word = start["word"] or start["foreign"] or _MEANING[start["idiom"]]
    return None if _OPPOSITE.get(word) == said.rpartition(" ")[2] and not start["idiom"] else word
