"""Options that running words choose: by a verdict on their letter ("B is correct"), or by their text at the end.

A capital stands for an option where it opens a clause, or where words lead to it ("so C", "I pick C"), and a clause or
a word about it follows. Any other word beside it makes it a part of a name: "vitamin C", "plan B", "C major".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import ascii_uppercase

from .languages import OPTION_NOUNS

_LETTER = re.compile(
    r"(?:(?<![^\W_])|(?<=[\u4e00-\u9fff]))(?<!['’])[(\[*_]{0,3}(?P<letter>[A-Z])(?=[)\].:*_,]|\s|[\u4e00-\u9fff])"
)
_ENDS = re.compile(r"\n|[。；]|[.!?;](?=\s)(?!\s?[✓✔✅☑✗✘❌])(?<!\b[A-Z][.])")
_JOINS = re.compile(r"[)\].*_]{0,3}\s?(?:,|/|&|and|or)\s?[(\[*_]{0,3}")
# Verdicts in other languages, and "is" before them.
_IS = "is|ist|es|est|é|è|está|är|er|jest"
_RIGHT_WORDS = (
    "richtig|korrekt|correct[ao]|correcte|juste|bonne|cert[ao]|corrett?[ao]|giust[ao]|juist"
    "|rätt|riktigt?|rigtigt?|poprawna"
)
_WRONG_WORDS = (
    "falsch|nicht|incorrect[aoe]|incorret[ao]|fausse|faux|falsa|falso|pas|errad[ao]|não|sbagliat[ao]|scorrett[ao]|errat[ao]"
    "|onjuist|fout|niet|fel|feil|forkert|inte|ikke|błędna|niepoprawna|nie"
)
_RIGHT = re.compile(
    rf"(?:\b(?:seems|appears|would be|must be|are|{_IS})\b[^.\n]{{0,40}}?|[-–—:→]\s?[*_(]{{0,3}})"
    rf"\b(?:correct|the right (?:answer|option|choice)|the answer|the best|yes|{_RIGHT_WORDS})\b"
    r"|:\s?[*_]{0,3}(?:right|true)(?=[.,;!*_]|\s*$)|[✓✔✅☑]|\((?:correct|right|yes)\b|(?<!不)(?:正确|正確)",
    re.IGNORECASE,
)
_WRONG = re.compile(
    r"\b(?:not|no|incorrect|wrong|false|never|cannot|neither|nor|partially|if|would be right|"
    rf"{_WRONG_WORDS})\b|n['’]t\b|[✗✘❌×]|错误|錯誤|不正确|不正確|不对",
    re.IGNORECASE,
)
_NONE = re.compile(r"\b(?:none|neither|not|no|nor|through|isn['’]t)\b[^.\n]*\Z", re.IGNORECASE)
_LATE = 250
_BETWEEN = re.compile(r"\n|[.!?;](?=\s)(?<!\b\w[.])")
# Words that begin a conclusion, and words of a sentence that only considers an option.
_CONCLUDES = re.compile(
    r"\W*(?:(?:so|thus|hence|therefore|finally|overall|in conclusion|in short),?\s)?(?:i(?:['’]d| would| will|['’]ll)? "
    r"(?:conclude|choose|pick|select|say|go with|believe|think|guess)"
    r"|(?:my|the) (?:\w+ )?(?:choice|pick|guess|conclusion|answer)"
    r"|(?:so|thus|hence|therefore|finally|in conclusion)\b)"
)
_CONSIDERS = re.compile(
    r"\b(?:might|may|could|other|another|also|distractor|second|close|tempting|plausible|possible)\b"
)
_COPULA = (
    r"(?:\b(?:is|are|was|were|be|called|named|say|guess|choose|pick|select|with|probably|definitely|likely|certainly)|['’]s|[:=→])"
    r"\s(?:the |an? |most likely |probably |option |that )?[\"“'*_(]{0,3}"
)
_DENIED = re.compile(
    r"\b(?:not|no|never|neither|nor|except|incorrect|wrong|unlike|rather|instead|than|or|if)\b|n['’]t\b"
)
_RULED_OUT = re.compile(r"\b(?:not|incorrect|wrong|false)\b|n['’]t\b")
_CLAUSE = re.compile(r",|\bbut\b")
_SHORT, _LOOKED_AT = 120, 600
# What joins letters of which none is chosen: "B or C", "weder B noch C".
JOINED = (
    r"[,;/&+|–]|(?:and/or|and|or|nor|vs\.?|versus|und|oder|noch|et|ou|ni|y|o|e|en|of|og|och|eller|i|lub|и|или|ve|veya"
    r"|dan|atau|và|hoặc)(?=\s|[(\[*])|和|或|と|か|또는"
)
# Words that reject the letter in front of them or behind them, and words that choose the one behind them.
_NOUN = r"(?:(?:the|option|choice|letter|answer)\s)*[(\[*_\"“'‘]*"
_REJECTED = re.compile(
    r"""(?: \b(?:not|neither|nor|except(?:\sfor)?|excluding|(?:anything|everything|all|none)\sbut|wrong:|incorrect:
             |eliminate[ds]?|eliminating|rul(?:e|ed|ing)\sout|exclude[ds]?|rejects?|rather\sthan|instead\sof
             |weder|noch|nicht|niet|kein|pas|ni|não|inte|ikke|nie|bukan|не) | n['’]t )\s
          (?:(?:choose|pick|select|say|go\s(?:with|for))\s)?NOUN(?-i:(?P<behind>[A-Z]))(?![\w'’])
      | (?<![\w'’])(?-i:(?P<before>[A-Z]))[)\]*_"'”’]{0,3}\s?
          (?:\([^()]*\)\s)?
          (?: (?:is|are|was|seems|looks)(?:n['’]t\b
              |\s(?:(?!correct|right|best|answer|true|and|while)\w+\s){0,3}(?:not|never|wrong|incorrect|false|out)\b)
            | (?:IS)\s(?:WRONG_WORDS)\b | [✗✘❌×] )""".replace("NOUN", _NOUN)
    .replace("IS)", f"{_IS})")
    .replace("WRONG_WORDS", _WRONG_WORDS),
    re.IGNORECASE | re.VERBOSE,
)
# Options with a verdict each: "A: wrong. B: right."; behind a full stop, “no” may be the text of an option.
_EACH = re.compile(
    r"(?<![\w'’])([A-Z])[)\]*_]{0,3}(?::\s?[*_]{0,3}(?i:(wrong|incorrect|false|no)|right|correct|true|yes)"
    r"|\.?\s(?i:(wrong|incorrect)))(?=[.,;!*_]|\s*$|\s*\n)"
)
# A letter that running words choose: "I would go with B, since A is wrong", "… so B.", "Final: B".
_CHOSEN = re.compile(
    r"(?:\b(?:go(?:ing)?\s(?:with|for)|choose|pick|select|opt\sfor|vote\sfor|settle\s(?:on|for))\s"
    + _NOUN
    + r"(?-i:(?P<letter>[A-Z]))"
    r"(?=[)\]*_\"'”’]{0,3}(?:[.,:;!–—]|\s*$|\s*\n|\s(?:over|because|since|as|rather|instead|not|here)\b|\s\())"
    r"|(?:\b(?:so|thus|hence|therefore),?\s(?:(?:it(?:\sis|['’]s)|the)\s)?|\bfinal(?:\schoice)?\s?:\s?)"
    + _NOUN
    + r"(?-i:(?P<end>[A-Z]))[)\]*_\"'”’.!]{0,4}\s*$)",
    re.IGNORECASE,
)
_UNCHOSEN = re.compile(
    r"(?:\b(?:not|never|if|first|initially|might|could|cannot|would have|tempt\w*|to|or|why"
    r"|people|students|some|many)\b|n['’]t\b)[^.\n]{0,30}$",
    re.IGNORECASE,
)
# What takes a choice back, and a letter that is favoured behind it.
_RECONSIDERS = re.compile(
    r"\b(?:wait|actually|hmm|second thoughts?|reconsider\w*|scratch|instead|however|but|no,)(?!\w)|\?", re.IGNORECASE
)
_FAVOURED = re.compile(
    r"(?<![\w'’])([A-Z])[)\]*_]{0,3}\s(?:is|seems|would be)\s(?:the\s)?(?:right|correct|best|better|answer|true)\b"
)
# Words that lead to the letter of an option, and what may follow it.
_WORDS_BEFORE = (
    "is are was be been it's it’s that's that’s what's what’s answer's answer’s option's option’s i'd i’d c'est "
    "c’est the that this it with to than both either only just simply even except but and or nor neither not no "
    "yes if because since while whereas although though when where which as like so thus hence therefore then "
    "also mean means implies give gives yields get leaves leaving suggests indicates shows matches match choose "
    "chose chooses choosing chosen pick picks picked picking select selects selected selecting selection guess "
    "guessed say says said think thought believe prefer vote eliminate eliminated exclude excluded mark marked "
    "take try consider conclude probably likely maybe perhaps possibly definitely certainly surely clearly "
    "obviously actually rather apparently presumably instead ans alternative alternatives response responses "
    "result solution correct right best final finally sure ok okay well hmm options choices letters answers "
    "statements between among "
    "ist sind lautet wäre also daher wähle nehme denke glaube sage mit lösung nur est sont serait choisis prends "
    "dis pense que donc seul seule es sería elijo escojo creo digo entonces la el le é seria escolho acho "
    "portanto è sarebbe scelgo direi quindi che kies denk dus neem är er väljer vælger velger jest wybieram więc "
    "je volím это выбираю думаю значит adalah pilih memilih là chọn odpowiedź jawaban cevap svaret"
)
_LEADS = frozenset(_WORDS_BEFORE.split())
_LEADING_PAIR = re.compile(
    r"(?:go(?:es|ing)?|went|opt(?:s|ing)?|vot(?:e|ing)|settled?|entscheide|bin|tippe)\s+(?:for|on|für|auf)", re.I
)
_LEADING_NOUN = re.compile(OPTION_NOUNS, re.IGNORECASE)
_LEADING_SIGNS = (*".,:;!?…—–-|>→✓✔✅☑。，、：；！？「『（\n是为為选選择擇项項答案即故はがを은는이답지", "คือ")
_QUOTES = "*_`$\"'“”‘’([{ \t"
_WORDS_BEHIND = (
    r"is|isn['’]t|are|was|wasn['’]t|be|being|it|its|I|we|you|which|that|this|because|since|as|due|based|given"
    r"|according|where|when|while|if|then|so|and|or|nor|but|not|over|rather|instead|than|vs|with|without|by"
    r"|from|in|on|for|to|of|the|seems?|looks?|appears?|sounds?|feels?|would|will|must|should|might|may|could"
    r"|can|cannot|has|have|had|does|doesn['’]t|do|fits?|matches|best|better|correct|right|wrong|incorrect|true"
    r"|false|wins|makes|only|here|again|also|alone|probably|likely|maybe|perhaps|possibly|definitely|certainly"
    r"|surely|clearly|obviously|actually|please|after|before|represents?|describes?|states?|says|gives|shows"
    r"|explains?|corresponds|refers|stands|answers?|option|choice|too|though|hence|therefore|thus|instead"
    r"|remains?|satisfies|follows|works|applies|ist|sind|wäre|weil|da|denn|und|oder|nicht|richtig|falsch|est"
    r"|serait|car|parce|et|ou|es|sería|porque|y|o|é|seria|pois|e|è|sarebbe|perché|want|omdat|en|of|är|er"
    r"|eftersom|fordi|och|og|eller|jest|bo|ponieważ|i|lub|je|protože|потому|так|и|или|это|adalah|karena|là|vì"
    r"|çünkü"
)
_LEAVES = re.compile(
    r"""[)\]}*_`$"'”’]*(?:\s*\Z|[ \t]*[.,:;!?…—–|→(\[{✓✔✅☑✗✘❌。，、：；！？）」』-]|[ \t]*\n
        |[ \t]*(?:です|だ|が|は|を|と|で|である|가|이|은|는|입|예|번|吧|啊|呢|了|项|項|选|選|正|对|對|错|因|符|最|是)
        |[ \t]+[✓✔✅☑✗✘❌×]
        |[ \t]+(?:WORDS)(?!\w))""".replace("WORDS", _WORDS_BEHIND),
    re.VERBOSE,
)
_ALSO = re.compile(rf"[)\]*_\"'”’]{{0,3}}\s*(?:{JOINED})\s*(?:(?:{JOINED})\s*)?[(\[*_]*[A-Z](?![\w'’])")
_CHOOSES = re.compile(
    r"(?:\b(?:so|thus|hence|therefore|but|no|actually|rather|go(?:ing)?\s(?:with|for)|choose|pick|select|say|guess|is)\b|->|→|=>)[,:]?\s"
    r"(?:(?:it|that)(?:\sis|['’]s)\s)?" + _NOUN + "$",
    re.IGNORECASE,
)


def is_led_to(before: str) -> bool:
    """Whether a capital behind a text may be the letter of an option, not the end of a name such as "vitamin C"."""
    if before.endswith(("(", "[")):
        return True
    before = before.rstrip(_QUOTES)
    if not before or before.endswith(_LEADING_SIGNS):
        return True
    *earlier, last = before.split()[-2:]
    word = last.lstrip(_QUOTES)
    return (
        word.casefold() in _LEADS
        or _LEADING_NOUN.fullmatch(word) is not None
        or _LEADING_PAIR.fullmatch(" ".join([*earlier, word])) is not None
    )


def is_left_alone(behind: str) -> bool:
    """Whether a capital before a text may be the letter of an option, not the start of a name such as "C major"."""
    return _LEAVES.match(behind) is not None


def declared(text: str, n_options: int) -> str | None:
    """Return the one letter of which a text says that it is correct; None if it says so of none or of several.

    The verdict counts at the end of the text, or if the text rejects the others.
    """
    letters = ascii_uppercase[:n_options]
    found = [
        one
        for one in _LETTER.finditer(text)
        if one["letter"] in letters and is_led_to(text[max(0, one.start("letter") - _SHORT) : one.start("letter")])
    ]
    right, judged, last = set[str](), set[str](), 0
    for place, one in enumerate(found):
        stop = found[place + 1].start() if place + 1 < len(found) else len(text)
        end = _ENDS.search(text, one.end() + 2, stop)
        said = text[one.end() : min(end.start() if end else stop, one.end() + 240)]
        if one["letter"] == "I" and not said.startswith((")", "]", "*", ".")):
            continue
        before = text[max(0, one.start() - 80, found[place - 1].end() if place else 0) : one.start()]
        # "A: no, C: yes": the no is that of A.
        before = before.rpartition(",")[2] if place else before
        if _WRONG.search(said) or _NONE.search(before):
            judged.add(one["letter"])
        elif _RIGHT.search(said):
            right.add(one["letter"])
            if place and _JOINS.fullmatch(text, found[place - 1].end(), one.start()):
                right.add(found[place - 1]["letter"])
            last = one.start()
    if len(right) != 1 or right & judged:
        return None
    return next(iter(right)) if last >= len(text) - _LATE or judged == set(letters) - right else None


def concluded(text: str, options: Sequence[str]) -> int | None:
    """Return the place of the one option with whose text the last sentence ends, as in "I think it is Paris.".

    Parameters
    ----------
    text : str
        A folded text.
    options : sequence of str
        Folded texts of the options.
    """
    whole = text.strip()
    if len(whole) > _SHORT and whole[-1:] not in ".!*_":
        return None  # It may be cut off.
    sentences = [one.strip() for one in _BETWEEN.split(whole[-_LOOKED_AT:].rstrip(".!*_ "))]
    said = sentences[-1].rstrip("*_\"”'’) ")
    named = named_in(said, options)
    clause = _CLAUSE.split(said.replace(options[named[0]], ""))[-1] if named else ""
    if len(named) != 1 or _DENIED.search(clause):
        return None
    others = [one for one in sentences[:-1] if set(named_in(one, options)) - {*named}]
    if others and not _CONCLUDES.match(said) and not all(map(_RULED_OUT.search, others)):
        return None
    if others and _CONSIDERS.search(said):
        return None
    return named[0] if re.search(_COPULA + re.escape(options[named[0]]) + "$", said) else None


def named_in(said: str, options: Sequence[str]) -> list[int]:
    """Return the places of the options whose folded text a sentence names; one within another is not named itself."""
    named = [place for place, option in enumerate(options) if option and _occurs(option, said)]
    return [one for one in named if not any(one != other and options[one] in options[other] for other in named)]


def chosen(text: str) -> str | None:
    """Return the letter that running words choose, as in "I would go with B, since A is wrong"; None for several."""
    letters, last = set[str](), 0
    for one in _CHOSEN.finditer(text):
        letter, before = one["letter"] or one["end"], text[max(0, one.start() - 60) : one.start()]
        if (one["letter"] and _UNCHOSEN.search(before)) or _ALSO.match(text, one.end()):
            return None
        letters.add(letter)
        last = one.end()
    if len(letters) != 1 or _RECONSIDERS.search(text, last):
        return None
    return next(iter(letters)) if {*_FAVOURED.findall(text, last)} <= letters else None


def rejected(text: str) -> frozenset[str]:
    """Return the letters that a short text rejects, as in "neither A nor B", "anything but C" or "A is wrong"."""
    return frozenset(one["behind"] or one["before"] for one in _REJECTED.finditer(text)) | ruled_out(text)


def ruled_out(text: str) -> frozenset[str]:
    """Return the letters that are wrong where several options have a verdict each, as in "A: wrong. B: right."."""
    found = _EACH.findall(text)
    several = len({letter for letter, *_ in found}) > 1
    return frozenset(letter for letter, *wrong in found if several and any(wrong))


def is_chosen(before: str) -> bool:
    """Whether the words in front of a letter choose it, as in "A? No, B." or "not sure, but I pick B"."""
    return _CHOOSES.search(before) is not None


def _occurs(option: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(option)}(?!\w)", text) is not None
