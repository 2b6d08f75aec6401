"""Everything that a page shows beyond the findings: other choices, predictions, commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bestofk.report.findings import Findings

# What can be switched, in the order in which keys of `Switches` name it.
CHOICES = ("measure", "test", "correction", "alpha", "preference")

Curve = NDArray[np.float64]


@dataclass(frozen=True)
class Switches:
    """Findings of the same runs by other choices, computed beforehand.

    Parameters
    ----------
    options : mapping of str to mapping of str to str
        For each of `CHOICES` the values and what they are called.
    start : tuple of str
        The choices of the report itself, in the order of `CHOICES`.
    findings : mapping of tuple of str to Findings
        By choices; those that do not go together are left out.
    """

    options: Mapping[str, Mapping[str, str]]
    start: tuple[str, ...]
    findings: Mapping[tuple[str, ...], Findings]


@dataclass(frozen=True, eq=False)
class ClassCurves:
    """Curves of several learners for one class against the rest.

    Parameters
    ----------
    label : str
        The class.
    roc, precision : mapping of str to ndarray of shape (n_points, 2)
        Of each learner: false- and true-positive rates; recall and precision.
    calibration : mapping of str to ndarray of shape (n_bins, 2)
        Of each learner that gives probabilities: what it predicted, and how often it came true.
    """

    label: str
    roc: Mapping[str, Curve]
    precision: Mapping[str, Curve]
    calibration: Mapping[str, Curve]


@dataclass(frozen=True, eq=False)
class PageParts:
    """Everything that a page shows beyond the findings.

    Parameters
    ----------
    switches : Switches or None
        None for a page without them.
    curves : sequence of ClassCurves
        One per class, or that of the positive class alone.
    values : mapping of str to ndarray of shape (n_rows, 2)
        Regression: of each learner the true and the predicted value of test rows.
    command, python : str
        Line of a shell, and of Python, that give the same page; empty where unknown.
    within : str
        Many data sets: name of the test within data sets.
    """

    switches: Switches | None = None
    curves: Sequence[ClassCurves] = ()
    values: Mapping[str, Curve] = field(default_factory=dict)
    command: str = ""
    python: str = ""
    within: str = ""
