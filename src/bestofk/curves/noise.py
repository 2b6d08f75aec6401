"""Noise curves: losses under noise in the training rows or in all rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Unpack

import numpy as np

from bestofk.array_types import Floats
from bestofk.comparison.options import OPTIONS, CurveArguments
from bestofk.curves.curve import TEST
from bestofk.curves.levels import (
    curve_data,
    evaluate_levels,
    failures,
    prepare_curve,
    without_value,
)
from bestofk.curves.noise_curves import NoiseCurves
from bestofk.data import DataSet
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation import Evaluation, EvaluationRequest
from bestofk.learners import Learner, resolve_learners
from bestofk.learners.noisy_training import (
    CLASS_KINDS,
    check_noise_fraction,
    check_noise_kind,
    with_noise,
)
from bestofk.options import with_options
from bestofk.randomness import derive_seed

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
    """Train learners on noisy rows, test them on clean or noisy ones, and compare them.

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
        Of every pair: "corrected-t", "paired-t" (one repeat of folds, as the classroom has it),
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
    At a split all learners meet the same noisy rows, and a larger fraction adds to the noise
    of a smaller one.  Without noise learners run as in `bestofk.compare`, so that a store
    serves both.

    With "train" every training part is struck anew, exactly at the fraction.  With "both" the
    whole data set is, once for each fraction and exactly at it, and a noisy row is noisy
    wherever it is used; a training or test part holds about the fraction, and repeats differ
    by their splits alone.  The splits are made from the clean classes.

    Examples
    --------
    >>> from bestofk.curves.noise import noise_curve
    >>> curves = noise_curve(["1nn", "5nn"], "iris", fractions=[0, 0.2], cv="2x3")
    >>> curves.resistance()["learner"].tolist()
    ['5nn', '1nn']
    """
    data = curve_data(X, y, options)
    _check_kind(kind, data.task)
    _check_noisy(noisy)
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


def _check_kind(kind: Any, task: str) -> None:
    if check_noise_kind(kind) in CLASS_KINDS and task == "regression":
        raise InvalidArgumentError(
            f"kind of noise must be 'feature' or 'missing' for regression; got {kind!r}. Numbers "
            "to be predicted have no other class."
        )


def _check_noisy(noisy: Any) -> None:
    if noisy not in (TRAIN, BOTH):
        raise InvalidArgumentError(
            f"noisy must be 'train' or 'both'; got {noisy!r}. 'both' adds noise to rows that test "
            "too."
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
    from bestofk.learners.noisy_training import NoisyTraining

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
