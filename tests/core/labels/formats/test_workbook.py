"""Workbooks as people and programs save them: every kind of cell, sheets touched far away, and damage of every kind."""

from __future__ import annotations

import io
import random
import re
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from typing import Any
from xml.parsers.expat import ExpatError

import pytest
from openpyxl import Workbook
from openpyxl.utils import column_index_from_string
from openpyxl.utils.cell import coordinate_from_string

from core.errors import LabelError
from core.files import sheets
from core.labels import read
from core.labels.formats import workbook

HEADER = ["item_id", "label", None, "note"]
ROWS: list[list[Any]] = [
    HEADER,
    ["q", "A"],
    [12, 1, 3, "n"],
    [12.5, True],
    [datetime(2026, 1, 2), date(2026, 1, 2)],
    [datetime(2026, 1, 2, 3, 4, 5), time(3, 4)],
    [" lead ", "\ttab"],
    ["a\nb"],
    ["a,b", 'say "hi"'],
    [],
    [timedelta(hours=30), 1e20],
    [123456789012345, 0.1],
    ["=1+1", "x"],
    ["🙂", "é"],
]
READ: list[list[Any]] = [
    HEADER,
    ["q", "A", None, None],
    [12, 1, 3, "n"],
    [12.5, True, None, None],
    ["2026-01-02", "2026-01-02", None, None],
    ["2026-01-02T03:04:05", time(3, 4), None, None],
    [" lead ", "\ttab", None, None],
    ["a\nb", None, None, None],
    ["a,b", 'say "hi"', None, None],
    [None] * 4,
    [timedelta(hours=30), 1e20, None, None],
    [123456789012345, 0.1, None, None],
    ["=1+1", "x", None, None],
    ["🙂", "é", None, None],
]


def saved(rows: list[list[Any]], **cells: Any) -> bytes:
    """A workbook with a foreign sheet, then one of these rows and single cells."""
    book = Workbook()
    book.active["C3"] = "nothing here"
    sheet = book.create_sheet("labels")
    for row in rows:
        sheet.append(row)
    for place, value in cells.items():
        sheet[place] = value
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def parts(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(members: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in members.items():
            archive.writestr(name, part)
    return stream.getvalue()


def with_sheet(old: bytes, new: bytes, rows: list[list[Any]] | None = None) -> bytes:
    """A workbook whose sheet of labels has ``new`` for ``old``."""
    members = parts(saved(rows or [["item_id", "label"], ["q", "A"]]))
    assert members["xl/worksheets/sheet2.xml"].count(old) == 1
    members["xl/worksheets/sheet2.xml"] = members["xl/worksheets/sheet2.xml"].replace(old, new)
    return packed(members)


def with_shared_strings(content: bytes) -> bytes:
    """The same workbook with its texts in one table, as Excel saves them."""
    members, texts = parts(content), []

    def moved(match: re.Match[bytes]) -> bytes:
        texts.append(match[1])
        return b't="s"><v>%d</v></c>' % (len(texts) - 1)

    for name in [name for name in members if "/sheet" in name]:
        members[name] = re.sub(rb't="inlineStr"><is>(.*?)</is></c>', moved, members[name], flags=re.DOTALL)
    space = b"http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    table = b"".join(b"<si>" + text + b"</si>" for text in texts)
    members["xl/sharedStrings.xml"] = b'<sst xmlns="%s" count="%d">%s</sst>' % (space, len(texts), table)
    types, links = "[Content_Types].xml", "xl/_rels/workbook.xml.rels"
    kind = b"application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    override = b'<Override PartName="/xl/sharedStrings.xml" ContentType="%s"/></Types>' % kind
    members[types] = members[types].replace(b"</Types>", override)
    relation = b"http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings"
    link = b'<Relationship Id="rId99" Type="%s" Target="sharedStrings.xml"/></Relationships>' % relation
    members[links] = members[links].replace(b"</Relationships>", link)
    return packed(members)


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("shared", [False, True])
def test_every_kind_of_cell_as_it_is_and_written_again(
    plain: bool, shared: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sheets, "_is_plain", lambda part: plain)
    content = saved(ROWS)
    # calamine alone knows no formula without a value.
    read_rows = [[None if plain and cell == "=1+1" else cell for cell in row] for row in READ]
    assert workbook.rows_of(with_shared_strings(content) if shared else content)[0] == read_rows


@pytest.mark.parametrize("kind", ["without places", "prefixes", "UTF-16"])
def test_sheets_written_in_unusual_ways_are_read_alike(kind: str) -> None:
    rows = [["item_id", "label"], [" q & r", "é🙂"], [7, "#N/A"], [date(2026, 1, 2), 1e20]]
    members = parts(saved(rows))
    for name in [name for name in members if "/sheet" in name]:
        text = members[name].decode()
        if kind == "without places":
            text = re.sub(r'<c r="[A-Z]+[0-9]+"', "<c", text)
        if kind == "prefixes":
            text = re.sub(r"<(/?)([a-zA-Z])", r"<\1x:\2", text).replace("xmlns=", "xmlns:x=")
        members[name] = text.encode("utf-16" if kind == "UTF-16" else "utf-8")
    read_rows = [["item_id", "label"], [" q & r", "é🙂"], [7.0, "#N/A"], ["2026-01-02", 1e20]]
    assert workbook.rows_of(packed(members))[0] == read_rows


@pytest.mark.parametrize("shared", [False, True])
def test_what_excel_writes_for_control_characters_and_their_pattern(shared: bool) -> None:
    """ISO/IEC 29500-1, 22.9.2.19: _xHHHH_ stands for a character, _x005F_ for an underscore before such a pattern."""
    content = saved([["item_id", "label"], ["q_x0007_", "_x005F_x0041_"]])
    rows = read(with_shared_strings(content) if shared else content).rows
    assert rows[["item_id", "label"]].values.tolist() == [["q\x07", "_x0041_"]]


@pytest.mark.parametrize(
    ("given", "label"),
    [
        ("<v>12345678901234567</v>", "12345678901234567"),
        ("<v>9007199254740993</v>", "9007199254740993"),
        ("<v>1E5</v>", "100000"),
        ("<v>0.30000000000000004</v>", "0.30000000000000004"),
        ("<v>-7</v>", "-7"),
        ("<f>1+1</f><v>2</v>", "2"),
    ],
)
def test_numbers_keep_every_digit(given: str, label: str) -> None:
    content = with_sheet(b'<c r="A2" t="inlineStr"><is><t>q</t></is></c>', f'<c r="A2">{given}</c>'.encode())
    assert read(content).rows["item_id"].tolist() == [label]


def test_an_error_is_a_label_that_nobody_knows_not_a_missing_one() -> None:
    assert read(saved([["item_id", "label"], ["q", "#N/A"], ["r", "#DIV/0!"]])).rows["label"].tolist() == [
        "#N/A",
        "#DIV/0!",
    ]


@pytest.mark.parametrize("place", ["XFD1048576", "XFD1", "ZZ9999"])
def test_a_cell_at_the_far_end_takes_no_memory(place: str) -> None:
    content = saved([["item_id", "label"], ["q", "A"]], **{place: "x"})
    assert read(content).rows[["item_id", "label"]].values.tolist() == [["q", "A"]]


ROW = b'<row r="%d"><c r="A%d" s="1" t="s"><v>7</v></c><c r="AB%d"/><c r="XFD%d"><v>1</v></c></row>'
SHEET = b'<worksheet><cols><col min="1"/></cols>%s</worksheet>' % b"".join(ROW % ((n,) * 4) for n in (1, 9, 10, 12))
FAR = b'<c r="XFD1048576"/>'
TAGS = [b"<c", b"<c>", b"<c/>", b"<c1>", b"<cols>", b"<x:c ", b"<c:x ", b'<c\tr="A1">', b'<c r="', b'<c r="A1"', FAR]
TAGS += [
    b'r="B2"',
    b'<c r="ABCD1">',
    b'<c r="A12345678">',
    b'<c r="1A">',
    b'<c r="A1B">',
    *(b"\"'A7 >"[n : n + 1] for n in range(7)),
]


@pytest.mark.parametrize(
    ("part", "plain"),
    [
        (SHEET, True),
        (b"<sheetData/>", True),
        (SHEET.replace(b"</worksheet>", FAR + b"</worksheet>"), False),
        (SHEET.decode().encode("utf-16"), False),
        (b'<s><c r="A1" t="e"/></s>', False),
        (b'<s><c r="A1"><v>1234567890123456</v></c></s>', False),
    ],
)
def test_what_is_read_as_it_is(part: bytes, plain: bool) -> None:
    assert sheets._is_plain(part) is plain


def test_no_sparse_sheet_is_read_as_it_is_whatever_is_damaged() -> None:
    """What is read is XML in which every cell names its place, and the rectangle around them is small."""
    as_it_is = again = 0
    for seed in range(3000):
        rng, part = random.Random(seed), bytearray(SHEET)
        for _ in range(rng.randint(1, 3)):
            start = bytes(part).find(b"<c ", rng.randrange(len(part))) + rng.randrange(16)
            part[start : start + rng.choice([0, 0, 1, 20])] = rng.choice(TAGS)
        try:
            written = sheets._written_again(bytes(part))
        except ExpatError:
            continue
        as_it_is += (plain := written == part)
        again += not plain
        cells = [cell.attrib["r"] for cell in ET.fromstring(written).iter() if cell.tag.endswith("c")]
        places = [coordinate_from_string(cell) for cell in cells]
        width = max((column_index_from_string(column) for column, _ in places), default=0)
        assert width * max((row for _, row in places), default=0) <= 5 * len(cells) + (
            1_000_000 if plain else 50_000_000
        )
    assert min(as_it_is, again) > 50


@pytest.mark.parametrize(
    "new",
    [
        b'<c r="A2" r="XFD1048576"',
        b'<c s="0" r="A2"',
        b"<c r='A2'",
        b'<x:c xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main" r="XFD1048576"',
        b"<c",
        b'<c r="A99999999"',
        b'<c r="AAAA2"',
        b'<c r="A0"',
        b'<c r=""',
    ],
)
def test_cells_placed_in_unusual_ways_do_no_harm(new: bytes) -> None:
    content = with_sheet(b'<c r="A2"', new)
    try:
        assert read(content).rows["label"].tolist() == ["A"]
    except LabelError as error:
        assert "\n" not in str(error)


def test_rows_beyond_a_sheets_last_are_not_waited_for() -> None:
    content = with_sheet(b'<row r="2"><c r="A2"', b'<row r="4294967295"><c')
    with pytest.raises(LabelError, match="no rows"):
        read(content)


def test_columns_to_the_right_of_the_header_are_not_kept() -> None:
    rows = [["item_id", "label"], *[["q", "A"]] * 300]
    content = saved(rows, **{f"XFD{number}": "x" for number in range(2, 302)})
    assert {len(row) for row in workbook.rows_of(content)[0]} == {2}


@pytest.mark.parametrize("name", ["mimetype", "xl/workbook.bin"])
def test_other_spreadsheets_in_a_zip_are_refused(name: str) -> None:
    members = {name: b"application/vnd.oasis.opendocument.spreadsheet", "content.xml": b"<x/>"}
    with pytest.raises(LabelError, match=r"is a document of an Office program\. Save its sheet as XLSX"):
        read(packed(members))


def test_a_part_that_holds_more_than_it_says_is_refused() -> None:
    """The sheet's size in the directory is a few bytes; unpacked it is far more."""
    content = saved([["item_id", "label"], *[["q", "A" * 50]] * 2000])
    place = content.index(b"PK\x01\x02")
    while b"sheet2.xml" not in content[place : place + 80]:
        place = content.index(b"PK\x01\x02", place + 4)
    with pytest.raises(LabelError, match="cannot be read"):
        read(content[: place + 24] + (50).to_bytes(4, "little") + content[place + 28 :])


def test_a_panic_is_damage(monkeypatch: pytest.MonkeyPatch) -> None:
    class PanicException(BaseException):
        pass

    def panic(members: Any) -> Iterator[Any]:
        raise PanicException

    monkeypatch.setattr(sheets, "_sheets", panic)
    with pytest.raises(LabelError, match="cannot be read"):
        workbook.rows_of(saved(ROWS))


def test_an_interruption_is_no_damage(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(members: Any) -> Iterator[Any]:
        raise KeyboardInterrupt

    monkeypatch.setattr(sheets, "_sheets", interrupt)
    with pytest.raises(KeyboardInterrupt):
        workbook.rows_of(saved(ROWS))


def labels_or_error(content: bytes) -> bool:
    """Whether the content is labels; anything but labels and a LabelError of one sentence fails."""
    try:
        returned = read(content)
    except LabelError as error:
        assert "\n" not in str(error)
        return False
    assert all(isinstance(item, str) for item in returned.rows["item_id"])
    assert all(label is None or (isinstance(label, str) and label) for label in returned.rows["label"])
    return True


@pytest.mark.parametrize("shared", [False, True])
def test_truncated_and_flipped_bytes(shared: bool) -> None:
    whole = with_shared_strings(saved(ROWS)) if shared else saved(ROWS)
    rng = random.Random(5)
    assert not any(labels_or_error(whole[:length]) for length in rng.sample(range(len(whole) - 1), 150))
    for _ in range(300):
        broken = bytearray(whole)
        for _ in range(rng.randint(1, 3)):
            broken[rng.randrange(len(broken))] ^= 1 << rng.randrange(8)
        labels_or_error(bytes(broken))


PIECES = [
    b'count="99999999999"',
    b'uniqueCount="18446744073709551615"',
    b'r="XFD1048576"',
    b"&#x110000;",
    b'<c r="ZZ999999"><v>1</v></c>',
    b't="s"',
    b's="99999999"',
    b"<v>-5</v>",
    b"<v>1e400</v>",
    b"<v>99999999999</v>",
    b"<v>2958466</v>",
    b"\xff\xfe",
    b"<![CDATA[",
    b'<row r="4294967295">',
    b'<mergeCells count="1"><mergeCell ref="A1:XFD1048576"/></mergeCells>',
    b'<dimension ref="A1:XFD1048576"/>',
    b"<c>",
    b'numFmtId="14"',
    b"_xD800_",
    b"",
]


@pytest.mark.parametrize("shared", [False, True])
def test_damage_inside_the_parts(shared: bool) -> None:
    """Parts changed where checksums cannot tell, as a program with errors writes them."""
    # A formula without a value as an id is refused.
    content = saved([row for row in ROWS if "=1+1" not in row])
    members = parts(with_shared_strings(content) if shared else content)
    rng, readable = random.Random(7), 0
    for _ in range(75):
        name = rng.choice(sorted(members))
        part = bytearray(members[name])
        for _ in range(rng.randint(1, 3)):
            start = rng.randrange(len(part) + 1)
            part[start : start + rng.choice([0, 0, 1, 20])] = rng.choice(PIECES)
        readable += labels_or_error(packed({**members, name: bytes(part)}))
    assert 0 < readable < 75


def test_labels_that_are_dates_are_told() -> None:
    day = date(2026, 2, 1)
    returned = read(
        saved([["item_id", "label", "note"], ["a", day, day], ["b", "1/2", day], ["c", datetime(2026, 3, 4)]])
    )
    assert returned.rows["label"].tolist() == ["2026-02-01", "1/2", "2026-03-04"]
    assert all(type(label) is str for label in returned.rows["label"])
    (note,) = returned.notes
    assert note.startswith("2 labels are dates") and "(rows 2, 4)" in note
    (note,) = read(saved([["item_id", "label"], ["a", day]])).notes
    assert note.startswith("1 label is a date") and "(row 2)" in note
    assert read(saved([["item_id", "label", "note"], ["a", "x", day]])).notes == ()


FORMULA = '=IF(1>0,"right","wrong")'


@pytest.mark.parametrize("cells", [["a", FORMULA], [FORMULA, "right"], ["a", "right", FORMULA], ["a", "=A2"]])
@pytest.mark.parametrize("plain", [False, True])
def test_a_formula_without_a_value_is_no_blank(cells: list[str], plain: bool) -> None:
    """Programs other than spreadsheets write formulas alone; the label was once a blank."""
    header = ["item_id", "label", "annotator", "note"]
    members = parts(saved([header, ["z", "wrong", "Ann"], [*cells]]))
    name = "xl/worksheets/sheet2.xml"
    if plain:
        members[name] = members[name].replace(b"<v />", b"").replace(b"<v></v>", b"")
    with pytest.raises(LabelError, match=r"Row 3: .* is a formula without a value"):
        read(packed(members))


@pytest.mark.parametrize("value", ['<c r="B2" t="str"><f>X</f><v></v></c>', '<c r="B2" t="str"><f>X</f><v>no</v></c>'])
def test_a_formula_with_a_value_is_that_value(value: str) -> None:
    members = parts(saved([["item_id", "label", "note"], ["a", FORMULA, 1], ["b", "yes"]]))
    name = "xl/worksheets/sheet2.xml"
    members[name] = re.sub(rb'<c r="B2".*?</c>', value.encode(), members[name])
    assert read(packed(members)).rows["label"].tolist() == [None if "<v></v>" in value else "no", "yes"]


def test_a_formula_in_another_column_refuses_nothing() -> None:
    assert read(saved([["item_id", "label", "note"], ["a", "yes", FORMULA]])).rows["label"].tolist() == ["yes"]


def book(**tables: list[list[Any]]) -> bytes:
    made = Workbook()
    made.remove(made.active)
    for name, rows in tables.items():
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(row)
    stream = io.BytesIO()
    made.save(stream)
    return stream.getvalue()


def test_the_only_sheet_with_labels_is_read_and_another_list_is_named() -> None:
    filled, blank = [["item_id", "label"], ["a", "yes"]], [["item_id", "label"], ["a", None], ["b", None]]
    other = [["item_id", "verdict"], ["a", "no"]]
    for tables in ({"one": blank, "two": filled}, {"two": filled, "three": other}, {"zero": other, "two": filled}):
        returned = read(book(**tables))
        assert returned.rows["label"].tolist() == ["yes"]
        assert [note.startswith("Read from the sheet “two”, without “") for note in returned.notes] == (
            [True] if "one" not in tables else []
        )
    with pytest.raises(LabelError, match="The sheets “one” and “two” of this workbook all have labels"):
        read(book(one=filled, two=filled))


def test_labels_that_are_times_errors_or_merged_are_told() -> None:
    rows = [["item_id", "label"], ["a", time(3, 4)], ["b", timedelta(hours=30)], ["c", "#N/A"], ["d", "n/a"]]
    returned = read(saved(rows))
    assert returned.rows["label"].tolist() == ["03:04:00", "1 day, 6:00:00", "#N/A", "n/a"]
    of_time, of_error = returned.notes
    assert of_time.startswith("2 labels are times") and "(rows 2, 3)" in of_time
    assert of_error.startswith("1 label is an error") and "(row 4)" in of_error
    assert read(b"item_id,label\na,#N/A\n").notes == (), "a text is a text"


def test_merged_labels_are_told() -> None:
    book = Workbook()
    for row in [["item_id", "label", "note"], ["a", "x", "n"], ["b"], ["c"], ["d", "y"]]:
        book.active.append(row)
    book.active.merge_cells("B2:B4")
    book.active.merge_cells("C2:C3")
    stream = io.BytesIO()
    book.save(stream)
    returned = read(stream.getvalue())
    assert returned.rows[["label", "note", "status"]].to_numpy().tolist() == [
        ["x", "n", ""],
        [None, None, "empty"],
        [None, None, "empty"],
        ["y", None, ""],
    ]
    (note,) = returned.notes
    assert note.startswith("2 labels are merged") and "(rows 3, 4)" in note


@pytest.mark.parametrize(("cells", "what"), [("A2:A4", "item id"), ("B2:B4", "label"), ("C2:C4", "annotator")])
def test_whatever_is_merged_is_told(cells: str, what: str) -> None:
    book = Workbook()
    for row in [["item_id", "label", "annotator"], ["a", "x", "Ann"], ["b", "x", "Ann"], ["c", "x", "Ann"]]:
        book.active.append(row)
    book.active.merge_cells(cells)
    stream = io.BytesIO()
    book.save(stream)
    (note,) = read(stream.getvalue()).notes
    assert note.startswith(f"2 {what}s are merged") and "(rows 3, 4)" in note


def test_merged_ranges_that_overlap_end_soon() -> None:
    rows = [[""] * 3 for _ in range(3)]
    sheets._mark_merged(rows, [((0, 0), (10**6, 10**4))] * 10**5)
    assert all(type(cell) is sheets.Merged for row in rows for cell in row)


@pytest.mark.parametrize(
    ("number", "style", "label"),
    [
        (0.1, "0%", "10%"),
        (0.125, "0.00%", "12.5%"),
        (0.07, "0.0 %", "7%"),
        (1, "0%", "100%"),
        (0, "0%", "0%"),
        (-0.5, "[Red]0%;-0%", "-50%"),
        (0.1, "General", "0.1"),
        (0.1, '0.0" %"', "0.1"),
        (0.1, r"0.0\%", "0.1"),
        ("10%", "0%", "10%"),
        ("yes", "0%", "yes"),
    ],
)
def test_a_number_shown_in_per_cent_is_read_as_shown(number: Any, style: str, label: str) -> None:
    book = Workbook()
    sheet = book.active
    sheet.append(["item_id", "label"])
    sheet.append(["q", number])
    sheet["B2"].number_format = style
    stream = io.BytesIO()
    book.save(stream)
    file = read(stream.getvalue())
    assert file.rows["label"].tolist() == [label]
    assert bool(file.notes) == (isinstance(number, int | float) and "%" in label)
