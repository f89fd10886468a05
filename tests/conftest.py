"""What every test gets: a home folder of its own, no network beyond this machine, and in CI no way to be skipped."""

from __future__ import annotations

import atexit
import fcntl
import gc
import io
import ipaddress
import logging
import os
import socket
from collections.abc import Callable, Iterator
from itertools import chain, count, islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent

CI = os.environ.get("CI") == "true"
# Reasons for which a test may be skipped even in CI. Empty on purpose: CI installs all that the tests need.
SKIPS_ALLOWED_IN_CI: frozenset[str] = frozenset()

# Every process of the tests fills a core by itself: threads of linear algebra would only wait for each other, busily.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

_HOMES = count()

# Generated inputs are the same in every CI run; at a desk each run tries new ones. How long they take is the machine's.
settings.register_profile("desk", deadline=None, max_examples=15, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("desk"), derandomize=True, print_blob=True)
settings.register_profile("trials", settings.get_profile("desk"), max_examples=500)
settings.load_profile("ci" if CI else "desk")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One process more than cores, since tests in the browser and with servers wait a lot.

    Each further one imports and works out again what the others have: a fourth on two cores costs a sixth of all time.
    """
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the tests in the browser, which take longest, in every process but two with other modules of them.

    Each process that has some starts an app and a Chromium of its own; those without compute while they wait.
    """
    modules: dict[Path, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("browser"):
            modules.setdefault(item.path, []).append(item)
    others = [item for item in items if item.path not in modules]
    items[:] = begun_with(list(modules.values()), others, int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))


def begun_with(first: list[list[Any]], others: list[Any], shares: int) -> list[Any]:
    """Items in such an order that each of the equal shares but the last two begins with some of the first groups."""
    dealt = max(1, shares - 2)
    groups = [list(chain(*first[number::dealt])) for number in range(dealt)] + [[]] * (shares - dealt)
    left, rest = sum(map(len, first)) + len(others), iter(others)
    ordered: list[Any] = []
    for number, group in enumerate(groups):
        # As pytest-xdist deals tests out: what is left, by the number of processes that are left.
        size = left // (shares - number)
        ordered += [*group, *islice(rest, max(0, size - len(group)))]
        left -= size
    return [*ordered, *rest]


def pytest_collection() -> None:
    """Look for no garbage while tests are collected: hardly any of it goes."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Keep what is imported by now, and never goes, out of every collection of garbage, of which fewer will do."""
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)
    gc.enable()
    # What is left at the end goes with the process.
    atexit.register(gc.freeze)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport() -> Iterator[None]:
    return without_skip((yield)) if CI else (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report() -> Iterator[None]:
    return without_skip((yield)) if CI else (yield)


def without_skip(report: Any) -> Any:
    """A report of a skipped or expectedly failing test, turned into that of a failed one."""
    if report.outcome == "skipped":
        cause = getattr(report, "wasxfail", None) or report.longrepr
        reason = (cause[2] if isinstance(cause, tuple) else str(cause)).removeprefix("Skipped: ")
        if reason not in SKIPS_ALLOWED_IN_CI:
            report.outcome = "failed"
            report.longrepr = f"In CI nothing is skipped, but this was: {reason}"
    return report


@pytest.fixture(autouse=True)
def neyman_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder NEYMAN_HOME points at, so that no test reads or writes the user's own; most never make it."""
    home = tmp_path_factory.getbasetemp() / f"neyman-home-{next(_HOMES)}"
    monkeypatch.setenv("NEYMAN_HOME", str(home))
    return home


@pytest.fixture
def logged() -> Iterator[logging.StreamHandler[io.StringIO]]:
    """What takes down the lines that are logged, also by loggers that hand nothing on; they are in its stream."""
    handler = logging.StreamHandler(io.StringIO())
    known = [one for one in logging.root.manager.loggerDict.values() if isinstance(one, logging.Logger)]
    loggers = [logging.root, *(one for one in known if not one.propagate)]
    for logger in loggers:
        logger.addHandler(handler)
    yield handler
    for logger in loggers:
        logger.removeHandler(handler)


@pytest.fixture(autouse=True, scope="session")
def no_network() -> Iterator[None]:
    """Connections and name look-ups to anything but this machine raise."""
    patch = pytest.MonkeyPatch()
    for method in ("connect", "connect_ex"):
        patch.setattr(socket.socket, method, _only_loopback(getattr(socket.socket, method)))
    look_up = socket.getaddrinfo

    def local_look_up(host: Any, *args: Any, **kwargs: Any) -> Any:
        _refuse_unless_loopback(host)
        return look_up(host, *args, **kwargs)

    patch.setattr(socket, "getaddrinfo", local_look_up)
    yield
    patch.undo()


def _only_loopback(connect: Callable[..., Any]) -> Callable[..., Any]:
    def guarded(self: socket.socket, address: Any) -> Any:
        if self.family != socket.AF_UNIX:
            _refuse_unless_loopback(address[0])
        return connect(self, address)

    return guarded


def _refuse_unless_loopback(host: Any) -> None:
    name = host.decode() if isinstance(host, bytes) else host
    if name in (None, "", "localhost"):
        return
    try:
        if ipaddress.ip_address(name).is_loopback:
            return
    except ValueError:
        pass
    raise RuntimeError(f"A test tried to reach {name}: tests talk to this machine only.")


def made_once(tmp_path_factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """A folder that the first process of the tests that needs it makes for all of them; whole or not at all."""
    temporary = tmp_path_factory.getbasetemp()
    common = temporary.parent if "PYTEST_XDIST_WORKER" in os.environ else temporary
    folder, done = common / name, common / f"{name}.done"
    with (common / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            folder.mkdir(exist_ok=True)
            make(folder)
            done.touch()
    return folder


@pytest.fixture(scope="session")
def real_pool(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A function from the name of a real pool to its path; “mmlu-pro” is a folder of result files."""

    # Here: a copy of this file alone is tested as well.
    from tests import pools

    def find(name: str) -> Path:
        if not name.startswith("mmlu-pro"):
            return pools.path_of(name)
        return made_once(tmp_path_factory, "mmlu-pro", pools.write_results).parent / name

    return find
