"""Learning curves: training on growing parts of the rows, with a test of every pair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, ClassVar, Final, Unpack

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bestofk.array_types import Floats, Ints
from bestofk.comparison.options import OPTIONS, CurveArguments
from bestofk.comparison.run_remarks import crowded_seconds, untrained_warnings
from bestofk.curves import texts
from bestofk.curves.curve import (
    TEST,
    LearnersCurve,
    curve_data,
    evaluate_levels,
    failures,
    mean_of_known,
    n_unknown,
    own_seconds,
    plain_tables,
    prepare_curve,
    split_parts,
)
from bestofk.curves.extrapolation import (
    Extrapolation,
    PredictedLead,
    check_rows,
    extrapolate_losses,
    predicted_lead,
)
from bestofk.evaluation import Evaluation, EvaluationCache, EvaluationRequest
from bestofk.learners import resolve_learners
from bestofk.measures.ties import tied_values
from bestofk.measures.words import is_share, score_in_words, short_title, value_cell, value_title
from bestofk.options import with_options
from bestofk.randomness import derive_rng
from bestofk.report import plots
from bestofk.report.formats.text import to_text
from bestofk.report.parts import Row, Sections, Table
from bestofk.resampling.partial_training import PrefixPlan, curve_sizes, prefix_orders
from bestofk.words import interval_in_words, listing, number, seconds, times

_N_RESAMPLES: Final = 1000
_CENTRAL: Final = 0.9  # of the resampled sizes, between `low` and `high`


@dataclass(frozen=True, eq=False, repr=False)
class LearningCurves(LearnersCurve):
    """Scores of K learners trained on nested parts of the training rows.

    Attributes
    ----------
    train_values : ndarray of shape (n_sizes, n_learners, n_splits)
        On the rows that trained, as `test_values` on the rows left out; nan where a run failed.
    train_seconds, predict_seconds : ndarray of shape (n_sizes, n_learners, n_splits)
        For fitting, and for predicting the rows of both.
    test_seconds : ndarray of shape (n_sizes, n_learners)
        For predicting the test rows of the first split alone; nan where that was not asked for.
    model_bytes : ndarray of shape (n_sizes, n_learners)
        Size of the pickled model of the first split; nan if it cannot be pickled.
    complexity : ndarray of shape (n_sizes, n_learners)
        How large that model is, as `bestofk.learners.model_complexity` counts it; nan where it
        does not, or where its run failed.
    complexity_unit : ndarray of shape (n_sizes, n_learners), str
        Of what: nodes, parameters or rows kept; empty where there is no count.
    random_state : int
        What resampling is derived from.
    """

    _kind: ClassVar[str] = "learning curves of"
    level_name: ClassVar[str] = "n_train"
    train_values: Floats
    train_seconds: Floats
    predict_seconds: Floats
    test_seconds: Floats
    model_bytes: Floats
    complexity: Floats
    complexity_unit: NDArray[np.str_]
    random_state: int

    @property
    def sizes(self) -> Ints:
        """Training rows, ascending, shape (n_sizes,)."""
        return np.array(self.levels)

    @property
    def n_splits(self) -> int:
        """Splits of every size."""
        return int(self.test_values.shape[2])

    def sections(self, n_train: int | None = None) -> Sections:
        """Return the report, looking ahead to `n_train` rows."""
        heads = [f"{size:,}" for size in self.sizes]

        def where(levels: Sequence[int]) -> str:
            return f"with {texts.span(levels, self.levels, '{:,}'.format)} rows"

        return texts.curve_sections(
            self,
            answer=(_pick(self), texts.others_at(self, -1, where), _ahead(self, n_train)),
            tables=[texts.level_table(self, "rows", heads, -1), *_times(self, heads)],
            details=[
                f"{texts.subject(self)} on rows left out, by the number of training rows; mean of "
                f"{times(self.n_splits, 'split')}.",
                texts.pair_tests_in_words(self, "sizes"), texts.error_in_words(self),
                _crossings(self), _fit(self), _growth(self), _expected(self, n_train),
            ],
        )  # fmt: skip

    def text(self, n_train: int | None = None) -> str:
        """Return the whole report; its third line looks ahead to `n_train` rows."""
        return to_text(self.sections(n_train))

    def display(self, n_train: int | None = None) -> plots.Display:
        """Return the picture, not yet drawn; with what is expected with `n_train` rows."""
        return plots.LearningCurveDisplay.from_curves(self, n_train=n_train)

    def to_dict(self, n_train: int | None = None) -> dict[str, Any]:
        """Return all numbers as plain values, with what is expected with `n_train` rows."""
        tables = plain_tables(
            scores=self.to_frame(), tests=self.pairs(), changes=self.crossings(),
            extrapolation=self.extrapolate(n_train),
        )  # fmt: skip
        return {
            "answer": list(self.sections(n_train).answer),
            "data": self.data_name, "measure": self.measure.name,
            "test": self.test, "alpha": self.alpha,
            "n_splits": self.n_splits, **tables, "notes": list(self.notes),
        }  # fmt: skip

    def to_frame(self) -> pd.DataFrame:
        """Return one row per learner and size.

        Columns: learner, n_train, test and train (means of the measure), test_error (standard
        error of the mean, as `error` gives it), train_seconds, predict_seconds (means),
        test_seconds (of the first split; nan unless asked for), model_bytes, complexity and
        complexity_unit (of the model of the first split), n_failed.
        """
        n_sizes, n_learners, _ = self.test_values.shape
        units = [str(unit) or None for unit in self.complexity_unit.T.ravel()]
        return pd.DataFrame(
            {
                "learner": np.repeat(self.learners, n_sizes).tolist(),
                "n_train": np.tile(self.sizes, n_learners),
                "test": self.by_learner(self.test_values, mean_of_known),
                "test_error": self.by_learner(self.test_values, self.error),
                "train": self.by_learner(self.train_values, mean_of_known),
                "train_seconds": self.by_learner(self.train_seconds, mean_of_known),
                "predict_seconds": self.by_learner(self.predict_seconds, mean_of_known),
                "test_seconds": self.test_seconds.T.ravel(),
                "model_bytes": self.model_bytes.T.ravel(),
                "complexity": self.complexity.T.ravel(),
                "complexity_unit": pd.Series(units, dtype=object),
                "n_failed": self.by_learner(self.test_values, n_unknown),
            }
        )

    def crossings(self) -> pd.DataFrame:
        """Return the pairs whose order at the largest size is not that of all sizes.

        Columns: better_before, better_after, n_train (where the mean difference changes its
        sign for the last time, interpolated between sizes on a logarithmic axis), low and
        high (the middle 90 % of that in 1,000 resamples of the repeats), share (of resamples
        in which the order changes to this one at all).

        The interval is about other divisions of these rows, not about other rows; it is nan
        with one repeat. Baselines are left out.
        """
        columns = ["better_before", "better_after", "n_train", "low", "high", "share"]
        rows = []
        candidates = [k for k, out in enumerate(self.is_baseline) if not out]
        for i, j in combinations(candidates, 2):
            of_repeats = self._differences(i, j)
            size = last_change(of_repeats.mean(axis=1), self.sizes)
            if np.isnan(size):
                continue
            ends_better = of_repeats[-1].mean() < 0  # the first of the two
            after, before = (i, j) if ends_better else (j, i)
            low, high, share = self._resampled_change(of_repeats, (i, j))
            rows.append((self.learners[before], self.learners[after], size, low, high, share))
        return pd.DataFrame(rows, columns=columns)

    def extrapolate(self, n_train: int | None = None) -> pd.DataFrame:
        """Return what is expected of every learner with more rows than were measured.

        Columns: learner, n_train, test (in the units of the measure), low and high (its
        interval at level 0.8), reason (why there is no prediction; then the numbers are nan).

        Parameters
        ----------
        n_train : int or None, default=None
            Rows, up to twice the largest size, which is the default.

        Raises
        ------
        InvalidArgumentError
            If it is no whole number above the largest size, at most twice as large.

        See Also
        --------
        bestofk.curves.extrapolation.extrapolate_losses : How, and when it is refused.
        """
        rows = [
            (ahead.learner, ahead.n_train, *self.in_units(ahead), ahead.reason)
            for ahead in self.extrapolations(n_train, range(len(self.learners)))
        ]
        columns = ["learner", "n_train", "test", "low", "high", "reason"]
        return pd.DataFrame(rows, columns=columns)

    def in_units(self, ahead: Extrapolation) -> tuple[float, float, float]:
        """Return an expected loss and its interval in the units of the measure."""
        expected, *ends = self.measure.loss(np.array([ahead.loss, ahead.low, ahead.high])).tolist()
        return expected, min(ends), max(ends)

    def leaders(self) -> list[int]:
        """Return the indices of the two best candidates at the largest size, best first."""
        losses = self.candidate_losses()[-1]
        order = np.argsort(tied_values(losses), kind="stable")
        return [int(k) for k in order[:2] if not np.isnan(losses[k])]

    def extrapolations(
        self, n_train: int | None = None, indices: Sequence[int] | None = None
    ) -> list[Extrapolation]:
        """Return the expected losses with more rows: of some learners, or of the `leaders`."""
        rows = check_rows(n_train, int(self.sizes[-1]))
        measure = self.measure
        best, worst = sorted(measure.loss(np.array([measure.minimum, measure.maximum])).tolist())
        losses = measure.loss(self.test_values)
        return [
            extrapolate_losses(
                self.learners[k], self.sizes, losses[:, k], rows, best=best, worst=worst,
                random_state=self.random_state,
            )
            for k in (self.leaders() if indices is None else indices)
        ]  # fmt: skip

    def predicted_lead(self, n_train: int | None = None) -> PredictedLead | None:
        """Return which of the two best candidates leads with more rows; None without two.

        Parameters
        ----------
        n_train : int or None, default=None
            Rows, as for `extrapolate`.
        """
        expected = self.extrapolations(n_train)
        return predicted_lead(*expected) if len(expected) == 2 else None

    def _differences(self, first: int, second: int) -> Floats:
        """Return the mean difference of losses of each repeat, shape (n_sizes, n_repeats)."""
        losses = self.measure.loss(self.test_values)
        differences = losses[:, first] - losses[:, second]
        return np.asarray(differences.reshape(len(self.levels), self.n_repeats, -1).mean(axis=2))

    def _resampled_change(
        self, of_repeats: Floats, pair: tuple[int, int]
    ) -> tuple[float, float, float]:
        n_repeats = of_repeats.shape[1]
        if n_repeats < 2:
            return float("nan"), float("nan"), float("nan")
        names = (self.learners[item] for item in pair)
        rng = derive_rng(self.random_state, "crossing", *names)
        drawn = rng.integers(n_repeats, size=(_N_RESAMPLES, n_repeats))
        means = of_repeats[:, drawn].mean(axis=2).T
        ends_alike = (means[:, -1] < 0) == (of_repeats[-1].mean() < 0)
        changes = np.array([last_change(mean, self.sizes) for mean in means])
        result = changes[ends_alike & ~np.isnan(changes)]
        if not len(result):
            return float("nan"), float("nan"), 0.0
        tail = (1 - _CENTRAL) / 2
        low, high = np.quantile(result, [tail, 1 - tail])
        return float(low), float(high), len(result) / _N_RESAMPLES


def last_change(differences: Sequence[float] | Floats, sizes: Ints) -> float:
    """Return the size at which a difference changes its sign for the last time; nan if never.

    Interpolated on the logarithm of size. A difference of 0 has the sign of the next that has
    one.

    Examples
    --------
    >>> round(last_change([-1.0, -1.0, 1.0], np.array([10, 100, 10_000])))
    1000
    """
    values = np.asarray(differences, dtype=float)
    known = np.flatnonzero(~np.isnan(values) & (values != 0))
    changes = np.flatnonzero(np.diff(np.sign(values[known])) != 0)
    if not len(changes):
        return float("nan")
    before, after = known[changes[-1]], known[changes[-1] + 1]
    share = values[before] / (values[before] - values[after])
    logs = np.log(sizes[[before, after]].astype(float))
    return float(np.exp(logs[0] + share * (logs[1] - logs[0])))


class _Arguments(CurveArguments, total=False):
    test: str
    target_transform: str | None
    batched: str


@with_options(_Arguments, OPTIONS, cv="10x3", test=TEST)
def learning_curve(
    learners: Any,
    X: Any,
    y: Any = None,
    *,
    train_sizes: Any = 8,
    schedule: str = "geometric",
    test_seconds: bool = False,
    **options: Unpack[_Arguments],
) -> LearningCurves:
    """Train learners on growing parts of the training rows of each split, and test every pair.

    Parameters
    ----------
    learners : list, dict, str or estimator
        As for `bestofk.compare`.
    X, y
        The data set, as for `bestofk.compare`.
    train_sizes : int or sequence of int or float, default=8
        How many sizes, up to all training rows, or the sizes: whole numbers of rows or shares
        in (0, 1] of the training rows of the smallest split, ascending.
    schedule : {"geometric", "arithmetic"}, default="geometric"
        How the sizes are spaced.
    test_seconds : bool, default=False
        Whether to time how long predicting the test rows alone takes: one more fit per learner
        and size, on the first split. `predict_seconds` are of test and training rows together.
    cv, stratify
        The splits, as for `bestofk.compare`, but for "adaptive". Each size trains on the first
        rows of the same random order of the training rows, so that parts are nested; with
        `stratify` every part has the shares of the classes.
    scoring, pos_label, cost_matrix
        What is measured, as for `bestofk.compare`; the first where there are several.
    test : str, default="corrected-t"
        Test of every pair: "corrected-t", "paired-t" (one repeat of folds, as in textbooks),
        "5x2cv-t" (with cv="5x2"), "calibrated-t" or "sorted-runs-t" (with cv="10x10").
    alpha : float, default=0.05
        Level of the tests of all pairs at all sizes together.
    **options
        As for `bestofk.compare`.

    Returns
    -------
    LearningCurves
        Scores of test and training rows by size, tests, and where orders change.

    Raises
    ------
    InvalidArgumentError
        If an argument breaks its rule, or the data cannot be compared on.
    DesignError
        If the plan cannot carry the test.

    Notes
    -----
    A learner is fitted once per size and split; it predicts the test rows and the rows that
    trained it.

    Examples
    --------
    >>> from bestofk import learning_curve
    >>> curves = learning_curve(["nearest-mean", "1nn"], "iris", train_sizes=[10, 30, 90], cv="2x3")
    >>> curves.to_frame().query("learner == '1nn'")["test"].round(3).tolist()
    [0.12, 0.083, 0.05]
    """
    data = curve_data(X, y, options)
    prepared = prepare_curve(resolve_learners(learners, data.task), data, options)
    request, measure = prepared.request, prepared.measures[0]
    sizes = curve_sizes(
        train_sizes, int(request.plan.sizes[0].min()), n_classes=len(data.classes),
        schedule=schedule,
    ).tolist()  # fmt: skip
    shared, orders = EvaluationCache(), prefix_orders(data, request.plan)
    plans = [PrefixPlan.of(request.plan, orders, size) for size in sizes]

    def requests() -> Iterator[tuple[str, EvaluationRequest]]:
        of_all = replace(request, measures=(), shared=shared)
        for plan in plans:
            rows = times(plan.size, "row")
            yield f"with {rows}", replace(of_all, plan=plan, title=rows)
        for plan in plans if test_seconds else ():
            rows, alone = times(plan.size, "row"), plan.first_hold_out
            titled = replace(of_all, plan=alone, title=f"{rows}, test rows timed")
            yield f"while timing with {rows}", replace(titled, batched="never")

    def measured(evaluation: Evaluation, where: str) -> tuple[dict[str, Any], list[str]]:
        """Return what is kept of the runs of one size."""
        if not isinstance(evaluation.plan, PrefixPlan):
            return {"test_seconds": own_seconds(evaluation, "predict_cpu_seconds")[:, 0]}, []
        plan = evaluation.plan
        parts = list(zip(plan.base.test_rows, plan.train_rows, strict=True))
        test, train = (part.measured(measure).values for part in split_parts(evaluation, parts))
        of_size = f" of {times(plan.size, 'row')}"
        notes = [*failures(evaluation, where), *crowded_seconds(evaluation)]
        notes += untrained_warnings(data, plan, of_size)
        return {
            "test_values": test,
            "train_values": train,
            "train_seconds": own_seconds(evaluation, "train_cpu_seconds"),
            "predict_seconds": own_seconds(evaluation, "predict_cpu_seconds"),
            "model_bytes": evaluation.size_bytes,
            "complexity": evaluation.complexity,
            "complexity_unit": evaluation.complexity_units,
        }, notes

    kept, facts = evaluate_levels(prepared, requests(), options, measured)
    timed = [part["test_seconds"] for part in kept[len(sizes) :]]
    kept = kept[: len(sizes)]
    facts |= {name: np.array([of_size[name] for of_size in kept]) for name in kept[0]}
    untimed = [np.full(len(request.learners), np.nan)] * (len(kept) - len(timed))
    return LearningCurves(
        **facts,
        learners=tuple(learner.name for learner in request.learners),
        is_baseline=tuple(learner.is_baseline for learner in request.learners),
        test=prepared.settings.test,
        levels=tuple(sizes[: len(kept)]),
        test_seconds=np.array([*timed, *untimed]),
        random_state=request.random_state,
    )


_MOST_NAMED: Final = 6  # models that grow, named one by one


def _times(curves: LearningCurves, heads: Sequence[str]) -> list[Table]:
    """Return the table of seconds to train and to test; none where tests were not timed."""
    if np.isnan(curves.test_seconds).all():
        return []
    frame = curves.to_frame().set_index("learner")
    rows = [
        Row(
            name, "",
            tuple(f"{seconds(row.train_seconds)} / {seconds(row.test_seconds)}"
                  for row in frame.loc[[name]].itertuples()),
        )
        for name in curves.learners
    ]  # fmt: skip
    foot = "Mean time to train / time to predict the test rows of the first split."
    return [Table(["rows", *heads], rows, foot)]


def _pick(curves: LearningCurves) -> str:
    at = texts.standing(curves, -1)
    if at is None:
        return f"No learner has a score in every run with {curves.sizes[-1]:,} training rows."
    names = [curves.learners[k] for k in at.leaders]
    value = score_in_words(curves.measure, at.value)
    return f"Use {listing(names, 'or')}: {value} with {curves.sizes[-1]:,} training rows."


def _crossings(curves: LearningCurves) -> str:
    """Return from how many rows on the pick has the better mean; only with an interval."""
    at = texts.standing(curves, -1)
    if at is None:
        return ""
    best = curves.learners[at.leaders[0]]
    crossings = curves.crossings().query("better_after == @best").dropna(subset="low")
    said = [
        f"{row.better_before} at about {row.n_train:,.0f} rows "
        f"({_drawn_rows(row.low)}-{_drawn_rows(row.high)})"
        for row in crossings.sort_values("n_train").itertuples()
    ]
    if not said:
        return ""
    return (
        f"By the means {best} overtakes {listing(said)}. In brackets: the middle 90% over "
        "resampled repeats of these rows."
    )


def _drawn_rows(n_rows: float) -> str:
    """Return a quantile of resampled repeats, which is known to two digits."""
    return f"{float(f'{n_rows:.2g}'):,.0f}"


def _fit(curves: LearningCurves) -> str:
    """Return the learner that fits its training rows far better than others at the largest size."""
    last = curves.to_frame().query("n_train == @curves.sizes[-1]").set_index("learner")
    last = last[(last["n_failed"] == 0) & ~np.array(curves.is_baseline)]
    if not len(last):
        return ""
    losses = curves.measure.loss(last[["train", "test"]].to_numpy())
    gaps = losses[:, 1] - losses[:, 0]
    if not gaps.max() > 0:
        return ""
    name = last.index[int(np.argmax(gaps))]
    item, measure = last.loc[name], curves.measure
    return (
        f"Largest gap between training rows and rows left out: {name}, "
        f"{value_cell(measure, item['train'])} against {value_cell(measure, item['test'])} with "
        f"{curves.sizes[-1]:,} rows."
    )


def _growth(curves: LearningCurves) -> str:
    """Return the learners whose models change their size with the rows."""
    few, many = curves.complexity[0], curves.complexity[-1]
    is_named = ~np.isnan(few) & ~np.isnan(many) & (few != many) & ~np.array(curves.is_baseline)
    is_named &= curves.complexity_unit[0] == curves.complexity_unit[-1]
    is_named &= (few != curves.sizes[0]) | (many != curves.sizes[-1])  # learners that keep all rows
    indices = np.flatnonzero(is_named)
    if not len(indices):
        return ""
    ratios = np.maximum(many[indices], 1) / np.maximum(few[indices], 1)
    named = indices[np.argsort(-np.abs(np.log(ratios)), kind="stable")][:_MOST_NAMED]
    most = ", largest changes" if len(named) < len(indices) else ""
    said = [
        f"{curves.learners[k]} from {few[k]:,.0f} to {many[k]:,.0f} {curves.complexity_unit[-1, k]}"
        for k in named
    ]
    return f"Size of the first split's model, fewest to most rows{most}: {listing(said)}."


# -- more rows than were measured --------------------------------------------------------


def _ahead(curves: LearningCurves, n_train: int | None) -> str:
    """Return which of the two best candidates leads with more rows, or why that is not said."""
    expected = curves.extrapolations(n_train)
    if not expected:
        return "No forecast: no learner can be picked."
    rows = f"{expected[0].n_train:,} rows"
    refused = [item for item in expected if item.is_refused]
    if refused and len({item.reason for item in refused}) == 1 and len(refused) == len(expected):
        return f"No forecast for {rows}: {refused[0].reason}."
    if refused:
        return " ".join(
            f"No forecast for {item.learner}: {item.reason}."
            if item.is_refused
            else f"With {rows} expect {_interval(curves, item)} for {item.learner} (80% interval)."
            for item in sorted(expected, key=lambda item: item.is_refused)
        )
    if len(expected) < 2:
        return f"With {rows} expect {_interval(curves, expected[0])} (80% interval)."
    lead = predicted_lead(*expected)
    first, second = sorted(expected, key=lambda item: item.learner != lead.leader)
    said = f"{_interval(curves, first)} against {_interval(curves, second)} (80% intervals)"
    if not lead.is_sure:
        names = f"{first.learner} and {second.learner}"
        return f"With {rows} can't tell which of {names} is better: expect {said}."
    still = "still " if lead.leader == lead.first else ""
    ranks = f"{first.learner} should {still}be better than {second.learner}"
    return f"With {rows} {ranks}: expect {said}."


def _interval(curves: LearningCurves, item: Any) -> str:
    _, low, high = curves.in_units(item)
    if is_share(curves.measure):
        return f"{interval_in_words(low, high)} {value_title(curves.measure)}"
    return f"{short_title(curves.measure)} {number(low, 3)} to {number(high, 3)}"


def _expected(curves: LearningCurves, n_train: int | None) -> str:
    expected = [item for item in curves.extrapolations(n_train) if not item.is_refused]
    if not expected:
        return ""
    said = [
        f"{value_cell(curves.measure, curves.in_units(item)[0])} for {item.learner}"
        for item in expected
    ]
    double = ", twice the largest size" if expected[0].n_train == 2 * curves.sizes[-1] else ""
    return f"Expected mean with {expected[0].n_train:,} rows{double}: {listing(said)}."
