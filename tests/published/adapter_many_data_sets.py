"""Adapters of the cases about many data sets, and of adjusted p values."""

from __future__ import annotations

from tests.published.cases import Case, numbers

from bestofk.inference import adjust_p_values


def adjusted(case: Case) -> Case:
    method = case["options"].get("method", "holm")
    return {"adjusted_p": adjust_p_values(numbers(case["input"]["p"]), method.lower()).tolist()}


PROCEDURES = {"p_adjust": adjusted}
