"""Properties of every ordering: total, independent of input order, true to the preference."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bestofk.inference import Sampling
from bestofk.verdict import ORDERINGS, Evidence, decide, orderings
from bestofk.verdict.verdict_options import VerdictOptions

PLAN = Sampling("k-fold", 2, 5, n_train=40, n_test=10)
NAMES = ["a", "b", "c", "d"]
few = settings(
    max_examples=12, deadline=None, derandomize=True, database=None,
    suppress_health_check=list(HealthCheck),
)  # fmt: skip
cells = st.integers(0, 30).map(lambda i: i / 100)
rows = st.lists(st.lists(cells, min_size=10, max_size=10), min_size=4, max_size=4).map(np.array)
ALL = pytest.mark.parametrize("name", list(ORDERINGS))


def row(name, losses, names, prefer):
    table = orderings(losses.T, sampling=PLAN, names=names, prefer=prefer, only=[name])
    return table.rows[0]


@ALL
@few
@given(losses=rows)
def test_an_order_holds_every_learner_once_and_begins_with_the_best(name, losses):
    result = row(name, losses, NAMES, NAMES)
    if result.order:
        assert sorted(result.order) == NAMES
        assert result.order[0] == result.best
    assert result.best is None or result.best in NAMES
    assert set(result.may_be_best) <= set(NAMES)


@ALL
@few
@given(losses=rows, places=st.permutations(range(4)))
def test_the_order_of_the_input_changes_nothing(name, losses, places):
    prefer = ["b", "d", "a", "c"]
    there = row(name, losses, NAMES, prefer)
    mixed = row(name, losses[list(places)], [NAMES[i] for i in places], prefer)
    assert (there.best, there.order) == (mixed.best, mixed.order)
    assert set(there.may_be_best) == set(mixed.may_be_best)


@pytest.mark.parametrize("name", ["multitest-bonferroni", "multitest-holm"])
@few
@given(values=st.lists(cells, min_size=10, max_size=10), prefer=st.permutations(NAMES))
def test_the_preference_is_followed_where_nothing_is_rejected(name, values, prefer):
    losses = np.tile(values, (4, 1))
    result = row(name, losses, NAMES, prefer)
    assert list(result.order) == list(prefer)


@few
@given(losses=rows, places=st.permutations(range(4)), has_preference=st.booleans())
def test_a_verdict_is_total_and_blind_to_the_order_of_input(losses, places, has_preference):
    losses = losses + np.arange(4)[:, None] * 1e-4  # ties of means go by the order given

    def verdict(order):
        evidence = Evidence(
            names=[NAMES[i] for i in order],
            losses=losses[list(order)].T,
            sampling=PLAN,
            is_baseline=[False] * 4,
            costs={},
            repeat_of_split=np.repeat([0, 1], 5),
        )
        return decide(
            evidence,
            VerdictOptions(prefer=["d", "b", "a", "c"] if has_preference else None, rope=0.01),
        )

    there, mixed = verdict(range(4)), verdict(places)
    assert sorted(there.order) == NAMES
    assert there.order[0] == there.best
    assert (there.best, there.order) == (mixed.best, mixed.order)
    assert set(there.candidates) == set(mixed.candidates)
    answers = {frozenset((p.first, p.second)): p.answer for p in there.pairs}
    assert answers == {frozenset((p.first, p.second)): p.answer for p in mixed.pairs}
    for pair in there.pairs:
        total = pair.p_first_better + pair.p_equivalent + pair.p_second_better
        assert np.isnan(total) if pair.zero_variance else total == pytest.approx(1)
