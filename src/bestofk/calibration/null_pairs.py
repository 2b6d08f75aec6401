"""Data sets on which learners are equally good by construction."""

from __future__ import annotations

import numpy as np

from bestofk.array_types import Ints
from bestofk.checks import check_number
from bestofk.data.data_set import CLASSIFICATION, DataSet
from bestofk.errors import DesignError

N_BLOCK_FEATURES = 4
BLOCK_SHIFT = 0.275


def shifted_blocks(
    n_rows: int, rng: np.random.Generator, *, n_blocks: int = 2, delta: float = 0.0
) -> tuple[DataSet, ...]:
    """Draw independent blocks of features that tell the same two classes apart equally well.

    A learner that sees one block is, by symmetry, exactly as good as the same learner that
    sees another, whatever it is and however many rows it is trained on.

    Parameters
    ----------
    n_rows : int
        Rows, at least 4; the first half is of class 0, the others of class 1.
    rng : Generator
        Where the features are drawn from.
    n_blocks : int, default=2
        Blocks of 4 normal features with means -0.275 (class 0) and 0.275 (class 1).
    delta : float from 0 to 1, default=0
        Share by which the means of the last block are nearer to each other; above 0 the
        blocks are not equal, and what is found is power.

    Returns
    -------
    tuple of DataSet
        One per block, with the same target.

    Raises
    ------
    InvalidArgumentError
        If a number is not allowed.

    Examples
    --------
    >>> first, second = shifted_blocks(10, np.random.default_rng(0))
    >>> first.features.shape, (first.y == second.y).all()
    ((10, 4), np.True_)
    """
    for what, value, least in (("n_rows", n_rows, 4), ("n_blocks", n_blocks, 2)):
        check_number(value, f"{what} of a null", low=least, whole=True, way_out="Usual: 300 and 2.")
    check_number(delta, "delta of a null", low=0, high=1, way_out="0 asks for the level.")
    target = (np.arange(n_rows) >= n_rows // 2).astype(np.int64)
    side = np.where(target == 1, BLOCK_SHIFT, -BLOCK_SHIFT)[:, np.newaxis]
    blocks = []
    for block in range(n_blocks):
        nearer = 1 - delta if block == n_blocks - 1 else 1.0
        features = nearer * side + rng.standard_normal((n_rows, N_BLOCK_FEATURES))
        blocks.append(DataSet(f"block {block + 1}", features, target, CLASSIFICATION))
    return tuple(blocks)


def exchangeable_samples(
    data: DataSet, n_rows: int | None, rng: np.random.Generator
) -> tuple[DataSet, DataSet]:
    """Draw two samples of a data set that share no row, class by class.

    Row i of both is of the same class, if there are classes, and which of two rows goes into
    which sample is left to chance: a learner that sees one sample is exactly as good as the
    same learner that sees the other.

    Parameters
    ----------
    data : DataSet
        Without groups.
    n_rows : int or None
        Rows of each sample; None for half of the data set, rounded down class by class.
        More than that are drawn with replacement, independently for both.
    rng : Generator
        Where the draws come from.

    Returns
    -------
    first, second : DataSet
        Rows in the order of the classes.

    Raises
    ------
    DesignError
        If rows are kept together in groups, or a class is left with fewer than two rows.

    Examples
    --------
    >>> from bestofk.data import load_data
    >>> first, second = exchangeable_samples(load_data("iris"), None, np.random.default_rng(0))
    >>> first.n_samples, first.class_counts.tolist()
    (75, [25, 25, 25])
    """
    _check_no_groups(data)
    classes = _classes_of_rows(data)
    sizes = _class_sizes(np.bincount(classes), n_rows)
    if sizes.min() < 2 and data.is_classification:
        scarce = data.classes[int(sizes.argmin())]
        raise DesignError(
            f"every class must have at least 2 rows in a sample; got {sizes.min()} of {scarce!s}. "
            "Ask for more rows, or join rare classes."
        )
    kept: tuple[list[Ints], list[Ints]] = ([], [])
    for code, size in enumerate(sizes):
        rows = np.flatnonzero(classes == code)
        if 2 * size <= len(rows):
            drawn = rng.permutation(rows)[: 2 * size].reshape(2, size)
        else:
            drawn = rng.choice(rows, size=(2, size))
        for sample, part in zip(kept, drawn, strict=True):
            sample.append(part)
    first, second = (data.subset(np.concatenate(parts)) for parts in kept)
    return first, second


def is_drawn_with_replacement(data: DataSet, n_rows: int | None) -> bool:
    """Return whether samples of so many rows must hold rows more than once."""
    counts = np.bincount(_classes_of_rows(data))
    return bool((2 * _class_sizes(counts, n_rows) > counts).any())


def relabeled(data: DataSet, n_rows: int | None, rng: np.random.Generator) -> DataSet:
    """Give rows new labels by fair draws, so that no learner can be better than another.

    Labels are drawn independently, all classes equally likely: with the frequencies of the
    data a learner that always predicts the largest class would be better than others.

    Parameters
    ----------
    data : DataSet
        Of classes, without groups.
    n_rows : int or None
        Rows to keep, drawn anew; None for all.
    rng : Generator
        Where the draws come from.

    Returns
    -------
    DataSet
        The features of the rows with labels that say nothing.

    Raises
    ------
    DesignError
        If rows are kept together in groups, or more rows are asked for than there are.

    Examples
    --------
    >>> from bestofk.data import load_data
    >>> relabeled(load_data("iris"), 60, np.random.default_rng(0)).n_samples
    60
    """
    _check_no_groups(data)
    n_rows = data.n_samples if n_rows is None else n_rows
    if n_rows > data.n_samples:
        raise DesignError(
            f"n_rows of permuted labels must be at most the rows of the data ({data.n_samples}); "
            f"got {n_rows}. Ask for fewer."
        )
    rows = np.sort(rng.permutation(data.n_samples)[:n_rows])
    target = data.classes[rng.integers(len(data.classes), size=n_rows)]
    return DataSet(data.name, data.feature_rows(rows), target, data.task)


def _classes_of_rows(data: DataSet) -> Ints:
    """Return the position of each row's class; all rows of regression are of one."""
    return data.y if data.is_classification else np.zeros(data.n_samples, np.int64)


def _class_sizes(counts: Ints, n_rows: int | None) -> Ints:
    halves = counts // 2
    if n_rows is None:
        return halves
    sizes: Ints = np.round(n_rows * counts / counts.sum()).astype(np.int64)
    # a row less of a class is better than a class that holds rows twice
    return np.minimum(sizes, halves) if n_rows <= halves.sum() else sizes


def _check_no_groups(data: DataSet) -> None:
    if data.groups is not None:
        raise DesignError(
            "data of a null calibration must have rows that stand for themselves; got groups. "
            "Calibrate on one row per group."
        )
