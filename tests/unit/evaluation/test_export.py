import json

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.neighbors import KNeighborsClassifier
from tests.edited_stores import edit

from bestofk import Tuned
from bestofk.comparison.entry_point import compare
from bestofk.data import DataSet
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation import Store
from bestofk.evaluation.guarded.limits import Limits
from bestofk.evaluation.record import RunRecord
from bestofk.evaluation.store import export_scores

RNG = np.random.default_rng(3)
X = np.vstack([RNG.normal(0, 1, (30, 2)), RNG.normal(1, 1, (20, 2))])
DATA = DataSet("two", X, np.array([2] * 30 + [10] * 20), "classification")
LEARNERS = {"majority": DummyClassifier(), "near": KNeighborsClassifier(3)}


class Picky(DummyClassifier):
    def fit(self, X, y, sample_weight=None):
        if X[:, 0].sum() > X[:, 1].sum():
            raise ValueError("no, thanks")
        return super().fit(X, y)


def compared(store, learners=None, data=DATA, **options):
    return compare(learners or LEARNERS, data, cv="3x2", store=store, **options)


def test_the_long_table_is_the_frame_of_the_comparison_with_the_plan(store):
    result = compared(store, scoring=["error", "f1", "brier"])
    names = list(dict.fromkeys(result.to_frame()["measure"]))
    table = export_scores(store, names)
    key = ["dataset", "learner", "repeat", "fold", "measure"]
    expected = result.to_frame().sort_values(key, ignore_index=True)
    assert set(table["plan"]) == {"3x2"}
    outcome = table.drop(columns=["plan", "chosen_settings"]).sort_values(key, ignore_index=True)
    pd.testing.assert_frame_equal(outcome, expected, check_exact=True, check_dtype=False)


def test_the_wide_table_has_one_column_per_learner(store):
    result = compared(store)
    table = export_scores(store, ["accuracy"], shape="wide")
    errors = export_scores(store, shape="wide")
    assert table.columns.tolist() == [
        "dataset", "plan", "repeat", "fold", "n_train", "n_test", "majority", "near"
    ]  # fmt: skip
    accuracy = result.to_frame().query("measure == 'accuracy' and learner == 'near'")["value"]
    np.testing.assert_array_equal(table["near"], accuracy)
    np.testing.assert_allclose(errors["near"], 1 - table["near"], atol=1e-12)


def test_shared_runs_are_there_once_and_plans_and_learners_of_one_name_are_told_apart():
    with Store() as store:
        compared(store)
        compared(store, {**LEARNERS, "five": KNeighborsClassifier(5)})
        assert len(export_scores(store, ["error"])) == 18
    with Store() as store:
        compared(store)
        compared(store, random_state=1)
        compared(store, {"majority": DummyClassifier(), "near": KNeighborsClassifier(7)})
        table = export_scores(store, ["error"])
    assert table["plan"].nunique() == 2
    assert all("random_state" in plan for plan in table["plan"])
    assert table["learner"].nunique() == 3
    key = ["plan", "learner", "repeat", "fold"]
    assert not table.duplicated(key).any()


def test_a_failed_run_has_no_value_but_its_message(store):
    compared(store, {"picky": Picky(), "majority": DummyClassifier()})
    table = export_scores(store, ["error"]).query("learner == 'picky'")
    failed = table[table["status"] == "error"]
    assert 0 < len(failed) < 6
    assert failed["value"].isna().all()
    assert (failed["message"] == "fit raised ValueError: no, thanks").all()
    assert table[table["status"] == "ok"]["value"].notna().all()


def test_values_that_are_not_kept_or_cannot_be_computed_say_why():
    with Store() as store:
        result = compared(store, keep="scores")
        table = export_scores(store, ["error", "mcc"])
    kept = table.query("measure == 'error'")
    expected = result.to_frame().query("measure == 'error'")
    np.testing.assert_array_equal(kept["value"], expected["value"])
    lost = table.query("measure == 'mcc'")
    assert lost["value"].isna().all()
    assert set(lost["message"]) == {"predictions were not kept"}
    with Store() as store:
        compared(store, keep="labels")
        table = export_scores(store, ["log_loss", "cost"])
    assert table["value"].isna().all()
    assert "probabilities" in table["message"][0]
    assert set(table.query("measure == 'cost'")["message"]) == {"costs are not in a store"}


def test_regression_is_scored_by_its_measures_beside_classification(store):
    numbers = DataSet("numbers", X, X[:, 0] + RNG.normal(0, 0.1, 50), "regression")
    compared(store)
    result = compared(store, ["mean", "ridge"], numbers)
    table = export_scores(store)
    assert set(table.query("dataset == 'numbers'")["measure"]) == {"rmse", "mae", "r2"}
    values = table.query("learner == 'ridge' and measure == 'r2'")["value"]
    expected = result.to_frame().query("learner == 'ridge' and measure == 'r2'")["value"]
    np.testing.assert_array_equal(values, expected)


@pytest.mark.parametrize(("status", "limits"), [("timeout", Limits(0.5)), ("memory", Limits(9, 5))])
def test_a_finished_run_wins_over_one_that_met_a_limit(status, limits, store):
    compared(store, {"majority": DummyClassifier()})
    (first, *_) = store.rows("SELECT data_set, learner, split, stream FROM run", ())
    late = RunRecord(status, None, 0.5, np.nan, message="ended")
    store.add(first[:2], [first[2]], [first[3]], [late], keep="labels", n_classes=3,
              limits=limits)  # fmt: skip
    table = export_scores(store, ["error"])
    assert len(table) == 6
    assert set(table["status"]) == {"ok"}


def test_peaks_of_memory_and_crowded_runs_are_exported(tmp_path):
    path = tmp_path / "s.db"
    compared(path, {"majority": DummyClassifier()})
    edit(
        path,
        ["UPDATE run SET peak_bytes = NULL, is_crowded = 0"],
        ["UPDATE run SET peak_bytes = 5000, is_crowded = 1 WHERE rowid = 2"],
        ["UPDATE run SET status = 'memory', limit_bytes = 4000, predictions = NULL, "
         "message = 'too much' WHERE rowid = 3"],
    )  # fmt: skip
    with Store(path) as store:
        table = export_scores(store, ["error"])
    np.testing.assert_array_equal(table["peak_bytes"], [np.nan, 5000] + 4 * [np.nan])
    assert table["is_crowded"].tolist() == [False, True, False, False, False, False]
    assert table.loc[2, ["status", "message"]].tolist() == ["memory", "too much"]
    assert np.isnan(table.loc[2, "value"])


def test_an_empty_store_gives_an_empty_table(store):
    assert len(export_scores(store)) == 0
    assert export_scores(store).columns[0] == "dataset"


@pytest.mark.parametrize(
    ("measures", "shape", "message"),
    [
        (["eror"], "long", "measures must be names of measures; got 'eror'. Did you mean 'error'"),
        (["error", "f1"], "wide", "measures must be one for the wide shape; got error, f1"),
        (None, "wode", "shape must be long or wide; got 'wode'. Did you mean 'wide'"),
    ],
)
def test_what_cannot_be_exported_is_refused(measures, shape, message):
    with Store() as store, pytest.raises(InvalidArgumentError, match=message):
        export_scores(store, measures, shape=shape)


def test_the_long_table_has_what_tuned_learners_chose(store):
    compared(store, {"tuned": Tuned("knn", {"n_neighbors": [1, 3]}), **LEARNERS})
    table = export_scores(store, ["error"])
    chosen = [json.loads(text) for text in table.query("learner == 'tuned'")["chosen_settings"]]
    assert all(list(setting) == ["n_neighbors"] for setting in chosen)
    assert set(table.query("learner == 'near'")["chosen_settings"]) == {""}
