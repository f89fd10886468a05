"""In public: what a visitor has brought is computed in a store of their own, in a home of their own."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from core.archive import Archive
from core.errors import HomeError
from pages.parts.app import kept, premises, session, state
from tests.pages.conftest import CREATED
from tests.pages.pools import pool, records


@pytest.fixture
def public(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> premises.Public:
    public = premises.Public(root=tmp_path)
    monkeypatch.setattr(premises, "_here", public)
    return public


def test_who_has_brought_something_has_a_store_of_their_own(public, monkeypatch):
    own = kept.Own()
    monkeypatch.setattr(premises, "get_script_run_ctx", lambda **_: SimpleNamespace(session_id="ann"))
    monkeypatch.setattr(session, "held", lambda kind: own)
    assert kept.memo() is kept._everybodys()
    state.archive().pools.save(pool(records()), CREATED)
    assert kept.memo() is own.memo
    assert kept.once("judges", "of ann", lambda: 1) == 1
    assert kept._everybodys().shelf("judges").get("of ann") is None
    # What Neyman brings is not read again for each of them.
    assert kept.once("bundled pools", "a pool", lambda: 1) == kept._everybodys().shelf("bundled pools").get("a pool")


def test_nothing_is_copied_and_nothing_kept_outside_a_visit(public):
    assert state.tended() is None
    with pytest.raises(HomeError, match="public app keeps nothing"):
        state.archive()
    assert list(public.root.iterdir()) == []


def test_a_run_that_outlasts_its_visit_makes_no_home(public, monkeypatch):
    monkeypatch.setattr(premises, "get_script_run_ctx", lambda **_: SimpleNamespace(session_id="ann"))
    monkeypatch.setattr(premises.runtime, "exists", lambda: True)
    present = {"ann"}
    monkeypatch.setattr(
        premises.runtime, "get_instance", lambda: SimpleNamespace(is_active_session=present.__contains__)
    )
    state.archive()
    present.clear()
    public.forget("ann")
    with pytest.raises(HomeError, match="public app keeps nothing"):
        state.archive()
    assert list(public.root.iterdir()) == []


def test_at_home_everything_can_be_done(neyman_home):
    here = premises.Premises()
    assert (here.home(), here.notice, here.refusal("Running a model")) == (neyman_home, "", "")
    assert Archive(here.home()).blank
