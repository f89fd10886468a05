"""Encodings of text files: UTF-8, UTF-16, UTF-32, and the code pages in which Excel saves a “CSV” on Windows."""

from __future__ import annotations

import codecs
import io
import re
import unicodedata
from collections.abc import Mapping
from itertools import pairwise
from typing import BinaryIO, cast

from ..words.verdict_words import NO_VALUE, PAIRS, SIGNS, UNKNOWN
from .foreign_names import ANSWER, NUMBER, OUTPUT, PROMPT, RIGHT, RIGHT_ANSWER, names, plain_key

UTF8 = "utf-8"
# Whose bytes tell: a code page of Windows, and what people write in it.
PAGES: Mapping[str, str] = {
    "cp1252": "Western European",
    "cp1250": "Central European",
    "cp1254": "Turkish",
    "cp1251": "Cyrillic",
    "gb18030": "Simplified Chinese",
    "big5": "Traditional Chinese",
    "cp932": "Japanese",
    "cp949": "Korean",
    "cp1256": "Arabic",
    "cp1253": "Greek",
    "cp1255": "Hebrew",
    "cp874": "Thai",
}
_LATIN = "cp1252"
# Pages of Latin letters: the same bytes are other letters, so that no byte tells which of them it is.
_LATINS = (_LATIN, "cp1250", "cp1254")
_NAMES = frozenset(
    plain_key(name) for role in (PROMPT, RIGHT_ANSWER, ANSWER, OUTPUT, RIGHT, NUMBER) for name in names(role)
)
# What people write into cells of labels.
_VERDICTS = frozenset(
    word.replace("_", " ").casefold()
    for words in (*PAIRS.values(), SIGNS, NO_VALUE, UNKNOWN)
    for word in words.replace("/", " ").split()
)
_MOSTLY, _MOST_NAMED = 0.5, 3
# Between the cells of a table, and between the keys and values of JSON.
_CELL_END = re.compile(r"[,;\t:\"]")
_CHUNK, _SAMPLE = 1024**2, 64 * 1024
_FOREIGN = re.compile(rb"[\x80-\xff]")
_RUN = re.compile(rb"[\x80-\xff]{2,}")
# Letters with accents stand alone between plain ones; those of another script stand in runs.
_MOST_IN_RUNS = 0.3
# Marks are parts of the words of some scripts. More letters than these make a word, and of these at most this share
# stand within words of other letters.
_WORD = re.compile(r"(?:[^\W\d_]|[\u0591-\u05c7\u064b-\u0652\u0e31\u0e34-\u0e3a\u0e47-\u0e4e])+")
_MOST_ALONE, _MOST_GLUED = 1.2, 0.5
_BOMS32 = {codecs.BOM_UTF32_LE: "utf-32-le", codecs.BOM_UTF32_BE: "utf-32-be"}
_BOMS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
# A zero byte beside most characters of tables and JSON, and never a zero in their place.
_FEWEST_ZEROS = 0.3


def utf16_of(head: bytes) -> str | None:
    """Return the UTF-16 in which a file begins, with a byte order mark or without; None for another encoding.

    UTF-32 is known by its mark alone.
    """
    if head[:4] in _BOMS32:
        return _BOMS32[head[:4]]
    if head[:2] in _BOMS:
        return _BOMS[head[:2]]
    pairs = len(head) // 2
    high, low = head[0 : 2 * pairs : 2].count(0), head[1 : 2 * pairs : 2].count(0)
    if min(high, low) or max(high, low) <= _FEWEST_ZEROS * pairs:
        return None
    encoding = "utf-16-le" if low else "utf-16-be"
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(head)
    except UnicodeDecodeError:
        return None
    return encoding if all(char.isprintable() or char.isspace() for char in text) else None


def page_of(file: BinaryIO, most: int) -> str:
    """Return the code page of a text, or UTF-8 if it is that, or damaged UTF-8, or in no known page.

    Parameters
    ----------
    file : binary file
        The text from its beginning.
    most : int
        Number of bytes after which the rest is taken for UTF-8, as no reader gets so far.
    """
    utf8, is_plain, read = codecs.getincrementaldecoder(UTF8)(), True, 0
    while read <= most and (chunk := file.read(_CHUNK)):
        read += len(chunk)
        try:
            is_plain &= utf8.decode(chunk, final=len(chunk) < _CHUNK).isascii()
        except UnicodeDecodeError:
            # Of what is UTF-8 so far, some bytes are damaged.
            page = _page(chunk) if is_plain else UTF8
            return page if _holds(file, chunk, page) else UTF8
    return UTF8


def _page(chunk: bytes) -> str:
    """Choose the code page of a text by its lines that are not ASCII."""
    sample = _sample(chunk)
    read = sample.decode(UTF8, "replace")
    broken = read.count("\ufffd")
    if len(read) - sum(char.isascii() for char in read) - broken >= broken:
        return UTF8
    by_names, by_verdicts = _by_names(chunk), _by_verdicts(sample)
    if len(by_names) == 1 or by_verdicts:
        return by_names[0] if len(by_names) == 1 else by_verdicts
    latin = min(_LATINS, key=lambda page: _misfits(sample.decode(page, "replace")))
    in_runs = sum(map(len, _RUN.findall(sample)))
    if in_runs < _MOST_IN_RUNS * len(_FOREIGN.findall(sample)):
        return latin
    # Here, since most files are UTF-8.
    from charset_normalizer import from_bytes

    best = from_bytes(sample, cp_isolation=[page for page in PAGES if page not in _LATINS]).best()
    page = next((page for page in PAGES if best and page == best.encoding), latin)
    return page if page == latin or _is_of_words(sample.decode(page, "replace")) else latin


def _is_of_words(text: str) -> bool:
    """Whether a text has words of another script.

    In such a page, the dashes and quotes of a Latin text look like single letters, or like letters within words of
    plain ones: “wait…” becomes 뱖ait뀛.
    """
    words = [word for word in _WORD.findall(text) if any(map(_is_of_another_script, word))]
    letters = [char for word in words for char in word if _is_of_another_script(char)]
    glued = sum(sum(map(_is_of_another_script, word)) for word in words if not all(map(_is_of_another_script, word)))
    return len(letters) > _MOST_ALONE * len(words) and glued <= _MOST_GLUED * len(letters)


def _is_of_another_script(char: str) -> bool:
    is_letter = unicodedata.category(char)[0] in "LM" and not char.isascii()
    return is_letter and not unicodedata.name(char, "").startswith("LATIN")


def _sample(text: bytes) -> bytes:
    """Return the first lines that are not ASCII."""
    return b"\n".join(line for line in text.splitlines() if not line.isascii())[:_SAMPLE]


def _by_names(text: bytes) -> list[str]:
    """List the code pages in which most columns or keys of the first line are known, none if nothing tells."""
    first = next((line for line in text.splitlines() if line.strip()), b"")
    found = {page: _known(first, page) for page in PAGES}
    most = max(found.values())
    return [page for page, count in found.items() if count == most] if most else []


def _known(line: bytes, page: str) -> int:
    return sum(plain_key(cell) in _NAMES for cell in _foreign_cells(line, page))


def _by_verdicts(sample: bytes) -> str:
    """Return the code page in which most cells that are not ASCII are verdicts; "" if none, or several others, do."""
    found = dict[str, list[str]]()
    for page in PAGES:
        cells = _foreign_cells(sample, page)
        if sum(cell in _VERDICTS for cell in cells) > _MOSTLY * len(cells):
            found[page] = cells
    first = next(iter(found), "")
    return first if all(cells == found[first] for cells in found.values()) else ""


def _foreign_cells(text: bytes, page: str) -> list[str]:
    """Return the cells that are not ASCII, as verdicts are compared; none if the text is not in the code page."""
    try:
        lines = text.decode(page).splitlines()
    except UnicodeDecodeError:
        return []
    return [cell.strip(" .!").casefold() for line in lines for cell in _CELL_END.split(line) if not cell.isascii()]


def _misfits(text: str) -> int:
    """Count signs within words, such as “£ód”, and capitals behind small letters, such as “odpowiedŸ”."""
    pairs = [(one, other) for one, other in pairwise(text) if not (one + other).isascii()]
    signs = sum(unicodedata.category(one)[0] in "SN" and not one.isascii() and other.isalpha() for one, other in pairs)
    return signs + sum(one.islower() and other.isupper() and not other.isascii() for one, other in pairs)


def also_may_be(text: bytes, page: str) -> list[str]:
    """List the other code pages that a text of Latin letters may be in, in which it would read otherwise.

    Parameters
    ----------
    text : bytes
        The beginning of the text.
    page : str
        The code page in which it is read.
    """
    sample = _sample(text)
    if page not in _LATINS or _by_names(text) == [page] or _by_verdicts(sample) == page:
        return []
    read = {one: sample.decode(one, "replace") for one in _LATINS}
    own = read[page]
    latin = [one for one, other in read.items() if other != own and _misfits(other) <= _misfits(own)]
    return [*latin, *_of_other_scripts(sample, own)]


def _of_other_scripts(sample: bytes, latin: str) -> list[str]:
    """List the code pages in which a text has whole words of another script, if hardly a Latin word is like one.

    Words of Latin letters have some without accents; “äà” and “íåò” are да and нет.
    """
    words = [word for word in _WORD.findall(latin) if len(word) > 1 and not word.isascii()]
    if sum(not any(map(str.isascii, word)) for word in words) <= _MOSTLY * len(words):
        return []
    found = []
    for page in PAGES:
        try:
            text = sample.decode(page) if page not in _LATINS else ""
        except UnicodeDecodeError:
            continue
        foreign_words = [word for word in _WORD.findall(text) if not word.isascii()]
        if foreign_words and all(all(map(_is_of_another_script, word)) for word in foreign_words):
            found.append(page)
    return found[:_MOST_NAMED]


def _holds(file: BinaryIO, chunk: bytes, page: str) -> bool:
    """Whether a chunk, and what follows it in the file, is text of a code page."""
    decoder = codecs.getincrementaldecoder(page)()
    try:
        while chunk:
            if page == UTF8 or b"\0" in chunk:
                return False
            decoder.decode(chunk)
            chunk = file.read(_CHUNK)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


class Reencoded(io.RawIOBase):
    """A text in another encoding, read as UTF-8.

    Parameters
    ----------
    file : binary file
        The text from its beginning.
    encoding : str
        Its encoding; reading raises UnicodeDecodeError if it is not.
    """

    def __init__(self, file: BinaryIO, encoding: str) -> None:
        self._text = io.TextIOWrapper(file, encoding, newline="")
        self._left = b""

    def readable(self) -> bool:
        """Whether it can be read."""
        return True

    def readinto(self, buffer: object) -> int:
        """Fill a buffer with what comes next, no more than it holds."""
        view = memoryview(cast(bytearray, buffer))
        if not self._left:
            self._left = self._text.read(max(1, len(view))).encode(UTF8, "surrogatepass")
        size = min(len(view), len(self._left))
        view[:size], self._left = self._left[:size], self._left[size:]
        return size
