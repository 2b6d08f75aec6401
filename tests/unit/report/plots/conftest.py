"""Pictures are drawn without a window, and none is left open."""

import matplotlib.pyplot as plt
import pytest


@pytest.fixture(autouse=True)
def _no_window():
    plt.switch_backend("agg")
    yield
    plt.close("all")
