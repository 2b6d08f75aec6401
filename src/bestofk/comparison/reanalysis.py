"""Reanalysis of stored runs: every ordering, and the power of the plan."""

from typing import Any

from bestofk.comparison.evidence import costs_of
from bestofk.comparison.run_scores import RunScores
from bestofk.errors import DesignError
from bestofk.inference import procedure
from bestofk.inference.catalogue import check_learners
from bestofk.inference.power import PowerResult, power_of_comparison
from bestofk.verdict import OrderingsTable, orderings
from bestofk.verdict.preference import ranked_only
from bestofk.verdict.verdict_options import VerdictOptions


def orderings_of(runs: RunScores, settings: VerdictOptions, prefer: Any) -> OrderingsTable:
    """Return the best learner by every ordering rule; see `Comparison.orderings`."""
    names = runs.contenders
    if len(names) < 2:
        raise DesignError(
            f"learners of orderings must be at least two; got {len(names)}. Compare more."
        )
    indices = [runs.learners.index(name) for name in names]
    needs_all = procedure(settings.test).needs_all_splits
    values, sampling = runs.on_shared_splits(indices, "orderings", needs_all_splits=needs_all)
    wanted = ranked_only(settings.prefer if prefer is None else prefer, runs.learners, names)
    return orderings(
        runs.deciding.measure.loss(values).T,
        sampling=sampling,
        names=names,
        test=settings.test,
        alpha=settings.alpha,
        prefer="given" if wanted is None else wanted,
        costs=costs_of(runs.evaluation, indices, settings.feature_costs),
    )


def pilot_power(
    runs: RunScores,
    settings: VerdictOptions,
    first: str,
    second: str,
    *,
    difference: float,
    power: float,
) -> PowerResult:
    """Return the differences that a plan can detect; see `Comparison.power`."""
    test = procedure(settings.test)
    indices = [runs.learners.index(name) for name in check_learners(runs, test, [first, second])]
    values, sampling = runs.on_shared_splits(
        indices, "power", needs_all_splits=test.needs_all_splits
    )
    k = max(2, len(runs.order))
    return power_of_comparison(
        values[0] - values[1],
        sampling,
        difference=difference,
        alpha=settings.alpha,
        power=power,
        n_hypotheses=k * (k - 1) // 2,
        test=settings.test,
    )
