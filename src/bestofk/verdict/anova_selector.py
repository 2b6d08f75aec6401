"""Choice of the best learner by analysis of variance."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike

from bestofk.inference import Sampling, anova_test
from bestofk.inference.checks import check_share
from bestofk.inference.many_learners.omnibus_tests import ANOVA_TITLE
from bestofk.verdict.ordering import Ordering, OrderingInput, Pick


def anova_best(
    losses: ArrayLike,
    *,
    alpha: float = 0.05,
    names: Sequence[str] | None = None,
    sampling: Sampling | None = None,
) -> int | None:
    """Return the most preferred learner if no difference is significant, else None.

    One-way analysis of variance, used as a selector: where it does not reject, every learner
    may be taken, so the most preferred is; where it rejects, some learner is worse,
    and it does not say which [1]_.

    Parameters
    ----------
    losses : array-like of shape (n_splits, n_learners)
        Learners in decreasing preference.
    alpha : float in (0, 1), default=0.05
        Level.
    names, sampling
        As for `bestofk.inference.anova_test`.

    Returns
    -------
    int or None
        0 or None; 0 where the losses of no learner vary.

    Raises
    ------
    DesignError
        If losses are no table of finite numbers of at least 2 learners on 2 splits.
    InvalidArgumentError
        If `alpha` is not inside (0, 1).

    References
    ----------
    .. [1] Yildiz & Alpaydin (2006), Ordering and finding the best of K > 2 supervised learning
       algorithms, IEEE Transactions on Pattern Analysis and Machine Intelligence 28(3).

    Examples
    --------
    >>> anova_best([[0.20, 0.21], [0.22, 0.20], [0.21, 0.21]])
    0
    >>> print(anova_best([[0.20, 0.25], [0.22, 0.24], [0.21, 0.26]]))
    None
    """
    check_share(alpha, "alpha")
    result = anova_test(losses, names=names, sampling=sampling)
    return None if result.reject(alpha) and not result.flags else 0


def _pick(given: OrderingInput) -> Pick:
    every = tuple(range(len(given.names)))
    if anova_best(given.losses, alpha=given.alpha, names=given.names) is None:
        return Pick(None, "Some learners differ; analysis of variance does not say which.")
    why = "No difference is shown, so the most preferred is taken."
    return Pick(0, why, order=every, may_be_best=every)


ORDERING = Ordering("anova", "ANOVA as selector", _pick, ANOVA_TITLE, aliases=("anova-selector",))
