"""Facts about one learner or one procedure, with the lines to type."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bestofk.checks import known_name

if TYPE_CHECKING:
    from bestofk.inference.catalogue import Procedure
    from bestofk.inference.two_learners.paired_test import PairedTest
    from bestofk.learners.entry import LearnerEntry

Facts = dict[str, Any]
# Characters per line; lines to type are never broken.
_WIDTH = 88
# Procedures that are shown on the table of 10x10 folds.
_OF_10X10 = ("calibrated-t", "sorted-runs-t")
INTERVAL = "proportion-interval"
INTERVAL_QUESTION = "In what range is the error rate of one learner?"


def procedure_name(name: str) -> str:
    """Return the full name of a procedure, interval or ordering.

    Raises
    ------
    InvalidArgumentError
        If there is none; the message names the nearest.
    """
    from bestofk.inference import PROCEDURES
    from bestofk.verdict import ORDERINGS

    own = {key: entry.aliases for key, entry in PROCEDURES.items()}
    own |= {INTERVAL: ("wilson", "clopper-pearson", "accuracy-interval", "error-interval")}
    others = {key: aliases for key, aliases in ORDERINGS.aliases.items() if key not in own}
    return known_name(name, own | others, "procedure")


def learner_facts(entry: LearnerEntry) -> Facts:
    """Return the facts about a learner, and the lines to type, by label."""
    from bestofk.batched.forms import BATCHED_FORMS
    from bestofk.learners import groups_of

    columns = {
        "one-hot": "numeric as they are, nominal 1-of-n",
        "standardized": "numeric standardized, nominal 1-of-n",
        "as-is": "numeric and nominal as they are",
    }
    data = "data.csv"
    lines = [f"bestofk compare {data} --learners {entry.name},..."]
    grids = [entry.space] if isinstance(entry.space, Mapping) else list(entry.space)
    first = next(((k, v[0]) for grid in reversed(grids) for k, v in grid.items()), None)
    if first is not None:
        lines.append(f'bestofk compare {data} --learners "{entry.name}({first[0]}={first[1]}),..."')
        tuned = entry.tuned_name or entry.name
        lines.append(f'bestofk compare {data} --learners "tuned({tuned}),..."')
    if entry.is_tree:
        lines.append(f"bestofk tree {data} --learner {entry.name}")
    return {
        "learner": f"{entry.name}, {entry.title} ({entry.task})",
        "predicts": entry.description,
        "class": entry.estimator,
        "settings": _values(entry.settings) or "the defaults of the class",
        "columns": columns[entry.columns],
        "groups": ", ".join(groups_of(entry)),
        "handles": ", ".join(entry.handles) or "nothing beyond numbers",
        "batched": "yes" if entry.estimator in BATCHED_FORMS else "no",
        "tunes": [*map(_space, grids), *_level(entry)] if grids else ["nothing"],
        "needs": f"pip install 'bestofk[{entry.extra}]'" if entry.extra else "nothing more",
        "type": lines,
    }


def procedure_facts(entry: Procedure) -> Facts:
    """Return the facts about a procedure, and the lines to type, by label."""
    from bestofk.inference.catalogue import ON_ROWS
    from bestofk.inference.two_learners.catalogue import PAIRED_TESTS

    parameters = inspect.signature(entry.run).parameters
    options = {name: parameters[name].default for name in entry.options}
    pair = " --learners naive-bayes,c45" if entry.takes_two else ""
    lines = [f"bestofk compare-scores {_example_of(entry)} --procedure {entry.name}{pair}"]
    if entry.name == "two-proportion-z":  # not for two learners on the same rows
        lines = ["bestofk compare-scores --procedure two-proportion-z --errors 15/30 5/5000"]
    if entry.is_over_time:  # no table that is shipped has an order in time
        lines = []
    elif entry.name in PAIRED_TESTS:
        plan = _plan_for(PAIRED_TESTS[entry.name])
        lines.append(f"bestofk compare iris --test {entry.name}{plan}")
    if entry.takes in ON_ROWS:
        learners = ', "naive-bayes", "c45"' if entry.takes_two else ""
        lines.append(f'compare(...).test("{entry.name}"{learners})  # in Python')
    return {
        "procedure": f"{entry.name}, {entry.title}",
        "other names": ", ".join(entry.aliases) or "none",
        "answers": entry.question,
        "takes": entry.takes.replace("-", " "),
        "sides": ", ".join(entry.sides) or "none",
        "options": _values(options) or "none",
        "page": f"docs/procedures/{entry.name}.md",
        "type": lines,
    }


def interval_facts() -> Facts:
    """Return the facts about the interval of an error rate, by label."""
    return {
        "procedure": f"{INTERVAL}, interval of a proportion",
        "answers": INTERVAL_QUESTION,
        "takes": "errors and rows of one test set",
        "sides": "none",
        "options": "method=wilson, level=0.95",
        "page": f"docs/procedures/{INTERVAL}.md",
        "type": [f"bestofk compare-scores --procedure {INTERVAL} --errors 20/100"],
    }


def ordering_facts(name: str) -> Facts:
    """Return the facts about an ordering, and the lines to type, by label."""
    from bestofk.verdict import ORDERINGS

    rule = name.partition("-")[0] if name.startswith("multitest") else name
    names = [key for key in ORDERINGS if key.startswith(rule)]
    return {
        "ordering": ", ".join(f"{key} ({ORDERINGS[key].title})" for key in names),
        "answers": "Which learner is best by this rule, given a preference?",
        "takes": "many on splits",
        "page": "docs/procedures/orderings.md",
        "type": [f"bestofk compare-scores example-5x2 --ordering {key}" for key in names],
    }


def facts_text(facts: Facts) -> str:
    """Return facts as lines that begin with a label."""
    width = max(map(len, facts))
    lines = []
    for label, value in facts.items():
        texts = value if isinstance(value, list) else textwrap.wrap(value, _WIDTH - width)
        for number, text in enumerate(texts):
            lines.append(f"{label if number == 0 else '':{width}s}  {text}")
    return "\n".join(lines)


def _example_of(entry: Procedure) -> str:
    """Return the shipped table that a procedure can be applied to."""
    from bestofk.inference.catalogue import ON_ROWS

    if entry.takes in ON_ROWS:
        return "example-predictions"
    if entry.takes.endswith("data-sets"):
        return "example-data-sets"
    if entry.name.startswith("5x2"):
        return "example-5x2"
    return "example-10x10" if entry.name in _OF_10X10 else "example-10-folds"


def _plan_for(test: PairedTest) -> str:
    """Return the option of the first usual plan that a test accepts; empty for the adaptive one."""
    from bestofk.inference import Sampling

    usual = {"": (5, 5), " --cv 1x10": (1, 10), " --cv 5x2": (5, 2), " --cv 10x10": (10, 10)}
    for option, (n_repeats, n_folds) in usual.items():
        sampling = Sampling("k-fold", n_repeats, n_folds, n_train=n_folds - 1, n_test=1)
        if test.refusal(sampling) is None:
            return option
    return " --cv ..."


def _values(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in values.items())


def _space(grid: Mapping[str, Any]) -> str:
    return "; ".join(f"{name}: {_list(list(values))}" for name, values in grid.items())


def _level(entry: LearnerEntry) -> list[str]:
    """Return how often tests of the tuned learner reject wrongly, and if `--tune` tunes it."""
    from bestofk.tuning.paths.catalogue import SETTING_PATHS
    from bestofk.tuning.spaces import is_tuned_by_default

    if entry.estimator not in SETTING_PATHS:
        return []
    level = "not measured" if entry.tuned_level is None else f"{entry.tuned_level:.1%}"
    rest = "" if is_tuned_by_default(entry) else "; --tune leaves it as it is"
    return [f"wrong rejections of tests at 5% once tuned: {level}{rest}"]


def _list(values: list[Any]) -> str:
    is_whole = all(type(value) is int for value in values)
    if len(values) > 10 and is_whole and values == list(range(values[0], values[-1] + 1)):
        return f"{values[0]} to {values[-1]}"
    return ", ".join(f"{v:g}" if isinstance(v, float) else str(v) for v in values)
