"""For each suspicion a table that has it, and one that looks like it and has not."""

import numpy as np
import pandas as pd
import pytest

from bestofk import load_data

N = 200
RNG = np.random.default_rng(7)
NOISE = RNG.normal(0, 1, N)
POINTS = RNG.integers(0, 101, N)
KINDS = np.array(["a", "b", "c"])[RNG.integers(0, 3, N)]
PRICE, AMOUNT, FEE = RNG.uniform(1, 9, N), RNG.integers(1, 40, N), RNG.uniform(0, 2, N)
SIZE, FIVE = RNG.normal(10, 2, N), RNG.normal(0, 1, (N, 5))
PASSED = np.where(POINTS >= 50, "passed", "failed")
WORDS = pd.Series(KINDS).map({"a": "gone", "b": "stays", "c": "back"}).to_numpy()
DAYS = pd.date_range("2024-01-01", periods=N).strftime("%Y-%m-%d").to_numpy()
MIXED = RNG.permutation(N)
NAMES = np.array([f"{300 + k // 4}_{k % 4 + 1}" for k in range(N)])
CODES = np.array([f"A{k % 6}-{100 + k * 3 % 900}" for k in range(N)])
ONE_OFF = np.where(np.arange(N) == 5, "gone", WORDS)
CLOSE_TO_90 = np.where(np.arange(N) == 5, 90, POINTS)
LARGE = np.arange(1460)


def some_levels(n, n_rows=N):
    return [f"P{k % n}" for k in range(n_rows)]


def rare_levels(n, n_rows=1460):
    return ["usual"] * (n_rows - n + 1) + [f"odd {k}" for k in range(n - 1)]


# what it is, words of the sentence; the table that has it, and the one that has not
PAIRS = {
    "classes by a bound": (
        "'points' alone gives the target",
        {"points": POINTS, "size": SIZE, "y": PASSED},
        {"points": POINTS, "size": SIZE, "y": np.where(CLOSE_TO_90 >= 50, "passed", "failed")},
    ),
    "classes that lie apart, as measured": (
        "'size' alone gives the target",
        {"size": np.linspace(0, 1, N), "y": np.repeat(["low", "high"], N // 2)},
        {"size": np.where(POINTS >= 50, SIZE + 40, SIZE), "y": PASSED},
    ),
    "one word for each class": (
        "'end' alone gives the target",
        {"end": WORDS, "size": SIZE, "y": KINDS},
        {"end": np.where(KINDS == "a", ONE_OFF, np.roll(WORDS, 1)), "size": SIZE, "y": KINDS},
    ),
    "codes of classes": (
        "'code' alone gives the target",
        {"code": np.select([KINDS == "a", KINDS == "b"], [7, 3], 5), "size": SIZE, "y": KINDS},
        {"code": np.where(NOISE > 2, 9, POINTS % 4), "size": SIZE, "y": KINDS},
    ),
    "the target in another unit": (
        "'inches' alone gives the target",
        {"inches": 3 - SIZE / 2.54, "fee": FEE, "y": SIZE},
        {"inches": SIZE / 2.54 + NOISE / 1e4, "fee": FEE, "y": SIZE},
    ),
    "a sum of two columns": (
        "a sum or difference of the columns 'price', 'fee'",
        {"price": PRICE, "fee": FEE, "size": SIZE, "y": PRICE + FEE},
        {"price": PRICE, "fee": FEE, "size": SIZE, "y": PRICE + FEE + NOISE / 1e3},
    ),
    "a product of two columns": (
        "a product or ratio of the columns 'price', 'amount'",
        {"price": PRICE, "amount": AMOUNT, "fee": FEE + 0.1, "y": PRICE * AMOUNT},
        {"price": PRICE, "amount": AMOUNT, "fee": FEE + 0.1, "y": PRICE * AMOUNT + FEE + 0.1},
    ),
    "a ratio of three columns": (
        "a product or ratio of the columns 'price', 'amount', 'fee'",
        {"price": PRICE, "amount": AMOUNT, "fee": FEE + 0.1, "y": PRICE * AMOUNT / (FEE + 0.1)},
        {**{f"x{k}": FIVE[:, k] for k in range(5)}, "y": FIVE.sum(axis=1)},
    ),
    "names with a number": (
        "has names such as '300_1', 50 before the number in 200 rows",
        {"sample": NAMES, "size": SIZE, "y": KINDS},
        {"sample": CODES, "size": SIZE, "y": KINDS},
    ),
    "a repeated person": (
        "(--groups patient_id)",
        {"patient_id": some_levels(40), "size": SIZE, "y": KINDS},
        {
            "store_id": LARGE % 4,
            "size": np.resize(SIZE, 1460),
            "y": np.resize(KINDS, 1460),
        },
    ),
    "a repeated country": (
        "named as a place and has 40 different values",
        {"country": some_levels(40), "size": SIZE, "y": KINDS},
        {"country": some_levels(5), "size": SIZE, "y": KINDS},
    ),
    "rows in the order of a date": (
        "Rows are ordered in time ('day')",
        {"day": DAYS, "size": SIZE, "y": KINDS},
        {"day": DAYS[MIXED], "size": SIZE, "y": KINDS},
    ),
    "as many rows of each date": (
        "Rows are ordered in time ('day')",
        {"day": np.tile(DAYS[: N // 4], 4), "size": SIZE, "y": KINDS},
        {"day": DAYS[: N // 4][POINTS * POINTS % (N // 4)], "size": SIZE, "y": KINDS},
    ),
    "rows of two classes": (
        "rows have the same inputs as another row but a different class",
        {"points": POINTS % 7, "ward": POINTS % 3, "y": KINDS},
        {"points": POINTS % 7, "ward": POINTS % 3, "y": np.where(POINTS % 21 < 10, "u", "v")},
    ),
    "an input that is nearly constant": (
        "One value in 99.5% of the rows: 'state' (--drop state)",
        {"state": ["on"] * (N - 1) + ["off"], "size": SIZE, "y": KINDS},
        {"state": ["on"] * (N - 4) + ["off"] * 4, "size": SIZE, "y": KINDS},
    ),
    "many rare levels": (
        "30 different texts, 29 of them in one or two rows each",
        {"roof": rare_levels(30), "size": np.resize(SIZE, 1460), "y": np.resize(KINDS, 1460)},
        {"roof": rare_levels(4), "size": np.resize(SIZE, 1460), "y": np.resize(KINDS, 1460)},
    ),
}


@pytest.mark.parametrize("kind", PAIRS)
def test_a_suspicion_is_said_of_the_table_that_has_it_alone(kind, tmp_path):
    words, has_it, has_not = PAIRS[kind]
    path, counts = tmp_path / "data.csv", []
    for table in (has_it, has_not):
        pd.DataFrame(table).to_csv(path, index=False)
        counts.append(sum(words in warning for warning in load_data(path, target="y").warnings))
    assert counts == [1, 0]
