"""Result of noise curves: scores, relative losses and tests at every fraction of noise."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from bestofk.curves.points import error_of_mean, mean_of_known, tests_at_points
from bestofk.errors import InvalidArgumentError
from bestofk.inference import Sampling
from bestofk.measures import Measure
from bestofk.report.words import listing, percent, short_title, times, value_in_words

if TYPE_CHECKING:
    import pandas as pd

_WIDTH = 80
_NOISE = {
    "class": "of {rows} got another class",
    "feature": "of the values in every column of {rows} were replaced",
    "missing": "of the values in every column of {rows} were removed",
}
_TESTED_ON_CLEAN = "test rows stayed clean."
_TESTED_ON_NOISY = {
    "class": "scores are agreement with these partly wrong classes.",
    "feature": "learners predicted from such values.",
    "missing": "learners predicted with such gaps.",
}


@dataclass(frozen=True, eq=False)
class NoiseCurves:
    """Scores of K learners under more and more noise.

    Attributes
    ----------
    data_name : str
        The data set.
    learners : tuple of str
        Names.
    is_baseline : tuple of bool
        Which of them are no candidates.
    kind : {"class", "feature", "missing"}
        What is wrong in noisy rows.
    fractions : tuple of float
        Shares of noise, ascending.
    measure : Measure
        What was measured.
    values : ndarray of shape (n_fractions, n_learners, n_splits)
        On the test rows as they were: clean, or with `noisy` "both" noisy; nan where a run
        failed.
    sampling : Sampling
        How the splits were made.
    alpha : float
        Level of the family of tests.
    notes : tuple of str
        What to know about the runs.
    noisy : {"train", "both"}
        Whether rows that test were noisy too.
    is_interrupted : bool, default=False
        Whether Ctrl-C ended the runs. A fraction that was not finished is left out, but for the
        first.
    """

    data_name: str
    learners: tuple[str, ...]
    is_baseline: tuple[bool, ...]
    kind: str
    fractions: tuple[float, ...]
    measure: Measure
    values: NDArray[np.float64]
    sampling: Sampling
    alpha: float
    notes: tuple[str, ...]
    noisy: str = "train"
    is_interrupted: bool = False

    def frame(self) -> pd.DataFrame:
        """Return one row per learner and fraction.

        Columns: learner, fraction, score (mean of the measure), score_error (standard error
        of that mean over repeats; nan with one repeat, and about other divisions of these
        rows, not about other rows), n_failed (runs without a value). A mean is over the
        runs that have one.
        """
        import pandas as pd

        rows = [
            {
                "learner": name,
                "fraction": fraction,
                "score": mean_of_known(self.values[f, k]),
                "score_error": error_of_mean(self.values[f, k], self.sampling.n_repeats),
                "n_failed": int(np.isnan(self.values[f, k]).sum()),
            }
            for k, name in enumerate(self.learners)
            for f, fraction in enumerate(self.fractions)
        ]
        return pd.DataFrame(rows)

    def relative_losses(self) -> NDArray[np.float64]:
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
        if self.fractions[0] != 0:
            raise InvalidArgumentError(
                f"fractions must start with 0 where losses are relative; got "
                f"{self.fractions[0]:g} first. Add 0, the score without noise."
            )
        means, grows = self.means(), self._is_growth
        if not self.measure.greater_is_better and not grows:
            means = self.measure.maximum - means
        without = np.where(means[0] > 0, means[0], np.nan)
        return np.asarray((means - without if grows else without - means) / without)

    @property
    def _is_growth(self) -> bool:
        """Return whether relative losses are growths of a loss that has no maximum."""
        return not self.measure.greater_is_better and not np.isfinite(self.measure.maximum)

    def resistance(self) -> pd.DataFrame:
        """Return the learners by how little they lose to noise, most resistant first.

        Columns: rank (ties share the mean rank), learner, relative_loss (mean of
        `relative_losses` over the fractions above 0), largest_loss (the largest of them).
        Baselines are left out: who learns nothing loses nothing. A learner without a value
        comes last, without a rank.

        Raises
        ------
        InvalidArgumentError
            If 0 is not one of the fractions, or it is the only one.
        """
        import pandas as pd

        losses = self.relative_losses()[1:, ~np.array(self.is_baseline)]
        if not len(losses):
            raise InvalidArgumentError(
                "fractions must hold one above 0 where resistance is asked for; got 0 alone. "
                "Add 0.1."
            )
        names = [n for n, out in zip(self.learners, self.is_baseline, strict=True) if not out]
        mean = losses.mean(axis=0)
        table = {
            "rank": rankdata(mean, nan_policy="omit"),
            "learner": names,
            "relative_loss": mean,
            "largest_loss": losses.max(axis=0),
        }
        return pd.DataFrame(table).sort_values("rank", kind="stable", ignore_index=True)

    def pairs(self) -> pd.DataFrame:
        """Return the corrected resampled t test of every pair at every fraction.

        All pairs at all fractions are one family (Holm). Columns: fraction, first, second,
        difference (of losses: negative where the first is better), p_value, p_adjusted,
        shown (whether the difference is shown at the level). A learner with a failed run at a
        fraction is not compared there.

        References
        ----------
        Nadeau & Bengio (2003), Inference for the generalization error, Machine Learning 52,
        239-281.
        """
        return tests_at_points(
            "fraction", self.fractions, self.measure.loss(self.values), self.learners,
            self.sampling, self.alpha,
        )  # fmt: skip

    def means(self) -> NDArray[np.float64]:
        """Return the mean score, shape (n_fractions, n_learners); nan where a run failed."""
        return np.asarray(self.values.mean(axis=2))

    def __str__(self) -> str:
        """Return the table of mean scores, and what they say."""
        import pandas as pd

        shares = [f"{100 * fraction:g} %" for fraction in self.fractions]
        table = pd.DataFrame(self.means().T, index=list(self.learners), columns=shares)
        said = textwrap.fill(self.text(), _WIDTH, break_on_hyphens=False)
        return f"{table.round(4).to_string()}\n\n{said}"

    def text(self) -> str:
        """Return what the curves say, in a few sentences."""
        said = [
            self._what_was_noisy(),
            self._who_is_best(),
            self._who_resists(),
            self._what_is_shown(),
            *self.notes,
        ]
        return " ".join(item for item in said if item)

    def _what_was_noisy(self) -> str:
        shares = listing(f"{100 * fraction:g}" for fraction in self.fractions)
        is_both = self.noisy == "both"
        struck = _NOISE[self.kind].format(
            rows="all rows, for training and for testing," if is_both else "the training rows"
        )
        tested = _TESTED_ON_NOISY[self.kind] if is_both else _TESTED_ON_CLEAN
        return f"On {self.data_name}, {shares} % {struck}; {tested}"

    def _who_is_best(self) -> str:
        """Report the learner with the best mean without noise, and where that changes."""
        losses = self.measure.loss(self.means())
        losses[:, np.array(self.is_baseline)] = np.nan
        known = [f for f in range(len(self.fractions)) if not np.isnan(losses[f]).all()]
        leaders = [(f, int(np.nanargmin(losses[f]))) for f in known]
        if not leaders:
            return "No learner has a value in every run."
        start, first = leaders[0]
        value = value_in_words(self.measure, float(self.means()[start, first]))
        text = (
            f"{self._at(start)} {self.learners[first]} has the best mean "
            f"{short_title(self.measure)}: {value}"
        )
        changes = [
            f"{self.learners[k]} from {100 * self.fractions[f]:g} %"
            for (_, before), (f, k) in pairwise(leaders)
            if k != before
        ]
        if changes:
            return f"{text}; then {listing(changes)}."
        return f"{text}{', and at every other fraction too' if len(leaders) > 1 else ''}."

    def _at(self, place: int) -> str:
        share = self.fractions[place]
        return "Without noise" if share == 0 else f"At {100 * share:g} % noise"

    def _who_resists(self) -> str:
        if self.fractions[0] != 0 or len(self.fractions) < 2:
            return ""
        ranked = self.resistance().dropna(subset="rank")
        if len(ranked) < 2:
            return ""
        most, least = (self._loses(ranked.iloc[index]) for index in (0, -1))
        return f"Most resistant is {most} on average over the fractions; least {least}."

    def _loses(self, row: Any) -> str:
        loss, title = row["relative_loss"], short_title(self.measure)
        share = f"{percent(abs(loss))} %"
        if self._is_growth:
            return f"{row['learner']}, whose {title} {'falls' if loss < 0 else 'grows'} by {share}"
        if not self.measure.greater_is_better:
            title = "accuracy" if self.measure.name == "error" else "score"
        return f"{row['learner']}, which {'gains' if loss < 0 else 'loses'} {share} of its {title}"

    def _what_is_shown(self) -> str:
        pairs = self.pairs()
        if not len(pairs):
            return ""
        n_shown = int(pairs["shown"].sum())
        return (
            f"{n_shown} of {times(len(pairs), 'difference')} between two learners "
            f"{'is' if 1 in (n_shown, len(pairs)) else 'are'} shown (corrected resampled t test, "
            f"Holm, level {self.alpha:g})."
        )
