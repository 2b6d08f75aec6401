"""Checks for authors of learners, batched forms, measures and paired tests."""

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
