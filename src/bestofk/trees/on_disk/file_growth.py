"""Trees grown from a file that does not fit into memory."""

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import numpy as np
from sklearn.base import clone

from bestofk.checks import check_known, check_number
from bestofk.data.temporary_folder import temporary_folder
from bestofk.errors import InvalidArgumentError
from bestofk.trees.base import TreeClassifier
from bestofk.trees.c45 import C45Classifier
from bestofk.trees.cart import CARTClassifier
from bestofk.trees.growing import grow
from bestofk.trees.hellinger import HellingerTreeClassifier
from bestofk.trees.id3 import ID3Classifier
from bestofk.trees.on_disk.mapped_arrays import MappedArrays, ProgressCallback, no_progress
from bestofk.trees.on_disk.pruning import prune_on_disk
from bestofk.trees.on_disk.reading import read_table
from bestofk.trees.parameters import NO_PRUNING
from bestofk.trees.pruning_methods import collapsed, without_impossible_branches
from bestofk.trees.sorting import sort_columns
from bestofk.trees.tree import Tree

Learner = TypeVar("Learner", bound=TreeClassifier)

_LEARNERS: Final = (C45Classifier, ID3Classifier, CARTClassifier, HellingerTreeClassifier)
_LEAST_MEMORY: Final = 1 << 20
# Bytes per value (value, key, neighbors) and per row (twice a value and its row, sorted).
_DISK_BYTES: Final = (20, 32)
# Only error-based pruning needs rows; these methods need only the counts of the nodes.
_PRUNINGS: Final = ("error-based", "pessimistic", "mdl", "cost-complexity", *NO_PRUNING)
_ONLY_IN_MEMORY: Final = ("oblique", "discretization")


def grow_from_file(
    path: str | os.PathLike[str],
    target: str,
    *,
    learner: Learner,
    working_folder: str | os.PathLike[str] | None = None,
    memory_bytes: int = 1 << 28,
    progress: bool | str = "auto",
) -> Learner:
    r"""Fit a tree learner to a file whose table need not fit into memory.

    The tree is the one that `fit` grows from the same table, node for node.

    Parameters
    ----------
    path : str or Path
        A Parquet file (.parquet, .pq; needs pyarrow) or a CSV file (.csv, .csv.gz) with a
        header. Every row counts one; no value may be missing.
    target : str
        The column of the labels; all others are features.
    learner : C45Classifier, ID3Classifier, CARTClassifier or HellingerTreeClassifier
        The learner, which is not changed.
    working_folder : str, Path or None, default=None
        Folder for the sorted columns during growth; None for the system's folder of temporary
        files. They take 20 bytes per value of the table, and 32 per row.
    memory_bytes : int, default=268435456
        Memory for sorting and pruning, in addition to 24 bytes per row and the tree itself. With
        less, the files are read more often; the tree does not change.
    progress : {"auto", True, False}, default="auto"
        Whether to show progress on standard error; "auto" does so if that is a terminal.

    Returns
    -------
    TreeClassifier
        A fitted copy of the learner.

    Raises
    ------
    InvalidArgumentError
        If the file, a column, a value or a parameter is not valid, or the disk is too small.

    Notes
    -----
    Each numeric column is sorted once, on disk; each level of the tree reads every column once
    (SLIQ [1]_), without the rows of leaves. The files are removed at the end, after an error and
    after Ctrl-C.

    Missing values, weights, reduced-error pruning, the choice of `ccp_alpha`, discretization
    and oblique tests need the table in memory.

    References
    ----------
    .. [1] Mehta, Agrawal and Rissanen (1996), SLIQ: a fast scalable classifier for data mining,
       EDBT 1996.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from bestofk.trees import C45Classifier
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "weather.csv")
    ...     rows = "sun,1,yes\nsun,9,yes\nrain,2,yes\nrain,8,no\n" * 3
    ...     _ = path.write_text("sky,wind,play\n" + rows)
    ...     fitted = grow_from_file(path, "play", learner=C45Classifier())
    >>> fitted.get_n_leaves(), fitted.classes_.tolist()
    (3, ['no', 'yes'])
    """
    if not isinstance(progress, bool):
        check_known(progress, "progress of grow_from_file", ("auto",))
    what, way_out = "memory_bytes of grow_from_file", "Leave it out for a quarter of a gigabyte."
    check_number(memory_bytes, what, low=_LEAST_MEMORY, whole=True, way_out=way_out)
    _check_learner(learner)
    if working_folder is not None and not Path(working_folder).is_dir():
        raise InvalidArgumentError(
            f"working_folder must be a folder; got {str(working_folder)!r}. Make it first."
        )
    with (
        temporary_folder(working_folder) as folder,
        _disk_full_said(folder),
        _progress_shown(progress) as report_progress,
    ):
        fitted = cast(Learner, clone(learner))
        fitted.tree_ = _grown(Path(path), target, fitted, folder, memory_bytes, report_progress)
    return fitted


def _grown(
    path: Path,
    target: str,
    learner: TreeClassifier,
    folder: Path,
    memory_bytes: int,
    report_progress: ProgressCallback,
) -> Tree:
    rules = learner.growth_rules()
    workspace = MappedArrays(folder, memory_bytes, report_progress)
    table, y = read_table(
        path,
        target,
        learner,
        workspace,
        in_32_bits=rules.in_32_bits,
        report_progress=report_progress,
    )
    rules = learner.completed_rules(rules)
    _check_room(folder, *table.shape)
    columns = sort_columns(
        learner.attributes_,
        [table[:, a] for a in range(table.shape[1])],
        y,
        gap=rules.gap,
        in_32_bits=rules.in_32_bits,
        workspace=workspace,
    )
    n = len(y)

    def watch(depth: int, n_nodes: int, n_open: float) -> None:
        stage = f"level {depth + 1}, {n_nodes:,} nodes" if n_nodes else "thresholds"
        report_progress(stage, n - n_open, n)

    # Level by level, with only a few columns in memory at once.
    tree = grow(columns, y, learner.classes_, rules, watch=watch)
    settings: Any = learner
    if settings.pruning != "error-based":
        return learner.pruned_tree(tree, columns, y, None)
    if settings.collapse:
        tree = collapsed(tree)
    tree = prune_on_disk(
        tree,
        columns,
        y,
        bound=settings.error_bound,
        raises=settings.subtree_raising,
        memory_bytes=memory_bytes,
        report_progress=report_progress,
    )
    return without_impossible_branches(tree) if settings.nominal_splits == "group" else tree


def _check_learner(learner: Any) -> None:
    if type(learner) not in _LEARNERS:
        names = ", ".join(item.__name__ for item in _LEARNERS)
        raise InvalidArgumentError(
            f"learner of grow_from_file must be one of {names}; got {learner!r}. Others need the "
            "table in memory."
        )
    learner.growth_rules()  # checks its parameters
    name = type(learner).__name__
    rule = f"one of {', '.join(map(repr, _PRUNINGS))} for a table on disk"
    check_known(learner.pruning, f"pruning of {name}", _PRUNINGS, rule=rule)
    if learner.chooses_alpha:
        raise InvalidArgumentError(
            f"ccp_alpha of {name} must be a number for a table on disk; got None. Choose it by "
            "cross-validation on a sample in memory, or use pruning=None."
        )
    if getattr(learner, "flavor", None) == "simplecart":
        raise InvalidArgumentError(
            f"flavor of {name} must be 'breiman' for a table on disk; got 'simplecart'. SimpleCart "
            "needs its rows in memory."
        )
    for parameter in _ONLY_IN_MEMORY:
        if (value := getattr(learner, parameter)) is not None:
            raise InvalidArgumentError(
                f"{parameter} of {name} must be None for a table on disk; got {value!r}. Leave it "
                "out, or fit a sample in memory."
            )


def _check_room(folder: Path, n_rows: int, n_columns: int) -> None:
    """Raise at the start if the disk is too small, not after an hour."""
    of_value, of_row = _DISK_BYTES
    needed = n_rows * (of_value * n_columns + of_row)
    written = sum(file.stat().st_size for file in folder.iterdir())
    free = shutil.disk_usage(folder).free + written
    if free < needed:
        raise InvalidArgumentError(
            f"working_folder must have {needed / 1e9:.1f} GB of room for {n_rows:,} rows of "
            f"{n_columns} columns; got {free / 1e9:.1f} GB. Name another folder."
        )


@contextmanager
def _disk_full_said(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise InvalidArgumentError(
            f"working_folder must have room for the sorted columns; got a full disk at {folder}. "
            "Name a folder on a larger disk; the files were removed."
        ) from error


@contextmanager
def _progress_shown(progress: bool | str) -> Iterator[ProgressCallback]:
    """Show a progress bar on standard error."""
    from rich.console import Console

    console = Console(stderr=True)
    if progress is False or (progress == "auto" and not console.is_terminal):
        yield no_progress
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bars:
        task = bars.add_task("reading", total=None)

        def report_progress(stage: str, done: float, total: float) -> None:
            known = None if np.isnan(total) else total
            bars.update(task, description=stage, completed=done, total=known)

        yield report_progress
