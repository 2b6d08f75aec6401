"""Sentences on methods for a comparison on one data set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bestofk.inference.new_data import N_DRAWS
from bestofk.measures.words import points, short_title
from bestofk.report.findings import Findings
from bestofk.report.formats.latex import escaped
from bestofk.report.sentences.references import CORRECTIONS, TESTS, Cited
from bestofk.report.sentences.tuning import tuning_methods
from bestofk.words import listing


def cited_of_one(findings: Findings, made_with: str) -> Iterator[Cited]:
    """Return sentences in LaTeX, each with the keys that it cites.

    Parameters
    ----------
    findings : Findings
        What is to be reported.
    made_with : str
        The package with its version.

    Yields
    ------
    (str, list of str)
    """
    names = listing(learner.name for learner in findings.learners)
    opening = escaped(
        f"We compared {len(findings.learners)} learners ({names}) on {findings.title} "
        f"({findings.data_sentence}) by {short_title(findings.measure)}"
    )
    plan = escaped(findings.plan_sentence)
    if any(learner.n_runs for learner in findings.learners):
        yield (
            f"{opening}, estimated by {plan}; all learners shared the splits "
            rf"({escaped(made_with)}, scikit-learn~\cite{{pedregosa2011}}).",
            ["pedregosa2011"],
        )
    else:
        yield f"{opening}, from given scores: {plan} ({escaped(made_with)}).", []
    yield from cited_tuning([findings])
    if _eliminated(findings):
        yield "Learners that could no longer be the pick were repeated no further.", []
    if findings.rows_history is not None:
        yield (
            f"Training rows grew to {findings.rows_history.n_rows:,}; learners whose extrapolated "
            r"loss stayed behind were trained no further~\cite{mohr2023}.",
            ["mohr2023"],
        )
    yield from _verdict(findings)
    yield from _new_data(findings)


def cited_tuning(parts: Iterable[Findings]) -> Iterator[Cited]:
    """Return how settings were chosen on some data sets."""
    for text in tuning_methods(parts):
        yield rf"{escaped(text)}~\cite{{cawley2010}}.", ["cawley2010"]


def _verdict(findings: Findings) -> Iterator[Cited]:
    verdict = findings.verdict
    if verdict.test and len(verdict.order) > 1:
        text, keys = f"Pairs were compared by the {escaped(verdict.test_title)}", []
        if verdict.test in TESTS:
            keys = [TESTS[verdict.test]]
            text += rf"~\cite{{{keys[0]}}}"
        how, key = CORRECTIONS[verdict.correction]
        asked = " of the less preferred learner" if verdict.has_preference else ""
        text += rf" in one-sided tests{asked}, corrected by {how}~\cite{{{key}}}"
        yield f"{text}, at level {verdict.alpha:g}.", [*keys, key]
    if verdict.has_preference:
        yield (
            rf"The pick follows MultiTest~\cite{{yildiz2006}}. {escaped(verdict.preference)}",
            ["yildiz2006"],
        )
    if verdict.center == "median":
        yield "The pick has the lowest median of the repeats.", []


def _new_data(findings: Findings) -> Iterator[Cited]:
    claim = findings.claim
    if claim is None or claim.error_low is None:
        return
    if findings.verdict.n_splits == 1:
        source, key = "the test rows", "bayle2020"
    else:
        source, key = "the splits, corrected for the training rows that splits share", "nadeau2003"
    yield (
        "For new data, mean losses were taken to scatter with the covariance of the losses of all "
        rf"learners over {source}~\cite{{{key}}}.",
        [key],
    )
    if _eliminated(findings):
        yield (
            r"Learners that were eliminated count as monotone missing data~\cite{anderson1957}.",
            ["anderson1957"],
        )
    if claim.probability is not None:
        yield (
            f"The probability of being within {points(findings.measure, claim.within)} of the best "
            f"is a share of {N_DRAWS:,} draws from a multivariate t distribution around the "
            "observed means.",
            [],
        )
    yield (
        rf"The error rate of the pick has a {100 * claim.level:g}\% interval by Wilson's "
        r"formula~\cite{wilson1927} with that variance.",
        ["wilson1927"],
    )


def _eliminated(findings: Findings) -> bool:
    """Return whether a learner was repeated less often than others."""
    history = findings.stopping_history
    return history is not None and any(
        elimination.n_repeats < history.n_repeats for elimination in history.eliminations
    )
