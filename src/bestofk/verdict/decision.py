"""Verdict on one data set from evidence and preference."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from bestofk.array_types import Floats, Ints
from bestofk.errors import InvalidArgumentError
from bestofk.inference import adjust_p_values, procedure, reject_adjusted
from bestofk.inference.many_learners import pair_evidence
from bestofk.inference.many_learners.mean_losses import lowest_loss, repeat_means
from bestofk.inference.many_learners.reseeding import STATEMENTS, Reseeding, reseed
from bestofk.measures.ties import at_most, is_noise
from bestofk.verdict import rules
from bestofk.verdict import verdict as answers
from bestofk.verdict.preference import order_by_preference, savings
from bestofk.verdict.verdict import Alternative, Columns, Edge, Evidence, Pair, Verdict
from bestofk.verdict.verdict_options import VerdictOptions

# Where the statements about other seeds were measured to hold: docs/reproducibility.md.
MEASURED_SCHEMES, MEASURED_TEST = ("k-fold", "hold-out"), "corrected-t"
# The least probability of each statement, and of the pick with two folds.
LEAST, LEAST_OF_TWO_FOLDS = {"best": 0.5, "candidates": 0.5, "order": 0.85}, 0.7
_BY_PREFERENCE = "a preference decides, and for preferences the probability was not validated"
_OTHER_SCHEME = "for {scheme} plans the probability was not validated"
_OTHER_TEST = "with the test {test} the probability was not validated"
_OTHER_CANDIDATES = (
    "where differences that do not matter, or another correction, decide which learners are "
    "plausible, the probability was not validated"
)
_BY_MEDIAN = "medians decide, and for them the probability was not validated"
_TOO_LOW = "below {least:.0%} the probability was not validated"
USUAL = VerdictOptions()


def needs_all_splits(test: str) -> bool:
    """Return whether a test cannot do without any split of its plan."""
    return procedure(pair_evidence.wanted_test(test)).needs_all_splits


def decide(evidence: Evidence, settings: VerdictOptions = USUAL) -> Verdict:
    """Weigh the evidence, and the preference if there is one.

    Parameters
    ----------
    evidence : Evidence
        Losses of the learners that take part.
    settings : VerdictOptions
        Test, correction, level, preference and region; a region that is None is of width 0.

    Returns
    -------
    Verdict

    Raises
    ------
    DesignError
        If the plan cannot carry the test although it can carry another.  Where it could but
        for splits that are left out, no test is made and every learner stays a candidate.
    InvalidArgumentError
        If the preference is not allowed, or all learners are baselines.
    """
    return Decision(evidence, settings).verdict()


class Decision:
    """Weighing of evidence on one data set: every pair is tested once, for all that follows.

    Learners are numbered in the order given, without the baselines.

    Parameters
    ----------
    evidence, settings
        As for `decide`.
    """

    def __init__(self, evidence: Evidence, settings: VerdictOptions = USUAL) -> None:
        if all(evidence.is_baseline):
            raise InvalidArgumentError(
                "evidence must hold a learner that is no baseline; got "
                f"{', '.join(evidence.names) or 'none'}. Enter one that can be best."
            )
        self.evidence = evidence
        self._read(settings)
        self.own = [i for i, is_baseline in enumerate(evidence.is_baseline) if not is_baseline]
        self.names = [evidence.names[i] for i in self.own]
        self.losses = evidence.losses[:, self.own]
        self.wanted = pair_evidence.wanted_test(settings.test)
        self.tested = pair_evidence.compare_on_splits(
            evidence.losses, self.wanted, evidence.sampling, is_complete=evidence.is_complete
        )
        if self.tested is None and evidence.sampling.n_scores == 1:
            self.tested = evidence.on_rows
        elif self.tested is not None and evidence.sampling.scheme != "forward":
            self.tested = pair_evidence.settle_on_rows(self.tested, evidence.row_losses)
        compared = None if self.tested is None else self.tested.compared
        self.compared = None if compared is None else compared.take(self.own, self.own)
        if self.compared is not None:  # tables that decisions by other settings share
            limits = self.compared.confidence_interval
            # objects: the nan of a pair is then one and the same in all views
            self.interval = cache(lambda *asked: [ends.astype(object) for ends in limits(*asked)])
            self.columns = cache(self._columns)
        self.is_beaten = np.zeros(len(evidence.names), dtype=bool)
        if len(evidence.is_beaten):
            self.is_beaten[:] = evidence.is_beaten
        self.lengths = (~np.isnan(self.losses)).sum(axis=0)
        self.all_means = self._all_means()
        self.means = self.all_means[self.own]
        self.differences = self.means[:, None] - self.means
        if self.compared is not None:
            is_even = self.lengths[:, None] == self.lengths
            self.differences = np.where(is_even, self.differences, self.compared.mean)
        scale = np.nanmax(np.abs(self.losses))
        self.differences = np.where(is_noise(self.differences, scale), 0.0, self.differences)
        self.centers = self.means
        if settings.center == "median":
            repeats = repeat_means(self.losses, evidence.repeat_of_split)
            self.centers = np.nanmedian(repeats, axis=0)

    def _read(self, settings: VerdictOptions) -> None:
        self.settings, self.prefer = settings, settings.prefer
        self.correction, self.alpha = settings.correction, settings.alpha
        self.rope = settings.rope or 0.0 if self.prefer is None else 0.0

    def changed(self, settings: VerdictOptions) -> Decision:
        """Return the decision by another level, correction or preference.

        Parameters
        ----------
        settings : VerdictOptions
            Of the same test and center, as no pair is tested again.

        Returns
        -------
        Decision
        """
        other = copy(self)
        other._read(settings)
        return other

    def _all_means(self) -> Floats:
        """Return the mean losses.

        Of a learner that was eliminated: the mean of the best plus their difference on shared
        splits.
        """
        means: Floats = np.nanmean(self.evidence.losses, axis=0)
        if self.tested is not None and self.is_beaten.any():
            best = self.own[self._pick(means[self.own])]
            means[self.is_beaten] = means[best] + self.tested.compared.mean[self.is_beaten, best]
        return means

    def _pick(self, means: Floats) -> int:
        """Return the first that is tied with the lowest mean loss, of those that can be best."""
        is_out = self.is_beaten[self.own]
        indices = np.flatnonzero(is_out if is_out.all() else ~is_out)
        return int(indices[lowest_loss(means[indices], self.evidence.indifference)])

    def verdict(self) -> Verdict:
        """Return the pick, the order, the candidates and the answers about pairs, with details."""
        verdict = self.without_details()
        best = self.names.index(str(verdict.best))
        verdict = replace(
            verdict,
            same_pick_share=self._same_pick_share(best),
            smallest_difference=self._smallest_difference(),
            **self._other_picks(best, verdict.candidates),
        )
        about = answers.verdict_warnings(verdict, self.evidence, self.tested, self.own, self.wanted)
        return replace(verdict, warnings=(*self._about_medians(best), *about))

    def without_details(self) -> Verdict:
        """Return the verdict without warnings, other picks, and what tests could have shown."""
        preferred, preference = self._preferred()
        if self.prefer is None:
            order, adjusted = rules.order_by_mean(self.centers, self._pick(self.centers)), None
        elif self.compared is not None and len(preferred) > 1:
            order, adjusted = self._multitest(preferred)
        else:
            order, adjusted = preferred, None
        pairs, edges = self._pairs(preferred, self._adjusted() if adjusted is None else adjusted)
        return Verdict(
            best=self.names[order[0]],
            order=[self.names[i] for i in order],
            candidates=answers.unbeaten(self.names, edges),
            edges=edges,
            pairs=pairs,
            means=dict(zip(self.evidence.names, self.all_means.tolist(), strict=True)),
            has_preference=self.prefer is not None,
            preference=preference,
            baselines=self._baselines(),
            test=self.tested.test if self.tested else "",
            correction=self.correction,
            alpha=self.alpha,
            n_splits=len(self.losses),
            test_title=self.tested.title if self.tested else "",
            rope=self.rope,
            indifference=self.evidence.indifference if self.prefer is None else 0.0,
            center=self.settings.center,
        )

    def _about_medians(self, best: int) -> tuple[str, ...]:
        """Say that medians decided, and whether the means pick another learner."""
        if self.settings.center == "mean":
            return ()
        by_means = self._pick(self.means)
        other = "it too" if by_means == best else self.names[by_means]
        n_repeats = len(np.unique(self.evidence.repeat_of_split))
        if n_repeats < 3:
            return ("Picked by medians of repeats, which are the means of fewer than three.",)
        return (
            f"Picked by the median of {n_repeats} repeats; the means pick {other}. Tests and "
            "intervals are about means.",
        )

    def reseeding(self) -> Reseeding | None:
        """Estimate how probable it is that other random seeds give the same verdict on these rows.

        A probability is stated only where it was measured to hold on data sets that the estimate
        was not tuned on; the reasons of the others are in the result.

        Returns
        -------
        Reseeding or None
            None with fewer than three repeats, fewer than two learners that can be best, or
            without a test.
        """
        if self.compared is None:
            return None
        reseeding = reseed(
            self.losses,
            self.evidence.repeat_of_split,
            self.compared,
            best=self._pick(self.means),
            alpha=self.alpha,
            indifference=self.evidence.indifference,
        )
        scheme = self.evidence.sampling.scheme
        if reseeding is None:
            return None
        if self.prefer is not None:
            return reseeding.without(*STATEMENTS, reason=_BY_PREFERENCE)
        if self.settings.center == "median":
            return reseeding.without(*STATEMENTS, reason=_BY_MEDIAN)
        if scheme not in MEASURED_SCHEMES:
            return reseeding.without(*STATEMENTS, reason=_OTHER_SCHEME.format(scheme=scheme))
        for name, usual in LEAST.items():
            is_pick_of_halves = name == "best" and self.evidence.sampling.n_folds == 2
            least = LEAST_OF_TWO_FOLDS if is_pick_of_halves else usual
            if getattr(reseeding, name).value < least:
                reseeding = reseeding.without(name, reason=_TOO_LOW.format(least=least))
        if self.wanted != MEASURED_TEST:
            return reseeding.without("candidates", reason=_OTHER_TEST.format(test=self.wanted))
        measured, _ = rules.candidate_set(self.compared.p_greater, alpha=self.alpha)
        if [self.names[i] for i in np.flatnonzero(measured)] != self.verdict().candidates:
            return reseeding.without("candidates", reason=_OTHER_CANDIDATES)
        return reseeding

    def _adjusted(self) -> Floats:
        """Return the adjusted one-sided p values of all ordered pairs, one family."""
        k = len(self.names)
        if self.compared is None or k == 1:
            return np.full((k, k), np.nan)
        p_values = self.compared.p_greater
        return rules.candidate_set(p_values, alpha=self.alpha, correction=self.correction)[1]

    def _preferred(self) -> tuple[list[int], str]:
        """Return the learners in the order of preference, or as given, and a sentence about it."""
        if self.prefer is None:
            return list(range(len(self.own))), ""
        costs = {
            kind: np.asarray(v, dtype=float)[self.own] for kind, v in self.evidence.costs.items()
        }
        return order_by_preference(self.names, self.prefer, costs)

    def _other_picks(self, best: int, candidates: list[str]) -> dict[str, Any]:
        """Return the fields of `Verdict` about what else could be picked."""
        if self.prefer is None:
            return {"alternative": self._alternative(best, candidates)}
        preferred, _ = self._preferred()
        if self.compared is None or len(preferred) == 1:
            return {"reversed_best": self.names[preferred[-1]]}
        backwards, _ = self._multitest(preferred[::-1])
        p_values = self.compared.p_greater[np.ix_(preferred, preferred)]
        first = rules.first_test_best(
            self.means[preferred], p_values, alpha=self.alpha, correction=self.correction
        )
        return {
            "reversed_best": self.names[backwards[0]],
            "first_test_best": None if first is None else self.names[preferred[first]],
        }

    def _multitest(self, preferred: list[int]) -> tuple[list[int], Floats]:
        assert self.compared is not None
        return rules.multitest_by_position(
            self.compared.p_greater, preferred, alpha=self.alpha, correction=self.correction
        )

    def _pairs(self, preferred: Sequence[int], adjusted: Floats) -> tuple[Columns, Columns]:
        """Return the answer about every pair, more preferred learners first, and the edges.

        A pair is tested both ways; where a preference decides, only whether the second learner,
        which is less preferred, is better.
        """
        if self.compared is None or self.tested is None or len(self.names) == 1:
            return Columns(Pair), Columns(Edge)
        compared, names = self.compared, self.names
        first, second, columns = self.columns(tuple(preferred), self.rope)
        pair, rejected = (first, second), reject_adjusted(adjusted, self.alpha)
        is_open = (np.isnan(compared.statistic) | compared.is_unsettled)[pair]
        worse, better, is_same = first, second, np.zeros(len(first), dtype=bool)
        if self.prefer is not None:
            answer = np.where(rejected[pair], answers.BETTER, answers.NOT_BETTER)
            answer = np.where(is_open, answers.NOT_TESTED, answer)
            p_values = compared.p_greater
        else:
            is_turned = ~(compared.mean[pair] > 0)
            is_turned ^= np.where(is_turned, rejected[pair], rejected[second, first])
            worse, better = np.where(is_turned, (second, first), (first, second))
            answer = np.where(rejected[worse, better], answers.BETTER, answers.UNDECIDED)
            if self.rope > 0:
                is_inside = np.asarray(columns["p_equivalent"]) >= 1 - self.alpha
                answer = np.where(is_inside, answers.EQUIVALENT, answer)
            is_same = self.tested.is_same[np.ix_(self.own, self.own)][pair]
            answer = np.where(is_same, answers.EQUIVALENT, answer)
            p_values = compared.p_two_sided
        answered = zip(answer.tolist(), better.tolist(), is_same.tolist(), strict=True)
        low, high = self.interval(1 - self.alpha)
        pairs = Columns(
            Pair,
            **columns,
            low=low[pair].tolist(),
            high=high[pair].tolist(),
            p_value=np.where(is_open, np.nan, p_values[pair]).tolist(),
            p_adjusted=np.where(is_open, np.nan, adjusted[worse, better]).tolist(),
            finding=[
                answers.SAME if same else answers.finding_of(said, names[learner])
                for said, learner, same in answered
            ],
            answer=answer.tolist(),
        )
        is_edge = answer == answers.BETTER
        tested = (self.differences, compared.statistic, compared.p_greater, adjusted)
        return pairs, answers.edges_of(worse[is_edge], better[is_edge], names, *tested)

    def _columns(
        self, preferred: tuple[int, ...], rope: float
    ) -> tuple[Ints, Ints, dict[str, list[Any]]]:
        """Return both learners of each pair, and the fields that only order and region change."""
        assert self.compared is not None
        first, second = pair = np.asarray(preferred)[np.array(np.triu_indices(len(preferred), k=1))]
        tables = {
            "difference": self.differences,
            "statistic": self.compared.statistic,
            "df": self.compared.df,
            "zero_variance": self.compared.zero_variance,
        }
        chances = ("p_first_better", "p_equivalent", "p_second_better")
        tables |= zip(chances, self.compared.posterior(rope), strict=True)
        columns = {name: table[*pair].tolist() for name, table in tables.items()}
        columns["first"] = [self.names[i] for i in first.tolist()]
        columns["second"] = [self.names[j] for j in second.tolist()]
        columns["no_test"] = self._why_no_test(first, second)
        return first, second, columns

    def _why_no_test(self, first: Ints, second: Ints) -> list[str]:
        assert self.compared is not None
        assert self.tested is not None
        reasons = [""] * len(first)
        untested = self.compared.zero_variance | self.compared.is_unsettled
        for index in np.flatnonzero(untested[first, second]).tolist():
            i, j = int(first[index]), int(second[index])
            n_shared = int(min(self.lengths[i], self.lengths[j]))
            reasons[index] = self.tested.why_no_test(self.own[i], self.own[j], n_shared)
        return reasons

    def _smallest_difference(self) -> float | None:
        """Return the difference that a pair of median spread must reach to be shown."""
        k = len(self.names)
        if self.compared is None or k <= answers.MANY_LEARNERS:
            return None
        above = np.triu_indices(k, k=1)
        errors, df = self.compared.standard_error[above], self.compared.df[above]
        is_known = np.isfinite(errors)
        if not is_known.any():
            return None
        from bestofk.inference.power import smallest_detectable_difference

        smallest = smallest_detectable_difference(
            errors[is_known], df[is_known], n_hypotheses=k * (k - 1), alpha=self.alpha
        )
        return float(np.median(smallest))

    def _alternative(self, best: int, candidates: list[str]) -> Alternative | None:
        """Return the candidate of the lowest mean loss that is clearly cheaper than the best."""
        if self.compared is None or not len(self.evidence.run_seconds):
            return None
        seconds = [self.evidence.run_seconds[i] for i in self.own]
        saves = {
            index: savings(seconds[index], seconds[best])
            for index in map(self.names.index, candidates)
        }
        cheaper = [key for key, uses in saves.items() if uses]
        if not cheaper:
            return None
        chosen = cheaper[lowest_loss(self.means[cheaper])]
        _, upper = self.interval(1 - self.alpha, "less")
        return Alternative(
            name=self.names[chosen],
            difference=float(self.differences[chosen, best]),
            upper_bound=float(upper[chosen, best]),
            saves=saves[chosen],
        )

    def _baselines(self) -> dict[str, dict[str, bool]]:
        if self.tested is None:
            return {}
        results = {}
        for baseline, is_baseline in enumerate(self.evidence.is_baseline):
            if is_baseline:
                compared = self.tested.compared.take([baseline], self.own)
                # one family: each learner against the baseline
                p_values = adjust_p_values(compared.p_greater[0], "holm")
                shown = reject_adjusted(p_values, self.alpha)
                results[self.evidence.names[baseline]] = dict(
                    zip(self.names, shown.tolist(), strict=True)
                )
        return results

    def _same_pick_share(self, best: int) -> float:
        means = repeat_means(self.losses, self.evidence.repeat_of_split)
        if len(means) < 2:
            return float("nan")
        of_best = means[~np.isnan(means[:, best])]
        return float(np.mean(at_most(of_best[:, best], np.nanmin(of_best, axis=1))))
