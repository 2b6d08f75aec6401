"""The decision trees of this package: one table read and sorted once for all parts."""

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from bestofk.array_types import Floats, Ints, Positions
from bestofk.batched.form import BatchedForm, BatchedPredictions
from bestofk.batched.shared_table import SharedTable, Subsets
from bestofk.data.levels import sorted_levels
from bestofk.data.table_columns import declared_levels, table_columns
from bestofk.trees.attributes import NUMERIC, UNSEEN, encode_table
from bestofk.trees.base import TreeClassifier
from bestofk.trees.c45 import C45Classifier
from bestofk.trees.forest import forest_answers, is_forest_learner
from bestofk.trees.growing import grow_together
from bestofk.trees.growth_rules import GrowthRules
from bestofk.trees.known_columns import KnownColumns
from bestofk.trees.prediction import probabilities
from bestofk.trees.pruning_methods import choose_alpha, prune_by_reduced_error, prune_path
from bestofk.trees.sorting import Columns, sort_columns
from bestofk.trees.tree import Tree
from bestofk.trees.tree_structure import THRESHOLD

Split = tuple[Positions, Positions]
# Tables with up to this many cells are grown together: about 100 MB.
_CELLS_TOGETHER: Final = 6_000_000
# With more parts than this, growing more together saves little.
_MOST_TOGETHER: Final = 40
# Unsupported parameters, with their neutral values.
_REFUSED: Final[dict[str, tuple[Any, ...]]] = {
    "discretization": (None,),
    "oblique": (None,),
    "ordinal_features": (None,),
    "classes": (None,),
    "empty_branches": ("majority",),  # its ties depend on rounding of sums
    "flavor": ("j48", "r8", "breiman"),
}


@dataclass(frozen=True, eq=False)
class SharedRows:
    """The table of which parts are taken.

    Attributes
    ----------
    columns : Columns
        Sorted.
    matrix : ndarray of shape (n_samples, n_attributes), float64
        The table in the form for trees.
    y : ndarray of shape (n_samples,), int16
        Classes.
    rules : GrowthRules
        Rules of growth.
    """

    columns: Columns
    matrix: Floats
    y: NDArray[np.int16]
    rules: GrowthRules

    @cached_property
    def order(self) -> Positions:
        """Rows by the values of each attribute, missing ones last: (n_attributes, n_samples)."""
        return np.argsort(self.matrix.T, axis=1, kind="stable")


def may_grow_together(learner: TreeClassifier, shared: SharedRows, n_rows: int) -> bool:
    """Return whether `grow_parts` gives the trees of `fit`, for parts with all classes and levels.

    Parameters
    ----------
    learner : TreeClassifier
        Any learner except Weka's SimpleCart.
    shared : SharedRows
        The table.
    n_rows : int
        Training rows of the part.
    """
    if learner.pruning != "reduced-error":
        return True
    if shared.rules.in_32_bits:
        return False
    # `fit` counts the levels of columns in all rows of a part; here only growing rows are counted.
    if learner.pruning_fraction is None:
        n_growing = n_rows - n_rows // learner.pruning_folds
    else:
        n_growing = n_rows - int(np.ceil(learner.pruning_fraction * n_rows))
    n_levels = shared.columns.n_levels[shared.columns.is_nominal]
    is_many = [n_levels >= 0.3 * n - 1e-6 for n in (n_rows, n_growing)]
    return 0 < n_growing < n_rows and bool((is_many[0] == is_many[1]).all())


def grow_parts(
    learners: Sequence[TreeClassifier], shared: SharedRows, parts: Sequence[Positions]
) -> list[Tree]:
    """Grow and prune the trees of some parts.

    Parameters
    ----------
    learners : sequence of TreeClassifier
        One for each part, equal except for the random state.
    shared : SharedRows
        The table; every part has all its classes and levels.
    parts : sequence of ndarray of int
        Training rows in ascending order.

    Returns
    -------
    list of Tree
        The trees that `fit` would grow.
    """
    if learners[0].pruning == "reduced-error":
        return _reduced(learners, shared, parts)
    if learners[0].chooses_alpha:
        return _cost_complexity(learners, shared, parts)
    trees = grow_together(shared.columns, parts, shared.y, learners[0].classes_, shared.rules)
    return [
        learner.pruned_tree(tree, shared.columns.take(rows), shared.y[rows], None)
        for learner, tree, rows in zip(learners, trees, parts, strict=True)
    ]


def _cost_complexity(
    learners: Sequence[TreeClassifier], shared: SharedRows, parts: Sequence[Positions]
) -> list[Tree]:
    """Grow the trees of the inner cross-validations along with those that they prune."""
    splits: list[list[Split]] = []
    grown: list[Positions] = []
    for learner, rows in zip(learners, parts, strict=True):
        splits.append(learner.alpha_splits(shared.y[rows]))
        grown += [rows, *(rows[growing] for growing, _ in splits[-1])]
    forest = grow_together(shared.columns, grown, shared.y, learners[0].classes_, shared.rules)
    trees = iter(forest)
    results = []
    for learner, rows, inner in zip(learners, parts, splits, strict=True):
        path = prune_path(next(trees))
        choice = choose_alpha(
            path,
            lambda _: next(trees),
            shared.matrix[rows],
            shared.y[rows],
            splits=inner,
            one_standard_error=learner.one_standard_error,
        )
        results.append(path.tree_at(choice.alpha))
    return results


def _reduced(
    learners: Sequence[TreeClassifier], shared: SharedRows, parts: Sequence[Positions]
) -> list[Tree]:
    """Grow on a share of each part, and prune by its other rows."""
    grown, kept = [], []
    for learner, rows in zip(learners, parts, strict=True):
        growing, pruning = learner.pruning_split(shared.y[rows])
        grown.append(rows[growing])
        kept.append(rows[pruning])
    takes_values = shared.rules.threshold == "value"
    rules = replace(shared.rules, threshold="midpoint") if takes_values else shared.rules
    trees = grow_together(shared.columns, grown, shared.y, learners[0].classes_, rules)
    if takes_values:
        trees = [_with_values(tree, shared, rows) for tree, rows in zip(trees, parts, strict=True)]
    return [
        prune_by_reduced_error(tree, shared.matrix[held], shared.y[held])
        for tree, held in zip(trees, kept, strict=True)
    ]


def _with_values(tree: Tree, shared: SharedRows, rows: Positions) -> Tree:
    """Return a tree with each threshold replaced by the largest value of some rows not above it."""
    threshold = tree.threshold.copy()
    is_meant = np.zeros(len(shared.y), dtype=bool)
    is_meant[rows] = True
    is_cut = tree.kind == THRESHOLD
    for a in np.unique(tree.attribute[is_cut]).tolist():
        here = np.flatnonzero(is_cut & (tree.attribute == a))
        ordered = shared.order[a]
        known = shared.matrix[ordered[is_meant[ordered]], a]
        threshold[here] = known[np.searchsorted(known, threshold[here], side="right") - 1]
    return replace(tree, threshold=threshold)


@dataclass(frozen=True, eq=False)
class _OddPart:
    """A part that grows separately, because it lacks a class, a level or values.

    Attributes
    ----------
    columns : Columns
        Its rows, sorted.
    y : ndarray of shape (n_train,), int16
        Classes, numbered among those that are present.
    classes : ndarray of shape (n_present,), int64
        Positions in the classes of the data set.
    recoded : mapping of int to ndarray of shape (n_levels,), float64
        For columns that lack levels: the new code of each, UNSEEN where it is lacking.
    """

    columns: Columns
    y: NDArray[np.int16]
    classes: Ints
    recoded: dict[int, Floats]


@dataclass(frozen=True, eq=False)
class TreeTask:
    """One fit: its number, its learner, and its training and test rows."""

    index: int
    learner: Any
    rows: Positions
    test: Positions


class TreeForm(BatchedForm):
    """`ID3Classifier`, `C45Classifier`, `CARTClassifier`, `HellingerTreeClassifier` on many parts.

    The table is read, encoded and sorted once; each part takes its rows from there, and the trees
    of all parts grow level by level together. A part that lacks a class, a level of a column of
    texts, or the missing values of the others grows separately, as in the plain learner, with its
    own levels, classes and sums.
    """

    is_random: ClassVar[bool] = True

    def __init__(self, estimator: Any, table: SharedTable, n_folds: int = 0) -> None:
        super().__init__(estimator, table, n_folds)
        self._parts = TreeParts(estimator, table)

    @classmethod
    def does_itself(cls, step: Any) -> bool:
        """Return whether a step leaves out empty columns; such parts are not done here."""
        return type(step) is KnownColumns

    @classmethod
    def supports(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether batches grow the same trees on these data as the plain learner."""
        if table.preparation is not None or table.n_classes < 2:
            return False
        if _asks_for_more(estimator):
            return False
        learner = clone(estimator)
        try:
            rules = learner.growth_rules()
            read, codes, _ = learner._read_training(table.features, table.target, None)
            learner.completed_rules(rules)
            matrix = encode_table(read, learner.attributes_)
        except (ValueError, TypeError):
            return False
        most_levels = max(attribute.n_levels for attribute in learner.attributes_)
        is_whole = not (np.isinf(matrix).any() or np.isnan(matrix).all(axis=0).any())
        is_small = most_levels <= estimator.max_categories
        return is_whole and is_small and bool(np.array_equal(codes, table.y))

    @classmethod
    def repeats_at_once(cls, estimator: Any, table: SharedTable, n_folds: int) -> int:
        """Return the number of repeats whose trees grow together."""
        n_cells = table.n_samples * len(table_columns(table.features))
        return max(min(_parts_at_once(estimator, n_cells), _MOST_TOGETHER) // n_folds, 1)

    def predict_subsets(
        self, subsets: Subsets, random_states: Ints | None = None
    ) -> BatchedPredictions:
        """Grow a tree on every subset and send rows down; see `BatchedForm.predict_subsets`."""
        rows = np.split(subsets.rows, subsets.start[1:-1])
        probabilities = np.zeros((len(subsets.rows), self.table.n_classes))
        is_done = np.zeros(len(subsets), dtype=bool)
        states = [None] * len(subsets) if random_states is None else random_states
        tasks = (
            TreeTask(s, self._parts.learner_with(states[s]), train, rows[s])
            for s, train in enumerate(subsets.train)
        )
        for task, result in self._parts.answers(tasks):
            if result is not None:
                s = task.index
                is_done[s] = True
                probabilities[subsets.start[s] : subsets.start[s + 1]] = result
        labels = probabilities.argmax(axis=1)
        return BatchedPredictions(labels, probabilities, is_done=is_done)


class TreeParts:
    """A table read, encoded and sorted once, and the trees of any of its parts.

    Parameters
    ----------
    estimator : TreeClassifier
        The learner, unfitted.
    table : SharedTable
        The data.
    """

    def __init__(self, estimator: Any, table: SharedTable) -> None:
        learner: TreeClassifier = clone(estimator)
        rules = learner.growth_rules()
        read, codes, _ = learner._read_training(table.features, table.target, None)
        self._rules = learner.completed_rules(rules)
        columns = learner._sort(read, codes, self._rules, may_list=True)
        matrix = np.ascontiguousarray(encode_table(read, learner.attributes_), dtype=np.float64)
        self._learner, self.table = learner, table
        self._shared = SharedRows(columns, matrix, codes, self._rules)
        self._gappy = np.flatnonzero(np.isnan(matrix).any(axis=0))
        self._of_values = _columns_with_own_levels(learner, read)
        self._is_forest = is_forest_learner(learner, columns)

    def learner_with(self, random_state: Any) -> Any:
        """Return a learner with its own random state; None keeps that of the estimator."""
        learner = copy(self._learner)
        if random_state is not None:
            learner.random_state = int(random_state)
        return learner

    def answers(self, tasks: Iterable[TreeTask]) -> Iterator[tuple[TreeTask, Floats | None]]:
        """Grow a tree for each task; yield the probabilities of its test rows, in any order.

        Yields
        ------
        task, probabilities : TreeTask, ndarray of shape (n_test, n_classes) or None
            None if the task is left to the plain learner.
        """
        waiting: list[TreeTask] = []
        n_together = _parts_at_once(self._learner, self._shared.matrix.size)
        for task in tasks:
            if self._is_plain(task.rows):
                waiting.append(task)
            elif (part := self._odd_part(task.rows)) is not None:
                yield task, self._answer_odd(task, part)
            else:
                yield task, None
            if len(waiting) == n_together:
                yield from self._answer(waiting)
                waiting = []
        yield from self._answer(waiting)

    def _is_plain(self, rows: Positions) -> bool:
        """Return whether a part has all classes and levels, so that it may grow with others."""
        shared, gappy = self._shared, self._gappy
        if not np.bincount(shared.y[rows], minlength=self.table.n_classes).all():
            return False
        if len(gappy):
            is_known = ~np.isnan(shared.matrix[rows][:, gappy])
            if is_known.all() or not is_known.any(axis=0).all():
                return False
        if not may_grow_together(self._learner, shared, len(rows)):
            return False
        return all(len(self._present(a, rows)) == n for a, n in self._of_values.items())

    def _present(self, a: int, rows: Positions) -> Positions:
        values = self._shared.matrix[rows, a]
        return np.flatnonzero(np.bincount(values[~np.isnan(values)].astype(np.int64)))

    def _answer(self, tasks: list[TreeTask]) -> Iterator[tuple[TreeTask, Floats]]:
        if not tasks:
            return
        shared = self._shared
        if self._is_forest:
            train, asked = [task.rows for task in tasks], [task.test for task in tasks]
            table = shared.columns, shared.matrix, shared.y, self._rules
            answers = forest_answers(self._learner, *table, train, asked)
            if answers is not None:
                yield from zip(tasks, answers, strict=True)
                return
        learners = [task.learner for task in tasks]
        trees = grow_parts(learners, shared, [task.rows for task in tasks])
        for task, tree in zip(tasks, trees, strict=True):
            task.learner.tree_ = tree
            matrix = shared.matrix[task.test]
            yield task, probabilities(tree, matrix, task.learner._answers())

    def _odd_part(self, rows: Positions) -> _OddPart | None:
        """Return a part that grows separately; None if `fit` refuses it."""
        shared, learner = self._shared, self._learner
        known = ~np.isnan(shared.matrix[rows][:, self._gappy])
        result, codes = np.unique(shared.y[rows], return_inverse=True)
        classes = result.astype(np.int64)
        if len(classes) < 2 or not known.any(axis=0).all() or len(rows) == 0:
            return None
        recoded, attributes = {}, list(learner.attributes_)
        for a, n_levels in self._of_values.items():
            present = self._present(a, rows)
            if len(present) == n_levels:
                continue
            levels = [attributes[a].levels[code] for code in present.tolist()]
            ordered = sorted_levels(levels)
            recoded[a] = np.full(n_levels, UNSEEN)
            recoded[a][present] = [ordered.index(level) for level in levels]
            attributes[a] = replace(attributes[a], levels=tuple(ordered))
        y = codes.astype(np.int16)
        is_whole = len(classes) == self.table.n_classes and not recoded
        if is_whole and shared.columns.has_missing == (not known.all()):
            return _OddPart(shared.columns.take(rows), y, classes, recoded)
        raw = [column[rows] for column in shared.columns.raw]
        for a, new in recoded.items():
            raw[a] = np.where(raw[a] >= 0, new[np.maximum(raw[a], 0)], -1).astype(np.int32)
        columns = sort_columns(attributes, raw, y, gap=self._rules.gap, may_list=True)
        return _OddPart(columns, y, classes, recoded)

    def _answer_odd(self, task: TreeTask, part: _OddPart) -> Floats | None:
        """Return the probabilities of a part that grows separately; None if `fit` refuses it."""
        learner = task.learner
        learner.classes_ = self._learner.classes_[part.classes]
        try:
            learner.tree_ = learner._grow_and_prune(part.columns, part.y, self._rules, None)
        except ValueError:
            return None
        matrix = self._shared.matrix[task.test]
        for a, new in part.recoded.items():
            is_known = ~np.isnan(matrix[:, a])
            matrix[is_known, a] = new[matrix[is_known, a].astype(np.int64)]
        shown = np.zeros((len(task.test), self.table.n_classes))
        shown[:, part.classes] = probabilities(learner.tree_, matrix, learner._answers())
        return shown


def _parts_at_once(learner: TreeClassifier, n_cells: int) -> int:
    """Return the number of parts of a table that grow together, given its cells."""
    return max(
        _CELLS_TOGETHER // max(n_cells * (1 + int(learner.cv) if learner.chooses_alpha else 1), 1),
        1,
    )


def _asks_for_more(estimator: Any) -> bool:
    """Return whether a parameter has an unsupported value."""
    for name, allowed in _REFUSED.items():
        value = getattr(estimator, name, allowed[0])
        if not any(value is item or (isinstance(value, str) and value == item) for item in allowed):
            return True
    is_seeded = estimator.random_state is None or isinstance(estimator.random_state, int)
    has_folds = isinstance(getattr(estimator, "cv", 5), int)
    pruning = getattr(estimator, "pruning", None)
    # Thresholds of C4.5 are values of all rows of a part, even in its folds.
    is_refused = pruning == "mdl" or (
        pruning == "cost-complexity" and isinstance(estimator, C45Classifier)
    )
    return not (is_seeded and has_folds) or is_refused


def _columns_with_own_levels(learner: TreeClassifier, X: Any) -> dict[int, int]:
    """Return the numbers of levels of the columns whose levels are the values that occur."""
    pairs = enumerate(zip(table_columns(X), learner.attributes_, strict=True))
    return {
        a: attribute.n_levels
        for a, (column, attribute) in pairs
        if attribute.kind != NUMERIC and declared_levels(column) is None
    }
