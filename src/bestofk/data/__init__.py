"""Data sets: how files and frames are read, and what their columns hold.

Files, frames, names of built-in sets and generators become a `DataSet` with features, target, roles
and an identity computed from its content. Every guess made while reading is a sentence in
``DataSet.notes``; every reason for distrust is one in ``DataSet.warnings``. This package does not
depend on learners.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
