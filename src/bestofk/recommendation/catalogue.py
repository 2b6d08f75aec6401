"""Catalogue of recommenders; every one is registered here and nowhere else."""

from bestofk.checks import check_known
from bestofk.errors import InvalidArgumentError
from bestofk.recommendation.adaptive_orders import ActiveTesting, LowRankCompletion
from bestofk.recommendation.fixed_orders import (
    AverageRanking,
    ChosenPowerRanking,
    GreedyPortfolio,
    RandomOrder,
    Recommender,
    SignificantWins,
)
from bestofk.recommendation.gain_per_log_delay import (
    AdaptiveGainPerLogDelay,
    BlendedGain,
    GainPerLogDelay,
)
from bestofk.recommendation.loss_time import POWERS, check_power
from bestofk.registry import Registry

# The default first; then what it is held against.
_METHODS = (
    BlendedGain(),
    AdaptiveGainPerLogDelay(),
    GainPerLogDelay(),
    ChosenPowerRanking(),
    *(AverageRanking(power) for power in POWERS),
    *(ActiveTesting(power) for power in (1 / 4, 1 / 16, 0.0)),
    ActiveTesting(1 / 4, weights="duels"),
    GreedyPortfolio(),
    LowRankCompletion(),
    RandomOrder(),
)
RECOMMENDERS: Registry[Recommender] = Registry("recommender", {m.name: m for m in _METHODS})
DEFAULT_RECOMMENDER = BlendedGain.name

# Short names of published methods; the first two take P, the weight of time.
A3R, ACTIVE_TESTING = "a3r", "active-testing"
PUBLISHED: dict[str, Recommender] = {
    A3R: ChosenPowerRanking(),
    ACTIVE_TESTING: ActiveTesting(1 / 4),
    "average-ranking": AverageRanking(0.0),
    "ar-star": AverageRanking(1 / 64),
    "significant-wins": SignificantWins(),
}


def get_recommender(name: str, *, p: float | None = None) -> Recommender:
    """Return a recommender by its name.

    Parameters
    ----------
    name : str
        One of `RECOMMENDERS`, or of the published methods: "average-ranking" (by score alone),
        "a3r" (scores weighed against time), "ar-star" (the same with P = 1/64),
        "active-testing" and "significant-wins" (of scores of folds).
    p : float, optional
        Weight of time of "a3r", which is chosen on the history where it is not given, or of
        "active-testing", where it is 1/4.

    Raises
    ------
    InvalidArgumentError
        If there is none of this name, it has no `p`, or `p` is negative or infinite.

    Examples
    --------
    >>> get_recommender("average-ranking-1/64").title
    'average ranking, P = 1/64'
    >>> get_recommender("a3r", p=1 / 16).title
    'average ranking, P = 1/16'
    """
    if p is not None and name in (A3R, ACTIVE_TESTING):
        check_power(p)
        return AverageRanking(p) if name == A3R else ActiveTesting(p)
    if p is not None:
        raise InvalidArgumentError(
            f"p must be left out for {name}, which has no weight of time to set; got {p:g}. Choose "
            "the method a3r or active-testing."
        )
    known = {**PUBLISHED, **RECOMMENDERS}
    check_known(str(name), "recommender", known, got=name)
    return known[str(name)]
