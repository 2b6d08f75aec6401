"""How much do learners lose when the rows they are trained on are noisy."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from bestofk.comparing import (
    as_data_set,
    observer_of,
    opened_store,
    prepare_comparison,
    resume_line,
)
from bestofk.data import check_comparable
from bestofk.errors import InvalidArgumentError
from bestofk.evaluate import Evaluation, Store, evaluate
from bestofk.evaluate.record import ERROR, TIMEOUT
from bestofk.inference import Sampling
from bestofk.inference.adjust import adjust_p_values
from bestofk.learners import Learner
from bestofk.measures import Measure
from bestofk.ordering.pair_evidence import compare_on_splits
from bestofk.randomness import derive_seed
from bestofk.report.words import listing, percent, short_title, times, value_in_words

if TYPE_CHECKING:
    import pandas as pd

TEST, CORRECTION = "corrected-t", "holm"
_NOISE = {
    "class": "of the training rows got another class",
    "feature": "of the values in every column of the training rows were replaced",
    "missing": "of the values in every column of the training rows were removed",
}


def noise_curve(
    learners: Any,
    X: Any,
    y: Any = None,
    *,
    kind: str = "class",
    fractions: Sequence[float] = (0.0, 0.1, 0.2, 0.3, 0.4),
    cv: Any = "10x3",
    stratify: bool = True,
    task: str = "auto",
    groups: Any = None,
    sample_weight: Any = None,
    scoring: Any = None,
    pos_label: Any = None,
    alpha: float = 0.05,
    store: str | os.PathLike[str] | Store | None = None,
    timeout: float | None = None,
    n_jobs: int | None = None,
    random_state: int = 0,
    progress: Any = "auto",
) -> NoiseCurves:
    """Train learners on noisy rows, test them on clean ones, and compare them at every level.

    Parameters
    ----------
    learners : list, dict, str, estimator or None
        As for `bestofk.compare`.
    X, y, task, groups, sample_weight
        The data set, as for `bestofk.compare`.
    kind : {"class", "feature", "missing"}, default="class"
        What is wrong in the training rows: classes, values, or values that are missing; see
        `bestofk.learners.noisy_training.NoisyTraining`.
    fractions : sequence of float in [0, 1), default=(0, 0.1, 0.2, 0.3, 0.4)
        Shares of noise, ascending.
    cv, stratify
        The splits, as for `bestofk.compare`, but for "adaptive". They are the same at every
        fraction.
    scoring, pos_label
        What is measured, as for `bestofk.compare`; the first where there are several.
    alpha : float, default=0.05
        Level of the tests of all pairs at all fractions together.
    store, timeout, n_jobs, random_state, progress
        As for `bestofk.compare`.

    Returns
    -------
    NoiseCurves
        Scores by fraction, a ranking by resistance, and tests.

    Raises
    ------
    InvalidArgumentError
        If an argument breaks its rule, or the data cannot be compared on.
    DesignError
        If the plan cannot carry the test.

    Notes
    -----
    At a split all learners are trained on the same noisy rows, and a larger fraction adds to
    the noise of a smaller one.  Without noise learners run as in `bestofk.compare`, so that a
    store serves both.

    Examples
    --------
    >>> from bestofk.curves.noise import noise_curve
    >>> curves = noise_curve(["1nn", "5nn"], "iris", fractions=[0, 0.2], cv="2x3")
    >>> curves.resistance()["learner"].tolist()
    ['5nn', '1nn']
    """
    if isinstance(cv, str) and cv.strip().lower() == "adaptive":
        raise InvalidArgumentError(
            "cv of a curve must be a fixed plan; got 'adaptive'. Every fraction needs the same "
            "splits; write '10x3'."
        )
    data = as_data_set(X, y, task=task, groups=groups, sample_weight=sample_weight)
    check_comparable(data)
    _check_kind(kind, data.task)
    levels = _checked_fractions(fractions)
    prepared = prepare_comparison(
        learners, data, cv=cv, stratify=stratify, scoring=scoring, pos_label=pos_label,
        prefer=None, test=TEST, correction=CORRECTION, alpha=alpha, protocol=None,
        keep="probabilities", timeout=timeout, n_jobs=n_jobs, random_state=random_state,
    )  # fmt: skip
    request, measure = prepared.request, prepared.measures[0]
    seed = derive_seed(request.random_state, "noise")
    values, notes = [], []
    with opened_store(store) as opened:
        for level in levels:
            noisy = [_with_noise(one, kind, level, seed) for one in request.learners]
            found = evaluate(replace(request, learners=noisy), opened, observer_of(progress))
            scores = found.measured(measure, request.positive)
            values.append(scores.values)
            notes += [*_failures(found, level), *_without_value(scores.reasons)]
            if found.is_interrupted:
                notes.append(f"Interrupted at {100 * level:g} % noise. {resume_line(store)}")
                break
    plan = request.plan
    return NoiseCurves(
        data.name,
        tuple(one.name for one in request.learners),
        tuple(one.is_baseline for one in request.learners),
        kind,
        levels[: len(values)],
        measure,
        np.array(values),
        Sampling(plan.scheme, plan.n_repeats, plan.n_folds, plan.n_train, plan.n_test),
        prepared.settings.alpha,
        tuple(dict.fromkeys(notes)),
    )


@dataclass(frozen=True, eq=False)
class NoiseCurves:
    """Scores of K learners on clean rows, trained on more and more noisy ones.

    Attributes
    ----------
    data_name : str
        The data set.
    learners : tuple of str
        Names.
    is_baseline : tuple of bool
        Which of them are no candidates.
    kind : {"class", "feature", "missing"}
        What is wrong in the training rows.
    fractions : tuple of float
        Shares of noise, ascending.
    measure : Measure
        What was measured.
    values : ndarray of shape (n_fractions, n_learners, n_splits)
        On the clean test rows; nan where a run failed.
    sampling : Sampling
        How the splits were made.
    alpha : float
        Level of the family of tests.
    notes : tuple of str
        What to know about the runs.
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
                "score": _mean(self.values[f, k]),
                "score_error": self._error_of_mean(self.values[f, k]),
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
        """Whether relative losses are growths of a loss that has no maximum."""
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
        import pandas as pd

        columns = ["fraction", "first", "second", "difference", "p_value"]
        rows = [row for place in range(len(self.fractions)) for row in self._pairs_at(place)]
        frame = pd.DataFrame(rows, columns=columns)
        p_values = frame["p_value"].to_numpy(dtype=float)
        frame["p_adjusted"] = adjust_p_values(p_values, CORRECTION) if len(frame) else p_values
        return frame.assign(shown=frame["p_adjusted"] <= self.alpha)

    def means(self) -> NDArray[np.float64]:
        """Return the mean score, shape (n_fractions, n_learners); nan where a run failed."""
        return np.asarray(self.values.mean(axis=2))

    def text(self) -> str:
        """Return what the curves say, in a few sentences."""
        shares = listing(f"{100 * one:g}" for one in self.fractions)
        said = [
            f"On {self.data_name}, {shares} % {_NOISE[self.kind]}; test rows stayed clean.",
            self._who_is_best(),
            self._who_resists(),
            self._what_is_shown(),
            *self.notes,
        ]
        return " ".join(one for one in said if one)

    def _pairs_at(self, place: int) -> list[tuple[float, str, str, float, float]]:
        losses = self.measure.loss(self.values[place])
        whole = np.flatnonzero(~np.isnan(losses).any(axis=1))
        if len(whole) < 2:
            return []
        evidence = compare_on_splits(losses[whole], TEST, self.sampling, is_complete=True)
        if evidence is None:
            return []
        compared, fraction = evidence.compared, self.fractions[place]
        return [
            (fraction, self.learners[whole[i]], self.learners[whole[j]],
             float(compared.mean[i, j]), float(compared.p_two_sided[i, j]))
            for i, j in combinations(range(len(whole)), 2)
        ]  # fmt: skip

    def _error_of_mean(self, values: NDArray[np.float64]) -> float:
        of_repeats = values.reshape(self.sampling.n_repeats, -1)
        means = np.array([_mean(one) for one in of_repeats])
        means = means[~np.isnan(means)]
        if len(means) < 2:
            return float("nan")
        return float(means.std(ddof=1) / len(means) ** 0.5)

    def _who_is_best(self) -> str:
        """Say who has the best mean without noise, and where that changes."""
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
        most, least = (self._loses(ranked.iloc[place]) for place in (0, -1))
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
        return (
            f"{int(pairs['shown'].sum())} of {times(len(pairs), 'difference')} between two "
            f"learners are shown (corrected resampled t test, Holm, level {self.alpha:g})."
        )


def _check_kind(kind: Any, task: str) -> None:
    from bestofk.learners.noisy_training import check_noise_kind

    if check_noise_kind(kind) == "class" and task == "regression":
        raise InvalidArgumentError(
            "kind of noise must be 'feature' or 'missing' for regression; got 'class'. Numbers to "
            "be predicted have no other class."
        )


def _checked_fractions(fractions: Any) -> tuple[float, ...]:
    from bestofk.learners.noisy_training import check_noise_fraction

    is_list = hasattr(fractions, "__iter__") and not isinstance(fractions, str)
    levels = tuple(
        check_noise_fraction(one, "each of fractions") for one in (fractions if is_list else [])
    )
    if not levels or any(a >= b for a, b in pairwise(levels)):
        given = list(levels) if is_list else fractions
        raise InvalidArgumentError(
            f"fractions must be at least one number in [0, 1), ascending, none twice; got "
            f"{given!r}. Write (0, 0.1, 0.2)."
        )
    return levels


def _with_noise(learner: Learner, kind: str, fraction: float, seed: int) -> Learner:
    """Return the learner trained on noisy rows; without noise itself, whose runs may be known."""
    from bestofk.learners.noisy_training import NoisyTraining

    if fraction == 0:
        return learner
    noisy = NoisyTraining(learner.estimator, kind=kind, fraction=fraction, random_state=seed)
    return replace(learner, estimator=noisy)


def _failures(found: Evaluation, fraction: float) -> list[str]:
    """Say of each learner how many of its runs failed at this fraction, and the first reason."""
    notes = []
    for name, status, row in zip(found.names, found.status, found.records, strict=True):
        failed = np.flatnonzero(np.isin(status, [ERROR, TIMEOUT]))
        if len(failed):
            first = row[failed[0]]
            why = first.message.rstrip(".") if first is not None else ""
            notes.append(
                f"{name} failed in {len(failed)} of {len(row)} runs at {100 * fraction:g} % "
                f"noise: {why}."
            )
    return notes


def _without_value(reasons: dict[str, str]) -> list[str]:
    return [f"{name}: {reason.rstrip('.')}." for name, reason in reasons.items()]


def _mean(values: NDArray[np.float64]) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")
