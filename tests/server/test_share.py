"""``make share``, from two addresses: what an annotator's link opens, and what no try opens."""

from __future__ import annotations

import json
import re
import socket
from pathlib import Path
from urllib.parse import urlsplit

import pandas as pd
import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.exceptions import ConnectionClosed, InvalidStatus

from core.surrogate import Store, jobs
from tests.browser.servers import forked
from tests.server.team import ANN, BEN, CREATED, EVE, HERE, LINUX, Team, hidden, query_of, rows, visiting


def test_it_says_where_it_is_and_what_the_code_is(team: Team) -> None:
    log = team.server.log.read_text(encoding="utf-8")
    assert team.origin in log
    assert re.fullmatch(r"\w{4}-\w{4}-\w{4}", team.code())


def test_a_colleague_gives_the_code_once_and_sees_everything(team: Team) -> None:
    code = team.code()
    status, headers, _ = team.request(
        BEN, "POST", "/enter", f"code={code}", Origin=team.origin, Content_Type="application/x-www-form-urlencoded"
    )
    assert status == 303
    cookie = headers["set-cookie"].partition(";")[0]
    assert team.request(BEN, "GET", "/_stcore/health", Cookie=cookie)[0] == 200
    with visiting(team, BEN, cookie) as visit:
        sent = visit.run(f"pool={team.digest[:16]}", visit.pages["label"])
    assert b"hidden-target" in sent and b"hidden-pool" in sent
    again = team.request(EVE, "POST", "/enter", f"code={code}", Origin=team.origin)
    assert again[0] == 403 and "set-cookie" not in again[1]
    assert team.code() != code


def test_a_colleague_uploads_nothing_without_the_token_of_the_page(team: Team) -> None:
    status, headers, _ = team.request(BEN, "POST", "/enter", f"code={team.code()}", Origin=team.origin)
    assert status == 303
    cookie = headers["set-cookie"].partition(";")[0]
    path = "/_stcore/upload_file/session/file"
    for given in (cookie, f"{cookie}; _streamlit_xsrf=2|00000000|00|1"):
        assert team.request(BEN, "PUT", path, "x", Origin=team.origin, Cookie=given)[0] == 403


@pytest.mark.skipif(not LINUX, reason="Only Linux answers at several addresses here.")
def test_whoever_guesses_codes_waits_and_nobody_else(team: Team) -> None:
    guesses = [
        team.request("127.0.2.1", "POST", "/enter", f"code=AAAA-BBBB-CCC{number}", Origin=team.origin)[0]
        for number in range(7)
    ]
    assert guesses == [403] * 5 + [429] * 2
    assert team.request("127.0.2.1", "POST", "/enter", f"code={team.code()}", Origin=team.origin)[0] == 429
    assert team.request("127.0.2.2", "POST", "/enter", f"code={team.code()}", Origin=team.origin)[0] == 303


TYPED = {"Model": "m", "Address": "http://127.0.0.1:9/v1"}


def test_a_colleague_starts_no_run_and_the_page_says_why(team: Team) -> None:
    pool = f"pool={team.digest[:16]}"
    with visiting(team, BEN, team.colleague(BEN)) as visit:
        page = visit.pages["surrogate"]
        sent = visit.run(pool, page)
        assert b"Only the owner of this shared app can start runs" in sent and b"--anyone-starts" in sent
        assert visit.widgets["Start"].disabled and visit.widgets["Test connection"].disabled
        # Whoever sends what a page with open buttons would send gets the same answer.
        for button in ("Test connection", "Start"):
            sent = visit.press(button, TYPED, pool, page)
            assert b"Only the owner" in sent and visit.widgets["Start"].disabled
    assert jobs(Store(team.server.home), team.digest) == []
    with visiting(team, HERE, team.owner()) as visit:
        sent = visit.run(pool, visit.pages["surrogate"])
        assert b"Only the owner" not in sent
        # Nothing is typed yet, so nothing can start; with an address there is something to test.
        sent = visit.press("Test connection", TYPED, pool, visit.pages["surrogate"])
        assert not visit.widgets["Start"].disabled and b"cannot be reached" in sent


def test_where_everybody_may_start_runs_a_colleague_may(tmp_path: Path) -> None:
    server = forked(tmp_path, "--share", HERE, "--anyone-starts", ahead=False)
    server.wait_until_healthy(shared=True)
    open_to_all = Team(server, "", "", "")
    with visiting(open_to_all, BEN, open_to_all.colleague(BEN)) as visit:
        assert b"Only the owner" not in visit.run("", visit.pages["surrogate"])
    server.stop()


def test_the_address_of_the_owner_is_printed_once_and_its_cookie_opens_everything(team: Team) -> None:
    cookie = team.owner()
    assert team.request(HERE, "GET", "/label", Cookie=cookie)[0] == 200
    token = cookie.partition("=")[2]
    assert team.server.log.read_text(encoding="utf-8").count(token) == 1
    # The owner reaches the app as this machine alone does.
    assert f"http://127.0.0.1:{urlsplit(team.server.url).port}/?token={token}" in team.server.log.read_text()


def test_a_link_opens_its_list_alone(team: Team) -> None:
    number, token = team.link("Ann")
    with visiting(team, ANN, team.cookie(ANN, token)) as visit:
        sent = visit.run(query_of(number), visit.pages["label"])
        assert b"list question" in sent and b"reply" in sent and b"Ann" in sent
        assert hidden(sent) == []
        for page in ("", *visit.pages.values()):
            for query in ("", f"pool={team.digest[:16]}", "design=paper&budget=20", "tour=1"):
                sent = visit.run(query, page)
                assert hidden(sent) == [] and b"list question" not in sent


def test_a_link_does_not_open_another_list(team: Team) -> None:
    _, token = team.link("Ann of one list")
    other, _ = team.link("Ben", plan_id=team.other_id)
    queries = [
        query_of(other),
        f"only=label&plan={team.other_id}&asks=gold",
        f"only=label&plan={team.plan_id}&asks=gold&pool={team.digest[:16]}",
        query_of(other + 1000),
        "only=label&link=-1",
        "only=label&link=1%20OR%201",
        "only=label&link=",
        f"only=label&link={'9' * 5000}",
        f"only=label&link={2**64}",
    ]
    with visiting(team, ANN, team.cookie(ANN, token)) as visit:
        for query in queries:
            sent = visit.run(query, visit.pages["label"])
            assert hidden(sent) == [] and b"list question" not in sent, query


@pytest.mark.parametrize("change", [{"revoked": CREATED}, {"expires": CREATED}])
def test_a_link_that_ended_opens_nothing(team: Team, change: dict[str, str]) -> None:
    number, token = team.link("Eve", **change)
    status, headers, _ = team.request(EVE, "GET", f"/open/{token}")
    assert status == 403 and "set-cookie" not in headers
    port = urlsplit(team.server.url).port
    with pytest.raises(InvalidStatus), visiting(team, EVE, f"neyman-{port}-link-{number}={token}"):
        pass


def test_a_replayed_cookie_of_a_revoked_link_opens_nothing(team: Team) -> None:
    number, token = team.link("Cleo")
    cookie = team.cookie(ANN, token)
    team.archive.links.revoke(number, CREATED)
    assert team.request(EVE, "GET", "/label", Cookie=cookie)[0] == 401
    with pytest.raises(InvalidStatus), visiting(team, EVE, cookie):
        pass


def test_a_label_after_the_link_was_revoked_is_not_saved(team: Team) -> None:
    number, token = team.link("Dora")
    with visiting(team, ANN, team.cookie(ANN, token)) as visit:
        visit.run(query_of(number), visit.pages["label"])
        team.archive.links.revoke(number, CREATED)
        with pytest.raises(ConnectionClosed):
            visit.run(query_of(number), visit.pages["label"], label="right")
    assert "Dora" not in set(team.archive.labels.of(team.plan_id)["annotator"])


def test_a_link_that_empties_the_caches_ends_its_session_and_empties_none(team: Team) -> None:
    number, token = team.link("Zoe")
    with visiting(team, ANN, team.cookie(ANN, token)) as visit:
        visit.run(query_of(number), visit.pages["label"])
        visit.send(BackMsg(clear_cache=True))
        assert visit.close_code() == 1008


def test_two_annotators_label_the_same_item_and_both_labels_stay(team: Team) -> None:
    for name, source, label in (("Gus", ANN, "right"), ("Hal", BEN, "wrong")):
        number, token = team.link(name)
        with visiting(team, source, team.cookie(source, token)) as visit:
            visit.run(query_of(number), visit.pages["label"])
            visit.run(query_of(number), visit.pages["label"], label=label)
    rows = team.archive.labels.of(team.plan_id).set_index("annotator").loc[["Gus", "Hal"]]
    assert rows["label"].tolist() == ["right", "wrong"]
    assert rows["item_id"].nunique() == 1


def test_a_link_labels_no_item_beyond_its_list(team: Team) -> None:
    number, token = team.link("Fay")
    drawn = json.loads(team.archive.plans.table().set_index("plan_id")["manifest"][team.plan_id])
    with visiting(team, ANN, team.cookie(ANN, token)) as visit:
        visit.run(query_of(number), visit.pages["label"])
        beyond = next(row["id"] for row in rows("list") if row["id"] not in json.dumps(drawn))
        for item in (beyond, "other-list1", "nothing"):
            visit.run(query_of(number), visit.pages["label"], label="right", item=item)
    assert "Fay" not in set(team.archive.labels.of(team.plan_id)["annotator"])


def test_a_link_gives_no_label_to_another_list_question_or_person(team: Team) -> None:
    number, token = team.link("Uma")
    team.link("Val", plan_id=team.other_id)
    with visiting(team, ANN, team.cookie(ANN, token)) as visit:
        visit.run(query_of(number), visit.pages["label"])
        to = json.loads(visit.desk["to"])
        for part, value in enumerate(("f" * 64, team.other_id, "gold", "", "Val")):
            sent = visit.run(
                query_of(number), visit.pages["label"], label="right", to=[*to[:part], value, *to[part + 1 :]]
            )
            assert hidden(sent) == [] and not any(one.get("saved") for one in visit.desk["replies"].values())
        visit.run(query_of(number), visit.pages["label"], label="right", to=to)
    rows = pd.concat([team.archive.labels.of(plan) for plan in (team.plan_id, team.other_id)])
    assert rows.loc[rows["annotator"].isin(["Uma", "Val"]), "label"].tolist() == ["right"]


@pytest.mark.parametrize("token", ["guess", "token-of-Ann-0-1", "../../etc/passwd", "%00", "'%20OR%201=1--"])
def test_a_guessed_token_is_refused(team: Team, token: str) -> None:
    source = f"127.0.1.{len(token)}" if LINUX else EVE
    status, headers, text = team.request(source, "GET", f"/open/{token}")
    assert status in (400, 403, 429) and "set-cookie" not in headers and "question" not in text


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "127.0.0.2.evil.example", ""])
@pytest.mark.parametrize("path", ["/", "/enter", "/open/x", "/_stcore/health", "/media/a.csv"])
def test_a_forged_host_header_is_refused(team: Team, host: str, path: str) -> None:
    _, token = team.link("Ida")
    cookie = team.cookie(ANN, token)
    assert team.request(EVE, "GET", path, Host=host, Cookie=cookie)[0] == 421


def test_a_session_from_another_site_is_refused(team: Team) -> None:
    _, token = team.link("Jon")
    cookie = team.cookie(ANN, token)
    with pytest.raises(InvalidStatus), visiting(team, ANN, cookie, origin="http://evil.example"):
        pass


@pytest.mark.parametrize("path", ["/enter", "/_stcore/upload_file/session/file", "/label"])
def test_a_post_from_another_site_is_refused(team: Team, path: str) -> None:
    _, token = team.link("Kim")
    cookie = team.cookie(ANN, token)
    answer = team.request(ANN, "POST", path, f"code={team.code()}", Origin="http://evil.example", Cookie=cookie)
    assert answer[0] == 403 and "set-cookie" not in answer[1]


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_an_annotator_uploads_nothing(team: Team, method: str) -> None:
    _, token = team.link("Lea")
    cookie = team.cookie(ANN, token)
    path = "/_stcore/upload_file/session/file"
    assert team.request(ANN, method, path, "x", Origin=team.origin, Cookie=cookie)[0] == 403


def test_metrics_are_closed(team: Team) -> None:
    _, token = team.link("Max")
    assert team.request(ANN, "GET", "/_stcore/metrics", Cookie=team.cookie(ANN, token))[0] == 404


@pytest.mark.parametrize("path", ["/", "/label", "/_stcore/health", "/media/a.csv", "/static/js/x.js"])
def test_a_stranger_gets_nowhere(team: Team, path: str) -> None:
    assert team.request(EVE, "GET", path)[0] == 401


def test_tokens_are_kept_hashed(team: Team) -> None:
    _, token = team.link("Nia")
    files = [file for file in Path(team.server.home).rglob("*") if file.is_file()]
    assert files and not any(token.encode() in file.read_bytes() for file in files)


def test_the_machine_itself_needs_the_code_too(team: Team) -> None:
    with socket.create_connection(("127.0.0.1", int(urlsplit(team.server.url).port or 0))) as plain:
        plain.sendall(b"GET /label HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert plain.recv(64).startswith(b"HTTP/1.1 401")
