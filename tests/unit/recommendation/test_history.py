"""A history checks what it is made of, cannot be changed, and can be cut."""

import numpy as np
import pandas as pd
import pytest

from bestofk.errors import InvalidArgumentError
from bestofk.recommendation.history import History, join_histories

NAN = float("nan")
SCORES = [[0.9, 0.7, NAN], [0.8, 0.85, 0.6]]
SECONDS = [[2.0, 0.0, NAN], [5.0, 0.2, 1.0]]


def history(**others):
    return History.from_arrays(
        SCORES, SECONDS, data_sets=["iris", "wine"], learners=["tree", "knn", "svm"], **others
    )


def test_names_and_states_are_made_where_none_are_given():
    made = History.from_arrays([[0.9, NAN]])
    assert made.data_sets == ("data set 1",)
    assert made.learners == ("learner 1", "learner 2")
    assert made.states.tolist() == [["ok", "missing"]]
    assert np.isnan(made.seconds).all()
    assert not made.has_seconds


def test_the_lowest_score_of_a_row_stands_where_no_default_is_known():
    assert history().default_scores.tolist() == [0.7, 0.6]
    assert history(default_scores=[NAN, 0.3]).default_scores.tolist() == [0.7, 0.3]
    assert History.from_arrays([[NAN, NAN], [0.5, 0.4]]).default_scores.tolist() == [0.0, 0.4]


@pytest.mark.parametrize("shape", [(0, 3), (0, 0), (2, 0)])
def test_a_history_may_be_empty(shape):
    empty = History.from_arrays(np.empty(shape), np.empty(shape))
    assert (empty.n_data_sets, empty.n_learners) == shape
    assert empty.default_scores.shape == shape[:1]
    assert empty.has_seconds


def test_every_score_needs_its_time_but_a_time_needs_no_score():
    assert history().has_seconds
    assert History.from_arrays([[NAN]], [[3.0]]).has_seconds
    assert not History.from_arrays([[0.5]], [[NAN]]).has_seconds


def test_times_below_a_millisecond_count_as_one():
    np.testing.assert_array_equal(history().floored_seconds(), [[2.0, 0.001, NAN], [5.0, 0.2, 1.0]])


def test_nothing_can_be_written_and_what_was_handed_over_stays_free():
    given = np.array(SCORES)
    made = History.from_arrays(given)
    for values in (made.scores, made.seconds, made.default_scores, made.shapes, made.states):
        with pytest.raises(ValueError, match="read-only"):
            values[0] = 0
    given[0, 0] = 0.1
    assert made.scores[0, 0] == 0.9


def test_a_part_keeps_all_that_belongs_to_its_cells():
    shapes = [[150, 4], [178, 13]]
    part = history(shapes=shapes, default_scores=[0.3, 0.4], notes=["old"]).part(
        data_sets=[1], learners=[2, 0]
    )
    assert part.data_sets == ("wine",)
    assert part.learners == ("svm", "tree")
    assert part.scores.tolist() == [[0.6, 0.8]]
    assert part.seconds.tolist() == [[1.0, 5.0]]
    assert part.default_scores.tolist() == [0.4]
    assert part.shapes.tolist() == [[178, 13]]
    assert part.notes == ("old",)


def test_without_leaves_out_one_data_set():
    assert history().without(0).data_sets == ("wine",)
    assert history().without(0).scores.tolist() == [SCORES[1]]


def test_a_frame_has_one_row_per_cell():
    frame = history(states=[["ok", "ok", "timeout"], ["ok"] * 3]).to_frame()
    assert list(frame.columns) == ["data_set", "learner", "state", "accuracy", "seconds"]
    third = frame.iloc[2]
    assert (third["data_set"], third["learner"], third["state"]) == ("iris", "svm", "timeout")
    assert np.isnan(third["accuracy"])
    assert frame["seconds"].iloc[3] == 5.0


def test_it_prints_its_size_its_cells_and_its_notes():
    made = history(notes=["from two machines"])
    assert repr(made) == "History(2 data sets x 3 learners, accuracy)"
    assert str(made).splitlines()[1:] == ["cells: 1 missing, 5 ok", "from two machines"]


def test_frames_of_pandas_are_taken():
    frame = pd.DataFrame(SCORES, index=["a", "b"], columns=["x", "y", "z"])
    made = History.from_arrays(frame, data_sets=frame.index, learners=frame.columns)
    assert made.data_sets == ("a", "b")
    assert made.learners == ("x", "y", "z")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scores": [0.9, 0.8]}, r"scores of a history must be a table .* got shape \(2,\)"),
        ({"scores": [["good"]]}, "scores of a history must be a table of numbers"),
        ({"scores": [[0.9], [0.8, 0.7]]}, "scores of a history must be a table of numbers"),
        ({"scores": [[90.0]]}, "from 0 to 1, higher is better; got 90 for learner 1 on data set 1"),
        ({"scores": [[np.inf]]}, "from 0 to 1, higher is better; got inf"),
        ({"seconds": [[1.0]]}, r"seconds of a history must have the shape .* got \(1, 1\)"),
        ({"seconds": [[1.0, -2.0]]}, "at least 0 and finite; got -2 for learner 2"),
        ({"seconds": [[1.0, np.inf]]}, "at least 0 and finite; got inf"),
        ({"seconds": [["soon", 1.0]]}, "seconds of a history must be a table of numbers"),
        ({"learners": ["a"]}, r"learners of a history must be as many names .* \(2\); got 1"),
        ({"learners": ["a", "a"]}, "learners of a history must be different; got a more than once"),
        ({"data_sets": "wine"}, r"data_sets of a history must be as many names .* got 4"),
        ({"default_scores": [0.1, 0.2]}, "default_scores of a history must be 1 scores"),
        ({"default_scores": [1.5]}, "default_scores of a history must be 1 scores from 0 to 1"),
        ({"default_scores": ["low"]}, "default_scores of a history must be 1 scores from 0 to 1"),
        ({"shapes": [[150, 4], [1, 1]]}, r"shapes of a history must be \(1, 2\)"),
        ({"states": [["ok"]]}, r"states of a history must have the shape .* got \(1, 1\)"),
    ],
)
def test_wrong_figures_are_told_with_their_rule(options, message):
    given = {"scores": [[0.9, 0.8]], **options}
    with pytest.raises(InvalidArgumentError, match=message):
        History.from_arrays(**given)


def test_joined_histories_keep_the_nearer_row_of_a_data_set_and_the_learners_of_both():
    first = History.from_arrays(
        [[0.9], [0.8]], [[1.0], [2.0]], data_sets=["iris", "wine"], learners=["lda"],
        shapes=[[150, 4], [178, 13]], machines=["here"],
    )  # fmt: skip
    second = History.from_arrays(
        [[0.7, 0.95]], [[3.0, 4.0]], data_sets=["iris"], learners=["cart", "lda"],
        shapes=[[150, 4]], machines=["there"],
    )  # fmt: skip
    both = join_histories(first, second)
    assert both.data_sets == ("wine", "iris")
    assert both.learners == ("lda", "cart")
    np.testing.assert_array_equal(both.scores, [[0.8, np.nan], [0.95, 0.7]])
    np.testing.assert_array_equal(both.seconds, [[2.0, np.nan], [4.0, 3.0]])
    assert both.states.tolist() == [["ok", "missing"], ["ok", "ok"]]
    assert both.notes == ("Times come from 2 machines and may not compare.",)


def test_a_data_set_of_the_same_name_and_another_size_is_another():
    first, second = (
        History.from_arrays([[0.9]], data_sets=["data"], shapes=[[n, 4]]) for n in (100, 200)
    )
    assert join_histories(first, second).data_sets == ("data (100 rows)", "data")


def test_histories_of_another_measure_are_not_joined():
    first = History.from_arrays([[0.9]], data_sets=["a"])
    second = History.from_arrays([[0.9]], data_sets=["b"], measure="auroc")
    with pytest.raises(InvalidArgumentError, match="measure of histories that are joined must be"):
        join_histories(first, second)
