"""Recommendations and calibrations on engines: the numbers are those of this process."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from tests.engines import Outside, digest

from bestofk import compare, recommend
from bestofk.calibration.claims import calibrate_claims
from bestofk.calibration.simulation import calibrate
from bestofk.cli import main
from bestofk.data import load_data, twonorm
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation.engines.engine import LOST, Done, Engine
from bestofk.recommendation.history import History

ENGINES = ["processes", "dask"]


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0"
    ) as started:
        yield started


@pytest.fixture
def engine(request):
    """The engine of a name."""
    if request.param != "dask":
        return request.param
    address = request.getfixturevalue("cluster").scheduler_address
    return address.replace("tcp://", "dask://")


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES, indirect=True)
def test_levels_of_tests_do_not_depend_on_the_engine(engine):
    learners = {"nearest-mean": "nearest-mean", "outside": Outside(), "linear-svm": "linear-svm"}
    options = {"tests": ["corrected-t@2x2", "mcnemar"], "n_data_sets": 7, "random_state": 3}
    here = calibrate(learners, load_data("iris"), **options)
    steps = []
    there = calibrate(
        learners, load_data("iris"), engine=engine, n_jobs=2,
        progress=lambda *done: steps.append(done), **options,
    )  # fmt: skip
    assert steps == [(number, 7) for number in range(1, 8)]
    values = [[level.p_values.tolist() for level in result.levels] for result in (here, there)]
    assert values[0] == values[1]
    assert len({p_value for level in values[0] for p_value in level}) > 5


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES, indirect=True)
def test_claims_and_their_truth_do_not_depend_on_the_engine(engine):
    options = {"n_rows": (60, 80), "n_subsamples": 2, "random_state": 3, "progress": False}
    learners = ["nearest-mean", "cart", "lda"]
    here, there = (
        calibrate_claims(learners, twonorm(3000), engine=item, n_jobs=n_jobs, **options)
        for item, n_jobs in (("serial", None), (engine, 2))
    )
    cases = [
        [{**case.to_dict(), "seconds": 0} for case in result.cases] for result in (here, there)
    ]
    assert len(cases[0]) == 4
    assert cases[0] == cases[1]


FIRST_COLUMN = ColumnTransformer([("first", "passthrough", [0])])
LEARNERS = {
    "svm": "svm",
    "nearest-mean": "nearest-mean",  # batched
    "first-column": make_pipeline(FIRST_COLUMN, SVC()),  # given up after three folds
}


@pytest.fixture
def at_once(monkeypatch):
    """Hand out everything but the first run of a learner."""
    monkeypatch.setattr("bestofk.evaluation.queue.run_queue._PARALLEL_SECONDS", 0.0)


def recommended(learners=LEARNERS, **options):
    """Return a recommendation whose order rests on no seconds."""
    n = len(learners)
    history = History.from_arrays(
        [np.linspace(0.9, 0.5, n), np.linspace(0.8, 0.4, n)], np.full((2, n), np.nan),
        learners=list(learners),
    )  # fmt: skip
    return recommend("iris", learners=learners, history=history, **options)


@pytest.fixture(scope="module")
def recommended_here():
    return recommended()


@pytest.mark.slow
@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("engine", ENGINES, indirect=True)
def test_what_is_recommended_does_not_depend_on_the_engine(engine, recommended_here):
    there = recommended(engine=engine, n_jobs=2)
    tried = [
        [(item.learner, item.state, item.n_folds, item.loss) for item in result.tried]
        for result in (recommended_here, there)
    ]
    states = [item[:3] for item in tried[0]]
    assert states[:2] == [("svm", "done", 10), ("nearest-mean", "done", 10)]
    assert states[2] == ("first-column", "ended early", 3)
    assert tried[0] == tried[1]
    assert digest(there.comparison.evaluation) == digest(recommended_here.comparison.evaluation)
    crowded = there.comparison.evaluation.records[0].is_crowded
    assert crowded.tolist() == [False] + [True] * 9


@pytest.mark.usefixtures("at_once")
def test_without_an_engine_any_more_what_was_tried_is_judged():
    learners = {name: LEARNERS[name] for name in ("nearest-mean", "svm", "first-column")}
    with ThreadPoolExecutor(1) as pool:
        pass  # it takes no work any more
    result = recommended(learners, engine=pool)
    assert [item.learner for item in result.tried] == ["nearest-mean"]
    assert {why for _, why in result.untried} == {"interrupted"}
    assert "engine must be an executor that takes work; got a ThreadPoolExecutor" in str(result)


def test_an_engine_that_is_none_is_refused():
    with pytest.raises(InvalidArgumentError, match="engine must be serial, processes, dask"):
        recommended(engine="ray")


class Losing(Engine):
    """Loses every block."""

    n_slots = 2

    def __init__(self):
        self.blocks = []

    def put(self, blob):
        return blob

    def submit(self, function, ref, block):
        self.blocks.append(block)

    def wait(self, seconds):
        return [Done(self.blocks.pop(), LOST)]

    def drop(self):
        self.blocks.clear()

    def close(self):
        self.drop()


@pytest.mark.usefixtures("at_once")
def test_runs_that_were_lost_are_no_interruption(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr("bestofk.evaluation.queue.handed_out._PAUSES", ())
    monkeypatch.setattr("bestofk.evaluation.queue.runner._TIMED_ALONE", 1)
    monkeypatch.setattr(
        "bestofk.evaluation.queue.run_queue.started_engine", lambda *given: Losing()
    )
    command = ["compare", "iris", "--cv", "2x5", "--learners", "svm,linear-svm", "--n-jobs", "2"]
    assert main([*command, "--store", str(tmp_path / "runs.db")]) == 1
    shown = capsys.readouterr()
    assert "Some runs were lost. Completed runs are saved." in shown.err.splitlines()
    assert "18 runs were lost" in " ".join(shown.out.split())
    assert "Interrupted" not in shown.err + shown.out


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES, indirect=True)
def test_choices_of_tuned_learners_do_not_depend_on_the_engine(engine):
    learners = "tuned(knn),tuned(cart),tuned(naive-bayes,rule=best)"
    here = compare(learners, "wine", cv="2x3")
    there = compare(learners, "wine", cv="2x3", engine=engine, n_jobs=2)
    for index in range(3):
        pd.testing.assert_frame_equal(
            there.evaluation.choices(index), here.evaluation.choices(index)
        )
    np.testing.assert_array_equal(there.to_frame()["value"], here.to_frame()["value"])
