"""The official MMLU-Pro parser beside the published answers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from core.commands import main
from core.readers.tool_formats.mmlu_pro import mmlu_pro_agreement
from tests.core.readers.test_mmlu_pro import file_of, record, zipped

TEXTS = ("The answer is (A).", "Answer: B", "So it is C", "nothing", "the answer is A because B")


def published(folder: Path, model: str, *letters: str | None) -> Path:
    path = folder / file_of(model)
    rows = [record(n, letter, generated_text=text) for n, (text, letter) in enumerate(zip(TEXTS, letters, strict=True))]
    path.write_bytes(zipped(rows))
    return path


def test_the_version_of_each_file_is_the_one_that_agrees(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [
        published(tmp_path, "one", "A", None, None, None, "A"),
        published(tmp_path, "three", "A", "B", "C", None, "A"),
        published(tmp_path, "seeded", "A", "B", "C", "G", "A"),
        published(tmp_path, "other", "A", "B", "C", None, "J"),
    ]
    table = mmlu_pro_agreement(files).set_index("model")
    assert table["stages"].tolist() == [1, 3, 3, 3] and table["differing"].tolist() == [0, 0, 0, 1]
    assert table["agreement"].tolist() == [1, 1, 0.8, 0.8] and table.loc["one", "today"] == 0.6
    first = table.loc["one"]
    assert (first["official_unparsed"], first["official_accuracy"]) == (0.2, 0.4)
    assert first["official_random"] == pytest.approx((2 + 1 / 3) / 5)
    assert main(["pool", "agreement", *map(str, files)]) == 0 and "| one | 5 | 1 | 100.00 |" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("model", "stages"), [("jamba-1.5-large", 3), pytest.param("Llama-2-13b-hf", 1, marks=pytest.mark.trial)]
)
def test_published_files_agree(real_pool: Callable[[str], Path], model: str, stages: int) -> None:
    (row,) = mmlu_pro_agreement([real_pool(f"mmlu-pro/{file_of(model)}")]).to_dict("records")
    assert row["stages"] == stages and row["agreement"] >= 0.995 and row["items"] == 12_032
