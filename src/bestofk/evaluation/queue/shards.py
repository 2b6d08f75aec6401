"""Shards: parts of the work of a call that machines do apart from one another."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

import numpy as np

from bestofk.array_types import Bools
from bestofk.errors import InvalidArgumentError


@dataclass(frozen=True)
class Shard:
    """One of several parts that together are all runs of a call, each run in one of them.

    Which runs are in it is decided by names alone: not by the other learners and data sets of
    the call, nor by what a store has.

    Parameters
    ----------
    number : int
        Which of the parts, from 1.
    n_shards : int
        How many parts there are.

    Examples
    --------
    >>> shard = Shard.parse("3/10")
    >>> shard.number, shard.n_shards, str(shard)
    (3, 10, '3/10')
    """

    number: int
    n_shards: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Return the shard that a text such as ``"3/10"`` names.

        Raises
        ------
        InvalidArgumentError
            If it is not a number, a slash and a number that is not below the first.
        """
        match = re.fullmatch(r"\s*([0-9]{1,9})\s*/\s*([0-9]{1,9})\s*", str(text))
        number, n_shards = map(int, match.groups()) if match else (0, 0)
        if not 1 <= number <= n_shards:
            raise InvalidArgumentError(
                f"shard must be I/N with I from 1 to N; got {text!r}. "
                "Write 1/10 to 10/10 for the ten parts."
            )
        return cls(number, n_shards)

    def __str__(self) -> str:
        return f"{self.number}/{self.n_shards}"

    def runs(self, data_id: str, learner_id: str, n_repeats: int) -> Bools:
        """Return which repeats of a learner on a data set are in this shard.

        Parameters
        ----------
        data_id, learner_id : str
            What identifies them. A hash of both says which shard has the first repeat; the
            following shards have the next ones, so that every shard has about as many.
        n_repeats : int
            Repeats of the plan; folds of one repeat stay together.

        Returns
        -------
        ndarray of shape (n_repeats,), bool

        Examples
        --------
        >>> parts = [Shard(i, 3).runs("iris", "cart", 5).astype(int) for i in (1, 2, 3)]
        >>> sum(parts).tolist()
        [1, 1, 1, 1, 1]
        """
        first = _hash_of(data_id, learner_id) % self.n_shards
        return np.asarray((first + np.arange(n_repeats)) % self.n_shards == self.number - 1)

    def has_data(self, data_id: str) -> bool:
        """Return whether a data set that cannot be divided is in this shard.

        An adaptive comparison decides after each repeat by the results of all learners.
        """
        return _hash_of(data_id) % self.n_shards == self.number - 1


# A part without any runs: what a store has is read, nothing is done.
NO_SHARD = Shard(0, 1)


def _hash_of(*names: str) -> int:
    """Return an integer of 64 bits that is the same in every process and version."""
    text = "\x1f".join(names).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big")
