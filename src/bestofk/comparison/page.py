"""Content of the HTML page of a comparison in addition to its findings."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from itertools import product
from typing import Any

import numpy as np

from bestofk.comparison.options import ComparisonSettings, is_default
from bestofk.comparison.pictures import predictions_of
from bestofk.comparison.planned_splits import sampling_of
from bestofk.comparison.weighing import Weighing
from bestofk.data import data_set_names
from bestofk.errors import BestofkError
from bestofk.evaluation import Evaluation, MeasuredScores
from bestofk.inference import paired_test, usable_tests
from bestofk.inference.two_learners.catalogue import PAIRED_TESTS
from bestofk.inference.two_learners.over_time import OVER_TIME
from bestofk.learners import is_learner_name
from bestofk.measures.words import short_title
from bestofk.report import Findings
from bestofk.report.html.drawings import ClassCurves
from bestofk.report.html.views import PageParts, Switches
from bestofk.report.prediction_curves import calibration, curves_of, mean_precision, mean_roc
from bestofk.resampling.forward import ORDER
from bestofk.stopping.history import RowsHistory, StoppingHistory
from bestofk.verdict import Verdict
from bestofk.verdict.verdict_options import CORRECTIONS
from bestofk.words import joined_lines

ALPHAS = (0.01, 0.05, 0.1)
PREFERENCES = {"none": "none", "fit-time": "fast training first", "given": "as listed"}
MOST_CURVES = 4  # learners in one chart
MOST_CLASSES = 12  # with charts, the largest ones
_ASKED = "asked"


@dataclass(frozen=True, eq=False)
class PageSource:
    """Runs and settings that the page of a comparison is made from.

    Parameters
    ----------
    evaluation : Evaluation
        All runs.
    scores : list of MeasuredScores
        The deciding measure first.
    settings : ComparisonSettings
        Those of the report.
    history : StoppingHistory, RowsHistory or None
        Of an adaptive comparison.
    verdict : Verdict
        That of the report.
    """

    evaluation: Evaluation
    scores: list[MeasuredScores]
    settings: ComparisonSettings
    history: StoppingHistory | RowsHistory | None
    verdict: Verdict


def page_parts(source: PageSource, command: str = "") -> PageParts:
    """Return the content of a page in addition to the findings; nothing is fitted.

    Parameters
    ----------
    source : PageSource
        The runs.
    command : str
        What was typed in a shell; empty where it was not.

    Returns
    -------
    PageParts
        Verdicts by other choices, curves of the pick and the next plausible learners, and the
        lines that reproduce it.
    """
    verdict = source.verdict
    shown = [name for name in verdict.order if name in {*verdict.candidates, verdict.best}]
    is_classification = source.evaluation.data.is_classification
    return PageParts(
        switches=_switches(source) if len(verdict.order) > 1 else None,
        curves=list(_curves(source, shown[:MOST_CURVES])) if is_classification else [],
        values={} if is_classification else dict(_values(source, shown[:MOST_CURVES])),
        command=command,
        python=python_lines(source),
    )


def _switches(source: PageSource) -> Switches:
    """Return the verdicts under all settings that a page can be switched to."""
    settings = source.settings
    scores = source.scores
    tests = _tests(source)
    prefers: dict[str, Any] = {"none": None, "fit-time": "fit-time", "given": "given"}
    if settings.center == "median":  # preferences weigh means
        prefers = {"none": None}
    labels = {key: text for key, text in PREFERENCES.items() if key in prefers}
    asked = next((key for key, value in prefers.items() if value == settings.prefer), _ASKED)
    if asked == _ASKED:
        prefers[_ASKED], labels[_ASKED] = settings.prefer, "as asked for"
    alphas = {f"{alpha:g}": alpha for alpha in sorted({*ALPHAS, settings.alpha})}
    options = {
        "measure": {score.measure.name: short_title(score.measure) for score in scores},
        "test": tests,
        "correction": {name: name.capitalize() for name in CORRECTIONS},
        "alpha": {key: f"{100 * alpha:g}%" for key, alpha in alphas.items()},
        "preference": labels,
    }
    findings: dict[tuple[str, ...], Findings] = {}
    weighing: Weighing | None = None
    for measure, test in product(options["measure"], tests):
        asked_test = replace(settings, test=test)
        try:
            if weighing is None or weighing.scores[0].measure.name != measure:
                ordered = sorted(scores, key=lambda score: score.measure.name != measure)
                weighing = Weighing(source.evaluation, ordered, asked_test, source.history)
            else:
                weighing = weighing.by(asked_test)
        except BestofkError:  # this test is not for this measure
            continue
        for alpha, preference, correction in product(alphas, prefers, CORRECTIONS):
            key = (measure, test, correction, alpha, preference)
            changed = replace(
                asked_test, correction=correction, alpha=alphas[alpha], prefer=prefers[preference]
            )
            with suppress(BestofkError):  # these choices do not go together
                findings[key] = weighing.changed(changed)
    start = (
        scores[0].measure.name, settings.test, settings.correction, f"{settings.alpha:g}", asked
    )  # fmt: skip
    return Switches(options, start, findings)


def _tests(source: PageSource) -> dict[str, str]:
    """Return the tests that suit the splits, that of the comparison first."""
    own = source.settings.test
    names = [own]
    evaluation = source.evaluation
    if len(evaluation.plan) > 1:
        splits, measure = np.arange(len(evaluation.plan)), source.scores[0].measure
        names += usable_tests(sampling_of(evaluation.plan, splits, measure))
    known = PAIRED_TESTS if len(evaluation.plan) > 1 else {}
    return {name: paired_test(name).title if name in known else name for name in names}


def _curves(source: PageSource, names: list[str]) -> Iterator[ClassCurves]:
    """Yield the curves of the positive class, or of each of the largest classes."""
    evaluation, data = source.evaluation, source.evaluation.data
    batches = {
        name: batch
        for name, batch in predictions_of(evaluation, names).items()
        if batch.probabilities is not None or batch.decision is not None
    }
    if not batches:
        return
    largest = np.sort(np.argsort(-data.class_counts, kind="stable")[:MOST_CLASSES])
    for index in [data.positive] if data.positive is not None else largest.tolist():
        bins = curves_of(batches, calibration, index)
        yield ClassCurves(
            label=str(data.classes[index]),
            roc=curves_of(batches, mean_roc, index),
            precision=curves_of(batches, mean_precision, index),
            calibration={name: points[:, :2] for name, points in bins.items()},
        )


def _values(source: PageSource, names: list[str]) -> Iterator[tuple[str, Any]]:
    """Yield true and predicted values of the first repeat."""
    evaluation = source.evaluation
    for name, batch in predictions_of(evaluation, names).items():
        end = int(batch.starts[min(evaluation.plan.n_folds, batch.n_runs)])
        yield name, np.column_stack([batch.y_true[:end], batch.labels[:end]]).astype(float)


def python_lines(source: PageSource) -> str:
    """Return the call that gives the same comparison.

    Parameters
    ----------
    source : PageSource
        The runs.

    Returns
    -------
    str
        Python; estimators and data that have no name in this package stand as variables.
    """
    evaluation, settings = source.evaluation, source.settings
    names = [item.name for item in evaluation.learners if not item.reads_times]
    learners = names if all(map(is_learner_name, names)) else f"...  # {', '.join(names)}"
    built_in = {name for name, _ in data_set_names()}
    data = repr(evaluation.data.name) if evaluation.data.name in built_in else "X, y"
    usual = {item.name: item.default for item in fields(settings)}
    changed = {
        name: getattr(settings, name)
        for name, default in usual.items()
        if name not in ("engine", "n_jobs", "shard", "retry_failed")  # change no number
        and not is_default(getattr(settings, name), default)
        and getattr(settings, name) != default
    }
    time = evaluation.data.time
    if time is not None:
        changed = {"time": time.name} | changed if time.name != ORDER else changed
        changed = {key: value for key, value in changed.items() if value != OVER_TIME}
    options = "".join(f", {name}={_written(value)}" for name, value in changed.items())
    lines = [f"learners = {learners}"]
    if data == "X, y":
        lines.append(f"X, y = ...  # {evaluation.data.name}, {evaluation.data.n_samples:,} rows")
    return joined_lines(["from bestofk import compare", "", *lines,
                      f"result = compare(learners, {data}{options})"])  # fmt: skip


def _written(value: Any) -> str:
    """Return a value as Python code, or three dots if there is none."""
    if isinstance(value, Mapping):
        return repr(dict(value))
    is_plain = isinstance(value, str | int | float | bool | list | tuple | None)
    return repr(list(value) if isinstance(value, tuple) else value) if is_plain else "..."
