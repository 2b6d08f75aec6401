"""The same table in any container: one identity, one plan, the same scores to the last bit."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from bestofk.data import from_arrays, load_data
from bestofk.evaluation import EvaluationRequest, Store, evaluate
from bestofk.learners import resolve_learners
from bestofk.resampling import make_plan

N_ROWS = 60
LEVELS = ["red", "green", "blue sky"]
LABELS = {
    "text": ["no", "yes", "maybe"],
    "int": [0, 1, 2],
    "bool": [False, True],
    "float": [1.0, 2.0, 3.0],
}
# Two forests draw numbers; the others are plain, or trained on all splits at once.
LEARNERS = {
    "classification": [
        "random-forest(n_estimators=5)",
        "logistic",
        "naive-bayes",
        "c45",
        "5nn",
        "id3",
    ],
    "regression": ["random-forest-regressor(n_estimators=5)", "ridge", "cart-regressor"],
}


def table(seed, kinds, *, has_gaps, labels):
    """Return columns as lists of plain Python values, and a target."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=N_ROWS)
    columns = {}
    for index, kind in enumerate(kinds):
        values = common + rng.normal(size=N_ROWS)
        if kind == "whole":
            cells = np.round(3 * values).astype(int).tolist()
        elif kind == "number":
            cells = values.astype(np.float32).astype(float).tolist()
        elif kind == "truth":
            cells = (values > 0).tolist()
        else:
            cells = [LEVELS[i] for i in np.digitize(values, [-1, 1])]
        if has_gaps and kind != "whole":
            for row in rng.choice(N_ROWS, 5, replace=False).tolist():
                cells[row] = None
        columns[f"{kind}{index}"] = cells
    noisy = common + 0.5 * rng.normal(size=N_ROWS)
    if labels is None:
        return columns, noisy.tolist()
    names = LABELS[labels]
    bounds = np.quantile(noisy, np.arange(1, len(names)) / len(names))
    return columns, [names[i] for i in np.digitize(noisy, bounds)]


def of_kind(columns, kind):
    return [name for name in columns if name.startswith(kind)]


def containers(columns, y, folder):
    """Yield the arguments of `from_arrays` or `load_data` for each container."""
    frame = pd.DataFrame({name: pd.Series(cells) for name, cells in columns.items()})
    narrow = frame.astype(
        dict.fromkeys(of_kind(columns, "whole"), "int8")
        | dict.fromkeys(of_kind(columns, "number"), "float32")
    )
    for name in of_kind(columns, "text"):
        narrow[name] = pd.Categorical(columns[name], categories=[*LEVELS, "never"])
    lazy = pl.LazyFrame(columns)
    rows = [list(row) for row in zip(*columns.values(), strict=True)]
    yield "pandas", frame, y
    yield "narrow", narrow, np.array(y)
    yield "floats", frame.astype(dict.fromkeys(of_kind(columns, "whole"), float)), pd.Series(y)
    yield "nullable", frame.convert_dtypes(), pd.Series(y).convert_dtypes()
    yield "polars", lazy.collect(), pl.Series(y)
    casts = [pl.col(name).cast(pl.Int16) for name in of_kind(columns, "whole")]
    casts += [pl.col(name).cast(pl.Float32) for name in of_kind(columns, "number")]
    casts += [pl.col(name).cast(pl.Categorical) for name in of_kind(columns, "text")]
    yield "lazy and narrow", lazy.with_columns(casts), y
    yield "arrow", pa.table(columns), pa.array(y)
    yield "lists", rows, y
    yield "objects", np.array(rows, dtype=object), np.array(y, dtype=object)
    if not of_kind(columns, "text"):
        array = np.array(rows, dtype=np.float64)
        yield "array", array, y
        yield "columns first", np.asfortranarray(array), y
        yield "small array", array.astype(np.float32), y
    frame.assign(target=y).to_csv(folder / "table.csv", index=False)
    yield "csv", folder / "table.csv", "target"
    lazy.collect().with_columns(pl.Series("target", y)).write_csv(folder / "polars.csv")
    yield "csv of polars", folder / "polars.csv", "target"
    lazy.collect().with_columns(pl.Series("target", y)).write_parquet(folder / "table.parquet")
    yield "parquet", folder / "table.parquet", "target"


def data_sets(columns, y, labels, folder):
    task = "regression" if labels is None else "classification"
    for name, X, target in containers(columns, y, folder):
        if isinstance(target, str):
            yield name, load_data(X, target=target, task=task)
        else:
            yield name, from_arrays(X, target, task=task)


KINDS = [
    ("whole", "number", "truth", "text"),
    ("whole", "number"),
    ("whole", "whole"),
    ("truth", "text", "text"),
    ("number", "truth"),
]


@pytest.mark.parametrize(
    ("kinds", "labels"),
    [
        (KINDS[(i + shift) % len(KINDS)], name)
        for shift in (0, 2)
        for i, name in enumerate([*LABELS, None])
    ],
)
def test_one_table_has_one_identity_and_one_plan(kinds, labels, tmp_path):
    for seed, has_gaps in enumerate((False, True)):
        columns, y = table(seed, kinds, has_gaps=has_gaps, labels=labels)
        known = {
            name: (data.id, make_plan(data, "2x3").id)
            for name, data in data_sets(columns, y, labels, tmp_path)
        }
        assert len(set(known.values())) == 1, known


@pytest.mark.parametrize(
    ("kinds", "has_gaps", "labels"),
    [
        (KINDS[0], True, "text"),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in (
                (KINDS[1], False, "int"),
                (KINDS[3], True, "bool"),
                (KINDS[0], True, None),
            )
        ),
    ],
)
def test_one_table_gives_the_same_predictions_to_the_last_bit(kinds, has_gaps, labels, tmp_path):
    columns, y = table(7, kinds, has_gaps=has_gaps, labels=labels)
    known = {}
    for name, data in data_sets(columns, y, labels, tmp_path):
        learners = resolve_learners(LEARNERS[data.task], data.task)
        with Store() as store:
            runs = evaluate(EvaluationRequest(data, make_plan(data, "1x2"), learners), store)
        assert not runs.has_failed.any(), runs.failures(0)
        batches = [runs.predictions(index) for index in range(len(learners))]
        known[name] = [
            (batch.labels if batch.probabilities is None else batch.probabilities).tobytes()
            for batch in batches
        ]
    for name, found in known.items():
        for learner, own, expected in zip(learners, found, known["pandas"], strict=True):
            assert own == expected, (name, learner.name)


def test_other_values_levels_and_orders_are_another_table():
    X = pd.DataFrame({"a": [1.1, 2.2, 3.3, 4.4], "t": ["u", "v", "u", "v"]})
    y = ["p", "q", "q", "p"]
    ordered = pd.Categorical(X["t"], categories=["v", "u"], ordered=True)
    others = [
        X,
        X.astype({"a": "float32"}),
        X[["t", "a"]],
        X.iloc[::-1],
        X.assign(t=ordered),
        X.assign(a=X["a"].astype(str)),
    ]
    ids = [from_arrays(other, y).id for other in others]
    ids.append(from_arrays(X, ["q", "p", "p", "q"]).id)
    ids.append(from_arrays(X, y, sample_weight=[1, 1, 1, 2]).id)
    assert len(set(ids)) == len(ids)
    assert from_arrays(X.set_axis(["other", "names"], axis=1), y).id == ids[0]
