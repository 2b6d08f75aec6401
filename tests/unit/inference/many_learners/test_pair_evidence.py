"""One test for every ordered pair of learners, held to tests of single pairs."""

import numpy as np
import pytest

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import Sampling, check_test, paired_t_test
from bestofk.inference.many_learners.pair_evidence import (
    check_plan,
    compare_all,
    compare_on_splits,
    wanted_test,
)

FOUR_FOLDS = Sampling("k-fold", 1, 4, n_train=75, n_test=25)
FIVE_BY_TWO = Sampling("k-fold", 5, 2, n_train=50, n_test=50)
ONE_TEST_SET = Sampling("test-set", 1, 1, n_train=70, n_test=30)
LOSSES = np.transpose([
    [0.16, 0.18, 0.20, 0.18],
    [0.20, 0.21, 0.25, 0.18],
    [0.30, 0.10, 0.20, 0.15],
])  # fmt: skip


def test_every_ordered_pair_is_that_of_the_plain_test():
    evidence = compare_all(LOSSES, check_test("paired-t", FOUR_FOLDS), FOUR_FOLDS)
    assert (evidence.test, evidence.title) == ("paired-t", "paired t test")
    for i, j in ((0, 1), (1, 0), (0, 2), (2, 1)):
        single = paired_t_test(LOSSES[:, i], LOSSES[:, j], alternative="greater")
        assert evidence.compared.mean[i, j] == pytest.approx(single.estimate)
        assert evidence.compared.statistic[i, j] == pytest.approx(single.statistic)
        assert evidence.compared.p_greater[i, j] == pytest.approx(single.p_value)


def test_a_learner_against_itself_shows_nothing():
    test = check_test("paired-t", FOUR_FOLDS)
    compared = compare_all(LOSSES, test, FOUR_FOLDS).compared
    assert np.diag(compared.p_greater).tolist() == [1, 1, 1]
    assert np.diag(compared.mean).tolist() == [0, 0, 0]
    alone = compare_all(LOSSES[:, :1], test, FOUR_FOLDS).compared
    assert alone.p_two_sided.tolist() == [[1.0]]


@pytest.mark.parametrize(
    ("said", "name"),
    [("corrected_t", "corrected-t"), ("Corrected-T", "corrected-t"), ("cv52_t", "5x2cv-t"),
     ("McNemar", "mcnemar"), ("delong", "delong")],
)  # fmt: skip
def test_a_test_may_be_spelled_in_several_ways(said, name):
    assert wanted_test(said) == name


@pytest.mark.parametrize(
    ("said", "nearest"), [("mcnemr", "mcnemar"), ("delang", "delong"), ("pared-t", "paired-t")]
)
def test_an_unknown_test_is_refused_with_the_nearest(said, nearest):
    with pytest.raises(InvalidArgumentError, match=f"got '{said}'. Did you mean '{nearest}'"):
        wanted_test(said)


def test_a_test_is_compared_on_the_splits_that_carry_it_and_refused_elsewhere():
    evidence = compare_on_splits(LOSSES, "paired-t", FOUR_FOLDS, is_complete=True)
    assert evidence is not None
    assert evidence.test == "paired-t"
    assert evidence.warnings[0].startswith("Only 4 scores")
    assert compare_on_splits(LOSSES[:1], "mcnemar", ONE_TEST_SET, is_complete=True) is None
    with pytest.raises(
        DesignError, match=r"got 'delong', which compares .* Usable here: corrected"
    ):
        compare_on_splits(LOSSES, "delong", FOUR_FOLDS, is_complete=True)
    assert compare_on_splits(LOSSES[:1], "corrected-t", ONE_TEST_SET, is_complete=True) is None
    with pytest.raises(DesignError, match="5x2cv-t needs exactly 5 repeats of 2 folds"):
        compare_on_splits(LOSSES, "5x2cv-t", FOUR_FOLDS, is_complete=True)
    assert compare_on_splits(LOSSES, "5x2cv-t", FOUR_FOLDS, is_complete=False) is None


def test_a_plan_is_checked_before_there_are_losses():
    check_plan("5x2cv-t", FIVE_BY_TWO)
    check_plan("mcnemar", ONE_TEST_SET)
    check_plan("corrected-t", ONE_TEST_SET)  # rows are compared there, whatever the test
    with pytest.raises(DesignError, match="5x2cv-t needs exactly 5 repeats of 2 folds"):
        check_plan("5x2cv-t", FOUR_FOLDS)
    with pytest.raises(DesignError, match=r"got 'mcnemar'.*Usable here: corrected-t, 5x2cv-t"):
        check_plan("mcnemar", FIVE_BY_TWO)
