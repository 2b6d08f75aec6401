import itertools

import numpy as np
import pytest
from scipy.stats import t as student

from bestofk.errors import InvalidArgumentError
from bestofk.inference import PairedComparison, Sampling, paired_test
from bestofk.inference.many_learners.pair_evidence import compare_all
from bestofk.verdict.classical_rules import comparisons_with_best

LOSSES = np.array([[0.20, 0.22, 0.21, 0.23], [0.30, 0.33, 0.32, 0.33], [0.21, 0.21, 0.22, 0.24]])


def compared(losses: np.ndarray, ratio: float = 1 / 3) -> PairedComparison:
    sampling = Sampling("k-fold", 1, losses.shape[1], n_train=100, n_test=100 * ratio)
    return compare_all(losses.T, paired_test("corrected-t"), sampling).compared


def test_bounds_are_those_by_hand() -> None:
    c = student.ppf(1 - 0.05 / 2, 3)
    comparisons = comparisons_with_best(compared(LOSSES))
    mean, error = np.zeros((3, 3)), np.zeros((3, 3))
    for i, j in itertools.permutations(range(3), 2):
        d = LOSSES[i] - LOSSES[j]
        mean[i, j], error[i, j] = d.mean(), np.sqrt((1 / 4 + 1 / 3) * d.var(ddof=1))
    assert comparisons.may_be_best.tolist() == [True, False, True]
    np.testing.assert_allclose(comparisons.excess, [mean[0, 2], mean[1, 0], mean[2, 0]])
    np.testing.assert_allclose(
        comparisons.high,
        [
            mean[0, 2] + c * error[0, 2],
            max(mean[1, 0] + c * error[1, 0], mean[1, 2] + c * error[1, 2]),
            mean[2, 0] + c * error[2, 0],
        ],
    )
    np.testing.assert_allclose(
        comparisons.low,
        [
            max(mean[0, 2] - c * error[0, 2], mean[0, 1] - c * error[0, 1]),
            0,
            max(mean[2, 0] - c * error[2, 0], mean[2, 1] - c * error[2, 1]),
        ],
    )


def test_the_only_one_left_is_not_above_the_best() -> None:
    comparisons = comparisons_with_best(compared(LOSSES[:2]))
    assert comparisons.may_be_best.tolist() == [True, False]
    assert comparisons.high[0] == 0
    assert comparisons.low[1] == 0
    assert (
        comparisons.low[0] < comparisons.excess[0] < 0 < comparisons.excess[1] < comparisons.high[1]
    )


@pytest.mark.parametrize("shift", [0, 0.1])
def test_differences_without_variance_bound_nothing(shift) -> None:
    comparisons = comparisons_with_best(compared(LOSSES[[0, 0]] + [[0], [shift]]))
    assert comparisons.may_be_best.tolist() == [True, True]
    assert comparisons.excess == pytest.approx([-shift, shift])
    assert comparisons.low.tolist() == [-np.inf, -np.inf]
    assert comparisons.high.tolist() == [np.inf, np.inf]


def test_one_learner_is_the_best() -> None:
    comparisons = comparisons_with_best(compared(LOSSES[:1]))
    assert comparisons.to_frame().values.tolist() == [["learner 1", 0.0, 0.0, 0.0, True]]


def test_all_bounds_hold_together_at_their_level() -> None:
    # independent normal losses: the plain paired t is right, and so are the bounds
    rng = np.random.default_rng(0)
    truth, held, left = np.array([0.0, 0.0, 0.3, 1.0]), 0, 0
    excess = np.array([0.0, 0.0, 0.3, 1.0])
    for _ in range(400):
        losses = rng.normal(size=(4, 8)) / 2 + truth[:, None]
        comparisons = comparisons_with_best(compared(losses, 1e-12), alpha=0.1)
        held += bool(
            (comparisons.low <= excess).all() and (excess <= comparisons.high + 1e-12).all()
        )
        left += bool(comparisons.may_be_best[:2].all())
    assert held / 400 >= 0.9 - 3 * np.sqrt(0.09 / 400)
    assert left / 400 >= 0.9 - 3 * np.sqrt(0.09 / 400)


def test_more_confidence_has_wider_bounds() -> None:
    wide, narrow = (comparisons_with_best(compared(LOSSES), alpha=a) for a in (0.01, 0.2))
    assert (wide.high >= narrow.high).all()
    assert (wide.low <= narrow.low).all()


def test_bad_input_is_refused() -> None:
    test, sampling = paired_test("corrected-t"), Sampling("k-fold", 1, 4, n_train=75, n_test=25)
    one_pair = test.compare(LOSSES[0] - LOSSES[1], sampling)
    with pytest.raises(InvalidArgumentError, match=r"fields of shape \(\)"):
        comparisons_with_best(one_pair)
    with pytest.raises(InvalidArgumentError, match="alpha must be a number above 0"):
        comparisons_with_best(compared(LOSSES), alpha=1)
    with pytest.raises(InvalidArgumentError, match="names must be one per learner"):
        comparisons_with_best(compared(LOSSES), names=["cart"])
