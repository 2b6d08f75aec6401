"""Pictures in lanes: differences to the pick, scores of every split, and seconds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, Self

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from matplotlib.ticker import FixedLocator, NullLocator
from numpy.typing import ArrayLike

from bestofk.array_types import Floats
from bestofk.errors import InvalidArgumentError
from bestofk.inference.checks import check_share
from bestofk.report import axis_ranges
from bestofk.report.findings import Findings
from bestofk.report.plots import drawing
from bestofk.report.plots.drawing import FindingsDisplay, finite_list, name_list
from bestofk.report.sentences import answers

# Color and marker of every answer, by its words.
_DRAWN: Final = {
    answers.BETTER: (drawing.BLUE, "^"),
    answers.EQUIVALENT: (drawing.GREEN, "s"),
    answers.UNDECIDED: (drawing.GRAY, "o"),
    answers.WORSE: (drawing.VERMILION, "D"),
}
_STYLES: Final = {
    answers.IN_WORDS[answer]: _DRAWN[answers.LIKE.get(answer, answer)]
    for answer in (*_DRAWN, *answers.LIKE)
}
_HALF_LANE: Final = 0.32


class DifferencesDisplay(FindingsDisplay):
    """Difference of every learner to the pick, with its interval and the region of equivalence.

    Differences are means over the splits that both learners have, so they may not equal the
    difference of their means. A learner far off the others is an arrowhead at the edge; its
    difference is written behind it.

    Parameters
    ----------
    names : sequence of str
        The other learners, best first.
    differences : array-like of shape (n_others,), float
        Score of each minus score of the pick, in the unit of the measure.
    lows, highs : array-like of shape (n_others,), float
        Limits of the interval of each; nan where there is none.
    answers : sequence of str
        Each compared with the pick: "better", "about the same", "can't tell", "worse", or where a
        preference decides "overridden", "not better", "not tested".
    pick : str
        The learner that is picked.
    measure_title : str
        What the scores are.
    greater_is_better : bool, default=False
        Direction of the measure.
    rope : float, default=0
        Differences up to this do not matter, in the unit of the measure.
    level : float in (0, 1), default=0.95
        Confidence of the intervals.

    Raises
    ------
    InvalidArgumentError
        If numbers, names and answers are not as many as each other, a difference is not finite,
        or an answer is another.

    Examples
    --------
    >>> display = DifferencesDisplay(
    ...     ["cart", "majority"], [0.01, 0.6], [-0.02, 0.5], [0.04, 0.7],
    ...     ["can't tell", "worse"], pick="lda", measure_title="error rate", rope=0.01,
    ... )
    >>> display.to_frame()[["learner", "difference", "answer"]].values.tolist()
    [['lda', 0.0, 'pick'], ['cart', 0.01, "can't tell"], ['majority', 0.6, 'worse']]
    """

    hidden_sides = ("top", "right", "left")

    def __init__(
        self,
        names: Sequence[str],
        differences: ArrayLike,
        lows: ArrayLike,
        highs: ArrayLike,
        answers: Sequence[str],
        *,
        pick: str,
        measure_title: str,
        greater_is_better: bool = False,
        rope: float = 0.0,
        level: float = 0.95,
    ) -> None:
        self.differences = finite_list(differences, "differences")
        self.names = name_list(names, len(self.differences), "differences")
        self.lows, self.highs = np.asarray(lows, dtype=float), np.asarray(highs, dtype=float)
        self.answers, self.pick = list(answers), pick
        if {len(self.lows), len(self.highs), len(self.answers)} != {len(self.names)}:
            raise InvalidArgumentError(
                f"lows, highs and answers must be {len(self.names)} each; got {len(self.lows)}, "
                f"{len(self.highs)} and {len(self.answers)}. Give one of each per learner."
            )
        if other := sorted(set(self.answers) - set(_STYLES)):
            raise InvalidArgumentError(
                f"answers must be {', '.join(_STYLES)}; got {', '.join(other)}. Compare each "
                "learner with the pick."
            )
        self.measure_title, self.greater_is_better = measure_title, greater_is_better
        self.rope, self.level = float(rope), check_share(level, "level")
        self.size = 6.4, 1.3 + 0.27 * (len(self.names) + 1)

    @classmethod
    def from_findings(cls, findings: Findings) -> Self:
        """Take the differences of a verdict.

        Parameters
        ----------
        findings : Findings
            Of a comparison.

        Returns
        -------
        DifferencesDisplay
            Learners in the order of the verdict, then baselines that take no part in it.

        Raises
        ------
        InvalidArgumentError
            If no learner was picked, or there is no other.
        """
        verdict, measure = findings.verdict, findings.measure
        others = [
            item
            for item in answers.versus_pick(findings).values()
            if item.answer not in (answers.PICK, "") and math.isfinite(item.difference)
        ]
        if verdict.best is None or not others:
            raise InvalidArgumentError(
                "findings of DifferencesDisplay must hold a pick and another learner; got "
                f"{verdict.best or 'no pick'}. Compare at least two learners."
            )
        sign = -1 if measure.greater_is_better else 1
        ends = np.sort([(sign * item.low, sign * item.high) for item in others], axis=1)
        return cls(
            [item.learner for item in others], [sign * item.difference for item in others],
            ends[:, 0], ends[:, 1], [answers.IN_WORDS[item.answer] for item in others],
            pick=verdict.best, rope=verdict.rope, level=1 - verdict.alpha,
            **drawing.score_options(measure),
        )  # fmt: skip

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per learner, the pick first.

        Returns
        -------
        DataFrame
            Columns learner, difference (score minus score of the pick), low, high, answer.
        """
        return pd.DataFrame(
            {
                "learner": [self.pick, *self.names],
                "difference": [0.0, *self.differences],
                "low": [math.nan, *self.lows],
                "high": [math.nan, *self.highs],
                "answer": ["pick", *self.answers],
            }
        )

    def _limits(self) -> tuple[float, float]:
        """Return the ends of the axis: zero, the region, and all learners that are near."""
        ends = np.vstack([self.differences, self.lows, self.highs])
        reach = axis_ranges.near_range(
            np.nanmax(np.where(np.isfinite(ends), np.abs(ends), 0), axis=0)
        )
        seen = np.append(ends[np.abs(ends) <= reach * (1 + 1e-9)], [0, -self.rope, self.rope])
        return axis_ranges.with_margin(float(seen.min()), float(seen.max()), 0.06, 0.01)

    def _draw(self, ax: Axes) -> None:
        low, high = self._limits()
        ax.set_xlim(low, high)
        ax.axvspan(-self.rope, self.rope, color=drawing.GREEN, alpha=0.13, lw=0)
        ax.axvline(0, color=drawing.ink(), lw=1, ls="--", zorder=1)
        ax.plot(0, 0, "*", ms=13, color=drawing.ink(), zorder=4)
        drawing.write_in_lane(ax, "pick", 1, 0, xytext=(9, 0))
        for lane, row in enumerate(self.to_frame().iloc[1:].itertuples(), 1):
            color, marker = _STYLES[row.answer]
            if not math.isnan(row.low + row.high):
                ends = np.clip([row.low, row.high], low, high)
                ax.plot(ends, [lane, lane], color=color, lw=2.2, solid_capstyle="butt")
            if low <= row.difference <= high:
                fill = "none" if marker == "o" else color
                ax.plot(row.difference, lane, marker, ms=7, mec=color, mfc=fill, mew=1.6, zorder=4)
            else:
                drawing.mark_outside(ax, row.difference, lane, color)
            text = drawing.difference_text(row.difference, self.measure_title)
            drawing.write_in_lane(ax, f"{text}  {row.answer}", 1, lane, xytext=(9, 0))
        drawing.name_lanes(ax, [self.pick, *self.names])
        self._name_axis(ax)

    def _name_axis(self, ax: Axes) -> None:
        unit = " in points" if drawing.is_rate(self.measure_title) else ""
        drawing.show_scale(ax.xaxis, self.measure_title)
        notes = []
        if np.isfinite(self.lows + self.highs).any():
            notes.append(f"bars: {100 * self.level:g}% interval of each difference alone")
        if self.rope:
            size = 100 * self.rope if unit else self.rope
            points = f" point{'' if size == 1 else 's'}" if unit else ""
            notes.append(f"shaded: within {size:.3g}{points}, which counts as about the same")
        low, high = ax.get_xlim()
        if ((self.differences < low) | (self.differences > high)).any():
            notes.append("arrowheads: off the axis")
        side = "right" if self.greater_is_better else "left"
        said = f"difference in {self.measure_title}{unit}; {side} is better"
        drawing.x_label(ax, said, "; ".join(notes))
        drawing.headline(ax, f"Difference to {drawing.short_name(self.pick)} on shared splits")


class ScoreDistributionDisplay(FindingsDisplay):
    """Scores of every learner over the splits: points, box of the middle half, mean.

    Scores of one learner overlap in their training rows, so the width of a cloud is no
    measure of how sure its mean is.

    Parameters
    ----------
    scores : mapping of str to array-like of float
        One list of scores per learner, best learner first.
    measure_title : str
        What the scores are.
    greater_is_better : bool
        Direction of the measure.

    Examples
    --------
    >>> display = ScoreDistributionDisplay(
    ...     {"lda": [0.02, 0.04]}, measure_title="error rate", greater_is_better=False
    ... )
    >>> display.to_frame().values.tolist()
    [['lda', 0, 0.02], ['lda', 1, 0.04]]
    """

    def __init__(
        self, scores: Mapping[str, ArrayLike], *, measure_title: str, greater_is_better: bool
    ) -> None:
        self.scores: dict[str, Floats] = {
            name: np.asarray(values, dtype=float) for name, values in scores.items()
        }
        self.measure_title, self.greater_is_better = measure_title, greater_is_better
        self.size = 6.4, 1.1 + 0.42 * max(len(self.scores), 2)

    @classmethod
    def from_findings(cls, findings: Findings) -> ScoreDistributionDisplay:
        """Take the scores of the deciding measure, learners in the order of the verdict.

        Parameters
        ----------
        findings : Findings
            What is to be reported.

        Returns
        -------
        ScoreDistributionDisplay
        """
        scores = {learner.name: learner.scores for learner in findings.ordered()}
        return cls(scores, **drawing.score_options(findings.measure))

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per learner and split: learner, split, score."""
        rows = [
            (name, split, float(value))
            for name, values in self.scores.items()
            for split, value in enumerate(values)
        ]
        return pd.DataFrame(rows, columns=["learner", "split", "score"])

    def _draw(self, ax: Axes) -> None:
        is_any_outside = self.draw_scores(ax)
        beyond = "; arrowhead: off the axis, with the mean" if is_any_outside else ""
        drawing.caption(ax, f"dots: splits; box: middle half; diamond: mean{beyond}")

    def draw_scores(self, ax: Axes) -> bool:
        """Draw lanes and their axis; return whether a learner lies outside of it."""
        known = [values[np.isfinite(values)] for values in self.scores.values()]
        low, high = _limits(known)
        ax.set_xlim(low, high)
        is_outside = [bool(len(values)) and not low <= values.mean() <= high for values in known]
        for lane, values in enumerate(known):
            if is_outside[lane]:
                mean = float(values.mean())
                side = 1 if mean > high else -1
                drawing.mark_outside(ax, side, lane, drawing.VERMILION)
                text_style: dict[str, Any] = {"xytext": (-8 * side, 0)}
                text_style["ha"] = "right" if side > 0 else "left"
                said = drawing.score_text(mean, self.measure_title)
                drawing.write_in_lane(ax, said, float(side > 0), lane, **text_style)
            elif len(values):
                _draw_splits(ax, lane, values, values[(values >= low) & (values <= high)])
        drawing.name_lanes(ax, list(self.scores))
        drawing.label_scores(
            ax, self.measure_title, " per split", greater_is_better=self.greater_is_better
        )
        return any(is_outside)


def _limits(scores: Sequence[Floats]) -> tuple[float, float]:
    """Return the ends of the axis: all scores of the learners that are near."""
    known = [values for values in scores if len(values)]
    if not known:
        return 0.0, 1.0
    middle = float(np.median([values.mean() for values in known]))
    reaches = [float(np.abs(values - middle).max()) for values in known]
    reach = axis_ranges.near_range(reaches) * (1 + 1e-9)
    near = np.concatenate([item for item, own in zip(known, reaches, strict=True) if own <= reach])
    low, high = float(near.min()), float(near.max())
    return axis_ranges.with_margin(low, high, 0.04, 0.05 * abs(high) or 0.05)


def _draw_splits(ax: Axes, lane: int, values: Floats, shown: Floats) -> None:
    """Draw the points of one learner with their box, median and mean."""
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
    top, bottom = lane - _HALF_LANE, lane + _HALF_LANE
    heights = lane + 2 * _HALF_LANE * (axis_ranges.scattered(len(shown)) - 0.5)
    ax.plot(shown, heights, "o", ms=4, color=drawing.GREEN, alpha=0.8, mew=0, zorder=2)
    box: dict[str, Any] = {"fill": False, "ec": drawing.ink(), "lw": 1, "zorder": 3}
    ax.add_patch(Rectangle((low, top), high - low, 2 * _HALF_LANE, **box))
    drawing.draw_medians(ax, middle, top, bottom)
    drawing.draw_means(ax, values.mean(), lane)


class TimesDisplay(FindingsDisplay):
    """Seconds that each learner takes for training and for predicting, next to its mean score.

    Parameters
    ----------
    names : sequence of str
        Learners, best first.
    train_seconds, predict_seconds : array-like of shape (n_learners,), float
        Medians over the runs of each; nan where unknown.
    scores : array-like of shape (n_learners,), float
        Mean of the deciding measure, in its unit.
    measure_title : str
        What the scores are.

    Raises
    ------
    InvalidArgumentError
        If there is not one number of each for every learner, a time is below 0, or none is known.

    Examples
    --------
    >>> display = TimesDisplay(
    ...     ["lda", "svm"], [0.01, 2.0], [0.001, 0.4], [0.03, 0.02], measure_title="error rate"
    ... )
    >>> display.to_frame()[["learner", "train_seconds"]].values.tolist()
    [['lda', 0.01], ['svm', 2.0]]
    """

    hidden_sides = ("top", "right", "left")

    def __init__(
        self,
        names: Sequence[str],
        train_seconds: ArrayLike,
        predict_seconds: ArrayLike,
        scores: ArrayLike,
        *,
        measure_title: str,
    ) -> None:
        self.scores = np.asarray(scores, dtype=float)
        self.names = name_list(names, len(self.scores), "learners")
        self.train_seconds = _known_seconds(train_seconds, "train_seconds", len(self.names))
        self.predict_seconds = _known_seconds(predict_seconds, "predict_seconds", len(self.names))
        self.measure_title = measure_title
        self.size = 6.4, 1.5 + 0.27 * len(self.names)

    @classmethod
    def from_findings(cls, findings: Findings) -> TimesDisplay:
        """Take the median seconds of a run, learners in the order of the verdict.

        Parameters
        ----------
        findings : Findings
            Of a comparison.

        Returns
        -------
        TimesDisplay
        """
        learners = findings.ordered()
        return cls(
            [learner.name for learner in learners],
            [learner.fit_seconds for learner in learners],
            [learner.predict_seconds for learner in learners],
            [learner.mean for learner in learners],
            measure_title=findings.measure.title,
        )

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame: learner, train_seconds, predict_seconds, score."""
        return pd.DataFrame(
            {
                "learner": self.names,
                "train_seconds": self.train_seconds,
                "predict_seconds": self.predict_seconds,
                "score": self.scores,
            }
        )

    def _draw(self, ax: Axes) -> None:
        train, predict, lanes = self.train_seconds, self.predict_seconds, range(len(self.names))
        ax.hlines(lanes, train, predict, color=drawing.GRAY, lw=1, zorder=1)
        dot: dict[str, Any] = {"ls": "", "ms": 7, "mew": 1.6}
        ax.plot(train, lanes, marker="o", color=drawing.BLUE, label="training", **dot)
        hollow = {**dot, "mec": drawing.VERMILION, "mfc": "none"}
        ax.plot(predict, lanes, marker="s", label="predicting", **hollow)
        drawing.name_lanes(ax, self.names)
        self._scale_seconds(ax)
        said = [drawing.score_text(float(score), self.measure_title) for score in self.scores]
        for lane, text in zip((-0.75, *lanes), (self.measure_title, *said), strict=True):
            drawing.write_in_lane(ax, text, 1, lane, xytext=(9, 0))
        drawing.x_label(ax, "median per run, logarithmic scale")
        ax.legend(
            loc="lower left", bbox_to_anchor=(0, 1), ncols=2, frameon=False, fontsize=drawing.SMALL,
            borderaxespad=0, handletextpad=0, columnspacing=0.6,
        )  # fmt: skip

    def _scale_seconds(self, ax: Axes) -> None:
        """Scale the axis by whole powers of ten, each written as a time."""
        both = np.concatenate([self.train_seconds, self.predict_seconds])
        both = both[both > 0]
        low, high = (float(both.min()), float(both.max())) if len(both) else (0.001, 0.01)
        first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
        last += last == first
        ax.set_xscale("log")
        ax.set_xlim(10.0**first / 1.3, 10.0**last * 1.3)
        step = math.ceil((last - first) / max(2, drawing.cell_inches(ax)))
        powers = range(first, last + 1, step)
        ax.xaxis.set_major_locator(FixedLocator([10.0**power for power in powers]))
        ax.xaxis.set_minor_locator(NullLocator())
        ax.xaxis.set_major_formatter(lambda value, _: _power_of_ten(value))


def _known_seconds(values: ArrayLike, what: str, count: int) -> Floats:
    array = np.asarray(values, dtype=float)
    if array.shape != (count,) or (array < 0).any() or np.isinf(array).any():
        raise InvalidArgumentError(
            f"{what} must be {count} numbers from 0, nan where unknown; got {array.tolist()}. "
            "Give the median of each learner."
        )
    return array


def _power_of_ten(value: float) -> str:
    """Return a whole power of ten seconds in µs, ms or s.

    Examples
    --------
    >>> _power_of_ten(1e-5), _power_of_ten(0.1), _power_of_ten(100.0)
    ('10 µs', '100 ms', '100 s')
    """
    for limit, factor, unit in ((0.9e-3, 1e6, "µs"), (0.9, 1e3, "ms")):
        if value < limit:
            return f"{value * factor:.0f} {unit}"
    return f"{value:,.0f} s"
