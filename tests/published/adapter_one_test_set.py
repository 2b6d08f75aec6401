"""Adapters of the cases about fitted learners on one test set."""

from __future__ import annotations

from collections.abc import Callable

from tests.published.cases import Case

PROCEDURES: dict[str, Callable[[Case], Case]] = {}
