"""Reports, and results of procedures, as one JSON object each."""

import dataclasses
import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from bestofk.inference import Result
from bestofk.inference.many_learners.reseeding import STATEMENTS, Reseeding
from bestofk.inference.new_data import ShipClaim
from bestofk.measures import Measure
from bestofk.report.findings import Findings, FindingsAcross, LearnerFindings, plain
from bestofk.report.findings.one_data_set import ChosenSettings
from bestofk.report.sentences.answers import VersusPick, answer, versus_pick
from bestofk.verdict import Edge

# Of the form of the object: raised when a key changes its meaning or goes, not by a new key.
VERSION = 1
_RUNS = ("fitted", "reused", "failed", "unfinished")


def to_json(findings: Findings | FindingsAcross) -> str:
    """Return the report as one JSON object, of the form that `json_schema` describes."""
    return json_text(json_object(findings))


def json_text(content: Mapping[str, Any]) -> str:
    """Return values by name as the text of one JSON object.

    Parameters
    ----------
    content : mapping of str to object
        Such as `json_object` returns.

    Returns
    -------
    str
        One object, ending with a line break. Infinite numbers are the strings "inf" and
        "-inf", nan is null.
    """
    return json.dumps(plain(content), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def json_schema() -> str:
    """Return the JSON Schema (draft 2020-12) of what `to_json` gives.

    Examples
    --------
    >>> schema = json.loads(json_schema())
    >>> schema["$defs"]["one_data_set"]["properties"]["best"]["description"]
    'name of the pick, or null'
    """
    return (
        files("bestofk.report.formats").joinpath("report.schema.json").read_text(encoding="utf-8")
    )


def json_object(findings: Findings | FindingsAcross) -> dict[str, Any]:
    """Return the report as a dict that JSON can hold.

    Parameters
    ----------
    findings : Findings or FindingsAcross
        What is to be reported.

    Returns
    -------
    dict
        The version of the form, the answer (best, order, candidates, edges, learners), then what
        it rests on.
        Differences are in units of loss.  What rests on measured time or memory, and so may
        differ from call to call, has "seconds" or "memory" in its key.
    """
    content = _one_set(findings) if isinstance(findings, Findings) else _across(findings)
    return {"version": VERSION} | {key: plain(value) for key, value in content.items()}


def _one_set(findings: Findings) -> dict[str, Any]:
    verdict, measure = findings.verdict, findings.measure
    answers = versus_pick(findings)
    return {
        **_values(verdict, "best", "order", "candidates"),
        "edges": [_edge(edge) for edge in verdict.edges],
        "answer": answer(findings),
        "claim": _claim(findings.claim),
        "learners": [_learner(learner, findings, answers) for learner in findings.learners],
        "runs": {name: getattr(findings, f"n_{name}") for name in _RUNS},
        "warnings": findings.warnings,
        "cautions": [{"code": caution.code, "text": caution} for caution in findings.cautions],
        "notes": findings.notes,
        "data": {
            "name": findings.title,
            "sentence": findings.data_sentence,
            "classes": findings.classes,
            "target_transform": findings.target_transform,
        },
        "plan": findings.plan_sentence,
        "measure": _measure(measure),
        "shown": [_measure(other) for other in findings.shown],
        "headline": findings.headline,
        **_values(verdict, "test", "test_title", "correction", "alpha", "rope", "center"),
        **_values(verdict, "indifference", "smallest_difference", "n_splits"),
        "preference": verdict.preference or None,
        "cheapest_by_fit_seconds": verdict.alternative and dataclasses.asdict(verdict.alternative),
        **_values(verdict, "reversed_best", "first_test_best", "same_pick_share"),
        "adaptive": findings.stopping_history and dataclasses.asdict(findings.stopping_history),
        "other_seeds": findings.reseeding and _reseeding(findings.reseeding),
        "baselines": verdict.baselines,
        "picks": findings.picks,
        "pairs": [dataclasses.asdict(pair) for pair in verdict.pairs],
        "provisional": findings.is_provisional,
        "growing_rows": findings.rows_history and dataclasses.asdict(findings.rows_history),
        "better_probabilities": findings.better_probabilities or None,
    }


def _across(findings: FindingsAcross) -> dict[str, Any]:
    verdict, measure = findings.verdict, findings.measure
    content: dict[str, Any] = {
        "best": verdict and verdict.best,
        "order": verdict.order if verdict else [],
        "candidates": verdict.candidates if verdict else [],
        "edges": [dataclasses.asdict(edge) for edge in verdict.edges] if verdict else [],
        "answer": answer(findings),
        "pairs": [dataclasses.asdict(pair) for pair in verdict.pairs] if verdict else [],
        "means": findings.means(),
        "mean_ranks": verdict.mean_ranks if verdict else {},
        "omnibus": verdict
        and verdict.omnibus
        and _values(verdict.omnibus, "procedure", "statistic", "df", "p_value"),
        "data_sets": [
            {"name": name, "scores": dict(zip(findings.learners, row, strict=True))}
            for name, row in zip(findings.data_sets, findings.values.tolist(), strict=True)
        ],
        "measure": _measure(measure),
        "plan": findings.plan_sentence,
        "runs": {name: getattr(findings, f"n_{name}") for name in _RUNS},
        "warnings": findings.warnings,
        "notes": findings.notes,
        "reason": findings.reason or None,
        "missing": [dataclasses.asdict(cell) for cell in findings.missing],
        "remarks": findings.remarks,
    }
    if verdict:
        content |= {
            "critical_difference": verdict.critical_difference,
            "preference": verdict.preference or None,
            "control": verdict.control or None,
            **_values(verdict, "correction", "alpha", "rope", "left_out"),
        }
    return content


def _values(item: object, *names: str) -> dict[str, Any]:
    """Return attributes by their names."""
    return {name: getattr(item, name) for name in names}


def _measure(measure: Measure) -> dict[str, Any]:
    """Return a measure, with the class that it is of where it depends on that."""
    return {
        "name": measure.name,
        "greater_is_better": measure.greater_is_better,
        "positive": None if measure.pos_label is None else str(measure.pos_label),
    }


def _reseeding(reseeding: Reseeding) -> dict[str, Any]:
    chances = _values(reseeding, *STATEMENTS)
    return {
        f"same_{name}": chance and dataclasses.asdict(chance) for name, chance in chances.items()
    } | {
        "reproducibility": reseeding.reproducibility,
        "reasons": {f"same_{name}": reason for name, reason in reseeding.reasons.items()},
    }


def _edge(edge: Edge) -> dict[str, Any]:
    values = dataclasses.asdict(edge)
    return {"from": values.pop("worse"), "to": values.pop("better"), **values}


def _claim(claim: ShipClaim | None) -> dict[str, Any] | None:
    if claim is None:
        return None
    return dataclasses.asdict(claim) | {"reason": claim.reason or None}


def _learner(
    learner: LearnerFindings, findings: Findings, answers: Mapping[str, VersusPick]
) -> dict[str, Any]:
    is_pick = learner.name == findings.verdict.best
    claim = findings.claim if is_pick else findings.other_claims.get(learner.name)
    return {
        **_values(learner, "name", "mean", "sd", "fit_seconds", "predict_seconds"),
        "peak_memory_bytes": learner.peak_bytes,
        **_values(learner, "size_bytes", "complexity"),
        "complexity_unit": learner.complexity_unit or None,
        **_values(learner, "n_runs", "n_failed"),
        "candidate": learner.name in findings.verdict.candidates,
        "versus_pick": _versus(answers.get(learner.name)),
        "baseline": learner.is_baseline,
        "left_out": learner.left_out or None,
        "failure": learner.failure or None,
        "scores": dict(learner.shown),
        "missing": dict(learner.reasons),
        "confusion": learner.confusion,
        "claim": _claim(claim),
        "chosen_settings": _chosen(learner.chosen_settings),
        "class": learner.class_path or None,
        "miscalibration": learner.miscalibration
        and _values(learner.miscalibration, "value", "expected"),
    }


def _chosen(chosen: ChosenSettings | None) -> dict[str, Any] | None:
    """Return what a learner chose; null where it chose nothing."""
    if chosen is None:
        return None
    counts = [count._asdict() for count in chosen.counts]
    return {"default_kept": chosen.default_kept, "settings": counts}


def _versus(versus: VersusPick | None) -> dict[str, Any] | None:
    """Return the answer about a learner against the pick; null where it takes no part."""
    if versus is None or not versus.answer:
        return None
    names = ("answer", "difference", "low", "high", "by", "p_adjusted")
    return _values(versus, *names) | {"by": versus.by or None}


def result_json(result: Result) -> str:
    """Return a result of a statistical procedure as one JSON object.

    Parameters
    ----------
    result : Result
        Of any procedure.

    Returns
    -------
    str
        One object with an entry per field, ending with a line break. Infinite numbers are the
        strings "inf" and "-inf", nan is null.
    """
    fields = dataclasses.fields(result)
    return json_text({field.name: getattr(result, field.name) for field in fields})
