"""Base of all results: name, assumptions, cautions, table, text."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Result:
    """The outcome of a procedure; base of all results.

    Parameters
    ----------
    procedure : str
        Title of the procedure.
    n : int
        Sample size: pairs of scores, rows or data sets, as the procedure counts.
    assumptions : tuple of str
        What must hold for the figures to mean what they say, one sentence each.
    flags : tuple of str
        Degenerate input, such as ``"zero_variance"``; empty as a rule.
    warnings : tuple of str
        What to distrust, one sentence each.
    """

    procedure: str
    n: int
    assumptions: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def rows(self) -> list[tuple[str, str]]:
        """Return what `str` shows, as pairs of a short label and a text."""
        raise NotImplementedError

    def to_frame(self) -> pd.DataFrame:
        """Return the result as a table of one row, a column per field.

        Returns
        -------
        DataFrame
            Columns as the fields; several sentences are joined to one text, and a pair of
            degrees of freedom stays a pair.
        """
        import pandas as pd

        row = {field.name: _cell(getattr(self, field.name)) for field in fields(self)}
        return pd.DataFrame([row])

    def __str__(self) -> str:
        width = max((len(label) for label, _ in self.rows()), default=0)
        lines = [self.procedure]
        lines += [f"  {label:<{width}}  {text}" for label, text in self.rows()]
        return "\n".join(lines + [f"  ! {warning}" for warning in self.warnings])


def _cell(value: Any) -> Any:
    if isinstance(value, tuple) and all(isinstance(item, str) for item in value):
        return " ".join(value)
    return value


def number(value: float) -> str:
    """Return a figure with four digits.

    Examples
    --------
    >>> number(0.0691412), number(float("inf"))
    ('0.06914', 'inf')
    """
    return f"{value:.4g}"


def degrees(df: float | tuple[float, float]) -> str:
    """Return degrees of freedom, one or two.

    Examples
    --------
    >>> degrees(9.0), degrees((10.0, 5.0))
    ('9', '10, 5')
    """
    return ", ".join(f"{item:.5g}" for item in (df if isinstance(df, tuple) else (df,)))
