"""An observer that ends a comparison, as Ctrl-C does."""

from bestofk.evaluation import Observer


class InterruptAfter(Observer):
    """Raises Ctrl-C, or another error, once so many runs are finished."""

    def __init__(self, n_runs, error=KeyboardInterrupt):
        self.n_left, self.error = n_runs, error

    def finished(self, learner_index, records, store):
        for _ in records:
            self.n_left -= 1
            if self.n_left == 0:
                raise self.error
