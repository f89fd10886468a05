"""The README's example runs and prints what it says."""

import contextlib
import io
import re
from pathlib import Path

import pandas as pd

import core
from tests.core.judge.pools import people_of, records_of
from tools.screenshots import SHOTS

ROOT = Path(__file__).parents[1]


def test_the_session_prints_what_the_readme_says(monkeypatch, tmp_path):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    more = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    sessions = re.findall(r"```python\n(.*?)```.*?```\n(.*?)```", text + more, re.DOTALL)
    (tmp_path / "data").symlink_to(ROOT / "data")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for code, output in sessions:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "README.md", "exec"), names)
        assert printed.getvalue().split() == output.split()
    assert len(sessions) == 2 and len(sessions[0][0].split("\n\n", 1)[1].splitlines()) <= 10
    assert len(text.splitlines()) <= 100
    assert "76.5" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_the_session_of_the_judge_runs(monkeypatch, tmp_path):
    """The code of docs/judge.md, with each list filled as people would."""
    rows = [{**row, "safety judge": n % 5 + 1, "other judge": row["other"]} for n, row in enumerate(records_of(400))]
    rows = [{**row, "judge score": row["safety judge"]} for row in rows]
    people = people_of(400)

    def fill():
        for path in tmp_path.glob("list.csv"):
            frame = pd.read_csv(path, dtype=str)
            for name in [name for name in frame if name.startswith("label")]:
                good, bad = ("4", "2") if {*frame.get("kind", "")} == {"score:1-5"} else ("pass", "fail")
                frame[name] = [good if people[item] else bad for item in frame["item_id"]]
            frame.to_csv(path, index=False)

    pd.DataFrame(rows).to_csv(tmp_path / "outputs.csv", index=False)
    monkeypatch.chdir(tmp_path)
    code = "".join(re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "judge.md").read_text("utf-8"), re.DOTALL))
    names: dict[str, object] = {"fill": fill}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(re.sub(r"(\.to_csv\(.*)", r"\1\nfill()", code), "judge.md", "exec"), names)
    assert "Corrected pass rate" in printed.getvalue() and "Corrected mean" in printed.getvalue()
    assert [*names["results"]] == ["helpful", "safe"]


def test_the_options_of_commands_in_documents_exist():
    recorded = (ROOT / "tests" / "net" / "recorded" / "options.txt").read_text(encoding="utf-8")
    options = {(command, name) for command, name in re.findall(r"^neyman ([a-z -]+?) (--[\w-]+)", recorded, re.M)}
    commands, named = {command for command, _ in options}, []
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        text = page.read_text(encoding="utf-8")
        lines = re.findall(r"^[ $]*(?:python -m )?neyman ([a-z].*)$", text, re.M)
        for line in [*lines, *re.findall(r"`(?:python -m )?neyman ([a-z][^`]*)`", text)]:
            words = line.split("#")[0].split()
            command = next((one for n in (2, 1) if (one := " ".join(words[:n])) in commands), "")
            named += [(page.name, command, word.split("=")[0]) for word in words if re.match(r"--\w", word)]
    assert len(named) > 60 and [one for one in named if one[1:] not in options] == []


def test_every_make_target_named_exists():
    text = "".join((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "CONTRIBUTING.md"))
    named = set(re.findall(r"make ([a-z][a-z-]*)", text)) - {"it"}
    defined = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert {"run", "test"} <= named <= defined


def test_every_picture_is_made_again_by_a_command():
    pages = (ROOT / "README.md", ROOT / "docs" / "pictures.md")
    pictures = [re.findall(r"!\[[^\]]+\]\(([^)]+)\)", page.read_text(encoding="utf-8")) for page in pages]
    assert sorted(Path(link).name for page in pictures for link in page) == sorted(f"{shot.name}.png" for shot in SHOTS)
    assert {(shot.width, shot.scheme) for shot in SHOTS} == {(w, s) for w in (1280, 390) for s in ("light", "dark")}
    assert all((ROOT / "docs" / f"{shot.name}.png").stat().st_size > 10_000 for shot in SHOTS)


def test_every_link_of_readme_and_docs_leads_to_a_file():
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    links = [(page, link) for page in pages for link in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))]
    missing = [(page.name, link) for page, link in links if "://" not in link and not (page.parent / link).exists()]
    assert len(links) > 30 and missing == []


def test_figures_of_the_documents_go_with_commands_that_print_them():
    """Sections with a table of figures name one, and each `-k` selects a test, or a trial."""
    blocks = [
        block for path in (ROOT / "tests").rglob("test_*.py") for block in path.read_text("utf-8").split("\n\n\n")
    ]
    tests = [(name, "mark.trial" in block) for block in blocks for name in re.findall(r"^def (test_\w+)", block, re.M)]
    pages = {page.name: page.read_text(encoding="utf-8") for page in sorted((ROOT / "docs").glob("*.md"))}
    named = [
        one for text in pages.values() for one in re.findall(r"(?:make (\w+) )?`?ARGS=\"(?:-rP )?-k (\w+)\"", text)
    ]
    wrong = [
        (command, words)
        for command, words in named
        if not any(words in name and (trial or command != "trials") for name, trial in tests)
    ]
    assert len(named) > 20 and wrong == []
    for section in re.split(r"\n(?=###? )", pages["method.md"] + pages["designs.md"]):
        assert not re.search(r"^\|.*\d\.\d", section, re.M) or re.search("make (test|trials)|`neyman", section), section


def test_the_citation_is_of_this_version():
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {core.__version__}\n" in text and text.startswith("cff-version: 1.2.0\n")
