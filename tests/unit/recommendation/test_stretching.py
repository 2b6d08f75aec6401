"""Times moved to another size: exact power laws, what is not moved, and plain least squares."""

import numpy as np
import pytest

from bestofk.recommendation.advice import stretch_seconds
from bestofk.recommendation.history import History

NAN = float("nan")
SHAPES = np.array([[100, 4], [200, 30], [400, 9], [900, 2], [2000, 60], [5000, 8]], dtype=float)


def history(seconds, shapes=SHAPES):
    return History.from_arrays(np.full(np.shape(seconds), 0.5), seconds, shapes=shapes)


def law(shapes, rows, features, factor=1e-3):
    return factor * shapes[:, 0] ** rows * shapes[:, 1] ** features


def plain_slopes(x, y, center, penalty):
    """Return the slopes of rows of a least squares problem with rows for the penalty."""
    wide = np.vstack([x, np.sqrt(penalty) * np.eye(2)])
    return np.linalg.lstsq(wide, np.append(y, np.sqrt(penalty) * center), rcond=None)[0]


def test_a_law_that_all_learners_follow_is_found():
    seconds = np.column_stack([law(SHAPES, 1.5, 1, factor) for factor in (1e-3, 2e-2, 0.1)])
    moved = stretch_seconds(history(seconds), 10_000, 20)
    expected = law(np.array([[10_000.0, 20.0]]), 1.5, 1)[0] / 1e-3 * np.array([1e-3, 2e-2, 0.1])
    np.testing.assert_allclose(moved.seconds, np.tile(expected, (6, 1)), rtol=0.02)


def test_data_sets_of_the_size_of_the_new_one_keep_their_times():
    seconds = np.random.default_rng(0).lognormal(size=(6, 3))
    moved = stretch_seconds(history(seconds), 400, 9)
    np.testing.assert_allclose(moved.seconds[2], seconds[2], rtol=1e-12)
    assert not np.allclose(moved.seconds[0], seconds[0])


def test_slopes_are_those_of_plain_least_squares():
    rng = np.random.default_rng(1)
    seconds = np.column_stack([law(SHAPES, 1, 1), law(SHAPES, 2, 0.5)]) * rng.lognormal(size=(6, 2))
    seconds[3, 0] = NAN
    logs, sizes = np.log(seconds), np.log(SHAPES)
    parts = []
    for j in range(2):
        there = ~np.isnan(logs[:, j])
        x, y = sizes[there], logs[there, j]
        parts.append((x - x.mean(axis=0), y - y.mean()))
    center = plain_slopes(
        np.vstack([x for x, _ in parts]), np.concatenate([y for _, y in parts]), np.zeros(2), 0.01
    )
    new = np.log([3000.0, 5.0])
    expected = np.column_stack(
        [logs[:, j] + (new - sizes) @ plain_slopes(*parts[j], center, 1.0) for j in range(2)]
    )
    moved = stretch_seconds(history(seconds), 3000, 5)
    np.testing.assert_allclose(np.log(moved.seconds), expected, rtol=1e-9, atol=1e-9)


def test_what_has_no_size_or_no_time_is_not_moved():
    seconds = np.column_stack([law(SHAPES, 1, 1), law(SHAPES, 1, 0)])
    seconds = np.vstack([seconds, [3.0, 4.0]])
    seconds[1, 0] = NAN
    moved = stretch_seconds(history(seconds, np.vstack([SHAPES, [NAN, 4]])), 1000, 10)
    assert moved.seconds[6].tolist() == [3.0, 4.0]
    assert np.isnan(moved.seconds[1, 0])
    assert np.isnan(moved.seconds).sum() == 1


def test_a_learner_without_any_time_is_no_trouble():
    seconds = np.column_stack([law(SHAPES, 1, 1), np.full(6, NAN)])
    moved = stretch_seconds(history(seconds), 10_000, 4)
    assert np.isnan(moved.seconds[:, 1]).all()
    assert moved.seconds[0, 0] == pytest.approx(40.0, rel=0.02)


@pytest.mark.parametrize(
    "seconds", [np.ones((4, 2)), np.full((6, 2), NAN), np.empty((0, 2)), np.empty((6, 0))]
)
def test_fewer_than_five_sizes_say_nothing(seconds):
    given = history(seconds, SHAPES[: len(seconds)])
    assert stretch_seconds(given, 1000, 10) is given


def test_sizes_that_are_all_the_same_move_nothing():
    moved = stretch_seconds(history(np.ones((6, 2)), np.tile([100.0, 4.0], (6, 1))), 100_000, 50)
    np.testing.assert_allclose(moved.seconds, 1.0)


def test_scores_and_names_stay_and_moved_times_cannot_be_written_to():
    given = history(np.ones((6, 2)))
    moved = stretch_seconds(given, 10, 10)
    assert moved.scores is given.scores
    assert moved.learners == given.learners
    with pytest.raises(ValueError, match="read-only"):
        moved.seconds[0] = 0
