"""Findings: the plain numbers and sentences behind every report, on one data set or many."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
