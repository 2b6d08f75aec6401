"""Learners trained on all parts of one table at once, with the predictions of the plain way."""

from bestofk.learners.joint.form import JointForm, JointPredictions
from bestofk.learners.joint.forms import (
    TABLE_CODE,
    FormChoice,
    choose_form,
    joint_form,
    subset_form,
)
from bestofk.learners.joint.parts import Parts
from bestofk.learners.joint.shared_table import SharedTable
from bestofk.learners.joint.subset_form import SubsetForm, SubsetPredictions, Subsets

__all__ = [
    "TABLE_CODE",
    "FormChoice",
    "JointForm",
    "JointPredictions",
    "Parts",
    "SharedTable",
    "SubsetForm",
    "SubsetPredictions",
    "Subsets",
    "choose_form",
    "joint_form",
    "subset_form",
]
