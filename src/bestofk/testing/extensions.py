"""Checks of learners, measures and paired tests that are to be registered."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd

from bestofk.errors import BestofkError
from bestofk.inference import PairedTest, Sampling
from bestofk.learners import LearnerEntry
from bestofk.measures import Measure, PredictionBatch


def check_learner(entry: LearnerEntry) -> None:
    """Raise unless an entry makes learners as those of the catalogue are.

    They are new, of the task that is stated and described; they leave random numbers and the
    number of jobs open; they repeat to the bit, and take a table with gaps and any kind of column.
    Whether the estimator keeps the rules of scikit-learn is for its `check_estimator`.

    Parameters
    ----------
    entry : LearnerEntry
        What `register_learner` takes.

    Raises
    ------
    AssertionError
        If a rule is broken.

    Examples
    --------
    >>> from bestofk.learners import learner_catalogue
    >>> check_learner(learner_catalogue()["naive-bayes"])
    """
    for check in LEARNER_CHECKS:
        check(entry)


def check_measure(measure: Measure, batch: PredictionBatch) -> None:
    """Raise unless a measure has values in its range that depend on no other run.

    Values of runs are means over rows where the measure says so.

    Parameters
    ----------
    measure : Measure
        What `register_measure` takes.
    batch : PredictionBatch
        Predictions of some runs, for example with one class only.

    Raises
    ------
    AssertionError
        If a rule is broken.

    Examples
    --------
    >>> from bestofk.measures import get_measure
    >>> y = np.array([0, 1, 1, 0, 1])
    >>> batch = PredictionBatch(y, y[::-1], np.array([0, 3, 5]), np.array(["no", "yes"]))
    >>> check_measure(get_measure("error", task="classification", classes=["no", "yes"]), batch)
    """
    together = measure.compute(batch)
    bounds = zip(batch.starts[:-1], batch.starts[1:], strict=True)
    alone = [
        measure.compute(batch.of_rows(slice(i, j), np.array([0, j - i])))[0] for i, j in bounds
    ]
    np.testing.assert_array_equal(together, np.array(alone), err_msg=measure.name)
    defined = together[~np.isnan(together)]
    _require(len(defined) == len(together) or measure.undefined != "", "undefined says why of nan")
    in_range = (defined >= measure.minimum - 1e-12) & (defined <= measure.maximum + 1e-12)
    _require(in_range.all(), f"values of {measure.name} are from minimum to maximum")
    if measure.is_row_mean:
        rows = measure.compute(replace(batch, starts=np.arange(len(batch.y_true) + 1)))
        means = np.add.reduceat(rows, batch.starts[:-1]) / batch.lengths
        np.testing.assert_allclose(means, together, rtol=1e-12, atol=1e-12, err_msg=measure.name)


def check_paired_test(test: PairedTest, sampling: Sampling) -> None:
    """Raise unless a test has p values that suit each other and refuses scores that it cannot use.

    Parameters
    ----------
    test : PairedTest
        What `register_paired_test` takes.
    sampling : Sampling
        A plan that it does not refuse.

    Raises
    ------
    AssertionError
        If a rule is broken.

    Examples
    --------
    >>> from bestofk.inference import paired_test
    >>> check_paired_test(paired_test("paired-t"), Sampling("k-fold", 1, 10))
    """
    a, b = np.random.default_rng(0).uniform(size=(2, sampling.n_scores)).round(2)
    p = {side: test.result(a, b, sampling=sampling, alternative=side).p_value
         for side in ("greater", "less", "two-sided")}  # fmt: skip
    mirrored = test.result(b, a, sampling=sampling, alternative="less").p_value
    _require(all(0 <= value <= 1 for value in p.values()), "p values are from 0 to 1")
    _require(abs(p["greater"] - mirrored) <= 1e-9, "swapped learners swap the sides")
    _require(p["greater"] + p["less"] >= 1 - 1e-9, "the sides cover everything")
    _require(p["two-sided"] >= min(p["greater"], p["less"]) - 1e-9, "two sides are not below one")
    for bad in (np.where(np.arange(len(b)) == 1, np.nan, b), b[:-1], np.full(len(b), "text")):
        try:
            test.result(a, bad, sampling=sampling)
        except BestofkError:
            continue
        raise AssertionError(f"{test.name} must refuse scores that do not pair; got {bad}.")


def _require(holds: bool | np.bool_, rule: str) -> None:
    if not holds:
        raise AssertionError(f"This must hold, and does not: {rule}.")


def _entry_is_described(entry: LearnerEntry) -> None:
    from sklearn.base import is_classifier, is_regressor

    first, second = entry.make(), entry.make()
    _require(first is not second, "every learner is a new one")
    is_of_task = is_classifier if entry.task == "classification" else is_regressor
    _require(is_of_task(first), "the learner is of the task of its entry")
    _require(len(entry.title) > 3, "the title says what the learner is")
    _require(entry.description.endswith("."), "the description is a sentence")
    _require(list(first.named_steps) == ["prepare", "learner"], "the steps have their names")


def _random_state_is_open(entry: LearnerEntry) -> None:
    parameters = entry.make().get_params()
    for name in ("random_state", "learner__random_state"):
        _require(parameters.get(name) is None, f"{name} is left open")
    n_jobs = parameters.get("learner__n_jobs")
    _require(n_jobs in (None, 1), "learner__n_jobs is left open, or 1")


def _same_random_state_gives_the_same_bits(entry: LearnerEntry) -> None:
    from sklearn.datasets import load_diabetes, load_wine
    from threadpoolctl import threadpool_limits

    load = load_wine if entry.task == "classification" else load_diabetes
    X, y = load(return_X_y=True)
    X, y = X[::2].copy(), y[::2]
    X[::7, 0] = np.nan
    outputs = []
    for _ in range(2):
        with threadpool_limits(1):
            learner = entry.make().set_params(random_state=3).fit(X, y)
            outputs.append([learner.predict(X), *(
                getattr(learner, scores)(X)
                for scores in ("predict_proba", "decision_function") if hasattr(learner, scores)
            )])  # fmt: skip
    for first, second in zip(*outputs, strict=True):
        np.testing.assert_array_equal(first, second, err_msg=entry.name)


def _takes_a_table_of_all_kinds_of_columns(entry: LearnerEntry) -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "size": rng.normal(size=60),
            "color": pd.Categorical(rng.choice(["red", "blue", "green"], 60)),
            "word": rng.choice(["yes", "no"], 60),
            "flag": rng.random(60) < 0.5,
            "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, 60), "D"),
            "empty": np.nan,
        }
    )
    y = table["size"].to_numpy() + (table["word"] == "yes")
    y = np.where(y > 0.5, "high", "low") if entry.task == "classification" else y
    table.loc[::9, ["size", "color", "word", "day"]] = None
    learner = entry.make().set_params(random_state=0).fit(table[:40], y[:40])
    predicted = learner.predict(table[40:])
    _require(predicted.shape == (20,), "every row gets a prediction")
    if entry.task == "regression":
        _require(np.isfinite(predicted).all(), "predicted values are finite")
        return
    _require(set(predicted) <= {"high", "low"}, "predicted classes are those of the target")
    is_better = entry.is_baseline or (predicted == y[40:]).mean() >= 0.6
    _require(is_better, "an easy target is learned")


LEARNER_CHECKS: tuple[Callable[[LearnerEntry], None], ...] = (
    _entry_is_described,
    _random_state_is_open,
    _same_random_state_gives_the_same_bits,
    _takes_a_table_of_all_kinds_of_columns,
)
