"""Methods paragraph of a comparison, with its references."""

import re
from collections.abc import Iterable, Iterator
from importlib.resources import files
from typing import Final

from bestofk.inference.new_data import N_DRAWS
from bestofk.measures.words import short_title
from bestofk.report.findings import Findings, FindingsAcross
from bestofk.report.formats.latex import escaped
from bestofk.report.sentences.answers import near
from bestofk.report.sentences.details import target_methods, tuning_methods
from bestofk.stopping.history import StoppingHistory
from bestofk.verdict.many_data_sets import VerdictAcross, least_data_sets
from bestofk.words import listing, times

_CITED = re.compile(r"\\cite\{([^}]*)\}")

CORRECTIONS: Final = {
    "bonferroni": ("Bonferroni's correction", "dunn1961"),
    "holm": ("Holm's procedure", "holm1979"),
}
TESTS: Final = {
    "corrected-t": "nadeau2003",
    "5x2cv-t": "dietterich1998",
    "paired-t": "dietterich1998",
    "diebold-mariano": "coroneo2020",
}


def entries() -> dict[str, str]:
    """Return all entries of what paragraphs cite, by their keys."""
    library = files("bestofk.report.sentences").joinpath("references.bib")
    texts = library.read_text(encoding="utf-8").strip().split("\n\n")
    return {text.partition("{")[2].partition(",")[0]: text for text in texts}


def methods_paragraph(
    findings: Findings | FindingsAcross, *, within: str = "", made_with: str = "bestofk"
) -> str:
    r"""Return how the comparison was done, as LaTeX text that cites `bibtex`.

    Parameters
    ----------
    findings : Findings or FindingsAcross
        What is to be reported.
    within : str, default=""
        Name of the test within data sets, such as "corrected-t".
    made_with : str, default="bestofk"
        The package with its version.

    Returns
    -------
    str
        Sentences without line breaks, with cite commands.
    """
    return " ".join(_sentences(findings, within, made_with))


def bibtex(findings: Findings | FindingsAcross, *, within: str = "") -> str:
    """Return the BibTeX entries that `methods_paragraph` cites, in its order.

    Parameters
    ----------
    findings : Findings or FindingsAcross
        What is to be reported.
    within : str, default=""
        Name of the test within data sets.

    Returns
    -------
    str
        Entries, each with its key.
    """
    cited = _CITED.findall(methods_paragraph(findings, within=within))
    keys = dict.fromkeys(key for part in cited for key in part.split(","))
    return "\n\n".join(entries()[key] for key in keys) + "\n" * bool(keys)


def _sentences(findings: Findings | FindingsAcross, within: str, made_with: str) -> Iterator[str]:
    """Return sentences in LaTeX, with cite commands."""
    if isinstance(findings, Findings):
        names, parts = [learner.name for learner in findings.learners], [findings]
        where = f"{findings.title} ({findings.data_sentence})"
        has_runs = any(learner.n_runs for learner in findings.learners)
    else:
        names, parts = list(findings.learners), list(findings.parts.values())
        where, has_runs = times(len(findings.data_sets), "data set"), findings.has_runs
    opening = escaped(
        f"We compared {len(names)} learners ({listing(names)}) on {where} by "
        f"{short_title(findings.measure)}"
    )
    plan, package = escaped(findings.plan_sentence), escaped(made_with)
    if has_runs:
        yield (
            f"{opening}, estimated by {plan}; all learners shared the splits "
            rf"({package}, scikit-learn~\cite{{pedregosa2011}})."
        )
        yield from _package_learners(parts)
    else:
        yield f"{opening}, from given scores: {plan} ({package})."
    yield from target_methods(part.target_transform for part in parts)
    for learner in (learner for part in parts for learner in part.learners if learner.members):
        text = f"{learner.name} averages the predictions of {listing(learner.members)}"
        yield escaped(f"{text}; for each repeat, its members are chosen on the others.")
    for text in tuning_methods(parts):
        yield rf"{escaped(text)}~\cite{{cawley2010}}."
    yield from _one_set(findings) if isinstance(findings, Findings) else _across(findings, within)


def _package_learners(parts: Iterable[Findings]) -> Iterator[str]:
    """Return which learners are trained by code of this package."""
    learners = [learner for part in parts for learner in part.learners]
    own = {learner.name: "" for learner in learners if learner.class_path.startswith("bestofk.")}
    if own:
        verb = "is" if len(own) == 1 else "are"
        yield f"Of the learners, {escaped(listing(list(own)))} {verb} implemented in bestofk."


def _one_set(findings: Findings) -> Iterator[str]:
    """Return what was done on one data set."""
    if findings.stopping_history is not None:
        yield from _repeats(findings.stopping_history)
    if findings.rows_history is not None:
        yield (
            f"Training rows grew to {findings.rows_history.n_rows:,}; learners whose extrapolated "
            r"loss stayed behind were eliminated~\cite{mohr2023}."
        )
    yield from _verdict(findings)
    yield from _new_data(findings)


def _verdict(findings: Findings) -> Iterator[str]:
    verdict = findings.verdict
    if verdict.test and len(verdict.order) > 1:
        text = f"Pairs were compared by the {escaped(verdict.test_title)}"
        if verdict.test in TESTS:
            text += rf"~\cite{{{TESTS[verdict.test]}}}"
        asked = " of the less preferred learner" if verdict.has_preference else ""
        text += f" in one-sided tests{asked}, {_corrected(verdict.correction)}"
        yield f"{text}, at level {verdict.alpha:g}."
    if verdict.has_preference:
        yield rf"The pick follows MultiTest~\cite{{yildiz2006}}. {escaped(verdict.preference)}"
    if verdict.center == "median":
        yield "The pick has the lowest median of the repeats."


def _corrected(correction: str) -> str:
    how, key = CORRECTIONS[correction.lower()]
    return rf"corrected by {how}~\cite{{{key}}}"


def _new_data(findings: Findings) -> Iterator[str]:
    claim = findings.claim
    if claim is None or (claim.loss_low is None and claim.probability is None):
        return
    if findings.verdict.n_splits == 1:
        source, key = "the test rows", "bayle2020"
    else:
        source, key = "the splits, corrected for the training rows that splits share", "nadeau2003"
    yield (
        "For new data, mean losses were assumed to vary with the covariance of the losses of all "
        rf"learners over {source}~\cite{{{key}}}."
    )
    if _has_eliminated(findings.stopping_history):
        yield r"Learners that were eliminated count as monotone missing data~\cite{anderson1957}."
    if claim.probability is not None:
        yield (
            f"The probability of being within {escaped(near(findings, claim.within))} of the best "
            f"is the share of {N_DRAWS:,} draws from a multivariate t distribution around the "
            "observed means."
        )
    if claim.loss_low is not None:
        yield (
            f"The {escaped(short_title(findings.measure))} of the pick has a "
            rf"{100 * claim.level:g}\% interval by Wilson's formula~\cite{{wilson1927}} with that "
            "variance."
        )


def _repeats(history: StoppingHistory) -> Iterator[str]:
    """Return when repeats ended, and for whom earlier."""
    looks = history.looks
    if not looks:
        return
    when = "each" if len(looks) == history.n_repeats > 1 else listing(map(str, looks))
    yield (
        f"Repeats were added, {history.max_repeats} at most, with an interim analysis after "
        f"{when}; they ended after {history.n_repeats}: {escaped(history.ending)}."
    )
    if any(elimination.is_beaten for elimination in history.eliminations):
        yield (
            "Learners that could no longer be the pick were eliminated early, with a chance of at "
            f"most {history.level:g} that more repeats would have picked one of them."
        )
    elif not history.level and _has_eliminated(history):
        yield "Learners for which the rule held earlier were not repeated further."


def _has_eliminated(history: StoppingHistory | None) -> bool:
    """Return whether a learner was repeated less often than others."""
    return history is not None and any(
        elimination.n_repeats < history.n_repeats for elimination in history.eliminations
    )


def _across(findings: FindingsAcross, within: str) -> Iterator[str]:
    """Return what was done over many data sets."""
    verdict = findings.verdict
    if verdict is None:
        return
    yield _rank_sentence(verdict) if verdict.is_by_ranks else _mean_sentence(verdict)
    if verdict.omnibus is not None:
        yield (
            "All learners together were compared by the test of Iman and "
            r"Davenport~\cite{iman1980}."
        )
    if verdict.left_out:
        said = "; ".join(
            f"{escaped(name)}: {escaped(why)}" for name, why in verdict.left_out.items()
        )
        yield f"Left out for all learners: {said}."
    if verdict.rope > 0:
        yield (
            "Learners count as practically equivalent where the Bayesian signed-rank "
            rf"test~\cite{{benavoli2014,benavoli2017}} gives a difference within {verdict.rope:g} "
            f"a probability of at least {1 - verdict.alpha:g} ({verdict.matrix.n_draws:,} draws) "
            f"on {least_data_sets(verdict.alpha)} data sets or more."
        )
    if verdict.has_preference:
        yield rf"The order follows MultiTest~\cite{{yildiz2006}}. {escaped(verdict.preference)}"
    if findings.within_test and within in TESTS:
        yield (
            f"Marks within data sets are those of the {escaped(findings.within_test)}"
            rf"~\cite{{{TESTS[within]}}} at level {verdict.alpha:g}, not corrected over data sets."
        )


def _family(verdict: VerdictAcross) -> str:
    return f"{escaped(verdict.control)} against the others" if verdict.control else "all pairs"


def _rank_sentence(verdict: VerdictAcross) -> str:
    keys = "demsar2006,dunn1961" if verdict.control else "demsar2006"
    return (
        f"Ranks within data sets were compared by the {verdict.matrix.procedure}"
        rf"~\cite{{{keys}}} of {_family(verdict)} ({verdict.n_tests} hypotheses), at level "
        f"{verdict.alpha:g}."
    )


def _mean_sentence(verdict: VerdictAcross) -> str:
    sides = "one-sided" if verdict.has_preference else "two-sided"
    text = (
        f"Means of the splits were compared over data sets by {sides} Wilcoxon signed-rank "
        rf"tests~\cite{{wilcoxon1945,demsar2006}} of {_family(verdict)}"
    )
    if verdict.n_tests > 1:
        text += f" ({verdict.n_tests} hypotheses), {_corrected(verdict.correction)}"
    return (
        rf"{text}, at level {verdict.alpha:g}, and reported pair by pair~\cite{{ismailfawaz2023}}."
    )
