"""What did a test of two learners say, and what of it should be distrusted."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from bestofk.inference.student import check_share, student_interval

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False)
class HypothesisTestResult:
    """The outcome of one test on paired scores of two learners.

    Parameters
    ----------
    procedure : str
        Name of the test.
    statistic : float
        May be infinite where the variance is zero.
    df : float
        Degrees of freedom of the statistic.
    p_value : float in [0, 1]
        Probability, under the null hypothesis, of a statistic at least as extreme.
    alternative : {"two-sided", "greater", "less"}
        Side of the test, for the first minus the second.
    estimate : float
        Mean difference, first minus second, in the unit of the scores.
    standard_error : float
        Of the estimate; 0 where the variance is zero.
    n : int
        Number of paired scores.
    distribution : str
        Reference distribution of the statistic.
    flags : tuple of str
        ``"zero_variance"`` where p value and statistic are limits only.
    warnings : tuple of str
        What to distrust, one sentence each.

    Examples
    --------
    >>> from bestofk.inference import paired_t_test
    >>> result = paired_t_test([0.16, 0.18, 0.20, 0.18], [0.20, 0.21, 0.25, 0.18])
    >>> result
    HypothesisTestResult(paired t test: t = -2.777, df = 3, p = 0.06914 two-sided, estimate = -0.03)
    >>> low, high = result.confidence_interval(0.9)
    >>> print(round(low, 4), round(high, 4), result.reject(0.1))
    -0.0554 -0.0046 True
    """

    procedure: str
    statistic: float
    df: float
    p_value: float
    alternative: str
    estimate: float
    standard_error: float
    n: int
    distribution: str
    flags: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def confidence_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the limits of the mean difference, by Student's t with n - 1 df.

        Parameters
        ----------
        level : float in (0, 1), default=0.95
            Confidence.

        Returns
        -------
        low, high : float
            One-sided tests have one-sided intervals: (low, inf) for "greater",
            (-inf, high) for "less". Without variance the interval has no width.

        Raises
        ------
        InvalidArgumentError
            If `level` is not inside (0, 1).
        """
        low, high = student_interval(
            self.estimate,
            self.standard_error,
            self.n - 1,
            level=level,
            alternative=self.alternative,
        )
        return float(low), float(high)

    def reject(self, alpha: float) -> bool:
        """Return whether the null hypothesis is rejected: p value at most `alpha`.

        Parameters
        ----------
        alpha : float in (0, 1)
            Level of the test.

        Returns
        -------
        bool
            False says "not shown to differ", never "equal".

        Raises
        ------
        InvalidArgumentError
            If `alpha` is not inside (0, 1).
        """
        return self.p_value <= check_share(alpha, "alpha")

    def to_frame(self) -> pd.DataFrame:
        """Return the result as a table of one row, a column per field.

        Returns
        -------
        DataFrame
            Columns as the fields; flags and warnings are joined to one text each.
        """
        import pandas as pd

        row = asdict(self)
        row["flags"] = " ".join(self.flags)
        row["warnings"] = " ".join(self.warnings)
        return pd.DataFrame([row])

    def __repr__(self) -> str:
        return (
            f"HypothesisTestResult({self.procedure}: t = {self.statistic:.4g}, df = {self.df:g}, "
            f"p = {self.p_value:.4g} {self.alternative}, estimate = {self.estimate:.4g})"
        )

    def __str__(self) -> str:
        low, high = self.confidence_interval()
        rows = [
            ("mean difference", f"{self.estimate:.4g}"),
            ("95 % interval", f"{low:.4g} to {high:.4g}"),
            ("t", f"{self.statistic:.4g}"),
            ("df", f"{self.df:g}"),
            ("p value", f"{self.p_value:.4g} ({self.alternative})"),
            ("scores", f"{self.n} pairs"),
        ]
        lines = [self.procedure, *(f"  {name:<16} {value}" for name, value in rows)]
        return "\n".join(lines + [f"  ! {warning}" for warning in self.warnings])
