"""The command `compare`: data and learners in, a verdict out."""

from __future__ import annotations

import shlex
import signal
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bestofk.cli.across_output import ACROSS_FORMATS, write_across
from bestofk.cli.judge_command import check_format, preference
from bestofk.cli.options import (
    Alpha,
    Batched,
    CostMatrix,
    Decimal,
    Drop,
    DropMissingTarget,
    Groups,
    Json,
    Learners,
    NJobs,
    PosLabel,
    Prefer,
    Role,
    Scoring,
    Stratify,
    Target,
    Task,
    Thousands,
    Timeout,
    Weights,
)
from bestofk.cli.terminal import (
    check_new_file,
    message_console,
    prints_to_messages,
    result_console,
    words,
    write_result,
)
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation.durations import seconds_of

if TYPE_CHECKING:
    from rich.console import Console

    from bestofk.comparison.comparison import Comparison
    from bestofk.comparison.comparison_across import ComparisonAcross
    from bestofk.data import DataSet
    from bestofk.report import Findings
    from bestofk.report.many_data_sets_findings import FindingsAcross

FORMATS = ("text", "markdown", "latex", "csv")
_arguments: list[str] = []


def remember(arguments: Sequence[str]) -> None:
    """Keep what the process was called with, for the line that resumes."""
    _arguments[:] = arguments


def compare_learners(
    data: Annotated[
        list[str],
        typer.Argument(
            metavar="DATA...",
            help="Files, or names of 'bestofk datasets'; several end in one verdict over all.",
        ),
    ],
    target: Target = None,
    task: Task = "auto",
    learners: Learners = None,
    cv: Annotated[
        str, typer.Option(help="adaptive, auto, 10x10, 5x2, 30xholdout, loo ...")
    ] = "adaptive",
    max_repeats: Annotated[
        int | None, typer.Option(help="Adaptive: the most repeats; 50 if not given.")
    ] = None,
    stopping: Annotated[
        list[str] | None,
        typer.Option(help="Adaptive: rules for each learner by itself, as rank-correlation."),
    ] = None,
    budget: Annotated[
        str | None, typer.Option(help="Time after which no run is begun: 90s, 10m, 2h.")
    ] = None,
    stratify: Stratify = True,
    groups: Groups = None,
    weights: Weights = None,
    drop: Drop = None,
    role: Role = None,
    decimal: Decimal = None,
    thousands: Thousands = None,
    drop_missing_target: DropMissingTarget = False,
    scoring: Scoring = None,
    pos_label: PosLabel = None,
    cost_matrix: CostMatrix = None,
    prefer: Prefer = None,
    control: Annotated[
        str | None, typer.Option(help="Several data: the learner others are held against.")
    ] = None,
    test: Annotated[str, typer.Option(help="corrected-t, 5x2cv-t, paired-t ...")] = "corrected-t",
    correction: Annotated[str, typer.Option(help="holm or bonferroni.")] = "holm",
    alpha: Alpha = 0.05,
    rope: Annotated[
        float | None, typer.Option(help="Differences up to this do not matter; 0: all do.")
    ] = None,
    protocol: Annotated[str | None, typer.Option(help="multitest-2006.")] = None,
    store: Annotated[Path | None, typer.Option(help="File that keeps every run.")] = None,
    keep: Annotated[
        str, typer.Option(help="What is kept: probabilities, labels or scores.")
    ] = "probabilities",
    timeout: Timeout = None,
    seed: Annotated[int, typer.Option(help="What plan and random streams come from.")] = 0,
    n_jobs: NJobs = -1,
    batched: Batched = "auto",
    report: Annotated[Path | None, typer.Option(help="HTML page to write.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing report.")] = False,
    json: Json = False,
    format: Annotated[
        str,
        typer.Option(
            help="text, markdown, latex or csv (scores); methods or bibtex of several data."
        ),
    ] = "text",
) -> None:
    """Compare learners on one data set or several: which one to use, and how sure that is."""
    check_format(format, (*ACROSS_FORMATS, "csv") if len(data) > 1 else FORMATS)
    check_new_file(report, "--report", force=force, apart_from=(*data, store))
    from bestofk.comparison.comparing import compare
    from bestofk.report.progress import TerminalProgress

    messages = message_console()
    with prints_to_messages():
        loaded = [
            loaded_data(
                item,
                target=target,
                task=task,
                role=role,
                drop=drop,
                groups=groups,
                weights=weights,
                decimal=decimal,
                thousands=thousands,
                drop_missing_target=drop_missing_target,
            )
            for item in data
        ]
        comparison = compare(
            given_learners(learners),
            loaded[0] if len(loaded) == 1 else dict(zip(_names(data, loaded), loaded, strict=True)),
            cv=cv,
            max_repeats=max_repeats,
            stopping=words(stopping) or None,
            budget=None if budget is None else seconds_of(budget, "--budget"),
            stratify=stratify,
            scoring=words(scoring) or None,
            pos_label=pos_label,
            cost_matrix=given_costs(cost_matrix),
            prefer=preference(prefer),
            control=control,
            test=test,
            correction=correction,
            alpha=alpha,
            rope=rope,
            protocol=protocol,
            store=store,
            keep=keep,
            timeout=timeout,
            n_jobs=n_jobs,
            batched=batched,
            random_state=seed,
            progress=TerminalProgress(messages),
        )
    findings = comparison.findings
    is_cut_off = findings.n_unfinished and not getattr(findings, "is_out_of_time", False)
    if is_cut_off or getattr(comparison, "not_begun", ()):
        # another Ctrl-C while this one is answered ends at once
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        findings = replace(findings, resume=_resume(store))
    if len(loaded) > 1:
        if format == "csv" and not json:
            write_result(comparison.to_csv())
        else:
            write_across(findings, "json" if json else format, within=test)
        if report is not None:
            comparison.to_html(report, overwrite=force)
        _last_words(findings, store, report, messages)
        raise typer.Exit(across_exit_code(comparison))
    _write(comparison, findings, "json" if json else format)
    if report is not None:
        from bestofk.report import write_html

        write_html(findings, report, overwrite=force)
    _last_words(findings, store, report, messages)
    raise typer.Exit(exit_code(findings))


def exit_code(findings: Findings) -> int:
    """Return 0 for a verdict, 1 where runs failed or are missing, or none was possible."""
    is_whole = findings.verdict.best is not None and not findings.n_failed
    return 0 if is_whole and (findings.is_out_of_time or not findings.n_unfinished) else 1


def across_exit_code(comparison: ComparisonAcross) -> int:
    """Return 0 for a verdict over all data sets, 1 where runs failed or are missing, or none."""
    findings = comparison.findings
    is_whole = findings.verdict is not None and not findings.n_failed
    return 0 if is_whole and not findings.n_unfinished and not comparison.not_begun else 1


def _names(given: Sequence[str], loaded: Sequence[DataSet]) -> list[str]:
    """Return the names of data sets; what was typed where two have the same name."""
    twice = sorted({item for item in given if list(given).count(item) > 1})
    if twice:
        raise InvalidArgumentError(
            f"DATA must be different data sets; got {', '.join(twice)} more than once. Leave one "
            "out: it would count twice."
        )
    names = [data_set.name for data_set in loaded]
    return names if len(set(names)) == len(names) else list(given)


def given_learners(texts: Sequence[str] | None) -> list[Any] | None:
    """Return names of the catalogue, and (name, estimator) pairs of files."""
    from bestofk.learners import learner_from_file

    items = words(texts)
    if texts and not items:
        raise InvalidArgumentError(
            "--learners must name at least one; got none. Leave it out for the default set."
        )
    return [
        learner_from_file(item) if ".py:" in item or item.endswith(".py") else item
        for item in items
    ] or None


def loaded_data(
    data: str,
    *,
    role: Sequence[str] | None = None,
    drop: Sequence[str] | None = None,
    **options: Any,
) -> DataSet:
    """Return the data set that the options of a command name; others are those of `load_data`."""
    from bestofk.data import load_data

    return load_data(data, roles=given_roles(role), drop=words(drop), **options)


def given_roles(texts: Sequence[str] | None) -> dict[str, str]:
    """Return the role of each column that was given one, as COLUMN=ROLE."""
    roles = {}
    for text in texts or ():
        column, equals, role = text.rpartition("=")
        if not (equals and column and role):
            raise InvalidArgumentError(
                f"--role must have the form COLUMN=ROLE; got {text!r}. Write --role age=numeric."
            )
        roles[column] = role
    return roles


def given_costs(text: str | None) -> list[list[float]] | None:
    """Return the rows of a cost matrix; None where none is given."""
    if text is None:
        return None
    try:
        rows = [[float(cost) for cost in row.split(",")] for row in text.split(";")]
    except ValueError as error:
        raise InvalidArgumentError(
            f"--cost-matrix must be numbers, commas within and semicolons between rows; got "
            f'{text!r}. Write "0,1;5,0".'
        ) from error
    if len({len(row) for row in rows}) > 1:
        raise InvalidArgumentError(
            f'rows of --cost-matrix must be of one length; got {text!r}. Write "0,1;5,0".'
        )
    return rows


def _resume(store: Path | None) -> str:
    if store is None:
        return "The runs were kept in memory and are gone; name --store FILE to go on another time."
    return f"To go on, run: {shlex.join(['bestofk', *_arguments])}"


def _write(comparison: Comparison, findings: Findings, kind: str) -> None:
    from bestofk import report

    if kind == "text":
        report.render(findings, result_console())
    elif kind == "csv":
        write_result(comparison.to_csv())
    else:
        writers = {
            "json": report.to_json,
            "markdown": report.to_markdown,
            "latex": report.to_latex,
        }
        write_result(writers[kind](findings))


def _last_words(
    findings: Findings | FindingsAcross, store: Path | None, report: Path | None, messages: Console
) -> None:
    lines = []
    if report is not None:
        lines.append(f"Report written to {report}.")
    if findings.resume:
        lines.append(findings.resume)
    elif store is None:
        lines.append("The runs were kept in memory; --store FILE keeps them for another time.")
    for line in lines:
        messages.print(line, markup=False, soft_wrap=True)
