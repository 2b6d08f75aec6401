"""Source text of functions, as from `inspect.getsource` but mostly without tokenizing."""

from __future__ import annotations

import functools
import inspect
import linecache
import re
import textwrap
import types

_HEAD = re.compile(r"\s*(async\s+)?def\s+(\w+)")


@functools.lru_cache(maxsize=4096)
def source_of(code: types.CodeType) -> str:
    """Return the text of a function, without the indent.

    Parameters
    ----------
    code : code object
        Of the function.

    Returns
    -------
    str
        As `inspect.getsource` gives it: with decorators, and comments at its end.

    Raises
    ------
    OSError, TypeError, IndexError
        If the text is not to be had.

    Examples
    --------
    >>> source_of(textwrap.dedent.__code__).splitlines()[0]
    'def dedent(text):'
    """
    return textwrap.dedent(_block(code) or inspect.getsource(code))


def _block(code: types.CodeType) -> str:
    """Return the lines of a function from the places of its instructions, '' if in doubt.

    There is none where a line follows that clearly is of something else.
    """
    linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename)
    first, last = code.co_firstlineno - 1, _last_line(code)
    if not 0 <= first < last <= len(lines) or lines[first].lstrip()[:1] not in ("@", "d", "a"):
        return ""
    heads = filter(None, map(_HEAD.match, lines[first:last]))
    head = next(heads, None)
    if head is None or head[2] != code.co_name:
        return ""
    indent = _indent(head[0])
    following = (line for line in lines[last:] if line.strip())
    # a comment of no more indent is never of the function
    after = next(
        (item for item in following if _indent(item) > indent or item.strip()[0] != "#"), "end"
    )
    if _indent(after) > indent or after.strip()[0] in ")]}":
        return ""
    block = "".join(lines[first:last])
    is_open = any(block.count(quotes) % 2 for quotes in ('"""', "'''"))
    return "" if is_open else block


def _last_line(code: types.CodeType) -> int:
    """Return the last line of any instruction of a function and those in it; 0 if unknown."""
    ends = [end or 0 for _, end, _, _ in code.co_positions()]
    ends += [_last_line(inner) for inner in code.co_consts if isinstance(inner, types.CodeType)]
    return max(ends, default=0)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
