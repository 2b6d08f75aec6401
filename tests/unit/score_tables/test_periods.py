"""Tables of losses by period: a verdict, and each test over time."""

import numpy as np
import pandas as pd
import pytest

from bestofk import apply_procedure, compare_scores
from bestofk.errors import BestofkError
from bestofk.inference import diebold_mariano_test

_RNG = np.random.default_rng(1)
LOSSES = pd.DataFrame(
    {name: _RNG.normal(mean, 0.2, 24) for name, mean in (("arima", 1), ("ridge", 0.8))}
)


def test_the_verdict_of_a_table_of_periods():
    result = compare_scores(LOSSES, measure="mae", cv="forward")
    assert result.best == "ridge"
    assert "on the 24 periods after each training" in result.answer[0]
    assert "24 periods in order of time" in result.plan_sentence
    assert not any("splits" in warning or "repeats" in warning for warning in result.warnings)
    own = diebold_mariano_test(LOSSES["arima"], LOSSES["ridge"], alternative="two-sided")
    (pair,) = result.verdict.pairs
    assert pair.p_value == pytest.approx(own.p_value)


@pytest.mark.parametrize(
    ("name", "cv", "works"),
    [
        ("diebold-mariano", "forward", True),
        ("harvey-leybourne-newbold", "forward", True),
        ("giacomini-white", "forward:sliding", True),
        ("giacomini-white", "forward", False),
        ("model-confidence-set", "forward", True),
        ("diebold-mariano", "1x24", False),
        ("corrected-t", "forward", False),
        ("anova", "forward", False),
    ],
)
def test_each_test_over_time_takes_periods_and_no_other_test_does(name, cv, works):
    if works:
        assert np.all(np.isfinite(apply_procedure(LOSSES, name, measure="mae", cv=cv).p_value))
        return
    with pytest.raises(BestofkError):
        apply_procedure(LOSSES, name, measure="mae", cv=cv)
