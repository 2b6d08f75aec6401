"""Validation curves: under- and overfitting of a learner by the value of one parameter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, Unpack

import numpy as np
import pandas as pd

from bestofk.array_types import Floats, Ints
from bestofk.checks import nearest_name
from bestofk.comparison.options import OPTIONS, CurveArguments
from bestofk.comparison.run_remarks import crowded_seconds, untrained_warnings
from bestofk.curves.curve import (
    ScoreCurve,
    curve_data,
    evaluate_levels,
    failures,
    mean_of_known,
    n_unknown,
    own_seconds,
    pair_tests,
    plain_tables,
    prepare_curve,
    split_parts,
    with_adjusted,
    without_value,
)
from bestofk.curves.validation_text import validation_sections
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation import Evaluation
from bestofk.inference.many_learners.mean_losses import lowest_loss
from bestofk.inference.student import student_interval
from bestofk.learners import Learner, resolve_learners
from bestofk.measures.ties import tied_values
from bestofk.options import with_options
from bestofk.report import plots
from bestofk.report.parts import Sections
from bestofk.report.value_labels import is_number, value_labels
from bestofk.resampling.partial_training import ValidationPlan

OVERFITTING: Final = "overfitting"
UNDERFITTING: Final = "underfitting"
LEVEL: Final = 0.95  # of the interval over repeats that a change must be outside of


@dataclass(frozen=True, eq=False, repr=False)
class ValidationCurve(ScoreCurve):
    """Scores of one learner on training, validation and test rows, by the value of a parameter.

    Attributes
    ----------
    parameter : str
        What was varied.
    train_values, validation_values, test_values : ndarray of shape (n_values, n_splits)
        On the rows that trained, on those held back to choose by, and on the test rows; nan
        where a run failed.
    train_seconds : ndarray of shape (n_values, n_splits)
        For fitting.
    n_train, n_validation : float
        Mean number of rows that trained and of rows held back.
    """

    parameter: str
    train_values: Floats
    validation_values: Floats
    test_values: Floats
    train_seconds: Floats
    n_train: float
    n_validation: float

    @property
    def learner(self) -> str:
        """Name of the learner."""
        return self.learners[0]

    @property
    def values(self) -> tuple[Any, ...]:
        """Values of the parameter; numbers ascend."""
        return self.levels

    @property
    def n_splits(self) -> int:
        """Splits of every value."""
        return int(self.test_values.shape[1])

    @cached_property
    def labels(self) -> list[str]:
        """The values as printed."""
        return value_labels(self.values)

    @property
    def is_ordered(self) -> bool:
        """Return whether the values are numbers, so that there is a direction."""
        return all(map(is_number, self.values))

    @property
    def title(self) -> str:
        """Kind of the curve in words."""
        return f"validation curve of {self.learner} by {self.parameter}"

    def sections(self) -> Sections:
        """Return the report: answer, table, details and caveats."""
        return validation_sections(self)

    def display(self) -> plots.Display:
        """Return the picture, not yet drawn."""
        return plots.ValidationCurveDisplay.from_curve(self)

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers as plain values, as the command line prints them with --json."""
        tables = plain_tables(
            scores=self.to_frame(), estimates=self.estimates(), tests=self.against_chosen(),
            sides=self.sides(),
        )  # fmt: skip
        return {
            "answer": list(self.answer),
            "data": self.data_name, "learner": self.learner, "parameter": self.parameter,
            "measure": self.measure.name, "alpha": self.alpha, "n_splits": self.n_splits,
            "chosen": None if self.chosen is None else self.values[self.chosen], **tables,
            "notes": list(self.notes),
        }  # fmt: skip

    def to_frame(self) -> pd.DataFrame:
        """Return one row per value.

        Columns: value, train, train_error, validation, validation_error, test, test_error
        (means of the measure and their standard errors over repeats; nan with one repeat),
        train_seconds (mean), n_failed (runs without a value).
        """
        parts = {
            "train": self.train_values,
            "validation": self.validation_values,
            "test": self.test_values,
        }
        columns: dict[str, Any] = {"value": self._column(range(len(self.values)))}
        for name, values in parts.items():
            columns[name] = [mean_of_known(value) for value in values]
            columns[f"{name}_error"] = [self.error(value) for value in values]
        columns["train_seconds"] = [mean_of_known(duration) for duration in self.train_seconds]
        columns["n_failed"] = [n_unknown(value) for value in self.test_values]
        return pd.DataFrame(columns)

    def _column(self, indices: Sequence[int]) -> pd.Series[Any]:
        """Return the values at some indices; numbers as numbers, others as they are."""
        dtype = None if self.is_ordered else object
        return pd.Series([self.values[index] for index in indices], dtype=dtype)

    @cached_property
    def whole(self) -> Ints:
        """Indices of the values that have a score of every part in every run."""
        every = np.concatenate(
            [self.train_values, self.validation_values, self.test_values], axis=1
        )
        return np.flatnonzero(~np.isnan(every).any(axis=1))

    @property
    def chosen(self) -> int | None:
        """Index of the value with the best mean on validation rows; None if none is whole.

        The first of those that tie; a value with a failed run is not chosen.
        """
        return self._best(self.measure.loss(self.validation_values).mean(axis=1))

    @property
    def best_on_test(self) -> int | None:
        """Index of the value with the best mean on test rows, as `chosen` on validation rows."""
        return self._best(self.measure.loss(self.test_values).mean(axis=1))

    @property
    def chosen_by_split(self) -> list[int]:
        """Index of the value that each split chooses; empty if none is whole."""
        losses = self.measure.loss(self.validation_values)
        indices = [self._best(of_split) for of_split in losses.T]
        return [index for index in indices if index is not None]

    def _best(self, losses: Floats) -> int | None:
        """Return the first whole value with the lowest loss."""
        if not len(self.whole):
            return None
        of_whole = losses[self.whole]
        return int(self.whole[lowest_loss(of_whole)])

    def choices(self) -> pd.DataFrame:
        """Return what each split chooses on its own validation rows.

        Columns: repeat, fold, value, validation, test (scores of the value chosen). Empty if
        no value has a score in every run.
        """
        indices = np.array(self.chosen_by_split, dtype=int)
        splits = np.arange(len(indices))
        return pd.DataFrame(
            {
                "repeat": splits // self.sampling.n_folds,
                "fold": splits % self.sampling.n_folds,
                "value": self._column(indices.tolist()),
                "validation": self.validation_values[indices, splits],
                "test": self.test_values[indices, splits],
            }
        )

    def estimates(self) -> pd.DataFrame:
        """Return the test score of choosing a value: honestly, and by looking at the test rows.

        Columns: how, value, test (mean score), test_error (standard error over repeats), gap
        (mean loss minus that of the first row: negative is optimism). Rows: "chosen in each
        split" (by its own validation rows; test rows played no part), "chosen over all splits"
        (`chosen`; validation rows of one split are test rows of another), "best on test rows".
        Empty if no value has a score in every run.

        References
        ----------
        Varma & Simon (2006), Bias in error estimation when using cross-validation for model
        selection, BMC Bioinformatics 7, 91.
        """
        chosen, best = self.chosen, self.best_on_test
        rows: list[tuple[str, Any, Floats]] = []
        if chosen is not None and best is not None:
            rows = [
                ("chosen in each split", None, self.choices()["test"].to_numpy()),
                ("chosen over all splits", self.values[chosen], self.test_values[chosen]),
                ("best on test rows", self.values[best], self.test_values[best]),
            ]
        losses = [float(self.measure.loss(scores).mean()) for _, _, scores in rows]
        return pd.DataFrame(
            {
                "how": [how for how, _, _ in rows],
                "value": pd.Series([value for _, value, _ in rows], dtype=object),
                "test": [float(scores.mean()) for _, _, scores in rows],
                "test_error": [self.error(scores) for _, _, scores in rows],
                "gap": [loss - losses[0] for loss in losses],
            }
        )

    def against_chosen(self) -> pd.DataFrame:
        """Return the corrected resampled t test of every value against the chosen one.

        By the losses on the test rows; all values are one family (Holm). Columns: value,
        difference (of losses, value minus chosen: positive where the chosen one is better),
        p_value, p_adjusted, shown (whether the difference is shown at the level). Values with
        a failed run are not compared.

        The correction is that of the whole training parts. Those that are left when rows are
        held back share fewer rows, so it asks for more than it must.

        References
        ----------
        Nadeau & Bengio (2003), Inference for the generalization error, Machine Learning 52,
        239-281.
        """
        chosen = self.chosen
        losses = np.full(self.test_values.shape, np.nan)
        losses[self.whole] = self.measure.loss(self.test_values[self.whole])
        tests = [] if chosen is None else pair_tests(losses, self.sampling)
        rows = [
            (j, 0.0 - difference, p_value) if i == chosen else (i, difference, p_value)
            for i, j, difference, p_value in tests
            if chosen in (i, j)
        ]
        frame = pd.DataFrame(rows, columns=["value", "difference", "p_value"])
        frame["value"] = self._column(frame["value"].tolist())
        return with_adjusted(frame, self.alpha)

    def sides(self) -> pd.DataFrame:
        """Return how losses change from the chosen value to either end of the values.

        Columns: end (the value), train_change, train_error, validation_change,
        validation_error (mean differences of losses, end minus chosen, and their standard
        errors over repeats), kind: "overfitting" where the training loss is lower at the end
        and the validation loss higher, "underfitting" where both are higher, each with a 95 %
        interval over repeats (Student's t) that leaves out 0; else "". Empty where values have
        no order, or none is chosen; no kind with one repeat. The end is the last value that has
        a score in every run.
        """
        columns = ["end", "train_change", "train_error", "validation_change",
                   "validation_error", "kind"]  # fmt: skip
        indices = self.whole.tolist() if self.is_ordered else []
        rows = [self._side(end) for end in (*indices[:1], *indices[-1:]) if end != self.chosen]
        return pd.DataFrame(rows, columns=columns)

    def _side(self, end: int) -> tuple[Any, ...]:
        train, train_error = self._change(self.train_values, end)
        validation, validation_error = self._change(self.validation_values, end)
        kind = ""
        is_worse = validation > 0 and self._is_clear(validation, validation_error)
        if is_worse and self._is_clear(train, train_error):
            kind = OVERFITTING if train < 0 else UNDERFITTING
        return self.values[end], train, train_error, validation, validation_error, kind

    def _is_clear(self, change: float, error: float) -> bool:
        """Return whether the interval of a change over repeats leaves out 0; False with one."""
        if np.isnan(error):
            return False
        df = self.n_repeats - 1
        low, high = student_interval(change, error, df, level=LEVEL, alternative="two-sided")
        return bool(low > 0 or high < 0)

    def _change(self, values: Floats, end: int) -> tuple[float, float]:
        """Return the mean difference of losses between an end and the chosen value, its error."""
        losses = tied_values(
            self.measure.loss(np.stack([values[end], values[self.chosen]])), axis=0
        )
        differences = losses[0] - losses[1]
        return float(differences.mean()), self.error(differences)


class _Arguments(CurveArguments, total=False):
    batched: str


@with_options(_Arguments, OPTIONS, cv="10x3")
def validation_curve(
    learner: Any,
    X: Any,
    y: Any = None,
    *,
    parameter: str,
    values: Sequence[Any],
    **options: Unpack[_Arguments],
) -> ValidationCurve:
    """Vary one parameter of a learner, and score training, validation and test rows.

    Parameters
    ----------
    learner : str, estimator, (name, estimator) pair
        One learner, as `bestofk.compare` takes many.
    X, y
        The data set, as for `bestofk.compare`.
    parameter : str
        A parameter of the learner, of a pipeline one of its last step; or its full path, such
        as "learner__n_neighbors".
    values : sequence
        At least two: numbers, names, True, False, None, or others that the parameter takes.
        Numbers alone are sorted; others keep their order.
    cv, stratify
        The splits, as for `bestofk.compare`, but for "adaptive". One in three training rows of
        each is held back for validation; with `stratify` the classes are spread evenly.
    scoring, pos_label, cost_matrix
        What is measured, as for `bestofk.compare`; the first where there are several.
    alpha : float, default=0.05
        Level of the tests of all values against the chosen one.
    **options
        As for `bestofk.compare`.

    Returns
    -------
    ValidationCurve
        Scores by value, the value chosen, what it does on test rows, and tests.

    Raises
    ------
    InvalidArgumentError
        If an argument breaks its rule, or the data cannot be compared on.
    DesignError
        If the plan cannot carry the test.

    Notes
    -----
    The learner is fitted once per value and split; it predicts the rows that trained it, the
    validation rows and the test rows.  A value that the learner refuses when it is fitted is a
    failed run.

    Examples
    --------
    >>> from bestofk import validation_curve
    >>> curve = validation_curve(
    ...     "5nn", "iris", parameter="n_neighbors", values=[1, 5, 25, 45], cv="2x3"
    ... )
    >>> curve.to_frame()["train"].round(3).tolist()
    [0.0, 0.033, 0.109, 0.306]
    """
    data = curve_data(X, y, options)
    wanted = _checked_values(values)
    name, variants = _variants(learner, data.task, parameter, wanted)
    prepared = prepare_curve(variants[:1], data, options)
    request, measure = prepared.request, prepared.measures[0]
    plan = ValidationPlan.of(data, request.plan)
    parts, gone = list(plan.all_parts()), untrained_warnings(data, plan)
    requests = [
        (
            f"at {variant.name}",
            replace(request, plan=plan, learners=[variant], measures=(), title=variant.name),
        )
        for variant in variants
    ]

    def measured(evaluation: Evaluation, where: str) -> tuple[tuple[Any, ...], list[str]]:
        scores = [part.measured(measure) for part in split_parts(evaluation, parts)]
        reasons = {note for part in scores for note in without_value(part.reasons)}
        seconds = own_seconds(evaluation, "train_cpu_seconds")[0]
        notes = [*gone, *failures(evaluation, "of this value"), *sorted(reasons)]
        notes += crowded_seconds(evaluation)
        return (*(part.values[0] for part in scores), seconds), notes

    kept, facts = evaluate_levels(prepared, requests, options, measured)
    test, validation, train, seconds = (np.array(part) for part in zip(*kept, strict=True))
    return ValidationCurve(
        **facts,
        learners=(name,),
        parameter=parameter,
        levels=wanted[: len(kept)],
        train_values=train,
        validation_values=validation,
        test_values=test,
        train_seconds=seconds,
        n_train=plan.n_train,
        n_validation=plan.n_validation,
    )


def _checked_values(values: Any) -> tuple[Any, ...]:
    """Return plain values, numbers sorted, or raise."""
    is_list = hasattr(values, "__iter__") and not isinstance(values, str | bytes | dict)
    items = list(values) if is_list else []
    given = [item.item() if isinstance(item, np.generic) else item for item in items]
    if len(given) < 2:
        raise InvalidArgumentError(
            f"values must be a list of at least two; got {given if is_list else values!r}. "
            "A curve has two ends: write [1, 5, 25]."
        )
    for index, value in enumerate(given):
        if any(_is_same(value, other) for other in given[:index]):
            raise InvalidArgumentError(
                f"values must differ from each other; got {value_labels([value])[0]} more than "
                "once. Name each once."
            )
    return tuple(sorted(given) if all(map(is_number, given)) else given)


def _is_same(value: Any, other: Any) -> bool:
    if isinstance(value, bool) != isinstance(other, bool):
        return False  # True is no 1
    try:
        return value is other or bool(value == other)
    except (TypeError, ValueError):  # such as arrays, which compare element by element
        return False


def _variants(
    learner: Any, task: str, parameter: Any, values: Sequence[Any]
) -> tuple[str, list[Learner]]:
    """Return the name of the learner, and it with each of the values."""
    from sklearn.base import clone

    is_pair = isinstance(learner, tuple) and len(learner) == 2 and not isinstance(learner[1], str)
    entered = [] if learner is None else resolve_learners([learner] if is_pair else learner, task)
    if len(entered) != 1:
        names = ", ".join(item.name for item in entered) or "none"
        raise InvalidArgumentError(
            f"learner of a validation curve must be exactly one; got {names}. Call it once for "
            "each."
        )
    item = entered[0]
    path = _path(item, parameter)
    variants = []
    for value, label in zip(values, value_labels(values), strict=True):
        try:
            variant = clone(item.estimator, safe=False).set_params(**{path: value})
        except Exception as error:  # whatever a learner of one's own raises
            raise InvalidArgumentError(
                f"values of {parameter} must be ones that {item.name} can be given; got {label} "
                f"({type(error).__name__}: {error}). Leave it out."
            ) from error
        variants.append(Learner(f"{item.name} with {parameter} = {label}", variant))
    return item.name, variants


def _path(learner: Learner, parameter: Any) -> str:
    """Return the full name of a parameter, which may be one of the last step of a pipeline."""
    estimator = learner.estimator
    if not (hasattr(estimator, "get_params") and hasattr(estimator, "set_params")):
        raise InvalidArgumentError(
            f"learner {learner.name!r} must have get_params and set_params where a parameter takes "
            f"several values; got {type(estimator).__name__}. Derive it from scikit-learn's "
            "BaseEstimator."
        )
    known = set(estimator.get_params(deep=True))
    prefix = _prefix_of_last_step(estimator)
    own = sorted(name.removeprefix(prefix) for name in known if name.startswith(prefix))
    if parameter in known:
        return str(parameter)
    if parameter in own:
        return f"{prefix}{parameter}"
    raise InvalidArgumentError(
        f"parameter must be one of {learner.name}; got {parameter!r}. "
        + nearest_name(str(parameter), own or sorted(known))
    )


def _prefix_of_last_step(estimator: Any) -> str:
    """Return what stands before the parameters of the last step; nothing if there are no steps."""
    from sklearn.pipeline import Pipeline

    prefix = ""
    while isinstance(estimator, Pipeline) and estimator.steps:
        name, estimator = estimator.steps[-1]
        prefix += f"{name}__"
    return prefix
