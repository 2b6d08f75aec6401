"""Result of a comparison on many data sets: one comparison each, and one verdict over all."""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestofk.comparison.comparison import Comparison
from bestofk.comparison.evidence import shortest_seconds
from bestofk.data.spreadsheet_cells import csv_text
from bestofk.errors import DesignError, InvalidArgumentError, nearest_name
from bestofk.inference import Caution, Result, procedure
from bestofk.report import Findings
from bestofk.report.many_data_sets_findings import FindingsAcross
from bestofk.verdict.many_data_sets import VerdictAcross, decide_across
from bestofk.verdict.preference import ranked_only
from bestofk.verdict.verdict_settings import VerdictSettings

NOT_EXACT = (
    "On {} of {} data sets the splits alone show no difference between any two learners; the tests "
    "over data sets take the mean of a data set as exact. hierarchical-bayes does not."
)


@dataclass(frozen=True, eq=False)
class ComparisonAcross:
    """K learners on many data sets: which is best over them, how sure that is.

    Made by ``bestofk.compare(learners, {name: data, ...})``. Everything is derived from stored
    runs, so another correction, preference, region or measure fits nothing.

    Parameters
    ----------
    comparisons : mapping of str to Comparison
        One for each data set, by its name.
    settings : VerdictSettings
        How evidence and preference are weighed; `test` is the one within data sets.
    control : str or None
        Learner that all others are held against; None for all pairs.
    notes : tuple of str
        Beyond those of the comparisons.
    not_begun : tuple of str
        Data sets that an interruption left without any run.
    resume : str
        How to go on after an interruption.

    Examples
    --------
    >>> from bestofk import compare
    >>> data = {"iris": "iris", "wine": "wine", "tennis": "play-tennis"}
    >>> result = compare(["nearest-mean", "majority"], data, cv="2x2")
    >>> result.best, result.table().shape, result["wine"].best
    ('nearest-mean', (3, 2), 'nearest-mean')
    """

    comparisons: Mapping[str, Comparison]
    settings: VerdictSettings = field(default_factory=VerdictSettings)
    control: str | None = None
    notes: tuple[str, ...] = ()
    not_begun: tuple[str, ...] = ()
    resume: str = ""

    def __getitem__(self, data_set: str) -> Comparison:
        if data_set not in self.comparisons:
            raise InvalidArgumentError(
                f"data set must be one of those compared on; got {data_set!r}. "
                + nearest_name(data_set, list(self.comparisons))
            )
        return self.comparisons[data_set]

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

    @cached_property
    def findings(self) -> FindingsAcross:
        """Everything a report says, as plain numbers and sentences."""
        across = across_findings(
            {name: comparison.findings for name, comparison in self.comparisons.items()},
            settings=self.settings,
            control=self.control,
            costs=_costs(list(self.comparisons.values())),
            notes=(*self.notes, *_grouped({n: c.notes for n, c in self.comparisons.items()})),
        )
        about = {n: (*c.evaluation.data.warnings, *c.warnings) for n, c in self.comparisons.items()}
        warnings = [*_grouped(about), *across.warnings]
        if self.not_begun:
            warnings.append(f"Interrupted: {', '.join(self.not_begun)} were not begun.")
        is_whole = not across.n_unfinished and not self.not_begun
        return replace(across, warnings=tuple(warnings), resume="" if is_whole else self.resume)

    def verdict(
        self,
        *,
        correction: str | None = None,
        alpha: float | None = None,
        rope: float | None = None,
        prefer: Any = "as before",
        control: str | None = "as before",
        scoring: Any = None,
    ) -> VerdictAcross:
        """Weigh the same runs in another way; nothing is fitted.

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
            Learner that all others are held against; None for all pairs.
        scoring : str, Measure or callable, optional
            Another deciding measure.

        Returns
        -------
        VerdictAcross
            What is left out keeps its setting.

        Raises
        ------
        DesignError
            If too few learners or data sets are left.
        InvalidArgumentError
            If a name is unknown.
        """
        given = {"correction": correction, "alpha": alpha, "rope": rope}
        changes: dict[str, Any] = {n: value for n, value in given.items() if value is not None}
        if not (isinstance(prefer, str) and prefer == "as before"):
            changes["prefer"] = prefer
        comparisons = {
            name: comparison._reweighed({}, "as before", scoring)
            if scoring is not None
            else comparison
            for name, comparison in self.comparisons.items()
        }
        other = replace(
            self,
            comparisons=comparisons,
            settings=replace(self.settings, **changes),
            control=self.control if control == "as before" else control,
        )
        result = other.findings
        if result.verdict is None:
            raise DesignError(result.reason)
        return result.verdict

    def test(self, name: str, *learners: str, **options: Any) -> Result:
        """Apply a statistical procedure to the scores of all data sets; nothing is fitted.

        Parameters
        ----------
        name : str
            Name of a procedure of many data sets, such as "wilcoxon", "nemenyi" or
            "hierarchical-bayes".
        *learners : str
            Two learners for a procedure of two, any for one of many; all that can be best if
            none is named. The difference is the first minus the second, in the unit of the
            deciding measure.
        **options
            Options of the procedure.

        Returns
        -------
        Result
            Frozen, with warnings and `to_frame()`.

        Raises
        ------
        InvalidArgumentError
            If a name or an option is unknown.
        DesignError
            If the procedure is not one of many data sets, or a score is missing.
        """
        from bestofk.comparison.procedures import check_learner_count

        chosen = procedure(name)
        checked = chosen.check_options(options)
        if not chosen.takes.endswith("data-sets"):
            raise DesignError(
                f"procedure must be one of many data sets; got {chosen.name!r}, which is of one. "
                f"Apply it to one comparison, such as result[{next(iter(self.comparisons))!r}]."
            )
        names = list(learners) or [n for n in self.findings.learners if n in self.order]
        for item in names:
            self.findings.reference(item)
        check_learner_count(chosen, names)
        known = inspect.signature(chosen.run).parameters
        given = {"names": names, "greater_is_better": self.findings.measure.greater_is_better}
        given = {key: value for key, value in given.items() if key in known}
        if chosen.takes == "splits-of-data-sets":
            return chosen.run(**self._on_splits(names), **given, **checked)
        columns = [self.findings.column(element) for element in names]
        if chosen.takes == "two-on-data-sets":
            return chosen.run(*columns, **given, **checked)
        return chosen.run(np.column_stack(columns), **given, **checked)

    def _on_splits(self, names: Sequence[str]) -> dict[str, Any]:
        differences, samplings = [], []
        for comparison in self.comparisons.values():
            indices = [comparison.evaluation.names.index(name) for name in names]
            values, sampling = comparison.scores_on_shared_splits(
                indices, "hierarchical-bayes", needs_all_splits=False
            )
            differences.append(values[0] - values[1])
            samplings.append(sampling)
        return {"differences": differences, "samplings": samplings}

    def table(self) -> Any:
        """Return a DataFrame with a row per data set and a column per learner."""
        return self.findings.table()

    def pairs(self) -> Any:
        """Return a DataFrame with one row of evidence per pair of learners."""
        return self.findings.pairs_frame()

    @cached_property
    def frame(self) -> Any:
        """Long score table (DataFrame): one row per data set, learner, split and measure."""
        import pandas as pd

        parts = [
            comparison.frame.assign(dataset=name) for name, comparison in self.comparisons.items()
        ]
        return pd.concat(parts, ignore_index=True)

    def text(self) -> str:
        """Return the verdict as a paragraph that can be read aloud."""
        from bestofk.report.many_data_sets_sentences import across_paragraph

        return across_paragraph(self.findings)

    def to_latex(self, *, reference: str | None = None) -> str:
        """Return the table of data sets and learners for LaTeX (package booktabs).

        Parameters
        ----------
        reference : str, optional
            Learner that others are marked against; the control, else the best, if left out.
        """
        from bestofk.report.many_data_sets_latex import across_latex

        return across_latex(self.findings, reference=reference)

    def methods_paragraph(self) -> str:
        """Return how it was done, for a paper, as LaTeX text that cites `bibtex`."""
        from bestofk import __version__
        from bestofk.report.many_data_sets_methods import methods_paragraph

        return methods_paragraph(
            self.findings, within=self.settings.test, made_with=f"bestofk {__version__}"
        )

    def bibtex(self) -> str:
        """Return the BibTeX entries that `methods_paragraph` cites."""
        from bestofk.report.many_data_sets_methods import bibtex

        return bibtex(self.findings, within=self.settings.test)

    def to_markdown(self) -> str:
        """Return the report in Markdown."""
        from bestofk.report.many_data_sets_text import across_markdown

        return across_markdown(self.findings)

    def to_json(self) -> str:
        """Return everything as one JSON object."""
        return self.findings.to_json()

    def to_csv(self) -> str:
        """Return the long score table as CSV; an apostrophe guards text that begins a formula."""
        return csv_text(self.frame)

    def to_html(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write one self-contained HTML page.

        Parameters
        ----------
        path : str or Path
            The file.
        overwrite : bool, default=False
            Whether an existing file may be replaced.

        Raises
        ------
        InvalidArgumentError
            If the file exists and may not be replaced, or cannot be written.
        """
        from bestofk.report.many_data_sets_html import write_across_html

        write_across_html(self.findings, path, overwrite=overwrite)

    def _repr_html_(self) -> str:
        from bestofk.report.many_data_sets_html import across_html_fragment

        return across_html_fragment(self.findings)

    def __str__(self) -> str:
        from bestofk.report.many_data_sets_text import across_text

        return across_text(self.findings)

    def __repr__(self) -> str:
        names = ", ".join(self.findings.learners)
        n = len(self.comparisons)
        return f"<ComparisonAcross of {names} on {n} data sets: best is {self.best}>"


def across_findings(
    parts: Mapping[str, Findings],
    *,
    settings: VerdictSettings,
    control: str | None = None,
    costs: Mapping[str, NDArray[np.float64]] | None = None,
    notes: Sequence[str] = (),
) -> FindingsAcross:
    """Weigh the findings of each data set together.

    Parameters
    ----------
    parts : mapping of str to Findings
        One for each data set, of the same learners and measure.
    settings : VerdictSettings
        How evidence and preference are weighed.
    control : str, optional
        Learner that all others are held against.
    costs : mapping of str to ndarray of shape (n_learners,), optional
        Measured costs by kind.
    notes : sequence of str
        To be reported.

    Returns
    -------
    FindingsAcross
        Without verdict where too few learners or data sets are left; `reason` says why.

    Raises
    ------
    InvalidArgumentError
        If a name or a setting is not allowed.
    """
    results = list(parts.values())
    first = results[0]
    names = [learner.name for learner in first.learners]
    ranked = [learner.name for learner in first.learners if not learner.is_baseline]
    values = np.array([[_value(findings, name) for name in names] for findings in results])
    p_within = np.array([_p_within(findings, names) for findings in results])
    indices = [names.index(name) for name in ranked]
    verdict, reason = None, ""
    try:
        verdict = decide_across(
            ranked,
            first.measure.loss(values[:, indices]),
            data_sets=list(parts),
            rope=settings.rope_of(first.measure),
            alpha=settings.alpha,
            correction=settings.correction,
            prefer=ranked_only(settings.prefer, names, ranked),
            control=control,
            costs={kind: cost[indices] for kind, cost in (costs or {}).items()},
        )
    except DesignError as error:
        reason = str(error)
    titles = {findings.verdict.test_title for findings in results if findings.verdict.test_title}
    return FindingsAcross(
        measure=first.measure,
        data_sets=tuple(parts),
        learners=tuple(names),
        baselines=tuple(name for name in names if name not in ranked),
        values=values,
        p_within=p_within,
        within_test=titles.pop() if len(titles) == 1 else "",
        verdict=verdict,
        plan_sentence=_plan(results),
        n_fitted=sum(findings.n_fitted for findings in results),
        n_reused=sum(findings.n_reused for findings in results),
        n_failed=sum(findings.n_failed for findings in results),
        n_unfinished=sum(findings.n_unfinished for findings in results),
        reason=reason,
        notes=tuple(notes),
        warnings=(*verdict.warnings, *_if_not_exact(verdict, p_within)) if verdict else (),
    )


def _value(findings: Findings, name: str) -> float:
    """Return the mean score of a learner; nan where it or its data set is not complete."""
    learner = findings.learner(name)
    return float("nan") if learner.left_out or findings.n_unfinished else learner.mean


def _p_within(findings: Findings, names: Sequence[str]) -> NDArray[np.float64]:
    table = np.full((len(names), len(names)), np.nan)
    for pair in findings.verdict.pairs:
        i, j = names.index(pair.first), names.index(pair.second)
        table[i, j] = table[j, i] = pair.p_value
    return table


def _if_not_exact(verdict: VerdictAcross, p_within: NDArray[np.float64]) -> tuple[str, ...]:
    """Say if most data sets are too small to show anything by themselves."""
    tested = ~np.isnan(p_within).all(axis=(1, 2))
    shown = (np.nan_to_num(p_within, nan=1.0) <= verdict.alpha).any(axis=(1, 2))
    n_silent = int((tested & ~shown).sum())
    if not verdict.edges or 2 * n_silent <= len(p_within):
        return ()
    return (NOT_EXACT.format(n_silent, len(p_within)),)


def _plan(found: Sequence[Findings]) -> str:
    said = list(dict.fromkeys(findings.plan_sentence.partition(":")[0] for findings in found))
    return said[0] if len(said) == 1 else f"plans by data set ({'; '.join(said)})"


def _costs(comparisons: Sequence[Comparison]) -> dict[str, NDArray[np.float64]]:
    """Return what each learner costs on all data sets together; nan where one is unknown."""
    results = [comparison.evaluation for comparison in comparisons]
    return {
        "fit-time": np.sum(
            [shortest_seconds(findings.own_seconds("train_seconds")) for findings in results],
            axis=0,
        ),
        "predict-time": np.sum(
            [shortest_seconds(findings.own_seconds("predict_seconds")) for findings in results],
            axis=0,
        ),
        "size": np.sum([findings.size_bytes for findings in results], axis=0),
    }


def _grouped(texts: Mapping[str, Sequence[str]]) -> list[str]:
    """Return each text once, with the data sets that it is about unless it is about all."""
    about: dict[str, list[str]] = {}
    for name, said in texts.items():
        for text in dict.fromkeys(said):
            about.setdefault(text, []).append(name)
    results = []
    for text, names in about.items():
        whole = text if len(names) == len(texts) else f"{', '.join(names)}: {text}"
        results.append(Caution(text.code, whole) if isinstance(text, Caution) else whole)
    return results
