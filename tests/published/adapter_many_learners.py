"""Adapters of the cases about K learners on one data set."""

from __future__ import annotations

from collections.abc import Callable

from tests.published.cases import Case

PROCEDURES: dict[str, Callable[[Case], Case]] = {}
