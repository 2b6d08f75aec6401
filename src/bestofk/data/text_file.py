"""Bytes and texts of files, packed or not."""

from __future__ import annotations

import bz2
import codecs
import gzip
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bestofk.checks import wrong_source
from bestofk.errors import InvalidArgumentError

MOST_UNPACKED = 500_000_000  # bytes; a few hundred kilobytes can unpack to this

GZIP_START, _ZIP_START = b"\x1f\x8b", b"PK\x03\x04"
# First bytes of packed files, and the functions that open them.
_PACKED: dict[bytes, Callable[[Path], Any]] = {
    GZIP_START: gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\x00": lzma.open,
    _ZIP_START: lambda path: zipfile.ZipFile(path).open(zipped_member(path)),  # noqa: SIM115
}
# RuntimeError: a password, or a method that zipfile does not support
UNPACKING_ERRORS = (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, RuntimeError)
_CHUNK = 1 << 20
# utf-32 first: its marks begin like those of utf-16.
_BYTE_ORDER_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
    codecs.BOM_UTF8: "utf-8-sig",
}
_GUESSES = ("cp1252", "latin-1")
_SNIFFED_BYTES = 1 << 16
_ODD_LETTERS = re.compile("[^\\W\\d_\x00-\x7f]{2,}|[^\x00-\x7f]{3,}")
_OTHER_ENCODINGS = [
    "cp1251", "koi8_r", "cp932", "gb18030", "big5", "cp949", "cp1253", "cp1254", "cp1255", "cp1256",
]  # fmt: skip


def read_text(path: Path) -> tuple[str, str]:
    """Return the text of a file, gzipped or not, and the name of its encoding.

    A byte order mark selects utf-8, utf-16 or utf-32. Else utf-8 is tried, then cp1252, then
    latin-1, which reads anything.

    Raises
    ------
    InvalidArgumentError
        If there is no such file, it is a directory, cannot be read or unpacked,
        is binary (holds NUL bytes) or empty.
    """
    return decode(path, read_bytes(path))


def read_bytes(path: Path) -> bytes:
    """Return the content of a file, unpacked if it is packed.

    Raises
    ------
    InvalidArgumentError
        If there is no such file, it is a directory, a pipe or a device, cannot be read or
        unpacked, or unpacks to more than `MOST_UNPACKED`.
    """
    try:
        with opened(path) as stream:
            content: bytes = stream.read()
            return content
    except UNPACKING_ERRORS as error:
        raise InvalidArgumentError(f"{path} must be readable; got: {error}.") from error


def opened(path: Path) -> Any:
    """Open a file for reading bytes, unpacked from gzip, bzip2, xz or zip.

    The unpacked size is checked first, without keeping the content in memory.

    Raises
    ------
    InvalidArgumentError
        If there is no such file, it is a directory, a pipe or a device, or unpacks to more than
        `MOST_UNPACKED`.
    """
    if problem := wrong_source(path, "data"):
        raise InvalidArgumentError(problem)
    with path.open("rb") as stream:
        start = stream.read(max(map(len, _PACKED)))
    opener = next((known for mark, known in _PACKED.items() if start.startswith(mark)), None)
    if opener is None or (start.startswith(_ZIP_START) and not zipped_size(path)):
        return path.open("rb")
    n_bytes = 0
    with opener(path) as packed:
        while chunk := packed.read(_CHUNK):
            n_bytes += len(chunk)
            if n_bytes > MOST_UNPACKED:
                raise too_large(path, "Unpack it first")
    return opener(path)


def zipped_size(path: Path) -> int:
    """Return the unpacked size that a zip file declares; 0 if it is damaged or not a zip file."""
    try:
        with zipfile.ZipFile(path) as packed:
            return sum(member.file_size for member in packed.infolist())
    except UNPACKING_ERRORS:
        return 0


def zipped_member(path: Path) -> str:
    """Return the only file that a zip file holds."""
    with zipfile.ZipFile(path) as packed:
        names = [name for name in packed.namelist() if not name.endswith("/")]
    files = [name for name in names if "__MACOSX" not in name]  # system files of macOS
    if len(files) != 1:
        raise InvalidArgumentError(
            f"{path} must hold one file; got {len(files)}: {', '.join(files[:3])}. Unpack it, and "
            "name one of them; a workbook ends in .xlsx."
        )
    return files[0]


def too_large(path: Path, way_out: str) -> InvalidArgumentError:
    """Return the error for a file that exceeds the limit when unpacked."""
    return InvalidArgumentError(
        f"{path} must unpack to at most {MOST_UNPACKED // 10**6:,} MB; got more. {way_out} if this "
        "size is intended: files that are not packed have no limit."
    )


def inflated(packed: bytes, most: int = MOST_UNPACKED) -> bytes:
    """Return the bytes that zlib packed; raise zlib.error if there are more than `most`."""
    stream = zlib.decompressobj()
    content = stream.decompress(packed, max(most, 0) + 1)
    if not stream.eof or len(content) > most:
        raise zlib.error("incomplete, or larger than its rows")
    return content


def decode(path: Path, content: bytes, encoding: str | None = None) -> tuple[str, str]:
    """Return the content of a file as text, and the name of its encoding.

    Parameters
    ----------
    path : Path
        The file, for messages.
    content : bytes
        The content of the file.
    encoding : str or None, default=None
        Its encoding; None applies the rule of `read_text`.

    Raises
    ------
    InvalidArgumentError
        If it is not text in this encoding, or has only blank lines.
    """
    if encoding is not None:
        candidates, why = [encoding], "as asked for"
    elif mark := next((mark for mark in _BYTE_ORDER_MARKS if content.startswith(mark)), None):
        candidates, why = [_BYTE_ORDER_MARKS[mark]], "as its first bytes say"
    elif b"\0" in content:
        raise InvalidArgumentError(
            f"{path} must be a text file; got binary content. Save the table as CSV, or name the "
            "encoding (--encoding utf-16)."
        )
    else:
        candidates, why = ["utf-8", "cp1252", "latin-1"], ""
    for candidate in candidates:
        try:
            text = content.decode(candidate)
        except UnicodeError:
            continue
        if not text.strip():
            raise InvalidArgumentError(f"{path} must hold rows; got an empty file.")
        return text.removeprefix("\ufeff"), candidate
    raise InvalidArgumentError(
        f"{path} must be text in {candidates[0]}, {why}; got other bytes. Save it as UTF-8, or "
        "name its encoding (--encoding)."
    )


def encoding_doubt(content: bytes, encoding: str) -> str:
    """Return a sentence if the encoding is a guess and the letters suggest that it is wrong.

    Western texts rarely have two letters, or three characters, beyond ASCII in a row.
    """
    if encoding not in _GUESSES:
        return ""
    sample = content[:_SNIFFED_BYTES]
    odd = _ODD_LETTERS.search(sample.decode(encoding, errors="ignore"))
    if not odd:
        return ""
    from charset_normalizer import from_bytes

    best = from_bytes(sample, cp_isolation=_OTHER_ENCODINGS).best()
    likely = best.encoding if best is not None else ""
    sentence = f"Read as {encoding}, a guess that gives letters such as {odd[0]!r}"
    if not likely:
        return f"{sentence}. Name another with --encoding."
    written = odd[0].encode(encoding).decode(likely, errors="ignore")  # may end mid-character
    if written == odd[0]:
        return ""
    return f"{sentence}; in {likely} they are {written!r}. --encoding {likely} reads it so."
