import math

import numpy as np
import pytest

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import NestedCvLosses, nested_cv, nested_cv_interval

Y = np.random.default_rng(3).normal(size=30)


def mean_model(train: np.ndarray, test: np.ndarray) -> np.ndarray:
    return (Y[test] - Y[train].mean()) ** 2


def test_every_row_is_predicted_without_its_fold_and_without_one_more() -> None:
    asked = []

    def remember(train: np.ndarray, test: np.ndarray) -> np.ndarray:
        asked.append((len(train), len(test)))
        assert not set(train) & set(test)
        return mean_model(train, test)

    losses = nested_cv(remember, 30, 5, 2, 0)
    assert len(asked) == 2 * 15
    assert sorted(asked)[0] == (18, 12)
    assert sorted(asked)[-1] == (24, 6)
    for repeat in range(2):
        fold_of_row = losses.fold_of_row[repeat]
        assert np.bincount(fold_of_row).tolist() == [6] * 5
        for row in range(30):
            own = fold_of_row[row]
            assert losses.outer[repeat, row] == pytest.approx(
                (Y[row] - Y[fold_of_row != own].mean()) ** 2
            )
            for other in range(5):
                if other == own:
                    assert math.isnan(losses.inner[repeat, other, row])
                    continue
                train = (fold_of_row != own) & (fold_of_row != other)
                assert losses.inner[repeat, other, row] == pytest.approx(
                    (Y[row] - Y[train].mean()) ** 2
                )


def test_divisions_hang_on_their_own_number_alone() -> None:
    few, many = nested_cv(mean_model, 30, 3, 2, 7), nested_cv(mean_model, 30, 3, 5, 7)
    np.testing.assert_array_equal(few.fold_of_row, many.fold_of_row[:2])
    other = nested_cv(mean_model, 30, 3, 2, 8)
    assert (few.fold_of_row != other.fold_of_row).any()


def naive_interval(losses: NestedCvLosses) -> tuple[float, float, float]:
    """Follow the algorithm of the paper fold by fold."""
    n_repeats, n_folds, n_rows = losses.inner.shape
    a, b, inner, outer = [], [], [], []
    for repeat in range(n_repeats):
        for fold in range(n_folds):
            out = losses.fold_of_row[repeat] == fold
            e_in, e_out = losses.inner[repeat, fold][~out], losses.outer[repeat][out]
            a.append((e_in.mean() - e_out.mean()) ** 2)
            b.append(e_out.var(ddof=1) / len(e_out))
            inner.extend(e_in)
            outer.extend(e_out)
    naive = np.std(inner, ddof=1) / np.sqrt(n_rows)
    mse = (n_folds - 1) / n_folds * (np.mean(a) - np.mean(b))
    error = np.clip(np.sqrt(max(mse, 0)), naive, np.sqrt(n_folds) * naive)
    bias = (1 + (n_folds - 2) / n_folds) * (np.mean(inner) - np.mean(outer))
    return float(np.mean(inner) - bias), float(error), float(naive)


@pytest.mark.parametrize(("n_rows", "n_folds"), [(30, 5), (29, 4), (30, 3)])
def test_the_interval_follows_the_algorithm(n_rows: int, n_folds: int) -> None:
    losses = nested_cv(mean_model, n_rows, n_folds, 20, 1)
    result = nested_cv_interval(losses, level=0.9)
    estimate, error, naive = naive_interval(losses)
    assert (result.estimate, result.standard_error) == pytest.approx((estimate, error))
    assert (result.naive_standard_error, result.inflation) == pytest.approx((naive, error / naive))
    assert (result.low, result.high) == pytest.approx(
        (estimate - 1.644854 * error, estimate + 1.644854 * error)
    )
    assert 1 <= result.inflation <= math.sqrt(n_folds)


def test_losses_that_do_not_vary_have_no_width_and_an_error_out_of_bounds_is_said() -> None:
    fold_of_row = np.array([[0, 0, 1, 1, 2, 2]])
    inner = np.zeros((1, 3, 6))
    inner[0, [0, 0, 1, 1, 2, 2], np.arange(6)] = np.nan
    far = NestedCvLosses(fold_of_row, np.array([[5.0, 6, 5, 6, 5, 6]]), inner + [0, 1] * 3)
    result = nested_cv_interval(far)
    assert result.inflation == pytest.approx(math.sqrt(3))
    assert "the nearest bound is used" in result.warnings[0]
    assert result.bias == pytest.approx((1 + 1 / 3) * (0.5 - 5.5))
    losses = nested_cv(lambda train, test: np.ones(len(test)), 30, 5, 3, 0)
    result = nested_cv_interval(losses)
    assert (result.low, result.estimate, result.high) == (1, 1, 1)
    assert result.flags == ("zero_variance",)
    assert result.warnings == ()
    assert math.isnan(result.inflation)


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ((30, 2, 5), "n_folds of nested_cv must be a whole number from 3 up; got 2"),
        ((9, 5, 5), r"n_rows of nested_cv must be a whole number from 10 up; got 9"),
        ((30, 5, 0), "n_repeats of nested_cv must be a whole number from 1 up; got 0"),
    ],
)
def test_counts_must_leave_something_to_do(counts: tuple[int, int, int], words: str) -> None:
    with pytest.raises(InvalidArgumentError, match=words):
        nested_cv(mean_model, *counts, random_state=0)


@pytest.mark.parametrize("losses", [[0.1], [0.1] * 9 + [math.nan]])
def test_losses_must_be_one_finite_number_per_row(losses: list[float]) -> None:
    with pytest.raises(DesignError, match="one finite number for each of the 10 rows"):
        nested_cv(lambda train, test: losses, 30, 3, 1, 0)


def test_arrays_that_do_not_fit_are_refused() -> None:
    losses = nested_cv(mean_model, 30, 3, 2, 0)
    with pytest.raises(DesignError, match=r"with at least 3 folds; got \(2, 30\), \(2, 29\)"):
        nested_cv_interval(NestedCvLosses(losses.fold_of_row, losses.outer[:, 1:], losses.inner))
    holes = losses.outer.copy()
    holes[0, 0] = np.nan
    with pytest.raises(DesignError, match="must be finite; got 1 that are nan"):
        nested_cv_interval(NestedCvLosses(losses.fold_of_row, holes, losses.inner))
    crowded = np.zeros_like(losses.fold_of_row)
    with pytest.raises(DesignError, match="must hold at least 2 rows each"):
        nested_cv_interval(NestedCvLosses(crowded, losses.outer, losses.inner))
    with pytest.raises(InvalidArgumentError, match="level must be a number above 0"):
        nested_cv_interval(losses, level=95)
