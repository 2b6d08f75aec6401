"""Statistical procedures and orderings applied to the stored runs of a comparison."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bestofk.errors import DesignError, InvalidArgumentError, nearest_name
from bestofk.evaluation import RowPredictions, row_predictions
from bestofk.inference import Caution, Procedure, Result, procedure
from bestofk.inference.power_of_pilot import PowerResult, power_of_comparison
from bestofk.learners import is_unstable
from bestofk.verdict import OrderingsTable, orderings
from bestofk.verdict.preference import ranked_only

if TYPE_CHECKING:
    from bestofk.comparison.comparison import Comparison

POOLED_ROWS = (
    "The rows were predicted by the models of {} folds, each trained on rows that others were "
    "tested on, so they are not independent: the p value may be too small, above all with "
    "unstable learners."
)

FIRST_REPEAT = "The rows are those of the first of {} repeats; the others are not looked at."


def apply_procedure(
    comparison: Comparison, name: str, learners: Sequence[str], options: dict[str, Any]
) -> Result:
    """Apply a procedure of `bestofk.inference` to stored runs; nothing is fitted.

    Parameters
    ----------
    comparison : Comparison
        Gives scores, predictions and how they were made.
    name : str
        Name of the procedure.
    learners : sequence of str
        Two for a procedure of two, any number from two else; empty for all that can be best.
    options : dict of str to object
        Options of the procedure, such as ``alternative`` or ``rope``.

    Returns
    -------
    Result
        What the procedure returns.

    Raises
    ------
    InvalidArgumentError
        If a name or an option is unknown.
    DesignError
        If the number of learners, the plan or the data do not suit the procedure.
    """
    chosen = procedure(name)
    checked = chosen.check_options(options)
    indices = _places(comparison, chosen, list(learners))
    return _TAKERS[chosen.takes](comparison, chosen, indices, checked)


def check_learner_count(chosen: Procedure, names: Sequence[str]) -> None:
    """Raise unless a procedure is given as many learners as it takes.

    Parameters
    ----------
    chosen : Procedure
        What is to be applied.
    names : sequence of str
        Learners that it would be applied to.

    Raises
    ------
    DesignError
        If they are too few or too many.
    InvalidArgumentError
        If one is named twice.
    """
    takes_two = chosen.takes.startswith(("two", "splits"))
    rule = "two learners" if takes_two else "at least two learners"
    if len(names) < 2 or (takes_two and len(names) > 2):
        raise DesignError(
            f"learners of {chosen.name} must be {rule}; got {len(names)} "
            f"({', '.join(names) or 'none'}). Name the learners to compare."
        )
    twice = sorted({name for name in names if list(names).count(name) > 1})
    if twice:
        raise InvalidArgumentError(
            f"learners of {chosen.name} must be different; got {', '.join(twice)} more than once. "
            "Name another learner."
        )


def _places(comparison: Comparison, chosen: Procedure, names: list[str]) -> list[int]:
    evaluation = comparison.evaluation
    for name in names:
        if name not in evaluation.names:
            raise InvalidArgumentError(
                f"learner must be one of those compared; got {name!r}. "
                + nearest_name(name, evaluation.names)
            )
    if not names:
        names = [name for name in evaluation.names if name in comparison.order]
    check_learner_count(chosen, names)
    return [evaluation.names.index(name) for name in names]


def _given(chosen: Procedure, **values: Any) -> dict[str, Any]:
    """Return those of some values that the procedure asks for."""
    known = inspect.signature(chosen.run).parameters
    return {name: value for name, value in values.items() if name in known}


def _on_splits(
    comparison: Comparison, chosen: Procedure, places: list[int], options: dict[str, Any]
) -> Result:
    values, sampling = comparison.scores_on_shared_splits(
        places, chosen.name, needs_all_splits=chosen.needs_all_splits
    )
    evaluation = comparison.evaluation
    given = _given(
        chosen,
        sampling=sampling,
        names=[evaluation.names[i] for i in places],
        is_unstable=any(is_unstable(evaluation.learners[i].estimator) for i in places),
        greater_is_better=comparison.measures[0].greater_is_better,
        rope=comparison.settings.rope_of(comparison.measures[0]),
    )
    arguments = tuple(values) if chosen.takes.startswith("two") else (values,)
    return chosen.run(*arguments, **(given | options))


def _on_rows(
    prepare: Callable[[RowPredictions, Procedure], tuple[Any, ...]],
) -> Callable[..., Result]:
    """Return what applies a procedure to the rows of the first repeat, each tested once."""

    def apply(
        comparison: Comparison, chosen: Procedure, places: list[int], options: dict[str, Any]
    ) -> Result:
        evaluation, plan = comparison.evaluation, comparison.evaluation.plan
        splits = list(range(plan.n_folds))
        rows = row_predictions(evaluation, places, splits, comparison.positive)
        given = _given(
            chosen,
            names=[evaluation.names[i] for i in places],
            fold_of_row=rows.fold_of_row,
            is_pooled=plan.n_folds > 1,
        )
        result = chosen.run(*prepare(rows, chosen), **given, **options)
        if plan.n_repeats > 1:
            which = FIRST_REPEAT.format(plan.n_repeats)
            result = replace(result, assumptions=(*result.assumptions, which))
        if plan.n_folds == 1 or "fold_of_row" in given:
            return result
        caution = Caution("pooled-folds", POOLED_ROWS.format(plan.n_folds))
        return replace(result, warnings=(*result.warnings, caution))

    return apply


def _losses(rows: RowPredictions, chosen: Procedure) -> tuple[Any, ...]:
    return tuple(rows.losses())


def _correct(rows: RowPredictions, chosen: Procedure) -> tuple[Any, ...]:
    if not rows.batches[0].is_classification:
        raise DesignError(
            f"task must be classification for {chosen.name}, which counts rows that are right; got "
            "regression. Take anova or repeated-measures-anova."
        )
    return (1 - rows.losses().T,)


def _rankings(rows: RowPredictions, chosen: Procedure) -> tuple[Any, ...]:
    rankings = rows.rankings()
    if rankings is None:
        raise DesignError(
            f"predictions of {chosen.name} must be of two classes with probabilities or decision "
            "values of every learner; got others. Compare by errors, for example with mcnemar."
        )
    return (rows.is_positive, *rankings)


def _posteriors(rows: RowPredictions, chosen: Procedure) -> tuple[Any, ...]:
    posteriors = rows.posteriors() if rows.batches[0].is_classification else None
    if posteriors is None:
        raise DesignError(
            f"predictions of {chosen.name} must hold probabilities of every learner; got some "
            "without. Leave those learners out."
        )
    return (posteriors,)


def _on_data_sets(
    comparison: Comparison, chosen: Procedure, places: list[int], options: dict[str, Any]
) -> Result:
    raise DesignError(
        f"data sets of {chosen.name} must be many; got one ({comparison.evaluation.data.name}). "
        "Compare on several: compare(learners, {name: data, ...})."
    )


_TAKERS: dict[str, Callable[..., Result]] = {
    "two-on-splits": _on_splits,
    "many-on-splits": _on_splits,
    "two-on-rows": _on_rows(_losses),
    "many-on-rows": _on_rows(_correct),
    "two-rankings": _on_rows(_rankings),
    "posteriors": _on_rows(_posteriors),
    "two-on-data-sets": _on_data_sets,
    "many-on-data-sets": _on_data_sets,
    "splits-of-data-sets": _on_data_sets,
}


def ask_orderings(comparison: Comparison, prefer: Any) -> OrderingsTable:
    """Ask every ordering which learner is best; see `Comparison.orderings`."""
    evaluation, settings = comparison.evaluation, comparison.settings
    names = [name for name in evaluation.names if name in comparison.order]
    if len(names) < 2:
        raise DesignError(
            f"learners of orderings must be at least two; got {len(names)}. Compare more."
        )
    indices = [evaluation.names.index(name) for name in names]
    chosen = procedure(settings.test)
    values, sampling = comparison.scores_on_shared_splits(
        indices, "orderings", needs_all_splits=chosen.needs_all_splits
    )
    wanted = ranked_only(settings.prefer if prefer is None else prefer, evaluation.names, names)
    return orderings(
        comparison.measures[0].loss(values),
        sampling=sampling,
        names=names,
        test=settings.test,
        alpha=settings.alpha,
        prefer="given" if wanted is None else wanted,
        costs=comparison.costs(indices),
    )


def pilot_power(
    comparison: Comparison, first: str, second: str, *, difference: float, power: float
) -> PowerResult:
    """Return what the plan of a comparison can show; see `Comparison.power`."""
    settings = comparison.settings
    indices = _places(comparison, procedure(settings.test), [first, second])
    values, sampling = comparison.scores_on_shared_splits(
        indices, "power", needs_all_splits=procedure(settings.test).needs_all_splits
    )
    k = max(2, len(comparison.order))
    return power_of_comparison(
        values[0] - values[1],
        sampling,
        difference=difference,
        alpha=settings.alpha,
        power=power,
        n_hypotheses=k * (k - 1) // 2,
        test=settings.test,
    )
