"""A comparison to be killed: it tells what is done, and ends with a hash or with the reason.

Called with an engine, repeats and folds as in 8x5, and a store.
"""

import sys
import time

from sklearn.ensemble import RandomForestClassifier

from bestofk import compare
from bestofk.evaluation import Observer
from bestofk.evaluation.queue import run_queue, runner
from tests.engines import Slow, digest

LEARNERS = {
    "nearest-mean": "nearest-mean",  # batched
    "slow": Slow(),
    "forest": RandomForestClassifier(10),
    "linear-svm": "linear-svm",
}
SETTINGS = {"random_state": 3}


def tell(*words):
    """Write a line at once."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


class Reporter(Observer):
    """Prints how many runs were handed to the store by when."""

    def start(self, request, store, *, n_reused, snapshot):
        self.n_done = sum(n_reused)
        self.tell_done()

    def finished(self, learner_index, records, store):
        self.n_done += len(records)
        self.tell_done()

    def tell_done(self):
        tell("done", time.monotonic(), self.n_done)


def main(engine: str, cv: str, store: str) -> None:
    """Compare, and tell how that ended."""
    run_queue._PARALLEL_SECONDS, runner._TIMED_ALONE = 0.0, 1
    result = compare(
        LEARNERS, "iris", cv=cv, engine=engine, store=store, progress=Reporter(),
        n_jobs=2 if engine == "processes" else None, **SETTINGS,
    )  # fmt: skip
    if result.evaluation.engine_loss:
        tell("loss of the engine:", *result.warnings, result.resume)
    elif (result.evaluation.status == "lost").any():
        tell("loss of runs:", *result.warnings)
    else:
        tell("digest", digest(result.evaluation))


if __name__ == "__main__":
    main(*sys.argv[1:])
