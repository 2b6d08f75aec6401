"""Measures of predictions with direction, range and required input, vectorized over runs.

A new measure is one new file and one line in `catalogue.py`, or a call of `register_measure`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
