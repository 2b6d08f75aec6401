"""`cv_results_` of scikit-learn: settings are learners, and choosing among them is optimistic.

Files: cv_results.csv of LLFELIPEVV/practica-Scikit-learn (commit c3e2317, no license file, five of
ten rows), of aronszanto/malware-classification (commit e2e82b4, no license file, four of 100 rows),
and, as files of that name by others, the head of cv_results.csv of davenza/SPBN-Experiments
(commit 5cb3c29) and of emanueleragusi/Iris-classification (commit e5dafb2).
"""

from pathlib import Path

import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier
from tests.given import data_folder
from tests.unit.score_tables.score_formats.reading import read_as_frame

from bestofk import compare_scores
from bestofk.errors import BestofkError
from bestofk.score_tables.score_formats.read_score_table import read_score_table

FOLDER = Path(__file__).parent / "files"
FILE = FOLDER / "cv_results_grid_search.csv"


def values_by_learner(table, **options) -> dict[str, list[float]]:
    return (
        read_as_frame(table, **options).groupby("learner", sort=False)["value"].agg(list).to_dict()
    )


def test_a_part_of_a_published_search_is_read_as_pandas_reads_it():
    table = pd.read_csv(FILE)
    splits = table[[f"split{i}_test_score" for i in range(3)]]
    names = "model__n_neighbors=" + table["param_model__n_neighbors"].astype(str)
    assert values_by_learner(FILE) == dict(zip(names, splits.to_numpy().tolist(), strict=True))
    read = read_score_table(FILE).columns
    assert set(read["greater_is_better"]) == {True}
    assert [float(text) for text in read["train_seconds"]] == table["mean_fit_time"].tolist() * 3


def test_training_scores_and_parameters_that_do_not_vary_are_left_out():
    table = pd.read_csv(FOLDER / "cv_results_random_search.csv")
    read = values_by_learner(FOLDER / "cv_results_random_search.csv")
    assert next(iter(read)) == "max_features=99, min_samples_split=3, n_estimators=140"
    expected = table[[f"split{i}_test_score" for i in range(3)]].to_numpy().tolist()
    assert list(read.values()) == expected


def test_a_whole_published_search_is_read_as_pandas_reads_it():
    path = data_folder() / "results" / "sklearn-cv-results.csv"
    expected = pd.read_csv(path)[[f"split{i}_test_score" for i in range(3)]].to_numpy().tolist()
    assert list(values_by_learner(path).values()) == expected


def test_the_verdict_warns_that_the_settings_were_chosen_on_these_splits():
    result = compare_scores(FILE, cv="1x3")
    assert result.best == "model__n_neighbors=10"
    assert any("chosen on these splits" in text for text in result.warnings)
    with pytest.raises(BestofkError, match="the sizes of training and test sets"):
        compare_scores(FILE)


@pytest.fixture(scope="module")
def search():
    data = load_iris()
    grid = {"max_depth": [1, 3], "criterion": ["gini", "entropy"]}
    tree = DecisionTreeClassifier(random_state=0)
    scoring = ["accuracy", "neg_log_loss"]
    return GridSearchCV(tree, grid, scoring=scoring, refit=False, cv=5).fit(data.data, data.target)


def test_a_search_in_memory_is_read_with_every_scorer(search):
    frame = pd.DataFrame(search.cv_results_)
    table = read_score_table(frame)
    assert table.measures() == ["accuracy", "neg_log_loss"]
    read = values_by_learner(frame, measure="accuracy")
    assert list(read) == [
        "criterion=gini, max_depth=1", "criterion=gini, max_depth=3",
        "criterion=entropy, max_depth=1", "criterion=entropy, max_depth=3",
    ]  # fmt: skip
    expected = frame[[f"split{i}_test_accuracy" for i in range(5)]].to_numpy().tolist()
    assert list(read.values()) == expected
    assert compare_scores(frame, measure="neg_log_loss", cv="1x5").measure.greater_is_better


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda t: t.drop(columns="split1_test_score"),
         "must have a column for every split; got no split1_test_score"),
        (lambda t: t.assign(mean_test_score=t["mean_test_score"] + 1),
         "mean_test_score must be a mean of its splits; got 1.02385 in row 1, whose splits are"),
        (lambda t: pd.concat([t, t.tail(1)]), "each score must be there once; got learner .{'mod"),
        (lambda t: t.drop(columns=["params", "param_model__n_neighbors"]),
         "must have the column params, or columns such as param_C, .*; got none. Save all"),
    ],
)  # fmt: skip
def test_damaged_searches_are_refused_with_the_reason(change, reason):
    with pytest.raises(BestofkError, match=reason):
        compare_scores(change(pd.read_csv(FILE)), cv="1x3")


def test_other_files_of_that_name_are_not_taken_for_a_search(tmp_path):
    by_data_set = tmp_path / "cv_results.csv"
    by_data_set.write_text("Dataset,CKDE,BIC\nBalance,-3869.8,-4419.4\nCPU,-10089.6,-10650.3\n")
    read = read_score_table(by_data_set)
    assert read.columns["dataset"] == ["Balance", "CPU"] * 2
    assert read.cautions == ()
    by_measure = tmp_path / "results" / "cv_results.csv"
    by_measure.parent.mkdir()
    by_measure.write_text(
        "Model,Metric,test_mean,test_std\nTree,accuracy,0.95,0.02\nTree,f1,0.94,0.02\n"
    )
    read = read_score_table(by_measure)
    assert (read.cautions, read.measures()) == ((), ["accuracy", "f1"])
    assert read.columns["value"] == ["0.95", "0.94"]
