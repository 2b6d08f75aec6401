"""Registries of learners, measures and tests, put back after a test has added to them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from bestofk.inference import PAIRED_TESTS
from bestofk.inference.catalogue import REGISTERED
from bestofk.learners import catalogue as learners
from bestofk.measures import catalogue as measures


@contextmanager
def registries_kept() -> Iterator[None]:
    """Forget at the end what was registered within."""
    entries = list(learners._ENTRIES)
    named = [*measures._MEASURES.values(), PAIRED_TESTS, REGISTERED]
    before = [dict(registry) for registry in named]
    try:
        yield
    finally:
        learners._ENTRIES[:] = entries
        for registry, kept in zip(named, before, strict=True):
            for name in set(registry) - set(kept):
                del registry[name]
