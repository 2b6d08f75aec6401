"""Sections of a report and their tables, from either kind of findings."""

import dataclasses
import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import pandas as pd

from bestofk.measures import Measure
from bestofk.measures.words import is_share, short_title, value_cell, value_in_unit, value_title
from bestofk.report.findings import Findings, FindingsAcross, LearnerFindings, Periods
from bestofk.report.parts import Row, Sections, Table, table_of
from bestofk.report.sentences.answers import RULED_OUT, WORSE, VersusPick, answer, versus_pick
from bestofk.report.sentences.details import caveats, details
from bestofk.report.sentences.details_across import details_across, missing_lines, pair_in_words
from bestofk.report.sentences.first_screen import facts, gaps_explained, ranked_cautions
from bestofk.verdict import Pair
from bestofk.verdict.many_data_sets import AcrossPair, VerdictAcross
from bestofk.words import fixed, memory, printable, seconds

_HEAD_WIDTH = 14  # letters of a line of the head above the deciding measure
MOST_LEARNERS = 12  # of a table on the first screen
_IN_VERBOSE = ("sd", "predict", "failed")
MOST_ROWS = 10  # data sets whose table stands on the first screen
_MOST_COURSES = 6  # learners of a table of periods
_SMALL_SHARE = 0.01  # a percentage below it needs a second decimal
REMARKS_TITLE = "Caveats of single data sets"
MISSING_TITLE = "Missing results"
Reportable = Findings | FindingsAcross | Sections
PAIRS_TITLE = "Pairs (first won/tied/lost; loss of the first against the second, with its interval)"


def pairs_frame(findings: Findings | FindingsAcross) -> Any:
    """Return one row of evidence per pair of learners.

    Parameters
    ----------
    findings : Findings or FindingsAcross
        What is to be reported.

    Returns
    -------
    DataFrame
        The fields of `Pair`, or over data sets those of `AcrossPair`: difference is mean loss of
        the first minus that of the second, low and high its interval for this pair alone,
        p_value two-sided, p_adjusted within the family. Empty where no test was possible.
    """
    kind = Pair if isinstance(findings, Findings) else AcrossPair
    columns = [field.name for field in dataclasses.fields(kind)]
    pairs = findings.verdict.pairs if findings.verdict else []
    return pd.DataFrame([dataclasses.asdict(pair) for pair in pairs], columns=columns)


def report_tables(findings: Findings | FindingsAcross, *, verbose: bool = False) -> list[Table]:
    """Return the printed tables: of the learners, and of the data sets where there are several.

    Parameters
    ----------
    findings : Findings or FindingsAcross
        What is to be reported.
    verbose : bool, default=False
        Whether all measures and all data sets are shown, however many there are.

    Returns
    -------
    list of Table
        One or two.
    """
    if isinstance(findings, Findings):
        table = learner_table(findings, verbose=True) if verbose else short_table(findings)
        if not verbose or findings.periods is None:
            return [table]
        return [table, _period_table(findings, findings.periods)]
    if len(findings.data_sets) > MOST_ROWS and not verbose:
        return [_ranked_table(findings)]
    table = Table(["data set", *map(printable, findings.ordered)], _data_set_rows(findings))
    return [_ranked_table(findings), table]


def learner_table(findings: Findings, *, verbose: bool = False) -> Table:
    """Return the printed table of the learners, one row each in the order of the verdict.

    Parameters
    ----------
    findings : Findings
        What is to be reported.
    verbose : bool, default=False
        Whether the other measures are shown too, and the largest memory of a run where known.

    Returns
    -------
    Table
        The score is a percentage where it counts rows, its sd in points; the answer against the
        pick comes with the difference on the splits that both have.
    """
    answers, measure = versus_pick(findings), findings.measure
    decimals = _decimals(findings)
    head = value_title(measure)
    if not measure.whose:  # the name of a class keeps its blanks
        head = "\n".join(textwrap.wrap(head, _HEAD_WIDTH))
    shown, learners = tuple(findings.shown if verbose else ()), findings.ordered()
    cells = [_measured_cells(item, measure, shown, decimals) for item in learners]
    means, spreads, trained, predicted, peaks, failed, *others = list(zip(*cells, strict=True)) or [
        ()
    ] * (6 + len(shown))
    columns: list[tuple[str, Sequence[str]]] = [(head, means), ("sd", spreads)]
    left: tuple[int, ...] = (0,)
    if findings.verdict.center == "median":
        medians = (findings.median(item.name) for item in learners)
        columns.insert(0, ("median", [value_cell(measure, item, decimals) for item in medians]))
    if answers:
        left = (0, len(columns) + 1)
        said = [_answer_cell(findings, item, answers) for item in learners]
        columns.append((printable(f"vs {findings.verdict.best}"), said))
    if findings.rows_history is not None or findings.stopping_history is not None:
        title = "repeats" if findings.rows_history is None else "rows"
        columns.append((title, [_repeats(findings, item) for item in learners]))
    columns += zip(("\n".join(short_title(item).split()) for item in shown), others, strict=True)
    if verbose and findings.has_miscalibration:
        columns.append(("miscalibration\n(by chance)", list(map(_miscalibration_cell, learners))))
    if any(item.n_runs and not math.isnan(item.fit_seconds) for item in learners):
        columns += [("train", trained), ("predict", predicted)]
    if verbose and findings.has_memory:
        columns.append(("memory", peaks))
    if findings.n_failed:
        columns.append(("failed", failed))
    rows = [
        Row(item.name, _role(findings, item), tuple(texts))
        for item, *texts in zip(learners, *(texts for _, texts in columns), strict=True)
    ]
    return Table(["learner", *(title for title, _ in columns)], rows, left=left)


@lru_cache(maxsize=1024)  # views of a page show the same learners
def _measured_cells(
    learner: LearnerFindings, measure: Measure, shown: tuple[Measure, ...], decimals: int
) -> tuple[str, ...]:
    """Return mean, sd, seconds, memory and failures of a learner, then its other measures."""
    return (
        value_cell(measure, learner.mean, decimals),
        spread_cell(measure, learner.sd, decimals),
        seconds(learner.fit_seconds),
        seconds(learner.predict_seconds),
        memory(learner.peak_bytes),
        f"{learner.n_failed}/{learner.n_runs}",
        *(value_in_unit(item, learner.shown.get(item.name, math.nan)) for item in shown),
    )


def short_table(findings: Findings) -> Table:
    """Return the learners with score, answer, repeats and seconds of training alone.

    Of more than twelve learners it shows twelve: the plausible ones, then the next best.

    Parameters
    ----------
    findings : Findings
        What is to be reported.

    Returns
    -------
    Table
        At most five columns; its foot says how many learners it leaves out.
    """
    whole = learner_table(findings)
    hidden = {*_IN_VERBOSE, *(whole.heads[2:3] if whole.heads[1] == "median" else ())}
    kept = [index for index, head in enumerate(whole.heads) if head not in hidden]
    answers, rows = versus_pick(findings), list(whole.rows)
    foot = gaps_explained(answers)
    if len(rows) > MOST_LEARNERS:
        rows.sort(key=lambda row: row.name in answers and not answers[row.name].is_plausible)
        rest = {answers[row.name].group for row in rows[MOST_LEARNERS:] if row.name in answers}
        rows, n_more = rows[:MOST_LEARNERS], len(rows) - MOST_LEARNERS
        worse = ", all worse" if rest <= {WORSE, RULED_OUT} else ""
        foot = f"+ {n_more} more{worse}. {foot}"
    return Table(
        [whole.heads[index] for index in kept],
        [replace(row, cells=tuple(row.cells[k - 1] for k in kept if k)) for row in rows],
        foot,
        [kept.index(index) for index in whole.left],
    )


def _answer_cell(
    findings: Findings, learner: LearnerFindings, answers: Mapping[str, VersusPick]
) -> str:
    """Return the answer about a learner; of one without an answer, why."""
    if not learner.left_out:
        return answers[learner.name].in_words(findings.measure)
    history = findings.rows_history
    eliminated = set() if history is None else history.reasons().keys()
    return "eliminated" if learner.name in eliminated else "left out"


def _decimals(findings: Findings) -> int:
    """Return the decimals of percentages in a column."""
    shares = [item.mean for item in findings.learners if item.mean > 0]
    return 2 if shares and min(shares) < _SMALL_SHARE else 1


def spread_cell(measure: Measure, value: float, decimals: int = 1) -> str:
    """Return a standard deviation: in points for a share, else in the measure's unit."""
    if not is_share(measure) or math.isnan(value):
        return value_in_unit(measure, value)
    return fixed(100 * value, decimals)


def _miscalibration_cell(learner: LearnerFindings) -> str:
    item = learner.miscalibration
    return "-" if item is None else f"{fixed(item.value, 3)} ({fixed(item.expected, 3)})"


def _period_table(findings: Findings, periods: Periods) -> Table:
    """Return the score of each learner in every period, of the first ones where there are many."""
    measure = findings.measure
    shown = [item for item in findings.ordered() if not item.left_out][:_MOST_COURSES]
    cells = [[value_cell(measure, value) for value in item.scores] for item in shown]
    labels, unit = periods.labels, periods.unit
    corner = f"{unit} from" if unit == "period" else unit
    heads = [corner, *(printable(item.name) for item in shown)]
    return table_of(heads, zip(labels, *cells, strict=True))


def _repeats(findings: Findings, learner: LearnerFindings) -> str:
    """Return the repeats or training rows of a learner, where learners differ in that."""
    stopping_history, rows_history = findings.stopping_history, findings.rows_history
    if rows_history is not None:
        rows_of = {item.learner: item.n_rows for item in rows_history.eliminations}
        return f"{rows_of.get(learner.name, rows_history.n_rows):,}"
    return "" if stopping_history is None else str(learner.n_runs // stopping_history.n_folds)


def _role(findings: Findings, learner: LearnerFindings) -> str:
    if learner.left_out:
        return "left out"
    if learner.name == findings.verdict.best:
        return "best"
    if learner.name in findings.verdict.candidates:
        return "candidate"
    return "baseline" if learner.is_baseline else ""


# -- over many data sets -----------------------------------------------------------------


def _ranked_table(findings: FindingsAcross) -> Table:
    verdict, measure = findings.verdict, findings.measure
    reference = findings.reference(None)
    mean_ranks = verdict.mean_ranks if verdict else {}
    answers = versus_pick(findings)
    means = findings.means()
    has_means = verdict is None or not verdict.is_by_ranks
    rows = []
    for name in findings.ordered:
        role = _role_across(findings, name)
        record = "/".join(map(str, findings.win_tie_loss(name, reference)))
        if name == reference or role == "left out":
            record = ""
        rank = mean_ranks.get(name, math.nan)
        cells = [value_cell(measure, means[name])] if has_means else []
        cells.append("-" if math.isnan(rank) else f"{rank:.2f}")
        if answers:
            cells.append(role if role == "left out" else answers[name].in_words(measure))
        rows.append(Row(name, role, (*cells, record)))
    heads = ["learner", *([f"mean {value_title(measure)}"] if has_means else []), "mean rank"]
    heads += [printable(f"vs {verdict.best}")] if verdict else []
    what = "decide" if verdict and verdict.is_by_ranks else "describe, they decide nothing"
    foot = f"mean ranks {what}{_critical_difference(verdict)}"
    left = (0, 2 + has_means) if answers else (0,)
    return Table([*heads, printable(f"w/t/l against {reference}")], rows, foot, left=left)


def _critical_difference(verdict: VerdictAcross | None) -> str:
    """Return how far apart mean ranks are that differ significantly, by which test."""
    if verdict is None or verdict.has_preference:
        return ""
    test = "Bonferroni-Dunn" if verdict.control else "Nemenyi"
    return f"; critical difference {verdict.critical_difference:.2f} ({test}, {verdict.alpha:.0%})"


def _data_set_rows(findings: FindingsAcross) -> list[Row]:
    indices = [findings.learners.index(name) for name in findings.ordered]
    left_out = findings.verdict.left_out if findings.verdict else {}
    return [
        Row(
            name,
            "left out" if name in left_out else "",
            tuple(value_cell(findings.measure, value) for value in values[indices].tolist()),
        )
        for name, values in zip(findings.data_sets, findings.values, strict=True)
    ]


def _role_across(findings: FindingsAcross, name: str) -> str:
    verdict = findings.verdict
    if name in findings.baselines:
        return "baseline"
    if verdict is None:
        return ""
    if name == verdict.best:
        return "best"
    if name in verdict.candidates:
        return "candidate"
    return "" if name in verdict.order else "left out"


def learner_frame(findings: Findings | FindingsAcross) -> pd.DataFrame:
    """Return one row per learner, the pick first, as the printed table has them.

    Over many data sets their rows, with a column per learner.

    Parameters
    ----------
    findings : Findings or FindingsAcross
        What is to be reported.

    Returns
    -------
    DataFrame
        Columns learner; the deciding measure by its name, its mean, and sd over splits;
        versus_pick ("pick", "better", "about the same", "can't tell", "worse", or why it takes
        no part); difference to the pick on the splits that both have, score minus score of the
        pick, with its interval low and high, all in the unit of the measure; repeats;
        train_seconds and predict_seconds, medians per run; n_failed runs; then the means of the
        other measures.
    """
    if isinstance(findings, FindingsAcross):
        return findings.to_frame()
    answers = versus_pick(findings)
    n_folds = _n_folds(findings)
    shown = {item.name: item.name for item in findings.shown if item.name != findings.measure.name}
    columns = [
        "learner", findings.measure.name, "sd", "versus_pick", "difference", "low", "high",
        "repeats", "train_seconds", "predict_seconds", "n_failed", *shown,
    ]  # fmt: skip
    rows = [
        [
            item.name, item.mean, item.sd, *_versus(findings, item, answers.get(item.name)),
            item.n_runs / n_folds, item.fit_seconds, item.predict_seconds, item.n_failed,
            *(item.shown.get(name, float("nan")) for name in shown),
        ]
        for item in findings.ordered()
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=columns)


def _versus(
    findings: Findings, learner: LearnerFindings, answer: VersusPick | None
) -> tuple[str, float, float, float]:
    """Return the answer in words, and the difference with its limits in the unit of the measure."""
    if answer is None or not answer.answer:
        return learner.left_out, float("nan"), float("nan"), float("nan")
    ends = answer.difference, answer.low, answer.high
    if findings.measure.greater_is_better:
        # 0.0 is no -0.0
        ends = -ends[0] + 0.0, -ends[2] + 0.0, -ends[1] + 0.0
    return answer.words, *ends


def _n_folds(findings: Findings) -> int:
    """Return the folds of a repeat; 1 for scores whose folds are not known."""
    if findings.stopping_history is not None:
        return findings.stopping_history.n_folds
    repeats = findings.repeat_of_split.tolist()
    return max(1, repeats.count(repeats[0])) if repeats else 1


def behind(findings: FindingsAcross, *, pairs: bool = True) -> list[tuple[str, list[str]]]:
    """Return what stands behind the verdict over data sets: pairs, gaps, single caveats."""
    shown = findings.verdict.pairs if findings.verdict and pairs else []
    return [
        (PAIRS_TITLE, [pair_in_words(pair) for pair in shown]),
        (MISSING_TITLE, missing_lines(findings)),
        (REMARKS_TITLE, list(findings.remarks)),
    ]


def sections(findings: Reportable, *, verbose: bool = False) -> Sections:
    """Return the sections of a report.

    Parameters
    ----------
    findings : Findings, FindingsAcross or Sections
        Of one data set, or over many; sections are returned as they are.
    verbose : bool, default=False
        Whether the table shows all measures; over data sets, whether all pairs are listed.

    Returns
    -------
    Sections
    """
    if isinstance(findings, Sections):
        return findings
    lists: list[tuple[str, list[str]]] = []
    if isinstance(findings, FindingsAcross):
        known = details_across(findings)
        lists = behind(findings) if verbose else []
    else:
        known = details(findings)
    return Sections(
        title=findings.title,
        answer=answer(findings),
        tables=report_tables(findings, verbose=verbose),
        details=known,
        caveats=caveats(findings),
        guessed=findings.guesses,
        lists=lists,
        cautions=ranked_cautions(findings),
        facts=facts(findings),
        reading=getattr(findings, "reading", ()),
        preface=getattr(findings, "target_guess", ""),
    )
