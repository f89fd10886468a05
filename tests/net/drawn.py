"""Lists of what each page draws in several situations: controls, buttons, downloads, tabs, panels and tables."""

from __future__ import annotations

import functools
import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pyarrow as pa
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.pool import Pool
from core.readers import read
from pages.parts.app import address, quarantine, state
from tests.compatibility import observed
from tests.conftest import ROOT
from tests.net.recording import one_line
from tests.pages.conftest import PAGES, TIMEOUT, ReadHere, light, practice
from tests.pages.pools import records
from tests.pages.uploads import as_csv, as_lines, upload

V2 = Path(observed.__file__).with_name("v2")
EXPECTED: dict[str, Any] = json.loads((V2 / "expected.json").read_text(encoding="utf-8"))
JUDGED, BLANK = EXPECTED["pools"]
# A table that no reader recognizes.
UNKNOWN = b"nr;Frage;Modell\n" + b"".join(b"%d;Was ist %d?;%d\n" % (n, n, n % 3) for n in range(12))
WIDGETS = (
    "button",
    "chat_input",
    "checkbox",
    "color_picker",
    "date_input",
    "download_button",
    "feedback",
    "file_uploader",
    "link_button",
    "multiselect",
    "number_input",
    "page_link",
    "pills",
    "radio",
    "segmented_control",
    "select_slider",
    "selectbox",
    "slider",
    "text_area",
    "text_input",
    "toggle",
)
# What is offered there depends on the machine, or says when something was made.
_CHANGING = ("plan", "run", "where")
_MOST_OPTIONS = 15
# Plans with labels, and the pages, with their parts, on which each is drawn.
_DESK = ("label", "Label here")
PLANS = {
    "recommended": (("estimate", ""), _DESK, ("label", "The list"), ("label", "Take labels back")),
    "paper": (("estimate", ""), _DESK),
    "k-means": (("estimate", ""), _DESK),
    "for a decision": (("estimate", ""),),
    "two waves": (("label", "The list"),),
    "second wave": (("estimate", ""),),
}
SETTINGS: tuple[tuple[str, Mapping[str, str]], ...] = (
    ("explore", {"design": "paper"}),
    *(("explore", {"detail": detail}) for detail in ("map", "signals", "race", "numbers")),
    *(("pool", {"contents": tab}) for tab in ("groups", "fields", "answers", "graded", "saved", "account")),
    *(
        ("estimate", {"about": about})
        for about in ("decide", "precision", "metrics", "groups", "items", "labels", "how")
    ),
    ("label", {"design": "paper"}),
    ("label", {"design": "gate"}),
    *(("label", {"list-detail": detail}) for detail in ("precision", "known", "run", "reproduce")),
    ("plan", {"question": "half-width", "plan-for": "none"}),
    ("plan", {"question": "money", "plan-for": "pool"}),
    ("plan", {"plan-part": "What such pools saved"}),
    ("models", {"versions": "Side by side"}),
    ("models", {"versions": "Compare two models"}),
    ("lab", {"section": "Allocation"}),
    ("lab", {"section": "H × δ map"}),
)


class Situation(NamedTuple):
    """A page in a situation: what is in the address, and what is done before it is looked at."""

    name: str
    page: str
    query: Mapping[str, str]
    then: Callable[[AppTest], AppTest] = lambda app: app


def situations() -> Iterator[Situation]:
    """Every page at its first visit, on the practice pool and on a pool with labels, and each part of each page."""
    now = {"v": str(address.VERSION)}
    for page in PAGES:
        if page != "pages/plan.py":
            # There, forecasts for twelve models take as long as all else here.
            yield Situation("a first visit", page, {})
        yield Situation("the practice pool", page, now | {"pool": practice().digest[:16]})
        yield Situation("a pool with labels", page, now | {"pool": JUDGED[:16]})
    judged = now | {"pool": JUDGED[:16]}
    for name, pages in PLANS.items():
        plan = EXPECTED["plans"][name]
        query = judged | {"plan": plan["plan_id"], "label-kind": plan["kind"], "target": "Modell α"}
        for page, part in pages:
            more = {"part": part} if part else {}
            yield Situation(f"the plan “{name}”{', ' * bool(part)}{part}", f"pages/{page}.py", query | more)
    link = {"only": "label", "plan": EXPECTED["link"]["plan_id"], "asks": "gold", "pool": JUDGED[:16]}
    yield Situation("an annotator’s link", "pages/label.py", link | {"annotator": "Ann"})
    for page, choices in SETTINGS:
        yield Situation(", ".join(choices.values()), f"pages/{page}.py", judged | choices)
    yield Situation("a stopped run", "pages/surrogate.py", now | {"pool": BLANK[:16]})
    for path, name in ((state.EVOUNA, state.EVOUNA_NAME), (state.LLMBAR, state.LLMBAR_NAME)):
        digest = _bundled(path, name).digest[:16]
        yield Situation(name, "pages/judge.py", now | {"pool": digest})
    for name, content in (
        ("items.jsonl", as_lines(records())),
        ("items.csv", as_csv(records())),
        ("damaged.jsonl", b'{"id": "a"}\n{"id": '),
        ("unknown.csv", UNKNOWN),
    ):
        file = (name, content, "text/plain")
        yield Situation(f"the file {name}", "pages/pool.py", now, _with(file))


def _with(file: tuple[str, bytes, str]) -> Callable[[AppTest], AppTest]:
    return lambda app: upload(app, file)


@functools.cache
def _bundled(path: Path, name: str) -> Pool:
    return read(path, name)


def elements() -> list[str]:
    """Elements that are drawn, one a line: the page, the situation, the kind of element, its label and its key."""
    lines: list[str] = []
    with opened():
        for one in situations():
            app = AppTest.from_file(ROOT / "app.py", default_timeout=TIMEOUT)
            app.query_params.update(one.query)
            if one.page != "app.py":
                app.switch_page(one.page)
            app = one.then(app.run())
            place = f"{Path(one.page).stem}, {one.name}"
            counts = Counter(one_line(line) for line in _elements(app))
            lines += [f"{place}: {line}" + (f" × {n}" if n > 1 else "") for line, n in counts.items()]
    return sorted(lines)


@contextmanager
def opened() -> Iterator[Path]:
    """A home with labels, all panels open, and files read in this process."""
    expander, popover = st.expander, st.popover

    def open_first(box: Callable[..., Any]) -> Callable[..., Any]:
        def draw(*args: Any, **given: Any) -> Any:
            if given.get("on_change") == "rerun" and given.get("key") not in st.session_state:
                st.session_state[given["key"]] = True
            return box(*args, **given)

        return draw

    with TemporaryDirectory() as folder, light(), pytest.MonkeyPatch.context() as patch:
        home = Path(folder) / "home"
        shutil.copytree(V2 / "home", home)
        patch.setenv("NEYMAN_HOME", str(home))
        patch.setattr(quarantine, "_quarantine", ReadHere)
        patch.setattr(st, "expander", open_first(expander))
        patch.setattr(st, "popover", open_first(popover))
        yield home


def _elements(app: AppTest) -> Iterator[str]:
    for error in app.exception:
        raise AssertionError(error.value)
    for kind in WIDGETS:
        # The links of the sidebar are everywhere the same.
        for one in app.main.get(kind) if kind == "page_link" else app.get(kind):
            proto = one.proto
            yield f"{kind} “{getattr(proto, 'label', '')}”{_key(one)}{_options(one)}"
    for one in app.get("bidi_component"):
        yield _component(one.proto)
    yield from _boxes(app._tree)
    for table in app.dataframe:
        yield f"table of {' / '.join(pa.ipc.open_stream(table.proto.arrow_data.data).schema.names)}"


def _component(proto: Any) -> str:
    known = json.loads(proto.json) if proto.json else {}
    if "parameter" in known:
        return f"dial “{known.get('label', '')}” [{known['parameter']}]"
    return f"component {proto.component_name}"


def _boxes(node: Any) -> Iterator[str]:
    label = getattr(node, "label", None)
    if node.type in ("tab", "expander", "popover", "expandable") and label:
        yield f"{node.type} “{label}”"
    for child in getattr(node, "children", {}).values():
        yield from _boxes(child)


def _key(one: Any) -> str:
    key = getattr(one, "key", None)
    # Plans of a first visit have a random seed.
    return f" [{re.sub('p[0-9a-f]{12}', 'plan', key)}]" if key else ""


def _options(one: Any) -> str:
    given = [] if getattr(one, "key", "") in _CHANGING else getattr(one, "options", None) or []
    # Pools that were opened in the same second stand in any order.
    given = [re.sub(r" · \d+ \w{3} \d{4}", " · day", str(option)) for option in given]
    shown = (list if getattr(one, "key", "") else sorted)(given)[:_MOST_OPTIONS]
    return f": {' / '.join(shown)}{' / …' * (len(given) > _MOST_OPTIONS)}" if shown else ""
