"""Commands that list learners, procedures and built-in data sets."""

from __future__ import annotations

from bestofk.cli.options import Option, takes
from bestofk.cli.terminal import write_json, write_table


@takes("task json", task=Option(None, "classification or regression; both if left out."))
def list_learners(task: str | None, json: bool) -> None:
    """List the learners accepted by --learners."""
    from bestofk.learners import learner_catalogue

    entries = learner_catalogue(task, optional=True).values()
    if json:
        keys = ("name", "task", "title", "description", "is_default", "is_baseline", "extra")
        write_json({"learners": [{key: getattr(entry, key) for key in keys} for entry in entries]})
        return
    rows = [
        (
            entry.name,
            entry.task,
            entry.title,
            "baseline" if entry.is_baseline else "yes" if entry.is_default else "",
            f"bestofk[{entry.extra}]" if entry.extra else "",
        )
        for entry in entries
    ]
    write_table(("learner", "task", "what it is", "in the default set", "needs"), rows)


@takes("json")
def list_procedures(json: bool) -> None:
    """List the statistical procedures of compare-scores --procedure and Comparison.test."""
    from bestofk.inference import PROCEDURES

    entries = list(PROCEDURES.values())
    if json:
        keys = ("name", "title", "question", "takes", "sides", "options")
        write_json(
            {"procedures": [{key: getattr(entry, key) for key in keys} for entry in entries]}
        )
        return
    rows = [(entry.name, entry.question, entry.takes.replace("-", " ")) for entry in entries]
    write_table(("procedure", "what it answers", "takes"), rows)


@takes("json")
def list_data_sets(json: bool) -> None:
    """List the data sets that compare accepts by name."""
    from bestofk.data import data_set_names

    names = data_set_names()
    if json:
        write_json({"datasets": [{"name": n, "description": text} for n, text in names]})
        return
    rows = [*names, ("openml:ID", "a data set of openml.org by its number (extra openml)")]
    write_table(("data set", "what it is"), rows)
