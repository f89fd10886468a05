"""Labelling in the browser without a mouse: keys, the field that keeps the cursor, pictures, and two targets."""

from __future__ import annotations

import base64
import io
import re
import sqlite3
from contextlib import closing
from urllib.parse import urlsplit

import pandas as pd
from PIL import Image, ImageDraw
from playwright.sync_api import expect
from streamlit.proto.BackMsg_pb2 import BackMsg

from core.archive import Archive
from core.design import Design
from core.judge import Criterion, judge, labelling
from core.pool import Pool
from core.study import Labelling
from tests.browser.conftest import answer, choose, done, download, problems, screenshot, settle, until, visit

HERE = "part=Label+here"
CREATED = "2026-01-01T00:00:00+00:00"
# Texts that are cut off by the box they stand in, and cannot be scrolled to.
CUT = """() => [...document.querySelectorAll('[data-testid="stMain"] *')].filter(e =>
    (e.value || ['hidden', 'clip'].includes(getComputedStyle(e).overflowX))
    && e.clientWidth > 1 && e.scrollWidth > e.clientWidth + 1
    && !e.closest('[data-testid="stDataFrame"], [data-testid="stFileUploader"]'))
    .map(e => `${e.tagName} ${e.value || e.textContent}`.slice(0, 60)).filter(text => text.includes(' '))"""


def kept(server, pool, annotator=None):
    archive = Archive(server.home)
    designs = archive.plans.table()
    rows = archive.labels.of(*designs.loc[designs["digest"] == pool.digest, "plan_id"])
    return rows if annotator is None else rows[rows["annotator"] == annotator]


def opened(page, server, pool, **query):
    Archive(server.home).pools.save(pool, CREATED)
    address = "&".join(f"{name}={value}" for name, value in query.items())
    visit(page, f"{server.url}/label?pool={pool.digest[:16]}&{HERE}&{address}")
    expect(page.get_by_role("button", name="Skip")).to_be_visible()


def begin(server, pool, seed):
    """Label an item of another list of the pool."""
    archive, plan = Archive(server.home), Design(12, seed=seed).draw(pool)
    archive.pools.save(pool, CREATED)
    first = pd.DataFrame([{"item_id": str(plan.ids[0]), "label": "A", "annotator": "Jo"}])
    Labelling.load(archive, plan, pool, "gold", None).save(archive, first, "file", CREATED)


def letters(name="exam"):
    """Multiple choice written into the prompts, as in real exams: no choices, letters as truths; by the items' name."""
    long = "\n".join(f"A sentence of a long passage to read, number {number}." for number in range(60))
    return Pool.from_records(
        [
            {
                "id": f"{name}-{n}",
                "prompt": f"{long if n % 2 else 'A short one.'}\nWhich?\nA. this\nB. that\nC. both\nD. neither",
                "answer": "ABCD"[n % 4],
                "generations": [*"ABCD", "ABCD"[n % 3]],
                "targets": {"one": {"answer": "A"}, "two": {"answer": "B"}},
            }
            for n in range(40)
        ],
        "Exams",
    )


def texts(name="text"):
    return Pool.from_records(
        [
            {"id": f"{name}-{n}", "prompt": f"Say {n} in words.", "answer": f"word {n}", "generations": ["a", "b", "a"]}
            for n in range(40)
        ],
        "Texts",
    )


def pictures(folder):
    """Pictures of every shape: inside the pool, in a folder, and one that is not there."""
    records = []
    for number, size in enumerate([(640, 420), (300, 900), (1600, 500), (64, 64)] * 2):
        canvas = Image.new("RGB", size, "#f0f0eb")
        ImageDraw.Draw(canvas).ellipse([8, 8, 48, 48], fill="#0072b2")
        stream = io.BytesIO()
        canvas.save(stream, "PNG")
        if number % 2:
            image = "data:image/png;base64," + base64.b64encode(stream.getvalue()).decode()
        else:
            (folder / f"{number}.png").write_bytes(stream.getvalue())
            image = [f"{number}.png", "absent.png"] if number == 4 else f"{number}.png"
        records.append(
            {"id": f"picture-{number}", "prompt": "How many discs?", "image": image, "answer": str(number % 3),
             "generations": ["1", "2", "1"], "targets": {"one": {"answer": "1"}}}
        )  # fmt: skip
    return Pool.from_records(records, "Pictures")


def test_type_enter_type_enter_and_the_way_back_to_it(server, page):
    pool = texts()
    opened(page, server, pool, budget=12, strata=3, seed=5)
    field = page.get_by_role("textbox", name="The right answer", exact=True)
    expect(field).to_be_focused()
    page.get_by_label("Your name").fill("Ann")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("annotator=Ann"))
    settle(page)
    # What is typed nowhere goes into the field, also where the cursor was taken away; with the letters and digits that
    # are keys elsewhere.
    answers = ["sugus", "1 0 u g", "nought"]
    for number, text in enumerate(answers, start=1):
        page.evaluate("document.activeElement.blur()")
        page.keyboard.type(text)
        page.keyboard.press("Enter")
        done(page, f"{number} of 12 items")
    expect(field).to_be_focused()
    page.keyboard.type("half an answer")
    page.keyboard.press("Control+ArrowDown")
    expect(field).to_have_value("")
    settle(page)
    page.keyboard.press("Enter")
    settle(page)
    until(page, lambda: len(kept(server, pool)) == 4)
    rows = kept(server, pool)
    assert rows["label"].tolist() == [*answers, None] and rows["status"].tolist() == ["", "", "", "skipped"]
    page.keyboard.press("Control+ArrowUp")
    until(page, lambda: len(kept(server, pool)) == 3)
    settle(page)
    page.keyboard.press("Control+ArrowUp")
    done(page, "2 of 12 items")
    expect(field).to_be_focused()
    page.keyboard.type("again")
    page.keyboard.press("Enter")
    done(page, "3 of 12 items")
    rows = kept(server, pool)
    assert rows["label"].tolist() == [*answers[:2], "again"] and set(rows["annotator"]) == {"Ann"}
    page.reload()
    done(page, "3 of 12 items")
    expect(page.get_by_label("Your name")).to_have_value("Ann")

    # From another plan, the way back to the one with labels stands in the address.
    opened(page, server, pool, budget=12, strata=4, annotator="Ann")
    done(page, "0 of 12 items")
    page.get_by_role("button", name="Back to that plan").click()
    done(page, "3 of 12 items")
    expect(page).to_have_url(re.compile("plan=p"))


def named(page, annotator):
    """Go on as somebody else, who has given no label."""
    page.get_by_label("Your name").fill(annotator)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(f"annotator={annotator}"))
    done(page, "0 of 12 items")


def in_view(page):
    """Whether all options and buttons stand inside the window."""
    box = page.locator(".dock").bounding_box()
    return box["y"] >= 0 and box["y"] + box["height"] <= page.viewport_size["height"] + 1


def refused(server, page, pool):
    """An answer that cannot be saved waits on the screen with the reason, and whoever leaves is warned.

    While the database is busy; and if saving fails, until it is tried again.
    """
    named(page, "Hal")
    item, dialogs = page.locator(".name"), []
    first = item.inner_text()

    def stay(dialog):
        dialogs.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", stay)
    with closing(sqlite3.connect(server.home / "neyman.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        page.get_by_role("button", name=re.compile(r"^B\b")).click()
        expect(page.locator(".desk")).to_have_attribute("data-unsaved", "1")
        page.evaluate("location.reload()")
        until(page, lambda: dialogs)
        expect(page.get_by_text("Busy, saving again …")).to_be_visible()
        expect(page.get_by_text(f"{first.removeprefix('Item ')}: B")).to_be_visible()
        assert item.inner_text() != first, "the next item is there at once"
        # Longer than one try waits.
        page.wait_for_timeout(6_000)
        expect(page.get_by_text("Busy, saving again …")).to_be_visible()
        screenshot(page, "label-busy")
    assert dialogs == ["beforeunload"]
    done(page, "1 of 12 items")
    assert kept(server, pool, "Hal")["label"].tolist() == ["B"]

    second = item.inner_text()
    with closing(sqlite3.connect(server.home / "neyman.sqlite", isolation_level=None)) as database:
        refuse = "SELECT RAISE(ABORT, 'disk I/O error') WHERE NEW.annotator = 'Hal'"
        # Both are given before the first is refused, which brings its item back.
        database.execute("BEGIN EXCLUSIVE")
        database.execute(f"CREATE TRIGGER hal BEFORE INSERT ON label_changes BEGIN {refuse}; END")
        for key in "cd":
            page.keyboard.press(key)
        expect(page.locator(".desk")).to_have_attribute("data-unsaved", "2")
        database.execute("COMMIT")
        try:
            expect(page.get_by_text("Not saved.", exact=False).first).to_be_visible()
            expect(item).to_have_text(second)
            expect(page.get_by_text("Your answer: C")).to_be_visible()
            expect(page.locator(".desk")).to_have_attribute("data-unsaved", "2")
            screenshot(page, "label-failed")
        finally:
            database.execute("DROP TRIGGER hal")
    page.get_by_role("button", name="Save again").click()
    done(page, "3 of 12 items")
    assert kept(server, pool, "Hal")["label"].tolist() == ["B", "C", "D"]


def test_letters_are_chosen_by_key_and_another_answer_is_typed(server, page):
    """And the options stay in view under a long text, which scrolls with the page alone; and what is refused waits."""
    pool = letters()
    opened(page, server, pool, budget=12, annotator="Ben")
    views = [in_view(page)]
    answer(page, "2", "1 of 12 items")
    views.append(in_view(page))
    page.get_by_label("Another answer").click()
    page.keyboard.type("1sug4")
    page.keyboard.press("Enter")
    done(page, "2 of 12 items")
    views.append(in_view(page))
    # The cursor has left the field with the item: keys choose again.
    expect(page.get_by_label("Another answer")).not_to_be_focused()
    # Streamlit has a key c as well.
    answer(page, "c", "3 of 12 items")
    views.append(in_view(page))
    assert all(views), views
    assert not page.locator(".desk").evaluate(
        """e => [e, ...e.querySelectorAll('*')].some(
            e => e.scrollHeight > e.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(e).overflowY))"""
    )
    page.keyboard.press("g")
    expect(page.get_by_text("1 item cannot be labelled. 1 replacement stands at the end of the list.")).to_be_visible()
    settle(page)
    until(page, lambda: len(kept(server, pool, "Ben")) == 4)
    assert kept(server, pool, "Ben")["label"].tolist() == ["B", "1sug4", "C", None]
    page.keyboard.press("u")
    expect(page.get_by_text("cannot be labelled")).to_have_count(0)
    screenshot(page, "label-letters")
    done(page, "3 of 12 items")
    refused(server, page, pool)


def test_the_desk_counts_down_to_the_first_estimate(server, page):
    patterns = ("AAAAA", "AABBC", "ABCDA")
    rows = [
        {"id": f"q{n}", "prompt": f"Which? {n}", "choices": list("wxyz"), "answer": "A",
         "generations": list(patterns[n % 3]), "targets": {"one": {"answer": "A"}}}
        for n in range(42)
    ]  # fmt: skip
    opened(page, server, Pool.from_records(rows, "Counted"), budget=12, strata=3)
    # Whoever has given a name or chosen the question goes on with the item: keys are answers at once.
    page.get_by_label("Your name").fill("Lee")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("annotator=Lee"))
    settle(page)
    for more in (3, 2, 1):
        expect(page.locator(".progress")).to_contain_text(
            f"{3 - more} of 12 items labelled · {more} more until the first"
        )
        page.keyboard.press("a")
    done(page, "3 of 12 items")
    expect(page.locator(".progress")).not_to_contain_text("first estimate")
    # Nor does a switch or a tab that was clicked keep the keys.
    switch, tab = page.get_by_role("switch", name="Show the truth"), page.get_by_role("tab", name="Label here")
    page.get_by_text("Show the truth").click()
    settle(page)
    expect(switch).to_be_focused()
    answer(page, "a", "4 of 12 items")
    tab.click()
    settle(page)
    expect(tab).to_be_focused()
    answer(page, "b", "5 of 12 items")
    choose(page, "Kind of label", "Right or wrong")
    expect(page.get_by_text("Is this answer right?")).to_be_visible()
    answer(page, "r", "1 of 12 items")


def listen(socket, traffic, woken):
    """Note what the desk sends, when it is told that the page around it says all there is, and who has a page drawn."""

    def sent(payload):
        message = BackMsg.FromString(payload) if isinstance(payload, bytes) else BackMsg()
        woken.extend(one.id for one in message.rerun_script.widget_states.widgets if "waker" in one.id)
        if b'"redraw":' in payload:
            traffic.append("wish" if b'"redraw":true' in payload else "answers")

    def received(payload):
        if b'"behind": false' in payload:
            traffic.append("redrawn")

    socket.on("framesent", sent)
    socket.on("framereceived", received)


def test_thirty_keys_in_a_second_are_thirty_labels_on_the_right_items_and_a_link_keeps_the_desk_silent(server, page):
    """From the first label on, which has the page redrawn, and another list named no more; nothing else redraws it.

    Streamlit forgets a page that somebody has asked for if a message of the page before follows.
    """
    pool = letters()
    begin(server, pool, 2)
    traffic, woken = [], []
    page.on("websocket", lambda socket: listen(socket, traffic, woken))
    opened(page, server, pool, budget=40, annotator="Kim", seed=3)
    expect(page.get_by_role("button", name="Back to that plan")).to_be_visible()
    keys = ("abcd" * 8)[:30]
    # As fast as a browser delivers them, with what stood on the screen at each.
    shown = page.evaluate(
        """async keys => {
            const root = [...document.querySelectorAll('[data-testid="stBidiComponentIsolated"]')]
                .map(e => e.shadowRoot).find(one => one.querySelector('.desk'));
            root.host.id = 'first';
            const items = [], start = performance.now();
            for (const [place, key] of [...keys].entries()) {
                items.push(root.querySelector('.name').textContent);
                document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, composed: true}));
                const wait = start + 1000 * (place + 1) / keys.length - performance.now();
                if (wait > 0) await new Promise(done => setTimeout(done, wait));
            }
            return items;
        }""",
        keys,
    )
    done(page, "30 of 40 items")
    # The page was redrawn, and the desk never left it: nobody answers what is not on the screen.
    expect(page.get_by_role("button", name="Back to that plan")).to_have_count(0)
    expect(page.locator("#first")).to_have_count(1)
    # Whatever the server is busy with: between the wish for it and the page that is redrawn, the desk sends nothing.
    assert traffic.count("wish") == 1 and traffic[traffic.index("wish") + 1] == "redrawn"
    rows = kept(server, pool, "Kim")
    assert [f"Item {item}" for item in rows["item_id"]] == shown and len(set(shown)) == 30
    assert rows["label"].tolist() == [key.upper() for key in keys]
    # Longer than the desk waits before it sends again what nobody has answered.
    page.wait_for_timeout(4000)
    assert woken == [] and len(kept(server, pool, "Kim")) == 30

    # It sends if the link does not lead elsewhere.
    page.evaluate(
        """() => {
            window.addEventListener('click', event => { event.preventDefault(); event.stopPropagation(); }, true);
            document.querySelector('[data-testid="stSidebar"] a[href^="explore"]').click();
        }"""
    )
    before = len(traffic)
    page.keyboard.press("b")
    expect(page.locator(".progress")).to_contain_text("Saving")
    page.wait_for_timeout(1500)
    assert len(traffic) == before
    done(page, "31 of 40 items")
    assert len(kept(server, pool, "Kim")) == 31


def test_pictures_of_a_folder_and_of_the_pool(server, page, tmp_path):
    pool = pictures(tmp_path)
    opened(page, server, pool, budget=8, **{"label-kind": "Right+or+wrong"})
    missing = page.get_by_text(re.compile("is not shown"))
    for done_before in range(8):
        if missing.count():
            break
        answer(page, "1", f"{done_before + 1} of 8 items")
    field = page.get_by_label("Folder that the images’ paths are relative to")
    field.fill(str(tmp_path))
    field.press("Enter")
    # While the field has the cursor, a key is a letter in it.
    page.get_by_role("heading", name="Label", exact=True).click()
    shown = page.locator(".item img")
    expect(shown.first).to_be_visible()
    settle(page)
    absent = 0
    for _ in range(8 - done_before):
        until(page, lambda: all(image.evaluate("e => e.complete && e.naturalWidth > 0") for image in shown.all()))
        assert shown.first.bounding_box()["height"] <= 0.4 * 900 + 1
        if missing.count():
            absent += 1
            expect(missing).to_contain_text("“absent.png” is not shown")
            screenshot(page, "label-pictures")
        done_before += 1
        answer(page, "1", f"{done_before} of 8 items")
    assert absent == 1
    expect(page.get_by_text("Every item of the list has your label")).to_be_visible()


def test_two_targets_and_two_criteria_are_judged_apart(server, page):
    """And a label that follows a name at once belongs to that name."""
    pool = letters()
    opened(page, server, pool, budget=12, target="one", **{"label-kind": "Right+or+wrong"})
    before = len(kept(server, pool))
    # No Enter, no pause: the click that leaves the field is the answer.
    page.get_by_label("Your name").fill("Max")
    page.locator(".desk").get_by_role("button", name="Wrong").click()
    until(page, lambda: len(kept(server, pool)) > before)
    assert kept(server, pool, "Max")["label"].tolist() == ["wrong"]
    done(page, "1 of 12 items")
    named(page, "Dee")
    for number in (1, 2):
        answer(page, "1", f"{number} of 12 items")
    choose(page, "Target model", "two")
    done(page, "0 of 12 items")
    # While the box has the cursor, a key is a letter in it.
    page.get_by_role("heading", name="Label", exact=True).click()
    answer(page, "0", "1 of 12 items")
    rows = kept(server, pool, "Dee")
    assert rows[["target", "label"]].to_numpy().tolist() == [["one", "right"]] * 2 + [["two", "wrong"]]
    # A key for each criterion; undo takes one back, and all of an item that is done.
    pool = Pool.from_records([{"id": f"{n}", "output": "Yes", "a": n % 2, "b": n % 3 and 1} for n in range(40)])
    plan, archive = judge(pool, [Criterion("a", rubric="It helps."), Criterion("b")], 20, seed=1), Archive(server.home)
    archive.pools.save(pool, CREATED)
    labelling(archive, plan, pool).save_plan(archive, CREATED)
    query = {"plan": plan.plan_id, "target": "criterion+a", "label-kind": "right-wrong", "annotator": "Dee"}
    opened(page, server, pool, **query)
    expect(page.locator(".desk .criteria")).to_contain_text("It helps.")
    page.keyboard.press("1")
    expect(page.locator(".desk .criteria")).to_contain_text("Pass")
    page.keyboard.press("u")
    expect(page.locator(".desk .criteria")).not_to_contain_text("Pass")
    page.keyboard.press("1")
    answer(page, "0", "1 of 20 items")
    until(page, lambda: len(kept(server, pool, "Dee")) == 2)
    rows = kept(server, pool, "Dee")
    assert rows[["target", "label"]].to_numpy().tolist() == [["criterion a", "right"], ["criterion b", "wrong"]]
    answer(page, "u", "0 of 20 items")
    until(page, lambda: kept(server, pool, "Dee").empty)


def cut(page):
    width = page.viewport_size["width"]
    return [f"{urlsplit(page.url).query} at {width}: {text}" for text in page.evaluate(CUT)]


def test_no_word_of_the_page_is_cut_off_and_a_list_comes_whose_plan_cannot_be_kept(server, page):
    """And the page says so."""
    pool = letters()
    Archive(server.home).pools.save(pool, CREATED)
    visit(page, f"{server.url}/label?pool={pool.digest[:16]}&annotator=Eve&label-kind=Right+or+wrong&seed=31")
    rows, views = [], [1280, 800]
    for part in ("Label here", "Import labels", "The list"):
        page.get_by_role("tab", name=part).click()
        expect(page.get_by_role("tab", name=part)).to_have_attribute("aria-selected", "true")
        for width in views:
            page.set_viewport_size({"width": width, "height": 900})
            rows += problems(page, cut)
            screenshot(page, f"label-{part.lower().replace(' ', '-')}-{width}")
        # The next part begins as this one ended, which saves redraws.
        views.reverse()
    assert rows == []

    said, plans = page.get_by_text("its plan is not kept yet"), len(Archive(server.home).plans.table())
    with closing(sqlite3.connect(server.home / "neyman.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        listed = download(page, "CSV").read_bytes()
        expect(said).to_be_visible()
        expect(page.get_by_test_id("stDownloadButtonError")).to_have_count(0)
        screenshot(page, "label-plan-not-kept")
    assert len(Archive(server.home).plans.table()) == plans
    assert download(page, "CSV").read_bytes() == listed
    expect(said).to_have_count(0)
    assert len(Archive(server.home).plans.table()) == plans + 1
