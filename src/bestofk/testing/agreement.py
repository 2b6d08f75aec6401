"""Differences between two executions of the same runs."""

from dataclasses import dataclass

import numpy as np

from bestofk.array_types import Floats
from bestofk.evaluation.record import RunRecord
from bestofk.evaluation.status import is_ok

# Two scores that are this near make a tie: which class is predicted is then chance.
_TIE = 1e-9


@dataclass(frozen=True, eq=False)
class BatchedAgreement:
    """Differences between batched and plain predictions on the same splits.

    Parameters
    ----------
    n_runs : int
        Runs that were compared: done by the batched form, and without error by the plain learner.
    n_left : int
        Runs that the batched form left to the plain way.
    n_rows : int
        Test rows of the runs compared.
    n_tied : int
        Rows with another class where the plain learner's two best scores are tied.
    n_different : int
        Rows with another class for no such reason.
    largest_difference : float
        Of probabilities, decision values or predicted numbers; nan where there are none.
    largest_wrong_margin : float
        Largest difference of the plain learner's two best scores over the rows with another
        class and no tie; 0 where there is no such row.
    failures : tuple of str
        Runs that failed the plain way and were done by the batched form.
    """

    n_runs: int
    n_left: int
    n_rows: int
    n_tied: int
    n_different: int
    largest_difference: float
    largest_wrong_margin: float
    failures: tuple[str, ...]

    def check(self, what: str, *, tolerance: float, margin: float) -> None:
        """Raise AssertionError if the two ways differ by more than is allowed.

        Parameters
        ----------
        what : str
            The form, for the message.
        tolerance : float
            Largest difference allowed of probabilities, decision values or predicted numbers.
        margin : float
            Rows may get another class where the plain learner's two best scores differ by no
            more.
        """
        problems = list(self.failures)
        if self.n_runs == 0:
            problems.append(f"no run was done in a batch, {self.n_left} were left to the plain way")
        if self.n_different and not self.largest_wrong_margin <= margin:
            problems.append(
                f"{self.n_different} of {self.n_rows} rows got another class, the plain margin "
                f"being up to {self.largest_wrong_margin:.3g}"
            )
        if self.largest_difference > tolerance:
            problems.append(f"scores differ by up to {self.largest_difference:.3g}")
        if problems:
            raise AssertionError(f"{what}: {'; '.join(problems)}")


class Tally:
    """Counts what differs, run by run.

    Parameters
    ----------
    is_classification : bool
        Whether classes are predicted, or numbers.
    """

    def __init__(self, is_classification: bool) -> None:
        self.is_classification = is_classification
        self.n_runs = self.n_left = self.n_rows = self.n_tied = self.n_different = 0
        self.difference, self.margin = float("nan"), 0.0
        self.failures: list[str] = []

    def add(self, plain: RunRecord, labels: np.ndarray, scores: Floats | None, where: str) -> None:
        """Count a run by its plain record and the batched prediction."""
        if not is_ok(plain.status) or plain.predictions is None:
            self.failures.append(f"{where}: {plain.message}")
            return
        expected = plain.predictions
        self.n_runs += 1
        self.n_rows += len(labels)
        if not self.is_classification:
            self._differ(labels, expected.labels)
            return
        wanted = expected.decision if expected.probabilities is None else expected.probabilities
        if (wanted is None) != (scores is None):
            self.failures.append(f"{where}: scores in one way alone")
            return
        if wanted is not None and scores is not None:
            self._differ(scores, wanted)
        wrong = labels != expected.labels
        margins = np.zeros(len(labels)) if wanted is None else _margins(wanted)
        is_tied = wrong & (margins <= _TIE) if wanted is not None else np.zeros_like(wrong)
        self.n_tied += int(is_tied.sum())
        self.n_different += int((wrong & ~is_tied).sum())
        self.margin = max(self.margin, float(margins[wrong & ~is_tied].max(initial=0.0)))

    def _differ(self, values: np.ndarray, wanted: np.ndarray) -> None:
        with np.errstate(invalid="ignore"):  # infinities, which may be the same
            apart = np.where(values == wanted, 0.0, np.abs(values - wanted))
        difference = float(np.where(np.isnan(apart), np.inf, apart).max(initial=0.0))
        self.difference = max(difference, 0.0 if np.isnan(self.difference) else self.difference)

    def result(self) -> BatchedAgreement:
        """Return what was counted."""
        return BatchedAgreement(
            self.n_runs, self.n_left, self.n_rows, self.n_tied, self.n_different,
            self.difference, self.margin, tuple(self.failures),
        )  # fmt: skip


def _margins(scores: Floats) -> Floats:
    """Return how far the best score of each row is above the second."""
    if scores.ndim == 1:
        return np.abs(scores)
    ordered = np.sort(scores, axis=1)
    return np.asarray(ordered[:, -1] - ordered[:, -2])
