"""Recommendation of the learner to try next, from the history of earlier data sets.

A `History` holds scores and seconds; `read_history` reads one, `shipped_history` is the one
that comes with the package. A `Recommender` starts an `Advisor` on a new data set, which names
the learner to try next; `leave_one_out` measures what every recommender loses on data sets it
has not seen.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
