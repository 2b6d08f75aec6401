"""Details below the verdict: other seeds."""

from __future__ import annotations

import numpy as np
import pytest

from bestofk.inference.many_learners.reseeding import Chance, Reseeding
from bestofk.report.details import details
from bestofk.report.sentences import paragraph


def reseeding(*stated):
    """Return what other seeds would say, with the probabilities that are stated."""
    chances = [p if p is None else Chance(p, p, p) for p in (*stated, None, None)[:3]]
    return Reseeding(*chances, np.zeros((5, 5)), 10)


@pytest.mark.parametrize(
    ("stated", "said"),
    [
        ((0.86,), "Another random seed is 86% likely to give the same pick. This is about"),
        ((0.985,), "Another random seed would almost surely (99%) give the same pick. This is"),
        ((1.0,), "Another random seed would almost surely (99%) give the same pick. This is"),
        ((0.95, 0.645), "(95%) give the same pick. It is 65% likely to give the same candidates."),
        ((0.9, 0.97, 0.6), "It would almost surely (97%) give the same candidates and is 60% like"),
    ],
)
def test_what_another_seed_would_say_is_said_in_per_cent(make, stated, said):
    findings = make(reseeding=reseeding(*stated))
    assert said in " ".join(details(findings))
    assert "random seed" not in paragraph(findings)


def test_nothing_is_said_of_other_seeds_where_the_pick_is_not_stated(make):
    assert details(make(reseeding=reseeding(None))) == []
