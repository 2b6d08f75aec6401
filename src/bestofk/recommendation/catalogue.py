"""Catalogue of recommenders; every one is registered here and nowhere else."""

from __future__ import annotations

from bestofk.errors import InvalidArgumentError, nearest_name
from bestofk.recommendation.a3r import POWERS
from bestofk.recommendation.active_testing import ActiveTesting
from bestofk.recommendation.average_ranking import AverageRanking, ChosenPowerRanking
from bestofk.recommendation.blended_gain import BlendedGain
from bestofk.recommendation.gain_per_log_delay import AdaptiveGainPerLogDelay, GainPerLogDelay
from bestofk.recommendation.greedy_portfolio import GreedyPortfolio
from bestofk.recommendation.low_rank import LowRankCompletion
from bestofk.recommendation.nearest_data_sets import NearestDataSets
from bestofk.recommendation.random_order import RandomOrder
from bestofk.recommendation.recommender import Recommender

# The default first; then what it is held against.
RECOMMENDERS: dict[str, Recommender] = {
    recommender.name: recommender
    for recommender in (
        BlendedGain(),
        AdaptiveGainPerLogDelay(),
        GainPerLogDelay(),
        ChosenPowerRanking(),
        *(AverageRanking(power) for power in POWERS),
        *(ActiveTesting(power) for power in (1 / 4, 1 / 16, 0.0)),
        ActiveTesting(1 / 4, weights="duels"),
        ActiveTesting(1 / 4, start_power=None),
        GreedyPortfolio(),
        NearestDataSets(),
        LowRankCompletion(),
        RandomOrder(),
    )
}
DEFAULT_RECOMMENDER = BlendedGain.name


def get_recommender(name: str) -> Recommender:
    """Return a recommender by its name.

    Raises
    ------
    InvalidArgumentError
        If there is none of this name.

    Examples
    --------
    >>> get_recommender("average-ranking-1/64").title
    'average ranking, P = 1/64'
    """
    if not isinstance(name, str) or name not in RECOMMENDERS:
        raise InvalidArgumentError(
            f"recommender must be a known one; got {name!r}. "
            + nearest_name(str(name), RECOMMENDERS)
        )
    return RECOMMENDERS[name]
