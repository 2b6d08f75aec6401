"""Methods paragraph of a comparison, with its references."""

from __future__ import annotations

from collections.abc import Iterator

from bestofk.measures.words import short_title
from bestofk.report.findings import Findings
from bestofk.report.findings.many_data_sets import FindingsAcross
from bestofk.report.formats.latex import escaped
from bestofk.report.sentences.methods_of_one import cited_of_one, cited_tuning
from bestofk.report.sentences.references import CORRECTIONS, TESTS, Cited, entries
from bestofk.verdict.many_data_sets import VerdictAcross, least_data_sets
from bestofk.words import listing, times


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
    return " ".join(text for text, _ in _cited(findings, within, made_with))


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
    keys = dict.fromkeys(key for _, cited in _cited(findings, within, "") for key in cited)
    return "\n\n".join(entries()[key] for key in keys) + "\n"


def _cited(findings: Findings | FindingsAcross, within: str, made_with: str) -> Iterator[Cited]:
    """Return sentences, each with the keys that it cites."""
    if isinstance(findings, Findings):
        yield from cited_of_one(findings, made_with)
        return
    names = escaped(listing(findings.learners))
    title = escaped(short_title(findings.measure))
    plan = escaped(findings.plan_sentence)
    opening = (
        f"We compared {len(findings.learners)} learners ({names}) on "
        f"{times(len(findings.data_sets), 'data set')} by {title}"
    )
    if findings.has_runs:
        yield (
            f"{opening}, estimated by {plan}; all learners shared the splits "
            rf"({escaped(made_with)}, scikit-learn~\cite{{pedregosa2011}}).",
            ["pedregosa2011"],
        )
    else:
        yield f"{opening}, from given scores: {plan} ({escaped(made_with)}).", []
    yield from cited_tuning(findings.parts.values())
    verdict = findings.verdict
    if verdict is None:
        return
    yield from _over_data_sets(findings)
    if verdict.rope > 0:
        yield (
            "Learners count as practically equivalent where the Bayesian signed-rank "
            rf"test~\cite{{benavoli2014,benavoli2017}} gives a difference within {verdict.rope:g} "
            f"a probability of at least {1 - verdict.alpha:g} ({verdict.matrix.n_draws:,} draws) "
            f"on {least_data_sets(verdict.alpha)} data sets or more.",
            ["benavoli2014", "benavoli2017"],
        )
    if verdict.has_preference:
        yield (
            r"The order follows MultiTest~\cite{yildiz2006}. " + escaped(verdict.preference),
            ["yildiz2006"],
        )
    if findings.within_test and within in TESTS:
        key = TESTS[within]
        yield (
            f"Marks within data sets are those of the {escaped(findings.within_test)}"
            rf"~\cite{{{key}}} at level {verdict.alpha:g}, not corrected over data sets.",
            [key],
        )


def _over_data_sets(findings: FindingsAcross) -> Iterator[Cited]:
    verdict = findings.verdict
    assert verdict is not None
    yield _of_ranks(verdict) if verdict.is_by_ranks else _of_means(verdict)
    if verdict.omnibus is not None:
        yield (
            r"All learners together were compared by the test of Iman and "
            r"Davenport~\cite{iman1980}.",
            ["iman1980"],
        )
    if verdict.left_out:
        said = "; ".join(
            f"{escaped(name)}: {escaped(why)}" for name, why in verdict.left_out.items()
        )
        yield f"Left out for all learners alike: {said}.", []


def _family(verdict: VerdictAcross) -> str:
    return f"{escaped(verdict.control)} against the others" if verdict.control else "all pairs"


def _of_ranks(verdict: VerdictAcross) -> Cited:
    keys = ["demsar2006", *(["dunn1961"] if verdict.control else [])]
    return (
        f"Ranks within data sets were compared by the {verdict.matrix.procedure}"
        rf"~\cite{{{','.join(keys)}}} of {_family(verdict)} ({verdict.n_tests} "
        f"hypotheses), at level {verdict.alpha:g}.",
        keys,
    )


def _of_means(verdict: VerdictAcross) -> Cited:
    n_pairs, sides = verdict.n_tests, "one-sided" if verdict.has_preference else "two-sided"
    text = (
        f"Means of the splits were compared over data sets by {sides} Wilcoxon signed-rank "
        rf"tests~\cite{{wilcoxon1945,demsar2006}} of {_family(verdict)}"
    )
    keys = ["wilcoxon1945", "demsar2006"]
    if n_pairs > 1:
        how, key = CORRECTIONS[verdict.correction.lower()]
        text += rf" ({n_pairs} hypotheses), corrected by {how}~\cite{{{key}}}"
        keys.append(key)
    return (
        rf"{text}, at level {verdict.alpha:g}, and reported pair by pair~\cite{{ismailfawaz2023}}.",
        [*keys, "ismailfawaz2023"],
    )
