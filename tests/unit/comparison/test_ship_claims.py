"""Claims about new data: where they are made, and the sentence where they are not."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB

from bestofk import Tuned, compare
from bestofk.data.generators import waveform
from bestofk.errors import InvalidArgumentError
from bestofk.inference.new_data import losses_on_new_data, losses_on_test_rows
from bestofk.inference.one_test_set.roc import area_losses
from bestofk.learners import resolve_learners
from bestofk.measures import make_measure

pytestmark = pytest.mark.usefixtures("module_in_this_process")

LEARNERS = ["nearest-mean", "naive-bayes", "lda"]
FOLDS = {"cv": "2x5"}
ROWS = waveform(1000, 1)
X, Y = ROWS.features, ROWS.target


def compared(learners=LEARNERS, *data, n=150, **options):
    return compare(learners, X[:n], Y[:n], **FOLDS | {"store": None} | options)


def estimator(name):
    return resolve_learners([name], "classification")[0].estimator


def claim_of(*args, **options):
    return compared(*args, **options).ship_claim()


def test_a_claim_is_that_of_the_losses_on_shared_splits():
    comparison = compared(cv="3x5")
    result = losses_on_new_data(
        comparison.scores[0].values.T, n_samples=150, n_train=120, n_test=30
    )
    for index, name in enumerate(LEARNERS):
        assert comparison.ship_claim(name) == result.claim(name, index, 0.01)


def test_one_test_set_claims_by_its_rows():
    comparison = compared(n=1000, cv="test:400")
    wrong = []
    for name in LEARNERS:
        model = estimator(name).fit(X[:600], Y[:600])
        wrong.append(model.predict(X[600:]) != Y[600:])
    result = losses_on_test_rows(np.transpose(wrong))
    for index, name in enumerate(LEARNERS):
        assert comparison.ship_claim(name) == result.claim(name, index, 0.01)
    assert comparison.ship_claim().n_shared_splits == 400


@pytest.mark.parametrize("options", [{"cv": "4x5"}, {"n": 1000, "cv": "holdout:0.4"}])
def test_a_learner_under_two_names_is_one(options):
    learners = {name: estimator(name) for name in LEARNERS}
    without = compared(learners, **options)
    doubled = compared(learners | {"lda again": estimator("lda")}, **options)
    for name in LEARNERS:
        assert doubled.ship_claim(name) == without.ship_claim(name)
    again, first = doubled.ship_claim("lda again"), doubled.ship_claim("lda")
    assert (again.probability, again.loss_low) == (first.probability, first.loss_low)


def test_claims_of_more_than_three_learners_are_lower_bounds():
    """Picks of more learners were within a point more often than was claimed."""
    assert not compared(["lda", "cart", "naive-bayes"]).findings.is_claim_at_least
    four = compared(["lda", "cart", "naive-bayes", "5nn"]).findings
    assert four.is_claim_at_least
    assert not compared(["lda", "cart", "naive-bayes", "5nn"], n=60).findings.is_claim_at_least


def test_few_folds_are_claimed_of_for_error_rates_as_bounds():
    two = compared(cv="5x2")
    assert two.ship_claim().reason.startswith("no range is given for its error rate")
    assert two.ship_claim().probability > 0
    assert two.ship_claim().loss_low is None
    assert two.findings.is_claim_at_least
    values = compare(["ridge-cv", "mean"], NUMBERS, HEIGHTS, cv="5x2", progress=False, store=None)
    assert values.ship_claim().reason == "at least 5 folds are needed; there are 2"


def test_a_single_learner_has_its_error_rate_alone():
    claim = claim_of(["lda"])
    assert claim.reason == "only one learner was compared"
    assert claim.probability is None
    assert 0 < claim.loss_low < claim.loss_high < 1


def median_miss_score(y_true, y_pred):
    return float(np.median(y_true == y_pred))


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"scoring": "mcc"}, "means over rows and two-class AUROC, not for Matthews"),
        ({"scoring": "auroc"}, "and two-class AUROC, not for AUROC of 3 classes"),
        (
            {"scoring": make_measure(median_miss_score, greater_is_better=True)},
            "two-class AUROC, not for median_miss_score",
        ),
        ({"scoring": "log_loss", "keep": "scores"}, "the predictions of rows were not kept"),
        ({"scoring": "f1", "n": 1000, "cv": "holdout:0.4"}, "two-class AUROC, not for macro"),
        (
            {"scoring": "brier", "n": 800, "cv": "holdout"},
            "at least 300 test rows are needed, not 267",
        ),
        (
            {"scoring": "brier", "cv": "test:300", "n": 399, "keep": "scores"},
            "the predictions of the test rows were",
        ),
        ({"groups": np.arange(150) // 3}, "rows come in 50 groups"),
        ({"n": 99}, "there are 99 rows, and 100 are needed"),
        ({"cv": "1x5"}, "10 splits that all learners finished are needed; there are 5"),
        ({"cv": "20xholdout"}, "20 random hold-outs"),
        ({"cv": "20xbootstrap"}, "20 bootstrap samples"),
        ({"cv": "loo", "n": 100}, "leave-one-out"),
        ({"cv": "holdout", "n": 800}, "at least 300 test rows are needed, not 267"),
        ({"cv": "test:300", "n": 399, "keep": "scores"}, "the predictions of the test rows were"),
    ],
)
def test_what_was_not_measured_is_not_claimed(options, reason):
    claim = claim_of(**options)
    assert reason in claim.reason
    assert claim.learner in LEARNERS
    assert claim.probability is claim.expected_regret is claim.loss_low is claim.loss_high is None


def test_weighted_rows_and_files_ordered_by_class_are_not_claimed_of():
    order = np.r_[np.arange(100), 100 + np.argsort(Y[100:800], kind="stable")]
    claim = compare(LEARNERS, X[order], Y[order], cv="test:300", store=None).ship_claim()
    reason = "classes are not as frequent in the test rows as in the training rows"
    assert claim.reason == reason
    data = replace(waveform(150, 1), sample_weight=np.ones(150))
    claim = compare(LEARNERS, data, store=None, **FOLDS).ship_claim()
    assert claim.reason == "rows are weighted"


def test_custom_splits_are_not_claimed_of_but_a_single_one_is_a_test_set():
    claim = claim_of(n=800, cv=[(np.arange(400), np.arange(400, 800))])
    assert (claim.reason, claim.n_shared_splits) == ("", 400)
    rows = np.arange(150)
    splits = [(rows[rows % 7 != i], rows[rows % 7 == i]) for i in range(5)]
    assert "single test sets, not for" in claim_of(cv=splits).reason


def test_learners_that_choose_their_settings_are_not_claimed_of():
    search = GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 0.1]}, cv=2)
    claim = claim_of({"lda": estimator("lda"), "search": search, "other": Tuned(GaussianNB())})
    assert claim.reason == "such claims were not checked for tuned learners, such as search, other"


def test_claims_are_made_for_twelve_learners_at_most_and_fewer_than_splits():
    many = {f"c{i}": GaussianNB(var_smoothing=10.0**-i) for i in range(13)}
    reason = "such claims were checked for 12 learners at most, not 13"
    assert claim_of(many, cv="4x5").reason == reason
    many = {f"c{i}": GaussianNB(var_smoothing=10.0**-i) for i in range(12)}
    nine = dict(list(many.items())[:9])
    assert claim_of(nine, cv="10").reason == ""
    assert claim_of(many, cv="10").reason == (
        "13 splits that all learners finished are needed; there are 10"
    )


@pytest.mark.parametrize("within", [0, -0.01, float("inf"), float("nan"), "0.01", True])
def test_a_distance_that_is_no_number_above_0_is_refused(within):
    with pytest.raises(InvalidArgumentError, match="within must be a number above 0 or None; got"):
        compared(["lda", "cart"], n=100).ship_claim(within=within)


@pytest.mark.parametrize("scoring", ["log_loss", "brier", "auroc"])
def test_one_test_set_claims_for_probabilities_by_its_rows(scoring):
    y = (Y[0] == Y).astype(int)
    result = compare(LEARNERS, X, y, cv="test:400", scoring=scoring, progress=False, store=None)
    true, losses = y[600:] == 1, []
    for name in LEARNERS:
        chance = estimator(name).fit(X[:600], y[:600]).predict_proba(X[600:])[:, 1]
        if scoring == "auroc":
            losses.append(area_losses(true, chance))
        else:
            of_true = np.where(true, chance, 1 - chance)
            losses.append(-np.log(of_true) if scoring == "log_loss" else (1 - of_true) ** 2)
    one_row, most = {
        "log_loss": (np.max(losses, axis=1) / 400, np.inf),
        "brier": (1 / 400, 1.0),
        "auroc": (1 / min(true.sum(), (~true).sum()), 1.0),
    }[scoring]
    expected = losses_on_test_rows(np.transpose(losses), one_row=one_row, most=most)
    within = 0.02 * min(expected.means) if scoring == "log_loss" else 0.01
    for index, name in enumerate(LEARNERS):
        claim, other = result.ship_claim(name), expected.claim(name, index, within)
        assert claim.within == pytest.approx(within)
        assert claim.probability == pytest.approx(other.probability, abs=0.002)
        assert claim.loss_low == pytest.approx(other.loss_low)
        assert claim.loss_high == pytest.approx(other.loss_high)
        assert (claim.loss_low is None) == (scoring == "log_loss")
    assert result.findings.is_claim_at_least


ALL_NUMBERS = np.random.default_rng(0).normal(size=(800, 4))
ALL_HEIGHTS = ALL_NUMBERS @ [1, 2, 0, 0] + np.random.default_rng(1).normal(size=800)
NUMBERS, HEIGHTS = ALL_NUMBERS[:150], ALL_HEIGHTS[:150]
REGRESSORS = ["ridge-cv", "knn-regressor", "mean"]


def predicted_values(cv):
    """Return the rows of each split, and predictions of them per learner, by a plain loop."""
    result = compare(REGRESSORS, NUMBERS, HEIGHTS, cv=cv, scoring="mse", progress=False, store=None)
    rows, values = result.evaluation.test_rows, []
    for name in REGRESSORS:
        model = resolve_learners([name], "regression")[0].estimator
        values.append(
            [
                model.fit(np.delete(NUMBERS, test, axis=0), np.delete(HEIGHTS, test)).predict(
                    NUMBERS[test]
                )
                for test in rows
            ]
        )
    return rows, values


@pytest.mark.parametrize("scoring", ["rmse", "mse", "mae"])
def test_losses_of_values_are_claimed_from_rows_by_a_plain_loop(scoring):
    """The worst row of each learner is its pseudo row; a root varies as its linear part."""
    rows, values = predicted_values("3x5")
    losses, worst = [], []
    for parts in values:
        errors = [part - HEIGHTS[test] for part, test in zip(parts, rows, strict=True)]
        of_rows = [np.abs(part) if scoring == "mae" else part**2 for part in errors]
        if scoring == "rmse":
            root = np.sqrt(np.mean([part.mean() for part in of_rows]))
            of_rows = [(root**2 + part) / (2 * root) for part in of_rows]
        losses.append([part.mean() for part in of_rows])
        worst.append(np.concatenate(of_rows).max() / 150)
    result = losses_on_new_data(
        np.transpose(losses), n_samples=150, n_train=120, n_test=30, one_row=worst, most=np.inf
    )
    comparison = compare(
        REGRESSORS, NUMBERS, HEIGHTS, cv="3x5", scoring=scoring, progress=False, store=None
    )
    within = 0.02 * comparison.scores[0].losses[:2].mean(axis=1).min()
    for index, name in enumerate(REGRESSORS):
        claim, other = comparison.ship_claim(name), result.claim(name, index, within)
        assert claim.within == pytest.approx(within)
        assert claim.probability == pytest.approx(other.probability, abs=0.002)
        assert claim.expected_regret == pytest.approx(other.expected_regret, rel=1e-6, abs=1e-9)
        assert claim.loss_low is claim.loss_high is None
        assert claim.reason.endswith("error (such ranges failed when checked)")
        assert claim.reason in comparison.answer[2] or name != comparison.best
    assert comparison.findings.is_claim_at_least


def claims_of_values(scoring, within=None, heights=ALL_HEIGHTS, **options):
    options = {"scoring": scoring, "progress": False, "store": None} | options
    result = compare(REGRESSORS, ALL_NUMBERS, heights, **options)
    return [result.ship_claim(name, within=within) for name in REGRESSORS]


@pytest.mark.parametrize("scoring", ["rmse", "mse", "mae"])
def test_one_test_set_claims_for_values_by_its_rows(scoring):
    losses = []
    for name in REGRESSORS:
        model = resolve_learners([name], "regression")[0].estimator
        values = model.fit(ALL_NUMBERS[:400], ALL_HEIGHTS[:400]).predict(ALL_NUMBERS[400:])
        of_rows = np.abs(values - ALL_HEIGHTS[400:]) ** (1 if scoring == "mae" else 2)
        root = np.sqrt(of_rows.mean())
        losses.append((root**2 + of_rows) / (2 * root) if scoring == "rmse" else of_rows)
    one_row = np.max(losses, axis=1) / 400
    expected = losses_on_test_rows(np.transpose(losses), one_row=one_row, most=np.inf)
    within = 0.02 * expected.means.min()
    for index, claim in enumerate(claims_of_values(scoring, cv="test:400")):
        other = expected.claim(REGRESSORS[index], index, within)
        assert claim.within == pytest.approx(within)
        assert claim.probability == pytest.approx(other.probability, abs=0.002)
        assert claim.expected_regret == pytest.approx(other.expected_regret, rel=1e-6, abs=1e-9)
        assert claim.loss_low is claim.loss_high is None
        assert claim.n_shared_splits == 400


def test_values_whose_rows_are_not_like_each_other_are_not_claimed_of():
    heights = ALL_HEIGHTS.copy()
    heights[700] += 60.0
    for claim in claims_of_values("rmse", heights=heights, cv="test:400"):
        assert claim.reason.startswith("1 row makes up half of the squared error of ")
    heights = np.r_[1:6, np.zeros(795)]
    for claim in claims_of_values("r2", heights=heights, cv="test:400", task="regression"):
        assert claim.reason == "the score is not defined on the test rows"
    reason = "large and small targets are not as frequent in the test rows as in the training rows"
    claims = claims_of_values("mae", heights=np.sort(ALL_HEIGHTS), cv="test:400")
    assert [claim.reason for claim in claims] == [reason] * 3


@pytest.mark.parametrize("cv", ["2x5", "10", "holdout:0.4"])
def test_r_squared_claims_what_the_squared_error_claims_in_variances_of_the_target(cv):
    variance = ALL_HEIGHTS.var()
    of_r2 = claims_of_values("r2", cv=cv)
    for one, other in zip(of_r2, claims_of_values("mse", 0.01 * variance, cv=cv), strict=True):
        assert one.within == 0.01
        assert one.probability == pytest.approx(other.probability, abs=0.002)
        assert variance * one.expected_regret == pytest.approx(other.expected_regret)
        assert one.reason == "no range is given for its R squared (such ranges failed when checked)"
    assert 0 <= of_r2[1].probability < of_r2[0].probability


def test_a_row_that_carries_over_a_tenth_of_the_loss_forbids_a_claim():
    heights = HEIGHTS.copy()
    heights[7] += 60.0
    result = compare(REGRESSORS, NUMBERS, heights, cv="3x5", progress=False, store=None)
    claim = result.ship_claim()
    assert claim.reason == (
        f"1 row makes up half of the squared error of {result.best}; mean absolute error (mae) "
        "depends less on such rows"
    )
    assert claim.probability is claim.loss_low is None
    assert "No claim about new data: 1 row makes up half" in result.answer[2]
    assert result.findings.more_needed is None


def test_a_learner_without_any_loss_has_no_claim():
    exact = NUMBERS @ [1, 2, 0, 0]

    class Known(DummyRegressor):
        def predict(self, X):
            return X @ [1, 2, 0, 0]

    result = compare(
        {"known": Known(), "mean": DummyRegressor()}, NUMBERS, exact, cv="3x5", progress=False,
        store=None,
    )  # fmt: skip
    assert "known has no loss on any row" in result.ship_claim("known").reason
    assert result.ship_claim("mean").probability == 0


def test_the_area_of_two_classes_is_claimed_with_a_pseudo_row_of_the_rarer():
    y = (Y[:150] == Y[0]).astype(int)
    result = compare(LEARNERS, X[:150], y, cv="3x5", scoring="auroc", progress=False, store=None)
    expected = losses_on_new_data(
        1 - result.scores[0].values.T,
        n_samples=150,
        n_train=120,
        n_test=30,
        one_row=1 / np.bincount(y).min(),
    )
    for index, name in enumerate(LEARNERS):
        assert result.ship_claim(name) == expected.claim(name, index, 0.01)


@pytest.mark.parametrize("least", [0.0, 0.8, -1.0])
def test_costs_are_claimed_where_none_is_below_0(least):
    """A right answer may cost something; where it earns something nothing is claimed."""
    y = (Y[:150] == Y[0]).astype(int)
    costs = [[least, 1.0], [1.0, least]]
    result = compare(
        LEARNERS, X[:150], y, cv="3x5", scoring="cost", cost_matrix=costs, progress=False,
        store=None,
    )  # fmt: skip
    claim = result.ship_claim()
    if least < 0:
        assert (
            claim.reason
            == "such claims were checked for losses of at least 0; some costs are negative"
        )
    else:
        assert claim.reason == ""
        assert least < result.findings.verdict.means[result.best] < 1
        assert 0 <= claim.loss_low < result.findings.verdict.means[result.best] < claim.loss_high
        assert "expect a " in result.answer[2]
