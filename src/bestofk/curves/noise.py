"""Noise curves: scores under noise in the training rows or in all rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar, Final, Unpack

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from bestofk.array_types import Floats
from bestofk.checks import check_known
from bestofk.comparison.options import OPTIONS, CurveArguments
from bestofk.curves import texts
from bestofk.curves.curve import (
    TEST,
    LearnersCurve,
    curve_data,
    evaluate_levels,
    failures,
    mean_of_known,
    n_unknown,
    plain_tables,
    prepare_curve,
    without_value,
)
from bestofk.data import DataSet
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation import Evaluation, EvaluationRequest
from bestofk.learners import Learner, resolve_learners
from bestofk.learners.noisy_training import (
    CLASS_KINDS,
    NoisyTraining,
    check_noise_fraction,
    check_noise_kind,
    with_noise,
)
from bestofk.measures.ties import tied_values
from bestofk.measures.words import score_in_words, short_title, value_cell
from bestofk.options import with_options
from bestofk.randomness import derive_seed
from bestofk.report import plots
from bestofk.report.parts import Sections
from bestofk.words import listing, percent, times


@dataclass(frozen=True, eq=False, repr=False)
class NoiseCurves(LearnersCurve):
    """Scores of K learners under growing noise.

    Attributes
    ----------
    test_values : ndarray of shape (n_fractions, n_learners, n_splits)
        On the test rows as they were: clean, or with `noisy` "both" noisy; nan where a run
        failed.
    kind : {"class", "random-class", "feature", "missing"}
        What is wrong in noisy rows.
    noisy : {"train", "both"}, default="train"
        Whether test rows were noisy too.
    """

    _kind: ClassVar[str] = "noise curves of"
    level_name: ClassVar[str] = "fraction"
    kind: str
    noisy: str = "train"

    @property
    def fractions(self) -> tuple[float, ...]:
        """Shares of noise, ascending."""
        return self.levels

    @property
    def values(self) -> Floats:
        """Scores on the test rows, as `test_values`."""
        return self.test_values

    def to_frame(self) -> pd.DataFrame:
        """Return one row per learner and fraction.

        Columns: learner, fraction, score (mean of the measure), score_error (standard error
        of that mean, as `error` gives it, about other divisions of these rows, not about
        other rows), n_failed (runs without a value). A mean is over the runs that have one.
        """
        return pd.DataFrame(
            {
                "learner": np.repeat(self.learners, len(self.levels)).tolist(),
                "fraction": np.tile(self.levels, len(self.learners)),
                "score": self.by_learner(self.test_values, mean_of_known),
                "score_error": self.by_learner(self.test_values, self.error),
                "n_failed": self.by_learner(self.test_values, n_unknown),
            }
        )

    @property
    def has_resistance(self) -> bool:
        """Return whether there are scores without noise and with some."""
        return self.levels[0] == 0 and len(self.levels) > 1

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers as plain values, as the command line prints them with --json."""
        tables = {"scores": self.to_frame(), "tests": self.pairs()}
        if self.has_resistance:
            tables["resistance"] = self.resistance()
        return {
            "answer": list(self.answer),
            "data": self.data_name, "kind": self.kind, "noisy": self.noisy,
            "measure": self.measure.name, "test": self.test, "alpha": self.alpha,
            **plain_tables(**tables), "notes": list(self.notes),
        }  # fmt: skip

    def display(self) -> plots.Display:
        """Return the picture, not yet drawn."""
        return plots.NoiseCurveDisplay.from_curves(self)

    def relative_losses(self) -> Floats:
        """Return how much of its score without noise each learner loses, by fraction.

        (S_0 - S_f) / S_0 with mean scores S, of which more is better: the relative loss of
        accuracy [1]_ where the measure is accuracy or error. Other measures of which less is
        better count from their maximum, as error does; where there is none it is the growth
        (L_f - L_0) / L_0 of the mean loss.

        Returns
        -------
        ndarray of shape (n_fractions, n_learners)
            0 without noise; negative where noise helped; nan where a run failed, or where
            the score without noise is not above 0.

        Raises
        ------
        InvalidArgumentError
            If 0 is not one of the fractions.

        References
        ----------
        .. [1] Saez, Luengo & Herrera (2011), Fuzzy rule based classification systems versus
           crisp robust learners trained in presence of class noise's effects: a case of
           study, 11th International Conference on Intelligent Systems Design and
           Applications.
        """
        if self.levels[0] != 0:
            raise InvalidArgumentError(
                f"fractions must start with 0 where losses are relative; got "
                f"{self.levels[0]:g} first. Add 0, the score without noise."
            )
        means, grows = self.means(), self.is_growth
        if not self.measure.greater_is_better and not grows:
            means = self.measure.maximum - means
        without = np.where(means[0] > 0, means[0], np.nan)
        return np.asarray((means - without if grows else without - means) / without)

    @property
    def is_growth(self) -> bool:
        """Return whether relative losses are growths of a loss that has no maximum."""
        return not self.measure.greater_is_better and not np.isfinite(self.measure.maximum)

    def resistance(self) -> pd.DataFrame:
        """Return the learners by how little they lose to noise, most resistant first.

        Columns: rank (ties share the mean rank), learner, relative_loss (mean of
        `relative_losses` over the fractions above 0), largest_loss (the largest of them).
        Baselines are left out: they have nothing to lose. A learner without a value
        comes last, without a rank.

        Raises
        ------
        InvalidArgumentError
            If 0 is not one of the fractions, or it is the only one.
        """
        losses = self.relative_losses()[1:, ~np.array(self.is_baseline)]
        if not len(losses):
            raise InvalidArgumentError(
                "fractions must include one above 0 for resistance; got 0 alone. Add 0.1."
            )
        names = [n for n, out in zip(self.learners, self.is_baseline, strict=True) if not out]
        mean = losses.mean(axis=0)
        table = {
            "rank": rankdata(tied_values(mean), nan_policy="omit"),
            "learner": names,
            "relative_loss": mean,
            "largest_loss": losses.max(axis=0),
        }
        return pd.DataFrame(table).sort_values("rank", kind="stable", ignore_index=True)

    def sections(self) -> Sections:
        """Return the report: answer, table, details and caveats."""
        index = _decided(self)
        heads = [_share(fraction) for fraction in self.levels]

        def where(levels: Sequence[float]) -> str:
            return f"at {texts.span(levels, self.levels, _share)} noise"

        return texts.curve_sections(
            self,
            answer=(_pick(self, index), texts.others_at(self, index, where), _NO_CLAIM),
            tables=[texts.level_table(self, "noise", heads, index)],
            details=[
                f"{texts.subject(self)} by the share of noise; mean of "
                f"{times(self.test_values.shape[2], 'split')}.",
                _noise(self),
                texts.pair_tests_in_words(self, "shares"),
                texts.error_in_words(self),
                _resistance(self),
            ],
        )


TRAIN, BOTH = "train", "both"


class _Arguments(CurveArguments, total=False):
    test: str


@with_options(_Arguments, OPTIONS, cv="10x3", test=TEST)
def noise_curve(
    learners: Any,
    X: Any,
    y: Any = None,
    *,
    kind: str = "class",
    noisy: str = "train",
    fractions: Sequence[float] = (0.0, 0.1, 0.2, 0.3, 0.4),
    **options: Unpack[_Arguments],
) -> NoiseCurves:
    """Train learners on noisy rows, test them on clean or noisy rows, and compare them.

    Parameters
    ----------
    learners : list, dict, str, estimator or None
        As for `bestofk.compare`.
    X, y
        The data set, as for `bestofk.compare`.
    kind : {"class", "random-class", "feature", "missing"}, default="class"
        What is wrong in noisy rows: another class, a class drawn from all, which may be its own,
        values, or values that are missing; see
        `bestofk.learners.noisy_training.NoisyTraining`.
    noisy : {"train", "both"}, default="train"
        Which parts of a split get noise. "train": test rows stay as they came. "both":
        test rows too, as they will be where the learner is used: it predicts from noisy or
        missing values, and with noise of classes the score is its agreement with classes that
        are partly wrong, which no learner can exceed.
    fractions : sequence of float in [0, 1), default=(0, 0.1, 0.2, 0.3, 0.4)
        Shares of noise, ascending.
    cv, stratify
        The splits, as for `bestofk.compare`, but for "adaptive". They are the same at every
        fraction.
    scoring, pos_label, cost_matrix
        What is measured, as for `bestofk.compare`; the first where there are several.
    test : str, default="corrected-t"
        Test of every pair: "corrected-t", "paired-t" (one repeat of folds, as in textbooks),
        "5x2cv-t" (with cv="5x2"), "calibrated-t" or "sorted-runs-t" (with cv="10x10").
    alpha : float, default=0.05
        Level of the tests of all pairs at all fractions together.
    **options
        As for `bestofk.compare`.

    Returns
    -------
    NoiseCurves
        Scores by fraction, a ranking by resistance, and tests.

    Raises
    ------
    InvalidArgumentError
        If an argument breaks its rule, or the data cannot be compared on.
    DesignError
        If the plan cannot carry the test.

    Notes
    -----
    On a split all learners get the same noisy rows, and a larger fraction adds to the noise
    of a smaller one.  Without noise learners run as in `bestofk.compare`, so that a store
    serves both.

    With "train" noise is drawn anew for every training part, at exactly the fraction. With "both"
    it is drawn once for the whole data set at each fraction, and a noisy row is noisy wherever it
    is used. A training or test part then holds about the fraction, and repeats differ only by their
    splits. The splits are made from the clean classes.

    Examples
    --------
    >>> from bestofk.curves.noise import noise_curve
    >>> curves = noise_curve(["1nn", "5nn"], "iris", fractions=[0, 0.2], cv="2x3")
    >>> curves.resistance()["learner"].tolist()
    ['5nn', '1nn']
    """
    data = curve_data(X, y, options)
    if check_noise_kind(kind) in CLASS_KINDS and data.task == "regression":
        raise InvalidArgumentError(
            f"kind of noise must be 'feature' or 'missing' for regression; got {kind!r}. A numeric "
            "target has no other class."
        )
    check_known(noisy, "noisy", (TRAIN, BOTH), rule="'train' or 'both', which spoils test rows too")
    levels = _checked_fractions(fractions)
    prepared = prepare_curve(resolve_learners(learners, data.task), data, options)
    request, measure = prepared.request, prepared.measures[0]
    seed = derive_seed(request.random_state, "noise")
    if noisy == BOTH and kind in CLASS_KINDS:
        _check_classes_stay(data, levels, kind, seed)

    def requests() -> Iterator[tuple[str, EvaluationRequest]]:
        for level in levels:
            titled = replace(request, title=f"{100 * level:g}% noise")
            if noisy == TRAIN:
                spoiled = [_with_noise(learner, kind, level, seed) for learner in request.learners]
                yield f"at {titled.title}", replace(titled, learners=spoiled)
            else:
                yield (
                    f"at {titled.title}",
                    replace(titled, data=_noisy_copy(data, kind, level, seed)),
                )

    def measured(evaluation: Evaluation, where: str) -> tuple[Floats, list[str]]:
        scores = evaluation.measured(measure)
        return scores.values, [*failures(evaluation, where), *without_value(scores.reasons)]

    values, facts = evaluate_levels(prepared, requests(), options, measured)
    return NoiseCurves(
        **facts,
        learners=tuple(learner.name for learner in request.learners),
        is_baseline=tuple(learner.is_baseline for learner in request.learners),
        test=prepared.settings.test,
        kind=kind,
        noisy=noisy,
        levels=levels[: len(values)],
        test_values=np.array(values),
    )


def _checked_fractions(fractions: Any) -> tuple[float, ...]:
    is_list = hasattr(fractions, "__iter__") and not isinstance(fractions, str)
    levels = tuple(
        check_noise_fraction(fraction, "each of fractions")
        for fraction in (fractions if is_list else [])
    )
    if not levels or any(a >= b for a, b in pairwise(levels)):
        given = list(levels) if is_list else fractions
        raise InvalidArgumentError(
            f"fractions must be at least one number in [0, 1), ascending, none twice; got "
            f"{given!r}. Write (0, 0.1, 0.2)."
        )
    return levels


def _with_noise(learner: Learner, kind: str, fraction: float, seed: int) -> Learner:
    """Return the learner trained on noisy rows; without noise itself, whose runs may be known."""
    if fraction == 0:
        return learner
    noisy = NoisyTraining(learner.estimator, kind=kind, fraction=fraction, random_state=seed)
    return replace(learner, estimator=noisy)


def _noisy_copy(data: DataSet, kind: str, fraction: float, seed: int) -> DataSet:
    """Return the data set with noise in all its rows; without noise itself."""
    if fraction == 0:
        return data
    X, y, _ = with_noise(data.features, data.target, kind=kind, fraction=fraction, seed=seed)
    name = f"{data.name} with {100 * fraction:g} % {kind} noise"
    return replace(data, name=name, features=X, target=y)


def _check_classes_stay(data: DataSet, fractions: Sequence[float], kind: str, seed: int) -> None:
    """Refuse noise that leaves no row of a class, before anything is trained."""
    for fraction in fractions:
        left = _noisy_copy(data, kind, fraction, seed).classes
        if len(left) < len(data.classes):
            gone = next(label for label in data.classes.tolist() if label not in left)
            raise InvalidArgumentError(
                f"every class of {data.name} must keep a row under noise in all rows; got none of "
                f"class {str(gone)!r} at {100 * fraction:g}% noise. Merge it with another class, "
                "or take smaller fractions."
            )


_NOISE: Final = {
    "class": "of {rows} got another class",
    "random-class": "of {rows} got a class drawn from all, which may be their own",
    "feature": "of the values in every column of {rows} were replaced",
    "missing": "of the values in every column of {rows} were removed",
}
_TESTED_ON_CLEAN: Final = "Test rows stayed clean."
_TESTED_ON_NOISY: Final = {
    "class": "Scores are agreement with these partly wrong classes.",
    "random-class": "Scores are agreement with these partly wrong classes.",
    "feature": "Learners predicted from such values.",
    "missing": "Learners predicted with such gaps.",
}
_NO_CLAIM: Final = (
    "No claim about new data: this noise was drawn at random, and real errors have causes."
)


def _share(fraction: float) -> str:
    return f"{100 * fraction:g}%"


def _at(fraction: float) -> str:
    return "without noise" if fraction == 0 else f"at {_share(fraction)} noise"


def _decided(curve: NoiseCurves) -> int:
    """Return the index of the first share where a learner has a mean; 0 where there is none."""
    known = [f for f in range(len(curve.levels)) if texts.standing(curve, f) is not None]
    return known[0] if known else 0


def _pick(curve: NoiseCurves, index: int) -> str:
    at = texts.standing(curve, index)
    if at is None:
        return "No learner has a score in every run, so none is picked."
    names = [curve.learners[k] for k in at.leaders]
    value = score_in_words(curve.measure, at.value)
    text = f"Use {listing(names, 'or')}: {value} {_at(curve.levels[index])}"
    last = curve.means()[-1, at.leaders[0]]
    if index == len(curve.levels) - 1 or last != last:
        return f"{text}."
    return f"{text}, {value_cell(curve.measure, last)} {_at(curve.levels[-1])}."


def _noise(curve: NoiseCurves) -> str:
    is_both = curve.noisy == "both"
    struck = _NOISE[curve.kind].format(
        rows="all rows, for training and for testing," if is_both else "the training rows"
    )
    tested = _TESTED_ON_NOISY[curve.kind] if is_both else _TESTED_ON_CLEAN
    return f"{listing(map(_share, curve.levels))} {struck}. {tested}"


def _resistance(curve: NoiseCurves) -> str:
    """Return what every learner loses to noise on average, a figure and no conclusion."""
    if not curve.has_resistance:
        return ""
    ranked = curve.resistance().dropna(subset="rank")
    if not len(ranked):
        return ""
    title = short_title(curve.measure)
    if not curve.is_growth and not curve.measure.greater_is_better:
        title = "accuracy" if curve.measure.name == "error" else "score"
    what = f"Growth of the {title}" if curve.is_growth else f"Loss of {title}"
    said = [f"{row.learner} {percent(row.relative_loss)}%" for row in ranked.itertuples()]
    return f"{what} under noise, relative, mean over the shares: {listing(said)}."
