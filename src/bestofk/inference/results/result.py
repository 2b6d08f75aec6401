"""Base of all results: name, assumptions, cautions, table, text."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

from bestofk.checks import check_known
from bestofk.errors import InvalidArgumentError
from bestofk.registry import FROM_ABOVE
from bestofk.words import drawn, p_text

if TYPE_CHECKING:
    import pandas as pd

    from bestofk.trees.display import Display


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
    n_draws : int
        Random draws that its figures come from; 0 where nothing was drawn. `str` prints such
        figures with the digits that so many draws give.
    """

    procedure: str
    n: int
    assumptions: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    n_draws: int = 0

    # Kinds of pictures with their displays, the usual one first.
    pictures: ClassVar[tuple[tuple[str, str], ...]] = ()
    # Fields that are too long for a cell of the frame.
    not_in_frame: ClassVar[tuple[str, ...]] = ()

    def plot(self, kind: str | None = None, *, ax: Any = None, **options: Any) -> Display:
        """Draw a picture of the result.

        Parameters
        ----------
        kind : str, optional
            One of `pictures`; the first if left out.
        ax : matplotlib Axes, optional
            Where to draw; a new figure if left out.
        **options
            For `from_result` of the display, such as `names` of two learners.

        Returns
        -------
        Display
            With `frame()`, the numbers that are drawn, `ax_` and `figure_`.

        Raises
        ------
        InvalidArgumentError
            If there is no such picture, or none of this result.

        Examples
        --------
        >>> from bestofk.inference import paired_t_test
        >>> result = paired_t_test([0.16, 0.18, 0.20, 0.18], [0.20, 0.21, 0.25, 0.18])
        >>> result.plot(names=("lda", "cart")).contains_zero
        True
        """
        displays = dict(self.pictures)
        if not displays:
            raise InvalidArgumentError(
                f"result of plot must be one that can be drawn; got that of {self.procedure}. "
                "Read to_frame()."
            )
        kind = kind or next(iter(displays))
        check_known(kind, "kind of plot", displays, rule="a picture of the result")
        display = FROM_ABOVE["display"](displays[kind])
        drawn: Display = display.from_result(self, **options).plot(ax)
        return drawn

    def rows(self) -> list[tuple[str, str]]:
        """Return what `str` shows, as pairs of a short label and a text."""
        raise NotImplementedError

    def _probability(self, value: float) -> str:
        """Return a p value, or another probability, with the digits that are known."""
        return drawn(value, self._n_independent) if self.n_draws else p_text(value)

    @property
    def _n_independent(self) -> float:
        """Independent draws that tell as much as those made."""
        return self.n_draws

    def _size_rows(self, n_of: str) -> list[tuple[str, str]]:
        """Return the rows on the sample and on the draws."""
        draws = [("random draws", f"{self.n_draws:,}")] if self.n_draws else []
        return [("n", f"{self.n} {n_of}"), *draws]

    def to_frame(self) -> pd.DataFrame:
        """Return the result as a table of one row, a column per field.

        Returns
        -------
        DataFrame
            Columns as the fields; several sentences are joined to one text, and a pair of
            degrees of freedom stays a pair.
        """
        import pandas as pd

        names = [field.name for field in fields(self) if field.name not in self.not_in_frame]
        return pd.DataFrame([{name: _cell(getattr(self, name)) for name in names}])

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
