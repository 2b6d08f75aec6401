"""Reports: findings become tables, sentences, pictures and pages.

`gather` collects plain numbers in a `Findings`; everything else is written from it.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
