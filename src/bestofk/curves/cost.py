"""Cost curves: the cheapest learner and threshold by class shares and error costs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bestofk.array_types import Floats
from bestofk.comparison.comparison import Comparison
from bestofk.curves.curve import Curve, plain_tables
from bestofk.curves.texts import curve_sections
from bestofk.data import DataSet
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation import RowPredictions, row_predictions
from bestofk.inference import Caution, roc_convex_hull, roc_curve_points, slope_of_costs
from bestofk.inference.cautions import caution_if
from bestofk.inference.checks import check_share
from bestofk.inference.one_test_set.roc import ALL_NEGATIVE, ALL_POSITIVE
from bestofk.measures import PredictionBatch, class_in_words, get_measure
from bestofk.report import plots
from bestofk.report.formats.text import to_text
from bestofk.report.parts import Sections, Table, table_of
from bestofk.verdict.complete_scores import first_names
from bestofk.words import fixed, listing, percent, printable

SAME_ROWS = Caution(
    "winners-curse",
    "Thresholds are chosen and judged on the same rows, so new data will cost somewhat more.",
)
POOLED = Caution(
    "pooled-folds",
    "Rows of several folds are ranked together, though each fold has a model with a scale of its "
    "own.",
)
SHARED = "Only {} of {} splits count: those that every learner has finished."
LABELS_ONLY = "Known only by its decisions, so a single point: {}."


class CostLine(NamedTuple):
    """A classifier of two classes: a point of ROC space, a line of cost space.

    Attributes
    ----------
    learner : str
        Its name; "all-negative" and "all-positive" name one class always.
    threshold : float
        Rows with at least this score are taken for positive: the probability of the positive
        class, or the decision value towards it. inf names the negative class always, -inf
        the positive one; 1 is the decision of a learner that gives labels alone.
    false_positive_rate, true_positive_rate : float in [0, 1]
        Share of negative rows taken for positive, and of positive rows found.
    """

    learner: str
    threshold: float
    false_positive_rate: float
    true_positive_rate: float

    def normalized_cost(self, probability_cost: float) -> float:
        """Return the expected cost as a share of the cost of always being wrong."""
        missed = 1 - self.true_positive_rate
        return missed * probability_cost + self.false_positive_rate * (1 - probability_cost)


class Stretch(NamedTuple):
    """Range of the probability-cost axis where one classifier is the cheapest.

    Attributes
    ----------
    line : CostLine
        The classifier.
    low, high : float in [0, 1]
        From and to.
    """

    line: CostLine
    low: float
    high: float


@dataclass(frozen=True)
class OperatingPoint:
    """The cheapest learner and threshold for given class shares and costs.

    Attributes
    ----------
    learner, threshold, false_positive_rate, true_positive_rate
        As in `CostLine`.
    probability_cost : float in (0, 1)
        Share of the positive class in what could be lost.
    normalized_cost : float in [0, 1]
        Expected cost over that of being always wrong.
    expected_cost : float
        Per row, in the unit of the cost matrix.
    cost_when_right : float
        The same of being always right: 0 unless the diagonal of the cost matrix has entries.
    """

    learner: str
    threshold: float
    false_positive_rate: float
    true_positive_rate: float
    probability_cost: float
    normalized_cost: float
    expected_cost: float
    cost_when_right: float

    def text(self) -> str:
        """Return a sentence, and another where right answers have a price too."""
        subject = _ALWAYS.get(self.learner, self.learner)
        if np.isfinite(self.threshold):
            subject += f" with a threshold of {self.threshold:.4g}"
        return (
            f"{subject} is expected to cost {self.expected_cost:.4g} per row (probability cost "
            f"{self.probability_cost:.4g}, false positive rate "
            f"{self.false_positive_rate:.4g}, true positive rate "
            f"{self.true_positive_rate:.4g}).{_when_right(self)}"
        )


@dataclass(frozen=True, eq=False, repr=False)
class CostCurves(Curve):
    """Cost curves of K learners on one data set; made by `cost_curve`.

    The levels are the probability costs between which one classifier is the cheapest.

    Attributes
    ----------
    classes : tuple
        Both class labels in sorted order.
    positive : int
        Position of the positive class.
    n_positive, n_negative : int
        Pooled predictions of each class.
    envelopes : mapping of str to tuple of Stretch
        For each learner its thresholds with the stretch where each is its cheapest, from
        probability cost 0 to 1.
    best : tuple of Stretch
        The same over all learners.

    References
    ----------
    .. [1] Drummond & Holte (2006), Cost curves: an improved method for visualizing classifier
       performance, Machine Learning 65(1).
    """

    _kind: ClassVar[str] = "cost curves of"
    classes: tuple[Any, ...]
    positive: int
    n_positive: int
    n_negative: int
    envelopes: Mapping[str, tuple[Stretch, ...]]
    best: tuple[Stretch, ...]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per learner and stretch.

        Returns
        -------
        DataFrame
            Columns learner, low and high (probability costs between which the threshold is the
            learner's cheapest), cost_at_low and cost_at_high (normalized expected costs; a
            straight line between them), threshold, false_positive_rate, true_positive_rate.
        """
        columns = ["learner", "low", "high", "cost_at_low", "cost_at_high", *CostLine._fields[1:]]
        rows = [
            (name, low, high, line.normalized_cost(low), line.normalized_cost(high), *line[1:])
            for name, stretches in self.envelopes.items()
            for line, low, high in stretches
        ]
        return pd.DataFrame(rows, columns=columns)

    def normalized_costs(self, probability_cost: ArrayLike) -> Floats:
        """Return the curves at some probability costs.

        Parameters
        ----------
        probability_cost : array-like of shape (n_points,), float in [0, 1]
            Where.

        Returns
        -------
        ndarray of shape (n_learners, n_points)
            Normalized expected cost of each learner at its cheapest threshold there.

        Raises
        ------
        InvalidArgumentError
            If a number is not from 0 to 1.
        """
        try:
            positions = np.atleast_1d(np.asarray(probability_cost, dtype=np.float64))
        except (TypeError, ValueError):
            positions = np.array([np.nan])
        if not ((positions >= 0) & (positions <= 1)).all():
            raise InvalidArgumentError(
                f"probability_cost must be numbers from 0 to 1; got {probability_cost!r}. "
                "operating_point makes it from a prior and a cost matrix."
            )
        curves = []
        for stretches in self.envelopes.values():
            corners = np.array([0.0, *(stretch.high for stretch in stretches)])
            costs = [0.0, *(stretch.line.normalized_cost(stretch.high) for stretch in stretches)]
            curves.append(np.interp(positions, corners, costs))
        return np.array(curves)

    def operating_point(self, prior: float, cost_matrix: ArrayLike) -> OperatingPoint:
        """Return the learner and threshold to use, given class shares and costs.

        Parameters
        ----------
        prior : float in (0, 1)
            Share of the positive class among the rows to come.
        cost_matrix : array-like of shape (2, 2), float
            Cost of predicting the column's class where the row's class is true, classes in
            sorted order, as in `bestofk.compare`. The diagonal may hold costs and gains.

        Returns
        -------
        OperatingPoint
            A corner of the ROC convex hull [1]_. Of two that cost the same, the one with
            fewer false positives.

        Raises
        ------
        InvalidArgumentError
            If the prior is not inside (0, 1), the matrix is no table of finite numbers, or
            an error does not cost more than the right answer.

        References
        ----------
        .. [1] Provost & Fawcett (2001), Robust classification for imprecise environments,
           Machine Learning 42(3).
        """
        share = check_share(prior, "prior")
        right, (alarm, miss) = self._costs(share, cost_matrix)
        where = 1 / (1 + slope_of_costs(alarm, miss, share_positive=share))
        line = min(
            (stretch.line for stretch in self.best), key=lambda item: item.normalized_cost(where)
        )
        cost = line.normalized_cost(where)
        at_most = share * miss + (1 - share) * alarm
        return OperatingPoint(*line, where, cost, right + cost * at_most, right)

    def _costs(self, share: float, cost_matrix: ArrayLike) -> tuple[float, tuple[float, float]]:
        """Return the cost of being always right, and what a false alarm and a miss add."""
        table = check_costs(cost_matrix, self.classes)
        yes, no = self.positive, 1 - self.positive
        added = float(table[no, yes] - table[no, no]), float(table[yes, no] - table[yes, yes])
        return float(share * table[yes, yes] + (1 - share) * table[no, no]), added

    def sections(self, point: OperatingPoint | None = None) -> Sections:
        """Return the report: answer, table, details and caveats; what to use at a point."""
        n_rows = self.n_positive + self.n_negative
        ranges, whose = _ranges(self), class_in_words(self.classes[self.positive])
        return curve_sections(
            self,
            answer=(*_cost_answer(self, ranges, point, whose), _NO_CLAIM),
            tables=[_table(ranges, whose)],
            details=[
                _price_options(self) if point is None else point.text(),
                f"{self.data_name}: {n_rows:,} predictions, {percent(self.n_positive / n_rows)}% "
                f"of them for rows of {whose}, the positive one.",
                "Probability cost: the share of the positive class in what could be lost. It is "
                "that class's prior times the cost of a miss, over the same plus the other "
                "class's prior times the cost of a false alarm.",
                "Normalized cost: expected cost as a share of the cost of always being wrong.",
            ],
        )

    def text(self, point: OperatingPoint | None = None) -> str:
        """Return the whole report: the cheapest learner for each range of costs, and at a point."""
        return to_text(self.sections(point))

    def display(self) -> plots.Display:
        """Return the picture, not yet drawn."""
        return plots.CostCurveDisplay.from_curves(self)

    def to_dict(self, point: OperatingPoint | None = None) -> dict[str, Any]:
        """Return all numbers as plain values, with those of an operating point."""
        points = pd.DataFrame([] if point is None else [asdict(point)])
        tables = plain_tables(points=points, curves=self.to_frame())
        return {
            "answer": list(self.sections(point).answer),
            "data": self.data_name,
            "operating_point": next(iter(tables["points"]), None),
            "curves": tables["curves"],
            "warnings": list(self.notes),
        }

    def names(self) -> dict[str, str]:
        """Return the printed names of learners and of the two constant classifiers."""
        names = {stretch.line.learner: stretch.line.learner for stretch in self.best}
        for corner, index in ((ALL_NEGATIVE, 1 - self.positive), (ALL_POSITIVE, self.positive)):
            names[corner.name] = f"always {self.classes[index]}"
        return names


def cost_curve(comparison: Comparison) -> CostCurves:
    """Draw up the cost curves of learners that were compared on two classes; nothing is fitted.

    A cost curve is the expected cost of a learner, at the cheapest of its thresholds, over all
    class shares and costs at once [1]_. Both enter through one number from 0 to 1, the
    probability cost: the share of the positive class in what could be lost. The cost is
    normalized by that of being always wrong; naming one class always costs at most 0.5.

    Parameters
    ----------
    comparison : Comparison
        Of `bestofk.compare`, with predictions kept. Its positive class is that of the curves.

    Returns
    -------
    CostCurves
        From all splits that every learner has finished, their rows pooled. A learner without
        probabilities and decision values has one point, its decisions.

    Raises
    ------
    InvalidArgumentError
        If there are not two classes.
    DesignError
        If no split was finished by all learners, predictions were not kept, or a class is
        missing among the rows.

    References
    ----------
    .. [1] Drummond & Holte (2006), Cost curves: an improved method for visualizing classifier
       performance, Machine Learning 65(1).

    Examples
    --------
    >>> from bestofk import compare
    >>> result = compare(["nearest-mean", "lda"], "breast_cancer", cv="1x5", scoring="error")
    >>> curves = cost_curve(result)
    >>> point = curves.operating_point(0.1, [[0, 1], [20, 0]])
    >>> point.learner, round(point.probability_cost, 2), round(point.expected_cost, 3)
    ('lda', 0.69, 0.125)
    """
    evaluation = comparison.evaluation
    check_two_classes(evaluation.data)
    positive = evaluation.data.positive
    assert positive is not None  # of two classes one is
    shared = [
        split
        for split, runs in enumerate(zip(*evaluation.records, strict=True))
        if all(run is not None and run.predictions is not None for run in runs)
    ]
    n_splits = len(evaluation.plan)
    # Without a shared split this says whose predictions are missing.
    splits = shared or range(n_splits)
    rows = row_predictions(evaluation, range(len(evaluation.names)), splits)
    n_positive = int(rows.is_positive.sum())
    curves = [
        _learner_curve(name, batch)
        for name, batch in zip(evaluation.names, rows.batches, strict=True)
    ]
    envelopes = {curve.learner: _lower_envelope([curve]) for curve in curves}
    best = _lower_envelope([_corners(name, of) for name, of in envelopes.items()])
    shares = SHARED.format(len(splits), n_splits)
    left_out = caution_if(len(splits) < n_splits, "incomplete", shares)
    return CostCurves(
        data_name=evaluation.data.name,
        learners=tuple(evaluation.names),
        levels=(0.0, *(stretch.high for stretch in best)),
        classes=tuple(evaluation.data.classes.tolist()),
        positive=positive,
        n_positive=n_positive,
        n_negative=len(rows.is_positive) - n_positive,
        envelopes={
            name: tuple(
                stretch._replace(line=stretch.line._replace(learner=name)) for stretch in stretches
            )
            for name, stretches in envelopes.items()
        },
        best=best,
        notes=(*left_out, *_warnings(evaluation.names, rows)),
        is_interrupted=evaluation.is_interrupted,
        guessed=evaluation.data.notes,
    )


def check_costs(cost_matrix: ArrayLike, classes: Sequence[Any]) -> Floats:
    """Return the costs of an operating point as a table.

    Raises
    ------
    InvalidArgumentError
        If it is no table of finite numbers, or an error does not cost more than the right answer.
    """
    get_measure(
        "cost", task="classification", classes=classes, cost_matrix=cost_matrix
    )  # raises where the matrix does not fit
    table = np.array(cost_matrix, dtype=np.float64)
    if (table[[0, 1], [1, 0]] <= np.diagonal(table)).any():
        raise InvalidArgumentError(
            "cost_matrix of operating_point must charge more for an error than for the right "
            f"answer; got {table.tolist()}. Otherwise one class is always the cheapest."
        )
    return table


def check_two_classes(data: DataSet) -> None:
    """Raise InvalidArgumentError where a data set has not two classes."""
    if len(data.classes) == 2:
        return
    got = f"{len(data.classes)} classes" if data.is_classification else "a regression"
    raise InvalidArgumentError(
        f"classes of cost_curve must be two; got {got}. Merge classes into two, or compare "
        "by the measure 'cost'."
    )


class _RocCurve(NamedTuple):
    """Points of one learner in ROC space, with the threshold of each."""

    learner: str
    fpr: Floats
    tpr: Floats
    thresholds: Floats


def _learner_curve(name: str, batch: PredictionBatch) -> _RocCurve:
    rankings = RowPredictions((batch,)).rankings()
    is_found = batch.labels == batch.positive_class
    scores = is_found.astype(np.float64) if rankings is None else rankings[0]
    return _RocCurve(name, *roc_curve_points(batch.y_true == batch.positive_class, scores))


def _corners(name: str, stretches: Iterable[Stretch]) -> _RocCurve:
    """Return what is left of a curve on its own hull, without the ends of ROC space."""
    lines = [stretch.line for stretch in stretches if np.isfinite(stretch.line.threshold)]
    table = np.array([line[1:] for line in lines], dtype=np.float64).reshape(-1, 3)
    return _RocCurve(name, table[:, 1], table[:, 2], table[:, 0])


def _lower_envelope(curves: Sequence[_RocCurve]) -> tuple[Stretch, ...]:
    """Return the corners of the ROC hull as stretches: point-line duality, [1] of `cost_curve`."""
    hull = roc_convex_hull(
        (curve.learner, curve.fpr, curve.tpr) for curve in curves if len(curve.fpr)
    )
    thresholds = {
        (curve.learner, *rates): threshold
        for curve in curves
        for *rates, threshold in zip(*map(np.ndarray.tolist, curve[1:]), strict=True)
    }
    thresholds |= {ALL_NEGATIVE: np.inf, ALL_POSITIVE: -np.inf}
    # A side of slope s joins two classifiers that cost the same at 1 / (1 + s).
    bounds = [0.0, *(1 / (1 + slope) for slope in hull.slopes), 1.0]
    return tuple(
        Stretch(CostLine(corner.name, thresholds[corner], corner.fpr, corner.tpr), low, high)
        for corner, low, high in zip(hull.vertices, bounds[:-1], bounds[1:], strict=True)
        if low < high
    )


def _warnings(names: Sequence[str], rows: RowPredictions) -> tuple[str, ...]:
    batches = zip(names, rows.batches, strict=True)
    alone = [name for name, item in batches if item.probabilities is None and item.decision is None]
    return (
        SAME_ROWS,
        *([POOLED] if rows.batches[0].n_runs > 1 else []),
        *([LABELS_ONLY.format(listing(alone))] if alone else []),
    )


_ALWAYS: Final = {
    ALL_NEGATIVE.name: "To name the negative class always",
    ALL_POSITIVE.name: "To name the positive class always",
}
_Range = tuple[str, float, float, float]
_NO_CLAIM: Final = (
    "No claim about new data: thresholds were chosen on these rows, and differences are not tested."
)


def _when_right(point: OperatingPoint) -> str:
    if not point.cost_when_right:
        return ""
    return (
        " The cost matrix has entries on its diagonal: being always right would cost "
        f"{point.cost_when_right:.4g} per row."
    )


def _price_options(curves: CostCurves) -> str:
    """Return how to give the prices that choose one learner and threshold."""
    matrix = "0,1;5,0" if curves.positive else "0,5;1,0"
    positive = str(curves.classes[curves.positive])
    return (
        f'Your prices choose one learner and threshold: --cost-matrix "{matrix}" (a false alarm '
        f"costs 1, a missed row of class {positive!r} 5) and --prior 0.3 (the share of that class "
        "in use)."
    )


def _ranges(curves: CostCurves) -> list[_Range]:
    """Return name, low, high and largest normalized cost of each range of one cheapest learner."""
    names, ranges = curves.names(), []
    for name, group in groupby(curves.best, key=lambda stretch: stretch.line.learner):
        stretches = list(group)
        worst = max(item.line.normalized_cost(x) for item in stretches for x in item[1:])
        ranges.append((names[name], stretches[0].low, stretches[-1].high, worst))
    return ranges


def _cost_answer(
    curves: CostCurves, ranges: Sequence[_Range], point: OperatingPoint | None, whose: str
) -> tuple[str, str]:
    widest = max(ranges, key=lambda item: item[2] - item[1])[0]
    pick = widest if point is None else curves.names().get(point.learner, point.learner)
    others = [(name, low, high) for name, low, high, _ in ranges if name != pick]
    said = first_names(
        [f"{name} ({fixed(low, 2)} to {fixed(high, 2)})" for name, low, high in others]
    )
    elsewhere = (
        f"Cheapest at other probability costs: {said}." if others
        else "It is the cheapest at every probability cost."
    )  # fmt: skip
    if point is None:
        own = [
            f"{fixed(low, 2)} to {fixed(high, 2)}" for name, low, high, _ in ranges if name == pick
        ]
        where = f"{whose} has a probability cost of {listing(own)}"
        return f"Use {pick}: the cheapest where {where}.", elsewhere
    is_cut = np.isfinite(point.threshold)
    threshold = f" with a threshold of {point.threshold:.3g} for {whose}" if is_cut else ""
    return f"Use {pick}{threshold}: expected cost {point.expected_cost:.3g} per row.", elsewhere


def _table(ranges: Sequence[_Range], whose: str) -> Table:
    rows = [
        (f"{fixed(low, 3)} to {fixed(high, 3)}", name, fixed(worst, 3))
        for name, low, high, worst in ranges
    ]
    heads = [f"probability cost\nof {printable(whose)}", "cheapest", "normalized cost,\nat most"]
    return table_of(heads, rows, left=(0, 1))
