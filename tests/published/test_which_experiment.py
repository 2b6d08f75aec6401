"""Source 002 asks which of two experiments is better evidence; the command line answers both."""

import json

import numpy as np
import pandas as pd
import pytest
from tests.given import ROOT
from tests.published.source_data import EXPERIMENT_1, EXPERIMENT_2

from bestofk.cli import main

FILE = ROOT / "docs" / "experiments.csv"
EXPERIMENTS = {"first": EXPERIMENT_1, "second": EXPERIMENT_2}
NEEDS_VARIANCE = "and a test needs variance"


def printed(capsys: pytest.CaptureFixture[str], name: str, *options: str) -> str:
    words = ["compare-scores", str(FILE), "--dataset", name, "--measure", "accuracy"]
    assert main([*words, "--cv", "1x5", *options]) == 0
    return " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_file_holds_the_accuracies_of_the_notes(name: str) -> None:
    table = pd.read_csv(FILE)
    own = table.loc[table["dataset"] == name, ["A", "B"]]
    np.testing.assert_allclose(own.to_numpy().T, 100 * EXPERIMENTS[name])


def test_equal_averages_have_one_pick_and_two_reasons(capsys: pytest.CaptureFixture[str]) -> None:
    for name in EXPERIMENTS:
        text = printed(capsys, name, "--quiet")
        assert text.startswith("Use A: accuracy (as given) 85.0. Cannot be ruled out: B.")
        assert (NEEDS_VARIANCE in text) == (name == "first")
        assert "significantly" not in text


@pytest.mark.parametrize("procedure", ["paired-t", "corrected-t", "bayesian-correlated-t"])
def test_no_sentence_about_equal_differences_claims_what_another_denies(capsys, procedure):
    text = printed(capsys, "first", "--procedure", procedure)
    assert "not evidence" in text
    assert "do not vary" in text
    assert "Not shown" not in text  # p is 0, and no evidence either way
    assert "not evidence" not in printed(capsys, "second", "--procedure", procedure)


def test_the_second_experiment_has_the_t_of_the_five_trials(capsys):
    text = printed(capsys, "second", "--procedure", "paired-t")
    assert "mean difference 5 " in text
    assert "t 1.15 " in text
    assert "p value 0.3142" in text
    assert "Undecided at 0.05 whether they differ; that does not mean equal." in text


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_json_of_both_is_the_same_answer(capsys: pytest.CaptureFixture[str], name: str) -> None:
    found = json.loads(printed(capsys, name, "--json"))
    assert found["best"] == "A"
    assert sorted(found["candidates"]) == ["A", "B"]
