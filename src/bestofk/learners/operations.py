"""Operation counts of fits, which show in advance that a learner cannot run on a table."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from bestofk.data import DataSet

# Limit for one fit. At about a nanosecond per operation, 25 such fits take about ten minutes.
MOST_OPERATIONS = 2e10
_TRAINING_SHARE = 0.8  # training share with 5 folds
_PARTS_OF_DATE = 8  # maximum, see `bestofk.data.date_parts`


class TableShape(NamedTuple):
    """Shape of a table, which determines the cost of a fit.

    Parameters
    ----------
    n_rows, n_columns, n_classes : int
        Training rows with 5 folds, columns with nominal ones 1-of-n, and classes; 1 for regression.
    n_rarest : int
        Training rows of the rarest class; all for regression.
    """

    n_rows: int
    n_columns: int
    n_classes: int
    n_rarest: int

    @classmethod
    def of(cls, data: DataSet) -> TableShape:
        """Return the shape of a data set.

        Examples
        --------
        >>> from bestofk.data import load_data
        >>> TableShape.of(load_data("play-tennis"))
        TableShape(n_rows=11, n_columns=10, n_classes=2, n_rarest=4)
        """
        from bestofk.data.table_columns import TEXT
        from bestofk.data.word_columns import N_TOPICS

        columns = getattr(data.levelled, "dtypes", [])
        extra = sum(len(dtype.categories) - 1 for dtype in columns if hasattr(dtype, "categories"))
        extra += sum((N_TOPICS if r == TEXT else _PARTS_OF_DATE) - 1 for r in data.marked.values())
        rarest = data.class_counts.min() if data.is_classification else data.n_samples
        return cls(
            int(_TRAINING_SHARE * data.n_samples), data.n_features + extra,
            max(len(data.classes), 1), int(_TRAINING_SHARE * rarest),
        )  # fmt: skip


def decomposition(shape: TableShape) -> float:
    """Count a decomposition of the rows, as for least squares and discriminants."""
    return shape.n_rows * shape.n_columns * min(shape.n_rows, shape.n_columns)


def decompositions_by_class(shape: TableShape) -> float:
    """Count one decomposition per class; infinity with fewer rows than columns, where it fails."""
    return math.inf if shape.n_rarest <= shape.n_columns else decomposition(shape)


def penalty_path(shape: TableShape) -> float:
    """Count coordinate descent along a path of penalties, within 5 folds and for all rows."""
    return 6 * shape.n_columns**2 * (min(shape.n_rows, 1000) + 4000)


def pairs_of_rows(shape: TableShape) -> float:
    """Count distances between all rows: exact kernels, and densities at the rows to predict."""
    return 2 * shape.n_rows**2 * shape.n_columns


def epochs(shape: TableShape) -> float:
    """Count the passes of a network with 100 hidden units."""
    return 400 * 100 * shape.n_rows * (shape.n_columns + shape.n_classes)


def boosting(shape: TableShape) -> float:
    """Count 100 rounds of trees with 31 leaves and 255 bins, one tree per class."""
    n_trees = 100 * (shape.n_classes if shape.n_classes > 2 else 1)
    return n_trees * shape.n_columns * (6 * shape.n_rows + 142_000)


def sorted_columns(shape: TableShape) -> float:
    """Count 100 trees that sort all columns, or for classes the square root of their number."""
    n_looked_at = shape.n_columns if shape.n_classes == 1 else shape.n_columns**0.5
    return 10 * 100 * shape.n_rows * math.log2(shape.n_rows + 1) * n_looked_at
