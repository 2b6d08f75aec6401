"""The procedures of one test set, by command line, against their formulas in print."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from bestofk import apply_procedure, compare
from bestofk.cli import main
from bestofk.evaluation import Store
from bestofk.score_tables.score_formats.source_table import EXAMPLES, open_table

TABLE = pd.DataFrame(open_table("example-predictions", fills_row=lambda header, row: False).columns)
TRUTH = TABLE.pivot(index="row", columns="learner", values="truth")
RIGHT = TABLE.pivot(index="row", columns="learner", values="prediction") == TRUTH
A, B, C = "naive-bayes", "c45", "5nn"


def result(capsys, *arguments):
    assert main(["compare-scores", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def shares_of(learner, label):
    shares = TABLE.pivot(index="row", columns="learner", values=label)[learner]
    return shares.astype(float)


def test_mcnemar_is_equation_13(capsys):
    n01, n10 = (~RIGHT[A] & RIGHT[B]).sum(), (RIGHT[A] & ~RIGHT[B]).sum()
    chi2 = (abs(n01 - n10) - 1) ** 2 / (n01 + n10)
    told = ("--procedure", "mcnemar", "--learners", f"{A},{B}", "--option", "method=chi2-corrected")
    found = result(capsys, "example-predictions", *told)
    assert (found["n01"], found["n10"]) == (n01, n10)
    assert found["statistic"] == pytest.approx(chi2)
    assert found["p_value"] == pytest.approx(stats.chi2.sf(chi2, 1))


def test_looney_is_equations_14_to_16(capsys):
    table = RIGHT[[A, B, C]].to_numpy().astype(float)
    n, k = table.shape
    mean = table.mean()
    between = n * ((table.mean(axis=0) - mean) ** 2).sum()
    left = ((table - table.mean(axis=0) - table.mean(axis=1)[:, None] + mean) ** 2).sum()
    f = (between / (k - 1)) / (left / ((k - 1) * (n - 1)))
    plain = result(capsys, "example-predictions", "--procedure", "looney-f")
    assert plain["statistic"] == pytest.approx(f)
    assert plain["p_value"] == pytest.approx(stats.f.sf(f, k - 1, (k - 1) * (n - 1)))
    adjusted = result(capsys, "example-predictions", "--procedure", "looney-f-plus")
    df = np.array([k - 1, (k - 1) * (n - 1)]) * adjusted["epsilon"]
    assert adjusted["df"] == pytest.approx(df.tolist())
    assert adjusted["p_value"] == pytest.approx(stats.f.sf(f, *df))


def test_the_hull_is_that_of_all_points_and_a_dominated_learner_leaves_it_alone(capsys, tmp_path):
    picture = tmp_path / "hull.svg"
    told = ("--procedure", "roc-hull", "--picture", str(picture))
    found = result(capsys, "example-predictions", *told)
    points = np.array([point[1:] for point in found["points"]])
    corners = np.array([vertex[1:] for vertex in found["vertices"]])
    for fpr, tpr in points:  # no point lies above it
        assert np.interp(fpr, corners[:, 0], corners[:, 1]) >= tpr - 1e-12 or fpr == 0
    assert found["positive"] == "malignant"
    for learner in (A, B, C):  # every threshold of every learner is a point
        shares = shares_of(learner, "malignant")
        for threshold in shares.unique():
            taken = shares >= threshold
            is_ill = TRUTH[A] == "malignant"
            rates = (taken[~is_ill].mean(), taken[is_ill].mean())
            assert np.abs(points - rates).max(axis=1).min() < 1e-12
    without = ("--procedure", "roc-hull", "--learners", f"{A},{C}")
    assert result(capsys, "example-predictions", *without)["vertices"] == found["vertices"]
    assert picture.read_text(encoding="utf-8").startswith("<?xml")
    other = result(
        capsys, "example-predictions", "--procedure", "roc-hull", "--pos-label", "benign"
    )
    assert other["positive"] == "benign"


def test_selection_counts_the_largest_posteriors_of_the_true_class(capsys):
    found = result(capsys, "example-predictions", "--procedure", "multinomial-selection")
    is_ill = TRUTH[A] == "malignant"
    of_truth = np.array(
        [np.where(is_ill, *(shares_of(n, c) for c in ("malignant", "benign"))) for n in (A, B, C)]
    )
    is_top = of_truth == of_truth.max(axis=0)
    assert found["wins"] == pytest.approx((is_top / is_top.sum(axis=0)).sum(axis=1).tolist())
    assert any("Probabilities of few values: c45" in text or "5nn (" in text
               for text in found["warnings"])  # fmt: skip


@pytest.mark.parametrize(
    ("name", "learners"),
    [("mcnemar", (A, B)), ("looney-f", ()), ("looney-f-plus", ()), ("multinomial-selection", ()),
     ("delong", (A, B)), ("cochran-q", ()), ("row-randomization", ())],
)  # fmt: skip
@pytest.mark.parametrize("cv", ["1xholdout", "2x5"])
def test_a_store_gives_what_its_comparison_gives(capsys, tmp_path, name, learners, cv):
    path = tmp_path / "runs.db"
    compared = compare([A, B, C], "breast_cancer", cv=cv, store=path, progress=False)
    expected = compared.test(name, *learners)
    with Store(path) as store:
        assert str(apply_procedure(store, name, *learners)) == str(expected)
    named = ("--learners", ",".join(learners)) if learners else ()
    assert main(["compare-scores", "--store", str(path), "--procedure", name, *named]) == 0
    assert capsys.readouterr().out == f"{expected}\n"


def test_the_example_tables_are_those_that_their_program_writes():
    from tests.example_tables import tables

    for name, table in tables().items():
        known = open_table(name, fills_row=lambda header, row: False).columns
        assert [*known] == [*table.columns]
        written = table.to_csv(index=False).splitlines()
        assert len(written) == len(known["learner"]) + 1
    assert tuple(sorted(tables())) == EXAMPLES
