"""A history small enough to compute by hand, and a walk through the tests that a method wants."""

from bestofk.recommendation.history import History

SCORES = [
    [0.9, 0.85, 0.85, 0.7, 0.95],
    [0.8, 0.82, 0.78, 0.6, 0.82],
    [0.75, 0.7, 0.75, 0.65, 0.8],
    [0.6, 0.66, 0.64, 0.66, 0.5],
]
SECONDS = [
    [2.0, 1.0, 20.0, 0.1, 2000.0],
    [5.0, 4.0, 50.0, 0.2, 800.0],
    [1.0, 8.0, 10.0, 0.1, 300.0],
    [10.0, 2.0, 100.0, 0.5, 5000.0],
]
HISTORY = History.from_arrays(SCORES, SECONDS, default_scores=[0.55, 0.5, 0.4, 0.45])


def follow(advisor, scores, seconds):
    """Tell an advisor the result of each learner that it names; return the order of learners."""
    order = []
    for _ in scores:
        order.append(advisor.next())
        advisor.tell(order[-1], float(scores[order[-1]]), float(seconds[order[-1]]))
    return order
