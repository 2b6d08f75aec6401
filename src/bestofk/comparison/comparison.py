"""Result of a comparison: the verdict, the numbers behind it, and its output formats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from bestofk.comparison.evidence import costs_of, scores_on_shared_splits
from bestofk.comparison.findings import findings_of
from bestofk.comparison.tables import confusion_frame, pooled_frame, score_frame
from bestofk.data.spreadsheet_cells import csv_text
from bestofk.evaluation import Evaluation, MeasuredScores
from bestofk.inference import Result, Sampling
from bestofk.inference.estimate_distributions import EstimateDistribution, estimate_distributions
from bestofk.measures import Measure, get_measure, shown_measures
from bestofk.report import Findings
from bestofk.report.reported import Reported
from bestofk.stopping.adaptive import StoppingHistory
from bestofk.verdict import Verdict
from bestofk.verdict.verdict_settings import VerdictSettings

if TYPE_CHECKING:
    import numpy as np

    from bestofk.inference.power_of_pilot import PowerResult
    from bestofk.verdict import OrderingsTable


@dataclass(frozen=True, eq=False)
class Comparison(Reported):
    """K learners on one data set: which is best, how sure that is, and what it cost.

    Made by `bestofk.compare`.  Everything is derived from stored runs, so another test,
    correction, preference or measure fits nothing.

    Parameters
    ----------
    evaluation : Evaluation
        All runs.
    measures : tuple of Measure
        The deciding measure first, then the others asked for.
    positive : int or None
        Position of the positive class, where there are two.
    cost_matrix : array-like or None
        Costs for the measure "cost".
    settings : VerdictSettings
        How evidence and preference are weighed.
    headline : str
        Why the measure decides, where that is not the usual one.
    notes, warnings : tuple of str
        Beyond those of the data set, the plan and the verdict.
    resume : str
        How to go on after an interruption.
    stopping_history : StoppingHistory or None
        How it went, if it was repeated until it was steady: who left when and why.
    """

    evaluation: Evaluation
    measures: tuple[Measure, ...]
    positive: int | None
    cost_matrix: Any
    settings: VerdictSettings
    headline: str = ""
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    resume: str = ""
    stopping_history: StoppingHistory | None = None

    @property
    def best(self) -> str | None:
        """Name of the best learner; None where no learner finished."""
        return self.findings.verdict.best

    @property
    def order(self) -> list[str]:
        """All learners in the verdict, best first."""
        return list(self.findings.verdict.order)

    @property
    def candidates(self) -> list[str]:
        """Learners that no other learner significantly beats."""
        return list(self.findings.verdict.candidates)

    @cached_property
    def frame(self) -> Any:
        """Long score table (DataFrame): one row per learner, split and measure."""
        return score_frame(self)

    @cached_property
    def scores(self) -> list[MeasuredScores]:
        """Values of the measures asked for and of those always shown, deciding one first."""
        names = {measure.name for measure in self.measures}
        shown = [self._measure(n) for n in shown_measures(self.evaluation.data.task)]
        measures = [*self.measures, *(item for item in shown if item.name not in names)]
        return [self.evaluation.measured(measure, self.positive) for measure in measures]

    @cached_property
    def findings(self) -> Findings:
        """Everything a report says, as plain numbers and sentences."""
        return findings_of(self)

    def verdict(
        self,
        *,
        test: str | None = None,
        correction: str | None = None,
        alpha: float | None = None,
        prefer: Any = "as before",
        scoring: Any = None,
        rope: float | None = None,
    ) -> Verdict:
        """Weigh the same runs in another way; nothing is fitted.

        Parameters
        ----------
        test : str, optional
            Name of a paired test, such as "5x2cv-t"; for a single test set "mcnemar" or
            "delong".
        correction : {"holm", "bonferroni"}, optional
            Correction of the family.
        alpha : float, optional
            Level of the family.
        prefer : str, list of str, mapping or None, optional
            Another preference; None for none.
        scoring : str, Measure or callable, optional
            Another deciding measure.
        rope : float, optional
            Another region of practical equivalence: half its width, in the unit of the
            measure.

        Returns
        -------
        Verdict
            What is left out keeps its setting.

        Raises
        ------
        DesignError
            If the plan cannot carry the test.
        InvalidArgumentError
            If a name is unknown.
        """
        given = {"test": test, "correction": correction, "alpha": alpha, "rope": rope}
        return self._reweighed(given, prefer, scoring).findings.verdict

    def _reweighed(
        self,
        given: dict[str, Any],
        prefer: Any,
        scoring: Any,
    ) -> Comparison:
        changes: dict[str, Any] = {
            name: value for name, value in given.items() if value is not None
        }
        if not (isinstance(prefer, str) and prefer == "as before"):
            changes["prefer"] = prefer
        other = replace(self, settings=replace(self.settings, **changes))
        if scoring is None:
            return other
        first = self._measure(scoring)
        rest = tuple(measure for measure in self.measures if measure.name != first.name)
        return replace(other, measures=(first, *rest), headline="")

    def test(self, name: str, *learners: str, **options: Any) -> Result:
        """Apply a statistical procedure to the stored runs; nothing is fitted.

        Parameters
        ----------
        name : str
            Name of a procedure, such as "5x2cv-f", "mcnemar" or "anova"; see
            `bestofk.inference.PROCEDURES`.
        *learners : str
            Two learners for a procedure of two, any for one of many; all that can be best if
            none is named. The difference is the first minus the second, in the unit of the
            deciding measure.
        **options
            Options of the procedure, such as ``alternative="greater"`` or ``rope=0.02``.

        Returns
        -------
        Result
            Frozen, with statistic, p value, estimate, interval, effect size, assumptions and
            warnings as far as the procedure has them, and `to_frame()`.

        Raises
        ------
        InvalidArgumentError
            If a name or an option is unknown.
        DesignError
            If the plan, the data or the number of learners do not suit the procedure.

        Notes
        -----
        Procedures of rows take the test rows of the first repeat. Where its folds were
        predicted by several models, the result says what that spoils.
        """
        from bestofk.comparison.procedures import apply_procedure

        return apply_procedure(self, name, learners, options)

    def orderings(self, *, prefer: Any = None) -> OrderingsTable:
        """Ask every ordering which learner is best by the same runs; nothing is fitted.

        Parameters
        ----------
        prefer : str, list of str or mapping, optional
            The preference; that of the comparison if left out, else the order given.

        Returns
        -------
        OrderingsTable
            What each says, and where they disagree; with `to_frame()`.

        Raises
        ------
        DesignError
            If the plan cannot carry the test, or fewer than two learners take part.
        InvalidArgumentError
            If the preference is not allowed.
        """
        from bestofk.comparison.procedures import ask_orderings

        return ask_orderings(self, prefer)

    def power(
        self, first: str, second: str, *, difference: float, power: float = 0.8
    ) -> PowerResult:
        """Return what this plan can show, and how many repeats or rows would show more.

        Parameters
        ----------
        first, second : str
            Two learners, whose differences say how much scores scatter.
        difference : float above 0
            The difference that matters to you, in the unit of the deciding measure; not the
            one that was found.
        power : float in (0, 1), default=0.8
            Probability with which a true difference is to be shown.

        Returns
        -------
        PowerResult
            Smallest difference that the plan shows, power, and repeats and rows needed.

        Raises
        ------
        DesignError
            If the plan cannot carry the test of the comparison.
        InvalidArgumentError
            If a name or a number is not allowed.
        """
        from bestofk.comparison.procedures import pilot_power

        return pilot_power(self, first, second, difference=difference, power=power)

    def scores_on_shared_splits(
        self, places: Sequence[int], test: str, *, needs_all_splits: bool
    ) -> tuple[NDArray[np.float64], Sampling]:
        """Return values of the deciding measure on the splits that some learners share.

        Parameters
        ----------
        places : sequence of int
            Positions of the learners.
        test : str
            Name of the caller, for the error message.
        needs_all_splits : bool
            Whether a learner that lacks a split takes no part.

        Returns
        -------
        values : ndarray of shape (n_learners, n_splits)
            In the unit of the measure, repeat by repeat.
        sampling : Sampling
            How the splits were made.

        Raises
        ------
        DesignError
            If a learner failed so often that it takes no part, or no split is left.
        """
        return scores_on_shared_splits(self, places, test, needs_all_splits=needs_all_splits)

    def costs(self, learners: Sequence[int]) -> dict[str, NDArray[np.float64]]:
        """Return the costs of some learners by kind: measured, counted and given.

        Parameters
        ----------
        learners : sequence of int
            Their positions.

        Returns
        -------
        dict of str to ndarray of shape (n_learners,)
            Shortest seconds of training and predicting, bytes, parameters, and the features'
            costs where they were told; nan where unknown.
        """
        return costs_of(self, learners)

    def distributions(self) -> tuple[EstimateDistribution, ...]:
        """Describe how the estimates of single repeats are spread, learner by learner.

        Returns
        -------
        tuple of EstimateDistribution
            In the order given, by the deciding measure: mean, median, skewness with its
            standard error, and `advice()` with its reasons.
        """
        deciding = self.scores[0]
        n_learners, measure = len(deciding.values), deciding.measure
        shape = (n_learners, -1, self.evaluation.plan.n_folds)
        return estimate_distributions(
            deciding.values.reshape(shape).mean(axis=2),
            self.evaluation.names,
            greater_is_better=measure.greater_is_better,
            best_value=measure.maximum if measure.greater_is_better else measure.minimum,
        )

    def confusion_matrix(self, learner: str) -> Any:
        """Return the confusion matrix of a learner over all runs, as a DataFrame.

        Rows are true classes, columns predicted ones; every repeat counts every row.

        Raises
        ------
        InvalidArgumentError
            If there is no such learner, or for regression.
        """
        return confusion_frame(self, learner)

    def pooled_auroc(self) -> Any:
        """Return the AUROC of all folds of a repeat pooled, next to the mean over its folds.

        Not for comparing learners: scores of different folds come from different models
        and are on different scales [1]_.

        Returns
        -------
        DataFrame
            One row per learner and repeat: learner, repeat, pooled, mean_of_folds.

        Raises
        ------
        InvalidArgumentError
            For regression.

        Warns
        -----
        BestofkWarning
            Always, with the reason.

        References
        ----------
        .. [1] Forman & Scholz (2010), Apples-to-apples in cross-validation studies, SIGKDD
           Explorations 12(1).
        """
        return pooled_frame(self, self._measure("auroc"))

    def to_csv(self) -> str:
        """Return the long score table as CSV; an apostrophe guards text that begins a formula."""
        return csv_text(self.frame)

    def __repr__(self) -> str:
        names = ", ".join(self.evaluation.names)
        return f"<Comparison of {names} on {self.evaluation.data.name}: best is {self.best}>"

    def _measure(self, scoring: Any) -> Measure:
        data = self.evaluation.data
        label = None if self.positive is None else data.classes[self.positive]
        return get_measure(
            scoring,
            task=data.task,
            classes=data.classes,
            pos_label=label,
            cost_matrix=self.cost_matrix,
        )
