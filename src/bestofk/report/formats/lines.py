"""Lines of plain text: wrapped sentences, bullets, and tables in columns."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence
from itertools import zip_longest

from bestofk.words import printable


def wrapped(text: str, width: int, first: str = "", others: str = "") -> list[str]:
    """Return a text in lines, with what stands before the first and before the others."""
    return textwrap.wrap(
        printable(text), width, initial_indent=first, subsequent_indent=others,
        break_on_hyphens=False,
    )  # fmt: skip


def bullets(texts: Iterable[str], width: int) -> list[str]:
    """Return texts as an indented list with dashes."""
    return [line for text in texts for line in wrapped(text, width, "  - ", "    ")]


def aligned(
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    left: Sequence[int] = (0,),
    width: float = math.inf,
) -> list[str]:
    r"""Return a table as lines; columns move together where the width asks for it.

    Parameters
    ----------
    heads : sequence of str
        Titles; one with line breaks stands in several lines, its last line with the others'.
    rows : sequence of sequence of str
        As many cells in each as there are heads.
    left : sequence of int, default=(0,)
        Columns that stand left; all others stand right.
    width : float
        Columns of the terminal; lines are never cut.

    Returns
    -------
    list of str
        Heads, a rule, then one line per row.

    Examples
    --------
    >>> print("\n".join(aligned(["learner", "mean\nerror"], [["lda", "0.1"], ["cart", "0.15"]])))
              mean
    learner  error
    --------------
    lda        0.1
    cart      0.15
    """
    titles = [printable(head, keep="\n").split("\n") for head in heads]
    shown = [[printable(cell) for cell in row] for row in rows]
    columns = list(zip(*shown, strict=True)) or [()] * len(heads)
    sizes = [max(map(len, (*lines, *cells))) for lines, cells in zip(titles, columns, strict=True)]
    gap = 2 if sum(sizes) + 2 * (len(sizes) - 1) <= width else 1

    def line(cells: Iterable[str]) -> str:
        pairs = enumerate(zip(cells, sizes, strict=True))
        parts = [cell.ljust(size) if k in left else cell.rjust(size) for k, (cell, size) in pairs]
        return (" " * gap).join(parts).rstrip()

    lifted = list(zip_longest(*(lines[::-1] for lines in titles), fillvalue=""))[::-1]
    rule = "-" * (sum(sizes) + gap * (len(sizes) - 1))
    return [*map(line, lifted), rule, *map(line, shown)]
