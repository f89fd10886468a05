"""What a headline may say: one result in few words, and nothing that its reader has not met."""

from __future__ import annotations

import re

_MOST_WORDS = 18
# A number that is no part of a name, such as Llama-3-70B or (1.2M).
_NUMBER = re.compile(r"(?<![\w.,-])[±+−-]?\d[\d,]*(?:\.\d+)?(?![\w-]|[.,]\d)")
# Names count as a word each: in quotes, of models where a sentence has them, and those of strata.
_NAME = re.compile(
    r"“[^”]*”|(?<=Know ).*?(?=’s )|^.*?(?= is right on | has a mean loss )"
    r"|(?<=whether ).*(?= by | is worse)|^.*?(?= is [\d.]+ points (?:worse|better) than )"
    r"|^.*?(?= is best, | is the best model| is better than all others)|(?<= points ahead of ).*$"
    r"|(?<=^Undecided: ).*(?= (?:is|are) left)|(?<= than ).*(?= on these items)|\b[Ss]trat(?:um|a) \d[\d, and]*\b"
)
# What stands between two numbers that are one result.
_COMPARISON = re.compile(r".* instead of (about )?| of (the other )?| % of [^,]+, |(?: %)?; the judge says ")
# An estimate while people disagree: what it is lies between both ways of settling that.
_OPEN = re.compile(
    r"(X|The model) gets [\d.]+ % to [\d.]+ % right|(X|The model) has a mean score of [\d.−]+ to [\d.−]+"
    r"|X is right on [\d.]+ % to [\d.]+ % of all items"
)
# What a file has is one result, however many things it counts.
_CONTENTS = re.compile(r"X: [\d,]+ items?( × [\d,]+( to [\d,]+)? runs)?, ")
# The interval of a number belongs to it.
_LIMITS = re.compile(r" \([−\d][^()]* to [^()]*\)")
# The answer of page Plan: what is asked, what it takes, and what a random sample would take.
_PLAN = re.compile(r"(±[\d.]+ points|Exactly): [\d,]+ labels?(, [^,]*[\d,.]+[^,]*)*(, instead of [\d,]+)?")
_INVISIBLE = str.maketrans({"\\": None, "\u2060": None, "\u00a0": " "})


def seen(text: str) -> str:
    """A text as it is seen: without the signs that keep Markdown from reading it."""
    return text.translate(_INVISIBLE)


def faults(headline: str) -> list[str]:
    """What is wrong with a headline; names in quotes count as a word each."""
    text = _LIMITS.sub("", _NAME.sub("X", seen(headline).removeprefix("## ")))
    numbers = list(_NUMBER.finditer(text))
    between = text[numbers[0].end() : numbers[1].start()] if len(numbers) == 2 else ""
    found = []
    if _CONTENTS.match(text):
        numbers = []
    if _PLAN.fullmatch(text):
        return found
    if len(numbers) > 2 or (len(numbers) == 2 and not (_COMPARISON.fullmatch(between) or _OPEN.match(text))):
        found.append(f"{len(numbers)} numbers")
    if (count := len(text.replace(" %", "%").split())) > _MOST_WORDS:
        found.append(f"{count} words")
    return found
