"""The app in a real Chromium: servers to visit, a page that watches for errors, helpers to use the widgets."""

from __future__ import annotations

import functools
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    FilePayload,
    Locator,
    Page,
    Request,
    TimeoutError,
    ViewportSize,
    WebError,
    expect,
    sync_playwright,
)

from pages.parts.app.frame import STEPS
from tests.browser.servers import ASKED, CHROMIUM, CHROMIUM_FLAGS, IDLE, Server, complaint, forked

SCREENSHOTS = Path(__file__).parent / "screenshots"
PAGES = {"" if file == "app.py" else Path(file).stem: title for file, title, _ in STEPS}
# The sliders of Explore, and their names in the address.
SLIDERS = {"Strata H": "strata", "Offset δ": "offset", "Budget M (labels)": "budget"}
# The way from Explore to the list.
TO_LABEL = "Draw this list"
PATIENCE = 60_000
VIEWPORT: ViewportSize = {"width": 1280, "height": 900}
MEDIA: dict[str, Any] = {"color_scheme": "light", "reduced_motion": "reduce"}
FAILED = pytest.StashKey[bool]()


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark each test of this folder, for which alone this is called."""
    item.add_marker("browser")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    report = yield
    item.stash[FAILED] = report.failed
    return report


# Whether the app has heard of it: the element that says so may be made anew.
MOVE = """url => new Promise(heard => {
    const of_runs = { attributeFilter: ['data-test-script-state'], subtree: true };
    new MutationObserver(() => heard(true)).observe(document.body, of_runs);
    setTimeout(heard, 20_000, false);
    history.pushState(null, '', url);
    dispatchEvent(new PopStateEvent('popstate'));
})"""
StartServer = Callable[..., Server]


@pytest.fixture(scope="session")
def start_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StartServer]:
    """A function that starts an app, ``start_server("--pool", path)``, and stops it when all tests are done."""
    running: list[Server] = []

    def start(*arguments: str | Path, ahead: bool = False) -> Server:
        server = forked(tmp_path_factory.mktemp("server"), *arguments, ahead=ahead)
        running.append(server)
        server.wait_until_healthy()
        return server

    yield start
    for server in running:
        server.stop()
    assert [line for server in running for line in server.complaints()] == []


@pytest.fixture(scope="session")
def server(start_server: StartServer) -> Server:
    """The app as ``make run`` starts it, shared by all browser tests: each labels a pool or a plan of its own."""
    return start_server()


@contextmanager
def chromium() -> Iterator[Browser]:
    """Chromium, whose tabs of one profile share a process, so that the next one need not compile the app again."""
    if CHROMIUM is None:
        pytest.skip("No Chromium on this machine.")
    with sync_playwright() as playwright:
        # No page lives long enough to win back what it costs to optimize its code, or to collect its garbage early. The
        # next one runs the same code, which would be compiled again while it arrives, beside what is kept of it.
        script = "--js-flags=--no-opt --no-maglev --no-flush-bytecode"
        memory = "--min-semi-space-size=32 --initial-old-space-size=600 --no-incremental-marking --single-threaded-gc"
        flags = [
            *CHROMIUM_FLAGS,
            "--process-per-site",
            "--disable-features=ScriptStreaming",
            f"{script} {memory}",
        ]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield browser
        browser.close()


_RUNNING = ExitStack()


@functools.cache
def running() -> Browser:
    return _RUNNING.enter_context(chromium())


def close() -> None:
    running.cache_clear()
    _RUNNING.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> Iterator[None]:
    """Close Chromium before a test without it: while playwright is open, no asyncio loop can run in this thread."""
    try:
        yield
    finally:
        if nextitem is None or not nextitem.get_closest_marker("browser"):
            close()


@pytest.fixture
def browser() -> Browser:
    """Chromium, the same one for all browser tests that follow each other in this process."""
    if not running().is_connected():
        close()
    return running()


OpenPage = Callable[..., Page]


@pytest.fixture
def new_page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[OpenPage]:
    """A function that opens a page in an empty profile at 1280 × 900, ``new_page(color_scheme="dark")``.

    After the test: no error on any console, no request to another host.
    """
    used: list[BrowserContext] = []
    errors: list[str] = []
    requests: list[str] = []

    def note(message: ConsoleMessage) -> None:
        error = complaint(message.type, message.text, message.location["url"])
        errors.extend([error] if error else [])

    def note_error(error: WebError) -> None:
        errors.append(str(error.error))

    def note_request(sent: Request) -> None:
        requests.append(sent.url)

    listeners = {"console": note, "weberror": note_error, "request": note_request}

    def opened(viewport: ViewportSize | None = None, **media: Any) -> Page:
        context = profiles(browser, len(used) + 1)[-1]
        for event, listener in listeners.items():
            context.on(event, listener)
        used.append(context)
        page = context.new_page()
        if viewport:
            page.set_viewport_size(viewport)
        page.emulate_media(**MEDIA | media)
        return page

    expect.set_options(timeout=PATIENCE)
    yield opened
    failed = request.node.stash.get(FAILED, True)
    for context in used:
        if failed and context.pages:
            painted(context.pages[-1], f"failed-{re.sub(r'[^a-z0-9]+', '-', request.node.name)}")
        for event, listener in listeners.items():
            context.remove_listener(event, listener)
        if failed or not context.pages:
            context.close()
        else:
            emptied(context, {sent.scheme + "://" + sent.netloc for sent in map(urlsplit, requests)})
    assert errors == []
    assert {urlsplit(sent).hostname or "" for sent in requests} <= {"", "127.0.0.1"}


def profiles(browser: Browser, number: int) -> list[BrowserContext]:
    """So many profiles that have visited nothing: first those that are there, which have compiled the app."""
    contexts = browser.contexts[:number]
    while len(contexts) < number:
        contexts.append(browser.new_context(viewport=VIEWPORT, locale="en-GB", **MEDIA))
        contexts[-1].add_init_script(ASKED)
    for context in contexts:
        context.set_default_timeout(PATIENCE)
    return contexts


def leave(page: Page) -> None:
    """Go away from the app as if the tab was closed, which would also throw the app's scripts out of the memory."""
    page.goto("about:blank")


def emptied(context: BrowserContext, origins: Iterable[str]) -> None:
    """Make a profile one that has visited nothing; blank tabs are left."""
    for page in context.pages:
        if page.url != "about:blank":
            leave(page)
    context.set_offline(False)
    context.clear_cookies()
    storage = context.new_cdp_session(context.pages[0])
    for origin in origins:
        storage.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})
    storage.detach()


@pytest.fixture
def page(new_page: OpenPage) -> Page:
    """A page in an empty profile at 1280 × 900."""
    return new_page()


def settle(page: Page, quiet: int = 160) -> None:
    """Wait until the script has not run, and nothing on the page was stale, for ``quiet`` milliseconds.

    And for some looks at it: on a busy machine the page takes longer to react. A tab behind others hardly reacts.
    """
    page.bring_to_front()
    page.evaluate("window.lastBusy = performance.now(); window.idleLooks = 0")
    page.wait_for_function(
        IDLE,
        arg=quiet,
        polling=40,
        timeout=PATIENCE,
    )


def until(page: Page, holds: Callable[[], Any]) -> None:
    """Wait until something holds of what the server keeps."""
    deadline = time.monotonic() + PATIENCE / 1000
    while not holds():
        assert time.monotonic() < deadline, "It does not come to hold within a minute."
        page.wait_for_timeout(200)


def steady(page: Page, look: Callable[[Page], Any]) -> Any:
    """What a look at the page finds once it finds the same a second later, with nothing redrawn in between."""
    deadline, before = time.monotonic() + PATIENCE / 1000, look(page)
    while True:
        settle(page, 1000)
        now = look(page)
        if now == before:
            return now
        assert time.monotonic() < deadline, "The page does not come to rest within a minute."
        before = now


def problems(page: Page, *checks: Callable[[Page], list[str]]) -> list[str]:
    """What the checks find once the page is redrawn: after a while, what they find then."""
    deadline = time.monotonic() + PATIENCE / 2000
    while True:
        settle(page)
        faults = [problem for check in checks for problem in check(page)]
        if not faults or time.monotonic() > deadline:
            return faults


def visit(page: Page, url: str) -> None:
    """Open an address of the app and wait until it is drawn."""
    page.goto(url)
    page.locator('[data-testid="stApp"]').wait_for()
    settle(page)


def move(page: Page, url: str) -> None:
    """Go on to another page of the app by its address, as Back does, for a third of what a visit costs."""
    settle(page)
    if not page.evaluate(MOVE, url):
        # On a busy machine Streamlit may miss it.
        page.goto(url)
    settle(page)


def done(page: Page, progress: str) -> None:
    """Wait until so many items are labelled, and every answer is saved."""
    expect(page.locator(".progress")).to_contain_text(progress)
    expect(page.locator(".desk")).to_have_attribute("data-unsaved", "0")
    settle(page)


def answer(page: Page, key: str, progress: str) -> None:
    """Press a key that stands for an answer, and wait until it is saved."""
    expect(page.get_by_role("button", name="Skip")).to_be_visible()
    page.keyboard.press(key)
    done(page, progress)


def slider(page: Page, label: str) -> Locator:
    """The slider with this label; ``input_value()`` is its position."""
    return page.get_by_role("slider", name=label)


def move_slider(page: Page, label: str, steps: int) -> None:
    """Move a slider by so many steps, as from the keyboard, and wait for the redraw."""
    handle = slider(page, label)
    handle.focus()
    for _ in range(abs(steps)):
        handle.press("ArrowRight" if steps > 0 else "ArrowLeft")
    settle(page)


def choose(page: Page, box: str | re.Pattern[str], option: str) -> None:
    """Choose an option by mouse. The list closes when the page scrolls, as when a chart above grows: open it again."""
    combobox, entry = page.get_by_role("combobox", name=box), page.get_by_role("option", name=option, exact=True)
    combobox.scroll_into_view_if_needed()
    deadline = time.monotonic() + PATIENCE / 1000
    while True:
        settle(page)
        try:
            if not entry.is_visible():
                combobox.click()
            entry.click(timeout=PATIENCE / 12)
        except TimeoutError:
            if time.monotonic() > deadline:
                raise
        else:
            settle(page)
            return


def upload(page: Page, *files: Path | FilePayload) -> None:
    """Hand files to the uploader of page Pool."""
    uploader = page.locator('[data-testid="stFileUploader"] input[type="file"]')
    # While a rerun moves it down the page, it stands there twice.
    expect(uploader).to_have_count(1)
    uploader.set_input_files(list(files))
    settle(page)


def current_pool(page: Page) -> Locator:
    """The name of the current pool, in the sidebar."""
    return page.locator('[data-testid="stSidebar"] [data-testid="stText"]')


def figure(page: Page, position: int = 0) -> list[dict[str, Any]]:
    """The traces of a chart as Plotly has drawn them: name, mode, x, y."""
    # Found and read in one step: a chart may be drawn later than another, and again.
    drawn = page.wait_for_function(
        """position => {
            const chart = document.querySelectorAll('.js-plotly-plot')[position];
            return chart?.querySelector('.main-svg') && chart.data.map(trace => ({
                name: trace.name, mode: trace.mode, x: Array.from(trace.x), y: Array.from(trace.y)}));
        }""",
        arg=position,
    )
    return drawn.json_value()


def download(page: Page, label: str) -> Path:
    """The file that a download button hands out; a file of a page that is being redrawn may be gone already."""
    settle(page)
    with page.expect_download() as waiting:
        page.get_by_role("button", name=label, exact=True).first.click()
    return Path(waiting.value.path())


def screenshot(page: Page, name: str) -> None:
    """Save the page for people to look at, if the environment has SCREENSHOTS."""
    if os.environ.get("SCREENSHOTS"):
        settle(page)
        painted(page, name)


def painted(page: Page, name: str) -> None:
    """Save the whole page, also what would have to be scrolled to, under ``tests/browser/screenshots/``."""
    SCREENSHOTS.mkdir(exist_ok=True)
    size = page.viewport_size or {"width": 1280, "height": 900}
    height = page.evaluate("document.querySelector('[data-testid=\"stMain\"]')?.scrollHeight ?? 0")
    page.set_viewport_size({"width": size["width"], "height": max(size["height"], min(height, 6000))})
    page.wait_for_timeout(300)
    page.screenshot(path=SCREENSHOTS / f"{name}.png")
    page.set_viewport_size(size)
