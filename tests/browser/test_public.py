"""A public app: two strangers, of whom neither sees the other, and who leave nothing behind."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from core.archive import Archive
from tests.browser.conftest import current_pool, leave, settle, until, upload, visit
from tests.browser.servers import forked
from tests.browser.test_address import go
from tests.pages.pools import records

OFF = "is off in this public app"
BROUGHT = re.compile("^(Demo pool|Practice pool|MMLU-Pro)")


@pytest.fixture(scope="module")
def public(tmp_path_factory):
    folder = tmp_path_factory.mktemp("public")
    (folder / "visits").mkdir()
    patch = pytest.MonkeyPatch()
    patch.setenv("TMPDIR", str(folder / "visits"))
    server = forked(folder, "--public", "--host", "127.0.0.1", ahead=False)
    patch.undo()
    server.wait_until_healthy()
    yield server
    server.stop()
    assert list((folder / "visits").glob("neyman-visits-*")) == []
    assert not server.home.exists()
    assert server.complaints() == []


def homes(server) -> list[Path]:
    """The homes of those who are there and have uploaded a pool."""
    return [file.parent.parent for file in (server.log.parent / "visits").glob("neyman-visits-*/*/pools/*.parquet")]


def started(server) -> list[str]:
    """What the app's process has started, and what that has."""
    lines, waiting = [], [server.process.pid]
    while waiting:
        for thread in Path(f"/proc/{waiting.pop()}/task").iterdir():
            for child in map(int, (thread / "children").read_text().split()):
                waiting.append(child)
                lines.append(Path(f"/proc/{child}/cmdline").read_bytes().replace(b"\0", b" ").decode())
    return lines


def opened(page: Page, title: str) -> None:
    page.get_by_text(title, exact=True).click()
    settle(page)


def test_strangers_see_nothing_of_each_other_and_leave_nothing(public, new_page, tmp_path):
    ann, ben, large = new_page(), new_page(), tmp_path / "large.jsonl"
    # Chromium reads it from the disk, which costs it less than content that it is sent.
    large.write_bytes(b" " * 21_000_000)
    visit(ann, f"{public.url}/pool")
    expect(ann.get_by_text("it is forgotten when you leave")).to_be_visible()
    expect(ann.get_by_text("Up to 10 files a visit, of 20 MB each")).to_be_visible()
    upload(ann, large)
    expect(ann.get_by_text("20.0MB or smaller")).to_be_visible()
    secret = "\n".join(map(json.dumps, records())).encode()
    upload(ann, {"name": "secret.jsonl", "mimeType": "application/json", "buffer": secret})
    expect(current_pool(ann)).to_have_text("secret.jsonl")
    (home,) = homes(public)
    pool = re.search(r"pool=(\w+)", ann.url)[1]

    # Labels live in the visit too.
    ann.get_by_test_id("stSidebar").get_by_role("link", name="Label").click()
    settle(ann)
    for way in ("Label Studio …", "Link for a colleague"):
        opened(ann, way)
        expect(ann.get_by_text(OFF)).to_have_count(1)
        ann.keyboard.press("Escape")
    assert ann.locator('input[type="password"]').count() == 0
    ann.get_by_role("tab", name="Label here").click()
    settle(ann)
    ann.get_by_role("button", name=re.compile("^Skip")).click()
    archive = Archive(home)
    until(ann, lambda: len(archive.labels.of(*archive.plans.table()["plan_id"])) == 1)

    # Whoever has the other's address finds what Neyman brings, with nothing in the list of pools.
    visit(ben, f"{public.url}/estimate?pool={pool}")
    expect(current_pool(ben)).to_have_text(BROUGHT)
    go(ben, "Pool")
    expect(current_pool(ben)).to_have_text(BROUGHT)
    expect(ben.get_by_text("Pools used before")).to_have_count(0)
    go(ben, "Surrogate")
    expect(ben.get_by_text(f"Running a model {OFF}")).to_be_visible()
    assert ben.locator('[data-testid="stMain"] input').count() == 0

    # The reader of files is the server's own, and is there before anybody comes to upload.
    assert {re.sub(r".* -m ", "", line).split()[0] for line in started(public)} <= {"core.archive.quarantine"}
    assert homes(public) == [home]
    leave(ann)
    until(ben, lambda: not home.exists())
    assert not public.home.exists()
