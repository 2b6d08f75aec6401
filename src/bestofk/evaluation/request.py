"""Requests for evaluation, and the work that several requests share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from bestofk.batched.forms import FormChoice
from bestofk.data.data_set import DataSet
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation.batched_fit import AUTO, check_batched
from bestofk.evaluation.identity import LearnerIdentity
from bestofk.evaluation.interim import InterimAnalysis
from bestofk.evaluation.options import n_workers
from bestofk.evaluation.record import KEEP_PROBABILITIES, KEEPS
from bestofk.learners.resolve import Learner
from bestofk.measures.measure import Measure
from bestofk.resampling import FoldPlan, Plan


@dataclass(frozen=True, eq=False)
class EvaluationCache:
    """Work shared by evaluations of the same learners on the same data; filled by them.

    Attributes
    ----------
    identities : list of LearnerIdentity
        Of all learners; empty before the first evaluation.
    forms : dict of int to (FormChoice or None)
        By position of the learner, its form for subsets of rows.
    measured : set of int
        Positions of the learners whose cost has been measured in this process.
    seconds : dict of int to float
        By position of the learner, how long a repeat took that was done in a batch.
    """

    identities: list[LearnerIdentity] = field(default_factory=list)
    forms: dict[int, FormChoice | None] = field(default_factory=dict)
    measured: set[int] = field(default_factory=set)
    seconds: dict[int, float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class EvaluationRequest:
    """Runs to be done, and results to be kept.

    Parameters
    ----------
    data : DataSet
        The rows.
    plan : Plan
        The splits.
    learners : sequence of Learner
        In the order given.
    random_state : int
        What the streams of all runs are derived from, with names.
    keep : {"probabilities", "labels", "scores"}
        How much of the predictions is stored.
    measures : sequence of Measure
        Kept as values where ``keep="scores"``.
    positive : int or None
        Position of the positive class, where there are two.
    timeout : float or None
        Seconds that a run may take.
    n_jobs : int or None
        Processes; None is 1, negative counts from the number of cores.
    batched : {"auto", "always", "never"}
        Whether learners are trained on all parts at once where they have a form for it.
    interim : InterimAnalysis or None
        Asked after some repeats which learners go on; the plan, of folds, is the most that is
        done. None does all of it.
    budget : float or None
        Seconds after which no further run is begun.
    title : str
        What the request is, where several follow one another; empty where it is the only one.
    shared : EvaluationCache or None
        What this request and others need only once; alike are their data and learners.
    wanted : sequence of bool or None
        Which learners are run, where some were eliminated before; None for all of them.
    """

    data: DataSet
    plan: Plan
    learners: Sequence[Learner]
    random_state: int = 0
    keep: str = KEEP_PROBABILITIES
    measures: Sequence[Measure] = ()
    positive: int | None = None
    timeout: float | None = None
    n_jobs: int | None = None
    batched: str = AUTO
    interim: InterimAnalysis | None = None
    budget: float | None = None
    title: str = ""
    shared: EvaluationCache | None = None
    wanted: Sequence[bool] | None = None

    @property
    def is_wanted(self) -> tuple[bool, ...]:
        """Whether each learner is run."""
        return (True,) * len(self.learners) if self.wanted is None else tuple(self.wanted)


def check_request(request: EvaluationRequest) -> None:
    """Raise InvalidArgumentError if what a request asks for is not one of the values allowed."""
    if request.keep not in KEEPS:
        raise InvalidArgumentError(
            f"keep must be one of {', '.join(KEEPS)}; got {request.keep!r}. "
            "'probabilities' lets every later measure be computed."
        )
    check_batched(request.batched)
    for name, seconds in (("timeout", request.timeout), ("budget", request.budget)):
        if seconds is not None and not (
            isinstance(seconds, int | float) and 0 < seconds < math.inf
        ):
            raise InvalidArgumentError(
                f"{name} must be a positive number of seconds; got {seconds!r}. "
                "Leave it out for no limit."
            )
    if request.interim is not None and not isinstance(request.plan, FoldPlan):
        raise InvalidArgumentError(
            f"plan must be one of folds where repeats end on the way; got {request.plan.name}. "
            "Leave the interim analysis out."
        )
    n_workers(request.n_jobs)  # raises where it is none
