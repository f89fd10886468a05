"""Sheets of an Excel workbook from outside, read safely: by pools and labels alike.

calamine reads them. It lays a sheet out as a full rectangle, so that one cell at its far end would take all memory and
end the process; it has no word for errors such as #N/A, and rounds long numbers. So a sheet that is not `_is_plain` is
written again for it. No entities are resolved, and nothing is unpacked beyond a limit.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from typing import Any, NamedTuple
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

import numpy as np

_MAX_UNPACKED = 512 * 1024**2
# Of the text that cells show: many may show the same.
_MAX_SHOWN = 512 * 1024**2
_MAX_ROWS, _MAX_COLUMNS = 1_048_576, 16_384

# What is written again: cells that do not name their place first, prefixes (which may stand for any namespace), errors
# such as #N/A, and whole numbers that a float cannot hold.
_UNUSUAL = (
    re.compile(rb'<c(?! r="[A-Z]{1,3}[1-9][0-9]{0,6}"[ />])[\s/>]'),
    re.compile(rb"<[^\s<>/]+:c[\s/>]"),
    re.compile(rb"""t=["']e["']"""),
    re.compile(rb"<v>-?[0-9]{16,}<"),
    # Formulas without a value; one that gives an empty text has the type str.
    re.compile(
        rb"""<c (?![^<>]*\st="str")[^<>]*+>\s*+<f\b(?:[^<>/]|/(?!>))*+(?:/>|>[^<]*+</f>)\s*+"""
        rb"(?:<v\s*+/>|<v>\s*+</v>)?\s*+</c>"
    ),
)
# A formula whose value a program has not written: a sign that no text has stands before it.
_FORMULA = "\ufdd1"
# The same of a number that a cell shows in per cent.
_PERCENT = "\ufdd2"
_STYLES = "xl/styles.xml"
_SHOWS_PERCENT = re.compile(r'(?:[^"%\\]|"[^"]*"|\\.)*%')
_PERCENT_FORMATS = frozenset({"9", "10"})
_STYLED = re.compile(rb'<c r="([A-Z]{1,3}[0-9]{1,7})"[^<>]*? s="([0-9]{1,6})"')
_MERGES = re.compile(rb"<mergeCells\b[^<>]*(?<!/)>")
_SHEET = re.compile(rb"s\0?h\0?e\0?e\0?t\0?D\0?a\0?t\0?a\0?[\s/>]")
_PLACE = re.compile(r"([A-Z]{1,3})[0-9]*")
_LONG = re.compile(r"-?[0-9]{16,}")
_KEPT = frozenset({"worksheet", "sheetData", "row", "c", "v", "is", "t", "r", "mergeCells", "mergeCell"})
_NAMESPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_PREFIX = rb"(?:[\w.-]+:)?"
# The ends of texts that cells share, and cells with a place, mostly among those. No pattern looks at a part twice, or
# beyond the tag that it begins in: a million tags that never end would take hours.
_SHARED_END = re.compile(rb"<(/?)%bsi\b[^<>]*+>" % _PREFIX)
_SHARED_PART = re.compile(rb"<%bsst[\s/>]" % _PREFIX)
_CELL = re.compile(rb"<%bc\s([^<>]*+)>\s*+<%bv\b[^<>]*+>\s*+([0-9]{1,9})\b" % (_PREFIX, _PREFIX))
_IS_SHARED = re.compile(rb"""(?:^|\s)t\s*=\s*["']s["']""")
_COLUMN, _ROW = re.compile(rb'<c r="([A-Z]+)'), re.compile(rb'<c r="[A-Z]+([0-9]+)')
# So many columns without a name are kept to the right of those that have one.
_BESIDE = 26
# The largest rectangle: so many times its cells, and so many more; of a sheet that is written again, still more.
_SPARSE, _SPARE, _LARGEST = 5, 1_000_000, 50_000_000


class BadWorkbook(Exception):
    """A workbook that cannot be read.

    Parameters
    ----------
    message : str
        What is wrong, as a sentence.
    too_large : bool, default False
        Whether it is only too large.
    """

    def __init__(self, message: str, too_large: bool = False) -> None:
        super().__init__(message)
        self.too_large = too_large


class DateText(str):
    """A date in ISO 8601."""

    __slots__ = ()


class Formula(str):
    """A formula, in a cell of which no program has written the value."""

    __slots__ = ()


class Percent(float):
    """A number that its cell shows in per cent: 0.1 of a cell that shows 10%."""

    __slots__ = ()

    @property
    def shown(self) -> str:
        """As the cell shows it, with all digits."""
        return f"{100 * self:.15g}%"


class Merged(str):
    """Nothing, in a cell that shows what the cell has that it is merged with.

    Parameters
    ----------
    above : Any
        What the topmost of the merged cells in the same column has; None if that is not the first column of them.
    """

    __slots__ = ("above",)
    above: Any

    def __new__(cls, above: Any = None) -> Merged:
        """Make an empty text that knows what stands above."""
        cell = super().__new__(cls)
        cell.above = above
        return cell


class Struck(str):
    """Text of a cell that is struck through."""

    __slots__ = ()


class NamedSheet(NamedTuple):
    """A sheet of a workbook: its name, its rows, and the names of the other sheets that hold something."""

    name: str
    rows: list[list[Any]]
    others: tuple[str, ...]


def fullest_sheet(content: bytes, suits: Callable[[Collection[str]], bool]) -> NamedSheet | None:
    """Read the first sheet whose header suits, or else the one with the most cells.

    Parameters
    ----------
    content, suits : bytes, callable
        As for `suited_sheets`.

    Returns
    -------
    NamedSheet or None
        Its rows from the first one of the sheet on, all as wide as the sheet; cells as those of `suited_sheets`. None
        if all sheets are empty.

    Raises
    ------
    BadWorkbook
        As `suited_sheets`.
    """
    with _faults():
        sheets = {name: [list(row) for row in rows] for name, rows in _sheets(_members(content))}
    sizes = {name: sum(cell not in ("", None) for row in rows for cell in row) for name, rows in sheets.items()}
    known = [name for name, size in sizes.items() if size]
    if not known:
        return None
    suited = (name for name in known if suits([str(cell).strip().lower() for cell in sheets[name][0]]))
    name = next(suited, None) or max(known, key=sizes.__getitem__)
    width = max(map(len, sheets[name]))
    return NamedSheet(name, _cells(sheets[name], width), tuple(other for other in known if other != name))


def suited_sheets(content: bytes, suits: Callable[[Collection[str]], bool]) -> list[NamedSheet]:
    """Read the sheets whose header suits.

    Parameters
    ----------
    content : bytes
        The workbook.
    suits : callable
        Whether a sheet is meant, by the names in its first row, in lower case without blanks around.

    Returns
    -------
    list of NamedSheet
        Their rows, header first and all as wide; other sheets are those with two rows of several cells. Cells are text
        (`DateText` for a date, `Struck` if it is struck through), number (`Percent` for one in per cent), time,
        duration, `Merged`, `Formula` or None.

    Raises
    ------
    BadWorkbook
        The content is not a workbook, is damaged or too large.
    """
    found, filled = dict[str, list[list[Any]]](), list[str]()
    with _faults():
        for name, rows in _sheets(_members(content)):
            table = [list(row) for row in rows]
            if sum(sum(cell not in ("", None) for cell in row) > 1 for row in table) > 1:
                filled.append(name)
            if (cut := _below_header(table, suits)) is not None:
                found[name] = _cells(cut, len(cut[0]))
    return [NamedSheet(name, rows, tuple(other for other in filled if other != name)) for name, rows in found.items()]


@contextmanager
def _faults() -> Iterator[None]:
    """Raise `BadWorkbook` for what goes wrong in the block."""
    try:
        yield
    except (BadWorkbook, MemoryError):
        raise
    except BaseException as error:
        # Damage raises any kind of error; a panic in calamine is not even an Exception.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise BadWorkbook("This workbook cannot be read.") from error


def _members(content: bytes) -> dict[str, bytes]:
    """Return the parts of a workbook, each sheet as calamine reads it."""
    parts = _unpacked(content)
    percents, struck = _percent_styles(parts.get(_STYLES, b"")), _struck_styles(parts.get(_STYLES, b""))
    return {
        name: _with_struck(_written_again(part, percents), struck) if _SHEET.search(part) else part
        for name, part in parts.items()
    }


def _percent_styles(part: bytes) -> frozenset[str]:
    """Return the numbers of the cell styles that show numbers in per cent."""
    if b"%" not in part and b'numFmtId="9"' not in part and b'numFmtId="10"' not in part:
        return frozenset()
    formats, styles, inside = set(_PERCENT_FORMATS), list[str](), list[str]()

    def start(tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(" ")[2]
        inside.append(name)
        if name == "numFmt" and _SHOWS_PERCENT.match(attributes.get("formatCode", "")):
            formats.add(attributes.get("numFmtId", ""))
        if name == "xf" and inside[-2:-1] == ["cellXfs"]:
            styles.append(attributes.get("numFmtId", "0"))

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler, parser.EndElementHandler = start, lambda tag: inside.pop()
    parser.Parse(part, True)
    return frozenset(str(number) for number, style in enumerate(styles) if style in formats)


def _struck_styles(part: bytes) -> frozenset[str]:
    """Return the numbers of the cell styles whose text is struck through."""
    if b"strike" not in part:
        return frozenset()
    fonts, styles, inside = list[bool](), list[str](), list[str]()

    def start(tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(" ")[2]
        if name == "font" and inside[-1:] == ["fonts"]:
            fonts.append(False)
        if name == "strike" and inside[-2:] == ["fonts", "font"]:
            fonts[-1] = attributes.get("val", "1") not in ("0", "false")
        if name == "xf" and inside[-1:] == ["cellXfs"]:
            styles.append(attributes.get("fontId", "0"))
        inside.append(name)

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler, parser.EndElementHandler = start, lambda tag: inside.pop()
    parser.Parse(part, True)
    struck = {str(number) for number, is_struck in enumerate(fonts) if is_struck}
    return frozenset(str(number) for number, style in enumerate(styles) if style in struck)


def _with_struck(part: bytes, styles: Collection[str]) -> bytes:
    """Return a sheet in which each cell that is struck through is a merged range of one cell, as no program writes."""
    if not styles:
        return part
    places = [cell[1] for cell in _STYLED.finditer(part) if cell[2].decode() in styles]
    ranges = b"".join(b'<mergeCell ref="%b:%b"/>' % (place, place) for place in places)
    if not places or _MERGES.search(part):
        return _MERGES.sub(lambda tag: tag[0] + ranges, part, count=1) if places else part
    return part.replace(b"</sheetData>", b"</sheetData><mergeCells>%b</mergeCells>" % ranges, 1)


def _cells(sheet: Sequence[Sequence[Any]], width: int) -> list[list[Any]]:
    """Return rows of the same width."""
    # Texts are not passed to `_value`: a call for each cell takes longer than everything else.
    return [
        [(value or None) if type(value) is str else _value(value) for value in row] + [None] * (width - len(row))
        for row in sheet
    ]


def _value(value: Any) -> Any:
    if isinstance(value, datetime) and value == datetime(value.year, value.month, value.day):
        value = value.date()
    return DateText(value.isoformat()) if isinstance(value, date) else value


def _below_header(sheet: list[list[Any]], suits: Callable[[Collection[str]], bool]) -> list[list[Any]] | None:
    """Return a sheet as wide as what it holds; None if its header does not suit."""
    header = sheet[0] if sheet else []
    # A sheet reaches as far to the right as it was ever touched.
    width = max((place for row in sheet for place, cell in enumerate(row, 1) if cell not in (None, "")), default=0)
    return [row[:width] for row in sheet] if suits([str(name or "").strip().lower() for name in header]) else None


def _unpacked(content: bytes) -> dict[str, bytes]:
    """Return the parts of a workbook that hold text, unless they are too large: a small zip may unpack to anything."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = archive.infolist()
        if sum(member.file_size for member in members) > _MAX_UNPACKED:
            raise _too_large(f"unpacks to more than {_MAX_UNPACKED // 1024**2:,} MiB")
        parts = {m.filename: archive.read(m) for m in members if m.filename.endswith((".xml", ".rels"))}
    if _shown_size(parts.values()) > _MAX_SHOWN:
        raise _too_large(f"shows more than {_MAX_SHOWN // 1024**2:,} MiB of text in its cells")
    return parts


def _shown_size(parts: Collection[bytes]) -> int:
    """Return how many bytes of shared texts the cells show, before anything is made of them."""
    sizes = [size for part in parts if _SHARED_PART.search(part) for size in _shared_sizes(part)]
    if sum(sizes) == 0:
        return 0
    shown = np.zeros(len(sizes), dtype=np.int64)
    for part in parts:
        cells = _CELL.findall(part)
        places = np.array([place for attributes, place in cells if _IS_SHARED.search(attributes)], dtype=np.int64)
        shown += np.bincount(places[places < len(sizes)], minlength=len(sizes))
    return int(shown @ np.array(sizes, dtype=np.int64))


def _shared_sizes(part: bytes) -> Iterator[int]:
    """Sizes of the texts that cells share, in bytes and in order."""
    start = 0
    for tag in _SHARED_END.finditer(part):
        if tag[1]:
            yield tag.end() - start
        elif tag[0].endswith(b"/>"):
            yield len(tag[0])
        else:
            start = tag.start()


def _too_large(what: str) -> BadWorkbook:
    return BadWorkbook(f"This workbook {what}.", too_large=True)


def _is_plain(part: bytes) -> bool:
    """Whether calamine reads a sheet as it is meant, without running out of memory.

    It does if the part is sound XML, every cell names its place, and the rectangle around them is not mostly empty.
    """
    # In UTF-16 no pattern matches.
    if b"\0" in part or any(pattern.search(part) for pattern in _UNUSUAL):
        return False
    # An attribute that stands twice is an error: the patterns see the first, calamine takes the last.
    expat.ParserCreate().Parse(part, True)
    columns, rows = set(_COLUMN.findall(part)), _ROW.findall(part)
    width = max((_number(letters.decode()) for letters in columns), default=0)
    return width * max(map(int, rows), default=0) <= _SPARSE * len(rows) + _SPARE


def _number(letters: str) -> int:
    """The number of a column, from 1 on."""
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - 64
    return number


def column_letters(number: int) -> str:
    """Return the letters of a column, counted from 1."""
    letters = ""
    while number:
        number, place = divmod(number - 1, 26)
        letters = chr(65 + place) + letters
    return letters


def _written_again(part: bytes, percents: Collection[str] = ()) -> bytes:
    """Return a sheet as it is if it is plain, else with nothing but its cells, as calamine understands them."""
    styled = any(f' s="{style}"'.encode() in part for style in percents)
    return part if not styled and _is_plain(part) else _SheetCopy(part, percents).content


class _SheetCopy:
    """A sheet without cells far to the right of its header; errors and long numbers are texts, and all have a place."""

    def __init__(self, part: bytes, percents: Collection[str] = ()) -> None:
        self._text: list[str] = []
        self._percents = percents
        self._row = self._column = self._cells = self._lowest = self._widest = 0
        # The last column of the header, once it is read.
        self._width = self._header = 0
        # How deep in what is left out, and in the cell: its start in the text, its attributes, what it holds.
        self._left_out, self._cell, self._attributes, self._open, self._held = 0, 0, dict[str, str](), "", ""
        # Of a cell: its formula, if it has one, and whether it has a value.
        self._formula: str | None = None
        self._has_value = False
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler = self._say
        parser.Parse(part, True)
        if self._widest * self._lowest > _SPARSE * self._cells + _LARGEST:
            raise _too_large("spreads its cells too far")
        self.content = "".join(self._text).encode()

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(" ")[2]
        kept = None if self._left_out or name not in _KEPT else self._kept(name, attributes)
        if kept is None:
            self._left_out += 1
            self._formula = "=" if name == "f" and self._left_out == 1 else self._formula
            return
        if name == "c":
            self._cell, self._attributes = len(self._text), kept
            self._formula, self._has_value = None, False
        self._open, self._held = name, ""
        self._text.append(_tag(name, kept))

    def _kept(self, name: str, attributes: dict[str, str]) -> dict[str, str] | None:
        """The attributes that an element keeps, None if it is left out."""
        if name == "row":
            self._row, self._column = int(attributes.get("r") or self._row + 1), 0
            return {} if 0 < self._row <= _MAX_ROWS else None
        if name == "c":
            place = _PLACE.fullmatch(attributes.get("r", ""))
            letters = place[1] if place else "" if attributes.get("r") else column_letters(self._column + 1)
            self._column = _number(letters)
            if not 0 < self._column <= ((self._row > 1 and self._width and self._width + _BESIDE) or _MAX_COLUMNS):
                return None
            self._cells += 1
            self._widest, self._lowest = max(self._widest, self._column), max(self._lowest, self._row)
            kind = "str" if attributes.get("t") == "e" else attributes.get("t", "n")
            return {"r": f"{letters}{self._row}", "s": attributes.get("s", "0"), "t": kind}
        if name == "mergeCell":
            return {"ref": attributes.get("ref", "")}
        return {"worksheet": {"xmlns": _NAMESPACE}, "t": {"xml:space": "preserve"}}.get(name, {})

    @property
    def _is_percent(self) -> bool:
        return self._attributes.get("t") == "n" and self._attributes.get("s") in self._percents

    def _say(self, text: str) -> None:
        if self._left_out == 1 and self._formula is not None:
            self._formula += text
        if not self._left_out and self._open in ("v", "t"):
            self._held += text
            self._has_value |= bool(text.strip())
            self._text.append(escape(text))
            if self._row == 1:
                self._header = max(self._header, self._column)

    def _end(self, tag: str) -> None:
        if self._left_out:
            self._left_out -= 1
            return
        name = tag.rpartition(" ")[2]
        self._text.append(f"</{name}>")
        if name == "v" and self._attributes.get("t") == "n" and _LONG.fullmatch(self._held):
            self._text[self._cell] = _tag("c", {**self._attributes, "t": "str"})
        elif name == "v" and self._is_percent and self._held.strip():
            self._text[self._cell :] = [_tag("c", {**self._attributes, "t": "str"}), "<v>", _PERCENT, self._held]
            self._text.append("</v>")
        if name == "c" and self._formula is not None and not self._has_value and self._attributes.get("t") != "str":
            cell = _tag("c", {**self._attributes, "t": "str"})
            self._text[self._cell :] = [cell, "<v>", _FORMULA, escape(self._formula), "</v>", "</c>"]
        if name == "row" and self._row == 1:
            self._width = self._header
        self._open = ""


def _tag(name: str, attributes: Mapping[str, str]) -> str:
    return f"<{name}{''.join(f' {key}={quoteattr(value)}' for key, value in attributes.items())}>"


def _sheets(members: Mapping[str, bytes]) -> Iterator[tuple[str, Iterable[Sequence[Any]]]]:
    from python_calamine import CalamineWorkbook, SheetTypeEnum

    stream = io.BytesIO()
    # Packed again from the parts that were checked, so that no sheet is larger than its zip entry says.
    with zipfile.ZipFile(stream, "w") as archive:
        for name, part in members.items():
            archive.writestr(name, part)
    stream.seek(0)
    marked = any(sign.encode() in part for part in members.values() for sign in (_FORMULA, _PERCENT))
    with CalamineWorkbook.from_filelike(stream) as book:
        for sheet in book.sheets_metadata:
            if sheet.typ == SheetTypeEnum.WorkSheet:
                cells = book.get_sheet_by_name(sheet.name)
                rows = cells.to_python(skip_empty_area=False)
                if marked:
                    rows = [[_unmarked(cell) for cell in row] for row in rows]
                _mark_merged(rows, cells.merged_cell_ranges or [])
                yield sheet.name, rows


def _unmarked(cell: Any) -> Any:
    if type(cell) is not str or cell[:1] not in (_FORMULA, _PERCENT):
        return cell
    if cell[0] == _FORMULA:
        return Formula(cell[1:])
    try:
        return Percent(cell[1:])
    except ValueError:
        return cell[1:]


def _mark_merged(rows: list[list[Any]], ranges: Iterable[tuple[tuple[int, int], tuple[int, int]]]) -> None:
    """Put `Merged` into the empty cells of ranges, each its first and last cell, counted from 0; `Struck` into one."""
    left = sum(map(len, rows))
    for (top, first), (bottom, last) in ranges:
        inside = [row[first : last + 1] for row in rows[top : bottom + 1]]
        left -= sum(map(len, inside))
        if left < 0:
            # Ranges of a sound workbook do not overlap; these might take for ever.
            return
        if (top, first) == (bottom, last) and inside and inside[0]:
            said = inside[0][0]
            rows[top][first] = said if said == "" else Struck(f"{said:.15g}" if isinstance(said, float) else said)
            continue
        for row, cells in zip(rows[top : bottom + 1], inside, strict=True):
            # Of a title over several columns only the first is its own.
            above = [_value(inside[0][0]) or None, *[None] * (len(cells) - 1)] if cells else []
            row[first : last + 1] = [
                Merged(shown) if cell == "" else cell for cell, shown in zip(cells, above, strict=True)
            ]
