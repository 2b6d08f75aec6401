"""Procedures applied to stored runs: learners whose predictions are columns of the data."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression, Ridge

from bestofk import compare
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import Caution, bayesian_correlated_t

pytestmark = pytest.mark.usefixtures("module_in_this_process")

# Ten test rows: "all" is right on every one, "some" wrong on four (rows 2, 3, 4 and 8).
ALL = np.array([0.9, 0.8, 0.7, 0.6, 0.55, 0.1, 0.2, 0.3, 0.4, 0.45])
SOME = np.array([0.9, 0.8, 0.4, 0.3, 0.2, 0.1, 0.2, 0.3, 0.6, 0.45])
LABELS = np.array(["yes"] * 5 + ["no"] * 5)
X = np.column_stack([np.tile(ALL, 2), np.tile(SOME, 2), np.linspace(0, 1, 20)])
y = np.tile(LABELS, 2)


class Labels(ClassifierMixin, BaseEstimator):
    """Says "yes" where a column is above one half."""

    def __init__(self, column=0, fails=False):
        self.column = column
        self.fails = fails

    def fit(self, X, y):
        if self.fails:
            raise RuntimeError("no rain today")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.classes_[(X[:, self.column] > 0.5).astype(int)]


class Column(Labels):
    """Takes a column for the probability of "yes"."""

    def predict_proba(self, X):
        return np.column_stack([1 - X[:, self.column], X[:, self.column]])


PAIR = {"all": Column(0), "some": Column(1)}
THREE = PAIR | {"ramp": Column(2)}
# Four folds of one run: "all" errs never, "some" on 1, 2, 1, 4 of five rows.
FOUR_FOLDS = [
    (np.setdiff1d(np.arange(20), rows), np.array(rows))
    for rows in ([0, 1, 5, 2, 6], [7, 9, 10, 3, 4], [11, 15, 16, 12, 17], [19, 13, 18, 14, 8])
]


def compared(learners=None, cv="test:10", **options):
    return compare(learners or THREE, X, y, cv=cv, progress=False, **options)


def codes(result):
    return [warning.code for warning in result.warnings if isinstance(warning, Caution)]


# -- procedures of splits ----------------------------------------------------------------


def test_a_test_of_splits_takes_the_first_minus_the_second_in_the_unit_of_the_measure():
    comparison = compared(cv=FOUR_FOLDS)
    result = comparison.test("paired-t", "some", "all")
    errors = np.array([1, 2, 1, 4]) / 5
    assert result.estimate == pytest.approx(errors.mean())
    assert result.statistic == pytest.approx(errors.mean() / (errors.std(ddof=1) / 2))
    assert (result.df, result.n) == (3, 4)
    greater = comparison.test("paired-t", "some", "all", alternative="greater")
    assert greater.p_value == pytest.approx(result.p_value / 2)
    by_accuracy = compared(cv=FOUR_FOLDS, scoring="accuracy")  # has the other sign
    assert by_accuracy.test("paired-t", "some", "all").estimate == pytest.approx(-0.4)


def test_learners_that_are_not_named_are_all_that_can_be_best():
    learners = {**THREE, "broken": Column(0, fails=True)}
    result = compared(learners, cv=FOUR_FOLDS).test("anova")
    assert result.names == ("all", "some", "ramp")


def test_the_region_of_the_comparison_reaches_a_procedure_that_knows_one():
    comparison = compared(cv=FOUR_FOLDS, rope=0.3)
    result = comparison.test("bayesian-correlated-t", "some", "all")
    assert result.rope == 0.3
    assert comparison.test("bayesian-correlated-t", "some", "all", rope=0.1).rope == 0.1
    assert compared(cv=FOUR_FOLDS).test("bayesian-correlated-t", "some", "all").rope == 0.01


def test_a_measure_in_the_unit_of_the_target_has_two_percent_unless_it_is_told(regression):
    lowest = regression.scores[0].values.mean(axis=1).min()
    usual = regression.test("bayesian-correlated-t", "ols", "ridge")
    assert usual.rope == pytest.approx(0.02 * lowest)
    result = regression.test("bayesian-correlated-t", "ols", "ridge", rope=0)
    assert (result.rope, result.p_rope) == (0.0, 0.0)
    a, b = regression.scores[0].values
    n_train, n_test = (sizes.mean() for sizes in regression.evaluation.plan.sizes)
    plain = bayesian_correlated_t(a, b, n_train=n_train, n_test=n_test, rope=0)
    assert result.p_less == pytest.approx(plain.p_less)


def test_a_split_that_failed_counts_for_neither_and_5x2cv_refuses():
    class Delicate(Column):
        def fit(self, X, y):
            self.fails = X[0, 2] == 0  # half of the training sets hold the first row
            return super().fit(X, y)

    comparison = compared({**PAIR, "delicate": Delicate(1)}, cv="5x2")
    with pytest.raises(DesignError, match="delicate: 5 of 10 runs failed"):
        comparison.test("5x2cv-t", "all", "delicate")
    with pytest.raises(DesignError, match="delicate: 5 of 10 runs failed"):
        comparison.test("5x2cv-f", "all", "delicate")


# -- how many learners, which names -------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "learners", "message"),
    [
        ("corrected-t", ["all"], r"must be two learners; got 1 \(all\)"),
        ("corrected-t", ["all", "some", "ramp"], "must be two learners; got 3"),
        ("mcnemar", [], "must be two learners; got 3"),
        ("delong", ["all"], "must be two learners; got 1"),
        ("anova", ["all"], "must be at least two learners; got 1"),
        ("multinomial-selection", ["all"], "must be at least two learners; got 1"),
        ("cochran-q", ["some"], "must be at least two learners; got 1"),
    ],
)
def test_a_wrong_number_of_learners_is_refused(name, learners, message):
    with pytest.raises(DesignError, match=message):
        compared().test(name, *learners)


def test_a_learner_cannot_be_compared_with_itself_but_several_with_each_other():
    with pytest.raises(InvalidArgumentError, match="must be different; got all more than once"):
        compared().test("mcnemar", "all", "all")
    assert compared().test("multinomial-selection").names == ("all", "some", "ramp")


# -- procedures of rows -------------------------------------------------------------------


def test_mcnemar_counts_the_rows_of_a_test_set():
    comparison = compared()
    result = comparison.test("mcnemar", "some", "all")
    assert (result.n, result.estimate) == (10, 0.4)
    assert result.p_value == pytest.approx(2 / 16 - 1 / 16)  # mid-p of 4 to 0
    assert "pooled-folds" not in codes(result)
    exact = comparison.test("mcnemar", "some", "all", method="exact", alternative="greater")
    assert exact.p_value == pytest.approx(1 / 16)


@pytest.mark.parametrize("positive", ["yes", "no", None])
def test_delong_compares_areas_whatever_class_is_positive(positive):
    result = compared(pos_label=positive).test("delong", "all", "some")
    assert result.estimate == pytest.approx(1 - 17 / 25)


def test_rows_of_several_folds_are_pooled_with_a_caution():
    result = compared(cv=FOUR_FOLDS).test("mcnemar", "some", "all")
    assert (result.n, result.estimate) == (20, pytest.approx(8 / 20))
    assert codes(result).count("pooled-folds") == 1


@pytest.mark.parametrize("cv", ["3xholdout:0.5", "3xbootstrap"])
def test_of_repeated_plans_the_rows_of_the_first_repeat_are_taken_and_that_is_said(cv):
    comparison = compared(cv=cv)
    result = comparison.test("mcnemar", "some", "all")
    rows = comparison.evaluation.test_rows[0]
    wrong = (X[rows, 1] > 0.5) != (y[rows] == "yes")
    assert result.n == len(rows) == len(set(rows))
    assert result.estimate == pytest.approx(wrong.mean())
    assert result.assumptions[-1].startswith("Only the rows of the first of 3 repeats")


def test_of_repeated_folds_every_row_counts_once():
    result = compared(cv="5x2").test("cochran-q")
    assert result.n == 20
    assert "the first of 5 repeats" in result.assumptions[-1]
    assert "the first of" not in " ".join(compared().test("cochran-q").assumptions)


def test_leave_one_out_gives_rows_and_refuses_what_needs_several_per_fold():
    comparison = compared(cv="loo", scoring="error")
    assert comparison.test("mcnemar", "some", "all").n == 20
    with pytest.raises(DesignError, match="must test at least 2 rows each"):
        comparison.test("cv-central-limit", "some", "all")


def test_rows_that_were_not_kept_are_named():
    comparison = compared(keep="scores")
    with pytest.raises(DesignError, match=r"got 1 of 1 splits without those of all\. Finish"):
        comparison.test("mcnemar", "all", "some")
    with pytest.raises(DesignError, match=r"of broken, which failed\. Leave it out\."):
        compared(PAIR | {"broken": Column(0, fails=True)}).test("mcnemar", "all", "broken")
    with pytest.raises(DesignError, match="delong must be of two classes with probabilities"):
        compared(keep="labels").test("delong", "all", "some")
    with pytest.raises(DesignError, match="must hold probabilities of every learner"):
        compared({"all": Column(0), "some": Labels(1)}).test("multinomial-selection")


# -- regression ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def regression():
    X, y = load_diabetes(return_X_y=True)
    learners = {"ols": LinearRegression(), "ridge": Ridge(5.0)}
    return compare(learners, X[:80], y[:80], cv="5x2", progress=False)


def test_the_permutation_test_takes_squared_errors_of_regression(regression):
    result = regression.test("permutation", "ols", "ridge", n_draws=200)
    losses = [
        np.concatenate([
            (record.predictions.labels - regression.evaluation.data.y[rows]) ** 2
            for record, rows in zip(records[:2], regression.evaluation.test_rows, strict=False)
        ])
        for records in regression.evaluation.records
    ]  # fmt: skip
    assert result.estimate == pytest.approx(losses[0].mean() - losses[1].mean())
    assert result.n == 80


@pytest.mark.parametrize(
    ("name", "learners", "message"),
    [
        ("mcnemar", ["ols", "ridge"], r"must be 0 or 1 \(right, wrong\)"),
        ("two-proportion-z", ["ols", "ridge"], r"must be 0 or 1 \(right, wrong\)"),
        ("cochran-q", [], "task must be classification"),
        ("looney-f", [], "task must be classification"),
        ("looney-f-plus", [], "task must be classification"),
        ("delong", ["ols", "ridge"], "must be of two classes"),
        ("multinomial-selection", [], "must hold probabilities"),
    ],
)
def test_procedures_of_classes_refuse_regression(regression, name, learners, message):
    with pytest.raises(DesignError, match=message):
        regression.test(name, *learners)


def test_orderings_and_the_central_limit_test_take_squared_errors(regression):
    means = regression.findings.verdict.means
    assert regression.orderings().rows[0].best == min(("ols", "ridge"), key=means.get)
    assert 0 <= regression.test("cv-central-limit", "ols", "ridge").p_value <= 1


# -- orderings and power -------------------------------------------------------------------


def test_orderings_rank_the_learners_that_take_part_and_ignore_preferred_ones_that_do_not():
    learners = {**THREE, "broken": Column(0, fails=True)}
    comparison = compared(learners, cv="5x2", prefer=["broken", "ramp", "some", "all"])
    assert "ramp, some, all" in str(comparison.orderings())
    costs = {"broken": 1, "some": 2, "ramp": 3, "all": 4}
    assert "some, ramp, all" in str(comparison.orderings(prefer=costs))


def test_orderings_need_two_learners_and_two_splits():
    alone = compared({"all": Column(0), "broken": Column(0, fails=True)}, cv="5x2")
    with pytest.raises(DesignError, match="learners of orderings must be at least two; got 1"):
        alone.orderings()
    with pytest.raises(DesignError, match="must have at least 2 splits; got 1"):
        compared().orderings()


def test_power_takes_the_spread_of_two_learners_and_refuses_unknown_ones():
    comparison = compared(cv="5x2")
    result = comparison.power("some", "ramp", difference=0.1)
    some, ramp = comparison.scores[0].values[1:]
    assert result.sd == pytest.approx((some - ramp).std(ddof=1))
    assert result.alpha == pytest.approx(0.05 / 3)
    with pytest.raises(InvalidArgumentError, match=r"got 'rammp'\. Did you mean 'ramp'"):
        comparison.power("some", "rammp", difference=0.1)


# -- the verdict on one test set -----------------------------------------------------------


def test_a_test_set_is_judged_by_mcnemar_on_errors_and_delong_on_areas():
    comparison = compared(PAIR)
    by_errors = comparison.verdict()
    assert by_errors.test == "mcnemar"
    assert by_errors.pairs[0].p_value == pytest.approx(1 / 16)
    by_area = comparison.verdict(scoring="auroc")
    assert by_area.test == "delong"
    assert by_area.pairs[0].difference == pytest.approx(17 / 25 - 1)
    expected = comparison.test("delong", "all", "some")
    assert by_area.pairs[0].p_value == pytest.approx(expected.p_value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": "mcnemar", "scoring": "auroc"}, "got 'mcnemar' for 'auroc'"),
        ({"test": "delong", "scoring": "error"}, "got 'delong' for 'error'"),
        ({"test": "mcnemar", "cv": "10x10"}, "got 'mcnemar', which compares fitted learners on"),
        ({"test": "delong", "scoring": "auroc", "cv": "5x2"}, "got 'delong', which compares"),
    ],
)
def test_a_test_of_rows_that_does_not_fit_is_refused_before_anything_is_trained(options, message):
    untouchable = {"a": Column(99), "b": Column(98)}
    with pytest.raises(DesignError, match=message):
        compared(untouchable, **options)


def test_the_same_is_refused_of_a_finished_comparison():
    with pytest.raises(DesignError, match="say scoring='error'"):
        compared().verdict(test="mcnemar", scoring="auroc")
    with pytest.raises(DesignError, match="one that the plan allows; got 'mcnemar'"):
        compared(cv="5x2").verdict(test="mcnemar")
    with pytest.raises(InvalidArgumentError, match=r"got 'mcnemr'\. Did you mean 'mcnemar'"):
        compared().verdict(test="mcnemr")


def test_mcnemar_without_kept_rows_says_what_it_lacks():
    verdict = compared(keep="scores", test="mcnemar").findings.verdict
    assert verdict.test == ""
    assert verdict.warnings[0] == (
        "mcnemar needs the predictions of every test row, which were not kept: every learner "
        "stays a candidate."
    )


def test_settings_that_name_a_test_of_rows_can_be_reweighed():
    comparison = compared(test="mcnemar")
    assert comparison.verdict(scoring="accuracy").test == "mcnemar"
    other = replace(comparison.settings, test="corrected-t")
    assert replace(comparison, settings=other).findings.verdict.test == "mcnemar"
