"""Tests on the rows of one test set, for every pair of learners."""

import numpy as np
import pytest
from scipy.special import ndtr

from bestofk.errors import DesignError
from bestofk.inference import cv_central_limit_test, delong_test, mcnemar_test
from bestofk.inference.many_learners.pair_evidence import check_row_test, compare_on_rows

WRONG = np.array([
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    [0, 0, 1, 1, 1, 0, 0, 0, 1, 0],
    [1, 0, 1, 0, 0, 0, 0, 0, 0, 0],
], dtype=float)  # fmt: skip
IS_POSITIVE = np.array([True] * 5 + [False] * 5)
RANKINGS = np.array([
    [0.9, 0.8, 0.7, 0.6, 0.55, 0.1, 0.2, 0.3, 0.4, 0.45],
    [0.9, 0.8, 0.4, 0.3, 0.2, 0.1, 0.2, 0.3, 0.6, 0.45],
    [0.9, 0.8, 0.4, 0.3, 0.2, 0.1, 0.2, 0.3, 0.6, 0.45],
])  # fmt: skip


def on_rows(test="corrected-t", measure="error", losses=WRONG, rankings=RANKINGS,
            is_positive=IS_POSITIVE):  # fmt: skip
    """Return what is compared of tables with a row per learner."""
    return compare_on_rows(
        test,
        measure,
        losses=None if losses is None else losses.T,
        rankings=None if rankings is None else rankings.T,
        is_positive=is_positive,
    )


@pytest.mark.parametrize("measure", ["error", "accuracy"])
def test_errors_are_compared_by_mcnemar_in_both_directions(measure):
    result = on_rows(measure=measure)
    assert result.test == "mcnemar"
    for i, j in ((0, 1), (1, 0), (1, 2), (2, 1)):
        single = mcnemar_test(WRONG[i], WRONG[j], alternative="greater")
        assert result.compared.mean[i, j] == pytest.approx(single.estimate)
        assert result.compared.p_greater[i, j] == pytest.approx(single.p_value)
        two_sided = mcnemar_test(WRONG[i], WRONG[j]).p_value
        assert result.compared.p_two_sided[i, j] == pytest.approx(two_sided)


def test_areas_are_compared_by_delong_and_the_loss_is_minus_the_area():
    compared = on_rows(measure="auroc").compared
    for i, j in ((0, 1), (1, 0), (2, 0)):
        single = delong_test(IS_POSITIVE, RANKINGS[j], RANKINGS[i], alternative="greater")
        assert compared.mean[i, j] == pytest.approx(single.estimate)
        assert compared.p_greater[i, j] == pytest.approx(single.p_value)
        assert compared.p_greater[i, j] + compared.p_less[i, j] == pytest.approx(1)
    assert compared.mean[1, 0] == pytest.approx(1 - 17 / 25)
    assert compared.p_greater[1, 0] < 0.5 < compared.p_greater[0, 1]
    low, high = compared.confidence_interval()
    single = delong_test(IS_POSITIVE, RANKINGS[0], RANKINGS[1]).confidence_interval()
    assert (low[1, 0], high[1, 0]) == pytest.approx(single)
    less, inside, greater = (item[1, 0] for item in compared.posterior(0.0))
    assert (less, inside) == (pytest.approx(compared.p_greater[1, 0]), 0)
    assert less + greater == pytest.approx(1)


def test_losses_or_rankings_that_agree_on_every_row_leave_everything_open():
    compared = on_rows(measure="auroc").compared
    assert compared.zero_variance[1, 2]
    assert compared.p_greater[1, 2] == compared.p_less[1, 2] == compared.p_two_sided[1, 2] == 1
    # no row tells them apart, which is no evidence that the next ones would not
    assert all(np.isnan(item[1, 2]) for item in compared.posterior(0.01))
    compared = on_rows(measure="brier", losses=LOSSES).compared
    assert compared.zero_variance[1, 2]
    assert compared.p_greater[1, 2] == compared.p_less[1, 2] == compared.p_two_sided[1, 2] == 1
    assert all(np.isnan(item[1, 2]) for item in compared.posterior(0.01))
    assert all(np.isnan(item[1, 2]) for item in compared.confidence_interval())


@pytest.mark.parametrize("test", ["mcnemar", "delong", "corrected-t"])
def test_the_verdict_is_said_to_be_about_these_fits(test):
    result = on_rows(test, "auroc" if test == "delong" else "error")
    assert result.warnings[0].startswith("Fitted learners were compared on one test set")


LOSSES = np.array([[0.0, 1.0, 2.0, 5.0], [1.0, 1.0, 4.0, 4.0], [1.0, 1.0, 4.0, 4.0]])


def test_other_means_over_rows_are_compared_by_the_central_limit_test():
    result = on_rows(measure="brier", losses=LOSSES)
    assert (result.test, result.title) == ("cv-central-limit", "central limit test of row losses")
    for i, j in ((0, 1), (1, 0), (2, 0)):
        single = cv_central_limit_test(LOSSES[i], LOSSES[j], alternative="greater")
        assert result.compared.mean[i, j] == pytest.approx(single.estimate)
        assert result.compared.statistic[i, j] == pytest.approx(single.statistic)
        assert result.compared.p_greater[i, j] == pytest.approx(single.p_value)
    # differences -1, 0, -2, 1: mean -1/2, variance 5/3
    low, high = result.compared.confidence_interval()
    half = 1.959964 * (5 / 12) ** 0.5
    assert (low[0, 1], high[0, 1]) == pytest.approx((-0.5 - half, -0.5 + half), abs=1e-6)
    less, inside, greater = (item[0, 1] for item in result.compared.posterior(0.1))
    assert less + inside + greater == pytest.approx(1)
    assert less == pytest.approx(ndtr(0.4 / (5 / 12) ** 0.5))


def test_single_rows_other_measures_and_missing_rows_leave_no_evidence():
    assert on_rows(losses=WRONG[:, :1]) is None
    assert on_rows(measure="brier", losses=LOSSES[:, :1]) is None
    assert on_rows(measure="f1", losses=None) is None
    assert on_rows(losses=None) is None
    assert on_rows(measure="auroc", rankings=None) is None
    assert on_rows(measure="auroc", is_positive=None) is None


@pytest.mark.parametrize("positive", [True, False])
def test_areas_need_rows_of_both_classes(positive):
    with pytest.raises(DesignError, match="rows of the test set must be of both classes for 3"):
        on_rows(measure="auroc", is_positive=np.full(10, positive))


@pytest.mark.parametrize(
    ("test", "measure", "way_out"),
    [
        ("mcnemar", "auroc", "error"),
        ("mcnemar", "mse", "error"),
        ("delong", "error", "auroc"),
        ("cv-central-limit", "error", "log_loss"),
    ],
)
def test_a_test_that_does_not_fit_the_measure_is_refused(test, measure, way_out):
    message = f"got '{test}' for '{measure}'.*say scoring='{way_out}'"
    with pytest.raises(DesignError, match=message):
        on_rows(test, measure)
    with pytest.raises(DesignError, match=message):
        check_row_test(test, measure, is_row_mean=measure != "auroc")


def test_other_tests_leave_the_choice_to_the_measure():
    assert check_row_test("corrected-t", "mse", is_row_mean=True) == "cv-central-limit"
    assert check_row_test("corrected-t", "f1", is_row_mean=False) == ""
    assert check_row_test("cv-central-limit", "mse", is_row_mean=True) == "cv-central-limit"
    assert on_rows("5x2cv-t", "auroc").test == "delong"
    with pytest.raises(DesignError, match=r"'cv-central-limit' for 'f1'.*say scoring='log_loss'"):
        check_row_test("cv-central-limit", "f1", is_row_mean=False)


def test_one_learner_has_no_pairs():
    assert on_rows(losses=WRONG[:1]).compared.p_greater.tolist() == [[1.0]]
    alone = on_rows(measure="auroc", rankings=RANKINGS[:1]).compared
    assert alone.p_greater.tolist() == [[1.0]]


@pytest.mark.parametrize("what", ["losses", "rankings"])
def test_a_table_that_lies_on_its_side_is_refused_unless_the_learners_are_named(what):
    tables = {"losses": None, "rankings": None, what: np.linspace(0, 1, 24).reshape(4, 6)}
    given = {"is_positive": np.array([True, False, True, False]), **tables}
    with pytest.raises(DesignError, match=f"{what} of compare_on_rows .* 6 learners on 4 rows"):
        compare_on_rows("corrected-t", "auroc", **given)
    named = list("abcdef")
    compared = compare_on_rows("corrected-t", "auroc", names=named, **given)
    assert (compared is None) == (what == "losses")
