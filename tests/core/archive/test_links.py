"""Links for annotators: what a token opens, until when, and what is kept of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from core.archive import AnnotatorLink, Archive

BEGIN, NOON, END = "2026-01-01T00:00:00+00:00", "2026-01-01T12:00:00+00:00", "2026-01-08T00:00:00+00:00"
LINK = AnnotatorLink("p", "d", "right-wrong", "model", "Ann", BEGIN, END)
TOKEN = "2Kp1c1bJ0b8mXo3bS8e8mQ"


def test_a_token_opens_what_its_link_says(archive: Archive) -> None:
    number = archive.links.save(LINK, TOKEN)
    assert archive.links.opened_by(TOKEN, NOON) == archive.links.numbered(number, NOON) == replace(LINK, number=number)


@pytest.mark.parametrize("token", ["", TOKEN.lower(), TOKEN[:-1], f"{TOKEN} ", "%", "\x00", "\udcff", "' OR 1=1 --"])
def test_no_other_token_opens_it(archive: Archive, token: str) -> None:
    archive.links.save(LINK, TOKEN)
    assert archive.links.opened_by(token, NOON) is None


def test_the_hash_of_a_token_opens_nothing_and_the_token_is_not_kept(archive: Archive, tmp_path: Path) -> None:
    archive.links.save(LINK, TOKEN)
    assert archive.links.opened_by(_hash_in(archive), NOON) is None
    assert not any(TOKEN.encode() in path.read_bytes() for path in tmp_path.glob("neyman.sqlite*"))


def _hash_in(archive: Archive) -> str:
    with archive.hold() as database:
        (hashed,) = database.execute("SELECT token FROM annotator_links").fetchone()
    database.close()
    return str(hashed)


@pytest.mark.parametrize(
    ("moment", "opens"), [(BEGIN, True), ("2026-01-07T23:59:59+00:00", True), (END, False), ("2027-01-01", False)]
)
def test_a_link_expires(archive: Archive, moment: str, opens: bool) -> None:
    number = archive.links.save(LINK, TOKEN)
    assert (archive.links.opened_by(TOKEN, moment) is not None) == opens
    assert (archive.links.numbered(number, moment) is not None) == opens


def test_a_link_that_was_revoked_opens_nothing_and_the_others_stay(archive: Archive) -> None:
    first, second = archive.links.save(LINK, TOKEN), archive.links.save(replace(LINK, annotator="Ben"), "another")
    archive.links.revoke(first, NOON)
    archive.links.revoke(first, END)
    assert archive.links.opened_by(TOKEN, NOON) is None and archive.links.numbered(first, NOON) is None
    assert archive.links.opened_by("another", NOON) == replace(LINK, annotator="Ben", number=second)
    assert [(one.annotator, one.revoked) for one in archive.links.of("p")] == [("Ben", ""), ("Ann", NOON)]
    assert archive.links.of("q") == []


def test_two_links_never_share_a_token(archive: Archive) -> None:
    archive.links.save(LINK, TOKEN)
    with pytest.raises(Exception, match="UNIQUE"):
        archive.links.save(replace(LINK, annotator="Ben"), TOKEN)
    assert [one.annotator for one in archive.links.of("p")] == ["Ann"]
