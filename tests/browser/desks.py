"""The desk in a browser beside an app that is killed and started again: what is shown as saved, and what is kept."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Locator, Page

from core.archive import Archive
from core.pool import Pool
from tests.browser.servers import Server, forked


@dataclass(slots=True)
class Mortal:
    """An app at one port with one home, killed without warning and started again.

    Parameters
    ----------
    folder : Path
        Where its home and its log lie.
    pools : tuple of Pool
        Whose labels are looked at; by default those of every pool.
    """

    folder: Path
    pools: tuple[Pool, ...] = ()
    port: int = field(default=0, init=False)
    server: Server = field(init=False)

    def __post_init__(self) -> None:
        self.start()
        self.port = urlsplit(self.server.url).port or 0

    @property
    def home(self) -> Path:
        """Its NEYMAN_HOME."""
        return self.server.home

    def start(self, wait: bool = True) -> None:
        """Start it."""
        self.server = forked(self.folder, port=self.port, ahead=False)
        if wait:
            self.server.wait_until_healthy()

    def kill(self) -> None:
        """End it as a power cut would: it learns nothing of it."""
        self.server.process.kill()
        self.server.process.wait()

    def kept(self, elsewhere: bool = False) -> dict[tuple[str, str, str], str]:
        """The labels on the disk, by item, kind and annotator: of the pools, or of all others."""
        archive = Archive(self.home)
        plans = archive.plans.table()
        if self.pools:
            plans = plans[plans["digest"].isin([pool.digest for pool in self.pools]) != elsewhere]
        rows = archive.labels.of(*plans["plan_id"])
        rows = rows[rows["label"].notna()]
        keys = zip(rows["item_id"], rows["kind"], rows["annotator"], strict=True)
        return dict(zip(keys, rows["label"], strict=True))


def standing(page: Page) -> Locator:
    """What the desk says of the labels that wait."""
    return page.locator(".saved")


def current(page: Page) -> str:
    """The item at the desk; "" for none."""
    name = page.locator(".desk .item .name")
    return name.inner_text().removeprefix("Item ") if name.count() else ""


def waiting(page: Page) -> list[str]:
    """The items whose labels wait, as the desk lists them."""
    return [re.split(r": ", text)[0] for text in page.locator(".queue li").all_inner_texts()]
