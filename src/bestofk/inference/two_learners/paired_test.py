"""Interface of tests of two learners on shared splits, as orderings use them."""

from __future__ import annotations

from abc import ABC, abstractmethod

from numpy.typing import ArrayLike

from bestofk.errors import DesignError
from bestofk.inference.catalogue_entry import Procedure
from bestofk.inference.cautions import Caution, caution_if
from bestofk.inference.results import HypothesisTestResult
from bestofk.inference.sampling import Sampling
from bestofk.inference.student import Floats
from bestofk.inference.two_learners.paired_comparison import PairedComparison, paired_scores
from bestofk.inference.two_learners.single_result import single_result

FEW_SCORES = 10
SHARED_SPLITS = "Both learners were trained and tested on the same splits."
NEARLY_NORMAL = "Differences of scores are roughly normal."


class PairedTest(ABC):
    """A test of two learners on shared splits, applied to many pairs at once.

    Attributes
    ----------
    name, title : str
        As users and as reports write it.
    question : str
        What it answers.
    assumptions : tuple of str
        What must hold.
    if_unstable : str
        What to distrust where a learner is unstable; empty if `warnings` says it.
    aliases : tuple of str
        Other spellings of the name.
    needs_all_splits : bool
        Whether it cannot do without any split of its plan.
    """

    name: str
    title: str
    question: str
    assumptions: tuple[str, ...] = (SHARED_SPLITS, NEARLY_NORMAL)
    if_unstable: str = ""
    aliases: tuple[str, ...] = ()
    needs_all_splits: bool = False

    @abstractmethod
    def refuse(self, sampling: Sampling) -> str | None:
        """Return why scores made this way cannot carry the test, or None.

        Parameters
        ----------
        sampling : Sampling
            How the scores were made.

        Returns
        -------
        str or None
            A sentence.
        """

    @abstractmethod
    def warnings(self, sampling: Sampling) -> tuple[str, ...]:
        """Return what to distrust, one sentence each.

        Parameters
        ----------
        sampling : Sampling
            How the scores were made.

        Returns
        -------
        tuple of str
            Each a `Caution` where it is one of those.
        """

    @abstractmethod
    def compare(
        self, differences: ArrayLike, sampling: Sampling, *, scale: ArrayLike | None = None
    ) -> PairedComparison:
        """Apply the test to every pair of an array.

        Parameters
        ----------
        differences : array-like of shape (..., n_scores)
            First minus second, repeat by repeat.
        sampling : Sampling
            How the scores were made.
        scale : array-like that broadcasts to (...), optional
            Largest absolute score of each pair, to tell variance from rounding noise.

        Returns
        -------
        PairedComparison
            Fields of shape (...).

        Raises
        ------
        DesignError
            If differences are not finite, too few, or not those of the plan.
        """

    def result(
        self,
        a: ArrayLike,
        b: ArrayLike,
        *,
        sampling: Sampling,
        alternative: str = "two-sided",
        is_unstable: bool | None = None,
    ) -> HypothesisTestResult:
        """Return the test of one pair of learners.

        Parameters
        ----------
        a, b : array-like of one shape, float
            Scores of the first and of the second learner on the same splits.
        sampling : Sampling
            How the scores were made.
        alternative : {"two-sided", "greater", "less"}
            What is to be shown about a - b.
        is_unstable : bool or None, default=None
            Whether a learner is known to be unstable; None (unknown) gives a warning.

        Returns
        -------
        HypothesisTestResult
            Flagged ``"zero_variance"`` where the figures are limits.

        Raises
        ------
        DesignError
            If the scores do not pair, are not finite, fewer than two, or their plan cannot
            carry the test.
        InvalidArgumentError
            If `alternative` is unknown.
        """
        differences, scale = paired_scores(a, b, self.name)
        check_refusal(self.name, self.refuse(sampling))
        return self.single(differences, scale, sampling, alternative, is_unstable)

    def single(
        self,
        differences: Floats,
        scale: float,
        sampling: Sampling,
        alternative: str,
        is_unstable: bool | None = None,
    ) -> HypothesisTestResult:
        """Return the test of one pair whose scores have been checked; see `result`."""
        unstable = (self.if_unstable,) if self.if_unstable and is_unstable is not False else ()
        return single_result(
            self.compare(differences.ravel(), sampling, scale=scale),
            differences,
            scale,
            procedure=self.title,
            alternative=alternative,
            warnings=(*self.warnings(sampling), *unstable),
            assumptions=self.assumptions,
        )

    @property
    def procedure(self) -> Procedure:
        """The test as a procedure that can be called by its name."""
        return Procedure(
            name=self.name,
            title=self.title,
            question=self.question,
            takes="two-on-splits",
            run=self.result,
            aliases=self.aliases,
            needs_all_splits=self.needs_all_splits,
        )


def check_refusal(name: str, reason: str | None) -> None:
    """Raise if there is a reason why a plan cannot carry the test of that name."""
    if reason is not None:
        raise DesignError(
            f"plan of {name} must be one that carries the test. {reason} Take another test or "
            "another plan."
        )


def few_scores(n_scores: int) -> tuple[Caution, ...]:
    """Return the caution that little can be shown, if there are fewer than ten scores.

    Parameters
    ----------
    n_scores : int
        Of each learner.

    Returns
    -------
    tuple of Caution
        Empty or one.
    """
    text = f"Only {n_scores} scores: small differences cannot be shown."
    return caution_if(n_scores < FEW_SCORES, "few-scores", text)


def unstable(test: str) -> Caution:
    """Return what to distrust of a test where learners are unstable."""
    text = (
        f"With unstable learners (1-nearest-neighbor, unpruned trees) {test} may reject more often "
        "than its level says."
    )
    return Caution("unstable-learner", text)
