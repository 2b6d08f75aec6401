"""Claims: what they say, and of which tables they are true."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import wilcoxon

from bestofk.audits.claim import parse_claim
from bestofk.errors import InvalidArgumentError

NAMES = ["SVM", "SVM (linear)", "C4.5", "naive Bayes"]
# SVM has the best mean, C4.5 the best mean rank
LOSSES = np.array([[0.1, 0.3, 0.2, 0.4], [0.22, 0.3, 0.21, 0.4], [0.33, 0.5, 0.32, 0.6]])


@pytest.mark.parametrize(
    ("text", "said", "rivals"),
    [
        ("SVM best", "SVM is best", (1, 2, 3)),
        ("SVM is the best", "SVM is best", (1, 2, 3)),
        ("svm (linear) beats C4.5", "SVM (linear) beats C4.5", (2,)),
        ("C4.5 outperforms naive-bayes.", "C4.5 beats naive Bayes", (3,)),
        ("C4.5 is better than all others", "C4.5 is best", (0, 1, 3)),
        ("SVM significantly better than C4.5", "SVM is significantly better than C4.5", (2,)),
        ("SVM is significantly better than all",
         "SVM is significantly better than all others", (1, 2, 3)),
    ],
)  # fmt: skip
def test_a_sentence_is_read_as_a_claim(text, said, rivals):
    claim = parse_claim(text, NAMES, LOSSES, by_rank=False)
    assert str(claim) == said
    assert claim.rivals == rivals


@pytest.mark.parametrize("text", ["", "SVM", "forest best", "SVM loves C4.5", "SVM beats forest",
                                  "SVM beats SVM"])  # fmt: skip
def test_a_sentence_that_is_no_claim_of_the_table_is_refused(text):
    with pytest.raises(InvalidArgumentError, match="claim must"):
        parse_claim(text, NAMES, LOSSES, by_rank=False)


def test_without_a_sentence_the_best_mean_or_mean_rank_is_claimed():
    assert str(parse_claim(None, NAMES, LOSSES, by_rank=False)) == "SVM is best"
    assert str(parse_claim(None, NAMES, LOSSES, by_rank=True)) == "C4.5 is best"


def test_leads_are_differences_of_means_or_of_mean_ranks():
    by_mean = parse_claim("SVM beats C4.5", NAMES, LOSSES, by_rank=False)
    assert by_mean.leads(LOSSES) == pytest.approx([(0.1 - 0.01 - 0.01) / 3])
    by_rank = parse_claim("SVM beats C4.5", NAMES, LOSSES, by_rank=True)
    assert by_rank.leads(LOSSES) == pytest.approx([(1 - 1 - 1) / 3])
    assert by_mean.holds(LOSSES)
    assert not by_rank.holds(LOSSES)


def test_a_tie_is_no_lead():
    table = np.array([[0.1, 0.2], [0.2, 0.1]])
    claim = parse_claim("a best", "ab", table, by_rank=False)
    assert not claim.holds(table)


def test_significance_is_wilcoxons_test_with_holms_correction():
    rng = np.random.default_rng(3)
    table = np.add(rng.normal(0, 1, (12, 3)), [0, 1.2, 2])
    claim = parse_claim("a significantly better than all", "abc", table, by_rank=False)
    raw = [wilcoxon(table[:, i] - table[:, 0]).pvalue for i in (1, 2)]
    expected = [max(2 * min(raw), raw[i]) if raw[i] == max(raw) else 2 * raw[i] for i in (0, 1)]
    assert claim.p_values(table) == pytest.approx(expected)
    assert claim.holds(table) == (max(expected) <= 0.05)


def test_many_tables_at_once_are_judged_as_one_by_one():
    tables = np.add(np.random.default_rng(5).normal(0, 1, (40, 9, 3)), [0, 0.8, 0.8])
    for by_rank in (False, True):
        for text in ("a best", "a significantly better than b"):
            claim = parse_claim(text, "abc", tables[0], by_rank=by_rank)
            one_by_one = [bool(claim.holds(table)) for table in tables]
            assert claim.holds(tables).tolist() == one_by_one
            assert 0 < sum(one_by_one) < 40


def test_a_claim_without_a_learner_keeps_its_names():
    claim = parse_claim("C4.5 best", NAMES, LOSSES, by_rank=True).without(1)
    assert claim.names == ("SVM", "C4.5", "naive Bayes")
    assert (claim.learner, claim.rivals) == (1, (0, 2))
