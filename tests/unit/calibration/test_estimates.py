"""Estimates of several numbers of folds against true test sets."""

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from bestofk.calibration import estimate_bias
from bestofk.calibration.estimates import EstimateBias
from bestofk.cli import main
from bestofk.data import DataSet, load_data
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.measures import get_measure
from bestofk.resampling import make_plan

OWN = {"near": KNeighborsClassifier(3), "bayes": GaussianNB()}


def measure(name):
    return get_measure(name, task="classification", classes=[0, 1])


def error_of(estimator, data, train, test):
    fitted = estimator.fit(np.asarray(data.features)[train], data.y[train])
    return float((fitted.predict(np.asarray(data.features)[test]) != data.y[test]).mean())


def test_estimates_and_true_scores_equal_plain_loops_over_the_same_rows():
    wine = load_data("wine")
    result = estimate_bias(OWN, wine, test_set="2xholdout:0.4", n_folds=(2, 3), n_repeats=(3, 2))
    plan = make_plan(wine, "2xholdout:0.4")
    for number, (train, test) in enumerate(zip(plan.train_rows, plan.test_rows, strict=True)):
        part = DataSet("part", wine.feature_rows(train), wine.target_rows(train), wine.task)
        for index, cv in enumerate(("3x2", "2x3")):
            inner = make_plan(part, cv)
            splits = list(zip(inner.train_rows, inner.test_rows, strict=True))
            for position, estimator in enumerate(OWN.values()):
                errors = [error_of(estimator, part, *split) for split in splits]
                expected = np.mean(errors)
                np.testing.assert_allclose(
                    result.estimates[number, index, position], expected, rtol=0, atol=1e-12
                )
        for position, estimator in enumerate(OWN.values()):
            expected = error_of(estimator, wine, train, test)
            np.testing.assert_allclose(result.true_scores[number, position], expected, atol=1e-12)
    assert result.measure.name == "error"


def test_batched_learners_give_the_same_estimates():
    options = {"test_set": "holdout", "n_folds": (2, 5), "n_repeats": 2}
    quick, plain = (
        estimate_bias(["lda", "1nn"], "wine", batched=batched, **options)
        for batched in ("always", "never")
    )
    np.testing.assert_array_equal(quick.estimates, plain.estimates)
    np.testing.assert_array_equal(quick.true_scores, plain.true_scores)


def test_lower_losses_are_optimistic_and_higher_areas_too():
    estimates, true = np.array([[[0.1], [0.3]]]), np.array([[0.2]])
    for name, expected in (("error", [[0.1], [-0.1]]), ("auroc", [[-0.1], [0.1]])):
        result = EstimateBias(("a",), (2, 5), ("t",), estimates, true, measure(name))
        np.testing.assert_allclose(result.optimism(), expected, atol=1e-15)
        np.testing.assert_allclose(result.mean_absolute_error(), [[0.1], [0.1]], atol=1e-15)
    assert result.mean_ranks().tolist() == [[2.0], [1.0]]
    assert result.nearest == 2  # a tie


def test_a_learner_without_an_estimate_is_left_out_for_all_numbers_of_folds():
    estimates = np.array([[[0.1, 0.2], [0.2, np.nan]], [[0.3, 0.1], [0.1, 0.2]]])
    true = np.array([[0.1, 0.1], [0.1, 0.1]])
    result = EstimateBias(("a", "b"), (2, 5), ("s", "t"), estimates, true, measure("error"))
    frame = result.to_frame().set_index(["n_folds", "learner"])
    assert frame["n"].to_dict() == {
        (2, "a"): 2, (2, "b"): 1, (2, "all"): 3, (5, "a"): 2, (5, "b"): 1, (5, "all"): 3,
    }  # fmt: skip
    # errors of 2 folds: a 0 and .2, b 0; of 5 folds: a .1 and 0, b .1
    np.testing.assert_allclose(frame["mean_absolute_error"].loc[2], [0.1, 0.0, 0.2 / 3])
    np.testing.assert_allclose(frame["mean_absolute_error"].loc[5], [0.05, 0.1, 0.2 / 3])
    assert frame["n_optimistic"].sum() == 0
    # of 2 folds: a first and last, b first
    np.testing.assert_allclose(frame["mean_rank"].loc[2], [1.5, 1.0, 4 / 3])


def test_the_text_says_which_is_nearest_with_its_numbers():
    estimates = np.array([[[0.30], [0.22]], [[0.30], [0.19]]])
    result = EstimateBias(
        ("a",), (2, 10), ("s", "t"), estimates, np.array([[0.2], [0.2]]), measure("error")
    )
    assert result.headline() == (
        "Estimates of 10 folds are nearest to the test sets: 1.5 points away on average "
        "(2 folds: 10.0 points). They are 0.5 points pessimistic on average, and optimistic in "
        "1 of 2 cases."
    )
    assert "| 2 | a | -10.0 | 0 of 2 | 10.0 | 2.00 |" in result.to_markdown()
    assert result.cells()["optimism"].round(3).tolist() == [-0.1, -0.02, -0.1, 0.01]


def test_later_rows_come_from_another_file(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({
        "size": rng.normal(size=90), "color": rng.choice(["red", "green", "blue"], 90),
    })  # fmt: skip
    frame["class"] = np.where(frame["size"] + (frame["color"] == "red") > 0.3, "yes", "no")
    later = frame[60:]
    frame[:60].to_csv(tmp_path / "train.csv", index=False)
    later[later["color"] != "blue"].to_csv(tmp_path / "later.csv", index=False)
    files = [str(tmp_path / name) for name in ("train.csv", "later.csv")]
    result = estimate_bias(
        ["cart"], files[0], target="class", test_set=files[1], n_repeats=1, scoring="accuracy"
    )
    from bestofk import compare

    comparison = compare(["cart"], files[0], target="class", cv="1x10", scoring="accuracy")
    rest = later[later["color"] != "blue"]
    expected = (comparison.fit("cart").predict(rest) == rest["class"]).mean()
    assert result.true_scores.tolist() == [[expected]]
    assert result.estimates[0, 2, 0] == comparison.scores[0].values.mean()


def test_many_data_sets_are_put_together_and_must_share_the_measure():
    both = {"iris": load_data("iris"), "wine": load_data("wine")}
    result = estimate_bias(["lda"], both, n_folds=(2,), n_repeats=1)
    assert result.test_sets == ("iris", "wine")
    rng = np.random.default_rng(0)
    skewed = DataSet(
        "skewed", rng.normal(size=(100, 2)), np.repeat([0, 1], [80, 20]), "classification"
    )
    with pytest.raises(InvalidArgumentError, match="scoring must be one measure for all data sets"):
        estimate_bias(["lda"], both | {"skewed": skewed}, n_folds=(2,), n_repeats=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_folds": (5, 2)}, "n_folds must be whole numbers from 2, ascending"),
        ({"n_folds": ()}, "n_folds must be whole numbers from 2, ascending"),
        ({"n_repeats": (1, 2)}, "n_repeats must be a whole number from 1"),
        ({"test_set": "no such file"}, "test_set must be a hold-out, a file or a DataSet"),
        ({"test_set": 0.3}, "test_set must be a hold-out, a file or a DataSet"),
        ({"cv": "5x2"}, "options of estimate_bias must not hold cv"),
    ],
)
def test_wrong_arguments_are_refused(options, message):
    with pytest.raises(InvalidArgumentError, match=message):
        estimate_bias(["lda"], "iris", **options)


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(DesignError, match="estimates must be of shape"):
        EstimateBias(
            ("a",), (2, 5), ("t",), np.zeros((1, 2, 2)), np.zeros((1, 1)), measure("error")
        )


def test_the_command_prints_what_the_function_returns(capsys):
    line = ["calibrate", "estimates", "iris", "--learners", "lda", "--test-set", "2xholdout",
            "--n-folds", "2,5", "--n-repeats", "2,1", "--n-jobs", "1"]  # fmt: skip
    assert main(line) == 0
    expected = estimate_bias(
        ["lda"], "iris", test_set="2xholdout", n_folds=(2, 5), n_repeats=(2, 1)
    )
    assert capsys.readouterr().out.strip() == str(expected)
