"""Tests on the rows of a single test set for every pair of fitted learners."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bestofk.errors import DesignError
from bestofk.inference.many_learners.pair_evidence import ROW_TESTS, PairEvidence, compare_all
from bestofk.inference.one_test_set.mcnemar import McNemar
from bestofk.inference.sampling import Sampling
from bestofk.inference.two_learners.paired_comparison import PairedComparison

# The test that fits a measure of a single test set.
_TEST_OF_MEASURE = {"error": "mcnemar", "accuracy": "mcnemar", "auroc": "delong"}
_ONE_TEST_SET = "Fitted learners were compared on one test set: the verdict is about these fits, " \
    "and training again could give another."  # fmt: skip


def compare_on_rows(
    test: str,
    measure: str,
    *,
    losses: NDArray[np.float64] | None,
    rankings: NDArray[np.float64] | None,
    is_positive: NDArray[np.bool_] | None,
) -> PairEvidence | None:
    """Return what the test of a measure says of every pair on one test set.

    Parameters
    ----------
    test : str
        "mcnemar" or "delong"; any other name leaves the choice to the measure.
    measure : str
        Name of the deciding measure.
    losses : ndarray of shape (n_learners, n_rows) or None
        1 where a learner was wrong, else 0.
    rankings : ndarray of shape (n_learners, n_rows) or None
        How strongly each learner takes a row for positive.
    is_positive : ndarray of shape (n_rows,), bool, or None
        The positive rows.

    Returns
    -------
    PairEvidence or None
        None where no test fits the measure, or what it needs is not there.

    Raises
    ------
    DesignError
        If a test is asked for by name that does not fit the measure.
    """
    check_row_test(test, measure)
    fitting = _TEST_OF_MEASURE.get(measure)
    if fitting == "mcnemar" and losses is not None:
        evidence = compare_all(losses, McNemar(), Sampling("test-set", 1, 1))
        return PairEvidence(
            evidence.test, evidence.title, evidence.compared, (_ONE_TEST_SET, *evidence.warnings)
        )
    if fitting == "delong" and rankings is not None and is_positive is not None:
        return _delong(rankings, is_positive)
    return None


def check_row_test(test: str, measure: str) -> None:
    """Raise if a test of rows is asked for by name that does not fit the measure.

    Parameters
    ----------
    test : str
        Name of any test.
    measure : str
        Name of the deciding measure.

    Raises
    ------
    DesignError
        If it is "mcnemar" or "delong" and the measure is another one's.
    """
    if test in ROW_TESTS and test != _TEST_OF_MEASURE.get(measure):
        wanted = [name for name, item in _TEST_OF_MEASURE.items() if item == test]
        raise DesignError(
            f"test must fit the deciding measure; got {test!r} for {measure!r}. "
            f"{test} compares classifiers by {' or '.join(wanted)}: say scoring={wanted[0]!r}."
        )


def _delong(rankings: NDArray[np.float64], is_positive: NDArray[np.bool_]) -> PairEvidence:
    """Compare every pair by DeLong's test; the loss is minus the AUROC."""
    from bestofk.inference.one_test_set.delong import delong_test

    k, n_rows = rankings.shape
    if is_positive.all() or not is_positive.any():
        n_pairs = k * (k - 1) // 2
        raise DesignError(
            f"rows of the test set must be of both classes for {n_pairs} DeLong tests; got one. "
            "Compare by 'error', or take a test set with both."
        )
    results = [
        delong_test(is_positive, rankings[j], rankings[i], alternative="greater")
        for i in range(k)
        for j in range(i + 1, k)
    ]
    p_greater = np.array([result.p_value for result in results])
    statistic = np.array([result.statistic for result in results])
    zero = np.array(["zero_variance" in result.flags for result in results], dtype=bool)
    none = zero & (statistic == 0)
    upper = PairedComparison(
        mean=np.array([result.estimate for result in results]),
        statistic=statistic,
        df=np.full(len(results), np.inf),
        # the estimate of the variance says nothing where no row tells the learners apart
        standard_error=np.where(zero, np.nan, [result.standard_error for result in results]),
        p_greater=p_greater,
        p_less=np.where(none, 1.0, 1 - p_greater),
        p_two_sided=np.where(none, 1.0, 2 * np.minimum(p_greater, 1 - p_greater)),
        zero_variance=zero,
        n_scores=n_rows,
        interval_df=np.inf,
    )
    return PairEvidence(
        test="delong",
        title="DeLong test",
        compared=upper.square(k),
        warnings=(_ONE_TEST_SET,),
    )
