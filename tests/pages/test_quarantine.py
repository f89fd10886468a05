"""Files that want to hurt, on the pages that take them; and the limits that the environment sets."""

from __future__ import annotations

import pytest

from core.archive.quarantine import helper
from core.errors import NeymanError
from pages.parts.app import quarantine
from tests import bombs
from tests.pages.conftest import BARE, messages, run
from tests.pages.pools import records
from tests.pages.test_pool import assert_refused
from tests.pages.uploads import as_lines, current, upload


@pytest.fixture
def reader():
    """Files are read as the app does."""


@pytest.fixture
def limits(monkeypatch):
    """Sets the limits of the environment."""

    def set_to(**values):
        for name, value in values.items():
            monkeypatch.setenv(f"NEYMAN_READ_{name.upper()}", value)

    return set_to


@pytest.fixture
def stuck(limits, monkeypatch):
    """Has readers stand still until their time is over."""

    def from_now_on():
        monkeypatch.setattr(helper, "_resident", lambda reader: reader.suspend() or 0)
        limits(seconds="0.05")

    return from_now_on


@pytest.mark.parametrize(("memory", "bytes_"), [(None, 3 * 2**29), ("0.5", 2**29), ("", 3 * 2**29)])
def test_the_environment_sets_the_memory(limits, memory, bytes_):
    if memory is not None:
        limits(memory=memory)
    assert quarantine.quarantine().limits.memory == bytes_
    assert quarantine.quarantine() is quarantine.quarantine()


@pytest.mark.parametrize("given", ["much", "0", "-1", "nan", "inf"])
def test_a_limit_that_is_no_number_is_told(limits, given):
    limits(seconds=given)
    with pytest.raises(NeymanError, match="NEYMAN_READ_SECONDS"):
        quarantine.quarantine()


def test_a_pool_beyond_the_limits_is_refused_in_a_sentence(open_page, stuck):
    stuck()
    app = upload(open_page("pages/pool.py"), ("mine.jsonl", as_lines(records(30))))
    (error,) = messages(app, "error")
    assert "longer than 0" in error and "Practice pool" in current(app)


@pytest.mark.trial
def test_results_of_nothing_are_refused_in_a_sentence(open_page, neyman_home):
    assert_refused(open_page, neyman_home, {"bomb.zip": bombs.results_of_nothing()})


def test_a_workbook_that_would_fill_the_memory_is_refused_in_a_sentence(open_page):
    app = open_page("pages/label.py", part="Take labels back")
    app.file_uploader(key="labels-file").upload("labels.xlsx", bombs.workbook())
    run(app)
    (error,) = messages(app, "error")
    assert "512 MiB" in error.replace("\\", "")


def test_the_pool_of_the_command_line_is_read_in_a_process_of_its_own(open_page, monkeypatch, tmp_path, stuck):
    path = tmp_path / "named.jsonl"
    path.write_bytes(as_lines(records(30)))
    monkeypatch.setattr("sys.argv", ["app.py", "--pool", str(path)])
    assert "named" in current(open_page("app.py", BARE))
    stuck()
    path.write_bytes(as_lines(records(31)))
    app = open_page("app.py", BARE)
    assert "longer than 0" in messages(app, "warning")[0] and "MMLU-Pro" in current(app)
