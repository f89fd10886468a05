"""What names of models tell of versions."""

from __future__ import annotations

import pytest

from core.pool import are_versions, named_versions, newest_first


@pytest.mark.parametrize(
    "names",
    [
        ("gpt-3.5-turbo top_p=0.8", "gpt-3.5-turbo top_p=0.9"),
        ("claude-3.5-k5", "claude-3.5-k10"),
        ("claude-3.5 a1", "claude-3.5 a2"),
        ("gpt-4.1 seed 1", "gpt-4.1 seed 2"),
        ("Qwen2.5-7B-4bit", "Qwen2.5-7B-8bit"),
        ("gemma-2.0-0shot", "gemma-2.0-5shot"),
        ("mixtral-8x7B-v0.1", "mixtral-8x22B-v0.1"),
        ("a lr0.1", "a lr0.01"),
        ("results_temperature_0.0", "results_temperature_1.0"),
        ("model_p0.9", "model_p0.5"),
    ],
)
def test_settings_of_one_model_are_no_versions_of_it(names: tuple[str, str]) -> None:
    assert newest_first(names) == names and newest_first(names[::-1]) == names[::-1]
    assert not named_versions(names)


def test_versions_are_called_alike_but_for_numbers() -> None:
    assert are_versions(["v1", "v10"]) and are_versions(["gpt-4 (2026-01-02)", "GPT-4 2026-03-01"])
    assert not are_versions(["Meta-Llama-3-70B", "jamba-1.5-large"])
    assert not are_versions(["Llama-3-8B", "Llama-3-70B"]) and are_versions(["Llama-3-8B", "Llama-3.1-8B"])
    assert not are_versions(["gpt-3.5-turbo T=0.0", "gpt-3.5-turbo T=1.0"])
    assert newest_first(["v2", "v10", "v9"]) == ("v10", "v9", "v2") and newest_first(["b", "a 2"]) == ("b", "a 2")
    assert newest_first(["m0", "m1"]) == ("m0", "m1") and newest_first(["L-3-8B", "L-3.1-8B"])[0] == "L-3.1-8B"
    dated = ["2026-01-02", "2026-03-01"]
    assert (
        newest_first(["gpt-4", "gpt-4.1"])[0] == "gpt-4.1"
        and newest_first([f"a {one}" for one in dated])[0][2:] == dated[1]
    )
    assert are_versions(["release March", "rc"], dated) and not are_versions(["release March", "rc"], [dated[0], ""])
