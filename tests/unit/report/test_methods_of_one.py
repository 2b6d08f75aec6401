"""Methods paragraph of a comparison on one data set: what was done is cited, and nothing else."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from bestofk.inference.new_data import ShipClaim
from bestofk.report.sentences.methods import bibtex, methods_paragraph
from bestofk.stopping.history import Elimination, RowsHistory, StoppingHistory

CLAIM = ShipClaim("logistic", 0.01, 0.86, 0.0012, 0.038, 0.081)


def history(n_repeats):
    """Return a history in which a learner was eliminated after so many of 3 repeats."""
    left = Elimination("cart", n_repeats, "logistic stays ahead", is_beaten=True)
    return StoppingHistory(3, 50, 2, (2, 3), (left,), "settled", is_settled=True, level=0.05)


def keys(findings):
    """Return the keys that a paragraph cites, held against its entries."""
    text = methods_paragraph(findings)
    cited = [key for found in re.findall(r"cite\{([^}]+)\}", text) for key in found.split(",")]
    entries = re.findall(r"^@\w+\{(\w+),$", bibtex(findings), re.MULTILINE)
    assert entries == list(dict.fromkeys(cited))
    return entries


def test_the_paragraph_says_data_plan_test_and_the_method_of_the_claim(make):
    assert methods_paragraph(make(claim=CLAIM), made_with="bestofk 9") == (
        "We compared 5 learners (majority, nearest-mean, 1nn, cart and logistic) on tea (150 "
        "rows, 4 inputs, 2 classes) by error rate, estimated by 2 repeats of 2-fold "
        r"cross-validation; all learners shared the splits (bestofk 9, scikit-learn~\cite{"
        "pedregosa2011}). Pairs were compared by the corrected resampled t test"
        r"~\cite{nadeau2003} in one-sided tests, corrected by Holm's procedure~\cite{holm1979}, at "
        "level 0.05. For new data, mean losses were taken to scatter with the covariance of the "
        "losses of all learners over the splits, corrected for the training rows that splits share"
        r"~\cite{nadeau2003}. The probability of being within 1 point of the best is a share of "
        "2,000 draws from a multivariate t distribution around the observed means. "
        r"The error rate of the pick has a 90\% interval by Wilson's formula~\cite{wilson1927} "
        "with that variance."
    )


def test_growing_rows_are_cited(make):
    findings = replace(make(), rows_history=RowsHistory((100, 400), 400, 400, ()))
    assert keys(findings) == ["pedregosa2011", "mohr2023", "nadeau2003", "holm1979"]
    assert "Training rows grew to 400; learners whose" in methods_paragraph(findings)


def test_without_a_claim_its_method_is_not_cited(make):
    silent = ShipClaim("logistic", 0.01, reason="rows come in 12 groups")
    for findings in (make(), make(claim=silent)):
        assert keys(findings) == ["pedregosa2011", "nadeau2003", "holm1979"]


@pytest.mark.parametrize(("after", "is_cited"), [(2, True), (3, False)])
def test_learners_that_were_eliminated_are_missing_data(make, after, is_cited):
    findings = make(claim=CLAIM, stopping_history=history(after))
    assert ("anderson1957" in keys(findings)) is is_cited
    assert ("repeated no further" in methods_paragraph(findings)) is is_cited


def test_a_single_test_set_has_a_source_of_its_own(make):
    findings = make(claim=CLAIM, verdict={"n_splits": 1, "test": ""})
    assert keys(findings) == ["pedregosa2011", "bayle2020", "wilson1927"]
    assert "of all learners over the test rows" in methods_paragraph(findings)


def test_a_single_learner_has_no_pairs_and_no_rivals(make):
    alone = ShipClaim("logistic", 0.01, loss_low=0.03, loss_high=0.08, reason="only one learner")
    findings = make(claim=alone, verdict={"order": ["logistic"]})
    assert keys(findings) == ["pedregosa2011", "nadeau2003", "wilson1927"]


def test_a_preference_and_its_correction_are_cited(make):
    changes = {"has_preference": True, "preference": "As given.", "correction": "bonferroni"}
    findings = make(verdict=changes)
    assert keys(findings) == ["pedregosa2011", "nadeau2003", "dunn1961", "yildiz2006"]
    assert methods_paragraph(findings).endswith(r"MultiTest~\cite{yildiz2006}. As given.")


def test_given_scores_were_not_computed_here(make):
    names = ["majority", "nearest-mean", "1nn", "cart", "logistic"]
    findings = make(learners={name: {"n_runs": 0} for name in names})
    assert "from given scores: 2 repeats" in methods_paragraph(findings)
    assert keys(findings) == ["nadeau2003", "holm1979"]


def test_learners_of_this_package_are_said_to_be(make):
    own = {"cart": "bestofk.trees.cart.CARTClassifier", "1nn": "sklearn.neighbors.Other"}
    findings = make()
    learners = [replace(item, class_path=own.get(item.name, "")) for item in findings.learners]
    text = methods_paragraph(replace(findings, learners=learners))
    assert "Of the learners, cart is implemented in bestofk. Pairs" in text
