"""Equal parts of a pool's items, so that several machines can share one piece of work without a word to each other."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import Field

from ..faults import SurrogateError
from .checks import parameters

_FORM = re.compile(r"(\d{1,6})/(\d{1,6})")
_FOLDER = "shards"
ARRAY = "SLURM_ARRAY_TASK_"


@parameters
class Shard:
    """The items whose hash leaves ``index`` when divided by ``count``: about one in ``count`` of any pool.

    Parameters
    ----------
    index : int
        Its number, 0 … count − 1.
    count : int
        How many shards there are, 1 … 100,000.

    Raises
    ------
    SurrogateError
        There is no such shard.
    """

    index: Annotated[int, Field(ge=0, title="The number of a shard")]
    count: Annotated[int, Field(ge=1, le=100_000, title="The number of shards")]

    def __post_init__(self) -> None:
        if self.index >= self.count:
            raise SurrogateError(
                f"There is no shard {self}: the {self.count} shards are numbered from 0 to {self.count - 1}."
            )

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"

    def has(self, item: str) -> bool:
        """Whether the item with this id belongs to the shard; the same on every machine."""
        return self.count == 1 or hash_of(item) % self.count == self.index

    def home(self, folder: Path) -> Path:
        """The shard's own folder in NEYMAN_HOME, which is a home too; ``folder`` itself if it is that one."""
        name = f"{self.index}-of-{self.count}"
        return folder if folder.parts[-2:] == (_FOLDER, name) else folder / _FOLDER / name


def outer_homes(folder: Path) -> list[Path]:
    """The home in which the home of a shard is; none for any other folder."""
    return [folder.parents[1]] if folder.parent.name == _FOLDER else []


def hash_of(text: str) -> int:
    """The first 64 bits of a text's BLAKE2b digest, the same on every machine."""
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest())


def shard_of(text: str | None, environment: Mapping[str, str]) -> Shard | None:
    """The shard that an option names, or by default the task of a Slurm array; None if neither says anything.

    Parameters
    ----------
    text : str or None
        "index/count" with an index from 0; "0/1" is the whole pool, also in an array.
    environment : mapping
        Where Slurm sets ``SLURM_ARRAY_TASK_ID``, ``…_COUNT``, ``…_MIN``, ``…_MAX`` and ``…_STEP``.

    Raises
    ------
    SurrogateError
        It is no shard, or the array is only a part of one (``--array=3``), which does not say how many shards there
        are.
    """
    if text is not None:
        form = _FORM.fullmatch(text)
        if form is None:
            raise SurrogateError(
                f"“{text[:40]}” is not a shard. Write its number, from 0, and how many there are: 3/8."
            )
        shard = Shard(int(form[1]), int(form[2]))
        return None if shard.count == 1 else shard
    if f"{ARRAY}ID" not in environment or f"{ARRAY}COUNT" not in environment:
        return None
    return _of_array({name: environment.get(f"{ARRAY}{name}", "") for name in ("ID", "COUNT", "MIN", "MAX", "STEP")})


def _of_array(array: Mapping[str, str]) -> Shard | None:
    task, count = int(array["ID"]), int(array["COUNT"])
    first, step = int(array["MIN"] or 0), int(array["STEP"] or 1)
    whole = first in (0, 1) and int(array["MAX"] or first + (count - 1) * step) == first + (count - 1) * step
    if not whole or (task - first) % step:
        raise SurrogateError(
            f"Task {task} of this Slurm array is one of {count}, but the array does not begin at 0 or 1, or has gaps."
            " So the number of shards is not known. Give --shard, for instance --shard $SLURM_ARRAY_TASK_ID/64."
        )
    return None if count == 1 else Shard((task - first) // step, count)
