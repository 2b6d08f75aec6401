"""One subsample: what was claimed from it, what came true on all other rows, and its file."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np

from bestofk.array_types import Floats
from bestofk.checks import wrong_place
from bestofk.comparison.comparison import Comparison
from bestofk.comparison.entry_point import compare
from bestofk.data import DataSet
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.evaluation import Evaluation, EvaluationRequest, Store, evaluate, row_predictions
from bestofk.evaluation.status import is_ok
from bestofk.measures.ties import at_most
from bestofk.resampling.make_plan import given_plan

_ROW_ERRORS = ("error", "accuracy")
WITHIN = (0.005, 0.01, 0.02)

# Part of the key of kept cases: raised with every change of what they hold.
CODE_VERSION = 1


@dataclass(frozen=True)
class LearnerClaim:
    """Claim about one learner, and its truth.

    Parameters
    ----------
    learner : str
        Its name.
    is_candidate : bool
        Whether no other learner significantly beats it.
    probabilities : tuple of float or None
        Stated for each distance of the case, not rounded; None where nothing was claimed.
    expected_regret : float or None
        As stated.
    loss_low, loss_high : float or None
        Stated interval of its error rate.
    true_loss : float or None
        Loss on the rest after training on the whole subsample, lower is better; None where the
        learner failed, or took no part in the verdict.
    true_regret : float or None
        That minus the lowest of all learners.
    n_runs : int
        Runs of the comparison.
    """

    learner: str
    is_candidate: bool
    probabilities: tuple[float, ...] | None
    expected_regret: float | None
    loss_low: float | None
    loss_high: float | None
    true_loss: float | None
    true_regret: float | None
    n_runs: int


@dataclass(frozen=True)
class ClaimCase:
    """Claims about new data from one subsample, and their truth on the rest.

    Parameters
    ----------
    name : str
        Where the rows are from; cases of one source are not independent.
    n_rows, n_rest : int
        Rows of the subsample, and of the rest.
    number : int
        Counted from 0 among the subsamples of that size.
    measure : str
        The deciding measure.
    within : tuple of float
        Distances to the best learner, in the unit of the measure.
    pick : str or None
        The learner that was picked.
    reason : str
        Why nothing was claimed; empty where something was.
    level : float
        Of the interval.
    learners : tuple of LearnerClaim
        In the order given.
    truth_error : float or None
        Standard error, on the rest, of the difference between the pick and the best learner; 0
        where they are the same, None where the measure counts no errors or there is no truth.
    seconds : float
        CPU time of the comparison in this process.

    Examples
    --------
    >>> claim = LearnerClaim("lda", True, (0.7, 0.8, 0.9), 0.004, 0.02, 0.08, 0.05, 0.01, 15)
    >>> case = ClaimCase(
    ...     "letter", 100, 7000, 0, "error", (0.005, 0.01, 0.02), "lda", "", 0.9, (claim,), 0.0, 1.2
    ... )
    >>> ClaimCase.from_dict(case.to_dict()) == case, case.is_within(0.01), case.is_within(0.005)
    (True, True, False)
    """

    name: str
    n_rows: int
    n_rest: int
    number: int
    measure: str
    within: tuple[float, ...]
    pick: str | None
    reason: str
    level: float
    learners: tuple[LearnerClaim, ...]
    truth_error: float | None
    seconds: float

    @property
    def n_learners(self) -> int:
        """Number of learners."""
        return len(self.learners)

    @property
    def picked(self) -> LearnerClaim | None:
        """The claim about the pick and its truth; None where one of the two is missing."""
        for item in self.learners:
            known = item.probabilities is not None and item.true_regret is not None
            if item.learner == self.pick and known:
                return item
        return None

    def stated(self, within: float, claim: LearnerClaim | None = None) -> float:
        """Return the probability that was stated for a learner, the pick if none is named."""
        chosen = claim or self._picked()
        assert chosen.probabilities is not None
        return chosen.probabilities[self.within.index(within)]

    def is_within(self, within: float, claim: LearnerClaim | None = None) -> bool:
        """Return whether a learner was that near to the best on the rest."""
        chosen = claim or self._picked()
        assert chosen.true_regret is not None
        # a difference of exactly `within` counts, as it does in the claim
        return bool(at_most(chosen.true_regret, within, 1.0))

    def _picked(self) -> LearnerClaim:
        if self.picked is None:
            raise DesignError(
                f"case must have a claim and its truth; got none ({self.reason or 'no truth'}). "
                "Ask for `picked` first."
            )
        return self.picked

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON has them."""
        return asdict(self)

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> ClaimCase:
        """Return the case that `to_dict` was called on, also after a way through JSON."""
        learners = tuple(
            LearnerClaim(**{**item, "probabilities": (p := item["probabilities"]) and tuple(p)})
            for item in fields["learners"]
        )
        return cls(**{**fields, "within": tuple(fields["within"]), "learners": learners})


def claim_case(
    learners: Any,
    sample: DataSet,
    rest: DataSet,
    *,
    within: Sequence[float] = WITHIN,
    number: int = 0,
    random_state: int = 0,
    **compare_options: Any,
) -> ClaimCase:
    """Compare learners on a subsample, and measure on all other rows what was claimed.

    Parameters
    ----------
    learners : str, estimator, list or dict
        As for `compare`.
    sample, rest : DataSet
        Rows that are compared on, and rows that stand for new data; same columns. A class that
        the sample lacks counts as an error of every learner.
    within : sequence of float above 0, default=(0.005, 0.01, 0.02)
        Distances to the best learner, in the unit of the deciding measure.
    number : int, default=0
        Kept with the case.
    random_state : int, default=0
        As for `compare`.
    **compare_options
        Options of `compare`, such as ``scoring="error"``.

    Returns
    -------
    ClaimCase

    Raises
    ------
    InvalidArgumentError, DesignError
        As `compare` does.

    Examples
    --------
    >>> from bestofk.data import twonorm
    >>> case = claim_case(["lda", "naive-bayes"], twonorm(100), twonorm(5000, random_state=1))
    >>> case.n_rows, case.n_rest, case.is_within(0.02)
    (100, 5000, True)
    """
    start = time.process_time()
    comparison = compare(
        learners, sample, random_state=random_state, **{"progress": False, **compare_options}
    )
    _check_finished(comparison.evaluation)
    if comparison.measures[0].maximum != 1:
        raise DesignError(
            "deciding measure must be at most 1, as error rates and AUROC are; got "
            f"{comparison.measures[0].name}. Distances to the best learner are points of it."
        )
    claim = comparison.ship_claim()
    seconds = time.process_time() - start
    losses, wrong = _truth(comparison, rest)
    return ClaimCase(
        name=sample.name,
        n_rows=sample.n_samples,
        n_rest=rest.n_samples,
        number=number,
        measure=comparison.measures[0].name,
        within=tuple(float(distance) for distance in within),
        pick=claim.learner,
        reason=claim.reason,
        level=claim.level,
        learners=_claims(comparison, within, losses),
        truth_error=_truth_error(comparison, losses, wrong),
        seconds=round(seconds, 3),
    )


def _claims(
    comparison: Comparison, within: Sequence[float], losses: Floats
) -> tuple[LearnerClaim, ...]:
    """Return claim and truth of every learner."""
    best = np.nanmin(losses) if np.isfinite(losses).any() else np.nan
    candidates = comparison.candidates
    claims = []
    for index, name in enumerate(comparison.evaluation.names):
        stated = [comparison.ship_claim(name, distance) for distance in within]
        probabilities = [claim.probability for claim in stated if claim.probability is not None]
        claims.append(
            LearnerClaim(
                name,
                name in candidates,
                tuple(probabilities) or None,
                stated[0].expected_regret,
                stated[0].loss_low,
                stated[0].loss_high,
                _known(losses[index]),
                _known(losses[index] - best),
                comparison.evaluation.n_done(index),
            )
        )
    return tuple(claims)


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _truth(comparison: Comparison, rest: DataSet) -> tuple[Floats, Floats | None]:
    """Train every learner on the whole subsample, and return its loss on the rest.

    Returns
    -------
    losses : ndarray of shape (n_learners,)
        nan where a learner failed or takes no part in the verdict.
    wrong : ndarray of shape (n_learners, n_rest) or None
        Whether each row is an error; None where the measure counts none.
    """
    measure, settings = comparison.measures[0], comparison.settings
    entered, sample = comparison.evaluation.learners, comparison.evaluation.data
    rows = np.arange(sample.n_samples + rest.n_samples)
    together = _joined(sample, rest)
    plan = given_plan(together, [(rows[: sample.n_samples], rows[sample.n_samples :])])
    request = EvaluationRequest(
        together, plan, entered, settings.random_state,
        limits=settings.limits, n_jobs=settings.n_jobs, batched=settings.batched,
    )  # fmt: skip
    with Store(None) as store:
        truth = evaluate(request, store)
    _check_finished(truth)
    losses = truth.measured(measure).losses[:, 0]
    if measure.greater_is_better:
        losses = losses + measure.maximum
    takes_part = np.isin(comparison.evaluation.names, comparison.order)
    losses = np.where(takes_part, losses, np.nan)
    return losses, _wrong_rows(truth) if measure.name in _ROW_ERRORS else None


def _check_finished(evaluation: Evaluation) -> None:
    """Raise KeyboardInterrupt again where an evaluation was ended by one and kept what it had."""
    if evaluation.is_interrupted:
        raise KeyboardInterrupt


def _wrong_rows(truth: Evaluation) -> Floats:
    wrong = np.full((len(truth.learners), len(truth.test_rows[0])), np.nan)
    done = [index for index in range(len(truth.learners)) if is_ok(truth.status[index, 0])]
    if done:
        wrong[done] = row_predictions(truth, done, [0]).losses()
    return wrong


def _truth_error(comparison: Comparison, losses: Floats, wrong: Floats | None) -> float | None:
    """Return the standard error of the difference between the pick and the best, over rows."""
    if wrong is None or comparison.best is None:
        return None
    pick = comparison.evaluation.names.index(comparison.best)
    if np.isnan(losses[pick]):
        return None
    n_discordant = int((wrong[pick] != wrong[int(np.nanargmin(losses))]).sum())
    return float(np.sqrt(n_discordant) / wrong.shape[1])


def _joined(sample: DataSet, rest: DataSet) -> DataSet:
    """Return the rows of both, the subsample first."""
    target = np.concatenate([sample.target_array, rest.target_array])
    if isinstance(sample.features, np.ndarray):
        features: Any = np.concatenate([sample.features, rest.features])
    else:
        tables = [nw.from_native(item.features, eager_only=True) for item in (sample, rest)]
        features = nw.concat(tables).to_native()
    return DataSet(sample.name, features, target, sample.task, pos_label=sample.pos_label)


_START = b'{"experiment"'


@dataclass(frozen=True)
class CaseFile:
    """Cases of one experiment in a file that may hold others.

    Parameters
    ----------
    path : str, Path or None
        None keeps nothing.
    key : str
        Identity of the experiment.
    """

    path: str | os.PathLike[str] | None
    key: str

    @property
    def remark(self) -> str:
        """Sentence on resuming after an interruption."""
        if self.path is None:
            return "Name a file for results to be able to resume."
        return f"Repeat the call to resume; {self.path} holds the finished cases."

    def read(self) -> dict[tuple[int, int], ClaimCase]:
        """Return the cases of this experiment by size and number; remove a line that was cut off.

        Raises
        ------
        InvalidArgumentError
            If a line is no case.
        OSError
            If the file cannot be written.
        """
        cases: dict[tuple[int, int], ClaimCase] = {}
        if self.path is None:
            return cases
        if problem := wrong_place(Path(self.path), "file of results", "the file of results"):
            raise InvalidArgumentError(problem)
        with open(self.path, "a+b") as file:
            file.seek(0)
            lines = file.read().split(b"\n")
            cut_off = lines.pop()
            if cut_off and not cut_off.startswith(_START):
                lines.append(cut_off)
            for number, line in enumerate(lines, 1):
                case = self._case(line, number)
                if case is not None:
                    cases[case.n_rows, case.number] = case
            file.truncate(sum(len(line) + 1 for line in lines))
        return cases

    def _case(self, line: bytes, number: int) -> ClaimCase | None:
        """Return the case of a line; None where it belongs to another experiment."""
        try:
            fields = json.loads(line)
            return ClaimCase.from_dict(fields) if fields.pop("experiment") == self.key else None
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InvalidArgumentError(
                f"file of results must hold one case per line; got line {number} of {self.path}. "
                "Name a new file."
            ) from error

    def add(self, case: ClaimCase) -> None:
        """Write a case at the end."""
        if self.path is None:
            return
        line = json.dumps({"experiment": self.key, **case.to_dict()})
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(f"{line}\n")
