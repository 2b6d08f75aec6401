"""Registries of learners, measures and tests, put back after a test has added to them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from bestofk.data.load import READERS
from bestofk.inference import PAIRED_TESTS, PROCEDURES
from bestofk.learners.catalogue import LEARNERS
from bestofk.measures.catalogue import MEASURES
from bestofk.recommendation import RECOMMENDERS
from bestofk.registry import Registry
from bestofk.stopping import STOPPING_RULES
from bestofk.verdict import ORDERINGS


@contextmanager
def registries_kept() -> Iterator[None]:
    """Forget at the end what was registered within."""
    registries: list[Registry[Any]] = [
        LEARNERS, MEASURES, PAIRED_TESTS, PROCEDURES, STOPPING_RULES, ORDERINGS, RECOMMENDERS,
        READERS,
    ]  # fmt: skip
    known = [set(registry) for registry in registries]
    try:
        yield
    finally:
        for registry, names in zip(registries, known, strict=True):
            for name in set(registry) - names:
                registry.remove(name)
