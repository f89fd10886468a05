"""What a job takes, before it starts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.answers import KINDS
from core.pool import Pool
from core.surrogate.control import preview, workload
from core.surrogate.job.parameters import Prices, Prompting, Sampling, Serving
from core.surrogate.job.spec import JobSpec

DIGEST = "0123456789abcdef" * 4
POOL = Pool.from_records(
    [
        {"id": f"i{i}", "prompt": "Ω?" * (i % 40), "answer_kind": KINDS[i % len(KINDS)], "image": "a.png"}
        | ({} if i % 3 else {"choices": [f"option {place}" for place in range(i % 31)]})
        for i in range(120)
    ]
)
PROMPTINGS = (
    Prompting(),
    Prompting("Be brief. Ω", "{question} {question}\n\n{choices}"),
    Prompting(template="{question}", templates=(("number", "{question}\n\n{instruction} {instruction} Ω"),)),
)


def prompt_bytes(position: int, prompting: Prompting) -> int:
    """Bytes of the messages that are sent for an item, its images apart."""
    bare = Pool("bare", POOL.table.drop_columns("image"))
    if not POOL.items["prompt"].iloc[position]:
        return 0
    return sum(len(str(message["content"]).encode()) for message in preview(bare, position, prompting))


@pytest.mark.parametrize("prompting", PROMPTINGS)
@pytest.mark.parametrize("items", [None, ("i3", "i119")])
def test_no_run_takes_more_than_the_most(prompting: Prompting, items: tuple[str, ...] | None) -> None:
    sampling = Sampling(k=4, max_tokens=50)
    spec = JobSpec(DIGEST, "m", sampling=sampling, prompting=prompting, prices=Prices(2.0, 6.0), items=items)
    positions = range(120) if items is None else (3, 119)
    prompts = 4 * sum(prompt_bytes(position, prompting) for position in positions)
    expected = workload(POOL, spec)
    assert expected.most_tokens is not None and expected.most_cost is not None
    assert expected.requests == len(positions)
    answers = 4 * 50 * len(positions)
    assert prompts + answers < expected.most_tokens < 3 * prompts + answers + 4 * 500 * len(positions)
    assert expected.most_cost == pytest.approx((2.0 * (expected.most_tokens - answers) + 6.0 * answers) / 1e6)


def test_the_most_holds_where_each_kind_has_a_template_that_repeats_something_else() -> None:
    long, many = {"prompt": "x" * 9_000, "answer_kind": "number"}, {"prompt": "y", "answer_kind": "choice"}
    pool = Pool.from_records([{"id": "long"} | long, {"id": "many", "choices": ["z" * 3_000] * 3} | many])
    repeated = (("number", "{question}" * 2), ("choice", "{question}" + "{choices}" * 3))
    expected = workload(
        pool, JobSpec(DIGEST, "m", sampling=Sampling(k=1, max_tokens=1), prompting=Prompting(templates=repeated))
    )
    assert expected.most_tokens is not None and expected.most_tokens > 2 * 9_000 + 3 * 9_000


def test_without_a_limit_of_a_completion_there_is_no_most() -> None:
    spec = JobSpec(DIGEST, "m", sampling=Sampling(max_tokens=None), prices=Prices(1.0, 1.0))
    expected = workload(POOL, spec)
    assert (expected.most_tokens, expected.most_cost) == (None, None)
    limited = {
        workload(POOL, replace(spec, serving=Serving("m", max_model_length=512))),
        workload(POOL, replace(spec, sampling=Sampling(extra='{"max_completion_tokens": 512}'))),
        workload(POOL, replace(spec, sampling=Sampling(max_tokens=512))),
    }
    (most,) = {expected.most_tokens for expected in limited}
    assert most is not None and most > 120 * 10 * 512


def test_images_are_said_to_be_left_out_where_there_are_any() -> None:
    spec = JobSpec(DIGEST, "m", sampling=Sampling(max_tokens=9))
    assert str(workload(POOL, spec)).endswith("tokens in all without the images")
    assert "images" not in str(workload(Pool("bare", POOL.table.drop_columns("image")), spec))
