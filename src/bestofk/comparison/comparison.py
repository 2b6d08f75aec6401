"""Result of a comparison: the verdict, the numbers behind it, and its output formats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from bestofk.checks import check_known, check_number
from bestofk.comparison.chosen_measures import resolve_measure, with_shown_measures
from bestofk.comparison.compared_runs import AS_BEFORE, ComparedRuns, changed
from bestofk.comparison.options import ComparisonSettings
from bestofk.comparison.planned_splits import splits_asked_for
from bestofk.comparison.run_tables import confusion_frame, pooled_frame, score_frame
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation import Evaluation, MeasuredScores
from bestofk.measures import Measure

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from bestofk.comparison.explanation import Explanation
    from bestofk.comparison.fitted_learner import FittedLearner
    from bestofk.comparison.run_scores import RunScores
    from bestofk.comparison.ship_claims import NewDataEvidence
    from bestofk.inference.many_learners.repeated_estimates import EstimateDistribution
    from bestofk.inference.new_data import ShipClaim
    from bestofk.inference.power import PowerResult
    from bestofk.report import Findings
    from bestofk.report.html.views import PageParts
    from bestofk.report.plots import Display
    from bestofk.stopping import RuleApplications, StoppingRule, VerdictRule
    from bestofk.stopping.active_learners import ActiveLearners
    from bestofk.stopping.history import RowsHistory, StoppingHistory
    from bestofk.verdict import OrderingsTable, Verdict


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(ComparedRuns):
    """Result of a comparison on one data set: the best learner, how sure that is, and its cost.

    Made by `bestofk.compare`.  Everything is derived from stored runs, so another test,
    correction, preference or measure needs no new fits.

    Parameters
    ----------
    evaluation : Evaluation
        All runs.
    measures : tuple of Measure
        The deciding measure first, then the other chosen ones.
    settings : ComparisonSettings
        How evidence and preference are weighed, and all other options.
    headline : str
        Why the measure decides, if it is not the usual one.
    notes, warnings : tuple of str
        In addition to those of the data set, the plan and the verdict.
    resume : str
        How to go on after an interruption.
    stopping_history : StoppingHistory or None
        Interim analyses and eliminations of an adaptive comparison.
    rows_history : RowsHistory or None
        Training rows and eliminations, if training sets grew instead of repeats.
    """

    evaluation: Evaluation
    measures: tuple[Measure, ...]
    settings: ComparisonSettings
    headline: str = ""
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    resume: str = ""
    stopping_history: StoppingHistory | None = None
    rows_history: RowsHistory | None = None

    _parts = (
        *ComparedRuns._parts, "evaluation", "apply_stopping", "measures", "settings",
        "headline", "notes", "warnings", "resume", "stopping_history", "rows_history", "active",
        "scores", "run_scores", "costs", "distributions", "pooled_auroc", "decided_by",
    )  # fmt: skip

    def to_frame(self) -> pd.DataFrame:
        """Return the long score table: one row per learner, split and measure.

        Examples
        --------
        >>> from bestofk import compare
        >>> result = compare(["nearest-mean", "lda", "majority"], "wine", cv="2x2")
        >>> errors = result.to_frame().query("measure == 'error'")
        >>> errors.groupby("learner")["value"].count().to_dict()
        {'lda': 4, 'majority': 4, 'nearest-mean': 4}
        """
        asked = splits_asked_for(self.evaluation, self._history)
        return score_frame(self.evaluation, self.scores, asked)

    @cached_property
    def scores(self) -> list[MeasuredScores]:
        """Values of the chosen measures and of those always shown; the deciding one first."""
        data, costs = self.evaluation.data, self.settings.cost_matrix
        measures = with_shown_measures(self.measures, data, costs)
        return [self.evaluation.measured(measure) for measure in measures]

    @cached_property
    def findings(self) -> Findings:
        """Content of a report, as plain numbers and sentences."""
        from bestofk.comparison.weighing import findings_of

        return findings_of(
            self.evaluation,
            self.scores,
            self.settings,
            history=self._history,
            headline=self.headline,
            notes=self.notes,
            warnings=self.warnings,
            resume=self.resume,
        )

    @cached_property
    def active(self) -> ActiveLearners:
        """Learners that take part in the verdict, and the splits that count."""
        from bestofk.comparison.evidence import active_learners
        from bestofk.verdict import needs_all_splits

        needs_all = needs_all_splits(self.settings.test)
        return active_learners(
            self.evaluation, self.scores[0], self._history, needs_all_splits=needs_all
        )

    @cached_property
    def _new_data(self) -> NewDataEvidence:
        from bestofk.comparison.ship_claims import new_data_evidence

        return new_data_evidence(self.evaluation, self.scores[0], self.active, self.settings)

    def verdict(
        self,
        *,
        test: str | None = None,
        correction: str | None = None,
        alpha: float | None = None,
        prefer: Any = AS_BEFORE,
        scoring: Any = None,
        rope: float | None = None,
        center: str | None = None,
    ) -> Verdict:
        """Return the verdict on the same runs under other settings; nothing is fitted.

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
        center : {"mean", "median"}, optional
            Whether the pick has the lowest mean or the lowest median of its repeats.

        Returns
        -------
        Verdict
            The new verdict; arguments that are left out keep their setting.

        Raises
        ------
        DesignError
            If the plan cannot carry the test.
        InvalidArgumentError
            If a name is unknown.

        Examples
        --------
        >>> from bestofk import compare
        >>> result = compare(["nearest-mean", "lda"], "wine", cv="5x2")
        >>> result.best, result.verdict(prefer="given").best
        ('lda', 'nearest-mean')
        """
        settings = changed(
            self.settings, prefer,
            test=test, correction=correction, alpha=alpha, rope=rope, center=center,
        )  # fmt: skip
        other = self if scoring is None else self.decided_by(scoring)
        return replace(other, settings=settings).findings.verdict

    def decided_by(self, scoring: Any) -> Comparison:
        """Return the comparison of the same runs with another deciding measure."""
        first = self._measure(scoring)
        rest = tuple(measure for measure in self.measures if measure.name != first.name)
        return replace(self, measures=(first, *rest), headline="")

    def explain(self, first: str, second: str) -> Explanation:
        """Explain the answer about two learners.

        Parameters
        ----------
        first, second : str
            Names of the learners.

        Returns
        -------
        Explanation
            Means on shared splits, the difference with interval, test and p values, the answer with
            its reason, the repeats in which each was ahead, and the `rows` on which only one of
            them was wrong. It prints as a short text.

        Raises
        ------
        InvalidArgumentError
            If there is no such learner, or they share no split.

        Examples
        --------
        >>> from bestofk import compare
        >>> explanation = compare(["nearest-mean", "lda"], "wine", cv="5x2").explain(
        ...     "lda", "nearest-mean"
        ... )
        >>> explanation.answer, explanation.n_first_ahead, len(explanation.rows)
        ('undecided', 4, 8)
        """
        from bestofk.comparison.explanation import explain_pair

        return explain_pair(self.findings, self.evaluation, self.scores[0], first, second)

    def plot(
        self, kind: str = "pairs", *, learner: str | None = None, label: Any = None, ax: Any = None
    ) -> Display:
        """Draw one of the plots of a comparison.

        Parameters
        ----------
        kind : str, default="pairs"
            "pairs", every learner's difference to the pick; "scores" of every split; "ranking",
            the order and which learner is better than which; "rejections", that next to the
            scores; "running-means" of the repeats so far; "other-seeds", how surely they order
            each pair alike; "repeats", how single ones are spread; "time", seconds and mean score;
            "roc" and "calibration", the curves of learners for one class; "confusion", which
            classes a learner takes for which; "predicted", true against predicted numbers, and
            "residuals", by prediction and by tenth of the target, of a learner; "importance", what
            a learner loses on the test rows of the first split where an input is shuffled, which
            trains it once; "tuning", inner losses of the settings of a tuned learner and what it
            chose.
        learner : str, optional
            For "confusion", "predicted", "residuals" and "importance": default is the pick. For
            "tuning": default is the first tuned learner. For "roc" and "calibration": one learner
            instead of the first seven.
        label : class label, optional
            For "roc" and "calibration": the class; default is the positive one, or the rarest of
            more than two.
        ax : matplotlib Axes, optional
            Where to draw; a new figure if left out.

        Returns
        -------
        Display
            With `to_frame()`, the numbers that are drawn, `ax_` and `figure_`.

        Raises
        ------
        InvalidArgumentError
            If there is no such kind, or it does not fit, such as "roc" for regression.

        Examples
        --------
        >>> from bestofk import compare
        >>> result = compare(["nearest-mean", "lda"], "wine", cv="5x2")
        >>> result.plot("confusion").says()
        "lda: 2% wrong; most often 'class_0' is taken for 'class_1' (2% of its rows)"
        """
        from bestofk.comparison.pictures import comparison_picture

        if kind == "repeats":
            from bestofk.report.plots import EstimateDistributionsDisplay

            return EstimateDistributionsDisplay.from_comparison(self).plot(ax)
        display = comparison_picture(
            kind,
            self.findings,
            self.evaluation,
            learner=learner,
            label=label,
            random_state=self.settings.random_state,
        )
        return display.plot(ax)

    def fit(self, learner: str | None = None) -> FittedLearner:
        """Train a learner on all rows, for use on new data.

        Parameters
        ----------
        learner : str, optional
            Its name; the pick if left out.

        Returns
        -------
        FittedLearner
            Model that predicts labels of the target. It takes rows with the same columns as the
            comparison; other columns and the target are ignored. If the comparison read a
            file, it takes another file, or a frame with values as written there or as pandas
            reads them. It can be pickled, and holds no data of the comparison.

        Raises
        ------
        InvalidArgumentError
            If there is no such learner, or no pick.

        Examples
        --------
        >>> from bestofk import compare, load_data
        >>> result = compare(["nearest-mean", "lda"], "wine", cv="5x2")
        >>> result.fit().predict(load_data("wine").features.head(2)).tolist()
        ['class_0', 'class_0']
        """
        from bestofk.comparison.fitted_learner import fit_on_all_rows

        return fit_on_all_rows(self.evaluation, self._known(learner), self.settings.random_state)

    def tuned_learner(self, learner: str | None = None) -> FittedLearner:
        """Tune a learner on all rows, for use on new data.

        Parameters
        ----------
        learner : str, optional
            Name of a tuned learner; the pick if left out.

        Returns
        -------
        FittedLearner
            As for `fit`; the settings that `bestofk.Tuned` chose are in ``estimator_.choice_``.

        Raises
        ------
        InvalidArgumentError
            If there is no such learner, or it is not tuned.

        Examples
        --------
        >>> from bestofk import compare
        >>> result = compare(["tuned(lda)", "majority"], "wine", cv="1x3")
        >>> result.tuned_learner("tuned(lda)").estimator_.choice_["setting"]
        {'shrinkage': None, 'solver': 'svd'}
        """
        name = self._known(learner)
        if not self.evaluation.learners[self.evaluation.names.index(name)].inner_searches:
            raise InvalidArgumentError(
                f"learner of tuned_learner must be one that is tuned; got {name!r}. "
                f"Call fit({name!r}), or compare with tune=True."
            )
        return self.fit(name)

    def score(self, X_test: Any, y_test: Any, *, learner: str | None = None) -> pd.Series:
        """Train a learner on all rows, and measure it on rows it has not seen.

        Parameters
        ----------
        X_test : array-like or DataFrame of shape (n_samples, n_features)
            Rows that are not part of the comparison, with the same columns.
        y_test : array-like of shape (n_samples,) or str
            Their target, or the column of `X_test` that holds it.
        learner : str, optional
            Its name; the pick if left out.

        Returns
        -------
        Series
            The deciding measure first, then those shown with it; nan if a measure needs what the
            learner does not provide.

        Raises
        ------
        InvalidArgumentError
            If a column is missing, a class is unknown, or lengths differ.

        Examples
        --------
        >>> from bestofk import compare, load_data
        >>> frame = load_data("wine").features.assign(kind=load_data("wine").target)
        >>> odd, even = frame[1::2], frame[::2]
        >>> result = compare(["nearest-mean", "lda"], odd, target="kind", cv="5x2")
        >>> result.score(even, "kind").round(3).head(2).to_dict()
        {'error': 0.011, 'accuracy': 0.989}
        """
        from bestofk.comparison.fitted_learner import held_out_scores

        measures = tuple(score.measure for score in self.scores)
        data = self.evaluation.data
        return held_out_scores(self.fit(learner), X_test, y_test, data=data, measures=measures)

    def _known(self, learner: str | None) -> str:
        """Return the name of a learner, or of the pick; raise if there is none."""
        name = self.best if learner is None else learner
        if name is None:
            raise InvalidArgumentError(
                "learner must be named where there is no pick; got None. "
                f"Known: {', '.join(self.evaluation.names)}."
            )
        check_known(name, "learner", self.evaluation.names, rule="one of those compared")
        return name

    @property
    def run_scores(self) -> RunScores:
        """Scores of the runs, for procedures."""
        from bestofk.comparison.run_scores import RunScores

        rope = self.settings.rope_of(self.measures[0], self.scores[0].losses)
        return RunScores(self.evaluation, self.scores[0], self._history, rope, self.order)

    def orderings(self, *, prefer: Any = None) -> OrderingsTable:
        """Return the best learner by every ordering rule, from the same runs; nothing is fitted.

        Parameters
        ----------
        prefer : str, list of str or mapping, optional
            The preference; that of the comparison if left out, else the order given.

        Returns
        -------
        OrderingsTable
            The pick of each rule, and where they disagree; with `to_frame()`.

        Raises
        ------
        DesignError
            If the plan cannot carry the test, or fewer than two learners take part.
        InvalidArgumentError
            If the preference is not allowed.

        Examples
        --------
        >>> from bestofk import compare
        >>> table = compare(["nearest-mean", "lda"], "wine", cv="5x2").orderings()
        >>> sorted(table.picks)
        ['', 'lda', 'nearest-mean']
        """
        from bestofk.comparison.reanalysis import orderings_of

        return orderings_of(self.run_scores, self.settings, prefer)

    def power(
        self, first: str, second: str, *, difference: float, power: float = 0.8
    ) -> PowerResult:
        """Return the smallest difference this plan can detect, and what a smaller one would need.

        Parameters
        ----------
        first, second : str
            Two learners; the scatter of their differences is used.
        difference : float above 0
            The difference that matters to you, in the unit of the deciding measure; not the
            one that was found.
        power : float in (0, 1), default=0.8
            Probability of detecting a true difference of that size.

        Returns
        -------
        PowerResult
            Smallest difference that the plan detects, its power, and the repeats and rows needed.

        Raises
        ------
        DesignError
            If the plan cannot carry the test of the comparison.
        InvalidArgumentError
            If a name or a number is not allowed.

        Examples
        --------
        >>> from bestofk import compare
        >>> result = compare(["nearest-mean", "lda"], "wine", cv="5x2")
        >>> round(result.power("nearest-mean", "lda", difference=0.02).smallest, 2)
        0.05
        """
        from bestofk.comparison.reanalysis import pilot_power

        return pilot_power(
            self.run_scores, self.settings, first, second, difference=difference, power=power
        )

    def costs(self, learners: Sequence[int]) -> dict[str, NDArray[np.float64]]:
        """Return the costs of learners by kind: measured, counted and given.

        Parameters
        ----------
        learners : sequence of int
            Their positions.

        Returns
        -------
        dict of str to ndarray of shape (n_learners,)
            Median seconds of training and predicting, bytes, parameters, and the features'
            costs where they were given; nan where unknown.
        """
        from bestofk.comparison.evidence import costs_of

        return costs_of(self.evaluation, learners, self.settings.feature_costs)

    def distributions(self) -> tuple[EstimateDistribution, ...]:
        """Return the distribution of the estimates of single repeats, for each learner.

        Returns
        -------
        tuple of EstimateDistribution
            In the order given, by the deciding measure: mean, median, skewness with its
            standard error, and `advice()` with its reasons.
        """
        from bestofk.comparison.weighing import distributions_of

        return distributions_of(self.evaluation, self.scores[0])

    def apply_stopping(
        self, rule: str | StoppingRule | VerdictRule, *, n_orders: int = 50, random_state: int = 0
    ) -> RuleApplications:
        """Apply a stopping rule to the repeats in random orders; nothing is fitted.

        Parameters
        ----------
        rule : str, StoppingRule or VerdictRule
            "fixed", "rank-correlation", "odd-even" or "no-crossing".
        n_orders : int, default=50
            Number of random orders.
        random_state : int, default=0
            Seed of the orders.

        Returns
        -------
        RuleApplications
            Repeats used, final estimates by the deciding measure, how close they are
            (`similarity()`), and R of every pair (`reproducibility()`).

        Raises
        ------
        InvalidArgumentError
            If there is no such rule, or it rests on tests of the splits.
        DesignError
            If there are fewer than two repeats, or a run has no score.

        Examples
        --------
        >>> from bestofk import compare
        >>> result = compare(["lda", "1nn"], "wine", cv="40x3")
        >>> result.apply_stopping("fixed").to_frame()["n_repeats"].tolist()
        [10.0, 10.0]
        """
        from bestofk.stopping import apply_in_random_orders, stopping_rule

        evaluation, applied = self.evaluation, stopping_rule(rule)
        names = evaluation.names
        scores = self.scores[0].values.reshape(len(names), -1, evaluation.plan.n_folds)
        needs_rows = getattr(applied, "needs", "") == "probabilities"
        return apply_in_random_orders(
            applied,
            scores.mean(axis=2).T,
            [evaluation.repeat_probabilities(i) if needs_rows else None for i in range(len(names))],
            learners=names,
            n_orders=n_orders,
            random_state=random_state,
        )

    def ship_claim(self, learner: str | None = None, within: float | None = None) -> ShipClaim:
        """Return what to expect on new data from a learner trained on all rows.

        With one hold-out or test set, the claim is about the models that were tested there.

        Parameters
        ----------
        learner : str, optional
            Its name; the pick if left out.
        within : float above 0, optional
            How far behind the best learner counts as good enough, in the unit of the deciding
            measure; `rope` if left out, usually 0.01.

        Returns
        -------
        ShipClaim
            Probability of being within that distance of the best of these learners, expected
            regret, and a 90% interval of the error rate. If no claim is made, they are None and
            the reason is given.

        Raises
        ------
        InvalidArgumentError
            If there is no such learner, or `within` is not above 0.

        Examples
        --------
        >>> from bestofk import compare
        >>> claim = compare(["lda", "cart"], "wine").ship_claim()
        >>> claim.learner, claim.probability > 0.9, claim.loss_high < 0.1
        ('lda', True, True)
        """
        if learner is not None:
            self._known(learner)
        usual = "The usual is 0.01 for error rates."
        check_number(within, "within", low=0, is_open="low", or_none=True, way_out=usual)
        return self._new_data.claim(learner or self.best, within)

    def confusion_matrix(self, learner: str) -> pd.DataFrame:
        """Return the confusion matrix of a learner over all runs.

        Rows are true classes, columns predicted classes; every repeat counts every row.

        Raises
        ------
        InvalidArgumentError
            If there is no such learner, or for regression.

        Examples
        --------
        >>> from bestofk import compare
        >>> result = compare(["lda", "majority"], "wine", cv="2x2")
        >>> result.confusion_matrix("majority").sum(axis=1).to_dict()
        {'class_0': 118, 'class_1': 142, 'class_2': 96}
        """
        return confusion_frame(self.evaluation, learner)

    def pooled_auroc(self) -> pd.DataFrame:
        """Return the AUROC over the pooled folds of each repeat, next to the mean over its folds.

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
        auroc = self.evaluation.measured(self._measure("auroc"))
        return pooled_frame(self.evaluation, auroc)

    def _page_parts(self, command: str) -> PageParts:
        from bestofk.comparison.page import PageSource, page_parts

        verdict = self.findings.verdict
        return page_parts(
            PageSource(self.evaluation, self.scores, self.settings, self._history, verdict), command
        )

    @property
    def _history(self) -> StoppingHistory | RowsHistory | None:
        """History of an adaptive comparison, of repeats or of rows."""
        return self.stopping_history or self.rows_history

    def _measure(self, scoring: Any) -> Measure:
        costs = self.settings.cost_matrix
        return resolve_measure(scoring, self.evaluation.data, costs)
