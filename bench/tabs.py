"""Tabs with a page of the app open whose sliders move: in Chromium, or without drawing anything.

Chromium takes many times as much CPU time as the server does. If it is the server that is measured, on a
machine that both share, a tab that only speaks the app's protocol leaves the machine to the server.
"""

from __future__ import annotations

import asyncio
import json
import random
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlencode

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.Delta_pb2 import Delta
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect

from pages.parts.widgets.numbers import NAME
from tests.browser.servers import IDLE, complaint

# Names of Explore's sliders, and their parameters in the address.
SLIDERS = {"Strata H": "strata", "Offset δ": "offset", "Budget M (labels)": "budget"}
PATIENCE = 120.0


class Tab(ABC):
    """A tab; ``note`` is called with what goes wrong in it."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self._note = note

    @abstractmethod
    async def open(self, url: str, page: str, query: str) -> None:
        """Open a page, and wait until it is drawn."""

    @abstractmethod
    async def move(self, chance: random.Random) -> None:
        """Move one of the page's sliders by a step, and wait until the page is drawn."""

    @abstractmethod
    async def close(self) -> None:
        """Leave."""


class BareTab(Tab):
    """A tab that draws nothing."""

    _socket: ClientConnection

    def __init__(self, note: Callable[[str], None]) -> None:
        super().__init__(note)
        self._query: dict[str, list[str]] = {}
        self._page, self._hash = "", ""
        self._dials: dict[str, _Dial] = {}
        self._states: dict[str, WidgetState] = {}

    async def open(self, url: str, page: str, query: str) -> None:
        """Connect, and run the page."""
        self._query, self._page = parse_qs(query), page
        address = f"{url.replace('http', 'ws', 1)}/_stcore/stream"
        self._socket = await connect(address, subprotocols=["streamlit"], max_size=None, open_timeout=PATIENCE)
        await self._run()

    async def move(self, chance: random.Random) -> None:
        """Send another value of a dial."""
        key = chance.choice([key for key in SLIDERS.values() if key in self._dials])
        dial = self._dials[key]
        place, step = dial.stops.index(dial.value), chance.choice((-1, 1))
        value = dial.stops[place + step if 0 <= place + step < len(dial.stops) else place - step]
        turned = {"values": [value], "number": dial.heard + 1}
        self._states[key] = WidgetState(id=dial.id, json_value=json.dumps({"turned": turned}))
        await self._run(dial.fragment)

    async def close(self) -> None:
        """Disconnect."""
        await self._socket.close()

    async def _run(self, fragment: str = "") -> None:
        state = ClientState(
            query_string=urlencode(self._query, doseq=True),
            page_name=self._page,
            page_script_hash=self._hash,
            fragment_id=fragment,
        )
        state.widget_states.widgets.extend(self._states.values())
        await self._socket.send(BackMsg(rerun_script=state).SerializeToString())
        async with asyncio.timeout(PATIENCE):
            while not self._ended(ForwardMsg.FromString(await self._socket.recv(decode=False))):
                pass

    def _ended(self, message: ForwardMsg) -> bool:
        """Take what the server sends, and say whether the page is drawn."""
        kind = message.WhichOneof("type")
        if kind == "delta":
            self._take(message.delta)
        elif kind == "new_session":
            self._hash = message.new_session.page_script_hash
        elif kind == "page_info_changed":
            self._query = parse_qs(message.page_info_changed.query_string)
        elif kind == "page_not_found":
            self._note("The page was not found.")
        elif kind == "script_finished":
            return message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN
        return False

    def _take(self, delta: Delta) -> None:
        kind = delta.new_element.WhichOneof("type")
        if kind == "exception":
            self._note(delta.new_element.exception.message)
        elif delta.new_element.bidi_component.component_name == NAME:
            component = delta.new_element.bidi_component
            given = json.loads(component.json)
            value = given["values"][0]
            stops = sorted({*given["stops"], value})
            self._dials[given["parameter"]] = _Dial(component.id, stops, value, given["heard"], delta.fragment_id)


@dataclass(frozen=True, slots=True)
class _Dial:
    """A dial as the server has sent it."""

    id: str
    stops: list[float]
    value: float
    heard: int
    fragment: str


class BrowserTab(Tab):
    """A tab of Chromium with its own profile."""

    def __init__(self, note: Callable[[str], None], browser: Any) -> None:
        super().__init__(note)
        self._browser = browser

    async def open(self, url: str, page: str, query: str) -> None:
        """Open the page in a new profile."""
        self._context = await self._browser.new_context(
            viewport={"width": 1280, "height": 900}, reduced_motion="reduce"
        )
        self._context.set_default_timeout(1000 * PATIENCE)
        self._context.on("console", self._listen)
        self._context.on("weberror", lambda error: self._note(str(error.error)))
        self._tab = await self._context.new_page()
        await self._tab.goto(f"{url}/{page}?{query}")
        await self._tab.get_by_role("slider", name=next(iter(SLIDERS))).wait_for()
        await self._settle()

    async def move(self, chance: random.Random) -> None:
        """Press an arrow key on a slider."""
        slider = self._tab.get_by_role("slider", name=chance.choice(list(SLIDERS)))
        before = await slider.input_value()
        await slider.press(chance.choice(["ArrowRight", "ArrowLeft"]))
        if await slider.input_value() == before:
            # At its end.
            await slider.press("ArrowRight")
        await self._settle()
        for shown in await self._tab.get_by_test_id("stException").all_inner_texts():
            self._note(shown)

    async def close(self) -> None:
        """Close the profile."""
        await self._context.close()

    async def _settle(self) -> None:
        await self._tab.evaluate("window.lastBusy = performance.now(); window.idleLooks = 0")
        await self._tab.wait_for_function(IDLE, arg=250, polling=50, timeout=1000 * PATIENCE)

    def _listen(self, message: Any) -> None:
        error = complaint(message.type, message.text, message.location["url"])
        if error is not None:
            self._note(error)
