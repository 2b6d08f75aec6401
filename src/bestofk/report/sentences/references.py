"""References that methods paragraphs cite, in BibTeX."""

from __future__ import annotations

from typing import Final, TypeAlias

Cited: TypeAlias = tuple[str, list[str]]  # a sentence, and the keys that it cites

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

@article{mohr2023,
  author = {Mohr, Felix and van Rijn, Jan N.},
  title = {Fast and informative model selection using learning curve cross-validation},
  journal = {IEEE Transactions on Pattern Analysis and Machine Intelligence},
  volume = {45},
  number = {8},
  pages = {9669--9680},
  year = {2023},
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

@article{cawley2010,
  author = {Cawley, Gavin C. and Talbot, Nicola L. C.},
  title = {On over-fitting in model selection and subsequent selection bias in performance
    evaluation},
  journal = {Journal of Machine Learning Research},
  volume = {11},
  pages = {2079--2107},
  year = {2010},
}

@article{pedregosa2011,
  author = {Pedregosa, Fabian and others},
  title = {Scikit-learn: machine learning in {Python}},
  journal = {Journal of Machine Learning Research},
  volume = {12},
  pages = {2825--2830},
  year = {2011},
}

@article{wilson1927,
  author = {Wilson, Edwin B.},
  title = {Probable inference, the law of succession, and statistical inference},
  journal = {Journal of the American Statistical Association},
  volume = {22},
  number = {158},
  pages = {209--212},
  year = {1927},
}

@article{anderson1957,
  author = {Anderson, T. W.},
  title = {Maximum likelihood estimates for a multivariate normal distribution when some
    observations are missing},
  journal = {Journal of the American Statistical Association},
  volume = {52},
  number = {278},
  pages = {200--203},
  year = {1957},
}

@inproceedings{bayle2020,
  author = {Bayle, Pierre and Bayle, Alexandre and Janson, Lucas and Mackey, Lester},
  title = {Cross-validation confidence intervals for test error},
  booktitle = {Advances in Neural Information Processing Systems},
  volume = {33},
  year = {2020},
}
"""

CORRECTIONS: Final = {
    "bonferroni": ("Bonferroni's correction", "dunn1961"),
    "holm": ("Holm's procedure", "holm1979"),
}
TESTS: Final = {
    "corrected-t": "nadeau2003",
    "5x2cv-t": "dietterich1998",
    "paired-t": "dietterich1998",
}


def entries() -> dict[str, str]:
    """Return all entries by their keys."""
    texts = _LIBRARY.strip().split("\n\n")
    return {text.partition("{")[2].partition(",")[0]: text for text in texts}
