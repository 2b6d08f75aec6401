"""Checks for those who write learners or joint forms of their own."""

from bestofk.testing.agreement import JointAgreement
from bestofk.testing.batched_forms import check_joint_form, joint_agreement
from bestofk.testing.subset_forms import check_subset_form, subset_agreement

__all__ = [
    "JointAgreement",
    "check_joint_form",
    "check_subset_form",
    "joint_agreement",
    "subset_agreement",
]
