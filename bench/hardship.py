"""Survival of saves: many writers, kill -9, a full disk.

``python -m bench.hardship [writers | apps | kills | full] [--times N]`` does each, by default all, in homes that it
makes, and prints a line for what holds. A loss ends it with an AssertionError. Nothing here is about speed.
"""

from __future__ import annotations

import argparse
import importlib
import logging
import multiprocessing
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from core.archive import Archive
from core.errors import HomeError
from core.pool import Pool

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parent.parent
NOON = "2026-11-20T12:00:00+00:00"
_LABELS, _ITEMS = 100_000, 20_000
# Where not the size counts, but the room for it.
_SMALL = 2_000
_DISK_BYTES = 64 << 20


def main() -> None:
    """Run what the command line names."""
    parser = argparse.ArgumentParser()
    parser.add_argument("what", nargs="*", choices=[[], "writers", "apps", "kills", "full"])
    parser.add_argument("--times", type=int, default=20)
    options = parser.parse_args()
    checks: dict[str, Callable[[], str]] = {
        "writers": lambda: writers(50, 20),
        "apps": lambda: apps(2, 20),
        "kills": lambda: "\n".join(kills(step, options.times) for step in ("upload", "keep", "import")),
        "full": full,
    }
    for name in options.what or checks:
        print(checks[name](), flush=True)


def writers(processes: int, labels: int) -> str:
    """Many processes write labels of one plan at once."""
    with tempfile.TemporaryDirectory() as folder:
        _finish([_start("write", folder, str(processes), str(labels))])
        rows = Archive(folder).labels.of("plan")
    assert len(rows) == processes * labels
    return f"{processes} processes × {labels} labels: {len(rows):,} kept"


def apps(processes: int, labels: int) -> str:
    """Several apps on one home, a person labelling in each."""
    with tempfile.TemporaryDirectory() as folder:
        pool = _pool(0, 200)
        Archive(folder).pools.save(pool, NOON)
        _finish([_start("label", folder, str(processes), str(labels))])
        archive = Archive(folder)
        rows = archive.labels.of(*archive.plans.table()["plan_id"])
    assert rows["annotator"].value_counts().tolist() == [labels] * processes
    return f"{processes} apps on one home × {labels} labels: {len(rows):,} kept"


def kills(step: str, times: int, size: int | None = None) -> str:
    """Kill -9 at random moments of a step: all of it was kept or nothing, and it can be done again.

    ``size`` is the number of labels to import, or of items to keep or to upload.
    """
    size = size or (_LABELS if step == "import" else _ITEMS)
    chance = random.Random(step)
    ends: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        lasts = _until_done(step, size, _home(folder, "undisturbed"))
        for number in range(times):
            home = _home(folder, str(number))
            running = _start(step, str(home), str(size))
            assert running.stdout is not None and running.stdout.readline() == "begin\n"
            time.sleep(chance.uniform(0, lasts))
            running.send_signal(signal.SIGKILL)
            running.communicate()
            whole = _check(step, size, home)
            ends["kept" if whole else "nothing"] += 1
            if not whole:
                _until_done(step, size, home)
                assert _check(step, size, home)
            Archive(home).tend(datetime.now(UTC) + timedelta(days=2))
            assert [path.name for path in (home / "pools").glob(".*")] == []
    return f"kill -9 during {step}, {times} times: {dict(ends)}, nothing half done"


def full() -> str:
    """Fill a small disk before each step: it is said, nothing is lost, and it goes on when there is room."""
    with tempfile.TemporaryDirectory() as folder:
        _finish([_start("full", folder)])
    return "a full disk at keeping, importing, uploading and labelling: said, nothing lost, and on when there is room"


def _full(disk: Path) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={_DISK_BYTES}", "tmpfs", disk], check=True)
    home = disk / "home"
    archive = Archive(home)
    saved = archive.pools.load(archive.pools.save(_pool(0, _SMALL), NOON))
    archive.labels.save("plan", _rows(0, 100), NOON, "csv")
    ballast = disk / "ballast"
    for step in (_keep_step, _import_step):
        _fill(ballast)
        try:
            step(home)
        except HomeError as error:
            assert "is full" in str(error), error
        else:
            raise AssertionError(f"{step.__name__} found room on a full disk")
        ballast.unlink()
        assert (
            len(archive.labels.of("plan")) == 100
            and archive.pools.load(saved.digest).classes().shape == saved.classes().shape
        )
        step(home)
    os.environ["NEYMAN_HOME"] = str(home)
    app = _app("pages/pool.py")
    _fill(ballast)
    uploader = next(widget for widget in app.file_uploader if widget.key.startswith("upload"))
    uploader.upload("mine.jsonl", _lines(_pool(9, _SMALL)), "application/jsonl")
    app.run()
    said = " ".join(error.value for error in app.error)
    assert "is full" in said.replace("\\", "") and not app.exception, said
    ballast.unlink()
    next(button for button in app.button if button.label == "Save again").click().run()
    assert "mine" in "".join(text.value for text in app.sidebar.text) and not app.error
    assert len(archive.pools.table()) == 3
    _answers_on_a_full_disk(home, ballast)


def _answers_on_a_full_disk(home: Path, ballast: Path) -> None:
    """A person labels until nothing fits any more; what is answered then waits at the desk."""
    from tests.pages.desk import desk, send

    app = _app("pages/label.py", budget="100", part="Label here", annotator="Ann")
    _fill(ballast)
    answered = 0
    while all(reply.get("saved") for reply in desk(app)["replies"].values()):
        assert answered < 100
        _answer(app)
        answered += 1
    ballast.unlink()
    send(app)
    assert all(reply.get("saved") for reply in desk(app)["replies"].values())
    archive = Archive(home)
    assert archive.labels.of(*archive.plans.table()["plan_id"])["annotator"].tolist() == ["Ann"] * answered


def _keep_step(home: Path) -> None:
    Archive(home).pools.save(_pool(8, _SMALL), NOON)


def _import_step(home: Path) -> None:
    Archive(home).labels.save("other", _rows(0, _SMALL), NOON, "csv")


def _fill(ballast: Path) -> None:
    with ballast.open("wb", buffering=0) as file:
        for size in (1 << 20, 1 << 12):
            with suppress(OSError):
                while file.write(bytes(size)):
                    pass


def _home(folder: str, name: str) -> Path:
    """A home with a pool and labels, which stay whatever happens to what comes then."""
    archive = Archive(Path(folder) / name)
    archive.pools.save(_pool(0, 200), NOON)
    archive.labels.save("earlier", _rows(0, 100), NOON)
    return archive.folder


def _check(step: str, size: int, home: Path) -> bool:
    """Whether a step was kept as a whole; an error if it is half done, or something else is damaged."""
    archive = Archive(home)
    with closing(sqlite3.connect(home / "neyman.sqlite")) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    sizes = archive.pools.table()["n_items"].tolist()
    # Every column is verified when it is read.
    assert [archive.pools.load(digest).table.num_rows for digest in archive.pools.table()["digest"]] == sizes
    labels = len(archive.labels.of("plan"))
    assert len(archive.labels.of("earlier")) == 100 and 200 in sizes and labels in (0, size)
    return labels > 0 if step == "import" else size in sizes


def _until_done(step: str, size: int, home: Path) -> float:
    running = _start(step, str(home), str(size))
    assert running.stdout is not None and running.stdout.readline() == "begin\n"
    start = time.monotonic()
    assert running.stdout.readline() == "end\n"
    lasts = time.monotonic() - start
    _finish([running])
    return lasts


def _start(step: str, home: str, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", "from bench import hardship; hardship.work()", step, home, *arguments]
    # In a namespace whose mounts end with it.
    mounts = ["unshare", "--map-root-user", "--mount"] if step == "full" else []
    return subprocess.Popen([*mounts, *command], cwd=ROOT, stdout=subprocess.PIPE, text=True)


def _finish(running: list[subprocess.Popen[str]]) -> None:
    for one in running:
        one.communicate()
        assert one.returncode == 0


def work() -> None:
    """Do one step in a process that may be killed; it says when it begins and when it is done."""
    step, home, *arguments = sys.argv[1:]
    os.environ["NEYMAN_HOME"] = home
    if step == "full":
        _full(Path(home))
        return
    if step in ("write", "label"):
        processes, labels = map(int, arguments)
        _at_once(processes, _write if step == "write" else _label, home, labels)
        return
    archive, size = Archive(home), int(arguments[0])
    if step == "import":
        rows = _rows(0, size)
        print("begin", flush=True)
        archive.labels.save("plan", rows, NOON, "csv")
    elif step == "keep":
        pool = _pool(1, size)
        print("begin", flush=True)
        archive.pools.save(pool, NOON)
    else:
        content = _lines(_pool(1, size))
        app = _app("pages/pool.py")
        next(widget for widget in app.file_uploader if widget.key.startswith("upload")).upload(
            "mine.jsonl", content, "application/jsonl"
        )
        print("begin", flush=True)
        app.run()
        assert not app.exception and not app.error
    print("end", flush=True)


def _at_once(processes: int, step: Callable[[str, int, int], None], home: str, labels: int) -> None:
    """Do a step in many processes, which begin together, with the libraries that are imported here."""
    if step is _label:
        from server import warm

        warm.import_pages()
        importlib.import_module("tests.pages.desk")
    fork = multiprocessing.get_context("fork")
    running = [fork.Process(target=step, args=(home, number, labels)) for number in range(processes)]
    for one in running:
        one.start()
    for one in running:
        one.join()
    assert [one.exitcode for one in running] == [0] * processes


def _write(home: str, number: int, labels: int) -> None:
    for place in range(labels):
        Archive(home).labels.save("plan", _rows(1000 * number + place, 1), NOON, "here")


def _label(home: str, number: int, labels: int) -> None:
    person, digest = f"Person {number}", _pool(0, 200).digest
    app = _app("pages/label.py", budget="50", part="Label here", annotator=person, pool=digest)
    for _ in range(labels):
        _answer(app)
        assert not app.error


def _app(page: str, **query: str) -> AppTest:
    # Here, because most steps need no app, and each is done by a process that loads what it needs.
    from streamlit.testing.v1 import AppTest

    logging.getLogger("streamlit.runtime.scriptrunner_utils.script_run_context").setLevel(logging.ERROR)
    app = AppTest.from_file(ROOT / "app.py", default_timeout=120)
    for name, value in query.items():
        app.query_params[name] = value
    app.switch_page(page).run()
    assert not app.exception
    return app


def _answer(app: AppTest) -> None:
    # Here too: it brings the tests of the pages, and with them the app.
    from tests.pages.desk import label

    label(app, "A")


def _pool(number: int, size: int = _ITEMS) -> Pool:
    letters = "ABCD"
    rows = [
        {
            "id": f"{number}-{n}",
            "prompt": f"Question {n}?",
            "answer": letters[n % 4],
            "generations": [*"ABCD", "A"],
        }
        for n in range(size)
    ]
    return Pool.from_records(rows, f"pool {number}")


def _lines(pool: Pool) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pool.jsonl"
        pool.write(path)
        return path.read_bytes()


def _rows(first: int, size: int) -> pd.DataFrame:
    ids = [f"item {number}" for number in range(first, first + size)]
    return pd.DataFrame({"item_id": ids, "annotator": "Ann", "label": "right"})


if __name__ == "__main__":
    main()
