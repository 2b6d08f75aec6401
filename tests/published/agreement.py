"""Comparison of a procedure's result with the expectation of a case."""

import builtins
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.published import (
    adapter_many_data_sets,
    adapter_many_learners,
    adapter_one_test_set,
    adapter_orderings,
    adapter_two_learners,
)
from tests.published.cases import Case, numbers

from bestofk import errors

PROCEDURES: dict[str, Callable[[Case], Case]] = {
    **adapter_two_learners.PROCEDURES,
    **adapter_many_learners.PROCEDURES,
    **adapter_one_test_set.PROCEDURES,
    **adapter_many_data_sets.PROCEDURES,
    **adapter_orderings.PROCEDURES,
}


def is_text(value: Any) -> bool:
    """Return whether a value is a name or a list of names; "inf" and "nan" are numbers."""
    if isinstance(value, list):
        return any(is_text(item) for item in value)
    return isinstance(value, str) and value not in ("inf", "-inf", "nan")


def assert_agrees(found: Any, wanted: Any, key: str, case: Case) -> None:
    if key == "degenerate":
        assert wanted in found if wanted else not found
    elif key == "edges":
        assert sorted(found) == sorted(wanted)
    elif wanted is None:
        assert found is None
    elif is_text(wanted) or key == "underlines":
        assert found == wanted
    elif isinstance(wanted, dict):
        for name, value in wanted.items():
            assert_agrees(found[name], value, f"{key} {name}", case)
    else:
        np.testing.assert_allclose(
            np.asarray(found, dtype=float),
            numbers(wanted),
            rtol=case.get("rtol", 1e-7),
            atol=case.get("atol", 1e-12),
            err_msg=key,
        )


def expected_error(name: str) -> type[BaseException]:
    return getattr(errors, name, None) or getattr(builtins, name)


def assert_comes_out(case: Case) -> None:
    """Run the procedure of a case, and hold it to what the case expects or to its error."""
    assert case["test"] in PROCEDURES, f"no adapter knows the procedure {case['test']}"
    case = {**case, "options": case.get("options") or {}}
    run, expect = PROCEDURES[case["test"]], case["expect"]
    if "error" in expect:
        with pytest.raises(expected_error(expect["error"])):
            run(case)
        return
    result = run(case)
    for key, wanted in expect.items():
        assert key in result, f"the adapter of {case['test']} knows no {key}"
        assert_agrees(result[key], wanted, key, case)
