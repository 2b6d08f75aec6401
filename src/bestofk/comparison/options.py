"""Options of a comparison: how data are read, what is run, and how the runs are judged.

`OPTIONS` has all of `compare`. Functions that take some of them name these in a `TypedDict`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import InitVar, dataclass, fields
from typing import TYPE_CHECKING, Any, Final, TypedDict

from bestofk.checks import check_flag, check_known, check_number, is_whole
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation.guarded.limits import Limits
from bestofk.evaluation.options import bytes_of
from bestofk.options import declared_options, option
from bestofk.verdict.verdict_options import VerdictOptions

if TYPE_CHECKING:
    from bestofk.evaluation import Observer, Store
    from bestofk.evaluation.queue.shards import Shard
    from bestofk.resampling import ForwardOptions


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """Options for reading data.

    Parameters
    ----------
    target : str, optional
        Column of the file or frame X to predict; in place of y. Left out, the column that
        `load_data` takes: called class, target, y, label or outcome, else the last.
    task : {"auto", "classification", "regression"}, default="auto"
        What is predicted; auto decides by the target and says so.
    groups : array-like of shape (n_samples,) or str, optional
        Rows of one group are never split between training and test; a string names a column of X.
    sample_weight : array-like of shape (n_samples,) or str, optional
        Weights used in fitting; scores are not weighted. A string names a column of X.
    time : array-like of shape (n_samples,) or str, optional
        Time of each row, as dates or as numbers that grow with time: training rows then precede
        test rows. A string names a column of X, which stays an input if it holds dates.
    new_groups : bool, default=False
        With a time and groups: whether later rows belong to new groups. The groups of test rows
        are then kept out of training; otherwise a column of groups is an input.
    drop_missing_target : bool, default=False
        Whether rows without a target are left out and counted; otherwise they are an error.
    """

    target: str | None = option(None, "Column to predict.")
    task: str = option("auto", "auto, classification or regression.")
    groups: Any = option(None, "Column of groups; rows of one group are never split.")
    sample_weight: Any = option(None)
    time: Any = option(None, "Column of times: train on earlier rows, test on later ones.")
    new_groups: bool = option(False, "With --time: later rows belong to new groups.")
    drop_missing_target: bool = option(False, "Leave out rows without a target.")


@dataclass(frozen=True, kw_only=True, eq=False)
class RunOptions:
    """Options of runs: which are done, how and where; checked on construction.

    Parameters
    ----------
    cv : str, int, splitter or iterable, default="adaptive"
        "adaptive" repeats 5-fold cross-validation until the pick is settled, and drops learners
        that can no longer be picked. Above 20,000 rows it uses one hold-out instead, trains
        on growing numbers of rows, and drops learners that can no longer win, unless
        `groups`, `max_repeats`, `stopping`, `prefer`, a test of splits or ``keep="scores"`` is
        given. With a time, "adaptive" means "forward"; with several data sets it means "auto",
        because their verdict needs every learner on every data set. For other plans see
        `bestofk.resampling.make_plan`.
    max_repeats : int, optional
        With ``cv="adaptive"``: the maximum number of repeats; 20 if not given.
    stopping : str, StoppingRule, VerdictRule or list of these, optional
        With ``cv="adaptive"``: rules that must all hold, of
        `bestofk.stopping.STOPPING_RULES`. None: "settled-pick", and with a preference
        "same-verdict", which keeps all learners.
    budget : float, optional
        Time limit in seconds from the call. No run starts after it, and runs in progress are
        abandoned; the verdict is based on completed runs.
    window : str or int, optional
        With ``cv="forward"``: train only on the last rows, given as a number or as a length of
        time such as ``"2Y"``; None for all earlier rows.
    gap : str or int, optional
        With ``cv="forward"``: number of rows, or length of time such as ``"7d"``, between training
        and test.
    stratify : bool, default=True
        Spread classes evenly over folds.
    tune : bool, default=False
        Whether learners with a tuning space in the catalogue choose their settings by
        cross-validation inside every training set; see `bestofk.tuning.Tuned`. Learners whose
        tests are not known to hold after tuning stay untuned, unless they are named as
        ``"tuned(NAME)"``; the result names them.
    calibrate : bool, default=False
        Whether probabilities are calibrated inside every training set, by scikit-learn's
        `CalibratedClassifierCV` with its defaults. Learners are then called ``calibrated(NAME)``;
        baselines stay as they are.
    average : bool, default=False
        Whether the average of the plausible learners competes as another learner. It is computed
        from stored predictions, without fitting.
    scoring : str, Measure, callable or list of these, optional
        The first decides.  None: error, or AUROC if the largest class has more than 75% of the
        rows; root mean squared error for regression.
    pos_label : label, optional
        The positive class; by default the rarer one.
    cost_matrix : array-like of shape (n_classes, n_classes), optional
        Cost of each predicted class (column) for each true class (row), used by
        ``scoring="cost"``, which decides if `scoring` is None.
    target_transform : {"log"}, optional
        Train every learner except baselines on the logarithm of the target, which must be
        positive. Predictions are transformed back before they are measured, so scores stay in
        the unit of the target.
    keep : {"probabilities", "labels", "scores"}, default="probabilities"
        How much of the predictions is stored for later measures.
    timeout : float, optional
        Time limit of a run in seconds. It does not apply to runs done in a batch, which take a
        fraction of the time.
    memory : int or str, optional
        Memory limit of a run, on top of what its process held before, as ``"4GB"`` or in bytes. It
        does not apply to runs done in a batch.
    engine : str, concurrent.futures.Executor or distributed.Client, default="serial"
        Where runs are done: in this process, in ``"processes"`` of this machine, by the workers
        of a Dask scheduler, ``"dask://HOST:PORT"``, or by an executor or a Dask client.  Scores
        depend neither on it nor on `n_jobs`.
    n_jobs : int, optional
        Processes of this machine: None is 1, or all cores for ``engine="processes"``; -1 is all
        cores.  More than one turns ``"serial"`` into ``"processes"``.
    shard : str, optional
        ``"3/10"`` does the third of ten parts of all runs; `bestofk.merge_stores` merges the
        stores of the parts.
    retry_failed : bool, default=False
        Whether failed runs are repeated. Runs that hit a smaller limit are always repeated.
    batched : {"auto", "always", "never"}, default="auto"
        Whether learners with a batched form are trained on all training sets at once, with the
        same predictions: if that is not slower (auto), whenever there is a form, or never.
    random_state : int, default=0
        Seed of the plan and of all random numbers.
    """

    cv: Any = option(
        "adaptive", "adaptive, auto, 10x10, 5x2, 30xholdout, 100xbootstrap:full, loo ...",
        rule="a text or a whole number", example="5x2",
    )  # fmt: skip
    max_repeats: int | None = option(
        None, "Adaptive: maximum number of repeats; default: 20.", rule="a whole number", example=10
    )
    stopping: Any = option(
        None, "Adaptive: stopping rules that must all hold, such as no-crossing.",
        rule="a stopping rule or a list of them", example="settled-pick",
    )  # fmt: skip
    budget: float | None = option(
        None, "Time limit; no run starts after it: 90s, 10m, 2h.",
        rule="a length of time", example="2h",
    )  # fmt: skip
    window: Any = option(
        None, "Forward: train only on the last 5000 (rows), or 2Y, 6M, 30d.",
        rule="a text or a whole number", example="2Y",
    )  # fmt: skip
    gap: Any = option(
        None, "Forward: gap between training and test: 50 (rows), or 7d.",
        rule="a text or a whole number", example="7d",
    )  # fmt: skip
    stratify: bool = option(True, "Spread classes evenly over folds.")
    tune: bool = option(
        False, "Tune learners inside their training sets.", rule="true or false", example=True
    )
    calibrate: bool = option(False, "Calibrate probabilities inside training sets.")
    average: bool = option(False, "Add the average of the plausible learners.")
    scoring: Any = option(
        None, "Measures of 'bestofk measures', such as auroc,f1; the first decides.",
        rule="a measure or a list of measures", example=["error", "auroc"],
    )  # fmt: skip
    pos_label: Any = option(None, "The positive class.")
    cost_matrix: Any = option(None, 'Costs, one row per true class: "0,1;5,0".')
    target_transform: str | None = option(
        None, "Train on the logarithm of the target.", word="log_target",
        rule="a text", example="log",
    )  # fmt: skip
    keep: str = option(
        "probabilities",
        "Predictions to keep: probabilities, labels, or only scores.",
        rule="a text",
    )
    timeout: float | None = option(
        None, "Time limit of a run in seconds.", rule="a number of seconds", example=300
    )
    memory: int | str | None = option(
        None, "Memory limit of a run, on top of what it starts with: 500MB, 4GB.",
        rule="an amount of memory", example="2GB",
    )  # fmt: skip
    engine: Any = option(
        "serial", "Where to run: serial, processes or dask://HOST:PORT.",
        rule="a text", example="processes",
    )  # fmt: skip
    n_jobs: int | None = option(
        None, "Number of processes; default: all cores, or one if serial.",
        rule="a whole number", example=-1,
    )  # fmt: skip
    shard: str | None = option(None, "Do only this part of all runs, such as 3/10.")
    retry_failed: bool = option(False, "Repeat runs that failed before.")
    batched: str = option("auto", "Train a learner on all folds at once: auto, always or never.")
    random_state: int = option(
        0, "Seed of the plan and of all random numbers.", word="seed", rule="a whole number"
    )

    def __post_init__(self) -> None:
        _check_seed(self.random_state)
        if not isinstance(self.tune, bool):
            raise InvalidArgumentError(
                f"tune must be True or False; got {self.tune!r}. Write tuned(NAME) for single "
                "learners."
            )
        check_flag(self.calibrate, "calibrate")
        if self.max_repeats is not None:
            _check_most_repeats(self.max_repeats)
        _ = self.limits, self.part  # raise where there is none
        for name in ("max_repeats", "stopping"):
            if getattr(self, name) is not None and not self.is_adaptive:
                raise InvalidArgumentError(
                    f"cv must be 'adaptive' where {name} is given; got {self.cv!r}. Other "
                    "plans fix the number of repeats."
                )

    @property
    def limits(self) -> Limits:
        """The limits of a single run."""
        n_bytes = None if self.memory is None else bytes_of(self.memory, "memory")
        return Limits(self.timeout, n_bytes)

    @property
    def part(self) -> Shard | None:
        """The part of all runs that is done here; None for all of them."""
        from bestofk.evaluation.queue.shards import Shard

        return None if self.shard is None else Shard.parse(self.shard)

    @property
    def forward(self) -> ForwardOptions:
        """Window and gap of a plan in order of time."""
        from bestofk.resampling import ForwardOptions

        return ForwardOptions(self.window, self.gap)

    @property
    def is_adaptive(self) -> bool:
        """Whether repeats end when the pick is settled."""
        return isinstance(self.cv, str) and self.cv.strip().lower() == "adaptive"


@dataclass(frozen=True, kw_only=True)
class CallOptions:
    """Options of a call, in addition to those of data, runs and verdict.

    Parameters
    ----------
    control : str, optional
        With many data sets: the learner that all others are compared with; None for all pairs.
    protocol : {"multitest-2006"}, optional
        Unstratified 5x2 cross-validation, 5x2cv t test, Bonferroni, preference as given, and error
        rate (for regression the usual measure). Other arguments that are given replace these.
    store : str, Path or Store, optional
        File that keeps every finished run; None keeps them in memory.
    progress : {"auto", True, False} or Observer, default="auto"
        Whether assumptions, the plan and a table of standings are shown during the runs: on
        standard error, or as a live table in a notebook.  If standard error is no terminal,
        True writes a line every ten seconds, and auto shows nothing.  An Observer receives the
        events instead.
    """

    control: str | None = option(
        None, "Several data sets: the learner to compare all others with.",
        rule="a text", example="logistic",
    )  # fmt: skip
    protocol: str | None = option(None, "Published protocol to follow: multitest-2006.")
    store: str | os.PathLike[str] | Store | None = option(
        None, "File that keeps every run.", rule="a file", example="study.db"
    )
    progress: bool | str | Observer = option("auto")


OPTIONS: Final = declared_options(ReadOptions, RunOptions, VerdictOptions, CallOptions)


class ScoringOfTask(dict[str, str]):
    """Deciding measure by task; other tasks have their usual one."""


# Each protocol is a set of arguments of `compare`; values that differ from the default win.
PROTOCOLS: dict[str, dict[str, Any]] = {
    "multitest-2006": {
        "cv": "5x2",
        "stratify": False,
        "scoring": ScoringOfTask(classification="error"),
        "test": "5x2cv-t",
        "correction": "bonferroni",
        "prefer": "given",
    }
}


@dataclass(frozen=True, kw_only=True, eq=False)
class ComparisonSettings(RunOptions, VerdictOptions):
    """Settings of a comparison; checked on construction, as far as that needs no data.

    Parameters are those of `RunOptions` and `VerdictOptions`, and a protocol, which replaces
    defaults and is not kept.

    Raises
    ------
    InvalidArgumentError
        If a setting breaks its rule.
    """

    protocol: InitVar[str | None] = None

    def __post_init__(self, protocol: str | None) -> None:
        if protocol is not None:
            self._follow(protocol)
        VerdictOptions.__post_init__(self)
        RunOptions.__post_init__(self)
        if self.center == "median" and self.is_adaptive:
            raise InvalidArgumentError(
                "cv must be a plan of repeats where center is 'median'; got 'adaptive'. Name one, "
                "such as 10x10: adaptive repeats stop by means."
            )

    def scoring_of(self, task: str) -> Any:
        """Return the chosen measures for data of a task; None for the usual one."""
        scoring = self.scoring
        return scoring.get(task) if isinstance(scoring, ScoringOfTask) else scoring

    def _follow(self, protocol: str) -> None:
        check_known(protocol, "protocol", PROTOCOLS)
        usual = {field.name: field.default for field in fields(self)}
        for name, value in PROTOCOLS[protocol].items():
            if is_default(getattr(self, name), usual[name]):
                object.__setattr__(self, name, value)


def is_default(value: Any, *defaults: Any) -> bool:
    """Return whether an argument is one of its default values; arrays never are."""
    return isinstance(value, str | bool | None) and value in defaults


def _check_seed(random_state: Any) -> None:
    if not is_whole(random_state) or not -(2**63) <= random_state < 2**63:  # what a store can hold
        raise InvalidArgumentError(
            f"random_state must be a whole number from -2**63 to 2**63 - 1; got {random_state!r}. "
            "Any will do; 0 is usual."
        )


def _check_most_repeats(max_repeats: Any) -> None:
    from bestofk.resampling import check_repeats

    check_number(max_repeats, "max_repeats", low=1, whole=True, way_out="The usual is 20.")
    check_repeats(int(max_repeats))


class EngineArguments(TypedDict, total=False):
    """Options of all functions that do runs."""

    store: str | os.PathLike[str] | Store | None
    engine: Any
    n_jobs: int | None
    random_state: int


class RunArguments(EngineArguments, total=False):
    """Options of all functions that do runs and judge them."""

    task: str
    scoring: Any
    pos_label: Any
    memory: int | str | None


class CurveArguments(RunArguments, total=False):
    """Options of every curve for which learners are trained."""

    groups: Any
    sample_weight: Any
    time: Any
    cv: Any
    window: Any
    gap: Any
    new_groups: bool
    stratify: bool
    cost_matrix: Any
    timeout: float | None
    alpha: float
    progress: bool | str | Observer


class CompareArguments(CurveArguments, total=False):
    """Options of `compare`."""

    target: str | None
    drop_missing_target: bool
    max_repeats: int | None
    stopping: Any
    budget: float | None
    tune: bool
    calibrate: bool
    average: bool
    target_transform: str | None
    prefer: Any
    feature_costs: Mapping[str, float] | None
    control: str | None
    test: str
    correction: str
    rope: float | None
    center: str
    protocol: str | None
    keep: str
    shard: str | None
    retry_failed: bool
    batched: str
