"""Sampling scheme behind scores: repeats, folds, and sizes of training and test sets."""

from dataclasses import dataclass

from bestofk.checks import check_known, check_number
from bestofk.errors import DesignError

SCHEMES = (
    "k-fold", "hold-out", "bootstrap", "bootstrap-full", "leave-one-out", "test-set", "forward",
    "custom",
)  # fmt: skip


@dataclass(frozen=True)
class Sampling:
    """Properties of the plan behind the scores that a test needs.

    Parameters
    ----------
    scheme : {"k-fold", "hold-out", "bootstrap", "bootstrap-full", "leave-one-out", "test-set", \
"forward", "custom"}
        How rows were divided; forward: each test period comes after its training rows.
    n_repeats, n_folds : int, at least 1
        Scores come in `n_repeats` rounds of `n_folds`; repeated hold-out has one fold per
        repeat.
    n_train, n_test : float above 0 or None
        Mean number of rows trained on and tested on; None where unknown.
    row_step : float, at least 0, default=0
        By how much the score of a split changes when one of its test rows changes from right to
        wrong; 0 where that is unknown, or rows are not right or wrong.
    horizon : int, at least 1, default=1
        Of a forward plan: the periods from the end of training to the end of a test period, so
        that losses of periods less than that apart share what was unknown in training.
    is_sliding : bool, default=False
        Of a forward plan: whether training parts start later and later, rather than all at the
        first row.

    Raises
    ------
    InvalidArgumentError
        If the scheme is unknown, a count is below 1 or a size is not positive.

    Examples
    --------
    >>> Sampling("k-fold", 10, 10, n_train=135, n_test=15).n_scores
    100
    """

    scheme: str
    n_repeats: int
    n_folds: int
    n_train: float | None = None
    n_test: float | None = None
    row_step: float = 0.0
    horizon: int = 1
    is_sliding: bool = False

    def __post_init__(self) -> None:
        check_known(self.scheme, "scheme of Sampling", SCHEMES)
        for name in ("n_repeats", "n_folds", "horizon"):
            way_out = "Repeated hold-out is n_repeats rounds of 1 fold."
            is_whole = name == "horizon"
            what = f"{name} of Sampling"
            check_number(getattr(self, name), what, low=1, whole=is_whole, way_out=way_out)
        for name in ("n_train", "n_test"):
            way_out = "For k-fold it is n/k for testing and n - n/k for training."
            size = getattr(self, name)
            check_number(size, name, low=0, is_open="low", or_none=True, way_out=way_out)

    @property
    def n_scores(self) -> int:
        """Number of scores of each learner when nothing is missing."""
        return self.n_repeats * self.n_folds

    def size_ratio(self, what: str) -> float:
        """Return n_test / n_train; raise if they are unknown, `what` says whose they are."""
        if self.n_train is None or self.n_test is None:
            raise DesignError(
                f"n_train and n_test of {what} must be known; got {self.n_train} and "
                f"{self.n_test}. Say how many rows trained and how many tested."
            )
        return self.n_test / self.n_train


def refuse_order(name: str, scheme: str, *, is_over_time: bool = False) -> str | None:
    """Return why a procedure cannot take scores in this order, or None.

    Parameters
    ----------
    name : str
        Of the procedure.
    scheme : str
        As in `Sampling`.
    is_over_time : bool, default=False
        Whether the procedure is made for test periods in order of time.

    Returns
    -------
    str or None
        A sentence.

    Examples
    --------
    >>> refuse_order("anova", "forward")
    'anova does not allow for periods that depend on each other: use diebold-mariano.'
    >>> refuse_order("anova", "k-fold")
    """
    if (scheme == "forward") == is_over_time:
        return None
    if is_over_time:
        return f"{name} needs test periods in order of time, and this is {scheme}."
    return f"{name} does not allow for periods that depend on each other: use diebold-mariano."
