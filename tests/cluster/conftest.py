"""A Ray cluster of two nodes on this machine."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from typing import Any

import pytest

from tests.core.surrogate.conftest import fake, store

__all__ = ["fake", "store"]

_MEMORY, _PROCESSORS = 100_000_000, 3
# Ray gives a node half a minute to start, which a busy machine may exceed.
_TRIES, _PATIENCE = 4, 120


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark each test of this folder, for which alone this is called."""
    item.add_marker("cluster")
    # Ray leaves sockets and files to the end of the process.
    item.add_marker(pytest.mark.filterwarnings("default"))


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A cluster (``ray.cluster_utils.Cluster``) with a head that runs nothing, for all tests."""
    if importlib.util.find_spec("ray") is None:
        pytest.skip("Ray is not in this environment; make test-cluster has one that has it.")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("NEYMAN_HOME", str(tmp_path_factory.mktemp("cluster")))
        started = _started()
        yield started
        started.shutdown()


@pytest.fixture
def nodes(cluster: Any) -> Iterator[Any]:
    """The cluster with two nodes beside its head, whatever became of those of another test."""
    while len(cluster.worker_nodes) < 2:
        cluster.add_node(num_cpus=_PROCESSORS, object_store_memory=_MEMORY)
    cluster.wait_for_nodes(_PATIENCE)
    yield cluster
    import ray

    ray.shutdown()


def _started() -> Any:
    from ray.cluster_utils import Cluster

    for tries in range(_TRIES, 0, -1):
        cluster = Cluster()
        try:
            for processors in (0, _PROCESSORS, _PROCESSORS):
                cluster.add_node(num_cpus=processors, object_store_memory=_MEMORY)
            cluster.wait_for_nodes(_PATIENCE)
        except Exception:
            cluster.shutdown()
            if tries == 1:
                raise
        else:
            return cluster
    return None
