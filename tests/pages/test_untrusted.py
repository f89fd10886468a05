"""Text of a file or a model is shown as it is: it never reaches a place that renders Markdown unescaped."""

from __future__ import annotations

import functools
import re

import numpy as np
import pandas as pd
import pytest

from core.archive import Archive
from core.errors import PoolError, Problem
from pages.parts import downloads
from pages.parts.markup import plain
from tests.pages.conftest import CREATED, PAGES, run, table
from tests.pages.pools import pool, records
from tests.pages.uploads import as_lines, current, upload
from tests.sampled import sampled

# What Streamlit's Markdown would turn into something else.
PAYLOADS = (
    "**bold** _slanted_ ~~struck~~ `code` <b>tag</b><script>alert(1)</script>",
    "$x^2$ and $$y$$ ![image](http://example.org/x.png) [link](http://example.org)",
    ":material/bomb: :tada: :red[red] :orange-badge[badge] &lt;b&gt; &amp;",
    "# heading\n- a list\n1. and another",
    "> a quotation\n| a | table |\n|---|---|\n| b | c |",
    "http://example.org www.example.org a@example.org a -> b <- c -- d >= e",
    "trailing backslash \\",
    "---",
)
# Each for itself, and at last all in one text, with which a page is drawn in the tests.
PAYLOADS += (" ".join(PAYLOADS),)
NUMBERS = sampled(range(len(PAYLOADS)), lambda number: number == len(PAYLOADS) - 1)
# Elements whose text the browser renders as Markdown: their value, label, help and caption.
RENDERED = ("markdown", "caption", "info", "warning", "error", "success", "title", "header", "subheader", "toast")
LABELLED = (
    *("button", "download_button", "expander", "file_uploader", "metric", "multiselect", "number_input"),
    *("page_link", "select_slider", "selectbox", "slider", "tab", "text_input", "toggle"),
)
SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|~$:&=^])")


def marked(number):
    """A payload between words that are found again wherever it ends up."""
    return f"zq{number} {PAYLOADS[number]} qz{number}"


@functools.cache
def hostile(number):
    text = marked(number)
    rows = records(24, seed=number, target=None)
    for place, row in enumerate(rows):
        row["id"] = f"{text} {place}"
        row["prompt"] = row["answer"] = text
        row["group"] = text
        row["choices"] = [text, "B", "C", "D"]
        row["generations"] = [text if g == "A" else g for g in row["generations"]]
        row["targets"] = {text: {"text": text, "answer": text, "loss": float(place % 3 == 0)}}
        row["answer_kind"] = "as-is"
    return pool(rows, text)


def rendered(app):
    """Every text on the page that is rendered as Markdown."""
    texts = [str(element.value) for kind in RENDERED for element in app.get(kind)]
    for kind in LABELLED:
        texts += [str(getattr(element, "label", "")) for element in app.get(kind)]
    return texts


def without_escapes(text):
    """What is left of a text when every escaped sign is taken out: these signs are markup."""
    return re.sub(r"\\.", "", text, flags=re.DOTALL)


def assert_escaped(app, number):
    for text in rendered(app):
        for inside in re.findall(rf"zq{number}(.*?)qz{number}", text, flags=re.DOTALL):
            assert not SPECIAL.search(without_escapes(inside)), text


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("page", PAGES)
def test_text_of_a_pool_is_never_markup(open_page, page, number):
    app = open_page(page, hostile(number), ("groups", "report", "numbers"))
    assert_escaped(app, number)
    assert marked(number) in current(app)


@pytest.mark.parametrize("number", NUMBERS)
def test_an_item_is_shown_word_for_word(open_page, number):
    app = open_page("pages/pool.py", hostile(number))
    shown = [text.value for text in app.main.text]
    assert shown.count(marked(number)) >= 3
    items = table(app, -1)
    assert items["id"].tolist() == [f"{marked(number)} {place}" for place in range(24)]
    assert set(items["prompt"]) == {marked(number)}


@pytest.mark.parametrize("number", NUMBERS)
def test_names_of_targets_can_be_chosen_as_they_are(open_page, number):
    app = open_page("pages/explore.py", hostile(number))
    assert app.selectbox(key="target").options == [marked(number), "A new model"]


@pytest.mark.parametrize("number", NUMBERS)
def test_a_file_s_name_and_content_in_an_error_are_never_markup(open_page, number):
    text = marked(number).replace("/", "")
    rows = records(3)
    rows[0]["targets"] = {text: {"loss": "x"}}
    rows[1]["id"] = rows[2]["id"] = text
    app = upload(open_page("pages/pool.py", hostile(number)), (f"{text}.jsonl", as_lines(rows)))
    assert app.error
    assert_escaped(app, number)
    assert any(text in str(value) for value in app.dataframe[0].value.to_numpy().ravel())


def test_names_of_earlier_pools_are_offered_as_they_are(open_page, neyman_home):
    Archive(neyman_home).pools.save(hostile(0), CREATED)
    app = open_page("pages/pool.py")
    (chooser,) = [box for box in app.selectbox if box.label == "Pools used before"]
    assert chooser.options[0].startswith(marked(0))


def test_notes_of_a_reader_are_never_markup(open_page):
    rows = records(12)
    name = marked(2)
    for row in rows[:6]:
        row["targets"][name] = {"answer": "A"}
        row["generations"] = ["", *row["generations"][1:]]
    app = upload(open_page("pages/pool.py"), ("noted.jsonl", as_lines(rows)))
    assert "noted.jsonl" in current(app)
    assert_escaped(app, 2)


@pytest.mark.parametrize("text", [*PAYLOADS, "", "plain words", "é ü 漢字 💥", "\\*", "a\nb", "    code", "a\n\n\tb"])
def test_escaping_keeps_every_sign_and_leaves_no_markup(text):
    escaped = plain(text)
    assert re.sub(r"\\(.)", r"\1", escaped).replace("\u2060", "").split() == text.split()
    assert not SPECIAL.search(without_escapes(escaped)) and "\n" not in escaped


@pytest.mark.parametrize(
    "sign", [":material/home:", ":streamlit:", "->", "<-", "<->", "--", ">=", "<=", "~=", "http://a.b", "HTTPS://a.b"]
)
def test_signs_that_streamlit_replaces_after_parsing_are_kept_apart(sign):
    assert sign not in re.sub(r"\\(.)", r"\1", plain(f"a {sign} b"))


def test_the_sentences_of_errors_escape_what_they_quote():
    error = PoolError([Problem("“<b>$x$</b>” is not a number.", 3, "*loss*", "Write a number.")])
    assert not SPECIAL.search(without_escapes(plain(str(error))))


def test_no_name_is_a_formula_in_the_csv_of_a_table():
    rows = pd.DataFrame({"pool": ["=1+1", "\u2002@x", "plain"], "mse": [-0.5, 0.1, np.nan], "=2": ["a", "b", None]})
    text = downloads.as_csv(rows)
    assert text.splitlines() == ["pool,mse,'=2", "'=1+1,-0.5,a", "'\u2002@x,0.1,b", "plain,,"]


def test_signs_that_spreadsheets_and_regular_expressions_know_are_searched_literally(open_page):
    rng = np.random.default_rng(0)
    rows = [{"id": f"{sign} {n}", "generations": [str(rng.integers(2))] * 2} for n, sign in enumerate(".*+?[](){}^$|")]
    app = open_page("pages/pool.py", pool(rows))
    for number, sign in enumerate(".*+?[](){}^$|"):
        app.text_input(key="find").set_value(sign)
        run(app)
        assert app.dataframe[-1].value["id"].tolist() == [f"{sign} {number}"]
