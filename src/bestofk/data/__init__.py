"""Data sets: what is in their columns, and how they are read.

Takes files, frames, names of built-in sets and generators; gives a `DataSet`
with features, target, roles and an identity made from its content.
Every guess made on the way is a sentence in ``DataSet.notes``, everything to
distrust one in ``DataSet.warnings``.
Knows nothing of learners.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
