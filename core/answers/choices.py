r"""Kind ``choice``: the letter of the chosen option.

The rules go from the surest to the least sure and stop at the first that gives an answer:

1. behind the last answer marker (*answer is*, *Answer:*, *correct option is*, ``\boxed{…}`` …): a letter set apart by
   brackets, emphasis, punctuation or the end of the line; else the text of exactly one option; else a capital letter
   followed by words about it or by those of its option, if it cannot be an article or a pronoun;
2. the whole output is one letter ("B", "(b)", "**B.**"), the text or value of exactly one option, or the number of one,
   from 1, where no option has a number in it ("Option 2", "2. Rome"), or its last line is one letter;
3. one letter, and no other, is declared correct ("option B is correct, C is wrong", "B) Rome ✓"), in some languages,
   or running words choose it ("I'd go with B, since A is wrong");
4. one option, and no other, is quoted with its letter ("B. Rome", "(B) Rome") anywhere;
5. one capital, and no other, begins a line like "B. …" or "(B) …";
6. one capital, and no other, stands in bold;
7. the last sentence ends with the text of one option ("I think it is Rome."); where other sentences name others, it
   concludes, or they rule them out ("Option A (Oslo) is plausible but wrong. The capital is Rome.");
8. in an output of at most 80 characters, a letter like "b) …" at the start, else the only capital that stands alone,
   or the last one if words choose it ("A? No, B.").

A letter beside a word that neither leads to an option nor says something about one belongs to a name, and is no choice:
"vitamin C", "plan B", "C major" (`core.answers.option_mentions.is_led_to`).
The article *A* and the pronoun *I* are never taken from running words, small letters only if brackets or the end of
the answer set them apart. Letters of other alphabets count behind a marker and alone. Two letters at once ("B or C"),
a letter that a short output rejects ("neither A nor B") and one beyond the options are no answer.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from string import ascii_uppercase

from .digits import number_in_words, plain_digits
from .final import Segment, answer_segments, reply, unwrap_latex
from .free_texts import first_sentence, fold, normalise
from .languages import OPTION_NOUNS, denies, latin_letter
from .numbers import parse_number
from .option_mentions import (
    JOINED,
    chosen,
    concluded,
    declared,
    is_chosen,
    is_led_to,
    is_left_alone,
    rejected,
    ruled_out,
)

_SHORT, _LOOKED_AT = 80, 400
_NO_ANSWER = ""

_HEAD = re.compile(
    r"""[\s*_`$"'“”‘:~]*+
        (?P<noun>OPTION_NOUNS\s*+(?<![a-z])[*_`"'“]*+)?
        (?>(?P<open>[(\[{<])?)[*_$ ]*+(?P<letter>(?-i:[A-Za-z]))
        (?: [*_$ ]*+(?P<close>[)\]}>])
          | (?P<stop>[.:;!?])(?![A-Za-z0-9])
          | (?P<comma>,)(?![A-Za-z0-9])
          | (?P<set>[*_`$"'”’]++)(?![A-Za-z0-9])
          | (?P<foreign>[。、，।؟،]|(?=[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af])|['’][dt][ıiuü]r|[ ](?:है|হল|হলো)(?!\w))
          | (?P<end>\s*+$|[^\S\n]*+\n)
          | (?P<dash>\s?[–—-]+(?=\s))
          | (?P<word>[^\S\n]++(?=\S))
        )""".replace("OPTION_NOUNS", OPTION_NOUNS.replace(" ", "[ ]")),
    re.VERBOSE | re.IGNORECASE,
)
_SECOND_LETTER = re.compile(
    rf"[)\]*_]*+\s*+(?:{JOINED})\s*+(?:(?:{JOINED})\s*+)?[(\[*_]*+([A-Z])(?![A-Za-z0-9'’])(?!\s[a-z])"
    r"|[ \t]++([A-Z])[.]?[ \t]*+(?:\n|$)"
)
_REASON = re.compile(
    r"(?:because|since|as|due|based|given|according|which|where|[(\-–—])|(?:is|seems)\s++[a-z ]{0,20}"
    r"(?:correct|right|best|answer)"
)
_ENUMERATION = re.compile(r"(?<![A-Za-z0-9])[a-z]\)")
_SMALL_FIRST = re.compile(r"\(?([a-z])\)(?=\s)")
_LABEL_BEFORE = re.compile(r"(?<![a-z0-9])([a-z])[.):*/]{1,3} ?$")
# The number of an option, with its text behind it or alone: "2. London", "Option 2", "(2)".
_NUMBERED = re.compile(
    r"""[\s*_`$"'“(\[]*+(?:OPTION_NOUNS\s*+(?:[№\#]\s?)?)?[(\[*_]{0,2}(?P<number>[0-9]{1,2})(?![0-9.,/]?[0-9])
        [.):\]*_`$"'”]*(?P<text>\s+[–—-]?\s*\S.*)?\s*""".replace("OPTION_NOUNS", OPTION_NOUNS.replace(" ", "[ ]")),
    re.VERBOSE | re.IGNORECASE,
)
_FORMULA = re.compile(r"[=+^<>*/|~]")
_LISTED = re.compile(r"^[^\S\n]*+[*_]{0,3}(?:\(([A-Z])\)|([A-Z])[).:])(?=[*_]{0,3}(?:\s|$))", re.MULTILINE)
_BOLD = re.compile(r"\*\*\s?[(\[]?([A-Z])(?:[)\].:]{0,2}\s?|[)\].:]{1,2}\s[^*\n]{0,200})\*\*")
_BRACKETED_OR_BARE = re.compile(
    r"""(?<!\b[Nn]ot\s)(?<!n['’]t\s)(?<!\b[Nn]ot\s[(\[])(?<!n['’]t\s[(\[])(?<![A-Za-z0-9'’./^_\-])
        (?: [(\[](?P<bracketed>[A-Z])[)\]]
          | (?P<noun>\b(?:[Oo]ption|[Cc]hoice|[Ll]etter)\s)?(?P<bare>[A-Z])
          (?!\s?[=+^<>]|[A-Za-z0-9'’/\#_\-]|\.\s?[A-Z]|\.[a-z])
        )""",
    re.VERBOSE,
)
_ALTERNATIVES = re.compile(
    rf"\b([A-Z])[)\]*_]*+\s*+(?:{JOINED})\s*+(?:(?:{JOINED})\s*+)?(?:maybe\s)?[(\[*_]*+([A-Z])(?![A-Za-z0-9'’])"
)


# What makes no difference between formulas.
_LATEX_SPACE = re.compile(r"\\[,;:! ]|\\(?:left|right|displaystyle)(?![A-Za-z])|\s|\\(?=[$%])|(?<=\\)[dt](?=frac)")
# Options that are numbered in circles are as those with letters in brackets.
_CIRCLED = str.maketrans({chr(ord("①") + place): f"({letter})" for place, letter in enumerate(ascii_uppercase[:20])})
_EDGE = "$*_`.,;:()\"' "
_COMMAND = re.compile(r"\\[A-Za-z]+")
_PLAIN_WORD = re.compile(r"[^\W\d_]{3}")
_NUMERIC = re.compile(r"[-+]?[$€£]?[0-9][0-9.,/]*(?:[π]|√[0-9]+)?[%°]?|[-+]?√[0-9]+|[-+]?π")


def parse_choice(text: str, choices: Sequence[str] | None = None) -> str | None:
    """Return the capital letter of the chosen option, or None if the text does not settle on one.

    ``choices`` limits the letters and lets the text name an option by its words; without it every letter A…Z counts.
    """
    options = choices or ()

    def is_answer(segment: Segment) -> bool:
        return _behind_marker(segment, options) is not None

    def is_bare(line: str) -> bool:
        return (_letter_alone(line) or _option_named(line, options) or _only(_quoted(line, options))) is not None

    said = reply(text, is_answer, is_bare)
    answer = unicodedata.normalize("NFKC", said.translate(_CIRCLED))
    letter = _chosen(answer, options)
    if not letter:
        return None
    letter = letter.upper()
    return letter if choices is None or ascii_uppercase.index(letter) < len(choices) else None


def _chosen(text: str, choices: Sequence[str]) -> str | None:
    for segment in answer_segments(text):
        letter = _behind_marker(segment, choices)
        if letter is not None:
            return letter
    whole = text.strip()
    denied = rejected(whole) if len(whole) <= _SHORT else ruled_out(whole)
    return (
        _letter_alone(whole)
        or latin_letter(whole)
        or _option_named(whole, choices)
        or _by_number(whole, choices)
        or _answered(whole, choices)
        or _letter_alone(whole[whole.rfind("\n") + 1 :])
        or declared(whole, len(choices) or len(ascii_uppercase))
        or chosen(whole)
        or _only((_quoted(whole, choices) or _letters(_LISTED, whole)) - denied)
        or _only(_letters(_BOLD, whole) - denied)
        or _concluded(whole, choices)
        or _in_short_text(whole, choices)
    )


def _answered(text: str, choices: Sequence[str]) -> str | None:
    """Return the letter behind an "A:" that labels the answer to a question, not an option."""
    if not text.startswith("A:") or (choices and _normalised(choices[0]) == normalise(text[2:])):
        return None
    return _letter_alone(text[2:].strip()) or _option_named(text[2:], choices)


def _concluded(text: str, choices: Sequence[str]) -> str | None:
    place = concluded(fold(text), [_normalised(choice) for choice in choices]) if choices else None
    return None if place is None or place >= len(ascii_uppercase) else ascii_uppercase[place]


def _letter_alone(text: str) -> str | None:
    head = _HEAD.match(text)
    return head["letter"] if head and not head["word"] and not text[head.end() :].strip("*_`$\"'”’.) ") else None


def _behind_marker(segment: Segment, choices: Sequence[str]) -> str | None:
    """Return the letter behind a marker, ``_NO_ANSWER`` if there are several, None if there is none."""
    text = unwrap_latex(segment.text)
    head = _HEAD.match(text)
    if head and _SECOND_LETTER.match(text, head.end("letter")):
        return _NO_ANSWER
    foreign = latin_letter(text)
    if foreign:
        return foreign
    if head and _set_apart(head) and not (head["letter"].islower() and _ENUMERATION.search(text, head.end())):
        return head["letter"]
    line = text if segment.form == "enclosed" else _first_line(text)
    named = _option_named(line, choices) or _by_number(line, choices)
    if named:
        return named
    return head["letter"] if head and _plain_capital(head, text, choices) else None


def _set_apart(head: re.Match[str]) -> bool:
    letter = head["letter"]
    if head["close"] or head["end"] is not None:
        return True
    if head["foreign"] is not None:
        return letter.isupper()
    if head["noun"] and (letter.isupper() or letter not in "ai"):
        return True
    if head["comma"]:
        return letter.isupper() and letter != "I"
    if head["stop"] or head["set"]:
        return letter.isupper() or head["stop"] == "." or head["set"] is not None
    return bool(head["dash"]) and letter.isupper()


def _plain_capital(head: re.Match[str], text: str, choices: Sequence[str]) -> bool:
    """Whether a capital before further words is a choice, not an article, a pronoun, a symbol or a part of a name."""
    following = text[head.end() : head.end() + 60]
    if not head["word"] or not head["letter"].isupper() or _FORMULA.match(following):
        return False
    if head["letter"] in "AI":
        return _REASON.match(following) is not None
    return _is_followed(head["letter"], text[head.end("letter") :], choices)


def _is_followed(letter: str, behind: str, choices: Sequence[str]) -> bool:
    """Whether a text follows a letter that stands for an option: a clause of its own, or the text of the option."""
    if is_left_alone(behind):
        return True
    place = ascii_uppercase.index(letter)
    if not choices:
        return behind.lstrip()[:1].isupper()
    option = _normalised(choices[place]) if place < len(choices) else ""
    return bool(option) and normalise(_first_line(behind)).startswith(option)


def _first_line(text: str) -> str:
    return next((line for line in text.splitlines() if line.strip(" \t*_:$")), "")


def _option_named(text: str, choices: Sequence[str]) -> str | None:
    """Return the letter of the one option whose text this is, after normalisation."""
    if not choices:
        return None
    for spelled in (_normalised, _value):
        options = [spelled(choice) for choice in choices]
        for wording in (text, first_sentence(text.strip())):
            words = spelled(wording)
            equal = [i for i, option in enumerate(options) if words and option == words]
            if len(equal) == 1 and equal[0] < len(ascii_uppercase):
                return ascii_uppercase[equal[0]]
    return None


def _by_number(text: str, choices: Sequence[str]) -> str | None:
    """Return the letter of the option that a text names by its number, from 1, or by its number and its words.

    None if options contain numbers, which an output may repeat as a text.
    """
    found = _NUMBERED.fullmatch(text.strip()) if choices and len(text) <= _LOOKED_AT else None
    if found is None or any(map(_has_number, choices)):
        return None
    if found["text"]:
        return _option_named(found["text"].strip(" –—-"), choices)
    place = int(found["number"]) - 1
    return ascii_uppercase[place] if 0 <= place < min(len(choices), len(ascii_uppercase)) else None


@lru_cache(maxsize=4096)
def _has_number(option: str) -> bool:
    return any(map(str.isdigit, option)) or number_in_words(option) is not None


@lru_cache(maxsize=4096)
def _value(text: str) -> str:
    """Return one spelling of an option that is a number or a formula; "" for words."""
    bare = _LATEX_SPACE.sub("", plain_digits(text)).strip(_EDGE)
    if not bare or _PLAIN_WORD.search(_COMMAND.sub("", bare)):
        return ""
    return (parse_number(bare) or bare) if _NUMERIC.fullmatch(bare) else bare


def _quoted(text: str, choices: Sequence[str]) -> set[str]:
    """Return the letters of the options that occur with their letter in front, such as "b. rome" or "(b) rome"."""
    words = normalise(text) if choices else ""
    options = zip(ascii_uppercase, map(_normalised, choices), strict=False)
    return {letter for letter, option in options if option and _occurs_lettered(words, letter.lower(), option)}


def _occurs_lettered(words: str, letter: str, option: str) -> bool:
    start = words.find(option)
    while start >= 0:
        label = _LABEL_BEFORE.search(words[max(0, start - 6) : start])
        if label and label[1] == letter and not words[start + len(option) : start + len(option) + 1].isalnum():
            return True
        start = words.find(option, start + 1)
    return False


def _is_alone(match: re.Match[str], choices: Sequence[str]) -> bool:
    """Whether a capital in a short text stands alone, not in a name such as "vitamin C" or "C major"."""
    before, behind = match.string[: match.start()], match.string[match.end() :]
    return is_led_to(before) and _is_followed(match["bare"], behind, choices)


def _letters(pattern: re.Pattern[str], text: str) -> set[str]:
    return {next(group for group in match.groups() if group) for match in pattern.finditer(text)}


def _only(letters: set[str]) -> str | None:
    return next(iter(letters)) if len(letters) == 1 else None


# The same options come with each generation of an item.
_normalised = lru_cache(maxsize=4096)(normalise)


def _in_short_text(text: str, choices: Sequence[str]) -> str | None:
    if (
        len(text) > _SHORT
        or len(_LISTED.findall(text)) > 1
        or any(first != second for first, second in _ALTERNATIVES.findall(text))
        or denies(text)
    ):
        return None
    first = _SMALL_FIRST.match(text)
    letter = first[1] if first and not _ENUMERATION.search(text, first.end()) else None
    denied, named = rejected(text), set[str]()
    for match in _BRACKETED_OR_BARE.finditer(text):
        bare = match["bare"]
        following = text[match.end() :]
        running = re.match(r"\s++[A-Za-z0-9]", following) and not _REASON.match(following.lstrip())
        if bare in ("A", "I") and not match["noun"] and (running or bare == "I"):
            continue
        one = bare or match["bracketed"]
        if one in denied:
            continue
        if bare and not match["noun"] and not _is_alone(match, choices):
            # Beside a name, another letter counts only if words choose it.
            letter = one if one == letter else None
        else:
            letter = one if not named or is_chosen(text[: match.start()]) else letter if one == letter else None
        named.add(one)
    return letter
