"""Share of data sets whose provisional pick is good after a tenth of a comparison.

The default comparison of each file is followed by an observer. Whenever its CPU seconds have grown
by 5 %, the runs so far are weighed, as for the table on a terminal; what weighing takes is not
counted. The provisional pick is that of the last weighing within a tenth of all CPU seconds of the
call. It is good if its error in the end is at most one percentage point above that of the final
pick. Before the first file one comparison of iris loads the libraries.

    OMP_NUM_THREADS=1 python benchmarks/first_pick.py FILE [FILE ...] [--seconds 600]
"""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import sklearn

import bestofk
from bestofk.data import load_data
from bestofk.evaluation import Evaluation, Observer

SHARE = 0.1
POINT = 0.01
GROWTH = 1.05


class Pick(NamedTuple):
    """Provisional pick, when it was known, and what it rests on."""

    spent: float
    learner: str
    n_learners: int
    n_runs: int


class PicksSoFar(Observer):
    """Provisional picks of one comparison, with the CPU seconds at which each was known."""

    def __init__(self) -> None:
        self.picks: list[Pick] = []
        self.weighing_seconds = 0.0
        self._begin = time.process_time()
        self._next = 0.0
        self._weigh: Callable[[Evaluation], Any] = lambda evaluation: evaluation

    def spent(self) -> float:
        """Return the CPU seconds of the comparison until now."""
        return time.process_time() - self._begin - self.weighing_seconds

    def begin(self, weigh: Callable[[Evaluation], Any]) -> None:
        """Keep what weighs the runs so far."""
        self._weigh = weigh

    def start(self, *_: Any, snapshot: Callable[[], Evaluation], **__: Any) -> None:
        """Keep what gives the runs so far."""
        self._snapshot = snapshot

    def finished(self, *_: Any) -> None:
        """Note the pick where enough time went by since the last one."""
        spent, start = self.spent(), time.process_time()
        if spent >= self._next:
            found = self._weigh(self._snapshot())
            runs = [learner.n_runs for learner in found.learners if learner.n_runs]
            self._next = GROWTH * spent
            if found.verdict.best is not None:
                self.picks.append(Pick(spent, found.verdict.best, len(runs), min(runs)))
        self.weighing_seconds += time.process_time() - start


def main() -> None:
    """Follow one comparison after the other and print the share."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--learners", help="with commas; the default ones if left out")
    parser.add_argument("--seconds", type=float, default=np.inf, help="no file is begun after them")
    given = parser.parse_args()
    print(f"Python {platform.python_version()}, scikit-learn {sklearn.__version__}, bestofk "
          f"{bestofk.__version__}")  # fmt: skip
    learners = given.learners.split(",") if given.learners else None
    bestofk.compare("iris", learners=learners, scoring="error", progress=False)
    differences, start = [], time.monotonic()
    for path in given.files:
        if time.monotonic() - start > given.seconds:
            break
        data, observer = load_data(path, target="class"), PicksSoFar()
        found = bestofk.compare(data, learners=learners, scoring="error", progress=observer)
        total = observer.spent()
        error = found.findings.learner
        within = [pick for pick in observer.picks if pick.spent <= SHARE * total]
        pick = within[-1] if within else Pick(np.inf, "none", 0, 0)
        difference = error(pick.learner).mean - error(found.best).mean if within else np.inf
        differences.append(difference)
        print(f"{path.name}: {pick.learner} for {found.best}, {100 * difference:.2f} points worse; "
              f"{pick.n_learners} learners had {pick.n_runs} runs or more; {total:.1f} s",
              flush=True)  # fmt: skip
    n_good = int(np.sum(np.array(differences) <= POINT))
    print(f"within {100 * POINT:g} point after {SHARE:.0%}: {n_good} of {len(differences)}")


if __name__ == "__main__":
    main()
