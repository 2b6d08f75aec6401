"""Cases of selection.json (rankings, loss-time curves, active testing) against the package."""

import json
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.given import data_folder, reference_file

from bestofk.inference.many_data_sets.ranks import weighted_average_ranks
from bestofk.recommendation.adaptive_orders import ActiveTesting
from bestofk.recommendation.fixed_orders import (
    AverageRanking,
    a3r_ranks,
    average_ranking_order,
)
from bestofk.recommendation.history import History
from bestofk.recommendation.leave_one_out import leave_one_out, rank_agreement
from bestofk.recommendation.loss_time import LossTimeCurve, Window, a3r, a3r_against

EXACT = 1e-9
MEANS = 1e-6  # of the large tables
WIDEST = Window.of(0.1, 10_000)  # all windows of the file; tests beyond it change no loss
KNOWN = {
    "name", "success_rate", "time_s", "default_success_rate", "average_rank", "loo",
    "active_testing", "files", "shape", "layout", "rows", "columns",
    "anchors_mil_mean_not_an_oracle",
}  # fmt: skip


def read_file() -> dict[str, Any]:
    return json.loads(reference_file("selection.json").read_text(encoding="utf-8"))


REFERENCE = read_file()
TABLES = {table["name"]: table for table in REFERENCE["tables"]}


def cases(section: str) -> list[Any]:
    return [
        pytest.param(name, power, id=f"{name.split(' (')[0]}, P = {power}")
        for name, table in TABLES.items()
        for power in table[section]
    ]


def is_small(case: Any) -> bool:
    return len(TABLES[case.values[0]].get("success_rate", [])) > 0


@cache
def history_of(name: str) -> History:
    table = TABLES[name]
    if "success_rate" in table:
        return History.from_arrays(
            table["success_rate"], table["time_s"], default_scores=table["default_success_rate"]
        )
    files = [data_folder().parent / file for file in table["files"]]
    if table["layout"] == "wide error + wide seconds":
        errors, seconds = (pd.read_csv(file, index_col=0) for file in files)
        scores = 1 - errors
    else:
        long = pd.read_csv(files[0])
        wide = long.pivot(
            index="dataset_name",
            columns="alg_name",
            values=["Accuracy__test_mean", "time__train_mean"],
        )
        scores = wide["Accuracy__test_mean"][table["columns"]]
        seconds = 10 * wide["time__train_mean"][table["columns"]]
        is_complete = (scores.notna() & seconds.notna()).all(axis=1)
        scores, seconds = scores[is_complete], seconds[is_complete]
    history = History.from_arrays(scores.to_numpy(), seconds.to_numpy(), learners=scores.columns)
    assert [history.n_data_sets, history.n_learners] == table["shape"]
    return history


def test_every_section_of_the_file_is_known() -> None:
    assert set(REFERENCE) == {"conventions", "misc", "tables"}
    assert all(set(table) <= KNOWN for table in REFERENCE["tables"])
    assert [case["name"] for case in REFERENCE["misc"]] == [
        "time ratio 1000 to the power P",
        "A3R against a reference",
    ]


@pytest.mark.parametrize("power", REFERENCE["misc"][0]["values"])
def test_a_ratio_of_times_is_reduced_as_printed(power: str) -> None:
    case = REFERENCE["misc"][0]
    reduced = 1 / a3r_against([1, 1], [1, case["ratio"]], 0, power=number(power))[1]
    assert reduced == pytest.approx(case["values"][power], abs=EXACT)


@pytest.mark.parametrize("power", REFERENCE["misc"][1]["a3r"])
def test_a3r_of_the_worked_example(power: str) -> None:
    case = REFERENCE["misc"][1]
    rates, seconds = case["success_rate"], case["time_s"]
    against = a3r_against(rates, seconds, case["reference"], power=number(power))
    np.testing.assert_allclose(against, case["a3r"][power], rtol=0, atol=EXACT)
    alone = a3r(rates, seconds, power=number(power))
    np.testing.assert_allclose(alone, case["a3r_prime"][power], rtol=0, atol=EXACT)


@pytest.mark.parametrize(("name", "power"), cases("average_rank"))
def test_mean_ranks_of_all_data_sets(name: str, power: str) -> None:
    expected = TABLES[name]["average_rank"][power]
    history = history_of(name)
    ranks = a3r_ranks(history, number(power))
    means = weighted_average_ranks(ranks)
    order = average_ranking_order(history, number(power)).tolist()
    if "top10" in expected:
        assert order[:10] == expected["top10"]
        np.testing.assert_allclose(means[order[:10]], expected["mean_rank_top10"], atol=MEANS)
        return
    np.testing.assert_allclose(ranks, expected["ranks"], rtol=0, atol=EXACT)
    np.testing.assert_allclose(means, expected["mean_rank"], rtol=0, atol=EXACT)
    assert order == expected["order"]


@pytest.mark.parametrize(("name", "power"), cases("loo"))
def test_rank_correlations_leaving_one_out(name: str, power: str) -> None:
    expected = TABLES[name]["loo"][power]
    agreement = rank_agreement(history_of(name), power=number(power))
    tolerance = EXACT if "spearman" in expected else MEANS
    means = [expected["mean_spearman"], expected["mean_kendall_tau_b"]]
    np.testing.assert_allclose(agreement.means(), means, rtol=0, atol=tolerance)
    if "spearman" in expected:
        for got, wanted in (("spearman", "spearman"), ("kendall", "kendall_tau_b")):
            values = np.array(expected[wanted], dtype=float)  # null becomes nan
            np.testing.assert_allclose(getattr(agreement, got), values, rtol=0, atol=EXACT)


@pytest.mark.parametrize(("name", "power"), cases("loo"))
def test_loss_time_curves_leaving_one_out(name: str, power: str) -> None:
    expected, history = TABLES[name]["loo"][power], history_of(name)
    orders = [
        average_ranking_order(history.without(i), number(power)) for i in range(history.n_data_sets)
    ]
    curves = [curve_of(history, i, order) for i, order in enumerate(orders)]
    if "order" in expected:
        assert [order.tolist() for order in orders] == expected["order"]
        for i, curve in enumerate(curves):
            times, losses = falls(expected["curve_times"][i], expected["curve_losses"][i])
            np.testing.assert_allclose(curve.seconds, times, rtol=0, atol=EXACT)
            np.testing.assert_allclose(curve.losses, losses, rtol=0, atol=EXACT)
    assert_interval_losses(expected, curves, exactly="mil" in expected)


@pytest.mark.parametrize(("name", "power"), [case for case in cases("loo") if is_small(case)])
def test_methods_reach_these_losses(name: str, power: str) -> None:
    expected = TABLES[name]["loo"][power]["mil_mean"]
    window = next(key for key in expected if key.startswith("log"))
    followed = leave_one_out(
        history_of(name), [AverageRanking(number(power))], window=window_of(window)
    )
    assert followed.losses.mean() == pytest.approx(expected[window], abs=EXACT)


@pytest.mark.parametrize(("name", "power"), cases("active_testing"))
def test_active_testing(name: str, power: str) -> None:
    expected, history = TABLES[name]["active_testing"][power], history_of(name)
    method = ActiveTesting(number(power), start_power=number(expected["init_ranking_P"]))
    if "order" not in expected:
        curves = leave_one_out(history, [method], window=WIDEST).curves[0]
        assert_interval_losses(expected, curves, exactly=False)
        return
    curves = []
    for i in range(history.n_data_sets):
        advisor = method.start(history.without(i), float(history.default_scores[i]), WIDEST)
        order = []
        for _ in range(history.n_learners):
            learner = advisor.next()
            advisor.tell(learner, history.scores[i, learner], history.seconds[i, learner])
            order.append(learner)
        curves.append(curve_of(history, i, np.array(order)))
        assert order == expected["order"][i]
        for duel, wanted in zip(advisor.trace, expected["trace"][i], strict=True):
            assert duel.current_best == wanted["current_best"]
            assert duel.candidate == wanted["candidate"]
            assert duel.gain == pytest.approx(wanted["gain"], abs=EXACT)
    assert_interval_losses(expected, curves, exactly=True)


def assert_interval_losses(
    expected: dict[str, Any], curves: list[LossTimeCurve], *, exactly: bool
) -> None:
    for key, mean in expected["mil_mean"].items():
        losses = [interval_loss(curve, key) for curve in curves]
        assert np.mean(losses) == pytest.approx(mean, abs=EXACT if exactly else MEANS), key
        if exactly:
            np.testing.assert_allclose(losses, expected["mil"][key], rtol=0, atol=EXACT)


def interval_loss(curve: LossTimeCurve, key: str) -> float:
    window = window_of(key)
    if key.startswith("log"):
        return curve.mean_interval_loss(window)
    if key.startswith("grid"):
        return curve.mean_at_points(window)
    edges = np.clip(np.append(curve.seconds, np.inf), *window)
    return float(curve.losses @ np.diff(edges) / (window.last - window.first))


def window_of(key: str) -> Window:
    return Window.of(*json.loads(key[key.index("[") :]))


def curve_of(history: History, i: int, order: np.ndarray) -> LossTimeCurve:
    return LossTimeCurve.of_tests(
        history.scores[i, order],
        history.seconds[i, order],
        default_score=float(history.default_scores[i]),
    )


def falls(times: list[float], losses: list[float]) -> tuple[list[float], list[float]]:
    """Return the steps without a first test that lowered nothing."""
    kept = [k for k in range(len(losses)) if k == 0 or losses[k] < losses[k - 1]]
    return [times[k] for k in kept], [losses[k] for k in kept]


def number(power: str) -> float:
    return float(Fraction(power))
