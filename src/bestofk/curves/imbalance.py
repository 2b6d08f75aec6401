"""Effect of resampling and class weights on ranks and probabilities under class imbalance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Final, Unpack

import numpy as np
import pandas as pd

from bestofk.array_types import Floats
from bestofk.checks import check_known
from bestofk.comparison.call_context import observer_of
from bestofk.comparison.comparison import Comparison
from bestofk.comparison.input_data import as_data_set
from bestofk.comparison.options import OPTIONS, ComparisonSettings, EngineArguments
from bestofk.comparison.prepared_comparison import prepare_comparison, run_comparison
from bestofk.curves.curve import (
    Curve,
    check_fixed,
    pair_tests,
    plain_tables,
    standard_error,
    with_adjusted,
)
from bestofk.curves.texts import curve_sections, family_in_words
from bestofk.data import DataSet
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation import MeasuredScores, Observer
from bestofk.inference import Sampling
from bestofk.learners import Learner, resolve_learners
from bestofk.measures.measure import Measure, PredictionBatch
from bestofk.options import chosen, with_options
from bestofk.report import plots
from bestofk.report.parts import Row, Sections, Table
from bestofk.report.sentences.answers import BETTER, IN_WORDS, UNDECIDED, WORSE
from bestofk.stopping.active_learners import ActiveLearners, choose_active_learners
from bestofk.verdict.complete_scores import first_names
from bestofk.words import fixed, grouped, listing, number, percent, times

NONE: Final = "none"
SCORES: Final = ("auroc", "balanced_accuracy", "log_loss", "brier")
TESTED: Final = ("auroc", "balanced_accuracy", "log_loss")
CALIBRATION: Final = "calibration_in_the_large"


@dataclass(frozen=True, eq=False, repr=False)
class ImbalanceEffect(Curve):
    """Effect of balancing the classes of the training rows on each learner.

    Made by `imbalance_effect`. Every figure is derived from stored runs. The levels are the
    methods.

    Attributes
    ----------
    comparison : Comparison
        All runs: every learner with every method is a learner of this comparison, under its
        name for "none" and as "NAME (METHOD)" for the others, so that any two can be tested.
    arms : tuple of (str, str)
        Learner and method, in the order of the learners of the comparison.
    baselines : tuple of str
        Learners of the table that the sentences leave out, for there is nothing to spoil.
    """

    _kind: ClassVar[str] = "balancing classes for"
    comparison: Comparison
    arms: tuple[tuple[str, str], ...]
    baselines: tuple[str, ...]

    @property
    def rarest(self) -> int:
        """Index of the rarest class, the first of several."""
        return int(self.comparison.evaluation.data.class_counts.argmin())

    @property
    def rarer_class(self) -> Any:
        """The class whose predicted and observed share are compared: the rarest."""
        return self.comparison.evaluation.data.classes[self.rarest]

    def to_frame(self) -> pd.DataFrame:
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
    def _frame(self) -> pd.DataFrame:
        columns: dict[str, Any] = {
            "learner": [learner for learner, _ in self.arms],
            "method": [method for _, method in self.arms],
        }
        for item, arms in self.measured:
            name = item.measure.name
            columns[name], errors = _means_and_errors(
                item.values, arms, self.comparison.evaluation.plan.n_folds
            )
            if name != CALIBRATION:
                columns[f"{name}_se"] = errors
        return pd.DataFrame(columns)

    @cached_property
    def measured(self) -> list[tuple[MeasuredScores, ActiveLearners]]:
        """All measures, each with the arms and splits that count for it."""
        evaluation = self.comparison.evaluation
        by_name = {score.measure.name: score for score in self.comparison.scores}
        calibration = CalibrationInTheLarge(self.rarest)
        scores = [*(by_name[name] for name in SCORES), evaluation.measured(calibration)]
        return [
            (
                score,
                choose_active_learners(
                    evaluation.names,
                    score.values,
                    evaluation.has_failed,
                    score.reasons,
                    needs_all_splits=False,
                ),
            )
            for score in scores
        ]

    def pairs(self) -> pd.DataFrame:
        """Return the corrected resampled t test of every method against none, learner by learner.

        By AUROC, balanced accuracy and log loss; all of them are one family (Holm). Columns:
        measure, case (learner and method), before and after (mean scores without and with the
        method), change (after minus before), p_value, p_adjusted, shown (whether the change is
        significant at `alpha`). Baselines and cases with a missing score are not tested.
        """
        evaluation = self.comparison.evaluation
        plan, rows = evaluation.plan, []
        sampling = Sampling(plan.scheme, plan.n_repeats, plan.n_folds, plan.n_train, plan.n_test)
        for score, _ in self.measured:
            if score.measure.name not in TESTED:
                continue
            for index, (learner, method) in enumerate(self.arms):
                without = self.arms.index((learner, NONE))
                if method == NONE or learner in self.baselines:
                    continue
                values = score.values[[without, index]]
                for *_, p_value in pair_tests(score.measure.loss(values), sampling):
                    before, after = values.mean(axis=1).tolist()
                    name = evaluation.names[index]
                    rows.append((score.measure.name, name, before, after, after - before, p_value))
        columns = ["measure", "case", "before", "after", "change", "p_value"]
        return with_adjusted(pd.DataFrame(rows, columns=columns), self.alpha)

    @property
    def alpha(self) -> float:
        """Level of the family of tests."""
        return self.comparison.settings.alpha

    def sections(self) -> Sections:
        """Return the report: answer, table, details and caveats."""
        evaluation = self.comparison.evaluation
        data, count = evaluation.data, int(evaluation.data.class_counts[self.rarest])
        tests = self.pairs()
        return curve_sections(
            self,
            answer=(_ranking(self, tests), _others(tests), _how_sure(self, tests)),
            tables=[_table(self, tests)],
            details=[
                f"{self.data_name}: class {self.rarer_class} holds {count:,} of "
                f"{data.n_samples:,} rows ({percent(count / data.n_samples)}%); "
                f"{evaluation.plan.title}.",
                "Classes are brought to one size in training rows alone. A case is a learner with "
                f"a method{_left_out(self)}.",
                _tested(self, tests),
                *_on_calibration(self),
                *_gaps(self),
            ],
        )

    def display(self) -> plots.Display:
        """Return the picture, not yet drawn."""
        return plots.ImbalanceDisplay.from_effect(self)

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers as plain values, as the command line prints them with --json."""
        tables = plain_tables(scores=self.to_frame(), tests=self.pairs())
        return {"answer": list(self.answer), **tables, "notes": list(self.notes)}


class CalibrationInTheLarge(Measure):
    """Mean predicted probability of a class minus its share of the rows.

    0 where both agree; above 0 the class is predicted too often. It says nothing of single
    rows: the class shares as probabilities of every row give 0.

    Parameters
    ----------
    index : int
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

    def __init__(self, index: int) -> None:
        self.index = index

    def _values(self, batch: PredictionBatch) -> Floats:
        assert batch.probabilities is not None  # the measure needs them
        gaps = batch.probabilities[:, self.index] - (batch.y_true == self.index)
        return np.asarray(np.add.reduceat(gaps, batch.starts[:-1]) / batch.lengths)


class _Arguments(EngineArguments, total=False):
    cv: Any
    progress: bool | str | Observer


@with_options(_Arguments, OPTIONS, cv="5x5")
def imbalance_effect(
    learners: Any,
    X: Any,
    y: Any = None,
    *,
    methods: Sequence[str] = (NONE, "over", "under", "weights"),
    **options: Unpack[_Arguments],
) -> ImbalanceEffect:
    """Measure the effect of balancing the classes on the ranking of rows and on probabilities.

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
    **options
        As in `bestofk.compare`.

    Returns
    -------
    ImbalanceEffect
        ``to_frame()``, ``text()``, and the ``comparison`` behind them. A learner that takes no
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
    >>> effect.to_frame()[["method", "auroc", "calibration_in_the_large"]].round(2).values.tolist()
    [['none', 0.86, 0.0], ['over', 0.87, 0.16]]
    """
    methods = _checked_methods(methods)
    data = as_data_set(X, y)
    _check_data(data)
    check_fixed(options["cv"])
    resolved = resolve_learners(learners, data.task)
    arms, entered, left_out = _arms(resolved, methods)
    rarest = data.classes[data.class_counts.argmin()] if len(data.classes) == 2 else None
    settings = ComparisonSettings(
        pos_label=rarest, scoring=list(SCORES), **chosen(ComparisonSettings, options)
    )
    prepared = prepare_comparison(entered, data, settings)
    comparison = run_comparison(prepared, options["store"], observer_of(options["progress"]))
    return ImbalanceEffect(
        data_name=data.name,
        learners=tuple(learner.name for learner in resolved),
        levels=methods,
        guessed=data.notes,
        notes=(*left_out, *comparison.warnings),
        is_interrupted=comparison.evaluation.is_interrupted,
        comparison=comparison,
        arms=arms,
        baselines=_baselines(resolved),
    )


def _baselines(learners: Sequence[Learner]) -> tuple[str, ...]:
    """Return the names of baselines; none where there is nothing else."""
    names = tuple(learner.name for learner in learners if learner.ignores_inputs)
    return names if len(names) < len(learners) else ()


def _checked_methods(methods: Any) -> tuple[str, ...]:
    from bestofk.learners.resampled_training import RESAMPLING_METHODS, SMOTE, import_over_sampling

    known = (NONE, *RESAMPLING_METHODS)
    if isinstance(methods, str) or not hasattr(methods, "__iter__"):
        raise InvalidArgumentError(
            f"methods must be a list of names; got {methods!r}. Known: {', '.join(known)}."
        )
    asked = tuple(methods)
    for item in asked:
        check_known(item, "methods", known, rule="known ones")
    if NONE not in asked or len(set(asked)) < len(asked):
        raise InvalidArgumentError(
            f"methods must name 'none', the reference for the others, and each one once; "
            f"got {', '.join(asked) or 'none at all'}. Try ['none', 'over']."
        )
    if SMOTE in asked:
        import_over_sampling()
    return asked


def _check_data(data: DataSet) -> None:
    if not data.is_classification:
        raise InvalidArgumentError(
            "task of imbalance_effect must be classification; got regression. "
            "A numeric target has no classes."
        )
    if data.sample_weight is not None:
        raise InvalidArgumentError(
            "data of imbalance_effect must have no weights; got weighted rows, which cannot be "
            "resampled fairly. Leave the weights out."
        )


def _arms(
    learners: Sequence[Learner], methods: Sequence[str]
) -> tuple[tuple[tuple[str, str], ...], list[Learner], list[str]]:
    """Return (learner, method) and the learner of all arms, and the learners left out."""
    from bestofk.learners.learner import weight_parameter
    from bestofk.learners.resampled_training import WEIGHTS, ResampledTraining

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
            entered.append(Learner(name, estimator))
    notes = []
    if unweighted:
        verb = "takes" if len(unweighted) == 1 else "take"
        notes.append(
            f"{', '.join(unweighted)} {verb} no sample_weight and "
            f"{'is' if len(unweighted) == 1 else 'are'} left out for method 'weights'."
        )
    return tuple(arms), entered, notes


def _means_and_errors(values: Floats, arms: ActiveLearners, n_folds: int) -> tuple[Floats, Floats]:
    """Return mean over the splits that count and its standard error over repeats, per arm."""
    means, errors = np.full(len(values), np.nan), np.full(len(values), np.nan)
    if not len(arms.splits) or not arms.learners:
        return means, errors
    counting = values[arms.learners][:, arms.splits]
    means[arms.learners] = counting.mean(axis=1)
    repeats = arms.splits // n_folds
    of_repeats = np.column_stack([counting[:, repeats == repeat].mean(axis=1)
                                  for repeat in np.unique(repeats)])  # fmt: skip
    errors[arms.learners] = [standard_error(of_one) for of_one in of_repeats]
    return means, errors


# Smaller changes are not spoken of; the region of practical equivalence of all verdicts.
_MATTERS: Final = 0.01
_FIGURES: Final = {
    "auroc": "AUROC",
    "balanced_accuracy": "balanced\naccuracy",
    "log_loss": "log\nloss",
    "brier": "Brier\nscore",
    CALIBRATION: "predicted\n- observed",
}


def _left_out(effect: ImbalanceEffect) -> str:
    return f"; {listing(effect.baselines)} counts for none" if effect.baselines else ""


def _table(effect: ImbalanceEffect, tests: pd.DataFrame) -> Table:
    frame = effect.to_frame()
    versus = {row.case: row for row in tests.query("measure == 'auroc'").itertuples()}
    rows = []
    for name, figures in zip(effect.comparison.evaluation.names, frame.itertuples(), strict=True):
        cells = [number(getattr(figures, key)) for key in _FIGURES]
        cells[-1] = (
            "-" if cells[-1] == "-" else fixed(figures.calibration_in_the_large, 3, sign="+")
        )
        rows.append(Row(name, "", (*cells, _versus(versus.get(name)))))
    return Table(["learner (method)", *_FIGURES.values(), "AUROC\nversus none"], rows, left=(0, 6))


def _versus(test: Any) -> str:
    if test is None:
        return ""
    answer = UNDECIDED if not test.shown else BETTER if test.change > 0 else WORSE
    return f"{IN_WORDS[answer]} ({fixed(test.change, 3, sign='+')})"


def _ranking(effect: ImbalanceEffect, tests: pd.DataFrame) -> str:
    """Return whether to balance: where the ranking of rows gets significantly better."""
    if len(effect.levels) < 2:
        return "Nothing was balanced: 'none' is the only method."
    of_auroc = tests.query("measure == 'auroc'")
    if not len(of_auroc):
        return f"Can't tell whether to balance the classes: {_untested(effect)}."
    better = of_auroc[of_auroc["shown"] & (of_auroc["change"] > 0)]
    if not len(better):
        return (
            "Leave the classes as they are: no method makes the ranking of rows (AUROC) "
            "significantly better."
        )
    most = better.sort_values("change", kind="stable").iloc[-1]
    cases = first_names(better["case"].tolist())
    whose = f", for {most['case']}" if len(better) > 1 else ""
    rest = " Leave the others as they are." if len(better) < len(of_auroc) else ""
    return (
        f"Balance the classes for {cases}: the ranking gets significantly better{whose}, from "
        f"AUROC {fixed(most['before'], 3)} to {fixed(most['after'], 3)}.{rest}"
    )


def _untested(effect: ImbalanceEffect) -> str:
    is_one = len(effect.comparison.evaluation.plan) == 1
    return "one split does not show what is chance" if is_one else "no ranking could be tested"


def _others(tests: pd.DataFrame) -> str:
    open_cases = tests.query(f"measure == 'auroc' and not shown and change > {_MATTERS}")
    texts = []
    if len(open_cases):
        names = open_cases.sort_values("change", ascending=False, kind="stable")["case"].tolist()
        texts.append(f"Can't tell, but may rank better: {first_names(names)}.")
    for measure, title, better, worse in (
        ("balanced_accuracy", "Balanced accuracy", ", as another threshold can do", ""),
        ("log_loss", "Log loss", "", ": do not read those probabilities as risks"),
    ):
        of_measure = tests.query("measure == @measure")
        shown = of_measure[of_measure["shown"]]
        is_better = (shown["change"] > 0) != (measure == "log_loss")
        for word, count, meaning in (
            ("better", int(is_better.sum()), better), ("worse", int((~is_better).sum()), worse),
        ):  # fmt: skip
            if count:
                texts.append(
                    f"{title} is significantly {word} in {count} of "
                    f"{times(len(of_measure), 'case')}{meaning}."
                )
    none = "No other score is significantly better or worse."
    return " ".join(texts) or (none if len(tests) else "No score was tested.")


def _how_sure(effect: ImbalanceEffect, tests: pd.DataFrame) -> str:
    if not len(tests):
        return "No claim about new data: nothing was tested."
    return (
        f"{times(len(tests), 'test')} at a nominal {100 * effect.alpha:g}% family-wise level "
        '(Holm); "can\'t tell" does not mean "equal".'
    )


# -- details -----------------------------------------------------------------------------


def _tested(effect: ImbalanceEffect, tests: pd.DataFrame) -> str:
    if not len(tests):
        return ""
    what = "every method against none by AUROC, balanced accuracy and log loss"
    return family_in_words(len(tests), int(tests["shown"].sum()), what, effect.alpha)


def _before_and_after(effect: ImbalanceEffect) -> tuple[Any, Any]:
    """Return the rows of the table without and with a method, one for each such arm."""
    frame = effect.to_frame().set_axis(effect.comparison.evaluation.names)
    after = frame[(frame["method"] != NONE) & ~frame["learner"].isin(effect.baselines)]
    return frame.loc[after["learner"]].set_axis(after.index), after


def _on_calibration(effect: ImbalanceEffect) -> list[str]:
    """Say whether predicted shares moved away from the observed one, and the ranking not."""
    before, after = _before_and_after(effect)
    before_gap, after_gap = before[CALIBRATION].dropna(), after[CALIBRATION].dropna()
    farther = (after_gap.abs() - before_gap.abs()).dropna()
    if not len(farther):
        return []
    sentences = []
    for words, moved in (("away from", farther), ("towards", -farther)):
        if (moved > _MATTERS).any():
            most = moved.idxmax()
            sentences.append(
                f"The mean predicted share of class {effect.rarer_class} moved {words} the "
                f"observed one in {(moved > _MATTERS).sum()} of {len(moved)} cases. Most for "
                f"{most}: predicted minus observed from {fixed(before_gap[most], 3, sign='+')} to "
                f"{fixed(after_gap[most], 3, sign='+')}."
            )
    if before["auroc_se"].isna().all():
        return sentences
    moved = farther.index[farther > _MATTERS]
    ranking = (after["auroc"] - before["auroc"]).abs()[moved]
    n_kept = int((ranking <= _MATTERS).sum())
    if n_kept:
        sentences.append(
            f"In {n_kept} of these {len(moved)} cases AUROC changed by at most "
            f"{fixed(ranking[ranking <= _MATTERS].max(), 3)}, as van den Goorbergh et al. (2022) "
            "found for logistic regression."
        )
    return sentences or [
        f"The mean predicted share of class {effect.rarer_class} came to differ from the "
        f"observed one by at most {fixed(max(farther.max(), 0), 3)} more, and by at most "
        f"{fixed(max(-farther.min(), 0), 3)} less."
    ]


def _gaps(effect: ImbalanceEffect) -> list[str]:
    """Say which figures are missing, and which splits do not count."""
    titles: dict[str, list[str]] = {}
    reasons: dict[str, str] = {}
    for item, arms in effect.measured:
        for name, reason in arms.left_out.items():
            titles.setdefault(name, []).append(item.measure.title)
            reasons.setdefault(name, reason)
    alike = grouped((f"{', '.join(own)}: {reasons[name]}.", name) for name, own in titles.items())
    uncounted: dict[int, list[str]] = {}
    for element, arms in effect.measured:
        n_uncounted = element.values.shape[1] - len(arms.splits)
        uncounted.setdefault(n_uncounted, []).append(element.measure.title)
    return [
        *(f"Without a value for {', '.join(names)}: {text}" for text, names in alike.items()),
        *(f"{times(n, 'split')} left out of {listing(names)} for all, because one of them has no "
          "value there." for n, names in uncounted.items() if n),
    ]  # fmt: skip
