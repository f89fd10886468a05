"""Versions side by side: each with its interval, its labels and where it rests, and differences of pairs."""

from __future__ import annotations

import pytest

from core.bank import Bank, differences, history, limits_of
from core.pool import Pool
from pages.parts.app.address import VERSION
from tests.core.bank.test_history import versions
from tests.core.wording import Saying
from tests.pages.conftest import bare, figures, messages

MODELS, NEWEST = "pages/models.py", {"v": VERSION, "versions": "Side by side"}


@pytest.fixture(scope="module")
def pool() -> Pool:
    return versions({"v1": 0.6, "v10": 0.8, "v2": 0.7, "v11": None})


def text(app) -> str:
    return bare([*app.main.markdown, *app.main.caption]).replace("\u00a0", " ")


def test_each_version_has_its_interval_and_all_pairs_their_joint_limits(open_page, downloads, pool):
    app = open_page(MODELS, pool, **NEWEST)
    bank = Bank.of(pool)
    table, pairs = history(bank, pool), differences(bank, pool)
    (shown,) = (one.value for one in app.dataframe if "basis" in one.value.columns)
    assert shown["version"].tolist() == table["version"].tolist() == ["v1", "v2", "v10", "v11"]
    (differing,) = (one.value for one in app.dataframe if "certain" in one.value.columns)
    assert differing["certain"].tolist() == pairs["certain"].tolist() and len(differing) == 6
    assert f"{int(pairs['certain'].sum())} of 6 differences in accuracy are certain" in text(app)
    assert limits_of(table, pairs).replace("\u00a0", " ") in text(app)
    drawn = figures(app)
    (ticks,) = (one["layout"]["yaxis"]["ticktext"] for one in drawn if "v11" in str(one["layout"].get("yaxis")))
    assert ticks == ["v1", "v2", "v10", "v11"]
    assert downloads["Versions as CSV"]().splitlines()[0].startswith("version,date,value,low,high,labels,saved")


def test_versions_of_which_nothing_is_known_say_what_to_do(open_page):
    app = open_page(MODELS, versions({"v1": None, "v2": None}), **NEWEST)
    assert text(app) == Saying("Nothing is known", "versions") and not messages(app, "error")
    assert text(open_page(MODELS, None, **NEWEST)) == Saying("answers of two models or more")
