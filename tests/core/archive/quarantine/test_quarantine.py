"""Whatever a file does to the process that reads it, this one goes on, and says one sentence."""

from __future__ import annotations

import gzip
import io
import json
import logging
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from core import labels
from core.archive.quarantine import Quarantine, ReadLimits, helper
from core.archive.quarantine.__main__ import _confine
from core.errors import LabelError, NeymanError, PoolError
from core.files.open import STEPS, listening
from core.readers import FieldMap, Shape, read, read_results
from tests import bombs
from tests.core.readers.test_fuzz import BASE, MMLU, zipped

MEGABYTE = bombs.MEGABYTE
LINES = "\n".join(map(json.dumps, BASE)).encode()
BROKEN = b'{"id": "a"}\nno json\n' + b'{"id": "a"}\n' * 300


@pytest.fixture(scope="module")
def quarantine() -> Iterator[Quarantine]:
    quarantine = Quarantine()
    yield quarantine
    quarantine.close()


@pytest.fixture(scope="module")
def small(quarantine: Quarantine) -> Iterator[Quarantine]:
    """Little memory, so that bombs go off soon."""
    result = limited(quarantine, ReadLimits(100 * MEGABYTE, 60))
    yield result
    result.close()


def limited(quarantine: Quarantine, limits: ReadLimits | None = None) -> Quarantine:
    """Another one with limits of its own and the same helper, which takes a second to start."""
    quarantine.warm()
    other = Quarantine(limits)
    other._ahead = quarantine._ahead
    return other


def waiting(quarantine: Quarantine) -> psutil.Process:
    """The helper, which waits for files."""
    quarantine.warm()
    assert quarantine._ahead is not None
    return psutil.Process(quarantine._ahead._process.pid)


@pytest.fixture(scope="module")
def mortal() -> Iterator[Quarantine]:
    """One whose helper the tests end: the next that needs one starts it."""
    result = Quarantine(ReadLimits(seconds=20))
    yield result
    result.close()


@pytest.mark.parametrize("form", ["jsonl", "gzip", "csv", "parquet", "mmlu-pro", "path"])
def test_a_pool_is_the_one_that_this_process_would_have_read(quarantine: Quarantine, tmp_path: Path, form: str) -> None:
    read(LINES).write(tmp_path / "pool.parquet")
    content: bytes | Path = {
        "jsonl": LINES,
        "gzip": gzip.compress(LINES),
        "csv": b"id,generation_1,note\na,A,\xc3\xa9\nb,,x\n",
        "parquet": (tmp_path / "pool.parquet").read_bytes(),
        "mmlu-pro": zipped(json.dumps(MMLU).encode()),
        "path": tmp_path / "pool.parquet",
    }[form]
    here = read(content, "some name")
    there = quarantine.pool(content, "some name", tmp_path)
    assert (there.name, there.digest, there.notes) == (here.name, here.digest, here.notes)
    assert there.table.schema.equals(here.table.schema)
    assert there.table.to_pylist() == here.table.to_pylist()


def test_a_file_of_no_known_format_gives_its_shape_and_is_read_by_a_map(quarantine: Quarantine, tmp_path: Path) -> None:
    rows = [{"nr": n, "run": {"question": f"{n}?", "answers": ["A", "B"]}, "scores": {"judge": 0.5}} for n in range(9)]
    content = json.dumps(rows).encode()
    shape = quarantine.file(content, "runs.json", tmp_path)
    assert isinstance(shape, Shape) and shape == Shape.of(content, "runs.json") and shape.model == "runs"
    preview = quarantine.mapped(content, shape.guess, "runs.json", tmp_path, 3)
    assert preview.n_items == 3 and preview.n_generations == 2 and preview.origin == shape.guess.origin()
    with pytest.raises(PoolError, match="no row has “nowhere”"):
        quarantine.mapped(content, FieldMap({"prompt": "nowhere"}), "runs.json", tmp_path)


def test_a_pool_is_called_like_its_file(quarantine: Quarantine, tmp_path: Path) -> None:
    path = tmp_path / "my pool.jsonl"
    path.write_bytes(LINES)
    assert quarantine.pool(str(path), None, tmp_path).name == "my pool"
    with pytest.raises(PoolError, match=r"no file “.*missing"):
        quarantine.pool(tmp_path / "missing", None, tmp_path)


def test_labels_are_those_that_this_process_would_have_read(quarantine: Quarantine, tmp_path: Path) -> None:
    content = b'[{"item_id": 7, "label": ["A", "B"], "note": "\\ud83d\\ude42"}, {"item_id": "q", "label": null}]'
    here, there = labels.read(content), quarantine.labels(content, "x.json", tmp_path)
    assert there.rows.equals(here.rows) and there.rows.dtypes.equals(here.rows.dtypes)
    assert (there.source, there.notes) == (here.source, here.notes)


def test_results_of_several_models_are_joined_here(quarantine: Quarantine, tmp_path: Path) -> None:
    results = {name: [{**record, "generated_text": f"{name} says A."} for record in MMLU] for name in "ab"}
    files: dict[str, bytes | Path] = {f"{name}.zip": zipped(json.dumps(results[name]).encode()) for name in "ab"}
    shares: list[float] = []
    there, here = quarantine.results(files, tmp_path, shares.append), read_results(files)
    assert (there.models, there.accuracy, there.notes) == (here.models, here.accuracy, here.notes)
    assert there.pool(["a"], ["b"]).digest == here.pool(["a"], ["b"]).digest
    assert shares == [0.5]
    with pytest.raises(PoolError) as caught:
        quarantine.results({"c.zip": zipped(b"no json")}, tmp_path)
    assert [problem.file for problem in caught.value.problems] == ["c.zip"]


def test_who_waits_hears_how_much_of_a_file_is_read(quarantine: Quarantine, tmp_path: Path) -> None:
    rows = [{"id": f"q{n}", "prompt": f"é {n}", "generations": ["A", "B"]} for n in range(2_000)]
    lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode()
    table = "id,prompt\n" + "\n".join(f"q{n},é {n}" for n in range(2_000))
    for content in (lines, json.dumps(rows).encode(), table.encode(), table.encode("utf-16")):
        steps, heard = list[float](), list[float]()
        with listening(steps.append):
            read(content, "pool")
        assert STEPS / 2.5 < len(steps) <= STEPS and 0 < steps[0] < 0.1 and steps == sorted(steps)
        with listening(heard.append):
            assert quarantine.pool(content, "pool", tmp_path).n_items == len(rows)
        # Of a small file several steps come at once.
        assert heard == sorted(heard) and 0.4 < heard[-1] == pytest.approx(steps[-1], abs=0.011)
    heard = list[float]()
    with listening(heard.append):
        assert quarantine.pool(gzip.compress(lines), "pool", tmp_path).n_items == len(rows)
    assert heard == sorted(heard) and heard[-1] > 0.9


def test_errors_come_over_whole(quarantine: Quarantine, tmp_path: Path) -> None:
    with pytest.raises(PoolError) as here:
        read(BROKEN)
    with pytest.raises(PoolError) as there:
        quarantine.pool(BROKEN, None, tmp_path)
    assert (there.value.problems, there.value.total) == (here.value.problems, here.value.total)
    with pytest.raises(LabelError) as direct:
        labels.read(b"item_id,label\na,b,c\n", "x.csv")
    with pytest.raises(LabelError) as other:
        quarantine.labels(b"item_id,label\na,b,c\n", "x.csv", tmp_path)
    assert str(direct.value) == str(other.value)
    assert (direct.value.problems, direct.value.total) == (other.value.problems, other.value.total)


def test_nothing_stays_in_the_folder(quarantine: Quarantine, tmp_path: Path) -> None:
    pool = quarantine.pool(LINES, None, tmp_path)
    with pytest.raises(PoolError):
        quarantine.pool(BROKEN, None, tmp_path)
    assert list(tmp_path.iterdir()) == [] and pool.n_items == 3
    with pytest.raises(NeymanError, match="nowhere"):
        quarantine.pool(LINES, None, tmp_path / "nowhere")


@pytest.mark.parametrize("name", bombs.POOLS)
def test_a_pool_that_is_a_bomb_costs_one_sentence(small: Quarantine, tmp_path: Path, name: str) -> None:
    with pytest.raises(PoolError) as caught:
        small.pool(bombs.POOLS[name](), name, tmp_path)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("name", bombs.LABELS)
def test_labels_that_are_a_bomb_cost_one_sentence(small: Quarantine, tmp_path: Path, name: str) -> None:
    with pytest.raises(LabelError) as caught:
        small.labels(bombs.LABELS[name](), name, tmp_path)
    assert len(str(caught.value)) < 400


@pytest.mark.skipif(sys.platform != "linux", reason="Only Linux enforces the limit of address space.")
def test_the_system_itself_refuses_memory(
    quarantine: Quarantine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(helper, "_resident", lambda reader: 0)
    quarantine = limited(quarantine, ReadLimits(32 * MEGABYTE))
    with pytest.raises(LabelError, match=r"more than 0\.0312 GiB of memory.*NEYMAN_READ_MEMORY=0\.0625"):
        quarantine.labels(b"item_id,label\n" + b"question,right\n" * 1_000_000, None, tmp_path)
    # The next file has a reader of its own.
    assert quarantine.pool(LINES, None, tmp_path).n_items == 3


def test_memory_is_watched_where_the_system_does_not(
    quarantine: Quarantine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = iter([100 * MEGABYTE])

    def resident(reader: psutil.Process) -> int:
        reader.suspend()
        return next(sizes, 4096 * MEGABYTE)

    monkeypatch.setattr(helper, "_resident", resident)
    with pytest.raises(PoolError, match=r"more than 1\.5 GiB of memory"):
        limited(quarantine, ReadLimits(seconds=10)).pool(LINES, None, tmp_path)


def test_time_is_limited_and_ends_the_reader(
    quarantine: Quarantine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    readers: list[psutil.Process] = []

    def resident(reader: psutil.Process) -> int:
        readers.append(reader)
        reader.suspend()
        return 0

    monkeypatch.setattr(helper, "_resident", resident)
    with pytest.raises(PoolError, match=r"longer than 0\.05 s.*NEYMAN_READ_SECONDS=0.25"):
        limited(quarantine, ReadLimits(seconds=0.05)).pool(LINES, None, tmp_path)
    assert not readers[0].is_running()


def test_a_reader_that_is_killed_says_so_and_the_next_one_reads(
    quarantine: Quarantine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(helper, "_resident", lambda reader: reader.kill() or 0)
        with pytest.raises(PoolError, match="broke down over this file"):
            quarantine.pool(LINES, None, tmp_path)
    assert quarantine.pool(LINES, None, tmp_path).n_items == 3


def test_a_helper_that_is_killed_says_so_and_the_next_one_reads(mortal: Quarantine, tmp_path: Path) -> None:
    victim = waiting(mortal)
    victim.suspend()
    killer = threading.Timer(0.1, victim.send_signal, [signal.SIGKILL])
    killer.start()
    with pytest.raises(PoolError, match="broke down over this file"):
        mortal.pool(LINES, None, tmp_path)
    killer.join()
    victim.wait(30)
    assert mortal.pool(LINES, None, tmp_path).n_items == 3


@pytest.mark.skipif(not helper.FORKS, reason="Only Linux forks readers.")
def test_a_reader_ends_with_its_helper(mortal: Quarantine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    victim = waiting(mortal)

    def resident(reader: psutil.Process) -> int:
        reader.suspend()
        victim.kill()
        return 0

    monkeypatch.setattr(helper, "_resident", resident)
    with pytest.raises(PoolError, match="broke down over this file"):
        mortal.pool(LINES, None, tmp_path)


def test_a_fault_of_a_reader_is_a_sentence_and_in_the_log(
    quarantine: Quarantine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, logged: logging.StreamHandler[io.StringIO]
) -> None:
    monkeypatch.setattr(helper, "POOL", "unknown")
    monkeypatch.setattr("core.archive.quarantine.quarantine.POOL", "unknown")
    with pytest.raises(PoolError, match="broke down over this file"):
        quarantine.pool(LINES, None, tmp_path)
    assert "KeyError: 'unknown'" in logged.stream.getvalue()


def test_a_helper_that_ended_while_it_waited_is_replaced(mortal: Quarantine, tmp_path: Path) -> None:
    victim = waiting(mortal)
    victim.kill()
    victim.wait()
    assert mortal.pool(LINES, None, tmp_path).n_items == 3


@pytest.mark.skipif(not helper.FORKS, reason="Only Linux forks readers.")
def test_one_helper_serves_all_files_each_with_a_process_of_its_own(
    mortal: Quarantine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    readers: list[psutil.Process] = []
    monkeypatch.setattr(helper, "_resident", lambda reader: readers.append(reader) or 0)
    first = waiting(mortal)
    for _ in range(2):
        assert mortal.pool(LINES, None, tmp_path).n_items == 3
    assert waiting(mortal).pid == first.pid
    assert len({first.pid, *(reader.pid for reader in readers)}) == 3
    assert not any(reader.is_running() for reader in readers)
    mortal.close()
    assert not first.is_running()


def test_where_no_fork_is_safe_the_helper_reads_one_file_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start, quarantine = subprocess.Popen, Quarantine()
    without = "from core.archive.quarantine import __main__ as it; it.FORKS = False; it.main()"
    monkeypatch.setattr(subprocess, "Popen", lambda command, **more: start([command[0], "-c", without], **more))
    monkeypatch.setattr("core.archive.quarantine.quarantine.FORKS", False)
    monkeypatch.setattr(helper, "_STARTING", 20.0)
    readers: list[psutil.Process] = []

    def resident(reader: psutil.Process) -> int:
        readers.append(reader)
        if len(readers) == 1:
            # While the first waits for its file, another is read.
            assert quarantine.pool(LINES, None, tmp_path).n_items == 3
        return 0

    monkeypatch.setattr(helper, "_resident", resident)
    first = waiting(quarantine)
    assert quarantine.pool(LINES, None, tmp_path).n_items == 3
    assert readers[0].pid == first.pid != readers[1].pid
    assert not any(reader.is_running() for reader in readers)


def test_several_threads_read_at_once(quarantine: Quarantine, tmp_path: Path) -> None:
    digests: list[str] = []
    threads = [
        threading.Thread(target=lambda: digests.append(quarantine.pool(LINES, None, tmp_path).digest)) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert digests == [read(LINES).digest] * 4


def test_slow_files_leave_a_reader_to_others_and_are_read_one_after_the_other(
    quarantine: Quarantine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(helper, "QUICK", 1.5)
    seen: dict[str, list[int]] = {"stuck": [], "again": []}
    enough = threading.Event()

    def resident(reader: psutil.Process) -> int:
        """Have one file stand still until it is enough, and another one when it is read for the first time."""
        name = threading.current_thread().name
        if name == "stuck" and enough.is_set():
            reader.kill()
        elif name in seen:
            seen[name].append(reader.pid)
            if name == "stuck" or len(set(seen[name])) == 1:
                reader.suspend()
        return 0

    monkeypatch.setattr(helper, "_resident", resident)
    quarantine, ends = limited(quarantine), list[str]()

    def read_slowly() -> None:
        try:
            ends.append(quarantine.pool(LINES, None, tmp_path).digest)
        except PoolError as error:
            ends.append(str(error))

    threads = [threading.Thread(target=read_slowly, name=name) for name in seen]
    # The second one starts once the first one counts as slow: it was looked at again after the time of a quick file.
    for thread, looks in zip(threads, (helper.QUICK / helper._PAUSE + 2, 1), strict=True):
        thread.start()
        while len(seen[thread.name]) < looks:
            time.sleep(0.01)
    digests = [quarantine.pool(LINES, None, tmp_path).digest for _ in range(3)]
    assert digests == [read(LINES).digest] * 3 and threads[0].is_alive() and ends == []
    enough.set()
    for thread in threads:
        thread.join()
    assert "broke down" in ends[0] and ends[1] == digests[0] and len(set(seen["again"])) == 2


def test_a_helper_ends_when_nobody_is_left_to_ask_it(mortal: Quarantine) -> None:
    mortal.warm()
    assert mortal._ahead is not None
    mortal._ahead._requests.close()
    assert mortal._ahead._process.wait(30) == 0


def test_a_system_without_limits_reads_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resource", None)
    before = signal.getitimer(signal.ITIMER_REAL)
    _confine(1, 1)()
    assert signal.getitimer(signal.ITIMER_REAL) == before


def large_lines(megabytes: int, text: str) -> list[str]:
    record = {"prompt": text, "generations": [text] * 10, "logprobs": [-1.5] * 10, "targets": {"m": {"text": text}}}
    rest = json.dumps(record, ensure_ascii=False)[1:]
    return [f'{{"id": "{number}", {rest}' for number in range(megabytes * 995_000 // len(rest.encode()))]


# An array comes in by parts only if it is large.
@pytest.mark.parametrize(
    ("form", "megabytes"),
    [
        ("lines", 12),
        ("array", 100),
        ("table", 12),
        *(pytest.param(form, 100, marks=pytest.mark.trial) for form in ("lines", "table")),
    ],
)
def test_a_large_upload_is_read_within_the_usual_memory(
    form: str, megabytes: int, quarantine: Quarantine, tmp_path: Path
) -> None:
    """200 MB with ten generations an item in all of the memory: a part of it in as large a part of the memory."""
    text = "“therefore” the answer is of seventeen options x² " * 18
    lines = large_lines(megabytes, text)
    if form == "table":
        header = ",".join(["id", *(f"generation_{k}" for k in range(1, 11))])
        content = "\n".join([header, *(f"{number}{f',{text}' * 10}" for number in range(len(lines)))])
    else:
        content = f"[{','.join(lines)}]" if form == "array" else "\n".join(lines)
    assert 0.75 < len(content.encode()) / megabytes / 1e6 < 1
    share = limited(quarantine, ReadLimits(ReadLimits().memory * megabytes // 200))
    assert share.pool(content.encode(), None, tmp_path).n_items == len(lines)
