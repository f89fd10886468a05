"""Files that real tools wrote: our lists were imported, labelled and exported in them.

fixtures/label-studio: Label Studio 1.23.2, with our tasks and labelling configs. One person labelled by keyboard in
Chromium (label, label with a note, skip, label, label), another through the API; one task has a draft only, one was
never opened.

fixtures/argilla: Argilla 2.8.0 (server, with a search index in memory in place of Elasticsearch, and SDK), with our
dataset settings and records; labelled as in Label Studio, and one response discarded after it was given.
``flat``: ``records.to_list(flatten=True)``; the others: ``records.to_json``.

fixtures/libreoffice: LibreOffice Calc 7.4.7, in which our XLSX and CSV lists were opened, filled by typing and saved.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from core.labels import losses, read, settle

FIXTURES = Path(__file__).parent / "fixtures"
IDS = ["🙂🏳️‍🌈", "two\nlines", 'say "hi"', "cr\rlf\r\n", "a,b", "'q'", "=1+1", "0012"]
NOTE = 'a note, "quoted" 🙂'


# Kind of list → kind of label, labels of the one who skipped the third item, labels of the other by item.
LABELLED: dict[str, tuple[str, list[str], list[str]]] = {
    "gold-choices": ("gold", ["A", "B", "A", "B"], ["A", "A", "B"]),
    "gold-free": ("gold", ["=SUM(A1)", "a,b", "1/2", '["x"]'], ["1/2", "naïve 🙂", "0012"]),
    "right-wrong": ("right-wrong", ["right", "wrong", "right", "wrong"], ["right", "right", "wrong"]),
    "score": ("score", ["0", "0.25", "1", "0.5"], ["1", "0", "0.75"]),
}


@pytest.mark.parametrize("ending", ["json", "min.json", "csv"])
@pytest.mark.parametrize("name", LABELLED)
def test_label_studio(name: str, ending: str) -> None:
    kind, first, second = LABELLED[name]
    returned = read((FIXTURES / "label-studio" / f"{name}.{ending}").read_bytes())
    rows = returned.rows
    assert rows["plan_id"].nunique() == 1
    skipped, one, other = IDS[2], [*IDS[:2], *IDS[3:5]], [IDS[3], IDS[4], IDS[7]]
    given = rows[rows["status"] == ""]
    labels = dict(zip(zip(given["annotator"], given["item_id"], strict=True), given["label"], strict=True))
    assert labels == {("1", i): v for i, v in zip(one, first, strict=True)} | {
        ("2", i): v for i, v in zip(other, second, strict=True)
    }
    # Only the full export tells of what was skipped.
    assert rows.loc[rows["status"] == "cancelled", "item_id"].tolist() == ([skipped] if ending == "json" else [])

    choices = [["=x", "y,z 🙂"]] * len(IDS) if name == "gold-choices" else None
    settled = settle(rows, IDS, rows["plan_id"][0], kind, choices)
    # The two disagree about the fifth item: a tie, or the mean of two scores.
    tied = () if kind == "score" else (IDS[4],)
    assert settled.labels["item_id"].tolist() == [item for item in (*IDS[:2], *IDS[3:5], IDS[7]) if item not in tied]
    assert settled.missing == tuple(item for item in IDS if item in (IDS[2], *tied, *IDS[5:7]))
    assert settled.undecided == tied
    answers: dict[str, str | None] = {item: first[0] for item in IDS} if kind == "gold" else {}
    expected = {
        "gold-choices": [0.0, 1.0, 0.0, 1.0],
        "gold-free": [0.0, 1.0, 1.0, 1.0],
        "right-wrong": [0.0, 1.0, 0.0, 1.0],
        "score": [1.0, 0.75, 0.0, 0.75, 0.25],
    }
    assert losses(settled, answers)["loss"].tolist() == expected[name]


@pytest.mark.parametrize("ending", ["json", "min.json", "csv"])
@pytest.mark.parametrize("name", ["gold-choices", "right-wrong"])
def test_notes_of_label_studio(name: str, ending: str) -> None:
    rows: pd.DataFrame = read((FIXTURES / "label-studio" / f"{name}.{ending}").read_bytes()).rows
    noted = rows[rows["note"].notna() & (rows["note"] != "")]
    assert noted[["item_id", "note"]].values.tolist() == [[IDS[1], NOTE]]


@pytest.mark.parametrize("ending", ["flat.json", "json"])
@pytest.mark.parametrize("name", LABELLED)
def test_argilla(name: str, ending: str) -> None:
    kind, first, second = LABELLED[name]
    returned = read((FIXTURES / "argilla" / f"{name}.{ending}").read_bytes())
    rows = returned.rows
    assert returned.source == "argilla"
    assert rows["item_id"].drop_duplicates().tolist() == IDS
    assert rows["plan_id"].nunique() == 1
    given = rows[rows["status"] == ""]
    labels = dict(zip(zip(given["annotator"].str[-1], given["item_id"], strict=True), given["label"], strict=True))
    assert labels == {("a", i): v for i, v in zip([*IDS[:2], *IDS[3:5]], first, strict=True)} | {
        ("b", i): v for i, v in zip([IDS[3], IDS[4], IDS[7]], second, strict=True)
    }
    # Drafts and discarded responses come with a label; only the flat export says what they are.
    unlabelled = dict(zip(rows["item_id"], rows["status"], strict=True))
    flat = ending == "flat.json"
    assert unlabelled[IDS[2]] == "empty"
    assert unlabelled[IDS[5]] == ("draft" if kind == "right-wrong" or name == "gold-choices" else "empty")
    assert unlabelled[IDS[6]] == ("discarded" if flat else "draft")
    assert len(returned.notes) == (0 if flat else 1)
    assert rows.loc[rows["note"].notna(), ["item_id", "note"]].values.tolist() == [[IDS[1], NOTE]]


# Kind of list → kind of label, what was typed into the cells from the top.
TYPED: dict[str, tuple[str, list[str | None]]] = {
    "gold-free": ("gold", ["=SUM(A1)", "a,b", "1/2", "naïve 🙂", None, "0012", "12.50", 'say "x"']),
    "right-wrong": ("right-wrong", ["right", "WRONG", None, "TRUE", "0", "right", "no", "yes"]),
    "score": ("score", ["0.5", "1", "0", None, "0,25", "0.75", "1.0", "0"]),
}
# What LibreOffice made of a cell of CSV when it was typed: a formula, a date, numbers.
CHANGED = {"=SUM(A1)": "0", "1/2": "01/02/2026", "0012": "12", "12.50": "12.5"}


@pytest.mark.parametrize("path", sorted((FIXTURES / "libreoffice").iterdir()), ids=lambda path: path.name)
def test_libreoffice(path: Path) -> None:
    kind, typed = TYPED[path.name.split(".")[0]]
    returned = read(path.read_bytes(), path.name)
    rows = returned.rows
    # Also from CSV, where ids like 0012 and =1+1 would have become numbers.
    assert rows["item_id"].tolist() == IDS
    assert rows["plan_id"].nunique() == 1
    if kind == "gold":
        expected = [CHANGED.get(str(word), word) for word in typed] if "from-csv" in path.name else typed
        assert rows["label"].tolist() == expected
    settled = settle(rows, IDS, rows["plan_id"][0], kind)
    assert settled.missing == tuple(item for item, word in zip(IDS, typed, strict=True) if word is None)
    assert len(settled.odd) == 0
    if kind == "right-wrong":
        assert losses(settled)["loss"].tolist() == [0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0]
    elif kind == "score":
        assert losses(settled)["loss"].tolist() == [0.5, 0.0, 1.0, 0.75, 0.25, 0.0, 1.0]
