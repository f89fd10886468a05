"""Labels: the sampled items go out as a list for people to label, and their labels come back.

    request ──► export (CSV, XLSX, JSON Lines, Label Studio, Argilla, Prodigy) ──► people, or a target (commands)
                                                                                     │
    losses ◄── settle (one label an item, and everything odd about the labels) ◄── read ┘

`core.labels.queues` sends a list to a running Label Studio, Argilla or Langfuse and fetches a file for `read`.

A label is of one of three `KINDS`: "right-wrong" (is the target's answer right?), "gold" (what is the right answer?)
or "score" (how good is the target's answer?).
"""

from typing import TYPE_CHECKING

from ..design.families import family
from . import cells, criteria, oddities, options
from .account import Account, Remainder
from .agreement import BeyondChance, beyond_chance
from .comparison import Differences, differences, readable
from .criteria import asked, asked_kind, asked_pool
from .formats.escaping import escape, unescape
from .formats.exports import FOR_CRITERIA, FORMATS, export
from .formats.label_file import LabelFile
from .formats.lists import labels_csv, to_csv, to_jsonl
from .formats.records import DECISION, GIVEN_UP, NOBODY, POOL, SKIPPED, by_people, is_reserved
from .kinds import FIRST, GOLD, KINDS, RIGHT_WRONG, SCORE, SECOND, TIE, LabelKind, canonical, letter, scored
from .model_pair import pair_names, parted
from .outcomes import losses, of_target, target_answers
from .proposals import is_word
from .reader import read
from .requests import lost, replacements, request
from .right_answers import answer_pairs, choices_of
from .settlement import Settlement, settle
from .target_commands import Command, commands
from .targets import ANSWERS_OF, assign_targets, is_code, relevant, target_code
from .texts import columns_of
from .vocabulary import MEANINGS, Word, remark, statement, translated, unknown_words, words_of

if TYPE_CHECKING:
    # Its library for HTTP is loaded if a queue is used: `from core.labels import queues`.
    from . import queues

__all__ = [
    "ANSWERS_OF",
    "DECISION",
    "FIRST",
    "FORMATS",
    "FOR_CRITERIA",
    "GIVEN_UP",
    "GOLD",
    "KINDS",
    "MEANINGS",
    "NOBODY",
    "POOL",
    "RIGHT_WRONG",
    "SCORE",
    "SECOND",
    "SKIPPED",
    "TIE",
    "Account",
    "BeyondChance",
    "Command",
    "Differences",
    "LabelFile",
    "LabelKind",
    "Remainder",
    "Settlement",
    "Word",
    "answer_pairs",
    "asked",
    "asked_kind",
    "asked_pool",
    "assign_targets",
    "beyond_chance",
    "by_people",
    "canonical",
    "cells",
    "choices_of",
    "columns_of",
    "commands",
    "criteria",
    "differences",
    "escape",
    "export",
    "family",
    "is_code",
    "is_reserved",
    "is_word",
    "labels_csv",
    "letter",
    "losses",
    "lost",
    "oddities",
    "of_target",
    "options",
    "pair_names",
    "parted",
    "queues",
    "read",
    "readable",
    "relevant",
    "remark",
    "replacements",
    "request",
    "scored",
    "settle",
    "statement",
    "target_answers",
    "target_code",
    "to_csv",
    "to_jsonl",
    "translated",
    "unescape",
    "unknown_words",
    "words_of",
]
