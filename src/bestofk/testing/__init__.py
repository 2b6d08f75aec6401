"""Checks for those who write learners or joint forms of their own."""

from bestofk.testing.joint_forms import JointAgreement, check_joint_form, joint_agreement

__all__ = ["JointAgreement", "check_joint_form", "joint_agreement"]
