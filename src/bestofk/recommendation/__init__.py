"""Station 6: from the history of earlier data sets to the learner to try first on the next.

A `History` holds scores and seconds; `read_history` reads one, `shipped_history` is the one
that comes along.  A `Method` starts an `Advisor` on a new data set, which answers which learner
is next; `leave_one_out` measures what every method loses on data sets it has not seen.
"""

from bestofk.recommendation.history import History
from bestofk.recommendation.leave_one_out import MethodLosses, envelope_losses, leave_one_out
from bestofk.recommendation.loss_time import USUAL_WINDOW, LossTimeCurve, Window
from bestofk.recommendation.recommender import Advisor, FixedOrder, Method
from bestofk.recommendation.recommenders import DEFAULT_METHOD, METHODS, get_method
from bestofk.recommendation.read_history import read_history
from bestofk.recommendation.shipped_history import shipped_history

__all__ = [
    "DEFAULT_METHOD",
    "METHODS",
    "USUAL_WINDOW",
    "Advisor",
    "FixedOrder",
    "History",
    "LossTimeCurve",
    "Method",
    "MethodLosses",
    "Window",
    "envelope_losses",
    "get_method",
    "leave_one_out",
    "read_history",
    "shipped_history",
]
