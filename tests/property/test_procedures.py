"""Properties of every statistical procedure on any input."""

import math
from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from tests.given_procedures import arguments, run, swapped

from bestofk.inference import (
    PROCEDURES,
    PairwiseResult,
    PosteriorResult,
    Procedure,
    Result,
)

ALL = pytest.mark.parametrize("one", PROCEDURES.values(), ids=list(PROCEDURES))
ONE_SIDED = [procedure for procedure in PROCEDURES.values() if "greater" in procedure.sides]
OWN_LEVEL_PER_RANGE = {"newman-keuls", "duncan"}  # wider ranges have stricter levels
SLOW = {"hierarchical-bayes"}  # draws chains: fewer examples
few = settings(
    max_examples=8, deadline=None, derandomize=True, database=None,
    suppress_health_check=list(HealthCheck),
)  # fmt: skip


def examples(procedure: Procedure) -> settings:
    return settings(few, max_examples=2) if procedure.name in SLOW else few


def p_values(result: Result) -> np.ndarray:
    """Return all probabilities of a result."""
    if isinstance(result, PairwiseResult):
        both = np.array([result.p_value, result.p_adjusted])
        return both[~np.isnan(both)]
    if hasattr(result, "p_value"):
        return np.ravel(result.p_value)
    if isinstance(result, PosteriorResult):
        return np.array([result.p_less, result.p_rope, result.p_greater])
    return np.array([])


@ALL
def test_probabilities_lie_between_0_and_1_and_a_result_is_readable(one):
    @examples(one)
    @given(arguments(one))
    def holds(data):
        result = run(one, data)
        outcome = p_values(result)
        assert not np.isnan(outcome).any()
        assert ((outcome >= 0) & (outcome <= 1)).all()
        assert result.procedure
        assert len(result.to_frame()) >= 1
        assert str(result).startswith(result.procedure)
        assert "\n" not in repr(result)
        assert all(isinstance(text, str) and text.endswith((".", ")")) for text in result.warnings)
        with pytest.raises(FrozenInstanceError):
            result.procedure = "another"
        if isinstance(result, PosteriorResult):
            assert outcome.sum() == pytest.approx(1)

    holds()


@pytest.mark.parametrize("one", ONE_SIDED, ids=lambda item: item.name)
def test_swapping_the_learners_mirrors_the_one_sided_p_value(one):
    @examples(one)
    @given(arguments(one))
    def holds(data):
        there = run(one, data, alternative="greater")
        back = run(one, swapped(one, data), alternative="less")
        assert there.p_value == pytest.approx(back.p_value, abs=1e-9)
        if "difference" in getattr(there, "estimate_of", ""):
            assert there.estimate == pytest.approx(-back.estimate, abs=1e-9)

    holds()


@pytest.mark.parametrize("one", ONE_SIDED, ids=lambda item: item.name)
def test_two_sided_is_never_below_the_smaller_side_and_the_sides_cover_everything(one):
    @examples(one)
    @given(arguments(one))
    def holds(data):
        p = {side: np.ravel(run(one, data, alternative=side).p_value) for side in one.sides}
        assert (p["greater"] + p["less"] >= 1 - 1e-9).all()
        assert (p["two-sided"] >= np.minimum(p["greater"], p["less"]) - 1e-9).all()

    holds()


@ALL
def test_the_same_input_gives_the_same_result(one):
    @settings(few, max_examples=3)
    @given(arguments(one))
    def holds(data):
        np.testing.assert_array_equal(p_values(run(one, data)), p_values(run(one, data)))

    holds()


@ALL
def test_adjusted_p_values_are_not_below_the_raw_ones_and_keep_their_order(one):
    @examples(one)
    @given(arguments(one))
    def holds(data):
        result = run(one, data)
        if not isinstance(result, PairwiseResult):
            return
        tested = ~np.isnan(result.p_adjusted)
        raw, adjusted = result.p_value[tested], result.p_adjusted[tested]
        assert (adjusted >= raw - 1e-12).all()
        if one.name not in OWN_LEVEL_PER_RANGE:
            order = np.argsort(raw, kind="stable")
            assert (np.diff(adjusted[order]) >= -1e-12).all()

    if one.takes.startswith("many"):
        holds()


@ALL
def test_fields_hold_plain_values(one):
    @settings(few, max_examples=1)
    @given(arguments(one))
    def holds(data):
        result = run(one, data)
        for field in fields(result):
            value = getattr(result, field.name)
            assert not isinstance(value, np.generic), field.name
            if isinstance(value, float) and field.name == "statistic":
                assert not math.isnan(value)

    holds()
