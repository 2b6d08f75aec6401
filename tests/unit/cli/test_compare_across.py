"""The command `compare` with several data sets."""

import json

import pytest

from bestofk.cli import main

ARGUMENTS = ["compare", "iris", "wine", "--learners", "nearest-mean,majority", "--cv", "2x2"]


@pytest.fixture
def store(tmp_path):
    return ["--store", str(tmp_path / "runs.db")]


def printed(capsys, *arguments):
    assert main([*ARGUMENTS, *arguments]) == 0
    return capsys.readouterr().out


def test_several_data_sets_end_in_one_verdict_and_share_a_store(capsys, store):
    text = printed(capsys, *store)
    assert text.startswith("Use nearest-mean: ")
    assert ", 16 runs.\nMore: --verbose, --report page.html.\n" in text
    again = printed(capsys, *store, "--verbose")
    assert "- 16 runs, 16 of them found in the store." in again
    assert json.loads(printed(capsys, *store, "--json"))["best"] == "nearest-mean"


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
    assert printed(capsys, *store, "--format", name).startswith(start)


def refusal(capsys, *arguments):
    assert main(list(arguments)) == 2
    return capsys.readouterr().err


def test_what_makes_no_sense_is_refused(capsys):
    assert "got iris more than once" in refusal(capsys, "compare", "iris", "wine", "iris")
    assert "--format must be one of" in refusal(capsys, "compare", "iris", "--format", "html")
    assert "Did you mean 'methods'" in refusal(capsys, *ARGUMENTS, "--format", "method")
    assert "one task" in refusal(capsys, "compare", "iris", "diabetes")


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
