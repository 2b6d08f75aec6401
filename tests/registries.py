"""Registries of learners, measures and tests, put back after a test has added to them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from bestofk.inference import PAIRED_TESTS, PROCEDURES
from bestofk.learners.catalogue import LEARNERS
from bestofk.measures.catalogue import MEASURES


@contextmanager
def registries_kept() -> Iterator[None]:
    """Forget at the end what was registered within."""
    registries = [LEARNERS, MEASURES, PAIRED_TESTS, PROCEDURES]
    known = [set(registry) for registry in registries]
    try:
        yield
    finally:
        for registry, names in zip(registries, known, strict=True):
            for name in set(registry) - names:
                registry.remove(name)
