"""Matrix of R: whose numbers, in which order, and readable on every shade."""

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from tests.unit.report.given_findings import findings
from tests.unit.report.plots.written import labels_of

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import reproducibility_r
from bestofk.inference.many_learners.reseeding import Chance, Reseeding
from bestofk.report.plots.matrices import ReproducibilityMatrixDisplay

ESTIMATES = np.transpose([[0.8, 0.8, 0.9, 0.7], [0.9, 0.9, 0.8, 0.9], [0.1, 0.2, 0.1, 0.1]])


def luminance(color):
    """Relative luminance of WCAG 2."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(color)]
    return np.dot(linear, [0.2126, 0.7152, 0.0722])


def test_learners_stand_in_the_order_of_their_estimates_with_the_r_of_each_pair():
    display, turned = (
        ReproducibilityMatrixDisplay.from_estimates(ESTIMATES, list("abc"), greater_is_better=more)
        for more in (True, False)
    )
    assert display.names == ["b", "a", "c"]
    assert display.to_frame().values.tolist() == [["b", "a", 0.5], ["b", "c", 1], ["a", "c", 1]]
    assert display.values[0, 1] == reproducibility_r(ESTIMATES[:, 1], ESTIMATES[:, 0])
    assert turned.names == ["c", "a", "b"]


def test_every_cell_outside_the_diagonal_says_its_number():
    display = ReproducibilityMatrixDisplay([[9, 0.5, 1], [0.5, 9, 0.996], [1, 0.996, 9]], "abc")
    written = {text.get_position(): text.get_text() for text in labels_of(display.plot())}
    assert len(written) == 6
    assert written[1, 0] == written[0, 1] == "0.50"
    assert written[2, 0] == "1"
    assert written[1, 2] == "1.00"


def test_numbers_are_readable_on_every_shade():
    k = 21
    shades = np.linspace(0, 1, k)
    values = np.zeros((k, k))
    values[0], values[:, 0] = shades, shades
    drawn = ReproducibilityMatrixDisplay(values, [str(i) for i in range(k)]).plot()
    ground = drawn.ax_.images[0].get_array()
    for text in labels_of(drawn):
        j, i = text.get_position()
        light, dark = sorted([luminance(text.get_color()), luminance(ground[i, j, :3])])[::-1]
        # the contrast that WCAG 2 asks of text
        assert (light + 0.05) / (dark + 0.05) >= 4.5


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([[0]], r"one row and one column per learner, at least 2; got shape \(1, 1\)"),
        ([0.5, 0.5], r"got shape \(2,\)"),
        (0.5, r"got shape \(\)"),
        ([[0, 1.2], [1.2, 0]], "must be from 0 to 1 and symmetric"),
        ([[0, np.nan], [np.nan, 0]], "must be from 0 to 1 and symmetric"),
        ([[0, 0.1], [0.2, 0]], r"symmetric; got \[\[0\.0, 0\.1\], \[0\.2, 0\.0\]\]"),
    ],
)
def test_what_is_no_matrix_of_shares_is_refused(values, message):
    with pytest.raises(InvalidArgumentError, match=message):
        ReproducibilityMatrixDisplay(values, "ab")


def test_names_and_estimates_must_fit():
    with pytest.raises(InvalidArgumentError, match="names must be 2 different ones"):
        ReproducibilityMatrixDisplay([[0, 0.5], [0.5, 0]], "abc")
    with pytest.raises(DesignError, match="estimates of reproducibility_matrix must be finite"):
        ReproducibilityMatrixDisplay.from_estimates(
            [[0.1, np.nan], [0.1, 0.2]], "ab", greater_is_better=True
        )


def test_findings_bring_their_matrix_in_the_order_of_the_verdict():
    # learners are given in the reverse order of the verdict
    k = 5
    matrix = np.abs(np.subtract.outer(np.arange(k), np.arange(k))) / 10
    matrix[0, 4] = matrix[4, 0] = 1.0
    sure = Chance(1.0, 1.0, 1.0)
    given = findings(reseeding=Reseeding(sure, sure, sure, matrix, 5))
    made = ReproducibilityMatrixDisplay.from_findings(given)
    assert made.names == given.verdict.order
    frame = made.to_frame().set_index(["first", "second"])["value"]
    assert frame["logistic", "majority"] == 1.0
    assert frame["logistic", "cart"] == pytest.approx(0.1)
    assert "by the same rows" in made.meaning


def test_a_learner_that_is_not_ranked_has_no_row():
    sure = Chance(1.0, 1.0, 1.0)
    matrix = np.array([[0, 0.2, 0.3], [0.2, 0, 0.4], [0.3, 0.4, 0]])
    order = ["logistic", "nearest-mean", "cart"]  # given: nearest-mean, cart, logistic
    seeds = Reseeding(sure, None, sure, matrix, 5)
    given = findings(verdict={"order": order, "edges": []}, reseeding=seeds)
    frame = ReproducibilityMatrixDisplay.from_findings(given).to_frame()
    pairs = [["logistic", "nearest-mean"], ["logistic", "cart"], ["nearest-mean", "cart"]]
    assert frame[["first", "second"]].values.tolist() == pairs
    assert frame["value"].tolist() == [0.3, 0.4, 0.2]


def test_findings_that_say_nothing_of_other_seeds_are_refused():
    with pytest.raises(InvalidArgumentError, match="must include other seeds"):
        ReproducibilityMatrixDisplay.from_findings(findings())
