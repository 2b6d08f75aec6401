"""Base class of comparisons: procedures and new verdicts on stored runs."""

from abc import abstractmethod
from dataclasses import replace
from typing import Any, TypeVar, overload

import pandas as pd

from bestofk.inference import Result
from bestofk.inference.catalogue import ScoreSource, apply_to_source, fitting_procedures
from bestofk.report.reported import ReportedVerdict
from bestofk.verdict.verdict_options import VerdictOptions

AS_BEFORE = "as before"
Settings = TypeVar("Settings", bound=VerdictOptions)


class ComparedRuns(ReportedVerdict):
    """Runs of learners on one or several data sets, with a verdict."""

    @property
    @abstractmethod
    def run_scores(self) -> ScoreSource:
        """Scores of the runs, for procedures."""

    @overload
    def test(self) -> pd.DataFrame: ...
    @overload
    def test(self, name: str, *learners: str, **options: Any) -> Result: ...
    def test(self, name: str | None = None, *learners: str, **options: Any) -> Any:
        """Apply a statistical procedure to the stored runs; nothing is fitted.

        Parameters
        ----------
        name : str, optional
            Name of a procedure, such as "5x2cv-f", "mcnemar" or "anova", or over data sets
            "wilcoxon", "nemenyi" or "hierarchical-bayes"; see `bestofk.inference.PROCEDURES`.
            Without a name nothing is tested, and suitable procedures are listed.
        *learners : str
            Two learners for a procedure of two, any number for one of many; all that can be best
            if none is named. The difference is the first minus the second, in the unit of the
            deciding measure.
        **options
            Options of the procedure, such as ``alternative="greater"`` or ``rope=0.02``.

        Returns
        -------
        Result or DataFrame
            Statistic, p value, estimate, interval, effect size, assumptions and warnings, as far as
            the procedure has them, and `to_frame()`. Without a name, a DataFrame of the
            procedures that suit these scores: name, title, asks (the question),
            compares, fits (on what the answer rests), doubts.

        Raises
        ------
        InvalidArgumentError
            If a name or an option is unknown.
        DesignError
            If plan, data or number of learners do not suit the procedure, or a score is missing.

        Notes
        -----
        Procedures of rows take the test rows of the first repeat. Where its folds were
        predicted by several models, the result says what that spoils.

        Examples
        --------
        >>> from bestofk import compare
        >>> result = compare(["nearest-mean", "lda"], "wine", cv="5x2")
        >>> round(result.test("5x2cv-f").p_value, 2)
        0.43
        >>> result.test()["name"].tolist()[:3]
        ['corrected-t', '5x2cv-t', '5x2cv-f']
        """
        if name is None:
            return fitting_procedures(self.run_scores)
        return apply_to_source(self.run_scores, name, learners, options)

    def to_csv(self) -> str:
        """Return the long score table as CSV; an apostrophe guards text that begins a formula."""
        from bestofk.data.spreadsheet_cells import csv_text

        return csv_text(self.to_frame())

    def __repr__(self) -> str:
        return self.text()


def changed(settings: Settings, prefer: Any, **given: Any) -> Settings:
    """Return settings with the given changes; None and `AS_BEFORE` change nothing."""
    changes = {name: value for name, value in given.items() if value is not None}
    if not (isinstance(prefer, str) and prefer == AS_BEFORE):
        changes["prefer"] = prefer
    return replace(settings, **changes)
