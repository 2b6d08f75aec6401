"""Does a joint form give the predictions of the plain learner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestofk.data import DataSet
from bestofk.data.arrays import from_arrays
from bestofk.design import make_plan
from bestofk.errors import InvalidArgumentError
from bestofk.evaluate.identity import identify
from bestofk.evaluate.joint_way import ALWAYS, joint_ways
from bestofk.evaluate.record import OK, RunRecord
from bestofk.evaluate.run import RunnableLearner, global_generators_kept, run_one
from bestofk.randomness import derive_seed

# Two scores that are this near make a tie: which class is predicted is then chance.
_TIE = 1e-9


@dataclass(frozen=True, eq=False)
class JointAgreement:
    """How the joint way and the plain way differ on the same splits.

    Parameters
    ----------
    n_runs : int
        Runs that were compared: done by the joint form, and without error by the plain learner.
    n_left : int
        Runs that the joint form left to the plain way.
    n_rows : int
        Test rows of the runs compared.
    n_tied : int
        Rows with another class where the plain learner's two best scores are tied.
    n_different : int
        Rows with another class for no such reason.
    largest_difference : float
        Of probabilities, decision values or predicted numbers; nan where there are none.
    largest_wrong_margin : float
        Largest difference of the plain learner's two best scores over the rows with another
        class and no tie; 0 where there is no such row.
    failures : tuple of str
        Runs that failed the plain way and were done by the joint form.
    """

    n_runs: int
    n_left: int
    n_rows: int
    n_tied: int
    n_different: int
    largest_difference: float
    largest_wrong_margin: float
    failures: tuple[str, ...]


def joint_agreement(
    estimator: Any, data: DataSet, *, cv: str = "5x2", random_state: int = 0
) -> JointAgreement | None:
    """Run a learner both ways on the same splits and compare what it predicts.

    Parameters
    ----------
    estimator : estimator
        The learner, or a pipeline that ends in it.
    data : DataSet
        The rows.
    cv : str, default="5x2"
        Repeats x folds.
    random_state : int, default=0
        What plan and random streams are derived from.

    Returns
    -------
    JointAgreement or None
        None where the learner has no joint form for these data.

    Raises
    ------
    InvalidArgumentError
        If the plan does not test every row once in each repeat.
    """
    plan = make_plan(data, cv, random_state=random_state)
    if not hasattr(plan, "folds"):
        raise InvalidArgumentError(
            f"cv must test every row once in each repeat; got {cv!r}. Ask for '5x2' or '10'."
        )
    learner = RunnableLearner("learner", estimator, identify("learner", estimator).unseeded)
    way = joint_ways([learner], data, plan, ALWAYS)[0]
    if way is None:
        return None
    numbers = [[derive_seed(random_state, "check", repeat, fold) for fold in range(plan.n_folds)]
               for repeat in range(plan.n_repeats)]  # fmt: skip
    seeds = np.array(numbers)
    joint = way.predict(range(plan.n_repeats), seeds)
    tally = _Tally(data.is_classification)
    for split in plan:
        place = (split.repeat, split.fold)
        if joint.is_done is not None and not joint.is_done[place]:
            tally.n_left += 1
            continue
        with global_generators_kept():
            plain = run_one(learner, data, split, seed=int(seeds[place]))
        rows = split.test_rows
        scores = joint.probabilities if joint.probabilities is not None else joint.decision
        found = None if scores is None else scores[split.repeat, rows]
        tally.add(plain, joint.labels[split.repeat, rows], found, place)
    return tally.result()


def check_joint_form(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    cv: str = "5x2",
    tolerance: float = 1e-9,
    margin: float = 0.0,
    random_state: int = 0,
) -> JointAgreement:
    """Raise unless the joint form of a learner gives the predictions of the plain one.

    Parameters
    ----------
    estimator : estimator
        The learner, or a pipeline that ends in it.
    X : ndarray or DataFrame of shape (n_samples, n_features)
        Inputs.
    y : array-like of shape (n_samples,)
        Target.
    cv : str, default="5x2"
        Repeats x folds.
    tolerance : float, default=1e-9
        Largest difference allowed of probabilities, decision values or predicted numbers.
    margin : float, default=0
        Rows may get another class where the plain learner's two best scores differ by no
        more: its own stopping error, for iterative solvers.
    random_state : int, default=0
        What plan and random streams are derived from.

    Returns
    -------
    JointAgreement
        What was found.

    Raises
    ------
    InvalidArgumentError
        If the learner has no joint form for these data.
    AssertionError
        If the two ways differ by more than is allowed.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bestofk.learners.majority_classifier import MajorityClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> check_joint_form(MajorityClassifier(), X, y).n_different
    0
    """
    data = from_arrays(X, y)
    found = joint_agreement(estimator, data, cv=cv, random_state=random_state)
    if found is None:
        raise InvalidArgumentError(
            f"learner must have a joint form for these data; got {type(estimator).__name__}. "
            "Give it a method joint_form() that returns one."
        )
    problems = list(found.failures)
    if found.n_runs == 0:
        problems.append(f"no run was done jointly, {found.n_left} were left to the plain way")
    if found.n_different and not found.largest_wrong_margin <= margin:
        problems.append(
            f"{found.n_different} of {found.n_rows} rows got another class, the plain margin "
            f"being up to {found.largest_wrong_margin:.3g}"
        )
    if found.largest_difference > tolerance:
        problems.append(f"scores differ by up to {found.largest_difference:.3g}")
    if problems:
        raise AssertionError(f"joint form of {type(estimator).__name__}: {'; '.join(problems)}")
    return found


class _Tally:
    """Counts what differs, run by run."""

    def __init__(self, is_classification: bool) -> None:
        self.is_classification = is_classification
        self.n_runs = self.n_left = self.n_rows = self.n_tied = self.n_different = 0
        self.difference, self.margin = float("nan"), 0.0
        self.failures: list[str] = []

    def add(
        self,
        plain: RunRecord,
        labels: NDArray[Any],
        scores: NDArray[np.float64] | None,
        place: tuple[int, int],
    ) -> None:
        if plain.status != OK or plain.predictions is None:
            self.failures.append(f"repeat {place[0]}, fold {place[1]}: {plain.message}")
            return
        expected = plain.predictions
        self.n_runs += 1
        self.n_rows += len(labels)
        if not self.is_classification:
            self._differ(labels, expected.labels)
            return
        wanted = expected.decision if expected.probabilities is None else expected.probabilities
        if (wanted is None) != (scores is None):
            self.failures.append(f"repeat {place[0]}, fold {place[1]}: scores in one way alone")
            return
        if wanted is not None and scores is not None:
            self._differ(scores, wanted)
        wrong = labels != expected.labels
        margins = np.zeros(len(labels)) if wanted is None else _margins(wanted)
        is_tied = wrong & (margins <= _TIE) if wanted is not None else np.zeros_like(wrong)
        self.n_tied += int(is_tied.sum())
        self.n_different += int((wrong & ~is_tied).sum())
        self.margin = max(self.margin, float(margins[wrong & ~is_tied].max(initial=0.0)))

    def _differ(self, found: NDArray[Any], wanted: NDArray[Any]) -> None:
        same = found == wanted  # infinities too
        difference = float(np.abs(np.where(same, 0.0, found - wanted)).max(initial=0.0))
        self.difference = max(difference, 0.0 if np.isnan(self.difference) else self.difference)

    def result(self) -> JointAgreement:
        return JointAgreement(
            self.n_runs, self.n_left, self.n_rows, self.n_tied, self.n_different,
            self.difference, self.margin, tuple(self.failures),
        )  # fmt: skip


def _margins(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far the best score of each row is above the second."""
    if scores.ndim == 1:
        return np.abs(scores)
    ordered = np.sort(scores, axis=1)
    margins: NDArray[np.float64] = ordered[:, -1] - ordered[:, -2]
    return margins
