"""The app as ``make run`` starts it, without a browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.browser.servers import Server, launch


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = launch(tmp_path_factory.mktemp("server"))
    server.wait_until_healthy()
    yield server
    server.stop()
    assert server.complaints() == []
