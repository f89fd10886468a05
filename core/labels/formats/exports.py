"""The request as a file for each tool."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import pandas as pd

from ...errors import LabelError
from ...words import listed
from ..kinds import GOLD
from ..targets import columns_of_criteria
from . import argilla, label_studio, prodigy
from .lists import to_csv, to_jsonl
from .tasks import check_request
from .workbook import to_xlsx

# name → (title, file ending, MIME type)
FORMATS: Mapping[str, tuple[str, str, str]] = MappingProxyType(
    {
        "csv": ("CSV", "csv", "text/csv"),
        "xlsx": ("Excel workbook", "xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        "jsonl": ("JSON Lines", "jsonl", "application/jsonl"),
        "label-studio": ("Label Studio tasks", "label-studio.json", "application/json"),
        "label-studio-config": ("Label Studio labelling config", "label-studio.xml", "application/xml"),
        "argilla": ("Argilla records", "argilla.json", "application/json"),
        "argilla-settings": ("Argilla dataset settings", "argilla-settings.json", "application/json"),
        "prodigy": ("Prodigy tasks", "prodigy.jsonl", "application/jsonl"),
    }
)
# Those with a column for each of several criteria.
FOR_CRITERIA = ("csv", "xlsx", "jsonl")


def export(frame: pd.DataFrame, format: str, kind: str = GOLD.name, title: str = "") -> bytes:
    """Return a request as a file.

    Parameters
    ----------
    frame : DataFrame
        The request, of `core.labels.request`.
    format : str
        One of `FORMATS`.
    kind : str
        Whether the target's answer is right, what the right answer is, or how good the target's answer is, from 0 to 1.
        "right-wrong" and "score" need the column target_answer.
    title : str
        Heading above each task, in tools that show one.

    Returns
    -------
    bytes
        The file; text is UTF-8.

    Raises
    ------
    LabelError
        If there is no such format or kind, the target's answers are missing, or a tool that takes one label an item is
        to ask for several criteria.
    """
    check_request(frame, kind)
    if format in FORMATS and format not in FOR_CRITERIA and columns_of_criteria(frame.columns):
        known = listed([FORMATS[one][0] for one in FOR_CRITERIA])
        raise LabelError(
            f"{FORMATS[format][0]} take one criterion at a time. Export a list for each criterion, made "
            f"with neyman.judge.request(plan, criterion=…). {known} take all at once."
        )
    match format:
        case "csv":
            # The byte order mark tells spreadsheets that this is UTF-8.
            return to_csv(frame).encode("utf-8-sig")
        case "jsonl":
            return to_jsonl(frame).encode()
        case "xlsx":
            return to_xlsx(frame, kind)
        case "label-studio":
            return label_studio.to_tasks(frame, kind).encode()
        case "label-studio-config":
            return label_studio.to_config(frame, kind, title).encode()
        case "argilla":
            return argilla.to_records(frame).encode()
        case "argilla-settings":
            return argilla.to_settings(frame, kind, title).encode()
        case "prodigy":
            return prodigy.to_tasks(frame, kind).encode()
    raise LabelError(f"There is no format “{format}”. Choose one of {', '.join(FORMATS)}.")
