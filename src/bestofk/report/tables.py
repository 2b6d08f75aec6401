"""Tables of a report."""

from __future__ import annotations

import dataclasses
from typing import Any

from bestofk.report.findings import Findings, LearnerFindings
from bestofk.report.findings_across import FindingsAcross
from bestofk.report.parts import MARKS, Row, Table
from bestofk.report.words import number, seconds, short_title
from bestofk.verdict import Pair
from bestofk.verdict.many_data_sets import AcrossPair


def summary_frame(findings: Findings) -> Any:
    """Return one row per learner, in the order of the verdict.

    Parameters
    ----------
    findings : Findings
        What is to be reported.

    Returns
    -------
    DataFrame
        learner; mean and sd of the deciding measure over the splits that count, in its
        unit; difference, mean loss minus that of the best (nan for those left out);
        candidate, whether it may be best; note ("best", "may be best", "baseline",
        "left out: ..."); fit_seconds and predict_seconds, medians over the runs; n_runs;
        n_failed; then one column per other measure, its mean.
    """
    import pandas as pd

    means = findings.verdict.means
    best = means.get(findings.verdict.best or "", float("nan"))
    records = []
    for learner in findings.ordered():
        taking_part = not learner.left_out
        records.append(
            {
                "learner": learner.name,
                "mean": learner.mean,
                "sd": learner.sd,
                "difference": means.get(learner.name, float("nan")) - best
                if taking_part
                else float("nan"),
                "candidate": learner.is_candidate,
                "note": _note(findings, learner),
                "fit_seconds": learner.fit_seconds,
                "predict_seconds": learner.predict_seconds,
                "n_runs": learner.n_runs,
                "n_failed": learner.n_failed,
                **{
                    item.name: learner.shown.get(item.name, float("nan")) for item in findings.shown
                },
            }
        )
    columns = ["learner", "mean", "sd", "difference", "candidate", "note", "fit_seconds"]
    columns += ["predict_seconds", "n_runs", "n_failed", *(item.name for item in findings.shown)]
    return pd.DataFrame(records, columns=columns)


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
    import pandas as pd

    kind = Pair if isinstance(findings, Findings) else AcrossPair
    columns = [field.name for field in dataclasses.fields(kind)]
    pairs = findings.verdict.pairs if findings.verdict else []
    return pd.DataFrame([dataclasses.asdict(pair) for pair in pairs], columns=columns)


def learner_table(findings: Findings) -> Table:
    """Return the printed table of the learners."""
    heads = ["learner", *("\n".join(title.split()) for title in titles(findings))]
    return Table(heads, rows(findings), legend(findings), has_notes=True)


def titles(findings: Findings) -> list[str]:
    """Return the titles above the cells of `rows`."""
    shown = [short_title(measure) for measure in findings.shown]
    failed = ["failed"] if findings.n_failed else []
    repeats = ["repeats"] if findings.stopping_history is not None else []
    repeats += ["rows"] if findings.rows_history is not None else []
    return [short_title(findings.measure), "sd", *repeats, *shown, "fit", "predict", *failed]


def rows(findings: Findings) -> list[Row]:
    """Return the printed table, one row per learner in the order of the verdict."""
    return [
        Row(
            learner.name,
            _role(findings, learner),
            _note(findings, learner),
            (
                number(learner.mean),
                number(learner.sd),
                *_repeats(findings, learner),
                *(number(learner.shown.get(item.name, float("nan")), 3) for item in findings.shown),
                seconds(learner.fit_seconds),
                seconds(learner.predict_seconds),
                *([f"{learner.n_failed}/{learner.n_runs}"] if findings.n_failed else []),
            ),
        )
        for learner in findings.ordered()
    ]


def _repeats(findings: Findings, learner: LearnerFindings) -> list[str]:
    """Return the repeats or training rows of a learner, where learners differ in that."""
    stopping_history, rows_history = findings.stopping_history, findings.rows_history
    if rows_history is not None:
        rows_of = {item.learner: item.n_rows for item in rows_history.eliminations}
        return [f"{rows_of.get(learner.name, rows_history.n_rows):,}"]
    return [] if stopping_history is None else [str(learner.n_runs // stopping_history.n_folds)]


def legend(findings: Findings) -> str:
    """Return what the marks before the learners mean, as far as they occur."""
    words = {
        "best": findings.why_best,
        "candidate": "may be best as well",
        "baseline": "baseline",
        "left out": "takes no part",
    }
    roles = {row.role for row in rows(findings)}
    texts = [f"{mark} {words[role]}" for role, mark in MARKS.items() if role in roles]
    return "; ".join([*texts, "sd over splits; fit and predict: median per run"])


def basis(findings: Findings) -> str:
    """Return measure, test, correction and level in one line."""
    verdict, measure = findings.verdict, findings.measure
    direction = "higher" if measure.greater_is_better else "lower"
    parts = [f"{measure.title} ({direction} is better)"]
    if verdict.test:
        correction = verdict.correction if verdict.has_preference else "holm"
        parts.append(
            f"{verdict.test_title}, {correction.capitalize()} correction, "
            f"level {100 * verdict.alpha:g} %"
        )
    return "; ".join(parts)


def runs_line(findings: Findings) -> str:
    """Return how many runs were done, found, failed and left."""
    has_runs = any(learner.n_runs for learner in findings.learners)
    if not has_runs and not findings.n_unfinished:
        return "no runs: the scores were given"
    text = (
        f"{findings.n_fitted:,} runs done now, {findings.n_reused:,} found in the store, "
        f"{findings.n_failed:,} failed"
    )
    if findings.n_unfinished:
        text += f", {findings.n_unfinished:,} left"
    return text


def _role(findings: Findings, learner: LearnerFindings) -> str:
    if learner.left_out:
        return "left out"
    if learner.name == findings.verdict.best:
        return "best"
    if learner.is_candidate:
        return "candidate"
    return "baseline" if learner.is_baseline else ""


def _note(findings: Findings, learner: LearnerFindings) -> str:
    role = _role(findings, learner)
    if role == "left out":
        return f"left out: {learner.left_out}"
    return "may be best" if role == "candidate" else role
