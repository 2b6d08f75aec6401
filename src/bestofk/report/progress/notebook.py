"""Progress of runs in a notebook: one table that is updated, and gone when the result comes."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from bestofk.report.progress.shown import ShownProgress
from bestofk.report.progress.standings import Standings

_FIRST_SECONDS = _SECONDS = 1.0


class NotebookProgress(ShownProgress):
    """Standings as an HTML table in the output of a cell."""

    def __init__(self) -> None:
        super().__init__(_FIRST_SECONDS, _SECONDS)
        self._handle: Any = None

    def show(self, standings: Standings) -> None:
        """Display the table, or update it."""
        text = "\n".join(standings.heading(self.elapsed_seconds))
        self._display({"text/html": to_html(standings, self.elapsed_seconds), "text/plain": text})

    def close(self) -> None:
        """Empty what was displayed: the result follows in its place."""
        if self._handle is not None:
            self._display({"text/html": "", "text/plain": ""})

    def _display(self, content: dict[str, str]) -> None:
        if self._handle is not None:
            self._handle.update(content, raw=True)
            return
        from IPython.display import display

        self._handle = display(content, raw=True, display_id=True)


def to_html(standings: Standings, elapsed_seconds: float) -> str:
    """Return standings as HTML: heading, table and notes.

    Parameters
    ----------
    standings : Standings
        How far it is.
    elapsed_seconds : float
        Since it began.
    """
    table = standings.table()
    lines = [f"<div>{escape(line)}</div>" for line in standings.heading(elapsed_seconds)]
    heads = "".join(_cell("th", head, index, table.left) for index, head in enumerate(table.heads))
    rows = [
        "".join(
            _cell("td", cell, index, table.left)
            for index, cell in enumerate((row.name, *row.cells))
        )
        for row in table.rows
    ]
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    lines.append(f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>")
    lines += [f"<div>{escape(note)}</div>" for note in standings.notes()]
    return "\n".join(lines)


def _cell(tag: str, text: str, index: int, left: Sequence[int]) -> str:
    side = "left" if index in left else "right"
    return f'<{tag} style="text-align: {side}">{escape(text)}</{tag}>'
