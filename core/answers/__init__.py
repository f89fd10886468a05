"""From text to canonical answers, and from answers to meaning classes.

``parse`` turns one model output into a canonical answer by the rules of one *answer kind*; equal answers are equal
strings. ``meaning_classes`` turns the answers of all items into integer classes, from which the signals are computed.

=============  ==================================================================================================
kind           canonical answer
=============  ==================================================================================================
``as-is``      the text without surrounding white space
``text``       what follows the last answer marker, case-folded (``core.answers.texts``)
``open``       the whole text, case-folded; that two differ does not say that one is wrong
``number``     the number that is the answer, in one exact spelling (``core.answers.numbers``)
``choice``     the letter of the chosen option, A…Z (``core.answers.choices``)
``mmlu-pro``   the benchmark's official rules for a letter A…J (``core.answers.benchmarks`` for this and the next three)
``mmlu-redux`` the rules in use for MMLU-Redux, A…D
``gpqa``       simple-evals' rule, A…D as it is written
``mmbench``    VLMEvalKit's rules, without its judge model
=============  ==================================================================================================

``PARSER_VERSION`` is the version of each kind's rules: any change of rules that changes an answer changes it, and
manifests and surrogate jobs record it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from ..errors import DesignError
from .benchmarks import parse_gpqa, parse_mmbench, parse_mmlu_pro, parse_mmlu_redux
from .choices import parse_choice
from .classes import classes_of_codes, meaning_classes
from .numbers import parse_number
from .texts import parse_as_is, parse_open, parse_text
from .unparsed import PATTERNS

__all__ = ["EXTRACTED", "KINDS", "OPEN", "PARSER_VERSION", "PATTERNS", "classes_of_codes", "meaning_classes", "parse"]

# Answers that are never compared with the right one: it may be said in other words.
OPEN = "open"

_Parser = Callable[[str, Sequence[str] | None], str | None]

_PARSERS: Mapping[str, _Parser] = MappingProxyType(
    {
        "choice": parse_choice,
        "number": lambda text, choices: parse_number(text),
        "text": lambda text, choices: parse_text(text),
        "open": lambda text, choices: parse_open(text),
        "as-is": lambda text, choices: parse_as_is(text),
        "mmlu-pro": lambda text, choices: parse_mmlu_pro(text),
        "mmlu-redux": parse_mmlu_redux,
        "gpqa": lambda text, choices: parse_gpqa(text),
        "mmbench": parse_mmbench,
    }
)

KINDS: tuple[str, ...] = tuple(_PARSERS)

# An answer that was extracted already (a truth, a target's `answer`) is a bare letter: the benchmarks' rules, made for
# whole outputs ("the answer is (B)"), do not apply to it.
EXTRACTED: Mapping[str, str] = MappingProxyType(dict.fromkeys(("mmlu-pro", "mmlu-redux", "gpqa", "mmbench"), "choice"))

PARSER_VERSION: Mapping[str, str] = MappingProxyType(
    {
        "choice": "1",
        "number": "1",
        "text": "1",
        "open": "1",
        "as-is": "1",
        "mmlu-pro": "1",
        "mmlu-redux": "1",
        "gpqa": "1",
        "mmbench": "1",
    }
)


def parse(text: str, kind: str, choices: Sequence[str] | None = None) -> str | None:
    """Return the canonical answer in one model output.

    Parameters
    ----------
    text : str
        The model's output.
    kind : str
        One of `KINDS`.
    choices : sequence of str, optional
        The item's options in order; kinds that do not need them ignore them.

    Returns
    -------
    str or None
        The answer, or None if the rules of this kind find none ("no answer"; docs/method.md, 5.6).

    Raises
    ------
    DesignError
        If ``kind`` is not one of `KINDS`.
    """
    parser = _PARSERS.get(kind)
    if parser is None:
        raise DesignError(f"There is no answer kind “{kind}”. Choose one of {', '.join(KINDS)}.")
    return parser(text, choices)
