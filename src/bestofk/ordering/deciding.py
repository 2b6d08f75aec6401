"""How evidence and preference are weighed: the verdict on one data set."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bestofk.errors import InvalidArgumentError
from bestofk.inference import (
    PairedComparison,
    PairedTest,
    adjust_p_values,
    check_test,
    paired_test,
    reject_adjusted,
    usable_tests,
)
from bestofk.ordering.candidates import candidate_set
from bestofk.ordering.first_test import first_test_best, lowest_loss
from bestofk.ordering.multitest import multitest_edges, multitest_order
from bestofk.ordering.preference import coarse_order, order_by_preference
from bestofk.ordering.verdict import Alternative, Edge, Evidence, Pair, Verdict


def needs_all_splits(test: str) -> bool:
    """Return whether a test cannot do without any split of its plan."""
    return paired_test(test).name == "5x2cv-t"


def decide(
    evidence: Evidence,
    *,
    test: str = "corrected-t",
    correction: str = "holm",
    alpha: float = 0.05,
    prefer: str | Sequence[str] | None = None,
) -> Verdict:
    """Weigh the evidence, and the preference if there is one.

    Parameters
    ----------
    evidence : Evidence
        Losses of the learners that take part.
    test : str, default="corrected-t"
        Name of a paired test.
    correction : {"holm", "bonferroni"}, default="holm"
        How a family of tests is corrected; the candidates always use Holm.
    alpha : float in (0, 1), default=0.05
        Level of each family.
    prefer : str, sequence of str or None
        None for the lowest mean loss; otherwise what `order_by_preference` takes.

    Returns
    -------
    Verdict

    Raises
    ------
    DesignError
        If the plan cannot carry the test although it can carry another.  Where it could but
        for splits that are left out, no test is made and every learner stays a candidate.
    InvalidArgumentError
        If a name or the level is not allowed, or all learners are baselines.
    """
    if all(evidence.is_baseline):
        raise InvalidArgumentError(
            "evidence must hold a learner that is no baseline; got "
            f"{', '.join(evidence.names) or 'none'}. Enter one that can be best."
        )
    adjust_p_values([1.0], correction)  # an unknown name is an error even where none is used
    reject_adjusted([1.0], alpha)
    return _Decision(evidence, test, correction, alpha, prefer).verdict()


class _Decision:
    """One weighing; learners are numbered in the order given, baselines apart."""

    def __init__(
        self,
        evidence: Evidence,
        test: str,
        correction: str,
        alpha: float,
        prefer: str | Sequence[str] | None,
    ) -> None:
        self.evidence, self.correction, self.alpha = evidence, correction, alpha
        self.own = [i for i, is_one in enumerate(evidence.is_baseline) if not is_one]
        self.names = [evidence.names[i] for i in self.own]
        self.losses = evidence.losses[self.own]
        self.means = self.losses.mean(axis=1)
        self.wanted = paired_test(test)
        self.test = self._possible_test()
        self.compared = self._compare(self.losses)
        self.prefer = prefer
        self.costs = {
            kind: np.asarray(v, dtype=float)[self.own] for kind, v in evidence.costs.items()
        }

    def _possible_test(self) -> PairedTest | None:
        """Return the test; None where the splits that count can carry no test, or not this."""
        sampling = self.evidence.sampling
        if not usable_tests(sampling):
            return None
        if not self.evidence.is_complete and self.wanted.refuse(sampling):
            return None
        return check_test(self.wanted.name, sampling)

    def _compare(self, losses: NDArray[np.float64]) -> PairedComparison | None:
        if self.test is None:
            return None
        differences = losses[:, None, :] - losses[None, :, :]
        largest = np.abs(losses).max(axis=1)
        scale = np.maximum(largest[:, None], largest[None, :])
        return self.test.compare(differences, self.evidence.sampling, scale=scale)

    def verdict(self) -> Verdict:
        candidates, adjusted = self._candidates()
        lowest = np.lexsort((np.arange(len(self.names)), np.round(self.means, 12)))
        if self.prefer is None:
            best = lowest_loss(self.means)
            order = [best, *[int(i) for i in lowest if i != best]]
            edges = self._edges(self._rejected(adjusted), adjusted, list(range(len(self.names))))
            sentence, backwards, first = "", None, None
        else:
            order, edges, sentence, backwards, first = self._by_preference()
            best = order[0]
        return Verdict(
            best=self.names[best],
            order=[self.names[i] for i in order],
            candidates=[
                name for name, is_one in zip(self.names, candidates, strict=True) if is_one
            ],
            edges=edges,
            pairs=self._pairs(adjusted),
            means=dict(
                zip(self.evidence.names, self.evidence.losses.mean(axis=1).tolist(), strict=True)
            ),
            has_preference=self.prefer is not None,
            preference=sentence,
            alternative=self._alternative(best, candidates) if self.prefer is None else None,
            reversed_best=backwards,
            first_test_best=first,
            baselines=self._baselines(),
            test=self.test.name if self.test else "",
            correction=self.correction,
            alpha=self.alpha,
            n_splits=self.losses.shape[1],
            same_pick_share=self._same_pick_share(best),
            warnings=self._warnings(best, candidates),
        )

    def _candidates(self) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        k = len(self.names)
        if self.compared is None or k == 1:
            return np.ones(k, dtype=bool), np.full((k, k), np.nan)
        return candidate_set(self.compared.p_greater, alpha=self.alpha)

    def _rejected(self, adjusted: NDArray[np.float64]) -> NDArray[np.bool_]:
        return reject_adjusted(adjusted, self.alpha)

    def _by_preference(self) -> tuple[list[int], list[Edge], str, str | None, str | None]:
        assert self.prefer is not None
        preferred, sentence = order_by_preference(self.names, self.prefer, self.costs)
        if self.compared is None or len(preferred) == 1:
            return preferred, [], sentence, self.names[preferred[-1]], None
        order, edges = self._multitest(preferred)
        backwards, _ = self._multitest(preferred[::-1])
        p_values = self.compared.p_greater[np.ix_(preferred, preferred)]
        first = first_test_best(
            self.means[preferred], p_values, alpha=self.alpha, correction=self.correction
        )
        name = None if first is None else self.names[preferred[first]]
        return order, edges, sentence, self.names[backwards[0]], name

    def _multitest(self, preferred: list[int]) -> tuple[list[int], list[Edge]]:
        assert self.compared is not None
        p_values = self.compared.p_greater[np.ix_(preferred, preferred)]
        rejected, adjusted = multitest_edges(p_values, alpha=self.alpha, correction=self.correction)
        order = [preferred[i] for i in multitest_order(rejected)]
        return order, self._edges(rejected, adjusted, preferred)

    def _edges(
        self, rejected: NDArray[np.bool_], adjusted: NDArray[np.float64], preferred: list[int]
    ) -> list[Edge]:
        if self.compared is None:
            return []
        edges = []
        for i, j in zip(*np.nonzero(rejected), strict=True):
            worse, better = preferred[i], preferred[j]
            edges.append(
                Edge(
                    worse=self.names[worse],
                    better=self.names[better],
                    difference=float(self.means[worse] - self.means[better]),
                    statistic=float(self.compared.statistic[worse, better]),
                    p_value=float(self.compared.p_greater[worse, better]),
                    p_adjusted=float(adjusted[i, j]),
                )
            )
        return edges

    def _pairs(self, adjusted: NDArray[np.float64]) -> list[Pair]:
        if self.compared is None or len(self.names) == 1:
            return []
        low, high = self.compared.confidence_interval(1 - self.alpha)
        rejected = self._rejected(adjusted)
        pairs = []
        for i in range(len(self.names)):
            for j in range(i + 1, len(self.names)):
                worse, better = (i, j) if self.compared.mean[i, j] > 0 else (j, i)
                if rejected[better, worse]:
                    worse, better = better, worse
                pairs.append(
                    Pair(
                        first=self.names[i],
                        second=self.names[j],
                        difference=float(self.means[i] - self.means[j]),
                        low=float(low[i, j]),
                        high=float(high[i, j]),
                        statistic=float(self.compared.statistic[i, j]),
                        df=float(self.compared.df[i, j]),
                        p_value=float(self.compared.p_two_sided[i, j]),
                        p_adjusted=float(adjusted[worse, better]),
                        finding=f"{self.names[better]} is better"
                        if rejected[worse, better]
                        else "not shown to differ",
                        zero_variance=bool(self.compared.zero_variance[i, j]),
                    )
                )
        return pairs

    def _alternative(self, best: int, candidates: NDArray[np.bool_]) -> Alternative | None:
        """Return the cheapest candidate by training time, on the coarse scale."""
        seconds = self.costs.get("fit-time")
        if self.compared is None or seconds is None or not candidates.any():
            return None
        places = np.flatnonzero(candidates)
        # within a cost group the one with the lower mean loss goes first: it costs no more
        places = places[np.argsort(self.means[places], kind="stable")]
        cheapest = int(places[coarse_order(seconds[places])[0]])
        if cheapest == best:
            return None
        _, upper = self.compared.confidence_interval(1 - self.alpha, "less")
        return Alternative(
            name=self.names[cheapest],
            difference=float(self.means[cheapest] - self.means[best]),
            upper_bound=float(upper[cheapest, best]),
        )

    def _baselines(self) -> dict[str, dict[str, bool]]:
        baselines = [i for i, is_one in enumerate(self.evidence.is_baseline) if is_one]
        if self.test is None or not baselines:
            return {}
        found = {}
        for baseline in baselines:
            compared = self._compare(self.evidence.losses[[baseline, *self.own]])
            assert compared is not None
            # one family: each learner against the baseline
            shown = self._rejected(adjust_p_values(compared.p_greater[0, 1:], "holm"))
            found[self.evidence.names[baseline]] = dict(
                zip(self.names, shown.tolist(), strict=True)
            )
        return found

    def _same_pick_share(self, best: int) -> float:
        repeats = np.unique(self.evidence.repeat_of_split)
        if len(repeats) < 2:
            return float("nan")
        where = [self.evidence.repeat_of_split == repeat for repeat in repeats]
        means = np.array([self.losses[:, mask].mean(axis=1) for mask in where])
        return float(np.mean(means[:, best] <= means.min(axis=1) + 1e-12))

    def _warnings(self, best: int, candidates: NDArray[np.bool_]) -> tuple[str, ...]:
        texts: list[str] = []
        sampling = self.evidence.sampling
        if len(self.names) == 1:
            texts.append(f"{self.names[0]} is the only learner, so it was compared with none.")
        elif self.test is None:
            texts.append(self._no_test_warning())
        else:
            texts += self.test.warnings(sampling)
            texts += self._zero_variance_warning()
        if not candidates[best]:
            texts.append(self._beaten_pick_warning(best))
        texts += [
            f"{self.names[best]} is not shown to beat {baseline}, which learns nothing from the "
            "inputs."
            for baseline, beaten in self._baselines().items()
            if not beaten[self.names[best]]
        ]
        return tuple(texts)

    def _no_test_warning(self) -> str:
        n_splits = self.losses.shape[1]
        splits = f"{n_splits} split{'s' if n_splits != 1 else ''}"
        usable = usable_tests(self.evidence.sampling)
        if not usable:
            return f"No test can be made from {splits}: every learner stays a candidate."
        return (
            f"{self.wanted.name} cannot be made from the {splits} that all learners have finished: "
            f"every learner stays a candidate. Usable here: {', '.join(usable)}."
        )

    def _beaten_pick_warning(self, best: int) -> str:
        if self.prefer is None:
            return (
                f"{self.names[best]} has the lowest mean loss and is not among the candidates: "
                f"{self.wanted.name}, which does not rest on the mean, shows another learner to be "
                "better."
            )
        return (
            f"{self.names[best]}, the pick by preference, is not among the candidates: "
            "another learner is shown to be better when all pairs are tested."
        )

    def _zero_variance_warning(self) -> list[str]:
        assert self.compared is not None
        k = len(self.names)
        where = np.triu(self.compared.zero_variance & (self.compared.statistic != 0), 1)
        pairs = [
            f"{self.names[i]} and {self.names[j]}" for i, j in zip(*np.nonzero(where), strict=True)
        ]
        same = np.triu(self.compared.zero_variance & (self.compared.statistic == 0), 1)
        texts = []
        if pairs:
            texts.append(
                f"The differences of {'; '.join(pairs)} do not vary, so their p values are limits "
                "and no evidence."
            )
        if k > 1 and same.any():
            twins = [
                f"{self.names[i]} and {self.names[j]}"
                for i, j in zip(*np.nonzero(same), strict=True)
            ]
            texts.append(f"Scores are the same on every split: {'; '.join(twins)}.")
        return texts
