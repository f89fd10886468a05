"""The bank of verdicts on page Pool: files out and in, a single verdict, and the switch."""

from __future__ import annotations

import pytest

from core.archive import Archive
from core.bank import Bank, gather
from core.pool import Pool
from pages.parts.app.address import VERSION
from tests.core.bank.test_home import exam
from tests.core.wording import Saying
from tests.pages.conftest import bare, messages, press, run

POOL, NEWEST = "pages/pool.py", {"v": VERSION, "contents": "graded"}


@pytest.fixture
def pool() -> Pool:
    return exam("v1")


def text(app) -> str:
    return bare([*app.main.markdown, *app.main.caption]).replace("\u00a0", " ")


def test_a_single_verdict_is_corrected_and_removed(open_page, neyman_home, pool):
    app = open_page(POOL, pool, **NEWEST)
    assert "40 verdicts on 40 items" in text(app)
    app.text_input(key="bank-item").set_value("i3")
    app = run(app)
    assert app.selectbox(key="bank-row").options == ["A: right (v1, exam)"]
    press(app, "It is wrong")
    here = gather(Archive(neyman_home)).rows
    assert here.loc[(here["item"] == pool.item_digests[3]).to_numpy(), "loss"].tolist() == [1.0]
    assert app.selectbox(key="bank-row").options == ["A: wrong (v1, exam)"]
    press(app, "Remove it")
    assert len(gather(Archive(neyman_home))) == 39 and "has no verdict on “i3”" in text(app)


def test_switched_off_nothing_is_known_anywhere(open_page, pool):
    app = open_page(POOL, pool, target="v2", **NEWEST)
    assert "verdicts on “v2”" in text(app)
    app.toggle(key="bank-on").set_value(False)
    app = run(app)
    assert "switched off" in text(app) and text(app) == Saying("No verdict", "v2")


def test_a_bank_goes_out_and_comes_in(open_page, neyman_home, downloads, pool):
    app = open_page(POOL, pool, **NEWEST)
    assert len(Bank.read(downloads["Bank as Parquet"]())) == 40
    assert downloads["Verdicts as CSV"]().startswith("item,answer,parser,text,grading,loss,model")
    app.file_uploader(key="bank-file").upload("theirs.parquet", Bank.of(exam("v2")).to_bytes())
    app = run(app)
    press(app, "Merge it into this home")
    assert len(gather(Archive(neyman_home))) == 80 and "80 verdicts on 40 items" in text(app)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "no bank of verdicts"),
        (b"PAR1 and no more", "no bank of verdicts"),
        (b"item,loss\n1,2\n", "the columns answer, parser, text, grading"),
        (
            b"item,answer,parser,text,grading,loss,model,source,date,is_key\n1,a,b,c,d,2,m,s,t,true\n",
            "row 1 \\(“2”\\)\\. Write each loss as a number from 0",
        ),
    ],
)
def test_a_file_that_is_no_bank_is_refused_and_changes_nothing(open_page, neyman_home, pool, content, why):
    app = open_page(POOL, pool, **NEWEST)
    before = len(gather(Archive(neyman_home)))
    app.file_uploader(key="bank-file").upload("theirs.csv", content)
    app = run(app)
    (error,) = messages(app, "error")
    assert why in error and "Merge it into this home" not in [one.label for one in app.button]
    assert len(gather(Archive(neyman_home))) == before == 40
