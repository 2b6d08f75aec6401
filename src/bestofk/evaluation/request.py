"""Requests for evaluation, and the work that several requests share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bestofk.batched.forms import FormChoice
from bestofk.checks import check_known
from bestofk.data.data_set import DataSet
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation.batched_fit import AUTO, check_batched
from bestofk.evaluation.engines.choice import SERIAL, check_engine
from bestofk.evaluation.guarded.limits import Limits, check_limits, check_positive
from bestofk.evaluation.identity.identity import LearnerIdentity
from bestofk.evaluation.queue.interim import InterimAnalysis
from bestofk.evaluation.queue.shards import Shard
from bestofk.evaluation.record import KEEP_PROBABILITIES, KEEPS
from bestofk.learners.learner import Learner, consumes_in_fit
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
    """Request for an evaluation: runs to do and results to keep.

    Parameters
    ----------
    data : DataSet
        The rows.
    plan : Plan
        The splits.
    learners : sequence of Learner
        In the order given.
    random_state : int
        Seed of all runs; their streams are derived from it and from names.
    keep : {"probabilities", "labels", "scores"}
        How much of the predictions is stored.
    measures : sequence of Measure
        Measures whose values are stored if ``keep="scores"``.
    limits : Limits
        Limits of a single run.
    own_limits : mapping of str to Limits
        Other limits for the runs of some learners, by name.
    engine : str, Executor or distributed.Client
        Where blocks of runs are done; see `bestofk.compare`.
    n_jobs : int or None
        Processes; None is 1, negative counts from the number of cores.
    shard : Shard or None
        The part of all runs that is done here; None for all of them.
    retry_failed : bool
        Whether failed runs are repeated.
    batched : {"auto", "always", "never"}
        Whether learners with a batched form are trained on all training sets at once.
    interim : InterimAnalysis or None
        Decides after some repeats which learners continue; the plan of folds is the maximum.
        None does all of it.
    budget : float or None
        Seconds after which no run starts, and runs in progress are abandoned.
    title : str
        Title of the request, if several follow one another; else empty.
    shared : EvaluationCache or None
        Work shared with other requests for the same data and learners.
    wanted : sequence of bool or None
        Whether each learner is run, if some were eliminated before; None for all.
    """

    data: DataSet
    plan: Plan
    learners: Sequence[Learner]
    random_state: int = 0
    keep: str = KEEP_PROBABILITIES
    measures: Sequence[Measure] = ()
    limits: Limits = field(default_factory=Limits)
    engine: Any = SERIAL
    n_jobs: int | None = None
    shard: Shard | None = None
    retry_failed: bool = False
    batched: str = AUTO
    interim: InterimAnalysis | None = None
    budget: float | None = None
    title: str = ""
    shared: EvaluationCache | None = None
    wanted: Sequence[bool] | None = None
    own_limits: Mapping[str, Limits] = field(default_factory=dict)

    @property
    def limits_by_learner(self) -> tuple[Limits, ...]:
        """Limits of a single run of each learner."""
        return tuple(self.own_limits.get(learner.name, self.limits) for learner in self.learners)

    @property
    def is_wanted(self) -> tuple[bool, ...]:
        """Whether each learner is run."""
        return (True,) * len(self.learners) if self.wanted is None else tuple(self.wanted)


def check_request(request: EvaluationRequest) -> None:
    """Raise InvalidArgumentError if a value of a request is not allowed."""
    check_known(request.keep, "keep", KEEPS)
    check_batched(request.batched)
    for limits in (request.limits, *request.own_limits.values()):
        check_limits(limits)
    check_positive("budget", request.budget, "number of seconds")
    if request.interim is not None and not isinstance(request.plan, FoldPlan):
        raise InvalidArgumentError(
            f"plan must be one of folds where repeats end on the way; got {request.plan.name}. "
            "Leave the interim analysis out."
        )
    for learner in request.learners:
        _check_groups(learner, request.data)
    check_engine(request.engine, request.n_jobs)


def _check_groups(learner: Learner, data: DataSet) -> None:
    """Raise if the inner folds of a learner need groups of rows but do not receive them."""
    splitters = learner.splitters_by_groups
    if not splitters or (data.groups is not None and consumes_in_fit(learner.estimator, "groups")):
        return
    kind = type(splitters[0]).__name__
    if data.groups is None:
        raise InvalidArgumentError(
            f"groups of rows must be given to {learner.name}, whose inner folds are made by {kind};"
            " got none. Hand in groups=... (--groups COLUMN)."
        )
    raise InvalidArgumentError(
        f"inner folds of {learner.name} must get the groups of rows; got {kind} in a "
        f"{type(learner.estimator).__name__}, which passes none on. Use bestofk.Tuned instead."
    )
