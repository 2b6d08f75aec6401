"""Data of the sources, as far as they print them, for the lines that compute their numbers.

The tax records, prices, brands, and counts of branches and nodes are those of Tan, Steinbach &
Kumar (2006), chapter 4; the days
and temperatures those of Mitchell (1997), chapter 3; the folds and trials those of the slides
and the notes; tables of papers are read from `replications/*/printed`.
"""

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from tests.given import ROOT
from tests.published.printed_tables import printed_table

from bestofk.data import load_data
from bestofk.measures import PredictionBatch, get_measure
from bestofk.trees import C45Classifier, induction_steps

DAYS, PLAY = load_data("play-tennis").features, load_data("play-tennis").target
SUNNY = DAYS["outlook"] == "sunny"
NOISY_DAY = pd.concat(
    [
        DAYS.astype(object),
        pd.DataFrame(
            [{"outlook": "sunny", "temperature": "hot", "humidity": "normal", "windy": "true"}]
        ),
    ],
    ignore_index=True,
).astype("category")
NOISY_PLAY = [*PLAY, "no"]

# What it costs to measure each of them.
COSTS = {"outlook": 5.0, "temperature": 1.0, "humidity": 1.0, "windy": 1.0}

TEMPERATURES = pd.DataFrame({"temperature": [40.0, 48.0, 60.0, 72.0, 80.0, 90.0]})
PLAYED = ["no", "no", "yes", "yes", "yes", "no"]

PEOPLE = pd.DataFrame(
    {
        "city": ["sf", "sf", "sf", "la", "la", "la"],
        "car": ["merc", "taurus", "taurus", "merc", "merc", "van"],
        "age": pd.Categorical([22, 25, 27, 35, 40, 50]),
    }
)
BRANDS = list("AAAABB")

TAX = pd.DataFrame(
    {
        "refund": ["yes", "no", "no", "yes", "no", "no", "yes", "no", "no", "no"],
        "marital": [
            *("single", "married", "single", "married", "divorced"),
            *("married", "divorced", "single", "married", "single"),
        ],
        "income": [125.0, 100, 70, 120, 95, 60, 220, 85, 75, 90],
    }
)
CHEAT = ["no", "no", "no", "no", "yes", "no", "no", "yes", "no", "yes"]
UNSEEN = pd.DataFrame({"refund": ["no"], "marital": ["married"], "income": [80.0]})
# The slides ask for the refund first (or the marital status), which no gain does: costs do.
REFUND_FIRST = {"refund": 1.0, "marital": 9.0, "income": 99.0}
MARITAL_FIRST = {"marital": 1.0, "refund": 1.5, "income": 9.0}
# The same with the refund of the last record missing, and married or not.
RECORDS = TAX[["refund"]].assign(married=np.where(TAX["marital"] == "married", "yes", "no"))
RECORDS.loc[9, ["refund", "married"]] = [None, "yes"]

# An order, and labels that a split which breaks it parts best.
IN_ORDER = ["small", "medium", "large"]
SIZES = pd.DataFrame({"size": np.repeat(IN_ORDER, 5)})
BOUGHT = np.repeat(["no", "yes", "no"], 5)
# The last value is unknown: most of the others are "a", most of its own class "b".
UNKNOWN = pd.DataFrame({"value": [*"aaaabbb", None]})
ANSWERS = ["no"] * 4 + ["yes"] * 4
# Ten records of each class by three attributes: counts of each branch.
OWN_CAR, CAR_TYPE = [[6, 4], [4, 6]], [[1, 3], [8, 0], [1, 7]]
STUDENT = [[1, 0]] * 10 + [[0, 1]] * 10
# Two nodes by test A, two by test B.
N1, N2, N3, N4 = [4, 3], [2, 3], [1, 4], [5, 2]
# Points of a square, parted by a slanted line.
POINTS = np.random.default_rng(0).random((200, 2))
IS_BELOW = POINTS.sum(axis=1) < 1

# Four leaves of 30 rows: 10 errors as one leaf, 9 in four.
LEAVES = {"a": (7, 3), "b": (6, 3), "c": (6, 2), "d": (1, 2)}
THIRTY = pd.DataFrame(
    {"x": [level for level, counts in LEAVES.items() for _ in range(sum(counts))]}
)
LABELS = [label for counts in LEAVES.values() for label in (0, 1) for _ in range(counts[label])]

# Positive rows found and missed, negative rows called positive and not; [true, predicted].
FIRST, SECOND, RARE = (150, 40, 60, 250), (250, 45, 5, 200), (0, 10, 0, 9990)
PRICES = np.array([[0, 1], [100, -1]])
CLASSES = np.array(["negative", "positive"])

# Accuracies by four folds, slides 86 to 92.
M1, M2 = np.array([0.84, 0.82, 0.80, 0.82]), np.array([0.80, 0.79, 0.75, 0.82])
M3, M4 = np.array([0.90, 0.82, 0.76, 0.80]), np.array([0.83, 0.79, 0.79, 0.75])
# Accuracies of systems A and B in five trials, twice.
EXPERIMENT_1 = np.array([[87, 83, 88, 82, 85], [82, 78, 83, 77, 80]]) / 100
EXPERIMENT_2 = np.array([[90, 93, 80, 85, 77], [82, 76, 85, 75, 82]]) / 100

# Two learners, and the data that they are compared on.
A, B = GaussianNB(), KNeighborsClassifier(1)
IRIS, SPECIES = load_iris(return_X_y=True)

# Mean errors of five learners and their deviations, made so that two underlines share a learner.
MEANS = [0.245, 0.206, 0.222, 0.211, 0.198]
DEVIATIONS = np.array([-19, 9, -12, 5, -8, 8, -4, 12, -10, 19]) / 1000


def grown(X: Any, y: Any, **options: Any) -> C45Classifier:
    """Return a tree that is not pruned and may have leaves of one row."""
    settings = {"pruning": None, "collapse": False, "min_samples_leaf": 1, "mdl_correction": False}
    return C45Classifier(**(settings | options)).fit(X, y)


def questions(tree: Any, X: Any, y: Any) -> list[str]:
    """Return the attribute that each node of a tree tests, from the root down."""
    return [str(table["chosen"].idxmax()) for _, _, table in induction_steps(tree, X, y)]


def dated(n_times: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Return the days so many times over, each with a date of its own."""
    days = pd.concat([DAYS] * n_times, ignore_index=True)
    dates = pd.Categorical([f"day {number}" for number in range(len(days))])
    return days.assign(date=dates), np.tile(PLAY, n_times)


def parity(n_inputs: int) -> tuple[np.ndarray, np.ndarray]:
    """Return all rows of so many truth values, and whether the number of true ones is even."""
    rows = np.array(list(product([False, True], repeat=n_inputs)))
    return rows, rows.sum(axis=1) % 2 == 0


def posteriors(learner: Any) -> np.ndarray:
    """Return the posteriors of the true class of every other row of iris, trained on the rest."""
    is_test = np.arange(len(SPECIES)) % 2 == 1
    learner.fit(IRIS[~is_test], SPECIES[~is_test])
    return np.asarray(learner.predict_proba(IRIS[is_test])[range(is_test.sum()), SPECIES[is_test]])


def rings(rng: np.random.Generator, flipped: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Draw 500 circles, 0.5 <= radius <= 1, and 500 triangles nearer or farther, some swapped."""
    results: dict[bool, list[np.ndarray]] = {True: [], False: []}
    while min(map(len, results.values())) < 500:
        point = rng.uniform(-1.25, 1.25, 2)
        results[bool(0.5 <= np.hypot(*point) <= 1)].append(point)
    X = np.array(results[True][:500] + results[False][:500])
    y = np.repeat(["circle", "triangle"], 500)
    swapped = rng.random(1000) < flipped
    return X, np.where(swapped, y[::-1], y)


def edges(pairs: str, n_learners: int) -> np.ndarray:
    """Return the graph of pairs such as "1-2 1-3": the first is worse than the second."""
    graph = np.zeros((n_learners, n_learners), dtype=bool)
    for pair in pairs.split():
        worse, better = map(int, pair.split("-"))
        graph[worse - 1, better - 1] = True
    return graph


def predictions(counts: Sequence[int]) -> PredictionBatch:
    """Return as many rows as counted, true and predicted."""
    true, said = np.repeat([1, 1, 0, 0], counts), np.repeat([1, 0, 1, 0], counts)
    starts = np.array([0, len(true)])
    return PredictionBatch(y_true=true, labels=said, starts=starts, classes=CLASSES)


def value(name: str, counts: Sequence[int], **options: Any) -> float:
    """Return a measure of as many rows as counted."""
    measure = get_measure(name, task="classification", classes=CLASSES, **options)
    return float(measure.compute(predictions(counts))[0])


def kept(paper: str, name: str) -> pd.DataFrame:
    """Return a table that a replication wrote."""
    return pd.read_csv(ROOT / "replications" / paper / "results" / f"{name}.csv")


def printed_means(data_set: str) -> list[float]:
    """Return the mean errors of a data set in Table 1 of Yildiz & Alpaydin (2006)."""
    table = printed_table("multitest_2006", "table_1").set_index("data_set")
    return (
        table.loc[data_set]
        .set_index("learner")["mean"][["MAX", "NMC", "LGC", "C4.5", "NN"]]
        .tolist()
    )


def printed_auroc(number: int, folds: str) -> pd.DataFrame:
    """Return part of Table IV or V of Raeder et al. (2010): a row per data set, learners across."""
    table = printed_table("variability_2010", f"table_{number}")
    part = table[table["n_folds"] == folds]
    return part.pivot(index="data_set", columns="learner", values="auroc")[["HDDT", "C4.5", "NB"]]


def absolute_errors(number: int) -> np.ndarray:
    """Return mean absolute errors of Table IV or V, a row for 2, 5 and 10 folds."""
    actual = printed_auroc(number, "test set")
    return np.array(
        [(printed_auroc(number, folds) - actual).abs().mean() for folds in ("2", "5", "10")]
    )
