"""Choice of the test of learning and noise curves, and seconds of test rows alone."""

import json

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from tests.unit.curves.given_learners import FirstClass

from bestofk import learning_curve, noise_curve
from bestofk.cli import main
from bestofk.data import from_arrays
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.evaluation import Store
from bestofk.evaluation.guarded import processor_time
from bestofk.learners.nearest_neighbors_classifier import NearestNeighborsClassifier
from bestofk.resampling import make_plan

pytestmark = pytest.mark.usefixtures("in_this_process")

X, y = load_iris(return_X_y=True)
LEARNERS = {"bayes": GaussianNB(), "1nn": NearestNeighborsClassifier(1)}


def learning(**options):
    return learning_curve(LEARNERS, X, y, train_sizes=[9, 60], scoring="error", progress=False,
                          **options)  # fmt: skip


def noise(**options):
    return noise_curve(LEARNERS, X, y, fractions=(0, 0.3), scoring="error", progress=False,
                       **options)  # fmt: skip


CURVES = pytest.mark.parametrize("curve", [learning, noise])


@CURVES
def test_the_paired_t_test_of_one_run_of_folds_is_that_of_scipy(curve):
    result = curve(cv="1x10", test="paired-t")
    expected = [stats.ttest_rel(*of_level).pvalue for of_level in result.test_values]
    np.testing.assert_allclose(result.pairs()["p_value"], expected, rtol=1e-9)
    text = " ".join(result.text().split())
    assert "2 paired t tests of all pairs at all" in text
    assert "rejects too often; corrected-t allows for the overlap. [overlap]" in text


@CURVES
def test_the_5x2cv_t_test_is_its_formula(curve):
    result = curve(cv="5x2", test="5x2cv-t")
    d = (result.test_values[:, 0] - result.test_values[:, 1]).reshape(2, 5, 2)
    t = d[:, 0, 0] / np.sqrt(d.var(axis=2, ddof=1).mean(axis=1))
    np.testing.assert_allclose(result.pairs()["p_value"], 2 * stats.t.sf(abs(t), 5), rtol=1e-9)


@CURVES
def test_the_default_test_stays_the_corrected_one(curve):
    assert curve(cv="2x3").pairs().equals(curve(cv="2x3", test="corrected_t").pairs())


@CURVES
def test_a_test_that_the_plan_cannot_carry_is_refused_before_anything_is_trained(curve):
    with pytest.raises(DesignError, match="Usable here: corrected-t"):
        curve(cv="2x3", test="paired-t")
    with pytest.raises(InvalidArgumentError, match="test of paired scores must be a known name"):
        curve(cv="2x3", test="mcnemar")


@pytest.mark.parametrize(
    "kind", ["learning --sizes 20,60", "noise --kind random-class --fractions 0,0.2"]
)
def test_the_commands_take_a_test(kind, capsys):
    line = f"curve {kind} iris --learners 1nn,nearest-mean --cv 1x10 --test paired-t --json"
    assert main(line.split()) == 0
    assert json.loads(capsys.readouterr().out)["test"] == "paired-t"


class Slow(FirstClass):
    """Learner that takes 2 ms of a made clock to fit a row, and 1 ms to predict one."""

    def fit(self, X, y):
        fits.append(len(X))
        clock[0] += 2 * len(X) / 1000
        return super().fit(X, y)

    def predict(self, X):
        clock[0] += len(X) / 1000
        return super().predict(X)


fits: list[int] = []
clock = [0.0]


@pytest.fixture
def made_clock(monkeypatch):
    monkeypatch.setattr(processor_time.time, "perf_counter", lambda: clock[0])
    monkeypatch.setattr(processor_time, "_own_seconds", lambda: clock[0])
    monkeypatch.setattr(processor_time, "_seconds_of_others", lambda since: 0.0)


def timed(**options):
    given = {"train_sizes": [20, 80], "cv": "1x3", "scoring": "error", "progress": False}
    return learning_curve({"slow": Slow()}, X, y, **(given | options))


@pytest.mark.usefixtures("made_clock")
def test_seconds_of_test_rows_are_those_of_one_fit_per_size_that_predicts_them_alone(tmp_path):
    fits.clear()
    n_test = [len(split.test_rows) for split in make_plan(from_arrays(X, y), "1x3")]
    result = timed(test_seconds=True, store=tmp_path / "runs.db")
    assert fits == [20] * 3 + [80] * 3 + [20, 20, 80]  # a short first fit is timed twice
    np.testing.assert_allclose(result.test_seconds[:, 0], n_test[0] / 1000)
    both = np.array([[n + size for n in n_test] for size in (20, 80)]) / 1000
    np.testing.assert_allclose(result.predict_seconds[:, 0], both)
    assert result.to_frame()["test_seconds"].tolist() == pytest.approx([n_test[0] / 1000] * 2)
    table = result.sections().tables[1]
    assert table.rows[0].cells == ("40 ms / 50 ms", "160 ms / 50 ms")
    with Store(tmp_path / "runs.db") as store:
        assert store.n_runs() == 2 * 3 + 2
    again = timed(test_seconds=True, store=tmp_path / "runs.db")
    assert len(fits) == 9
    np.testing.assert_array_equal(again.test_seconds, result.test_seconds)
    np.testing.assert_array_equal(again.test_values, timed().test_values)


def test_test_rows_are_not_timed_unless_asked_for():
    result = timed()
    assert result.to_frame()["test_seconds"].isna().all()
    assert len(result.sections().tables) == 1


def test_batched_learners_are_timed_by_a_plain_fit(tmp_path):
    given = {"train_sizes": [30, 60], "cv": "2x3", "scoring": "error", "progress": False}
    result = learning_curve(["1nn"], X, y, test_seconds=True, store=tmp_path / "runs.db", **given)
    assert (result.test_seconds > 0).all()
    assert (result.test_values == learning_curve(["1nn"], X, y, **given).test_values).all()
    with Store(tmp_path / "runs.db") as store:
        assert store.n_runs() >= 2 * 6 + 2
