"""The same numbers everywhere: serially, in workers, guarded, in any order and company."""

import numpy as np
import pytest

from bestofk.data import load_data
from bestofk.evaluation import EvaluationRequest, Store, evaluate
from bestofk.evaluation.guarded.limits import Limits
from bestofk.learners import learner_catalogue, resolve_learners
from bestofk.resampling import make_plan


def predictions(data, plan, names, **options):
    """Return the stored predictions of each learner by name."""
    learners = resolve_learners(list(names), data.task)
    with Store(None) as store:
        evaluation = evaluate(EvaluationRequest(data, plan, learners, **options), store)
    assert (evaluation.status == "ok").all(), evaluation.messages(0)
    return dict(zip(evaluation.names, evaluation.records, strict=True))


def assert_same(first, second):
    for item, two in zip(first, second, strict=True):
        a, b = item.predictions, two.predictions
        for name in ("labels", "probabilities", "decision"):
            x, y = getattr(a, name), getattr(b, name)
            assert (x is None) == (y is None)
            if x is not None:
                np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize(
    ("name", "task", "step"),
    [
        ("wine", "classification", 5),  # the catalogue in part
        pytest.param("wine", "classification", 1, marks=pytest.mark.slow),
        pytest.param("diabetes", "regression", 1, marks=pytest.mark.slow),
    ],
)
def test_the_whole_catalogue_gives_the_same_bits_whoever_runs_it(name, task, step, monkeypatch):
    monkeypatch.setattr("bestofk.evaluation.queue.run_queue._PARALLEL_SECONDS", 0.0)
    data = load_data(name)
    plan = make_plan(data, "1x2")
    names = list(learner_catalogue(task))[::step]
    serial = predictions(data, plan, names)
    ways = {
        "two workers": predictions(data, plan, names, n_jobs=2),
        "guarded": predictions(data, plan, names, limits=Limits(300.0)),
        "backwards": predictions(data, plan, names[::-1]),
        "alone": predictions(data, plan, names[-1:]),
    }
    for way in ways.values():
        for learner, records in way.items():
            assert_same(records, serial[learner])
