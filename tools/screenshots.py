"""Make the screenshots of the README, the first screen and Explore, on an app with an empty home."""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from tests.browser.conftest import settle, visit
from tests.browser.servers import CHROMIUM, CHROMIUM_FLAGS, launch
from tests.conftest import ROOT

# The file in docs/, its address, and how high the window is.
SHOTS = {"overview": ("", 800), "explore": ("explore", 900)}
WIDTH = 1280
# Letters in their own widths, as on a screen of many pixels.
_SMOOTH = "--font-render-hinting=none"


def main() -> None:
    """Start the app with an empty home, and save each page as a PNG."""
    if CHROMIUM is None:
        sys.exit("No Chromium on this machine: install your system's chromium package.")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = launch(Path(folder))
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[*CHROMIUM_FLAGS, _SMOOTH])
        try:
            server.wait_until_healthy()
            page = browser.new_context(reduced_motion="reduce").new_page()
            for name, (address, height) in SHOTS.items():
                page.set_viewport_size({"width": WIDTH, "height": height})
                take(page, f"{server.url}/{address}", ROOT / "docs" / f"{name}.png")
        finally:
            browser.close()
            server.stop()


def take(page: Page, url: str, path: Path) -> None:
    """Save what a page shows once it has come to rest."""
    visit(page, url)
    page.locator(".js-plotly-plot .main-svg, .stage canvas").first.wait_for()
    settle(page, 1000)
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    # A page has few colours: a palette of them is a third of the file.
    picture.quantize(dither=Image.Dither.NONE).save(path, optimize=True)
    print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
