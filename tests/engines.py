"""For tests of engines: what a comparison left behind as one hash, and learners from outside."""

import hashlib
import os
import signal
import time

import numpy as np
from sklearn.naive_bayes import GaussianNB

from bestofk.evaluation import Evaluation


class Outside(GaussianNB):
    """From outside the catalogue, so its runs are guarded."""


class Slow(GaussianNB):
    """From outside the catalogue; its runs last long enough to be killed."""

    def fit(self, X, y, sample_weight=None):
        time.sleep(0.03)
        return super().fit(X, y)


class Crashing(GaussianNB):
    """Ends its process in some of its runs; which ones, the training rows say."""

    def fit(self, X, y, sample_weight=None):
        if int(np.asarray(X).sum() * 1000) % 9 == 0:
            os.kill(os.getpid(), signal.SIGSEGV)
        return super().fit(X, y)


def digest(evaluation: Evaluation) -> str:
    """Return a hash over status, labels, probabilities and decision values of all runs."""
    result = hashlib.sha256()
    for row in evaluation.records:
        for record in row:
            result.update((record.status if record else "missing").encode())
            for values in (record.predictions if record else None) or ():
                if values is not None:
                    result.update(np.ascontiguousarray(values).tobytes())
    return result.hexdigest()
