"""Result of a comparison on many data sets: one comparison each, and one verdict over all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bestofk.checks import check_known
from bestofk.comparison.compared_runs import AS_BEFORE, ComparedRuns, changed
from bestofk.comparison.comparison import Comparison
from bestofk.errors import DesignError
from bestofk.inference import Sampling
from bestofk.inference.catalogue import DataSetScores
from bestofk.report import to_latex
from bestofk.report.findings.many_data_sets import FindingsAcross, across_findings
from bestofk.report.sentences.details_across import all_remarks, grouped_remarks
from bestofk.verdict.complete_scores import first_names
from bestofk.verdict.many_data_sets import VerdictAcross
from bestofk.verdict.verdict_options import VerdictOptions


@dataclass(frozen=True, eq=False, repr=False)
class ComparisonAcross(ComparedRuns):
    """Result of a comparison on many data sets: the best learner over all, and how sure that is.

    Made by ``bestofk.compare(learners, {name: data, ...})``. Everything is derived from stored
    runs, so another correction, preference, region or measure needs no new fits.

    Parameters
    ----------
    comparisons : mapping of str to Comparison
        One for each data set, by its name.
    settings : VerdictOptions
        How evidence and preference are weighed; `test` is the one within data sets.
    control : str or None
        Learner that all others are compared with; None for all pairs.
    notes : tuple of str
        In addition to those of the comparisons.
    not_begun : tuple of str
        Data sets that an interruption left without any run.
    resume : str
        How to go on after an interruption.

    Examples
    --------
    >>> from bestofk import compare
    >>> data = {"iris": "iris", "wine": "wine", "tennis": "play-tennis"}
    >>> result = compare(["nearest-mean", "majority"], data, cv="2x2")
    >>> result.best, result.table.shape, result["wine"].best
    ('nearest-mean', (3, 2), 'nearest-mean')
    """

    comparisons: Mapping[str, Comparison]
    settings: VerdictOptions = field(default_factory=VerdictOptions)
    control: str | None = None
    notes: tuple[str, ...] = ()
    not_begun: tuple[str, ...] = ()
    resume: str = ""

    _parts = (*ComparedRuns._parts, "run_scores", "settings", "notes", "not_begun", "resume")

    def __getitem__(self, data_set: str) -> Comparison:
        check_known(data_set, "data set", self.comparisons, rule="one of those compared on")
        return self.comparisons[data_set]

    @cached_property
    def findings(self) -> FindingsAcross:
        """Content of a report, as plain numbers and sentences."""
        notes = {name: comparison.notes for name, comparison in self.comparisons.items()}
        across = across_findings(
            {name: comparison.findings for name, comparison in self.comparisons.items()},
            settings=self.settings,
            control=self.control,
            costs=_costs(list(self.comparisons.values())),
            notes=(*self.notes, *grouped_remarks(notes)),
            not_begun=self.not_begun,
        )
        about = {n: (*c.evaluation.data.warnings, *c.warnings) for n, c in self.comparisons.items()}
        left_out = {(cell.data_set, cell.learner) for cell in across.missing}
        still_open = {
            name: [text for text in texts if (name, text.split(" failed in ")[0]) not in left_out]
            for name, texts in about.items()
        }
        begun = [f"Interrupted: {first_names(self.not_begun)} were not begun."]
        is_whole = not across.n_unfinished and not self.not_begun
        return replace(
            across,
            warnings=(
                *across.warnings,
                *(begun if self.not_begun else ()),
                *grouped_remarks(still_open),
            ),
            remarks=tuple(all_remarks(about)),
            resume="" if is_whole else self.resume,
        )

    def verdict(
        self,
        *,
        correction: str | None = None,
        alpha: float | None = None,
        rope: float | None = None,
        prefer: Any = AS_BEFORE,
        control: str | None = AS_BEFORE,
        scoring: Any = None,
    ) -> VerdictAcross:
        """Return the verdict on the same runs under other settings; nothing is fitted.

        Parameters
        ----------
        correction : {"holm", "bonferroni"}, optional
            Correction of the family.
        alpha : float, optional
            Level of the family.
        rope : float, optional
            Half the width of the region of practical equivalence, in the unit of the measure.
        prefer : str, list of str, mapping or None, optional
            Another preference; None for none.
        control : str or None, optional
            Learner that all others are compared with; None for all pairs.
        scoring : str, Measure or callable, optional
            Another deciding measure.

        Returns
        -------
        VerdictAcross
            The new verdict; arguments that are left out keep their setting.

        Raises
        ------
        DesignError
            If too few learners or data sets are left.
        InvalidArgumentError
            If a name is unknown.
        """
        comparisons = {
            name: comparison if scoring is None else comparison.decided_by(scoring)
            for name, comparison in self.comparisons.items()
        }
        other = replace(
            self,
            comparisons=comparisons,
            settings=changed(self.settings, prefer, correction=correction, alpha=alpha, rope=rope),
            control=self.control if control == AS_BEFORE else control,
        )
        result = other.findings
        if result.verdict is None:
            raise DesignError(result.reason)
        return result.verdict

    @property
    def run_scores(self) -> DataSetScores:
        """Mean scores on every data set, for procedures."""
        findings = self.findings
        return DataSetScores(
            learners=findings.learners,
            contenders=[name for name in findings.learners if name in self.order],
            means=findings.values,
            splits=self._on_splits,
            keywords=lambda _: {"greater_is_better": findings.measure.greater_is_better},
            refused=(
                "procedure must be one of many data sets; got {!r}, which is of one. "
                f"Apply it to one comparison, such as result[{next(iter(self.comparisons))!r}]."
            ),
        )

    def _on_splits(self, names: Sequence[str]) -> list[tuple[NDArray[np.float64], Sampling]]:
        return [
            comparison.run_scores.on_shared_splits(
                [comparison.evaluation.names.index(name) for name in names],
                "hierarchical-bayes",
                needs_all_splits=False,
            )
            for comparison in self.comparisons.values()
        ]

    def to_frame(self) -> pd.DataFrame:
        """Return the long score table: one row per data set, learner, split and measure."""
        parts = [
            comparison.to_frame().assign(dataset=name)
            for name, comparison in self.comparisons.items()
        ]
        return pd.concat(parts, ignore_index=True)

    def to_latex(self, *, reference: str | None = None) -> str:
        """Return the table of data sets and learners for LaTeX (package booktabs).

        Parameters
        ----------
        reference : str, optional
            Learner that others are marked against; the control, else the best, if left out.
        """
        return to_latex(self.findings, reference=reference)

    @property
    def _test(self) -> str:
        return self.settings.test


def _costs(comparisons: Sequence[Comparison]) -> dict[str, NDArray[np.float64]]:
    """Return the cost of each learner on all data sets together; nan if one is unknown."""
    results = [comparison.evaluation for comparison in comparisons]
    return {
        "fit-time": np.sum([item.median_seconds["train_cpu_seconds"] for item in results], axis=0),
        "predict-time": np.sum(
            [item.median_seconds["predict_cpu_seconds"] for item in results], axis=0
        ),
        "size": np.sum([findings.size_bytes for findings in results], axis=0),
    }
