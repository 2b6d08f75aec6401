"""Trials: every setting trained on some parts of a table, by shared work where there is any."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

import numpy as np
from sklearn.base import clone

from bestofk.array_types import Floats, Values
from bestofk.learners.entry import entry_of_class
from bestofk.scikit_internals import are_valid
from bestofk.tuning.paths.catalogue import SETTING_PATHS
from bestofk.tuning.paths.setting_path import SettingPath, SettingPredictions, spread
from bestofk.tuning.settings import fresh_setting
from bestofk.tuning.training_parts import Rows, TrainingParts


def path_of(parts: TrainingParts, settings: Sequence[Mapping[str, Any]]) -> SettingPath | None:
    """Return the shared computation of some settings; None where there is none.

    Parameters
    ----------
    parts : TrainingParts
        The learner and its table.
    settings : sequence of mapping
        Full names of parameters.
    """
    path = entry_of_class(SETTING_PATHS, type(parts.learner))
    own = parts.own(settings)
    if path is None or own is None or not are_valid(parts.learner, own):
        return None  # the plain way drops what scikit-learn refuses
    return path(parts.learner, own) if path.supports(parts, own) else None


def try_settings(
    parts: TrainingParts,
    settings: Sequence[Mapping[str, Any]],
    train_rows: Sequence[Rows],
    asked_rows: Sequence[Rows],
    *,
    path: SettingPath | None,
    weight: Floats | None = None,
) -> Iterator[SettingPredictions]:
    """Yield what every setting predicts, part after part.

    Parameters
    ----------
    parts : TrainingParts
        The learner and its table.
    settings : sequence of mapping
        Full names of parameters.
    train_rows, asked_rows : sequence of ndarray of int
        Of each part; training rows ascending.
    path : SettingPath or None
        What `path_of` returned; None to train every model plainly.
    weight : ndarray of shape (n_samples,), optional
        Weights of the rows, without a path.
    """
    if path is None:
        for rows, asked in zip(train_rows, asked_rows, strict=True):
            yield _plain(parts, settings, rows, asked, weight)
        return
    shared = path.predict_parts(parts, train_rows, asked_rows)
    for rows, asked, predictions in zip(train_rows, asked_rows, shared, strict=True):
        yield _plain(parts, settings, rows, asked, None) if predictions is None else predictions


def _plain(
    parts: TrainingParts,
    settings: Sequence[Mapping[str, Any]],
    rows: Rows,
    asked: Rows,
    weight: Floats | None,
) -> SettingPredictions:
    """Return what every setting predicts, each trained by itself on rows prepared once."""
    own = parts.own(settings)
    estimator, front = (parts.pipeline, []) if own is None else (parts.learner, parts.front)
    prepared: tuple[Any, Any] | None = None
    n_asked, n_classes = len(asked), parts.n_classes
    labels = np.zeros((len(settings), n_asked), np.int64 if n_classes else np.float64)
    probabilities, decision = np.zeros((2, len(settings), n_asked, n_classes))
    failures: dict[int, str] = {}
    kinds = set()
    for index, setting in enumerate(settings if own is None else own):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                prepared = prepared or parts.prepared_by(front, rows, asked)
                X, others = deepcopy(prepared)  # a learner may write there
                own_weight = None if weight is None else weight[rows]
                fitted = _fitted(estimator, setting, X, parts.target[rows], own_weight)
            labels[index], kind, scores = _predicted(fitted, parts, others)
        except Exception as error:
            failures[index] = f"{type(error).__name__}: {error}"
            continue
        kinds.add(kind)
        if scores is not None:
            (probabilities if kind == "probabilities" else decision)[index] = scores
    if kinds == {"probabilities", "decision"}:  # probabilities decide, too
        decision += probabilities
    if n_classes == 2:
        decision = decision[..., 1] - decision[..., 0]
    return SettingPredictions(
        labels,
        probabilities if kinds == {"probabilities"} else None,
        decision if "decision" in kinds and "labels" not in kinds else None,
        failures,
    )


def _fitted(
    estimator: Any, setting: Mapping[str, Any], X: Any, target: Values, weight: Floats | None
) -> Any:
    from bestofk.learners.learner import weight_parameter

    fitted = clone(estimator, safe=False).set_params(**fresh_setting(setting))
    name = weight_parameter(fitted) if weight is not None else None
    return fitted.fit(X, target, **({} if name is None else {name: weight}))


def _predicted(fitted: Any, parts: TrainingParts, X: Any) -> tuple[Values, str, Floats | None]:
    """Return labels, and scores of all classes with what they are."""
    labels = np.asarray(fitted.predict(X))
    if not parts.n_classes:
        values = labels.astype(np.float64)
        if not np.isfinite(values).all():
            raise ValueError("predictions are not finite")
        return values, "labels", None
    codes = np.searchsorted(parts.classes, labels)
    known = np.searchsorted(parts.classes, getattr(fitted, "classes_", parts.classes))
    if hasattr(fitted, "predict_proba"):
        shares = spread(np.asarray(fitted.predict_proba(X)), known, parts.n_classes, 0.0)
        return codes, "probabilities", shares
    if hasattr(fitted, "decision_function"):
        values = np.asarray(fitted.decision_function(X))
        if values.ndim == 1:
            values = np.column_stack([np.zeros(len(values)), values])
        if values.shape[1] != len(known):  # one column for each pair of classes
            return codes, "labels", None
        return codes, "decision", spread(values, known, parts.n_classes, -np.inf)
    return codes, "labels", None
