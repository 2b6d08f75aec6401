"""Bootstrap samples tested on all rows."""

import numpy as np
import pytest
from sklearn.base import clone

from bestofk import compare, load_data
from bestofk.learners import named_learner
from bestofk.resampling import make_plan


def test_the_samples_are_those_tested_out_of_bag_and_every_row_is_tested():
    data = load_data("iris")
    full, out_of_bag = (make_plan(data, f"5xbootstrap{end}") for end in (":full", ""))
    for one, other in zip(full, out_of_bag, strict=True):
        np.testing.assert_array_equal(one.train_rows, other.train_rows)
        np.testing.assert_array_equal(one.test_rows, np.arange(150))
    assert full.title == "5 bootstrap samples tested on all rows, stratified"
    assert full.id != out_of_bag.id


def test_scores_are_those_of_a_plain_loop_and_too_good():
    data = load_data("iris")
    result = compare("1nn,nearest-mean", data, cv="6xbootstrap:full")
    plan = make_plan(data, "6xbootstrap:full")
    X, y = data.features, np.asarray(data.target)
    for name in ("1nn", "nearest-mean"):
        errors = []
        for split in plan:
            model = clone(named_learner(name)).fit(X.iloc[split.train_rows], y[split.train_rows])
            errors.append((model.predict(X) != y).mean())
        own = result.to_frame().query("learner == @name and measure == 'error'")["value"]
        np.testing.assert_allclose(own, errors, atol=1e-12)
    honest = compare("1nn,nearest-mean", data, cv="6xbootstrap").table.set_index("learner")
    flattered = result.table.set_index("learner")
    assert flattered.loc["1nn", "error"] < 0.6 * honest.loc["1nn", "error"]


def test_the_report_says_the_bias_and_makes_no_claim():
    result = compare("1nn,nearest-mean", "iris", cv="6xbootstrap:full")
    assert "rows that it trained on" in " ".join(result.findings.warnings)
    assert "No claim about new data" in " ".join(result.answer)


def test_a_comparison_goes_on_where_it_stopped(tmp_path):
    store = tmp_path / "runs.db"
    compare("1nn,nearest-mean", "iris", cv="3xbootstrap:full", store=store)
    resumed = compare("1nn,nearest-mean", "iris", cv="6xbootstrap:full", store=store)
    whole = compare("1nn,nearest-mean", "iris", cv="6xbootstrap:full")
    assert resumed.evaluation.n_reused == 6
    np.testing.assert_array_equal(resumed.to_frame()["value"], whole.to_frame()["value"])


@pytest.mark.parametrize("batched", ["always", "never"])
def test_no_batched_form_takes_it(batched):
    result = compare("1nn,nearest-mean", "iris", cv="3xbootstrap:full", batched=batched)
    assert set(result.to_frame()["fit_mode"]) == {"plain"}
