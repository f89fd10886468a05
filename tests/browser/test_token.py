"""An app that opens with its token: the page that asks for it, and a bookmark."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import screenshot, settle
from tests.browser.servers import Server, forked
from tests.browser.test_label import CUT
from tests.browser.test_look import PHONE


@pytest.fixture(scope="module")
def private(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = forked(tmp_path_factory.mktemp("private"), "--token", ahead=False)
    server.wait_until_healthy()
    yield server
    server.stop()
    assert server.complaints() == []


def test_a_browser_gives_the_token_once_and_opens_every_page(private: Server, new_page) -> None:
    printed = re.findall(r"URL: (\S+)", private.log.read_text(encoding="utf-8"))[0]
    page = new_page(viewport=PHONE)
    page.goto(f"{private.url}/enter")
    assert page.evaluate(CUT) == []
    screenshot(page, "token")
    expect(page.get_by_role("alert")).to_contain_text("opens only with its token")
    # A whole address does as well as the token in it.
    page.get_by_label("Token").fill(printed)
    page.get_by_role("button", name="Open").click()
    page.get_by_test_id("stApp").wait_for()
    settle(page)
    page.goto(f"{private.url}/estimate")
    settle(page)
    assert "token" not in page.url and page.evaluate("document.cookie.includes('-token=')") is False
    page.goto(printed.replace("/?", "/label?"))
    page.get_by_test_id("stApp").wait_for()
    settle(page)
    assert page.url.startswith(f"{private.url}/label") and "token" not in page.url
