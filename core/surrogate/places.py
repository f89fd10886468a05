"""Folders on this machine or in an object store (``s3://…``, ``gs://…``), through the file systems of pyarrow."""

from __future__ import annotations

import posixpath
import shutil
import uuid
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

from .faults import SurrogateError


@dataclass(frozen=True, slots=True)
class Place:
    """A file or folder.

    Parameters
    ----------
    url : str
        A path, or an address with a scheme.

    Raises
    ------
    SurrogateError
        Of every method: the place cannot be reached.
    """

    url: str

    def __truediv__(self, name: str) -> Place:
        return Place(f"{self.url.rstrip('/')}/{name}")

    def __str__(self) -> str:
        return self.url

    def absolute(self) -> Place:
        """The same place, whatever folder a process works in."""
        return self if "://" in self.url else Place(str(Path(self.url).expanduser().absolute()))

    def resolve(self) -> tuple[fs.FileSystem, str]:
        """The file system, and the path in it."""
        try:
            named = "://" in self.url
            system, path = fs.FileSystem.from_uri(self.url) if named else (fs.LocalFileSystem(), self.absolute().url)
            return system, path
        except (OSError, pa.ArrowException, ValueError) as error:
            raise SurrogateError(f"“{self.url}” cannot be reached ({error}).") from error

    def files(self, suffix: str) -> list[Place]:
        """The files below the folder whose names end so, in order; none if there is no folder."""
        system, path = self.resolve()
        try:
            infos = system.get_file_info(fs.FileSelector(path, allow_not_found=True, recursive=True))
        except OSError as error:
            raise SurrogateError(f"“{self.url}” cannot be read ({error}).") from error
        names = (info.path[len(path) :].lstrip("/") for info in infos if info.type == fs.FileType.File)
        return [self / name for name in sorted(names) if name.endswith(suffix) and "/." not in f"/{name}"]

    def fetch(self, path: Path) -> None:
        """Copy the file to one on this machine."""
        system, source = self.resolve()
        try:
            with system.open_input_stream(source) as stream, path.open("wb") as file:
                shutil.copyfileobj(stream, file)
        except OSError as error:
            raise SurrogateError(f"“{self.url}” cannot be read ({error}).") from error

    def write(self, table: pa.Table) -> None:
        """Write a table as Parquet; the file takes its place when it is whole."""
        system, path = self.resolve()
        folder, name = posixpath.split(path)
        # Processes of several machines may have the same number.
        temporary = posixpath.join(folder, f".{name}.{uuid.uuid4().hex}.part")
        try:
            system.create_dir(folder, recursive=True)
            pq.write_table(table, temporary, filesystem=system, compression="zstd")
            system.move(temporary, path)
        except (OSError, pa.ArrowException) as error:
            raise SurrogateError(f"“{self.url}” cannot be written ({error}).") from error
