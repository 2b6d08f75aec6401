"""Learners trained on all parts of one table at once, with the predictions of the plain way."""

from bestofk.batched.form import BatchedForm, BatchedPredictions
from bestofk.batched.forms import (
    TABLE_CODE,
    FormChoice,
    batched_form,
    choose_form,
)
from bestofk.batched.parts import Parts
from bestofk.batched.shared_table import SharedTable
from bestofk.batched.subsets import Subsets

__all__ = [
    "TABLE_CODE",
    "BatchedForm",
    "BatchedPredictions",
    "FormChoice",
    "Parts",
    "SharedTable",
    "Subsets",
    "batched_form",
    "choose_form",
]
