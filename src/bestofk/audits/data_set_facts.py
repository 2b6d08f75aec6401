"""Data sets that a claim depends on: ties, ceilings, near copies, and those that carry it."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from bestofk.array_types import Floats
from bestofk.audits.claim import Claim
from bestofk.inference.many_data_sets.ranks import mid_ranks
from bestofk.score_tables.score_column_names import plain_name

_CEILING: Final = 0.01  # an error below it
# Beginnings of names of data sets that are variants of one another.
_FAMILIES: Final = (
    "monks", "waveform", "ozone", "heart", "led", "vote", "credit", "wine_quality", "spect",
    "breast", "thyroid", "ann_thyroid", "vowel", "mfeat", "optdigits", "pendigits", "kr_vs",
    "chess", "abalone", "page", "musk", "hill_valley", "gas", "plant", "acute", "statlog_german",
    "mnist", "fashion", "cifar", "twonorm", "ringnorm", "satimage", "splice", "zebra", "yeast",
    "dna", "middle_phalanx", "distal_phalanx", "proximal_phalanx", "cricket", "gunpoint", "gesture",
    "pig", "freezer", "insect", "crop", "uwave", "refrigeration", "eog", "dodger", "house",
)  # fmt: skip


class DataSetFacts(NamedTuple):
    """Dependence of a claim on single data sets.

    Parameters
    ----------
    n_ties : int
        Data sets where the learner and its closest rival have the same value.
    n_ceiling : int
        Data sets where all learners have an error below 1 %.
    families : tuple of tuple of str
        Data sets that by their names are variants of one another.
    carriers : tuple of str
        The fewest data sets without which the closest rival draws level.
    """

    n_ties: int
    n_ceiling: int
    families: tuple[tuple[str, ...], ...]
    carriers: tuple[str, ...]


def data_set_facts(
    claim: Claim, losses: Floats, data_sets: tuple[str, ...], errors: Floats | None
) -> DataSetFacts:
    """Return the dependence of a claim on single data sets.

    Parameters
    ----------
    claim : Claim
        Holds for `losses`.
    losses : ndarray of shape (n_data_sets, n_learners), float
        Less is better.
    data_sets : tuple of str
        Their names.
    errors : ndarray of the same shape, float, or None
        The losses as shares of the worst possible, where the measure has such a scale.
    """
    closest = claim.rivals[int(np.argmin(claim.leads(losses)))]
    own = claim.learner
    values = mid_ranks(losses) if claim.by_rank else losses
    gains = values[:, closest] - values[:, own]
    order = np.argsort(-gains, kind="stable")
    left = gains.sum() - np.cumsum(gains[order])
    n_carriers = int(np.argmax(left <= 0)) + 1 if (left <= 0).any() else len(order)
    members: dict[str, list[str]] = {}
    for name in data_sets:
        if family := next((f for f in _FAMILIES if plain_name(name).startswith(f)), None):
            members.setdefault(family, []).append(name)
    return DataSetFacts(
        int((losses[:, closest] == losses[:, own]).sum()),
        0 if errors is None else int((errors < _CEILING).all(axis=1).sum()),
        tuple(tuple(names) for names in members.values() if len(names) > 1),
        tuple(data_sets[i] for i in order[:n_carriers]),
    )
