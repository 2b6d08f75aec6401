"""What holds for every display: room, letters, colors, files, and axes that are given."""

import matplotlib as mpl
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Text
from tests.unit.report.plots.given_displays import OF_MANY, OF_TWO
from tests.unit.report.plots.written import page_holds

from bestofk.report import plots
from bestofk.report.html.page import inline_svg
from bestofk.report.plots.drawing import GRAY

FOUR = {**OF_TWO, **{name: lambda make=make: make(4) for name, make in OF_MANY.items()}}
EIGHT = {**OF_TWO, **{name: lambda make=make: make(8) for name, make in OF_MANY.items()}}


def test_every_display_is_tried_here():
    tried = {type(make()).__name__ for make in FOUR.values()}
    assert tried == set(plots.__all__) - {"Display"}


@pytest.mark.parametrize("name", OF_TWO)
def test_a_picture_of_two_learners_fits_its_page(name):
    assert page_holds(OF_TWO[name]().plot().figure_)


@pytest.mark.parametrize("k", [pytest.param(2, marks=pytest.mark.slow), 20])
@pytest.mark.parametrize("name", OF_MANY)
def test_a_picture_of_few_or_many_learners_fits_its_page_in_seven_colors_at_most(name, k):
    display = OF_MANY[name](k).plot()
    assert page_holds(display.figure_)
    colors = {to_hex(line.get_color()) for line in display.ax_.lines if len(line.get_xdata()) > 2}
    assert len(colors - {to_hex(GRAY)}) <= 7


@pytest.mark.parametrize("name", FOUR)
def test_a_display_has_numbers_and_draws_on_the_given_axes_without_changing_a_setting(name):
    before = dict(mpl.rcParams)
    ax = Figure().add_subplot()
    display = FOUR[name]()
    assert display.plot(ax) is display
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    assert len(display.to_frame()) > 0
    assert min(display.size) > 1
    assert dict(mpl.rcParams) == before


@pytest.mark.parametrize("width", [pytest.param(6.4, marks=pytest.mark.slow), 3.6])
@pytest.mark.parametrize("name", EIGHT)
def test_texts_stand_on_the_page_and_can_be_read_at_usual_width_and_on_a_phone(name, width):
    display = EIGHT[name]()
    height = display.size[1] * (1.3 if width < 5 else 1)
    figure = Figure(figsize=(width, height), layout="constrained", dpi=100)
    FigureCanvasAgg(figure)
    display.plot(figure.add_subplot())
    assert page_holds(figure)
    for text in figure.findobj(Text):
        assert text.get_fontsize() >= 8, text


@pytest.mark.slow
@pytest.mark.parametrize("name", FOUR)
def test_a_display_is_written_as_svg_and_pdf(name, tmp_path):
    figure = Figure(figsize=FOUR[name]().size)
    FOUR[name]().plot(figure.add_subplot())
    for ending, start in (("svg", b"<?xml"), ("pdf", b"%PDF")):
        file = tmp_path / f"picture.{ending}"
        figure.savefig(file)
        assert file.read_bytes().startswith(start)


@pytest.mark.parametrize("name", FOUR)
def test_a_display_can_stand_in_a_page(name):
    assert inline_svg(FOUR[name](), prefix="p", title="a picture").startswith("<svg")
