"""Input data of a comparison: arrays, frames, files and names as checked data sets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bestofk.comparison.comparison_settings import is_default
from bestofk.data import DataSet, from_arrays, load_data
from bestofk.errors import InvalidArgumentError


def as_data_set(X: Any, y: Any, **options: Any) -> DataSet:
    """Return the data set of what `compare` takes as X and y, or raise."""
    if isinstance(X, DataSet):
        given = {"y": y} | options
        usual = (None, "auto", False)
        extra = sorted(name for name, value in given.items() if not is_default(value, *usual))
        if extra:
            raise InvalidArgumentError(
                f"X must be arrays or a file where {' and '.join(extra)} "
                f"{'is' if len(extra) == 1 else 'are'} given; got a DataSet. Say it when the "
                "DataSet is made."
            )
        return X
    if isinstance(X, str | Path):
        return load_data(X, target=y, weights=options.pop("sample_weight"), **options)
    return from_arrays(X, y, **options)
