"""What a comparison gives back: the verdict, the numbers behind it, and every way to write them."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bestofk.errors import BestofkWarning, DesignError, InvalidArgumentError, nearest_name
from bestofk.evaluate import Evaluation, MeasuredScores, row_predictions
from bestofk.inference import Caution, Result, Sampling
from bestofk.learners import feature_cost, is_unstable, learns_nothing, n_parameters
from bestofk.measures import Measure, get_measure, shown_measures
from bestofk.ordering import (
    AdaptiveCourse,
    Arms,
    Evidence,
    PairEvidence,
    Verdict,
    choose_arms,
    compare_on_rows,
    decide,
    decide_with_other_seeds,
    needs_all_splits,
)
from bestofk.ordering.estimate_distributions import EstimateDistribution, estimate_distributions
from bestofk.report import Findings, gather

if TYPE_CHECKING:
    from bestofk.inference.power_of_pilot import PowerResult
    from bestofk.ordering import OrderingsTable

# From this probability on that another seed names the same best, no warning of seeds is needed.
SURE = 0.95
_FEWEST_OF_A_SHAPE = 5  # repeats from which the shape of their estimates is told
POOLED_WARNING = Caution(
    "pooled-folds",
    "A pooled AUROC ranks scores of different models against each other; do not compare learners "
    "by it. The mean of the folds does not have this fault.",
)


@dataclass(frozen=True)
class VerdictSettings:
    """How evidence and preference are weighed.

    Parameters
    ----------
    test : str
        Name of the paired test.
    correction : {"holm", "bonferroni"}
        Correction of the family.
    alpha : float
        Level of the family.
    prefer : str, sequence of str, mapping or None
        The preference; None for the lowest mean loss.
    rope : float or None
        Half the width of the region of practical equivalence, in the unit of the measure;
        None for that of `usual_rope`.
    feature_costs : mapping of str to float or None
        Cost of each feature, for the preference "feature-cost".
    """

    test: str = "corrected-t"
    correction: str = "holm"
    alpha: float = 0.05
    prefer: Any = None
    rope: float | None = None
    feature_costs: Mapping[str, float] | None = None


@dataclass(frozen=True, eq=False)
class Comparison:
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
    course : AdaptiveCourse or None
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
    course: AdaptiveCourse | None = None

    @property
    def best(self) -> str | None:
        """Name of the best learner; None where no learner finished."""
        return self.findings.verdict.best

    @property
    def order(self) -> list[str]:
        """All learners that take part in the verdict, best first."""
        return list(self.findings.verdict.order)

    @property
    def candidates(self) -> list[str]:
        """Learners that no other is shown to beat."""
        return list(self.findings.verdict.candidates)

    @cached_property
    def frame(self) -> Any:
        """Long score table (DataFrame): one row per learner, split and measure."""
        frame = self.evaluation.to_frame(self.scores)
        asked = self._n_splits_of
        if asked is None:
            return frame
        limits = frame["learner"].map(dict(zip(self.evaluation.names, asked, strict=True)))
        place = frame["repeat"] * self.evaluation.plan.n_folds + frame["fold"]
        return frame[place < limits].reset_index(drop=True)

    @cached_property
    def scores(self) -> list[MeasuredScores]:
        """Values of the measures asked for and of those always shown, deciding one first."""
        names = {one.name for one in self.measures}
        shown = [self._measure(n) for n in shown_measures(self.evaluation.data.task)]
        measures = [*self.measures, *(one for one in shown if one.name not in names)]
        return [self.evaluation.measured(one, self.positive) for one in measures]

    @cached_property
    def findings(self) -> Findings:
        """Everything a report says, as plain numbers and sentences."""
        return self._judge(self.settings, self.scores, self.headline)

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
        rest = tuple(one for one in self.measures if one.name != first.name)
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
        from bestofk.comparison_tests import apply_procedure

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
        from bestofk.comparison_tests import ask_orderings

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
        from bestofk.comparison_tests import pilot_power

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
            Who asks, for the error message.
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
        deciding = self.scores[0]
        arms = self._arms(deciding, needs_all_splits=needs_all_splits)
        out = [self.evaluation.names[i] for i in places if i not in arms.learners]
        if out or not len(arms.splits):
            said = "; ".join(f"{name}: {arms.left_out[name]}" for name in out)
            raise DesignError(
                f"learners of {test} must have scores on shared splits; got "
                f"{said or 'no split that all have finished'}. Resume the run or leave one out."
            )
        values = deciding.values[list(places)][:, arms.splits]
        shared = ~np.isnan(values).any(axis=0)  # a learner may have left earlier than others
        sampling = _sampling(self.evaluation.plan, arms.splits[shared])
        return values[:, shared], sampling

    def summary(self) -> Any:
        """Return a DataFrame with one row per learner, in the order of the verdict."""
        from bestofk.report import summary_frame

        return summary_frame(self.findings)

    def pairs(self) -> Any:
        """Return a DataFrame with one row per pair of learners and what is known of it.

        Differences and limits are losses, first minus second: below 0 the first is better, also
        by measures of which more is better (`test` takes the values of the measure as they are).
        """
        from bestofk.report import pairs_frame

        return pairs_frame(self.findings)

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
        import pandas as pd

        names = self.evaluation.names
        if learner not in names:
            raise InvalidArgumentError(
                f"learner must be one of those compared; got {learner!r}. "
                + nearest_name(learner, names)
            )
        if not self.evaluation.data.is_classification:
            raise InvalidArgumentError(
                "task must be classification for a confusion matrix; got regression. "
                "Look at 'mae' and 'r2'."
            )
        classes = self.evaluation.data.classes
        counts = self.evaluation.confusion(names.index(learner))
        index = pd.Index(classes, name="true")
        return pd.DataFrame(counts, index=index, columns=pd.Index(classes, name="predicted"))

    def pooled_auroc(self) -> Any:
        """Return the AUROC of all folds of a repeat together, beside the mean of its folds.

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
        import pandas as pd

        per_fold = self.evaluation.measured(self._measure("auroc"), self.positive).values
        warnings.warn(POOLED_WARNING, BestofkWarning, stacklevel=2)
        plan, parts = self.evaluation.plan, []
        for place, name in enumerate(self.evaluation.names):
            folds = per_fold[place].reshape(plan.n_repeats, plan.n_folds)
            pooled = self.evaluation.pooled_auroc(place)
            columns = {"learner": name, "repeat": range(plan.n_repeats), "pooled": pooled}
            parts.append(pd.DataFrame(columns | {"mean_of_folds": folds.mean(axis=1)}))
        return pd.concat(parts, ignore_index=True)

    def text(self) -> str:
        """Return the verdict as a paragraph that can be read aloud."""
        from bestofk.report import paragraph

        return paragraph(self.findings)

    def to_json(self) -> str:
        """Return everything as one JSON object."""
        from bestofk.report import to_json

        return to_json(self.findings)

    def to_latex(self) -> str:
        """Return the table of learners for LaTeX (package booktabs)."""
        from bestofk.report import to_latex

        return to_latex(self.findings)

    def to_markdown(self) -> str:
        """Return the report in Markdown."""
        from bestofk.report import to_markdown

        return to_markdown(self.findings)

    def to_csv(self) -> str:
        """Return the long score table as CSV."""
        return str(self.frame.to_csv(index=False, lineterminator="\n"))

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
        from bestofk.report import write_html

        write_html(self.findings, path, overwrite=overwrite)

    def _repr_html_(self) -> str:
        from bestofk.report import to_html_fragment

        return to_html_fragment(self.findings)

    def __str__(self) -> str:
        from bestofk.report import to_text

        return to_text(self.findings)

    def __repr__(self) -> str:
        names = ", ".join(self.evaluation.names)
        return f"<Comparison of {names} on {self.evaluation.data.name}: best is {self.best}>"

    # -- how it is made ----------------------------------------------------------------

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

    def _judge(
        self, settings: VerdictSettings, scores: list[MeasuredScores], headline: str
    ) -> Findings:
        evaluation = self.evaluation
        deciding = scores[0]
        arms = self._arms(deciding, needs_all_splits=needs_all_splits(settings.test))
        rope = usual_rope(deciding.measure) if settings.rope is None else settings.rope
        verdict, reseeding = _empty_verdict(settings), None
        can_win = [i for i in arms.learners if not evaluation.learners[i].is_baseline]
        if can_win and len(arms.splits):
            evidence = self._evidence(deciding, arms.learners, arms.splits, settings.test)
            ranked = [evaluation.names[i] for i in can_win]
            prefer = ranked_only(settings.prefer, evaluation.names, ranked)
            given = {"test": settings.test, "correction": settings.correction,
                     "alpha": settings.alpha, "prefer": prefer}  # fmt: skip
            verdict = decide(evidence, rope=rope, **given)
            reseeding = decide_with_other_seeds(evidence, **given)
        if reseeding is not None and reseeding.best.value >= SURE:
            # single repeats may disagree; all of them together do not
            kept = [w for w in verdict.warnings if getattr(w, "code", "") != "split-seed"]
            verdict = replace(verdict, warnings=tuple(kept))
        verdict = replace(verdict, left_out=arms.left_out)
        found = gather(
            evaluation,
            scores,
            arms,
            verdict,
            headline=headline,
            notes=(*self.notes, *self._separable()),
            warnings=(
                *self.warnings,
                *arms.warnings,
                *self._nothing_learned(verdict.best),
                *self._raced_without(settings.prefer),
            ),
        )
        resume = self.resume if found.n_unfinished else ""
        return replace(found, resume=resume, course=self.course, reseeding=reseeding)

    def _arms(self, deciding: MeasuredScores, *, needs_all_splits: bool) -> Arms:
        status = self.evaluation.status
        return choose_arms(
            self.evaluation.names,
            deciding.values,
            (status == "error") | (status == "timeout"),
            deciding.reasons,
            needs_all_splits=needs_all_splits,
            n_splits_of=self._n_splits_of,
        )

    @property
    def _n_splits_of(self) -> list[int] | None:
        """The splits that each learner was to be run on; None where that is all of them."""
        if self.course is None:
            return None
        return self.course.splits_asked_for(self.evaluation.names, len(self.evaluation.plan))

    def _nothing_learned(self, best: str | None) -> tuple[str, ...]:
        learners = self.evaluation.learners
        if not any(one.name == best and learns_nothing(one.estimator) for one in learners):
            return ()
        return (
            f"{best} does not look at the inputs: what was learned from them is of no use yet.",
        )

    def _separable(self) -> tuple[str, ...]:
        """Say whose single repeats will look better than the long run."""
        if self.evaluation.plan.n_repeats < _FEWEST_OF_A_SHAPE:
            return ()
        return tuple(
            f"{one.name}: {one.advice()[-1]}" for one in self.distributions() if one.is_separable
        )

    def _raced_without(self, prefer: Any) -> tuple[str, ...]:
        if prefer is None or self.course is None or not self.course.level:
            return ()
        left = [one.learner for one in self.course.departures
                if one.n_repeats < self.course.n_repeats]  # fmt: skip
        if not left:
            return ()
        return (
            f"{', '.join(left)} left a race that knew of no preference, so there are fewer repeats "
            "to show them worse. Compare with the preference for equal evidence.",
        )

    def _evidence(
        self, deciding: MeasuredScores, learners: list[int], splits: Any, test: str
    ) -> Evidence:
        evaluation, plan = self.evaluation, self.evaluation.plan
        departures = () if self.course is None else self.course.departures
        beaten = {one.learner for one in departures if one.is_beaten}
        return Evidence(
            names=[evaluation.names[i] for i in learners],
            losses=deciding.losses[learners][:, splits],
            sampling=_sampling(plan, splits),
            is_baseline=[evaluation.learners[i].is_baseline for i in learners],
            costs=self.costs(learners),
            repeat_of_split=splits // plan.n_folds,
            is_complete=len(splits) == len(plan),
            on_rows=self._on_rows(deciding.measure, learners, test) if len(plan) == 1 else None,
            unstable=tuple(
                evaluation.names[i]
                for i in learners
                if is_unstable(evaluation.learners[i].estimator)
            ),
            is_beaten=[evaluation.names[i] in beaten for i in learners],
        )

    def costs(self, learners: Sequence[int]) -> dict[str, NDArray[np.float64]]:
        """Return what some learners cost, by kind: measured, counted and told.

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
        evaluation, data = self.evaluation, self.evaluation.data
        estimators = [evaluation.learners[i].estimator for i in learners]
        train, predict = (
            evaluation.own_seconds(f"{kind}_seconds") for kind in ("train", "predict")
        )
        costs = {
            "fit-time": _least([train[i] for i in learners]),
            "predict-time": _least([predict[i] for i in learners]),
            "size": evaluation.size_bytes[list(learners)],
            "parameters": np.array(
                [
                    n_parameters(one, data.n_samples, data.n_features, max(1, len(data.classes)))
                    for one in estimators
                ]
            ),
        }
        if self.settings.feature_costs is not None:
            names = data.feature_names
            told = self.settings.feature_costs
            costs["feature-cost"] = np.array([feature_cost(e, names, told) for e in estimators])
        return costs

    def _on_rows(self, measure: Measure, learners: list[int], test: str) -> PairEvidence | None:
        """Compare on the rows of a single test set, where their predictions were kept."""
        evaluation = self.evaluation
        if any(evaluation._record(i, 0).predictions is None for i in learners):
            return None
        rows = row_predictions(evaluation, learners, [0], self.positive)
        return compare_on_rows(
            test,
            measure.name,
            losses=rows.losses() if evaluation.data.is_classification else None,
            rankings=rows.rankings() if evaluation.data.is_classification else None,
            is_positive=rows.is_positive if len(evaluation.data.classes) == 2 else None,
        )


def usual_rope(measure: Measure) -> float:
    """Return half the width of the usual region of practical equivalence.

    Parameters
    ----------
    measure : Measure
        The deciding measure.

    Returns
    -------
    float
        0.01 for measures from 0 to 1, such as error rates; 0 for others, whose unit nobody
        knows.

    Examples
    --------
    >>> from bestofk.measures import get_measure
    >>> usual_rope(get_measure("error", task="classification", classes=[0, 1]))
    0.01
    """
    return 0.01 if (measure.minimum, measure.maximum) == (0, 1) else 0.0


def _sampling(plan: Any, splits: Any) -> Sampling:
    """Say how the scores were made; splits that are left out make the folds uneven."""
    n_repeats, n_folds = plan.n_repeats, plan.n_folds
    if n_repeats == 1:
        n_folds = len(splits)
    elif len(splits) < len(plan):
        n_repeats, n_folds = len(splits), 1
        whole = len(np.unique(splits // plan.n_folds)) * plan.n_folds == len(splits)
        if whole:
            n_repeats, n_folds = len(splits) // plan.n_folds, plan.n_folds
    train, test = plan.sizes
    return Sampling(
        plan.scheme,
        n_repeats,
        n_folds,
        n_train=float(train[splits].mean()),
        n_test=float(test[splits].mean()),
    )


def _least(seconds: Any) -> Any:
    """Return the shortest run of each learner: noise only ever adds to a duration."""
    return np.array(
        [row[~np.isnan(row)].min() if (~np.isnan(row)).any() else np.nan for row in seconds]
    )


def ranked_only(prefer: Any, names: Sequence[str], ranked: Sequence[str]) -> Any:
    """Drop from a listed preference the learners that are compared but cannot be best."""
    if prefer is None or isinstance(prefer, str):
        return prefer
    if isinstance(prefer, Mapping):
        return {n: cost for n, cost in prefer.items() if n in ranked or n not in names}
    return [name for name in prefer if name in ranked or name not in names]


def _empty_verdict(settings: VerdictSettings) -> Verdict:
    return Verdict(
        best=None,
        order=[],
        candidates=[],
        edges=[],
        pairs=[],
        means={},
        has_preference=settings.prefer is not None,
        preference="",
        alternative=None,
        reversed_best=None,
        first_test_best=None,
        baselines={},
        test=settings.test,
        correction=settings.correction,
        alpha=settings.alpha,
        n_splits=0,
        warnings=(
            "No learner that could be best has a score on a split that all have finished: no "
            "verdict is possible.",
        ),
    )
