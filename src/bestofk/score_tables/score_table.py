"""Verdict on one data set from a table of scores computed elsewhere.

Long tables have one row per score (columns dataset, learner, repeat, fold, measure, value,
n_train, n_test, greater_is_better; learner and value are needed), wide ones one column per
learner in addition to dataset, repeat, fold, n_train and n_test.  Other formats are those of
`bestofk.score_tables.score_formats`.  Direction of the measure and sizes of training and test sets
come from the format, columns, names or arguments; what is inferred from names is noted.
"""

import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from bestofk.array_types import Ints
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import Sampling, check_test, paired_test
from bestofk.inference.many_learners.mean_losses import lowest_loss
from bestofk.inference.two_learners.over_time import OVER_TIME
from bestofk.measures.ties import standard_deviation
from bestofk.report import Findings, LearnerFindings
from bestofk.report.findings import Periods
from bestofk.report.reported import ReportedVerdict
from bestofk.resampling.plan import FORWARD
from bestofk.score_tables.paired_scores import (
    SLIDING,
    PairedScores,
    is_over_time,
    parse_cv,
    read_scores,
)
from bestofk.score_tables.score_formats.missing_scores import with_scores_of_all
from bestofk.score_tables.table_facts import (
    direction_by_name,
    direction_of,
    known_measure,
    measure_of_scores,
    read_learners,
)
from bestofk.verdict import Evidence, OrderingsTable, Verdict, decide, orderings
from bestofk.verdict.verdict_options import VerdictOptions
from bestofk.words import joined_lines

_MOST_FOLDS = 20  # of one cross-validation, as far as it is guessed for an example


@dataclass(frozen=True, eq=False, repr=False)
class ScoreComparison(Findings, ReportedVerdict):
    """Verdict on a table of scores: the best learner, and how sure that is.

    Made by `compare_scores`; parameters are those of `Findings`, and these.

    Parameters
    ----------
    evidence : Evidence
        Losses, and how the splits were made.
    settings : VerdictOptions
        Test, correction, level and preference.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"tree": [0.21, 0.25, 0.19, 0.22], "lda": [0.11, 0.14, 0.12, 0.1]})
    >>> result = compare_scores(table, measure="error", cv="2x2")
    >>> result.best, result.table["versus_pick"].tolist()
    ('lda', ['pick', 'worse'])
    """

    evidence: Evidence = field(kw_only=True)
    settings: VerdictOptions = field(kw_only=True)

    _parts = (
        *ReportedVerdict._parts,
        "evidence",
        "settings",
        *({*dir(Findings), *(item.name for item in fields(Findings))} - {"verdict"}),
    )

    @property
    def findings(self) -> Findings:
        """Content of a report, as plain numbers and sentences."""
        return self

    def orderings(self, *, only: Sequence[str] | None = None) -> OrderingsTable:
        """Apply every ordering to the same scores.

        Parameters
        ----------
        only : sequence of str, optional
            Names of some orderings, such as "testfirst", "anova-selector", "newman-keuls" or
            "multitest" (with the correction of the comparison); all if left out.

        Returns
        -------
        OrderingsTable
            The pick of each rule, and where they disagree; with `to_frame()`.  The preference is
            that of the comparison, else the order of the table.

        Raises
        ------
        DesignError
            If there is one score of each learner, or the plan cannot carry the test.
        InvalidArgumentError
            If there is no such ordering.

        Examples
        --------
        >>> import pandas as pd
        >>> table = pd.DataFrame({"tree": [0.21, 0.25, 0.19, 0.22], "lda": [0.11, 0.1, 0.12, 0.1]})
        >>> result = compare_scores(table, measure="error", cv="2x2")
        >>> result.orderings(only=["testfirst"]).rows[0].best
        'lda'
        """
        settings, evidence = self.settings, self.evidence
        multitest = f"multitest-{settings.correction}"
        return orderings(
            evidence.losses,
            sampling=evidence.sampling,
            names=evidence.names,
            test=settings.test,
            alpha=settings.alpha,
            prefer="given" if settings.prefer is None else settings.prefer,
            only=only and [multitest if name == "multitest" else name for name in only],
        )

    def to_frame(self) -> pd.DataFrame:
        """Return the scores: one row per split, one column per learner compared."""
        scores = self.measure.loss(self.evidence.losses)  # back into its own unit
        return pd.DataFrame(scores, columns=list(self.evidence.names))

    def __repr__(self) -> str:
        return joined_lines(self.answer)


def compare_scores(
    table: Any,
    *,
    columns: Mapping[str, str] | None = None,
    learners: Sequence[str] = (),
    measure: str | None = None,
    greater_is_better: bool | None = None,
    cv: str | None = None,
    n_train: float | None = None,
    n_test: float | None = None,
    dataset: str | None = None,
    missing: str = "refuse",
    test: str = "corrected-t",
    correction: str = "holm",
    alpha: float = 0.05,
    rope: float | None = None,
    prefer: Any = None,
    center: str = "mean",
) -> ScoreComparison:
    """Compare learners by scores computed elsewhere, and return which to use.

    Parameters
    ----------
    table : str, Path or DataFrame of pandas or polars
        Long or wide scores, or the results of a tool whose format is known; a path is a CSV,
        ARFF or Parquet file.
    columns : mapping of str to str, optional
        Column of a role, such as ``{"learner": "clf"}``, if its name does not say it.
    learners : sequence of str, default=()
        Learners to compare, in this order; all if empty.  Other columns and their gaps are then
        ignored.  If none is named, columns that may not be learners are an error.
    measure : str, optional
        Deciding measure; needed if the table has several, or does not name its measure.
    greater_is_better : bool, optional
        Direction of the measure; needed unless the measure is one of this package or the table
        says it.
    cv : str, optional
        ``"RxK"`` or ``"K"``: the scores come from R repeats of K folds, in this order if
        the table has neither repeat nor fold.  It gives the ratio of the sizes.  ``"forward"``:
        one score per period, in order of time; ``"forward:sliding"``: with a sliding window.
    n_train, n_test : float, optional
        Mean number of training and test rows; they override columns of these names.
    dataset : str, optional
        Data set to use; needed if the table has several.
    missing : {"refuse", "drop-split", "drop-data"}, default="refuse"
        If a score of a learner is missing: refuse the table, or leave out the split, or the whole
        data set, for all learners.  A caveat says what was left out.
    test, correction, alpha, rope, prefer, center
        As for `bestofk.compare`; `prefer` is "given", a list of learners or a mapping of
        learners to costs.

    Returns
    -------
    ScoreComparison
        ``best``, ``table``, ``pairs()``, ``plot()``, ``verdict``, ``to_html(path)`` ...

    Raises
    ------
    InvalidArgumentError
        If the table cannot be read, a value is missing or infinite, a score appears twice, or
        learners, direction or sizes are not known.
    DesignError
        If there is only one learner, or the scores do not pair or do not suit the test.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"tree": [0.21, 0.25, 0.19, 0.22], "lda": [0.11, 0.14, 0.12, 0.1]})
    >>> compare_scores(table, measure="error", cv="2x2").best
    'lda'
    """
    if is_over_time(cv) and test == VerdictOptions.test:
        test = OVER_TIME
    paired_test(test)  # of splits: a table has no rows of a test set
    settings = VerdictOptions(test, correction, alpha, prefer, rope, center=center)
    read = read_learners(table, measure, columns, learners)
    read = with_scores_of_all(read, measure=measure, dataset=dataset, missing=missing)
    several = read.measures(dataset) if measure is None else []
    scores = read_scores(read, measure=several[0] if several else measure, dataset=dataset, cv=cv)
    _check_learners(scores.names)
    sampling = given_sampling(scores, cv, (n_train, n_test), paired_test(test).name)
    has_direction = greater_is_better is not None or direction_of(scores) is not None
    _refuse_gaps(
        read.source,
        measures=several if len(several) > 1 else [],
        measure="" if has_direction else scores.measure,
        n_scores=sampling.n_scores if _lacks_sizes(sampling, test) else 0,
    )
    if sampling.n_scores > 1:
        check_test(test, sampling)
    judged, warnings = measure_of_scores(scores, greater_is_better)
    sampling = replace(sampling, row_step=_row_step(scores, n_test))
    losses = judged.loss(scores.values)
    n_learners = len(scores.names)
    repeats = np.zeros_like(scores.repeats) if is_over_time(cv) else scores.repeats
    evidence = Evidence(
        names=scores.names,
        losses=losses.T,
        sampling=sampling,
        is_baseline=[False] * n_learners,
        costs={},
        repeat_of_split=repeats,
    )
    verdict = decide(evidence, replace(settings, rope=settings.rope_of(judged, losses)))
    return ScoreComparison(
        title=scores.title,
        headline="",
        data_sentence=f"{scores.values.shape[1]} given scores of each of {n_learners} learners",
        plan_sentence=_plan_sentence(sampling),
        measure=judged,
        shown=[],
        learners=_learner_findings(scores),
        verdict=verdict,
        picks={judged.name: verdict.order[lowest_loss([verdict.means[n] for n in verdict.order])]},
        repeat_of_split=repeats,
        notes=(*scores.notes, *_guesses(scores, cv, n_train, greater_is_better)),
        warnings=(*warnings, *scores.cautions, *verdict.warnings, *_if_unstable(verdict)),
        evidence=evidence,
        settings=settings,
        periods=Periods("period", [str(k) for k in range(1, sampling.n_scores + 1)], 1)
        if is_over_time(cv)
        else None,
    )


def _check_learners(names: Sequence[str]) -> None:
    if len(names) < 2:
        raise DesignError(
            f"learners of compare_scores must be at least two; got one ({names[0]}). Add the "
            "scores of those it is to be compared with."
        )


def _if_unstable(verdict: Verdict) -> tuple[str, ...]:
    """Return the warning for unstable learners, which a table cannot show."""
    text = paired_test(verdict.test).if_unstable if verdict.test else ""
    return (text,) if text else ()


def _row_step(scores: PairedScores, n_test: float | None) -> float:
    """Return the change of a score by one test row; 0 if unknown."""
    n_rows, known = n_test or scores.sizes[1], known_measure(scores.measure)
    if known is None or not known.is_of_hits or n_rows is None or n_rows < 2:
        return 0.0
    is_percent = np.abs(scores.values).max() > 1
    return (100.0 if is_percent else 1.0) / math.ceil(n_rows)


def _guesses(
    scores: PairedScores, cv: str | None, n_train: float | None, given: bool | None
) -> list[str]:
    """Return notes on facts inferred only from names of measures and columns."""
    guesses = []
    if known_measure(scores.measure) is None and given is None and scores.direction is None:
        better = "higher" if direction_by_name(scores.measure) else "lower"
        guesses.append(f"Measure {scores.measure!r}: {better} is better, by its name.")
    n_repeats, n_folds = _shape(scores.repeats)
    if n_folds > 1 and cv is None and n_train is None and scores.sizes[0] is None:
        guesses.append(f"Plan: {n_repeats} x {n_folds} folds, by the columns of repeats and folds.")
    return guesses


def given_sampling(
    scores: PairedScores, cv: str | None, given: tuple[float | None, float | None], test: str
) -> Sampling:
    """Return how the scores were sampled, from the table and the arguments.

    Parameters
    ----------
    scores : PairedScores
        Of one data set.
    cv : str or None
        ``"RxK"`` or ``"K"``.
    given : tuple of (float or None, float or None)
        Mean rows trained on and tested on.
    test : str
        Name of the test that is to be made of them; a 5x2cv test says itself that halves were
        trained on and tested on.

    Returns
    -------
    Sampling
        Sizes None where they are unknown.

    Raises
    ------
    InvalidArgumentError
        If `cv` does not fit the scores, or one size alone is given.
    """
    if is_over_time(cv):
        is_sliding = str(cv).strip().lower() == SLIDING
        return Sampling(FORWARD, 1, scores.values.shape[1], is_sliding=is_sliding)
    n_repeats, n_folds = _shape(scores.repeats)
    if cv is not None and parse_cv(cv) != (n_repeats, n_folds):
        raise InvalidArgumentError(
            f"cv must fit the scores; got {cv}, and the table has {n_repeats} repeats of "
            f"{n_folds} folds ({scores.values.shape[1]} scores of each learner)."
        )
    n_train, n_test = (
        said if said is not None else size for said, size in zip(given, scores.sizes, strict=True)
    )
    if (n_train is None) != (n_test is None):
        raise InvalidArgumentError(
            "n_train and n_test must be given together; got one of them. Add the other."
        )
    is_halves = test.startswith("5x2cv") and (n_repeats, n_folds) == (5, 2)
    if n_train is None and (n_folds > 1 or cv is not None or is_halves):
        n_train, n_test = n_folds - 1.0, 1.0
    scheme = "k-fold" if n_folds > 1 else "hold-out"
    return Sampling(scheme, n_repeats, n_folds, n_train=n_train, n_test=n_test)


def _lacks_sizes(sampling: Sampling, test: str) -> bool:
    is_corrected = paired_test(test).name == "corrected-t"
    return is_corrected and sampling.n_scores > 1 and sampling.n_train is None


def _refuse_gaps(source: str, *, measures: Sequence[str], measure: str, n_scores: int) -> None:
    """Raise if a table leaves several facts open; list all of them with a line that works.

    `measures` to choose from, the `measure` without a direction, and how many scores there are
    of an unknown plan; empty or 0 where nothing is open.
    """
    gaps, options, arguments = [], [], []
    if measures:
        gaps.append(f"the measure that decides, one of {', '.join(measures)} (--measure)")
        options.append(f"--measure {shlex.quote(measures[0])}")
        arguments.append(f"measure={measures[0]!r}")
    if measure:
        gaps.append(f"the better direction of {measure!r} (--direction)")
        options.append("--direction higher")
        arguments.append("greater_is_better=True")
    if n_scores:
        gaps.append(
            "the sizes of training and test sets (--cv as repeats x folds, or --n-train and "
            "--n-test)"
        )
        is_one_run = n_scores <= _MOST_FOLDS
        options.append(f"--cv 1x{n_scores}" if is_one_run else "--n-train 900 --n-test 100")
        arguments.append(f"cv='1x{n_scores}'" if is_one_run else "n_train=900, n_test=100")
    if gaps:
        line = f"bestofk compare-scores {shlex.quote(source)} {' '.join(options)}"
        in_python = f"compare_scores(table, {', '.join(arguments)})"
        answer = ("none", "neither", "none of them")[len(gaps) - 1]
        raise InvalidArgumentError(
            f"scores must come with {', and '.join(gaps)}; got {answer}. Type what holds, such as: "
            f"{line if source else in_python}"
            f"{f' (in Python {in_python})' if source else ''}."
        )


def _shape(repeats: Ints) -> tuple[int, int]:
    """Return repeats and folds; uneven repeats count as so many single splits."""
    counts = np.bincount(repeats)
    if all(a == b for a, b in pairwise(counts)):
        return len(counts), int(counts[0])
    return len(repeats), 1


def _plan_sentence(sampling: Sampling) -> str:
    if sampling.scheme == FORWARD:
        return f"{sampling.n_scores} periods in order of time, as the table says"
    if sampling.n_folds > 1:
        how = f"{sampling.n_repeats} x {sampling.n_folds} folds"
    else:
        if sampling.n_repeats == 1:
            return "one score of each learner, as the table says"
        how = f"{sampling.n_repeats} splits"
    if sampling.n_train is None or sampling.n_test is None:
        return f"{how}, sizes unknown, as the table says"
    ratio = f"{sampling.n_train / sampling.n_test:.3g}"
    return f"{how}, {ratio} training row{'' if ratio == '1' else 's'} per test row"


def _learner_findings(scores: PairedScores) -> list[LearnerFindings]:
    return [
        LearnerFindings(
            name=name,
            mean=float(values.mean()),
            sd=standard_deviation(values),
            scores=values,
            n_runs=len(values),
        )
        for name, values in zip(scores.names, scores.values, strict=True)
    ]
