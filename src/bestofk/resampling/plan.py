"""Resampling plans: the splits of one data set, printable, with an identity."""

from __future__ import annotations

import hashlib
import itertools
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from bestofk.array_types import Bools, Folds, Ints
from bestofk.words import printable

K_FOLD = "k-fold"
HOLD_OUT = "hold-out"
BOOTSTRAP = "bootstrap"
BOOTSTRAP_FULL = "bootstrap-full"
LEAVE_ONE_OUT = "leave-one-out"
TEST_SET = "test-set"
FORWARD = "forward"
CUSTOM = "custom"


@dataclass(frozen=True, eq=False)
class Split:
    """Training and test rows of one fold of one repeat.

    Parameters
    ----------
    repeat, fold : int
        Position in the plan, counted from 0.
    train_rows, test_rows : ndarray of int64
        Row positions in ascending order; a row that a bootstrap drew twice occurs twice.
    id : str
        Identity of the two sets of rows, equal in all plans.
    """

    repeat: int
    fold: int
    train_rows: Ints
    test_rows: Ints
    id: str


@dataclass(frozen=True, eq=False)
class Plan(ABC):
    """The splits of one data set, made before anything is trained.

    Parameters
    ----------
    name : str
        Short name, for example ``"10x10"``.
    scheme : str
        ``"k-fold"``, ``"hold-out"``, ``"bootstrap"``, ``"bootstrap-full"``,
        ``"leave-one-out"``, ``"test-set"``, ``"forward"`` or ``"custom"``; tests correct for the
        overlap by it.
    n_samples : int
        Number of rows of the data set.
    n_repeats, n_folds : int
        Number of repeats, and of folds in each repeat.
    is_stratified, is_grouped : bool
        Whether classes are spread evenly, and whether groups are kept together.
    random_state : int
        Seed of all draws.
    notes : tuple of str
        Decisions made and cautions, one sentence each.
    """

    name: str
    scheme: str
    n_samples: int
    n_repeats: int
    n_folds: int
    is_stratified: bool
    is_grouped: bool
    random_state: int
    notes: tuple[str, ...]
    _kind: ClassVar = "splits"  # part of the identity

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for other processes, without cached values."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @abstractmethod
    def split(self, repeat: int, fold: int) -> Split:
        """Return one split."""

    @cached_property
    def id(self) -> str:
        """Identity of the rows of all splits, in order."""
        digest = hashlib.sha256(f"{self._kind} {self.n_repeats} {self.n_folds}".encode())
        for split_id in self.split_ids:
            digest.update(split_id.encode())
        return digest.hexdigest()[:32]

    @cached_property
    def sizes(self) -> tuple[Ints, Ints]:
        """Number of training and of test rows, one entry per split in repeat-major order."""
        train = np.array([len(rows) for rows in self.train_rows], dtype=np.int64)
        return train, np.array([len(rows) for rows in self.test_rows], dtype=np.int64)

    @cached_property
    def test_rows(self) -> list[Ints]:
        """Test rows of each split, in repeat-major order."""
        return [split.test_rows for split in self]

    @cached_property
    def train_rows(self) -> list[Ints]:
        """Training rows of each split, in repeat-major order."""
        return [split.train_rows for split in self]

    @cached_property
    def split_ids(self) -> list[str]:
        """Identity of each split, in repeat-major order."""
        return [split.id for split in self]

    def facts(self, name: str) -> dict[str, Any]:
        """Return the fields for a plan of another kind based on this one."""
        own = {item.name: getattr(self, item.name) for item in fields(Plan)}
        return own | {"name": name, "scheme": CUSTOM}

    def __len__(self) -> int:
        return self.n_repeats * self.n_folds

    def __iter__(self) -> Iterator[Split]:
        for repeat in range(self.n_repeats):
            for fold in range(self.n_folds):
                yield self.split(repeat, fold)

    @property
    def n_train(self) -> float:
        """Mean number of training rows of a split."""
        return float(self.sizes[0].mean())

    @property
    def n_test(self) -> float:
        """Mean number of test rows of a split."""
        return float(self.sizes[1].mean())

    @property
    def title(self) -> str:
        """The kind of plan in words."""
        repeats = f"{self.n_repeats} repeats of " if self.n_repeats > 1 else ""
        if self.scheme == K_FOLD:
            kind = f"{repeats}{self.n_folds}-fold cross-validation"
        elif self.scheme == HOLD_OUT:
            kind = f"{self.n_repeats} random hold-outs" if self.n_repeats > 1 else "one hold-out"
        elif self.scheme == BOOTSTRAP:
            kind = f"{self.n_repeats} bootstrap samples tested out of bag"
        elif self.scheme == BOOTSTRAP_FULL:
            kind = f"{self.n_repeats} bootstrap samples tested on all rows"
        elif self.scheme == LEAVE_ONE_OUT:
            kind = "leave-one-group-out" if self.is_grouped else "leave-one-out"
        elif self.scheme == TEST_SET:
            kind = "one fixed test set"
        else:
            kind = f"{len(self)} splits of a splitter"
        if self.is_stratified:
            kind += ", stratified"
        return kind + (", groups kept together" if self.is_grouped else "")

    def __str__(self) -> str:
        return (
            f"{self.title}: {len(self)} split{'s' if len(self) != 1 else ''} of about "
            f"{self.n_train:.0f} training and {self.n_test:.0f} test rows, "
            f"drawn with random_state={self.random_state} (identifier {self.id[:8]})"
        )

    def __repr__(self) -> str:
        return printable(f"<Plan {self.name}: {self}>")

    def to_frame(self) -> Any:
        """Return a DataFrame with one row per split: repeat, fold, n_train, n_test, split id."""
        train, test = self.sizes
        indices = [(s.repeat, s.fold, s.id) for s in self]
        frame = pd.DataFrame(indices, columns=["repeat", "fold", "split"])
        return frame.assign(n_train=train, n_test=test)


@dataclass(frozen=True, eq=False, repr=False)
class FoldPlan(Plan):
    """A plan in which every repeat tests each row once.

    Parameters
    ----------
    folds : ndarray of shape (n_repeats, n_samples), int32
        The fold that tests each row.
    """

    folds: Folds

    @cached_property
    def id(self) -> str:
        """Identity of the rows of all splits, in order."""
        digest = hashlib.sha256(f"folds {self.folds.shape} {self.n_folds}".encode())
        digest.update(np.ascontiguousarray(self.folds, dtype=np.int32).tobytes())
        return digest.hexdigest()[:32]

    @cached_property
    def sizes(self) -> tuple[Ints, Ints]:
        """Number of training and of test rows of each split."""
        indices = self.folds + self.n_folds * np.arange(self.n_repeats)[:, None]
        test = np.bincount(indices.ravel(), minlength=len(self)).astype(np.int64)
        return self.n_samples - test, test

    @cached_property
    def test_rows(self) -> list[Ints]:
        """Test rows of each split, in repeat-major order."""
        rows, starts = self.rows_by_fold
        return [
            of_repeat[a:b]
            for of_repeat, ends in zip(rows, starts.tolist(), strict=True)
            for a, b in itertools.pairwise(ends)
        ]

    @cached_property
    def split_ids(self) -> list[str]:
        """Identity of each split, in repeat-major order."""
        numbers = np.arange(self.n_folds)[:, None]
        start = _complement_digest(self.n_samples)
        ids = []
        for folds in self.folds:
            for bits in np.packbits(folds == numbers, axis=1):
                digest = start.copy()
                digest.update(bits.tobytes())
                ids.append(digest.hexdigest()[:32])
        return ids

    @cached_property
    def rows_by_fold(self) -> tuple[Ints, Ints]:
        """All rows of each repeat, fold by fold, ascending within folds; and the fold starts.

        Of shapes (n_repeats, n_samples) and (n_repeats, n_folds + 1): the test rows of a fold are
        ``rows[repeat, starts[repeat, fold]:starts[repeat, fold + 1]]``.
        """
        # numbers of one byte are sorted by radix
        small = self.folds.astype(np.uint8) if self.n_folds <= 256 else self.folds
        starts = np.zeros((self.n_repeats, self.n_folds + 1), dtype=np.int64)
        np.cumsum(self.sizes[1].reshape(self.n_repeats, -1), axis=1, out=starts[:, 1:])
        return np.argsort(small, axis=1, kind="stable"), starts

    def repeats(self, start: int, stop: int) -> FoldPlan:
        """Return the plan of some consecutive repeats, with the same splits.

        Parameters
        ----------
        start, stop : int
            The first repeat, and the one after the last.

        Returns
        -------
        FoldPlan
        """
        folds = self.folds[start:stop]
        name = f"{len(folds)}x{self.n_folds}"
        return replace(self, name=name, n_repeats=len(folds), folds=folds)

    def split(self, repeat: int, fold: int) -> Split:
        """Return one split."""
        is_test = self.folds[repeat] == fold
        return Split(
            repeat, fold, np.flatnonzero(~is_test), np.flatnonzero(is_test), _complement_id(is_test)
        )


@dataclass(frozen=True, eq=False, repr=False)
class SplitPlan(Plan):
    """A plan that lists the rows of every split.

    Parameters
    ----------
    rows : tuple of (ndarray, ndarray)
        Training and test rows of each split, in repeat-major order.
    """

    rows: tuple[tuple[Ints, Ints], ...]

    @cached_property
    def test_rows(self) -> list[Ints]:
        """Test rows of each split, in repeat-major order."""
        return [test for _, test in self.rows]

    @cached_property
    def train_rows(self) -> list[Ints]:
        """Training rows of each split, in repeat-major order."""
        return [train for train, _ in self.rows]

    def split(self, repeat: int, fold: int) -> Split:
        """Return one split."""
        train, test = self.rows[repeat * self.n_folds + fold]
        return Split(repeat, fold, train, test, rows_id(self.n_samples, train, test))


def _complement_digest(n_samples: int) -> Any:
    return hashlib.sha256(f"complement {n_samples}".encode())


def _complement_id(is_test: Bools) -> str:
    digest = _complement_digest(len(is_test))
    digest.update(np.packbits(is_test).tobytes())
    return str(digest.hexdigest()[:32])


def rows_id(n_samples: int, train: Ints, test: Ints) -> str:
    """Return the identity of a split by its rows; for folds, that of their test rows."""
    is_test = np.zeros(n_samples, dtype=bool)
    is_test[test] = True
    if is_test.sum() == len(test) and np.array_equal(train, np.flatnonzero(~is_test)):
        return _complement_id(is_test)
    digest = hashlib.sha256(f"rows {n_samples} {len(train)}".encode())
    digest.update(np.ascontiguousarray(train, dtype=np.int64).tobytes())
    digest.update(np.ascontiguousarray(test, dtype=np.int64).tobytes())
    return digest.hexdigest()[:32]
