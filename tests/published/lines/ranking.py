"""Lines of Abdulrahman, Brazdil, van Rijn & Vanschoren (2018)."""

from typing import Any

import numpy as np
from tests.published.source_data import (
    kept,
)

from bestofk.inference import (
    average_ranks,
)
from bestofk.recommendation import USUAL_WINDOW
from bestofk.recommendation.loss_time import a3r, a3r_against


def ranking_ties() -> Any:
    return average_ranks([[0.9, 0.8, 0.7, 0.7]], names="abcd", greater_is_better=True)[2:]


def ranking_window() -> Any:
    return USUAL_WINDOW.first, USUAL_WINDOW.last, USUAL_WINDOW.last / 3600


def ranking_1000() -> Any:
    return 1 / a3r(1.0, 1000.0, power=1 / 256)


def ranking_table_1() -> Any:
    return [1 / a3r(1.0, 1000.0, power=1 / root) for root in (4, 16, 64, 128, 256)]


def ranking_same_ranking() -> Any:
    scores, seconds = np.random.default_rng(0).random((2, 100))
    return (
        a3r_against(scores, seconds, 0, power=1 / 64).argsort()
        == a3r(scores, seconds, power=1 / 64).argsort()
    ).all()


def ranking_power_0() -> Any:
    return 1 / a3r(1.0, 1000.0, power=0)


def ranking_table_2() -> Any:
    return kept("average_ranking_2018", "table_2").query("power == '0'")["mean"]


def ranking_table_2_order() -> Any:
    tables = kept("average_ranking_2018", "table_2").sort_values("mean").groupby("table")
    return [two for _, table in tables for two in table["power"][:2]]


def ranking_hyp_1() -> Any:
    return (
        kept("average_ranking_2018", "hypotheses").query("hypothesis == 'Hyp1'")["high"] < 0
    ).all()


def ranking_hyp_2() -> Any:
    return (
        kept("average_ranking_2018", "hypotheses").query("hypothesis == 'Hyp2'")["high"] < 0
    ).all()
