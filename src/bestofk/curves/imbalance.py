"""Effect of resampling and class weights on ranks and probabilities under class imbalance."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bestofk.comparison.call_context import observer_of
from bestofk.comparison.comparison import Comparison
from bestofk.comparison.comparison_settings import ComparisonSettings
from bestofk.comparison.input_data import as_data_set
from bestofk.comparison.prepared_comparison import prepare_comparison, run_comparison
from bestofk.data import DataSet, check_comparable
from bestofk.errors import InvalidArgumentError, nearest_name
from bestofk.evaluation import MeasuredScores, Store
from bestofk.learners import Learner, resolve_learners
from bestofk.measures.measure import Measure, PredictionBatch
from bestofk.report.words import listing
from bestofk.stopping.active_learners import ActiveLearners, choose_active_learners

_WIDTH = 80
NONE: Final = "none"
SCORES: Final = ("auroc", "balanced_accuracy", "log_loss", "brier")
CALIBRATION: Final = "calibration_in_the_large"
# Smaller changes are not spoken of; the region of practical equivalence of all verdicts.
_MATTERS: Final = 0.01
_SPOKEN_OF: Final = {
    "auroc": "AUROC",
    "balanced_accuracy": "Balanced accuracy",
    "log_loss": "Log loss",
}


@dataclass(frozen=True, eq=False)
class ImbalanceEffect:
    """Effect of balancing the classes of the training rows on each learner.

    Made by `imbalance_effect`. Every figure is derived from stored runs.

    Parameters
    ----------
    comparison : Comparison
        All runs: every learner with every method is a learner of this comparison, under its
        name for "none" and as "NAME (METHOD)" for the others, so that any two can be tested.
    arms : tuple of (str, str)
        Learner and method, in the order of the learners of the comparison.
    notes : tuple of str
        Who was left out and why, and what to distrust.
    baselines : tuple of str, default=()
        Learners of the table that the sentences leave out, for there is nothing to spoil.
    """

    comparison: Comparison
    arms: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    baselines: tuple[str, ...] = ()

    @property
    def rarer_class(self) -> Any:
        """The class whose predicted and observed share are compared: the rarest."""
        data = self.comparison.evaluation.data
        return data.classes[_rarest(self.comparison)]

    def frame(self) -> Any:
        """Return a DataFrame with one row per learner and method.

        Returns
        -------
        DataFrame
            learner, method; auroc, balanced_accuracy, log_loss and brier, the mean over the
            splits, each with its standard error over repeats in a column NAME_se;
            calibration_in_the_large, the mean predicted probability of the rarest class
            minus its share of the test rows, mean over the splits: above 0 the class is
            predicted too often. nan where a learner gives no probabilities, or failed on
            more than a tenth of the splits; other splits that one learner lacks are left
            out for all. Standard errors are nan where there is one repeat.

        Notes
        -----
        Repeats share their rows, so these standard errors say how much the figures depend
        on how rows were split, and less than the whole uncertainty about new data. To
        compare two rows of the table use ``comparison.test``.
        """
        return self._frame.copy()

    @cached_property
    def _frame(self) -> Any:
        import pandas as pd

        columns: dict[str, Any] = {
            "learner": [learner for learner, _ in self.arms],
            "method": [method for _, method in self.arms],
        }
        for item, arms in self._measured:
            name = item.measure.name
            columns[name], errors = _means_and_errors(item.values, arms, self._n_folds)
            if name != CALIBRATION:
                columns[f"{name}_se"] = errors
        return pd.DataFrame(columns)

    @property
    def _n_folds(self) -> int:
        return self.comparison.evaluation.plan.n_folds

    @cached_property
    def _measured(self) -> list[tuple[MeasuredScores, ActiveLearners]]:
        """All measures, each with the arms and splits that count for it."""
        evaluation = self.comparison.evaluation
        by_name = {score.measure.name: score for score in self.comparison.scores}
        calibration = CalibrationInTheLarge(_rarest(self.comparison))
        scores = [*(by_name[name] for name in SCORES), evaluation.measured(calibration)]
        has_failed = (evaluation.status == "error") | (evaluation.status == "timeout")
        return [
            (
                score,
                choose_active_learners(
                    evaluation.names,
                    score.values,
                    has_failed,
                    score.reasons,
                    needs_all_splits=False,
                ),
            )
            for score in scores
        ]

    def text(self) -> str:
        """Return what changed in a few sentences, with the notes.

        A change is spoken of where it is larger than 0.01. The sentences describe these runs;
        whether a difference of scores is more than chance is a matter of ``comparison.test``.
        """
        before, after = self._before_and_after()
        sentences = [self._opening()]
        if len(after):
            sentences += self._on_calibration(before, after)
            sentences += [
                _on_score(title, before[name], after[name]) for name, title in _SPOKEN_OF.items()
            ]
        return " ".join([*filter(None, sentences), *self._gaps(), *self.notes])

    def __str__(self) -> str:
        said = textwrap.fill(self.text(), _WIDTH, break_on_hyphens=False)
        return f"{self._frame.round(4).to_string(index=False)}\n\n{said}"

    def __repr__(self) -> str:
        learners, methods = (
            ", ".join(dict.fromkeys(names)) for names in zip(*self.arms, strict=True)
        )
        name = self.comparison.evaluation.data.name
        return f"<ImbalanceEffect of {methods} for {learners} on {name}>"

    def _opening(self) -> str:
        evaluation = self.comparison.evaluation
        data, count = evaluation.data, int(evaluation.data.class_counts[_rarest(self.comparison)])
        return (
            f"Class {self.rarer_class} holds {count} of {data.n_samples} rows "
            f"({100 * count / data.n_samples:.1f} %). {evaluation.plan.title[0].upper()}"
            f"{evaluation.plan.title[1:]}; classes are brought to one size in training rows "
            f"alone. A case is a learner with a method{self._left_out}."
        )

    @property
    def _left_out(self) -> str:
        return f"; {listing(self.baselines)} counts for none" if self.baselines else ""

    def _before_and_after(self) -> tuple[Any, Any]:
        """Return the rows of the table without and with a method, one for each such arm."""
        frame = self._frame.set_axis(self.comparison.evaluation.names)
        after = frame[(frame["method"] != NONE) & ~frame["learner"].isin(self.baselines)]
        return frame.loc[after["learner"]].set_axis(after.index), after

    def _on_calibration(self, before: Any, after: Any) -> list[str]:
        """Say whether predicted shares moved away from the observed one, and the ranking not."""
        before_gap, after_gap = before[CALIBRATION].dropna(), after[CALIBRATION].dropna()
        farther = (after_gap.abs() - before_gap.abs()).dropna()
        if not len(farther):
            return []
        sentences = []
        for words, moved in (("away from", farther), ("towards", -farther)):
            if (moved > _MATTERS).any():
                most = moved.idxmax()
                sentences.append(
                    f"The mean predicted share of class {self.rarer_class} moved {words} the "
                    f"observed one in {(moved > _MATTERS).sum()} of {len(moved)} cases, the most "
                    f"for {most}: predicted minus observed from {before_gap[most]:+.3f} to "
                    f"{after_gap[most]:+.3f}."
                )
        moved = farther.index[farther > _MATTERS]
        ranking = (after["auroc"] - before["auroc"]).abs()[moved]
        n_kept = int((ranking <= _MATTERS).sum())
        if n_kept:
            sentences.append(
                f"In {n_kept} of {len(moved)} cases where it moved away the ranking hardly changed "
                f"(AUROC by at most {ranking[ranking <= _MATTERS].max():.3f}), as van den "
                "Goorbergh et al. (2022) found for logistic regression."
            )
        return sentences or [
            f"The mean predicted share of class {self.rarer_class} came to differ from the "
            f"observed one by at most {max(farther.max(), 0):.3f} more, and by at most "
            f"{max(-farther.min(), 0):.3f} less."
        ]

    def _gaps(self) -> list[str]:
        """Say which figures are missing, and which splits do not count."""
        titles: dict[str, list[str]] = {}
        reasons: dict[str, str] = {}
        for item, arms in self._measured:
            for name, reason in arms.left_out.items():
                titles.setdefault(name, []).append(item.measure.title)
                reasons.setdefault(name, reason)
        alike: dict[str, list[str]] = {}
        for name, missing in titles.items():
            alike.setdefault(f"{', '.join(missing)}: {reasons[name]}.", []).append(name)
        uncounted = {
            element.measure.title: element.values.shape[1] - len(arms.splits)
            for element, arms in self._measured
        }
        return [
            *(f"Without a value for {', '.join(names)}: {text}" for text, names in alike.items()),
            *(f"{n} splits are left out of {title} for all, because one has no value there."
              for title, n in uncounted.items() if n),
        ]  # fmt: skip


class CalibrationInTheLarge(Measure):
    """Mean predicted probability of a class minus its share of the rows.

    0 where both agree; above 0 the class is predicted too often. It says nothing of single
    rows: the class shares as probabilities of every row give 0.

    Parameters
    ----------
    place : int
        Position of the class.

    References
    ----------
    .. [1] Van Calster, McLernon, van Smeden, Wynants and Steyerberg (2019), Calibration: the
       Achilles heel of predictive analytics, BMC Medicine 17.
    """

    name = CALIBRATION
    title = "calibration in the large"
    minimum = -1.0
    needs = "probabilities"

    def __init__(self, place: int) -> None:
        self.place = place

    def _values(self, batch: PredictionBatch) -> NDArray[np.float64]:
        assert batch.probabilities is not None  # the measure needs them
        gaps = batch.probabilities[:, self.place] - (batch.y_true == self.place)
        values: NDArray[np.float64] = np.add.reduceat(gaps, batch.starts[:-1]) / batch.lengths
        return values


def imbalance_effect(
    learners: Any,
    X: Any,
    y: Any = None,
    *,
    methods: Sequence[str] = (NONE, "over", "under", "weights"),
    cv: Any = "5x5",
    store: str | os.PathLike[str] | Store | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: Any = "auto",
) -> ImbalanceEffect:
    """Show what bringing classes to one size does to learners: to ranking and to probabilities.

    Every learner is trained with every method on the same splits. Only training rows are
    resampled; test rows keep their class shares.

    Parameters
    ----------
    learners, X, y
        As in `bestofk.compare`, for classification on one data set without weights.
    methods : sequence of str, default=("none", "over", "under", "weights")
        "none", which the others are held against, and any of "over", "under", "smote" and
        "weights"; see `ResampledTraining`. "smote" needs imbalanced-learn.
    cv : str, int, splitter or iterable, default="5x5"
        A plan as in `bestofk.compare`, but not "adaptive", which would drop learners.
    store : str, Path or Store, optional
        File that keeps every finished run; None keeps them in memory. Runs of "none" are
        those of `bestofk.compare`.
    random_state : int, default=0
        What plan and random streams are derived from.
    n_jobs : int, optional
        Processes; None is 1, -1 all cores.
    progress : "auto", bool or Observer, default="auto"
        As in `bestofk.compare`.

    Returns
    -------
    ImbalanceEffect
        ``frame()``, ``text()``, and the ``comparison`` behind them. A learner that takes no
        weights is left out for "weights", with a note.

    Raises
    ------
    InvalidArgumentError
        If an argument breaks its rule, the data are of regression or weighted, or
        imbalanced-learn is not installed for "smote".
    DesignError
        If the plan cannot carry a comparison.
    StoreError
        If the store cannot be used.

    References
    ----------
    .. [1] van den Goorbergh, van Smeden, Timmerman and Van Calster (2022), The harm of class
       imbalance corrections for risk prediction models: illustration and simulation using
       logistic regression, Journal of the American Medical Informatics Association 29(9).

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> X, y = make_classification(400, weights=[0.9], class_sep=0.5, random_state=1)
    >>> effect = imbalance_effect(["logistic"], X, y, methods=("none", "over"), cv="2x5")
    >>> effect.frame()[["method", "auroc", "calibration_in_the_large"]].round(2).values.tolist()
    [['none', 0.86, 0.0], ['over', 0.87, 0.16]]
    """
    methods = _checked_methods(methods)
    data = as_data_set(X, y, task="auto", groups=None, sample_weight=None)
    _check_data(data)
    if isinstance(cv, str) and cv.strip().lower() == "adaptive":
        raise InvalidArgumentError(
            f"cv of imbalance_effect must be a plan that all learners finish; got {cv!r}, which "
            "drops learners on the way. Take '5x5'."
        )
    resolved = resolve_learners(learners, data.task)
    arms, entered, left_out = _arms(resolved, methods)
    settings = ComparisonSettings(
        cv=cv, scoring=list(SCORES), n_jobs=n_jobs, random_state=random_state
    )
    prepared = prepare_comparison(entered, data, settings)
    comparison = run_comparison(prepared, store, observer_of(progress))
    baselines = tuple(item.name for item in resolved if item.is_baseline)
    return ImbalanceEffect(comparison, arms, (*left_out, *comparison.warnings), baselines)


def _checked_methods(methods: Any) -> tuple[str, ...]:
    from bestofk.learners.resampled_training import (
        RESAMPLING_METHODS,
        SMOTE,
        import_over_sampling,
    )

    known = (NONE, *RESAMPLING_METHODS)
    if isinstance(methods, str) or not hasattr(methods, "__iter__"):
        raise InvalidArgumentError(
            f"methods must be a list of names; got {methods!r}. Known: {', '.join(known)}."
        )
    asked = tuple(methods)
    for item in asked:
        if item not in known:
            raise InvalidArgumentError(
                f"methods must be known ones; got {item!r}. {nearest_name(str(item), known)}"
            )
    if NONE not in asked or len(set(asked)) < len(asked):
        raise InvalidArgumentError(
            f"methods must name 'none', which the others are held against, and each one once; "
            f"got {', '.join(asked) or 'none at all'}. Try ['none', 'over']."
        )
    if SMOTE in asked:
        import_over_sampling()
    return asked


def _check_data(data: DataSet) -> None:
    if not data.is_classification:
        raise InvalidArgumentError(
            "task of imbalance_effect must be classification; got regression. "
            "Numbers have no class sizes."
        )
    if data.sample_weight is not None:
        raise InvalidArgumentError(
            "data of imbalance_effect must have no weights; got weighted rows, which resampling "
            "would make unlike those trained without it. Leave the weights out."
        )
    check_comparable(data)


def _arms(
    learners: Sequence[Learner], methods: Sequence[str]
) -> tuple[tuple[tuple[str, str], ...], list[tuple[str, Any]], list[str]]:
    """Return (learner, method) and (name, estimator) of all arms, and the learners left out."""
    from bestofk.learners.resampled_training import WEIGHTS, ResampledTraining
    from bestofk.learners.weight_parameter import weight_parameter

    arms, entered, unweighted = [], [], []
    for learner in learners:
        for method in methods:
            name, estimator = learner.name, learner.estimator
            if method == WEIGHTS and weight_parameter(estimator) is None:
                unweighted.append(name)
                continue
            if method != NONE:
                name = f"{name} ({method})"
                estimator = ResampledTraining(estimator, method)
            arms.append((learner.name, method))
            entered.append((name, estimator))
    notes = []
    if unweighted:
        verb = "takes" if len(unweighted) == 1 else "take"
        notes.append(
            f"{', '.join(unweighted)} {verb} no sample_weight and "
            f"{'is' if len(unweighted) == 1 else 'are'} left out for method 'weights'."
        )
    return tuple(arms), entered, notes


def _rarest(comparison: Comparison) -> int:
    """Return the position of the rarest class: of two, the positive one of all measures."""
    if comparison.positive is not None:
        return comparison.positive
    return int(comparison.evaluation.data.class_counts.argmin())


def _means_and_errors(
    values: NDArray[np.float64], arms: ActiveLearners, n_folds: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return mean over the splits that count and its standard error over repeats, per arm."""
    means, errors = np.full(len(values), np.nan), np.full(len(values), np.nan)
    if not len(arms.splits) or not arms.learners:
        return means, errors
    counting = values[arms.learners][:, arms.splits]
    means[arms.learners] = counting.mean(axis=1)
    repeats = arms.splits // n_folds
    of_repeats = np.column_stack([counting[:, repeats == repeat].mean(axis=1)
                                  for repeat in np.unique(repeats)])  # fmt: skip
    n_repeats = of_repeats.shape[1]
    if n_repeats > 1:
        errors[arms.learners] = of_repeats.std(axis=1, ddof=1) / np.sqrt(n_repeats)
    return means, errors


def _on_score(title: str, before: Any, after: Any) -> str:
    """Say in how many cases a score rose or fell by what matters, and where the most."""
    change = (after - before).dropna()
    if not len(change):
        return ""
    n_risen, n_fallen = int((change > _MATTERS).sum()), int((change < -_MATTERS).sum())
    most = change.abs().idxmax()
    if not n_risen and not n_fallen:
        return f"{title} changed by at most {abs(change[most]):.3f}."
    return (
        f"{title} rose by more than {_MATTERS} in {n_risen} of {len(change)} cases and fell in "
        f"{n_fallen}, the most for {most}, from {before[most]:.3f} to {after[most]:.3f}."
    )
