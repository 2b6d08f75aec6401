"""Every way to write the findings of a comparison, as methods of what has them."""

from __future__ import annotations

import importlib.metadata
import os
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from bestofk import report

if TYPE_CHECKING:
    from bestofk.report.findings import Findings
    from bestofk.report.findings_across import FindingsAcross
    from bestofk.report.html.page_parts import PageParts


class Reported(ABC):
    """Base of results that have findings and can write them."""

    @property
    @abstractmethod
    def findings(self) -> Findings | FindingsAcross:
        """Everything a report says, as plain numbers and sentences."""

    @property
    def best(self) -> str | None:
        """Name of the best learner; None where no verdict is possible."""
        verdict = self.findings.verdict
        return verdict.best if verdict else None

    @property
    def order(self) -> list[str]:
        """All learners in the verdict, best first."""
        verdict = self.findings.verdict
        return list(verdict.order) if verdict else []

    @property
    def candidates(self) -> list[str]:
        """Learners that no other learner significantly beats."""
        verdict = self.findings.verdict
        return list(verdict.candidates) if verdict else []

    def pairs(self) -> Any:
        """Return a DataFrame with one row of evidence per pair of learners.

        Differences and limits are losses, first minus second: below 0 the first is better, also
        by measures of which more is better (`test` takes the values of the measure as they are).
        """
        return report.pairs_frame(self.findings)

    def text(self) -> str:
        """Return the answer: three lines that can be read aloud."""
        from bestofk.report.sections import sections

        return "\n".join(sections(self.findings).answer)

    def to_json(self) -> str:
        """Return everything as one JSON object."""
        return report.to_json(self.findings)

    def to_latex(self) -> str:
        """Return the table of learners for LaTeX (package booktabs)."""
        return report.to_latex(self.findings)

    def methods_paragraph(self) -> str:
        """Return how it was done, for a paper, as LaTeX text that cites `bibtex`."""
        from bestofk.report import methods

        made_with = f"bestofk {importlib.metadata.version('bestofk')}"
        return methods.methods_paragraph(self.findings, within=self._test, made_with=made_with)

    def bibtex(self) -> str:
        """Return the BibTeX entries that `methods_paragraph` cites."""
        from bestofk.report import methods

        return methods.bibtex(self.findings, within=self._test)

    def to_markdown(self) -> str:
        """Return the report in Markdown."""
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
        """
        report.write_html(self.findings, path, overwrite=overwrite, parts=self._page_parts(command))

    def _repr_html_(self) -> str:
        return report.to_html_fragment(self.findings)

    def _page_parts(self, command: str) -> PageParts:
        """Return everything that a page shows beyond the findings."""
        from bestofk.report.html.page_parts import PageParts

        return PageParts(command=command, within=self._test)

    @property
    def _test(self) -> str:
        """Name of the test within data sets, where there are several."""
        return ""

    def __str__(self) -> str:
        return report.to_text(self.findings)
