"""The command `tree`: one tree of a table, as text and picture, with its rules and its error."""

from typing import Any, Final

import click

from bestofk.cli.arguments import parse_learners
from bestofk.cli.compare_command import exit_code
from bestofk.cli.data_commands import read_data
from bestofk.cli.findings_output import write_verdict
from bestofk.cli.options import OF_FILE, Given, Option, takes
from bestofk.cli.picture import check_picture, draw_picture
from bestofk.cli.terminal import prints_to_messages, progress, write_result
from bestofk.errors import InvalidArgumentError
from bestofk.words import joined_lines, times

_LEGEND: Final = (
    "At a leaf: its class or mean, and in brackets its training rows/those of another class.\n"
    "A row with a missing value counts in parts. Without any test:"
)


@takes(
    f"data target task learner cv stratify groups weights drop role {OF_FILE} "
    "drop_missing_target scoring pos_label cost_matrix seed rules picture force json quiet",
    learner=Option(
        None,
        "A tree from 'bestofk learners', \"c45(min_samples_leaf=5)\" or FILE.py:NAME; default: c45 "
        "or cart-regressor.",
        convert=lambda text: parse_learners([text]) if text else None,
    ),
    cv=Option("1x10", "Plan that measures the error: 1x10, 10x10, loo, 30xholdout, adaptive."),
    rules=Option(False, "Print the rules of the tree too.", bool),
)
def show_tree(data: str, rules: bool, given: Given) -> None:
    """Grow one tree, and show its text, picture, rules, pruning and error."""
    check_picture(given.output, apart_from=(data,))
    from bestofk.comparison.entry_point import compare
    from bestofk.report import json_text
    from bestofk.trees.displays import TreeDisplay
    from bestofk.trees.text_form import leaf_words

    output = given.output
    with prints_to_messages():
        loaded = read_data(data, given)
        usual = "c45" if loaded.is_classification else "cart-regressor"
        named = _one_tree(given.arguments.pop("learner") or [usual], loaded.task)
        comparison = compare(named, loaded, **given.arguments, progress=progress(output.quiet))
    if code := exit_code(comparison.findings):
        write_verdict(comparison, output)
        raise click.exceptions.Exit(code)
    with prints_to_messages():
        tree, facts = _tree_and_facts(comparison, rules)
    display = TreeDisplay(tree)
    if output.json:
        write_result(json_text(facts | {"nodes": display.to_frame().to_dict("records")}))
    else:
        parts = [facts["tree"], f"{_LEGEND} {leaf_words(tree, 0)}.", facts["rules"]]
        shown = [joined_lines(facts["answer"]), *([] if output.quiet else parts)]
        write_result("\n\n".join(filter(None, shown)))
    if output.picture is not None:
        draw_picture(display, output.picture)


def _one_tree(learners: list[Any], task: str) -> dict[str, Any]:
    """Return the estimator of the only learner, which is a tree, by its name."""
    from bestofk.learners import learner_catalogue, resolve_learners

    named = {item.name: item.estimator for item in resolve_learners(learners, task)}
    learner = _steps(next(iter(named.values())))[-1]
    if len(named) > 1 or not hasattr(learner, "get_n_leaves"):
        known = learner_catalogue(task).items()
        trees = ", ".join(name for name, entry in known if entry.is_tree)
        raise InvalidArgumentError(
            f"--learner must be one tree; got {', '.join(named)}. Trees for {task}: {trees}."
        )
    if hasattr(learner, "growth_rules"):
        learner.growth_rules()  # refuses what its method does not define
    return named


def _steps(estimator: Any) -> list[Any]:
    """Return the steps of a pipeline, tuned or not; of another learner itself alone."""
    inner = getattr(estimator, "learner_", None) or getattr(estimator, "learner", estimator)
    return [step for _, step in inner.steps] if hasattr(inner, "steps") else [inner]


def _tree_and_facts(comparison: Any, has_rules: bool) -> tuple[Any, dict[str, Any]]:
    """Return the tree of all rows, and what is printed of it."""
    from bestofk.comparison.fitted_learner import held_out_scores
    from bestofk.measures.words import score_in_words
    from bestofk.trees.rule import rule_lines
    from bestofk.trees.text_form import tree_text
    from bestofk.trees.tree import Tree, tree_of_scikit

    data, measure, model = comparison.evaluation.data, comparison.measures[0], comparison.fit()
    X, y, names = data.features, data.target_array, data.feature_names
    training = held_out_scores(model, X, y, data=data, measures=(measure,))[measure.name]
    *before, learner = _steps(model.estimator_)
    for step in before:
        X = step.transform(X)
        names = getattr(step, "get_feature_names_out", lambda same: same)(names)
    tree = learner.tree_ if isinstance(learner.tree_, Tree) else tree_of_scikit(learner, names)
    rules = learner.to_text() if hasattr(learner, "rule_set_") else has_rules and rule_lines(tree)
    expected, plan = comparison.findings.learners[0].mean, comparison.evaluation.plan.title
    score, own = score_in_words(measure, expected), score_in_words(measure, training)
    return tree, {
        "answer": [
            f"{comparison.best} on {data.name}: expect {score} on new rows ({plan}).",
            f"On its own {times(data.n_samples, 'training row')}: {own}. This is no forecast, "
            "because the tree was grown to fit them.",
            f"Leaves: {_pruning(learner, X, data)}.",
        ],
        "measure": measure.name,
        "expected": expected,
        "on_training_rows": training,
        "tree": tree_text(tree).partition("\n\n")[0].removeprefix(": "),
        "rules": rules or "",
    }


def _pruning(learner: Any, X: Any, data: Any) -> str:
    """Return how many leaves grew, and what pruning left of them."""
    from sklearn.base import clone

    from bestofk.data.data_set import take_rows

    settings, y, weight = learner.get_params(), data.target_array, data.sample_weight
    unpruned = {"pruning": None} if "pruning" in settings else {"ccp_alpha": 0.0}
    kind = settings.get("pruning", settings.get("ccp_alpha") and "cost-complexity")
    left = f"{'MDL' if kind == 'mdl' else kind} pruning left {learner.get_n_leaves():,}"
    if hasattr(learner, "rule_set_"):
        left = f"became {times(len(learner.rule_set_), 'rule')}"
    elif kind in (None, 0, "none"):
        left = "nothing was pruned"
    elif kind == "reduced-error":
        rows = learner.pruning_split(data.y)[0]
        X, y, weight = take_rows(X, rows), y[rows], None if weight is None else weight[rows]
    grown = clone(learner).set_params(**unpruned).fit(X, y, weight)
    return f"{grown.get_n_leaves():,} grew, and {left}"
