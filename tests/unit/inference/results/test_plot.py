"""Pictures of the results of procedures."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from bestofk import inference
from bestofk.errors import InvalidArgumentError

A, B = [0.16, 0.18, 0.20, 0.18], [0.20, 0.21, 0.25, 0.18]
TABLE = np.array([[0.1, 0.2, 0.3], [0.2, 0.3, 0.4], [0.1, 0.3, 0.2], [0.1, 0.2, 0.4]] * 3)


@pytest.fixture(autouse=True)
def _no_window():
    plt.switch_backend("agg")
    yield
    plt.close("all")


@pytest.mark.parametrize(
    ("result", "displays"),
    [
        (lambda: inference.paired_t_test(A, B), ["Difference"]),
        (
            lambda: inference.two_proportion_z_test(0.15, 200, 0.25, 200),
            ["TwoAccuracies", "Difference", "ConfidenceTable"],
        ),
        (lambda: inference.bayesian_signed_rank(A, B), ["PosteriorTriangle"]),
        (
            lambda: inference.bayesian_correlated_t(A, B, n_train=90, n_test=10),
            ["PosteriorDensity"],
        ),
        (lambda: inference.newman_keuls(TABLE), ["NewmanKeuls"]),
        (lambda: inference.nemenyi_test(TABLE), ["CriticalDifference"]),
        (lambda: inference.multi_comparison_matrix(TABLE), ["MultiComparisonMatrix"]),
        (lambda: inference.roc_convex_hull([("A", 0.1, 0.5), ("B", 0.2, 0.6)]), ["RocHull"]),
    ],
)
def test_a_result_draws_its_pictures_the_usual_one_first(result, displays):
    given = result()
    drawn = [given.plot(kind) for kind, _ in given.pictures]
    assert [type(item).__name__ for item in drawn] == [f"{name}Display" for name in displays]
    assert type(given.plot()) is type(drawn[0])


def test_axes_and_names_are_those_given():
    _, ax = plt.subplots()
    drawn = inference.paired_t_test(A, B).plot(ax=ax, names=("lda", "cart"), level=0.9)
    assert drawn.ax_ is ax
    assert "lda" in ax.get_xlabel() + ax.get_title() + "".join(t.get_text() for t in ax.texts)
    assert not drawn.contains_zero


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(InvalidArgumentError, match="must be one that can be drawn; got that of"):
        inference.friedman_test(TABLE).plot()
    with pytest.raises(InvalidArgumentError, match="must be a picture of the result; got 'diff'"):
        inference.paired_t_test(A, B).plot("diff")
