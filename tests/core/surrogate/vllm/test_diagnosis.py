"""Why a server ended, out of its log."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.surrogate.vllm.server import diagnosis


@pytest.mark.parametrize(
    ("log", "sentence"),
    [
        ("OSError: foo is not a local folder and is not a valid model identifier listed on", "no such model"),
        ("RuntimeError: Failed to infer device type, please set", "no GPU"),
        ("ValueError: Free memory on device (3.1/79 GiB) is less than desired GPU memory utilization", "memory"),
        ("ValueError: No available memory for the cache blocks. Try increasing", "memory"),
        ("ValueError: To serve at least one request with the models's max seq len (40960), 5 GiB", "--max-model-len"),
        ("api_server.py: error: unrecognized arguments: --fast", "does not know an argument"),
        ("OSError: You are trying to access a gated repo.", "restricted"),
        ("ValueError: The repository x contains custom code; set trust_remote_code=True", "--trust-remote-code"),
        ("OSError: We couldn't connect to 'https://huggingface.co' to load the files", "give a folder"),
        ("ValueError: Model architectures ['Foo'] are not supported for now.", "does not support"),
        ("(Worker pid=7) RuntimeError: CPU Generator does not use offset", "leave the seed empty"),
        ("Traceback (most recent call last):\nKeyError: 'layers.0'\nINFO bye", "vLLM says: KeyError: 'layers.0'"),
        ("INFO loading\nKilled", "last line of its log: Killed"),
        ("", "log is empty"),
    ],
)
def test_the_log_says_why_a_server_ended(log: str, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "log").write_text("INFO 11-20 starting\n" + log if log else "")
    assert sentence in diagnosis(tmp_path / "log")
