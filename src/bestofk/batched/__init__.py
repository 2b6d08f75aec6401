"""Learners trained on all parts of one table at once, with the predictions of separate fits."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
