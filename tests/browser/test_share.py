"""A team: a colleague comes in with the code and makes a link, an annotator labels with it until it is revoked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import WebSocket, expect
from streamlit.proto.BackMsg_pb2 import BackMsg

from core.archive import Archive
from tests.browser.conftest import screenshot, settle, until, visit
from tests.browser.servers import Server, forked
from tests.browser.test_label import CUT
from tests.browser.test_look import PHONE


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = forked(tmp_path_factory.mktemp("shared"), "--share", "127.0.0.1", ahead=False)
    server.wait_until_healthy(shared=True)
    yield server
    server.stop()
    assert server.complaints() == []


def code(server: Server) -> str:
    return re.findall(r"Access code.*: (\S+)", server.log.read_text(encoding="utf-8"))[-1]


def note(kinds: set[str | None]) -> Callable[[bytes | str], None]:
    """A function that notes of which kind a message to the app is."""
    return lambda frame: kinds.add(BackMsg.FromString(frame).WhichOneof("type") if isinstance(frame, bytes) else None)


def test_a_colleague_makes_a_link_and_an_annotator_labels_with_it(shared, new_page):
    colleague = new_page()
    colleague.goto(f"{shared.url}/enter")
    colleague.get_by_label("Access code").fill(code(shared).lower())
    colleague.get_by_role("button", name="Open").click()
    colleague.get_by_test_id("stApp").wait_for()
    visit(colleague, f"{shared.url}/label?says=right-wrong")
    colleague.get_by_text("Link for a colleague").click()
    settle(colleague)
    colleague.get_by_label("Annotator", exact=True).fill("Ann")
    colleague.get_by_label("Annotator", exact=True).press("Enter")
    settle(colleague)
    colleague.get_by_role("button", name="Create the link").click()
    settle(colleague)
    link = colleague.get_by_test_id("stCode").filter(has_text="/open/").inner_text().strip()
    screenshot(colleague, "share-links")

    annotator = new_page(viewport=PHONE)
    sockets, sent = list[WebSocket](), set[str | None]()
    annotator.on("websocket", lambda socket: (sockets.append(socket), socket.on("framesent", note(sent))))
    visit(annotator, link)
    assert annotator.url.startswith(f"{shared.url}/label?only=label&link=1")
    expect(annotator.get_by_text("You label as Ann.")).to_be_visible()
    expect(annotator.get_by_test_id("stSidebar")).to_have_count(0)
    settle(annotator)
    assert not annotator.get_by_test_id("stSlider").count() and annotator.evaluate(CUT) == []
    screenshot(annotator, "share-annotator")
    archive = Archive(shared.home)
    annotator.get_by_role("button", name=re.compile("^Skip")).click()
    until(
        annotator,
        lambda: len(archive.plans.table()) and archive.labels.of(archive.plans.table()["plan_id"][0]).shape[0] == 1,
    )
    settle(annotator)
    annotator.reload()
    settle(annotator)
    expect(annotator.get_by_role("button", name=re.compile("^Skip"))).to_be_visible()
    # Its page sends nothing that would end its session: one for each time that it was loaded.
    assert len(sockets) == 2 and not sockets[1].is_closed() and sent == {"rerun_script"}
    colleague.get_by_role("button", name="Revoke").click()
    settle(colleague)
    plan = archive.plans.table()["plan_id"][0]
    assert [one.revoked != "" for one in archive.links.of(plan)] == [True]
