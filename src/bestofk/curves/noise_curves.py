"""Result of noise curves: scores, relative losses and tests at every fraction of noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from bestofk.array_types import Floats
from bestofk.curves.curve import LearnersCurve, mean_of_known, n_unknown, plain_tables
from bestofk.curves.texts.noise import noise_sections
from bestofk.errors import InvalidArgumentError
from bestofk.measures.ties import tied_values
from bestofk.report.parts import Sections
from bestofk.words import listing

if TYPE_CHECKING:
    from bestofk.report.plots import Display


@dataclass(frozen=True, eq=False, repr=False)
class NoiseCurves(LearnersCurve):
    """Scores of K learners under growing noise.

    Attributes
    ----------
    test_values : ndarray of shape (n_fractions, n_learners, n_splits)
        On the test rows as they were: clean, or with `noisy` "both" noisy; nan where a run
        failed.
    kind : {"class", "random-class", "feature", "missing"}
        What is wrong in noisy rows.
    noisy : {"train", "both"}, default="train"
        Whether test rows were noisy too.
    """

    condition: ClassVar[str] = "noise"
    level_name: ClassVar[str] = "fraction"
    kind: str
    noisy: str = "train"

    @property
    def fractions(self) -> tuple[float, ...]:
        """Shares of noise, ascending."""
        return self.levels

    @property
    def values(self) -> Floats:
        """Scores on the test rows, as `test_values`."""
        return self.test_values

    def to_frame(self) -> pd.DataFrame:
        """Return one row per learner and fraction.

        Columns: learner, fraction, score (mean of the measure), score_error (standard error
        of that mean, as `error` gives it, about other divisions of these rows, not about
        other rows), n_failed (runs without a value). A mean is over the runs that have one.
        """
        return pd.DataFrame(
            {
                "learner": np.repeat(self.learners, len(self.levels)).tolist(),
                "fraction": np.tile(self.levels, len(self.learners)),
                "score": self.by_learner(self.test_values, mean_of_known),
                "score_error": self.by_learner(self.test_values, self.error),
                "n_failed": self.by_learner(self.test_values, n_unknown),
            }
        )

    @property
    def has_resistance(self) -> bool:
        """Return whether there are scores without noise and with some."""
        return self.levels[0] == 0 and len(self.levels) > 1

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers as plain values, as the command line prints them with --json."""
        tables = {"scores": self.to_frame(), "tests": self.pairs()}
        if self.has_resistance:
            tables["resistance"] = self.resistance()
        return {
            "answer": list(self.answer),
            "data": self.data_name, "kind": self.kind, "noisy": self.noisy,
            "measure": self.measure.name, "test": self.test, "alpha": self.alpha,
            **plain_tables(**tables), "notes": list(self.notes),
        }  # fmt: skip

    def display(self) -> Display:
        """Return the picture, not yet drawn."""
        from bestofk.report.plots import NoiseCurveDisplay

        return NoiseCurveDisplay.from_curves(self)

    def relative_losses(self) -> Floats:
        """Return how much of its score without noise each learner loses, by fraction.

        (S_0 - S_f) / S_0 with mean scores S, of which more is better: the relative loss of
        accuracy [1]_ where the measure is accuracy or error. Other measures of which less is
        better count from their maximum, as error does; where there is none it is the growth
        (L_f - L_0) / L_0 of the mean loss.

        Returns
        -------
        ndarray of shape (n_fractions, n_learners)
            0 without noise; negative where noise helped; nan where a run failed, or where
            the score without noise is not above 0.

        Raises
        ------
        InvalidArgumentError
            If 0 is not one of the fractions.

        References
        ----------
        .. [1] Saez, Luengo & Herrera (2011), Fuzzy rule based classification systems versus
           crisp robust learners trained in presence of class noise's effects: a case of
           study, 11th International Conference on Intelligent Systems Design and
           Applications.
        """
        if self.levels[0] != 0:
            raise InvalidArgumentError(
                f"fractions must start with 0 where losses are relative; got "
                f"{self.levels[0]:g} first. Add 0, the score without noise."
            )
        means, grows = self.means(), self.is_growth
        if not self.measure.greater_is_better and not grows:
            means = self.measure.maximum - means
        without = np.where(means[0] > 0, means[0], np.nan)
        return np.asarray((means - without if grows else without - means) / without)

    @property
    def is_growth(self) -> bool:
        """Return whether relative losses are growths of a loss that has no maximum."""
        return not self.measure.greater_is_better and not np.isfinite(self.measure.maximum)

    def resistance(self) -> pd.DataFrame:
        """Return the learners by how little they lose to noise, most resistant first.

        Columns: rank (ties share the mean rank), learner, relative_loss (mean of
        `relative_losses` over the fractions above 0), largest_loss (the largest of them).
        Baselines are left out: they have nothing to lose. A learner without a value
        comes last, without a rank.

        Raises
        ------
        InvalidArgumentError
            If 0 is not one of the fractions, or it is the only one.
        """
        losses = self.relative_losses()[1:, ~np.array(self.is_baseline)]
        if not len(losses):
            raise InvalidArgumentError(
                "fractions must hold one above 0 where resistance is asked for; got 0 alone. "
                "Add 0.1."
            )
        names = [n for n, out in zip(self.learners, self.is_baseline, strict=True) if not out]
        mean = losses.mean(axis=0)
        table = {
            "rank": rankdata(tied_values(mean), nan_policy="omit"),
            "learner": names,
            "relative_loss": mean,
            "largest_loss": losses.max(axis=0),
        }
        return pd.DataFrame(table).sort_values("rank", kind="stable", ignore_index=True)

    @property
    def title(self) -> str:
        """Kind of the curve in words."""
        return f"noise curves of {listing(self.learners)}"

    def sections(self) -> Sections:
        """Return the report: answer, table, details and caveats."""
        return noise_sections(self)
