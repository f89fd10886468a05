"""A folder profiled by the nodes of a cluster: the profile of a single machine, byte for byte."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from core.errors import PoolError
from core.readers.folder.profiling import profile
from core.surrogate.folder_profiling import profile_folder, profile_on_cluster
from tests.core.surrogate.conftest import pool_of

ROWS, FILES = 200, 6


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path, table = tmp_path / "pool", pool_of(ROWS * FILES).table
    path.mkdir()
    for number in range(FILES):
        pq.write_table(table.slice(number * ROWS, ROWS), path / f"{number}.parquet", row_group_size=100)
    return path


def test_nodes_make_the_profile_of_a_single_machine(nodes: Any, folder: Path, tmp_path: Path) -> None:
    shares = list[float]()
    alone = profile(folder, tmp_path / "alone.profile").path.read_bytes()
    assert (
        profile_on_cluster(folder, tmp_path / "joint.profile", nodes.address, shares.append).path.read_bytes() == alone
    )
    assert shares == sorted(shares) and len([share for share in shares if share <= 0.5]) >= FILES
    # A node that goes takes nothing with it that is not made again.
    nodes.remove_node(sorted(nodes.worker_nodes, key=str)[0], allow_graceful=False)
    said = list[str]()
    pool = profile_folder(tmp_path, folder, tmp_path / "again.profile", said.append, nodes.address)
    assert pool.stored.path.read_bytes() == alone and pool.n_items == ROWS * FILES and said
    # What is wrong with a file is said as on a single machine.
    table = pq.read_table(folder / "3.parquet")
    ids = [*table.column("id").to_pylist()[1:], None]
    pq.write_table(table.set_column(table.schema.get_field_index("id"), "id", [ids]), folder / "3.parquet")
    sentences = []
    for make in (profile, lambda path, out: profile_on_cluster(path, out, nodes.address)):
        with pytest.raises(PoolError) as refused:
            make(folder, tmp_path / "wrong.profile")
        sentences.append(str(refused.value))
    assert sentences[0] == sentences[1] and "3.parquet" in sentences[0]
