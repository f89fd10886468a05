"""Real models' outputs: our own kinds beside an official rule and published losses."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path

from core.answers import parse
from tests.core.answers.conftest import mmlu_pro_records


class TestRealPools:
    def test_choice_agrees_with_the_official_sentence(self, real_pool: Callable[[str], Path]) -> None:
        """Where jamba ends on "answer is (X)", choice says the same or, if several letters follow, nothing."""
        official, ours = [], []
        for record in mmlu_pro_records(real_pool, "jamba-1.5-large"):
            if sentence := re.search(r"answer is \(?([A-J])\)?", record["text"]):
                official.append(sentence[1])
                ours.append(parse(record["text"], "choice", record["options"]))
        assert all(answer is None or answer == letter for answer, letter in zip(ours, official, strict=True))
        assert ours.count(None) <= 0.002 * len(ours)

    def test_number_reproduces_the_published_losses(self, real_pool: Callable[[str], Path]) -> None:
        """4 × 1,319 published 0/1 losses; the one that differs was scored wrong because it shows its working."""
        differing = []
        for line in gzip.decompress(real_pool("gsm8k-committee10").read_bytes()).decode().splitlines():
            item = json.loads(line)
            truth = parse(item["answer"], "number")
            for target in item["targets"].values():
                wrong = parse(target["answer"] or "", "number") != truth
                if wrong != bool(target["loss"]):
                    differing.append(target["answer"])
        assert differing == ["3200 in words c"]
