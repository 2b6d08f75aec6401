"""What is not 0 never reads as 0, and no probability below 1 as certain."""

import math
import re

import numpy as np
import pytest

from bestofk import words
from bestofk.inference import bootstrap_test, permutation_test
from bestofk.measures import get_measure
from bestofk.measures import words as measure_words
from bestofk.report.sections import spread_cell, value_cell
from bestofk.words import drawn, drawn_mean, fixed, p_text

ERROR = get_measure("error", task="classification", classes=["a", "b"])
AUROC = get_measure("auroc", task="classification", classes=["a", "b"])
MSE = get_measure("mse", task="regression", classes=[])
FIGURE = re.compile(r"[<>]?[-+]?\d[\d,]*\.?\d*(?:e[-+]?\d+)?")
FORMATTERS = {
    "number": words.number,
    "number with 3 digits": lambda value: words.number(value, 3),
    "percent": words.percent,
    "points": lambda value: measure_words.points(ERROR, value),
    "points with a decimal": lambda value: measure_words.points(ERROR, value, decimals=1),
    "points of AUROC": lambda value: measure_words.points(AUROC, value),
    "seconds": words.seconds,
    "error": lambda value: measure_words.score_in_words(ERROR, value),
    "AUROC": lambda value: measure_words.score_in_words(AUROC, value),
    "MSE": lambda value: measure_words.score_in_words(MSE, value),
    "difference of errors": lambda value: measure_words.signed_difference(ERROR, value),
    "difference of AUROC": lambda value: measure_words.signed_difference(AUROC, -value),
    "difference of MSE": lambda value: measure_words.signed_difference(MSE, value),
    "size": lambda value: measure_words.size_in_words(MSE, value),
    "probability": words.probability,
    "p value": words.p_value,
    "p value of a result": p_text,
    "two decimals": lambda value: fixed(value, 2),
    "cell of percents": lambda value: value_cell(ERROR, value),
    "cell of numbers": lambda value: value_cell(AUROC, value),
    "cell of MSE": lambda value: value_cell(MSE, value),
    "spread of percents": lambda value: spread_cell(ERROR, value, 2),
}
CERTAIN = {
    "percent": (words.percent, 100),
    "probability": (words.probability, 1),
    "p value": (words.p_value, 1),
    "p value of a result": (p_text, 1),
    "share of draws": (lambda value: drawn(value, 10_000), 1),
    "cell of percents": (lambda value: value_cell(ERROR, value), 100),
}


def figure(text: str) -> float:
    """Return the first number of a text, moved to where "<" or ">" says that it lies."""
    found = FIGURE.search(text)
    assert found, text
    value = float(found[0].strip("<>").replace(",", ""))
    return value * {"<": 0.5, ">": 0.9999}.get(found[0][0], 1.0)


@pytest.mark.parametrize("name", FORMATTERS)
def test_a_value_that_is_not_0_is_not_printed_as_0(name: str) -> None:
    rng = np.random.default_rng(0)
    for value in [*(10.0 ** rng.uniform(-300, 0, 300)).tolist(), 0.00049, 4.49e-05, 0.00499]:
        assert figure(FORMATTERS[name](value)) != 0, value
        assert not FORMATTERS[name](value).startswith("-0.0 "), value


@pytest.mark.parametrize("name", CERTAIN)
def test_a_probability_below_1_is_not_printed_as_certain(name: str) -> None:
    say, whole = CERTAIN[name]
    rng = np.random.default_rng(0)
    for off in 10.0 ** rng.uniform(-15, -0.5, 300):
        assert figure(say(1 - off)) < whole, off
    assert name == "share of draws" or figure(say(1.0)) == whole


@pytest.mark.parametrize("n_draws", [100, 999, 9999, 50_000])
def test_the_last_digit_of_a_share_of_draws_is_the_first_that_is_not_known(n_draws: int) -> None:
    rng = np.random.default_rng(n_draws)
    for probability in rng.integers(1, n_draws, 200) / n_draws:
        text = drawn(probability, n_draws).lstrip("<>")
        step = 10.0 ** -len(text.partition(".")[2])
        error = math.sqrt(probability * (1 - probability) / n_draws)
        assert 0.94 * step <= error < 10 * step


def test_a_share_that_no_draw_or_every_draw_gave_is_bounded_by_their_number() -> None:
    assert (drawn(0.0, 50), drawn(1.0, 50)) == ("<0.1", ">0.9")
    assert (drawn(0.0, 50_000), drawn(1.0, 50_000)) == ("<0.0001", ">0.9999")


def test_a_mean_of_draws_has_the_digits_that_its_error_leaves() -> None:
    assert drawn_mean(0.123456, 0.0004) == "0.1235"
    assert drawn_mean(0.123456, 0.04) == "0.12"
    assert drawn_mean(-3.21, 20.0) == "-3"


def test_a_test_that_draws_prints_its_number_of_draws_and_one_that_lists_does_not() -> None:
    rng = np.random.default_rng(0)
    losses = rng.random((2, 200))
    for test in (bootstrap_test, permutation_test):
        text = str(test(*losses))
        assert "random draws     9,999" in text
        p_value = re.search(r"p value +([\d.]+)", text)
        assert p_value
        assert len(p_value[1]) <= len("0.123")
    assert "random draws" not in str(permutation_test(*losses[:, :10]))
