"""Bytes and texts of files, gzipped or not."""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from pathlib import Path

from bestofk.checks import wrong_source
from bestofk.errors import InvalidArgumentError

MOST_UNPACKED = 500_000_000  # bytes; a few hundred packed kilobytes can unpack to that

GZIP_START = b"\x1f\x8b"
_CHUNK = 1 << 20


def read_text(path: Path) -> tuple[str, str]:
    """Return the text of a file, gzipped or not, and the name of its encoding.

    A byte order mark decides for utf-8 or utf-16; else utf-8 is tried, then
    cp1252, then latin-1, which reads anything.

    Raises
    ------
    InvalidArgumentError
        If there is no such file, it is a directory, cannot be read or unpacked,
        is binary (holds NUL bytes) or empty.
    """
    content = read_bytes(path)
    text, encoding = _decode(path, content)
    if not text.strip():
        raise InvalidArgumentError(f"{path} must hold rows; got an empty file.")
    return text, encoding


def read_bytes(path: Path) -> bytes:
    """Return the content of a file, unpacked if it is gzipped.

    Raises
    ------
    InvalidArgumentError
        If there is no such file, it is a directory, a pipe or a device, cannot be read or
        unpacked, or unpacks to more than `MOST_UNPACKED`.
    """
    try:
        with opened(path) as stream:
            return stream.read()
    except (OSError, EOFError, zlib.error) as error:
        raise InvalidArgumentError(f"{path} must be readable; got: {error}.") from error


def opened(path: Path) -> io.BufferedReader | gzip.GzipFile:
    """Open a file to read its bytes, unpacked if it is gzipped.

    What it unpacks to is counted first and held nowhere.

    Raises
    ------
    InvalidArgumentError
        If there is no such file, it is a directory, a pipe or a device, or unpacks to more than
        `MOST_UNPACKED`.
    """
    if problem := wrong_source(path, "data"):
        raise InvalidArgumentError(problem)
    stream = path.open("rb")
    if stream.read(len(GZIP_START)) != GZIP_START:
        stream.seek(0)
        return stream
    stream.close()
    n_bytes = 0
    with gzip.open(path) as packed:
        while chunk := packed.read(_CHUNK):
            n_bytes += len(chunk)
            if n_bytes > MOST_UNPACKED:
                raise too_large(path, "Unpack it first (gunzip)")
    return gzip.open(path)


def too_large(path: Path, way_out: str) -> InvalidArgumentError:
    """Return the error for a file that unpacks to more than the limit."""
    return InvalidArgumentError(
        f"{path} must unpack to at most {MOST_UNPACKED // 10**6:,} MB; got more. "
        f"{way_out} if that is what it should hold: files that are not packed have no limit."
    )


def inflated(packed: bytes, most: int = MOST_UNPACKED) -> bytes:
    """Return the bytes that zlib packed, or raise zlib.error where there are more than `most`."""
    stream = zlib.decompressobj()
    content = stream.decompress(packed, max(most, 0) + 1)
    if not stream.eof or len(content) > most:
        raise zlib.error("incomplete, or larger than its rows")
    return content


def _decode(path: Path, content: bytes) -> tuple[str, str]:
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        candidates = ["utf-16"]
    elif b"\0" in content:
        raise InvalidArgumentError(
            f"{path} must be a text file; got binary content. Save the table as CSV."
        )
    elif content.startswith(codecs.BOM_UTF8):
        candidates = ["utf-8-sig"]
    else:
        candidates = ["utf-8", "cp1252", "latin-1"]
    for encoding in candidates:
        try:
            return content.decode(encoding), encoding
        except UnicodeDecodeError:
            continue
    raise InvalidArgumentError(
        f"{path} must be text in {candidates[0]}, as its first bytes say; got other bytes. "
        "Save it as UTF-8."
    )
