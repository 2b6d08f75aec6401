"""The command `compare` with several data sets."""

import json

import pytest
from tests.calls import printed, refused

from bestofk.cli import main

ARGUMENTS = ["compare", "iris", "wine", "--learners", "nearest-mean,majority", "--cv", "2x2"]


@pytest.fixture
def store(tmp_path):
    return ["--store", str(tmp_path / "runs.db")]


def test_several_data_sets_end_in_one_verdict_and_share_a_store(capsys, store):
    text = printed(capsys, *ARGUMENTS, *store)
    assert text.startswith("Use nearest-mean: ")
    assert ", 16 runs.\nMore: --verbose, --report page.html.\n" in text
    again = printed(capsys, *ARGUMENTS, *store, "--verbose")
    assert "- 16 runs, 16 of them found in the store." in again
    assert json.loads(printed(capsys, *ARGUMENTS, *store, "--json"))["best"] == "nearest-mean"


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("latex", "\\begin{table}"),
        ("markdown", "## 2 data sets"),
        ("csv", "dataset,"),
        ("methods", "We compared 2 learners"),
        ("bibtex", "@article{pedregosa2011,"),
    ],
)
def test_the_report_comes_in_every_format(capsys, store, name, start):
    assert printed(capsys, *ARGUMENTS, *store, "--format", name).startswith(start)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (["compare", "iris", "wine", "iris"], "got iris more than once"),
        (["compare", "iris", "--format", "html"], "--format must be one of"),
        ([*ARGUMENTS, "--format", "method"], "Did you mean 'methods'"),
        (["compare", "iris", "diabetes"], "one task"),
    ],
)
def test_what_makes_no_sense_is_refused(capsys, line, sentence):
    assert sentence in refused(capsys, *line, has_notes=True)


def test_a_missing_verdict_ends_with_1(capsys, tmp_path, monkeypatch):
    source = (
        "from sklearn.tree import DecisionTreeClassifier\n"
        "class Picky(DecisionTreeClassifier):\n"
        "    def fit(self, X, y):\n"
        "        if X.shape[1] == 13: raise ValueError('no wine')\n"
        "        return super().fit(X, y)\n"
        "picky = Picky()\n"
    )
    (tmp_path / "mine.py").write_text(source, encoding="utf-8")
    learners = f"{tmp_path / 'mine.py'}:picky,majority"
    assert main(["compare", "iris", "wine", "--cv", "2x2", "--learners", learners]) == 1
    assert "No learner can be picked over the data sets." in capsys.readouterr().out
