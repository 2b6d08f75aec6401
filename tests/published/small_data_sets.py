"""Data sets of the recorded trees that need no file, in the order of rows of Weka's files.

They are enumerated by their definition, come with scikit-learn, or are printed in textbooks: the
weather in Quinlan (1986) and Witten & Frank (2000), the lenses in Cendrowska (1987).
"""

from itertools import product

import numpy as np
import pandas as pd
import sklearn.datasets

from bestofk.data import load_data

WEATHER = {
    "outlook": ["sunny", "overcast", "rainy"],
    "temperature": ["hot", "mild", "cool"],
    "humidity": ["high", "normal"],
    "windy": ["true", "false"],
}
TEMPERATURE = [85, 80, 83, 70, 68, 65, 64, 72, 69, 75, 75, 72, 81, 71]
HUMIDITY = [85, 90, 86, 96, 80, 70, 65, 95, 70, 80, 70, 90, 75, 91]
LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
Table = tuple[pd.DataFrame, np.ndarray, int]  # features, position of the class, classes


def weather(*, is_numeric: bool) -> Table:
    days = load_data("play-tennis")
    features = pd.DataFrame(
        {
            name: pd.Categorical(days.features[name].astype(str).str.lower(), categories=levels)
            for name, levels in WEATHER.items()
        }
    )
    if is_numeric:
        features["temperature"] = np.array(TEMPERATURE, dtype=float)
        features["humidity"] = np.array(HUMIDITY, dtype=float)
    return features, (np.asarray(days.target) == "no").astype(np.int64), 2


def contact_lenses() -> Table:
    """Return the rule of the optician: soft without, hard with astigmatism, with exceptions."""
    rows, y = list(product(range(3), range(2), range(2), range(2))), []
    for age, is_far_sighted, is_astigmatic, has_tears in rows:
        if not has_tears:
            y.append(2)
        elif is_astigmatic:
            y.append(2 if is_far_sighted and age > 0 else 1)
        else:
            y.append(2 if not is_far_sighted and age == 2 else 0)
    return _nominal(rows), np.array(y), 3


def balance_scale() -> Table:
    rows = np.array(list(product(range(1, 6), repeat=4)))
    tip = np.sign(rows[:, 2] * rows[:, 3] - rows[:, 0] * rows[:, 1])  # left, balanced, right
    return pd.DataFrame(rows.astype(float)).rename(columns=str), tip + 1, 3


def tic_tac_toe() -> Table:
    """Return all boards at the end of a game that x began; positive where x has won."""
    blank, o, x = range(3)
    won, lost, drawn = [], [], []
    for board in product((x, o, blank), repeat=9):
        wins = {side: any(all(board[k] == side for k in line) for line in LINES) for side in (x, o)}
        lead = board.count(x) - board.count(o)
        if lead == 1 and wins[x] and not wins[o]:
            won.append(board)
        elif lead == 0 and wins[o] and not wins[x]:
            lost.append(board)
        elif blank not in board and lead == 1 and not wins[x] and not wins[o]:
            drawn.append(board)
    y = np.repeat([1, 0], [len(won), len(lost) + len(drawn)])
    return _nominal([*won, *lost, *drawn]), y, 2


def iris() -> Table:
    """Return Fisher's irises with the two rows as UCI has them."""
    features, y, n_classes = _of_sklearn("load_iris")
    features.iloc[34, 3] = 0.1
    features.iloc[37, 1:3] = [3.1, 1.5]
    return features, y, n_classes


def _of_sklearn(loader: str) -> Table:
    bunch = getattr(sklearn.datasets, loader)(as_frame=True)
    return bunch.data.copy(), bunch.target.to_numpy(), len(bunch.target_names)


def _nominal(rows: list[tuple[int, ...]]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            f"x{k}": pd.Categorical.from_codes(codes, range(codes.max() + 1))
            for k, codes in enumerate(np.array(rows).T)
        }
    )


SMALL_DATA_SETS = {
    "balance-scale": balance_scale,
    "iris": iris,
    "sk-breast-cancer": lambda: _of_sklearn("load_breast_cancer"),
    "sk-wine": lambda: _of_sklearn("load_wine"),
    "tic-tac-toe": tic_tac_toe,
    "weka-contact-lenses": contact_lenses,
    "weka-weather-nominal": lambda: weather(is_numeric=False),
    "weka-weather-numeric": lambda: weather(is_numeric=True),
}
