"""Answers that a model groups by meaning: what is asked, what it takes, what comes of it."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.pool import Pool
from core.readers import read
from core.signals import semantic_entropy
from core.surrogate import cli, control
from core.surrogate.client.prompting import messages
from core.surrogate.control import workload
from core.surrogate.faults import SurrogateError
from core.surrogate.filled_pool import pool_with
from core.surrogate.job.parameters import VERDICT_SAMPLING, Connection, Grouping, Prices, Prompting, Sampling
from core.surrogate.job.progress import progress
from core.surrogate.job.source import ItemSource, PairSource, source_of
from core.surrogate.job.spec import JobSpec
from core.surrogate.job.store import Store
from core.surrogate.meaning import Meanings, item_answers, judged_meanings
from core.surrogate.worker.run import run_job
from tests.core.surrogate.conftest import Fake, save_pool
from tests.core.surrogate.test_control import ended, until
from tests.core.wording import Saying

CAPITAL = {
    "id": "capital",
    "prompt": "Which city?",
    "generations": ["Rome", "Paris", "the Paris", "a Paris", "the Paris", " "],
    "targets": {"t": {"text": "an Paris"}, "same": {"text": "Rome"}, "lost": {"text": "Oslo"}},
}
COLOUR = {"id": "colour", "prompt": "Which colour?", "generations": ["red", "red"], "targets": {"t": {"text": "blue"}}}


def pool_of(*records: dict[str, Any]) -> Pool:
    return Pool.from_records(records, "open")


def spec_for(pool: Pool, home: Path, url: str = "http://127.0.0.1:9/v1", **grouping: Any) -> JobSpec:
    connection = Connection((url,), concurrency=8, timeout=20, backoff=0.01, patience=2)
    digest = save_pool(pool, home)
    return JobSpec(digest, "m", connection, sampling=VERDICT_SAMPLING, grouping=Grouping(**grouping))


def run(store: Store, spec: JobSpec) -> str:
    """Run the job to its end; its id."""
    job = store.create(spec, source_of(store.folder, spec).size)
    assert run_job(store, job, lambda line: None).state.startswith("done")
    return job


def meanings_of(store: Store, pool: Pool, spec: JobSpec) -> Meanings:
    run(store, spec)
    return judged_meanings(store, pool, spec)


def requests(server: Any) -> int:
    return sum(server.stats()["asked"].values())


def test_classes_by_meaning_become_those_of_the_pool(store: Store, neyman_home: Path, fake: Fake) -> None:
    server, pool = fake(verdicts={}), pool_of(CAPITAL, COLOUR)
    spec = spec_for(pool, neyman_home, server.url)
    expected = workload(pool, spec, store)
    job = run(store, spec)
    # Four distinct answers, both directions; what is equal, or no answer, is not asked about.
    assert expected.requests == requests(server) == 12
    assert "Possible answer 1: Rome" in server.stats()["bodies"][0]["messages"][-1]["content"]
    grouped = pool_with(store, pool, job)
    assert pool.classes().tolist() == [[0, 1, 2, 3, 2, 4], [0, 0, -1, -1, -1, -1]]
    assert grouped.classes().tolist() == [[0, 1, 1, 1, 1, 2], [0, 0, -1, -1, -1, -1]]
    assert grouped.answers()[0] == ["Rome", *["the Paris"] * 4, None], "the most frequent answer stands for its class"
    assert grouped.items_digest == pool.items_digest and grouped.digest != pool.digest
    np.testing.assert_array_equal(grouped.classes("as-is"), pool.classes())
    # Nobody placed the target's answers: they are where they are spelled alike.
    assert grouped.target_classes("t").tolist() == [3, 1]
    assert grouped.target_classes("same").tolist() == [0, -1]


def test_a_target_is_placed_and_changes_no_class(store: Store, neyman_home: Path, fake: Fake) -> None:
    server, pool = fake(verdicts={}), pool_of(CAPITAL, COLOUR)
    run(store, spec_for(pool, neyman_home, server.url))
    spec = spec_for(pool, neyman_home, server.url, targets=("t", "same"))
    expected = workload(pool, spec, store)
    assert (expected.requests, expected.known) == (8 + 2, 12)
    grouped = pool_with(store, pool, run(store, spec))
    assert requests(server) == 22 and workload(pool, spec, store).requests == 0
    assert grouped.classes().tolist()[0] == [0, 1, 1, 1, 1, 2]
    assert grouped.target_classes("t").tolist() == [1, 1]
    assert grouped.target_classes("same").tolist() == [0, -1]
    assert grouped.target_classes("lost").tolist() == [3, -1]
    again = read(_written(grouped, neyman_home / "grouped.jsonl"))
    assert again.digest == grouped.digest
    with pytest.raises(SurrogateError, match="no answers of “nobody”"):
        list(item_answers(pool, Grouping(targets=("nobody",))))


def _written(pool: Pool, path: Path) -> Path:
    pool.write(path)
    return path


def test_a_pair_is_asked_once_though_two_items_have_it(store: Store, neyman_home: Path, fake: Fake) -> None:
    server, pool = fake(verdicts={}), pool_of(CAPITAL, {**CAPITAL, "id": "copy"})
    spec = spec_for(pool, neyman_home, server.url)
    assert workload(pool, spec, store).requests == 12
    grouped = pool_with(store, pool, run(store, spec))
    assert requests(server) == 12 and grouped.classes().tolist() == [[0, 1, 1, 1, 1, 2]] * 2


def test_likelihoods_are_summed_over_meaning_classes(store: Store, neyman_home: Path, fake: Fake) -> None:
    record = {"generations": ["the cat", "dog", "a cat"], "logprobs": np.log([0.2, 0.5, 0.3]).tolist()}
    pool = pool_of({"id": "pet", "prompt": "Which pet?", **record})
    grouped = pool_with(store, pool, run(store, spec_for(pool, neyman_home, fake(verdicts={}).url)))
    np.testing.assert_allclose(semantic_entropy(grouped.classes(), grouped.logprobs), [np.log(2)])


def test_pairs_that_contradict_the_closure_are_counted(store: Store, neyman_home: Path, fake: Fake) -> None:
    pool = pool_of({"id": "1", "prompt": "?", "generations": ["a", "b", "c", "d"], "targets": {"t": {"text": "e"}}})
    alike = [("a", "b"), ("b", "c"), ("a", "e"), ("d", "e"), ("b", "e")]
    verdicts = {f"{first} → {second}": "entailment" for pair in alike for first, second in (pair, pair[::-1])}
    server = fake(verdicts=verdicts | {"c → d": "entailment", "a → d": "contradiction", "d → a": "entailment"})
    meanings = meanings_of(store, pool, spec_for(pool, neyman_home, server.url, targets=("t",)))
    assert meanings.generations == [["a", "a", "a", "d"]]
    # a and c were judged different, and b connects them; e means the same as answers in two classes.
    assert (meanings.same, meanings.different, meanings.overruled, meanings.overruled_items) == (5, 5, 1, 1)
    assert (meanings.ambiguous, meanings.targets["t"]) == (1, ["a"])
    lenient = meanings_of(store, pool, spec_for(pool, neyman_home, server.url, rule="lenient", targets=("t",)))
    assert (lenient.generations, lenient.overruled) == ([["a", "a", "a", "a"]], 3)
    assert requests(server) == 20, "another rule asks nothing again"


def test_refused_and_unreadable_verdicts_count_as_different(store: Store, neyman_home: Path, fake: Fake) -> None:
    pool = pool_of({"id": "1", "prompt": "?", "generations": ["a", "the a", "an a", "FORBIDDEN"]})
    server = fake(verdicts={"a → the a": "Who knows?"})
    spec = spec_for(pool, neyman_home, server.url)
    job = run(store, spec)
    ending = progress(store, job)
    assert (ending.state, ending.failed, ending.unparsed) == ("done with failures", 6, 1)
    meanings = judged_meanings(store, pool, spec)
    assert (meanings.same, meanings.different, meanings.undecided) == (2, 0, 4)
    assert meanings.generations == [["a", "a", "a", "FORBIDDEN"]] and "4 without a verdict" in str(meanings)
    # What brought no verdict is no part of the cache: a new run asks for it, and for nothing else.
    server.behave(verdicts={})
    assert workload(pool, spec, store).requests == 7
    run(store, spec)
    assert server.stats()["asked"]["? a → the a"] == 2 and server.stats()["asked"]["? the a → a"] == 1
    assert judged_meanings(store, pool, spec).same == 3


@pytest.mark.usefixtures("forked_workers")
def test_a_killed_run_asks_no_stored_pair_again(store: Store, neyman_home: Path, fake: Fake) -> None:
    server = fake(verdicts={}, hold_after=30)
    pool = pool_of(*({**CAPITAL, "id": str(i), "prompt": f"Item {i}?"} for i in range(6)))
    spec = spec_for(pool, neyman_home, server.url)
    job = control.start(store, spec)
    until(store, job, lambda now: now.done >= 30)
    process = store.row(job).process
    assert process is not None
    os.kill(process.pid, signal.SIGKILL)
    assert until(store, job, ended).state == "lost"
    assert judged_meanings(store, pool, spec).undecided > 0
    answered = set(server.stats()["samples"])
    assert len(answered) == 30 and workload(pool, spec, store).known == 30
    server.release()
    control.resume(store, job)
    assert until(store, job, ended).state == "done"
    requests = server.stats()["asked"]
    assert len(requests) == 72 and {pair for pair, times in requests.items() if times > 1}.isdisjoint(answered)
    assert judged_meanings(store, pool, spec).undecided == 0


def test_an_exact_judge_gives_the_classes_of_equal_texts(store: Store, neyman_home: Path, fake: Fake) -> None:
    records = [
        {"id": "choice", "answer_kind": "choice", "choices": ["x", "y"], "generations": ["(B)", "Answer: A", "b", "?"]},
        {"id": "text", "answer_kind": "text", "generations": ["Answer: Red", "red.", "green", "So be it: green"]},
        {"id": "official", "generations": ["1", "2", "3"], "generation_answers": ["u", "u", None]},
        {"id": "none"},
    ]
    targets = {"t": {"answer": "A"}, "u": {"text": "red"}}
    pool = pool_of(*({"prompt": "?", "targets": targets} | record for record in records))
    server = fake(verdicts={})
    for parser in (None, "text"):
        spec = spec_for(pool, neyman_home, server.url, targets=("t", "u"), parser=parser)
        expected = pool.answers(parser)
        assert [list(item.answers) for item in item_answers(pool, Grouping(parser=parser))] == expected
        grouped = pool_with(store, pool, run(store, spec))
        assert grouped.classes().tolist() == pool.classes(parser).tolist()
        for target in targets:
            assert grouped.target_classes(target).tolist() == pool.target_classes(target, parser).tolist()


ANSWERS = st.sampled_from(["a", "b", "c", "d", " a ", ""])


@settings(max_examples=25)
@given(st.lists(st.lists(ANSWERS, max_size=6), min_size=1, max_size=4), st.lists(ANSWERS, min_size=4, max_size=4))
def test_the_bound_counts_both_directions_of_all_distinct_pairs(generations: list[list[str]], said: list[str]) -> None:
    pool = pool_of(
        *(
            {"id": str(i), "prompt": f"{i % 3}?", "generations": texts, "targets": {"t": {"text": said[i]}}}
            for i, texts in enumerate([["x"], *generations])
            if i < len(said)
        )
    )
    for targets in ((), ("t",)):
        spec = JobSpec("0" * 64, "m", sampling=VERDICT_SAMPLING, grouping=Grouping(targets=targets))
        items = list(item_answers(pool, Grouping(targets=targets)))
        pairs = {(item.question, *pair) for item in items for one in item.pairs() for pair in (one, one[::-1])}
        sizes = [len({text.strip() for text in texts} - {""}) for texts in pool.generations or ()]
        if not targets:
            assert len(pairs) <= sum(size * (size - 1) for size in sizes)
            assert len({item.question for item in items}) < len(items) or len(pairs) == sum(n * (n - 1) for n in sizes)
        assert all(first != second and first and second for _, first, second in pairs)
        assert workload(pool, spec).requests == len(pairs)


def test_what_a_grouping_takes_is_bounded(neyman_home: Path) -> None:
    pool = pool_of(CAPITAL, {**CAPITAL, "id": "again", "prompt": "Wo läge Köln?"})
    spec = replace(spec_for(pool, neyman_home), prices=Prices(2.0, 10.0), prompting=Prompting(system="Be strict."))
    pairs = list(PairSource(neyman_home, spec).items())
    chats = [messages(pair, spec.prompting) for pair in pairs]
    size = sum(len(message["content"].encode()) for chat in chats for message in chat)
    expected = workload(pool, spec)
    assert expected.most_tokens is not None and expected.requests == len(pairs) == 24
    # Beside the texts the bound counts the names of the fields, and the most that a chat's form and a verdict take.
    assert expected.most_tokens == size + 24 * (len("{question}{first}{second}") + 200 + 64)
    assert expected.prompt_tokens == pytest.approx(size / 4, rel=0.1)
    assert expected.most_cost == pytest.approx((2 * (expected.most_tokens - 24 * 64) + 10 * 24 * 64) / 1e6)
    limitless = replace(spec, sampling=replace(VERDICT_SAMPLING, max_tokens=None))
    assert workload(pool, limitless).most_tokens is None


def test_a_server_holds_the_judge_to_one_word(store: Store, neyman_home: Path, fake: Fake) -> None:
    pool = pool_of(CAPITAL)
    server = fake(guides=["structured_outputs"], content="Well …")
    spec = replace(spec_for(pool, neyman_home, server.url), prompting=Prompting(letters_only=True))
    assert progress(store, run(store, spec)).unparsed == 0 and requests(server) == 12
    assert judged_meanings(store, pool, spec).undecided == 0


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"target": "t"}, "no target or list"),
        ({"items": ("capital",)}, "no target or list"),
        ({"sampling": Sampling(k=2)}, "asks once"),
    ],
)
def test_a_grouping_is_for_the_whole_pool(neyman_home: Path, change: dict[str, Any], sentence: str) -> None:
    spec = spec_for(pool_of(CAPITAL), neyman_home)
    with pytest.raises(SurrogateError, match=sentence):
        replace(spec, **change)
    assert spec.remarks() == []


def test_what_cannot_be_grouped_is_refused_in_a_sentence(store: Store, neyman_home: Path) -> None:
    for record, sentence in (
        ({"generations": ["a", " a"]}, "same text"),
        ({"answer": "a"}, "no generations"),
    ):
        pool = pool_of({"id": "1", "prompt": "?", **record})
        with pytest.raises(SurrogateError, match=sentence):
            control.start(store, spec_for(pool, neyman_home))
    spec = spec_for(pool_of(CAPITAL), neyman_home)
    with pytest.raises(SurrogateError, match="cannot be split"):
        ItemSource(neyman_home, spec)
    with pytest.raises(SurrogateError, match=r"\{second\}"):
        messages(next(PairSource(neyman_home, spec).items()), Prompting(template="{question} {first}"))
    with pytest.raises(SurrogateError, match="rule"):
        Grouping("loose")  # type: ignore[arg-type]
    with pytest.raises(SurrogateError, match="no answer kind"):
        Grouping(parser="riddle")


def test_every_verdict_is_its_prompts_and_its_models(neyman_home: Path) -> None:
    spec = spec_for(pool_of(CAPITAL), neyman_home)

    def keys(other: JobSpec) -> set[str]:
        return {pair.id for pair in PairSource(neyman_home, other).items()}

    assert len(keys(spec)) == 12
    others = (
        replace(spec, model="n"),
        replace(spec, prompting=Prompting(template="{question} {first} {second}")),
        replace(spec, prompting=Prompting(system="Be strict.")),
        replace(spec, sampling=replace(VERDICT_SAMPLING, temperature=1.0)),
    )
    assert all(keys(spec).isdisjoint(keys(other)) for other in others)
    assert keys(spec) == keys(replace(spec, grouping=Grouping("lenient"))) == keys(replace(spec, prices=Prices(1, 1)))


def test_the_command_groups_a_file(
    neyman_home: Path, tmp_path: Path, fake: Fake, capsys: pytest.CaptureFixture[str]
) -> None:
    server = fake(verdicts={})
    pool_of(CAPITAL, COLOUR).write(tmp_path / "pool.jsonl")
    (tmp_path / "prompt.txt").write_text(
        "{question}\n\nPossible answer 1: {first}\n\nPossible answer 2: {second}\n\nDoes it?\n", encoding="utf-8"
    )
    words = ["classes", f"{tmp_path / 'pool.jsonl'}", "--model=m", f"--base-url={server.url}", "--place=t"]
    words += [f"--prompt={tmp_path / 'prompt.txt'}", f"--out={tmp_path / 'grouped.parquet'}"]
    assert cli.main([*words, "--cost"]) == 0
    assert capsys.readouterr().out.startswith("22 requests") and requests(server) == 0
    assert cli.main(words) == 0
    assert capsys.readouterr().err == Saying("5 distinct answers", "3 meaning classes")
    assert server.stats()["bodies"][0]["messages"][-1]["content"].endswith("Does it?")
    grouped = read(tmp_path / "grouped.parquet")
    assert grouped.classes().tolist()[0] == [0, 1, 1, 1, 1, 2] and grouped.target_classes("t").tolist() == [1, 1]
    # Another rule finds every verdict in the store, whether or not the server lives.
    server.process.kill()
    assert cli.main([*words, "--rule=lenient"]) == 0
    assert cli.main(["list"]) == 0 and "lenient meaning classes" in capsys.readouterr().out


def test_the_command_compares_as_mathematics(
    neyman_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pool_of({"id": "1", "prompt": "?", "generations": ["0.5", "1/2", "2"], "targets": {"t": {"text": ".5"}}}).write(
        tmp_path / "pool.jsonl"
    )
    from fractions import Fraction

    monkeypatch.setattr(
        "core.answers.classes.mathematical_equality", lambda: lambda first, second: Fraction(first) == Fraction(second)
    )
    out = tmp_path / "grouped.jsonl"
    assert cli.main(["classes", f"{tmp_path / 'pool.jsonl'}", "--math", "--place=t", f"--out={out}"]) == 0
    grouped = read(out)
    assert (grouped.classes().tolist(), grouped.target_classes("t").tolist()) == ([[0, 0, 1]], [0])
    assert capsys.readouterr().err == Saying("3 distinct answers", "2 meaning classes")
