"""Verdicts by medians of repeats."""

import numpy as np
import pandas as pd
import pytest

from bestofk import compare, compare_scores
from bestofk.errors import InvalidArgumentError
from bestofk.report.sections import learner_table

# One bad repeat of five draws the mean of the first learner above that of the second.
SKEWED = pd.DataFrame(
    {
        "bad-once": [0.10, 0.12, 0.11, 0.11, 0.09, 0.11, 0.10, 0.12, 0.60, 0.62],
        "steady": [0.15, 0.16, 0.14, 0.15, 0.16, 0.14, 0.15, 0.15, 0.15, 0.16],
    }
)


def test_a_few_bad_repeats_do_not_move_the_median():
    by_mean = compare_scores(SKEWED, measure="error", cv="5x2")
    by_median = compare_scores(SKEWED, measure="error", cv="5x2", center="median")
    assert (by_mean.best, by_median.best) == ("steady", "bad-once")
    assert by_median.verdict.order == ["bad-once", "steady"]
    assert by_median.verdict.center == "median"
    said = " ".join(by_median.verdict.warnings)
    assert "Picked by the median of 5 repeats; the means pick steady." in said
    assert str(by_median).startswith(
        "Use bad-once: 11.0% error, the median of 5 repeats (mean 20.8% error)."
    )
    # tests are the same
    pd.testing.assert_frame_equal(by_mean.pairs()[["p_value"]], by_median.pairs()[["p_value"]])


@pytest.mark.parametrize("seed", range(20))
def test_the_pick_equals_a_plain_computation(seed):
    losses = np.random.default_rng(seed).choice([0.1, 0.2, 0.3, 0.9], size=(14, 4))
    table = pd.DataFrame(losses, columns=list("abcd"))
    verdict = compare_scores(table, measure="error", cv="7x2", center="median").verdict
    medians = {
        name: float(np.median([np.mean(losses[2 * r : 2 * r + 2, j]) for r in range(7)]))
        for j, name in enumerate("abcd")
    }
    assert medians[verdict.best] == pytest.approx(min(medians.values()))
    ordered = [medians[name] for name in verdict.order]
    assert ordered == pytest.approx(sorted(ordered))


def test_the_runs_of_a_comparison_are_weighed_by_medians_too():
    result = compare("1nn,lda,nearest-mean", "wine", cv="3x2", center="median")
    means = result.verdict(center="mean")
    assert (result.findings.verdict.center, means.center) == ("median", "mean")
    assert "medians" in str(result) or "median of 3 repeats" in str(result)
    assert result.findings.reseeding.best is None
    assert "the median of 3 repeats (mean " in " ".join(result.answer)
    assert learner_table(result.findings).heads[:3] == ["learner", "median", "error"]
    once = compare("1nn,lda", "wine", cv="1x3", center="median")
    assert "which are the means of fewer than three" in " ".join(once.findings.verdict.warnings)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"center": "mode", "cv": "3x2"}, "center must be 'mean' or 'median'; got 'mode'"),
        ({"center": "median"}, "cv must be a plan of repeats where center is 'median'"),
        ({"center": "median", "cv": "3x2", "prefer": "given"}, "where a preference decides"),
    ],
)
def test_what_does_not_fit_is_refused(options, message):
    with pytest.raises(InvalidArgumentError, match=message):
        compare("1nn,lda", "iris", **options)


def test_medians_of_many_data_sets_are_refused():
    with pytest.raises(InvalidArgumentError, match="center must be 'mean' with many data sets"):
        compare(["lda", "1nn"], {"a": "iris", "b": "wine"}, cv="1x3", center="median")
