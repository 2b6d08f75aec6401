"""Input that fits any procedure, made from small numbers with ties and constants."""

import inspect
from typing import Any

import numpy as np
from hypothesis import strategies as st

from bestofk.inference import PROCEDURES, Procedure, Result, Sampling

OVER_TIME = (
    "diebold-mariano", "harvey-leybourne-newbold", "giacomini-white", "model-confidence-set",
)  # fmt: skip
# The plan that a procedure of splits is given; the others can do with any.
PLANS = {
    "5x2cv-t": Sampling("k-fold", 5, 2, n_train=50, n_test=50),
    "5x2cv-f": Sampling("k-fold", 5, 2, n_train=50, n_test=50),
    "5x2cv-t-numerators": Sampling("k-fold", 5, 2, n_train=50, n_test=50),
    "sorted-runs-t": Sampling("k-fold", 10, 10, n_train=90, n_test=10),
    "calibrated-t": Sampling("k-fold", 10, 10, n_train=90, n_test=10),
    "paired-t": Sampling("k-fold", 1, 6, n_train=50, n_test=10),
} | {name: Sampling("forward", 12, 1, is_sliding=True) for name in OVER_TIME}
USUAL_PLAN = Sampling("k-fold", 2, 5, n_train=40, n_test=10)
QUICK = {"n_draws": 200}


def plan_of(procedure: Procedure) -> Sampling:
    return PLANS.get(procedure.name, USUAL_PLAN)


def scores(n_learners: int, n: int) -> st.SearchStrategy[np.ndarray]:
    """Return tables of losses in hundredths: ties, zeros and constants are common."""
    cells = st.integers(0, 20).map(lambda i: i / 100)
    rows = st.lists(st.lists(cells, min_size=n, max_size=n), min_size=n_learners,
                    max_size=n_learners)  # fmt: skip
    return rows.map(np.array)


def zero_one(n_learners: int, n: int) -> st.SearchStrategy[np.ndarray]:
    row = st.lists(st.integers(0, 1), min_size=n, max_size=n)
    return st.lists(row, min_size=n_learners, max_size=n_learners).map(
        lambda rows: np.array(rows, dtype=float)
    )


@st.composite
def arguments(draw: Any, procedure: Procedure) -> tuple[Any, ...]:
    """Return positional arguments for a procedure; each learner is one array or column."""
    takes = procedure.takes
    if takes == "two-on-splits":
        return tuple(draw(scores(2, plan_of(procedure).n_scores)))
    if takes == "many-on-splits":
        return (draw(scores(draw(st.integers(2, 4)), plan_of(procedure).n_scores)).T,)
    if takes == "two-on-rows":
        return tuple(draw(zero_one(2, 12)))
    if takes == "two-rankings":
        others = draw(st.lists(st.booleans(), min_size=6, max_size=6))
        positive = np.array([True, False, True, False, *others])
        return (positive, *draw(scores(2, len(positive))))
    if takes == "many-rankings":
        positive, *others = draw(arguments(PROCEDURES["delong"]))
        return (positive, np.array(others).T)
    if takes == "many-on-rows":
        return (1 - draw(zero_one(3, 12)).T,)
    if takes == "losses-on-rows":
        return (draw(scores(3, 12)).T,)
    if takes == "posteriors":
        return (draw(scores(3, 12)).T * 5,)
    if takes == "two-on-data-sets":
        return tuple(draw(scores(2, 8)))
    if takes == "many-on-data-sets":
        return (draw(scores(draw(st.integers(3, 4)), 8)).T,)
    assert takes == "splits-of-data-sets", takes
    return (list(draw(scores(4, USUAL_PLAN.n_scores)) - draw(scores(4, USUAL_PLAN.n_scores))),)


def run(procedure: Procedure, given: tuple[Any, ...], **options: Any) -> Result:
    """Run a procedure on arguments made by `arguments`."""
    known = inspect.signature(procedure.run).parameters
    extra: dict[str, Any] = {}
    if "sampling" in known:
        extra["sampling"] = plan_of(procedure)
    if "samplings" in known:
        extra["samplings"] = [USUAL_PLAN] * len(given[0])
    if "fold_of_row" in known:
        extra["fold_of_row"] = np.arange(len(given[0])) % 3
    for name, value in QUICK.items():
        if name in known:
            extra[name] = value
    return procedure.run(*given, **extra, **options)


def swapped(procedure: Procedure, given: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the arguments with the two learners exchanged."""
    if procedure.takes == "splits-of-data-sets":
        return ([-differences for differences in given[0]],)
    return (*given[:-2], given[-1], given[-2])
