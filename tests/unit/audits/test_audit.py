"""Whole audits: each check on a made table with a known answer, and every form of the result."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from bestofk.audits import audit
from bestofk.audits.claim import parse_claim
from bestofk.audits.data_set_facts import data_set_facts
from bestofk.cli import main
from bestofk.errors import InvalidArgumentError

FIRM = """\
data set   forest        lda          cart
iris       0.970 ± 0.01  0.930 ± 0.01 0.920 ± 0.01
vote       0.960 ± 0.01  0.930 ± 0.01 0.940 ± 0.01
zoo        0.950 ± 0.01  0.910 ± 0.01 0.920 ± 0.01
wine       0.990 ± 0.01  0.950 ± 0.01 0.920 ± 0.01
glass      0.750 ± 0.01  0.690 ± 0.01 0.700 ± 0.01
sonar      0.840 ± 0.01  0.790 ± 0.01 0.760 ± 0.01
"""


def of(result, name):
    return next(check for check in result.checks if check.name == name)


def test_a_claim_that_nothing_undoes_is_firm(write):
    result = audit(write(FIRM), measure="accuracy", cv="10x10")
    assert result.strength == "firm"
    assert result.answer == (
        "'forest is best' is firm: it survives rounding, each data set and learner left out, and "
        "fresh seeds.",
        "Another seed would keep it with more than 95%.",
        "forest is not significantly better than lda or cart (Wilcoxon, Holm).",
    )
    assert of(result, "Wilcoxon, Holm").figure == "0 of 2"  # p is .0625 after Holm
    assert of(result, "Bayesian signed rank").verdict == "supports"
    assert of(result, "data sets").figure == "6 of 6 carry it"


def test_the_weakest_links_are_named(write):
    text = FIRM.replace("sonar      0.840", "sonar      0.600").replace(
        "glass      0.750", "glass      0.650")  # fmt: skip
    result = audit(write(text), "forest beats lda", measure="accuracy", cv="1x10")
    assert result.strength == "not supported"
    assert result.answer[0] == (
        "'forest beats lda' is not supported: lda has as good a mean or a better one."
    )
    text = FIRM.replace("sonar      0.840", "sonar      0.590")
    result = audit(write(text), measure="accuracy", cv="1x10")
    assert result.strength == "fragile"
    assert result.weak_links[0] == "it falls without iris, vote, zoo or 2 more"


def test_rounding_is_named_with_the_fewest_values(write):
    text = "dataset a b\nx 0.91 0.90\ny 0.80 0.80\n"
    result = audit(write(text), measure="accuracy")
    assert of(result, "rounding").figure == "2 values"
    assert "it falls when 2 values move inside the rounding" in result.weak_links


def test_without_spreads_the_spread_of_a_toss_up_is_said_beside_usual_ones(write):
    result = audit(write("dataset a b\nx 0.91 0.90\ny 0.85 0.80\n"), measure="accuracy")
    assert np.isnan(result.kept_with)
    assert result.answer[1].startswith("No spreads are printed: values that vary by ")
    assert result.answer[1].endswith("0.0034 to 0.011 is usual.")
    unknown = audit(write(FIRM), measure="accuracy")
    assert unknown.answer[1].startswith("The plan is not known: ")
    seconds = audit(write("dataset a b\nx 91 150\ny 85 180\n"), greater_is_better=False)
    assert "usual" not in seconds.answer[1]


def test_a_claim_of_significance_needs_its_test(write):
    result = audit(write(FIRM), "forest significantly better than all", measure="accuracy")
    assert result.strength == "not supported"
    assert result.answer[0] == (
        "'forest is significantly better than all others' is not supported: Wilcoxon's test with "
        "Holm's correction does not tell it from lda (p = 0.0625) and cart (p = 0.0625)."
    )
    one = audit(write(FIRM), "forest significantly better than lda", measure="accuracy")
    assert one.strength == "fragile"  # five data sets have no p value below .0625
    assert of(one, "data sets left out").figure == "6 of 6"
    assert one.answer[2] == "forest is significantly better than lda (Wilcoxon, Holm)."


def test_data_sets_that_tie_copy_or_carry_are_named():
    losses = np.array([[0.005, 0.005], [0.1, 0.4], [0.3, 0.25], [0.2, 0.2]])
    names = ("monks-1", "vote", "monks-2", "zoo")
    claim = parse_claim("a best", "ab", losses, by_rank=False)
    facts = data_set_facts(claim, losses, names, losses)
    assert facts == (2, 1, (("monks-1", "monks-2"),), ("vote",))


def test_printed_ranks_decide_where_no_means_are_printed(write):
    text = "| dataset | a | b |\n|---|---|---|\n| x | 0.91 (1) | 0.9 (2) |\n"
    text += "| y | 0.1 (2) | 0.9 (1) |\n| z | 0.9 (1) | 0.8 (2) |\n| mean rank | 1.33 | 1.67 |\n"
    result = audit(write(text), measure="accuracy")
    assert str(result.claim) == "a is best"
    assert result.claim.by_rank
    assert str(audit(write(text), measure="accuracy", by="mean").claim) == "b is best"


def test_runs_are_averaged_over_their_splits():
    rng = np.random.default_rng(1)
    runs = pd.DataFrame([
        {"dataset": data, "learner": name, "fold": fold, "accuracy": base + rng.normal(0, 0.01)}
        for data in ("x", "y") for name, base in (("a", 0.9), ("b", 0.8)) for fold in range(10)
    ])  # fmt: skip
    result = audit(runs, cv="1x10")
    assert result.strength == "firm"
    assert result.table.values[0, 0] == runs["accuracy"][:10].mean()
    assert of(result, "rounding").figure == "not rounded"


def test_every_form_says_the_same(write, tmp_path):
    result = audit(write(FIRM), measure="accuracy", cv="10x10")
    said = json.loads(result.to_json())
    assert said["answer"] == list(result.answer)
    assert said["strength"] == "firm"
    assert [check["check"] for check in said["checks"]] == result.to_frame()["check"].tolist()
    result.to_html(tmp_path / "page.html")
    for text in (result.text(), result.to_markdown(), result.to_latex(),
                 (tmp_path / "page.html").read_text()):  # fmt: skip
        assert "another seed" in text


def test_the_command_prints_writes_and_refuses(write, tmp_path, capsys):
    path = str(write(FIRM))
    page = tmp_path / "page.html"
    options = ["--measure", "accuracy", "--cv", "10x10"]
    assert main(["audit", path, *options, "--report", str(page), "-q"]) == 0
    assert capsys.readouterr().out.startswith("'forest is best' is firm")
    assert page.exists()
    assert main(["audit", path, *options, "--format", "latex"]) == 0
    assert r"\begin{tabular}" in capsys.readouterr().out
    for wrong, said in (
        (["--claim", "who knows"], "claim must be"),
        (["--by", "luck"], "by must be"),
        (["--cv", "often"], "cv must be"),
        (["--printed", "friedman"], "--printed must be"),
        (["--rows", "cats"], "rows must be"),
        (["--format", "pdf"], "--format must be"),
        (["--report", str(page)], "--report"),
    ):
        assert main(["audit", path, *options[:2], *wrong]) == 2
        assert said in capsys.readouterr().err


def test_two_learners_on_one_data_set_have_an_audit(write):
    result = audit(
        write("dataset,a,b\nx,0.9 ± 0.1,0.8 ± 0.1\n", "t.csv"), measure="accuracy", cv="10"
    )
    assert of(result, "Wilcoxon, Holm").verdict == "not checked"
    assert result.strength in ("firm", "fragile")
    with pytest.raises(InvalidArgumentError, match="at least two learners"):
        audit(write("dataset,a\nx,0.9\ny,0.8\n", "t.csv"), measure="accuracy")
