"""The wheel: built, installed into an environment of its own, and used in an empty folder.

That environment is lent the libraries of the tests, so that nothing is fetched; `make test-dist` installs its own.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import zipfile
from collections.abc import Callable
from email.parser import Parser
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import core
from core.readers import read
from tests.conftest import ROOT
from tests.core.surrogate.conftest import faking, pool_of
from tests.wheel import installed, wheel

__all__ = ["installed", "wheel"]

Ran = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(installed: Path, tmp_path: Path, neyman_home: Path) -> Ran:
    """A function that runs one of its programs in an empty folder."""
    folder = tmp_path / "empty"
    folder.mkdir()
    outside = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

    def run(program: str, *words: str | Path) -> subprocess.CompletedProcess[str]:
        command = [installed / program, *words]
        environment = outside | {"NEYMAN_HOME": str(neyman_home)}
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        return done

    return run


def test_it_brings_what_the_app_needs_in_the_versions_of_the_checkout(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as file:
        names = set(file.namelist())
        about = Parser().parsestr(file.read(next(name for name in names if name.endswith("/METADATA"))).decode())
    assert about["Version"] == core.__version__
    folders = ("core", "pages", "server")
    files = {f"neyman/{p.relative_to(ROOT)}" for f in folders for p in (ROOT / f).rglob("*") if p.suffix == ".py"}
    assert names >= files | {"neyman/app.py", "neyman/serve.py", "neyman/.streamlit/config.toml", "neyman/py.typed"}
    assert not any(re.search(r"secrets|__pycache__|\btests?/", name) for name in names)
    page = about.get_payload()
    assert about["Description-Content-Type"] == "text/markdown" and "import neyman" in page
    # Nobody sees a picture, or follows a link, that lies in the checkout.
    assert not re.search(r"\]\((?!https?:)", page) and len(about.get_all("Classifier") or []) >= 8
    asked = {one.name: one for one in map(Requirement, about.get_all("Requires-Dist") or []) if one.marker is None}
    app, tests = (ROOT / "requirements.txt").read_text(encoding="utf-8").split("# Tests:")
    pins = dict(re.findall(r"^([\w-]+)==(.+)$", app, re.MULTILINE))
    assert set(asked) == set(pins) - {"uv"} and "streamlit" in asked and "pytest==" in tests
    assert all(one.specifier.contains(pins[name]) for name, one in asked.items())
    assert not asked["streamlit"].specifier.contains("1.99") and not asked["numpy"].specifier.contains("99.0")


def test_an_earlier_spelling_of_a_command_works_in_an_empty_folder(run: Ran) -> None:
    assert run("python", "-m", "neyman.core.archive", "--help").stdout.startswith("Usage: neyman home")


def test_the_session_of_the_readme_and_a_reader_beside_it_work_in_an_empty_folder(run: Ran, tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    code, output = re.findall(r"```python\n(.*?)```.*?```\n(.*?)```", text, re.DOTALL)[0]
    data = "from importlib.resources import files\ndemo = str(files('neyman') / 'data/demo.jsonl.gz')\n"
    session = data + code.replace('"data/demo.jsonl.gz"', "demo")
    reader = """
import sys
from pathlib import Path
from neyman.core.archive.quarantine import Quarantine
print(Quarantine().pool(Path(sys.argv[1]), None, Path.cwd()).n_items)
"""
    pool_of(6).write(tmp_path / "pool.jsonl")
    assert run("python", "-c", session + reader, tmp_path / "pool.jsonl").stdout.split() == [*output.split(), "6"]


def test_one_process_never_has_two_copies(run: Ran) -> None:
    code = """
import importlib, json, os, sys
import neyman
first = sys.argv[1]
sys.path.insert(0, os.path.dirname(neyman.__file__))
importlib.import_module(first)
pool, refused = neyman.Pool, []
for other in {"core", "neyman.core"} - {first}:
    try:
        importlib.import_module(other)
    except ImportError as error:
        refused.append(str(error))
print(json.dumps([pool.__module__, neyman.package().__name__, refused]))
"""
    for first in ("core", "neyman.core"):
        module, package, refused = json.loads(run("python", "-c", code, first).stdout)
        assert (module, package) == (f"{first}.pool.pool", first)
        assert len(refused) == 1 and "second copy" in refused[0]


def test_a_surrogate_is_run_by_its_program(run: Ran, tmp_path: Path) -> None:
    asked, made = tmp_path / "asked.jsonl", tmp_path / "made.parquet"
    pool_of(6).write(asked)
    with faking() as server:
        words = (f"--pool={asked}", "--model=m", f"--base-url={server.url}", "--k=3", f"--out={made}")
        run("neyman", "surrogate", "run", *words)
    assert read(made).n_generations == 3
