"""Station 1 of the way: what data set is this, and what is in its columns.

Takes files, frames, names of built-in sets and generators; gives a `DataSet`
with features, target, roles and an identity made from its content.
Every guess made on the way is a sentence in ``DataSet.notes``, everything to
distrust one in ``DataSet.warnings``.
Knows nothing of learners.
"""

from bestofk.data.arrays import from_arrays
from bestofk.data.checks import check_comparable
from bestofk.data.data_set import DataSet
from bestofk.data.generators import ringnorm, threenorm, twonorm, waveform
from bestofk.data.load import data_set_names, load_data
from bestofk.data.task import infer_task

__all__ = [
    "DataSet",
    "check_comparable",
    "data_set_names",
    "from_arrays",
    "infer_task",
    "load_data",
    "ringnorm",
    "threenorm",
    "twonorm",
    "waveform",
]
