"""The one command: what it lists, how it ends, and that earlier spellings are the same commands."""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from cyclopts import App

import serve
from core.commands import _app, main
from core.surrogate import cli

COMMANDS = {"serve", "plan", "check", "pool", "study", "lab", "gate", "judge", "home", "surrogate"}


def test_every_command_is_listed_and_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    listed = {line.split()[1] for line in capsys.readouterr().out.splitlines() if line.startswith("│ ")}
    assert listed >= COMMANDS
    for name in COMMANDS - {"serve", "surrogate"}:
        assert main([name, "--help"]) == 0
        assert f"neyman {name}" in capsys.readouterr().out


def undescribed(app: App) -> Iterator[str]:
    """The same of a command of this room, and of the commands below it."""
    if app.default_command is not None:
        for one in app.assemble_argument_collection(parse_docstring=True):
            if one.show and one.parse and not one.parameter.help:
                yield f"{app.name[0]} {one.name}"
    for name in app:
        if not name.startswith("-"):
            yield from undescribed(app[name])


def test_help_says_something_of_every_option() -> None:
    assert [*undescribed(serve._app()), *undescribed(_app()), *undescribed(cli._app())] == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nonsense"], "nonsense"),
        (["plan", "--bad"], "--bad"),
        (["plan", "my pool.jsonl"], "`neyman plan --help`"),
        (["plan", "--labels", "3", "--money", "4"], "--money"),
        (["plan", "--labels", "many"], "many"),
        (["plan", "--labels", "9", "--target", "mine"], "--pool"),
        (["plan", "--labels", "9", "--pool", "a.jsonl", "--items", "20"], "--items"),
        (["study", "list", "a.eval", "--out", "x"], "--labels"),
        (["study", "push", "x", "--service", "nobody"], "label-studio"),
        (["pool", "map", "x.json", "--promt", "y"], "--promt"),
        (["pool", "benchmark", "gpqa", "x.csv", "--seed", "-1"], "--seed"),
        (["pool", "benchmark", "nothing", "x.csv"], "mmlu-pro"),
        (["home", "restore", "/nowhere/at/all"], "/nowhere/at/all"),
    ],
)
def test_wrong_usage_is_a_sentence_and_exit_code_2(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and said in printed.err and "Traceback" not in printed.err


@pytest.mark.parametrize("words", [[], ["--port=8600", "--browser"], ["serve", "--port=8600", "--browser"]])
def test_without_a_command_the_app_starts(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    started = list[list[str]]()
    monkeypatch.setattr(os, "execv", lambda program, all_words: started.append(all_words))
    main(words)
    assert [Path(started[0][1]).name, *started[0][2:]] == ["serve.py", *words[-2:]]


def test_a_command_without_its_part_lists_the_parts_and_ends_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["study"], ["pool"]):
        assert main(words) == 2 and "Commands" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("earlier", "now"),
    [
        (["core.planning", "--labels", "80", "--csv"], ["plan", "--labels", "80", "--csv"]),
        (["core.planning", "--check", "none.jsonl", "--trials", "9"], ["check", "none.jsonl", "--trials", "9"]),
        (["core.readers", "map", "none.csv"], ["pool", "map", "none.csv"]),
        (["core.study", "estimate", "none", "x"], ["study", "estimate", "none", "x"]),
        (["core.lab", "none.jsonl", "--trials", "0"], ["lab", "none.jsonl", "--trials", "0"]),
        (["core.lab", "none.jsonl", "--across"], ["lab", "across", "none.jsonl"]),
        (["core.lab.across", "data/demo.jsonl.gz"], ["lab", "risk-transfer", "data/demo.jsonl.gz"]),
        (["core.archive", "copies"], ["home", "copies"]),
        (["core.surrogate", "show"], ["surrogate", "show"]),
    ],
)
@pytest.mark.filterwarnings("ignore:.*found in sys.modules:RuntimeWarning")
def test_an_earlier_spelling_is_the_command(
    earlier: list[str], now: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module, *words = earlier
    monkeypatch.setattr(sys, "argv", [module, *words])
    with pytest.raises(SystemExit) as ended:
        runpy.run_module(module, run_name="__main__")
    printed = capsys.readouterr()
    try:
        assert main(now) == ended.value.code
    except SystemExit as also:
        assert also.code == ended.value.code
    assert capsys.readouterr() == printed
    assert ended.value.code == (0 if "--csv" in earlier else 2)


@pytest.mark.parametrize(
    ("words", "option"), [(["serve", "--help"], "--share"), (["surrogate", "run", "--help"], "--base-url")]
)
def test_the_app_and_the_surrogate_read_their_own_words(
    words: list[str], option: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def serve_app(program: str, all_words: list[str]) -> None:
        monkeypatch.setattr(sys, "argv", all_words[1:])
        serve.main()

    monkeypatch.setattr(os, "execv", serve_app)
    try:
        status: object = main(words)
    except SystemExit as ended:
        status = ended.code
    assert status == 0 and option in capsys.readouterr().out
