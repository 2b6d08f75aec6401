"""Base of every result: one list of sections, and each format made from it."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from bestofk import report
from bestofk.report.parts import Sections

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bestofk.report.plots import Display


class Reported(ABC):
    """Result that can be read as text, Markdown, LaTeX, JSON, HTML, numbers and a picture.

    A kind of result says what its report holds (`sections`) and its numbers (`to_frame`); it may
    have a picture (`display`) and more plain values than those numbers (`to_dict`).
    """

    # Public names that are not offered first: parts that the result is made of.
    _parts: ClassVar[tuple[str, ...]] = ("sections", "answer", "text", "display", "to_dict")

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name not in self._parts]

    @abstractmethod
    def sections(self) -> Sections:
        """Return the report: answer, tables, details and caveats."""

    @abstractmethod
    def to_frame(self) -> pd.DataFrame:
        """Return the numbers."""

    def display(self) -> Display | None:
        """Return the picture, not yet drawn; None for a result without one."""
        return None

    @property
    def answer(self) -> tuple[str, ...]:
        """The answer alone: what to do; what else is plausible; how sure that is."""
        return self.sections().answer

    def text(self) -> str:
        """Return the whole report as plain text, as `print` shows it."""
        return report.to_text(self.sections())

    def to_markdown(self) -> str:
        """Return the report in Markdown."""
        return report.to_markdown(self.sections())

    def to_latex(self) -> str:
        """Return the tables for LaTeX (package booktabs)."""
        return report.to_latex(self.sections())

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers as plain values, as JSON has them."""
        return {"answer": list(self.answer), "rows": self.to_frame().to_dict("records")}

    def to_json(self) -> str:
        """Return everything as one JSON object."""
        return report.json_text(self.to_dict())

    def to_html(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write one self-contained HTML page with the report and the picture.

        Parameters
        ----------
        path : str or Path
            The file.
        overwrite : bool, default=False
            Whether an existing file may be replaced.

        Raises
        ------
        InvalidArgumentError
            If the file exists and may not be replaced, its folder does not exist, or it
            cannot be written.
        """
        report.write_sections(self.sections(), path, overwrite=overwrite, display=self.display())

    def _repr_html_(self) -> str:
        return report.to_html_fragment(self.sections())

    def __str__(self) -> str:
        return self.text()


class DrawnReport(Reported):
    """Result with a picture of its own."""

    @abstractmethod
    def display(self) -> Display:
        """Return the picture, not yet drawn."""

    def plot(self, ax: Axes | None = None) -> Display:
        """Draw the picture.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if not given.
        """
        return self.display().plot(ax)
