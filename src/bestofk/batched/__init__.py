"""Learners trained on all parts of one table at once, with the predictions of the plain way."""

from bestofk.batched.form import JointForm, JointPredictions
from bestofk.batched.forms import (
    TABLE_CODE,
    FormChoice,
    choose_form,
    joint_form,
    subset_form,
)
from bestofk.batched.parts import Parts
from bestofk.batched.shared_table import SharedTable
from bestofk.batched.subset_form import SubsetForm, SubsetPredictions, Subsets

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
