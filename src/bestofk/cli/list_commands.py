"""Commands that list learners, measures, procedures and built-in data sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bestofk.checks import known_name
from bestofk.cli.entries import (
    INTERVAL,
    INTERVAL_QUESTION,
    facts_text,
    interval_facts,
    learner_facts,
    ordering_facts,
    procedure_facts,
    procedure_name,
)
from bestofk.cli.options import Option, takes
from bestofk.cli.terminal import write_json, write_lines, write_result, write_table

if TYPE_CHECKING:
    from bestofk.learners.entry import LearnerEntry

_NAME = Option(None, "Show this one in full.", str, "[NAME]", is_positional=True)
_TASK = Option(None, "classification or regression; default: both.")


@takes("name task json", name=_NAME, task=_TASK)
def list_learners(name: str | None, task: str | None, json: bool) -> None:
    """List the learners accepted by --learners, or show one in full."""
    from bestofk.learners import groups_of, learner_catalogue
    from bestofk.learners.written_learners import base_name

    if name is not None:
        known = learner_catalogue(task, optional=True)
        aliases = {key: filter(None, [entry.tuned_name]) for key, entry in known.items()}
        _show(learner_facts(known[known_name(base_name(name), aliases, "learner")]), json=json)
        return
    entries = learner_catalogue(task, optional=True).values()
    if json:
        keys = (
            "name", "task", "title", "description", "is_baseline", "handles", "extra",
        )  # fmt: skip
        facts = [
            {key: getattr(entry, key) for key in keys} | {"groups": groups_of(entry)}
            for entry in entries
        ]
        write_json({"learners": facts})
        return
    for of_task in dict.fromkeys(entry.task for entry in entries):
        rows = [_learner_row(entry) for entry in entries if entry.task == of_task]
        write_table((of_task, "what it is", "groups and cost", "handles"), rows)
        write_result("")
    write_lines(*_LEGEND)


# Legend below the table of learners.
_LEGEND = (
    "Groups can be given to --learners, as in default,-cart,svm; all is a group too.",
    "On 1,000 rows x 20 columns and one thread, fast means below 0.1 s, medium below 1 s.",
    "Handled by the learner itself: G gaps, C categories, W row weights, P class probabilities.",
    "Without G and C, gaps are filled and categories encoded first. Free text is read as words.",
)


def _learner_row(entry: LearnerEntry) -> tuple[str, ...]:
    from bestofk.learners import groups_of

    title = f"{entry.title} (bestofk[{entry.extra}])" if entry.extra else entry.title
    *groups, _ = groups_of(entry)  # all of them are in the last
    groups += ["baseline"] if entry.is_baseline else []
    letters = " ".join(word[0].upper() for word in entry.handles)
    return entry.name, title, ", ".join(groups), letters


@takes("name json", name=_NAME)
def list_procedures(name: str | None, json: bool) -> None:
    """List the statistical procedures of compare-scores and Comparison.test, or show one."""
    from bestofk.inference import PROCEDURES

    if name is not None:
        key = procedure_name(name)
        if key in PROCEDURES:
            facts = procedure_facts(PROCEDURES[key])
        else:
            facts = interval_facts() if key == INTERVAL else ordering_facts(key)
        _show(facts, json=json)
        return
    entries = list(PROCEDURES.values())
    if json:
        keys = ("name", "title", "question", "takes", "sides", "options")
        write_json(
            {"procedures": [{key: getattr(entry, key) for key in keys} for entry in entries]}
        )
        return
    rows = [(entry.name, entry.question, entry.takes.replace("-", " ")) for entry in entries]
    rows.append((INTERVAL, INTERVAL_QUESTION, "errors on rows"))
    write_table(("procedure", "what it answers", "takes"), rows)


@takes("task json", task=_TASK)
def list_measures(task: str | None, json: bool) -> None:
    """List the measures accepted by --scoring; some take a number, as in top_3_accuracy."""
    from bestofk.measures import measure_names
    from bestofk.score_tables.table_facts import known_measure

    rows = []
    for of_task in ("classification", "regression") if task is None else (task,):
        for measure in filter(None, map(known_measure, measure_names(of_task))):
            better = "higher" if measure.greater_is_better else "lower"
            low, high = measure.minimum, measure.maximum
            bounds = f"{low:g} to {high:g}" if low < high else "of the matrix"  # of costs
            rows.append((measure.name, of_task, better, bounds, measure.needs))
    heads = ("measure", "task", "better", "range", "needs")
    if json:
        write_json({"measures": [dict(zip(heads, row, strict=True)) for row in rows]})
    else:
        write_table(heads, rows)


@takes("json")
def list_data_sets(json: bool) -> None:
    """List the data sets that compare accepts by name."""
    from bestofk.data import data_set_names

    names = data_set_names()
    if json:
        write_json({"datasets": [{"name": n, "description": text} for n, text in names]})
        return
    rows = [*names, ("openml:ID", "a data set of openml.org, by its number (extra openml)")]
    write_table(("data set", "what it is"), rows)


def _show(facts: dict[str, Any], *, json: bool) -> None:
    if json:
        write_json(facts)
    else:
        write_result(facts_text(facts))
