"""Evidence on every pair of learners, from shared splits or the rows of one test set."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from itertools import combinations

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
from bestofk.inference.two_learners.cv_central_limit import compare_row_means
from bestofk.inference.two_learners.over_time import UNSETTLED
from bestofk.inference.two_learners.paired_test import PairedComparison, PairedTest
from bestofk.measures.ties import is_noise

# of fitted learners, on the rows of one test set
ROW_TESTS = ("mcnemar", "delong", "cv-central-limit")
# A standard deviation of exactly one row that changes side counts as one, whatever rounding does.
_NEARLY = 1 - 1e-9


@cache
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
    if name in (*PAIRED_TESTS, *ROW_TESTS):
        return name
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
            f"test must be one that the plan allows; got {test!r}, which compares fitted "
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
        if self.compared.is_unsettled[first, second]:
            return UNSETTLED.format(n_splits)
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
    if not usable_tests(sampling) or (not is_complete and wanted.refusal(sampling)):
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
    names = [field.name for field in fields(PairedComparison) if field.name != "n_scores"]
    arrays = longest.compared.tables(names, len(lengths))
    for length in np.unique(shared):
        learners = np.flatnonzero(lengths >= length)
        part = replace(sampling, n_repeats=max(int(length) // sampling.n_folds, 1))
        result = _compare_pairs(losses[:length, learners], test, part).compared
        first, second = np.nonzero(shared[np.ix_(learners, learners)] == length)
        for name, of_part in result.tables(names, len(learners)).items():
            arrays[name][learners[first], learners[second]] = of_part[first, second]
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
        Names of the learners; required with more learners than values.

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
    unsettled = test.unsettled(differences, sampling)
    if unsettled.any():
        upper = upper.undecided(unsettled)
    if sampling.scheme != "test-set":  # single rows are all that one test set has
        least = _NEARLY * sampling.row_step / differences.shape[1] ** 0.5
        is_flat = upper.zero_variance | (differences.std(axis=1, ddof=1) < least)
        is_same = is_noise(np.abs(differences).max(axis=1, initial=0.0), scale)
        upper = upper.without_limits(is_flat, is_flat & is_same)
    return PairEvidence(
        test=test.name, title=test.title, compared=upper.square(k), warnings=test.warnings(sampling)
    )


# The test that fits a measure of a single test set; other means over rows have the last one.
_TEST_OF_MEASURE = {"error": "mcnemar", "accuracy": "mcnemar", "auroc": "delong"}
_TEST_OF_MEANS = "cv-central-limit"
_FEWEST_ROWS = 2
_ONE_TEST_SET = "Fitted learners were compared on one test set: the verdict is about these " \
    "models, and training again could change it."  # fmt: skip


def compare_on_rows(
    test: str,
    measure: str,
    *,
    losses: Floats | None,
    rankings: Floats | None,
    is_positive: Bools | None,
    names: Names = None,
) -> PairEvidence | None:
    """Return what the test of a measure says of every pair on one test set.

    Parameters
    ----------
    test : str
        One of `ROW_TESTS`; any other name leaves the choice to the measure.
    measure : str
        Name of the deciding measure.
    losses : ndarray of shape (n_rows, n_learners) or None
        Loss of each learner on each row; None where the measure is no mean over rows.
    rankings : ndarray of shape (n_rows, n_learners) or None
        How strongly each learner takes a row for positive.
    is_positive : ndarray of shape (n_rows,), bool, or None
        The positive rows.
    names : sequence of str, optional
        Names of the learners; required with more learners than rows.

    Returns
    -------
    PairEvidence or None
        None where no test fits the measure, or what it needs is not there.  Errors are compared
        by McNemar's test, AUROC by DeLong's, other means over rows by the central limit
        test of row losses [1]_; its standard errors are nan where no row separates a pair.

    Raises
    ------
    DesignError
        If a test is asked for by name that does not fit the measure, or a table has more
        learners than rows and no names.

    References
    ----------
    .. [1] Bayle, Bayle, Janson & Mackey (2020), Cross-validation confidence intervals for test
       error, NeurIPS 33.
    """
    fitting = check_row_test(test, measure, is_row_mean=losses is not None)
    if losses is not None and len(losses) < _FEWEST_ROWS:
        return None
    for table, what in ((losses, "losses"), (rankings, "rankings")):
        if table is not None:
            names_of_columns(table, f"{what} of compare_on_rows", row="row", names=names)
    if fitting == _TEST_OF_MEANS and losses is not None:
        return _central_limit(losses)
    if fitting == "mcnemar" and losses is not None:
        from bestofk.inference.one_test_set.mcnemar import McNemar

        evidence = compare_all(losses, McNemar(), Sampling("test-set", 1, 1), names=names)
        return replace(evidence, warnings=(_ONE_TEST_SET, *evidence.warnings))
    if fitting == "delong" and rankings is not None and is_positive is not None:
        return _delong(rankings, is_positive)
    return None


def settle_on_rows(
    evidence: PairEvidence, row_losses: Callable[[Sequence[int]], Floats | None]
) -> PairEvidence:
    """Test pairs on rows whose differences over splits do not vary.

    Parameters
    ----------
    evidence : PairEvidence
        What a test of splits says.
    row_losses : callable
        Takes positions of learners, and returns their losses on the rows of one repeat, shape
        (n_rows, n_learners); None where predictions were not kept.

    Returns
    -------
    PairEvidence
        With McNemar's test of these pairs where rows are right or wrong, else with signs of the
        row differences that are exchanged at random; the same where there are no rows.
    """
    open_pairs = np.argwhere(np.triu(evidence.is_open, 1))
    learners = np.unique(open_pairs)
    losses = row_losses(learners.tolist()) if len(learners) else None
    if losses is None or len(losses) < _FEWEST_ROWS:
        return evidence
    whole = evidence.compared
    names = ("statistic", "df", "standard_error", "p_greater", "p_less", "p_two_sided",
             "interval_df")  # fmt: skip
    arrays = {
        name: table.astype(float) for name, table in whole.tables(names, len(whole.mean)).items()
    }
    for i, j in open_pairs:
        first, second = losses[:, np.searchsorted(learners, [i, j])].T
        tested = _compare_rows(first - second).square(2)
        for name, both in tested.tables(names, 2).items():
            arrays[name][i, j], arrays[name][j, i] = both[0, 1], both[1, 0]
    name = "McNemar's test" if _are_hits(losses) else "random signs"
    row_test = f"{name} of the {len(losses):,} rows of one repeat"
    return replace(evidence, compared=replace(whole, **arrays), row_test=row_test)


def _are_hits(losses: Floats) -> bool:
    """Return whether rows are right or wrong, whichever of them is 1."""
    return bool((np.abs(losses) <= 1).all() and (losses == losses.astype(int)).all())


def _compare_rows(differences: Floats) -> PairedComparison:
    """Return McNemar's test of differences of rows, or that of random signs."""
    from bestofk.inference.one_test_set.mcnemar import McNemar
    from bestofk.inference.one_test_set.resampling import permutation_test

    one_set = Sampling("test-set", 1, 1)
    if _are_hits(differences):
        return McNemar().compare(differences[None], one_set)
    zeros, variance = np.zeros_like(differences), differences.var(ddof=1)
    normal = compare_row_means(
        differences.mean()[None], variance[None], len(differences), np.abs(differences).max()
    )
    p_greater, p_less, p_two_sided = (
        np.array([permutation_test(differences, zeros, alternative=side).p_value])
        for side in ("greater", "less", "two-sided")
    )
    return replace(
        normal,
        standard_error=np.where(normal.zero_variance, np.nan, normal.standard_error),
        p_greater=p_greater,
        p_less=p_less,
        p_two_sided=p_two_sided,
    )


def check_row_test(test: str, measure: str, *, is_row_mean: bool) -> str:
    """Return the test of rows that fits a measure, or raise if another one is asked for by name.

    Parameters
    ----------
    test : str
        Name of any test.
    measure : str
        Name of the deciding measure.
    is_row_mean : bool
        Whether it is a mean over rows.

    Returns
    -------
    str
        Its name; empty where none fits.

    Raises
    ------
    DesignError
        If it is one of `ROW_TESTS` and the measure is another one's.
    """
    fitting = _TEST_OF_MEASURE.get(measure, _TEST_OF_MEANS if is_row_mean else "")
    if test in ROW_TESTS and test != fitting:
        wanted = [name for name, item in _TEST_OF_MEASURE.items() if item == test] or ["log_loss"]
        raise DesignError(
            f"test must fit the deciding measure; got {test!r} for {measure!r}. "
            f"{test} compares learners by {' or '.join(wanted)}: say scoring={wanted[0]!r}."
        )
    return fitting


def _central_limit(losses: Floats) -> PairEvidence:
    """Compare every pair by the mean and the variance of the differences of their row losses."""
    n_rows, k = losses.shape
    largest = np.abs(losses).max(axis=0)
    first, second = np.triu_indices(k, k=1)
    moments = np.empty((2, len(first)))
    for pair, (i, j) in enumerate(zip(first, second, strict=True)):  # large tables: one at a time
        differences = losses[:, i] - losses[:, j]
        moments[:, pair] = differences.mean(), differences.var(ddof=1)
    scale = np.maximum(largest[first], largest[second])
    upper = compare_row_means(moments[0], moments[1], n_rows, scale)
    compared = upper.without_limits(upper.zero_variance, upper.statistic == 0).square(k)
    title = "central limit test of row losses"
    return PairEvidence(_TEST_OF_MEANS, title, compared, warnings=(_ONE_TEST_SET,))


def _delong(rankings: Floats, is_positive: Bools) -> PairEvidence:
    """Compare every pair by DeLong's test; the loss is minus the AUROC."""
    from bestofk.inference.one_test_set.roc import delong_test

    n_rows, k = rankings.shape
    if is_positive.all() or not is_positive.any():
        n_pairs = k * (k - 1) // 2
        raise DesignError(
            f"rows of the test set must be of both classes for {n_pairs} DeLong tests; got one. "
            "Compare by 'error', or take a test set with both."
        )
    results = [
        delong_test(is_positive, rankings[:, j], rankings[:, i], alternative="greater")
        for i, j in combinations(range(k), 2)
    ]
    names = ("p_value", "statistic", "estimate", "standard_error")
    p_greater, statistic, estimate, error = (
        np.array([getattr(result, name) for result in results]) for name in names
    )
    zero = np.array(["zero_variance" in result.flags for result in results], dtype=bool)
    upper = PairedComparison(
        mean=estimate,
        statistic=statistic,
        df=np.full(len(results), np.inf),
        standard_error=error,
        p_greater=p_greater,
        p_less=1 - p_greater,
        p_two_sided=2 * np.minimum(p_greater, 1 - p_greater),
        zero_variance=zero,
        n_scores=n_rows,
        interval_df=np.inf,
    )
    compared = upper.without_limits(zero, zero & (statistic == 0)).square(k)
    return PairEvidence("delong", "DeLong test", compared, warnings=(_ONE_TEST_SET,))
