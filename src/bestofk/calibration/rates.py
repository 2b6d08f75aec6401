"""Rejection rates of tests where nothing differs: measured levels and nominal ones."""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from bestofk.array_types import Floats
from bestofk.calibration.printed import PrintedCalibration, in_lines
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference.catalogue import Procedure, procedure
from bestofk.inference.checks import check_alternative
from bestofk.inference.one_test_set.proportions import wilson_limits
from bestofk.inference.sampling import Sampling
from bestofk.inference.student import upper_tail
from bestofk.inference.two_learners.catalogue import PAIRED_TESTS
from bestofk.inference.two_learners.t_tests import CalibratedT, calibrated_t_test
from bestofk.report.parts import Table, table_of
from bestofk.words import drawn, fixed, printable

Z_95 = 1.959963984540054
_FORM = re.compile(r"(?P<name>[^(@]+)(?:\((?P<options>.*)\))?(?:@(?P<cv>.+))?")
_OWN_PLANS = {"5x2cv-t": "5x2", "5x2cv-f": "5x2"}
# Columns of a level; its interval and its note follow.
_FIGURES = (
    *("learners", "test", "plan", "alpha"),
    *("n_rejected", "n_data_sets", "rate", "standard_error"),
)
_TITLES = ("learners", "test", "plan", "nominal", "measured", "95% interval", "n", "note")


@dataclass(frozen=True, eq=False)
class SplitLosses:
    """Losses of two learners on the splits of one data set, as tests want them.

    Parameters
    ----------
    sampling : Sampling
        How the splits were made.
    a, b : ndarray of shape (n_repeats, n_folds)
        Mean loss of each learner on the test rows of each split.
    rows_a, rows_b : ndarray of shape (n_rows,)
        Loss on every test row of the first repeat, fold by fold.
    fold_of_row : ndarray of shape (n_rows,), int
        The fold in which each of these rows was tested.
    """

    sampling: Sampling
    a: Floats
    b: Floats
    rows_a: Floats
    rows_b: Floats
    fold_of_row: Any


@dataclass(frozen=True)
class CalibratedTest:
    """A test whose level is to be measured, with its options and its plan.

    Parameters
    ----------
    text : str
        As the user wrote it: ``name``, ``name@plan`` or ``name(option=value)@plan``.
    name : str
        Of a procedure for two learners on splits or on rows.
    options : dict of str to object
        Options of the procedure; `df` replaces the degrees of freedom of any t test, and
        `scheme` is that of `calibrated_t_test`.
    plan : str
        Splits that it is applied to, as `cv` of a comparison.
    """

    text: str
    name: str
    options: dict[str, Any] = field(hash=False)
    plan: str = ""

    @classmethod
    def parse(cls, text: str, plan: str) -> CalibratedTest:
        """Read a test from its text.

        Parameters
        ----------
        text : str
            For example ``"corrected-t"``, ``"mcnemar(method=exact)@holdout"``.
        plan : str
            What it is applied to where the text names no plan and the test has none of its
            own (5x2cv tests: 5x2; tests of rows: one hold-out, the cross-validation central
            limit test: one 10-fold).

        Returns
        -------
        CalibratedTest

        Raises
        ------
        InvalidArgumentError
            If the text has another form, or there is no such procedure or option.
        DesignError
            If the procedure takes anything but two learners on splits or rows, or cannot do
            with the plan.

        Examples
        --------
        >>> CalibratedTest.parse("paired-t@10", "10x10").plan
        '10'
        """
        match = _FORM.fullmatch(str(text).strip())
        if match is None:
            raise InvalidArgumentError(
                f"test must have the form name(option=value)@plan; got {text!r}. "
                "Write 'corrected-t', or 'paired-t@10' for one run of 10 folds."
            )
        result = procedure(match["name"].strip())
        if result.takes not in ("two-on-splits", "two-on-rows") or not result.sides:
            raise DesignError(
                f"test of a calibration must compare two learners on one data set; got "
                f"{result.name!r}. Take one such as corrected-t, 5x2cv-t or mcnemar."
            )
        options = dict(_option(part, text) for part in (match["options"] or "").split(",") if part)
        added = ("df", "scheme") if result.name == CalibratedT.name else ("df",)
        result.check_options({k: v for k, v in options.items() if k not in added})
        own = _own_plan(result)
        chosen = (match["cv"] or own or plan).strip()
        if result.name in _OWN_PLANS and chosen != own:
            raise DesignError(
                f"plan of {result.name} must be {own}; got {chosen!r}. Leave the plan out."
            )
        return cls(str(text), result.name, options, chosen)

    def p_value(self, losses: SplitLosses, alternative: str = "two-sided") -> float:
        """Apply the test, even to a plan on which it is known to be wrong.

        Parameters
        ----------
        losses : SplitLosses
            Of two learners.
        alternative : {"two-sided", "greater", "less"}
            "greater": the first loses more.

        Returns
        -------
        float
            The p value.

        Raises
        ------
        DesignError
            If the losses are not of the shape that the test needs.
        InvalidArgumentError
            If it has no such option or side.
        """
        side = check_alternative(alternative)
        paired = PAIRED_TESTS.get(self.name)
        if self.name == CalibratedT.name:
            result: Any = calibrated_t_test(losses.a, losses.b, alternative=side, **self.options)
            return float(result.p_value)
        if paired is None or losses.sampling.n_scores < 2:
            return self._of_procedure(losses, side)
        # not `result`, which refuses plans that break an assumption: that is measured here
        outcome = paired.compare((losses.a - losses.b).ravel(), losses.sampling)
        if "df" in self.options:
            return _student_p(float(outcome.statistic), self.options["df"], side)
        return float(outcome.p_value(side))

    def _of_procedure(self, losses: SplitLosses, side: str) -> float:
        outcome, options = procedure(self.name), dict(self.options)
        if side != "two-sided":
            outcome.check_options({"alternative": side})
        if "alternative" in outcome.options:
            options["alternative"] = side
        df = None if "df" in outcome.options else options.pop("df", None)
        if outcome.takes == "two-on-rows":
            if "fold_of_row" in outcome.keywords:
                options["fold_of_row"] = losses.fold_of_row
            result: Any = outcome.run(losses.rows_a, losses.rows_b, **options)
        else:
            a, b = losses.a.ravel(), losses.b.ravel()
            result = outcome.run(a, b, sampling=losses.sampling, **options)
        return float(result.p_value if df is None else _student_p(result.statistic, df, side))


@dataclass(frozen=True, eq=False)
class MeasuredLevel:
    """Share of data sets on which one test rejected.

    Parameters
    ----------
    learners : str
        Learners that it compared.
    test, plan : str
        The test as it was asked for, and the splits that it was applied to.
    alpha : float
        Nominal level.
    p_values : ndarray of shape (n_data_sets,)
        One p value per data set.
    is_null : bool
        Whether the learners were equally good; if not, the rate is power.
    """

    learners: str
    test: str
    plan: str
    alpha: float
    p_values: Floats
    is_null: bool = True

    @property
    def n_data_sets(self) -> int:
        """Number of data sets."""
        return len(self.p_values)

    @cached_property
    def n_rejected(self) -> int:
        """Number of p values that are at most `alpha`."""
        return int((self.p_values <= self.alpha).sum())

    @property
    def rate(self) -> float:
        """Share of the data sets on which the test rejected."""
        return self.n_rejected / self.n_data_sets

    @property
    def rate_in_words(self) -> str:
        """The rate with the digits that so many data sets give."""
        return drawn(self.rate, self.n_data_sets)

    @property
    def standard_error(self) -> float:
        """Standard error of the rate."""
        return float(np.sqrt(self.rate * (1 - self.rate) / self.n_data_sets))

    @property
    def interval(self) -> tuple[float, float]:
        """Limits of the true rate, 95% confidence, after Wilson (1927)."""
        low, high = wilson_limits(self.rate, self.n_data_sets, Z_95)
        return float(low), float(high)

    @property
    def note(self) -> str:
        """Assessment of the test by its rate, in a few words."""
        low, high = self.interval
        if not self.is_null:
            return "power"
        if low > self.alpha:
            return "rejects too often"
        if high < self.alpha:
            return "rejects too rarely"
        return "no deviation shown"


@dataclass(frozen=True, eq=False)
class CalibrationResult(PrintedCalibration):
    """Measured levels of tests with their nominal ones.

    Parameters
    ----------
    null : str
        How the data sets were made.
    n_rows : int
        Rows of each of them.
    levels : tuple of MeasuredLevel
        One per test and pair of learners.
    limits : tuple of str
        What this null cannot tell, one sentence each.
    is_interrupted : bool, default=False
        Whether fewer data sets were done than asked for.
    """

    title = "Levels of tests"
    null: str
    n_rows: int
    levels: tuple[MeasuredLevel, ...]
    limits: tuple[str, ...] = ()
    is_interrupted: bool = False

    def to_frame(self) -> pd.DataFrame:
        """Return one row per test and pair of learners.

        Returns
        -------
        DataFrame
            Columns null, n_rows, learners, test, plan, alpha (nominal level), n_rejected,
            n_data_sets, rate (measured level), standard_error, low and high (95 % interval of
            the rate), note.
        """
        rows = [
            {
                "null": self.null,
                "n_rows": self.n_rows,
                **{name: getattr(level, name) for name in _FIGURES},
                "low": level.interval[0],
                "high": level.interval[1],
                "note": level.note,
            }
            for level in self.levels
        ]
        return pd.DataFrame(rows)

    def headline(self) -> str:
        """Return what was measured."""
        return f"Share of rejections at {self.n_rows} rows, null: {self.null}"

    def _tables(self) -> list[Table]:
        return [table_of(_TITLES, [*map(self._cells, self.levels)], left=range(len(_TITLES)))]

    def _remarks(self) -> tuple[str, ...]:
        return self.limits

    def _cells(self, level: MeasuredLevel) -> list[str]:
        low, high = level.interval
        return [
            level.learners,
            level.test,
            level.plan,
            f"{level.alpha:g}",
            f"{level.rate_in_words} ± {level.standard_error:.1g}",
            f"{fixed(low, 3)} to {fixed(high, 3)}",
            str(level.n_data_sets),
            level.note,
        ]

    def text(self) -> str:
        """Return the report as plain text; no line is broken."""
        limits = [f"! {text}" for text in self.limits]
        return "\n".join(
            [printable(self.headline()), *map(in_lines, self._tables()), *map(printable, limits)]
        )

    def __repr__(self) -> str:
        shown = ", ".join(f"{level.test} {level.rate_in_words}" for level in self.levels[:3])
        more = ", ..." if len(self.levels) > 3 else ""
        return printable(f"CalibrationResult({self.null}, n_rows={self.n_rows}: {shown}{more})")


def _own_plan(chosen: Procedure) -> str | None:
    if chosen.takes == "two-on-rows":
        return "10" if "fold_of_row" in chosen.keywords else "holdout"
    return _OWN_PLANS.get(chosen.name)


def _option(part: str, text: str) -> tuple[str, Any]:
    name, equals, value = (piece.strip() for piece in part.partition("="))
    if not (name and equals and value):
        raise InvalidArgumentError(
            f"options of a test must have the form option=value; got {part!r} in {text!r}. "
            "Write 'mcnemar(method=exact)'."
        )
    for kind in (int, float):
        with contextlib.suppress(ValueError):
            return name, kind(value)
    return name, value


def _student_p(statistic: float, df: float, side: str) -> float:
    if side == "two-sided":
        return float(np.minimum(1.0, 2 * upper_tail(abs(statistic), df)))
    return float(upper_tail(statistic if side == "greater" else -statistic, df))
