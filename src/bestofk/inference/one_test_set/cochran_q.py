"""Cochran's Q test of K fitted classifiers on one test set."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike
from scipy.special import chdtrc

from bestofk.inference.catalogue_entry import Procedure
from bestofk.inference.cautions import Caution, caution_if
from bestofk.inference.one_test_set.correct_table import ALL_TIES, correct_table, none_shown
from bestofk.inference.one_test_set.rows import FIXED_MODELS, OWN_ROWS
from bestofk.inference.results import OmnibusResult

# Below so many cells in rows that tell learners apart, the chi2 distribution is rough [2].
_LEAST_CELLS = 24


def cochran_q_test(correct: ArrayLike, *, names: Sequence[str] | None = None) -> OmnibusResult:
    """Test whether K fitted classifiers have the same accuracy on one test set.

    Null hypothesis: the probability of a right answer is the same for all. Design: blocked,
    all models predict the same rows.

    Parameters
    ----------
    correct : array-like of shape (n_rows, n_learners), 0 and 1 or bool
        1 where the learner got the row right.
    names : sequence of str, optional
        Of the learners, needed where they are more than the rows; learner 1, learner 2, ... if
        left out.

    Returns
    -------
    OmnibusResult
        Q with n_learners - 1 degrees of freedom; `effect_size` is Q / (n (n_learners - 1)),
        from 0 to 1. If every row is right for all or wrong for all: Q 0, p value 1, flagged
        ``"all_ties"``.

    Raises
    ------
    DesignError
        If it is no table of 0 and 1 with at least two rows and two learners.
    InvalidArgumentError
        If the names do not fit.

    See Also
    --------
    mcnemar_test : For two learners; "chi2" is the same statistic.
    looney_f_test : The same sums of squares under the F distribution.

    Notes
    -----
    Q = (K-1) (K sum G_j^2 - T^2) / (K T - sum R_i^2), with G_j right answers of learner j, R_i
    of row i and T of all [1]_. When not to trust it: few rows on which the learners differ
    (fewer than 24 cells in such rows [2]_).

    References
    ----------
    .. [1] Cochran (1950), The comparison of percentages in matched samples, Biometrika 37.
    .. [2] Tate & Brown (1970), Note on the Cochran Q test, Journal of the American
       Statistical Association 65.

    Examples
    --------
    >>> correct = [[1, 1, 0], [1, 0, 0], [1, 1, 1], [1, 0, 0], [0, 1, 0], [1, 1, 0]]
    >>> result = cochran_q_test(correct)
    >>> result.statistic, result.df, round(result.p_value, 4)
    (5.2, 2.0, 0.0743)
    """
    table, labels = correct_table(correct, names, "correct of cochran_q_test")
    n_rows, k = table.shape
    by_learner, by_row = table.sum(axis=0), table.sum(axis=1)
    total = int(table.sum())
    between = (k - 1) * (k * int(by_learner @ by_learner) - total**2)
    within = k * total - int(by_row @ by_row)
    statistic = between / within if within else 0.0
    p_value = float(chdtrc(k - 1, statistic)) if within else 1.0
    return OmnibusResult(
        procedure="Cochran Q test",
        statistic=statistic,
        symbol="Q",
        df=float(k - 1),
        p_value=p_value,
        effect_size=statistic / (n_rows * (k - 1)),
        effect_size_of="Q / (n (K - 1))",
        n=n_rows,
        n_of="rows",
        names=labels,
        levels=tuple(float(share) for share in by_learner / n_rows),
        level_of="accuracy",
        distribution="chi2",
        assumptions=(FIXED_MODELS, OWN_ROWS),
        flags=() if within else ("all_ties",),
        warnings=(
            *(() if within else (ALL_TIES,)),
            *_few_cells(int(((by_row > 0) & (by_row < k)).sum()), k),
            *none_shown(p_value),
        ),
    )


PROCEDURE = Procedure(
    name="cochran-q",
    title="Cochran Q test",
    question="Do K fitted classifiers err equally often on one test set?",
    takes="many-on-rows",
    run=cochran_q_test,
    aliases=("cochran", "cochrans-q"),
)


def _few_cells(n_telling: int, k: int) -> tuple[Caution, ...]:
    text = (
        f"Only {n_telling} rows tell the {k} learners apart: with fewer than {_LEAST_CELLS} cells "
        "in such rows the p value is rough."
    )
    return caution_if(0 < n_telling * k < _LEAST_CELLS, "few-scores", text)
