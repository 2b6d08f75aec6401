"""Checks for authors of learners, batched forms, measures and paired tests."""

from typing import Any

from bestofk.errors import warn_of_new_name
from bestofk.testing.agreement import BatchedAgreement
from bestofk.testing.batched_forms import (
    batched_agreement,
    check_batched_form,
    check_subset_form,
    subset_agreement,
)
from bestofk.testing.extensions import check_learner, check_measure, check_paired_test

__all__ = [
    "BatchedAgreement",
    "batched_agreement",
    "check_batched_form",
    "check_learner",
    "check_measure",
    "check_paired_test",
    "check_subset_form",
    "subset_agreement",
]
# Names of version 0.1, which work for one more release.
_RENAMED = {
    "JointAgreement": "BatchedAgreement",
    "check_joint_form": "check_batched_form",
    "joint_agreement": "batched_agreement",
}


def __getattr__(name: str) -> Any:
    """Return what an old name means, with a warning."""
    if name not in _RENAMED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warn_of_new_name(f"bestofk.testing.{name}", f"bestofk.testing.{_RENAMED[name]}")
    return globals()[_RENAMED[name]]
