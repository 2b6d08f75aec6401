"""Losses of settings in inner cross-validation, and the setting that a rule takes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from bestofk.array_types import Floats, Folds, Values
from bestofk.errors import InvalidArgumentError
from bestofk.measures import PredictionBatch, get_measure
from bestofk.measures.measure import CLASSIFICATION, REGRESSION, Measure
from bestofk.tuning.paths.setting_path import SettingPath, SettingPredictions
from bestofk.tuning.training_parts import Rows, TrainingParts
from bestofk.tuning.trial import try_settings

# Numbers that predictions of all settings may hold at once: some 60 MB.
_MOST_NUMBERS = 8_000_000
# Causes that a message spells out.
_MOST_SHOWN = 2
# What failures of one cause differ in, and the class of an error before its text.
_NUMBER = re.compile(r"\d+")
_ERROR = re.compile(r"^\w+: ")


@dataclass(frozen=True, eq=False)
class InnerLosses:
    """Losses of every setting on one training set.

    Parameters
    ----------
    losses : ndarray of shape (n_settings, n_inner), float64
        Smaller is better; nan where a setting failed or the measure is undefined.
    failures : mapping of int to str
        Why a setting failed, by its position: an error after its class, or a plain reason.
    """

    losses: Floats
    failures: Mapping[int, str]

    def message(self, settings: Sequence[Mapping[str, Any]]) -> str:
        """Return a sentence on the settings that were dropped; empty where none was."""
        if not self.failures:
            return ""
        start = f"UserWarning: {len(self.failures)} of {len(settings)} settings were dropped"
        causes: dict[str, str] = {}
        for reason in self.failures.values():
            causes.setdefault(_NUMBER.sub("", reason), reason)
        first, *others = list(causes.values())[:_MOST_SHOWN]
        if others:
            return f"{start}: {'; '.join([first, *others])}"
        error = _ERROR.sub("", first)
        return f"{start}, because {first}" if error == first else f"{start}: {error}"


def inner_measure(measure: Any, classes: Values) -> Measure:
    """Return the measure that settings are chosen by: error or squared error where none is given.

    Raises
    ------
    InvalidArgumentError
        If there is no such measure.
    """
    task = CLASSIFICATION if len(classes) else REGRESSION
    usual = "error" if len(classes) else "mse"
    try:
        return get_measure(usual if measure is None else measure, task=task, classes=classes)
    except InvalidArgumentError as error:
        text = str(error).replace("scoring must", "measure of Tuned must", 1)
        raise InvalidArgumentError(text) from error


def inner_losses(
    parts: TrainingParts,
    settings: Sequence[Mapping[str, Any]],
    measure: Measure,
    splits: Sequence[tuple[Rows, Folds]],
    *,
    path: SettingPath | None,
    weight: Floats | None = None,
) -> list[InnerLosses]:
    """Return the losses of settings on several training sets.

    Parameters
    ----------
    parts : TrainingParts
        The learner and its table.
    settings : sequence of mapping
        Full names of parameters.
    measure : Measure
        What settings are chosen by.
    splits : sequence of (ndarray of int, ndarray of shape (n_repeats, n_rows), int32)
        Training rows, ascending, and their inner folds in every repeat.
    path : SettingPath or None
        What `path_of` returned for the settings; None to train every model plainly.
    weight : ndarray of shape (n_samples,), optional
        Weights of the rows of the table, for training without a path.
    """
    n_numbers = len(settings) * len(parts.y) * max(parts.n_classes, 1)
    step = max(_MOST_NUMBERS // n_numbers, 1)
    results: list[InnerLosses] = []
    for start in range(0, len(splits), step):
        some = splits[start : start + step]
        inner = [
            (rows[repeat != fold], rows[repeat == fold])
            for rows, folds in some
            for repeat in folds
            for fold in range(int(repeat.max()) + 1)
        ]
        train_rows, asked_rows = zip(*inner, strict=True)
        tried = try_settings(parts, settings, train_rows, asked_rows, path=path, weight=weight)
        columns = (
            _losses_of(parts, measure, rows, predictions)
            for rows, predictions in zip(asked_rows, tried, strict=True)
        )
        for _, folds in some:
            n_inner = sum(int(repeat.max()) + 1 for repeat in folds)
            results.append(_side_by_side(list(islice(columns, n_inner))))
    return results


def _side_by_side(columns: Sequence[tuple[Floats, Mapping[int, str]]]) -> InnerLosses:
    failures = {k: v for _, failed in reversed(columns) for k, v in failed.items()}
    losses = np.column_stack([values for values, _ in columns])
    return InnerLosses(losses, dict(sorted(failures.items())))


def _losses_of(
    parts: TrainingParts, measure: Measure, rows: Rows, predictions: SettingPredictions
) -> tuple[Floats, Mapping[int, str]]:
    labels, failures = predictions.labels, predictions.failures
    if len(failures) == len(labels):
        return np.full(len(labels), np.nan), failures
    if measure.name == "error":  # the usual one, without the detour
        losses = (labels != parts.y[rows]).mean(axis=1)
    else:
        n_settings, n_rows = labels.shape
        losses = measure.loss(measure.compute(_batch(parts, rows, predictions))).copy()
        assert losses.shape == (n_settings,), n_rows
    losses[list(failures)] = np.nan
    return losses, failures


def _batch(parts: TrainingParts, rows: Rows, predictions: SettingPredictions) -> PredictionBatch:
    """Return the predictions of all settings as runs."""
    n_settings, n_rows = predictions.labels.shape

    def flat(values: Values | None) -> Values | None:
        return None if values is None else values.reshape(-1, *values.shape[2:])

    return PredictionBatch(
        np.tile(parts.y[rows], n_settings),
        predictions.labels.ravel(),
        n_rows * np.arange(n_settings + 1),
        parts.classes,
        flat(predictions.probabilities),
        flat(predictions.decision),
    )
