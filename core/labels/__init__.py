"""Labels: the sampled items go out as a list for people to label, and their labels come back.

    requests ──► exports (lists, workbook, label_studio, argilla, prodigy) ──► people, or a target (commands)
                                                                                     │
    losses ◄── settling (one label an item, everything odd told at once) ◄── reading ┘
"""

from core.labels.escaping import escape, unescape
from core.labels.lists import to_csv, to_jsonl
from core.labels.requests import request

__all__ = ["escape", "request", "to_csv", "to_jsonl", "unescape"]
