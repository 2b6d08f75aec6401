"""Calibrations on engines: the numbers are those of this process."""

from __future__ import annotations

import pytest
from tests.engines import Outside

from bestofk.calibration.claims import calibrate_claims
from bestofk.calibration.simulation import calibrate
from bestofk.data import load_data, twonorm

ENGINES = ["processes", "dask"]


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=2, dashboard_address=":0"
    ) as started:
        yield started


@pytest.fixture
def engine(request):
    """The engine of a name."""
    if request.param != "dask":
        return request.param
    address = request.getfixturevalue("cluster").scheduler_address
    return address.replace("tcp://", "dask://")


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
