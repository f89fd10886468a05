"""The labelling tools that lists are sent to, and where one of them runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from ...errors import LabelError


@dataclass(frozen=True, slots=True)
class Service:
    """A labelling tool with an HTTP interface.

    Parameters
    ----------
    title : str
        Its name.
    address : str
        Where it usually runs.
    address_variable : str
        Environment variable that may hold its address.
    keys : tuple of str
        Environment variables that hold its keys.
    container : str
        What it calls the place of a list: "project", "dataset" or "annotation queue".
    """

    title: str
    address: str
    address_variable: str
    keys: tuple[str, ...]
    container: str


SERVICES: Mapping[str, Service] = MappingProxyType(
    {
        "label-studio": Service(
            "Label Studio", "http://localhost:8080", "LABEL_STUDIO_URL", ("LABEL_STUDIO_API_KEY",), "project"
        ),
        "argilla": Service("Argilla", "http://localhost:6900", "ARGILLA_API_URL", ("ARGILLA_API_KEY",), "dataset"),
        "langfuse": Service(
            "Langfuse",
            "https://cloud.langfuse.com",
            "LANGFUSE_HOST",
            ("LANGFUSE_PUBLIC_KEY", "LANGFUSE_SECRET_KEY"),
            "annotation queue",
        ),
    }
)


@dataclass(frozen=True, slots=True)
class Queue:
    """Where a list goes to be labelled.

    Parameters
    ----------
    service : str
        One of `SERVICES`.
    address : str
        Address of the server.
    project : str
        Name of the project, dataset or annotation queue; in Argilla also as ``workspace/dataset``.
    keys : tuple of str
        Values of the service's keys. They stand in no message and no representation.
    """

    service: str
    address: str
    project: str
    keys: tuple[str, ...] = field(repr=False)

    @property
    def about(self) -> Service:
        """The service.

        Raises
        ------
        LabelError
            There is no such service.
        """
        if self.service not in SERVICES:
            raise LabelError(f"There is no service “{self.service}”. Choose one of {', '.join(SERVICES)}.")
        return SERVICES[self.service]

    @property
    def root(self) -> str:
        """The address without blanks around it and slashes behind it."""
        return self.address.strip().rstrip("/")
