from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Text
from tests.unit.report.given_displays import OF_MANY, OF_TWO

from bestofk.errors import InvalidArgumentError
from bestofk.report.plots.base import finite_list, name_list
from bestofk.report.plots.drawing import GRAY, joined_runs, spread
from bestofk.report.plots.labels import better_names
from bestofk.report.svg import inline_svg

SOME = {**OF_TWO, **{name: lambda make=make: make(8) for name, make in OF_MANY.items()}}
ANY = {**OF_TWO, **{name: lambda make=make: make(4) for name, make in OF_MANY.items()}}


@pytest.fixture(autouse=True)
def _no_window():
    import matplotlib.pyplot as plt

    plt.switch_backend("agg")
    yield
    plt.close("all")


def page_holds(figure):
    """Return whether all that is drawn lies on the page, within one hundredth of an inch."""
    figure.canvas.draw()
    drawn = figure.get_tightbbox()
    width, height = figure.get_size_inches()
    low, high = np.array([drawn.x0, drawn.y0]), np.array([drawn.x1 - width, drawn.y1 - height])
    return (low > -0.01).all() and (high < 0.01).all()


@pytest.mark.parametrize("name", OF_TWO)
def test_a_picture_of_two_learners_fits_its_page(name):
    assert page_holds(OF_TWO[name]().plot().figure_)


@pytest.mark.parametrize("k", [2, 20])
@pytest.mark.parametrize("name", OF_MANY)
def test_a_picture_of_few_or_many_learners_fits_its_page(name, k):
    assert page_holds(OF_MANY[name](k).plot().figure_)


@pytest.mark.parametrize("name", ANY)
def test_a_display_has_numbers_and_draws_on_the_given_axes_without_changing_a_setting(name):
    before = dict(mpl.rcParams)
    ax = Figure().add_subplot()
    display = ANY[name]()
    assert display.plot(ax) is display
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    assert len(display.frame()) > 0
    assert dict(mpl.rcParams) == before


@pytest.mark.parametrize("width", [6.4, 3.6])
@pytest.mark.parametrize("name", SOME)
def test_texts_stand_on_the_page_and_can_be_read_at_usual_width_and_on_a_phone(name, width):
    display = SOME[name]()
    height = display.size[1] * (1.3 if width < 5 else 1)
    figure = Figure(figsize=(width, height), layout="constrained", dpi=100)
    FigureCanvasAgg(figure)
    display.plot(figure.add_subplot())
    assert page_holds(figure)
    for text in figure.findobj(Text):
        assert text.get_fontsize() >= 8, text


@pytest.mark.parametrize("name", OF_MANY)
def test_at_most_seven_curves_have_a_color_of_their_own(name):
    ax = Figure().add_subplot()
    OF_MANY[name](20).plot(ax)
    colors = {to_hex(line.get_color()) for line in ax.lines if len(line.get_xdata()) > 2}
    assert len(colors - {to_hex(GRAY)}) <= 7


@pytest.mark.parametrize("name", ANY)
def test_a_display_is_written_as_svg_and_pdf(name, tmp_path):
    figure = Figure(figsize=ANY[name]().size)
    ANY[name]().plot(figure.add_subplot())
    for ending, start in (("svg", b"<?xml"), ("pdf", b"%PDF")):
        file = tmp_path / f"picture.{ending}"
        figure.savefig(file)
        assert file.read_bytes().startswith(start)


@pytest.mark.parametrize("name", ["rejections and errors", "matrix", "roc", "confidence"])
def test_a_display_can_stand_in_a_page(name):
    display = ANY[name]()
    assert inline_svg(display, prefix="p", title="a picture").startswith("<svg")


def test_numbers_that_are_missing_are_refused():
    with pytest.raises(InvalidArgumentError, match=r"levels must be a list of finite numbers"):
        finite_list([0.1, np.nan], "levels")
    with pytest.raises(InvalidArgumentError, match=r"levels must be a list of finite numbers"):
        finite_list([], "levels")


def test_names_must_be_as_many_as_the_numbers_and_different():
    assert name_list(["a", "b"], 2, "means") == ["a", "b"]
    with pytest.raises(InvalidArgumentError, match=r"names must be 3 different ones.*got a, b"):
        name_list(["a", "b"], 3, "means")
    with pytest.raises(InvalidArgumentError, match="got a, a"):
        name_list(["a", "a"], 2, "means")


def test_runs_of_neighbors_are_the_longest_ones_and_a_difference_of_the_limit_splits():
    assert joined_runs([1, 2, 3, 4], 1) == []
    assert joined_runs([1, 2, 3, 4], 2.5) == [[0, 1, 2], [1, 2, 3]]
    assert joined_runs([4, 1, 1, 1], 2) == [[1, 2, 3]]


def test_direction_says_better_names_on_each_side_of_zero():
    assert better_names(("a", "b"), greater_is_better=False) == ("a", "b")
    assert better_names(("a", "b"), greater_is_better=True) == ("b", "a")


@given(st.lists(st.floats(0, 1), max_size=15), st.floats(0, 0.06))
def test_spread_keeps_the_order_the_gap_and_the_room(wanted, gap):
    indices = spread(wanted, gap)
    assert len(indices) == len(wanted)
    in_order = indices[np.argsort(wanted, kind="stable")]
    assert (np.diff(in_order) >= gap - 1e-12).all()
    assert ((indices >= -1e-12) & (indices <= 1 + 1e-12)).all()


def test_spread_leaves_places_that_are_apart_alone_and_centers_those_that_meet():
    np.testing.assert_allclose(spread([0.9, 0.1], 0.2), [0.9, 0.1])
    np.testing.assert_allclose(spread([0.5, 0.5, 0.5], 0.1), [0.4, 0.5, 0.6])
    np.testing.assert_allclose(spread([0.0, 0.0], 0.1), [0.0, 0.1])
    np.testing.assert_allclose(spread([1.0, 1.0], 0.1), [0.9, 1.0])
    np.testing.assert_allclose(spread([0.5, 0.5, 0.5], 0.6), [0.0, 0.6, 1.2])
