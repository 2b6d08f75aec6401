"""Random order of the learners, as a reference without any advice."""

from __future__ import annotations

from bestofk.randomness import derive_seed
from bestofk.recommendation.history import History
from bestofk.recommendation.loss_time import Window
from bestofk.recommendation.recommender import Advisor, FixedOrder, Recommender


class RandomOrder(Recommender):
    """Test learners in random order.

    Every learner's place follows from its name and the random state alone: the order is the
    same on all data sets, and one learner more or less leaves the order of the others.

    Parameters
    ----------
    random_state : int or str, default=0
        Names the order.

    Notes
    -----
    Right as the floor of a comparison.  One order may be lucky: several random states, and
    their mean, show what luck there is.

    Examples
    --------
    >>> from bestofk.recommendation.loss_time import USUAL_WINDOW
    >>> history = History.from_arrays([[0.9, 0.8, 0.7]], learners=["tree", "knn", "svm"])
    >>> RandomOrder(0).start(history, 0.5, USUAL_WINDOW).next()
    1
    """

    title = "random order"
    needs_seconds = False

    def __init__(self, random_state: int | str = 0) -> None:
        self.random_state = random_state
        self.name = f"random-order-{random_state}"

    def start(self, history: History, default_score: float, window: Window) -> Advisor:
        """Draw the order; see `Recommender.start`."""
        draws = [derive_seed(self.random_state, "order", name) for name in history.learners]
        return FixedOrder(sorted(range(history.n_learners), key=draws.__getitem__))
