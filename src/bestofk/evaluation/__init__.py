"""Evaluation of learners on splits; runs are kept, and scores are derived from them.

`evaluate` does the runs that a `Store` does not have yet and returns an `Evaluation`,
which computes any measure from the stored predictions.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
