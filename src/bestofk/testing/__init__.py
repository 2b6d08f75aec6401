"""Checks for authors of learners and batched forms."""

from bestofk.testing.agreement import BatchedAgreement
from bestofk.testing.batched_forms import (
    batched_agreement,
    check_batched_form,
    check_subset_form,
    subset_agreement,
)

__all__ = [
    "BatchedAgreement",
    "batched_agreement",
    "check_batched_form",
    "check_subset_form",
    "subset_agreement",
]
