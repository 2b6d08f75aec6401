"""Stated probabilities of claims against how often the claims came true."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from bestofk.calibration.claim_case import ClaimCase, LearnerClaim
from bestofk.calibration.printed import PrintedCalibration
from bestofk.inference.one_test_set.proportions import wilson_limits
from bestofk.report import plots
from bestofk.report.parts import Table, table_of
from bestofk.report.reported import DrawnReport
from bestofk.words import fixed, times

_LEVEL: Final = 0.95  # of the intervals of measured figures
_Z: Final = 1.959963984540054
_SURE: Final = 1 - 1 / 4000  # of 2,000 draws all agree: no probability of 1


@dataclass(frozen=True)
class ClaimFigures:
    """Figures of some claims; nan where there are none.

    Parameters
    ----------
    n_claims : int
        Number of claims.
    stated, true : float
        Mean stated probability, and share of learners that were that near to the best.
    true_low, true_high : float
        95% interval of the true share.
    too_high, too_high_low, too_high_high : float
        Stated minus true, with its 95% interval if the claims are right.
    brier, brier_of_share : float
        Mean squared distance of stated probability and outcome, and what it would be if the true
        share had been stated each time.
    log_score : float
        Mean of minus the logarithm of the probability stated for what came true.
    stated_regret, true_regret : float
        Mean loss above that of the best, in the unit of the measure.
    inside, above, below : float
        Shares of true losses inside their stated interval, above and below it; nan where none
        is stated.
    inside_low, inside_high : float
        95% interval of the share inside.
    """

    n_claims: int
    stated: float
    true: float
    true_low: float
    true_high: float
    too_high: float
    too_high_low: float
    too_high_high: float
    brier: float
    brier_of_share: float
    log_score: float
    stated_regret: float
    true_regret: float
    inside: float
    above: float
    below: float
    inside_low: float
    inside_high: float

    def to_dict(self) -> dict[str, Any]:
        """Return the figures by their names."""
        return asdict(self)


def claim_figures(claims: Sequence[tuple[ClaimCase, LearnerClaim]], within: float) -> ClaimFigures:
    """Return the figures of some claims.

    Parameters
    ----------
    claims : sequence of (ClaimCase, LearnerClaim)
        With stated probabilities and truth.
    within : float
        One of the distances of the cases.

    Returns
    -------
    ClaimFigures
        Intervals hold data sets together, where there are several; subsamples of one data set
        count each for itself.
    """
    n = len(claims)
    if not n:
        return ClaimFigures(0, *[np.nan] * 17)
    stated = np.array([case.stated(within, claim) for case, claim in claims])
    is_true = np.array([case.is_within(within, claim) for case, claim in claims], dtype=float)
    columns = [(c.expected_regret, c.true_regret, c.loss_low, c.loss_high, c.true_loss)
               for _, c in claims]  # fmt: skip
    regret, true_regret, low, high, loss = np.array(columns, dtype=float).T
    groups = groups_of([case for case, _ in claims])
    is_below, is_above = (
        np.where(np.isnan(low), np.nan, part) for part in (loss < low, loss > high)
    )
    is_inside = 1 - is_below - is_above
    share = float(is_true.mean())
    error = max(
        standard_error(stated - is_true, groups), float(np.sqrt((stated * (1 - stated)).sum()) / n)
    )
    margin = error * float(stdtrit(max(len(set(groups)) - 1, 1), (1 + _LEVEL) / 2))
    gap = float(stated.mean()) - share
    of_outcome = np.where(is_true == 1, stated, 1 - stated).clip(1 - _SURE, _SURE)
    return ClaimFigures(
        n,
        float(stated.mean()),
        share,
        *share_interval(is_true, groups),
        gap,
        gap - margin,
        gap + margin,
        float(((stated - is_true) ** 2).mean()),
        share * (1 - share),
        float(-np.log(of_outcome).mean()),
        float(regret.mean()),
        float(true_regret.mean()),
        float(is_inside.mean()),
        float(is_above.mean()),
        float(is_below.mean()),
        *share_interval(is_inside, groups),
    )


def groups_of(cases: Sequence[ClaimCase]) -> list[Hashable]:
    """Return the group of each case: its data set, or its subsample if there is one data set.

    Examples
    --------
    >>> groups_of([])
    []
    """
    if len({case.name for case in cases}) > 1:
        return [case.name for case in cases]
    return [(case.n_rows, case.number) for case in cases]


def standard_error(values: ArrayLike, groups: Sequence[Hashable]) -> float:
    """Return the standard error of a mean whose values are correlated within groups.

    This is what a bootstrap over groups tends to.

    Parameters
    ----------
    values : array-like of shape (n,), float
        Numbers.
    groups : sequence of n
        The group of each.

    Returns
    -------
    float
        nan for a single group.

    Examples
    --------
    >>> standard_error([1, 1, 0, 0], ["a", "a", "b", "b"])
    0.5
    >>> standard_error([1, 1, 0, 0], [0, 1, 2, 3]).__round__(4)
    0.2887
    """
    array = np.asarray(values, dtype=float)
    names = {name: index for index, name in enumerate(dict.fromkeys(groups))}
    if len(names) < 2:
        return float("nan")
    sums = np.bincount([names[name] for name in groups], array - array.mean())
    return float(np.sqrt((sums**2).sum() * len(names) / (len(names) - 1)) / len(array))


def share_interval(outcomes: ArrayLike, groups: Sequence[Hashable]) -> tuple[float, float]:
    """Return the 95% interval of a share whose outcomes are correlated within groups.

    Wilson's interval for as many independent outcomes as give the same standard error; as many
    as there are groups where all outcomes are the same, so that it always has a width.

    Parameters
    ----------
    outcomes : array-like of shape (n,), float
        0 or 1.
    groups : sequence of n
        The group of each.

    Returns
    -------
    tuple of two floats
        From 0 to 1.

    References
    ----------
    .. [1] Wilson (1927), Probable inference, the law of succession, and statistical inference,
       Journal of the American Statistical Association 22.

    Examples
    --------
    >>> low, high = share_interval([1.0] * 20, range(20))
    >>> round(low, 3), high
    (0.839, 1.0)
    """
    array = np.asarray(outcomes, dtype=float)
    share, error = float(array.mean()), standard_error(array, groups)
    n_effective = float(len(set(groups)))
    if error > 0:
        n_effective = min(len(array), max(share * (1 - share) / error**2, 1.0))
    low, high = wilson_limits(share, n_effective, _Z)
    return float(low), float(high)


EDGES: Final = (0.0, 0.4, 0.6, 0.8, 0.9, 1.0)
_MARGIN: Final = 0.125  # to which stated minus true must be known for claims to hold
_SIZE_TITLES: Final = (
    "rows", "claims", "stated", "true", "95% interval", "stated regret", "true regret", "inside",
    "above", "below",
)  # fmt: skip
_BIN_TITLES: Final = ("claims of", "number", "stated", "true", "95% interval")


@dataclass(frozen=True, eq=False, repr=False)
class ClaimCalibration(PrintedCalibration, DrawnReport):
    """Claims about picks on many subsamples, and how many of them came true.

    Parameters
    ----------
    cases : tuple of ClaimCase
        One per subsample.
    notes : tuple of str
        What was skipped, and why.
    within : float, default=0.01
        The distance to the best learner that is looked at, one of those of the cases.
    is_interrupted : bool, default=False
        Whether cases are missing.

    Examples
    --------
    >>> def case(number, stated, regret):
    ...     claim = LearnerClaim("lda", True, (stated,), 0.002, 0.02, 0.08, 0.05, regret, 15)
    ...     return ClaimCase(
    ...         "d", 100, 5000, number, "error", (0.01,), "lda", "", 0.9, (claim,), 0.001, 1.0
    ...     )
    >>> result = ClaimCalibration((case(0, 0.7, 0.0), case(1, 0.9, 0.02)))
    >>> figures = result.figures()
    >>> figures.stated, figures.true, round(figures.brier, 3)
    (0.8, 0.5, 0.45)
    """

    title = "Claims about new data against the truth"
    cases: tuple[ClaimCase, ...]
    notes: tuple[str, ...] = ()
    within: float = 0.01
    is_interrupted: bool = False

    @cached_property
    def claims(self) -> list[tuple[ClaimCase, LearnerClaim]]:
        """The claim about each pick whose truth is known."""
        return [(case, case.picked) for case in self.cases if case.picked is not None]

    @cached_property
    def candidate_claims(self) -> list[tuple[ClaimCase, LearnerClaim]]:
        """The claims about all candidates of these cases, the pick among them."""
        return [
            (case, claim)
            for case, _ in self.claims
            for claim in case.learners
            if claim.is_candidate and claim.true_regret is not None
        ]

    @property
    def sources(self) -> list[str]:
        """Names of the data sets."""
        return list(dict.fromkeys(case.name for case in self.cases))

    @property
    def sizes(self) -> list[int]:
        """Sizes of the subsamples."""
        return sorted({case.n_rows for case in self.cases})

    def figures(
        self, n_rows: int | None = None, *, stated: tuple[float, float] = (0.0, 1.0)
    ) -> ClaimFigures:
        """Return the figures of the claims about picks.

        Parameters
        ----------
        n_rows : int, optional
            From subsamples of this size; of all sizes if left out.
        stated : tuple of two floats, default=(0.0, 1.0)
            Stated probabilities from the first up to the second, which is left out unless it
            is 1.

        Returns
        -------
        ClaimFigures
        """
        low, high = stated
        chosen = [
            (case, claim)
            for case, claim in self.claims
            if n_rows in (None, case.n_rows)
            and low <= case.stated(self.within, claim) < (high if high < 1 else 2)
        ]
        return claim_figures(chosen, self.within)

    def to_frame(self) -> pd.DataFrame:
        """Return the reliability table.

        Returns
        -------
        DataFrame
            One row of all claims, one per size, one per bin of the stated probability, and one
            per size and bin, where there are claims: n_rows and bin ("all" where they are put
            together), then the fields of `ClaimFigures`.
        """
        sizes, bins = [None, *self.sizes], [(0.0, 1.0), *_bins()]
        cells = [(sizes[0], bins[0])]
        cells += [(size, bins[0]) for size in sizes[1:]]
        cells += [(size, limits) for size in sizes for limits in bins[1:]]
        rows = [
            {
                "n_rows": "all" if size is None else size,
                "bin": "all" if limits == bins[0] else _percents(limits),
                **self.figures(size, stated=limits).to_dict(),
            }
            for size, limits in cells
        ]
        return pd.DataFrame([row for row in rows if row["n_claims"] or row is rows[0]])

    def display(self) -> plots.ReliabilityDisplay:
        """Return the picture of stated against true."""
        bins = [self.figures(stated=limits) for limits in _bins()]
        known = [item for item in bins if item.n_claims]
        return plots.ReliabilityDisplay(
            [item.stated for item in known],
            [item.true for item in known],
            [item.true_low for item in known],
            [item.true_high for item in known],
            [item.n_claims for item in known],
            event=f"the pick was within {_points(self.within)} of the best",
        )

    def progress_line(self) -> str:
        """Return the figures so far in a few words."""
        figures = self.figures()
        if not figures.n_claims:
            return "no claim yet"
        return f"stated {_percent(figures.stated)}, true {_percent(figures.true)}"

    def headline(self) -> str:
        """Return in a sentence whether claims hold, and at which sizes they do not."""
        if not self.cases:
            return "No subsample is finished."
        if not self.claims:
            return (
                f"No claim was made on {times(len(self.cases), 'subsample')}{_reasons(self.cases)}."
            )
        figures = self.figures()
        answer = _answer(figures)
        source = f"{times(figures.n_claims, 'subsample')} of {_listed(self.sources)}"
        parts = [f"{answer}: {_stated_and_true(figures)} over {source}."]
        for size in self.sizes:
            of_size = self.figures(size)
            if _deviates(of_size) and _answer(of_size) != answer:
                parts.append(f"{_answer(of_size)} at {size:,} rows: {_stated_and_true(of_size)}.")
        return " ".join(parts)

    def _tables(self) -> list[Table]:
        return [self._by_size(), self._by_bin()] if self.claims else []

    def _by_size(self) -> Table:
        rows = [(f"{size:,}", self.figures(size)) for size in self.sizes]
        if len(rows) > 1:
            rows.append(("all", self.figures()))
        cells = [[name, *_size_cells(f)] for name, f in rows if f.n_claims]
        return table_of(_SIZE_TITLES, cells, left=())

    def _by_bin(self) -> Table:
        rows = [(_percents(limits), self.figures(stated=limits)) for limits in _bins()]
        cells = [[name, *_share_cells(f)] for name, f in rows if f.n_claims]
        return table_of(_BIN_TITLES, cells, left=())

    def _remarks(self) -> list[str]:
        if not self.claims:
            return list(self.notes)
        figures, n_cases = self.figures(), len(self.cases)
        others = [within for within in self.cases[0].within if within != self.within]
        candidates = claim_figures(self.candidate_claims, self.within)
        remarks = [
            f"A claim is true if the pick is at most {_points(self.within)} worse than the best "
            "learner on the rows left over. Regret is how much worse it is, in points.",
            "Inside, above, below: where the true loss of the pick lies, against its "
            f"{_percent(self.cases[0].level)} interval.",
            f"Stated minus true: {fixed(100 * figures.too_high, 0, sign='+')} points. Chance "
            f"alone explains {_points((figures.too_high_high - figures.too_high_low) / 2)} either "
            "way.",
        ]
        for within in others:
            other = replace(self, within=within).figures()
            remarks.append(
                f"Within {_points(within)}: {_percent(other.stated)} stated, "
                f"{_percent(other.true)} true."
            )
        remarks += [
            f"All candidates, not the pick alone: {_percent(candidates.stated)} stated, "
            f"{_percent(candidates.true)} true over {candidates.n_claims} claims.",
            f"Brier score {fixed(figures.brier, 3)}, and {fixed(figures.brier_of_share, 3)} if "
            f"{_percent(figures.true)} were stated each time; log score "
            f"{fixed(figures.log_score, 3)}. Lower is better.",
        ]
        if figures.n_claims < n_cases:
            silent = [case for case in self.cases if case.picked is None]
            share = _percent(figures.n_claims / n_cases)
            remarks.append(
                f"A claim was made in {share} of {n_cases} subsamples{_reasons(silent)}."
            )
        if len(self.sources) == 1:
            remarks.append(
                "This is about one data set, these learners and these sizes, and not about others."
            )
        return [*remarks, *self.notes]


def _answer(figures: ClaimFigures) -> str:
    """Return in a few words whether claims hold."""
    if _deviates(figures):
        return "Claims are too high" if figures.too_high > 0 else "Claims are too careful"
    margin = (figures.too_high_high - figures.too_high_low) / 2
    if margin <= _MARGIN:
        return "Claims hold"
    return f"Too few subsamples to tell (the difference is known only to {_points(margin)})"


def _deviates(figures: ClaimFigures) -> bool:
    """Return whether chance does not explain the difference of stated and true."""
    return figures.too_high_low > 0 or figures.too_high_high < 0


def _stated_and_true(figures: ClaimFigures) -> str:
    return f"{_percent(figures.stated)} stated, {_percent(figures.true)} true"


def _bins() -> list[tuple[float, float]]:
    return list(pairwise(EDGES))


def _size_cells(figures: ClaimFigures) -> list[str]:
    return [
        *_share_cells(figures),
        fixed(100 * figures.stated_regret, 2),
        fixed(100 * figures.true_regret, 2),
        *map(_percent, (figures.inside, figures.above, figures.below)),
    ]


def _share_cells(figures: ClaimFigures) -> list[str]:
    return [
        str(figures.n_claims),
        _percent(figures.stated),
        _percent(figures.true),
        f"{fixed(100 * figures.true_low, 0)}-{fixed(100 * figures.true_high, 0, whole=100)}%",
    ]


def _percent(share: float) -> str:
    return "-" if np.isnan(share) else f"{fixed(100 * share, 0, whole=100)}%"


def _percents(limits: tuple[float, float]) -> str:
    return f"{fixed(100 * limits[0], 0)}-{fixed(100 * limits[1], 0, whole=100)}%"


def _points(difference: float) -> str:
    value = f"{100 * difference:.2g}"
    return f"{value} point{'' if value == '1' else 's'}"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{len(names)} data sets"


def _reasons(cases: Sequence[ClaimCase]) -> str:
    """Return the most frequent reasons for no claim, after a colon."""
    counts = Counter(case.reason or "a learner failed" for case in cases)
    return ": " + "; ".join(text for text, _ in counts.most_common(2)) if counts else ""
