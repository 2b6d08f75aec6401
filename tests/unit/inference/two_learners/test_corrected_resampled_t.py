import numpy as np
import pytest

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import Sampling, corrected_resampled_t_test, paired_test

A, B = [0.16, 0.18, 0.20, 0.18], [0.20, 0.21, 0.25, 0.18]


def test_the_worked_example_of_the_lecture_comes_out() -> None:
    result = corrected_resampled_t_test(A, B, n_train=75, n_test=25)
    assert (result.statistic, result.df, result.p_value) == pytest.approx((-1.818275, 3, 0.1666074))
    assert result.confidence_interval() == pytest.approx((-0.0825076851, 0.0225076851))


def test_the_shape_of_the_scores_does_not_matter() -> None:
    flat = corrected_resampled_t_test(A, B, n_train=75, n_test=25)
    square = corrected_resampled_t_test(
        np.reshape(A, (2, 2)), np.reshape(B, (2, 2)), n_train=75, n_test=25
    )
    assert repr(flat) == repr(square)


@pytest.mark.parametrize("n_train", [0, -5, float("nan")])
def test_sizes_must_be_positive(n_train: float) -> None:
    with pytest.raises(InvalidArgumentError, match="n_train must be a number above 0 or None"):
        corrected_resampled_t_test(A, B, n_train=n_train, n_test=25)


def test_unknown_sizes_are_refused() -> None:
    with pytest.raises(DesignError, match="n_train and n_test of corrected-t must be known"):
        paired_test("corrected-t").compare([0.1, 0.2], Sampling("custom", 1, 2))


@pytest.mark.parametrize(
    ("sampling", "reason"),
    [
        (Sampling("bootstrap", 10, 1, 100, 37), None),
        (Sampling("test-set", 1, 1, 100, 50), "there is 1."),
        (Sampling("custom", 1, 10), "they are unknown."),
    ],
)
def test_it_needs_two_scores_and_the_sizes(sampling: Sampling, reason: str | None) -> None:
    result = paired_test("corrected-t").refuse(sampling)
    assert result == reason or (reason is not None and str(result).endswith(reason))


@pytest.mark.parametrize(
    ("sampling", "words"),
    [
        (Sampling("k-fold", 10, 10, 90, 10), ["rule of thumb"]),
        (
            Sampling("k-fold", 1, 10, 90, 10),
            ["rule of thumb", "seldom detects a real difference"],
        ),
        (Sampling("bootstrap", 5, 1, 90, 33), ["rule of thumb", "more than once", "Only 5 scores"]),
    ],
)
def test_what_to_distrust_depends_on_the_plan(sampling: Sampling, words: list[str]) -> None:
    warnings = paired_test("corrected-t").warnings(sampling)
    assert len(warnings) == len(words)
    assert all(word in warning for word, warning in zip(words, warnings, strict=True))
