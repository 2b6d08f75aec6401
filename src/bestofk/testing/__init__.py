"""Checks for authors of learners, batched forms, measures and paired tests."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
