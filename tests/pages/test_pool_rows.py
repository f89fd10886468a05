"""Pool: files whose rows are runs of an item, verdicts of reviewers, or items of subsets."""

from __future__ import annotations

import pytest

from core.archive import Archive
from core.study import runs
from tests.conftest import ROOT
from tests.core.wording import Saying
from tests.pages.conftest import bare, button, messages, press, run, table
from tests.pages.uploads import as_lines, role, upload

CASES = ROOT / "tests" / "cases"


def saved(app, home):
    press(app, "Use this file")
    assert not app.exception and not app.error
    return Archive(home).pools.load(app.query_params["pool"])


@pytest.mark.parametrize(("case", "run_of"), [("agent_trials_task_id.csv", "attempt"), ("tau_bench.json", "trial")])
def test_the_first_run_of_each_item_counts_and_is_said_first(case, run_of, open_page, neyman_home):
    app = upload(open_page("pages/pool.py"), (case, (CASES / case).read_bytes()))
    note = "15 items × 4 runs. Where one answer is needed, the first run counts."
    assert role(app, "Run").value == [run_of] and note in bare(app.markdown)
    role(app, "Run").set_value([])
    run(app)
    # Without a run, ids repeat: the way to name it stands before the numbers of the rows.
    if case.endswith("csv"):
        problems = table(app, 0).to_string()
        assert problems == Saying("already used", "field numbers the runs", "names the models", "number of the row")
        assert button(app, "Use this file").disabled
    role(app, "Run").set_value([run_of])
    run(app)
    pool = saved(app, neyman_home)
    assert pool.n_items == 15 and pool.remarks[0] == note
    assert note in bare([*app.caption, *app.markdown, *app.info])


def test_reviewers_subsets_and_models_named_by_two_fields_have_boxes(open_page, neyman_home):
    content = (CASES / "reviewers_long.csv").read_bytes()
    app = upload(open_page("pages/pool.py"), ("reviewers_long.csv", content))
    assert role(app, "Reviewer").value == "reviewer" and role(app, "Item id").value == "response_id"
    pool = saved(app, neyman_home)
    assert pool.n_items == 16 and "clarity (reviewer r3)" in pool.items

    rows = [{"task": s, "id": n, "question": f"{s} {n}?", "output": "A"} for s in ("x", "y") for n in range(12)]
    app = upload(open_page("pages/pool.py"), ("tasks.jsonl", as_lines(rows)))
    assert role(app, "Subset").value == "task" and role(app, "Item id").value == "id"
    assert saved(app, neyman_home).ids.tolist() == [f"{row['task']}:{row['id']}" for row in rows]

    rows = [
        {
            "id": n,
            "question": f"What is {n}?",
            "model": model,
            "prompt_version": version,
            "correct": (n + len(model)) % 2,
        }
        for n in range(12)
        for model in ("gpt-4o", "claude")
        for version in ("v1", "v2")
    ]
    app = upload(open_page("pages/pool.py"), ("models.jsonl", as_lines(rows)))
    assert role(app, "Name of the model").value == ["model", "prompt_version"]
    assert set(saved(app, neyman_home).targets) == {"gpt-4o, v1", "gpt-4o, v2", "claude, v1", "claude, v2"}


def test_comparisons_are_read_as_a_pair_or_refused_as_such(open_page, neyman_home):
    app = upload(open_page("pages/pool.py"), ("pairs.json", (CASES / "logickor_small.json").read_bytes()))
    assert list(Archive(neyman_home).pools.load(app.query_params["pool"]).targets) == ["A against B"]
    rows = [
        {"pair_id": n, "question": "Why?", "response_A": "So.", "response_B": "Thus.", "label": "A>B"} for n in "abc"
    ]
    app = upload(open_page("pages/pool.py"), ("pairs.jsonl", as_lines(rows)))
    assert messages(app, "error")[0] == Saying("a list of comparisons", "which of two answers is better")


def test_runs_of_an_agent_have_a_tab_with_what_to_expect(open_page, neyman_home):
    agent = ROOT / "tests" / "pools" / "tau-bench-airline-gpt4o.csv"
    pool = saved(upload(open_page("pages/pool.py"), (agent.name, agent.read_bytes())), neyman_home)
    app = open_page("pages/pool.py", pool, contents="runs")
    said = bare([*app.markdown, *app.caption])
    found = runs(pool, next(iter(pool.targets)))
    assert "50 items × 4 runs" in said and found.of_flips in said
    assert table(app, -1)["To expect"].tolist() == ["42.0\u00a0%", "72.0\u00a0%", "20.0\u00a0%"]
