"""Methods paragraph of a comparison over many data sets, with its references."""

from __future__ import annotations

from collections.abc import Iterator

from bestofk.report.findings_across import FindingsAcross
from bestofk.report.latex import escaped
from bestofk.report.words import listing, short_title, times
from bestofk.verdict.many_data_sets import least_data_sets

# What paragraphs cite; split at blank lines into entries.
_LIBRARY = r"""
@article{wilcoxon1945,
  author = {Wilcoxon, Frank},
  title = {Individual comparisons by ranking methods},
  journal = {Biometrics Bulletin},
  volume = {1},
  number = {6},
  pages = {80--83},
  year = {1945},
}

@article{demsar2006,
  author = {Dem{\v{s}}ar, Janez},
  title = {Statistical comparisons of classifiers over multiple data sets},
  journal = {Journal of Machine Learning Research},
  volume = {7},
  pages = {1--30},
  year = {2006},
}

@article{holm1979,
  author = {Holm, Sture},
  title = {A simple sequentially rejective multiple test procedure},
  journal = {Scandinavian Journal of Statistics},
  volume = {6},
  number = {2},
  pages = {65--70},
  year = {1979},
}

@article{dunn1961,
  author = {Dunn, Olive Jean},
  title = {Multiple comparisons among means},
  journal = {Journal of the American Statistical Association},
  volume = {56},
  number = {293},
  pages = {52--64},
  year = {1961},
}

@article{iman1980,
  author = {Iman, Ronald L. and Davenport, James M.},
  title = {Approximations of the critical region of the {Friedman} statistic},
  journal = {Communications in Statistics -- Theory and Methods},
  volume = {9},
  number = {6},
  pages = {571--595},
  year = {1980},
}

@inproceedings{benavoli2014,
  author = {Benavoli, Alessio and Mangili, Francesca and Corani, Giorgio and Zaffalon,
    Marco and Ruggeri, Fabrizio},
  title = {A {Bayesian} {Wilcoxon} signed-rank test based on the {Dirichlet} process},
  booktitle = {International Conference on Machine Learning},
  pages = {1026--1034},
  year = {2014},
}

@article{benavoli2017,
  author = {Benavoli, Alessio and Corani, Giorgio and Dem{\v{s}}ar, Janez and Zaffalon,
    Marco},
  title = {Time for a change: a tutorial for comparing multiple classifiers through
    {Bayesian} analysis},
  journal = {Journal of Machine Learning Research},
  volume = {18},
  number = {77},
  pages = {1--36},
  year = {2017},
}

@misc{ismailfawaz2023,
  author = {Ismail-Fawaz, Ali and others},
  title = {An approach to multiple comparison benchmark evaluations that is stable under
    manipulation of the comparate set},
  howpublished = {arXiv:2305.11921},
  year = {2023},
}

@article{yildiz2006,
  author = {Y{\i}ld{\i}z, Olcay Taner and Alpayd{\i}n, Ethem},
  title = {Ordering and finding the best of {$K > 2$} supervised learning algorithms},
  journal = {IEEE Transactions on Pattern Analysis and Machine Intelligence},
  volume = {28},
  number = {3},
  pages = {392--402},
  year = {2006},
}

@article{nadeau2003,
  author = {Nadeau, Claude and Bengio, Yoshua},
  title = {Inference for the generalization error},
  journal = {Machine Learning},
  volume = {52},
  number = {3},
  pages = {239--281},
  year = {2003},
}

@article{dietterich1998,
  author = {Dietterich, Thomas G.},
  title = {Approximate statistical tests for comparing supervised classification
    learning algorithms},
  journal = {Neural Computation},
  volume = {10},
  number = {7},
  pages = {1895--1923},
  year = {1998},
}

@article{pedregosa2011,
  author = {Pedregosa, Fabian and others},
  title = {Scikit-learn: machine learning in {Python}},
  journal = {Journal of Machine Learning Research},
  volume = {12},
  pages = {2825--2830},
  year = {2011},
}
"""
_CORRECTIONS = {
    "bonferroni": ("Bonferroni's correction", "dunn1961"),
    "holm": ("Holm's procedure", "holm1979"),
}
_WITHIN = {"corrected-t": "nadeau2003", "5x2cv-t": "dietterich1998", "paired-t": "dietterich1998"}


def methods_paragraph(
    findings: FindingsAcross, *, within: str = "", made_with: str = "bestofk"
) -> str:
    r"""Return how the comparison was done, as LaTeX text that cites `bibtex`.

    Parameters
    ----------
    findings : FindingsAcross
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


def bibtex(findings: FindingsAcross, *, within: str = "") -> str:
    """Return the BibTeX entries that `methods_paragraph` cites, in its order.

    Parameters
    ----------
    findings : FindingsAcross
        What is to be reported.
    within : str, default=""
        Name of the test within data sets.

    Returns
    -------
    str
        Entries, each with its key.
    """
    keys = dict.fromkeys(key for _, cited in _cited(findings, within, "") for key in cited)
    entries = {entry.partition("{")[2].partition(",")[0]: entry for entry in _entries()}
    return "\n\n".join(entries[key] for key in keys) + "\n"


def _entries() -> list[str]:
    return _LIBRARY.strip().split("\n\n")


def _cited(
    findings: FindingsAcross, within: str, made_with: str
) -> Iterator[tuple[str, list[str]]]:
    """Return sentences, each with the keys that it cites."""
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
    verdict = findings.verdict
    if verdict is None:
        return
    yield from _over_data_sets(findings)
    if verdict.rope > 0:
        yield (
            "Learners count as practically equivalent where the Bayesian signed-rank "
            rf"test~\cite{{benavoli2014,benavoli2017}} gives a difference within {verdict.rope:g} "
            f"a probability of at least {1 - verdict.alpha:g} on "
            f"{least_data_sets(verdict.alpha)} data sets or more.",
            ["benavoli2014", "benavoli2017"],
        )
    if verdict.has_preference:
        yield (
            r"The order follows MultiTest~\cite{yildiz2006} on one-sided tests. "
            + escaped(verdict.preference),
            ["yildiz2006"],
        )
    if findings.within_test and within in _WITHIN:
        key = _WITHIN[within]
        yield (
            f"Marks within data sets are those of the {escaped(findings.within_test)}"
            rf"~\cite{{{key}}} at level {verdict.alpha:g}, not corrected over data sets.",
            [key],
        )


def _over_data_sets(findings: FindingsAcross) -> Iterator[tuple[str, list[str]]]:
    verdict = findings.verdict
    assert verdict is not None
    n_pairs = verdict.matrix.n_hypotheses
    family = f"{escaped(verdict.control)} against the others" if verdict.control else "all pairs"
    text = (
        "Means of the splits were compared over data sets by two-sided Wilcoxon signed-rank "
        rf"tests~\cite{{wilcoxon1945,demsar2006}} of {family}"
    )
    keys = ["wilcoxon1945", "demsar2006"]
    if n_pairs > 1:
        how, key = _CORRECTIONS[verdict.correction.lower()]
        text += rf" ({n_pairs} hypotheses), corrected by {how}~\cite{{{key}}}"
        keys.append(key)
    yield (
        rf"{text}, at level {verdict.alpha:g}, and reported pair by pair~\cite{{ismailfawaz2023}}.",
        [*keys, "ismailfawaz2023"],
    )
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
