"""Make the screenshots of the README and the documents, on an app with an empty home."""

from __future__ import annotations

import io
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from tests.browser.conftest import settle, visit
from tests.browser.servers import CHROMIUM, CHROMIUM_FLAGS, launch
from tests.conftest import ROOT

# Letters in their own widths, as on a screen of many pixels.
_SMOOTH = "--font-render-hinting=none"
# What a page has drawn once it is worth a picture.
_DRAWN = ".js-plotly-plot .main-svg, .stage canvas, .desk"


@dataclass(frozen=True, slots=True)
class Shot:
    """A picture of a page.

    Parameters
    ----------
    name : str
        Its file in docs/, without the ending.
    address : str
        Of the page.
    scheme : "light" or "dark"
        Its colours.
    width, height : int
        Of the window.
    click : str
        What is clicked first.
    """

    name: str
    address: str
    scheme: Literal["light", "dark"] = "light"
    width: int = 1280
    height: int = 800
    click: str = ""


_LABEL = "label?part=Label+here&label-kind=right-wrong"
_JUDGED = "See it on answers of GPT-4, graded by a string match"
SHOTS = (
    Shot("overview", "", height=976),
    Shot("overview-dark", "", "dark", height=976),
    Shot("overview-phone", "", width=390, height=1036),
    Shot("explore", "explore", height=850),
    Shot("explore-phone", "explore", "dark", 390, 996),
    Shot("plan", "plan", "dark", height=794),
    Shot("lab", "lab", height=848),
    Shot("lab-phone", "lab", "dark", 390, 982),
    Shot("label-phone", _LABEL, width=390, height=812),
    Shot("judge", "judge", "dark", height=812, click=_JUDGED),
)


def main() -> None:
    """Start the app with an empty home, and save each page as a PNG."""
    if CHROMIUM is None:
        sys.exit("No Chromium on this machine: install your system's chromium package.")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = launch(Path(folder))
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[*CHROMIUM_FLAGS, _SMOOTH])
        try:
            server.wait_until_healthy()
            for shot in SHOTS:
                take(browser, server.url, shot)
        finally:
            browser.close()
            server.stop()


def take(browser: Browser, url: str, shot: Shot) -> None:
    """Save what a page shows once it has come to rest."""
    context = browser.new_context(
        reduced_motion="reduce", color_scheme=shot.scheme, viewport={"width": shot.width, "height": shot.height}
    )
    page = context.new_page()
    visit(page, f"{url}/{shot.address}")
    if shot.click:
        page.get_by_text(shot.click).click()
        settle(page)
    page.locator(_DRAWN).first.wait_for()
    settle(page, 1000)
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    context.close()
    # A page has few colours: a palette of them is a third of the file.
    picture.quantize(dither=Image.Dither.NONE).save(path := ROOT / "docs" / f"{shot.name}.png", optimize=True)
    print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
