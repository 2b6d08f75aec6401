"""Results of the chosen test for every pair of learners."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bestofk.array_types import Bools, Floats, Ints
from bestofk.checks import known_name
from bestofk.errors import DesignError
from bestofk.inference.catalogue import PROCEDURES
from bestofk.inference.checks import Names, names_of_columns
from bestofk.inference.sampling import Sampling
from bestofk.inference.two_learners.catalogue import (
    PAIRED_TESTS,
    check_test,
    paired_test,
    usable_tests,
)
from bestofk.inference.two_learners.paired_comparison import PairedComparison
from bestofk.inference.two_learners.paired_test import PairedTest
from bestofk.measures.ties import is_noise

# of fitted learners, on the rows of one test set
ROW_TESTS = ("mcnemar", "delong", "cv-central-limit")
# A standard deviation of exactly one row that changes side counts as one, whatever rounding does.
_NEARLY = 1 - 1e-9


def wanted_test(name: str) -> str:
    """Return the name of a test that can compare learners, as this package writes it.

    Parameters
    ----------
    name : str
        A paired test of splits, or one of `ROW_TESTS` for one test set.

    Returns
    -------
    str
        The name.

    Raises
    ------
    InvalidArgumentError
        If there is no such test.
    """
    return known_name(
        name, PAIRED_TESTS.aliases | {n: PROCEDURES[n].aliases for n in ROW_TESTS}, "test"
    )


def check_plan(test: str, sampling: Sampling) -> None:
    """Raise if a plan cannot carry a test although it can carry another.

    Parameters
    ----------
    test : str
        A name that `wanted_test` returned.
    sampling : Sampling
        How rows are divided.

    Raises
    ------
    DesignError
        If it cannot; the message names tests that it can carry.
    """
    usable = usable_tests(sampling)
    if test not in ROW_TESTS:
        if usable:
            check_test(test, sampling)
    elif sampling.n_scores > 1:
        raise DesignError(
            f"test must be one that the plan can carry; got {test!r}, which compares fitted "
            f"learners on one test set. Usable here: {', '.join(usable) or 'none'}."
        )


@dataclass(frozen=True, eq=False)
class PairEvidence:
    """The outcome of one test for every ordered pair of learners.

    Parameters
    ----------
    test, title : str
        Name and title of the test.
    compared : PairedComparison
        Fields of shape (n_learners, n_learners), loss of the row minus loss of the column.
    warnings : tuple of str
        What to distrust of the test as such.
    row_test : str
        What tested pairs whose differences over splits do not vary; empty for nothing.
    """

    test: str
    title: str
    compared: PairedComparison
    warnings: tuple[str, ...] = ()
    row_test: str = ""

    @property
    def is_open(self) -> Bools:
        """Pairs without a test, because their differences vary too little."""
        return np.asarray(np.isnan(self.compared.statistic))

    @property
    def is_same(self) -> Bools:
        """Pairs without any difference; a learner is one with itself."""
        has_none = self.compared.zero_variance & (self.compared.statistic == 0)
        return np.asarray(has_none & (np.isnan(self.compared.standard_error) | (not self.row_test)))

    def why_no_test(self, first: int, second: int, n_splits: int) -> str:
        """Return why two learners were not tested on so many splits; empty where they were."""
        if not self.compared.zero_variance[first, second]:
            return ""
        on_rows = self.test in ROW_TESTS
        if self.is_same[first, second]:
            if on_rows:
                return "no row of the test set tells them apart"
            return f"the same scores on all {n_splits} splits"
        varies = f"the differences hardly vary over {n_splits} {'rows' if on_rows else 'splits'}"
        if self.is_open[first, second]:
            return f"{varies}, and a test needs variance"
        return f"{varies}, so the answer is that of {self.row_test}"


def compare_on_splits(
    losses: Floats, test: str, sampling: Sampling, *, is_complete: bool
) -> PairEvidence | None:
    """Return what a paired test says of every pair by their losses on shared splits.

    Parameters
    ----------
    losses : ndarray of shape (n_splits, n_learners)
        Lower is better, repeat by repeat; nan from where a learner was repeated no further.
        Two learners are compared on the splits that both have.
    test : str
        Name of a paired test.
    sampling : Sampling
        How the splits were made.
    is_complete : bool
        Whether every split of the plan counts.

    Returns
    -------
    PairEvidence or None
        None where the splits can carry no test, or have lost the splits that this one needs.
        A pair is not tested where its differences do not vary, or less than they would if one
        test row of one split changed side: its statistic is nan, its p values are 1.

    Raises
    ------
    InvalidArgumentError
        If there is no such test.
    DesignError
        If the plan cannot carry the test although it can carry another.
    """
    if test in ROW_TESTS:
        check_plan(test, sampling)
        return None
    wanted = paired_test(test)
    if not usable_tests(sampling) or (not is_complete and wanted.refuse(sampling)):
        return None
    test_made = check_test(wanted.name, sampling)
    lengths = (~np.isnan(losses)).sum(axis=0)
    if lengths.min() == len(losses):
        return _compare_pairs(losses, test_made, sampling)
    return _compare_prefixes(losses, lengths, test_made, sampling)


def _compare_prefixes(
    losses: Floats, lengths: Ints, test: PairedTest, sampling: Sampling
) -> PairEvidence:
    """Compare every pair on the splits that both learners have, which are the first ones."""
    shared = np.minimum(lengths[:, None], lengths)
    longest = _compare_pairs(np.nan_to_num(losses), test, sampling)
    arrays: dict[str, Any] = {
        field.name: np.array(np.broadcast_to(getattr(longest.compared, field.name), shared.shape))
        for field in fields(longest.compared)
        if field.name != "n_scores"
    }
    for length in np.unique(shared):
        learners = np.flatnonzero(lengths >= length)
        part = replace(sampling, n_repeats=max(int(length) // sampling.n_folds, 1))
        result = _compare_pairs(losses[:length, learners], test, part).compared
        for name, whole in arrays.items():
            of_part = np.broadcast_to(getattr(result, name), (len(learners), len(learners)))
            chosen = shared[np.ix_(learners, learners)] == length
            first, second = np.nonzero(chosen)
            whole[learners[first], learners[second]] = of_part[first, second]
    return replace(longest, compared=replace(longest.compared, **arrays))


def compare_all(
    losses: ArrayLike, test: PairedTest, sampling: Sampling, *, names: Names = None
) -> PairEvidence:
    """Return what a test says of every ordered pair of learners.

    Parameters
    ----------
    losses : array-like of shape (n_values, n_learners)
        One column per learner.
    test : PairedTest
        One that the sampling can carry.
    sampling : Sampling
        How the values were made.
    names : sequence of str, optional
        Of the learners; needed where they are more than the values.

    Returns
    -------
    PairEvidence
        The upper triangle is tested, the lower one mirrored.

    Raises
    ------
    DesignError
        If there are more learners than values and no names.
    """
    names_of_columns(losses, "losses of compare_all", row="value", names=names)
    return _compare_pairs(np.asarray(losses, dtype=float), test, sampling)


def _compare_pairs(losses: Floats, test: PairedTest, sampling: Sampling) -> PairEvidence:
    values = np.ascontiguousarray(losses.T)
    k = len(values)
    first, second = np.triu_indices(k, k=1)
    largest = np.abs(values).max(axis=1)
    differences, scale = values[first] - values[second], np.maximum(largest[first], largest[second])
    upper = test.compare(differences, sampling, scale=scale)
    if sampling.scheme != "test-set":  # single rows are all that one test set has
        least = _NEARLY * sampling.row_step / differences.shape[1] ** 0.5
        is_flat = upper.zero_variance | (differences.std(axis=1, ddof=1) < least)
        is_same = is_noise(np.abs(differences).max(axis=1, initial=0.0), scale)
        upper = upper.without_limits(is_flat, is_flat & is_same)
    return PairEvidence(
        test=test.name, title=test.title, compared=upper.square(k), warnings=test.warnings(sampling)
    )
