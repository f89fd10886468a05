"""A Ray cluster of two nodes on this machine."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from tests.core.surrogate.conftest import fake, store

__all__ = ["fake", "store"]

_MEMORY = 100_000_000
# Ray gives a node half a minute to start, which a busy machine may exceed.
_TRIES, _PATIENCE = 4, 120


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark each test of this folder, for which alone this is called."""
    item.add_marker("cluster")
    # Ray leaves sockets and files to the end of the process.
    item.add_marker(pytest.mark.filterwarnings("default"))


@pytest.fixture
def nodes() -> Iterator[Any]:
    """The cluster (``ray.cluster_utils.Cluster``): a head that runs nothing, and two nodes."""
    if importlib.util.find_spec("ray") is None:
        pytest.skip("Ray is not in this environment; make test-cluster has one that has it.")
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    import ray

    cluster = _started()
    try:
        yield cluster
    finally:
        with suppress(Exception):
            ray.shutdown()
        cluster.shutdown()


def _started() -> Any:
    from ray.cluster_utils import Cluster

    for tries in range(_TRIES, 0, -1):
        cluster = Cluster()
        try:
            for processors in (0, 3, 3):
                cluster.add_node(num_cpus=processors, object_store_memory=_MEMORY)
            cluster.wait_for_nodes(_PATIENCE)
        except Exception:
            cluster.shutdown()
            if tries == 1:
                raise
        else:
            return cluster
    return None
