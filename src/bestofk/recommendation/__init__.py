"""Recommendation of the learner to try next, from the history of earlier data sets.

A `History` holds scores and seconds; `read_history` reads one, `shipped_history` is the one
that comes with the package. A `Recommender` starts an `Advisor` on a new data set, which names
the learner to try next; `leave_one_out` measures what every recommender loses on data sets it
has not seen.
"""

from typing import TYPE_CHECKING

import lazy_loader

if TYPE_CHECKING:
    from bestofk.recommendation.catalogue import (
        DEFAULT_RECOMMENDER,
        RECOMMENDERS,
        get_recommender,
    )
    from bestofk.recommendation.history import History
    from bestofk.recommendation.leave_one_out import (
        RecommenderLosses,
        envelope_losses,
        leave_one_out,
    )
    from bestofk.recommendation.loss_time import USUAL_WINDOW, LossTimeCurve, Window
    from bestofk.recommendation.read_history import read_history
    from bestofk.recommendation.recommender import Advisor, FixedOrder, Recommender
    from bestofk.recommendation.session import recommend
    from bestofk.recommendation.shipped_history import shipped_history

__all__ = [
    "DEFAULT_RECOMMENDER",
    "RECOMMENDERS",
    "USUAL_WINDOW",
    "Advisor",
    "FixedOrder",
    "History",
    "LossTimeCurve",
    "Recommender",
    "RecommenderLosses",
    "Window",
    "envelope_losses",
    "get_recommender",
    "leave_one_out",
    "read_history",
    "recommend",
    "shipped_history",
]

__getattr__, __dir__, _ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "history": ["History"],
        "leave_one_out": ["RecommenderLosses", "envelope_losses", "leave_one_out"],
        "loss_time": ["LossTimeCurve", "USUAL_WINDOW", "Window"],
        "read_history": ["read_history"],
        "recommender": ["Advisor", "FixedOrder", "Recommender"],
        "catalogue": ["DEFAULT_RECOMMENDER", "RECOMMENDERS", "get_recommender"],
        "session": ["recommend"],
        "shipped_history": ["shipped_history"],
    },
)
