"""Studies: many learners on many data sets under one file, one plan and one store."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
