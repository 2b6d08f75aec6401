import numpy as np
import pytest

from bestofk.errors import InvalidArgumentError
from bestofk.stopping import STOPPING_RULES, FixedRepeats, StoppingRule, stopping_rule


@pytest.mark.parametrize("name", STOPPING_RULES)
def test_every_rule_is_known_by_its_name(name: str) -> None:
    rule = stopping_rule(name)
    assert rule.name == name
    assert rule == stopping_rule(rule) == stopping_rule(name.replace("-", "_").upper())


OF_ONE_LEARNER = [n for n in STOPPING_RULES if isinstance(stopping_rule(n), StoppingRule)]


@pytest.mark.parametrize("name", OF_ONE_LEARNER)
def test_every_rule_of_one_learner_watches_afresh(name: str) -> None:
    rule = stopping_rule(name)
    assert isinstance(rule, StoppingRule)
    assert rule.needs in ("probabilities", "values")
    state, other = rule.start(), rule.start()
    state.add(np.zeros(3), np.full((3, 2, 2), 0.5))
    assert (state.n_repeats, len(state.path)) == (3, 3)
    assert (other.n_repeats, len(other.path), other.steady_at) == (0, 0, None)
    state.add([], None)
    assert state.n_repeats == 3


def test_options_replace_what_a_rule_has_by_default() -> None:
    assert stopping_rule("fixed", n_repeats=50) == FixedRepeats(50)
    assert stopping_rule(FixedRepeats(50), n_repeats=20) == FixedRepeats(20)


def test_unknown_rules_and_options_are_refused_with_the_nearest() -> None:
    with pytest.raises(InvalidArgumentError, match="Did you mean 'odd-even'"):
        stopping_rule("odd-evn")
    with pytest.raises(InvalidArgumentError, match=r"of odd-even .*Did you mean 'threshold'"):
        stopping_rule("odd-even", treshold=0.2)


def test_shapes_that_do_not_fit_are_refused() -> None:
    state = stopping_rule("rank-correlation").start()
    with pytest.raises(InvalidArgumentError, match=r"one number per repeat; got shape \(2, 2\)"):
        state.add(np.zeros((2, 2)))
    for shape in ((3, 4, 2), (2, 4), (2, 0, 2)):
        with pytest.raises(InvalidArgumentError, match="n_repeats = 2, as many as there are"):
            state.add(np.zeros(2), np.zeros(shape))
