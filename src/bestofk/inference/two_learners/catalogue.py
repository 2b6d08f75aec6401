"""Registry of tests of pairs of learners, and which of them suit a plan."""

from bestofk.errors import DesignError
from bestofk.inference.catalogue import PROCEDURES
from bestofk.inference.sampling import Sampling
from bestofk.inference.two_learners.five_by_two_cv import FiveByTwoCvT
from bestofk.inference.two_learners.over_time import DieboldMariano
from bestofk.inference.two_learners.paired_test import PairedTest
from bestofk.inference.two_learners.t_tests import CalibratedT, CorrectedT, PairedT, SortedRunsT
from bestofk.registry import Registry, check_new

_TESTS = (
    CorrectedT(), PairedT(), FiveByTwoCvT(), CalibratedT(), SortedRunsT(), DieboldMariano(),
)  # fmt: skip
PAIRED_TESTS: Registry[PairedTest] = Registry(
    "test of paired scores", {test.name: test for test in _TESTS}
)


def paired_test(name: str) -> PairedTest:
    """Return the test of a name.

    Parameters
    ----------
    name : str
        "corrected-t", "paired-t", "5x2cv-t", "calibrated-t", "sorted-runs-t" or
        "diebold-mariano", or an alias of one, such as "ttest".

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
    return PAIRED_TESTS.find(name)


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
    return [name for name, test in PAIRED_TESTS.items() if test.refusal(sampling) is None]


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
    reason = test.refusal(sampling)
    if reason is None:
        return test
    usable = usable_tests(sampling)
    way_out = f"Usable here: {', '.join(usable)}." if usable else "No test is usable here."
    raise DesignError(
        f"test must be one that the plan allows; got {test.name!r}. {reason} {way_out}"
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
    taken = {text for own, others in PROCEDURES.aliases.items() for text in (own, *others)}
    for name in (test.name, *test.aliases):
        check_new(name, "test", taken)
    PAIRED_TESTS.register(test.name, test)
    PROCEDURES.register(test.name, test.procedure)
