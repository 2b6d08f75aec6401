"""The command `compare-scores` with orderings, and with error counts in place of a table."""

import json
import math

import numpy as np
import pytest
from scipy import stats
from tests.calls import printed, refused

from bestofk.errors import InvalidArgumentError
from bestofk.inference import mcnemar_from_counts, proportion_interval, two_proportion_z_test

# Ten losses of three learners, from simple to involved: b and c beat a, and are alike.
LOSSES = np.array([0.30, 0.20, 0.199]) + 0.01 * np.random.default_rng(1).normal(size=(10, 3))


@pytest.fixture
def folds(tmp_path):
    path = tmp_path / "folds.csv"
    path.write_text("a,b,c\n" + "\n".join(",".join(map(str, row)) for row in LOSSES) + "\n")
    return [str(path), "--measure", "error", "--cv", "5x2"]


def judged(capsys, *words):
    return printed(capsys, "compare-scores", *words)


def refusal(capsys, *words):
    return refused(capsys, "compare-scores", *words)


@pytest.mark.parametrize(
    ("name", "best"),
    [
        ("testfirst", None),  # the lowest mean does not beat b
        ("anova-selector", None),
        ("newman-keuls", "b"),
        ("multitest", "b"),
        ("lowest-mean", "c"),
        ("candidates", None),
    ],
)
def test_an_ordering_names_its_best(capsys, folds, name, best):
    assert LOSSES.mean(axis=0).argmin() == 2
    assert stats.f_oneway(*LOSSES.T).pvalue < 0.05
    (row,) = json.loads(judged(capsys, *folds, "--ordering", name, "--json"))["rows"]
    assert row["best"] == best
    text = judged(capsys, *folds, "--ordering", name)
    assert text.splitlines()[1].removeprefix(f"  {row['title']}  ").startswith(best or "none")


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        (["--ordering", "testfrst"], "Did you mean 'testfirst'"),
        (["--ordering", "testfirst", "--all-orderings"], "--ordering must come without"),
        (["--all-orderings", "--center", "median"], "--center must come without --all-orderings"),
        (["--all-orderings", "--rope", "0.1"], "--rope must come without --all-orderings"),
        (["--ordering", "anova", "--correction", "holm"], "--correction must come without"),
        (["--ordering", "anova", "--procedure", "anova"], "--procedure must come without"),
    ],
)
def test_what_an_ordering_has_no_use_for_is_refused(capsys, folds, told, sentence):
    assert sentence in refusal(capsys, *folds, *told)


def test_medians_pick_and_stand_in_the_answer(capsys, tmp_path):
    rows = ["dataset,repeat,fold,a,b", *(f"x,{i},0,{0.6 if i == 4 else 0.1},0.2" for i in range(5))]
    (tmp_path / "x.csv").write_text("\n".join(rows))
    told = (str(tmp_path / "x.csv"), "--measure", "error", "--center", "median")
    sizes = ("--n-train", "90", "--n-test", "10")
    line = "Use a: 10.0% error, the median of 5 repeats (mean 20.0% error).\n"
    assert judged(capsys, *told, *sizes, "--quiet").startswith(line)
    second = [row.replace("x", "y") for row in rows[1:]]
    (tmp_path / "x.csv").write_text("\n".join([*rows, *second]))
    assert "--center must be mean with many data sets" in refused(
        capsys, "compare-scores", *told, *sizes
    )


@pytest.mark.parametrize(
    "errors",
    [
        ["--errors", "15/30", "5/5000"],
        ["5/5000", "--errors", "15/30"],
        ["--errors", "15/30", "--errors", "5/5000"],
    ],
)
def test_two_error_counts_are_compared_without_a_table(capsys, errors):
    told = [*errors, "--procedure", "two-proportion-z"]
    result = json.loads(judged(capsys, *told, "--json"))
    variance = 0.5 * 0.5 / 30 + 0.001 * 0.999 / 5000
    z = (15 / 30 - 5 / 5000) / math.sqrt(variance)
    assert result["statistic"] == pytest.approx(z)
    assert result["p_value"] == pytest.approx(2 * stats.norm.sf(z))
    assert "p value                    4.598e-08 (two-sided)" in printed(
        capsys, "compare-scores", *told
    )
    pooled = json.loads(judged(capsys, *told, "--option", "variance=pooled", "--json"))
    share = 20 / 5030
    by_hand = 0.499 / math.sqrt(share * (1 - share) * (1 / 30 + 1 / 5000))
    assert pooled["statistic"] == pytest.approx(by_hand)


@pytest.mark.parametrize("method", ["wilson", "clopper-pearson"])
def test_an_error_count_has_an_interval(capsys, method):
    told = ["--procedure", "proportion_interval", "--errors", "20/100"]
    options = ["--option", f"method={method}", "--option", "level=0.9", "--json"]
    result = json.loads(judged(capsys, *told, *options))
    name = {"wilson": "wilson", "clopper-pearson": "exact"}[method]
    limits = stats.binomtest(20, 100).proportion_ci(0.9, method=name)
    assert (result["low"], result["high"]) == pytest.approx((limits.low, limits.high))


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("0.2/30 0.25/5000", "--errors 6/30 1250/5000"),
        ("0.15/30 0.25/5000", "0.15 of 30 rows is 4.5, no whole number. Type: {} ERRORS/30 1250/5"),
        ("20%/30 5/7", "got shares (20%/30). Type: {} 6/30 5/7"),
        (".333/30 33.3%/30", "--errors 10/30 10/30"),
        ("1.0/30 0.0/30", "--errors 30/30 0/30"),
        ("0.333/3000 5/7", "--errors 999/3000 5/7"),
        ("0.3333/33333 5/7", "is 11109.8889, no whole number. Type: {} ERRORS/33333 5/7"),
    ],
)
def test_shares_are_no_counts_and_the_line_to_type_is_said(capsys, typed, line):
    told = ["--procedure", "two_proportion_z", "--errors", *typed.split()]
    command = "bestofk compare-scores --procedure two-proportion-z --errors"
    assert line.format(command) in refusal(capsys, *told)


def test_the_line_that_is_said_for_shares_of_counts_has_these_counts(capsys):
    for n_rows in (1, 7, 30, 99, 5000):
        for n_errors in {0, 1, n_rows // 3, n_rows - 1, n_rows}:
            share = f"{n_errors / n_rows:.6f}"
            told = ["--procedure", "proportion-interval", "--errors", f"{share}/{n_rows}"]
            assert refusal(capsys, *told).endswith(f"--errors {n_errors}/{n_rows}")


@pytest.mark.parametrize("count", [0.15, 4.5, -1, float("nan"), "15%"])
def test_functions_of_counts_refuse_what_is_no_whole_number(count):
    for call in (
        lambda: proportion_interval(count, 30),
        lambda: mcnemar_from_counts(count, 3),
        lambda: mcnemar_from_counts(3, count),
        lambda: mcnemar_from_counts(3, 2, n=30, n_both_wrong=count),
        lambda: two_proportion_z_test(0.5, count, 0.5, 30),
    ):
        with pytest.raises(InvalidArgumentError, match="must be a whole number"):
            call()


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        (["--errors", "15/30"], "--errors must come with --procedure"),
        (["--errors", "15/30", "--procedure", "anova"], "must be one of error counts"),
        (["--errors", "15/30", "--procedure", "two-proportion-z"], "must be 2 times ERRORS/ROWS"),
        (["--errors", "31/30", "--procedure", "proportion-interval"], "at most as many errors"),
        (["--errors", "x", "--procedure", "proportion-interval"], "must be ERRORS/ROWS"),
        (["--errors", "4.5/30", "--procedure", "proportion-interval"], "in whole numbers"),
        (["--errors", "1/9.5", "--procedure", "proportion-interval"], "must be ERRORS/ROWS"),
        (
            ["--errors", "1/9", "--procedure", "proportion-interval", "--measure", "error"],
            "--measure must come without --errors",
        ),
        (
            ["--errors", "1/9", "--procedure", "proportion-interval", "--option", "metod=normal"],
            "got 'metod'. Did you mean 'method'",
        ),
        (
            [],
            "or --store must be given; got none",
        ),
    ],
)
def test_what_counts_cannot_do_is_refused(capsys, told, sentence):
    assert sentence in refusal(capsys, *told)
