"""Results of WEKA's Experimenter are read to the numbers of a plain pandas script."""

import io

import pandas as pd
import pytest
from tests.given import data_folder

from bestofk import compare_scores
from bestofk.errors import BestofkError, InvalidArgumentError
from bestofk.score_tables.paired_scores import read_scores
from bestofk.score_tables.score_formats.read_score_table import read_score_table

ROWS = """Key_Dataset,Key_Run,Key_Fold,Key_Scheme,Key_Scheme_options,Number_of_training_instances,\
Number_of_testing_instances,Percent_correct,Percent_incorrect,Area_under_ROC,Elapsed_Time_training
iris,1,1,weka.classifiers.trees.J48,-C 0.25 -M 2,135,15,93.3,6.7,0.95,0.2
iris,1,2,weka.classifiers.trees.J48,-C 0.25 -M 2,135,15,100,0,1,0.1
iris,1,1,weka.classifiers.trees.J48,-U -M 2,135,15,86.7,13.3,0.9,0.3
iris,1,2,weka.classifiers.trees.J48,-U -M 2,135,15,93.3,6.7,0.94,0.1
iris,1,1,weka.classifiers.bayes.NaiveBayes,,135,15,100,0,1,0
iris,1,2,weka.classifiers.bayes.NaiveBayes,,135,15,86.7,13.3,0.97,0
"""


def test_a_scheme_has_its_options_where_its_class_has_several(write):
    scores = read_scores(write(ROWS), measure=None, dataset=None, cv=None)
    assert scores.names == ["J48 -C 0.25 -M 2", "J48 -U -M 2", "NaiveBayes"]
    assert scores.measure == "Percent_incorrect"
    assert scores.values.tolist() == [[6.7, 0], [13.3, 6.7], [0, 13.3]]
    assert (scores.direction, scores.sizes) == (False, (135, 15))
    assert "NaiveBayes is weka.classifiers.bayes.NaiveBayes" in "".join(scores.notes)


def test_two_classes_of_one_name_are_called_by_their_packages(write):
    text = ROWS.replace("bayes.NaiveBayes,,", "mine.J48,-U -M 2,")
    assert read_scores(write(text), measure=None, dataset=None, cv=None).names[1:] == [
        "weka.classifiers.trees.J48 -U -M 2",
        "weka.classifiers.mine.J48 -U -M 2",
    ]


def test_seconds_and_the_measure_that_is_named(write):
    table = read_score_table(write(ROWS), measure="Area_under_ROC")
    plain = pd.read_csv(io.StringIO(ROWS))
    assert [float(value) for value in table.columns["value"]] == plain["Area_under_ROC"].tolist()
    assert [*map(float, table.columns["train_seconds"])] == plain["Elapsed_Time_training"].tolist()
    assert table.columns["greater_is_better"] == [True] * 6


def test_the_learner_can_be_another_column(write):
    lines = [line for line in ROWS.splitlines() if "-U" not in line]
    table = read_score_table(write("\n".join(lines)), columns={"learner": "Key_Scheme"})
    scores = read_scores(table, measure=None, dataset=None, cv=None)
    assert scores.names == ["weka.classifiers.trees.J48", "weka.classifiers.bayes.NaiveBayes"]
    with pytest.raises(InvalidArgumentError, match="each score must be there once"):
        compare_scores(write(ROWS), columns={"learner": "Key_Scheme"})


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Key_Scheme,", "Scheme,", "must have the columns .* got no Key_Scheme. Save them"),
        ("iris,1,2,weka.classifiers.bayes", ",1,2,weka.classifiers.bayes", "Key_Dataset must be"),
        ("13.3,0.97", ",0.97", "'NaiveBayes' must hold finite numbers; got nothing in row 6"),
    ],
)  # fmt: skip
def test_damaged_results_are_refused_with_the_reason(write, old, new, message):
    assert old in ROWS
    path = write(ROWS.replace(old, new))
    with pytest.raises(BestofkError, match=message):
        compare_scores(path, measure="Percent_incorrect")


def test_averages_are_refused(write):
    text = "Key_Dataset,Key_Scheme,Avg_Percent_correct\niris,J48,93\niris,ZeroR,33\n"
    with pytest.raises(InvalidArgumentError, match="They are averages: save the results of single"):
        read_score_table(write(text))


def test_random_splits_of_an_arff_file_are_those_of_plain_pandas():
    path = data_folder() / "results" / "weka-experimenter-random-splits.arff"
    header, _, body = path.read_text().partition("@data")
    names = [line.split()[1] for line in header.splitlines() if line.startswith("@attribute")]
    plain = pd.read_csv(io.StringIO(body), names=names, quotechar="'", na_values="?")
    plain["learner"] = plain["Key_Scheme"].str.rpartition(".")[2]
    for measure in ("Percent_incorrect", "Area_under_ROC", "Kappa_statistic"):
        for name, part in plain.groupby("Key_Dataset"):
            wanted = part.pivot(index="learner", columns="Key_Run", values=measure)
            scores = read_scores(path, measure=measure, dataset=name, cv=None)
            assert scores.values.tolist() == wanted.loc[scores.names].to_numpy().tolist()
            assert scores.sizes == (
                pytest.approx(part["Number_of_training_instances"].mean()),
                pytest.approx(part["Number_of_testing_instances"].mean()),
            )
