"""From text to canonical answers, and from answers to meaning classes.

``parse`` turns one model output into a canonical answer by the rules of one *answer kind*; equal answers are equal
strings. ``meaning_classes`` turns the answers of all items into integer classes, from which the signals are computed.

=============  ==================================================================================================
kind           canonical answer
=============  ==================================================================================================
``as-is``      the text without surrounding white space
``text``       what follows the last answer marker, case-folded; formulas by value (``core.answers.free_texts``)
``open``       the whole text, case-folded; that two differ does not say that one is wrong
``number``     the number that is the answer, in one exact spelling, "≈ 5" as 5 (``core.answers.numbers``)
``choice``     the letter of the chosen option, A…Z (``core.answers.choices``)
``mmlu-pro``   official rules for a letter A…J (``core.answers.published_rules`` for this and the next three)
``mmlu-redux`` the rules in use for MMLU-Redux, A…D
``gpqa``       simple-evals' rule, A…D as it is written
``mmbench``    VLMEvalKit's rules, without its judge model
=============  ==================================================================================================

``text``, ``number`` and ``choice`` read the model's first turn (``core.answers.output_parts``) without its reasoning.

``PARSER_VERSION`` is the version of each kind's rules: any change of rules that changes an answer changes it, and
manifests and surrogate jobs record it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from ..errors import DesignError
from .choices import parse_choice
from .classes import classes_of_codes, meaning_classes
from .final import answer_segments
from .free_texts import parse_as_is, parse_open, parse_text
from .numbers import parse_number
from .output_parts import PATTERNS, first_turn
from .published_rules import parse_gpqa, parse_mmbench, parse_mmlu_pro, parse_mmlu_redux

__all__ = [
    "EXTRACTED",
    "KINDS",
    "OFFICIAL",
    "OPEN",
    "PARSER_VERSION",
    "PATTERNS",
    "TITLES",
    "classes_of_codes",
    "cut_changes",
    "meaning_classes",
    "parse",
    "rules",
]

# Answers that are never compared with the right one: it may be said in other words.
OPEN = "open"


@dataclass(frozen=True)
class _Kind:
    """One kind of answer: its title, how it is read, the version of its rules, and the kind of what they extracted."""

    parse: Callable[[str, Sequence[str] | None], str | None]
    title: str
    version: str = "1"
    # An answer that was extracted already (a truth, a target's `answer`) is a bare letter: the benchmarks' rules, made
    # for whole outputs ("the answer is (B)"), do not apply to it.
    extracted: str | None = None


_KINDS: Mapping[str, _Kind] = MappingProxyType(
    {
        "choice": _Kind(parse_choice, "Option letter", "4"),
        "number": _Kind(lambda text, choices: parse_number(text), "Number", "5"),
        "text": _Kind(lambda text, choices: parse_text(text), "Short text", "2"),
        "open": _Kind(lambda text, choices: parse_open(text), "Long text, said in many ways", "2"),
        "as-is": _Kind(lambda text, choices: parse_as_is(text), "Exactly as written"),
        "mmlu-pro": _Kind(lambda text, choices: parse_mmlu_pro(text), "MMLU-Pro’s rule", extracted="choice"),
        "mmlu-redux": _Kind(parse_mmlu_redux, "MMLU-Redux’s rule", "2", extracted="choice"),
        "gpqa": _Kind(lambda text, choices: parse_gpqa(text), "GPQA’s rule", extracted="choice"),
        "mmbench": _Kind(parse_mmbench, "MMBench’s rule", extracted="choice"),
    }
)

KINDS: tuple[str, ...] = tuple(_KINDS)
TITLES: Mapping[str, str] = MappingProxyType({name: kind.title for name, kind in _KINDS.items()})
EXTRACTED: Mapping[str, str] = MappingProxyType(
    {name: kind.extracted for name, kind in _KINDS.items() if kind.extracted}
)
# The rules of benchmarks and of MMBench's toolkit, which read a run-on output as a whole.
OFFICIAL: tuple[str, ...] = tuple(EXTRACTED)
PARSER_VERSION: Mapping[str, str] = MappingProxyType({name: kind.version for name, kind in _KINDS.items()})


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
    if kind not in _KINDS:
        raise DesignError(f"There is no answer kind “{kind}”. Choose one of {', '.join(KINDS)}.")
    return _KINDS[kind].parse(text, choices)


def rules(kind: str) -> str:
    """Name the rules of an answer kind with their version, such as "“Number” (rules 2)"."""
    how = "; formulas by their value" if kind == "text" else ""
    return f"“{TITLES[kind]}” (rules {PARSER_VERSION[kind]}{how})"


def cut_changes(text: str, kind: str, choices: Sequence[str] | None = None) -> bool:
    """Whether the answer in an output would be another one if the output ended with its first turn.

    Parameters
    ----------
    text : str
        The model's output.
    kind : str
        One of `KINDS`.
    choices : sequence of str, optional
        As for `parse`.
    """
    cut = first_turn(text, lambda said: next((one.start for one in reversed(list(answer_segments(said)))), None))
    return (
        bool(cut.strip()) and len(cut) < len(text.rstrip()) and parse(cut, kind, choices) != parse(text, kind, choices)
    )
