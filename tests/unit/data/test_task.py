import numpy as np
import pandas as pd
import polars as pl
import pytest

from bestofk.data import infer_task
from bestofk.data.task import resolve_task
from bestofk.errors import InvalidArgumentError


@pytest.mark.parametrize(
    ("y", "task"),
    [
        (["yes", "no"], "classification"),
        ([True, False], "classification"),
        (np.array([True, "x"], dtype=object), "classification"),
        (pd.Series(["u", "v"], dtype="category"), "classification"),
        (pd.Series(range(30), dtype="category"), "classification"),
        (pl.Series(["u", "v"]), "classification"),
        (range(20), "classification"),
        (np.arange(20.0), "classification"),
        (np.array([1, 2], dtype=object), "classification"),
        (range(21), "regression"),
        ([0.5, 1.0], "regression"),
    ],
)
def test_the_task_follows_the_target(y, task):
    assert infer_task(y)[0] == task


def test_the_sentence_gives_the_reason_and_the_way_out():
    assert infer_task([1, 2, 2])[1] == (
        "Task: classification, because the target holds 2 different whole numbers "
        '(task="regression" overrides).'
    )


def test_few_numbers_with_fractions_may_be_classes_and_labels_no_quantities():
    assert resolve_task("classification", [0.5, 1.5, 0.5])[0] == "classification"
    with pytest.raises(InvalidArgumentError, match="for classification; got 30 different ones"):
        resolve_task("classification", [row + 0.5 for row in range(30)])
    with pytest.raises(InvalidArgumentError, match="must be numbers for regression; got 'u'"):
        resolve_task("regression", ["u", "v"])
