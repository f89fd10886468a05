"""Four options to choose from, and the published outputs of MMLU-Pro's models."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

CITIES = ["Paris", "London", "Rome", "Vitamin C"]


def mmlu_pro_records(real_pool: Callable[[str], Path], model: str) -> list[dict[str, Any]]:
    """The published records of one model, with the raw output under the key ``text``."""
    with zipfile.ZipFile(real_pool(f"mmlu-pro/model_outputs_{model}_5shots.zip")) as archive:
        records = json.loads(archive.read(archive.namelist()[0]))
    assert len(records) == 12_032
    return [{**record, "text": record.get("model_outputs", record.get("generated_text"))} for record in records]
