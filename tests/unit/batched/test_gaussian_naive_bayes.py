import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.unit.batched.made_subsets import form_of_folds as form_of

from bestofk.testing import check_batched_form


def test_pixels_that_are_constant_in_a_class_are_done_in_the_plain_order():
    X, y = load_digits(return_X_y=True)
    agreement = check_batched_form(GaussianNB(), X, y, cv="1x2", tolerance=1e-12)
    assert (agreement.n_left, agreement.n_different) == (0, 0)


def test_log_loss_of_every_fold_is_that_of_the_plain_learner():
    X, y = load_breast_cancer(return_X_y=True)
    folds = np.zeros((1, len(y)), dtype=np.int32)
    for fold, (_, test) in enumerate(StratifiedKFold(10, shuffle=True, random_state=0).split(X, y)):
        folds[0, test] = fold
    probability = form_of(GaussianNB(), X, y, 10).predict(folds).probabilities[0]
    for fold in range(10):
        test = folds[0] == fold
        plain = GaussianNB().fit(X[~test], y[~test]).predict_proba(X[test])
        wanted = log_loss(y[test], plain)
        assert log_loss(y[test], probability[test]) == pytest.approx(wanted, abs=1e-11)


def test_parts_that_the_plain_learner_cannot_do_are_left_to_it():
    y, folds = np.arange(12) % 2, np.array([np.arange(12) // 6])
    # 0.1 is rounded: its variances are not 0 but rounding
    for X in (np.ones((12, 2)), np.full((12, 2), 0.1)):
        assert not form_of(GaussianNB(), X, y, 2).predict(folds).is_done.any()
    form = form_of(GaussianNB(var_smoothing=0), y[:, None] * 1.0, y, 2)
    assert not form.predict(folds).is_done.any()


def test_scaled_parts_with_rows_far_from_all_classes_are_left():
    X, y = load_iris(return_X_y=True)
    X = np.column_stack([X, np.zeros(150)])
    X[7, -1] = 1.0  # constant in every class of the parts that test this row
    folds = np.array([np.arange(150) % 3])
    scaled = form_of(make_pipeline(StandardScaler(), GaussianNB()), X, y, 3).predict(folds)
    np.testing.assert_array_equal(scaled.is_done, [[True, False, True]])
    assert form_of(GaussianNB(), X, y, 3).predict(folds).is_done.all()


@pytest.mark.parametrize(
    "learner", [GaussianNB(priors=[0.5, 0.5]), GaussianNB(var_smoothing="high")]
)
def test_priors_and_settings_that_the_plain_learner_refuses_are_not_taken(learner):
    assert form_of(learner, np.ones((4, 1)), np.array([0, 1, 0, 1]), 2) is None


@pytest.mark.parametrize("n_columns", [3, 600])
@pytest.mark.parametrize("n_folds", [2, 5, 75])
def test_folds_of_many_and_few_rows_are_predicted_as_by_the_plain_learner(n_columns, n_folds):
    rng = np.random.default_rng(0)
    y = np.arange(150) % 3
    X = rng.normal(size=(150, n_columns)) + 0.1 * y[:, None]
    folds = np.array([rng.permutation(150) % n_folds for _ in range(2)], dtype=np.int32)
    result = form_of(GaussianNB(), X, y, n_folds).predict(folds)
    for fold in range(0, n_folds, 30):
        tests = folds[1] == fold
        plain = GaussianNB().fit(X[~tests], y[~tests]).predict_proba(X[tests])
        np.testing.assert_allclose(result.probabilities[1, tests], plain, atol=1e-11)
