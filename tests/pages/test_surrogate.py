"""Page Surrogate without a browser: what it asks for, what it says, and what it never shows."""

from __future__ import annotations

import json
import time

import pytest

from core.allocation import default_budget
from core.archive import Archive
from core.prospect import ANSWERS, NOTHING, SURROGATE, Prospect, scenarios
from core.surrogate import Connection, Gpu, JobSpec, Sampling, Store, installation, jobs, start
from core.words import per_cent, width
from pages.parts.app import visitor
from pages.parts.surrogate import form as surrogate_form
from tests.core.surrogate.conftest import faking, forked_workers, pool_of, save_pool
from tests.core.surrogate.vllm.packages import offered_vllm
from tests.core.wording import Saying
from tests.pages.conftest import components, practice, run
from tests.pages.pools import pool, records

__all__ = ["forked_workers"]
# `tests/core/surrogate/test_control.py` and `tests/browser` start workers as the app does.
pytestmark = pytest.mark.usefixtures("forked_workers")
PAGE = "pages/surrogate.py"
SECRET = "sk-not-for-anybody-0123456789"


@pytest.fixture(autouse=True)
def plain_machine(monkeypatch):
    """A machine without GPU and vLLM, unless a test says otherwise."""
    look_at(monkeypatch, (), None)


def look_at(monkeypatch, gpus, version):
    surrogate_form._machine.clear()
    monkeypatch.setattr(surrogate_form, "gpus", lambda: gpus)
    monkeypatch.setattr(surrogate_form, "vllm_version", lambda python: version)


def texts(app):
    shown = [*app.markdown, *app.caption, *app.text, *app.info, *app.warning, *app.error, *app.code]
    return bare("\n".join(str(element.value) for element in shown))


def bare(text):
    """Text as it is read, without what keeps it from being markup."""
    return text.replace("\\", "").replace("\u2060", "")


def filled(app, url):
    app.text_input(key="model").input("m")
    app.text_area(key="address").input(url)
    return run(app)


def press(app, label):
    next(button for button in app.button if button.label == label).click()
    return run(app)


def test_without_vllm_the_page_says_how_to_get_it_and_takes_an_address(open_page):
    app = open_page(PAGE, pool_of(5), ["by-hand"])
    assert "give the address of a server" in app.info[0].value
    assert "requirements/gpu.txt" in app.code[0].value and "NEYMAN_VLLM_PYTHON" in app.code[0].value
    assert app.selectbox(key="where").options == ["A server’s address"]
    assert next(button for button in app.button if button.label == "Start").disabled
    assert "Name a model to start." in texts(app)


def test_vllm_is_installed_where_a_gpu_is(open_page, neyman_home, tmp_path, monkeypatch):
    offered_vllm(tmp_path / "wheels", monkeypatch)
    look_at(monkeypatch, (Gpu("NVIDIA H200", 131_072, 143_360),), None)
    app = open_page(PAGE, pool_of(5), ["by-hand"])
    assert "requirements/gpu.txt" in app.code[0].value
    app = press(app, "Install vLLM here (about 12 GB)")
    assert "vLLM is being installed" in texts(app)
    assert [button.label for button in app.button if "vllm" in str(button.key)] == ["Cancel"]
    app = press(app, "Cancel")
    assert "vLLM was not installed" in texts(app)
    app = press(app, "Go on installing vLLM")
    deadline = time.monotonic() + 120
    while installation(neyman_home).state == "running" and time.monotonic() < deadline:
        time.sleep(0.1)
    look_at(monkeypatch, (Gpu("NVIDIA H200", 131_072, 143_360),), "0.32.0")
    app = run(app)
    assert "vLLM 0.32.0" in app.selectbox(key="where").options[0] and "installed" not in texts(app)


def test_a_python_that_was_named_is_not_replaced(open_page, monkeypatch):
    monkeypatch.setenv("NEYMAN_VLLM_PYTHON", "/usr/bin/mine")
    look_at(monkeypatch, (Gpu("NVIDIA H200", 131_072, 143_360),), None)
    app = open_page(PAGE, pool_of(5))
    assert not [button for button in app.button if "Install vLLM" in button.label]


def test_a_pool_that_has_generations_says_that_no_run_is_needed(open_page):
    assert "has 6 answers to each item already" in texts(open_page(PAGE, pool(records(5))))
    assert "to each item already" not in texts(open_page(PAGE, pool_of(5)))


@pytest.mark.parametrize(("shown", "verb"), [(practice(), "save"), (pool_of(600), "should save")], ids=["known", "new"])
def test_the_finding_is_that_of_page_plan(open_page, shown, verb):
    app = open_page(PAGE, shown)
    prospect = Prospect(shown, next(iter(shown.targets), None), default_budget(2, shown.n_items))
    rows = {one.name: one for one in scenarios(prospect)}
    ours = rows[SURROGATE]
    assert app.title[0].value == f"A cheap model’s answers {verb} {per_cent(ours.saved)} of the labels"
    (drawn,) = (json.loads(one.json) for one in components(app, "neyman_bars"))
    assert drawn["answer"] == f"{ours.labels:,} labels"
    wide = {NOTHING: "A plain random sample", SURROGATE: "With a cheap model’s answers", ANSWERS: "… and your model’s"}
    assert [(one["name"], one["text"]) for one in drawn["bars"]] == [
        (f"{wide[name]}{' (typical)' * row.assumed}", f"±{width(row.half_width, True)}")
        for name, row in rows.items()
        if name in wide
    ]
    assert ("a typical cheap model is assumed" in texts(app)) == ours.assumed


def test_a_gpu_is_named_with_its_free_memory(open_page, monkeypatch):
    look_at(monkeypatch, (Gpu("NVIDIA H200", 131_072, 143_360),), "0.32.0")
    app = open_page(PAGE, pool_of(5))
    assert app.selectbox(key="where").options[0] == Saying("This machine", "NVIDIA H200", "128 GiB free", "vLLM 0.32.0")
    assert not [button for button in app.button if "tiny" in button.label]


def test_the_tiny_surrogate_is_offered_where_vllm_runs_on_the_processor(open_page, monkeypatch):
    look_at(monkeypatch, (), "0.32.0")
    app = press(open_page(PAGE, pool_of(5)), "Use the bundled tiny surrogate")
    assert app.text_input(key="model").value == "data/tiny_lm/surrogate"
    assert "--serve=data/tiny_lm/surrogate" in texts(app) and "--enforce-eager" in texts(app)
    assert "--presence-penalty=0.0" in texts(app)
    assert not app.warning


def test_the_model_after_the_tiny_surrogate_gets_back_what_stood_before(open_page, monkeypatch):
    look_at(monkeypatch, (), "0.32.0")
    app = open_page(PAGE, pool_of(5))
    template = app.text_area(key="template").value
    app.text_input(key="arguments").set_value("--seed 3")
    for _ in range(2):
        press(app, "Use the bundled tiny surrogate")
    app.text_area(key="template").set_value("{question} Why?")
    app.text_input(key="model").set_value("Qwen/Qwen3.5-2B")
    run(app)
    assert app.text_input(key="arguments").value == "--seed 3"
    assert app.number_input(key="presence_penalty").value == 1.5
    # What was written since stays.
    assert app.text_area(key="template").value == "{question} Why?" != template


def test_what_a_run_takes_and_the_command_stand_before_start(open_page):
    app = filled(open_page(PAGE, pool_of(40)), "http://127.0.0.1:9/v1")
    assert "40 requests" in texts(app)
    assert "python -m neyman surrogate run" in texts(app) and "--base-url=http://127.0.0.1:9/v1" in texts(app)


def test_before_a_run_the_most_that_it_takes_is_shown_and_can_be_limited(open_page, neyman_home):
    pool = pool_of(30)
    with faking() as server:
        app = filled(open_page(PAGE, pool), server.url)
        assert "tokens in all" in texts(app) and "a cost of" not in texts(app)
        app.number_input(key="price_in").set_value(1.0)
        app.number_input(key="price_out").set_value(2.0)
        app.number_input(key="max_total_tokens").set_value(600)
        app = run(app)
        assert "tokens in all, a cost of" in texts(app)
        assert "--max-tokens" not in texts(app) and "--max-total-tokens=600" in texts(app)
        press(app, "Start")
        job = finished(neyman_home, pool)
    assert (job.state, job.done) == ("paused", 14)
    app = run(app)
    assert "600 tokens" in bare(app.warning[0].value)


@pytest.mark.parametrize(
    ("address", "says"),
    [("ftp://host", "http:// or https://"), ("http://me:secret-word@host/v1", "user name"), ("nonsense", "http://")],
)
def test_an_address_that_cannot_be_is_refused_in_a_sentence(open_page, address, says):
    app = filled(open_page(PAGE, pool_of(3)), address)
    assert says in bare(app.error[0].value) and "secret-word" not in texts(app)


@pytest.mark.parametrize("extra", ['{"api_key": "abc"}', '{"x": "sk-0123456789ab"}'])
def test_a_secret_among_the_further_fields_is_refused_and_not_repeated(open_page, extra):
    app = open_page(PAGE, pool_of(3))
    app.text_input(key="extra").input(extra)
    app = filled(app, "http://127.0.0.1:9/v1")
    assert "secret" in bare(app.error[0].value) and "sk-0" not in texts(app) and not app.code


def test_a_model_that_looks_like_an_option_is_refused(open_page):
    app = open_page(PAGE, pool_of(3))
    app.text_input(key="model").input("--evil")
    app.text_area(key="address").input("http://127.0.0.1:9/v1")
    assert "begins with a dash" in bare(run(app).error[0].value)


def test_a_run_from_start_to_the_pool(open_page, neyman_home):
    pool = pool_of(30)
    with faking(answers=3, latency=0.02, key=SECRET) as server:
        app = filled(open_page(PAGE, pool), server.url)
        app.text_input(key="api_key").input(SECRET)
        run(app)
        press(app, "Start")
        job = finished(neyman_home, pool)
        assert job.state == "done" and job.done == 30
        app = run(app)
        assert "30 of 30 items" in texts(app)
        assert SECRET not in texts(app)
        assert not [path for path in neyman_home.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]
        assert texts(filled(app, server.url)) == Saying("Tick the box")
        press(app, "Put the generations into the pool")
    assert "10 answers to each item" in texts(app) and app.success[0].value == Saying("in the pool")
    app.switch_page("pages/explore.py")
    assert "strat" in texts(run(app))


def test_a_wrong_key_stops_with_one_sentence_and_can_be_resumed(open_page, neyman_home):
    pool = pool_of(8)
    with faking(key=SECRET) as server:
        app = press(filled(open_page(PAGE, pool), server.url), "Start")
        assert finished(neyman_home, pool).state == "failed"
        app = run(app)
        assert "key" in bare(app.error[0].value)
        app.text_input(key="resume_key").input(SECRET)
        run(app)
        press(app, "Resume")
        assert finished(neyman_home, pool).state == "done"


def test_in_a_shared_app_whoever_is_not_its_owner_resumes_and_starts_nothing(open_page, neyman_home, monkeypatch):
    pool = pool_of(8)
    spec = JobSpec(save_pool(pool, neyman_home), "m", Connection(("http://127.0.0.1:9/v1",), patience=0.1))
    start(Store(neyman_home), spec)
    assert finished(neyman_home, pool).state == "failed"
    for model, button in (("m", "Resume"), ("m", "Resume with these settings"), ("other", "Start")):
        monkeypatch.setattr(visitor, "may_start", lambda: True)
        app = filled(open_page(PAGE, pool), "http://127.0.0.1:9/v1")
        app.text_input(key="model").input(model)
        app = run(app)
        monkeypatch.setattr(visitor, "may_start", lambda: False)
        # Whoever presses a button that was on is refused, and it is off from then on.
        app = press(app, button)
        assert any("Only the owner" in error.value for error in app.error)
        off = {one.label for one in app.button if one.disabled}
        assert {"Resume", "Test connection", "Start" if model == "other" else "Resume with these settings"} <= off
        assert texts(app) == Saying("Only the owner of this shared app can start runs", "--anyone-starts")
    assert [job.state for job in jobs(Store(neyman_home), pool.digest)] == ["failed"]


def test_a_run_goes_on_with_other_settings_at_another_address(open_page, neyman_home):
    pool = pool_of(8)
    with faking() as server:
        # As an earlier version began it.
        sampling = Sampling(max_tokens=None, repetition_detection=False)
        nowhere = Connection(("http://127.0.0.1:9/v1",), patience=0.1)
        spec = JobSpec(save_pool(pool, neyman_home), "m", nowhere, sampling=sampling)
        start(Store(neyman_home), spec)
        failed = finished(neyman_home, pool)
        app = open_page(PAGE, pool)
        app.number_input(key="concurrency").set_value(4)
        app.number_input(key="price_out").set_value(3.0)
        app = filled(app, server.url)
        assert "These settings change" in texts(app) and "--concurrency none → 4" in texts(app)
        assert "--price-completion none → 3.0" in texts(app) and "--max-tokens=none" in texts(app)
        press(app, "Resume with these settings")
        done = finished(neyman_home, pool)
    assert (done.id, done.state, done.done) == (failed.id, "done", 8)
    assert (done.spec.connection.base_urls, done.spec.connection.concurrency) == ((server.url,), 4)


def test_items_that_failed_are_listed_with_their_reason(open_page, neyman_home):
    pool = pool_of(4)
    table = [{**row, "prompt": "TOO LONG"} if row["id"] == "i2" else row for row in pool.table.to_pylist()]
    pool = type(pool).from_records(table, "asked")
    with faking() as server:
        spec = JobSpec(save_pool(pool, neyman_home), "m", Connection(base_urls=(server.url,)), sampling=Sampling(k=2))
        start(Store(neyman_home), spec)
        finished(neyman_home, pool)
        app = open_page(PAGE, pool)
        assert any("Why 1 item failed" in panel.label for panel in app.expander)
        assert texts(app) == Saying("m has answered 3 of 4 items") and _failed(app) == "1"
        assert "1 item failed for good" in texts(app)
        press(app, "Ask 1 item again: too long")
        assert finished(neyman_home, pool).state == "done with failures"
        assert sum("TOO LONG" in str(body["messages"]) for body in server.stats()["bodies"]) == 2


def test_a_run_that_paused_says_why_and_what_to_do(open_page, neyman_home):
    pool = pool_of(60)
    with faking(fail={"after": 10, "status": 400}) as server:
        connection = Connection(base_urls=(server.url,), concurrency=4)
        start(Store(neyman_home), JobSpec(save_pool(pool, neyman_home), "m", connection, sampling=Sampling(k=2)))
        assert finished(neyman_home, pool).state == "paused"
        app = open_page(PAGE, pool)
        assert texts(app) == Saying("Paused", "m has answered 10 of 60 items")
        assert "items failed" in bare(app.warning[0].value) and texts(app) == Saying("Resume when")
        server.behave(fail=None)
        press(app, "Resume")
        assert finished(neyman_home, pool).state == "done"


def test_items_that_failed_for_a_passing_reason_are_counted_apart(open_page, neyman_home):
    pool = pool_of(6)
    with faking(fail={"after": 4, "status": 400, "times": 4}) as server:
        connection = Connection(base_urls=(server.url,), concurrency=1)
        start(Store(neyman_home), JobSpec(save_pool(pool, neyman_home), "m", connection, sampling=Sampling(k=2)))
        assert finished(neyman_home, pool).state == "done with failures"
        app = open_page(PAGE, pool)
        assert texts(app) == Saying("m has answered 4 of 6 items") and _failed(app) == "2"
        assert "Resume asks 2 items again" in texts(app)
        press(app, "Resume")
        assert finished(neyman_home, pool).state == "done"
    assert "m has answered 6 of 6 items" in texts(run(app))


def test_a_connection_is_tested_before_anything_runs(open_page, neyman_home):
    pool = pool_of(5)
    with faking(answers=1, key=SECRET, refuse={"top_k": "openai"}) as server:
        app = press(filled(open_page(PAGE, pool), server.url), "Test connection")
        assert "refuses the key" in bare(app.error[0].value)
        app.text_input(key="api_key").input(SECRET)
        app = press(run(app), "Test connection")
        assert "fake-1 answered in" in bare(app.success[0].value) and not app.error
        assert "Not taken: top_k" in texts(app) and "read as 0" in texts(app) and SECRET not in texts(app)
        assert server.stats()["asked"] == {"0": 1}
        # Of another model nothing is known.
        app.text_input(key="model").input("other")
        assert not run(app).success
    assert jobs(Store(neyman_home), pool.digest) == []


def test_models_are_listed_where_none_is_named(open_page):
    with faking(models=["m", "n"]) as server:
        app = open_page(PAGE, pool_of(5))
        app.text_area(key="address").input(server.url)
        app = press(run(app), "Test connection")
        assert "offers m, n" in texts(app)
        app.selectbox(key="offered-model").set_value("n")
        assert run(app).text_input(key="model").value == "n"
    with faking() as server:
        app = open_page(PAGE, pool_of(5))
        app.text_area(key="address").input(server.url)
        assert press(run(app), "Test connection").text_input(key="model").value == "m"


def test_several_addresses_stand_one_per_line(open_page, neyman_home):
    pool = pool_of(40)
    with faking(latency=0.02) as first, faking(latency=0.02) as second:
        app = press(filled(open_page(PAGE, pool), f"{first.url}\n{second.url}\n"), "Start")
        job = finished(neyman_home, pool)
        assert (job.state, job.done) == ("done", 40)
        assert job.spec.connection.base_urls == (first.url, second.url)
        assert first.stats()["asked"] and second.stats()["asked"]
    assert f"--base-url={first.url}" in texts(run(app))


def test_a_preset_fills_in_the_sampling(open_page):
    app = filled(open_page(PAGE, pool_of(3)), "http://127.0.0.1:9/v1")
    assert "--temperature" not in texts(app)
    app.selectbox(key="preset").set_value("gemma3")
    app.number_input(key="run-seed").set_value(7)
    app.number_input(key="timeout").set_value(30.0)
    app.number_input(key="patience").set_value(5.0)
    app = run(app)
    for option in ("--temperature=1.0", "--top-p=0.95", "--top-k=64", "--presence-penalty=0.0", "--seed=7"):
        assert option in texts(app)
    assert "--timeout=30.0" in texts(app) and "--patience=5.0" in texts(app)


@pytest.mark.parametrize(
    ("preset", "thinking", "limit"), [("qwen3.5", "off", "4,096"), ("qwen3.5-thinking", "on", "16,384")]
)
def test_a_preset_says_whether_the_model_thinks(open_page, preset, thinking, limit):
    app = filled(open_page(PAGE, pool_of(3)), "http://127.0.0.1:9/v1")
    assert "--thinking" not in texts(app) and app.number_input(key="max_tokens").placeholder == "4,096"
    app.selectbox(key="preset").set_value(preset)
    app = run(app)
    assert f"--thinking={thinking}" in texts(app) and app.number_input(key="max_tokens").placeholder == limit
    app.selectbox(key="thinking").set_value(None)
    app.number_input(key="max_tokens").set_value(0)
    app.toggle(key="repetition_detection").set_value(False)
    app = run(app)
    assert "--thinking" not in texts(app)
    assert "--max-tokens=none" in texts(app) and "--no-repetition-detection" in texts(app)


def test_a_base_model_has_a_template_of_its_own(open_page):
    app = filled(open_page(PAGE, pool_of(3)), "http://127.0.0.1:9/v1")
    app.toggle(key="base_model").set_value(True)
    app.toggle(key="letters_only").set_value(True)
    app = run(app)
    assert app.text_area(key="template").value.startswith("Question: {question}")
    assert "--base-model" in texts(app) and "--letters-only" in texts(app) and "--template=" not in texts(app)


def test_a_judge_brings_a_column(open_page, neyman_home):
    rows = [{"id": f"i{i}", "prompt": f"What is item {i}?", "targets": {"t": {"text": "Two."}}} for i in range(6)]
    judged = pool_of(1).from_records(rows, "judged")
    with faking(yes=0.6) as server:
        app = open_page(PAGE, judged)
        app.segmented_control(key="role").set_value("judge")
        app = filled(run(app), server.url)
        assert "every answer of t" in texts(app) and "--judge=t" in texts(app)
        press(app, "Start")
        assert finished(neyman_home, judged).state == "done"
        app = press(run(app), "Put the verdicts into the pool")
    assert "judge of “t”" in texts(app) or app.success[0].value == Saying("in the pool")


def test_answers_are_grouped_by_meaning(open_page, neyman_home):
    texts_of = [["cat", "the cat", "dog", "FORBIDDEN"], ["red", "red", "red", "red"]]
    rows = [{"id": f"i{i}", "prompt": "Which?", "generations": answers} for i, answers in enumerate(texts_of)]
    rows[0]["targets"] = {"t": {"text": "a cat"}}
    open_ended = pool_of(1).from_records(rows, "open")
    with faking(verdicts={"cat → dog": "contradiction"}) as server:
        app = press(open_page("pages/pool.py", open_ended, contents="answers"), "Group these answers by meaning")
        assert app.segmented_control(key="role").value == "meaning"
        app = run(app.switch_page(PAGE))
        app = filled(app, server.url)
        assert "12 requests" in texts(app) and "--rule=strict" in texts(app)
        app.selectbox(key="verdict_thinking").set_value("on")
        app = run(app)
        assert "--max-tokens=16384 --thinking=on" in texts(app)
        app.selectbox(key="verdict_thinking").set_value(None)
        app.multiselect(key="meaning-targets").set_value(["t"])
        app.selectbox(key="meaning-rule").set_value("lenient")
        app = run(app)
        assert "20 requests" in texts(app) and "--rule=lenient --place=t" in texts(app)
        press(app, "Start")
        ended = finished(neyman_home, open_ended)
        assert (ended.state, ended.done, ended.failed) == ("done with failures", 12, 8)
        app = run(app)
        # Of the first item’s four classes three are left, the second has one.
        assert texts(app) == Saying("0.69 nats by equal texts", "0.52 nats by meaning")
        assert "4 pairs without a clear verdict" in texts(app)
        assert [metric.value for metric in app.metric[:2]] == ["12", "8"]
        app = press(app, "Put the meaning classes into the pool")
    grouped = Archive(neyman_home).pools.load(app.query_params["pool"])
    assert grouped.classes().tolist() == [[0, 0, 1, 2], [0, 0, 0, 0]]
    assert grouped.target_classes("t").tolist() == [0, -1]


def test_a_pool_with_options_is_not_offered_meanings(open_page):
    rows = [{"id": "1", "prompt": "?", "answer_kind": "choice", "choices": ["x", "y"], "generations": ["A", "B"]}]
    app = open_page(PAGE, pool_of(1).from_records(rows, "closed"))
    assert "meaning" not in app.segmented_control(key="role").proto.options.__str__()


def finished(home, pool):
    """The newest job on a pool, once no worker is at it."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        runs = jobs(Store(home), pool.digest)
        if runs and not runs[0].active:
            return runs[0]
        time.sleep(0.1)
    raise AssertionError("the job did not end")


def _failed(app) -> str:
    """How many items failed, as the page counts them."""
    return next(metric.value for metric in app.metric if metric.label == "Items failed")
