"""What do the bytes of a text file say."""

from __future__ import annotations

import codecs
import gzip
import zlib
from pathlib import Path

from bestofk.errors import InvalidArgumentError

_GZIP_START = b"\x1f\x8b"


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
    """Return the content of a file, unpacked if it is gzipped."""
    if path.is_dir():
        raise InvalidArgumentError(
            f"data must be a file; got the directory {path}. Name a file in it."
        )
    if not path.exists():
        raise InvalidArgumentError(f"data must be an existing file; got {path}. Check the path.")
    try:
        content = path.read_bytes()
        return gzip.decompress(content) if content.startswith(_GZIP_START) else content
    except (OSError, EOFError, zlib.error) as error:
        raise InvalidArgumentError(f"{path} must be readable; got: {error}.") from error


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
