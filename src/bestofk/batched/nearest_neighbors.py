"""Nearest neighbors in many training sets of a table, by blocks of distances."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from bestofk.array_types import Bools, Floats, Folds, Ints
from bestofk.batched.form import BatchedForm, BatchedPredictions
from bestofk.batched.parts import Parts
from bestofk.batched.shared_table import SharedTable, Subsets
from bestofk.checks import is_whole
from bestofk.learners._neighbors import NeighborVotes
from bestofk.learners.nearest_neighbors_classifier import SLACK, Asks, NearRows, count_votes

# Above this many neighbors, inserting each costs as much as sorting all.
_MOST_NEIGHBORS: Final = 64
# Maximum entries of all lists.
_MOST_ENTRIES: Final = 2**25
# Maximum rows for subsets; larger tables are left to the plain learner.
_MOST_ROWS: Final = 3000
# Length of the lists for subsets.
_SUBSET_LENGTH: Final = 128
# Length of the lists for many settings, per neighbor.
_LONGER: Final = 6
# Maximum columns; in more, all rows are about equally far.
_MOST_COLUMNS: Final = 1000
# Fourth powers of larger numbers may overflow.
_LARGEST: Final = 1e70


class NearestNeighborsForm(BatchedForm):
    """Nearest neighbors of rows in many training sets.

    Made once: for each row the list of the rows nearest to it, with the column weights of nearly
    all rows. In a part columns have other weights (they are scaled there): the distances along the
    list are computed with these, and the smallest ratio of the weights proves that no later row is
    as near as the k-th training row. Rows without such a proof get longer lists. A part with fill
    values other than those of all rows, or a subset that scales, has its own lists: means differ
    between parts, most frequent levels rarely do. For rows that tie with the k-th,
    `NearestNeighborsClassifier` counts all; the learners of scikit-learn use some, here the first
    ones in the table.

    Parameters
    ----------
    estimator, table, n_folds
        As for `BatchedForm`.
    settings : sequence of (int, bool), optional
        Pairs of number of neighbors and whether votes are weighted by distance, with ascending
        numbers for equal weighting, for `shares`; `predict` uses only the estimator's own. Subsets
        then share lists even if they scale.
    """

    @classmethod
    def supports(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether distances are Euclidean, votes equal, and numbers finite."""
        params = estimator.get_params(deep=False)
        k = params["n_neighbors"]
        if not is_whole(k) or k < 1:
            return False
        is_own = "metric" not in params
        if not is_own and not _is_plain_euclidean(params):
            return False
        if table.preparation is None and not table.is_numeric:
            return False
        if not is_own and table.has_other_floats:
            return False
        if table.n_samples < 2 or table.n_columns == 0 or table.has_lasting_gaps:
            return False
        return bool(np.abs(table.encoded.matrix).max() < _LARGEST)

    @classmethod
    def is_faster(cls, estimator: Any, table: SharedTable, n_folds: int) -> bool:
        """Return whether lists are short, and columns few enough for lists to suffice.

        Making the lists costs as many pairs of rows as one repeat of the plain learner.
        """
        n_samples, n_columns = table.encoded.matrix.shape
        k = int(estimator.n_neighbors)
        n_entries = n_samples * list_length(k, n_folds, n_columns)
        return k <= _MOST_NEIGHBORS and n_entries <= _MOST_ENTRIES and n_columns <= _MOST_COLUMNS

    @classmethod
    def supports_subsets(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether rows and neighbors are few."""
        return table.n_samples <= _MOST_ROWS and int(estimator.n_neighbors) <= _MOST_NEIGHBORS

    def __init__(
        self,
        estimator: Any,
        table: SharedTable,
        n_folds: int = 0,
        settings: Sequence[tuple[int, bool]] | None = None,
    ) -> None:
        super().__init__(estimator, table, n_folds)
        own = [(int(estimator.n_neighbors), estimator.weights == "distance")]
        numbers = np.array(own if settings is None else settings)
        self._ks, is_weighted = numbers[:, 0].astype(np.intp), numbers[:, 1].astype(np.uint8)
        self._k = int(self._ks.max())
        self._rule = not hasattr(estimator, "metric"), is_weighted
        self._code, self._value = table.y.astype(np.intp), np.ones(table.n_samples)
        if table.n_classes == 0:
            self._code, self._value = np.zeros(table.n_samples, np.intp), table.y.astype(float)
        steps = table.encoded.steps
        is_scaled = any(step.scale not in (None, "center") for step in steps)
        self._is_shared = all(steps[index].is_nominal for index in table.encoded.filled) and (
            n_folds > 0 or settings is not None or not is_scaled
        )
        if self._is_shared:
            self._fill, self._matrix = self._usual_fill()
            self._usual = self._usual_weights()
            self._search = NearRows(self._matrix, np.sqrt(self._usual))
            length = list_length(self._k, n_folds, table.n_columns)
            if settings is not None:  # parts of parts, in which columns differ more
                length = max(length, _LONGER * self._k)
            self._lists = self._search.lists(self._matrix, length)

    def predict(self, folds: Folds, random_states: Ints | None = None) -> BatchedPredictions:
        """Search the lists of all rows in every part; see `BatchedForm.predict`."""
        n_repeats, n_samples = folds.shape
        part = folds + self.n_folds * np.arange(n_repeats)[:, None]
        row = np.tile(np.arange(n_samples), n_repeats)
        shares, is_done = self.shares(self.table.parts(folds, self.n_folds), row, part.ravel())
        shares = shares.reshape(n_repeats, n_samples, -1)
        return self._predictions(shares, None if is_done.all() else is_done)

    def predict_subsets(
        self, subsets: Subsets, random_states: Ints | None = None
    ) -> BatchedPredictions:
        """Search lists in every subset; see `BatchedForm.predict_subsets`."""
        part = np.repeat(2 * np.arange(len(subsets)), np.diff(subsets.start))
        shares, is_done = self.shares(subsets.parts(self.table), subsets.rows, part)
        return self._predictions(shares[:, 0], is_done[:, 0])

    def _predictions(self, shares: Floats, is_done: Bools | None) -> BatchedPredictions:
        if self.table.n_classes == 0:
            return BatchedPredictions(shares[..., 0], is_done=is_done)
        return BatchedPredictions(shares.argmax(axis=-1), shares, is_done=is_done)

    def shares(self, parts: Parts, row: Ints, part: Ints) -> tuple[Floats, Bools]:
        """Return shares of the classes (means) of rows in parts, and which parts are done.

        Parameters
        ----------
        parts : Parts
            Training parts.
        row, part : ndarray of shape (n_asks,), int64
            Rows to predict, and their part; part f of repeat r has the number r n_folds + f.

        Returns
        -------
        shares : ndarray of shape (n_asks, n_ks, n_classes or 1), float64
            0 where the part is not done.
        is_done : ndarray of shape (n_repeats, n_folds), bool
            False for parts with fewer rows than the largest number of neighbors.
        """
        weights, is_constant = _weights(parts)
        is_done = (parts.n_train >= self._k) & weights.any(axis=2)
        shares = np.zeros((len(row), len(self._ks), max(self.table.n_classes, 1)))
        is_shared = is_done & self._fills_as_usual(parts)
        for own, repeat, fold in _by_part(part, is_done & ~is_shared):
            is_train = parts.is_train(repeat, fold)
            shares[own] = self._shares_alone(parts.matrix(repeat, fold), is_train, row[own])
        if not is_shared.any():
            return shares, is_done
        asked = np.flatnonzero(is_shared.ravel()[part])
        row, part, matrix = row[asked], part[asked], self._matrix
        train_rows = np.asarray(parts.folds[:, None] != np.arange(parts.n_folds)[:, None])
        asks = Asks(
            row, part, self._bounds(parts, weights, is_constant, row, part),
            train_rows.reshape(-1, len(matrix)), weights.reshape(-1, matrix.shape[1]),
        )  # fmt: skip
        votes = NeighborVotes(matrix, self._code, self._value, self._ks, *self._rule)
        shares[asked] = count_votes(votes, matrix, asks, self._search, self._lists, shares.shape[2])
        return shares, is_done

    def _shares_alone(self, matrix: Floats, is_train: Bools, rows: Ints) -> Floats:
        """Return `shares` of some rows in one part, by separate lists."""
        known, asked = matrix[is_train], matrix[rows]
        votes = NeighborVotes(
            known, self._code[is_train], self._value[is_train], self._ks, *self._rule
        )
        search, asks = NearRows(known), Asks.of_one_part(asked, len(known))
        lists = search.lists(asked, self._k)
        return count_votes(votes, asked, asks, search, lists, max(self.table.n_classes, 1))

    def _usual_fill(self) -> tuple[Floats | None, Floats]:
        """Return the fill values of all rows, and the matrix filled with them."""
        encoded = self.table.encoded
        if encoded.is_missing is None:
            return None, encoded.matrix
        all_train = self.table.parts(np.ones((1, self.table.n_samples), dtype=np.int32), 2)
        fill = np.asarray(all_train.fill)[0, 0]
        return fill, np.where(encoded.is_missing, fill, encoded.matrix)

    def _fills_as_usual(self, parts: Parts) -> Bools:
        """Return which parts the lists are valid for, shape (n_repeats, n_folds)."""
        if not self._is_shared or self._fill is None:
            return np.full((parts.n_repeats, parts.n_folds), self._is_shared)
        return np.asarray((np.asarray(parts.fill) == self._fill).all(axis=2))

    def _usual_weights(self) -> Floats:
        """Return the weights of the lists."""
        n_folds = self.n_folds or 2
        every_nth = (np.arange(self.table.n_samples) % n_folds).astype(np.int32)
        weights, is_constant = _weights(self.table.parts(every_nth[None], n_folds))
        # the smallest weights of the columns: distances rarely get shorter
        usual = np.where(is_constant, np.inf, weights).min(axis=(0, 1))
        return np.where(usual == np.inf, 1.0, usual)

    def _bounds(
        self, parts: Parts, weights: Floats, is_constant: Bools, row: Ints, part: Ints
    ) -> Floats:
        """Return lower bounds of distances in a part, from those in lists; see `Asks`."""
        ratio = (np.where(is_constant, np.inf, weights) / self._usual).min(axis=2) * (1 - SLACK)
        ratio[ratio == np.inf] = 0.0
        bounds = np.column_stack([ratio.ravel()[part], np.zeros(len(part))])
        shift = np.zeros(weights.shape) if parts.scaling is None else parts.scaling.shift
        for own, repeat, fold in _by_part(part, np.asarray(is_constant.any(axis=2))):
            # constant columns add the same to the distances of all training rows
            columns = np.flatnonzero(is_constant[repeat, fold])
            off = self._matrix[row[own][:, None], columns]
            off = (off - shift[repeat, fold, columns]) ** 2
            more = weights[repeat, fold, columns] - ratio[repeat, fold] * self._usual[columns]
            bounds[own, 1] = off @ more
        return bounds


def list_length(k: int, n_folds: int, n_columns: int) -> int:
    """Return the length of the lists; shorter ones would fail too often.

    With more columns, distances of rows differ less.

    Parameters
    ----------
    k, n_folds, n_columns : int
        Neighbors wanted; folds of a repeat, 0 for subsets of any size; columns.
    """
    if n_folds == 0:
        return _SUBSET_LENGTH
    return 7 + k + n_columns // 20 + (10 + 5 * k) // (n_folds - 1)


def _by_part(part: Ints, is_wanted: Bools) -> Iterator[tuple[Ints, int, int]]:
    """Yield the positions of some parts, with their repeats and folds.

    Parameters
    ----------
    part : ndarray of int
        Numbers of parts.
    is_wanted : ndarray of shape (n_repeats, n_folds), bool
        Which parts.
    """
    if not is_wanted.any():
        return
    order = np.argsort(part, kind="stable")
    start = np.searchsorted(part[order], np.arange(is_wanted.size + 1))
    for number in np.flatnonzero(is_wanted).tolist():
        own = order[start[number] : start[number + 1]]
        if len(own):
            yield own, *divmod(number, is_wanted.shape[1])


def _weights(parts: Parts) -> tuple[Floats, Bools]:
    """Return the weights of squared differences in each part, and which columns are constant.

    Shape (n_repeats, n_folds, n_columns).
    """
    shape = parts.n_repeats, parts.n_folds, parts.columns.matrix.shape[1]
    weight, is_constant = np.ones(shape), np.zeros(shape, dtype=bool)
    if parts.scaling is not None:
        weight, is_constant = parts.scaling.factor**2, parts.scaling.is_constant
    if parts.is_active is not None:
        weight = weight * parts.is_active
        is_constant = is_constant | ~parts.is_active
    return weight, is_constant


def _is_plain_euclidean(params: dict[str, Any]) -> bool:
    metric = params["metric"]
    is_euclidean = metric in ("euclidean", "l2") or (metric == "minkowski" and params["p"] == 2)
    return (
        is_euclidean
        and params["metric_params"] is None
        and params["weights"] in ("uniform", "distance")
        and params["algorithm"] in ("auto", "ball_tree", "kd_tree", "brute")
    )
