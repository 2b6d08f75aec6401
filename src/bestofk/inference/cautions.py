"""Cautions about results: sixteen of them, each with its own code."""

from __future__ import annotations

from bestofk.checks import check_known

# code -> when it is raised
CAUTIONS = {
    "few-scores": "so few pairs or folds that only large differences can be detected",
    "degenerate": "zero variance, only ties, no discordant rows: p values are limits",
    "overlap": "a test that ignores that training sets share rows",
    "winners-curse": "the learner with the best mean was chosen for it",
    "split-seed": "other random splits may give another verdict",
    "pooled-folds": "rows predicted by different models are treated as one test set",
    "multiplicity": "several hypotheses were tested together",
    "mean-ranks": "a verdict by mean ranks changes with the learners in the pool",
    "not-equal": "no significant difference, which is not equality",
    "incomplete": "folds without both classes, missing scores, failed fits",
    "unstable-learner": "a learner for which the level may be exceeded",
    "different-test-sets": "scores from test sets that are not shared",
    "crowded": "seconds of runs that ran in parallel, which takes longer",
    "untuned": "learners that were not tuned inside the folds",
    "partly-tuned": "learners that were tuned against others that were not",
    "edge-of-space": "settings chosen at an edge of what was tried",
}


class Caution(str):
    """A sentence that says what to distrust, with a code that says which of the sixteen it is.

    Parameters
    ----------
    code : str
        A key of `CAUTIONS`.
    text : str
        The sentence.

    Raises
    ------
    InvalidArgumentError
        If there is no such code.

    Examples
    --------
    >>> caution = Caution("few-scores", "Only 3 scores: small differences cannot be detected.")
    >>> caution.code, caution
    ('few-scores', 'Only 3 scores: small differences cannot be detected.')
    """

    __slots__ = ("code",)
    code: str

    def __new__(cls, code: str, text: str) -> Caution:
        """Check the code and store it with the text."""
        check_known(code, "code of Caution", CAUTIONS)
        caution = super().__new__(cls, text)
        caution.code = code
        return caution

    def __reduce__(self) -> tuple[type[Caution], tuple[str, str]]:
        return Caution, (self.code, str(self))


def caution_if(holds: bool, code: str, text: str) -> tuple[Caution, ...]:
    """Return a caution where it is needed, and nothing elsewhere.

    Parameters
    ----------
    holds : bool
        Whether there is reason for it.
    code, text : str
        As in `Caution`.

    Returns
    -------
    tuple of Caution
        One or none.
    """
    return (Caution(code, text),) if holds else ()
