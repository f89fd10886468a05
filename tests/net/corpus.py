"""The kept corpus of inputs: files that tests build in functions, and filled lists with their pools and manifests."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

CORPUS = Path(__file__).with_name("corpus")
INPUTS, LABELS, LISTS = (CORPUS / f"{name}.jsonl.gz" for name in ("inputs", "labels", "lists"))


@dataclass(frozen=True, slots=True)
class Case:
    """A file that a test gives to a reader.

    Parameters
    ----------
    key : str
        Digest of its name and content.
    test : str
        The test that made it.
    name : str
        Name of the pool, or of the file of labels.
    content : bytes
        The file.
    """

    key: str
    test: str
    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class ListCase:
    """A filled list, with the pool (Parquet), the manifest of its plan, and what `labelled` is given beside it."""

    key: str
    test: str
    pool: bytes
    manifest: str
    files: tuple[tuple[str, bytes], ...]
    target: str | None
    kind: str | None
    words: dict[str, str]


_Kind = TypeVar("_Kind", Case, ListCase)


def save(path: Path, cases: Iterable[Case | ListCase]) -> None:
    """Write a corpus, sorted by the tests; the same cases make the same file."""
    path.parent.mkdir(exist_ok=True)
    ordered = sorted(cases, key=lambda one: (one.test, one.key))
    lines = "".join(f"{json.dumps(_plain(asdict(one)), ensure_ascii=False)}\n" for one in ordered)
    with path.open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as file:
        file.write(lines.encode())


def load(path: Path, kind: type[_Kind]) -> list[_Kind]:
    """Read a corpus."""
    lines = gzip.decompress(path.read_bytes()).decode().split("\n")[:-1]
    return [kind(**_bytes(json.loads(line))) for line in lines]


def _plain(value: Any) -> Any:
    """Bytes as text if they are UTF-8, else in base64."""
    if isinstance(value, bytes):
        try:
            return {"text": value.decode()}
        except UnicodeDecodeError:
            return {"base64": base64.b64encode(value).decode()}
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list | tuple) else value


def _bytes(value: Any) -> Any:
    if isinstance(value, dict):
        if value.keys() == {"text"}:
            return value["text"].encode()
        if value.keys() == {"base64"}:
            return base64.b64decode(value["base64"])
        return {name: _bytes(inner) for name, inner in value.items()}
    return tuple(map(_bytes, value)) if isinstance(value, list) else value
