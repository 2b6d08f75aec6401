"""Running means with their bands, stops and changes of order, as numbers and as a picture."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from tests.unit.report.given_findings import findings
from tests.unit.report.plots.written import headline_of

from bestofk import compare
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.report.plots.repeats import RunningMeansDisplay, repeat_scores
from bestofk.stopping.history import Elimination, StoppingHistory

NAN = float("nan")
# running means 0.1, 0.2, 0.3 against 0.2, 0.15, 0.15: they cross at the second repeat
VALUES = [[0.1, 0.3, 0.5], [0.2, 0.1, 0.15]]


def display(values=VALUES, names=("lda", "cart"), **options):
    options = {"measure_title": "error rate"} | options
    return RunningMeansDisplay(np.transpose(values), names, **options)


def vertical_lines(drawn):
    """Return repeat and style of the lines that cross the whole picture."""
    return {
        (int(line.get_xdata()[0]), line.get_linestyle())
        for line in drawn.ax_.lines
        if list(line.get_ydata()) == [0, 1]
    }


def test_the_table_has_one_row_per_learner_and_repeat_done():
    frame = display([[0.1, 0.3, 0.5], [0.2, NAN, NAN]], stops={"cart": (1, "budget")}).to_frame()
    assert frame["learner"].tolist() == ["lda"] * 3 + ["cart"]
    assert frame["n_repeats"].tolist() == [1, 2, 3, 1]
    assert frame["score"].tolist() == [0.1, 0.3, 0.5, 0.2]
    np.testing.assert_allclose(frame["running_mean"], [0.1, 0.2, 0.3, 0.2])
    np.testing.assert_allclose(frame["standard_error"], [NAN, 0.1, 0.2 / 3**0.5, NAN])
    assert frame["stopped"].tolist() == ["", "", "", "budget"]


def test_last_changes_are_those_of_first_place_and_of_any_pair():
    assert display().last_changes() == (2, 2)
    # the best of the losses is the last one, whom nobody crosses
    three = display([*VALUES, [0.0, 0.0, 0.0]], ["lda", "cart", "svm"])
    assert three.last_changes() == (0, 2)
    assert display([[0.1], [0.2]]).last_changes() == (0, 0)


def test_the_first_place_hangs_on_the_direction():
    rows, names = [*VALUES, [0.0, 0.0, 0.0]], ["lda", "cart", "svm"]
    assert display(rows, names, greater_is_better=True).last_changes() == (2, 2)
    assert display(rows, names, greater_is_better=False).last_changes() == (0, 2)


@pytest.mark.parametrize(
    ("values", "says", "lines"),
    [
        (VALUES, "First place and order last changed at repeat 2 of 3 (dashed)", {(2, "--")}),
        ([[0.1, 0.1], [0.2, 0.2]], "The order never changed in 2 repeats", set()),
        ([[0.1], [0.2]], "The order never changed in 1 repeat", set()),
        (
            [*VALUES, [0.0, 0.0, 0.0]],
            "First place never changed, order of all at repeat 2 of 3 (dashed)",
            {(2, "--")},
        ),
        (
            # the second learner takes first place from the first, which then falls behind the third
            [[1, 4, 1, 12], [2, 2, 2, 2], [4, 4, 4, 4]],
            "First place last changed at repeat 2 (dotted), order of all at repeat 4 of 4",
            {(2, ":"), (4, "--")},
        ),
    ],
)
def test_the_headline_and_the_lines_say_when_the_order_last_changed(values, says, lines):
    names = ["lda", "cart", "svm"][: len(values)]
    drawn = display(values, names).plot()
    assert headline_of(drawn).startswith(says)
    assert vertical_lines(drawn) == lines


def test_a_learner_alone_has_no_order():
    drawn = display([[0.1, 0.2]], ["lda"]).plot()
    assert headline_of(drawn) == ""


def test_a_stop_that_is_of_nobody_or_after_the_end_is_refused():
    message = r"stops must name a learner and a count of repeats from 1 to 3; got 'svm' after 2"
    with pytest.raises(InvalidArgumentError, match=message):
        display(stops={"svm": (2, "x")})
    with pytest.raises(InvalidArgumentError, match="got 'lda' after 4"):
        display(stops={"lda": (4, "x")})
    with pytest.raises(InvalidArgumentError, match="got 'lda' after 0"):
        display(stops={"lda": (0, "x")})


def test_the_band_is_one_standard_error_to_both_sides():
    drawn = display([[0.1, 0.3]], ["lda"]).plot()
    corners = drawn.ax_.collections[0].get_paths()[0].vertices
    at_two = corners[corners[:, 0] == 2][:, 1]
    assert (at_two.min(), at_two.max()) == (pytest.approx(0.1), pytest.approx(0.3))


def test_a_mean_is_held_after_the_last_repeat_of_a_learner():
    drawn = display([[0.1, 0.3, NAN, NAN], [0.2] * 4]).plot()
    ends = [line.get_xydata()[-1].tolist() for line in drawn.ax_.lines[:2]]
    assert ends == [[2, pytest.approx(0.2)], [4, pytest.approx(0.2)]]


def test_no_repeat_at_all_and_what_is_no_table_are_refused():
    with pytest.raises(InvalidArgumentError, match="must hold at least one repeat; got none"):
        display([[NAN], [NAN]])
    with pytest.raises(DesignError, match="values of RunningMeansDisplay must be a table"):
        display([0.1, 0.2])
    with pytest.raises(InvalidArgumentError, match=r"names must be one per learner \(2\)"):
        display(names=["lda"])


def test_a_comparison_gives_repeats_of_the_deciding_measure_in_the_order_of_the_verdict():
    result = compare(["majority", "nearest-mean"], "iris", cv="5x2", prefer="given")
    names, values = repeat_scores(result)
    assert names == ["nearest-mean", "majority"]
    rows = result.to_frame().query("measure == 'error' and learner == 'nearest-mean'")
    expected = rows.groupby("repeat")["value"].mean()
    np.testing.assert_allclose(values[:, 0], expected)
    shown = RunningMeansDisplay.from_comparison(result, stops={"majority": (3, "constant")})
    assert shown.names == names
    assert not shown.greater_is_better
    np.testing.assert_array_equal(shown.values, values)


def test_a_repeat_with_a_missing_fold_is_not_done():
    scores = SimpleNamespace(values=np.array([[0.1, 0.2, NAN, 0.4]]))
    comparison = SimpleNamespace(
        evaluation=SimpleNamespace(names=["lda"], plan=SimpleNamespace(n_folds=2)),
        findings=SimpleNamespace(ordered=lambda: [SimpleNamespace(name="lda")]),
        scores=[scores],
    )
    np.testing.assert_allclose(repeat_scores(comparison)[1], [[0.15], [NAN]])


def stopping_history(eliminations, n_repeats=3):
    return StoppingHistory(
        n_repeats, 50, 2, (n_repeats,), tuple(eliminations), "settled", True, 0.05
    )


def adaptive_findings(**changes):
    """Return findings of three repeats of two folds; majority has left after the first two."""
    scores = {name: np.arange(6) / 100 for name in ("logistic", "cart", "1nn", "nearest-mean")}
    scores["majority"] = np.array([0.5, 0.7, 0.6, 0.7])
    given = {
        "learners": {name: {"scores": values} for name, values in scores.items()},
        "repeat_of_split": np.array([0, 0, 1, 1, 2, 2]),
        "stopping_history": stopping_history(
            [Elimination("majority", 2, "logistic stays ahead in the long run")]
        ),
    }
    return findings(**(given | changes))


def test_findings_give_the_means_of_repeats_and_who_left():
    made = RunningMeansDisplay.from_findings(adaptive_findings())
    assert made.names[0] == "logistic"
    np.testing.assert_allclose(made.values[:, 0], [0.005, 0.025, 0.045])
    np.testing.assert_allclose(made.values[:, made.names.index("majority")], [0.6, 0.65, NAN])
    assert made.stops == {"majority": (2, "out")}


def test_a_repeat_of_which_a_split_does_not_count_is_no_repeat():
    made = RunningMeansDisplay.from_findings(
        adaptive_findings(repeat_of_split=np.array([0, 0, 1, 3, 2, 2]), stopping_history=None)
    )
    np.testing.assert_allclose(made.values[:, 0], [0.005, NAN, 0.045, NAN])
    assert made.stops == {}


def test_learners_that_take_no_part_or_left_at_the_end_have_no_stop():
    left = [
        Elimination("majority", 2, "too many runs gave no score"),
        Elimination("1nn", 3, "ahead"),
    ]
    given = adaptive_findings(stopping_history=stopping_history(left))
    out = replace(given.learner("majority"), left_out="2 of 4 runs failed")
    learners = [out if learner.name == "majority" else learner for learner in given.learners]
    made = RunningMeansDisplay.from_findings(replace(given, learners=learners))
    assert "majority" not in made.names
    assert made.stops == {}


def test_an_adaptive_comparison_brings_its_stops_along():
    result = compare(["majority", "nearest-mean", "lda"], "iris", max_repeats=8, progress=False)
    made = RunningMeansDisplay.from_comparison(result)
    history = result.stopping_history
    left = {item.learner: item.n_repeats for item in history.eliminations}
    early = {name: after for name, after in left.items() if after < history.n_repeats}
    assert {name: after for name, (after, _) in made.stops.items()} == early
    of_findings = RunningMeansDisplay.from_findings(result.findings)
    assert of_findings.names == made.names
    np.testing.assert_allclose(of_findings.values, made.values, rtol=0, atol=1e-12)
