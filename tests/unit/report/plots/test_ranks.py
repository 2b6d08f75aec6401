"""Critical-difference diagram, underlines and matrix: what they say of K learners."""

import numpy as np
import pytest
from tests.unit.report.plots.written import caption_of, labels_of

from bestofk.errors import InvalidArgumentError
from bestofk.inference import (
    bonferroni_dunn_test,
    multi_comparison_matrix,
    nemenyi_test,
    newman_keuls,
)
from bestofk.report.plots import (
    CriticalDifferenceDisplay,
    MultiComparisonMatrixDisplay,
    NewmanKeulsDisplay,
)
from bestofk.report.plots.orders import POOL_WARNING

LOSSES = np.array([[0.1, 0.2, 0.3], [0.2, 0.3, 0.4], [0.1, 0.3, 0.2], [0.1, 0.2, 0.4]] * 3)
NAMES = ["lda", "cart", "1nn"]
FOLDS = np.array([[0.20, 0.22, 0.21], [0.30, 0.29, 0.31], [0.21, 0.22, 0.23]])


def texts(display):
    texts = " ".join(" ".join(text.get_text().split()) for text in labels_of(display))
    return f"{texts} {caption_of(display)}"


def test_learners_are_joined_if_their_ranks_differ_by_less_than_the_critical_difference():
    display = CriticalDifferenceDisplay(["a", "b", "c"], [1.0, 2.0, 3.0], 1.0)
    assert display.groups() == []
    display = CriticalDifferenceDisplay(["c", "a", "b"], [3.0, 1.0, 2.0], 1.001)
    assert display.groups() == [["a", "b"], ["b", "c"]]
    rows = [["a", 1.0, "1"], ["b", 2.0, "1 2"], ["c", 3.0, "2"]]
    assert display.to_frame().values.tolist() == rows


def test_the_diagram_takes_the_numbers_of_the_nemenyi_test():
    result = nemenyi_test(LOSSES, names=NAMES)
    display = CriticalDifferenceDisplay.from_result(result)
    np.testing.assert_allclose(display.average_ranks, [1.0, 2.25, 2.75])
    assert display.critical_difference == result.critical_difference
    assert display.n_data_sets == 12
    assert display.groups() == [["cart", "1nn"]]
    shown = result.p_adjusted[1, 2] <= 0.05
    assert not shown


def test_the_diagram_is_never_drawn_without_its_warning():
    display = CriticalDifferenceDisplay(["a", "b"], [1.2, 1.8], 0.4).plot()
    assert POOL_WARNING in texts(display)
    display = CriticalDifferenceDisplay(["a", "b"], [1.2, 1.8], 0.4, warnings=["Without c."]).plot()
    assert "Without c." in texts(display)


def test_with_a_control_one_bar_reaches_to_both_sides_of_it():
    result = bonferroni_dunn_test(LOSSES, names=NAMES, control="cart")
    display = CriticalDifferenceDisplay.from_result(result)
    assert display.groups() == [["cart", "1nn"]]
    ((low, high),) = display._bars()
    assert low == pytest.approx(2.25 - result.critical_difference)
    assert high == 3
    alone = CriticalDifferenceDisplay(["a", "b"], [1.2, 1.8], 0.4, control="a")
    assert alone.groups() == []


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((["a"], [1.0], 0.5), {}, "names must be at least 2 learners; got 1"),
        ((["a", "b"], [1.0, 2.0], 0.0), {}, "critical_difference must be a positive number"),
        ((["a", "b"], [1.0, 2.0], np.nan), {}, "critical_difference must be a positive number"),
        ((["a", "b"], [1.0, 2.0], 1.0), {"control": "c"}, "control must be one of the learners"),
        ((["a", "b"], [1.0, np.nan], 1.0), {}, "average_ranks must be a list of finite"),
    ],
)
def test_a_diagram_of_nothing_is_refused(arguments, options, message):
    with pytest.raises(InvalidArgumentError, match=message):
        CriticalDifferenceDisplay(*arguments, **options)


def test_a_result_without_a_critical_difference_is_refused():
    matrix = multi_comparison_matrix(LOSSES, names=NAMES)
    with pytest.raises(InvalidArgumentError, match="result must have a critical difference"):
        CriticalDifferenceDisplay.from_result(matrix)


def test_underlines_are_read_in_ascending_order_of_the_means():
    display = NewmanKeulsDisplay(
        ["a", "b", "c"], [0.3, 0.1, 0.2], [["a", "c"], ["c", "b"]], measure_title="error"
    )
    assert display.underlines == [["b", "c"], ["c", "a"]]
    assert display.to_frame()["underlines"].tolist() == ["1", "1 2", "2"]


def test_underlines_come_from_the_test():
    result = newman_keuls(FOLDS.T, names=NAMES)
    display = NewmanKeulsDisplay.from_result(result, measure_title="error rate").plot()
    assert display.underlines == [["lda", "1nn"]]
    np.testing.assert_allclose(display.means, [0.21, 0.30, 0.22])
    assert "Newman-Keuls test at 0.05." in texts(display)
    assert "does not hold the level for the family" in texts(display)
    assert display.ax_.get_xlabel() == "mean error rate (%)"


@pytest.mark.parametrize("line", [["a", "c"], ["a", "x"], []])
def test_an_underline_with_a_gap_or_an_unknown_learner_is_refused(line):
    with pytest.raises(InvalidArgumentError, match="underlines must name all learners between"):
        NewmanKeulsDisplay(["a", "b", "c"], [0.1, 0.2, 0.3], [line], measure_title="error")


def test_the_matrix_takes_the_numbers_of_the_result_best_average_rank_first():
    order = [2, 0, 1]
    names = [NAMES[i] for i in order]
    result = multi_comparison_matrix(LOSSES[:, order], names=names)
    display = MultiComparisonMatrixDisplay.from_result(result, measure_title="error rate")
    assert display.names == NAMES
    frame = display.to_frame()
    pairs = [["lda", "cart"], ["lda", "1nn"], ["cart", "1nn"]]
    assert frame[["first", "second"]].values.tolist() == pairs
    assert frame[["wins", "ties", "losses"]].values.tolist() == [[12, 0, 0], [12, 0, 0], [9, 0, 3]]
    np.testing.assert_allclose(frame["mean_difference"], [-0.125, -0.2, -0.075])
    raw = MultiComparisonMatrixDisplay.from_result(result, adjusted=False).to_frame()["p_value"]
    assert (frame["p_value"] >= raw).all()
    assert frame["p_value"][0] > raw[0]


def matrix_of_two(**changes):
    ones = np.ones((2, 2))
    given = {"wins": ones, "ties": ones, "p_value": ones, "measure_title": "score"} | changes
    return MultiComparisonMatrixDisplay(["a", "b"], [[0, -0.02], [0.02, 0]], **given).plot()


def test_cells_say_difference_tally_and_p_and_significant_ones_are_bold():
    tallies = {"wins": [[0, 9], [3, 0]], "ties": [[0, 2], [2, 0]]}
    display = matrix_of_two(**tallies, p_value=[[1, 0.0001], [0.0001, 1]])
    cells = {text.get_text(): text.get_fontweight() for text in display.ax_.texts}
    assert cells["-0.0200\n9/2/3\np < 0.001"] == "bold"
    assert cells["+0.0200\n3/2/9\np < 0.001"] == "bold"


def test_the_color_follows_who_is_better_not_the_sign():
    less, more = (
        matrix_of_two(greater_is_better=greater).ax_.images[0].get_array()[0, 1, 2]
        for greater in (False, True)
    )
    assert less > 0.7 > 0.4 > more


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"names": ["a"]}, "names must be at least 2 learners"),
        ({"mean_difference": [[0, 1]]}, "mean_difference must have one row and one column per"),
        ({"mean_difference": [[0, np.nan], [0, 0]]}, "got nan at learner 1 and 2"),
        ({"p_value": [[0, 1.5], [1.5, 0]]}, "p_value must be probabilities; got 0 to 1.5"),
        ({"levels": [1.0]}, r"levels must be one per learner \(2\); got 1"),
    ],
)
def test_a_matrix_that_does_not_fit_is_refused(changes, message):
    zeros = np.zeros((2, 2))
    given = dict.fromkeys(["mean_difference", "wins", "ties", "p_value"], zeros)
    given |= {"names": ["a", "b"], "measure_title": "error"} | changes
    with pytest.raises(InvalidArgumentError, match=message):
        MultiComparisonMatrixDisplay(**given)


def test_a_matrix_against_a_control_is_refused():
    result = multi_comparison_matrix(LOSSES, names=NAMES, control="lda")
    with pytest.raises(InvalidArgumentError, match="must be finite outside the diagonal"):
        MultiComparisonMatrixDisplay.from_result(result)
