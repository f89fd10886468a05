"""What this machine can serve with."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from core.surrogate.vllm import launch


def test_gpus_are_listed_with_their_free_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = tmp_path / "nvidia-smi"
    tool.write_text("#!/bin/sh\necho 'NVIDIA H200, 142000, 143771'\necho 'NVIDIA H200, [N/A], 143771'\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert launch.gpus() == (launch.Gpu("NVIDIA H200", 142000, 143771),)
    tool.write_text("#!/bin/sh\nexit 9\n")
    assert launch.gpus() == ()
