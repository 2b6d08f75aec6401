"""Noise in inputs and targets: choice of rows and values, and their replacement."""

from __future__ import annotations

import hashlib
from typing import Any, Final

import narwhals as nw
import numpy as np
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length

from bestofk.array_types import Bools, Floats, Ints
from bestofk.checks import check_known, check_number
from bestofk.data.table_columns import column_numbers, column_texts, table_columns
from bestofk.errors import InvalidArgumentError
from bestofk.randomness import derive_rng

CLASS: Final = "class"
RANDOM_CLASS: Final = "random-class"
FEATURE: Final = "feature"
MISSING: Final = "missing"
NOISE_KINDS: Final = (CLASS, RANDOM_CLASS, FEATURE, MISSING)
CLASS_KINDS: Final = (CLASS, RANDOM_CLASS)

# 0.29 * 50 is 14.499999999999998 in floats; half up means 15.
_DECIMALS = 9


def with_noise(X: Any, y: Any, *, kind: str, fraction: float, seed: int) -> tuple[Any, Any, Bools]:
    """Return noisy copies of inputs and target, and where they are noisy.

    Parameters
    ----------
    X : DataFrame or ndarray of shape (n_samples, n_features)
        Inputs; never changed.
    y : array-like of shape (n_samples,)
        Target; never changed.
    kind : {"class", "random-class", "feature", "missing"}
        What is wrong; see `bestofk.learners.noisy_training.NoisyTraining`.
    fraction : float in [0, 1)
        Share of the rows, or of the values of each column that are not missing: exactly
        ``fraction * n`` of them, rounded half up.
    seed : int
        What the noise is derived from, together with the rows themselves. A larger fraction
        adds to the noise of a smaller.

    Returns
    -------
    X, y
        In the types that came; what the kind leaves alone is the object that came.
    is_noisy : ndarray of bool, shape (n_samples,) or (n_samples, n_features)
        Rows with another class, or with one drawn at random; cells with another or no value.

    Raises
    ------
    InvalidArgumentError
        If classes are to be changed where there is only one.

    Examples
    --------
    >>> X, y = np.arange(10.0)[:, np.newaxis], np.array(list("ab") * 5)
    >>> _, noisy, is_noisy = with_noise(X, y, kind="class", fraction=0.3, seed=0)
    >>> int(is_noisy.sum()), bool(((noisy != y) == is_noisy).all())
    (3, True)
    """
    check_consistent_length(X, y)
    if fraction == 0:
        return X, y, np.zeros(X.shape[: 1 if kind in CLASS_KINDS else 2], dtype=bool)
    names = (seed, "noise", kind, _digest(X, y))
    if kind in CLASS_KINDS:
        may_stay = kind == RANDOM_CLASS
        y, is_noisy = _with_drawn_classes(y, fraction, derive_rng(*names), may_stay=may_stay)
        return X, y, is_noisy
    X, is_noisy = _with_noisy_columns(X, kind, fraction, names)
    return X, y, is_noisy


def check_noise_kind(kind: Any) -> str:
    """Return a kind of noise, or raise."""
    check_known(kind, "kind of noise", NOISE_KINDS)
    return str(kind)


def check_noise_fraction(fraction: Any, what: str) -> float:
    """Return a share of noise as a float, or raise; `what` names it in the message."""
    check_number(
        fraction, what, low=0, high=1, is_open="high", way_out="0.1 spoils one in ten, 0 nothing."
    )
    return float(fraction)


def _n_noisy(fraction: float, n: int) -> int:
    return int(np.floor(round(fraction * n, _DECIMALS) + 0.5))


def _digest(X: Any, y: Any) -> str:
    """Return a name of the rows, so that every training part has noise of its own."""
    digest = hashlib.sha256()
    for column in (*table_columns(X), np.asarray(y)):
        if _holds_numbers(column):
            digest.update(column_numbers(column).tobytes())
        else:
            digest.update("\x1f".join(map(repr, column_texts(column).tolist())).encode())
    return digest.hexdigest()[:32]


def _with_drawn_classes(
    y: Any, fraction: float, rng: np.random.Generator, *, may_stay: bool
) -> tuple[Any, Bools]:
    check_classification_targets(y)
    y = y if hasattr(y, "to_numpy") else column_or_1d(y, warn=True)
    classes, first, codes = np.unique(np.asarray(y), return_index=True, return_inverse=True)
    n_noisy = _n_noisy(fraction, len(codes))
    if n_noisy and len(classes) < 2 and not may_stay:
        raise InvalidArgumentError(
            f"y must hold at least two classes where some rows get another class; got one class, "
            f"{classes[0]!s}. Train on rows of several classes."
        )
    order, draws = rng.permutation(len(codes)), rng.random(len(codes))
    noisy = order[:n_noisy]
    is_noisy = np.zeros(len(codes), dtype=bool)
    is_noisy[noisy] = True
    donors = _donors(codes, first, noisy, draws, may_stay=may_stay)
    if hasattr(y, "iloc"):
        return y.iloc[donors].set_axis(y.index), is_noisy
    return y[donors], is_noisy


def _donors(
    codes: Ints, first: Ints, noisy: Ints, draws: Any,
    *, may_stay: bool = False
) -> Ints:  # fmt: skip
    """Return from which row each takes its value: from itself, or if noisy, one that is drawn.

    Parameters
    ----------
    codes : ndarray of shape (n,), int64
        Which of the values each row has.
    first : ndarray of shape (n_values,), int64
        A row that has the value.
    noisy : ndarray of int64
        The rows that get another value.
    draws : ndarray of shape (n,), float in [0, 1)
        One for each row, so that the draw of a row does not depend on how many are noisy.
    may_stay : bool, default=False
        Whether all values are drawn alike, that of the row included.
    """
    donors = np.arange(len(codes))
    least = 0 if may_stay else 1
    steps = least + np.floor(draws[noisy] * (len(first) - least)).astype(np.int64)
    donors[noisy] = first[(codes[noisy] + steps) % max(len(first), 1)]
    return donors


def _with_noisy_columns(
    X: Any, kind: str, fraction: float, names: tuple[object, ...]
) -> tuple[Any, Bools]:
    make = _blanked if kind == MISSING else _with_other_values
    if is_frame(X):
        frame = nw.from_native(X, eager_only=True)
        columns: list[Any] = list(frame.iter_columns())
    else:
        table = _with_room_for_missing(X) if kind == MISSING else X
        columns = list(table.T)
    is_noisy = np.zeros(X.shape, dtype=bool)
    noisy_columns = []
    for index, column in enumerate(columns):
        rng = derive_rng(*names, index)
        present = np.flatnonzero(~_is_missing(column))
        order, draws = rng.permutation(present), rng.random(len(column))
        noisy = order[: _n_noisy(fraction, len(present))]
        changed, cells = make(column, present, noisy, draws)
        is_noisy[cells, index] = True
        noisy_columns.append(changed)
    if not is_frame(X):
        return np.stack(noisy_columns, axis=1), is_noisy
    return frame.with_columns(*noisy_columns).to_native(), is_noisy


def _with_other_values(column: Any, present: Ints, noisy: Ints, draws: Any) -> tuple[Any, Ints]:
    """Return the column with other values in the noisy cells, and the cells that could change."""
    nothing = column, noisy[:0]
    if not _holds_numbers(column):
        texts = column_texts(column)
        values, first, codes = np.unique(
            texts[present].astype(str), return_index=True, return_inverse=True
        )
        if len(values) < 2:
            return nothing
        all_codes = np.zeros(len(texts), dtype=np.int64)
        all_codes[present] = codes
        return column[_donors(all_codes, present[first], noisy, draws)], noisy
    numbers = column_numbers(column)
    finite = numbers[np.isfinite(numbers)]
    if not len(finite) or finite.min() == finite.max():
        return nothing
    low, width = finite.min(), finite.max() - finite.min()
    if (finite == np.floor(finite)).all():
        drawn = low + np.floor(draws[noisy] * width)
        drawn += drawn >= numbers[noisy]
    else:
        drawn = low + draws[noisy] * width
    return _with_numbers(column, noisy, drawn), noisy


def _with_numbers(column: Any, cells: Ints, values: Floats) -> Any:
    if isinstance(column, np.ndarray):
        changed = column.copy()
        changed[cells] = values
        return changed
    held: type[Any] = np.int64 if column.dtype.is_integer() else np.float64
    if column.dtype == nw.Float32:
        held = np.float32  # pandas refuses values that it would have to round
    return column.scatter(cells, values.astype(held).tolist())


def _blanked(column: Any, present: Ints, noisy: Ints, draws: Any) -> tuple[Any, Ints]:
    """Return the column without the noisy cells, and these."""
    if isinstance(column, np.ndarray):
        changed = column.copy()
        changed[noisy] = "NaT" if column.dtype.kind in "mM" else np.nan
        return changed, noisy
    native = column.to_native()
    if not hasattr(native, "mask"):
        return column.scatter(noisy, [None] * len(noisy)), noisy
    is_blank = np.zeros(len(column), dtype=bool)
    is_blank[noisy] = True
    return nw.from_native(native.mask(is_blank), series_only=True), noisy


def _with_room_for_missing(X: np.ndarray) -> np.ndarray:
    if X.dtype.kind in "iub":
        return X.astype(np.float64)
    return X.astype(object) if X.dtype.kind in "US" else X


def _holds_numbers(column: Any) -> bool:
    if isinstance(column.dtype, np.dtype):
        return bool(column.dtype.kind in "iuf")
    dtype = nw.from_native(column, series_only=True).dtype
    return bool(dtype.is_integer() or dtype.is_float())


def _is_missing(column: Any) -> Bools:
    if _holds_numbers(column):
        return np.isnan(column_numbers(column))
    return np.array([text is None for text in column_texts(column)], dtype=bool)


def is_frame(X: Any) -> bool:
    """Return whether a table has columns with names, as pandas and polars have."""
    return hasattr(X, "columns") and hasattr(X, "shape")
