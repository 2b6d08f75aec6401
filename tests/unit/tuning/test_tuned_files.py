"""Tuned learners of Python files: on the command line and in study files."""

import pytest

from bestofk.cli import main
from bestofk.cli.arguments import parse_learner
from bestofk.learners.from_file import learner_from_file
from bestofk.studies.study_learners import learner_name
from bestofk.studies.study_settings import LearnerItem
from bestofk.tuning import Tuned


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text("from sklearn.neighbors import KNeighborsClassifier as Mine\n")
    return path


def test_a_learner_of_a_file_is_tuned(file):
    name, estimator = parse_learner(f"tuned({file}:Mine(n_neighbors=7),inner=3)")
    assert name == "tuned(Mine(n_neighbors=7),inner=3)"
    assert isinstance(estimator, Tuned)
    assert (estimator.inner, estimator.learner.n_neighbors) == (3, 7)


def test_a_file_is_looked_for_in_the_folder_of_the_study(file):
    text = "tuned(mine.py:Mine)"
    name, estimator = learner_from_file(text, file.parent)
    assert isinstance(estimator, Tuned)
    assert name == learner_name(LearnerItem(text)) == "tuned(Mine)"


def test_a_tuned_learner_is_shown_by_its_entry(capsys):
    main(["learners", "tuned(knn)"])
    assert "n_neighbors: 1 to 50" in capsys.readouterr().out
