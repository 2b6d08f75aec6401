"""The command `compare`: data and learners in, a verdict out."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bestofk.checks import check_different
from bestofk.cli import terminal
from bestofk.cli.arguments import check_choice
from bestofk.cli.data_commands import read_data
from bestofk.cli.findings_output import FORMATS, write_verdict
from bestofk.cli.options import OF_FILE, REQUIRED, Given, Option, takes
from bestofk.errors import InvalidArgumentError, RunError

if TYPE_CHECKING:
    from bestofk.comparison.comparison import Comparison
    from bestofk.comparison.comparison_across import ComparisonAcross
    from bestofk.data import DataSet
    from bestofk.evaluation import Evaluation
    from bestofk.report import Findings
    from bestofk.report.findings.many_data_sets import FindingsAcross


NOT_KEPT = "The runs were kept in memory only; add --store FILE to keep them."


def _json_schema(_: click.Context) -> str:
    from bestofk.report import json_schema

    return json_schema()


@takes(
    "data target task learners cv max_repeats stopping budget stratify groups time window gap "
    f"new_groups weights drop role {OF_FILE} drop_missing_target log_target tune calibrate "
    "average scoring pos_label cost_matrix prefer control test correction alpha rope center "
    "protocol store keep timeout memory "
    "engine seed n_jobs shard retry_failed batched report save_model force json "
    "json_schema quiet verbose format",
    data=Option(
        REQUIRED,
        "Files, or names from 'bestofk datasets'; several give one verdict over all.",
        list[str],
        "DATA...",
        is_positional=True,
    ),
    save_model=Option(None, "File for the pick, trained on all rows; see 'bestofk predict'.", Path),
    force=Option(False, "Replace an existing report or model.", bool, mapping="output"),
    json_schema=Option(
        False, "Print the schema of that object and exit.", bool, answer=_json_schema
    ),
    format=Option(
        "text",
        "text, markdown, latex, csv (scores); methods, bibtex (for a paper).",
        mapping="output",
    ),
)
def compare_learners(
    context: click.Context, data: list[str], save_model: Path | None, given: Given
) -> None:
    """Compare learners on one or several data sets: which one to use, and how sure that is."""
    store, output, report = given.arguments["store"], given.output, given.output.report
    check_choice("--format", output.format, (*FORMATS, "csv"))
    terminal.check_new_file(report, "--report", force=output.force, apart_from=(*data, store))
    used = (*data, store, report)
    terminal.check_new_file(save_model, "--save-model", force=output.force, apart_from=used)
    from bestofk.comparison.entry_point import compare

    with terminal.prints_to_messages():
        answer_says = len(data) == 1 and output.format in ("text", "markdown")
        loaded = [read_data(source, given, answer_says=answer_says) for source in data]
        if save_model is not None and (len(loaded) > 1 or given.arguments["shard"]):
            raise InvalidArgumentError(
                "--save-model must come with one data set and all runs; got several data sets or "
                "--shard. Leave it out."
            )
        comparison: Any = compare(
            loaded[0] if len(loaded) == 1 else dict(zip(_names(data, loaded), loaded, strict=True)),
            **given.arguments,
            progress=terminal.progress(output.quiet),
        )
    if (shard := given.arguments["shard"]) is not None and not output.json:
        parts = [comparison] if len(loaded) == 1 else list(comparison.comparisons.values())
        raise click.exceptions.Exit(end_shard([part.evaluation for part in parts], shard, store))
    findings = comparison.findings
    is_cut_off = findings.n_unfinished and not getattr(findings, "is_out_of_time", False)
    if is_cut_off or getattr(comparison, "not_begun", ()):
        why = _why_unfinished(comparison)
        terminal.write_message(why if store is None else f"{why} Completed runs are saved.")
        comparison = replace(comparison, resume=resume_line(context.obj, store))
        findings = comparison.findings
    if output.format == "csv" and not output.json:
        terminal.write_result(comparison.to_csv())
    else:
        write_verdict(comparison, output)
    if report is not None:
        command = shlex.join(["bestofk", *context.obj])
        comparison.to_html(report, overwrite=output.force, command=command)
    if save_model is not None:
        _save_pick(comparison, save_model, is_cut_off=bool(is_cut_off))
    if not output.quiet or findings.resume:
        _last_words(findings, store, report)
    raise click.exceptions.Exit(
        exit_code(findings) if len(loaded) == 1 else across_exit_code(comparison)
    )


def _save_pick(comparison: Comparison, path: Path, *, is_cut_off: bool) -> None:
    """Train the pick on all rows and write it, or say why there is none."""
    if is_cut_off or comparison.best is None:
        terminal.write_message(f"No model written to {path}, because there is no final pick.")
        return
    from bestofk.comparison.saved_model import SavedModel

    try:
        with terminal.prints_to_messages():
            terminal.write_new_file(path, SavedModel.of(comparison).save)
    except Exception as error:  # whatever a learner raises
        raise RunError(
            f"{comparison.best} must be trained on all rows and written to {path}; got "
            f"{type(error).__name__}: {error}. Fit another learner of the verdict."
        ) from error
    terminal.write_message(
        f"Model of {comparison.best} written to {path}. To use it: "
        f"bestofk predict {shlex.quote(str(path))} NEW.csv"
    )


def _why_unfinished(comparison: Comparison | ComparisonAcross) -> str:
    """Return a sentence on why some runs are not done."""
    parts = getattr(comparison, "comparisons", {"": comparison}).values()
    evaluations = [part.evaluation for part in parts]
    if any(item.engine_loss for item in evaluations):
        return "The engine was lost."
    if getattr(comparison, "not_begun", ()) or any(item.is_interrupted for item in evaluations):
        return "Interrupted."
    return "Some runs were lost."


_AFTER_SHARDS = (
    "Merge the stores of all shards with 'bestofk store merge', then run the same command "
    "with the merged store and without --shard.",
)


def end_shard(
    evaluations: Sequence[Evaluation], shard: str, store: Path, after: Sequence[str] = _AFTER_SHARDS
) -> int:
    """Report one shard; return 0 if it is finished and nothing failed, else 1.

    `after` says what to do once all shards are finished.
    """
    from bestofk.evaluation.status import is_lost
    from bestofk.words import times

    n_fitted = sum(item.n_fitted for item in evaluations)
    n_reused = sum(item.n_reused for item in evaluations)
    n_failed = sum(int(item.has_failed.sum()) for item in evaluations)
    is_whole = not any(
        item.is_interrupted or item.is_out_of_time or is_lost(item.status).any()
        for item in evaluations
    )
    terminal.write_lines(
        f"Shard {shard} is {'finished' if is_whole else 'unfinished'}: {times(n_fitted, 'run')} "
        f"done now, {n_reused:,} found in {store}, {n_failed:,} failed.",
        *(after if is_whole else ["Run the same command again to go on."]),
    )
    return 0 if is_whole and not n_failed else 1


def exit_code(findings: Findings) -> int:
    """Return 0 for a verdict, 1 if runs failed or are missing, or no verdict is possible."""
    is_whole = findings.verdict.best is not None and not findings.n_failed
    return 0 if is_whole and (findings.is_out_of_time or not findings.n_unfinished) else 1


def across_exit_code(comparison: ComparisonAcross) -> int:
    """Return 0 for a verdict over all data sets, 1 if runs failed or are missing, or none."""
    findings = comparison.findings
    is_whole = findings.verdict is not None and not findings.n_failed
    return 0 if is_whole and not findings.n_unfinished and not comparison.not_begun else 1


def _names(given: Sequence[str], loaded: Sequence[DataSet]) -> list[str]:
    """Return the names of data sets; the typed texts if two have the same name."""
    check_different(given, "data sets", "Leave one out: it would count twice.")
    names = [data_set.name for data_set in loaded]
    return names if len(set(names)) == len(names) else list(given)


def resume_line(arguments: Sequence[str], store: Path | None) -> str:
    """Return a sentence on how to resume an interrupted call."""
    if store is None:
        return "The runs were kept in memory and are lost; with --store FILE a call can be resumed."
    return f"To go on, run: {shlex.join(['bestofk', *arguments])}"


def _last_words(
    findings: Findings | FindingsAcross, store: Path | None, report: Path | None
) -> None:
    if report is not None:
        terminal.write_message(f"Report written to {report}.")
    if findings.resume:
        terminal.write_message(findings.resume)
    elif store is None:
        terminal.write_message(NOT_KEPT)
