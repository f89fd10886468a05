"""`neyman study push` and `pull`: a list to a labelling tool and its labels back."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.commands import main
from core.design import Design, manifest
from core.pool import Pool
from tests.core.labels.queues.servers import SECRET, LabelStudio, running

POOL = Pool.from_records(
    [
        {
            "id": f"item {n}",
            "prompt": f"{n}?",
            "generations": ["A", "AB"[n % 2], "ABC"[n % 3]],
            "targets": {"model": {"answer": "A"}},
        }
        for n in range(40)
    ],
    name="pool",
)
PLAN = Design(10, seed=5).draw(POOL)
ASKED = ["--service", "label-studio"]


@pytest.fixture
def folder(tmp_path: Path) -> str:
    POOL.write(tmp_path / "pool.parquet")
    (tmp_path / "plan.json").write_text(manifest.write(PLAN, "pool"))
    return str(tmp_path)


def test_a_list_goes_out_and_its_labels_come_back(
    folder: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("core.web.client.FIRST_PAUSE", 0.001)
    with running(LabelStudio()) as server:
        assert isinstance(server, LabelStudio)
        monkeypatch.setenv("LABEL_STUDIO_URL", server.address)
        monkeypatch.setenv("LABEL_STUDIO_API_KEY", SECRET)
        for sent in ("10 items sent.", "0 items sent, 10 already there."):
            assert main(["study", "push", folder, *ASKED]) == 0
            assert capsys.readouterr().out.splitlines() == [sent, f"Label at {server.address}/projects/1/data"]
        assert server.projects[0]["title"].startswith(f"Neyman {PLAN.plan_id} right-wrong t")
        for item in PLAN.ids:
            server.label(str(item), "right")
        assert main(["study", "pull", folder, *ASKED]) == 0
        file = str(Path(folder, "labels.json"))
        assert capsys.readouterr().out.splitlines()[-1].endswith(f"estimate {folder} {file}")
        assert main(["study", "estimate", folder, file]) == 0
        assert capsys.readouterr().out.startswith("model: Accuracy 100.0")
        monkeypatch.delenv("LABEL_STUDIO_API_KEY")
        assert main(["study", "push", folder, *ASKED]) == 2
        assert "LABEL_STUDIO_API_KEY" in capsys.readouterr().err
