"""Measures of predictions with direction, range and needs, vectorized over runs.

A new measure is one new file and one line in `catalogue.py`, or a call of `register_measure`.
"""

from bestofk.measures.auroc import pooled_auroc
from bestofk.measures.catalogue import get_measure, measure_names, register_measure
from bestofk.measures.choice import choose_scoring, resolve_pos_label, shown_measures
from bestofk.measures.confusion import confusion_matrix
from bestofk.measures.function import make_measure
from bestofk.measures.measure import Measure, PredictionBatch

__all__ = [
    "Measure",
    "PredictionBatch",
    "choose_scoring",
    "confusion_matrix",
    "get_measure",
    "make_measure",
    "measure_names",
    "pooled_auroc",
    "register_measure",
    "resolve_pos_label",
    "shown_measures",
]
