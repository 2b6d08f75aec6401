"""Claims about new data from the runs of a comparison, or the reason why none is made."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat

import numpy as np
from scipy.special import chdtrc

from bestofk.array_types import Floats, Ints
from bestofk.comparison.evidence import has_test_rows, rope_of
from bestofk.comparison.planned_splits import sampling_of
from bestofk.evaluation import Evaluation, MeasuredScores, row_predictions
from bestofk.inference.many_learners.pair_evidence import compare_on_splits
from bestofk.inference.new_data import (
    MoreNeeded,
    NewDataLosses,
    ShipClaim,
    losses_on_new_data,
    losses_on_test_rows,
    more_needed,
)
from bestofk.inference.one_test_set.roc import area_losses
from bestofk.measures import Measure
from bestofk.measures.equivalence import usual_rope
from bestofk.measures.measure import REGRESSION
from bestofk.measures.regression import MeanSquaredError
from bestofk.measures.words import short_title
from bestofk.resampling import Plan
from bestofk.resampling.partial_training import PartialHoldOut
from bestofk.resampling.plan import FORWARD, HOLD_OUT, K_FOLD, TEST_SET
from bestofk.stopping.active_learners import ActiveLearners
from bestofk.verdict.complete_scores import first_names
from bestofk.verdict.verdict_options import VerdictOptions

# Bounds within which claims were measured to hold: docs/new-data.md.
_FEWEST_ROWS, _FEWEST_SPLITS, _FEWEST_FOLDS, _MOST_LEARNERS = 100, 10, 5, 12
_FEWEST_TEST_ROWS = 300  # of a single test set
_LEAST_P = 0.001  # of equal shares of classes in training and test rows
# With more learners than this, measures other than error rates, or fewer folds, claims hold more
# often than stated.
_MOST_EXACT = 3
_MOST_OF_ONE_ROW = 0.1  # of the sum of the losses of a learner
_LEAST_SHARE = 1e-6  # of the worst row of any learner
_AUROC, _R_SQUARED = "auroc", "r2"
_NO_PART = "such claims were checked only for single learners in the verdict"


@dataclass(frozen=True, eq=False)
class NewDataEvidence:
    """Evidence about new data: joint losses, or the reason why nothing is claimed.

    Parameters
    ----------
    names : list of str
        Learners that were compared; of several with the same settings only the first.
    stands_for : dict of str to int
        Position in `names` of each learner.
    losses : NewDataLosses or None
        None where no claim is made.
    within : float
        Default distance from the best that counts as good enough.
    reason : str
        Why no claim is made; empty where one is.
    reasons : dict of str to str
        Why none is made of some learners.
    no_interval : str
        Why no range of the loss is given; empty where one is.
    is_at_least : bool
        Whether probabilities are lower bounds, because they were measured to be too low.
    """

    names: list[str]
    stands_for: dict[str, int]
    losses: NewDataLosses | None
    within: float
    reason: str = ""
    reasons: dict[str, str] = field(default_factory=dict)
    no_interval: str = ""
    is_at_least: bool = False

    def claim(self, learner: str | None, within: float | None = None) -> ShipClaim:
        """Return what to expect of a learner; without probability and interval where unknown."""
        chosen = self.within if within is None else within
        if self.losses is None or learner is None:
            return ShipClaim(learner, chosen, reason=self.reason or "no learner was picked")
        if learner not in self.stands_for:
            return ShipClaim(learner, chosen, reason=_NO_PART)
        if learner in self.reasons:
            return ShipClaim(learner, chosen, reason=self.reasons[learner])
        claim = self.losses.claim(learner, self.stands_for[learner], chosen)
        if not self.no_interval:
            return claim
        reason = claim.reason or self.no_interval
        return replace(claim, loss_low=None, loss_high=None, reason=reason)

    def more_needed(self, learner: str | None, *, n_splits: int, n_folds: int) -> MoreNeeded | None:
        """Return the repeats or rows that would make a claim about a learner 95% likely."""
        if self.losses is None or learner not in self.stands_for or learner in self.reasons:
            return None
        index = self.stands_for[learner]
        return more_needed(self.losses, index, self.within, n_splits=n_splits, n_folds=n_folds)


def new_data_evidence(
    evaluation: Evaluation,
    deciding: MeasuredScores,
    active: ActiveLearners,
    settings: VerdictOptions,
) -> NewDataEvidence:
    """Return the evidence of the runs of a comparison about new data.

    Parameters
    ----------
    evaluation : Evaluation
        All runs.
    deciding : MeasuredScores
        Values of the deciding measure.
    active : ActiveLearners
        The learners that take part, and on which splits.
    settings : VerdictOptions
        Gives the region of equivalence.

    Returns
    -------
    NewDataEvidence
        Without losses where a claim was not measured to hold.
    """
    measure = deciding.measure
    rope = rope_of(evaluation, deciding, active, settings)
    within = rope or usual_rope(measure, deciding.losses[active.learners])
    trained = [index for index in active.learners if not evaluation.learners[index].members]
    learners, stands_for = _distinct(evaluation, trained)
    names = [evaluation.names[i] for i in learners]
    losses = deciding.losses[learners][:, active.splits]
    if measure.greater_is_better:
        losses = losses + measure.maximum  # an accuracy becomes an error rate
    unit = 1.0
    if measure.name == _R_SQUARED:  # what it lacks to 1 is a squared error, in variances
        unit = float(evaluation.data.y.var()) or 1.0
        of_splits = [evaluation.data.y[evaluation.test_rows[i]].var() for i in active.splits]
        losses, measure = losses * (np.array(of_splits) / unit), MeanSquaredError()
    reason = _refusal(evaluation, measure, learners, losses)
    if not reason and np.isinf(measure.maximum):
        known = [active.splits[np.isfinite(row)] for row in losses]
        if not all(map(has_test_rows, repeat(evaluation), [[i] for i in learners], known)):
            reason = "the predictions of rows were not kept"
    if not reason and not is_one_test_set(evaluation.plan):
        sampling = sampling_of(evaluation.plan, active.splits, measure)
        tested = compare_on_splits(losses.T, "corrected-t", sampling, is_complete=False)
        if tested is not None and tested.is_open.any():
            reason = f"differences hardly vary over {len(active.splits)} splits"
    if reason:
        return NewDataEvidence(names, stands_for, None, within, reason)
    is_at_least = len(names) > _MOST_EXACT or not measure.is_of_hits
    losses, one_row, reasons = _on_splits(evaluation, measure, learners, active.splits, losses)
    one_row = one_row / unit
    is_one, no_interval = is_one_test_set(evaluation.plan), ""
    has_few_folds = not is_one and evaluation.plan.n_folds < _FEWEST_FOLDS
    if is_one:
        of_rows = _row_losses(evaluation, measure, learners) / unit
        expected = losses_on_test_rows(of_rows.T, one_row=one_row, most=measure.maximum)
    else:
        train, test = (part[active.splits].mean() for part in evaluation.plan.sizes)
        expected = losses_on_new_data(
            losses.T,
            n_samples=evaluation.data.n_samples,
            n_train=train,
            n_test=test,
            one_row=one_row,
            most=measure.maximum,
        )
    if has_few_folds or np.isinf(measure.maximum):
        why = "such ranges failed when checked"
        no_interval = f"no range is given for its {short_title(deciding.measure)} ({why})"
    return NewDataEvidence(
        names,
        stands_for,
        expected,
        within,
        "",
        reasons,
        no_interval,
        is_at_least or has_few_folds,
    )


def _on_splits(
    evaluation: Evaluation,
    measure: Measure,
    learners: Sequence[int],
    splits: Ints,
    losses: Floats,
) -> tuple[Floats, Floats | float, dict[str, str]]:
    """Return the losses whose mean is claimed, the effect of one row, and reasons for no claim.

    A root of squared errors varies as its linear part does (the delta method).
    """
    y = evaluation.data.y
    tested = y[evaluation.test_rows[0]] if is_one_test_set(evaluation.plan) else y
    n_rows = len(tested)
    if measure.name == _AUROC:
        return losses, 1 / float(np.bincount(tested).min()), {}
    if np.isfinite(measure.maximum):
        return losses, (measure.maximum - measure.minimum) / n_rows, {}
    if measure.is_root_mean:
        roots = np.sqrt(np.nanmean(np.square(losses), axis=1, keepdims=True))
        roots = np.maximum(roots, np.finfo(float).tiny)
        losses = (np.square(roots) + np.square(losses)) / (2 * roots)
    one_row, reasons = np.zeros(len(learners)), {}
    for position, index in enumerate(learners):
        known = splits[np.isfinite(losses[position])].tolist()
        rows = row_predictions(evaluation, [index], known).losses_of(measure)
        assert rows is not None  # they were asked for before
        one_row[position] = rows.max() / n_rows
        parts = rows[0]
        if measure.is_root_mean:  # back to squares
            parts = 2 * parts.mean() * parts - parts.mean() ** 2
        where = np.concatenate([evaluation.test_rows[split] for split in known])
        sums = np.sort(np.bincount(where, parts).astype(float))[::-1]
        if sums[0] >= _MOST_OF_ONE_ROW * sums.sum():  # as where all are 0
            name = evaluation.names[index]
            reasons[name] = _ruled_by_few(name, sums, measure)
    # positive, so that the covariance can be factored where a learner makes no error
    return losses, np.maximum(one_row, _LEAST_SHARE * one_row.max()), reasons


def _ruled_by_few(name: str, sums: Floats, measure: Measure) -> str:
    """Return how few rows make up half of the loss of a learner, the largest first."""
    if not sums[0]:
        return f"{name} has no loss on any row, so its loss on others is not known"
    n_half = int(np.searchsorted(np.cumsum(sums), sums.sum() / 2)) + 1
    rows = "1 row makes" if n_half == 1 else f"{n_half} rows make"
    what = "squared error" if measure.is_root_mean else short_title(measure)
    more = (
        "; mean absolute error (mae) depends less on such rows"
        if measure.task == REGRESSION and measure.name != "mae"
        else ""
    )
    return f"{rows} up half of the {what} of {name}{more}"


def is_one_test_set(plan: Plan) -> bool:
    """Return whether every learner is trained once, and tested on one set of rows."""
    return len(plan) == 1 and plan.scheme in (HOLD_OUT, TEST_SET)


def _row_losses(evaluation: Evaluation, measure: Measure, learners: Sequence[int]) -> np.ndarray:
    """Return losses of the rows of the one test set, shape (n_learners, n_rows)."""
    rows = row_predictions(evaluation, learners, [0])
    if measure.name == _AUROC:
        rankings = rows.rankings()
        assert rankings is not None  # learners without scores take no part
        return np.array([area_losses(rows.is_positive, scores) for scores in rankings])
    losses = rows.losses_of(measure)
    assert losses is not None  # learners without probabilities take no part
    return losses + measure.maximum if measure.greater_is_better else losses


def _distinct(evaluation: Evaluation, learners: Sequence[int]) -> tuple[list[int], dict[str, int]]:
    """Return learners with different settings, and the position among them of each learner."""
    kept: list[int] = []
    position: dict[str, int] = {}
    stands_for = {}
    for index in learners:
        key = evaluation.identities[index].id
        if key not in position:
            position[key] = len(kept)
            kept.append(index)
        stands_for[evaluation.names[index]] = position[key]
    return kept, stands_for


def _refusal(
    evaluation: Evaluation, measure: Measure, learners: Sequence[int], losses: np.ndarray
) -> str:
    """Return why nothing is claimed about new data; empty where something is."""
    data, plan = evaluation.data, evaluation.plan
    if plan.scheme == FORWARD:
        return "what changes between now and then cannot be read from these rows"
    is_auroc = measure.name == _AUROC and len(data.classes) == 2
    if not measure.has_row_losses and not is_auroc:
        what = (
            f"AUROC of {len(data.classes)} classes"
            if measure.name == _AUROC
            else short_title(measure)
        )
        return f"such claims were checked for means over rows and two-class AUROC, not for {what}"
    if measure.minimum < 0:
        return "such claims were checked for losses of at least 0; some costs are negative"
    if data.groups is not None:
        return f"rows come in {len(np.unique(data.groups)):,} groups"
    if data.sample_weight is not None:
        return "rows are weighted"
    if data.n_samples < _FEWEST_ROWS:
        return f"there are {data.n_samples} rows, and {_FEWEST_ROWS} are needed"
    if isinstance(plan, PartialHoldOut):
        n_rows = int(plan.n_train)
        return f"learners were trained on {n_rows:,} of {plan.n_all:,} rows by then"
    if plan.scheme != K_FOLD and not is_one_test_set(plan):
        return (
            "such claims were checked for repeated cross-validation and single test sets, not for "
            f"{plan.title}"
        )
    tuned = [evaluation.names[index] for index in learners if evaluation.learners[index].is_tuned]
    if tuned:
        return f"such claims were not checked for tuned learners, such as {first_names(tuned)}"
    n_learners = len(learners)
    if n_learners > _MOST_LEARNERS:
        return f"such claims were checked for {_MOST_LEARNERS} learners at most, not {n_learners}"
    n_shared = int((~np.isnan(losses)).all(axis=0).sum()) if len(losses) else 0
    if is_one_test_set(plan):
        undefined = "the score is not defined on the test rows"
        return _refusal_of_rows(evaluation, learners) if n_shared else undefined
    if plan.n_folds < _FEWEST_FOLDS and not measure.is_of_hits:
        return f"at least {_FEWEST_FOLDS} folds are needed; there are {plan.n_folds}"
    needed = max(_FEWEST_SPLITS, n_learners + 1)
    if n_shared < needed:
        return f"{needed} splits that all learners finished are needed; there are {n_shared}"
    return ""


def _refusal_of_rows(evaluation: Evaluation, learners: Sequence[int]) -> str:
    """Return why the rows of a single test set carry no claim; empty where they do."""
    if not has_test_rows(evaluation, learners):
        return "the predictions of the test rows were not kept"
    n_rows = int(evaluation.plan.sizes[1][0])
    if n_rows < _FEWEST_TEST_ROWS:
        return f"at least {_FEWEST_TEST_ROWS} test rows are needed, not {n_rows}"
    if evaluation.plan.scheme == TEST_SET and not _are_alike(evaluation):
        what = "classes" if evaluation.data.is_classification else "large and small targets"
        return f"{what} are not as frequent in the test rows as in the training rows"
    return ""


def _are_alike(evaluation: Evaluation) -> bool:
    """Return whether both parts of a fixed split may have the same shares of classes.

    By the chi-squared test: rows of a file are often ordered by class.  Numbers count by tenths.
    """
    plan, y = evaluation.plan, evaluation.data.y
    parts = (plan.train_rows[0], plan.test_rows[0])
    if not evaluation.data.is_classification:
        y = np.searchsorted(np.quantile(y, np.arange(1, 10) / 10), y)
    counts = np.array([np.bincount(y[rows], minlength=int(y.max()) + 1) for rows in parts])
    counts = counts[:, counts.any(axis=0)]
    usual = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    distance = float(((counts - usual) ** 2 / usual).sum())
    return bool(chdtrc(counts.shape[1] - 1, distance) >= _LEAST_P)
