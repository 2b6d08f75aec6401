"""Without variance nothing is significant, and nothing is practically equivalent either."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from bestofk import compare, compare_scores
from bestofk.inference.many_learners.pair_evidence import compare_on_splits
from bestofk.inference.sampling import Sampling
from bestofk.inference.two_learners.catalogue import PAIRED_TESTS
from bestofk.recommendation.fixed_orders import significant_wins
from bestofk.report.formats.json_text import json_object
from bestofk.verdict import orderings

SPLITS = np.array([0.80, 0.82, 0.78, 0.81, 0.79])


def table(**shifts):
    return pd.DataFrame({name: SPLITS + shift for name, shift in shifts.items()})


def judged(scores, **options):
    return compare_scores(scores, measure="accuracy", **({"cv": "1x5"} | options))


@pytest.mark.parametrize("options", [{}, {"prefer": "given"}, {"rope": 0.1}, {"alpha": 0.4}])
@pytest.mark.parametrize("test", ["corrected-t", "paired-t"])
def test_a_constant_difference_is_neither_significant_nor_equivalent(options, test):
    result = judged(table(a=0.0, b=0.05), test=test, **options)
    assert result.verdict.edges == []
    is_preferred = "prefer" in options
    assert result.verdict.pairs[0].answer == ("not tested" if is_preferred else "undecided")
    said = "not tested" if is_preferred else "can't tell"
    assert result.table["versus_pick"].tolist() == ["pick", said]
    assert f"{'Not tested: b' if is_preferred else 'Cannot be ruled out: a'}." in " ".join(
        result.answer
    )
    text = str(result).replace("\n", " ")
    assert "The differences hardly vary over 5 splits, and a test needs variance." in text
    for word in ("ignificantly", "About the same:"):
        assert word not in " ".join(result.answer)
    pair = json.loads(json.dumps(json_object(result), default=str))["pairs"][0]
    assert pair["zero_variance"]
    assert "5 splits" in pair["no_test"]


def test_scores_that_are_equal_on_every_split_are_the_same_scores():
    result = judged(table(a=0.0, b=0.0, c=-0.2))
    assert "Same scores: b." in " ".join(result.answer)
    assert result.table.set_index("learner").loc["b", "versus_pick"] == "same scores"
    assert result.verdict.pairs[0].answer == "practically equivalent"
    assert "a and b: the same scores on all 5 splits." in result.verdict.warnings


@pytest.mark.parametrize("seed", range(20))
def test_no_answer_rests_on_less_variance_than_one_row_makes(seed):
    """One split differs from the others by some rows: significant only from one row on."""
    rng = np.random.default_rng(seed)
    n_test, n_splits = int(rng.integers(5, 200)), int(rng.integers(3, 12))
    base = rng.integers(0, n_test // 2, n_splits) / n_test
    options = {"cv": None, "n_train": 4 * n_test, "n_test": n_test}
    for scale in (1, 100):
        for n_rows in (0, 0.5, 0.99, 1, 2):
            other = base + 0.4
            other[0] += n_rows / n_test
            scores = pd.DataFrame({"a": base, "b": other}) * scale
            (pair,) = judged(scores, **options).verdict.pairs
            assert pair.zero_variance == (n_rows < 1), (n_rows, scale)
            assert np.isnan(pair.p_value) == (n_rows < 1)


@pytest.mark.parametrize("name", PAIRED_TESTS)
def test_every_test_of_pairs_leaves_constant_differences_open(name):
    shape = {"5x2cv-t": (5, 2), "paired-t": (1, 10)}.get(name, (10, 10))
    scheme = "forward" if PAIRED_TESTS[name].is_over_time else "k-fold"
    sampling = Sampling(scheme, *shape, n_train=50, n_test=50)
    base = np.random.default_rng(0).uniform(0.1, 0.2, (np.prod(shape), 1))
    losses = base + np.array([0, 0, 0.05])
    evidence = compare_on_splits(losses, name, sampling, is_complete=True)
    p_values = [evidence.compared.p_greater, evidence.compared.p_less]
    assert np.array_equal(p_values, np.ones((2, 3, 3)))
    assert evidence.is_open.tolist() == [[False, False, True]] * 2 + [[True, True, False]]
    assert evidence.is_same[0].tolist() == [True, True, False]


@pytest.mark.parametrize("spread", [0.0, 0.01])
def test_no_ordering_rejects_without_variance(spread):
    base = spread * np.linspace(-1, 1, 6)[:, None]
    losses = 0.3 + base + [[0.0, -0.05, -0.1]]
    sampling = Sampling("k-fold", 1, 6, n_train=50, n_test=10)
    rows = {row.name: row for row in orderings(losses, sampling=sampling, names=list("abc")).rows}
    for name in ("multitest-holm", "multitest-bonferroni"):
        assert rows[name].order == ("a", "b", "c")
    assert rows["testfirst"].best is None
    for name in ("candidates", "with-the-best"):
        assert (rows[name].best, rows[name].may_be_best) == (None, ("a", "b", "c"))
    if spread == 0:
        assert (rows["anova"].best, rows["newman-keuls"].best) == ("a", "a")


def test_a_constant_difference_is_no_significant_win():
    wins = significant_wins([[SPLITS, SPLITS + 0.05, SPLITS - [0.2, 0.3, 0.25, 0.28, 0.22]]],
                            n_train=4, n_test=1)  # fmt: skip
    assert wins.tolist() == [[1.0, 1.0, -2.0]]


class WrongOnFirst(ClassifierMixin, BaseEstimator):
    """Is wrong on so many of the test rows that come first."""

    def __init__(self, n_wrong=1):
        self.n_wrong = n_wrong

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        predicted = X[:, 0].astype(int)
        predicted[: self.n_wrong] = 1 - predicted[: self.n_wrong]
        return predicted


class OffBy(RegressorMixin, BaseEstimator):
    """Is off by as much on every row."""

    def __init__(self, size=1.0):
        self.size = size

    def fit(self, X, y):
        return self

    def predict(self, X):
        return X[:, 0] + self.size


TARGET = np.tile([0, 1], 100)
LEARNERS = {"one": WrongOnFirst(1), "uno": WrongOnFirst(1), "two": WrongOnFirst(2),
            "five": WrongOnFirst(5)}  # fmt: skip


@pytest.mark.usefixtures("in_this_process")
def test_where_predictions_are_stored_the_rows_of_one_repeat_answer():
    result = compare(LEARNERS, TARGET[:, None].astype(float), TARGET, cv="2x10")
    (pair,) = (p for p in result.verdict().pairs if (p.first, p.second) == ("one", "five"))
    # 40 discordant rows, all for the same learner: the mid-p of McNemar's test
    assert pair.p_value == pytest.approx(2 * 0.5**40 - 0.5**40)
    assert result.table["versus_pick"].tolist() == ["pick", "same scores", "worse", "worse"]
    said = (
        "the differences hardly vary over 20 splits, so the answer is that of McNemar's test of "
        "the 200 rows of one repeat"
    )
    assert pair.no_test == said
    assert said in str(result.explain("one", "five"))
    assert str(result.explain("uno", "one")).startswith("uno and one have the same scores.")
    assert result.findings.claim.reason == "differences hardly vary over 20 splits"


@pytest.mark.usefixtures("in_this_process")
def test_without_predictions_it_is_not_known():
    result = compare(LEARNERS, TARGET[:, None].astype(float), TARGET, cv="1x10", keep="scores")
    assert result.table["versus_pick"].tolist() == ["pick", "same scores"] + ["can't tell"] * 2
    assert "and a test needs variance" in str(result.explain("one", "two"))


def test_signs_of_rows_are_exchanged_where_rows_are_not_right_or_wrong():
    y = np.linspace(0, 1, 40)
    result = compare({"near": OffBy(1), "far": OffBy(2)}, y[:, None], y, cv="1x4", scoring="mae")
    (pair,) = result.verdict().pairs
    assert "so the answer is that of random signs of the 40 rows of one repeat" in pair.no_test
    assert (pair.answer, pair.finding) == ("better", "near is better")
    assert 0 < pair.p_value < 0.001
