"""The seeds of samples: the same in every request, on every engine and in every shard."""

from __future__ import annotations

from dataclasses import replace

from core.surrogate.job.parameters import Sampling
from core.surrogate.job.request import RequestFormat, SampleRange
from core.surrogate.job.source import Item
from core.surrogate.job.spec import JobSpec, Shard

SPEC = JobSpec("0123456789abcdef" * 4, "m", sampling=Sampling(k=10, seed=7))
FORM = RequestFormat.complete(SPEC.sampling)


def item(place: int, name: str = "a") -> Item:
    return Item(place, name, "q")


def test_a_sample_has_one_seed_whatever_asks_for_it() -> None:
    alone = [FORM.body(SPEC, [], item(0), SampleRange(sample, 1))["seed"] for sample in range(10)]
    # A server gives the samples of one request consecutive seeds.
    for samples in RequestFormat.complete(SPEC.sampling).ranges(10, present=(3,)):
        together = FORM.body(SPEC, [], item(0), samples)["seed"]
        assert alone[samples.first : samples.first + samples.count] == list(range(together, together + samples.count))
    elsewhere = replace(SPEC, shard=Shard(1, 4), items=("a", "b"))
    assert [FORM.seed(elsewhere, item(99), sample) for sample in range(10)] == alone
    assert max(alone) < 2**31


def test_items_and_jobs_have_other_seeds() -> None:
    seeds = {FORM.seed(SPEC, item(place, f"i{place}"), 0) for place in range(2_000)}
    assert len(seeds) == 2_000
    other = replace(SPEC, sampling=replace(SPEC.sampling, seed=8))
    assert not seeds & {FORM.seed(other, item(place, f"i{place}"), 0) for place in range(2_000)}


def test_without_a_seed_of_the_job_only_requests_for_one_item_have_seeds() -> None:
    unseeded = replace(SPEC, sampling=replace(SPEC.sampling, seed=None))
    assert FORM.seed(unseeded, item(0), 0) is None
    halved = FORM.without({"n": "too many"})
    first, second = (halved.seed(unseeded, item(0), sample) for sample in (0, 5))
    assert first is not None and second == first + 5
    assert halved.without({"seed": "unknown"}).seed(unseeded, item(0), 0) is None


def test_jobs_of_earlier_versions_have_the_seeds_that_they_began_with() -> None:
    old = replace(SPEC, seeds="position")
    assert [FORM.seed(old, item(place), sample) for place in (0, 3) for sample in (0, 2)] == [7, 9, 37, 39]
