"""Sentences that say yes or no, true or false: "No, that is not correct." is no, and "The claim is false, so no."."""

from __future__ import annotations

import re

from .languages import NO, YES

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
