"""Warnings about a verdict on one data set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from bestofk.inference import Caution, reproducibility_r, usable_tests
from bestofk.inference.many_learners.mean_losses import repeat_means
from bestofk.inference.many_learners.pair_evidence import PairEvidence
from bestofk.measures.ties import at_most, tied_values
from bestofk.verdict.verdict import UNDECIDED, Evidence, Verdict
from bestofk.words import fixed

_NEEDED_OF_ROWS = {
    "mcnemar": "the predictions of every test row, which were not kept",
    "cv-central-limit": "the predictions of every test row, which were not kept",
    "delong": "two classes, and kept probabilities or decision values of every test row",
}
MANY_LEARNERS = 10  # with more, corrections leave little to be shown
ALONE = "{} is the only learner, so it was compared with none."


def verdict_warnings(
    verdict: Verdict,
    evidence: Evidence,
    tested: PairEvidence | None,
    own: Sequence[int],
    wanted: str,
) -> tuple[str, ...]:
    """Return what to distrust, one sentence each.

    Parameters
    ----------
    verdict : Verdict
        The answers, which have no warnings yet.
    evidence : Evidence
        Of all learners that take part.
    tested : PairEvidence or None
        What the test says; None where none was possible.
    own : sequence of int
        Positions of the learners that are no baselines.
    wanted : str
        Name of the test that was asked for.

    Returns
    -------
    tuple of str
        Those of the kinds of `CAUTIONS` carry their code (`Caution`).
    """
    names, best = verdict.order, str(verdict.best)
    texts: list[str] = []
    if len(names) == 1:
        texts.append(ALONE.format(names[0]))
    elif tested is None:
        texts.append(_no_test(evidence, wanted))
    else:
        texts += tested.warnings
        texts += degenerate_cautions(
            (pair.first, pair.second, pair.no_test) for pair in verdict.pairs
        )
        texts += _unstable(evidence)
        if len(names) > MANY_LEARNERS and tested.test == "5x2cv-t":
            texts.append(_five_by_two_of_many(len(names)))
        if any(pair.answer == UNDECIDED for pair in verdict.pairs):
            texts.append(
                Caution(
                    "not-equal",
                    '"Can\'t tell" does not mean "equal": more data may still show a difference.',
                )
            )
    if best not in verdict.candidates:
        texts.append(
            f"{best} has the lowest mean loss and is not among the candidates: {wanted}, "
            "which does not rest on the mean, shows another learner to be better."
        )
    texts += [
        f"{best} is not significantly better than {baseline}, which ignores the inputs."
        for baseline, beaten in verdict.baselines.items()
        if not beaten[best]
    ]
    if len(names) > 1 and not verdict.has_preference:
        texts.append(chosen_by_its_mean(best))
    if tested is not None and len(names) > 1:
        texts.append(
            family_caution(
                tested.title,
                n_tests(len(names), has_preference=verdict.has_preference),
                verdict.correction,
                verdict.alpha,
                list(verdict.baselines),
            )
        )
    if not verdict.has_preference:
        texts += _depends_on_the_seed(evidence, own)
    return tuple(texts)


def _no_test(evidence: Evidence, wanted: str) -> str:
    if wanted in _NEEDED_OF_ROWS:
        return f"{wanted} needs {_NEEDED_OF_ROWS[wanted]}: every learner stays a candidate."
    n_splits = len(evidence.losses)
    if evidence.no_row_test and evidence.sampling.n_scores == 1:
        return (
            f"No test can be made from one test set, because {evidence.no_row_test}: every learner "
            "stays a candidate."
        )
    splits = f"{n_splits} split{'s' if n_splits != 1 else ''}"
    usable = usable_tests(evidence.sampling)
    if not usable:
        return f"No test can be made from {splits}: every learner stays a candidate."
    return (
        f"{wanted} cannot be made from the {splits} that all learners have finished: "
        f"every learner stays a candidate. Usable here: {', '.join(usable)}."
    )


def degenerate_cautions(pairs: Iterable[tuple[str, str, str]]) -> Iterator[Caution]:
    """Say why pairs were not tested on the splits; takes two learners and a reason or none."""
    untested: dict[str, list[str]] = {}
    for first, second, why in pairs:
        untested.setdefault(why, []).append(f"{first} and {second}")
    for why, names in untested.items():
        if why:
            yield Caution("degenerate", f"{'; '.join(names)}: {why}.")


def _unstable(evidence: Evidence) -> Iterator[Caution]:
    names = evidence.unstable
    if names:
        yield Caution(
            "unstable-learner",
            f"{', '.join(names)} change{'s' if len(names) == 1 else ''} much with the training "
            "rows, so tests of such learners may be wrong more often than their level says.",
        )


def n_tests(n_learners: int, *, has_preference: bool) -> int:
    """Return how many one-sided tests of pairs a verdict makes: MultiTest asks one way alone."""
    both_ways = n_learners * (n_learners - 1)
    return both_ways // 2 if has_preference else both_ways


def family_caution(
    title: str, n_tests: int, correction: str, alpha: float, baselines: Sequence[str] = ()
) -> Caution:
    """Say how many tests were made together, and what is held.

    Parameters
    ----------
    title : str
        Of the test.
    n_tests : int
        One-sided tests of learners that can be best.
    correction : str
        Of their family.
    alpha : float
        Level of each family.
    baselines : sequence of str
        Learners that the others are held against.

    Returns
    -------
    Caution
    """
    tests = f"{n_tests} one-sided test{'s' if n_tests != 1 else ''}"
    apart = f"; those against {', '.join(baselines)} on their own, Holm" if baselines else ""
    return Caution(
        "multiplicity",
        f"{title}: {tests} at a nominal {100 * alpha:g}% family-wise level "
        f"({correction.capitalize()}{apart}).",
    )


def _five_by_two_of_many(n_learners: int) -> Caution:
    n_pairs = n_learners * (n_learners - 1) // 2
    return Caution(
        "multiplicity",
        f"5x2cv-t has 5 degrees of freedom; corrected for {n_pairs} pairs of learners it can "
        "hardly show any difference. Take corrected-t on repeated folds.",
    )


def chosen_by_its_mean(name: str) -> Caution:
    """Say that the best of several means flatters its learner."""
    return Caution(
        "winners-curse",
        f"The gap to the runners-up may be chance. {name} was picked for its average, so expect "
        "somewhat worse on new data.",
    )


def _depends_on_the_seed(evidence: Evidence, own: Sequence[int]) -> Iterator[Caution]:
    own = [i for i in own if not np.isnan(evidence.losses[:, i]).any()]
    means = repeat_means(evidence.losses[:, own], evidence.repeat_of_split).T
    n_repeats = means.shape[1]
    if n_repeats < 2 or len(own) < 2:
        return
    first, second = np.argsort(tied_values(means.mean(axis=1)), kind="stable")[:2]
    same = int(at_most(means[first], means.min(axis=0)).sum())
    if same == n_repeats:
        return
    names = [evidence.names[own[i]] for i in (first, second)]
    share = reproducibility_r(means[first], means[second])
    yield Caution(
        "split-seed",
        f"Other random splits could change the pick: {names[0]} has the best mean in {same} of "
        f"{n_repeats} repeats; its reproducibility R against {names[1]} is "
        f"{fixed(share, 2, whole=1)} (1: always the same winner, 0: down to chance).",
    )
