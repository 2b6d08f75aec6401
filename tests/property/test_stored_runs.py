"""Stored runs: which count under some limits is what a plain loop over the records says."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from bestofk.data import from_arrays
from bestofk.evaluation import Store
from bestofk.evaluation.guarded.limits import Limits
from bestofk.evaluation.identity.identity import identify
from bestofk.evaluation.record import Predictions, RunRecord
from bestofk.resampling import make_plan

DATA = from_arrays(np.arange(80.0).reshape(40, 2), np.array([0, 1] * 20))
PLAN = make_plan(DATA, "2x2")
SECONDS, BYTES = [1.0, 2.5, 60.0], [10, 2000, 4 * 10**9]
LIMITS = st.builds(Limits, st.sampled_from([None, *SECONDS]), st.sampled_from([None, *BYTES]))


@st.composite
def added_runs(draw):
    """Return split, record and limits of a run; those that met a limit had one."""
    status = draw(st.sampled_from(["ok", "error", "timeout", "memory"]))
    limits = Limits(draw(st.sampled_from(SECONDS)), draw(st.sampled_from(BYTES)))
    record = RunRecord(
        status,
        Predictions(np.full(20, draw(st.integers(0, 1)))) if status == "ok" else None,
        draw(st.floats(0, 1e6)),
        0.25,
        message=draw(st.sampled_from(["", "warned"])),
        peak_bytes=draw(st.one_of(st.none(), st.integers(0, 2**40))),
        is_crowded=draw(st.booleans()),
    )
    return draw(st.integers(1, 4)), record, limits


def counts(record, limits, asked):
    """Return whether a run need not be done again under other limits."""
    seconds, n_bytes = (math.inf if limit is None else limit for limit in asked)
    if record.status == "timeout":
        return limits.seconds >= seconds
    return record.status != "memory" or limits.n_bytes >= n_bytes


def key(split, record, limits):
    """Return what is stored once."""
    met = {"timeout": (limits.seconds, 0), "memory": (0, limits.n_bytes)}
    return split, *met.get(record.status, (0, 0))


def text(record):
    predictions = record.predictions
    labels = None if predictions is None else predictions.labels.tolist()
    return repr(record._replace(predictions=labels))


@settings(max_examples=25)
@given(st.lists(added_runs(), max_size=12), LIMITS)
def test_what_counts_is_read_back_as_it_was_added(runs, asked):
    with Store() as store:
        store.register_data(DATA)
        store.register_plan(PLAN)
        store.register_learner(identify("x", object()))
        first = {}
        for split, record, limits in runs:
            store.add((1, 1), [split], [7], [record], keep="labels", n_classes=2, limits=limits)
            first.setdefault(key(split, record, limits), (record, limits))
        expected = {}
        for (split, *_), (record, limits) in sorted(first.items(), key=lambda item: item[0]):
            if counts(record, limits, asked):
                expected.setdefault((split, 7), record)
        stored = store.runs(1, 1, n_classes=2, limits=asked)
        assert {k: text(run) for k, run in stored.items()} == {
            k: text(run) for k, run in expected.items()
        }
        assert store.n_runs() == len(first)
        assert store.check() == []
