"""Settings of a comparison: everything of the public call but learners, data, store and display."""

from __future__ import annotations

from dataclasses import InitVar, dataclass, fields
from typing import Any

from bestofk.checks import check_known, is_whole
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation.guarded.limits import Limits
from bestofk.evaluation.options import bytes_of
from bestofk.evaluation.queue.shards import Shard
from bestofk.resampling import check_repeats
from bestofk.verdict.verdict_settings import VerdictSettings


class ScoringOfTask(dict[str, str]):
    """Measure that decides, by the task; a task that is not in it has its usual one."""


# Each protocol is a set of arguments of `compare`; a given value other than the default wins.
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
class ComparisonSettings(VerdictSettings):
    """Settings of a comparison; checked when they are made, as far as that needs no data.

    Parameters
    ----------
    test, correction, alpha, prefer, rope, feature_costs, center
        As for `VerdictSettings`.
    cv, max_repeats, stopping, budget, stratify, tune, scoring, pos_label, cost_matrix, keep, \
            timeout, memory, engine, n_jobs, shard, retry_failed, batched, random_state, protocol
        As for `bestofk.compare`. The protocol replaces arguments that have their default, and is
        not kept.

    Raises
    ------
    InvalidArgumentError
        If a setting breaks its rule.
    """

    cv: Any = "adaptive"
    max_repeats: int | None = None
    stopping: Any = None
    budget: float | None = None
    stratify: bool = True
    tune: bool = False
    scoring: Any = None
    pos_label: Any = None
    cost_matrix: Any = None
    keep: str = "probabilities"
    timeout: float | None = None
    memory: int | str | None = None
    engine: Any = "serial"
    n_jobs: int | None = None
    shard: str | None = None
    retry_failed: bool = False
    batched: str = "auto"
    random_state: int = 0
    protocol: InitVar[str | None] = None

    def __post_init__(self, protocol: str | None) -> None:
        if protocol is not None:
            self._follow(protocol)
        super().__post_init__()
        _check_seed(self.random_state)
        if not isinstance(self.tune, bool):
            raise InvalidArgumentError(
                f"tune must be True or False; got {self.tune!r}. Write tuned(NAME) for single "
                "learners."
            )
        if self.max_repeats is not None:
            _check_most_repeats(self.max_repeats)
        _ = self.limits, self.part  # raise where there is none
        if self.center == "median" and self.is_adaptive:
            raise InvalidArgumentError(
                "cv must be a plan of repeats where center is 'median'; got 'adaptive'. Name one, "
                "such as 10x10: adaptive repeats end by means."
            )
        for name in ("max_repeats", "stopping"):
            if getattr(self, name) is not None and not self.is_adaptive:
                raise InvalidArgumentError(
                    f"cv must be 'adaptive' where {name} is given; got {self.cv!r}. A plan says "
                    "itself how many repeats there are."
                )

    @property
    def limits(self) -> Limits:
        """The limits of a single run."""
        n_bytes = None if self.memory is None else bytes_of(self.memory, "memory")
        return Limits(self.timeout, n_bytes)

    @property
    def part(self) -> Shard | None:
        """The part of all runs that is done here; None for all of them."""
        return None if self.shard is None else Shard.parse(self.shard)

    @property
    def is_adaptive(self) -> bool:
        """Whether repeats end when the pick is settled."""
        return isinstance(self.cv, str) and self.cv.strip().lower() == "adaptive"

    def scoring_of(self, task: str) -> Any:
        """Return the measures asked for on data of a task; None for the usual one."""
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
    if not is_whole(max_repeats) or max_repeats < 1:
        raise InvalidArgumentError(
            f"max_repeats must be a whole number of at least 1; got {max_repeats!r}. "
            "The usual is 20."
        )
    check_repeats(int(max_repeats))
