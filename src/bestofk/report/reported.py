"""Base of every result: one list of sections, and each format made from it."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from bestofk import report
from bestofk.report.parts import Sections
from bestofk.words import joined_lines

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bestofk.report.findings import Findings, FindingsAcross
    from bestofk.report.html.views import PageParts
    from bestofk.report.parts import Sections
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


class ReportedVerdict(Reported):
    """Base of results that have findings with a verdict."""

    _parts = (*Reported._parts, "findings")

    @property
    @abstractmethod
    def findings(self) -> Findings | FindingsAcross:
        """Everything a report says, as plain numbers and sentences."""

    @property
    def best(self) -> str | None:
        """Name of the best learner; None where no verdict is possible.

        Examples
        --------
        >>> from bestofk import compare
        >>> compare(["nearest-mean", "lda", "majority"], "wine", cv="2x2").best
        'lda'
        """
        verdict = self.findings.verdict
        return verdict.best if verdict else None

    @property
    def order(self) -> list[str]:
        """All learners in the verdict, best first.

        Examples
        --------
        >>> from bestofk import compare
        >>> compare(["nearest-mean", "lda", "majority"], "wine", cv="2x2").order
        ['lda', 'nearest-mean', 'majority']
        """
        verdict = self.findings.verdict
        return list(verdict.order) if verdict else []

    @property
    def candidates(self) -> list[str]:
        """Learners that no other learner significantly beats.

        Examples
        --------
        >>> from bestofk import compare
        >>> compare(["nearest-mean", "lda", "majority"], "wine", cv="2x2").candidates
        ['nearest-mean', 'lda']
        """
        verdict = self.findings.verdict
        return list(verdict.candidates) if verdict else []

    @property
    def table(self) -> Any:
        """The printed table with numbers: a DataFrame with one row per learner, the pick first.

        Columns learner; the deciding measure by its name, its mean, and sd over splits;
        versus_pick ("pick", "better", "about the same", "can't tell", "worse", or why a learner
        takes no part); difference to the pick on the splits that both have, score minus score of
        the pick in the unit of the measure, with its interval low and high; repeats;
        train_seconds and predict_seconds, medians per run; n_failed runs; then the means of the
        other measures. Over many data sets: their rows, and a column per learner.

        Examples
        --------
        >>> from bestofk import compare
        >>> result = compare(["nearest-mean", "lda"], "wine", cv="5x2")
        >>> result.table[["learner", "error", "versus_pick"]].round(3).values.tolist()
        [['lda', 0.022, 'pick'], ['nearest-mean', 0.031, "can't tell"]]
        """
        return report.learner_frame(self.findings)

    def pairs(self) -> Any:
        """Return a DataFrame with one row of evidence per pair of learners.

        Differences and limits are losses, first minus second: below 0 the first is better, also
        by measures of which more is better (`test` takes the values of the measure as they are).

        Examples
        --------
        >>> from bestofk import compare
        >>> result = compare(["majority", "lda"], "wine", cv="5x2")
        >>> result.pairs()[["first", "second", "answer"]].values.tolist()
        [['majority', 'lda', 'better']]
        """
        return report.pairs_frame(self.findings)

    def plot(self, kind: str = "pairs", *, ax: Any = None) -> Display:
        """Draw a picture.

        Parameters
        ----------
        kind : str, default="pairs"
            "pairs", every learner's difference to the pick; "scores" of every split; "ranking",
            the order and which learner is better than which; "rejections", that next to the
            scores; "running-means" of the repeats so far; "other-seeds", how surely they order
            each pair alike; "time", seconds and mean score.
            A comparison on one data set also has "repeats", "roc", "calibration", "confusion",
            "predicted", "residuals" and "tuning"; one on many data sets has "pairs" and "ranking"
            alone.
        ax : matplotlib Axes, optional
            Where to draw; a new figure if left out.

        Returns
        -------
        Display
            With `to_frame()`, the numbers that are drawn, `ax_` and `figure_`.

        Raises
        ------
        InvalidArgumentError
            If there is no such kind, or it does not fit.

        Examples
        --------
        >>> from bestofk import compare
        >>> display = compare(["nearest-mean", "lda"], "wine", cv="5x2").plot("time")
        >>> display.to_frame()["learner"].tolist()
        ['lda', 'nearest-mean']
        """
        from bestofk.report.pictures import picture

        return picture(self.findings, kind).plot(ax)

    def sections(self, *, verbose: bool = False) -> Sections:
        """Return the report: answer, tables, details, caveats; verbose with all measures."""
        from bestofk.report.sections import sections

        return sections(self.findings, verbose=verbose)

    def text(self, *, verbose: bool = False) -> str:
        """Return the answer: three lines that can be read aloud; `print` adds table and cautions.

        Where no target was named, a line before them says which column was taken.

        Parameters
        ----------
        verbose : bool, default=False
            Whether the whole report follows, with all details, caveats and guesses.
        """
        if verbose:
            return report.to_text(self.findings, verbose=True)
        return joined_lines(self.sections().answer_lines)

    def __str__(self) -> str:
        return report.to_text(self.sections())

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, as JSON has it."""
        return report.json_object(self.findings)

    def to_json(self) -> str:
        """Return everything as one JSON object.

        Examples
        --------
        >>> import json
        >>> from bestofk import compare
        >>> result = compare(["nearest-mean", "lda", "majority"], "wine", cv="2x2")
        >>> json.loads(result.to_json())["answer"][0]
        'Use lda: 3.4% error (AUROC 0.999).'
        """
        return super().to_json()

    def to_latex(self) -> str:
        """Return the table of learners for LaTeX (package booktabs).

        Examples
        --------
        >>> from bestofk import compare
        >>> result = compare(["nearest-mean", "lda", "majority"], "wine", cv="2x2")
        >>> result.to_latex().count("majority")
        2
        """
        return report.to_latex(self.findings)

    def methods_paragraph(self) -> str:
        """Return how it was done, for a paper, as LaTeX text that cites `bibtex`.

        Examples
        --------
        >>> from bestofk import compare
        >>> compare(["nearest-mean", "lda", "majority"], "wine", cv="2x2").methods_paragraph()[:22]
        'We compared 3 learners'
        """
        from bestofk import __version__
        from bestofk.report.sentences import methods

        made_with = f"bestofk {__version__}"
        return methods.methods_paragraph(self.findings, within=self._test, made_with=made_with)

    def bibtex(self) -> str:
        """Return the BibTeX entries that `methods_paragraph` cites.

        Examples
        --------
        >>> from bestofk import compare
        >>> "@article" in compare(["nearest-mean", "lda", "majority"], "wine", cv="2x2").bibtex()
        True
        """
        from bestofk.report.sentences import methods

        return methods.bibtex(self.findings, within=self._test)

    def to_markdown(self) -> str:
        """Return the report in Markdown.

        Examples
        --------
        >>> from bestofk import compare
        >>> result = compare(["nearest-mean", "lda", "majority"], "wine", cv="2x2")
        >>> result.to_markdown().splitlines()[0]
        '## wine'
        """
        return report.to_markdown(self.findings)

    def to_html(
        self, path: str | os.PathLike[str], *, overwrite: bool = False, command: str = ""
    ) -> None:
        """Write one self-contained HTML page.

        Parameters
        ----------
        path : str or Path
            The file.
        overwrite : bool, default=False
            Whether an existing file may be replaced.
        command : str, default=""
            Line of a shell that gives the same page, to be shown on it.

        Raises
        ------
        InvalidArgumentError
            If the file exists and may not be replaced, or cannot be written.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> from bestofk import compare
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "wine.html"
        ...     compare(["nearest-mean", "lda"], "wine", cv="2x2").to_html(path)
        ...     path.read_text()[:15]
        '<!DOCTYPE html>'
        """
        from bestofk.report.html.page import new_file

        target = new_file(path, overwrite=overwrite)  # before all work
        report.write_html(
            self.findings, target, overwrite=overwrite, parts=self._page_parts(command)
        )

    def _repr_html_(self) -> str:
        return report.to_html_fragment(self.findings)

    def _page_parts(self, command: str) -> PageParts:
        """Return everything that a page shows beyond the findings."""
        from bestofk.report.html.views import PageParts

        return PageParts(command=command, within=self._test)

    @property
    def _test(self) -> str:
        """Name of the test within data sets, where there are several."""
        return ""
