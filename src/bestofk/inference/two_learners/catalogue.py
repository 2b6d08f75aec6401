"""Registry of tests of pairs of learners, and which of them suit a plan."""

from __future__ import annotations

from bestofk.errors import DesignError, InvalidArgumentError, nearest_name
from bestofk.inference.catalogue import PROCEDURES, REGISTERED
from bestofk.inference.sampling import Sampling
from bestofk.inference.two_learners.calibrated_t import CalibratedT, SortedRunsT
from bestofk.inference.two_learners.corrected_resampled_t import CorrectedT
from bestofk.inference.two_learners.five_by_two_cv_t import FiveByTwoCvT
from bestofk.inference.two_learners.paired_t import PairedT
from bestofk.inference.two_learners.paired_test import PairedTest

PAIRED_TESTS: dict[str, PairedTest] = {
    test.name: test
    for test in (CorrectedT(), PairedT(), FiveByTwoCvT(), CalibratedT(), SortedRunsT())
}
_ALIASES = {alias: test.name for test in PAIRED_TESTS.values() for alias in test.aliases}


def paired_test(name: str) -> PairedTest:
    """Return the test of a name.

    Parameters
    ----------
    name : str
        "corrected-t" (also "corrected-resampled-t"), "paired-t", "5x2cv-t" (also "cv52-t"),
        "calibrated-t" or "sorted-runs-t"; underscores do for hyphens.

    Returns
    -------
    PairedTest
        The test.

    Raises
    ------
    InvalidArgumentError
        If there is no such test; the message names the nearest.

    Examples
    --------
    >>> paired_test("cv52_t").title
    '5x2cv paired t test'
    """
    key = str(name).replace("_", "-")
    key = _ALIASES.get(key, key)
    if key not in PAIRED_TESTS:
        raise InvalidArgumentError(
            f"test must be a known test of paired scores; got {name!r}. "
            + nearest_name(name, PAIRED_TESTS)
        )
    return PAIRED_TESTS[key]


def usable_tests(sampling: Sampling) -> list[str]:
    """Return the names of the tests that scores made this way can carry.

    Parameters
    ----------
    sampling : Sampling
        How the scores were made.

    Returns
    -------
    list of str
        May be empty, for example for a single test set.

    Examples
    --------
    >>> usable_tests(Sampling("k-fold", 5, 2, n_train=75, n_test=75))
    ['corrected-t', '5x2cv-t']
    """
    return [name for name, test in PAIRED_TESTS.items() if test.refuse(sampling) is None]


def check_test(name: str, sampling: Sampling) -> PairedTest:
    """Return the test of a name if scores made this way can carry it.

    Parameters
    ----------
    name : str
        As for `paired_test`.
    sampling : Sampling
        How the scores were made.

    Returns
    -------
    PairedTest
        The test.

    Raises
    ------
    InvalidArgumentError
        If there is no such test.
    DesignError
        If the plan cannot carry it; the message names the tests that it can.

    Examples
    --------
    >>> check_test("paired_t", Sampling("k-fold", 1, 10, n_train=90, n_test=10)).name
    'paired-t'
    """
    test = paired_test(name)
    reason = test.refuse(sampling)
    if reason is None:
        return test
    usable = usable_tests(sampling)
    way_out = f"Usable here: {', '.join(usable)}." if usable else "No test is usable here."
    raise DesignError(
        f"test must be one that the plan can carry; got {test.name!r}. {reason} {way_out}"
    )


def register_paired_test(test: PairedTest) -> None:
    """Add a test of two learners, of this package or of another, to those asked for by name.

    Parameters
    ----------
    test : PairedTest
        Its name must be new. Verdicts can use it, and it is a procedure.

    Raises
    ------
    InvalidArgumentError
        If there is a test or another procedure of that name.

    Examples
    --------
    >>> register_paired_test(paired_test("paired-t"))
    Traceback (most recent call last):
        ...
    bestofk.errors.InvalidArgumentError: name of a test must be new; got 'paired-t'. Choose another.
    """
    for name in (test.name, *test.aliases):
        if name in PROCEDURES or name in _ALIASES:
            raise InvalidArgumentError(f"name of a test must be new; got {name!r}. Choose another.")
    PAIRED_TESTS[test.name] = test
    _ALIASES.update(dict.fromkeys(test.aliases, test.name))
    REGISTERED[test.name] = test.procedure
