"""All orderings applied to the same scores, and their disagreement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from bestofk.errors import InvalidArgumentError
from bestofk.inference import Sampling, check_test
from bestofk.inference.checks import check_share, finite_table, names_of_columns
from bestofk.inference.many_learners.pair_evidence import compare_all
from bestofk.registry import Registry
from bestofk.verdict.preference import order_by_preference
from bestofk.verdict.rules import Ordering, OrderingInput
from bestofk.verdict.verdict import degenerate_cautions
from bestofk.words import grouped, joined_lines, listing, printable

if TYPE_CHECKING:
    import pandas as pd

ORDERINGS: Registry[Ordering] = Registry(
    "ordering",
    {
        "lowest-mean": "bestofk.verdict.rules.LOWEST_MEAN",
        "multitest-bonferroni": "bestofk.verdict.rules.MULTITEST_BONFERRONI",
        "multitest-holm": "bestofk.verdict.rules.MULTITEST_HOLM",
        "testfirst": "bestofk.verdict.rules.FIRST_TEST",
        "anova": "bestofk.verdict.classical_rules.ANOVA",
        "newman-keuls": "bestofk.verdict.classical_rules.NEWMAN_KEULS",
        "candidates": "bestofk.verdict.rules.CANDIDATES",
        "with-the-best": "bestofk.verdict.classical_rules.WITH_THE_BEST",
    },
)


@dataclass(frozen=True)
class OrderingRow:
    """Result of one ordering.

    Parameters
    ----------
    name, title : str
        Of the ordering.
    best : str or None
        None where it names none.
    order : tuple of str
        All learners, best first; empty where it gives no order.
    may_be_best : tuple of str
        The learners that it leaves in; empty where it does not say.
    why : str
        A sentence.
    test : str
        Title of the test that it used; empty for none.
    """

    name: str
    title: str
    best: str | None
    order: tuple[str, ...]
    may_be_best: tuple[str, ...]
    why: str
    test: str


@dataclass(frozen=True)
class OrderingsTable:
    """Results of all orderings on the same scores.

    Parameters
    ----------
    rows : tuple of OrderingRow
        One per ordering.
    preference : str
        A sentence about the preference.
    test : str
        Title of the test of pairs; that of each ordering is in its row.
    alpha : float
        Level.
    warnings : tuple of str
        What to distrust of the test of pairs, where it was used.
    """

    rows: tuple[OrderingRow, ...]
    preference: str
    test: str
    alpha: float
    warnings: tuple[str, ...] = ()

    @property
    def picks(self) -> dict[str, list[str]]:
        """Titles of the orderings by the learner that they name; "" for those that name none."""
        return grouped((row.best or "", row.title) for row in self.rows)

    def __repr__(self) -> str:
        return printable(f"<OrderingsTable of {len(self.rows)}: {self.disagreement}>")

    @property
    def disagreement(self) -> str:
        """Return the best learner of each ordering, in a sentence or two."""
        picks = self.picks
        silent = picks.pop("", [])
        if not picks:
            return "No ordering names a best."
        said = "; ".join(f"{name} by {listing(titles)}" for name, titles in picks.items())
        agree = "agree on the best" if len(picks) == 1 else f"name {len(picks)} different learners"
        silent_part = f" No best is named by {listing(silent)}." if silent else ""
        return f"The orderings that name a best {agree}: {said}.{silent_part}"

    def to_frame(self) -> pd.DataFrame:
        """Return one row per ordering.

        Returns
        -------
        DataFrame
            Columns ordering (title), best ("" where none is named), order and may_be_best
            (names joined, "" where the rule does not say), why.
        """
        import pandas as pd

        return pd.DataFrame(
            {
                "ordering": [row.title for row in self.rows],
                "best": [row.best or "" for row in self.rows],
                "order": [", ".join(row.order) for row in self.rows],
                "may_be_best": [", ".join(row.may_be_best) for row in self.rows],
                "why": [row.why for row in self.rows],
            }
        )

    def __str__(self) -> str:
        width = max(len(row.title) for row in self.rows)
        named = max(len(row.best or "none") for row in self.rows)
        lines = [
            f"  {row.title:<{width}}  {row.best or 'none':<{named}}  {row.why}" for row in self.rows
        ]
        by = "every ordering" if len(self.rows) > 1 else self.rows[0].title
        tests = list(dict.fromkeys(row.test for row in self.rows if row.test))
        level = f"{listing(tests)}, alpha = {self.alpha:g}" if tests else "without a test"
        head = f"Best by {by}, {level}"
        said = [self.disagreement] if len(self.rows) > 1 else []
        caveats = [f"! {text}" for text in self.warnings]
        return joined_lines([head, *lines, self.preference, *said, *caveats])


def orderings(
    losses: ArrayLike,
    *,
    sampling: Sampling,
    names: Sequence[str] | None = None,
    test: str = "corrected-t",
    alpha: float = 0.05,
    prefer: str | Sequence[str] | Mapping[str, float] = "given",
    costs: Mapping[str, ArrayLike] | None = None,
    only: Sequence[str] | None = None,
) -> OrderingsTable:
    """Apply every ordering to the same scores.

    Parameters
    ----------
    losses : array-like of shape (n_splits, n_learners)
        Of at least 2 learners on the same, at least 2, splits, repeat by repeat; lower is
        better.
    sampling : Sampling
        How the splits were made.
    names : sequence of str, optional
        Names of the learners; required with more learners than splits. "learner 1" and so on if
        left out.
    test : str, default="corrected-t"
        Paired test of those orderings that test pairs; others have their own.
    alpha : float in (0, 1), default=0.05
        Level.
    prefer, costs
        As for `order_by_preference`.
    only : sequence of str, optional
        Names of orderings, as `ordering` takes them; all if left out.

    Returns
    -------
    OrderingsTable
        The answer of each, and a sentence on where they disagree. They answer different questions:
        MultiTest's best is preferred and not significantly worse, the lowest mean rests on no test,
        and a set of candidates names a best only if it holds a single learner.

    Raises
    ------
    DesignError
        If losses are no such table, or the plan cannot carry the test.
    InvalidArgumentError
        If another argument is not allowed.

    Examples
    --------
    >>> losses = [[0.30, 0.20, 0.20], [0.33, 0.22, 0.21], [0.32, 0.21, 0.22], [0.31, 0.23, 0.22]]
    >>> sampling = Sampling("k-fold", 1, 4, n_train=75, n_test=25)
    >>> table = orderings(losses, sampling=sampling, names=["majority", "logistic", "1nn"])
    >>> for title, best in table.to_frame()[["ordering", "best"]].values.tolist():
    ...     print(title, "->", best or "none")
    lowest mean -> 1nn
    MultiTest (Bonferroni) -> logistic
    MultiTest (Holm) -> logistic
    TestFirst -> none
    ANOVA as selector -> none
    Newman-Keuls rules -> logistic
    candidate set -> none
    comparisons with the best -> none
    """
    table = finite_table(losses, "losses of orderings", row="split", min_rows=2, min_columns=2)
    if len(table) != sampling.n_scores:
        raise InvalidArgumentError(
            f"losses of orderings must have a row for each of the {sampling.n_scores} splits of "
            f"sampling and a column per learner; got {len(table)} x {table.shape[1]}. Transpose it "
            "if learners are in rows, and count only splits that all learners finished."
        )
    named = names_of_columns(losses, "losses of orderings", row="split", names=names)
    preferred, sentence = order_by_preference(named, prefer, costs)
    paired = check_test(test, sampling)
    tested = compare_all(table[:, preferred], paired, sampling, names=named)
    given = OrderingInput(
        names=[named[i] for i in preferred],
        losses=table[:, preferred],
        compared=tested.compared,
        alpha=check_share(alpha, "alpha"),
    )
    rows = tuple(_row(ordering(name), given, paired.title) for name in only or ORDERINGS)
    warnings: tuple[str, ...] = ()
    if any(row.test == paired.title for row in rows):
        cautions = degenerate_cautions(
            (given.names[i], given.names[j], tested.why_no_test(i, j, len(table)))
            for i, j in combinations(range(len(named)), 2)
        )
        warnings = (*tested.warnings, *cautions)
    return OrderingsTable(rows, sentence, paired.title, alpha, warnings)


def ordering(name: str) -> Ordering:
    """Return the ordering of a name.

    Parameters
    ----------
    name : str
        A key of `ORDERINGS`; underscores do for hyphens. "multitest" is that by Holm,
        "anova-selector" is "anova".

    Returns
    -------
    Ordering

    Raises
    ------
    InvalidArgumentError
        If there is no such ordering; the message names the nearest.
    """
    return ORDERINGS.find(name)


def _row(item: Ordering, given: OrderingInput, paired: str) -> OrderingRow:
    pick = item.pick(given)
    return OrderingRow(
        name=item.name,
        title=item.title,
        best=None if pick.best is None else given.names[pick.best],
        order=tuple(given.names[i] for i in pick.order),
        may_be_best=tuple(given.names[i] for i in pick.may_be_best),
        why=pick.why,
        test=paired if item.test is None else item.test,
    )
