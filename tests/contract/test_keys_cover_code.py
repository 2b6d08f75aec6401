"""Coverage of the run keys: every function that a run calls, for all learners and forms."""

from __future__ import annotations

import sys
import warnings
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

import bestofk
from bestofk.batched import BatchedForm
from bestofk.batched.forms import form_class
from bestofk.batched.preparation import split_pipeline
from bestofk.data.arrays import from_arrays
from bestofk.evaluation import code_digests, run
from bestofk.evaluation.batched_fit import ALWAYS, batched_fits
from bestofk.evaluation.code_digests import digest_of, roots_of
from bestofk.evaluation.fingerprint import read_fingerprint
from bestofk.evaluation.identity import identify
from bestofk.evaluation.run import PLAIN_CODE, RunnableLearner
from bestofk.learners import learner_catalogue
from bestofk.learners.cost_threshold import CostThresholdClassifier
from bestofk.learners.noisy_training import NoisyTraining
from bestofk.learners.resampled_training import ResampledTraining
from bestofk.resampling import make_plan
from bestofk.resampling.prefixes import PrefixPlan, prefix_orders
from bestofk.trees import C45Classifier, CARTClassifier

FOLDER = Path(bestofk.__file__).parent
LEARNERS = learner_catalogue()
# They decide whether a form does the runs, which the key tells, and no prediction.
JUDGING = {"form_class", "is_faster", "repeats_at_once", "supports", "supports_subsets"}
CHOOSING = {"choose_form", "batched_fits", "_fits", "_trains_twice",
            "__getattr__", "<module>"}  # fmt: skip
# The rows of a split are part of the key themselves, and seconds change no prediction.
GIVEN = {"Plan.__len__", "FoldPlan.sizes", "FoldPlan.test_rows", "PrefixPlan.sizes",
         "PrefixPlan.test_rows", "PrefixPlan.train_rows", "_Progress.timed"}  # fmt: skip


def with_forms():
    """Return names of learners and kinds of plans that have a form."""
    lasts = {name: split_pipeline(entry.make())[1] for name, entry in LEARNERS.items()}
    forms = {name: form_class(last) for name, last in lasts.items() if form_class(last)}
    results = [(name, "folds") for name in forms]
    plain = BatchedForm.predict_subsets
    return results + [(n, "subsets") for n, f in forms.items() if f.predict_subsets is not plain]


@cache
def lines_of(path):
    """Return first lines, last lines and numbers of the definitions of a file, innermost last."""
    nodes = []
    unit = code_digests._unit
    code_digests._unit = lambda node: nodes.append(copy_of_lines(node)) or unit(node)
    try:
        code_digests._summary(path)
    finally:
        code_digests._unit = unit
    return nodes


def copy_of_lines(node):
    first = min(item.lineno for item in [node, *getattr(node, "decorator_list", [])])
    return first, node.end_lineno


def place_of(code):
    """Return module and number of the definition that compiled code stands in."""
    path = Path(code.co_filename)
    around = [
        (last - first, number)
        for number, (first, last) in enumerate(lines_of(path))
        if first <= code.co_firstlineno <= last
    ]
    parts = path.relative_to(FOLDER).with_suffix("").parts
    module = ".".join(["bestofk", *(part for part in parts if part != "__init__")])
    return module, min(around)[1]


def name_of(code):
    """Return the qualified name of the function or method that code is, or stands in."""
    return code.co_qualname.partition(".<locals>")[0]


@contextmanager
def called(codes):
    """Collect the code of all functions of the package that are called, but for the choice."""
    inside = str(FOLDER)

    def note(frame, event, _):
        code = frame.f_code
        if event != "call" or code in codes or not code.co_filename.startswith(inside):
            return
        if name_of(code) in CHOOSING:
            return
        while frame is not None:
            if (
                name_of(frame.f_code).rpartition(".")[2] in JUDGING
                or name_of(frame.f_code) in GIVEN
            ):
                return
            frame = frame.f_back
        codes.add(code)

    sys.setprofile(note)
    try:
        yield
    finally:
        sys.setprofile(None)


def covered(estimator, *others):
    """Return the definitions that the key of plain runs covers, or of those of a way."""
    indices = set(digest_of(roots_of(PLAIN_CODE)).places)
    for other in (estimator, *others):
        indices |= digest_of(read_fingerprint(other).code).places
    return indices


def left_out(codes, places):
    names = {}
    for code in codes:
        if place_of(code) not in places:
            names.setdefault(Path(code.co_filename).name, set()).add(name_of(code))
    return names


def mixed(task):
    rng = np.random.default_rng(0)
    n = 48
    frame = pd.DataFrame(rng.normal(size=(n, 3)), columns=list("abc"))
    y = frame["a"] * 2 + rng.normal(size=n)
    frame.iloc[3, 1] = np.nan
    frame["level"] = pd.Series(rng.choice(["x", "y", "z"], n)).mask(rng.random(n) < 0.2)
    return from_arrays(frame, np.digitize(y, [-1, 1]) if task == "classification" else y.to_numpy())


def numbers(task):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 4))
    y = X[:, 0] + rng.normal(size=40)
    return from_arrays(X, (y > 0).astype(int) if task == "classification" else y)


OTHERS = {
    "noisy": lambda: NoisyTraining(C45Classifier(), fraction=0.2),
    "resampled": lambda: ResampledTraining(C45Classifier(pruning="reduced-error")),
    "cost threshold": lambda: CostThresholdClassifier(GaussianNB(), [[0, 2], [1, 0]]),
    "simplecart": lambda: CARTClassifier(flavor="simplecart"),
    "pessimistic": lambda: C45Classifier(pruning="pessimistic"),
    "oblique": lambda: C45Classifier(oblique="lda"),
}


def plain_cases():
    cases = [(name, entry.make, make) for name, entry in LEARNERS.items()
             for make in (mixed, numbers)]  # fmt: skip
    cases += [(name, of, numbers) for name, of in OTHERS.items()]
    return [pytest.param(*case, id=f"{case[0]}-{case[2].__name__}") for case in cases]


@pytest.mark.parametrize(("name", "of", "make"), plain_cases())
def test_what_a_plain_run_calls_is_in_its_key(name, of, make):
    data = make(LEARNERS[name].task if name in LEARNERS else "classification")
    learner = of()
    runnable = RunnableLearner(name, learner, identify(name, learner).unseeded)
    split = make_plan(data, "1x3").split(0, 0)
    codes = set()
    progress = run._Progress()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with called(codes):
            run._predictions(runnable, data, split, 5, progress)
    assert len(codes) > 5
    assert left_out(codes, covered(learner)) == {}


@pytest.mark.parametrize("make", [mixed, numbers])
@pytest.mark.parametrize(("name", "kind"), with_forms())
def test_what_a_batched_run_calls_is_in_its_key(name, make, kind):
    data = make(LEARNERS[name].task)
    learner = LEARNERS[name].make()
    runnable = RunnableLearner(name, learner, identify(name, learner).unseeded)
    plan = make_plan(data, "2x3")
    if kind == "subsets":
        plan = PrefixPlan.of(plan, prefix_orders(data, plan), 20)
    seeds = np.arange(6).reshape(2, 3)
    codes = set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with called(codes):
            (way,) = batched_fits([runnable], data, plan, ALWAYS)
            if way is not None:
                records = way.run([0, 1], seeds)
    if way is None:
        assert make is mixed, "every form does plain numbers"
        return
    assert any(item is not None for item in records.runs)
    assert left_out(codes, covered(learner, list(way.code))) == {}
